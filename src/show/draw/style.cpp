#include "show/draw/style.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cradle::draw {

std::string pair(Point p) { return number(p.x) + "," + number(p.y); }

std::string curve_path(const std::vector<Point>& curve) {
  std::string out = "M" + pair(curve.front());
  for (std::size_t i = 1; i + 2 < curve.size(); i += 3) {
    out += " C" + pair(curve[i]) + " " + pair(curve[i + 1]) + " " + pair(curve[i + 2]);
  }
  return out;
}

std::string arrow_head(const std::vector<Point>& curve) {
  const Point tip = curve.back();
  Point from = curve[curve.size() - 2];
  if (std::hypot(tip.x - from.x, tip.y - from.y) < 0.5) from = curve.front();
  const double length = std::max(std::hypot(tip.x - from.x, tip.y - from.y), 1e-9);
  const Point d{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const Point left{tip.x - 7 * d.x + 3 * d.y, tip.y - 7 * d.y - 3 * d.x};
  const Point right{tip.x - 7 * d.x - 3 * d.y, tip.y - 7 * d.y + 3 * d.x};
  return "M" + pair(tip) + " L" + pair(left) + " L" + pair(right) + " Z";
}

std::string text_at(Point centre, double size, std::string_view css_class, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", css_class, number(centre.x),
                     number(centre.y + 0.36 * size), escaped(text));
}

std::string rounded_box(Point centre, Size size, double radius, std::string_view css_class) {
  return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
                     css_class, number(centre.x - size.width / 2),
                     number(centre.y - size.height / 2), number(size.width), number(size.height),
                     number(radius));
}

namespace {

struct Theme {
  const char *paper, *ink, *soft, *panel;
  const char *present, *on_present, *dependent, *on_dependent, *loop, *conflict;
};
constexpr Theme kLight{"#ffffff", "#000000",    "#767676", "#f4f4f4",   svg::kBlue,
                       "#ffffff", svg::kOrange, "#000000", svg::kGreen, svg::kVermilion};
constexpr Theme kDark{"#16181d", "#f2f2f2",    "#8f959e", "#22252c", svg::kSky,
                      "#000000", svg::kOrange, "#000000", "#2fc39a", "#ff7a24"};
// The light ones, unless the page has others.
constexpr Theme kPage{"var(--draw-paper, #ffffff)",     "var(--draw-ink, #000000)",
                      "var(--draw-soft, #767676)",      "var(--draw-panel, #f4f4f4)",
                      "var(--draw-present, #0072b2)",   "var(--draw-on-present, #ffffff)",
                      "var(--draw-dependent, #e69f00)", "var(--draw-on-dependent, #000000)",
                      "var(--draw-loop, #009e73)",      "var(--draw-conflict, #d55e00)"};

const Theme& theme_of(Colours colours) {
  return colours == Colours::Light ? kLight : colours == Colours::Dark ? kDark : kPage;
}

}  // namespace

std::string style_sheet(Colours colours) {
  const Theme& t = theme_of(colours);
  std::string out = "<style>\n";
  const auto rule = [&](const char* selector, const std::string& what) {
    out += fmt::format("{} {{ {} }}\n", selector, what);
  };
  rule("text", fmt::format("font-family: Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
                           "sans-serif; font-size: {}px; fill: {}; text-anchor: middle",
                           number(kTextSize), t.ink));
  rule(".small", fmt::format("font-size: {}px", number(kSmallSize)));
  rule(".heading", "font-size: 18px; font-weight: bold; text-anchor: start");
  rule(".start", "text-anchor: start");
  rule(".kind", "font-weight: bold");
  rule(".paper", fmt::format("fill: {}", t.paper));
  rule(".line, .half-arrow, .causal-stroke, .circle",
       fmt::format("fill: none; stroke: {}; stroke-width: 1.4; stroke-linecap: round", t.ink));
  rule(".causal-stroke", "stroke-width: 2.4");
  rule(".circle", fmt::format("fill: {}", t.paper));
  rule(".controlled .circle", "stroke-width: 2.4");
  rule(".box", fmt::format("fill: {}; stroke: none", t.paper));  // hides what passes behind a text
  rule(".dependent .box",
       fmt::format("fill: {}; stroke: {}; stroke-width: 1.4", t.dependent, t.ink));
  rule(".dependent text", fmt::format("fill: {}", t.on_dependent));
  rule(".loop .line, .loop .half-arrow, .loop .causal-stroke",
       fmt::format("stroke: {}; stroke-width: 3", t.loop));
  rule(
      ".conflict .line, .conflict .half-arrow, .conflict .causal-stroke, .conflict .circle, "
      ".conflict .box",
      fmt::format("stroke: {}; stroke-width: 3", t.conflict));
  rule(".mark", fmt::format("fill: {}; font-weight: bold", t.conflict));
  rule(".inactive .line, .inactive .circle, .tie", "stroke-dasharray: 5 4");
  rule(".inactive", "opacity: 0.55");
  rule(".tie",
       fmt::format("fill: none; stroke: {}; stroke-width: 1; stroke-dasharray: 1.5 3", t.soft));
  rule(".panel", fmt::format("fill: {}; stroke: {}; stroke-width: 1", t.panel, t.soft));
  rule(".state-box", fmt::format("fill: {}; stroke: {}; stroke-width: 1.2", t.paper, t.ink));
  rule(".present > .state-box", fmt::format("fill: {}", t.present));
  rule(".present > .state-name", fmt::format("fill: {}; font-weight: bold", t.on_present));
  rule(".present > .law", fmt::format("fill: {}", t.on_present));
  rule(".final > .state-box", "stroke-width: 3");
  rule(".arrow", fmt::format("fill: none; stroke: {}; stroke-width: 1.1", t.ink));
  rule(".head", fmt::format("fill: {}", t.ink));
  rule(".part-box", fmt::format("fill: {}; stroke: {}; stroke-width: 1.4", t.panel, t.ink));
  rule(".named-box", fmt::format("fill: {}; stroke: {}; stroke-width: 1.1", t.paper, t.present));
  rule(".signal",
       fmt::format("fill: none; stroke: {}; stroke-width: 1.2; stroke-dasharray: 6 3", t.present));
  rule(".signal-head", fmt::format("fill: {}", t.present));
  return out + "</style>\n";
}

}  // namespace cradle::draw
