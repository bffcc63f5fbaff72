#include "show/plot/thin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace cradle::plot {
namespace {

class PointThinner {
 public:
  void add(const Point& point, int column) {
    if (!open_ || column != column_) {
      flush();
      open_ = true;
      column_ = column;
      first_ = low_ = high_ = last_ = {point, next_++};
      return;
    }
    last_ = {point, next_++};
    if (point.y < low_.point.y) low_ = last_;
    if (point.y > high_.point.y) high_ = last_;
  }

  std::vector<Point> finish() {
    flush();
    return std::move(kept_);
  }

 private:
  struct Numbered {
    Point point;
    std::size_t index = 0;
  };

  void flush() {
    if (!open_) return;
    const Numbered& early = low_.index < high_.index ? low_ : high_;
    const Numbered& late = low_.index < high_.index ? high_ : low_;
    std::optional<std::size_t> before;
    for (const Numbered& each : {first_, early, late, last_}) {
      if (before != each.index) kept_.push_back(each.point);
      before = each.index;
    }
    open_ = false;
  }

  std::vector<Point> kept_;
  Numbered first_, low_, high_, last_;
  std::size_t next_ = 0;
  int column_ = 0;
  bool open_ = false;
};

void thin_pieces(Curve& curve, const Columns& columns) {
  constexpr int kFew = 2;
  std::vector<std::vector<Point>> kept;
  int short_ones = 0, short_column = -1;
  for (const auto& piece : curve.pieces) {
    std::vector<Point> line = thin(piece, columns);
    const int column = columns.of(line.front().t);
    const bool is_short = column == columns.of(line.back().t);
    if (!is_short || column != short_column) {
      short_ones = 0;
      short_column = column;
    }
    if (!is_short || ++short_ones <= kFew) {
      kept.push_back(std::move(line));
      continue;
    }
    // The last line of this column grows to hold this one.
    std::vector<Point>& span = kept.back();
    const Point first = span.front(), last = line.back();
    const double t = line.front().t;
    line.insert(line.end(), span.begin(), span.end());
    const auto lower = [](const Point& a, const Point& b) { return a.y < b.y; };
    const auto [low, high] = std::minmax_element(line.begin(), line.end(), lower);
    const std::vector<Point> grown = {first, {t, low->y}, {t, high->y}, last};
    span = grown;
  }
  curve.pieces = std::move(kept);
}

void thin_jumps(Curve& curve, const Columns& columns) {
  std::vector<Jump> kept;
  int in_column = 0, column = -1;
  for (const Jump& jump : curve.jumps) {
    const int here = columns.of(jump.t);
    in_column = here == column ? in_column + 1 : 1;
    column = here;
    if (in_column <= 2) {
      kept.push_back(jump);
      continue;
    }
    Jump& last = kept.back();
    last.low = std::min(last.low, jump.low);
    last.high = std::max(last.high, jump.high);
    last.to = jump.to;
    last.count += jump.count;
  }
  curve.jumps = std::move(kept);
}

// Of those of one column and one kind, the first with the lowest and the first with the highest
// size stay.
template <class Item, class Size, class Merge>
void keep_extremes(std::vector<Item>& items, const Columns& columns, Size size, Merge merge) {
  std::vector<Item> kept;
  std::size_t begin = 0;  // of the column, in kept
  int column = -1;
  for (const Item& item : items) {
    const int here = columns.of(item.at.t);
    if (here != column) {
      column = here;
      begin = kept.size();
    }
    Item *low = nullptr, *high = nullptr;
    for (std::size_t i = begin; i < kept.size(); ++i) {
      if (kept[i].kind != item.kind) continue;
      if (!low || size(kept[i]) < size(*low)) low = &kept[i];
      if (!high || size(kept[i]) > size(*high)) high = &kept[i];
    }
    if (!low || low == high) {
      kept.push_back(item);
    } else if (size(item) < size(*low)) {
      merge(*low, item);
    } else if (size(item) > size(*high)) {
      merge(*high, item);
    }
  }
  items = std::move(kept);
}

}  // namespace

int Columns::of(double t) const {
  if (!(to > from)) return 0;
  return std::clamp(static_cast<int>((t - from) / (to - from) * count), 0, count - 1);
}

std::vector<Point> thin(const std::vector<Point>& points, const Columns& columns) {
  PointThinner thinner;
  for (const Point& point : points) thinner.add(point, columns.of(point.t));
  return thinner.finish();
}

std::vector<Point> straighten(const std::vector<Point>& points, double tolerance) {
  if (points.size() < 3) return points;
  std::vector<Point> kept = {points.front()};
  constexpr double kAny = std::numeric_limits<double>::infinity();
  double least = -kAny, most = kAny;  // slopes from the last one kept that pass all since
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto slope_to = [&](double y) {
      return (y - kept.back().y) / (points[i].t - kept.back().t);
    };
    const bool ahead = points[i].t > kept.back().t;
    const double slope = ahead ? slope_to(points[i].y) : kAny;
    if (i > 1 && (!ahead || slope < least || slope > most)) {
      kept.push_back(points[i - 1]);
      least = -kAny;
      most = kAny;
    }
    if (points[i].t > kept.back().t) {
      least = std::max(least, slope_to(points[i].y - tolerance));
      most = std::min(most, slope_to(points[i].y + tolerance));
    } else {  // straight up or down: the next one cannot go without this one
      least = kAny;
      most = -kAny;
    }
  }
  kept.push_back(points.back());
  return kept;
}

void thin(Curve& curve, const Columns& columns) {
  thin_pieces(curve, columns);
  thin_jumps(curve, columns);
  const auto height = [](const Mark& mark) { return mark.y; };
  const auto replace = [](Mark& kept, const Mark& mark) { kept = mark; };
  keep_extremes(curve.marks, columns, height, replace);
  keep_extremes(curve.dots, columns, height, replace);
  keep_extremes(
      curve.arrows, columns, [](const Arrow& arrow) { return arrow.weight; },
      [](Arrow& kept, const Arrow& arrow) {
        const int count = kept.count + 1;
        kept = arrow;
        kept.count = count;
      });
}

void thin(BandRow& row, const Columns& columns) {
  const double column = (columns.to - columns.from) / columns.count;
  std::vector<Band> kept;
  bool fast = false;  // the last one kept is of those that are too short
  for (const Band& band : row.bands) {
    const bool is_short = band.to - band.from < 2 * column;
    // Of a signal that is true or false there are gaps, which stay.
    const bool follows = !kept.empty() && kept.back().to == band.from;
    if (is_short && fast && follows) {
      kept.back().to = band.to;
      kept.back().count += band.count;
    } else {
      kept.push_back(band);
    }
    fast = is_short;
  }
  row.bands = std::move(kept);
  std::vector<Visit> visits;
  for (const Visit& visit : row.visits) {
    const bool again = !visits.empty() && visits.back().state == visit.state &&
                       columns.of(visits.back().at.t) == columns.of(visit.at.t);
    if (!again) visits.push_back(visit);
  }
  row.visits = std::move(visits);
}

}  // namespace cradle::plot
