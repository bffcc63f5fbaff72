// Part by part says the same as all at once: what is left of ∥ is multiplied out behind it, and
// compared with the normal form of the processes themselves.

#include "theory/hypa/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "theory/hypa/parse.hpp"
#include "theory/hypa/present.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

// Two switches, each with its automaton, and what stands between them.
const char* const kTwo = R"(
mode A: off, on
mode B: off, on
S ≈ A ∥ A.auto ∥ B ∥ B.auto ∥ X ∥ Y
A ≈ [A⁻ = on, x′ = 0] ≫ (A = on, u = 0) ▶ A ⊕ [A⁻ = off, x′ = 0] ≫ (A = off, i = 0) ▶ A
  ⊕ [A⁻ = off] ≫ (A = on, u = 0) ▶ A ⊕ [A⁻ = on, x′ = 0] ≫ (A = off, i = 0) ▶ A
A.auto ≈ [A⁻ = on] ≫ (A = on, i ≥ 0) ▶ A.auto ⊕ [A⁻ = off] ≫ (A = off, u ≤ 0) ▶ A.auto
  ⊕ [A⁻ = off, u⁻ > 0] ≫ (A = on, i ≥ 0) ▶ A.auto ⊕ [A⁻ = on, i⁻ < 0] ≫ (A = off, u ≤ 0) ▶ A.auto
B ≈ [B⁻ = on] ≫ (B = on, w = 0) ▶ B ⊕ [B⁻ = off] ≫ (B = off, j = 0) ▶ B
  ⊕ [B⁻ = off] ≫ (B = on, w = 0) ▶ B ⊕ [B⁻ = on] ≫ (B = off, j = 0) ▶ B
B.auto ≈ [B⁻ = on] ≫ (B = on, j ≥ 0) ▶ B.auto ⊕ [B⁻ = off] ≫ (B = off, w ≤ 0) ▶ B.auto
  ⊕ [B⁻ = off, w⁻ > 0] ≫ (B = on, j ≥ 0) ▶ B.auto ⊕ [B⁻ = on, j⁻ < 0] ≫ (B = off, w ≤ 0) ▶ B.auto
X ≈ [x⁺ = x⁻] ≫ (ẋ = i - j, u = 1 - x) ▶ X
Y ≈ [true] ≫ (w = x) ▶ Y
)";

const std::vector<std::string> kProcesses = {"A", "A.auto", "B", "B.auto", "X", "Y"};

Specification read(const std::string& text) {
  Diagnostics diagnostics;
  Specification out = parse(text, 0, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << text;
  return out;
}

NormalForms of(Specification& s, const std::vector<std::string>& processes, std::size_t most) {
  NormalFormOptions options;
  options.max_alternatives = most;
  return normal_forms(s, "S", processes, options);
}

// Alternatives as sets of relations, in no order.
std::set<std::string> meaning(const Specification& s, const NormalForm& form) {
  std::set<std::string> out;
  for (const Alternative& a : form.alternatives) {
    std::string text;
    for (const Predicate* predicate : {&a.jump, &a.flow}) {
      std::set<std::string> relations;
      for (const Relation& r : *predicate) relations.insert(to_string(s.vocabulary, r.holds));
      for (const std::string& relation : relations) text += relation + "; ";
      text += "| ";
    }
    out.insert(text);
  }
  return out;
}

TEST(Parts, FewCombinationsAreMultipliedOut) {
  Specification s = read(kTwo);
  const NormalForms forms = of(s, kProcesses, 256);
  ASSERT_EQ(forms.parts.size(), 1u);
  EXPECT_EQ(forms.parts[0].name, "S");
  EXPECT_FALSE(forms.left_apart);
}

TEST(Parts, ManyAreLeftPartByPart) {
  Specification s = read(kTwo);
  const NormalForms forms = of(s, kProcesses, 5);
  ASSERT_EQ(forms.problem, "");
  ASSERT_EQ(forms.parts.size(), 3u);
  EXPECT_TRUE(forms.left_apart);
  EXPECT_EQ(forms.made_of[0], (std::vector<std::string>{"A", "A.auto"}));
  EXPECT_EQ(forms.made_of[1], (std::vector<std::string>{"B", "B.auto"}));
  EXPECT_EQ(forms.made_of[2], (std::vector<std::string>{"X", "Y"}));
}

TEST(Parts, TogetherTheySayWhatTheProcessesSay) {
  Specification s = read(kTwo);
  Presentation wanted;
  wanted.eliminate = true;
  wanted.max_alternatives = 5;
  std::string problem;
  Specification again = read(present(read(kTwo), wanted, problem));
  ASSERT_EQ(problem, "");
  std::vector<std::string> names;
  for (const Term& part : again.processes[0].body.parts) names.push_back(part.name);
  ASSERT_EQ(names.size(), 3u);
  const NormalForms before = of(s, kProcesses, 4096), after = of(again, names, 4096);
  ASSERT_EQ(before.parts.size(), 1u);
  ASSERT_EQ(after.parts.size(), 1u);
  EXPECT_EQ(meaning(s, before.parts[0]), meaning(again, after.parts[0]));
}

TEST(Parts, APartThatIsTooLargeByItselfIsTold) {
  Specification s = read(kTwo);
  EXPECT_NE(of(s, kProcesses, 1).problem.find("more than 1 combinations"), std::string::npos);
}

}  // namespace
}  // namespace cradle::hypa
