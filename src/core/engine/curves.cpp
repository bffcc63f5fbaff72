#include "core/engine/curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/basics/assert.hpp"

namespace cradle::engine {
namespace {

constexpr int kCurveNodes = solve::Chebyshev::max_degree + 1;
static_assert(solve::Chebyshev::max_degree == StretchView::kMostDegree);
constexpr std::array kLowNodes = {0, 2, 4, 6, 8};
constexpr std::array kFirstChecks = {3, 7};  // of the low degree: on both sides, not symmetric
constexpr std::array kRest = {1, 5};
constexpr std::array kFurther = {0.137, -0.611};  // of the high degree: no nodes of any
constexpr std::size_t kMostStretches = 128;       // in one interval
constexpr uint8_t kMostWild = 4;                  // then it is drawn as its rows are
constexpr std::size_t kMostTurns = 32;            // in one interval

double time_of(double begin, double end, double x) {
  return x >= 1 ? end : x <= -1 ? begin : begin + (x + 1) / 2 * (end - begin);
}

}  // namespace

Curves::Curves(std::size_t columns, double relative, double absolute)
    : columns_(columns),
      relative_(relative),
      absolute_(absolute),
      nodes_(columns * kCurveNodes),
      checks_(columns * kFurther.size()),
      look_(columns),
      fits_(columns) {
  memory_.low.assign(columns, std::numeric_limits<double>::infinity());
  memory_.high.assign(columns, -std::numeric_limits<double>::infinity());
  memory_.wild.assign(columns, 0);
}

StretchView Curves::stretch(std::size_t i) const {
  const std::size_t first = i * columns_;
  const std::size_t from = offsets_[first];
  const std::size_t to = i + 1 < size() ? offsets_[first + columns_] : coefficients_.size();
  return {begins_[i], ends_[i], std::span(degrees_).subspan(first, columns_),
          std::span(coefficients_).subspan(from, to - from)};
}

std::span<const double> Curves::values_of(std::size_t column) const {
  return std::span(nodes_).subspan(column * kCurveNodes, kCurveNodes);
}

double Curves::tolerance(std::size_t column) const {
  const double largest = std::max(std::abs(memory_.low[column]), std::abs(memory_.high[column]));
  return std::isfinite(largest) ? relative_ * largest + absolute_ : absolute_;
}

double Curves::range(std::size_t column) const {
  return memory_.high[column] - memory_.low[column];
}

bool Curves::is_wild(std::size_t column) const { return memory_.wild[column] >= kMostWild; }

void Curves::look_at(const Interval& interval, int node, Columns& columns) {
  const double x = Series::nodes()[static_cast<std::size_t>(node)];
  columns.look(time_of(interval.begin, interval.end, x), look_);
  for (std::size_t c = 0; c < columns_; ++c) {
    nodes_[c * kCurveNodes + static_cast<std::size_t>(node)] = look_[c];
  }
}

void Curves::widen_range(std::size_t column) {
  for (int node : kLowNodes) {
    const double y = values_of(column)[static_cast<std::size_t>(node)];
    if (!std::isfinite(y)) continue;
    memory_.low[column] = std::min(memory_.low[column], y);
    memory_.high[column] = std::max(memory_.high[column], y);
  }
}

// Against what was looked at besides its nodes.
bool Curves::is_faithful(std::size_t column, int degree) const {
  const auto values = values_of(column).first<kCurveNodes>();
  const Series series = Series::through(values, degree);
  const double most = tolerance(column);
  const auto agrees = [&](double x, double y) { return std::abs(series(x) - y) <= most; };
  if (degree == 4) {
    return std::all_of(kFirstChecks.begin(), kFirstChecks.end(), [&](int node) {
      const auto j = static_cast<std::size_t>(node);
      return agrees(Series::nodes()[j], values[j]);
    });
  }
  for (std::size_t i = 0; i < kFurther.size(); ++i) {
    if (!agrees(kFurther[i], checks_[column * kFurther.size() + i])) return false;
  }
  return series.tail() <= 8 * most;
}

void Curves::fit(const Interval& interval, Columns& columns) {
  for (int node : kLowNodes) look_at(interval, node, columns);
  for (int node : kFirstChecks) look_at(interval, node, columns);
  bool all = true;
  for (std::size_t c = 0; c < columns_; ++c) {
    widen_range(c);
    const double ends = values_of(c).front() + values_of(c).back();
    fits_[c] = !std::isfinite(ends) ? Fit::None : is_faithful(c, 4) ? Fit::Low : Fit::Poor;
    all = all && (fits_[c] != Fit::Poor || is_wild(c));
  }
  if (all) return;
  for (int node : kRest) look_at(interval, node, columns);
  for (std::size_t i = 0; i < kFurther.size(); ++i) {
    columns.look(time_of(interval.begin, interval.end, kFurther[i]), look_);
    for (std::size_t c = 0; c < columns_; ++c) checks_[c * kFurther.size() + i] = look_[c];
  }
  for (std::size_t c = 0; c < columns_; ++c) {
    if (fits_[c] == Fit::Poor && !is_wild(c) && is_faithful(c, 8)) fits_[c] = Fit::High;
  }
}

// Halves are better where some column needs them, and there is room and time between them.
bool Curves::is_cut(const Interval& interval, const Interval& whole) const {
  const double far = std::max(std::abs(interval.begin), std::abs(interval.end));
  const double width = interval.end - interval.begin;
  if (2 + size() + ahead_.size() > kMostStretches) return false;
  if (width <= 64 * std::numeric_limits<double>::epsilon() * far) return false;
  if (width <= 1e-12 * (whole.end - whole.begin)) return false;
  for (std::size_t c = 0; c < columns_; ++c) {
    if (fits_[c] == Fit::Poor && !is_wild(c)) return true;
  }
  return false;
}

void Curves::keep(const Interval& interval) {
  begins_.push_back(interval.begin);
  ends_.push_back(interval.end);
  for (std::size_t c = 0; c < columns_; ++c) {
    offsets_.push_back(coefficients_.size());
    if (fits_[c] == Fit::None) {
      degrees_.push_back(StretchView::kNoCurve);
      continue;
    }
    const auto values = values_of(c).first<kCurveNodes>();
    if (fits_[c] == Fit::Poor) {
      degrees_.push_back(1);
      coefficients_.push_back(std::midpoint(values.front(), values.back()));
      coefficients_.push_back((values.front() - values.back()) / 2);
      continue;
    }
    Series series = Series::through(values, fits_[c] == Fit::Low ? 4 : 8);
    series.trim(tolerance(c) / 4);
    degrees_.push_back(static_cast<int8_t>(series.degree()));
    const auto kept = series.coefficients();
    coefficients_.insert(coefficients_.end(), kept.begin(), kept.end());
  }
}

void Curves::follow(double from, double to, double shown_to, Columns& columns) {
  CRADLE_ASSERT(from < to && to <= shown_to, "time flows");
  begins_.clear();
  ends_.clear();
  degrees_.clear();
  offsets_.clear();
  coefficients_.clear();
  ahead_.clear();
  ahead_.push_back({from, to});
  while (!ahead_.empty()) {
    const Interval interval = ahead_.back();
    ahead_.pop_back();
    fit(interval, columns);
    const double middle = std::midpoint(interval.begin, interval.end);
    if (is_cut(interval, {from, to})) {
      ahead_.push_back({middle, interval.end});
      ahead_.push_back({interval.begin, middle});
    } else {
      keep(interval);
    }
  }
  ends_.back() = shown_to;
  if (size() < kMostStretches / 2) return;
  for (std::size_t c = 0; c < columns_; ++c) {
    if (fits_[c] == Fit::Poor && memory_.wild[c] < kMostWild) ++memory_.wild[c];
  }
}

std::size_t Curves::stretch_at(double t) const {
  const auto later = std::upper_bound(begins_.begin() + 1, begins_.end(), t);
  return static_cast<std::size_t>(later - begins_.begin()) - 1;
}

// Not finite where there is no curve.
double Curves::value(std::size_t column, double t) const {
  const std::size_t i = stretch_at(t);
  const int8_t degree = degrees_[i * columns_ + column];
  if (degree == StretchView::kNoCurve) return std::numeric_limits<double>::quiet_NaN();
  return curve_at(
      std::span(coefficients_)
          .subspan(offsets_[i * columns_ + column], static_cast<std::size_t>(degree + 1)),
      begins_[i], ends_[i], t);
}

// Where it turns by more than nobody would see.
void Curves::add_extremes(std::size_t column, std::vector<double>& times) {
  constexpr double kSeen = 1e-6;  // of the range of the column
  extremes_.clear();
  const double begin = begins_.front(), end = ends_.back();
  extremes_.push_back({begin, value(column, begin)});
  for (std::size_t i = 0; i < size(); ++i) {
    const int8_t degree = degrees_[i * columns_ + column];
    // Between two stretches it may turn, too.
    if (i > 0) extremes_.push_back({begins_[i], value(column, begins_[i])});
    if (degree < 2) continue;
    const auto coefficients =
        std::span(coefficients_)
            .subspan(offsets_[i * columns_ + column], static_cast<std::size_t>(degree + 1));
    std::array<double, solve::Chebyshev::max_degree> roots;
    const int count = Series::of(coefficients).derivative().roots(roots);
    for (int k = 0; k < count; ++k) {
      const double t = time_of(begins_[i], ends_[i], roots[static_cast<std::size_t>(k)]);
      extremes_.push_back({t, value(column, t)});
    }
  }
  extremes_.push_back({end, value(column, end)});
  const double seen = std::max(kSeen * range(column), 4 * tolerance(column));
  // Up and down by less than that is nothing: a turn is known when the curve has come back so far.
  Extreme high = extremes_.front(), low = high;
  const double start = high.y;
  int rises = 0;  // 1: since the last turn, -1: falls, 0: not known yet
  for (const Extreme& point : extremes_) {
    if (point.y > high.y) high = point;
    if (point.y < low.y) low = point;
    if (rises >= 0 && high.y - point.y > seen) {
      if (high.y - start > seen || rises > 0) times.push_back(high.t);
      rises = -1;
      low = point;
    } else if (rises <= 0 && point.y - low.y > seen) {
      if (start - low.y > seen || rises < 0) times.push_back(low.t);
      rises = 1;
      high = point;
    }
  }
}

// Does a straight line between these times miss a column?
bool Curves::bends(double begin, double end) const {
  constexpr double kSeen = 1e-3;  // of the range of the column
  for (std::size_t c = 0; c < columns_; ++c) {
    if (is_wild(c)) continue;
    const double seen = std::max(kSeen * range(c), 4 * tolerance(c));
    const double y0 = value(c, begin), y1 = value(c, end);
    for (double share : {0.25, 0.5, 0.75}) {
      const double y = value(c, begin + share * (end - begin));
      if (std::abs(y - std::lerp(y0, y1, share)) > seen) return true;
    }
  }
  return false;
}

void Curves::find_turns(double apart, std::vector<double>& times) {
  times.clear();
  for (std::size_t c = 0; c < columns_ && times.size() <= kMostTurns; ++c) {
    // What no curve follows, rounding above all, turns everywhere.
    if (is_wild(c)) {
      left_out_ = true;
    } else {
      add_extremes(c, times);
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.size() > kMostTurns) left_out_ = true;
  gaps_.clear();
  double before = begins_.front();
  for (double t : times) gaps_.push_back({std::exchange(before, t), t});
  gaps_.push_back({before, ends_.back()});
  while (!gaps_.empty() && times.size() < kMostTurns) {
    const Interval gap = gaps_.back();
    gaps_.pop_back();
    const double middle = std::midpoint(gap.begin, gap.end);
    if (gap.end - gap.begin < 2 * apart || !(gap.begin < middle && middle < gap.end)) continue;
    if (!bends(gap.begin, gap.end)) continue;
    times.push_back(middle);
    gaps_.push_back({middle, gap.end});
    gaps_.push_back({gap.begin, middle});
  }
  if (!gaps_.empty()) left_out_ = true;
  std::sort(times.begin(), times.end());
}

}  // namespace cradle::engine
