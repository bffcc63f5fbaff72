// A run allocates while it meets something for the first time, and nothing after that: twice the
// run takes no more allocations, but for a queue or a table that doubles now and then.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/basics/counted_allocations.hpp"
#include "cradle/cradle.hpp"

namespace cradle {
namespace {

struct Count {
  long allocations = 0;
  int64_t events = 0;
};

Count count(const Model& model, double until) {
  Options options;
  options.choice = ChoicePolicy::Random;
  options.until = until;
  options.record = options.audit = false;
  options.code = CodeKind::Machine;  // at once, and not when something has become hot
  const long before = allocations;
  Simulation run(model, options);
  EXPECT_TRUE(run.run().finished());
  return {allocations - before, run.statistics().events};
}

void expect_steady(const Model& model, double until, int64_t least_events) {
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  count(model, until);  // programs are compiled on first use
  const Count once = count(model, until), twice = count(model, 2 * until);
  EXPECT_GE(twice.events - once.events, least_events);
  constexpr long kDoublings = 8;
  EXPECT_LE(twice.allocations - once.allocations, kDoublings)
      << twice.events - once.events << " events more";
}

Model load(const char* path, const std::vector<Setting>& set = {}) {
  return Model::load(std::string(CRADLE_ROOT) + "/models/" + path, set);
}

TEST(Allocations, ABouncingBallNeedsNone) {
  expect_steady(load("mechanics/bouncing_ball.cradle", {{"restitution", 0.99}}), 100, 50);
}

TEST(Allocations, ABallOfImpulsesNeedsNone) {
  expect_steady(load("lee/bouncing_ball.cradle", {{"e", 0.99}}), 100, 50);
}

TEST(Allocations, AConverterNeedsNone) { expect_steady(load("circuits/buck.cradle"), 0.005, 500); }

TEST(Allocations, ARectifierNeedsNone) { expect_steady(load("circuits/rectifier.cradle"), 1, 20); }

TEST(Allocations, AStickSlipNeedsNone) {
  expect_steady(load("mechanics/stick_slip.cradle"), 50, 5);
}

TEST(Allocations, TransitionsOfAModalModelNeedNone) {
  expect_steady(Model::load_text("modal.cradle", R"(
model Modal {
  tick = clock(1)
  modal machine initially a {
    mode a { n = integral(0, 0) }
    mode b { n = integral(0, 0) }
    mode c { n = integral(0, 0) }
    a -> b when tick { set n = n + 1 }
    b -> c when tick { set n = n + 1 }
    c -> a immediate when tick
  }
})"),
                1000, 1000);
}

TEST(Allocations, ChoicesNeedNone) {
  Model model = Model::load_text("choice.cradle", R"(
model Choice {
  tick = clock(1)
  modal machine initially a {
    mode a { n = 1 }
    mode b { n = 2 }
    mode c { n = 3 }
    a -> b priority 1 when tick
    a -> c priority 1 when tick
    a -> a priority 2 when tick
    b -> a when tick
    c -> a when tick
  }
})");
  expect_steady(model, 1000, 1000);
}

TEST(Allocations, LawsThatAreNotLinearNeedNone) {
  expect_steady(Model::load_text("laws.cradle", R"(
model Laws {
  C c(law(q) = q + q^3, q = 1)
  I i(1)
  1 loop
  loop -> c
  loop -> i
  0 F initially off { off -> on after eps when c.q < 0 on -> off after eps when c.q > 0 }
  R r(1)
  F -> r
})"),
                100, 20);
}

}  // namespace
}  // namespace cradle
