#include "show/svg/svg.hpp"

#include <gtest/gtest.h>

namespace cradle::svg {
namespace {

constexpr double kFont = 14;

TEST(Svg, IsXml) {
  EXPECT_EQ(escaped("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(escaped("a\x01"
                    "b\nc ε"),
            "a b\nc ε");
}

TEST(Svg, WrapsAndShortens) {
  EXPECT_EQ(shortened("abc", 1000, kFont), "abc");
  EXPECT_EQ(shortened("0123456789", text_width("01234", kFont) + 0.1, kFont), "0123…");
  const std::string inside =
      shortened_inside("näme.of.the.first.p", text_width("0123456789", kFont), kFont);
  EXPECT_LE(text_width(inside, kFont), text_width("0123456789", kFont));
  EXPECT_TRUE(inside.starts_with("näm")) << inside;
  EXPECT_TRUE(inside.ends_with(".p")) << inside;
  EXPECT_EQ(wrapped("a bc def", text_width("a bc", kFont), kFont),
            (std::vector<std::string>{"a bc", "def"}));
  EXPECT_EQ(wrapped("012345", text_width("0123", kFont), kFont),
            (std::vector<std::string>{"0123", "45"}));
  EXPECT_EQ(wrapped("αβγδ", 1, kFont), (std::vector<std::string>{"α", "β", "γ", "δ"}));
  EXPECT_TRUE(wrapped("", 100, kFont).empty());
}

TEST(Svg, NumbersAreShort) {
  EXPECT_EQ(number(12), "12");
  EXPECT_EQ(number(-0.04), "0");
  EXPECT_EQ(number(12.5), "12.5");
  EXPECT_EQ(number(12.46), "12.5");
}

TEST(Svg, WidthsTellLettersApart) {
  EXPECT_LT(text_width("illi", kFont), text_width("mmmm", kFont));
  EXPECT_LT(text_width("name", kFont), text_width("name", kFont, true));
  EXPECT_GT(text_width("電圧", kFont), text_width("ab", kFont));
  EXPECT_EQ(first_characters("αβγδ", 3), "αβ…");
  EXPECT_EQ(first_characters("αβγδ", 4), "αβγδ");
}

}  // namespace
}  // namespace cradle::svg
