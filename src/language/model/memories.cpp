// What a run remembers: integrals, written or implied, and clocks.

#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"

namespace cradle::model {

using expr::Op;

namespace {

// "time_delay(x, time, start)"; those that may be left out stand in brackets.
std::string usage(const std::string& function, const std::vector<std::string_view>& names,
                  std::size_t required) {
  std::string text = function + "(";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == required) text += "[";
    text += (i > 0 ? ", " : "") + std::string(names[i]);
  }
  return text + (required < names.size() ? "])" : ")");
}

}  // namespace

bool match_arguments(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                     Span span, const std::vector<std::string_view>& names, std::size_t required,
                     std::vector<const syntax::Expr*>& matched) {
  matched.assign(names.size(), nullptr);
  std::size_t position = 0;
  auto fail = [&](Diagnostic diagnostic) {
    if (!context.quiet) e.report.add(std::move(diagnostic), context.place);
    return false;
  };
  for (const syntax::Argument& argument : call.arguments) {
    if (!argument.value) return false;
    std::size_t slot = position;
    if (argument.name.text.empty()) {
      ++position;
    } else {
      for (slot = 0; slot < names.size() && names[slot] != argument.name.text;) ++slot;
    }
    if (slot >= names.size()) {
      std::string list;
      for (std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
      return fail(Diagnostic("argument.unknown",
                             argument.name.text.empty()
                                 ? call.function.text + " has fewer arguments than this"
                                 : call.function.text + " has no argument " + argument.name.text)
                      .at(argument.name.text.empty() ? argument.value->span : argument.name.span)
                      .help("its arguments are " + list));
    }
    if (matched[slot] != nullptr) {
      return fail(Diagnostic("argument.duplicate",
                             "argument " + std::string(names[slot]) + " is given twice")
                      .at(argument.value->span, "here")
                      .at(matched[slot]->span, "and here"));
    }
    matched[slot] = argument.value.get();
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (matched[i] != nullptr) continue;
    return fail(Diagnostic("argument.missing",
                           call.function.text + " needs its argument " + std::string(names[i]))
                    .at(span)
                    .help("write " + usage(call.function.text, names, required)));
  }
  return true;
}

std::string next_integral_name(const Context& context) {
  Owner* owner = context.owner;
  if (owner == nullptr || owner->name == nullptr) return "integral";
  ++owner->integrals;
  return *owner->name + ".integral" +
         (owner->integrals > 1 ? std::to_string(owner->integrals) : std::string());
}

namespace {

// One number of an integral: its derivative, start and impulse, of which the last may be missing.
Value integral_of_number(Elaboration& e, const Context& context, const std::vector<Value>& values,
                         const std::vector<Span>& spans, const std::string& name, Span span) {
  State state;
  state.name = name;
  state.span = span;
  state.region = context.place.scope->region;
  auto node = [&](std::size_t i) {
    return expect(e, context, values[i], Value::Kind::Number, spans[i], "integral");
  };
  state.rate = node(0);
  if (!is_of_kind(e, context, values[1], Value::Kind::Number, spans[1], "integral")) return {};
  if (!values[1].constant) {
    report_not_constant(e, context.constants("the start of an integral"), spans[1]);
    return {};
  }
  state.initial = e.slot(values[1]);
  if (values.size() > 2) state.impulse = node(2);
  bool fine = state.rate.valid() && (values.size() < 3 || state.impulse.valid());
  if (!fine) return {};
  StateId id = e.model.states.add(std::move(state));
  if (context.owner != nullptr) context.owner->states.push_back(id);
  return e.value(e.model.pool.leaf(Op::State, id.index));
}

// A start that is not written: zero, in the shape of the derivative.
Value zero_like(const Value& value) {
  return item_by_item({value}, [](const auto&) { return Value::number(0); });
}

}  // namespace

Value integral(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span,
               const std::string& name) {
  std::vector<const syntax::Expr*> arguments;
  if (!match_arguments(e, context, call, span, {"derivative", "start", "impulse"}, 1, arguments)) {
    return {};
  }
  std::vector<Value> values = {evaluate(e, context, *arguments[0])};
  std::vector<Span> spans = {arguments[0]->span, span};
  if (arguments[1] != nullptr) {
    values.push_back(evaluate(e, context.constants("the start of an integral"), *arguments[1]));
    spans[1] = arguments[1]->span;
  } else {
    values.push_back(zero_like(values[0]));
  }
  if (arguments[2] != nullptr) {
    values.push_back(evaluate(e, context, *arguments[2]));
    spans.push_back(arguments[2]->span);
  }
  if (!have_one_shape(e, context, values, spans, "integral")) return {};
  bool vector = values[0].kind == Value::Kind::List;
  std::size_t item = 0;
  return item_by_item(values, [&](const std::vector<Value>& items) {
    std::string own = vector ? name + "[" + std::to_string(++item) + "]" : name;
    return integral_of_number(e, context, items, spans, own, span);
  });
}

namespace {

bool make_clock(Elaboration& e, const Context& context, const syntax::Expr& period_expr,
                const syntax::Expr* offset_expr, ClockId& clock) {
  auto period_value = fixed_number(e, context, period_expr, "the period of a clock");
  Value offset_value = Value::number(0);
  if (offset_expr != nullptr) {
    auto given = fixed_number(e, context, *offset_expr, "the offset of a clock");
    if (!given) return false;
    offset_value = *given;
  }
  if (!period_value) return false;
  const double period = e.decide(*period_value, Decision::Kind::Sign);
  const double offset = e.decide(offset_value, Decision::Kind::Finite);
  if (!(period > 0) || !std::isfinite(period) || !std::isfinite(offset)) {
    bool wrong_period = !(period > 0) || !std::isfinite(period);
    double wrong = wrong_period ? period : offset;
    e.report.add(
        Diagnostic("clock.period", std::string(wrong_period ? "the period" : "the offset") +
                                       " of a clock is " + format_number(wrong))
            .at(wrong_period ? period_expr.span : offset_expr->span, format_number(wrong))
            .rule("a clock ticks at offset + j · period, with a positive, finite period"),
        context.place);
    return false;
  }
  const ExprId every = e.slot(*period_value), from = e.slot(offset_value);
  auto [place, is_new] = e.clocks.try_emplace({every, from}, ClockId());
  if (is_new) place->second = e.model.clocks.add({from, every, period_expr.span});
  clock = place->second;
  return true;
}

}  // namespace

Value clock_function(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                     Span span) {
  if (call.function.text == "count" && call.arguments.size() == 1 && call.arguments[0].value) {
    const Value counted = evaluate(e, context, *call.arguments[0].value);
    if (counted.bad()) return {};
    if (counted.kind == Value::Kind::Boolean) return count_of_run(e, context, counted, span);
  }
  bool is_pulse = call.function.text == "pulse";
  std::vector<std::string_view> names = {"period", "offset"};
  if (is_pulse) names = {"period", "duty", "offset"};
  std::vector<const syntax::Expr*> arguments;
  if (!match_arguments(e, context, call, span, names, is_pulse ? 2 : 1, arguments)) return {};
  ClockId clock;
  ExprId duty;
  if (is_pulse) duty = evaluate_number(e, context, *arguments[1], "pulse");
  if (!make_clock(e, context, *arguments[0], arguments.back(), clock)) return {};
  expr::Pool& pool = e.model.pool;
  if (call.function.text == "count") return e.value(pool.leaf(Op::Count, clock.index));
  ExprId phase = pool.leaf(Op::Phase, clock.index);
  if (!is_pulse) return e.value(phase);
  return duty.valid() ? e.value(pool.binary(Op::Less, phase, duty)) : Value{};
}

ExprId rate_of_integral(Elaboration& e, BondId bond, bool momentum) {
  const std::vector<BondId>& same = momentum ? e.same_effort : e.same_flow;
  BondId first = same[static_cast<std::size_t>(bond.index)];
  return e.model.pool.leaf(momentum ? Op::Effort : Op::Flow, first.index);
}

Value read_integral_of_bond(Elaboration& e, BondId bond, bool momentum, const std::string& name,
                            Span span) {
  expr::Pool& pool = e.model.pool;
  const End& to = e.model.bonds[bond].to;
  if (to.element.valid()) {
    const Element& element = e.model.elements[to.element];
    auto storage = elements::definition(element.kind).storage;
    auto wanted = momentum ? elements::Storage::Momentum : elements::Storage::Displacement;
    if (storage == wanted) {
      StateId own = element.states[static_cast<std::size_t>(to.port)];
      return e.value(pool.leaf(Op::State, own.index));
    }
  }
  ExprId rate = rate_of_integral(e, bond, momentum);
  auto [place, is_new] = e.implicit_integrals.try_emplace(rate, StateId());
  if (is_new) {
    State state;
    state.name = name;
    state.span = span;
    state.initial = pool.constant(0);
    state.rate = rate;
    state.region = to.element.valid() ? e.model.elements[to.element].region
                                      : e.model.junctions[to.junction].region;
    place->second = e.model.states.add(std::move(state));
  }
  return e.value(pool.leaf(Op::State, place->second.index));
}

}  // namespace cradle::model
