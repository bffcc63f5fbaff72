#include "core/engine/flow_code.hpp"

#include "base/basics/assert.hpp"
#include "core/plan/mode_cache.hpp"

namespace cradle::engine {

using expr::Op;

namespace {

// What is frozen while time flows.
struct FrozenSlots {
  FlowEvaluator& flow;
  const Runtime& runtime;

  double leaf(Op op, int32_t ref, int32_t part) const { return flow.leaf(op, ref, part); }
  bool truth(int32_t relation) const { return runtime.state.truth[at(relation)]; }
  bool is_kept(int32_t relation) const { return flow.is_kept(RelationId(at(relation))); }
  bool lives(int32_t region) const { return runtime.is_active(RegionId(at(region))); }
  double period_begin(int32_t clock) const {
    return runtime.period_begin(ClockId(at(clock)), runtime.state.clock_count[at(clock)]);
  }
};

// Time and states; `State` gives these by the part of the instruction.
template <class Scalar, class State>
struct MotionSlots {
  Scalar time;
  State state;

  Scalar leaf(Op op, int32_t, int32_t part) const {
    return op == Op::Time ? time : state(static_cast<std::size_t>(part));
  }
  static bool truth(int32_t) { return false; }  // is frozen before
};
template <class Scalar, class State>
MotionSlots(Scalar, State) -> MotionSlots<Scalar, State>;

// t as a function of u.
solve::Jet time_on(double a, double b, solve::Gap::Where where) {
  using solve::Interval;
  solve::Jet out;
  const double middle = 0.5 * a + 0.5 * b;
  out.c[0] = where == solve::Gap::Where::Whole ? Interval{a, b}
             : a == b                          ? Interval::at(a)
                                               : solve::widened(middle, middle);
  out.c[1] = 0.5 * (Interval::at(b) - Interval::at(a));
  out.degree = a == b ? 0 : 1;
  return out;
}

solve::Jet state_on(const solve::Solver& dense, int component, double a, double b) {
  using solve::Interval;
  solve::Solver::PowerSeries c;
  const int degree = dense.power_series(component, c);
  const double half = 0.5 * a + 0.5 * b;
  const Interval middle = a == b ? Interval::at(a) : solve::widened(half, half);
  const Interval begin = Interval::at(dense.begin());
  const Interval length = Interval::at(dense.end()) - begin;
  const Interval centre = (middle - begin) / length;
  const Interval radius = 0.5 * (Interval::at(b) - Interval::at(a)) / length;
  return solve::polynomial_at(std::span<const Interval>(c).first(at(degree + 1)), centre,
                              radius.magnitude());
}

}  // namespace

namespace {

plan::IslandOfCell islands_of(const Runtime& runtime) {
  return
      [&runtime](CellId cell) -> const Island& { return *runtime.slot_of_cell[at(cell)]->island; };
}

std::size_t limit_of(const Runtime& runtime) {
  return static_cast<std::size_t>(runtime.options.mode_cache_bytes);
}

}  // namespace

FlowCode::FlowCode(const Runtime& runtime, std::shared_ptr<const plan::ModeCode> code, bool proves)
    : code_(std::move(code)), registers_(at(code_->registers)) {
  for (StateId id : code_->states) {
    inputs_.push_back({runtime.component_of_state[at(id)], runtime.cluster_of(id).solver.get()});
  }
  const MotionSlots none{0.0, [](std::size_t) { return 0.0; }};
  execute(registers_, 0, code_->constants, none);
  if (!proves) return;
  for (double value : registers_) jets_.push_back(solve::Jet::constant(value));
}

void FlowCode::refresh(FlowEvaluator& flow, const Runtime& runtime) {
  const FrozenSlots slots{flow, runtime};
  execute(registers_, code_->constants, code_->frozen, slots);
}

void FlowCode::run(double t, std::span<const double> x, std::span<double> results) {
  const MotionSlots inputs{t, [&](std::size_t i) { return x[at(inputs_[i].component)]; }};
  execute(registers_, code_->frozen, code_->list.size(), inputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = registers_[at(code_->results[i])];
  }
}

double FlowCode::run(double t) {
  const MotionSlots inputs{
      t, [&](std::size_t i) { return inputs_[i].dense->interpolate(t, inputs_[i].component); }};
  execute(registers_, code_->frozen, code_->list.size(), inputs);
  return registers_[at(code_->results[0])];
}

void FlowCode::expand(double a, double b, solve::Gap::Where where, solve::Jet& out) {
  CRADLE_ASSERT(!jets_.empty(), "an expression, and not rates");
  for (std::size_t i = code_->constants; i < code_->frozen; ++i) {
    const auto r = at(code_->list[i].target);
    jets_[r] = solve::Jet::constant(registers_[r]);
  }
  const MotionSlots inputs{
      time_on(a, b, where), [&](std::size_t i) {
        const solve::Jet jet = state_on(*inputs_[i].dense, inputs_[i].component, a, b);
        return where == solve::Gap::Where::Whole ? solve::over_interval(jet) : jet;
      }};
  execute(jets_, code_->frozen, code_->list.size(), inputs);
  out = jets_[at(code_->results[0])];
}

std::shared_ptr<const plan::ModeCode> find_rates(const Runtime& runtime, const Cluster& cluster) {
  std::vector<int32_t> key{plan::ModeCache::kRates};
  key.insert(key.end(), cluster.key.begin(), cluster.key.end());
  const auto make = [&] {
    std::vector<const Island*> islands;
    for (const auto& slot : cluster.slots) islands.push_back(slot->island.get());
    return plan::code_of_rates(runtime.system, cluster.units, islands, cluster.integrals,
                               islands_of(runtime));
  };
  return runtime.system.modes().find_code(std::move(key), make, limit_of(runtime));
}

std::shared_ptr<const plan::ModeCode> find_gap(const Runtime& runtime, RelationId id,
                                               plan::Reader reader) {
  const plan::Relation& relation = runtime.system.relations()[id];
  std::vector<int32_t> key{plan::ModeCache::kGap, id.index, static_cast<int32_t>(reader)};
  const Cluster* last = nullptr;
  for (UnitId unit : relation.units) {
    const Cluster* cluster = runtime.cluster_of_unit[at(unit)];
    if (cluster == last) continue;
    last = cluster;
    key.push_back(INT32_MIN);  // begins a cluster
    key.insert(key.end(), cluster->key.begin(), cluster->key.end());
  }
  const auto make = [&] {
    return plan::code_of_expression(runtime.system, relation.gap_expr, reader, islands_of(runtime));
  };
  return runtime.system.modes().find_code(std::move(key), make, limit_of(runtime));
}

std::size_t FlowCode::bytes() const {
  return sizeof *this + code_->bytes() + registers_.size() * sizeof(double) +
         inputs_.size() * sizeof(Input) + jets_.capacity() * sizeof(solve::Jet);
}

}  // namespace cradle::engine
