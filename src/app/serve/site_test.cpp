#include "app/serve/site.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "app/serve/beneath.hpp"

namespace cradle::serve {
namespace {

namespace fs = std::filesystem;

class SiteTest : public ::testing::Test {
 protected:
  SiteTest() {
    std::string name = (fs::temp_directory_path() / "cradle-site-XXXXXX").string();
    top_ = fs::canonical(::mkdtemp(name.data()));
    write("outside.txt", "secret");
    write("site/index.html", "home");
    write("site/guide/index.html", "guide");
    write("site/guide/ö.svg", "<svg/>");
    write("site/.hidden", "hidden");
    fs::create_symlink(top_ / "outside.txt", top_ / "site/out.txt");
    fs::create_symlink(top_, top_ / "site/up");
    fs::create_symlink("guide/index.html", top_ / "site/in.html");
    fs::create_symlink(".hidden", top_ / "site/unhidden.txt");
    ::mkfifo((top_ / "site/pipe.txt").c_str(), 0600);
  }
  ~SiteTest() override { fs::remove_all(top_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((top_ / path).parent_path());
    std::ofstream(top_ / path) << text;
  }
  Response get(const std::string& path, const std::string& method = "GET") const {
    Request request;
    request.method = method;
    request.path = path;
    return answer_from_site((top_ / "site").string(), request);
  }

  fs::path top_;
};

TEST_F(SiteTest, ServesPagesWithTheirTypes) {
  EXPECT_EQ(get("/").body, "home");
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  EXPECT_EQ(get("/guide/").body, "guide");
  EXPECT_EQ(get("/guide/ö.svg").type, "image/svg+xml");
  EXPECT_EQ(get("/in.html").body, "guide");
  const Response moved = get("/guide");
  EXPECT_EQ(moved.status, 301);
  EXPECT_EQ(moved.location, "/guide/");
  EXPECT_EQ(get("/", "POST").status, 405);
}

TEST_F(SiteTest, NothingElseCanBeReached) {
  for (const std::string& path :
       {std::string("/../outside.txt"), std::string("/guide/../../outside.txt"),
        std::string("/out.txt"), std::string("/up/outside.txt"), std::string("/up/"),
        std::string("/.hidden"), std::string("/unhidden.txt"), std::string("/pipe.txt"),
        std::string("//etc/passwd"), std::string("//"), std::string("/index.html/"),
        std::string("/index.html\0.png", 16), std::string("/\xff"), std::string("outside.txt"),
        std::string("/nothing.html"), std::string("/guide//index.html")}) {
    const Response response = get(path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.body, "There is no such page.\n") << path;
  }
}

TEST(Beneath, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("a ö ⟨ 𝔹"));
  for (const char* wrong : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xf0\x80\x80\xaf", "a\x80"})
    EXPECT_FALSE(is_utf8(wrong)) << wrong;
}

TEST(Beneath, PlainPaths) {
  for (const char* plain : {"a.cradle", "a b/c..cradle", "ö/x"}) EXPECT_TRUE(is_plain_path(plain));
  for (const char* not_plain : {"", "/a", "a/", "a//b", ".", "..", "a/../b", ".a", "a/.b", "a\nb"})
    EXPECT_FALSE(is_plain_path(not_plain)) << not_plain;
  EXPECT_FALSE(is_plain_path(std::string("a\0b", 3)));
  EXPECT_FALSE(is_plain_path(std::string(2000, 'a')));
}

}  // namespace
}  // namespace cradle::serve
