#include "core/engine/choices.hpp"

#include <algorithm>
#include <random>

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
  if (drawn_.decisions < script_.size()) {
    index = static_cast<std::size_t>(script_[drawn_.decisions]) % enabled.size();
  } else {
    switch (policy_) {
      case ChoicePolicy::Error:
      case ChoicePolicy::All:
        throw OpenChoice{choice, automaton, {enabled.begin(), enabled.end()}};
      case ChoicePolicy::Order:
        break;
      case ChoicePolicy::Random: {
        // The n-th number of the seed, so that a count is all there is to know. Not
        // uniform_int_distribution: its results differ between standard libraries.
        std::mt19937_64 random(seed_);
        random.discard(drawn_.draws++);
        index = static_cast<std::size_t>(random() % enabled.size());
        break;
      }
    }
  }
  ++drawn_.decisions;
  return index;
}

}  // namespace cradle::engine
