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

TEST(Pages, NothingIsFetched) {
  for (std::string_view page : {report_template(), studio_template()}) {
    EXPECT_EQ(page.find("<script src"), std::string_view::npos);
    EXPECT_EQ(page.find("<link rel=\"stylesheet"), std::string_view::npos);
    EXPECT_EQ(page.find("@import"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace cradle::pages
