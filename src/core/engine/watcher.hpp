#pragma once
// Watches comparisons while time flows: where does the gap between their sides change its sign?
// What it finds goes on the agenda.
//
// A comparison is watched while a transition that can be taken next reads it, or a rate, or a
// memory that listens. Of a conjunction the first comparison that is false is waited for: while it
// is false, the others cannot enable the guard, and their truths may grow stale.

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
  virtual double margin_of(ComparisonId comparison) const = 0;
};

class Watcher {
 public:
  Watcher(Runtime& runtime, FlowEvaluator& flow, InstantEvaluator& inside, Memories& memories,
          Clusters& clusters, Agenda& agenda);

  // From now on, with the truth as it stands; without looking yet.
  void begin_watch(ComparisonId comparison);
  // Anew from the present instant on.
  void rewatch(std::span<const ComparisonId> comparisons, const Aftermath& aftermath);
  // A cluster has dense output that reaches further.
  void watch_cluster(const Cluster& cluster);
  // From where a comparison was looked at last.
  void look(ComparisonId comparison);
  // The net at an instant: nothing else has changed that reads what brought it about.
  void check_arrival(double t, const Triggers& triggers);

  bool is_live(ComparisonId id) const;
  // Nobody but guards asks for its truth.
  bool is_private(ComparisonId id) const { return private_[at(id)] != 0; }
  // The truth of a comparison that only guards read, none of which can be taken next, is judged
  // when one of them can be.
  bool matters(ComparisonId id) const;
  // Only guards of automata on junctions ask for its truth, which is judged on series (judge.hpp).
  bool is_judged(ComparisonId id) const { return judged_[at(id)] != 0; }

 private:
  class Search;
  bool stands_in_guards(const plan::Comparison& comparison) const;
  void scan(ComparisonId comparison);
  ComparisonId awaited_by(const plan::CompiledTransition& transition) const;
  bool is_awaited(ComparisonId id, const plan::CompiledTransition& transition) const;
  bool turns_back(ComparisonId id, const Aftermath& aftermath);
  const plan::CompiledTransition* only_reader(ComparisonId id) const;
  ComparisonId find_blocking(ComparisonId id, double t);
  ComparisonId hand_over(ComparisonId id, double t);
  template <class Gap>
  ComparisonId hand_over_early(ComparisonId id, double end, Gap&& gap);
  ComparisonId look_ahead(ComparisonId id, bool may_hand_over);
  void look_for_release(ComparisonId border);
  void check_arrival(double t, ComparisonId comparison, const Triggers& triggers);
  double horizon(const plan::Comparison& comparison, bool& timed) const;
  bool is_known_ahead(ComparisonId id) const;
  bool moves_with_time(const plan::Comparison& comparison) const;
  std::optional<double> search_detector(ComparisonId id, double end, Search& search);
  std::optional<double> after_turning(ComparisonId id, double end, std::optional<double> found,
                                      Search& search);
  void put(ComparisonId id, Watch::Due due, double when);

  const Plan& system_;
  Runtime& runtime_;
  State& state_;
  FlowEvaluator& flow_;
  InstantEvaluator& inside_;
  Memories& memories_;
  Clusters& clusters_;
  Agenda& agenda_;
  std::vector<char> private_, judged_, timed_;  // by comparison
};

}  // namespace cradle::engine
