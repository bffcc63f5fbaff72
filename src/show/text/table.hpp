#pragma once
// Tables for people: columns aligned by what a terminal shows, not by bytes.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle::text {

// How many columns of a terminal the text takes. Bytes that are not UTF-8 count as one each.
int display_width(std::string_view text);

// At most this many significant digits, for reading; files get every digit.
inline constexpr int kTableDigits = 10;
std::string short_number(double value, int digits = kTableDigits);
std::string short_instant(const Instant& instant, int digits = kTableDigits);

class Table {
 public:
  enum class Align { Left, Right };
  void add_column(std::string header, Align align);
  // One cell per column.
  void add_row(std::vector<std::string> cells);
  // Header, rule, rows; lines end without trailing blanks.
  std::string text() const;

 private:
  std::string line(const std::vector<std::string>& cells, const std::vector<int>& widths) const;
  std::vector<std::string> headers_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

// The rows at which something happened (all but those in mid-evolution); with `at`, those at the
// recorded real time nearest to it, if that is within 1e-9 of it.
std::vector<std::size_t> select_instants(const Trajectory& trajectory, std::optional<double> at);

// The layout of Tables 1 and 2 in Mosterman, Simko, Zander 2013: time ⟨t + kε, n⟩, automata,
// values, impulses; and what the mode was. With more than kMaxAutomatonColumns automata the table
// names those that have moved since the row above instead.
inline constexpr std::size_t kMaxAutomatonColumns = 12;
std::string instants_table(const Trajectory& trajectory, const std::vector<std::size_t>& rows);

// "nothing happened at 3; the nearest instants are at 2.5 and 4"
std::string describe_missing_instant(const Trajectory& trajectory, double at);

// Rule, what was done by it and why, in order; or that there is nothing.
std::string reduction_table(const std::vector<ReductionStep>& steps);

}  // namespace cradle::text
