#pragma once
// Watches relations while time flows: where does the gap between their sides change its sign? What
// it finds goes on the agenda.
//
// A relation is watched while a transition that can be taken next reads it, or a rate, or a memory
// that listens. Of a conjunction the first comparison that is false is waited for: while it is
// false, the others cannot enable the guard, and their truths may grow stale.

#include <optional>
#include <span>
#include <vector>

#include "core/engine/agenda.hpp"
#include "core/engine/clusters.hpp"
#include "core/engine/memories.hpp"

namespace cradle::engine {

// A piece of time counts as free of changes only by proof (core/solve/crossing.hpp), wherever the
// gap is code (flow_code.hpp). Below that there is a net: at the end of what was searched truths
// are judged once more, and a change that was not found ends the run.

// What an instant that is being left has done, as far as it concerns watching.
class Aftermath {
 public:
  virtual ~Aftermath() = default;
  virtual bool has_spoken(MemoryId memory) const = 0;
  virtual bool has_touched(UnitId unit) const = 0;
  // What a gap that begins within rounding of zero has to leave; 0: it does not.
  virtual double margin_of(RelationId relation) const = 0;
};

class Watcher {
 public:
  Watcher(Runtime& runtime, FlowEvaluator& flow, TickEvaluator& tick, Memories& memories,
          Clusters& clusters, Agenda& agenda);

  // From now on, with the truth as it stands; without looking yet.
  void begin_watch(RelationId relation);
  // Anew from the present instant on.
  void rewatch(std::span<const RelationId> relations, const Aftermath& aftermath);
  // A cluster has dense output that reaches further.
  void watch_cluster(const Cluster& cluster);
  // From where a relation was looked at last.
  void look(RelationId relation);
  // The net at an instant: nothing else has changed that reads what brought it about.
  void check_arrival(double t, const Triggers& triggers);

  bool is_live(RelationId id) const;
  // Nobody but guards asks for its truth.
  bool is_private(RelationId id) const { return private_[at(id)] != 0; }
  // The truth of a relation that only guards read, none of which can be taken next, is judged when
  // one of them can be.
  bool matters(RelationId id) const;
  // Only guards of automata on junctions ask for its truth, which is judged on series (judge.hpp).
  bool is_judged(RelationId id) const { return judged_[at(id)] != 0; }

 private:
  class Search;
  bool stands_in_guards(const plan::Relation& relation) const;
  void scan(RelationId relation);
  RelationId awaited_by(const plan::CompiledTransition& transition) const;
  bool is_awaited(RelationId id, const plan::CompiledTransition& transition) const;
  bool turns_back(RelationId id, const Aftermath& aftermath);
  const plan::CompiledTransition* only_reader(RelationId id) const;
  RelationId find_blocking(RelationId id, double t);
  RelationId hand_over(RelationId id, double t);
  template <class Gap>
  RelationId hand_over_early(RelationId id, double end, Gap&& gap);
  RelationId look_ahead(RelationId id, bool may_hand_over);
  void look_for_release(RelationId border);
  void check_arrival(double t, RelationId relation, const Triggers& triggers);
  double horizon(const plan::Relation& relation, bool& timed) const;
  bool moves_with_time(const plan::Relation& relation) const;
  std::optional<double> search_detector(RelationId id, double end, Search& search);
  std::optional<double> after_turning(RelationId id, double end, std::optional<double> found,
                                      Search& search);
  void put(RelationId id, Watch::Due due, double when);

  const Plan& system_;
  Runtime& runtime_;
  State& state_;
  FlowEvaluator& flow_;
  TickEvaluator& tick_;
  Memories& memories_;
  Clusters& clusters_;
  Agenda& agenda_;
  std::vector<char> private_, judged_;  // by relation
};

}  // namespace cradle::engine
