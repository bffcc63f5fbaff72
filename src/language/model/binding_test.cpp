#include "language/model/binding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "language/model/elaborate.hpp"

namespace cradle::model {
namespace {

std::unique_ptr<Model> elaborated(const std::string& items,
                                  const std::vector<Setting>& settings = {}) {
  Loaded loaded = elaborate({"m.cradle", "model M {\n" + items + "\n}"}, {}, settings);
  std::string text;
  for (const Diagnostic& d : loaded.diagnostics.items()) text += render_text(d, loaded.sources);
  EXPECT_NE(loaded.model, nullptr) << text;
  if (!loaded.model) return std::make_unique<Model>();
  return std::move(loaded.model);
}

std::string signal(const Model& model, const std::string& name) {
  for (const Signal& signal : model.signals) {
    if (signal.name == name) return model.text(signal.value);
  }
  return "none";
}

TEST(Decision, HoldsForWhatIsDecidedAlike) {
  using Kind = Decision::Kind;
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto holds = [](Kind kind, double value, double now) {
    return Decision{kind, {}, value}.holds(now);
  };
  EXPECT_TRUE(holds(Kind::Exactly, 2, 2));
  EXPECT_FALSE(holds(Kind::Exactly, 2, 3));
  EXPECT_FALSE(holds(Kind::Exactly, 0.0, -0.0));
  EXPECT_TRUE(holds(Kind::Finite, 2, -3));
  EXPECT_TRUE(holds(Kind::Finite, 0, -3));
  EXPECT_FALSE(holds(Kind::Finite, 2, inf));
  EXPECT_FALSE(holds(Kind::Finite, inf, -inf));
  EXPECT_FALSE(holds(Kind::Finite, 2, NAN));
  EXPECT_TRUE(holds(Kind::Zero, 2, -3));
  EXPECT_FALSE(holds(Kind::Zero, 2, 0));
  EXPECT_FALSE(holds(Kind::Zero, 0, 2));
  EXPECT_TRUE(holds(Kind::Sign, 2, 3));
  EXPECT_FALSE(holds(Kind::Sign, 2, -3));
  EXPECT_FALSE(holds(Kind::Sign, 0, 2));
}

TEST(Binding, ParametersStayInExpressions) {
  const auto model = elaborated(R"(
    param a = 2, b = 3 * a
    x = a * time + b
    y = (a + 1) * b
    z = if a > 1 then time else -time
    I body(b, p = a)
    1 v
    v -> body)");
  EXPECT_EQ(signal(*model, "x"), "a * time + b");
  EXPECT_EQ(signal(*model, "y"), "(a + 1) * b");
  EXPECT_EQ(signal(*model, "z"), "time");  // decided
  EXPECT_EQ(model->text(model->elements[ElementId(0)].laws[0]), "local / b");
  const Binding binding(*model);
  EXPECT_EQ(binding.parameter(*model, 1), 6);
  const auto other = binding.with(*model, "a", 4);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->parameter(*model, 1), 12);
  const auto given = other->with(*model, "b", 7);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->parameter(*model, 0), 4);
  EXPECT_EQ(given->parameter(*model, 1), 7);
  EXPECT_FALSE(binding.with(*model, "a", 1)) << "another branch";
  EXPECT_FALSE(binding.with(*model, "b", -1)) << "no mass";
  EXPECT_FALSE(binding.with(*model, "a", NAN));
  EXPECT_FALSE(binding.with(*model, "c", 1));
}

TEST(Binding, WhatStructureDependsOnNeedsAnotherModel) {
  const auto model = elaborated(R"(
    param n = 3, k = 2, list = [1, 2], on = true
    for i in 1..n { x[i] = k * i }
    y = sum(list[i] * k for i in 1..2)
    z = if on then k else time
    until k)");
  const Binding binding(*model);
  EXPECT_FALSE(binding.with(*model, "n", 4));
  EXPECT_FALSE(binding.with(*model, "on", 0));
  EXPECT_TRUE(binding.with(*model, "on", 1));
  EXPECT_FALSE(binding.with(*model, "on", 0.5));
  EXPECT_FALSE(binding.with(*model, "k", 0)) << "zeros take terms away";
  const auto other = binding.with(*model, "k", 5);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->number(*model, model->until), 5);
}

TEST(Binding, FoldingIsAsIfTheTextHadNumbers) {
  const auto model = elaborated("param a = 1, b = 2\n x = a * time + b\n y = pre(time * b)");
  const auto bound = Binding(*model).with(*model, "b", 5);
  ASSERT_TRUE(bound);
  const Model folded = fold(*model, *bound);
  EXPECT_EQ(signal(folded, "x"), "time + 5");
  EXPECT_EQ(signal(folded, "y"), "pre(time * 5)");
  EXPECT_EQ(folded.parameters[1].value, 5);
  EXPECT_TRUE(folded.slots.empty());
}

TEST(Binding, SettingsAreBoundToo) {
  const auto model = elaborated("param a = 1, b = 2 * a\n x = b * time", {{"b", 7}});
  const Binding binding(*model);
  EXPECT_EQ(binding.parameter(*model, 1), 7);
  const auto other = binding.with(*model, "a", 3);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->parameter(*model, 1), 7) << "what is given stays";
}

}  // namespace
}  // namespace cradle::model
