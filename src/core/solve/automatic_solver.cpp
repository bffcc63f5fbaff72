// Explicit steps are cheap to begin with, implicit ones cheap to go on with. Every restart begins
// explicitly; when stability has kept enough steps short, the stiff solver takes over.

#include "core/solve/explicit_solver.hpp"

namespace cradle::solve {
namespace {

// Hairer and Wanner's count, and a shorter one for models that have been stiff before: they restart
// at every event, and should not relearn what they are each time.
constexpr int steps_to_convince = 15;
constexpr int steps_to_remind = 3;

class AutomaticSolver final : public Solver {
 public:
  AutomaticSolver(Rhs& rhs, int dimension, const Settings& settings)
      : rhs_(rhs), dimension_(dimension), settings_(settings), explicit_(rhs, dimension, settings) {
    attach(own_);
  }

  void attach(Motion& motion) override {
    m_ = &motion;
    explicit_.attach(motion);
    if (stiff_ || motion.implicit) stiff().attach(motion);
    active_ = motion.implicit ? stiff_.get() : &explicit_;
  }

  void restart(double t, std::span<const double> x, double step_hint) override {
    explicit_.restart(t, x, step_hint);
    active_ = &explicit_;
  }

  StepResult step(double t_limit) override {
    if (!m_->implicit) {
      if (m_->stiff_steps >= (m_->has_been_stiff ? steps_to_remind : steps_to_convince)) go_stiff();
    }
    const StepResult result = active_->step(t_limit);
    if (result != StepResult::StepTooSmall || m_->implicit) return result;
    go_stiff();
    return active_->step(t_limit);
  }

  double begin() const override { return m_->begin; }
  double end() const override { return m_->end; }
  std::span<const double> state() const override { return m_->x_new; }
  void interpolate(double t, std::span<double> x) const override { active_->interpolate(t, x); }
  double interpolate(double t, int component) const override {
    return active_->interpolate(t, component);
  }
  int power_series(int component, PowerSeries& c) const override {
    return active_->power_series(component, c);
  }
  // The next restart begins explicitly, so a hint from implicit steps would be far too long.
  double next_step_hint() const override {
    return m_->implicit ? m_->explicit_step : m_->next_step;
  }
  std::string failure() const override { return active_->failure(); }

  Counts counts() const override {
    Counts sum = explicit_.counts();
    if (!stiff_) return sum;
    const Counts more = stiff_->counts();
    sum.steps += more.steps;
    sum.rejected += more.rejected;
    sum.evaluations += more.evaluations;
    return sum;
  }

 private:
  Solver& stiff() {
    if (!stiff_) stiff_ = make_stiff(rhs_, dimension_, settings_);
    return *stiff_;
  }
  void go_stiff() {
    const double step = m_->next_step;
    const std::vector<double> x = m_->x_new;
    stiff().attach(*m_);
    stiff_->restart(m_->end, x, 0);
    active_ = stiff_.get();
    m_->explicit_step = step;
    m_->has_been_stiff = true;
  }

  Rhs& rhs_;
  const int dimension_;
  const Settings settings_;
  ExplicitSolver explicit_;
  std::unique_ptr<Solver> stiff_;
  Motion own_;
  Motion* m_ = &own_;
  Solver* active_ = &explicit_;
};

}  // namespace

std::unique_ptr<Solver> make_automatic(Rhs& rhs, int dimension, const Settings& settings) {
  return std::make_unique<AutomaticSolver>(rhs, dimension, settings);
}

std::unique_ptr<Solver> make_solver(SolverKind kind, Rhs& rhs, int dimension,
                                    const Settings& settings) {
  switch (kind) {
    case SolverKind::Explicit:
      return make_explicit(rhs, dimension, settings);
    case SolverKind::Stiff:
      return make_stiff(rhs, dimension, settings);
    case SolverKind::Automatic:
      break;
  }
  return make_automatic(rhs, dimension, settings);
}

}  // namespace cradle::solve
