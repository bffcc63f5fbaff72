#include "core/engine/faults.hpp"

#include <algorithm>

#include "core/engine/transitions.hpp"
#include "core/plan/describe.hpp"
#include "core/plan/loops.hpp"
#include "language/expr/pool.hpp"
#include "theory/causality/causality.hpp"

namespace cradle::engine {

namespace {

using plan::join;

constexpr std::size_t kRemembered = Transitions::kRemembered;

Diagnostic describe_unknown(const Runtime& runtime, const LoopFault& fault,
                            const InstantEvaluator& inside, const std::string& when);

}  // namespace

// {F13 on, F23 off} of the given automata, or of all when none are given.
std::string mode_of(const Runtime& runtime, const std::vector<AutomatonId>& automata) {
  const model::Model& m = runtime.system.model();
  std::vector<std::string> parts;
  auto add = [&](AutomatonId a) {
    parts.push_back(m.automata[a].name + " " +
                    m.automata[a].states[static_cast<std::size_t>(runtime.state.mode[at(a)])]);
  };
  if (automata.empty()) {
    for (std::size_t a = 0; a < m.automata.size(); ++a) add(AutomatonId(a));
  } else {
    for (AutomatonId a : automata) add(a);
  }
  return "{" + join(parts, ", ", 12) + "}";
}

RunFault describe(const Runtime& runtime, const plan::IslandFault& fault) {
  const model::Model& m = runtime.system.model();
  // Where SCAP sees a conflict, it tells more: who sets what twice.
  const causality::Assignment assignment = causality::assign_causality(m, runtime.state.mode);
  Diagnostic d = !assignment.conflicts.empty() && fault.kind == plan::IslandFault::Kind::NoSolution
                     ? causality::describe_conflict(m, assignment.conflicts[0], "")
                     : plan::describe(m, fault);
  d.message += " at " + to_string(runtime.state.at);
  if (!m.automata.empty()) d.note("mode", mode_of(runtime, {}));
  return {Ending::ModelError, d};
}

RunFault describe(const Runtime& runtime, const LoopFault& fault, const InstantEvaluator& inside) {
  const model::Model& m = runtime.system.model();
  const std::string when = " at " + to_string(runtime.state.at);
  if (fault.bonds.empty())
    return {Ending::ModelError, describe_unknown(runtime, fault, inside, when)};
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

namespace {

// Signals that stayed unknown: one loop among them, and what is known of what it reads.
Diagnostic describe_unknown(const Runtime& runtime, const LoopFault& fault,
                            const InstantEvaluator& inside, const std::string& when) {
  const model::Model& m = runtime.system.model();
  Diagnostic d = plan::describe_loop(m, plan::order_loop(m, fault.signals), when);
  std::vector<std::string> known;
  for (SignalId id : fault.signals) {
    for (ExprId leaf : m.pool.leaves(m.signals[id].value)) {
      if (m.pool[leaf].op != expr::Op::Signal) continue;
      const SignalId read(static_cast<std::size_t>(m.pool[leaf].ref));
      const plan::Value value = inside.known(read);
      if (value.is_unknown()) continue;
      known.push_back(m.signals[read].name +
                      (value.is_absent() ? " absent" : " = " + to_string(value)));
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  if (!known.empty()) d.note("known", join(known, ", ", 12));
  return d;
}

}  // namespace

// Where something that it reads was declared.
Span place_of(const model::Model& m, ExprId expr) {
  for (ExprId leaf : m.pool.leaves(expr)) {
    const auto ref = static_cast<std::size_t>(m.pool[leaf].ref);
    switch (m.pool[leaf].op) {
      case expr::Op::Signal:
        return m.signals[SignalId(ref)].span;
      case expr::Op::State:
        return m.states[StateId(ref)].span;
      case expr::Op::Effort:
      case expr::Op::Flow:
        return m.bonds[BondId(ref)].span;
      default:
        break;
    }
  }
  return {};
}

namespace {

Diagnostic describe_impulse(const Runtime& runtime, const BlamedFault& blamed) {
  const plan::ArithmeticFault& fault = blamed.fault;
  const std::string op = "'" + std::string(expr::name(fault.op)) + "'";
  const std::string at = " at " + to_string(runtime.state.at);
  Diagnostic d("value.impulse", op + " has no answer on impulses: " + to_string(fault.left) +
                                    " and " + to_string(fault.right) + at);
  if (fault.left == fault.right) {
    d.message = op + " has no answer on an impulse: " + to_string(fault.left) + at;
  }
  if (fault.signal.valid()) {
    const model::Signal& signal = runtime.system.model().signals[fault.signal];
    d.at(signal.span, "in " + signal.name);
  } else if (!blamed.what.empty()) {
    if (blamed.span.known()) d.at(blamed.span);
    d.note("in", blamed.what);
  }
  d.rule("a product or quotient that needs ω² or more, or a function of an impulse, has no value");
  d.help("take impulse(x) or finite(x) first");
  if (!runtime.state.mode.empty()) d.note("mode", mode_of(runtime, {}));
  return d;
}

}  // namespace

RunFault describe(const Runtime& runtime, const BlamedFault& blamed) {
  return {Ending::ModelError, describe_impulse(runtime, blamed)};
}

Diagnostic column_without_value(const Runtime& runtime, const BlamedFault& blamed) {
  Diagnostic d = describe_impulse(runtime, blamed);
  d.message += ": the column " + blamed.what + " has no value there";
  return d;
}

RunFault mode_cycle(const Runtime& runtime, const Pile<Move>& trail, std::size_t from) {
  const model::Model& m = runtime.system.model();
  Diagnostic d("run.mode-cycle", "no consistent mode at " + to_string(runtime.state.at));
  std::vector<AutomatonId> moving;
  for (std::size_t i = from; i < trail.size(); ++i) {
    for (const Move& move : trail[i]) moving.push_back(move.automaton);
  }
  std::sort(moving.begin(), moving.end());
  moving.erase(std::unique(moving.begin(), moving.end()), moving.end());
  // The cycle ends in the mode that it began with: walk it from there.
  std::vector<int> states;
  states.reserve(moving.size());
  for (AutomatonId a : moving) states.push_back(runtime.state.mode[at(a)]);
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

// Who keeps moving, by which guards, and in which order; if no automaton does, which comparisons
// keep changing.
static void add_pattern(const Runtime& runtime, Diagnostic& d) {
  const model::Model& m = runtime.system.model();
  std::vector<std::string> pattern;
  std::vector<std::pair<int32_t, int>> said;
  for (const Move& move : runtime.state.last_moves) {
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
  std::vector<std::string> comparisons;
  for (ComparisonId r : runtime.state.last_comparisons) {
    const std::string text = plan::describe(m, runtime.system.comparisons()[r].expr);
    if (std::find(comparisons.begin(), comparisons.end(), text) == comparisons.end()) {
      comparisons.push_back(text);
    }
  }
  if (!comparisons.empty()) d.note("pattern", "these keep changing: " + join(comparisons, "; "));
}

RunFault too_many_rows(const Runtime& runtime, std::size_t rows) {
  Diagnostic d("run.rows", "as many rows as can be kept are recorded at " +
                               to_string(runtime.state.at) + ": " + std::to_string(rows));
  d.rule("every list is bounded; this bound is --max-rows");
  d.help("record less (--select, a coarser --every), end earlier (--until), or raise --max-rows");
  return {Ending::BoundReached, d};
}

RunFault bound_reached(const Runtime& runtime, const char* option, int64_t limit,
                       const char* what) {
  Diagnostic d("run.bound", std::string(what) + ": " + std::to_string(limit) + " reached at " +
                                to_string(runtime.state.at));
  // Many steps of the solver are no matter of events.
  if (std::string_view(option) != "--max-steps") add_pattern(runtime, d);
  if (!runtime.state.mode.empty()) d.note("mode", mode_of(runtime, {}));
  d.rule(std::string("every loop is bounded; this bound is ") + option);
  d.help(std::string("look at `instants` just before; make the guards differ (a hysteresis), or "
                     "raise ") +
         option);
  return {Ending::BoundReached, d};
}

Diagnostic accumulation(const Runtime& runtime, const Accumulation& found) {
  const model::Model& m = runtime.system.model();
  const bool is_automaton = found.source < m.automata.size();
  const std::size_t memory = found.source - m.automata.size();
  const std::string name =
      is_automaton ? m.automata[AutomatonId(found.source)].name : m.memories[MemoryId(memory)].name;
  const Span span =
      is_automaton ? m.automata[AutomatonId(found.source)].span : m.memories[MemoryId(memory)].span;
  Diagnostic d("run.accumulation",
               "the events of " + name + " accumulate at t = " + format_number(found.limit));
  d.at(span, found.ratio < 1
                 ? "each interval is " + format_number(std::round(found.ratio * 1e6) / 1e6) +
                       " times the one before"
                 : "the n-th interval shrinks like n^-" +
                       format_number(std::round(found.exponent * 1e3) / 1e3));
  d.note("last",
         "interval " + format_number(found.interval) + " before " + to_string(runtime.state.at));
  d.rule("infinitely many events before a time that is therefore never reached (Zeno)");
  if (runtime.options.zeno == ZenoPolicy::Stop) {
    d.help("add a mode for what happens beyond: a contact that stays closed below a small speed");
    d.help("or ask for --zeno report, which stops watching " + name +
           " until that time has passed");
  } else {
    d.warning();
    d.help("beyond, the run goes on as if there had been no further events");
  }
  return d;
}

RunFault impulse_on_resistor(const Runtime& runtime, const Slot& slot,
                             std::span<const double> weights, ElementId resistor, double p,
                             double q) {
  const model::Model& m = runtime.system.model();
  const std::string& name = m.elements[resistor].name;
  Diagnostic d("mode.impulse-on-resistor",
               "an impulse is forced upon resistor " + name + " at " + to_string(runtime.state.at));
  const bool effort = std::abs(p) >= std::abs(q);
  d.at(m.elements[resistor].span,
       (effort ? "its effort would have weight " : "its flow would have weight ") +
           format_number(effort ? p : q));
  for (int e : slot.island->impulsive_sources()) {
    const double weight = weights[static_cast<std::size_t>(e)];
    if (weight == 0) continue;
    const ElementId source = slot.island->equations()[static_cast<std::size_t>(e)].element;
    d.at(m.elements[source].span,
         m.elements[source].name + " has an impulse of weight " + format_number(weight));
  }
  if (!m.automata.empty()) d.note("mode", mode_of(runtime, {}));
  d.rule("a resistor is too slow to take part in a jump: p′ = q′ = 0");
  d.help(
      "let a store take the impulse: an I in series for an effort, a C in parallel for a flow; or "
      "give the source a finite pulse");
  return {Ending::ModelError, d};
}

RunFault describe(const Runtime& runtime, const OpenChoice& open) {
  const model::Model& m = runtime.system.model();
  const std::string count = std::to_string(open.alternatives.size());
  if (open.choice.valid()) {
    const model::Choice& choice = m.choices[open.choice];
    Diagnostic d("choice.open", count + " alternatives of " + choice.name + " are enabled at " +
                                    to_string(runtime.state.at));
    std::string which;
    for (int i : open.alternatives) which += (which.empty() ? "" : ", ") + std::to_string(i + 1);
    d.at(choice.span, "alternatives " + which);
    d.rule("a run needs one way to go");
    d.help(
        "say `order = true` in choose, give --choose order or --choose random, or ask `explore` "
        "for all outcomes");
    return {Ending::ModelError, d};
  }
  const model::Automaton& a = m.automata[open.automaton];
  Diagnostic d("choice.open", count + " transitions of " + a.name + " are enabled at " +
                                  to_string(runtime.state.at));
  for (int t : open.alternatives) {
    const model::Transition& transition = a.transitions[static_cast<std::size_t>(t)];
    d.at(transition.guard_span, "true, to " + a.states[static_cast<std::size_t>(transition.to)]);
  }
  d.rule("a run needs one way to go");
  d.help("make the guards exclusive, or declare an order: `priority 1` before `when`");
  return {Ending::ModelError, d};
}

// The causal network never comes to rest at one real time: who keeps changing, and how.
RunFault chattering(const Runtime& runtime, const Pattern& pattern) {
  const model::Model& m = runtime.system.model();
  Diagnostic d("run.chattering",
               "signals never settle at t = " + format_number(runtime.state.at.t) + ": " +
                   std::to_string(runtime.options.max_microsteps) + " microsteps have passed");
  std::vector<std::string> culprits;
  for (MemoryId id : runtime.state.instant.last.spoken) {
    culprits.push_back(m.memories[id].name);
    if (culprits.size() <= 4) d.at(m.memories[id].span, "speaks again at each microstep");
  }
  for (AutomatonId id : runtime.state.instant.last.moved) {
    culprits.push_back(m.automata[id].name);
    if (culprits.size() <= 4) d.at(m.automata[id].span, "keeps moving");
  }
  if (!culprits.empty()) d.note("changing", join(culprits, ", ", 8));
  for (const auto& [name, values] : pattern) {
    const bool rests = std::count(values.begin(), values.end(), values.front()) ==
                       static_cast<std::ptrdiff_t>(values.size());
    if (!rests) d.note("pattern", name + ": … " + join(values, ", "));
  }
  d.rule("a signal has to take a final value at each real time (chattering Zeno)");
  d.help(
      "add a mode for what is reached in the limit, let time pass between the events, or raise "
      "--max-microsteps");
  return {Ending::BoundReached, d};
}

namespace {

// Where a comparison stands: at the transition whose guard it is in, or at what it reads.
void point_at(const Runtime& runtime, ComparisonId id, Diagnostic& d) {
  const model::Model& m = runtime.system.model();
  const plan::Comparison& comparison = runtime.system.comparisons()[id];
  const std::string text = plan::describe(m, comparison.expr);
  if (!comparison.guards.empty()) {
    const auto [automaton, index] = comparison.guards[0];
    d.at(m.automata[automaton].transitions[at(index)].span, text);
  } else if (comparison.detector.valid()) {
    d.at(m.memories[comparison.detector].span, text);
  } else {
    d.at(place_of(m, comparison.expr), text);
  }
}

}  // namespace

RunFault oscillates(const Runtime& runtime, ComparisonId id, double t, double width) {
  const plan::Comparison& comparison = runtime.system.comparisons()[id];
  Diagnostic d("run.oscillates",
               "whether " + plan::describe(runtime.system.model(), comparison.expr) +
                   " changes behind t = " + format_number(t) + " takes too long to find out");
  point_at(runtime, id, d);
  d.note("pace", "turns within " + format_number(width) + " of time");
  d.rule("no change of a guard is passed over, so each turn of it has to be looked at");
  d.help(
      "leave out what oscillates so fast, put its mean in its place, or choose a shorter "
      "--max-step");
  return {Ending::BoundReached, d};
}

RunFault missed_event(const Runtime& runtime, ComparisonId id, double from, double to, double gap) {
  const plan::Comparison& comparison = runtime.system.comparisons()[id];
  const std::string text = plan::describe(runtime.system.model(), comparison.expr);
  Diagnostic d("run.missed-event", "whether " + text + " has changed at t = " + format_number(to) +
                                       ", and no event was found for it");
  point_at(runtime, id, d);
  d.note("step", "from " + format_number(from) + " to " + format_number(to));
  d.note("gap", format_number(gap) + " between its sides at the end, " +
                    (runtime.state.truth[at(id)] != 0 ? "true" : "false") + " at the beginning");
  d.rule("a run never goes on over an event that it has missed");
  d.help(
      "this is a mistake of Cradle's and not of the model: please report it. A shorter "
      "--max-step may help until then");
  return {Ending::SolverFailure, d};
}

// What varies stands on the left.
std::string border_text(const Runtime& runtime, ComparisonId border) {
  const model::Model& m = runtime.system.model();
  const expr::Node& node = m.pool[runtime.system.comparisons()[border].expr];
  const bool swap = m.pool.is_fixed(node.a);
  return plan::describe(m, swap ? node.b : node.a) + " = " +
         plan::describe(m, swap ? node.a : node.b);
}

bool border_is_turned(const Runtime& runtime, ComparisonId border) {
  const model::Model& m = runtime.system.model();
  return !m.pool.is_fixed(m.pool[runtime.system.comparisons()[border].expr].a);
}

namespace {

// All borders that are stood on, with their places.
Diagnostic at_borders(const Runtime& runtime, const std::string& what, double t) {
  std::vector<std::string> borders;
  for (const Slide& slide : runtime.state.slides) {
    borders.push_back(border_text(runtime, slide.border));
  }
  Diagnostic d("run.sliding",
               "along " + join(borders, " and ", 8) + " " + what + " at t = " + format_number(t));
  for (const Slide& slide : runtime.state.slides) point_at(runtime, slide.border, d);
  d.rule(
      "where both sides of a border push back to it, the run goes on along it, with the one mean "
      "of "
      "the sides that keeps it there");
  return d;
}

}  // namespace

RunFault no_way_along(const Runtime& runtime, double t) {
  Diagnostic d = at_borders(runtime, "no mean of the sides is the one that stays there", t);
  d.help("let fewer switches act on the same quantity, or give one of them a hysteresis");
  return {Ending::ModelError, d};
}

RunFault no_one_way(const Runtime& runtime, std::span<const std::vector<Way>> ways) {
  Diagnostic d = at_borders(
      runtime, ways.empty() ? "no way leads on" : "more than one way leads on", runtime.state.now);
  for (const std::vector<Way>& way : ways) {
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < way.size(); ++j) {
      const expr::Node& node =
          runtime.system.model()
              .pool[runtime.system.comparisons()[runtime.state.slides[j].border].expr];
      const char* sign = way[j] == Way::Along ? " = " : way[j] == Way::Above ? " < " : " > ";
      parts.push_back(plan::describe(runtime.system.model(), node.a) + sign +
                      plan::describe(runtime.system.model(), node.b));
    }
    d.note("way", join(parts, " and ", 8));
  }
  d.help("say in the model what happens there, or give one of the switches a hysteresis");
  return {Ending::ModelError, d};
}

RunFault crawling(const Runtime& runtime, const Cluster& cluster, const Pace& pace) {
  const model::Model& m = runtime.system.model();
  Diagnostic d("run.crawling",
               "time hardly goes on from t = " + format_number(runtime.course_of(cluster).end) +
                   ": the solver can only make the shortest steps");
  auto leaps = [&](ExprId law) {
    const std::vector<ExprId> below = m.pool.below(law);
    return std::any_of(below.begin(), below.end(), [&](ExprId e) {
      const expr::Op op = m.pool[e].op;
      return op == expr::Op::If || op == expr::Op::Floor || op == expr::Op::Ceil ||
             op == expr::Op::Mod;
    });
  };
  for (UnitId unit : cluster.units) {
    for (plan::CellId cell : runtime.system.units()[unit].cells) {
      for (ElementId id : runtime.system.cells()[cell].elements) {
        const model::Element& element = m.elements[id];
        const auto& laws = element.laws;
        if (std::any_of(laws.begin(), laws.end(), leaps)) {
          d.at(element.span, "its law may leap, as floor(f) does at 0");
        }
      }
    }
  }
  if (d.labels.empty()) d.at(m.states[cluster.states[0]].span);
  d.note("pace", format_number(runtime.course_of(cluster).end - pace.since) +
                     " of time in the last " + std::to_string(pace.steps) + " steps, besides " +
                     std::to_string(pace.rejected) + " that failed");
  d.rule("a solver cannot rest on a leap: on either side the law drives it back to the other");
  d.help(
      "write the leap as sign(f) or `if f > 0`, which a run can rest on, or use "
      "std/mechanical/stiction.cradle, whose modes say what happens at rest");
  return {Ending::SolverFailure, d};
}

RunFault immediate_cycle(const Runtime& runtime, AutomatonId automaton, int state) {
  const model::Automaton& a = runtime.system.model().automata[automaton];
  Diagnostic d("run.immediate-cycle", "immediate transitions of " + a.name +
                                          " never come to rest at " + to_string(runtime.state.at));
  d.at(a.span, "at " + a.states[static_cast<std::size_t>(state)] + " again");
  d.rule("immediate transitions are followed within one reaction, so this never ends");
  d.help("drop `immediate` from one of them");
  return {Ending::ModelError, d};
}

RunFault impulse_at_arrival(const Runtime& runtime, StateId integral) {
  const model::State& state = runtime.system.model().states[integral];
  Diagnostic d("signal.not-piecewise-continuous", "an impulse reaches the integral " + state.name +
                                                      " at microstep 0, at " +
                                                      to_string(runtime.state.at));
  d.at(state.span, "its impulse is present here before anything has happened");
  d.rule("what a solver sees at microstep 0 is the value just before; events come later");
  d.help("put a delay around the impulse, or take it from an event, a clock or a crossing");
  return {Ending::ModelError, d};
}

Diagnostic energy_created(const Runtime& runtime, double amount,
                          const std::vector<JunctionId>& switched) {
  const model::Model& m = runtime.system.model();
  Diagnostic d("energy.created", "a jump at " + to_string(runtime.state.at) + " creates " +
                                     format_number(amount) + " of energy");
  for (JunctionId j : switched) d.at(m.junctions[j].span, m.junctions[j].name + " switches here");
  d.rule("stores gain no more in a jump than sources supply");
  d.help("look at the sources that act in the jump: a restitution above 1, a source that steps");
  return d;
}

Diagnostic start_contradicts(const Runtime& runtime, const Slot& slot, double lost,
                             double magnitude) {
  const model::Model& m = runtime.system.model();
  Diagnostic d("energy.start",
               "the start values contradict each other: making them consistent at " +
                   to_string(runtime.state.at) + " loses " + format_number(lost) +
                   " of energy, of " + format_number(magnitude));
  std::vector<std::string> stores;
  for (StateId s : slot.island->states()) {
    d.at(m.states[s].span);
    stores.push_back(m.states[s].name + " = " + format_number(runtime.state.x[at(s)]));
  }
  d.note("start", join(stores, ", ", 6));
  d.rule("stores that depend on each other begin with values that fit together");
  d.help("give one of them, and the others what follows from it");
  return d;
}

Diagnostic energy_unaccounted(const Runtime& runtime, double amount, double begin, double end,
                              ElementId store) {
  const model::Model& m = runtime.system.model();
  Diagnostic d("energy.unaccounted", format_number(amount) +
                                         " of energy is unaccounted for, more than the tolerance " +
                                         "explains; most of it arises between " +
                                         format_number(begin) + " and " + format_number(end));
  if (store.valid()) d.at(m.elements[store].span, m.elements[store].name + " changes most there");
  d.rule("what stores gain is what sources deliver, less what is dissipated");
  d.help(
      "the run is not accurate there: look for values that differ by many orders of magnitude, "
      "or ask for a smaller --tolerance or another --solver");
  return d;
}

Diagnostic undefined(const Runtime& runtime, const std::string& name, const Instant& at) {
  Diagnostic d("value.undefined", name + " is not a number at " + to_string(at));
  for (const model::Signal& signal : runtime.system.model().signals) {
    if (signal.name == name) d.at(signal.span);
  }
  d.rule("a comparison with what is not a number is false");
  d.help("look for 0 / 0, or the root or logarithm of a negative number, in what it reads");
  return d;
}

Diagnostic assertion_fails(const Runtime& runtime, std::size_t assertion,
                           const Violation& violation) {
  const model::Assertion& asserted = runtime.system.model().assertions[assertion];
  const std::string where = violation.inside.empty() ? "" : " in " + violation.inside;
  const std::string what =
      asserted.message.empty() ? "what is asserted does not hold" : asserted.message;
  Diagnostic d("assert.violated", what + where + " at " + to_string(violation.at));
  if (violation.undecided) {
    d = Diagnostic("assert.undecided", "nobody can tell whether this holds" + where + " from " +
                                           to_string(violation.at) + " on");
    d.at(asserted.span, "changes too often to be followed");
    d.rule("an assertion is judged by proof, and looking for each change has no end here");
    d.help("assert something that changes less often, or end the run before");
    return d;
  }
  d.at(asserted.span, asserted.never ? "is true" : "is false");
  if (!violation.values.empty()) d.note("values", violation.values);
  if (!runtime.state.mode.empty()) d.note("mode", mode_of(runtime, {}));
  d.rule(asserted.never ? "what never holds holds at no instant, and nowhere between"
                        : "what always holds holds at every instant, and everywhere between");
  return d;
}

Diagnostic thinned(double t) {
  Diagnostic d("run.thinned", "there is no room for every step: from " +
                                  to_string(Instant{t, 0, 0}) +
                                  " on they are recorded further apart");
  d.rule(
      "instants at which something happens, and the times of --every, are recorded all the same");
  d.help("record less (--select), or end earlier (--until)");
  return d;
}

RunFault solver_failure(const Runtime& runtime, const Cluster& cluster, solve::StepResult result) {
  Diagnostic d("run.solver", "");
  const bool not_linear = result == solve::StepResult::NotLinear;
  const std::string what = not_linear ? "there are exact steps of linear motions alone"
                           : result == solve::StepResult::NotFinite ? "a rate is not finite"
                           : result == solve::StepResult::StepTooSmall
                               ? "the tolerance cannot be met with any step"
                               : cluster.solver->failure();
  d.message = "time cannot go on from " + to_string(runtime.state.at) + ": " + what;
  const model::Model& m = runtime.system.model();
  std::vector<std::string> states;
  for (StateId s : cluster.states) {
    states.push_back(m.states[s].name + " = " + format_number(runtime.state.x[at(s)]));
  }
  d.at(m.states[cluster.states[0]].span);
  d.note("state", join(states, ", ", 6));
  if (not_linear) {
    d.rule(
        "exact steps need rates that are linear in the states, with factors that do not change "
        "while time flows, and sources that are made of polynomials, exp, sin and cos of time");
    d.help(
        "use --solver auto, which follows exactly what is linear, and all else to the tolerance");
    return {Ending::SolverFailure, d};
  }
  d.help(
      "look for a law or source that has no value there: a division by zero, the root of a "
      "negative number (write sqrt(max(h, 0)) if h ends at 0); or ask for a looser --tolerance");
  return {Ending::SolverFailure, d};
}

}  // namespace cradle::engine
