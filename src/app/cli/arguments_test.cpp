#include "app/cli/arguments.hpp"

#include <gtest/gtest.h>

#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

std::string failure_of(const std::string& setting) {
  try {
    parse_setting(setting);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status, kWrongUsage);
    return failure.what();
  }
  return "";
}

TEST(ParseNumber, TakesTheWholeText) {
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("-2.5"), -2.5);
  EXPECT_EQ(parse_number("+4"), 4.0);
  for (const char* bad : {"", "1x", "x", "1,5", "0x10", "nan", "inf", "+-1", "1 2", "1e999", "+"}) {
    EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
  }
}

TEST(ParseSetting, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(parse_setting("J_break=0.5"), Setting("J_break", 0.5));
  EXPECT_EQ(parse_setting("d[1].v_on = 7"), Setting("d[1].v_on", 7));
}

TEST(ParseSetting, LeavesExpressionsToTheLanguage) {
  EXPECT_EQ(parse_setting("flag=true"), Setting("flag", "true"));
  EXPECT_EQ(parse_setting("masses = [1, 2]"), Setting("masses", "[1, 2]"));
  EXPECT_EQ(parse_setting("a=1 == 1"), Setting("a", "1 == 1"));
  EXPECT_EQ(parse_setting("a=+.5"), Setting("a", 0.5));
}

TEST(ParseSetting, SaysWhatIsWrong) {
  EXPECT_EQ(failure_of("J_break"), "--set takes name=value, not 'J_break'");
  EXPECT_EQ(failure_of("=1"), "--set takes name=value, not '=1'");
  EXPECT_EQ(failure_of("a= "), "--set a: there is no value behind =");
}

TEST(SplitList, KeepsIndicesTogether) {
  EXPECT_EQ(split_list("a, b.c ,grid[1,2].p,impulse(F.e)"),
            (std::vector<std::string>{"a", "b.c", "grid[1,2].p", "impulse(F.e)"}));
  EXPECT_EQ(split_list(",,"), std::vector<std::string>());
  EXPECT_EQ(split_list("a],b"), (std::vector<std::string>{"a]", "b"}));
}

}  // namespace
}  // namespace cradle::cli
