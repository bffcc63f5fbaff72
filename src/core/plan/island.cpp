#include "core/plan/island.hpp"

#include <algorithm>
#include <cmath>

#include "base/basics/assert.hpp"
#include "core/plan/mode_code.hpp"

namespace cradle::plan {

namespace {

constexpr double kNothing = 1e-9;           // of the largest entry of a null vector
constexpr double kRounding = 64 * 0x1p-52;  // of the magnitudes that were added up

}  // namespace

Island::Island(const Plan& plan, std::vector<CellId> cells,
               const std::function<bool(JunctionId)>& is_active)
    : Island(plan, std::move(cells), is_active, Laws::AsTheyAre) {
  if (!direct_ && !coupled_ && !fault_) put_in_order(is_active);
  if (!direct_) code_.resize(1);
}

Island::~Island() = default;

const ModeCode& Island::code() const {
  return code_.get(0, [this] { return code_of_island(*plan_, *this); });
}

Island::Island(const Plan& plan, std::vector<CellId> cells,
               const std::function<bool(JunctionId)>& is_active, Laws laws)
    : plan_(&plan), cells_(std::move(cells)) {
  places_.assign(cells_);
  std::vector<const Block*> blocks;
  std::size_t bonds = 0, entries = 0;
  for (CellId cell : cells_) {
    const Block& block = plan.block_of(cell);
    blocks.push_back(&block);
    offsets_.push_back(static_cast<int>(bonds));
    bonds += plan.cells()[cell].bonds.size();
    entries += block.entries.size() + 3 * block.borders.size();
  }
  bonds_.reserve(bonds);
  equations_.reserve(2 * bonds);
  matrix_.reserve(entries);
  given_by_.reserve(2 * bonds);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    add_block(*blocks[i], laws);
    const auto& more = plan.cells()[cells_[i]].bonds;
    bonds_.insert(bonds_.end(), more.begin(), more.end());
  }
  local_states_.assign(states_);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    for (const Block::Border& border : blocks[i]->borders) {
      if (!is_active(border.junction)) {
        add_inactive(border);
      } else if (border.end == 0) {
        add_active(border.junction);
      }
    }
  }
  CRADLE_ASSERT(equations_.size() == size(), "an island has as many equations as unknowns");
  share_given();
  const bool reads_itself = this->reads_itself();
  const std::vector<linear::Triplet> matrix =
      reads_itself ? matrix_ : std::vector<linear::Triplet>();
  if (constant_) factor_constant(laws);
  if (reads_itself && (!direct_ || depends_on_itself())) {
    matrix_ = matrix;
    substitutes_ = false;
    // What is at odds may be in order together with what it reads.
    couple();
  }
  parasitic_ = {};
  outside_ = {};
  if (!direct_ && !fault_) {
    deficiency_ = structural_deficiency();
    constrained_ = deficiency_ > 0;
    if (constrained_) find_held_rates();
  }
}

// The block of the next cell, of which the bonds have not been added yet.
void Island::add_block(const Block& block, Laws laws) {
  const int row = static_cast<int>(equations_.size());
  const int column = static_cast<int>(2 * bonds_.size());
  equations_.append(block.equations);
  for (int resistor : block.resistors) {
    own_.push_back(block.equations[at(resistor)]);
    own_.back().argument += column;
    equations_.replace(at(row + resistor), own_.back());
  }
  for (const linear::Triplet& entry : block.entries) {
    matrix_.push_back({row + entry.row, column + entry.column, entry.value});
  }
  for (Modulated modulated : block.modulated) {
    modulated.row += row;
    modulated.column += column;
    modulated_.push_back(modulated);
  }
  for (int given : block.given_by) given_by_.push_back(given < 0 ? -1 : row + given);
  for (int source : block.impulsive_sources) impulsive_sources_.push_back(row + source);
  states_.insert(states_.end(), block.states.begin(), block.states.end());
  for (int variable : block.rate_variables) rate_variables_.push_back(column + variable);
  constant_ &= block.constant || (laws == Laws::AsSources && block.modulated.empty());
  stores_are_linear_ &= block.stores_are_linear;
}

// The bond has no effort, or no flow.
void Island::add_inactive(const Block::Border& border) {
  const model::Junction& junction = plan_->model().junctions[border.junction];
  const bool effort = elements::no_variable(junction.inactive) == elements::Variable::Effort;
  const CellId cell = plan_->cell_of(junction.bonds[at(border.end)].bond);
  add_parasitic(static_cast<int>(equations_.size()), border.junction, at(border.end), false);
  entry(static_cast<int>(equations_.size()),
        2 * offset_of(cell) + border.variable + (effort ? 0 : 1), 1);
  equations_.add(plan_->structure_of(border.junction));
}

void Island::add_active(JunctionId id) {
  const model::Junction& junction = plan_->model().junctions[id];
  const auto& bonds = junction.bonds;
  const int shared = elements::shared_variable(junction.kind) == elements::Variable::Effort ? 0 : 1;
  const int begin = static_cast<int>(ends_.size());
  const int row_begin = static_cast<int>(equations_.size());
  for (const model::BondEnd& end : bonds) {
    const int place = places_[plan_->cell_of(end.bond)];
    ends_.push_back({place, 2 * plan_->index_in_cell(end.bond) + shared});
  }
  elements::active_junction(
      junction.kind, bonds.size(), [&](std::size_t i) { return bonds[i].inward; },
      [&](std::size_t row, elements::Variable variable, std::size_t bond, double factor) {
        const auto& [place, own] = ends_[at(begin) + bond];
        const int effort = 2 * offsets_[at(place)] + own - shared;
        const int which = variable == elements::Variable::Effort ? 0 : 1;
        entry(row_begin + static_cast<int>(row), effort + which, factor);
      });
  for (std::size_t i = 0; i < bonds.size(); ++i) equations_.add(plan_->structure_of(id));
  add_parasitic(static_cast<int>(equations_.size()) - 1, id, 0, true);
  const bool passes = bonds.size() == 2 && bonds[0].inward != bonds[1].inward;
  active_.push_back({begin, static_cast<int>(ends_.size()), passes});
}

// `flip`: 1 for what is summed instead of what is shared.
bool Island::share_given(const Active& junction, int flip) {
  bool changed = false;
  int source = -1;
  for (int i = junction.begin; i < junction.end; ++i) {
    const auto [place, variable] = ends_[at(i)];
    source = std::max(source, given_by_[at((2 * offsets_[at(place)] + variable) ^ flip)]);
  }
  for (int i = junction.begin; i < junction.end && source >= 0; ++i) {
    const auto [place, variable] = ends_[at(i)];
    const int column = 2 * offsets_[at(place)];
    if (given_by_[at((column + variable) ^ flip)] >= 0) continue;
    changed = true;
    const Block& block = plan_->block_of(cells_[at(place)]);
    for (int v = variable ^ flip; given_by_[at(column + v)] < 0; v = block.next_equal[at(v)]) {
      given_by_[at(column + v)] = source;
    }
  }
  return changed;
}

// Shares what is given through active junctions; a chain of junctions of one kind needs several
// rounds.
void Island::share_given() {
  constexpr int kRounds = 16;
  bool changed = true;
  for (int round = 0; round < kRounds && changed; ++round) {
    changed = false;
    for (const Active& junction : active_) {
      changed |= share_given(junction, 0);
      if (junction.passes) changed |= share_given(junction, 1);
    }
  }
  active_ = {};
  ends_ = {};
}

// C = ℓ N L (rows in `c`) and C Z.
Eigen::MatrixXd Island::constrain(const linear::NullSpaces& nulls, const Slope& slope,
                                  std::vector<linear::SparseVector>& c) const {
  const int r = static_cast<int>(nulls.left.size());
  Eigen::MatrixXd c_times_z = Eigen::MatrixXd::Zero(r, r);
  std::vector<double> dense(size(), 0.0);
  c.assign(at(r), {});
  for (int k = 0; k < r; ++k) {
    const linear::SparseVector& left = nulls.left[at(k)];
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
      const linear::SparseVector& z = nulls.right[at(j)];
      double sum = 0, mass = 0;
      for (std::size_t i = 0; i < z.indices.size(); ++i) {
        const double term = dense[at(z.indices[i])] * z.values[i];
        sum += term;
        mass += std::abs(term);
      }
      // What cancelled to rounding would be a current that a constraint does not carry.
      c_times_z(k, j) = std::abs(sum) > kRounding * mass ? sum : 0;
    }
    for (int variable : touched) dense[at(variable)] = 0;
  }
  return c_times_z;
}

void Island::factor_constant(Laws laws) {
  lu_.factor(static_cast<int>(size()), matrix_);
  constraints_ = lu_.deficiency();
  constrained_ = constraints_ > 0;
  if (constrained_ && laws == Laws::AsSources) find_laws_that_bind();
  if (!are_constraints_linear()) return;
  if (constrained_ && bonds_.size() > kRowBonds) {
    factor_saddle_point();
  } else {
    factor_small();
  }
  if (direct_ && saddle_.size() == 0) matrix_ = {};
  const linear::RankRevealingLu& lu = saddle_.size() > 0 ? saddle_ : lu_;
  substitutes_ = direct_ && !uses_rows() && strain_count() == 0 && lu.is_finite() &&
                 (constraints_ == 0 || saddle_.size() > 0);
  if (substitutes_) substitution_.resize(1);
}

bool Island::has_right_side(const Equation& equation) const {
  if (equation.kind == Equation::Kind::Structure) return false;
  return equation.kind != Equation::Kind::Resistor || !equation.linear || equation.offset != 0 ||
         equation.formula.valid();
}

linear::Substitution Island::make_substitution() const {
  const linear::RankRevealingLu& lu = saddle_.size() > 0 ? saddle_ : lu_;
  std::vector<char> has_right(at(lu.size()), 0);
  for (std::size_t row = 0; row < has_right.size(); ++row) {
    const Equation& equation = equations_[row % size()];
    has_right[row] = (row < size() ? has_right_side(equation) : equation.rate.valid()) ? 1 : 0;
  }
  return lu.find_substitution(has_right);
}

// Found when it is first needed, while the island is built.
const std::vector<linear::SparseVector>& Island::left_null() {
  if (std::ssize(nulls_.left) != constraints_) nulls_.left = lu_.find_left_null();
  return nulls_.left;
}

bool Island::are_constraints_linear() {
  const auto bends = [](const Equation& equation) {
    return equation.kind == Equation::Kind::Store && !equation.linear;
  };
  if (stores_are_linear_) return true;
  for (const linear::SparseVector& left : left_null()) {
    for (int row : left.indices) {
      if (bends(equations_[at(row)])) return false;
    }
  }
  return true;
}

void Island::factor_small() {
  if (constrained_) {
    left_null();
    nulls_.right = lu_.find_right_null();
    const Eigen::MatrixXd c_times_z = constrain(
        nulls_, [](const Equation& e, std::size_t j) { return e.coefficients[j]; }, c_);
    c_times_z_.compute(c_times_z);
    if (!factor_strained(c_times_z)) return;
    if (!find_rates()) return;
  }
  direct_ = true;
  prepare_rows();
}

// Its left null vectors are the (ℓ, 0), and its right null vectors the (0, z), if C Z is regular.
// Where there are more, the mode is strained, and null vectors are needed after all.
void Island::factor_saddle_point() {
  const int n = static_cast<int>(size());
  std::vector<linear::Triplet> entries = matrix_;
  entries.reserve(2 * matrix_.size() + states_.size());
  for (const linear::Triplet& entry : matrix_) {
    entries.push_back({n + entry.row, n + entry.column, entry.value});
  }
  for (int row = 0; row < n; ++row) {
    const Equation& equation = equations_[at(row)];
    if (equation.kind != Equation::Kind::Store) continue;
    for (std::size_t j = 0; j < equation.states.size(); ++j) {
      const int variable = rate_variables_[at(local_state(equation.states[j]))];
      entries.push_back({n + row, variable, -equation.coefficients[j]});
    }
  }
  saddle_.factor(2 * n, entries);
  if (saddle_.deficiency() > constraints_) {
    saddle_ = {};
    factor_small();
    return;
  }
  if (!find_rates()) return;
  lu_ = {};
  nulls_ = {};
  direct_ = true;
}

namespace {

// The inverse, without what rounding makes of entries that are zero: elimination solves a system
// that is off by rounding of |L| |U|.
Eigen::MatrixXd invert(const Eigen::FullPivLU<Eigen::MatrixXd>& matrix) {
  Eigen::MatrixXd inverse = matrix.inverse();
  const Eigen::MatrixXd lower = matrix.matrixLU().cwiseAbs().triangularView<Eigen::UnitLower>();
  const Eigen::MatrixXd upper = matrix.matrixLU().cwiseAbs().triangularView<Eigen::Upper>();
  const Eigen::MatrixXd added_up =
      matrix.permutationP().inverse() * (lower * upper) * matrix.permutationQ().inverse();
  const Eigen::MatrixXd sizes = inverse.cwiseAbs();
  const Eigen::MatrixXd magnitudes = sizes * added_up * sizes;
  for (Eigen::Index i = 0; i < inverse.size(); ++i) {
    if (sizes(i) <= kRounding * magnitudes(i)) inverse(i) = 0;
  }
  return inverse;
}

}  // namespace

void Island::prepare_rows() {
  const int r = constraints_;
  if (!uses_rows()) return;
  rows_.resize(size());
  releasing_.resize(size());
  if (strain_count() > 0) return prepare_strained_rows();
  if (r == 0) return;
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(static_cast<int>(size()), r);
  for (int j = 0; j < r; ++j) {
    const linear::SparseVector& column = nulls_.right[at(j)];
    for (std::size_t i = 0; i < column.indices.size(); ++i) {
      z(column.indices[i], j) = column.values[i];
    }
  }
  const Eigen::MatrixXd inverse = invert(c_times_z_);
  release_ = z * inverse;
  const Eigen::MatrixXd magnitudes = z.cwiseAbs() * inverse.cwiseAbs();
  for (int v = 0; v < static_cast<int>(size()); ++v) {
    for (int k = 0; k < r; ++k) {
      if (std::abs(release_(v, k)) > kRounding * magnitudes(v, k)) {
        releasing_[at(v)].push_back(k);
      } else {
        release_(v, k) = 0;
      }
    }
  }
}

// Which efforts and flows are left open, and which constraints nothing can meet.
IslandFault Island::describe_singular(const linear::NullSpaces& nulls,
                                      const Eigen::FullPivLU<Eigen::MatrixXd>& c_times_z) const {
  const Eigen::VectorXd combination =
      Eigen::FullPivLU<Eigen::MatrixXd>(c_times_z.reconstructedMatrix().transpose())
          .kernel()
          .col(0);
  const Eigen::VectorXd direction = c_times_z.kernel().col(0);
  std::vector<double> left(size(), 0.0), open(size(), 0.0);
  for (int k = 0; k < std::ssize(nulls.left); ++k) {
    if (std::abs(combination(k)) >= kNothing * combination.cwiseAbs().maxCoeff()) {
      for (int row : nulls.left[at(k)].indices) left[at(row)] = 1;
    }
    const linear::SparseVector& z = nulls.right[at(k)];
    for (std::size_t i = 0; i < z.indices.size(); ++i) {
      open[at(z.indices[i])] += direction(k) * z.values[i];
    }
  }
  return describe_singular(left, open);
}

IslandFault Island::describe_singular(std::span<const double> left,
                                      std::span<const double> open) const {
  const auto threshold = [](std::span<const double> values) {
    double largest = 0;
    for (double v : values) largest = std::max(largest, std::abs(v));
    return kNothing * largest;
  };
  const double least_left = threshold(left), least_open = threshold(open);
  IslandFault fault;
  fault.kind = IslandFault::Kind::MoreThanOne;
  for (std::size_t row = 0; row < size(); ++row) {
    if (!(std::abs(left[row]) > least_left)) continue;
    const Equation& equation = equations_[row];
    if (equation.kind == Equation::Kind::Source) fault.kind = IslandFault::Kind::NoSolution;
    if (equation.kind == Equation::Kind::Source || equation.kind == Equation::Kind::Store) {
      fault.elements.push_back(equation.element);
    }
    if (equation.junction.valid()) fault.junctions.push_back(equation.junction);
  }
  for (std::size_t v = 0; v < size(); ++v) {
    if (std::abs(open[v]) > least_open) fault.bonds.push_back(bonds_[v / 2]);
  }
  fault.bonds.erase(std::unique(fault.bonds.begin(), fault.bonds.end()), fault.bonds.end());
  std::vector<ElementId> together;  // what is at odds with what it reads itself
  for (std::size_t row = 0; row < size(); ++row) {
    const bool part = std::abs(left[row]) > least_left;
    if (part && equations_[row].reads_cell) together.push_back(equations_[row].element);
  }
  if (!together.empty()) {
    fault.kind = IslandFault::Kind::Undecided;
    fault.elements = std::move(together);
  }
  auto unique = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  unique(fault.elements);
  unique(fault.junctions);
  return fault;
}

bool Island::is_in_constraint(int row) {
  return std::any_of(left_null().begin(), left_null().end(),
                     [row](const linear::SparseVector& left) {
                       return std::binary_search(left.indices.begin(), left.indices.end(), row);
                     });
}

bool Island::find_rates() {
  for (Modulated& m : modulated_) {
    const Rate& rate = plan_->rate_of(m.modulus);
    if (!rate.expr) {
      fault_ = IslandFault{IslandFault::Kind::NoRate, {m.element}, {}, {}, rate.obstacle};
      return false;
    }
    m.rate = *rate.expr;
  }
  for (std::size_t row = 0; row < size(); ++row) {
    const Equation& equation = equations_[row];
    if (!equation.formula.valid() || equation.kind == Equation::Kind::Resistor) continue;
    const Rate& rate = plan_->rate_of(equation.formula);
    if (rate.expr && rate.expr->valid()) {
      own_.push_back(equation);
      own_.back().rate = *rate.expr;
      equations_.replace(row, own_.back());
    }
    if (rate.expr || !is_in_constraint(static_cast<int>(row))) continue;
    fault_ = IslandFault{IslandFault::Kind::NoRate, {equation.element}, {}, {}, rate.obstacle};
    return false;
  }
  find_driven();
  return true;
}

// A source that reads stores or what they give would have to be projected with them: that is left
// to the arrival.
void Island::find_driven() {
  std::vector<char> varies(size(), 0);
  bool any = false;
  for (std::size_t row = 0; row < size(); ++row) {
    varies[row] = equations_[row].rate.valid() ? 1 : 0;
    any |= varies[row] != 0;
  }
  driven_by_.assign(at(constraints_), 0);
  if (!any || !modulated_.empty()) return;
  if (bonds_.size() > kRowBonds) {
    driven_ = saddle_.size() > 0 && is_source_bound(varies);
    return;
  }
  if (std::ssize(nulls_.left) != constraints_) return;  // Newton's method: it is not direct
  for (int k = 0; k < constraints_; ++k) {
    bool driven = false, reads = false;
    for (int row : nulls_.left[at(k)].indices) {
      const Equation& equation = equations_[at(row)];
      driven |= varies[at(row)] != 0;
      reads |= equation.formula.valid() && reads_stores(equation.formula);
    }
    driven_by_[at(k)] = driven && !reads ? 1 : 0;
    driven_ |= driven_by_[at(k)] != 0;
  }
}

// Of a large island, whose null vectors are not at hand: a row stands in a constraint just when
// M y = (the unit vector of this row) has no solution.
bool Island::is_source_bound(const std::vector<char>& varies) const {
  std::vector<double> unit(size(), 0.0), y(size()), left(size());
  bool found = false;
  for (std::size_t row = 0; row < size(); ++row) {
    const Equation& equation = equations_[row];
    if (equation.formula.valid() && reads_stores(equation.formula)) return false;
    if (varies[row] == 0 || found) continue;
    unit[row] = 1;
    lu_.solve(unit, y);
    std::copy(unit.begin(), unit.end(), left.begin());
    for (const linear::Triplet& entry : matrix_) {
      left[at(entry.row)] -= entry.value * y[at(entry.column)];
    }
    unit[row] = 0;
    found = std::any_of(left.begin(), left.end(), [](double v) { return std::abs(v) > kNothing; });
  }
  return found;
}

LinearRow Island::make_row(int variable) const {
  if (strain_count() > 0) return make_strained_row(variable);
  // y_v = e_vᵀ (I − W C) S b − (W ℓ)_v ḃ with W = Z (C Z)⁻¹: one transposed solve.
  std::vector<double> right(size(), 0.0), coefficients(size(), 0.0), rate(size(), 0.0);
  std::vector<double> magnitudes(size(), 0.0), sums(size(), 0.0), rate_sums(size(), 0.0);
  right[at(variable)] = magnitudes[at(variable)] = 1;
  for (int k : releasing_[at(variable)]) {
    const double w = release_(variable, k);
    const linear::SparseVector& c = c_[at(k)];
    for (std::size_t i = 0; i < c.indices.size(); ++i) {
      right[at(c.indices[i])] -= w * c.values[i];
      magnitudes[at(c.indices[i])] += std::abs(w * c.values[i]);
    }
    const linear::SparseVector& left = constraint(k);
    for (std::size_t i = 0; i < left.indices.size(); ++i) {
      rate[at(left.indices[i])] -= w * left.values[i];
      rate_sums[at(left.indices[i])] += std::abs(w * left.values[i]);
    }
  }
  lu_.solve_transposed(right, coefficients);
  lu_.add_up_transposed(magnitudes, sums);
  LinearRow out;
  for (std::size_t i = 0; i < size(); ++i) {
    const Equation& equation = equations_[i];
    if (equation.kind == Equation::Kind::Structure) continue;
    const bool empty = !has_right_side(equation);
    // Coefficients that cancelled to rounding would be dependencies that are not there.
    if (std::abs(coefficients[i]) > kRounding * sums[i] && !empty) {
      out.b.push_back({static_cast<int>(i), coefficients[i]});
    }
    if (std::abs(rate[i]) > kRounding * rate_sums[i] && equation.rate.valid()) {
      out.b_rate.push_back({static_cast<int>(i), rate[i]});
    }
  }
  return out;
}

namespace {

// The solution of a system of both halves; its first half is what is looked for.
std::span<const double> solve_halves(const linear::RankRevealingLu& saddle,
                                     std::span<const double> first, std::span<const double> second,
                                     std::span<double> y) {
  thread_local std::vector<double> right,
      solution;  // serve all islands, so that none keeps its own
  right.assign(first.begin(), first.end());
  right.insert(right.end(), second.begin(), second.end());
  solution.resize(right.size());
  saddle.solve(right, solution);
  std::copy_n(solution.begin(), y.size(), y.begin());
  return std::span(solution).subspan(y.size());
}

}  // namespace

void Island::jump(std::span<const double> b, std::span<const double> weights,
                  std::span<double> impulses, std::span<double> magnitudes) const {
  if (saddle_.size() > 0) {
    const std::span<const double> u = solve_halves(saddle_, weights, b, impulses);
    if (magnitudes.empty()) return;
    for (const linear::Triplet& entry : matrix_) {
      double& most = magnitudes[at(entry.row)];
      most = std::max(most, std::abs(entry.value * u[at(entry.column)]));
    }
    return;
  }
  if (strain_count() > 0) return solve_strained(weights, b, impulses);
  lu_.solve(weights, impulses);
  restore(impulses, [&](int k) { return constraint(k).dot(b) + c_[at(k)].dot(impulses); });
}

void Island::jump_together(std::span<const double> b, std::span<double> impulses) const {
  const std::size_t n = size();
  thread_local std::vector<double> right, solution;  // serve all islands
  right.assign(2 * kTogether * n, 0.0);
  if (saddle_.size() == 0) {
    const std::span<const double> no_weights = std::span(right).first(n);
    for (std::size_t c = 0; c < kTogether; ++c) {
      jump(b.subspan(c * n, n), no_weights, impulses.subspan(c * n, n));
    }
    return;
  }
  solution.resize(right.size());
  for (std::size_t c = 0; c < kTogether; ++c) {
    std::ranges::copy(b.subspan(c * n, n), right.begin() + std::ptrdiff_t((2 * c + 1) * n));
  }
  saddle_.solve_together(right, solution);
  for (std::size_t c = 0; c < kTogether; ++c) {
    std::copy_n(solution.begin() + std::ptrdiff_t(2 * c * n), n,
                impulses.begin() + std::ptrdiff_t(c * n));
  }
}

void Island::flow(std::span<const double> b, std::span<const double> b_rate,
                  std::span<double> y) const {
  if (saddle_.size() > 0) {
    solve_halves(saddle_, b, b_rate, y);
    return;
  }
  if (strain_count() > 0) return solve_strained(b, b_rate, y);
  lu_.solve(b, y);
  restore(y, [&](int k) { return c_[at(k)].dot(y) + constraint(k).dot(b_rate); });
}

// y −= Z (C Z)⁻¹ violation
void Island::restore(std::span<double> y, const std::function<double(int)>& violation_of) const {
  const int r = constraints_;
  if (r == 0) return;
  Eigen::VectorXd violation(r);
  for (int k = 0; k < r; ++k) violation(k) = violation_of(k);
  const Eigen::VectorXd z = c_times_z_.solve(-violation);
  for (int j = 0; j < r; ++j) {
    const linear::SparseVector& column = nulls_.right[at(j)];
    for (std::size_t i = 0; i < column.indices.size(); ++i) {
      y[at(column.indices[i])] += z(j) * column.values[i];
    }
  }
}

namespace {

std::size_t bytes_of(const std::vector<linear::SparseVector>& basis) {
  std::size_t total = basis.capacity() * sizeof(linear::SparseVector);
  for (const linear::SparseVector& vector : basis) {
    total += vector.indices.capacity() * sizeof(int) + vector.values.capacity() * sizeof(double);
  }
  return total;
}

}  // namespace

std::size_t Island::bytes_of_rows() const {
  std::size_t total = in_order_ ? in_order_->bytes_of_rows() : 0;
  substitution_.each([&](const linear::Substitution& nodes) { total += nodes.bytes(); });
  code_.each([&](const ModeCode& code) { total += code.bytes(); });
  rows_.each([&](const LinearRow& row) {
    total += sizeof row + (row.b.capacity() + row.b_rate.capacity()) * sizeof(LinearRow::Entry);
  });
  return total;
}

std::size_t Island::bytes() const {
  return sizeof *this + equations_.size() * sizeof(void*) + own_.size() * sizeof(Equation) +
         lu_.bytes() + saddle_.bytes() +
         static_cast<std::size_t>(release_.size()) * sizeof(double) +
         matrix_.size() * sizeof(linear::Triplet) + rows_.size() * sizeof(void*) +
         bytes_of(nulls_.left) + bytes_of(nulls_.right) + bytes_of(strain_.directions) +
         bytes_of(strain_.amplitudes) + bytes_of(strain_.relief) + bytes_of(strain_.left) +
         bonds_.size() * (sizeof(BondId) + 2 * sizeof(int)) + cells_.size() * 2 * sizeof(int) +
         states_.size() * 2 * sizeof(int) + places_.bytes() + local_states_.bytes() +
         order_.capacity() * sizeof(int) + (in_order_ ? in_order_->bytes() : 0);
}

}  // namespace cradle::plan
