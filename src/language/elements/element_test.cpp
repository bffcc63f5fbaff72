#include "language/elements/element.hpp"

#include <gtest/gtest.h>

namespace cradle::elements {
namespace {

// Σ coefficient · value over the left side of a relation, for given efforts, flows and modulus.
double left_side(const Relation& relation, const double* e, const double* f, double modulus) {
  double sum = 0;
  for (const Term& term : relation.left) {
    double k = term.coefficient.factor * (term.coefficient.modulus ? modulus : 1);
    sum += k * (term.variable == Variable::Effort ? e : f)[term.port];
  }
  return sum;
}

TEST(ElementsTest, TableIsWhole) {
  EXPECT_EQ(all().size(), 7u);
  for (const Definition* definition_of : all()) {
    EXPECT_EQ(&definition(definition_of->kind), definition_of);
    EXPECT_EQ(find(definition_of->name), definition_of);
    int ports = definition_of->ports < 0 ? 3 : definition_of->ports;
    // One relation per port: every bond has two unknowns and two ends.
    EXPECT_EQ(definition_of->flow(ports, false).size(), static_cast<std::size_t>(ports));
  }
  EXPECT_EQ(find("L"), nullptr);
}

TEST(ElementsTest, StoresKeepMomentumOrDisplacement) {
  EXPECT_EQ(definition(Kind::I).storage, Storage::Momentum);
  EXPECT_EQ(definition(Kind::C).storage, Storage::Displacement);
  auto field = definition(Kind::C).flow(2, false);
  EXPECT_EQ(field[1].left[0].variable, Variable::Effort);
  EXPECT_EQ(field[1].left[0].port, 1);
  EXPECT_EQ(field[1].port, 1);
  EXPECT_EQ(field[1].right, Right::StateLaw);
  EXPECT_EQ(definition(Kind::I).flow(1, false)[0].left[0].variable, Variable::Flow);
}

TEST(ElementsTest, ResistanceIsWrittenEitherWay) {
  Relation usual = definition(Kind::R).flow(1, false)[0];
  EXPECT_EQ(usual.left[0].variable, Variable::Effort);
  EXPECT_EQ(usual.argument, Variable::Flow);
  Relation other = definition(Kind::R).flow(1, true)[0];
  EXPECT_EQ(other.left[0].variable, Variable::Flow);
  EXPECT_EQ(other.argument, Variable::Effort);
}

TEST(ElementsTest, TransformerAndGyratorHoldAndKeepPower) {
  double modulus = 3;
  {
    double e[] = {6, 2}, f[] = {5, 15};  // e₁ = 3·e₂, f₂ = 3·f₁
    EXPECT_EQ(e[0] * f[0], e[1] * f[1]);
    for (const Relation& r : definition(Kind::TF).flow(2, false)) {
      EXPECT_EQ(left_side(r, e, f, modulus), 0);
    }
  }
  {
    double e[] = {6, 15}, f[] = {5, 2};  // e₁ = 3·f₂, e₂ = 3·f₁
    EXPECT_EQ(e[0] * f[0], e[1] * f[1]);
    for (const Relation& r : definition(Kind::GY).flow(2, false)) {
      EXPECT_EQ(left_side(r, e, f, modulus), 0);
    }
  }
}

}  // namespace
}  // namespace cradle::elements
