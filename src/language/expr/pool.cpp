#include "language/expr/pool.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/basics/assert.hpp"

namespace cradle::expr {

namespace {

struct Row {
  std::string_view name;
  int arity;
};
constexpr Row kRows[] = {
#define LEAF(Name, text) {text, 0},
#define OPERATOR(Name, text, arity, value, derivative) {text, arity},
#include "language/expr/operators.def"
};

}  // namespace

int arity(Op op) { return kRows[static_cast<std::size_t>(op)].arity; }
std::string_view name(Op op) { return kRows[static_cast<std::size_t>(op)].name; }

bool is_comparison(Op op) { return op >= Op::Less && op <= Op::NotEqual; }

namespace {

bool is_boolean(Op op) {
  return op == Op::InMode || op == Op::Active || (op >= Op::Less && op <= Op::Not) ||
         op == Op::IsPresent;
}

}  // namespace

std::size_t Pool::Hash::operator()(const Node& node) const noexcept {
  // Mixing as in splitmix64 (Steele, Lea, Flood 2014).
  uint64_t h = std::bit_cast<uint64_t>(node.value);
  auto mix = [&h](uint64_t x) {
    h = (h ^ x) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 31;
  };
  mix(static_cast<uint64_t>(node.op) << 8 | static_cast<uint64_t>(node.type));
  mix(static_cast<uint32_t>(node.ref));
  mix(static_cast<uint64_t>(static_cast<uint32_t>(node.a.index)) << 32 |
      static_cast<uint32_t>(node.b.index));
  mix(static_cast<uint32_t>(node.c.index));
  return static_cast<std::size_t>(h);
}

Pool::Facts Pool::facts(const Node& node) const {
  auto of = [this](ExprId id) { return facts_[index(id)]; };
  if (node.type == Type::Boolean) return {true, true};
  switch (node.op) {
    case Op::Constant:
      return {true, std::isfinite(node.value)};
    case Op::Parameter:
    // A state that is not finite ends the run before anything is computed from it.
    case Op::Time:
    case Op::State:
    case Op::Phase:
    case Op::Count:
    case Op::Input:
      return {true, true};
    case Op::Omega:
    case Op::Local:
    case Op::Effort:
    case Op::Flow:
    case Op::Signal:
    case Op::Pre:
    case Op::Memory:
    case Op::Output:
      return {};
    case Op::Variable:
      return {node.value == 0, node.value == 0};
    case Op::Absent:
    case Op::Choice:
    case Op::Integral:
      return {true, false};
    case Op::Neg:
    case Op::Abs:
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
      return of(node.a);
    case Op::ImpulseOf:
    case Op::FiniteOf:
      return {true, of(node.a).finite};
    case Op::When:
      return {of(node.a).impulse_free, false};
    case Op::Default: {
      Facts x = of(node.a), y = of(node.b);
      return {x.impulse_free && y.impulse_free, false};
    }
    case Op::If:
    case Op::Min:
    case Op::Max: {
      Facts x = of(node.op == Op::If ? node.c : node.a), y = of(node.b);
      return {x.impulse_free && y.impulse_free, x.finite && y.finite};
    }
    default:  // may overflow or divide by zero, but makes no impulse of its own
      return {of(node.a).impulse_free && (!node.b.valid() || of(node.b).impulse_free), false};
  }
}

// Operators that look at presence have been folded where their operands are fixed.
bool Pool::are_fixed(const Node& node) const {
  if (arity(node.op) == 0) return node.op == Op::Constant || node.op == Op::Parameter;
  if (node.op >= Op::IsPresent) return false;
  auto fixed = [this](ExprId id) { return !id.valid() || is_fixed(id); };
  return fixed(node.a) && fixed(node.b) && fixed(node.c);
}

ExprId Pool::intern(const Node& node) {
  auto [place, is_new] = index_.try_emplace(node, ExprId(nodes_.size()));
  if (is_new) {
    Facts known = facts(node);
    known.fixed = are_fixed(node);
    if (known.fixed && node.op != Op::Constant) {
      known.place = static_cast<int32_t>(fixed_.size());
      fixed_.push_back(place->second);
    }
    facts_.push_back(known);
    nodes_.push_back(node);
  }
  return place->second;
}

ExprId Pool::constant(double value) { return intern({.value = value}); }

ExprId Pool::boolean(bool value) {
  return intern({.type = Type::Boolean, .value = value ? 1.0 : 0.0});
}

namespace {

Node leaf_node(Op op, int32_t ref, double value, Type type) {
  CRADLE_ASSERT(arity(op) == 0, "not a leaf");
  return {.op = op, .type = is_boolean(op) ? Type::Boolean : type, .ref = ref, .value = value};
}

}  // namespace

ExprId Pool::leaf(Op op, int32_t ref, double value, Type type) {
  return intern(leaf_node(op, ref, value, type));
}

ExprId Pool::find_leaf(Op op, int32_t ref, double value, Type type) const {
  const auto found = index_.find(leaf_node(op, ref, value, type));
  return found == index_.end() ? ExprId() : found->second;
}

ExprId Pool::pre(ExprId of) {
  if (is_fixed(of)) return of;
  auto [place, is_new] = pre_of_.try_emplace(of, ExprId());
  if (is_new) {
    pres_.push_back(of);
    place->second = leaf(Op::Pre, static_cast<int32_t>(pres_.size()) - 1, 0, (*this)[of].type);
  }
  return place->second;
}

bool Pool::is_value(ExprId id, double value) const {
  return is_constant(id) && constant_value(id) == value;
}

ExprId Pool::unary(Op op, ExprId a) {
  CRADLE_ASSERT(arity(op) == 1, "not a unary operator");
  const Node& node = (*this)[a];
  if (op == Op::IsPresent && (is_fixed(a) || node.op == Op::Absent)) return boolean(is_fixed(a));
  if (node.op == Op::Constant) {
    double value = apply(op, node.value);
    return is_boolean(op) ? boolean(value != 0) : constant(value);
  }
  if ((op == Op::Neg || op == Op::Not) && node.op == op) return node.a;
  if (op == Op::FiniteOf && is_impulse_free(a)) return a;
  if (op == Op::ImpulseOf && is_impulse_free(a)) return constant(0);
  return intern({.op = op, .type = is_boolean(op) ? Type::Boolean : Type::Number, .a = a});
}

// The operand that the result equals, or an invalid id. Only identities that hold for every
// double (but for the sign of a zero sum) and for every impulse.
ExprId Pool::fold_arithmetic(Op op, ExprId a, ExprId b) const {
  switch (op) {
    case Op::Add:
      if (!is_open(a, b)) return {};  // −0 + 0 is 0
      if (is_value(b, 0)) return a;
      return is_value(a, 0) ? b : ExprId();
    case Op::Sub:
      return is_value(b, 0) ? a : ExprId();
    case Op::Mul:
      if (is_value(b, 1)) return a;
      if (is_value(a, 1)) return b;
      if (!is_open(a, b)) return {};  // −1 · 0 is −0
      if (is_value(a, 0) && facts_[index(b)].finite) return a;
      if (is_value(b, 0) && facts_[index(a)].finite) return b;
      return {};
    case Op::Div:
    case Op::Pow:
      return is_value(b, 1) ? a : ExprId();
    case Op::Min:
    case Op::Max:
      return a == b ? a : ExprId();
    default:
      return {};
  }
}

ExprId Pool::fold_logic(Op op, ExprId a, ExprId b) const {
  if (op != Op::And && op != Op::Or) return {};
  double decisive = op == Op::Or ? 1 : 0;
  if (a == b || is_value(a, decisive)) return a;
  if (is_value(b, decisive)) return b;
  if (is_constant(a)) return b;
  return is_constant(b) ? a : ExprId();
}

ExprId Pool::binary(Op op, ExprId a, ExprId b) {
  CRADLE_ASSERT(arity(op) == 2, "not a binary operator");
  bool logical = is_boolean(op);
  if (is_constant(a) && is_constant(b)) {
    double value = apply(op, constant_value(a), constant_value(b));
    return logical ? boolean(value != 0) : constant(value);
  }
  if (ExprId same = logical ? fold_logic(op, a, b) : fold_arithmetic(op, a, b); same.valid()) {
    return same;
  }
  if (op == Op::Mul && is_value(a, -1)) return unary(Op::Neg, b);
  if (op == Op::Mul && is_value(b, -1)) return unary(Op::Neg, a);
  if (op == Op::Pow && is_value(b, 0) && is_impulse_free(a)) return constant(1);
  return intern({.op = op, .type = logical ? Type::Boolean : Type::Number, .a = a, .b = b});
}

ExprId Pool::fallback(ExprId preferred, ExprId otherwise) {
  if (is_fixed(preferred) || preferred == otherwise) return preferred;
  if ((*this)[preferred].op == Op::Absent) return otherwise;
  return intern(
      {.op = Op::Default, .type = (*this)[otherwise].type, .a = preferred, .b = otherwise});
}

ExprId Pool::when(ExprId value, ExprId condition) {
  const Node& node = (*this)[condition];
  const Type type = (*this)[value].type;
  if ((*this)[value].op == Op::Absent) return value;
  if (node.op == Op::Absent || (node.type == Type::Boolean && is_value(condition, 0))) {
    return leaf(Op::Absent, -1, 0, type);
  }
  if (node.op == Op::Constant || (node.type == Type::Number && is_fixed(condition))) return value;
  return intern({.op = Op::When, .type = type, .a = value, .b = condition});
}

ExprId Pool::conditional(ExprId condition, ExprId then, ExprId otherwise) {
  if (is_constant(condition)) return constant_value(condition) != 0 ? then : otherwise;
  return intern(
      {.op = Op::If, .type = (*this)[then].type, .a = condition, .b = then, .c = otherwise});
}

ExprId Pool::rebuild(const Node& node, ExprId a, ExprId b, ExprId c) {
  switch (arity(node.op)) {
    case 1:
      return unary(node.op, a);
    case 2:
      if (node.op == Op::Default) return fallback(a, b);
      if (node.op == Op::When) return when(a, b);
      return binary(node.op, a, b);
    default:
      return node.op == Op::Integral ? integral(a, b, c) : conditional(a, b, c);
  }
}

ExprId Pool::integral(ExprId from, ExprId to, ExprId integrand) {
  if (from == to || is_value(integrand, 0)) return constant(0);
  return intern({.op = Op::Integral, .a = from, .b = to, .c = integrand});
}

namespace {

// Which nodes a walk has seen. One list of marks serves all walks of a thread, in any pool.
class Walk {
 public:
  explicit Walk(std::size_t nodes) {
    if (marks().size() < nodes) marks().resize(nodes, 0);
    if (++last() == 0) {  // all marks are old ones again
      std::fill(marks().begin(), marks().end(), 0);
      last() = 1;
    }
    mark_ = last();
  }
  bool is_new(ExprId id) {
    uint32_t& mark = marks()[static_cast<std::size_t>(id.index)];
    return std::exchange(mark, mark_) != mark_;
  }

 private:
  static std::vector<uint32_t>& marks() {
    thread_local std::vector<uint32_t> marks;
    return marks;
  }
  static uint32_t& last() {
    thread_local uint32_t last = 0;
    return last;
  }
  uint32_t mark_;
};

}  // namespace

std::vector<ExprId> Pool::below(ExprId e, bool into_pre) const {
  if (arity((*this)[e].op) == 0 && (!into_pre || (*this)[e].op != Op::Pre)) return {e};
  // Kept, since most expressions are short and there are many.
  thread_local std::vector<ExprId> found, open;
  found.clear();
  open.assign(1, e);
  Walk walk(nodes_.size());
  walk.is_new(e);
  auto reach = [&](ExprId id) {
    if (id.valid() && walk.is_new(id)) open.push_back(id);
  };
  while (!open.empty()) {
    ExprId id = open.back();
    open.pop_back();
    found.push_back(id);
    const Node& node = (*this)[id];
    reach(node.a);
    reach(node.b);
    reach(node.c);
    if (into_pre && node.op == Op::Pre) reach(pres_[static_cast<std::size_t>(node.ref)]);
  }
  std::sort(found.begin(), found.end());
  return {found.begin(), found.end()};
}

ExprId Pool::substitute(ExprId e, const std::vector<ExprId>& arguments) {
  return map_leaves(e, [&](ExprId leaf) {
    const Node& node = (*this)[leaf];
    const bool given = node.op == Op::Local && node.ref >= 0 &&
                       static_cast<std::size_t>(node.ref) < arguments.size();
    return given ? arguments[static_cast<std::size_t>(node.ref)] : leaf;
  });
}

namespace {

// What has become of node `id`, whose operands are known by `now`.
template <class Now>
ExprId mapped(Pool& pool, ExprId id, const std::function<ExprId(ExprId)>& leaf, const Now& now) {
  const Node node = pool[id];  // a copy: building may move the nodes
  if (node.op == Op::Pre) {
    const ExprId of = pool.pres()[at(node.ref)];
    const ExprId made = now(of);
    return made != of ? pool.pre(made) : id;
  }
  if (arity(node.op) == 0) return node.ref >= 0 ? leaf(id) : id;
  const ExprId a = now(node.a), b = now(node.b), c = now(node.c);
  return a != node.a || b != node.b || c != node.c ? pool.rebuild(node, a, b, c) : id;
}

}  // namespace

ExprId Pool::map_leaves(ExprId e, const std::function<ExprId(ExprId)>& leaf) {
  const std::vector<ExprId> nodes = below(e, true);
  std::vector<ExprId> made(nodes.size());
  const auto now = [&](ExprId id) {
    if (!id.valid()) return id;
    return made[at(
        static_cast<int32_t>(std::lower_bound(nodes.begin(), nodes.end(), id) - nodes.begin()))];
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) made[i] = mapped(*this, nodes[i], leaf, now);
  return now(e);
}

ExprId Pool::map_leaves(ExprId e, const std::function<ExprId(ExprId)>& leaf,
                        std::unordered_map<ExprId, ExprId>& done) {
  if (auto found = done.find(e); found != done.end()) return found->second;
  auto now = [&done](ExprId id) { return id.valid() ? done.at(id) : id; };
  for (ExprId id : below(e, true)) {
    if (done.contains(id)) continue;
    const ExprId made = mapped(*this, id, leaf, now);
    done.emplace(id, made);
  }
  return done.at(e);
}

std::vector<ExprId> Pool::leaves(ExprId e) const {
  std::vector<ExprId> found = below(e, false);
  std::erase_if(found, [this](ExprId id) {
    Op op = (*this)[id].op;
    return arity(op) > 0 || op == Op::Constant || op == Op::Parameter;
  });
  return found;
}

std::vector<ExprId> Pool::comparisons(ExprId e) const {
  std::vector<ExprId> found = below(e, false);
  std::erase_if(found, [this](ExprId id) { return !is_comparison((*this)[id].op); });
  return found;
}

}  // namespace cradle::expr
