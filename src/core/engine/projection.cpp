#include "core/engine/projection.hpp"

#include <cmath>

#include "core/plan/series.hpp"

namespace cradle::engine {

// More than rounding, in some state?
bool Projection::is_drift(const Island& island) const {
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const double worth = runtime_.state.worth[at(island.states()[i])];
    if (!plan::Coefficient{changes_[i], worth}.is_zero()) return true;
  }
  return false;
}

bool Projection::project(const Cluster& cluster) {
  bool moved = sliding_.project(cluster);
  const TickEvaluator::View view = tick_.view();
  const TickEvaluator::Events events = tick_.events();
  for (const auto& slot : cluster.slots) {
    const Island& island = *slot->island;
    if (!island.is_direct() || !island.is_constrained()) continue;
    tick_.begin(TickEvaluator::View::Committed);
    if (!tick_.find_drift(*slot, changes_)) continue;
    // However little it is: what rounding of large numbers hides in each state can be more than
    // rounding in a constraint of the modes that are tried next.
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const std::size_t s = at(island.states()[i]);
      runtime_.state.x[s] += changes_[i];
      runtime_.state.arrival_x[s] = runtime_.state.x[s];
    }
    moved |= is_drift(island);
  }
  tick_.begin(view, events);
  return moved;
}

}  // namespace cradle::engine
