#include <fmt/format.h>

#include "language/syntax/lexer.hpp"
#include "language/syntax/precedence.hpp"
#include "language/syntax/printer.hpp"

namespace cradle::syntax {
namespace {

const char* text_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return "or";
    case BinaryOp::And:
      return "and";
    case BinaryOp::Equal:
      return "==";
    case BinaryOp::NotEqual:
      return "!=";
    case BinaryOp::Less:
      return "<";
    case BinaryOp::LessEqual:
      return "<=";
    case BinaryOp::Greater:
      return ">";
    case BinaryOp::GreaterEqual:
      return ">=";
    case BinaryOp::Add:
      return "+";
    case BinaryOp::Sub:
      return "-";
    case BinaryOp::Mul:
      return "*";
    case BinaryOp::Div:
      return "/";
    case BinaryOp::Pow:
      break;
  }
  return "^";
}

int precedence(const Expr& expr) {
  if (const auto* binary = std::get_if<BinaryExpr>(&expr.node)) {
    return precedence(binary->op);
  }
  if (const auto* unary = std::get_if<UnaryExpr>(&expr.node)) {
    return unary->op == UnaryOp::Not ? kNotPrecedence : kMinusPrecedence;
  }
  return std::holds_alternative<IfExpr>(expr.node) ? 0 : kPrimaryPrecedence;
}

}  // namespace

void ExprPrinter::expr(const Expr& expr, int depth) { operand(expr, 0, depth); }

void ExprPrinter::operand(const Expr& expr, int min_precedence, int depth) {
  comments(expr.comments);
  if (!expr.parenthesised && precedence(expr) >= min_precedence) return bare(expr, depth);
  line_.word("(");
  bare(expr, depth + 1);
  line_.word(")");
}

void ExprPrinter::bare(const Expr& expr, int depth) {
  const auto& node = expr.node;
  if (const auto* n = std::get_if<NumberLiteral>(&node)) return number(*n);
  if (const auto* n = std::get_if<BoolLiteral>(&node))
    return line_.word(n->value ? "true" : "false");
  if (const auto* n = std::get_if<StringLiteral>(&node)) return line_.word(encode_string(n->value));
  if (const auto* n = std::get_if<PathExpr>(&node)) return path(n->path, depth);
  if (const auto* n = std::get_if<UnaryExpr>(&node)) return unary(*n, depth);
  if (const auto* n = std::get_if<BinaryExpr>(&node)) return binary(*n, depth);
  if (const auto* n = std::get_if<IfExpr>(&node)) return conditional(*n, depth);
  if (const auto* n = std::get_if<ReduceExpr>(&node)) return reduction(*n, depth);
  if (const auto* n = std::get_if<CallExpr>(&node)) {
    line_.word(n->function.text);
    return arguments(n->arguments, depth + 1);
  }
  line_.word("[");
  list(std::get<ListExpr>(node).items, depth + 1);
  line_.word("]");
}

// As it was written; a number that was never text gets the shortest that reads back the same.
void ExprPrinter::number(const NumberLiteral& number) {
  if (!number.text.empty()) {
    line_.word(number.text + number.scale + (number.unit.empty() ? "" : " " + number.unit));
    return;
  }
  line_.word(number.value < 0 ? fmt::format("({})", number.value)
                              : fmt::format("{}", number.value));
}

void ExprPrinter::unary(const UnaryExpr& unary, int depth) {
  const bool negation = unary.op == UnaryOp::Not;
  line_.word(negation ? "not" : "-");
  if (negation) line_.space();
  operand(*unary.operand, negation ? kNotPrecedence : kMinusPrecedence, depth);
}

// A chain of one precedence is one level of breaks; tighter operators are deeper.
void ExprPrinter::binary(const BinaryExpr& binary, int depth) {
  const int own = precedence(binary.op);
  if (binary.op == BinaryOp::Pow) {
    operand(*binary.left, kPrimaryPrecedence, depth + 1);
    line_.word("^");
    return operand(*binary.right, kMinusPrecedence, depth + 1);
  }
  const int left = own == kComparisonPrecedence ? own + 1 : own;
  const bool chain = precedence(*binary.left) == own && !binary.left->parenthesised;
  operand(*binary.left, left, chain ? depth : depth + 1);
  line_.space();
  line_.word(text_of(binary.op));
  line_.space();
  line_.may_break(depth);
  operand(*binary.right, own + 1, depth + 1);
}

void ExprPrinter::conditional(const IfExpr& node, int depth) {
  line_.word("if");
  line_.space();
  operand(*node.condition, 0, depth + 2);
  line_.space();
  line_.may_break(depth + 1);  // rather before else
  line_.word("then");
  line_.space();
  operand(*node.then, 0, depth + 2);
  line_.space();
  line_.may_break(depth);
  line_.word("else");
  line_.space();
  operand(*node.otherwise, 0, depth);
}

void ExprPrinter::reduction(const ReduceExpr& reduce, int depth) {
  const bool list = reduce.function.text.empty();
  line_.word(list ? "[" : reduce.function.text + "(");
  operand(*reduce.body, 0, depth + 2);
  line_.space();
  line_.may_break(depth + 1);
  line_.word("for " + reduce.variable.text + " in");
  line_.space();
  operand(*reduce.from, 0, depth + 2);
  line_.word("..");
  operand(*reduce.to, 0, depth + 2);
  line_.word(list ? "]" : ")");
}

void ExprPrinter::argument(const Argument& argument, int depth) {
  comments(argument.comments);
  if (!argument.name.text.empty()) {
    line_.word(argument.name.text);
    if (!argument.parameters.empty()) {
      std::string names;
      for (const Name& name : argument.parameters) {
        names += (names.empty() ? "" : ", ") + name.text;
      }
      line_.word("(" + names + ")");
    }
    assign();
  }
  expr(*argument.value, depth + 1);
}

void ExprPrinter::arguments(const std::vector<Argument>& arguments, int depth) {
  line_.word("(");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) {
      line_.word(",");
      line_.space();
    }
    line_.may_break(i > 0 ? depth : Layout::kLastResort);
    argument(arguments[i], depth);
  }
  line_.word(")");
}

void ExprPrinter::list(const std::vector<ExprPtr>& items, int depth,
                       const std::vector<Name>* units) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      line_.word(",");
      line_.space();
      line_.may_break(depth);
    }
    expr(*items[i], depth + 1);
    if (units == nullptr || i >= units->size() || (*units)[i].text.empty()) continue;
    line_.word(" in " + (*units)[i].text);
  }
}

void ExprPrinter::path(const Path& path, int depth) {
  for (std::size_t i = 0; i < path.segments.size(); ++i) {
    if (i > 0) line_.word(".");
    segment(path.segments[i], depth);
  }
}

void ExprPrinter::segment(const Path::Segment& segment, int depth) {
  line_.word(segment.name.text);
  indices(segment.indices, depth);
}

void ExprPrinter::indices(const std::vector<ExprPtr>& indices, int depth) {
  if (indices.empty()) return;
  line_.word("[");
  list(indices, depth + 2);
  line_.word("]");
}

void ExprPrinter::assign() {
  line_.space();
  line_.word("=");
  line_.space();
  line_.may_break(Layout::kLastResort);
}

void ExprPrinter::comments(const std::vector<std::string>& comments) {
  if (!with_comments_) return;
  for (const std::string& comment : comments) line_.comment(comment);
}

std::string print(const Expr& expr) {
  Layout line;
  ExprPrinter(line, false).expr(expr, 0);
  return line.one_line();
}

}  // namespace cradle::syntax
