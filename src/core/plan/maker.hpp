#pragma once
// Makes a plan, part by part. The passes stand in the order of `make`, in plan.cpp; each is linear
// in what it looks at.

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/plan/plan.hpp"

namespace cradle::plan {

// Does it read the argument of a law?
bool reads_local(const expr::Pool& pool, ExprId e);

class Maker {
 public:
  explicit Maker(model::Model& model) : m_(model), footprints_(model, out_) {}
  PlanParts make();

  // For blocks.
  model::Model& model() { return m_; }
  const PlanParts& parts() const { return out_; }
  Impulses& impulses() { return impulses_; }
  PowerForms& power_forms() { return power_forms_; }
  // A store's law while time flows: over its states where it has kinks; otherwise as it stands.
  ExprId flowing(ExprId law, const std::vector<StateId>& states) const;
  // The same of a resistor's law: over its argument, but for conditions; invalid: as it stands.
  ExprId flowing(ElementId resistor) const;

 private:
  // cells and units (structure.cpp)
  void find_cells();
  void find_units();
  void join_borders(const std::vector<std::pair<std::size_t, Footprint>>& rates,
                    const std::function<void(std::size_t, const Footprint&)>& join,
                    const std::function<bool(std::size_t, const Footprint&)>& is_own);
  void find_steepness();
  CellId cell_of(BondId bond) const { return out_.cell_of_bond[bond]; }
  UnitId unit_of(StateId state) const { return out_.unit_of_state[state]; }
  UnitId unit_of(BondId bond) const { return out_.cells[cell_of(bond)].unit; }
  // What is computed of an element while time flows.
  std::vector<ExprId> roots_of(ElementId id) const;

  // comparisons.cpp
  void find_continuous();
  bool is_continuous(ExprId expr) const;
  void add_detectors();
  ComparisonId add_detector(MemoryId memory, ExprId left, ExprId right);
  class ComparisonFinder;
  void find_comparisons();
  void find_pieces();
  void find_power_pieces();
  ExprId lift_kinks(ExprId law, ExprId argument);
  void find_sides(ComparisonFinder& finder);
  void complete_comparisons();
  void lift_leaps();
  bool leaps(ExprId law, ExprId conditional);
  bool agree(ExprId one, ExprId other, double seed);
  ExprId border_of(ExprId side, ExprId limit);
  bool is_step(const expr::Node& conditional) const;
  bool reads_argument(ExprId e) const;
  void find_borders();
  void find_sliding();
  std::vector<Code> find_kinks(ExprId gap);
  ExprId kink_of(const expr::Node& node);
  ComparisonId comparison_of(ExprId expr) const;

  // readers.cpp
  void compile_automata();
  std::vector<ComparisonId> conjuncts_of(ExprId guard);
  void index_readers();
  void index_memories();
  void index_regions();
  void find_quiet_memories();
  void find_attentive_memories();

  // What a run can ask for (formulas.cpp)
  void find_optional_pres();
  const Code& formula(ExprId expr);
  void add_formula(ExprId expr) {
    if (expr.valid()) formula(expr);
  }
  void add_formulas();
  void add_blocks();
  void add_rates();
  void add_rate(ExprId expr);
  Rate written_out(const Rate& rate);
  void add_partials();
  void add_partials(ExprId expr);
  void find_jumping_integrals();
  void add_initial_slopes();
  std::size_t written_size(ExprId expr);

  model::Model& m_;
  PlanParts out_;
  Footprints footprints_;
  Impulses impulses_{m_};
  Rates rates_{m_, Rates::Powers::Differentiated};
  Rates held_rates_{m_, Rates::Powers::Held};
  Rates border_rates_{m_, Rates::Powers::Summed};
  PowerForms power_forms_{m_, out_.power_readers};
  std::vector<char> continuous_;      // by signal: it may change while time flows
  std::vector<uint32_t> seen_nodes_;  // by node: when it was last seen
  uint32_t seen_mark_ = 0;
  std::map<std::pair<ExprId, StateId>, ExprId> pieces_;  // by law and its first state
  std::map<ElementId, ExprId> power_pieces_;
  std::vector<std::size_t> sizes_;  // by node: as written out
};

}  // namespace cradle::plan
