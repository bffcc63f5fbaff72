// What a model asserts, held against its runs: violations are found wherever they are, what
// rounding explains is none, and asserting changes nothing in a run.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

Model load(const std::string& body) {
  Model model =
      Model::load_text(CRADLE_ROOT "/tests/asserted.cradle", "model M {\n" + body + "}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

Outcome outcome_of(const std::string& body, Options options = {}) {
  const Model model = load(body);
  Simulation run(model, options);
  return run.run();
}

// The only one.
Violation violation_of(const std::string& body, Options options = {}) {
  const Outcome outcome = outcome_of(body, options);
  EXPECT_TRUE(outcome.finished()) << "a run goes on";
  EXPECT_EQ(outcome.violations.size(), 1u) << body;
  return outcome.violations.empty() ? Violation{} : outcome.violations.front();
}

const std::string kOscillator = R"(
  I m(1)
  C k(1, q = 5)
  1 v
  v -> k
  v -> m
  until 20
)";

TEST(Assert, FindsTheFirstViolationBetweenTheStepsOfASolver) {
  const Violation found = violation_of(kOscillator + "assert always k.q >= -4.9, \"too far\"\n");
  EXPECT_EQ(found.message, "too far");
  EXPECT_EQ(found.assertion, "always k.q >= -4.9");
  EXPECT_NEAR(found.at.t, std::acos(-4.9 / 5), 1e-9);
  EXPECT_TRUE(found.values.starts_with("k.q = -4.9")) << found.values;
}

TEST(Assert, NeverIsTheOppositeOfAlways) {
  const Violation found =
      violation_of(kOscillator + "param limit = 3.5\nassert never v.f > limit\n");
  EXPECT_NEAR(found.at.t, 3.14159265358979323846 + std::asin(3.5 / 5), 1e-9);
  EXPECT_NE(found.values.find("limit = 3.5"), std::string::npos) << found.values;
}

TEST(Assert, HoldsWhereTheExtremeIsReachedAndNotPassed) {
  const Outcome outcome = outcome_of(kOscillator + "assert always abs(k.q) <= 5\n");
  EXPECT_TRUE(outcome.violations.empty());
  EXPECT_EQ(outcome.assertions, 1);
}

TEST(Assert, SeesASpikeThatNoRowShows) {
  Options options;
  options.record = false;
  const Violation found = violation_of(
      "x = exp(-((time - 617.25) / 1e-3)^2)\nassert never x > 0.99\nuntil 1000\n", options);
  EXPECT_NEAR(found.at.t, 617.25 - 1e-3 * std::sqrt(-std::log(0.99)), 1e-9);
}

TEST(Assert, FollowsAHundredThousandPeriods) {
  const Violation found =
      violation_of("most = 1 + 1e-4 - time * 2e-10\nassert never sin(time) > most\nuntil 6.3e5\n");
  EXPECT_NEAR(found.at.t, 5e5, 14) << "where it is more than the tolerance";
}

TEST(Assert, ReportsTheSameWhateverIsRecorded) {
  const std::string body = kOscillator + "assert always k.q * v.f < 12\nassert never k.q > 6\n";
  const Violation plain = violation_of(body);
  for (const double every : {0.0, 0.3}) {
    for (const bool record : {true, false}) {
      Options options;
      options.record = record;
      options.every = every;
      options.audit = record;
      const Violation found = violation_of(body, options);
      EXPECT_EQ(found.at.t, plain.at.t);
      EXPECT_EQ(found.values, plain.values);
    }
  }
}

// A located impact lies on its far side; the ball is not below the floor for that.
TEST(Assert, RoundingIsNoViolation) {
  const std::string ball = R"(
    modal ball initially flying {
      mode flying {
        v = integral(-9.81)
        x = integral(v, 10)
        hit = falling(x)
      }
      flying -> flying history when hit { set v = -0.9 * v }
    }
    until 12
  )";
  EXPECT_TRUE(outcome_of(ball + "assert always ball.x >= 0\n").violations.empty());
  const Violation found = violation_of(ball + "assert always ball.x >= 1e-6\n");
  EXPECT_NEAR(found.at.t, std::sqrt(2 * (10 - 1e-6) / 9.81), 1e-9);
}

const std::string kSwitch = R"(
  C c1(1, q = 3)
  C c2(2)
  0 n1, n2
  1 S initially off { off -> on when time >= 1 }
  n1 -> c1
  n1 -> S -> n2
  n2 -> c2
  until 2
)";

// A diode closes when its voltage is beyond rounding; what that leaves is charge of rounding.
TEST(Assert, AnImpulseOfRoundingIsNoViolation) {
  for (const double capacitance : {1e-9, 1e-4, 10.0}) {
    const std::string rectifier = R"(
  param C = )" + std::to_string(capacitance * 1e9) +
                                  R"( * 1e-9
  Se s = 10 * sin(100 * pi * time)
  0 supply, out
  1 d initially off {
    off -> on when supply.e > out.e
    on -> off when d.f < 0
  }
  C c(C)
  R r(0.1 / C)
  s -> supply -> d -> out -> c
  out -> r
  until 1
)";
    const double peak = 2 * 1000 * 3.14159265358979323846 * capacitance;  // amperes, and 40 % more
    const Outcome outcome =
        outcome_of(rectifier + "  assert never d.f > " + std::to_string(peak * 1e9) + " * 1e-9\n");
    EXPECT_TRUE(outcome.finished());
    EXPECT_TRUE(outcome.violations.empty()) << outcome.violations.front().values;
  }
}

TEST(Assert, JudgesModesAndImpulsesInsideAnInstant) {
  const Violation closed = violation_of(kSwitch + "assert never S.active\n");
  EXPECT_EQ(closed.at.t, 1);
  EXPECT_EQ(closed.values, "S.active = true");
  const Violation impulse = violation_of(kSwitch + "assert always abs(S.f) < 1e9\n");
  EXPECT_EQ(impulse.at.t, 1);
  EXPECT_EQ(impulse.values, "S.f = 2ω") << "which is more than any number";
  EXPECT_TRUE(outcome_of(kSwitch + "assert always abs(impulse(S.f)) < 3\n").violations.empty());
}

TEST(Assert, JudgesMythicalModes) {
  const Model model =
      Model::load(CRADLE_ROOT "/models/mosterman/cradle.cradle", {{"J_break", "0.5"}});
  std::ifstream file(CRADLE_ROOT "/models/mosterman/cradle.cradle");
  std::stringstream text;
  text << file.rdbuf();
  const std::string whole = text.str();
  const Model asserted = Model::load_text(
      CRADLE_ROOT "/models/mosterman/cradle.cradle",
      whole.substr(0, whole.rfind('}')) + "assert always body2.p < 0.5\n}\n", {{"J_break", "0.5"}});
  ASSERT_TRUE(model.ok() && asserted.ok());
  Simulation run(asserted);
  ASSERT_EQ(run.run().violations.size(), 1u);
  EXPECT_EQ(run.outcome().violations[0].at.step, 0) << "where F13 and F23 hold, in no time";
}

TEST(Assert, JudgesAtTheStart) {
  EXPECT_EQ(violation_of(kOscillator + "assert always k.q < 5\n").at.t, 0);
  EXPECT_EQ(violation_of("param a = 3\nassert never a > 2\nuntil 1\n").at.t, 0);
}

TEST(Assert, WhatStandsInAModeIsAssertedWhileThatIsActive) {
  const std::string text = R"(
    x = integral(1)
    modal m initially low {
      mode low { assert always x <= 2, "low" }
      mode high { assert always x >= 0.5, "high" }
      low -> high when x >= 1
    }
    until 3
  )";
  EXPECT_TRUE(outcome_of(text).violations.empty());
  const Violation found = violation_of(
      "x = integral(1)\nmodal m initially low {\nmode low { assert always x <= 0.5 }\n"
      "mode high { assert always x <= 4 }\nlow -> high when x >= 1\n}\nuntil 3\n");
  EXPECT_NEAR(found.at.t, 0.5, 1e-12);
  EXPECT_EQ(found.inside, "m.low");
}

TEST(Assert, StandsInComponentsAndLoops) {
  const Model model = Model::load_text("parts.cradle", R"(
    block Watched { param most = 1  input u  assert always u <= most, "too much" }
    model M {
      Watched w1(u = time), w2(most = 3, u = time)
      for i in 1..3 { assert always time < i }
      until 2.5
    })");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation run(model);
  const Outcome& outcome = run.run();
  EXPECT_EQ(outcome.assertions, 5);
  ASSERT_EQ(outcome.violations.size(), 3u) << "two turns of the loop, and w1";
  const Violation& part = outcome.violations[1];
  EXPECT_EQ(part.inside, "w1");
  EXPECT_EQ(part.values, "u = 1.0000000000000002, most = 1");
  EXPECT_EQ(outcome.violations[2].at.t, 2);
}

TEST(Assert, FollowsSignalsThatAreTrueOrFalse) {
  const Violation found = violation_of(kOscillator +
                                       "far = k.q < -4\nfast = v.f > 1 or v.f < -1\n"
                                       "assert never far and not fast\n");
  EXPECT_NEAR(found.at.t, 3.14159265358979323846 - std::asin(1.0 / 5), 1e-9);
}

TEST(Assert, IsKeptByARunThatIsSavedAndGoneOnWith) {
  const Model model =
      load(kOscillator + "assert always k.q > -4\nassert always k.q < 4.5 or time < 4\n");
  Simulation whole(model), first(model), second(model);
  whole.run();
  first.advance_to(3);
  second.load(first.save());
  second.run();
  ASSERT_EQ(whole.outcome().violations.size(), 2u);
  ASSERT_EQ(second.outcome().violations.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second.outcome().violations[i].at.t, whole.outcome().violations[i].at.t);
    EXPECT_EQ(second.outcome().violations[i].values, whole.outcome().violations[i].values);
  }
}

TEST(Assert, IsHeldAgainstEveryRunThatExploreMakes) {
  const Model model = load(R"(
    which = hold(sample(choose(true, true), event(1)), 0)
    assert never which == 2, "the second"
    until 2
  )");
  const Exploration found = explore(model, {});
  ASSERT_EQ(found.violations.size(), 1u);
  EXPECT_EQ(found.violations[0].message, "the second");
  EXPECT_EQ(found.violations[0].at.t, 1);
}

TEST(Assert, SaysSoWhereItCannotFollow) {
  const Outcome outcome =
      outcome_of("assert never sin(1 / (1 - time)^3) > 1 + 1e-14 * time\nuntil 2\n");
  ASSERT_EQ(outcome.violations.size(), 1u);
  EXPECT_TRUE(outcome.violations[0].undecided);
  EXPECT_LT(outcome.violations[0].at.t, 1);
  EXPECT_TRUE(outcome.finished());
}

// ---- nothing in a run moves --------------------------------------------------------------------

std::string with_everything_asserted(const Model& model, const std::string& text) {
  const std::string head = text.substr(0, text.rfind('}'));
  std::string lines;
  for (const std::string& name : model.readable_names()) {
    for (const std::string& line :
         {"assert never " + name + " > 0.3 and sqrt(max(" + name + ", 0)) < 0.9\n",
          "assert always " + name + "\n"}) {
      if (!Model::load_text("probe", head + "\n" + line + "}\n").ok()) continue;
      lines += line;
      break;
    }
  }
  return head + "\n" + lines + "}\n";
}

TEST(Assert, LooksAtEverythingAndChangesNothing) {
  for (const char* file :
       {"mosterman/cradle", "mosterman/stiction", "mosterman/tank", "circuits/rectifier",
        "circuits/buck", "mechanics/pendulum_pin", "mechanics/stick_slip",
        "lee/bouncing_ball_modal", "lee/pushing", "lee/mixed_controller", "lee/simultaneous"}) {
    const std::string path = CRADLE_ROOT "/models/" + std::string(file) + ".cradle";
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    const Model plain = Model::load(path);
    ASSERT_TRUE(plain.ok()) << file;
    const Model asserted = Model::load_text(path, with_everything_asserted(plain, text.str()));
    ASSERT_TRUE(asserted.ok()) << asserted.diagnostics_text();
    Options options;
    options.choice = ChoicePolicy::Random;
    options.seed = 7;
    Simulation one(plain, options), other(asserted, options);
    one.run();
    other.run();
    EXPECT_GT(other.outcome().assertions, 2) << file;
    EXPECT_EQ(one.trajectory().size(), other.trajectory().size()) << file;
    EXPECT_EQ(one.trajectory().hash(), other.trajectory().hash()) << file;
    EXPECT_EQ(one.outcome().ending, other.outcome().ending) << file;
    EXPECT_TRUE(one.statistics() == other.statistics()) << file;
  }
}

// Reduced, and written as text, it asserts the same.
TEST(Assert, IsWrittenWithAModel) {
  const Model model =
      load(kSwitch + "assert never S.active, \"closed\"\nassert always c1.q > 0.9\n");
  const Reduction reduction = model.reduce();
  ASSERT_TRUE(reduction.ok()) << "it can be written";
  const Model again = Model::load_text("again", reduction.text);
  ASSERT_TRUE(again.ok()) << again.diagnostics_text();
  Simulation run(again);
  ASSERT_EQ(run.run().violations.size(), 1u);
  EXPECT_EQ(run.outcome().violations[0].message, "closed");
}

}  // namespace
}  // namespace cradle
