#pragma once
// Values inside an instant: numbers a + bω, comparisons computed from their operands, and the
// *a posteriori* state x⁺ of the mode that is being tried (semantics, sections 4 to 6).
//
//   committed view:  x as it stands, no jump, no impulses: what physical transitions are judged on
//   tried view:      x⁺ = x + L Y with Y the impulses of the mode: what inference is judged on
//
// Everything is computed on demand and at most once per microstep: of a jump only the constraints
// that a value depends on, so an output that depends on stored state alone does not wait for the
// island's inputs.
//
// The least fixed point (section 7): where signals do not read each other in a circle, the order of
// demand is an order in which one pass suffices. What is met again while it is being computed is
// unknown; if that leaves a result unknown, the signals that stand in circles (found once, from the
// structure) are evaluated until nothing more becomes known. Values never change once they are
// known, so what was computed on the way stays.

#include <optional>
#include <span>
#include <vector>

#include "core/engine/choices.hpp"
#include "core/engine/flow_evaluator.hpp"
#include "core/engine/order.hpp"
#include "core/engine/runtime.hpp"

namespace cradle::engine {

class InstantEvaluator {
 public:
  enum class View { Committed, Tried };

  InstantEvaluator(Runtime& runtime, FlowEvaluator& arrival, Choices& choices,
                   FlowEvaluator::Who who = FlowEvaluator::Who::Run);

  // Over: as when time goes on; events have fallen silent, and what is kept has been taken up.
  enum class Events { Heard, Over };
  void begin(View view, Events events = Events::Heard);
  View view() const { return view_; }
  Events events() const { return events_; }
  // False of what is absent.
  bool holds(const plan::Code& guard);
  // The truth of a comparison; of a detector's, with a margin that depends on the truth before.
  bool judge(ComparisonId comparison, bool before);
  // Computes every signal that stands in a circle; throws LoopFault if one of them stays unknown.
  void complete();
  plan::Value value(ExprId expr);
  // Where the run slides along borders, a mean over their sides.
  plan::Value value(const plan::Code& code);
  // How the gap of a border that the run slides along moves on its sides, others being as they are,
  // and the share of the side above. Nothing: the state is not on it any more.
  struct Pushes {
    double below = 0, above = 0, share = 0;
  };
  std::optional<Pushes> pushes(std::size_t slide);
  // The transitions that a modal model takes behind this fixed point: one, and behind it immediate
  // ones, each judged before its mode has said anything.
  struct Chain {
    std::vector<int> transitions;
    int cycle = -1;         // the state at which immediate transitions were seen to go in a circle
    std::vector<int> open;  // scratch
  };
  const Chain& chain(AutomatonId modal);
  // One of the enabled transitions, by declared priority or else by the policy of the run.
  int choose(AutomatonId automaton, const std::vector<int>& open);
  // The weight of the impulse that an integral takes at this microstep.
  double weight(StateId integral);

  // x⁺ of a state, and whether the slot's state really jumps (not by rounding alone).
  double state_plus(StateId id);
  // The same with what tolerance and rounding have left of a constraint projected away: what is
  // committed. Guards are judged without that, on the very numbers that were watched.
  double state_projected(StateId id);
  bool jumps(Slot& slot);
  // What a state has been worth, or the magnitudes that were added up to x⁺ of it.
  double worth_plus(StateId id, bool projected);
  // What tolerance and rounding have left of the constraints of an island, as changes of its
  // states, if that is all there is to restore: false if something really jumps.
  bool find_drift(Slot& slot, std::vector<double>& changes);
  bool factor_tangent(Slot& slot, linear::RankRevealingLu& out, std::vector<double>& left_over);
  uint64_t stamp() const { return stamp_; }  // of this evaluation
  // Impulses p′ and q′ of all bonds of an island, by local variable.
  void impulses(Slot& slot, std::vector<double>& out);
  Number variable(Slot& slot, int local);
  Number power(expr::Op op, BondId bond);
  Number power_here(expr::Op op, BondId bond);
  // Dirac weights of an island's sources, by equation; empty if there are none.
  std::span<const double> weights(Slot& slot);

  plan::Value leaf(expr::Op op, int32_t ref, int32_t part);
  // For messages: what a signal is worth, unknown if it could not be computed.
  plan::Value known(SignalId id) const;
  bool truth(int32_t) const { return false; }  // all are judged
  // On a border that the run slides along, the truth is that of the side that is looked at, or that
  // on the border itself.
  plan::Value compare(expr::Op op, int32_t comparison, const plan::Value& a, const plan::Value& b);
  void abandon() {
    stack_.clear();
    trail_.clear();
    enabled_.clear();
    order_.abandon();
    locals_ = {};
    trial_ = {};
    on_side_ = false;
    depth_ = 0;
  }

 private:
  template <class Work>
  void on_each_side(Work&& work);
  template <class Compute>
  plan::Value mean(Compute&& compute);
  bool find_shares();
  // Nothing is being computed that a side could get in the way of.
  bool may_take_sides() const {
    return !runtime_.state.slides.empty() && !on_side_ && depth_ == 0 && trial_.island == nullptr;
  }
  plan::Value signal_here(SignalId id);
  bool is_suspended(AutomatonId automaton, int transition) const;
  // What has been computed on an island at the present microstep.
  struct Scratch {
    const Island* island = nullptr;
    uint64_t stamp = 0;                    // what is below belongs to this evaluation
    std::vector<uint8_t> violation_state;  // by constraint: 0 unknown, 1 being computed, 2 known
    std::vector<double> violations;        // ℓ b at x⁻
    std::vector<double> significant;       // the same, 0 where it is rounding
    std::vector<double> scales;            // the magnitudes that were added up to it
    bool weights_collected = false, has_weights = false;
    std::vector<double> weights;        // Dirac weights by equation
    std::vector<uint8_t> weight_state;  // by impulsive source: 0 unknown, 1 being computed, 2 known
    uint8_t whole_state = 0;  // 0 unknown, 1 jump being solved, 2 jump known, 3 flow known too
    std::vector<double> impulses, x_plus, x_projected, y, b, b_rate;
    std::vector<double> noise;  // of impulses, of an island that is direct
    bool jumped = false;
  };
  double committed(StateId id) const { return runtime_.state_at(id, runtime_.state.now); }
  plan::Value signal(SignalId id);
  plan::Value tried_signal(SignalId id);
  plan::Value compute(SignalId id);
  int tried_state(StateId id) const;
  void load_start(const Island& island, std::vector<double>& y) const;
  plan::Value integral(StateId id);
  plan::Value choice(ChoiceId id);
  plan::Value output(OutputId id);
  plan::Value said(AutomatonId automaton, const model::Output& output);
  bool find_chain(AutomatonId id);
  bool find_open(AutomatonId id, int state, bool entering);
  plan::Value choice_above(ChoiceId id, std::size_t base);
  plan::Value settled(const plan::Code& code);
  plan::Value run(const plan::Code& code) {
    return plan::run<plan::Value>(code, *this, stack_, plan::Truths::Judged);
  }
  void iterate();
  [[noreturn]] void nonconstructive() const;
  std::optional<double> pre(PreId id);
  Scratch& refresh(Slot& slot);
  Number number(ExprId expr);
  double finite(ExprId expr);
  double violation(Slot& slot, Scratch& scratch, int k, bool significant_only);
  double impulse(Slot& slot, int local, bool significant_only);
  double weight(Slot& slot, Scratch& scratch, std::size_t source);
  double response(Slot& slot, Scratch& scratch, int local);
  void collect_weights(Slot& slot, Scratch& scratch);
  Scratch& solve_whole(Slot& slot, bool state_only);
  void solve_jump(Slot& slot, Scratch& scratch);
  void solve_flow(Slot& slot, Scratch& scratch);
  double plus(StateId id, bool projected);
  double right_side(const plan::Equation& equation, bool plus);
  plan::Value kept(MemoryId id) const;
  [[noreturn]] void loop(const Slot& slot) const;

  Runtime& runtime_;
  FlowEvaluator& arrival_;
  FlowEvaluator::Who who_;
  std::vector<std::unique_ptr<Scratch>> scratch_;  // by the first cell of an island
  Choices& choices_;
  Events events_ = Events::Heard;
  View view_ = View::Committed;
  uint64_t stamp_ = 0;
  std::vector<plan::Value> stack_;
  std::span<const double> locals_;
  std::vector<plan::Value> signals_;
  std::vector<uint64_t> signal_stamp_;
  std::vector<uint64_t> signal_busy_, power_busy_;  // being computed; power: effort, flow by bond
  std::vector<double> weights_;                     // of integrals with an impulse, by state
  std::vector<uint64_t> weight_stamp_, weight_busy_;
  std::vector<Chain> chains_;  // by automaton
  std::vector<uint64_t> chain_stamp_, chain_busy_;
  std::vector<int> enabled_;  // alternatives of choices that are being made
  // While an island is being solved together with what reads it, as in FlowEvaluator.
  plan::IslandInputs::Trial trial_;
  uint64_t trial_stamp_ = 0;
  std::vector<plan::Value> tried_signals_;
  std::vector<uint64_t> tried_stamp_, tried_busy_;
  std::vector<SignalId> trail_;
  SignalOrder order_;
  bool on_side_ = false;
  int depth_ = 0;  // of signals and equations that are being computed
  std::vector<double> shares_;
  GapRates gap_rates_;  // that they follow from
  uint64_t shares_stamp_ = 0;

  friend class InstantInputs;
};

}  // namespace cradle::engine
