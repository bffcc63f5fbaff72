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

bool Projection::put_positions_back(const Cluster& cluster) {
  if (!cluster.may_bind_positions) return false;
  x_.clear();
  for (StateId id : cluster.states) x_.push_back(runtime_.state.x[at(id)]);
  if (!positions_.project(cluster, runtime_.state.now, x_)) return false;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const std::size_t s = at(cluster.states[i]);
    runtime_.state.x[s] = runtime_.state.arrival_x[s] = x_[i];
  }
  return true;
}

bool Projection::project(const Cluster& cluster) {
  bool moved = sliding_.project(cluster);
  moved |= put_positions_back(cluster);
  const InstantEvaluator::View view = inside_.view();
  const InstantEvaluator::Events events = inside_.events();
  for (const auto& slot : cluster.slots) {
    const Island& island = *slot->island;
    if (!island.is_direct() || !island.is_constrained()) continue;
    inside_.begin(InstantEvaluator::View::Committed);
    if (!inside_.find_drift(*slot, changes_)) continue;
    // However little it is: what rounding of large numbers hides in each state can be more than
    // rounding in a constraint of the modes that are tried next.
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const std::size_t s = at(island.states()[i]);
      runtime_.state.x[s] += changes_[i];
      runtime_.state.arrival_x[s] = runtime_.state.x[s];
    }
    moved |= is_drift(island);
  }
  inside_.begin(view, events);
  return moved;
}

}  // namespace cradle::engine
