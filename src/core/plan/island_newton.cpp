// Islands whose equations vary: modulated TF, GY and R, nonlinear laws, laws and sources that read
// the island itself. Newton's method on the structure of island.hpp, with the matrix factored anew
// at each iterate:
//
//   flow:  f(y) = b(x, y) − M(y) y = 0 together with the differentiated constraints
//   jump:  ℓ f(y) = 0 at x⁺ = x⁻ + L Y, with J Y = w
//
// A step is cut until it leads downhill: f by rows, each in the unit of what is added up there, so
// that neither units nor widely differing magnitudes decide how far to go. For a monotone law the
// step leads towards the solution whatever its length, so what is cut enough always gains. An
// equation is met when what is left of it is rounding of what was added up.

#include <algorithm>
#include <cmath>

#include "core/plan/island_together.hpp"
#include "core/plan/right_side.hpp"
#include "cradle/instant.hpp"

namespace cradle::plan {

namespace {

constexpr int kMaxIterations = 200;
constexpr int kMaxHalvings = 100;
constexpr double kEpsilon = 0x1p-52;
constexpr double kMet = 64 * kEpsilon;  // of what was added up
// Where rounding keeps from coming nearer: of a law, what stands in it is rounded, too.
constexpr double kNearly = 1e-10;
constexpr double kSettled = 1e-10;  // a step of this length is followed by one that is rounding

IslandFault no_convergence(const char* what) {
  IslandFault fault;
  fault.kind = IslandFault::Kind::NoConvergence;
  fault.detail = what;
  return fault;
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

std::vector<double> Island::locals_of(const Equation& equation, std::span<const double> x) const {
  std::vector<double> out;
  for (StateId state : equation.states) out.push_back(x[at(local_state(state))]);
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
  std::vector<int> variables;
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind == Equation::Kind::Resistor && !equation.linear) {
      entries.push_back({static_cast<int>(i), equation.argument, -next()});
    }
    if (!coupled_ || !reads_itself_[i]) continue;
    variables.clear();
    for (ExprId expr : expressions_of(equation)) add_own_variables(expr, variables);
    for (int v : variables) entries.push_back({static_cast<int>(i), v, -next()});
  }
  linear::RankRevealingLu lu;
  lu.factor(static_cast<int>(size()), entries);
  return lu.deficiency();
}

// Solves one island once.
class Island::Newton {
 public:
  Newton(const Island& island, IslandInputs& inputs, std::span<const double> x)
      : island_(island), inputs_(inputs), x_(x.begin(), x.end()), size_(island.size()) {}

  std::optional<IslandFault> settle(std::span<double> y);
  std::optional<IslandFault> settle_beyond_leaps(std::span<double> y);
  // From anywhere, for laws that rise; slower.
  bool settle_by_work(std::span<double> y);
  std::optional<IslandFault> jump(std::span<const double> weights, std::span<const double> start,
                                  std::span<double> impulses, std::span<double> x_plus);
  // J at y.
  void factor_tangent(std::span<const double> y, linear::RankRevealingLu& out,
                      std::vector<double>& left_over) {
    prepare();
    find_residual(y, f_);
    left_over = f_.value;
    assemble(y, Slope::Tangent);
    out.factor(static_cast<int>(size_), entries_);
  }

 private:
  // b − M y by row, and the magnitudes that were added up to it.
  struct Residual {
    std::vector<double> value, magnitude;
    bool finite = true;
  };
  // What stands in J for a resistor that is not linear: its tangent; a chord, over which the law
  // changes by as much as is to be made good; or 1 for a jump, in which it takes no part.
  enum class Slope { Tangent, Chord, One };

  bool reads_island(std::size_t row) const {
    return island_.coupled_ && island_.reads_itself_[row];
  }
  bool keeps_piece(const Equation& e) const {
    return e.piece.valid() && !jumping_ && inputs_.keeps_pieces();
  }
  static bool bends(const Equation& e) { return e.kind == Equation::Kind::Resistor && !e.linear; }
  void try_out(std::span<const double> y) {
    if (island_.coupled_)
      inputs_.try_out({&island_, y, jumping_ ? std::span(x_) : std::span<double>()});
  }
  struct Terms;
  void prepare();
  double right_side(const Equation& equation, std::span<const double> y, double& magnitude);
  double store_slope(const Equation& equation, std::size_t i);
  void find_residual(std::span<const double> y, Residual& out);
  void find_slopes(std::span<const double> y, Slope kind);
  double chord_slope(const Equation& equation, double argument, double wanted);
  void assemble(std::span<const double> y, Slope kind);
  std::optional<IslandFault> find_step(std::span<const double> y, Slope kind);
  std::optional<IslandFault> meet_constraints(std::span<const double> y);
  std::optional<IslandFault> find_missing_rate(const linear::NullSpaces& nulls) const;
  IslandFault singular(const linear::NullSpaces& nulls,
                       const Eigen::FullPivLU<Eigen::MatrixXd>& c_times_z) const;
  bool turns_round() const;
  IslandFault undecided() const;
  void find_weights(std::span<const double> y);
  double merit(const Residual& f) const;
  // The row that is furthest from being met; −1: all are, within `allowed` of what was added up.
  int worst_row(const Residual& f, double allowed) const;
  bool is_rounding(std::span<const double> y) const;
  double descend(std::span<const double> y);
  bool is_settled(std::span<const double> impulses, std::span<const double> before,
                  std::span<const double> x_minus) const;
  double work(std::span<const double> y, double scale);
  double find_length(std::span<const double> y);
  IslandFault unmet(std::span<const double> y) const;
  std::optional<IslandFault> find_jump(std::span<const double> weights, std::span<const double> y,
                                       std::span<double> impulses, std::span<const double> x_minus);
  bool is_short(std::span<const double> y) const;

  const Island& island_;
  IslandInputs& inputs_;
  std::vector<double> x_;
  std::size_t size_;
  bool jumping_ = false;
  std::vector<double> b_, b_magnitude_, moduli_;  // what y does not change
  std::vector<double> slopes_;                    // by row, of resistors that are not linear
  std::vector<double> steepness_;         // the same as magnitudes, where they are tangents; else 0
  std::vector<linear::Triplet> entries_;  // of J
  std::size_t couplings_ = 0;             // where those begin that read the island
  linear::RankRevealingLu lu_;
  linear::NullSpaces nulls_;             // of J
  std::vector<linear::SparseVector> c_;  // differentiated constraints
  std::vector<double> step_, beyond_, weights_, trial_;
  Residual f_, next_;
};

double Island::Newton::store_slope(const Equation& equation, std::size_t i) {
  if (equation.linear) return equation.coefficients[i];
  if (keeps_piece(equation)) return inputs_.formula(equation.piece_slopes[i]);
  return inputs_.formula(equation.slopes[i], island_.locals_of(equation, x_));
}

namespace {

// A number, and the magnitudes that were added up to it.
struct Weighed {
  double value = 0, magnitude = 0;
};

}  // namespace

// For plan::right_side.
struct Island::Newton::Terms {
  Newton& newton;
  std::span<const double> y;

  static Weighed number(double offset) { return {offset, std::abs(offset)}; }
  Weighed formula(ExprId expr) const { return number(newton.inputs_.formula(expr)); }
  Weighed law(const Equation& equation) const {
    if (bends(equation)) {
      const double argument = y[at(equation.argument)];
      return number(newton.inputs_.formula(equation.law, std::span<const double>(&argument, 1)));
    }
    const auto locals = newton.island_.locals_of(equation, newton.x_);
    Weighed out = newton.keeps_piece(equation)
                      ? formula(equation.piece)
                      : number(newton.inputs_.formula(equation.law, locals));
    for (std::size_t j = 0; j < locals.size(); ++j) {
      out.magnitude += std::abs(newton.store_slope(equation, j) * locals[j]);
    }
    return out;
  }
  Weighed add(const Weighed& sum, double coefficient, StateId state) const {
    return add(sum, number(coefficient * newton.x_[at(newton.island_.local_state(state))]));
  }
  static Weighed add(const Weighed& sum, const Weighed& term) {
    return {sum.value + term.value, sum.magnitude + term.magnitude};
  }
};

double Island::Newton::right_side(const Equation& equation, std::span<const double> y,
                                  double& magnitude) {
  const Weighed out = plan::right_side(equation, Terms{*this, y});
  magnitude = out.magnitude;
  return out.value;
}

// All that does not change with y is computed once.
void Island::Newton::prepare() {
  b_.assign(size_, 0.0);
  b_magnitude_.assign(size_, 0.0);
  slopes_.assign(size_, 0.0);
  steepness_.assign(size_, 0.0);
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (!bends(equation) && !reads_island(i)) b_[i] = right_side(equation, {}, b_magnitude_[i]);
  }
  moduli_.clear();
  for (const Modulated& m : island_.modulated_) {
    const bool varies = reads_island(at(m.row));
    moduli_.push_back(varies ? 0 : m.factor * inputs_.formula(m.modulus));
  }
}

void Island::Newton::find_residual(std::span<const double> y, Residual& out) {
  try_out(y);
  out.value = b_;
  out.magnitude = b_magnitude_;
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (!bends(equation) && !reads_island(i)) continue;
    out.value[i] = right_side(equation, y, out.magnitude[i]);
  }
  const auto subtract = [&](int row, double term) {
    out.value[at(row)] -= term;
    out.magnitude[at(row)] += std::abs(term);
  };
  for (const linear::Triplet& t : island_.matrix_) subtract(t.row, t.value * y[at(t.column)]);
  for (std::size_t i = 0; i < moduli_.size(); ++i) {
    const Modulated& m = island_.modulated_[i];
    if (reads_island(at(m.row))) moduli_[i] = m.factor * inputs_.formula(m.modulus);
    subtract(m.row, moduli_[i] * y[at(m.column)]);
  }
  out.finite = all_finite(out.value);
}

// A tangent says nothing where it is flat or does not exist, as that of f³ at 0. The chord to the
// nearest point that differs by about as much as is to be made good leads further.
double Island::Newton::chord_slope(const Equation& equation, double argument, double wanted) {
  const auto law = [&](double at) {
    return inputs_.formula(equation.law, std::span<const double>(&at, 1));
  };
  const double here = law(argument);
  const double unit = std::max(std::abs(argument), 1.0);
  double slope = 1;
  for (double reach = 1e-12 * unit; reach <= 1e12 * unit; reach *= 10) {
    for (const double sign : {1.0, -1.0}) {
      const double rise = law(argument + sign * reach) - here;
      if (!std::isfinite(rise) || rise == 0) continue;
      slope = sign * rise / reach;
      if (std::abs(rise) >= wanted) return slope;
    }
  }
  return slope;
}

void Island::Newton::find_slopes(std::span<const double> y, Slope kind) {
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (!bends(equation)) continue;
    const double argument = y[at(equation.argument)];
    double slope = 1;
    if (kind == Slope::Tangent) {
      slope = inputs_.formula(equation.slopes[0], std::span<const double>(&argument, 1));
    }
    const bool chord = kind == Slope::Chord || !std::isfinite(slope);
    if (chord) slope = chord_slope(equation, argument, std::abs(f_.value[i]));
    slopes_[i] = slope;
    steepness_[i] = kind == Slope::Tangent && !chord ? std::abs(slope) : 0;
  }
}

// J, and into the magnitudes of f what the rounding of a law's argument is worth.
void Island::Newton::assemble(std::span<const double> y, Slope kind) {
  try_out(y);
  find_slopes(y, kind);
  entries_ = island_.matrix_;
  for (std::size_t i = 0; i < moduli_.size(); ++i) {
    const Modulated& m = island_.modulated_[i];
    if (reads_island(at(m.row))) moduli_[i] = m.factor * inputs_.formula(m.modulus);
    entries_.push_back({m.row, m.column, moduli_[i]});
  }
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (bends(equation)) entries_.push_back({static_cast<int>(i), equation.argument, -slopes_[i]});
  }
  couplings_ = entries_.size();
  if (!island_.coupled_) return;
  Chain chain(island_, inputs_);
  island_.add_couplings(chain, x_, y, entries_);
}

// A step from y, at which the residual is f_.
std::optional<IslandFault> Island::Newton::find_step(std::span<const double> y, Slope kind) {
  const int n = static_cast<int>(size_);
  assemble(y, kind);
  lu_.factor(n, entries_);
  if (lu_.deficiency() > island_.deficiency_ && kind == Slope::Tangent) {
    assemble(y, Slope::Chord);
    lu_.factor(n, entries_);
  }
  step_.resize(size_);
  lu_.solve(f_.value, step_);
  beyond_.assign(size_, 0.0);
  if (lu_.deficiency() == 0) return std::nullopt;
  // What the step leaves of the residual: stores that depend on each other meet their constraint up
  // to rounding, or to the tolerance of the solver, and no effort or flow can change that.
  beyond_ = f_.value;
  std::vector<double> magnitude = f_.magnitude;
  for (const linear::Triplet& t : entries_) {
    const double term = t.value * step_[at(t.column)];
    beyond_[at(t.row)] -= term;
    magnitude[at(t.row)] += std::abs(term);
  }
  bool flat = false;  // a law that cannot give what is demanded
  for (std::size_t i = 0; i < size_; ++i) {
    if (std::abs(beyond_[i]) <= kMet * magnitude[i]) beyond_[i] = 0;
    if (!bends(island_.equations_[i]) || beyond_[i] == 0) continue;
    beyond_[i] = 0;
    flat = true;
  }
  if (flat && lu_.deficiency() > island_.deficiency_) {
    find_weights(y);
    return unmet(y);
  }
  return meet_constraints(y);
}

std::optional<IslandFault> Island::Newton::find_missing_rate(
    const linear::NullSpaces& nulls) const {
  for (const auto& [row, why] : island_.without_rate_) {
    for (const linear::SparseVector& left : nulls.left) {
      if (!std::binary_search(left.indices.begin(), left.indices.end(), row)) continue;
      return IslandFault{
          IslandFault::Kind::NoRate, {island_.equations_[at(row)].element}, {}, {}, why};
    }
  }
  return std::nullopt;
}

IslandFault Island::Newton::undecided() const {
  IslandFault fault;
  fault.kind = IslandFault::Kind::Undecided;
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (reads_island(i) && equation.element.valid()) fault.elements.push_back(equation.element);
  }
  return fault;
}

// What is solved together, if anything is, has no solution where its matrix is singular, or many.
IslandFault Island::Newton::singular(const linear::NullSpaces& nulls,
                                     const Eigen::FullPivLU<Eigen::MatrixXd>& c_times_z) const {
  return island_.coupled_ ? undecided() : island_.describe_singular(nulls, c_times_z);
}

// Friction that depends on the force of a rigid contact can outweigh what makes that force
// (Painlevé 1895): the equations still have a solution, but none that a stiff contact would come
// to. As the friction grows from nothing to what it is, the determinant of the equations goes
// through zero.
bool Island::Newton::turns_round() const {
  constexpr int kLargest = 120;
  const int r = lu_.deficiency(), n = static_cast<int>(size_);
  if (r == 0 || n + r > kLargest) return false;
  const auto is_friction = [&](int row) {
    return island_.equations_[at(row)].kind == Equation::Kind::Resistor && reads_island(at(row));
  };
  bool any = false;
  Eigen::MatrixXd with = Eigen::MatrixXd::Zero(n + r, n + r);
  Eigen::MatrixXd without = with;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const linear::Triplet& t = entries_[i];
    with(t.row, t.column) += t.value;
    if (i >= couplings_ && is_friction(t.row)) {
      any = true;
    } else {
      without(t.row, t.column) += t.value;
    }
  }
  if (!any) return false;
  for (Eigen::MatrixXd* matrix : {&with, &without}) {
    for (int k = 0; k < r; ++k) {
      const linear::SparseVector& left = nulls_.left[at(k)];
      for (std::size_t i = 0; i < left.indices.size(); ++i) {
        (*matrix)(left.indices[i], n + k) = left.values[i];
      }
      for (std::size_t i = 0; i < c_[at(k)].indices.size(); ++i) {
        (*matrix)(n + k, c_[at(k)].indices[i]) += c_[at(k)].values[i];
      }
    }
  }
  // The sign alone, because the determinant itself may overflow.
  const auto sign = [](const Eigen::MatrixXd& matrix) {
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix);
    double out = lu.permutationP().determinant() < 0 ? -1 : 1;
    for (int i = 0; i < matrix.rows(); ++i) out *= lu.matrixLU()(i, i) < 0 ? -1 : 1;
    return out;
  };
  return sign(with) != sign(without);
}

// The differentiated constraints: C y + ℓ ḃ = 0 with C = ℓ (N L − Ṁ), at y + step. Rates that read
// the island are taken along their tangents.
std::optional<IslandFault> Island::Newton::meet_constraints(std::span<const double> y) {
  nulls_ = lu_.find_null_spaces();
  const linear::NullSpaces& nulls = nulls_;
  if (auto fault = find_missing_rate(nulls)) return fault;
  const int r = lu_.deficiency();
  std::vector<linear::SparseVector>& c = c_;  // entries may be repeated, and are summed
  Eigen::MatrixXd c_times_z = island_.constrain(
      nulls, [&](const Equation& e, std::size_t j) { return store_slope(e, j); }, c);
  Eigen::VectorXd violation = Eigen::VectorXd::Zero(r);
  const auto add = [&](int k, int variable, double value) {
    c[at(k)].indices.push_back(variable);
    c[at(k)].values.push_back(value);
    for (int j = 0; j < r; ++j) {
      const linear::SparseVector& z = nulls.right[at(j)];
      const auto it = std::lower_bound(z.indices.begin(), z.indices.end(), variable);
      if (it == z.indices.end() || *it != variable) continue;
      c_times_z(k, j) += value * z.values[static_cast<std::size_t>(it - z.indices.begin())];
    }
  };
  const auto each_constraint = [&](int row, const auto& visit) {
    for (int k = 0; k < r; ++k) {
      const linear::SparseVector& left = nulls.left[at(k)];
      const auto it = std::lower_bound(left.indices.begin(), left.indices.end(), row);
      if (it == left.indices.end() || *it != row) continue;
      visit(k, left.values[static_cast<std::size_t>(it - left.indices.begin())]);
    }
  };
  Chain chain(island_, inputs_);
  // Adds ℓ · factor · (what the tangent of a rate adds to its value at y).
  const auto add_tangent = [&](int row, ExprId rate, double factor,
                               std::span<const double> locals = {}) {
    if (!island_.coupled_) return;
    const Chain::Gradient gradient = chain.of(rate, locals);
    each_constraint(row, [&](int k, double left) {
      for (const auto& [v, d] : gradient) {
        add(k, v, left * factor * d);
        violation(k) -= left * factor * d * y[at(v)];
      }
    });
  };
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (!equation.rate.valid()) continue;
    std::vector<double> locals;
    if (!equation.linear) locals = island_.locals_of(equation, x_);
    const double value =
        equation.linear ? inputs_.formula(equation.rate) : inputs_.formula(equation.rate, locals);
    each_constraint(static_cast<int>(i), [&](int k, double left) { violation(k) += left * value; });
    add_tangent(static_cast<int>(i), equation.rate, 1, locals);
  }
  for (const Modulated& m : island_.modulated_) {
    if (!m.rate.valid()) continue;
    const double change = m.factor * inputs_.formula(m.rate);
    each_constraint(m.row, [&](int k, double left) { add(k, m.column, -left * change); });
    add_tangent(m.row, m.rate, -m.factor * y[at(m.column)]);
  }
  for (int k = 0; k < r; ++k) violation(k) += c[at(k)].dot(y) + c[at(k)].dot(step_);
  const Eigen::FullPivLU<Eigen::MatrixXd> factored(c_times_z);
  if (factored.rank() < r) return singular(nulls, factored);
  const Eigen::VectorXd z = factored.solve(-violation);
  for (int j = 0; j < r; ++j) {
    const linear::SparseVector& column = nulls.right[at(j)];
    for (std::size_t i = 0; i < column.indices.size(); ++i) {
      step_[at(column.indices[i])] += z(j) * column.values[i];
    }
  }
  return std::nullopt;
}

// The unit of each row: the magnitudes that are added up to it, here and at the end of the step.
void Island::Newton::find_weights(std::span<const double> y) {
  weights_ = f_.magnitude;
  for (const linear::Triplet& t : entries_) {
    weights_[at(t.row)] += std::abs(t.value * step_[at(t.column)]);
  }
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (bends(equation)) weights_[i] += steepness_[i] * std::abs(y[at(equation.argument)]);
  }
}

double Island::Newton::merit(const Residual& f) const {
  if (!f.finite) return HUGE_VAL;
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double left = f.value[i] - beyond_[i];
    if (left == 0) continue;
    if (!(weights_[i] > 0)) return HUGE_VAL;
    sum += (left / weights_[i]) * (left / weights_[i]);
  }
  return std::sqrt(sum);
}

int Island::Newton::worst_row(const Residual& f, double allowed) const {
  double worst = allowed;
  int found = -1;
  for (std::size_t i = 0; i < size_; ++i) {
    const double left = std::abs(f.value[i] - beyond_[i]);
    const double unit = std::max(weights_[i], f.magnitude[i]);
    if (left <= allowed * unit) continue;
    const double ratio = std::isfinite(left) && unit > 0 ? left / unit : HUGE_VAL;
    if (ratio < worst) continue;
    worst = ratio;
    found = static_cast<int>(i);
  }
  return found;
}

// Where no step gains any more: is what is left of each equation no more than the largest efforts
// and flows leave of it, from which its own may have come as differences?
bool Island::Newton::is_rounding(std::span<const double> y) const {
  double largest[2] = {0, 0};  // effort, flow
  for (std::size_t i = 0; i < size_; ++i) {
    largest[i % 2] = std::max(largest[i % 2], std::abs(y[i]) + std::abs(step_[i]));
  }
  std::vector<double> units = weights_;
  for (const linear::Triplet& t : entries_) {
    const Equation& equation = island_.equations_[at(t.row)];
    const bool slope = bends(equation) && t.column == equation.argument;
    const double factor = slope ? steepness_[at(t.row)] : std::abs(t.value);
    units[at(t.row)] += factor * largest[t.column % 2];
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (!(std::abs(f_.value[i] - beyond_[i]) <= kMet * units[i])) return false;
  }
  return true;
}

// Goes from y along the step as far as it leads downhill: to trial_, with the residual next_.
// Returns how far; 0: nowhere. Any decrease is not enough: on the root of |e| full steps lead to
// and fro for ever.
double Island::Newton::descend(std::span<const double> y) {
  constexpr double kSufficient = 0.1;  // of what a straight line promises (Armijo, 1966)
  find_weights(y);
  trial_.resize(size_);
  const double here = merit(f_);
  double scale = 1;
  for (int halving = 0; halving < kMaxHalvings; ++halving, scale /= 2) {
    for (std::size_t i = 0; i < size_; ++i) trial_[i] = y[i] + scale * step_[i];
    find_residual(trial_, next_);
    if (next_.finite && worst_row(next_, kMet) < 0) return scale;
    // A law may cancel inside, as exp(f) − 1: then rounding is more than its value shows.
    const bool last = halving == 0 && is_short(y) && worst_row(next_, kNearly) < 0;
    if (next_.finite && last) return scale;
    if (merit(next_) <= (1 - kSufficient * scale) * here) return scale;
  }
  return 0;
}

// Is the step so short, beside efforts and flows of its kind, that the next one will be rounding?
bool Island::Newton::is_short(std::span<const double> y) const {
  for (const std::size_t kind : {0, 1}) {
    double longest = 0, largest = 0;
    for (std::size_t i = kind; i < size_; i += 2) {
      longest = std::max(longest, std::abs(step_[i]));
      largest = std::max(largest, std::abs(y[i]));
    }
    if (longest > kSettled * largest) return false;
  }
  return true;
}

// Where the last full step would have led, the linear equations say what is demanded of a law.
IslandFault Island::Newton::unmet(std::span<const double> y) const {
  const auto law = [&](const Equation& equation, double argument) {
    return inputs_.formula(equation.law, std::span<const double>(&argument, 1));
  };
  const auto asked = [&](int variable) {
    const double from = y[at(variable)], by = step_[at(variable)];
    constexpr double kNone = 1e-30;  // for the words of a message
    const double asked = from + by;
    return std::abs(asked) <= std::max(kMet * std::abs(from), kNone) ? 0 : asked;
  };
  int row = worst_row(f_, kNearly);
  bool undefined = false;
  for (std::size_t i = 0; i < size_ && !undefined; ++i) {
    const Equation& equation = island_.equations_[i];
    if (!bends(equation) || !std::isfinite(asked(equation.argument))) continue;
    undefined = !std::isfinite(law(equation, asked(equation.argument)));
    if (undefined) row = static_cast<int>(i);
  }
  if (row < 0) return no_convergence("the efforts and flows");
  const Equation& equation = island_.equations_[at(row)];
  IslandFault fault;
  fault.elements = {equation.element};
  if (reads_island(at(row)) && equation.element.valid()) {
    fault.kind = IslandFault::Kind::Undecided;
    return fault;
  }
  if (!bends(equation)) return no_convergence("the efforts and flows");
  const bool of_flow = equation.argument % 2 == 1;
  const std::string given = of_flow ? "f = " : "e = ", wanted = of_flow ? "e = " : "f = ";
  const double nearest = y[at(equation.argument)];
  fault.kind = IslandFault::Kind::LawUnmet;
  fault.detail =
      undefined ? "has no value at " + given + format_number(asked(equation.argument))
                : "has no solution for " + wanted + format_number(asked(equation.argument ^ 1));
  fault.reached = format_number(law(equation, nearest)) + " at " + given + format_number(nearest);
  return fault;
}

std::optional<IslandFault> Island::Newton::settle(std::span<double> y) {
  prepare();
  find_residual(y, f_);
  if (!f_.finite) return no_convergence("laws that are not finite");
  constexpr int kMostChords = 5;
  int chords = 0;
  Slope kind = Slope::Tangent;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (auto fault = find_step(y, kind)) return fault;
    if (!all_finite(step_)) return no_convergence("the efforts and flows");
    const double scale = descend(y);
    if (scale == 0) {
      if (worst_row(f_, kNearly) < 0 || is_rounding(y)) return std::nullopt;
      if (kind == Slope::Chord || ++chords > kMostChords) return unmet(y);
      kind = Slope::Chord;
      continue;
    }
    kind = Slope::Tangent;
    std::copy(trial_.begin(), trial_.end(), y.begin());
    std::swap(f_, next_);
    const bool settled = worst_row(f_, is_short(y) ? kNearly : kMet) < 0;
    if (scale < 1 || !settled) continue;
    if (!island_.coupled_) return std::nullopt;
    // Where rates read the island, its equations are met before its constraints are.
    if (lu_.deficiency() > 0 && !is_short(y)) continue;
    return turns_round() ? std::optional(undecided()) : std::nullopt;
  }
  return unmet(y);
}

// Where a law leaps, and what stands in it follows from the states, no step leads downhill beyond
// the leap, and whole steps find it at once.
std::optional<IslandFault> Island::Newton::settle_beyond_leaps(std::span<double> y) {
  constexpr int kMost = 20;
  const IslandFault fault = no_convergence("the efforts and flows");
  prepare();
  find_residual(y, f_);
  for (int iteration = 0; iteration < kMost && f_.finite; ++iteration) {
    if (find_step(y, Slope::Tangent) || !all_finite(step_)) return fault;
    for (std::size_t i = 0; i < size_; ++i) y[i] += step_[i];
    find_weights(y);
    find_residual(y, f_);
    if (!f_.finite || worst_row(f_, kMet) >= 0) continue;
    if (island_.coupled_ && lu_.deficiency() > 0 && !is_short(y)) continue;
    return island_.coupled_ && turns_round() ? std::optional(undecided()) : std::nullopt;
  }
  return fault;
}

// What the laws lack, times how far their arguments go: Σ (law(a) − v) da along the step. Where y
// meets all other equations, this is negative at y and grows along the step, in every network that
// delivers no power (Tellegen's theorem) and for all laws that rise; so it changes its sign once.
double Island::Newton::work(std::span<const double> y, double scale) {
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const Equation& equation = island_.equations_[i];
    if (!bends(equation)) continue;
    const std::size_t a = at(equation.argument), v = a ^ 1;
    if (step_[a] == 0) continue;
    const double argument = y[a] + scale * step_[a];
    const double law = inputs_.formula(equation.law, std::span<const double>(&argument, 1));
    sum += (law - y[v] - scale * step_[v]) * step_[a];
  }
  return sum;
}

// Up to about where the work changes its sign.
double Island::Newton::find_length(std::span<const double> y) {
  constexpr double kLongest = 0x1p30;
  constexpr int kHalvings = 60;
  const double here = std::abs(work(y, 0)), full = work(y, 1);
  if (std::isfinite(full) && std::abs(full) <= 0.5 * here) return 1;
  double low = 0, high = 1;
  for (double w = full; std::isfinite(w) && w < 0 && high < kLongest; w = work(y, high)) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    const double w = work(y, middle);
    const bool before = std::isfinite(w) && w < 0;
    (before ? low : high) = middle;
    if (before && std::abs(w) <= 0.1 * here) break;
  }
  return low > 0 ? low : high;
}

bool Island::Newton::settle_by_work(std::span<double> y) {
  constexpr int kMost = 2 * kMaxIterations;
  if (island_.coupled_) return false;
  prepare();
  find_residual(y, f_);
  for (int iteration = 0; iteration < kMost && f_.finite; ++iteration) {
    if (find_step(y, iteration == 0 ? Slope::Chord : Slope::Tangent)) return false;
    if (!all_finite(step_)) return false;
    find_weights(y);
    if (worst_row(f_, kMet) < 0 || is_rounding(y)) return true;
    // The first step leads to where all but the laws is met, if these have a value there.
    double length = iteration == 0 ? 1 : find_length(y);
    trial_.assign(y.begin(), y.end());
    for (int halving = 0; halving < kMaxHalvings; ++halving, length /= 2) {
      for (std::size_t i = 0; i < size_; ++i) trial_[i] = y[i] + length * step_[i];
      find_residual(trial_, f_);
      if (f_.finite) break;
    }
    std::copy(trial_.begin(), trial_.end(), y.begin());
  }
  return false;
}

// From impulses Y, which may be 0, to those that lead to x⁺ on the constraints.
std::optional<IslandFault> Island::Newton::find_jump(std::span<const double> weights,
                                                     std::span<const double> y,
                                                     std::span<double> impulses,
                                                     std::span<const double> x_minus) {
  const auto move = [&](std::span<const double> to) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = x_minus[i] + to[at(island_.rate_variables_[i])];
    }
    try_out(y);
    prepare();
    find_residual(y, f_);
    // Where x⁺ is small, it is so as a difference.
    for (std::size_t i = 0; i < size_; ++i) {
      const Equation& equation = island_.equations_[i];
      for (std::size_t j = 0; j < equation.states.size(); ++j) {
        const double x = x_minus[at(island_.local_state(equation.states[j]))];
        f_.magnitude[i] += std::abs(store_slope(equation, j) * x);
      }
    }
  };
  move(impulses);
  assemble(y, Slope::One);
  lu_.factor(static_cast<int>(size_), entries_);
  const int r = lu_.deficiency();
  const linear::NullSpaces nulls = lu_.find_null_spaces();
  std::vector<double> particular(size_), change(size_), start(size_);
  lu_.solve(weights, particular);
  if (r == 0) {
    std::copy(particular.begin(), particular.end(), impulses.begin());
    move(impulses);
    return std::nullopt;
  }
  // ℓ f, in units of what is added up to it.
  const auto violation = [&](Eigen::VectorXd& c, Eigen::VectorXd& units) {
    for (int k = 0; k < r; ++k) {
      const linear::SparseVector& left = nulls.left[at(k)];
      c(k) = left.dot(f_.value);
      units(k) = 0;
      for (std::size_t i = 0; i < left.indices.size(); ++i) {
        units(k) += std::abs(left.values[i]) * f_.magnitude[at(left.indices[i])];
      }
    }
  };
  Eigen::VectorXd c(r), units(r), next(r), next_units(r);
  violation(c, units);
  std::vector<linear::SparseVector> rows;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Eigen::MatrixXd c_times_z = island_.constrain(
        nulls, [&](const Equation& e, std::size_t j) { return store_slope(e, j); }, rows);
    const Eigen::FullPivLU<Eigen::MatrixXd> factored(c_times_z);
    if (factored.rank() < r) return singular(nulls, factored);
    for (std::size_t i = 0; i < size_; ++i) change[i] = particular[i] - impulses[i];
    Eigen::VectorXd right(r);
    for (int k = 0; k < r; ++k) right(k) = -c(k) - rows[at(k)].dot(change);
    const Eigen::VectorXd z = factored.solve(right);
    std::vector<double> added(size_);  // magnitudes
    for (std::size_t i = 0; i < size_; ++i) added[i] = std::abs(change[i]);
    for (int j = 0; j < r; ++j) {
      const linear::SparseVector& column = nulls.right[at(j)];
      for (std::size_t i = 0; i < column.indices.size(); ++i) {
        change[at(column.indices[i])] += z(j) * column.values[i];
        added[at(column.indices[i])] += std::abs(z(j) * column.values[i]);
      }
    }
    std::copy(impulses.begin(), impulses.end(), start.begin());
    // Units as they are at the end of the step. What is small may be so as a difference of impulses
    // of its kind.
    double largest[2] = {0, 0};  // p′, q′
    for (std::size_t i = 0; i < size_; ++i) largest[i % 2] = std::max(largest[i % 2], added[i]);
    Eigen::VectorXd scale_of = units;
    Eigen::VectorXd rounding = Eigen::VectorXd::Zero(r);
    for (int k = 0; k < r; ++k) {
      double moved = 0;
      for (std::size_t i = 0; i < rows[at(k)].indices.size(); ++i) {
        rounding(k) += std::abs(rows[at(k)].values[i]) * largest[rows[at(k)].indices[i] % 2];
      }
      for (std::size_t i = 0; i < rows[at(k)].indices.size(); ++i) {
        moved += std::abs(rows[at(k)].values[i]) * added[at(rows[at(k)].indices[i])];
      }
      scale_of(k) = std::max(units(k) + moved, 1e-300);
    }
    const double before = c.cwiseQuotient(scale_of).norm();
    double scale = 1;
    bool met = false, lower = false;
    for (int halving = 0; halving < kMaxHalvings && !met && !lower; ++halving, scale /= 2) {
      for (std::size_t i = 0; i < size_; ++i) impulses[i] = start[i] + scale * change[i];
      move(impulses);
      if (!f_.finite) continue;
      violation(next, next_units);
      met = (next.cwiseAbs() - kMet * (next_units.cwiseMax(scale_of) + rounding)).maxCoeff() <= 0;
      lower = next.cwiseQuotient(scale_of).norm() <= (1 - 0.1 * scale) * before;
    }
    if (met) return std::nullopt;
    if (!lower) {
      std::copy(start.begin(), start.end(), impulses.begin());
      move(impulses);
      if ((c.cwiseAbs() - kNearly * units).maxCoeff() <= 0) return std::nullopt;
      return no_convergence("the jump");
    }
    c = next;
    units = next_units;
  }
  return no_convergence("the jump");
}

// What an impulse changes is rounding of the stores, or of the other impulses of its kind.
bool Island::Newton::is_settled(std::span<const double> impulses, std::span<const double> before,
                                std::span<const double> x_minus) const {
  double moved[2] = {0, 0}, largest[2] = {0, 0};  // p′, q′
  for (std::size_t i = 0; i < size_; ++i) {
    moved[i % 2] = std::max(moved[i % 2], std::abs(impulses[i] - before[i]));
    largest[i % 2] = std::max(largest[i % 2], std::abs(impulses[i]));
  }
  for (std::size_t i = 0; i < x_minus.size(); ++i) {
    double& size = largest[at(island_.rate_variables_[i]) % 2];
    size = std::max(size, std::abs(x_minus[i]));
  }
  return moved[0] <= kMet * largest[0] && moved[1] <= kMet * largest[1];
}

std::optional<IslandFault> Island::Newton::jump(std::span<const double> weights,
                                                std::span<const double> start,
                                                std::span<double> impulses,
                                                std::span<double> x_plus) {
  const std::vector<double> x_minus = x_;
  std::vector<double> y(start.begin(), start.end());
  if (!island_.coupled_) std::fill(y.begin(), y.end(), 0.0);
  std::fill(impulses.begin(), impulses.end(), 0.0);
  jumping_ = true;
  std::optional<IslandFault> fault;
  // What the constraints read of the efforts and flows after the jump is found with it.
  constexpr int kRounds = 60;
  std::vector<double> before(size_);
  for (int round = 0; round < kRounds; ++round) {
    std::copy(impulses.begin(), impulses.end(), before.begin());
    fault = find_jump(weights, y, impulses, x_minus);
    std::copy(x_.begin(), x_.end(), x_plus.begin());
    if (fault || !island_.coupled_) return fault;
    if (is_settled(impulses, before, x_minus)) return std::nullopt;
    if ((fault = settle(y))) return fault;
  }
  return no_convergence("the jump");
}

std::optional<IslandFault> Island::solve_jump(IslandInputs& inputs, std::span<const double> weights,
                                              std::span<const double> y, std::span<double> impulses,
                                              std::span<double> x_plus) const {
  const Trying trying(inputs);
  std::vector<double> x;
  for (StateId state : states_) x.push_back(inputs.state(state));
  return Newton(*this, inputs, x).jump(weights, y, impulses, x_plus);
}

// What was known last can be a bad place to begin, and 0 be one where a law has no value: log(f),
// 1/f.
std::optional<IslandFault> Island::solve_flow(IslandInputs& inputs, std::span<double> y) const {
  if (in_order_ && in_order_->solve_in_order(inputs, y)) return std::nullopt;
  const Trying trying(inputs);
  std::vector<double> x;
  for (StateId state : states_) x.push_back(inputs.state(state));
  Newton newton(*this, inputs, x);
  std::optional<IslandFault> first = newton.settle(y);
  if (!first) return first;
  for (const double start : {0.0, 1.0, -1.0}) {
    std::fill(y.begin(), y.end(), 0.0);
    for (const Equation& equation : equations_) {
      const bool law = equation.kind == Equation::Kind::Resistor && !equation.linear;
      if (law) y[at(equation.argument)] = start;
    }
    std::optional<IslandFault> fault = newton.settle(y);
    if (!fault) return fault;
    if (first->kind == IslandFault::Kind::NoConvergence) first = fault;
  }
  std::fill(y.begin(), y.end(), 0.0);
  std::optional<IslandFault> beyond = newton.settle_beyond_leaps(y);
  if (!beyond) return beyond;
  if (beyond->kind == IslandFault::Kind::Undecided) first = beyond;
  std::fill(y.begin(), y.end(), 0.0);
  if (newton.settle_by_work(y)) return std::nullopt;
  std::fill(y.begin(), y.end(), 0.0);
  return first;
}

std::vector<linear::SparseVector> Island::left_null_at(IslandInputs& inputs) const {
  std::vector<linear::Triplet> entries = matrix_;
  for (const Modulated& m : modulated_) {
    entries.push_back({m.row, m.column, m.factor * inputs.formula(m.modulus)});
  }
  linear::RankRevealingLu lu;
  lu.factor(static_cast<int>(size()), entries);
  return lu.find_left_null();
}

bool Island::factor_tangent(IslandInputs& inputs, std::span<const double> y,
                            linear::RankRevealingLu& out, std::vector<double>& left_over) const {
  if (direct_) return false;
  const Trying trying(inputs);
  std::vector<double> x;
  for (StateId s : states_) x.push_back(inputs.state(s));
  Newton(*this, inputs, x).factor_tangent(y, out, left_over);
  return out.deficiency() == (constrained_ ? deficiency_ : 0);
}

}  // namespace cradle::plan
