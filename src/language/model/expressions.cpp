#include "language/model/expressions.hpp"

#include <cmath>

#include "cradle/instant.hpp"

namespace cradle::model {

using expr::Op;
using syntax::BinaryOp;

const char* noun(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::Number:
      return "a number";
    case Value::Kind::Boolean:
      return "a boolean";
    case Value::Kind::List:
      return "a list";
    case Value::Kind::Text:
      return "a string";
    case Value::Kind::Bad:
      break;
  }
  return "nothing";
}

bool is_of_kind(Elaboration& e, const Context& context, const Value& value, Value::Kind kind,
                Span span, const std::string& user) {
  if (value.bad()) return false;
  if (value.kind == kind) return true;
  bool scalar = kind == Value::Kind::Number || kind == Value::Kind::Boolean;
  if (scalar && e.is_absent(value)) return true;
  if (context.quiet) return false;
  std::string text = e.report.source_text(span);
  bool item = text.starts_with('[') && value.kind != Value::Kind::List;
  Diagnostic diagnostic("type.mismatch", user + " needs " + noun(kind) + ", but " +
                                             (item ? "an item of " : "") + text + " is " +
                                             noun(value.kind));
  diagnostic.at(span, std::string(item ? "has " : "") + noun(value.kind));
  if (item) {
    diagnostic.help("all items of a vector are numbers, or all are booleans");
  } else if (value.kind == Value::Kind::Boolean) {
    diagnostic.help("write if " + text + " then 1 else 0");
  } else if (value.kind == Value::Kind::Number && kind == Value::Kind::Boolean) {
    diagnostic.help("compare it with something: " + text + " > 0");
  } else if (value.kind == Value::Kind::List && kind == Value::Kind::Boolean) {
    diagnostic.help("join its items: any(" + text + ") or all(" + text + ")");
  } else if (value.kind == Value::Kind::List) {
    diagnostic.help("pick one of its items: " + text + "[1]");
  }
  e.report.add(std::move(diagnostic), context.place);
  return false;
}

ExprId expect(Elaboration& e, const Context& context, const Value& value, Value::Kind kind,
              Span span, const std::string& user) {
  return is_of_kind(e, context, value, kind, span, user) ? node_of_kind(e, value, kind) : ExprId();
}

ExprId node_of_kind(Elaboration& e, const Value& value, Value::Kind kind) {
  if (!e.is_absent(value)) return e.node(value);
  auto type = kind == Value::Kind::Boolean ? expr::Type::Boolean : expr::Type::Number;
  return e.model.pool.leaf(Op::Absent, -1, 0, type);
}

bool is_absent_literal(const syntax::Expr& expr) {
  auto* path = std::get_if<syntax::PathExpr>(&expr.node);
  return path != nullptr && path->path.segments.size() == 1 &&
         path->path.segments[0].name.text == "absent" && path->path.segments[0].indices.empty();
}

ExprId evaluate_number(Elaboration& e, const Context& context, const syntax::Expr& expr,
                       const std::string& user) {
  return expect(e, context, evaluate(e, context, expr), Value::Kind::Number, expr.span, user);
}

ExprId evaluate_boolean(Elaboration& e, const Context& context, const syntax::Expr& expr,
                        const std::string& user) {
  return expect(e, context, evaluate(e, context, expr), Value::Kind::Boolean, expr.span, user);
}

bool have_one_shape(Elaboration& e, const Context& context, const std::vector<Value>& values,
                    const std::vector<Span>& spans, const std::string& user) {
  auto size = [](const Value& value) { return value.items ? value.items->size() : 0; };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].bad()) return false;
    bool list = values[i].kind == Value::Kind::List;
    if (list != (values[0].kind == Value::Kind::List)) {
      std::size_t odd = list ? i : 0;
      return is_of_kind(e, context, values[odd], values[list ? 0 : i].kind, spans[odd], user);
    }
    if (size(values[i]) == size(values[0])) continue;
    auto items = [&](std::size_t at) { return std::to_string(size(values[at])) + " items"; };
    if (context.quiet) return false;
    e.report.add(Diagnostic("type.length", user + " joins vectors of different lengths")
                     .at(spans[i], items(i))
                     .at(spans[0], items(0))
                     .rule("vectors are combined item by item"),
                 context.place);
    return false;
  }
  return true;
}

Value item_by_item(const std::vector<Value>& values, const ItemFunction& function) {
  if (values[0].kind != Value::Kind::List) return function(values);
  std::vector<Value> results;
  for (std::size_t i = 0; i < values[0].items->size(); ++i) {
    std::vector<Value> items;
    items.reserve(values.size());
    for (const Value& value : values) items.push_back((*value.items)[i]);
    results.push_back(function(items));
    if (results.back().bad()) return {};
  }
  return Elaboration::list(std::move(results));
}

void report_not_constant(Elaboration& e, const Context& context, Span span) {
  if (context.quiet) return;
  e.report.add(Diagnostic("param.not-constant",
                          e.report.source_text(span) + " is not known before the model runs")
                   .at(span, std::string(context.what) + " has to be known")
                   .rule("parameters, loops, indices and initial values are computed when the "
                         "model is built, from parameters alone"),
               context.place);
}

namespace {

std::optional<Value> constant_of_kind(Elaboration& e, const Context& context,
                                      const syntax::Expr& expr, std::string_view what,
                                      Value::Kind kind) {
  Context constants = context.constants(what);
  Value value = evaluate(e, constants, expr);
  if (value.kind != kind) {
    is_of_kind(e, constants, value, kind, expr.span, std::string(what));
    return std::nullopt;
  }
  if (value.constant) return value;
  report_not_constant(e, constants, expr.span);
  return std::nullopt;
}

}  // namespace

std::optional<Value> fixed_number(Elaboration& e, const Context& context, const syntax::Expr& expr,
                                  std::string_view what) {
  return constant_of_kind(e, context, expr, what, Value::Kind::Number);
}

std::optional<double> constant_number(Elaboration& e, const Context& context,
                                      const syntax::Expr& expr, std::string_view what) {
  auto value = constant_of_kind(e, context, expr, what, Value::Kind::Number);
  return value ? std::optional(e.decide(*value)) : std::nullopt;
}

std::optional<bool> constant_boolean(Elaboration& e, const Context& context,
                                     const syntax::Expr& expr, std::string_view what) {
  auto value = constant_of_kind(e, context, expr, what, Value::Kind::Boolean);
  return value ? std::optional(e.holds(*value)) : std::nullopt;
}

std::optional<int64_t> constant_integer(Elaboration& e, const Context& context,
                                        const syntax::Expr& expr, std::string_view what) {
  constexpr double kLargest = 1e15;  // every integer up to here is a double
  auto number = constant_number(e, context, expr, what);
  if (!number) return std::nullopt;
  if (std::floor(*number) == *number && std::abs(*number) <= kLargest) {
    return static_cast<int64_t>(*number);
  }
  if (!context.quiet) {
    e.report.add(Diagnostic("index.not-integer", std::string(what) + " is " +
                                                     format_number(*number) + ", not an integer")
                     .at(expr.span, format_number(*number))
                     .help("round it with floor or ceil"),
                 context.place);
  }
  return std::nullopt;
}

Value combine(Elaboration& e, Op op, const Value& a) {
  auto kind = op == Op::Not ? Value::Kind::Boolean : Value::Kind::Number;
  if (a.constant && !a.expr.valid()) return Value::of(kind, expr::apply(op, a.now));
  if (!a.constant || e.may_name_more()) return e.value(e.model.pool.unary(op, a.expr));
  return Value::of(kind, expr::apply(op, e.decide(a)));
}

Value combine(Elaboration& e, Op op, const Value& a, const Value& b) {
  bool logical = expr::is_comparison(op) || op == Op::And || op == Op::Or;
  auto kind = logical ? Value::Kind::Boolean : Value::Kind::Number;
  if (!a.constant || !b.constant) return e.value(e.model.pool.binary(op, e.node(a), e.node(b)));
  const bool literal = !a.expr.valid() && !b.expr.valid();
  if (!literal && e.may_name_more()) {
    return e.value(e.model.pool.binary(op, e.slot(a), e.slot(b)));
  }
  return Value::of(kind, expr::apply(op, e.decide(a), e.decide(b)));
}

namespace {

std::string quoted(BinaryOp op) {
  static constexpr const char* names[] = {"`or`", "`and`", "`==`", "`!=`", "`<`", "`<=`", "`>`",
                                          "`>=`", "`+`",   "`-`",  "`*`",  "`/`", "`^`"};
  return names[static_cast<int>(op)];
}

bool is_logical(BinaryOp op) { return op == BinaryOp::Or || op == BinaryOp::And; }
bool is_arithmetic(BinaryOp op) { return op >= BinaryOp::Add; }

// On vectors of one length item by item, and on a vector and one value with each of its items.
Value spread(Elaboration& e, const Context& context, const syntax::BinaryExpr& node,
             const Value& left, const Value& right, const ItemFunction& function) {
  if (left.bad() || right.bad()) return {};
  bool a = left.kind == Value::Kind::List, b = right.kind == Value::Kind::List;
  if (a && b) {
    std::vector<Span> spans = {node.left->span, node.right->span};
    if (!have_one_shape(e, context, {left, right}, spans, quoted(node.op))) return {};
    return item_by_item({left, right}, function);
  }
  if (a)
    return item_by_item({left}, [&](const auto& items) { return function({items[0], right}); });
  if (b)
    return item_by_item({right}, [&](const auto& items) { return function({left, items[0]}); });
  return function({left, right});
}

Value combine_logical(Elaboration& e, const Context& context, const syntax::BinaryExpr& node,
                      const Value& left) {
  std::string user = quoted(node.op);
  bool is_or = node.op == BinaryOp::Or;
  auto boolean = [&](const Value& value, Span span) {
    return is_of_kind(e, context, value, Value::Kind::Boolean, span, user);
  };
  bool vector = left.kind == Value::Kind::List;
  bool fine = vector || boolean(left, node.left->span);
  // What parameters decide is not looked at, so that `i > 1 and x[i - 1] > 0` can be written.
  if (fine && !vector && left.constant && e.holds(left) == is_or) return left;
  Value right = evaluate(e, context, *node.right);
  if (!fine) {
    if (right.kind != Value::Kind::List) boolean(right, node.right->span);
    return {};
  }
  return spread(e, context, node, left, right, [&](const std::vector<Value>& items) {
    bool both = boolean(items[0], node.left->span);
    both = boolean(items[1], node.right->span) && both;
    return both ? combine(e, is_or ? Op::Or : Op::And, items[0], items[1]) : Value{};
  });
}

Op arithmetic_op(BinaryOp op) {
  static constexpr Op ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Pow};
  return ops[static_cast<int>(op) - static_cast<int>(BinaryOp::Add)];
}

void report_product(Elaboration& e, const Context& context, const syntax::BinaryExpr& node) {
  if (context.quiet) return;
  e.report.add(Diagnostic("type.product", "`*` scales a vector by a number, not by a vector")
                   .at(node.op_span)
                   .help("write dot(a, b) for the inner product"),
               context.place);
}

// Sums and differences of vectors, and vectors times or divided by numbers. False if it is neither.
bool combine_vectors(Elaboration& e, const Context& context, const syntax::BinaryExpr& node,
                     const Value& left, const Value& right, Value& result) {
  bool a = left.kind == Value::Kind::List, b = right.kind == Value::Kind::List;
  if (!a && !b) return false;
  Op op = arithmetic_op(node.op);
  std::string user = quoted(node.op);
  auto number = [&](const Value& item, Span span) {
    return is_of_kind(e, context, item, Value::Kind::Number, span, user);
  };
  auto both = [&](const Value& x, const Value& y) {
    bool fine = number(x, node.left->span) && number(y, node.right->span);
    return fine ? combine(e, op, x, y) : Value{};
  };
  if (op == Op::Mul && a && b) {
    report_product(e, context, node);
    return true;
  }
  if ((op == Op::Add || op == Op::Sub) && a && b) {
    std::vector<Value> values = {left, right};
    if (have_one_shape(e, context, values, {node.left->span, node.right->span}, user)) {
      result = item_by_item(values, [&](const auto& items) { return both(items[0], items[1]); });
    }
    return true;
  }
  if ((op == Op::Mul || op == Op::Div) && a && !b) {
    result = item_by_item({left}, [&](const auto& items) { return both(items[0], right); });
    return true;
  }
  if (op == Op::Mul && b) {
    result = item_by_item({right}, [&](const auto& items) { return both(left, items[0]); });
    return true;
  }
  return false;
}

Value combine_arithmetic(Elaboration& e, const Context& context, const syntax::BinaryExpr& node,
                         const Value& left) {
  std::string user = quoted(node.op);
  Value right = evaluate(e, context, *node.right);
  Value vectors;
  if (left.bad() || right.bad()) return {};
  if (combine_vectors(e, context, node, left, right, vectors)) return vectors;
  bool fine = is_of_kind(e, context, left, Value::Kind::Number, node.left->span, user);
  fine = is_of_kind(e, context, right, Value::Kind::Number, node.right->span, user) && fine;
  return fine ? combine(e, arithmetic_op(node.op), left, right) : Value{};
}

Value compare(Elaboration& e, const Context& context, const syntax::BinaryExpr& node,
              const Value& left, const Value& right) {
  std::string user = quoted(node.op);
  bool equality = node.op == BinaryOp::Equal || node.op == BinaryOp::NotEqual;
  // Booleans can be equal; there is no order among them.
  auto kind =
      equality && left.kind == Value::Kind::Boolean ? Value::Kind::Boolean : Value::Kind::Number;
  bool fine = is_of_kind(e, context, left, kind, node.left->span, user);
  fine = is_of_kind(e, context, right, kind, node.right->span, user) && fine;
  if (!fine) return {};
  const bool known = left.constant && right.constant;
  if (equality && kind == Value::Kind::Number && !known && !context.quiet) {
    const Span whole{node.left->span.file, node.left->span.begin, node.right->span.end};
    e.equalities.push_back({left.expr, right.expr, whole, context.place});
  }
  switch (node.op) {
    case BinaryOp::Equal:
      return combine(e, Op::Equal, left, right);
    case BinaryOp::NotEqual:
      return combine(e, Op::NotEqual, left, right);
    case BinaryOp::Less:
      return combine(e, Op::Less, left, right);
    case BinaryOp::LessEqual:
      return combine(e, Op::LessEqual, left, right);
    case BinaryOp::Greater:
      return combine(e, Op::Less, right, left);
    default:
      return combine(e, Op::LessEqual, right, left);
  }
}

Value combine_relation(Elaboration& e, const Context& context, const syntax::BinaryExpr& node,
                       const Value& left) {
  Value right = evaluate(e, context, *node.right);
  return spread(e, context, node, left, right, [&](const std::vector<Value>& items) {
    return compare(e, context, node, items[0], items[1]);
  });
}

// A chain a + b + c + … leans to the left and is as deep as it is long: it is walked in a loop.
Value evaluate_binary(Elaboration& e, const Context& context, const syntax::Expr& expr) {
  std::vector<const syntax::BinaryExpr*> spine;
  const syntax::Expr* leftmost = &expr;
  while (auto* node = std::get_if<syntax::BinaryExpr>(&leftmost->node)) {
    if (!node->left || !node->right) return {};
    spine.push_back(node);
    leftmost = node->left.get();
  }
  Value value = evaluate(e, context, *leftmost);
  for (auto node = spine.rbegin(); node != spine.rend(); ++node) {
    if (!e.spend(1, (*node)->op_span, context.place)) return {};
    if (is_logical((*node)->op)) {
      value = combine_logical(e, context, **node, value);
    } else if (is_arithmetic((*node)->op)) {
      value = combine_arithmetic(e, context, **node, value);
    } else {
      value = combine_relation(e, context, **node, value);
    }
  }
  return value;
}

Value evaluate_unary(Elaboration& e, const Context& context, const syntax::UnaryExpr& node) {
  if (!node.operand) return {};
  bool is_not = node.op == syntax::UnaryOp::Not;
  Value a = evaluate(e, context, *node.operand);
  auto apply = [&](const std::vector<Value>& items) {
    bool fine =
        is_of_kind(e, context, items[0], is_not ? Value::Kind::Boolean : Value::Kind::Number,
                   node.operand->span, is_not ? "`not`" : "`-`");
    return fine ? combine(e, is_not ? Op::Not : Op::Neg, items[0]) : Value{};
  };
  return item_by_item({a}, apply);
}

// Numbers or booleans that a condition chooses from.
Value join_branches(Elaboration& e, const Context& context, const syntax::IfExpr& node,
                    ExprId condition, const Value& then, const Value& otherwise) {
  auto kind = e.is_absent(then) ? otherwise.kind : then.kind;
  bool fine = kind == Value::Kind::Boolean ||
              is_of_kind(e, context, then, Value::Kind::Number, node.then->span, "`then`");
  fine = fine && is_of_kind(e, context, otherwise, kind, node.otherwise->span,
                            "`else`, as `then` is " + std::string(noun(kind)) + ",");
  if (!fine) return {};
  return e.value(e.model.pool.conditional(condition, node_of_kind(e, then, kind),
                                          node_of_kind(e, otherwise, kind)));
}

Value evaluate_if(Elaboration& e, const Context& context, const syntax::IfExpr& node) {
  if (!node.condition || !node.then || !node.otherwise) return {};
  Value condition = evaluate(e, context, *node.condition);
  bool fine = is_of_kind(e, context, condition, Value::Kind::Boolean, node.condition->span, "`if`");
  if (!fine) return {};
  // A branch that parameters rule out is not looked at: if i > 1 then x[i - 1] else 0.
  if (condition.constant) {
    return evaluate(e, context, e.holds(condition) ? *node.then : *node.otherwise);
  }
  Value then = evaluate(e, context, *node.then);
  Value otherwise = evaluate(e, context, *node.otherwise);
  if (then.bad() || otherwise.bad()) return {};
  bool vectors = then.kind == Value::Kind::List && otherwise.kind == Value::Kind::List;
  if (vectors) {
    std::vector<Value> values = {then, otherwise};
    if (!have_one_shape(e, context, values, {node.then->span, node.otherwise->span}, "`if`")) {
      return {};
    }
    return item_by_item(values, [&](const std::vector<Value>& items) {
      return join_branches(e, context, node, condition.expr, items[0], items[1]);
    });
  }
  return join_branches(e, context, node, condition.expr, then, otherwise);
}

Value evaluate_list(Elaboration& e, const Context& context, const syntax::ListExpr& node) {
  std::vector<Value> items;
  bool bad = false;
  for (const syntax::ExprPtr& item : node.items) {
    items.push_back(item ? evaluate(e, context, *item) : Value{});
    bad = bad || items.back().bad();
  }
  return bad ? Value{} : Elaboration::list(std::move(items));
}

Value evaluate_node(Elaboration& e, const Context& context, const syntax::Expr& expr) {
  if (auto* number = std::get_if<syntax::NumberLiteral>(&expr.node)) {
    e.has_units = e.has_units || !number->unit.empty();
    return Value::number(number->value);
  }
  if (auto* path = std::get_if<syntax::PathExpr>(&expr.node)) {
    return read_path(e, context, path->path);
  }
  if (std::holds_alternative<syntax::BinaryExpr>(expr.node)) {
    return evaluate_binary(e, context, expr);
  }
  if (auto* unary = std::get_if<syntax::UnaryExpr>(&expr.node)) {
    return evaluate_unary(e, context, *unary);
  }
  if (auto* node = std::get_if<syntax::CallExpr>(&expr.node)) {
    return call(e, context, *node, expr.span);
  }
  if (auto* choice = std::get_if<syntax::IfExpr>(&expr.node)) {
    return evaluate_if(e, context, *choice);
  }
  if (auto* reduction = std::get_if<syntax::ReduceExpr>(&expr.node)) {
    return reduce(e, context, *reduction, expr.span);
  }
  if (auto* list = std::get_if<syntax::ListExpr>(&expr.node)) {
    return evaluate_list(e, context, *list);
  }
  if (auto* literal = std::get_if<syntax::BoolLiteral>(&expr.node)) {
    return Value::boolean(literal->value);
  }
  return {Value::Kind::Text, false, 0, {}, nullptr};
}

}  // namespace

// Recursion is as deep as the tree, which the parser bounds (syntax::kMaxHeight).
Value evaluate(Elaboration& e, const Context& context, const syntax::Expr& expr) {
  if (!e.spend(1, expr.span, context.place)) return {};
  return evaluate_node(e, context, expr);
}

}  // namespace cradle::model
