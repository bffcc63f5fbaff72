#include "core/engine/touch.hpp"

#include <algorithm>

namespace cradle::engine {

Touch::Touch(Runtime& runtime, Projection& projection, Audit& audit)
    : system_(runtime.system),
      runtime_(runtime),
      state_(runtime.state),
      progress_(runtime.state.instant),
      projection_(projection),
      audit_(audit) {
  const model::Model& m = system_.model();
  automaton_mark_.assign(m.automata.size(), 0);
  memory_mark_.assign(m.memories.size(), 0);
  spoken_mark_.assign(m.memories.size(), 0);
  unit_mark_.assign(system_.units().size(), 0);
  instant_mark_.assign(system_.units().size(), 0);
  margins_.assign(system_.comparisons().size(), 0.0);
}

void Touch::candidate(AutomatonId automaton) {
  if (automaton_mark_[at(automaton)] == mark_) return;
  automaton_mark_[at(automaton)] = mark_;
  progress_.touched.candidates.push_back(automaton);
}

void Touch::memory(MemoryId memory) {
  if (memory_mark_[at(memory)] == mark_) return;
  memory_mark_[at(memory)] = mark_;
  progress_.touched.memories.push_back(memory);
}

void Touch::readers_of(UnitId unit) {
  for (AutomatonId reader : system_.units()[unit].readers) candidate(reader);
  for (MemoryId reader : system_.units()[unit].memories) memory(reader);
}

void Touch::readers_of(AutomatonId automaton) {
  const plan::CompiledAutomaton& compiled = system_.automaton(automaton);
  candidate(automaton);
  for (AutomatonId reader : compiled.read_by) candidate(reader);
  for (MemoryId reader : compiled.memories) memory(reader);
}

// Everything in a cluster may change when one part does; who reads it has to look again.
void Touch::cluster(Cluster& cluster) {
  arrive(cluster);
  for (UnitId unit : cluster.units) {
    if (unit_mark_[at(unit)] == mark_) continue;
    unit_mark_[at(unit)] = mark_;
    progress_.touched.units.push_back(unit);
    readers_of(unit);
  }
}

void Touch::arrive(Cluster& cluster) {
  audit_.evolved(cluster, state_.now);
  if (!runtime_.arrive(cluster) || !projection_.project(cluster)) return;
  progress_.projected.insert(progress_.projected.end(), cluster.units.begin(), cluster.units.end());
}

void Touch::units(const std::vector<UnitId>& units) {
  for (UnitId u : units) unit(u);
}

void Touch::unit(UnitId unit) {
  if (unit_mark_[at(unit)] != mark_) cluster(*runtime_.cluster_of_unit[at(unit)]);
}

void Touch::speaking() {
  for (const auto* list : {&state_.speaking, &state_.silenced}) {
    for (MemoryId id : *list) {
      const plan::CompiledMemory& compiled = system_.memory(id);
      for (AutomatonId automaton : compiled.automata) candidate(automaton);
      for (MemoryId reader : compiled.memories) memory(reader);
    }
  }
  Touched& touched = progress_.touched;
  for (MemoryId id : state_.speaking) {
    const plan::CompiledMemory& compiled = system_.memory(id);
    units(compiled.units);
    touched.comparisons.insert(touched.comparisons.end(), compiled.comparisons.begin(),
                               compiled.comparisons.end());
    touched.spoken.push_back(id);
  }
}

void Touch::begin(const Triggers& triggers) {
  instant_ = ++state_.instants;
  ++mark_;
  progress_.total.clear();
  progress_.flipped.clear();
  progress_.projected.clear();
  Touched& touched = progress_.touched;
  touched.clear();
  auto append = [&](const std::vector<ComparisonId>& comparisons) {
    touched.comparisons.insert(touched.comparisons.end(), comparisons.begin(), comparisons.end());
  };
  for (ClockId clock : triggers.clocks) {
    // Up to here what reads the clock evolved with the old count.
    units(system_.units_reading(clock));
    if (runtime_.inputs.is_input(clock)) {
      runtime_.inputs.take(clock, state_.now);
    } else {
      ++state_.clock_count[at(clock)];
    }
    for (AutomatonId automaton : system_.automata_reading(clock)) candidate(automaton);
    for (MemoryId reader : system_.memories_reading(clock)) memory(reader);
    append(system_.comparisons_reading(clock));
  }
  for (ComparisonId id : triggers.comparisons) {
    const plan::Comparison& comparison = system_.comparisons()[id];
    touched.comparisons.push_back(id);
    for (auto [automaton, transition] : comparison.guards) candidate(automaton);
    for (MemoryId reader : comparison.memories) memory(reader);
    if (comparison.detector.valid()) memory(comparison.detector);
    units(comparison.used_by);
  }
  if (triggers.start) {
    for (std::size_t a = 0; a < state_.mode.size(); ++a) candidate(AutomatonId(a));
    for (std::size_t i = 0; i < state_.memory.size(); ++i) memory(MemoryId(i));
    for (std::size_t u = 0; u < system_.units().size(); ++u) unit(UnitId(u));
  }
  for (AutomatonId automaton : system_.automata_reading_pre()) candidate(automaton);
  for (MemoryId reader : system_.attentive_memories()) memory(reader);
}

// Those look again that read what the last step changed.
void Touch::changed(const Touched& last) {
  for (UnitId unit : last.units) readers_of(unit);
  for (AutomatonId automaton : last.moved) readers_of(automaton);
  for (AutomatonId automaton : system_.automata_reading_pre()) candidate(automaton);
}

void Touch::next_epsilon() {
  ++mark_;
  progress_.touched.swap(progress_.last);
  progress_.touched.clear();
  // What earlier microsteps of it have touched counts, too.
  const Touched& last = progress_.n > 0 ? progress_.total : progress_.last;
  changed(last);
  for (UnitId unit : last.units) {
    if (unit_mark_[at(unit)] == mark_) continue;  // with all of its cluster
    Cluster* other = runtime_.cluster_of_unit[at(unit)];
    if (!other->pres.empty() && other->solver != nullptr) cluster(*other);
  }
  readers_of_pre();
  for (AutomatonId automaton : progress_.held) candidate(automaton);
}

void Touch::next_microstep() {
  ++mark_;
  progress_.touched.swap(progress_.last);
  progress_.touched.clear();
  const Touched& last = progress_.last;
  changed(last);
  for (AutomatonId automaton : last.moved) units(system_.automaton(automaton).modulates);
  for (AutomatonId automaton : progress_.held) candidate(automaton);
}

void Touch::readers_of_pre() {
  for (Cluster* reader : pre_readers_) {
    if (reader->in_force) cluster(*reader);
  }
}

// In the order of their units: an order by address would differ from run to run.
void Touch::update_readers_of_pre(const std::vector<Cluster*>& clusters) {
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

void Touch::accumulate() {
  const Touched& touched = progress_.touched;
  Touched& total = progress_.total;
  for (UnitId unit : touched.units) {
    if (instant_mark_[at(unit)] == instant_) continue;
    instant_mark_[at(unit)] = instant_;
    total.units.push_back(unit);
  }
  auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(total.moved, touched.moved);
  append(total.comparisons, touched.comparisons);
  for (MemoryId memory : touched.spoken) {
    if (spoken_mark_[at(memory)] == instant_) continue;
    spoken_mark_[at(memory)] = instant_;
    total.spoken.push_back(memory);
  }
}

void Touch::follow_state() {
  ++mark_;
  instant_ = state_.instants;
  for (auto* marks : {&automaton_mark_, &memory_mark_, &unit_mark_}) {
    std::fill(marks->begin(), marks->end(), 0);
  }
  std::fill(instant_mark_.begin(), instant_mark_.end(), UINT32_MAX);
  std::fill(spoken_mark_.begin(), spoken_mark_.end(), UINT32_MAX);
  mark_ = 1;
  for (AutomatonId id : progress_.touched.candidates) automaton_mark_[at(id)] = mark_;
  for (MemoryId id : progress_.touched.memories) memory_mark_[at(id)] = mark_;
  for (UnitId id : progress_.touched.units) unit_mark_[at(id)] = mark_;
  for (UnitId id : progress_.total.units) instant_mark_[at(id)] = instant_;
  for (MemoryId id : progress_.total.spoken) spoken_mark_[at(id)] = instant_;
  pre_readers_.clear();
  std::vector<UnitId> all;
  for (std::size_t u = 0; u < system_.units().size(); ++u) all.push_back(UnitId(u));
  std::vector<Cluster*> clusters;
  clusters_of(all, clusters);
  if (state_.running) update_readers_of_pre(clusters);
}

void Touch::clusters_of(const std::vector<UnitId>& units, std::vector<Cluster*>& out) const {
  out.clear();
  for (UnitId unit : units) {
    Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (cluster->units[0] == unit) out.push_back(cluster);
  }
}

}  // namespace cradle::engine
