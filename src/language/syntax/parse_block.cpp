// The items between two braces, and how to go on behind a faulty one.

#include <fmt/format.h>

#include <algorithm>

#include "language/syntax/parser.hpp"

namespace cradle::syntax {

Parser::Block Parser::parse_block(const std::string& of, Comments carried, ParsePart part) {
  const Nest nest(*this);
  const Token open =
      expect(Tok::LeftBrace, "behind " + of, fmt::format("write the items of {} in braces", of));
  // What stood before the brace goes inside.
  Block block;
  const auto before = static_cast<std::size_t>(open.comments_before);
  for (; next_comment_ < before; ++next_comment_) {
    carried.push_back(comments_[next_comment_].text);
  }
  block.comments.behind_open = claim_behind();
  parse_into(block, carried, part);
  close_block(open, of);
  return block;
}

void Parser::parse_into(Block& block, Comments& carried, ParsePart part) {
  bool blank = false;
  while (true) {
    blank |= blank_before() && !block.items.empty();
    if (accept(Tok::Semicolon)) {
      if (!block.items.empty()) claim_separator(block.items.back()->trailing_comment);
      continue;
    }
    Comments comments = claim_before(true);
    comments.insert(comments.begin(), carried.begin(), carried.end());
    carried.clear();
    if (at(Tok::RightBrace) || at(Tok::End) || at_definition()) {
      if (!comments.empty() && comments.back().empty()) comments.pop_back();
      if (!comments.empty() && blank) comments.insert(comments.begin(), "");
      block.comments.before_close = std::move(comments);
      return;
    }
    const std::size_t start = next_;
    const std::size_t first = block.items.size();
    try {
      (this->*part)(block.items);
      block.items[first]->blank_before = blank;
      Comments& mine = block.items[first]->comments;
      mine.insert(mine.begin(), comments.begin(), comments.end());
    } catch (const GiveUp&) {
      recover_item(start);
    }
    blank = false;
  }
}

// The columns before the first token of a line.
int Parser::indent_of(const Token& token) const {
  const auto begin = static_cast<std::size_t>(token.begin);
  const std::size_t newline = begin == 0 ? std::string_view::npos : text_.rfind('\n', begin - 1);
  return static_cast<int>(newline == std::string_view::npos ? begin : begin - newline - 1);
}

// By their indentation: the first brace behind which a line stands as far left as the brace's own,
// before it is closed; and that line. Null: the lines do not tell.
Parser::Missing Parser::find_missing() const {
  struct Open {
    const Token* brace;
    int indent;  // of its line; −1: what it holds is not set in
  };
  std::vector<Open> open;
  int indent = 0;
  bool is_first = false;  // of its block
  for (std::size_t i = definition_; i < next_; ++i) {
    const Token& token = tokens_[i];
    if (token.newline_before || i == definition_) {
      indent = indent_of(token);
      if (is_first && indent <= open.back().indent) open.back().indent = -1;
      const bool closes = token.kind == Tok::RightBrace;
      const bool outside =
          !open.empty() && (closes ? indent < open.back().indent : indent <= open.back().indent);
      if (outside) return {open.back().brace, &token};
    }
    is_first = token.kind == Tok::LeftBrace;
    if (token.kind == Tok::LeftBrace) open.push_back({&token, indent});
    if (token.kind == Tok::RightBrace && !open.empty()) open.pop_back();
  }
  return {};
}

// A definition cannot stand inside another, so where one begins a brace is missing.
void Parser::close_block(const Token& open, const std::string& of) {
  if (at(Tok::RightBrace)) {
    take();
    return;
  }
  if (unclosed_ || (cut_short_ && at(Tok::End))) return;
  unclosed_ = true;
  const Missing missing = find_missing();
  const bool told = missing.brace != nullptr;
  const Span brace = told ? span_of(*missing.brace) : span_of(open);
  Diagnostic& diagnostic =
      report("syntax.unclosed",
             told ? "a `{` is never closed" : fmt::format("the `{{` of {} is never closed", of),
             brace, "opened here");
  // Whatever else is wrong behind it was read in the wrong block.
  misread_.push_back({file_, brace.begin, peek().begin + 1});
  if (told) {
    diagnostic.at(span_of(*missing.line), "expected `}` before this line");
  } else if (at(Tok::End)) {
    diagnostic.at({file_, last().end, last().end}, "the file ends without `}`");
  } else {
    diagnostic.at(span_of(peek()), "a new definition begins here");
  }
  diagnostic.rule("definitions do not stand inside one another, and every `{` has its `}`")
      .help("put the missing } where the block ends");
}

bool Parser::starts_item(const Token& token) const {
  switch (token.kind) {
    case Tok::Param:
    case Tok::Require:
    case Tok::Port:
    case Tok::Input:
    case Tok::Output:
    case Tok::Until:
    case Tok::Show:
    case Tok::Animate:
    case Tok::Model:
    case Tok::Component:
      return true;
    case Tok::For:
    case Tok::If:
    case Tok::Priority:
    case Tok::When:
    case Tok::Name:
    case Tok::Number:
      return token.newline_before;
    default:
      return false;
  }
}

// If the item was given up inside parentheses that are closed further on, the place behind them;
// else the present place.
std::size_t Parser::behind_open_parentheses(std::size_t item_start) const {
  constexpr std::size_t kFarthest = 200;
  int open = 0;
  const auto count = [&](Tok kind) {
    if (kind == Tok::LeftParen || kind == Tok::LeftBracket) ++open;
    if (kind == Tok::RightParen || kind == Tok::RightBracket) --open;
  };
  for (std::size_t i = item_start; i < next_; ++i) count(tokens_[i].kind);
  if (open <= 0) return next_;
  const std::size_t end = std::min(tokens_.size(), next_ + kFarthest);
  for (std::size_t i = next_; i < end; ++i) {
    const Tok kind = tokens_[i].kind;
    const bool name = kind == Tok::Name || kind == Tok::Number;
    if (kind == Tok::LeftBrace || kind == Tok::RightBrace) return next_;
    if (!name && starts_item(tokens_[i])) return next_;
    count(kind);
    if (open <= 0) return i + 1;
  }
  return next_;
}

// Skips to the end of the block or to a line that begins like an item; braces in balance.
void Parser::recover_item(std::size_t item_start) {
  next_ = behind_open_parentheses(item_start);
  if (next_ == item_start && !at(Tok::LeftBrace)) take();
  int open = 0;
  for (; !at(Tok::End); take()) {
    if (at_definition()) return;
    if (open == 0 && (at(Tok::RightBrace) || at(Tok::Semicolon) || starts_item(peek()))) return;
    if (at(Tok::LeftBrace)) ++open;
    if (at(Tok::RightBrace)) --open;
  }
}

}  // namespace cradle::syntax
