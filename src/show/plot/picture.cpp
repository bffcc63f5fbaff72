#include "show/plot/picture.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::plot {
namespace {

// What decides which curves share a panel.
struct Extent {
  std::string quantity;
  double size = 0;  // of its largest value
};

Extent extent_of(const Curve& curve) {
  const auto [name, unit] = name_and_unit(curve.title);
  return {quantity_of(name) + unit, std::max(std::abs(curve.low), std::abs(curve.high))};
}

// Two scales fit on one axis if the smaller can still be seen. What is always zero fits anywhere.
bool fit(const Extent& a, const Extent& b) {
  constexpr double kSeen = 30;
  return a.quantity == b.quantity &&
         (a.size == 0 || b.size == 0 || (a.size <= kSeen * b.size && b.size <= kSeen * a.size));
}

std::vector<std::vector<std::size_t>> group(const std::vector<Extent>& curves, bool together) {
  std::vector<std::vector<std::size_t>> panels;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const auto takes = [&](const std::vector<std::size_t>& panel) {
      return panel.size() < kMaxCurvesPerPanel &&
             std::all_of(panel.begin(), panel.end(),
                         [&](std::size_t other) { return fit(curves[c], curves[other]); });
    };
    auto panel = together ? std::find_if(panels.begin(), panels.end(), takes) : panels.end();
    if (panel == panels.end()) panel = panels.emplace(panel);
    panel->push_back(c);
  }
  return panels;
}

void make_panels(Picture& picture, bool together) {
  std::vector<Extent> extents;
  for (const Curve& curve : picture.curves) extents.push_back(extent_of(curve));
  for (auto& curves : group(extents, together)) {
    picture.panels.emplace_back().curves = std::move(curves);
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
    panel.high = up ? 1.4 * panel.largest_weight : 0;
    panel.low = down ? -1.4 * panel.largest_weight : 0;
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

std::vector<std::vector<std::size_t>> panels_of(const Trajectory& trajectory,
                                                const std::vector<std::size_t>& columns) {
  // One curve at a time: a long run is not copied.
  std::vector<Extent> extents;
  extents.reserve(columns.size());
  for (std::size_t column : columns) extents.push_back(extent_of(trace(trajectory, column)));
  std::vector<std::vector<std::size_t>> panels = group(extents, true);
  for (auto& panel : panels) {
    for (std::size_t& curve : panel) curve = columns[curve];
  }
  return panels;
}

}  // namespace cradle::plot
