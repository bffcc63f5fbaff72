// A picture as SVG. Every signal is a group of class "curve" with its name in data-signal, and in
// it
//
//   path.line       where time flows; a gap where it is absent
//   path.jump       dashed, from the left limit to how time goes on, with circles of class end
//   path.excursion  dashed: mythical values only, nothing came of them
//   circle          mythical (hollow), pinnacle (solid), dot (present for one instant)
//   g.impulse       an arrow at its time, from zero, with its weight, by the axis of impulses on
//   the
//                   right (g.weights); data-height is its length by that axis
//
// What is true or false is no curve but a lane, g.truth with data-signal: rect.true and path.false
// while it lasts, path.visit and circle.visit for an instant. Automata have lanes, too: g.modes.
//
// Text never overlaps: tick labels stand in margins as wide as they are, names in lines of their
// own, and weights and states are left out where they do not fit (their <title> stays).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "cradle/plot.hpp"
#include "show/plot/axis.hpp"
#include "show/plot/lettering.hpp"
#include "show/plot/palette.hpp"
#include "show/plot/picture.hpp"
#include "show/plot/thin.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

constexpr double kCharacter = 0.62 * kFont;  // wider than most
constexpr double kLine = 20;                 // of text
constexpr double kGap = 12;
constexpr double kBand = 20;
constexpr double kLeastPanel = 80;

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct Name {  // in the legend of a panel
  std::size_t curve = 0;
  std::string text;
  double x = 0, y = 0;
};

struct PanelPlace {
  double top = 0, bottom = 0;
  Axis axis;
  Axis weights;  // of impulses, if there are any
  std::vector<Name> names;
  double y(double value) const { return bottom - axis.share(value) * (bottom - top); }
  double y_of_weight(double weight) const {
    return bottom - weights.share(weight) * (bottom - top);
  }
};

class SvgPlot {
 public:
  SvgPlot(const Trajectory& trajectory, const PlotOptions& options)
      : options_(options), picture_(draw(trajectory, true)) {}

  std::string text() {
    lay_out();
    const Columns columns{picture_.from, picture_.to,
                          std::max(1, static_cast<int>(right_ - left_))};
    for (Curve& curve : picture_.curves) thin(curve, columns);
    for (BandRow& row : picture_.bands) thin(row, columns);
    for (BandRow& row : picture_.truths) thin(row, columns);
    begin();
    write_time_axis();
    for (std::size_t p = 0; p < picture_.panels.size(); ++p) write_panel(p);
    double lane = bands_top_;
    for (const BandRow& row : picture_.truths) write_truth(row, std::exchange(lane, lane + kBand));
    for (const BandRow& row : picture_.bands) write_modes(row, std::exchange(lane, lane + kBand));
    if (picture_.more_bands > 0) {
      add("<text class=\"more\" x=\"{:.1f}\" y=\"{:.1f}\">… {} more automata</text>\n", left_,
          lane + 15, picture_.more_bands);
    }
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  double x(double t) const { return left_ + time_.share(t) * (right_ - left_); }

  // Names side by side, as many to a line as fit; returns the number of lines.
  int place_names(const Panel& panel, PanelPlace& place, double top) const {
    constexpr double kSwatch = 26;
    double at = left_;
    int lines = 1;
    // The heading of the axis of impulses stands to the right of them.
    const double right = right_ - (panel.has_weights() ? weight_heading_width(panel) + kFont : 0);
    for (std::size_t c : panel.curves) {
      const Curve& curve = picture_.curves[c];
      std::string name = curve.title;
      if (curve.left_out > 0) name += fmt::format(" ({} mythical not drawn)", curve.left_out);
      const std::string text = shortened(name, right - left_ - kSwatch - kFont);
      const double width = kSwatch + text_width(text) + kFont;
      if (at > left_ && at + width > right) {
        at = left_;
        ++lines;
      }
      place.names.push_back({c, text, at, top + lines * kLine - 6});
      at += width;
    }
    return lines;
  }

  static std::string weight_heading(const Panel& panel) { return "↑ " + panel.weight_title; }
  static double weight_heading_width(const Panel& panel) {
    return text_width(weight_heading(panel) + " ×10⁻⁰⁰");
  }

  // As wide as the numbers at the axes of impulses.
  double right_margin() const {
    double widest = 0;
    for (const Panel& panel : picture_.panels) {
      if (!panel.has_weights()) continue;
      for (const auto& label : make_axis(panel.weight_low, panel.weight_high, 10).labels) {
        widest = std::max(widest, text_width(label) + 16);
      }
    }
    return std::max(24.0, std::ceil(widest));
  }

  void lay_out() {
    const double width = std::max(240, options_.width);
    const std::size_t count = picture_.panels.size();
    places_.assign(count, {});
    // The left margin: for the widest tick, whatever the height will be, and the automata.
    double margin = 3 * kCharacter;
    for (const Panel& panel : picture_.panels) {
      for (const auto& label : make_axis(panel.low, panel.high, 10).labels) {
        margin = std::max(margin, text_width(label));
      }
    }
    for (const auto* rows : {&picture_.truths, &picture_.bands}) {
      for (const BandRow& row : *rows) {
        margin = std::max(margin, std::min(text_width(row.name), 0.22 * width));
      }
    }
    left_ = std::ceil(margin + 20);
    right_ = width - right_margin();
    const double header = (options_.title.empty() ? 10 : 38) + (options_.note.empty() ? 0 : kLine);
    const double band_lines = static_cast<double>(picture_.truths.size() + picture_.bands.size()) +
                              (picture_.more_bands > 0 ? 1 : 0);
    const double footer = (band_lines > 0 ? band_lines * kBand + kGap : 0) + 2 * kLine + 8;
    double names = 0;
    for (std::size_t p = 0; p < count; ++p) {
      PanelPlace probe;
      names += place_names(picture_.panels[p], probe, 0) * kLine + kGap;
    }
    const double free = options_.height - header - footer - names;
    const double tall =
        std::max(kLeastPanel, std::floor(free / std::max<double>(1, static_cast<double>(count))));
    double at = header;
    for (std::size_t p = 0; p < count; ++p) {
      const Panel& panel = picture_.panels[p];
      at += place_names(panel, places_[p], at) * kLine;
      places_[p].top = at;
      places_[p].bottom = at + tall;
      const int ticks = std::clamp(static_cast<int>(tall / 40), 1, 8);
      places_[p].axis = make_axis(panel.low, panel.high, ticks);
      if (panel.has_weights()) {
        places_[p].weights = make_axis(panel.weight_low, panel.weight_high, ticks);
      }
      at += tall + kGap;
    }
    bands_top_ = at;
    axis_ = at + (band_lines > 0 ? band_lines * kBand + kGap / 2 : -kGap);
    width_ = width;
    height_ = std::max<double>(options_.height, std::ceil(axis_ + 2 * kLine + 8));
    time_ = make_axis(picture_.from, picture_.to,
                      std::clamp(static_cast<int>((right_ - left_) / 85), 2, 12));
  }

  void write_theme(const Palette& palette) {
    add(".ground{{fill:{}}}text{{fill:{}}}.mythical{{fill:{}}}.grid{{stroke:{}}}.frame,.tick{{"
        "stroke:{}}}"
        ".weight{{stroke:{}}}\n",
        palette.ground, palette.ink, palette.ground, palette.faint, palette.ink, palette.ground);
    for (std::size_t i = 0; i < palette.colours.size(); ++i) {
      add(".c{}{{color:{}}}", i, palette.colours[i]);
    }
    out_ += '\n';
  }

  void write_style() {
    add("<style>\n"
        "text{{font:{}px \"DejaVu Sans\",Verdana,system-ui,sans-serif}}\n"
        ".title{{font-size:18px;font-weight:bold}}\n"
        ".line{{fill:none;stroke:currentColor;stroke-linejoin:round}}\n"
        ".jump,.excursion{{fill:none;stroke:currentColor;stroke-width:1.5;stroke-dasharray:5 3}}\n"
        ".excursion{{stroke-width:1;stroke-dasharray:2 3}}\n"
        ".end,.pinnacle,.dot{{fill:currentColor}}\n"
        ".mythical{{stroke:currentColor;stroke-width:1.8}}\n"
        ".arrow{{stroke:currentColor;stroke-width:2;fill:currentColor}}\n"
        ".tried .arrow{{stroke-dasharray:4 2;fill:none}}\n"
        ".grid{{stroke-width:1}}.frame,.tick{{fill:none;stroke-width:1}}\n"
        ".band{{fill:currentColor;fill-opacity:.35;stroke:currentColor;stroke-width:.5}}\n"
        ".visit{{stroke:currentColor;stroke-width:3}}\n"
        ".true{{fill:currentColor;fill-opacity:.35;stroke:currentColor;stroke-width:1.2}}\n"
        ".false{{fill:none;stroke:currentColor;stroke-width:1.2}}\n"
        ".truth .visit{{stroke-width:1.5;fill:currentColor}}.truth .fails{{fill:none}}\n"
        ".weight{{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}}\n"
        ".right{{text-anchor:end}}.middle{{text-anchor:middle}}\n",
        kFont);
    if (options_.theme == PlotOptions::Theme::Dark) {
      write_theme(kDark);
    } else {
      write_theme(kLight);
    }
    if (options_.theme == PlotOptions::Theme::Automatic) {
      out_ += "@media (prefers-color-scheme:dark){\n";
      write_theme(kDark);
      out_ += "}\n";
    }
    out_ += "</style>\n";
  }

  void begin() {
    const std::string title = escaped(options_.title.empty() ? "trajectories" : options_.title);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" style=\"max-width:100%;height:auto\" role=\"img\">\n<title>{}</title>\n",
        width_, height_, width_, height_, title);
    write_style();
    out_ += "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n";
    if (!options_.title.empty()) {
      add("<text class=\"title\" x=\"{:.1f}\" y=\"26\">{}</text>\n", left_,
          escaped(shortened(options_.title, 0.75 * (right_ - left_))));
    }
    if (!options_.note.empty()) {
      add("<text class=\"note\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", left_,
          options_.title.empty() ? 16 : 44, escaped(shortened(options_.note, right_ - left_)));
    }
  }

  void write_time_axis() {
    out_ += "<g class=\"time\">\n";
    double free_from = 0;
    const double y = axis_ + kLine;
    for (std::size_t i = 0; i < time_.ticks.size(); ++i) {
      const double at = x(time_.ticks[i]);
      for (const PanelPlace& place : places_) {
        add("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", at, place.top, place.bottom);
      }
      const std::string label = with_minus(time_.labels[i]);
      const double half = text_width(label) / 2;
      if (at - half < free_from || at + half > width_) continue;
      add("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at, y, label);
      free_from = at + half + kCharacter;
    }
    add("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">t{}{}</text>\n</g>\n",
        (left_ + right_) / 2, y + kLine,
        time_.exponent == 0 ? "" : " " + power_of_ten(time_.exponent, true),
        picture_.time_unit.empty() ? "" : " [" + picture_.time_unit + "]");
  }

  // Of impulses, on the right.
  void write_weight_axis(const Panel& panel, const PanelPlace& place) {
    out_ += "<g class=\"weights\">";
    double free_below = place.bottom + kLine;
    for (std::size_t i = 0; i < place.weights.ticks.size(); ++i) {
      const double y = place.y_of_weight(place.weights.ticks[i]);
      add("<path class=\"tick\" d=\"M{:.1f} {:.1f}h5\"/>", right_, y);
      if (y > free_below) continue;
      add("<text class=\"weight-tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", right_ + 8, y + 5,
          with_minus(place.weights.labels[i]));
      free_below = y - kFont - 2;
    }
    const std::string power = power_of_ten(place.weights.exponent, true);
    add("<text class=\"right weight-name\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text></g>\n", right_,
        place.top - 6, escaped(weight_heading(panel)), power.empty() ? "" : " " + power);
  }

  void write_panel(std::size_t p) {
    const Panel& panel = picture_.panels[p];
    const PanelPlace& place = places_[p];
    add("<g class=\"panel\" data-panel=\"{}\">\n", p);
    double free_below = place.bottom + kLine;
    for (std::size_t i = 0; i < place.axis.ticks.size(); ++i) {
      const double y = place.y(place.axis.ticks[i]);
      add("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", left_, y, right_);
      if (y > free_below) continue;
      add("<text class=\"right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left_ - 8, y + 5,
          with_minus(place.axis.labels[i]));
      free_below = y - kFont - 2;
    }
    add("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        left_, place.top, right_ - left_, place.bottom - place.top);
    if (place.axis.exponent != 0) {
      add("<text class=\"right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left_ - 8, place.top - 6,
          power_of_ten(place.axis.exponent, true));
    }
    // What jumps all the time would hide the others.
    std::vector<std::size_t> order(panel.curves.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto dense = [&](std::size_t i) {
      return picture_.curves[panel.curves[i]].jumps.size() > kMaxMythical;
    };
    std::stable_partition(order.begin(), order.end(), dense);
    for (std::size_t i : order) write_curve(panel, place, i);
    if (panel.has_weights()) write_weight_axis(panel, place);
    write_arrows(panel, place);
    for (std::size_t i = 0; i < place.names.size(); ++i) {
      const Name& name = place.names[i];
      add("<g class=\"name c{}\"><path class=\"line\" stroke-width=\"4\" d=\"M{:.1f} {:.1f}h18\"/>"
          "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
          i, name.x, name.y - 5, name.x + 24, name.y, escaped(name.text));
    }
    out_ += "</g>\n";
  }

  // Curves that coincide can all be seen: the first is the widest.
  static double line_width(std::size_t index, std::size_t count) {
    constexpr double kThin = 1.8;
    if (count < 2) return kThin;
    const double step = std::min(1.5, 3.6 / static_cast<double>(count - 1));
    return kThin + step * static_cast<double>(count - 1 - index);
  }

  void write_curve(const Panel& panel, const PanelPlace& place, std::size_t index) {
    const Curve& curve = picture_.curves[panel.curves[index]];
    add("<g class=\"curve c{}\" data-signal=\"{}\"><title>{}</title>\n", index, escaped(curve.name),
        escaped(curve.name));
    write_line(curve, place, line_width(index, panel.curves.size()));
    for (std::size_t i = 0; i < curve.jumps.size(); ++i) {
      const auto t = [&](std::size_t k) { return curve.jumps[k].t; };
      write_jump(curve.jumps[i], place, room_around(i, curve.jumps.size(), t));
    }
    const double below = static_cast<double>(panel.curves.size() - 1);
    const double ring =
        std::min(1.7, 6 / std::max(1.0, below)) * (below - static_cast<double>(index));
    for (std::size_t i = 0; i < curve.marks.size(); ++i) {
      const Mark& mark = curve.marks[i];
      const auto t = [&](std::size_t k) { return curve.marks[k].at.t; };
      const double room = room_around(i, curve.marks.size(), t);
      // Marks in one place can all be seen: the first is the largest.
      const double radius = std::clamp(0.4 * room, 1.0, mark.tried ? 4 + ring : 4);
      write_mark(mark, place, mark.tried ? "mythical" : "pinnacle", radius);
    }
    for (const Mark& dot : curve.dots) write_mark(dot, place, "dot", 3.2);
    out_ += "</g>\n";
  }

  // Pixels to the nearest neighbour in time.
  template <class Time>
  double room_around(std::size_t i, std::size_t count, Time t) const {
    double room = right_ - left_;
    for (std::size_t k = i; k-- > 0;) {
      if (t(k) == t(i)) continue;
      room = std::min(room, x(t(i)) - x(t(k)));
      break;
    }
    for (std::size_t k = i + 1; k < count; ++k) {
      if (t(k) == t(i)) continue;
      room = std::min(room, x(t(k)) - x(t(i)));
      break;
    }
    return room;
  }

  void write_line(const Curve& curve, const PanelPlace& place, double width) {
    constexpr double kTolerance = 0.15;  // pixels
    add("<path class=\"line\" stroke-width=\"{:.1f}\" d=\"", width);
    for (const auto& piece : curve.pieces) {
      std::vector<Point> pixels;
      pixels.reserve(piece.size());
      for (const Point& point : piece) pixels.push_back({x(point.t), place.y(point.y)});
      char command = 'M';
      for (const Point& pixel : straighten(pixels, kTolerance)) {
        add("{}{:.1f} {:.1f}", command, pixel.t, pixel.y);
        command = 'L';
      }
    }
    out_ += "\"/>\n";
  }

  void write_jump(const Jump& jump, const PanelPlace& place, double room) {
    const double at = x(jump.t);
    const bool real = jump.from != jump.to || jump.count > 1;
    add("<path class=\"{}\" data-t=\"{}\" data-from=\"{}\" data-to=\"{}\"",
        real ? "jump" : "excursion", jump.t, text::short_number(jump.from),
        text::short_number(jump.to));
    if (jump.count > 1) add(" data-count=\"{}\"", jump.count);
    if (room < 4) out_ += " style=\"stroke-dasharray:none;stroke-width:1;stroke-opacity:.5\"";
    add(" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", at, place.y(jump.low), place.y(jump.high));
    if (real && room >= 5) {
      for (double y : {jump.from, jump.to}) {
        add("<circle class=\"end\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", at, place.y(y),
            std::clamp(0.22 * room, 1.5, 3.0));
      }
    }
    out_ += '\n';
  }

  void write_mark(const Mark& mark, const PanelPlace& place, const char* what, double radius) {
    add("<circle class=\"{}\" data-t=\"{}\" data-y=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">"
        "<title>{} {}: {}</title></circle>\n",
        what, mark.at.t, text::short_number(mark.y), x(mark.at.t), place.y(mark.y), radius, what,
        text::short_instant(mark.at, 6), text::short_number(mark.y, 6));
  }

  struct PlacedArrow {
    Arrow arrow;
    std::size_t index = 0;  // of the curve in the panel
    double x = 0, base = 0, tip = 0;
    double head = 0;  // its length
  };
  static constexpr double kHead = 8;

  // At their times, in the order of hyperdense time. Of those of one time the longest stands
  // behind, so that every head is seen.
  std::vector<PlacedArrow> place_arrows(const Panel& panel, const PanelPlace& place) const {
    std::vector<PlacedArrow> arrows;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      for (const Arrow& arrow : picture_.curves[panel.curves[i]].arrows) {
        arrows.push_back({arrow, i, x(arrow.at.t), place.y_of_weight(0),
                          place.y_of_weight(arrow.weight), kHead});
      }
    }
    std::stable_sort(arrows.begin(), arrows.end(), [](const PlacedArrow& a, const PlacedArrow& b) {
      if (a.arrow.at.t != b.arrow.at.t) return a.arrow.at.t < b.arrow.at.t;
      return std::abs(a.arrow.weight) > std::abs(b.arrow.weight);
    });
    // Heads in one place can all be seen: the first is the largest.
    for (std::size_t i = arrows.size(); i-- > 1;) {
      PlacedArrow& behind = arrows[i - 1];
      const PlacedArrow& before = arrows[i];
      const bool meet =
          behind.arrow.at.t == before.arrow.at.t && std::abs(behind.tip - before.tip) < kHead / 2;
      if (meet) behind.head = std::min(before.head + 5, 3 * kHead);
    }
    return arrows;
  }

  static std::string weight_text(const Arrow& arrow) {
    return with_minus(text::short_number(arrow.weight, 3));
  }

  std::vector<Box> boxes_of_marks(const Panel& panel, const PanelPlace& place) const {
    std::vector<Box> boxes;
    for (std::size_t c : panel.curves) {
      for (const Mark& mark : picture_.curves[c].marks) {
        const double at = x(mark.at.t), y = place.y(mark.y);
        boxes.push_back({at - 4, y - 4, at + 4, y + 4});
      }
    }
    return boxes;
  }

  // Over the tip, beside it, or nowhere.
  void write_weight(const std::string& label, const PlacedArrow& arrow, const PanelPlace& place,
                    std::vector<Box>& taken) {
    const double half = text_width(label) / 2, at = arrow.x;
    const bool up = arrow.tip < arrow.base;
    const double over = up ? arrow.tip - 4 : arrow.tip + kFont;
    const double beside = up ? arrow.tip + 10 : arrow.tip;
    for (const Point& spot :
         {Point{at, over}, Point{at + half + 7, beside}, Point{at - half - 7, beside}}) {
      const Box box{spot.t - half, spot.y - kFont, spot.t + half, spot.y + 2};
      const bool fits = box.left >= left_ && box.right <= right_ && box.top >= place.top &&
                        box.bottom <= place.bottom + 1 &&
                        std::none_of(taken.begin(), taken.end(),
                                     [&](const Box& other) { return box.meets(other); });
      if (!fits) continue;
      taken.push_back(box);
      add("<text class=\"middle weight\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", spot.t, spot.y,
          label);
      return;
    }
  }

  void write_arrows(const Panel& panel, const PanelPlace& place) {
    const std::vector<PlacedArrow> arrows = place_arrows(panel, place);
    std::vector<Box> taken = boxes_of_marks(panel, place);
    for (const PlacedArrow& each : arrows) {
      taken.push_back(
          {each.x - 4, std::min(each.base, each.tip), each.x + 4, std::max(each.base, each.tip)});
    }
    for (const PlacedArrow& each : arrows) {
      // Never longer than the arrow.
      const double size = std::clamp(each.base - each.tip, -each.head, each.head);
      const std::string label = weight_text(each.arrow);
      add("<g class=\"impulse c{}{}\" data-signal=\"{}\" data-t=\"{}\" data-weight=\"{}\" "
          "data-kind=\"{}\" data-height=\"{}\"><title>{} {}: impulse {} ({})</title>"
          "<path class=\"arrow\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>"
          "<path class=\"arrow\" style=\"stroke-dasharray:none\" d=\"M{:.1f} {:.1f}l{:.1f} "
          "{:.1f}h{:.1f}z\"/>",
          each.index, each.arrow.tried ? " tried" : "",
          escaped(picture_.curves[panel.curves[each.index]].name), each.arrow.at.t,
          text::short_number(each.arrow.weight), to_string(each.arrow.kind),
          text::short_number(each.base - each.tip, 4),
          escaped(picture_.curves[panel.curves[each.index]].name),
          text::short_instant(each.arrow.at, 6), text::short_number(each.arrow.weight, 6),
          to_string(each.arrow.kind), each.x, each.base, each.tip + size, each.x, each.tip,
          -size / 2, size, size);
      write_weight(label, each, place, taken);
      out_ += "</g>\n";
    }
  }

  std::size_t colour_of(const std::string& state) const {
    const auto found = std::find(picture_.states.begin(), picture_.states.end(), state);
    return static_cast<std::size_t>(found - picture_.states.begin()) % kMaxCurvesPerPanel;
  }

  // In the middle of the band, or wherever no visit is in the way.
  void write_state(const BandRow& row, const std::string& text, double from, double width,
                   double top) {
    const double half = text_width(text) / 2 + 3;
    for (double share : {0.5, 0.25, 0.75, 0.1, 0.9}) {
      const double at = from + share * width;
      if (at - half < from || at + half > from + width) continue;
      const bool free = std::none_of(row.visits.begin(), row.visits.end(), [&](const Visit& visit) {
        return std::abs(x(visit.at.t) - at) < half;
      });
      if (!free) continue;
      add("<text class=\"middle state\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at, top + 13.5,
          escaped(text));
      return;
    }
  }

  void begin_lane(const BandRow& row, const char* attributes, double top) {
    add("<g {}=\"{}\"><title>{}</title>"
        "<text class=\"right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        attributes, escaped(row.name), escaped(row.name), left_ - 8, top + 14,
        escaped(shortened(row.name, left_ - 16)));
  }

  // A box while it is true, a line below while it is false; for an instant an upright line with a
  // solid or a hollow head.
  void write_truth(const BandRow& row, double top) {
    begin_lane(row, "class=\"truth c0\" data-signal", top);
    const double bottom = top + kBand - 3;
    for (const Band& band : row.bands) {
      const double from = x(band.from), width = x(band.to) - from;
      const std::string what = band.count > 1 ? fmt::format("{} changes", band.count)
                                              : fmt::format("{} from {} to {}", band.state,
                                                            text::short_number(band.from, 6),
                                                            text::short_number(band.to, 6));
      if (band.count > 1 || band.state == "true") {
        add("<rect class=\"true\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
            "data-from=\"{}\" data-to=\"{}\"><title>{}</title></rect>\n",
            from, top + 2, width, bottom - top - 2, band.from, band.to, what);
        if (band.count > 1) write_state(row, what, from, width, top);
      } else {
        add("<path class=\"false\" d=\"M{:.1f} {:.1f}h{:.1f}\" data-from=\"{}\" "
            "data-to=\"{}\"><title>{}</title></path>\n",
            from, bottom, width, band.from, band.to, what);
      }
    }
    for (const Visit& visit : row.visits) {
      const bool holds = visit.state == "true";
      add("<g data-t=\"{}\" data-state=\"{}\"><title>{} at {}</title>"
          "<path class=\"visit\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>"
          "<circle class=\"visit {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/></g>\n",
          visit.at.t, visit.state, visit.state, text::short_instant(visit.at, 6), x(visit.at.t),
          bottom, top + 7, holds ? "holds" : "fails", x(visit.at.t), top + 4);
    }
    out_ += "</g>\n";
  }

  void write_modes(const BandRow& row, double top) {
    begin_lane(row, "class=\"modes\" data-automaton", top);
    for (const Band& band : row.bands) {
      const double from = x(band.from), width = x(band.to) - from;
      if (width <= 0) continue;
      if (band.count > 1) {
        const std::string text = fmt::format("{} moves", band.count);
        add("<rect class=\"band fast c6\" data-count=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" "
            "width=\"{:.1f}\" height=\"{}\"><title>{}</title></rect>\n",
            band.count, from, top, width, kBand - 3, text);
        write_state(row, text, from, width, top);
        continue;
      }
      add("<rect class=\"band c{}\" data-state=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{}\"><title>{} from {} to {}</title></rect>",
          colour_of(band.state), escaped(band.state), from, top, width, kBand - 3,
          escaped(band.state), text::short_number(band.from, 6), text::short_number(band.to, 6));
      write_state(row, band.state, from, width, top);
      out_ += '\n';
    }
    for (const Visit& visit : row.visits) {
      add("<path class=\"visit c{}\" data-state=\"{}\" data-t=\"{}\" d=\"M{:.1f} {:.1f}v{}\">"
          "<title>{} at {}</title></path>\n",
          colour_of(visit.state), escaped(visit.state), visit.at.t, x(visit.at.t), top - 1,
          kBand - 1, escaped(visit.state), text::short_instant(visit.at, 6));
    }
    out_ += "</g>\n";
  }

  const PlotOptions& options_;
  Picture picture_;
  std::vector<PanelPlace> places_;
  Axis time_;
  double left_ = 0, right_ = 0, width_ = 0, height_ = 0;
  double bands_top_ = 0, axis_ = 0;
  std::string out_;
};

}  // namespace
}  // namespace cradle::plot

std::string cradle::plot_svg(const Trajectory& trajectory, const PlotOptions& options) {
  return plot::SvgPlot(trajectory, options).text();
}
