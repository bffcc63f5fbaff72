#include "core/engine/instant.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/basics/assert.hpp"
#include "base/basics/sorted.hpp"
#include "core/engine/impulse_check.hpp"

namespace cradle::engine {

InstantMaker::InstantMaker(const Tools& tools)
    : system_(tools.runtime.system),
      runtime_(tools.runtime),
      state_(tools.runtime.state),
      progress_(tools.runtime.state.instant),
      arrival_(tools.arrival),
      inside_(tools.inside),
      choices_(tools.choices),
      memories_(tools.memories),
      clusters_(tools.clusters),
      sliding_(tools.sliding),
      agenda_(tools.agenda),
      watcher_(tools.watcher),
      onlookers_(tools.onlookers),
      judge_(runtime_, inside_),
      projection_(runtime_, inside_, sliding_, tools.positions),
      touch_(runtime_, projection_, onlookers_.audit()),
      transitions_(runtime_, inside_, judge_, memories_, clusters_, touch_, onlookers_.audit()) {
  const model::Model& m = system_.model();
  comparison_mark_.assign(system_.comparisons().size(), 0);
  integral_may_jump_.assign(m.states.size(), 0);
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    integral_may_jump_[s] = system_.integral_may_jump(StateId(s));
  }
}

void InstantMaker::follow_state() {
  std::fill(comparison_mark_.begin(), comparison_mark_.end(), 0);
  touch_.follow_state();
}

// Something does happen here: the values just before it are to be seen, and clusters whose rates
// read pre see a new arrival.
void InstantMaker::happen() {
  if (std::exchange(progress_.happened, true)) return;
  onlookers_.happens();
  touch_.readers_of_pre();
}

void InstantMaker::begin(double t, const Triggers& triggers) {
  CRADLE_ASSERT(!progress_.under_way, "one instant at a time");
  CRADLE_ASSERT(t >= state_.now, "time does not go back");
  state_.now = t;
  state_.at = {t, 0, 0};
  progress_.under_way = progress_.at_epsilon = true;
  progress_.is_start = progress_.happened = triggers.start;
  progress_.jumped = false;
  progress_.k = progress_.n = 0;
  progress_.roundings = plan::Coefficient::kRoundings;
  for (ComparisonId comparison : triggers.comparisons) {
    Transitions::remember(state_.last_comparisons, comparison);
  }
  const std::vector<ComparisonId> released = released_by(triggers);
  if (released.empty()) {
    touch_.begin(triggers);
  } else {
    // All that changes at a border changes where it is left.
    Triggers all = triggers;
    for (ComparisonId border : released) {
      const auto& twins = system_.comparisons()[border].twins;
      all.comparisons.insert(all.comparisons.end(), twins.begin(), twins.end());
    }
    sort_unique(all.comparisons);
    touch_.begin(all);
    for (ComparisonId border : released) touch_.units(system_.comparisons()[border].units);
  }
  for (ComparisonId comparison : triggers.comparisons) {
    if (!watcher_.is_judged(comparison)) continue;
    for (UnitId unit : system_.comparisons()[comparison].units) {
      touch_.arrive(*runtime_.cluster_of_unit[at(unit)]);
    }
  }
  onlookers_.arrives(triggers);
  for (const auto& [memory, value] : triggers.events) memories_.due(memory, value);
  if (!progress_.touched.units.empty() || memories_.pending()) happen();
  for (ComparisonId border : released) sliding_.release(border);
}

// Borders that the run has slid along up to here, and of which one side lets go.
std::vector<ComparisonId> InstantMaker::released_by(const Triggers& triggers) const {
  std::vector<ComparisonId> out;
  for (ComparisonId comparison : triggers.comparisons) {
    if (runtime_.slides(comparison)) out.push_back(comparison);
  }
  return out;
}

bool InstantMaker::step() {
  CRADLE_ASSERT(progress_.under_way, "an instant has begun");
  arrival_.begin(state_.now);
  if (progress_.at_epsilon && !begin_epsilon()) {
    end();
    return false;
  }
  switch (microstep()) {
    case After::Microstep:
      ++progress_.n;
      return true;
    case After::EpsilonStep:
      touch_.next_epsilon();
      progress_.at_epsilon = true;
      ++progress_.k;
      return true;
    case After::Nothing:
      break;
  }
  end();
  return false;
}

// Physical transitions, judged on what was committed. False: nothing is left to be done.
bool InstantMaker::begin_epsilon() {
  const int k = progress_.k;
  const Options& options = runtime_.options;
  state_.at = {state_.now, k, 0};
  if (k > options.max_epsilon_steps) {
    throw bound_reached(runtime_, "--max-epsilon-steps", options.max_epsilon_steps,
                        "the state keeps jumping without time going on");
  }
  if (k > 0) arrive();
  arrival_.begin(state_.now);
  const bool contradictory = progress_.is_start && k == 0 && starts_with_a_jump();
  inside_.begin(InstantEvaluator::View::Committed);
  choices_.begin();
  progress_.held.clear();
  moves_.clear();
  if (!contradictory) transitions_.find_moves(TransitionKind::Physical, moves_);
  if (k > 0) {
    if (!progress_.jumped && moves_.empty() && !memories_.pending() && is_settled()) return false;
    ++state_.statistics.epsilon_steps;
    if (progress_.jumped && !moves_.empty()) {
      ++state_.statistics.pinnacles;
      onlookers_.leaves_as(RowKind::Pinnacle);
    }
    memories_.advance();
    touch_.speaking();
  }
  if (!moves_.empty()) {
    happen();
    onlookers_.moves(TransitionKind::Physical, moves_, {});
    transitions_.apply(moves_);
  }
  progress_.at_epsilon = false;
  progress_.n = 0;
  begin_inference();
  return true;
}

// Initial values that contradict each other say nothing that a physical transition could be judged
// on: it waits for what the first jump makes of them.
bool InstantMaker::starts_with_a_jump() {
  inside_.begin(InstantEvaluator::View::Tried);
  touch_.clusters_of(progress_.touched.units, clusters_scratch_);
  for (const Cluster* cluster : clusters_scratch_) {
    for (const auto& slot : cluster->slots) {
      if (runtime_.is_active(region_of(*slot->island)) && inside_.jumps(*slot)) return true;
    }
  }
  return false;
}

// Inference until it settles, then what the causal network does next.
InstantMaker::After InstantMaker::microstep() {
  const Options& options = runtime_.options;
  const int n = progress_.n;
  state_.at = {state_.now, progress_.k, n};
  if (n > options.max_microsteps && progress_.tried.empty()) {
    throw chattering(runtime_, onlookers_.pattern());
  }
  if (n > options.max_microsteps) {
    throw bound_reached(runtime_, "--max-microsteps", options.max_microsteps,
                        "inference does not settle");
  }
  inside_.begin(InstantEvaluator::View::Tried);
  choices_.begin();
  complete();
  transitions_.find_moves(TransitionKind::Inference, moves_);
  bool reacts = false;
  preempted_.clear();
  if (moves_.empty()) {
    check_strain();
    reacts = find_reaction();
  }
  if (!progress_.happened && moves_.empty() && !reacts) return After::Nothing;
  happen();
  ++state_.statistics.microsteps;
  onlookers_.settles();
  if (!moves_.empty()) {
    infer();
    return After::Microstep;
  }
  const bool more = react();
  touch_.accumulate();
  if (progress_.jumped) ++state_.statistics.jumps;
  if (progress_.jumped || !more) {
    const bool quiet = progress_.is_start && progress_.k == 0 && n == 0 && !progress_.jumped &&
                       progress_.touched.moved.empty();
    if (quiet) onlookers_.leaves_as(RowKind::Start);
    return After::EpsilonStep;
  }
  ++(integrals_jumped_ ? state_.statistics.pinnacles : state_.statistics.mythical);
  onlookers_.leaves_as(integrals_jumped_ ? RowKind::Pinnacle : RowKind::Mythical);
  begin_inference();
  touch_.next_microstep();
  memories_.advance();
  touch_.speaking();
  return After::Microstep;
}

// Every microstep has to have its fixed point, also where nobody asks for it.
void InstantMaker::complete() {
  if (system_.signals_in_circles().empty()) return;
  try {
    inside_.complete();
  } catch (const LoopFault&) {
    happen();
    onlookers_.has_no_end(RowKind::Nonconstructive);
    throw;
  }
}

void InstantMaker::begin_inference() {
  progress_.trail.clear();
  progress_.tried.clear();
  progress_.signature.clear();
  progress_.begun.clear();
  progress_.pivoting = false;
}

// Moves automata by inference: all together, and where that comes round, from the beginning and one
// at a time, least index first. For passive networks with guards like those of diodes this ends
// (Murty 1974, on linear complementarity problems).
void InstantMaker::infer() {
  if (progress_.pivoting) moves_.resize(1);
  for (const Move& move : moves_) {
    const auto known = [&](const auto& entry) { return entry.first == move.automaton; };
    if (std::none_of(progress_.begun.begin(), progress_.begun.end(), known)) {
      progress_.begun.emplace_back(move.automaton, state_.mode[at(move.automaton)]);
    }
  }
  progress_.tried.push_back(progress_.signature);
  mode_signature(moves_);
  const auto again = std::find(progress_.tried.begin(), progress_.tried.end(), progress_.signature);
  const bool cycle = again != progress_.tried.end();
  ++state_.statistics.mythical;
  onlookers_.leaves_by_inference();
  if (cycle && (!progress_.pivoting || judge_more_finely())) {
    const std::vector<std::pair<AutomatonId, int>> begun = progress_.begun;
    begin_inference();
    progress_.begun = begun;
    progress_.pivoting = true;
    onlookers_.begins_over();
    transitions_.put(begun);
    return;
  }
  onlookers_.moves(TransitionKind::Inference, moves_, {});
  transitions_.apply(moves_);
  progress_.trail.push_back(moves_);
  if (!cycle) return;
  state_.at.step = progress_.n + 1;
  throw mode_cycle(runtime_, progress_.trail,
                   static_cast<std::size_t>(again - progress_.tried.begin()));
}

// What is rounding in one mode can be more than that in another, where fewer numbers are added up:
// then modes on both sides of a border are left for one another. How much counts as rounding makes
// no difference to what is clear, so that is tried again with less before it is called a cycle.
// False: there is no less.
bool InstantMaker::judge_more_finely() {
  constexpr double kLeast = 2;
  if (progress_.roundings <= kLeast) return false;
  progress_.roundings /= 4;
  return true;
}

// A mode in which an ideal connection would have to carry something without limit, now or at once
// afterwards, can be tried but not accepted.
void InstantMaker::check_strain() {
  touch_.clusters_of(progress_.touched.units, clusters_scratch_);
  for (const Cluster* cluster : clusters_scratch_) {
    if (!cluster->is_strained) continue;
    for (const auto& slot : cluster->slots) {
      const int strained = judge_.find_strain(*slot);
      if (strained >= 0) throw IslandProblem{slot->island->describe_strain(strained)};
    }
  }
}

// What the causal network will do after this fixed point: transitions of modal models, and what
// memories take up. True if there is anything.
bool InstantMaker::find_reaction() {
  progress_.held.clear();
  transitions_.find_moves(TransitionKind::Modal, reaction_);
  transitions_.follow_immediate(reaction_);
  sets_.clear();
  for (const Move& move : reaction_) {
    for (const model::SetAction& set : transitions_.transition_of(move).sets) {
      const plan::Value value = inside_.value(move.entering ? set.entering : set.value);
      sets_.push_back({&set, value.is_present() ? std::optional(value.finite) : std::nullopt});
    }
  }
  preempted_.clear();
  for (const Move& move : reaction_) {
    const model::Transition& transition = transitions_.transition_of(move);
    if (!transition.preemptive) continue;
    const auto& regions = transitions_.regions_in(move.automaton, transition.from);
    preempted_.insert(preempted_.end(), regions.begin(), regions.end());
  }
  bool any = !reaction_.empty();
  std::sort(progress_.touched.memories.begin(), progress_.touched.memories.end());
  const bool arrival = progress_.k == 0 && progress_.n == 0;
  const Memories::Moment moment = !arrival             ? Memories::Moment::Later
                                  : progress_.is_start ? Memories::Moment::Start
                                                       : Memories::Moment::Arrival;
  for (MemoryId id : progress_.touched.memories) {
    if (is_preempted(system_.model().memories[id].region)) continue;
    any |= memories_.look(id, moment);
  }
  for (int64_t order : memories_.new_futures()) agenda_.add_future(state_.futures.at(order));
  any |= !memories_.new_futures().empty();
  memories_.new_futures().clear();
  return any;
}

// What lives in a mode that is left by force takes no part in this reaction.
bool InstantMaker::is_preempted(RegionId region) const {
  if (preempted_.empty()) return false;
  for (; region.valid(); region = system_.model().regions[region].parent) {
    if (std::find(preempted_.begin(), preempted_.end(), region) != preempted_.end()) return true;
  }
  return false;
}

// State changes after the fixed point. True if there is another microstep to come.
bool InstantMaker::react() {
  onlookers_.moves(TransitionKind::Modal, reaction_, sets_);
  onlookers_.commits();
  progress_.jumped = commit();
  if (!reaction_.empty()) {
    for (const Move& move : reaction_) transitions_.enter(move);
    for (const auto& [set, value] : sets_) {
      if (value) transitions_.assign(*set, *value);
    }
    state_.modes_seen.insert(state_.mode_hash);
    settle(progress_.touched);
  }
  onlookers_.committed();
  return !reaction_.empty() || memories_.pending() || late_jump_;
}

// The automata that will stand elsewhere than where inference began.
void InstantMaker::mode_signature(const std::vector<Move>& moves) {
  auto& out = progress_.signature;
  out.clear();
  for (const auto& [automaton, begun] : progress_.begun) {
    int state = state_.mode[at(automaton)];
    for (const Move& move : moves) {
      if (move.automaton == automaton) state = transitions_.transition_of(move).to;
    }
    if (state != begun) out.emplace_back(automaton.index, state);
  }
  sort_unique(out);
}

void InstantMaker::remember_pres(const std::vector<PreId>& pres) {
  for (PreId pre : pres) {
    state_.pre_value[at(pre)] =
        arrival_.optional(system_.model().pool.pres()[at(pre)]).value_or(kAbsent);
  }
}

void InstantMaker::commit_integrals(const Cluster& cluster) {
  for (StateId id : cluster.integrals) {
    const model::State& state = system_.model().states[id];
    if (!integral_may_jump_[at(id)] || is_preempted(state.region)) continue;
    const double weight = inside_.weight(id);
    if (weight == 0) continue;
    if (progress_.k == 0 && progress_.n == 0 && system_.takes_impulses(id)) {
      throw impulse_at_arrival(runtime_, id);
    }
    const double value = state_.x[at(id)] + weight;
    plus_.push_back({id, value, std::abs(value)});
    integrals_jumped_ = true;
    // An impulse in the derivative is seen only afterwards.
    late_jump_ |= !system_.takes_impulses(id) || inside_.value(state.rate).impulse != 0;
  }
}

// A resistor takes no part in a jump. A source that forces an impulse upon one contradicts that,
// and e = law(f) has no meaning for impulses: the heat would be infinite.
void InstantMaker::check_resistors(Slot& slot) {
  std::vector<double>& impulses = impulses_;
  inside_.impulses(slot, impulses);
  double largest = 0;
  for (double v : impulses) largest = std::max(largest, std::abs(v));
  constexpr double kRounding = 1e-9;
  for (const plan::Equation& equation : slot.island->equations()) {
    if (equation.kind != plan::Equation::Kind::Resistor) continue;
    const auto variable = static_cast<std::size_t>(equation.argument);
    const double p = impulses[variable & ~std::size_t{1}], q = impulses[variable | 1];
    if (std::max(std::abs(p), std::abs(q)) <= kRounding * largest) continue;
    throw impulse_on_resistor(runtime_, slot, inside_.weights(slot), equation.element, p, q);
  }
}

// An island lies in one mode as a whole.
RegionId InstantMaker::region_of(const Island& island) const {
  if (system_.model().regions.empty()) return {};
  const auto& elements = system_.cells()[island.cells()[0]].elements;
  return elements.empty() ? RegionId() : system_.model().elements[elements[0]].region;
}

// x ← x⁺ on all that was touched. True if a store really jumped.
bool InstantMaker::commit() {
  touch_.clusters_of(progress_.touched.units, clusters_scratch_);
  for (const Cluster* cluster : clusters_scratch_) remember_pres(cluster->pres);
  bool jumped = false;
  integrals_jumped_ = late_jump_ = false;
  plus_.clear();
  for (Cluster* cluster : clusters_scratch_) {
    for (const auto& slot : cluster->slots) {
      const Island& island = *slot->island;
      if (!island.is_constrained() && island.impulsive_sources().empty()) continue;
      const RegionId region = region_of(island);
      if (is_preempted(region) || !runtime_.is_active(region)) continue;
      if (inside_.jumps(*slot)) {
        jumped = true;
        const std::span<const double> weights = inside_.weights(*slot);
        if (!weights.empty()) {
          check_resistors(*slot);
          check_impulses(runtime_, *slot, inside_, impulses_);
          for (int e : island.impulsive_sources()) {
            const plan::Equation& equation = island.equations()[at(e)];
            if (weights[at(e)] != 0) state_.struck_at[at(equation.element)] = state_.now;
          }
        }
        onlookers_.jumps(*slot, progress_.touched.switched);
      }
      for (StateId s : island.states()) {
        const double value = inside_.state_projected(s);
        plus_.push_back({s, value, std::max(std::abs(value), inside_.worth_plus(s, true))});
      }
    }
    commit_integrals(*cluster);
  }
  for (const auto& [id, value, worth] : plus_) {
    state_.x[at(id)] = value;
    state_.worth[at(id)] = std::max(state_.worth[at(id)], worth);
    progress_.changed.push_back(id);
  }
  settle(progress_.touched);
  return jumped;
}

// What stands now is what the next arrival sees.
void InstantMaker::arrive() {
  for (StateId id : progress_.changed) state_.arrival_x[at(id)] = state_.x[at(id)];
  for (AutomatonId automaton : progress_.moved) {
    state_.arrival_mode[at(automaton)] = state_.mode[at(automaton)];
  }
  progress_.changed.clear();
  progress_.moved.clear();
  state_.arrival_clock_count = state_.clock_count;
  state_.arrival_held = state_.held;
  clusters_.settle_arrival();
}

// What was committed is what is frozen while time flows, and what further modes are tried from.
void InstantMaker::settle(const Touched& touched) {
  for (AutomatonId automaton : touched.moved) {
    state_.settled_mode[at(automaton)] = state_.mode[at(automaton)];
  }
  inside_.begin(InstantEvaluator::View::Committed, InstantEvaluator::Events::Over);
  refresh_truths(touched.comparisons);
  touch_.clusters_of(touched.units, clusters_scratch_);
  for (Cluster* cluster : clusters_scratch_) refresh_truths(cluster->comparisons);
}

// What only guards on junctions read is judged as they are.
bool InstantMaker::judge(ComparisonId comparison, bool before) {
  if (!watcher_.is_judged(comparison)) return inside_.judge(comparison, before);
  const Judge::Verdict verdict = judge_.judge(comparison);
  touch_.set_margin(comparison, verdict.on_border ? verdict.noise : 0);
  return verdict.truth;
}

// Clusters whose rates depend on a truth that changes have evolved with the old one up to here.
void InstantMaker::refresh_truths(std::span<const ComparisonId> comparisons) {
  std::vector<ComparisonId>& changed = changed_comparisons_;
  changed.clear();
  for (ComparisonId r : comparisons) {
    const bool before = state_.truth[at(r)] != 0;
    if (judge(r, before) != before) changed.push_back(r);
  }
  for (ComparisonId r : changed) touch_.units(system_.comparisons()[r].used_by);
  for (ComparisonId r : changed) state_.truth[at(r)] ^= 1;
  progress_.flipped.insert(progress_.flipped.end(), changed.begin(), changed.end());
}

void InstantMaker::restart(Cluster& cluster) {
  Course& course = runtime_.course_of(cluster);
  course.at = course.end = state_.now;
  if (cluster.solver != nullptr) {
    course.step_hint = clusters_.step_hint(cluster);
    clusters_.set_start(cluster);
    std::vector<double>& x = restart_scratch_;
    x.clear();
    for (StateId s : cluster.states) x.push_back(state_.x[at(s)]);
    cluster.solver->restart(state_.now, x, course.step_hint);
    agenda_.add_end(cluster);
  }
  course.stepped = false;
}

// True when no inference is enabled on what was committed.
bool InstantMaker::is_settled() {
  transitions_.find_moves(TransitionKind::Inference, reaction_);
  return reaction_.empty();
}

void InstantMaker::add_comparison(ComparisonId comparison) {
  if (std::exchange(comparison_mark_[at(comparison)], state_.instants) == state_.instants) return;
  if (!watcher_.matters(comparison)) return watcher_.begin_watch(comparison);
  watching_.push_back(comparison);
  if (state_.watches[at(comparison)].ahead) progress_.flipped.push_back(comparison);
}

void InstantMaker::add_comparisons(const std::vector<ComparisonId>& comparisons) {
  for (ComparisonId r : comparisons) add_comparison(r);
}

// Comparisons that matter in the modes that were entered.
void InstantMaker::add_comparisons_of(AutomatonId automaton) {
  const plan::CompiledAutomaton& compiled = system_.automaton(automaton);
  for (int i : compiled.leaving[static_cast<std::size_t>(state_.mode[at(automaton)])]) {
    add_comparisons(compiled.transitions[static_cast<std::size_t>(i)].comparisons);
  }
  for (MemoryId id : compiled.memories) {
    const plan::CompiledMemory& memory = system_.memory(id);
    add_comparisons(memory.inputs);
    for (ComparisonId r : {memory.rising, memory.falling}) {
      if (r.valid()) add_comparison(r);
    }
  }
}

// Comparisons that may begin to matter when this one changes: see is_awaited.
void InstantMaker::add_partners(ComparisonId comparison) {
  for (auto [automaton, t] : system_.comparisons()[comparison].guards) {
    const auto index = static_cast<std::size_t>(t);
    const int from = system_.model().automata[automaton].transitions[index].from;
    if (from != state_.mode[at(automaton)]) continue;
    add_comparisons(system_.automaton(automaton).transitions[index].comparisons);
  }
  // What a memory listens to was searched with the old truth.
  for (MemoryId id : system_.comparisons()[comparison].memories) {
    const plan::CompiledMemory& memory = system_.memory(id);
    add_comparisons(memory.inputs);
    for (ComparisonId r : {memory.rising, memory.falling}) {
      if (r.valid()) add_comparison(r);
    }
  }
}

// Truths as they are when time goes on, into watching_. One that changes touches the clusters that
// depend on it, and they others.
void InstantMaker::refresh_all(Touched& touched) {
  watching_.clear();
  add_comparisons(touched.comparisons);
  for (AutomatonId a : touched.moved) add_comparisons_of(a);
  for (std::size_t units = 0, flips = 0, judged = 0;;) {
    for (; units < touched.units.size(); ++units) {
      const plan::Unit& unit = system_.units()[touched.units[units]];
      add_comparisons(unit.watched_by);
      add_comparisons(unit.comparisons);
    }
    for (; flips < progress_.flipped.size(); ++flips) add_partners(progress_.flipped[flips]);
    if (judged == watching_.size()) break;
    inside_.begin(InstantEvaluator::View::Committed);
    refresh_truths(std::span(watching_).subspan(judged));
    judged = watching_.size();
    touch_.accumulate();
  }
  check_followed();
  std::sort(watching_.begin(), watching_.end());
}

// The net below inference: what holds clearly has been followed. Otherwise it would be waited for
// in vain.
void InstantMaker::check_followed() {
  for (ComparisonId r : watching_) {
    if (!watcher_.is_judged(r) || state_.truth[at(r)] == 0 || touch_.margin_of(r) > 0) continue;
    for (auto [id, t] : system_.comparisons()[r].guards) {
      const model::Automaton& automaton = system_.model().automata[id];
      const model::Transition& transition = automaton.transitions[at(t)];
      if (transition.physical || transition.from != state_.mode[at(id)]) continue;
      if (!runtime_.is_active(automaton.region)) continue;
      const auto& held = progress_.held;
      if (std::find(held.begin(), held.end(), id) != held.end()) continue;
      if (!judge_.holds(system_.automaton(id).transitions[at(t)].guard)) continue;
      throw missed_event(runtime_, r, state_.now, state_.now, judge_.gap());
    }
  }
}

// Time goes on.
void InstantMaker::end() {
  touch_.accumulate();
  memories_.advance();
  state_.at = {state_.now, 0, 0};
  progress_.under_way = false;
  arrive();
  if (progress_.happened) {
    leave(progress_.total);
  } else {
    settle(progress_.total);
    auto& units = progress_.total.units;
    units.insert(units.end(), progress_.projected.begin(), progress_.projected.end());
    sort_unique(units);
    refresh_all(progress_.total);
    // Where nothing happened, solvers go on as they were, but for those that were put right.
    touch_.clusters_of(progress_.projected, leaving_);
    for (Cluster* cluster : leaving_) restart(*cluster);
    watcher_.rewatch(watching_, touch_);
  }
  if (progress_.is_start) {
    std::vector<ComparisonId> all;
    for (std::size_t r = 0; r < system_.comparisons().size(); ++r) all.push_back(ComparisonId(r));
    watcher_.rewatch(all, touch_);
  }
  onlookers_.ends_instant(progress_.happened);
}

// Solvers begin anew where something changed, and comparisons are watched from here.
void InstantMaker::leave(Touched& touched) {
  sort_unique(touched.moved);
  // That a run begins is no event, unless something moves there.
  if (std::exchange(state_.running, true) || !touched.moved.empty()) ++state_.statistics.events;
  sliding_.forget_left(touched.comparisons);
  refresh_all(touched);
  begin_sliding(touched);
  touch_.clusters_of(touched.units, leaving_);
  touch_.update_readers_of_pre(leaving_);
  for (Cluster* cluster : leaving_) {
    // What has no state was not told of the later arrivals of this instant.
    if (cluster->solver == nullptr) remember_pres(cluster->pres);
    restart(*cluster);
  }
  watcher_.rewatch(watching_, touch_);
  clusters_.trim();
  look_for_accumulation(touched);
}

void InstantMaker::begin_sliding(const Touched& touched) {
  const std::size_t before = watching_.size();
  sliding_.begin(progress_.flipped, touched.moved, watching_);
  if (watching_.size() == before) return;
  sort_unique(watching_);
  show_sliding();
}

// The side on which the border was reached has been mythical: values are means from here on.
void InstantMaker::show_sliding() {
  ++state_.statistics.microsteps;
  ++state_.statistics.mythical;
  onlookers_.leaves_as(RowKind::Mythical);
  // An ε-step that changed nothing has been counted and not recorded.
  state_.at = {state_.now, progress_.k - 1, progress_.n + 1};
  onlookers_.settles();
  state_.at = {state_.now, 0, 0};
}

void InstantMaker::look_for_accumulation(const Touched& touched) {
  const Options& options = runtime_.options;
  const double t = state_.now;
  if (state_.statistics.events > options.max_events) {
    throw bound_reached(runtime_, "--max-events", options.max_events, "there are too many events");
  }
  // Of the time itself, whatever its unit: a circuit may live for picoseconds.
  const double close = 1e-13 * std::abs(t);
  state_.chatter =
      state_.last_event_time >= 0 && t - state_.last_event_time <= close ? state_.chatter + 1 : 0;
  state_.last_event_time = t;
  auto look = [&](std::size_t source) {
    if (auto found =
            watch_accumulation(state_.histories[source], source, t, options.zeno_resolution)) {
      accumulate_at(*found);
    }
  };
  // Contacts that bounce towards a limit close there by themselves (semantics, 6.2).
  for (AutomatonId a : touched.moved) {
    if (system_.model().automata[a].modal) look(at(a));
  }
  for (MemoryId memory : touched.spoken) look(system_.model().automata.size() + at(memory));
  if (state_.chatter > options.max_chatter) {
    throw bound_reached(runtime_, "--max-chatter", options.max_chatter,
                        "events follow each other without time going on measurably");
  }
}

// Events accumulate: the run ends there, or it is said once and the culprit is not watched until
// the point has passed.
void InstantMaker::accumulate_at(const Accumulation& found) {
  Diagnostic d = accumulation(runtime_, found);
  if (runtime_.options.zeno == ZenoPolicy::Stop) throw RunFault{Ending::Accumulation, d};
  onlookers_.warn(std::move(d));
  const std::size_t automata = system_.model().automata.size();
  std::vector<ComparisonId> comparisons;
  if (found.source < automata) {
    for (const auto& transition : system_.automaton(AutomatonId(found.source)).transitions) {
      comparisons.insert(comparisons.end(), transition.comparisons.begin(),
                         transition.comparisons.end());
    }
  } else {
    const plan::CompiledMemory& compiled = system_.memory(MemoryId(found.source - automata));
    comparisons = compiled.inputs;
    for (ComparisonId r : {compiled.rising, compiled.falling}) {
      if (!r.valid()) continue;
      comparisons.push_back(r);
      memories_.set_ready(r, false);
    }
  }
  for (ComparisonId r : comparisons) state_.watches[at(r)].not_before = found.limit;
  judge_anew(comparisons);
}

void InstantMaker::judge_anew(std::span<const ComparisonId> comparisons) {
  inside_.begin(InstantEvaluator::View::Committed);
  refresh_truths(comparisons);
  watcher_.rewatch(comparisons, touch_);
}

void InstantMaker::judge_all() {
  std::vector<ComparisonId> comparisons;
  for (std::size_t r = 0; r < system_.comparisons().size(); ++r) {
    comparisons.push_back(ComparisonId(r));
    // What begins within rounding of zero has crossed it already.
    state_.truth[r] = system_.comparisons()[ComparisonId(r)].detector.valid() ? 1 : 0;
  }
  arrival_.begin(state_.now);
  inside_.begin(InstantEvaluator::View::Committed);
  refresh_truths(comparisons);
}

}  // namespace cradle::engine
