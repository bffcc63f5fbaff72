#include "theory/hypa/parse.hpp"

#include <gtest/gtest.h>

#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

std::string read(const std::string& text) {
  Diagnostics diagnostics;
  const Specification s = parse(text, 0, diagnostics);
  if (diagnostics.has_errors()) return "error: " + diagnostics.items()[0].message;
  return to_string(s.vocabulary, s.processes[0].body);
}

// With as few parentheses as the binding order allows: ▶, ≫, ∥, ⊕ from strong to weak.
TEST(ParseTest, ParenthesesWhereTheBindingOrderNeedsThem) {
  EXPECT_EQ(read("X ≈ ([a] ≫ ((b) ▶ Y))"), "[a] ≫ (b) ▶ Y");
  EXPECT_EQ(read("X ≈ ([a] ≫ (b)) ▶ Y"), "([a] ≫ (b)) ▶ Y");
  EXPECT_EQ(read("X ≈ (Y ∥ Z) ⊕ W"), "Y ∥ Z ⊕ W");
  EXPECT_EQ(read("X ≈ Y ∥ (Z ⊕ W)"), "Y ∥ (Z ⊕ W)");
  EXPECT_EQ(read("X ≈ [a] ≫ (Y ∥ Z)"), "[a] ≫ (Y ∥ Z)");
  EXPECT_EQ(read("X ≈ ([a] ≫ Y) ∥ Z"), "[a] ≫ Y ∥ Z");
  EXPECT_EQ(read("X ≈ (Y ▶ Z) ▶ W"), "(Y ▶ Z) ▶ W");
  EXPECT_EQ(read("X ≈ Y ▶ (Z ▶ W)"), "Y ▶ Z ▶ W");
  EXPECT_EQ(read("X ≈ Y ▶ ([a] ≫ Z)"), "Y ▶ ([a] ≫ Z)");
}

TEST(ParseTest, ClausesWithTheirVariables) {
  EXPECT_EQ(read("X ≈ [x, y | x⁺ = 0] ≫ (x | y = 1) ▶ X"), "[x, y | x⁺ = 0] ≫ (x | y = 1) ▶ X");
  EXPECT_EQ(read("X ≈ [true] ≫ (true) ▶ X"), "[true] ≫ (true) ▶ X");
}

TEST(ParseTest, MarksAndAscii) {
  EXPECT_EQ(read("X ~= [x^+ = -x^- and y' = 0] >> (der(x) = 1) |> X (+) (x <= y) || (x != 2)"),
            "[x⁺ = -x⁻ ∧ y′ = 0] ≫ (x\xCC\x87 = 1) ▶ X ⊕ (x ≤ y) ∥ (x ≠ 2)");
  EXPECT_EQ(read("X ≈ (ẋ = a·y, b.q\xCC\x87 = b.f, z^o > 1)"),
            "(x\xCC\x87 = a·y, b.q\xCC\x87 = b.f, z° > 1)");
  EXPECT_EQ(read("X ≈ (`pre(v1.f)` = 2, ball[3].p = 1)"), "(`pre(v1.f)` = 2, ball[3].p = 1)");
}

TEST(ParseTest, Expressions) {
  EXPECT_EQ(read("X ≈ (y = (a + b)·c - d / (e·f))"), "(y = (a + b)·c - d / (e·f))");
  EXPECT_EQ(read("X ≈ (y = (x⁺)² - x^3 + -x)"), "(y = (x⁺)² - x³ + -x)");
  EXPECT_EQ(read("X ≈ (y = if a < b then a else b + 1)"), "(y = (if a < b then a else b + 1))");
  EXPECT_EQ(read("X ≈ (y = ∫[p⁻, p⁺] ξ / m dξ)"), "(y = (∫[p⁻, p⁺] ξ / m dξ))");
  EXPECT_EQ(read("X ≈ (y = max(a, abs(b)), ¬(a ∧ b ∨ c))"), "(y = max(a, abs(b)), ¬(a ∧ b ∨ c))");
}

TEST(ParseTest, ModesAndNamedPredicates) {
  EXPECT_EQ(read("mode F: off, on\nlet P: x′ = 0, y = 1\nX ≈ [F⁻ = off, P] ≫ (F = on) ▶ X"),
            "[F⁻ = off, x′ = 0, y = 1] ≫ (F = on) ▶ X");
}

TEST(ParseTest, WhatCannotBeRead) {
  EXPECT_EQ(read(""), "error: there is no process: X ≈ …");
  EXPECT_EQ(read("X ≈ [a] (b)"), "error: '≫' is expected after a re-initialisation");
  EXPECT_EQ(read("X ≈ (a = )"), "error: an expression is expected here");
  EXPECT_EQ(read("X ≈ Y\nX ≈ Z"), "error: process 'X' is defined twice");
  EXPECT_EQ(read("X ≈ (y = nothing(1))"),
            "error: there is no function 'nothing' of this many arguments");
  EXPECT_EQ(read("mode F: off, on\nX ≈ (F = ajar)"), "error: 'ajar' is no state of F");
  EXPECT_EQ(read("X ≈ (a # b)"), "error: this sign has no meaning here");
  EXPECT_EQ(read("X ≈ `a"), "error: this name does not end");
  EXPECT_EQ(read("X ≈ " + std::string(100000, '(')), "error: this is nested too deeply");
}

}  // namespace
}  // namespace cradle::hypa
