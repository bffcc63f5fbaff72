#include "core/engine/flow_code.hpp"

#include <gtest/gtest.h>

#include "core/engine/workspace.hpp"
#include "core/plan/mode_cache.hpp"
#include "core/plan/testing.hpp"

namespace cradle::engine {
namespace {

// All that a run has at its beginning.
struct Start {
  explicit Start(const Plan& plan) : state(plan, options), work(plan, options, state) {
    std::vector<UnitId> all;
    for (std::size_t u = 0; u < plan.units().size(); ++u) all.push_back(UnitId(u));
    work.clusters.rebuild(all, [](UnitId) {});
  }
  Cluster& cluster() { return *work.runtime.cluster_of_unit[0]; }

  const Options options;
  State state;
  Workspace work;
};

// A pendulum on a motor: a law that is not linear, a source that reads a signal and a truth.
constexpr const char* kSwing = R"(
  param m = 2, k = 3
  I a(m, p = 1)
  C c(law(q) = sin(k * q), q = 0.3)
  R r(0.5)
  Se u = if x < 1 then k * sin(time) else -x
  1 v
  u -> v
  v -> a
  v -> c
  v -> r
  x = integral(v.f * v.f, 0.2)
)";

TEST(FlowCode, IsSharedByAllRunsOfAPlan) {
  const auto plan = plan::testing::plan_of(kSwing);
  Start one(*plan), two(*plan);
  const auto code = find_rates(one.work.runtime, one.cluster());
  ASSERT_TRUE(code->exists());
  EXPECT_EQ(find_rates(two.work.runtime, two.cluster()), code);
  EXPECT_EQ(find_gap(one.work.runtime, ComparisonId(0), plan::Reader::Run),
            find_gap(two.work.runtime, ComparisonId(0), plan::Reader::Run));
  EXPECT_EQ(plan->modes().contents().codes, 2u);
}

// The code of the mode and the evaluator, which asks for leaf by leaf, agree to the bit.
TEST(FlowCode, ComputesWhatTheEvaluatorDoes) {
  const auto plan = plan::testing::plan_of(kSwing);
  Start start(*plan);
  Cluster& cluster = start.cluster();
  for (const bool truth : {false, true}) {
    start.state.truth[0] = truth;
    FlowCode code(start.work.runtime, find_rates(start.work.runtime, cluster), false);
    code.refresh(start.work.flow, start.work.runtime);
    std::vector<double> x, rates(cluster.states.size());
    for (std::size_t i = 0; i < cluster.states.size(); ++i) x.push_back(0.3 + 0.7 * double(i));
    const double t = 1.25;
    code.run(t, x, rates);
    start.work.flow.begin(t);
    for (std::size_t i = 0; i < x.size(); ++i) start.work.flow.set_state(cluster.states[i], x[i]);
    std::size_t i = 0;
    for (const auto& slot : cluster.slots) {
      for (std::size_t s = 0; s < slot->island->states().size(); ++s) {
        const int variable = slot->island->rate_variable(static_cast<int>(s));
        EXPECT_EQ(rates[i++], start.work.flow.variable(*slot, variable));
      }
    }
    for (StateId id : cluster.integrals) {
      EXPECT_EQ(rates[i++], start.work.flow.formula(plan->model().states[id].rate));
    }
    EXPECT_EQ(i, 3u);
  }
}

std::vector<double> rates_at(Start& start, const std::shared_ptr<const plan::ModeCode>& code,
                             double t, std::span<const double> x) {
  FlowCode at_work(start.work.runtime, code, false);
  at_work.refresh(start.work.flow, start.work.runtime);
  std::vector<double> out(code->results.size());
  at_work.run(t, x, out);
  return out;
}

// Against difference quotients, on both sides of the truth that is frozen.
TEST(FlowCode, HasItsDerivativesAsCode) {
  const auto plan = plan::testing::plan_of(kSwing);
  Start start(*plan);
  const Cluster& cluster = start.cluster();
  const auto rates = find_rates(start.work.runtime, cluster);
  const plan::Jacobian jacobian = plan::jacobian_of(*rates);
  const auto code = std::make_shared<const plan::ModeCode>(jacobian.code);
  const std::size_t n = cluster.states.size();
  for (const bool truth : {false, true}) {
    start.state.truth[0] = truth;
    std::vector<double> x{0.3, -0.8, 1.7};
    const double t = 0.4, h = 1e-6;
    std::vector<double> expected(n * n, 0.0), found(n * n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      const double at_x = x[j];
      x[j] = at_x + h;
      const std::vector<double> above = rates_at(start, rates, t, x);
      x[j] = at_x - h;
      const std::vector<double> below = rates_at(start, rates, t, x);
      x[j] = at_x;
      for (std::size_t i = 0; i < n; ++i) expected[n * i + j] = (above[i] - below[i]) / (2 * h);
    }
    const std::vector<double> entries = rates_at(start, code, t, x);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto column = at(start.work.runtime.component_of_state[at(jacobian.entries[k].state)]);
      found[n * at(jacobian.entries[k].row) + column] = entries[k];
    }
    for (std::size_t k = 0; k < n * n; ++k) EXPECT_NEAR(found[k], expected[k], 1e-7) << k;
  }
}

// Islands that are too large for rows have code, too: as the evaluator computes them, which solves
// the whole island.
void expect_code_of_large(const std::string& text, std::size_t most_per_state) {
  const auto plan = plan::testing::plan_of(text.c_str());
  Start start(*plan);
  const Cluster& cluster = start.cluster();
  const auto rates = find_rates(start.work.runtime, cluster);
  ASSERT_TRUE(rates->exists()) << text;
  EXPECT_LT(rates->list.size(), most_per_state * cluster.states.size()) << text;
  const std::size_t n = cluster.states.size();
  std::vector<double> x, expected(n);
  for (std::size_t i = 0; i < n; ++i) x.push_back(0.3 + 0.1 * std::sin(3.0 * double(i)));
  const double t = 1.25;
  const std::vector<double> found = rates_at(start, rates, t, x);
  start.work.flow.begin(t);
  for (std::size_t i = 0; i < n; ++i) start.work.flow.set_state(cluster.states[i], x[i]);
  evaluate_rates(start.work.runtime, cluster, start.work.flow, expected);
  double largest = 0;
  for (double v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12 * largest) << i;
}

constexpr const char* kLine = R"(
  Se u = 1 + sin(time)
  0 n[0]
  u -> n[0]
  for i in 1..200 {
    1 s[i]
    0 n[i]
    R r[i](LAW)
    C c[i](0.5 + 0.1 * i, e = 0.1)
    n[i - 1] -> s[i] -> n[i]
    s[i] -> r[i]
    n[i] -> c[i]
  }
)";

std::string line_with(const std::string& law) {
  std::string text = kLine;
  return text.replace(text.find("LAW"), 3, law);
}

TEST(FlowCode, IsShortForLongChains) {
  expect_code_of_large(line_with("2"), 12);
  expect_code_of_large(line_with("law(e) = e + e * e * e"), 20);
}

// A train of masses without springs: all of them have one speed.
TEST(FlowCode, KnowsRigidChains) {
  expect_code_of_large(R"(
  Se u = sin(time)
  R drag(law(f) = f * abs(f))
  1 v[0]
  u -> v[0]
  v[0] -> drag
  for i in 1..100 {
    1 v[i]
    I m[i](1 + 0.01 * i)
    v[i - 1] -> v[i]
    v[i] -> m[i]
  }
)",
                       30);
}

TEST(FlowCode, HasSparseDerivativesOfLargeIslands) {
  const auto plan = plan::testing::plan_of(line_with("law(e) = e + e * e * e").c_str());
  Start start(*plan);
  const auto rates = find_rates(start.work.runtime, start.cluster());
  const plan::Jacobian jacobian = plan::jacobian_of(*rates);
  EXPECT_EQ(jacobian.entries.size(), 3u * 200 - 2);
  EXPECT_TRUE(plan::jacobian_of(*rates, 10).entries.empty());
}

}  // namespace
}  // namespace cradle::engine
