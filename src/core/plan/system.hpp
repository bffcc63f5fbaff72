#pragma once
// Plan: what can be computed of a model once, whatever mode it is in. Const while it runs.
//
// The model falls into *cells* (what stays connected when every controlled junction is cut) and
// integrals. Cells and integrals whose rates read each other form a *unit*: units are coupled only
// through controlled junctions that are active, and through what happens at instants (guards, pre,
// frozen relations). So an event touches the units at its junctions and nothing else.

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/basics/ids.hpp"
#include "core/plan/program.hpp"
#include "language/model/model.hpp"

namespace cradle::plan {

using CellId = Id<struct CellTag>;
using UnitId = Id<struct UnitTag>;
using RelationId = Id<struct RelationTag>;

// What an expression reads, each once, in ascending order.
struct Footprint {
  std::vector<CellId> cells;
  std::vector<StateId> states;
  std::vector<AutomatonId> automata;
  std::vector<ClockId> clocks;
  std::vector<PreId> pres;
  std::vector<RelationId> relations;
  std::vector<MemoryId> memories;
  bool time = false;
};

// A relation between numbers, wherever it stands. While time flows its truth is frozen and the gap
// between its sides is watched.
struct Relation {
  ExprId expr;
  bool strict = false;  // gap > 0, otherwise gap >= 0
  bool watched = true;  // false: == and != change truth at points that no search can find
  ExprId gap_expr;      // right side − left side
  Program gap;          // the same, flow
  Program truth;        // tick
  // Flow; they change their signs where the gap has a kink or leaps, as |u| has one at u = 0.
  // Between such points the gap is smooth. Those that stand inside another come before it.
  std::vector<Program> kinks;
  Footprint reads;                                  // all that its operands read
  std::vector<UnitId> units;                        // of what it reads
  std::vector<UnitId> used_by;                      // units whose rates depend on it
  std::vector<std::pair<AutomatonId, int>> guards;  // automaton, transition
  std::vector<MemoryId> memories;                   // whose inputs read it
  // A crossing that it tells of when it becomes true. It becomes false only when the gap is clearly
  // negative, so that rounding around zero is no crossing.
  MemoryId detector;
  bool in_pre = false;  // a pre reads its frozen truth
};

// Who has to look again when a memory speaks or changes.
struct CompiledMemory {
  std::vector<AutomatonId> automata;  // whose guards read it
  std::vector<MemoryId> memories;     // whose inputs read it
  std::vector<UnitId> units;          // whose rates, sources or impulses read it
  std::vector<RelationId> relations;
  std::vector<RelationId> inputs;  // relations that its own input reads
  RelationId rising, falling;      // of a Crossing
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
  Program guard;     // tick
  Program entering;  // the same, if its mode has only just been entered; of immediate ones
  std::vector<RelationId> relations;
  // The guard holds only if all of these do, and they are watched; in the order of the text.
  std::vector<RelationId> conjuncts;
  bool reads_pre = false;
};

struct CompiledAutomaton {
  std::vector<CompiledTransition> transitions;
  std::vector<std::vector<int>> leaving;  // transitions by state they leave
  bool reads_pre = false;
  std::vector<AutomatonId> read_by;            // automata whose guards read this one's state
  std::vector<UnitId> modulates;               // units whose rates read this one's state
  std::vector<UnitId> adjacent;                // units at its junction
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
  std::vector<JunctionId> controlled;  // at the border of its cells
  std::vector<PreId> pres;             // that its rates read
  std::vector<RelationId> relations;   // that its rates read
  std::vector<ClockId> clocks;
  std::vector<AutomatonId> readers;    // automata whose guards read it
  std::vector<RelationId> watched_by;  // relations that read it
  std::vector<MemoryId> memories;      // whose inputs read it
  bool has_states = false;
  bool reads_time = false;  // its rates, sources or laws depend on time itself
};

struct Block;     // block.hpp
struct Equation;  // block.hpp

// How an expression changes while time flows, as an expression; none where it reads an effort or
// flow that no store or source determines directly, which is the obstacle.
struct Rate {
  std::optional<ExprId> expr;
  std::string obstacle;
};

// An expression that is evaluated while time flows and inside instants.
struct Formula {
  Program flow;
  Program tick;
  bool optional = false;  // may be absent, or asks whether something is
};

class Plan {
 public:
  explicit Plan(const model::Model& model);
  ~Plan();

  const model::Model& model() const { return *model_; }
  const Table<CellId, Cell>& cells() const { return cells_; }
  const Table<UnitId, Unit>& units() const { return units_; }
  const Table<RelationId, Relation>& relations() const { return relations_; }
  const CompiledAutomaton& automaton(AutomatonId id) const { return automata_[id]; }
  const CompiledMemory& memory(MemoryId id) const { return memories_[id]; }
  const CompiledRegion& region(RegionId id) const { return regions_[id]; }
  // Signals that read each other in a circle, by structure.
  const std::vector<SignalId>& signals_in_circles() const { return signals_in_circles_; }
  // Signals whose present value the definition of this one needs in any case.
  const std::vector<SignalId>& needs(SignalId id) const { return needs_[id]; }
  // An integral with an impulse input, on which its value depends now.
  bool takes_impulses(StateId id) const { return model_->states[id].impulse.valid(); }
  CellId cell_of(BondId bond) const { return cell_of_bond_[bond]; }
  UnitId unit_of(StateId state) const { return unit_of_state_[state]; }
  UnitId unit_of(BondId bond) const { return cells_[cell_of(bond)].unit; }
  const std::vector<AutomatonId>& automata_reading_pre() const { return automata_reading_pre_; }
  const std::vector<AutomatonId>& automata_reading(ClockId clock) const {
    return automata_by_clock_[clock];
  }
  const std::vector<UnitId>& units_reading(ClockId clock) const { return units_by_clock_[clock]; }
  const std::vector<MemoryId>& attentive_memories() const { return attentive_memories_; }
  const std::vector<MemoryId>& memories_reading(ClockId clock) const {
    return memories_by_clock_[clock];
  }
  const std::vector<RelationId>& relations_reading(ClockId clock) const {
    return relations_by_clock_[clock];
  }

  // Compiled on first use and kept.
  const Formula& formula(ExprId expr) const {
    const auto index = static_cast<std::size_t>(expr.index);
    if (index < formulas_.size() && formulas_[index]) return *formulas_[index];
    return add_formula(expr);
  }
  const Formula& signal(SignalId id) const { return formula(model_->signals[id].value); }
  Footprint footprint(ExprId expr, bool into_relations) const;
  RelationId relation_of(ExprId expr) const;

  // Found on first use and kept. A rate that is zero has an invalid expression.
  const Rate& rate_of(ExprId expr) const;
  // The equations of a cell, made on first use and kept; and the one of each row of a junction.
  const Block& block_of(CellId cell) const;
  const Equation& structure_of(JunctionId junction) const;

  // Can this expression carry an impulse in any mode? Efforts and flows that a store's law, a
  // resistor or an ordinary source pins down never do.
  bool may_be_impulsive(ExprId expr) const;
  bool is_read_by_rates(PreId pre) const {
    return pre_in_rates_[static_cast<std::size_t>(pre.index)] != 0;
  }
  int index_in_cell(BondId bond) const { return index_in_cell_[bond]; }
  // What an absolute tolerance of efforts and flows is worth in this state: m of p = m f, c of
  // q = c e, as near zero, where that is known and below 1. Otherwise picofarads would be all
  // tolerance.
  double tolerance_scale(StateId id) const { return tolerance_scales_[id]; }

 private:
  void find_tolerance_scales();
  void find_continuous();
  bool is_continuous(ExprId expr) const;
  void add_detectors();
  RelationId add_detector(MemoryId memory, ExprId left, ExprId right);
  void index_memories();
  void index_regions();
  void find_quiet_memories();
  void find_attentive_memories();
  void find_cells();
  void find_relations();
  void find_units();
  void index_readers();
  void compile_automata();
  std::vector<RelationId> conjuncts_of(ExprId guard) const;
  const Formula& add_formula(ExprId expr) const;
  std::vector<Program> find_kinks(ExprId gap) const;
  ExprId kink_of(const expr::Node& node) const;
  std::optional<ExprId> time_derivative(ExprId expr, std::string& obstacle) const;
  bool is_pinned(expr::Op variable, BondId bond) const;
  std::vector<ExprId> roots_of(const model::Element& element) const;

  const model::Model* model_;
  Table<CellId, Cell> cells_;
  Table<UnitId, Unit> units_;
  Table<RelationId, Relation> relations_;
  std::unordered_map<ExprId, RelationId> relation_index_;
  Table<AutomatonId, CompiledAutomaton> automata_;
  Table<MemoryId, CompiledMemory> memories_;
  Table<RegionId, CompiledRegion> regions_;
  std::vector<SignalId> signals_in_circles_;
  std::vector<MemoryId> attentive_memories_;
  Table<SignalId, std::vector<SignalId>> needs_;
  std::vector<char> continuous_;  // by signal: it may change while time flows
  Table<BondId, CellId> cell_of_bond_;
  Table<BondId, int> index_in_cell_;
  Table<StateId, double> tolerance_scales_;
  Table<StateId, UnitId> unit_of_state_;
  std::vector<AutomatonId> automata_reading_pre_;
  Table<ClockId, std::vector<AutomatonId>> automata_by_clock_;
  Table<ClockId, std::vector<UnitId>> units_by_clock_;
  Table<ClockId, std::vector<RelationId>> relations_by_clock_;
  Table<ClockId, std::vector<MemoryId>> memories_by_clock_;
  mutable std::vector<std::unique_ptr<Formula>> formulas_;  // by ExprId
  mutable std::unordered_map<ExprId, Rate> rates_;
  mutable std::vector<std::unique_ptr<const Block>> blocks_;         // by cell
  mutable std::vector<std::unique_ptr<const Equation>> structures_;  // by junction
  mutable std::vector<uint32_t> seen_nodes_, seen_signals_;
  mutable uint32_t seen_mark_ = 0;
  mutable int pin_depth_ = 0;
  std::vector<char> pre_in_rates_;
};

}  // namespace cradle::plan
