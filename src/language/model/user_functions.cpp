// Functions of a model: function area(d) = pi / 4 * d^2. A call is the body with the arguments put
// in, so that nothing that runs knows of functions. They are pure: a body reads its arguments and
// parameters, and keeps nothing.

#include "language/model/expressions.hpp"
#include "language/model/walk.hpp"

namespace cradle::model {

const Value* Bound::find(std::string_view name) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (function->parameters[i].text == name) return &values[i];
  }
  return nullptr;
}

const syntax::Function* find_function(const Scope* scope, std::string_view name, Scope** home) {
  for (; scope != nullptr; scope = scope->outer) {
    if (scope->component == nullptr) continue;
    const auto found = scope->component->functions.find(name);
    if (found == scope->component->functions.end()) continue;
    *home = const_cast<Scope*>(scope);
    return found->second;
  }
  return nullptr;
}

namespace {

bool report_recursion(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                      Span span, const syntax::Function& function) {
  const Bound* within = context.bound;
  while (within != nullptr && within->function != &function) within = within->outer;
  if (within == nullptr) return false;
  if (context.quiet || e.report.said("function.recursion", span)) return true;
  e.report.add(Diagnostic("function.recursion", "function " + call.function.text + " calls itself")
                   .at(span, "called here")
                   .at(function.name.span, "in its own body")
                   .rule("a call is replaced by the body of the function, which would never end")
                   .help("write a sum or product over a range: sum(f(i) for i in 1..N)"),
               context.place);
  return true;
}

// What the body reads besides its arguments are parameters.
bool is_pure(Elaboration& e, const Context& context, const syntax::Function& function,
             const Scope& home) {
  std::string culprit;
  const auto is_argument = [&](std::string_view name) {
    for (const syntax::Name& argument : function.parameters) {
      if (argument.text == name) return true;
    }
    return false;
  };
  for_each_name(
      *function.value,
      [&](std::string_view name) {
        if (!culprit.empty() || is_argument(name)) return;
        if (is_constant_of_nature(name)) {
          if (name != "pi" && name != "inf") culprit = name;
          return;
        }
        for (const Scope* scope = &home; scope != nullptr; scope = scope->outer) {
          if (!scope->component->declared.contains(name)) continue;
          if (scope->component->find_parameter(name) < 0) culprit = name;
          return;
        }
      },
      [&](std::string_view called) {
        if (culprit.empty() && is_function_of_run(called)) culprit = called;
      });
  if (culprit.empty()) return true;
  if (context.quiet || e.report.said("function.impure", function.name.span)) return false;
  e.report.add(Diagnostic("function.impure", "function " + function.name.text + " reads " +
                                                 culprit + ", which is none of its arguments")
                   .at(function.value->span)
                   .rule("a function is computed from its arguments and from parameters")
                   .help("give it as an argument: function " + function.name.text + "(…, " +
                         culprit + ") = …"));
  return false;
}

}  // namespace

Value call_user_function(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                         Span span, const syntax::Function& function, Scope* home) {
  if (!function.value || report_recursion(e, context, call, span, function)) return {};
  if (!is_pure(e, context, function, *home)) return {};
  std::vector<std::string_view> names;
  for (const syntax::Name& name : function.parameters) names.emplace_back(name.text);
  std::vector<const syntax::Expr*> arguments;
  if (!match_arguments(e, context, call, span, names, names.size(), arguments)) return {};
  Bound bound{context.bound, &function, {}};
  for (const syntax::Expr* argument : arguments) {
    bound.values.push_back(evaluate(e, context, *argument));
    if (bound.values.back().bad()) return {};
  }
  Context inner = context;
  inner.place = {home, nullptr};
  inner.locals = nullptr;
  inner.bound = &bound;
  return evaluate(e, inner, *function.value);
}

}  // namespace cradle::model
