#pragma once
// On arrival at an instant, what tolerance and rounding have left of the constraints of the mode in
// which a cluster has flowed is projected away before anything is judged (semantics, 6.1).

#include <vector>

#include "core/engine/tick_evaluator.hpp"

namespace cradle::engine {

class Projection {
 public:
  Projection(Runtime& runtime, TickEvaluator& tick) : runtime_(runtime), tick_(tick) {}

  // Of a cluster that has just arrived. True if its state has changed by more than rounding.
  bool project(const Cluster& cluster);

 private:
  Runtime& runtime_;
  TickEvaluator& tick_;
  std::vector<double> changes_;
};

}  // namespace cradle::engine
