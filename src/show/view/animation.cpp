#include "show/view/animation.hpp"

#include "base/basics/assert.hpp"

namespace cradle::view {
namespace {

using text::Json;

const char* kind_of(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::Circle:
      return "circle";
    case Shape::Kind::Box:
      return "box";
    case Shape::Kind::Line:
      return "line";
  }
  CRADLE_ASSERT(false, "a kind of shape without a name");
  return "";
}

std::size_t column_of(const Shape::Part& part, const Trajectory& rows) {
  const auto column = rows.find_column(part.column);
  CRADLE_ASSERT(column.has_value(), "a part of a shape is not recorded");
  return *column;
}

}  // namespace

Json animation_json(const std::vector<Shape>& shapes, const Trajectory& rows) {
  Json out = Json::array();
  for (const Shape& shape : shapes) {
    Json json = {{"kind", kind_of(shape.kind)}, {"name", shape.name}};
    if (!shape.fill.empty()) json["fill"] = shape.fill;
    if (!shape.label.empty()) json["label"] = shape.label;
    for (const Shape::Part& part : shape.parts) {
      json[part.role] =
          part.column.empty() ? Json(part.constant) : Json{{"column", column_of(part, rows)}};
    }
    out.push_back(std::move(json));
  }
  return out;
}

}  // namespace cradle::view
