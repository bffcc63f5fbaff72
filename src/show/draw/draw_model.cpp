#include "api/implementation.hpp"
#include "cradle/draw.hpp"
#include "show/draw/diagram.hpp"
#include "show/draw/draw.hpp"

namespace cradle {

std::string draw_svg(const Model& model, const DrawOptions& options) {
  if (!model.ok()) return {};
  const model::Model& flat = model.impl().folded();
  const auto assignment = causality::assign_causality(flat, selected_mode(flat, options.mode));
  if (options.layered) {
    const draw::Diagram diagram = draw::arrange_diagram(flat, model.sources(), options.depth);
    return draw::diagram_svg(flat, diagram, assignment, options.dark);
  }
  const draw::Colours colours = options.dark ? draw::Colours::Dark : draw::Colours::Light;
  return draw::Drawing(flat, model.sources()).svg(assignment, colours);
}

}  // namespace cradle
