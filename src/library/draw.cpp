#include "cradle/draw.hpp"

#include "draw/draw.hpp"
#include "library/implementation.hpp"

namespace cradle {

std::string draw_svg(const Model& model, const DrawOptions& options) {
  if (!model.ok()) return {};
  const model::Model& flat = *model.impl().loaded.model;
  const auto assignment = causality::assign_causality(flat, selected_mode(flat, options.mode));
  return draw::draw_svg(flat, model.sources(), assignment, {.dark = options.dark});
}

}  // namespace cradle
