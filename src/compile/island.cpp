#include "compile/island.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/assert.hpp"

namespace cradle::compile {

using elements::Right;
using elements::Variable;
using expr::Op;

namespace {}  // namespace

Island::Island(const HybridSystem& system, std::vector<CellId> cells,
               const std::function<bool(JunctionId)>& is_active)
    : system_(&system), cells_(std::move(cells)) {
  for (CellId cell : cells_) {
    offsets_.push_back(static_cast<int>(bonds_.size()));
    const auto& bonds = system.cells()[cell].bonds;
    bonds_.insert(bonds_.end(), bonds.begin(), bonds.end());
  }
  build_equations(is_active);
  CRADLE_ASSERT(equations_.size() == size(), "an island has as many equations as unknowns");
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind == Equation::Kind::Source && system.may_be_impulsive(equation.formula)) {
      impulsive_sources_.push_back(static_cast<int>(i));
    }
  }
  const bool constant = modulated_.empty() &&
                        std::none_of(equations_.begin(), equations_.end(), [](const Equation& e) {
                          return e.kind == Equation::Kind::Resistor && !e.linear;
                        });
  if (constant) factor_constant();
  if (!direct_ && !fault_) {
    deficiency_ = structural_deficiency();
    constrained_ = deficiency_ > 0;
    if (constrained_) find_rates();
  }
}

int Island::offset_of(CellId cell) const {
  if (cells_.size() == 1) return 0;
  auto it = std::lower_bound(cells_.begin(), cells_.end(), cell);
  return offsets_[static_cast<std::size_t>(it - cells_.begin())];
}

int Island::local(BondId bond, Variable variable) const {
  int index = offset_of(system_->cell_of(bond)) + system_->index_in_cell(bond);
  return 2 * index + (variable == Variable::Effort ? 0 : 1);
}

void Island::build_equations(const std::function<bool(JunctionId)>& is_active) {
  const model::Model& m = system_->model();
  given_by_.assign(size(), -1);
  std::vector<JunctionId> junctions;
  for (CellId id : cells_) {
    const Cell& cell = system_->cells()[id];
    for (ElementId element : cell.elements) add_element(element);
    junctions.insert(junctions.end(), cell.junctions.begin(), cell.junctions.end());
    junctions.insert(junctions.end(), cell.controlled.begin(), cell.controlled.end());
  }
  std::sort(junctions.begin(), junctions.end());
  junctions.erase(std::unique(junctions.begin(), junctions.end()), junctions.end());
  std::vector<JunctionId> active;
  for (JunctionId id : junctions) {
    const model::Junction& junction = m.junctions[id];
    bool on = !junction.automaton.valid() || is_active(id);
    add_junction(junction, id, on);
    if (on) active.push_back(id);
  }
  // Share what is given through active junctions; a chain of junctions of one kind needs several
  // rounds.
  constexpr int kRounds = 16;
  bool changed = true;
  for (int round = 0; round < kRounds && changed; ++round) {
    changed = false;
    for (JunctionId id : active) {
      const model::Junction& junction = m.junctions[id];
      Variable shared =
          junction.kind == model::Junction::Kind::Zero ? Variable::Effort : Variable::Flow;
      int source = -1;
      for (const model::BondEnd& end : junction.bonds) {
        source = std::max(source, given_by_[at(local(end.bond, shared))]);
      }
      for (const model::BondEnd& end : junction.bonds) {
        int& given = given_by_[at(local(end.bond, shared))];
        if (source >= 0 && given < 0) {
          given = source;
          changed = true;
        }
      }
    }
  }
}

void Island::add_junction(const model::Junction& junction, JunctionId id, bool active) {
  Equation equation;
  equation.junction = id;
  const bool zero = junction.kind == model::Junction::Kind::Zero;
  const Variable shared = zero ? Variable::Effort : Variable::Flow;
  const Variable summed = zero ? Variable::Flow : Variable::Effort;
  if (!active) {
    const bool effort = junction.inactive == model::Junction::Inactive::Effort;
    for (const model::BondEnd& end : junction.bonds) {
      CellId cell = system_->cell_of(end.bond);
      if (!std::binary_search(cells_.begin(), cells_.end(), cell)) continue;
      entry(static_cast<int>(equations_.size()),
            local(end.bond, effort ? Variable::Effort : Variable::Flow), 1);
      equations_.push_back(equation);
    }
    return;
  }
  if (junction.bonds.empty()) return;
  const int first = local(junction.bonds[0].bond, shared);
  for (std::size_t i = 1; i < junction.bonds.size(); ++i) {
    const int row = static_cast<int>(equations_.size());
    entry(row, local(junction.bonds[i].bond, shared), 1);
    entry(row, first, -1);
    equations_.push_back(equation);
  }
  const int row = static_cast<int>(equations_.size());
  for (const model::BondEnd& end : junction.bonds) {
    entry(row, local(end.bond, summed), end.inward ? 1 : -1);
  }
  equations_.push_back(equation);
}

void Island::add_element(ElementId id) {
  const model::Model& m = system_->model();
  const model::Element& element = m.elements[id];
  const elements::Definition& definition = elements::definition(element.kind);
  const int ports = static_cast<int>(element.ports.size());
  for (const elements::Relation& relation : definition.flow(ports, element.law_of_effort)) {
    const int row = static_cast<int>(equations_.size());
    Equation equation;
    equation.element = id;
    equation.port = relation.port;
    for (const elements::Term& term : relation.left) {
      const int column = local(element.ports[at(term.port)].bond, term.variable);
      if (!term.coefficient.modulus) {
        entry(row, column, term.coefficient.factor);
      } else if (m.pool.is_constant(element.signal)) {
        entry(row, column, term.coefficient.factor * m.pool.constant_value(element.signal));
      } else {
        modulated_.push_back({row, column, term.coefficient.factor, element.signal, id, {}});
      }
    }
    if (relation.right == Right::Source) {
      equation.kind = Equation::Kind::Source;
      equation.formula = element.signal;
    } else if (relation.right == Right::StateLaw) {
      equation.kind = Equation::Kind::Store;
      add_store_law(equation, element, relation.port);
    } else if (relation.right == Right::PowerLaw) {
      equation.kind = Equation::Kind::Resistor;
      equation.argument = local(element.ports[0].bond, relation.argument);
      add_resistor_law(equation, element, row);
    }
    const bool gives = relation.right == Right::Source || relation.right == Right::StateLaw;
    if (gives && relation.left.size() == 1) {
      given_by_[at(
          local(element.ports[at(relation.left[0].port)].bond, relation.left[0].variable))] = row;
    }
    equations_.push_back(std::move(equation));
  }
  for (std::size_t i = 0; i < element.states.size(); ++i) {
    local_states_.emplace(element.states[i], static_cast<int>(states_.size()));
    states_.push_back(element.states[i]);
    rate_variables_.push_back(local(
        element.ports[i].bond,
        definition.storage == elements::Storage::Momentum ? Variable::Effort : Variable::Flow));
  }
}

namespace {

bool reads_local(const expr::Pool& pool, ExprId e) {
  const std::vector<ExprId> leaves = pool.leaves(e);
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](ExprId leaf) { return pool[leaf].op == Op::Local; });
}

// Does a law leap where its argument passes some point? Then a constant slope does not make it
// linear: sign(f), or if f > 0 then 1 else -1.
bool may_leap(const expr::Pool& pool, ExprId law) {
  std::vector<ExprId> work{law};
  std::unordered_set<int32_t> seen;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || !seen.insert(e.index).second) continue;
    const expr::Node& node = pool[e];
    switch (node.op) {
      case Op::Sign:
      case Op::Floor:
      case Op::Ceil:
      case Op::Mod:
        if (reads_local(pool, e)) return true;
        break;
      case Op::If:
        if (reads_local(pool, node.a)) return true;
        break;
      default:
        break;
    }
    for (ExprId operand : {node.a, node.b, node.c}) work.push_back(operand);
  }
  return false;
}

// Splits law = Σ cᵢ·Local(i) + rest. True if all cᵢ are constant; the rest may vary with signals.
bool split_linear(expr::Pool& pool, ExprId law, std::size_t count, std::vector<double>& c,
                  std::vector<ExprId>& slopes, double& offset, ExprId& rest) {
  bool linear = !may_leap(pool, law);
  std::vector<ExprId> zeros(count, pool.constant(0));
  for (std::size_t i = 0; i < count; ++i) {
    ExprId slope = pool.derivative(law, Op::Local, static_cast<int32_t>(i));
    slopes.push_back(slope);
    linear = linear && pool.is_constant(slope);
    c.push_back(linear ? pool.constant_value(slope) : 0);
  }
  if (!linear) return false;
  ExprId at_zero = pool.substitute(law, zeros);
  if (pool.is_constant(at_zero)) {
    offset = pool.constant_value(at_zero);
  } else {
    rest = at_zero;
  }
  return true;
}

}  // namespace

void Island::add_store_law(Equation& equation, const model::Element& element, int port) {
  equation.law = element.laws[at(port)];
  equation.states = element.states;
  equation.linear =
      split_linear(system_->model().pool, equation.law, element.states.size(),
                   equation.coefficients, equation.slopes, equation.offset, equation.formula);
}

void Island::add_resistor_law(Equation& equation, const model::Element& element, int row) {
  equation.law = element.laws[0];
  equation.linear = split_linear(system_->model().pool, equation.law, 1, equation.coefficients,
                                 equation.slopes, equation.offset, equation.formula);
  if (equation.linear) entry(row, equation.argument, -equation.coefficients[0]);
}

// C = ℓ N L (rows in `c`) and C Z.
Eigen::MatrixXd Island::constrain(const linear::RankRevealingLu& lu, const Slope& slope,
                                  std::vector<linear::SparseVector>& c) const {
  const int r = lu.deficiency();
  Eigen::MatrixXd c_times_z = Eigen::MatrixXd::Zero(r, r);
  std::vector<double> dense(size(), 0.0);
  c.assign(at(r), {});
  for (int k = 0; k < r; ++k) {
    const linear::SparseVector& left = lu.left_null()[at(k)];
    std::vector<int> touched;
    for (std::size_t i = 0; i < left.indices.size(); ++i) {
      const Equation& equation = equations_[at(left.indices[i])];
      if (equation.kind != Equation::Kind::Store) continue;
      for (std::size_t j = 0; j < equation.states.size(); ++j) {
        const int variable = rate_variables_[at(local_state(equation.states[j]))];
        if (dense[at(variable)] == 0) touched.push_back(variable);
        dense[at(variable)] += left.values[i] * slope(equation, j);
      }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (int variable : touched) {
      c[at(k)].indices.push_back(variable);
      c[at(k)].values.push_back(dense[at(variable)]);
    }
    for (int j = 0; j < r; ++j) {
      const linear::SparseVector& z = lu.right_null()[at(j)];
      double sum = 0;
      for (std::size_t i = 0; i < z.indices.size(); ++i) {
        sum += dense[at(z.indices[i])] * z.values[i];
      }
      c_times_z(k, j) = sum;
    }
    for (int variable : touched) dense[at(variable)] = 0;
  }
  return c_times_z;
}

void Island::factor_constant() {
  lu_.factor(static_cast<int>(size()), matrix_);
  const int r = lu_.deficiency();
  constrained_ = r > 0;
  bool linear_constraints = true;
  for (int k = 0; k < r; ++k) {
    for (int index : lu_.left_null()[at(k)].indices) {
      const Equation& equation = equations_[at(index)];
      linear_constraints &= equation.kind != Equation::Kind::Store || equation.linear;
    }
  }
  if (!linear_constraints) return;
  Eigen::MatrixXd c_times_z = constrain(
      lu_, [](const Equation& e, std::size_t j) { return e.coefficients[j]; }, c_);
  if (r > 0) {
    c_times_z_.compute(c_times_z);
    if (c_times_z_.rank() < r) {
      fault_ = describe_singular(lu_, c_times_z_);
      return;
    }
    if (!find_rates()) return;
  }
  direct_ = true;
  prepare_rows();
}

void Island::prepare_rows() {
  row_index_.assign(size(), -1);
  scratch_.resize(size());
  const int r = lu_.deficiency();
  if (!uses_rows()) return;
  releasing_.resize(size());
  if (r == 0) return;
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(static_cast<int>(size()), r);
  for (int j = 0; j < r; ++j) {
    const linear::SparseVector& column = lu_.right_null()[at(j)];
    for (std::size_t i = 0; i < column.indices.size(); ++i) {
      z(column.indices[i], j) = column.values[i];
    }
  }
  release_ = z * c_times_z_.inverse();
  const double largest = release_.cwiseAbs().maxCoeff();
  for (int v = 0; v < static_cast<int>(size()); ++v) {
    for (int k = 0; k < r; ++k) {
      if (std::abs(release_(v, k)) > 1e-14 * largest) {
        releasing_[at(v)].push_back(k);
      } else {
        release_(v, k) = 0;
      }
    }
  }
}

// Which efforts and flows are left open, and which constraints nothing can meet.
IslandFault Island::describe_singular(const linear::RankRevealingLu& lu,
                                      const Eigen::FullPivLU<Eigen::MatrixXd>& c_times_z) const {
  IslandFault fault;
  fault.kind = IslandFault::Kind::MoreThanOne;
  const Eigen::VectorXd left =
      Eigen::FullPivLU<Eigen::MatrixXd>(c_times_z.reconstructedMatrix().transpose())
          .kernel()
          .col(0);
  for (int k = 0; k < lu.deficiency(); ++k) {
    if (std::abs(left(k)) < 1e-9 * left.cwiseAbs().maxCoeff()) continue;
    for (int index : lu.left_null()[at(k)].indices) {
      const Equation& equation = equations_[at(index)];
      if (equation.kind == Equation::Kind::Source) fault.kind = IslandFault::Kind::NoSolution;
      if (equation.kind == Equation::Kind::Source || equation.kind == Equation::Kind::Store) {
        fault.elements.push_back(equation.element);
      }
      if (equation.junction.valid()) fault.junctions.push_back(equation.junction);
    }
  }
  const Eigen::VectorXd open = c_times_z.kernel().col(0);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(static_cast<int>(size()));
  for (int j = 0; j < lu.deficiency(); ++j) {
    const linear::SparseVector& z = lu.right_null()[at(j)];
    for (std::size_t i = 0; i < z.indices.size(); ++i) y(z.indices[i]) += open(j) * z.values[i];
  }
  const double largest = y.cwiseAbs().maxCoeff();
  for (int v = 0; v < static_cast<int>(size()); ++v) {
    if (std::abs(y(v)) > 1e-9 * largest) fault.bonds.push_back(bonds_[at(v / 2)]);
  }
  fault.bonds.erase(std::unique(fault.bonds.begin(), fault.bonds.end()), fault.bonds.end());
  auto unique = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  unique(fault.elements);
  unique(fault.junctions);
  return fault;
}

bool Island::find_rates() {
  const expr::Pool& pool = system_->model().pool;
  for (Modulated& m : modulated_) {
    std::string obstacle;
    std::optional<ExprId> rate = system_->time_derivative(m.modulus, obstacle);
    if (!rate) {
      fault_ = IslandFault{IslandFault::Kind::NoRate, {m.element}, {}, {}, obstacle};
      return false;
    }
    const bool zero = pool.is_constant(*rate) && pool.constant_value(*rate) == 0;
    m.rate = zero ? ExprId() : *rate;
  }
  for (Equation& equation : equations_) {
    if (!equation.formula.valid() || equation.kind == Equation::Kind::Resistor) continue;
    std::string obstacle;
    std::optional<ExprId> rate = system_->time_derivative(equation.formula, obstacle);
    if (rate) {
      const bool zero = pool.is_constant(*rate) && pool.constant_value(*rate) == 0;
      equation.rate = zero ? ExprId() : *rate;
      continue;
    }
    bool constrains = false;
    for (const linear::SparseVector& left : lu_.left_null()) {
      for (int index : left.indices) constrains |= &equations_[at(index)] == &equation;
    }
    if (!constrains) continue;
    fault_ = IslandFault{IslandFault::Kind::NoRate, {equation.element}, {}, {}, obstacle};
    return false;
  }
  return true;
}

const LinearRow& Island::row(int variable) const {
  int& index = row_index_[at(variable)];
  if (index >= 0) return rows_[at(index)];
  // y_v = e_vᵀ (I − W C) S b − (W ℓ)_v ḃ with W = Z (C Z)⁻¹: one transposed solve.
  std::vector<double> right(size(), 0.0), coefficients(size(), 0.0), rate(size(), 0.0);
  right[at(variable)] = 1;
  for (int k : releasing_[at(variable)]) {
    const double w = release_(variable, k);
    const linear::SparseVector& c = c_[at(k)];
    for (std::size_t i = 0; i < c.indices.size(); ++i) right[at(c.indices[i])] -= w * c.values[i];
    const linear::SparseVector& left = constraint(k);
    for (std::size_t i = 0; i < left.indices.size(); ++i) {
      rate[at(left.indices[i])] -= w * left.values[i];
    }
  }
  lu_.solve_transposed(right, coefficients);
  double largest = 0;
  for (double c : coefficients) largest = std::max(largest, std::abs(c));
  LinearRow out;
  for (std::size_t i = 0; i < size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind == Equation::Kind::Structure) continue;
    const bool empty = equation.kind == Equation::Kind::Resistor && equation.offset == 0 &&
                       !equation.formula.valid();
    // Coefficients that cancelled to rounding would be dependencies that are not there.
    if (std::abs(coefficients[i]) > 1e-14 * largest && !empty) {
      out.b.push_back({static_cast<int>(i), coefficients[i]});
    }
    if (rate[i] != 0 && equation.rate.valid()) {
      out.b_rate.push_back({static_cast<int>(i), rate[i]});
    }
  }
  index = static_cast<int>(rows_.size());
  rows_.push_back(std::move(out));
  return rows_.back();
}

void Island::jump(std::span<const double> b, std::span<const double> weights,
                  std::span<double> impulses) const {
  const int r = lu_.deficiency();
  lu_.solve(weights, impulses);
  if (r == 0) return;
  Eigen::VectorXd violation(r);
  for (int k = 0; k < r; ++k) violation(k) = constraint(k).dot(b) + c_[at(k)].dot(impulses);
  const Eigen::VectorXd z = c_times_z_.solve(-violation);
  for (int j = 0; j < r; ++j) {
    const linear::SparseVector& column = lu_.right_null()[at(j)];
    for (std::size_t i = 0; i < column.indices.size(); ++i) {
      impulses[at(column.indices[i])] += z(j) * column.values[i];
    }
  }
}

void Island::flow(std::span<const double> b, std::span<const double> b_rate,
                  std::span<double> y) const {
  const int r = lu_.deficiency();
  lu_.solve(b, y);
  if (r == 0) return;
  Eigen::VectorXd violation(r);
  for (int k = 0; k < r; ++k) violation(k) = c_[at(k)].dot(y) + constraint(k).dot(b_rate);
  const Eigen::VectorXd z = c_times_z_.solve(-violation);
  for (int j = 0; j < r; ++j) {
    const linear::SparseVector& column = lu_.right_null()[at(j)];
    for (std::size_t i = 0; i < column.indices.size(); ++i) {
      y[at(column.indices[i])] += z(j) * column.values[i];
    }
  }
}

std::size_t Island::bytes() const {
  return sizeof *this + equations_.size() * sizeof(Equation) + lu_.bytes() +
         static_cast<std::size_t>(release_.size()) * sizeof(double) +
         matrix_.size() * sizeof(linear::Triplet) + rows_.size() * 16 * sizeof(double) +
         bonds_.size() * 32;
}

}  // namespace cradle::compile
