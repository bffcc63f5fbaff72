// Signals, what a run shows, where it ends.

#include <cmath>

#include "cradle/instant.hpp"
#include "model/expressions.hpp"
#include "model/modal.hpp"

namespace cradle::model {

namespace {

// The condition of a `when`, read once for all that stands in it.
ExprId condition_of(Elaboration& e, Enabling& enabling) {
  if (enabling.value.valid()) return enabling.value;
  static const std::string kOwner = "when";
  Owner owner{&kOwner, enabling.condition->span};
  Context context(enabling.place);
  context.owner = &owner;
  Value value = evaluate(e, context, *enabling.condition);
  bool fine = value.kind == Value::Kind::Number ||
              is_of_kind(e, context, value, Value::Kind::Boolean, enabling.condition->span, "when");
  if (fine) enabling.value = e.node(value);
  return enabling.value;
}

ExprId enabled(Elaboration& e, const SignalSource& source, ExprId value) {
  for (Enabling* around = source.enabled; around != nullptr; around = around->outer) {
    ExprId condition = condition_of(e, *around);
    if (!condition.valid()) return {};
    value = e.model.pool.when(value, condition);
  }
  return value;
}

// What is defined in a mode is there while the mode is active and not being left by force.
ExprId silent_outside(Elaboration& e, RegionId region, ExprId value) {
  if (!region.valid() || !value.valid()) return value;
  expr::Pool& pool = e.model.pool;
  ExprId speaks = e.active(region);
  for (RegionId around = region; around.valid(); around = e.model.regions[around].parent) {
    ExprId left = e.preempted[static_cast<std::size_t>(around.index)];
    if (left.valid()) speaks = pool.binary(expr::Op::And, speaks, pool.unary(expr::Op::Not, left));
  }
  ExprId wrapped = pool.when(value, speaks);
  e.region_wraps.insert(wrapped);
  return wrapped;
}

bool keeps_its_value(std::string_view function) {
  return function == "integral" || function == "fby" || function == "hold";
}

void define_signal(Elaboration& e, SignalId id) {
  SignalSource& source = e.signal_sources[static_cast<std::size_t>(id.index)];
  Signal& signal = e.model.signals[id];
  if (source.merged != nullptr) {
    signal.value = silent_outside(e, source.place.scope->region, merged_value(e, id));
    return;
  }
  if (source.value == nullptr) return;
  expr::Type type = signal_type(e, id);
  Owner owner{&signal.name, signal.span};
  Context context(source.place);
  context.owner = &owner;
  Value value;
  auto* call = std::get_if<syntax::CallExpr>(&source.value->node);
  if (call != nullptr && call->function.text == "integral") {
    value = integral(e, context, *call, source.value->span, signal.name);
  } else {
    value = evaluate(e, context, *source.value);
  }
  if (value.bad()) return;
  if (call != nullptr && keeps_its_value(call->function.text)) {
    source.state = owner.state;
    source.memory = owner.memory;
  }
  auto kind = type == expr::Type::Boolean ? Value::Kind::Boolean : Value::Kind::Number;
  ExprId node = expect(e, context, value, kind, source.value->span, "signal " + signal.name);
  if (!node.valid()) return;
  signal.value = silent_outside(e, source.place.scope->region, enabled(e, source, node));
}

// What is shown is named as it is written, with indices computed: impulse(F[2].e).
std::string column_name(Elaboration& e, const Context& context, const syntax::Expr& expr) {
  if (auto* path = std::get_if<syntax::PathExpr>(&expr.node)) {
    return path_name(e, context, path->path);
  }
  auto* call = std::get_if<syntax::CallExpr>(&expr.node);
  bool plain = call != nullptr && call->arguments.size() == 1 && call->arguments[0].value &&
               call->arguments[0].name.text.empty();
  if (plain) {
    if (auto* path = std::get_if<syntax::PathExpr>(&call->arguments[0].value->node)) {
      return call->function.text + "(" + path_name(e, context, path->path) + ")";
    }
  }
  std::string name = syntax::print(expr), turns;
  for (const Turn* turn = context.place.turn; turn != nullptr; turn = turn->outer) {
    turns = std::string(turn->variable) + " = " + std::to_string(turn->value) +
            (turns.empty() ? "" : ", ") + turns;
  }
  return turns.empty() ? name : name + " (" + turns + ")";
}

}  // namespace

void define_signals(Elaboration& e) {
  for (std::size_t i = 0; i < e.model.signals.size() && !e.stopped; ++i) {
    define_signal(e, SignalId(i));
  }
}

void define_shown(Elaboration& e) {
  static const std::string kOwner = "show";
  for (const Deferred& deferred : e.shows) {
    Owner owner{&kOwner, deferred.item->span};
    Context context(deferred.place);
    context.owner = &owner;
    for (const syntax::ExprPtr& expr : std::get<syntax::Show>(deferred.item->node).values) {
      if (e.stopped) return;
      if (!expr) continue;
      Value value = evaluate(e, context, *expr);
      if (value.bad()) continue;
      bool fine = value.kind == Value::Kind::Boolean ||
                  is_of_kind(e, context, value, Value::Kind::Number, expr->span, "show");
      if (!fine) continue;
      e.model.show.push_back({column_name(e, context, *expr), e.node(value)});
    }
  }
}

void define_until(Elaboration& e) {
  const syntax::Expr* first = nullptr;
  for (const Deferred& deferred : e.untils) {
    const auto& until = std::get<syntax::Until>(deferred.item->node);
    if (!until.value) continue;
    if (first != nullptr) {
      e.report.add(Diagnostic("until.duplicate", "the end of the run is stated twice")
                       .at(until.value->span, "here")
                       .at(first->span, "and here"),
                   deferred.place);
      continue;
    }
    first = until.value.get();
    auto end = constant_number(e, Context(deferred.place), *first, "the end of the run");
    if (!end) continue;
    if (!(*end >= 0) || std::isinf(*end)) {
      e.report.add(Diagnostic("until.not-positive", "the run would end at " + format_number(*end))
                       .at(first->span, format_number(*end))
                       .rule("a run starts at 0 and ends at a finite time"),
                   deferred.place);
      continue;
    }
    e.model.until = *end;
  }
}

}  // namespace cradle::model
