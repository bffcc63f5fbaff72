#pragma once
// The rules of semantics, section 4, in a hundred dense lines: no islands, no sparse factorisation,
// no rows. What the engine is compared with.

#include <Eigen/Dense>
#include <vector>

#include "language/model/model.hpp"
#include "theory/causality/causality.hpp"

namespace cradle::reference {

struct Values {
  Eigen::VectorXd x_plus;    // by state of a store
  Eigen::VectorXd impulses;  // p′, q′ by bond: 2b, 2b + 1
  Eigen::VectorXd y;         // e, f by bond
};

// Linear constant laws and constant sources only; `x` by StateId.
inline Values solve(const model::Model& m, const causality::Mode& mode, const Eigen::VectorXd& x) {
  const int n = 2 * static_cast<int>(m.bonds.size());
  const int states = static_cast<int>(m.states.size());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), N = Eigen::MatrixXd::Zero(n, states);
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(states, n);
  Eigen::VectorXd s = Eigen::VectorXd::Zero(n);
  int row = 0;
  auto index = [](BondId b, bool effort) { return 2 * b.index + (effort ? 0 : 1); };
  expr::Pool pool = m.pool;  // its own, to put numbers in
  auto law = [&](ExprId e, std::vector<double> at) {
    std::vector<ExprId> arguments;
    for (double v : at) arguments.push_back(pool.constant(v));
    return pool.constant_value(pool.substitute(e, arguments));
  };
  for (const model::Element& element : m.elements) {
    const BondId b = element.ports[0].bond;
    switch (element.kind) {
      case elements::Kind::I:
      case elements::Kind::C: {
        const bool inertia = element.kind == elements::Kind::I;
        const StateId state = element.states[0];
        M(row, index(b, !inertia)) = 1;
        N(row++, state.index) = law(element.laws[0], {1});
        L(state.index, index(b, inertia)) = 1;
        break;
      }
      case elements::Kind::R:
        M(row, index(b, true)) = 1;
        M(row++, index(b, false)) = -law(element.laws[0], {1});
        break;
      case elements::Kind::Se:
      case elements::Kind::Sf:
        M(row, index(b, element.kind == elements::Kind::Se)) = 1;
        s(row++) = m.pool.constant_value(element.signal);
        break;
      case elements::Kind::TF: {
        const double ratio = m.pool.constant_value(element.signal);
        const BondId out = element.ports[1].bond;
        M(row, index(b, true)) = 1;
        M(row++, index(out, true)) = -ratio;
        M(row, index(out, false)) = 1;
        M(row++, index(b, false)) = -ratio;
        break;
      }
      case elements::Kind::GY: {
        const double ratio = m.pool.constant_value(element.signal);
        const BondId out = element.ports[1].bond;
        M(row, index(b, true)) = 1;
        M(row++, index(out, false)) = -ratio;
        M(row, index(out, true)) = 1;
        M(row++, index(b, false)) = -ratio;
        break;
      }
    }
  }
  for (std::size_t j = 0; j < m.junctions.size(); ++j) {
    const model::Junction& junction = m.junctions[JunctionId(j)];
    const bool zero = junction.kind == model::Junction::Kind::Zero;
    if (!causality::is_active(m, mode, JunctionId(j))) {
      const bool effort = junction.inactive == model::Junction::Inactive::Effort;
      for (const model::BondEnd& end : junction.bonds) M(row++, index(end.bond, effort)) = 1;
      continue;
    }
    for (std::size_t i = 1; i < junction.bonds.size(); ++i) {
      M(row, index(junction.bonds[i].bond, zero)) = 1;
      M(row++, index(junction.bonds[0].bond, zero)) = -1;
    }
    for (const model::BondEnd& end : junction.bonds) {
      M(row, index(end.bond, !zero)) = end.inward ? 1 : -1;
    }
    ++row;
  }
  Eigen::FullPivLU<Eigen::MatrixXd> left(M.transpose());
  left.setThreshold(1e-11);
  const int r = n - static_cast<int>(left.rank());
  Eigen::MatrixXd K(n + r, n);
  Eigen::VectorXd jump = Eigen::VectorXd::Zero(n + r), flow = Eigen::VectorXd::Zero(n + r);
  K.topRows(n) = M;
  Values out;
  Eigen::MatrixXd ell(r, n);
  if (r > 0) {
    ell = left.kernel().transpose();
    K.bottomRows(r) = ell * N * L;
    jump.tail(r) = -ell * (N * x + s);
  }
  const auto solver = K.completeOrthogonalDecomposition();
  out.impulses = solver.solve(jump);
  out.x_plus = x + L * out.impulses;
  flow.head(n) = N * out.x_plus + s;
  out.y = solver.solve(flow);
  return out;
}

}  // namespace cradle::reference
