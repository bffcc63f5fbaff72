#include "theory/hypa/compose.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cradle/rows.hpp"
#include "language/syntax/units.hpp"
#include "theory/hypa/constitutive.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

using expr::Op;
using model::Model;

class Composer {
 public:
  explicit Composer(const Model& model)
      : m_(model), v_(out_.specification.vocabulary), pool_(v_.pool) {}

  Composition run() {
    name_bonds();
    name_others();
    for (std::size_t i = 0; i < m_.elements.size(); ++i) add_element(ElementId(i));
    for (std::size_t i = 0; i < m_.junctions.size(); ++i) add_junction(JunctionId(i));
    for (std::size_t i = 0; i < m_.automata.size(); ++i) add_automaton(AutomatonId(i));
    for (std::size_t i = 0; i < m_.states.size(); ++i) add_integral(StateId(i));
    const std::size_t physics = processes_.size();
    for (std::size_t i = 0; i < m_.signals.size(); ++i) add_signal(SignalId(i));
    for (const auto& [name, value] : m_.readable) out_.readable.emplace(name, translated(value));
    for (const model::Column& column : m_.show) {
      const ExprId value = translated(column.value);
      out_.readable.emplace(column.name, value);
      if (column.scaled) add_in_si_units(column.name, value);
    }
    add_memories_of_arrival();
    sort_out(physics);
    return std::move(out_);
  }

 private:
  // What is shown as x [mV] is x in SI units, as recorded runs are read.
  void add_in_si_units(const std::string& title, ExprId value) {
    const auto [name, text] = name_and_unit(title);
    const std::optional<units::Unit> unit = units::parse(text);
    if (!unit) return;
    value = pool_.binary(Op::Mul, value, pool_.constant(unit->scale()));
    value = pool_.binary(Op::Add, value, pool_.constant(unit->offset));
    out_.readable.emplace(name, value);
  }

  ExprId translated(ExprId e) {
    for (ExprId id : m_.pool.below(e)) {
      if (done_.contains(id)) continue;
      const expr::Node& node = m_.pool[id];
      auto now = [this](ExprId operand) { return operand.valid() ? done_.at(operand) : operand; };
      const ExprId a = now(node.a), b = now(node.b), c = now(node.c);
      done_[id] = arity(node.op) == 0 ? leaf(id, node) : pool_.rebuild(node, a, b, c);
    }
    return done_.at(e);
  }

  // Names.
  std::string end_name(const model::End& end) const {
    if (end.junction.valid()) return m_.junctions[end.junction].name;
    return m_.elements[end.element].name;
  }
  // As the model's names have it: body1, field[2], gear.in.
  std::string port_name(const model::End& end) const {
    const model::Element& element = m_.elements[end.element];
    if (elements::definition(element.kind).through) {
      return element.name + (end.port == 0 ? ".in" : ".out");
    }
    if (element.ports.size() > 1) {
      return element.name + "[" + std::to_string(end.port + 1) + "]";
    }
    return element.name;
  }
  std::string bond_name(const model::Bond& bond) const {
    const bool unlabelled = bond.name.find("->") != std::string::npos;
    const auto is_plain_element = [this](const model::End& end) {
      return end.element.valid() && !elements::definition(m_.elements[end.element].kind).through;
    };
    for (const model::End* end : {&bond.to, &bond.from}) {
      if (is_plain_element(*end)) return port_name(*end);
    }
    if (!unlabelled) return bond.name;
    for (const model::End* end : {&bond.to, &bond.from}) {
      if (end->element.valid()) return port_name(*end);
    }
    return end_name(bond.from) + "_" + end_name(bond.to);
  }
  void name_bonds() {
    std::set<std::string> taken;
    for (const model::Bond& bond : m_.bonds) {
      const std::string base = bond_name(bond);
      std::string name = base;
      for (int i = 2; !taken.insert(name).second; ++i) name = base + "_" + std::to_string(i);
      out_.bonds.push_back(v_.bond(name));
      bond_names_.push_back(name);
      const auto inside = [this](const model::End& end) {
        return end.junction.valid() || elements::definition(m_.elements[end.element].kind).through;
      };
      if (!inside(bond.from) || !inside(bond.to)) continue;
      const BondVariables& b = out_.bonds.back();
      for (VariableId id : {b.effort, b.flow, b.momentum, b.displacement, b.energy}) {
        out_.normal_form.internal.insert(id.index);
      }
    }
  }

  void name_others() {
    for (std::size_t i = 0; i < m_.states.size(); ++i)
      out_.states.push_back(name_state(StateId(i)));
    for (const model::Automaton& automaton : m_.automata) {
      const VariableId id = v_.mode(automaton.name, automaton.states);
      out_.automata.push_back(id);
      out_.normal_form.start.emplace_back(id, at(automaton.initial));
    }
    for (const model::Signal& signal : m_.signals) {
      out_.signals.push_back(
          v_.variable(signal.name, Quantity::Signal, m_.pool[signal.value].type));
    }
  }
  VariableId name_state(StateId id) {
    const model::State& state = m_.states[id];
    if (state.element.valid()) {
      const model::Element& element = m_.elements[state.element];
      const BondVariables& bond = out_.bonds[at(element.ports[at(state.port)].bond)];
      const bool p = elements::definition(element.kind).storage == elements::Storage::Momentum;
      const VariableId variable = p ? bond.momentum : bond.displacement;
      out_.normal_form.stored.push_back(variable);
      return variable;
    }
    // p or q of a bond, because something reads it.
    if (const VariableId known = v_.find(state.name); known.valid()) return known;
    return v_.variable(state.name, Quantity::State);
  }

  // Expressions.
  ExprId leaf(ExprId id, const expr::Node& node) {
    switch (node.op) {
      case Op::Parameter:
        return v_.parameter(m_.slots[named_by(SlotId(at(node.ref)))].name);
      case Op::Effort:
        return v_.leaf(out_.bonds[at(node.ref)].effort);
      case Op::Flow:
        return v_.leaf(out_.bonds[at(node.ref)].flow);
      case Op::State:
        return v_.leaf(out_.states[at(node.ref)]);
      case Op::Signal:
        return v_.leaf(out_.signals[at(node.ref)]);
      case Op::InMode:
        return v_.in_mode(out_.automata[at(node.ref)], static_cast<std::size_t>(node.value));
      case Op::Active:
        return active(AutomatonId(at(node.ref)), m_.automata[AutomatonId(at(node.ref))].active,
                      true);
      case Op::Pre:
        return v_.leaf(arrival(node.ref, node.type));
      case Op::Phase:
      case Op::Count:
      case Op::Input:
        return v_.leaf(given(given_name(id, node), Quantity::State, node.type));
      case Op::Memory:
      case Op::Choice:
      case Op::Output:
        return v_.leaf(given(given_name(id, node), Quantity::Signal, node.type));
      default:
        return pool_.leaf(node.op, node.ref, node.value, node.type);
    }
  }
  // What only passes on another parameter is called as that one: restitution, and not
  // contact.restitution.
  SlotId named_by(SlotId slot) const {
    while (!m_.slots[slot].given) {
      const expr::Node& node = m_.pool[m_.slots[slot].definition];
      if (node.op != Op::Parameter) break;
      slot = SlotId(at(node.ref));
    }
    return slot;
  }
  VariableId given(const std::string& name, Quantity quantity, expr::Type type) {
    const VariableId id = v_.variable(name, quantity, type);
    out_.normal_form.given.insert(id.index);
    return id;
  }
  std::string given_name(ExprId id, const expr::Node& node) const {
    const std::string number = std::to_string(node.ref + 1);
    switch (node.op) {
      case Op::Phase:
        return "phase(clock " + number + ")";
      case Op::Count:
        return "count(clock " + number + ")";
      case Op::Input:
        return "input(" + m_.text(id) + ")";
      default:
        return m_.text(id) + " (" + number + ")";
    }
  }
  VariableId arrival(int32_t ref, expr::Type type) {
    const auto key = static_cast<std::size_t>(ref);
    if (auto found = arrivals_.find(key); found != arrivals_.end()) return found->second;
    const ExprId of = translated(m_.pool.pres()[key]);
    const VariableId id = v_.variable("pre(" + to_string(v_, of) + ")", Quantity::State, type);
    arrivals_.emplace(key, id);
    arrival_of_.emplace_back(id, of);
    return id;
  }

  // One of the states in which the junction is active, or (not) one of the others.
  ExprId active(AutomatonId id, const std::vector<bool>& states, bool wanted) {
    ExprId any = pool_.boolean(false);
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i] != wanted) continue;
      any = pool_.binary(Op::Or, any, v_.in_mode(out_.automata[at(id)], i));
    }
    return any;
  }

  ExprId region_active(RegionId region) {
    ExprId all = pool_.boolean(true);
    for (; region.valid(); region = m_.regions[region].parent) {
      const model::Region& r = m_.regions[region];
      all = pool_.binary(Op::And, v_.in_mode(out_.automata[at(r.automaton)], at(r.state)), all);
    }
    return all;
  }

  void add(Process process, RegionId region, const std::vector<Alternative>& entered,
           const std::vector<VariableId>& still) {
    if (!region.valid()) {
      processes_.push_back(std::move(process));
      return;
    }
    // In a mode of a modal model: as usual while it is active, otherwise nothing moves.
    const ExprId here = region_active(region);
    std::vector<Alternative> all = *alternatives(process.body);
    const Predicate usual = all[0].flow;
    if (!still.empty()) {
      const ExprId was_here = v_.marked(here, Mark::Before);
      for (Alternative& a : all) a.jump.insert(a.jump.begin(), {was_here, process.name});
      if (keeps_history(region)) {
        Alternative kept = {{{pool_.unary(Op::Not, was_here), process.name}}, usual, process.name};
        for (VariableId x : still) kept.jump.push_back(unchanged(x, process.name));
        all.push_back(std::move(kept));
      }
    }
    // Around a store that starts anew, what passes through bonds says nothing.
    for (Alternative a : still.empty() ? entries(region, process.name) : entered) {
      a.flow.insert(a.flow.end(), usual.begin(), usual.end());
      all.push_back(std::move(a));
    }
    for (Alternative& a : all) {
      const Relation active = {here, process.name};
      if (std::find(a.flow.begin(), a.flow.end(), active) == a.flow.end()) {
        a.flow.insert(a.flow.begin(), active);
      }
    }
    Alternative idle = {{}, {{pool_.unary(Op::Not, here), process.name}}, process.name};
    for (VariableId x : still) {
      idle.jump.push_back(unchanged(x, process.name));
      idle.flow.push_back({v_.equal(v_.leaf(x, Mark::Rate), v_.number(0)), process.name});
    }
    all.push_back(std::move(idle));
    process.body = term_of(all);
    processes_.push_back(std::move(process));
  }

  Relation unchanged(VariableId x, const std::string& process) {
    if (v_[x].quantity == Quantity::Mode) {
      return {v_.equal(v_.leaf(x, Mark::After), v_.leaf(x, Mark::Before)), process};
    }
    return {v_.equal(v_.leaf(x, Mark::Change), v_.number(0)), process};
  }

  // Ways into the region that start anew what is in it.
  std::vector<Alternative> entries(RegionId region, const std::string& process) {
    std::vector<Alternative> out;
    for (std::size_t i = 0; i < m_.automata.size(); ++i) {
      const model::Automaton& automaton = m_.automata[AutomatonId(i)];
      for (const model::Transition& t : automaton.transitions) {
        if (!enters(AutomatonId(i), t.to, region)) continue;
        if (t.history && t.sets.empty()) continue;
        const VariableId mode = out_.automata[i];
        out.push_back({{{v_.in_mode(mode, at(t.from), Mark::Before), process},
                        {v_.marked(taken_when(automaton, t), judged_on(t)), process}},
                       {{v_.in_mode(mode, at(t.to)), process}},
                       process});
      }
    }
    return out;
  }

  // May the region be entered without starting anew what is in it?
  bool keeps_history(RegionId region) const {
    for (std::size_t i = 0; i < m_.automata.size(); ++i) {
      for (const model::Transition& t : m_.automata[AutomatonId(i)].transitions) {
        if (t.history && enters(AutomatonId(i), t.to, region)) return true;
      }
    }
    return false;
  }

  // How a transition may start a state anew: the mode that it enters, and set actions.
  std::vector<Alternative> restarts(StateId id, const std::string& name) {
    std::vector<Alternative> out;
    const model::State& state = m_.states[id];
    auto moved = [&](AutomatonId automaton, const model::Transition& t, ExprId value) {
      const VariableId mode = out_.automata[at(automaton)], x = out_.states[at(id)];
      Alternative a;
      a.next = name;
      a.jump.push_back({v_.in_mode(mode, at(t.from), Mark::Before), name});
      const ExprId guard = v_.marked(taken_when(m_.automata[automaton], t), judged_on(t));
      if (guard != pool_.boolean(true)) a.jump.push_back({guard, name});
      a.jump.push_back({v_.equal(v_.leaf(x, Mark::After), value), name});
      a.flow.push_back({v_.in_mode(mode, at(t.to)), name});
      out.push_back(std::move(a));
    };
    for (std::size_t i = 0; i < m_.automata.size(); ++i) {
      for (const model::Transition& t : m_.automata[AutomatonId(i)].transitions) {
        bool set = false;
        for (const model::SetAction& action : t.sets) {
          if (action.state != id) continue;
          moved(AutomatonId(i), t, v_.marked(translated(action.value), Mark::Before));
          set = true;
        }
        if (set || t.history || !enters(AutomatonId(i), t.to, state.region)) continue;
        if (!state.initial_is_power) moved(AutomatonId(i), t, translated(state.initial));
      }
    }
    return out;
  }
  bool enters(AutomatonId automaton, int to, RegionId region) const {
    for (; region.valid(); region = m_.regions[region].parent) {
      const model::Region& r = m_.regions[region];
      if (r.automaton == automaton && r.state == to) return true;
    }
    return false;
  }

  void add_element(ElementId id) {
    const model::Element& element = m_.elements[id];
    ElementParts parts;
    parts.name = element.name;
    parts.definition = &elements::definition(element.kind);
    std::vector<VariableId> still;
    for (const model::BondEnd& port : element.ports) {
      parts.ports.push_back(out_.bonds[at(port.bond)]);
    }
    for (ExprId law : element.laws) parts.laws.push_back(translated(law));
    parts.law_of_effort = element.law_of_effort;
    if (element.signal.valid()) parts.signal = translated(element.signal);
    std::vector<Alternative> entered;
    for (StateId state : element.states) {
      still.push_back(out_.states[at(state)]);
      for (Alternative& a : restarts(state, element.name)) entered.push_back(std::move(a));
    }
    Process process = element_process(v_, parts);
    if (!element.region.valid() && !entered.empty()) {
      std::vector<Alternative> all = *alternatives(process.body);
      for (Alternative& a : entered) {
        a.flow.insert(a.flow.end(), all[0].flow.begin(), all[0].flow.end());
      }
      all.insert(all.end(), entered.begin(), entered.end());
      process.body = term_of(all);
      entered.clear();
    }
    add(std::move(process), element.region, entered, still);
  }

  void add_junction(JunctionId id) {
    const model::Junction& junction = m_.junctions[id];
    if (junction.bonds.empty()) return;
    JunctionParts parts;
    parts.name = junction.name;
    parts.kind = junction.kind;
    parts.inactive = junction.inactive;
    for (const model::BondEnd& end : junction.bonds) {
      parts.bonds.push_back({out_.bonds[at(end.bond)], end.inward});
    }
    if (junction.automaton.valid()) {
      parts.act = active(junction.automaton, junction.active, true);
      parts.inact = active(junction.automaton, junction.active, false);
    }
    add(junction_process(v_, parts), junction.region, {}, {});
  }

  static Mark judged_on(const model::Transition& t) {
    return t.physical ? Mark::Before : Mark::Tried;
  }

  // Its guard, and that of no other that comes before it.
  ExprId taken_when(const model::Automaton& automaton, const model::Transition& t) {
    ExprId out = translated(t.guard);
    const auto rank = [](const model::Transition& x) {
      return std::pair(x.fallback, x.priority.value_or(HUGE_VAL));
    };
    for (const model::Transition& other : automaton.transitions) {
      if (other.from != t.from || other.physical != t.physical || !(rank(other) < rank(t)))
        continue;
      out = pool_.binary(Op::And, out, v_.negation(translated(other.guard)));
    }
    return out;
  }

  // [m⁻ = from, guard] ≫ (m = to, nothing that would leave it) ▶ …
  void add_automaton(AutomatonId id) {
    const model::Automaton& automaton = m_.automata[id];
    const std::string name = automaton.name + ".automaton";
    const VariableId mode = out_.automata[at(id)];
    std::vector<Alternative> all;
    auto waiting = [&](std::size_t state) {
      Predicate flow = {{v_.in_mode(mode, state), name}};
      for (const model::Transition& t : automaton.transitions) {
        if (at(t.from) != state || m_.pool.is_constant(t.guard)) continue;
        flow.push_back({v_.negation(translated(t.guard)), name});
      }
      return flow;
    };
    for (std::size_t s = 0; s < automaton.states.size(); ++s) {
      all.push_back({{{v_.in_mode(mode, s, Mark::Before), name}}, waiting(s), name});
    }
    for (const model::Transition& t : automaton.transitions) {
      if (t.from == t.to) continue;
      Predicate jump = {{v_.in_mode(mode, at(t.from), Mark::Before), name}};
      const ExprId guard = v_.marked(taken_when(automaton, t), judged_on(t));
      if (guard != pool_.boolean(true)) jump.push_back({guard, name});
      all.push_back({std::move(jump), waiting(at(t.to)), name});
    }
    if (automaton.region.valid()) {
      const ExprId here = region_active(automaton.region);
      const ExprId away = pool_.unary(Op::Not, here);
      for (Alternative& a : all) a.flow.push_back({here, name});
      // Entered, it starts anew; while it is not active it rests.
      Predicate start = waiting(at(automaton.initial));
      start.push_back({here, name});
      all.push_back({{{v_.marked(away, Mark::Before), name}}, std::move(start), name});
      all.push_back({{unchanged(mode, name)}, {{away, name}}, name});
    }
    processes_.push_back(
        {name, term_of(all), automaton.modal ? "modal model" : "automaton", Role::Automaton});
  }

  void add_integral(StateId id) {
    const model::State& state = m_.states[id];
    if (state.element.valid()) return;
    const VariableId x = out_.states[at(id)];
    const std::string& name = state.name;
    const ExprId rate = translated(state.rate);
    ExprId weight = v_.weight(v_.marked(rate, Mark::After));
    if (state.impulse.valid()) {
      const ExprId more =
          pool_.fallback(v_.marked(translated(state.impulse), Mark::After), v_.number(0));
      weight = pool_.binary(Op::Add, weight, more);
    }
    std::vector<Alternative> all = {{{{v_.equal(v_.leaf(x, Mark::Change), weight), name}},
                                     {{v_.equal(v_.leaf(x, Mark::Rate), rate), name}},
                                     name}};
    std::vector<Alternative> entered = restarts(id, name);
    if (!state.region.valid()) {
      for (Alternative& a : entered) {
        a.flow.insert(a.flow.end(), all[0].flow.begin(), all[0].flow.end());
        all.push_back(std::move(a));
      }
      entered.clear();
    }
    add({name, term_of(all), "integral", Role::Integral}, state.region, entered, {x});
  }

  void add_signal(SignalId id) {
    const model::Signal& signal = m_.signals[id];
    const ExprId value = translated(signal.value);
    const VariableId x = out_.signals[at(id)];
    // An integral under its own name.
    const expr::Node node = pool_[value];
    if (value == v_.leaf(x) || (node.op == Op::When && node.a == v_.leaf(x))) return;
    Predicate flow = {{v_.equal(v_.leaf(x), value), signal.name}};
    processes_.push_back(
        {signal.name, term_of({{{}, std::move(flow), signal.name}}), "signal", Role::Signal});
    reads_of_[signal.name] = value;
  }

  // pre(x)⁺ = x⁻
  void add_memories_of_arrival() {
    for (std::size_t i = 0; i < arrival_of_.size(); ++i) {
      const auto [id, of] = arrival_of_[i];
      const std::string name = "arrival_" + std::to_string(i + 1);
      Predicate jump = {{v_.equal(v_.leaf(id, Mark::After), v_.marked(of, Mark::Before)), name}};
      processes_.push_back(
          {name, term_of({{std::move(jump), {}, name}}), v_[id].name, Role::Arrival});
    }
  }

  // Observers are signals that no other process reads.
  void sort_out(std::size_t physics) {
    std::set<std::string> taken, needed;
    std::vector<ExprId> open;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (i < physics || processes_[i].role != Role::Signal) read_by(processes_[i].body, open);
    }
    std::set<ExprId> seen;
    while (!open.empty()) {
      const ExprId e = open.back();
      open.pop_back();
      if (!seen.insert(e).second) continue;
      for (ExprId leaf : pool_.leaves(e)) {
        if (!v_.is_variable(leaf)) continue;
        const std::string& name = v_[Vocabulary::variable_of(pool_[leaf])].name;
        auto found = reads_of_.find(name);
        if (found == reads_of_.end() || !needed.insert(name).second) continue;
        open.push_back(found->second);
      }
    }
    for (Process& process : processes_) {
      out_.parts.push_back(process.name);
      if (process.role != Role::Signal) {
        out_.essential.push_back(process.name);
      } else if (!needed.contains(process.name)) {
        out_.observers.push_back(process.name);
      }
    }
    std::vector<Term> names;
    for (const std::string& part : out_.parts) names.push_back(name(part));
    Specification& s = out_.specification;
    std::string root = m_.name;
    while (std::find(out_.parts.begin(), out_.parts.end(), root) != out_.parts.end()) root += "_";
    Term body = names.empty() ? flow({}) : parallel(std::move(names));
    s.processes.push_back({root, std::move(body), {}});
    for (Process& process : processes_) s.processes.push_back(std::move(process));
    for (std::size_t i = 0; i < out_.bonds.size(); ++i) {
      s.processes.push_back(bond_process(v_, "bond." + bond_names_[i], out_.bonds[i]));
    }
  }
  static void read_by(const Term& term, std::vector<ExprId>& out) {
    for (const Relation& relation : term.clause.predicate) out.push_back(relation.holds);
    for (const Term& part : term.parts) read_by(part, out);
  }

  const Model& m_;
  Composition out_;
  Vocabulary& v_;
  expr::Pool& pool_;
  std::vector<Process> processes_;
  std::vector<std::string> bond_names_;
  std::unordered_map<ExprId, ExprId> done_;
  std::unordered_map<std::size_t, VariableId> arrivals_;
  std::vector<std::pair<VariableId, ExprId>> arrival_of_;
  std::unordered_map<std::string, ExprId> reads_of_;
};

}  // namespace

Composition compose(const Model& model) { return Composer(model).run(); }

namespace {

class Condenser {
 public:
  Condenser(const Composition& composition, const Model& model)
      : c_(composition), m_(model), out_(composition.specification), v_(out_.vocabulary) {}

  Specification run() {
    for (const Process& process : out_.processes) {
      if (process.role != Role::Signal) continue;
      const auto split = alternatives(process.body);
      const expr::Node node = v_.pool[(*split)[0].flow[0].holds];
      if (node.op == Op::Equal && v_.is_variable(node.a)) {
        definitions_[Vocabulary::variable_of(v_.pool[node.a])] = node.b;
      }
    }
    share();
    for (const auto& [from, to] : instead_) changes_[v_[from].integral] = v_[to].integral;
    for (Process& process : out_.processes) rewrite(process.body);
    return std::move(out_);
  }

 private:
  // Of a bond between junctions, the shared variable is that of an element at the junction.
  void share() {
    std::vector<JunctionId> order;
    for (std::size_t i = 0; i < m_.junctions.size(); ++i) {
      const model::Junction& junction = m_.junctions[JunctionId(i)];
      if (!junction.automaton.valid() && !junction.region.valid()) order.push_back(JunctionId(i));
    }
    for (bool changed = true; changed;) {  // along chains of junctions of one kind
      changed = false;
      for (JunctionId id : order) changed |= share(m_.junctions[id]);
    }
  }
  bool share(const model::Junction& junction) {
    const bool zero = junction.kind == elements::JunctionKind::Zero;
    auto shared = [&](BondId bond) {
      const BondVariables& b = c_.bonds[at(bond)];
      return zero ? b.effort : b.flow;
    };
    VariableId best;
    for (const model::BondEnd& end : junction.bonds) {
      VariableId x = shared(end.bond);
      if (auto found = instead_.find(x); found != instead_.end()) x = found->second;
      if (c_.normal_form.internal.contains(x.index)) continue;
      if (!best.valid() || is_store(end.bond)) best = x;
    }
    if (!best.valid()) return false;
    bool changed = false;
    for (const model::BondEnd& end : junction.bonds) {
      const VariableId x = shared(end.bond);
      if (!c_.normal_form.internal.contains(x.index)) continue;
      changed |= instead_.emplace(x, best).second;
    }
    return changed;
  }
  bool is_store(BondId bond) const {
    const ElementId to = m_.bonds[bond].to.element;
    return to.valid() && !m_.elements[to].states.empty();
  }

  void rewrite(Term& term) {
    for (Relation& relation : term.clause.predicate) relation.holds = rewritten(relation.holds);
    for (Term& part : term.parts) rewrite(part);
  }

  ExprId rewritten(ExprId e) {
    return v_.replace(e, [this](ExprId id) {
      const expr::Node node = v_.pool[id];
      if (node.op != Op::Variable) return ExprId();
      const VariableId x = Vocabulary::variable_of(node);
      const Mark mark = Vocabulary::mark_of(node);
      if (auto found = instead_.find(x); found != instead_.end()) {
        return v_.leaf(found->second, mark);
      }
      if (auto found = changes_.find(x); mark == Mark::Change && found != changes_.end()) {
        return v_.leaf(found->second, mark);
      }
      auto found = definitions_.find(x);
      if (found == definitions_.end() || mark == Mark::Rate || mark == Mark::Change ||
          open_.contains(x)) {
        return ExprId();
      }
      open_.insert(x);
      ExprId value = rewritten(found->second);
      open_.erase(x);
      if (mark != Mark::Now) value = v_.marked(value, mark);
      return value;
    });
  }

  const Composition& c_;
  const Model& m_;
  Specification out_;
  Vocabulary& v_;
  std::map<VariableId, ExprId> definitions_;
  std::map<VariableId, VariableId> instead_;
  std::map<VariableId, VariableId> changes_;  // the same of p′ and q′
  std::set<VariableId> open_;
};

}  // namespace

Specification condensed(const Composition& composition, const Model& model) {
  return Condenser(composition, model).run();
}

}  // namespace cradle::hypa
