#pragma once
// The code of a mode (core/plan/mode_code.hpp) at work: registers, and where its inputs come from.
// On doubles while time flows; on Taylor coefficients as intervals (core/solve/jet.hpp), which
// proves where an expression has no root.
//
// The code is shared by all runs of a plan. This belongs to a cluster of one run, and is kept with
// it. Where there is no code the evaluator is asked (flow_evaluator.hpp).

#include <memory>
#include <span>
#include <vector>

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/runtime.hpp"
#include "core/plan/mode_code.hpp"
#include "core/solve/crossing.hpp"

namespace cradle::engine {

class FlowCode {
 public:
  // Reads the clusters that are in force now. `proves`: it can be expanded.
  FlowCode(const Runtime& runtime, std::shared_ptr<const plan::ModeCode> code, bool proves);

  // Loads what is frozen.
  void refresh(FlowEvaluator& flow, const Runtime& runtime);
  // All results, from all states of the cluster.
  void run(double t, std::span<const double> x, std::span<double> results);
  // The one result of an expression, on the dense output.
  double run(double t);
  // The same on [a, b]: see solve::Gap::expand.
  void expand(double a, double b, solve::Gap::Where where, solve::Jet& out);
  std::size_t bytes() const;

 private:
  template <class Scalar, class Env>
  void execute(std::vector<Scalar>& registers, std::size_t begin, std::size_t end, Env& env) {
    plan::execute<Scalar>(code_->list, begin, end, env, registers.data(), plan::Truths::Frozen);
  }

  std::shared_ptr<const plan::ModeCode> code_;
  std::vector<double> registers_;
  std::vector<solve::Jet> jets_;  // the same, if it proves
  struct Input {                  // by the part of what loads a state
    int component;
    const solve::Solver* dense;
  };
  std::vector<Input> inputs_;
};

// The code of a cluster's rates, and of the gap of a relation that reads these clusters, which are
// in force. It may not exist. Found with the modes of the plan.
std::shared_ptr<const plan::ModeCode> find_rates(const Runtime& runtime, const Cluster& cluster);
std::shared_ptr<const plan::ModeCode> find_gap(const Runtime& runtime, RelationId relation,
                                               plan::Reader reader);

}  // namespace cradle::engine
