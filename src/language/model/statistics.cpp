// mean(x), rms(x) and count(condition): what has been so far, or within a window of time. They are
// integrals and memories like those that a model can write itself.

#include <cmath>

#include "language/model/expressions.hpp"

namespace cradle::model {

using expr::Op;

namespace {

// Before any time has passed a mean is the value itself: (∫x + δ x) / (t + δ), with a δ that no
// other time or value feels.
constexpr double kMoment = 1e-200;

StateId add_integral(Elaboration& e, const Context& context, ExprId rate, Span span) {
  State state;
  state.name = next_integral_name(context);
  state.span = span;
  state.region = context.place.scope->region;
  state.initial = e.model.pool.constant(0);
  state.rate = rate;
  return e.model.states.add(std::move(state));
}

// Of a window: it is open. Invalid: there is none. False: it is at fault, which is said.
bool read_window(Elaboration& e, const Context& context, const syntax::Expr* from,
                 const syntax::Expr* to, ExprId& open) {
  expr::Pool& pool = e.model.pool;
  const ExprId time = pool.leaf(Op::Time);
  double begin = -HUGE_VAL, end = HUGE_VAL;
  const auto read = [&](const syntax::Expr* side, double& number, const std::string& what,
                        auto&& compare) {
    if (side == nullptr) return true;
    const auto value = fixed_number(e, context, *side, what);
    if (!value) return false;
    number = e.decide(*value, Decision::Kind::Finite);
    const ExprId inside = compare(e.slot(*value));
    open = open.valid() ? pool.binary(Op::And, open, inside) : inside;
    return true;
  };
  const bool fine = read(from, begin, "the beginning of a window",
                         [&](ExprId t) { return pool.binary(Op::LessEqual, t, time); }) &&
                    read(to, end, "the end of a window",
                         [&](ExprId t) { return pool.binary(Op::Less, time, t); });
  if (!fine) return false;
  if (begin < end) return true;
  e.report.add(Diagnostic("window.empty", "the window from " + format_number(begin) + " to " +
                                              format_number(end) + " is empty")
                   .at(to != nullptr ? to->span : from->span)
                   .rule("a window ends after it begins"),
               context.place);
  return false;
}

// While it is open; always, where there is none.
ExprId within(expr::Pool& pool, ExprId open, ExprId value) {
  return open.valid() ? pool.conditional(open, value, pool.constant(0)) : value;
}

Value mean_of(Elaboration& e, const Context& context, ExprId x, ExprId open, bool square,
              Span span) {
  expr::Pool& pool = e.model.pool;
  const auto squared = [&](ExprId v) { return square ? pool.binary(Op::Mul, v, v) : v; };
  const StateId sum = add_integral(e, context, within(pool, open, squared(x)), span);
  // Time in which there is an x.
  const ExprId one = pool.constant(1), zero = pool.constant(0);
  const ExprId there = pool.conditional(pool.unary(Op::IsPresent, x), one, zero);
  const StateId passed = add_integral(e, context, within(pool, open, there), span);
  e.averages.push_back({passed, x, within(pool, open, one)});
  const ExprId moment = pool.constant(kMoment);
  const ExprId finite = squared(pool.unary(Op::FiniteOf, x));
  const ExprId above =
      pool.binary(Op::Add, pool.leaf(Op::State, sum.index), pool.binary(Op::Mul, moment, finite));
  const ExprId below = pool.binary(Op::Add, pool.leaf(Op::State, passed.index), moment);
  const ExprId mean = pool.binary(Op::Div, above, below);
  return e.value(square ? pool.unary(Op::Sqrt, mean) : mean);
}

bool may_remember(Elaboration& e, const Context& context, const std::string& name, Span span) {
  if (context.locals == nullptr) return true;
  e.report.add(Diagnostic("law.memory", name + " cannot stand in a law")
                   .at(span)
                   .rule("a law is a function of its argument and of signals; it has no memory")
                   .help("make it a signal of its own, and let the law read that"),
               context.place);
  return false;
}

MemoryId add_memory(Elaboration& e, const Context& context, expr::Type type, ExprId initial,
                    Span span) {
  Memory memory;
  memory.kind = Memory::Kind::Last;
  const Owner* owner = context.owner;
  const bool owned = owner != nullptr && owner->name != nullptr;
  memory.name = owned ? "count in " + *owner->name : "count";
  memory.span = span;
  memory.type = type;
  memory.initial = initial;
  memory.region = context.place.scope->region;
  return e.model.memories.add(std::move(memory));
}

}  // namespace

Value mean_of_run(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  std::vector<const syntax::Expr*> arguments;
  if (!match_arguments(e, context, call, span, {"x", "from", "to"}, 1, arguments)) return {};
  const Value x = evaluate(e, context, *arguments[0]);
  const std::string& name = call.function.text;
  const ExprId node = expect(e, context, x, Value::Kind::Number, arguments[0]->span, name);
  ExprId open;
  if (!node.valid() || !read_window(e, context, arguments[1], arguments[2], open)) return {};
  return mean_of(e, context, node, open, name == "rms", span);
}

// How often a condition has become true, or an event has come.
Value count_of_run(Elaboration& e, const Context& context, const Value& condition, Span span) {
  if (!may_remember(e, context, "count", span)) return {};
  expr::Pool& pool = e.model.pool;
  const ExprId holds = e.node(condition);
  const MemoryId before = add_memory(e, context, expr::Type::Boolean, pool.boolean(false), span);
  const MemoryId count = add_memory(e, context, expr::Type::Number, pool.constant(0), span);
  const ExprId held = pool.leaf(Op::Memory, before.index, 0, expr::Type::Boolean);
  const ExprId counted = pool.leaf(Op::Memory, count.index);
  const ExprId more = pool.binary(Op::Add, counted, pool.constant(1));
  const ExprId begins = pool.binary(Op::And, holds, pool.unary(Op::Not, held));
  e.model.memories[before].input = holds;
  e.counts.push_back({before, holds});
  const ExprId next = pool.when(more, begins);
  e.model.memories[count].input = next;
  return e.value(pool.binary(Op::Default, next, counted));
}

}  // namespace cradle::model
