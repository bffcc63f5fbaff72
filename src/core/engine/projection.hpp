#pragma once
// On arrival at an instant, what tolerance and rounding have left of the constraints of the mode in
// which a cluster has flowed, and of the borders that it has slid along, is projected away before
// anything is judged (semantics, 6.1 and 6.2).

#include <vector>

#include "core/engine/sliding.hpp"
#include "core/engine/tick_evaluator.hpp"

namespace cradle::engine {

class Projection {
 public:
  Projection(Runtime& runtime, TickEvaluator& tick, Sliding& sliding)
      : runtime_(runtime), tick_(tick), sliding_(sliding) {}

  // Of a cluster that has just arrived. True if its state has changed by more than rounding.
  bool project(const Cluster& cluster);

 private:
  bool is_drift(const Island& island) const;

  Runtime& runtime_;
  TickEvaluator& tick_;
  Sliding& sliding_;
  std::vector<double> changes_;
};

}  // namespace cradle::engine
