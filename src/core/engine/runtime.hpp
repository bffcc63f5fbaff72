#pragma once
// Which islands and clusters are in force: what the parts of a run share.
//
// A *cluster* is what evolves together in a mode: units joined by controlled junctions that are
// active. Each has a solver and a time of its own; an event touches only the clusters at its
// junctions, and all others keep their steps.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/inputs.hpp"
#include "core/engine/state.hpp"
#include "core/plan/island.hpp"
#include "core/plan/plan.hpp"
#include "core/solve/solver.hpp"
#include "cradle/cradle.hpp"

namespace cradle::engine {

using plan::CellId;
using plan::ComparisonId;
using plan::Island;
using plan::Plan;
using plan::UnitId;

// The run cannot go on: what to say, and how the run is said to have ended.
struct RunFault {
  Ending ending = Ending::ModelError;
  Diagnostic diagnostic;
};

// Signals that need each other at one instant (semantics, section 7).
struct LoopFault {
  std::vector<SignalId> signals;
  std::vector<BondId> bonds;
};

// Wraps an island's fault with the place where it arose.
struct IslandProblem {
  plan::IslandFault fault;
};

// An island in force.
struct Slot {
  std::shared_ptr<const Island> island;
  // Where its variables begin in Course::start, if it is solved as a whole by Newton's method.
  std::size_t start = 0;
  CellId home() const { return island->cells()[0]; }
};

struct Cluster;
class FlowCode;
class JacobianCode;
struct Metering;

// What the parts of a run share: the plan, the options, the state, and which islands and clusters
// are in force, which follows from the modes.
struct Runtime {
  Runtime(const Plan& s, const Options& o, State& state);

  const Plan& system;
  const Options& options;
  State& state;
  Inputs inputs;

  std::vector<Slot*> slot_of_cell;          // in force
  std::vector<Slot*> arrival_slot_of_cell;  // on arrival at the present ⟨t + kε⟩
  std::vector<Cluster*> cluster_of_unit;
  std::vector<int> component_of_state;  // in its cluster

  // How long the run is said to be: a scale for searches that have no other.
  std::optional<double> length() const { return options.until ? options.until : system.until(); }
  bool is_active(JunctionId junction) const { return state.is_active(system, junction); }
  bool is_active(RegionId region) const { return state.is_active(system, region); }
  bool is_in_force(const Slot& slot) const { return slot_of_cell[at(slot.home())] == &slot; }
  Cluster& cluster_of(StateId id) const { return *cluster_of_unit[at(system.unit_of(id))]; }
  Course& course_of(const Cluster& cluster) const;
  // Brings all states of a cluster to the present, from its dense output. False: they were there.
  bool arrive(Cluster& cluster);
  // What has been reached at t counts where rounding is judged: the states, and what the rounding
  // of time itself makes of them.
  void remember_worth(const Cluster& cluster, double t);
  double state_at(StateId id, double t) const;
  double arrival_state_at(StateId id, double t) const;
  // What rounding can make of the gap of a comparison that reads states.
  double rounding_of(const plan::Comparison& comparison) const;
  // Where the run slides along the border of a comparison, its place in State::slides; otherwise
  // −1.
  int slide_of(ComparisonId comparison) const {
    return state.slides.empty() ? -1 : find_slide(comparison);
  }
  bool slides(ComparisonId comparison) const { return slide_of(comparison) >= 0; }
  bool slides(const Cluster& cluster) const;
  Cluster* cluster_of(const Slide& slide) const;
  // Does it depend on which side of a border the run is on?
  bool reads_sides(const plan::Comparison& comparison) const;
  // How many periods a clock has begun when a run does.
  int64_t count_at_start(ClockId clock) const;
  // When a clock began the last of `count` periods, and what part of it has passed at t.
  double period_begin(ClockId clock, int64_t count) const;
  double clock_phase(ClockId clock, double t, int64_t count) const;

  uint64_t next_stamp() { return ++stamp_; }

 private:
  int find_slide(ComparisonId comparison) const;

  uint64_t stamp_ = 0;
};

// The gap of a comparison as code, for the run or for one who looks on, on the clusters that it
// reads, by their serials.
struct GapCode {
  ComparisonId comparison;
  bool for_onlooker = false;
  std::vector<uint64_t> clusters;
  std::shared_ptr<FlowCode> code;  // null: there can be none
};

// A cluster of a mode, with what is needed to compute it: no part of the state.
struct Cluster {
  Cluster();
  ~Cluster();

  std::vector<UnitId> units;
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<StateId> states;  // stores island by island, then integrals
  std::vector<StateId> integrals;
  std::vector<PreId> pres;
  std::vector<ComparisonId> comparisons;  // that its rates read
  bool reads_time = false;                // a source or law in it depends on time itself
  bool is_joined = false;                 // strain joins units that no active junction joins
  bool is_strained = false;               // an island of it is judged with parasitics
  bool is_constrained = false;            // stores of it depend on each other
  bool may_bind_positions = false;        // constraints whose moduli vary (positions.hpp)
  std::size_t starts = 0;                 // numbers in Course::start
  std::vector<int32_t> key;
  uint64_t key_hash = 0;
  std::size_t bytes = 0;

  // Straight-line code, made when it is first needed; null where there cannot be any.
  std::unique_ptr<FlowCode> rates;
  bool rates_made = false;
  std::unique_ptr<JacobianCode> jacobian;  // of the rates, if a solver has asked for it
  bool jacobian_made = false, jacobian_counted = false;
  std::unique_ptr<Metering> metering;  // of the energy audit, if there is one
  // Of comparisons that read this cluster before others.
  std::vector<GapCode> gaps;
  uint64_t serial = 0;  // no other cluster has had it

  std::unique_ptr<solve::Rhs> rhs;
  std::unique_ptr<solve::Solver> solver;  // null: no states
  std::exception_ptr rhs_failure;
  bool in_force = false;
  uint64_t entered = 0, left = 0;  // the instants at which it last came into force and left it
  solve::Solver::Counts counted;   // what statistics already know
};

inline Course& Runtime::course_of(const Cluster& cluster) const {
  return state.courses[at(cluster.units[0])];
}

}  // namespace cradle::engine
