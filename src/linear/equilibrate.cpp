#include "linear/equilibrate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cradle::linear {
namespace {

constexpr int passes = 8;  // the means settle to a few binary orders long before that
// Exponents beyond this could push a scaled entry out of range.
constexpr int max_exponent = 500;

int rounded_mean(long sum, int count) {
  return count == 0 ? 0 : static_cast<int>(std::lround(static_cast<double>(sum) / count));
}

// Sets `own` so that the exponents of each row (or column) have mean zero given `other`.
bool balance(std::span<const Triplet> entries, std::span<const int> exponents, bool by_row,
             const std::vector<int>& other, std::vector<int>& own) {
  std::vector<long> sums(own.size());
  std::vector<int> counts(own.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].value == 0) continue;
    const int mine = by_row ? entries[k].row : entries[k].column;
    const int theirs = by_row ? entries[k].column : entries[k].row;
    sums[mine] += exponents[k] + other[theirs];
    ++counts[mine];
  }
  bool changed = false;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const int balanced = std::clamp(-rounded_mean(sums[i], counts[i]), -max_exponent, max_exponent);
    changed |= balanced != own[i];
    own[i] = balanced;
  }
  return changed;
}

std::vector<double> powers_of_two(const std::vector<int>& exponents) {
  std::vector<double> powers(exponents.size());
  std::transform(exponents.begin(), exponents.end(), powers.begin(),
                 [](int exponent) { return std::ldexp(1.0, exponent); });
  return powers;
}

}  // namespace

Scaling equilibrate(int size, std::span<const Triplet> entries) {
  std::vector<int> exponents(entries.size());
  bool all_near_one = true;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].value == 0) continue;
    exponents[k] = std::ilogb(entries[k].value);
    all_near_one &= std::abs(exponents[k]) <= 1;
  }
  std::vector<int> rows(size), columns(size);
  bool changed = !all_near_one;
  for (int pass = 0; pass < passes && changed; ++pass) {
    changed = balance(entries, exponents, true, columns, rows);
    changed |= balance(entries, exponents, false, rows, columns);
  }
  return {powers_of_two(rows), powers_of_two(columns)};
}

}  // namespace cradle::linear
