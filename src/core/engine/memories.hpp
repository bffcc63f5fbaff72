#pragma once
// What operators keep from one microstep to the next (model::Memory): delays, last values, crossing
// detectors, schedules. All of them change together after the fixed point, never during it:
//
//   look(m):    what its input says now is laid aside
//   advance():  events fall silent; what was laid aside, and what is due, is said
//
// Work is proportional to the memories that were looked at.

#include <vector>

#include "core/engine/runtime.hpp"
#include "core/engine/tick_evaluator.hpp"

namespace cradle::engine {

class Memories {
 public:
  Memories(Runtime& runtime, TickEvaluator& tick);

  // An event that is due at this real time: it is said at the next microstep.
  void due(MemoryId id, const plan::Value& value);
  // After a fixed point. True if there will be something to say.
  enum class Moment { Start, Arrival, Later };  // Arrival: microstep 0, at which nothing has jumped
  bool look(MemoryId id, Moment moment);
  // Whether the detector of this relation may speak again.
  void set_ready(RelationId id, bool ready);
  bool pending() const { return !next_.empty(); }
  // On to the next microstep.
  void advance();
  // What is to be said at the coming microsteps.
  struct Next {
    MemoryId id;
    plan::Value value;
  };
  std::vector<Next> waiting() const;
  // What is said, or has changed, at this microstep; and what has just fallen silent.
  const std::vector<MemoryId>& speaking() const { return speaking_; }
  const std::vector<MemoryId>& silenced() const { return silenced_; }
  // The mode that it lives in has been entered.
  void reset(MemoryId id);
  void set(MemoryId id, double value);

  // Events to come, of time delays: when the next is due, and what it says.
  struct Future {
    double time;
    int64_t order;
    MemoryId memory;
    plan::Value value;
  };
  std::vector<Future>& new_futures() { return new_futures_; }

 private:
  void silence();
  void commit_quiet();
  void forget_crossings(MemoryId id);
  bool crossed(RelationId relation, char& truth, bool was_live, Moment moment);

  Runtime& runtime_;
  TickEvaluator& tick_;
  std::vector<Next> next_;
  std::vector<Next> later_;    // at the microstep behind the next, because another comes before it
  std::vector<Next> now_due_;  // scratch
  std::vector<Next> quiet_;    // changes that nobody sees, so that no microstep is needed for them
  std::vector<MemoryId> speaking_, silenced_;
  std::vector<Future> new_futures_;
  int64_t order_ = 0;
  struct Detector {
    char rising = 1, falling = 1;  // truths of its relations
    bool live = false;             // they have been looked at since its mode was entered
  };
  std::vector<Detector> detectors_;  // by memory
  std::vector<plan::Value> seen_;    // by memory: what a held delay was last given
};

}  // namespace cradle::engine
