#include "theory/hypa/parse.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>

#include "base/diagnostics/utf8.hpp"
#include "theory/hypa/notation.hpp"

namespace cradle::hypa {
namespace {

using expr::Op;

struct Token {
  enum class Kind { Name, Number, Sign, End } kind = Kind::End;
  std::string text;  // signs in their usual form
  std::size_t begin = 0, end = 0;
  bool space_before = false;
  bool quoted = false;  // in `…`: a name, whatever word it is
};

struct Failure {
  std::size_t begin, end;
  std::string message;
};

// Longest first where one begins with another.
constexpr std::array<std::pair<std::string_view, std::string_view>, 47> kSigns = {{
    {"(+)", "⊕"}, {"~=", "≈"}, {"^-", "⁻"}, {"^+", "⁺"}, {"^o", "°"}, {"<=", "≤"}, {">=", "≥"},
    {"!=", "≠"},  {">>", "≫"}, {"|>", "▶"}, {"||", "∥"}, {"≈", "≈"},  {"≫", "≫"},  {"⊕", "⊕"},
    {"▶", "▶"},   {"∥", "∥"},  {"⁻", "⁻"},  {"⁺", "⁺"},  {"′", "′"},  {"'", "′"},  {"°", "°"},
    {"≤", "≤"},   {"≥", "≥"},  {"≠", "≠"},  {"∧", "∧"},  {"∨", "∨"},  {"¬", "¬"},  {"∫", "∫"},
    {"·", "·"},   {"*", "·"},  {"−", "-"},  {"²", "²"},  {"³", "³"},  {"ω", "ω"},  {"(", "("},
    {")", ")"},   {"[", "["},  {"]", "]"},  {",", ","},  {"|", "|"},  {":", ":"},  {"+", "+"},
    {"-", "-"},   {"/", "/"},  {"^", "^"},  {"=", "="},  {"<", "<"},
}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kDotted = {{
    {"ẋ", "x"},
    {"ẏ", "y"},
    {"ż", "z"},
    {"ė", "e"},
    {"ḟ", "f"},
    {"ṗ", "p"},
    {"Ė", "E"},
    {"ṁ", "m"},
}};

class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) {}

  std::vector<Token> tokens() {
    check_encoding();
    std::vector<Token> out;
    bool space = true;
    while (true) {
      space |= skip();
      Token token = next();
      token.space_before = space;
      space = false;
      out.push_back(token);
      if (token.kind == Token::Kind::End) return out;
    }
  }

 private:
  void check_encoding() const {
    for (std::size_t at = 0; at < text_.size();) {
      const utf8::CodePoint point = utf8::decode(text_, at);
      if (!point.valid) throw Failure{at, at + 1, "this byte is not UTF-8"};
      at += static_cast<std::size_t>(point.length);
    }
  }

  bool starts(std::string_view with) const { return text_.compare(at_, with.size(), with) == 0; }

  bool skip() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (starts("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        break;
      }
    }
    return at_ > begin;
  }

  Token token(Token::Kind kind, std::string text, std::size_t begin) const {
    return {kind, std::move(text), begin, at_, false, false};
  }

  Token next() {
    const std::size_t begin = at_;
    if (at_ >= text_.size()) return token(Token::Kind::End, "the end", begin);
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c)) return number(begin);
    if (c == '`') return quoted(begin);
    if (std::isalpha(c) || c == '_' || dotted_letter()) return name(begin);
    if (starts(notation::kBound)) {
      at_ += notation::kBound.size();
      return token(Token::Kind::Name, std::string(notation::kBound), begin);
    }
    if (starts(notation::kDot)) {
      at_ += notation::kDot.size();
      return token(Token::Kind::Sign, "dot", begin);
    }
    for (const auto& [written, meant] : kSigns) {
      if (!starts(written)) continue;
      at_ += written.size();
      return token(Token::Kind::Sign, std::string(meant), begin);
    }
    if (starts(">")) {
      ++at_;
      return token(Token::Kind::Sign, ">", begin);
    }
    throw Failure{begin, begin + 1, "this sign has no meaning here"};
  }

  const std::pair<std::string_view, std::string_view>* dotted_letter() const {
    for (const auto& pair : kDotted) {
      if (starts(pair.first)) return &pair;
    }
    return nullptr;
  }

  Token number(std::size_t begin) {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (error != std::errc()) throw Failure{begin, begin + 1, "this number cannot be read"};
    at_ = static_cast<std::size_t>(end - text_.data());
    return token(Token::Kind::Number, text_.substr(begin, at_ - begin), begin);
  }

  Token quoted(std::size_t begin) {
    const std::size_t close = text_.find('`', begin + 1);
    if (close == std::string::npos) throw Failure{begin, begin + 1, "this name does not end"};
    for (std::size_t i = begin; i < close; ++i) {
      if (std::iscntrl(static_cast<unsigned char>(text_[i]))) {
        throw Failure{i, i + 1, "a name has no control characters"};
      }
    }
    at_ = close + 1;
    Token found = token(Token::Kind::Name, text_.substr(begin + 1, close - begin - 1), begin);
    found.quoted = true;
    return found;
  }

  // body1.p, ball[3].f; a letter with a dot ends the name and its dot comes as a sign.
  Token name(std::size_t begin) {
    std::string text;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      const bool dots = c == '.' && at_ + 1 < text_.size() && !text.empty();
      if (std::isalnum(c) || c == '_' || dots) {
        text += text_[at_++];
      } else if (c == '[' && index_follows()) {
        while (text_[at_] != ']') text += text_[at_++];
        text += text_[at_++];
      } else if (const auto* pair = dotted_letter()) {
        text += pair->second;
        at_ += pair->first.size();
        dot_pending_ = true;
        break;
      } else {
        break;
      }
    }
    Token found = token(Token::Kind::Name, text, begin);
    if (dot_pending_) {
      found.text += notation::kDot;
      dot_pending_ = false;
    }
    return found;
  }

  bool index_follows() const {
    std::size_t i = at_ + 1;
    while (i < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[i])) ||
                                text_[i] == ',' || text_[i] == ' ')) {
      ++i;
    }
    return i > at_ + 1 && i < text_.size() && text_[i] == ']' &&
           std::isdigit(static_cast<unsigned char>(text_[at_ + 1]));
  }

  const std::string& text_;
  std::size_t at_ = 0;
  bool dot_pending_ = false;
};

constexpr int kMaxNesting = 400;
constexpr std::size_t kMaxConjuncts = 100'000;

class Parser {
 public:
  Parser(std::vector<Token> tokens, Specification& out)
      : tokens_(std::move(tokens)), out_(out), v_(out.vocabulary), pool_(v_.pool) {}

  void specification() {
    while (peek().kind != Token::Kind::End) {
      const Token head = peek();
      if (is_word("mode") && tokens_[at_ + 1].kind == Token::Kind::Name) {
        declare_mode();
        continue;
      }
      if (is_word("param") && tokens_[at_ + 1].kind == Token::Kind::Name) {
        declare_parameters();
        continue;
      }
      if (is_word("let") && tokens_[at_ + 1].kind == Token::Kind::Name) {
        declare_predicate();
        continue;
      }
      const std::string process = any_name("the name of a process");
      expect("≈", "after the name of a process");
      if (out_.find(process) != nullptr) {
        throw Failure{head.begin, head.end, "process '" + process + "' is defined twice"};
      }
      out_.processes.push_back({process, term(), {}});
    }
    if (out_.processes.empty()) throw Failure{0, 0, "there is no process: X ≈ …"};
  }

 private:
  struct Nested {
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxNesting) parser_.fail("this is nested too deeply");
    }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Parser& parser_;
  };

  const Token& peek() const { return tokens_[at_]; }
  Token take() { return tokens_[peek().kind == Token::Kind::End ? at_ : at_++]; }
  [[noreturn]] void fail(const std::string& message) const {
    throw Failure{peek().begin, peek().end, message};
  }
  bool is_sign(std::string_view sign) const {
    return peek().kind == Token::Kind::Sign && peek().text == sign;
  }
  bool is_word(std::string_view word) const {
    return peek().kind == Token::Kind::Name && !peek().quoted && peek().text == word;
  }
  bool accept(std::string_view sign) {
    if (!is_sign(sign)) return false;
    ++at_;
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!is_word(word)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view sign, const std::string& where) {
    if (!accept(sign)) fail("'" + std::string(sign) + "' is expected " + where);
  }
  std::string any_name(const std::string& what) {
    if (peek().kind != Token::Kind::Name) fail(what + " is expected here");
    return take().text;
  }

  void declare_mode() {
    ++at_;
    const std::string automaton = any_name("the name of an automaton");
    expect(":", "after the name of an automaton");
    std::vector<std::string> values;
    do {
      values.push_back(any_name("a state of the automaton"));
    } while (accept(","));
    v_.mode(automaton, std::move(values));
  }

  void declare_parameters() {
    ++at_;
    do {
      const Token token = peek();
      const std::string parameter = any_name("the name of a parameter");
      if (v_.find(parameter).valid()) {
        throw Failure{token.begin, token.end, "'" + parameter + "' is a variable already"};
      }
      v_.parameter(parameter);
    } while (accept(","));
  }

  void declare_predicate() {
    ++at_;
    const std::string predicate = any_name("the name of a predicate");
    expect(":", "after the name of a predicate");
    lets_[predicate] = conjuncts();
  }

  // Terms.
  Term term() {
    std::vector<Term> parts;
    do {
      parts.push_back(parallel_term());
    } while (accept("⊕"));
    return choice(std::move(parts));
  }
  Term parallel_term() {
    std::vector<Term> parts;
    do {
      parts.push_back(reinitialised());
    } while (accept("∥"));
    return parallel(std::move(parts));
  }
  Term reinitialised() {
    const Nested nested(*this);
    if (!accept("[")) return disrupted();
    Term out = reinitialise({}, {});
    out.clause = clause("]");
    expect("≫", "after a re-initialisation");
    out.parts[0] = reinitialised();
    return out;
  }
  Term disrupted() {
    const Nested nested(*this);
    Term first = atom();
    return accept("▶") ? disrupt(std::move(first), disrupted()) : first;
  }
  // (P) is a flow clause; what is no predicate is a term in parentheses.
  Term atom() {
    if (peek().kind == Token::Kind::Name) return name(take().text);
    const std::size_t begin = at_;
    expect("(", "to begin a flow clause or a term");
    try {
      Term out = flow({});
      out.clause = clause(")");
      return out;
    } catch (const Failure& as_clause) {
      const std::size_t reached = at_;
      at_ = begin + 1;
      try {
        Term inner = term();
        expect(")", "to close the parenthesis");
        return inner;
      } catch (const Failure&) {
        if (reached > at_) throw as_clause;
        throw;
      }
    }
  }

  Clause clause(std::string_view close) {
    Clause out;
    out.variables = variables();
    out.predicate = conjuncts();
    if (out.predicate.size() == 1 && out.predicate[0].holds == pool_.boolean(true)) {
      out.predicate.clear();
    }
    expect(close, "to end the predicate");
    return out;
  }

  Predicate conjuncts() {
    Predicate out;
    do {
      const Token& next = tokens_[std::min(at_ + 1, tokens_.size() - 1)];
      const bool alone = next.kind != Token::Kind::Sign || next.text == "," || next.text == ")" ||
                         next.text == "]";
      auto let = peek().kind == Token::Kind::Name && alone ? lets_.find(peek().text) : lets_.end();
      if (let != lets_.end()) {
        // Predicates that name predicates can double in size with every line.
        if (out.size() + let->second.size() > kMaxConjuncts) fail("this predicate is too long");
        ++at_;
        out.insert(out.end(), let->second.begin(), let->second.end());
      } else {
        out.push_back({condition(), {}});
      }
    } while (accept(","));
    return out;
  }

  // x, y | : the set V, if there is one.
  std::optional<std::vector<VariableId>> variables() {
    std::size_t i = at_;
    while (tokens_[i].kind == Token::Kind::Name) {
      ++i;
      if (tokens_[i].kind != Token::Kind::Sign || tokens_[i].text != ",") break;
      ++i;
    }
    if (tokens_[i].kind != Token::Kind::Sign || tokens_[i].text != "|") return std::nullopt;
    std::vector<VariableId> out;
    while (!accept("|")) {
      out.push_back(variable(any_name("a variable")));
      if (!is_sign("|")) expect(",", "between variables");
    }
    return out;
  }

  // Expressions.
  ExprId condition() { return disjunction(); }
  ExprId disjunction() {
    const Nested nested(*this);
    ExprId out = conjunction();
    while (accept("∨") || accept_word("or")) out = pool_.binary(Op::Or, out, conjunction());
    return out;
  }
  ExprId conjunction() {
    ExprId out = negation();
    while (accept("∧") || accept_word("and")) out = pool_.binary(Op::And, out, negation());
    return out;
  }
  ExprId negation() {
    const Nested nested(*this);
    if (accept("¬") || accept_word("not")) return pool_.unary(Op::Not, negation());
    return comparison();
  }
  ExprId comparison() {
    ExprId left = sum();
    const Token sign = peek();
    if (sign.kind != Token::Kind::Sign) return left;
    if (accept("=")) return equality(left, Op::Equal);
    if (accept("≠")) return equality(left, Op::NotEqual);
    if (accept("<")) return pool_.binary(Op::Less, left, sum());
    if (accept("≤")) return pool_.binary(Op::LessEqual, left, sum());
    if (accept(">")) return pool_.binary(Op::Less, sum(), left);
    if (accept("≥")) return pool_.binary(Op::LessEqual, sum(), left);
    return left;
  }
  ExprId equality(ExprId left, Op op) {
    if (v_.is_variable(left) && peek().kind == Token::Kind::Name) {
      const Variable& variable = v_[Vocabulary::variable_of(pool_[left])];
      for (std::size_t i = 0; i < variable.values.size(); ++i) {
        if (!accept_word(variable.values[i])) continue;
        return pool_.binary(op, left, pool_.constant(static_cast<double>(i)));
      }
      const VariableId other = v_.find(peek().text);
      const bool is_mode = other.valid() && v_[other].quantity == Quantity::Mode;
      if (!variable.values.empty() && !is_mode) {
        fail("'" + peek().text + "' is no state of " + variable.name);
      }
    }
    return pool_.binary(op, left, sum());
  }
  ExprId sum() {
    ExprId out = product();
    while (true) {
      if (accept("+")) {
        out = pool_.binary(Op::Add, out, product());
      } else if (accept("-")) {
        out = pool_.binary(Op::Sub, out, product());
      } else {
        return out;
      }
    }
  }
  ExprId product() {
    ExprId out = minus();
    while (true) {
      if (accept("·")) {
        out = pool_.binary(Op::Mul, out, minus());
      } else if (accept("/")) {
        out = pool_.binary(Op::Div, out, minus());
      } else {
        return out;
      }
    }
  }
  ExprId minus() {
    const Nested nested(*this);
    if (accept("-")) return pool_.unary(Op::Neg, minus());
    return power();
  }
  ExprId power() {
    ExprId base = primary();
    if (accept("²")) return pool_.binary(Op::Pow, base, pool_.constant(2));
    if (accept("³")) return pool_.binary(Op::Pow, base, pool_.constant(3));
    if (accept("^")) return pool_.binary(Op::Pow, base, minus());
    return base;
  }
  ExprId primary() {
    const Nested nested(*this);
    const Token token = peek();
    if (token.kind == Token::Kind::Number) {
      ++at_;
      double value = 0;
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
      return pool_.constant(value);
    }
    if (accept("ω")) return pool_.leaf(Op::Omega);
    if (accept("∫") || accept_word("integral")) return integral();
    if (accept("(")) {
      const ExprId inner = condition();
      expect(")", "to close the parenthesis");
      return inner;
    }
    if (token.kind != Token::Kind::Name) fail("an expression is expected here");
    return named();
  }
  ExprId integral() {
    expect("[", "before the limits of an integral");
    const ExprId from = sum();
    expect(",", "between the limits of an integral");
    const ExprId to = sum();
    expect("]", "after the limits of an integral");
    const ExprId integrand = sum();
    if (!accept_word("d")) fail("'dξ' is expected after what is integrated");
    if (!accept_word(notation::kBound)) fail("'dξ' is expected after what is integrated");
    return pool_.integral(from, to, integrand);
  }
  ExprId named() {
    if (accept_word("true")) return pool_.boolean(true);
    if (accept_word("false")) return pool_.boolean(false);
    if (accept_word("time")) return pool_.leaf(Op::Time);
    if (accept_word("absent")) return pool_.leaf(Op::Absent);
    if (accept_word("inf")) return pool_.constant(std::numeric_limits<double>::infinity());
    if (accept_word("nan")) return pool_.constant(std::numeric_limits<double>::quiet_NaN());
    if (accept_word(notation::kBound)) return pool_.leaf(Op::Local, 0);
    if (accept_word("if")) {
      const ExprId test = disjunction();
      if (!accept_word("then")) fail("'then' is expected here");
      const ExprId yes = condition();
      if (!accept_word("else")) fail("'else' is expected here");
      return pool_.conditional(test, yes, condition());
    }
    const Token token = take();
    if (is_sign("(") && !peek().space_before) return call(token);
    std::string text = token.text;
    if (const ExprId known = v_.find_parameter(text); known.valid()) return known;
    if (text.ends_with(notation::kDot)) {
      text.resize(text.size() - notation::kDot.size());
      return v_.leaf(variable(text), Mark::Rate);
    }
    const VariableId id = variable(text);
    if (accept("dot")) return v_.leaf(id, Mark::Rate);
    if (accept("⁻")) return v_.leaf(id, Mark::Before);
    if (accept("⁺")) return v_.leaf(id, Mark::After);
    if (accept("′")) return v_.leaf(id, Mark::Change);
    if (accept("°")) return v_.leaf(id, Mark::Tried);
    return v_.leaf(id);
  }
  ExprId call(const Token& function) {
    expect("(", "after a function");
    std::vector<ExprId> arguments;
    do {
      arguments.push_back(condition());
    } while (accept(","));
    expect(")", "after the arguments");
    if (function.text == "der" && arguments.size() == 1 && v_.is_variable(arguments[0])) {
      return v_.leaf(Vocabulary::variable_of(pool_[arguments[0]]), Mark::Rate);
    }
    for (int i = static_cast<int>(Op::Neg); i <= static_cast<int>(Op::When); ++i) {
      const Op op = static_cast<Op>(i);
      if (expr::name(op) != function.text || arity(op) != static_cast<int>(arguments.size())) {
        continue;
      }
      if (op == Op::Default) return pool_.fallback(arguments[0], arguments[1]);
      if (op == Op::When) return pool_.when(arguments[0], arguments[1]);
      return arguments.size() == 1 ? pool_.unary(op, arguments[0])
                                   : pool_.binary(op, arguments[0], arguments[1]);
    }
    throw Failure{function.begin, function.end,
                  "there is no function '" + function.text + "' of this many arguments"};
  }

  VariableId variable(const std::string& name_of) {
    if (VariableId known = v_.find(name_of); known.valid()) return known;
    Quantity quantity = Quantity::Signal;
    if (name_of.size() > 2 && name_of[name_of.size() - 2] == '.') {
      switch (name_of.back()) {
        case 'e':
          quantity = Quantity::Effort;
          break;
        case 'f':
          quantity = Quantity::Flow;
          break;
        case 'p':
          quantity = Quantity::Momentum;
          break;
        case 'q':
          quantity = Quantity::Displacement;
          break;
        case 'E':
          quantity = Quantity::Energy;
          break;
        default:
          break;
      }
    }
    return v_.variable(name_of, quantity);
  }

  std::vector<Token> tokens_;
  Specification& out_;
  Vocabulary& v_;
  expr::Pool& pool_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::map<std::string, Predicate> lets_;
};

}  // namespace

Specification parse(const std::string& text, int32_t file, Diagnostics& diagnostics,
                    Vocabulary known) {
  Specification out;
  out.vocabulary = std::move(known);
  try {
    Parser(Lexer(text).tokens(), out).specification();
  } catch (const Failure& failure) {
    diagnostics.add(
        Diagnostic("hypa.syntax", failure.message)
            .at({file, static_cast<int32_t>(failure.begin), static_cast<int32_t>(failure.end)})
            .help("the notation is in docs/hypa.md: X ≈ [P] ≫ (P) ▶ X ⊕ …"));
  }
  return out;
}

}  // namespace cradle::hypa
