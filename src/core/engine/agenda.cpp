#include "core/engine/agenda.hpp"

#include <cmath>

#include "base/basics/assert.hpp"

namespace cradle::engine {

using Kind = Agenda::Entry::Kind;

// The next tick. Its time is computed from its definition, never added up.
double Agenda::clock_due(ClockId id) const {
  if (runtime_.inputs.is_input(id)) return runtime_.inputs.due(id);
  const Plan& plan = runtime_.system;
  const model::Clock& clock = plan.model().clocks[id];
  const auto count = static_cast<double>(runtime_.state.clock_count[at(id)]);
  return plan.offset(clock) + count * plan.period(clock);
}

double Agenda::event_due(MemoryId schedule, int64_t number) const {
  const Plan& plan = runtime_.system;
  const model::Memory& memory = plan.model().memories[schedule];
  return plan.offset(memory) + static_cast<double>(number) * plan.period(memory);
}

void Agenda::add_crossing(ComparisonId comparison) {
  const Watch& watch = runtime_.state.watches[at(comparison)];
  CRADLE_ASSERT(watch.due != Watch::Due::Nothing, "a watch that has found something");
  const Kind kind = watch.due == Watch::Due::Crossing ? Kind::Crossing : Kind::Look;
  queue_.push({watch.due_at, kind, comparison.index, 0});
}

void Agenda::add_clock(ClockId clock) {
  const double due = clock_due(clock);
  if (due < HUGE_VAL) queue_.push({due, Kind::Clock, clock.index});
}

void Agenda::add_event(MemoryId schedule) {
  const int64_t number = runtime_.state.scheduled[at(schedule)];
  if (number < 0) return;
  queue_.push({event_due(schedule, number), Kind::Event, schedule.index, number});
}

void Agenda::add_future(const Future& future) {
  queue_.push({future.time, Kind::Event, future.memory.index, future.order});
}

void Agenda::add_end(const Cluster& cluster) {
  CRADLE_ASSERT(cluster.solver != nullptr, "only what has states takes steps");
  queue_.push({runtime_.course_of(cluster).end, Kind::CourseEnd, cluster.units[0].index, 0});
}

void Agenda::follow_state() {
  queue_ = {};
  const State& state = runtime_.state;
  if (!state.started) return;
  for (std::size_t r = 0; r < state.watches.size(); ++r) {
    if (state.watches[r].due != Watch::Due::Nothing) add_crossing(ComparisonId(r));
  }
  for (std::size_t c = 0; c < state.clock_count.size(); ++c) add_clock(ClockId(c));
  for (std::size_t i = 0; i < state.scheduled.size(); ++i) add_event(MemoryId(i));
  for (const auto& [order, future] : state.futures) add_future(future);
  for (std::size_t u = 0; u < runtime_.cluster_of_unit.size(); ++u) {
    const Cluster& cluster = *runtime_.cluster_of_unit[u];
    if (cluster.units[0] == UnitId(u) && cluster.solver != nullptr) add_end(cluster);
  }
}

bool Agenda::is_true(const Entry& entry) const {
  const State& state = runtime_.state;
  const auto id = static_cast<std::size_t>(entry.id);
  switch (entry.kind) {
    case Kind::Crossing:
    case Kind::Look: {
      const Watch& watch = state.watches[id];
      const auto due = entry.kind == Kind::Crossing ? Watch::Due::Crossing : Watch::Due::Look;
      return watch.due == due && watch.due_at == entry.time;
    }
    case Kind::Clock:
      return clock_due(ClockId(id)) == entry.time;
    case Kind::Event: {
      if (state.scheduled[id] >= 0) return state.scheduled[id] == entry.number;
      const auto future = state.futures.find(entry.number);
      return future != state.futures.end() && future->second.memory == MemoryId(id);
    }
    case Kind::CourseEnd: {
      const Cluster& cluster = *runtime_.cluster_of_unit[id];
      return cluster.units[0] == UnitId(id) && cluster.solver != nullptr &&
             state.courses[id].end == entry.time;
    }
  }
  return false;
}

const Agenda::Entry* Agenda::first() {
  while (!queue_.empty() && !is_true(queue_.top())) queue_.pop();
  return queue_.empty() ? nullptr : &queue_.top();
}

}  // namespace cradle::engine
