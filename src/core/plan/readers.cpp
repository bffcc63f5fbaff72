// Who has to look again when something changes: static lists of readers.

#include "base/basics/sorted.hpp"
#include "core/plan/system.hpp"

namespace cradle::plan {

using expr::Op;

void Plan::index_regions() {
  const model::Model& m = *model_;
  regions_.resize(m.regions.size());
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    automata_[AutomatonId(a)].regions.resize(m.automata[AutomatonId(a)].states.size());
  }
  for (std::size_t r = 0; r < m.regions.size(); ++r) {
    const model::Region& region = m.regions[RegionId(r)];
    automata_[region.automaton].regions[static_cast<std::size_t>(region.state)].push_back(
        RegionId(r));
  }
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const RegionId region = m.states[StateId(s)].region;
    if (region.valid()) regions_[region].states.push_back(StateId(s));
  }
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const RegionId region = m.memories[MemoryId(i)].region;
    if (region.valid()) regions_[region].memories.push_back(MemoryId(i));
  }
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    const RegionId region = m.automata[AutomatonId(a)].region;
    if (region.valid()) regions_[region].automata.push_back(AutomatonId(a));
  }
}

// Who has to look again when something changes.
void Plan::index_readers() {
  const model::Model& m = *model_;
  automata_by_clock_.resize(m.clocks.size());
  units_by_clock_.resize(m.clocks.size());
  relations_by_clock_.resize(m.clocks.size());
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    Relation& relation = relations_[RelationId(r)];
    for (CellId cell : relation.reads.cells) relation.units.push_back(cells_[cell].unit);
    for (StateId state : relation.reads.states) relation.units.push_back(unit_of(state));
    sort_unique(relation.units);
    for (UnitId unit : relation.units) units_[unit].watched_by.push_back(RelationId(r));
    for (ClockId clock : relation.reads.clocks) relations_by_clock_[clock].push_back(RelationId(r));
  }
  for (std::size_t u = 0; u < units_.size(); ++u) {
    for (RelationId r : units_[UnitId(u)].relations) relations_[r].used_by.push_back(UnitId(u));
    for (ClockId clock : units_[UnitId(u)].clocks) units_by_clock_[clock].push_back(UnitId(u));
  }
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    const model::Automaton& automaton = m.automata[AutomatonId(a)];
    for (std::size_t t = 0; t < automaton.transitions.size(); ++t) {
      Footprint reads = footprint(automaton.transitions[t].guard, true);
      for (CellId c : reads.cells) units_[cells_[c].unit].readers.push_back(AutomatonId(a));
      for (StateId s : reads.states) units_[unit_of(s)].readers.push_back(AutomatonId(a));
      for (AutomatonId other : reads.automata) automata_[other].read_by.push_back(AutomatonId(a));
      for (ClockId clock : reads.clocks) automata_by_clock_[clock].push_back(AutomatonId(a));
      for (MemoryId memory : reads.memories) memories_[memory].automata.push_back(AutomatonId(a));
      for (RelationId r : reads.relations) {
        relations_[r].guards.emplace_back(AutomatonId(a), static_cast<int>(t));
      }
    }
  }
  for (ExprId pre : m.pool.pres()) {
    for (RelationId r : footprint(pre, true).relations) relations_[r].in_pre = true;
  }
  auto modulate = [&](UnitId unit, ExprId root) {
    const Footprint reads = footprint(root, true);
    for (AutomatonId a : reads.automata) automata_[a].modulates.push_back(unit);
    for (MemoryId memory : reads.memories) memories_[memory].units.push_back(unit);
  };
  // What lives in a mode rests while the mode does.
  auto gate = [&](UnitId unit, RegionId region) {
    for (; region.valid(); region = m.regions[region].parent) {
      automata_[m.regions[region].automaton].modulates.push_back(unit);
    }
  };
  for (const model::Element& element : m.elements) {
    if (element.ports.empty()) continue;
    for (ExprId root : roots_of(element)) modulate(unit_of(element.ports[0].bond), root);
    gate(unit_of(element.ports[0].bond), element.region);
  }
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const model::State& state = m.states[StateId(s)];
    if (state.rate.valid()) modulate(unit_of(StateId(s)), state.rate);
    if (state.impulse.valid()) modulate(unit_of(StateId(s)), state.impulse);
    gate(unit_of(StateId(s)), state.region);
  }
  for (Unit& unit : units_) sort_unique(unit.readers);
  for (CompiledAutomaton& automaton : automata_) {
    sort_unique(automaton.read_by);
    sort_unique(automaton.modulates);
  }
  for (auto& list : automata_by_clock_) sort_unique(list);
}

void Plan::index_memories() {
  const model::Model& m = *model_;
  memories_by_clock_.resize(m.clocks.size());
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const MemoryId id(i);
    const model::Memory& memory = m.memories[id];
    if (!memory.input.valid()) continue;
    const Footprint reads = footprint(memory.input, true);
    memories_[id].inputs = reads.relations;
    for (CellId c : reads.cells) units_[cells_[c].unit].memories.push_back(id);
    for (StateId s : reads.states) units_[unit_of(s)].memories.push_back(id);
    for (AutomatonId a : reads.automata) automata_[a].memories.push_back(id);
    for (ClockId clock : reads.clocks) memories_by_clock_[clock].push_back(id);
    for (RelationId r : reads.relations) relations_[r].memories.push_back(id);
    for (MemoryId other : reads.memories) memories_[other].memories.push_back(id);
    // What lives in a mode looks again when the mode is entered.
    for (RegionId region = memory.region; region.valid(); region = m.regions[region].parent) {
      automata_[m.regions[region].automaton].memories.push_back(id);
    }
  }
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    for (MemoryId memory : relations_[RelationId(r)].reads.memories) {
      memories_[memory].relations.push_back(RelationId(r));
    }
  }
  for (Unit& unit : units_) sort_unique(unit.memories);
  for (CompiledAutomaton& automaton : automata_) sort_unique(automaton.memories);
  for (CompiledMemory& memory : memories_) {
    sort_unique(memory.automata);
    sort_unique(memory.memories);
    sort_unique(memory.units);
    sort_unique(memory.relations);
  }
}

// What remembers something that changes while time flows has to look at every instant.
void Plan::find_attentive_memories() {
  const model::Model& m = *model_;
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const model::Memory& memory = m.memories[MemoryId(i)];
    if (!memory.lasts() || !is_continuous(memory.input)) continue;
    if (!formula(memory.input).optional) attentive_memories_.push_back(MemoryId(i));
  }
}

void Plan::find_quiet_memories() {
  const model::Model& m = *model_;
  for (CompiledMemory& memory : memories_) memory.quiet = true;
  auto is_memory = [&](ExprId e) { return e.valid() && m.pool[e].op == Op::Memory; };
  auto loud = [&](ExprId e) {
    if (is_memory(e)) memories_[MemoryId(static_cast<std::size_t>(m.pool[e].ref))].quiet = false;
  };
  for (std::size_t i = 0; i < m.pool.size(); ++i) {
    const expr::Node& node = m.pool[ExprId(i)];
    const bool holds =
        node.op == Op::Default && is_memory(node.b) &&
        m.memories[MemoryId(static_cast<std::size_t>(m.pool[node.b].ref))].input == node.a;
    loud(node.a);
    if (!holds) loud(node.b);
    loud(node.c);
  }
  for (const model::Signal& signal : m.signals) loud(signal.value);
  for (const auto& [name, expr] : m.readable) loud(expr);
}

}  // namespace cradle::plan
