#include "show/plot/curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace cradle::plot {
namespace {

// Rows [first, last] of one real time.
struct Group {
  std::size_t first = 0, last = 0;
};

Group group_from(const Trajectory& trajectory, std::size_t row) {
  Group group{row, row};
  const double t = trajectory.instant(row).t;
  while (group.last + 1 < trajectory.size() && trajectory.instant(group.last + 1).t == t) {
    ++group.last;
  }
  return group;
}

class Tracer {
 public:
  Tracer(const Trajectory& trajectory, std::size_t column)
      : trajectory_(trajectory), column_(column) {
    curve_.column = column;
    curve_.name = trajectory.columns()[column];
    curve_.title = trajectory.layout().title(column);
  }

  Curve run() {
    find_range();
    for (std::size_t row = 0; row < trajectory_.size();) {
      const Group group = group_from(trajectory_, row);
      add(group);
      since_event_ = trajectory_.kind(group.last) == RowKind::Evolving ? since_event_ + 1 : 1;
      row = group.last + 1;
    }
    close();
    if (curve_.marks.size() > kMaxMythical) leave_out_tried();
    return std::move(curve_);
  }

 private:
  std::optional<double> value(std::size_t row) const {
    const auto number = trajectory_.value(row, column_);
    constexpr double kLargest = 1e300;  // twice that is still a number
    if (!number || !(std::abs(number->finite) <= kLargest)) return std::nullopt;
    return number->finite;
  }

  void find_range() {
    for (std::size_t row = 0; row < trajectory_.size(); ++row) {
      const auto y = value(row);
      if (!y) continue;
      curve_.low = curve_.drawn ? std::min(curve_.low, *y) : *y;
      curve_.high = curve_.drawn ? std::max(curve_.high, *y) : *y;
      curve_.drawn = true;
    }
    if (trajectory_.size() > 1) {
      const double length = trajectory_.times().back() - trajectory_.times().front();
      if (length > 0) step_ = length / kPoints;
    }
    tolerance_ = 1e-9 * (curve_.high - curve_.low) +
                 1e-13 * std::max(std::abs(curve_.low), std::abs(curve_.high));
  }

  bool same(double a, double b) const { return std::abs(a - b) <= tolerance_; }

  // A line that is one point only is a dot.
  void close() {
    if (piece_.size() == 1) curve_.dots.push_back({begun_, piece_[0].y, RowKind::Real});
    if (piece_.size() > 1) curve_.pieces.push_back(std::move(piece_));
    piece_.clear();
  }

  void extend(std::size_t row, double y) {
    const Instant at = trajectory_.instant(row);
    if (piece_.empty()) {
      begun_ = at;
    } else {
      follow(piece_.back().t, at.t);
    }
    piece_.push_back({at.t, y});
  }

  // Between two rows the curve itself, in points that nobody can tell from it.
  void follow(double from, double to) {
    const auto points = static_cast<int>(std::min((to - from) / step_, kPoints));
    for (int i = 1; i <= points; ++i) {
      const double t = from + (to - from) * i / (points + 1);
      const auto stretch = trajectory_.find_stretch(t);
      if (!stretch) continue;
      const std::span<const double> series = trajectory_.curve(*stretch, column_);
      if (series.size() < 2) continue;
      const double y = curve_at(series, trajectory_.stretch_begins()[*stretch],
                                trajectory_.stretch_ends()[*stretch], t);
      curve_.low = std::min(curve_.low, y);
      curve_.high = std::max(curve_.high, y);
      piece_.push_back({t, y});
    }
  }

  // Where the curve of the stretch that ends there arrives: rows between events have no left limit,
  // and what is read by nobody but the picture may leap at one.
  std::optional<double> arriving(std::size_t row) const {
    const double t = trajectory_.instant(row).t;
    const auto stretch = trajectory_.find_stretch(std::nextafter(t, -HUGE_VAL));
    if (!stretch) return std::nullopt;
    const std::span<const double> series = trajectory_.curve(*stretch, column_);
    if (series.empty()) return std::nullopt;
    return curve_at(series, trajectory_.stretch_begins()[*stretch],
                    trajectory_.stretch_ends()[*stretch], t);
  }
  // More than a curve is off, which is about the tolerance of the run.
  bool leaps_off(double arriving, double y) const {
    constexpr double kSeen = 1e-4;
    return std::abs(arriving - y) > std::max(tolerance_, kSeen * (curve_.high - curve_.low));
  }

  // Without a left limit on record: what has not moved since the last event has leapt.
  bool leaps(std::size_t row, double y) const {
    if (trajectory_.kind(row) == RowKind::Before || trajectory_.kind(row) == RowKind::Evolving) {
      return false;
    }
    const std::size_t n = piece_.size();
    return since_event_ >= 2 && n >= 2 && piece_[n - 1].y == piece_[n - 2].y &&
           !same(piece_[n - 1].y, y);
  }

  void jump(const Group& group, double from, double to) {
    const double t = trajectory_.instant(group.first).t;
    Jump jump{t, from, to, std::min(from, to), std::max(from, to), 1};
    for (std::size_t row = group.first; row <= group.last; ++row) {
      if (const auto y = value(row)) {
        jump.low = std::min(jump.low, *y);
        jump.high = std::max(jump.high, *y);
      }
    }
    if (same(jump.low, jump.high)) return;
    curve_.jumps.push_back(jump);
  }

  // Rows of an instant whose values are neither how it begins nor how it ends.
  void mark(const Group& group, std::optional<double> left, std::optional<double> right) {
    for (std::size_t row = group.first; row <= group.last; ++row) {
      const auto y = value(row);
      if (!y || (left && same(*y, *left))) continue;
      const RowKind kind = trajectory_.kind(row);
      const bool at_end = right && same(*y, *right);
      if (at_end && kind != RowKind::Pinnacle) continue;
      if (!curve_.marks.empty() && curve_.marks.back().at.t == trajectory_.instant(row).t &&
          same(curve_.marks.back().y, *y) && curve_.marks.back().kind == kind) {
        continue;
      }
      // Where only logic moved, it happened: there for one microstep, as other events are.
      const bool tried = trajectory_.is_tried(row);
      auto& list = kind == RowKind::Mythical && !tried ? curve_.dots : curve_.marks;
      list.push_back({trajectory_.instant(row), *y, kind, tried});
    }
  }

  void add_arrows(const Group& group) {
    if (!trajectory_.carries_impulse(column_)) return;
    for (std::size_t row = group.first; row <= group.last; ++row) {
      const auto number = trajectory_.value(row, column_);
      if (!number || number->impulse == 0 || !std::isfinite(number->impulse)) continue;
      curve_.arrows.push_back({trajectory_.instant(row), number->impulse, trajectory_.kind(row),
                               trajectory_.is_tried(row), 1});
    }
  }

  void add(const Group& group) {
    add_arrows(group);
    std::optional<double> left = value(group.first);
    const std::optional<double> right = value(group.last);
    if (left && leaps(group.first, *left)) {
      left = piece_.back().y;
    } else if (left && group.first == group.last && !piece_.empty()) {
      if (const auto y = arriving(group.first); y && leaps_off(*y, *left)) left = y;
    }
    if (group.first == 0 && group.last > 0) left.reset();  // nothing stood before the beginning
    if (left) {
      extend(group.first, *left);
    } else {
      close();
    }
    if (group.first == group.last && (!left || same(*left, *right))) return;
    mark(group, left, right);
    if (left && right && same(*left, *right)) {
      jump(group, *left, *right);
      return;
    }
    if (left && right) jump(group, *left, *right);
    close_behind_jump(left && right);
    if (right) extend(group.last, *right);
  }

  void leave_out_tried() {
    const auto tried = [](const Mark& mark) { return mark.tried; };
    curve_.left_out = static_cast<int>(std::erase_if(curve_.marks, tried));
    if (curve_.left_out == 0) return;
    std::erase_if(curve_.jumps, [](const Jump& jump) { return jump.from == jump.to; });
    for (Jump& jump : curve_.jumps) {
      jump.low = std::min(jump.from, jump.to);
      jump.high = std::max(jump.from, jump.to);
    }
    curve_.low = std::numeric_limits<double>::infinity();
    curve_.high = -curve_.low;
    const auto hold = [&](double y) {
      curve_.low = std::min(curve_.low, y);
      curve_.high = std::max(curve_.high, y);
    };
    for (const auto& piece : curve_.pieces) {
      for (const Point& point : piece) hold(point.y);
    }
    for (const Jump& jump : curve_.jumps) {
      hold(jump.low);
      hold(jump.high);
    }
    for (const Mark& mark : curve_.marks) hold(mark.y);
    for (const Mark& dot : curve_.dots) hold(dot.y);
    curve_.drawn = curve_.low <= curve_.high;
    if (!curve_.drawn) curve_.low = curve_.high = 0;
  }

  // The end of a line of one point at a jump is drawn with the jump.
  void close_behind_jump(bool jumped) {
    if (jumped && piece_.size() == 1) piece_.clear();
    close();
  }

  const Trajectory& trajectory_;
  std::size_t column_;
  Curve curve_;
  std::vector<Point> piece_;
  Instant begun_;
  static constexpr double kPoints = 4000;  // of a whole curve, about
  double tolerance_ = 0;
  double step_ = HUGE_VAL;  // between two points of a curve
  int since_event_ = 0;     // times on record from the last event on
};

}  // namespace

Curve trace(const Trajectory& trajectory, std::size_t column) {
  return Tracer(trajectory, column).run();
}

BandRow trace_modes(const Trajectory& trajectory, std::size_t automaton) {
  BandRow row;
  row.name = trajectory.automata()[automaton];
  std::string before;
  for (std::size_t at = 0; at < trajectory.size();) {
    const Group group = group_from(trajectory, at);
    const double t = trajectory.instant(at).t;
    const std::string& behind = trajectory.mode(group.last, automaton);
    if (before.empty()) before = trajectory.mode(group.first, automaton);
    std::string shown = before;
    for (std::size_t inner = group.first; inner <= group.last; ++inner) {
      const std::string& state = trajectory.mode(inner, automaton);
      if (state == shown) continue;
      shown = state;
      if (state != before && state != behind) {
        row.visits.push_back({trajectory.instant(inner), state});
      }
    }
    if (!row.bands.empty()) row.bands.back().to = t;
    if (row.bands.empty() || row.bands.back().state != behind) {
      row.bands.push_back({t, t, behind, 1});
    }
    before = behind;
    at = group.last + 1;
  }
  return row;
}

namespace {

class TruthTracer {
 public:
  TruthTracer(const Trajectory& trajectory, std::size_t column)
      : trajectory_(trajectory), column_(column) {
    out_.name = trajectory.columns()[column];
    out_.truth = true;
  }

  BandRow run() {
    for (std::size_t row = 0; row < trajectory_.size();) {
      const Group group = group_from(trajectory_, row);
      const std::string left = state(group.first), right = state(group.last);
      // In a row alone there is no left limit: what was so far lasted until then.
      const bool lasts = !left.empty();
      if (lasts && !before_.empty()) band_to(trajectory_.instant(group.first).t);
      if (!lasts) leave();
      inside(group, left, right);
      before_ = right;
      since_ = trajectory_.instant(group.last);
      row = group.last + 1;
    }
    leave();
    return std::move(out_);
  }

 private:
  std::string state(std::size_t row) const {
    const auto value = trajectory_.value(row, column_);
    return !value ? "" : value->finite != 0 ? "true" : "false";
  }

  bool follows_band() const { return !out_.bands.empty() && out_.bands.back().to == since_.t; }

  void band_to(double t) {
    if (follows_band() && out_.bands.back().state == before_) {
      out_.bands.back().to = t;
    } else {
      out_.bands.push_back({since_.t, t, before_, 1});
    }
  }
  // What was said last did not last.
  void leave() {
    const bool told = before_.empty() || (follows_band() && out_.bands.back().state == before_);
    if (!told) out_.visits.push_back({since_, before_});
    before_.clear();
  }

  void inside(const Group& group, const std::string& left, const std::string& right) {
    std::string shown = left;
    for (std::size_t row = group.first; row < group.last; ++row) {
      const std::string now = state(row);
      if (now == shown || trajectory_.is_tried(row)) continue;
      shown = now;
      if (!now.empty() && now != left && now != right) {
        out_.visits.push_back({trajectory_.instant(row), now});
      }
    }
  }

  const Trajectory& trajectory_;
  std::size_t column_;
  BandRow out_;
  std::string before_;  // what time goes on with; empty: absent
  Instant since_;
};

}  // namespace

BandRow trace_truth(const Trajectory& trajectory, std::size_t column) {
  return TruthTracer(trajectory, column).run();
}

}  // namespace cradle::plot
