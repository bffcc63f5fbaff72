// der(x), compared with closed forms and with differences of what is recorded.

#include <gtest/gtest.h>

#include <cmath>

#include "cradle/conform.hpp"
#include "cradle/cradle.hpp"
#include "model_text.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

const char* const kSpring = R"(
  I body(2, f = 3)
  C spring(0.5)
  R drag(0.3)
  Se push = 2 * sin(3 * time)
  1 v
  v -> body
  v -> spring
  v -> drag
  push -> v
)";

// The column `slope` is the derivative of the column `x` at every row, by a difference to a time
// that is a little later.
void expect_slope(const Model& model, const std::string& slope, const std::string& x,
                  double until) {
  Options options;
  options.until = until;
  Simulation run(model, options);
  const auto value = [&](const std::string& name) { return run.value(name)->finite; };
  constexpr double kStep = 1e-4;
  for (double t = 0.05; t < until - 0.05; t += 0.13) {
    ASSERT_TRUE(run.advance_to(t - kStep));
    const double before = value(x);
    ASSERT_TRUE(run.advance_to(t));
    const double expected = value(slope);
    ASSERT_TRUE(run.advance_to(t + kStep));
    EXPECT_NEAR((value(x) - before) / (2 * kStep), expected, 1e-5 * (1 + std::abs(expected)))
        << slope << " at " << t;
  }
}

TEST(Derivatives, OfStatesAndOfWhatFollowsFromThem) {
  const Model model = model_of(std::string(kSpring) + R"(
  x = integral(v.f)
  a = der(v.f)
  energy = body.p^2 / 4 + spring.q^2
  power = der(energy)
  y = exp(-x) * sin(time) + x^2
  dy = der(y)
  jerk = der(a)
  dpush = der(push.e)
  ddrag = der(drag.e)
  until 2
  show v.f, a, energy, power, y, dy, jerk, push.e, dpush, drag.e, ddrag)");
  expect_slope(model, "a", "v.f", 2);
  expect_slope(model, "power", "energy", 2);
  expect_slope(model, "dy", "y", 2);
  expect_slope(model, "jerk", "a", 2);
  expect_slope(model, "dpush", "push.e", 2);
  expect_slope(model, "ddrag", "drag.e", 2);
}

TEST(Derivatives, DoNotDependOnTheOrderOfLines) {
  const Model model =
      model_of("c = der(b)\nb = der(a)\na = integral(time^3, 0)\nuntil 2\nshow b, c");
  Simulation run(model);
  EXPECT_TRUE(run.run().finished());
  EXPECT_NEAR(run.value("b")->finite, 8, 1e-12);
  EXPECT_NEAR(run.value("c")->finite, 12, 1e-12);
}

TEST(Derivatives, OfVectorsAndConstantsAreTaken) {
  const Model model = model_of(
      "param k = 3\nv = integral([1, 2 * time], [k, 0])\nd = der(v)\ne = der(k)\nf = der(2 * v)\n"
      "until 1\nshow d, e, f");
  Simulation run(model);
  run.run();
  EXPECT_EQ(run.value("d[1]")->finite, 1);
  EXPECT_EQ(run.value("d[2]")->finite, 2);
  EXPECT_EQ(run.value("e")->finite, 0);
  EXPECT_EQ(run.value("f[2]")->finite, 4);
}

// A ball of which the speed jumps: behind the jump it is the derivative there, without an impulse.
TEST(Derivatives, AcrossJumpsAreThoseBehind) {
  const Model model = model_of(R"(
  modal ball initially falling {
    mode falling {
      v = integral(-10 - 0.1 * v)
      x = integral(v, 1)
      hit = falling(x)
      a = der(v)
    }
    mode rest { x = 0 }
    falling -> falling history when hit { set v = -0.5 * v }
    falling -> rest when time > 0.6
  }
  dx = der(ball.x)
  until 1
  show ball.x, ball.v, dx, ball.a)");
  Simulation run(model);
  EXPECT_TRUE(run.run().finished());
  const Trajectory& rows = run.trajectory();
  const auto value = [&](std::size_t row, const char* name) {
    return rows.value(row, *rows.find_column(name));
  };
  int jumps = 0, absent = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto v = value(row, "ball.v"), dx = value(row, "dx"), a = value(row, "ball.a");
    ASSERT_EQ(v.has_value(), dx.has_value()) << row;
    if (!v) {
      ++absent;
      continue;
    }
    EXPECT_EQ(dx->finite, v->finite);
    EXPECT_EQ(dx->impulse, 0);
    EXPECT_DOUBLE_EQ(a->finite, -10 - 0.1 * v->finite);
    jumps += v->finite > 0 && row > 0;
  }
  EXPECT_GT(jumps, 0);
  EXPECT_GT(absent, 0);
}

// A blow: the effort has an impulse, and the derivative of the speed is what it is behind it.
TEST(Derivatives, HaveNoImpulses) {
  const Model model = model_of(R"(
  I body(2)
  R drag(1)
  Se push = 4 * event(1, 1) * omega
  1 v
  v -> body
  v -> drag
  push -> v
  a = der(v.f)
  until 2
  show v.f, a, impulse(body.e), impulse(a))");
  Simulation run(model);
  EXPECT_TRUE(run.run().finished());
  const Trajectory& rows = run.trajectory();
  bool struck = false;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto value = [&](const char* name) {
      return rows.value(row, *rows.find_column(name))->finite;
    };
    EXPECT_EQ(value("impulse(a)"), 0);
    struck |= value("impulse(body.e)") > 1;
  }
  EXPECT_TRUE(struck);
  EXPECT_NEAR(run.value("a")->finite, -0.5 * run.value("v.f")->finite, 1e-9);
}

TEST(Derivatives, OfWhatRestsAreZero) {
  const Model model = model_of(R"(
  input u = 2
  tick = clock(0.3, values = [1, 2])
  h = hold(tick, 0)
  s = if time < 0.5 then 3 else 3 * time
  e = default(tick, 5 * time)
  dh = der(h)
  du = der(u)
  ds = der(s)
  de = der(e)
  until 1
  show dh, du, ds, de)");
  Simulation run(model);
  EXPECT_TRUE(run.run().finished());
  EXPECT_EQ(run.value("dh")->finite, 0);
  EXPECT_EQ(run.value("du")->finite, 0);
  EXPECT_EQ(run.value("ds")->finite, 3);
  // Also at the instants at which the clock ticks it is that of what follows.
  for (std::size_t row = 0; row < run.trajectory().size(); ++row) {
    EXPECT_EQ(run.trajectory().value(row, *run.trajectory().find_column("de"))->finite, 5) << row;
  }
}

// What is read by the model itself: a controller with a differential part.
TEST(Derivatives, AreSolvedWithTheModel) {
  const Model model = model_of(R"(
  I body(1, f = 1)
  Se force = -x - 0.5 * der(x)
  1 v
  v -> body
  force -> v
  x = integral(v.f)
  until 3
  show x)");
  Simulation run(model);
  EXPECT_TRUE(run.run().finished());
  const double w = std::sqrt(1 - 0.0625);
  EXPECT_NEAR(run.value("x")->finite, std::exp(-0.75) * std::sin(3 * w) / w, 1e-8);
}

TEST(Derivatives, AreCheckedAndReducedAsRun) {
  const Model model = model_of(std::string(kSpring) + "a = der(v.f)\nuntil 2\nshow a");
  std::string csv;
  text::CsvWriter writer([&](std::string_view text) { csv += text; });
  Options options;
  options.select_everything = true;
  Simulation run(model, options);
  EXPECT_TRUE(run.stream_to(writer).run().finished());
  EXPECT_TRUE(check_conformance(model, csv).ok());
  const Reduction reduction = model.reduce();
  ASSERT_TRUE(reduction.ok());
  const Model reduced = Model::load_text("reduced.cradle", reduction.text);
  ASSERT_TRUE(reduced.ok()) << reduced.diagnostics_text();
  Simulation again(reduced);
  EXPECT_TRUE(again.run().finished());
  EXPECT_NEAR(again.value("a")->finite, run.value("a")->finite, 1e-9);
}

}  // namespace
}  // namespace cradle
