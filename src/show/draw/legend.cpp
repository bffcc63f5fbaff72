#include "show/draw/legend.hpp"

#include <fmt/format.h>

#include "show/draw/style.hpp"

namespace cradle::draw {
namespace {

constexpr double kRow = 22, kSymbol = 40, kBetween = 24;

const char* text_of(Sign sign) {
  switch (sign) {
    case Sign::HalfArrow:
      return "half-arrow: power";
    case Sign::CausalStroke:
      return "causal stroke: effort goes there";
    case Sign::Dependent:
      return "dependent store";
    case Sign::Inactive:
      return "inactive";
    case Sign::Loop:
      return "algebraic loop";
    case Sign::Conflict:
      return "conflict";
    case Sign::Present:
      return "present state";
    case Sign::Signal:
      return "signal";
    default:
      return "after infinitesimal time";
  }
}

std::string line(const char* classes, Point p, const std::string& more = {}) {
  return fmt::format("<g class=\"{}\"><path class=\"line\" d=\"M{} L{}\"/>{}</g>", classes, pair(p),
                     pair({p.x + 32, p.y}), more);
}
std::string path(const char* css_class, Point a, Point b) {
  return fmt::format("<path class=\"{}\" d=\"M{} L{}\"/>", css_class, pair(a), pair(b));
}

// `p`: its left end.
std::string symbol(Sign sign, Point p) {
  const Point end{p.x + 32, p.y}, middle{p.x + 16, p.y};
  switch (sign) {
    case Sign::HalfArrow:
      return line("key", p, path("half-arrow", end, {end.x - 12, end.y - 7}));
    case Sign::CausalStroke:
      return line("key", p, path("causal-stroke", {end.x, end.y - 7}, {end.x, end.y + 7}));
    case Sign::Dependent:
      return "<g class=\"key dependent\">" + rounded_box(middle, {30, 14}, 4, "box") + "</g>";
    case Sign::Inactive:
      return line("key inactive", p);
    case Sign::Loop:
      return line("key loop", p);
    case Sign::Conflict:
      return line("key conflict", p);
    case Sign::Present:
      return "<g class=\"key present\">" + rounded_box(middle, {30, 14}, 6, "state-box") + "</g>";
    case Sign::Signal:
      return path("signal", p, end) +
             fmt::format("<path class=\"signal-head\" d=\"{}\"/>", arrow_head({p, end}));
    default:
      return text_at({p.x + 26, p.y}, kTextSize, "kind", "ε");
  }
}

// Left ends of the symbols, from (0, 0) on.
std::vector<Point> flow(const std::vector<Sign>& signs, double width) {
  std::vector<Point> out;
  Point next;
  for (Sign sign : signs) {
    const double taken = kSymbol + text_width(text_of(sign), kSmallSize);
    if (next.x > 0 && next.x + taken > width) next = {0, next.y + kRow};
    out.push_back(next);
    next.x += taken + kBetween;
  }
  return out;
}

}  // namespace

double legend_height(const std::vector<Sign>& signs, double width) {
  return signs.empty() ? 0 : flow(signs, width).back().y + kRow;
}

void draw_legend(const std::vector<Sign>& signs, Point corner, double width, std::string& svg) {
  const std::vector<Point> places = flow(signs, width);
  svg += "<g class=\"legend\">\n";
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const Point p{corner.x + places[i].x, corner.y + kRow / 2 + places[i].y};
    svg += symbol(signs[i], p);
    svg += fmt::format("<text class=\"small start\" x=\"{}\" y=\"{}\">{}</text>\n",
                       number(p.x + kSymbol), number(p.y + 4), text_of(signs[i]));
  }
  svg += "</g>\n";
}

}  // namespace cradle::draw
