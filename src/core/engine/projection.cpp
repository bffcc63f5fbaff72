#include "core/engine/projection.hpp"

#include <cmath>

#include "core/plan/series.hpp"

namespace cradle::engine {

bool Projection::project(const Cluster& cluster) {
  bool moved = false;
  const TickEvaluator::View view = tick_.view();
  const TickEvaluator::Events events = tick_.events();
  for (const auto& slot : cluster.slots) {
    const Island& island = *slot->island;
    if (!island.is_direct() || !island.is_constrained()) continue;
    tick_.begin(TickEvaluator::View::Committed);
    if (!tick_.find_drift(*slot, changes_)) continue;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const std::size_t s = at(island.states()[i]);
      if (plan::Coefficient{changes_[i], runtime_.state.worth[s]}.is_zero()) continue;
      runtime_.state.x[s] += changes_[i];
      runtime_.state.arrival_x[s] = runtime_.state.x[s];
      moved = true;
    }
  }
  tick_.begin(view, events);
  return moved;
}

}  // namespace cradle::engine
