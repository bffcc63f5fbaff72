#pragma once
// The variables of hybrid processes, and expressions over them.
//
// A predicate speaks of a variable x in one of several ways (Cuijpers, Broenink, Mosterman:
// Constitutive Hybrid Processes, section 2): x and ẋ while time flows; x⁻ before, x⁺ after and
// x′ = x⁺ − x⁻ across a jump. x° is ours: the value that x would take in the mode that is being
// left, on which inference is judged (semantics, section 5). A mode that is left so is mythical,
// and its values are neither x⁻ nor x⁺.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/basics/ids.hpp"
#include "language/expr/pool.hpp"

namespace cradle::hypa {

using VariableId = Id<struct VariableTag>;

enum class Mark { Now, Rate, Before, After, Change, Tried };

enum class Quantity {
  Effort,
  Flow,
  Momentum,
  Displacement,
  Energy,
  State,   // an integral: never an impulse
  Mode,    // the state of an automaton: one of Variable::values
  Signal,  // anything else: signals, what operators of events say
};

struct Variable {
  std::string name;  // "body1.p"
  Quantity quantity = Quantity::Signal;
  expr::Type type = expr::Type::Number;
  std::vector<std::string> values = {};  // of a Mode, by index
  VariableId integral = {};              // of an effort or flow: the p or q of its bond
};

// e, f, p, q and E of one bond.
struct BondVariables {
  VariableId effort, flow, momentum, displacement, energy;
};

class Vocabulary {
 public:
  expr::Pool pool;

  // The variable of this name; made if there is none.
  VariableId variable(const std::string& name, Quantity quantity = Quantity::Signal,
                      expr::Type type = expr::Type::Number);
  VariableId mode(const std::string& name, std::vector<std::string> values);
  VariableId find(const std::string& name) const;  // invalid: there is none
  const Variable& operator[](VariableId id) const { return variables_[id]; }
  std::size_t size() const { return variables_.size(); }

  BondVariables bond(const std::string& name);

  // A number that is known by its name alone. It is the same whenever it is read: no mark changes
  // it, and it is nothing to solve for.
  ExprId parameter(const std::string& name);
  ExprId find_parameter(const std::string& name) const;  // invalid: there is none
  const std::vector<std::string>& parameters() const { return parameters_; }

  ExprId leaf(VariableId id, Mark mark = Mark::Now);
  bool is_variable(ExprId e) const { return pool[e].op == expr::Op::Variable; }
  static VariableId variable_of(const expr::Node& leaf) { return VariableId(at(leaf.ref) / 8); }
  static Mark mark_of(const expr::Node& leaf) { return static_cast<Mark>(leaf.ref % 8); }

  // All leaves below e, sorted; found once and kept.
  const std::vector<ExprId>& leaves(ExprId e) const;
  bool reads(ExprId e, ExprId leaf) const;

  // Every variable x without a mark becomes x with this mark.
  ExprId marked(ExprId e, Mark mark);
  // Replaces nodes as `replacement` says; an invalid id keeps the node (with new operands).
  ExprId replace(ExprId e, const std::function<ExprId(ExprId)>& replacement);

  // The weight of the Dirac impulse in e: p′ of an effort, q′ of a flow, 0 of what has none.
  ExprId weight(ExprId e);

  // ¬e, with comparisons turned round.
  ExprId negation(ExprId e);

  // Shorthand.
  ExprId number(double value) { return pool.constant(value); }
  ExprId equal(ExprId a, ExprId b) { return pool.binary(expr::Op::Equal, a, b); }
  ExprId in_mode(VariableId automaton, std::size_t value, Mark mark = Mark::Now);

 private:
  ExprId folded(ExprId e);

  Table<VariableId, Variable> variables_;
  std::unordered_map<std::string, VariableId> by_name_;
  std::vector<std::string> parameters_;  // by the ref of their leaves
  mutable std::unordered_map<ExprId, std::vector<ExprId>> leaves_;
};

}  // namespace cradle::hypa
