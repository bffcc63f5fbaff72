#include "core/plan/plan.hpp"

#include <gtest/gtest.h>

#include "core/plan/testing.hpp"

namespace cradle::plan {
namespace {

using expr::Op;
using testing::plan_of;

// A store with a law that bends, a source and a modulus that vary, a crossing and a guard.
constexpr const char* kAll = R"(
  I m(law(p) = p + p * p * p, f = 2)
  C c(1)
  R r(law(f) = f + f * f * f)
  TF t(2 + sin(time))
  Se s = abs(x) * 3
  x = integral(cos(time) - min(m.f, 1), 0)
  crossed = rising(x - 0.5)
  n = hold(crossed, false)
  1 j
  0 k
  s -> j
  j -> m
  j -> r
  j -> t -> k
  k -> c
  modal watch initially low {
    mode low { }
    mode high { }
    low -> high when x > 1 and pre(c.e) < 2
  }
)";

// Every expression that a run evaluates has its code: nothing is made later.
TEST(Plan, IsCompleteWhenItIsMade) {
  const auto plan = plan_of(kAll);
  const model::Model& m = plan->model();
  for (std::size_t i = 0; i < m.signals.size(); ++i) {
    EXPECT_FALSE(plan->signal(SignalId(i)).empty());
  }
  for (const model::Element& element : m.elements) {
    for (ExprId law : element.laws) EXPECT_FALSE(plan->formula(law).empty());
    if (!element.signal.valid()) continue;
    EXPECT_FALSE(plan->formula(element.signal).empty());
  }
  for (ExprId remembered : m.pool.pres()) EXPECT_FALSE(plan->formula(remembered).empty());
  for (const Comparison& comparison : plan->comparisons()) {
    EXPECT_FALSE(plan->formula(comparison.expr).empty());
    EXPECT_FALSE(plan->formula(comparison.gap_expr).empty());
    for (ExprId leaf : m.pool.leaves(comparison.expr)) {
      EXPECT_FALSE(plan->formula(leaf).empty());
    }
    if (!comparison.detector.valid()) continue;
    ASSERT_TRUE(plan->rate_of(comparison.gap_expr).expr.has_value());
    EXPECT_FALSE(plan->formula(*plan->rate_of(comparison.gap_expr).expr).empty());
  }
  for (std::size_t i = 0; i < plan->cells().size(); ++i) {
    const Block& block = plan->block_of(CellId(i));
    for (const Equation& equation : block.equations) {
      if (equation.linear) continue;
      for (ExprId slope : equation.slopes) EXPECT_FALSE(plan->formula(slope).empty());
    }
    for (const Modulated& modulated : block.modulated) {
      const Rate& rate = plan->rate_of(modulated.modulus);
      ASSERT_TRUE(rate.expr.has_value());
      EXPECT_FALSE(plan->formula(*rate.expr).empty());
    }
  }
  for (std::size_t i = 0; i < m.elements.size(); ++i) {
    if (m.elements[ElementId(i)].name != "m") continue;
    ASSERT_EQ(plan->initial_slopes(ElementId(i)).size(), 1u);
    EXPECT_FALSE(plan->formula(plan->initial_slopes(ElementId(i))[0]).empty());
  }
}

TEST(PlanDeathTest, AskingForWhatWasNotMadeIsABug) {
  const auto plan = plan_of("x = integral(1, 0)\ny = x + 2 * x");
  const model::Model& m = plan->model();
  ExprId inner;  // 2 * x has no code of its own
  for (std::size_t i = 0; i < m.pool.size(); ++i) {
    if (m.pool[ExprId(i)].op == Op::Mul) inner = ExprId(i);
  }
  ASSERT_TRUE(inner.valid());
  EXPECT_DEATH(plan->formula(inner), "made with the plan");
  EXPECT_DEATH(plan->rate_of(inner), "made with the plan");
  EXPECT_FALSE(plan->compile(inner).empty());
}

TEST(Plan, KeepsItsModel) {
  std::weak_ptr<const model::Model> model;
  {
    const auto plan = plan_of("x = integral(1, 0)");
    model = plan->shared_model();
    EXPECT_EQ(&plan->model(), model.lock().get());
  }
  EXPECT_TRUE(model.expired());
}

// A leaf, a number and the impulse in a value need not stand in the pool.
TEST(Plan, CompilesForThoseWhoLookOn) {
  const auto plan = plan_of("Se s = 1\nR r(1)\ns -> r\ny = r.f * time\nz = r.e");
  const model::Model& m = plan->model();
  const std::size_t size = m.pool.size();
  const Code leaf = plan->compile(expr::Node{.op = Op::State, .ref = 7});
  ASSERT_EQ(leaf.list.size(), 1u);
  EXPECT_EQ(leaf.list[0].a, 7);
  const Code impulse = plan->compile_impulse(*m.find("r.e"));
  EXPECT_EQ(impulse.list.back().op, Op::ImpulseOf);
  EXPECT_EQ(m.pool.size(), size);
}

// A name for every step: what reads the one before twice would be written out 2⁶⁰ times.
TEST(Plan, RatesOfSignalsThatReadEachOtherAreShared) {
  std::string text = "s[0] = sin(time)\ns[1] = cos(time)\nfor i in 2..60 {\n";
  text += "s[i] = 0.5 * s[i - 1] + 0.5 * s[i - 2]\n}\n";
  const auto few = plan_of(text + "Se u = s[15]\nC c(1)\nR r(1)\n1 j\nu -> j\nj -> c\nj -> r");
  const auto many = plan_of(text + "Se u = s[60]\nC c(1)\nR r(1)\n1 j\nu -> j\nj -> c\nj -> r");
  auto rate = [](const Plan& plan) {
    for (const model::Element& element : plan.model().elements) {
      if (element.name == "u") return plan.rate_of(element.signal);
    }
    return Rate{};
  };
  EXPECT_TRUE(rate(*few).expr.has_value());
  EXPECT_FALSE(rate(*many).expr.has_value()) << "too long to be written out";
  EXPECT_NE(rate(*many).obstacle, "");
}

TEST(Plan, RatesStopAtCirclesAndLongChains) {
  const auto rate_of = [](const std::string& text) {
    const auto plan = plan_of(text + "C c(1)\nR r(1)\n1 j\nu -> j\nj -> c\nj -> r");
    for (const model::Element& element : plan->model().elements) {
      if (element.name == "u") return plan->rate_of(element.signal);
    }
    return Rate{};
  };
  const std::string chain = "s[0] = time\nfor i in 1..400 {\ns[i] = s[i - 1] + 1\n}\n";
  EXPECT_TRUE(rate_of(chain + "Se u = s[190]\n").expr.has_value());
  EXPECT_FALSE(rate_of(chain + "Se u = s[399]\n").expr.has_value());
  EXPECT_TRUE(rate_of(chain + "Se u = s[399] - s[399]\nSe w = s[100]\nR q(1)\nw -> q\n").obstacle !=
              "");
  EXPECT_FALSE(rate_of("a = if time > 1 then b else 1\nb = if time > 1 then 1 else a\nSe u = a\n")
                   .expr.has_value());
  EXPECT_TRUE(rate_of("Se u = sin(time)\n").expr->valid());
  EXPECT_FALSE(rate_of("Se u = 3\n").expr->valid()) << "it does not change";
}

TEST(Footprints, SayWhatIsRead) {
  const auto plan = plan_of(kAll);
  const model::Model& m = plan->model();
  Footprints footprints(*plan);
  const Footprint all = footprints.of(*m.find("n"));
  EXPECT_EQ(all.memories.size(), 2u);
  const Footprint state = footprints.of(*m.find("x"));
  EXPECT_EQ(state.states.size(), 1u);
  EXPECT_TRUE(state.cells.empty());
  EXPECT_EQ(footprints.of(*m.find("c.e")).cells.size(), 1u);
  EXPECT_TRUE(footprints.of({}).states.empty());
}

TEST(Impulses, ReachWhatNothingPinsDown) {
  const auto plan = plan_of(R"(
  I a(1), b(1)
  1 j
  j -> a
  j -> b
  Se s = 1
  s -> j
  y = a.e + 1
  z = a.f + 1
)");
  Impulses impulses(plan->model());
  EXPECT_TRUE(impulses.may_reach(*plan->model().find("y")));
  EXPECT_FALSE(impulses.may_reach(*plan->model().find("z")));
  EXPECT_FALSE(impulses.may_reach(*plan->model().find("z"))) << "asked again";
}

}  // namespace
}  // namespace cradle::plan
