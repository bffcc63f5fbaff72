#include "core/engine/flow_evaluator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/engine/faults.hpp"
#include "core/plan/mode_code.hpp"
#include "core/plan/right_side.hpp"

namespace cradle::engine {

using expr::Op;
using plan::Equation;

const double kAbsent = std::bit_cast<double>(uint64_t{0x7ff8ab5e00ab5e00});

bool is_absent(double v) { return std::bit_cast<uint64_t>(v) == std::bit_cast<uint64_t>(kAbsent); }

namespace {

double to_double(const plan::Value& v) { return v.is_present() ? v.finite : kAbsent; }

// The environment of code that may be absent.
struct OptionalLeaves {
  FlowEvaluator& flow;
  plan::Value leaf(Op op, int32_t ref, int32_t part) {
    const double result = flow.leaf(op, ref, part);
    return is_absent(result) ? plan::Value::absent() : plan::Value(result);
  }
  bool truth(int32_t comparison) const { return flow.truth(comparison); }
};

}  // namespace

FlowEvaluator::FlowEvaluator(Runtime& runtime, View view, Who who)
    : runtime_(runtime), view_(view), who_(who), order_(runtime.system) {
  const model::Model& m = runtime.system.model();
  states_.resize(m.states.size());
  state_stamp_.assign(m.states.size(), 0);
  signals_.resize(m.signals.size());
  signal_stamp_.assign(m.signals.size(), 0);
  signal_busy_.assign(m.signals.size(), 0);
  tried_signals_.resize(m.signals.size());
  tried_stamp_.assign(m.signals.size(), 0);
  tried_busy_.assign(m.signals.size(), 0);
  power_busy_.assign(2 * m.bonds.size(), 0);
  scratch_.resize(runtime.system.cells().size());
  drifts_.resize(runtime.system.cells().size());
}

void FlowEvaluator::begin(double t) {
  stamp_ = begun_ = runtime_.next_stamp();
  time_ = t;
}

const GapRates& FlowEvaluator::gap_rates() {
  if (gap_rates_stamp_ == begun_ && gap_rates_.size() == runtime_.state.slides.size()) {
    return gap_rates_;
  }
  const std::vector<Slide>& slides = runtime_.state.slides;
  gap_rates_.resize(slides.size());
  on_each_side([&](int j) {
    for (std::size_t i = 0; i < slides.size(); ++i) {
      if (!is_within(i)) continue;
      const Plan& plan = runtime_.system;
      const double speed = formula(plan.comparisons()[slides[i].border].gap_rate);
      if (j < 0) gap_rates_.q[i] = speed;
      if (j >= 0) gap_rates_.of(i, at(j)) = speed - gap_rates_.q[i];
    }
  });
  gap_rates_stamp_ = begun_;
  return gap_rates_;
}

const std::vector<double>& FlowEvaluator::shares() {
  if (shares_stamp_ == begun_ && shares_.size() == runtime_.state.slides.size()) return shares_;
  const GapRates& rates = gap_rates();
  std::vector<std::size_t> borders;
  for (std::size_t j = 0; j < rates.size(); ++j) {
    if (is_within(j)) borders.push_back(j);
  }
  shares_.assign(rates.size(), 0.0);
  if (!borders.empty() && !find_shares(rates, borders, shares_)) {
    throw no_way_along(runtime_, time_);
  }
  shares_stamp_ = begun_;
  return shares_;
}

void FlowEvaluator::set_state(StateId id, double value) {
  states_[at(id.index)] = value;
  state_stamp_[at(id.index)] = stamp_;
}

double FlowEvaluator::state(StateId id) {
  const std::size_t i = at(id.index);
  if (state_stamp_[i] < begun_) {
    states_[i] = view_ == View::Arrival ? runtime_.arrival_state_at(id, time_)
                                        : projected(id, runtime_.state_at(id, time_));
    state_stamp_[i] = stamp_;
  }
  return states_[i];
}

// On arrival a state is projected onto all constraints of its mode. What a step leaves of those
// that no source drives is rounding.
double FlowEvaluator::projected(StateId id, double x) {
  const model::Model& m = runtime_.system.model();
  const model::State& state = m.states[id];
  if (!state.element.valid() || !runtime_.state.slides.empty()) return x;
  const CellId cell = runtime_.system.cell_of(m.elements[state.element].ports[at(state.port)].bond);
  Slot& slot = *runtime_.slot_of_cell[at(cell)];
  const Island& island = *slot.island;
  if (!island.is_driven()) return x;
  const int variable = island.rate_variable(island.local_state(id));
  if (!island.uses_rows()) {
    Drift& drift = drift_of(slot);
    if (drift.is_known.empty()) {
      std::vector<double> b(island.size(), 0.0), none(island.size(), 0.0);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = right_side_as_given(island.equations()[i]);
      drift.violations.assign(island.size(), 0.0);
      island.jump(b, none, drift.violations);
      drift.is_known.assign(1, 1);
    }
    return x + drift.violations[at(variable)];
  }
  for (int k : island.releasing(variable)) {
    if (island.is_driven(k)) x -= island.release(variable, k) * violation(slot, k);
  }
  return x;
}

FlowEvaluator::Drift& FlowEvaluator::drift_of(const Slot& slot) {
  std::unique_ptr<Drift>& place = drifts_[at(slot.home())];
  if (!place) place = std::make_unique<Drift>();
  const Island& island = *slot.island;
  if (place->island == &island && place->begun == begun_) return *place;
  place->island = &island;
  place->begun = begun_;
  const std::size_t count = island.uses_rows() ? at(island.constraint_count()) : 0;
  place->is_known.assign(count, 0);
  place->violations.resize(count);
  return *place;
}

double FlowEvaluator::violation(Slot& slot, int k) {
  Drift& drift = drift_of(slot);
  if (drift.is_known[at(k)] == 0) {
    const linear::SparseVector& left = slot.island->constraint(k);
    double sum = 0;
    for (std::size_t i = 0; i < left.indices.size(); ++i) {
      const Equation& equation = slot.island->equations()[at(left.indices[i])];
      if (equation.kind == Equation::Kind::Structure) continue;
      sum += left.values[i] * right_side_as_given(equation);
    }
    drift.violations[at(k)] = sum;
    drift.is_known[at(k)] = 1;
  }
  return drift.violations[at(k)];
}

double FlowEvaluator::right_side_as_given(const Equation& equation) {
  return plan::right_side(
      equation, plan::PlainTerms([this](StateId s) { return runtime_.state_at(s, time_); }, *this));
}

double FlowEvaluator::formula(ExprId expr) {
  const double value = run(runtime_.system.formula(expr));
  return is_absent(value) ? 0 : value;
}

std::optional<double> FlowEvaluator::optional(ExprId expr) {
  return optional(runtime_.system.formula(expr));
}

// A truth is that on the border itself.
std::optional<double> FlowEvaluator::optional(const plan::Code& formula) {
  const double value = formula.boolean ? run_here(formula, plan::Truths::Frozen) : run(formula);
  return is_absent(value) ? std::nullopt : std::optional(value);
}

double FlowEvaluator::formula(ExprId expr, std::span<const double> locals) {
  std::span<const double> saved = locals_;
  locals_ = locals;
  double result = formula(expr);
  locals_ = saved;
  return result;
}

double FlowEvaluator::run_here(const plan::Code& code, plan::Truths truths) {
  const bool frozen = truths == plan::Truths::Frozen;
  if (frozen ? code.optional_flowing : code.optional) return to_double(run_optional(code, truths));
  return plan::run<double>(code, *this, stack_, truths);
}

plan::Value FlowEvaluator::run_optional(const plan::Code& code, plan::Truths truths) {
  OptionalLeaves leaves{*this};
  return plan::run<plan::Value>(code, leaves, values_, truths);
}

bool FlowEvaluator::judge(ComparisonId id) {
  const double holds = run(runtime_.system.comparisons()[id].truth, plan::Truths::Judged);
  return !is_absent(holds) && holds != 0;
}

double FlowEvaluator::leaf(Op op, int32_t ref, int32_t part) {
  switch (op) {
    case Op::Parameter:
      return runtime_.system.number(ref);
    case Op::Time:
      return time_;
    case Op::Local:
      return locals_[at(ref)];
    case Op::State:
      return state(StateId(at(ref)));
    case Op::Signal:
      return signal(SignalId(at(ref)));
    case Op::Effort:
    case Op::Flow:
      return power(op, BondId(at(ref)));
    case Op::InMode:
      return mode(ref) == part ? 1 : 0;
    case Op::Active: {
      const auto& automaton = runtime_.system.model().automata[AutomatonId(at(ref))];
      return automaton.active[at(mode(ref))] ? 1 : 0;
    }
    case Op::Pre:
      return own_pres_ != nullptr && !runtime_.system.is_read_by_rates(PreId(at(ref)))
                 ? (*own_pres_)[at(ref)]
                 : runtime_.state.pre_value[at(ref)];
    case Op::Phase:
      return runtime_.clock_phase(ClockId(at(ref)), time_, clock_count(ref));
    case Op::Count:
      return static_cast<double>(clock_count(ref));
    case Op::Input: {
      const State& s = runtime_.state;
      const Held& held = (view_ == View::Arrival ? s.arrival_held : s.held)[at(ref)];
      return held.part(static_cast<model::InputPart>(part));
    }
    case Op::Memory: {
      // Events last for one microstep; while time flows there are none.
      const bool lasts = runtime_.system.model().memories[MemoryId(at(ref))].lasts();
      return lasts ? runtime_.state.memory[at(ref)].finite : kAbsent;
    }
    case Op::Absent:
    case Op::Choice:
    case Op::Output:
      return kAbsent;
    default:
      return 0;  // ω has no finite part
  }
}

int FlowEvaluator::mode(int32_t automaton) const {
  return (view_ == View::Arrival ? runtime_.state.arrival_mode
                                 : runtime_.state.mode)[at(automaton)];
}

int64_t FlowEvaluator::clock_count(int32_t clock) const {
  return (view_ == View::Arrival ? runtime_.state.arrival_clock_count
                                 : runtime_.state.clock_count)[at(clock)];
}

double FlowEvaluator::tried_signal(SignalId id) {
  const std::size_t i = at(id.index);
  if (tried_stamp_[i] == trial_stamp_) return tried_signals_[i];
  if (tried_busy_[i] == trial_stamp_) {
    const auto first = std::find(trail_.begin(), trail_.end(), id);
    throw LoopFault{{first, trail_.end()}, {}};
  }
  tried_busy_[i] = trial_stamp_;
  tried_signals_[i] = compute(id);
  tried_stamp_[i] = trial_stamp_;
  return tried_signals_[i];
}

double FlowEvaluator::compute(SignalId id) {
  trail_.push_back(id);
  // Locals belong to a law, not to the signals that it reads.
  std::span<const double> saved = locals_;
  locals_ = {};
  const double value = run(runtime_.system.signal(id));
  locals_ = saved;
  trail_.pop_back();
  return value;
}

double FlowEvaluator::signal(SignalId id) {
  const std::size_t i = at(id.index);
  if (trial_.island != nullptr && runtime_.system.reads_bonds(id)) return tried_signal(id);
  if (signal_stamp_[i] == stamp_) return signals_[i];
  if (signal_busy_[i] == stamp_) {
    LoopFault fault;
    auto first = std::find(trail_.begin(), trail_.end(), id);
    fault.signals.assign(first, trail_.end());
    throw fault;
  }
  if (trail_.size() >= kDeep) {
    order_.prepare(id, stamp_, signal_stamp_, signal_busy_, [this](SignalId s) { signal(s); });
  }
  signal_busy_[i] = stamp_;
  signals_[i] = compute(id);
  signal_stamp_[i] = stamp_;
  return signals_[i];
}

double FlowEvaluator::power_here(Op op, BondId bond) {
  const Plan& system = runtime_.system;
  CellId cell = system.cell_of(bond);
  Slot& slot = *(view_ == View::Arrival ? runtime_.arrival_slot_of_cell
                                        : runtime_.slot_of_cell)[at(cell.index)];
  const int which = op == Op::Effort ? 0 : 1;
  const int local = 2 * (slot.island->offset_of(cell) + system.index_in_cell(bond)) + which;
  if (slot.island.get() == trial_.island) return trial_.y[at(local)];
  if (slot.island->is_given_by_store(local)) return variable(slot, local);
  uint64_t& busy = power_busy_[2 * at(bond) + at(which)];
  if (busy == stamp_) throw LoopFault{trail_, {bond}};
  busy = stamp_;
  const double result = variable(slot, local);
  busy = 0;
  return result;
}

double FlowEvaluator::variable_here(Slot& slot, int local) {
  const Island& island = *slot.island;
  if (int given = island.given_by(local); given >= 0) {
    return right_side(island.equations()[at(given)]);
  }
  if (island.uses_rows()) {
    const plan::LinearRow& row = island.row(local);
    double sum = 0;
    for (const auto& entry : row.b) {
      sum += entry.coefficient * right_side(island.equations()[at(entry.equation)]);
    }
    for (const auto& entry : row.b_rate) {
      sum += entry.coefficient * formula(island.equations()[at(entry.equation)].rate);
    }
    return sum;
  }
  return solve_whole(slot)[at(local)];
}

double FlowEvaluator::right_side(const Equation& equation) {
  if (equation.piece.valid()) return formula(equation.piece);
  return plan::right_side(equation,
                          plan::PlainTerms([this](StateId s) { return state(s); }, *this));
}

FlowEvaluator::Scratch& FlowEvaluator::scratch_of(const Slot& slot) {
  std::unique_ptr<Scratch>& scratch = scratch_[at(slot.home())];
  if (!scratch) scratch = std::make_unique<Scratch>();
  if (scratch->island != slot.island.get()) {
    scratch->island = slot.island.get();
    scratch->stamp = 0;
    scratch->code = nullptr;
  }
  return *scratch;
}

const std::vector<double>& FlowEvaluator::solve_whole(Slot& slot) {
  Scratch& scratch = scratch_of(slot);
  if (scratch.stamp == stamp_) {
    if (!scratch.busy) return scratch.kept ? *scratch.kept : scratch.y;
    LoopFault fault;
    fault.signals = trail_;
    fault.bonds = slot.island->bonds();
    throw fault;
  }
  scratch.stamp = stamp_;
  scratch.kept = nullptr;
  if (!remembers_ || on_side_) {
    compute_whole(slot, scratch);
    return scratch.y;
  }
  constexpr std::size_t kMoments = 32;  // a search looks at some ten times
  const Moment now = moment(slot);
  for (const Kept& kept : kept_) {
    if (kept.moment != now) continue;
    scratch.kept = kept.y;
    scratch.busy = false;
    return *scratch.kept;
  }
  compute_whole(slot, scratch);
  if (kept_.size() < kMoments) kept_.emplace_back();
  kept_[oldest_++ % kMoments] = {now, std::make_shared<const std::vector<double>>(scratch.y)};
  return scratch.y;
}

FlowEvaluator::Moment FlowEvaluator::moment(const Slot& slot) const {
  const UnitId unit = runtime_.system.cells()[slot.home()].unit;
  return {&slot, time_, runtime_.course_of(*runtime_.cluster_of_unit[at(unit)]).end};
}

// Where Newton's method begins.
void FlowEvaluator::load_start(const Slot& slot, std::vector<double>& y) const {
  const std::vector<BondId>& bonds = slot.island->bonds();
  if (rates_start_ != nullptr) {
    std::copy_n(rates_start_->begin() + static_cast<std::ptrdiff_t>(slot.start), y.size(),
                y.begin());
  } else {
    for (std::size_t i = 0; i < bonds.size(); ++i) {
      y[2 * i] = runtime_.state.start[2 * at(bonds[i])];
      y[2 * i + 1] = runtime_.state.start[2 * at(bonds[i]) + 1];
    }
  }
  for (double& v : y) {
    if (!(std::abs(v) < 1e100)) v = 0;  // a start that is not finite would stay so
  }
}

void FlowEvaluator::keep_start(const Slot& slot, const std::vector<double>& y) {
  const std::vector<BondId>& bonds = slot.island->bonds();
  if (rates_start_ != nullptr) {
    std::copy(y.begin(), y.end(), rates_start_->begin() + static_cast<std::ptrdiff_t>(slot.start));
  } else if (who_ == Who::Run) {
    for (std::size_t i = 0; i < bonds.size(); ++i) {
      runtime_.state.start[2 * at(bonds[i])] = y[2 * i];
      runtime_.state.start[2 * at(bonds[i]) + 1] = y[2 * i + 1];
    }
  }
}

void FlowEvaluator::compute_whole(Slot& slot, Scratch& scratch) {
  const Island& island = *slot.island;
  // What is kept of this one must not depend on what another one is tried with.
  const plan::Trying trying(*this);
  try_out({});
  scratch.busy = true;
  scratch.y.resize(island.size());
  if (island.is_direct()) {
    scratch.b.assign(island.size(), 0.0);
    scratch.b_rate.assign(island.size(), 0.0);
    for (std::size_t i = 0; i < island.size(); ++i) {
      const Equation& equation = island.equations()[i];
      if (equation.kind != Equation::Kind::Structure) scratch.b[i] = right_side(equation);
      if (equation.rate.valid()) scratch.b_rate[i] = formula(equation.rate);
    }
    island.flow(scratch.b, scratch.b_rate, scratch.y);
  } else if (!compute_by_code(island, scratch)) {
    load_start(slot, scratch.y);
    if (auto fault = island.solve_flow(*this, scratch.y)) throw IslandProblem{*fault};
    keep_start(slot, scratch.y);
  }
  scratch.busy = false;
}

namespace {

// All that the code of an island loads.
struct IslandSlots {
  FlowEvaluator& flow;
  const Runtime& runtime;

  double leaf(Op op, int32_t ref, int32_t part) const { return flow.leaf(op, ref, part); }
  bool truth(int32_t comparison) const { return runtime.state.truth[at(comparison)]; }
  bool is_kept(int32_t comparison) const {
    const ComparisonId id(at(comparison));
    return flow.is_kept(id) || runtime.slides(id);
  }
  double period_begin(int32_t clock) const {
    const auto count = static_cast<int64_t>(flow.leaf(Op::Count, clock, 0));
    return runtime.period_begin(ClockId(at(clock)), count);
  }
};

}  // namespace

// False: there is no code, or it is not sound here. What goes wrong in a law is told by Newton's
// method.
bool FlowEvaluator::compute_by_code(const Island& island, Scratch& scratch) {
  const plan::ModeCode& code = island.code();
  if (!code.exists()) return false;
  IslandSlots slots{*this, runtime_};
  const bool fresh = scratch.code != &code;
  scratch.code = &code;
  scratch.registers.resize(at(code.registers));
  std::vector<double>& r = scratch.registers;
  plan::execute<double>(code.list, fresh ? 0 : code.constants, code.list.size(), slots, r.data(),
                        plan::Truths::Frozen);
  if (code.sound >= 0 && r[at(code.sound)] == 0) return false;
  for (std::size_t i = 0; i < scratch.y.size(); ++i) {
    scratch.y[i] = r[at(code.results[i])];
    if (!std::isfinite(scratch.y[i])) return false;
  }
  return true;
}

}  // namespace cradle::engine
