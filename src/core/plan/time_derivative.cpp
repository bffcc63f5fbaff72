// The rate of a source that drives dependent stores: ṡ in ℓ(N L y + ṡ) = 0 (semantics, section 4).
//
//   d/dt e = Σ ∂e/∂leaf · d/dt leaf
//   time → 1      p → e of its bond      q → f of its bond      an integral → its rate
//   f of an inertia, e of a capacitance → its law, differentiated
//   e or f shared at a junction with such a store or with a source → the same
//   pre, counts, modes, frozen relations → 0

#include <unordered_map>

#include "core/plan/system.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

class Differentiator {
 public:
  Differentiator(const Plan& system, std::string& obstacle)
      : model_(system.model()), pool_(model_.pool), obstacle_(obstacle) {}

  std::optional<ExprId> run(ExprId expr) {
    if (++depth_ > kMaxDepth) return fail("a chain of signals that is too long");
    ExprId sum = pool_.constant(0);
    for (ExprId leaf : pool_.leaves(expr)) {
      const expr::Node node = pool_[leaf];
      std::optional<ExprId> rate = leaf_rate(node);
      if (!rate) return std::nullopt;
      if (pool_.is_constant(*rate) && pool_.constant_value(*rate) == 0) continue;
      ExprId partial = pool_.derivative(expr, node.op, node.ref);
      sum = pool_.binary(Op::Add, sum, pool_.binary(Op::Mul, partial, *rate));
    }
    --depth_;
    return sum;
  }

 private:
  static constexpr int kMaxDepth = 200;

  std::optional<ExprId> fail(std::string why) {
    if (obstacle_.empty()) obstacle_ = std::move(why);
    return std::nullopt;
  }

  std::optional<ExprId> leaf_rate(const expr::Node& node) {
    const auto ref = static_cast<std::size_t>(node.ref);
    switch (node.op) {
      case Op::Time:
        return pool_.constant(1);
      case Op::Phase:
        return pool_.constant(1 / model_.clocks[ClockId(ref)].period);
      case Op::State:
        return state_rate(StateId(ref));
      case Op::Signal:
        return run(model_.signals[SignalId(ref)].value);
      case Op::Effort:
        return power_rate(Op::Effort, BondId(ref));
      case Op::Flow:
        return power_rate(Op::Flow, BondId(ref));
      default:
        return pool_.constant(0);
    }
  }

  std::optional<ExprId> state_rate(StateId id) {
    const model::State& state = model_.states[id];
    if (!state.element.valid()) return state.rate;
    const model::Element& element = model_.elements[state.element];
    BondId bond = element.ports[static_cast<std::size_t>(state.port)].bond;
    bool momentum = elements::definition(element.kind).storage == elements::Storage::Momentum;
    return pool_.leaf(momentum ? Op::Effort : Op::Flow, bond.index);
  }

  // Of an effort or flow that a store's law or a source gives at one end of the bond, or at another
  // bond that shares it.
  std::optional<ExprId> power_rate(Op op, BondId bond) {
    for (BondId same : sharing(op, bond)) {
      const model::Bond& b = model_.bonds[same];
      for (const model::End& end : {b.from, b.to}) {
        if (!end.element.valid()) continue;
        if (std::optional<ExprId> given = given_by(op, end)) return run(*given);
      }
    }
    return fail((op == Op::Effort ? "the effort of " : "the flow of ") + model_.bonds[bond].name);
  }

  std::vector<BondId> sharing(Op op, BondId bond) const {
    std::vector<BondId> out{bond};
    const model::Bond& b = model_.bonds[bond];
    for (const model::End& end : {b.from, b.to}) {
      if (!end.junction.valid()) continue;
      const model::Junction& junction = model_.junctions[end.junction];
      bool shares = (junction.kind == model::Junction::Kind::Zero) == (op == Op::Effort);
      if (!shares || junction.automaton.valid()) continue;
      for (const model::BondEnd& other : junction.bonds) out.push_back(other.bond);
    }
    return out;
  }

  std::optional<ExprId> given_by(Op op, const model::End& end) {
    const model::Element& element = model_.elements[end.element];
    const auto& definition = elements::definition(element.kind);
    const auto wanted = op == Op::Effort ? elements::Variable::Effort : elements::Variable::Flow;
    for (const elements::Relation& relation :
         definition.flow(static_cast<int>(element.ports.size()), element.law_of_effort)) {
      if (relation.left.size() != 1 || relation.left[0].variable != wanted ||
          relation.left[0].port != end.port) {
        continue;
      }
      if (relation.right == elements::Right::Source) return element.signal;
      if (relation.right == elements::Right::StateLaw) {
        std::vector<ExprId> arguments;
        for (StateId state : element.states) {
          arguments.push_back(pool_.leaf(Op::State, state.index));
        }
        return pool_.substitute(element.laws[static_cast<std::size_t>(relation.port)], arguments);
      }
    }
    return std::nullopt;
  }

  const model::Model& model_;
  expr::Pool& pool_;
  std::string& obstacle_;
  int depth_ = 0;
};

}  // namespace

std::optional<ExprId> Plan::time_derivative(ExprId expr, std::string& obstacle) const {
  return Differentiator(*this, obstacle).run(expr);
}

}  // namespace cradle::plan
