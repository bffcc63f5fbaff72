#pragma once
// The code of a mode (core/plan/mode_code.hpp) at work: registers, and where its inputs come from.
// On doubles while time flows; on Taylor coefficients as intervals (core/solve/jet.hpp), which
// proves where an expression has no root.
//
// The code is shared by all runs of a plan. This belongs to a cluster of one run, and is kept with
// it. Where there is no code the evaluator is asked (flow_evaluator.hpp).

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/engine/flow_evaluator.hpp"
#include "core/engine/runtime.hpp"
#include "core/plan/compiled.hpp"
#include "core/plan/mode_code.hpp"
#include "core/plan/recurrence.hpp"
#include "core/solve/crossing.hpp"

namespace cradle::engine {

class FlowCode {
 public:
  // Reads the clusters that are in force now. `proves`: it can be expanded.
  FlowCode(const Runtime& runtime, std::shared_ptr<const plan::ModeCode> code, bool proves);

  // Loads what is frozen.
  void refresh(FlowEvaluator& flow, const Runtime& runtime);
  // All results, from all states of the cluster. False: they are not sound there, and have to be
  // computed otherwise.
  bool run(double t, std::span<const double> x, std::span<double> results);
  // The one result of an expression, on the dense output; where that is not sound: nothing.
  std::optional<double> run(double t);
  // The same on [a, b]: see solve::Gap::expand.
  void expand(double a, double b, solve::Gap::Where where, solve::Jet& out);
  const plan::ModeCode& code() const { return *code_; }
  // Of rates that are linear: see solve::Rhs::expand.
  std::optional<solve::Reach> reach_of_motion(double t, double unit, int order);
  std::optional<solve::Expansion> expand_motion(double t, std::span<const double> x, double unit,
                                                int order, std::vector<double>& series);
  std::size_t bytes() const;

 private:
  void make_recurrence();
  bool is_sound() const;
  // Machine code, if it is hot and there is some.
  struct Fast {
    const machine::Program* program = nullptr;
    bool asked = false;
  };
  const machine::Program* find(Fast& fast, std::span<const int> components);
  const machine::Program* find_on_dense_output();
  template <class Scalar, class Env>
  void execute(std::vector<Scalar>& registers, std::size_t begin, std::size_t end, Env& env) {
    plan::execute<Scalar>(code_->list, begin, end, env, registers.data(), plan::Truths::Frozen);
  }

  std::shared_ptr<const plan::ModeCode> code_;
  std::vector<double> registers_;
  std::vector<solve::Jet> jets_;  // the same, if it proves
  struct Input {                  // by the part of what loads a state
    int component;
    const solve::Solver* dense;
  };
  std::vector<Input> inputs_;
  std::optional<plan::Recurrence> recurrence_;  // made when it is first asked for
  bool recurrence_made_ = false;
  std::vector<int> components_;  // of the inputs
  plan::Heat heat_;
  Fast on_states_, on_dense_output_;
  std::vector<double> dense_;  // the states that an expression reads, by part
};

// ∂ẋ/∂x of a cluster, with the pattern by which a solver knows it.
class JacobianCode {
 public:
  // Null where there would be too many entries on the way to it.
  static std::unique_ptr<JacobianCode> make(const Runtime& runtime, const Cluster& cluster);
  JacobianCode(const Runtime& runtime, plan::Jacobian jacobian, int dimension);

  const solve::Pattern& pattern() const { return pattern_; }
  void refresh(FlowEvaluator& flow, const Runtime& runtime) { code_.refresh(flow, runtime); }
  void run(double t, std::span<const double> x, std::span<double> entries);
  std::size_t bytes() const;

 private:
  FlowCode code_;
  solve::Pattern pattern_;
  std::vector<int> places_;  // by result: in the entries of the pattern
  std::vector<double> results_;
};

// The code of a cluster's rates, and of the gap of a comparison that reads these clusters, which
// are in force. It may not exist. Found with the modes of the plan.
std::shared_ptr<const plan::ModeCode> find_rates(const Runtime& runtime, const Cluster& cluster);
// Of the efforts and flows of a cluster in force that someone measures, always the same ones.
std::shared_ptr<const plan::ModeCode> find_powers(const Runtime& runtime, const Cluster& cluster,
                                                  std::span<const plan::IslandVariable> measured);
std::shared_ptr<const plan::ModeCode> find_gap(const Runtime& runtime, ComparisonId comparison,
                                               plan::Reader reader);
// How the gap of a border moves (plan::Comparison::gap_rate).
std::shared_ptr<const plan::ModeCode> find_gap_speed(const Runtime& runtime, ComparisonId border);

}  // namespace cradle::engine
