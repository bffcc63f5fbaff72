// Symbolic differentiation, forward over the shared graph: every node below e is differentiated
// once, so the cost and the size of the result are linear in the number of distinct nodes.

#include <algorithm>
#include <map>

#include "language/expr/derivative_rules.hpp"

namespace cradle::expr {
namespace {

// Terms are expressions.
struct PoolBuilder {
  using Term = ExprId;
  Pool& pool;

  ExprId constant(double value) const { return pool.constant(value); }
  ExprId unary(Op op, ExprId a) const { return pool.unary(op, a); }
  ExprId binary(Op op, ExprId a, ExprId b) const { return pool.binary(op, a, b); }
  ExprId conditional(ExprId condition, ExprId a, ExprId b) const {
    return pool.conditional(condition, a, b);
  }
  ExprId when(ExprId a, ExprId condition) const { return pool.when(a, condition); }
};

class Differentiator {
 public:
  explicit Differentiator(Pool& pool) : rules_(PoolBuilder{pool}) {}
  ExprId rule(ExprId y, const Node& node, ExprId da, ExprId db, ExprId dc) {
    return rules_({node.op, y, node.a, node.b, node.c}, da, db, dc);
  }

 private:
  DerivativeRules<PoolBuilder> rules_;
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

std::size_t place_in(const std::vector<ExprId>& nodes, ExprId id) {
  return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), id) - nodes.begin());
}

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
  const std::vector<ExprId> nodes = below(e, false);
  std::vector<ExprId> done(nodes.size());  // invalid: zero
  auto of = [&](ExprId id) { return id.valid() ? done[place_in(nodes, id)] : id; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node node = (*this)[nodes[i]];  // a copy: building may move the nodes
    if (arity(node.op) > 0) {
      done[i] = differentiator.rule(nodes[i], node, of(node.a), of(node.b), of(node.c));
    } else if (node.op == leaf_op && node.ref == ref && node.type == Type::Number) {
      done[i] = constant(1);
    }
  }
  ExprId result = of(e);
  return result.valid() ? result : constant(0);
}

}  // namespace cradle::expr
