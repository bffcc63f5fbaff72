#include "draw/scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "draw/svg.hpp"

namespace cradle::draw {
namespace {

constexpr double kBorder = 28;  // around the picture
constexpr double kWidth = 1280, kHeight = 720;
constexpr std::size_t kLabelledAutomata = 40;  // with more of them only tooltips tell the guards

struct Rectangle {
  double left, top, right, bottom;
};
Rectangle around(Point centre, Size size) {
  return {centre.x - size.width / 2, centre.y - size.height / 2, centre.x + size.width / 2,
          centre.y + size.height / 2};
}
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

// Where the ray from the centre of a box leaves it.
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

Size name_size(const model::Junction& junction) {
  return {text_width(junction.name, kSmallSize), 15};
}

class Planner {
 public:
  Planner(const model::Model& model, const Sources& sources) : model_(model), sources_(sources) {}

  Scene run(double top, double bottom) {
    add_boxes();
    add_links();
    place();
    bonds();
    ties();
    names();
    labels();
    modal_models();
    frame(top, bottom);
    return std::move(scene_);
  }

 private:
  int box_of(const model::End& end) const {
    return end.element.valid() ? end.element.index
                               : static_cast<int>(model_.elements.size()) + end.junction.index;
  }

  void add_boxes() {
    const auto controlled =
        std::count_if(model_.automata.begin(), model_.automata.end(),
                      [](const model::Automaton& a) { return a.junction.valid(); });
    for (const model::Element& element : model_.elements) boxes_.push_back(element_size(element));
    for (const model::Junction& junction : model_.junctions) {
      // With room for its name above or below.
      boxes_.push_back({std::max(2 * kRadius, name_size(junction).width),
                        2 * kRadius + 2 * name_size(junction).height});
    }
    const bool labels = static_cast<std::size_t>(controlled) <= kLabelledAutomata;
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      if (!model_.automata[AutomatonId(i)].junction.valid()) continue;
      scene_.machines.push_back({arrange(model_, sources_, AutomatonId(i), labels), {}});
      boxes_.push_back(scene_.machines.back().machine.size);
    }
  }

  // Half of a box, as seen from any side.
  double reach(int box) const { return (boxes_[at(box)].width + boxes_[at(box)].height) / 4; }

  void add_links() {
    constexpr double kBond = 62, kTie = 26;
    for (const model::Bond& bond : model_.bonds) {
      const int from = box_of(bond.from), to = box_of(bond.to);
      if (from != to) links_.push_back({from, to, kBond + reach(from) + reach(to)});
    }
    const int first = static_cast<int>(model_.elements.size() + model_.junctions.size());
    for (std::size_t i = 0; i < scene_.machines.size(); ++i) {
      const int machine = first + static_cast<int>(i);
      const JunctionId junction = model_.automata[scene_.machines[i].machine.automaton].junction;
      const int other = static_cast<int>(model_.elements.size()) + junction.index;
      links_.push_back({other, machine, kTie + reach(machine) + kRadius});
    }
  }

  // A small graph takes the room that there is; boxes that did not overlap never will.
  void fill(std::vector<Point>& points) const {
    constexpr double kMost = 1.5, kAcross = kWidth - 160, kDown = kHeight - 220;
    Rectangle all{1e300, 1e300, -1e300, -1e300};
    for (const Point& p : points) {
      all = {std::min(all.left, p.x), std::min(all.top, p.y), std::max(all.right, p.x),
             std::max(all.bottom, p.y)};
    }
    const auto factor = [&](double room, double taken) {
      return taken > 0 ? std::clamp(room / taken, 1.0, kMost) : 1.0;
    };
    const double x = factor(kAcross, all.right - all.left);
    const double y = factor(kDown, all.bottom - all.top);
    for (Point& p : points) p = {p.x * x, p.y * y};
  }

  void place() {
    std::vector<Point> points = spread(boxes_, links_);
    fill(points);
    const std::size_t elements = model_.elements.size(), junctions = model_.junctions.size();
    for (std::size_t i = 0; i < elements; ++i) scene_.elements.push_back(points[i]);
    for (std::size_t i = 0; i < junctions; ++i) scene_.junctions.push_back(points[elements + i]);
    for (std::size_t i = 0; i < scene_.machines.size(); ++i) {
      scene_.machines[i].centre = points[elements + junctions + i];
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i >= elements && i < elements + junctions) {
        obstacles_.push_back(around(points[i], {2 * kRadius, 2 * kRadius}));
      } else {
        obstacles_.push_back(around(points[i], boxes_[i]));
      }
    }
  }

  Point centre_of(const model::End& end) const {
    return end.element.valid() ? scene_.elements[at(end.element)]
                               : scene_.junctions[at(end.junction)];
  }
  Point border(const model::End& end, Point towards, Point sidewards) const {
    const Point centre = centre_of(end);
    Point out;
    if (end.element.valid()) {
      Size size = element_size(model_.elements[end.element]);
      size = {size.width + 10, size.height + 8};
      out = border_of_box(centre, size, towards);
    } else {
      out = border_of_circle(centre, kRadius + 3, towards);
    }
    return {out.x + sidewards.x, out.y + sidewards.y};
  }

  void bonds() {
    std::map<std::pair<int, int>, int> parallel, met;
    const auto key = [&](const model::Bond& bond) {
      return std::minmax({box_of(bond.from), box_of(bond.to)});
    };
    for (const model::Bond& bond : model_.bonds) ++parallel[key(bond)];
    for (const model::Bond& bond : model_.bonds) {
      const int k = met[key(bond)]++, n = parallel[key(bond)];
      const Point a = centre_of(bond.from), b = centre_of(bond.to);
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      if (length < 1) {  // to itself: a bow
        const double r = kRadius + 3 + 6 * k;
        scene_.bonds.push_back({{a.x - 6, a.y - r},
                                {a.x - 30, a.y - r - 40},
                                {a.x + 30, a.y - r - 40},
                                {a.x + 6, a.y - r}});
        continue;
      }
      double by = 13 * (k - (n - 1) / 2.0);
      if (box_of(bond.from) > box_of(bond.to)) by = -by;
      const Point side{by * (a.y - b.y) / length, by * (b.x - a.x) / length};
      scene_.bonds.push_back({border(bond.from, b, side), border(bond.to, a, side)});
    }
  }

  // Automata move to their junctions as far as nothing is in the way.
  void ties() {
    const std::size_t first = model_.elements.size() + model_.junctions.size();
    for (std::size_t i = 0; i < scene_.machines.size(); ++i) {
      Scene::Standing& standing = scene_.machines[i];
      const JunctionId id = model_.automata[standing.machine.automaton].junction;
      if (is_small()) pull(standing, scene_.junctions[at(id)], first + i);
      ties_[id] = standing.centre;
      obstacles_[first + i] = around(standing.centre, standing.machine.size);
    }
  }
  void pull(Scene::Standing& standing, Point towards, std::size_t own) const {
    constexpr int kSteps = 40;
    const Point start = standing.centre;
    for (int step = 1; step < kSteps; ++step) {
      const double t = static_cast<double>(step) / kSteps;
      const Point next{start.x + t * (towards.x - start.x), start.y + t * (towards.y - start.y)};
      const Size size = standing.machine.size;
      const Rectangle room = around(next, {size.width + 36, size.height + 52});
      for (std::size_t i = 0; i < obstacles_.size(); ++i) {
        if (i != own && overlap(room, obstacles_[i]) > 0) return;
      }
      for (const std::vector<Point>& bond : scene_.bonds) {
        if (length_inside(room, bond.front(), bond.back()) > 0) return;
      }
      standing.centre = next;
    }
  }
  bool is_small() const {
    return model_.junctions.size() * (obstacles_.size() + scene_.bonds.size()) < 1000000;
  }

  // Below, above, or beside: wherever fewest things are in the way.
  void names() {
    const std::size_t n = model_.junctions.size();
    for (std::size_t j = 0; j < n; ++j) {
      const model::Junction& junction = model_.junctions[JunctionId(j)];
      const Size size = name_size(junction);
      const Point c = scene_.junctions[j];
      const double up = kRadius + size.height / 2 + 1, out = kRadius + size.width / 2 + 4;
      const double across = size.width / 2 + 7, diagonal = up - 2;
      const std::vector<Point> candidates = {{c.x, c.y + up},
                                             {c.x, c.y - up},
                                             {c.x + across, c.y + diagonal},
                                             {c.x - across, c.y + diagonal},
                                             {c.x + across, c.y - diagonal},
                                             {c.x - across, c.y - diagonal},
                                             {c.x + out, c.y + 14},
                                             {c.x - out, c.y + 14},
                                             {c.x + out, c.y - 14},
                                             {c.x - out, c.y - 14},
                                             {c.x + out + 2, c.y},
                                             {c.x - out - 2, c.y}};
      const Point best = freest(candidates, size, model_.junctions[JunctionId(j)].bonds,
                                ties_.find(JunctionId(j)));
      scene_.names.push_back(best);
      obstacles_.push_back(around(best, size));
    }
  }

  // Beside the middle of the bond.
  void labels() {
    scene_.labels.resize(model_.bonds.size());
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) {
      if (!has_label(model_, BondId(i))) continue;
      const Size size{text_width(model_.bonds[BondId(i)].name, kSmallSize), 14};
      const Point a = scene_.bonds[i].front(), b = scene_.bonds[i].back();
      const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
      const double nx = (b.y - a.y) / length, ny = (a.x - b.x) / length;
      const double by = std::abs(nx) * size.width / 2 + std::abs(ny) * size.height / 2 + 5;
      std::vector<Point> candidates;
      for (double t : {0.5, 0.38, 0.62}) {
        const Point p{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
        candidates.push_back({p.x + by * nx, p.y + by * ny});
        candidates.push_back({p.x - by * nx, p.y - by * ny});
      }
      scene_.labels[i] = freest(candidates, size, {{BondId(i), true}}, ties_.end());
      obstacles_.push_back(around(scene_.labels[i], size));
    }
  }

  using Tie = std::map<JunctionId, Point>::const_iterator;

  // `own`: the bonds to keep clear of in any case; a small graph looks at everything.
  Point freest(const std::vector<Point>& candidates, Size size,
               const std::vector<model::BondEnd>& own, Tie tie) const {
    Point best = candidates[0];
    double least = 1e300;
    for (const Point& candidate : candidates) {
      const Rectangle text = around(candidate, size);
      double cost = 0;
      if (tie != ties_.end()) {
        cost += 2 * length_inside(text, scene_.junctions[at(tie->first)], tie->second);
      }
      if (is_small()) {
        for (const std::vector<Point>& bond : scene_.bonds) cost += in_the_way(text, bond);
        for (const Rectangle& obstacle : obstacles_) cost += 10 * overlap(text, obstacle);
      } else {
        for (const model::BondEnd& end : own) cost += in_the_way(text, scene_.bonds[at(end.bond)]);
      }
      if (cost < least) {
        least = cost;
        best = candidate;
      }
      if (least == 0) break;
    }
    return best;
  }

  // How much of a bond a text would cover: its line, a stroke at either end, the barb.
  static double in_the_way(const Rectangle& text, const std::vector<Point>& bond) {
    const Point a = bond.front(), b = bond.back();
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
    const Point d{(b.x - a.x) / length, (b.y - a.y) / length};
    const Rectangle wide{text.left - 4, text.top - 2, text.right + 4, text.bottom + 2};
    double cost = 4 * length_inside(text, a, b) + length_inside(wide, a, b);
    for (const Point& end : {a, b}) {
      cost += 4 * length_inside(text, {end.x - 9 * d.y, end.y + 9 * d.x},
                                {end.x + 9 * d.y, end.y - 9 * d.x});
    }
    return cost + 4 * length_inside(text, b, {b.x - 12 * d.x + 7 * d.y, b.y - 12 * d.y - 7 * d.x});
  }

  template <class Visit>
  void each_point(const Visit& visit) {
    for (Point& p : scene_.elements) visit(p);
    for (Point& p : scene_.junctions) visit(p);
    for (Point& p : scene_.names) visit(p);
    for (Point& p : scene_.labels) visit(p);
    for (std::vector<Point>& bond : scene_.bonds) {
      for (Point& p : bond) visit(p);
    }
    for (Scene::Standing& standing : scene_.machines) visit(standing.centre);
  }

  Rectangle extent() const {
    Rectangle all{1e300, 1e300, -1e300, -1e300};
    for (const Rectangle& r : obstacles_) {
      all = {std::min(all.left, r.left), std::min(all.top, r.top), std::max(all.right, r.right),
             std::max(all.bottom, r.bottom)};
    }
    return obstacles_.empty() ? Rectangle{0, 0, 0, 0} : all;
  }

  // In rows below the bond graph.
  void modal_models() {
    const Rectangle graph = extent();
    std::vector<Machine> machines;
    double area = 0;
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      const model::Automaton& automaton = model_.automata[AutomatonId(i)];
      if (!automaton.modal || automaton.region.valid()) continue;
      machines.push_back(arrange(model_, sources_, AutomatonId(i), true));
      area += (machines.back().size.width + kBorder) * (machines.back().size.height + kBorder);
    }
    const double room = std::max(
        {kWidth - 2 * kBorder, graph.right - graph.left, std::sqrt(area * kWidth / kHeight)});
    const bool alone = obstacles_.empty();
    double x = graph.left, y = graph.bottom + (alone ? 0 : kBorder), row = 0;
    for (Machine& machine : machines) {
      if (x > graph.left && x + machine.size.width > graph.left + room) {
        x = graph.left;
        y += row + kBorder;
        row = 0;
      }
      const Point centre{x + machine.size.width / 2, y + machine.size.height / 2};
      obstacles_.push_back(around(centre, machine.size));
      x += machine.size.width + kBorder;
      row = std::max(row, machine.size.height);
      scene_.machines.push_back({std::move(machine), centre});
    }
  }

  // In the middle of the picture, between what stands at its top and bottom.
  void frame(double top, double bottom) {
    const Rectangle all = extent();
    const double width = all.right - all.left, height = all.bottom - all.top;
    scene_.size = {std::max(kWidth, width + 2 * kBorder),
                   std::max(kHeight, height + top + bottom + 2 * kBorder)};
    const Point shift{(scene_.size.width - width) / 2 - all.left,
                      top + (scene_.size.height - top - bottom - height) / 2 - all.top};
    each_point([&](Point& p) { p = {p.x + shift.x, p.y + shift.y}; });
  }

  const model::Model& model_;
  const Sources& sources_;
  Scene scene_;
  std::vector<Size> boxes_;
  std::vector<Link> links_;
  std::map<JunctionId, Point> ties_;  // from a junction to its automaton
  std::vector<Rectangle> obstacles_;
};

}  // namespace

std::string element_name(const model::Element& element) { return " : " + element.name; }

bool has_label(const model::Model& model, BondId bond) {
  const std::string& name = model.bonds[bond].name;
  return !name.empty() && name.find("->") == std::string::npos;
}

Size element_size(const model::Element& element) {
  return {text_width(elements::definition(element.kind).name, kTextSize, true) +
              text_width(element_name(element), kTextSize) + 12,
          kElementHeight};
}

Scene plan(const model::Model& model, const Sources& sources, double top, double bottom) {
  return Planner(model, sources).run(top, bottom);
}

}  // namespace cradle::draw
