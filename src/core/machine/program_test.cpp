#include "core/machine/program.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace cradle::machine {
namespace {

using expr::Op;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kSpecial = {0.0,
                                      -0.0,
                                      1.0,
                                      -1.0,
                                      0.5,
                                      -2.5,
                                      3.0,
                                      1e300,
                                      -1e300,
                                      1e-300,
                                      kInf,
                                      -kInf,
                                      kNone,
                                      -kNone,
                                      std::numeric_limits<double>::denorm_min(),
                                      -std::numeric_limits<double>::denorm_min(),
                                      std::numeric_limits<double>::min() / 4,
                                      std::numeric_limits<double>::max(),
                                      0.1,
                                      std::numbers::pi,
                                      -std::numbers::pi / 2,
                                      1e17,
                                      4503599627370497.5,
                                      -4503599627370496.5};

// To the bit; of numbers that are none there is one.
bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

std::vector<Level> levels() {
  std::vector<Level> out;
  for (const Level level : {Level::Sse2, Level::Avx}) {
    if (has(level)) out.push_back(level);
  }
  return out;
}

double computed(const Step& step, double a, double b, double c) {
  if (step.kind == Step::Kind::MultiplyAdd) {
    const double product = expr::apply(Op::Mul, a, b);
    return expr::apply(Op::Add, c, product);
  }
  return expr::apply(step.op, a, b, c);
}

struct Row {
  Op op;
  int arity;
};
std::vector<Row> operators() {
  return {
#define LEAF(Name, text)
#define OPERATOR(Name, text, arity, value, derivative) {Op::Name, arity},
#include "language/expr/operators.def"
  };
}

#ifdef CRADLE_MACHINE_CODE
TEST(Program, IsThereOnThisMachine) { EXPECT_FALSE(levels().empty()); }
#endif

// Each operator alone, on all special values.
TEST(Program, ComputesEachOperatorToTheBit) {
  for (const Level level : levels()) {
    for (const auto& [op, arity] : operators()) {
      if (op == Op::Integral) continue;  // of hybrid processes only
      const Step step{Step::Kind::Operator, op, 3, 0, arity > 1 ? 1 : -1, arity > 2 ? 2 : -1};
      const Recipe recipe{{{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {step}, {{3, {1, 0}}}};
      const auto program = Program::make(recipe, level);
      ASSERT_NE(program, nullptr) << expr::name(op);
      for (const double a : kSpecial) {
        for (const double b : kSpecial) {
          for (const double c : {kNone, -0.0, 2.0}) {
            double given[] = {a, b, c, 99}, result = 99;
            program->run(given, &result);
            EXPECT_TRUE(same(result, computed(step, a, b, c)))
                << expr::name(op) << ' ' << a << ' ' << b << ' ' << c << ": " << result;
            if (arity < 3) break;
          }
          if (arity < 2) break;
        }
      }
    }
  }
}

// Of one operator three times, on itself and on what is in registers already.
TEST(Program, ComputesOnRegisters) {
  for (const Level level : levels()) {
    for (const auto& [op, arity] : operators()) {
      if (op == Op::Integral) continue;
      const auto step = [&, op = op, arity = arity](int32_t to, int32_t a, int32_t b, int32_t c) {
        return Step{Step::Kind::Operator, op, to, a, arity > 1 ? b : -1, arity > 2 ? c : -1};
      };
      const std::vector<Step> steps{step(3, 0, 1, 2), step(4, 3, 3, 3), step(5, 1, 3, 4),
                                    step(6, 5, 0, 3), step(7, 6, 5, 3)};
      Recipe recipe{{}, steps, {{4, {1, 0}}, {6, {1, 1}}, {7, {1, 2}}, {0, {1, 3}}, {7, {1, 4}}}};
      for (int32_t i = 0; i < 8; ++i) recipe.homes.push_back({0, i});
      const auto program = Program::make(recipe, level);
      ASSERT_NE(program, nullptr);
      for (const double a : kSpecial) {
        for (const double b : kSpecial) {
          double numbers[8] = {a, b, 2.0}, expected[8] = {a, b, 2.0};
          std::vector<double> results(5);
          program->run(numbers, results.data());
          for (const Step& s : steps) {
            expected[s.target] = computed(s, expected[s.a], s.b < 0 ? 0 : expected[s.b],
                                          s.c < 0 ? 0 : expected[s.c]);
          }
          const double wanted[] = {expected[4], expected[6], expected[7], a, expected[7]};
          for (std::size_t k = 0; k < 5; ++k) {
            EXPECT_TRUE(same(results[k], wanted[k])) << expr::name(op) << ' ' << a << ' ' << b;
          }
        }
      }
    }
  }
}

// Long recipes of all kinds of steps, of more numbers than there are registers.
TEST(Program, ComputesLongRecipesToTheBit) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::vector<Row> all = operators();
  int finite = 0;
  for (const Level level : levels()) {
    for (int round = 0; round < 200; ++round) {
      const std::size_t given = 1 + below(30), made = 1 + below(300), reach = 1 + below(60);
      const bool calls = round % 2 == 0;
      Recipe recipe;
      for (std::size_t i = 0; i < given; ++i) {
        recipe.homes.push_back({static_cast<int32_t>(i % 2), static_cast<int32_t>(i)});
      }
      for (std::size_t i = 0; i < made; ++i) {
        const std::size_t known = recipe.homes.size();
        const auto pick = [&] {
          return static_cast<int32_t>(below(4) == 0 ? below(known)
                                                    : known - 1 - below(std::min(known, reach)));
        };
        Step step{Step::Kind::Operator, Op::Add, static_cast<int32_t>(known), pick(), -1, -1};
        if (below(4) == 0) {
          step.kind = Step::Kind::MultiplyAdd;
          step.b = pick();
          step.c = pick();
        } else {
          const Row row = calls && below(3) == 0
                              ? all[below(all.size())]
                              : std::vector<Row>{{Op::Add, 2},  {Op::Sub, 2}, {Op::Mul, 2},
                                                 {Op::Div, 2},  {Op::Neg, 1}, {Op::If, 3},
                                                 {Op::Less, 2}, {Op::Max, 2}}[below(8)];
          if (row.op == Op::Integral) continue;
          step.op = row.op;
          if (row.arity > 1) step.b = pick();
          if (row.arity > 2) step.c = pick();
        }
        recipe.homes.push_back({0, static_cast<int32_t>(known)});
        recipe.steps.push_back(step);
      }
      const std::size_t numbers = recipe.homes.size();
      for (std::size_t i = 0; i < 12; ++i) {
        recipe.results.push_back(
            {static_cast<int32_t>(below(numbers)), {2, static_cast<int32_t>(i)}});
      }
      const auto program = Program::make(recipe, level);
      ASSERT_NE(program, nullptr);
      std::vector<double> first(numbers), second(given), results(12), expected(numbers);
      for (std::size_t i = 0; i < given; ++i) {
        expected[i] = round % 4 == 3 && below(8) == 0
                          ? kSpecial[below(kSpecial.size())]
                          : std::uniform_real_distribution<double>(-2, 2)(random);
        (i % 2 == 0 ? first : second)[i] = expected[i];
      }
      for (const Step& s : recipe.steps) {
        const auto of = [&](int32_t n) {
          return n < 0 ? 0 : expected[static_cast<std::size_t>(n)];
        };
        expected[static_cast<std::size_t>(s.target)] = computed(s, of(s.a), of(s.b), of(s.c));
      }
      for (int again = 0; again < 2; ++again) {
        program->run(first.data(), second.data(), results.data());
        for (std::size_t i = 0; i < 12; ++i) {
          finite += std::isfinite(results[i]) ? 1 : 0;
          EXPECT_TRUE(
              same(results[i], expected[static_cast<std::size_t>(recipe.results[i].number)]))
              << "round " << round << ", result " << i;
        }
      }
    }
  }
  if (!levels().empty()) {
    EXPECT_GT(finite, 3000);
  }
}

}  // namespace
}  // namespace cradle::machine
