#include "language/syntax/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/assert.hpp"

namespace cradle::syntax {
namespace {

std::string symbol_text(Tok kind) {
  switch (kind) {
    case Tok::LeftParen:
      return "(";
    case Tok::RightParen:
      return ")";
    case Tok::LeftBracket:
      return "[";
    case Tok::RightBracket:
      return "]";
    case Tok::LeftBrace:
      return "{";
    case Tok::RightBrace:
      return "}";
    case Tok::Arrow:
      return "->";
    case Tok::Assign:
      return "=";
    case Tok::DotDot:
      return "..";
    case Tok::Greater:
      return ">";
    case Tok::Comma:
      return ",";
    default:
      break;
  }
  CRADLE_ASSERT(is_keyword(kind), "only these are ever expected");
  return keyword_texts()[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Tok::Model)];
}

}  // namespace

Parser::Parser(const Sources& sources, int32_t file, Diagnostics& diagnostics)
    : Parser(sources, file, diagnostics, lex(sources, file, diagnostics)) {}

Parser::Parser(const Sources& sources, int32_t file, Diagnostics& diagnostics, Lexed lexed)
    : sources_(sources), file_(file), diagnostics_(diagnostics), text_(sources.file(file).text) {
  tokens_ = std::move(lexed.tokens);
  comments_ = std::move(lexed.comments);
  cut_short_ = lexed.cut_short;
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    has_imports_ |= tokens_[i].kind == Tok::Import;
    const bool block = tokens_[i].kind == Tok::Name && text_of(tokens_[i]) == "block";
    if (tokens_[i].kind == Tok::Component || block) {
      components_.emplace_back(text_of(tokens_[i + 1]));
    }
  }
}

Parser::Nest::Nest(Parser& parser) : parser_(parser) {
  if (++parser_.depth_ <= kMaxNesting) return;
  parser_
      .report("syntax.nesting", "this is nested too deeply", parser_.span_of(parser_.peek()),
              fmt::format("level {}", kMaxNesting + 1))
      .rule(fmt::format("expressions and blocks nest at most {} deep", kMaxNesting))
      .help("give parts of it names of their own");
  --parser_.depth_;
  throw GiveUp{};
}

// ---- Tokens ----

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

// `block` is an ordinary name elsewhere.
bool Parser::at_definition() const {
  if (at(Tok::Model) || at(Tok::Component)) return true;
  return at_word("block") && at(Tok::Name, 1) && at(Tok::LeftBrace, 2);
}

const Token& Parser::take() {
  const Token& token = tokens_[next_];
  if (token.kind != Tok::End) ++next_;
  return token;
}

bool Parser::accept(Tok kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

const Token& Parser::expect(Tok kind, const std::string& where, const std::string& help) {
  if (!at(kind)) fail("`" + symbol_text(kind) + "`", where, help);
  return take();
}

void Parser::expect_close(Tok kind, const Token& open, const std::string& inside) {
  if (accept(kind)) return;
  if (!at(Tok::Invalid)) {
    const std::string close = symbol_text(kind);
    report("syntax.unclosed", fmt::format("expected `{}`, found {}", close, describe(peek())),
           after_last(), fmt::format("expected `{}`", close))
        .at(span_of(open), "opened here")
        .help(fmt::format("close {} with {}", inside, close));
  }
  throw GiveUp{};
}

Name Parser::expect_name(const std::string& what, const std::string& help) {
  if (at(Tok::Name)) return name_of(take());
  if (is_keyword(peek().kind) && !peek().newline_before) {
    report("syntax.keyword", fmt::format("{} cannot be {}", describe(peek()), what),
           span_of(peek()), "a reserved word")
        .rule("reserved words are not names")
        .help(fmt::format("choose another name, such as {}_", text_of(peek())));
    throw GiveUp{};
  }
  fail(what, "", help);
}

Name Parser::name_of(const Token& token) const {
  return {std::string(text_of(token)), span_of(token)};
}

std::string_view Parser::text_of(const Token& token) const { return text_of(span_of(token)); }

std::string_view Parser::text_of(Span span) const {
  return text_.substr(static_cast<std::size_t>(span.begin),
                      static_cast<std::size_t>(span.end - span.begin));
}

std::string Parser::describe(const Token& token) const {
  constexpr std::size_t kLongest = 40;
  if (token.kind == Tok::End) return "the end of the file";
  const std::string_view text = text_of(token);
  if (text.size() > kLongest) return token.kind == Tok::String ? "a string" : "a long word";
  return fmt::format("`{}`", text);
}

Span Parser::span_from(const Token& first) const {
  return {file_, first.begin, std::max(first.begin, last().end)};
}

// Where something is missing: right behind the last token, not at the next line's first.
Span Parser::after_last() const {
  if (!peek().newline_before && !at(Tok::End)) return span_of(peek());
  if (next_ == 0) return span_of(peek());
  return {file_, last().end, last().end};
}

// ---- Errors ----

Diagnostic& Parser::report(std::string kind, std::string message, Span where, std::string label) {
  Diagnostic diagnostic(std::move(kind), std::move(message));
  diagnostic.at(where, std::move(label));
  if (++reported_ > kMaxSyntaxErrors + 1) return dropped_ = std::move(diagnostic);
  return diagnostics_.add(std::move(diagnostic));
}

void Parser::fail(const std::string& expected, const std::string& where, const std::string& help) {
  if (!at(Tok::Invalid)) {  // the lexer has said what is wrong with it
    std::string message = "expected " + expected;
    if (!where.empty()) message += " " + where;
    Diagnostic& diagnostic =
        report("syntax.expected", message + ", found " + describe(peek()), after_last());
    diagnostic.labels.back().text = "expected " + expected;
    if (!help.empty()) diagnostic.help(help);
  }
  throw GiveUp{};
}

std::string Parser::near_keyword(const Token& token,
                                 const std::vector<std::string>& candidates) const {
  return token.kind == Tok::Name ? suggest(std::string(text_of(token)), candidates) : "";
}

// ---- Comments ----

// Whether an empty line stands before the next comment or, if there is none, token.
bool Parser::blank_before() const {
  const bool comment = next_comment_ < static_cast<std::size_t>(peek().comments_before);
  return comment ? comments_[next_comment_].blank_before : peek().blank_before;
}

// All comments before the present token that nobody has claimed. With keep_blanks an empty line
// between two of them, or behind the last, stays as an empty string.
Parser::Comments Parser::claim_before(bool keep_blanks) {
  Comments claimed;
  const auto end = static_cast<std::size_t>(peek().comments_before);
  for (; next_comment_ < end; ++next_comment_) {
    const Comment& comment = comments_[next_comment_];
    if (keep_blanks && comment.blank_before && !claimed.empty()) claimed.emplace_back();
    claimed.push_back(comment.text);
  }
  if (keep_blanks && !claimed.empty() && peek().blank_before) claimed.emplace_back();
  return claimed;
}

// The comments that stand behind the last token on its line.
std::string Parser::claim_behind() {
  std::string behind;
  const auto end = static_cast<std::size_t>(peek().comments_before);
  next_comment_ = std::max(next_comment_, static_cast<std::size_t>(last().comments_before));
  for (; next_comment_ < end && !comments_[next_comment_].newline_before; ++next_comment_) {
    if (!behind.empty()) behind += ' ';
    behind += comments_[next_comment_].text;
  }
  return behind;
}

// Behind a comma or semicolon that was just taken: what stands there on the same line belongs to
// the item before it, if that has no such comment yet.
void Parser::claim_separator(std::string& trailing) {
  const bool between = next_comment_ < static_cast<std::size_t>(last().comments_before);
  if (trailing.empty() && !between) trailing = claim_behind();
}

// What stood inside an item and belongs to no expression of it: behind the item if it is alone
// and there is room, else above.
void Parser::claim_rest(Comments& comments, std::string& trailing) {
  Comments inner;
  const auto end = static_cast<std::size_t>(last().comments_before);
  for (; next_comment_ < end; ++next_comment_) inner.push_back(comments_[next_comment_].text);
  trailing = claim_behind();
  if (trailing.empty() && inner.size() == 1) {
    trailing = std::move(inner.front());
  } else {
    comments.insert(comments.end(), inner.begin(), inner.end());
  }
}

namespace {

// The lexer reports before the parser does; a reader goes from top to bottom.
void add_in_order(const Diagnostics& found, const std::vector<Span>& misread,
                  Diagnostics& diagnostics) {
  std::vector<Diagnostic> items = found.items();
  const auto begin = [](const Diagnostic& diagnostic) {
    return diagnostic.labels.front().span.begin;
  };
  std::erase_if(items, [&](const Diagnostic& diagnostic) {
    if (diagnostic.kind == "syntax.nesting") return false;  // a bound, whoever has reached it
    return std::any_of(misread.begin(), misread.end(), [&](const Span& range) {
      return begin(diagnostic) > range.begin && begin(diagnostic) < range.end;
    });
  });
  std::stable_sort(items.begin(), items.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return begin(a) < begin(b); });
  if (items.size() > kMaxSyntaxErrors) {
    items.resize(kMaxSyntaxErrors);
    const Span last = items.back().labels.front().span;
    items.emplace_back("syntax.too-many", "there are more errors than are shown")
        .at(last, "the last that is shown")
        .help("mend the first ones; those behind them often go with them");
  }
  for (Diagnostic& item : items) diagnostics.add(std::move(item));
}

}  // namespace

Tree parse(const Sources& sources, int32_t file, Diagnostics& diagnostics) {
  Diagnostics found;
  Parser parser(sources, file, found);
  Tree tree = parser.parse_file();
  add_in_order(found, parser.misread(), diagnostics);
  return tree;
}

ExprPtr parse_expression(const Sources& sources, int32_t file, Diagnostics& diagnostics) {
  const auto size = static_cast<int32_t>(sources.file(file).text.size());
  return parse_expression(sources, Span{file, 0, size}, diagnostics);
}

ExprPtr parse_expression(const Sources& sources, Span part, Diagnostics& diagnostics) {
  Diagnostics found;
  Parser parser(sources, part.file, found, lex(sources, part, found));
  ExprPtr expr = parser.parse_lone_expression();
  add_in_order(found, {}, diagnostics);
  return found.has_errors() ? nullptr : std::move(expr);
}

}  // namespace cradle::syntax
