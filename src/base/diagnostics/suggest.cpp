#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "cradle/diagnostic.hpp"

namespace cradle {
namespace {

constexpr std::size_t kMaxLength = 64;  // longer names are not compared

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment distance (Damerau–Levenshtein without repeated edits), ignoring case:
// insertions, deletions, substitutions and swaps of neighbours cost one each.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, kMaxLength + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::size_t common_beginning(std::string_view a, std::string_view b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && lower(a[n]) == lower(b[n])) ++n;
  return n;
}

}  // namespace

std::string suggest(const std::string& wrong, const std::vector<std::string>& candidates) {
  if (wrong.empty() || wrong.size() > kMaxLength) return {};
  const std::size_t near_enough = std::max<std::size_t>(1, wrong.size() / 3);
  std::size_t best = near_enough + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(wrong.size(), candidate.size());
    const std::size_t shorter = std::min(wrong.size(), candidate.size());
    if (candidate == wrong || longer > kMaxLength || longer - shorter > best) continue;
    const std::size_t d = distance(wrong, candidate);
    // A distance as great as the whole word would suggest y for x.
    if (d > best || d > near_enough || d >= longer) continue;
    // Of two that are as near, the one that begins like the word: of is off rather than on.
    if (d == best && common_beginning(wrong, candidate) <= common_beginning(wrong, found)) continue;
    best = d;
    found = candidate;
  }
  return found;
}

}  // namespace cradle
