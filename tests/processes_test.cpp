// Models as processes: every model can be written and read back; normal forms of the seeds' models.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cradle/hypa.hpp"

namespace cradle {
namespace {

const std::string root = CRADLE_ROOT;

std::vector<std::string> all_models() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/models")) {
    if (entry.path().extension() == ".cradle") {
      out.push_back(std::filesystem::relative(entry.path(), root + "/models").string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Model load(const std::string& path, const std::vector<Setting>& settings = {}) {
  return Model::load(root + "/models/" + path, settings);
}

class EveryModel : public testing::TestWithParam<std::string> {};

// What is printed, read back and printed again is the same, but for what the model knows of itself.
TEST_P(EveryModel, IsReadBack) {
  const Model model = load(GetParam());
  ASSERT_TRUE(model.ok());
  auto lines = [](std::string text) {  // without comments
    std::string out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      const auto comment = line.find("//");
      if (comment != std::string::npos) line.resize(comment);
      while (!line.empty() && line.back() == ' ') line.pop_back();
      if (!line.empty()) out += line + "\n";
    }
    return out;
  };
  const HypaResult first = processes_of(model);
  ASSERT_TRUE(first.ok()) << first.diagnostics;
  const HypaResult second = processes_from_text("text.hypa", first.text);
  ASSERT_TRUE(second.ok()) << second.diagnostics << first.text;
  EXPECT_EQ(lines(second.text), lines(first.text));
}

TEST_P(EveryModel, HasANormalFormThatIsReadBack) {
  Model model = load(GetParam());
  if (GetParam() == "circuits/diode_ladder.cradle" || GetParam() == "mechanics/balls.cradle") {
    model.set("N", 2);  // more have too many modes
  }
  const HypaResult form = processes_of(model, {.eliminate = true});
  ASSERT_TRUE(form.ok()) << form.diagnostics;
  const HypaResult read = processes_from_text("text.hypa", form.text);
  EXPECT_TRUE(read.ok()) << read.diagnostics << form.text;
  if (form.text.size() > 100000) return;  // it takes long, and shows nothing new
  for (auto format : {HypaOptions::Format::Latex, HypaOptions::Format::Json}) {
    const HypaResult other = processes_of(model, {.format = format, .eliminate = true});
    EXPECT_TRUE(other.ok());
    EXPECT_EQ(std::count(other.text.begin(), other.text.end(), '{'),
              std::count(other.text.begin(), other.text.end(), '}'));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(all_models()), [](const auto& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(NormalFormTest, TwoCapacitors) {
  const std::string text =
      processes_of(load("circuits/two_capacitors.cradle"), {.eliminate = true, .values = true})
          .text;
  EXPECT_TRUE(has(text, "4 alternatives")) << text;
  // Closing: charge is kept, energy may be lost, and both end at one voltage.
  EXPECT_TRUE(has(text, R"(      // 4. switch.s.S off → on: the jump is determined
      [ Jump,
        c1.E′ = ((c1.q⁺)² - (c1.q⁻)²) / 2,
        c2.E′ = ((c2.q⁺)² - (c2.q⁻)²) / 4,
        c1.q′ + c2.q′ = 0,
        c1.E′ + c2.E′ ≤ 0,
        time ≥ 1,
        switch.s.S⁻ = off ]
      ≫ (Flow, c1.f + c2.f = 0, c1.e = c2.e, time ≥ 1, switch.s.S = on) ▶ TwoCapacitors)"))
      << text;
}

TEST(NormalFormTest, CradleAsInTables) {
  const std::string text = processes_of(load("mosterman/cradle.cradle"), {.eliminate = true}).text;
  EXPECT_TRUE(has(text, "16 alternatives")) << text;
  // The collision of Table 1: all three move as one, one equation each for momentum and contact.
  EXPECT_TRUE(has(text, "// 9. F13 off → on, F23 on: the jump is determined")) << text;
  EXPECT_TRUE(has(text, "impact.p′ = body2.p′ + body3.p′")) << text;
  EXPECT_TRUE(has(text, "body1.f + impact.f = body3.f")) << text;
  // Breakaway is judged on what was tried.
  EXPECT_TRUE(has(text, "abs(impulse(v3_F23.e°)) > J_break")) << text;
}

TEST(NormalFormTest, FlybackKeepsItsCurrent) {
  const std::string text =
      processes_of(load("circuits/flyback.cradle"), {.eliminate = true, .values = true}).text;
  EXPECT_TRUE(has(text, "16 alternatives")) << text;
  // Open and blocking stops the current; open and conducting does not touch it.
  EXPECT_TRUE(has(text, "coil.e = -0.7")) << text;
  EXPECT_TRUE(has(text, "coil.p = 0")) << text;
}

// m₁ and restitution as the papers have them; what only passes a parameter on has its name.
TEST(NormalFormTest, ParametersHaveTheirNames) {
  const std::string text =
      processes_of(load("mosterman/collision.cradle"), {.eliminate = true}).text;
  EXPECT_TRUE(has(text, "param mass1, mass2, restitution\n")) << text;
  EXPECT_TRUE(has(text, "body1.E′ = ((body1.p⁺)² - (body1.p⁻)²) / (2·mass1)")) << text;
  EXPECT_TRUE(has(text, "body2.p = mass2·body2.f")) << text;
  EXPECT_TRUE(has(text, "contact.impact.f = restitution·(")) << text;
  EXPECT_FALSE(has(text, "0.8")) << text;
  Model given = load("mosterman/collision.cradle");
  given.set("contact.restitution", 0.5);
  const std::string other = processes_of(given).text;
  EXPECT_TRUE(has(other, "contact.impact.f = contact.restitution·(")) << other;
}

TEST(NormalFormTest, TooManyModesAreRefused) {
  // What multiplies stays apart; a part that has too many by itself is refused.
  const HypaResult parts =
      processes_of(load("circuits/diode_ladder.cradle", {{"N", 40}}), {.eliminate = true});
  EXPECT_TRUE(parts.ok()) << parts.diagnostics;
  EXPECT_TRUE(has(parts.text, "Between the parts ∥ stands")) << parts.text.substr(0, 500);
  const HypaResult result =
      processes_of(load("circuits/flyback.cradle"), {.eliminate = true, .max_alternatives = 1});
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(has(result.diagnostics, "error[hypa.normal-form]")) << result.diagnostics;
}

}  // namespace
}  // namespace cradle
