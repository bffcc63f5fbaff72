#include "core/engine/initial.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace cradle::engine {

namespace {

[[noreturn]] void cannot_invert(const model::Element& element) {
  Diagnostic diagnostic("initial.no-solution",
                        "no stored value of " + element.name + " gives its initial power variable");
  diagnostic.at(element.span);
  diagnostic.rule("an initial f or e is turned into the stored p or q by solving the law");
  diagnostic.help("give p or q itself");
  throw RunFault{Ending::ModelError, diagnostic};
}

// Newton's method on law(x) = wanted, with step halving.
void invert(Runtime& runtime, FlowEvaluator& flow, ElementId id, const Eigen::VectorXd& wanted) {
  const model::Element& element = runtime.system.model().elements[id];
  const auto n = static_cast<int>(element.states.size());
  std::vector<double> x(element.states.size(), 0.0);
  const std::vector<ExprId>& slopes = runtime.system.initial_slopes(id);
  auto miss = [&](const std::vector<double>& v) {
    Eigen::VectorXd out(n);
    for (int i = 0; i < n; ++i) {
      out(i) = wanted(i) - flow.formula(element.laws[static_cast<std::size_t>(i)], v);
    }
    return out;
  };
  constexpr int kIterations = 100;
  Eigen::VectorXd residual = miss(x);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    if (residual.stableNorm() <= 1e-15 * wanted.stableNorm()) break;
    Eigen::MatrixXd jacobian(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        jacobian(i, j) = flow.formula(slopes[at(i * n + j)], x);
      }
    }
    if (!jacobian.allFinite() || jacobian.stableNorm() == 0) {
      // A flat start, as of x³ at 0: leave it.
      for (double& v : x) v += 1e-3;
      residual = miss(x);
      continue;
    }
    const Eigen::VectorXd step = jacobian.fullPivLu().solve(residual);
    double scale = 1;
    std::vector<double> trial = x;
    Eigen::VectorXd next = residual;
    for (int halving = 0; halving < 40; ++halving, scale /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        trial[i] = x[i] + scale * step(static_cast<int>(i));
      }
      next = miss(trial);
      if (next.allFinite() && next.stableNorm() < residual.stableNorm()) break;
    }
    if (trial == x || !(next.stableNorm() < residual.stableNorm())) break;
    x = trial;
    residual = next;
  }
  if (!(residual.stableNorm() <= 1e-9 * wanted.stableNorm() + 1e-300)) cannot_invert(element);
  for (std::size_t i = 0; i < x.size(); ++i) runtime.state.x[at(element.states[i])] = x[i];
}

}  // namespace

void set_initial_state(Runtime& runtime, FlowEvaluator& flow) {
  const model::Model& m = runtime.system.model();
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const model::State& state = m.states[StateId(s)];
    if (!state.initial_is_power) runtime.state.x[s] = runtime.system.number(state.initial);
  }
  flow.begin(0);
  for (std::size_t e = 0; e < m.elements.size(); ++e) {
    const model::Element& element = m.elements[ElementId(e)];
    if (element.states.empty() || !m.states[element.states[0]].initial_is_power) continue;
    Eigen::VectorXd wanted(static_cast<int>(element.states.size()));
    for (std::size_t i = 0; i < element.states.size(); ++i) {
      wanted(static_cast<int>(i)) = runtime.system.number(m.states[element.states[i]].initial);
    }
    if (wanted.stableNorm() > 0 || element.laws.size() == 1) {
      invert(runtime, flow, ElementId(e), wanted);
    }
  }
}

}  // namespace cradle::engine
