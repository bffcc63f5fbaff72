// Derivatives of the code of modes by parameters, on every model of the tree, against difference
// quotients of another way: the rates of the same plan with other numbers bound.

#include "core/plan/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "api/implementation.hpp"
#include "core/engine/flow_code.hpp"
#include "core/engine/initial.hpp"
#include "core/engine/workspace.hpp"
#include "cradle/cradle.hpp"

namespace cradle::engine {
namespace {

struct Start {
  explicit Start(const Plan& plan) : state(plan, options), work(plan, options, state) {
    std::vector<UnitId> all;
    for (std::size_t u = 0; u < plan.units().size(); ++u) all.push_back(UnitId(u));
    clusters = work.clusters.rebuild(all, [](UnitId) {});
    work.clusters.settle_arrival();
  }
  std::vector<double> run(const std::shared_ptr<const plan::ModeCode>& code, double t,
                          const std::vector<double>& x) {
    FlowCode at_work(work.runtime, code, false);
    at_work.refresh(work.flow, work.runtime);
    std::vector<double> out(code->results.size());
    return at_work.run(t, x, out) ? out : std::vector<double>();
  }

  const Options options;
  State state;
  Workspace work;
  std::vector<Cluster*> clusters;
};

// States by name, since two plans may have them in different orders.
std::vector<double> somewhere(const Start& start, const Cluster& cluster) {
  std::vector<double> x;
  for (StateId id : cluster.states) {
    const std::string& name = start.work.runtime.system.model().states[id].name;
    x.push_back(0.4 + 0.3 * std::sin(static_cast<double>(std::hash<std::string>()(name) % 1000)));
  }
  return x;
}

struct Compared {
  int entries = 0, skipped = 0;
};

// ∂ rates/∂ parameter of one cluster, by differences of the plan's own numbers. Empty: there are
// none.
std::vector<double> differences(const Plan& plan, std::size_t cluster, const std::string& name,
                                double value, double t, const std::vector<double>& x) {
  const double h = 1e-5 * std::max(std::abs(value), 1e-3);
  std::vector<double> out;
  for (const double sign : {1.0, -1.0}) {
    const auto other = plan.with(name, value + sign * h);
    if (other == nullptr) return {};
    Start start(*other);
    const auto rates = find_rates(start.work.runtime, *start.clusters[cluster]);
    if (!rates->exists()) return {};
    const std::vector<double> found = start.run(rates, t, x);
    if (found.empty()) return {};
    if (out.empty()) out.assign(found.size(), 0.0);
    for (std::size_t i = 0; i < found.size(); ++i) out[i] += sign * found[i] / (2 * h);
  }
  return out;
}

Compared compare(const Plan& plan) {
  Compared out;
  Start own(plan);
  const auto open_plan = plan::with_parameters_as_inputs(plan);
  Start open(*open_plan);
  const model::Model& m = open_plan->model();
  EXPECT_EQ(own.clusters.size(), open.clusters.size());
  constexpr double t = 0.37;
  for (std::size_t c = 0; c < own.clusters.size() && c < open.clusters.size(); ++c) {
    const Cluster& cluster = *open.clusters[c];
    if (cluster.states.empty()) continue;
    const auto bound = find_rates(own.work.runtime, *own.clusters[c]);
    const auto rates = find_rates(open.work.runtime, cluster);
    if (!bound->exists() || !rates->exists()) {
      ++out.skipped;
      continue;
    }
    EXPECT_EQ(own.clusters[c]->states, cluster.states);
    const std::vector<double> x = somewhere(open, cluster);
    const std::vector<double> here = own.run(bound, t, x), there = open.run(rates, t, x);
    if (here.empty() || there.empty()) continue;
    double scale = 0;
    for (double v : here) scale = std::max(scale, std::isfinite(v) ? std::abs(v) : 0);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!std::isfinite(here[i])) continue;
      EXPECT_NEAR(here[i], there[i], 1e-9 * scale) << i;
    }
    const plan::Sensitivity found = plan::sensitivity_of(*rates);
    const std::vector<double> entries =
        open.run(std::make_shared<const plan::ModeCode>(found.code), t, x);
    if (entries.empty()) continue;
    for (std::size_t k = 0; k < m.clocks.size(); ++k) {
      const ClockId clock(k);
      const SignalId signal = m.clocks[clock].input;
      if (!signal.valid()) continue;
      const std::string& name = m.signals[signal].name;
      const double value = open.state.held[k].value;
      const std::vector<double> expected = differences(plan, c, name, value, t, x);
      for (std::size_t row = 0; row < expected.size(); ++row) {
        double derivative = 0;
        for (std::size_t e = 0; e < found.entries.size(); ++e) {
          const auto& entry = found.entries[e];
          if (entry.input == clock && at(entry.row) == row) derivative = entries[e];
        }
        if (!std::isfinite(expected[row]) || !std::isfinite(derivative)) continue;
        const double rounding = 1e-10 * scale / std::max(std::abs(value), 1e-3);
        EXPECT_NEAR(derivative, expected[row], 1e-5 * std::abs(expected[row]) + rounding)
            << "d " << m.states[cluster.states[row]].name << " by " << name;
        out.entries += derivative != 0 ? 1 : 0;
      }
    }
  }
  return out;
}

TEST(Sensitivity, IsThatOfTheRatesOnEveryModel) {
  Compared all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CRADLE_ROOT "/models")) {
    if (entry.path().extension() != ".cradle") continue;
    SCOPED_TRACE(entry.path().string());
    const Model model = Model::load(entry.path().string());
    ASSERT_TRUE(model.ok());
    const Compared one = compare(*model.impl().plan);
    all.entries += one.entries;
    all.skipped += one.skipped;
  }
  EXPECT_GT(all.entries, 60);
  EXPECT_LT(all.skipped, 10);
}

// Through an elimination: moduli, dependent stores, a chain of parameters, a law that bends.
TEST(Sensitivity, GoesThroughModuliAndDependentStores) {
  const Model model = Model::load_text("m.cradle", R"(model M {
    param m = 1.7, j = 0.3, n = 4.1, k = 23, b = 0.21, amp = 2.2
    param half = n / 2
    I wheel(j, f = 0.2), car(m)
    1 turn, go
    TF gear(half)
    turn -> wheel
    turn -> gear -> go
    go -> car
    R drag(law(f) = b * f * abs(f))
    C spring(law(q) = k * q + b * q^3)
    go -> drag
    go -> spring
    Se motor = amp * sin(n * time)
    motor -> turn
    until 1
  })");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  EXPECT_GE(compare(*model.impl().plan).entries, 6);
}

}  // namespace
}  // namespace cradle::engine
