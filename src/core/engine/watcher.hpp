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

// What an instant that is being left has done, as far as it concerns watching.
class Aftermath {
 public:
  virtual ~Aftermath() = default;
  virtual bool has_spoken(MemoryId memory) const = 0;
  virtual bool has_touched(UnitId unit) const = 0;
};

class Watcher {
 public:
  Watcher(Runtime& runtime, FlowEvaluator& flow, TickEvaluator& tick, Memories& memories,
          Clusters& clusters, Agenda& agenda);

  // From now on, with the truth as it stands; without looking yet.
  void begin_watch(RelationId relation);
  // Anew from the present instant on.
  void rewatch(std::span<const RelationId> relations, const Aftermath& aftermath);
  // A relation that is true by rounding alone and was let be counts once it is clearly true, or
  // once it has been false again.
  void watch_noisy(std::span<const RelationId> relations);
  // A cluster has dense output that reaches further.
  void watch_cluster(const Cluster& cluster);
  // A relation of time alone, from where it was looked at last.
  void look(RelationId relation);

  bool is_live(RelationId id) const;
  // Nobody but guards asks for its truth.
  bool is_private(RelationId id) const { return private_[at(id)] != 0; }
  // The truth of a relation that only guards read, none of which can be taken next, is judged when
  // one of them can be.
  bool matters(RelationId id) const;
  // What tolerance and rounding can make of a relation between equal numbers: as much as all that
  // it reads is worth. Time and parameters are exact.
  double noise_of(RelationId id);

 private:
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
  double horizon(const plan::Relation& relation, bool& timed) const;
  bool moves_with_time(const plan::Relation& relation) const;
  template <class Search>
  std::optional<double> search_detector(RelationId id, double end, Search&& search);
  template <class Search>
  std::optional<double> after_turning(RelationId id, double end, std::optional<double> found,
                                      Search&& search);
  void put(RelationId id, Watch::Due due, double when);

  const Plan& system_;
  Runtime& runtime_;
  State& state_;
  FlowEvaluator& flow_;
  TickEvaluator& tick_;
  Memories& memories_;
  Clusters& clusters_;
  Agenda& agenda_;
  std::vector<char> private_;  // by relation
  double longest_window_;      // looked at at once where nothing but time moves
};

}  // namespace cradle::engine
