#include "theory/reduce/write.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "language/model/elaborate.hpp"
#include "language/syntax/lexer.hpp"
#include "language/syntax/tree.hpp"
#include "theory/reduce/compare.hpp"
#include "theory/reduce/write_expr.hpp"

namespace cradle::reduce {

namespace {

using model::Automaton;
using model::Element;
using model::Junction;
using model::Transition;

constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();

// A signal, of the model or made up, as one line.
struct Definition {
  std::size_t place = 0;  // of the signal in the model; of one that is made up: which it precedes
  SignalId signal;        // invalid: made up
  std::string line;
  ExprWriter::InPlace makes;
};

class ModelWriter {
 public:
  explicit ModelWriter(model::Model& model) : model_(model), exprs_(model) {}

  std::string text(const std::vector<std::string>& opening) {
    // Expressions first: they say which bonds need a label.
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      elements_.push_back(element(ElementId(i)));
    }
    for (std::size_t i = 0; i < model_.junctions.size(); ++i) {
      junctions_.push_back(junction(JunctionId(i)));
    }
    define(RegionId());
    for (std::size_t i = 0; i < model_.regions.size(); ++i) define(RegionId(i));
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      changes_.push_back(changes(model_.automata[AutomatonId(i)], AutomatonId(i)));
    }
    std::string show;
    for (const model::Column& column : model_.show) {
      show += (show.empty() ? "show " : ", ") + exprs_.text(column.value, {});
    }
    for (std::size_t i = 0; i < model_.animation.size(); ++i) shapes_.push_back(shape(i));
    for (const model::Assertion& each : model_.assertions) assertions_.push_back(assertion(each));
    std::string until = model_.until.valid() ? exprs_.fixed(model_.until, {}) : "";
    if (model_.max_step.valid()) until += " max_step " + exprs_.fixed(model_.max_step, {});
    find_names();
    std::string out;
    for (const std::string& line : opening) out += line.empty() ? "//\n" : "// " + line + "\n";
    out += "model " + (model_.name.empty() ? "Model" : model_.name) + " {\n";
    out += parameters();
    body(RegionId(), out);
    out += priorities();
    if (!until.empty() || !show.empty()) out += "\n";
    if (!until.empty()) out += "until " + until + "\n";
    if (!show.empty()) out += show + "\n";
    return out + "}\n";
  }

  // What is required may read parameters that nothing else does, and these have requirements, too.
  std::string parameters() {
    std::string lines = exprs_.parameters(), required;
    for (bool again = true; again;) {
      const std::string now = exprs_.requirements();
      again = now != required;
      required = now;
      lines = exprs_.parameters();
    }
    return required.empty() ? lines : lines + "\n" + required;
  }

  void find_names() {
    for (const std::string& name : model_.readable_names()) {
      const ExprId value = model_.readable.at(name);
      if (!hides_memory(value)) names_.emplace_back(name, exprs_.text(value, {}));
    }
  }
  std::vector<std::pair<std::string, std::string>> names() { return std::move(names_); }

  const std::optional<std::string>& fault() const { return exprs_.fault(); }
  Correspondence correspondence() {
    Correspondence same;
    Names& names = exprs_.names();
    auto path = [&](const std::string& name, RegionId region) {
      return names.path(name, region, {});
    };
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      same.elements.push_back(
          path(names.element(ElementId(i)), model_.elements[ElementId(i)].region));
    }
    for (std::size_t i = 0; i < model_.junctions.size(); ++i) {
      same.junctions.push_back(
          path(names.junction(JunctionId(i)), model_.junctions[JunctionId(i)].region));
    }
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      const Automaton& automaton = model_.automata[AutomatonId(i)];
      same.automata.push_back(automaton.modal ? path(names.modal(AutomatonId(i)), automaton.region)
                                              : same.junctions[at(automaton.junction)]);
    }
    for (std::size_t i = 0; i < model_.signals.size(); ++i) {
      const model::Signal& signal = model_.signals[SignalId(i)];
      std::string name = names.signal(SignalId(i));
      if (signal.gathers.valid()) name.insert(0, names.modal(signal.gathers) + ".");
      same.signals.push_back(path(name, signal.region));
    }
    for (std::size_t i = 0; i < model_.slots.size(); ++i) {
      same.parameters.push_back(names.parameter(SlotId(i)));
    }
    same.bonds = bonds_;
    for (std::size_t i = 0; i < model_.animation.size(); ++i) {
      const model::Shape& shape = model_.animation[i];
      same.shapes.emplace(shape.name, path(names.shape(i), shape.region));
    }
    return same;
  }

 private:
  std::string number_list(const std::vector<double>& numbers) const {
    std::string list;
    for (double number : numbers) list += (list.empty() ? "[" : ", ") + number_text(number);
    return list + "]";
  }

  // ---- things that have names

  static std::string renamed(const std::string& now, const std::string& original) {
    return now == original ? std::string() : "  // " + original;
  }

  std::string element(ElementId id) {
    const Element& element = model_.elements[id];
    const elements::Definition& definition = elements::definition(element.kind);
    std::string arguments = this->arguments(element, definition);
    const std::string& name = exprs_.names().element(id);
    return std::string(definition.name) + " " + name + arguments + renamed(name, element.name);
  }

  std::string arguments(const Element& element, const elements::Definition& definition) {
    const bool source = !definition.power_in && !definition.through;
    if (source) return " = " + exprs_.text(element.signal, element.region);
    if (definition.through) return "(" + exprs_.text(element.signal, element.region) + ")";
    const bool momentum = definition.storage == elements::Storage::Momentum;
    std::string law;
    if (!element.matrix.empty()) {
      for (const std::vector<double>& row : element.matrix) {
        law += (law.empty() ? "matrix = [" : ", ") + number_list(row);
      }
      law += "]";
    } else if (auto plain = plain_law(model_, element)) {
      law = plain->value.valid() ? exprs_.text(plain->value, element.region) : "1";
    } else {
      std::string argument = element.law_of_effort ? "e" : "f";
      if (!element.states.empty()) argument = momentum ? "p" : "q";
      law = "law(" + argument + ") = " + exprs_.text(element.laws[0], element.region, argument);
    }
    return "(" + law + initial(element, momentum) + ")";
  }

  std::string initial(const Element& element, bool momentum) {
    std::string values;
    bool plain = true, power = false;
    for (StateId id : element.states) {
      const model::State& state = model_.states[id];
      values += (values.empty() ? "" : ", ") + exprs_.fixed(state.initial, element.region);
      power = state.initial_is_power;
      plain = plain && exprs_.is_zero(state.initial) && !power;
    }
    if (plain) return {};
    const std::string variable = power ? (momentum ? "f" : "e") : (momentum ? "p" : "q");
    return ", " + variable + " = " + (element.matrix.empty() ? values : "[" + values + "]");
  }

  std::string junction(JunctionId id) {
    const Junction& junction = model_.junctions[id];
    const bool zero = junction.kind == Junction::Kind::Zero;
    const bool effort = junction.inactive == Junction::Inactive::Effort;
    const std::string& name = exprs_.names().junction(id);
    std::string kind = zero ? "0" : "1";
    if (!junction.automaton.valid()) return kind + " " + name + renamed(name, junction.name);
    if (effort != zero) kind += effort ? "/E" : "/F";
    const Automaton& automaton = model_.automata[junction.automaton];
    if (automaton.junction != id) return kind + " " + follower(junction, name);
    std::string text = kind + " " + name + " initially " + automaton.states[at(automaton.initial)];
    const bool usual = automaton.states == std::vector<std::string>{"on", "off"} &&
                       automaton.active == std::vector<bool>{true, false};
    if (usual && automaton.transitions.empty()) return text + renamed(name, junction.name);
    text += " {" + renamed(name, junction.name) + "\n";
    if (!usual)
      text +=
          states(automaton, automaton.active, true) + states(automaton, automaton.active, false);
    for (const Transition& t : automaton.transitions) {
      text += automaton.states[at(t.from)] + " -> " + automaton.states[at(t.to)];
      if (t.physical) text += " after eps";
      if (t.priority) text += " priority " + number_text(*t.priority);
      text += " when " + exprs_.text(t.guard, junction.region) + "\n";
    }
    return text + "}";
  }

  std::string follower(const Junction& junction, const std::string& name) {
    const Automaton& automaton = model_.automata[junction.automaton];
    std::string text = name + " follows " + exprs_.names().junction(automaton.junction);
    if (junction.active == automaton.active) return text + renamed(name, junction.name);
    text += " {" + renamed(name, junction.name) + "\n";
    return text + states(automaton, junction.active, true) +
           states(automaton, junction.active, false) + "}";
  }

  static std::string states(const Automaton& automaton, const std::vector<bool>& actives,
                            bool active) {
    std::string list;
    for (std::size_t i = 0; i < automaton.states.size(); ++i) {
      if (actives[i] != active) continue;
      list += (list.empty() ? (active ? "active " : "inactive ") : ", ") + automaton.states[i];
    }
    return list.empty() ? list : list + "\n";
  }

  std::string end(const model::End& end) {
    if (end.junction.valid()) return exprs_.names().junction(end.junction);
    const std::string& name = exprs_.names().element(end.element);
    const bool field = !model_.elements[end.element].matrix.empty();
    return field ? name + "[" + std::to_string(end.port + 1) + "]" : name;
  }

  std::string bond(BondId id) {
    const model::Bond& bond = model_.bonds[id];
    const std::string& label = exprs_.names().label(id);
    bonds_.push_back(id);
    return (label.empty() ? "" : label + ": ") + end(bond.from) + " -> " + end(bond.to) +
           (is_label(bond.name) ? renamed(label, bond.name) : "");
  }

  // ---- signals

  // In the order in which the model makes states and memories, as far as signals make them: equal
  // orders give results that are equal to the last bit.
  void define(RegionId region) {
    std::vector<Definition> own, others;
    const Keepers& keepers = exprs_.keepers();
    for (std::size_t i = 0; i < model_.signals.size(); ++i) {
      const SignalId id(i);
      const model::Signal& signal = model_.signals[id];
      if (signal.region != region || signal.gathers.valid()) continue;
      Definition definition{i, id, {}, {}};
      const std::string& name = exprs_.names().signal(id);
      const ExprId value = keepers.own_value(id);
      const bool defines = exprs_.defines(id, value);
      if (const ExprId initial = initial_of_input(id); initial.valid()) {
        definition.line = "input " + name + " = " + exprs_.text(initial, region);
      } else {
        definition.line = name + " = " +
                          (defines ? exprs_.call(value, definition.makes)
                                   : exprs_.text(value, region, definition.makes));
      }
      definition.line += renamed(full(signal, name), signal.name);
      own.push_back(std::move(definition));
    }
    for (const ExprWriter::MadeUp& made_up : exprs_.made_up()) {
      if (made_up.region != region) continue;
      Definition definition{kLast, {}, {}, {}};
      definition.line = made_up.name + " = " + exprs_.call(made_up.keeper, definition.makes) +
                        renamed(made_up.name, made_up.comment);
      others.push_back(std::move(definition));
    }
    definitions_.push_back(ordered(std::move(own), std::move(others)));
  }

  // Invalid: it is no input.
  ExprId initial_of_input(SignalId id) const {
    for (const model::Clock& clock : model_.clocks) {
      if (clock.input == id) return clock.initial;
    }
    return {};
  }

  // A mode's own name is shown without the mode.
  std::string full(const model::Signal& signal, const std::string& name) const {
    if (!signal.region.valid()) return name;
    const model::Region& region = model_.regions[signal.region];
    const Automaton& automaton = model_.automata[region.automaton];
    return automaton.name + "." + automaton.states[at(region.state)] + "." + name;
  }

  static std::vector<Definition> ordered(std::vector<Definition> own,
                                         std::vector<Definition> others) {
    // Items of vectors stand behind all other signals, but their states do not.
    auto before = [](const Definition& a, const Definition& b) {
      auto earlier = [](std::size_t x, std::size_t y) { return x < y && y != kLast; };
      return earlier(a.makes.state, b.makes.state) || earlier(a.makes.memory, b.makes.memory);
    };
    std::vector<Definition> all;
    std::vector<bool> done(own.size(), false);
    auto take_earlier = [&](const Definition& next, std::size_t from) {
      for (;;) {
        std::size_t least = kLast;
        bool among_own = false;
        for (std::size_t i = 0; i < others.size(); ++i) {
          if (!before(others[i], next)) continue;
          if (least == kLast || before(others[i], others[least])) least = i;
        }
        for (std::size_t i = from; i < own.size(); ++i) {
          if (done[i] || !before(own[i], next)) continue;
          const Definition* best = least == kLast ? nullptr
                                   : among_own    ? &own[least]
                                                  : &others[least];
          if (best == nullptr || before(own[i], *best)) least = i, among_own = true;
        }
        if (least == kLast) return;
        Definition& taken = among_own ? own[least] : others[least];
        taken.place = next.place;
        all.push_back(taken);
        if (among_own) {
          done[least] = true;
        } else {
          others.erase(others.begin() + static_cast<std::ptrdiff_t>(least));
        }
      }
    };
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (done[i]) continue;
      const bool makes = own[i].makes.state != kLast || own[i].makes.memory != kLast;
      if (makes) take_earlier(own[i], i + 1);
      all.push_back(own[i]);
      done[i] = true;
    }
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

  // ---- what is drawn

  std::string shape(std::size_t index) {
    const model::Shape& shape = model_.animation[index];
    using Kind = model::Shape::Kind;
    const std::string& name = exprs_.names().shape(index);
    const auto value = [&](std::size_t part) {
      return exprs_.text(shape.parts[part].value, shape.region);
    };
    const auto pair = [&](std::size_t first) {
      return " (" + value(first) + ", " + value(first + 1) + ")";
    };
    std::string text;
    switch (shape.kind) {
      case Kind::Circle:
        text = "circle " + name + " at" + pair(0) + " radius " + value(2);
        break;
      case Kind::Box:
        text = "box " + name + " at" + pair(0) + " size" + pair(2);
        if (shape.parts.size() > 4) text += " angle " + value(4);
        break;
      case Kind::Line:
        text = "line " + name + " from" + pair(0) + " to" + pair(2);
        break;
    }
    if (!shape.fill.empty()) text += " fill " + shape.fill;
    if (!shape.label.empty()) text += " label " + syntax::encode_string(shape.label);
    if (shape.when.valid()) text += " when " + exprs_.text(shape.when, shape.region);
    return text + renamed(name, shape.name) + "\n";
  }

  std::string animation(RegionId region) const {
    std::string lines;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (model_.animation[i].region == region) lines += shapes_[i];
    }
    return lines.empty() ? lines : "animate {\n" + lines + "}\n";
  }

  // ---- what is asserted

  std::string assertion(const model::Assertion& assertion) {
    std::string text = assertion.never ? "assert never " : "assert always ";
    text += exprs_.text(assertion.condition, assertion.region);
    if (!assertion.message.empty()) text += ", " + syntax::encode_string(assertion.message);
    return text + "\n";
  }

  std::string assertions(RegionId region) const {
    std::string lines;
    for (std::size_t i = 0; i < assertions_.size(); ++i) {
      if (model_.assertions[i].region == region) lines += assertions_[i];
    }
    return lines;
  }

  // ---- modal models

  RegionId region_of_mode(AutomatonId automaton, int state) const {
    for (std::size_t i = 0; i < model_.regions.size(); ++i) {
      const model::Region& region = model_.regions[RegionId(i)];
      if (region.automaton == automaton && region.state == state) return RegionId(i);
    }
    return {};
  }

  std::string changes(const Automaton& automaton, AutomatonId id) {
    std::string text;
    if (!automaton.modal) return text;
    for (std::size_t i = 0; i < automaton.transitions.size(); ++i) {
      const Transition& t = automaton.transitions[i];
      const RegionId from = region_of_mode(id, t.from), to = region_of_mode(id, t.to);
      text += automaton.states[at(t.from)] + " -> " + automaton.states[at(t.to)];
      if (t.history) text += " history";
      if (t.fallback) text += " default";
      if (t.preemptive) text += " preemptive";
      if (t.immediate) text += " immediate";
      if (t.priority) text += " priority " + number_text(*t.priority);
      text += " when " + exprs_.text(t.guard, from);
      std::string actions;
      for (const model::SetAction& set : t.sets) {
        actions += "set " + exprs_.target(set, to) + " = " + exprs_.text(set.value, from) + "\n";
      }
      for (const auto& [signal, value] : model_.outputs_of(id, static_cast<int>(i))) {
        actions +=
            "output " + exprs_.names().signal(signal) + " = " + exprs_.text(value, from) + "\n";
      }
      text += actions.empty() ? "\n" : " {\n" + actions + "}\n";
    }
    return text;
  }

  void modal(AutomatonId id, std::string& out) {
    const Automaton& automaton = model_.automata[id];
    const std::string& name = exprs_.names().modal(id);
    out += "modal " + name + " initially " + automaton.states[at(automaton.initial)] + " {" +
           renamed(name, automaton.name) + "\n";
    for (std::size_t state = 0; state < automaton.states.size(); ++state) {
      out += std::string(automaton.final[state] ? "final " : "") + "mode " +
             automaton.states[state] + " {\n";
      body(region_of_mode(id, static_cast<int>(state)), out);
      out += "}\n";
    }
    out += changes_[at(id)] + "}\n";
  }

  // ---- the whole

  // What a modal model has in it, by the first of each kind.
  struct First {
    std::size_t element = kLast, junction = kLast, bond = kLast, signal = kLast;
  };
  First first_in(AutomatonId modal) const {
    First first;
    auto note = [&](std::size_t& slot, RegionId region, std::size_t index) {
      for (; region.valid(); region = model_.regions[region].parent) {
        if (model_.regions[region].automaton == modal) slot = std::min(slot, index);
      }
    };
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      note(first.element, model_.elements[ElementId(i)].region, i);
    }
    for (std::size_t i = 0; i < model_.junctions.size(); ++i) {
      note(first.junction, model_.junctions[JunctionId(i)].region, i);
    }
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) {
      note(first.bond, region_of(model_, BondId(i)), i);
    }
    for (std::size_t i = 0; i < model_.signals.size(); ++i) {
      note(first.signal, model_.signals[SignalId(i)].region, i);
    }
    return first;
  }

  // What stands in a region, each kind in the order of the model; modal models where they stood.
  void body(RegionId region, std::string& out) {
    First next;
    next = {0, 0, 0, 0};
    std::size_t definition = 0;
    const std::vector<Definition>& own = definitions_[region.valid() ? at(region) + 1 : 0];
    auto part = [&](const std::string& lines) {
      if (!lines.empty() && !out.ends_with("{\n")) out += "\n";
      out += lines;
    };
    auto until = [&](const First& stop) {
      std::string lines;
      for (std::size_t& i = next.element; i < model_.elements.size() && i < stop.element; ++i) {
        if (model_.elements[ElementId(i)].region == region) lines += elements_[i] + "\n";
      }
      part(lines);
      lines.clear();
      for (std::size_t& i = next.junction; i < model_.junctions.size() && i < stop.junction; ++i) {
        if (model_.junctions[JunctionId(i)].region == region) lines += junctions_[i] + "\n";
      }
      part(lines);
      lines.clear();
      for (std::size_t& i = next.bond; i < model_.bonds.size() && i < stop.bond; ++i) {
        if (region_of(model_, BondId(i)) == region) lines += bond(BondId(i)) + "\n";
      }
      part(lines);
      lines.clear();
      for (; definition < own.size() && own[definition].place < stop.signal; ++definition) {
        lines += own[definition].line + "\n";
      }
      if (stop.signal == kLast) {
        for (; definition < own.size(); ++definition) lines += own[definition].line + "\n";
      }
      part(lines);
    };
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      const Automaton& automaton = model_.automata[AutomatonId(i)];
      if (!automaton.modal || automaton.region != region) continue;
      First stop = first_in(AutomatonId(i));
      // What it lacks says nothing about its place; what it has goes behind what came before it.
      for (std::size_t* slot : {&stop.element, &stop.junction, &stop.bond, &stop.signal}) {
        if (*slot == kLast) *slot = 0;
      }
      until(stop);
      if (!out.ends_with("{\n")) out += "\n";
      modal(AutomatonId(i), out);
    }
    until({});
    part(assertions(region));
    part(animation(region));
  }

  // A > B, but for those that follow from others.
  std::string priorities() {
    std::string text;
    Names& names = exprs_.names();
    auto name = [&](AutomatonId id) {
      const Automaton& automaton = model_.automata[id];
      const std::string& own =
          automaton.modal ? names.modal(id) : names.junction(automaton.junction);
      return names.path(own, automaton.region, {});
    };
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      const std::vector<AutomatonId>& above = model_.automata[AutomatonId(i)].yields_to;
      std::unordered_set<AutomatonId> implied;
      for (AutomatonId middle : above) {
        const std::vector<AutomatonId>& beyond = model_.automata[middle].yields_to;
        implied.insert(beyond.begin(), beyond.end());
      }
      for (AutomatonId before : above) {
        if (implied.contains(before)) continue;
        text += "priority " + name(before) + " > " + name(AutomatonId(i)) + "\n";
      }
    }
    return text.empty() ? text : "\n" + text;
  }

  // Whether it reads what an expression keeps without a name.
  bool hides_memory(ExprId e) const {
    for (ExprId node : model_.pool.below(e, true)) {
      if (exprs_.keepers().at_node(node).kind != Keeper::Kind::None && !exprs_.has_name(node)) {
        return true;
      }
    }
    return false;
  }

  const model::Model& model_;
  ExprWriter exprs_;
  std::vector<std::string> elements_, junctions_, changes_, shapes_, assertions_;
  std::vector<std::vector<Definition>> definitions_;  // of the model, then by region
  std::vector<BondId> bonds_;                         // as written
  std::vector<std::pair<std::string, std::string>> names_;
};

Diagnostic refusal(const std::string& what) {
  return Diagnostic("reduce.unwritable", "the reduced model cannot be written")
      .note("what", what)
      .rule(
          "what is written means the same when it is read again; what the language cannot say "
          "is refused");
}

Written write_all(model::Model& model, const std::vector<std::string>& opening) {
  Written written;
  ModelWriter writer(model);
  const std::string raw = writer.text(opening);
  if (writer.fault()) {
    written.fault = refusal(*writer.fault());
    return written;
  }
  Sources sources;
  Diagnostics diagnostics;
  const int32_t file = sources.add("reduced", raw);
  const syntax::Tree tree = syntax::parse(sources, file, diagnostics);
  if (!diagnostics.has_errors()) {
    written.text = syntax::print(tree);
    const model::Loader nothing{
        [](const std::string&, const std::string&) { return std::nullopt; }};
    const model::Loaded again = model::elaborate({"reduced", written.text}, nothing, {});
    std::string what;
    if (again.model) {
      what = difference(model, *again.model, writer.correspondence());
    } else if (!again.diagnostics.items().empty()) {
      what = again.diagnostics.items().front().message;
    }
    if (what.empty()) {
      written.names = writer.names();
      return written;
    }
    written.fault = refusal(what);
  } else {
    written.fault = refusal(diagnostics.items().front().message);
  }
  written.text.clear();
  return written;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> written_names(model::Model model) {
  ModelWriter writer(model);
  writer.find_names();
  return writer.names();
}

// A drawing that cannot be written is no reason to write nothing.
Written write(model::Model model, const std::vector<std::string>& opening) {
  Written written = write_all(model, opening);
  if (!written.fault || model.animation.empty()) return written;
  model.animation.clear();
  return write_all(model, opening);
}

}  // namespace cradle::reduce
