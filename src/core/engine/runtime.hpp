#pragma once
// The mutable side of a run: where the automata stand, what the stores hold, which islands and
// clusters are in force. The system it belongs to is const.
//
// A *cluster* is what evolves together in a mode: units joined by controlled junctions that are
// active. Each has a solver and a time of its own; an event touches only the clusters at its
// junctions, and all others keep their steps.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/island.hpp"
#include "core/plan/system.hpp"
#include "core/solve/solver.hpp"
#include "cradle/cradle.hpp"

namespace cradle::engine {

using plan::CellId;
using plan::Island;
using plan::Plan;
using plan::RelationId;
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

// An island in force, with what has been computed on it at the present evaluation.
struct Slot {
  std::shared_ptr<const Island> island;

  // while time flows, islands that are solved as a whole
  uint64_t flow_stamp = 0;
  bool flow_busy = false;
  std::vector<double> flow_y, b, b_rate;
  std::shared_ptr<const std::vector<double>> flow_kept;  // stands for flow_y: solved before

  // inside an instant
  uint64_t tick_stamp = 0;               // constraints and impulses below belong to this evaluation
  std::vector<uint8_t> violation_state;  // by constraint: 0 unknown, 1 being computed, 2 known
  std::vector<double> violations;        // ℓ b at x⁻
  std::vector<double> significant;       // the same, 0 where it is rounding
  uint8_t weights_state = 0;
  bool has_weights = false;
  std::vector<double> weights, response;  // Dirac weights by equation, impulses they cause
  uint8_t whole_state = 0;  // 0 unknown, 1 jump being solved, 2 jump known, 3 flow known too
  std::vector<double> impulses, x_plus, x_projected, tick_y;
  bool jumped = false;
};

struct Cluster;
class FlowCode;

struct Runtime {
  Runtime(const Plan& s, const Options& o);

  const Plan& system;
  const Options& options;

  std::vector<double> x;    // by state: committed, at the time its cluster arrived at
  std::vector<int> mode;    // by automaton
  std::vector<char> truth;  // by relation, frozen while time flows
  // By relation, of detectors: by how much the last crossing was passed when it was located. What
  // comes back to there has crossed again, though it may not have come back to the level itself.
  std::vector<double> passed_by;
  std::vector<int64_t> clock_count;  // by clock: periods begun
  // The same as on arrival at the present ⟨t + kε⟩, for pre and for the row before an event.
  std::vector<int> arrival_mode;
  std::vector<int64_t> arrival_clock_count;
  std::vector<double> pre_value;  // by pre
  // By element: the real time at which its impulse last acted. A source that is always present
  // gives an impulse once at a real time, however many ε-steps that takes.
  std::vector<double> struck_at;
  std::vector<plan::Value> memory;          // what each memory says at the present microstep
  std::vector<Slot*> slot_of_cell;          // in force
  std::vector<Slot*> arrival_slot_of_cell;  // on arrival at the present ⟨t + kε⟩
  std::vector<Cluster*> cluster_of_unit;
  std::vector<int> component_of_state;  // in its cluster
  double now = 0;

  bool is_active(JunctionId junction) const;
  bool is_active(RegionId region) const;  // also of no region at all
  Cluster& cluster_of(StateId state) const {
    return *cluster_of_unit[static_cast<std::size_t>(system.unit_of(state).index)];
  }
  // Brings all states of a cluster to `now`, from its dense output.
  void arrive(Cluster& cluster);
  double state_at(StateId state, double t);
  // What rounding can make of the gap of a relation that reads states.
  double rounding_of(const plan::Relation& relation);
  double clock_phase(ClockId clock, double t, int64_t count) const;

  uint64_t next_stamp() { return ++stamp_; }

 private:
  uint64_t stamp_ = 0;
};

struct Cluster {
  Cluster();
  ~Cluster();

  std::vector<UnitId> units;
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<StateId> states;  // stores island by island, then integrals
  std::vector<StateId> integrals;
  std::vector<PreId> pres;
  std::vector<RelationId> relations;  // that its rates read
  bool reads_time = false;            // a source or law in it depends on time itself
  std::vector<int32_t> key;
  std::size_t bytes = 0;

  // Straight-line code, made when it is first needed; null where there cannot be any.
  std::unique_ptr<FlowCode> rates;
  bool rates_made = false;
  // Of a relation that reads this cluster, beside others it may read, by their serials.
  struct GapCode {
    RelationId relation;
    std::vector<uint64_t> clusters;
    std::unique_ptr<FlowCode> code;
  };
  std::vector<GapCode> gaps;
  uint64_t serial = 0;  // no other cluster has had it

  std::unique_ptr<solve::Rhs> rhs;
  std::unique_ptr<solve::Solver> solver;  // null: no states
  std::exception_ptr rhs_failure;
  double at = 0;         // x is valid at this time
  double end = 0;        // the solver's dense output reaches to here
  bool stepped = false;  // there is dense output
  double audited = 0;    // the energy audit has seen it up to here
  double step_hint = 0;
  uint64_t installed = 0;  // version: agenda entries of older ones are stale
  bool in_force = false;
  uint64_t entered = 0, left = 0;  // the instants at which it last came into force and left it
  solve::Solver::Counts counted;   // what statistics already know
};

}  // namespace cradle::engine
