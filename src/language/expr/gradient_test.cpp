#include <gtest/gtest.h>

#include <random>

#include "language/expr/pool.hpp"

namespace cradle::expr {
namespace {

// Expressions over a few leaves, with much that is shared.
class Expressions {
 public:
  explicit Expressions(unsigned seed) : random_(seed) {
    for (int i = 0; i < 5; ++i) nodes_.push_back(pool.leaf(Op::State, i));
    leaves = nodes_;
    nodes_.push_back(pool.constant(2));
    nodes_.push_back(pool.leaf(Op::InMode, 0, 1));
    leaves.push_back(nodes_.back());
  }

  ExprId make(int operations) {
    for (int i = 0; i < operations; ++i) add();
    return nodes_.back();
  }

  Pool pool;
  std::vector<ExprId> leaves;

 private:
  ExprId any(Type type) {
    for (;;) {
      const ExprId e = nodes_[random_() % nodes_.size()];
      if (pool[e].type == type) return e;
    }
  }
  void add() {
    static constexpr Op kBinary[] = {Op::Add, Op::Sub, Op::Mul,   Op::Div,  Op::Add,
                                     Op::Sub, Op::Min, Op::Atan2, Op::Hypot};
    static constexpr Op kUnary[] = {Op::Neg, Op::Sin, Op::Exp, Op::Abs, Op::Sign};
    const ExprId a = any(Type::Number), b = any(Type::Number);
    switch (random_() % 4) {
      case 0:
        nodes_.push_back(pool.unary(kUnary[random_() % std::size(kUnary)], a));
        break;
      case 1:
        nodes_.push_back(pool.conditional(any(Type::Boolean), a, b));
        break;
      default:
        nodes_.push_back(pool.binary(kBinary[random_() % std::size(kBinary)], a, b));
        break;
    }
  }

  std::mt19937 random_;
  std::vector<ExprId> nodes_;
};

TEST(Gradient, IsWhatEachDerivativeIs) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Expressions made(seed);
    const ExprId e = made.make(3 + static_cast<int>(seed % 40));
    const std::vector<ExprId> gradient = made.pool.gradient(e, made.leaves);
    ASSERT_EQ(gradient.size(), made.leaves.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const Node leaf = made.pool[made.leaves[i]];
      ASSERT_EQ(gradient[i], made.pool.derivative(e, leaf.op, leaf.ref)) << seed << ' ' << i;
    }
  }
}

// By n leaves of a sum of n terms: as many operations as there are terms, not their square.
TEST(Gradient, OfASumCostsAsMuchAsItsTerms) {
  constexpr int kTerms = 20000;
  Pool pool;
  std::vector<ExprId> leaves;
  ExprId sum = pool.constant(0);
  for (int i = 0; i < kTerms; ++i) {
    leaves.push_back(pool.leaf(Op::State, i));
    sum = pool.binary(i % 2 == 0 ? Op::Add : Op::Sub, sum,
                      pool.binary(Op::Mul, leaves.back(), leaves.back()));
  }
  const std::size_t before = pool.size();
  const std::vector<ExprId> gradient = pool.gradient(sum, leaves);
  EXPECT_EQ(gradient[2], pool.binary(Op::Add, leaves[2], leaves[2]));
  EXPECT_EQ(gradient[3], pool.unary(Op::Neg, pool.binary(Op::Add, leaves[3], leaves[3])));
  EXPECT_LE(pool.size() - before, 3u * kTerms);
}

TEST(Gradient, FindsLeavesWithoutMakingThem) {
  Pool pool;
  const ExprId state = pool.leaf(Op::State, 3);
  const Pool& frozen = pool;
  EXPECT_EQ(frozen.find_leaf(Op::State, 3), state);
  EXPECT_FALSE(frozen.find_leaf(Op::State, 4).valid());
  EXPECT_EQ(pool.size(), 1u);
}

}  // namespace
}  // namespace cradle::expr
