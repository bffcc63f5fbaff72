// Random bond graphs: the engine against a dense reference, power balance, conservation, and the
// indifference to names, order and units.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "api/implementation.hpp"
#include "cradle/cradle.hpp"
#include "dense_reference.hpp"
#include "random_graph.hpp"

namespace cradle {
namespace {

Simulation simulate(const Model& model) {
  Options options;
  options.select_everything = true;
  Simulation simulation(model, options);
  simulation.run();
  return simulation;
}

double finite(const Trajectory& rows, std::size_t row, const std::string& name) {
  return rows.value(row, *rows.find_column(name))->finite;
}

bool is_settled(const Trajectory& rows, std::size_t row) {
  return rows.kind(row) != RowKind::Evolving && rows.kind(row) != RowKind::Before;
}

// How far a row is from the dense reference: stored quantities count ten times.
double distance_from_reference(const model::Model& m, const Trajectory& rows, std::size_t row) {
  // x on arrival: the row before this instant.
  std::size_t from = row - 1;
  while (from > 0 && rows.instant(from).eps == rows.instant(row).eps &&
         rows.instant(from).t == rows.instant(row).t) {
    --from;
  }
  causality::Mode mode;
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    const auto& states = m.automata[AutomatonId(a)].states;
    const std::string& now = rows.mode(row, a);
    mode.push_back(static_cast<int>(std::find(states.begin(), states.end(), now) - states.begin()));
  }
  Eigen::VectorXd x(static_cast<int>(m.states.size()));
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    x(static_cast<int>(s)) = finite(rows, from, m.states[StateId(s)].name);
  }
  const reference::Values expected = reference::solve(m, mode, x);
  double distance = 0;
  const auto compare = [&](double got, double wanted, double factor) {
    const double error = factor * std::abs(got - wanted);
    distance = error <= distance ? distance : error;  // also if it is not a number
  };
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    compare(finite(rows, row, m.states[StateId(s)].name), expected.x_plus(static_cast<int>(s)), 10);
  }
  for (const model::Element& element : m.elements) {
    if (element.ports.size() != 1) continue;
    const int b = 2 * element.ports[0].bond.index;
    compare(finite(rows, row, element.name + ".e"), expected.y(b), 1);
    compare(finite(rows, row, element.name + ".f"), expected.y(b + 1), 1);
    compare(rows.value(row, *rows.find_column(element.name + ".e"))->impulse, expected.impulses(b),
            1);
  }
  return distance;
}

RC_GTEST_PROP(RandomBondGraphs, AgreeWithTheDenseReference, (uint32_t seed)) {
  Model model = Model::load_text("random.cradle", generate(seed).text());
  RC_ASSERT(model.ok());
  const model::Model& m = model.impl().plan->model();
  Simulation run = simulate(model);
  RC_ASSERT(run.outcome().finished());
  const Trajectory& rows = run.trajectory();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (is_settled(rows, i)) RC_ASSERT(distance_from_reference(m, rows, i) < 1e-8);
  }
}

// Islands of more than a hundred bonds are solved as a whole, and by one sparse system where stores
// depend on each other. Only the last jump, as the reference takes its time.
TEST(RandomBondGraphs, LargeOnesAgreeWithTheDenseReference) {
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    Model model = Model::load_text("random.cradle", generate(seed, 40).text());
    ASSERT_TRUE(model.ok());
    Simulation run = simulate(model);
    ASSERT_TRUE(run.outcome().finished());
    const Trajectory& rows = run.trajectory();
    std::size_t last = rows.size() - 1;  // at which a link closes
    while (!is_settled(rows, last) || rows.instant(last).t == 1) --last;
    EXPECT_LT(distance_from_reference(model.impl().plan->model(), rows, last), 1e-8)
        << "seed " << seed;
  }
}

// What sources deliver goes into stores, resistors and switching; no jump creates energy.
RC_GTEST_PROP(RandomBondGraphs, BalanceEnergy, (uint32_t seed)) {
  const RandomModel random = generate(seed);
  Model model = Model::load_text("random.cradle", random.text());
  Simulation run = simulate(model);
  const EnergyAudit audit = run.audit();
  double scale = 1 + std::abs(audit.stored_start) + std::abs(audit.stored_end);
  RC_ASSERT(std::abs(audit.residual) < 1e-7 * scale);
  for (const EnergyEntry& entry : audit.entries) {
    if (entry.kind == EnergyEntry::Kind::Switch) RC_ASSERT(entry.jumping > -1e-9 * scale);
  }
}

// Power balance: what goes into all elements of a closed graph sums to nothing at each instant.
RC_GTEST_PROP(RandomBondGraphs, BalancePower, (uint32_t seed)) {
  const RandomModel random = generate(seed);
  Model model = Model::load_text("random.cradle", random.text());
  const model::Model& m = model.impl().plan->model();
  Simulation run = simulate(model);
  const Trajectory& rows = run.trajectory();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.kind(i) == RowKind::Mythical || rows.kind(i) == RowKind::Pinnacle) continue;
    double sum = 0, size = 1;
    for (const model::Element& element : m.elements) {
      if (element.ports.size() != 1) continue;
      const double power =
          finite(rows, i, element.name + ".e") * finite(rows, i, element.name + ".f");
      sum += (element.ports[0].inward ? 1 : -1) * power;
      size += std::abs(power);
    }
    RC_ASSERT(std::abs(sum) < 1e-8 * size);
  }
}

RC_GTEST_PROP(RandomBondGraphs, NamesAndOrderChangeNothing, (uint32_t seed)) {
  RandomModel random = generate(seed);
  Model model = Model::load_text("random.cradle", random.text());
  Simulation run = simulate(model);
  std::mt19937 shuffler(seed + 1);
  std::shuffle(random.items.begin(), random.items.end(), shuffler);
  Model other = Model::load_text("other.cradle", random.text("zz"));
  RC_ASSERT(other.ok());
  Simulation again = simulate(other);
  const Trajectory &a = run.trajectory(), &b = again.trajectory();
  for (int i = 0; i < random.bodies; ++i) {
    const std::string index = std::to_string(i);
    const double first = finite(a, a.size() - 1, "body_" + index + ".p");
    const double second = finite(b, b.size() - 1, "body_zz" + index + ".p");
    RC_ASSERT(std::abs(first - second) < 1e-7 * (1 + std::abs(first)));
  }
  RC_ASSERT(run.statistics().events == again.statistics().events);
}

// A mode that was forgotten and comes again is the same; only the hint for the first step is lost.
RC_GTEST_PROP(RandomBondGraphs, UnitsChangeNothing, (uint32_t seed)) {
  std::mt19937 random(seed);
  // Not so small that the absolute tolerance of efforts and flows counts.
  const Units units{std::pow(10, pick(random, -6, 12)), std::pow(10, pick(random, -6, 12))};
  const Model plain = Model::load_text("a.cradle", generate(seed).text());
  const Model scaled = Model::load_text("b.cradle", generate(seed, 0, units).text());
  RC_ASSERT(plain.ok());
  RC_ASSERT(scaled.ok());
  const Simulation a = simulate(plain), b = simulate(scaled);
  RC_ASSERT(a.outcome().ending == b.outcome().ending);
  const Trajectory &one = a.trajectory(), &other = b.trajectory();
  for (const std::string& name : one.columns()) {
    if (!name.ends_with(".f") && !name.ends_with(".e")) continue;
    const double unit = name.ends_with(".f") ? units.flow : units.effort;
    const double wanted = finite(one, one.size() - 1, name);
    const double got = finite(other, other.size() - 1, name) / unit;
    if (!(std::abs(got - wanted) <= 1e-6 * (1 + std::abs(wanted)))) {
      RC_FAIL(name + " in other units: " + std::to_string(got) + " and " + std::to_string(wanted));
    }
  }
}

TEST(ModeCache, SizeChangesNothing) {
  const std::string root = CRADLE_ROOT;
  for (const char* file : {"/models/mechanics/balls.cradle", "/models/circuits/diode_ladder.cradle",
                           "/models/circuits/buck.cradle", "/models/mosterman/cradle.cradle"}) {
    Model model = Model::load(root + file);
    ASSERT_TRUE(model.ok());
    Options options;
    Simulation usual(model, options);
    usual.run();
    options.mode_cache_bytes = 0;
    Simulation forgetful(model, options);
    forgetful.run();
    EXPECT_EQ(usual.statistics().events, forgetful.statistics().events) << file;
    EXPECT_EQ(usual.statistics().microsteps, forgetful.statistics().microsteps) << file;
    const Trajectory &a = usual.trajectory(), &b = forgetful.trajectory();
    for (std::size_t c = 0; c < a.columns().size(); ++c) {
      const auto x = a.value(a.size() - 1, c), y = b.value(b.size() - 1, c);
      ASSERT_EQ(x.has_value(), y.has_value()) << file;
      if (!x) continue;
      EXPECT_NEAR(x->finite, y->finite, 1e-7) << file;
    }
    EXPECT_LE(usual.statistics().islands_analysed, forgetful.statistics().islands_analysed);
  }
}

}  // namespace
}  // namespace cradle
