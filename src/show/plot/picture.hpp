#pragma once
// What is drawn where, before pixels or characters: panels over one time axis, bands below.

#include <string>
#include <vector>

#include "show/plot/curve.hpp"

namespace cradle::plot {

inline constexpr std::size_t kMaxCurvesPerPanel = 7;  // as many as colours
inline constexpr std::size_t kMaxBands = 16;

struct Panel {
  std::vector<std::size_t> curves;
  double low = 0, high = 1;  // holds every value, and zero if there are arrows
  // Impulses have an axis of their own, whose zero stands where that of the values stands. It is
  // the same for all panels of one unit, so that tiny ones look tiny. Without any: 0, 0.
  double weight_low = 0, weight_high = 0;
  std::string weight_title = {};  // impulse [V*s]
  bool has_weights() const { return weight_low < weight_high; }
};

struct Picture {
  double from = 0, to = 1;
  std::vector<Curve> curves;
  std::vector<Panel> panels;
  std::vector<BandRow> truths;  // of signals that are true or false: their curves are in no panel
  std::vector<BandRow> bands;
  std::size_t more_bands = 0;       // automata that have no band
  std::vector<std::string> states;  // of all automata: by colour, the same in all pictures
  std::string time_unit;
};

// Signals of one quantity share a panel if `together`: body1.p and body2.p, x1 and x3, i and
// diode.i; unless one is so small that it would be a flat line.
Picture draw(const Trajectory& trajectory, bool together);

// The same division into panels, of these columns, without the curves.
std::vector<std::vector<std::size_t>> panels_of(const Trajectory& trajectory,
                                                const std::vector<std::size_t>& columns);

// What a name says about the quantity: "p" for body1.p, "x" for x3, "v" for ball[2].v.
std::string quantity_of(const std::string& name);

}  // namespace cradle::plot
