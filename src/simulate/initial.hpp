#pragma once
// The state to begin with: p and q as given, or found from the f and e that were given instead.

#include "simulate/flow_evaluator.hpp"
#include "simulate/runtime.hpp"

namespace cradle::simulate {

void set_initial_state(Runtime& runtime, FlowEvaluator& flow);

}  // namespace cradle::simulate
