// Who has to look again when something changes: static lists of readers.

#include <utility>

#include "base/basics/sorted.hpp"
#include "core/plan/maker.hpp"

namespace cradle::plan {

using expr::Op;

// Through signals: a name for a comparison changes nothing.
std::vector<ComparisonId> Maker::conjuncts_of(ExprId guard) {
  ++seen_mark_;
  seen_nodes_.resize(m_.pool.size(), 0);
  std::vector<ComparisonId> out;
  std::vector<ExprId> work{guard};
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (std::exchange(seen_nodes_[at(e)], seen_mark_) == seen_mark_) continue;
    const expr::Node& node = m_.pool[e];
    if (node.op == expr::Op::And) {
      work.push_back(node.b);
      work.push_back(node.a);
    } else if (node.op == expr::Op::Signal) {
      work.push_back(m_.signals[SignalId(static_cast<std::size_t>(node.ref))].value);
    } else if (const ComparisonId r = comparison_of(e); r.valid() && out_.comparisons[r].watched) {
      out.push_back(r);
    }
  }
  return out;
}

void Maker::compile_automata() {
  out_.automata.resize(m_.automata.size());
  out_.units_at.resize(m_.junctions.size());
  for (std::size_t a = 0; a < m_.automata.size(); ++a) {
    const model::Automaton& automaton = m_.automata[AutomatonId(a)];
    CompiledAutomaton& compiled = out_.automata[AutomatonId(a)];
    compiled.leaving.resize(automaton.states.size());
    for (std::size_t t = 0; t < automaton.transitions.size(); ++t) {
      const model::Transition& transition = automaton.transitions[t];
      CompiledTransition out;
      out.guard = formula(transition.guard);
      if (transition.entering.valid()) out.entering = formula(transition.entering);
      Footprint reads = footprints_.of(transition.guard);
      out.comparisons = reads.comparisons;
      out.conjuncts = conjuncts_of(transition.guard);
      out.reads_pre = !reads.pres.empty();
      compiled.reads_pre |= out.reads_pre;
      compiled.transitions.push_back(std::move(out));
      compiled.leaving[static_cast<std::size_t>(transition.from)].push_back(static_cast<int>(t));
    }
    if (compiled.reads_pre) out_.automata_reading_pre.push_back(AutomatonId(a));
    compiled.junctions = m_.junctions_of(AutomatonId(a));
    for (JunctionId junction : compiled.junctions) {
      std::vector<UnitId>& units = out_.units_at[junction];
      for (const model::BondEnd& end : m_.junctions[junction].bonds) {
        units.push_back(unit_of(end.bond));
      }
      sort_unique(units);
      compiled.adjacent.insert(compiled.adjacent.end(), units.begin(), units.end());
    }
    sort_unique(compiled.adjacent);
  }
}

void Maker::index_regions() {
  out_.regions.resize(m_.regions.size());
  for (std::size_t a = 0; a < m_.automata.size(); ++a) {
    out_.automata[AutomatonId(a)].regions.resize(m_.automata[AutomatonId(a)].states.size());
  }
  for (std::size_t r = 0; r < m_.regions.size(); ++r) {
    const model::Region& region = m_.regions[RegionId(r)];
    out_.automata[region.automaton].regions[static_cast<std::size_t>(region.state)].push_back(
        RegionId(r));
  }
  for (std::size_t s = 0; s < m_.states.size(); ++s) {
    const RegionId region = m_.states[StateId(s)].region;
    if (region.valid()) out_.regions[region].states.push_back(StateId(s));
  }
  for (std::size_t i = 0; i < m_.memories.size(); ++i) {
    const RegionId region = m_.memories[MemoryId(i)].region;
    if (region.valid()) out_.regions[region].memories.push_back(MemoryId(i));
  }
  for (std::size_t a = 0; a < m_.automata.size(); ++a) {
    const RegionId region = m_.automata[AutomatonId(a)].region;
    if (region.valid()) out_.regions[region].automata.push_back(AutomatonId(a));
  }
}

// Who has to look again when something changes.
void Maker::index_readers() {
  out_.automata_by_clock.resize(m_.clocks.size());
  out_.units_by_clock.resize(m_.clocks.size());
  out_.comparisons_by_clock.resize(m_.clocks.size());
  for (std::size_t r = 0; r < out_.comparisons.size(); ++r) {
    Comparison& comparison = out_.comparisons[ComparisonId(r)];
    for (CellId cell : comparison.reads.cells) comparison.units.push_back(out_.cells[cell].unit);
    for (StateId state : comparison.reads.states) comparison.units.push_back(unit_of(state));
    sort_unique(comparison.units);
    for (UnitId unit : comparison.units) out_.units[unit].watched_by.push_back(ComparisonId(r));
    for (ClockId clock : comparison.reads.clocks)
      out_.comparisons_by_clock[clock].push_back(ComparisonId(r));
  }
  for (std::size_t u = 0; u < out_.units.size(); ++u) {
    for (ComparisonId r : out_.units[UnitId(u)].comparisons)
      out_.comparisons[r].used_by.push_back(UnitId(u));
    for (ClockId clock : out_.units[UnitId(u)].clocks)
      out_.units_by_clock[clock].push_back(UnitId(u));
  }
  for (std::size_t a = 0; a < m_.automata.size(); ++a) {
    const model::Automaton& automaton = m_.automata[AutomatonId(a)];
    for (std::size_t t = 0; t < automaton.transitions.size(); ++t) {
      Footprint reads = footprints_.of(automaton.transitions[t].guard);
      for (CellId c : reads.cells) out_.units[out_.cells[c].unit].readers.push_back(AutomatonId(a));
      for (StateId s : reads.states) out_.units[unit_of(s)].readers.push_back(AutomatonId(a));
      for (AutomatonId other : reads.automata)
        out_.automata[other].read_by.push_back(AutomatonId(a));
      for (ClockId clock : reads.clocks) out_.automata_by_clock[clock].push_back(AutomatonId(a));
      for (MemoryId memory : reads.memories)
        out_.memories[memory].automata.push_back(AutomatonId(a));
      for (ComparisonId r : reads.comparisons) {
        out_.comparisons[r].guards.emplace_back(AutomatonId(a), static_cast<int>(t));
      }
    }
  }
  for (ExprId pre : m_.pool.pres()) {
    for (ComparisonId r : footprints_.of(pre).comparisons) out_.comparisons[r].in_pre = true;
  }
  auto modulate = [&](UnitId unit, ExprId root) {
    const Footprint reads = footprints_.of(root);
    for (AutomatonId a : reads.automata) out_.automata[a].modulates.push_back(unit);
    for (MemoryId memory : reads.memories) out_.memories[memory].units.push_back(unit);
  };
  // What lives in a mode rests while the mode does.
  auto gate = [&](UnitId unit, RegionId region) {
    for (; region.valid(); region = m_.regions[region].parent) {
      out_.automata[m_.regions[region].automaton].modulates.push_back(unit);
    }
  };
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    const model::Element& element = m_.elements[ElementId(i)];
    if (element.ports.empty()) continue;
    for (ExprId root : roots_of(ElementId(i))) modulate(unit_of(element.ports[0].bond), root);
    gate(unit_of(element.ports[0].bond), element.region);
  }
  for (std::size_t s = 0; s < m_.states.size(); ++s) {
    const model::State& state = m_.states[StateId(s)];
    if (state.rate.valid()) modulate(unit_of(StateId(s)), state.rate);
    if (state.impulse.valid()) modulate(unit_of(StateId(s)), state.impulse);
    gate(unit_of(StateId(s)), state.region);
  }
  for (Unit& unit : out_.units) sort_unique(unit.readers);
  for (CompiledAutomaton& automaton : out_.automata) {
    sort_unique(automaton.read_by);
    sort_unique(automaton.modulates);
  }
  for (auto& list : out_.automata_by_clock) sort_unique(list);
}

void Maker::index_memories() {
  out_.memories_by_clock.resize(m_.clocks.size());
  for (std::size_t i = 0; i < m_.memories.size(); ++i) {
    const MemoryId id(i);
    const model::Memory& memory = m_.memories[id];
    if (!memory.input.valid()) continue;
    const Footprint reads = footprints_.of(memory.input);
    out_.memories[id].inputs = reads.comparisons;
    for (CellId c : reads.cells) out_.units[out_.cells[c].unit].memories.push_back(id);
    for (StateId s : reads.states) out_.units[unit_of(s)].memories.push_back(id);
    for (AutomatonId a : reads.automata) out_.automata[a].memories.push_back(id);
    for (ClockId clock : reads.clocks) out_.memories_by_clock[clock].push_back(id);
    for (ComparisonId r : reads.comparisons) out_.comparisons[r].memories.push_back(id);
    for (MemoryId other : reads.memories) out_.memories[other].memories.push_back(id);
    // What lives in a mode looks again when the mode is entered.
    for (RegionId region = memory.region; region.valid(); region = m_.regions[region].parent) {
      out_.automata[m_.regions[region].automaton].memories.push_back(id);
    }
  }
  for (std::size_t r = 0; r < out_.comparisons.size(); ++r) {
    for (MemoryId memory : out_.comparisons[ComparisonId(r)].reads.memories) {
      out_.memories[memory].comparisons.push_back(ComparisonId(r));
    }
  }
  for (Unit& unit : out_.units) sort_unique(unit.memories);
  for (CompiledAutomaton& automaton : out_.automata) sort_unique(automaton.memories);
  for (CompiledMemory& memory : out_.memories) {
    sort_unique(memory.automata);
    sort_unique(memory.memories);
    sort_unique(memory.units);
    sort_unique(memory.comparisons);
  }
}

// What remembers something that changes while time flows has to look at every instant; so has what
// reads events, which fall silent when time goes on: that alone is no instant.
void Maker::find_attentive_memories() {
  const auto is_event = [this](MemoryId id) { return !m_.memories[id].lasts(); };
  for (std::size_t i = 0; i < m_.memories.size(); ++i) {
    const model::Memory& memory = m_.memories[MemoryId(i)];
    if (!memory.lasts()) continue;
    const std::vector<MemoryId> reads = footprints_.of(memory.input).memories;
    const bool continuous = is_continuous(memory.input) && !formula(memory.input).optional;
    if (continuous || std::any_of(reads.begin(), reads.end(), is_event)) {
      out_.attentive_memories.push_back(MemoryId(i));
    }
  }
}

namespace {

// Every expression that stands for itself and not in another one.
std::vector<ExprId> all_roots(const model::Model& m) {
  std::vector<ExprId> roots = m.pool.pres();
  const auto add = [&](std::initializer_list<ExprId> list) {
    roots.insert(roots.end(), list.begin(), list.end());
  };
  for (const model::Signal& signal : m.signals) add({signal.value});
  for (const auto& [name, expr] : m.readable) add({expr});
  for (const model::State& state : m.states) add({state.rate, state.impulse});
  for (const model::Element& element : m.elements) {
    add({element.signal});
    roots.insert(roots.end(), element.laws.begin(), element.laws.end());
  }
  for (const model::Memory& memory : m.memories) add({memory.input});
  for (const model::Choice& choice : m.choices) {
    roots.insert(roots.end(), choice.alternatives.begin(), choice.alternatives.end());
  }
  for (const model::Output& output : m.outputs) {
    for (const model::Output::Part& part : output.parts) add({part.value, part.entering});
  }
  for (const model::Automaton& automaton : m.automata) {
    for (const model::Transition& transition : automaton.transitions) {
      add({transition.guard, transition.entering});
      for (const model::SetAction& set : transition.sets) add({set.value, set.entering});
    }
  }
  return roots;
}

}  // namespace

void Maker::find_quiet_memories() {
  for (CompiledMemory& memory : out_.memories) memory.quiet = true;
  auto is_memory = [&](ExprId e) { return e.valid() && m_.pool[e].op == Op::Memory; };
  auto loud = [&](ExprId e) {
    if (is_memory(e))
      out_.memories[MemoryId(static_cast<std::size_t>(m_.pool[e].ref))].quiet = false;
  };
  for (std::size_t i = 0; i < m_.pool.size(); ++i) {
    const expr::Node& node = m_.pool[ExprId(i)];
    const bool holds =
        node.op == Op::Default && is_memory(node.b) &&
        m_.memories[MemoryId(static_cast<std::size_t>(m_.pool[node.b].ref))].input == node.a;
    loud(node.a);
    if (!holds) loud(node.b);
    loud(node.c);
  }
  for (ExprId root : all_roots(m_)) loud(root);
}

}  // namespace cradle::plan
