#pragma once
// text ─lex→ tokens and comments. White space and comments separate tokens; newlines mean nothing
// but are remembered, for comments, blank lines and recovery.

#include <string>
#include <string_view>
#include <vector>

#include "cradle/diagnostic.hpp"

namespace cradle::syntax {

enum class Tok : unsigned char {
  End,
  Invalid,  // Invalid: reported by the lexer already
  Name,
  Number,
  String,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Semicolon,
  Colon,
  Dot,
  DotDot,
  Arrow,
  Assign,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Plus,
  Minus,
  Star,
  Slash,
  Caret,
// Reserved words, in the order of keyword_texts().
#define RESERVED(token, word) token,
#include "language/syntax/words.def"
};

const std::vector<std::string>& keyword_texts();
inline bool is_keyword(Tok kind) { return kind >= Tok::Model; }

struct Token {
  Tok kind = Tok::End;
  bool newline_before = false;  // first on its line
  bool blank_before = false;    // an empty line stands before it
  int32_t begin = 0;
  int32_t end = 0;
  int32_t comments_before = 0;  // comments in the file up to this token
  double number = 0;
};

struct Comment {
  std::string text;             // with its // or /* */, without white space at the ends of lines
  bool newline_before = false;  // relative to the token or comment before it
  bool blank_before = false;
};

struct Lexed {
  std::vector<Token> tokens;  // ends with End
  std::vector<Comment> comments;
  bool cut_short = false;  // an unclosed comment swallowed the rest
};

// Reports what is no token and goes on behind it.
Lexed lex(const Sources& sources, int32_t file, Diagnostics& diagnostics);
// Of a part of a file.
Lexed lex(const Sources& sources, Span part, Diagnostics& diagnostics);

// The characters that a well-formed string literal (with its quotes) stands for, and back.
std::string decode_string(std::string_view literal);
std::string encode_string(std::string_view value);

}  // namespace cradle::syntax
