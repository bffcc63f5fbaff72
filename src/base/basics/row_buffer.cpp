#include "base/basics/row_buffer.hpp"

#include <algorithm>

#include "base/basics/assert.hpp"

namespace cradle {

RowBuffer::RowBuffer(RowLayout layout) : layout_(std::move(layout)) {
  CRADLE_ASSERT(layout_.automata.size() == layout_.states.size(), "every automaton has states");
}

// All columns absent, and the states as they were left there.
std::size_t RowBuffer::begin_row(const Instant& at, RowKind kind) {
  const std::size_t row = size_++;
  if (heads_.size() < size_) {
    heads_.resize(size_);
    finite_.resize(size_ * layout_.columns.size());
    impulses_.resize(finite_.size());
    presence_.resize(finite_.size());
    states_.resize(size_ * layout_.automata.size());
  }
  heads_[row] = {at, kind, false, false, 0, 0};
  const auto reset = [row](auto& list, std::size_t width, auto value) {
    std::fill_n(list.begin() + static_cast<std::ptrdiff_t>(row * width), width, value);
  };
  reset(finite_, layout_.columns.size(), 0.0);
  reset(impulses_, layout_.columns.size(), 0.0);
  reset(presence_, layout_.columns.size(), Presence::Absent);
  return row;
}

std::size_t RowBuffer::add_row(const Instant& at, RowKind kind) {
  const std::size_t row = begin_row(at, kind), width = layout_.automata.size();
  std::fill_n(states_.begin() + static_cast<std::ptrdiff_t>(row * width), width, 0);
  return row;
}

std::size_t RowBuffer::add_row(const Instant& at, RowKind kind, std::span<const int32_t> states) {
  const std::size_t row = begin_row(at, kind);
  set_states(row, states);
  return row;
}

std::size_t RowBuffer::index(std::size_t row, std::size_t column) const {
  CRADLE_ASSERT(row < size_ && column < layout_.columns.size(), "inside the rows");
  return row * layout_.columns.size() + column;
}

void RowBuffer::set_value(std::size_t row, std::size_t column, const std::optional<Number>& value) {
  const std::size_t at = index(row, column);
  presence_[at] = value ? Presence::Present : Presence::Absent;
  finite_[at] = value ? value->finite : 0.0;
  impulses_[at] = value ? value->impulse : 0.0;
}

void RowBuffer::set_unknown(std::size_t row, std::size_t column) {
  set_value(row, column, std::nullopt);
  presence_[index(row, column)] = Presence::Unknown;
}

void RowBuffer::set_state(std::size_t row, std::size_t automaton, int32_t state) {
  CRADLE_ASSERT(row < size_ && automaton < layout_.automata.size(), "inside the rows");
  CRADLE_ASSERT(state >= 0 && static_cast<std::size_t>(state) < layout_.states[automaton].size(),
                "a state of this automaton");
  states_[row * layout_.automata.size() + automaton] = state;
}

// At once: a model may have thousands, of which an event moves one.
void RowBuffer::set_states(std::size_t row, std::span<const int32_t> states) {
  CRADLE_ASSERT(row < size_ && states.size() == layout_.automata.size(), "one for each automaton");
  const auto first = static_cast<std::ptrdiff_t>(row * states.size());
  std::copy(states.begin(), states.end(), states_.begin() + first);
}

void RowBuffer::set_tried(std::size_t row) {
  heads_[row].kind = RowKind::Mythical;
  heads_[row].tried = true;
}

void RowBuffer::set_shared(std::size_t row, std::span<const uint32_t> columns) {
  heads_[row].shared_from = shared_.size();
  heads_[row].shared_count = columns.size();
  shared_.insert(shared_.end(), columns.begin(), columns.end());
}

std::optional<Number> RowBuffer::value(std::size_t row, std::size_t column) const {
  const std::size_t at = index(row, column);
  if (presence_[at] != Presence::Present) return std::nullopt;
  return Number(finite_[at], impulses_[at]);
}

std::span<const RowView> RowBuffer::rows() {
  const std::size_t columns = layout_.columns.size(), automata = layout_.automata.size();
  views_.clear();
  for (std::size_t row = 0; row < size_; ++row) {
    views_.push_back(
        {heads_[row].at, heads_[row].kind, heads_[row].tried,
         std::span(finite_).subspan(row * columns, columns),
         std::span(impulses_).subspan(row * columns, columns),
         std::span(presence_).subspan(row * columns, columns),
         std::span(states_).subspan(row * automata, automata), heads_[row].strained,
         std::span(shared_).subspan(heads_[row].shared_from, heads_[row].shared_count)});
  }
  return views_;
}

Trajectory to_trajectory(RowBuffer& rows) {
  Trajectory out(rows.layout());
  out.take(rows.rows());
  return out;
}

}  // namespace cradle
