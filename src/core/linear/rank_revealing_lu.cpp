// Right-looking sparse Gaussian elimination with threshold pivoting:
//
//   while an entry is left:
//     (i, j) ← entry of least Markowitz cost (r−1)(c−1) among those large enough in their row
//     for k in column j:  multiplier m ← a(k, j) / a(i, j);  row k ← row k − m · row i
//     row i goes to U, the multipliers to L
//
// Entries that elimination has reduced to rounding noise are dropped on the way, so the loop ends
// after rank(M) steps; the rows and columns it has not used carry the null spaces.

#include "core/linear/rank_revealing_lu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/basics/assert.hpp"
#include "core/linear/active_matrix.hpp"
#include "core/linear/equilibrate.hpp"

namespace cradle::linear {

namespace {

// One for all factorisations, so that none of the many that are kept has its own.
std::vector<double>& scratch(int size) {
  thread_local std::vector<double> work;
  if (std::ssize(work) < size) work.resize(size);
  return work;
}

}  // namespace

double SparseVector::dot(std::span<const double> dense) const {
  double sum = 0;
  for (std::size_t k = 0; k < indices.size(); ++k) sum += values[k] * dense[indices[k]];
  return sum;
}

void RankRevealingLu::factor(int size, std::span<const Triplet> entries, double tolerance) {
  CRADLE_ASSERT(size >= 0, "a matrix has a size");
  size_ = size;
  finite_ = true;
  scratch(size);  // so that solving allocates nothing
  // These serve all factorisations: fresh memory costs more than elimination does.
  thread_local std::vector<Triplet> scaled;
  thread_local ActiveMatrix active;
  scaled.assign(entries.begin(), entries.end());
  for (Triplet& entry : scaled) {
    CRADLE_ASSERT(entry.row >= 0 && entry.row < size && entry.column >= 0 && entry.column < size,
                  "entries lie inside the matrix");
    if (std::isfinite(entry.value)) continue;
    finite_ = false;
    entry.value = 1;
  }
  Scaling scaling = equilibrate(size, scaled);
  for (Triplet& entry : scaled) {
    entry.value *= scaling.rows[entry.row] * scaling.columns[entry.column];
    finite_ &= std::isfinite(entry.value);
  }
  row_scale_ = std::move(scaling.rows);
  column_scale_ = std::move(scaling.columns);
  scratch(size);  // now, so that solving allocates nothing
  tolerance_ = tolerance;
  active.load(size, scaled, tolerance);
  eliminate(active);
  finite_ &= active.finite();
}

void RankRevealingLu::eliminate(ActiveMatrix& active) {
  steps_.clear();
  steps_.reserve(size_ + 1);
  lower_rows_.clear();
  lower_values_.clear();
  upper_columns_.clear();
  upper_values_.clear();
  std::vector<double> upper_masses;
  for (int at = active.find_pivot(); at >= 0; at = active.find_pivot()) {
    const ActiveMatrix::Entry pivot = active.take_pivot(at);
    const auto upper_begin = static_cast<int>(upper_columns_.size());
    steps_.push_back(
        {pivot.row, pivot.column, pivot.value, static_cast<int>(lower_rows_.size()), upper_begin});
    upper_masses.clear();
    for (int next; (next = active.row_head(pivot.row)) >= 0; active.remove_from_pivot_row(next)) {
      upper_columns_.push_back(active[next].column);
      upper_values_.push_back(active[next].value);
      upper_masses.push_back(active[next].mass);
    }
    for (int next; (next = active.column_head(pivot.column)) >= 0;) {
      const ActiveMatrix::Entry target = active[next];
      active.remove_from_pivot_column(next);
      const double multiplier = target.value / pivot.value;
      const double multiplier_mass =
          std::max(target.mass, std::abs(multiplier) * pivot.mass) / std::abs(pivot.value);
      lower_rows_.push_back(target.row);
      lower_values_.push_back(multiplier);
      for (std::size_t k = 0; k < upper_masses.size(); ++k) {
        const double value = upper_values_[upper_begin + k];
        active.subtract(
            target.row, upper_columns_[upper_begin + k], multiplier * value,
            std::max(std::abs(multiplier) * upper_masses[k], multiplier_mass * std::abs(value)));
      }
    }
  }
  rank_ = static_cast<int>(steps_.size());
  steps_.push_back(
      {-1, -1, 1, static_cast<int>(lower_rows_.size()), static_cast<int>(upper_columns_.size())});
}

void RankRevealingLu::solve(std::span<const double> b, std::span<double> y) const {
  CRADLE_ASSERT(std::ssize(b) == size_ && std::ssize(y) == size_, "sizes agree");
  std::vector<double>& w = scratch(size_);
  for (int i = 0; i < size_; ++i) w[i] = b[i] * row_scale_[i];
  for (int s = 0; s < rank_; ++s) {
    const double x = w[steps_[s].row];
    if (x == 0) continue;
    for (int k = steps_[s].lower_begin; k < steps_[s + 1].lower_begin; ++k) {
      w[lower_rows_[k]] -= lower_values_[k] * x;
    }
  }
  std::fill(y.begin(), y.end(), finite_ ? 0.0 : std::numeric_limits<double>::quiet_NaN());
  for (int s = rank_ - 1; s >= 0; --s) {
    double sum = w[steps_[s].row];
    for (int k = steps_[s].upper_begin; k < steps_[s + 1].upper_begin; ++k) {
      sum -= upper_values_[k] * y[upper_columns_[k]];
    }
    y[steps_[s].column] = finite_ ? sum / steps_[s].pivot : y[steps_[s].column];
  }
  for (int j = 0; j < size_; ++j) y[j] *= column_scale_[j];
}

// Side by side in memory: each entry of L and U is looked at once for all of them.
void RankRevealingLu::solve_together(std::span<const double> b, std::span<double> y) const {
  constexpr int k = kTogether;
  const std::ptrdiff_t all = std::ptrdiff_t{k} * size_;
  CRADLE_ASSERT(std::ssize(b) == all && std::ssize(y) == all, "sizes agree");
  thread_local std::vector<std::array<double, k>> w, solution;
  if (std::ssize(w) < size_) w.resize(size_);
  solution.assign(size_, {});
  for (int i = 0; i < size_; ++i) {
    for (int c = 0; c < k; ++c) w[i][c] = b[c * size_ + i] * row_scale_[i];
  }
  for (int s = 0; s < rank_; ++s) {
    const std::array<double, k> x = w[steps_[s].row];
    if (x == std::array<double, k>{}) continue;
    for (int e = steps_[s].lower_begin; e < steps_[s + 1].lower_begin; ++e) {
      std::array<double, k>& target = w[lower_rows_[e]];
      for (int c = 0; c < k; ++c) target[c] -= lower_values_[e] * x[c];
    }
  }
  for (int s = rank_ - 1; s >= 0; --s) {
    std::array<double, k> sum = w[steps_[s].row];
    for (int e = steps_[s].upper_begin; e < steps_[s + 1].upper_begin; ++e) {
      const std::array<double, k>& known = solution[upper_columns_[e]];
      for (int c = 0; c < k; ++c) sum[c] -= upper_values_[e] * known[c];
    }
    for (int c = 0; c < k; ++c) solution[steps_[s].column][c] = sum[c] / steps_[s].pivot;
  }
  const double nothing = finite_ ? 1 : std::numeric_limits<double>::quiet_NaN();
  for (int j = 0; j < size_; ++j) {
    for (int c = 0; c < k; ++c) y[c * size_ + j] = solution[j][c] * column_scale_[j] * nothing;
  }
}

void RankRevealingLu::solve_transposed(std::span<const double> b, std::span<double> y) const {
  CRADLE_ASSERT(std::ssize(b) == size_ && std::ssize(y) == size_, "sizes agree");
  std::vector<double>& w = scratch(size_);
  for (int j = 0; j < size_; ++j) w[j] = b[j] * column_scale_[j];
  std::fill(y.begin(), y.end(), finite_ ? 0.0 : std::numeric_limits<double>::quiet_NaN());
  for (int s = 0; s < rank_ && finite_; ++s) {
    const double x = w[steps_[s].column] / steps_[s].pivot;
    y[steps_[s].row] = x;
    if (x == 0) continue;
    for (int k = steps_[s].upper_begin; k < steps_[s + 1].upper_begin; ++k) {
      w[upper_columns_[k]] -= upper_values_[k] * x;
    }
  }
  for (int s = rank_ - 1; s >= 0; --s) {
    double sum = y[steps_[s].row];
    for (int k = steps_[s].lower_begin; k < steps_[s + 1].lower_begin; ++k) {
      sum -= lower_values_[k] * y[lower_rows_[k]];
    }
    y[steps_[s].row] = sum;
  }
  for (int i = 0; i < size_; ++i) y[i] *= row_scale_[i];
}

void RankRevealingLu::add_up_transposed(std::span<const double> b, std::span<double> y) const {
  CRADLE_ASSERT(std::ssize(b) == size_ && std::ssize(y) == size_, "sizes agree");
  std::vector<double>& w = scratch(size_);
  for (int j = 0; j < size_; ++j) w[j] = b[j] * column_scale_[j];
  std::fill(y.begin(), y.end(), 0.0);
  for (int s = 0; s < rank_; ++s) {
    const double x = w[steps_[s].column] / std::abs(steps_[s].pivot);
    y[steps_[s].row] = x;
    for (int k = steps_[s].upper_begin; k < steps_[s + 1].upper_begin; ++k) {
      w[upper_columns_[k]] += std::abs(upper_values_[k]) * x;
    }
  }
  for (int s = rank_ - 1; s >= 0; --s) {
    for (int k = steps_[s].lower_begin; k < steps_[s + 1].lower_begin; ++k) {
      y[steps_[s].row] += std::abs(lower_values_[k]) * y[lower_rows_[k]];
    }
  }
  for (int i = 0; i < size_; ++i) y[i] *= row_scale_[i];
}

std::vector<int> RankRevealingLu::redundant_rows() const {
  std::vector<char> used(static_cast<std::size_t>(size_));
  for (int s = 0; s < rank_; ++s) used[steps_[s].row] = 1;
  std::vector<int> rows;
  for (int row = 0; row < size_; ++row) {
    if (!used[row]) rows.push_back(row);
  }
  return rows;
}

std::size_t RankRevealingLu::bytes() const {
  std::size_t total = sizeof(*this) + steps_.capacity() * sizeof(Step);
  for (const auto* indices : {&lower_rows_, &upper_columns_}) {
    total += indices->capacity() * sizeof(int);
  }
  for (const std::vector<double>* values :
       {&lower_values_, &upper_values_, &row_scale_, &column_scale_}) {
    total += values->capacity() * sizeof(double);
  }
  return total;
}

}  // namespace cradle::linear
