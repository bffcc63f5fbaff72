#pragma once
// The instants that were told, as view.ts has them.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cradle/explain.hpp"
#include "show/view/events.hpp"

namespace cradle::view {

struct Told {
  std::string json;  // Instant[]
  std::size_t count = 0;
  std::vector<std::optional<std::size_t>> by_event;  // an index into them
};

Told tell(const Simulation& run, const Sources& sources, const std::vector<Event>& events);

}  // namespace cradle::view
