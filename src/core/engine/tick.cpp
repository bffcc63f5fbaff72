// One instant of real time: the tick of semantics, section 6.

#include <algorithm>
#include <utility>

#include "base/basics/sorted.hpp"
#include "core/engine/engine.hpp"

namespace cradle::engine {

// Something does happen here: the values just before it are recorded, and clusters whose rates read
// pre see a new arrival.
void Engine::happen() {
  if (happened_) return;
  happened_ = true;
  record_before();
  for (Cluster* cluster : pre_readers_) touch_cluster(*cluster);
}

void Engine::instant(double t, const Triggers& triggers) {
  runtime_.now = t;
  now_ = {t, 0, 0};
  arrival_.begin(t);
  ++instants_;
  total_.clear();
  flipped_.clear();
  is_start_ = triggers.start;
  happened_ = triggers.start;
  for (RelationId relation : triggers.relations) {
    remember(last_relations_, relation);
  }
  first_touch(triggers);
  watched_ = witness_ != nullptr && witness_->arrives(scene(), triggers);
  for (const auto& [memory, value] : triggers.events) memories_.due(memory, value);
  if (!touched_.units.empty() || touched_.seen || memories_.pending()) happen();

  bool jumped = false;
  for (int k = 0;; ++k) {
    now_ = {t, k, 0};
    if (k > options_.max_epsilon_steps) {
      throw bound_reached("--max-epsilon-steps", options_.max_epsilon_steps,
                          "the state keeps jumping without time going on");
    }
    check_progress();
    if (k > 0) check_rows();
    if (outcome_.ending != Ending::Running) throw RunFault{Ending::Cancelled, {}};
    arrival_.begin(t);
    tick_.begin(TickEvaluator::View::Committed);
    choices_.begin();
    held_.clear();
    find_moves(TransitionKind::Physical, moves_);
    if (k > 0) {
      if (!jumped && moves_.empty() && !memories_.pending() && is_settled()) break;
      ++statistics_.epsilon_steps;
      if (jumped && !moves_.empty()) {
        ++statistics_.pinnacles;
        recorder_.leave_as(RowKind::Pinnacle);
      }
      memories_.advance();
      touch_speaking();
    }
    if (!moves_.empty()) {
      happen();
      if (watched_) witness_->moves(scene(), TransitionKind::Physical, moves_, {});
      apply(moves_);
    }
    if (!microsteps(k, jumped)) break;
    if (triggers.start && k == 0 && now_.step == 0 && !jumped && touched_.moved.empty()) {
      recorder_.leave_as(RowKind::Start);
    }
    next_touch();
  }
  accumulate();
  memories_.advance();
  now_ = {t, 0, 0};
  if (happened_) {
    leave_instant(total_);
  } else {
    settle(total_);
    refresh_all(total_);
    rewatch(watching_);
  }
  recorder_.end_instant();
}

// Inference until it settles, then what the causal network does next, over and over, until a store
// jumps or nothing is left to be done. False: nothing at all happens at this instant.
bool Engine::microsteps(int k, bool& jumped) {
  trail_.clear();
  tried_.clear();
  signature_.clear();
  for (int n = 0;; ++n) {
    now_ = {runtime_.now, k, n};
    if (n > options_.max_microsteps && tried_.empty()) throw chattering();
    if (n > options_.max_microsteps) {
      throw bound_reached("--max-microsteps", options_.max_microsteps, "inference does not settle");
    }
    tick_.begin(TickEvaluator::View::Tried);
    choices_.begin();
    complete_tick();
    find_moves(TransitionKind::Inference, moves_);
    bool reacts = false;
    preempted_.clear();
    if (moves_.empty()) reacts = find_reaction();
    if (!happened_ && moves_.empty() && !reacts) return false;
    happen();
    ++statistics_.microsteps;
    record_tick(k, n);
    if (watched_) witness_->settles(scene(), now_, recorder_.last_row(), touched_.units);
    if (!moves_.empty() && infer(k, n)) continue;
    const bool more = react(jumped);
    accumulate();
    if (jumped) ++statistics_.jumps;
    if (jumped || !more) return true;
    ++(integrals_jumped_ ? statistics_.pinnacles : statistics_.mythical);
    recorder_.leave_as(integrals_jumped_ ? RowKind::Pinnacle : RowKind::Mythical);
    trail_.clear();
    tried_.clear();
    signature_.clear();
    next_microstep();
  }
}

// Every tick has to have its fixed point, also where nobody asks for it.
void Engine::complete_tick() {
  if (system_.signals_in_circles().empty()) return;
  try {
    tick_.complete();
  } catch (const LoopFault&) {
    happen();
    record_unfinished(RowKind::Nonconstructive);
    throw;
  }
}

// Moves automata by inference. False if it was rounding alone that would have moved them.
bool Engine::infer(int k, int n) {
  tried_.push_back(signature_);
  mode_signature(moves_, signature_);
  const auto again = std::find(tried_.begin(), tried_.end(), signature_);
  const bool cycle = again != tried_.end();
  if (cycle && is_noise(moves_)) {
    find_reaction();
    return false;
  }
  ++statistics_.mythical;
  recorder_.leave_by_inference();
  if (watched_) witness_->moves(scene(), TransitionKind::Inference, moves_, {});
  apply(moves_);
  trail_.push_back(moves_);
  if (cycle) {
    now_ = {runtime_.now, k, n + 1};
    throw mode_cycle(trail_, static_cast<std::size_t>(again - tried_.begin()));
  }
  return true;
}

// What the causal network will do after this fixed point: transitions of modal models, and what
// memories take up. True if there is anything.
bool Engine::find_reaction() {
  held_.clear();
  find_moves(TransitionKind::Modal, reaction_);
  follow_immediate();
  sets_.clear();
  for (const Move& move : reaction_) {
    for (const model::SetAction& set : transition_of(move).sets) {
      const plan::Value value = tick_.value(move.entering ? set.entering : set.value);
      sets_.push_back({&set, value.is_present() ? std::optional(value.finite) : std::nullopt});
    }
  }
  preempted_.clear();
  for (const Move& move : reaction_) {
    const model::Transition& transition = transition_of(move);
    if (!transition.preemptive) continue;
    const auto& regions = regions_in(move.automaton, transition.from);
    preempted_.insert(preempted_.end(), regions.begin(), regions.end());
  }
  bool any = !reaction_.empty();
  std::sort(touched_.memories.begin(), touched_.memories.end());
  const bool arrival = now_.eps == 0 && now_.step == 0;
  const Memories::Moment moment = !arrival    ? Memories::Moment::Later
                                  : is_start_ ? Memories::Moment::Start
                                              : Memories::Moment::Arrival;
  for (MemoryId id : touched_.memories) {
    if (is_preempted(system_.model().memories[id].region)) continue;
    any |= memories_.look(id, moment);
  }
  for (const Memories::Future& future : memories_.new_futures()) {
    if (future.time > until_) continue;
    futures_[future.order] = future;
    agenda_.push({future.time, Entry::Kind::Event, future.memory.index,
                  static_cast<uint64_t>(future.order)});
  }
  any |= !memories_.new_futures().empty();
  memories_.new_futures().clear();
  return any;
}

// What lives in a mode that is left by force takes no part in this reaction.
bool Engine::is_preempted(RegionId region) const {
  if (preempted_.empty()) return false;
  for (; region.valid(); region = system_.model().regions[region].parent) {
    if (std::find(preempted_.begin(), preempted_.end(), region) != preempted_.end()) return true;
  }
  return false;
}

// State changes after the fixed point. True if there is another microstep to come.
bool Engine::react(bool& jumped) {
  if (watched_) witness_->moves(scene(), TransitionKind::Modal, reaction_, sets_);
  if (watched_) witness_->commits(scene());
  jumped = commit();
  if (!reaction_.empty()) {
    for (const Move& move : reaction_) enter(move);
    for (const auto& [set, value] : sets_) {
      if (value) assign(*set, *value);
    }
    modes_seen_.insert(mode_hash_);
    settle(touched_);
  }
  if (watched_) witness_->committed(scene());
  return !reaction_.empty() || memories_.pending() || late_jump_;
}

// What tolerance and rounding can make of a relation between equal numbers: as much as all that it
// reads is worth. Time and parameters are exact.
double Engine::noise_of(RelationId id) {
  const plan::Relation& relation = system_.relations()[id];
  if (relation.units.empty()) return 0;
  const expr::Pool& pool = system_.model().pool;
  double scale = 0;
  for (ExprId leaf : pool.leaves(relation.expr)) {
    if (pool[leaf].type == expr::Type::Number) scale += std::abs(tick_.value(leaf).finite);
  }
  constexpr double kFactor = 1e3;  // errors of many steps add up
  return kFactor * (options_.relative_tolerance * scale + options_.absolute_tolerance);
}

// At the border between two modes both can look wrong by a rounding error: a diode whose current
// has just become negative, and whose voltage is then above its threshold in the last digit. A mode
// that only rounding would leave, for one that was tried already, is consistent.
bool Engine::is_noise(const std::vector<Move>& moves) {
  find_moves(TransitionKind::Inference, clear_moves_, true);
  if (!clear_moves_.empty()) return false;
  for (const Move& move : moves) {
    const auto& transition =
        system_.automaton(move.automaton).transitions[static_cast<std::size_t>(move.transition)];
    bool uncertain = false;  // time and parameters are exact; what a solver computes is not
    for (RelationId r : transition.relations) {
      if (system_.relations()[r].units.empty()) continue;
      if (!tick_.holds(system_.relations()[r].truth)) continue;
      touched_.noisy.push_back(r);
      uncertain = true;
    }
    if (!uncertain) return false;
  }
  return true;
}

// The automata that will stand elsewhere than on arrival.
void Engine::mode_signature(const std::vector<Move>& moves, Signature& out) const {
  out.clear();
  auto target = [&](AutomatonId automaton) {
    for (const Move& move : moves) {
      if (move.automaton == automaton) return transition_of(move).to;
    }
    return runtime_.mode[at(automaton)];
  };
  auto add = [&](AutomatonId automaton) {
    const int state = target(automaton);
    if (state != runtime_.arrival_mode[at(automaton)]) out.emplace_back(automaton.index, state);
  };
  for (AutomatonId automaton : touched_.moved) add(automaton);
  for (const Move& move : moves) add(move.automaton);
  sort_unique(out);
}

void Engine::clusters_of(const std::vector<UnitId>& units, std::vector<Cluster*>& out) const {
  out.clear();
  for (UnitId unit : units) {
    Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (cluster->units[0] == unit) out.push_back(cluster);
  }
}

void Engine::remember_pres(const std::vector<Cluster*>& clusters) {
  for (const Cluster* cluster : clusters) remember_pres(cluster->pres);
  remember_pres(shown_pres_);
}

void Engine::remember_pres(const std::vector<PreId>& pres) {
  for (PreId pre : pres) {
    runtime_.pre_value[at(pre)] =
        arrival_.optional(system_.model().pool.pres()[at(pre)]).value_or(kAbsent);
  }
}

void Engine::commit_integrals(const Cluster& cluster) {
  for (StateId id : cluster.integrals) {
    const model::State& state = system_.model().states[id];
    if (!integral_may_jump_[at(id)] || is_preempted(state.region)) continue;
    const double weight = tick_.weight(id);
    if (weight == 0) continue;
    if (now_.eps == 0 && now_.step == 0 && system_.takes_impulses(id)) check_continuity(id);
    plus_.emplace_back(id, runtime_.x[at(id)] + weight);
    integrals_jumped_ = true;
    // An impulse in the derivative is seen only afterwards.
    late_jump_ |= !system_.takes_impulses(id) || tick_.value(state.rate).impulse != 0;
  }
}

// A resistor takes no part in a jump. A source that forces an impulse upon one contradicts that,
// and e = law(f) has no meaning for impulses: the heat would be infinite.
void Engine::check_resistors(Slot& slot) {
  std::vector<double>& impulses = impulses_;
  tick_.impulses(slot, impulses);
  double largest = 0;
  for (double v : impulses) largest = std::max(largest, std::abs(v));
  constexpr double kRounding = 1e-9;
  for (const plan::Equation& equation : slot.island->equations()) {
    if (equation.kind != plan::Equation::Kind::Resistor) continue;
    const auto variable = static_cast<std::size_t>(equation.argument);
    const double p = impulses[variable & ~std::size_t{1}], q = impulses[variable | 1];
    if (std::max(std::abs(p), std::abs(q)) <= kRounding * largest) continue;
    throw impulse_on_resistor(slot, equation.element, p, q);
  }
}

// An island lies in one mode as a whole.
RegionId Engine::region_of(const Island& island) const {
  if (system_.model().regions.empty()) return {};
  const auto& elements = system_.cells()[island.cells()[0]].elements;
  return elements.empty() ? RegionId() : system_.model().elements[elements[0]].region;
}

// x ← x⁺ on all that was touched. True if a store really jumped.
bool Engine::commit() {
  clusters_of(touched_.units, clusters_scratch_);
  remember_pres(clusters_scratch_);
  if (Sketch* sketch = recorder_.sketch()) sketch->remember(drawn_pres_);
  bool jumped = false;
  integrals_jumped_ = late_jump_ = false;
  plus_.clear();
  for (Cluster* cluster : clusters_scratch_) {
    for (const auto& slot : cluster->slots) {
      const Island& island = *slot->island;
      if (!island.is_constrained() && island.impulsive_sources().empty()) continue;
      const RegionId region = region_of(island);
      if (is_preempted(region) || !runtime_.is_active(region)) continue;
      if (tick_.jumps(*slot)) {
        jumped = true;
        if (slot->has_weights) {
          check_resistors(*slot);
          for (int e : island.impulsive_sources()) {
            const plan::Equation& equation = island.equations()[at(e)];
            if (slot->weights[at(e)] != 0) runtime_.struck_at[at(equation.element)] = now_.t;
          }
        }
        if (options_.audit) {
          if (double created = audit_.jumped(*slot, touched_.switched); created > 0) {
            report_created(created, touched_.switched);
          }
        }
      }
      for (StateId s : island.states()) plus_.emplace_back(s, tick_.state_projected(s));
    }
    commit_integrals(*cluster);
  }
  for (auto [state, value] : plus_) runtime_.x[at(state)] = value;
  settle(touched_);
  return jumped;
}

// What stands now is what the next arrival sees, and what is frozen while time flows.
void Engine::settle(const Touched& touched) {
  clusters_.settle_arrival();
  for (AutomatonId automaton : touched.moved) {
    runtime_.arrival_mode[at(automaton)] = runtime_.mode[at(automaton)];
  }
  runtime_.arrival_clock_count = runtime_.clock_count;
  tick_.begin(TickEvaluator::View::Committed);
  refresh_truths(touched.relations);
  clusters_of(touched.units, clusters_scratch_);
  for (Cluster* cluster : clusters_scratch_) refresh_truths(cluster->relations);
}

// Clusters whose rates depend on a truth that changes have evolved with the old one up to here.
void Engine::refresh_truths(std::span<const RelationId> relations) {
  std::vector<RelationId>& changed = changed_relations_;
  changed.clear();
  for (RelationId r : relations) {
    const bool before = runtime_.truth[at(r)] != 0;
    if (tick_.judge(r, before) != before) changed.push_back(r);
  }
  for (RelationId r : changed) touch_units(system_.relations()[r].used_by);
  for (RelationId r : changed) runtime_.truth[at(r)] ^= 1;
  flipped_.insert(flipped_.end(), changed.begin(), changed.end());
}

void Engine::restart(Cluster& cluster) {
  cluster.installed = ++version_;
  cluster.at = runtime_.now;
  cluster.end = runtime_.now;
  cluster.audited = runtime_.now;
  if (cluster.solver != nullptr) {
    if (cluster.stepped) cluster.step_hint = cluster.solver->next_step_hint();
    std::vector<double>& x = restart_scratch_;
    x.clear();
    for (StateId s : cluster.states) x.push_back(runtime_.x[at(s)]);
    cluster.solver->restart(runtime_.now, x, cluster.step_hint);
    if (runtime_.now < until_) {
      agenda_.push(
          {runtime_.now, Entry::Kind::ClusterEnd, cluster.units[0].index, cluster.installed});
    }
  }
  cluster.stepped = false;
}

// Projecting a state onto its constraints can tip a guard that is true by a hair. True when no
// inference is enabled on what was committed.
bool Engine::is_settled() {
  find_moves(TransitionKind::Inference, clear_moves_, true);
  return clear_moves_.empty();
}

// In the order of their units: an order by address would differ from run to run.
void Engine::collect_pre_readers(const std::vector<Cluster*>& clusters) {
  std::erase_if(pre_readers_, [](const Cluster* c) { return !c->in_force; });
  for (Cluster* cluster : clusters) {
    const bool reads = !cluster->pres.empty() && cluster->solver != nullptr;
    const bool known =
        std::find(pre_readers_.begin(), pre_readers_.end(), cluster) != pre_readers_.end();
    if (reads && !known) pre_readers_.push_back(cluster);
  }
  std::sort(pre_readers_.begin(), pre_readers_.end(),
            [](const Cluster* a, const Cluster* b) { return a->units[0] < b->units[0]; });
}

// The truth of a relation that only guards read, none of which can be taken next, is judged when
// one of them can be.
bool Engine::matters(RelationId id) const {
  if (!is_private(id)) return true;
  const auto& guards = system_.relations()[id].guards;
  return std::any_of(guards.begin(), guards.end(), [this](const auto& guard) {
    const model::Automaton& automaton = system_.model().automata[guard.first];
    const auto& transition = automaton.transitions[static_cast<std::size_t>(guard.second)];
    return transition.from == runtime_.mode[at(guard.first)];
  });
}

void Engine::add_relation(RelationId relation) {
  if (std::exchange(relation_mark_[at(relation)], instants_) == instants_) return;
  if (!matters(relation)) return begin_watch(relation);
  watching_.push_back(relation);
  if (watches_[at(relation)].ahead) flipped_.push_back(relation);
}

void Engine::add_relations(const std::vector<RelationId>& relations) {
  for (RelationId r : relations) add_relation(r);
}

// Relations that matter in the modes that were entered.
void Engine::add_relations_of(AutomatonId automaton) {
  const plan::CompiledAutomaton& compiled = system_.automaton(automaton);
  for (int i : compiled.leaving[static_cast<std::size_t>(runtime_.mode[at(automaton)])]) {
    add_relations(compiled.transitions[static_cast<std::size_t>(i)].relations);
  }
  for (MemoryId id : compiled.memories) {
    const plan::CompiledMemory& memory = system_.memory(id);
    add_relations(memory.inputs);
    for (RelationId r : {memory.rising, memory.falling}) {
      if (r.valid()) add_relation(r);
    }
  }
}

// Relations that may begin to matter when this one changes: see is_awaited.
void Engine::add_partners(RelationId relation) {
  for (auto [automaton, t] : system_.relations()[relation].guards) {
    const auto index = static_cast<std::size_t>(t);
    const int from = system_.model().automata[automaton].transitions[index].from;
    if (from != runtime_.mode[at(automaton)]) continue;
    add_relations(system_.automaton(automaton).transitions[index].relations);
  }
}

// Truths as they are when time goes on, into watching_. One that changes touches the clusters that
// depend on it, and they others.
void Engine::refresh_all(Touched& touched) {
  watching_.clear();
  add_relations(touched.relations);
  for (AutomatonId a : touched.moved) add_relations_of(a);
  for (std::size_t units = 0, flips = 0, judged = 0;;) {
    for (; units < touched.units.size(); ++units) {
      const plan::Unit& unit = system_.units()[touched.units[units]];
      add_relations(unit.watched_by);
      add_relations(unit.relations);
    }
    for (; flips < flipped_.size(); ++flips) add_partners(flipped_[flips]);
    if (judged == watching_.size()) break;
    tick_.begin(TickEvaluator::View::Committed);
    refresh_truths(std::span(watching_).subspan(judged));
    judged = watching_.size();
    accumulate();
  }
  std::sort(watching_.begin(), watching_.end());
}

// Time goes on: solvers begin anew where something changed, and relations are watched from here.
void Engine::leave_instant(Touched& touched) {
  const double t = runtime_.now;
  if (started_running_) ++statistics_.events;
  started_running_ = true;
  std::vector<Cluster*>& clusters = leaving_;
  sort_unique(touched.moved);
  refresh_all(touched);
  clusters_of(touched.units, clusters);
  collect_pre_readers(clusters);
  for (Cluster* cluster : clusters) {
    // What has no state was not told of the later arrivals of this instant.
    if (cluster->solver == nullptr) remember_pres(cluster->pres);
    restart(*cluster);
  }
  rewatch(watching_);
  watch_noisy(touched);
  clusters_.trim();
  watch_accumulation(touched, t);
}

void Engine::watch_accumulation(const Touched& touched, double t) {
  if (statistics_.events > options_.max_events) {
    throw bound_reached("--max-events", options_.max_events, "there are too many events");
  }
  const double close = 1e-13 * std::max(1.0, std::abs(t));
  chatter_ = last_event_time_ >= 0 && t - last_event_time_ < close ? chatter_ + 1 : 0;
  last_event_time_ = t;
  auto look = [&](std::size_t source) {
    if (auto found = zeno_.moved(source, t, options_.zeno_resolution)) accumulate_at(*found);
  };
  for (AutomatonId a : touched.moved) look(at(a));
  for (MemoryId memory : touched.spoken) look(system_.model().automata.size() + at(memory));
  if (chatter_ > options_.max_chatter) {
    throw bound_reached("--max-chatter", options_.max_chatter,
                        "events follow each other without time going on measurably");
  }
}

}  // namespace cradle::engine
