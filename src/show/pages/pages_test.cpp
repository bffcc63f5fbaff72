#include "show/pages/pages.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace cradle::pages {
namespace {

TEST(Pages, DataStandsInItsScript) {
  std::ostringstream page;
  write_report_page(
      "a < b", [](std::ostream& out) { out << R"({"text":"x"})"; }, page);
  EXPECT_NE(page.str().find("<title>a &lt; b"), std::string::npos);
  EXPECT_NE(page.str().find(R"(>{"text":"x"}</script>)"), std::string::npos);
  EXPECT_EQ(page.str().find("@VIEW@"), std::string::npos);
}

// A report is opened from a file: what it may do stands in itself, before anything runs.
TEST(Pages, TheReportStatesItsPolicy) {
  const std::string_view page = report_template();
  const std::size_t policy = page.find("<meta http-equiv=\"Content-Security-Policy\"");
  ASSERT_NE(policy, std::string_view::npos);
  EXPECT_LT(policy, page.find("<style"));
  const std::string_view rules = page.substr(policy, page.find('>', policy) - policy);
  EXPECT_NE(rules.find("default-src 'none'"), std::string_view::npos);
  EXPECT_NE(rules.find("script-src 'sha256-"), std::string_view::npos);
  EXPECT_EQ(rules.find("script-src 'unsafe"), std::string_view::npos);
}

TEST(Pages, NothingIsFetched) {
  for (std::string_view page : {report_template(), studio_template()}) {
    EXPECT_EQ(page.find("<script src"), std::string_view::npos);
    EXPECT_EQ(page.find("<link rel=\"stylesheet"), std::string_view::npos);
    EXPECT_EQ(page.find("@import"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace cradle::pages
