#pragma once
// Where a comparison between continuous quantities changes its truth, located in time.

#include <cmath>
#include <optional>

#include "core/solve/jet.hpp"

namespace cradle::solve {

// A comparison holds where g > 0 (strict) or g >= 0.
class Gap {
 public:
  virtual ~Gap() = default;
  virtual double operator()(double t) = 0;
  // g on [a, b] as a function of u, with t = (a + b)/2 + u (b − a)/2: its Taylor coefficients at
  // the middle, or over the whole interval. False: there is no enclosure, here or anywhere.
  using Where = solve::Where;
  virtual bool expand(double a, double b, Where where, Jet& out) {
    static_cast<void>(a), static_cast<void>(b), static_cast<void>(where), static_cast<void>(out);
    return false;
  }
};

inline bool holds(double g, bool strict) { return strict ? g > 0 : g >= 0; }

// How far one search goes at once, and what it leaves for the next.
struct Stride {
  double width = 0;          // of the pieces that are looked at; 0: begin with the whole
  int64_t pieces = 1 << 20;  // at most
};

struct Sought {
  std::optional<double> change;
  double clear_to = 0;  // there is no change up to here
};

// The first time in (a, b] at which the truth of the comparison differs from `truth_at_a`, on the
// far side of the crossing and to near machine precision: the result t has the new truth, and the
// double just before it (or within a few ulps) has the old one.
//
// A piece counts as free of changes only where an enclosure of the gap says so, or one of its slope
// says that it changes once at most; otherwise it is halved. What comes to zero within rounding of
// what was added up, and goes back, is a touch: not reached. Without an enclosure the gap is
// sampled (chebyshev_search.hpp).
Sought seek(Gap& gap, bool strict, bool truth_at_a, double a, double b, Stride& stride);

// Thrown where as many pieces as there may be do not suffice.
struct OscillatesTooFast {
  double at, width;  // where the search stands, and the pieces that it needs there
};

// The same on all of (a, b]. nullopt: no change.
std::optional<double> first_change(Gap& gap, bool strict, bool truth_at_a, double a, double b,
                                   int64_t pieces = Stride().pieces);

// Is the truth at t another than `truth`, by more than rounding? Without an enclosure: at all.
bool is_clearly_other(Gap& gap, bool strict, bool truth, double t);

}  // namespace cradle::solve
