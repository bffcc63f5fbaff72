#pragma once
// Who decides where a model leaves open what happens (semantics, section 8): nobody (an error), the
// order of the text, a seeded generator, or a script, which is how exploration walks through all
// outcomes.

#include <cstdint>
#include <span>
#include <vector>

#include "base/basics/ids.hpp"
#include "core/engine/state.hpp"
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
  Choices(const Options& options, Drawn& drawn)
      : policy_(options.choice), seed_(options.seed), script_(options.decisions), drawn_(drawn) {}

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
  // The next decisions.
  void follow(std::vector<int> script) {
    script_ = std::move(script);
    drawn_.decisions = 0;
  }
  // What another has decided, and would decide next.
  void look_at(const Choices& other) {
    script_ = other.script_;
    drawn_ = other.drawn_;
    made_ = other.made_;
  }

 private:
  int decide(ChoiceId choice, AutomatonId automaton, std::span<const int> enabled);
  std::size_t next(ChoiceId choice, AutomatonId automaton, std::span<const int> enabled);

  ChoicePolicy policy_;
  uint64_t seed_;
  std::vector<int> script_;
  Drawn& drawn_;
  std::vector<Made> made_;
};

}  // namespace cradle::engine
