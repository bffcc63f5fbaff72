#include "core/engine/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cradle::engine {

Runtime::Runtime(const Plan& s, const Options& o, State& st)
    : system(s), options(o), state(st), inputs(s.model(), o.inputs, st) {
  slot_of_cell.assign(s.cells().size(), nullptr);
  arrival_slot_of_cell.assign(s.cells().size(), nullptr);
  cluster_of_unit.assign(s.units().size(), nullptr);
  component_of_state.assign(s.model().states.size(), -1);
}

bool Runtime::arrive(Cluster& cluster) {
  Course& course = course_of(cluster);
  if (course.at == state.now) return false;
  if (course.stepped) {
    for (std::size_t i = 0; i < cluster.states.size(); ++i) {
      const std::size_t s = at(cluster.states[i]);
      state.x[s] = state.arrival_x[s] = cluster.solver->interpolate(state.now, static_cast<int>(i));
    }
  }
  course.at = state.now;
  if (course.stepped) remember_worth(cluster, state.now);
  return course.stepped;
}

void Runtime::remember_worth(const Cluster& cluster, double t) {
  const solve::Motion& motion = course_of(cluster).motion;
  const double times = t > motion.begin ? std::abs(t) / (t - motion.begin) : 0;
  for (std::size_t i = 0; i < cluster.states.size(); ++i) {
    double& worth = state.worth[at(cluster.states[i])];
    const double x = cluster.solver->interpolate(t, static_cast<int>(i));
    const double moved = std::abs(x - motion.x[i]) * times;
    worth = std::max({worth, std::abs(x), std::isfinite(moved) ? moved : 0.0});
  }
}

double Runtime::state_at(StateId id, double t) const {
  const Cluster& cluster = cluster_of(id);
  const Course& course = course_of(cluster);
  if (course.at == t || !course.stepped) return state.x[at(id)];
  return cluster.solver->interpolate(t, component_of_state[at(id)]);
}

double Runtime::arrival_state_at(StateId id, double t) const {
  const Cluster& cluster = cluster_of(id);
  const Course& course = course_of(cluster);
  if (course.at == t || !course.stepped) return state.arrival_x[at(id)];
  return cluster.solver->interpolate(t, component_of_state[at(id)]);
}

double Runtime::rounding_of(const plan::Relation& relation) const {
  double scale = 0;
  for (StateId id : relation.reads.states) scale += std::abs(state_at(id, state.now));
  constexpr double kUlps = 32;
  return kUlps * std::numeric_limits<double>::epsilon() * scale;
}

double Runtime::period_begin(ClockId id, int64_t count) const {
  const model::Clock& clock = system.model().clocks[id];
  return system.offset(clock) + static_cast<double>(count - 1) * system.period(clock);
}

double Runtime::clock_phase(ClockId id, double t, int64_t count) const {
  return (t - period_begin(id, count)) / system.period(system.model().clocks[id]);
}

}  // namespace cradle::engine
