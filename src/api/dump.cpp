#include "cradle/dump.hpp"

#include "api/implementation.hpp"
#include "base/basics/assert.hpp"
#include "core/dump/dump.hpp"

namespace cradle {

std::string stage_text(const Model& model, Stage stage, const ModeSelection& mode) {
  CRADLE_ASSERT(model.ok(), "only a sound model has a plan");
  const plan::Plan& plan = *model.impl().plan;
  if (stage == Stage::Plan) return dump::plan_text(plan);
  const causality::Mode chosen = selected_mode(plan.model(), mode);
  return stage == Stage::Mode ? dump::mode_text(plan, chosen) : dump::code_text(plan, chosen);
}

}  // namespace cradle
