// Programs that are rejected (or warned of), each with the exact text beside it:
// tests/reject/NAME.cradle and NAME.expected. With CRADLE_UPDATE_EXPECTED set the texts are written
// anew, to be read before they are committed. A line "// set a=1" is a setting.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include "language/model/testing.hpp"

namespace cradle::model::testing {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = CRADLE_ROOT "/tests/reject";

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".cradle") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Setting> settings_in(const std::string& text) {
  static const std::regex kLine("// set ([^=\n]+)=([^\n]+)");
  std::vector<Setting> settings;
  for (std::sregex_iterator at(text.begin(), text.end(), kLine), end; at != end; ++at) {
    settings.emplace_back((*at)[1], (*at)[2].str());
  }
  return settings;
}

class Reject : public ::testing::TestWithParam<std::string> {};

TEST_P(Reject, SaysExactlyThis) {
  std::string path = kFolder + "/" + GetParam();
  std::string text = read_text(path + ".cradle").value_or("");
  Loaded loaded = elaborate_file(kFolder, GetParam() + ".cradle", settings_in(text));
  std::string said = diagnostics_of(loaded);
  EXPECT_FALSE(said.empty());
  EXPECT_EQ(loaded.model == nullptr, loaded.diagnostics.has_errors());
  if (std::getenv("CRADLE_UPDATE_EXPECTED") != nullptr) std::ofstream(path + ".expected") << said;
  EXPECT_EQ(said, read_text(path + ".expected").value_or("no file"));
  EXPECT_EQ(text.rfind("//", 0), 0U) << "a rejected program opens by saying why";
}

INSTANTIATE_TEST_SUITE_P(Programs, Reject, ::testing::ValuesIn(programs()),
                         [](const auto& name) { return name.param; });

void collect_kinds(const std::string& text, const std::regex& pattern,
                   std::set<std::string>& kinds) {
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    kinds.insert((*at)[1]);
  }
}

// Every kind that this room and the parser can emit stands in an expected text or in a test.
TEST(RejectKinds, AreAllCovered) {
  const std::regex emitted(R"re((?:Diagnostic|report|diagnostic)\(\s*"([a-z]+\.[a-z-]+)")re");
  const std::regex shown(R"re(\[([a-z]+\.[a-z-]+)\])re");
  const std::regex named(R"re(([a-z]+\.[a-z-]+))re");
  std::set<std::string> kinds, covered;
  for (const char* room : {"language/model", "language/syntax"}) {
    for (const auto& entry : fs::directory_iterator(CRADLE_ROOT "/src/" + std::string(room))) {
      std::string text = read_text(entry.path().string()).value_or("");
      bool is_test = entry.path().string().ends_with("_test.cpp");
      collect_kinds(text, is_test ? named : emitted, is_test ? covered : kinds);
    }
  }
  for (const char* folder : {"reject", "syntax"}) {
    for (const auto& entry : fs::directory_iterator(CRADLE_ROOT "/tests/" + std::string(folder))) {
      if (!entry.is_regular_file()) continue;
      collect_kinds(read_text(entry.path().string()).value_or(""), shown, covered);
    }
  }
  EXPECT_GT(kinds.size(), 70U);
  for (const std::string& kind : kinds) EXPECT_TRUE(covered.contains(kind)) << kind;
}

}  // namespace
}  // namespace cradle::model::testing
