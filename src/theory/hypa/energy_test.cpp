#include "theory/hypa/energy.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "theory/hypa/parse.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

// The law is read from text, over ξ.
ExprId law(Vocabulary& v, const std::string& text) {
  Diagnostics diagnostics;
  Specification s = parse("X ≈ (y = " + text + ")", 0, diagnostics, v);
  EXPECT_FALSE(diagnostics.has_errors()) << text;
  v = s.vocabulary;
  return v.pool[s.processes[0].body.clause.predicate[0].holds].b;
}

double value(const Vocabulary& v, ExprId e, double x) {
  const expr::Node& node = v.pool[e];
  if (node.op == expr::Op::Constant) return node.value;
  if (node.op == expr::Op::Local) return x;
  const double a = value(v, node.a, x);
  const double b = node.b.valid() ? value(v, node.b, x) : 0;
  const double c = node.c.valid() ? value(v, node.c, x) : 0;
  return expr::apply(node.op, a, b, c);
}

TEST(EnergyTest, ClosedFormsAgreeWithQuadrature) {
  for (const char* text :
       {"2·ξ", "ξ / 4 + 1", "ξ·ξ·ξ - ξ²", "(ξ - 1)·(ξ + 2) / 3", "abs(ξ)", "ξ·abs(ξ)",
        "if ξ < 1 then ξ else 1 + 3·(ξ - 1)", "max(0, ξ - 0.5)", "min(ξ, 2) + max(ξ, -1)",
        "sign(ξ)·ξ²", "if abs(ξ) < 1 then 0 else ξ", "if ξ > -1 and ξ < 1 then ξ else 2·ξ"}) {
    Vocabulary v;
    const ExprId e = law(v, text);
    for (auto [from, to] : {std::pair{-2.0, 3.0}, {1.5, -0.25}, {0.0, 0.75}, {2.0, 2.0}}) {
      const ExprId energy = energy_integral(v, e, v.number(from), v.number(to));
      ASSERT_NE(v.pool[energy].op, expr::Op::Integral) << text;
      // Piece by piece, for the kinks.
      double expected = 0;
      const int pieces = static_cast<int>(std::abs(to - from) * 4);  // kinks lie at multiples of ¼
      for (int i = 0; i < pieces; ++i) {
        const double h = (to - from) / pieces;
        expected += boost::math::quadrature::gauss_kronrod<double, 15>::integrate(
            [&](double x) { return value(v, e, x); }, from + i * h, from + (i + 1) * h, 0);
      }
      EXPECT_NEAR(value(v, energy, 0), expected, 1e-9) << text << " from " << from << " to " << to;
    }
  }
}

TEST(EnergyTest, OthersStayIntegrals) {
  Vocabulary v;
  const VariableId p = v.variable("x.p", Quantity::Momentum);
  for (const char* text : {"tanh(ξ)", "sqrt(ξ)", "1 / (1 + ξ)", "if sin(ξ) < 0 then 1 else 0"}) {
    const ExprId e = law(v, text);
    const ExprId energy = energy_integral(v, e, v.leaf(p, Mark::Before), v.leaf(p, Mark::After));
    EXPECT_EQ(v.pool[energy].op, expr::Op::Integral) << text;
  }
}

TEST(EnergyTest, ReadsAsAPersonWouldWriteIt) {
  Vocabulary v;
  const VariableId p = v.variable("x.p", Quantity::Momentum);
  auto text = [&](const char* of) {
    const ExprId e = law(v, of);
    return to_string(v, energy_integral(v, e, v.leaf(p, Mark::Before), v.leaf(p, Mark::After)));
  };
  EXPECT_EQ(text("ξ / 3"), "((x.p⁺)² - (x.p⁻)²) / 6");
  EXPECT_EQ(text("2"), "2·(x.p⁺ - x.p⁻)");
  EXPECT_EQ(text("ξ³"), "((x.p⁺)^4 - (x.p⁻)^4) / 4");
}

}  // namespace
}  // namespace cradle::hypa
