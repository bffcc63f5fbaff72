// What was wrong once in the causal side and at the borders to bond graphs, as the smallest models
// that show it, with what is right by the semantics.

#include <gtest/gtest.h>

#include <cmath>

#include "cradle/conform.hpp"
#include "cradle/cradle.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

Model model_of(const std::string& text) {
  Model model = Model::load_text("causal.cradle", text);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

struct Ran {
  Outcome outcome;
  Trajectory rows;
  std::string kind;  // of the first error
};

Ran run(const std::string& text, Options options = {}) {
  Simulation simulation(model_of(text), options);
  simulation.run();
  Ran out{simulation.outcome(), simulation.trajectory(), {}};
  for (const Diagnostic& diagnostic : out.outcome.diagnostics) {
    if (diagnostic.severity == Severity::Error && out.kind.empty()) out.kind = diagnostic.kind;
  }
  return out;
}

double final_value(const std::string& text, const std::string& name, Options options = {}) {
  options.select.push_back(name);
  const Ran ran = run(text, options);
  EXPECT_TRUE(ran.outcome.finished()) << ran.kind;
  return ran.rows.value(ran.rows.size() - 1, *ran.rows.find_column(name)).value_or(NAN).finite;
}

std::string recorded(const Model& model) {
  Options options;
  options.select_everything = true;
  std::string out;
  text::CsvWriter csv([&](std::string_view text) { out += text; });
  Simulation simulation(model, options);
  simulation.stream_to(csv).run();
  return out;
}

TEST(Fby, AsARateCountsFromTheEventOn) {
  EXPECT_NEAR(final_value("model N { x = integral(fby(0, event(1, 1)))\n until 3 }", "x"), 2, 1e-9);
}

TEST(Fby, AsASourceCountsFromTheEventOn) {
  const std::string text = R"(model N {
    Se s = fby(0, event(1, 1))
    R r(1)
    C c(1)
    1 j
    s -> j
    j -> r
    j -> c
    until 3
  })";
  EXPECT_NEAR(final_value(text, "c.q"), 1 - std::exp(-2), 1e-7);
}

TEST(TimeDelay, KeepsTheOrderOfMicrostepsOnEveryGrid) {
  for (const double every : {0.0, 10.0, 0.1, 0.5}) {
    Options options;
    options.every = every;
    EXPECT_EQ(final_value(R"(model N {
      e = default(event(0.5, 1), delay(event(0.5, 2)), delay(delay(event(0.5, 3))))
      d = time_delay(e, 0.5)
      last = hold(d, 0)
      until 2
    })",
                          "last", options),
              3);
  }
}

TEST(TimeDelay, TakesWhatASampleHolds) {
  EXPECT_NEAR(final_value(R"(model M {
    x = integral(1)
    h = hold(sample(x, clock(0.1)), 0)
    d = time_delay(h, 0.25, 0)
    until 1
  })",
                          "d"),
              0.7, 1e-9);
}

TEST(Pre, DoesNotDependOnWhatIsRecorded) {
  const std::string text = R"(model G {
    I m(1, p = 1)
    R r(1)
    Se s = 0.5 * pre(m.f)
    1 j
    j -> m
    j -> r
    s -> j
    y = if time >= 0.5 then 1 else 0
    until 1
  })";
  Options with_y;
  with_y.select = {"y"};
  EXPECT_EQ(final_value(text, "m.p"), final_value(text, "m.p", with_y));
}

TEST(Comparison, OfWhatIsAbsentIsAbsent) {
  const std::string text = R"(model N {
    x = integral(1)
    e = event(0.5, 1)
    b = e + x < 3
    y = integral(if is_present(b) then 1 else 0)
    z = integral(if default(b, true) then 1 else 0)
    until 1
  })";
  EXPECT_EQ(final_value(text, "y"), 0);
  EXPECT_NEAR(final_value(text, "z"), 1, 1e-9);
}

TEST(Comparison, InAModeIsAbsentElsewhere) {
  EXPECT_NEAR(final_value(R"(model N {
    modal m initially a {
      mode a { u = time }
      mode b { }
      a -> b when time >= 1
    }
    y = integral(if is_present(m.u < 5) then 1 else 0)
    until 3
  })",
                          "y"),
              1, 1e-9);
}

// Initial values that contradict each other are made consistent first.
TEST(Start, DoesNotDependOnTheOrderOfBonds) {
  const auto text = [](const std::string& bonds) {
    return R"(model G {
      C c1(1, q = 3)
      C c2(1, q = 0)
      C c3(1, q = 0)
      R r(1)
      R r2(1)
      0 n
      1 m
      1 s initially off { off -> on after eps when n.e > 2 }
      Se u = 10
      )" + bonds +
           R"(
      n -> r
      u -> m -> r2
      m -> s -> c3
      until 1
    })";
  };
  EXPECT_EQ(final_value(text("n -> c1\n n -> c2"), "c3.q"), 0);
  EXPECT_EQ(final_value(text("n -> c2\n n -> c1"), "c3.q"), 0);
}

TEST(Start, JudgesPhysicalTransitionsAtOnceWhereNothingJumps) {
  const Ran ran = run(R"(model G {
    C c(1, q = 3)
    R r(1)
    0 n
    1 s initially off { off -> on after eps when n.e > 2 }
    n -> c
    n -> s -> r
    until 1
  })");
  EXPECT_EQ(ran.rows.mode(0, 0), "on");
}

TEST(Impulse, OfEffortOnACapacitorHasNoMeaning) {
  for (const char* graph : {"s -> c", "0 j\n R r(1)\n s -> j\n j -> c\n j -> r",
                            "1 k\n R r(1 + time)\n 0 j\n s -> j\n j -> c\n j -> r"}) {
    const Ran ran = run(std::string("model G { C c(1)\n Se s = event(0.5, 2) * omega\n ") + graph +
                        "\n until 1 }");
    EXPECT_EQ(ran.outcome.ending, Ending::ModelError) << graph;
    EXPECT_TRUE(ran.kind == "mode.impulse-at-odds" || ran.kind == "mode.impulse-on-resistor")
        << ran.kind << " " << graph;
    EXPECT_EQ(ran.outcome.at, (Instant{0.5, 0, 1})) << graph;
  }
}

TEST(Impulse, IsSeenInEveryOrderOfColumns) {
  for (const std::vector<std::string>& select :
       std::vector<std::vector<std::string>>{{"s.f", "c.q"}, {"c.q", "s.f"}, {"s.f"}}) {
    Options options;
    options.select = select;
    const Ran ran = run(R"(model G {
      C c(1, q = 0)
      R r(1 + time)
      Sf s = event(0.5, 2) * omega
      0 j
      s -> j
      j -> c
      j -> r
      until 1
    })",
                        options);
    double weight = 0;
    for (std::size_t row = 0; row < ran.rows.size(); ++row) {
      weight += ran.rows.value(row, *ran.rows.find_column("s.f")).value_or(Number()).impulse;
    }
    EXPECT_EQ(weight, 2) << select[0];
  }
}

TEST(Preemption, OfAModeThatIsJustEnteredIsNoLoop) {
  const Ran ran = run(R"(model N {
    e = event(1)
    modal m initially b {
      mode a { x = integral(2, 2) }
      mode b { }
      b -> a when e
      a -> b immediate priority 1 when x <= -1
      a -> a preemptive priority 2 when e
    }
    until 2
  })");
  EXPECT_TRUE(ran.outcome.finished()) << ran.kind;
}

TEST(Conform, AcceptsAnIntegralOfAnEffortThatVanishes) {
  const Model model = model_of(R"(model G {
    I m(1, p = 1)
    1 j { on -> off when time >= 1 }
    b: j -> m
    x = integral(b.e)
    until 2
  })");
  const Conformance verdict = check_conformance(model, recorded(model));
  EXPECT_TRUE(verdict.ok()) << (verdict.violations.empty() ? verdict.problem
                                                           : verdict.violations[0].relation + ": " +
                                                                 verdict.violations[0].detail);
}

// The run of one model against another whose guard is true at once: its mode stays nevertheless.
TEST(Conform, RefusesAModeThatStaysAlthoughItsGuardIsTrue) {
  const auto text = [](const std::string& guard) {
    return "model G { C c(1, q = 3)\n R r(1)\n 0 n\n 1 s initially on { on -> off when " + guard +
           " }\n n -> c\n n -> s -> r\n until 1 }";
  };
  const std::string csv = recorded(model_of(text("n.e > 10")));
  EXPECT_TRUE(check_conformance(model_of(text("n.e > 10")), csv).ok());
  const Conformance verdict = check_conformance(model_of(text("n.e > 1")), csv);
  ASSERT_FALSE(verdict.violations.empty());
  EXPECT_NE(verdict.violations[0].detail.find("stays in on"), std::string::npos)
      << verdict.violations[0].detail;
}

// A contact that holds two bodies together although the force between them would pull.
TEST(Conform, RefusesAContactThatGlues) {
  const auto text = [](const std::string& guard) {
    return "model G { I a(1, p = 1), b(1)\n Se pull = 1\n 1 va, vb\n 0 n\n 1 k initially on { on "
           "-> off "
           "when " +
           guard +
           " }\n va -> a\n vb -> b\n pull -> vb\n va -> n\n n -> vb\n n -> k\n R stop(1)\n k -> "
           "stop\n until 1 }";
  };
  const std::string csv = recorded(model_of(text("k.f > 1000")));
  EXPECT_TRUE(check_conformance(model_of(text("k.f > 1000")), csv).ok());
  EXPECT_FALSE(check_conformance(model_of(text("k.f < 1000")), csv).ok());
}

}  // namespace
}  // namespace cradle
