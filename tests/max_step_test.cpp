// until T max_step h: the longest step of the solver, as the model states it.

#include <gtest/gtest.h>

#include "cradle/cradle.hpp"
#include "model_text.hpp"

namespace cradle {
namespace {

int64_t steps(const Model& model, const Options& options = {}) {
  Simulation run(model, options);
  EXPECT_TRUE(run.run().finished());
  EXPECT_NEAR(run.value("x")->finite, 2, 1e-9);
  return run.statistics().solver_steps;
}

const char* const kMotion = "x = integral(1)\nshow x\nuntil 2";

TEST(MaxStep, BoundsTheStepsOfEverySolver) {
  EXPECT_LT(steps(model_of(kMotion)), 40);
  const Model bounded = model_of(std::string(kMotion) + " max_step 0.02");
  for (const SolverKind solver : {SolverKind::Exact, SolverKind::Explicit, SolverKind::Stiff}) {
    Options options;
    options.solver = solver;
    EXPECT_GE(steps(bounded, options), 100);
  }
}

TEST(MaxStep, GivesWayToTheOption) {
  Options options;
  options.max_step = 0.1;
  const int64_t count = steps(model_of(std::string(kMotion) + " max_step 0.02"), options);
  EXPECT_GE(count, 20);
  EXPECT_LT(count, 100);
}

TEST(MaxStep, HasUnitsAndReadsParameters) {
  const std::string text = "param h = 20 ms\nx = integral(1)\nshow x\nuntil 2 s max_step h";
  EXPECT_GE(steps(model_of(text)), 100);
  Model changed = model_of(text);
  changed.set({"h", "5 ms"});
  EXPECT_GE(steps(changed), 400);
  EXPECT_FALSE(Model::load_text("t.cradle", "model T { until 2 s max_step 1 V }").ok());
}

TEST(MaxStep, CanBeTheNameOfASignal) {
  const Model model = model_of("until 2\nmax_step = integral(1)\nx = max_step\nshow x");
  EXPECT_LT(steps(model), 40);
}

TEST(MaxStep, IsKeptByReductions) {
  const Reduction reduction = model_of(std::string(kMotion) + " max_step 0.02").reduce();
  ASSERT_TRUE(reduction.ok());
  EXPECT_NE(reduction.text.find("until 2 max_step 0.02"), std::string::npos) << reduction.text;
}

}  // namespace
}  // namespace cradle
