#pragma once
// Sliding (semantics, 6.2): where both sides of a border push back to it, the run goes on along it.
//
//   a border    g = 0 is where comparisons of the same two things change: on either side rates have
//               other truths, or a modal model, a relay, is in another of two modes
//   begins      when g has just come to zero and d/dt g, as each side makes it, points to the
//   other;
//               events are not counted
//   the rates   are the mean of those of the sides that keeps g at zero (Filippov), and so is every
//               value that is shown (sides.hpp)
//   ends        where the share of a side would become negative, which is located like a crossing
//               (watcher.hpp), or when something else takes the state away from there
//
// Several borders at once: the shares are solved for together. Which of the borders that the run
// stands on are slid along is a complementarity problem (find_ways): no solution, or more than one,
// is an error.

#include <span>
#include <vector>

#include "core/engine/clusters.hpp"
#include "core/engine/flow_evaluator.hpp"
#include "core/engine/instant_evaluator.hpp"

namespace cradle::engine {

class Sliding {
 public:
  Sliding(Runtime& runtime, FlowEvaluator& flow, InstantEvaluator& inside)
      : plan_(runtime.system),
        runtime_(runtime),
        state_(runtime.state),
        flow_(flow),
        inside_(inside) {}

  // What tolerance and rounding have left of the gaps of a cluster at t is taken back, in x.
  enum class Drift { None, BeyondRounding, BeyondTolerance };
  Drift project(const Cluster& cluster, double t, std::span<double> x);
  // The same of a cluster that has arrived at the present, in the state. True if it was more than
  // rounding.
  bool project(const Cluster& cluster);
  // One side of a border lets go: the state is put just on the other.
  void release(ComparisonId border);
  // Forgets borders that the present instant has taken the state away from. Their comparisons are
  // added to `out`.
  void forget_left(std::vector<ComparisonId>& out);
  // At the end of an instant at which these truths have changed and these modal models have moved:
  // goes along the borders that push back. Those are added to `out`.
  void begin(std::span<const ComparisonId> flipped, std::span<const AutomatonId> moved,
             std::vector<ComparisonId>& out);

 private:
  void add_candidate(ComparisonId border, std::vector<Slide>& out) const;
  void add_relays(AutomatonId automaton, std::vector<Slide>& out);
  bool is_relay(AutomatonId automaton, int transition, ComparisonId comparison);
  bool has_own_memory(AutomatonId automaton, int mode) const;
  bool is_reached(std::size_t slide);
  void check_sums(const GapRates& rates);
  std::vector<Way> choose(const std::vector<std::vector<Way>>& ways) const;
  void judge(Slide& slide, double t, double speed) const;
  double shift(const Cluster& cluster, double t, std::span<double> x, std::size_t slide,
               double target);
  void put(const Cluster& cluster, std::span<const double> x);
  void end(std::size_t slide);

  const Plan& plan_;
  Runtime& runtime_;
  State& state_;
  FlowEvaluator& flow_;
  InstantEvaluator& inside_;
  std::vector<double> x_, below_, above_;
};

}  // namespace cradle::engine
