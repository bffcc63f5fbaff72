#include "app/studio/folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace cradle::studio {
namespace {

namespace fs = std::filesystem;

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::string name = (fs::temp_directory_path() / "cradle-folder-XXXXXX").string();
    top_ = fs::canonical(::mkdtemp(name.data()));
    fs::create_directories(top_ / "models/sub");
    write("models/a.cradle", "// A title.\n// More.\nmodel A { until 1 }\n");
    write("models/sub/b.cradle", "/* Parts */\ncomponent P { param x = 1 }\n");
    write("secret.cradle", "// secret\n");
  }
  ~FolderTest() override { fs::remove_all(top_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((top_ / path).parent_path());
    std::ofstream(top_ / path, std::ios::binary) << text;
  }
  std::string content(const std::string& path) const {
    std::ifstream file(top_ / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string root() const { return (top_ / "models").string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root()), fs::directory_iterator()));
  }

  fs::path top_;
};

int status_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Refused& refused) {
    return refused.status;
  }
  return 200;
}

TEST_F(FolderTest, ListsModels) {
  write("models/.git/c.cradle", "");
  write("models/node_modules/c.cradle", "");
  write("models/build-x/c.cradle", "");
  write("models/wrong.cradle", "// Wrong\nmodel {");
  write("models/other.txt", "");
  fs::create_symlink(top_ / "secret.cradle", root() + "/out.cradle");
  fs::create_symlink(root(), root() + "/circle");
  fs::create_symlink("a.cradle", root() + "/link.cradle");
  ::mkfifo((root() + "/pipe.cradle").c_str(), 0600);
  Folder folder(root());
  EXPECT_EQ(folder.name(), "models");
  const Listing listing = folder.list();
  std::vector<std::string> paths;
  for (const auto& file : listing.files) paths.push_back(file.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{"a.cradle", "link.cradle", "sub/b.cradle", "wrong.cradle"}));
  EXPECT_EQ(listing.files[0].description.title, "A title.");
  EXPECT_EQ(listing.files[0].description.model, "A");
  EXPECT_EQ(listing.files[2].description.title, "Parts");
  EXPECT_EQ(listing.files[2].description.model, std::nullopt);
  EXPECT_EQ(listing.files[3].description.title, "Wrong");
  EXPECT_EQ(listing.files[3].description.model, std::nullopt);
  // What has changed is looked at again.
  write("models/a.cradle", "// Another title\nmodel Longer { until 1 }\n");
  EXPECT_EQ(folder.list().files[0].description.model, "Longer");
}

TEST_F(FolderTest, ListsNoMoreThanItCanShow) {
  for (int i = 0; i < 2010; ++i) write("models/many/" + std::to_string(i) + ".cradle", "");
  const Listing listing = Folder(root()).list();
  EXPECT_EQ(listing.files.size(), 2000u);
  EXPECT_EQ(listing.more, 12u);
}

TEST_F(FolderTest, SavesWhatHasNotChanged) {
  Folder folder(root());
  ::chmod((root() + "/a.cradle").c_str(), 0640);
  const FileText read = folder.read("a.cradle");
  const FileText saved = folder.save("a.cradle", "new", read.stamp);
  EXPECT_EQ(content("models/a.cradle"), "new");
  EXPECT_NE(saved.stamp, read.stamp);
  EXPECT_EQ(folder.read("a.cradle").stamp, saved.stamp);
  struct stat status;
  ASSERT_EQ(::stat((root() + "/a.cradle").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  // Somebody else has written it since.
  write("models/a.cradle", "theirs");
  EXPECT_EQ(status_of([&] { folder.save("a.cradle", "mine", saved.stamp); }), 409);
  EXPECT_EQ(content("models/a.cradle"), "theirs");
  fs::remove(root() + "/a.cradle");
  EXPECT_EQ(status_of([&] { folder.save("a.cradle", "mine", saved.stamp); }), 409);
  EXPECT_EQ(entries(), 1u);  // sub; no draft is left behind
}

TEST_F(FolderTest, NewFilesReplaceNothing) {
  Folder folder(root());
  EXPECT_EQ(status_of([&] { folder.save("a.cradle", "mine", std::nullopt); }), 409);
  EXPECT_NE(content("models/a.cradle"), "mine");
  folder.save("sub/new.cradle", "mine", std::nullopt);
  EXPECT_EQ(content("models/sub/new.cradle"), "mine");
  EXPECT_EQ(status_of([&] { folder.save("none/new.cradle", "mine", std::nullopt); }), 404);
  // A link that leads nowhere is something, too.
  fs::create_symlink(top_ / "elsewhere.cradle", root() + "/dangling.cradle");
  EXPECT_EQ(status_of([&] { folder.save("dangling.cradle", "mine", std::nullopt); }), 409);
  EXPECT_FALSE(fs::exists(top_ / "elsewhere.cradle"));
}

TEST_F(FolderTest, LinksAreFollowedInside) {
  Folder folder(root());
  fs::create_symlink("sub/b.cradle", root() + "/link.cradle");
  const FileText read = folder.read("link.cradle");
  folder.save("link.cradle", "through", read.stamp);
  EXPECT_TRUE(fs::is_symlink(root() + "/link.cradle"));
  EXPECT_EQ(content("models/sub/b.cradle"), "through");
}

TEST_F(FolderTest, NothingElseCanBeReached) {
  write("outside/x.cradle", "// x\n");
  write("models/.hidden.cradle", "");
  write("models/plain.txt", "");
  fs::create_symlink(top_ / "outside", root() + "/away");
  fs::create_symlink(top_ / "secret.cradle", root() + "/out.cradle");
  fs::create_symlink(root() + "/plain.txt", root() + "/text.cradle");
  fs::create_directories(root() + "/folder.cradle");
  ::mkfifo((root() + "/pipe.cradle").c_str(), 0600);
  fs::create_symlink("/dev/zero", root() + "/zero.cradle");
  Folder folder(root());
  for (const std::string& path :
       {std::string("../secret.cradle"), std::string("sub/../../secret.cradle"),
        (top_ / "secret.cradle").string(), std::string("away/x.cradle"), std::string("out.cradle"),
        std::string(".hidden.cradle"), std::string("plain.txt"), std::string("text.cradle"),
        std::string("folder.cradle"), std::string("pipe.cradle"), std::string("zero.cradle"),
        std::string("a.cradle\0", 9), std::string("x\0.cradle", 9), std::string(),
        std::string("./a.cradle"), std::string("sub//b.cradle"), std::string("\xff.cradle"),
        std::string(5000, 'a') + ".cradle"}) {
    EXPECT_GE(status_of([&] { folder.read(path); }), 400) << path;
    EXPECT_GE(status_of([&] { folder.save(path, "mine", std::nullopt); }), 400) << path;
    EXPECT_GE(status_of([&] { folder.save(path, "mine", "0-0"); }), 400) << path;
  }
  EXPECT_EQ(content("secret.cradle"), "// secret\n");
  EXPECT_EQ(content("outside/x.cradle"), "// x\n");
  EXPECT_EQ(status_of([&] { folder.save("away/new.cradle", "mine", std::nullopt); }), 403);
  EXPECT_FALSE(fs::exists(top_ / "outside/new.cradle"));
}

TEST_F(FolderTest, TextsAreUtf8AndBounded) {
  Folder folder(root());
  write("models/bytes.cradle", "\xff\xfe");
  write("models/large.cradle", std::string(kMaxText + 1, 'x'));
  EXPECT_EQ(status_of([&] { folder.read("bytes.cradle"); }), 422);
  EXPECT_EQ(status_of([&] { folder.read("large.cradle"); }), 413);
  EXPECT_EQ(
      status_of([&] { folder.save("n.cradle", std::string(kMaxText + 1, 'x'), std::nullopt); }),
      413);
}

}  // namespace
}  // namespace cradle::studio
