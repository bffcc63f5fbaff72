#include "core/plan/plan.hpp"

#include "core/plan/loops.hpp"
#include "core/plan/maker.hpp"
#include "core/plan/mode_cache.hpp"

namespace cradle::plan {

PlanParts Maker::make() {
  out_.memories.resize(m_.memories.size());
  find_cells();
  for (const model::Signal& signal : m_.signals) {
    out_.needs.add(strictly_needed(m_, signal.value));
  }
  find_continuous();
  find_relations();
  find_optional_pres();
  complete_relations();
  find_units();
  compile_automata();
  index_readers();
  index_memories();
  find_quiet_memories();
  find_attentive_memories();
  index_regions();
  out_.signals_in_circles = find_circles(m_);
  find_tolerance_scales();
  add_blocks();
  add_rates();
  add_initial_slopes();
  find_jumping_integrals();
  add_formulas();
  return std::move(out_);
}

std::shared_ptr<const Plan> make_plan(std::unique_ptr<model::Model> model) {
  PlanParts parts = Maker(*model).make();
  return std::make_shared<const Plan>(std::move(model), std::move(parts));
}

Plan::Plan(std::shared_ptr<const model::Model> model, PlanParts parts)
    : model_(std::move(model)),
      parts_(std::move(parts)),
      modes_(std::make_unique<ModeCache>(*this)) {}

Plan::~Plan() = default;

RelationId Plan::relation_of(ExprId expr) const {
  auto it = parts_.relation_index.find(expr);
  return it == parts_.relation_index.end() ? RelationId() : it->second;
}

const Rate& Plan::rate_of(ExprId expr) const {
  const auto found = parts_.rates.find(expr);
  CRADLE_ASSERT(found != parts_.rates.end(), "a rate was made with the plan");
  return found->second;
}

const std::vector<ExprId>& Plan::initial_slopes(ElementId store) const {
  const auto found = parts_.initial_slopes.find(store);
  CRADLE_ASSERT(found != parts_.initial_slopes.end(), "slopes were made with the plan");
  return found->second;
}

}  // namespace cradle::plan
