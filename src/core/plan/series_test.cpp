#include "core/plan/series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cradle::plan {
namespace {

using expr::Op;

Series curve(double x, double x1, double x2) {
  Series out(x);
  out.finite[1] = {x1, std::abs(x1)};
  out.finite[2] = {x2, std::abs(x2)};
  return out;
}

// x(h) along the curve.
double along(const Series& s, double h) {
  return s.finite[0].value + s.finite[1].value * h + 0.5 * s.finite[2].value * h * h;
}

void expect_derivatives(const Series& got, const std::function<double(double)>& f) {
  const double h = 1e-4;
  EXPECT_NEAR(got.finite[0].value, f(0), 1e-14);
  EXPECT_NEAR(got.finite[1].value, (f(h) - f(-h)) / (2 * h), 1e-6);
  EXPECT_NEAR(got.finite[2].value, (f(h) - 2 * f(0) + f(-h)) / (h * h), 1e-5);
}

TEST(Series, FunctionsHaveTheDerivativesOfTheirCurves) {
  const Series a = curve(0.37, 1.3, -0.8);
  for (Op op : {Op::Sqrt, Op::Exp, Op::Log, Op::Log10, Op::Sin, Op::Cos, Op::Tan, Op::Asin,
                Op::Acos, Op::Atan, Op::Sinh, Op::Cosh, Op::Tanh, Op::Neg, Op::Abs}) {
    SCOPED_TRACE(expr::name(op));
    expect_derivatives(evaluate(op, a), [&](double h) { return expr::apply(op, along(a, h)); });
  }
}

TEST(Series, OperatorsHaveTheDerivativesOfTheirCurves) {
  const Series a = curve(0.37, 1.3, -0.8), b = curve(1.9, -0.4, 0.6);
  for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Pow, Op::Min, Op::Max, Op::Atan2, Op::Hypot,
                Op::Mod}) {
    SCOPED_TRACE(expr::name(op));
    expect_derivatives(evaluate(op, a, b),
                       [&](double h) { return expr::apply(op, along(a, h), along(b, h)); });
  }
}

TEST(Series, TheFirstCoefficientOutsideRoundingDecides) {
  Series s;
  EXPECT_EQ(s.sign(), 0);
  s.finite[2] = {-1, 1};
  EXPECT_EQ(s.sign(), -1);
  s.finite[1] = {1e-17, 1};  // rounding
  EXPECT_EQ(s.sign(), -1);
  s.finite[1] = {1e-12, 1};
  EXPECT_EQ(s.sign(), 1);
  s.finite[0] = {-1, 1};
  EXPECT_EQ(s.sign(), -1);
  s.impulse = {2, 2};
  EXPECT_EQ(s.sign(), 1);
  s.strain[1] = {-1, 1};
  EXPECT_EQ(s.sign(), -1);
  s.strain[0] = {1, 1};
  EXPECT_EQ(s.sign(), 1);
}

TEST(Series, WhatCancelsIsRounding) {
  // 0.1 + 0.2 − 0.3 is 5.6e-17, and nothing.
  const Series sum = evaluate(Op::Add, Series(0.1), Series(0.2));
  const Series rest = evaluate(Op::Sub, sum, Series(0.3));
  EXPECT_NE(rest.finite[0].value, 0);
  EXPECT_EQ(rest.sign(), 0);
  // A sine near a zero far from the origin is worth its amplitude, and the rounding of its
  // argument.
  const Series far = evaluate(Op::Sin, evaluate(Op::Mul, Series(3.14159265358979), Series(1e6)));
  EXPECT_EQ(Series(far).sign(), 0);
}

TEST(Series, StrainStaysInWhatIsCalledFinite) {
  Series s(3.0);
  s.impulse = {-5, 5};
  s.strain[0] = {1, 1};
  EXPECT_EQ(evaluate(Op::FiniteOf, s).sign(), 1);
  s.strain[0] = {};
  EXPECT_EQ(evaluate(Op::FiniteOf, s).sign(), 1);
  EXPECT_EQ(evaluate(Op::ImpulseOf, s).sign(), -1);
  EXPECT_EQ(evaluate(Op::Less, s, Series(0.0)).value().finite, 1);
}

}  // namespace
}  // namespace cradle::plan
