#pragma once
// Which clusters a mode has. Structure is computed once per combination of junction activities
// around a cluster, kept, and found again by that key; memory is bounded.

#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/runtime.hpp"

namespace cradle::engine {

// ẋ of a cluster in force where the evaluator stands, by component.
void evaluate_rates(const Runtime& runtime, const Cluster& cluster, FlowEvaluator& flow,
                    std::span<double> dxdt);

class Clusters {
 public:
  Clusters(Runtime& runtime, FlowEvaluator& flow);

  // Puts the clusters of these units in force for the present mode. All of them must have arrived
  // at the present; those that strain joins to them arrive by `arrive`. Returns the clusters that
  // are new in force, until the next call.
  const std::vector<Cluster*>& rebuild(const std::vector<UnitId>& units,
                                       const std::function<void(UnitId)>& arrive);
  // Where Newton's method begins, for the rates of a cluster whose solver begins anew.
  void set_start(const Cluster& cluster);
  // A good first step where the solver of a cluster begins anew.
  double step_hint(const Cluster& cluster) const;
  // After the state has been replaced.
  void follow_state();
  // Straight-line code for a cluster's rates, with what is frozen as it stands.
  void prepare_step(Cluster& cluster);
  // The same for the gap of a comparison, on the dense output of all that it reads; null if there
  // is none. For one who looks on: with the truths that the evaluator knows.
  FlowCode* gap_code(ComparisonId comparison);
  FlowCode* gap_code_for(ComparisonId comparison, FlowEvaluator& onlooker);
  // After an ε-step: what is in force is what the next arrival sees.
  void settle_arrival();
  // At the end of an instant: forgets what is not in force, when too much is kept. Inside an
  // instant the same is done for what it does not need any more.
  void trim();

  std::size_t bytes() const { return bytes_; }

 private:
  bool begins_anew(const Cluster& cluster) const;
  struct KeyHash {
    std::size_t operator()(const std::vector<int32_t>& key) const noexcept;
  };
  // The units of a cluster, found before it is.
  struct Group {
    std::vector<UnitId> units;
    bool is_joined = false;                              // by strain
    std::vector<std::shared_ptr<const Island>> islands;  // if they have been looked for
  };
  void collect(UnitId start);
  void find_key();
  std::unique_ptr<Cluster> build(const std::vector<UnitId>& units,
                                 std::vector<std::shared_ptr<const Island>> islands);
  bool find_read(const plan::Comparison& comparison, Cluster*& home);
  FlowCode* gap_code(ComparisonId comparison, FlowEvaluator& flow, bool for_onlooker);
  void add_islands(Cluster& cluster, std::vector<std::shared_ptr<const Island>> islands);
  std::vector<std::shared_ptr<const Island>> find_islands(std::vector<UnitId>& units) const;
  std::vector<std::shared_ptr<const Island>> join_strained();
  void begin_groups();
  Group& find_group(UnitId start);
  Cluster& find_cluster(Group& group);
  void retire(Cluster& cluster);
  void install(Cluster& cluster);
  void put_in_force(Cluster& cluster);
  void forget();
  void add_bytes(Cluster& cluster, std::size_t bytes);
  void drop_bytes(Cluster& cluster, std::size_t bytes);

  Runtime& runtime_;
  FlowEvaluator& flow_;
  std::unordered_map<std::vector<int32_t>, std::unique_ptr<Cluster>, KeyHash> kept_;
  std::vector<CellId> changed_cells_;
  // Of rebuild, kept so that it allocates nothing where all is known.
  std::vector<UnitId> members_;
  std::vector<int32_t> key_;
  std::vector<Cluster*> fresh_;
  std::vector<uint32_t> unit_visit_, unit_mark_;  // as of visit_: collected; of mark_: in a group
  uint32_t visit_ = 0, mark_ = 0;
  std::vector<Group> groups_;  // so many of them, without those that have become part of others
  std::size_t group_count_ = 0;
  std::vector<std::size_t> group_of_;  // by unit
  std::vector<UnitId> rebuilding_;
  uint64_t built_ = 0;
  std::vector<uint64_t> serials_;
  std::vector<GapCode> timed_gaps_;  // of comparisons that read no states
  uint64_t instant_ = 1;             // counts instants at which something happened
  std::size_t bytes_ = 0, trim_above_ = 0;
};

}  // namespace cradle::engine
