#include "language/expr/pool.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "language/expr/print.hpp"

namespace cradle::expr {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class PoolTest : public ::testing::Test {
 protected:
  ExprId num(double v) { return pool.constant(v); }
  ExprId local(int i) { return pool.leaf(Op::Local, i); }
  ExprId effort(int i) { return pool.leaf(Op::Effort, i); }
  ExprId state(int i) { return pool.leaf(Op::State, i); }
  std::string text(ExprId e) {
    return to_string(pool, e,
                     [](const Node& n) { return std::string(name(n.op)) + char('0' + n.ref); });
  }
  // Evaluation with Local(i) = x[i], for checking derivatives against differences.
  double at(ExprId e, const std::vector<double>& x) {
    const Node& n = pool[e];
    if (n.op == Op::Constant) return n.value;
    if (n.op == Op::Local) return x[static_cast<std::size_t>(n.ref)];
    double a = at(n.a, x);
    double b = n.b.valid() ? at(n.b, x) : 0, c = n.c.valid() ? at(n.c, x) : 0;
    return apply(n.op, a, b, c);
  }
  void expect_derivative(ExprId e, std::vector<double> x, int i) {
    double d = at(pool.derivative(e, Op::Local, i), x);
    double h = 1e-6;
    auto up = x, down = x;
    up[static_cast<std::size_t>(i)] += h;
    down[static_cast<std::size_t>(i)] -= h;
    EXPECT_NEAR(d, (at(e, up) - at(e, down)) / (2 * h), 1e-7 * (1 + std::fabs(d))) << text(e);
  }
  Pool pool;
};

TEST_F(PoolTest, EqualExpressionsAreOneNode) {
  EXPECT_EQ(pool.binary(Op::Add, local(0), local(1)), pool.binary(Op::Add, local(0), local(1)));
  EXPECT_NE(pool.binary(Op::Add, local(0), local(1)), pool.binary(Op::Add, local(1), local(0)));
  EXPECT_EQ(pool.pre(effort(3)), pool.pre(effort(3)));
  EXPECT_EQ(pool.pres().size(), 1u);
  EXPECT_NE(num(1), pool.boolean(true));
}

TEST_F(PoolTest, ConstantsAreKeptToTheBit) {
  EXPECT_NE(num(0.0), num(-0.0));
  EXPECT_EQ(num(std::nan("")), num(std::nan("")));
  EXPECT_TRUE(std::signbit(pool.constant_value(num(-0.0))));
}

TEST_F(PoolTest, FoldsConstants) {
  EXPECT_EQ(pool.binary(Op::Div, num(1), num(0)), num(kInf));
  EXPECT_EQ(pool.binary(Op::Max, num(1), num(3)), num(3));
  EXPECT_EQ(pool.binary(Op::Mod, num(-1), num(3)), num(2));
  EXPECT_EQ(pool.unary(Op::Sign, num(-4)), num(-1));
  EXPECT_EQ(pool.unary(Op::ImpulseOf, num(-4)), num(0));
  EXPECT_EQ(pool.binary(Op::Less, num(1), num(2)), pool.boolean(true));
  EXPECT_TRUE(std::isnan(pool.constant_value(pool.binary(Op::Min, num(1), num(std::nan(""))))));
}

TEST_F(PoolTest, FoldsIdentities) {
  ExprId e = effort(0);
  EXPECT_EQ(pool.binary(Op::Add, e, num(0)), e);
  EXPECT_EQ(pool.binary(Op::Add, num(0), e), e);
  EXPECT_EQ(pool.binary(Op::Mul, num(1), e), e);
  EXPECT_EQ(pool.binary(Op::Mul, num(-1), e), pool.unary(Op::Neg, e));
  EXPECT_EQ(pool.unary(Op::Neg, pool.unary(Op::Neg, e)), e);
  EXPECT_EQ(pool.binary(Op::Pow, e, num(1)), e);
}

TEST_F(PoolTest, TimesZeroIsZeroOnlyOfWhatIsFinite) {
  EXPECT_EQ(pool.binary(Op::Mul, state(0), num(0)), num(0));
  EXPECT_EQ(pool.binary(Op::Mul, num(0), pool.leaf(Op::Time)), num(0));
  EXPECT_FALSE(pool.is_constant(pool.binary(Op::Mul, effort(0), num(0))));
  EXPECT_FALSE(pool.is_constant(pool.binary(Op::Mul, local(0), num(0))));
  ExprId overflow = pool.unary(Op::Exp, state(0));
  EXPECT_FALSE(pool.is_constant(pool.binary(Op::Mul, overflow, num(0))));
  EXPECT_TRUE(std::isnan(pool.constant_value(pool.binary(Op::Mul, num(kInf), num(0)))));
}

TEST_F(PoolTest, ImpulseOfWhatHasNone) {
  EXPECT_EQ(pool.unary(Op::ImpulseOf, state(0)), num(0));
  EXPECT_EQ(pool.unary(Op::FiniteOf, state(0)), state(0));
  ExprId impulse = pool.unary(Op::ImpulseOf, effort(0));
  EXPECT_EQ(pool[impulse].op, Op::ImpulseOf);
  EXPECT_EQ(pool.unary(Op::FiniteOf, impulse), impulse);
  EXPECT_FALSE(pool.is_impulse_free(pool.binary(Op::Mul, num(2), pool.leaf(Op::Omega))));
}

TEST_F(PoolTest, FoldsLogic) {
  ExprId x = pool.leaf(Op::Active, 0), yes = pool.boolean(true), no = pool.boolean(false);
  EXPECT_EQ(pool[x].type, Type::Boolean);
  EXPECT_EQ(pool.binary(Op::And, x, yes), x);
  EXPECT_EQ(pool.binary(Op::And, x, no), no);
  EXPECT_EQ(pool.binary(Op::Or, yes, x), yes);
  EXPECT_EQ(pool.binary(Op::Or, x, x), x);
  EXPECT_EQ(pool.unary(Op::Not, pool.unary(Op::Not, x)), x);
  EXPECT_EQ(pool.unary(Op::Not, no), yes);
  EXPECT_EQ(pool.conditional(yes, num(1), num(2)), num(1));
  EXPECT_EQ(pool[pool.conditional(x, x, no)].type, Type::Boolean);
  EXPECT_EQ(pool[pool.leaf(Op::Signal, 0, 0, Type::Boolean)].type, Type::Boolean);
}

TEST_F(PoolTest, DerivativesAgreeWithDifferences) {
  ExprId x = local(0), y = local(1);
  for (Op op : {Op::Neg, Op::Abs, Op::Sqrt, Op::Exp, Op::Log, Op::Log10, Op::Sin, Op::Cos, Op::Tan,
                Op::Asin, Op::Acos, Op::Atan, Op::Sinh, Op::Cosh, Op::Tanh, Op::Floor, Op::Ceil,
                Op::Sign}) {
    ExprId inner = pool.binary(Op::Mul, x, pool.binary(Op::Sub, x, num(-0.25)));
    expect_derivative(pool.unary(op, inner), {0.4, 0.7}, 0);
  }
  for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Pow, Op::Min, Op::Max, Op::Atan2, Op::Mod,
                Op::Hypot}) {
    ExprId a = pool.unary(Op::Exp, pool.binary(Op::Mul, x, y)), b = pool.unary(Op::Cos, y);
    for (int i : {0, 1}) {
      expect_derivative(pool.binary(op, a, b), {0.4, 0.7}, i);
      expect_derivative(pool.binary(op, b, a), {0.4, 0.7}, i);
    }
  }
  expect_derivative(pool.binary(Op::Pow, x, num(3)), {-2.0}, 0);
  expect_derivative(pool.unary(Op::Abs, x), {-2.0}, 0);
  ExprId piecewise = pool.conditional(pool.binary(Op::Less, x, y), pool.binary(Op::Mul, x, x),
                                      pool.binary(Op::Mul, x, y));
  expect_derivative(piecewise, {0.1, 0.7}, 0);
  expect_derivative(piecewise, {0.9, 0.7}, 0);
}

TEST_F(PoolTest, DerivativeIsZeroByStructure) {
  ExprId product = pool.binary(Op::Mul, effort(0), effort(1));
  EXPECT_EQ(pool.derivative(product, Op::Effort, 2), num(0));
  EXPECT_EQ(pool.derivative(product, Op::Effort, 1), effort(0));
  EXPECT_EQ(pool.derivative(pool.unary(Op::ImpulseOf, product), Op::Effort, 1), num(0));
  EXPECT_EQ(pool.derivative(pool.pre(product), Op::Effort, 1), num(0));
  ExprId linear = pool.binary(Op::Div, local(0), num(4));
  EXPECT_EQ(pool.derivative(linear, Op::Local, 0), num(0.25));
}

TEST_F(PoolTest, SubstitutesLocalsAlsoInsidePre) {
  ExprId law = pool.binary(Op::Add, pool.unary(Op::Sin, local(0)), pool.pre(local(1)));
  ExprId result = pool.substitute(law, {state(5), effort(2)});
  EXPECT_EQ(result, pool.binary(Op::Add, pool.unary(Op::Sin, state(5)), pool.pre(effort(2))));
  EXPECT_EQ(pool.substitute(law, {}), law);
  EXPECT_EQ(pool.substitute(pool.binary(Op::Mul, local(0), num(3)), {num(2)}), num(6));
}

TEST_F(PoolTest, LeavesAndComparisonsComeOnce) {
  ExprId less = pool.binary(Op::Less, effort(1), num(3));
  ExprId e = pool.binary(Op::And, less, pool.binary(Op::Or, pool.leaf(Op::Active, 2), less));
  ExprId both = pool.conditional(e, effort(1), pool.pre(state(0)));
  EXPECT_EQ(pool.leaves(both),
            (std::vector<ExprId>{effort(1), pool.leaf(Op::Active, 2), pool.pre(state(0))}));
  EXPECT_EQ(pool.comparisons(both), std::vector<ExprId>{less});
}

TEST_F(PoolTest, DeepAndSharedExpressionsAreLinear) {
  ExprId sum = local(0), power = local(0);
  for (int i = 1; i < 100000; ++i) sum = pool.binary(Op::Add, sum, local(i));
  for (int i = 0; i < 200; ++i) power = pool.binary(Op::Mul, power, power);
  EXPECT_EQ(pool.derivative(sum, Op::Local, 7), num(1));
  EXPECT_EQ(pool.leaves(sum).size(), 100000u);
  EXPECT_EQ(pool[pool.substitute(sum, {num(1)})].op, Op::Add);
  std::size_t before = pool.size();
  pool.derivative(power, Op::Local, 0);
  EXPECT_LT(pool.size(), before + 1000);
  EXPECT_LT(text(power).size(), 5000u);
  EXPECT_LT(text(sum).size(), 5000u);
}

TEST_F(PoolTest, PrintsInTheLanguage) {
  ExprId x = state(0), y = effort(1);
  EXPECT_EQ(text(pool.binary(Op::Mul, pool.binary(Op::Add, x, num(2)), y)),
            "(state0 + 2) * effort1");
  EXPECT_EQ(text(pool.binary(Op::Sub, x, pool.binary(Op::Sub, y, num(2)))),
            "state0 - (effort1 - 2)");
  EXPECT_EQ(text(pool.binary(Op::Pow, pool.unary(Op::Neg, x), num(-2))), "(-state0)^-2");
  EXPECT_EQ(text(pool.unary(Op::Neg, pool.binary(Op::Pow, x, num(2)))), "-state0^2");
  ExprId less = pool.binary(Op::Less, pool.unary(Op::ImpulseOf, y), num(0.5));
  EXPECT_EQ(text(pool.unary(Op::Not, pool.binary(Op::Or, less, pool.boolean(false)))),
            "not impulse(effort1) < 0.5");
  EXPECT_EQ(text(pool.binary(Op::Add, pool.conditional(less, x, pool.pre(y)), num(1))),
            "(if impulse(effort1) < 0.5 then state0 else pre(effort1)) + 1");
  EXPECT_EQ(text(pool.binary(Op::Atan2, x, pool.leaf(Op::Omega))), "atan2(state0, omega)");
}

TEST(OpTest, EveryOperatorHasANameAndAnArity) {
  EXPECT_EQ(arity(Op::Count), 0);
  EXPECT_EQ(arity(Op::Neg), 1);
  EXPECT_EQ(arity(Op::Not), 1);
  EXPECT_EQ(arity(Op::Hypot), 2);
  EXPECT_EQ(arity(Op::If), 3);
  EXPECT_EQ(name(Op::If), "if");
  EXPECT_EQ(name(Op::Hypot), "hypot");
  EXPECT_EQ(name(Op::Less), "<");
  EXPECT_EQ(name(Op::Count), "count");
  EXPECT_TRUE(is_comparison(Op::NotEqual));
  EXPECT_FALSE(is_comparison(Op::And));
}

TEST(LeavesTest, AreReplacedAlsoInsidePre) {
  Pool pool;
  ExprId a = pool.leaf(Op::Flow, 1), b = pool.leaf(Op::Flow, 2);
  ExprId e = pool.binary(Op::Add, pool.pre(a), pool.binary(Op::Mul, a, b));
  std::unordered_map<ExprId, ExprId> done;
  auto next = [&](ExprId id) { return pool.leaf(Op::Flow, pool[id].ref + 1); };
  // Each leaf once, although the first becomes what the second was.
  ExprId c = pool.leaf(Op::Flow, 3);
  EXPECT_EQ(pool.map_leaves(e, next, done),
            pool.binary(Op::Add, pool.pre(b), pool.binary(Op::Mul, b, c)));
}

}  // namespace
}  // namespace cradle::expr
