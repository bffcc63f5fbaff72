#pragma once
// Rows that have been handed over, copied, for one who looks at them later. Kept and used again.

#include <span>
#include <vector>

#include "cradle/rows.hpp"

namespace cradle {

class RowBatch {
 public:
  std::size_t size() const { return heads_.size(); }
  bool empty() const { return heads_.empty(); }
  // Of all that it holds, about.
  std::size_t bytes() const {
    return heads_.size() * sizeof(RowView) + finite_.size() * (2 * sizeof(double) + 1) +
           states_.size() * sizeof(int32_t);
  }

  void add(std::span<const RowView> rows) {
    for (const RowView& row : rows) {
      columns_ = row.finite.size();
      automata_ = row.states.size();
      heads_.push_back(row);
      append(finite_, row.finite);
      append(impulses_, row.impulses);
      append(presence_, row.presence);
      append(states_, row.states);
      append(shared_, row.shared);
    }
  }

  // Until a row is added.
  std::span<const RowView> rows() {
    std::size_t shared = 0;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      RowView& row = heads_[i];
      row.finite = std::span(finite_).subspan(i * columns_, columns_);
      row.impulses = std::span(impulses_).subspan(i * columns_, columns_);
      row.presence = std::span(presence_).subspan(i * columns_, columns_);
      row.states = std::span(states_).subspan(i * automata_, automata_);
      row.shared = std::span(shared_).subspan(shared, row.shared.size());
      shared += row.shared.size();
    }
    return heads_;
  }

  void clear() {
    heads_.clear();
    finite_.clear();
    impulses_.clear();
    presence_.clear();
    states_.clear();
    shared_.clear();
  }

 private:
  template <class T>
  static void append(std::vector<T>& list, std::span<const T> more) {
    list.insert(list.end(), more.begin(), more.end());
  }

  std::size_t columns_ = 0, automata_ = 0;  // every row has as many
  std::vector<RowView> heads_;              // what they point to is put right when it is asked for
  std::vector<double> finite_, impulses_;   // row by row
  std::vector<Presence> presence_;
  std::vector<int32_t> states_;
  std::vector<uint32_t> shared_;
};

}  // namespace cradle
