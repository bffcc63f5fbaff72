// The words of the language stand in one table (language/syntax/words.def), from which the lexer,
// the elaboration and the pages are made. Here: that each row has a meaning, and stands in the
// documentation.

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cradle/cradle.hpp"
#include "language/model/expressions.hpp"
#include "language/model/library.hpp"
#include "language/syntax/lexer.hpp"

namespace cradle {
namespace {

using Words = std::set<std::string>;

std::string read(const std::string& path) {
  std::ifstream in(std::string(CRADLE_ROOT) + "/" + path);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Words keywords() { return {syntax::keyword_texts().begin(), syntax::keyword_texts().end()}; }

Words functions() {
  const std::vector<std::string> names = model::function_names();
  return {names.begin(), names.end()};
}

// Whoever adds a row has to say what the word does.
TEST(Words, OfEveryFunctionCanBeCalled) {
  for (const std::string& function : functions()) {
    const std::string text = "model M {\n  x = " + function + "()\n}\n";
    const Model model = Model::load_text("words.cradle", text);
    for (const Diagnostic& d : model.diagnostics()) {
      EXPECT_NE(d.kind, "name.unknown-function") << function;
    }
  }
}

TEST(Words, ThatHaveAMeaningCannotBeDeclared) {
  for (const std::string word : {"time", "pi", "inf", "omega", "absent"}) {
    EXPECT_TRUE(model::is_constant_of_nature(word)) << word;
  }
  EXPECT_FALSE(model::is_constant_of_nature("eps"));
}

TEST(Words, StandInTheDocumentation) {
  const std::string text = read("docs/language.md");
  const auto named = [&text](const std::string& word) {
    return std::regex_search(text, std::regex("\\b" + word + "\\b"));
  };
  for (const std::string& word : keywords()) EXPECT_TRUE(named(word)) << word;
  for (const std::string& word : functions()) EXPECT_TRUE(named(word)) << word;
}

}  // namespace
}  // namespace cradle
