#include "core/solve/solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "base/basics/counted_allocations.hpp"
#include "core/solve/crossing.hpp"
#include "core/solve/stiffness.hpp"

namespace cradle::solve {
namespace {

using State = std::vector<double>;

class Function : public Rhs {
 public:
  using F = std::function<void(double, std::span<const double>, std::span<double>)>;
  explicit Function(F f) : f_(std::move(f)) {}
  void derivative(double t, std::span<const double> x, std::span<double> dxdt) override {
    f_(t, x, dxdt);
  }

 private:
  F f_;
};

Function oscillator() {
  return Function([](double, auto x, auto d) {
    d[0] = x[1];
    d[1] = -x[0];
  });
}

Function van_der_pol(double mu) {
  return Function([mu](double, auto x, auto d) {
    d[0] = x[1];
    d[1] = mu * (1 - x[0] * x[0]) * x[1] - x[0];
  });
}

Function robertson() {
  return Function([](double, auto x, auto d) {
    const double slow = 0.04 * x[0], fast = 1e4 * x[1] * x[2], pair = 3e7 * x[1] * x[1];
    d[0] = -slow + fast;
    d[1] = slow - fast - pair;
    d[2] = pair;
  });
}

Settings tolerance(double relative) { return {relative, relative * 1e-3, 0}; }

StepResult run(Solver& solver, double until, int64_t max_steps = 10'000'000) {
  for (int64_t k = 0; k < max_steps && solver.end() < until; ++k) {
    if (const StepResult result = solver.step(until); result != StepResult::Ok) return result;
  }
  return solver.end() == until ? StepResult::Ok : StepResult::Failed;
}

using Make = std::unique_ptr<Solver> (*)(Rhs&, int, const Settings&);
struct Kind {
  const char* name;
  Make make;
};
class EverySolver : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, EverySolver,
                         testing::Values(Kind{"Explicit", make_explicit}, Kind{"Stiff", make_stiff},
                                         Kind{"Automatic", make_automatic}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EverySolver, ErrorFollowsTolerance) {
  double previous = 1;
  for (const double relative : {1e-4, 1e-6, 1e-8, 1e-10}) {
    auto rhs = oscillator();
    const auto solver = GetParam().make(rhs, 2, tolerance(relative));
    solver->restart(0, State{1, 0}, 0);
    ASSERT_EQ(run(*solver, 10), StepResult::Ok);
    const double error = std::max(std::abs(solver->state()[0] - std::cos(10.0)),
                                  std::abs(solver->state()[1] + std::sin(10.0)));
    EXPECT_LT(error, 200 * relative);
    EXPECT_LT(error, previous / 10);
    previous = error;
  }
}

TEST_P(EverySolver, DenseOutputIsAsGoodAndContinuous) {
  for (const double relative : {1e-5, 1e-8}) {
    auto rhs = oscillator();
    const auto solver = GetParam().make(rhs, 2, tolerance(relative));
    solver->restart(0, State{1, 0}, 0);
    State last{1, 0}, x(2);
    while (solver->end() < 10) {
      ASSERT_EQ(solver->step(10), StepResult::Ok);
      solver->interpolate(solver->begin(), x);
      EXPECT_EQ(x, last);
      const double just_after = std::nextafter(solver->begin(), 20);
      EXPECT_NEAR(solver->interpolate(just_after, 0), last[0], 4e-15);
      last.assign(solver->state().begin(), solver->state().end());
      solver->interpolate(solver->end(), x);
      EXPECT_EQ(x, last);
      EXPECT_NEAR(solver->interpolate(std::nextafter(solver->end(), 0), 0), last[0], 4e-15);
      for (double s = 0.1; s < 1; s += 0.1) {
        const double t = solver->begin() + s * (solver->end() - solver->begin());
        solver->interpolate(t, x);
        EXPECT_EQ(x[1], solver->interpolate(t, 1));
        EXPECT_NEAR(x[0], std::cos(t), 300 * relative) << "at " << t;
      }
    }
  }
}

// A separate order: of the times at which events are found.
// What events are searched on: the polynomial is what is interpolated, within its own rounding.
TEST_P(EverySolver, DenseOutputIsAPolynomial) {
  auto rhs = oscillator();
  const auto solver = GetParam().make(rhs, 2, tolerance(1e-8));
  solver->restart(0.25, State{1, 0}, 0);
  for (int step = 0; step < 60; ++step) {
    ASSERT_EQ(solver->step(100), StepResult::Ok);
    Solver::PowerSeries p;
    solver->power_series(0, p);
    const double begin = solver->begin(), length = solver->end() - begin;
    for (double s = 0; s <= 1; s += 0.0625) {
      double sum = 0, worth = 0;
      for (int k = p.degree; k >= 0; --k) {
        sum = p.c[at(k)] + s * length / p.unit * sum;
        worth = p.worth[at(k)] + s * length / p.unit * worth;
      }
      EXPECT_NEAR(sum, solver->interpolate(begin + s * length, 0), 1e-14);
      EXPECT_LT(worth, 4);
    }
  }
}

TEST_P(EverySolver, EventTimesFollowTolerance) {
  struct Position : Gap {
    explicit Position(const Solver& solver) : solver(solver) {}
    double operator()(double t) override { return solver.interpolate(t, 0); }
    const Solver& solver;
  };
  double previous = 1;
  for (const double relative : {1e-4, 1e-6, 1e-8, 1e-10}) {
    auto rhs = oscillator();
    const auto solver = GetParam().make(rhs, 2, tolerance(relative));
    solver->restart(0, State{1, 0}, 0);
    bool positive = true;
    std::vector<double> times;
    while (solver->end() < 10) {
      ASSERT_EQ(solver->step(10), StepResult::Ok);
      Position gap(*solver);
      double from = solver->begin();
      while (const auto t = first_change(gap, true, positive, from, solver->end())) {
        times.push_back(*t);
        positive = !positive;
        from = *t;
      }
    }
    ASSERT_EQ(times.size(), 3u);
    double error = 0;
    for (int k = 0; k < 3; ++k) {
      error = std::max(error, std::abs(times[k] - (k + 0.5) * std::numbers::pi));
    }
    EXPECT_LT(error, 200 * relative);
    EXPECT_LT(error, previous / 10);
    previous = error;
  }
}

TEST_P(EverySolver, EndsExactlyAtTheLimit) {
  auto rhs = oscillator();
  const auto solver = GetParam().make(rhs, 2, tolerance(1e-8));
  solver->restart(0.1, State{1, 0}, 0);
  for (const double limit : {0.3, 0.7, 0.7 + 1e-15, 5.123456789, std::nextafter(5.123456789, 6)}) {
    ASSERT_EQ(run(*solver, limit), StepResult::Ok);
    EXPECT_EQ(solver->end(), limit);
  }
  EXPECT_EQ(solver->step(5), StepResult::Ok);  // already past it: stays
  EXPECT_EQ(solver->begin(), solver->end());
  EXPECT_NEAR(solver->state()[0], std::cos(solver->end() - 0.1), 1e-6);
}

TEST_P(EverySolver, TakesStepsOfOneUlpAfterARestart) {
  auto rhs = oscillator();
  const auto solver = GetParam().make(rhs, 2, tolerance(1e-8));
  for (const double t : {0.0, 1.0, 1e6}) {
    solver->restart(t, State{1, 0}, 0);
    const double next = std::nextafter(t, 1e9);
    ASSERT_EQ(solver->step(next), StepResult::Ok) << t;
    EXPECT_EQ(solver->end(), next);
    ASSERT_EQ(run(*solver, t + 1), StepResult::Ok);
    EXPECT_NEAR(solver->state()[0], std::cos(1), 1e-6);
  }
}

// Two that bend, one of which begins at zero: the logistic curve and a spring that hardens.
TEST_P(EverySolver, HasAsManyDigitsInTinyUnits) {
  const double logistic = 1 / (1 + 99 * std::exp(-10.0));
  double spring = 0;
  for (const double unit : {1.0, 1e-6, 1e-12, 1e-18, 1e-24, 1e12}) {
    Function both([unit](double, auto x, auto d) {
      d[0] = x[0] * (1 - x[0] / unit);
      d[1] = x[2];
      d[2] = unit - x[1] - x[1] / unit * (x[1] / unit) * x[1];
    });
    const auto solver = GetParam().make(both, 3, {});
    solver->restart(0, State{unit / 100, 0, 0}, 0);
    ASSERT_EQ(run(*solver, 10), StepResult::Ok);
    EXPECT_NEAR(solver->state()[0] / unit, logistic, 1e-7) << unit;
    if (unit == 1) spring = solver->state()[1];
    EXPECT_NEAR(solver->state()[1] / unit, spring, 1e-6) << unit;
  }
}

// What is only the rounding of something large does not make steps endless.
TEST_P(EverySolver, RoundingHasNoDigits) {
  Function nothing([](double t, auto x, auto d) {
    const double rounding = std::sin(t) * std::sin(t) + std::cos(t) * std::cos(t) - 1;
    d[0] = rounding;
    d[1] = x[0] * x[0] - x[1] + rounding;
  });
  const auto solver = GetParam().make(nothing, 2, {});
  solver->restart(0, State{0, 0}, 0);
  ASSERT_EQ(run(*solver, 10, 100000), StepResult::Ok);
  EXPECT_LT(std::abs(solver->state()[0]), 1e-14);
}

TEST_P(EverySolver, WorksWithoutState) {
  Function nothing([](double, auto, auto) {});
  const auto solver = GetParam().make(nothing, 0, {});
  solver->restart(1, {}, 0);
  EXPECT_EQ(run(*solver, 1000, 100), StepResult::Ok);
  EXPECT_EQ(solver->end(), 1000);
}

TEST_P(EverySolver, RestartsWithoutAllocation) {
  auto rhs = oscillator();
  const auto solver = GetParam().make(rhs, 2, tolerance(1e-8));
  const State start{1, 0};
  State x(2);
  solver->restart(0, start, 0);
  ASSERT_EQ(run(*solver, 1), StepResult::Ok);
  const long before = allocations;
  for (int k = 0; k < 100; ++k) {
    solver->restart(k, start, solver->next_step_hint());
    while (solver->end() < k + 1) {
      solver->step(k + 1);
      solver->interpolate(0.5 * (solver->begin() + solver->end()), x);
    }
  }
  EXPECT_EQ(allocations, before);
  EXPECT_NEAR(solver->state()[0], std::cos(1), 1e-6);
}

TEST_P(EverySolver, SaysWhenValuesAreNotFinite) {
  Function root([](double t, auto, auto d) { d[0] = std::sqrt(1 - t); });
  auto solver = GetParam().make(root, 1, tolerance(1e-6));
  solver->restart(0, State{0}, 0);
  EXPECT_EQ(run(*solver, 2, 100000), StepResult::NotFinite);
  EXPECT_NEAR(solver->end(), 1, 1e-3);
  EXPECT_EQ(solver->step(2), StepResult::NotFinite);  // and again
  solver->restart(0.5, State{0}, 0);                  // but not for ever
  EXPECT_EQ(run(*solver, 0.75), StepResult::Ok);
  solver->restart(3, State{0}, 0);
  EXPECT_EQ(solver->step(4), StepResult::NotFinite);
  solver->restart(0, State{std::nan("")}, 0);
  EXPECT_EQ(solver->step(0.5), StepResult::NotFinite);
}

TEST_P(EverySolver, EndsBeforeAPole) {
  Function pole([](double, auto x, auto d) { d[0] = x[0] * x[0]; });  // 1 / (1 − t)
  const auto solver = GetParam().make(pole, 1, tolerance(1e-6));
  solver->restart(0, State{1}, 0);
  EXPECT_NE(run(*solver, 2, 100000), StepResult::Ok);
  EXPECT_NEAR(solver->end(), 1, 1e-3);
}

TEST_P(EverySolver, KeepsToTheLargestStep) {
  auto rhs = oscillator();
  Settings settings = tolerance(1e-4);
  settings.max_step = 0.01;
  const auto solver = GetParam().make(rhs, 2, settings);
  solver->restart(0, State{1, 0}, 5);
  while (solver->end() < 1) {
    ASSERT_EQ(solver->step(1), StepResult::Ok);
    EXPECT_LE(solver->end() - solver->begin(), 0.0102);
  }
}

TEST_P(EverySolver, SurvivesSenselessSettings) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const Settings& settings : {Settings{0, 0, 0}, Settings{-1, -1, -1}, Settings{nan, nan, nan},
                                   Settings{infinity, infinity, infinity}}) {
    auto rhs = oscillator();
    const auto solver = GetParam().make(rhs, 2, settings);
    for (const double hint : {-1.0, nan, infinity, 1e300, 1e-300}) {
      solver->restart(0, State{1, 0}, hint);
      run(*solver, 0.1, 100);
      EXPECT_LE(solver->end(), 0.1);
    }
  }
}

TEST_P(EverySolver, RepeatsItselfToTheBit) {
  auto rhs = oscillator();
  const auto solver = GetParam().make(rhs, 2, tolerance(1e-8));
  State first;
  for (int k = 0; k < 3; ++k) {
    solver->restart(0, State{1, 0}, 0);
    ASSERT_EQ(run(*solver, 10), StepResult::Ok);
    if (k == 0) first.assign(solver->state().begin(), solver->state().end());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), solver->state().begin()));
  }
}

// The pair is of order 5, and exact for solutions of that degree; dense output is of order 4.
// A motion is all there is to know: another solver goes on from a copy of it, to the bit.
TEST_P(EverySolver, GoesOnFromACopy) {
  auto rhs = van_der_pol(1000);
  const auto first = GetParam().make(rhs, 2, tolerance(1e-7));
  Motion motion;
  first->attach(motion);
  first->restart(0, std::vector<double>{2, 0}, 0);
  for (int step = 0; step < 1500; ++step) {
    ASSERT_EQ(first->step(HUGE_VAL), StepResult::Ok);
    if (step % 97 != 0) continue;
    Motion copy = motion;
    const auto second = GetParam().make(rhs, 2, tolerance(1e-7));
    second->attach(copy);
    EXPECT_EQ(copy, motion);
    const double middle = (motion.begin + motion.end) / 2;
    EXPECT_EQ(second->interpolate(middle, 0), first->interpolate(middle, 0));
    EXPECT_EQ(second->next_step_hint(), first->next_step_hint());
    Motion ahead = motion;
    const auto third = GetParam().make(rhs, 2, tolerance(1e-7));
    third->attach(ahead);
    for (int more = 0; more < 3; ++more) {
      ASSERT_EQ(second->step(HUGE_VAL), StepResult::Ok);
      ASSERT_EQ(third->step(HUGE_VAL), StepResult::Ok);
    }
    EXPECT_EQ(copy, ahead);
  }
}

TEST(ExplicitSolver, IsExactOnPolynomials) {
  for (int degree = 0; degree <= 5; ++degree) {
    Function power([degree](double t, auto, auto d) {
      d[0] = degree == 0 ? 0 : degree * std::pow(t, degree - 1);
    });
    const auto solver = make_explicit(power, 1, {1, 1, 0});
    solver->restart(0, State{degree == 0 ? 1.0 : 0.0}, 1);
    ASSERT_EQ(solver->step(2), StepResult::Ok);
    const double h = solver->end();
    EXPECT_GE(h, 0.5);
    EXPECT_NEAR(solver->state()[0], std::pow(h, degree), 1e-14) << degree;
    for (double s = 0.125; s < 1 && degree <= 4; s += 0.125) {
      EXPECT_NEAR(solver->interpolate(s * h, 0), std::pow(s * h, degree), 1e-14) << degree;
    }
  }
}

double error_of_fixed_steps(double h, double* dense_error) {
  auto rhs = oscillator();
  const auto solver = make_explicit(rhs, 2, {1e3, 1e3, h});
  solver->restart(0, State{1, 0}, h);
  *dense_error = 0;
  while (solver->end() < 4) {
    EXPECT_EQ(solver->step(std::min(4.0, solver->end() + h)), StepResult::Ok);
    const double t = solver->begin() + 0.37 * (solver->end() - solver->begin());
    *dense_error = std::max(*dense_error, std::abs(solver->interpolate(t, 0) - std::cos(t)));
  }
  return std::abs(solver->state()[0] - std::cos(4.0));
}

// Between the ends of a step as at them: against the exact motion from where the step began.
TEST(ExplicitSolver, DenseOutputKeepsTheTolerance) {
  for (const double relative : {1e-6, 1e-9, 1e-11}) {
    auto rhs = oscillator();
    const auto solver = make_explicit(rhs, 2, {relative, 1e-15, 0});
    solver->restart(0, State{1, 0}, 0);
    double worst = 0;
    while (solver->end() < 20) {
      ASSERT_EQ(solver->step(20), StepResult::Ok);
      const double begin = solver->begin(), length = solver->end() - begin;
      const double x = solver->interpolate(begin, 0), v = solver->interpolate(begin, 1);
      for (double s = 0.0625; s < 1; s += 0.0625) {
        const double t = begin + s * length, d = t - begin;
        const double exact = x * std::cos(d) + v * std::sin(d);
        worst = std::max(worst, std::abs(solver->interpolate(t, 0) - exact));
      }
    }
    EXPECT_LT(worst, relative);
  }
}

TEST(ExplicitSolver, IsOfOrderFive) {
  double dense_coarse, dense_fine;
  const double coarse = error_of_fixed_steps(1.0 / 8, &dense_coarse);
  const double fine = error_of_fixed_steps(1.0 / 16, &dense_fine);
  EXPECT_NEAR(std::log2(coarse / fine), 5, 0.4);
  EXPECT_GT(std::log2(dense_coarse / dense_fine), 4.5);  // local error of order 5
}

TEST(ExplicitSolver, CountsItsWork) {
  auto rhs = oscillator();
  const auto solver = make_explicit(rhs, 2, tolerance(1e-6));
  solver->restart(0, State{1, 0}, 0);
  ASSERT_EQ(run(*solver, 10), StepResult::Ok);
  const auto counts = solver->counts();
  EXPECT_GT(counts.steps, 10);
  EXPECT_EQ(counts.evaluations, 2 + 6 * (counts.steps + counts.rejected));
}

TEST(ExplicitSolver, UsesTheHint) {
  auto rhs = oscillator();
  const auto solver = make_explicit(rhs, 2, tolerance(1e-6));
  solver->restart(0, State{1, 0}, 1e-3);
  ASSERT_EQ(solver->step(1), StepResult::Ok);
  EXPECT_NEAR(solver->end(), 1e-3, 1e-15);
  EXPECT_GT(solver->next_step_hint(), 2e-3);
  // A limit that cuts a step does not shorten the next one.
  const double hint = solver->next_step_hint();
  ASSERT_EQ(solver->step(solver->end() + 1e-9), StepResult::Ok);
  EXPECT_EQ(solver->next_step_hint(), hint);
}

TEST(AutomaticSolver, TakesOverFromExplicitOnRobertson) {
  auto rhs = robertson();
  const Settings settings = {1e-6, 1e-10, 0};
  const auto automatic = make_automatic(rhs, 3, settings);
  const auto explicit_one = make_explicit(rhs, 3, settings);
  for (Solver* solver : {automatic.get(), explicit_one.get()}) {
    solver->restart(0, State{1, 0, 0}, 0);
    ASSERT_EQ(run(*solver, 40), StepResult::Ok);
    EXPECT_NEAR(solver->state()[0], 0.7158270687, 2e-5);  // Hairer and Wanner's reference
    EXPECT_NEAR(solver->state()[2], 0.2841637457, 2e-5);
  }
  EXPECT_LT(20 * automatic->counts().steps, explicit_one->counts().steps);
  EXPECT_LT(5 * automatic->counts().evaluations, explicit_one->counts().evaluations);
}

TEST(AutomaticSolver, SolvesVanDerPol) {
  auto rhs = van_der_pol(1000);
  const auto solver = make_automatic(rhs, 2, {1e-7, 1e-10, 0});
  solver->restart(0, State{2, 0}, 0);
  ASSERT_EQ(run(*solver, 2000), StepResult::Ok);
  EXPECT_NEAR(solver->state()[0], 1.706167732170469, 1e-3);
  EXPECT_LT(solver->counts().steps, 10000);
}

TEST(AutomaticSolver, StaysExplicitWhereNothingIsStiff) {
  auto rhs = oscillator();
  const auto automatic = make_automatic(rhs, 2, tolerance(1e-7));
  const auto explicit_one = make_explicit(rhs, 2, tolerance(1e-7));
  for (Solver* solver : {automatic.get(), explicit_one.get()}) {
    solver->restart(0, State{1, 0}, 0);
    ASSERT_EQ(run(*solver, 200), StepResult::Ok);
  }
  EXPECT_EQ(automatic->counts().steps, explicit_one->counts().steps);
  EXPECT_EQ(automatic->state()[0], explicit_one->state()[0]);
}

TEST(AutomaticSolver, RemembersStiffnessAcrossRestarts) {
  auto rhs = van_der_pol(1000);
  const auto solver = make_automatic(rhs, 2, {1e-6, 1e-9, 0});
  solver->restart(0, State{2, 0}, 0);
  ASSERT_EQ(run(*solver, 100), StepResult::Ok);
  const int64_t first = solver->counts().steps;
  for (int k = 0; k < 10; ++k) {
    const State x(solver->state().begin(), solver->state().end());
    solver->restart(solver->end(), x, solver->next_step_hint());
    ASSERT_EQ(run(*solver, solver->end() + 10), StepResult::Ok);
  }
  EXPECT_LT(solver->counts().steps - first, 2000);
}

TEST(StiffSolver, TakesManyStates) {
  const int size = 400;  // heat conduction along a rod, solved by Krylov iterations
  Function rod([](double, auto x, auto d) {
    const int n = static_cast<int>(x.size());
    for (int i = 0; i < n; ++i) {
      const double left = i > 0 ? x[i - 1] : 0, right = i + 1 < n ? x[i + 1] : 0;
      d[i] = 100 * (left - 2 * x[i] + right);
    }
  });
  State start(size);
  for (int i = 0; i < size; ++i) start[i] = std::sin((i + 1) * std::numbers::pi / (size + 1));
  const auto solver = make_stiff(rod, size, {1e-6, 1e-9, 0});
  solver->restart(0, start, 0);
  ASSERT_EQ(run(*solver, 100), StepResult::Ok);
  const double rate = 400 * std::pow(std::sin(std::numbers::pi / (2 * (size + 1))), 2);
  EXPECT_NEAR(solver->state()[size / 2], start[size / 2] * std::exp(-rate * 100), 1e-4);
}

TEST(StiffSolver, SaysWhatFailed) {
  Function cliff([](double t, auto, auto d) { d[0] = t < 0.5 ? 1 : std::nan(""); });
  const auto solver = make_stiff(cliff, 1, tolerance(1e-6));
  solver->restart(0, State{0}, 0);
  EXPECT_EQ(run(*solver, 1, 1000), StepResult::NotFinite);
  EXPECT_FALSE(solver->failure().empty());
}

TEST(MakeSolver, MakesWhatWasAsked) {
  auto rhs = robertson();
  int64_t steps[3];
  const SolverKind kinds[] = {SolverKind::Automatic, SolverKind::Explicit, SolverKind::Stiff};
  for (int k = 0; k < 3; ++k) {
    const auto solver = make_solver(kinds[k], rhs, 3, {1e-5, 1e-9, 0});
    solver->restart(0, State{1, 0, 0}, 0);
    ASSERT_EQ(run(*solver, 10), StepResult::Ok);
    steps[k] = solver->counts().steps;
  }
  EXPECT_LT(steps[0], steps[1]);
  EXPECT_LT(steps[2], steps[1]);
}

// A line of n RC pieces with a law of resistors that bends, which tells its derivatives.
class Line : public Function {
 public:
  explicit Line(int n, bool tells = true)
      : Function([n](double, auto x, auto d) {
          const auto flow = [&](int i) {
            const double e = (i == 0 ? 1 : x[i - 1]) - x[i];
            return n * (e + e * e * e);
          };
          for (int i = 0; i < n; ++i) d[i] = n * (flow(i) - (i + 1 < n ? flow(i + 1) : 0));
        }),
        n_(n),
        tells_(tells) {
    pattern_.begins.push_back(0);
    for (int column = 0; column < n; ++column) {
      for (int row = std::max(column - 1, 0); row <= std::min(column + 1, n - 1); ++row) {
        pattern_.rows.push_back(row);
      }
      pattern_.begins.push_back(static_cast<int>(pattern_.rows.size()));
    }
  }
  const Pattern* jacobian_pattern() override { return tells_ ? &pattern_ : nullptr; }
  void jacobian(double, std::span<const double> x, std::span<double> entries) override {
    ++told;
    const auto slope = [&](int i) {
      if (i >= n_) return 0.0;
      const double e = (i == 0 ? 1 : x[i - 1]) - x[i];
      return double(n_) * n_ * (1 + 3 * e * e);
    };
    std::size_t k = 0;
    for (int column = 0; column < n_; ++column) {
      if (column > 0) entries[k++] = slope(column);
      entries[k++] = -slope(column) - slope(column + 1);
      if (column + 1 < n_) entries[k++] = slope(column + 1);
      if (column == spoilt) entries[k - 1] = std::numeric_limits<double>::infinity();
    }
  }

  int told = 0, spoilt = -1;

 private:
  const int n_;
  const bool tells_;
  Pattern pattern_;
};

// With derivatives as the function tells them the same comes out as with difference quotients, for
// small and large ones alike.
TEST(StiffSolver, UsesDerivativesThatAreTold) {
  for (const int n : {3, 50, 199, 201, 400}) {
    Line line(n), silent(n, false);
    const State start(static_cast<std::size_t>(n), 0.0);
    const auto a = make_stiff(line, n, tolerance(1e-8)), b = make_stiff(silent, n, tolerance(1e-8));
    a->restart(0, start, 0);
    b->restart(0, start, 0);
    ASSERT_EQ(run(*a, 0.3), StepResult::Ok);
    ASSERT_EQ(run(*b, 0.3), StepResult::Ok);
    EXPECT_GT(line.told, 0);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(a->state()[i], b->state()[i], 2e-6) << n << ", " << i;
    EXPECT_LT(a->counts().evaluations, b->counts().evaluations);
  }
}

TEST(StiffSolver, MakesQuotientsOfDerivativesThatAreNotFinite) {
  for (const int n : {5, 100}) {
    Line line(n), right(n);
    line.spoilt = 2;
    const State start(static_cast<std::size_t>(n), 0.0);
    const auto a = make_stiff(line, n, tolerance(1e-8)), b = make_stiff(right, n, tolerance(1e-8));
    a->restart(0, start, 0);
    b->restart(0, start, 0);
    ASSERT_EQ(run(*a, 0.3), StepResult::Ok);
    ASSERT_EQ(run(*b, 0.3), StepResult::Ok);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(a->state()[i], b->state()[i], 1e-6) << n << ", " << i;
  }
}

// A factorisation keeps its pivots, but not beyond an origin: a motion that is handed over goes on
// to the bit.
TEST(StiffSolver, GoesOnToTheBitWithSparseFactors) {
  constexpr int n = 60;
  Line line(n), other(n);
  const auto a = make_stiff(line, n, tolerance(1e-8));
  Motion motion;
  a->attach(motion);
  a->restart(0, State(n, 0.0), 0);
  ASSERT_EQ(run(*a, 0.1), StepResult::Ok);
  const State half(a->state().begin(), a->state().end());
  a->restart(0.1, half, 0);
  for (int k = 0; k < 20; ++k) ASSERT_EQ(a->step(1), StepResult::Ok);
  Motion copy = motion;
  const auto b = make_stiff(other, n, tolerance(1e-8));
  b->attach(copy);
  for (int k = 0; k < 20; ++k) {
    ASSERT_EQ(a->step(1), StepResult::Ok);
    ASSERT_EQ(b->step(1), StepResult::Ok);
    ASSERT_EQ(motion, copy) << k;
  }
}

// A diagonal and an antisymmetric matrix, and a chain: what dies away and what swings.
TEST(Stiffness, KnowsTheSpectralRadius) {
  std::vector<double> v, w;
  const Pattern diagonal{{0, 1, 2, 3}, {0, 1, 2}};
  const Spectrum dying = spectrum_of(diagonal, std::vector<double>{-1e6, -1e6, -9e5}, v, w);
  EXPECT_NEAR(dying.radius, 1e6, 1);
  EXPECT_EQ(dying.dying, 1);
  const Pattern full{{0, 2, 4}, {0, 1, 0, 1}};
  const Spectrum swinging = spectrum_of(full, std::vector<double>{0, -1e-3, 1e5, 0}, v, w);
  EXPECT_NEAR(swinging.radius, 10, 1e-6);
  EXPECT_LE(swinging.dying, 0.5);
  Line line(100);
  const Pattern* pattern = line.jacobian_pattern();
  std::vector<double> entries(pattern->rows.size());
  line.jacobian(0, State(100, 1.0), entries);
  const Spectrum chain = spectrum_of(*pattern, entries, v, w);
  EXPECT_NEAR(chain.radius, 4e4, 4e3);
  EXPECT_GT(chain.dying, 0.75);
}

// It is known after a few dozen steps, and not when stability has kept thousands short.
TEST(AutomaticSolver, SeesFromDerivativesThatALineIsStiff) {
  Line line(400), silent(400, false);
  const auto a = make_automatic(line, 400, tolerance(1e-8));
  Motion motion;
  a->attach(motion);
  a->restart(0, State(400, 0.0), 0);
  ASSERT_EQ(run(*a, 0.01), StepResult::Ok);
  EXPECT_TRUE(motion.implicit);
  EXPECT_LT(a->counts().evaluations, 10000);
}

}  // namespace
}  // namespace cradle::solve
