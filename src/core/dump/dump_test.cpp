#include "core/dump/dump.hpp"

#include <gtest/gtest.h>

#include "core/plan/testing.hpp"

namespace cradle::dump {
namespace {

constexpr const char* kTwo = R"(
  param m = 2, k = 3 * m, t_on = 0.5
  I a(m, p = 1), b(k)
  R r(0.5)
  1 v, w
  v -> a
  w -> b
  w -> r
  0 F initially off { off -> on when time >= t_on }
  v -> F -> w
  x = integral(v.f)
)";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Dump, ThePlanSaysWhoReadsWhat) {
  const std::string text = plan_text(*plan::testing::plan_of(kTwo));
  EXPECT_TRUE(has(text, "  m = 2, slot 0\n")) << text;
  EXPECT_TRUE(has(text, "  k = 6, slot 1, from 3 * m\n")) << text;
  EXPECT_TRUE(has(text, "  k is positive\n")) << text;
  EXPECT_TRUE(has(text, "    elements: a\n")) << text;
  EXPECT_TRUE(has(text, "    controlled junctions at its border: F\n")) << text;
  EXPECT_TRUE(has(text,
                  "  r0: t_on <= time\n    gap: time - t_on >= 0\n    reads time\n"
                  "    used by guards: F off -> on\n"))
      << text;
  EXPECT_TRUE(has(text, "    off -> on when t_on <= time\n      reads r0\n")) << text;
  EXPECT_TRUE(has(text, "    integrals: x\n")) << text;
}

TEST(Dump, WhatIsGivenIsMarked) {
  const auto plan = plan::testing::plan_of(kTwo)->with("k", 7);
  ASSERT_NE(plan, nullptr);
  EXPECT_TRUE(has(plan_text(*plan), "  k = 7, slot 1, given\n")) << plan_text(*plan);
}

TEST(Dump, AModeIsItsEquations) {
  const auto plan = plan::testing::plan_of(kTwo);
  const std::string off = mode_text(*plan, {1});
  EXPECT_TRUE(has(off, "  F off\n")) << off;
  EXPECT_TRUE(has(off, "island 0: c0\n")) << off;
  EXPECT_TRUE(has(off, "island 1: c1\n")) << off;
  EXPECT_TRUE(has(off, "`v -> a`.f = 0.5·a.p\n")) << off;
  EXPECT_TRUE(has(off, "`v -> F`.e = 0\n")) << off;
  EXPECT_TRUE(has(off, "`w -> r`.e - 0.5·`w -> r`.f = 0\n")) << off;
  EXPECT_FALSE(has(off, "constraints")) << off;
  const std::string on = mode_text(*plan, {0});
  EXPECT_TRUE(has(on, "island 0: c0, c1\n")) << on;
  EXPECT_TRUE(has(on, "`F -> w`.e - `v -> F`.e = 0\n")) << on;
  EXPECT_TRUE(has(on, "stores that depend on each other: a.p, b.p\n")) << on;
  EXPECT_FALSE(has(on, "island 1")) << on;
}

TEST(Dump, DependentStoresAreNamed) {
  const auto plan = plan::testing::plan_of(R"(
    I a(1, p = 1), b(2)
    1 v initially off { off -> on when time >= 0.5 }
    0 n, o
    n -> a
    o -> b
    n -> v -> o
    R r(1), s(1)
    n -> r
    o -> s
    C c(1), d(2)
    1 w
    w -> c
    w -> d
    0 z
    z -> w
    C e(1)
    z -> e
  )");
  const std::string text = mode_text(*plan, {0});
  EXPECT_TRUE(has(text, "constraints: 1\n")) << text;
  EXPECT_TRUE(has(text, "stores that depend on each other: c.q, d.q, e.q\n")) << text;
}

TEST(Dump, CodeIsWhatIsRun) {
  const auto plan = plan::testing::plan_of(kTwo);
  const std::string off = code_text(*plan, {1}), on = code_text(*plan, {0});
  EXPECT_TRUE(has(off, "rates of a.p")) << off;
  EXPECT_TRUE(has(off, "gap of r0: t_on <= time\n  %")) << off;
  EXPECT_TRUE(has(off,
                  "guard of F off -> on\n  0: while time flows, %0 = truth of r0, and on to 4\n"
                  "  1: %0 = t_on = 0.5\n  2: %1 = time\n  3: %0 = %0 <= %1\n"))
      << off;
  EXPECT_NE(off, on);
  EXPECT_TRUE(has(on, "d a.p = ")) << on;
  // m₁ f = p: x moves with f.
  EXPECT_TRUE(has(off, "  ∂(d x)/∂a.p = 0.5\n")) << off;
  EXPECT_FALSE(has(off, "∂(d a.p)")) << off;
}

}  // namespace
}  // namespace cradle::dump
