// What an instant touches: clusters, automata that have to be judged, memories that have to look.

#include "core/engine/engine.hpp"

namespace cradle::engine {

void Engine::Touched::clear() {
  candidates.clear();
  memories.clear();
  units.clear();
  moved.clear();
  relations.clear();
  switched.clear();
  noisy.clear();
  spoken.clear();
  seen = false;
}

void Engine::Touched::swap(Touched& other) noexcept {
  candidates.swap(other.candidates);
  memories.swap(other.memories);
  units.swap(other.units);
  moved.swap(other.moved);
  relations.swap(other.relations);
  switched.swap(other.switched);
  noisy.swap(other.noisy);
  spoken.swap(other.spoken);
  std::swap(seen, other.seen);
}

void Engine::add_candidate(AutomatonId automaton) {
  if (automaton_mark_[at(automaton)] == mark_) return;
  automaton_mark_[at(automaton)] = mark_;
  touched_.candidates.push_back(automaton);
}

void Engine::add_memory(MemoryId memory) {
  if (memory_mark_[at(memory)] == mark_) return;
  memory_mark_[at(memory)] = mark_;
  touched_.memories.push_back(memory);
}

void Engine::add_readers(UnitId unit) {
  for (AutomatonId reader : system_.units()[unit].readers) add_candidate(reader);
  for (MemoryId memory : system_.units()[unit].memories) add_memory(memory);
}

void Engine::add_readers(AutomatonId automaton) {
  const plan::CompiledAutomaton& compiled = system_.automaton(automaton);
  add_candidate(automaton);
  for (AutomatonId reader : compiled.read_by) add_candidate(reader);
  for (MemoryId memory : compiled.memories) add_memory(memory);
}

// Everything in a cluster may change when one part does; who reads it has to look again.
void Engine::touch_cluster(Cluster& cluster) {
  if (cluster.audited < runtime_.now) audit_.evolved(cluster, runtime_.now);
  runtime_.arrive(cluster);
  for (UnitId unit : cluster.units) {
    if (unit_mark_[at(unit)] == mark_) continue;
    unit_mark_[at(unit)] = mark_;
    touched_.units.push_back(unit);
    add_readers(unit);
  }
}

void Engine::touch_units(const std::vector<UnitId>& units) {
  for (UnitId unit : units) touch_unit(unit);
}

void Engine::touch_unit(UnitId unit) {
  if (unit_mark_[at(unit)] != mark_) touch_cluster(*runtime_.cluster_of_unit[at(unit)]);
}

// Memories that say something, or have changed, at this microstep, and those that have just fallen
// silent.
void Engine::touch_speaking() {
  for (const auto* list : {&memories_.speaking(), &memories_.silenced()}) {
    for (MemoryId id : *list) {
      const plan::CompiledMemory& memory = system_.memory(id);
      for (AutomatonId automaton : memory.automata) add_candidate(automaton);
      for (MemoryId reader : memory.memories) add_memory(reader);
    }
  }
  for (MemoryId id : memories_.speaking()) {
    const plan::CompiledMemory& memory = system_.memory(id);
    touch_units(memory.units);
    touched_.relations.insert(touched_.relations.end(), memory.relations.begin(),
                              memory.relations.end());
    touched_.spoken.push_back(id);
  }
}

void Engine::first_touch(const Triggers& triggers) {
  ++mark_;
  touched_.clear();
  auto append = [&](const std::vector<RelationId>& relations) {
    touched_.relations.insert(touched_.relations.end(), relations.begin(), relations.end());
  };
  for (ClockId clock : triggers.clocks) {
    // Up to here what reads the clock evolved with the old count.
    touch_units(system_.units_reading(clock));
    ++runtime_.clock_count[at(clock)];
    touched_.seen |= clock_is_shown_[at(clock)] != 0;
    for (AutomatonId automaton : system_.automata_reading(clock)) add_candidate(automaton);
    for (MemoryId memory : system_.memories_reading(clock)) add_memory(memory);
    append(system_.relations_reading(clock));
  }
  for (RelationId id : triggers.relations) {
    const plan::Relation& relation = system_.relations()[id];
    touched_.relations.push_back(id);
    touched_.seen |= relation_is_shown_[at(id)] != 0;
    for (auto [automaton, transition] : relation.guards) add_candidate(automaton);
    for (MemoryId memory : relation.memories) add_memory(memory);
    if (relation.detector.valid()) add_memory(relation.detector);
    touch_units(relation.used_by);
  }
  if (triggers.start) {
    for (std::size_t a = 0; a < runtime_.mode.size(); ++a) add_candidate(AutomatonId(a));
    for (std::size_t i = 0; i < runtime_.memory.size(); ++i) add_memory(MemoryId(i));
    for (std::size_t u = 0; u < system_.units().size(); ++u) touch_unit(UnitId(u));
  }
  for (AutomatonId automaton : system_.automata_reading_pre()) add_candidate(automaton);
  for (MemoryId memory : system_.attentive_memories()) add_memory(memory);
}

// Those look again that read what the last step changed.
void Engine::touch_changed(const Touched& last) {
  for (UnitId unit : last.units) add_readers(unit);
  for (AutomatonId automaton : last.moved) add_readers(automaton);
  for (AutomatonId automaton : system_.automata_reading_pre()) add_candidate(automaton);
}

// After an ε-step; clusters whose rates read pre see a new arrival.
void Engine::next_touch() {
  ++mark_;
  touched_.swap(last_);
  touched_.clear();
  touch_changed(last_);
  for (UnitId unit : last_.units) {
    Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (!cluster->pres.empty() && cluster->solver != nullptr) touch_cluster(*cluster);
  }
  for (Cluster* cluster : pre_readers_) touch_cluster(*cluster);
  for (AutomatonId automaton : held_) add_candidate(automaton);
  touched_.seen = last_.seen;
}

// After a microstep of the causal network, at the same ⟨t + kε⟩.
void Engine::next_microstep() {
  ++mark_;
  touched_.swap(last_);
  touched_.clear();
  touch_changed(last_);
  for (AutomatonId automaton : last_.moved) touch_units(system_.automaton(automaton).modulates);
  for (AutomatonId automaton : held_) add_candidate(automaton);
  memories_.advance();
  touch_speaking();
}

void Engine::accumulate() {
  for (UnitId unit : touched_.units) {
    if (instant_mark_[at(unit)] == instants_) continue;
    instant_mark_[at(unit)] = instants_;
    total_.units.push_back(unit);
  }
  auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(total_.moved, touched_.moved);
  append(total_.relations, touched_.relations);
  append(total_.noisy, touched_.noisy);
  for (MemoryId memory : touched_.spoken) {
    if (spoken_mark_[at(memory)] == instants_) continue;
    spoken_mark_[at(memory)] = instants_;
    total_.spoken.push_back(memory);
  }
}

}  // namespace cradle::engine
