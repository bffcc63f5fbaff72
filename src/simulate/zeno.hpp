#pragma once
// Events whose intervals shrink geometrically accumulate at a point that time cannot pass.

#include <optional>
#include <vector>

#include "base/ids.hpp"

namespace cradle::simulate {

struct Accumulation {
  AutomatonId automaton;
  double limit = 0;     // where they accumulate
  double ratio = 0;     // of successive intervals
  double interval = 0;  // the last one
};

class ZenoWatch {
 public:
  explicit ZenoWatch(std::size_t automata) : histories_(automata) {}

  // An automaton moved at real time t. Says so when the last intervals between its moves have
  // shrunk by a steady ratio and the limit is nearer than `resolution` (relative to t, at least 1).
  std::optional<Accumulation> moved(AutomatonId automaton, double t, double resolution);

 private:
  static constexpr int kIntervals = 8;        // how many have to agree
  static constexpr int kFewest = 3;           // the same, once they are below the resolution
  static constexpr double kAgreement = 0.02;  // of the ratio, relative
  struct History {
    double last = -1;
    double intervals[kIntervals] = {};
    int count = 0;
  };
  std::vector<History> histories_;
};

}  // namespace cradle::simulate
