// The standard library of components: written in the language, printed in its style, and it
// elaborates for every choice of its parameters.

#include <gtest/gtest.h>

#include <filesystem>

#include "language/model/testing.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::model::testing {
namespace {

Loaded with_library(const std::string& body, const std::vector<Setting>& settings = {}) {
  Loader loader;
  loader.resolve = [](const std::string& path, const std::string&) -> std::optional<Loader::File> {
    auto text = read_text(CRADLE_ROOT "/lib/" + path);
    if (!text) return std::nullopt;
    return Loader::File{path, std::move(*text)};
  };
  std::string imports;
  for (const char* name : {"electrical/diode", "electrical/thyristor", "electrical/switch",
                           "hydraulic/valve", "mechanical/contact", "mechanical/stiction"}) {
    imports += "import \"std/" + std::string(name) + ".cradle\"\n";
  }
  return elaborate({"test.cradle", imports + "model M {\n" + body + "\n}"}, loader, settings);
}

Loaded accept(const std::string& body, const std::vector<Setting>& settings = {}) {
  Loaded loaded = with_library(body, settings);
  EXPECT_EQ(diagnostics_of(loaded), "") << body;
  if (!loaded.model) loaded.model = std::make_unique<Model>();
  return loaded;
}

std::string initial_state(const Model& model, const std::string& automaton) {
  for (const Automaton& candidate : model.automata) {
    if (candidate.name == automaton) {
      return candidate.states[static_cast<std::size_t>(candidate.initial)];
    }
  }
  return "no automaton " + automaton;
}

TEST(StandardLibrary, IsPrintedInItsStyle) {
  int files = 0;
  using Files = std::filesystem::recursive_directory_iterator;
  for (const auto& entry : Files(CRADLE_ROOT "/lib/std")) {
    if (!entry.is_regular_file()) continue;
    std::string text = read_text(entry.path().string()).value_or("");
    Sources sources;
    Diagnostics diagnostics;
    syntax::Tree tree = syntax::parse(sources, sources.add("lib", text), diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << entry.path();
    EXPECT_EQ(syntax::print(tree), text) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 20);
}

const std::string kCircuit = "Se u = 10  R load(1)  u -> x.a  x.b -> load\n";

TEST(StandardLibrary, Diode) {
  Loaded ideal = accept(kCircuit + "Diode x");
  EXPECT_EQ(ideal.model->elements.size(), 2U);
  EXPECT_EQ(ideal.model->bonds.size(), 2U);
  EXPECT_EQ(initial_state(*ideal.model, "x.D"), "off");
  Loaded real = accept(kCircuit + "Diode x(0.7, r_on = 0.1)  show x.i, x.v, x.conducts");
  EXPECT_EQ(real.model->elements.size(), 4U);
  for (const Transition& transition : real.model->automata.begin()->transitions) {
    EXPECT_FALSE(transition.physical);
  }
  EXPECT_TRUE(with_library(kCircuit + "Diode x(-1)").diagnostics.has_errors());
}

TEST(StandardLibrary, DiodeWithALeak) {
  Loaded leaky = accept(kCircuit + "Diode x(0.7, 0.1, 1e6)  show x.i");
  EXPECT_EQ(leaky.model->elements.size(), 5U);
  EXPECT_EQ(leaky.model->junctions.size(), 4U);
  // What may vary is there, whatever it is worth.
  EXPECT_EQ(accept(kCircuit + "Diode x(v_on = time, r_on = 1 + time)").model->elements.size(), 4U);
  EXPECT_TRUE(with_library(kCircuit + "Diode x(r_leak = 0)").diagnostics.has_errors());
  EXPECT_TRUE(with_library(kCircuit + "Diode x(r_leak = time)").diagnostics.has_errors());
}

TEST(StandardLibrary, Thyristor) {
  Loaded ideal = accept(kCircuit + "Thyristor x(gate = clock(1))  show x.i, x.v, x.conducts");
  EXPECT_EQ(ideal.model->elements.size(), 2U);
  EXPECT_EQ(initial_state(*ideal.model, "x.D"), "off");
  EXPECT_EQ(accept(kCircuit + "Thyristor x(1, 2, 3, gate = true)").model->elements.size(), 5U);
  EXPECT_TRUE(with_library(kCircuit + "Thyristor x").diagnostics.has_errors());
}

TEST(StandardLibrary, Switches) {
  EXPECT_EQ(initial_state(*accept(kCircuit + "Sw x(closed = time > 1)").model, "x.S"), "off");
  EXPECT_EQ(initial_state(*accept(kCircuit + "Sw x(true, closed = true)").model, "x.S"), "on");
  Loaded level = accept(kCircuit + "SwLevel x(u = sin(time))  show x.i");
  EXPECT_EQ(initial_state(*level.model, "x.s.S"), "off");
  EXPECT_EQ(initial_state(*accept(kCircuit + "Switch x(t_open = 1)").model, "x.s.S"), "on");
  EXPECT_EQ(initial_state(*accept(kCircuit + "Switch x(t_close = 1)").model, "x.s.S"), "off");
  EXPECT_EQ(initial_state(*accept(kCircuit + "Switch x(2, 1)").model, "x.s.S"), "on");
  EXPECT_EQ(initial_state(*accept(kCircuit + "Switch x(1, 2)").model, "x.s.S"), "off");
  Loaded real = accept(kCircuit + "Switch x(1, 2, r_on = 0.1, r_leak = 1e6)");
  EXPECT_EQ(real.model->elements.size(), 4U);
}

TEST(StandardLibrary, Valve) {
  EXPECT_EQ(accept(kCircuit + "Valve x").model->elements.size(), 2U);
  Loaded throttled = accept(kCircuit + "Valve x(2, 1, r = 3)  show x.flow, x.pressure, x.open");
  EXPECT_EQ(throttled.model->elements.size(), 3U);
  EXPECT_TRUE(with_library(kCircuit + "Valve x(1, 2, r = 1)").diagnostics.has_errors());
  EXPECT_TRUE(with_library(kCircuit + "Valve x(2, 1)").diagnostics.has_errors());
}

const std::string kBodies =
    "1 v1, v2  I m1(1, p = 1), m2(2)  v1 -> m1  v2 -> m2  v1 -> x.a  x.b -> v2\n";

TEST(StandardLibrary, Contact) {
  Loaded loaded = accept(kBodies +
                         "x1 = integral(v1.f)  x2 = integral(v2.f, 1)\n"
                         "Contact x(0.8, gap = x2 - x1)  show x.force, x.touching");
  EXPECT_EQ(initial_state(*loaded.model, "x.F"), "off");
  // Meeting and parting take time; that a contact does not pull is inferred.
  const auto& transitions = loaded.model->automata.begin()->transitions;
  ASSERT_EQ(transitions.size(), 3U);
  EXPECT_TRUE(transitions[0].physical);
  EXPECT_TRUE(transitions[1].physical);
  EXPECT_FALSE(transitions[2].physical);
  Loaded without = with_library(kBodies + "Contact x(0.8)");
  ASSERT_EQ(without.diagnostics.error_count(), 1);
  EXPECT_EQ(without.diagnostics.items()[0].kind, "argument.missing");
}

TEST(StandardLibrary, ContactByChoice) {
  const std::string gap = "x1 = integral(v1.f)  x2 = integral(v2.f, 1)\n";
  // Poisson's: it is released by what it gives back, which is inferred.
  Loaded poisson = accept(kBodies + gap + "Contact x(0.8, true, gap = x2 - x1)  show x.force");
  EXPECT_EQ(poisson.model->automata.begin()->transitions.size(), 2U);
  accept(kBodies + gap + "Contact x(if v1.f > 1 then 0.5 else 0, gap = x2 - x1)");
  Loaded stop =
      accept(kBodies + gap + "EndStop x(-1, 2, 0.5, x = x1 - x2)  show x.force, x.at_low");
  EXPECT_EQ(stop.model->automata.size(), 2U);
  EXPECT_TRUE(with_library(kBodies + gap + "EndStop x(1, 1, x = x1)").diagnostics.has_errors());
  EXPECT_TRUE(with_library(kBodies + gap + "EndStop x(x2, 3, x = x1)").diagnostics.has_errors());
}

TEST(StandardLibrary, FrictionBySignals) {
  Loaded brake = accept(kBodies + "Stiction x(F_break = time, F_kinetic = time)  show x.force");
  EXPECT_EQ(brake.model->elements.size(), 4U);  // slide and blow
  accept(kBodies + "Stiction x(F_break = time, v_stick = 0.1)");
  accept(kBodies + "Friction x(0.3, normal = 10 + sin(time))  show x.stuck, x.velocity");
  EXPECT_TRUE(with_library(kBodies + "Stiction x(1, v_stick = time)").diagnostics.has_errors());
  // A number from outside beats the signal.
  Loaded set = accept(kBodies + "Stiction x(F_break = time, F_kinetic = time)",
                      {{"x.F_break", 3}, {"x.F_kinetic", 1}});
  EXPECT_EQ(set.model->elements.size(), 3U);
}

TEST(StandardLibrary, Stiction) {
  Loaded plain = accept(kBodies + "Stiction x(F_break = 3)  show x.velocity, x.stuck");
  EXPECT_EQ(plain.model->elements.size(), 2U);
  Loaded sliding = accept(kBodies + "Stiction x(3, J_break = 2, F_kinetic = 1)  show x.force");
  EXPECT_EQ(sliding.model->elements.size(), 3U);
  // A blow breaks bodies loose, unless they are caught below a velocity and hold against any.
  auto uses_impulse = [](const Model& model) {
    for (std::size_t i = 0; i < model.pool.size(); ++i) {
      if (model.pool[ExprId(i)].op == expr::Op::ImpulseOf) return true;
    }
    return false;
  };
  EXPECT_TRUE(uses_impulse(*plain.model));
  EXPECT_TRUE(uses_impulse(*sliding.model));
  EXPECT_FALSE(uses_impulse(*accept(kBodies + "Stiction x(3, v_stick = 0.1)").model));
  EXPECT_TRUE(with_library(kBodies + "Stiction x(3, F_kinetic = 4)").diagnostics.has_errors());
}

}  // namespace
}  // namespace cradle::model::testing
