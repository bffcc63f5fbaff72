#include "theory/reduce/readers.hpp"

#include "theory/reduce/expressions.hpp"

namespace cradle::reduce {

using expr::Node;
using expr::Op;

namespace {

// An error of rounding in what it reads can change it by more than that.
bool leaps(Op op) {
  return expr::is_comparison(op) || op == Op::Floor || op == Op::Ceil || op == Op::Mod;
}

bool is_power(Op op) { return op == Op::Effort || op == Op::Flow; }

}  // namespace

Readers::Readers(const model::Model& model) : model_(model) {
  const expr::Pool& pool = model.pool;
  std::vector<bool> used(pool.size(), false), tips(pool.size(), false);
  std::vector<ExprId> open;
  each_expression(model, [&](ExprId e) { used[at(e)] = true; });
  for (std::size_t i = pool.size(); i-- > 0;) {
    if (!used[i]) continue;
    const Node& node = pool[ExprId(i)];
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (operand.valid()) used[at(operand)] = true;
    }
    if (node.op == Op::Pre) used[at(pool.pres()[at(node.ref)])] = true;
    if (is_power(node.op)) read_.insert(ExprId(i));
    if (leaps(node.op)) open.emplace_back(i);
  }
  for (const model::Memory& memory : model.memories) {
    if (memory.kind == model::Memory::Kind::Crossing) open.push_back(memory.input);
  }
  while (!open.empty()) {
    const ExprId e = open.back();
    open.pop_back();
    if (tips[at(e)]) continue;
    tips[at(e)] = true;
    const Node& node = pool[e];
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (operand.valid()) open.push_back(operand);
    }
    const auto ref = static_cast<std::size_t>(node.ref);
    if (node.op == Op::Pre) open.push_back(pool.pres()[ref]);
    if (node.op == Op::Signal) open.push_back(model.signals[SignalId(ref)].value);
    if (node.op == Op::Memory && model.memories[MemoryId(ref)].input.valid()) {
      open.push_back(model.memories[MemoryId(ref)].input);
    }
    if (is_power(node.op)) compared_.insert(e);
  }
}

void Readers::replace(ExprId leaf, ExprId by) {
  if (!is_read(leaf)) return;
  for (ExprId other : model_.pool.leaves(by)) {
    if (!is_power(model_.pool[other].op)) continue;
    read_.insert(other);
    if (is_compared(leaf)) compared_.insert(other);
  }
}

}  // namespace cradle::reduce
