#include "language/model/model.hpp"

#include <algorithm>
#include <string_view>

#include "language/expr/print.hpp"
#include "language/syntax/units.hpp"

namespace cradle::model {

std::optional<ExprId> Model::find(const std::string& name) const {
  const auto place = readable.find(name);
  return place == readable.end() ? std::nullopt : std::optional(place->second);
}

std::optional<Reading> Model::reading(const std::string& name) const {
  if (const std::optional<ExprId> found = find(name)) return Reading{*found};
  constexpr std::string_view opening = "impulse(";
  if (name.starts_with(opening) && name.ends_with(')')) {
    const auto inner = find(name.substr(opening.size(), name.size() - opening.size() - 1));
    if (!inner) return std::nullopt;
    // Of what cannot carry one, nothing is read.
    if (pool.is_impulse_free(*inner)) return Reading{};
    return Reading{*inner, true};
  }
  for (const Column& column : show) {
    if (column.name == name) return Reading{column.value};
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.name != name) continue;
    if (parameter.slot.valid()) return Reading{slots[parameter.slot].leaf};
    return Reading{{}, false, parameter.value};
  }
  return std::nullopt;
}

std::string Model::unit_of(const std::string& name) const {
  if (const auto found = units.find(name); found != units.end()) return found->second;
  constexpr std::string_view opening = "impulse(";
  if (!name.starts_with(opening) || !name.ends_with(')')) return {};
  const auto inner = units.find(name.substr(opening.size(), name.size() - opening.size() - 1));
  return inner == units.end() ? std::string() : units::times_second(inner->second);
}

std::optional<SlotId> Model::slot_of(const std::string& name) const {
  const auto found = slot_index.find(name);
  return found == slot_index.end() ? std::nullopt : std::optional(found->second);
}

namespace {

std::string leaf_name(const Model& model, const expr::Node& leaf) {
  using expr::Op;
  auto at = static_cast<std::size_t>(leaf.ref);
  switch (leaf.op) {
    case Op::Parameter:
      return model.slots[SlotId(at)].name;
    case Op::Effort:
      return model.bonds[BondId(at)].name + ".e";
    case Op::Flow:
      return model.bonds[BondId(at)].name + ".f";
    case Op::State:
      return model.states[StateId(at)].name;
    case Op::Signal:
      return model.signals[SignalId(at)].name;
    case Op::InMode: {
      const Automaton& automaton = model.automata[AutomatonId(at)];
      return automaton.name + "." + automaton.states[static_cast<std::size_t>(leaf.value)];
    }
    case Op::Active:
      return model.automata[AutomatonId(at)].name + ".active";
    case Op::Input: {
      const std::string& name = model.signals[model.clocks[ClockId(at)].input].name;
      const auto part = static_cast<InputPart>(leaf.value);
      return part == InputPart::Slope   ? "the slope of " + name
             : part == InputPart::Since ? "the time at which " + name + " was set"
                                        : name;
    }
    case Op::Memory:
      return "the " + model.memories[MemoryId(at)].name;
    case Op::Output:
      return "an output of " + model.automata[model.outputs[OutputId(at)].automaton].name;
    case Op::Choice:
      return "the " + model.choices[ChoiceId(at)].name;
    default:
      return std::string(expr::name(leaf.op));
  }
}

}  // namespace

std::vector<JunctionId> Model::junctions_of(AutomatonId automaton) const {
  const Automaton& a = automata[automaton];
  std::vector<JunctionId> all = a.followers;
  if (a.junction.valid()) all.insert(all.begin(), a.junction);
  return all;
}

std::vector<AutomatonId> Model::with_predecessors(AutomatonId automaton) const {
  std::vector<AutomatonId> all{automaton};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (AutomatonId other : automata[all[i]].yields_to) {
      if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(other);
    }
  }
  return all;
}

std::vector<std::pair<SignalId, ExprId>> Model::outputs_of(AutomatonId automaton,
                                                           int transition) const {
  std::vector<std::pair<SignalId, ExprId>> found;
  for (const Output& output : outputs) {
    if (output.automaton != automaton) continue;
    for (const Output::Part& part : output.parts) {
      if (part.transition == transition) found.emplace_back(output.signal, part.value);
    }
  }
  return found;
}

std::vector<ExprId> Model::inputs_of(const Output& output) const {
  std::vector<ExprId> all;
  for (const Output::Part& part : output.parts) {
    all.push_back(part.value);
    if (part.entering.valid()) all.push_back(part.entering);
  }
  for (AutomatonId automaton : with_predecessors(output.automaton)) {
    for (const Transition& transition : automata[automaton].transitions) {
      all.push_back(transition.guard);
    }
  }
  return all;
}

std::string Model::text(ExprId e) const {
  return expr::to_string(pool, e,
                         [this](const expr::Node& leaf) { return leaf_name(*this, leaf); });
}

std::string Model::text(const expr::Node& leaf) const { return leaf_name(*this, leaf); }

std::vector<std::string> Model::readable_names() const {
  std::vector<std::string> names;
  names.reserve(readable.size());
  for (const auto& [name, value] : readable) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cradle::model
