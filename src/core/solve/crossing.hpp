#pragma once
// Where a relation between continuous quantities changes its truth, located in time.

#include <optional>

namespace cradle::solve {

// g is continuous on the interval. A relation holds where g > 0 (strict) or g >= 0.
class Gap {
 public:
  virtual ~Gap() = default;
  virtual double operator()(double t) = 0;
};

inline bool holds(double g, bool strict) { return strict ? g > 0 : g >= 0; }

// The first time in (a, b] at which the truth of the relation differs from `truth_at_a`, on the far
// side of the crossing and to near machine precision: the result t has the new truth, and the
// double just before it (or within a few ulps) has the old one. nullopt: no change found.
//
// The gap is represented on the interval by a Chebyshev interpolant that is checked at further
// points and refined by bisection until it is faithful, and the interpolant is searched for
// extrema, so two crossings inside one solver step are found although both ends have the same sign.
std::optional<double> first_change(Gap& gap, bool strict, bool truth_at_a, double a, double b);

}  // namespace cradle::solve
