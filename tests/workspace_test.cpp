// Nothing but the State decides how a run goes on: whatever else an engine works with (evaluators,
// clusters with their solvers and registers, the agenda, searches under way) is thrown away between
// two steps, its memory is overwritten with noise, and a new engine goes on from the state alone.
// After each step its state is, to the bit, that of a run which nobody disturbed.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <memory>
#include <random>

#include "api/columns.hpp"
#include "base/basics/sanitized.hpp"
#include "core/engine/engine.hpp"
#include "core/engine/models.hpp"
#include "random_graph.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cradle {
namespace {

using engine::Engine;

// What is freed, and what is given anew, is full of noise. AddressSanitizer has its own.
void fill_memory_with_noise() {
#if defined(__GLIBC__) && defined(M_PERTURB)
  if (!kSanitized) mallopt(M_PERTURB, 0xa5);
#endif
}

std::unique_ptr<Engine> engine_for(const Model& model, const Options& options) {
  const plan::Plan& plan = *model.impl().plan;
  return std::make_unique<Engine>(plan, options, api::columns_for(plan, options));
}

// What was found again among the modes that are kept, or had to be made, is no matter of the run.
bool are_equal(engine::State a, const engine::State& b) {
  a.statistics.islands_analysed = b.statistics.islands_analysed;
  a.statistics.islands_reused = b.statistics.islands_reused;
  return a == b;
}

// How many times the engine was replaced; −1 if the states were not the same.
int replace_between_steps(const Model& model, const Options& options, uint32_t seed, int most) {
  std::mt19937 random(seed);
  const auto undisturbed = engine_for(model, options);
  auto disturbed = engine_for(model, options);
  // Often at first, so that every kind of step is met, then now and then: a new engine is dear.
  int replaced = 0;
  for (int step = 0; step < most; ++step) {
    const bool goes_on = undisturbed->go_on();
    if (disturbed->go_on() != goes_on) return -1;
    if (!are_equal(disturbed->state(), undisturbed->state())) return -1;
    if (!goes_on) break;
    if (step > 60 && random() % 16 != 0) continue;
    auto next = engine_for(model, options);
    next->go_on_from(*disturbed);
    disturbed = std::move(next);
    ++replaced;
  }
  return replaced;
}

class Workspace : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, Workspace, testing::ValuesIn(models_that_differ()),
                         [](const auto& info) { return name_of_model(info.param); });

TEST_P(Workspace, MayBeLostBetweenAnyTwoSteps) {
  fill_memory_with_noise();
  const Model model = Model::load(GetParam());
  ASSERT_TRUE(model.ok());
  for (const SolverKind solver : {SolverKind::Automatic, SolverKind::Explicit, SolverKind::Stiff}) {
    Options options;
    options.choice = ChoicePolicy::Random;
    options.solver = solver;
    options.record = false;
    EXPECT_GE(replace_between_steps(model, options, 1, kSanitized ? 120 : 400), 0)
        << "with the solver " << static_cast<int>(solver);
  }
}

RC_GTEST_PROP(RandomWorkspace, MayBeLostBetweenAnyTwoSteps, (uint32_t seed)) {
  fill_memory_with_noise();
  const Model model = Model::load_text("random.cradle", generate(seed).text());
  RC_ASSERT(model.ok());
  Options options;
  options.record = false;
  RC_ASSERT(replace_between_steps(model, options, seed, 100) > 0);
}

}  // namespace
}  // namespace cradle
