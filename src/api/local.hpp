#pragma once
// A run where it stands, as a system of differential equations: in the mode of that moment, with
// truths frozen, ẋ = f(x, u) and y = g(x, u) can be asked for at any x near by, with inputs set to
// anything. Changes nothing in the run that it was made of.

#include <Eigen/Dense>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/engine/sketch.hpp"
#include "core/engine/workspace.hpp"

namespace cradle::api {

using engine::Cluster;
using engine::FlowEvaluator;
using engine::RecordedColumn;
using engine::State;
using plan::Plan;

class Local {
 public:
  // `state`: of a run of this plan, at `t`. The plan may have other values of parameters.
  Local(const Plan& plan, const Options& options, const State& state, double t);

  const std::vector<double>& x() const { return x_; }
  const State& state() const { return state_; }
  void set_input(ClockId input, double value) { state_.held[at(input)] = {value, 0, state_.now}; }
  double input(ClockId input) const;

  // False: it cannot be computed there.
  bool rates(std::span<const double> x, std::vector<double>& out);
  bool outputs(std::span<const double> x, const std::vector<RecordedColumn>& columns,
               std::vector<double>& out);
  // Where a jump would put x: onto the constraints of the mode, along what impulses can do.
  bool project(std::span<const double> x, std::vector<double>& out);
  bool is_constrained() const;
  // Constraints that project() does not know: of moduli or laws that vary. Names what they bind.
  std::optional<std::string> unknown_constraint() const;
  // ∂f/∂x from code, row by row where there is some: `known` says where.
  void jacobian(std::span<const double> x, Eigen::MatrixXd& out, std::vector<char>& known);

 private:
  std::vector<Cluster*> clusters() const;
  void begin(FlowEvaluator& flow, std::span<const double> x) const;

  Options options_;
  State state_;
  engine::Workspace work_;
  FlowEvaluator flow_, seen_;
  std::vector<double> x_;
};

}  // namespace cradle::api
