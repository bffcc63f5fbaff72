#include "theory/conform/quadrature.hpp"

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

// The polynomial through samples [begin, end), integrated from a to b.
double through(std::span<const double> t, std::span<const double> y, std::size_t begin,
               std::size_t end, double a, double b) {
  const auto ts = t.subspan(begin, end - begin), ys = y.subspan(begin, end - begin);
  const double middle = (a + b) / 2, half = (b - a) / 2;
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += kWeights[k] * lagrange(ts, ys, middle + kNodes[k] * half);
  return sum * half;
}

}  // namespace

std::optional<Integral> integrate(std::span<const double> t, std::span<const double> y,
                                  std::size_t i, Side side, std::size_t around) {
  // The samples that may be used, and how many of them at either side of the interval.
  std::size_t first = 0, last = t.size();
  if (side == Side::UpTo) last = i + 2;
  if (side == Side::Before) last = i + 1;
  if (side == Side::From) first = i;
  if (side == Side::After) first = i + 1;
  if (last - first < 2) return std::nullopt;
  auto by = [&](std::size_t more) {
    const std::size_t begin = std::max(first, i >= more ? i - more : 0);
    const std::size_t end = std::min(last, i + 2 + more);
    return through(t, y, begin, end, t[i], t[i + 1]);
  };
  const double best = by(around), simpler = by(around - 1);
  double error = std::abs(best - simpler);
  // With few samples there is little to compare with.
  if (last - first < 5) error = std::max(error, std::abs(best - by(0)));
  if (last - first < 3) {
    error = std::max(error, (t[i + 1] - t[i]) * std::abs(y[last - 1] - y[first]));
  }
  return Integral{best, error, std::abs(best - by(0))};
}

}  // namespace cradle::conform
