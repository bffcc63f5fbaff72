#pragma once
// The shapes of a run, whose coordinates are constants or columns.

#include <vector>

#include "cradle/cradle.hpp"
#include "report/json_parts.hpp"

namespace cradle::view {

report::Json animation_json(const std::vector<Shape>& shapes, const Trajectory& rows);

}  // namespace cradle::view
