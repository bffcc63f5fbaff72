#include "core/engine/transitions.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/engine/faults.hpp"

namespace cradle::engine {

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

}  // namespace

Transitions::Transitions(Runtime& runtime, InstantEvaluator& inside, Judge& judge,
                         Memories& memories, Clusters& clusters, Touch& touch, Audit& audit)
    : system_(runtime.system),
      runtime_(runtime),
      state_(runtime.state),
      inside_(inside),
      judge_(judge),
      memories_(memories),
      clusters_(clusters),
      touch_(touch),
      audit_(audit) {}

const model::Transition& Transitions::transition_of(const Move& move) const {
  return system_.model()
      .automata[move.automaton]
      .transitions[static_cast<std::size_t>(move.transition)];
}

bool Transitions::is_enabled(AutomatonId id, int index, TransitionKind kind) {
  const plan::CompiledTransition& compiled =
      system_.automaton(id).transitions[static_cast<std::size_t>(index)];
  const bool behind_jump = kind == TransitionKind::Physical && state_.instant.jumped;
  try {
    return judge_.holds(compiled.guard, behind_jump);
  } catch (const plan::ArithmeticFault& fault) {
    const model::Automaton& automaton = system_.model().automata[id];
    throw BlamedFault{fault, automaton.transitions[at(index)].guard_span,
                      "the guard of " + automaton.name};
  }
}

// The transitions of this kind that can be taken from the present state, into open_.
void Transitions::find_open(AutomatonId id, TransitionKind kind) {
  const model::Automaton& automaton = system_.model().automata[id];
  open_.clear();
  for (int t : system_.automaton(id).leaving[at(state_.mode[at(id)])]) {
    const bool physical = automaton.transitions[at(t)].physical;
    if (physical != (kind == TransitionKind::Physical)) continue;
    if (is_enabled(id, t, kind)) open_.push_back(t);
  }
}

// One move per automaton that can move; those that yield to another that moves too are held.
void Transitions::find_moves(TransitionKind kind, std::vector<Move>& out) {
  out.clear();
  std::vector<AutomatonId>& candidates = state_.instant.touched.candidates;
  std::sort(candidates.begin(), candidates.end());
  for (AutomatonId id : candidates) {
    const model::Automaton& automaton = system_.model().automata[id];
    if (automaton.modal != (kind == TransitionKind::Modal)) continue;
    if (automaton.region.valid() && !runtime_.is_active(automaton.region)) continue;
    if (automaton.modal) {
      const InstantEvaluator::Chain& chain = inside_.chain(id);
      if (!chain.transitions.empty()) out.push_back({id, chain.transitions[0]});
      continue;
    }
    find_open(id, kind);
    if (!open_.empty()) out.push_back({id, inside_.choose(id, open_)});
  }
  if (out.size() > 1) hold_back(out);
}

void Transitions::hold_back(std::vector<Move>& moves) {
  // What opens releases what has already happened: it waits for nobody, and nobody waits for it.
  auto opens = [&](const Move& move) {
    const model::Automaton& a = system_.model().automata[move.automaton];
    const model::Transition& t = transition_of(move);
    const std::vector<JunctionId> junctions = system_.model().junctions_of(move.automaton);
    const auto closes = [&](JunctionId junction) {
      return !system_.model().is_active(junction, t.from) &&
             system_.model().is_active(junction, t.to);
    };
    return !a.modal && a.active[static_cast<std::size_t>(t.from)] &&
           !a.active[static_cast<std::size_t>(t.to)] &&
           std::none_of(junctions.begin(), junctions.end(), closes);
  };
  auto yields = [&](const Move& move) {
    return !system_.model().automata[move.automaton].yields_to.empty();
  };
  if (std::none_of(moves.begin(), moves.end(), yields)) return;
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
  std::erase_if(moves, [&](const Move& move) {
    if (opens(move) || !waits(move)) return false;
    state_.instant.held.push_back(move.automaton);
    return true;
  });
}

void Transitions::move_to(AutomatonId automaton, int state) {
  int& mode = state_.mode[at(automaton)];
  state_.mode_hash ^= mode_key(automaton, mode) ^ mode_key(automaton, state);
  mode = state;
  state_.instant.touched.moved.push_back(automaton);
  state_.instant.moved.push_back(automaton);
}

void Transitions::apply(const std::vector<Move>& moves) {
  targets_.clear();
  for (const Move& move : moves) {
    remember(state_.last_moves, move);
    targets_.emplace_back(move.automaton, transition_of(move).to);
  }
  put(targets_);
}

void Transitions::put(const std::vector<std::pair<AutomatonId, int>>& states) {
  const model::Model& m = system_.model();
  std::vector<UnitId>& changed = changed_units_;
  changed.clear();
  for (const auto& [id, next] : states) {
    const plan::CompiledAutomaton& compiled = system_.automaton(id);
    // What reads the automaton, and the clusters that are left, have to arrive, and be audited,
    // before it moves.
    touch_.units(compiled.modulates);
    for (JunctionId junction : compiled.junctions) {
      if (m.is_active(junction, state_.mode[at(id)]) == m.is_active(junction, next)) continue;
      const std::vector<UnitId>& adjacent = system_.units_at(junction);
      touch_.units(adjacent);
      changed.insert(changed.end(), adjacent.begin(), adjacent.end());
      state_.instant.touched.switched.push_back(junction);
    }
    move_to(id, next);
    touch_.readers_of(id);
  }
  state_.modes_seen.insert(state_.mode_hash);
  rebuild(changed);
}

void Transitions::rebuild(const std::vector<UnitId>& units) {
  const auto arrive = [this](UnitId unit) { touch_.unit(unit); };
  for (Cluster* cluster : clusters_.rebuild(units, arrive)) touch_.cluster(*cluster);
}

// Behind a transition to a state that can be left at once, within the same reaction.
void Transitions::follow_immediate(std::vector<Move>& reaction) {
  for (std::size_t i = 0; i < reaction.size(); ++i) {
    const AutomatonId automaton = reaction[i].automaton;
    const InstantEvaluator::Chain& chain = inside_.chain(automaton);
    if (chain.cycle >= 0) throw immediate_cycle(runtime_, automaton, chain.cycle);
    for (std::size_t next = 1; next < chain.transitions.size(); ++next) {
      ++i;
      reaction.insert(reaction.begin() + static_cast<std::ptrdiff_t>(i),
                      {automaton, chain.transitions[next], true});
    }
  }
}

const std::vector<RegionId>& Transitions::regions_in(AutomatonId automaton, int state) const {
  return system_.automaton(automaton).regions[static_cast<std::size_t>(state)];
}

// A transition of a modal model. What lives in the destination starts anew, unless by history.
void Transitions::enter(const Move& move) {
  const model::Transition& transition = transition_of(move);
  touch_.units(system_.automaton(move.automaton).modulates);
  remember(state_.last_moves, move);
  move_to(move.automaton, transition.to);
  for (RegionId region : regions_in(move.automaton, transition.to)) {
    if (transition.history) {
      for (AutomatonId inner : system_.region(region).automata)
        state_.instant.touched.moved.push_back(inner);
    } else {
      reset(region);
    }
  }
}

void Transitions::reset(RegionId id) {
  const plan::CompiledRegion& region = system_.region(id);
  const model::Model& m = system_.model();
  for (StateId state : region.states) {
    touch_.unit(system_.unit_of(state));
    put(state, state_.initial_x[at(state)]);
  }
  for (MemoryId memory : region.memories) {
    memories_.reset(memory);
    std::erase_if(state_.futures,
                  [memory](const auto& entry) { return entry.second.memory == memory; });
  }
  for (AutomatonId automaton : region.automata) {
    const int initial = m.automata[automaton].initial;
    if (m.automata[automaton].modal || state_.mode[at(automaton)] == initial) {
      move_to(automaton, initial);
    } else {
      // A junction in a mode: its clusters change with it.
      touch_.units(system_.automaton(automaton).adjacent);
      move_to(automaton, initial);
      rebuild(system_.automaton(automaton).adjacent);
    }
    for (RegionId inner : regions_in(automaton, initial)) reset(inner);
  }
}

void Transitions::assign(const model::SetAction& set, double value) {
  if (set.memory.valid()) {
    memories_.set(set.memory, value);
    return;
  }
  touch_.unit(system_.unit_of(set.state));
  put(set.state, value);
}

void Transitions::put(StateId id, double value) {
  audit_.assigned(id, value);
  state_.x[at(id)] = value;
  state_.instant.changed.push_back(id);
}

}  // namespace cradle::engine
