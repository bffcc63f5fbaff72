// The two-mass collision of Cuijpers, Broenink and Mosterman, Constitutive Hybrid Processes,
// section 4: Col comes out with its four alternatives, relation for relation, as they are written
// there; only q₁′ = q₂′ = 0 is two relations.

#include <gtest/gtest.h>

#include <algorithm>

#include "theory/hypa/constitutive.hpp"
#include "theory/hypa/normal_form.hpp"
#include "theory/hypa/parse.hpp"
#include "theory/hypa/print.hpp"
#include "theory/hypa/simplify.hpp"

namespace cradle::hypa {
namespace {

using expr::Op;

struct Collision {
  Specification s;
  NormalForm form;

  Collision() {
    Vocabulary& v = s.vocabulary;
    const BondVariables one = v.bond("1"), two = v.bond("2");
    auto mass = [&](const char* name, const BondVariables& bond, const char* m) {
      ElementParts parts;
      parts.name = name;
      parts.definition = &elements::definition(elements::Kind::I);
      parts.ports = {bond};
      parts.laws = {v.pool.binary(Op::Div, v.pool.leaf(Op::Local, 0), v.parameter(m))};
      s.processes.push_back(element_process(v, parts));
    };
    mass("I1", one, "m1");
    JunctionParts parts;
    parts.name = "J";
    parts.kind = elements::JunctionKind::One;
    parts.inactive = elements::Inactive::Effort;
    parts.bonds = {{one, false}, {two, false}};
    // Opaque, as the seed leaves them: Act and Inact by name.
    parts.act = v.leaf(v.variable("Act", Quantity::Signal, expr::Type::Boolean));
    parts.inact = v.leaf(v.variable("Inact", Quantity::Signal, expr::Type::Boolean));
    s.processes.push_back(junction_process(v, parts));
    mass("I2", two, "m2");
    NormalFormOptions options;
    options.stored = {one.momentum, two.momentum};
    form = normal_form(s, "Col", {"I1", "J", "I2"}, options);
  }

  // The relations, as a set of texts in the notation.
  std::vector<std::string> texts(const Predicate& predicate) const {
    std::vector<std::string> out;
    for (const Relation& r : predicate) out.push_back(to_string(s.vocabulary, r.holds));
    std::sort(out.begin(), out.end());
    return out;
  }
};

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(CollisionTest, FourAlternativesAsInTheSeed) {
  const Collision col;
  ASSERT_EQ(col.form.alternatives.size(), 4u) << col.form.problem;
  const std::string e1 = "`1.E`′ = ((`1.p`⁺)² - (`1.p`⁻)²) / (2·m1)";
  const std::string e2 = "`2.E`′ = ((`2.p`⁺)² - (`2.p`⁻)²) / (2·m2)";
  const std::string momentum = "`1.p`′ + `2.p`′ = 0", q1 = "`1.q`′ = 0", q2 = "`2.q`′ = 0";
  const std::string f1 = "`1.p` = m1·`1.f`", f2 = "`2.p` = m2·`2.f`";
  const auto act = sorted({f1, f2, "`1.e` + `2.e` = 0", "`1.f` = `2.f`", "Act"});
  const auto inact = sorted({f1, f2, "`1.e` = 0", "`2.e` = 0", "Inact"});
  const auto& a = col.form.alternatives;
  EXPECT_EQ(col.texts(a[0].jump),
            sorted({e1, e2, "`1.E`′ + `2.E`′ = 0", momentum, q1, q2, "Act⁻"}));
  EXPECT_EQ(col.texts(a[0].flow), act);
  EXPECT_EQ(col.texts(a[1].jump),
            sorted({"`1.E`′ = 0", "`2.E`′ = 0", "`1.p`′ = 0", "`2.p`′ = 0", q1, q2, "Inact⁻"}));
  EXPECT_EQ(col.texts(a[1].flow), inact);
  const std::string loss = "`1.E`′ + `2.E`′ ≤ 0";
  EXPECT_EQ(col.texts(a[2].jump), sorted({e1, e2, loss, momentum, q1, q2, "Inact⁻"}));
  EXPECT_EQ(col.texts(a[2].flow), act);
  EXPECT_EQ(col.texts(a[3].jump), sorted({e1, e2, loss, momentum, q1, q2, "Act⁻"}));
  EXPECT_EQ(col.texts(a[3].flow), inact);
}

TEST(CollisionTest, TheTwoThatCoincideAreMergedWithAReason) {
  const Collision col;
  ASSERT_EQ(col.form.outcomes.size(), 2u);
  for (const Outcome& outcome : col.form.outcomes) {
    EXPECT_EQ(outcome.kind, Outcome::Kind::Merged);
  }
  EXPECT_EQ(col.form.outcomes[0].reason, "alternative 3 allows this jump, too");
  EXPECT_EQ(col.form.outcomes[1].reason, "alternative 4 allows this jump, too");
}

// Parameters are declared, have no marks, and are read back.
TEST(CollisionTest, NamesOfParametersAreReadBack) {
  const Collision col;
  const std::string text = to_string(col.s);
  EXPECT_TRUE(text.starts_with("param m1, m2\n")) << text;
  Diagnostics diagnostics;
  const Specification again = parse(text, 0, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(again.vocabulary.parameters(), (std::vector<std::string>{"m1", "m2"}));
  ASSERT_EQ(again.processes.size(), col.s.processes.size());
  for (std::size_t i = 0; i < again.processes.size(); ++i) {
    EXPECT_EQ(to_string(again.vocabulary, again.processes[i]),
              to_string(col.s.vocabulary, col.s.processes[i]));
  }
  Specification marked = again;
  Vocabulary& v = marked.vocabulary;
  const ExprId m1 = v.find_parameter("m1");
  EXPECT_EQ(v.marked(m1, Mark::After), m1);
  EXPECT_TRUE(v.leaves(m1).empty());
  EXPECT_EQ(v.weight(m1), v.number(0));
}

TEST(CollisionTest, AParameterIsNoVariable) {
  Diagnostics diagnostics;
  parse("mode x: on, off\nparam x\nX ≈ (x = on) ▶ X", 0, diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.items()[0].message, "'x' is a variable already");
}

// The spectrum from elastic to plastic: one number is free, and energy bounds it.
TEST(CollisionTest, FreedomOfTheSpectrum) {
  const Collision col;
  EXPECT_EQ(col.form.freedom[0].free, 0);  // for masses in general, as for any numbers
  EXPECT_EQ(col.form.freedom[1].free, 0);
  EXPECT_EQ(col.form.freedom[2].free, 0);
  EXPECT_EQ(col.form.freedom[3].unknowns, 2);
  EXPECT_EQ(col.form.freedom[3].free, 1);
  EXPECT_EQ(col.form.freedom[3].bounds, std::vector<std::string>{"`1.E`′ + `2.E`′ ≤ 0"});
}

}  // namespace
}  // namespace cradle::hypa
