#include "pages/pages.hpp"

#include <gtest/gtest.h>

namespace cradle::pages {
namespace {

TEST(Pages, DataCannotEndItsScript) {
  const std::string page = report_page("a < b", R"({"text":"</script><b>"})");
  EXPECT_NE(page.find("<title>a &lt; b"), std::string::npos);
  EXPECT_NE(page.find(R"({"text":"\u003c/script>\u003cb>"})"), std::string::npos);
  EXPECT_EQ(page.find("@VIEW@"), std::string::npos);
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
