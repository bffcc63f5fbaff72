#include "show/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "base/basics/assert.hpp"
#include "base/diagnostics/utf8.hpp"
#include "show/text/nearest.hpp"

namespace cradle::text {
namespace {

struct Range {
  char32_t first, last;
};

// Combining marks, joiners and variation selectors take no room (Unicode general categories Mn,
// Cf).
constexpr std::array<Range, 6> kNoWidth = {{{0x0300, 0x036F},
                                            {0x1AB0, 0x1AFF},
                                            {0x200B, 0x200F},
                                            {0x20D0, 0x20FF},
                                            {0xFE00, 0xFE0F},
                                            {0xFE20, 0xFE2F}}};
// East Asian wide and full-width (Unicode Standard Annex 11), and pictographs.
constexpr std::array<Range, 10> kDoubleWidth = {{{0x1100, 0x115F},
                                                 {0x2E80, 0x303E},
                                                 {0x3041, 0xA4CF},
                                                 {0xAC00, 0xD7A3},
                                                 {0xF900, 0xFAFF},
                                                 {0xFE30, 0xFE6F},
                                                 {0xFF00, 0xFF60},
                                                 {0xFFE0, 0xFFE6},
                                                 {0x1F300, 0x1FAFF},
                                                 {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return r.first <= code && code <= r.last; });
}

double round_to_digits(double value, int digits) {
  if (!std::isfinite(value)) return value;
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

// Two times that differ must not look the same, so digits are added until they do not.
int digits_to_tell_apart(const Trajectory& trajectory, const std::vector<std::size_t>& rows) {
  std::set<double> times;
  for (std::size_t row : rows) times.insert(trajectory.instant(row).t);
  for (int digits = kTableDigits; digits < 17; ++digits) {
    std::set<double> seen;
    for (double t : times) seen.insert(round_to_digits(t, digits));
    if (seen.size() == times.size()) return digits;
  }
  return 17;
}

bool has_impulse(const Trajectory& trajectory, const std::vector<std::size_t>& rows,
                 std::size_t column) {
  if (!trajectory.carries_impulse(column)) return false;
  if (trajectory.find_column("impulse(" + trajectory.columns()[column] + ")")) return false;
  return std::any_of(rows.begin(), rows.end(), [&](std::size_t row) {
    const auto value = trajectory.value(row, column);
    return value && value->impulse != 0;
  });
}

// "d[3] on, d[4] off": the automata that have moved since the row above.
std::string describe_moves(const Trajectory& trajectory, std::size_t row,
                           std::optional<std::size_t> above) {
  constexpr std::size_t kMaxNamed = 6;
  std::vector<std::string> moves;
  std::size_t more = 0;
  for (std::size_t a = 0; above && a < trajectory.automata().size(); ++a) {
    if (trajectory.mode(row, a) == trajectory.mode(*above, a)) continue;
    if (moves.size() == kMaxNamed) {
      ++more;
    } else {
      moves.push_back(trajectory.automata()[a] + " " + trajectory.mode(row, a));
    }
  }
  std::string text = fmt::format("{}", fmt::join(moves, ", "));
  return more ? fmt::format("{}, … {} more", text, more) : text;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::CodePoint point = utf8::decode(text, at);
    at += static_cast<std::size_t>(point.length);
    if (contains(kNoWidth, point.value)) continue;
    width += contains(kDoubleWidth, point.value) ? 2 : 1;
  }
  return width;
}

std::string short_number(double value, int digits) {
  return format_number(round_to_digits(value, digits));
}

std::string short_instant(const Instant& instant, int digits) {
  return to_string(Instant{round_to_digits(instant.t, digits), instant.eps, instant.step});
}

void Table::add_column(std::string header, Align align) {
  CRADLE_ASSERT(rows_.empty(), "columns come before rows");
  headers_.push_back(std::move(header));
  aligns_.push_back(align);
}

void Table::add_row(std::vector<std::string> cells) {
  CRADLE_ASSERT(cells.size() == headers_.size(), "one cell per column");
  rows_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<int>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += " │ ";
    const std::string blanks(static_cast<std::size_t>(widths[i] - display_width(cells[i])), ' ');
    text += aligns_[i] == Align::Left ? cells[i] + blanks : blanks + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string Table::text() const {
  std::vector<int> widths;
  for (const auto& header : headers_) widths.push_back(display_width(header));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text = line(headers_, widths);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) text += "─┼─";
    for (int n = 0; n < widths[i]; ++n) text += "─";
  }
  text += "\n";
  for (const auto& row : rows_) text += line(row, widths);
  return text;
}

std::vector<std::size_t> select_instants(const Trajectory& trajectory, std::optional<double> at) {
  std::vector<std::size_t> rows;
  NearestInstant nearest(at);
  for (std::size_t row = 0; row < trajectory.size(); ++row) {
    if (trajectory.kind(row) == RowKind::Evolving) continue;
    const NearestInstant::Verdict verdict = nearest.meet(trajectory.instant(row).t);
    if (verdict == NearestInstant::Verdict::Nearer) rows.clear();
    if (verdict != NearestInstant::Verdict::Farther) rows.push_back(row);
  }
  if (!nearest.is_near()) rows.clear();
  return rows;
}

std::string instants_table(const Trajectory& trajectory, const std::vector<std::size_t>& rows) {
  const int digits = digits_to_tell_apart(trajectory, rows);
  const bool by_moves = trajectory.automata().size() > kMaxAutomatonColumns;
  std::vector<std::size_t> impulsive;
  Table table;
  table.add_column("time", Table::Align::Left);
  if (by_moves) table.add_column("moved", Table::Align::Left);
  for (const auto& name : trajectory.automata()) {
    if (!by_moves) table.add_column(name, Table::Align::Left);
  }
  for (std::size_t c = 0; c < trajectory.columns().size(); ++c) {
    table.add_column(trajectory.layout().title(c), Table::Align::Right);
    if (has_impulse(trajectory, rows, c)) impulsive.push_back(c);
  }
  for (std::size_t c : impulsive) {
    table.add_column(trajectory.layout().impulse_title(c), Table::Align::Right);
  }
  table.add_column("kind", Table::Align::Left);

  std::optional<std::size_t> above;
  for (std::size_t row : rows) {
    std::vector<std::string> cells = {short_instant(trajectory.instant(row), digits)};
    if (by_moves) cells.push_back(describe_moves(trajectory, row, above));
    for (std::size_t a = 0; !by_moves && a < trajectory.automata().size(); ++a) {
      cells.push_back(trajectory.mode(row, a));
    }
    for (std::size_t c = 0; c < trajectory.columns().size(); ++c) {
      const auto value = trajectory.value(row, c);
      const char* nothing = trajectory.is_unknown(row, c) ? "⊥" : "";
      const char* mark = value && trajectory.is_shared(row, c) ? " shared" : "";
      cells.push_back(value ? short_number(value->finite) + mark : nothing);
    }
    for (std::size_t c : impulsive) {
      const auto value = trajectory.value(row, c);
      cells.push_back(value && value->impulse != 0 ? short_number(value->impulse) : "");
    }
    cells.push_back(std::string(to_string(trajectory.kind(row))) +
                    (trajectory.is_strained(row) ? ", strained" : ""));
    table.add_row(std::move(cells));
    above = row;
  }
  return table.text();
}

std::string reduction_table(const std::vector<ReductionStep>& steps) {
  if (steps.empty()) return "nothing could be reduced\n";
  Table table;
  for (const char* header : {"rule", "what", "why"}) table.add_column(header, Table::Align::Left);
  for (const ReductionStep& step : steps) table.add_row({step.rule, step.what, step.why});
  return table.text();
}

std::string describe_missing_instant(const Trajectory& trajectory, double at) {
  NearestInstant nearest(at);
  for (std::size_t row : select_instants(trajectory, std::nullopt)) {
    nearest.meet(trajectory.instant(row).t);
  }
  return nearest.what_is_missing();
}

}  // namespace cradle::text
