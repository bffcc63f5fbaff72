#include "core/solve/chebyshev.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cradle::solve {
namespace {

constexpr int nodes_last = Chebyshev::max_degree;

struct Tables {
  std::array<double, nodes_last + 1> nodes;
  // coefficients = transform · values, for nodes of degree 4 and of degree 8.
  std::array<std::array<double, 5>, 5> transform4;
  std::array<std::array<double, 9>, 9> transform8;

  Tables() {
    for (int j = 0; j <= nodes_last; ++j) nodes[j] = std::cos(j * std::numbers::pi / nodes_last);
    nodes[nodes_last / 2] = 0;
    for (int j = 0; j < nodes_last / 2; ++j) nodes[nodes_last - j] = -nodes[j];
    fill(transform4);
    fill(transform8);
  }
  // cos(kπ/8) for any k >= 0.
  double cosine(int k) const {
    k %= 2 * nodes_last;
    return nodes[k <= nodes_last ? k : 2 * nodes_last - k];
  }
  // The discrete cosine transform of the first kind, written out.
  template <typename Matrix>
  void fill(Matrix& matrix) const {
    const int degree = static_cast<int>(matrix.size()) - 1;
    const auto weight = [&](int i) { return i == 0 || i == degree ? 0.5 : 1; };
    for (int k = 0; k <= degree; ++k) {
      for (int j = 0; j <= degree; ++j) {
        matrix[k][j] = 2 * weight(k) * weight(j) * cosine(k * j * nodes_last / degree) / degree;
      }
    }
  }
};

const Tables tables;

template <typename Matrix>
void apply(const Matrix& matrix, std::span<const double, nodes_last + 1> values,
           Chebyshev::Coefficients& coefficients) {
  constexpr std::size_t size = std::tuple_size_v<Matrix>;
  constexpr std::size_t stride = nodes_last / (size - 1);
  for (std::size_t k = 0; k < size; ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < size; ++j) sum += matrix[k][j] * values[j * stride];
    coefficients[k] = sum;
  }
}

}  // namespace

const std::array<double, nodes_last + 1>& Chebyshev::nodes() { return tables.nodes; }

Chebyshev Chebyshev::through(std::span<const double, max_degree + 1> values, int degree) {
  Chebyshev series;
  series.degree_ = degree;
  if (degree == 4) {
    apply(tables.transform4, values, series.coefficients_);
  } else {
    apply(tables.transform8, values, series.coefficients_);
  }
  return series;
}

Chebyshev Chebyshev::of(std::span<const double> coefficients) {
  Chebyshev series;
  series.degree_ = static_cast<int>(coefficients.size()) - 1;
  std::copy(coefficients.begin(), coefficients.end(), series.coefficients_.begin());
  return series;
}

double Chebyshev::operator()(double x) const {
  double b1 = 0, b2 = 0;
  for (int k = degree_; k > 0; --k) {
    const double b = coefficients_[k] + 2 * x * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return coefficients_[0] + x * b1 - b2;
}

Chebyshev Chebyshev::derivative() const {
  Chebyshev result;
  if (degree_ == 0) return result;
  result.degree_ = degree_ - 1;
  double above = 0, next = 0;  // coefficients k + 2 and k + 1 of the derivative
  for (int k = degree_ - 1; k >= 0; --k) {
    const double here = above + 2 * (k + 1) * coefficients_[k + 1];
    result.coefficients_[k] = k == 0 ? here / 2 : here;
    above = next;
    next = here;
  }
  return result;
}

double Chebyshev::trim(double error) {
  double cut = 0;
  while (degree_ > 0 && cut + std::abs(coefficients_[degree_]) <= error) {
    cut += std::abs(coefficients_[degree_]);
    coefficients_[degree_--] = 0;
  }
  return cut;
}

double Chebyshev::tail() const {
  return std::abs(coefficients_[degree_]) +
         (degree_ > 0 ? std::abs(coefficients_[degree_ - 1]) : 0);
}

double Chebyshev::least_magnitude() const {
  double rest = 0;
  for (int k = 1; k <= degree_; ++k) rest += std::abs(coefficients_[k]);
  return std::abs(coefficients_[0]) - rest;
}

// Roots of c₀ + c₁ x + c₂ (2 x² − 1), without cancellation; NaN where there is none.
void Chebyshev::solve_quadratic(double& first, double& second) const {
  const double a = 2 * coefficients_[2], b = coefficients_[1];
  const double c = coefficients_[0] - coefficients_[2];
  const double q = -0.5 * (b + std::copysign(std::sqrt(b * b - 4 * a * c), b));
  first = q / a;
  second = c / q;
}

// Directly up to degree 2; otherwise by Newton's method, with bisection where it leaves the bracket
// or is slow to close it.
double Chebyshev::root_between(double low, double high) const {
  if (degree_ == 1) return std::clamp(-coefficients_[0] / coefficients_[1], low, high);
  if (degree_ == 2) {
    double first, second;
    solve_quadratic(first, second);
    if (first >= low && first <= high) return first;
    if (second >= low && second <= high) return second;
  }
  const Chebyshev slope = derivative();
  const bool rising = (*this)(low) <= 0;
  double x = 0.5 * (low + high);
  for (int iteration = 0; iteration < 100 && low < high; ++iteration) {
    const double value = (*this)(x);
    if (value == 0) return x;
    (((value < 0) == rising) ? low : high) = x;
    double next = x - value / slope(x);
    if (!(next > low && next < high) || iteration % 8 == 7) next = 0.5 * (low + high);
    if (std::abs(next - x) <= 1e-16) return next;
    x = next;
  }
  return x;
}

int Chebyshev::roots(std::array<double, max_degree>& roots) const {
  if (degree_ == 0 || least_magnitude() > 0) return 0;
  if (degree_ == 1) {
    roots[0] = -coefficients_[0] / coefficients_[1];
    return roots[0] > -1 && roots[0] < 1 ? 1 : 0;
  }
  std::array<double, max_degree> turns;
  const int turn_count = derivative().roots(turns);
  int count = 0;
  double low = -1, low_value = (*this)(low);
  for (int k = 0; k <= turn_count; ++k) {
    const double high = k < turn_count ? turns[k] : 1;
    const double high_value = (*this)(high);
    if ((low_value < 0) != (high_value < 0) && count < degree_) {
      roots[count++] = root_between(low, high);
    }
    low = high;
    low_value = high_value;
  }
  return count;
}

}  // namespace cradle::solve
