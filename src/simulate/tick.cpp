// One instant of real time: the tick of semantics, section 6.

#include <algorithm>

#include "simulate/engine.hpp"

namespace cradle::simulate {

namespace {

uint64_t mix(uint64_t v) {  // splitmix64
  v += 0x9e3779b97f4a7c15ull;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

uint64_t mode_key(AutomatonId automaton, int state) {
  return mix((static_cast<uint64_t>(automaton.index) << 16) + static_cast<uint64_t>(state));
}

template <class T>
void remember(std::deque<T>& last, const T& item, std::size_t most) {
  if (last.size() == most) last.pop_front();
  last.push_back(item);
}

}  // namespace

void Engine::add_candidate(Touched& touched, AutomatonId automaton) {
  if (automaton_mark_[at(automaton)] == mark_) return;
  automaton_mark_[at(automaton)] = mark_;
  touched.candidates.push_back(automaton);
}

// Everything in a cluster may change when one part does; who reads it has to look again.
void Engine::touch_cluster(Touched& touched, Cluster& cluster) {
  if (cluster.audited < runtime_.now) audit_.evolved(cluster, runtime_.now);
  runtime_.arrive(cluster);
  for (UnitId unit : cluster.units) {
    if (unit_mark_[at(unit)] == mark_) continue;
    unit_mark_[at(unit)] = mark_;
    touched.units.push_back(unit);
    for (AutomatonId reader : system_.units()[unit].readers) add_candidate(touched, reader);
  }
}

void Engine::touch_units(Touched& touched, const std::vector<UnitId>& units) {
  for (UnitId unit : units) {
    if (unit_mark_[at(unit)] != mark_) {
      touch_cluster(touched, *runtime_.cluster_of_unit[at(unit)]);
    }
  }
}

Engine::Touched Engine::first_touch(const Triggers& triggers) {
  ++mark_;
  Touched touched;
  for (ClockId clock : triggers.clocks) {
    // Up to here what reads the clock evolved with the old count.
    touch_units(touched, system_.units_reading(clock));
    ++runtime_.clock_count[at(clock)];
    touched.seen |= clock_is_shown_[at(clock)] != 0;
    for (AutomatonId automaton : system_.automata_reading(clock)) {
      add_candidate(touched, automaton);
    }
    const auto& relations = system_.relations_reading(clock);
    touched.relations.insert(touched.relations.end(), relations.begin(), relations.end());
  }
  for (RelationId id : triggers.relations) {
    const compile::Relation& relation = system_.relations()[id];
    touched.relations.push_back(id);
    touched.seen |= relation_is_shown_[at(id)] != 0;
    for (auto [automaton, transition] : relation.guards) add_candidate(touched, automaton);
    touch_units(touched, relation.used_by);
  }
  if (triggers.start) {
    for (std::size_t a = 0; a < runtime_.mode.size(); ++a) add_candidate(touched, AutomatonId(a));
    for (std::size_t u = 0; u < system_.units().size(); ++u) touch_units(touched, {UnitId(u)});
  }
  for (AutomatonId automaton : system_.automata_reading_pre()) add_candidate(touched, automaton);
  return touched;
}

// After an ε-step only those look again that read what it changed; clusters whose rates read pre
// see a new arrival.
Engine::Touched Engine::next_touch(const Touched& last, const std::vector<AutomatonId>& held) {
  ++mark_;
  Touched touched;
  for (UnitId unit : last.units) {
    for (AutomatonId reader : system_.units()[unit].readers) add_candidate(touched, reader);
    Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (!cluster->pres.empty()) touch_cluster(touched, *cluster);
  }
  for (AutomatonId automaton : last.moved) {
    add_candidate(touched, automaton);
    for (AutomatonId reader : system_.automaton(automaton).read_by) add_candidate(touched, reader);
  }
  for (AutomatonId automaton : held) add_candidate(touched, automaton);
  for (AutomatonId automaton : system_.automata_reading_pre()) add_candidate(touched, automaton);
  touch_pre_readers(touched);
  return touched;
}

void Engine::accumulate(Touched& total, const Touched& last) {
  for (UnitId unit : last.units) {
    if (instant_mark_[at(unit)] == instants_) continue;
    instant_mark_[at(unit)] = instants_;
    total.units.push_back(unit);
  }
  auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(total.moved, last.moved);
  append(total.relations, last.relations);
  append(total.noisy, last.noisy);
}

// Something does happen here: the values just before it are recorded, and clusters whose rates read
// pre see a new arrival.
void Engine::happen(Touched& touched, bool& happened) {
  if (happened) return;
  happened = true;
  record_before();
  touch_pre_readers(touched);
}

void Engine::touch_pre_readers(Touched& touched) {
  for (Cluster* cluster : pre_readers_) touch_cluster(touched, *cluster);
}

void Engine::instant(double t, const Triggers& triggers) {
  runtime_.now = t;
  now_ = {t, 0, 0};
  arrival_.begin(t);
  ++instants_;
  for (RelationId relation : triggers.relations) remember(last_relations_, relation, kRemembered);
  Touched touched = first_touch(triggers), total;
  std::vector<AutomatonId> held;
  bool happened = triggers.start;
  if (!touched.units.empty() || touched.seen) happen(touched, happened);

  bool jumped = false;
  std::size_t last_row = 0;
  for (int k = 0;; ++k) {
    now_ = {t, k, 0};
    if (k > options_.max_epsilon_steps) {
      throw bound_reached("--max-epsilon-steps", options_.max_epsilon_steps,
                          "the state keeps jumping without time going on");
    }
    check_progress();
    if (outcome_.ending != Ending::Running) throw RunFault{Ending::Cancelled, {}};
    arrival_.begin(t);
    tick_.begin(TickEvaluator::View::Committed);
    held.clear();
    std::vector<Move> moves = enabled(touched.candidates, true, held);
    if (k > 0) {
      if (!jumped && moves.empty() && is_settled(touched)) break;
      ++statistics_.epsilon_steps;
      if (jumped && !moves.empty()) {
        ++statistics_.pinnacles;
        if (options_.record) trajectory_.set_kind(last_row, RowKind::Pinnacle);
      }
    }
    if (!moves.empty()) {
      happen(touched, happened);
      apply(moves, touched);
    }
    if (!microsteps(touched, k, happened, last_row)) break;
    jumped = commit(touched);
    if (jumped) ++statistics_.jumps;
    if (triggers.start && k == 0 && !jumped && touched.moved.empty() && options_.record) {
      trajectory_.set_kind(last_row, RowKind::Start);
    }
    accumulate(total, touched);
    touched = next_touch(touched, held);
  }
  accumulate(total, touched);
  now_ = {t, 0, 0};
  if (happened) {
    leave_instant(total);
  } else {
    settle(total);
    for (RelationId r : total.relations) rewatch(r);
  }
}

bool Engine::microsteps(Touched& touched, int k, bool& happened, std::size_t& last_row) {
  const std::vector<int> begin = runtime_.mode;
  std::vector<std::vector<Move>> trail;
  std::vector<std::vector<std::pair<int32_t, int>>> tried;
  std::vector<std::pair<int32_t, int>> signature;
  for (int n = 0;; ++n) {
    now_ = {runtime_.now, k, n};
    if (n > options_.max_microsteps) {
      throw bound_reached("--max-microsteps", options_.max_microsteps, "inference does not settle");
    }
    tick_.begin(TickEvaluator::View::Tried);
    std::vector<AutomatonId> held;
    std::vector<Move> moves = enabled(touched.candidates, false, held);
    if (!happened && moves.empty()) return false;
    happen(touched, happened);
    ++statistics_.microsteps;
    if (options_.record) last_row = record_tick(k, n);
    if (moves.empty()) return true;
    tried.push_back(signature);
    mode_signature(touched, begin, moves, signature);
    auto again = std::find(tried.begin(), tried.end(), signature);
    const bool cycle = again != tried.end();
    if (cycle && is_noise(touched, moves)) return true;
    ++statistics_.mythical;
    if (options_.record) trajectory_.set_kind(last_row, RowKind::Mythical);
    apply(moves, touched);
    trail.push_back(std::move(moves));
    if (cycle) {
      now_ = {runtime_.now, k, n + 1};
      throw mode_cycle(trail, static_cast<std::size_t>(again - tried.begin()));
    }
  }
}

// What tolerance and rounding can make of a relation between equal numbers: as much as all that it
// reads is worth. Time and parameters are exact.
double Engine::noise_of(RelationId id) {
  const compile::Relation& relation = system_.relations()[id];
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
bool Engine::is_noise(Touched& touched, const std::vector<Move>& moves) {
  std::vector<AutomatonId> held;
  if (!enabled(touched.candidates, false, held, true).empty()) return false;
  for (const Move& move : moves) {
    const auto& transition =
        system_.automaton(move.automaton).transitions[static_cast<std::size_t>(move.transition)];
    bool uncertain = false;  // time and parameters are exact; what a solver computes is not
    for (RelationId r : transition.relations) {
      if (system_.relations()[r].units.empty()) continue;
      if (!tick_.holds(system_.relations()[r].truth)) continue;
      touched.noisy.push_back(r);
      uncertain = true;
    }
    if (!uncertain) return false;
  }
  return true;
}

// The automata that will stand elsewhere than at the beginning of these microsteps.
void Engine::mode_signature(const Touched& touched, const std::vector<int>& begin,
                            const std::vector<Move>& moves,
                            std::vector<std::pair<int32_t, int>>& out) const {
  out.clear();
  auto target = [&](AutomatonId automaton) {
    for (const Move& move : moves) {
      if (move.automaton != automaton) continue;
      const auto& transitions = system_.model().automata[automaton].transitions;
      return transitions[static_cast<std::size_t>(move.transition)].to;
    }
    return runtime_.mode[at(automaton)];
  };
  auto add = [&](AutomatonId automaton) {
    const int state = target(automaton);
    if (state != begin[at(automaton)]) out.emplace_back(automaton.index, state);
  };
  for (AutomatonId automaton : touched.moved) add(automaton);
  for (const Move& move : moves) add(move.automaton);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

// One move per automaton that can move; those that yield to another that moves too are held.
std::vector<Engine::Move> Engine::enabled(std::vector<AutomatonId>& candidates, bool physical,
                                          std::vector<AutomatonId>& held, bool clearly) {
  std::sort(candidates.begin(), candidates.end());
  std::vector<Move> moves;
  std::vector<int> open;
  for (AutomatonId id : candidates) {
    const compile::CompiledAutomaton& compiled = system_.automaton(id);
    const model::Automaton& automaton = system_.model().automata[id];
    open.clear();
    for (int t : compiled.leaving[static_cast<std::size_t>(runtime_.mode[at(id)])]) {
      const auto index = static_cast<std::size_t>(t);
      if (automaton.transitions[index].physical != physical) continue;
      const compile::Program& guard = compiled.transitions[index].guard;
      if (!tick_.holds(guard)) continue;
      double margin = 0;
      if (clearly) {
        for (RelationId r : compiled.transitions[index].relations) {
          margin = std::max(margin, noise_of(r));
        }
      }
      if (!clearly || tick_.holds_clearly(guard, margin)) open.push_back(t);
    }
    if (!open.empty()) moves.push_back({id, choose(id, open)});
  }
  if (moves.size() < 2) return moves;
  // What opens releases what has already happened: it waits for nobody, and nobody waits for it.
  auto opens = [&](const Move& move) {
    const model::Automaton& a = system_.model().automata[move.automaton];
    const model::Transition& t = a.transitions[static_cast<std::size_t>(move.transition)];
    return a.active[static_cast<std::size_t>(t.from)] && !a.active[static_cast<std::size_t>(t.to)];
  };
  std::vector<AutomatonId> moving;
  for (const Move& move : moves) {
    if (!opens(move)) moving.push_back(move.automaton);
  }
  auto waits = [&](const Move& move) {
    std::vector<AutomatonId> work = system_.model().automata[move.automaton].yields_to;
    std::set<AutomatonId> seen(work.begin(), work.end());
    while (!work.empty()) {
      AutomatonId other = work.back();
      work.pop_back();
      if (other != move.automaton && std::binary_search(moving.begin(), moving.end(), other)) {
        return true;
      }
      for (AutomatonId next : system_.model().automata[other].yields_to) {
        if (seen.insert(next).second) work.push_back(next);
      }
    }
    return false;
  };
  std::vector<Move> chosen;
  for (const Move& move : moves) {
    if (!opens(move) && waits(move))
      held.push_back(move.automaton);
    else
      chosen.push_back(move);
  }
  return chosen;
}

// Two enabled transitions of one automaton are a choice: declared priority resolves it.
int Engine::choose(AutomatonId id, const std::vector<int>& open) const {
  if (open.size() == 1) return open[0];
  const model::Automaton& automaton = system_.model().automata[id];
  auto priority = [&](int t) {
    const auto& stated = automaton.transitions[static_cast<std::size_t>(t)].priority;
    return stated ? *stated : HUGE_VAL;
  };
  int best = open[0];
  for (int t : open) {
    if (priority(t) < priority(best)) best = t;
  }
  std::vector<int> equal;
  for (int t : open) {
    if (priority(t) == priority(best)) equal.push_back(t);
  }
  if (equal.size() > 1) throw ambiguous(id, equal);
  return best;
}

void Engine::apply(const std::vector<Move>& moves, Touched& touched) {
  for (const Move& move : moves) remember(last_moves_, move, kRemembered);
  const model::Model& m = system_.model();
  std::vector<UnitId> changed;
  for (const Move& move : moves) {
    const model::Automaton& automaton = m.automata[move.automaton];
    const compile::CompiledAutomaton& compiled = system_.automaton(move.automaton);
    int& state = runtime_.mode[at(move.automaton)];
    const int next = automaton.transitions[static_cast<std::size_t>(move.transition)].to;
    const bool was = automaton.active[static_cast<std::size_t>(state)];
    const bool is = automaton.active[static_cast<std::size_t>(next)];
    mode_hash_ ^= mode_key(move.automaton, state) ^ mode_key(move.automaton, next);
    // What reads the automaton, and the clusters that are left, have to arrive, and be audited,
    // before it moves.
    touch_units(touched, compiled.modulates);
    if (was != is) {
      touch_units(touched, compiled.adjacent);
      changed.insert(changed.end(), compiled.adjacent.begin(), compiled.adjacent.end());
      touched.switched.push_back(automaton.junction);
    }
    state = next;
    touched.moved.push_back(move.automaton);
    add_candidate(touched, move.automaton);
    for (AutomatonId reader : compiled.read_by) add_candidate(touched, reader);
  }
  modes_seen_.insert(mode_hash_);
  for (Cluster* cluster : clusters_.rebuild(changed)) touch_cluster(touched, *cluster);
}

std::vector<Cluster*> Engine::clusters_of(const std::vector<UnitId>& units) {
  std::vector<Cluster*> out;
  for (UnitId unit : units) {
    Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (cluster->units[0] == unit) out.push_back(cluster);
  }
  return out;
}

void Engine::remember_pres(const std::vector<Cluster*>& clusters) {
  const auto remember_all = [&](const std::vector<PreId>& pres) {
    for (PreId pre : pres) {
      runtime_.pre_value[at(pre)] = arrival_.formula(system_.model().pool.pres()[at(pre)]);
    }
  };
  for (const Cluster* cluster : clusters) remember_all(cluster->pres);
  remember_all(shown_pres_);
}

bool Engine::commit_integrals(const Cluster& cluster,
                              std::vector<std::pair<StateId, double>>& plus) {
  bool jumped = false;
  for (StateId id : cluster.integrals) {
    if (!integral_may_jump_[at(id)]) continue;
    const model::State& state = system_.model().states[id];
    double weight = tick_.value(state.rate).impulse;
    if (state.impulse.valid()) weight += tick_.value(state.impulse).finite;
    if (weight == 0) continue;
    plus.emplace_back(id, runtime_.x[at(id)] + weight);
    jumped = true;
  }
  return jumped;
}

// A resistor takes no part in a jump. A source that forces an impulse upon one contradicts that,
// and e = law(f) has no meaning for impulses: the heat would be infinite.
void Engine::check_resistors(Slot& slot) {
  std::vector<double> impulses;
  tick_.impulses(slot, impulses);
  double largest = 0;
  for (double v : impulses) largest = std::max(largest, std::abs(v));
  constexpr double kRounding = 1e-9;
  for (const compile::Equation& equation : slot.island->equations()) {
    if (equation.kind != compile::Equation::Kind::Resistor) continue;
    const auto variable = static_cast<std::size_t>(equation.argument);
    const double p = impulses[variable & ~std::size_t{1}], q = impulses[variable | 1];
    if (std::max(std::abs(p), std::abs(q)) <= kRounding * largest) continue;
    throw impulse_on_resistor(slot, equation.element, p, q);
  }
}

// x ← x⁺ on all that was touched. True if something really jumped.
bool Engine::commit(Touched& touched) {
  const std::vector<Cluster*> clusters = clusters_of(touched.units);
  remember_pres(clusters);
  bool jumped = false;
  std::vector<std::pair<StateId, double>> plus;
  for (Cluster* cluster : clusters) {
    for (const auto& slot : cluster->slots) {
      const Island& island = *slot->island;
      if (!island.is_constrained() && island.impulsive_sources().empty()) continue;
      if (tick_.jumps(*slot)) {
        jumped = true;
        if (slot->has_weights) check_resistors(*slot);
        if (options_.audit) {
          if (double created = audit_.jumped(*slot, touched.switched); created > 0) {
            report_created(created, touched.switched);
          }
        }
      }
      for (StateId s : island.states()) plus.emplace_back(s, tick_.state_projected(s));
    }
    jumped |= commit_integrals(*cluster, plus);
  }
  for (auto [state, value] : plus) runtime_.x[at(state)] = value;
  settle(touched);
  return jumped;
}

// What stands now is what the next arrival sees, and what is frozen while time flows.
void Engine::settle(Touched& touched) {
  clusters_.settle_arrival();
  for (AutomatonId automaton : touched.moved) {
    runtime_.arrival_mode[at(automaton)] = runtime_.mode[at(automaton)];
  }
  runtime_.arrival_clock_count = runtime_.clock_count;
  tick_.begin(TickEvaluator::View::Committed);
  refresh_truths(touched.relations);
  for (Cluster* cluster : clusters_of(touched.units)) refresh_truths(cluster->relations);
}

void Engine::refresh_truths(const std::vector<RelationId>& relations) {
  for (RelationId r : relations) {
    runtime_.truth[at(r)] = tick_.holds(system_.relations()[r].truth) ? 1 : 0;
  }
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
bool Engine::is_settled(Touched& touched) {
  std::vector<AutomatonId> held;
  return enabled(touched.candidates, false, held, true).empty();
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

// Time goes on: solvers begin anew where something changed, and relations are watched from here.
void Engine::leave_instant(Touched& touched) {
  const double t = runtime_.now;
  if (started_running_) ++statistics_.events;
  started_running_ = true;
  const std::vector<Cluster*> clusters = clusters_of(touched.units);
  collect_pre_readers(clusters);
  for (Cluster* cluster : clusters) {
    restart(*cluster);
    for (UnitId unit : cluster->units) {
      for (RelationId r : system_.units()[unit].watched_by) touched.relations.push_back(r);
      for (RelationId r : system_.units()[unit].relations) touched.relations.push_back(r);
    }
  }
  std::sort(touched.moved.begin(), touched.moved.end());
  touched.moved.erase(std::unique(touched.moved.begin(), touched.moved.end()), touched.moved.end());
  for (AutomatonId a : touched.moved) {
    const compile::CompiledAutomaton& automaton = system_.automaton(a);
    for (int i : automaton.leaving[static_cast<std::size_t>(runtime_.mode[at(a)])]) {
      const auto& relations = automaton.transitions[static_cast<std::size_t>(i)].relations;
      touched.relations.insert(touched.relations.end(), relations.begin(), relations.end());
    }
  }
  std::sort(touched.relations.begin(), touched.relations.end());
  touched.relations.erase(std::unique(touched.relations.begin(), touched.relations.end()),
                          touched.relations.end());
  tick_.begin(TickEvaluator::View::Committed);
  refresh_truths(touched.relations);
  for (RelationId r : touched.relations) rewatch(r);
  watch_noisy(touched);
  clusters_.trim();

  if (statistics_.events > options_.max_events) {
    throw bound_reached("--max-events", options_.max_events, "there are too many events");
  }
  const double close = 1e-13 * std::max(1.0, std::abs(t));
  chatter_ = last_event_time_ >= 0 && t - last_event_time_ < close ? chatter_ + 1 : 0;
  last_event_time_ = t;
  for (AutomatonId a : touched.moved) {
    if (auto found = zeno_.moved(a, t, options_.zeno_resolution)) throw accumulation(*found);
  }
  if (chatter_ > options_.max_chatter) {
    throw bound_reached("--max-chatter", options_.max_chatter,
                        "events follow each other without time going on measurably");
  }
}

}  // namespace cradle::simulate
