// Linear motions are followed exactly, and by collocation where they are stiff. Otherwise explicit
// steps are cheap to begin with, implicit ones cheap to go on with. Every restart begins exactly or
// explicitly; when stability keeps steps short, the stiff solver takes over: at once where f tells
// its derivatives (stiffness.hpp), and otherwise when enough steps have been so.

#include "core/solve/exact_solver.hpp"
#include "core/solve/explicit_solver.hpp"
#include "core/solve/stiffness.hpp"

namespace cradle::solve {
namespace {

// Hairer and Wanner's count, and a shorter one for models that have been stiff before: they restart
// at every event, and should not relearn what they are each time.
constexpr int steps_to_convince = 15;
constexpr int steps_to_remind = 3;
// Where f tells its derivatives, of systems of so many states.
constexpr int steps_to_judge = 32;
constexpr int large_dimension = 16;
// Exact steps of what has come to rest are six times as long, and worth having where it moves again
// soon; less so where there is much of it.
constexpr int exact_steps_to_convince = 60;
constexpr int exact_steps_to_remind = 15;
constexpr int exact_steps_of_large = 8;
constexpr int much = 256;  // states

class AutomaticSolver final : public Solver {
 public:
  AutomaticSolver(Rhs& rhs, int dimension, const Settings& settings)
      : rhs_(rhs),
        dimension_(dimension),
        settings_(settings),
        exact_(rhs, dimension, settings),
        explicit_(rhs, dimension, settings) {
    attach(own_);
  }

  void attach(Motion& motion, Past past = Past::Needed) override {
    m_ = &motion;
    exact_.attach(motion);
    explicit_.attach(motion);
    if (stiff_ || motion.implicit) stiff().attach(motion, past);
    active_ = motion.implicit ? stiff_.get()
              : motion.exact  ? static_cast<Solver*>(&exact_)
                              : &explicit_;
  }

  void restart(double t, std::span<const double> x, double step_hint) override {
    exact_.restart(t, x, step_hint);
    explicit_.restart(t, x, step_hint);
    m_->may_be_exact = true;
    active_ = &explicit_;
  }

  StepResult step(double t_limit) override {
    if (!m_->implicit && is_stiff()) go_stiff();
    if (m_->may_be_exact && !m_->implicit) {
      active_ = &exact_;
      const StepResult result = exact_.step(t_limit);
      if (result != StepResult::NotLinear) return result;
      go_explicit();
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
  void power_series(int component, PowerSeries& out) const override {
    active_->power_series(component, out);
  }
  // The next restart begins explicitly, so a hint from implicit steps would be far too long.
  double next_step_hint() const override {
    return m_->implicit || m_->collocated ? m_->explicit_step : m_->next_step;
  }
  std::string failure() const override { return active_->failure(); }

  Counts counts() const override {
    Counts sum = explicit_.counts();
    const auto add = [&sum](const Counts& more) {
      sum.steps += more.steps;
      sum.rejected += more.rejected;
      sum.evaluations += more.evaluations;
    };
    add(exact_.counts());
    if (stiff_) add(stiff_->counts());
    return sum;
  }

 private:
  // Exact steps tell themselves (ExactSolver::watch_stiffness). Explicit ones are judged by the
  // derivatives, where they are known: one that looks stiff, and of large systems, for which that
  // is cheap, one of many. Otherwise by how many look stiff.
  bool is_stiff() {
    if (m_->exact) {
      if (exact_.collocates()) return false;
      if (dimension_ >= much) return m_->stiff_steps >= exact_steps_of_large;
      return m_->stiff_steps >=
             (m_->has_been_stiff ? exact_steps_to_remind : exact_steps_to_convince);
    }
    if (m_->stiff_steps >= (m_->has_been_stiff ? steps_to_remind : steps_to_convince)) return true;
    const bool large = dimension_ >= large_dimension;
    const bool due = large && m_->mild_steps % steps_to_judge == steps_to_judge - 1;
    if (m_->stiff_steps == 0 && !due) return false;
    return stiffness_.judge(rhs_, m_->end, m_->x_new, m_->end - m_->begin,
                            settings_.relative_tolerance) == Stiffness::Verdict::Stiff;
  }
  // Rates are no longer linear: the run slides along a border, or there is no code.
  void go_explicit() {
    m_->may_be_exact = false;
    if (m_->exact) {
      const std::vector<double> x = m_->x_new;
      const double origin = m_->origin;
      explicit_.restart(m_->end, x, 0);
      m_->origin = origin;
    }
    active_ = &explicit_;
  }
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
    m_->exact = false;
    m_->explicit_step = step;
    m_->has_been_stiff = true;
  }

  Rhs& rhs_;
  const int dimension_;
  const Settings settings_;
  ExactSolver exact_;
  ExplicitSolver explicit_;
  std::unique_ptr<Solver> stiff_;
  Stiffness stiffness_;
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
    case SolverKind::Exact:
      return make_exact(rhs, dimension, settings);
    case SolverKind::Stiff:
      return make_stiff(rhs, dimension, settings);
    case SolverKind::Automatic:
      break;
  }
  return make_automatic(rhs, dimension, settings);
}

}  // namespace cradle::solve
