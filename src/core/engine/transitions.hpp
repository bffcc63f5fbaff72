#pragma once
// Transitions: which are enabled, which of them are taken, and what they do.

#include <vector>

#include "core/engine/judge.hpp"
#include "core/engine/touch.hpp"

namespace cradle::engine {

class Transitions {
 public:
  Transitions(Runtime& runtime, InstantEvaluator& inside, Judge& judge, Memories& memories,
              Clusters& clusters, Touch& touch, Audit& audit);

  // One move per automaton that can move; those that yield to another that moves too are held.
  void find_moves(TransitionKind kind, std::vector<Move>& out);
  // Behind each transition to a state that can be left at once, those that leave it.
  void follow_immediate(std::vector<Move>& reaction);
  // Automata of junctions move.
  void apply(const std::vector<Move>& moves);
  // Automata of junctions stand elsewhere, by no transition.
  void put(const std::vector<std::pair<AutomatonId, int>>& states);
  // A transition of a modal model. What lives in the destination starts anew, unless by history.
  void enter(const Move& move);
  void assign(const model::SetAction& set, double value);

  const model::Transition& transition_of(const Move& move) const;
  const std::vector<RegionId>& regions_in(AutomatonId automaton, int state) const;

  // What was last, for messages.
  template <class T>
  static void remember(std::vector<T>& last, const T& item) {
    if (last.size() == kRemembered) last.erase(last.begin());
    last.push_back(item);
  }
  static constexpr std::size_t kRemembered = 12;

 private:
  bool is_enabled(AutomatonId id, int transition, TransitionKind kind);
  void find_open(AutomatonId id, TransitionKind kind);
  void hold_back(std::vector<Move>& moves);
  void move_to(AutomatonId automaton, int state);
  void reset(RegionId region);
  void rebuild(const std::vector<UnitId>& units);
  void put(StateId state, double value);

  const Plan& system_;
  Runtime& runtime_;
  State& state_;
  InstantEvaluator& inside_;
  Judge& judge_;
  Memories& memories_;
  Clusters& clusters_;
  Touch& touch_;
  Audit& audit_;
  std::vector<int> open_;                             // scratch
  std::vector<UnitId> changed_units_;                 // scratch
  std::vector<std::pair<AutomatonId, int>> targets_;  // scratch
};

}  // namespace cradle::engine
