#include "language/expr/print.hpp"

#include <variant>

#include "cradle/instant.hpp"

namespace cradle::expr {

int level(const Node& node) {
  switch (node.op) {
    case Op::Constant:
      return node.type == Type::Number && node.value < 0 ? kMinus : kPrimary;
    case Op::If:
    case Op::Integral:
      return kIf;
    case Op::Or:
      return kOr;
    case Op::And:
      return kAnd;
    case Op::Not:
      return kNot;
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
      return kCompare;
    case Op::Add:
    case Op::Sub:
      return kSum;
    case Op::Mul:
    case Op::Div:
      return kProduct;
    case Op::Neg:
      return kMinus;
    case Op::Pow:
      return kPower;
    default:
      return kPrimary;
  }
}

namespace {

// An operand with the weakest binding that needs no parentheses, or text to write as it is.
struct Operand {
  ExprId e;
  int at_least;
};
using Piece = std::variant<Operand, std::string>;

std::string leaf_text(const Node& node) {
  switch (node.op) {
    case Op::Constant:
      if (node.type == Type::Boolean) return node.value != 0 ? "true" : "false";
      return format_number(node.value);
    case Op::Omega:
      return "omega";
    case Op::Time:
      return "time";
    case Op::Absent:
      return "absent";
    default:
      return std::string(name(node.op));
  }
}

// What a node is written as, from left to right.
std::vector<Piece> pieces(const Pool& pool, const Node& node) {
  std::string op(name(node.op));
  int own = level(node);
  auto infix = [&](int left, int right) -> std::vector<Piece> {
    return {Operand{node.a, left}, " " + op + " ", Operand{node.b, right}};
  };
  switch (node.op) {
    case Op::Pre:
      return {"pre(", Operand{pool.pres()[static_cast<std::size_t>(node.ref)], kIf}, ")"};
    case Op::Neg:
      return {"-", Operand{node.a, kMinus}};
    case Op::Not:
      return {"not ", Operand{node.a, kNot}};
    case Op::Pow:
      return {Operand{node.a, kPrimary}, "^", Operand{node.b, kMinus}};
    case Op::Sub:
    case Op::Div:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
      return infix(node.op == Op::Sub || node.op == Op::Div ? own : own + 1, own + 1);
    case Op::Add:
    case Op::Mul:
    case Op::And:
    case Op::Or:
      return infix(own, own + 1);
    case Op::If:
      return {"if ",    Operand{node.a, kOr}, " then ", Operand{node.b, kOr},
              " else ", Operand{node.c, kIf}};
    default:
      break;
  }
  if (arity(node.op) == 0) return {leaf_text(node)};
  if (arity(node.op) == 1) return {op + "(", Operand{node.a, kIf}, ")"};
  return {op + "(", Operand{node.a, kIf}, ", ", Operand{node.b, kIf}, ")"};
}

}  // namespace

std::string to_string(const Pool& pool, ExprId e, const LeafName& leaf_name,
                      std::size_t max_length) {
  auto named = [&leaf_name](ExprId, const Node& node) -> std::optional<std::string> {
    bool plain = node.op == Op::Constant || node.op == Op::Omega || node.op == Op::Time ||
                 node.op == Op::Pre || node.op == Op::Absent;
    if (plain || arity(node.op) > 0) return std::nullopt;
    return leaf_name(node);
  };
  return to_string(pool, e, named, max_length);
}

std::string to_string(const Pool& pool, ExprId e, const NodeText& instead, std::size_t max_length) {
  std::string text;
  std::vector<Piece> open = {Operand{e, kIf}};
  while (!open.empty() && text.size() < max_length) {
    Piece piece = std::move(open.back());
    open.pop_back();
    if (auto* written = std::get_if<std::string>(&piece)) {
      text += *written;
      continue;
    }
    Operand operand = std::get<Operand>(piece);
    const Node& node = pool[operand.e];
    if (std::optional<std::string> own = instead(operand.e, node)) {
      text += *own;
      continue;
    }
    bool parentheses = level(node) < operand.at_least;
    if (parentheses) open.push_back(")");
    std::vector<Piece> parts = pieces(pool, node);
    open.insert(open.end(), std::make_move_iterator(parts.rbegin()),
                std::make_move_iterator(parts.rend()));
    if (parentheses) text += "(";
  }
  return open.empty() ? text : text + "…";
}

}  // namespace cradle::expr
