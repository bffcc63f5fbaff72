#pragma once
// The shapes of a run, whose coordinates are constants or columns.

#include <vector>

#include "cradle/cradle.hpp"
#include "report/json_parts.hpp"

namespace cradle::view {

// By column: recorded for the shapes and for nothing else.
std::vector<bool> drawn_only(const std::vector<Shape>& shapes, const Trajectory& rows);

report::Json animation_json(const std::vector<Shape>& shapes, const Trajectory& rows);

}  // namespace cradle::view
