#pragma once
// The explicit solver as a class, for the automatic one, which watches it for stiffness.

#include <span>
#include <vector>

#include "core/solve/solver.hpp"

namespace cradle::solve {

class ExplicitSolver final : public Solver {
 public:
  ExplicitSolver(Rhs& rhs, int dimension, const Settings& settings);

  void attach(Motion& motion, Past past = Past::Needed) override;
  void restart(double t, std::span<const double> x, double step_hint) override;
  StepResult step(double t_limit) override;
  double begin() const override { return m_->begin; }
  double end() const override { return m_->end; }
  std::span<const double> state() const override { return m_->x_new; }
  void interpolate(double t, std::span<double> x) const override;
  double interpolate(double t, int component) const override;
  void power_series(int component, PowerSeries& out) const override;
  double next_step_hint() const override { return m_->next_step; }
  Counts counts() const override { return counts_; }

  // How many of the last steps were kept short by stability and not by accuracy.
  int stiff_steps() const { return m_->stiff_steps; }

 private:
  void evaluate(double t, std::span<const double> x, std::span<double> dxdt);
  double first_step(double t_limit);
  double weight(int i, double x) const;
  void try_step(double t, double h);
  // Of a step that has been tried. Coarse: by the absolute tolerance as it was asked for.
  enum class Judged { Finely, Coarsely };
  double error(double h, Judged how) const;
  bool is_rounding(double error, double h, double before, double h_before) const;
  void watch_stiffness(double h);
  void accept(double t_new, double h, double error);
  void prepare_dense() const;
  StepResult give_up(bool finite);

  Rhs& rhs_;
  const int dimension_;
  const Settings settings_;
  Counts counts_;
  Motion own_;                    // until there is another
  Motion* m_ = &own_;             // where it stands
  std::vector<double> absolute_;  // tolerance, by component
  std::vector<double> x_stage_;   // argument of the sixth stage, which like x_new stands at t + h
  mutable bool dense_ready_ = false;
  mutable std::vector<double> dense_;  // five coefficients for each component
};

}  // namespace cradle::solve
