// With the scaling of rows r and columns c, of which all are powers of two, undone:
//
//   w_i ← b_i − Σ multiplier(i, s) · r_s/r_i · w_s             forwards, over the steps s before
//   y_j ← (r_i c_j w_i − Σ upper(i, k) · c_j/c_k · y_k)/pivot  backwards, i the row of j's step

#include "core/linear/substitution.hpp"

#include "core/linear/rank_revealing_lu.hpp"

namespace cradle::linear {

namespace {

class Maker {
 public:
  explicit Maker(Substitution& out) : out_(out) {}

  void begin() { own_ = {-1, 0, static_cast<int>(out_.terms.size())}; }
  void add_right(int row, double factor) {
    own_.row = row;
    own_.factor = factor;
  }
  void add(int node, double factor) {
    if (node >= 0) out_.terms.push_back({node, factor});
  }
  int end() {
    const auto count = static_cast<int>(out_.terms.size()) - own_.begin;
    if (own_.row < 0 && count == 0) return -1;
    if (own_.row < 0 && count == 1 && out_.terms.back().factor == 1) {
      const int same = out_.terms.back().node;
      out_.terms.pop_back();
      return same;
    }
    out_.nodes.push_back(own_);
    return static_cast<int>(out_.nodes.size()) - 1;
  }
  // The row that a node passes on as it is, or −1.
  int row_passed_on(int node) const {
    if (node < 0) return -1;
    const auto n = static_cast<std::size_t>(node);
    const auto end = n + 1 < out_.nodes.size() ? at_begin(n + 1) : std::ssize(out_.terms);
    return out_.nodes[n].factor == 1 && at_begin(n) == end ? out_.nodes[n].row : -1;
  }

 private:
  std::ptrdiff_t at_begin(std::size_t node) const { return out_.nodes[node].begin; }

  Substitution& out_;
  Substitution::Node own_{};
};

}  // namespace

Substitution RankRevealingLu::find_substitution(std::span<const char> has_right) const {
  Substitution out;
  Maker maker(out);
  // Multipliers by row instead of by step.
  std::vector<int> begin(static_cast<std::size_t>(size_) + 1, 0);
  for (int row : lower_rows_) ++begin[row + 1];
  for (int row = 0; row < size_; ++row) begin[row + 1] += begin[row];
  std::vector<int> step_of(lower_rows_.size()), place_of(lower_rows_.size());
  std::vector<int> next(begin.begin(), begin.end() - 1);
  for (int s = 0; s < rank_; ++s) {
    for (int k = steps_[s].lower_begin; k < steps_[s + 1].lower_begin; ++k) {
      const int place = next[lower_rows_[k]]++;
      step_of[place] = s;
      place_of[place] = k;
    }
  }
  std::vector<int> w(rank_, -1);
  for (int s = 0; s < rank_; ++s) {
    const int row = steps_[s].row;
    maker.begin();
    if (has_right[row] != 0) maker.add_right(row, 1);
    for (int k = begin[row]; k < begin[row + 1]; ++k) {
      const double scale = row_scale_[steps_[step_of[k]].row] / row_scale_[row];
      maker.add(w[step_of[k]], -lower_values_[place_of[k]] * scale);
    }
    w[s] = maker.end();
  }
  out.node_of.assign(size_, -1);
  for (int s = rank_ - 1; s >= 0; --s) {
    const auto [row, column, pivot, lower, upper] = steps_[s];
    const double factor = row_scale_[row] * column_scale_[column] / pivot;
    maker.begin();
    const bool is_equal = factor == 1 && upper == steps_[s + 1].upper_begin;
    if (const int right = maker.row_passed_on(w[s]); right >= 0 && !is_equal) {
      maker.add_right(right, factor);
    } else {
      maker.add(w[s], factor);
    }
    for (int k = upper; k < steps_[s + 1].upper_begin; ++k) {
      const int other = upper_columns_[k];
      const double scale = column_scale_[column] / column_scale_[other];
      maker.add(out.node_of[other], -(upper_values_[k] / pivot) * scale);
    }
    out.node_of[column] = maker.end();
  }
  out.nodes.push_back({-1, 0, static_cast<int>(out.terms.size())});
  return out;
}

}  // namespace cradle::linear
