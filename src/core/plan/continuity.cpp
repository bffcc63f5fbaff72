#include "core/plan/continuity.hpp"

#include <unordered_map>
#include <utility>

namespace cradle::plan {

using expr::Op;

namespace {

bool is_zero(const model::Model& m, ExprId e) {
  return m.pool.is_constant(e) && m.pool.constant_value(e) == 0;
}

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
        if (is_zero(model_, node.b)) return a;  // an event that is filled up with zeros
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

// Can it be absent at all? What is always present is no event, unless it is one that is filled up
// with zeros: default(e, 0).
bool is_event(const model::Model& m, ExprId root) {
  std::vector<ExprId> work{root};
  std::vector<char> seen(m.signals.size(), 0);
  while (!work.empty()) {
    const expr::Node& node = m.pool[work.back()];
    work.pop_back();
    const auto ref = static_cast<std::size_t>(node.ref);
    if (node.op == Op::IsPresent) continue;
    if (node.op == Op::Default) {
      if (is_zero(m, node.b)) work.push_back(node.a);
      continue;
    }
    if (node.op == Op::When || node.op == Op::Absent || node.op == Op::Choice ||
        node.op == Op::Output) {
      return true;
    }
    if (node.op == Op::Signal) {
      if (m.signals[SignalId(ref)].may_be_absent) return true;
      if (!std::exchange(seen[ref], 1)) work.push_back(m.signals[SignalId(ref)].value);
    }
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (operand.valid()) work.push_back(operand);
    }
  }
  return false;
}

// Does it name an impulse, itself or by what it reads?
bool names_impulse(const model::Model& m, ExprId root) {
  std::vector<ExprId> work{root};
  std::vector<char> seen(m.pool.size(), 0);
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || std::exchange(seen[at(e)], 1)) continue;
    const expr::Node& node = m.pool[e];
    const auto ref = static_cast<std::size_t>(node.ref);
    if (expr::is_comparison(node.op) || node.op == Op::ImpulseOf || node.op == Op::FiniteOf)
      continue;
    if (node.op == Op::Omega) return true;
    if (node.op == Op::Signal) work.push_back(m.signals[SignalId(ref)].value);
    if (node.op == Op::Memory) work.push_back(m.memories[MemoryId(ref)].input);
    if (node.op == Op::Output) {
      for (const model::Output::Part& part : m.outputs[OutputId(ref)].parts) {
        work.push_back(part.value);
      }
    }
    for (ExprId operand : {node.a, node.b, node.c}) work.push_back(operand);
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
    const bool source = elements::is_source(element.kind);
    if (!source || m.pool.is_impulse_free(element.signal)) continue;
    if (!is_event(m, element.signal) || !at_zero.is_present(element.signal)) continue;
    // A source that is absent in some modes is not an impulse: only those that name one count.
    if (names_impulse(m, element.signal)) {
      out.push_back(describe("the source " + element.name, element.span));
    }
  }
  return out;
}

}  // namespace cradle::plan
