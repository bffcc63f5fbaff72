#include "core/plan/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/basics/assert.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

constexpr double kNegligible = 1e-13;  // of what was added up; as RankRevealingLu says it
constexpr double kThreshold = 0.1;     // of the largest number in a row: its pivot
constexpr double kSound = 1e-5;        // of what was added up: a pivot while the code runs

bool is_zero(const Coefficient& a) { return std::abs(a.value) <= kNegligible * a.added; }
bool is_one(const Coefficient& a) { return a.fixed && a.value == 1; }
bool is_minus_one(const Coefficient& a) { return a.fixed && a.value == -1; }

Coefficient fixed(double value, double added) {
  const int sign = value > 0 ? 1 : value < 0 ? -1 : 0;
  return {true, -1, value, added, -1, sign, value != 0};
}

}  // namespace

Coefficient Elimination::number(double value) const { return fixed(value, std::abs(value)); }

// Numbers for what varies, none of which has anything to do with another.
Coefficient Elimination::varying(int32_t place) {
  constexpr double kGolden = 0.6180339887498949;
  const double share = kGolden * static_cast<double>(generic_.size() + 1);
  const double value = generic_.try_emplace(place, 0.5 + share - std::floor(share)).first->second;
  return {false, place, value, std::abs(value), -1, 0, false};
}

int32_t Elimination::place_of(const Coefficient& a) {
  return a.fixed ? code_.number(a.value) : a.place;
}

int32_t Elimination::magnitude_of(const Coefficient& a) {
  if (a.fixed) return code_.number(a.added);
  return a.magnitude >= 0 ? a.magnitude : code_.apply(Op::Abs, a.place);
}

Coefficient Elimination::negative(const Coefficient& a) {
  Coefficient out = a;
  out.value = -a.value;
  out.sign = -a.sign;
  if (!a.fixed) out.place = code_.apply(Op::Neg, a.place);
  return out;
}

Coefficient Elimination::times(const Coefficient& a, const Coefficient& b) {
  if (a.fixed && b.fixed) return fixed(a.value * b.value, a.added * b.added);
  if (is_one(a)) return b;
  if (is_one(b)) return a;
  if (is_minus_one(a)) return negative(b);
  if (is_minus_one(b)) return negative(a);
  const bool sums = a.magnitude >= 0 || b.magnitude >= 0;
  const bool square = !a.fixed && !b.fixed && a.place == b.place;
  return {false,
          code_.apply(Op::Mul, place_of(a), place_of(b)),
          a.value * b.value,
          a.added * b.added,
          sums ? code_.apply(Op::Mul, magnitude_of(a), magnitude_of(b)) : -1,
          square ? 1 : a.sign * b.sign,
          a.nonzero && b.nonzero};
}

Coefficient Elimination::quotient(const Coefficient& a, const Coefficient& b) {
  const double value = a.value / b.value, added = a.added / std::abs(b.value);
  if (a.fixed && b.fixed) return fixed(value, added);
  if (is_one(b)) return a;
  if (is_minus_one(b)) return negative(a);
  const int32_t by = place_of(b);
  const bool sums = a.magnitude >= 0;
  return {false,
          code_.apply(Op::Div, place_of(a), by),
          value,
          added,
          sums ? code_.apply(Op::Div, a.magnitude, code_.apply(Op::Abs, by)) : -1,
          a.sign * b.sign,
          a.nonzero};
}

// Where both have the same sign nothing is lost.
Coefficient Elimination::plus(const Coefficient& a, const Coefficient& b) {
  if (a.fixed && b.fixed) return fixed(a.value + b.value, a.added + b.added);
  if (a.fixed && a.value == 0) return b;
  if (b.fixed && b.value == 0) return a;
  const bool alike = a.sign != 0 && a.sign == b.sign;
  const bool keeps = alike && a.magnitude < 0 && b.magnitude < 0;
  return {false,
          code_.apply(Op::Add, place_of(a), place_of(b)),
          a.value + b.value,
          a.added + b.added,
          keeps ? -1 : code_.apply(Op::Add, magnitude_of(a), magnitude_of(b)),
          alike ? a.sign : 0,
          alike && (a.nonzero || b.nonzero)};
}

int32_t Elimination::add_to(int32_t c, const Coefficient& a, int32_t x) {
  if (x < 0 || (a.fixed && a.value == 0)) return c;
  if (is_one(a)) return c < 0 ? x : code_.apply(Op::Add, c, x);
  if (is_minus_one(a)) return c < 0 ? code_.apply(Op::Neg, x) : code_.apply(Op::Sub, c, x);
  return c < 0 ? code_.apply(Op::Mul, place_of(a), x) : code_.add_product(c, place_of(a), x);
}

int Elimination::add_row() {
  rows_.emplace_back();
  const int row = static_cast<int>(rows_.size()) - 1;
  if (keeps_left_) rows_.back().left.emplace(row, number(1));
  return row;
}

void Elimination::add(int row, int column, const Coefficient& a) {
  next_column_ = std::max(next_column_, column + 1);
  Row& r = rows_[at(row)];
  Terms& terms = column < 0 ? r.symbols : r.unknowns;
  const auto [place, is_new] = terms.try_emplace(column, a);
  if (!is_new) place->second = plus(place->second, a);
  if (is_zero(place->second)) terms.erase(place);
}

void Elimination::add_right(int row, int32_t term) {
  rows_[at(row)].right = add_to(rows_[at(row)].right, number(1), term);
}

// out + factor · terms.
void Elimination::add_product(Terms& out, const Coefficient& factor, const Terms& terms) {
  for (const auto& [column, a] : terms) {
    const Coefficient term = times(factor, a);
    const auto [place, is_new] = out.try_emplace(column, term);
    if (!is_new) place->second = plus(place->second, term);
    if (is_zero(place->second)) out.erase(place);
  }
}

Elimination::Terms Elimination::combined(const Coefficient& a, const Terms& one,
                                         const Coefficient& b, const Terms& other) {
  Terms out;
  add_product(out, a, one);
  add_product(out, b, other);
  return out;
}

int32_t Elimination::combined(const Coefficient& a, int32_t one, const Coefficient& b,
                              int32_t other) {
  return add_to(add_to(-1, a, one), b, other);
}

void Elimination::check(const Coefficient& pivot) {
  if (pivot.nonzero && pivot.magnitude < 0) return;
  const int32_t least = pivot.magnitude < 0
                            ? code_.number(0)
                            : code_.apply(Op::Mul, code_.number(kSound), pivot.magnitude);
  const int32_t holds = code_.apply(Op::Less, least, code_.apply(Op::Abs, pivot.place));
  sound_ = sound_ < 0 ? holds : code_.apply(Op::And, sound_, holds);
}

void Elimination::pivot(int row, int column) {
  Row& own = rows_[at(row)];
  const Coefficient p = own.unknowns.at(column);
  check(p);
  own.active = false;
  pivot_row_[column] = row;
  for (Row& other : rows_) {
    const auto found = other.active ? other.unknowns.find(column) : other.unknowns.end();
    if (found == other.unknowns.end()) continue;
    const Coefficient factor = negative(quotient(found->second, p));
    add_product(other.unknowns, factor, own.unknowns);
    other.unknowns.erase(column);
    add_product(other.symbols, factor, own.symbols);
    add_product(other.left, factor, own.left);
    other.right = add_to(other.right, factor, own.right);
  }
}

// Of all numbers that are not small in their row, the one that makes the least fill.
bool Elimination::pivot_on_number() {
  std::unordered_map<int, int> in_column;
  for (const Row& row : rows_) {
    if (!row.active) continue;
    for (const auto& [column, a] : row.unknowns) ++in_column[column];
  }
  int best_row = -1, best_column = -1;
  std::size_t best = SIZE_MAX;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    if (!row.active) continue;
    double largest = 0;
    for (const auto& [column, a] : row.unknowns) {
      if (a.fixed) largest = std::max(largest, std::abs(a.value));
    }
    for (const auto& [column, a] : row.unknowns) {
      if (!a.fixed || std::abs(a.value) < kThreshold * largest) continue;
      const std::size_t fill = (row.unknowns.size() - 1) * at(in_column[column] - 1);
      const std::size_t cost = 2 * fill + (std::abs(a.value) == 1 ? 0 : 1);
      if (cost >= best) continue;
      best = cost;
      best_row = static_cast<int>(r);
      best_column = column;
    }
  }
  if (best_row < 0) return false;
  pivot(best_row, best_column);
  return true;
}

// What hangs on rows that are more than their unknowns, on unknowns that are more than their rows,
// and the rest, by a matching of rows with columns.
struct Elimination::Structure {
  explicit Structure(const std::vector<Row>& rows) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r].active || rows[r].unknowns.empty()) continue;
      for (const auto& [column, a] : rows[r].unknowns) {
        columns_of[static_cast<int>(r)].push_back(column);
        rows_of[column].push_back(static_cast<int>(r));
      }
    }
    for (const auto& [row, columns] : columns_of) {
      std::map<int, bool> seen;
      match(row, seen);
    }
    for (const auto& [row, columns] : columns_of) {
      if (!column_with.contains(row)) reach_from_row(row);
    }
    for (const auto& [column, rows_in] : rows_of) {
      if (!row_with.contains(column)) reach_from_column(column);
    }
  }
  bool match(int row, std::map<int, bool>& seen) {
    for (int column : columns_of[row]) {
      if (std::exchange(seen[column], true)) continue;
      const auto taken = row_with.find(column);
      if (taken != row_with.end() && !match(taken->second, seen)) continue;
      row_with[column] = row;
      column_with[row] = column;
      return true;
    }
    return false;
  }
  void reach_from_row(int row) {
    if (std::exchange(over_rows[row], true)) return;
    for (int column : columns_of[row]) {
      over_columns[column] = true;
      if (row_with.contains(column)) reach_from_row(row_with[column]);
    }
  }
  void reach_from_column(int column) {
    if (std::exchange(under_columns[column], true)) return;
    for (int row : rows_of[column]) {
      under_rows[row] = true;
      if (column_with.contains(row)) reach_from_column(column_with[row]);
    }
  }

  std::map<int, std::vector<int>> columns_of, rows_of;
  std::map<int, int> row_with, column_with;  // of a column, of a row
  std::map<int, bool> over_rows, over_columns, under_rows, under_columns;
};

bool Elimination::pivot_on_varying() {
  const Structure s(rows_);
  if (s.columns_of.empty()) return false;
  // Whose list is shortest, among those that `has`; of it, what is in `within`.
  const auto shortest = [](const std::map<int, std::vector<int>>& lists, const auto& has,
                           const auto& within, std::vector<int>& found) {
    int best = -1;
    for (const auto& [key, list] : lists) {
      if (!has(key)) continue;
      std::vector<int> inside;
      std::copy_if(list.begin(), list.end(), std::back_inserter(inside), within);
      if (inside.empty() || (best >= 0 && inside.size() >= found.size())) continue;
      best = key;
      found = inside;
    }
    return best;
  };
  const auto in = [](const std::map<int, bool>& set) {
    return [&set](int key) { return set.contains(key); };
  };
  std::vector<int> found;
  if (!s.over_rows.empty()) {
    const int column = shortest(s.rows_of, in(s.over_columns), in(s.over_rows), found);
    if (column >= 0) {
      pivot_in_column(column, found);
      return true;
    }
  }
  const auto any = [](int) { return true; };
  const auto rest_row = [&](int row) {
    return !s.over_rows.contains(row) && !s.under_rows.contains(row);
  };
  const auto rest_column = [&](int column) { return !s.under_columns.contains(column); };
  const int single = shortest(s.columns_of, rest_row, rest_column, found);
  if (single >= 0 && found.size() == 1) {
    pivot(single, found[0]);
    return true;
  }
  if (single >= 0) {
    const auto among = [&](int column) {
      return rest_column(column) && !s.over_columns.contains(column);
    };
    const int column = shortest(s.rows_of, among, rest_row, found);
    CRADLE_ASSERT(column >= 0, "as many columns as rows");
    pivot_in_column(column, found);
    return true;
  }
  const int row = shortest(s.columns_of, any, in(s.under_columns), found);
  CRADLE_ASSERT(row >= 0, "what is left has more unknowns than rows");
  pivot_in_row(row, found);
  return true;
}

// a i + b j into i, a j − b i into j, which loses the column.
void Elimination::turn_rows(int i, int j, int column) {
  Row& one = rows_[at(i)];
  Row& other = rows_[at(j)];
  const Coefficient a = one.unknowns.at(column), b = other.unknowns.at(column);
  const Coefficient minus_b = negative(b);
  const auto turn = [&](auto& x, auto& y) {
    auto first = combined(a, x, b, y);
    y = combined(a, y, minus_b, x);
    x = std::move(first);
  };
  turn(one.unknowns, other.unknowns);
  turn(one.symbols, other.symbols);
  turn(one.left, other.left);
  turn(one.right, other.right);
  one.unknowns[column] = plus(times(a, a), times(b, b));
  other.unknowns.erase(column);
}

void Elimination::pivot_in_column(int column, const std::vector<int>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) turn_rows(rows[0], rows[i], column);
  pivot(rows[0], column);
}

// y_i = a w − b v, y_j = b w + a v: the row loses v. Returns w.
int Elimination::turn_columns(int row, int i, int j) {
  const Coefficient a = rows_[at(row)].unknowns.at(i), b = rows_[at(row)].unknowns.at(j);
  const Coefficient minus_b = negative(b);
  const int w = next_column_++, v = next_column_++;
  turned_[i] = {w, v, a, minus_b};
  turned_[j] = {w, v, b, a};
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    Terms& terms = rows_[r].unknowns;
    if (!rows_[r].active || (!terms.contains(i) && !terms.contains(j))) continue;
    Terms one, other;
    if (const auto found = terms.find(i); found != terms.end()) {
      one = {{w, found->second}};
      other = {{v, found->second}};
    }
    Terms added;
    add_product(added, a, one);
    add_product(added, minus_b, other);
    one.clear(), other.clear();
    if (const auto found = terms.find(j); found != terms.end()) {
      one = {{w, found->second}};
      other = {{v, found->second}};
    }
    add_product(added, b, one);
    add_product(added, a, other);
    terms.erase(i);
    terms.erase(j);
    terms.merge(added);
  }
  rows_[at(row)].unknowns[w] = plus(times(a, a), times(b, b));
  rows_[at(row)].unknowns.erase(v);
  return w;
}

void Elimination::pivot_in_row(int row, std::vector<int> columns) {
  for (std::size_t i = 1; i < columns.size(); ++i) {
    columns[0] = turn_columns(row, columns[0], columns[i]);
  }
  pivot(row, columns[0]);
}

void Elimination::run() {
  while (pivot_on_number() || pivot_on_varying()) {
  }
  for (const Row& row : rows_) {
    if (row.active) redundant_.push_back({row.left, !row.symbols.empty()});
  }
}

std::vector<int> Elimination::free_columns(int columns) const {
  std::vector<int> out;
  for (int c = 0; c < std::max(columns, next_column_); ++c) {
    if (!pivot_row_.contains(c) && !turned_.contains(c)) out.push_back(c);
  }
  return out;
}

const Affine& Elimination::solution(int column) {
  if (const auto known = solutions_.find(column); known != solutions_.end()) return known->second;
  Affine out;
  const auto add = [&](const Coefficient& factor, int of) {
    const Affine& term = solution(of);
    out.known = add_to(out.known, factor, term.known);
    add_product(out.parts, factor, term.parts);
  };
  if (const auto turned = turned_.find(column); turned != turned_.end()) {
    add(turned->second.a, turned->second.one);
    add(turned->second.b, turned->second.other);
  } else if (const auto solved = pivot_row_.find(column); solved != pivot_row_.end()) {
    const Row& row = rows_[at(solved->second)];
    const Coefficient& p = row.unknowns.at(column);
    out.known = row.right;
    add_product(out.parts, number(-1), row.symbols);
    for (const auto& [other, a] : row.unknowns) {
      if (other != column) add(negative(a), other);
    }
    for (auto& [part, a] : out.parts) a = quotient(a, p);
    if (out.known >= 0 && !is_one(p)) {
      out.known = is_minus_one(p) ? code_.apply(Op::Neg, out.known)
                                  : code_.apply(Op::Div, out.known, place_of(p));
    }
  } else {
    out.parts.emplace(column, number(1));
  }
  return solutions_[column] = std::move(out);
}

}  // namespace cradle::plan
