// The words of the language stand in the lexer, in the table of elements and in those of functions.
// What the pages colour and offer, and what the documentation names, is compared with them.

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "language/elements/element.hpp"
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

Words split(const std::string& text) {
  std::istringstream in(text);
  Words out;
  for (std::string word; in >> word;) out.insert(word);
  return out;
}

// export const kName = ('…' + '…').split(' ');
Words list_of(const std::string& source, const std::string& name) {
  const std::size_t begin = source.find("export const " + name + " =");
  EXPECT_NE(begin, std::string::npos) << name;
  const std::string part = source.substr(begin, source.find(';', begin) - begin);
  const std::regex quoted("'([^']*)'");
  std::string all;
  for (auto it = std::sregex_iterator(part.begin(), part.end(), quoted);
       it != std::sregex_iterator(); ++it) {
    all += (*it)[1].str() + " ";
  }
  return split(all);
}

// The first arguments of offer('…') and call('…').
Words offered(const std::string& source) {
  const std::regex label("(?:offer|call)\\(\\s*'([A-Za-z_0-9]+)'");
  Words out;
  for (auto it = std::sregex_iterator(source.begin(), source.end(), label);
       it != std::sregex_iterator(); ++it) {
    out.insert((*it)[1].str());
  }
  return out;
}

Words keywords() { return {syntax::keyword_texts().begin(), syntax::keyword_texts().end()}; }

Words functions() {
  const std::vector<std::string> names = model::function_names();
  return {names.begin(), names.end()};
}

TEST(Words, AreColouredAsTheLexerReadsThem) {
  const std::string tokens = read("web/src/source/tokens.ts");
  Words coloured = list_of(tokens, "kWords");
  coloured.insert({"true", "false"});  // coloured as constants
  EXPECT_EQ(coloured, keywords());
  EXPECT_EQ(list_of(tokens, "kFunctions"), functions());
  Words elements;
  for (const elements::Definition* definition : elements::all()) {
    elements.insert(std::string(definition->name));
  }
  EXPECT_EQ(list_of(tokens, "kElements"), elements);
  for (const std::string& constant : list_of(tokens, "kConstants")) {
    EXPECT_TRUE(keywords().contains(constant) || model::is_constant_of_nature(constant))
        << constant;
  }
}

TEST(Words, OfEveryFunctionAreOffered) {
  const Words words = offered(read("web/src/editor/words.ts"));
  for (const std::string& function : functions()) EXPECT_TRUE(words.contains(function)) << function;
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
