#pragma once
// The part of the matrix that elimination has not reached yet: entries linked along their row and
// their column, rows and columns in buckets by their number of entries. Every operation that
// elimination needs is O(1) or O(length of a short row).

#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/linear/rank_revealing_lu.hpp"

namespace cradle::linear {

class ActiveMatrix {
 public:
  struct Entry {
    int row = 0, column = 0;
    int row_previous = -1, row_next = -1, column_previous = -1, column_next = -1;
    double value = 0;
    // The largest magnitude that has gone into the value. Rounding errors in it are of the order
    // of mass times the unit roundoff, so a value far below its mass is noise.
    double mass = 0;
  };

  // Sums duplicates in the order given. Keeps the memory of the matrix before.
  void load(int size, std::span<const Triplet> entries, double tolerance);

  // The entry to eliminate next, by Markowitz's count of possible fill among those that are at
  // least `threshold` times the largest of their row; -1 when no entry is left. Looks at a few of
  // the shortest rows and columns only (Zlatev, On some pivotal strategies, 1980).
  int find_pivot();

  const Entry& operator[](int entry) const { return entries_[entry]; }
  int row_head(int row) const { return row_heads_[row]; }
  int column_head(int column) const { return column_heads_[column]; }

  // a(row, column) −= amount, where `mass` went into the amount. Makes an entry (fill) if there is
  // none, and drops one that has become noise.
  void subtract(int row, int column, double amount, double mass);
  void remove(int entry);
  // A pivot, and then what else stands in its row and its column: these two are no longer counted.
  Entry take_pivot(int entry);
  void remove_from_pivot_row(int entry);
  void remove_from_pivot_column(int entry);

  // False once a value has overflowed.
  bool finite() const { return finite_; }

 private:
  // Doubly linked lists of rows (or of columns) with equal numbers of entries.
  struct Buckets {
    void reset(int size);
    void link(int item);
    void unlink(int item);
    void change(int item, int by);
    std::vector<int> heads, counts, previous, next;
  };
  struct Best {
    int entry = -1;
    double cost = 0, quality = 0;
  };

  bool is_noise(double value, double mass) const { return !(std::abs(value) > tolerance_ * mass); }
  int find(int row, int column) const;
  void put(int entry, int row, int column, double value, double mass);
  void append(int row, int column, double value, double mass);
  void insert(int row, int column, double value, double mass);
  void index_long_row(int row);
  void unlink_in_row(const Entry& gone);
  void unlink_in_column(const Entry& gone);
  void row_lost(int row, double magnitude);
  double row_largest(int row);
  double cost(const Entry& entry) const;
  void offer(Best& best, int entry);
  int find_singleton() const;
  void look_in_column(Best& best, int column);
  void look_in_row(Best& best, int row);

  void sort_by_place(std::span<const Triplet> entries);

  int size_ = 0;
  double tolerance_ = 0;
  bool finite_ = true;
  std::vector<Entry> entries_;  // so many are used, or free again; the others stand there unused
  int used_ = 0;
  std::vector<int> free_entries_;
  std::vector<int> row_heads_, column_heads_;
  Buckets rows_, columns_;
  // The largest magnitude of each row; negative: to be found again when asked for.
  std::vector<double> row_largest_;
  // Entries of rows too long to be searched, by row and column.
  std::vector<char> row_is_long_;
  std::unordered_map<int64_t, int> long_rows_;
  std::vector<Triplet> sorted_;  // what was loaded
  std::vector<int> row_ends_;
};

}  // namespace cradle::linear
