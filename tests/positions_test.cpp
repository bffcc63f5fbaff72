// Positions that constraints bind stay where they are bound, however many steps a run takes; and
// what is bound in velocities alone is left as it is.

#include <gtest/gtest.h>

#include <cmath>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

struct Ran {
  std::vector<std::string> columns;
  std::vector<double> last;
  double operator[](const std::string& name) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == name) return last[i];
    }
    ADD_FAILURE() << "there is no column " << name;
    return NAN;
  }
};

Ran run(const std::string& body, double until, SolverKind solver = SolverKind::Automatic) {
  const Model model = Model::load_text("m.cradle", "model M {\n" + body + "}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.until = until;
  options.solver = solver;
  Simulation simulation(model, options);
  EXPECT_TRUE(simulation.run().finished());
  const Trajectory& rows = simulation.trajectory();
  Ran out{rows.columns(), {}};
  for (std::size_t c = 0; c < out.columns.size(); ++c) {
    out.last.push_back(rows.value(rows.size() - 1, c).value_or(Number{}).finite);
  }
  return out;
}

// Where the end of a rod of length 1 stands, as it is written in a model; and the length that this
// makes.
std::string sine(double angle) { return std::to_string(std::sin(angle)); }
std::string cosine(double angle) { return std::to_string(-std::cos(angle)); }
double length(double angle) { return std::hypot(std::stod(sine(angle)), std::stod(cosine(angle))); }

// A weight at this angle, in this unit. `n`: added to its names.
std::string weight(const std::string& n, double angle, const std::string& unit) {
  return "I mx" + n + "(1), my" + n + "(1)\n1 vx" + n + ", vy" + n + "\nvx" + n + " -> mx" + n +
         "\nvy" + n + " -> my" + n + "\nSe w" + n + " = -9.81\nw" + n + " -> vy" + n + "\nx" + n +
         " = integral(vx" + n + ".f, " + unit + " * " + sine(angle) + ")\ny" + n +
         " = integral(vy" + n + ".f, " + unit + " * " + cosine(angle) + ")\n";
}

const std::string kRod =
    "r = hypot(x, y)\nTF tx(x / r), ty(y / r)\n0 rod\nvx -> tx -> rod\nvy -> ty -> rod\n"
    "Sf fixed = 0\nrod -> fixed\nE = (vx.f^2 + vy.f^2) / 2 + 9.81 * y\nshow r, E\n";

// To what one step leaves of it: the row at the end lies within a step.
TEST(Positions, ARodKeepsItsLength) {
  for (const double angle : {1.0, 2.8}) {
    const Ran ran = run(weight("", angle, "1") + kRod, 100);
    EXPECT_NEAR(ran["r"], length(angle), 1e-10) << angle;
    EXPECT_NEAR(ran["E"], 9.81 * std::stod(cosine(angle)), 1e-5) << angle;
  }
}

// Whatever its unit, and whatever M is made of: here without a square root.
TEST(Positions, ARodKeepsItsLengthInEveryUnit) {
  for (const char* unit : {"1e-6", "1e6"}) {
    std::string body = weight("", 1, unit);
    body += "r = hypot(x, y) / " + std::string(unit) + "\nTF tx(x / " + unit + "), ty(y / " + unit +
            ")\n0 rod\nvx -> tx -> rod\nvy -> ty -> rod\nSf fixed = 0\nrod -> fixed\nshow r\n";
    const double period = std::sqrt(std::stod(unit));
    EXPECT_NEAR(run(body, 30 * period)["r"], length(1), 1e-10) << unit;
  }
}

TEST(Positions, TheImplicitSolverStaysNear) {
  EXPECT_NEAR(run(weight("", 1, "1") + kRod, 50, SolverKind::Stiff)["r"], length(1), 5e-7);
}

// Instants in between, at which it is kicked.
TEST(Positions, ARodThatIsKickedKeepsItsLength) {
  const std::string body =
      weight("", 1, "1") + kRod + "Se kick = sample(0.3, clock(0.37)) * omega\nkick -> vx\n";
  EXPECT_NEAR(run(body, 50)["r"], length(1), 1e-10);
}

// Two rods, one hanging on the other: two constraints in one island.
TEST(Positions, BothRodsOfADoublePendulumKeepTheirLengths) {
  const std::string body = weight("1", 1, "1") + weight("2", 1, "2") +
                           R"(
dx = x2 - x1
dy = y2 - y1
TF ax(x1), ay(y1), bx(dx), by(dy), cx(-dx), cy(-dy)
0 first, second
vx1 -> ax -> first
vy1 -> ay -> first
Sf f1 = 0, f2 = 0
first -> f1
vx2 -> bx -> second
vy2 -> by -> second
vx1 -> cx -> second
vy1 -> cy -> second
second -> f2
r1 = hypot(x1, y1)
r2 = hypot(dx, dy)
show r1, r2
)";
  const Ran ran = run(body, 30);
  EXPECT_NEAR(ran["r1"], length(1), 1e-10);
  EXPECT_NEAR(ran["r2"], length(1), 1e-10);
}

// A skate: c = (sin θ, −cos θ) is no gradient, so positions are free. Pushed once and turning at a
// constant rate it runs in a circle.
TEST(Positions, WhatBindsVelocitiesAloneLeavesPositionsFree) {
  const std::string body = R"(
I mx(1, f = 1), my(1), rotor(1, f = 2)
1 vx, vy, w
vx -> mx
vy -> my
w -> rotor
x = integral(vx.f, 0)
y = integral(vy.f, -0.5)
a = integral(w.f, 0)
TF sx(sin(a)), sy(-cos(a))
0 blade
vx -> sx -> blade
vy -> sy -> blade
Sf edge = 0
blade -> edge
r = hypot(x, y)
side = sin(a) * vx.f - cos(a) * vy.f
show r, side, x, y
)";
  const Ran ran = run(body, 20);
  EXPECT_NEAR(ran["x"], 0.5 * std::sin(40), 1e-6);
  EXPECT_NEAR(ran["y"], -0.5 * std::cos(40), 1e-6);
  EXPECT_NEAR(ran["side"], 0, 1e-6);
}

}  // namespace
}  // namespace cradle
