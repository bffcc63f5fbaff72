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

void make_panels(const Trajectory& trajectory, Picture& picture, bool together) {
  std::vector<Extent> extents;
  std::vector<std::size_t> numbers;
  for (std::size_t c = 0; c < picture.curves.size(); ++c) {
    if (trajectory.layout().is_truth(c)) continue;
    numbers.push_back(c);
    extents.push_back(extent_of(picture.curves[c]));
  }
  for (auto& curves : group(extents, together)) {
    for (std::size_t& curve : curves) curve = numbers[curve];
    picture.panels.emplace_back().curves = std::move(curves);
  }
}

// Of zero between the ends of an axis: 0 at the lower one.
double share_of_zero(const Panel& panel) {
  const double values = panel.high - panel.low, weights = panel.weight_high - panel.weight_low;
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0.0; };
  const double below = std::max(share(-panel.low, values), share(-panel.weight_low, weights));
  const double above = std::max(share(panel.high, values), share(panel.weight_high, weights));
  return below / (below + above);
}

// The least axis with this share of zero that holds both.
void stretch_to(double zero, double& low, double& high) {
  const double length = std::max(zero > 0 ? -low / zero : 0.0, zero < 1 ? high / (1 - zero) : 0.0);
  low = -zero * length;
  high = (1 - zero) * length;
}

// Arrows stand on zero.
void align_zeros(Panel& panel) {
  if (!panel.has_weights()) return;
  panel.low = std::min(panel.low, 0.0);
  panel.high = std::max(panel.high, 0.0);
  if (panel.high - panel.low <= 1e-290) {
    panel.high = panel.weight_high > 0 ? 1 : 0;
    panel.low = panel.weight_low < 0 ? -1 : 0;
  }
  const double zero = share_of_zero(panel);
  stretch_to(zero, panel.low, panel.high);
  stretch_to(zero, panel.weight_low, panel.weight_high);
}

void find_weights(const Trajectory& trajectory, const Picture& picture, Panel& panel) {
  constexpr double kAir = 1.15;  // for the number above the longest arrow
  for (std::size_t c : panel.curves) {
    for (const Arrow& arrow : picture.curves[c].arrows) {
      panel.weight_low = std::min(panel.weight_low, kAir * arrow.weight);
      panel.weight_high = std::max(panel.weight_high, kAir * arrow.weight);
      const auto unit = name_and_unit(trajectory.layout().impulse_title(c)).second;
      panel.weight_title = unit.empty() ? "impulse" : "impulse [" + unit + "]";
    }
  }
}

// What is a thousandth of the largest impulse is hardly there, and shall look so.
void share_weights(Picture& picture) {
  constexpr double kHardly = 1e-3;
  for (Panel& panel : picture.panels) {
    if (!panel.has_weights()) continue;
    double largest = 0;
    for (const Panel& other : picture.panels) {
      if (other.weight_title != panel.weight_title) continue;
      largest = std::max({largest, other.weight_high, -other.weight_low});
    }
    if (std::max(panel.weight_high, -panel.weight_low) >= kHardly * largest) continue;
    (panel.weight_high > 0 ? panel.weight_high : panel.weight_low) =
        panel.weight_high > 0 ? largest : -largest;
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
  align_zeros(panel);
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
  const double weights = 0.07 * (panel.weight_high - panel.weight_low);
  panel.weight_low -= weights;
  panel.weight_high += weights;
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
  picture.states = trajectory.layout().state_names();
  for (std::size_t c = 0; c < trajectory.columns().size(); ++c) {
    if (trajectory.layout().is_truth(c)) picture.truths.push_back(trace_truth(trajectory, c));
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
  picture.time_unit = trajectory.layout().time_unit();
  make_panels(trajectory, picture, together);
  for (Panel& panel : picture.panels) find_weights(trajectory, picture, panel);
  share_weights(picture);
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
