#include "api/implementation.hpp"
#include "cradle/draw.hpp"
#include "show/draw/draw.hpp"

namespace cradle {

std::string draw_svg(const Model& model, const DrawOptions& options) {
  if (!model.ok()) return {};
  const model::Model& flat = model.impl().folded();
  const auto assignment = causality::assign_causality(flat, selected_mode(flat, options.mode));
  const draw::Colours colours = options.dark ? draw::Colours::Dark : draw::Colours::Light;
  return draw::Drawing(flat, model.sources()).svg(assignment, colours);
}

}  // namespace cradle
