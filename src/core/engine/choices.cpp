#include "core/engine/choices.hpp"

#include <algorithm>

namespace cradle::engine {

int Choices::decide(ChoiceId choice, AutomatonId automaton, std::span<const int> enabled) {
  for (const Made& made : made_) {
    const bool same = made.choice == choice && made.automaton == automaton;
    // An automaton may have to choose again behind an immediate transition, among others.
    if (same && std::find(enabled.begin(), enabled.end(), made.alternative) != enabled.end()) {
      return made.alternative;
    }
  }
  const int alternative = enabled[next(choice, automaton, enabled)];
  made_.push_back({choice, automaton, alternative});
  return alternative;
}

std::size_t Choices::next(ChoiceId choice, AutomatonId automaton, std::span<const int> enabled) {
  std::size_t index = 0;
  if (taken_ < script_.size()) {
    index = static_cast<std::size_t>(script_[taken_]) % enabled.size();
  } else {
    switch (policy_) {
      case ChoicePolicy::Error:
      case ChoicePolicy::All:
        throw OpenChoice{choice, automaton, {enabled.begin(), enabled.end()}};
      case ChoicePolicy::Order:
        break;
      case ChoicePolicy::Random:
        // Not uniform_int_distribution: its results differ between standard libraries.
        index = static_cast<std::size_t>(random_() % enabled.size());
        break;
    }
  }
  ++taken_;
  return index;
}

}  // namespace cradle::engine
