// A run between its rows: what a trajectory says at any time is what the run would have recorded
// there, extremes can be read off the default rows, and looking on changes nothing.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

Model load(const std::string& path) { return Model::load(std::string(CRADLE_ROOT) + "/" + path); }

double largest(const Trajectory& rows, std::size_t column) {
  double largest = 0;
  for (double y : rows.values(column)) {
    if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
  }
  return largest;
}

// sample(grid) against a run that records the grid.
void expect_same_between_rows(const Model& model, double until, double every) {
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.until = until;
  Simulation plain(model, options);
  plain.run();
  options.every = every;
  options.record_curves = false;
  Simulation asked(model, options);
  asked.run();
  EXPECT_EQ(plain.statistics(), asked.statistics());
  const Trajectory &a = plain.trajectory(), &b = asked.trajectory();
  EXPECT_GT(a.stretches(), 0u);
  std::size_t compared = 0;
  for (std::size_t row = 0; row < b.size(); ++row) {
    const double t = b.instant(row).t;
    if (b.kind(row) != RowKind::Evolving || t != std::round(t / every) * every) continue;
    for (std::size_t c = 0; c < b.columns().size(); ++c) {
      const auto here = a.value_at(t, c);
      const auto there = b.value(row, c);
      ASSERT_EQ(here.has_value(), there.has_value()) << model.name() << ' ' << b.columns()[c];
      if (!here || !std::isfinite(there->finite)) continue;
      ASSERT_NEAR(*here, there->finite, 1e-7 * largest(b, c) + 1e-14)
          << model.name() << ' ' << b.columns()[c] << " at " << t;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10u) << model.name();
}

TEST(Dense, SamplesOfModelsAreWhatAGridRecords) {
  for (const char* path :
       {"models/circuits/buck.cradle", "models/circuits/flyback.cradle",
        "models/circuits/rectifier.cradle", "models/circuits/bridge.cradle",
        "models/mechanics/bouncing_ball.cradle", "models/mechanics/stick_slip.cradle",
        "models/mosterman/cradle.cradle"}) {
    const Model model = load(path);
    ASSERT_TRUE(model.ok()) << path;
    const double until = *model.until();
    expect_same_between_rows(model, until, until / 1237);
  }
}

// A ladder of random elements, with a switch that closes and signals of all kinds.
std::string random_ladder(uint32_t seed) {
  std::mt19937 random(seed);
  const auto value = [&] { return std::exp(std::uniform_real_distribution(-1.5, 1.5)(random)); };
  const auto pick = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
  std::string text = "model Ladder {\n";
  const auto line = [&text](const std::string& added) { text += "  " + added + "\n"; };
  const std::string forms[] = {"1", "sin(3 * time)", "abs(sin(2 * time))", "step(1)",
                               "max(cos(time), 0.2)"};
  line("Se s = " + forms[pick(5)]);
  std::string before = "s";
  const int stages = 1 + pick(4);
  for (int i = 0; i < stages; ++i) {
    const std::string n = std::to_string(i);
    const auto number = [&] { return std::to_string(value()); };
    line("1 a" + n);
    line("0 b" + n);
    line("R r" + n + "(" + number() + ")");
    line("C c" + n + "(" + number() + (pick(2) != 0 ? ", q = " + number() : "") + ")");
    line(before + " -> a" + n);
    line("a" + n + " -> r" + n);
    if (pick(2) != 0) {
      line("I l" + n + "(" + number() + ")");
      line("a" + n + " -> l" + n);
    }
    const int between = pick(4);
    if (between == 0) {
      line("TF x" + n + "(" + number() + ")");
      line("a" + n + " -> x" + n + " -> b" + n);
    } else if (between == 1) {
      line("1 S" + n + " initially off { off -> on when time >= " + number() + " }");
      line("a" + n + " -> S" + n + " -> b" + n);
    } else {
      line("a" + n + " -> b" + n);
    }
    line("b" + n + " -> c" + n);
    if (pick(2) != 0) {
      line("R g" + n + "(" + number() + ")");
      line("b" + n + " -> g" + n);
    }
    line("v" + n + " = b" + n + ".e^2 + abs(c" + n + ".e - 0.3)");
    before = "b" + n;
  }
  line("power = s.e * s.f");
  line("until 5");
  return text + "}\n";
}

TEST(Dense, SamplesOfRandomModelsAreWhatAGridRecords) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const std::string text = random_ladder(seed);
    SCOPED_TRACE(text);
    expect_same_between_rows(Model::load_text("ladder.cradle", text), 5, 5.0 / 211);
  }
}

// Sources deliver, stores keep, resistors and switches take; and nobody else.
TEST(Dense, BooksOfRandomModelsBalance) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const std::string text = random_ladder(seed);
    SCOPED_TRACE(text);
    const Model model = Model::load_text("ladder.cradle", text);
    ASSERT_TRUE(model.ok()) << model.diagnostics_text();
    Options options;
    options.record = false;
    Simulation run(model, options);
    ASSERT_TRUE(run.run().finished());
    for (const Diagnostic& d : run.outcome().diagnostics) ADD_FAILURE() << d.kind << d.message;
    const EnergyAudit audit = run.audit();
    double turnover = audit.stored_start + audit.stored_end + audit.dissipated;
    for (const EnergyEntry& entry : audit.entries) {
      turnover += std::abs(entry.flowing) + std::abs(entry.jumping);
      if (entry.kind == EnergyEntry::Kind::Switch) {
        EXPECT_GE(entry.jumping, 0) << entry.name;
      }
      if (entry.kind == EnergyEntry::Kind::Resistor) {
        EXPECT_GE(entry.flowing, 0) << entry.name;
      }
    }
    EXPECT_LE(std::abs(audit.residual), 1e-7 * turnover);
  }
}

struct Extremes {
  double low = HUGE_VAL, high = -HUGE_VAL;
};
Extremes extremes(const Trajectory& rows, const std::string& column, double from = 0) {
  Extremes out;
  const std::size_t c = *rows.find_column(column);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.instant(row).t < from || rows.is_tried(row)) continue;
    if (const auto y = rows.value(row, c)) {
      out.low = std::min(out.low, y->finite);
      out.high = std::max(out.high, y->finite);
    }
  }
  return out;
}

Options with_turns() {
  Options options;
  options.every_turn = true;
  return options;
}

TEST(Dense, RippleOfABuckConverterIsReadOffItsRows) {
  const Model model = load("models/circuits/buck.cradle");
  Simulation run(model, with_turns());
  run.run();
  Options fine;
  fine.every = 1e-5 / 300;
  Simulation reference(model, fine);
  reference.run();
  const Extremes found = extremes(run.trajectory(), "v", 0.009);
  const Extremes right = extremes(reference.trajectory(), "v", 0.009);
  EXPECT_NEAR(found.high - found.low, right.high - right.low, 1e-3 * (right.high - right.low));
  EXPECT_LT(run.row_counts().turns, run.row_counts().events) << "not many more rows";
}

TEST(Dense, ExtremesOfAnOscillatorAreReadOffItsRows) {
  const Model model = Model::load_text("rlc.cradle", R"(
model RLC {
  Se s = 1
  R r(0.2)
  I l(1)
  C c(1)
  1 loop
  s -> loop
  loop -> r
  loop -> l
  loop -> c
  v = c.e
  until 40
  show v
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  for (const SolverKind solver : {SolverKind::Explicit, SolverKind::Stiff}) {
    Options options = with_turns();
    options.solver = solver;
    Simulation run(model, options);
    ASSERT_TRUE(run.run().finished());
    const double decay = 0.1, w = std::sqrt(1 - decay * decay);
    const double seen = 2e-6;  // turns by less than 1e-6 of what the curve spans have no row
    EXPECT_NEAR(extremes(run.trajectory(), "v").high, 1 + std::exp(-decay * M_PI / w), seen);
    EXPECT_NEAR(extremes(run.trajectory(), "v", 1.5 * M_PI / w).low,
                1 - std::exp(-decay * 2 * M_PI / w), seen);
  }
}

TEST(Dense, ExtremesOfAPendulumAreReadOffItsRows) {
  const Model model = Model::load_text("pendulum.cradle", R"(
model Pendulum {
  w = integral(-9.81 * sin(a))
  a = integral(w, 2)
  until 30
  show a, w
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation run(model, with_turns());
  ASSERT_TRUE(run.run().finished());
  const double fastest = std::sqrt(2 * 9.81 * (1 - std::cos(2.0)));
  EXPECT_NEAR(extremes(run.trajectory(), "w").high, fastest, 1e-6);
  EXPECT_NEAR(extremes(run.trajectory(), "w").low, -fastest, 1e-6);
  EXPECT_NEAR(extremes(run.trajectory(), "a").low, -2, 1e-6);
}

// What no solver steps through is followed all the same.
TEST(Dense, ASignalOfTimeAloneIsFollowed) {
  const Model model = Model::load_text("time.cradle", R"(
model Time {
  y = sin(50 * time)
  until 10
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation run(model, with_turns());
  ASSERT_TRUE(run.run().finished());
  EXPECT_NEAR(extremes(run.trajectory(), "y").high, 1, 1e-9);
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.01 * i + 0.003;
    EXPECT_NEAR(*run.trajectory().value_at(t, 0), std::sin(50 * t), 1e-7);
  }
}

TEST(Dense, RowsAtTurnsChangeNoOtherRow) {
  for (const char* path : {"models/circuits/buck.cradle", "models/circuits/rectifier.cradle"}) {
    const Model model = load(path);
    Options bare;
    bare.record_curves = false;
    Simulation plain(model, bare), curious(model, with_turns());
    plain.run();
    curious.run();
    EXPECT_EQ(plain.statistics(), curious.statistics());
    EXPECT_EQ(plain.audit().residual, curious.audit().residual);
    const Trajectory &a = plain.trajectory(), &b = curious.trajectory();
    EXPECT_GT(b.size(), a.size());
    std::size_t next = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
      while (next < b.size() && b.instant(next) < a.instant(row)) ++next;
      ASSERT_LT(next, b.size());
      ASSERT_EQ(a.instant(row), b.instant(next));
      for (std::size_t c = 0; c < a.columns().size(); ++c) {
        ASSERT_EQ(a.value(row, c), b.value(next, c));
      }
    }
  }
}

TEST(Dense, ARunThatIsLoadedGoesOnWithTheSameRows) {
  const Model model = load("models/circuits/buck.cradle");
  Options options = with_turns();
  options.until = 2e-3;
  Simulation whole(model, options), first(model, options), second(model, options);
  whole.run();
  while (first.now().t < 1e-3 && first.advance()) {
  }
  second.load(first.save());
  second.run();
  const Trajectory &a = whole.trajectory(), &b = second.trajectory();
  ASSERT_GT(b.size(), 100u);
  for (std::size_t i = 1; i <= b.size() - 10; ++i) {
    ASSERT_EQ(a.instant(a.size() - i), b.instant(b.size() - i)) << i;
  }
  EXPECT_EQ(whole.row_counts(), second.row_counts());
}

}  // namespace
}  // namespace cradle
