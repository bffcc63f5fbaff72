#pragma once
// Who decides where a model leaves open what happens (semantics, section 8): nobody (an error), the
// order of the text, a seeded generator, or a script, which is how exploration walks through all
// outcomes.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "base/basics/ids.hpp"
#include "cradle/cradle.hpp"

namespace cradle::engine {

// A choice that nothing resolves.
struct OpenChoice {
  ChoiceId choice;        // or
  AutomatonId automaton;  // with its enabled transitions
  std::vector<int> alternatives;
};

class Choices {
 public:
  explicit Choices(const Options& options)
      : policy_(options.choice), random_(options.seed), script_(options.decisions) {}

  // A new microstep: decisions made for the last one are forgotten.
  void begin() { made_.clear(); }
  // Is a declared order to be followed?
  bool follows_order() const {
    return policy_ == ChoicePolicy::Error || policy_ == ChoicePolicy::Order;
  }
  // One of the enabled alternatives, the same however often it is asked within a microstep.
  int decide(ChoiceId choice, std::span<const int> enabled) { return decide(choice, {}, enabled); }
  int decide(AutomatonId automaton, std::span<const int> enabled) {
    return decide({}, automaton, enabled);
  }
  struct Made {
    ChoiceId choice;
    AutomatonId automaton;
    int alternative;
  };
  // At the present microstep.
  const std::vector<Made>& made() const { return made_; }

 private:
  int decide(ChoiceId choice, AutomatonId automaton, std::span<const int> enabled);
  std::size_t next(ChoiceId choice, AutomatonId automaton, std::span<const int> enabled);

  ChoicePolicy policy_;
  std::mt19937_64 random_;
  std::vector<int> script_;
  std::vector<Made> made_;
  std::size_t taken_ = 0;  // decisions so far
};

}  // namespace cradle::engine
