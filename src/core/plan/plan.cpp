#include "core/plan/plan.hpp"

#include <cmath>

#include "core/plan/loops.hpp"
#include "core/plan/maker.hpp"
#include "core/plan/mode_cache.hpp"

namespace cradle::plan {

PlanParts Maker::make() {
  out_.memories.resize(m_.memories.size());
  lift_leaps();
  find_cells();
  for (const model::Signal& signal : m_.signals) {
    out_.needs.add(strictly_needed(m_, signal.value));
  }
  find_continuous();
  find_comparisons();
  find_optional_pres();
  complete_comparisons();
  find_units();
  compile_automata();
  index_readers();
  index_memories();
  find_quiet_memories();
  find_attentive_memories();
  index_regions();
  out_.signals_in_circles = find_circles(m_);
  find_steepness();
  out_.power_readers = find_readers(m_, is_power);
  out_.bond_readers = find_readers(m_, is_of_bond_graph);
  add_blocks();
  add_rates();
  add_partials();
  add_initial_slopes();
  find_jumping_integrals();
  add_formulas();
  return std::move(out_);
}

std::shared_ptr<const Plan> make_plan(std::unique_ptr<model::Model> model) {
  auto parts = std::make_shared<const PlanParts>(Maker(*model).make());
  model::Binding binding(*model);
  return std::make_shared<const Plan>(std::move(model), std::move(parts), std::move(binding));
}

Plan::Plan(std::shared_ptr<const model::Model> model, std::shared_ptr<const PlanParts> parts,
           model::Binding binding)
    : model_(std::move(model)),
      shared_parts_(std::move(parts)),
      parts_(*shared_parts_),
      binding_(std::move(binding)),
      modes_(std::make_unique<ModeCache>(*this)) {
  blocks_.resize(parts_.cells.size());
}

Plan::~Plan() = default;

std::shared_ptr<const Plan> Plan::with(const std::string& parameter, double value) const {
  std::optional<model::Binding> bound = binding_.with(*model_, parameter, value);
  if (!bound) return nullptr;
  return std::make_shared<const Plan>(model_, shared_parts_, std::move(*bound));
}

const Block& Plan::block_of(CellId cell) const {
  return blocks_.get(at(cell), [&] {
    return bind(*parts_.blocks[cell], [this](ExprId fixed) { return number(fixed); });
  });
}

double Plan::tolerance_scale(StateId id) const {
  const ExprId fixed = parts_.steepness[id];
  const double steepness = fixed.valid() ? std::abs(number(fixed)) : 0;
  return steepness > 1 && std::isfinite(steepness) ? 1 / steepness : 1;
}

ComparisonId Plan::comparison_of(ExprId expr) const {
  auto it = parts_.comparison_index.find(expr);
  return it == parts_.comparison_index.end() ? ComparisonId() : it->second;
}

const Rate& Plan::rate_of(ExprId expr) const {
  const auto found = parts_.rates.find(expr);
  CRADLE_ASSERT(found != parts_.rates.end(), "a rate was made with the plan");
  return found->second;
}

const Rate& Plan::held_rate_of(ExprId expr) const {
  const auto found = parts_.held_rates.find(expr);
  CRADLE_ASSERT(found != parts_.held_rates.end(), "a rate was made with the plan");
  return found->second;
}

const std::vector<Partial>& Plan::partials_of(ExprId expr) const {
  static const std::vector<Partial> kNone;
  const auto found = parts_.partials.find(expr);
  return found == parts_.partials.end() ? kNone : found->second;
}

const std::vector<ExprId>& Plan::initial_slopes(ElementId store) const {
  const auto found = parts_.initial_slopes.find(store);
  CRADLE_ASSERT(found != parts_.initial_slopes.end(), "slopes were made with the plan");
  return found->second;
}

}  // namespace cradle::plan
