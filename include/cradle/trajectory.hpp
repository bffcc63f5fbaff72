#pragma once
// What happened: one row per recorded instant, in order. Rows at events are always there, with both
// limits; rows between events are the solver's own steps and, on request, a grid. Between rows
// there are curves, the dense output of the solver, so that the run can be read at any time.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cradle/rows.hpp"

namespace cradle {

// Kept by columns: each is one array.
class Trajectory : public RowSink {
 public:
  Trajectory() = default;
  explicit Trajectory(RowLayout layout);

  const RowLayout& layout() const { return layout_; }
  const std::vector<std::string>& columns() const { return layout_.columns; }
  const std::vector<std::string>& automata() const { return layout_.automata; }
  std::size_t size() const { return t_.size(); }

  Instant instant(std::size_t row) const { return {t_[row], eps_[row], step_[row]}; }
  RowKind kind(std::size_t row) const { return kinds_[row]; }
  // Of a mythical row: inference left the mode, so that nothing in it came true. In the others only
  // logic moved: events of that microstep have happened.
  bool is_tried(std::size_t row) const { return tried_[row] != 0; }
  // An ideal connection would have to carry something without limit: such a mode is only tried.
  bool is_strained(std::size_t row) const;
  // Only the parasitics of junctions decide this value: it is shared equally.
  bool is_shared(std::size_t row, std::size_t column) const;
  // nullopt: the signal is absent at that instant, or unknown (see Presence).
  std::optional<Number> value(std::size_t row, std::size_t column) const;
  bool is_unknown(std::size_t row, std::size_t column) const;
  const std::string& mode(std::size_t row, std::size_t automaton) const;
  const std::vector<std::string>& states(std::size_t automaton) const {
    return layout_.states[automaton];
  }
  int32_t state(std::size_t row, std::size_t automaton) const;  // an index into states()
  // Somewhere in this run, and not only that it could.
  bool carries_impulse(std::size_t column) const { return !columns_[column].weights.empty(); }

  std::optional<std::size_t> find_column(const std::string& name) const;
  std::optional<std::size_t> find_automaton(const std::string& name) const;
  // The last row at or before this instant.
  std::optional<std::size_t> find_row(const Instant& instant) const;

  // Whole columns, for whoever computes with them; valid until rows are added.
  std::span<const double> times() const { return t_; }
  std::span<const int32_t> eps() const { return eps_; }
  std::span<const int32_t> steps() const { return step_; }
  std::span<const RowKind> kinds() const { return kinds_; }
  std::span<const uint8_t> tried() const { return tried_; }
  std::span<const double> values(std::size_t column) const { return columns_[column].finite; }
  // By row; empty if the column is present in every row.
  std::span<const Presence> presence(std::size_t column) const { return columns_[column].presence; }
  struct Impulses {
    std::span<const uint32_t> rows;  // ascending: where there are any
    std::span<const double> weights;
  };
  Impulses impulses(std::size_t column) const {
    return {columns_[column].struck, columns_[column].weights};
  }
  std::span<const int32_t> modes(std::size_t automaton) const { return modes_[automaton]; }

  // What a column is worth at any time from the first row to the last: at a time that has rows the
  // value with which time goes on, between rows that of the curve, or on a straight line where none
  // is kept. nullopt: absent there, or not a time of this run.
  std::optional<double> value_at(double t, std::size_t column) const;
  // Rows at these times, in their order, with value_at of every column and the states of then; no
  // impulses. A time that is not in the run has no row.
  Trajectory sample(std::span<const double> times) const;

  // The curves themselves, in order of time.
  std::size_t stretches() const { return stretch_begin_.size(); }
  std::span<const double> stretch_begins() const { return stretch_begin_; }
  std::span<const double> stretch_ends() const { return stretch_end_; }
  // Empty: it has no curve there.
  std::span<const double> curve(std::size_t stretch, std::size_t column) const;
  // The one that holds t, if there is any.
  std::optional<std::size_t> find_stretch(double t) const;
  // A trajectory that shall not hold curves does not ask for them.
  void keep_curves(bool keep) { keeps_curves_ = keep; }

  void begin(const RowLayout& layout) override;
  void take(std::span<const RowView> rows) override;
  bool wants_curves() const override { return keeps_curves_; }
  void take(const StretchView& stretch) override;
  void clear();  // no rows; the layout stays
  // Hands all rows, and no curves, to someone else, one by one.
  void replay(RowSink& sink) const;

  // TrajectoryHash of all rows.
  uint64_t hash() const;

 private:
  struct Column {
    std::vector<double> finite;
    std::vector<Presence> presence;  // empty while all is present
    std::vector<uint32_t> struck;
    std::vector<double> weights;
    std::vector<uint32_t> shared;  // rows, ascending
    std::vector<int8_t> degrees;   // by stretch
    std::vector<uint64_t> first;   // by stretch: in coefficients
    std::vector<double> coefficients;
  };
  void add(const RowView& row);

  RowLayout layout_;
  std::vector<double> t_;
  std::vector<int32_t> eps_, step_;
  std::vector<RowKind> kinds_;
  std::vector<uint8_t> tried_;
  std::vector<uint32_t> strained_;  // rows, ascending
  std::vector<Column> columns_;
  std::vector<std::vector<int32_t>> modes_;  // by automaton
  std::vector<double> stretch_begin_, stretch_end_;
  bool keeps_curves_ = true;
};

}  // namespace cradle
