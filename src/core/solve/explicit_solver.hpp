#pragma once
// The explicit solver as a class, for the automatic one, which watches it for stiffness.

#include <span>
#include <vector>

#include "core/solve/solver.hpp"

namespace cradle::solve {

class ExplicitSolver final : public Solver {
 public:
  ExplicitSolver(Rhs& rhs, int dimension, const Settings& settings);

  void restart(double t, std::span<const double> x, double step_hint) override;
  StepResult step(double t_limit) override;
  double begin() const override { return begin_; }
  double end() const override { return end_; }
  std::span<const double> state() const override { return x_new_; }
  void interpolate(double t, std::span<double> x) const override;
  double interpolate(double t, int component) const override;
  double next_step_hint() const override { return next_step_; }
  Counts counts() const override { return counts_; }

  // How many of the last steps were kept short by stability and not by accuracy.
  int stiff_steps() const { return stiff_steps_; }

 private:
  static constexpr int stages = 7;

  void evaluate(double t, std::span<const double> x, std::span<double> dxdt);
  double first_step(double t_limit);
  double weight(int i, double x) const;
  void try_step(double t, double h);
  double error(double h) const;
  void watch_stiffness(double h);
  void accept(double t_new, double h, double error);
  void prepare_dense() const;
  StepResult give_up(bool finite);

  Rhs& rhs_;
  const int dimension_;
  const Settings settings_;
  Counts counts_;

  double begin_ = 0, end_ = 0;
  double next_step_ = 0;       // 0: to be estimated
  double previous_error_ = 0;  // of the last accepted step, for PI control
  bool has_slope_ = false;     // k_[0] holds the derivative at end()
  int stiff_steps_ = 0, mild_steps_ = 0;

  std::vector<double> absolute_;   // tolerance, by component
  std::vector<double> x_, x_new_;  // at begin() and end()
  std::vector<double> x_stage_;    // argument of the sixth stage, which like x_new_ stands at t + h
  std::vector<double> k_[stages];  // derivatives at the stages
  bool slope_moves_ = false;       // the last stage is the first one of the next step
  mutable bool dense_ready_ = false;
  mutable std::vector<double> dense_;  // five coefficients for each component
};

}  // namespace cradle::solve
