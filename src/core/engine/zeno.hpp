#pragma once
// Events whose intervals shrink accumulate at a point that time cannot pass: by a steady ratio
// (geometrically), or like a power n^−q of their number with q > 1.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/basics/ids.hpp"

namespace cradle::engine {

struct Accumulation {
  std::size_t source = 0;  // an automaton, or behind all of them a memory
  double limit = 0;        // where they accumulate
  double ratio = 0;        // of successive intervals; 1: they shrink like a power
  double exponent = 0;     // q, then
  double interval = 0;     // the last one
};

class ZenoWatch {
 public:
  explicit ZenoWatch(std::size_t sources) : histories_(sources) {}

  // A source moved at real time t. Says so when the last intervals between its moves have
  // shrunk by a steady ratio and the limit is nearer than `resolution` (relative to t, at least 1).
  std::optional<Accumulation> moved(std::size_t source, double t, double resolution);

 private:
  static constexpr int kIntervals = 8;         // how many have to agree
  static constexpr int kFewest = 3;            // the same, once they are below the resolution
  static constexpr double kAgreement = 0.02;   // of the ratio, relative
  static constexpr double kRoughly = 0.25;     // the same at the resolution of time
  static constexpr int64_t kShrinking = 1024;  // intervals in a row before a power is looked for
  struct History {
    double last = -1;
    double intervals[kIntervals] = {};
    int count = 0;
    // How many intervals in a row have shrunk, and the one at half and at a quarter of that number.
    int64_t shrunk = 0;
    double half = 0, quarter = 0;
    double estimate = 0;  // of the limit, when it was last looked for
  };
  std::optional<Accumulation> power(std::size_t source, History& history, double t);
  std::vector<History> histories_;
};

}  // namespace cradle::engine
