#include "show/draw/clutter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cradle::draw {
namespace {

constexpr double kCell = 128;

double overlap(const Rectangle& a, const Rectangle& b) {
  const double x = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double y = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  return x > 0 && y > 0 ? x * y : 0;
}

// How much of the segment lies in the rectangle (Liang and Barsky).
double length_inside(const Rectangle& r, Point a, Point b) {
  double enter = 0, leave = 1;
  const auto clip = [&](double p, double q) {
    if (p == 0) return q >= 0;
    if (p < 0) enter = std::max(enter, q / p);
    if (p > 0) leave = std::min(leave, q / p);
    return true;
  };
  const bool inside = clip(a.x - b.x, a.x - r.left) && clip(b.x - a.x, r.right - a.x) &&
                      clip(a.y - b.y, a.y - r.top) && clip(b.y - a.y, r.bottom - a.y);
  return inside && leave > enter ? (leave - enter) * std::hypot(b.x - a.x, b.y - a.y) : 0;
}

bool cross(Point a, Point b, Point c, Point d) {
  const auto side = [](Point p, Point q, Point r) {
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t =
      square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// How much of the segment from a to b runs close beside the other.
double length_beside(Point a, Point b, Point c, Point d) {
  constexpr double kStep = 8, kNear = 9;
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const int steps = std::max(1, static_cast<int>(length / kStep));
  int close = 0;
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    close += distance({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, c, d) < kNear;
  }
  return close * length / (steps + 1);
}

Rectangle bounds_of(Point a, Point b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)};
}

long cell(double x) { return static_cast<long>(std::floor(x / kCell)); }
long long key(long x, long y) { return static_cast<long long>(x) * 0x100000000 + y; }

}  // namespace

Rectangle around(Point centre, Size size) {
  return {centre.x - size.width / 2, centre.y - size.height / 2, centre.x + size.width / 2,
          centre.y + size.height / 2};
}

Rectangle grown(const Rectangle& r, double by) {
  return {r.left - by, r.top - by, r.right + by, r.bottom + by};
}

Point border_of_box(Point centre, Size size, Point towards) {
  const double dx = towards.x - centre.x, dy = towards.y - centre.y;
  const double tx = dx == 0 ? 1e9 : size.width / 2 / std::abs(dx);
  const double ty = dy == 0 ? 1e9 : size.height / 2 / std::abs(dy);
  const double t = std::min({tx, ty, 1.0});
  return {centre.x + t * dx, centre.y + t * dy};
}

Point border_of_circle(Point centre, double radius, Point towards) {
  const double length = std::hypot(towards.x - centre.x, towards.y - centre.y);
  const double t = length > 0 ? std::min(radius / length, 1.0) : 0;
  return {centre.x + t * (towards.x - centre.x), centre.y + t * (towards.y - centre.y)};
}

void Clutter::add(Owner owner, const Rectangle& box) { insert({owner, true, box, {}, {}}); }
void Clutter::add(Owner owner, Point a, Point b) { insert({owner, false, bounds_of(a, b), a, b}); }

void Clutter::insert(const Item& item) {
  owned_[item.owner].push_back(items_.size());
  for (long x = cell(item.bounds.left); x <= cell(item.bounds.right); ++x) {
    for (long y = cell(item.bounds.top); y <= cell(item.bounds.bottom); ++y) {
      cells_[key(x, y)].push_back(items_.size());
    }
  }
  items_.push_back(item);
}

void Clutter::remove(Owner owner) {
  const auto found = owned_.find(owner);
  if (found == owned_.end()) return;
  for (std::size_t i : found->second) {
    const Rectangle& bounds = items_[i].bounds;
    for (long x = cell(bounds.left); x <= cell(bounds.right); ++x) {
      for (long y = cell(bounds.top); y <= cell(bounds.bottom); ++y) {
        std::erase(cells_[key(x, y)], i);
      }
    }
    items_[i].owner = kNobody;
  }
  owned_.erase(found);
}

template <class Visit>
void Clutter::each_near(const Rectangle& box, const Visit& visit) const {
  for (long x = cell(box.left); x <= cell(box.right); ++x) {
    for (long y = cell(box.top); y <= cell(box.bottom); ++y) {
      const auto found = cells_.find(key(x, y));
      if (found == cells_.end()) continue;
      for (std::size_t i : found->second) {
        // What lies in several cells is met in the first that both share.
        const Rectangle& bounds = items_[i].bounds;
        if (x == std::max(cell(box.left), cell(bounds.left)) &&
            y == std::max(cell(box.top), cell(bounds.top))) {
          visit(items_[i]);
        }
      }
    }
  }
}

double Clutter::cost(const Item& item, const Rectangle& box) {
  if (item.solid) {
    const double area = overlap(item.bounds, box);
    return area > 0 ? 1000 + area : 0;
  }
  const double length = length_inside(box, item.a, item.b);
  return length > 0 ? 300 + 8 * length : 0;
}

double Clutter::cost(const Item& item, Point a, Point b) {
  if (item.solid) {
    const double length = length_inside(grown(item.bounds, 3), a, b);
    return length > 0 ? 1500 + 10 * length : 0;
  }
  return (cross(a, b, item.a, item.b) ? 300 : 0) + 4 * length_beside(a, b, item.a, item.b);
}

double Clutter::under(const Rectangle& box, Owner except) const {
  double sum = 0;
  each_near(box, [&](const Item& item) { sum += item.owner == except ? 0 : cost(item, box); });
  return sum;
}

double Clutter::under(Point a, Point b, Owner except) const {
  double sum = 0;
  each_near(grown(bounds_of(a, b), 9),
            [&](const Item& item) { sum += item.owner == except ? 0 : cost(item, a, b); });
  return sum;
}

Rectangle Clutter::extent() const {
  Rectangle all{1e300, 1e300, -1e300, -1e300};
  for (const Item& item : items_) {
    if (item.owner == kNobody) continue;
    const Rectangle& r = item.bounds;
    all = {std::min(all.left, r.left), std::min(all.top, r.top), std::max(all.right, r.right),
           std::max(all.bottom, r.bottom)};
  }
  return all.left > all.right ? Rectangle{0, 0, 0, 0} : all;
}

std::vector<Spot> spots_around(Point centre, double radius, Size size,
                               const std::vector<double>& gaps) {
  constexpr int kAngles = 24;
  std::vector<Spot> out;
  for (double gap : gaps) {
    for (int k = 0; k < kAngles; ++k) {
      const double angle = (2.0 * k / kAngles + 0.5) * std::numbers::pi;  // first: below
      const double ux = std::cos(angle), uy = std::sin(angle);
      const Point foot{centre.x + (radius + gap) * ux, centre.y + (radius + gap) * uy};
      const bool upright = std::abs(uy) > 0.7, across = std::abs(ux) > 0.7;
      for (double slide : {0.0, 0.45, -0.45, 0.9, -0.9}) {
        const double off = std::abs(slide);
        if (upright) {
          out.push_back(
              {{foot.x + slide * size.width / 2, foot.y + std::copysign(size.height / 2, uy)},
               foot,
               gap,
               off});
        }
        if (across) {
          out.push_back(
              {{foot.x + std::copysign(size.width / 2, ux), foot.y + slide * size.height / 2},
               foot,
               gap,
               off});
        }
      }
    }
  }
  return out;
}

}  // namespace cradle::draw
