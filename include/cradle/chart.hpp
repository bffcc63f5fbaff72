#pragma once
// Pictures of numbers that are no run: response curves, heat maps, histograms, Bode and Nyquist
// diagrams. One panel below the other, each with axes of its own. Includes no third-party header.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cradle/plot.hpp"

namespace cradle {

struct ChartAxis {
  std::string label = {};
  bool log = false;                           // values that are not positive are not drawn
  std::optional<double> low = {}, high = {};  // default: what holds all values
};

struct ChartSeries {
  enum class Kind {
    Line,
    Dots,
    Crosses,  // as poles are marked
    Rings,    // as zeros are
    Bars,     // of a histogram: (left edge, height); the last point only ends the last bar
  };
  std::string name = {};  // in the legend; empty: it has no entry
  Kind kind = Kind::Line;
  std::vector<std::pair<double, double>> points = {};  // what is not finite is a gap
  std::optional<double> shade = {};  // a value on the panel's scale, which gives its colour
  bool dashed = false;
  bool dotted = false;  // of a line: its points are marked
};

struct ChartCell {  // of a heat map
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  std::optional<double> value = {};  // nullopt: crossed out
};

struct ChartPanel {
  std::string title = {};
  ChartAxis x = {}, y = {};
  std::vector<ChartSeries> series = {};
  std::vector<ChartCell> cells = {};
  ChartAxis scale = {};     // of cells and shades, shown at the side if it has a label
  bool same_scale = false;  // x and y in the same unit of length, as in the plane of poles
};

// Self-contained; the same panels give the same text.
std::string chart_svg(const std::vector<ChartPanel>& panels, const PlotOptions& options = {});

}  // namespace cradle
