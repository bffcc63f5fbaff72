// Islands beyond the size up to which efforts and flows are rows, and systems beyond that up to
// which Jacobians are dense, against closed forms and a second method.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

std::string line(int n, const std::string& resistor) {
  const std::string pieces = std::to_string(n);
  return R"(
model Line {
  param N = )" +
         pieces + R"(
  Se u = 1
  0 n[0]
  u -> n[0]
  for i in 1..N {
    1 s[i]
    0 n[i]
    R r[i]()" +
         resistor + R"()
    C c[i](1 / N)
    n[i - 1] -> s[i] -> n[i]
    s[i] -> r[i]
    n[i] -> c[i]
  }
  until 0.3
  show n[1].e, n[N].e
})";
}

struct Ends {
  double first, last;
};

Ends run(const std::string& text, int n, SolverKind solver) {
  const Model model = Model::load_text("line.cradle", text);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.solver = solver;
  Simulation simulation(model, options);
  EXPECT_TRUE(simulation.run().finished());
  EXPECT_TRUE(simulation.outcome().diagnostics.empty());
  const auto value = [&](int i) {
    return simulation.value("n[" + std::to_string(i) + "].e").value().finite;
  };
  return {value(1), value(n)};
}

// Modes sin((2k − 1) i π/(2n + 1)) with rates −4 n² sin²((2k − 1) π/(4n + 2)).
double closed_form(int n, int i, double t) {
  double sum = 1;
  for (int k = 1; k <= n; ++k) {
    const double angle = (2 * k - 1) * std::numbers::pi / (2 * n + 1);
    const double half = std::sin(angle / 2);
    sum -= 2.0 / (2 * n + 1) / std::tan(angle / 2) * std::sin(angle * i) *
           std::exp(-4.0 * n * n * half * half * t);
  }
  return sum;
}

// Below and above 128 bonds, and 200 states.
TEST(Large, LinearLinesFollowTheirClosedForm) {
  for (const int n : {20, 31, 33, 150, 199, 201, 220, 1000}) {
    const Ends ends = run(line(n, "1 / N"), n, SolverKind::Automatic);
    EXPECT_NEAR(ends.first, closed_form(n, 1, 0.3), 3e-8) << n;
    EXPECT_NEAR(ends.last, closed_form(n, n, 0.3), 3e-8) << n;
  }
}

TEST(Large, LinesThatBendAreTheSameWithEachSolver) {
  for (const int n : {20, 40, 60}) {
    const std::string text = line(n, "law(e) = N * (e + e * e * e)");
    const Ends by_steps = run(text, n, SolverKind::Explicit);
    const Ends stiff = run(text, n, SolverKind::Stiff);
    const Ends chosen = run(text, n, SolverKind::Automatic);
    EXPECT_NEAR(stiff.first, by_steps.first, 3e-8) << n;
    EXPECT_NEAR(stiff.last, by_steps.last, 3e-8) << n;
    EXPECT_NEAR(chosen.first, by_steps.first, 3e-8) << n;
    EXPECT_NEAR(chosen.last, by_steps.last, 3e-8) << n;
  }
}

// What rounding of the sum of many capacitors leaves of a loop of few is no jump there.
TEST(Large, MultipliersOfManyStagesDoNotCycle) {
  struct Multiplier {
    int stages;
    double V, f, C, Rl, until;
  };
  for (const Multiplier& m : {Multiplier{13, 12.8876, 57854.5, 1.58545e-7, 115541, 1e-4},
                              Multiplier{16, 163.209, 8782.47, 6.99417e-12, 7.37154e7, 1.8e-3},
                              Multiplier{14, 72.3609, 6851.54, 1.83019e-6, 7354.18, 4e-4}}) {
    SCOPED_TRACE(m.stages);
    const auto at_end = [&](SolverKind solver) {
      const Model model =
          Model::load(std::string(CRADLE_ROOT) + "/tests/cases/circuits/cw.cradle",
                      {{"N", double(m.stages)}, {"V", m.V}, {"f", m.f}, {"C", m.C}, {"Rl", m.Rl}});
      EXPECT_TRUE(model.ok()) << model.diagnostics_text();
      Options options;
      options.solver = solver;
      options.until = m.until;
      Simulation simulation(model, options);
      EXPECT_TRUE(simulation.run().finished());
      for (const Diagnostic& d : simulation.outcome().diagnostics) ADD_FAILURE() << d.message;
      return simulation.value("v").value().finite;
    };
    const double exact = at_end(SolverKind::Automatic);
    EXPECT_NEAR(at_end(SolverKind::Explicit), exact, 1e-8 * exact);
  }
}

}  // namespace
}  // namespace cradle
