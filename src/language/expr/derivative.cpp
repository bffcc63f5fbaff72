// Symbolic differentiation, forward over the shared graph: every node below e is differentiated
// once, so the cost and the size of the result are linear in the number of distinct nodes.
// A derivative that is zero by structure is an invalid id, so nothing is ever multiplied by it.

#include <map>
#include <numbers>

#include "language/expr/pool.hpp"

// An operator without a derivative does not compile.
#pragma GCC diagnostic error "-Wswitch"

namespace cradle::expr {
namespace {

class Differentiator {
 public:
  explicit Differentiator(Pool& pool) : pool_(pool) {}

  // y: the node itself; da, db, dc: derivatives of its operands.
  ExprId rule(ExprId y, const Node& node, ExprId da, ExprId db, ExprId dc) {
    if (!da.valid() && !db.valid() && !dc.valid()) return {};
    switch (node.op) {
      case Op::Neg:
        return neg(da);
      case Op::Add:
        return add(da, db);
      case Op::Sub:
        return sub(da, db);
      case Op::Mul:
        return add(mul(da, node.b), mul(node.a, db));
      case Op::Div:
        return div(sub(da, mul(y, db)), node.b);
      case Op::Pow:
        return power(y, node.a, node.b, da, db);
      case Op::Abs:
        return choose(less(node.a, constant(0)), neg(da), da);
      case Op::Min:
        return choose(less(node.b, node.a), db, da);
      case Op::Max:
        return choose(less(node.a, node.b), db, da);
      case Op::Mod:
        return sub(da, mul(pool_.unary(Op::Floor, div(node.a, node.b)), db));
      case Op::Atan2:
        return div(sub(mul(da, node.b), mul(node.a, db)), add(square(node.a), square(node.b)));
      case Op::Hypot:
        return div(add(mul(node.a, da), mul(node.b, db)), y);
      case Op::FiniteOf:
        return da;
      case Op::If:
        return choose(node.a, db, dc);
      case Op::Default:
        return choose(pool_.unary(Op::IsPresent, node.a), da, db);
      case Op::When:
        return pool_.when(da, node.b);
      case Op::Sqrt:
      case Op::Exp:
      case Op::Log:
      case Op::Log10:
      case Op::Sin:
      case Op::Cos:
      case Op::Tan:
      case Op::Asin:
      case Op::Acos:
      case Op::Atan:
      case Op::Sinh:
      case Op::Cosh:
      case Op::Tanh:
        return function(y, node, da);
      // Steps and booleans.
      case Op::Floor:
      case Op::Ceil:
      case Op::Sign:
      case Op::ImpulseOf:
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal:
      case Op::NotEqual:
      case Op::And:
      case Op::Or:
      case Op::Not:
      case Op::IsPresent:
        return {};
      // Leaves have no operands; an integral is never differentiated.
      case Op::Constant:
      case Op::Parameter:
      case Op::Input:
      case Op::Omega:
      case Op::Time:
      case Op::Local:
      case Op::Effort:
      case Op::Flow:
      case Op::State:
      case Op::Signal:
      case Op::InMode:
      case Op::Active:
      case Op::Pre:
      case Op::Phase:
      case Op::Count:
      case Op::Absent:
      case Op::Memory:
      case Op::Choice:
      case Op::Output:
      case Op::Variable:
      case Op::Integral:
        return {};
    }
    return {};
  }

 private:
  // Functions of one argument, by the chain rule.
  ExprId function(ExprId y, const Node& node, ExprId da) {
    ExprId a = node.a, one = constant(1);
    switch (node.op) {
      case Op::Sqrt:
        return div(da, mul(constant(2), y));
      case Op::Exp:
        return mul(y, da);
      case Op::Log:
        return div(da, a);
      case Op::Log10:
        return div(da, mul(constant(std::numbers::ln10), a));
      case Op::Sin:
        return mul(pool_.unary(Op::Cos, a), da);
      case Op::Cos:
        return neg(mul(pool_.unary(Op::Sin, a), da));
      case Op::Tan:
        return mul(add(one, square(y)), da);
      case Op::Asin:
        return div(da, pool_.unary(Op::Sqrt, sub(one, square(a))));
      case Op::Acos:
        return neg(div(da, pool_.unary(Op::Sqrt, sub(one, square(a)))));
      case Op::Atan:
        return div(da, add(one, square(a)));
      case Op::Sinh:
        return mul(pool_.unary(Op::Cosh, a), da);
      case Op::Cosh:
        return mul(pool_.unary(Op::Sinh, a), da);
      case Op::Tanh:
        return mul(sub(one, square(y)), da);
      default:
        return {};
    }
  }

  // b·a^(b−1)·da + a^b·log(a)·db
  ExprId power(ExprId y, ExprId a, ExprId b, ExprId da, ExprId db) {
    ExprId by_base, by_exponent;
    if (da.valid()) {
      ExprId lower = pool_.binary(Op::Pow, a, sub(b, constant(1)));
      by_base = mul(mul(b, lower), da);
    }
    if (db.valid()) by_exponent = mul(mul(y, pool_.unary(Op::Log, a)), db);
    return add(by_base, by_exponent);
  }

  ExprId constant(double value) { return pool_.constant(value); }
  ExprId less(ExprId a, ExprId b) { return pool_.binary(Op::Less, a, b); }
  ExprId square(ExprId a) { return mul(a, a); }
  ExprId neg(ExprId a) { return a.valid() ? pool_.unary(Op::Neg, a) : a; }
  ExprId add(ExprId a, ExprId b) {
    if (!a.valid()) return b;
    return b.valid() ? pool_.binary(Op::Add, a, b) : a;
  }
  ExprId sub(ExprId a, ExprId b) {
    if (!b.valid()) return a;
    return a.valid() ? pool_.binary(Op::Sub, a, b) : neg(b);
  }
  ExprId mul(ExprId a, ExprId b) {
    return a.valid() && b.valid() ? pool_.binary(Op::Mul, a, b) : ExprId();
  }
  ExprId div(ExprId a, ExprId b) { return a.valid() ? pool_.binary(Op::Div, a, b) : a; }
  ExprId choose(ExprId condition, ExprId then, ExprId otherwise) {
    if (then == otherwise) return then;
    auto some = [this](ExprId id) { return id.valid() ? id : constant(0); };
    return pool_.conditional(condition, some(then), some(otherwise));
  }

  Pool& pool_;
};

// By the place of a leaf in the list that is asked for; without those that are zero.
using Partials = std::map<std::size_t, ExprId>;

// The partial derivatives of all nodes below one, operands first. Those of a node are given up to
// the last node that reads it, so that a sum of many terms costs no more than its terms do.
class Gradient {
 public:
  explicit Gradient(Pool& pool) : pool_(pool), differentiator_(pool) {}

  Partials run(ExprId e, std::span<const ExprId> leaves) {
    const std::vector<ExprId> nodes = pool_.below(e, false);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (pool_[leaves[i]].type == Type::Number) of_[leaves[i]] = {{i, pool_.constant(1)}};
    }
    for (ExprId id : nodes) {
      const Node& node = pool_[id];
      for (ExprId operand : {node.a, node.b, node.c}) ++readers_[operand];
    }
    for (ExprId id : nodes) {
      const Node node = pool_[id];  // a copy: building may move the nodes
      if (arity(node.op) == 0) continue;
      Partials own = combine(id, node);
      for (ExprId operand : {node.a, node.b, node.c}) {
        if (--readers_[operand] == 0) of_.erase(operand);
      }
      if (!own.empty()) of_.emplace(id, std::move(own));
    }
    return take(e);
  }

 private:
  Partials* find(ExprId id) {
    const auto found = of_.find(id);
    return found == of_.end() ? nullptr : &found->second;
  }
  Partials take(ExprId id) {
    Partials* found = find(id);
    return found == nullptr ? Partials() : std::move(*found);
  }

  Partials combine(ExprId id, const Node& node) {
    // d(a ± b) is da by all that b does not read, and of a sum db by all that a does not read.
    const bool sum = node.op == Op::Add;
    if ((sum || node.op == Op::Sub) && node.a != node.b) {
      if (readers_[node.a] == 1) return add_to(take(node.a), id, node, node.b);
      if (sum && readers_[node.b] == 1) return add_to(take(node.b), id, node, node.a);
    }
    Partials own;
    for (ExprId operand : {node.a, node.b, node.c}) {
      const Partials* partials = find(operand);
      if (partials == nullptr) continue;
      for (const auto& [leaf, d] : *partials) own.try_emplace(leaf);
    }
    apply(id, node, own);
    std::erase_if(own, [](const auto& item) { return !item.second.valid(); });
    return own;
  }

  // What one operand of a sum has got, and by what the other one reads too, the sum of both.
  Partials add_to(Partials kept, ExprId id, const Node& node, ExprId other) {
    const Partials* partials = find(other);
    if (partials == nullptr) return kept;
    const bool left = other == node.b;  // is kept
    for (const auto& [leaf, d] : *partials) {
      ExprId& own = kept[leaf];
      own = left ? differentiator_.rule(id, node, own, d, {})
                 : differentiator_.rule(id, node, d, own, {});
    }
    return kept;
  }

  void apply(ExprId id, const Node& node, Partials& own) {
    const Partials* a = find(node.a);
    const Partials* b = find(node.b);
    const Partials* c = find(node.c);
    auto by = [](const Partials* partials, std::size_t leaf) {
      if (partials == nullptr) return ExprId();
      const auto found = partials->find(leaf);
      return found == partials->end() ? ExprId() : found->second;
    };
    for (auto& [leaf, d] : own) {
      d = differentiator_.rule(id, node, by(a, leaf), by(b, leaf), by(c, leaf));
    }
  }

  Pool& pool_;
  Differentiator differentiator_;
  std::unordered_map<ExprId, Partials> of_;
  std::unordered_map<ExprId, int> readers_;  // operands that have not been taken up
};

}  // namespace

std::vector<ExprId> Pool::gradient(ExprId e, std::span<const ExprId> leaves) {
  std::vector<ExprId> out(leaves.size());
  for (const auto& [leaf, d] : Gradient(*this).run(e, leaves)) out[leaf] = d;
  for (ExprId& d : out) {
    if (!d.valid()) d = constant(0);
  }
  return out;
}

ExprId Pool::derivative(ExprId e, Op leaf_op, int32_t ref) {
  Differentiator differentiator(*this);
  std::unordered_map<ExprId, ExprId> done;  // without those that are zero
  auto of = [&done](ExprId id) {
    auto found = done.find(id);
    return found == done.end() ? ExprId() : found->second;
  };
  for (ExprId id : below(e, false)) {
    const Node node = (*this)[id];  // a copy: building may move the nodes
    ExprId d;
    if (arity(node.op) > 0) {
      d = differentiator.rule(id, node, of(node.a), of(node.b), of(node.c));
    } else if (node.op == leaf_op && node.ref == ref && node.type == Type::Number) {
      d = constant(1);
    }
    if (d.valid()) done.emplace(id, d);
  }
  ExprId result = of(e);
  return result.valid() ? result : constant(0);
}

}  // namespace cradle::expr
