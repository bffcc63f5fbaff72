#include "core/linear/equilibrate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace cradle::linear {
namespace {

// Means travel from entry to entry; most matrices settle after a few.
constexpr int passes = 50;
// Exponents beyond this could push a scaled entry out of range.
constexpr int max_exponent = 500;

// Halves go away from zero.
int rounded_mean(int64_t sum, int count) {
  if (count == 0) return 0;
  return static_cast<int>((2 * sum + (sum < 0 ? -count : count)) / (2 * int64_t{count}));
}

struct Exponent {
  int row, column, value;
};

// The rows, or the columns, of one matrix.
struct Side {
  explicit Side(int size) : exponents(size), counts(size), sums(size) {}
  std::vector<int> exponents;  // of the scaling
  std::vector<int> counts;     // of entries
  std::vector<int64_t> sums;

  // Makes the exponents of each row have mean zero, where sums[i] is their sum without own scaling.
  bool balance() {
    bool changed = false;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      const int balanced =
          std::clamp(-rounded_mean(sums[i], counts[i]), -max_exponent, max_exponent);
      changed |= balanced != exponents[i];
      exponents[i] = balanced;
      sums[i] = 0;
    }
    return changed;
  }
};

std::vector<double> powers_of_two(const std::vector<int>& exponents) {
  std::vector<double> powers(exponents.size());
  std::transform(exponents.begin(), exponents.end(), powers.begin(),
                 [](int exponent) { return exponent == 0 ? 1.0 : std::ldexp(1.0, exponent); });
  return powers;
}

}  // namespace

Scaling equilibrate(int size, std::span<const Triplet> entries) {
  // Most matrices have nothing to be scaled.
  const auto is_near_one = [](const Triplet& entry) {
    const double magnitude = std::abs(entry.value);
    return magnitude == 0 || (magnitude >= 0.5 && magnitude < 4);
  };
  if (std::all_of(entries.begin(), entries.end(), is_near_one)) {
    return {std::vector<double>(size, 1.0), std::vector<double>(size, 1.0)};
  }
  std::vector<Exponent> exponents;
  exponents.reserve(entries.size());
  Side rows(size), columns(size);
  for (const Triplet& entry : entries) {
    if (entry.value == 0) continue;
    const int value = std::abs(entry.value) == 1 ? 0 : std::ilogb(entry.value);  // most are ±1
    exponents.push_back({entry.row, entry.column, value});
    ++rows.counts[entry.row];
    ++columns.counts[entry.column];
  }
  bool changed = true;
  for (int pass = 0; pass < passes && changed; ++pass) {
    for (const Exponent& e : exponents) rows.sums[e.row] += e.value + columns.exponents[e.column];
    changed = rows.balance();
    for (const Exponent& e : exponents) columns.sums[e.column] += e.value + rows.exponents[e.row];
    changed |= columns.balance();
  }
  return {powers_of_two(rows.exponents), powers_of_two(columns.exponents)};
}

}  // namespace cradle::linear
