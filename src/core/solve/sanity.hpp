#pragma once
// What both solvers ask of numbers that come from outside.

#include <algorithm>
#include <cmath>
#include <span>

#include "core/solve/solver.hpp"

namespace cradle::solve {

// Without a branch per value: 0 times anything finite is 0, times anything else NaN.
inline bool all_finite(std::span<const double> values) {
  double probe = 0;
  for (const double value : values) probe += value * 0;
  return probe == 0;
}

// Tolerances that a solver can work with, whatever was asked for.
inline Settings sane(const Settings& asked) {
  const auto within = [](double value, double low, double high) {
    return value >= low ? std::min(value, high) : low;  // NaN gives low
  };
  return {within(asked.relative_tolerance, 1e-15, 1e6),
          within(asked.absolute_tolerance, 1e-60, 1e60), within(asked.max_step, 0, 1e300),
          asked.scales};
}

}  // namespace cradle::solve
