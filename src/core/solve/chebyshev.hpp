#pragma once
// A polynomial on [-1, 1] as a Chebyshev series, small enough to live on the stack (Trefethen,
// Approximation Theory and Approximation Practice).

#include <array>
#include <span>

namespace cradle::solve {

class Chebyshev {
 public:
  static constexpr int max_degree = 8;
  using Coefficients = std::array<double, max_degree + 1>;

  // cos(jπ/8) for j = 0 … 8, from 1 down to -1. The even ones alone are the nodes of degree 4.
  static const std::array<double, max_degree + 1>& nodes();
  // The polynomial of degree 4 or 8 through values[j] at nodes()[j]; degree 4 reads even j only.
  static Chebyshev through(std::span<const double, max_degree + 1> values, int degree);

  static Chebyshev of(std::span<const double> coefficients);  // at most max_degree + 1

  double operator()(double x) const;  // Clenshaw's recurrence
  int degree() const { return degree_; }
  std::span<const double> coefficients() const {
    return std::span(coefficients_).first(static_cast<std::size_t>(degree_) + 1);
  }
  Chebyshev derivative() const;
  // Cuts coefficients off at the end while their sum stays within `error`; gives that sum.
  double trim(double error);
  // The size of the last two coefficients.
  double tail() const;
  // |p| >= this everywhere on [-1, 1], with the sign of mean(); negative: nothing is known.
  double least_magnitude() const;
  double mean() const { return coefficients_[0]; }

  // Real roots in (-1, 1), ascending, into `roots`; gives their number. Each is bracketed between
  // neighbouring roots of the derivative, so close ones are not missed.
  int roots(std::array<double, max_degree>& roots) const;
  // The root in [low, high], where the values at both ends have different signs.
  double root_between(double low, double high) const;

 private:
  void solve_quadratic(double& first, double& second) const;
  int degree_ = 0;
  Coefficients coefficients_{};
};

}  // namespace cradle::solve
