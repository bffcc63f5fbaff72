#pragma once
// The rows of a run, from its instants to those who take them (RowSink).
//
//   while time flows     each row is handed over at once
//   inside an instant    its rows are kept, since what a row was (mythical, a pinnacle) is known
//                        only when it is left; they are handed over together when the instant ends,
//                        or when the run breaks off inside it
//
// What was handed over never changes. The recorder looks on: it asks for values through a Reading
// and decides nothing for the run.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/basics/row_buffer.hpp"
#include "core/engine/bond_recorder.hpp"
#include "core/engine/row_budget.hpp"
#include "core/engine/sketch.hpp"
#include "cradle/cradle.hpp"

namespace cradle::engine {

// What one row is read from: an evaluator that stands at the row's instant.
class Reading {
 public:
  virtual ~Reading() = default;
  // Unknown: it has no value, and that is what the row says.
  virtual plan::Value value(const RecordedColumn& column) = 0;
  virtual const Sketch::Values& draw(Sketch& sketch) = 0;
  // Effort or flow of a bond, or nothing where it has none.
  virtual std::optional<Number> power(expr::Op op, BondId bond) = 0;
  virtual std::span<const int> modes() const = 0;  // by automaton
};

class Recorder {
 public:
  // `sketch`: what is drawn, in columns behind the others; null: nothing.
  Recorder(const Plan& plan, const Options& options, std::vector<RecordedColumn> columns,
           std::unique_ptr<Sketch> sketch = nullptr);

  // Before the first row. It must outlive the run.
  void hand_to(RowSink& sink) { sinks_.push_back(&sink); }
  void begin();
  void finish();  // once, after the last row

  bool is_on() const { return on_; }
  // Does anyone take curves, and is there still room for them? Known from begin() on.
  bool wants_curves() const { return curves_are_wanted_ && room_for_curves_ > 0; }
  void take(const StretchView& stretch);
  const RowLayout& layout() const { return buffer_.layout(); }
  const std::vector<RecordedColumn>& columns() const { return columns_; }
  // All rows, those of the present instant included.
  std::size_t rows() const { return handed_over_ + buffer_.size(); }
  std::size_t last_row() const { return rows() == 0 ? 0 : rows() - 1; }
  std::size_t handed_over() const { return handed_over_; }
  Sketch* sketch() { return sketch_.get(); }
  const BondRecord& bonds() const { return bonds_.record(); }

  // Inside an instant. `number`: rows of one instant have the same.
  void add_before(double t, Reading& reading, uint64_t number);
  void add_tick(const Instant& at, Reading& reading, uint64_t number);
  // A microstep that has no fixed point, or leaves open what happens: what is known of it. It
  // stands for the row of that microstep if there is one.
  void add_unfinished(const Instant& at, RowKind kind, Reading& reading, uint64_t number);
  // What the last microstep turned out to be.
  void leave_as(RowKind kind);
  void leave_by_inference();
  void mark_strained();  // the last microstep
  // Columns, ascending, that only parasitics decide, in this row and all that follow, until others
  // are named.
  void set_shared(std::span<const uint32_t> columns);
  void end_instant();
  // The last `count` values of a column inside the present instant, or fewer.
  std::vector<std::optional<Number>> last_values(std::size_t column, std::size_t count) const;

  // While time flows. Is there a row to be added at t, and is there room for it? Asked before it is
  // evaluated.
  std::optional<double> last_time() const { return last_; }
  bool has_row_at(double t) const { return last_ && *last_ >= t; }
  bool has_room(double t);
  // Why time that flows has a row: a solver has made a step, the grid, a curve that turns or bends.
  enum class Cause { Step, Grid, Turn };
  void add_evolving(double t, Reading& reading, Cause cause = Cause::Step);
  const RowCounts& counts() const { return counts_; }

  // What it has to know to go on elsewhere.
  struct Memory {
    std::optional<double> last;   // time of the last row
    std::size_t handed_over = 0;  // rows
    std::vector<char> undefined;  // by column: what has been said of it (Said)
    RowCounts counts;
    bool operator==(const Memory&) const = default;
  };
  Memory memory() const { return {last_, handed_over_, undefined_, counts_}; }
  void remember(const Memory& memory);

  // The columns of the last row that is not a number, where they had been until then.
  std::span<const std::size_t> newly_undefined() const { return newly_undefined_; }
  // A column has no value in a row of an instant. True: it is the first time.
  bool is_first_without_value(const RecordedColumn& column);

 private:
  enum Said : char { NotANumber = 1, NoValue = 2 };
  bool say_once(std::size_t column, Said what);
  std::size_t add_row(const Instant& at, RowKind kind, Reading& reading);
  void fill(std::size_t row, Reading& reading);
  void set(std::size_t row, std::size_t column, const plan::Value& value);
  void look_for_undefined(std::size_t row);
  void add_bonds(std::size_t row, Reading& reading, bool event, uint64_t number);
  void hand_over();

  const model::Model& model_;
  std::vector<RecordedColumn> columns_;
  std::unique_ptr<Sketch> sketch_;
  bool on_;
  RowBuffer buffer_;  // of the present instant
  std::vector<RowSink*> sinks_;
  std::size_t handed_over_ = 0;
  std::optional<double> last_;  // time of the last row
  RowBudget budget_;
  bool records_bonds_;
  BondRecorder bonds_;
  std::vector<Number> powers_;
  std::vector<char> undefined_;  // by column: what has been said of it (Said)
  std::vector<std::size_t> newly_undefined_;
  std::vector<uint32_t> shared_;  // columns
  RowCounts counts_;
  bool curves_are_wanted_ = false;
  int64_t room_for_curves_;  // numbers
  std::vector<int8_t> degrees_;
  bool begun_ = false, finished_ = false;
};

}  // namespace cradle::engine
