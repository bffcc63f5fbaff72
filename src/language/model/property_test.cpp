// Size, speed, and what holds of every model.

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "language/expr/print.hpp"
#include "language/model/testing.hpp"

namespace cradle::model::testing {
namespace {

std::string ladder(int sections) {
  return R"(
component Section { param m = 1, r = 2
  port a, b
  1 j  a -> j -> b
  I mass(m)  R damper(r)
  j -> mass  j -> damper
  output v = j.f }
model Ladder { param N = )" +
         std::to_string(sections) + R"(
  Se s = sin(time)
  0 n[0]
  s -> n[0]
  for i in 1..N {
    Section k[i](m = 1 + i / N)
    0 n[i]
    C c[i](1, q = i)
    n[i - 1] -> k[i].a
    k[i].b -> n[i] -> c[i]
    x[i] = if i > 1 then x[i - 1] + integral(k[i].v) else 0
  }
  total = sum(c[i].q for i in 1..N)
  show total
})";
}

TEST(Size, TenThousandElementsAreElaborated) {
  Loaded loaded = accept(ladder(3400));
  EXPECT_GE(loaded.model->elements.size(), 10000U);
  EXPECT_EQ(loaded.model->bonds.size(), 1U + 5U * 3400U);
  EXPECT_TRUE(loaded.model->find("k[3400].mass.p").has_value());
}

TEST(Size, WorkGrowsWithTheModelAndNotItsSquare) {
  Loaded small = accept(ladder(100)), large = accept(ladder(1000));
  double nodes =
      static_cast<double>(large.model->pool.size()) / static_cast<double>(small.model->pool.size());
  EXPECT_LT(nodes, 11);
}

// What a model is, up to the order of its text.
std::multiset<std::string> shape(const Model& model) {
  std::multiset<std::string> parts;
  const expr::LeafName leaf = [](const expr::Node& node) {
    return std::string(expr::name(node.op));
  };
  for (const Bond& bond : model.bonds) parts.insert("bond " + bond.name);
  for (const Element& element : model.elements) {
    std::string part = "element " + element.name;
    for (const BondEnd& port : element.ports) part += " " + model.bonds[port.bond].name;
    for (ExprId law : element.laws) part += " " + expr::to_string(model.pool, law, leaf);
    parts.insert(part);
  }
  for (const Junction& junction : model.junctions) {
    parts.insert("junction " + junction.name + " " + std::to_string(junction.bonds.size()));
  }
  for (const State& state : model.states) {
    parts.insert("state " + state.name + " " + std::to_string(model.pool[state.initial].value));
  }
  for (const Parameter& parameter : model.parameters) {
    parts.insert("parameter " + parameter.name + " " + std::to_string(parameter.value));
  }
  for (const std::string& name : model.readable_names()) parts.insert(name);
  return parts;
}

TEST(Property, ReorderingItemsChangesNothingButOrder) {
  const std::vector<std::string> components = {
      "component A { param r = 1  port a  R load(r)  a -> load  output i = load.f }",
      "component B { port a  0 n  a -> n  A x(2), y(3)  n -> x.a  n -> y.a }"};
  std::vector<std::string> items = {
      "param m = 2 * k",
      "param k = 3",
      "I body(m, p = k)",
      "1 v",
      "v -> body",
      "Se u = sin(time) + x",
      "u -> v",
      "v -> b.a",
      "B b",
      "x = integral(body.f)",
      "y = if late then b.x.i else w[2]",
      "late = time > 1",
      "for i in 1..3 { w[i] = i * x }",
      "if k > 2 { R friction(k)  v -> friction }",
      "z = friction.q",
      "1/F s initially off { off -> on when late  on -> off when y > 2 }",
      "v -> s",
      "C spring(1)",
      "s -> spring"};
  auto build = [&](bool reverse) {
    std::string text;
    for (std::size_t i = 0; i < components.size(); ++i) {
      text += components[reverse ? components.size() - 1 - i : i] + "\n";
    }
    text += "model M {\n";
    for (const std::string& item : items) text += item + "\n";
    return text + "}\n";
  };
  Loaded first = accept(build(false));
  std::multiset<std::string> expected = shape(*first.model);
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(items.begin(), items.end(), random);
    Loaded loaded = accept(build(i % 2 == 1));
    ASSERT_EQ(shape(*loaded.model), expected);
  }
}

TEST(Property, EqualTextsGiveEqualModels) {
  Loaded a = accept(ladder(50)), b = accept(ladder(50));
  EXPECT_EQ(names_of(a.model->states), names_of(b.model->states));
  EXPECT_EQ(names_of(a.model->bonds), names_of(b.model->bonds));
  ASSERT_EQ(a.model->pool.size(), b.model->pool.size());
  for (std::size_t i = 0; i < a.model->pool.size(); ++i) {
    EXPECT_EQ(a.model->pool[ExprId(i)], b.model->pool[ExprId(i)]);
  }
}

// Every prefix and every text with a piece cut out is answered, never with a crash, and a model is
// handed out just when there is no error.
TEST(Property, DamagedTextsAreAnswered) {
  const std::string text = kCradle;
  std::mt19937 random(11);
  for (int i = 0; i < 400; ++i) {
    std::string damaged = text;
    std::size_t at = random() % damaged.size();
    damaged.erase(at, 1 + random() % 12);
    if (i % 3 == 0) damaged.insert(random() % damaged.size(), "[i] = F13.e -> ");
    Loaded loaded = elaborate_text(damaged);
    EXPECT_EQ(loaded.model == nullptr, loaded.diagnostics.has_errors());
  }
}

}  // namespace
}  // namespace cradle::model::testing
