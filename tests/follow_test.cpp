// Junctions that have the automaton of another: they switch together, as if each had one of its own
// with the same guards.

#include <gtest/gtest.h>

#include <cmath>

#include "cradle/conform.hpp"
#include "cradle/cradle.hpp"
#include "cradle/draw.hpp"
#include "cradle/hypa.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

Model load(const std::string& text) {
  Model model = Model::load_text(CRADLE_ROOT "/tests/follow.cradle", text);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

// A leg of a bridge, by the junction `low` that is active while `high` is not.
std::string leg(const std::string& low) {
  return R"(model Leg {
    Se supply = 10
    Se ground = 0
    I coil(0.01)
    R load(2)
    0 mid
    1 out
    1 high initially off {
      off -> on when pulse(0.02, 0.3)
      on -> off when not pulse(0.02, 0.3)
    }
    )" + low +
         R"(
    supply -> high -> mid
    ground -> low -> mid
    mid -> out
    out -> coil
    out -> load
    until 0.1
    show coil.p, high.f, low.f
  })";
}

const std::string kFollows = "1 low follows high { active off }";
const std::string kOwn = R"(1 low initially on {
  on -> off when pulse(0.02, 0.3)
  off -> on when not pulse(0.02, 0.3)
})";

TEST(Follow, IsAsIfEachHadAnAutomatonOfItsOwn) {
  const Model follows = load(leg(kFollows)), own = load(leg(kOwn));
  EXPECT_EQ(follows.automata().size(), 1u);
  Simulation one(follows), other(own);
  ASSERT_TRUE(one.run().finished());
  ASSERT_TRUE(other.run().finished());
  const Trajectory &a = one.trajectory(), &b = other.trajectory();
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(one.statistics().events, other.statistics().events);
  EXPECT_GE(one.statistics().events, 10);
  for (std::size_t row = 0; row < a.size(); ++row) {
    EXPECT_TRUE(a.instant(row) == b.instant(row));
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(a.value(row, c)->finite, b.value(row, c)->finite, 1e-12) << row << " " << c;
    }
  }
}

TEST(Follow, TheModeOfAFollowerCanBeRead) {
  const std::string more = kFollows + R"(
    assert never high.active and low.active
    assert always high.active or low.active
    assert always low.off == low.active
    assert always low.on == high.on
  )";
  Simulation run(load(leg(more)));
  EXPECT_TRUE(run.run().violations.empty());
  EXPECT_EQ(run.outcome().assertions, 4);
}

// Two parts of a network that have nothing else in common.
TEST(Follow, SwitchesPartsThatAreNotConnected) {
  const Model model = load(R"(model Two {
    C a1(1, q = 3)
    C a2(2)
    C b1(1, q = 5)
    C b2(4)
    0 na, ma, nb, mb
    1 S initially off { off -> on when time >= 1 }
    1 T follows S
    na -> a1
    na -> S -> ma
    ma -> a2
    nb -> b1
    nb -> T -> mb
    mb -> b2
    until 2
    show a1.q, b1.q
  })");
  Simulation run(model);
  ASSERT_TRUE(run.run().finished()) << model.render(run.outcome().diagnostics.front());
  const std::size_t last = run.trajectory().size() - 1;
  EXPECT_NEAR(run.trajectory().value(last, 0)->finite, 1, 1e-12);
  EXPECT_NEAR(run.trajectory().value(last, 1)->finite, 1, 1e-12);
  const EnergyAudit audit = run.audit();
  double lost_s = 0, lost_t = 0;
  for (const EnergyEntry& entry : audit.entries) {
    if (entry.name == "S") lost_s = entry.jumping;
    if (entry.name == "T") lost_t = entry.jumping;
  }
  EXPECT_NEAR(lost_s, 3, 1e-9);
  EXPECT_NEAR(lost_t, 10, 1e-9);
  EXPECT_NEAR(audit.residual, 0, 1e-9);
}

// By inference: the guard is judged in the mode in which both are switched.
TEST(Follow, IsTriedWithTheJunctionThatItFollows) {
  const Model model = load(R"(model Fuse {
    Se v = if time < 1 then 1 else 5
    R r(1)
    R lamp(1)
    Se battery = 2
    1 main initially on { on -> off when main.f > 2 }
    1 spare follows main { active off }
    0 n
    v -> main -> n
    battery -> spare -> n
    1 loop
    n -> loop
    loop -> r
    loop -> lamp
    until 2
    show main.f, spare.f
  })");
  Simulation run(model);
  ASSERT_TRUE(run.run().finished()) << model.render(run.outcome().diagnostics.front());
  const std::size_t last = run.trajectory().size() - 1;
  EXPECT_EQ(run.trajectory().value(last, 0)->finite, 0);
  EXPECT_NEAR(run.trajectory().value(last, 1)->finite, 1, 1e-12);
}

TEST(Follow, IsUnderstoodByTheProcessesAndTheirJudge) {
  const Model model = load(leg(kFollows));
  const std::string processes = processes_of(model).text;
  EXPECT_NE(processes.find("low ≈"), std::string::npos) << processes;
  Options options;
  options.select_everything = true;
  options.every = 1e-3;
  std::string recorded;
  text::CsvWriter csv([&](std::string_view text) { recorded += text; });
  Simulation run(model, options);
  run.stream_to(csv).run();
  const Conformance result = check_conformance(model, recorded);
  EXPECT_TRUE(result.ok()) << result.problem
                           << (result.violations.empty() ? "" : result.violations[0].relation);
  EXPECT_GT(result.checks, 100u);
}

TEST(Follow, IsWrittenAndReadAgain) {
  const Model model = load(leg(kFollows));
  const Reduction reduction = model.reduce();
  ASSERT_TRUE(reduction.ok());
  EXPECT_NE(reduction.text.find("low follows high {"), std::string::npos) << reduction.text;
  Simulation one(model), other(load(reduction.text));
  one.run();
  other.run();
  ASSERT_EQ(one.trajectory().size(), other.trajectory().size());
  for (std::size_t row = 0; row < one.trajectory().size(); ++row) {
    EXPECT_TRUE(one.trajectory().value(row, 0) == other.trajectory().value(row, 0)) << row;
  }
}

TEST(Follow, IsDrawn) {
  const std::string svg = draw_svg(load(leg(kFollows)));
  EXPECT_NE(svg.find("follows high"), std::string::npos);
}

TEST(Follow, ReachesIntoPartsAndThroughOthers) {
  const Model model = load(R"(
  component Pole {
    port a, b
    input closed = true
    1 S initially off { off -> on when closed  on -> off when not closed }
    a -> S -> b
  }
  component Second {
    port a, b
    1 S follows T
    1 T follows U
    1 U initially on
    a -> S -> b
  }
  model M {
    Se v = 1
    R r(1)
    R r2(1)
    Pole p(closed = time > 1)
    1 q follows p.S
    v -> n
    0 n
    1 x, y
    n -> x -> p.a
    p.b -> r
    n -> y -> q -> r2
    until 2
    show q.f
  })");
  Simulation run(model);
  ASSERT_TRUE(run.run().finished()) << model.render(run.outcome().diagnostics.front());
  EXPECT_EQ(run.trajectory().value(0, 0)->finite, 0);
  EXPECT_EQ(run.trajectory().value(run.trajectory().size() - 1, 0)->finite, 1);
}

}  // namespace
}  // namespace cradle
