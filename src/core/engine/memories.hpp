#pragma once
// What operators keep from one microstep to the next (model::Memory): delays, last values, crossing
// detectors, schedules. All of them change together after the fixed point, never during it:
//
//   look(m):    what its input says now is laid aside
//   advance():  events fall silent; what was laid aside, and what is due, is said
//
// Work is proportional to the memories that were looked at.

#include <vector>

#include "core/engine/instant_evaluator.hpp"
#include "core/engine/runtime.hpp"

namespace cradle::engine {

class Memories {
 public:
  Memories(Runtime& runtime, InstantEvaluator& inside)
      : state_(runtime.state), runtime_(runtime), inside_(inside) {}

  // An event that is due at this real time: it is said at the next microstep.
  void due(MemoryId id, const plan::Value& value);
  // After a fixed point. True if there will be something to say.
  enum class Moment { Start, Arrival, Later };  // Arrival: microstep 0, at which nothing has jumped
  bool look(MemoryId id, Moment moment);
  // Whether the detector of this comparison may speak again.
  void set_ready(ComparisonId id, bool ready);
  bool pending() const { return !state_.next.empty(); }
  // On to the next microstep.
  void advance();
  // The mode that it lives in has been entered.
  void reset(MemoryId id);
  void set(MemoryId id, double value);
  // Events to come, of time delays that were looked at: they are in the state, and new.
  std::vector<int64_t>& new_futures() { return new_futures_; }

 private:
  void silence();
  void commit_quiet();
  void forget_crossings(MemoryId id);
  void lay_aside(MemoryId id, const plan::Value& value);
  bool crossed(ComparisonId comparison, char& truth, bool was_live, Moment moment);

  State& state_;
  Runtime& runtime_;
  InstantEvaluator& inside_;
  std::vector<int64_t> new_futures_;  // by order
  std::vector<Said> now_due_;         // scratch
};

}  // namespace cradle::engine
