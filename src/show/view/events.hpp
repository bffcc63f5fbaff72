#pragma once
// Which rows of a run are one instant at which something happened.

#include <cstddef>
#include <vector>

#include "cradle/trajectory.hpp"

namespace cradle::view {

struct Event {
  std::size_t first = 0, last = 0;  // rows; the first is the left limit where there is one
};

std::vector<Event> find_events(const Trajectory& rows);

}  // namespace cradle::view
