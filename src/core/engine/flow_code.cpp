#include "core/engine/flow_code.hpp"

#include <algorithm>
#include <numeric>

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
  bool truth(int32_t comparison) const { return runtime.state.truth[at(comparison)]; }
  bool is_kept(int32_t comparison) const { return flow.is_kept(ComparisonId(at(comparison))); }
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

void state_on(const solve::Solver& dense, int component, double a, double b, solve::Where where,
              solve::Jet& out) {
  using solve::Interval;
  solve::Solver::PowerSeries p;
  dense.power_series(component, p);
  const auto terms = at(p.degree + 1);
  const double half = 0.5 * a + 0.5 * b;
  const Interval middle = a == b ? Interval::at(a) : solve::widened(half, half);
  const Interval unit = Interval::at(p.unit);
  const Interval centre = (middle - Interval::at(dense.begin())) / unit;
  const Interval radius = 0.5 * (Interval::at(b) - Interval::at(a)) / unit;
  solve::expand_polynomial(std::span(p.c).first(terms), std::span(p.worth).first(terms), centre,
                           radius.magnitude(), where, out);
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

plan::Heat::When when_hot(const Options& options) {
  return options.code == CodeKind::Interpreted ? plan::Heat::When::Never
         : options.code == CodeKind::Machine   ? plan::Heat::When::AtOnce
                                               : plan::Heat::When::Often;
}

}  // namespace

FlowCode::FlowCode(const Runtime& runtime, std::shared_ptr<const plan::ModeCode> code, bool proves)
    : code_(std::move(code)), registers_(at(code_->registers)), heat_(when_hot(runtime.options)) {
  for (StateId id : code_->states) {
    inputs_.push_back({runtime.component_of_state[at(id)], runtime.cluster_of(id).solver.get()});
    components_.push_back(inputs_.back().component);
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

bool FlowCode::is_sound() const { return code_->sound < 0 || registers_[at(code_->sound)] != 0; }

const machine::Program* FlowCode::find(Fast& fast, std::span<const int> components) {
  if (fast.asked || !heat_.rises()) return fast.program;
  fast.asked = true;
  return fast.program = code_->compiled->of_motion(*code_, components);
}

// What an expression reads stands one after the other.
const machine::Program* FlowCode::find_on_dense_output() {
  if (on_dense_output_.asked || !heat_.rises()) return on_dense_output_.program;
  std::vector<int> parts(inputs_.size());
  std::iota(parts.begin(), parts.end(), 0);
  dense_.resize(parts.size());
  return find(on_dense_output_, parts);
}

bool FlowCode::run(double t, std::span<const double> x, std::span<double> results) {
  CRADLE_ASSERT(results.size() == code_->results.size(), "all results");
  if (const machine::Program* fast = find(on_states_, components_)) {
    double* states = const_cast<double*>(x.data());  // which are only read
    fast->run(registers_.data(), states, results.data(), &t);
    return is_sound();
  }
  const MotionSlots inputs{t, [&](std::size_t i) { return x[at(components_[i])]; }};
  execute(registers_, code_->frozen, code_->list.size(), inputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = registers_[at(code_->results[i])];
  }
  return is_sound();
}

std::optional<double> FlowCode::run(double t) {
  if (const machine::Program* fast = find_on_dense_output()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      dense_[i] = inputs_[i].dense->interpolate(t, inputs_[i].component);
    }
    double result = 0;
    fast->run(registers_.data(), dense_.data(), &result, &t);
    return is_sound() ? std::optional(result) : std::nullopt;
  }
  const MotionSlots inputs{
      t, [&](std::size_t i) { return inputs_[i].dense->interpolate(t, inputs_[i].component); }};
  execute(registers_, code_->frozen, code_->list.size(), inputs);
  return is_sound() ? std::optional(registers_[at(code_->results[0])]) : std::nullopt;
}

void FlowCode::expand(double a, double b, solve::Gap::Where where, solve::Jet& out) {
  CRADLE_ASSERT(!jets_.empty(), "an expression, and not rates");
  for (std::size_t i = code_->constants; i < code_->frozen; ++i) {
    const auto r = at(code_->list[i].target);
    jets_[r] = solve::Jet::constant(registers_[r]);
  }
  const MotionSlots inputs{time_on(a, b, where), [&](std::size_t i) {
                             solve::Jet jet;
                             state_on(*inputs_[i].dense, inputs_[i].component, a, b, where, jet);
                             return jet;
                           }};
  execute(jets_, code_->frozen, code_->checks, inputs);
  out = jets_[at(code_->results[0])];
}

namespace {

// Column by column, each with its diagonal; `places`: where each entry stands.
solve::Pattern pattern_of(std::span<const plan::Jacobian::Entry> entries,
                          std::span<const int> columns, int dimension, std::vector<int>& places) {
  struct Item {
    int column, row, entry;  // entry: −1 for a diagonal
    auto operator<=>(const Item&) const = default;
  };
  std::vector<Item> items;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    items.push_back({columns[k], entries[k].row, static_cast<int>(k)});
  }
  for (int i = 0; i < dimension; ++i) items.push_back({i, i, -1});
  std::sort(items.begin(), items.end());
  solve::Pattern out;
  out.begins.assign(at(dimension) + 1, 0);
  places.assign(entries.size(), -1);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool same =
        i > 0 && items[i - 1].column == items[i].column && items[i - 1].row == items[i].row;
    if (!same) {
      out.rows.push_back(items[i].row);
      ++out.begins[at(items[i].column) + 1];
    }
    if (items[i].entry >= 0) places[at(items[i].entry)] = static_cast<int>(out.rows.size()) - 1;
  }
  for (int i = 0; i < dimension; ++i) out.begins[at(i) + 1] += out.begins[at(i)];
  return out;
}

}  // namespace

std::unique_ptr<JacobianCode> JacobianCode::make(const Runtime& runtime, const Cluster& cluster) {
  // Of each register by so many states, on average, and of small ones by any number.
  constexpr std::size_t kMost = 64, kFew = 1u << 16;
  const plan::ModeCode& rates = cluster.rates->code();
  plan::Jacobian jacobian = plan::jacobian_of(rates, kMost * rates.list.size() + kFew);
  if (jacobian.entries.empty()) return nullptr;
  return std::make_unique<JacobianCode>(runtime, std::move(jacobian),
                                        static_cast<int>(cluster.states.size()));
}

JacobianCode::JacobianCode(const Runtime& runtime, plan::Jacobian jacobian, int dimension)
    : code_(runtime, std::make_shared<const plan::ModeCode>(std::move(jacobian.code)), false),
      results_(jacobian.entries.size()) {
  std::vector<int> columns;
  for (const auto& entry : jacobian.entries) {
    columns.push_back(runtime.component_of_state[at(entry.state)]);
  }
  pattern_ = pattern_of(jacobian.entries, columns, dimension, places_);
}

void JacobianCode::run(double t, std::span<const double> x, std::span<double> entries) {
  code_.run(t, x, results_);
  std::fill(entries.begin(), entries.end(), 0.0);
  for (std::size_t k = 0; k < results_.size(); ++k) entries[at(places_[k])] = results_[k];
}

std::size_t JacobianCode::bytes() const {
  return sizeof *this + code_.bytes() + pattern_.rows.capacity() * sizeof(int) +
         pattern_.begins.capacity() * sizeof(int) + places_.capacity() * sizeof(int) +
         results_.capacity() * sizeof(double);
}

void FlowCode::make_recurrence() {
  if (recurrence_made_) return;
  recurrence_ = plan::Recurrence::of(*code_, components_, heat_);
  recurrence_made_ = true;
}

std::optional<solve::Reach> FlowCode::reach_of_motion(double t, double unit, int order) {
  make_recurrence();
  if (!recurrence_) return std::nullopt;
  return recurrence_->reach(registers_, t, unit, order);
}

std::optional<solve::Expansion> FlowCode::expand_motion(double t, std::span<const double> x,
                                                        double unit, int order,
                                                        std::vector<double>& series) {
  make_recurrence();
  if (!recurrence_) return std::nullopt;
  return recurrence_->run(registers_, t, x, unit, order, series);
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

std::shared_ptr<const plan::ModeCode> find_powers(const Runtime& runtime, const Cluster& cluster,
                                                  std::span<const plan::IslandVariable> measured) {
  std::vector<int32_t> key{plan::ModeCache::kPowers};
  key.insert(key.end(), cluster.key.begin(), cluster.key.end());
  const auto make = [&] {
    return plan::code_of_variables(runtime.system, cluster.units, measured, islands_of(runtime));
  };
  return runtime.system.modes().find_code(std::move(key), make, limit_of(runtime));
}

namespace {

// By the clusters that the comparison reads.
std::shared_ptr<const plan::ModeCode> find_expression(const Runtime& runtime, ComparisonId id,
                                                      ExprId expr, plan::Reader reader,
                                                      std::vector<int32_t> key) {
  const Cluster* last = nullptr;
  for (UnitId unit : runtime.system.comparisons()[id].units) {
    const Cluster* cluster = runtime.cluster_of_unit[at(unit)];
    if (cluster == last) continue;
    last = cluster;
    key.push_back(INT32_MIN);  // begins a cluster
    key.insert(key.end(), cluster->key.begin(), cluster->key.end());
  }
  const auto make = [&] {
    return plan::code_of_expression(runtime.system, expr, reader, islands_of(runtime));
  };
  return runtime.system.modes().find_code(std::move(key), make, limit_of(runtime));
}

}  // namespace

std::shared_ptr<const plan::ModeCode> find_gap(const Runtime& runtime, ComparisonId id,
                                               plan::Reader reader) {
  return find_expression(runtime, id, runtime.system.comparisons()[id].gap_expr, reader,
                         {plan::ModeCache::kGap, id.index, static_cast<int32_t>(reader)});
}

std::shared_ptr<const plan::ModeCode> find_gap_speed(const Runtime& runtime, ComparisonId border) {
  return find_expression(runtime, border, runtime.system.comparisons()[border].gap_rate,
                         plan::Reader::Run, {plan::ModeCache::kGapSpeed, border.index});
}

std::size_t FlowCode::bytes() const {
  return sizeof *this + code_->bytes() + registers_.size() * sizeof(double) +
         inputs_.size() * sizeof(Input) + jets_.capacity() * sizeof(solve::Jet);
}

}  // namespace cradle::engine
