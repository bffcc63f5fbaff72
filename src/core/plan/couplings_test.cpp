#include "core/plan/couplings.hpp"

#include <gtest/gtest.h>

#include "core/plan/island.hpp"
#include "core/plan/testing.hpp"

namespace cradle::plan {
namespace {

using testing::plan_of;

const Equation& source(const Plan& plan) {
  for (const Equation& equation : plan.block_of(CellId(0)).equations) {
    if (equation.kind == Equation::Kind::Source) return equation;
  }
  ADD_FAILURE() << "there is a source";
  return plan.block_of(CellId(0)).equations[0];
}

Island island_of(const Plan& plan) {
  return Island(plan, {CellId(0)}, [](JunctionId) { return true; });
}

// u of a loop of two resistors, which it reads.
std::shared_ptr<const Plan> loop(const std::string& u) {
  return plan_of("R r(1), r2(law(f) = 2 * f)\n1 j\nSe u = " + u +
                 "\nu -> j\nj -> r\nj -> r2\na = 4 * r.e - time\nb = if time > 2 then a else a\n"
                 "c = if r.e > 0 then r.e else 0\n");
}

TEST(Couplings, WithConstantCoefficientsStandInTheMatrix) {
  for (const char* u : {"0.5 * r.f", "a", "2 * b - r2.f", "(r.e + 1) / 4", "a + pre(time)"}) {
    const auto plan = loop(u);
    EXPECT_TRUE(source(*plan).reads_cell) << u;
    EXPECT_TRUE(island_of(*plan).is_direct()) << u;
    EXPECT_FALSE(island_of(*plan).is_coupled()) << u;
  }
}

TEST(Couplings, OfAnyOtherKindAreLeftToNewtonsMethod) {
  for (const char* u : {"r.f^2", "time * r.f", "sin(a)", "c", "abs(r.e)", "r.e * r2.e"}) {
    const auto plan = loop(u);
    EXPECT_FALSE(source(*plan).reads_cell) << u;
    EXPECT_TRUE(island_of(*plan).is_coupled()) << u;
  }
}

// What reads a store's flow, or what it does not act upon, is computed on demand.
TEST(Couplings, ThatLeadToNoCircleLeaveTheIslandDirect) {
  const auto plan =
      plan_of("I m(1, f = 1)\nR r(1)\n1 j\nSe u = -(m.f)^2\nu -> j\nj -> m\nj -> r\n");
  EXPECT_TRUE(island_of(*plan).is_direct());
  EXPECT_FALSE(island_of(*plan).is_coupled());
}

TEST(Couplings, PreKeepsWhatItRemembers) {
  const auto plan = loop("pre(r.f) + 1");
  EXPECT_FALSE(source(*plan).reads_cell);
  EXPECT_FALSE(island_of(*plan).is_coupled());
}

TEST(Couplings, SignalsThatReadEffortsAreKnown) {
  const auto plan = plan_of("R r(1)\nSe s = 1\ns -> r\na = r.e\nb = 2 * a\nnone = time\n");
  const model::Model& m = plan->model();
  for (std::size_t i = 0; i < m.signals.size(); ++i) {
    const std::string& name = m.signals[SignalId(i)].name;
    EXPECT_EQ(plan->reads_bonds(SignalId(i)), name.size() == 1) << name;
  }
}

}  // namespace
}  // namespace cradle::plan
