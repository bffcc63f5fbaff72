#include "show/draw/layout.hpp"

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/basics/assert.hpp"
#include "base/basics/ids.hpp"
#include "base/basics/leak_sanitizer.hpp"

#ifdef CRADLE_LEAK_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace cradle::draw {
namespace {

// Graphviz 2.42 loses some hundred bytes in each layout; nothing else is excused.
int lay_out(GVC_t* context, Agraph_t* graph, const char* engine) {
#ifdef CRADLE_LEAK_SANITIZER
  const __lsan::ScopedDisabler excused;
#endif
  // sfdp draws from these generators without a seed of its own.
  std::srand(7);
  srand48(7);
  return gvLayout(context, graph, engine);
}

constexpr double kPerInch = 72;
constexpr std::size_t kStressLimit = 400;  // boxes; stress takes the square of them

constexpr double kGap = 24;  // between boxes

// Graphviz keeps global state: one layout at a time, in one context for good.
std::mutex one_at_a_time;

GVC_t* context() {
  static GVC_t* const only = [] {
    agseterr(AGMAX);  // warnings on stderr are nobody's business
    return gvContext();
  }();
  return only;
}

void set(void* object, const char* name, const std::string& value) {
  agsafeset(object, const_cast<char*>(name), const_cast<char*>(value.c_str()),
            const_cast<char*>(""));
}

// A Graphviz graph with its boxes and links, and what a layout left in it.
class Graph {
 public:
  Graph(const std::vector<Size>& boxes, const std::vector<Link>& links, bool directed)
      : graph_(agopen(const_cast<char*>("g"), directed ? Agdirected : Agundirected, nullptr)) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      Agnode_t* node = agnode(graph_, const_cast<char*>(fmt::format("n{}", i).c_str()), 1);
      set(node, "shape", "box");
      set(node, "label", "");
      set(node, "fixedsize", "true");
      set(node, "width", fmt::format("{:.4f}", boxes[i].width / kPerInch));
      set(node, "height", fmt::format("{:.4f}", boxes[i].height / kPerInch));
      nodes_.push_back(node);
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      Agedge_t* edge = agedge(graph_, nodes_[at(links[i].from)], nodes_[at(links[i].to)],
                              const_cast<char*>(fmt::format("e{}", i).c_str()), 1);
      if (links[i].length > 0) set(edge, "len", fmt::format("{:.4f}", links[i].length / kPerInch));
      if (links[i].weight != 1) set(edge, "weight", fmt::format("{}", links[i].weight));
      set(edge, "arrowhead", "none");
      edges_.push_back(edge);
    }
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (laid_out_) gvFreeLayout(context(), graph_);
    agclose(graph_);
  }

  void option(const char* name, const std::string& value) { set(graph_, name, value); }
  void place(const std::vector<Point>& points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      set(nodes_[i], "pos", fmt::format("{:.3f},{:.3f}", points[i].x, points[i].y));
    }
  }
  void layout(const char* engine) {
    laid_out_ = lay_out(context(), graph_, engine) == 0;
    CRADLE_ASSERT(laid_out_, "Graphviz has laid the graph out");
  }
  std::vector<Point> centres() const {
    std::vector<Point> out;
    for (Agnode_t* node : nodes_) out.push_back({ND_coord(node).x, ND_coord(node).y});
    return out;
  }
  std::vector<Point> curve(std::size_t link) const {
    std::vector<Point> out;
    const splines* found = ED_spl(edges_[link]);
    if (found == nullptr || found->size == 0) return out;
    const bezier& first = found->list[0];
    for (int i = 0; i < first.size; ++i) out.push_back({first.list[i].x, first.list[i].y});
    return out;
  }
  Size size() const { return {GD_bb(graph_).UR.x, GD_bb(graph_).UR.y}; }

 private:
  Agraph_t* graph_;
  std::vector<Agnode_t*> nodes_;
  std::vector<Agedge_t*> edges_;
  bool laid_out_ = false;
};

// So that parts that do not hang together stay in sight of each other.
std::vector<Link> connected(std::size_t boxes, std::vector<Link> links) {
  std::vector<std::size_t> part(boxes);
  for (std::size_t i = 0; i < boxes; ++i) part[i] = i;
  const auto root = [&](std::size_t i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  for (const Link& link : links) part[root(at(link.from))] = root(at(link.to));
  for (std::size_t i = 1; i < boxes; ++i) {
    if (root(i) == root(0)) continue;
    links.push_back({0, static_cast<int>(i), 260});
    part[root(i)] = root(0);
  }
  return links;
}

std::vector<Point> attract(const std::vector<Size>& boxes, const std::vector<Link>& links) {
  Graph graph(boxes, connected(boxes.size(), links), false);
  graph.option("overlap", "true");
  graph.option("splines", "false");
  graph.option("start", "7");
  const bool small = boxes.size() <= kStressLimit;
  if (!small) graph.option("maxiter", "150");
  graph.layout(small ? "neato" : "sfdp");
  return graph.centres();
}

// Turns the main axis across, and the flow of power from left to right.
void orient(std::vector<Point>& points, const std::vector<Link>& links) {
  Point mean;
  for (const Point& p : points) mean = {mean.x + p.x, mean.y + p.y};
  const double n = static_cast<double>(std::max<std::size_t>(points.size(), 1));
  mean = {mean.x / n, mean.y / n};
  double xx = 0, xy = 0, yy = 0;
  for (Point& p : points) {
    p = {p.x - mean.x, p.y - mean.y};
    xx += p.x * p.x;
    xy += p.x * p.y;
    yy += p.y * p.y;
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  const double c = std::cos(angle), s = std::sin(angle);
  for (Point& p : points) p = {c * p.x + s * p.y, c * p.y - s * p.x};
  double rightwards = 0;
  for (const Link& link : links) rightwards += points[at(link.to)].x - points[at(link.from)].x;
  if (rightwards < 0) {
    for (Point& p : points) p = {-p.x, -p.y};
  }
}

// Links as long as wished for, on average.
void enlarge(std::vector<Point>& points, const std::vector<Link>& links) {
  double is = 0, wished = 0;
  for (const Link& link : links) {
    const Point a = points[at(link.from)], b = points[at(link.to)];
    is += std::hypot(a.x - b.x, a.y - b.y);
    wished += link.length;
  }
  if (is <= 0 || wished <= is) return;
  for (Point& p : points) p = {p.x * wished / is, p.y * wished / is};
}

// Moves boxes that overlap apart, along the side where it takes less. False if none did.
bool push_apart(const std::vector<Size>& boxes, double cell, std::vector<Point>& points) {
  std::map<std::pair<long, long>, std::vector<std::size_t>> cells;
  const auto cell_of = [&](const Point& p) {
    return std::pair(std::lround(p.x / cell), std::lround(p.y / cell));
  };
  for (std::size_t i = 0; i < points.size(); ++i) cells[cell_of(points[i])].push_back(i);
  bool pushed = false;
  const auto push = [&](std::size_t i, std::size_t j) {
    Point &a = points[i], &b = points[j];
    const double x = (boxes[i].width + boxes[j].width) / 2 + kGap - std::abs(a.x - b.x);
    const double y = (boxes[i].height + boxes[j].height) / 2 + kGap - std::abs(a.y - b.y);
    if (x <= 0 || y <= 0) return;
    pushed = true;
    double& first = x < y ? a.x : a.y;
    double& second = x < y ? b.x : b.y;
    const double by = std::min(x, y) / 2 + 0.5;
    first += first < second ? -by : by;
    second += first < second ? by : -by;
  };
  for (const auto& [at_cell, members] : cells) {
    for (long dx = -1; dx <= 1; ++dx) {
      for (long dy = -1; dy <= 1; ++dy) {
        const auto near = cells.find({at_cell.first + dx, at_cell.second + dy});
        if (near == cells.end()) continue;
        for (std::size_t i : members) {
          for (std::size_t j : near->second) {
            if (i < j) push(i, j);
          }
        }
      }
    }
  }
  return pushed;
}

// Pushing alone can go round in circles where it is crowded; a little more room helps.
void push_all_apart(const std::vector<Size>& boxes, std::vector<Point>& points) {
  double cell = 0;
  for (const Size& box : boxes) cell = std::max({cell, box.width, box.height});
  cell += 2 * kGap;
  constexpr int kRounds = 40, kPushes = 20;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kPushes; ++i) {
      if (!push_apart(boxes, cell, points)) return;
    }
    for (Point& p : points) p = {p.x * 1.08, p.y * 1.08};
  }
}

// By proximity graphs (prism), which keeps the shape but takes its time.
std::vector<Point> without_overlaps(const std::vector<Size>& boxes, const std::vector<Link>& links,
                                    const std::vector<Point>& points) {
  Graph graph(boxes, links, false);
  graph.option("overlap", "prism");
  graph.option("overlap_scaling", "0");  // as large as it is
  graph.option("sep", fmt::format("+{}", kGap / 2));
  graph.option("splines", "false");
  graph.place(points);
  graph.layout("nop");
  return graph.centres();
}

}  // namespace

std::vector<Point> spread(const std::vector<Size>& boxes, const std::vector<Link>& links) {
  if (boxes.size() < 2) return std::vector<Point>(boxes.size());
  const std::lock_guard lock(one_at_a_time);
  std::vector<Point> points = attract(boxes, links);
  orient(points, links);
  if (boxes.size() > kStressLimit) {
    enlarge(points, links);
    push_all_apart(boxes, points);
    return points;
  }
  return without_overlaps(boxes, links, points);
}

Ranked rank(const std::vector<Size>& boxes, const std::vector<Link>& links,
            const Spacing& spacing) {
  Ranked out;
  if (boxes.empty()) return out;
  const std::lock_guard lock(one_at_a_time);
  Graph graph(boxes, links, true);
  graph.option("rankdir", "LR");
  graph.option("ranksep", fmt::format("{:.2f}", spacing.along / kPerInch));
  graph.option("nodesep", fmt::format("{:.2f}", spacing.across / kPerInch));
  graph.layout("dot");
  out.size = graph.size();
  const auto flip = [&](Point p) { return Point{p.x, out.size.height - p.y}; };
  for (const Point& p : graph.centres()) out.centres.push_back(flip(p));
  for (std::size_t i = 0; i < links.size(); ++i) {
    std::vector<Point> curve = graph.curve(i);
    for (Point& p : curve) p = flip(p);
    if (curve.empty()) {
      const Point a = out.centres[at(links[i].from)], b = out.centres[at(links[i].to)];
      curve = {a, a, b, b};
    }
    out.curves.push_back(std::move(curve));
  }
  return out;
}

}  // namespace cradle::draw
