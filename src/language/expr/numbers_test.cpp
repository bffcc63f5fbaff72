#include "language/expr/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cradle::expr {
namespace {

TEST(Numbers, AreComputedAsFoldingWould) {
  Pool pool, folded;
  const double m = 0.1, k = 0.3;
  const ExprId p = pool.leaf(Op::Parameter, 0), q = pool.leaf(Op::Parameter, 1);
  const ExprId sum = pool.binary(Op::Add, pool.binary(Op::Mul, p, q), pool.unary(Op::Sin, q));
  const ExprId same =
      folded.binary(Op::Add, folded.binary(Op::Mul, folded.constant(m), folded.constant(k)),
                    folded.unary(Op::Sin, folded.constant(k)));
  Numbers numbers;
  numbers.complete(pool, [&](const Node& leaf) { return leaf.ref == 0 ? m : k; });
  EXPECT_EQ(numbers.of(pool, sum), folded.constant_value(same));
  EXPECT_EQ(numbers.of(pool, pool.constant(7)), 7);
  // More can be made later on.
  const ExprId more = pool.unary(Op::Neg, sum);
  numbers.complete(pool, [](const Node&) { return NAN; });
  EXPECT_EQ(numbers.of(pool, more), -numbers.of(pool, sum));
}

TEST(Numbers, FixedIsWhatReadsParametersAlone) {
  Pool pool;
  const ExprId p = pool.leaf(Op::Parameter, 0), x = pool.leaf(Op::State, 0);
  EXPECT_TRUE(pool.is_fixed(p));
  EXPECT_TRUE(pool.is_fixed(pool.constant(1)));
  EXPECT_TRUE(pool.is_fixed(pool.binary(Op::Less, p, pool.constant(1))));
  EXPECT_FALSE(pool.is_fixed(x));
  EXPECT_FALSE(pool.is_fixed(pool.binary(Op::Mul, p, x)));
  EXPECT_FALSE(pool.is_fixed(pool.leaf(Op::Omega)));
  EXPECT_EQ(pool.leaves(pool.binary(Op::Mul, p, x)), std::vector<ExprId>{x});
}

// Only identities that hold whatever the parameter is worth, to the sign of a zero.
TEST(Numbers, WhatIsFixedIsFoldedWithCare) {
  Pool pool;
  const ExprId p = pool.leaf(Op::Parameter, 0);
  const ExprId zero = pool.constant(0), one = pool.constant(1);
  EXPECT_EQ(pool.binary(Op::Mul, p, one), p);
  EXPECT_EQ(pool.binary(Op::Div, p, one), p);
  EXPECT_EQ(pool.binary(Op::Sub, p, zero), p);
  for (const auto& [e, value] :
       {std::pair{pool.binary(Op::Mul, p, zero), -3.0}, {pool.binary(Op::Add, p, zero), -0.0}}) {
    Numbers numbers;
    numbers.complete(pool, [v = value](const Node&) { return v; });
    const double folded = pool[e].op == Op::Mul ? value * 0.0 : value + 0.0;
    EXPECT_EQ(std::signbit(numbers.of(pool, e)), std::signbit(folded));
  }
  EXPECT_EQ(pool.pre(p), p);
  EXPECT_EQ(pool.unary(Op::IsPresent, p), pool.boolean(true));
  EXPECT_EQ(pool.fallback(p, zero), p);
}

// ∂/∂parameter, as an expression.
TEST(Numbers, DerivativesByParameters) {
  Pool pool;
  const ExprId p = pool.leaf(Op::Parameter, 3), x = pool.leaf(Op::State, 0);
  EXPECT_EQ(pool.derivative(pool.binary(Op::Mul, p, x), Op::Parameter, 3), x);
  EXPECT_EQ(pool.derivative(pool.binary(Op::Mul, p, x), Op::Parameter, 4), pool.constant(0));
  const ExprId quotient = pool.binary(Op::Div, x, p);
  const ExprId wanted = pool.binary(Op::Div, pool.unary(Op::Neg, quotient), p);
  EXPECT_EQ(pool.derivative(quotient, Op::Parameter, 3), wanted);
  const std::vector<ExprId> by = pool.gradient(pool.unary(Op::Sin, p), std::vector<ExprId>{p, x});
  EXPECT_EQ(by[0], pool.unary(Op::Cos, p));
  EXPECT_EQ(by[1], pool.constant(0));
}

}  // namespace
}  // namespace cradle::expr
