#include "model/model.hpp"

#include <algorithm>
#include <string_view>

#include "expr/print.hpp"

namespace cradle::model {

std::optional<ExprId> Model::find(const std::string& name) const {
  if (auto place = readable.find(name); place != readable.end()) return place->second;
  constexpr std::string_view opening = "impulse(";
  if (name.starts_with(opening) && name.ends_with(')')) {
    auto inner = readable.find(name.substr(opening.size(), name.size() - opening.size() - 1));
    if (inner == readable.end()) return std::nullopt;
    return pool.unary(expr::Op::ImpulseOf, inner->second);
  }
  for (const Column& column : show) {
    if (column.name == name) return column.value;
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return pool.constant(parameter.value);
  }
  return std::nullopt;
}

namespace {

std::string leaf_name(const Model& model, const expr::Node& leaf) {
  using expr::Op;
  auto at = static_cast<std::size_t>(leaf.ref);
  switch (leaf.op) {
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
    case Op::Memory:
      return "the " + model.memories[MemoryId(at)].name;
    case Op::Choice:
      return "the " + model.choices[ChoiceId(at)].name;
    default:
      return std::string(expr::name(leaf.op));
  }
}

}  // namespace

std::string Model::text(ExprId e) const {
  return expr::to_string(pool, e,
                         [this](const expr::Node& leaf) { return leaf_name(*this, leaf); });
}

std::vector<std::string> Model::readable_names() const {
  std::vector<std::string> names;
  names.reserve(readable.size());
  for (const auto& [name, value] : readable) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cradle::model
