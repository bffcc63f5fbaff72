#pragma once
// The rates of a cluster, or one expression over clusters, as straight-line code on doubles:
// signals written out, efforts and flows as sums over the rows of their islands, everything shared
// once. What is frozen while time flows (truths, modes, memories, pre) is loaded before a step.
//
// Made once per cluster and kept with it. There is none where an island has to be solved as a whole
// or a value may be absent; then the evaluator is asked (flow_evaluator.hpp).

#include <memory>
#include <span>
#include <vector>

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/runtime.hpp"

namespace cradle::engine {

class FlowCode {
 public:
  static std::unique_ptr<FlowCode> of_rates(const Runtime& runtime, const Cluster& cluster);
  // Over all clusters in force.
  static std::unique_ptr<FlowCode> of_expression(const Runtime& runtime, ExprId expr);

  // Loads what is frozen.
  void refresh(FlowEvaluator& flow, const Runtime& runtime);
  // All results, from all states of the cluster.
  void run(double t, std::span<const double> x, std::span<double> results);
  // The one result of an expression, on the dense output.
  double run(double t);
  std::size_t bytes() const;

 private:
  friend class FlowCodeBuilder;
  struct Instruction {
    expr::Op op;  // Mul with c ≥ 0: c + a·b
    int32_t target, a, b, c;
  };
  struct Frozen {
    int32_t target;
    expr::Op op;  // Less: the truth of a relation; If: is a region active
    int32_t ref;
    double value;
  };
  struct Input {
    int32_t target, component;
    const solve::Solver* dense;
  };
  static double apply(const Instruction& in, const double* registers);
  void execute();

  std::vector<double> registers_;
  std::vector<Instruction> code_;
  std::vector<Frozen> frozen_;
  std::vector<Input> inputs_;
  std::vector<int32_t> results_;
  int32_t time_ = -1;
};

}  // namespace cradle::engine
