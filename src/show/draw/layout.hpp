#pragma once
// Where things go: the door to Graphviz, which gives positions only. The same input gives the same
// positions. All lengths in pixels, y downwards.

#include <vector>

namespace cradle::draw {

struct Point {
  double x = 0, y = 0;
};
struct Size {
  double width = 0, height = 0;
};

struct Link {
  int from = 0, to = 0;
  double length = 0;  // wished for, from centre to centre; `rank` does without
  int weight = 1;     // of `rank`: heavier ones are shorter and straighter
};

// Centres of boxes that do not overlap, linked ones near each other (stress majorisation; beyond
// some hundreds of boxes by multilevel force). The longer side lies across.
std::vector<Point> spread(const std::vector<Size>& boxes, const std::vector<Link>& links);

struct Ranked {
  std::vector<Point> centres;
  std::vector<std::vector<Point>> curves;  // by link: cubic Bézier, 1 + 3n points
  Size size;
};
struct Spacing {
  double along = 16, across = 9;  // between boxes
};
// From left to right, along the links (Graphviz's dot).
Ranked rank(const std::vector<Size>& boxes, const std::vector<Link>& links,
            const Spacing& spacing = {});

}  // namespace cradle::draw
