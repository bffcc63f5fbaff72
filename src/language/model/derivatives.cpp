// der(x): the time derivative of x while time flows. It is a signal of its own, whose value is made
// when everything is defined: what is differentiated may read names that are defined further down.
//
//   der(x) = Σ ∂x/∂leaf · d leaf/dt        (rates.hpp)
//
// What is frozen while time flows (modes, truths of comparisons, memories) counts as constant, so
// across a jump this is the derivative from the right, after the instant. A jump adds no impulse.

#include <unordered_set>

#include "language/model/expressions.hpp"
#include "language/model/rates.hpp"

namespace cradle::model {

using expr::Op;

namespace {

std::string next_name(const Context& context) {
  Owner* owner = context.owner;
  if (owner == nullptr || owner->name == nullptr) return "der";
  const int count = ++owner->derivatives;
  return *owner->name + ".der" + (count > 1 ? std::to_string(count) : std::string());
}

SignalId declare(Elaboration& e, const Context& context, ExprId of, Span span) {
  const auto [known, is_new] = e.derivative_of.try_emplace({of, context.place.scope}, SignalId());
  if (!is_new) return known->second;
  Signal signal;
  signal.name = next_name(context);
  signal.span = span;
  signal.region = context.place.scope->region;
  SignalSource source;
  source.place = context.place;
  source.type = expr::Type::Number;
  source.is_item = true;  // nothing else defines it
  source.scope = context.place.scope;
  const SignalId id = e.model.signals.add(std::move(signal));
  e.signal_sources.push_back(std::move(source));
  e.derivatives.push_back({id, of, span, context.place});
  return known->second = id;
}

class Definer {
 public:
  explicit Definer(Elaboration& e)
      : e_(e), pool_(e.model.pool), absent_(absent_while_time_flows(e)) {
    rates_.silence([this](ExprId leaf) { return is_event(leaf); });
    for (ExprId wrap : e.region_wraps) modes_.insert(pool_[wrap].b);
    for (std::size_t i = 0; i < e.derivatives.size(); ++i) waiting_[e.derivatives[i].signal] = i;
    done_.assign(e.derivatives.size(), State::Waiting);
  }

  void run() {
    for (std::size_t i = 0; i < done_.size(); ++i) define(i, 0);
  }

 private:
  enum class State { Waiting, Open, Done };
  static constexpr int kMaxDepth = 200;

  void define(std::size_t i, int depth) {
    if (done_[i] == State::Done) return;
    const Derivative& own = e_.derivatives[i];
    done_[i] = State::Open;
    ExprId value = pool_.constant(0);
    if (can_be_read(own, depth)) {
      const Rate rate = rates_.of(own.of);
      if (!rate.expr) {
        report_unknown(own, rate.obstacle);
      } else if (rate.expr->valid()) {
        value =
            pool_.is_impulse_free(*rate.expr) ? *rate.expr : pool_.unary(Op::FiniteOf, *rate.expr);
      }
    }
    note_wraps(value);
    e_.model.signals[own.signal].value = value;
    done_[i] = State::Done;
  }

  // It is no event, and everything that it reads is defined, other derivatives among it.
  bool can_be_read(const Derivative& own, int depth) {
    if (is_event(own.of)) return report_event(own), false;
    std::unordered_set<ExprId> seen{own.of};
    for (std::vector<ExprId> open{own.of}; !open.empty();) {
      const ExprId at_hand = open.back();
      open.pop_back();
      for (ExprId leaf : pool_.leaves(at_hand)) {
        const expr::Node node = pool_[leaf];
        if (node.op != Op::Signal) continue;
        const SignalId read(at(node.ref));
        if (!settle(own, read, depth)) return false;
        const ExprId value = e_.model.signals[read].value;
        if (!value.valid()) return false;  // reported where it is defined
        if (seen.insert(value).second) open.push_back(value);
      }
    }
    return true;
  }
  bool settle(const Derivative& own, SignalId read, int depth) {
    const auto found = waiting_.find(read);
    if (found == waiting_.end() || done_[found->second] == State::Done) return true;
    if (done_[found->second] == State::Open || depth >= kMaxDepth) return report_loop(own), false;
    define(found->second, depth + 1);
    return true;
  }
  // It is always absent while time flows.
  bool is_event(ExprId id) const { return at(id) < absent_.size() && absent_[at(id)]; }

  // What a mode defines is there inside it, and so is its derivative.
  void note_wraps(ExprId value) {
    for (ExprId id : pool_.below(value)) {
      if (pool_[id].op == Op::When && modes_.contains(pool_[id].b)) e_.region_wraps.insert(id);
    }
  }

  void report(const Derivative& own, Diagnostic diagnostic, const std::string& help) {
    e_.report.add(diagnostic.at(own.span)
                      .rule("der(x) exists where x follows from states, time and parameters")
                      .help(help),
                  own.place);
  }
  void report_unknown(const Derivative& own, const std::string& obstacle) {
    report(own,
           Diagnostic("der.unknown", "the derivative of " + e_.report.source_text(argument(own)) +
                                         " is not known: it reads " + obstacle),
           "differentiate what a store or a source gives, or say by a state how fast it follows");
  }
  void report_event(const Derivative& own) {
    report(own,
           Diagnostic("der.event", e_.report.source_text(argument(own)) +
                                       " is an event, which has no derivative"),
           "differentiate what is there while time flows");
  }
  void report_loop(const Derivative& own) {
    report(own,
           Diagnostic("der.loop",
                      "this derivative is that of itself, or of a chain that is "
                      "too long"),
           "let a state stand between: integral(…)");
  }
  // Behind `der(`, before `)`.
  Span argument(const Derivative& own) const {
    return {own.span.file, own.span.begin + 4, own.span.end - 1};
  }

  Elaboration& e_;
  expr::Pool& pool_;
  const std::vector<bool> absent_;  // while time flows, by node
  Rates rates_{e_.model, Rates::Powers::Followed};
  std::unordered_set<ExprId> modes_;  // what is true while a mode is active
  std::unordered_map<SignalId, std::size_t> waiting_;
  std::vector<State> done_;
};

}  // namespace

Value call_der(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  std::vector<const syntax::Expr*> arguments;
  if (!match_arguments(e, context, call, span, {"x"}, 1, arguments)) return {};
  const Value whole = evaluate(e, context, *arguments[0]);
  return item_by_item({whole}, [&](const std::vector<Value>& items) -> Value {
    const Value& x = items[0];
    if (!is_of_kind(e, context, x, Value::Kind::Number, arguments[0]->span, "der")) return {};
    if (x.constant || context.quiet) return Value::number(0);
    if (!e.room_for_things(span, context.place)) return {};
    const SignalId id = declare(e, context, e.node(x), span);
    return e.value(e.model.pool.leaf(Op::Signal, id.index, 0, expr::Type::Number));
  });
}

void define_derivatives(Elaboration& e) {
  if (!e.report.has_errors()) Definer(e).run();
}

}  // namespace cradle::model
