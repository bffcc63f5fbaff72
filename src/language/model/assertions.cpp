// assert always, assert never: what a run is held against. They are read behind everything else and
// make nothing new, so that a model runs the same with them and without.

#include <algorithm>

#include "language/model/looking.hpp"
#include "language/model/walk.hpp"

namespace cradle::model {

namespace {

// While its mode is active, if it stands in one.
ExprId holds_wherever(Elaboration& e, const Assertion& assertion) {
  expr::Pool& pool = e.model.pool;
  const ExprId holds =
      assertion.never ? pool.unary(expr::Op::Not, assertion.condition) : assertion.condition;
  if (!assertion.region.valid()) return holds;
  const ExprId idle = pool.unary(expr::Op::Not, e.active(assertion.region));
  return pool.binary(expr::Op::Or, idle, holds);
}

// What the condition reads, by the names that it has there, each once.
std::vector<Column> reads_of(Elaboration& e, const Context& context,
                             const syntax::Expr& condition) {
  std::vector<Column> out;
  for_each_path(condition, [&](const syntax::Path& path) {
    const std::string name = path_name(e, context, path);
    const auto is_known = [&](const Column& other) { return other.name == name; };
    if (name.empty() || name == "time" || std::any_of(out.begin(), out.end(), is_known)) return;
    const Value value = read_path(e, context, path);
    if (value.bad() || value.kind == Value::Kind::List) return;
    if (const ExprId node = e.node(value); node.valid() && !e.model.pool.is_constant(node)) {
      out.push_back({name, node});
    }
  });
  return out;
}

void define(Elaboration& e, const AssertionSource& source) {
  if (!source.syntax->condition) return;
  const syntax::Expr& condition = *source.syntax->condition;
  const std::string word = source.syntax->never ? "never" : "always";
  const std::string user = "assert " + word;
  const Scope& scope = *source.place.scope;
  Owner owner{&user, condition.span};
  Context context(source.place);
  context.owner = &owner;
  const Value value = evaluate_looking(e, context, condition, "assert", "seen", user + " seen");
  if (value.bad()) return;
  Assertion assertion;
  assertion.condition =
      expect(e, context, value, Value::Kind::Boolean, condition.span, "the condition of " + user);
  if (!assertion.condition.valid()) return;
  assertion.text = word + " " + e.report.source_text(condition.span);
  assertion.message = source.syntax->message;
  assertion.span = condition.span;
  assertion.never = source.syntax->never;
  assertion.region = scope.region;
  if (!scope.prefix.empty()) assertion.inside = scope.prefix.substr(0, scope.prefix.size() - 1);
  assertion.reads = reads_of(e, context, condition);
  assertion.holds = holds_wherever(e, assertion);
  e.model.assertions.push_back(std::move(assertion));
}

}  // namespace

void define_assertions(Elaboration& e) {
  for (const AssertionSource& source : e.assertions) {
    if (e.stopped) return;
    define(e, source);
  }
}

}  // namespace cradle::model
