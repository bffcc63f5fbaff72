// What is solved together (semantics, section 6.3), and that nothing depends on what is recorded:
// whatever is selected, and whether rows are taken on a grid or not, the run is the same.

#include <gtest/gtest.h>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

struct Case {
  const char* text;
  std::vector<std::string> names;
};

// Moduli of positions that are integrated from the island's own flows, sources and laws that read
// its efforts, directly and through signals.
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"I a(1, f = 1), b(1)\n1 w, v\nw -> a\nth = integral(w.f)\nTF t(1 + th)\nw -> t -> v -> b\n",
       {"th", "v.f", "w.f", "a.e"}},
      {"I mx(1), my(1)\n1 vx, vy\nvx -> mx\nvy -> my\nSe w = -9.81\nw -> vy\n"
       "x = integral(vx.f, 1)\ny = integral(vy.f)\nTF tx(x), ty(y)\n0 rod\n"
       "vx -> tx -> rod\nvy -> ty -> rod\nSf fixed = 0\nrod -> fixed\n"
       "s = vx.f + vy.f\nE = vx.f^2 / 2 + vy.f^2 / 2 + 9.81 * y\n",
       {"x", "s", "E", "rod.e", "vx.f", "mx.p"}},
      {"I rotor(1, f = 2), slider(3)\n1 w, v\nangle = integral(w.f)\nTF crank(1.5 + cos(angle))\n"
       "w -> rotor\nw -> crank -> v\nv -> slider\npower = v.f * slider.e\n",
       {"w.f", "angle", "power", "v.f"}},
      {"C c(1, q = 2)\nI m(1)\nR r(1)\n1 j\nj -> c\nj -> m\nj -> r\nSe u = -0.5 * drop\n"
       "drop = r.e + lag\nlag = 0.25 * m.e\nu -> j\n",
       {"drop", "lag", "m.f", "u.e", "c.q"}},
      {"C c(1, q = 2)\nR r(law(f) = f + 0.1 * drop^2)\nR q(1)\n1 j\nj -> c\nj -> r\nj -> q\n"
       "drop = q.e\n",
       {"drop", "r.e", "c.e", "j.f"}},
      {"I m(1, p = 1)\nR r(1)\nSe s = 0.5 * pre(m.f)\n1 j\nj -> m\nj -> r\ns -> j\n"
       "y = if time >= 0.5 then 1 else 0\n",
       {"m.p", "y", "s.e"}},
  };
  return kCases;
}

Trajectory run(const Case& c, const std::vector<std::string>& names, SolverKind solver,
               double every) {
  std::string show;
  for (const std::string& name : names) show += (show.empty() ? "show " : ", ") + name;
  const Model model =
      Model::load_text("t.cradle", std::string("model T {\n") + c.text + show + "\nuntil 1\n}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.solver = solver;
  options.every = every;
  Simulation simulation(model, options);
  simulation.run();
  EXPECT_TRUE(simulation.outcome().finished())
      << c.text << show << '\n'
      << (simulation.outcome().diagnostics.empty() ? ""
                                                   : simulation.outcome().diagnostics[0].message);
  return simulation.trajectory();
}

// Every row of `some` is in `all`, with the same values to the bit.
void expect_same(const Trajectory& all, const Trajectory& some, const Case& c) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    while (at < all.size() && all.instant(at) < some.instant(i)) ++at;
    if (at == all.size() || all.instant(at) != some.instant(i)) continue;  // of its own grid
    for (std::size_t column = 0; column < some.columns().size(); ++column) {
      const std::string& name = some.columns()[column];
      const auto there = all.find_column(name);
      if (!there) continue;  // the impulse of a column, where it is shown only there
      EXPECT_EQ(all.value(at, *there), some.value(i, column))
          << c.text << name << " at " << some.instant(i).t;
    }
  }
  EXPECT_EQ(all.instant(all.size() - 1), some.instant(some.size() - 1));
}

TEST(Together, EverySelectionGivesTheSameRun) {
  for (const SolverKind solver : {SolverKind::Automatic, SolverKind::Stiff}) {
    for (const Case& c : cases()) {
      const Trajectory all = run(c, c.names, solver, 0);
      for (const std::string& name : c.names) {
        expect_same(all, run(c, {name}, solver, 0), c);
        expect_same(all, run(c, {name}, solver, 0.037), c);
      }
      std::vector<std::string> reversed(c.names.rbegin(), c.names.rend());
      expect_same(all, run(c, reversed, solver, 0), c);
    }
  }
}

double first_value(const std::string& body, const std::string& name) {
  const Model model =
      Model::load_text("t.cradle", "model T {\n" + body + "\nshow " + name + "\nuntil 0.01\n}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation simulation(model, {});
  simulation.run();
  EXPECT_TRUE(simulation.outcome().finished()) << simulation.outcome().diagnostics[0].message;
  return simulation.trajectory().value(0, 0)->finite;
}

std::string said(const std::string& body) {
  const Model model = Model::load_text("t.cradle", "model T {\n" + body + "\nuntil 1\n}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation simulation(model, {});
  simulation.run();
  const auto& found = simulation.outcome().diagnostics;
  return found.empty() ? "" : found[0].kind;
}

TEST(Together, NoSolutionOrMoreThanOneIsTold) {
  EXPECT_EQ(said("Se u = r.f\nR r(1)\nu -> r\nshow r.f\n"), "mode.undecided");
  EXPECT_EQ(said("Se u = r.f^2 + 1\nR r(law(f) = f)\nu -> r\nshow r.f\n"), "mode.undecided");
  EXPECT_EQ(said("Se u = 0.5 * r.f^2 + 0.3\nR r(1)\nu -> r\nshow r.f\n"), "");
}

// Two circuits without a common bond: i = (10 − k w)/2, w = k i/3 with k = 2, hence 6 i = 30 − 4 i.
TEST(Together, PartsThatNoBondJoinsAreSolvedTogether) {
  const std::string body =
      "param k = 2\nSe v = 10, back = -drag\ndrag = k * w.f\nR coil(2)\n1 i\nv -> i\n"
      "back -> i\ni -> coil\nSe torque = k * i.f\nR load(3)\n1 w\ntorque -> w -> load\n";
  EXPECT_NEAR(first_value(body, "i.f"), 3, 1e-13);
  EXPECT_NEAR(first_value(body, "w.f"), 2, 1e-13);
  EXPECT_NEAR(first_value(body, "drag"), 4, 1e-13);
}

// Signals that need each other are no matter of a bond graph.
TEST(Together, LoopsOfSignalsStayNonconstructive) {
  EXPECT_EQ(said("R r(1)\nSe s = 1\ns -> r\na = b + r.f\nb = 0.5 * a\nshow a\n"),
            "constructive.loop");
}

// v = n w with n = 1 + T/10 and both velocities known: T = 10 (v/w − 1).
TEST(Together, AModulusThatReadsAnEffortDeterminesIt) {
  EXPECT_NEAR(first_value("I a(1, f = 1), b(1, f = 1.2)\n1 w, v\nw -> a\nTF t(1 + 0.1 * b.e)\n"
                          "w -> t -> v -> b\n",
                          "b.e"),
              2, 1e-12);
}

TEST(Together, RatesThatReadTheIslandAreSolvedWithIt) {
  // b moves with (j.f)², j.f being the flow of a: ḃ = 2 a ȧ, and nothing acts back on a.
  const std::string body =
      "I a(1, f = 2)\nR r(1)\n1 j\nj -> a\nj -> r\n"
      "I b(3, f = 4)\nSf s = (j.f)^2\n1 k\ns -> k -> b\n";
  EXPECT_NEAR(first_value(body, "b.e"), 3 * 2 * 2 * -2.0, 1e-9);
}

}  // namespace
}  // namespace cradle
