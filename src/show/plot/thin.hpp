#pragma once
// As much of a curve as a picture can show: by columns of pixels, keeping extremes and events.

#include <vector>

#include "show/plot/curve.hpp"

namespace cradle::plot {

// The columns of a picture: time from `from` to `to`, `count` of them.
struct Columns {
  double from = 0, to = 1;
  int count = 1;
  int of(double t) const;
};

// Of each column the first, the lowest, the highest and the last point (M4: Jugel, Jerzak,
// Hackenbroich, Markl 2014), which draws the same pixels as all of them.
std::vector<Point> thin(const std::vector<Point>& points, const Columns& columns);

// Without the points that lie on a line between others, up to the tolerance in y (the swing filter:
// Elmeleegy, Elmagarmid, Cecchet, Aref, Zwaenepoel 2009). The first and the last stay.
std::vector<Point> straighten(const std::vector<Point>& points, double tolerance);

// Columns for all parts of a curve. More than two short lines or jumps of one column become one
// from the lowest to the highest value; of marks, dots and arrows of one column the extremes stay.
void thin(Curve& curve, const Columns& columns);

// Bands of less than a column that follow each other become one, with their count.
void thin(BandRow& row, const Columns& columns);

}  // namespace cradle::plot
