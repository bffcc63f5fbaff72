#pragma once
// What an instant touches, and who has to look again because of it: clusters that jump or evolve
// differently, automata to be judged, memories that have to look. Work is proportional to what is
// touched, because every part knows its readers (compile-time lists in the plan).

#include <vector>

#include "core/engine/audit.hpp"
#include "core/engine/clusters.hpp"
#include "core/engine/memories.hpp"
#include "core/engine/projection.hpp"
#include "core/engine/watcher.hpp"

namespace cradle::engine {

class Touch : public Aftermath {
 public:
  Touch(Runtime& runtime, Projection& projection, Audit& audit);

  // A new instant.
  void begin(const Triggers& triggers);
  // After an ε-step; clusters whose rates read pre see a new arrival.
  void next_epsilon();
  // After a microstep of the causal network, at the same ⟨t + kε⟩. `advance` lets memories go on.
  void next_microstep();
  // What is touched now is added to what the instant has touched.
  void accumulate();
  // Marks follow the state when it has been replaced inside an instant.
  void follow_state();

  void unit(UnitId unit);
  void units(const std::vector<UnitId>& units);
  void cluster(Cluster& cluster);
  // Brings it to the present, onto its constraints, and touches nobody.
  void arrive(Cluster& cluster);
  void candidate(AutomatonId automaton);
  void readers_of(AutomatonId automaton);
  // Memories that say something, or have changed, at this microstep, and those that have just
  // fallen silent.
  void speaking();
  // Clusters whose rates read pre, which see a new arrival where something happens.
  void readers_of_pre();
  void update_readers_of_pre(const std::vector<Cluster*>& clusters);

  // The clusters of these units, each once.
  void clusters_of(const std::vector<UnitId>& units, std::vector<Cluster*>& out) const;

  // Of comparisons that are judged by series and begin within rounding of zero.
  void set_margin(ComparisonId comparison, double margin) { margins_[at(comparison)] = margin; }
  double margin_of(ComparisonId comparison) const override { return margins_[at(comparison)]; }
  bool has_spoken(MemoryId memory) const override { return spoken_mark_[at(memory)] == instant_; }
  bool has_touched(UnitId unit) const override { return instant_mark_[at(unit)] == instant_; }

 private:
  void memory(MemoryId memory);
  void readers_of(UnitId unit);
  void changed(const Touched& last);

  const Plan& system_;
  Runtime& runtime_;
  State& state_;
  Progress& progress_;
  Projection& projection_;
  Audit& audit_;
  std::vector<Cluster*> pre_readers_;  // clusters with states whose rates read pre, in order
  std::vector<uint32_t> automaton_mark_, unit_mark_, memory_mark_;
  std::vector<uint32_t> instant_mark_;  // by unit: touched at the present instant
  std::vector<uint32_t> spoken_mark_;   // by memory: it spoke at the present instant
  std::vector<double> margins_;         // by comparison
  uint32_t instant_ = 0, mark_ = 0;
};

}  // namespace cradle::engine
