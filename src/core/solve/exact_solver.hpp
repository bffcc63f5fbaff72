#pragma once
// Steps of linear motions, to rounding. The Taylor series of a linear motion converges everywhere
// (core/plan/recurrence.hpp), so a step is as long as its last coefficients are negligible against
// the first, and the series is the dense output. Where the series ends, a step may be of any
// length.
//
// What is stiff would go on in steps of its fastest part when that has long come to rest. Then
// collocation takes over (collocation.hpp), far below the tolerance instead of to rounding, until
// the next restart. Its steps are powers of two, so that what was factored serves again.

#include <span>
#include <vector>

#include "core/solve/collocation.hpp"
#include "core/solve/solver.hpp"

namespace cradle::solve {

class ExactSolver final : public Solver {
 public:
  ExactSolver(Rhs& rhs, int dimension, const Settings& settings);

  void attach(Motion& motion, Past past = Past::Needed) override;
  void restart(double t, std::span<const double> x, double step_hint) override;
  // NotLinear: nothing has changed.
  StepResult step(double t_limit) override;
  double begin() const override { return m_->begin; }
  double end() const override { return m_->end; }
  std::span<const double> state() const override { return m_->x_new; }
  void interpolate(double t, std::span<double> x) const override;
  double interpolate(double t, int component) const override;
  void power_series(int component, PowerSeries& out) const override;
  double next_step_hint() const override {
    return m_->collocated ? m_->explicit_step : m_->next_step;
  }
  Counts counts() const override { return counts_; }
  // Goes on by collocation: what is stiff needs no other solver.
  bool collocates();

 private:
  double coefficient(int k, int i) const {
    return m_->series[static_cast<std::size_t>(k) * static_cast<std::size_t>(dimension_) +
                      static_cast<std::size_t>(i)];
  }
  int degree() const { return static_cast<int>(m_->series.size()) / dimension_ - 1; }
  // In units of the series.
  double polynomial_step() const;
  double series_step(double reach) const;
  double left_out(double s) const;
  void evaluate(double s);

  StepResult expand(double& h);
  StepResult take(double h, double t_limit);
  void watch_stiffness();
  bool has_matrix();
  void begin_collocation();
  StepResult collocate(double t_limit);
  bool solve_step(double h);
  double size_at_points();
  double left_over();
  int growth(double rest);
  void take_collocated(double h, double t_limit);
  double as_long_as_driven(double h);
  StepResult give_up(StepResult result);

  Rhs& rhs_;
  const int dimension_;
  const Settings settings_;
  Counts counts_;
  Motion own_;                    // until there is another
  Motion* m_ = &own_;             // where it stands
  std::vector<double> absolute_;  // tolerance, by component
  Collocation collocation_;
  const Pattern* pattern_ = nullptr;
  bool is_driven_ = true;               // by what changes
  bool asked_ = false;                  // for the pattern, since the last restart
  std::vector<double> entries_, rows_;  // of ∂f/∂x; at the points
};

}  // namespace cradle::solve
