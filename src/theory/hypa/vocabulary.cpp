#include "theory/hypa/vocabulary.hpp"

#include <algorithm>

#include "base/basics/assert.hpp"

namespace cradle::hypa {

using expr::Op;

VariableId Vocabulary::variable(const std::string& name, Quantity quantity, expr::Type type) {
  auto [place, is_new] = by_name_.try_emplace(name, variables_.next_id());
  if (is_new) variables_.add({name, quantity, type});
  return place->second;
}

VariableId Vocabulary::mode(const std::string& name, std::vector<std::string> values) {
  const VariableId id = variable(name, Quantity::Mode);
  variables_[id].quantity = Quantity::Mode;
  variables_[id].values = std::move(values);
  return id;
}

VariableId Vocabulary::find(const std::string& name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? VariableId() : found->second;
}

BondVariables Vocabulary::bond(const std::string& name) {
  const BondVariables bond = {
      variable(name + ".e", Quantity::Effort), variable(name + ".f", Quantity::Flow),
      variable(name + ".p", Quantity::Momentum), variable(name + ".q", Quantity::Displacement),
      variable(name + ".E", Quantity::Energy)};
  variables_[bond.effort].integral = bond.momentum;
  variables_[bond.flow].integral = bond.displacement;
  return bond;
}

ExprId Vocabulary::find_parameter(const std::string& name) const {
  const auto found = std::find(parameters_.begin(), parameters_.end(), name);
  if (found == parameters_.end()) return {};
  return pool.find_leaf(Op::Parameter, static_cast<int32_t>(found - parameters_.begin()));
}

ExprId Vocabulary::parameter(const std::string& name) {
  if (const ExprId known = find_parameter(name); known.valid()) return known;
  parameters_.push_back(name);
  return pool.leaf(Op::Parameter, static_cast<int32_t>(parameters_.size()) - 1);
}

ExprId Vocabulary::leaf(VariableId id, Mark mark) {
  const Variable& variable = variables_[id];
  const bool impulsive = variable.quantity == Quantity::Effort ||
                         variable.quantity == Quantity::Flow ||
                         (variable.quantity == Quantity::Signal && mark != Mark::Change);
  return pool.leaf(Op::Variable, id.index * 8 + static_cast<int32_t>(mark), impulsive ? 1 : 0,
                   variable.type);
}

// What the pool leaves as it is, because of infinities and impulses, which no process speaks of.
ExprId Vocabulary::folded(ExprId e) {
  const expr::Node node = pool[e];
  const auto zero = [this](ExprId id) { return pool.is_constant(id) && pool[id].value == 0; };
  switch (node.op) {
    case Op::Sub:
      if (node.a == node.b) return number(0);
      return zero(node.a) ? pool.unary(Op::Neg, node.b) : e;
    case Op::Mul:
      return zero(node.a) || zero(node.b) ? number(0) : e;
    case Op::Div:
      return zero(node.a) ? node.a : e;
    case Op::Not:
      return negation(node.a);
    default:
      return e;
  }
}

const std::vector<ExprId>& Vocabulary::leaves(ExprId e) const {
  auto [place, is_new] = leaves_.try_emplace(e);
  if (is_new) place->second = pool.leaves(e);
  return place->second;
}

bool Vocabulary::reads(ExprId e, ExprId leaf) const {
  const std::vector<ExprId>& all = leaves(e);
  return std::binary_search(all.begin(), all.end(), leaf);
}

ExprId Vocabulary::replace(ExprId e, const std::function<ExprId(ExprId)>& replacement) {
  std::unordered_map<ExprId, ExprId> done;
  auto now = [&done](ExprId id) { return id.valid() ? done.at(id) : id; };
  for (ExprId id : pool.below(e)) {
    ExprId result = replacement(id);
    if (!result.valid()) {
      const expr::Node node = pool[id];
      const ExprId a = now(node.a), b = now(node.b), c = now(node.c);
      const bool same = a == node.a && b == node.b && c == node.c;
      result = same ? id : folded(pool.rebuild(node, a, b, c));
    }
    done.emplace(id, result);
  }
  return done.at(e);
}

ExprId Vocabulary::marked(ExprId e, Mark mark) {
  return replace(e, [&](ExprId id) {
    const expr::Node node = pool[id];
    if (node.op != Op::Variable || mark_of(node) != Mark::Now) return ExprId();
    return leaf(variable_of(node), mark);
  });
}

ExprId Vocabulary::weight(ExprId e) {
  const expr::Node node = pool[e];
  if (pool.is_impulse_free(e)) return number(0);
  const auto constant = [this](ExprId id) { return pool.is_fixed(id); };
  switch (node.op) {
    case Op::Variable: {
      const VariableId integral = variables_[variable_of(node)].integral;
      return integral.valid() ? leaf(integral, Mark::Change) : pool.unary(Op::ImpulseOf, e);
    }
    case Op::Neg:
      return pool.unary(Op::Neg, weight(node.a));
    case Op::Add:
    case Op::Sub:
      return pool.binary(node.op, weight(node.a), weight(node.b));
    case Op::Mul:
      if (constant(node.a)) return pool.binary(Op::Mul, node.a, weight(node.b));
      if (constant(node.b)) return pool.binary(Op::Mul, weight(node.a), node.b);
      return pool.unary(Op::ImpulseOf, e);
    case Op::Div:
      if (constant(node.b)) return pool.binary(Op::Div, weight(node.a), node.b);
      return pool.unary(Op::ImpulseOf, e);
    default:
      return pool.unary(Op::ImpulseOf, e);
  }
}

ExprId Vocabulary::negation(ExprId e) {
  const expr::Node node = pool[e];
  switch (node.op) {
    case Op::Less:
      return pool.binary(Op::LessEqual, node.b, node.a);
    case Op::LessEqual:
      return pool.binary(Op::Less, node.b, node.a);
    case Op::Equal:
      return pool.binary(Op::NotEqual, node.a, node.b);
    case Op::NotEqual:
      return pool.binary(Op::Equal, node.a, node.b);
    default:
      return pool.unary(Op::Not, e);
  }
}

ExprId Vocabulary::in_mode(VariableId automaton, std::size_t value, Mark mark) {
  CRADLE_ASSERT(value < variables_[automaton].values.size(), "a state of the automaton");
  return equal(leaf(automaton, mark), number(static_cast<double>(value)));
}

}  // namespace cradle::hypa
