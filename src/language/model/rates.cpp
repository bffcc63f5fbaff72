#include "language/model/rates.hpp"

#include <algorithm>
#include <unordered_set>

namespace cradle::model {

using expr::Op;

namespace {

constexpr int kMaxDepth = 200;
constexpr const char* kTooDeep = "a chain of signals that is too long";

bool is_zero(const expr::Pool& pool, ExprId e) {
  return pool.is_constant(e) && pool.constant_value(e) == 0;
}

}  // namespace

Rate Rates::of(ExprId expr) {
  if (!results_.contains(expr)) begin(expr);
  while (!work_.empty()) {
    if (wait_for_parts()) continue;
    const Work work = std::move(work_.back());
    work_.pop_back();
    results_[work.of] = finish(work);
  }
  Rate rate = results_.at(expr).rate;
  if (rate.expr && is_zero(pool_, *rate.expr)) rate.expr = ExprId();
  return rate;
}

void Rates::begin(ExprId expr) {
  results_[expr].open = true;
  Work work{expr, flowing(expr), {}, 0};
  for (ExprId leaf : pool_.leaves(work.expr)) work.parts.push_back(part_of(leaf));
  work_.push_back(std::move(work));
}

ExprId Rates::flowing(ExprId expr) {
  if (!is_silent_) return expr;
  return pool_.map_leaves(expr, [&](ExprId leaf) {
    return is_silent_(leaf) ? pool_.leaf(Op::Absent, -1, 0, pool_[leaf].type) : leaf;
  });
}

// What the expression on top reads comes first. What is met again while it is open stands in a
// circle.
bool Rates::wait_for_parts() {
  Work& work = work_.back();
  while (work.ready < work.parts.size()) {
    const ExprId through = work.parts[work.ready++].through;
    if (!through.valid() || results_.contains(through)) continue;
    begin(through);
    return true;
  }
  return false;
}

Rates::Result Rates::finish(const Work& work) {
  Result out;
  auto fail = [&](const std::string& why) {
    out.rate = {std::nullopt, why};
    return out;
  };
  std::vector<ExprId> leaves, rates;
  for (const Part& part : work.parts) {
    ExprId rate = part.rate;
    if (part.through.valid()) {
      const Result& read = results_.at(part.through);
      if (read.open) return fail(kTooDeep);
      if (!read.rate.expr) return fail(read.rate.obstacle);
      out.depth = std::max(out.depth, read.depth + 1);
      rate = *read.rate.expr;
    }
    if (!rate.valid()) return fail(part.obstacle);
    if (out.depth >= kMaxDepth) return fail(kTooDeep);
    if (is_zero(pool_, rate)) continue;
    leaves.push_back(part.leaf);
    rates.push_back(rate);
  }
  const std::vector<ExprId> partials = pool_.gradient(work.expr, leaves);
  ExprId sum = pool_.constant(0);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    sum = pool_.binary(Op::Add, sum, pool_.binary(Op::Mul, partials[i], rates[i]));
  }
  out.rate.expr = sum;
  return out;
}

Rates::Part Rates::part_of(ExprId leaf) {
  const expr::Node node = pool_[leaf];
  Part part{leaf, {}, {}, {}};
  switch (node.op) {
    case Op::Time:
      part.rate = pool_.constant(1);
      break;
    case Op::Phase:
      part.rate =
          pool_.binary(Op::Div, pool_.constant(1), model_.clocks[ClockId(at(node.ref))].period);
      break;
    case Op::State:
      part.rate = state_rate(StateId(at(node.ref)));
      break;
    case Op::Signal:
      part.through = model_.signals[SignalId(at(node.ref))].value;
      break;
    case Op::Effort:
    case Op::Flow:
      if (powers_ == Powers::Held) {
        part.rate = pool_.constant(0);
      } else {
        find_power(node.op, BondId(at(node.ref)), part);
      }
      break;
    default:
      part.rate = pool_.constant(0);
      break;
  }
  return part;
}

ExprId Rates::state_rate(StateId id) {
  const State& state = model_.states[id];
  if (!state.element.valid()) {
    return powers_ == Powers::Followed && may_be_absent(state.rate)
               ? pool_.fallback(state.rate, pool_.constant(0))
               : state.rate;
  }
  const Element& element = model_.elements[state.element];
  const BondId bond = element.ports[at(state.port)].bond;
  const bool momentum = elements::definition(element.kind).storage == elements::Storage::Momentum;
  return pool_.leaf(momentum ? Op::Effort : Op::Flow, bond.index);
}

bool Rates::may_be_absent(ExprId expr) const {
  std::unordered_set<ExprId> seen{expr};
  for (std::vector<ExprId> open{expr}; !open.empty();) {
    const std::vector<ExprId> nodes = pool_.below(open.back());
    open.pop_back();
    for (ExprId id : nodes) {
      const expr::Node& node = pool_[id];
      const bool event = node.op == Op::Memory && !model_.memories[MemoryId(at(node.ref))].lasts();
      if (event || node.op == Op::When || node.op == Op::Absent || node.op == Op::Choice ||
          node.op == Op::Output) {
        return true;
      }
      if (node.op != Op::Signal) continue;
      const ExprId value = model_.signals[SignalId(at(node.ref))].value;
      if (value.valid() && seen.insert(value).second) open.push_back(value);
    }
  }
  return false;
}

void Rates::find_power(Op op, BondId bond, Part& part) {
  std::optional<ExprId> through = given(op, bond);
  if (!through && powers_ != Powers::Differentiated) through = summed(op, bond);
  if (through) {
    part.through = *through;
  } else {
    part.obstacle =
        (op == Op::Effort ? "the effort of " : "the flow of ") + model_.bonds[bond].name;
  }
}

// An effort or flow that a store's law or a source gives at one end of the bond, or at another bond
// that shares it.
std::optional<ExprId> Rates::given(Op op, BondId bond) {
  std::optional<ExprId> out = given(op, bond, false);
  if (!out && powers_ == Powers::Followed) out = given(op, bond, true);
  return out;
}

std::optional<ExprId> Rates::given(Op op, BondId bond, bool by_resistors) {
  for (BondId same : sharing(op, bond)) {
    const Bond& b = model_.bonds[same];
    for (const End& end : {b.from, b.to}) {
      if (!end.element.valid()) continue;
      if (std::optional<ExprId> law = given_by(op, end, by_resistors)) return law;
    }
  }
  return std::nullopt;
}

// The one that is left at a junction that sums what is given at all its other bonds: the flow of
// what stands between two masses.
std::optional<ExprId> Rates::summed(Op op, BondId bond) {
  const Bond& b = model_.bonds[bond];
  for (const End& end : {b.from, b.to}) {
    if (!end.junction.valid()) continue;
    const Junction& junction = model_.junctions[end.junction];
    const bool shares = (junction.kind == Junction::Kind::Zero) == (op == Op::Effort);
    if (shares || junction.automaton.valid()) continue;
    ExprId sum = pool_.constant(0);
    bool inward = false, known = true;
    for (const BondEnd& other : junction.bonds) {
      if (other.bond == bond) {
        inward = other.inward;
        continue;
      }
      const std::optional<ExprId> part = given(op, other.bond);
      known = known && part;
      if (!known) break;
      sum = pool_.binary(other.inward ? Op::Add : Op::Sub, sum, *part);
    }
    if (known) return inward ? pool_.unary(Op::Neg, sum) : sum;
  }
  return std::nullopt;
}

std::vector<BondId> Rates::sharing(Op op, BondId bond) const {
  std::vector<BondId> out{bond};
  const Bond& b = model_.bonds[bond];
  for (const End& end : {b.from, b.to}) {
    if (!end.junction.valid()) continue;
    const Junction& junction = model_.junctions[end.junction];
    bool shares = (junction.kind == Junction::Kind::Zero) == (op == Op::Effort);
    if (!shares || junction.automaton.valid()) continue;
    for (const BondEnd& other : junction.bonds) out.push_back(other.bond);
  }
  return out;
}

std::optional<ExprId> Rates::given_by(Op op, const End& end, bool by_resistors) {
  const Element& element = model_.elements[end.element];
  const auto& definition = elements::definition(element.kind);
  const auto wanted = op == Op::Effort ? elements::Variable::Effort : elements::Variable::Flow;
  for (const elements::Relation& relation :
       definition.flow(static_cast<int>(element.ports.size()), element.law_of_effort)) {
    if (relation.left.size() != 1 || relation.left[0].variable != wanted ||
        relation.left[0].port != end.port) {
      continue;
    }
    if (relation.right == elements::Right::PowerLaw && by_resistors) {
      const Op argument = relation.argument == elements::Variable::Effort ? Op::Effort : Op::Flow;
      return pool_.substitute(element.laws[at(relation.port)],
                              {pool_.leaf(argument, element.ports[at(relation.port)].bond.index)});
    }
    if (relation.right == elements::Right::Source) return element.signal;
    if (relation.right == elements::Right::StateLaw) {
      std::vector<ExprId> arguments;
      for (StateId state : element.states) {
        arguments.push_back(pool_.leaf(Op::State, state.index));
      }
      return pool_.substitute(element.laws[at(relation.port)], arguments);
    }
  }
  return std::nullopt;
}

}  // namespace cradle::model
