#pragma once
// What lies on the sheet already, and what it costs to lay something over it.

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "show/draw/layout.hpp"

namespace cradle::draw {

struct Rectangle {
  double left, top, right, bottom;
};
Rectangle around(Point centre, Size size);
Rectangle grown(const Rectangle& r, double by);
// Where the ray from the centre of a box, or of a circle, leaves it.
Point border_of_box(Point centre, Size size, Point towards);
Point border_of_circle(Point centre, double radius, Point towards);

class Clutter {
 public:
  using Owner = std::size_t;
  static constexpr Owner kNobody = static_cast<Owner>(-1);

  void add(Owner owner, const Rectangle& box);  // a box or a text
  void add(Owner owner, Point a, Point b);      // a line
  void remove(Owner owner);

  // What it costs to lay a box or a line there; to lie on a box costs far more than on a line.
  // What belongs to `except` costs nothing.
  double under(const Rectangle& box, Owner except = kNobody) const;
  double under(Point a, Point b, Owner except = kNobody) const;

  Rectangle extent() const;  // of everything; without area if there is nothing

 private:
  struct Item {
    Owner owner;
    bool solid;  // a box
    Rectangle bounds;
    Point a, b;  // of a line
  };
  void insert(const Item& item);
  static double cost(const Item& item, const Rectangle& box);
  static double cost(const Item& item, Point a, Point b);
  template <class Visit>
  void each_near(const Rectangle& box, const Visit& visit) const;

  std::vector<Item> items_;  // of nobody: removed
  std::unordered_map<Owner, std::vector<std::size_t>> owned_;
  std::unordered_map<long long, std::vector<std::size_t>> cells_;
};

// A place beside a circle for a box, whose border has `foot` as the point that is next to it.
struct Spot {
  Point centre, foot;
  double gap;       // between the circle and the foot
  double off_axis;  // 0: the foot is in the middle of a side, 1: near its corner
};
// All around, the nearest ones first.
std::vector<Spot> spots_around(Point centre, double radius, Size size,
                               const std::vector<double>& gaps);

}  // namespace cradle::draw
