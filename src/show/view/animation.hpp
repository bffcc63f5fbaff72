#pragma once
// The shapes of a run, whose coordinates are constants or columns.

#include <vector>

#include "cradle/cradle.hpp"
#include "show/text/json_parts.hpp"

namespace cradle::view {

text::Json animation_json(const std::vector<Shape>& shapes, const Trajectory& rows);

}  // namespace cradle::view
