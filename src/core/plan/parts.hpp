#pragma once
// What a plan is made of (plan.hpp). Plain data: filled in once, by the maker, and const from then
// on.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/ids.hpp"
#include "core/plan/code.hpp"
#include "language/model/rates.hpp"

namespace cradle::plan {

using CellId = Id<struct CellTag>;
using UnitId = Id<struct UnitTag>;
using ComparisonId = Id<struct ComparisonTag>;

// What an expression reads, each once, in ascending order.
struct Footprint {
  std::vector<CellId> cells;
  std::vector<StateId> states;
  std::vector<AutomatonId> automata;
  std::vector<ClockId> clocks;
  std::vector<PreId> pres;
  std::vector<ComparisonId> comparisons;
  std::vector<MemoryId> memories;
  bool time = false;
};

// A comparison between numbers, wherever it stands. While time flows its truth is frozen and the
// gap between its sides is watched.
struct Comparison {
  ExprId expr;
  bool strict = false;  // gap > 0, otherwise gap >= 0
  bool watched = true;  // false: == and != change truth at points that no search can find
  ExprId gap_expr;      // right side − left side
  Code gap;             // the same, flow
  Code truth;           // inside an instant
  // Flow; they change their signs where the gap has a kink or leaps, as |u| has one at u = 0.
  // Between such points the gap is smooth. Those that stand inside another come before it.
  std::vector<Code> kinks;
  Footprint reads;                                  // all that its operands read
  std::vector<UnitId> units;                        // of what it reads
  std::vector<UnitId> used_by;                      // units whose rates depend on it
  std::vector<std::pair<AutomatonId, int>> guards;  // automaton, transition
  std::vector<MemoryId> memories;                   // whose inputs read it
  // A crossing that it tells of when it becomes true. It becomes false only when the gap is clearly
  // negative, so that rounding around zero is no crossing.
  MemoryId detector;
  bool in_pre = false;  // a pre reads its frozen truth
  // Comparisons of the same two things change at the same place. The first of them stands for that
  // border; the gap of this one is the border's, or its opposite.
  ComparisonId border;
  bool opposite = false;
  std::vector<ComparisonId> twins;  // of what stands for a border: all that change there
  // Of what stands for a border at which rates change that move its gap, so that a run may go on
  // along it (sliding): how the gap moves. Invalid: nothing of the kind, or not known.
  ExprId gap_rate;
};

// Who has to look again when a memory speaks or changes.
struct CompiledMemory {
  std::vector<AutomatonId> automata;  // whose guards read it
  std::vector<MemoryId> memories;     // whose inputs read it
  std::vector<UnitId> units;          // whose rates, sources or impulses read it
  std::vector<ComparisonId> comparisons;
  std::vector<ComparisonId> inputs;  // comparisons that its own input reads
  ComparisonId rising, falling;      // of a Crossing
  // Everyone who reads it takes its input first if that is present (hold): a change of the memory
  // itself is not seen by anyone.
  bool quiet = false;
};

struct CompiledRegion {
  std::vector<StateId> states;
  std::vector<MemoryId> memories;
  std::vector<AutomatonId> automata;
};

struct CompiledTransition {
  Code guard;     // inside an instant
  Code entering;  // the same, if its mode has only just been entered; of immediate ones
  std::vector<ComparisonId> comparisons;
  // The guard holds only if all of these do, and they are watched; in the order of the text.
  std::vector<ComparisonId> conjuncts;
  bool reads_pre = false;
};

struct CompiledAutomaton {
  std::vector<CompiledTransition> transitions;
  std::vector<std::vector<int>> leaving;  // transitions by state they leave
  bool reads_pre = false;
  std::vector<AutomatonId> read_by;            // automata whose guards read this one's state
  std::vector<UnitId> modulates;               // units whose rates read this one's state
  std::vector<JunctionId> junctions;           // that it drives
  std::vector<UnitId> adjacent;                // units at these
  std::vector<MemoryId> memories;              // whose inputs read this one's state
  std::vector<std::vector<RegionId>> regions;  // by state: what lives in it
};

struct Cell {
  std::vector<BondId> bonds;
  std::vector<ElementId> elements;
  std::vector<JunctionId> junctions;   // ordinary ones inside
  std::vector<JunctionId> controlled;  // at its border
  UnitId unit;
};

struct Unit {
  std::vector<CellId> cells;
  std::vector<StateId> integrals;
  std::vector<JunctionId> controlled;     // at the border of its cells
  std::vector<PreId> pres;                // that its rates read
  std::vector<ComparisonId> comparisons;  // that its rates read
  std::vector<ClockId> clocks;
  std::vector<AutomatonId> readers;      // automata whose guards read it
  std::vector<ComparisonId> watched_by;  // comparisons that read it
  std::vector<MemoryId> memories;        // whose inputs read it
  bool has_states = false;
  bool reads_time = false;  // its rates, sources or laws depend on time itself
};

using model::Rate;
using model::Rates;

}  // namespace cradle::plan
