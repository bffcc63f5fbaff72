#pragma once
// What a run works with and could throw away at any time: evaluators, and the analysed modes with
// their solvers. Everything in it follows from the plan and the state.

#include "core/engine/choices.hpp"
#include "core/engine/clusters.hpp"
#include "core/engine/flow_evaluator.hpp"
#include "core/engine/instant_evaluator.hpp"
#include "core/engine/memories.hpp"
#include "core/engine/positions.hpp"
#include "core/engine/sliding.hpp"

namespace cradle::engine {

struct Workspace {
  Workspace(const Plan& plan, const Options& options, State& state)
      : runtime(plan, options, state),
        flow(runtime, FlowEvaluator::View::Present),
        arrival(runtime, FlowEvaluator::View::Arrival),
        choices(options, state.drawn),
        inside(runtime, arrival, choices),
        memories(runtime, inside),
        clusters(runtime, flow),
        sliding(runtime, flow, inside),
        positions(runtime, flow) {}

  // After something has broken off.
  void abandon() {
    flow.abandon();
    arrival.abandon();
    inside.abandon();
  }

  Runtime runtime;
  FlowEvaluator flow, arrival;
  Choices choices;
  InstantEvaluator inside;
  Memories memories;
  Clusters clusters;
  Sliding sliding;
  Positions positions;
};

}  // namespace cradle::engine
