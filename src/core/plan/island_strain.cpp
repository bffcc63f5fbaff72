// Strained modes (semantics, 6.1). Every controlled junction is ideal only up to a parasitic δ that
// is smaller than every power of ε, so that the equations of an island are
//
//     (M + δ E) y = b        y = c/δ + y₀ + …
//
// With U, W the right and left null vectors of M and D = Wᵀ N L U: D regular is the ordinary case.
// Otherwise, with Z, Z_l its kernels, U_s = U Z and W_s = W Z_l:
//
//     strain     c = U_s P b                     P = (W_sᵀ E U_s)⁻¹ W_sᵀ
//     relieved   b̃ = b − E c                     what is left for the finite part
//     flow       M y = b̃,  W_sᵀ E y = 0,  W_dᵀ d/dt b̃ = 0
//     jump       M Y = w̃,  W_sᵀ E Y = 0,  W_dᵀ b̃(x + L Y) = 0
//
// with W_d the other left null vectors. The rows of M that follow from others are redundant; in
// their place stand the last two, which makes one regular matrix A for both. If W_sᵀ E U_s or A is
// singular, no parasitic decides, and the mode has no meaning.

#include <algorithm>
#include <cmath>

#include "base/basics/assert.hpp"
#include "core/plan/island.hpp"

namespace cradle::plan {

namespace {

constexpr double kCancelled = 1e-12;  // of the magnitudes that were added up
constexpr double kRank = 1e-11;       // of the largest that has gone into an entry

// Sums of sparse vectors, without what cancelled to rounding.
class Adder {
 public:
  explicit Adder(std::size_t size) : sums_(size, 0.0), masses_(size, 0.0) {}
  void add(int index, double value) {
    if (masses_[at(index)] == 0) touched_.push_back(index);
    sums_[at(index)] += value;
    masses_[at(index)] += std::abs(value);
  }
  void add(const linear::SparseVector& vector, double factor) {
    if (factor == 0) return;
    for (std::size_t i = 0; i < vector.indices.size(); ++i) {
      add(vector.indices[i], factor * vector.values[i]);
    }
  }
  linear::SparseVector take() {
    linear::SparseVector out;
    std::sort(touched_.begin(), touched_.end());
    for (int index : touched_) {
      if (std::abs(sums_[at(index)]) > kCancelled * masses_[at(index)]) {
        out.indices.push_back(index);
        out.values.push_back(sums_[at(index)]);
      }
      sums_[at(index)] = masses_[at(index)] = 0;
    }
    touched_.clear();
    return out;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  std::vector<double> sums_, masses_;
  std::vector<int> touched_;
};

linear::SparseVector combine(const std::vector<linear::SparseVector>& vectors,
                             const linear::SparseVector& factors, std::size_t size) {
  Adder adder(size);
  for (std::size_t i = 0; i < factors.indices.size(); ++i) {
    adder.add(vectors[static_cast<std::size_t>(factors.indices[i])], factors.values[i]);
  }
  return adder.take();
}

// Their product, zero where it cancelled to rounding.
double dot(const linear::SparseVector& a, const linear::SparseVector& b) {
  double sum = 0, mass = 0;
  for (std::size_t i = 0, j = 0; i < a.indices.size() && j < b.indices.size();) {
    if (a.indices[i] < b.indices[j]) {
      ++i;
    } else if (b.indices[j] < a.indices[i]) {
      ++j;
    } else {
      const double term = a.values[i++] * b.values[j++];
      sum += term;
      mass += std::abs(term);
    }
  }
  return std::abs(sum) > kCancelled * mass ? sum : 0;
}

linear::SparseVector from_dense(std::span<const double> values) {
  linear::SparseVector out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    out.indices.push_back(static_cast<int>(i));
    out.values.push_back(values[i]);
  }
  return out;
}

}  // namespace

// The row of a controlled junction with δ: what it dissipates is δ times a square.
//
//   active      Σ± shared-dual = δ shared         1: Σ± e = δ f       0: Σ± f = δ e
//   inactive    1/F: every f = δ Σ± e             0/E: every e = δ Σ± f
//               1/E: e = ± δ f, bond by bond      0/F: f = ± δ e
void Island::add_parasitic(int row, JunctionId id, std::size_t own, bool active) {
  const model::Junction& junction = plan_->model().junctions[id];
  const elements::Variable shared = elements::shared_variable(junction.kind);
  const auto add = [&](std::size_t end, elements::Variable variable, double value) {
    const CellId cell = plan_->cell_of(junction.bonds[end].bond);
    if (places_.find(cell) < 0) {
      outside_.emplace_back(row, cell);
      return;
    }
    const int bond = offset_of(cell) + plan_->index_in_cell(junction.bonds[end].bond);
    parasitic_.push_back({row, 2 * bond + (variable == elements::Variable::Effort ? 0 : 1), value});
  };
  const auto sign = [&](std::size_t end) { return junction.bonds[end].inward ? 1.0 : -1.0; };
  if (active) return add(0, shared, -1);
  const elements::Variable none = elements::no_variable(junction.inactive);
  if (none != shared) return add(own, elements::dual(none), -sign(own));
  for (std::size_t end = 0; end < junction.bonds.size(); ++end) {
    add(end, elements::dual(shared), -sign(end));
  }
}

// Is C Z singular? If so, what δ makes of it. False: there is a fault, or neighbours are needed.
bool Island::factor_strained(const Eigen::MatrixXd& c_times_z) {
  const int r = constraints_;
  std::vector<linear::Triplet> entries;
  for (int k = 0; k < r; ++k) {
    for (int j = 0; j < r; ++j) {
      double mass = 0;
      const linear::SparseVector& z = nulls_.right[at(j)];
      std::size_t i = 0;
      for (std::size_t c = 0; c < c_[at(k)].indices.size(); ++c) {
        while (i < z.indices.size() && z.indices[i] < c_[at(k)].indices[c]) ++i;
        if (i < z.indices.size() && z.indices[i] == c_[at(k)].indices[c]) {
          mass += std::abs(c_[at(k)].values[c] * z.values[i]);
        }
      }
      if (std::abs(c_times_z(k, j)) > kCancelled * mass) entries.push_back({k, j, c_times_z(k, j)});
    }
  }
  linear::RankRevealingLu d;
  d.factor(r, entries, kRank);
  if (d.deficiency() == 0) return true;
  std::vector<linear::SparseVector> left;
  for (const linear::SparseVector& z : d.find_right_null()) {
    strain_.directions.push_back(combine(nulls_.right, z, size()));
  }
  for (const linear::SparseVector& z : d.find_left_null()) {
    left.push_back(combine(nulls_.left, z, size()));
  }
  find_neighbours(left);
  strain_.rows = lu_.redundant_rows();
  const linear::NullSpaces nulls = nulls_;
  if (neighbours_.empty() && find_amplitudes(std::move(left))) {
    constrain_strained(d, nulls);
    std::fill(given_by_.begin(), given_by_.end(), -1);
    if (lu_.deficiency() == 0) return true;
  }
  fault_ = describe_singular(nulls, c_times_z_);
  strain_ = {};
  return false;
}

// Cells outside that the parasitics of these left null vectors reach into.
void Island::find_neighbours(const std::vector<linear::SparseVector>& left) {
  for (const auto& [row, cell] : outside_) {
    for (const linear::SparseVector& w : left) {
      if (std::binary_search(w.indices.begin(), w.indices.end(), row)) neighbours_.push_back(cell);
    }
  }
  std::sort(neighbours_.begin(), neighbours_.end());
  neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
}

// P and E U_s. False if W_sᵀ E U_s is singular.
bool Island::find_amplitudes(std::vector<linear::SparseVector> left) {
  const std::size_t s = left.size();
  Adder adder(size());
  for (const linear::SparseVector& u : strain_.directions) {
    std::vector<double> dense(size(), 0.0);
    for (std::size_t i = 0; i < u.indices.size(); ++i) dense[at(u.indices[i])] = u.values[i];
    for (const linear::Triplet& e : parasitic_) adder.add(e.row, e.value * dense[at(e.column)]);
    strain_.relief.push_back(adder.take());
  }
  std::vector<linear::Triplet> entries;
  for (std::size_t k = 0; k < s; ++k) {
    for (std::size_t j = 0; j < s; ++j) {
      const double value = dot(left[k], strain_.relief[j]);
      if (value != 0) entries.push_back({static_cast<int>(k), static_cast<int>(j), value});
    }
  }
  linear::RankRevealingLu lu;
  lu.factor(static_cast<int>(s), entries, kRank);
  if (lu.deficiency() > 0) return false;
  std::vector<std::vector<double>> columns;
  std::vector<double> unit(s, 0.0), column(s, 0.0);
  for (std::size_t j = 0; j < s; ++j) {
    unit[j] = 1;
    lu.solve(unit, column);
    unit[j] = 0;
    columns.push_back(column);
  }
  for (std::size_t k = 0; k < s; ++k) {
    for (std::size_t j = 0; j < s; ++j) adder.add(left[j], columns[j][k]);
    strain_.amplitudes.push_back(adder.take());
  }
  strain_.left = std::move(left);
  return true;
}

// The constraints that are left, over b̃, and A.
void Island::constrain_strained(const linear::RankRevealingLu& d, const linear::NullSpaces& nulls) {
  const std::vector<int> redundant = d.redundant_rows();
  Adder adder(size());
  nulls_ = {};
  for (int k = 0; k < constraints_; ++k) {
    if (std::binary_search(redundant.begin(), redundant.end(), k)) continue;
    const linear::SparseVector& w = nulls.left[at(k)];
    adder.add(w, 1);
    for (std::size_t j = 0; j < strain_.relief.size(); ++j) {
      adder.add(strain_.amplitudes[j], -dot(w, strain_.relief[j]));
    }
    nulls_.left.push_back(adder.take());
  }
  constraints_ = static_cast<int>(nulls_.left.size());
  linear::NullSpaces only_left;
  only_left.left = nulls_.left;
  only_left.right.resize(at(constraints_));
  constrain(
      only_left, [](const Equation& e, std::size_t j) { return e.coefficients[j]; }, c_);
  std::vector<char> replaced(size(), 0);
  for (int row : strain_.rows) replaced[at(row)] = 1;
  std::vector<linear::Triplet> a;
  for (const linear::Triplet& entry : matrix_) {
    if (!replaced[at(entry.row)]) a.push_back(entry);
  }
  const auto put = [&](std::size_t place, const linear::SparseVector& values) {
    for (std::size_t i = 0; i < values.indices.size(); ++i) {
      a.push_back({strain_.rows[place], values.indices[i], values.values[i]});
    }
  };
  const std::size_t s = strain_.left.size();
  for (std::size_t j = 0; j < s; ++j) {
    std::vector<double> dense(size(), 0.0);
    const linear::SparseVector& w = strain_.left[j];
    for (std::size_t i = 0; i < w.indices.size(); ++i) dense[at(w.indices[i])] = w.values[i];
    for (const linear::Triplet& e : parasitic_) adder.add(e.column, e.value * dense[at(e.row)]);
    put(j, adder.take());
  }
  for (std::size_t k = 0; k < c_.size(); ++k) put(s + k, c_[k]);
  lu_.factor(static_cast<int>(size()), a);
}

void Island::prepare_strained_rows() {
  release_ = Eigen::MatrixXd::Zero(static_cast<int>(size()), constraints_);
  std::vector<double> unit(size(), 0.0), row(size()), masses(size());
  const std::size_t s = strain_.left.size();
  for (std::size_t v = 0; v < size(); ++v) {
    unit[v] = 1;
    lu_.solve_transposed(unit, row);
    lu_.add_up_transposed(unit, masses);
    unit[v] = 0;
    for (int k = 0; k < constraints_; ++k) {
      const std::size_t at_row = at(strain_.rows[s + at(k)]);
      if (std::abs(row[at_row]) <= kCancelled * masses[at_row]) continue;
      release_(static_cast<int>(v), k) = row[at_row];
      releasing_[v].push_back(k);
    }
  }
}

// y_v = g b̃ − g_d ℓ ḃ with g the row of A⁻¹.
LinearRow Island::make_strained_row(int variable) const {
  std::vector<double> unit(size(), 0.0), g(size()), masses(size());
  unit[at(variable)] = 1;
  lu_.solve_transposed(unit, g);
  lu_.add_up_transposed(unit, masses);
  for (std::size_t i = 0; i < size(); ++i) {
    if (std::abs(g[i]) <= kCancelled * masses[i]) g[i] = 0;
  }
  const std::size_t s = strain_.left.size();
  Adder b(size()), rates(size());
  for (std::size_t k = 0; k < nulls_.left.size(); ++k) {
    rates.add(nulls_.left[k], -g[at(strain_.rows[s + k])]);
  }
  for (int row : strain_.rows) g[at(row)] = 0;
  b.add(from_dense(g), 1);
  for (std::size_t j = 0; j < s; ++j) b.add(strain_.amplitudes[j], -strain_.relief[j].dot(g));
  LinearRow out;
  const auto keep = [&](const linear::SparseVector& vector, bool is_rate) {
    for (std::size_t i = 0; i < vector.indices.size(); ++i) {
      const Equation& equation = equations_[at(vector.indices[i])];
      if (equation.kind == Equation::Kind::Structure) continue;
      if (is_rate && !equation.rate.valid()) continue;
      (is_rate ? out.b_rate : out.b).push_back({vector.indices[i], vector.values[i]});
    }
  };
  keep(b.take(), false);
  keep(rates.take(), true);
  return out;
}

// A y = (b̃; 0; −ℓ of what stands in the constraints).
void Island::solve_strained(std::span<const double> right, std::span<const double> in_constraints,
                            std::span<double> y) const {
  std::vector<double> side(right.begin(), right.end());
  for (std::size_t j = 0; j < strain_.relief.size(); ++j) {
    const double amplitude = strain_.amplitudes[j].dot(right);
    const linear::SparseVector& relief = strain_.relief[j];
    for (std::size_t i = 0; i < relief.indices.size(); ++i) {
      side[at(relief.indices[i])] -= amplitude * relief.values[i];
    }
  }
  const std::size_t s = strain_.left.size();
  for (std::size_t k = 0; k < strain_.rows.size(); ++k) {
    side[at(strain_.rows[k])] = k < s ? 0 : -nulls_.left[k - s].dot(in_constraints);
  }
  lu_.solve(side, y);
}

IslandFault Island::describe_strain(int k) const {
  std::vector<double> left(size(), 0.0), open(size(), 0.0);
  const linear::SparseVector &w = strain_.amplitudes[at(k)], &u = strain_.directions[at(k)];
  for (std::size_t i = 0; i < w.indices.size(); ++i) left[at(w.indices[i])] = w.values[i];
  for (std::size_t i = 0; i < u.indices.size(); ++i) open[at(u.indices[i])] = u.values[i];
  IslandFault fault = describe_singular(left, open);
  fault.kind = IslandFault::Kind::NoSolution;
  return fault;
}

}  // namespace cradle::plan
