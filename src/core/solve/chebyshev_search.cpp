// Location of events where the gap can be evaluated and nothing more is known of it:
//
//   change_by_sampling on (a, b]:
//     intervals ← [(a, b)], the leftmost first
//     p ← interpolant of degree 4, or 8 where 4 is not faithful, on Chebyshev nodes
//     if p stays away from 0 by more than its error: nothing happens here
//     if p is not faithful: bisect
//     walk over samples and turning points of p, left to right; between two of them p is monotonic,
//     so at the first one with the new truth there is one crossing to refine
//
// This is careful and no proof: something that is narrower than the samples are apart, and leaves
// no trace in any of them, is not seen. What has passed unseen is noticed at the end of the step.
//
// Truth is always judged on g itself; p only says where to look. The extrema are what makes a dip
// inside one solver step visible (Shampine, Gladwell, Brankin: Reliable solution of special event
// location problems for ODEs, 1991, do the same with Sturm sequences).

#include "core/solve/chebyshev_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/solve/chebyshev.hpp"

namespace cradle::solve {
// A namespace of its own: sources of a room may be compiled as one.
namespace sampling {
namespace {

constexpr int max_intervals = 4096;
constexpr int max_depth = 48;
constexpr int few_ulps = 32;
// Halving divides what the interpolant misses by 2⁵ to 2⁹ where g is smooth, by 2 at a kink, by 1
// where g is rounding noise or a cliff. Noise would be refined for ever, and a cliff's bracket is
// known anyway, so a branch that does worse than this on average is cut, after some slack.
constexpr double least_progress = 0.6;
constexpr double slack = 4;
constexpr double faithful = 1e-12;   // error of the interpolant relative to the size of g
constexpr double error_safety = 16;  // the error is known at the check points only
constexpr double rounding = 1e-14;   // of the interpolant, relative to the size of g
constexpr double infinity = std::numeric_limits<double>::infinity();

// Points between the nodes of degree 8, asymmetric so that an odd or even error shows.
constexpr std::array<double, 2> check_points = {-0.83146961230254524, 0.55557023301960222};

// Without initialisers, here and below: most calls end after a glance, and clearing would dominate.
struct Sample {
  double t, g;
};

using Values = std::array<double, Chebyshev::max_degree + 1>;

struct Interval {
  Sample low, high;
  int depth;
  double allowed_roughness;
};

// What is known about g on one interval, in ascending t.
struct Portrait {
  std::array<Sample, Chebyshev::max_degree + 3> samples;
  int count = 0;
  Sample middle;
  Chebyshev p;           // over x in [-1, 1]
  double error = 0;      // the largest |g − p| seen; infinite when g is not finite
  double roughness = 0;  // what the next degrees would add, as far as known
  double size = 0;       // the largest |g| seen
  double x(double t) const {
    const double low = samples[0].t, high = samples[count - 1].t;
    return std::clamp((t - low) / (high - low) * 2 - 1, -1.0, 1.0);
  }
  double t(double x) const {
    const double low = samples[0].t, high = samples[count - 1].t;
    return std::clamp(low + (x + 1) * 0.5 * (high - low), low, high);
  }
};

class Search {
 public:
  Search(Gap& gap, bool strict, bool old_truth, double a, double b)
      : gap_(gap), strict_(strict), old_truth_(old_truth), a_(a), b_(b) {}
  std::optional<double> run();

 private:
  Sample sample(double t) { return {t, gap_(t)}; }
  bool changed(double g) const { return holds(g, strict_) != old_truth_; }
  bool is_few_ulps(double low, double high) const;
  std::optional<double> scan(double low, double high);
  Portrait portray(const Interval& interval);
  void fit(Portrait& portrait, const Values& values, int degree,
           std::span<const Sample> checks) const;
  bool is_quiet(const Portrait& portrait) const;
  bool needs_refinement(const Portrait& portrait) const;
  std::optional<double> walk(const Portrait& portrait);
  double refine(const Portrait& portrait, double low, double high);
  void close_in(double guess, double& low, double& high);

  Gap& gap_;
  const bool strict_, old_truth_;
  const double a_, b_;
};

bool Search::is_few_ulps(double low, double high) const {
  const double ulp = std::max(std::max(std::abs(low), std::abs(high)) * 0x1p-52, 0x1p-1074);
  return high - low <= few_ulps * ulp;
}

std::optional<double> Search::scan(double low, double high) {
  while (low < high) {
    low = std::nextafter(low, high);
    if (changed(gap_(low))) return low;
  }
  return std::nullopt;
}

// Fits p to the nodes, and measures it at the checks. samples is filled and in order.
void Search::fit(Portrait& portrait, const Values& values, int degree,
                 std::span<const Sample> checks) const {
  portrait.size = 0;
  for (int k = 0; k < portrait.count; ++k) {
    portrait.size = std::max(portrait.size, std::abs(portrait.samples[k].g));
  }
  portrait.p = Chebyshev::through(values, degree);
  portrait.error = 0;
  for (const Sample& check : checks) {
    const double error = std::abs(check.g - portrait.p(portrait.x(check.t)));
    portrait.error = std::isfinite(error) ? std::max(portrait.error, error) : infinity;
  }
  portrait.roughness = std::max(portrait.error, portrait.p.tail());
  portrait.error += portrait.p.trim(portrait.error + 1e-15 * portrait.size);
}

// Degree 4 suits guards that are linear in the state, because dense output is of degree 4 or near;
// two of the nodes that degree 8 adds serve as checks first.
Portrait Search::portray(const Interval& interval) {
  const auto& x = Chebyshev::nodes();
  const double low = interval.low.t, high = interval.high.t;
  const auto at = [&](double x) {
    return sample(std::clamp(low + (x + 1) * 0.5 * (high - low), low, high));
  };
  std::array<Sample, Chebyshev::max_degree + 1> nodes;
  Values values{};
  nodes[0] = interval.high;
  nodes[8] = interval.low;
  for (const int j : {6, 4, 2, 5, 1}) nodes[j] = at(x[j]);
  for (const int j : {0, 1, 2, 4, 5, 6, 8}) values[j] = nodes[j].g;
  Portrait portrait;
  portrait.middle = nodes[4];
  for (const int j : {8, 6, 5, 4, 2, 1, 0}) portrait.samples[portrait.count++] = nodes[j];
  fit(portrait, values, 4, std::array{nodes[5], nodes[1]});
  if (is_quiet(portrait) || !needs_refinement(portrait)) return portrait;
  for (const int j : {7, 3}) {
    nodes[j] = at(x[j]);
    values[j] = nodes[j].g;
  }
  const std::array checks = {at(check_points[0]), at(check_points[1])};
  portrait.count = 0;
  for (const int j : {8, 7}) portrait.samples[portrait.count++] = nodes[j];
  portrait.samples[portrait.count++] = checks[0];
  for (const int j : {6, 5, 4, 3}) portrait.samples[portrait.count++] = nodes[j];
  portrait.samples[portrait.count++] = checks[1];
  for (const int j : {2, 1, 0}) portrait.samples[portrait.count++] = nodes[j];
  fit(portrait, values, 8, checks);
  return portrait;
}

// g keeps the old truth by a margin that the interpolant's error cannot eat up.
bool Search::is_quiet(const Portrait& portrait) const {
  return portrait.p.least_magnitude() > error_safety * portrait.error + rounding * portrait.size &&
         !changed(portrait.p.mean());
}

bool Search::needs_refinement(const Portrait& portrait) const {
  if (portrait.error <= faithful * portrait.size) return false;
  const bool wholly_changed = portrait.p.least_magnitude() > error_safety * portrait.error;
  // Where g is nowhere finite there is nothing to resolve.
  bool any_finite = false;
  for (int k = 0; k < portrait.count; ++k) any_finite |= std::isfinite(portrait.samples[k].g);
  return any_finite && !wholly_changed;
}

std::optional<double> Search::walk(const Portrait& portrait) {
  std::array<double, Chebyshev::max_degree> turns;
  const bool usable = std::isfinite(portrait.error);
  const int turn_count = usable ? portrait.p.derivative().roots(turns) : 0;
  const double margin = error_safety * portrait.error + rounding * portrait.size;
  const double old_sign = old_truth_ ? 1 : -1;
  double last = portrait.samples[0].t;
  int turn = 0;
  for (int k = 1; k < portrait.count; ++k) {
    const Sample& next = portrait.samples[k];
    for (; turn < turn_count && portrait.t(turns[turn]) < next.t; ++turn) {
      const double t = portrait.t(turns[turn]);
      if (t <= last) continue;
      const bool near = old_sign * portrait.p(turns[turn]) <= margin;
      if (near && changed(gap_(t))) return refine(portrait, last, t);
      last = t;
    }
    if (next.t <= last) continue;
    if (changed(next.g)) return refine(portrait, last, next.t);
    last = next.t;
  }
  return std::nullopt;
}

// The change in (low, high], of which low has the old truth and high the new, to adjacent doubles.
double Search::refine(const Portrait& portrait, double low, double high) {
  const double x_low = portrait.x(low), x_high = portrait.x(high);
  double guess = low;
  if (std::isfinite(portrait.error)) {
    const double p_low = portrait.p(x_low), p_high = portrait.p(x_high);
    if ((p_low < 0) != (p_high < 0)) {
      guess = portrait.t(portrait.p.root_between(x_low, x_high));
    } else if (std::abs(p_high) < std::abs(p_low)) {
      guess = high;
    }
  } else {
    guess = 0.5 * (low + high);
  }
  close_in(guess, low, high);
  // Near t = 0 doubles are so dense that halving would go on for a thousand steps.
  const double resolution = std::ldexp(b_ - a_, -75);
  while (high - low > resolution) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    (changed(gap_(middle)) ? high : low) = middle;
  }
  return high;
}

// Shrinks the bracket around a guess that is most likely right to a few ulps, in growing strides
// away from it, so that a bad guess costs little more than bisection.
void Search::close_in(double guess, double& low, double& high) {
  const double ulp = std::nextafter(std::abs(guess), infinity) - std::abs(guess);
  double stride = std::max(ulp, std::ldexp(b_ - a_, -60));
  double at = std::clamp(guess, std::min(low + stride, high), std::max(high - stride, low));
  if (!(at > low && at < high)) return;
  const bool right_of_change = changed(gap_(at));
  for (int k = 0; k < 20; ++k, stride *= 8) {
    (right_of_change ? high : low) = at;
    at = right_of_change ? at - stride : at + stride;
    if (!(at > low && at < high)) return;
    if (changed(gap_(at)) != right_of_change) {
      (right_of_change ? low : high) = at;
      return;
    }
  }
}

std::optional<double> Search::run() {
  if (!(a_ < b_)) return std::nullopt;
  if (is_few_ulps(a_, b_)) return scan(a_, b_);
  std::array<Interval, max_depth + 1> waiting;  // each deeper than the one below it
  int waiting_count = 0;
  Interval interval = {sample(a_), sample(b_), 0, infinity};
  for (int count = 1;; ++count) {
    if (is_few_ulps(interval.low.t, interval.high.t)) {
      if (const auto found = scan(interval.low.t, interval.high.t)) return found;
    } else if (const Portrait portrait = portray(interval); !is_quiet(portrait)) {
      if (needs_refinement(portrait) && portrait.roughness <= interval.allowed_roughness &&
          count < max_intervals && interval.depth < max_depth) {
        const double allowed = least_progress * (interval.depth == 0 ? slack * portrait.roughness
                                                                     : interval.allowed_roughness);
        waiting[waiting_count++] = {portrait.middle, interval.high, interval.depth + 1, allowed};
        interval = {interval.low, portrait.middle, interval.depth + 1, allowed};
        continue;
      }
      if (const auto found = walk(portrait)) return found;
    }
    if (waiting_count == 0) return std::nullopt;
    interval = waiting[--waiting_count];
  }
}

}  // namespace
}  // namespace sampling

std::optional<double> change_by_sampling(Gap& gap, bool strict, bool truth_at_a, double a,
                                         double b) {
  return sampling::Search(gap, strict, truth_at_a, a, b).run();
}

}  // namespace cradle::solve
