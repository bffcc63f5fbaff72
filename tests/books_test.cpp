// The energy audit in terms that a person believes, on small models with closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "cradle/cradle.hpp"

namespace cradle {
namespace {

Simulation run(const std::string& text, Options options = {}) {
  const Model model = Model::load_text("books.cradle", text);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  options.record = false;
  Simulation simulation(model, options);
  EXPECT_TRUE(simulation.run().finished());
  return simulation;
}

EnergyEntry entry(const EnergyAudit& audit, const std::string& name) {
  for (const EnergyEntry& entry : audit.entries) {
    if (entry.name == name) return entry;
  }
  ADD_FAILURE() << "no entry " << name;
  return {};
}

std::vector<std::string> warnings(const Simulation& run) {
  std::vector<std::string> out;
  for (const Diagnostic& d : run.outcome().diagnostics) out.push_back(d.kind);
  return out;
}

// No state feels the source, so no step resolves it.
TEST(Books, AFastSourceIsIntegratedToTheTolerance) {
  const EnergyAudit audit = run(R"(
model G {
  Se s = cos(100 * time)
  R r(1)
  C c(1, q = 1)
  Sf z = 0
  0 n
  1 m
  s -> n
  n -> r
  n -> m
  m -> c
  z -> m
  until 20
})")
                                .audit();
  const double right = 10 + std::sin(4000.0) / 400;
  EXPECT_NEAR(audit.delivered, right, 1e-8);
  EXPECT_NEAR(audit.dissipated, right, 1e-8);
}

TEST(Books, APowerWithAKinkIsIntegratedToTheTolerance) {
  const EnergyAudit audit = run(R"(
model K {
  Sf s = max(sin(time), 0)
  R r(2)
  s -> r
  until 6.283185307179586
})")
                                .audit();
  EXPECT_NEAR(audit.dissipated, M_PI, 1e-8);
}

constexpr const char* kSmallResistor = R"(
model K {
  param r0 = 1
  C c(1, q = 0)
  R r(r0)
  Se u = time
  1 loop
  u -> loop
  loop -> c
  loop -> r
  until 3
})";

TEST(Books, WhatTheToleranceDoesNotExplainIsAWarning) {
  Model model = Model::load_text("small.cradle", kSmallResistor);
  for (const double r : {1.0, 1e-6, 1e-12, 1e-16}) {
    model.set("r0", r);
    Options options;
    options.record = false;
    Simulation simulation(model, options);
    ASSERT_TRUE(simulation.run().finished());
    const double residual = simulation.audit().residual;
    EXPECT_TRUE(std::isfinite(residual));
    const auto told = warnings(simulation);
    const bool warned = told == std::vector<std::string>{"energy.unaccounted"};
    EXPECT_TRUE(warned || told.empty());
    EXPECT_TRUE(warned || std::abs(residual) < 1e-5) << r << ": " << residual;
    if (r >= 1e-6) {
      EXPECT_FALSE(warned) << r;
    }
  }
}

// A ball between walls, one of which moves: each bounce is elastic, and only the wall does work.
TEST(Books, AnElasticBounceLosesNothing) {
  const Simulation simulation = run(R"(
import "std/mechanical/contact.cradle"
model Fermi {
  param A = 0.1, W = 5
  I ball(1, f = 0.7)
  1 v
  v -> ball
  x = integral(v.f, 0.5)
  xw = 1 + A * sin(W * time)
  Sf fixed = 0
  Sf moving = A * W * cos(W * time)
  Contact left(1, gap = x), right(1, gap = xw - x)
  fixed -> left.a
  left.b -> v
  v -> right.a
  right.b -> moving
  until 50
})");
  EXPECT_TRUE(warnings(simulation).empty());
  const EnergyAudit audit = simulation.audit();
  EXPECT_NEAR(audit.dissipated_by_switching, 0, 1e-10);
  EXPECT_NEAR(entry(audit, "moving").jumping, audit.stored_end - audit.stored_start, 1e-9);
  EXPECT_EQ(entry(audit, "left.impact").jumping, 0);
  EXPECT_EQ(entry(audit, "right.impact").jumping, 0);
}

// Two equal bodies, one at rest: (1 − e²) / 2 of the relative energy.
TEST(Books, APartlyElasticImpactIsBookedNet) {
  const EnergyAudit audit = run(R"(
import "std/mechanical/contact.cradle"
model Impact {
  I a(1, f = 2), b(1)
  1 va, vb
  va -> a
  vb -> b
  gap = integral(vb.f - va.f, 1)
  Contact c(0.5, gap = gap)
  va -> c.a
  c.b -> vb
  until 2
})")
                                .audit();
  EXPECT_NEAR(audit.stored_start, 2, 1e-12);
  EXPECT_NEAR(entry(audit, "c.F").jumping, 0.75, 1e-9);
  EXPECT_EQ(audit.delivered, 0);
}

// A car that takes on sand keeps its momentum: the signal m takes energy out.
TEST(Books, AVaryingLawWorksAndItsSignalIsNamed) {
  const Simulation simulation = run(R"(
model VarMass {
  m = 2 + 0.5 * time
  I car(m, f = 1)
  Se f = 1
  1 v
  f -> v -> car
  until 4
})");
  const EnergyAudit audit = simulation.audit();
  EXPECT_NEAR(audit.stored_start, 1, 1e-12);
  EXPECT_NEAR(audit.stored_end, 4.5, 1e-7);
  // ∫ (2 + t) / (2 + t/2) dt = 8 − 4 ln 2
  EXPECT_NEAR(entry(audit, "f").flowing, 8 - 4 * std::log(2.0), 1e-7);
  EXPECT_NEAR(entry(audit, "m (modulates car)").flowing, 3.5 - (8 - 4 * std::log(2.0)), 1e-7);
  EXPECT_NEAR(audit.residual, 0, 1e-9);
  EXPECT_TRUE(warnings(simulation).empty());
}

TEST(Books, ALawThatLeapsWorksAtThatInstant) {
  const EnergyAudit audit = run(R"(
model Plates {
  C c(if time < 1 then 1 else 2, q = 3)
  Sf none = 0
  none -> c
  until 2
})")
                                .audit();
  EXPECT_NEAR(audit.stored_start, 4.5, 1e-12);
  EXPECT_NEAR(audit.stored_end, 2.25, 1e-12);
  EXPECT_NEAR(audit.delivered, -2.25, 1e-9);
  EXPECT_NEAR(audit.residual, 0, 1e-9);
}

TEST(Books, AStartThatContradictsItselfIsAWarning) {
  const Simulation simulation = run(R"(
model Stuck {
  I a(1, f = 2), b(1)
  1 v
  v -> a
  v -> b
  until 1
})");
  ASSERT_EQ(warnings(simulation), std::vector<std::string>{"energy.start"});
  EXPECT_NE(simulation.outcome().diagnostics[0].message.find("loses 1 of energy"),
            std::string::npos)
      << simulation.outcome().diagnostics[0].message;
}

// A doubler of switched capacitors: charge that switches share is lost, and none delivers.
TEST(Books, NoSwitchDelivers) {
  const EnergyAudit audit = run(R"(
import "std/electrical/switch.cradle"
model Share {
  Se src = 5
  R rs(1)
  1 feed
  0 n, top, out
  C c1(1), co(2)
  R load(50)
  on = pulse(1, 0.5)
  Sw a(closed = on), b(closed = not on)
  src -> feed -> rs
  feed -> n
  C cn(0.5)
  n -> cn
  n -> a.a
  a.b -> top -> c1
  top -> b.a
  b.b -> out -> co
  out -> load
  until 20
})")
                                .audit();
  for (const EnergyEntry& entry : audit.entries) {
    if (entry.kind != EnergyEntry::Kind::Switch) continue;
    EXPECT_GE(entry.jumping, 0) << entry.name;
  }
  EXPECT_GT(audit.dissipated_by_switching, 0.1);
  EXPECT_NEAR(audit.residual, 0, 1e-7);
}

// A long line that is charged: half of what the source delivers stays, whatever the resistances.
TEST(Books, ALongLineKeepsHalf) {
  for (const std::string law : {"1 / 100", "law(e) = 100 * (e + e * e * e)"}) {
    const Simulation line = run(R"(
model Line {
  Se u = 1
  0 n[0]
  u -> n[0]
  for i in 1..100 {
    1 s[i]
    0 n[i]
    R r[i]()" + law + R"()
    C c[i](1 / 100)
    n[i - 1] -> s[i] -> n[i]
    s[i] -> r[i]
    n[i] -> c[i]
  }
  until 20
})");
    const EnergyAudit& audit = line.audit();
    EXPECT_NEAR(audit.delivered, 1, 1e-6) << law;
    EXPECT_NEAR(audit.stored_end, 0.5, 1e-6) << law;
    EXPECT_NEAR(audit.dissipated, 0.5, 1e-6) << law;
    EXPECT_GT(entry(audit, "r[1]").flowing, entry(audit, "r[100]").flowing) << law;
    EXPECT_TRUE(warnings(line).empty()) << law;
  }
}

}  // namespace
}  // namespace cradle
