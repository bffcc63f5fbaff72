#include "simulate/zeno.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::simulate {

std::optional<Accumulation> ZenoWatch::moved(AutomatonId automaton, double t, double resolution) {
  History& history = histories_[static_cast<std::size_t>(automaton.index)];
  if (history.last >= 0 && t == history.last) return std::nullopt;  // the same instant
  const bool first = history.last < 0;
  const double interval = t - history.last;
  history.last = t;
  if (first) return std::nullopt;
  std::rotate(history.intervals, history.intervals + 1, history.intervals + kIntervals);
  history.intervals[kIntervals - 1] = interval;
  history.count = std::min(history.count + 1, kIntervals);
  // Intervals that shrink fast reach the resolution of time before there are many of them.
  const int first_interval = kIntervals - history.count;
  const double closeness = resolution * std::max(1.0, std::abs(t));
  if (history.count < (interval <= closeness ? kFewest : kIntervals)) return std::nullopt;

  const double mean =
      std::pow(interval / history.intervals[first_interval], 1.0 / (history.count - 1));
  if (!(mean < 1)) return std::nullopt;
  const double remaining = interval * mean / (1 - mean);
  if (remaining > closeness) return std::nullopt;
  for (int i = first_interval + 1; i < kIntervals; ++i) {
    const double ratio = history.intervals[i] / history.intervals[i - 1];
    if (std::abs(ratio - mean) > kAgreement * mean) return std::nullopt;
  }
  return Accumulation{automaton, t + remaining, mean, interval};
}

}  // namespace cradle::simulate
