#pragma once
// Events whose intervals shrink accumulate at a point that time cannot pass: by a steady ratio
// (geometrically), or like a power n^−q of their number with q > 1.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/engine/state.hpp"

namespace cradle::engine {

struct Accumulation {
  std::size_t source = 0;  // an automaton, or behind all of them a memory
  double limit = 0;        // where they accumulate
  double ratio = 0;        // of successive intervals; 1: they shrink like a power
  double exponent = 0;     // q, then
  double interval = 0;     // the last one
};

// A source moved at real time t. Says so when the last intervals between its moves have shrunk by a
// steady ratio and the limit is nearer than `resolution` (relative to t, at least 1).
std::optional<Accumulation> watch_accumulation(ZenoHistory& history, std::size_t source, double t,
                                               double resolution);

}  // namespace cradle::engine
