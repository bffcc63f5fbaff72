#include "core/solve/jet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/basics/sanitized.hpp"
#include "core/solve/bernstein.hpp"

namespace cradle::solve {
namespace {

using expr::Op;

Jet line(const Interval& middle, double slope) {
  Jet out;
  out.degree = 1;
  out.c[0] = middle;
  out.c[1] = Interval::at(slope);
  return out;
}

// A line at every u.
Jet over_all(const Jet& line) {
  const double c[] = {line.c[0].middle(), line.c[1].middle()};
  const double worth[] = {std::abs(c[0]), std::abs(c[1])};
  Jet out;
  expand_polynomial(c, worth, {}, 1, Where::Whole, out);
  return out;
}

bool encloses(const Jet& middle, const Jet& whole, double u, double value, double slack) {
  Interval sum;
  Interval power = Interval::at(1);
  const int last = middle.exact ? middle.degree : Jet::order - 1;
  for (int k = 0; k <= std::min(last, middle.degree); ++k) {
    sum = sum + middle.c[at(k)] * power;
    power = u * power;
  }
  if (!middle.exact && whole.degree == Jet::order) sum = sum + whole.c[Jet::order] * power;
  return sum.low - slack <= value && value <= sum.high + slack;
}

// Powers that are whole numbers are products, of which the first factor is 1.
TEST(Jet, EnclosesWholePowers) {
  for (const double n : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0}) {
    for (const double a0 : {-1.3, -0.04, 0.3, 2.5}) {
      const Jet a = line(Interval::at(a0), 0.02 * a0);
      Jet middle, whole;
      apply(Op::Pow, a, Jet::constant(n), middle);
      apply(Op::Pow, over_all(a), Jet::constant(n), whole);
      for (double u = -1; u <= 1; u += 0.25) {
        const double value = std::pow(a0 * (1 + 0.02 * u), n);
        EXPECT_TRUE(encloses(middle, whole, u, value, 1e-13 * std::abs(value)))
            << a0 << " to the " << n << " at " << u;
      }
    }
  }
}

// Every operator on every argument: the values at many points lie in the enclosures.
TEST(Jet, EnclosesEveryOperator) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::vector<Op> unary = {Op::Neg,   Op::Abs,  Op::Sqrt, Op::Exp,  Op::Log,
                                 Op::Log10, Op::Sin,  Op::Cos,  Op::Tan,  Op::Asin,
                                 Op::Acos,  Op::Atan, Op::Sinh, Op::Cosh, Op::Tanh,
                                 Op::Floor, Op::Ceil, Op::Sign, Op::Not};
  const std::vector<Op> binary = {Op::Add,  Op::Sub,       Op::Mul, Op::Div,   Op::Pow,
                                  Op::Min,  Op::Max,       Op::Mod, Op::Atan2, Op::Hypot,
                                  Op::Less, Op::LessEqual, Op::And, Op::Or};
  constexpr int kTrials = kSanitized ? 100 : 800;
  int finite = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const double scale = std::pow(10, 2 * uniform(random)),
                 width = std::pow(10, -2 + 2 * uniform(random));
    const double a0 = scale * uniform(random), b0 = scale * uniform(random);
    const double a1 = width * uniform(random), b1 = width * uniform(random);
    const auto check = [&](Op op, bool two) {
      Jet middle, whole;
      const Jet a = line(Interval::at(a0), a1), b = line(Interval::at(b0), b1);
      if (two) {
        apply(op, a, b, middle);
        apply(op, over_all(a), over_all(b), whole);
      } else {
        apply(op, a, middle);
        apply(op, over_all(a), whole);
      }
      for (double u = -1; u <= 1; u += 0.125) {
        const double x = a0 + a1 * u, y = b0 + b1 * u;
        const double value = two ? expr::apply(op, x, y) : expr::apply(op, x);
        if (std::isnan(value)) {
          EXPECT_TRUE(whole.c[0].is_nowhere() || !whole.c[0].is_finite()) << expr::name(op);
          continue;
        }
        // x itself is rounded before the operator sees it.
        const double slack = 1e-11 * (1 + std::abs(value));
        ASSERT_TRUE(whole.c[0].low - slack <= value && value <= whole.c[0].high + slack)
            << expr::name(op) << " at " << x << ", " << y << ": " << value << " not in ["
            << whole.c[0].low << ", " << whole.c[0].high << "]";
        if (!whole.c[Jet::order].is_finite() || whole.degree < Jet::order) continue;
        if (op == Op::Tan || op == Op::Pow || op == Op::Div)
          continue;  // rounding of x is magnified
        ++finite;
        ASSERT_TRUE(encloses(middle, whole, u, value, slack)) << expr::name(op) << " at " << x;
      }
    };
    for (const Op op : unary) check(op, false);
    for (const Op op : binary) check(op, true);
  }
  EXPECT_GT(finite, 100 * kTrials);
}

// What is exact is a polynomial everywhere: nothing that takes a branch may say so.
TEST(Jet, BranchesAreNotExact) {
  Jet out;
  for (const Op op : {Op::Abs, Op::Floor, Op::Ceil, Op::Sign}) {
    apply(op, line(Interval::at(3.25), 1), out);
    EXPECT_FALSE(out.exact) << expr::name(op);
    apply(op, Jet::constant(3.25), out);
    EXPECT_TRUE(out.is_constant()) << expr::name(op);
  }
  for (const Op op : {Op::Min, Op::Max, Op::Mod, Op::Less}) {
    apply(op, line(Interval::at(3.25), 1), Jet::constant(7), out);
    EXPECT_FALSE(out.exact) << expr::name(op);
  }
  apply(Op::Mul, line(Interval::at(1), 2), line(Interval::at(3), 4), out);
  EXPECT_TRUE(out.exact);
  EXPECT_EQ(out.degree, 2);
}

TEST(Jet, ZeroStaysZero) {
  Jet out;
  apply(Op::Max, Jet::constant(0), line(Interval{-3, -1}, 0.5), out);
  EXPECT_TRUE(out.c[0].is_zero());
}

TEST(Bernstein, IsThePolynomialAndItsHalves) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> power(1 + static_cast<std::size_t>(trial % 8));
    for (double& c : power) c = uniform(random);
    const Bernstein p = Bernstein::of(power);
    Bernstein left = p, right = p;
    p.halve(left, right);
    for (double s = 0; s <= 1; s += 0.0625) {
      double value = 0;
      for (std::size_t k = power.size(); k-- > 0;) value = power[k] + (2 * s - 1) * value;
      EXPECT_NEAR(p(s), value, 1e-13);
      EXPECT_GE(value, p.least() - 1e-13);
      EXPECT_LE(value, p.largest() + 1e-13);
      EXPECT_NEAR(s <= 0.5 ? left(2 * s) : right(2 * s - 1), value, 1e-13);
    }
    if (p.sign_changes() == 1) {
      EXPECT_NEAR(p(p.root()), 0, 1e-12);
    }
  }
}

}  // namespace
}  // namespace cradle::solve
