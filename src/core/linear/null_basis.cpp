// Bases of the null spaces, one sparse vector for each row (left) or column (right) that
// elimination has left over. Both are back substitutions with a single 1 on the right, which reach
// few steps, so the steps they reach are taken from a heap, last first (Gilbert and Peierls, Sparse
// partial pivoting in time proportional to arithmetic operations, 1988, find them by depth-first
// search).

#include <algorithm>
#include <cmath>
#include <queue>

#include "core/linear/rank_revealing_lu.hpp"

namespace cradle::linear {
namespace {

// For each row (or column), the steps that changed it, and by which factor.
class Transposed {
 public:
  Transposed(int size, std::span<const int> indices) : begins_(size + 1) {
    for (int index : indices) ++begins_[index + 1];
    for (int i = 0; i < size; ++i) begins_[i + 1] += begins_[i];
    ends_ = begins_;
    links_.resize(indices.size());
  }
  void add(int index, int step, double factor) { links_[ends_[index]++] = {step, factor}; }
  template <typename Visit>
  void for_each(int index, Visit visit) const {
    for (int k = begins_[index]; k < ends_[index]; ++k) visit(links_[k].step, links_[k].factor);
  }

 private:
  struct Link {
    int step;
    double factor;
  };
  std::vector<int> begins_, ends_;
  std::vector<Link> links_;
};

// Sums per step, with the steps that have one in descending order.
class PendingSteps {
 public:
  explicit PendingSteps(int steps) : sums_(steps), masses_(steps), waiting_(steps) {}
  void add(int step, double amount) {
    if (!waiting_[step]) heap_.push(step);
    waiting_[step] = 1;
    sums_[step] += amount;
    masses_[step] = std::max(masses_[step], std::abs(amount));
  }
  bool empty() const { return heap_.empty(); }
  struct Sum {
    int step;
    double value;  // zero when what was added has cancelled
  };
  Sum take_last(double tolerance) {
    const int step = heap_.top();
    heap_.pop();
    const bool noise = !(std::abs(sums_[step]) > tolerance * masses_[step]);
    const Sum sum = {step, noise ? 0 : sums_[step]};
    sums_[step] = masses_[step] = 0;
    waiting_[step] = 0;
    return sum;
  }

 private:
  std::priority_queue<int> heap_;
  std::vector<double> sums_, masses_;
  std::vector<char> waiting_;
};

SparseVector normalised(std::vector<std::pair<int, double>>& entries) {
  std::sort(entries.begin(), entries.end());
  double largest = 0;
  for (const auto& [index, value] : entries) {
    if (std::abs(value) > std::abs(largest)) largest = value;
  }
  SparseVector vector;
  vector.indices.reserve(entries.size());
  vector.values.reserve(entries.size());
  for (const auto& [index, value] : entries) {
    vector.indices.push_back(index);
    vector.values.push_back(value / largest);
  }
  return vector;
}

}  // namespace

// ℓ = e_r Lʳ … L¹: the combination of rows that elimination has made of row r, which is zero.
std::vector<SparseVector> RankRevealingLu::find_left_null() const {
  std::vector<SparseVector> basis;
  if (deficiency() == 0) return basis;
  Transposed lower(size_, lower_rows_);
  std::vector<char> used(size_);
  for (int s = 0; s < rank_; ++s) {
    used[steps_[s].row] = 1;
    for (int k = steps_[s].lower_begin; k < steps_[s + 1].lower_begin; ++k) {
      lower.add(lower_rows_[k], s, lower_values_[k]);
    }
  }
  PendingSteps pending(rank_);
  std::vector<std::pair<int, double>> entries;
  const auto keep = [&](int row, double value) {
    entries.emplace_back(row, value * row_scale_[row]);
    lower.for_each(row, [&](int step, double factor) { pending.add(step, -factor * value); });
  };
  basis.reserve(deficiency());
  for (int row = 0; row < size_; ++row) {
    if (used[row]) continue;
    entries.clear();
    keep(row, 1);
    while (!pending.empty()) {
      const auto [step, value] = pending.take_last(tolerance_);
      if (value != 0) keep(steps_[step].row, value);
    }
    basis.push_back(normalised(entries));
  }
  return basis;
}

// U z = 0 with one of the columns without pivot at 1 and the others at 0.
std::vector<SparseVector> RankRevealingLu::find_right_null() const {
  std::vector<SparseVector> basis;
  if (deficiency() == 0) return basis;
  Transposed upper(size_, upper_columns_);
  std::vector<char> used(size_);
  for (int s = 0; s < rank_; ++s) {
    used[steps_[s].column] = 1;
    for (int k = steps_[s].upper_begin; k < steps_[s + 1].upper_begin; ++k) {
      upper.add(upper_columns_[k], s, upper_values_[k]);
    }
  }
  PendingSteps pending(rank_);
  std::vector<std::pair<int, double>> entries;
  const auto keep = [&](int column, double value) {
    entries.emplace_back(column, value * column_scale_[column]);
    upper.for_each(column, [&](int step, double factor) { pending.add(step, -factor * value); });
  };
  basis.reserve(deficiency());
  for (int column = 0; column < size_; ++column) {
    if (used[column]) continue;
    entries.clear();
    keep(column, 1);
    while (!pending.empty()) {
      const auto [step, value] = pending.take_last(tolerance_);
      if (value != 0) keep(steps_[step].column, value / steps_[step].pivot);
    }
    basis.push_back(normalised(entries));
  }
  return basis;
}

}  // namespace cradle::linear
