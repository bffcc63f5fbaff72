#include "app/cli/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "app/cli/failure.hpp"

namespace cradle::cli {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    std::string pattern = (fs::temp_directory_path() / "cradle_test_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(OutputFileTest, StandsUnderItsNameOnlyWhenComplete) {
  OutputFile out(path("out.csv"));
  out.stream() << "t,eps,step\n";
  EXPECT_FALSE(fs::exists(path("out.csv")));
  out.commit();
  EXPECT_EQ(read_text(path("out.csv"), 1), "t,eps,step\n");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, WithoutCommitTheOldContentStays) {
  std::ofstream(path("out.csv")) << "old";
  {
    OutputFile out(path("out.csv"));
    out.stream() << "half of the n";
  }
  EXPECT_EQ(read_text(path("out.csv"), 1), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, KeepsTheModeOfWhatItReplacesAndFollowsLinks) {
  std::ofstream(path("real.csv")) << "old";
  ::chmod(path("real.csv").c_str(), 0640);
  fs::create_symlink("real.csv", path("link.csv"));
  OutputFile out(path("link.csv"));
  out.stream() << "new";
  out.commit();
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_EQ(read_text(path("real.csv"), 1), "new");
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("real.csv")).permissions()), 0640u);
}

TEST_F(OutputFileTest, AFolderOrAMissingOneIsWrongUsage) {
  for (const std::string& bad : {folder_.string(), path("missing/out.csv")}) {
    try {
      OutputFile out(bad);
      FAIL() << bad;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.status, kWrongUsage);
      EXPECT_NE(std::string(failure.what()).find("cannot write " + bad), std::string::npos);
    }
  }
}

TEST_F(OutputFileTest, DevicesAreWrittenDirectlyAndFullOnesAreNoticed) {
  OutputFile nowhere("/dev/null");
  nowhere.stream() << "text";
  nowhere.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  OutputFile full("/dev/full");
  full.stream() << "text";
  EXPECT_THROW(full.commit(), Failure);
}

TEST(ReadText, SaysWhichFileCannotBeRead) {
  try {
    read_text("no/such/file.cradle", kModelAtFault);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status, kModelAtFault);
    EXPECT_STREQ(failure.what(), "cannot read no/such/file.cradle: No such file or directory");
  }
}

}  // namespace
}  // namespace cradle::cli
