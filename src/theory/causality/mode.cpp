#include <cstddef>

#include "theory/causality/causality.hpp"

namespace cradle::causality {

Mode initial_mode(const model::Model& model) {
  Mode mode;
  mode.reserve(model.automata.size());
  for (const model::Automaton& automaton : model.automata) mode.push_back(automaton.initial);
  return mode;
}

bool is_active(const model::Model& model, const Mode& mode, JunctionId junction) {
  AutomatonId id = model.junctions[junction].automaton;
  if (!id.valid()) return true;
  int state = mode[static_cast<std::size_t>(id.index)];
  return model.is_active(junction, state);
}

std::string describe(const model::Model& model, const Mode& mode) {
  std::string text = "{";
  for (std::size_t i = 0; i < mode.size(); ++i) {
    const model::Automaton& automaton = model.automata[AutomatonId(i)];
    if (i > 0) text += ", ";
    text += automaton.name + " " + automaton.states[static_cast<std::size_t>(mode[i])];
  }
  return text + "}";
}

namespace {

// The states that an automaton can come to, in order, without its initial one.
std::vector<int> other_states(const model::Model& model, const model::Automaton& automaton) {
  std::vector<bool> reached(automaton.states.size(), false);
  std::vector<int> open = {automaton.initial};
  reached[static_cast<std::size_t>(automaton.initial)] = true;
  while (!open.empty()) {
    int from = open.back();
    open.pop_back();
    for (const model::Transition& transition : automaton.transitions) {
      if (transition.from != from || reached[static_cast<std::size_t>(transition.to)]) continue;
      ExprId guard = transition.guard;
      bool never =
          guard.valid() && model.pool.is_constant(guard) && model.pool.constant_value(guard) == 0;
      if (never) continue;
      reached[static_cast<std::size_t>(transition.to)] = true;
      open.push_back(transition.to);
    }
  }
  std::vector<int> others;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] && static_cast<int>(i) != automaton.initial)
      others.push_back(static_cast<int>(i));
  }
  return others;
}

}  // namespace

std::vector<Mode> enumerate_modes(const model::Model& model, int limit, bool& complete) {
  std::vector<std::vector<int>> others;
  for (const model::Automaton& automaton : model.automata) {
    // Modal models switch no junctions, so strokes and solutions are the same in all their modes.
    others.push_back(automaton.modal ? std::vector<int>() : other_states(model, automaton));
  }
  complete = true;
  if (limit <= 0) {
    complete = false;
    return {};
  }
  // Each mode is followed by those that change one automaton further on, so none comes twice.
  std::vector<Mode> modes = {initial_mode(model)};
  std::vector<std::size_t> next_automaton = {0};
  for (std::size_t i = 0; i < modes.size(); ++i) {
    for (std::size_t a = next_automaton[i]; a < others.size(); ++a) {
      for (int state : others[a]) {
        if (modes.size() >= static_cast<std::size_t>(limit)) {
          complete = false;
          return modes;
        }
        modes.push_back(modes[i]);
        modes.back()[a] = state;
        next_automaton.push_back(a + 1);
      }
    }
  }
  return modes;
}

}  // namespace cradle::causality
