#include "conform/quadrature.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::conform {
namespace {

// Gauss–Legendre with three nodes on [−1, 1]: exact to degree 5, as for six samples.
constexpr double kNodes[] = {-0.7745966692414834, 0, 0.7745966692414834};
constexpr double kWeights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};

double lagrange(std::span<const double> t, std::span<const double> y, double at) {
  double sum = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    double term = y[i];
    for (std::size_t j = 0; j < t.size(); ++j) {
      if (j != i) term *= (at - t[j]) / (t[i] - t[j]);
    }
    sum += term;
  }
  return sum;
}

// With at most `around` samples more than the nearest ones.
double by(std::span<const double> t, std::span<const double> y, std::size_t i, std::size_t around,
          Side side) {
  const std::size_t lowest = i >= around ? i - around : 0;
  const std::size_t begin = side == Side::Right ? i + 1 : lowest;
  const std::size_t end = side == Side::Left ? i + 1 : std::min(t.size(), i + 2 + around);
  const auto ts = t.subspan(begin, end - begin), ys = y.subspan(begin, end - begin);
  const double middle = (t[i] + t[i + 1]) / 2, half = (t[i + 1] - t[i]) / 2;
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += kWeights[k] * lagrange(ts, ys, middle + kNodes[k] * half);
  return sum * half;
}

}  // namespace

Integral integrate(std::span<const double> t, std::span<const double> y, std::size_t i, Side side) {
  const double best = by(t, y, i, 2, side), simpler = by(t, y, i, 1, side);
  double error = std::abs(best - simpler);
  // With few samples around there is little to compare with.
  if (side != Side::Both || t.size() < 5) {
    error = std::max(error, std::abs(best - by(t, y, i, 0, side)));
  }
  if (t.size() < 3) error = std::max(error, (t[i + 1] - t[i]) * std::abs(y[i + 1] - y[i]));
  return {best, error};
}

}  // namespace cradle::conform
