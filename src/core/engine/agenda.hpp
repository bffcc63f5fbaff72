#pragma once
// What comes next, in order of time. Everything on it stands in the state: a crossing that was
// found, the next tick of a clock, the next event of a schedule, a delayed event, the end of a
// solver's step. So the queue is an index, which can be made anew from the state at any time, and
// an entry that the state no longer bears out is dropped when its turn comes.

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "core/engine/runtime.hpp"

namespace cradle::engine {

class Agenda {
 public:
  struct Entry {
    double time = 0;
    // At one time in this order. Look: a comparison of time alone has to be searched on.
    enum class Kind : uint8_t { Crossing, Clock, Event, Look, CourseEnd } kind = Kind::Crossing;
    int64_t id = 0;      // of a comparison, a clock, a memory, the first unit of a cluster
    int64_t number = 0;  // of an event: which of a schedule, or the order of a delayed one
    auto operator<=>(const Entry&) const = default;
  };

  explicit Agenda(const Runtime& runtime) : runtime_(runtime) {}

  void add_crossing(ComparisonId comparison);  // as its watch says
  void add_clock(ClockId clock);               // its next tick
  void add_event(MemoryId schedule);           // its next event
  void add_future(const Future& future);
  void add_end(const Cluster& cluster);
  // Everything, from the state.
  void follow_state();

  // The first entry that the state bears out; null if there is none. It stays.
  const Entry* first();
  void pop() { queue_.pop(); }
  double clock_due(ClockId clock) const;

 private:
  bool is_true(const Entry& entry) const;
  double event_due(MemoryId schedule, int64_t number) const;

  const Runtime& runtime_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace cradle::engine
