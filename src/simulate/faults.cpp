// What a run says when it cannot go on: in the user's names, with the rule and a way out.

#include <algorithm>

#include "causality/causality.hpp"
#include "compile/describe.hpp"
#include "compile/loops.hpp"
#include "expr/pool.hpp"
#include "simulate/engine.hpp"

namespace cradle::simulate {

namespace {

using compile::join;

}  // namespace

// {F13 on, F23 off} of the given automata, or of all when none are given.
std::string Engine::mode_of(const std::vector<AutomatonId>& automata) const {
  const model::Model& m = system_.model();
  std::vector<std::string> parts;
  auto add = [&](AutomatonId a) {
    parts.push_back(m.automata[a].name + " " +
                    m.automata[a].states[static_cast<std::size_t>(runtime_.mode[at(a)])]);
  };
  if (automata.empty()) {
    for (std::size_t a = 0; a < m.automata.size(); ++a) add(AutomatonId(a));
  } else {
    for (AutomatonId a : automata) add(a);
  }
  return "{" + join(parts, ", ", 12) + "}";
}

RunFault Engine::describe(const compile::IslandFault& fault) const {
  const model::Model& m = system_.model();
  // Where SCAP sees a conflict, it tells more: who sets what twice.
  const causality::Assignment assignment = causality::assign_causality(m, runtime_.mode);
  Diagnostic d =
      !assignment.conflicts.empty() && fault.kind == compile::IslandFault::Kind::NoSolution
          ? causality::describe_conflict(m, assignment.conflicts[0], "")
          : compile::describe(m, fault);
  d.message += " at " + to_string(now_);
  if (!m.automata.empty()) d.note("mode", mode_of({}));
  return {Ending::ModelError, d};
}

RunFault Engine::describe(const LoopFault& fault) const {
  const model::Model& m = system_.model();
  const std::string when = " at " + to_string(now_);
  if (fault.bonds.empty()) {
    return {Ending::ModelError, compile::describe_loop(m, fault.signals, when)};
  }
  // Through a bond graph: the signals on the way, and the bonds whose efforts or flows they set.
  Diagnostic d("constructive.loop",
               "a source needs the efforts or flows that it determines itself" + when);
  std::vector<std::string> signals, bonds;
  for (SignalId s : fault.signals) {
    d.at(m.signals[s].span, "depends on the bond graph and sets it");
    signals.push_back(m.signals[s].name);
  }
  for (BondId b : fault.bonds) bonds.push_back(m.bonds[b].name);
  if (signals.empty()) d.at(m.bonds[fault.bonds[0]].span);
  if (!signals.empty()) d.note("loop", join(signals, " → ", 20) + " → the bond graph");
  d.note("bonds", join(bonds));
  d.rule("a signal must be computable from what is known before it");
  d.help("put an integral or a pre on the loop, or write the law as an element (R, TF, GY)");
  return {Ending::ModelError, d};
}

RunFault Engine::describe(const compile::ArithmeticFault& fault) const {
  Diagnostic d("value.impulse", std::string("'") + std::string(expr::name(fault.op)) +
                                    "' has no answer on impulses: " + to_string(fault.left) +
                                    " and " + to_string(fault.right) + " at " + to_string(now_));
  if (fault.left == fault.right) {
    d.message = std::string("'") + std::string(expr::name(fault.op)) +
                "' has no answer on an impulse: " + to_string(fault.left) + " at " +
                to_string(now_);
  }
  d.rule("a product or quotient that needs ω² or more, or a function of an impulse, has no value");
  d.help("take impulse(x) or finite(x) first");
  if (!runtime_.mode.empty()) d.note("mode", mode_of({}));
  return {Ending::ModelError, d};
}

RunFault Engine::mode_cycle(const std::vector<std::vector<Move>>& trail, std::size_t from) const {
  const model::Model& m = system_.model();
  Diagnostic d("run.mode-cycle", "no consistent mode at " + to_string(now_));
  std::vector<AutomatonId> moving;
  for (std::size_t i = from; i < trail.size(); ++i) {
    for (const Move& move : trail[i]) moving.push_back(move.automaton);
  }
  std::sort(moving.begin(), moving.end());
  moving.erase(std::unique(moving.begin(), moving.end()), moving.end());
  // The cycle ends in the mode that it began with: walk it from there.
  std::vector<int> states;
  for (AutomatonId a : moving) states.push_back(runtime_.mode[at(a)]);
  auto text = [&] {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const model::Automaton& a = m.automata[moving[i]];
      parts.push_back(a.name + " " + a.states[static_cast<std::size_t>(states[i])]);
    }
    return "{" + join(parts) + "}";
  };
  std::vector<std::string> cycle{text()};
  std::vector<std::pair<int32_t, int>> said;
  for (std::size_t i = from; i < trail.size(); ++i) {
    for (const Move& move : trail[i]) {
      const model::Transition& t =
          m.automata[move.automaton].transitions[static_cast<std::size_t>(move.transition)];
      if (std::find(said.begin(), said.end(), std::pair(move.automaton.index, move.transition)) ==
          said.end()) {
        d.at(t.guard_span, "true in " + text());
        said.emplace_back(move.automaton.index, move.transition);
      }
      auto index = std::lower_bound(moving.begin(), moving.end(), move.automaton) - moving.begin();
      states[static_cast<std::size_t>(index)] = t.to;
    }
    cycle.push_back(text());
  }
  d.note("cycle", join(cycle, " → ", 20));
  d.rule("mythical modes leave the state unchanged, so this never ends");
  d.help(
      "make the guards exclusive, restore the storage or dissipation that was abstracted away, "
      "or mark contacts that open and close `after eps`");
  return {Ending::ModelError, d};
}

// Who keeps moving, by which guards, and in which order; if no automaton does, which relations keep
// changing.
void Engine::add_pattern(Diagnostic& d) const {
  const model::Model& m = system_.model();
  std::vector<std::string> pattern;
  std::vector<std::pair<int32_t, int>> said;
  for (const Move& move : last_moves_) {
    const model::Automaton& a = m.automata[move.automaton];
    const model::Transition& t = a.transitions[static_cast<std::size_t>(move.transition)];
    const std::string& to = a.states[static_cast<std::size_t>(t.to)];
    pattern.push_back(a.name + " " + to);
    if (std::find(said.begin(), said.end(), std::pair(move.automaton.index, move.transition)) !=
        said.end()) {
      continue;
    }
    said.emplace_back(move.automaton.index, move.transition);
    d.at(t.guard_span, "takes " + a.name + " to " + to);
  }
  if (!pattern.empty()) {
    d.note("pattern", "… → " + join(pattern, " → ", kRemembered));
    return;
  }
  std::vector<std::string> relations;
  for (RelationId r : last_relations_) {
    const std::string text = compile::describe(m, system_.relations()[r].expr);
    if (std::find(relations.begin(), relations.end(), text) == relations.end()) {
      relations.push_back(text);
    }
  }
  if (!relations.empty()) d.note("pattern", "these keep changing: " + join(relations, "; "));
}

RunFault Engine::bound_reached(const char* option, int64_t limit, const char* what) const {
  Diagnostic d("run.bound",
               std::string(what) + ": " + std::to_string(limit) + " reached at " + to_string(now_));
  // Many steps of the solver are no matter of events.
  if (std::string_view(option) != "--max-steps") add_pattern(d);
  if (!runtime_.mode.empty()) d.note("mode", mode_of({}));
  d.rule(std::string("every loop is bounded; this bound is ") + option);
  d.help(std::string("look at `instants` just before; make the guards differ (a hysteresis), or "
                     "raise ") +
         option);
  return {Ending::BoundReached, d};
}

RunFault Engine::accumulation(const Accumulation& found) const {
  const model::Automaton& a = system_.model().automata[found.automaton];
  Diagnostic d("run.accumulation",
               "the events of " + a.name + " accumulate at t = " + format_number(found.limit));
  d.at(a.span, "each interval is " + format_number(std::round(found.ratio * 1e6) / 1e6) +
                   " times the one before");
  d.note("last", "interval " + format_number(found.interval) + " before " + to_string(now_));
  d.rule("infinitely many events before a time that is therefore never reached (Zeno)");
  d.help("add a mode for what happens beyond: a contact that stays closed below a small speed");
  return {Ending::Accumulation, d};
}

RunFault Engine::impulse_on_resistor(const Slot& slot, ElementId resistor, double p,
                                     double q) const {
  const model::Model& m = system_.model();
  const std::string& name = m.elements[resistor].name;
  Diagnostic d("mode.impulse-on-resistor",
               "an impulse is forced upon resistor " + name + " at " + to_string(now_));
  const bool effort = std::abs(p) >= std::abs(q);
  d.at(m.elements[resistor].span,
       (effort ? "its effort would have weight " : "its flow would have weight ") +
           format_number(effort ? p : q));
  for (int e : slot.island->impulsive_sources()) {
    const double weight = slot.weights[static_cast<std::size_t>(e)];
    if (weight == 0) continue;
    const ElementId source = slot.island->equations()[static_cast<std::size_t>(e)].element;
    d.at(m.elements[source].span,
         m.elements[source].name + " has an impulse of weight " + format_number(weight));
  }
  if (!m.automata.empty()) d.note("mode", mode_of({}));
  d.rule("a resistor is too slow to take part in a jump: p′ = q′ = 0");
  d.help(
      "let a store take the impulse: an I in series for an effort, a C in parallel for a flow; or "
      "give the source a finite pulse");
  return {Ending::ModelError, d};
}

RunFault Engine::ambiguous(AutomatonId automaton, const std::vector<int>& transitions) const {
  const model::Automaton& a = system_.model().automata[automaton];
  Diagnostic d("choice.open", std::to_string(transitions.size()) + " transitions of " + a.name +
                                  " are enabled at " + to_string(now_));
  for (int t : transitions) {
    const model::Transition& transition = a.transitions[static_cast<std::size_t>(t)];
    d.at(transition.guard_span, "true, to " + a.states[static_cast<std::size_t>(transition.to)]);
  }
  d.rule("a run needs one way to go");
  d.help("make the guards exclusive, or declare an order: `priority 1` before `when`");
  return {Ending::ModelError, d};
}

void Engine::report_created(double amount, const std::vector<JunctionId>& switched) {
  const model::Model& m = system_.model();
  Diagnostic d("energy.created",
               "a jump at " + to_string(now_) + " creates " + format_number(amount) + " of energy");
  for (JunctionId j : switched) d.at(m.junctions[j].span, m.junctions[j].name + " switches here");
  d.rule("stores gain no more in a jump than sources supply");
  d.help("look at the sources that act in the jump: a restitution above 1, a source that steps");
  warn(std::move(d));
}

// Once for each column: a number that is none spreads to all that reads it, and no guard sees it.
void Engine::warn_undefined(std::size_t column, const Instant& at) {
  if (std::exchange(undefined_[column], 1) != 0) return;
  const std::string& name = columns_[column].name;
  Diagnostic d("value.undefined", name + " is not a number at " + to_string(at));
  for (const model::Signal& signal : system_.model().signals) {
    if (signal.name == name) d.at(signal.span);
  }
  d.rule("a comparison with what is not a number is false");
  d.help("look for 0 / 0, or the root or logarithm of a negative number, in what it reads");
  warn(std::move(d));
}

void Engine::warn(Diagnostic diagnostic) {
  constexpr std::size_t kMostWarnings = 20;
  diagnostic.warning();
  if (outcome_.diagnostics.size() < kMostWarnings) {
    outcome_.diagnostics.push_back(std::move(diagnostic));
  }
}

}  // namespace cradle::simulate
