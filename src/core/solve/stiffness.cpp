#include "core/solve/stiffness.hpp"

#include <algorithm>
#include <cmath>

#include "core/solve/sanity.hpp"

namespace cradle::solve {

namespace {

// The explicit method is stable up to 3.3 on the negative axis; its steps swing about that.
constexpr double stable = 2.5;
// What it resolves takes steps with h·|λ| of about the fifth root of the tolerance. What is this
// much faster than steps are has died away, if it dies away.
constexpr double resolved = 20;
constexpr double dying = 0.75;  // of all components
// Power iteration: so many to forget the beginning, and so many to see how fast it grows.
constexpr int warming = 12, measured = 8;

double largest(std::span<const double> v) {
  double out = 0;
  for (double value : v) out = std::max(out, std::abs(value));
  return out;
}

// w ← J v
void multiply(const Pattern& pattern, std::span<const double> entries, std::span<const double> v,
              std::span<double> w) {
  std::fill(w.begin(), w.end(), 0.0);
  for (std::size_t column = 0; column < v.size(); ++column) {
    const auto begin = static_cast<std::size_t>(pattern.begins[column]);
    const auto end = static_cast<std::size_t>(pattern.begins[column + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      w[static_cast<std::size_t>(pattern.rows[k])] += entries[k] * v[column];
    }
  }
}

}  // namespace

Spectrum spectrum_of(const Pattern& pattern, std::span<const double> entries,
                     std::vector<double>& v, std::vector<double>& w) {
  const auto n = static_cast<std::size_t>(pattern.columns());
  v.resize(n);
  w.resize(n);
  // A beginning that has a part of every direction, and is always the same.
  uint32_t random = 12345;
  for (double& value : v) {
    random = random * 1664525u + 1013904223u;
    value = (random >> 31 != 0 ? 1 : -1) * (1 + 1e-9 * (random >> 8));
  }
  double rate = 0;
  Spectrum out;
  for (int k = 0; k < warming + measured; ++k) {
    multiply(pattern, entries, v, w);
    const double size = largest(w);
    if (!(size > 0) || !std::isfinite(size)) return {size, 0};
    if (k >= warming) rate += std::log(size);
    if (k + 1 < warming + measured) {
      for (std::size_t i = 0; i < n; ++i) v[i] = w[i] / size;
    }
  }
  out.radius = std::exp(rate / measured);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(w[i] + out.radius * v[i]) <= 0.5 * out.radius * std::abs(v[i])) ++count;
  }
  out.dying = static_cast<double>(count) / static_cast<double>(n);
  return out;
}

Stiffness::Verdict Stiffness::judge(Rhs& rhs, double t, std::span<const double> x, double step,
                                    double tolerance) {
  const Pattern* pattern = rhs.jacobian_pattern();
  if (pattern == nullptr) return Verdict::Unknown;
  entries_.resize(pattern->rows.size());
  rhs.jacobian(t, x, entries_);
  if (!all_finite(entries_)) return Verdict::Unknown;
  const auto [radius, share] = spectrum_of(*pattern, entries_, v_, w_);
  if (!std::isfinite(radius)) return Verdict::Unknown;
  const double longest =
      share > dying ? std::min(stable, resolved * std::pow(tolerance, 0.2)) : stable;
  return step * radius > longest ? Verdict::Stiff : Verdict::Mild;
}

}  // namespace cradle::solve
