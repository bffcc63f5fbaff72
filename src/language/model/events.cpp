// Functions on signals that may be absent, and those that make events. Lee, Constructive models of
// discrete and continuous physical phenomena, sections 3 and 4.
//
//   default(x, y)      x where it is present, otherwise y
//   sample(x, e)       x at the instants at which e is present and not false
//   inhibit(x, by)     x at the instants at which `by` is absent
//   hold(e, start)     Default(e, Last(e, start))
//   fby(start, x)      Last(x, start)
//   delay(x)           x one microstep later
//   random(seed, e)    numbers of a generator, one at each instant of the event e
//   time_delay(x, T)   the event x, T later; with a start, x that is always there and rests between
//                      instants, as it was T earlier
//
// A memory says what it keeps; it never reads its input at the same instant.

#include <algorithm>
#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"

namespace cradle::model {

using expr::Op;

namespace {

using Arguments = std::vector<const syntax::Expr*>;

// One call that is being read.
struct Call {
  Elaboration& e;
  const Context& context;
  const syntax::CallExpr& syntax;
  Span span;

  const std::string& name() const { return syntax.function.text; }
  expr::Pool& pool() const { return e.model.pool; }
  void report(Diagnostic diagnostic) const {
    if (!context.quiet) e.report.add(std::move(diagnostic), context.place);
  }
  bool match(const std::vector<std::string_view>& names, std::size_t required,
             Arguments& arguments) const {
    return match_arguments(e, context, syntax, span, names, required, arguments);
  }

  // A number or a boolean.
  bool scalar(const syntax::Expr& expr, Value& value) const {
    value = evaluate(e, context, expr);
    return value.kind == Value::Kind::Boolean ||
           is_of_kind(e, context, value, Value::Kind::Number, expr.span, name());
  }

  // The function on numbers, booleans or vectors of one shape, item by item.
  Value each(const std::vector<const syntax::Expr*>& exprs, const ItemFunction& function) const {
    std::vector<Value> values;
    std::vector<Span> spans;
    bool fine = true;
    for (const syntax::Expr* expr : exprs) {
      values.push_back(evaluate(e, context, *expr));
      spans.push_back(expr->span);
      fine = fine && !values.back().bad();
    }
    if (!fine || !have_one_shape(e, context, values, spans, name())) return {};
    return item_by_item(values, [&](const std::vector<Value>& items) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        bool scalar = items[i].kind == Value::Kind::Boolean ||
                      is_of_kind(e, context, items[i], Value::Kind::Number, spans[i], name());
        if (!scalar) return Value{};
      }
      return function(items);
    });
  }

  MemoryId remember(Memory memory, Value::Kind kind) const {
    const Owner* owner = context.owner;
    bool owned = owner != nullptr && owner->name != nullptr;
    memory.name = owned ? name() + " in " + *owner->name : name();
    memory.span = span;
    memory.type = kind == Value::Kind::Boolean ? expr::Type::Boolean : expr::Type::Number;
    memory.region = context.place.scope->region;
    MemoryId id = e.model.memories.add(std::move(memory));
    if (context.owner != nullptr) context.owner->memories.push_back(id);
    return id;
  }
  ExprId leaf(MemoryId memory) const {
    return pool().leaf(Op::Memory, memory.index, 0, e.model.memories[memory].type);
  }
};

Memory memory_of(Memory::Kind kind, ExprId input = {}) {
  Memory memory;
  memory.kind = kind;
  memory.input = input;
  return memory;
}

Value is_present(const Call& call) {
  Arguments arguments;
  Value x;
  if (!call.match({"x"}, 1, arguments) || !call.scalar(*arguments[0], x)) return {};
  return call.e.value(call.pool().unary(Op::IsPresent, call.e.node(x)));
}

// All of one kind; `absent` takes part as any.
bool alike(const Call& call, const std::vector<Value>& values, Value::Kind& kind) {
  kind = Value::Kind::Bad;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (call.e.is_absent(values[i])) continue;
    if (kind == Value::Kind::Bad) kind = values[i].kind;
    Span span = call.syntax.arguments[i].value->span;
    if (!is_of_kind(call.e, call.context, values[i], kind, span, call.name())) return false;
  }
  if (kind == Value::Kind::Bad) kind = Value::Kind::Number;
  return true;
}

bool check_positional(const Call& call, std::size_t least) {
  for (const syntax::Argument& argument : call.syntax.arguments) {
    if (argument.name.text.empty()) continue;
    call.report(
        Diagnostic("argument.unknown", call.name() + " has no argument " + argument.name.text)
            .at(argument.name.span)
            .help("leave out the name"));
    return false;
  }
  if (call.syntax.arguments.size() >= least) return true;
  std::size_t count = call.syntax.arguments.size();
  call.report(Diagnostic("function.arguments", call.name() + " takes " + std::to_string(least) +
                                                   " or more arguments, but " +
                                                   std::to_string(count) +
                                                   (count == 1 ? " is given" : " are given"))
                  .at(call.span)
                  .help("write " + call.name() + "(a, b)"));
  return false;
}

Value fallback(const Call& call) {
  if (!check_positional(call, 2)) return {};
  Arguments arguments;
  for (const syntax::Argument& argument : call.syntax.arguments) {
    if (!argument.value) return {};
    arguments.push_back(argument.value.get());
  }
  return call.each(arguments, [&](const std::vector<Value>& values) -> Value {
    Value::Kind kind;
    if (!alike(call, values, kind)) return {};
    ExprId all = node_of_kind(call.e, values.back(), kind);
    for (std::size_t i = values.size() - 1; i-- > 0;) {
      all = call.pool().fallback(node_of_kind(call.e, values[i], kind), all);
    }
    return call.e.value(all);
  });
}

Value inhibit(const Call& call) {
  Arguments arguments;
  Value by;
  if (!call.match({"x", "by"}, 2, arguments) || !call.scalar(*arguments[1], by)) return {};
  expr::Pool& pool = call.pool();
  ExprId silent = pool.unary(Op::Not, pool.unary(Op::IsPresent, call.e.node(by)));
  return call.each({arguments[0]}, [&](const std::vector<Value>& x) {
    return call.e.value(pool.when(call.e.node(x[0]), silent));
  });
}

Value sample(const Call& call) {
  Arguments arguments;
  Value at;
  if (!call.match({"x", "e"}, 2, arguments) || !call.scalar(*arguments[1], at)) return {};
  ExprId condition = call.e.node(at);
  return call.each({arguments[0]}, [&](const std::vector<Value>& x) {
    return call.e.value(call.pool().when(call.e.node(x[0]), condition));
  });
}

// Last: the input as it was when last present; the start until then. Gives the memory to `use`,
// with the input as it is now.
using UseLast = std::function<ExprId(ExprId now, ExprId kept)>;
Value last(const Call& call, const syntax::Expr& input, const syntax::Expr& start,
           const UseLast& use, Memory like = memory_of(Memory::Kind::Last)) {
  const std::string what = "the start of " + call.name();
  Value first = evaluate(call.e, call.context.constants(what), start);
  Value now = evaluate(call.e, call.context, input);
  std::vector<Value> values = {now, first};
  if (!have_one_shape(call.e, call.context, values, {input.span, start.span}, call.name())) {
    return {};
  }
  return item_by_item(values, [&](const std::vector<Value>& items) -> Value {
    const Value& initial = items[1];
    auto kind = initial.kind == Value::Kind::Boolean ? initial.kind : Value::Kind::Number;
    bool fine = is_of_kind(call.e, call.context, initial, kind, start.span, call.name()) &&
                is_of_kind(call.e, call.context, items[0], kind, input.span,
                           call.name() + ", as its start is " + noun(kind) + ",");
    if (!fine) return {};
    if (!initial.constant) {
      report_not_constant(call.e, call.context.constants(what), start.span);
      return {};
    }
    ExprId node = node_of_kind(call.e, items[0], kind);
    Memory memory = like;
    memory.input = node;
    memory.initial = call.e.slot(initial);
    return call.e.value(use(node, call.leaf(call.remember(std::move(memory), kind))));
  });
}

Value hold(const Call& call) {
  Arguments arguments;
  if (!call.match({"x", "start"}, 2, arguments)) return {};
  return last(call, *arguments[0], *arguments[1],
              [&](ExprId now, ExprId kept) { return call.pool().fallback(now, kept); });
}

Value fby(const Call& call) {
  Arguments arguments;
  if (!call.match({"start", "x"}, 2, arguments)) return {};
  return last(call, *arguments[1], *arguments[0], [](ExprId, ExprId kept) { return kept; });
}

// Numbers of the kth time that an event is there, by Park and Miller's generator, which is exact in
// floating point: xₖ = 48271 xₖ₋₁ mod m. What it keeps is a memory like any other.
constexpr double kModulus = 2147483647, kMultiplier = 48271;

// Where the sequence of a seed begins: seeds that are near have numbers that are not (splitmix64).
double first_of_sequence(double seed) {
  auto z = static_cast<uint64_t>(static_cast<int64_t>(seed)) + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return 1 + static_cast<double>(z % (static_cast<uint64_t>(kModulus) - 1));
}

std::optional<double> seed_of(const Call& call, const syntax::Expr& expr) {
  constexpr double kMost = 9007199254740992;  // numbers beyond are not told apart
  const auto seed = constant_number(call.e, call.context, expr, "the seed of random numbers");
  if (!seed) return std::nullopt;
  if (*seed == std::floor(*seed) && std::abs(*seed) <= kMost) return seed;
  call.report(Diagnostic("random.seed", "the seed is " + format_number(*seed))
                  .at(expr.span)
                  .rule("a seed is a whole number")
                  .help("write random(1, e), and another number for other random numbers"));
  return std::nullopt;
}

Value random(const Call& call) {
  Arguments arguments;
  Value event;
  if (!call.match({"seed", "e"}, 2, arguments)) return {};
  const auto seed = seed_of(call, *arguments[0]);
  if (!call.scalar(*arguments[1], event) || !seed) return {};
  expr::Pool& pool = call.pool();
  Memory memory = memory_of(Memory::Kind::Last);
  memory.initial = pool.constant(first_of_sequence(*seed));
  const MemoryId kept = call.remember(std::move(memory), Value::Kind::Number);
  const ExprId when = call.e.node(event);
  const ExprId product = pool.binary(Op::Mul, pool.constant(kMultiplier), call.leaf(kept));
  const ExprId next = pool.binary(Op::Mod, product, pool.constant(kModulus));
  call.e.model.memories[kept].input = pool.when(next, when);
  call.e.draws.push_back({when, arguments[1]->span, call.context.place});
  return call.e.value(pool.when(pool.binary(Op::Div, next, pool.constant(kModulus)), when));
}

Value delayed(const Call& call, const syntax::Expr& input, Memory::Kind kind, ExprId time) {
  return call.each({&input}, [&](const std::vector<Value>& x) {
    Memory memory = memory_of(kind, call.e.node(x[0]));
    memory.offset = time;
    return call.e.value(call.leaf(call.remember(std::move(memory), x[0].kind)));
  });
}

Value delay(const Call& call) {
  Arguments arguments;
  if (!call.match({"x"}, 1, arguments)) return {};
  return delayed(call, *arguments[0], Memory::Kind::Delay, {});
}

// A time that the model names. Reports what is no finite number, or not positive where it has to
// be.
std::optional<ExprId> time_argument(const Call& call, const syntax::Expr& expr,
                                    const std::string& noun, bool positive) {
  auto value = fixed_number(call.e, call.context, expr, noun);
  if (!value) return std::nullopt;
  const double number =
      call.e.decide(*value, positive ? Decision::Kind::Sign : Decision::Kind::Finite);
  if (std::isfinite(number) && (!positive || number > 0)) return call.e.slot(*value);
  call.report(
      Diagnostic("clock.period", noun + " is " + format_number(number))
          .at(expr.span, format_number(number))
          .rule(positive ? noun + " is a positive, finite number" : noun + " is a finite number"));
  return std::nullopt;
}

Value time_delay(const Call& call) {
  Arguments arguments;
  if (!call.match({"x", "time", "start"}, 2, arguments)) return {};
  auto time = time_argument(call, *arguments[1], "the time of a delay", true);
  if (!time) return {};
  if (arguments[2] == nullptr) {
    return delayed(call, *arguments[0], Memory::Kind::TimeDelay, *time);
  }
  Memory held = memory_of(Memory::Kind::HeldDelay);
  held.offset = *time;
  return last(
      call, *arguments[0], *arguments[2], [](ExprId, ExprId kept) { return kept; },
      std::move(held));
}

Value crossing(const Call& call) {
  Arguments arguments;
  if (!call.match({"x", "level"}, 1, arguments)) return {};
  ExprId x = evaluate_number(call.e, call.context, *arguments[0], call.name());
  ExprId level = call.pool().constant(0);
  if (arguments[1] != nullptr) {
    level = evaluate_number(call.e, call.context, *arguments[1], call.name());
  }
  if (!x.valid() || !level.valid()) return {};
  Memory memory = memory_of(Memory::Kind::Crossing, call.pool().binary(Op::Sub, x, level));
  using Direction = Memory::Direction;
  memory.direction = call.name() == "rising"    ? Direction::Rising
                     : call.name() == "falling" ? Direction::Falling
                                                : Direction::Either;
  return call.e.value(call.leaf(call.remember(std::move(memory), Value::Kind::Boolean)));
}

// ---- schedules

// All numbers, or all booleans.
bool schedule_values(const Call& call, const syntax::Expr* expr, std::vector<ExprId>& values,
                     Value::Kind& kind) {
  if (expr == nullptr) return true;
  std::string what = "the values of " + call.name();
  Context constants = call.context.constants(what);
  Value given = evaluate(call.e, constants, *expr);
  std::vector<Value> items = {given};
  if (given.kind == Value::Kind::List) items = *given.items;
  bool booleans = !items.empty() && items[0].kind == Value::Kind::Boolean;
  kind = booleans ? Value::Kind::Boolean : Value::Kind::Number;
  for (const Value& item : items) {
    if (!is_of_kind(call.e, constants, item, kind, expr->span, what)) return false;
    if (!item.constant) {
      report_not_constant(call.e, constants, expr->span);
      return false;
    }
    values.push_back(call.e.slot(item));
  }
  if (!items.empty()) return true;
  call.report(Diagnostic("clock.values", what + " are none").at(expr->span).help("write [1, 2]"));
  return false;
}

Value scheduled(const Call& call, Memory memory, const syntax::Expr* values) {
  auto kind = Value::Kind::Boolean;
  if (!schedule_values(call, values, memory.values, kind)) return {};
  if (memory.values.empty()) memory.values = {call.pool().boolean(true)};
  return call.e.value(call.leaf(call.remember(std::move(memory), kind)));
}

Value event(const Call& call) {
  Arguments arguments;
  if (!call.match({"time", "value"}, 1, arguments)) return {};
  auto time = time_argument(call, *arguments[0], "the time of an event", false);
  if (!time) return {};
  Memory memory = memory_of(Memory::Kind::Schedule);
  memory.offset = *time;
  memory.limit = 1;
  Value result = scheduled(call, std::move(memory), arguments[1]);
  if (!result.bad() &&
      call.e.model.memories[call.context.owner->memories.back()].values.size() > 1) {
    call.report(
        Diagnostic("clock.values", "an event has one value")
            .at(arguments[1]->span, "several")
            .help("use clock(period, offset, values = [1, 2], count = 2) for several events"));
    return {};
  }
  return result;
}

Value clock(const Call& call) {
  Arguments arguments;
  if (!call.match({"period", "offset", "values", "count"}, 1, arguments)) return {};
  auto period = time_argument(call, *arguments[0], "the period of a clock", true);
  std::optional<ExprId> offset = call.pool().constant(0);
  if (arguments[1] != nullptr) {
    offset = time_argument(call, *arguments[1], "the offset of a clock", false);
  }
  std::optional<int64_t> count = -1;
  if (arguments[3] != nullptr) {
    count = constant_integer(call.e, call.context, *arguments[3], "the count of a clock");
  }
  if (!period || !offset || !count) return {};
  if (arguments[3] != nullptr && *count < 0) {
    call.report(Diagnostic("clock.count", "the count of a clock is " + std::to_string(*count))
                    .at(arguments[3]->span)
                    .help("leave it out for a clock without end"));
    return {};
  }
  Memory memory = memory_of(Memory::Kind::Schedule);
  memory.offset = *offset;
  memory.period = *period;
  memory.limit = *count;
  return scheduled(call, std::move(memory), arguments[2]);
}

// ---- choice

Value choose(const Call& call) {
  Choice choice;
  bool fine = true;
  for (const syntax::Argument& argument : call.syntax.arguments) {
    if (!argument.value) return {};
    if (argument.name.text == "order") {
      auto order = constant_boolean(call.e, call.context, *argument.value, "the order of choose");
      fine = fine && order.has_value();
      choice.by_order = order.value_or(false);
      continue;
    }
    if (!argument.name.text.empty()) {
      call.report(Diagnostic("argument.unknown", "choose has no argument " + argument.name.text)
                      .at(argument.name.span)
                      .help("write choose(a, b), or choose(a, b, order = true)"));
      return {};
    }
    Value value;
    if (!call.scalar(*argument.value, value)) {
      fine = false;
      continue;
    }
    ExprId node = call.e.node(value);
    if (value.kind == Value::Kind::Number) node = call.pool().unary(Op::IsPresent, node);
    // In a mode there is something to choose only while it is active.
    node = call.pool().when(node, call.e.active(call.context.place.scope->region));
    choice.alternatives.push_back(node);
  }
  if (!fine) return {};
  if (choice.alternatives.size() < 2) {
    call.report(Diagnostic("function.arguments", "choose needs 2 or more alternatives")
                    .at(call.span)
                    .help("write choose(a, b)"));
    return {};
  }
  const Owner* owner = call.context.owner;
  bool owned = owner != nullptr && owner->name != nullptr;
  choice.name = owned ? "choose in " + *owner->name : "choose";
  choice.span = call.span;
  ChoiceId id = call.e.model.choices.add(std::move(choice));
  return call.e.value(call.pool().leaf(Op::Choice, id.index));
}

struct EventFunction {
  Value (*read)(const Call& call);
  bool keeps;
};

const std::unordered_map<std::string_view, EventFunction>& event_functions() {
  static const std::unordered_map<std::string_view, EventFunction> table = {
      {"is_present", {is_present, false}},
      {"default", {fallback, false}},
      {"merge", {fallback, false}},
      {"inhibit", {inhibit, false}},
      {"sample", {sample, false}},
      {"hold", {hold, true}},
      {"fby", {fby, true}},
      {"random", {random, true}},
      {"delay", {delay, true}},
      {"time_delay", {time_delay, true}},
      {"rising", {crossing, true}},
      {"falling", {crossing, true}},
      {"crossing", {crossing, true}},
      {"event", {event, true}},
      {"clock", {clock, true}},
      {"choose", {choose, true}},
  };
  return table;
}

}  // namespace

bool is_event_function(std::string_view name) { return event_functions().contains(name); }

bool is_event_memory(std::string_view name) {
  auto found = event_functions().find(name);
  return found != event_functions().end() && found->second.keeps;
}

Value call_event_function(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                          Span span) {
  return event_functions().at(call.function.text).read({e, context, call, span});
}

}  // namespace cradle::model
