#include "compile/continuity.hpp"

#include <unordered_map>

namespace cradle::compile {

using expr::Op;

namespace {

// May an expression be present at microstep 0, and (of booleans) be true there? Events of delays,
// crossings and schedules are not present.
class AtZero {
 public:
  explicit AtZero(const model::Model& model) : model_(model), signals_(model.signals.size()) {
    // The least answer that agrees with itself: a circle of events alone never begins.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < signals_.size(); ++i) {
        const Fact fact = of(model.signals[SignalId(i)].value);
        changed |= fact != signals_[i];
        signals_[i] = fact;
      }
    }
  }

  bool is_present(ExprId root) const { return of(root).present; }

 private:
  struct Fact {
    bool present = false, holds = false;
    bool operator==(const Fact&) const = default;
  };
  using Memo = std::unordered_map<ExprId, Fact>;

  Fact of(ExprId root) const {
    Memo memo;
    for (ExprId e : model_.pool.below(root)) memo[e] = of(model_.pool[e], memo);
    return memo.at(root);
  }

  Fact of(const expr::Node& node, const Memo& memo) const {
    auto operand = [&](ExprId e) { return e.valid() ? memo.at(e) : Fact{true, true}; };
    const Fact a = operand(node.a), b = operand(node.b), c = operand(node.c);
    const auto ref = static_cast<std::size_t>(node.ref);
    switch (node.op) {
      case Op::Constant:
        return {true, node.type == expr::Type::Number || node.value != 0};
      case Op::Absent:
        return {};
      case Op::Memory: {
        const bool lasts = model_.memories[MemoryId(ref)].lasts();
        return {lasts, lasts};
      }
      case Op::Output: {
        Fact any;
        const model::Output& output = model_.outputs[OutputId(ref)];
        for (const model::Output::Part& part : output.parts) {
          const Fact value = of(part.value);
          const auto& transitions = model_.automata[output.automaton].transitions;
          const Fact guard = of(transitions[static_cast<std::size_t>(part.transition)].guard);
          any.present |= value.present && guard.holds;
          any.holds |= value.holds && guard.holds;
        }
        return any;
      }
      case Op::Signal:
        return signals_[ref];
      case Op::IsPresent:
        return {true, a.present};
      case Op::Default:
        return {a.present || b.present, a.holds || b.holds};
      case Op::When:
        return {a.present && b.holds, a.holds && b.holds};
      case Op::If:
        return {a.present && (b.present || c.present), a.present && (b.holds || c.holds)};
      case Op::And:
        return {a.present || b.present, a.holds && b.holds};
      case Op::Or:
        return {a.present || b.present, a.holds || b.holds};
      default: {
        const bool present = a.present && b.present && c.present;
        return {present, present};
      }
    }
  }

  const model::Model& model_;
  std::vector<Fact> signals_;
};

// Can it be absent at all? What is always present is no event.
bool is_event(const model::Model& m, ExprId root) {
  std::vector<ExprId> work{root};
  while (!work.empty()) {
    const expr::Node& node = m.pool[work.back()];
    work.pop_back();
    const auto ref = static_cast<std::size_t>(node.ref);
    if (node.op == Op::Default || node.op == Op::IsPresent) continue;
    if (node.op == Op::When || node.op == Op::Absent || node.op == Op::Choice ||
        node.op == Op::Output) {
      return true;
    }
    if (node.op == Op::Signal && m.signals[SignalId(ref)].may_be_absent) return true;
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (operand.valid()) work.push_back(operand);
    }
  }
  return false;
}

Diagnostic describe(const std::string& what, const Span& span) {
  Diagnostic d("signal.not-piecewise-continuous",
               "an event may act on " + what + " at microstep 0");
  d.warning();
  d.at(span, "the event is present as soon as its condition holds");
  d.rule("what a solver sees at microstep 0 is the value just before; events come later");
  d.help("put a delay around it, or take it from an event, a clock or a crossing");
  return d;
}

}  // namespace

std::vector<Diagnostic> find_discontinuities(const model::Model& m) {
  std::vector<Diagnostic> out;
  const AtZero at_zero(m);
  for (const model::State& state : m.states) {
    if (!state.impulse.valid() || !is_event(m, state.impulse)) continue;
    if (at_zero.is_present(state.impulse))
      out.push_back(describe("the integral " + state.name, state.span));
  }
  for (const model::Element& element : m.elements) {
    const bool source = element.kind == elements::Kind::Se || element.kind == elements::Kind::Sf;
    if (!source || m.pool.is_impulse_free(element.signal)) continue;
    if (!is_event(m, element.signal) || !at_zero.is_present(element.signal)) continue;
    // A source that is absent in some modes is not an impulse: only those that name one count.
    const std::vector<ExprId> leaves = m.pool.leaves(element.signal);
    bool names_omega = false;
    for (ExprId leaf : leaves) names_omega |= m.pool[leaf].op == Op::Omega;
    if (names_omega) out.push_back(describe("the source " + element.name, element.span));
  }
  return out;
}

}  // namespace cradle::compile
