// Islands whose equations vary: modulated TF, GY and R, nonlinear laws. Newton's method on the
// structure of island.hpp, with the matrix factored anew at each iterate:
//
//   flow:  F(y) = M(y) y − b(x, y) = 0 together with the differentiated constraints
//   jump:  c(z) = ℓ b(x⁻ + L (S w + Z z)) = 0

#include <algorithm>
#include <cmath>

#include "compile/island.hpp"

namespace cradle::compile {

namespace {

constexpr int kMaxIterations = 60;
constexpr int kMaxHalvings = 30;

IslandFault no_convergence(const char* what) {
  IslandFault fault;
  fault.kind = IslandFault::Kind::NoConvergence;
  fault.detail = what;
  return fault;
}

}  // namespace

std::vector<double> Island::locals_of(const Equation& equation, std::span<const double> x) const {
  std::vector<double> out;
  for (StateId state : equation.states) out.push_back(x[at(local_state(state))]);
  return out;
}

double Island::store_slope(const Equation& equation, std::size_t i, IslandInputs& inputs,
                           std::span<const double> x) const {
  if (equation.linear) return equation.coefficients[i];
  return inputs.formula(equation.slopes[i], locals_of(equation, x));
}

double Island::right_side(const Equation& equation, IslandInputs& inputs, std::span<const double> x,
                          std::span<const double> y) const {
  switch (equation.kind) {
    case Equation::Kind::Structure:
      return 0;
    case Equation::Kind::Source:
      return inputs.formula(equation.formula);
    case Equation::Kind::Store: {
      if (!equation.linear) return inputs.formula(equation.law, locals_of(equation, x));
      double sum = equation.offset;
      if (equation.formula.valid()) sum += inputs.formula(equation.formula);
      for (std::size_t j = 0; j < equation.states.size(); ++j) {
        sum += equation.coefficients[j] * x[at(local_state(equation.states[j]))];
      }
      return sum;
    }
    case Equation::Kind::Resistor: {
      if (!equation.linear) {
        const double argument = y[at(equation.argument)];
        return inputs.formula(equation.law, std::span<const double>(&argument, 1));
      }
      return equation.offset + (equation.formula.valid() ? inputs.formula(equation.formula) : 0);
    }
  }
  return 0;
}

std::vector<linear::Triplet> Island::assemble(IslandInputs& inputs, std::span<const double> y,
                                              bool jumping) const {
  std::vector<linear::Triplet> out = matrix_;
  for (const Modulated& m : modulated_) {
    out.push_back({m.row, m.column, m.factor * inputs.formula(m.modulus)});
  }
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind != Equation::Kind::Resistor || equation.linear) continue;
    double slope = 1;
    if (!jumping) {
      const double argument = y[at(equation.argument)];
      slope = inputs.formula(equation.slopes[0], std::span<const double>(&argument, 1));
    }
    out.push_back({static_cast<int>(i), equation.argument, -slope});
  }
  return out;
}

bool Island::is_structurally_constrained() const {
  if (lu_.size() == static_cast<int>(size())) return lu_.deficiency() > 0;
  // Generic values stand for what varies.
  std::vector<linear::Triplet> entries = matrix_;
  double value = 0.7390851332151607;
  auto next = [&] {
    value = value * 1.618033988749895;
    value -= std::floor(value);
    return 0.5 + value;
  };
  for (const Modulated& m : modulated_) entries.push_back({m.row, m.column, m.factor * next()});
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind == Equation::Kind::Resistor && !equation.linear) {
      entries.push_back({static_cast<int>(i), equation.argument, -next()});
    }
  }
  linear::RankRevealingLu lu;
  lu.factor(static_cast<int>(size()), entries);
  return lu.deficiency() > 0;
}

std::optional<IslandFault> Island::solve_jump(IslandInputs& inputs, std::span<const double> weights,
                                              std::span<double> impulses,
                                              std::span<double> x_plus) const {
  std::vector<double> x_minus;
  for (StateId state : states_) x_minus.push_back(inputs.state(state));
  std::vector<double> y(size(), 0.0);
  linear::RankRevealingLu lu;
  lu.factor(static_cast<int>(size()), assemble(inputs, y, true));
  const int r = lu.deficiency();
  std::vector<double> particular(size());
  lu.solve(weights, particular);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(r);
  auto update = [&] {
    std::copy(particular.begin(), particular.end(), impulses.begin());
    for (int j = 0; j < r; ++j) {
      const linear::SparseVector& column = lu.right_null()[at(j)];
      for (std::size_t i = 0; i < column.indices.size(); ++i) {
        impulses[at(column.indices[i])] += z(j) * column.values[i];
      }
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      x_plus[i] = x_minus[i] + impulses[at(rate_variables_[i])];
    }
  };
  update();
  if (r == 0) return std::nullopt;
  std::vector<double> b(size());
  auto violation = [&] {
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = right_side(equations_[i], inputs, x_plus, y);
    Eigen::VectorXd c(r);
    for (int k = 0; k < r; ++k) c(k) = lu.left_null()[at(k)].dot(b);
    return c;
  };
  Eigen::VectorXd c = violation();
  std::vector<linear::SparseVector> rows;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    Eigen::MatrixXd c_times_z = constrain(
        lu, [&](const Equation& e, std::size_t j) { return store_slope(e, j, inputs, x_plus); },
        rows);
    Eigen::FullPivLU<Eigen::MatrixXd> factored(c_times_z);
    if (factored.rank() < r) return describe_singular(lu, factored);
    const Eigen::VectorXd step = factored.solve(-c);
    double scale = 1;
    const Eigen::VectorXd start = z;
    const double before = c.norm();
    for (int halving = 0; halving < kMaxHalvings; ++halving, scale /= 2) {
      z = start + scale * step;
      update();
      c = violation();
      if (c.norm() <= before || !(before > 0)) break;
    }
    if (!c.allFinite()) return no_convergence("the laws of the stores are not finite there");
    if ((scale * step).norm() <= 1e-14 * (z.norm() + 1e-300)) return std::nullopt;
    if (before == 0) return std::nullopt;
    double size_of_b = 0;
    for (double v : b) size_of_b = std::max(size_of_b, std::abs(v));
    if (c.norm() <= 4e-16 * size_of_b) return std::nullopt;
  }
  return no_convergence("the jump");
}

double Island::residual(IslandInputs& inputs, std::span<const double> x, std::span<const double> y,
                        std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = right_side(equations_[i], inputs, x, y);
  for (const linear::Triplet& t : matrix_) out[at(t.row)] -= t.value * y[at(t.column)];
  for (const Modulated& m : modulated_) {
    out[at(m.row)] -= m.factor * inputs.formula(m.modulus) * y[at(m.column)];
  }
  double norm = 0;
  for (double v : out) norm = std::max(norm, std::abs(v));
  return std::isfinite(norm) ? norm : HUGE_VAL;
}

// C −= ℓ Ṁ: from M y = b follows ℓ (N L y + ḃ − Ṁ y) = 0.
void Island::subtract_matrix_rate(IslandInputs& inputs, const linear::RankRevealingLu& lu,
                                  std::vector<linear::SparseVector>& c,
                                  Eigen::MatrixXd& c_times_z) const {
  for (const Modulated& m : modulated_) {
    if (!m.rate.valid()) continue;
    const double change = m.factor * inputs.formula(m.rate);
    for (int k = 0; k < lu.deficiency(); ++k) {
      const linear::SparseVector& left = lu.left_null()[at(k)];
      auto it = std::lower_bound(left.indices.begin(), left.indices.end(), m.row);
      if (it == left.indices.end() || *it != m.row) continue;
      const double entry =
          -left.values[static_cast<std::size_t>(it - left.indices.begin())] * change;
      c[at(k)].indices.push_back(m.column);  // dot() sums repeated entries
      c[at(k)].values.push_back(entry);
      for (int j = 0; j < lu.deficiency(); ++j) {
        const linear::SparseVector& z = lu.right_null()[at(j)];
        auto zi = std::lower_bound(z.indices.begin(), z.indices.end(), m.column);
        if (zi == z.indices.end() || *zi != m.column) continue;
        c_times_z(k, j) += entry * z.values[static_cast<std::size_t>(zi - z.indices.begin())];
      }
    }
  }
}

std::optional<IslandFault> Island::solve_flow(IslandInputs& inputs, std::span<double> y) const {
  std::vector<double> x;
  for (StateId state : states_) x.push_back(inputs.state(state));
  std::vector<double> f(size()), step(size()), trial(size()), rates(size(), 0.0);
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    if (equations_[i].rate.valid()) rates[i] = inputs.formula(equations_[i].rate);
  }
  std::vector<linear::SparseVector> rows;
  double norm = residual(inputs, x, y, f);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    linear::RankRevealingLu lu;
    lu.factor(static_cast<int>(size()), assemble(inputs, y, false));
    lu.solve(f, step);
    const int r = lu.deficiency();
    if (r > 0) {
      Eigen::MatrixXd c_times_z = constrain(
          lu, [&](const Equation& e, std::size_t j) { return store_slope(e, j, inputs, x); }, rows);
      subtract_matrix_rate(inputs, lu, rows, c_times_z);
      Eigen::FullPivLU<Eigen::MatrixXd> factored(c_times_z);
      if (factored.rank() < r) return describe_singular(lu, factored);
      Eigen::VectorXd violation(r);
      for (int k = 0; k < r; ++k) {
        violation(k) =
            rows[at(k)].dot(y) + rows[at(k)].dot(step) + lu.left_null()[at(k)].dot(rates);
      }
      const Eigen::VectorXd z = factored.solve(-violation);
      for (int j = 0; j < r; ++j) {
        const linear::SparseVector& column = lu.right_null()[at(j)];
        for (std::size_t i = 0; i < column.indices.size(); ++i) {
          step[at(column.indices[i])] += z(j) * column.values[i];
        }
      }
    }
    double scale = 1, best = norm;
    for (int halving = 0; halving < kMaxHalvings; ++halving, scale /= 2) {
      for (std::size_t i = 0; i < y.size(); ++i) trial[i] = y[i] + scale * step[i];
      best = residual(inputs, x, trial, f);
      if (best < norm || norm == 0 || best <= 1e-15) break;
    }
    if (best == HUGE_VAL) return no_convergence("a law is not finite there");
    double moved = 0, largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      moved = std::max(moved, std::abs(trial[i] - y[i]));
      largest = std::max(largest, std::abs(trial[i]));
      y[i] = trial[i];
    }
    norm = best;
    if (moved <= 1e-13 * largest + 1e-300) return std::nullopt;
    if (iteration > 2 && norm <= 1e-15 * largest) return std::nullopt;
  }
  return no_convergence("the efforts and flows");
}

}  // namespace cradle::compile
