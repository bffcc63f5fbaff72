// mean, rms and count in models: what has been so far, or within a window.

#include <gtest/gtest.h>

#include <cmath>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

constexpr double kPi = 3.14159265358979323846;

Model load(const std::string& body) {
  Model model =
      Model::load_text(CRADLE_ROOT "/tests/statistics.cradle", "model M {\n" + body + "}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

// What a signal named y is worth at some time.
double y_at(const std::string& body, double t) {
  Options options;
  options.select = {"y"};
  options.until = 100;
  Simulation run(load(body), options);
  EXPECT_TRUE(run.advance_to(t)) << body;
  return run.trajectory().value(run.trajectory().size() - 1, 0)->finite;
}

TEST(Statistics, TheMeanIsThatOfTheTimeSoFar) {
  const std::string body = "x = 3 + sin(time)\ny = mean(x)\n";
  EXPECT_EQ(y_at(body, 0), 3) << "of no time it is the value";
  for (const double t : {1e-6, 1.0, 2 * kPi, 50.0}) {
    EXPECT_NEAR(y_at(body, t), 3 + (1 - std::cos(t)) / t, 1e-8) << t;
  }
}

TEST(Statistics, TheRootOfTheMeanSquare) {
  const std::string body = "y = rms(2 * sin(time))\n";
  for (const double t : {1.0, 2 * kPi, 31.0}) {
    EXPECT_NEAR(y_at(body, t), 2 * std::sqrt(0.5 - std::sin(2 * t) / (4 * t)), 1e-8) << t;
  }
}

TEST(Statistics, AWindowCountsAlone) {
  const std::string body = "y = mean(time^2, from = 1, to = 3)\n";
  EXPECT_NEAR(y_at(body, 0.5), 0.25, 1e-12) << "before it, the value";
  EXPECT_NEAR(y_at(body, 2), 7.0 / 3, 1e-9);
  EXPECT_NEAR(y_at(body, 3), 26.0 / 6, 1e-9);
  EXPECT_NEAR(y_at(body, 50), 26.0 / 6, 1e-9) << "and then it stays";
  EXPECT_NEAR(y_at("y = rms(time, 90)\n", 99), std::sqrt((99. * 99 * 99 - 90. * 90 * 90) / 27),
              1e-7);
}

TEST(Statistics, OfWhatSwitches) {
  const std::string body = "y = mean(if pulse(0.1, 0.3) then 5 else 1)\n";
  EXPECT_NEAR(y_at(body, 10), 0.3 * 5 + 0.7, 1e-9);
}

// An impulse counts by its weight.
TEST(Statistics, OfWhatCarriesAnImpulse) {
  const std::string body = R"(
    C c1(1, q = 3)
    C c2(2)
    0 n1, n2
    1 S initially off { off -> on when time >= 1 }
    n1 -> c1
    n1 -> S -> n2
    n2 -> c2
    y = mean(S.f)
  )";
  EXPECT_NEAR(y_at(body, 4), 2.0 / 4, 1e-12);
}

// The mean of what only a mode defines is that of the time in which it is there.
TEST(Statistics, OfWhatIsAbsentNowAndThen) {
  const std::string body = R"(
    modal m initially low {
      mode low { x = 3 }
      mode high { z = 1 }
      low -> high when time >= 2 and time < 7
      high -> low when time >= 7
    }
    y = mean(m.x)
  )";
  EXPECT_NEAR(y_at(body, 1), 3, 1e-12);
  EXPECT_NEAR(y_at(body, 9), 3, 1e-12);
}

TEST(Statistics, CountsHowOftenAConditionBeginsToHold) {
  const std::string body = "y = count(sin(time) > 0.5)\n";
  EXPECT_EQ(y_at(body, 0.5), 0);
  EXPECT_EQ(y_at(body, 0.6), 1);
  EXPECT_EQ(y_at(body, 7), 2);
  EXPECT_EQ(y_at(body, 99), 16);
  EXPECT_EQ(y_at("y = count(time < 3 or time > 5)\n", 99), 2) << "true at the start counts";
  EXPECT_EQ(y_at("y = count(pulse(2, 0.5) and time > 4.5)\n", 9.5), 3);
}

TEST(Statistics, CountsEvents) {
  EXPECT_EQ(y_at("y = count(clock(1))\n", 10.5), 11);
  EXPECT_EQ(y_at("e = rising(sin(time))\ny = count(e)\n", 20), 3);
  EXPECT_EQ(y_at("e = event(1)\ny = count(merge(e, delay(e)))\n", 3), 2) << "one microstep apart";
  EXPECT_EQ(y_at("y = count(2)\n", 5), 3) << "of a clock, as ever";
}

TEST(Statistics, CountsTransitions) {
  const std::string body = R"(
    modal ball initially flying {
      mode flying {
        v = integral(-9.81)
        x = integral(v, 10)
        hit = falling(x)
      }
      flying -> flying history when hit { set v = -0.9 * v }
    }
    bounces = count(ball.hit)
    y = bounces
  )";
  EXPECT_EQ(y_at(body, 1.4), 0);
  EXPECT_EQ(y_at(body, 1.5), 1);
  EXPECT_EQ(y_at(body, 10), 4);
}

TEST(Statistics, AreWrittenWithAModel) {
  const Model model =
      load("x = sin(time)\ny = mean(x, 0, 7) + rms(x)\nz = count(x > 0.5)\nuntil 9\nshow y, z\n");
  const Reduction reduction = model.reduce();
  ASSERT_TRUE(reduction.ok()) << model.render(reduction.diagnostics.front());
  const Model again = Model::load_text("again", reduction.text);
  ASSERT_TRUE(again.ok()) << reduction.text << again.diagnostics_text();
  Simulation one(model), other(again);
  one.run();
  other.run();
  const std::size_t a = one.trajectory().size() - 1, b = other.trajectory().size() - 1;
  EXPECT_EQ(one.trajectory().value(a, 0)->finite, other.trajectory().value(b, 0)->finite);
  EXPECT_EQ(one.trajectory().value(a, 1)->finite, 2);
  EXPECT_EQ(other.trajectory().value(b, 1)->finite, 2);
}

}  // namespace
}  // namespace cradle
