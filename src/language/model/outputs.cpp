// Signals, what a run shows, where it ends.

#include <algorithm>
#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"
#include "language/model/modal.hpp"
#include "language/syntax/units.hpp"

namespace cradle::model {

using expr::Op;

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
    if (!condition.valid() || !value.valid()) return {};
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

// What the outermost operator keeps was made last, behind that of its operands.
void note_what_is_kept(SignalSource& source, const Owner& owner, std::string_view function) {
  auto count = static_cast<std::ptrdiff_t>(std::max<std::size_t>(source.size, 1));
  if (function == "integral") source.states.assign(owner.states.end() - count, owner.states.end());
  if (function == "fby" || function == "hold") {
    source.memories.assign(owner.memories.end() - count, owner.memories.end());
  }
}

// v of v[1].
std::string vector_name(const std::string& first_item) {
  return first_item.substr(0, first_item.rfind('['));
}

void assign(Elaboration& e, SignalId id, const std::vector<ExprId>& values) {
  const SignalSource& source = e.signal_sources[static_cast<std::size_t>(id.index)];
  for (std::size_t i = 0; i < values.size(); ++i) {
    SignalId item = source.size > 0 ? source.items[i] : id;
    e.model.signals[item].value = silent_outside(e, source.place.scope->region, values[i]);
  }
}

// A number that is set from outside. One that moves between these times is value + slope ·
// (t − since), of which only time does not rest.
void define_input(Elaboration& e, SignalId id) {
  const SignalSource& source = e.signal_sources[static_cast<std::size_t>(id.index)];
  const Signal& signal = e.model.signals[id];
  const Span span = source.value->span;
  const Context context = Context(source.place).constants("the start of an input");
  const Value start = evaluate(e, context, *source.value);
  if (!is_of_kind(e, context, start, Value::Kind::Number, span, "input " + signal.name)) return;
  if (!start.constant) return report_not_constant(e, context, span);
  if (const double number = e.decide(start); !std::isfinite(number)) {
    e.report.add(
        Diagnostic("input.start", "input " + signal.name + " begins with " + format_number(number))
            .at(span)
            .rule("an input is a finite number"),
        source.place);
    return;
  }
  const ClockId clock = e.model.clocks.add({{}, {}, signal.span, id, e.slot(start)});
  expr::Pool& pool = e.model.pool;
  const auto part = [&](InputPart which) {
    return pool.leaf(Op::Input, clock.index, static_cast<double>(which));
  };
  ExprId value = part(InputPart::Value);
  const auto& linear = e.linear_inputs;
  if (std::find(linear.begin(), linear.end(), signal.name) != linear.end()) {
    const ExprId time = pool.binary(Op::Sub, pool.leaf(Op::Time, -1), part(InputPart::Since));
    const ExprId gained = pool.binary(Op::Mul, part(InputPart::Slope), time);
    value = pool.binary(Op::Add, value, gained);
  }
  assign(e, id, {value});
}

void define_signal(Elaboration& e, SignalId id) {
  SignalSource& source = e.signal_sources[static_cast<std::size_t>(id.index)];
  Signal& signal = e.model.signals[id];
  if (source.is_item) return;
  if (source.outside && source.value != nullptr) return define_input(e, id);
  if (source.merged != nullptr) return assign(e, id, merged_values(e, id));
  if (source.value == nullptr) return;
  const std::string name = source.size > 0 ? vector_name(signal.name) : signal.name;
  Owner owner{&name, signal.span};
  Context context(source.place);
  context.owner = &owner;
  Value value;
  std::size_t choices = e.model.choices.size();
  auto* call = std::get_if<syntax::CallExpr>(&source.value->node);
  if (call != nullptr && call->function.text == "integral") {
    value = integral(e, context, *call, source.value->span, name);
  } else {
    value = evaluate(e, context, *source.value);
  }
  if (value.bad()) return;
  if (call != nullptr) note_what_is_kept(source, owner, call->function.text);
  std::vector<ExprId> values =
      nodes_of(e, context, id, value, source.value->span, "signal " + name);
  for (ExprId& node : values) node = enabled(e, source, node);
  // In a `when` integrals evolve, memories listen, and there is something to choose only while it
  // is enabled.
  if (source.enabled != nullptr) {
    for (StateId id : owner.states) {
      State& state = e.model.states[id];
      state.rate = enabled(e, source, state.rate);
      if (state.impulse.valid()) state.impulse = enabled(e, source, state.impulse);
    }
    for (MemoryId id : owner.memories) {
      Memory& memory = e.model.memories[id];
      if (memory.input.valid()) memory.input = enabled(e, source, memory.input);
    }
  }
  for (; choices < e.model.choices.size(); ++choices) {
    for (ExprId& alternative : e.model.choices[ChoiceId(choices)].alternatives) {
      alternative = enabled(e, source, alternative);
    }
  }
  assign(e, id, values);
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
    std::string own(turn->variable);
    own.append(" = ").append(std::to_string(turn->value)).append(turns.empty() ? "" : ", ");
    turns.insert(0, own);
  }
  return turns.empty() ? name : name + " (" + turns + ")";
}

}  // namespace

std::vector<ExprId> nodes_of(Elaboration& e, const Context& context, SignalId id,
                             const Value& value, Span span, const std::string& user) {
  const SignalSource& source = e.signal_sources[static_cast<std::size_t>(id.index)];
  if (value.bad()) return {};
  std::vector<Value> items = {value};
  if (source.size > 0) {
    if (!is_of_kind(e, context, value, Value::Kind::List, span, user)) return {};
    items = *value.items;
    if (items.size() != source.size) {
      e.report.add(Diagnostic("type.length", user + " is a vector of another length")
                       .at(span, std::to_string(items.size()) + " items")
                       .at(e.model.signals[id].span, std::to_string(source.size) + " items")
                       .rule("vectors are combined item by item"),
                   context.place);
      return {};
    }
  }
  auto kind =
      signal_type(e, id) == expr::Type::Boolean ? Value::Kind::Boolean : Value::Kind::Number;
  std::vector<ExprId> nodes;
  for (const Value& item : items) {
    nodes.push_back(expect(e, context, item, kind, span, user));
    if (!nodes.back().valid()) return {};
  }
  return nodes;
}

void define_signals(Elaboration& e) {
  for (std::size_t i = 0; i < e.model.signals.size() && !e.stopped; ++i) {
    define_signal(e, SignalId(i));
  }
}

namespace {

ExprId in_unit(expr::Pool& pool, ExprId value, const units::Unit& unit) {
  if (unit.offset != 0) value = pool.binary(Op::Sub, value, pool.constant(unit.offset));
  const double scale = unit.scale();
  return scale == 1 ? value : pool.binary(Op::Div, value, pool.constant(scale));
}

// A vector takes a column for each item.
void show(Elaboration& e, const Context& context, const syntax::Expr& expr, const Value& value,
          const std::string& unit_text, const std::string& called = {}) {
  bool vector = value.kind == Value::Kind::List;
  std::string name = called.empty() ? column_name(e, context, expr) : called;
  std::size_t item = 0;
  const std::optional<units::Unit> unit = units::parse(unit_text);
  e.has_units = e.has_units || unit;
  item_by_item({value}, [&](const std::vector<Value>& items) -> Value {
    bool fine = items[0].kind == Value::Kind::Boolean ||
                is_of_kind(e, context, items[0], Value::Kind::Number, expr.span, "show");
    if (!fine) return {};
    std::string own = vector ? name + "[" + std::to_string(++item) + "]" : name;
    ExprId column = e.node(items[0]);
    if (unit && !is_of_kind(e, context, items[0], Value::Kind::Number, expr.span, "`in`"))
      return {};
    if (unit) {
      own += " [" + unit->text + "]";
      column = in_unit(e.model.pool, column, *unit);
    }
    e.model.show.push_back({own, column, unit.has_value()});
    return items[0];
  });
}

// show x of x[1], x[2], …: all of them, in order.
bool show_family(Elaboration& e, const Context& context, const syntax::Expr& expr,
                 const std::string& unit) {
  auto* path = std::get_if<syntax::PathExpr>(&expr.node);
  const bool plain =
      path != nullptr && path->path.segments.size() == 1 && path->path.segments[0].indices.empty();
  if (!plain) return false;
  const std::string opening = path->path.segments[0].name.text + "[";
  const Scope& scope = *context.place.scope;
  const Entity* family = scope.find(opening);
  if (family == nullptr || family->kind != EntityKind::Family) return false;
  std::vector<std::pair<int32_t, const std::string*>> members;  // in the order of declaration
  for (const auto& [key, entity] : scope.names) {
    if (key.size() <= opening.size() || !key.starts_with(opening)) continue;
    if (entity.kind != EntityKind::Signal) return false;
    members.emplace_back(entity.index, &key);
  }
  std::sort(members.begin(), members.end());
  for (const auto& [index, key] : members) {
    show(e, context, expr, e.signal(SignalId(static_cast<std::size_t>(index))), unit, *key);
  }
  return true;
}

}  // namespace

void define_shown(Elaboration& e) {
  static const std::string kOwner = "show";
  for (const Deferred& deferred : e.shows) {
    Owner owner{&kOwner, deferred.item->span};
    Context context(deferred.place);
    context.owner = &owner;
    const auto& item = std::get<syntax::Show>(deferred.item->node);
    for (std::size_t i = 0; i < item.values.size(); ++i) {
      const syntax::ExprPtr& expr = item.values[i];
      if (e.stopped) return;
      if (!expr) continue;
      const std::string unit = i < item.units.size() ? item.units[i].text : "";
      const std::size_t before = e.model.show.size();
      if (!show_family(e, context, *expr, unit)) {
        Value value = evaluate(e, context, *expr);
        if (value.bad()) continue;
        show(e, context, *expr, value, unit);
      }
      e.shown.push_back(e.model.show.size() - before);
    }
  }
}

namespace {

void define_max_step(Elaboration& e, const syntax::Expr& expr, const Place& place) {
  const auto value = fixed_number(e, Context(place), expr, "the longest step");
  if (!value) return;
  const double step = e.decide(*value, Decision::Kind::Sign);
  if (step > 0 && std::isfinite(step)) {
    e.model.max_step = e.slot(*value);
    return;
  }
  e.report.add(Diagnostic("until.max-step", "the longest step is " + format_number(step))
                   .at(expr.span, format_number(step))
                   .rule("steps of the solver are positive, finite times")
                   .help("write until 2 max_step 0.01, or leave it out"),
               place);
}

}  // namespace

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
    if (until.max_step) define_max_step(e, *until.max_step, deferred.place);
    auto value = fixed_number(e, Context(deferred.place), *first, "the end of the run");
    if (!value) continue;
    const double end = e.decide(*value, Decision::Kind::Sign);
    if (!(end >= 0) || std::isinf(end)) {
      e.report.add(Diagnostic("until.not-positive", "the run would end at " + format_number(end))
                       .at(first->span, format_number(end))
                       .rule("a run starts at 0 and ends at a finite time"),
                   deferred.place);
      continue;
    }
    e.model.until = e.slot(*value);
  }
}

}  // namespace cradle::model
