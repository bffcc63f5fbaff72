#pragma once
// The rates of a cluster, or one expression over clusters, as straight-line code on doubles:
// signals written out, efforts and flows as sums over the rows of their islands, everything shared
// once. What is frozen while time flows (truths, modes, memories, pre) is loaded before a step.
//
// The same code is run on Taylor coefficients as intervals (core/solve/jet.hpp), which proves where
// an expression has no root.
//
// Made once per cluster and kept with it. There is none where an island has to be solved as a whole
// or a value may be absent; then the evaluator is asked (flow_evaluator.hpp).

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/runtime.hpp"
#include "core/solve/crossing.hpp"

namespace cradle::engine {

class FlowCode {
 public:
  static std::unique_ptr<FlowCode> of_rates(const Runtime& runtime, const Cluster& cluster);
  // Over all clusters in force. For one who only looks on: truths that nobody keeps are judged.
  static std::unique_ptr<FlowCode> of_expression(const Runtime& runtime, ExprId expr,
                                                 FlowEvaluator::Who who);

  // Loads what is frozen.
  void refresh(FlowEvaluator& flow, const Runtime& runtime);
  // All results, from all states of the cluster.
  void run(double t, std::span<const double> x, std::span<double> results);
  // The one result of an expression, on the dense output.
  double run(double t);
  // The same on [a, b]: see solve::Gap::expand.
  void expand(double a, double b, solve::Gap::Where where, solve::Jet& out);
  std::size_t bytes() const;
  // One instruction a line, for people. `results`: what they are called.
  std::string text(const Runtime& runtime, const std::vector<std::string>& results) const;

 private:
  friend class FlowCodeBuilder;
  struct Instruction {
    expr::Op op;  // Mul with c ≥ 0: c + a·b
    int32_t target, a, b, c;
  };
  struct Frozen {
    int32_t target;
    // Less: the truth of a relation; Equal: is it kept; If: is a region active; Phase: when the
    // present period of a clock began
    expr::Op op;
    int32_t ref;
    double value;
  };
  struct Input {
    int32_t target, component;
    const solve::Solver* dense;
    StateId state;
  };
  static double apply(const Instruction& in, const double* registers);
  void execute();

  std::vector<double> registers_;
  std::vector<Instruction> code_;
  std::vector<Frozen> frozen_;
  std::vector<Input> inputs_;
  std::vector<int32_t> results_;
  std::vector<solve::Jet> jets_;  // by register, of an expression
  int32_t time_ = -1;
};

}  // namespace cradle::engine
