#include "core/engine/runtime.hpp"

#include <cmath>
#include <limits>

namespace cradle::engine {

Runtime::Runtime(const Plan& s, const Options& o) : system(s), options(o) {
  const model::Model& m = s.model();
  x.assign(m.states.size(), 0.0);
  truth.assign(s.relations().size(), 0);
  passed_by.assign(s.relations().size(), 0.0);
  struck_at.assign(m.elements.size(), -1.0);
  clock_count.assign(m.clocks.size(), 0);
  pre_value.assign(m.pool.pres().size(), 0.0);
  slot_of_cell.assign(s.cells().size(), nullptr);
  arrival_slot_of_cell.assign(s.cells().size(), nullptr);
  cluster_of_unit.assign(s.units().size(), nullptr);
  component_of_state.assign(m.states.size(), -1);
  for (const model::Memory& kept : m.memories) {
    memory.push_back(kept.lasts() ? plan::Value(m.pool.constant_value(kept.initial))
                                  : plan::Value::absent());
  }
  for (const model::Automaton& automaton : m.automata) mode.push_back(automaton.initial);
  arrival_mode = mode;
  arrival_clock_count = clock_count;
}

bool Runtime::is_active(JunctionId junction) const {
  const model::Model& m = system.model();
  AutomatonId automaton = m.junctions[junction].automaton;
  if (!automaton.valid()) return true;
  int state = mode[static_cast<std::size_t>(automaton.index)];
  return m.automata[automaton].active[static_cast<std::size_t>(state)];
}

bool Runtime::is_active(RegionId region) const {
  const model::Model& m = system.model();
  for (; region.valid(); region = m.regions[region].parent) {
    if (mode[at(m.regions[region].automaton)] != m.regions[region].state) return false;
  }
  return true;
}

void Runtime::arrive(Cluster& cluster) {
  if (cluster.at == now) return;
  if (cluster.stepped) {
    for (std::size_t i = 0; i < cluster.states.size(); ++i) {
      x[static_cast<std::size_t>(cluster.states[i].index)] =
          cluster.solver->interpolate(now, static_cast<int>(i));
    }
  }
  cluster.at = now;
}

double Runtime::state_at(StateId state, double t) {
  Cluster& cluster = cluster_of(state);
  const auto index = static_cast<std::size_t>(state.index);
  if (cluster.at == t || !cluster.stepped) return x[index];
  return cluster.solver->interpolate(t, component_of_state[index]);
}

double Runtime::rounding_of(const plan::Relation& relation) {
  double scale = 0;
  for (StateId state : relation.reads.states) scale += std::abs(state_at(state, now));
  constexpr double kUlps = 32;
  return kUlps * std::numeric_limits<double>::epsilon() * scale;
}

double Runtime::clock_phase(ClockId id, double t, int64_t count) const {
  const model::Clock& clock = system.model().clocks[id];
  return (t - (clock.offset + static_cast<double>(count - 1) * clock.period)) / clock.period;
}

}  // namespace cradle::engine
