#include "language/expr/numbers.hpp"

namespace cradle::expr {

void Numbers::complete(const Pool& pool, const std::function<double(const Node&)>& parameter) {
  const std::vector<ExprId>& fixed = pool.fixed();
  auto operand = [&](ExprId id) { return id.valid() ? of(pool, id) : 0.0; };
  while (values_.size() < fixed.size()) {
    const Node& node = pool[fixed[values_.size()]];
    values_.push_back(node.op == Op::Parameter
                          ? parameter(node)
                          : apply(node.op, operand(node.a), operand(node.b), operand(node.c)));
  }
}

}  // namespace cradle::expr
