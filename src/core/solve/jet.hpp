#pragma once
// The Taylor coefficients of a function of one variable u on [-1, 1], as intervals (Moore's
// automatic differentiation; Griewank, Walther: Evaluating Derivatives, chapter 13). Two uses:
//   at the middle:     coefficients at u = 0, with what rounding makes of them
//   over the interval: coefficients at every u in [-1, 1] at once
// By Taylor's theorem g(u) lies in Σ_{k<n} c_k u^k + w_n u^n, with c of the first and w of the
// second kind. Where nothing was cut off, the first alone says all there is to say: the function
// is the polynomial.
//
// A kink (abs, min, max) inside the interval leaves the hull of the values and of the slopes; a
// leap (floor, sign, mod, a comparison that is not decided) that of the values. So the coefficient
// 0 over an interval always encloses the values.

#include <array>
#include <span>

#include "core/solve/interval.hpp"
#include "language/expr/pool.hpp"

namespace cradle::solve {

struct Jet {
  static constexpr int order = 7;
  int degree = 0;  // coefficients beyond are zero
  // The function is this polynomial everywhere: nothing was cut off, and no branch was taken that
  // another place might not take.
  bool exact = true;
  std::array<Interval, order + 1> c;

  static Jet constant(double value) { return constant(Interval::at(value)); }
  static Jet constant(const Interval& value);
  bool is_constant() const { return degree == 0 && exact; }
};

// The operators of expressions; `out` may be one of the operands.
void apply(expr::Op op, const Jet& a, Jet& out);
void apply(expr::Op op, const Jet& a, const Jet& b, Jet& out);
void multiply_add(const Jet& a, const Jet& b, const Jet& c, Jet& out);  // c + a · b
void choose(const Jet& condition, const Jet& a, const Jet& b, Jet& out);

// The polynomial Σ c[k] s^k at s = centre + radius · u: at the middle, or over all u. Each c[k] is
// right up to a few roundings of its worth. What is of a higher degree than a jet is cut off.
enum class Where { Middle, Whole };
inline constexpr int most_polynomial = 24;
void expand_polynomial(std::span<const double> c, std::span<const double> worth,
                       const Interval& centre, double radius, Where where, Jet& out);

}  // namespace cradle::solve
