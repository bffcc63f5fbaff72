// Events (semantics, section 6, last paragraph): located in time, on the far side, none twice, none
// missed inside a step, a guard that is true on arrival counts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <random>

#include "base/basics/sanitized.hpp"
#include "cradle/cradle.hpp"

namespace cradle {
namespace {

// `body` with an automaton F {off, on} on a junction that carries nothing.
std::string flag(const std::string& name, const std::string& on, const std::string& off) {
  return "R r" + name + "(1)\n" + name + " -> r" + name + "\n0 " + name +
         " initially off { off -> on when " + on + (off.empty() ? "" : " on -> off when " + off) +
         " }\n";
}

struct Result {
  std::unique_ptr<Model> model;
  std::unique_ptr<Simulation> simulation;
  const Trajectory& rows() const { return simulation->trajectory(); }
  // Real times at which the automaton changed its state, in order.
  std::vector<double> moves(const std::string& automaton) const {
    std::vector<double> out;
    const std::size_t a = *rows().find_automaton(automaton);
    for (std::size_t i = 1; i < rows().size(); ++i) {
      if (rows().mode(i, a) != rows().mode(i - 1, a)) out.push_back(rows().instant(i).t);
    }
    return out;
  }
  std::string kind() const {
    const auto& found = simulation->outcome().diagnostics;
    return found.empty() ? "" : found[0].kind;
  }
};

Result run(const std::string& body, double until, Options options = {}) {
  Result out;
  out.model = std::make_unique<Model>(
      Model::load_text("events.cradle", "model Events {\n" + body + "\n}\n"));
  EXPECT_TRUE(out.model->ok()) << out.model->diagnostics_text();
  options.until = until;
  out.simulation = std::make_unique<Simulation>(*out.model, options);
  out.simulation->run();
  return out;
}

const char* kParabola = "v = integral(-2, 2)\nx = integral(v, -1)\n";  // x = −(t − 1)²

TEST(Events, TwoCrossingsInOneStepAreFound) {
  Result r = run(std::string(kParabola) + flag("F", "x > -0.0001", "x <= -0.0001"), 2);
  const std::vector<double> t = r.moves("F");
  ASSERT_EQ(t.size(), 2u);
  EXPECT_NEAR(t[0], 0.99, 1e-12);
  EXPECT_NEAR(t[1], 1.01, 1e-12);
}

TEST(Events, NearlyTangentCrossingsAreFound) {
  Result r = run(std::string(kParabola) + flag("F", "x > -1e-10", "x <= -1e-10"), 2);
  const std::vector<double> t = r.moves("F");
  ASSERT_EQ(t.size(), 2u);
  EXPECT_NEAR(t[0], 1 - 1e-5, 1e-9);
  EXPECT_NEAR(t[1], 1 + 1e-5, 1e-9);
}

TEST(Events, ACurveThatStaysBelowIsNoEvent) {
  Result r = run(std::string(kParabola) + flag("F", "x > 1e-10", ""), 2);
  EXPECT_TRUE(r.moves("F").empty());
}

// With a constant slope the solver takes steps as long as the run, and the guard holds for a
// moment.
TEST(Events, AMomentAtAKinkIsFound) {
  const std::string line = "x = integral(1, -1)\n";  // x = t − 1
  for (const char* guard : {"abs(x) < 1e-6", "max(x, -x) < 1e-6", "min(x, -x) > -1e-6",
                            "abs(x) - 1e-6 < 0", "sqrt(abs(x)) < 1e-3", "near < 1e-6"}) {
    Result r = run(
        line + "near = max(y, -y)\ny = x\n" + flag("F", guard, "not (" + std::string(guard) + ")"),
        2.5);
    const std::vector<double> t = r.moves("F");
    ASSERT_EQ(t.size(), 2u) << guard;
    EXPECT_NEAR(t[0], 1 - 1e-6, 1e-12) << guard;
    EXPECT_NEAR(t[1], 1 + 1e-6, 1e-12) << guard;
  }
}

TEST(Events, KinksInsideKinksAreFound) {
  Result r = run(
      "x = integral(1, -2)\n" + flag("F", "abs(abs(x) - 1) < 1e-6", "abs(abs(x) - 1) >= 1e-6"), 5);
  const std::vector<double> t = r.moves("F");  // x = −1 and x = 1, at 1 and 3
  ASSERT_EQ(t.size(), 4u);
  EXPECT_NEAR(t[0], 1 - 1e-6, 1e-12);
  EXPECT_NEAR(t[1], 1 + 1e-6, 1e-12);
  EXPECT_NEAR(t[2], 3 - 1e-6, 1e-12);
  EXPECT_NEAR(t[3], 3 + 1e-6, 1e-12);
}

// x = −(t − 1)² + 1e−8 is positive, or above an integer, for a moment only.
TEST(Events, ALeapWithinAStepIsFound) {
  const std::string hill = "v = integral(-2, 2)\nx = integral(v, -1 + 1e-8)\n";
  for (const char* guard :
       {"sign(x) > 0", "floor(x) >= 0", "floor(x + 3) > 2", "mod(x, 1) < 0.5 and x > -0.1"}) {
    Result r = run(hill + flag("F", guard, "x < 0"), 1.5);
    const std::vector<double> t = r.moves("F");
    ASSERT_EQ(t.size(), 2u) << guard;
    EXPECT_NEAR(t[0], 1 - 1e-4, 1e-10) << guard;
    EXPECT_NEAR(t[1], 1 + 1e-4, 1e-10) << guard;
  }
}

TEST(Events, SimultaneousCrossingsAreOneInstant) {
  Result r = run("a = integral(1, -1)\nb = integral(-2, 2)\n" + flag("F", "a >= 0", "") +
                     flag("G", "b <= 0", ""),
                 2);
  ASSERT_EQ(r.moves("F").size(), 1u);
  ASSERT_EQ(r.moves("G").size(), 1u);
  EXPECT_EQ(r.moves("F")[0], r.moves("G")[0]);
  EXPECT_EQ(r.simulation->statistics().events, 1);
}

TEST(Events, AGuardThatIsTrueOnArrivalCounts) {
  Result r = run(flag("F", "time >= 0", ""), 1);
  ASSERT_EQ(r.moves("F").size(), 1u);
  EXPECT_EQ(r.rows().instant(0), (Instant{0, 0, 0}));
  EXPECT_EQ(r.rows().kind(0), RowKind::Mythical);
}

TEST(Events, ACrossingAtTheVeryEndIsSeen) {
  Result r = run(flag("F", "time >= 2", ""), 2);
  ASSERT_EQ(r.moves("F").size(), 1u);
  EXPECT_EQ(r.moves("F")[0], 2.0);
  EXPECT_TRUE(r.simulation->outcome().finished());
}

// Times that only rounding tells apart are one instant, on the far side of both.
TEST(Events, CrossingsAnUlpApartAreOneInstant) {
  const double next = std::nextafter(1.0, 2.0);
  Result r = run(flag("F", "time >= 1", "") + flag("G", "time >= 1.0000000000000002", ""), 2);
  ASSERT_EQ(r.moves("F").size(), 1u);
  ASSERT_EQ(r.moves("G").size(), 1u);
  EXPECT_EQ(r.moves("F")[0], next);
  EXPECT_EQ(r.moves("G")[0], next);
}

TEST(Events, BothLimitsAreRows) {
  Result r = run("x = if time >= 1 then 5 else 3\ny = integral(x)\n" + flag("F", "y > 100", "") +
                     "show x, y\n",
                 2);
  const Trajectory& rows = r.rows();
  std::size_t before = rows.size(), after = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.instant(i) == Instant{1, -1, 0}) before = i;
    if (rows.instant(i) == Instant{1, 0, 0}) after = i;
  }
  ASSERT_LT(before, rows.size());
  ASSERT_LT(after, rows.size());
  EXPECT_EQ(rows.value(before, 0), Number(3));
  EXPECT_EQ(rows.value(after, 0), Number(5));
  EXPECT_NEAR(rows.value(rows.size() - 1, 1)->finite, 8, 1e-12);
}

// offset + j · period, never accumulated: the 10,000th tick of 0.1 s is at 1000 to the bit.
TEST(Events, ClocksDoNotDrift) {
  Options options;
  options.record_steps = false;
  Result r = run(flag("F", "sawtooth(0.1) < 0.5", "sawtooth(0.1) >= 0.5"), 1000, options);
  const std::vector<double> t = r.moves("F");
  ASSERT_GT(t.size(), 19990u);
  int exact = 0;
  for (double at : t) {
    const double j = std::round(at / 0.1);
    if (at == j * 0.1) ++exact;
  }
  EXPECT_GE(exact, 9999);
}

// p/q, so that times can be compared without rounding.
struct Period {
  int64_t p, q;
  std::string text() const { return std::to_string(p) + " / " + std::to_string(q); }
};

// Ticks of two clocks are one instant just where fractions say so, however many there were before.
// CRADLE_NIGHTLY: a million coincidences.
TEST(Events, RationalClocksMeetWhereFractionsDo) {
  const int64_t wanted = std::getenv("CRADLE_NIGHTLY") != nullptr ? 1000000 : 4000;
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> upto(1, 40);
  int64_t met = 0;
  while (met < wanted) {
    const Period a{upto(random), upto(random)}, b{upto(random), upto(random)};
    // Both come round at the least common multiple of p₁ q₂ and p₂ q₁, over q₁ q₂.
    const int64_t one = a.p * b.q, other = b.p * a.q, both = std::lcm(one, other);
    const int64_t rounds = std::min<int64_t>(wanted - met, 1 + 20000 / (both / one + both / other));
    // A little beyond the last meeting, where both have come round rounds − 1 times.
    const double until = (static_cast<double>((rounds - 1) * both) +
                          0.5 * static_cast<double>(std::min(one, other))) /
                         static_cast<double>(a.q * b.q);
    Options options;
    options.record_steps = false;
    options.record_curves = false;
    options.audit = false;
    Result r = run(
        "a = clock(" + a.text() + ")\nb = clock(" + b.text() +
            ")\nboth = sample(sample(1, a), b)\n" + "met = fby(0, default(met + both, met))\n" +
            "ticks = fby(0, default(ticks + sample(1, merge(a, b)), ticks))\n" + "show met, ticks",
        until, options);
    ASSERT_EQ(r.simulation->outcome().ending, Ending::Finished);
    const auto last = [&](std::size_t column) {
      return r.rows().value(r.rows().size() - 1, column)->finite;
    };
    ASSERT_EQ(last(0), static_cast<double>(rounds)) << a.text() << " and " << b.text();
    const int64_t ticks = (rounds - 1) * (both / one + both / other - 1) + 1;
    EXPECT_EQ(last(1), static_cast<double>(ticks)) << a.text() << " and " << b.text();
    met += rounds;
  }
}

// Pulses that follow each other neither overlap nor leave a gap, whatever their period is.
TEST(Events, RationalPulsesFollowEachOther) {
  const int64_t wanted = std::getenv("CRADLE_NIGHTLY") != nullptr ? 1000000 : 6000;
  std::mt19937 random(5);
  std::uniform_int_distribution<int64_t> upto(1, 60);
  for (int64_t edges = 0; edges < wanted;) {
    const Period period{upto(random), upto(random)};
    const int64_t parts = 2 + upto(random) % 5, periods = std::min<int64_t>(wanted, 300);
    const double length = static_cast<double>(period.p) / static_cast<double>(period.q);
    std::string body = "param T = " + period.text() + "\n", sum;
    for (int64_t i = 0; i < parts; ++i) {
      const std::string name = "u" + std::to_string(i);
      body += name + " = pulse(T, 1 / " + std::to_string(parts) + ", " + std::to_string(i) +
              " * T / " + std::to_string(parts) + ")\n";
      sum += (i == 0 ? "" : " + ") + std::string("(if ") + name + " then 1 else 0)";
    }
    // From the second period on all of them run.
    body += "on = " + sum + "\nwrong = integral(if time > T then abs(on - 1) else 0)\n";
    Options options;
    options.record_steps = false;
    options.record_curves = false;
    Result r = run(body + "show wrong", static_cast<double>(periods) * length, options);
    ASSERT_EQ(r.simulation->outcome().ending, Ending::Finished);
    EXPECT_EQ(r.rows().value(r.rows().size() - 1, 0)->finite, 0) << body;
    edges += parts * periods;
  }
}

// Error of the event time against the tolerance of the solver, for x = cos t.
TEST(Events, TimesFollowTheTolerance) {
  double last = 1;
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Options options;
    options.relative_tolerance = tolerance;
    options.absolute_tolerance = tolerance / 100;
    Result r =
        run("x = integral(v, 1)\nv = integral(-x, 0)\n" + flag("F", "x <= 0", ""), 40, options);
    ASSERT_EQ(r.moves("F").size(), 1u);
    const double error = std::abs(r.moves("F")[0] - std::numbers::pi / 2);
    EXPECT_LT(error, 10 * tolerance);
    EXPECT_LE(error, last);
    last = error + 1e-15;
  }
}

TEST(Events, AModeCycleIsReportedWithItsCycle) {
  Result r = run(flag("F", "time >= 0.5", "time >= 0.5"), 1);
  EXPECT_EQ(r.simulation->outcome().ending, Ending::ModelError);
  ASSERT_EQ(r.kind(), "run.mode-cycle");
  const std::string text = r.model->render(r.simulation->outcome().diagnostics[0]);
  EXPECT_NE(text.find("cycle: {F off} → {F on} → {F off}"), std::string::npos) << text;
  EXPECT_GT(r.rows().size(), 0u);  // what was computed is kept
}

TEST(Events, APhysicalCycleIsBounded) {
  Options options;
  options.max_epsilon_steps = 50;
  Result r =
      run("R r(1)\nF -> r\n0 F initially off { off -> on after eps when time >= 0.5"
          " on -> off after eps when time >= 0.5 }\n",
          1, options);
  EXPECT_EQ(r.simulation->outcome().ending, Ending::BoundReached);
  EXPECT_EQ(r.kind(), "run.bound");
}

TEST(Events, ChatteringNamesWhoKeepsMoving) {
  Options options;
  options.max_chatter = 20;
  Result r =
      run("x = integral(if S.on then -1 else 1, 0.5)\n" + flag("S", "x >= 1", "x < 1"), 2, options);
  // At the border each of the two modes is about to leave itself.
  ASSERT_EQ(r.kind(), "run.mode-cycle");
  std::string text = r.model->render(r.simulation->outcome().diagnostics[0]);
  EXPECT_NE(text.find("cycle: {S off} → {S on} → {S off}"), std::string::npos) << text;
  // What is no automaton goes on along the border.
  r = run("x = integral(if x < 1 then 1 else -1)\nshow x\n", 2, options);
  EXPECT_TRUE(r.simulation->outcome().finished()) << r.kind();
  EXPECT_NEAR(r.rows().value(r.rows().size() - 1, 0)->finite, 1, 1e-12);
}

// What is near is near as a part of the time, so that the unit of time makes no difference: not to
// events that follow each other, nor to the intervals in which a signal decays.
TEST(Events, FollowEachOtherInAnyUnitOfTime) {
  Options options;
  options.max_chatter = 20;
  for (const char* unit : {"1", "1e-9", "1e-15", "1e-18", "1e12"}) {
    const std::string s = std::string("param s = ") + unit + "\n";
    Result r = run(s + "x = integral(if S.on then -1 / s else 1 / s, 0.2)\n" +
                       flag("S", "x >= 0.9", "x <= 0.1"),
                   50 * std::stod(unit), options);
    EXPECT_TRUE(r.simulation->outcome().finished()) << unit << ": " << r.kind();
    EXPECT_EQ(r.moves("S").size(), 62u) << unit;
    // Intervals that shrink by a quarter, four times: no accumulation.
    std::string roots = "1";
    for (int k = 1; k <= 8; ++k) roots += " * (time / s - (1 - 2^-" + std::to_string(k) + "))";
    r = run(s + "up = rising(1e6 * " + roots + ")\nshow up\n", 2 * std::stod(unit), options);
    EXPECT_TRUE(r.simulation->outcome().finished()) << unit << ": " << r.kind();
  }
}

// A body that is pushed away, comes to rest where it began and is held there: what rounding leaves
// of its momentum is no impulse, since it is nothing against what it had on the way.
TEST(Events, RoundingIsJudgedByWhatLiesBehind) {
  for (const char* unit : {"1", "1e-6", "1e6"}) {
    for (const char* turn : {"1", "0.3", "7"}) {
      Result r = run(std::string("param s = ") + unit + ", T = " + turn + R"(
        I m(1)
        Se push = s * (2 * time - T) / T^2
        Sf wall = 0
        1 v
        push -> v -> m
        0 F initially off { off -> on when time > T / 2 and m.f >= 0 }
        v -> F
        wall -> F
        show m.p, F.e)",
                     10);
      ASSERT_TRUE(r.simulation->outcome().finished()) << r.kind();
      ASSERT_EQ(r.moves("F").size(), 1u);
      for (std::size_t i = 0; i < r.rows().size(); ++i) {
        EXPECT_EQ(r.rows().value(i, 1)->impulse, 0) << unit << " " << turn;
      }
    }
  }
}

// The tangents of f³ and f|f| at 0 are flat, and 1/f has none.
TEST(Laws, AreSolvedFromWhereTheirTangentsAreFlat) {
  Result r = run(R"(
    Se u1 = 8  R r1(law(f) = f^3)  u1 -> r1
    Se u2 = 1e-20  R r2(law(f) = f * abs(f))  u2 -> r2
    Sf s3 = -4e10  R r3(law(e) = e * abs(e))  s3 -> r3
    Se u4 = -0.5  R r4(law(f) = 1 / f)  u4 -> r4
    Se u5 = 5  1 j  R r5(1000), d(law(e) = 1e-12 * (exp(e / 0.025) - 1))  u5 -> j -> r5  j -> d
    show r1.f, r2.f, r3.e, r4.f, j.f)",
                 1);
  ASSERT_TRUE(r.simulation->outcome().finished()) << r.kind();
  const std::size_t last = r.rows().size() - 1;
  EXPECT_NEAR(r.rows().value(last, 0)->finite, 2, 1e-9);
  EXPECT_NEAR(r.rows().value(last, 1)->finite, 1e-10, 1e-19);
  EXPECT_NEAR(r.rows().value(last, 2)->finite, -2e5, 1e-4);
  EXPECT_NEAR(r.rows().value(last, 3)->finite, -2, 1e-9);
  const double i = r.rows().value(last, 4)->finite;
  EXPECT_NEAR(i, 1e-12 * (std::exp((5 - 1000 * i) / 0.025) - 1), 1e-9);
}

// e + f = u with f = √e, whose tangent at 0 is vertical; u passes 0.
TEST(Laws, OfOrificesAreSolvedThroughZero) {
  Options options;
  options.every = 0.01;
  Result r =
      run("Se u = 10 * sin(2 * pi * time)\nR d(law(e) = sign(e) * sqrt(abs(e))), s(1)\n"
          "1 j\nu -> j -> d\nj -> s\nshow j.f, u.e\n",
          2, options);
  ASSERT_TRUE(r.simulation->outcome().finished()) << r.kind();
  ASSERT_GT(r.rows().size(), 200u);
  for (std::size_t row = 0; row < r.rows().size(); ++row) {
    const double f = r.rows().value(row, 0)->finite, e = r.rows().value(row, 1)->finite - f;
    EXPECT_NEAR(f, std::copysign(std::sqrt(std::abs(e)), e), 1e-6);
  }
}

// A slope that is the same on both sides of a leap does not make a law linear.
TEST(Laws, ThatLeapAreNotLinear) {
  Result r = run(R"(
    I m(1, f = 1)  R mu(law(f) = 0.5 * sign(f))  1 v  v -> m  v -> mu
    Sf s = 2  R d(law(f) = if f > 1 then f + 3 else f)  s -> d
    C c(law(q) = if q >= 1 then 2 else -1, q = 1.5)  I w(1)  1 u  u -> c  u -> w
    show v.f, d.e, c.e, w.f)",
                 0.5);
  ASSERT_TRUE(r.simulation->outcome().finished()) << r.kind();
  const std::size_t last = r.rows().size() - 1;
  EXPECT_NEAR(r.rows().value(last, 0)->finite, 0.75, 1e-9);
  EXPECT_NEAR(r.rows().value(last, 1)->finite, 5, 1e-9);
  EXPECT_NEAR(r.rows().value(last, 2)->finite, 2, 1e-9);
  EXPECT_NEAR(r.rows().value(last, 3)->finite, -1, 1e-9);
}

TEST(Laws, WithoutASolutionAreNamedWithTheValue) {
  const auto said = [](const std::string& body) {
    Result r = run(body, 1);
    EXPECT_EQ(r.simulation->outcome().ending, Ending::ModelError) << body;
    const auto& found = r.simulation->outcome().diagnostics;
    return found.empty() ? std::string() : found[0].kind + ": " + found[0].message;
  };
  EXPECT_EQ(said("Se u = -1\nR r(law(f) = exp(f))\nu -> r\n"),
            "mode.law-unmet: the law of r has no solution for e = -1 at ⟨1, 0⟩");
  EXPECT_EQ(said("Sf s = 0\nR r(law(f) = log(f))\ns -> r\n"),
            "mode.law-unmet: the law of r has no value at f = 0 at ⟨1, 0⟩");
}

TEST(Impulses, NoResistorTakesOne) {
  const auto said = [](const std::string& body) {
    Result r = run(body, 1);
    const auto& found = r.simulation->outcome().diagnostics;
    return found.empty() ? std::string() : r.model->render(found[0]);
  };
  std::string text = said("Se u = omega\nR r(1)\nu -> r\n");
  EXPECT_NE(text.find("error[mode.impulse-on-resistor]: an impulse is forced upon resistor r"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("its effort would have weight 1"), std::string::npos) << text;
  EXPECT_NE(text.find("u has an impulse of weight 1"), std::string::npos) << text;
  // In series with a capacitor the resistor still has to take it, and nonlinear ones as well.
  EXPECT_NE(said("Se u = if time >= 0.5 then 0 else 2 * omega\nR r(1)\nC c(1)\n1 j\n"
                 "u -> j -> r\nj -> c\n"),
            "");
  EXPECT_NE(said("Sf s = 3 * omega\nR r(law(f) = f^3)\ns -> r\n"), "");
  // An inertia in series takes the effort, a capacitor in parallel the flow.
  EXPECT_EQ(said("Se u = if time > 0 then 0 else omega\nR r(1)\nI m(1)\n1 j\n"
                 "u -> j -> r\nj -> m\n"),
            "");
  EXPECT_EQ(said("Sf s = if time > 0 then 0 else omega\nR r(law(f) = f^3 + f)\nC c(1)\n0 j\n"
                 "s -> j -> r\nj -> c\n"),
            "");
}

// A source that reads an automaton, or a clock, works with its old value up to the event.
TEST(Audit, BooksStepsOfSourcesOnTheRightSide) {
  const std::string circuit = "C c(1)\nR r(1)\n1 j\nu -> j -> r\nj -> c\n";
  for (const std::string source :
       {"if H.on then 2 else 0", "sawtooth(0.7)", "count(0.7) * 0.5",
        "if pulse(0.7, 0.3) then 1 else 0", "if time >= 1.1 then 1 else 0"}) {
    Result r = run("Se u = " + source + "\n" + circuit + flag("H", "c.e <= 0.5", "c.e >= 1.5"), 10);
    ASSERT_TRUE(r.simulation->outcome().finished()) << source;
    EXPECT_GT(r.simulation->audit().delivered, 0.1) << source;
    EXPECT_NEAR(r.simulation->audit().residual, 0, 1e-7) << source;
  }
}

// Between instants pre(z) is what it was at the last one, also where only a column reads it.
TEST(Events, AShownPreIsKeptWhileTimeFlows) {
  Result r =
      run("z = integral(2)\nw = pre(z)\ny = integral(if time >= 0.5 then 1 else 0)\nshow w\n", 1);
  const std::size_t last = r.rows().size() - 1;
  EXPECT_EQ(r.rows().instant(last).t, 1);
  EXPECT_NEAR(r.rows().value(last, 0)->finite, 1, 1e-12);
}

TEST(Values, ThatAreNoNumbersAreReportedOnce) {
  Result r = run("x = sqrt(1 - time)\ny = x + 1\nz = time\nshow x, y, z\n", 2);
  EXPECT_TRUE(r.simulation->outcome().finished());
  const auto& found = r.simulation->outcome().diagnostics;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, "value.undefined");
  EXPECT_EQ(found[0].severity, Severity::Warning);
  EXPECT_EQ(found[0].message, "x is not a number at ⟨2, 0⟩");
  EXPECT_EQ(found[1].message, "y is not a number at ⟨2, 0⟩");
}

// A source that reads its own bond graph is solved with it, if that has one solution.
TEST(Loops, OfASourceThroughItsOwnBondAreSolved) {
  for (const char* body :
       {"Se u = r.f\nR r(1)\nu -> r\n", "Se u = r.f\nR r(1)\nu -> r\nshow r.e\n"}) {
    EXPECT_EQ(run(body, 1).kind(), "mode.undecided") << body;
  }
  Result r =
      run("Se u = -0.5 * j.f\nR r(1)\nI m(1)\nSf w = r.e\n1 j\n0 n\nu -> j -> r\n"
          "w -> n -> m\nj -> n\nshow m.f\n",
          1);
  EXPECT_EQ(r.kind(), "");
}

// h = (1 − t/2)² drains to 0 at t = 2. A step beyond that has no rate and is cut, to the last.
TEST(Solver, StepsThatOvershootAreCutAndTheLastStateIsRecorded) {
  for (const SolverKind solver : {SolverKind::Explicit, SolverKind::Stiff}) {
    Options options;
    options.solver = solver;
    options.record_steps = false;
    Result r = run("h = integral(-sqrt(h), 1)\nshow h\n", 3, options);
    EXPECT_EQ(r.simulation->outcome().ending, Ending::SolverFailure);
    EXPECT_EQ(r.kind(), "run.solver");
    const std::size_t last = r.rows().size() - 1;
    EXPECT_NEAR(r.rows().instant(last).t, 2, 1e-6);
    EXPECT_EQ(r.rows().instant(last).t, r.simulation->outcome().at.t);
    EXPECT_NEAR(r.rows().value(last, 0)->finite, 0, 1e-9);
  }
}

TEST(Events, AnOpenChoiceIsAnErrorAndPriorityResolvesIt) {
  const std::string begin = "R r(1)\nF -> r\n0 F initially a { active b, c inactive a a -> b ";
  Result open = run(begin + "when time >= 1 a -> c when time >= 1 }", 2);
  EXPECT_EQ(open.kind(), "choice.open");
  Result closed = run(begin + "priority 2 when time >= 1 a -> c priority 1 when time >= 1 }", 2);
  EXPECT_TRUE(closed.simulation->outcome().finished());
  EXPECT_EQ(closed.rows().mode(closed.rows().size() - 1, 0), "c");
}

// Of a conjunction only one comparison is watched at a time; a disjunction hides it from that. Two
// oscillators that know nothing of each other, kicked by a third, so that what was found ahead of
// time has to be found again.
TEST(Events, ConjunctionsAreFoundAsIfAllWereWatched) {
  std::mt19937 random(7);
  std::size_t found = 0;
  const auto number = [&](double low, double high) {
    return std::to_string(low + (high - low) * static_cast<double>(random() % 1000) / 1000);
  };
  for (int trial = 0; trial < (kSanitized ? 9 : 60); ++trial) {
    const std::string a = number(-1, 1), b = number(-1, 1), c = number(-1, 1);
    const std::string guards[] = {"x < " + a + " and y >= " + b,
                                  "v > " + a + " and x < " + b + " and w <= " + c,
                                  "y >= " + a + " and x < " + b + " and w <= " + c};
    const std::string ends[] = {"x >= " + a, "v <= " + a, "y < " + a};
    const std::string guard = guards[trial % 3], end = ends[trial % 3] + " and w < 0.9";
    // One after the other, so that every compiler makes the same models.
    const std::string period = number(0.5, 2), first = number(0.5, 9), second = number(0.5, 9);
    const std::string body = "kick = clock(" + period + ")\n" +                               //
                             "v = integral(-" + first + " * x, 0.9)\nx = integral(v, 0)\n" +  //
                             "w = integral(-" + second +
                             " * y, 0, delay(sample(-2 * w, kick)))\n" +  //
                             "y = integral(w, 1)\n";
    const auto moves = [&](const std::string& hidden) {
      Result r = run(body + flag("F", "(" + guard + ")" + hidden, "(" + end + ")" + hidden), 30);
      EXPECT_TRUE(r.simulation->outcome().finished()) << body << guard;
      return r.moves("F");
    };
    const std::vector<double> all = moves(" or time < -1"), one = moves("");
    found += all.size();
    ASSERT_EQ(all.size(), one.size()) << body << guard;
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], one[i], 1e-9) << body << guard;
  }
  EXPECT_GT(found, kSanitized ? 40u : 300u);
}

TEST(Events, ABallDoesNotFallThroughTheFloor) {
  Model model = Model::load_text("ball.cradle", R"(
model Ball {
  I ball(1, f = 0)
  Se weight = -9.8
  Sf bounce = 0.5 * pre(v.f)
  1 v
  v -> ball
  weight -> v
  x = integral(v.f, 10)
  0 floor initially off {
    off -> on after eps when x <= 0 and v.f < 0
    on -> off after eps when v.f >= 0
  }
  v -> floor
  bounce -> floor
  show x, v.f
}
)");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.until = 20;
  Simulation simulation(model, options);
  const Outcome& outcome = simulation.run();
  // At rest `v.f >= 0` holds, so that this contact never stays closed.
  EXPECT_EQ(outcome.ending, Ending::BoundReached);
  EXPECT_EQ(outcome.diagnostics.at(0).kind, "run.bound");
  const Trajectory& rows = simulation.trajectory();
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_GT(rows.value(i, 0)->finite, -1e-9);
}

// Flights that become shorter than the distance between two numbers for time: the ball of contacts
// comes to rest; the ball of impulses goes on bouncing there, and the run ends with a diagnosis.
TEST(Events, ABallThatHardlyBouncesStaysOnTheFloor) {
  const struct {
    const char *path, *restitution, *height;
  } models[] = {{"mechanics/bouncing_ball.cradle", "restitution", "y"},
                {"lee/bouncing_ball.cradle", "e", "ball.x"}};
  for (const auto& [path, name, height] : models) {
    for (double e : {1e-2, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12, 1e-15}) {
      Model model = Model::load(std::string(CRADLE_ROOT) + "/models/" + path, {{name, e}});
      ASSERT_TRUE(model.ok()) << model.diagnostics_text();
      for (double until : {1.5, 3.0, 13.0, 100.0}) {
        Options options;
        options.until = until;
        options.max_chatter = 100;
        Simulation simulation(model, options);
        const Outcome& outcome = simulation.run();
        const bool rests = std::string(path) == "mechanics/bouncing_ball.cradle";
        if (rests) {
          EXPECT_EQ(outcome.ending, Ending::Finished) << e << " " << until;
        } else {
          EXPECT_TRUE(outcome.ending == Ending::Accumulation ||
                      outcome.ending == Ending::BoundReached)
              << path << " " << e << " " << until;
          EXPECT_FALSE(outcome.diagnostics.empty());
          EXPECT_NEAR(outcome.at.t, 10.0 / 7 * (1 + e) / (1 - e), 1e-7);
        }
        const Trajectory& rows = simulation.trajectory();
        const std::size_t y = *rows.find_column(height);
        const double least = rests ? -1e-11 : -1e-14;  // rounding of 10 m and 14 m/s over the run
        for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_GT(rows.value(i, y)->finite, least);
      }
    }
  }
}

}  // namespace
}  // namespace cradle
