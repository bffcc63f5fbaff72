// Islands whose equations vary: modulated TF, GY and R, nonlinear laws. Newton's method on the
// structure of island.hpp, with the matrix factored anew at each iterate:
//
//   flow:  F(y) = M(y) y − b(x, y) = 0 together with the differentiated constraints
//   jump:  c(z) = ℓ b(x⁻ + L (S w + Z z)) = 0

#include <algorithm>
#include <array>
#include <cmath>

#include "core/plan/island.hpp"
#include "cradle/instant.hpp"

namespace cradle::plan {

namespace {

constexpr int kMaxIterations = 60;
constexpr int kMaxHalvings = 30;
// A small residual says little where efforts and flows differ by many orders of magnitude; but
// where the last step was as short as this, the next would be rounding.
constexpr double kNearly = 1e-7;
constexpr double kSettled = 1e-13;  // a step that is shorter than this, relative to y, is rounding

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

double Island::tangent_slope(const Equation& resistor, IslandInputs& inputs,
                             double argument) const {
  return inputs.formula(resistor.slopes[0], std::span<const double>(&argument, 1));
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

// A tangent says nothing where it is flat or does not exist, as that of f³ at 0. The chord to the
// nearest point that differs by about as much as is to be made good leads further.
double Island::chord_slope(const Equation& equation, IslandInputs& inputs, double argument,
                           double wanted) const {
  const auto law = [&](double at) {
    return inputs.formula(equation.law, std::span<const double>(&at, 1));
  };
  const double here = law(argument);
  double slope = 1;
  for (double reach = 1e-12; reach <= 1e12; reach *= 10) {
    for (const double sign : {1.0, -1.0}) {
      const double rise = law(argument + sign * reach) - here;
      if (!std::isfinite(rise) || rise == 0) continue;
      slope = sign * rise / reach;
      if (std::abs(rise) >= wanted) return slope;
    }
  }
  return slope;
}

std::vector<linear::Triplet> Island::assemble(IslandInputs& inputs, std::span<const double> y,
                                              const Slopes& slopes) const {
  std::vector<linear::Triplet> out = matrix_;
  for (const Modulated& m : modulated_) {
    out.push_back({m.row, m.column, m.factor * inputs.formula(m.modulus)});
  }
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind != Equation::Kind::Resistor || equation.linear) continue;
    const double argument = y[at(equation.argument)];
    double slope = 1;
    if (slopes.kind == Slopes::Kind::Tangent) slope = tangent_slope(equation, inputs, argument);
    if (slopes.kind == Slopes::Kind::Chord || !std::isfinite(slope)) {
      slope = chord_slope(equation, inputs, argument, slopes.wanted);
    }
    out.push_back({static_cast<int>(i), equation.argument, -slope});
  }
  return out;
}

int Island::structural_deficiency() const {
  if (constant_) return constraints_;
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
  return lu.deficiency();
}

std::optional<IslandFault> Island::solve_jump(IslandInputs& inputs, std::span<const double> weights,
                                              std::span<double> impulses,
                                              std::span<double> x_plus) const {
  std::vector<double> x_minus;
  for (StateId state : states_) x_minus.push_back(inputs.state(state));
  std::vector<double> y(size(), 0.0);
  linear::RankRevealingLu lu;
  lu.factor(static_cast<int>(size()), assemble(inputs, y, {Slopes::Kind::One}));
  const int r = lu.deficiency();
  const linear::NullSpaces nulls = lu.find_null_spaces();
  std::vector<double> particular(size());
  lu.solve(weights, particular);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(r);
  auto update = [&] {
    std::copy(particular.begin(), particular.end(), impulses.begin());
    for (int j = 0; j < r; ++j) {
      const linear::SparseVector& column = nulls.right[at(j)];
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
    for (int k = 0; k < r; ++k) c(k) = nulls.left[at(k)].dot(b);
    return c;
  };
  Eigen::VectorXd c = violation();
  std::vector<linear::SparseVector> rows;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    Eigen::MatrixXd c_times_z = constrain(
        nulls, [&](const Equation& e, std::size_t j) { return store_slope(e, j, inputs, x_plus); },
        rows);
    Eigen::FullPivLU<Eigen::MatrixXd> factored(c_times_z);
    if (factored.rank() < r) return describe_singular(nulls, factored);
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
  for (double v : out) {
    if (!std::isfinite(v)) return HUGE_VAL;
    norm = std::max(norm, std::abs(v));
  }
  return norm;
}

// C −= ℓ Ṁ: from M y = b follows ℓ (N L y + ḃ − Ṁ y) = 0.
void Island::subtract_matrix_rate(IslandInputs& inputs, const linear::NullSpaces& nulls,
                                  std::vector<linear::SparseVector>& c,
                                  Eigen::MatrixXd& c_times_z) const {
  const int r = static_cast<int>(nulls.left.size());
  for (const Modulated& m : modulated_) {
    if (!m.rate.valid()) continue;
    const double change = m.factor * inputs.formula(m.rate);
    for (int k = 0; k < r; ++k) {
      const linear::SparseVector& left = nulls.left[at(k)];
      auto it = std::lower_bound(left.indices.begin(), left.indices.end(), m.row);
      if (it == left.indices.end() || *it != m.row) continue;
      const double entry =
          -left.values[static_cast<std::size_t>(it - left.indices.begin())] * change;
      c[at(k)].indices.push_back(m.column);  // dot() sums repeated entries
      c[at(k)].values.push_back(entry);
      for (int j = 0; j < r; ++j) {
        const linear::SparseVector& z = nulls.right[at(j)];
        auto zi = std::lower_bound(z.indices.begin(), z.indices.end(), m.column);
        if (zi == z.indices.end() || *zi != m.column) continue;
        c_times_z(k, j) += entry * z.values[static_cast<std::size_t>(zi - z.indices.begin())];
      }
    }
  }
}

// One step of Newton's method from y, at which the residual is f.
std::optional<IslandFault> Island::newton_step(IslandInputs& inputs, std::span<const double> x,
                                               std::span<const double> y, std::span<const double> f,
                                               const Slopes& slopes, std::span<double> step) const {
  linear::RankRevealingLu lu;
  lu.factor(static_cast<int>(size()), assemble(inputs, y, slopes));
  if (lu.deficiency() > deficiency_) {
    lu.factor(static_cast<int>(size()), assemble(inputs, y, {Slopes::Kind::Chord, slopes.wanted}));
  }
  lu.solve(f, step);
  const int r = lu.deficiency();
  if (r == 0) return std::nullopt;
  const linear::NullSpaces nulls = lu.find_null_spaces();
  std::vector<double> rates(size(), 0.0);
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    if (equations_[i].rate.valid()) rates[i] = inputs.formula(equations_[i].rate);
  }
  std::vector<linear::SparseVector> rows;
  Eigen::MatrixXd c_times_z = constrain(
      nulls, [&](const Equation& e, std::size_t j) { return store_slope(e, j, inputs, x); }, rows);
  subtract_matrix_rate(inputs, nulls, rows, c_times_z);
  Eigen::FullPivLU<Eigen::MatrixXd> factored(c_times_z);
  if (factored.rank() < r) return describe_singular(nulls, factored);
  Eigen::VectorXd violation(r);
  for (int k = 0; k < r; ++k) {
    violation(k) = rows[at(k)].dot(y) + rows[at(k)].dot(step) + nulls.left[at(k)].dot(rates);
  }
  const Eigen::VectorXd z = factored.solve(-violation);
  for (int j = 0; j < r; ++j) {
    const linear::SparseVector& column = nulls.right[at(j)];
    for (std::size_t i = 0; i < column.indices.size(); ++i) {
      step[at(column.indices[i])] += z(j) * column.values[i];
    }
  }
  return std::nullopt;
}

// The law that is furthest from being met at y, at which the residual is f; −1: all are, within
// what rounding leaves of them. Linear equations are, by construction of the step.
int Island::worst_law(IslandInputs& inputs, std::span<const double> y,
                      std::span<const double> f) const {
  constexpr double kMet = 1e-6, kRounding = 1e-12, kUlps = 4e-15;
  std::array<double, 2> largest = {0, 0};  // effort, flow
  for (std::size_t i = 0; i < y.size(); ++i) {
    largest[i % 2] = std::max(largest[i % 2], std::abs(y[i]));
  }
  double worst = 1;
  int found = -1;
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind != Equation::Kind::Resistor || equation.linear) continue;
    const double argument = y[at(equation.argument)], result = y[at(equation.argument ^ 1)];
    const double slope = tangent_slope(equation, inputs, argument);
    // What rounding makes of the result itself, and of the argument, which the linear equations
    // give.
    const double steep = std::isfinite(slope) ? std::abs(slope) : 0;
    const double rounding =
        kRounding * (largest[at(equation.argument ^ 1) % 2] + steep * std::abs(argument)) +
        kUlps * steep * largest[at(equation.argument) % 2];
    const double allowed = kMet * std::abs(result) + rounding + 1e-300;
    const double ratio = std::isfinite(f[i]) ? std::abs(f[i]) / allowed : HUGE_VAL;
    if (ratio > worst) {
      worst = ratio;
      found = static_cast<int>(i);
    }
  }
  return found;
}

// `target` is where the last full step would have led: there the linear equations say what is
// demanded of the law.
IslandFault Island::unmet_law(int row, IslandInputs& inputs, std::span<const double> y,
                              std::span<const double> target) const {
  if (row < 0) return no_convergence("the efforts and flows");
  const Equation& equation = equations_[at(row)];
  const auto law = [&](double argument) {
    return inputs.formula(equation.law, std::span<const double>(&argument, 1));
  };
  const bool of_flow = equation.argument % 2 == 1;
  const std::string given = of_flow ? "f = " : "e = ", wanted = of_flow ? "e = " : "f = ";
  const double asked = target[at(equation.argument)], nearest = y[at(equation.argument)];
  IslandFault fault;
  fault.kind = IslandFault::Kind::LawUnmet;
  fault.elements = {equation.element};
  if (std::isfinite(asked) && !std::isfinite(law(asked))) {
    fault.detail = "has no value at " + given + format_number(asked);
  } else {
    fault.detail =
        "has no solution for " + wanted + format_number(target[at(equation.argument ^ 1)]);
  }
  fault.reached = format_number(law(nearest)) + " at " + given + format_number(nearest);
  return fault;
}

// Goes from y along the step as far as it leads downhill: to `trial`, with the residual f, whose
// norm is returned. Any decrease is not enough: on the root of |e| full steps lead to and fro for
// ever.
double Island::descend(IslandInputs& inputs, std::span<const double> x, std::span<const double> y,
                       std::span<const double> step, double norm, std::span<double> trial,
                       std::span<double> f) const {
  constexpr double kSufficient = 0.1;  // of what a straight line promises (Armijo, 1966)
  const auto go = [&](double scale) {
    for (std::size_t i = 0; i < y.size(); ++i) trial[i] = y[i] + scale * step[i];
    return residual(inputs, x, trial, f);
  };
  double longest = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    longest = std::max(longest, std::abs(step[i]));
    largest = std::max(largest, std::abs(y[i]));
  }
  // There is nothing to cut where only rounding is left.
  if (norm == 0 || longest <= kSettled * largest) return go(1);
  const double floor = 1e-15 * largest;
  double best = HUGE_VAL, best_scale = 0, scale = 1;
  for (int halving = 0; halving < kMaxHalvings; ++halving, scale /= 2) {
    const double reached = go(scale);
    if (reached <= (1 - kSufficient * scale) * norm || reached <= floor) return reached;
    if (reached < best) {
      best = reached;
      best_scale = scale;
    }
  }
  return best < norm ? go(best_scale) : go(scale);
}

// The efforts and flows by Newton's method from y, with steps cut until they lead downhill.
std::optional<IslandFault> Island::settle_flow(IslandInputs& inputs, std::span<double> y) const {
  std::vector<double> x;
  for (StateId state : states_) x.push_back(inputs.state(state));
  std::vector<double> f(size()), step(size()), trial(size()), target(size());
  double norm = residual(inputs, x, y, f);
  if (norm == HUGE_VAL) return no_convergence("laws that are not finite");
  constexpr int kMostChords = 5;
  int chords = 0;
  bool stuck = false;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Slopes slopes{stuck ? Slopes::Kind::Chord : Slopes::Kind::Tangent, norm};
    if (auto fault = newton_step(inputs, x, y, f, slopes, step)) return fault;
    for (std::size_t i = 0; i < y.size(); ++i) target[i] = y[i] + step[i];
    const double best = descend(inputs, x, y, step, norm, trial, f);
    if (best == HUGE_VAL) return unmet_law(worst_law(inputs, trial, f), inputs, trial, target);
    const bool downhill = best < norm;
    double moved = 0, largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      moved = std::max(moved, std::abs(trial[i] - y[i]));
      largest = std::max(largest, std::abs(trial[i]));
      y[i] = trial[i];
    }
    norm = best;
    const bool settled = moved <= kSettled * largest + 1e-300 ||
                         (iteration > 2 && norm <= 1e-15 * largest && moved <= kNearly * largest);
    stuck = false;
    if (downhill && !settled) continue;
    const int unmet = worst_law(inputs, y, f);
    if (unmet < 0 && settled) return std::nullopt;
    if (unmet >= 0 && ++chords > kMostChords) return unmet_law(unmet, inputs, y, target);
    stuck = unmet >= 0;
  }
  return unmet_law(worst_law(inputs, y, f), inputs, y, target);
}

// What was known last can be a bad place to begin, and 0 be one where a law has no value: log(f),
// 1/f.
std::optional<IslandFault> Island::solve_flow(IslandInputs& inputs, std::span<double> y) const {
  std::optional<IslandFault> first = settle_flow(inputs, y);
  if (!first) return first;
  for (const double start : {0.0, 1.0, -1.0}) {
    std::fill(y.begin(), y.end(), 0.0);
    for (const Equation& equation : equations_) {
      const bool law = equation.kind == Equation::Kind::Resistor && !equation.linear;
      if (law) y[at(equation.argument)] = start;
    }
    std::optional<IslandFault> fault = settle_flow(inputs, y);
    if (!fault) return fault;
    if (first->kind == IslandFault::Kind::NoConvergence) first = fault;
  }
  std::fill(y.begin(), y.end(), 0.0);
  return first;
}

}  // namespace cradle::plan
