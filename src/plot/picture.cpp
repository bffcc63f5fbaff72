#include "plot/picture.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::plot {
namespace {

double magnitude(const Curve& curve) { return std::max(std::abs(curve.low), std::abs(curve.high)); }

// Two scales fit on one axis if the smaller can still be seen. What is always zero fits anywhere.
bool fits(const Picture& picture, const Panel& panel, const Curve& curve) {
  constexpr double kSeen = 30;
  if (panel.curves.size() >= kMaxCurvesPerPanel) return false;
  const double size = magnitude(curve);
  return std::all_of(panel.curves.begin(), panel.curves.end(), [&](std::size_t other) {
    const double there = magnitude(picture.curves[other]);
    return size == 0 || there == 0 || (size <= kSeen * there && there <= kSeen * size);
  });
}

void make_panels(Picture& picture, bool together) {
  std::vector<std::string> quantities;  // by panel
  for (std::size_t c = 0; c < picture.curves.size(); ++c) {
    const std::string quantity = quantity_of(picture.curves[c].name);
    std::size_t p = together ? 0 : picture.panels.size();
    while (p < picture.panels.size() &&
           (quantities[p] != quantity || !fits(picture, picture.panels[p], picture.curves[c]))) {
      ++p;
    }
    if (p == picture.panels.size()) {
      picture.panels.emplace_back();
      quantities.push_back(quantity);
    }
    picture.panels[p].curves.push_back(c);
  }
}

// Arrows stand on zero and need at least a part of the panel on their side of it.
void make_room_for_arrows(const Picture& picture, Panel& panel) {
  constexpr double kPart = 0.45;
  bool up = false, down = false;
  for (std::size_t c : panel.curves) {
    for (const Arrow& arrow : picture.curves[c].arrows) {
      panel.largest_weight = std::max(panel.largest_weight, std::abs(arrow.weight));
      (arrow.weight > 0 ? up : down) = true;
    }
  }
  if (!up && !down) return;
  panel.low = std::min(panel.low, 0.0);
  panel.high = std::max(panel.high, 0.0);
  const double rise = panel.high, fall = -panel.low;
  const double share = kPart / (1 - kPart);
  if (up) panel.high = std::max(rise, share * fall);
  if (down) panel.low = -std::max(fall, share * rise);
  if (panel.high == panel.low) {
    panel.weights_on_axis = true;
    panel.high = up ? 1.2 * panel.largest_weight : 0;
    panel.low = down ? -1.2 * panel.largest_weight : 0;
  }
}

void find_range(const Picture& picture, Panel& panel) {
  bool any = false;
  for (std::size_t c : panel.curves) {
    const Curve& curve = picture.curves[c];
    if (!curve.drawn) continue;
    panel.low = any ? std::min(panel.low, curve.low) : curve.low;
    panel.high = any ? std::max(panel.high, curve.high) : curve.high;
    any = true;
  }
  make_room_for_arrows(picture, panel);
  // What differs by rounding only is a flat line.
  const double size = std::max(std::abs(panel.low), std::abs(panel.high));
  if (panel.high - panel.low <= std::max(1e-9 * size, 1e-290)) {
    // With zero, so that it can be seen which constant it is.
    panel.low = size < 1e-290 ? -1 : std::min(panel.low, 0.0);
    panel.high = size < 1e-290 ? 1 : std::max(panel.high, 0.0);
  }
  const double margin = 0.07 * (panel.high - panel.low);
  panel.low -= margin;
  panel.high += margin;
}

void make_bands(const Trajectory& trajectory, Picture& picture) {
  for (std::size_t a = 0; a < trajectory.automata().size(); ++a) {
    picture.bands.push_back(trace_modes(trajectory, a));
  }
  // With many automata, those that move.
  const std::size_t all = picture.bands.size();
  if (all > kMaxBands) {
    std::stable_partition(picture.bands.begin(), picture.bands.end(), [](const BandRow& row) {
      return row.bands.size() > 1 || !row.visits.empty();
    });
    picture.bands.resize(kMaxBands);
    picture.more_bands = all - kMaxBands;
  }
  const auto meet = [&](const std::string& state) {
    if (std::find(picture.states.begin(), picture.states.end(), state) == picture.states.end()) {
      picture.states.push_back(state);
    }
  };
  for (const BandRow& row : picture.bands) {
    for (const Band& band : row.bands) meet(band.state);
    for (const Visit& visit : row.visits) meet(visit.state);
  }
}

}  // namespace

std::string quantity_of(const std::string& name) {
  if (name.starts_with("impulse(") && name.ends_with(')')) {
    return "impulse " + quantity_of(name.substr(8, name.size() - 9));
  }
  std::string last = name.substr(name.rfind('.') + 1);  // npos + 1 is 0
  last = last.substr(0, last.find('['));
  const auto digits = last.find_last_not_of("0123456789_");
  return digits == std::string::npos ? last : last.substr(0, digits + 1);
}

Picture draw(const Trajectory& trajectory, bool together) {
  Picture picture;
  if (trajectory.size() > 0) {
    picture.from = trajectory.instant(0).t;
    picture.to = trajectory.instant(trajectory.size() - 1).t;
  }
  if (!(picture.to > picture.from)) picture.to = picture.from + 1;
  for (std::size_t c = 0; c < trajectory.columns().size(); ++c) {
    picture.curves.push_back(trace(trajectory, c));
  }
  make_panels(picture, together);
  for (Panel& panel : picture.panels) find_range(picture, panel);
  make_bands(trajectory, picture);
  return picture;
}

}  // namespace cradle::plot
