#pragma once
// Flat expressions: nodes in one pool, shared where equal (hash-consing), names resolved. The same
// nodes are evaluated on numbers a + bω inside an instant, on doubles while time flows, and are
// differentiated for Newton's method.
//
// What is made of constants is folded. What is made of constants and parameters is *fixed*: it is
// computed once when values are bound to the parameters, operator by operator as folding would.

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/basics/ids.hpp"

namespace cradle::expr {

enum class Op : uint8_t {
#define LEAF(Name, text) Name,
#define OPERATOR(Name, text, arity, value, derivative) Name,
#include "language/expr/operators.def"
};

enum class Type : uint8_t { Number, Boolean };

struct Node {
  Op op = Op::Constant;
  Type type = Type::Number;
  int32_t ref = -1;
  ExprId a{}, b{}, c{};
  double value = 0;
  // By bits, so that −0 and 0 stay apart and a NaN equals itself.
  bool operator==(const Node& o) const {
    return op == o.op && type == o.type && ref == o.ref && a == o.a && b == o.b && c == o.c &&
           std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(o.value);
  }
};

int arity(Op op);              // 0 to 3
std::string_view name(Op op);  // "sin", "+", …
bool is_comparison(Op op);     // Less … NotEqual

// One operator on plain doubles; booleans are 0 and 1. Folding and evaluation both use it, so they
// agree to the last bit. Mod is floored (the result has the sign of b); ImpulseOf is 0.
double apply(Op op, double a, double b = 0, double c = 0);

class Pool {
 public:
  const Node& operator[](ExprId id) const { return nodes_[static_cast<std::size_t>(id.index)]; }
  std::size_t size() const { return nodes_.size(); }

  // Builders fold constants and the identities x + 0, x * 1, x * 0 (x without impulse), −−x; of
  // what is fixed only those that hold to the bit.
  ExprId constant(double value);
  ExprId boolean(bool value);
  // InMode and Active are boolean whatever `type` says; a Signal has the type of its definition.
  ExprId leaf(Op op, int32_t ref = -1, double value = 0, Type type = Type::Number);
  ExprId unary(Op op, ExprId a);
  ExprId binary(Op op, ExprId a, ExprId b);
  ExprId conditional(ExprId condition, ExprId then, ExprId otherwise);
  ExprId fallback(ExprId preferred, ExprId otherwise);  // Default
  ExprId when(ExprId value, ExprId condition);
  ExprId pre(ExprId of);                                      // equal arguments share one memory
  ExprId integral(ExprId from, ExprId to, ExprId integrand);  // over Local(0) of the integrand
  // The same operator on other operands, with all that is folded there.
  ExprId rebuild(const Node& node, ExprId a, ExprId b, ExprId c);

  // The leaf if it has been made; invalid otherwise.
  ExprId find_leaf(Op op, int32_t ref, double value = 0, Type type = Type::Number) const;

  // What can be said without knowing any leaf; false means "perhaps not".
  bool is_impulse_free(ExprId id) const { return facts_[index(id)].impulse_free; }

  bool is_constant(ExprId id) const { return (*this)[id].op == Op::Constant; }
  double constant_value(ExprId id) const { return (*this)[id].value; }
  // Made of constants and parameters alone; a constant is fixed, too.
  bool is_fixed(ExprId id) const { return facts_[index(id)].fixed; }
  // Those that are not constant, operands first, and the place of one of them in that list.
  const std::vector<ExprId>& fixed() const { return fixed_; }
  int32_t fixed_place(ExprId id) const { return facts_[index(id)].place; }
  const std::vector<ExprId>& pres() const { return pres_; }  // by PreId: what is remembered

  // d e / d Local(ref), and d e / d (leaf with this op and ref; also a parameter). Conditionals and
  // comparisons are differentiated branch by branch. Does not look into signals or into what a Pre
  // remembers.
  ExprId derivative(ExprId e, Op leaf_op, int32_t ref);
  // The same by many leaves at once, which costs less: d e / d each of them.
  std::vector<ExprId> gradient(ExprId e, std::span<const ExprId> leaves);
  // Replaces Local(i) by arguments[i], also inside Pre. Locals without an argument stay.
  ExprId substitute(ExprId e, const std::vector<ExprId>& arguments);
  // Replaces every leaf that has a ref, also inside Pre, by what the function says. `done`
  // remembers what was made of each node, for one function and any number of expressions.
  ExprId map_leaves(ExprId e, const std::function<ExprId(ExprId)>& leaf,
                    std::unordered_map<ExprId, ExprId>& done);
  ExprId map_leaves(ExprId e, const std::function<ExprId(ExprId)>& leaf);

  // All leaves below e but constants and parameters, each once, in the order in which they were
  // made; does not look into what a Pre remembers.
  std::vector<ExprId> leaves(ExprId e) const;
  // Every node below e, e included. A node is made after its operands, so ascending ids are an
  // order in which operands come first: no recursion, whatever the depth.
  std::vector<ExprId> below(ExprId e, bool into_pre = false) const;
  // All comparisons below e, each once (not inside Pre).
  std::vector<ExprId> comparisons(ExprId e) const;

 private:
  struct Facts {
    bool impulse_free = false;  // b = 0 in a + bω, always
    bool finite = false;        // impulse-free, and a is neither infinite nor NaN
    bool fixed = false;
    int32_t place = -1;  // in fixed_
  };
  struct Hash {
    std::size_t operator()(const Node& node) const noexcept;
  };
  static std::size_t index(ExprId id) { return static_cast<std::size_t>(id.index); }
  ExprId intern(const Node& node);
  Facts facts(const Node& node) const;
  bool are_fixed(const Node& node) const;
  bool is_open(ExprId a, ExprId b) const { return !is_fixed(a) || !is_fixed(b); }
  bool is_value(ExprId id, double value) const;
  ExprId fold_arithmetic(Op op, ExprId a, ExprId b) const;
  ExprId fold_logic(Op op, ExprId a, ExprId b) const;

  std::vector<Node> nodes_;
  std::vector<Facts> facts_;
  std::vector<ExprId> fixed_;
  std::vector<ExprId> pres_;
  std::unordered_map<ExprId, ExprId> pre_of_;
  std::unordered_map<Node, ExprId, Hash> index_;
};

}  // namespace cradle::expr
