#include "show/draw/scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "show/draw/clutter.hpp"
#include "show/draw/style.hpp"

namespace cradle::draw {
namespace {

constexpr double kWidth = 1280, kHeight = 720;  // of a screen, which a graph likes to fill
constexpr std::size_t kLabelledAutomata = 40;   // with more of them only tooltips tell the guards

Size name_size(const model::Junction& junction) {
  return {text_width(junction.name, kSmallSize), 15};
}

class Planner {
 public:
  Planner(const model::Model& model, const Sources& sources) : model_(model), sources_(sources) {}

  Scene run() {
    add_boxes();
    add_links();
    place();
    swing();
    bonds();
    // What moves second keeps off what moved first, and then the other way round.
    constexpr int kRounds = 2;
    for (int round = 0; round < kRounds; ++round) {
      names();
      machines();
    }
    labels();
    modal_models();
    to_corner();
    return std::move(scene_);
  }

 private:
  enum class Thing { Element, Junction, Bond, Name, Label, Machine };
  static Clutter::Owner owner(Thing thing, std::size_t i) {
    return 8 * i + static_cast<std::size_t>(thing);
  }

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
      scene_.machines.push_back({arrange(model_, sources_, AutomatonId(i), labels), {}, {}});
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
    for (std::size_t i = 0; i < elements; ++i) {
      clutter_.add(owner(Thing::Element, i), around(points[i], boxes_[i]));
    }
    for (std::size_t i = 0; i < junctions; ++i) {
      // The corners of the square around the circle are free.
      const double r = 2 * kRadius + 2;
      for (const Size& part : {Size{r, 0.6 * r}, Size{0.6 * r, r}, Size{0.8 * r, 0.8 * r}}) {
        clutter_.add(owner(Thing::Junction, i), around(scene_.junctions[i], part));
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

  // Elements at the end of one bond turn around their junction until both lie free.
  void swing() {
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) add_line(i, line_of(BondId(i)));
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) {
      const model::Bond& bond = model_.bonds[BondId(i)];
      if (bond.from.junction.valid() && is_leaf(bond.to)) swing(BondId(i), bond.to, bond.from);
      if (bond.to.junction.valid() && is_leaf(bond.from)) swing(BondId(i), bond.from, bond.to);
    }
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) clutter_.remove(owner(Thing::Bond, i));
  }
  bool is_leaf(const model::End& end) const {
    return end.element.valid() && model_.elements[end.element].ports.size() == 1;
  }
  void swing(BondId bond, const model::End& leaf, const model::End& hub) {
    const std::size_t element = at(leaf.element);
    clutter_.remove(owner(Thing::Element, element));
    clutter_.remove(owner(Thing::Bond, at(bond)));
    const Point start = scene_.elements[element], middle = centre_of(hub);
    Point best = start;
    double least = leaf_cost(bond, leaf, hub, start);
    if (least > 0) {
      for (const Point& next : circle_around(middle, start)) {
        const double moved = 0.5 * std::hypot(next.x - start.x, next.y - start.y);
        if (moved >= least) continue;
        const double cost = moved + leaf_cost(bond, leaf, hub, next);
        if (cost < least) {
          least = cost;
          best = next;
        }
      }
    }
    scene_.elements[element] = best;
    clutter_.add(owner(Thing::Element, element), around(best, boxes_[element]));
    add_line(at(bond), line_of(bond));
  }
  double leaf_cost(BondId bond, const model::End& leaf, const model::End& hub, Point centre) {
    scene_.elements[at(leaf.element)] = centre;
    const std::vector<Point> line = line_of(bond);
    const Rectangle box = around(centre, boxes_[at(leaf.element)]);
    return 10 * clutter_.under(grown(box, 6)) + clutter_.under(grown(box, 14)) +
           10 * clutter_.under(line[0], line[1], owner(Thing::Junction, at(hub.junction)));
  }
  static std::vector<Point> circle_around(Point middle, Point start) {
    constexpr int kAngles = 32;
    std::vector<Point> out;
    const double x = start.x - middle.x, y = start.y - middle.y;
    for (double factor : {1.0, 0.8, 1.25, 1.6}) {
      for (int k = 0; k < kAngles; ++k) {
        const double angle = 2 * std::numbers::pi * k / kAngles;
        const double c = factor * std::cos(angle), s = factor * std::sin(angle);
        out.push_back({middle.x + c * x - s * y, middle.y + s * x + c * y});
      }
    }
    return out;
  }

  // From border to border, as if there were no other between the two.
  std::vector<Point> line_of(BondId id) const {
    const model::Bond& bond = model_.bonds[id];
    return {border(bond.from, centre_of(bond.to), {}), border(bond.to, centre_of(bond.from), {})};
  }
  void add_line(std::size_t bond, const std::vector<Point>& line) {
    clutter_.add(owner(Thing::Bond, bond), line[0], line[1]);
  }

  void bonds() {
    std::map<std::pair<int, int>, int> parallel, met;
    const auto key = [&](const model::Bond& bond) {
      return std::minmax({box_of(bond.from), box_of(bond.to)});
    };
    for (const model::Bond& bond : model_.bonds) ++parallel[key(bond)];
    for (const model::Bond& bond : model_.bonds) {
      scene_.bonds.push_back(path_of(bond, met[key(bond)]++, parallel[key(bond)]));
      lay(scene_.bonds.size() - 1);
    }
  }
  // The k-th of n between the same two.
  std::vector<Point> path_of(const model::Bond& bond, int k, int n) const {
    const Point a = centre_of(bond.from), b = centre_of(bond.to);
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length < 1) {  // to itself: a bow
      const double r = kRadius + 3 + 6 * k;
      return {{a.x - 6, a.y - r},
              {a.x - 30, a.y - r - 40},
              {a.x + 30, a.y - r - 40},
              {a.x + 6, a.y - r}};
    }
    double by = 13 * (k - (n - 1) / 2.0);
    if (box_of(bond.from) > box_of(bond.to)) by = -by;
    const Point side{by * (a.y - b.y) / length, by * (b.x - a.x) / length};
    return {border(bond.from, b, side), border(bond.to, a, side)};
  }
  // Its line, a stroke at either end, since they differ from mode to mode, and the barb.
  void lay(std::size_t bond) {
    const std::vector<Point>& line = scene_.bonds[bond];
    const auto add = [&](Point a, Point b) { clutter_.add(owner(Thing::Bond, bond), a, b); };
    for (std::size_t i = 0; i + 1 < line.size(); ++i) add(line[i], line[i + 1]);
    const Point a = line.front(), b = line.back();
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
    const Point d{(b.x - a.x) / length, (b.y - a.y) / length};
    for (const Point& end : {a, b}) {
      add({end.x - 9 * d.y, end.y + 9 * d.x}, {end.x + 9 * d.y, end.y - 9 * d.x});
    }
    add(b, {b.x - 12 * d.x + 7 * d.y, b.y - 12 * d.y - 7 * d.x});
  }

  // Beside its junction, off bonds and texts, at the end of a tie that crosses none. The junction's
  // own name makes way.
  void machines() {
    const Rectangle graph = clutter_.extent();
    for (std::size_t i = 0; i < scene_.machines.size(); ++i) {
      Scene::Standing& standing = scene_.machines[i];
      const std::size_t junction = at(model_.automata[standing.machine.automaton].junction);
      const Size size = standing.machine.size;
      clutter_.remove(owner(Thing::Machine, i));
      clutter_.remove(owner(Thing::Name, junction));
      const Spot spot = place_of(junction, size, graph);
      standing.centre = spot.centre;
      standing.foot = spot.foot;
      clutter_.add(owner(Thing::Machine, i), around(spot.centre, size));
      clutter_.add(owner(Thing::Machine, i), start_of_tie(junction, spot), spot.foot);
      name(junction);
    }
  }
  Point start_of_tie(std::size_t junction, const Spot& spot) const {
    return border_of_circle(scene_.junctions[junction], kTieRadius, spot.foot);
  }
  Spot place_of(std::size_t junction, Size size, const Rectangle& graph) const {
    static const std::vector<double> gaps = {26,  33,  42,  56,  74,  96,  124, 160,
                                             205, 260, 330, 420, 540, 700, 900, 1200};
    constexpr double kPerPixel = 3, kOffAxis = 25, kOutside = 0.5;
    const Clutter::Owner own = owner(Thing::Junction, junction);
    Spot best{};
    double least = 1e300;
    for (const Spot& spot : spots_around(scene_.junctions[junction], kRadius, size, gaps)) {
      const Rectangle box = around(spot.centre, size);
      double cost =
          kPerPixel * spot.gap + kOffAxis * spot.off_axis + kOutside * outside(graph, box);
      if (kPerPixel * spot.gap >= least) break;
      // To cover something is never worth a shorter tie; to come near it may be.
      if (cost < least) {
        cost += 10 * clutter_.under(grown(box, 7)) + 0.3 * clutter_.under(grown(box, 16), own);
      }
      if (cost < least) cost += clutter_.under(start_of_tie(junction, spot), spot.foot, own);
      if (cost >= least) continue;
      least = cost;
      best = spot;
    }
    return best;
  }
  // By how much the picture would have to grow.
  static double outside(const Rectangle& all, const Rectangle& r) {
    return std::max(0.0, all.left - r.left) + std::max(0.0, r.right - all.right) +
           std::max(0.0, all.top - r.top) + std::max(0.0, r.bottom - all.bottom);
  }

  void names() {
    scene_.names.resize(model_.junctions.size());
    for (std::size_t j = 0; j < model_.junctions.size(); ++j) name(j);
  }
  void name(std::size_t j) {
    static const std::vector<double> gaps = {4, 9, 15, 22};
    clutter_.remove(owner(Thing::Name, j));
    const Size size = name_size(model_.junctions[JunctionId(j)]);
    std::vector<Candidate> candidates;
    // The letters are lower than their line, hence the smaller radius.
    for (const Spot& spot : spots_around(scene_.junctions[j], kRadius - 2, size, gaps)) {
      const bool beside = std::abs(spot.foot.x - spot.centre.x) > 0.49 * size.width;
      candidates.push_back({spot.centre, 5 * spot.gap + 5 * spot.off_axis + (beside ? 4 : 0)});
    }
    scene_.names[j] = freest(candidates, size, owner(Thing::Junction, j));
    clutter_.add(owner(Thing::Name, j), around(scene_.names[j], size));
  }

  // Beside the bond, near its middle.
  void labels() {
    scene_.labels.resize(model_.bonds.size());
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) {
      if (!has_label(model_, BondId(i))) continue;
      const Size size{text_width(model_.bonds[BondId(i)].name, kSmallSize), 14};
      const Point a = scene_.bonds[i].front(), b = scene_.bonds[i].back();
      const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
      const double nx = (b.y - a.y) / length, ny = (a.x - b.x) / length;
      const double by = std::abs(nx) * size.width / 2 + std::abs(ny) * size.height / 2 + 5;
      std::vector<Candidate> candidates;
      for (double t : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74}) {
        const Point p{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
        const double off = 20 * std::abs(t - 0.5);
        candidates.push_back({{p.x + by * nx, p.y + by * ny}, off});
        candidates.push_back({{p.x - by * nx, p.y - by * ny}, off});
      }
      scene_.labels[i] = freest(candidates, size, owner(Thing::Bond, i));
      clutter_.add(owner(Thing::Label, i), around(scene_.labels[i], size));
    }
  }

  struct Candidate {
    Point centre;
    double cost;  // of being there rather than elsewhere
  };
  // A text may come near to what it belongs to, but not lie on it.
  Point freest(const std::vector<Candidate>& candidates, Size size, Clutter::Owner own) const {
    Point best;
    double least = 1e300;
    for (const Candidate& candidate : candidates) {
      if (candidate.cost >= least) continue;
      const Rectangle text = around(candidate.centre, size);
      const double cost =
          candidate.cost + 10 * clutter_.under(text) + 0.2 * clutter_.under(grown(text, 4), own);
      if (cost >= least) continue;
      least = cost;
      best = candidate.centre;
    }
    return best;
  }

  // In rows below the bond graph.
  void modal_models() {
    constexpr double kRowGap = 28;
    const Rectangle graph = clutter_.extent();
    std::vector<Machine> found;
    double area = 0, widest = 0;
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      const model::Automaton& automaton = model_.automata[AutomatonId(i)];
      if (!automaton.modal || automaton.region.valid()) continue;
      found.push_back(arrange(model_, sources_, AutomatonId(i), true));
      area += (found.back().size.width + kRowGap) * (found.back().size.height + kRowGap);
    }
    const double room =
        std::max({kWidth, graph.right - graph.left, std::sqrt(area * kWidth / kHeight)});
    const std::size_t first = scene_.machines.size();
    double x = 0, y = graph.bottom + (graph.bottom > graph.top ? kRowGap : 0), row = 0;
    for (Machine& machine : found) {
      const Size size = machine.size;
      if (x > 0 && x + size.width > room) {
        x = 0;
        y += row + kRowGap;
        row = 0;
      }
      scene_.machines.push_back(
          {std::move(machine), {x + size.width / 2, y + size.height / 2}, {}});
      x += size.width + kRowGap;
      widest = std::max(widest, x - kRowGap);
      row = std::max(row, size.height);
    }
    // All of them under the middle of the graph.
    const double shift = (graph.left + graph.right - widest) / 2;
    for (std::size_t i = first; i < scene_.machines.size(); ++i) {
      Scene::Standing& standing = scene_.machines[i];
      standing.centre.x += shift;
      clutter_.add(owner(Thing::Machine, i), around(standing.centre, standing.machine.size));
    }
  }

  void to_corner() {
    const Rectangle all = clutter_.extent();
    scene_.size = {all.right - all.left, all.bottom - all.top};
    move(scene_, {-all.left, -all.top});
  }

  const model::Model& model_;
  const Sources& sources_;
  Scene scene_;
  std::vector<Size> boxes_;
  std::vector<Link> links_;
  Clutter clutter_;
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

Scene plan(const model::Model& model, const Sources& sources) {
  return Planner(model, sources).run();
}

void move(Scene& scene, Point by) {
  const auto shift = [&](Point& p) { p = {p.x + by.x, p.y + by.y}; };
  for (auto* points : {&scene.elements, &scene.junctions, &scene.names, &scene.labels}) {
    std::for_each(points->begin(), points->end(), shift);
  }
  for (std::vector<Point>& bond : scene.bonds) std::for_each(bond.begin(), bond.end(), shift);
  for (Scene::Standing& standing : scene.machines) {
    shift(standing.centre);
    shift(standing.foot);
  }
}

}  // namespace cradle::draw
