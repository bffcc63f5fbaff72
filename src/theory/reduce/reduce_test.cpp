// Each rule where it holds and where it must not be used; what is read of what is gone; the text of
// everything that a flat model can hold.

#include "theory/reduce/reduce.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "language/model/testing.hpp"
#include "theory/reduce/write.hpp"

namespace cradle::reduce {
namespace {

using model::testing::accept;

// With the names of parameters.
model::Loaded with_names(const std::string& text) {
  const model::Loader nothing{[](const std::string&, const std::string&) { return std::nullopt; }};
  model::Loaded loaded = model::elaborate({"test.cradle", text}, nothing, {});
  EXPECT_NE(loaded.model, nullptr) << model::testing::diagnostics_of(loaded);
  if (!loaded.model) loaded.model = std::make_unique<model::Model>();
  const model::Model& flat = *loaded.model;
  loaded.model = std::make_unique<model::Model>(model::fold_decided(flat, model::Binding(flat)));
  return loaded;
}

struct Reduced {
  explicit Reduced(const std::string& items)
      : loaded(accept("model M {\n" + items + "\n}")), reduction(reduce(*loaded.model)) {}

  std::string rules() const {
    std::string all;
    for (const Step& step : reduction.steps) all += (all.empty() ? "" : " ") + step.rule;
    return all;
  }
  std::string bonds() const {
    std::string all;
    for (const model::Bond& bond : reduction.model->bonds) {
      all += (all.empty() ? "" : ", ") + bond.name;
    }
    return all;
  }
  // What a name of the old model is in the new one.
  std::string now(const std::string& name) const {
    return reduction.model->text(reduction.model->readable.at(name));
  }
  // The modulus of the only TF or GY.
  std::string two_port() const {
    std::string all;
    for (const model::Element& element : reduction.model->elements) {
      const auto& definition = elements::definition(element.kind);
      if (!definition.through) continue;
      all += (all.empty() ? "" : ", ") + std::string(definition.name) + "(" +
             reduction.model->text(element.signal) + ")";
    }
    return all;
  }

  model::Loaded loaded;
  Reduction reduction;
};

// ---- junctions of one kind

TEST(Merge, TwoZeroJunctions) {
  Reduced r(R"(Sf s = 1  C c(1)  R r(1)  R x(2)
    0 a, b
    s -> a  a -> c  m: a -> b  b -> r  b -> x)");
  EXPECT_EQ(r.rules(), "merge");
  EXPECT_EQ(r.bonds(), "s -> a, a -> c, a -> r, a -> x");
  EXPECT_EQ(r.now("m.e"), "s -> a.e");
  EXPECT_EQ(r.now("m.f"), "a -> r.f + a -> x.f");
  EXPECT_EQ(r.now("b.e"), r.now("m.e"));
}

TEST(Merge, TwoOneJunctionsAgainstTheArrow) {
  Reduced r(R"(Se s = 1  I i(1)  R r(1)  C c(1)
    1 a, b
    s -> a  a -> i  m: b -> a  b -> r  b -> c)");
  EXPECT_EQ(r.rules(), "merge");
  // At b: −e_m − e_r − e_c = 0.
  EXPECT_EQ(r.now("m.e"), "-a -> r.e - a -> c.e");
  EXPECT_EQ(r.reduction.model->junctions.size(), 1u);
}

TEST(Merge, NotDifferentKinds) {
  Reduced r(R"(Se s = 1  I i(1)  R r(1)  C c(1)
    1 a  0 b
    s -> a -> b  a -> i  b -> r  b -> c)");
  EXPECT_EQ(r.rules(), "");
  EXPECT_EQ(r.bonds(), "s -> a, a -> b, a -> i, b -> r, b -> c");
}

TEST(Merge, NotWhereTwoBondsJoinThem) {
  Reduced r(R"(Sf s = 1  C c(1)  R r(1)
    0 a, b
    s -> a  a -> c  a -> b  a -> b  b -> r)");
  EXPECT_EQ(r.rules(), "");
}

TEST(Merge, NotWhereARoundedSumWouldDecide) {
  const std::string graph = R"(Sf s = 1  C c(1)  R r(1)  R x(2)
    0 a, b
    s -> a  a -> c  m: a -> b  b -> r  b -> x )";
  EXPECT_EQ(Reduced(graph + "over = m.f > 1").rules(), "");
  EXPECT_EQ(Reduced(graph + "over = rising(2 * flow)  flow = m.f").rules(), "");
  EXPECT_EQ(Reduced(graph + "over = m.e > 1").rules(), "merge");
  EXPECT_EQ(Reduced(graph + "twice = 2 * m.f").rules(), "merge");
}

// ---- controlled junctions

std::string controlled(const std::string& kind, const std::string& ordinary) {
  return "Se s = 1  I i(1)  R r(1)  C c(1)\n" + kind +
         " K initially off { off -> on when time > 1 }\n" + ordinary +
         " J\n s -> K  K -> i  m: K -> J  J -> r  J -> c";
}

TEST(MergeControlled, OnlyWhereInactiveSetsWhatIsShared) {
  EXPECT_EQ(Reduced(controlled("0/E", "0")).rules(), "merge-controlled");
  EXPECT_EQ(Reduced(controlled("1/F", "1")).rules(), "merge-controlled");
  EXPECT_EQ(Reduced(controlled("0/F", "0")).rules(), "");
  EXPECT_EQ(Reduced(controlled("1/E", "1")).rules(), "");
  EXPECT_EQ(Reduced(controlled("0/E", "1")).rules(), "");
  EXPECT_EQ(Reduced(controlled("1/F", "0")).rules(), "");
}

TEST(MergeControlled, KeepsTheControlledOneAndItsSumIsOfTheOther) {
  Reduced r(controlled("1/F", "1"));
  ASSERT_EQ(r.reduction.model->junctions.size(), 1u);
  EXPECT_EQ(r.reduction.model->junctions[JunctionId(0)].name, "K");
  EXPECT_TRUE(r.reduction.model->junctions[JunctionId(0)].automaton.valid());
  EXPECT_EQ(r.now("m.e"), "K -> r.e + K -> c.e");
  EXPECT_EQ(r.now("J.f"), "s -> K.f");
}

TEST(MergeControlled, NeverTwoControlledOnes) {
  EXPECT_EQ(Reduced(R"(Se s = 1  I i(1)  R r(1)
    0 K initially off { off -> on when time > 1 }
    0 L initially off { off -> on when time > 1 }
    s -> K  K -> i  K -> L  L -> r)")
                .rules(),
            "");
}

// ---- two bonds

TEST(Vanish, OneInAndOneOut) {
  Reduced r(R"(Se s = 1  R r(1)  1 a  s -> a  x: a -> r)");
  EXPECT_EQ(r.rules(), "vanish");
  EXPECT_EQ(r.bonds(), "x");
  EXPECT_EQ(r.now("a.f"), "x.f");
  EXPECT_EQ(r.reduction.model->junctions.size(), 0u);
  EXPECT_EQ(r.reduction.moved, (std::vector<std::string>{"a.f", "s.e", "s.f"}));
}

TEST(Vanish, ThenNeighboursMerge) {
  Reduced r(R"(Sf s = 1  C c(1)  R r(1)  R x(1)
    0 a, b  1 w
    s -> a  a -> c  a -> w -> b  b -> r  b -> x)");
  EXPECT_EQ(r.rules(), "vanish merge");
  EXPECT_EQ(r.bonds(), "s -> a, a -> c, a -> r, a -> x");
}

TEST(Vanish, NotWhereBothPointOneWay) {
  EXPECT_EQ(Reduced("C c(1, q = 1)  R r(1)  1 a  a -> c  a -> r").rules(), "");
  EXPECT_EQ(Reduced("Se s = 1  Sf t = 1  0 a  s -> a  t -> a").rules(), "");
}

TEST(Vanish, NotControlledOnesNorLoops) {
  EXPECT_EQ(Reduced(R"(Se s = 1  R r(1)
    1 a initially on { on -> off when time > 1 }
    s -> a -> r)")
                .rules(),
            "");
  // a -> w -> a would be a bond from a to itself.
  EXPECT_EQ(Reduced("Se s = 1  R r(1)  0 a  1 w  s -> a  a -> r  a -> w  w -> a").rules(), "");
}

TEST(Empty, JunctionsWithoutBondsGo) {
  model::Loaded loaded =
      model::testing::elaborate_text("model M { Se s = 1  R r(1)  s -> r  0 n }");
  ASSERT_NE(loaded.model, nullptr);
  EXPECT_EQ(reduce(*loaded.model).model->junctions.size(), 0u);
}

// ---- TF and GY

std::string chain(const std::string& two_ports) {
  return "Se s = 1  R r(1)  1 a  I i(1)  " + two_ports + "  s -> a  a -> i  a -> x -> y -> r";
}

TEST(Combine, AllPairs) {
  EXPECT_EQ(Reduced(chain("TF x(2)  TF y(3)")).two_port(), "TF(6)");
  EXPECT_EQ(Reduced(chain("GY x(6)  GY y(3)")).two_port(), "TF(2)");
  EXPECT_EQ(Reduced(chain("TF x(2)  GY y(3)")).two_port(), "GY(6)");
  EXPECT_EQ(Reduced(chain("GY x(6)  TF y(3)")).two_port(), "GY(2)");
}

TEST(Combine, WhatIsBetweenCanBeRead) {
  Reduced tt(chain("TF x(2)  TF y(3)"));
  EXPECT_EQ(tt.now("x.out.e"), "3 * x_y -> r.e");
  EXPECT_EQ(tt.now("x.out.f"), "2 * a -> x_y.f");
  Reduced gg(chain("GY x(6)  GY y(3)"));
  EXPECT_EQ(gg.now("y.in.e"), "6 * a -> x_y.f");
  EXPECT_EQ(gg.now("y.in.f"), "a -> x_y.e / 6");
  Reduced tg(chain("TF x(2)  GY y(3)"));
  EXPECT_EQ(tg.now("x.out.e"), "3 * x_y -> r.f");
  EXPECT_EQ(tg.now("x.out.f"), "2 * a -> x_y.f");
  Reduced gt(chain("GY x(6)  TF y(3)"));
  EXPECT_EQ(gt.now("x.out.e"), "6 * a -> x_y.f");
  EXPECT_EQ(gt.now("x.out.f"), "a -> x_y.e / 6");
}

TEST(Combine, ThroughAJunctionThatVanishesAndToNothing) {
  Reduced r(R"(Se s = 1  R r(1)  1 a, w  I i(1)  GY x(3)  GY y(3)
    s -> a  a -> i  a -> x -> w -> y -> r)");
  EXPECT_EQ(r.rules(), "vanish combine unit");
  EXPECT_EQ(r.bonds(), "s -> a, a -> i, a -> r");
}

TEST(Combine, OnlyConstantsOtherThanZero) {
  EXPECT_EQ(Reduced(chain("TF x(1 + time)  TF y(3)")).rules(), "");
  EXPECT_EQ(Reduced(chain("TF x(0)  TF y(3)")).rules(), "");
}

TEST(Combine, NotWhereAJunctionBranches) {
  EXPECT_EQ(Reduced(R"(Se s = 1  R r(1)  R z(1)  1 a  0 w  I i(1)  TF x(2)  TF y(3)
    s -> a  a -> i  a -> x -> w -> y -> r  w -> z)")
                .rules(),
            "");
}

// ---- what reads it

TEST(Readers, EverythingFollows) {
  Reduced r(R"(Sf s = 1 + pre(m.f)  C c(1)  R r(law(f) = f + y)  R x(2)
    0 a, b
    s -> a  a -> c  m: a -> b  b -> r  b -> x
    y = hold(sample(m.f, event(1)), 0)
    z = integral(m.f, 1)
    show m.f, m.q, impulse(m.e), 2 * m.q)");
  EXPECT_EQ(r.rules(), "merge");
  const model::Model& m = *r.reduction.model;
  EXPECT_EQ(m.text(m.show[0].value), "a -> r.f + a -> x.f");
  EXPECT_EQ(m.text(m.show[2].value), "impulse(s -> a.e)");
  EXPECT_EQ(m.text(m.elements[ElementId(0)].signal), "1 + pre(a -> r.f + a -> x.f)");
  ASSERT_TRUE(m.find("m.q").has_value());
  const Written written = write(m);
  ASSERT_FALSE(written.fault) << written.fault->notes.front().text;
  EXPECT_NE(written.text.find("m_q = integral(r.f + x.f)  // m.q"), std::string::npos)
      << written.text;
}

// ---- text

// Reads the text of a model and writes it again: the same text, but for comments.
std::string fixed_point(const std::string& text) {
  model::Loaded loaded = accept(text);
  const Written first = write(*loaded.model);
  if (first.fault) return "refused: " + first.fault->notes.front().text;
  model::Loaded again = accept(first.text);
  const Written second = write(*again.model);
  if (second.fault) return "refused again: " + second.fault->notes.front().text;
  auto without_comments = [](const std::string& written) {
    std::string out;
    std::istringstream lines(written);
    for (std::string line; std::getline(lines, line);) {
      line = line.substr(0, line.find("//"));
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
  };
  EXPECT_EQ(without_comments(first.text), without_comments(second.text));
  return first.text;
}

TEST(Text, NamesBecomePlainAndSayWhereTheyAreFrom) {
  const std::string text = fixed_point(R"(
component Pump { port a  R valve(2)  a -> valve  output flow = valve.f }
model M { Se s = 1  0 n[1], n[2]  Pump pump  Pump p[2]
  s -> n[1] -> n[2]  n[2] -> pump.a  n[2] -> p[2].a  pump_valve = time
  show pump.flow, pump.valve.e, pump.a.f, n[2].e })");
  EXPECT_NE(text.find("R pump_valve_2(2)  // pump.valve"), std::string::npos) << text;
  EXPECT_NE(text.find("0 n_1  // n[1]"), std::string::npos) << text;
  EXPECT_NE(text.find("p_2_flow = p_2_valve.f"), std::string::npos) << text;
  EXPECT_NE(text.find("show pump_flow, pump_valve_2.e, pump_valve_2.f, n_2.e"), std::string::npos)
      << text;
}

TEST(Text, ElementsOfAllKinds) {
  const std::string text = fixed_point(R"(
model M { I a(2, f = 3), b(law(p) = p^3 + 1, p = -1)  C c(1, q = 0.1), d(law(q) = -q)
  R r(0.5), s(law(f) = f * abs(f)), t(law(e) = tanh(e / 2)), u(1 + x), w(law(f) = -f)
  Se se = 2 * omega + pre(x)  Sf sf = -x^2 + -2^x
  I coils(matrix = [[2, 1], [1, 3]], p = [1, 0])  C one(matrix = [[2]], e = [1])
  TF tf(x)  GY gy(0.1)
  1 j  x = time
  se -> j  j -> a  j -> b  j -> c  j -> d  j -> r  j -> s  j -> t  j -> u  j -> w  sf -> j
  j -> coils[1]  j -> coils[2]  j -> one[1]  j -> tf -> gy -> j
  show coils[2].p, one[1].e, tf.out.f })");
  EXPECT_NE(text.find("I coils(matrix = [[2, 1], [1, 3]], p = [1, 0])"), std::string::npos) << text;
  EXPECT_NE(text.find("C one(matrix = [[2]], e = [1])"), std::string::npos) << text;
  EXPECT_NE(text.find("R w(law(f) = -f)"), std::string::npos) << text;
}

TEST(Text, AutomataPrioritiesAndKinds) {
  const std::string text = fixed_point(R"(
model M { Se s = 1  R r(1)  0 n
  1/E A initially wait {
    active go, run
    inactive wait
    wait -> go after eps priority 2 when time > 1 and not B0.on
    wait -> run priority -1 when A.wait and B0.active
  }
  0 B  1 D initially off  0/F E { on -> off when s.f > inf }
  s -> n  n -> A  A -> B  B -> D  D -> E  E -> r
  priority A > B0 > E  0 B0 initially on  n -> B0 })");
  EXPECT_NE(text.find("priority A > B0"), std::string::npos) << text;
  EXPECT_EQ(text.find("priority A > E"), std::string::npos) << text;
}

TEST(Text, MemoriesOfAllKinds) {
  const std::string text = fixed_point(R"(
model M { x = integral(v, 1, delay(sample(-2 * v, hit)))  v = integral(-9.81)
  hit = falling(x)  up = rising(x, 0.5)  any = crossing(v)
  tick = clock(0.5, 0.1, values = [1, 2], count = 3)  once = event(1)  said = event(2, 3)
  held = hold(tick, 0)  before = fby(false, up)  late = time_delay(tick, 0.25)
  saw = sawtooth(2, 0.5) + count(1)  on = pulse(1, 0.25)
  pick = choose(on, x > 1, order = true)  open = choose(hit, up)
  nested = 2 * integral(fby(0, x))  both = sign(integral(v))
  when once { inner = hold(x, 0) + integral(1) }
  w = integral([v, -v], [0, 1])  never = absent
  e = default(tick, said, 0)  p = is_present(hit)  q = inhibit(x, tick)
  show w, nested - held, finite(x), both })");
  EXPECT_NE(text.find("held = hold(tick, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("nested = 2 * integral(fby(0, x))"), std::string::npos) << text;
}

TEST(Text, ModalModels) {
  const std::string text = fixed_point(R"(
model M { x = time  kick = event(2)
  modal ball initially falling {
    mode falling {
      v = integral(-9.81)  x = integral(v, 10)  hit = falling(x)
      C c(1, q = 1)  R r(1)  1 j  j -> c  j -> r
      modal inner { mode a { y = hold(hit, false) }  mode b { y = true }
        a -> b immediate when y  b -> a default when x > 1 { set y = false } }
    }
    mode sitting { x = integral(0)  v = 0 }
    final mode gone {}
    falling -> falling history when hit { set v = -0.8 * v }
    falling -> sitting priority 1 when hit and abs(v) < 0.1 { set x = x  output bang = 1 }
    sitting -> falling when kick { set v = 3  set c.q = 2 }
    sitting -> gone preemptive when kick and time > 50
  }
  seen = ball.falling.c.q  z = ball.falling.inner.y
  show ball.x, ball.falling, ball.falling.v, ball.bang, ball.falling.j.f })");
  EXPECT_NE(text.find("output bang = 1"), std::string::npos) << text;
  EXPECT_NE(text.find("final mode gone"), std::string::npos) << text;
}

// A signal that names the integral is silent where the guard preempts, and the integral is not.
TEST(Text, WhatTheLanguageCannotSayIsRefused) {
  model::Loaded loaded = accept(R"(model M { kick = event(2)
    modal m { mode a { x = sign(integral(1)) }  mode b {}  a -> b preemptive when kick } })");
  const Written written = write(*loaded.model);
  ASSERT_TRUE(written.fault.has_value());
  EXPECT_EQ(written.fault->kind, "reduce.unwritable");
  EXPECT_EQ(written.fault->notes.front().text, "the signal m.a.x");
  EXPECT_EQ(written.text, "");
}

// ---- parameters

std::string reduced_text(const std::string& source) {
  const model::Loaded loaded = with_names(source);
  const Reduction reduction = reduce(*loaded.model);
  const Written written = write(*reduction.model);
  EXPECT_FALSE(written.fault) << written.fault->notes.front().text;
  return written.text;
}

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << part << " in\n" << text;
}

TEST(Parameters, KeepTheirNames) {
  const std::string text = reduced_text(R"(model M { param m1 = 2, speed = 3, unused = 4
    param m2 = 2 * m1
    I a(m1, f = speed)  I b(m2)  1 j  j -> a  j -> b
    x = integral(m1, speed)  y = clock(speed)
    until 5 * speed })");
  EXPECT_TRUE(has(text, "param m1 = 2\n"));
  EXPECT_TRUE(has(text, "param m2 = 2 * m1\n"));
  EXPECT_TRUE(has(text, "I a(m1, f = speed)"));
  EXPECT_TRUE(has(text, "x = integral(m1, speed)"));
  EXPECT_TRUE(has(text, "y = clock(speed)"));
  EXPECT_TRUE(has(text, "until 5 * speed"));
  EXPECT_FALSE(has(text, "unused"));
}

TEST(Parameters, OfInstancesAreThoseThatTheyAreGiven) {
  const std::string text =
      reduced_text(R"(component K { port p  param own = 1, given = 1  R a(own)  R b(given)  1 j
      p -> j  j -> a  j -> b }
    model M { param r = 2
    K k(own = 3, given = r)
    Se s = 1  1 w  I i(1)  s -> w -> k.p  w -> i })");
  EXPECT_TRUE(has(text, "param k_own = 3  // k.own\n"));
  EXPECT_TRUE(has(text, "R k_a(k_own)"));
  EXPECT_TRUE(has(text, "R k_b(r)"));
}

TEST(Parameters, ThatDecideWhatTheModelIsAreNumbers) {
  const std::string text = reduced_text(R"(model M { param n = 2, zero = 0, k = 3, asked = 1
    require asked > 0
    for i in 1 .. n { x[i] = n * time }
    y = k * time + zero  z = if k > 2 then time else asked
    w = asked * time })");
  EXPECT_TRUE(has(text, "x_1 = 2 * time"));
  EXPECT_TRUE(has(text, "y = k * time\n")) << "zeros take terms away";
  EXPECT_TRUE(has(text, "require 2 < k\n")) << "which chose a branch";
  EXPECT_TRUE(has(text, "w = asked * time"));
  EXPECT_TRUE(has(text, "require 0 < asked\n"));
  EXPECT_TRUE(has(reduced_text(text), "require 2 < k\n")) << "it is kept";
}

TEST(Parameters, ModuliAreCombinedByName) {
  const model::Loaded loaded = with_names(R"(model M { param m = 2, one = 1, r = 4
    Se s = 1  TF a(m)  GY b(r)  TF c(one)  I i(1)
    s -> a -> b -> c -> i })");
  const Reduction reduction = reduce(*loaded.model);
  ASSERT_EQ(reduction.steps.size(), 2u);
  EXPECT_EQ(reduction.steps[0].rule, "combine");
  EXPECT_EQ(reduction.steps[0].why, "modulus m * r");
  EXPECT_EQ(reduction.steps[1].why, "modulus m * r / one") << "one may be another number";
  EXPECT_TRUE(has(write(*reduction.model).text, "GY a_b_c(m * r / one)"));
}

TEST(Text, ReducedModesStayInTheirMode) {
  Reduced r(R"(modal m { mode a { Se s = 1  R r(1)  C c(1)  1 w  0 n  s -> w -> n  n -> r  n -> c }
      mode b { x = 1 }  a -> b when time > 1 }
    show m.a.c.q, m.a.w.f)");
  EXPECT_EQ(r.rules(), "vanish");
  const Written written = write(*r.reduction.model);
  ASSERT_FALSE(written.fault) << written.fault->notes.front().text;
  EXPECT_NE(written.text.find("show m.a.c.q, m.a.s.f"), std::string::npos) << written.text;
}

}  // namespace
}  // namespace cradle::reduce
