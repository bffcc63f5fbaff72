#pragma once
// Sparse LU with rank detection, for the equations M y = N x + s of a mode. M is singular just when
// stores depend on each other (semantics, section 4); its left null vectors are the constraints on
// the state. Libraries offer sparse LU without rank detection, or rank detection by QR with far
// more fill; bond graphs have rows of two or three entries, for which Markowitz pivoting with a
// threshold (Duff, Erisman, Reid: Direct Methods for Sparse Matrices, ch. 7) is nearly free of
// fill.

#include <cstddef>
#include <span>
#include <vector>

#include "core/linear/substitution.hpp"

namespace cradle::linear {

struct Triplet {
  int row = 0, column = 0;
  double value = 0;
};

// Sparse vector: parallel arrays, indices ascending.
struct SparseVector {
  std::vector<int> indices;
  std::vector<double> values;
  double dot(std::span<const double> dense) const;
};

// ℓ with ℓ M = 0, and z with M z = 0: bases, sparse. The largest entry of each vector is ±1.
struct NullSpaces {
  std::vector<SparseVector> left, right;
};

class RankRevealingLu {
 public:
  // Duplicates are summed. Rows and columns are first scaled by powers of two (so that exact
  // cancellations stay exact). A remaining entry counts as zero below `tolerance` times the largest
  // magnitude that has gone into it, so what is small but was never the result of a cancellation
  // stays. An entry that is not finite makes every solution NaN.
  void factor(int size, std::span<const Triplet> entries, double tolerance = 1e-13);

  int size() const { return size_; }
  int rank() const { return rank_; }
  int deficiency() const { return size_ - rank_; }

  // Rows of M that follow from the others, ascending: deficiency() of them.
  std::vector<int> redundant_rows() const;
  // deficiency() vectors each. They are not kept: of a long chain they are long, and seldom needed.
  std::vector<SparseVector> find_left_null() const;
  std::vector<SparseVector> find_right_null() const;
  NullSpaces find_null_spaces() const { return {find_left_null(), find_right_null()}; }

  // One y with M y = b, if b is in the range of M (ℓ·b = 0 for every ℓ); else the equations of the
  // non-pivot rows are left unsatisfied. b and y may not overlap. Allocates nothing on the
  // thread that has factored.
  void solve(std::span<const double> b, std::span<double> y) const;
  // The same for several b, each as long as M, one after the other; the magnitudes of y alone are
  // to be relied on, not the sign of a zero.
  static constexpr int kTogether = 3;
  void solve_together(std::span<const double> b, std::span<double> y) const;
  // One y with Mᵀ y = b, likewise.
  void solve_transposed(std::span<const double> b, std::span<double> y) const;
  // The magnitudes of what solve_transposed adds up to each y, if b is made of these: what is far
  // below them is rounding, whatever the units.
  void add_up_transposed(std::span<const double> b, std::span<double> y) const;
  // The same as solve, one number after the other; `has_right` by row: may b differ from zero
  // there? Only where all entries are finite.
  bool is_finite() const { return finite_; }
  Substitution find_substitution(std::span<const char> has_right) const;
  // In what unit this component of a solution is found: in these, rounding is alike in all of them.
  double unit_of(int column) const { return column_scale_[static_cast<std::size_t>(column)]; }

  std::size_t bytes() const;

 private:
  // One step of elimination: its pivot, and where its multipliers (a column of L) and the rest of
  // its row (a row of U) begin in the arrays below. They end where those of the next step begin.
  struct Step {
    int row = 0, column = 0;
    double pivot = 1;
    int lower_begin = 0, upper_begin = 0;
  };

  void eliminate(class ActiveMatrix& active);

  int size_ = 0;
  int rank_ = 0;
  double tolerance_ = 0;
  bool finite_ = true;
  std::vector<Step> steps_;  // rank_ of them, and one that only ends the last
  std::vector<int> lower_rows_, upper_columns_;
  std::vector<double> lower_values_, upper_values_;
  std::vector<double> row_scale_, column_scale_;
};

}  // namespace cradle::linear
