#include "cradle/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace cradle {
namespace {

using Complex = std::complex<double>;

Model model_of(const std::string& body) {
  const Model model = Model::load_text("m.cradle", "model M {\n" + body + "\n}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

constexpr const char* kSeries = R"(
  param V = 2, r = 3, l = 0.5, c = 0.1
  Se source = V
  R resistor(r)
  I coil(l)
  C capacitor(c)
  1 loop
  source -> loop
  loop -> resistor
  loop -> coil
  loop -> capacitor
  v = capacitor.e
  i = coil.f
  until 1
  show v, i)";

void expect_near(const Matrix& m, const std::vector<double>& expected) {
  ASSERT_EQ(m.values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(m.values[i], expected[i], 1e-8 * (1 + std::abs(expected[i])));
  }
}

// ṗ = V − r p / l − q / c,  q̇ = p / l
TEST(Linearize, FindsTheMatricesOfASeriesCircuit) {
  const Linearization found = linearize(model_of(kSeries), {}, {0.3, {"V", "r"}, {"v", "i"}});
  ASSERT_EQ(found.states, (std::vector<std::string>{"coil.p", "capacitor.q"}));
  const double r = 3, l = 0.5, c = 0.1, i = found.y[1];
  expect_near(found.A, {-r / l, -1 / c, 1 / l, 0});
  expect_near(found.B, {1, -i, 0, 0});
  expect_near(found.C, {0, 1 / c, 1 / l, 0});
  expect_near(found.D, {0, 0, 0, 0});
  EXPECT_TRUE(found.from_code);
  EXPECT_LT(found.uncertainty, 1e-8);
  ASSERT_EQ(found.poles.size(), 2u);
  for (const Complex& s : found.poles) {
    EXPECT_NEAR(std::abs(l * c * s * s + r * c * s + 1.0), 0, 1e-9);
  }
  // v has none, i one at 0.
  EXPECT_TRUE(found.zeros[0].empty());
  ASSERT_EQ(found.zeros[2].size(), 1u);
  EXPECT_NEAR(std::abs(found.zeros[2][0]), 0, 1e-8);
  for (const double w : {0.1, 3.0, 50.0}) {
    const Complex s(0, w), expected = 1.0 / (l * c * s * s + r * c * s + 1.0);
    EXPECT_NEAR(std::abs(response(found, 0, 0, s) - expected), 0, 1e-8);
  }
}

TEST(Linearize, FollowsAStep) {
  const Model model = model_of(R"(
  param V = 1
  Se source = V
  R resistor(2)
  C capacitor(0.25)
  1 loop
  source -> loop
  loop -> resistor
  loop -> capacitor
  until 1
  show capacitor.e, resistor.e)");
  const Linearization found = linearize(model, {}, {std::nullopt, {"V"}, {}});
  EXPECT_NEAR(found.y[0], 1, 1e-9);  // where it rests
  EXPECT_NEAR(found.y[1], 0, 1e-9);
  const auto values = step_response(found, 0, 0.1, 20);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double t = 0.1 * static_cast<double>(k);
    EXPECT_NEAR(values[k][0], 1 - std::exp(-2 * t), 1e-8);
    EXPECT_NEAR(values[k][1], std::exp(-2 * t), 1e-8);
  }
}

// Two capacitors on one node are one store.
TEST(Linearize, CountsDependentStoresOnce) {
  const Model model = model_of(R"(
  input u = 1
  Se source = u
  R resistor(2)
  C c1(1), c2(3)
  1 loop
  0 node
  source -> loop -> resistor
  loop -> node -> c1
  node -> c2
  until 1
  show c1.e, c2.f)");
  const Linearization found = linearize(model, {}, {0.5, {"u"}, {}});
  ASSERT_EQ(found.states.size(), 1u);
  EXPECT_EQ(found.dependent.size(), 1u);
  ASSERT_EQ(found.poles.size(), 1u);
  EXPECT_NEAR(found.poles[0].real(), -1 / (2 * 4.0), 1e-9);
  for (const double w : {0.01, 0.2, 4.0}) {
    const Complex s(0, w);
    EXPECT_NEAR(std::abs(response(found, 0, 0, s) - 1.0 / (1.0 + 8.0 * s)), 0, 1e-8);
    EXPECT_NEAR(std::abs(response(found, 1, 0, s) - 3.0 * s / (1.0 + 8.0 * s)), 0, 1e-8);
  }
}

// A rotor that drives a load through a gear.
TEST(Linearize, GoesThroughGears) {
  const Model model = model_of(R"(
  param torque = 1
  Se drive = torque
  I rotor(0.5), load(4)
  R friction(2)
  TF gear(0.25)
  1 a, b
  drive -> a -> rotor
  a -> gear -> b
  b -> load
  b -> friction
  until 1
  show b.f)");
  const Linearization found = linearize(model, {}, {0.5, {"torque"}, {}});
  ASSERT_EQ(found.poles.size(), 1u);
  // e₁ = n e₂ and f₂ = n f₁: at b the torque is 4, and the rotor weighs 0.5 · 4².
  EXPECT_NEAR(response(found, 0, 0, 0.0).real(), 4 / 2.0, 1e-8);
  EXPECT_NEAR(found.poles[0].real(), -2 / (4 + 0.5 * 16), 1e-8);
}

TEST(Linearize, TakesTangentsOfLaws) {
  const Model model = model_of(R"(
  I body(2)
  C spring(law(q) = 3 * sin(q), q = 0.4)
  R drag(law(f) = f * abs(f))
  1 v
  v -> body
  v -> spring
  v -> drag
  until 1
  show body.f)");
  const Linearization found = linearize(model, {}, {0.7, {}, {}});
  const double p = found.x[0], q = found.x[1];
  expect_near(found.A, {-2 * std::abs(p / 2) / 2, -3 * std::cos(q), 0.5, 0});
}

TEST(Linearize, SaysWhatItCannotDo) {
  const auto said = [](const Model& model, const LinearizeOptions& wanted) -> std::string {
    try {
      linearize(model, {}, wanted);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  };
  const Model direct = model_of(R"(
  param V = 1
  Se source = V
  C c(1)
  0 node
  source -> node -> c
  until 1
  show c.e)");
  EXPECT_NE(said(direct, {0.5, {"V"}, {}}).find("V sets c.q directly"), std::string::npos);
  EXPECT_EQ(said(model_of(kSeries), {0.5, {"W"}, {}}), "M has no input or parameter 'W'");
  const Model driven = model_of(R"(
  Se source = sin(time)
  R r(1)
  C c(1)
  1 loop
  source -> loop -> r
  loop -> c
  until 10
  show c.e)");
  EXPECT_NE(said(driven, {std::nullopt, {}, {}}).find("does not rest"), std::string::npos);
}

// A rectifier with a load: where it rests, the diode conducts.
TEST(Start, FindsWhereAModelRests) {
  const Model model = Model::load_text("m.cradle", R"(import "std/electrical/diode.cradle"
model M {
  Se source = 5
  R r1(1), r2(4)
  I coil(0.1)
  C c(0.01)
  Diode d
  1 a
  0 n
  source -> a -> r1
  a -> coil
  a -> d.a
  d.b -> n -> c
  n -> r2
  charge = integral(r2.f)
  until 2
  show c.e, coil.f
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const StartPoint start = steady_start(model, {});
  Options options;
  Simulation run(model, options);
  run.load(begin_at(model, options, start));
  run.run();
  EXPECT_TRUE(run.outcome().finished());
  EXPECT_EQ(run.statistics().events, 0);
  const Trajectory& rows = run.trajectory();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_NEAR(rows.value(row, 0)->finite, 4, 1e-7);
    EXPECT_NEAR(rows.value(row, 1)->finite, 1, 1e-7);
  }
}

// q̇ = (sin(w t) − q / c) / r: the cycle and its multiplier in closed form.
TEST(Start, FindsCycles) {
  const Model model = model_of(R"(
  param w = 3, r = 2, c = 0.5
  Se source = sin(w * time)
  R resistor(r)
  C capacitor(c)
  1 loop
  source -> loop -> resistor
  loop -> capacitor
  work = integral(source.f)
  until 20
  show capacitor.e)");
  const double w = 3, rc = 1, period = 2 * std::numbers::pi / w;
  const Periodic found = periodic_start(model, {}, period);
  EXPECT_EQ(found.start.values[0].first, "capacitor.q");
  EXPECT_NEAR(found.start.values[0].second, 0.5 * -w * rc / (1 + w * w * rc * rc), 1e-8);
  ASSERT_EQ(found.multipliers.size(), 1u);
  EXPECT_NEAR(found.multipliers[0].real(), std::exp(-period / rc), 1e-6);
}

// Through events and jumps: a switch discharges half of a period.
TEST(Start, GoesThroughSwitching) {
  const Model model = Model::load_text("m.cradle", R"(import "std/electrical/switch.cradle"
model M {
  Se source = 1
  Se ground = 0
  R charge(1), drain(0.5)
  C c(1)
  1 inlet, outlet
  0 n
  Sw s(closed = pulse(1, 0.5))
  source -> inlet -> charge
  inlet -> n -> c
  n -> s.a
  s.b -> outlet -> drain
  outlet -> ground
  until 10
  show c.e
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Periodic found = periodic_start(model, {}, 1);
  ASSERT_EQ(found.multipliers.size(), 1u);
  EXPECT_NEAR(found.multipliers[0].real(), std::exp(-0.5 * 1 - 0.5 * 3), 1e-6);
  // Closed: towards 1/3 with 3 per unit of time; open: towards 1 with 1.
  const double a = std::exp(-1.5), b = std::exp(-0.5);
  const double x = (1 - b + b * (1 - a) / 3) / (1 - a * b);
  EXPECT_NEAR(found.start.values[0].second, x, 1e-7);
}

}  // namespace
}  // namespace cradle
