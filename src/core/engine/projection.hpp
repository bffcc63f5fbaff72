#pragma once
// On arrival at an instant, what tolerance and rounding have left of the constraints of the mode in
// which a cluster has flowed, of the positions that they bind, and of the borders that it has slid
// along, is projected away before anything is judged (semantics, 6.1 and 6.2).

#include <vector>

#include "core/engine/instant_evaluator.hpp"
#include "core/engine/positions.hpp"
#include "core/engine/sliding.hpp"

namespace cradle::engine {

class Projection {
 public:
  Projection(Runtime& runtime, InstantEvaluator& inside, Sliding& sliding, Positions& positions)
      : runtime_(runtime), inside_(inside), sliding_(sliding), positions_(positions) {}

  // Of a cluster that has just arrived. True if its state has changed by more than rounding.
  bool project(const Cluster& cluster);

 private:
  bool is_drift(const Island& island) const;
  bool put_positions_back(const Cluster& cluster);

  Runtime& runtime_;
  InstantEvaluator& inside_;
  Sliding& sliding_;
  Positions& positions_;
  std::vector<double> changes_, x_;
};

}  // namespace cradle::engine
