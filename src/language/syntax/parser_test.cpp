#include "language/syntax/parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>

namespace cradle::syntax {
namespace {

struct Parsed {
  Sources sources;
  Diagnostics diagnostics;
  Tree tree;

  explicit Parsed(const std::string& text, const std::string& name = "a.cradle") {
    tree = parse(sources, sources.add(name, text), diagnostics);
  }
  std::string errors() const {
    std::string out;
    for (const Diagnostic& item : diagnostics.items()) out += render_text(item, sources);
    return out;
  }
  const Item& item(std::size_t i) const { return *tree.definitions.at(0).items.at(i); }
  template <class Node>
  const Node& node(std::size_t i) const {
    return std::get<Node>(item(i).node);
  }
};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

const std::filesystem::path kSnapshots = std::filesystem::path(CRADLE_ROOT) / "tests/syntax";

// Every tests/syntax/x.cradle against the diagnostics in x.txt beside it. With
// CRADLE_UPDATE_EXPECTED set these are written anew, to be read before they are committed.
TEST(SyntaxErrors, AreExactlyAsTheSnapshots) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSnapshots)) {
    if (entry.path().extension() != ".cradle") continue;
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".txt");
    const Parsed run(read(entry.path()), entry.path().filename().string());
    if (std::getenv("CRADLE_UPDATE_EXPECTED") != nullptr) std::ofstream(expected) << run.errors();
    EXPECT_EQ(run.errors(), read(expected)) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 40);
}

TEST(SyntaxErrors, AreCoveredKindByKind) {
  std::set<std::string> covered = {"syntax.too-large"};  // in lexer_test
  std::set<std::string> emitted;
  const std::regex kind(R"(syntax\.[a-z-]+)");
  const auto collect = [&](const std::string& text, std::set<std::string>& into) {
    for (std::sregex_iterator it(text.begin(), text.end(), kind), end; it != end; ++it) {
      into.insert(it->str());
    }
  };
  for (const auto& entry : std::filesystem::directory_iterator(kSnapshots)) {
    if (entry.path().extension() == ".txt") collect(read(entry.path()), covered);
  }
  const auto room = std::filesystem::path(CRADLE_ROOT) / "src/language/syntax";
  for (const auto& entry : std::filesystem::directory_iterator(room)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".cpp") && !name.ends_with("_test.cpp")) {
      collect(read(entry.path()), emitted);
    }
  }
  EXPECT_GT(emitted.size(), 15u);
  for (const std::string& each : emitted) EXPECT_TRUE(covered.count(each)) << each;
}

TEST(Parser, ReadsTheCradle) {
  const Parsed run(R"(
model Cradle {
  param restitution = 0.8
  I body1(mass1, p = mass1 * speed)    I body2(mass2)
  Sf impact = restitution * (pre(v1.f) - pre(v3.f))
  1 v1, v2, v3
  v1 -> body1    v2 -> body2    b: v3 -> body3
  v1 -> F13 -> v3
  x1 = integral(v1.f)
  0 F13 initially off { off -> on after eps when x1 >= x3 and v1.f > v3.f
                        on -> off when v1.f < v3.f priority 2 after eps }
})");
  ASSERT_EQ(run.errors(), "");
  ASSERT_EQ(run.tree.definitions[0].items.size(), 13u);
  EXPECT_EQ(run.node<Declaration>(1).arguments.size(), 2u);
  EXPECT_EQ(run.node<Declaration>(1).arguments[1].name.text, "p");
  EXPECT_TRUE(run.node<Declaration>(3).value);
  EXPECT_FALSE(run.item(4).joined);
  EXPECT_TRUE(run.item(5).joined);
  EXPECT_EQ(run.node<BondChain>(9).label.text, "b");
  EXPECT_EQ(run.node<BondChain>(10).ends.size(), 3u);
  const auto& junction = run.node<Junction>(12);
  EXPECT_TRUE(junction.controlled);
  EXPECT_EQ(junction.automaton.initial.text, "off");
  ASSERT_EQ(junction.automaton.transitions.size(), 2u);
  EXPECT_TRUE(junction.automaton.transitions[1].physical);
  EXPECT_TRUE(junction.automaton.transitions[1].priority);
}

TEST(Parser, ReadsComponentsLoopsAndChoices) {
  const Parsed run(R"(
import "std/electrical/diode.cradle"
component Chain {
  param N = 3, masses = [1, 2, 3];
  require N >= 1, "a chain has a link"
  port a, b   input u, w = 3   output y = sum(body[i].p for i in 1..N)
  for i in 1..N - 1 { 0/F n[i] { active on, half inactive off } b[i]: n[i] -> body[i, 1][2].a }
  if N > 1 { x = 1 } else if N > 2 { x = 2 } else { x = 3 }
  I field(matrix = [[1, 0], [0, 1]], law(p, q) = p * q)
  z = gear.in.f + F13.active
  priority F12 > F23   until 2   show a, impulse(b.e)
})");
  ASSERT_EQ(run.errors(), "");
  EXPECT_EQ(run.tree.imports.at(0).path, "std/electrical/diode.cradle");
  EXPECT_EQ(run.node<Require>(2).message, "a chain has a link");
  EXPECT_EQ(run.node<Port>(6).name.text, "w");
  EXPECT_TRUE(run.node<Port>(6).value);
  const auto& loop = run.node<For>(8);
  ASSERT_EQ(loop.body.size(), 2u);
  const auto& junction = std::get<Junction>(loop.body[0]->node);
  EXPECT_EQ(junction.inactive, Junction::Inactive::Flow);
  EXPECT_EQ(junction.automaton.active.size(), 2u);
  const auto& bond = std::get<BondChain>(loop.body[1]->node);
  EXPECT_EQ(bond.label_indices.size(), 1u);
  EXPECT_EQ(bond.ends[1].segments[0].indices.size(), 3u);
  const auto& choice = run.node<IfItem>(9);
  ASSERT_EQ(choice.otherwise.size(), 1u);
  EXPECT_EQ(std::get<IfItem>(choice.otherwise[0]->node).otherwise.size(), 1u);
  EXPECT_EQ(run.node<Declaration>(10).arguments[1].parameters.size(), 2u);
}

// The structure of an expression, fully bracketed.
std::string shape(const Expr& expr) {
  if (const auto* binary = std::get_if<BinaryExpr>(&expr.node)) {
    static const char* const ops[] = {"or", "and", "==", "!=", "<", "<=", ">",
                                      ">=", "+",   "-",  "*",  "/", "^"};
    return "(" + shape(*binary->left) + ops[static_cast<int>(binary->op)] + shape(*binary->right) +
           ")";
  }
  if (const auto* unary = std::get_if<UnaryExpr>(&expr.node)) {
    return (unary->op == UnaryOp::Minus ? "-(" : "not(") + shape(*unary->operand) + ")";
  }
  if (const auto* choice = std::get_if<IfExpr>(&expr.node)) {
    return "if(" + shape(*choice->condition) + "," + shape(*choice->then) + "," +
           shape(*choice->otherwise) + ")";
  }
  return print(expr);
}

std::string shape(const std::string& text) {
  const Parsed run("model M { x = " + text + " }");
  if (run.diagnostics.has_errors()) return run.errors();
  return shape(*run.node<SignalDefinition>(0).value);
}

TEST(Parser, KnowsPrecedence) {
  EXPECT_EQ(shape("a + b * c - d"), "((a+(b*c))-d)");
  EXPECT_EQ(shape("-x^2"), "-((x^2))");
  EXPECT_EQ(shape("2^-3^2"), "(2^-((3^2)))");
  EXPECT_EQ(shape("-a * b"), "(-(a)*b)");
  EXPECT_EQ(shape("a - -b"), "(a--(b))");
  EXPECT_EQ(shape("a or b and not c == d"), "(aor(bandnot((c==d))))");
  EXPECT_EQ(shape("a < b + 1 and c"), "((a<(b+1))andc)");
  EXPECT_EQ(shape("(a < b) == (c < d)"), "((a<b)==(c<d))");
  EXPECT_EQ(shape("1 + if a then b else c + 2"), "(1+if(a,b,(c+2)))");
  EXPECT_EQ(shape("if a then if b then 1 else 2 else 3"), "if(a,if(b,1,2),3)");
}

TEST(Parser, EndsExpressionsWhereItemsBegin) {
  const Parsed run("model M { x = a 1 v1 y = b 0/E n z = v1.f Se s = 3 w = 2 R r(1) }");
  EXPECT_EQ(run.errors(), "");
  EXPECT_EQ(run.tree.definitions[0].items.size(), 8u);
}

TEST(Parser, GoesOnBehindEveryError) {
  const Parsed run(
      "component A {\n  x = (1 +\n  param good = 1\n  y = )\n  2 z\n  0 F { on -> off  off on\n"
      "    on -> off when ok }\n  also = 2\n}\n?\ncomponent B {\n  fine = 1\n}\n");
  std::vector<int> lines;
  for (const Diagnostic& item : run.diagnostics.items()) {
    lines.push_back(run.sources.position(0, item.labels[0].span.begin).line);
  }
  EXPECT_EQ(lines, (std::vector<int>{2, 4, 5, 6, 6, 10})) << run.errors();
  ASSERT_EQ(run.tree.definitions.size(), 2u);
  EXPECT_EQ(run.tree.definitions[0].items.size(), 3u);
  EXPECT_EQ(run.node<Junction>(1).automaton.transitions.size(), 2u);
  EXPECT_EQ(run.node<SignalDefinition>(2).name.name.text, "also");
}

TEST(Parser, RecoversBehindParenthesesThatCloseLater) {
  const Parsed run("model M {\n  I a(3 4,\n    p = 1)\n  x = 1\n}\n");
  EXPECT_EQ(run.diagnostics.error_count(), 1) << run.errors();
  EXPECT_EQ(run.tree.definitions[0].items.size(), 1u);
}

TEST(Parser, GivesSpansInTheSource) {
  const std::string text = "model M {\n  x = (a + b) * c\n}";
  const Parsed run(text);
  const auto& product = *run.node<SignalDefinition>(0).value;
  const auto& sum = *std::get<BinaryExpr>(product.node).left;
  const auto source = [&](Span span) {
    return text.substr(static_cast<std::size_t>(span.begin),
                       static_cast<std::size_t>(span.end - span.begin));
  };
  EXPECT_EQ(source(product.span), "(a + b) * c");
  EXPECT_EQ(source(sum.span), "(a + b)");
  EXPECT_EQ(source(std::get<BinaryExpr>(product.node).op_span), "*");
  EXPECT_EQ(source(run.item(0).span), "x = (a + b) * c");
  EXPECT_EQ(source(run.tree.definitions[0].span), text);
}

// ---- Bounds ----

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

bool refused(const std::string& text) {
  const Parsed run(text);
  const auto& items = run.diagnostics.items();
  return std::any_of(items.begin(), items.end(),
                     [](const Diagnostic& item) { return item.kind == "syntax.nesting"; });
}

TEST(Bounds, AllowNestingUpToTheLimit) {
  const int n = kMaxNesting - 3;
  EXPECT_EQ(Parsed("model M { x = " + repeat("(", n) + "1" + repeat(")", n) + " }").errors(), "");
  EXPECT_EQ(Parsed("model M { x = a" + repeat(" + a", kMaxHeight - 2) + " }").errors(), "");
}

TEST(Bounds, RefuseDeepNestingWithoutOverflow) {
  const int n = 20000;
  for (const std::string& text :
       {repeat("(", n), repeat("-", n), repeat("not ", n), repeat("2^", n), repeat("[", n),
        repeat("f(", n), repeat("a[", n), repeat("if a then ", n), "1" + repeat(" + 1", n),
        repeat("(1 + ", n), repeat("sum(", n), "1" + repeat(" and x", n)}) {
    EXPECT_TRUE(refused("model M { x = " + text + " }")) << text.substr(0, 20);
  }
  EXPECT_TRUE(refused("model M {" + repeat("for i in 1..2 {\n", n)));
  EXPECT_TRUE(refused("model M {" + repeat("if a {} else ", n)));
}

TEST(Bounds, LimitTheNumberOfErrors) {
  const Parsed run("model M {\n" + repeat("x = )\n", 1000) + "}\n" + repeat("\x01", 1000));
  ASSERT_EQ(run.diagnostics.items().size(), static_cast<std::size_t>(kMaxSyntaxErrors) + 1);
  EXPECT_EQ(run.diagnostics.items().back().kind, "syntax.too-many");
}

// ---- Soup: whatever comes, the parser comes back ----

TEST(Soup, OfBytes) {
  std::mt19937 random(1);
  for (int run = 0; run < 500; ++run) {
    std::string text;
    const int length = static_cast<int>(random() % 200);
    for (int i = 0; i < length; ++i) text += static_cast<char>(random() % 256);
    const Parsed parsed(text);
    print(parsed.tree);
    render_json(parsed.diagnostics.items(), parsed.sources);
  }
}

TEST(Soup, OfTokens) {
  std::vector<std::string> words = keyword_texts();
  for (const char* word :
       {"x",   "on",    "off", "I",  "R",    "E",      "F",       "0",         "1",
        "2.5", "\"s\"", "(",   ")",  "[",    "]",      "{",       "}",         "{",
        "}",   ",",     ";",   ":",  ".",    "..",     "->",      "->",        "=",
        "==",  "!=",    "<",   "<=", ">",    ">=",     "+",       "-",         "*",
        "/",   "^",     "\n",  "\n", "\n\n", "// c\n", "/* d */", "model M {", "when x"}) {
    words.emplace_back(word);
  }
  std::mt19937 random(2);
  for (int run = 0; run < 2000; ++run) {
    std::string text = "model M {\n";
    const int length = static_cast<int>(random() % 80);
    for (int i = 0; i < length; ++i) text += words[random() % words.size()] + " ";
    const Parsed parsed(text);
    const std::string printed = print(parsed.tree);
    if (parsed.diagnostics.has_errors()) continue;
    EXPECT_EQ(print(Parsed(printed).tree), printed) << text;
  }
}

}  // namespace
}  // namespace cradle::syntax
