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
    for (const std::string& state : layout.states[a]) states.push_back(',' + csv_field(state));
  }
  blocks_.resize((states_.size() + kBlock - 1) / kBlock);
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
  add_states(row.states);
  text_ += '\n';
}

void CsvWriter::add_states(std::span<const int32_t> states) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const auto now = states.subspan(b * kBlock, std::min(kBlock, states.size() - b * kBlock));
    if (!std::ranges::equal(block.states, now)) {
      block.states.assign(now.begin(), now.end());
      block.text.clear();
      for (std::size_t i = 0; i < now.size(); ++i) {
        block.text += states_[b * kBlock + i][static_cast<std::size_t>(now[i])];
      }
    }
    text_ += block.text;
  }
}

}  // namespace cradle::text
