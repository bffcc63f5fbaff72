#include "cradle/rows.hpp"

#include <algorithm>
#include <bit>

#include "base/basics/assert.hpp"

namespace cradle {

const char* to_string(RowKind kind) {
  switch (kind) {
    case RowKind::Start:
      return "start";
    case RowKind::Evolving:
      return "evolving";
    case RowKind::Before:
      return "before";
    case RowKind::Mythical:
      return "mythical";
    case RowKind::Pinnacle:
      return "pinnacle";
    case RowKind::Real:
      return "real";
    case RowKind::Undecided:
      return "undecided";
    case RowKind::Nonconstructive:
      return "nonconstructive";
  }
  CRADLE_ASSERT(false, "a row kind without a name");
  return "";
}

std::pair<std::string, std::string> name_and_unit(const std::string& title) {
  const std::size_t open = title.rfind(" [");
  if (open == std::string::npos || !title.ends_with(']')) return {title, ""};
  return {title.substr(0, open), title.substr(open + 2, title.size() - open - 3)};
}

std::string RowLayout::time_unit() const {
  const bool any = std::any_of(units.begin(), units.end(),
                               [](const std::string& unit) { return !unit.empty(); });
  return any ? "s" : "";
}

std::vector<std::string> RowLayout::state_names() const {
  std::vector<std::string> out;
  for (const std::vector<std::string>& names : states) {
    for (const std::string& name : names) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

std::string RowLayout::title(std::size_t column) const {
  const bool told = column < units.size() && !units[column].empty();
  return told ? columns[column] + " [" + units[column] + "]" : columns[column];
}

std::string RowLayout::impulse_title(std::size_t column) const {
  const auto [name, unit] = name_and_unit(title(column));
  return "impulse(" + name + ")" + (unit.empty() ? "" : " [" + unit + "*s]");
}

// Clenshaw's recurrence.
double curve_at(std::span<const double> coefficients, double begin, double end, double t) {
  const double x = end > begin ? 2 * ((t - begin) / (end - begin)) - 1 : 0;
  double ahead = 0, now = 0;
  for (std::size_t k = coefficients.size(); k-- > 1;) {
    const double next = 2 * x * now - ahead + coefficients[k];
    ahead = now;
    now = next;
  }
  return x * now - ahead + coefficients[0];
}

// FNV-1a, 64 bits (Fowler, Noll, Vo), over whole words: fast enough to hash every recorded bit.
void TrajectoryHash::add(uint64_t word) {
  hash_ ^= word;
  hash_ *= 0x100000001b3ULL;
  hash_ ^= hash_ >> 29;
}

void TrajectoryHash::add(double value) { add(std::bit_cast<uint64_t>(value)); }

void TrajectoryHash::add(const std::vector<std::string>& names) {
  add(static_cast<uint64_t>(names.size()));
  for (const std::string& name : names) {
    add(static_cast<uint64_t>(name.size()));
    for (char c : name) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
}

void TrajectoryHash::begin(const RowLayout& layout) {
  add(layout.columns);
  add(layout.automata);
}

// Row by row, and not by how rows are handed over together.
void TrajectoryHash::take(std::span<const RowView> rows) {
  for (const RowView& row : rows) {
    add(row.at.t);
    add(static_cast<uint64_t>(static_cast<uint32_t>(row.at.eps)) << 32 |
        static_cast<uint32_t>(row.at.step));
    add(static_cast<uint64_t>(row.kind) << 1 | (row.tried ? 1 : 0) |
        static_cast<uint64_t>(row.strained ? 1 : 0) << 32);
    for (uint32_t column : row.shared) add(static_cast<uint64_t>(column));
    for (double value : row.finite) add(value);
    for (double value : row.impulses) add(value);
    for (Presence presence : row.presence) add(static_cast<uint64_t>(presence));
    for (int32_t state : row.states) add(static_cast<uint64_t>(static_cast<uint32_t>(state)));
  }
}

}  // namespace cradle
