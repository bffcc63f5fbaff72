#include "core/linear/active_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace cradle::linear {
namespace {

constexpr double threshold = 0.1;  // smaller: less fill, more growth of rounding errors
constexpr int looks_per_count = 4;
constexpr int long_row = 16;

// Equal ones stay in their order. Rows are short, and sorted already but for a few entries.
void sort_by_column(std::span<Triplet> row) {
  constexpr std::size_t kShort = 32;
  const auto before = [](const Triplet& a, const Triplet& b) { return a.column < b.column; };
  if (row.size() > kShort) {
    std::stable_sort(row.begin(), row.end(), before);
    return;
  }
  for (std::size_t i = 1; i < row.size(); ++i) {
    const Triplet entry = row[i];
    std::size_t place = i;
    for (; place > 0 && entry.column < row[place - 1].column; --place) row[place] = row[place - 1];
    row[place] = entry;
  }
}

}  // namespace

void ActiveMatrix::Buckets::link(int item) {
  int& head = heads[counts[item]];
  previous[item] = -1;
  next[item] = head;
  if (head >= 0) previous[head] = item;
  head = item;
}

void ActiveMatrix::Buckets::unlink(int item) {
  if (previous[item] >= 0) {
    next[previous[item]] = next[item];
  } else {
    heads[counts[item]] = next[item];
  }
  if (next[item] >= 0) previous[next[item]] = previous[item];
}

void ActiveMatrix::Buckets::change(int item, int by) {
  unlink(item);
  counts[item] += by;
  link(item);
}

void ActiveMatrix::Buckets::reset(int size) {
  heads.assign(size + 2, -1);
  counts.assign(size, 0);
  previous.resize(size);
  next.resize(size);
}

// By row, then by column, equal ones in the order given. By counting, as rows are short.
void ActiveMatrix::sort_by_place(std::span<const Triplet> entries) {
  std::vector<int>& ends = row_ends_;
  ends.assign(size_ + 1, 0);
  for (const Triplet& entry : entries) ++ends[entry.row + 1];
  for (int i = 0; i < size_; ++i) ends[i + 1] += ends[i];
  sorted_.resize(entries.size());
  for (const Triplet& entry : entries) sorted_[ends[entry.row]++] = entry;
  int begin = 0;
  for (int i = 0; i < size_; begin = ends[i++]) {
    sort_by_column(std::span(sorted_).subspan(begin, ends[i] - begin));
  }
}

void ActiveMatrix::load(int size, std::span<const Triplet> entries, double tolerance) {
  size_ = size;
  tolerance_ = tolerance;
  finite_ = true;
  used_ = 0;
  free_entries_.clear();
  row_heads_.assign(size, -1);
  column_heads_.assign(size, -1);
  rows_.reset(size);
  columns_.reset(size);
  row_largest_.assign(size, 0);
  row_is_long_.assign(size, 0);
  long_rows_.clear();
  sort_by_place(entries);
  const std::vector<Triplet>& sorted = sorted_;
  if (entries_.size() < sorted.size()) entries_.resize(sorted.size() + sorted.size() / 2);
  for (std::size_t k = 0; k < sorted.size();) {
    const Triplet& first = sorted[k];
    double sum = 0, mass = 0;
    for (; k < sorted.size() && sorted[k].row == first.row && sorted[k].column == first.column;
         ++k) {
      sum += sorted[k].value;
      mass = std::max(mass, std::abs(sorted[k].value));
    }
    if (!is_noise(sum, mass)) append(first.row, first.column, sum, mass);
  }
  for (int i = size - 1; i >= 0; --i) {
    rows_.link(i);
    columns_.link(i);
    if (rows_.counts[i] > long_row) index_long_row(i);
  }
}

int ActiveMatrix::find(int row, int column) const {
  if (row_is_long_[row]) {
    const auto found = long_rows_.find(int64_t{row} * size_ + column);
    return found == long_rows_.end() ? -1 : found->second;
  }
  for (int entry = row_heads_[row]; entry >= 0; entry = entries_[entry].row_next) {
    if (entries_[entry].column == column) return entry;
  }
  return -1;
}

void ActiveMatrix::put(int entry, int row, int column, double value, double mass) {
  int& row_head = row_heads_[row];
  int& column_head = column_heads_[column];
  entries_[entry] = {row, column, -1, row_head, -1, column_head, value, mass};
  if (row_head >= 0) entries_[row_head].row_previous = entry;
  if (column_head >= 0) entries_[column_head].column_previous = entry;
  row_head = column_head = entry;
  if (row_largest_[row] >= 0) row_largest_[row] = std::max(row_largest_[row], std::abs(value));
}

// While the matrix is set up: rows and columns are not in buckets yet.
void ActiveMatrix::append(int row, int column, double value, double mass) {
  put(used_++, row, column, value, mass);
  ++rows_.counts[row];
  ++columns_.counts[column];
}

void ActiveMatrix::insert(int row, int column, double value, double mass) {
  int entry = used_;
  if (free_entries_.empty()) {
    if (static_cast<std::size_t>(used_++) == entries_.size()) entries_.emplace_back();
  } else {
    entry = free_entries_.back();
    free_entries_.pop_back();
  }
  put(entry, row, column, value, mass);
  rows_.change(row, 1);
  columns_.change(column, 1);
  if (row_is_long_[row]) {
    long_rows_[int64_t{row} * size_ + column] = entry;
  } else if (rows_.counts[row] > long_row) {
    index_long_row(row);
  }
}

void ActiveMatrix::index_long_row(int row) {
  row_is_long_[row] = 1;
  for (int entry = row_heads_[row]; entry >= 0; entry = entries_[entry].row_next) {
    long_rows_[int64_t{row} * size_ + entries_[entry].column] = entry;
  }
}

void ActiveMatrix::unlink_in_row(const Entry& gone) {
  (gone.row_previous >= 0 ? entries_[gone.row_previous].row_next : row_heads_[gone.row]) =
      gone.row_next;
  if (gone.row_next >= 0) entries_[gone.row_next].row_previous = gone.row_previous;
}

void ActiveMatrix::unlink_in_column(const Entry& gone) {
  (gone.column_previous >= 0 ? entries_[gone.column_previous].column_next
                             : column_heads_[gone.column]) = gone.column_next;
  if (gone.column_next >= 0) entries_[gone.column_next].column_previous = gone.column_previous;
}

void ActiveMatrix::remove(int entry) {
  const Entry& gone = entries_[entry];
  unlink_in_row(gone);
  unlink_in_column(gone);
  rows_.change(gone.row, -1);
  columns_.change(gone.column, -1);
  row_lost(gone.row, std::abs(gone.value));
  if (row_is_long_[gone.row]) long_rows_.erase(int64_t{gone.row} * size_ + gone.column);
  free_entries_.push_back(entry);
}

ActiveMatrix::Entry ActiveMatrix::take_pivot(int entry) {
  const Entry pivot = entries_[entry];
  unlink_in_row(pivot);
  unlink_in_column(pivot);
  rows_.unlink(pivot.row);
  columns_.unlink(pivot.column);
  free_entries_.push_back(entry);
  return pivot;
}

void ActiveMatrix::remove_from_pivot_row(int entry) {
  const Entry& gone = entries_[entry];
  row_heads_[gone.row] = gone.row_next;
  unlink_in_column(gone);
  columns_.change(gone.column, -1);
  free_entries_.push_back(entry);
}

void ActiveMatrix::remove_from_pivot_column(int entry) {
  const Entry& gone = entries_[entry];
  column_heads_[gone.column] = gone.column_next;
  unlink_in_row(gone);
  rows_.change(gone.row, -1);
  row_lost(gone.row, std::abs(gone.value));
  if (row_is_long_[gone.row]) long_rows_.erase(int64_t{gone.row} * size_ + gone.column);
  free_entries_.push_back(entry);
}

void ActiveMatrix::row_lost(int row, double magnitude) {
  if (magnitude >= row_largest_[row]) row_largest_[row] = -1;
}

double ActiveMatrix::row_largest(int row) {
  if (row_largest_[row] < 0) {
    double largest = 0;
    for (int entry = row_heads_[row]; entry >= 0; entry = entries_[entry].row_next) {
      largest = std::max(largest, std::abs(entries_[entry].value));
    }
    row_largest_[row] = largest;
  }
  return row_largest_[row];
}

void ActiveMatrix::subtract(int row, int column, double amount, double mass) {
  if (!std::isfinite(amount) || !std::isfinite(mass)) {
    finite_ = false;
    return;
  }
  const int entry = find(row, column);
  if (entry < 0) {
    if (!is_noise(amount, mass)) insert(row, column, -amount, mass);
    return;
  }
  Entry& changed = entries_[entry];
  row_lost(row, std::abs(changed.value));
  changed.value -= amount;
  changed.mass = std::max(changed.mass, mass);
  if (is_noise(changed.value, changed.mass)) {
    remove(entry);
  } else if (row_largest_[row] >= 0) {
    row_largest_[row] = std::max(row_largest_[row], std::abs(changed.value));
  }
}

double ActiveMatrix::cost(const Entry& entry) const {
  return (rows_.counts[entry.row] - 1.0) * (columns_.counts[entry.column] - 1.0);
}

void ActiveMatrix::offer(Best& best, int entry) {
  const double entry_cost = cost(entries_[entry]);
  if (best.entry >= 0 && entry_cost > best.cost) return;
  const double quality = std::abs(entries_[entry].value) / row_largest(entries_[entry].row);
  if (quality < threshold) return;
  if (best.entry < 0 || entry_cost < best.cost || quality > best.quality) {
    best = {entry, entry_cost, quality};
  }
}

// Only entries in the shortest of the column's rows: a long row's largest entry may be unknown, and
// finding it at every step would cost the square of its length.
void ActiveMatrix::look_in_column(Best& best, int column) {
  int shortest = size_;
  for (int entry = column_heads_[column]; entry >= 0; entry = entries_[entry].column_next) {
    shortest = std::min(shortest, rows_.counts[entries_[entry].row]);
  }
  for (int entry = column_heads_[column]; entry >= 0; entry = entries_[entry].column_next) {
    if (rows_.counts[entries_[entry].row] == shortest) offer(best, entry);
  }
}

void ActiveMatrix::look_in_row(Best& best, int row) {
  for (int entry = row_heads_[row]; entry >= 0; entry = entries_[entry].row_next) {
    offer(best, entry);
  }
}

// A row or column with a single entry needs no threshold: nothing is subtracted from what remains,
// so nothing can grow. Where several compete for one line, the largest makes the best-conditioned
// null vectors. Both loops run over a line that the pivot is about to eliminate, so they are free.
int ActiveMatrix::find_singleton() const {
  int best = -1;
  const auto offer_size = [&](int entry) {
    if (best < 0 || std::abs(entries_[entry].value) > std::abs(entries_[best].value)) best = entry;
  };
  if (const int column = columns_.heads[1]; column >= 0) {
    const int row = entries_[column_heads_[column]].row;
    for (int entry = row_heads_[row]; entry >= 0; entry = entries_[entry].row_next) {
      if (columns_.counts[entries_[entry].column] == 1) offer_size(entry);
    }
  } else if (const int row = rows_.heads[1]; row >= 0) {
    const int shared = entries_[row_heads_[row]].column;
    for (int entry = column_heads_[shared]; entry >= 0; entry = entries_[entry].column_next) {
      if (rows_.counts[entries_[entry].row] == 1) offer_size(entry);
    }
  }
  return best;
}

int ActiveMatrix::find_pivot() {
  if (const int singleton = find_singleton(); singleton >= 0) return singleton;
  Best best;
  int looks = 0;
  for (int count = 2; count <= size_; ++count) {
    // The least cost in a column of this count whose rows are no shorter.
    const double least_cost = (count - 1.0) * (count - 1.0);
    int column = columns_.heads[count];
    for (int look = 0; look < looks_per_count && column >= 0; ++look, ++looks) {
      look_in_column(best, column);
      if (best.entry >= 0 && best.cost <= least_cost) return best.entry;
      column = columns_.next[column];
    }
    int row = rows_.heads[count];
    for (int look = 0; look < looks_per_count && row >= 0; ++look, ++looks) {
      look_in_row(best, row);
      if (best.entry >= 0 && best.cost <= least_cost) return best.entry;
      row = rows_.next[row];
    }
    if (best.entry >= 0 && looks >= looks_per_count) break;
  }
  return best.entry;
}

}  // namespace cradle::linear
