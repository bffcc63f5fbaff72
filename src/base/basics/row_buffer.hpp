#pragma once
// Rows in the making: those of the present instant, which may still change. Kept and used again, so
// that a run that goes on allocates nothing.

#include <optional>
#include <span>
#include <vector>

#include "cradle/rows.hpp"
#include "cradle/trajectory.hpp"

namespace cradle {

class RowBuffer {
 public:
  explicit RowBuffer(RowLayout layout);

  const RowLayout& layout() const { return layout_; }
  std::size_t size() const { return size_; }
  // All columns absent, all automata in their first state.
  std::size_t add_row(const Instant& at, RowKind kind);
  // The same with the automata in these states.
  std::size_t add_row(const Instant& at, RowKind kind, std::span<const int32_t> states);
  void set_value(std::size_t row, std::size_t column, const std::optional<Number>& value);
  void set_unknown(std::size_t row, std::size_t column);
  void set_state(std::size_t row, std::size_t automaton, int32_t state);
  void set_states(std::size_t row, std::span<const int32_t> states);
  void set_kind(std::size_t row, RowKind kind) { heads_[row].kind = kind; }
  void set_tried(std::size_t row);
  void set_strained(std::size_t row) { heads_[row].strained = true; }
  void set_shared(std::size_t row, std::span<const uint32_t> columns);  // ascending

  Instant instant(std::size_t row) const { return heads_[row].at; }
  RowKind kind(std::size_t row) const { return heads_[row].kind; }
  std::optional<Number> value(std::size_t row, std::size_t column) const;

  // Until a row is added or changed.
  std::span<const RowView> rows();
  void clear() {
    size_ = 0;
    shared_.clear();
  }

 private:
  struct Head {
    Instant at;
    RowKind kind;
    bool tried, strained;
    std::size_t shared_from, shared_count;  // in shared_
  };
  std::size_t index(std::size_t row, std::size_t column) const;
  std::size_t begin_row(const Instant& at, RowKind kind);

  RowLayout layout_;
  std::size_t size_ = 0;
  std::vector<Head> heads_;
  std::vector<double> finite_, impulses_;  // row by row
  std::vector<Presence> presence_;
  std::vector<int32_t> states_;
  std::vector<uint32_t> shared_;  // columns, row by row
  std::vector<RowView> views_;
};

// What was made by hand, as a trajectory.
Trajectory to_trajectory(RowBuffer& rows);

}  // namespace cradle
