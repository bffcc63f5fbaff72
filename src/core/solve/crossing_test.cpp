#include "core/solve/crossing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "core/solve/chebyshev.hpp"

namespace cradle::solve {
namespace {

class Function : public Gap {
 public:
  explicit Function(std::function<double(double)> f) : f_(std::move(f)) {}
  double operator()(double t) override {
    ++evaluations;
    return f_(t);
  }
  int evaluations = 0;

 private:
  std::function<double(double)> f_;
};

double after(double t) { return std::nextafter(t, std::numeric_limits<double>::infinity()); }
double before(double t) { return std::nextafter(t, -std::numeric_limits<double>::infinity()); }

// The result has the new truth and the double before it the old one.
void expect_change(std::function<double(double)> f, bool strict, double a, double b, double near,
                   double within) {
  Function gap(f);
  const bool old_truth = holds(f(a), strict);
  const auto t = first_change(gap, strict, old_truth, a, b);
  ASSERT_TRUE(t.has_value()) << "in (" << a << ", " << b << "]";
  EXPECT_NEAR(*t, near, within);
  EXPECT_GT(*t, a);
  EXPECT_LE(*t, b);
  EXPECT_NE(holds(f(*t), strict), old_truth);
  EXPECT_TRUE(before(*t) <= a || holds(f(before(*t)), strict) == old_truth);
}

void expect_none(std::function<double(double)> f, bool strict, double a, double b) {
  Function gap(f);
  EXPECT_EQ(first_change(gap, strict, holds(f(a), strict), a, b), std::nullopt);
}

TEST(Crossing, IsCheapWhereNothingHappens) {
  Function quartic([](double t) { return 3 + t * (1 - t * (0.5 - t * (0.1 - 0.02 * t))); });
  EXPECT_EQ(first_change(quartic, true, true, 0, 1), std::nullopt);
  EXPECT_LT(quartic.evaluations, 10);
  Function grazing_end(
      [](double t) { return t * (2 - t); });  // zero at the start, as after a bounce
  EXPECT_EQ(first_change(grazing_end, false, true, 0, 1), std::nullopt);
  EXPECT_LT(grazing_end.evaluations, 12);
  Function smooth([](double t) { return 2 + std::sin(3 * t); });
  EXPECT_EQ(first_change(smooth, true, true, 0, 1), std::nullopt);
  EXPECT_LT(smooth.evaluations, 20);
}

TEST(Crossing, IsCheapWhereSomethingHappens) {
  Function parabola([](double t) { return 1 - 4.9 * t * t; });
  ASSERT_TRUE(first_change(parabola, true, true, 0, 1));
  EXPECT_LT(parabola.evaluations, 20);
}

TEST(Crossing, IsFoundToTheLastBit) {
  for (const bool strict : {true, false}) {
    expect_change([](double t) { return t - 0.3; }, strict, 0, 1, 0.3, 1e-16);
    expect_change([](double t) { return 0.3 - t; }, strict, 0, 1, 0.3, 1e-16);
    expect_change([](double t) { return std::cos(t); }, strict, 0, 3, std::numbers::pi / 2, 1e-15);
    expect_change([](double t) { return std::exp(-t) - 0.5; }, strict, 0, 5, std::log(2), 1e-15);
    expect_change([](double t) { return t - 1000.25; }, strict, 1000, 1001, 1000.25, 2e-13);
  }
}

TEST(Crossing, StrictAndWeakDifferByOneDouble) {
  const auto line = [](double t) { return t - 0.5; };
  Function weak(line), strict(line);
  EXPECT_EQ(first_change(weak, false, false, 0, 1), 0.5);
  EXPECT_EQ(first_change(strict, true, false, 0, 1), after(0.5));
}

TEST(Crossing, AtTheVeryEnd) {
  Function at_end([](double t) { return t - 1; });
  EXPECT_EQ(first_change(at_end, false, false, 0, 1), 1.0);
  Function beyond([](double t) { return t - after(1); });
  EXPECT_EQ(first_change(beyond, false, false, 0, 1), std::nullopt);
  Function one_before([](double t) { return t - before(1); });
  EXPECT_EQ(first_change(one_before, false, false, 0, 1), before(1));
}

TEST(Crossing, JustRightOfTheStart) {
  Function rising([](double t) { return t - 2; });
  EXPECT_EQ(first_change(rising, true, false, 2, 3), after(2));
  Function changed_already([](double) { return 1.0; });
  EXPECT_EQ(first_change(changed_already, true, false, 2, 3), after(2));
  // At 0 doubles are denser than any clock: near, and cheap.
  Function from_zero([](double t) { return t; });
  const auto t = first_change(from_zero, true, false, 0, 1);
  ASSERT_TRUE(t);
  EXPECT_LT(*t, 1e-20);
  EXPECT_LT(from_zero.evaluations, 120);
}

TEST(Crossing, OnShortIntervals) {
  Function any([](double t) { return t - 1; });
  EXPECT_EQ(first_change(any, true, false, 1, 1), std::nullopt);
  EXPECT_EQ(first_change(any, true, false, 2, 1), std::nullopt);
  EXPECT_EQ(first_change(any, true, false, 1, after(1)), after(1));
  EXPECT_EQ(first_change(any, true, true, 1, after(1)), std::nullopt);
  for (int width = 2; width < 300; width += 7) {
    double b = 1;
    for (int k = 0; k < width; ++k) b = after(b);
    double root = 1;
    for (int k = 0; k < width / 2; ++k) root = after(root);
    Function short_line([root](double t) { return t - root; });
    EXPECT_EQ(first_change(short_line, false, false, 1, b), width / 2 == 0 ? after(1) : root);
  }
}

TEST(Crossing, OneUlpApart) {
  const double root = 0.7;
  Function first([&](double t) { return t - root; }),
      second([&](double t) { return t - after(root); });
  EXPECT_EQ(first_change(first, false, false, 0, 1), root);
  EXPECT_EQ(first_change(second, false, false, 0, 1), after(root));
}

TEST(Crossing, ZeroEverywhere) {
  const auto zero = [](double) { return 0.0; };
  expect_none(zero, true, 0, 1);
  expect_none(zero, false, 0, 1);
  Function other(zero);
  EXPECT_EQ(first_change(other, false, false, 1, 2), after(1));
}

TEST(Crossing, NanDoesNotHold) {
  const double nan = std::nan("");
  Function nowhere([&](double) { return nan; });
  EXPECT_EQ(first_change(nowhere, false, false, 0, 1), std::nullopt);
  EXPECT_LT(nowhere.evaluations, 30);
  Function lost([&](double t) { return t < 0.3 ? 1 : nan; });
  EXPECT_EQ(first_change(lost, true, true, 0, 1), 0.3);
  Function root([](double t) { return std::sqrt(0.6 - t); });
  EXPECT_EQ(first_change(root, false, true, 0, 1), after(0.6));
  Function infinite([](double t) { return 1 / (t - 0.5); });
  const auto t = first_change(infinite, true, false, 0, 1);
  ASSERT_TRUE(t);
  EXPECT_NEAR(*t, 0.5, 1e-15);
}

// Dips of any depth that rounding leaves visible, anywhere in the step, by both signs.
TEST(Crossing, DipsInsideOneStep) {
  for (const double depth : {1e-2, 1e-6, 1e-9, 1e-12, 1e-14}) {
    for (double centre = 0.013; centre < 1; centre += 0.083) {
      const auto dip = [=](double t) { return (t - centre) * (t - centre) - depth; };
      const double root = centre - std::sqrt(depth);
      if (root <= 0) continue;
      const double within = 1e-15 / std::sqrt(depth);
      expect_change(dip, true, 0, 1, root, within);
      expect_change([=](double t) { return -dip(t); }, true, 0, 1, root, within);
    }
  }
}

TEST(Crossing, DipsOfFunctionsThatAreNoPolynomials) {
  for (const double depth : {1e-3, 1e-6, 1e-9}) {
    for (double phase = 0.3; phase < 3; phase += 0.37) {
      const auto dip = [=](double t) { return 1 - depth + std::cos(t + std::numbers::pi - phase); };
      const double root = phase - std::acos(1 - depth);
      if (root <= 0) continue;
      expect_change(dip, true, 0, 6, root, 1e-15 / std::sqrt(depth));
    }
  }
}

TEST(Crossing, NearMissesAreNotChanges) {
  for (const double gap : {1e-2, 1e-6, 1e-9, 1e-13}) {
    for (double centre = 0.05; centre < 1; centre += 0.1) {
      expect_none([=](double t) { return (t - centre) * (t - centre) + gap; }, true, 0, 1);
    }
  }
}

TEST(Crossing, TouchingWeakly) {
  // Never below zero, so >= 0 holds throughout.
  expect_none([](double t) { return (t - 0.5) * (t - 0.5); }, false, 0, 1);
  expect_none([](double t) { return -(t - 0.5) * (t - 0.5); }, true, 0, 1);
}

TEST(Crossing, FirstOfThree) {
  const auto cubic = [](double t) { return (t - 0.2) * (t - 0.21) * (t - 0.8); };
  expect_change(cubic, true, 0, 1, 0.2, 1e-14);
  expect_change(cubic, true, 0.205, 1, 0.21, 1e-14);
  expect_change(cubic, true, 0.3, 1, 0.8, 1e-14);
  expect_change([](double t) { return std::sin(40 * t + 1); }, true, 0, 1,
                (std::numbers::pi - 1) / 40, 1e-15);
  const auto triple = [](double t) { return (t - 0.4) * (t - 0.4) * (t - 0.4); };
  expect_change(triple, true, 0, 1, 0.4, 1e-5);
}

TEST(Crossing, SteepFunctions) {
  expect_change([](double t) { return std::tanh(1e9 * (t - 0.37)); }, true, 0, 1, 0.37, 1e-15);
  expect_change([](double t) { return std::cbrt(t - 0.37); }, true, 0, 1, 0.37, 1e-15);
  expect_change([](double t) { return t < 0.61 ? -1e300 : 1e300; }, true, 0, 1, 0.61, 1e-15);
  expect_change([](double t) { return 1e-200 * (t - 0.61); }, true, 0, 1, 0.61, 1e-15);
}

TEST(Crossing, Kinks) {
  expect_change([](double t) { return std::abs(t - 0.377) - 1e-7; }, true, 0, 1, 0.377 - 1e-7,
                1e-15);
  expect_change([](double t) { return std::max(t - 0.7, 2 * t - 1.1); }, true, 0, 1, 0.55, 1e-15);
}

// A guard whose value is the difference of two large equal numbers must not cost a search.
TEST(Crossing, NoiseIsBounded) {
  Function noise([](double t) { return std::abs(std::sin(1e9 * t)) * 1e-16 + 1e-18; });
  EXPECT_EQ(first_change(noise, true, true, 0, 1), std::nullopt);
  EXPECT_LT(noise.evaluations, 400);
  Function offset([](double t) { return (1000 + 1e-6 * t) - 1000; });
  EXPECT_EQ(first_change(offset, false, true, 0, 1), std::nullopt);
  EXPECT_LT(offset.evaluations, 200);
}

// The oracle: a fine scan of random polynomials and waves.
TEST(Crossing, AgreesWithAFineScan) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int found = 0;
  for (int trial = 0; trial < 500; ++trial) {
    double c[8];
    for (double& value : c) value = uniform(random);
    const double frequency = trial % 3 == 0 ? 6 * uniform(random) : 0;
    const auto f = [&](double t) {
      double sum = 0;
      for (const double value : c) sum = sum * t + value;
      return sum + std::sin(frequency * t + c[0]);
    };
    const bool strict = trial % 2 == 0;
    const bool start = holds(f(-1), strict);
    double scan = 2;
    for (int k = 1; k <= 20000 && scan == 2; ++k) {
      const double t = -1 + k / 10000.0;
      if (holds(f(t), strict) != start) scan = t;
    }
    Function gap(f);
    const auto t = first_change(gap, strict, start, -1, 1);
    if (scan == 2) continue;  // a dip between two points of the scan is allowed
    ++found;
    ASSERT_TRUE(t) << "trial " << trial;
    EXPECT_LE(*t, scan);
    EXPECT_NE(holds(f(*t), strict), start);
  }
  EXPECT_GT(found, 200);
}

TEST(Chebyshev, InterpolatesAndDifferentiates) {
  const auto f = [](double x) { return 1 + x * (2 + x * (3 + x * (-4 + x * 5))); };
  const auto slope = [](double x) { return 2 + x * (6 + x * (-12 + x * 20)); };
  std::array<double, 9> values;
  for (int j = 0; j <= 8; ++j) values[j] = f(Chebyshev::nodes()[j]);
  for (const int degree : {4, 8}) {
    Chebyshev p = Chebyshev::through(values, degree);
    p.trim(1e-13);
    EXPECT_EQ(p.degree(), 4);
    for (double x = -1; x <= 1; x += 0.125) {
      EXPECT_NEAR(p(x), f(x), 1e-13);
      EXPECT_NEAR(p.derivative()(x), slope(x), 1e-12);
    }
  }
}

TEST(Chebyshev, FindsCloseRoots) {
  const std::array<double, 5> truth = {-0.9, -0.5, -0.4999, 0.3, 0.99};
  std::array<double, 9> values;
  for (int j = 0; j <= 8; ++j) {
    values[j] = 1;
    for (const double root : truth) values[j] *= Chebyshev::nodes()[j] - root;
  }
  std::array<double, 8> roots;
  ASSERT_EQ(Chebyshev::through(values, 8).roots(roots), 5);
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(roots[k], truth[k], 1e-11);
}

}  // namespace
}  // namespace cradle::solve
