#pragma once
// Plan: what can be computed of a model once, whatever mode it is in.
//
// The model falls into *cells* (what stays connected when every controlled junction is cut) and
// integrals. Cells and integrals whose rates read each other form a *unit*: units are coupled only
// through controlled junctions that are active, and through what happens at instants (guards, pre,
// frozen comparisons). So an event touches the units at its junctions and nothing else.
//
// A plan is complete when it is made: every expression that a run can ask for, its code, the
// rates and slopes that some mode may need. From then on neither it nor its model changes, so any
// number of runs on any number of threads share it.
//
// A plan is bound to values of the model's parameters. All that does not depend on them, the model
// and the PlanParts, is shared by the plans of any number of bindings: to bind others costs a few
// operations for each expression over parameters, and nothing for the rest. Numbers in equations
// are filled in when an island first asks for them.

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/basics/once_table.hpp"
#include "core/plan/block.hpp"
#include "core/plan/couplings.hpp"
#include "core/plan/parts.hpp"
#include "language/model/binding.hpp"
#include "language/model/model.hpp"

namespace cradle::plan {

class ModeCache;

// What the maker fills in.
struct PlanParts {
  Table<CellId, Cell> cells;
  Table<UnitId, Unit> units;
  Table<ComparisonId, Comparison> comparisons;
  // Of a comparison; or of an abs, min or max that stays on one side of its kink while time flows.
  std::unordered_map<ExprId, ComparisonId> comparison_index;
  Table<AutomatonId, CompiledAutomaton> automata;
  Table<JunctionId, std::vector<UnitId>> units_at;  // controlled ones, ascending
  Table<MemoryId, CompiledMemory> memories;
  Table<RegionId, CompiledRegion> regions;
  std::vector<SignalId> signals_in_circles;
  std::vector<MemoryId> attentive_memories;
  Table<SignalId, std::vector<SignalId>> needs;
  Table<BondId, CellId> cell_of_bond;
  Table<BondId, int> index_in_cell;
  Table<StateId, ExprId> steepness;  // of a store's law near zero; invalid where it is not fixed
  // Of a resistor whose law leaps: the law with a truth in place of each comparison that leaps;
  // invalid: as in the model.
  Table<ElementId, ExprId> power_laws;
  Table<StateId, UnitId> unit_of_state;
  std::vector<AutomatonId> automata_reading_pre;
  Table<ClockId, std::vector<AutomatonId>> automata_by_clock;
  Table<ClockId, std::vector<UnitId>> units_by_clock;
  Table<ClockId, std::vector<ComparisonId>> comparisons_by_clock;
  Table<ClockId, std::vector<MemoryId>> memories_by_clock;
  std::vector<char> pre_in_rates;                     // by PreId
  std::vector<char> pre_is_optional;                  // by PreId
  std::vector<char> integral_may_jump;                // by StateId
  std::vector<std::unique_ptr<const Code>> formulas;  // by ExprId; null: no run asks for it
  std::unordered_map<ExprId, Rate> rates, held_rates;
  std::unordered_map<ExprId, std::vector<Partial>> partials;
  std::vector<char> power_readers,
      bond_readers;  // by SignalId: of efforts and flows; of stores too
  Table<CellId, std::unique_ptr<const Block>> blocks;
  Table<JunctionId, Equation> structures;
  std::unordered_map<ElementId, std::vector<ExprId>> initial_slopes;
};

class Plan {
 public:
  Plan(std::shared_ptr<const model::Model> model, std::shared_ptr<const PlanParts> parts,
       model::Binding binding);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan();

  // The same with another value of one parameter; null if that needs another model.
  std::shared_ptr<const Plan> with(const std::string& parameter, double value) const;
  // What a fixed expression is worth; and by its place in Pool::fixed().
  double number(ExprId fixed) const { return binding_.number(*model_, fixed); }
  double number(int32_t place) const { return binding_.number(place); }
  const model::Binding& binding() const { return binding_; }
  double offset(const model::Clock& clock) const { return number(clock.offset); }
  double period(const model::Clock& clock) const { return number(clock.period); }
  double offset(const model::Memory& memory) const {
    return memory.offset.valid() ? number(memory.offset) : 0;
  }
  double period(const model::Memory& memory) const {
    return memory.period.valid() ? number(memory.period) : 0;
  }
  std::optional<double> until() const {
    return model_->until.valid() ? std::optional(number(model_->until)) : std::nullopt;
  }
  std::optional<double> max_step() const {
    return model_->max_step.valid() ? std::optional(number(model_->max_step)) : std::nullopt;
  }

  const model::Model& model() const { return *model_; }
  const std::shared_ptr<const model::Model>& shared_model() const { return model_; }
  const Table<CellId, Cell>& cells() const { return parts_.cells; }
  const Table<UnitId, Unit>& units() const { return parts_.units; }
  const Table<ComparisonId, Comparison>& comparisons() const { return parts_.comparisons; }
  const CompiledAutomaton& automaton(AutomatonId id) const { return parts_.automata[id]; }
  // What a controlled junction joins while it is active.
  const std::vector<UnitId>& units_at(JunctionId id) const { return parts_.units_at[id]; }
  const CompiledMemory& memory(MemoryId id) const { return parts_.memories[id]; }
  const CompiledRegion& region(RegionId id) const { return parts_.regions[id]; }
  // Signals that read each other in a circle, by structure.
  const std::vector<SignalId>& signals_in_circles() const { return parts_.signals_in_circles; }
  // Signals whose present value the definition of this one needs in any case.
  const std::vector<SignalId>& needs(SignalId id) const { return parts_.needs[id]; }
  // An integral with an impulse input, on which its value depends now.
  bool takes_impulses(StateId id) const { return model_->states[id].impulse.valid(); }
  // An integral that an impulse can reach, in any mode: by its input or by its rate.
  bool integral_may_jump(StateId id) const { return parts_.integral_may_jump[at(id)] != 0; }
  CellId cell_of(BondId bond) const { return parts_.cell_of_bond[bond]; }
  int index_in_cell(BondId bond) const { return parts_.index_in_cell[bond]; }
  UnitId unit_of(StateId state) const { return parts_.unit_of_state[state]; }
  UnitId unit_of(BondId bond) const { return parts_.cells[cell_of(bond)].unit; }
  const std::vector<AutomatonId>& automata_reading_pre() const {
    return parts_.automata_reading_pre;
  }
  const std::vector<AutomatonId>& automata_reading(ClockId clock) const {
    return parts_.automata_by_clock[clock];
  }
  const std::vector<UnitId>& units_reading(ClockId clock) const {
    return parts_.units_by_clock[clock];
  }
  const std::vector<MemoryId>& attentive_memories() const { return parts_.attentive_memories; }
  const std::vector<MemoryId>& memories_reading(ClockId clock) const {
    return parts_.memories_by_clock[clock];
  }
  const std::vector<ComparisonId>& comparisons_reading(ClockId clock) const {
    return parts_.comparisons_by_clock[clock];
  }
  bool is_read_by_rates(PreId pre) const { return parts_.pre_in_rates[at(pre)] != 0; }
  // What an absolute tolerance of efforts and flows is worth in this state: m of p = m f, c of
  // q = c e, as near zero, where that is known and below 1. Otherwise picofarads would be all
  // tolerance.
  double tolerance_scale(StateId id) const;

  // The code of what the model itself computes: definitions, laws, guards, rates, … Asking for
  // any other expression is a bug: see compile.
  const Code& formula(ExprId expr) const {
    const std::size_t index = at(expr);
    CRADLE_ASSERT(index < parts_.formulas.size() && parts_.formulas[index],
                  "a formula was made with the plan");
    return *parts_.formulas[index];
  }
  const Code& signal(SignalId id) const { return formula(model_->signals[id].value); }
  // The code of any expression of the model, for one who looks on; the plan does not keep it.
  Code compile(ExprId expr) const;
  // The same of a single leaf, which need not stand in the pool, and of the impulse in a value.
  Code compile(const expr::Node& leaf) const;
  Code compile_impulse(ExprId expr) const;
  ComparisonId comparison_of(ExprId expr) const;

  // Of sources, of moduli, of what varies in the law of a store, and of the gaps of detectors.
  const Rate& rate_of(ExprId expr) const;
  // The same with all efforts and flows held: what is left of it where they are solved for.
  const Rate& held_rate_of(ExprId expr) const;
  // By efforts and flows and by signals that read some: of all that stands in the equations of
  // islands, of rates, and of such signals.
  const std::vector<Partial>& partials_of(ExprId expr) const;
  // Does a signal read efforts, flows or stores, itself or through other signals?
  bool reads_bonds(SignalId signal) const { return parts_.bond_readers[at(signal)] != 0; }
  // The equations of a cell, and the one of each row of a junction.
  const Block& block_of(CellId cell) const;
  const Equation& structure_of(JunctionId junction) const { return parts_.structures[junction]; }
  // ∂law/∂Local, law by law, of a store that begins with given efforts or flows.
  const std::vector<ExprId>& initial_slopes(ElementId store) const;

  // What all runs of this plan have worked out so far of the modes that they came into. It is no
  // part of what the plan says: see mode_cache.hpp.
  ModeCache& modes() const { return *modes_; }

 private:
  friend class Footprints;
  const std::shared_ptr<const model::Model> model_;
  const std::shared_ptr<const PlanParts> shared_parts_;
  const PlanParts& parts_;
  const model::Binding binding_;
  OnceTable<Block> blocks_;  // bound
  const std::unique_ptr<ModeCache> modes_;
};

// The verb: model ─make_plan→ Plan. Derivatives are added to the model's expressions, which is why
// it is handed over; from then on it is shared and const.
std::shared_ptr<const Plan> make_plan(std::unique_ptr<model::Model> model);

// What expressions read. One of these serves any number of them, one after the other.
class Footprints {
 public:
  Footprints(const model::Model& model, const PlanParts& parts) : model_(model), parts_(parts) {}
  explicit Footprints(const Plan& plan) : Footprints(plan.model(), plan.parts_) {}
  // `into_comparisons`: also what stands inside a comparison, which while time flows is frozen.
  Footprint of(ExprId root, bool into_comparisons = true);

 private:
  bool is_new(ExprId e);
  bool is_new(SignalId id);
  void look_at(const expr::Node& leaf, bool into_comparisons, Footprint& out);
  void look_for_absence(ExprId comparison, Footprint& out);

  const model::Model& model_;
  const PlanParts& parts_;
  std::vector<ExprId> work_;
  // By node and by signal: when it was last seen.
  std::vector<uint32_t> seen_nodes_, seen_signals_, seen_for_absence_;
  std::vector<ExprId> absence_;
  uint32_t mark_ = 0;
};

// Can an expression carry an impulse in any mode? Efforts and flows that a store's law, a resistor
// or an ordinary source pins down never do. One of these serves any number of expressions.
class Impulses {
 public:
  explicit Impulses(const model::Model& model) : m_(model) {}
  bool may_reach(ExprId expr);

 private:
  bool is_pinned(expr::Op variable, BondId bond);
  bool pins(bool effort, const model::End& end);

  const model::Model& m_;
  std::vector<char> calm_;  // by node: known to carry none
  int depth_ = 0;           // of sources that read each other's bonds
};

}  // namespace cradle::plan
