#pragma once
// What constraints bind, kept where they have put it: a solver's steps are as exact as its
// tolerance, but they add up.
//
// Stores that depend on each other are bound directly: what is left of ℓ b = 0 is taken back where
// it is more than the tolerance, before an instant takes it for a jump.
//
// A modulated TF binds velocities: c(q)·q̇ = 0, where q are integrals of these velocities, as the
// model states them. If c is a gradient, ∇Φ, positions are bound, too: Φ(q) does not change. A
// solver's steps keep it to their tolerance only, and steps add up: a pendulum's rod grows. So
// behind each step
//
//     Φ(q₁) − Φ(q₀) = ∫ c(q)·dq        along the straight line from one end to the other
//
// is what the step has added, and q is put back along c; then velocities are bound again, where the
// positions are now.
//
// c is a left null vector of M(q), up to a factor that may vary with q: it is 1 where the vector
// meets a source, or one of the stores. Which of these make c a gradient is tried out once per
// mode, by differences: ∂cᵢ/∂qⱼ = ∂cⱼ/∂qᵢ. Where none does, or a velocity has no integral, or a
// source that varies takes part, nothing is done.

#include <Eigen/Dense>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/engine/clusters.hpp"
#include "core/engine/flow_evaluator.hpp"

namespace cradle::engine {

class Positions {
 public:
  Positions(Runtime& runtime, FlowEvaluator& flow)
      : plan_(runtime.system), runtime_(runtime), flow_(flow) {}

  // Only moduli vary, and they stand in constraints.
  static bool may_bind(const Island& island) {
    return island.is_constrained() && !island.modulated().empty() && !island.is_direct() &&
           !island.is_coupled();
  }
  // The state of a cluster at t is x: takes back what the way from where it was last seen has
  // added. False: nothing, or not more than may stay.
  bool project(const Cluster& cluster, double t, std::span<double> x);
  // The same of stores that constraints with constant coefficients bind.
  bool project_stores(const Cluster& cluster, double t, std::span<double> x);
  // It begins anew from x.
  void begin(const Cluster& cluster, double t, std::span<const double> x);

 private:
  // What stands in b of one equation, as the rate of a position.
  struct Row {
    int equation = 0;
    int position = -1;  // −1: none, or a source
    double rate = 0;    // of a source, which is constant
    bool is_known = false;
  };
  // One island of a cluster.
  struct Bound {
    const Slot* slot = nullptr;
    std::size_t first_state = 0;  // in the cluster
    std::vector<Row> rows;        // sources before stores
    std::vector<int> references;  // equations at which the constraints are units
  };
  struct Binding {
    std::vector<Bound> islands;
    std::vector<std::vector<std::size_t>> positions;  // components of x that move alike
    std::size_t constraints = 0;
  };
  const Binding& binding_of(const Cluster& cluster, double t, std::span<const double> x);
  std::optional<Bound> bind(const Cluster& cluster, const Slot& slot, std::size_t first_state,
                            Binding& binding) const;
  int position_of(const Cluster& cluster, const Island& island, std::size_t first_state,
                  int equation, Binding& binding) const;
  bool find_references(const Cluster& cluster, double t, std::span<const double> x, Bound& bound,
                       const Binding& binding);
  bool is_gradient(const Cluster& cluster, double t, std::span<const double> x, const Bound& bound,
                   const Binding& binding);
  // c by constraint and position, time last. Nothing: the references do not tell them apart there.
  std::optional<Eigen::MatrixXd> coefficients(const Cluster& cluster, double t,
                                              std::span<const double> x, const Bound& bound,
                                              const Binding& binding);
  bool reads_only(const Cluster& cluster, const Bound& bound, const Binding& binding) const;
  double worth(const Cluster& cluster, const std::vector<std::size_t>& position) const;
  bool put_back(const Cluster& cluster, double t, std::span<double> x, const Bound& bound,
                const Binding& binding, std::span<double> drift);
  void bind_velocities(const Cluster& cluster, double t, std::span<double> x, const Bound& bound);

  const Plan& plan_;
  Runtime& runtime_;
  FlowEvaluator& flow_;
  std::unordered_map<uint64_t, Binding> bindings_;  // by the serial of a cluster
  std::vector<double> there_;
};

}  // namespace cradle::engine
