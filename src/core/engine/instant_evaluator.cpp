#include "core/engine/instant_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/engine/jump_noise.hpp"
#include "core/plan/right_side.hpp"
#include "core/plan/series.hpp"

namespace cradle::engine {

using expr::Op;
using plan::Equation;
using plan::Value;

// What a whole-island solve sees: states before or after the jump, formulas at this microstep.
class InstantInputs : public plan::IslandInputs {
 public:
  // Without `jumped`: before the jump.
  explicit InstantInputs(InstantEvaluator& inside,
                         const InstantEvaluator::Scratch* jumped = nullptr)
      : inside_(inside), jumped_(jumped) {}
  double state(StateId id) override {
    if (jumped_ == nullptr) return inside_.committed(id);
    return jumped_->x_plus[at(jumped_->island->local_state(id))];
  }
  double formula(ExprId expr) override { return inside_.finite(expr); }
  void try_out(const Trial& trial) override {
    inside_.trial_ = trial;
    inside_.trial_stamp_ = inside_.runtime_.next_stamp();
  }
  Trial tried() const override { return inside_.trial_; }
  double formula(ExprId expr, std::span<const double> locals) override {
    const std::span<const double> saved = std::exchange(inside_.locals_, locals);
    const double result = inside_.finite(expr);
    inside_.locals_ = saved;
    return result;
  }

 private:
  InstantEvaluator& inside_;
  const InstantEvaluator::Scratch* jumped_;
};

InstantEvaluator::InstantEvaluator(Runtime& runtime, FlowEvaluator& arrival, Choices& choices,
                                   FlowEvaluator::Who who)
    : runtime_(runtime), arrival_(arrival), who_(who), choices_(choices), order_(runtime.system) {
  const model::Model& m = runtime.system.model();
  signals_.resize(m.signals.size());
  signal_stamp_.assign(m.signals.size(), 0);
  signal_busy_.assign(m.signals.size(), 0);
  tried_signals_.resize(m.signals.size());
  tried_stamp_.assign(m.signals.size(), 0);
  tried_busy_.assign(m.signals.size(), 0);
  power_busy_.assign(2 * m.bonds.size(), 0);
  weights_.resize(m.states.size());
  weight_stamp_.assign(m.states.size(), 0);
  weight_busy_.assign(m.states.size(), 0);
  chains_.resize(m.automata.size());
  chain_stamp_.assign(m.automata.size(), 0);
  chain_busy_.assign(m.automata.size(), 0);
  scratch_.resize(runtime.system.cells().size());
}

void InstantEvaluator::begin(View view, Events events) {
  stamp_ = runtime_.next_stamp();
  view_ = view;
  events_ = events;
}

// What a memory will say when time goes on.
Value InstantEvaluator::kept(MemoryId id) const {
  if (!runtime_.system.model().memories[id].lasts()) return Value::absent();
  for (const auto* taken_up : {&runtime_.state.next, &runtime_.state.quiet}) {
    const auto found = std::find_if(taken_up->rbegin(), taken_up->rend(),
                                    [id](const Said& said) { return said.id == id; });
    if (found != taken_up->rend()) return found->value;
  }
  return runtime_.state.memory[at(id)];
}

Value InstantEvaluator::settled(const plan::Code& code) {
  Value result = run(code);
  if (!result.is_unknown()) return result;
  iterate();
  result = run(code);
  if (result.is_unknown()) nonconstructive();
  return result;
}

// Signals in circles, until nothing more becomes known.
void InstantEvaluator::iterate() {
  for (bool progress = true; progress;) {
    progress = false;
    for (SignalId id : runtime_.system.signals_in_circles()) {
      if (signal_stamp_[at(id)] == stamp_) continue;
      progress |= !signal(id).is_unknown();
    }
  }
}

void InstantEvaluator::complete() {
  const auto& circles = runtime_.system.signals_in_circles();
  if (circles.empty()) return;
  iterate();
  for (SignalId id : circles) {
    if (signal_stamp_[at(id)] != stamp_) nonconstructive();
  }
}

void InstantEvaluator::nonconstructive() const {
  LoopFault fault;
  for (SignalId id : runtime_.system.signals_in_circles()) {
    if (signal_stamp_[at(id)] != stamp_) fault.signals.push_back(id);
  }
  throw fault;
}

Value InstantEvaluator::known(SignalId id) const {
  return signal_stamp_[at(id)] == stamp_ ? signals_[at(id)] : Value::unknown();
}

bool InstantEvaluator::holds(const plan::Code& guard) { return plan::is_true(settled(guard)); }

bool InstantEvaluator::judge(ComparisonId id, bool before) {
  const plan::Comparison& comparison = runtime_.system.comparisons()[id];
  if (!comparison.detector.valid()) return holds(comparison.truth);
  const Value gap = value(comparison.gap_expr);
  if (!gap.is_present()) return before;
  if (gap.impulse != 0) return gap.impulse > 0;
  const double level = runtime_.state.passed_by[at(id)];
  // Half of the margin with which it is watched: what was found there must count here.
  return before ? !(gap.finite < level - 0.5 * runtime_.rounding_of(comparison))
                : gap.finite >= level;
}

namespace {

// Counts as long as it lives.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(++depth) {}
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

}  // namespace

// As FlowEvaluator::on_each_side; what has been computed so far stays.
template <class Work>
void InstantEvaluator::on_each_side(Work&& work) {
  const uint64_t stamp = stamp_;
  on_side_ = true;
  for (int j = -1; j < static_cast<int>(runtime_.state.slides.size()); ++j) {
    const OnSide side(runtime_, j);
    stamp_ = runtime_.next_stamp();
    work(j);
  }
  on_side_ = false;
  stamp_ = stamp;
}

// False: the state is not on these borders any more, and there is nothing to be mixed.
bool InstantEvaluator::find_shares() {
  if (shares_stamp_ == stamp_) return !shares_.empty();
  const std::vector<Slide>& slides = runtime_.state.slides;
  const Plan& plan = runtime_.system;
  GapRates& rates = gap_rates_;
  rates.resize(slides.size());
  std::vector<std::size_t> on_border;
  on_each_side([&](int j) {
    for (std::size_t i = 0; i < slides.size(); ++i) {
      const plan::Comparison& border = plan.comparisons()[slides[i].border];
      const ExprId gap = border.gap_expr;
      if (j < 0 && std::abs(settled(plan.formula(gap)).finite) <= slides[i].reach) {
        on_border.push_back(i);
      }
      const double speed = settled(plan.formula(border.gap_rate)).finite;
      if (j < 0) rates.q[i] = speed;
      if (j >= 0) rates.of(i, at(j)) = speed - rates.q[i];
    }
  });
  shares_.assign(slides.size(), 0.0);
  if (on_border.empty() || !engine::find_shares(rates, on_border, shares_)) shares_.clear();
  for (double& share : shares_) share = std::clamp(share, 0.0, 1.0);
  shares_stamp_ = stamp_;
  return !shares_.empty();
}

std::optional<InstantEvaluator::Pushes> InstantEvaluator::pushes(std::size_t slide) {
  if (runtime_.state.slides.empty() || !find_shares()) return std::nullopt;
  Pushes out{gap_rates_.q[slide], 0, shares_[slide]};
  for (std::size_t k = 0; k < shares_.size(); ++k) {
    if (k != slide) out.below += gap_rates_.of(slide, k) * shares_[k];
  }
  out.above = out.below + gap_rates_.of(slide, slide);
  return out;
}

template <class Compute>
Value InstantEvaluator::mean(Compute&& compute) {
  if (!find_shares()) return compute();
  Value base;
  Number sum(0);
  Value missing;
  on_each_side([&](int j) {
    const Value v = compute();
    if (j < 0) base = v;
    if (!v.is_present()) {
      missing = v;
    } else if (j >= 0 && base.is_present()) {
      sum.finite += shares_[at(j)] * (v.finite - base.finite);
      sum.impulse += shares_[at(j)] * (v.impulse - base.impulse);
    }
  });
  if (!missing.is_present()) return missing;
  return Number(base.finite + sum.finite, base.impulse + sum.impulse);
}

Value InstantEvaluator::value(const plan::Code& code) {
  if (code.boolean || !may_take_sides()) return settled(code);
  return mean([&] { return settled(code); });
}

Value InstantEvaluator::compare(Op op, int32_t comparison, const Value& a, const Value& b) {
  const ComparisonId id(at(comparison));
  const int slide = runtime_.slide_of(id);
  if (slide < 0 || !a.is_present() || !b.is_present() || !a.is_finite() || !b.is_finite() ||
      !(std::abs(a.finite - b.finite) <= runtime_.state.slides[at(slide)].reach)) {
    return plan::evaluate(op, a, b);
  }
  const bool holds = on_side_ ? runtime_.state.truth[at(id)] != 0 : op == Op::LessEqual;
  return holds ? 1.0 : 0.0;
}

Value InstantEvaluator::value(ExprId expr) { return value(runtime_.system.formula(expr)); }

// For islands: what is absent is worth nothing; what is unknown would be needed to know itself.
double InstantEvaluator::finite(ExprId expr) { return number(expr).finite; }

Number InstantEvaluator::number(ExprId expr) {
  const Deeper deeper(depth_);
  const Value v = run(runtime_.system.formula(expr));
  if (v.is_unknown()) {
    LoopFault fault;
    fault.signals = trail_;
    throw fault;
  }
  return v.is_present() ? static_cast<const Number&>(v) : Number(0);
}

Value InstantEvaluator::leaf(Op op, int32_t ref, int32_t part) {
  switch (op) {
    case Op::Parameter:
      return runtime_.system.number(ref);
    case Op::Time:
      return runtime_.state.now;
    case Op::Omega:
      return Number(0, 1);
    case Op::Local:
      return locals_[at(ref)];
    case Op::State: {
      const StateId id(at(ref));
      if (const int local = tried_state(id); local >= 0) return trial_.x[at(local)];
      return runtime_.system.takes_impulses(id) ? integral(id) : Value(state_plus(id));
    }
    case Op::Memory:
      return events_ == Events::Over ? kept(MemoryId(at(ref))) : runtime_.state.memory[at(ref)];
    case Op::Absent:
      return Value::absent();
    case Op::Choice:
      return choice(ChoiceId(at(ref)));
    case Op::Output:
      return output(OutputId(at(ref)));
    case Op::Signal:
      return signal(SignalId(at(ref)));
    case Op::Effort:
    case Op::Flow:
      return power(op, BondId(at(ref)));
    case Op::InMode:
      return runtime_.state.mode[at(ref)] == part ? 1.0 : 0.0;
    case Op::Active: {
      const auto& automaton = runtime_.system.model().automata[AutomatonId(at(ref))];
      return automaton.active[at(runtime_.state.mode[at(ref)])] ? 1.0 : 0.0;
    }
    case Op::Pre: {
      const std::optional<double> value = pre(PreId(at(ref)));
      return value ? Value(*value) : Value::absent();
    }
    case Op::Phase:
      return runtime_.clock_phase(ClockId(at(ref)), runtime_.state.now,
                                  runtime_.state.clock_count[at(ref)]);
    case Op::Count:
      return static_cast<double>(runtime_.state.clock_count[at(ref)]);
    case Op::Input:
      return runtime_.state.held[at(ref)].part(static_cast<model::InputPart>(part));
    default:
      return 0.0;
  }
}

// What was remembered belongs to what was committed: a source that reads pre keeps, in the
// committed view, the value with which the last jump was made.
std::optional<double> InstantEvaluator::pre(PreId id) {
  if (view_ == View::Committed && runtime_.system.is_read_by_rates(id)) {
    const double kept = runtime_.state.pre_value[at(id.index)];
    return is_absent(kept) ? std::nullopt : std::optional(kept);
  }
  return arrival_.optional(runtime_.system.model().pool.pres()[at(id.index)]);
}

void InstantEvaluator::loop(const Slot& slot) const {
  LoopFault fault;
  fault.signals = trail_;
  fault.bonds = slot.island->bonds();
  throw fault;
}

Value InstantEvaluator::compute(SignalId id) {
  trail_.push_back(id);
  const std::span<const double> saved = std::exchange(locals_, {});
  Value result;
  try {
    result = run(runtime_.system.signal(id));
  } catch (plan::ArithmeticFault& fault) {
    if (!fault.signal.valid()) fault.signal = id;
    throw;
  }
  locals_ = saved;
  trail_.pop_back();
  return result;
}

Value InstantEvaluator::tried_signal(SignalId id) {
  const std::size_t i = at(id);
  if (tried_stamp_[i] == trial_stamp_) return tried_signals_[i];
  if (tried_busy_[i] == trial_stamp_) return Value::unknown();
  tried_busy_[i] = trial_stamp_;
  tried_signals_[i] = compute(id);
  tried_stamp_[i] = trial_stamp_;
  return tried_signals_[i];
}

Value InstantEvaluator::signal(SignalId id) {
  if (may_take_sides() && !runtime_.system.signal(id).boolean) {
    return mean([&] { return signal_here(id); });
  }
  return signal_here(id);
}

Value InstantEvaluator::signal_here(SignalId id) {
  const Deeper deeper(depth_);
  const std::size_t i = at(id);
  if (trial_.island != nullptr && runtime_.system.reads_bonds(id)) return tried_signal(id);
  if (signal_stamp_[i] == stamp_) return signals_[i];
  if (signal_busy_[i] == stamp_) return Value::unknown();
  if (trail_.size() >= kDeep) {
    order_.prepare(id, stamp_, signal_stamp_, signal_busy_, [this](SignalId s) { signal(s); });
  }
  signal_busy_[i] = stamp_;
  const Value result = compute(id);
  signal_busy_[i] = 0;
  if (result.is_unknown()) return result;
  signals_[i] = result;
  signal_stamp_[i] = stamp_;
  return result;
}

// In the island that is being solved inside a jump; −1: not there.
int InstantEvaluator::tried_state(StateId id) const {
  if (trial_.x.empty()) return -1;
  const model::State& state = runtime_.system.model().states[id];
  if (!state.element.valid()) return -1;
  const auto& port = runtime_.system.model().elements[state.element].ports[at(state.port)];
  const Slot& slot = *runtime_.slot_of_cell[at(runtime_.system.cell_of(port.bond))];
  return slot.island.get() == trial_.island ? trial_.island->local_state(id) : -1;
}

// An integral does not depend on its derivative now, and does on its impulse.
Value InstantEvaluator::integral(StateId id) {
  const std::size_t i = at(id);
  const double x = state_plus(id);
  if (view_ == View::Committed) return x;
  if (weight_stamp_[i] == stamp_) return x + weights_[i];
  if (weight_busy_[i] == stamp_) return Value::unknown();
  weight_busy_[i] = stamp_;
  const model::State& state = runtime_.system.model().states[id];
  double weight = 0;
  if (runtime_.is_active(state.region)) {
    const Value v = run(runtime_.system.formula(state.impulse));
    weight_busy_[i] = 0;
    if (v.is_unknown()) return v;
    weight = v.is_present() ? v.finite + v.impulse : 0;
  }
  weights_[i] = weight;
  weight_stamp_[i] = stamp_;
  return x + weight;
}

double InstantEvaluator::weight(StateId id) {
  const model::State& state = runtime_.system.model().states[id];
  if (!runtime_.is_active(state.region)) return 0;
  double sum = value(state.rate).impulse;
  if (state.impulse.valid()) {
    const Value v = value(state.impulse);
    if (v.is_present()) sum += v.finite + v.impulse;
  }
  return sum;
}

// Alternatives may hold choices of their own: what is enabled lies on top of what they found.
Value InstantEvaluator::choice(ChoiceId id) {
  const std::size_t base = enabled_.size();
  const Value result = choice_above(id, base);
  enabled_.resize(base);
  return result;
}

Value InstantEvaluator::choice_above(ChoiceId id, std::size_t base) {
  const model::Choice& choice = runtime_.system.model().choices[id];
  for (std::size_t i = 0; i < choice.alternatives.size(); ++i) {
    const Value v = run(runtime_.system.formula(choice.alternatives[i]));
    if (v.is_unknown()) return v;
    const bool boolean =
        runtime_.system.model().pool[choice.alternatives[i]].type == expr::Type::Boolean;
    if (v.is_present() && (!boolean || plan::is_true(v))) {
      enabled_.push_back(static_cast<int>(i));
    }
  }
  const std::span<const int> enabled = std::span(enabled_).subspan(base);
  if (enabled.empty()) return Value::absent();
  const bool decided = enabled.size() == 1 || (choice.by_order && choices_.follows_order());
  if (decided) return enabled[0] + 1.0;
  return choices_.decide(id, enabled) + 1.0;
}

int InstantEvaluator::choose(AutomatonId id, const std::vector<int>& open) {
  if (open.size() == 1) return open[0];
  const model::Automaton& automaton = runtime_.system.model().automata[id];
  double best = HUGE_VAL;
  for (int t : open)
    best = std::min(best, automaton.transitions[at(t)].priority.value_or(HUGE_VAL));
  const std::size_t base = enabled_.size();
  for (int t : open) {
    if (automaton.transitions[at(t)].priority.value_or(HUGE_VAL) == best) enabled_.push_back(t);
  }
  const std::span<const int> equal = std::span(enabled_).subspan(base);
  const int chosen = equal.size() == 1 ? equal[0] : choices_.decide(id, equal);
  enabled_.resize(base);
  return chosen;
}

// A relay whose modes the run slides between does not move from one to the other.
bool InstantEvaluator::is_suspended(AutomatonId id, int transition) const {
  for (const Slide& slide : runtime_.state.slides) {
    for (const Relay& relay : slide.relays) {
      if (relay.automaton != id) continue;
      const auto& comparisons =
          runtime_.system.automaton(id).transitions[at(transition)].comparisons;
      for (ComparisonId twin : runtime_.system.comparisons()[slide.border].twins) {
        if (std::binary_search(comparisons.begin(), comparisons.end(), twin)) return true;
      }
    }
  }
  return false;
}

// The transitions that can be taken from this state, into the automaton's own list. False if one
// that could come before them is not known yet.
bool InstantEvaluator::find_open(AutomatonId id, int state, bool entering) {
  const model::Automaton& automaton = runtime_.system.model().automata[id];
  const plan::CompiledAutomaton& compiled = runtime_.system.automaton(id);
  std::vector<int>& open = chains_[at(id)].open;
  open.clear();
  for (const bool fallback : {false, true}) {
    double best = HUGE_VAL, waiting = HUGE_VAL;
    bool unknown = false;
    for (int t : compiled.leaving[at(state)]) {
      const model::Transition& transition = automaton.transitions[at(t)];
      if (transition.fallback != fallback || (entering && !transition.immediate)) continue;
      if (is_suspended(id, t)) continue;
      const plan::CompiledTransition& c = compiled.transitions[at(t)];
      const Value v = run(entering ? c.entering : c.guard);
      const double priority = transition.priority.value_or(HUGE_VAL);
      if (v.is_unknown()) {
        unknown = true;
        waiting = std::min(waiting, priority);
      } else if (plan::is_true(v)) {
        open.push_back(t);
        best = std::min(best, priority);
      }
    }
    if (unknown && (open.empty() || waiting <= best)) return false;
    if (!open.empty()) return true;
  }
  return true;
}

bool InstantEvaluator::find_chain(AutomatonId id) {
  if (chain_stamp_[at(id)] == stamp_) return true;
  if (chain_busy_[at(id)] == stamp_) return false;
  chain_busy_[at(id)] = stamp_;
  const model::Automaton& automaton = runtime_.system.model().automata[id];
  Chain& chain = chains_[at(id)];
  chain.transitions.clear();
  chain.cycle = -1;
  bool known = true;
  if (runtime_.is_active(automaton.region)) {
    int state = runtime_.state.mode[at(id)];
    while (chain.cycle < 0) {
      known = find_open(id, state, !chain.transitions.empty());
      if (!known || chain.open.empty()) break;
      if (chain.transitions.size() > automaton.states.size()) {
        chain.cycle = state;
        break;
      }
      chain.transitions.push_back(choose(id, chain.open));
      state = automaton.transitions[at(chain.transitions.back())].to;
    }
  }
  chain_busy_[at(id)] = 0;
  if (known) chain_stamp_[at(id)] = stamp_;
  return known;
}

const InstantEvaluator::Chain& InstantEvaluator::chain(AutomatonId id) {
  if (!find_chain(id)) {
    iterate();
    if (!find_chain(id)) nonconstructive();
  }
  return chains_[at(id)];
}

// Transitions speak at the instant at which they are taken, and not while time flows.
Value InstantEvaluator::output(OutputId id) {
  const model::Model& m = runtime_.system.model();
  const model::Output& output = m.outputs[id];
  if (view_ == View::Committed) return Value::absent();
  if (!find_chain(output.automaton)) return Value::unknown();
  if (chains_[at(output.automaton)].transitions.empty()) return Value::absent();
  // It waits for those that come before it.
  if (!m.automata[output.automaton].yields_to.empty()) {
    for (AutomatonId other : m.with_predecessors(output.automaton)) {
      if (other == output.automaton || !m.automata[other].modal) continue;
      if (!find_chain(other)) return Value::unknown();
      if (!chains_[at(other)].transitions.empty()) return Value::absent();
    }
  }
  return said(output.automaton, output);
}

// What the last transition says that says anything.
Value InstantEvaluator::said(AutomatonId automaton, const model::Output& output) {
  const std::size_t count = chains_[at(automaton)].transitions.size();
  for (std::size_t i = count; i-- > 0;) {
    for (const model::Output::Part& part : output.parts) {
      if (part.transition != chains_[at(automaton)].transitions[i]) continue;
      const ExprId value = i > 0 ? part.entering : part.value;
      const Value v = run(runtime_.system.formula(value));
      if (v.is_unknown() || v.is_present()) return v;
    }
  }
  return Value::absent();
}

Number InstantEvaluator::power(Op op, BondId bond) {
  if (may_take_sides()) return mean([&] { return Value(power_here(op, bond)); });
  return power_here(op, bond);
}

Number InstantEvaluator::power_here(Op op, BondId bond) {
  const Deeper deeper(depth_);
  const Plan& system = runtime_.system;
  CellId cell = system.cell_of(bond);
  Slot& slot = *runtime_.slot_of_cell[at(cell.index)];
  const int which = op == Op::Effort ? 0 : 1;
  const int local = 2 * (slot.island->offset_of(cell) + system.index_in_cell(bond)) + which;
  if (slot.island.get() == trial_.island) return trial_.y[at(local)];
  const bool jump_known = view_ == View::Committed || refresh(slot).whole_state >= 2;
  if (jump_known && slot.island->is_given_by_store(local)) return variable(slot, local);
  uint64_t& busy = power_busy_[2 * at(bond) + at(which)];
  if (busy == stamp_) throw LoopFault{trail_, {bond}};
  busy = stamp_;
  const Number result = variable(slot, local);
  busy = 0;
  return result;
}

InstantEvaluator::Scratch& InstantEvaluator::refresh(Slot& slot) {
  std::unique_ptr<Scratch>& place = scratch_[at(slot.home())];
  if (!place) place = std::make_unique<Scratch>();
  Scratch& scratch = *place;
  const Island& island = *slot.island;
  if (scratch.stamp == stamp_ && scratch.island == &island) return scratch;
  scratch.island = &island;
  scratch.stamp = stamp_;
  scratch.weights_collected = false;
  scratch.has_weights = false;
  scratch.weight_state.assign(island.impulsive_sources().size(), 0);
  scratch.whole_state = 0;
  const auto count = island.is_direct() ? at(island.constraint_count()) : 0;
  scratch.violation_state.assign(count, 0);
  scratch.violations.resize(count);
  scratch.significant.resize(count);
  scratch.scales.resize(count);
  return scratch;
}

// b of an equation, at x⁻ (for constraints) or at x⁺ (for efforts and flows).
double InstantEvaluator::right_side(const Equation& equation, bool plus) {
  InstantInputs inputs(*this);
  return plan::right_side(
      equation,
      plan::PlainTerms([&](StateId s) { return plus ? state_plus(s) : committed(s); }, inputs));
}

namespace {

// Was the island in force on arrival, too? Then its constraints held, up to tolerance. On those of
// the mode in which it flowed a state has been projected (projection.hpp), so that what a mode that
// is entered demands beyond rounding is a jump.
bool is_held(const Runtime& runtime, const Slot& slot) {
  const Slot* before = runtime.arrival_slot_of_cell[at(slot.home())];
  return before != nullptr && before->island == slot.island;
}

}  // namespace

// ℓ_k b at x⁻. What the solver's tolerance and rounding leave of a constraint that already held is
// not a jump: it is projected away, and no impulse is seen of it.
double InstantEvaluator::violation(Slot& slot, Scratch& scratch, int k, bool significant_only) {
  uint8_t& state = scratch.violation_state[at(k)];
  if (state == 1) loop(slot);
  if (state == 0) {
    state = 1;
    const linear::SparseVector& left = slot.island->constraint(k);
    double sum = 0, scale = 0, worth = 0;
    for (std::size_t i = 0; i < left.indices.size(); ++i) {
      const Equation& equation = slot.island->equations()[at(left.indices[i])];
      if (equation.kind == Equation::Kind::Structure) continue;
      const double term = left.values[i] * right_side(equation, false);
      sum += term;
      scale += std::abs(term);
      worth += std::abs(left.values[i]) * worth_of(runtime_, equation) + std::abs(term);
    }
    const Options& options = runtime_.options;
    const double tolerance =
        is_held(runtime_, slot)
            ? 3 * (options.relative_tolerance * scale + options.absolute_tolerance)
            : 0;
    const double noise = std::max(plan::Coefficient{0, worth}.noise(), tolerance);
    scratch.violations[at(k)] = sum;
    scratch.scales[at(k)] = scale;
    scratch.significant[at(k)] = std::abs(sum) > noise ? sum : 0;
    scratch.violation_state[at(k)] = 2;
  }
  return significant_only ? scratch.significant[at(k)] : scratch.violations[at(k)];
}

// The Dirac weight of an impulsive source, by its place among them.
double InstantEvaluator::weight(Slot& slot, Scratch& scratch, std::size_t source) {
  const int e = slot.island->impulsive_sources()[source];
  uint8_t& state = scratch.weight_state[source];
  if (state == 1) loop(slot);
  if (state == 0) {
    state = 1;
    const Equation& equation = slot.island->equations()[at(e)];
    const double weight = number(equation.formula).impulse;
    const bool spent = runtime_.state.struck_at[at(equation.element)] == runtime_.state.now &&
                       !runtime_.system.formula(equation.formula).optional;
    if (weight != 0 && !spent) {
      if (!scratch.has_weights) scratch.weights.assign(slot.island->size(), 0.0);
      scratch.has_weights = true;
      scratch.weights[at(e)] = weight;
    }
    state = 2;
  }
  return scratch.has_weights ? scratch.weights[at(e)] : 0;
}

void InstantEvaluator::collect_weights(Slot& slot, Scratch& scratch) {
  if (scratch.weights_collected) return;
  // What a source reads of its own island is solved with it, impulses included.
  InstantInputs inputs(*this);
  const plan::Trying trying(inputs);
  const std::vector<double> rest(slot.island->is_coupled() ? slot.island->size() : 0, 0.0);
  if (slot.island->is_coupled()) inputs.try_out({slot.island.get(), rest, {}});
  for (std::size_t i = 0; i < scratch.weight_state.size(); ++i) weight(slot, scratch, i);
  scratch.weights_collected = true;
}

std::span<const double> InstantEvaluator::weights(Slot& slot) {
  Scratch& scratch = refresh(slot);
  if (slot.island->impulsive_sources().empty()) return {};
  collect_weights(slot, scratch);
  return scratch.has_weights ? std::span<const double>(scratch.weights) : std::span<const double>();
}

// The impulse that Dirac sources cause. Only those are asked that have a part in it: one of the
// others may read this very variable. What b is to an effort or flow, weights are to its impulse.
double InstantEvaluator::response(Slot& slot, Scratch& scratch, int local) {
  const std::vector<int>& sources = slot.island->impulsive_sources();
  double sum = 0;
  for (const plan::LinearRow::Entry& entry : slot.island->row(local).b) {
    const auto found = std::lower_bound(sources.begin(), sources.end(), entry.equation);
    if (found == sources.end() || *found != entry.equation) continue;
    const auto source = static_cast<std::size_t>(found - sources.begin());
    sum += entry.coefficient * weight(slot, scratch, source);
  }
  return sum;
}

double InstantEvaluator::impulse(Slot& slot, int local, bool significant_only) {
  Scratch& scratch = refresh(slot);
  double sum = 0;
  for (int k : slot.island->releasing(local)) {
    sum -= slot.island->release(local, k) * violation(slot, scratch, k, significant_only);
  }
  if (!slot.island->impulsive_sources().empty()) sum += response(slot, scratch, local);
  return sum;
}

double InstantEvaluator::state_plus(StateId id) { return plus(id, false); }
double InstantEvaluator::state_projected(StateId id) { return plus(id, true); }

double InstantEvaluator::plus(StateId id, bool projected) {
  const Plan& system = runtime_.system;
  const double x = committed(id);
  const model::State& state = system.model().states[id];
  if (view_ == View::Committed || !state.element.valid()) return x;
  const model::Element& element = system.model().elements[state.element];
  CellId cell = system.cell_of(element.ports[at(state.port)].bond);
  Slot& slot = *runtime_.slot_of_cell[at(cell.index)];
  const Island& island = *slot.island;
  if (!island.is_constrained() && island.impulsive_sources().empty()) return x;
  if (island.uses_rows()) {
    const bool momentum = elements::definition(element.kind).storage == elements::Storage::Momentum;
    int index = island.offset_of(cell) + system.index_in_cell(element.ports[at(state.port)].bond);
    return x + impulse(slot, 2 * index + (momentum ? 0 : 1), !projected);
  }
  const Scratch& scratch = solve_whole(slot, true);
  return (projected ? scratch.x_projected : scratch.x_plus)[at(island.local_state(id))];
}

Number InstantEvaluator::variable(Slot& slot, int local) {
  const Scratch& scratch = refresh(slot);
  const Island& island = *slot.island;
  if (island.uses_rows()) {
    Number sum = 0.0;
    if (int given = island.given_by(local); given >= 0) {
      sum.finite = right_side(island.equations()[at(given)], true);
      if (view_ == View::Tried) sum.impulse = impulse(slot, local, true);
      return sum;
    }
    const plan::LinearRow& row = island.row(local);
    for (const auto& entry : row.b) {
      const Equation& equation = island.equations()[at(entry.equation)];
      sum.finite += entry.coefficient * right_side(equation, true);
    }
    for (const auto& entry : row.b_rate) {
      sum.finite += entry.coefficient * finite(island.equations()[at(entry.equation)].rate);
    }
    if (view_ == View::Tried) sum.impulse = impulse(slot, local, true);
    return sum;
  }
  const bool can_jump =
      view_ == View::Tried && (island.is_constrained() || !island.impulsive_sources().empty());
  if (int given = island.given_by(local); given >= 0) {
    // Whoever asks first: what is given is given by its law, and its impulse by the jump.
    if (can_jump && scratch.whole_state < 2) solve_whole(slot, false);
    const double finite = right_side(island.equations()[at(given)], true);
    return {finite, can_jump ? scratch.impulses[at(local)] : 0};
  }
  solve_whole(slot, false);
  return {scratch.y[at(local)], scratch.impulses[at(local)]};
}

// Jump and flow of an island that is solved as a whole.
InstantEvaluator::Scratch& InstantEvaluator::solve_whole(Slot& slot, bool state_only) {
  Scratch& scratch = refresh(slot);
  if (scratch.whole_state == 3 || (scratch.whole_state == 2 && state_only)) return scratch;
  if (scratch.whole_state != 0) loop(slot);
  // What is kept of this one must not depend on what another one is tried with.
  const plan::IslandInputs::Trial tried = std::exchange(trial_, {});
  scratch.whole_state = 1;
  solve_jump(slot, scratch);
  scratch.whole_state = 2;
  solve_flow(slot, scratch);
  scratch.whole_state = 3;
  trial_ = tried;
  trial_stamp_ = runtime_.next_stamp();
  return scratch;
}

// x⁺ and the impulses that lead there.
void InstantEvaluator::solve_jump(Slot& slot, Scratch& scratch) {
  const Island& island = *slot.island;
  const std::size_t n = island.size();
  scratch.impulses.assign(n, 0.0);
  scratch.x_plus.resize(island.states().size());
  for (std::size_t i = 0; i < island.states().size(); ++i) {
    const StateId s = island.states()[i];
    scratch.x_plus[i] = committed(s);
  }
  scratch.jumped = false;
  const bool can_jump = island.is_constrained() || !island.impulsive_sources().empty();
  if (view_ != View::Tried || !can_jump) {
    scratch.x_projected = scratch.x_plus;
    return;
  }
  collect_weights(slot, scratch);
  if (!scratch.has_weights) scratch.weights.assign(n, 0.0);
  scratch.jumped = scratch.has_weights;
  if (island.is_direct()) {
    scratch.b.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) scratch.b[i] = right_side(island.equations()[i], false);
    thread_local std::vector<double> magnitudes;  // serves all islands
    magnitudes.assign(n, 0.0);
    island.jump(scratch.b, scratch.weights, scratch.impulses, magnitudes);
    find_jump_noise(runtime_, island, scratch.b, magnitudes, scratch.noise);
  } else {
    InstantInputs before(*this);
    scratch.y.resize(n);
    load_start(island, scratch.y);
    if (auto fault = island.solve_jump(before, scratch.weights, scratch.y, scratch.impulses,
                                       scratch.x_plus)) {
      throw IslandProblem{*fault};
    }
  }
  // Rounding is not a jump: compared with what the states and their tolerance are worth.
  for (std::size_t i = 0; i < island.states().size(); ++i) {
    const double x = committed(island.states()[i]);
    const double change = scratch.impulses[at(island.rate_variable(static_cast<int>(i)))];
    scratch.x_plus[i] = x + change;
    const Options& options = runtime_.options;
    double tolerance =
        is_held(runtime_, slot) || !island.is_direct()
            ? 3 * (options.relative_tolerance * (std::abs(x) + std::abs(x + change)) +
                   options.absolute_tolerance)
            : 0;
    const double worth = std::max(runtime_.state.worth[at(island.states()[i])], std::abs(change));
    double noise = plan::Coefficient{0, worth}.noise();
    if (island.is_direct()) {
      const double around = scratch.noise[at(island.rate_variable(static_cast<int>(i)))];
      noise = std::max(noise, around);
      if (tolerance > 0) tolerance = std::max(tolerance, 3 * tolerated(options, around));
    }
    scratch.jumped |= std::abs(change) > std::max(noise, tolerance);
  }
  scratch.x_projected = scratch.x_plus;
  if (scratch.jumped) {
    for (std::size_t v = 0; island.is_direct() && v < n; ++v) {
      if (std::abs(scratch.impulses[v]) <= scratch.noise[v]) scratch.impulses[v] = 0;
    }
    return;
  }
  std::fill(scratch.impulses.begin(), scratch.impulses.end(), 0.0);
  for (std::size_t i = 0; i < island.states().size(); ++i) {
    scratch.x_plus[i] = committed(island.states()[i]);
  }
}

// Efforts and flows at x⁺.
void InstantEvaluator::solve_flow(Slot& slot, Scratch& scratch) {
  const Island& island = *slot.island;
  const std::size_t n = island.size();
  scratch.y.resize(n);
  InstantInputs after(*this, &scratch);
  if (island.is_direct()) {
    scratch.b.assign(n, 0.0);
    scratch.b_rate.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const Equation& equation = island.equations()[i];
      scratch.b[i] = plan::right_side(
          equation, plan::PlainTerms([&](StateId id) { return after.state(id); }, after));
      if (equation.rate.valid()) scratch.b_rate[i] = finite(equation.rate);
    }
    island.flow(scratch.b, scratch.b_rate, scratch.y);
    return;
  }
  load_start(island, scratch.y);
  if (auto fault = island.solve_flow(after, scratch.y)) throw IslandProblem{*fault};
  if (who_ == FlowEvaluator::Who::Onlooker) return;
  const std::vector<BondId>& bonds = island.bonds();
  for (std::size_t i = 0; i < n; ++i) {
    runtime_.state.start[2 * at(bonds[i / 2]) + i % 2] = scratch.y[i];
  }
}

// Where Newton's method begins.
void InstantEvaluator::load_start(const Island& island, std::vector<double>& y) const {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double last = runtime_.state.start[2 * at(island.bonds()[i / 2]) + i % 2];
    y[i] = std::abs(last) < 1e100 ? last : 0;
  }
}

bool InstantEvaluator::jumps(Slot& slot) {
  Scratch& scratch = refresh(slot);
  const Island& island = *slot.island;
  if (!island.is_constrained() && island.impulsive_sources().empty()) return false;
  if (!island.uses_rows()) return solve_whole(slot, false).jumped;
  if (!weights(slot).empty()) return true;
  for (int k = 0; k < island.constraint_count(); ++k) {
    if (violation(slot, scratch, k, true) != 0) return true;
  }
  return false;
}

double InstantEvaluator::worth_plus(StateId id, bool projected) {
  const Plan& system = runtime_.system;
  const double worth = runtime_.state.worth[at(id)];
  const model::State& state = system.model().states[id];
  if (view_ == View::Committed || !state.element.valid()) return worth;
  const CellId cell =
      system.cell_of(system.model().elements[state.element].ports[at(state.port)].bond);
  Slot& slot = *runtime_.slot_of_cell[at(cell)];
  const Island& island = *slot.island;
  if (!island.is_constrained() || !island.uses_rows()) return worth;
  const int variable = island.rate_variable(island.local_state(id));
  double sum = 0;
  for (int k : island.releasing(variable)) {
    // What does not jump is not computed anew.
    if (violation(slot, refresh(slot), k, true) == 0 && !projected) continue;
    sum += std::abs(island.release(variable, k)) * refresh(slot).scales[at(k)];
  }
  return std::max(worth, sum);
}

bool InstantEvaluator::find_drift(Slot& slot, std::vector<double>& changes) {
  const Island& island = *slot.island;
  const std::size_t n = island.size();
  thread_local std::vector<double> b, none, y;  // serve all islands
  b.assign(n, 0.0);
  none.assign(n, 0.0);
  y.assign(n, 0.0);
  thread_local std::vector<double> magnitudes, noise;
  magnitudes.assign(n, 0.0);
  noise.clear();
  for (std::size_t i = 0; i < n; ++i) b[i] = right_side(island.equations()[i], false);
  island.jump(b, none, y, magnitudes);
  changes.clear();
  const Options& options = runtime_.options;
  for (std::size_t i = 0; i < island.states().size(); ++i) {
    const StateId id = island.states()[i];
    const std::size_t variable = at(island.rate_variable(static_cast<int>(i)));
    const double change = y[variable];
    const double scale = std::max(std::abs(committed(id)), runtime_.state.worth[at(id)]);
    const double drift = 3 * (options.relative_tolerance * scale +
                              options.absolute_tolerance * runtime_.system.tolerance_scale(id));
    // What others around it may be off by can be more than what it has.
    if (!(std::abs(change) <= drift)) {
      if (noise.empty()) find_jump_noise(runtime_, island, b, magnitudes, noise);
      if (!(std::abs(change) <= 3 * tolerated(options, noise[variable]))) return false;
    }
    changes.push_back(change);
  }
  return true;
}

bool InstantEvaluator::factor_tangent(Slot& slot, linear::RankRevealingLu& out,
                                      std::vector<double>& left_over) {
  const Scratch& scratch = solve_whole(slot, false);
  InstantInputs after(*this, &scratch);
  return slot.island->factor_tangent(after, scratch.y, out, left_over);
}

void InstantEvaluator::impulses(Slot& slot, std::vector<double>& out) {
  if (!slot.island->uses_rows()) {
    out = solve_whole(slot, false).impulses;
    return;
  }
  out.resize(slot.island->size());
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = impulse(slot, static_cast<int>(v), true);
}

}  // namespace cradle::engine
