// Inputs of a model: numbers that are set from outside while it runs.

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "cradle/cradle.hpp"
#include "cradle/explain.hpp"
#include "cradle/hypa.hpp"

namespace cradle {
namespace {

using Between = InputSignal::Between;

Model model_of(const std::string& body) {
  Model model = Model::load_text("test.cradle", "model Test {\n" + body + "\n}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

double last(const Simulation& run, const std::string& name) {
  const Trajectory& rows = run.trajectory();
  const auto column = rows.find_column(name);
  EXPECT_TRUE(column) << name;
  const auto value = rows.value(rows.size() - 1, *column);
  EXPECT_TRUE(value) << name;
  return value->finite;
}

// Times at which an automaton has just moved into a state.
std::vector<double> entered(const Trajectory& rows, const std::string& automaton,
                            const std::string& state) {
  std::vector<double> out;
  const std::size_t a = *rows.find_automaton(automaton);
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const bool now = rows.mode(row, a) == state, before = rows.mode(row - 1, a) == state;
    if (now && !before) out.push_back(rows.instant(row).t);
  }
  return out;
}

const char* const kIntegral = "input u = 1\nx = integral(u)\nuntil 4";
const char* const kSwitch = R"(
  input u = 0
  I body(2)
  R friction(1)
  Se push = u
  1 v
  1 brake initially off {
    off -> on when u > 1
    on -> off when u < 0.5
  }
  push -> v -> body
  v -> friction
  v -> brake
  R shoe(3)
  brake -> shoe
  y = 2 * u
  until 4
  show u, y, body.p, brake.f)";

TEST(Inputs, HoldWhatTheModelSaysUntilTheyAreSet) {
  const Model model = model_of(kIntegral);
  ASSERT_EQ(model.inputs(), (std::vector<std::pair<std::string, double>>{{"u", 1}}));
  Simulation alone(model);
  alone.run();
  EXPECT_DOUBLE_EQ(last(alone, "x"), 4);

  Simulation before(model);
  before.set_input("u", -2).run();
  EXPECT_DOUBLE_EQ(last(before, "x"), -8);

  Simulation set(model);
  ASSERT_TRUE(set.advance_to(0.5));
  set.set_input("u", 3);
  ASSERT_TRUE(set.advance_to(1));
  EXPECT_NEAR(last(set, "x"), 0.5 + 1.5, 1e-12);
  EXPECT_EQ(last(set, "u"), 3);
  set.set_input("u", 7).set_input("u", 0).run();
  EXPECT_NEAR(last(set, "x"), 2, 1e-12) << "the last one counts";
}

TEST(Inputs, BeginWithWhatParametersSay) {
  Model model = model_of("param k = 2\ninput u = 3 * k, w = -1\nx = integral(u + w)\nuntil 1");
  model.set("k", 1);
  Simulation run(model);
  run.run();
  EXPECT_NEAR(last(run, "x"), 2, 1e-12);
}

TEST(Inputs, WhatIsSetActsAtThatTime) {
  Simulation run(model_of(kSwitch));
  ASSERT_TRUE(run.advance_to(1.25));
  run.set_input("u", 4);
  run.run();
  EXPECT_EQ(entered(run.trajectory(), "brake", "on"), std::vector<double>{1.25});
  EXPECT_EQ(last(run, "y"), 8);
  // Rows are in order, and the one before has the old value.
  const Trajectory& rows = run.trajectory();
  const std::size_t u = *rows.find_column("u");
  for (std::size_t row = 1; row < rows.size(); ++row) {
    EXPECT_LE(rows.instant(row - 1), rows.instant(row)) << row;
    const double t = rows.instant(row).t;
    if (t == 1.25) continue;
    EXPECT_EQ(rows.value(row, u)->finite, t < 1.25 ? 0 : 4) << row;
  }
}

Options with(std::vector<double> times, std::vector<double> values, Between between) {
  Options options;
  options.inputs = {{"u", std::move(times), std::move(values), between}};
  return options;
}

TEST(Inputs, AreHeldBetweenTheirTimes) {
  Simulation run(model_of(kIntegral), with({1, 3}, {2, -1}, Between::Held));
  run.run();
  EXPECT_NEAR(last(run, "x"), 1 + 4 - 1, 1e-12);
  Simulation from_before(model_of(kIntegral), with({-5, -1, 0, 2}, {9, 9, 0, 1}, Between::Held));
  from_before.run();
  EXPECT_NEAR(last(from_before, "x"), 2, 1e-12);
}

TEST(Inputs, MoveOnStraightLines) {
  Simulation run(model_of(kIntegral), with({0, 2, 4}, {0, 4, 0}, Between::Linear));
  run.run();
  EXPECT_NEAR(last(run, "x"), 8, 1e-9);
  Simulation leap(model_of(kIntegral), with({0, 2, 2, 3}, {0, 2, 10, 10}, Between::Linear));
  leap.run();
  EXPECT_NEAR(last(leap, "x"), 2 + 20, 1e-9) << "two values at one time, and the last holds on";
}

// Up through 1 at 0.5 and 2.5, down through 0.5 at 1.75 and 3.75.
TEST(Inputs, CrossingsAreLocated) {
  const Options options = with({0, 1, 2, 3, 4}, {0, 2, 0, 2, 0}, Between::Linear);
  Simulation run(model_of(kSwitch), options);
  run.run();
  const auto on = entered(run.trajectory(), "brake", "on");
  const auto off = entered(run.trajectory(), "brake", "off");
  ASSERT_EQ(on.size(), 2u);
  ASSERT_EQ(off.size(), 2u);
  EXPECT_NEAR(on[0], 0.5, 1e-12);
  EXPECT_NEAR(on[1], 2.5, 1e-12);
  EXPECT_NEAR(off[0], 1.75, 1e-12);
  EXPECT_NEAR(off[1], 3.75, 1e-12);
}

// The same as a model that computes its input itself.
TEST(Inputs, AreNoOtherThanSignals) {
  const std::string body = R"(
    C c(2)
    I l(3)
    R r(0.5)
    1 loop
    Se s = u
    s -> loop -> c
    loop -> l
    loop -> r
    until 6
    show c.q, l.p)";
  Options options = with({0, 1, 2.5}, {0, 3, -1}, Between::Linear);
  Simulation outside(model_of("input u = 0\n" + body), options);
  Simulation inside(
      model_of("u = if time < 1 then 3 * time else if time < 2.5 then 3 - (time - 1) * 8 "
               "/ 3 else -1\n" +
               body));
  outside.run();
  inside.run();
  EXPECT_NEAR(last(outside, "c.q"), last(inside, "c.q"), 1e-7);
  EXPECT_NEAR(last(outside, "l.p"), last(inside, "l.p"), 1e-7);
}

// A source that binds a store: its momentum jumps with a leap, and follows a slope with a force.
TEST(Inputs, BindStores) {
  const std::string body =
      "input u = 0\nI m(2)\nSf drive = u\n1 v\ndrive -> v -> m\nuntil 2\nshow m.p, m.e";
  Simulation leap(model_of(body), with({1}, {3}, Between::Held));
  leap.run();
  EXPECT_DOUBLE_EQ(last(leap, "m.p"), 6);
  const Trajectory& rows = leap.trajectory();
  const auto impulses = rows.impulses(*rows.find_column("m.e"));
  ASSERT_EQ(impulses.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(impulses.weights[0], 6);
  EXPECT_EQ(rows.instant(impulses.rows[0]).t, 1);
  Simulation slope(model_of(body), with({0, 2, 4}, {0, 3, 6}, Between::Linear));
  slope.run();
  EXPECT_NEAR(last(slope, "m.p"), 6, 1e-9);
  EXPECT_NEAR(last(slope, "m.e"), 3, 1e-9);
}

TEST(Inputs, GoWithWhatIsSaved) {
  const Model model = model_of(kSwitch);
  const Options options = with({0.25, 1, 1.5, 2.75, 3.5}, {2, 0.25, 3, 0, 2}, Between::Linear);
  Simulation whole(model, options);
  whole.run();
  for (const double cut : {0.1, 1.0, 1.3, 3.6}) {
    Simulation first(model, options);
    ASSERT_TRUE(first.advance_to(cut));
    Simulation second(model, options);
    second.load(first.save());
    second.run();
    EXPECT_EQ(second.statistics().events, whole.statistics().events) << cut;
    EXPECT_EQ(second.statistics().solver_steps, whole.statistics().solver_steps) << cut;
    EXPECT_EQ(last(second, "body.p"), last(whole, "body.p")) << cut;
  }
  // Also what was set and has not been taken yet.
  Simulation one(model);
  ASSERT_TRUE(one.advance_to(2));
  one.set_input("u", 4);
  Simulation other(model);
  other.load(one.save());
  Simulation copy = one.clone();
  for (Simulation* run : {&one, &other, &copy}) run->run();
  EXPECT_EQ(last(one, "body.p"), last(other, "body.p"));
  EXPECT_EQ(last(one, "body.p"), last(copy, "body.p"));
  EXPECT_GT(last(one, "body.p"), 0);
}

TEST(Inputs, DoNotDependOnWhoLooksOn) {
  const Model model = model_of(kSwitch);
  Options options = with({0, 1, 2, 3, 4}, {0, 2, 0, 2, 0}, Between::Linear);
  Simulation plain(model, options);
  plain.run();
  options.every = 0.01;
  options.select_everything = true;
  Simulation curious(model, options);
  curious.run();
  options.record = false;
  Simulation blind(model, options);
  blind.run();
  EXPECT_EQ(plain.statistics(), curious.statistics());
  EXPECT_EQ(plain.statistics(), blind.statistics());
}

TEST(Inputs, ThatDoNotExistOrAreNoNumbersAreRefused) {
  const Model model = model_of(kIntegral);
  Simulation run(model);
  EXPECT_THROW(run.set_input("x", 1), std::invalid_argument);
  EXPECT_THROW(run.set_input("u", NAN), std::invalid_argument);
  EXPECT_THROW(run.set_input("u", INFINITY), std::invalid_argument);
  EXPECT_THROW(Simulation(model, with({0, 1}, {1}, Between::Held)), std::invalid_argument);
  EXPECT_THROW(Simulation(model, with({1, 0}, {1, 1}, Between::Held)), std::invalid_argument);
  EXPECT_THROW(Simulation(model, with({0}, {NAN}, Between::Held)), std::invalid_argument);
  Options unknown = with({0}, {1}, Between::Held);
  unknown.inputs[0].name = "w";
  EXPECT_THROW(Simulation(model, unknown), std::invalid_argument);
}

TEST(Inputs, AreWrittenAsInputs) {
  const Reduction reduction = model_of(kSwitch).reduce();
  ASSERT_TRUE(reduction.ok());
  EXPECT_NE(reduction.text.find("input u = 0"), std::string::npos) << reduction.text;
  const Model again = Model::load_text("again.cradle", reduction.text);
  ASSERT_TRUE(again.ok()) << again.diagnostics_text();
  const Options options = with({1}, {4}, Between::Held);
  Simulation one(model_of(kSwitch), options), two(again, options);
  one.run();
  two.run();
  EXPECT_EQ(last(one, "body.p"), last(two, "body.p"));
}

TEST(Inputs, AreGivenToProcesses) {
  const auto processes = processes_of(model_of(kSwitch), {});
  EXPECT_NE(processes.text.find("input(u)"), std::string::npos) << processes.text;
}

TEST(Inputs, AreToldAsCauses) {
  const Explanation told = explain_instant(model_of(kSwitch), 1, with({1}, {4}, Between::Held));
  ASSERT_TRUE(told.found);
  EXPECT_EQ(told.causes, std::vector<std::string>{"u is set to 4"});
}

}  // namespace
}  // namespace cradle
