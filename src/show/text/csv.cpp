#include "show/text/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>
#include <vector>

namespace cradle::text {
namespace {

struct Cell {
  std::size_t column;
  bool impulse;
};

// A column impulse(x) that the user selected himself equals the one that x brings along.
bool repeats_an_impulse(const Trajectory& trajectory, const std::string& name) {
  constexpr std::string_view kOpen = "impulse(";
  if (!name.starts_with(kOpen) || !name.ends_with(')')) return false;
  const auto inner =
      trajectory.find_column(name.substr(kOpen.size(), name.size() - kOpen.size() - 1));
  return inner && trajectory.carries_impulse(*inner);
}

std::vector<Cell> lay_out(const Trajectory& trajectory) {
  std::vector<Cell> cells;
  for (std::size_t c = 0; c < trajectory.columns().size(); ++c) {
    if (repeats_an_impulse(trajectory, trajectory.columns()[c])) continue;
    cells.push_back({c, false});
    if (trajectory.carries_impulse(c)) cells.push_back({c, true});
  }
  return cells;
}

void append_number(std::string& line, double value) {
  if (std::isnan(value)) {
    line += "nan";  // its sign says nothing
  } else {
    fmt::format_to(std::back_inserter(line), "{}", value == 0 ? 0.0 : value);
  }
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_csv(const Trajectory& trajectory, std::ostream& out) {
  const std::vector<Cell> cells = lay_out(trajectory);
  std::string line = "t,eps,step";
  for (const Cell& cell : cells) {
    const std::string& name = trajectory.columns()[cell.column];
    line += ',' + csv_field(cell.impulse ? "impulse(" + name + ")" : name);
  }
  for (const auto& name : trajectory.automata()) line += ',' + csv_field(name);
  out << line << '\n';

  for (std::size_t row = 0; row < trajectory.size(); ++row) {
    line.clear();
    const Instant instant = trajectory.instant(row);
    append_number(line, instant.t);
    fmt::format_to(std::back_inserter(line), ",{},{}", instant.eps, instant.step);
    for (const Cell& cell : cells) {
      line += ',';
      const auto value = trajectory.value(row, cell.column);
      if (value) append_number(line, cell.impulse ? value->impulse : value->finite);
      if (trajectory.is_unknown(row, cell.column)) line += "unknown";
    }
    for (std::size_t a = 0; a < trajectory.automata().size(); ++a) {
      line += ',' + csv_field(trajectory.mode(row, a));
    }
    out << line << '\n';
  }
}

}  // namespace cradle::text
