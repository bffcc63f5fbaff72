#include "simulate/choices.hpp"

#include <algorithm>

namespace cradle::simulate {

int Choices::decide(ChoiceId choice, const std::vector<int>& enabled) {
  return decide({choice, {}, enabled});
}

int Choices::decide(AutomatonId automaton, const std::vector<int>& enabled) {
  return decide({{}, automaton, enabled});
}

int Choices::decide(OpenChoice&& open) {
  for (const Made& made : made_) {
    const bool same = made.choice == open.choice && made.automaton == open.automaton;
    // An automaton may have to choose again behind an immediate transition, among others.
    if (same && std::find(open.alternatives.begin(), open.alternatives.end(), made.alternative) !=
                    open.alternatives.end()) {
      return made.alternative;
    }
  }
  made_.push_back({open.choice, open.automaton, next(open)});
  return made_.back().alternative;
}

int Choices::next(const OpenChoice& open) {
  const std::vector<int>& enabled = open.alternatives;
  std::size_t index = 0;
  if (taken_ < script_.size()) {
    index = static_cast<std::size_t>(script_[taken_]) % enabled.size();
  } else {
    switch (policy_) {
      case ChoicePolicy::Error:
      case ChoicePolicy::All:
        throw OpenChoice(open);
      case ChoicePolicy::Order:
        break;
      case ChoicePolicy::Random:
        // Not uniform_int_distribution: its results differ between standard libraries.
        index = static_cast<std::size_t>(random_() % enabled.size());
        break;
    }
  }
  ++taken_;
  return enabled[index];
}

}  // namespace cradle::simulate
