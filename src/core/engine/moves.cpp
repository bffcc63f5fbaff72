// Transitions: which are enabled, which of them are taken, and what they do.

#include <algorithm>
#include <cmath>

#include "core/engine/engine.hpp"

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

const model::Transition& Engine::transition_of(const Move& move) const {
  return system_.model()
      .automata[move.automaton]
      .transitions[static_cast<std::size_t>(move.transition)];
}

bool Engine::is_enabled(AutomatonId id, int index, bool clearly) {
  const plan::CompiledTransition& compiled =
      system_.automaton(id).transitions[static_cast<std::size_t>(index)];
  try {
    if (!tick_.holds(compiled.guard)) return false;
  } catch (const plan::ArithmeticFault&) {
    const model::Automaton& automaton = system_.model().automata[id];
    blame_ = {automaton.transitions[at(index)].guard_span, "the guard of " + automaton.name};
    throw;
  }
  if (!clearly) return true;
  double margin = 0;
  for (RelationId r : compiled.relations) margin = std::max(margin, noise_of(r));
  return tick_.holds_clearly(compiled.guard, margin);
}

// The transitions of this kind that can be taken from the present state, into open_.
void Engine::find_open(AutomatonId id, TransitionKind kind, bool clearly) {
  const model::Automaton& automaton = system_.model().automata[id];
  open_.clear();
  for (int t : system_.automaton(id).leaving[at(runtime_.mode[at(id)])]) {
    const bool physical = automaton.transitions[at(t)].physical;
    if (physical != (kind == TransitionKind::Physical)) continue;
    if (is_enabled(id, t, clearly)) open_.push_back(t);
  }
}

// One move per automaton that can move; those that yield to another that moves too are held.
// `clearly`: by more than tolerance and rounding.
void Engine::find_moves(TransitionKind kind, std::vector<Move>& out, bool clearly) {
  out.clear();
  std::vector<AutomatonId>& candidates = touched_.candidates;
  std::sort(candidates.begin(), candidates.end());
  for (AutomatonId id : candidates) {
    const model::Automaton& automaton = system_.model().automata[id];
    if (automaton.modal != (kind == TransitionKind::Modal)) continue;
    if (automaton.region.valid() && !runtime_.is_active(automaton.region)) continue;
    if (automaton.modal) {
      const TickEvaluator::Chain& chain = tick_.chain(id);
      if (!chain.transitions.empty()) out.push_back({id, chain.transitions[0]});
      continue;
    }
    find_open(id, kind, clearly);
    if (!open_.empty()) out.push_back({id, tick_.choose(id, open_)});
  }
  if (out.size() > 1) hold_back(out);
}

void Engine::hold_back(std::vector<Move>& moves) {
  // What opens releases what has already happened: it waits for nobody, and nobody waits for it.
  auto opens = [&](const Move& move) {
    const model::Automaton& a = system_.model().automata[move.automaton];
    const model::Transition& t = transition_of(move);
    return !a.modal && a.active[static_cast<std::size_t>(t.from)] &&
           !a.active[static_cast<std::size_t>(t.to)];
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
    held_.push_back(move.automaton);
    return true;
  });
}

void Engine::move_to(AutomatonId automaton, int state) {
  int& mode = runtime_.mode[at(automaton)];
  mode_hash_ ^= mode_key(automaton, mode) ^ mode_key(automaton, state);
  mode = state;
  touched_.moved.push_back(automaton);
}

// Automata of junctions.
void Engine::apply(const std::vector<Move>& moves) {
  const model::Model& m = system_.model();
  std::vector<UnitId>& changed = changed_units_;
  changed.clear();
  for (const Move& move : moves) {
    const model::Automaton& automaton = m.automata[move.automaton];
    const plan::CompiledAutomaton& compiled = system_.automaton(move.automaton);
    const auto state = static_cast<std::size_t>(runtime_.mode[at(move.automaton)]);
    const int next = transition_of(move).to;
    // What reads the automaton, and the clusters that are left, have to arrive, and be audited,
    // before it moves.
    touch_units(compiled.modulates);
    if (automaton.active[state] != automaton.active[static_cast<std::size_t>(next)]) {
      touch_units(compiled.adjacent);
      changed.insert(changed.end(), compiled.adjacent.begin(), compiled.adjacent.end());
      touched_.switched.push_back(automaton.junction);
    }
    remember(last_moves_, move);
    move_to(move.automaton, next);
    add_readers(move.automaton);
  }
  modes_seen_.insert(mode_hash_);
  for (Cluster* cluster : clusters_.rebuild(changed)) touch_cluster(*cluster);
}

// Behind a transition to a state that can be left at once, within the same reaction.
void Engine::follow_immediate() {
  for (std::size_t i = 0; i < reaction_.size(); ++i) {
    const AutomatonId automaton = reaction_[i].automaton;
    const TickEvaluator::Chain& chain = tick_.chain(automaton);
    if (chain.cycle >= 0) throw immediate_cycle(automaton, chain.cycle);
    for (std::size_t next = 1; next < chain.transitions.size(); ++next) {
      ++i;
      reaction_.insert(reaction_.begin() + static_cast<std::ptrdiff_t>(i),
                       {automaton, chain.transitions[next], true});
    }
  }
}

const std::vector<RegionId>& Engine::regions_in(AutomatonId automaton, int state) const {
  return system_.automaton(automaton).regions[static_cast<std::size_t>(state)];
}

// A transition of a modal model. What lives in the destination starts anew, unless by history.
void Engine::enter(const Move& move) {
  const model::Transition& transition = transition_of(move);
  touch_units(system_.automaton(move.automaton).modulates);
  remember(last_moves_, move);
  move_to(move.automaton, transition.to);
  for (RegionId region : regions_in(move.automaton, transition.to)) {
    if (transition.history) {
      for (AutomatonId inner : system_.region(region).automata) touched_.moved.push_back(inner);
    } else {
      reset(region);
    }
  }
}

void Engine::reset(RegionId id) {
  const plan::CompiledRegion& region = system_.region(id);
  const model::Model& m = system_.model();
  for (StateId state : region.states) {
    touch_unit(system_.unit_of(state));
    audit_.assigned(state, initial_x_[at(state)]);
    runtime_.x[at(state)] = initial_x_[at(state)];
  }
  for (MemoryId memory : region.memories) {
    memories_.reset(memory);
    std::erase_if(futures_, [memory](const auto& entry) { return entry.second.memory == memory; });
  }
  for (AutomatonId automaton : region.automata) {
    const int initial = m.automata[automaton].initial;
    if (m.automata[automaton].modal || runtime_.mode[at(automaton)] == initial) {
      move_to(automaton, initial);
    } else {
      // A junction in a mode: its clusters change with it.
      touch_units(system_.automaton(automaton).adjacent);
      move_to(automaton, initial);
      for (Cluster* cluster : clusters_.rebuild(system_.automaton(automaton).adjacent)) {
        touch_cluster(*cluster);
      }
    }
    for (RegionId inner : regions_in(automaton, initial)) reset(inner);
  }
}

void Engine::assign(const model::SetAction& set, double value) {
  if (set.memory.valid()) {
    memories_.set(set.memory, value);
    return;
  }
  touch_unit(system_.unit_of(set.state));
  audit_.assigned(set.state, value);
  runtime_.x[at(set.state)] = value;
}

}  // namespace cradle::engine
