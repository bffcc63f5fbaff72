#pragma once
// One instant of real time: section 6 of the semantics.
//
//   begin: arrive at ⟨t, 0⟩ with committed x; who is touched by what brought the instant about?
//   for k = 0, 1, …                                     ε-steps
//     move automata on physical transitions, judged on committed x
//     for n = 0, 1, …                                   microsteps
//       x⁺, impulses ← jump(mode, x)                    on demand, always from x
//       signals ← the least fixed point                 on demand, see instant_evaluator.hpp
//       ⟨t + kε, n⟩ is to be seen
//       if inference transitions are enabled, judged on series (judge.hpp): move them and try again
//           from the same x; a mode tried before from this x: from the beginning, one at a time,
//           least index first; if that comes round, too, it is an error, with the cycle
//       commit x ← x⁺, memories; take transitions of modal models
//       if a store jumped, or no memory has anything to say and no modal model moved: stop
//     if nothing jumped and no physical transition is enabled: stop
//   borders that both sides push back to are slid along from here (sliding.hpp)
//   end: solvers begin anew where something changed, and comparisons are watched from here
//
// Between two microsteps all there is to know stands in the state (Progress), so that a run can be
// copied there and go on twice. All work is on what is touched.

#include <vector>

#include "core/engine/judge.hpp"
#include "core/engine/onlookers.hpp"
#include "core/engine/projection.hpp"
#include "core/engine/transitions.hpp"

namespace cradle::engine {

// What an instant works with.
struct Tools {
  Runtime& runtime;
  FlowEvaluator& arrival;
  InstantEvaluator& inside;
  Choices& choices;
  Memories& memories;
  Clusters& clusters;
  Sliding& sliding;
  Positions& positions;
  Agenda& agenda;
  Watcher& watcher;
  Onlookers& onlookers;
};

class InstantMaker {
 public:
  explicit InstantMaker(const Tools& tools);

  void begin(double t, const Triggers& triggers);
  // One microstep. False: the instant is over, and time goes on from here.
  bool step();
  // After the state has been replaced.
  void follow_state();

  // Watches these from here on, with their truths as they are.
  void judge_anew(std::span<const ComparisonId> comparisons);
  // The state of a run that begins has been set.
  void judge_all();

 private:
  enum class After { Microstep, EpsilonStep, Nothing };
  bool begin_epsilon();
  bool starts_with_a_jump();
  After microstep();
  void happen();
  std::vector<ComparisonId> released_by(const Triggers& triggers) const;
  void complete();
  void infer();
  bool judge_more_finely();
  bool find_reaction();
  bool react();
  bool commit();
  void commit_integrals(const Cluster& cluster);
  void check_resistors(Slot& slot);
  void remember_pres(const std::vector<PreId>& pres);
  bool is_preempted(RegionId region) const;
  RegionId region_of(const Island& island) const;
  void arrive();
  void settle(const Touched& touched);
  bool is_settled();
  void check_strain();
  void begin_inference();
  void mode_signature(const std::vector<Move>& moves);
  bool judge(ComparisonId comparison, bool before);
  void refresh_truths(std::span<const ComparisonId> comparisons);

  void end();
  void leave(Touched& touched);
  void begin_sliding(const Touched& touched);
  void show_sliding();
  void restart(Cluster& cluster);
  void refresh_all(Touched& touched);
  void check_followed();
  void add_comparison(ComparisonId comparison);
  void add_comparisons(const std::vector<ComparisonId>& comparisons);
  void add_comparisons_of(AutomatonId automaton);
  void add_partners(ComparisonId comparison);
  void look_for_accumulation(const Touched& touched);
  void accumulate_at(const Accumulation& found);

  const Plan& system_;
  Runtime& runtime_;
  State& state_;
  Progress& progress_;
  FlowEvaluator& arrival_;
  InstantEvaluator& inside_;
  Choices& choices_;
  Memories& memories_;
  Clusters& clusters_;
  Sliding& sliding_;
  Agenda& agenda_;
  Watcher& watcher_;
  Onlookers& onlookers_;
  Judge judge_;
  Projection projection_;
  Touch touch_;
  Transitions transitions_;
  std::vector<char> integral_may_jump_;  // by state

  // Of the present microstep; kept, so that it allocates nothing.
  std::vector<Move> moves_, reaction_;
  Assignments sets_;
  std::vector<RegionId> preempted_;  // regions that are left by force
  std::vector<double> impulses_;
  struct Plus {
    StateId id;
    double value, worth;
  };
  std::vector<Plus> plus_;
  std::vector<Cluster*> clusters_scratch_, leaving_;
  std::vector<ComparisonId> changed_comparisons_;
  std::vector<ComparisonId> watching_;  // to be watched anew when time goes on
  std::vector<uint32_t> comparison_mark_;
  std::vector<double> restart_scratch_;
  bool integrals_jumped_ = false;  // at the present microstep
  bool late_jump_ = false;         // by an impulse in their derivative
};

}  // namespace cradle::engine
