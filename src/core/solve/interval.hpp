#pragma once
// Intervals of numbers that hold every result of the same operation on their members, rounding
// included (Moore, Kearfott, Cloud: Introduction to Interval Analysis, 2009). Ends are moved
// outwards by more than a rounding error instead of changing the rounding mode, which costs more
// than the arithmetic itself.
//
// A bound that is not known is infinite. What is undefined somewhere is unbounded; whoever has to
// tell "undefined everywhere" from "unknown" asks is_nowhere().

#include <algorithm>
#include <cmath>
#include <limits>

namespace cradle::solve {

struct Interval {
  double low = 0, high = 0;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static Interval all() { return {-infinity, infinity}; }
  // Of what has no value at all, as sqrt(x) has none where every x is negative.
  static Interval nowhere() {
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  }
  static constexpr Interval at(double x) { return {x, x}; }

  bool is_nowhere() const { return std::isnan(low); }
  bool is_zero() const { return low == 0 && high == 0; }
  bool is_point() const { return low == high; }
  bool is_finite() const { return low > -infinity && high < infinity; }
  bool has_zero() const { return low <= 0 && high >= 0; }
  bool is_positive() const { return low > 0; }
  bool is_negative() const { return high < 0; }
  bool contains(double x) const { return low <= x && x <= high; }
  double middle() const { return is_point() ? low : 0.5 * low + 0.5 * high; }
  double width() const { return high - low; }
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

// More than half an ulp of anything, subnormal numbers included.
inline double outwards(double x) {
  return x == 0 ? 0
                : std::abs(x) * std::numeric_limits<double>::epsilon() +
                      std::numeric_limits<double>::min();
}

// With ends that a correctly rounded operation has given.
inline Interval widened(double low, double high) {
  low -= outwards(low);
  high += outwards(high);
  // inf − inf, 0 · inf: nothing is known.
  if (std::isnan(low) || std::isnan(high)) return Interval::all();
  return {low, high};
}

inline Interval hull(const Interval& a, const Interval& b) {
  if (a.is_nowhere()) return b;
  if (b.is_nowhere()) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

inline Interval operator-(const Interval& a) { return {-a.high, -a.low}; }

inline Interval operator+(const Interval& a, const Interval& b) {
  if (a.is_nowhere() || b.is_nowhere()) return Interval::nowhere();
  if (b.is_zero()) return a;
  if (a.is_zero()) return b;
  return widened(a.low + b.low, a.high + b.high);
}

inline Interval operator-(const Interval& a, const Interval& b) { return a + (-b); }

inline Interval operator*(const Interval& a, const Interval& b) {
  if (a.is_nowhere() || b.is_nowhere()) return Interval::nowhere();
  if (a.is_zero() || b.is_zero()) {
    // Zero times what may be infinite is not zero.
    return a.is_finite() && b.is_finite() ? Interval{} : Interval::all();
  }
  const double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  if (std::isnan(p + q + r + s)) return Interval::all();
  return widened(std::min({p, q, r, s}), std::max({p, q, r, s}));
}

inline Interval operator*(double k, const Interval& a) { return Interval::at(k) * a; }

inline Interval operator/(const Interval& a, const Interval& b) {
  if (a.is_nowhere() || b.is_nowhere()) return Interval::nowhere();
  if (b.has_zero() || !b.is_finite()) return Interval::all();
  const double p = a.low / b.low, q = a.low / b.high, r = a.high / b.low, s = a.high / b.high;
  if (std::isnan(p + q + r + s)) return Interval::all();
  return widened(std::min({p, q, r, s}), std::max({p, q, r, s}));
}

// x² of one and the same x.
inline Interval square(const Interval& a) {
  if (a.is_nowhere()) return a;
  const double p = a.low * a.low, q = a.high * a.high;
  const Interval out = widened(std::min(p, q), std::max(p, q));
  return {a.has_zero() ? 0 : std::max(out.low, 0.0), out.high};
}

}  // namespace cradle::solve
