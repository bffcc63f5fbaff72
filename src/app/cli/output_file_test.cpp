#include "app/cli/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

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
  OutputFile out(path("out.csv"), {});
  out.stream() << "t,eps,step\n";
  EXPECT_FALSE(fs::exists(path("out.csv")));
  out.commit();
  EXPECT_EQ(read_text(path("out.csv"), 1), "t,eps,step\n");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, WithoutCommitTheOldContentStays) {
  std::ofstream(path("out.csv")) << "old";
  {
    OutputFile out(path("out.csv"), {});
    out.stream() << "half of the n";
  }
  EXPECT_EQ(read_text(path("out.csv"), 1), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, RowsStayUnderANameThatSaysSo) {
  std::ofstream(path("out.csv")) << "old";
  for (const char* left : {"out.csv.partial", "out.csv.partial-2"}) {
    {
      OutputFile out(path("out.csv"), {}, IfCutShort::Keep);
      out.write("half of the n");
    }
    EXPECT_EQ(read_text(path(left), 1), "half of the n");
  }
  EXPECT_EQ(read_text(path("out.csv"), 1), "old");
  { OutputFile out(path("never.csv"), {}, IfCutShort::Keep); }
  EXPECT_FALSE(fs::exists(path("never.csv.partial"))) << "what was not begun";
}

TEST_F(OutputFileTest, WhatIsWrittenIsThereWithinASecond) {
  OutputFile out(path("out.csv"), {}, IfCutShort::Keep);
  out.write("t,eps,step\n");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(read_text(path("out.csv.partial"), 1), "t,eps,step\n");
}

TEST_F(OutputFileTest, NeverOverwritesWhatIsRead) {
  std::ofstream(path("m.cradle")) << "model";
  fs::create_symlink("m.cradle", path("link.csv"));
  fs::create_hard_link(path("m.cradle"), path("hard.csv"));
  for (const std::string& output : {path("m.cradle"), path("link.csv"), path("hard.csv"),
                                    path("./../") + folder_.filename().string() + "/m.cradle"}) {
    EXPECT_THROW(OutputFile(output, {path("m.cradle")}), Failure) << output;
  }
  EXPECT_EQ(read_text(path("m.cradle"), 1), "model");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(OutputFileTest, TwoNamesOfOneFileAreOne) {
  std::ofstream(path("a")) << "";
  fs::create_symlink("a", path("b"));
  fs::create_symlink("new", path("c"));
  fs::create_hard_link(path("a"), path("d"));
  EXPECT_TRUE(is_same_output(path("a"), path("b")));
  EXPECT_TRUE(is_same_output(path("a"), path("d")));
  EXPECT_TRUE(is_same_output(path("new"), path("c"))) << "though it is not there yet";
  EXPECT_TRUE(is_same_output("-", "-"));
  EXPECT_FALSE(is_same_output(path("a"), path("new")));
  EXPECT_FALSE(is_same_output("/dev/null", "/dev/null"));
  EXPECT_FALSE(is_same_output("", ""));
}

TEST_F(OutputFileTest, GoesOnBehindWhatWasWritten) {
  Written written;
  {
    OutputFile out(path("out.csv"), {}, IfCutShort::Keep);
    out.write("1\n");
    written = out.settle();
    out.write("lost\n");
  }
  {
    OutputFile again(path("out.csv"), {}, written);
    again.write("2\n");
    again.commit();
  }
  EXPECT_EQ(read_text(path("out.csv"), 1), "1\n2\n");
  {
    OutputFile again(path("out.csv"), {}, written);  // it has got its name since
    again.write("3\n");
    again.commit();
  }
  EXPECT_EQ(read_text(path("out.csv"), 1), "1\n3\n");
  std::ofstream(path("out.csv")) << "something else";
  EXPECT_THROW(OutputFile(path("out.csv"), {}, written), Failure);
  EXPECT_EQ(read_text(path("out.csv"), 1), "something else");
}

TEST_F(OutputFileTest, AFullDiskLeavesWholeLines) {
  const rlim_t kMost = 100;
  rlimit before;
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{kMost, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  {
    OutputFile out(path("out.csv"), {}, IfCutShort::Keep);
    for (int i = 0; i < 20; ++i) out.write("a line of text\n");
    EXPECT_THROW(out.settle(), Failure);
    EXPECT_THROW(out.write("more"), Failure);
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(read_text(path("out.csv.partial"), 1).size(), 90u) << "six lines";
}

TEST_F(OutputFileTest, KeepsTheModeOfWhatItReplacesAndFollowsLinks) {
  std::ofstream(path("real.csv")) << "old";
  ::chmod(path("real.csv").c_str(), 0640);
  fs::create_symlink("real.csv", path("link.csv"));
  OutputFile out(path("link.csv"), {});
  out.stream() << "new";
  out.commit();
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_EQ(read_text(path("real.csv"), 1), "new");
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("real.csv")).permissions()), 0640u);
}

TEST_F(OutputFileTest, AFolderOrAMissingOneIsWrongUsage) {
  for (const std::string& bad : {folder_.string(), path("missing/out.csv")}) {
    try {
      OutputFile out(bad, {});
      FAIL() << bad;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.status, kWrongUsage);
      EXPECT_NE(std::string(failure.what()).find("cannot write " + bad), std::string::npos);
    }
  }
}

TEST_F(OutputFileTest, DevicesAreWrittenDirectlyAndFullOnesAreNoticed) {
  OutputFile nowhere("/dev/null", {});
  nowhere.stream() << "text";
  nowhere.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  OutputFile full("/dev/full", {});
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
