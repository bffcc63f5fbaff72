#include "language/syntax/lexer.hpp"

#include <gtest/gtest.h>

#include "language/syntax/tree.hpp"

namespace cradle::syntax {
namespace {

struct Scanned {
  Sources sources;
  Diagnostics diagnostics;
  Lexed lexed;

  explicit Scanned(const std::string& text) {
    lexed = lex(sources, sources.add("a", text), diagnostics);
  }
  std::string kinds() const {
    std::string out;
    for (const Diagnostic& item : diagnostics.items()) out += item.kind + " ";
    return out;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    const std::string& text = sources.file(0).text;
    for (const Token& token : lexed.tokens) {
      out.push_back(text.substr(static_cast<std::size_t>(token.begin),
                                static_cast<std::size_t>(token.end - token.begin)));
    }
    out.pop_back();  // End
    return out;
  }
};

using Texts = std::vector<std::string>;

TEST(Lexer, SplitsRangesFromNumbers) {
  EXPECT_EQ(Scanned("1..N").texts(), (Texts{"1", "..", "N"}));
  EXPECT_EQ(Scanned("0.5..2.5e6").texts(), (Texts{"0.5", "..", "2.5e6"}));
  EXPECT_EQ(Scanned("1e-3 2E+4 3e").texts(), (Texts{"1e-3", "2E+4", "3e"}));
  EXPECT_EQ(Scanned("a.b..c").texts(), (Texts{"a", ".", "b", "..", "c"}));
}

TEST(Lexer, ReadsNumbersExactly) {
  EXPECT_EQ(Scanned("0.1").lexed.tokens[0].number, 0.1);
  EXPECT_EQ(Scanned("2.5E6").lexed.tokens[0].number, 2.5e6);
  EXPECT_EQ(Scanned("1e999").kinds(), "syntax.number ");
}

TEST(Lexer, TakesTheLongestSymbol) {
  EXPECT_EQ(
      Scanned("a->b<=c>=d==e!=f-g<h").texts(),
      (Texts{"a", "->", "b", "<=", "c", ">=", "d", "==", "e", "!=", "f", "-", "g", "<", "h"}));
  EXPECT_EQ(Scanned("x<-1").texts(), (Texts{"x", "<", "-", "1"}));
}

TEST(Lexer, KnowsKeywordsAndNames) {
  EXPECT_EQ(Scanned("when").lexed.tokens[0].kind, Tok::When);
  EXPECT_EQ(Scanned("law").lexed.tokens[0].kind, Tok::Law);
  EXPECT_EQ(Scanned("whenever").lexed.tokens[0].kind, Tok::Name);
  const Scanned greek("ω₁ µ Δx_2");
  EXPECT_EQ(greek.texts(), (Texts{"ω₁", "µ", "Δx_2"}));
  EXPECT_EQ(greek.kinds(), "");
}

TEST(Lexer, KeepsCommentsWithTheirPlaces) {
  const Scanned run("a // one  \n\n/* two\t\n  lines */ b");
  ASSERT_EQ(run.lexed.comments.size(), 2u);
  EXPECT_EQ(run.lexed.comments[0].text, "// one");
  EXPECT_FALSE(run.lexed.comments[0].newline_before);
  EXPECT_EQ(run.lexed.comments[1].text, "/* two\n  lines */");
  EXPECT_TRUE(run.lexed.comments[1].blank_before);
  EXPECT_EQ(run.lexed.tokens[1].comments_before, 2);
  EXPECT_FALSE(run.lexed.tokens[1].newline_before);
}

TEST(Lexer, ReadsForeignOperatorsForWhatTheyMean) {
  const Scanned run("a && b → c");
  EXPECT_EQ(run.kinds(), "syntax.operator syntax.operator ");
  EXPECT_EQ(run.lexed.tokens[1].kind, Tok::And);
  EXPECT_EQ(run.lexed.tokens[3].kind, Tok::Arrow);
}

TEST(Lexer, ReportsBadBytesOnce) {
  const Scanned run("a \xff\xfe // \xc0\n b");
  EXPECT_EQ(run.kinds(), "syntax.encoding ");
}

TEST(Lexer, SkipsAByteOrderMark) {
  const Scanned run("\xEF\xBB\xBFmodel");
  EXPECT_EQ(run.kinds(), "");
  EXPECT_EQ(run.lexed.tokens[0].kind, Tok::Model);
}

TEST(Lexer, RefusesAFileThatIsTooLarge) {
  EXPECT_EQ(Scanned(std::string((std::size_t{1} << 26) + 1, ' ')).kinds(), "syntax.too-large ");
}

TEST(Strings, ComeBackFromTheirLiterals) {
  const std::string value = "a \"quoted\" \\ path\n\tand ω";
  const std::string literal = encode_string(value);
  EXPECT_EQ(literal, R"("a \"quoted\" \\ path\n\tand ω")");
  EXPECT_EQ(decode_string(literal), value);
  EXPECT_EQ(Scanned(literal).kinds(), "");
}

}  // namespace
}  // namespace cradle::syntax
