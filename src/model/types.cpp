// The type of a signal, number or boolean, before its expression has been evaluated: signals may
// read one another in any order. It is read off the outermost operator; only names, conditionals
// and pre() have to be followed, which is done in a loop, so that chains of any length are fine.

#include "model/expressions.hpp"

namespace cradle::model {

namespace {

using expr::Type;
using syntax::BinaryOp;

Type operator_type(const syntax::Expr& expr) {
  if (auto* binary = std::get_if<syntax::BinaryExpr>(&expr.node)) {
    return binary->op >= BinaryOp::Add ? Type::Number : Type::Boolean;
  }
  if (auto* unary = std::get_if<syntax::UnaryExpr>(&expr.node)) {
    return unary->op == syntax::UnaryOp::Not ? Type::Boolean : Type::Number;
  }
  if (auto* call = std::get_if<syntax::CallExpr>(&expr.node)) {
    const std::string& name = call->function.text;
    return name == "pulse" || name == "any" || name == "all" ? Type::Boolean : Type::Number;
  }
  if (auto* reduction = std::get_if<syntax::ReduceExpr>(&expr.node)) {
    const std::string& name = reduction->function.text;
    return name == "any" || name == "all" ? Type::Boolean : Type::Number;
  }
  return std::holds_alternative<syntax::BoolLiteral>(expr.node) ? Type::Boolean : Type::Number;
}

// What a conditional or pre() has the type of; null if the operator itself decides.
const syntax::Expr* same_type_as(Elaboration& e, const Context& context, const syntax::Expr& expr) {
  if (auto* choice = std::get_if<syntax::IfExpr>(&expr.node)) {
    Context constants = context.constants("");
    // A condition over parameters picks its branch, as evaluation does.
    if (choice->condition) {
      Value condition = evaluate(e, constants, *choice->condition);
      if (condition.kind == Value::Kind::Boolean && condition.constant) {
        return condition.holds() ? choice->then.get() : choice->otherwise.get();
      }
    }
    return choice->then.get();
  }
  if (auto* call = std::get_if<syntax::CallExpr>(&expr.node)) {
    bool is_pre = call->function.text == "pre" && call->arguments.size() == 1;
    return is_pre ? call->arguments[0].value.get() : nullptr;
  }
  return nullptr;
}

// The type of a path; or the signal that has to be followed.
Type path_type(Elaboration& e, const Context& context, const syntax::Path& path, SignalId& follow) {
  if (path.segments.empty()) return Type::Number;
  bool plain = path.segments.size() == 1 && path.segments[0].indices.empty();
  const std::string& first = path.segments[0].name.text;
  if (plain && (find_turn(context.place.turn, first) != nullptr || is_constant_of_nature(first))) {
    return Type::Number;
  }
  Target target;
  if (!resolve(e, context, path, target)) return Type::Number;
  if (target.entity->kind == EntityKind::Signal) {
    follow = SignalId(static_cast<std::size_t>(target.entity->index));
  } else if (target.entity->kind == EntityKind::Parameter) {
    const Value& value = target.scope->parameters[static_cast<std::size_t>(target.entity->index)];
    if (value.kind == Value::Kind::Boolean) return Type::Boolean;
  } else if (target.entity->kind == EntityKind::Junction &&
             target.next + 1 == path.segments.size()) {
    const std::string& member = path.segments.back().name.text;
    bool power = member == "e" || member == "f" || member == "p" || member == "q";
    return power ? Type::Number : Type::Boolean;
  }
  return Type::Number;
}

}  // namespace

Type signal_type(Elaboration& e, SignalId signal) {
  std::vector<SignalSource*> trail;
  Type type = Type::Number;
  while (signal.valid()) {
    SignalSource& source = e.signal_sources[static_cast<std::size_t>(signal.index)];
    signal = SignalId();
    if (source.type) {
      type = *source.type;
      break;
    }
    if (source.being_typed || source.value == nullptr) break;
    source.being_typed = true;
    trail.push_back(&source);
    Context context(source.place);
    context.quiet = true;
    const syntax::Expr* expr = source.value;
    while (const syntax::Expr* same = same_type_as(e, context, *expr)) expr = same;
    if (auto* path = std::get_if<syntax::PathExpr>(&expr->node)) {
      type = path_type(e, context, path->path, signal);
    } else {
      type = operator_type(*expr);
    }
  }
  for (SignalSource* source : trail) {
    source->type = type;
    source->being_typed = false;
  }
  return type;
}

}  // namespace cradle::model
