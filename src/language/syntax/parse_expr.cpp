// Expressions; precedence.hpp has the order of the operators.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "language/syntax/parser.hpp"
#include "language/syntax/precedence.hpp"
#include "language/syntax/units.hpp"

namespace cradle::syntax {
namespace {

std::optional<BinaryOp> binary_op(Tok kind) {
  switch (kind) {
    case Tok::Or:
      return BinaryOp::Or;
    case Tok::And:
      return BinaryOp::And;
    case Tok::Equal:
    case Tok::Assign:
      return BinaryOp::Equal;
    case Tok::NotEqual:
      return BinaryOp::NotEqual;
    case Tok::Less:
      return BinaryOp::Less;
    case Tok::LessEqual:
      return BinaryOp::LessEqual;
    case Tok::Greater:
      return BinaryOp::Greater;
    case Tok::GreaterEqual:
      return BinaryOp::GreaterEqual;
    case Tok::Plus:
      return BinaryOp::Add;
    case Tok::Minus:
      return BinaryOp::Sub;
    case Tok::Star:
      return BinaryOp::Mul;
    case Tok::Slash:
      return BinaryOp::Div;
    default:
      return std::nullopt;
  }
}

bool is_comparison(const Expr& expr) {
  const auto* binary = std::get_if<BinaryExpr>(&expr.node);
  return binary && precedence(binary->op) == kComparisonPrecedence && !expr.parenthesised;
}

int height(const ExprPtr& expr) { return expr ? expr->height : 0; }

int height(const std::vector<ExprPtr>& list) {
  int highest = 0;
  for (const ExprPtr& expr : list) highest = std::max(highest, height(expr));
  return highest;
}

// The height of what stands below a node.
struct Below {
  int operator()(const NumberLiteral&) const { return 0; }
  int operator()(const BoolLiteral&) const { return 0; }
  int operator()(const StringLiteral&) const { return 0; }
  int operator()(const PathExpr& node) const {
    int highest = 0;
    for (const auto& segment : node.path.segments) {
      highest = std::max(highest, height(segment.indices));
    }
    return highest;
  }
  int operator()(const UnaryExpr& node) const { return height(node.operand); }
  int operator()(const BinaryExpr& node) const {
    return std::max(height(node.left), height(node.right));
  }
  int operator()(const IfExpr& node) const {
    return std::max({height(node.condition), height(node.then), height(node.otherwise)});
  }
  int operator()(const CallExpr& node) const {
    int highest = 0;
    for (const Argument& argument : node.arguments) {
      highest = std::max(highest, height(argument.value));
    }
    return highest;
  }
  int operator()(const ReduceExpr& node) const {
    return std::max({height(node.body), height(node.from), height(node.to)});
  }
  int operator()(const ListExpr& node) const { return height(node.items); }
};

}  // namespace

ExprPtr Parser::make(decltype(Expr::node) node, Span span) {
  auto expr = std::make_unique<Expr>();
  expr->height = 1 + std::visit(Below{}, node);
  expr->node = std::move(node);
  expr->span = span;
  if (expr->height > kMaxHeight) {
    report("syntax.nesting", "this expression is too long", {file_, span.begin, span.begin + 1})
        .rule(fmt::format("an expression has at most {} operators on end", kMaxHeight))
        .help("write sum(x[i] for i in 1..N), or give parts of it names of their own");
    throw GiveUp{};
  }
  return expr;
}

ExprPtr Parser::parse_lone_expression() {
  try {
    ExprPtr expr = parse_expr();
    if (!at(Tok::End)) fail("nothing more", "behind the value");
    return expr;
  } catch (const GiveUp&) {
    return nullptr;
  }
}

ExprPtr Parser::parse_expr() {
  const Nest nest(*this);
  return parse_binary(0);
}

ExprPtr Parser::parse_binary(int min_precedence) {
  ExprPtr left = parse_operand();
  bool chained = false;
  while (true) {
    const std::optional<BinaryOp> op = binary_op(peek().kind);
    if (!op || precedence(*op) < min_precedence) return left;
    const Token token = peek();
    take_operator();
    ExprPtr right = parse_binary(precedence(*op) + 1);
    if (precedence(*op) == kComparisonPrecedence && is_comparison(*left) && !chained) {
      comparison_chain(*left, token, *right);
      chained = true;
    }
    const Span span{file_, left->span.begin, right->span.end};
    left = make(BinaryExpr{*op, std::move(left), std::move(right), span_of(token)}, span);
  }
}

void Parser::take_operator() {
  const Token token = take();
  if (token.kind == Tok::Assign) {
    report("syntax.operator", "`=` stands inside an expression", span_of(token))
        .rule("= defines, == compares")
        .help("write == to compare");
  }
}

void Parser::comparison_chain(const Expr& left, const Token& op, const Expr& right) {
  constexpr std::size_t kLongest = 80;
  const Expr& middle = *std::get<BinaryExpr>(left.node).right;
  std::string help = fmt::format("{} and {} {} {}", text_of(left.span), text_of(middle.span),
                                 text_of(op), text_of(right.span));
  if (help.size() > kLongest || help.find('\n') != std::string::npos) {
    help = "a < b and b < c";
  }
  report("syntax.comparison-chain", "comparisons do not chain", span_of(op))
      .rule("a comparison has two sides")
      .help("write " + help);
}

ExprPtr Parser::parse_operand() {
  const bool negation = at(Tok::Not);
  if (!negation && !at(Tok::Minus)) return parse_power();
  const Nest nest(*this);
  Comments comments = claim_before(false);
  const Token op = take();
  ExprPtr operand = negation ? parse_binary(kNotPrecedence) : parse_operand();
  const Span span = span_from(op);
  if (!negation && take_sign(*operand)) {
    operand->span = span;
    operand->comments.insert(operand->comments.begin(), comments.begin(), comments.end());
    return operand;
  }
  ExprPtr expr =
      make(UnaryExpr{negation ? UnaryOp::Not : UnaryOp::Minus, std::move(operand)}, span);
  expr->comments = std::move(comments);
  return expr;
}

// A sign before a temperature that has a zero of its own belongs to the number: -5 degC is 268.15
// K.
bool Parser::take_sign(Expr& operand) {
  auto* number = std::get_if<NumberLiteral>(&operand.node);
  if (number == nullptr || operand.parenthesised || number->unit.empty()) return false;
  const std::optional<units::Unit> unit = units::parse(number->unit);
  if (!unit || unit->offset == 0 || number->text.starts_with('-')) return false;
  number->text.insert(0, "-");
  number->value = units::value_of(number->text, *unit);
  return true;
}

ExprPtr Parser::parse_power() {
  ExprPtr base = parse_primary();
  if (!at(Tok::Caret)) return base;
  const auto* number = std::get_if<NumberLiteral>(&base->node);
  if (number != nullptr && !number->unit.empty() && !base->parenthesised) {
    report("syntax.unit", "`^` could belong to the unit or to the number", span_of(peek()))
        .rule("in a unit ^ stands without spaces and before an integer: 2 m^2")
        .help(
            fmt::format("write ({} {}) ^ … for a power of the whole", number->text, number->unit));
    throw GiveUp{};
  }
  const Nest nest(*this);
  const Token op = take();
  ExprPtr exponent = parse_operand();
  const Span span{file_, base->span.begin, exponent->span.end};
  return make(BinaryExpr{BinaryOp::Pow, std::move(base), std::move(exponent), span_of(op)}, span);
}

ExprPtr Parser::parse_primary() {
  Comments comments = claim_before(false);
  ExprPtr expr = parse_bare_primary();
  expr->comments.insert(expr->comments.begin(), comments.begin(), comments.end());
  return expr;
}

ExprPtr Parser::parse_bare_primary() {
  const Token& token = peek();
  const Span span = span_of(token);
  switch (token.kind) {
    case Tok::Number:
      return parse_number();
    case Tok::True:
    case Tok::False: {
      take();
      return make(BoolLiteral{token.kind == Tok::True}, span);
    }
    case Tok::String: {
      take();
      return make(StringLiteral{decode_string(text_of(token))}, span);
    }
    case Tok::LeftParen:
      return parse_parenthesised();
    case Tok::LeftBracket:
      return parse_list();
    case Tok::If:
      return parse_if_expr();
    case Tok::Name:
      return parse_name_expr();
    default:
      no_expression();
  }
}

void Parser::no_expression() {
  const Token& token = peek();
  if (token.kind == Tok::Plus) {
    report("syntax.operator", "`+` has nothing on its left", span_of(token)).help("remove it");
    throw GiveUp{};
  }
  std::string help;
  if (token.kind == Tok::Law)
    help = "laws stand among arguments: R r(law(f) = f^3)";
  else if (token.kind == Tok::Eps)
    help = "eps stands in after eps only; write omega for 1/ε";
  else if (token.kind == Tok::LeftBrace)
    help = "write lists in brackets: [1, 2, 3]";
  else if (token.kind == Tok::For)
    help = "write sum(x[i] for i in 1..N)";
  else if (last().kind == Tok::Comma)
    help = "remove the comma, or write what follows it";
  else
    help = "write a number, a name, or an expression in parentheses";
  fail("an expression", last().kind == Tok::Comma ? "behind the comma" : "", help);
}

// ---- Numbers with units ----
//
// A unit stands behind a number, on its line, and is written without spaces: 9.81 m/s^2. With
// spaces around it an operator is the expression's: 10 m / s divides by what is called s.

ExprPtr Parser::parse_number() {
  const Token digits = take();
  NumberLiteral number{digits.number, std::string(text_of(digits))};
  if (!at_unit()) return make(std::move(number), span_of(digits));
  const std::string_view word = text_of(peek());
  const bool adjacent = peek().begin == digits.end;
  const std::string unclear = adjacent ? units::ambiguity(number.text, word) : std::string();
  const Tok behind = peek(1).kind;
  const bool alone = peek(1).begin != peek().end ||
                     (behind != Tok::Slash && behind != Tok::Star && behind != Tok::Caret);
  if (!unclear.empty() && alone) {
    report("syntax.unit", fmt::format("`{}{}` could mean two things", number.text, word),
           {file_, digits.begin, peek().end})
        .rule("right behind a number stand units and the letters of circuits, k, Meg, u, n, p")
        .help(unclear);
    take();
  } else if (adjacent && units::suffix(word) && !units::find(word)) {
    number.scale = text_of(take());
    number.value = units::value_of(number.text, *units::suffix(number.scale));
  } else {
    number.unit = parse_unit_text();
    const std::optional<units::Unit> unit = units::parse(number.unit);
    if (unit) {
      number.value = units::value_of(number.text, *unit);
    } else {
      report("syntax.unit", fmt::format("`{}` is no unit", number.unit), span_from(digits))
          .rule("degC has a zero of its own and stands alone; of differences write K")
          .help("write a unit such as W/K, or m/s^2");
    }
  }
  check_range(number.value, span_from(digits));
  return make(std::move(number), span_from(digits));
}

void Parser::check_range(double value, Span span) {
  if (std::isfinite(value)) return;
  report("syntax.number", "a number is out of range in SI units", span)
      .rule("numbers are doubles, at most 1.8e308 and at least 5e-324")
      .help("choose another prefix");
}

bool Parser::at_tight(Tok kind, int ahead) const {
  const auto place = static_cast<std::size_t>(ahead);
  return at(kind, place) && next_ + place > 0 &&
         tokens_[next_ + place].begin == tokens_[next_ + place - 1].end;
}

// Behind a number. What begins the next item on the same line is no unit: until 2 s = 3, R r(1).
bool Parser::at_unit() const {
  const Token& word = peek();
  if (word.kind != Tok::Name || word.newline_before) return false;
  const std::string_view text = text_of(word);
  if (word.begin == last().end) {
    return units::find(text) || units::suffix(text) || !units::ambiguity("1", text).empty();
  }
  if (!units::find(text)) return false;
  switch (peek(1).kind) {
    case Tok::Assign:
    case Tok::Arrow:
    case Tok::Colon:
    case Tok::Dot:
    case Tok::LeftParen:
    case Tok::LeftBracket:
      return false;
    case Tok::Name: {
      // V y = 6 is a unit and the next signal; A a declares an instance, if A can be a type.
      if (peek(1).newline_before || !may_be_type(text)) return true;
      const Tok behind = peek(2).kind;
      const bool placed = text_of(peek(1)) == "from" && behind == Tok::Name;
      return placed || behind == Tok::Assign || behind == Tok::Arrow || behind == Tok::Colon ||
             behind == Tok::Dot;
    }
    default:
      return true;
  }
}

// One or more units joined by * and /, without spaces.
std::string Parser::parse_unit_text() {
  std::string unit;
  parse_unit_factor(unit);
  while (at_tight(Tok::Star) || at_tight(Tok::Slash)) {
    const bool name = at_tight(Tok::Name, 1) && units::find(text_of(peek(1)));
    const bool group =
        at_tight(Tok::LeftParen, 1) && at_tight(Tok::Name, 2) && units::find(text_of(peek(2)));
    if (!name && !group) return unit;
    unit += text_of(take());
    parse_unit_factor(unit);
  }
  return unit;
}

void Parser::parse_unit_factor(std::string& unit) {
  if (at(Tok::LeftParen)) {
    const Nest nest(*this);
    const Token open = take();
    unit += "(" + parse_unit_text() + ")";
    expect_close(Tok::RightParen, open, "the unit");
    return;
  }
  unit += text_of(take());
  if (!at_tight(Tok::Caret)) return;
  const bool minus = at_tight(Tok::Minus, 1);
  if (!at_tight(Tok::Number, minus ? 2 : 1)) return;
  const std::string_view power = text_of(peek(minus ? 2 : 1));
  if (power.find_first_not_of("0123456789") != std::string_view::npos) return;
  for (int i = minus ? 3 : 2; i > 0; --i) unit += text_of(take());
}

// show v in mV
Name Parser::parse_shown_unit() {
  if (!accept(Tok::In)) return {};
  const Token first = peek();
  if (!at(Tok::Name)) fail("a unit", "behind in", "write show v in mV");
  const std::string unit = parse_unit_text();
  const Span span = span_from(first);
  if (!units::parse(unit)) {
    const std::string near = suggest(unit, units::names());
    report("syntax.unit", fmt::format("`{}` is no unit", unit), span)
        .help(near.empty() ? "write a unit such as mV, kOhm or m/s"
                           : fmt::format("did you mean {}?", near));
  }
  return {unit, span};
}

ExprPtr Parser::parse_parenthesised() {
  const Token open = take();
  ExprPtr expr = parse_expr();
  expect_close(Tok::RightParen, open, "the parenthesis");
  expr->parenthesised = true;
  expr->span = span_from(open);
  return expr;
}

ExprPtr Parser::parse_if_expr() {
  const std::string form = "write if c then a else b";
  const Token first = take();
  IfExpr node;
  node.condition = parse_expr();
  expect(Tok::Then, "behind the condition of an if expression", form);
  node.then = parse_expr();
  expect(Tok::Else, "in an if expression", form + "; a value is needed in both cases");
  node.otherwise = parse_expr();
  return make(std::move(node), span_from(first));
}

ExprPtr Parser::parse_list() {
  const Token open = take();
  ListExpr list;
  if (!at(Tok::RightBracket)) {
    do {
      list.items.push_back(parse_expr());
    } while (accept(Tok::Comma));
  }
  if (at(Tok::For) && list.items.size() == 1) {
    ReduceExpr reduce;
    reduce.body = std::move(list.items.front());
    parse_turns(reduce, "write [x[i] for i in 1..N]");
    expect_close(Tok::RightBracket, open, "the list");
    return make(std::move(reduce), span_from(open));
  }
  expect_close(Tok::RightBracket, open, "the list");
  return make(std::move(list), span_from(open));
}

// ---- Names ----

ExprPtr Parser::parse_name_expr() {
  if (at(Tok::LeftParen, 1)) return parse_call();
  Path path = parse_path("a name");
  if (at(Tok::LeftParen) && !peek().newline_before) {
    report("syntax.call", fmt::format("{} is called like a function", text_of(path.span)),
           path.span)
        .rule("functions have plain names: sin(x), max(a, b)")
        .help("write * for a product, or [ ] for an index");
    throw GiveUp{};
  }
  const Span span = path.span;
  return make(PathExpr{std::move(path)}, span);
}

ExprPtr Parser::parse_call() {
  const Token name = take();
  const Token open = take();
  CallExpr call;
  call.function = name_of(name);
  if (accept(Tok::RightParen)) return make(std::move(call), span_from(name));
  call.arguments.push_back(parse_argument());
  Argument& first = call.arguments.front();
  if (at(Tok::For) && first.name.text.empty()) {
    first.value->comments.insert(first.value->comments.begin(), first.comments.begin(),
                                 first.comments.end());
    return parse_reduction(name, open, std::move(first.value));
  }
  while (accept(Tok::Comma)) call.arguments.push_back(parse_argument());
  expect_close(Tok::RightParen, open, "the arguments of " + call.function.text);
  return make(std::move(call), span_from(name));
}

ExprPtr Parser::parse_reduction(const Token& name, const Token& open, ExprPtr body) {
  const std::string form = fmt::format("write {}(x[i] for i in 1..N)", text_of(name));
  ReduceExpr reduce;
  reduce.function = name_of(name);
  reduce.body = std::move(body);
  parse_turns(reduce, form);
  expect_close(Tok::RightParen, open, "the arguments of " + reduce.function.text);
  return make(std::move(reduce), span_from(name));
}

// for i in 1..N
void Parser::parse_turns(ReduceExpr& reduce, const std::string& form) {
  take();
  reduce.variable = expect_name("the name of the loop's variable", form);
  expect(Tok::In, "behind for " + reduce.variable.text, form);
  reduce.from = parse_expr();
  expect(Tok::DotDot, "between the bounds of the loop", form);
  reduce.to = parse_expr();
}

// Behind the opening parenthesis, to the closing one.
std::vector<Argument> Parser::parse_arguments(const Token& open, const std::string& of) {
  std::vector<Argument> arguments;
  if (accept(Tok::RightParen)) return arguments;
  do {
    arguments.push_back(parse_argument());
  } while (accept(Tok::Comma));
  expect_close(Tok::RightParen, open, "the arguments of " + of);
  return arguments;
}

Argument Parser::parse_argument() {
  Argument argument;
  argument.comments = claim_before(false);
  if (at(Tok::Law)) {
    parse_law(argument);
  } else if (at(Tok::Assign, 1) && (at(Tok::Name) || is_keyword(peek().kind))) {
    argument.name = expect_name("the name of an argument");
    take();
  }
  argument.value = parse_expr();
  return argument;
}

void Parser::parse_law(Argument& argument) {
  const std::string form = "write law(p) = expression over p";
  argument.name = name_of(take());
  const Token open = expect(Tok::LeftParen, "behind law", form);
  do {
    argument.parameters.push_back(expect_name("the variable of the law", form));
  } while (accept(Tok::Comma));
  expect_close(Tok::RightParen, open, "the variables of the law");
  expect(Tok::Assign, "behind law(…)", form);
}

// Behind a point any word may stand: F13.active, gear.in.f.
Path Parser::parse_path(const std::string& what) {
  const Token first = peek();
  Path path;
  path.segments.push_back(parse_declared(what));
  while (at(Tok::Dot)) {
    take();
    if (!at(Tok::Name) && !is_keyword(peek().kind)) {
      fail("a name", "behind the point",
           at(Tok::Number) ? fmt::format("write an index in brackets: [{}]", text_of(peek())) : "");
    }
    Path::Segment segment;
    segment.name = name_of(take());
    segment.indices = parse_indices();
    path.segments.push_back(std::move(segment));
  }
  path.span = span_from(first);
  return path;
}

Path::Segment Parser::parse_declared(const std::string& what) {
  Path::Segment segment;
  segment.name = expect_name(what);
  segment.indices = parse_indices();
  return segment;
}

std::vector<ExprPtr> Parser::parse_indices() {
  std::vector<ExprPtr> indices;
  while (at(Tok::LeftBracket)) {
    const Token open = take();
    do {
      indices.push_back(parse_expr());
    } while (accept(Tok::Comma));
    expect_close(Tok::RightBracket, open, "the index");
  }
  return indices;
}

}  // namespace cradle::syntax
