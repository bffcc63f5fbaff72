// The constitutive processes of Cuijpers, Broenink, Mosterman, Constitutive Hybrid Processes,
// section 3, in its own words.

#include "theory/hypa/constitutive.hpp"

#include <gtest/gtest.h>

#include "language/elements/jump.hpp"
#include "theory/hypa/parse.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

using expr::Op;

struct Maker {
  Vocabulary v;
  ExprId local = v.pool.leaf(Op::Local, 0);

  ExprId symbol(const char* name) { return v.leaf(v.variable(name, Quantity::State)); }
  std::string element(elements::Kind kind, ExprId law, ExprId signal = {}, int ports = 1) {
    ElementParts parts;
    parts.name = "X";
    parts.definition = &elements::definition(kind);
    for (int i = 0; i < ports; ++i) parts.ports.push_back(v.bond("b" + std::to_string(i + 1)));
    if (law.valid()) parts.laws.assign(static_cast<std::size_t>(ports), law);
    parts.signal = signal;
    return to_string(v, element_process(v, parts));
  }
  Process junction(elements::JunctionKind kind, elements::Inactive inactive, bool controlled,
                   const std::vector<bool>& inward) {
    JunctionParts parts;
    parts.name = "J";
    parts.kind = kind;
    parts.inactive = inactive;
    for (std::size_t i = 0; i < inward.size(); ++i) {
      parts.bonds.push_back({v.bond("b" + std::to_string(i + 1)), inward[i]});
    }
    if (controlled) {
      parts.act = v.leaf(v.variable("Act", Quantity::Signal, expr::Type::Boolean));
      parts.inact = v.leaf(v.variable("Inact", Quantity::Signal, expr::Type::Boolean));
    }
    return junction_process(v, parts);
  }
};

TEST(ConstitutiveTest, StoresWithTheirEnergy) {
  Maker m;
  EXPECT_EQ(m.element(elements::Kind::I, m.v.pool.binary(Op::Div, m.local, m.symbol("m"))),
            "X ≈ [b1.E′ = ((b1.p⁺)² - (b1.p⁻)²) / (2·m), b1.q′ = 0] ≫ (b1.f = b1.p / m) ▶ X");
  EXPECT_EQ(m.element(elements::Kind::C, m.v.pool.binary(Op::Div, m.local, m.symbol("c"))),
            "X ≈ [b1.E′ = ((b1.q⁺)² - (b1.q⁻)²) / (2·c), b1.p′ = 0] ≫ (b1.e = b1.q / c) ▶ X");
  EXPECT_EQ(m.element(elements::Kind::C, m.v.pool.unary(Op::Tanh, m.local)),
            "X ≈ [b1.E′ = (∫[b1.q⁻, b1.q⁺] tanh(ξ) dξ), b1.p′ = 0] ≫ (b1.e = tanh(b1.q)) ▶ X");
}

TEST(ConstitutiveTest, SourcesAndResistance) {
  Maker m;
  EXPECT_EQ(m.element(elements::Kind::Sf, {}, m.symbol("s")),
            "X ≈ [b1.E′ = s⁺·b1.p′, b1.q′ = 0] ≫ (b1.f = s) ▶ X");
  EXPECT_EQ(m.element(elements::Kind::Se, {}, m.symbol("s")),
            "X ≈ [b1.E′ = s⁺·b1.q′, b1.p′ = 0] ≫ (b1.e = s) ▶ X");
  EXPECT_EQ(m.element(elements::Kind::R, m.v.pool.binary(Op::Mul, m.symbol("r"), m.local)),
            "X ≈ [b1.E′ = 0, b1.p′ = 0, b1.q′ = 0] ≫ (b1.e = r·b1.f) ▶ X");
}

TEST(ConstitutiveTest, TransformerAndGyrator) {
  Maker m;
  EXPECT_EQ(m.element(elements::Kind::TF, {}, m.symbol("n"), 2),
            "X ≈ [b1.E′ = b2.E′, b1.p′ = n·b2.p′, b2.q′ = n·b1.q′] ≫ "
            "(b1.e = n·b2.e, b2.f = n·b1.f) ▶ X");
  EXPECT_EQ(m.element(elements::Kind::GY, {}, m.symbol("r"), 2),
            "X ≈ [b1.E′ = b2.E′, b1.p′ = r·b2.q′, b2.p′ = r·b1.q′] ≫ "
            "(b1.e = r·b2.f, b2.e = r·b1.f) ▶ X");
}

TEST(ConstitutiveTest, Bond) {
  Maker m;
  EXPECT_EQ(to_string(m.v, bond_process(m.v, "B", m.v.bond("b"))),
            "B ≈ [true] ≫ (b.E\xCC\x87 = b.e·b.f, b.p\xCC\x87 = b.e, b.q\xCC\x87 = b.f) ▶ B");
}

TEST(ConstitutiveTest, OneEffortJunctionAsInTheSeed) {
  Maker m;
  const Process made =
      m.junction(elements::JunctionKind::One, elements::Inactive::Effort, true, {true, true});
  // Copied from the seed, with Σ± and ∀ written out for two bonds that point inward.
  const std::string seed = R"(
J ≈ [Act⁻, b1.E′ + b2.E′ = 0, b1.p′ + b2.p′ = 0, b2.q′ = b1.q′]
    ≫ (Act, b1.e + b2.e = 0, b2.f = b1.f) ▶ J
  ⊕ [Inact⁻, b1.E′ = 0, b2.E′ = 0, b1.p′ = 0, b2.p′ = 0] ≫ (Inact, b1.e = 0, b2.e = 0) ▶ J
  ⊕ [Inact⁻, b1.E′ + b2.E′ ≥ 0, b1.p′ + b2.p′ = 0, b2.q′ = b1.q′]
    ≫ (Act, b1.e + b2.e = 0, b2.f = b1.f) ▶ J
  ⊕ [Act⁻, b1.E′ + b2.E′ ≥ 0, b1.p′ + b2.p′ = 0, b2.q′ = b1.q′]
    ≫ (Inact, b1.e = 0, b2.e = 0) ▶ J
  ⊕ [Inact⁻, b1.E′ ≥ 0, b2.E′ ≥ 0, b1.p′ = 0, b2.p′ = 0]
    ≫ (Act, b1.e + b2.e = 0, b2.f = b1.f) ▶ J
  ⊕ [Act⁻, b1.E′ ≥ 0, b2.E′ ≥ 0, b1.p′ = 0, b2.p′ = 0] ≫ (Inact, b1.e = 0, b2.e = 0) ▶ J)";
  Diagnostics diagnostics;
  const Specification read = parse(seed, 0, diagnostics, m.v);
  ASSERT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(to_string(read.vocabulary, read.processes[0].body), to_string(m.v, made.body));
}

// Swaps effort with flow and momentum with displacement.
std::string dual(std::string text) {
  for (char& c : text) {
    switch (c) {
      case 'e':
        c = 'f';
        break;
      case 'f':
        c = 'e';
        break;
      case 'p':
        c = 'q';
        break;
      case 'q':
        c = 'p';
        break;
      default:
        break;
    }
  }
  return text;
}

TEST(ConstitutiveTest, TheOtherThreeAreDual) {
  using elements::Inactive;
  using elements::JunctionKind;
  Maker m;
  for (const std::vector<bool>& inward : {std::vector<bool>{true, true, false}, {false, false}}) {
    auto text = [&](JunctionKind kind, Inactive inactive) {
      return to_string(m.v, m.junction(kind, inactive, true, inward).body);
    };
    EXPECT_EQ(text(JunctionKind::Zero, Inactive::Flow),
              dual(text(JunctionKind::One, Inactive::Effort)));
    EXPECT_EQ(text(JunctionKind::Zero, Inactive::Effort),
              dual(text(JunctionKind::One, Inactive::Flow)));
  }
  const Process plain = m.junction(JunctionKind::One, Inactive::Effort, false, {true, false});
  EXPECT_EQ(to_string(m.v, plain.body),
            "[b1.E′ - b2.E′ = 0, b1.p′ = b2.p′, b2.q′ = b1.q′] ≫ (b1.e = b2.e, b2.f = b1.f) ▶ J");
}

// Another law of the same shape changes the process: nothing is typed in elsewhere.
TEST(ConstitutiveTest, TheDefinitionIsTheOnlySource) {
  elements::Definition strange = elements::definition(elements::Kind::TF);
  strange.flow = [](int, bool) -> std::vector<elements::Relation> {
    using elements::Variable;
    return {{.left = {{Variable::Effort, 0, {.factor = 3}}, {Variable::Effort, 1, {.factor = -1}}}},
            {.left = {{Variable::Flow, 0, {}}, {Variable::Flow, 1, {.factor = -3}}}}};
  };
  Maker m;
  ElementParts parts;
  parts.name = "X";
  parts.definition = &strange;
  parts.ports = {m.v.bond("b1"), m.v.bond("b2")};
  EXPECT_EQ(to_string(m.v, element_process(m.v, parts)),
            "X ≈ [b1.E′ = b2.E′, 3·b1.p′ = b2.p′, b1.q′ = 3·b2.q′] ≫ "
            "(3·b1.e = b2.e, b1.f = 3·b2.f) ▶ X");
}

}  // namespace
}  // namespace cradle::hypa
