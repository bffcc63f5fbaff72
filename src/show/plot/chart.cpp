// Charts as SVG. Every series is a group of class "series" with its name in data-series; cells are
// rects of class "cell" with data-value.

#include "cradle/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "show/plot/axis.hpp"
#include "show/plot/lettering.hpp"
#include "show/plot/palette.hpp"
#include "show/text/table.hpp"

namespace cradle {

namespace plot {
namespace {

struct ChartRange {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void see(double value, bool log) {
    if (!std::isfinite(value) || (log && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// An axis with its ticks, linear or in the logarithm.
struct ChartScale {
  bool log = false;
  double low = 0, high = 1;
  std::vector<double> ticks;
  std::vector<std::string> labels;
  std::string factor;  // ×10³

  double share(double value) const {
    if (log) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
  }
};

std::string power_label(int exponent) {
  if (exponent >= -3 && exponent <= 5) return text::short_number(std::pow(10.0, exponent), 3);
  return "10" + power_of_ten(exponent, true).substr(std::string("×10").size());
}

ChartScale log_scale(double low, double high, int ticks) {
  ChartScale out;
  out.log = true;
  if (!(low > 0) || !(high > 0)) low = 1, high = 10;
  if (!(high > low)) low /= 2, high *= 2;
  out.low = low;
  out.high = high;
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  const int decades = std::max(1, last - first), step = std::max(1, (decades + ticks - 1) / ticks);
  const bool within = decades <= 2;
  for (int k = first; k <= last; k += step) {
    for (const int factor : {1, 2, 5}) {
      if (factor > 1 && !within) break;
      const double at = factor * std::pow(10.0, k);
      if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9)) continue;
      out.ticks.push_back(at);
      out.labels.push_back(factor == 1 ? power_label(k) : text::short_number(at, 3));
    }
  }
  return out;
}

ChartScale linear_scale(double low, double high, int ticks) {
  const Axis axis = make_axis(low, high, ticks);
  ChartScale out;
  out.low = axis.low;
  out.high = axis.high;
  out.ticks = axis.ticks;
  out.labels = axis.labels;
  out.factor = power_of_ten(axis.exponent, true);
  return out;
}

ChartScale scale_of(const ChartAxis& axis, ChartRange range, bool pad, int ticks) {
  if (!(range.low <= range.high)) range = {axis.log ? 1.0 : 0.0, axis.log ? 10.0 : 1.0};
  if (pad && range.low == range.high && !axis.log) {
    const double around = std::max(std::abs(range.low), 1e-300);
    range = {range.low - 0.5 * around, range.high + 0.5 * around};
    if (range.low == range.high) range = {-1, 1};
  } else if (pad && !axis.log) {
    const double margin = 0.05 * (range.high - range.low);
    range = {range.low - margin, range.high + margin};
  } else if (pad && range.high > range.low) {
    const double margin = std::pow(range.high / range.low, 0.04);
    range = {range.low / margin, range.high * margin};
  }
  const double low = axis.low.value_or(range.low), high = axis.high.value_or(range.high);
  return axis.log ? log_scale(low, high, ticks) : linear_scale(low, high, ticks);
}

// Viridis (Smith and van der Walt, 2015), which colour-blind people and grey printers keep in
// order.
std::string shade_colour(double share) {
  static constexpr std::array<std::array<int, 3>, 9> kAnchors = {{{{68, 1, 84}},
                                                                  {{72, 40, 120}},
                                                                  {{62, 74, 137}},
                                                                  {{49, 104, 142}},
                                                                  {{38, 130, 142}},
                                                                  {{31, 158, 137}},
                                                                  {{53, 183, 121}},
                                                                  {{109, 205, 89}},
                                                                  {{253, 231, 37}}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kAnchors.size() - 1);
  const auto i = std::min<std::size_t>(static_cast<std::size_t>(at), kAnchors.size() - 2);
  const double part = at - static_cast<double>(i);
  const auto mix = [&](std::size_t k) {
    return static_cast<int>(std::lround((1 - part) * kAnchors[i][k] + part * kAnchors[i + 1][k]));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

class ChartSvg {
 public:
  ChartSvg(const std::vector<ChartPanel>& panels, const PlotOptions& options)
      : panels_(panels), options_(options) {}

  std::string text() {
    width_ = std::max(240, options_.width);
    const double header = options_.title.empty() ? 8 : 38 + (options_.note.empty() ? 0 : kTextLine);
    const double count = static_cast<double>(std::max<std::size_t>(1, panels_.size()));
    const double each = std::max(kLeastHeight, (options_.height - header) / count);
    height_ = header + each * count;
    begin();
    std::vector<Place> places;
    double left = 0;
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      places.push_back(lay_out(panels_[p], header + each * static_cast<double>(p), each));
      left = std::max(left, places.back().left);
    }
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      places[p].left = left;  // one below the other
      if (panels_[p].same_scale) equalise(places[p]);
      write_panel(panels_[p], places[p], header + each * static_cast<double>(p));
    }
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  static constexpr double kTextLine = 20, kLeastHeight = 220;

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void write_theme(const Palette& palette) {
    add(".ground{{fill:{}}}text{{fill:{}}}.grid{{stroke:{}}}.frame,.zero{{stroke:{}}}.none{{stroke:"
        "{}}}\n",
        palette.ground, palette.ink, palette.faint, palette.ink, palette.ink);
    for (std::size_t i = 0; i < palette.colours.size(); ++i) {
      add(".c{}{{color:{}}}", i, palette.colours[i]);
    }
    out_ += '\n';
  }

  void begin() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" style=\"max-width:100%;height:auto\" role=\"img\">\n<title>{}</title>\n",
        width_, height_, width_, height_,
        escaped(options_.title.empty() ? "chart" : options_.title));
    add("<style>\ntext{{font:{}px \"DejaVu Sans\",Verdana,system-ui,sans-serif}}\n"
        ".title{{font-size:18px;font-weight:bold}}.heading{{font-weight:bold}}\n"
        ".line{{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}}\n"
        ".dot,.bar{{fill:currentColor}}.bar{{fill-opacity:.6;stroke:currentColor}}\n"
        ".cross,.ring{{fill:none;stroke:currentColor;stroke-width:2}}\n"
        ".grid{{stroke-width:1}}.frame,.zero,.none{{fill:none;stroke-width:1}}\n"
        ".zero{{stroke-opacity:.5}}.right{{text-anchor:end}}.middle{{text-anchor:middle}}\n",
        kFont);
    const bool dark = options_.theme == PlotOptions::Theme::Dark;
    write_theme(dark ? kDark : kLight);
    if (options_.theme == PlotOptions::Theme::Automatic) {
      out_ += "@media (prefers-color-scheme:dark){\n";
      write_theme(kDark);
      out_ += "}\n";
    }
    out_ += "</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n";
    if (options_.title.empty()) return;
    add("<text class=\"title\" x=\"20\" y=\"26\">{}</text>\n",
        escaped(shortened(options_.title, 0.7 * width_)));
    if (options_.note.empty()) return;
    add("<text class=\"note\" x=\"20\" y=\"46\">{}</text>\n",
        escaped(shortened(options_.note, width_ - 40)));
  }

  // ---- One panel ----

  struct Place {
    double left = 0, top = 0, right = 0, bottom = 0;
    ChartScale x, y, shade;
    int across = 0, down = 0;  // ticks
    double x_of(double value) const { return left + x.share(value) * (right - left); }
    double y_of(double value) const { return bottom - y.share(value) * (bottom - top); }
  };

  static void ranges(const ChartPanel& panel, ChartRange& x, ChartRange& y, ChartRange& shade) {
    for (const ChartSeries& series : panel.series) {
      for (const auto& [at, value] : series.points) {
        if (!std::isfinite(at) || !std::isfinite(value)) continue;
        if ((panel.x.log && at <= 0) || (panel.y.log && value <= 0)) continue;
        x.see(at, panel.x.log);
        y.see(value, panel.y.log);
        if (series.kind == ChartSeries::Kind::Bars && !panel.y.log) y.see(0, false);
      }
      if (series.shade) shade.see(*series.shade, panel.scale.log);
    }
    for (const ChartCell& cell : panel.cells) {
      x.see(cell.x0, panel.x.log);
      x.see(cell.x1, panel.x.log);
      y.see(cell.y0, panel.y.log);
      y.see(cell.y1, panel.y.log);
      if (cell.value) shade.see(*cell.value, panel.scale.log);
    }
  }

  Place lay_out(const ChartPanel& panel, double top, double height) const {
    ChartRange x, y, shade;
    ranges(panel, x, y, shade);
    const bool bars = std::any_of(panel.series.begin(), panel.series.end(),
                                  [](const auto& s) { return s.kind == ChartSeries::Kind::Bars; });
    const bool pad = panel.cells.empty();
    Place out;
    out.top =
        top + (panel.title.empty() ? 6 : kTextLine + 6) + (legend_size(panel) > 0 ? kTextLine : 0);
    out.bottom = top + height - 2 * kTextLine - 14;
    const int across = std::clamp(static_cast<int>(width_ / 110), 3, 10);
    const int down = std::clamp(static_cast<int>((out.bottom - out.top) / 45), 3, 8);
    out.y = scale_of(panel.y, y, pad, down);
    if (bars && y.low == 0)
      out.y = scale_of({panel.y.label, panel.y.log, 0.0, panel.y.high}, y, true, down);
    out.shade = scale_of(panel.scale, shade, false, down);
    double margin = 24;
    for (const std::string& label : out.y.labels) margin = std::max(margin, text_width(label));
    out.left = std::ceil(margin + 24 + (panel.y.label.empty() ? 0 : kTextLine));
    const double side = panel.scale.label.empty() ? 24 : 120;
    out.right = width_ - side;
    const bool marks = std::any_of(panel.series.begin(), panel.series.end(), [](const auto& s) {
      return s.dotted || (s.kind != ChartSeries::Kind::Line && s.kind != ChartSeries::Kind::Bars);
    });
    out.x = scale_of(panel.x, x, pad && marks, across);
    out.across = across;
    out.down = down;
    return out;
  }

  // The shorter axis is widened about its middle.
  static void equalise(Place& place) {
    const double per_x = (place.x.high - place.x.low) / (place.right - place.left);
    const double per_y = (place.y.high - place.y.low) / (place.bottom - place.top);
    const double unit = std::max(per_x, per_y);
    const auto widened = [unit](const ChartScale& scale, double pixels, int ticks) {
      const double middle = 0.5 * (scale.low + scale.high), half = 0.5 * unit * pixels;
      return linear_scale(middle - half, middle + half, ticks);
    };
    if (unit > per_x) place.x = widened(place.x, place.right - place.left, place.across);
    if (unit > per_y) place.y = widened(place.y, place.bottom - place.top, place.down);
  }

  static std::size_t legend_size(const ChartPanel& panel) {
    return static_cast<std::size_t>(
        std::count_if(panel.series.begin(), panel.series.end(),
                      [](const ChartSeries& series) { return !series.name.empty(); }));
  }

  void write_panel(const ChartPanel& panel, const Place& place, double top) {
    out_ += "<g class=\"panel\">\n";
    if (!panel.title.empty()) {
      add("<text class=\"heading\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", place.left, top + 17,
          escaped(shortened(panel.title, place.right - place.left)));
    }
    write_grid(panel, place);
    write_cells(panel, place);
    for (std::size_t s = 0; s < panel.series.size(); ++s) write_series(panel, place, s);
    add("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        place.left, place.top, place.right - place.left, place.bottom - place.top);
    write_legend(panel, place);
    if (!panel.scale.label.empty()) write_scale(panel, place);
    out_ += "</g>\n";
  }

  void write_grid(const ChartPanel& panel, const Place& place) {
    double free_from = 0;
    for (std::size_t i = 0; i < place.x.ticks.size(); ++i) {
      const double at = place.x_of(place.x.ticks[i]);
      add("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", at, place.top, place.bottom);
      const std::string label = with_minus(place.x.labels[i]);
      const double half = text_width(label) / 2;
      if (at - half < free_from || at + half > width_) continue;
      add("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at, place.bottom + 18,
          label);
      free_from = at + half + 8;
    }
    double free_below = place.bottom + kTextLine;
    for (std::size_t i = 0; i < place.y.ticks.size(); ++i) {
      const double at = place.y_of(place.y.ticks[i]);
      add("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", place.left, at, place.right);
      if (at > free_below) continue;
      add("<text class=\"right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", place.left - 8, at + 5,
          with_minus(place.y.labels[i]));
      free_below = at - kFont - 2;
    }
    write_zero(place);
    const auto labelled = [](const ChartAxis& axis, const ChartScale& scale) {
      return axis.label + (scale.factor.empty() ? "" : " " + scale.factor);
    };
    add("<text class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        (place.left + place.right) / 2, place.bottom + 2 * kTextLine,
        escaped(shortened(labelled(panel.x, place.x), place.right - place.left)));
    const std::string up = labelled(panel.y, place.y);
    if (up.empty()) return;
    const double middle = (place.top + place.bottom) / 2;
    add("<text class=\"middle\" transform=\"translate(18 {:.1f}) rotate(-90)\">{}</text>\n", middle,
        escaped(shortened(up, place.bottom - place.top)));
  }

  void write_zero(const Place& place) {
    if (!place.y.log && place.y.low < 0 && place.y.high > 0) {
      add("<path class=\"zero\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", place.left, place.y_of(0),
          place.right);
    }
    if (!place.x.log && place.x.low < 0 && place.x.high > 0) {
      add("<path class=\"zero\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", place.x_of(0), place.top,
          place.bottom);
    }
  }

  void write_cells(const ChartPanel& panel, const Place& place) {
    for (const ChartCell& cell : panel.cells) {
      const double x0 = place.x_of(cell.x0), x1 = place.x_of(cell.x1);
      const double y0 = place.y_of(cell.y1), y1 = place.y_of(cell.y0);
      if (!cell.value) {
        add("<path class=\"none\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} "
            "{:.1f}\"/>\n",
            x0, y0, x1, y1, x0, y1, x1, y0);
        continue;
      }
      add("<rect class=\"cell\" data-value=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
          "height=\"{:.2f}\" fill=\"{}\"/>\n",
          text::short_number(*cell.value, 6), x0, y0, x1 - x0 + 0.3, y1 - y0 + 0.3,
          shade_colour(place.shade.share(*cell.value)));
    }
  }

  static std::string colour_of(const ChartSeries& series, const Place& place, std::size_t index) {
    if (series.shade) {
      return fmt::format("style=\"color:{}\"", shade_colour(place.shade.share(*series.shade)));
    }
    return fmt::format("class=\"c{}\"", index % kMaxCurvesPerPanel);
  }

  void write_series(const ChartPanel& panel, const Place& place, std::size_t index) {
    const ChartSeries& series = panel.series[index];
    add("<g {}><g class=\"series\" data-series=\"{}\">", colour_of(series, place, index),
        escaped(series.name));
    switch (series.kind) {
      case ChartSeries::Kind::Line:
        write_polyline(panel, series, place);
        if (series.dotted) write_marks(panel, series, place);
        break;
      case ChartSeries::Kind::Bars:
        write_bars(series, place);
        break;
      default:
        write_marks(panel, series, place);
    }
    out_ += "</g></g>\n";
  }

  static bool is_drawn(const ChartPanel& panel, double x, double y) {
    return std::isfinite(x) && std::isfinite(y) && !(panel.x.log && x <= 0) &&
           !(panel.y.log && y <= 0);
  }

  // Far outside is as good as just outside, and no renderer minds it.
  static double bounded(double pixel) { return std::clamp(pixel, -20000.0, 40000.0); }

  void write_polyline(const ChartPanel& panel, const ChartSeries& series, const Place& place) {
    const std::string clip = fmt::format("clip{}", clips_++);
    add("<clipPath id=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>"
        "</clipPath><path class=\"line\" clip-path=\"url(#{})\"{} d=\"",
        clip, place.left, place.top, place.right - place.left, place.bottom - place.top, clip,
        series.dashed ? " stroke-dasharray=\"6 4\"" : "");
    char command = 'M';
    for (const auto& [x, y] : series.points) {
      if (!is_drawn(panel, x, y)) {
        command = 'M';
        continue;
      }
      add("{}{:.1f} {:.1f}", command, bounded(place.x_of(x)), bounded(place.y_of(y)));
      command = 'L';
    }
    out_ += "\"/>";
  }

  void write_marks(const ChartPanel& panel, const ChartSeries& series, const Place& place) {
    for (const auto& [x, y] : series.points) {
      if (!is_drawn(panel, x, y)) continue;
      const double at = place.x_of(x), up = place.y_of(y);
      if (at < place.left - 1 || at > place.right + 1 || up < place.top - 1 ||
          up > place.bottom + 1)
        continue;
      if (series.kind == ChartSeries::Kind::Crosses) {
        add("<path class=\"cross\" d=\"M{:.1f} {:.1f}l12 12m0 -12l-12 12\"/>", at - 6, up - 6);
      } else {
        add("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>",
            series.kind == ChartSeries::Kind::Rings ? "ring" : "dot", at, up,
            series.kind == ChartSeries::Kind::Rings ? "6" : "3");
      }
    }
  }

  void write_bars(const ChartSeries& series, const Place& place) {
    for (std::size_t i = 0; i + 1 < series.points.size(); ++i) {
      const double left = place.x_of(series.points[i].first);
      const double right = place.x_of(series.points[i + 1].first);
      const double top = place.y_of(series.points[i].second), bottom = place.y_of(place.y.low);
      add("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
          left, top, std::max(0.5, right - left), std::max(0.0, bottom - top));
    }
  }

  void write_legend(const ChartPanel& panel, const Place& place) {
    double at = place.left;
    for (std::size_t s = 0; s < panel.series.size(); ++s) {
      const ChartSeries& series = panel.series[s];
      if (series.name.empty()) continue;
      const std::string name = shortened(series.name, 0.4 * (place.right - place.left));
      const double wide = 34 + text_width(name) + kFont;
      if (at + wide > place.right) break;  // the rest stays as titles
      add("<g {}><path class=\"line\" style=\"stroke-width:4\"{} d=\"M{:.1f} {:.1f}h20\"/><text "
          "x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
          colour_of(series, place, s), series.dashed ? " stroke-dasharray=\"6 4\"" : "", at,
          place.top - 11, at + 26, place.top - 6, escaped(name));
      at += wide;
    }
  }

  void write_scale(const ChartPanel& panel, const Place& place) {
    constexpr int kSteps = 64;
    const double left = place.right + 16, wide = 14;
    const double step = (place.bottom - place.top) / kSteps;
    for (int i = 0; i < kSteps; ++i) {
      add("<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"{}\"/>", left,
          place.bottom - (i + 1) * step, wide, step + 0.3, shade_colour((i + 0.5) / kSteps));
    }
    for (std::size_t i = 0; i < place.shade.ticks.size(); ++i) {
      const double at =
          place.bottom - place.shade.share(place.shade.ticks[i]) * (place.bottom - place.top);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + wide + 6, at + 5,
          with_minus(place.shade.labels[i]));
    }
    const std::string label =
        panel.scale.label + (place.shade.factor.empty() ? "" : " " + place.shade.factor);
    add("<text class=\"right\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", width_ - 8, place.top - 6,
        escaped(shortened(label, 0.4 * width_)));
  }

  const std::vector<ChartPanel>& panels_;
  const PlotOptions& options_;
  double width_ = 0, height_ = 0;
  int clips_ = 0;
  std::string out_;
};

}  // namespace
}  // namespace plot

std::string chart_svg(const std::vector<ChartPanel>& panels, const PlotOptions& options) {
  return plot::ChartSvg(panels, options).text();
}

}  // namespace cradle
