// Islands whose equations vary, written out for a mode (src/core/plan/island_code.hpp), against
// Newton's method on the same equations: on all models of the tree, on mechanisms, and on random
// ones; at states that meet their constraints.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "api/implementation.hpp"
#include "core/engine/flow_code.hpp"
#include "core/engine/workspace.hpp"
#include "core/plan/mode_code.hpp"
#include "cradle/cradle.hpp"

namespace cradle {
namespace {

using engine::Cluster;
using engine::FlowCode;
using engine::Slot;
using plan::ComparisonId;
using plan::Island;
using plan::UnitId;

struct Start {
  explicit Start(const plan::Plan& plan) : state(plan, options), work(plan, options, state) {
    std::vector<UnitId> all;
    for (std::size_t u = 0; u < plan.units().size(); ++u) all.push_back(UnitId(u));
    clusters = work.clusters.rebuild(all, [](UnitId) {});
  }
  const Options options;
  engine::State state;
  engine::Workspace work;
  std::vector<Cluster*> clusters;
};

struct Compared {
  int islands = 0, written_out = 0, unsound = 0, values = 0;
};

// Random states, led onto the constraints; nothing if they cannot be.
std::optional<std::vector<double>> consistent(Start& start, const Cluster& cluster,
                                              std::mt19937& random, double t) {
  engine::FlowEvaluator& flow = start.work.flow;
  std::uniform_real_distribution<double> any(0.2, 1.2);
  flow.begin(t);
  for (StateId s : cluster.states) flow.set_state(s, (random() % 2 ? 1 : -1) * any(random));
  for (const auto& slot : cluster.slots) {
    const Island& island = *slot->island;
    std::vector<double> zero(island.size(), 0.0), y = zero, impulses = zero;
    std::vector<double> x(island.states().size());
    if (island.is_direct()) continue;
    if (island.fault() || island.solve_jump(flow, zero, y, impulses, x)) return std::nullopt;
    for (std::size_t i = 0; i < x.size(); ++i) flow.set_state(island.states()[i], x[i]);
  }
  std::vector<double> out;
  for (StateId s : cluster.states) out.push_back(flow.state(s));
  return out;
}

void set(Start& start, const Cluster& cluster, std::span<const double> x, double t) {
  start.work.flow.begin(t);
  for (std::size_t i = 0; i < x.size(); ++i) start.work.flow.set_state(cluster.states[i], x[i]);
}

// Truths that are frozen, as they are there. What one reads may depend on another.
void judge(Start& start, const Cluster& cluster, std::span<const double> x, double t) {
  const plan::Plan& plan = start.work.runtime.system;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t r = 0; r < plan.comparisons().size(); ++r) {
      set(start, cluster, x, t);
      try {
        const plan::Code& truth = plan.comparisons()[ComparisonId(r)].truth;
        start.state.truth[r] = start.work.flow.run(truth, plan::Truths::Judged) == 1;
      } catch (...) {
        start.work.flow.abandon();
      }
    }
  }
  set(start, cluster, x, t);
}

// What Newton's method says of one island, and what its code does.
void compare_island(Start& start, const Slot& slot, const std::string& name, Compared& count) {
  const Island& island = *slot.island;
  engine::FlowEvaluator& flow = start.work.flow;
  if (island.is_direct() || island.fault()) return;
  ++count.islands;
  if (!island.code().exists()) return;
  ++count.written_out;
  std::vector<double> y(island.size(), 0.0);
  try {
    if (island.solve_flow(flow, y)) return;
  } catch (...) {
    flow.abandon();
    return;
  }
  double largest[2] = {0, 0};
  for (std::size_t i = 0; i < y.size(); ++i) {
    largest[i % 2] = std::max(largest[i % 2], std::abs(y[i]));
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double found = flow.variable(const_cast<Slot&>(slot), static_cast<int>(i));
    EXPECT_NEAR(found, y[i], 1e-9 * (largest[i % 2] + 1e-3)) << name << ", variable " << i;
    ++count.values;
  }
}

// Rates as code, against what the islands say.
void compare_rates(Start& start, const Cluster& cluster, std::span<const double> x, double t,
                   const std::string& name, Compared& count) {
  const auto rates = find_rates(start.work.runtime, cluster);
  if (!rates->exists() || cluster.states.empty()) return;
  FlowCode code(start.work.runtime, rates, false);
  code.refresh(start.work.flow, start.work.runtime);
  std::vector<double> found(cluster.states.size());
  if (!code.run(t, x, found)) {
    ++count.unsound;
    return;
  }
  std::size_t i = 0;
  for (const auto& slot : cluster.slots) {
    const Island& island = *slot->island;
    for (std::size_t s = 0; s < island.states().size(); ++s, ++i) {
      const int variable = island.rate_variable(static_cast<int>(s));
      const double expected = start.work.flow.variable(*slot, variable);
      if (!std::isfinite(expected)) continue;
      EXPECT_NEAR(found[i], expected, 1e-9 * (1 + std::abs(expected))) << name << ", rate " << i;
    }
  }
}

Compared compare(const plan::Plan& plan, const std::string& name, unsigned seed, int places) {
  Start start(plan);
  std::mt19937 random(seed);
  Compared count;
  for (const Cluster* cluster : start.clusters) {
    for (int k = 0; k < places; ++k) {
      const double t = 0.3 * k + 0.1;
      try {
        const auto x = consistent(start, *cluster, random, t);
        if (!x) continue;
        judge(start, *cluster, *x, t);
        for (const auto& slot : cluster->slots) compare_island(start, *slot, name, count);
        compare_rates(start, *cluster, *x, t, name, count);
      } catch (...) {  // a law that has no value there
        start.work.flow.abandon();
      }
    }
  }
  return count;
}

TEST(Straight, AgreesWithNewtonsMethodOnAllModels) {
  Compared all;
  for (const char* folder : {"/models", "/tests/cases", "/tests/models"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(CRADLE_ROOT) + folder)) {
      if (entry.path().extension() != ".cradle") continue;
      const Model model = Model::load(entry.path().string());
      if (!model.ok()) continue;
      const plan::Plan& plan = *model.impl().plan;
      if (plan.model().bonds.size() > 500) continue;
      const Compared one = compare(plan, entry.path().string(), 1, 4);
      all.islands += one.islands;
      all.written_out += one.written_out;
      all.values += one.values;
    }
  }
  EXPECT_GT(all.written_out, all.islands / 2);
  EXPECT_GT(all.values, 400);
}

Compared compare_text(const std::string& body, unsigned seed = 7, int places = 12) {
  const Model model = Model::load_text("m.cradle", "model M {\n" + body + "\nuntil 1\n}\n");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text() << body;
  return model.ok() ? compare(*model.impl().plan, body, seed, places) : Compared();
}

void expect_written_out(const std::string& body) {
  const Compared count = compare_text(body);
  EXPECT_GT(count.islands, 0) << body;
  EXPECT_EQ(count.written_out, count.islands) << body;
  EXPECT_GT(count.values, 0) << body;
  EXPECT_EQ(count.unsound, 0) << body;
}

// The flow of the arm is known from either of the velocities, and each of both ways vanishes
// somewhere: none of them is chosen.
TEST(Straight, AnArmWithoutInertiaIsKnownInEveryPosition) {
  const std::string arm = R"(
    I mx(2), my(2)
    1 vx, vy, turn
    TF tx(-sin(a)), ty(cos(a))
    vx -> mx
    vy -> my
    turn -> tx -> vx
    turn -> ty -> vy
    Se w = -19.62
    w -> vy
    a = integral(turn.f, A)
  )";
  for (const char* angle : {"0", "0.3", "1.5707963267948966", "3", "-1.5707963267948966"}) {
    expect_written_out("param A = " + std::string(angle) + arm);
  }
}

TEST(Straight, MechanismsAreWrittenOut) {
  // A crank whose slider is a mass, and a rod of varying length.
  expect_written_out(R"(
    I rotor(1, f = 2), slider(0.5)
    1 turn, slide
    TF gear(-sin(a) - 0.3 * sin(2 * a))
    turn -> rotor
    turn -> gear -> slide
    slide -> slider
    R friction(0.2)
    slide -> friction
    a = integral(turn.f, 0.4)
  )");
  expect_written_out(R"(
    I mx(1), my(1)
    1 vx, vy
    vx -> mx
    vy -> my
    x = integral(vx.f, 0.6)
    y = integral(vy.f, -0.8)
    r = hypot(x, y)
    TF tx(x / r), ty(y / r)
    0 rod
    vx -> tx -> rod
    vy -> ty -> rod
    Sf winch = 0.1 * sin(time)
    rod -> winch
  )");
}

TEST(Straight, StoresThatBendDependOnEachOther) {
  expect_written_out(R"(
    C a(law(q) = q + q^3, q = 0.4), b(law(q) = sinh(q))
    I l(2)
    R r(0.5)
    0 node
    1 coil
    node -> a
    node -> b
    node -> coil
    coil -> l
    coil -> r
  )");
}

TEST(Straight, ModuliOfGyratorsAndResistors) {
  expect_written_out(R"(
    I l(0.1), rotor(2)
    GY motor(1 + 0.5 * tanh(x))
    R r(law(f) = (1 + x^2) * f), load(law(f) = f * abs(f))
    Se u = 5
    1 armature, shaft
    u -> armature
    armature -> l
    armature -> r
    armature -> motor -> shaft
    shaft -> rotor
    shaft -> load
    x = integral(shaft.f, 0.1)
  )");
  // A tap that slides between two resistors: nothing but divisions by what varies.
  expect_written_out(R"(
    C c(1, q = 1)
    R above(law(f) = (1 + s) * f), below(law(f) = (2 - s) * f)
    s = sin(time)
    0 top, tap
    1 upper
    Se u = 3
    1 source
    u -> top
    top -> upper
    upper -> above
    upper -> tap
    tap -> below
    tap -> source
    source -> c
    R lead(0.1)
    source -> lead
  )");
}

// ∂ẋ/∂x as code, against difference quotients of the rates.
TEST(Straight, DerivativesAreThoseOfTheRates) {
  const Model model = Model::load_text("m.cradle", R"(model M {
    I rotor(law(p) = p + 0.1 * p^3, f = 2), slider(0.5)
    1 turn, slide
    TF gear(-sin(a) - 0.3 * sin(2 * a))
    turn -> rotor
    turn -> gear -> slide
    slide -> slider
    R drag(law(f) = if f > 0.1 then 2 * f - 0.1 else f)
    C spring(law(q) = q + q^3)
    slide -> drag
    slide -> spring
    a = integral(turn.f, 0.4)
    until 1
  })");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Start start(*model.impl().plan);
  const Cluster& cluster = *start.clusters[0];
  std::mt19937 random(3);
  const std::vector<double> x = consistent(start, cluster, random, 0.5).value();
  judge(start, cluster, x, 0.5);
  const auto rates = find_rates(start.work.runtime, cluster);
  ASSERT_TRUE(rates->exists());
  const plan::Jacobian jacobian = plan::jacobian_of(*rates);
  const auto at_work = [&](const std::shared_ptr<const plan::ModeCode>& of,
                           std::span<const double> place) {
    FlowCode code(start.work.runtime, of, false);
    code.refresh(start.work.flow, start.work.runtime);
    std::vector<double> out(of->results.size());
    EXPECT_TRUE(code.run(0.5, place, out));
    return out;
  };
  const std::size_t n = x.size();
  std::vector<double> expected(n * n), found(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 1e-6;
    std::vector<double> above = x, below = x;
    above[j] += h;
    below[j] -= h;
    const std::vector<double> high = at_work(rates, above), low = at_work(rates, below);
    for (std::size_t i = 0; i < n; ++i) expected[n * i + j] = (high[i] - low[i]) / (2 * h);
  }
  const std::vector<double> entries =
      at_work(std::make_shared<const plan::ModeCode>(jacobian.code), x);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto column = at(start.work.runtime.component_of_state[at(jacobian.entries[k].state)]);
    found[n * at(jacobian.entries[k].row) + column] = entries[k];
  }
  for (std::size_t k = 0; k < n * n; ++k) {
    EXPECT_NEAR(found[k], expected[k], 1e-6 * (1 + std::abs(expected[k]))) << k;
  }
}

// A law that varies with time beside its state: p = F t is shared as 1 : 1 + t.
TEST(Straight, ALawOfTimeBindsAsItIs) {
  const Model model = Model::load_text("m.cradle", R"(model M {
    I a(1), b(law(p) = p / (1 + time))
    1 v
    Se u = 1
    u -> v
    v -> a
    v -> b
    until 2
    show a.p, b.p
  })");
  Simulation simulation(model);
  ASSERT_TRUE(simulation.run().finished());
  const Trajectory& rows = simulation.trajectory();
  EXPECT_NEAR(rows.value(rows.size() - 1, 0)->finite, 0.5, 1e-7);
  EXPECT_NEAR(rows.value(rows.size() - 1, 1)->finite, 1.5, 1e-7);
  EXPECT_EQ(compare_text("I a(1), b(law(p) = p / (1 + time))\n1 v\nSe u = 1\nu -> v\n"
                         "v -> a\nv -> b")
                .unsound,
            0);
}

// Chua's circuit, whose resistor has two kinks; by DOP853 with a tolerance of 1e-12.
TEST(Straight, KinksOfAResistorAreLocated) {
  const Model model = Model::load_text("m.cradle", R"(model M {
    C c1(0.1, q = 0.01), c2(1)
    I l(0.0666666666666666667)
    R g(1)
    R nl(law(e) = -0.7142857142857143 * e - 0.2142857142857143 * (abs(e + 1) - abs(e - 1)))
    0 a, b
    1 m, n
    a -> c1
    a -> nl
    b -> m
    m -> g
    m -> a
    b -> c2
    b -> n
    n -> l
    until 10
    show a.e, b.e, n.f
  })");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation simulation(model);
  ASSERT_TRUE(simulation.run().finished());
  const Trajectory& rows = simulation.trajectory();
  EXPECT_NEAR(rows.value(rows.size() - 1, 0)->finite, 1.141446088, 2e-6);
}

// Bodies in a row, bound by ratios that depend on where they are; springs, drag and moduli drawn.
std::string random_mechanism(std::mt19937& random) {
  const int bodies = 2 + static_cast<int>(random() % 4);
  const auto pick = [&](std::initializer_list<const char*> of) {
    return std::string(of.begin()[random() % of.size()]);
  };
  const auto number = [&] {
    return std::to_string(0.3 + 0.1 * static_cast<double>(random() % 20));
  };
  std::string out;
  for (int i = 0; i < bodies; ++i) {
    const std::string n = std::to_string(i);
    out += "1 v" + n + "\nI m" + n + pick({"(", "(law(p) = tanh(p) / ", "(law(p) = (p + p^3) / "}) +
           number() + ")\nv" + n + " -> m" + n + "\nx" + n + " = integral(v" + n + ".f, " +
           number() + ")\n";
    if (random() % 2) out += "R r" + n + "(law(f) = f * abs(f))\nv" + n + " -> r" + n + "\n";
    if (random() % 2) out += "C c" + n + "(law(q) = q + q^3)\nv" + n + " -> c" + n + "\n";
    if (random() % 2) out += "Se e" + n + " = sin(time + x" + n + ")\ne" + n + " -> v" + n + "\n";
  }
  const int bonds = 1 + static_cast<int>(random() % static_cast<unsigned>(bodies));
  for (int k = 0; k < bonds; ++k) {
    const std::string n = std::to_string(k);
    out += "0 k" + n + "\n";
    const int ends = 2 + static_cast<int>(random() % 2);
    for (int e = 0; e < ends; ++e) {
      const std::string body = std::to_string((k + e) % bodies), t = n + "_" + std::to_string(e);
      out += "TF t" + t + "(" + pick({"sin(x", "cos(x", "1 + 0.5 * tanh(x", "2 + (x"}) + body +
             "))\nv" + body + " -> t" + t + " -> k" + n + "\n";
    }
    const std::string end = pick({"Sf", "Sf", "R", "C"});
    out += end + " s" + n + (end == "Sf" ? " = " + pick({"0", "cos(time)"}) : "(" + number() + ")");
    out += "\nk" + n + " -> s" + n + "\n";
  }
  return out;
}

TEST(Straight, AgreesWithNewtonsMethodOnRandomMechanisms) {
  std::mt19937 random(20);
  Compared all;
  for (int i = 0; i < 200; ++i) {
    const Compared one = compare_text(random_mechanism(random), static_cast<unsigned>(i), 3);
    all.islands += one.islands;
    all.written_out += one.written_out;
    all.unsound += one.unsound;
    all.values += one.values;
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(all.values, 2000);
  EXPECT_GT(all.written_out, 9 * all.islands / 10);
  EXPECT_LT(all.unsound, all.islands / 50);
}

}  // namespace
}  // namespace cradle
