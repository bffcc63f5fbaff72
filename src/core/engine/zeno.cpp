#include "core/engine/zeno.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::engine {

namespace {

constexpr int kIntervals = ZenoHistory::kIntervals;
constexpr int kFewest = 3;            // how many have to agree once they are below the resolution
constexpr double kAgreement = 0.02;   // of the ratio, relative
constexpr double kRoughly = 0.25;     // the same at the resolution of time
constexpr int64_t kShrinking = 1024;  // intervals in a row before a power is looked for

// Intervals d_n ~ c n^−q leave Σ ≈ n d_n / (q − 1) to go. Looked at whenever their number has
// doubled; the last two doublings have to agree on q.
std::optional<Accumulation> find_power(std::size_t source, ZenoHistory& history, double t) {
  const int64_t n = history.shrunk;
  if (n < 2 || (n & (n - 1)) != 0) return std::nullopt;  // not a power of two
  const double now = history.intervals[kIntervals - 1], half = history.half;
  const double q = std::log2(half / now), before = std::log2(history.quarter / half);
  history.quarter = half;
  history.half = now;
  if (!(q > 1.05) || std::abs(q - before) > kAgreement * q) return std::nullopt;
  const double estimate = t + static_cast<double>(n) * now / (q - 1);
  // The estimate errs like n^−2 (Richardson's extrapolation takes that away).
  const double limit = estimate + (estimate - history.estimate) / 3;
  history.estimate = estimate;
  if (n < kShrinking) return std::nullopt;
  return Accumulation{source, limit, 1, q, now};
}

}  // namespace

std::optional<Accumulation> watch_accumulation(ZenoHistory& history, std::size_t source, double t,
                                               double resolution) {
  if (history.last >= 0 && t == history.last) return std::nullopt;  // the same instant
  const bool first = history.last < 0;
  const double interval = t - history.last;
  history.last = t;
  if (first) return std::nullopt;
  history.shrunk =
      history.count > 0 && interval < history.intervals[kIntervals - 1] ? history.shrunk + 1 : 0;
  std::rotate(history.intervals, history.intervals + 1, history.intervals + kIntervals);
  history.intervals[kIntervals - 1] = interval;
  history.count = std::min(history.count + 1, kIntervals);
  if (auto found = find_power(source, history, t)) return found;
  // Intervals that shrink fast reach the resolution of time before there are many of them.
  const int first_interval = kIntervals - history.count;
  const double closeness = resolution * std::abs(t);
  if (history.count < (interval <= closeness ? kFewest : kIntervals)) return std::nullopt;

  // The last interval may be of the size of an error in time: the others say what the ratio is.
  const bool rough = interval <= closeness && history.count > 2;
  const int last = rough ? kIntervals - 2 : kIntervals - 1;
  const double mean = std::pow(history.intervals[last] / history.intervals[first_interval],
                               1.0 / (last - first_interval));
  if (!(mean < 1)) return std::nullopt;
  const double remaining = interval * mean / (1 - mean);
  if (remaining > closeness) return std::nullopt;
  for (int i = first_interval + 1; i < kIntervals; ++i) {
    const double ratio = history.intervals[i] / history.intervals[i - 1];
    const double allowed = history.intervals[i] <= closeness ? kRoughly : kAgreement;
    if (std::abs(ratio - mean) > allowed * mean) return std::nullopt;
  }
  return Accumulation{source, t + remaining, mean, 0, interval};
}

}  // namespace cradle::engine
