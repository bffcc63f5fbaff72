// A picture as SVG. Every signal is a group of class "curve" with its name in data-signal, and in
// it
//
//   path.line       where time flows; a gap where it is absent
//   path.jump       dashed, from the left limit to how time goes on, with circles of class end
//   path.excursion  dashed: mythical values only, nothing came of them
//   circle          mythical (hollow), pinnacle (solid), dot (present for one instant)
//   g.impulse       an arrow from zero, with its weight; those of one instant stand side by side
//                   on a path.foot that begins at their time
//
// Text never overlaps: tick labels stand in margins as wide as they are, names in lines of their
// own, and weights and states are left out where they do not fit (their <title> stays).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

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
  std::vector<Name> names;
  double y(double value) const { return bottom - axis.share(value) * (bottom - top); }
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
    begin();
    write_time_axis();
    for (std::size_t p = 0; p < picture_.panels.size(); ++p) write_panel(p);
    for (std::size_t b = 0; b < picture_.bands.size(); ++b) write_band_row(b);
    if (picture_.more_bands > 0) {
      add("<text class=\"more\" x=\"{:.1f}\" y=\"{:.1f}\">… {} more automata</text>\n", left_,
          bands_top_ + kBand * static_cast<double>(picture_.bands.size()) + 15,
          picture_.more_bands);
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
    for (std::size_t c : panel.curves) {
      const Curve& curve = picture_.curves[c];
      std::string name = curve.title;
      if (curve.left_out > 0) name += fmt::format(" ({} mythical not drawn)", curve.left_out);
      const std::string text = shortened(name, right_ - left_ - kSwatch - kFont);
      const double width = kSwatch + text_width(text) + kFont;
      if (at > left_ && at + width > right_) {
        at = left_;
        ++lines;
      }
      place.names.push_back({c, text, at, top + lines * kLine - 6});
      at += width;
    }
    return lines;
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
    for (const BandRow& row : picture_.bands) {
      margin = std::max(margin, std::min(text_width(row.automaton), 0.22 * width));
    }
    left_ = std::ceil(margin + 20);
    right_ = width - 24;
    const double header = (options_.title.empty() ? 10 : 38) + (options_.note.empty() ? 0 : kLine);
    const double band_lines =
        static_cast<double>(picture_.bands.size()) + (picture_.more_bands > 0 ? 1 : 0);
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
      places_[p].axis =
          make_axis(panel.low, panel.high, std::clamp(static_cast<int>(tall / 40), 1, 8));
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
    add(".ground{{fill:{}}}text{{fill:{}}}.mythical{{fill:{}}}.grid{{stroke:{}}}.frame,.foot{{"
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
        ".grid{{stroke-width:1}}.frame,.foot{{fill:none;stroke-width:1}}\n"
        ".band{{fill:currentColor;fill-opacity:.35;stroke:currentColor;stroke-width:.5}}\n"
        ".visit{{stroke:currentColor;stroke-width:3}}\n"
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
    add("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">t {}</text>\n</g>\n",
        (left_ + right_) / 2, y + kLine, power_of_ten(time_.exponent, true));
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
  };

  // From zero, or from the edge that is nearest to it.
  static void set_height(PlacedArrow& placed, const Panel& panel, const PanelPlace& place) {
    const double weight = placed.arrow.weight;
    placed.base = place.y(std::clamp(0.0, place.axis.low, place.axis.high));
    const double edge = weight > 0 ? placed.base - place.top : place.bottom - placed.base;
    const double room = std::max(12.0, edge - kLine);
    const double length =
        std::max(4.0, panel.weights_on_axis ? std::abs(place.y(weight) - placed.base)
                                            : room * std::abs(weight) / panel.largest_weight);
    placed.tip = weight > 0 ? placed.base - length : placed.base + length;
  }

  // In the order of hyperdense time, those of one t side by side where there is room.
  std::vector<PlacedArrow> place_arrows(const Panel& panel, const PanelPlace& place) const {
    std::vector<PlacedArrow> arrows;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      for (const Arrow& arrow : picture_.curves[panel.curves[i]].arrows) {
        arrows.push_back({arrow, i, x(arrow.at.t), 0, 0});
        set_height(arrows.back(), panel, place);
      }
    }
    std::stable_sort(arrows.begin(), arrows.end(), [](const PlacedArrow& a, const PlacedArrow& b) {
      return a.arrow.at < b.arrow.at;
    });
    for (std::size_t begin = 0; begin < arrows.size();) {
      std::size_t end = begin;
      double widest = 0;
      while (end < arrows.size() && arrows[end].arrow.at.t == arrows[begin].arrow.at.t) {
        widest = std::max(widest, text_width(weight_text(arrows[end].arrow)));
        ++end;
      }
      const double limit = end < arrows.size() ? arrows[end].x : right_;
      const double spread =
          std::min(widest + 8, (limit - arrows[begin].x) / static_cast<double>(end - begin));
      int up = 0, down = 0;
      for (std::size_t i = begin; i < end; ++i) {
        arrows[i].x += spread * (arrows[i].arrow.weight > 0 ? up++ : down++);
      }
      begin = end;
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

  // Arrows that stand side by side are all of the first one's time.
  void write_feet(const std::vector<PlacedArrow>& arrows) {
    for (std::size_t begin = 0; begin < arrows.size();) {
      std::size_t end = begin;
      double last = arrows[begin].x;
      for (; end < arrows.size() && arrows[end].arrow.at.t == arrows[begin].arrow.at.t; ++end) {
        last = std::max(last, arrows[end].x);
      }
      const double from = x(arrows[begin].arrow.at.t);
      if (last - from > 1) {
        add("<path class=\"foot\" d=\"M{:.1f} {:.1f}v5H{:.1f}v-5\"/>\n", from, arrows[begin].base,
            last);
      }
      begin = end;
    }
  }

  void write_arrows(const Panel& panel, const PanelPlace& place) {
    const std::vector<PlacedArrow> arrows = place_arrows(panel, place);
    std::vector<Box> taken = boxes_of_marks(panel, place);
    for (const PlacedArrow& each : arrows) {
      taken.push_back(
          {each.x - 4, std::min(each.base, each.tip), each.x + 4, std::max(each.base, each.tip)});
    }
    write_feet(arrows);
    for (const PlacedArrow& each : arrows) {
      const double size = std::clamp(each.base - each.tip, -8.0, 8.0);
      const std::string label = weight_text(each.arrow);
      add("<g class=\"impulse c{}{}\" data-signal=\"{}\" data-t=\"{}\" data-weight=\"{}\" "
          "data-kind=\"{}\"><title>{} {}: impulse {} ({})</title>"
          "<path class=\"arrow\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>"
          "<path class=\"arrow\" style=\"stroke-dasharray:none\" d=\"M{:.1f} {:.1f}l{:.1f} "
          "{:.1f}h{:.1f}z\"/>",
          each.index, each.arrow.tried ? " tried" : "",
          escaped(picture_.curves[panel.curves[each.index]].name), each.arrow.at.t,
          text::short_number(each.arrow.weight), to_string(each.arrow.kind),
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

  void write_band_row(std::size_t index) {
    const BandRow& row = picture_.bands[index];
    const double top = bands_top_ + kBand * static_cast<double>(index);
    add("<g class=\"modes\" data-automaton=\"{}\"><title>{}</title>"
        "<text class=\"right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        escaped(row.automaton), escaped(row.automaton), left_ - 8, top + 14,
        escaped(shortened(row.automaton, left_ - 16)));
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
