#pragma once
// The state to begin with: p and q as given, or found from the f and e that were given instead.

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/runtime.hpp"

namespace cradle::engine {

void set_initial_state(Runtime& runtime, FlowEvaluator& flow);

}  // namespace cradle::engine
