#include "show/text/csv.hpp"

#include <algorithm>

namespace cradle::text {
namespace {

// A column impulse(x) that the user selected himself equals the one that x brings along.
bool repeats_an_impulse(const RowLayout& layout, const std::string& name) {
  constexpr std::string_view kOpen = "impulse(";
  if (!name.starts_with(kOpen) || !name.ends_with(')')) return false;
  const std::string inner = name.substr(kOpen.size(), name.size() - kOpen.size() - 1);
  const auto found = std::find(layout.columns.begin(), layout.columns.end(), inner);
  return found != layout.columns.end() &&
         layout.can_carry_impulse(static_cast<std::size_t>(found - layout.columns.begin()));
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

void CsvWriter::begin(const RowLayout& layout) {
  text_ = "t,eps,step";
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const std::string& name = layout.columns[c];
    if (repeats_an_impulse(layout, name)) continue;
    cells_.push_back({c, false});
    text_ += ',' + csv_field(layout.title(c));
    if (!layout.can_carry_impulse(c)) continue;
    cells_.push_back({c, true});
    text_ += ',' + csv_field(layout.impulse_title(c));
  }
  for (std::size_t a = 0; a < layout.automata.size(); ++a) {
    text_ += ',' + csv_field(layout.automata[a]);
    std::vector<std::string>& states = states_.emplace_back();
    for (const std::string& state : layout.states[a]) states.push_back(csv_field(state));
  }
  text_ += '\n';
  if (!headed_) out_(text_);
}

void CsvWriter::take(std::span<const RowView> rows) {
  text_.clear();
  for (const RowView& row : rows) add(row);
  out_(text_);
}

void CsvWriter::add(const RowView& row) {
  append_number(text_, row.at.t);
  text_ += ',';
  append_integer(text_, row.at.eps);
  text_ += ',';
  append_integer(text_, row.at.step);
  for (const Cell& cell : cells_) {
    text_ += ',';
    const Presence presence = row.presence[cell.column];
    if (presence == Presence::Present) {
      append_number(text_, (cell.impulse ? row.impulses : row.finite)[cell.column]);
    } else if (presence == Presence::Unknown) {
      text_ += "unknown";
    }
  }
  for (std::size_t a = 0; a < states_.size(); ++a) {
    text_ += ',';
    text_ += states_[a][static_cast<std::size_t>(row.states[a])];
  }
  text_ += '\n';
}

}  // namespace cradle::text
