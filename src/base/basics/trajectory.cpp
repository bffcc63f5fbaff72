#include "cradle/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/assert.hpp"

namespace cradle {
namespace {

std::optional<std::size_t> index_of(const std::vector<std::string>& names,
                                    const std::string& name) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

Trajectory::Trajectory(RowLayout layout)
    : layout_(std::move(layout)),
      columns_(layout_.columns.size()),
      modes_(layout_.automata.size()) {
  CRADLE_ASSERT(layout_.automata.size() == layout_.states.size(), "every automaton has states");
}

void Trajectory::begin(const RowLayout& layout) {
  const bool keeps_curves = keeps_curves_;
  *this = Trajectory(layout);
  keeps_curves_ = keeps_curves;
}

void Trajectory::clear() {
  t_.clear();
  eps_.clear();
  step_.clear();
  kinds_.clear();
  tried_.clear();
  strained_.clear();
  for (Column& column : columns_) {
    column.finite.clear();
    column.presence.clear();
    column.struck.clear();
    column.weights.clear();
    column.shared.clear();
    column.degrees.clear();
    column.first.clear();
    column.coefficients.clear();
  }
  stretch_begin_.clear();
  stretch_end_.clear();
  for (std::vector<int32_t>& modes : modes_) modes.clear();
}

std::optional<Number> Trajectory::value(std::size_t row, std::size_t column) const {
  CRADLE_ASSERT(row < size() && column < columns_.size(), "inside the trajectory");
  const Column& kept = columns_[column];
  if (!kept.presence.empty() && kept.presence[row] != Presence::Present) return std::nullopt;
  Number number(kept.finite[row]);
  if (!kept.struck.empty()) {
    const auto found = std::lower_bound(kept.struck.begin(), kept.struck.end(), row);
    if (found != kept.struck.end() && *found == row) {
      number.impulse = kept.weights[static_cast<std::size_t>(found - kept.struck.begin())];
    }
  }
  return number;
}

bool Trajectory::is_unknown(std::size_t row, std::size_t column) const {
  CRADLE_ASSERT(row < size() && column < columns_.size(), "inside the trajectory");
  const std::vector<Presence>& presence = columns_[column].presence;
  return !presence.empty() && presence[row] == Presence::Unknown;
}

const std::string& Trajectory::mode(std::size_t row, std::size_t automaton) const {
  return layout_.states[automaton][static_cast<std::size_t>(state(row, automaton))];
}

int32_t Trajectory::state(std::size_t row, std::size_t automaton) const {
  CRADLE_ASSERT(row < size() && automaton < modes_.size(), "inside the trajectory");
  return modes_[automaton][row];
}

std::optional<std::size_t> Trajectory::find_column(const std::string& name) const {
  return index_of(columns(), name);
}

std::optional<std::size_t> Trajectory::find_automaton(const std::string& name) const {
  return index_of(automata(), name);
}

std::optional<std::size_t> Trajectory::find_row(const Instant& at) const {
  std::size_t first = 0, behind = size();  // the first row that is later lies in [first, behind]
  while (first < behind) {
    const std::size_t middle = first + (behind - first) / 2;
    if (at < instant(middle)) {
      behind = middle;
    } else {
      first = middle + 1;
    }
  }
  return first == 0 ? std::nullopt : std::optional(first - 1);
}

bool Trajectory::is_strained(std::size_t row) const {
  return std::binary_search(strained_.begin(), strained_.end(), row);
}

bool Trajectory::is_shared(std::size_t row, std::size_t column) const {
  const std::vector<uint32_t>& rows = columns_[column].shared;
  return std::binary_search(rows.begin(), rows.end(), row);
}

void Trajectory::take(std::span<const RowView> rows) {
  for (const RowView& row : rows) add(row);
}

void Trajectory::add(const RowView& row) {
  CRADLE_ASSERT(row.finite.size() == columns_.size() && row.states.size() == modes_.size(),
                "rows are those of the layout");
  const std::size_t number = size();
  CRADLE_ASSERT(number < UINT32_MAX, "rows are numbered with 32 bits");
  t_.push_back(row.at.t);
  eps_.push_back(row.at.eps);
  step_.push_back(row.at.step);
  kinds_.push_back(row.kind);
  tried_.push_back(row.tried ? 1 : 0);
  if (row.strained) strained_.push_back(static_cast<uint32_t>(number));
  for (uint32_t c : row.shared) columns_[c].shared.push_back(static_cast<uint32_t>(number));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    column.finite.push_back(row.finite[c]);
    if (!column.presence.empty() || row.presence[c] != Presence::Present) {
      column.presence.resize(number, Presence::Present);
      column.presence.push_back(row.presence[c]);
    }
    if (row.impulses[c] != 0) {
      column.struck.push_back(static_cast<uint32_t>(number));
      column.weights.push_back(row.impulses[c]);
    }
  }
  for (std::size_t a = 0; a < modes_.size(); ++a) modes_[a].push_back(row.states[a]);
}

void Trajectory::take(const StretchView& stretch) {
  if (!keeps_curves_) return;
  CRADLE_ASSERT(stretch.degrees.size() == columns_.size(), "stretches are those of the layout");
  CRADLE_ASSERT(stretch_end_.empty() || stretch_end_.back() <= stretch.begin, "in order of time");
  stretch_begin_.push_back(stretch.begin);
  stretch_end_.push_back(stretch.end);
  std::size_t next = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    const int8_t degree = stretch.degrees[c];
    column.degrees.push_back(degree);
    column.first.push_back(column.coefficients.size());
    const auto count = static_cast<std::size_t>(degree + 1);
    const auto part = stretch.coefficients.subspan(next, count);
    column.coefficients.insert(column.coefficients.end(), part.begin(), part.end());
    next += count;
  }
}

std::span<const double> Trajectory::curve(std::size_t stretch, std::size_t column) const {
  CRADLE_ASSERT(stretch < stretches() && column < columns_.size(), "inside the trajectory");
  const Column& kept = columns_[column];
  return std::span(kept.coefficients)
      .subspan(kept.first[stretch], static_cast<std::size_t>(kept.degrees[stretch] + 1));
}

std::optional<std::size_t> Trajectory::find_stretch(double t) const {
  const auto later = std::upper_bound(stretch_begin_.begin(), stretch_begin_.end(), t);
  if (later == stretch_begin_.begin()) return std::nullopt;
  const auto stretch = static_cast<std::size_t>(later - stretch_begin_.begin()) - 1;
  return t <= stretch_end_[stretch] ? std::optional(stretch) : std::nullopt;
}

std::optional<double> Trajectory::value_at(double t, std::size_t column) const {
  constexpr int kLast = std::numeric_limits<int>::max();
  const std::optional<std::size_t> row = find_row({t, kLast, kLast});
  if (!row) return std::nullopt;
  const std::optional<Number> here = value(*row, column);
  if (t_[*row] == t) return here ? std::optional(here->finite) : std::nullopt;
  if (*row + 1 == size()) return std::nullopt;
  if (const auto stretch = find_stretch(t)) {
    const std::span<const double> coefficients = curve(*stretch, column);
    if (!coefficients.empty()) {
      return curve_at(coefficients, stretch_begin_[*stretch], stretch_end_[*stretch], t);
    }
  }
  const std::optional<Number> there = value(*row + 1, column);
  if (!here || !there) return std::nullopt;
  return std::lerp(here->finite, there->finite, (t - t_[*row]) / (t_[*row + 1] - t_[*row]));
}

Trajectory Trajectory::sample(std::span<const double> times) const {
  constexpr int kLast = std::numeric_limits<int>::max();
  Trajectory out(layout_);
  std::vector<double> finite(columns_.size());
  const std::vector<double> impulses(columns_.size(), 0.0);
  std::vector<Presence> presence(columns_.size());
  std::vector<int32_t> states(modes_.size());
  for (const double t : times) {
    const std::optional<std::size_t> row = find_row({t, kLast, kLast});
    if (!row || t > t_.back()) continue;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::optional<double> value = value_at(t, c);
      finite[c] = value.value_or(0.0);
      presence[c] = value ? Presence::Present : Presence::Absent;
    }
    for (std::size_t a = 0; a < modes_.size(); ++a) states[a] = modes_[a][*row];
    const RowView view{{t, 0, 0}, RowKind::Evolving, false, finite, impulses, presence, states};
    out.take(std::span(&view, 1));
  }
  return out;
}

void Trajectory::replay(RowSink& sink) const {
  sink.begin(layout_);
  std::vector<double> finite(columns_.size()), impulses(columns_.size());
  std::vector<Presence> presence(columns_.size());
  std::vector<int32_t> states(modes_.size());
  std::vector<uint32_t> shared;
  std::vector<std::size_t> next(columns_.size(), 0);  // by column: its next impulse
  for (std::size_t row = 0; row < size(); ++row) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      finite[c] = column.finite[row];
      presence[c] = column.presence.empty() ? Presence::Present : column.presence[row];
      const bool struck = next[c] < column.struck.size() && column.struck[next[c]] == row;
      impulses[c] = struck ? column.weights[next[c]++] : 0;
    }
    for (std::size_t a = 0; a < modes_.size(); ++a) states[a] = modes_[a][row];
    shared.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (is_shared(row, c)) shared.push_back(static_cast<uint32_t>(c));
    }
    const RowView view{instant(row), kind(row), is_tried(row),    finite, impulses,
                       presence,     states,    is_strained(row), shared};
    sink.take(std::span(&view, 1));
  }
  sink.finish();
}

uint64_t Trajectory::hash() const {
  TrajectoryHash hash;
  replay(hash);
  return hash.value();
}

}  // namespace cradle
