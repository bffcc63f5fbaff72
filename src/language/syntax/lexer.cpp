#include "language/syntax/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "base/diagnostics/utf8.hpp"
#include "language/syntax/tree.hpp"
#include "language/syntax/units.hpp"

namespace cradle::syntax {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters of names: Latin, Greek and Cyrillic; inside a name also digits and subscript digits.
bool is_letter(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  if (c == 0xB5 || c == 0xB0 || c == 0x2126) return true;  // µ, ° and the sign for ohm, in units
  if (c >= 0xC0 && c <= 0x24F) return c != 0xD7 && c != 0xF7;
  return c >= 0x370 && c <= 0x4FF && c != 0x37E && c != 0x387;
}

bool continues_name(char32_t c) {
  return is_letter(c) || (c >= '0' && c <= '9') || (c >= 0x2080 && c <= 0x2089);
}

// What people write for an operator of another notation, and what it is here.
struct Foreign {
  std::string_view text;
  Tok kind;
  std::string_view name;  // how this language writes it
};
constexpr Foreign kForeign[] = {
    {"&&", Tok::And, "and"},     {"||", Tok::Or, "or"},          {"**", Tok::Caret, "^"},
    {":=", Tok::Assign, "="},    {"=<", Tok::LessEqual, "<="},   {"<>", Tok::NotEqual, "!="},
    {"~=", Tok::NotEqual, "!="}, {"!", Tok::Not, "not"},         {"¬", Tok::Not, "not"},
    {"≤", Tok::LessEqual, "<="}, {"≥", Tok::GreaterEqual, ">="}, {"≠", Tok::NotEqual, "!="},
    {"→", Tok::Arrow, "->"},     {"⇀", Tok::Arrow, "->"},        {"−", Tok::Minus, "-"},
    {"·", Tok::Star, "*"},       {"×", Tok::Star, "*"},          {"÷", Tok::Slash, "/"},
    {"∧", Tok::And, "and"},      {"∨", Tok::Or, "or"},           {"…", Tok::DotDot, ".."},
};

struct Symbol {
  std::string_view text;
  Tok kind;
};
// Longer ones first.
constexpr Symbol kSymbols[] = {
    {"..", Tok::DotDot},      {"->", Tok::Arrow},     {"==", Tok::Equal},
    {"!=", Tok::NotEqual},    {"<=", Tok::LessEqual}, {">=", Tok::GreaterEqual},
    {"(", Tok::LeftParen},    {")", Tok::RightParen}, {"[", Tok::LeftBracket},
    {"]", Tok::RightBracket}, {"{", Tok::LeftBrace},  {"}", Tok::RightBrace},
    {",", Tok::Comma},        {";", Tok::Semicolon},  {":", Tok::Colon},
    {".", Tok::Dot},          {"=", Tok::Assign},     {"<", Tok::Less},
    {">", Tok::Greater},      {"+", Tok::Plus},       {"-", Tok::Minus},
    {"*", Tok::Star},         {"/", Tok::Slash},      {"^", Tok::Caret},
};

Tok word_kind(std::string_view word) {
  static const std::unordered_map<std::string_view, Tok> kinds = [] {
    std::unordered_map<std::string_view, Tok> map;
    int kind = static_cast<int>(Tok::Model);
    for (const std::string& text : keyword_texts()) map.emplace(text, static_cast<Tok>(kind++));
    return map;
  }();
  const auto found = kinds.find(word);
  return found == kinds.end() ? Tok::Name : found->second;
}

// Without white space at the ends of its lines.
std::string tidy(std::string_view comment) {
  std::string out;
  for (const char c : comment) {
    if (c == '\n') out.erase(out.find_last_not_of(" \t\r\v\f") + 1);
    out += c;
  }
  out.erase(out.find_last_not_of(" \t\r\v\f") + 1);
  return out;
}

class Lexer {
 public:
  Lexer(std::string_view text, int32_t file, Diagnostics& diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics) {}

  Lexed run(std::size_t begin = 0) {
    if (text_.size() > kMaxBytes) return too_large();
    at_ = begin;
    if (begin == 0 && text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
    while (skip_space()) next();
    add(Tok::End, at_);
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 26;

  bool starts(std::string_view prefix) const {
    return text_[at_] == prefix[0] && text_.substr(at_).starts_with(prefix);
  }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  utf8::CodePoint code_point() const { return utf8::decode(text_, at_); }
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<int32_t>(begin), static_cast<int32_t>(end)};
  }

  // Bounded like the parser's, so that a binary file does not fill the screen.
  Diagnostic& report(std::string kind, std::string message, Span where, std::string label) {
    Diagnostic diagnostic(std::move(kind), std::move(message));
    diagnostic.at(where, std::move(label));
    if (++reported_ > kMaxReports) return dropped_ = std::move(diagnostic);
    return diagnostics_.add(std::move(diagnostic));
  }

  Lexed too_large() {
    report("syntax.too-large", fmt::format("the file has {} bytes", text_.size()), span(0, 0), "")
        .rule(fmt::format("a file has at most {} bytes", kMaxBytes))
        .help("write repeated structure with for, or split the file");
    add(Tok::End, 0);
    return std::move(out_);
  }

  void add(Tok kind, std::size_t begin, double number = 0) {
    Token token;
    token.kind = kind;
    token.newline_before = newlines_ > 0 || out_.tokens.empty();
    token.blank_before = newlines_ > 1;
    token.begin = static_cast<int32_t>(begin);
    token.end = static_cast<int32_t>(at_);
    token.comments_before = static_cast<int32_t>(out_.comments.size());
    token.number = number;
    out_.tokens.push_back(token);
    newlines_ = 0;
  }

  // Returns false at the end of the text.
  bool skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++newlines_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
        ++at_;
      } else if (starts("//")) {
        line_comment();
      } else if (starts("/*")) {
        block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void add_comment(std::size_t begin) {
    check_encoding(begin, at_);
    const bool first = out_.tokens.empty() && out_.comments.empty();
    out_.comments.push_back(
        {tidy(text_.substr(begin, at_ - begin)), newlines_ > 0 || first, newlines_ > 1});
    newlines_ = 0;
  }

  void line_comment() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('\n', at_), text_.size());
    add_comment(begin);
  }

  void block_comment() {
    const std::size_t begin = at_;
    const std::size_t close = text_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? text_.size() : close + 2;
    if (close == std::string_view::npos) {
      out_.cut_short = true;
      report("syntax.comment", "this comment is never closed", span(begin, begin + 2),
             "it begins here and swallows the rest of the file")
          .rule("a comment that begins with /* ends at the next */")
          .help("close it with */, or begin it with // if it is one line");
      return;
    }
    add_comment(begin);
  }

  void check_encoding(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
      const utf8::CodePoint point = utf8::decode(text_, at);
      if (!point.valid) bad_byte(at);
      at += static_cast<std::size_t>(point.length);
    }
  }

  void bad_byte(std::size_t at) {
    if (bad_encoding_) return;  // said once
    bad_encoding_ = true;
    report("syntax.encoding",
           fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text_[at])),
           span(at, at + 1), "")
        .rule("model files are UTF-8 text")
        .help("save the file as UTF-8");
  }

  void next() {
    const utf8::CodePoint point = code_point();
    if (is_digit(peek())) return number();
    if (point.valid && is_letter(point.value)) return name();
    if (peek() == '"') return string();
    if (peek() == '.' && is_digit(peek(1)) && !follows_operand()) return bare_fraction();
    if (symbol()) return;
    unexpected(point);
  }

  // Whether a point here could continue a path: a.5 is left to the parser.
  bool follows_operand() const {
    if (out_.tokens.empty() || out_.tokens.back().end != static_cast<int32_t>(at_)) return false;
    const Tok kind = out_.tokens.back().kind;
    return kind == Tok::Name || kind == Tok::RightBracket || kind == Tok::Number ||
           kind == Tok::Dot;
  }

  void skip_name() {
    while (at_ < text_.size()) {
      const utf8::CodePoint point = code_point();
      if (!point.valid || !continues_name(point.value)) return;
      at_ += static_cast<std::size_t>(point.length);
    }
  }

  void name() {
    const std::size_t begin = at_;
    skip_name();
    const std::string_view word = text_.substr(begin, at_ - begin);
    add(word_kind(word), begin);
  }

  // body.3.p: the parser will say that 3 is no name.
  bool follows_point(std::size_t begin) const {
    if (out_.tokens.empty()) return false;
    const Token& before = out_.tokens.back();
    return before.kind == Tok::Dot && before.end == static_cast<int32_t>(begin);
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  // 1  0.5  1e-3  2.5E6; the point of 1..N is not a fraction's.
  void number() {
    const std::size_t begin = at_;
    skip_digits();
    if (follows_point(begin)) return add(Tok::Number, begin, 0);
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      skip_digits();
    } else if (peek() == '.' && peek(1) != '.') {
      ++at_;
      report("syntax.number", "a number ends in a point", span(begin, at_), "")
          .rule("digits stand on both sides of the point")
          .help(fmt::format("write {}.0", text_.substr(begin, at_ - begin - 1)));
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        at_ += 1 + sign;
        skip_digits();
      }
    }
    const double value = value_of(begin);
    suffix(begin);
    add(Tok::Number, begin, value);
  }

  double value_of(std::size_t begin) {
    double value = 0;
    const auto result = std::from_chars(text_.data() + begin, text_.data() + at_, value);
    if (result.ec == std::errc::result_out_of_range) {
      report("syntax.number", "a number is out of range", span(begin, at_), "")
          .rule(fmt::format("numbers are doubles: at most {:.3g}, at least {:.3g}",
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::denorm_min()))
          .help("write inf for infinity, or choose other units");
    }
    return value;
  }

  // Letters right behind a number: 10k, 10mH, 2pi, 1v1.
  void suffix(std::size_t begin) {
    const std::size_t end = at_;
    skip_name();
    if (at_ == end) return;
    const std::string_view digits = text_.substr(begin, end - begin);
    const std::string_view letters = text_.substr(end, at_ - end);
    // A unit, which the parser reads.
    if (units::find(letters) || units::suffix(letters) ||
        !units::ambiguity(digits, letters).empty()) {
      at_ = end;
      return;
    }
    report("syntax.number",
           fmt::format("`{}` follows the number {} without a space", letters, digits),
           span(begin, at_), "")
        .rule(
            "right behind a number stands a unit (10mH), one of k, Meg, G, u, n, p (4.7k), or "
            "nothing")
        .help(digits.size() == 1 && digits < "2"
                  ? fmt::format("write {0} {1} for a junction, {0} * {1} for a product", digits,
                                letters)
                  : fmt::format("write {} * {}", digits, letters));
  }

  void bare_fraction() {
    const std::size_t begin = at_++;
    skip_digits();
    report("syntax.number", "a number begins with a point", span(begin, at_), "")
        .rule("digits stand on both sides of the point")
        .help(fmt::format("write 0{}", text_.substr(begin, at_ - begin)));
    add(Tok::Number, begin, 0);
  }

  void string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\' && peek(1) != '\n' && at_ + 1 < text_.size())
        escape();
      else
        ++at_;
    }
    check_encoding(begin, at_);
    if (peek() == '"') {
      ++at_;
      return add(Tok::String, begin);
    }
    report("syntax.string", "this string is never closed", span(begin, at_), "")
        .rule("a string ends with \" on the line on which it begins")
        .help("close it with \", or write \\\" for a quote inside it");
    add(Tok::Invalid, begin);
  }

  void escape() {
    const std::string_view known = "\"\\nt";
    if (known.find(peek(1)) == std::string_view::npos) {
      report("syntax.string", "an unknown escape stands in this string", span(at_, at_ + 2), "")
          .rule("the escapes are \\\" \\\\ \\n \\t")
          .help("write \\\\ for a backslash");
    }
    at_ += 2;
  }

  bool symbol() {
    for (const Foreign& foreign : kForeign) {
      if (!starts(foreign.text) || (foreign.text == "!" && peek(1) == '=')) continue;
      const std::size_t begin = at_;
      at_ += foreign.text.size();
      report("syntax.operator", fmt::format("`{}` is not an operator here", foreign.text),
             span(begin, at_), "")
          .help(fmt::format("write {}", foreign.name));
      add(foreign.kind, begin);
      return true;
    }
    for (const Symbol& symbol : kSymbols) {
      if (!starts(symbol.text)) continue;
      const std::size_t begin = at_;
      at_ += symbol.text.size();
      add(symbol.kind, begin);
      return true;
    }
    return false;
  }

  void unexpected(const utf8::CodePoint& point) {
    const std::size_t begin = at_;
    at_ += static_cast<std::size_t>(point.length);
    add(Tok::Invalid, begin);
    if (reported_ > kMaxReports) {  // this is no model: the rest would only cost time
      out_.cut_short = true;
      at_ = text_.size();
      return;
    }
    if (!point.valid) return bad_byte(begin);
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (text == "'" && derivative_prime(begin)) return;
    const bool printable = point.value >= 0x20 && point.value != 0x7F;
    Diagnostic& diagnostic =
        report("syntax.character",
               printable ? fmt::format("`{}` has no meaning here", text)
                         : fmt::format("the control character 0x{:02x} has no meaning here",
                                       static_cast<unsigned>(point.value)),
               span(begin, at_), "");
    if (text == "'")
      single_quotes(diagnostic);
    else if (text == "%")
      diagnostic.help("write mod(a, b) for the remainder");
    else if (text == "&")
      diagnostic.help("write and");
    else if (text == "|")
      diagnostic.help("write or");
    else if (text == "?")
      diagnostic.help("write if c then a else b");
    else if (text == "#")
      hash_comment(diagnostic);
    else
      diagnostic.help("remove it; names are made of letters, digits and _");
  }

  // x' right behind a name, as on paper.
  bool derivative_prime(std::size_t begin) {
    const std::size_t count = out_.tokens.size();  // the last is the prime
    const bool behind_name = count > 1 && out_.tokens[count - 2].kind == Tok::Name &&
                             out_.tokens[count - 2].end == static_cast<int32_t>(begin);
    if (!behind_name) return false;
    const auto name_begin = static_cast<std::size_t>(out_.tokens[count - 2].begin);
    const std::string_view name = text_.substr(name_begin, begin - name_begin);
    while (at_ < text_.size() && text_[at_] == '\'') ++at_;
    const std::size_t primes = at_ - begin;
    out_.tokens.back().end = static_cast<int32_t>(at_);
    Diagnostic& diagnostic = report("syntax.foreign", "a derivative is not written with primes",
                                    span(name_begin, at_), "");
    diagnostic.rule("a state is the integral of its rate, from its first value on");
    diagnostic.help(primes == 1
                        ? fmt::format("write {0} = integral({1}, {0}0)", name, right_side())
                        : fmt::format("write {0} = integral(v, {0}0) and v = integral({1}, v0)",
                                      name, right_side()));
    return true;
  }

  // What stands behind = on this line.
  std::string_view right_side() const {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view rest = text_.substr(at_, end - at_);
    const auto skip = [&rest] {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    };
    skip();
    if (!rest.starts_with('=')) return "…";
    rest.remove_prefix(1);
    skip();
    rest = rest.substr(0, std::min(rest.find("//"), rest.find('\'')));
    rest = rest.substr(0, rest.find_last_not_of(" \t\r") + 1);
    return rest.empty() ? "…" : rest;
  }

  void single_quotes(Diagnostic& diagnostic) {
    diagnostic.help("write strings in double quotes");
    const std::size_t close = text_.find_first_of("'\n", at_);
    if (close == std::string_view::npos || text_[close] != '\'') return;
    at_ = close + 1;
    out_.tokens.back().end = static_cast<int32_t>(at_);
  }

  void hash_comment(Diagnostic& diagnostic) {
    diagnostic.help("begin comments with //");
    at_ = std::min(text_.find('\n', at_), text_.size());
    out_.tokens.back().end = static_cast<int32_t>(at_);
  }

  static constexpr int kMaxReports = kMaxSyntaxErrors + 1;

  std::string_view text_;
  int32_t file_;
  Diagnostics& diagnostics_;
  Diagnostic dropped_;
  int reported_ = 0;
  bool bad_encoding_ = false;
  std::size_t at_ = 0;
  int newlines_ = 0;
  Lexed out_;
};

}  // namespace

const std::vector<std::string>& keyword_texts() {
  static const std::vector<std::string> texts = {
#define RESERVED(token, word) word,
#include "language/syntax/words.def"
  };
  return texts;
}

Lexed lex(const Sources& sources, int32_t file, Diagnostics& diagnostics) {
  return Lexer(sources.file(file).text, file, diagnostics).run();
}

Lexed lex(const Sources& sources, Span part, Diagnostics& diagnostics) {
  const std::string_view text = sources.file(part.file).text;
  return Lexer(text.substr(0, static_cast<std::size_t>(part.end)), part.file, diagnostics)
      .run(static_cast<std::size_t>(part.begin));
}

std::string decode_string(std::string_view literal) {
  std::string out;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      out += literal[i];
      continue;
    }
    ++i;
    out += literal[i] == 'n' ? '\n' : literal[i] == 't' ? '\t' : literal[i];
  }
  return out;
}

std::string encode_string(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace cradle::syntax
