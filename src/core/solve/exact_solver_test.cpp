#include "core/solve/exact_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/solve/jet.hpp"

namespace cradle::solve {
namespace {

using State = std::vector<double>;

// ẋ = A x + u, with u constant.
class Linear : public Rhs {
 public:
  Linear(std::vector<State> a, State u) : a_(std::move(a)), u_(std::move(u)) {}
  void derivative(double, std::span<const double> x, std::span<double> d) override {
    for (std::size_t i = 0; i < d.size(); ++i) {
      d[i] = u_[i];
      for (std::size_t j = 0; j < x.size(); ++j) d[i] += a_[i][j] * x[j];
    }
  }
  std::optional<Expansion> expand(double, std::span<const double> x, double unit, int order,
                                  std::vector<double>& series) override {
    if (!is_linear) return std::nullopt;
    const std::size_t n = x.size();
    Expansion out;
    series.assign(x.begin(), x.end());
    for (int k = 0; k < order; ++k) {
      bool is_over = true;
      for (std::size_t i = 0; i < n; ++i) {
        double sum = k == 0 ? u_[i] : 0;
        for (std::size_t j = 0; j < n; ++j) {
          sum += a_[i][j] * series[static_cast<std::size_t>(k) * n + j];
        }
        series.push_back(unit * sum / (k + 1));
        is_over &= sum == 0;
      }
      if (is_over) {
        series.resize(series.size() - n);
        out.is_polynomial = true;
        break;
      }
    }
    out.degree = static_cast<int>(series.size() / n) - 1;
    out.evaluations = out.degree + 1;
    return out;
  }

  const Pattern* jacobian_pattern() override {
    if (!tells) return nullptr;
    pattern_ = {};
    const int n = static_cast<int>(a_.size());
    for (int j = 0; j <= n; ++j) pattern_.begins.push_back(j * n);
    for (int j = 0; j < n * n; ++j) pattern_.rows.push_back(j % n);
    return &pattern_;
  }
  void jacobian(double, std::span<const double>, std::span<double> entries) override {
    const std::size_t n = a_.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) entries[j * n + i] = a_[i][j];
    }
  }
  std::optional<Reach> reach(double, double, int) override { return Reach{HUGE_VAL, true}; }

  void set(std::size_t i, std::size_t j, double a) { a_[i][j] = a; }

  bool is_linear = true;
  bool tells = false;  // its derivatives

 private:
  Pattern pattern_;
  std::vector<State> a_;
  State u_;
};

Linear falling() { return Linear({{0, 1}, {0, 0}}, {0, -9.81}); }
Linear oscillator(double omega) { return Linear({{0, omega}, {-omega, 0}}, {0, 0}); }

StepResult run(Solver& solver, double end, int most = 1000000) {
  for (int i = 0; i < most && solver.end() < end; ++i) {
    if (const StepResult result = solver.step(end); result != StepResult::Ok) return result;
  }
  return StepResult::Ok;
}

TEST(ExactSolver, AParabolaIsOneStep) {
  auto rhs = falling();
  const auto solver = make_exact(rhs, 2, {});
  solver->restart(3, State{10, 2}, 100);
  ASSERT_EQ(solver->step(HUGE_VAL), StepResult::Ok);
  EXPECT_EQ(solver->end(), 103);
  EXPECT_EQ(solver->state()[1], 2 - 981.0);
  for (const double t : {3.0, 3.5, 50.0, 103.0}) {
    const double dt = t - 3;
    EXPECT_NEAR(solver->interpolate(t, 0), 10 + 2 * dt - 9.81 / 2 * dt * dt,
                1e-15 * (10 + dt * dt * 5));
  }
  // Each is longer than the last.
  ASSERT_EQ(solver->step(HUGE_VAL), StepResult::Ok);
  EXPECT_GT(solver->end() - solver->begin(), 1000);
}

TEST(ExactSolver, ThePolynomialIsTheDenseOutput) {
  auto rhs = oscillator(3);
  const auto solver = make_exact(rhs, 2, {});
  solver->restart(1, State{1, 0.5}, 0);
  ASSERT_EQ(solver->step(HUGE_VAL), StepResult::Ok);
  ASSERT_EQ(solver->step(HUGE_VAL), StepResult::Ok);
  Solver::PowerSeries p;
  solver->power_series(1, p);
  const double middle = 0.5 * (solver->begin() + solver->end()), radius = middle - solver->begin();
  const auto terms = static_cast<std::size_t>(p.degree + 1);
  Jet at_middle, whole;
  const Interval centre = Interval::at(middle - solver->begin()) / Interval::at(p.unit);
  for (const auto& [where, jet] :
       {std::pair(Where::Middle, &at_middle), std::pair(Where::Whole, &whole)}) {
    expand_polynomial(std::span(p.c).first(terms), std::span(p.worth).first(terms), centre,
                      radius / p.unit, where, *jet);
    EXPECT_FALSE(jet->exact);  // it is of a higher degree
  }
  // What was cut off lies in the remainder, and all derivatives in their hulls.
  double derivative[] = {0, 0};
  for (int i = -20; i <= 20; ++i) {
    const double u = i / 20.0, value = solver->interpolate(middle + u * radius, 1);
    Interval sum;
    for (int k = Jet::order - 1; k >= 0; --k)
      sum = sum * Interval::at(u) + at_middle.c[static_cast<std::size_t>(k)];
    const double rest = whole.c[Jet::order].magnitude() * std::pow(std::abs(u), Jet::order);
    EXPECT_LE(sum.low - rest, value + 1e-15);
    EXPECT_GE(sum.high + rest, value - 1e-15);
    EXPECT_TRUE(whole.c[0].low <= value && value <= whole.c[0].high);
    derivative[0] = -3 * solver->interpolate(middle + u * radius, 0) * radius;
    EXPECT_TRUE(whole.c[1].low <= derivative[0] + 1e-14 &&
                derivative[0] - 1e-14 <= whole.c[1].high);
  }
}

// A thousand turns, in units of time far apart.
TEST(ExactSolver, IsRightToRounding) {
  for (const double unit : {1e-18, 1e-6, 1.0, 1e12}) {
    auto rhs = oscillator(1 / unit);
    const auto solver = make_exact(rhs, 2, {});
    solver->restart(0, State{1, 0}, 0);
    const double turns = 1000;
    ASSERT_EQ(run(*solver, turns * 2 * std::numbers::pi * unit), StepResult::Ok);
    EXPECT_NEAR(solver->state()[0], 1, 2e-13) << unit;
    EXPECT_NEAR(solver->state()[1], 0, 2e-12) << unit;
    EXPECT_LT(solver->counts().steps, 6500);
  }
}

TEST(ExactSolver, FollowsWhatGrowsToTheEndOfNumbers) {
  Linear rhs({{1}}, {0});
  const auto solver = make_exact(rhs, 1, {});
  solver->restart(0, State{1}, 0);
  EXPECT_EQ(run(*solver, 1000), StepResult::NotFinite);
  EXPECT_GT(solver->end(), 700);
}

TEST(ExactSolver, SaysWhereItIsNot) {
  auto rhs = falling();
  rhs.is_linear = false;
  const auto exact = make_exact(rhs, 2, {});
  exact->restart(0, State{10, 0}, 0);
  EXPECT_EQ(exact->step(1), StepResult::NotLinear);
  // The automatic solver goes on without it.
  const auto automatic = make_automatic(rhs, 2, {});
  automatic->restart(0, State{10, 0}, 0);
  ASSERT_EQ(run(*automatic, 1), StepResult::Ok);
  EXPECT_NEAR(automatic->state()[0], 10 - 9.81 / 2, 1e-9);
}

// What has come to rest is not followed in steps of its fastest part.
TEST(ExactSolver, LeavesWhatIsStiffToOthers) {
  Linear rhs({{-1e5, 1e5}, {0, -1}}, {0, 1});
  const auto automatic = make_automatic(rhs, 2, {});
  automatic->restart(0, State{0, 0}, 0);
  ASSERT_EQ(run(*automatic, 10), StepResult::Ok);
  EXPECT_NEAR(automatic->state()[0], 1 - std::exp(-10), 1e-6);
  EXPECT_LT(automatic->counts().steps, 3000);
}

// Also by collocation, and then nearly as well as everything else.
TEST(ExactSolver, CollocatesWhatIsStiff) {
  for (const double rate : {1e3, 1e5, 1e8}) {
    Linear rhs({{-rate, rate}, {0, -1}}, {0, 1});
    rhs.tells = true;
    const auto automatic = make_automatic(rhs, 2, {});
    automatic->restart(0, State{0, 0}, 0);
    ASSERT_EQ(run(*automatic, 10), StepResult::Ok);
    // x₂ = 1 − e⁻ᵗ; x₁ follows it: 1 − k e⁻ᵗ + (k − 1) e^(−rate t), k = rate/(rate − 1).
    const auto x1 = [&](double t) {
      const double k = rate / (rate - 1);
      return 1 - k * std::exp(-t) + (k - 1) * std::exp(-rate * t);
    };
    EXPECT_NEAR(automatic->state()[1], 1 - std::exp(-10), 1e-12);
    EXPECT_NEAR(automatic->state()[0], x1(10), 1e-12);
    EXPECT_LT(automatic->counts().steps, 100);
    EXPECT_GT(automatic->end() - automatic->begin(), 1e-2);
    // Between the ends of a step, too, and from the start to the end of what dies away.
    automatic->restart(0, State{0, 0}, 0);
    while (automatic->end() < 10) {
      ASSERT_EQ(automatic->step(10), StepResult::Ok);
      for (int i = 1; i < 8; ++i) {
        const double t = automatic->begin() + i / 8.0 * (automatic->end() - automatic->begin());
        ASSERT_NEAR(automatic->interpolate(t, 0), x1(t), 1e-11) << rate << " at " << t;
        ASSERT_NEAR(automatic->interpolate(t, 1), 1 - std::exp(-t), 1e-11) << rate << " at " << t;
      }
    }
  }
}

// A restart may be for another matrix, as where a law has come to its next slope.
TEST(ExactSolver, CollocatesAnotherMatrixAfterARestart) {
  Linear rhs({{-1e5, 1e5}, {0, -1}}, {0, 1});
  rhs.tells = true;
  const auto automatic = make_automatic(rhs, 2, {});
  automatic->restart(0, State{0, 0}, 0);
  ASSERT_EQ(run(*automatic, 10), StepResult::Ok);
  rhs.set(0, 1, 3e5);
  rhs.set(1, 1, -2);
  automatic->restart(0, State{0, 0}, 0);
  ASSERT_EQ(run(*automatic, 2), StepResult::Ok);
  const double k = 3e5 / (1e5 - 2);
  EXPECT_NEAR(automatic->state()[1], (1 - std::exp(-4)) / 2, 1e-11);
  EXPECT_NEAR(automatic->state()[0], 1.5 - k * std::exp(-4) / 2, 1e-11);
}

// Units are not seen: powers of two change no bit.
TEST(ExactSolver, CollocationKnowsNoUnits) {
  Linear plain({{-1e6, 2e6, 0}, {-1, -1, 1}, {0, -3e3, -1e3}}, {0, 1, 2});
  const double unit[] = {0x1p-40, 1, 0x1p37};
  std::vector<State> scaled(3, State(3));
  const State u{0, 1 * unit[1], 2 * unit[2]}, a[] = {{-1e6, 2e6, 0}, {-1, -1, 1}, {0, -3e3, -1e3}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) scaled[i][j] = a[i][j] * unit[i] / unit[j];
  }
  Linear other(scaled, u);
  plain.tells = other.tells = true;
  Settings settings, in_units;
  settings.absolute_tolerance = in_units.absolute_tolerance = 1e-15;
  in_units.scales = {unit[0], unit[1], unit[2]};
  const auto one = make_automatic(plain, 3, settings), two = make_automatic(other, 3, in_units);
  one->restart(0, State{0, 0, 0}, 0);
  two->restart(0, State{0, 0, 0}, 0);
  ASSERT_EQ(run(*one, 3), StepResult::Ok);
  ASSERT_EQ(run(*two, 3), StepResult::Ok);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(two->state()[i] / unit[i], one->state()[i],
                1e-12 * (1 + std::abs(one->state()[i])));
  }
}

TEST(ExactSolver, SeriesHaveAsManyDigitsInTinyUnits) {
  for (const double unit : {1.0, 1e-12, 1e-24, 1e-60, 1e12}) {
    auto rhs = oscillator(2);
    const auto solver = make_exact(rhs, 2, {});
    solver->restart(0, State{unit, 0}, 0);
    ASSERT_EQ(run(*solver, 10), StepResult::Ok);
    EXPECT_NEAR(solver->state()[0] / unit, std::cos(20), 1e-13) << unit;
  }
}

TEST(ExactSolver, AMotionGoesOnFromItsCopy) {
  auto rhs = oscillator(2);
  const auto one = make_automatic(rhs, 2, {}), two = make_automatic(rhs, 2, {});
  Motion first;
  one->attach(first);
  one->restart(0, State{1, 0}, 0);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(one->step(HUGE_VAL), StepResult::Ok);
  Motion second = first;
  two->attach(second);
  const double t = 0.5 * (first.begin + first.end);
  EXPECT_EQ(one->interpolate(t, 0), two->interpolate(t, 0));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(one->step(HUGE_VAL), StepResult::Ok);
    ASSERT_EQ(two->step(HUGE_VAL), StepResult::Ok);
  }
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace cradle::solve
