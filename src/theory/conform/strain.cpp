#include "theory/conform/strain.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "language/elements/junction.hpp"
#include "theory/hypa/linear_form.hpp"

namespace cradle::conform {
namespace {

using elements::Variable;
using expr::Op;
using hypa::Mark;
using hypa::Quantity;
using hypa::VariableId;
using hypa::Vocabulary;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Eigen::Index kMostVariables = 400;  // of what is worth a dense analysis
constexpr double kRank = 1e-9;

// The equations of a mode, row by row.
class Equations {
 public:
  Equations(const model::Model& model, hypa::Composition& composition)
      : composition_(composition), v_(composition.specification.vocabulary) {
    for (std::size_t i = 0; i < model.bonds.size(); ++i) {
      const hypa::BondVariables& bond = composition.bonds[i];
      const auto e = static_cast<Eigen::Index>(2 * i);
      place_[bond.effort.index] = e;
      place_[bond.flow.index] = e + 1;
      rate_of_[bond.momentum.index] = e;
      rate_of_[bond.displacement.index] = e + 1;
    }
    for (VariableId state : composition.states) stored_.emplace(state.index, stored_.size());
    const auto n = static_cast<Eigen::Index>(2 * model.bonds.size());
    m = Matrix::Zero(n, n);
    parasitic = Matrix::Zero(n, n);
    slope = Matrix::Zero(n, static_cast<Eigen::Index>(stored_.size()));
    flow_into = Matrix::Zero(static_cast<Eigen::Index>(stored_.size()), n);
    b = size = Vector::Zero(n);
    for (const auto& [state, column] : stored_) {
      const auto rate = rate_of_.find(state);
      if (rate != rate_of_.end()) flow_into(static_cast<Eigen::Index>(column), rate->second) = 1;
    }
  }

  // left − right = 0, linear at what is recorded. False: something is not known.
  bool add(ExprId relation, const std::function<Value(ExprId)>& value) {
    const expr::Node node = v_.pool[relation];
    if (node.op != Op::Equal || rows_ == m.rows()) return false;
    const hypa::LinearForm form = hypa::difference(v_.pool, node);
    b(rows_) = -form.constant;
    size(rows_) = std::abs(form.constant);
    for (const auto& [atom, factor] : form.terms) {
      if (!add_term(atom, factor, value)) return false;
    }
    ++rows_;
    return true;
  }

  // A controlled junction, with its δ: what that dissipates is δ times a square.
  bool add(const model::Junction& junction, bool active) {
    const std::size_t n = junction.bonds.size();
    const auto ends = static_cast<Eigen::Index>(n);
    if (rows_ + ends > m.rows()) return false;
    const Variable shared = elements::shared_variable(junction.kind);
    const Variable none = elements::no_variable(junction.inactive);
    const auto sign = [&](std::size_t i) { return junction.bonds[i].inward ? 1.0 : -1.0; };
    if (active) {
      elements::active_junction(
          junction.kind, n, [&](std::size_t i) { return junction.bonds[i].inward; },
          [&](std::size_t row, Variable variable, std::size_t i, double factor) {
            m(rows_ + static_cast<Eigen::Index>(row), column(junction, i, variable)) += factor;
          });
      parasitic(rows_ + ends - 1, column(junction, 0, shared)) -= 1;
    }
    for (std::size_t i = 0; !active && i < n; ++i) {
      const Eigen::Index row = rows_ + static_cast<Eigen::Index>(i);
      m(row, column(junction, i, none)) = 1;
      for (std::size_t j = 0; j < n; ++j) {
        if (none != shared && j != i) continue;
        parasitic(row, column(junction, j, elements::dual(none))) -= sign(j);
      }
    }
    for (Eigen::Index i = 0; i < ends; ++i) rows_of.emplace_back(rows_ + i, &junction);
    rows_ += ends;
    return true;
  }
  bool is_square() const { return rows_ == m.rows(); }

  VariableId variable(Eigen::Index column) const {
    const hypa::BondVariables& bond = composition_.bonds[static_cast<std::size_t>(column / 2)];
    return column % 2 == 0 ? bond.effort : bond.flow;
  }

  Matrix m, parasitic;
  Matrix slope;      // ∂b/∂x
  Matrix flow_into;  // ẋ = … y
  Vector b, size;    // size: what was added up to b
  std::vector<std::pair<Eigen::Index, const model::Junction*>> rows_of;  // controlled junctions

 private:
  Eigen::Index column(const model::Junction& junction, std::size_t end, Variable variable) const {
    const auto bond = static_cast<Eigen::Index>(at(junction.bonds[end].bond));
    return 2 * bond + (variable == Variable::Effort ? 0 : 1);
  }

  bool add_term(ExprId atom, double factor, const std::function<Value(ExprId)>& value) {
    if (v_.is_variable(atom)) {
      const VariableId id = Vocabulary::variable_of(v_.pool[atom]);
      if (const auto found = place_.find(id.index); found != place_.end()) {
        m(rows_, found->second) += factor;
        return true;
      }
      const auto stored = stored_.find(id.index);
      if (stored != stored_.end()) {
        slope(rows_, static_cast<Eigen::Index>(stored->second)) -= factor;
      }
    } else if (!add_tangent(atom, factor, value)) {
      return false;
    }
    const Value known = value(atom);
    if (!known.is_present() || !std::isfinite(known.number.finite)) return false;
    b(rows_) -= factor * known.number.finite;
    size(rows_) += std::abs(factor) * known.size;
    return true;
  }

  // Of a law that is not linear: its slopes, over efforts, flows and what is stored.
  bool add_tangent(ExprId atom, double factor, const std::function<Value(ExprId)>& value) {
    for (ExprId leaf : std::vector<ExprId>(v_.leaves(atom))) {
      if (!v_.is_variable(leaf)) continue;
      const int32_t id = Vocabulary::variable_of(v_.pool[leaf]).index;
      const auto power = place_.find(id);
      const auto stored = stored_.find(id);
      if (power == place_.end() && stored == stored_.end()) continue;
      const Value slope_there = value(v_.pool.gradient(atom, std::span(&leaf, 1))[0]);
      const Value here = value(leaf);
      if (!slope_there.is_present() || !here.is_present()) return false;
      const double tangent = factor * slope_there.number.finite;
      if (!std::isfinite(tangent)) return false;
      if (power != place_.end()) {
        m(rows_, power->second) += tangent;
        b(rows_) += tangent * here.number.finite;
        size(rows_) += std::abs(tangent) * here.size;
      } else {
        slope(rows_, static_cast<Eigen::Index>(stored->second)) -= tangent;
      }
    }
    return true;
  }

  const hypa::Composition& composition_;
  Vocabulary& v_;
  std::unordered_map<int32_t, Eigen::Index> place_, rate_of_;  // by variable: columns of y
  std::unordered_map<int32_t, std::size_t> stored_;            // by variable: columns of x
  Eigen::Index rows_ = 0;
};

// Rows and columns scaled so that their largest entries are about one: units do not matter.
void equilibrate(const Matrix& m, Vector& rows, Vector& columns) {
  rows = Vector::Ones(m.rows());
  columns = Vector::Ones(m.cols());
  const auto inverse_root = [](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; };
  for (int round = 0; round < 8; ++round) {
    const Matrix scaled = rows.asDiagonal() * m * columns.asDiagonal();
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      rows(i) *= inverse_root(scaled.row(i).cwiseAbs().maxCoeff());
    }
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      columns(j) *= inverse_root(scaled.col(j).cwiseAbs().maxCoeff());
    }
  }
}

// A basis of {z : m z = 0}, cleaned of rounding; no columns if there is none but zero.
Matrix kernel(const Matrix& m, double threshold) {
  if (m.rows() == 0 || m.cols() == 0) return Matrix::Zero(m.cols(), 0);
  Eigen::FullPivLU<Matrix> lu(m);
  lu.setThreshold(threshold);
  if (lu.dimensionOfKernel() == 0) return Matrix::Zero(m.cols(), 0);
  Matrix out = lu.kernel();
  for (Eigen::Index k = 0; k < out.cols(); ++k) {
    const double largest = out.col(k).cwiseAbs().maxCoeff();
    for (double& x : out.col(k)) {
      if (std::abs(x) <= 1e-11 * largest) x = 0;
    }
  }
  return out;
}

// D is made of sums: what cancelled is zero.
Matrix product_of(const Matrix& left, const Matrix& middle, const Matrix& right) {
  Matrix out = left.transpose() * middle * right;
  const Matrix mass = left.cwiseAbs().transpose() * middle.cwiseAbs() * right.cwiseAbs();
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    for (Eigen::Index j = 0; j < out.cols(); ++j) {
      if (std::abs(out(i, j)) <= 1e-10 * mass(i, j)) out(i, j) = 0;
    }
  }
  return out;
}

std::optional<Strain> analyse(const Equations& equations, double tolerance) {
  Strain out;
  Vector rows, columns;
  equilibrate(equations.m, rows, columns);
  const Matrix m = rows.asDiagonal() * equations.m * columns.asDiagonal();
  const Matrix u = columns.asDiagonal() * kernel(m, kRank);
  const Matrix w = rows.asDiagonal() * kernel(m.transpose(), kRank);
  if (u.cols() != w.cols()) return std::nullopt;
  if (u.cols() == 0) return out;
  const Matrix d = product_of(w, equations.slope * equations.flow_into, u);
  Vector d_rows, d_columns;
  equilibrate(d, d_rows, d_columns);
  const Matrix scaled = d_rows.asDiagonal() * d * d_columns.asDiagonal();
  const Matrix z = d_columns.asDiagonal() * kernel(scaled, kRank);
  const Matrix z_left = d_rows.asDiagonal() * kernel(scaled.transpose(), kRank);
  if (z.cols() != z_left.cols()) return std::nullopt;
  if (z.cols() == 0) return out;
  const Matrix directions = u * z, at_odds = w * z_left;
  const Matrix decided = product_of(at_odds, equations.parasitic, directions);
  Eigen::FullPivLU<Matrix> lu(decided);
  if (!lu.isInvertible()) return std::nullopt;
  // What is not more than the tolerance of what is added up is zero.
  Vector force = at_odds.transpose() * equations.b;
  const Vector mass = at_odds.cwiseAbs().transpose() * equations.size;
  for (Eigen::Index k = 0; k < force.size(); ++k) {
    if (std::abs(force(k)) <= tolerance * mass(k)) force(k) = 0;
  }
  const Vector amount = lu.solve(force);
  const Matrix inverse = lu.inverse().cwiseAbs();
  const Vector y = directions * amount, sizes = directions.cwiseAbs() * (inverse * mass);
  const Vector terms = directions.cwiseAbs() * amount.cwiseAbs();
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    if (directions.row(j).cwiseAbs().maxCoeff() == 0) continue;
    const double value = std::abs(y(j)) > 1e-9 * terms(j) ? y(j) : 0;
    out.parts[equations.variable(j)] = {value, sizes(j)};
    out.is_strained = out.is_strained || value != 0;
  }
  const Vector relief = equations.parasitic * y;
  for (const auto& [row, junction] : equations.rows_of) {
    out.relief[junction->name].push_back(std::abs(relief(row)));
  }
  return out;
}

}  // namespace

std::optional<Strain> StrainFinder::find(
    const std::vector<ExprId>& flow, const std::function<Value(ExprId)>& value,
    const std::function<std::optional<std::size_t>(AutomatonId)>& mode, double tolerance) {
  if (static_cast<Eigen::Index>(2 * m_.bonds.size()) > kMostVariables) return std::nullopt;
  Equations equations(m_, composition_);
  for (ExprId relation : flow) {
    if (!equations.add(relation, value)) return std::nullopt;
  }
  for (const model::Junction& junction : m_.junctions) {
    if (!junction.automaton.valid()) continue;
    const std::optional<std::size_t> state = mode(junction.automaton);
    if (!state) return std::nullopt;
    const bool active = junction.active[*state];
    if (!equations.add(junction, active)) return std::nullopt;
  }
  if (!equations.is_square()) return std::nullopt;
  return analyse(equations, tolerance);
}

}  // namespace cradle::conform
