// Functions of expressions: fn(x, …) and comprehensions fn(x for i in 1..N).

#include <algorithm>
#include <limits>

#include "language/model/expressions.hpp"

namespace cradle::model {

using expr::Op;

namespace {

struct Function {
  Op op;
  int arity;
};

const std::unordered_map<std::string_view, Function>& plain_functions() {
  static const std::unordered_map<std::string_view, Function> table = {
      {"sin", {Op::Sin, 1}},           {"cos", {Op::Cos, 1}},   {"tan", {Op::Tan, 1}},
      {"asin", {Op::Asin, 1}},         {"acos", {Op::Acos, 1}}, {"atan", {Op::Atan, 1}},
      {"atan2", {Op::Atan2, 2}},       {"sinh", {Op::Sinh, 1}}, {"cosh", {Op::Cosh, 1}},
      {"tanh", {Op::Tanh, 1}},         {"exp", {Op::Exp, 1}},   {"log", {Op::Log, 1}},
      {"log10", {Op::Log10, 1}},       {"sqrt", {Op::Sqrt, 1}}, {"abs", {Op::Abs, 1}},
      {"floor", {Op::Floor, 1}},       {"ceil", {Op::Ceil, 1}}, {"mod", {Op::Mod, 2}},
      {"hypot", {Op::Hypot, 2}},       {"pow", {Op::Pow, 2}},   {"finite", {Op::FiniteOf, 1}},
      {"impulse", {Op::ImpulseOf, 1}},
  };
  return table;
}

}  // namespace

std::vector<std::string> function_names() {
  std::vector<std::string> names = {
#define FUNCTION(name, call, about, snippet) name,
#include "language/syntax/words.def"
  };
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

struct Reduction {
  Op op;
  bool boolean;
  double empty;
};

const Reduction* find_reduction(std::string_view name) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  static const std::unordered_map<std::string_view, Reduction> table = {
      {"sum", {Op::Add, false, 0}},   {"product", {Op::Mul, false, 1}},
      {"min", {Op::Min, false, inf}}, {"max", {Op::Max, false, -inf}},
      {"any", {Op::Or, true, 0}},     {"all", {Op::And, true, 1}},
  };
  auto place = table.find(name);
  return place == table.end() ? nullptr : &place->second;
}

// Pairwise, so that the depth of the result is the logarithm of the number of terms.
Value fold(Elaboration& e, const Reduction& reduction, std::vector<Value> terms) {
  if (terms.empty()) {
    return Value::of(reduction.boolean ? Value::Kind::Boolean : Value::Kind::Number,
                     reduction.empty);
  }
  while (terms.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2) {
      terms[kept++] = combine(e, reduction.op, terms[i], terms[i + 1]);
    }
    if (terms.size() % 2 == 1) terms[kept++] = terms.back();
    terms.resize(kept);
  }
  return terms[0];
}

// Positional arguments that have to be numbers. False: something is wrong, and was reported.
bool number_arguments(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                      std::vector<Value>& numbers) {
  bool fine = true;
  for (const syntax::Argument& argument : call.arguments) {
    if (!argument.value) return false;
    numbers.push_back(evaluate(e, context, *argument.value));
    fine = is_of_kind(e, context, numbers.back(), Value::Kind::Number, argument.value->span,
                      call.function.text) &&
           fine;
  }
  return fine;
}

bool check_positional(Elaboration& e, const Context& context, const syntax::CallExpr& call) {
  for (const syntax::Argument& argument : call.arguments) {
    if (argument.name.text.empty() && argument.parameters.empty()) continue;
    if (!context.quiet) {
      e.report.add(Diagnostic("argument.unknown",
                              call.function.text + " has no argument " + argument.name.text)
                       .at(argument.name.span)
                       .help("leave out the name"),
                   context.place);
    }
    return false;
  }
  return true;
}

// How it is called.
std::string usage(const std::string& function) {
  static const std::unordered_map<std::string_view, std::string> table = {
      {"sum", "sum(list) or sum(x[i] for i in 1..N)"},
      {"product", "product(list) or product(x[i] for i in 1..N)"},
      {"min", "min(a, b), min(list) or min(x[i] for i in 1..N)"},
      {"max", "max(a, b), max(list) or max(x[i] for i in 1..N)"},
      {"any", "any(list) or any(x[i] > 0 for i in 1..N)"},
      {"all", "all(list) or all(x[i] > 0 for i in 1..N)"},
      {"step", "step(t0)"},
      {"length", "length(list)"},
      {"is_constant", "is_constant(parameter)"},
      {"dot", "dot(a, b)"},
      {"clamp", "clamp(x, low, high)"},
      {"atan2", "atan2(y, x)"},
      {"mod", "mod(x, divisor)"},
      {"pow", "pow(base, exponent)"},
      {"hypot", "hypot(x, y)"},
  };
  auto found = table.find(function);
  return found != table.end() ? found->second : function + "(x)";
}

void report_count(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span,
                  const std::string& wanted) {
  if (context.quiet) return;
  e.report.add(Diagnostic("function.arguments",
                          call.function.text + " takes " + wanted + ", but " +
                              std::to_string(call.arguments.size()) +
                              (call.arguments.size() == 1 ? " is given" : " are given"))
                   .at(span)
                   .help("write " + usage(call.function.text)),
               context.place);
}

Value call_plain(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span,
                 const Function& function) {
  if (!check_positional(e, context, call)) return {};
  if (static_cast<int>(call.arguments.size()) != function.arity) {
    report_count(
        e, context, call, span,
        function.arity == 1 ? "1 argument" : std::to_string(function.arity) + " arguments");
    return {};
  }
  std::vector<Value> numbers;
  if (!number_arguments(e, context, call, numbers)) return {};
  return function.arity == 1 ? combine(e, function.op, numbers[0])
                             : combine(e, function.op, numbers[0], numbers[1]);
}

// min(a, b, …), and sum(list), min(list), …
Value call_reduction(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                     Span span, const Reduction& reduction) {
  if (!check_positional(e, context, call)) return {};
  std::vector<Value> terms;
  auto kind = reduction.boolean ? Value::Kind::Boolean : Value::Kind::Number;
  if (call.arguments.size() == 1 && call.arguments[0].value) {
    const syntax::Expr& only = *call.arguments[0].value;
    Value list = evaluate(e, context, only);
    if (list.bad()) return {};
    if (list.kind == Value::Kind::List) {
      for (const Value& item : *list.items) {
        if (!is_of_kind(e, context, item, kind, only.span, call.function.text)) return {};
        terms.push_back(item);
      }
      return fold(e, reduction, std::move(terms));
    }
  }
  bool variadic = reduction.op == Op::Min || reduction.op == Op::Max;
  if (!variadic || call.arguments.size() < 2) {
    report_count(e, context, call, span,
                 variadic ? "2 or more arguments, a list, or a comprehension"
                          : "a list or a comprehension (x for i in 1..N)");
    return {};
  }
  if (!number_arguments(e, context, call, terms)) return {};
  return fold(e, reduction, std::move(terms));
}

Value call_pre(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  if (!check_positional(e, context, call)) return {};
  if (call.arguments.size() != 1 || !call.arguments[0].value) {
    report_count(e, context, call, span, "1 argument");
    return {};
  }
  Value whole = evaluate(e, context, *call.arguments[0].value);
  return item_by_item({whole}, [&](const std::vector<Value>& items) -> Value {
    const Value& value = items[0];
    if (value.bad() || value.constant) return value;
    bool fine = value.kind == Value::Kind::Boolean ||
                is_of_kind(e, context, value, Value::Kind::Number, call.arguments[0].value->span,
                           call.function.text);
    return fine ? e.value(e.model.pool.pre(value.expr)) : Value{};
  });
}

// The inner product of two vectors.
Value call_dot(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  if (!check_positional(e, context, call)) return {};
  if (call.arguments.size() != 2) {
    report_count(e, context, call, span, "2 arguments");
    return {};
  }
  std::vector<Value> values;
  std::vector<Span> spans;
  for (const syntax::Argument& argument : call.arguments) {
    if (!argument.value) return {};
    values.push_back(evaluate(e, context, *argument.value));
    spans.push_back(argument.value->span);
    if (!is_of_kind(e, context, values.back(), Value::Kind::List, spans.back(), "dot")) return {};
  }
  if (!have_one_shape(e, context, values, spans, "dot")) return {};
  Value products = item_by_item(values, [&](const std::vector<Value>& items) {
    bool fine = is_of_kind(e, context, items[0], Value::Kind::Number, spans[0], "dot") &&
                is_of_kind(e, context, items[1], Value::Kind::Number, spans[1], "dot");
    return fine ? combine(e, Op::Mul, items[0], items[1]) : Value{};
  });
  return products.bad() ? Value{} : fold(e, *find_reduction("sum"), *products.items);
}

Value call_sign(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  std::vector<Value> x;
  if (!check_positional(e, context, call)) return {};
  if (call.arguments.size() != 1) {
    report_count(e, context, call, span, "1 argument");
    return {};
  }
  if (!number_arguments(e, context, call, x)) return {};
  if (x[0].constant) {
    const double now = e.decide(x[0], Decision::Kind::Exactly);
    return Value::number(now > 0 ? 1 : now < 0 ? -1 : 0);
  }
  expr::Pool& pool = e.model.pool;
  ExprId zero = pool.constant(0);
  ExprId below = pool.conditional(pool.binary(Op::Less, x[0].expr, zero), pool.constant(-1), zero);
  return e.value(pool.conditional(pool.binary(Op::Less, zero, x[0].expr), pool.constant(1), below));
}

// Not below one, not above the other.
Value call_clamp(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  std::vector<Value> x;
  if (!check_positional(e, context, call)) return {};
  if (call.arguments.size() != 3) {
    report_count(e, context, call, span, "3 arguments");
    return {};
  }
  if (!number_arguments(e, context, call, x)) return {};
  if (x[1].constant && x[2].constant && e.decide(x[1]) > e.decide(x[2]) && !context.quiet) {
    e.report.add(Diagnostic("function.arguments", "clamp has its bounds the wrong way round")
                     .at(call.arguments[1].value->span, "above the upper one")
                     .help("write clamp(x, low, high)"),
                 context.place);
    return {};
  }
  return combine(e, Op::Min, combine(e, Op::Max, x[0], x[1]), x[2]);
}

Value call_step(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  std::vector<Value> start;
  if (!check_positional(e, context, call)) return {};
  if (call.arguments.size() != 1) {
    report_count(e, context, call, span, "1 argument, the time of the step");
    return {};
  }
  if (!number_arguments(e, context, call, start)) return {};
  expr::Pool& pool = e.model.pool;
  ExprId begun = pool.binary(Op::LessEqual, e.node(start[0]), pool.leaf(Op::Time));
  return e.value(pool.conditional(begun, pool.constant(1), pool.constant(0)));
}

Value call_length(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  if (!check_positional(e, context, call)) return {};
  if (call.arguments.size() != 1 || !call.arguments[0].value) {
    report_count(e, context, call, span, "1 argument, a list");
    return {};
  }
  Value list = evaluate(e, context, *call.arguments[0].value);
  if (list.bad()) return {};
  if (list.kind != Value::Kind::List) {
    expect(e, context, list, Value::Kind::List, call.arguments[0].value->span, "length");
    return {};
  }
  return Value::number(static_cast<double>(list.items->size()));
}

// Whether a parameter of a component is known when the model is built, or given as a signal there.
Value call_is_constant(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                       Span span) {
  const syntax::PathExpr* path = call.arguments.size() == 1 && call.arguments[0].value
                                     ? std::get_if<syntax::PathExpr>(&call.arguments[0].value->node)
                                     : nullptr;
  if (path == nullptr || !check_positional(e, context, call)) {
    report_count(e, context, call, span, "1 argument, the name of a parameter");
    return {};
  }
  Target target;
  if (!resolve(e, context, path->path, target)) return {};
  return Value::boolean(target.entity->kind == EntityKind::Parameter);
}

bool lasts(std::string_view name) {
  return name == "pre" || name == "integral" || name == "der" || name == "mean" || name == "rms" ||
         is_event_memory(name);
}
bool is_clock(std::string_view name) {
  return name == "sawtooth" || name == "pulse" || name == "count";
}

void report_unknown_function(Elaboration& e, const Context& context, const syntax::Name& name) {
  if (context.quiet || e.report.said("name.unknown-function", name.span)) return;
  Diagnostic diagnostic("name.unknown-function", "there is no function " + name.text);
  diagnostic.at(name.span);
  const bool largest = name.text == "peak" || name.text == "maximum";
  if (largest || name.text == "minimum") {
    diagnostic.rule("extremes are found when a run is over, and no signal of a model knows them");
    diagnostic.help("of a run: cradle sweep FILE --measure '" + name.text +
                    "(x)'; that x keeps to a limit: assert always x " + (largest ? "<" : ">") +
                    " limit; of several values at one time: " + (largest ? "max" : "min") +
                    "(a, b)");
    e.report.add(std::move(diagnostic), context.place);
    return;
  }
  std::string near = did_you_mean(name.text, function_names());
  if (!near.empty()) diagnostic.help(near);
  e.report.add(std::move(diagnostic), context.place);
}

// What a run remembers or computes from time is no parameter, and cannot depend on the argument of
// a law, which has no history.
bool check_memory(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  std::string_view name = call.function.text;
  if (!is_function_of_run(name)) return true;
  if (context.known != Context::Known::Signals) {
    report_not_constant(e, context, span);
    return false;
  }
  if (context.locals == nullptr || !lasts(name)) return true;
  if (!context.quiet) {
    e.report.add(Diagnostic("law.memory", std::string(name) + " cannot stand in a law")
                     .at(span)
                     .rule("a law is a function of its argument and of signals; it has no memory")
                     .help("make it a signal of its own, and let the law read that"),
                 context.place);
  }
  return false;
}

}  // namespace

bool is_function_of_run(std::string_view name) {
  return lasts(name) || is_clock(name) || name == "step" || is_event_function(name);
}

Value call(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  std::string_view name = call.function.text;
  if (auto place = plain_functions().find(name); place != plain_functions().end()) {
    return call_plain(e, context, call, span, place->second);
  }
  if (const Reduction* reduction = find_reduction(name)) {
    return call_reduction(e, context, call, span, *reduction);
  }
  Scope* home = nullptr;
  if (const syntax::Function* own = find_function(context.place.scope, name, &home)) {
    return call_user_function(e, context, call, span, *own, home);
  }
  if (!check_memory(e, context, call, span)) return {};
  if (name == "clamp") return call_clamp(e, context, call, span);
  if (name == "table") return call_table(e, context, call, span);
  if (name == "table2") return call_table2(e, context, call, span);
  if (name == "der") return call_der(e, context, call, span);
  if (name == "pre") return call_pre(e, context, call, span);
  if (name == "integral") return integral(e, context, call, span, next_integral_name(context));
  if (name == "mean" || name == "rms") return mean_of_run(e, context, call, span);
  if (name == "sign") return call_sign(e, context, call, span);
  if (name == "step") return call_step(e, context, call, span);
  if (name == "length") return call_length(e, context, call, span);
  if (name == "is_constant") return call_is_constant(e, context, call, span);
  if (name == "dot") return call_dot(e, context, call, span);
  if (is_clock(name)) return clock_function(e, context, call, span);
  if (is_event_function(name)) return call_event_function(e, context, call, span);
  report_unknown_function(e, context, call.function);
  return {};
}

Value reduce(Elaboration& e, const Context& context, const syntax::ReduceExpr& reduction,
             Span span) {
  const bool list = reduction.function.text.empty();
  const Reduction* function = find_reduction(reduction.function.text);
  if (function == nullptr && !list) {
    if (context.quiet) return {};
    e.report.add(Diagnostic("name.unknown-function",
                            reduction.function.text + " does not take a comprehension")
                     .at(reduction.function.span)
                     .help("use one of sum, product, min, max, any, all"),
                 context.place);
    return {};
  }
  if (!reduction.from || !reduction.to || !reduction.body) return {};
  auto from = constant_integer(e, context, *reduction.from, "the bound of a comprehension");
  auto to = constant_integer(e, context, *reduction.to, "the bound of a comprehension");
  if (!from || !to) return {};
  auto kind = !list && function->boolean ? Value::Kind::Boolean : Value::Kind::Number;
  std::vector<Value> terms;
  LoopMark mark(e, span);
  Turn turn{context.place.turn, reduction.variable.text, 0};
  Context inner = context;
  inner.place.turn = &turn;
  for (int64_t i = *from; i <= *to; ++i) {
    if (!e.spend(1, span, context.place)) return {};
    turn.value = i;
    Value term = evaluate(e, inner, *reduction.body);
    if (term.bad()) return {};
    if (!list && !is_of_kind(e, inner, term, kind, reduction.body->span, reduction.function.text)) {
      return {};
    }
    terms.push_back(std::move(term));
  }
  if (list) return Elaboration::list(std::move(terms));
  return fold(e, *function, std::move(terms));
}

}  // namespace cradle::model
