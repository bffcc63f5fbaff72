#include "language/model/elaborate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "language/expr/pool.hpp"
#include "language/model/testing.hpp"

namespace cradle::model::testing {
namespace {

using expr::Op;

using Names = std::vector<std::string>;

const Element& element(const Model& model, const std::string& name) {
  for (const Element& element : model.elements) {
    if (element.name == name) return element;
  }
  ADD_FAILURE() << "no element " << name;
  return *model.elements.begin();
}

ExprId signal(const Model& model, const std::string& name) {
  for (const Signal& signal : model.signals) {
    if (signal.name == name) return signal.value;
  }
  ADD_FAILURE() << "no signal " << name;
  return {};
}

double constant(const Model& model, const std::string& name) {
  ExprId id = signal(model, name);
  if (!id.valid() || !model.pool.is_constant(id)) {
    ADD_FAILURE() << name << " is not constant";
    return 0;
  }
  return model.pool.constant_value(id);
}

TEST(Elaborate, FlattensTheCradle) {
  Loaded loaded = accept(kCradle);
  const Model& model = *loaded.model;
  EXPECT_EQ(model.name, "Cradle");
  EXPECT_EQ(names_of(model.elements), (Names{"body1", "body2", "body3", "impact"}));
  EXPECT_EQ(names_of(model.junctions), (Names{"v1", "v2", "v3", "F13", "F23"}));
  EXPECT_EQ(names_of(model.bonds), (Names{"v1 -> body1", "v2 -> body2", "v3 -> body3", "b13",
                                          "F13 -> v3", "impact -> F13", "v3 -> F23", "F23 -> v2"}));
  EXPECT_EQ(names_of(model.states), (Names{"body1.p", "body2.p", "body3.p", "x1", "x3", "b13.q"}));
  EXPECT_EQ(names_of(model.show), (Names{"body1.p", "impulse(F23.e)", "b13.q"}));
  EXPECT_EQ(model.pool.constant_value(model.until), 2.0);
}

TEST(Elaborate, GivesStoresTheirLawsAndInitialValues) {
  Loaded loaded = accept(kCradle);
  const Model& model = *loaded.model;
  const Element& body3 = element(model, "body3");
  const expr::Node& law = model.pool[body3.laws.at(0)];
  EXPECT_EQ(law.op, Op::Div);
  EXPECT_EQ(model.pool[law.a].op, Op::Local);
  EXPECT_EQ(model.pool.constant_value(law.b), 2);
  const State& first = *model.states.begin();
  EXPECT_EQ(model.pool.constant_value(first.initial), 1);
  EXPECT_FALSE(first.initial_is_power);
  const State& second = *(model.states.begin() + 1);
  EXPECT_EQ(model.pool.constant_value(second.initial), 3);
  EXPECT_TRUE(second.initial_is_power);
}

TEST(Elaborate, ConnectsBothEndsOfEveryBond) {
  Loaded loaded = accept(kCradle);
  const Model& model = *loaded.model;
  for (std::size_t i = 0; i < model.bonds.size(); ++i) {
    BondId id(i);
    auto joined = [&](const End& end, bool inward) {
      if (end.element.valid()) {
        const BondEnd& port =
            model.elements[end.element].ports.at(static_cast<std::size_t>(end.port));
        return port.bond == id && port.inward == inward;
      }
      const auto& bonds = model.junctions[end.junction].bonds;
      return std::count_if(bonds.begin(), bonds.end(), [&](const BondEnd& bond) {
               return bond.bond == id && bond.inward == inward;
             }) == 1;
    };
    EXPECT_TRUE(joined(model.bonds[id].from, false)) << model.bonds[id].name;
    EXPECT_TRUE(joined(model.bonds[id].to, true)) << model.bonds[id].name;
  }
}

TEST(Elaborate, ReadsAutomata) {
  Loaded loaded = accept(kCradle);
  const Model& model = *loaded.model;
  const Automaton& f13 = *model.automata.begin();
  const Automaton& f23 = *(model.automata.begin() + 1);
  EXPECT_EQ(f13.states, (Names{"on", "off"}));
  EXPECT_EQ(f13.states[static_cast<std::size_t>(f13.initial)], "off");
  EXPECT_TRUE(f13.transitions.at(0).physical);
  EXPECT_FALSE(f23.transitions.at(0).physical);
  EXPECT_EQ(f23.transitions.at(0).priority, 2.0);
  EXPECT_EQ(model.pool[f13.transitions.at(0).guard].type, expr::Type::Boolean);
  EXPECT_EQ(f23.yields_to, std::vector<AutomatonId>{AutomatonId(0)});
  EXPECT_TRUE(f13.yields_to.empty());
  // a > b is b < a
  const expr::Node& guard = model.pool[f13.transitions.at(1).guard];
  EXPECT_EQ(guard.op, Op::Less);
  EXPECT_EQ(model.pool[guard.a].op, Op::Flow);
}

TEST(Elaborate, FindsWhatCanBeRead) {
  Loaded loaded = accept(kCradle);
  const Model& model = *loaded.model;
  for (const char* name :
       {"body1.e", "body1.f", "body1.p", "impact.e", "b13.e", "b13.f", "b13.q", "v1.f", "v1.q",
        "F13.e", "F13.active", "F13.on", "F23.off", "x1", "impulse(F23.e)", "mass3"}) {
    EXPECT_TRUE(model.reading(name).has_value()) << name;
  }
  for (const char* name : {"body1.e.f", "F13.f", "v1.e", "nothing", "impulse(nothing)", ""}) {
    EXPECT_FALSE(model.reading(name).has_value()) << name;
  }
  EXPECT_EQ(*model.find("body1.p"), *model.find("body1.p"));
  EXPECT_TRUE(model.reading("impulse(F23.e)")->impulse);
  EXPECT_EQ(model.reading("impulse(F23.e)")->value, *model.find("F23.e"));
  EXPECT_FALSE(model.reading("impulse(body1.p)")->value.valid()) << "a state carries none";
  EXPECT_EQ(model.reading("mass3")->number, 2);
  // q of bond b13 is also q of the 1-junction that shares its flow.
  Names names = model.readable_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(Elaborate, DefaultsOfJunctions) {
  Loaded loaded = accept(R"(model M {
    Se u = 1
    0 a
    1 b
    0/F c
    1/E d { active open, wide inactive shut }
    1 f initially off
    u -> b -> a -> d   a -> c   a -> f
  })");
  std::vector<Junction> junctions(loaded.model->junctions.begin(), loaded.model->junctions.end());
  EXPECT_EQ(junctions[0].inactive, Junction::Inactive::Effort);
  EXPECT_EQ(junctions[1].inactive, Junction::Inactive::Flow);
  EXPECT_EQ(junctions[2].inactive, Junction::Inactive::Flow);
  EXPECT_EQ(junctions[3].inactive, Junction::Inactive::Effort);
  EXPECT_FALSE(junctions[0].automaton.valid());
  EXPECT_TRUE(junctions[4].automaton.valid());
  const Automaton& d = loaded.model->automata[junctions[3].automaton];
  EXPECT_EQ(d.states, (Names{"open", "wide", "shut"}));
  EXPECT_EQ(d.active, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(d.initial, 0);
}

TEST(Elaborate, MergesBondsThroughPorts) {
  Loaded loaded = accept(R"(
component Inner { port a, b  1 j  inside: a -> j   j -> b }
component Outer { port a, b  Inner i  a -> i.a  i.b -> b  output drop = a.e - b.e }
model M {
  Se u = 1  R r(1)  Outer o
  u -> o.a
  out: o.b -> r
  x = o.i.a.f + o.i.inside.f + out.e + o.drop
})");
  const Model& model = *loaded.model;
  EXPECT_EQ(names_of(model.bonds), (Names{"o.i.inside", "out"}));
  EXPECT_EQ(names_of(model.junctions), (Names{"o.i.j"}));
  EXPECT_EQ(*model.find("o.i.a.f"), *model.find("u.f"));
  EXPECT_EQ(*model.find("o.a.f"), *model.find("o.i.inside.f"));
  EXPECT_EQ(*model.find("out.e"), *model.find("o.b.e"));
}

TEST(Elaborate, NamesUnlabelledMergedBondsByTheirEnds) {
  Loaded loaded = accept(R"(
component Wire { port a, b  a -> b }
model M { Se u = 1  R r(1)  Wire w[1], w[2]  u -> w[1].a  w[1].b -> w[2].a  w[2].b -> r })");
  EXPECT_EQ(names_of(loaded.model->bonds), (Names{"u -> r"}));
}

TEST(Elaborate, ParametersFlowIntoComponents) {
  const std::string text = R"(
component Part { param m = 2, n = m + 1, flag = false  input u = m  output y = n * u }
model M {
  param k = 3
  Part a, b(k), c(n = 10, m = k), d(k, 1, u = 7)
  ma = a.n  mb = b.n  mc = c.n  md = d.m
  if b.m > 0 and false { x = 1 }
})";
  Loaded failed = elaborate_text(text);
  EXPECT_TRUE(failed.diagnostics.has_errors());  // parameters of instances come too late for if
  std::string fine = text;
  fine.erase(fine.find("  if b.m"), std::string("  if b.m > 0 and false { x = 1 }\n").size());
  Loaded loaded = accept(fine);
  EXPECT_EQ(constant(*loaded.model, "ma"), 3);
  EXPECT_EQ(constant(*loaded.model, "mb"), 4);
  EXPECT_EQ(constant(*loaded.model, "mc"), 10);
  EXPECT_EQ(constant(*loaded.model, "md"), 3);
  EXPECT_EQ(constant(*loaded.model, "d.u"), 7);
  EXPECT_EQ(constant(*loaded.model, "b.u"), 3);

  Loaded set = accept(fine, {{"k", 5}, {"c.m", 8}, {"a.flag", 1}});
  EXPECT_EQ(constant(*set.model, "mb"), 6);
  EXPECT_EQ(constant(*set.model, "c.u"), 8);
  auto parameter = std::find_if(set.model->parameters.begin(), set.model->parameters.end(),
                                [](const Parameter& p) { return p.name == "a.flag"; });
  ASSERT_NE(parameter, set.model->parameters.end());
  EXPECT_EQ(parameter->value, 1);
}

TEST(Elaborate, OverridesComeBeforeTheStructure) {
  const std::string text = "model M { param N = 2  for i in 1..N { x[i] = i }  y = x[N] }";
  EXPECT_EQ(accept(text).model->signals.size(), 3U);
  EXPECT_EQ(accept(text, {{"N", 10}}).model->signals.size(), 11U);
}

TEST(Elaborate, SettingsAreExpressionsOfTheParametersType) {
  const std::string text = R"(model M {
    param half = 1, quick = false, slow = true, masses = [1, 2], rows = [[1]], none = []
    a = half
    b = if quick and not slow then 1 else 0
    c = sum(masses[i] for i in 1..length(masses))
    d = rows[2][1]
    f = none[1]
  })";
  Loaded set = accept(text, {{"half", "1 / 2"},
                             {"quick", "true"},
                             {"slow", 0},
                             {"masses", "[1, 2 * 2, max(3, 8)]"},
                             {"rows", "[[1, 0], [7, 1]]"},
                             {"none", "[5]"}});
  EXPECT_EQ(constant(*set.model, "a"), 0.5);
  EXPECT_EQ(constant(*set.model, "b"), 1);
  EXPECT_EQ(constant(*set.model, "c"), 13);
  EXPECT_EQ(constant(*set.model, "d"), 7);
  EXPECT_EQ(constant(*set.model, "f"), 5);
}

TEST(Elaborate, UnrollsLoopsAndConditions) {
  Loaded loaded = accept(R"(model M {
    param N = 3, masses = [1, 2, 4], grid = [[1, 2], [3, 4]]
    Se u = 1
    u -> n[0]
    0 n[0]
    for i in 1..N {
      1 v[i]  I body[i](masses[i], p = i)
      e[i]: n[i - 1] -> v[i]
      v[i] -> body[i]
      if i < N { 0 n[i]  v[i] -> n[i] }
      else if N > 2 { R load(length(masses))  v[i] -> load }
    }
    for j in 1..2 { for k in 1..2 { g[j, k] = grid[j][k] * 10 } }
    for i in 1..0 { never = 1 }
    for i in 1..2 { show body[i].p, body[i].p / 2 }
    chain[1] = 1
    for i in 2..N { chain[i] = if i > 1 and chain[i - 1] > 0 then chain[i - 1] else 0 }
  })");
  const Model& model = *loaded.model;
  EXPECT_EQ(names_of(model.elements), (Names{"u", "body[1]", "body[2]", "body[3]", "load"}));
  EXPECT_EQ(names_of(model.bonds),
            (Names{"u -> n[0]", "e[1]", "v[1] -> body[1]", "v[1] -> n[1]", "e[2]",
                   "v[2] -> body[2]", "v[2] -> n[2]", "e[3]", "v[3] -> body[3]", "v[3] -> load"}));
  EXPECT_EQ(constant(model, "g[2][1]"), 30);
  EXPECT_EQ(names_of(model.show),
            (Names{"body[1].p", "body[i].p / 2 (i = 1)", "body[2].p", "body[i].p / 2 (i = 2)"}));
  EXPECT_TRUE(model.find("e[2].f").has_value());
}

TEST(Elaborate, FieldsHaveOnePortPerRow) {
  Loaded loaded = accept(R"(model M {
    param M12 = 1
    Se u = 1, w = 2
    I coils(matrix = [[2, M12], [M12, 2]], f = [1, 0])
    C plate(matrix = [[4]], q = [3])
    u -> coils[1]  w -> coils[2]
    Se s = 1  s -> plate[1]
    x = coils[2].f + coils[1].p + plate[1].q
  })");
  const Model& model = *loaded.model;
  const Element& coils = element(model, "coils");
  ASSERT_EQ(coils.laws.size(), 2U);
  ASSERT_EQ(coils.ports.size(), 2U);
  EXPECT_EQ(names_of(model.states), (Names{"coils[1].p", "coils[2].p", "plate[1].q"}));
  EXPECT_TRUE(model.states.begin()->initial_is_power);
  EXPECT_EQ(names_of(model.bonds), (Names{"u -> coils[1]", "w -> coils[2]", "s -> plate[1]"}));
  // f1 = (2 p1 − p2) / 3
  expr::Pool& pool = loaded.model->pool;
  ExprId at = pool.substitute(coils.laws[0], {pool.constant(3), pool.constant(1)});
  EXPECT_NEAR(pool.constant_value(at), 5.0 / 3, 1e-15);
}

TEST(Elaborate, TransformersAndGyrators) {
  Loaded loaded = accept(R"(model M {
    Se u = 1
    TF gear(2)  GY motor(time)
    I rotor(1)
    u -> gear -> motor -> rotor
    x = gear.in.e + gear.out.f + motor.in.f + motor.out.p
  })");
  const Model& model = *loaded.model;
  const Element& gear = element(model, "gear");
  EXPECT_EQ(model.bonds[gear.ports[0].bond].name, "u -> gear");
  EXPECT_TRUE(gear.ports[0].inward);
  EXPECT_EQ(model.bonds[gear.ports[1].bond].name, "gear -> motor");
  EXPECT_FALSE(gear.ports[1].inward);
  EXPECT_EQ(model.pool.constant_value(gear.signal), 2);
  EXPECT_EQ(model.pool[element(model, "motor").signal].op, Op::Time);
  // motor.out.p is the rotor's own momentum: no integral is made for it.
  EXPECT_EQ(names_of(model.states), (Names{"rotor.p"}));
}

TEST(Elaborate, LawsOfResistors) {
  Loaded loaded = accept(R"(model M {
    param k = 3
    Se a = 1, b = 1, c = 1
    R plain(k), cubic(law(f) = k * f^3), inverse(law(e) = e / k + s)
    a -> plain  b -> cubic  c -> inverse
    s = sin(time)
  })");
  const Model& model = *loaded.model;
  EXPECT_FALSE(element(model, "cubic").law_of_effort);
  EXPECT_TRUE(element(model, "inverse").law_of_effort);
  expr::Pool& pool = loaded.model->pool;
  EXPECT_EQ(
      pool.constant_value(pool.substitute(element(model, "cubic").laws[0], {pool.constant(2)})),
      24);
  EXPECT_EQ(
      pool.constant_value(pool.substitute(element(model, "plain").laws[0], {pool.constant(2)})), 6);
}

TEST(Elaborate, MakesIntegralsOfBondsOnDemandAndOnce) {
  Loaded loaded = accept(R"(model M {
    Se u = 1  R r(1)  C c(1)  I l(1)
    1 v
    b: u -> v
    v -> r  v -> c  v -> l
    a = b.q + v.q + r.q + b.q + c.q + l.p + l.q + c.p
  })");
  // All bonds of v have one flow, and one integral of it; stores keep their own.
  EXPECT_EQ(names_of(loaded.model->states), (Names{"c.q", "l.p", "b.q", "c.p"}));
  EXPECT_EQ(*loaded.model->find("b.q"), *loaded.model->find("r.q"));
  EXPECT_NE(*loaded.model->find("b.q"), *loaded.model->find("c.q"));
  EXPECT_EQ(*loaded.model->find("b.q"), *loaded.model->find("v.q"));
}

TEST(Elaborate, NamesIntegralsAfterTheirSignals) {
  Loaded loaded = accept(R"(model M {
    x = integral(derivative = time, start = 2)
    y = 1 + integral(x) + integral(2 * x, 1, x)
    Se u = integral(1)
    R r(1)
    u -> r
  })");
  const Model& model = *loaded.model;
  EXPECT_EQ(names_of(model.states), (Names{"x", "y.integral", "y.integral2", "u.integral"}));
  std::vector<State> states(model.states.begin(), model.states.end());
  EXPECT_EQ(model.pool.constant_value(states[0].initial), 2);
  EXPECT_FALSE(states[0].impulse.valid());
  EXPECT_TRUE(states[2].impulse.valid());
  EXPECT_EQ(model.pool[signal(model, "x")].op, Op::State);
}

TEST(Elaborate, FunctionsAndClocks) {
  Loaded loaded = accept(R"(model M {
    a = sign(-3)  b = max(1, 5, 2)  c = min([4, 2, 8])  d = hypot(3, 4)  f = mod(7, 3)
    g = pow(2, 3)  h = -2^2  k = product(i for i in 1..5)  m = sum(i for i in 1..0)
    n = if all(i > 0 for i in 1..3) and not any(i > 3 for i in 1..3) then 1 else 0
    o = floor(2.7) + ceil(2.2)  p = atan2(0, 1) + 2 * pi / pi
    s = step(2)  t = sawtooth(0.5)  u = pulse(0.5, 0.2)  v = count(0.5, 0.1)  w = pulse(0.5, 0.3)
    x = max(i for i in 1..0)  y = omega  z = 1 / inf
  })");
  const Model& model = *loaded.model;
  const std::map<std::string, double> expected = {
      {"a", -1}, {"b", 5},
      {"c", 2},  {"d", 5},
      {"f", 1},  {"g", 8},
      {"h", -4}, {"k", 120},
      {"m", 0},  {"n", 1},
      {"o", 5},  {"p", 2},
      {"z", 0},  {"x", -std::numeric_limits<double>::infinity()}};
  for (const auto& [name, value] : expected) EXPECT_EQ(constant(model, name), value) << name;
  EXPECT_EQ(model.pool[signal(model, "s")].op, Op::If);
  EXPECT_EQ(model.pool[signal(model, "t")].op, Op::Phase);
  EXPECT_EQ(model.pool[signal(model, "u")].op, Op::Less);
  EXPECT_EQ(model.pool[signal(model, "v")].op, Op::Count);
  EXPECT_EQ(model.pool[signal(model, "y")].op, Op::Omega);
  EXPECT_EQ(model.clocks.size(), 2U);  // equal schedules are one clock
}

TEST(Elaborate, TypesDoNotDependOnTheOrderOfTheText) {
  Loaded loaded = accept(R"(model M {
    x = if late then 1 else 2
    y = not b2
    b2 = b1
    b1 = if time > 1 then late else pre(late)
    late = time > 2 or flag
    param flag = false
  })");
  EXPECT_EQ(loaded.model->pool[*loaded.model->find("b2")].type, expr::Type::Boolean);
  // A loop of names has the type of a number, and is no error here: a run finds it nonconstructive.
  Loaded loop = accept("model M { p = q  q = p }");
  EXPECT_EQ(loop.model->pool[*loop.model->find("p")].type, expr::Type::Number);
}

TEST(Elaborate, LongChainsNeedNoStack) {
  std::string text = "model M { param N = 20000, a0 = 1";
  for (int i = 1; i <= 3000; ++i) {
    text += "\n param a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + 1";
  }
  text += "\n x[0] = time > 1  for i in 1..N { x[i] = x[i - 1] }  y = a3000 }";
  Loaded loaded = accept(text);
  EXPECT_EQ(constant(*loaded.model, "y"), 3001);
  EXPECT_EQ(loaded.model->pool[*loaded.model->find("x[20000]")].type, expr::Type::Boolean);
}

TEST(Elaborate, RecursionEndsWhereAnIfEndsIt) {
  Loaded loaded = accept(R"(
component Ladder {
  param n = 1
  port a
  1 v  a -> v  R r(n)  v -> r
  if n > 1 { Ladder rest(n - 1)  v -> rest.a }
}
model M { Se u = 1  Ladder top(5)  u -> top.a })");
  EXPECT_EQ(loaded.model->elements.size(), 6U);
  EXPECT_TRUE(loaded.model->find("top.rest.rest.rest.rest.r.e").has_value());
}

TEST(Elaborate, ImportsEachFileOnce) {
  const std::map<std::string, std::string> files = {
      {"a.cradle", "import \"b.cradle\" component A { port a  B b  a -> b.a }"},
      {"b.cradle",
       "import \"a.cradle\" component B { port a  R r(1)  a -> r }\n"
       "model Demo { Se u = 1  B b  u -> b.a }"}};
  Loaded loaded = accept(
      "import \"a.cradle\" import \"b.cradle\" import \"a.cradle\"\n"
      "model M { Se u = 1, w = 1  A a  B b  u -> a.a  w -> b.a }",
      {}, files);
  EXPECT_EQ(loaded.sources.size(), 3U);
  EXPECT_EQ(loaded.model->name, "M");
  // What an imported file imports stays its own affair.
  Loaded hidden =
      elaborate_text("import \"a.cradle\" model M { Se u = 1  B b  u -> b.a }", {}, files);
  ASSERT_EQ(hidden.diagnostics.error_count(), 1);
  EXPECT_EQ(hidden.diagnostics.items()[0].kind, "name.unknown-component");
}

TEST(Elaborate, ReportsSeveralErrorsFromTheTopDown) {
  Loaded loaded = elaborate_text("model M {\n x = a\n R r(1)\n y = b + c\n I m(-1)\n}");
  std::vector<std::string> kinds;
  int line = 0;
  for (const Diagnostic& diagnostic : loaded.diagnostics.items()) {
    kinds.push_back(diagnostic.kind);
    const Span& span = diagnostic.labels.at(0).span;
    int here = loaded.sources.position(span.file, span.begin).line;
    EXPECT_GE(here, line);
    line = here;
  }
  EXPECT_EQ(kinds, (Names{"name.unknown", "port.unconnected", "name.unknown", "name.unknown",
                          "port.unconnected", "element.not-positive"}));
}

TEST(Elaborate, SaysWhatIsWrongInALoopOnce) {
  Loaded loaded = elaborate_text("model M { for i in 1..1000 { x[i] = nowhere + y[i] } }");
  EXPECT_EQ(loaded.diagnostics.error_count(), 2);
}

TEST(Elaborate, CutsOffAFloodOfErrors) {
  std::string text = "model M {\n";
  for (int i = 0; i < 150; ++i) text += "x" + std::to_string(i) + " = qwertz\n";
  Loaded loaded = elaborate_text(text + "}");
  ASSERT_EQ(loaded.diagnostics.items().size(), 101U);
  EXPECT_EQ(render_text(loaded.diagnostics.items().back(), loaded.sources),
            "error[limit.errors]: there are 150 errors, more than the 100 shown here\n");
}

TEST(Elaborate, BoundsTheNumberOfFiles) {
  Loader loader;
  int made = 0;
  loader.resolve = [&made](const std::string&, const std::string&) -> std::optional<Loader::File> {
    ++made;
    return Loader::File{"f" + std::to_string(made), "import \"x\"\nimport \"y\""};
  };
  Loaded loaded = elaborate({"m.cradle", "import \"x\"\nmodel M { x = 1 }"}, loader, {});
  ASSERT_TRUE(loaded.diagnostics.has_errors());
  EXPECT_EQ(render_text(loaded.diagnostics.items()[0], loaded.sources),
            "error[limit.files]: more than 1000 files are imported\n"
            "  at f500:1:1\n"
            "  1 │ import \"x\"\n"
            "    │ ^^^^^^^^^^ the first one too many\n");
}

TEST(Elaborate, ImportsNothingThatTheLoaderRefuses) {
  Loader loader;
  loader.resolve = [](const std::string& path, const std::string&) {
    return std::optional(Loader::File{path, "", true});
  };
  Loaded loaded = elaborate({"m.cradle", "import \"../x.cradle\"\nmodel M { x = 1 }"}, loader, {});
  ASSERT_EQ(loaded.diagnostics.error_count(), 1);
  EXPECT_EQ(loaded.diagnostics.items()[0].kind, "import.outside");
  EXPECT_EQ(loaded.diagnostics.items()[0].message,
            "../x.cradle leads out of the folder of the models");
  EXPECT_EQ(loaded.sources.size(), 1U);
}

TEST(Elaborate, BoundsTheStatesOfAnAutomaton) {
  std::string states = "s0";
  for (int i = 1; i < 250; ++i) states += ", s" + std::to_string(i);
  Loaded loaded = elaborate_text("model M { Se u = 1\n0 n {\n inactive off\n active " + states +
                                 "\n}\nu -> n }");
  ASSERT_EQ(loaded.diagnostics.error_count(), 1);
  EXPECT_EQ(loaded.diagnostics.items()[0].kind, "limit.states");
  EXPECT_EQ(loaded.diagnostics.items()[0].message, "n has too many states");
}

// One error says it all.
TEST(Elaborate, BoundsTheModesOfAModalModel) {
  std::string modes;
  for (int i = 0; i < 300; ++i) modes += "mode s" + std::to_string(i) + " {}\n";
  Loaded loaded = elaborate_text("model M { modal m {\n" + modes + "} }");
  ASSERT_EQ(loaded.diagnostics.error_count(), 1);
  EXPECT_EQ(loaded.diagnostics.items()[0].kind, "limit.states");
}

TEST(Elaborate, ReadsMoreOnRequest) {
  EXPECT_FALSE(accept(kCradle).model->find("v2.q").has_value());
  Loaded loaded = elaborate({"test.cradle", kCradle}, {}, {},
                            {"v2.q", "body3.q", "nowhere.q", "1 +", "F13.f", "sin(time)"});
  ASSERT_EQ(diagnostics_of(loaded), "");
  const Model& model = *loaded.model;
  EXPECT_TRUE(model.find("v2.q").has_value());
  EXPECT_TRUE(model.find("body3.q").has_value());
  EXPECT_FALSE(model.find("nowhere.q").has_value());
  EXPECT_EQ(names_of(model.states),
            (Names{"body1.p", "body2.p", "body3.p", "x1", "x3", "b13.q", "v2.q", "body3.q"}));
}

const Shape& shape(const Model& model, const std::string& name) {
  for (const Shape& shape : model.animation) {
    if (shape.name == name) return shape;
  }
  ADD_FAILURE() << "no shape " << name;
  return model.animation.front();
}

std::string part(const Model& model, const std::string& name, const std::string& role) {
  for (const Shape::Part& part : shape(model, name).parts) {
    if (part.role == role) return model.text(part.value);
  }
  return "none";
}

TEST(Animation, IsOfTheModelAndOfEveryInstance) {
  Loaded loaded = accept(R"(
    component Ball {
      param r = 0.5
      input x
      animate { circle disc at (x, r) radius r fill orange label "ball" }
    }
    model M {
      param N = 2
      for i in 1..N {
        x[i] = integral(i, i)
        Ball b[i](2 * r0, x = x[i])
      }
      param r0 = 0.25
      at = [x[1], 3]
      animate {
        for i in 1..N {
          if i > 1 {
            line rope[i] from (x[i - 1], 0) to (x[i], 1) when x[i] > r0
          }
        }
        box b at at size (2 * r0, 1) angle x[1] when true
      }
      if N > 5 {
        animate { circle never at (0, 0) radius 1 }
      }
    })");
  const Model& model = *loaded.model;
  EXPECT_EQ(names_of(model.animation), (Names{"rope[2]", "b", "b[1].disc", "b[2].disc"}));
  EXPECT_EQ(part(model, "rope[2]", "x"), "x[1]");
  EXPECT_EQ(part(model, "rope[2]", "y"), "0");
  EXPECT_EQ(part(model, "rope[2]", "x2"), "x[2]");
  EXPECT_EQ(model.text(shape(model, "rope[2]").when), "0.25 < x[2]");
  EXPECT_EQ(part(model, "b", "x"), "at[1]");
  EXPECT_EQ(part(model, "b", "y"), "at[2]");
  EXPECT_EQ(part(model, "b", "width"), "0.5");
  EXPECT_EQ(part(model, "b", "angle"), "x[1]");
  EXPECT_FALSE(shape(model, "b").when.valid());
  EXPECT_EQ(part(model, "b[2].disc", "x"), "b[2].x");
  EXPECT_EQ(part(model, "b[2].disc", "radius"), "0.5");
  EXPECT_EQ(shape(model, "b[2].disc").fill, "orange");
  EXPECT_EQ(shape(model, "b[2].disc").label, "ball");
}

TEST(Animation, OfAModeIsSeenWhileThatIsActive) {
  Loaded loaded = accept(R"(
    model M {
      modal m {
        mode up {
          x = integral(1)
          animate { circle c at (x, 0) radius 1 when x > 2 }
        }
        mode down {
          animate { circle c at (0, 0) radius 1 }
        }
        up -> down when x > 3
      }
      hit = rising(time - 1)
      animate { circle event at (sample(2, hit), absent) radius 1 when false }
    })");
  const Model& model = *loaded.model;
  EXPECT_EQ(names_of(model.animation), (Names{"m.up.c", "m.down.c", "event"}));
  EXPECT_EQ(model.text(shape(model, "m.up.c").when), "2 < m.up.x");
  EXPECT_EQ(model.text(shape(model, "m.up.c").visible), "m.up and 2 < m.up.x");
  EXPECT_FALSE(shape(model, "m.down.c").when.valid());
  EXPECT_EQ(model.text(shape(model, "m.down.c").visible), "m.down");
  EXPECT_EQ(model.text(shape(model, "event").visible), "false");
  EXPECT_EQ(part(model, "event", "y"), "absent");
}

}  // namespace
}  // namespace cradle::model::testing
