// Expressions; precedence.hpp has the order of the operators.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "language/syntax/parser.hpp"
#include "language/syntax/precedence.hpp"

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
  ExprPtr expr =
      make(UnaryExpr{negation ? UnaryOp::Not : UnaryOp::Minus, std::move(operand)}, span);
  expr->comments = std::move(comments);
  return expr;
}

ExprPtr Parser::parse_power() {
  ExprPtr base = parse_primary();
  if (!at(Tok::Caret)) return base;
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
    case Tok::Number: {
      take();
      return make(NumberLiteral{token.number, std::string(text_of(token))}, span);
    }
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
  take();
  ReduceExpr reduce;
  reduce.function = name_of(name);
  reduce.body = std::move(body);
  reduce.variable = expect_name("the name of the loop's variable", form);
  expect(Tok::In, "behind for " + reduce.variable.text, form);
  reduce.from = parse_expr();
  expect(Tok::DotDot, "between the bounds of the loop", form);
  reduce.to = parse_expr();
  expect_close(Tok::RightParen, open, "the arguments of " + reduce.function.text);
  return make(std::move(reduce), span_from(name));
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
