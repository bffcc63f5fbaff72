#include "core/engine/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/basics/assert.hpp"

namespace cradle::engine {
namespace {

bool is_truth(const Plan& plan, ExprId value) {
  return value.valid() && plan.model().pool[value].type == expr::Type::Boolean;
}

RowLayout layout_of(const Plan& plan, const std::vector<RecordedColumn>& columns,
                    const Sketch* sketch) {
  RowLayout layout;
  for (const RecordedColumn& column : columns) {
    layout.columns.push_back(column.name);
    layout.units.push_back(plan.model().unit_of(column.name));
    layout.impulsive.push_back(column.impulsive ? 1 : 0);
    layout.truths.push_back(is_truth(plan, column.value) ? 1 : 0);
  }
  for (std::size_t i = 0; sketch != nullptr && i < sketch->columns().size(); ++i) {
    layout.columns.push_back(sketch->columns()[i].name);
    layout.impulsive.push_back(0);
    layout.units.emplace_back();
    layout.truths.push_back(0);
  }
  for (const model::Automaton& automaton : plan.model().automata) {
    layout.automata.push_back(automaton.name);
    layout.states.push_back(automaton.states);
  }
  return layout;
}

int64_t room_for_curves(const Options& options) {
  return options.room_for_steps > 0 ? options.room_for_steps : std::numeric_limits<int64_t>::max();
}

// 0: no bound.
int64_t rows_for_steps(const Options& options, std::size_t columns) {
  const int64_t rows = options.room_for_steps / static_cast<int64_t>(columns + 1);
  if (options.max_rows <= 0 || rows <= 0) return std::max(options.max_rows, rows);
  return std::min(options.max_rows, rows);
}

}  // namespace

Recorder::Recorder(const Plan& plan, const Options& options, std::vector<RecordedColumn> columns,
                   std::unique_ptr<Sketch> sketch)
    : model_(plan.model()),
      columns_(std::move(columns)),
      sketch_(std::move(sketch)),
      on_(options.record),
      buffer_(layout_of(plan, columns_, sketch_.get())),
      budget_(rows_for_steps(options, buffer_.layout().columns.size())),
      records_bonds_(options.record_bonds > 0),
      bonds_(plan.model(), static_cast<std::size_t>(std::max<int64_t>(options.record_bonds, 0))),
      undefined_(columns_.size(), 0),
      room_for_curves_(room_for_curves(options)) {}

void Recorder::begin() {
  if (std::exchange(begun_, true)) return;
  for (RowSink* sink : sinks_) {
    sink->begin(buffer_.layout());
    curves_are_wanted_ = curves_are_wanted_ || sink->wants_curves();
  }
}

void Recorder::finish() {
  if (finished_) return;
  end_instant();
  finished_ = true;
  for (RowSink* sink : sinks_) sink->finish();
}

void Recorder::hand_over() {
  CRADLE_ASSERT(begun_ && !finished_, "rows are handed over while the run goes on");
  const std::span<const RowView> rows = buffer_.rows();
  // Counted first: a sink that throws has been given them.
  handed_over_ += rows.size();
  buffer_.clear();
  for (RowSink* sink : sinks_) sink->take(rows);
}

void Recorder::end_instant() {
  if (buffer_.size() == 0) return;
  counts_.events += static_cast<int64_t>(buffer_.size());
  hand_over();
}

void Recorder::take(const StretchView& stretch) {
  CRADLE_ASSERT(stretch.degrees.size() == columns_.size(), "what is drawn has no curves");
  room_for_curves_ -= static_cast<int64_t>(stretch.coefficients.size());
  degrees_.assign(buffer_.layout().columns.size(), StretchView::kNoCurve);
  std::copy(stretch.degrees.begin(), stretch.degrees.end(), degrees_.begin());
  for (RowSink* sink : sinks_) {
    if (sink->wants_curves()) {
      sink->take(StretchView{stretch.begin, stretch.end, degrees_, stretch.coefficients});
    }
  }
}

void Recorder::set(std::size_t row, std::size_t column, const plan::Value& value) {
  if (value.is_unknown()) return buffer_.set_unknown(row, column);
  buffer_.set_value(row, column, value.is_present() ? std::optional<Number>(value) : std::nullopt);
}

// Where it breaks off, what is left has no value.
void Recorder::fill(std::size_t row, Reading& reading) {
  std::size_t c = 0;
  try {
    for (; c < columns_.size(); ++c) set(row, c, reading.value(columns_[c]));
  } catch (...) {
    for (; c < buffer_.layout().columns.size(); ++c) buffer_.set_unknown(row, c);
    throw;
  }
  if (!sketch_) return;
  for (const std::optional<double>& drawn : reading.draw(*sketch_)) {
    buffer_.set_value(row, c++, drawn ? std::optional<Number>(*drawn) : std::nullopt);
  }
}

std::size_t Recorder::add_row(const Instant& at, RowKind kind, Reading& reading) {
  const std::size_t row = buffer_.add_row(at, kind, reading.modes());
  last_ = at.t;
  newly_undefined_.clear();
  if (!shared_.empty()) buffer_.set_shared(row, shared_);
  fill(row, reading);
  return row;
}

// Modes that are only tried may well have no value; rows of time that has flown should.
void Recorder::look_for_undefined(std::size_t row) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::optional<Number> value = buffer_.value(row, c);
    if (!value || !std::isnan(value->finite)) continue;
    if (say_once(c, NotANumber)) newly_undefined_.push_back(c);
  }
}

bool Recorder::say_once(std::size_t column, Said what) {
  const char before = undefined_[column];
  undefined_[column] = static_cast<char>(before | what);
  return (before & what) == 0;
}

bool Recorder::is_first_without_value(const RecordedColumn& column) {
  return say_once(static_cast<std::size_t>(&column - columns_.data()), NoValue);
}

void Recorder::add_bonds(std::size_t row, Reading& reading, bool event, uint64_t number) {
  if (!records_bonds_ || !bonds_.wants(event, number)) return;
  powers_.assign(2 * model_.bonds.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < model_.bonds.size(); ++i) {
    const auto effort = reading.power(expr::Op::Effort, BondId(i));
    if (!effort) continue;
    powers_[2 * i] = *effort;
    if (const auto flow = reading.power(expr::Op::Flow, BondId(i))) powers_[2 * i + 1] = *flow;
  }
  bonds_.add(handed_over_ + row, powers_);
}

void Recorder::add_before(double t, Reading& reading, uint64_t number) {
  const std::size_t row = add_row({t, -1, 0}, RowKind::Before, reading);
  look_for_undefined(row);
  add_bonds(row, reading, true, number);
}

void Recorder::add_tick(const Instant& at, Reading& reading, uint64_t number) {
  add_bonds(add_row(at, RowKind::Real, reading), reading, true, number);
}

void Recorder::add_unfinished(const Instant& at, RowKind kind, Reading& reading, uint64_t number) {
  const std::size_t size = buffer_.size();
  if (size > 0 && buffer_.instant(size - 1) == at) {
    buffer_.set_states(size - 1, reading.modes());
    fill(size - 1, reading);
  } else {
    add_row(at, kind, reading);
  }
  leave_as(kind);
  add_bonds(buffer_.size() - 1, reading, true, number);
}

void Recorder::leave_as(RowKind kind) {
  if (!on_) return;
  CRADLE_ASSERT(buffer_.size() > 0, "a row of the present instant");
  buffer_.set_kind(buffer_.size() - 1, kind);
}

void Recorder::leave_by_inference() {
  if (!on_) return;
  CRADLE_ASSERT(buffer_.size() > 0, "a row of the present instant");
  buffer_.set_tried(buffer_.size() - 1);
}

void Recorder::mark_strained() {
  CRADLE_ASSERT(buffer_.size() > 0, "a row of the present instant");
  buffer_.set_strained(buffer_.size() - 1);
}

void Recorder::set_shared(std::span<const uint32_t> columns) {
  shared_.assign(columns.begin(), columns.end());
}

std::vector<std::optional<Number>> Recorder::last_values(std::size_t column,
                                                         std::size_t count) const {
  std::vector<std::optional<Number>> out;
  const std::size_t size = buffer_.size();
  for (std::size_t row = size - std::min(size, count); row < size; ++row) {
    out.push_back(buffer_.value(row, column));
  }
  return out;
}

void Recorder::remember(const Memory& memory) {
  CRADLE_ASSERT(memory.undefined.size() == columns_.size(), "the memory of the same columns");
  buffer_.clear();
  last_ = memory.last;
  handed_over_ = memory.handed_over;
  undefined_ = memory.undefined;
  counts_ = memory.counts;
}

bool Recorder::has_room(double t) { return !last_ || budget_.has_room(t, rows(), *last_); }

void Recorder::add_evolving(double t, Reading& reading, Cause cause) {
  CRADLE_ASSERT(buffer_.size() == 0, "time flows between instants");
  const std::size_t row = add_row({t, 0, 0}, RowKind::Evolving, reading);
  look_for_undefined(row);
  add_bonds(row, reading, false, 0);
  ++(cause == Cause::Step ? counts_.steps : cause == Cause::Grid ? counts_.grid : counts_.turns);
  hand_over();
}

}  // namespace cradle::engine
