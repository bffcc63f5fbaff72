#pragma once
// A copy of a row that was handed over, for whoever needs it longer.

#include <concepts>
#include <type_traits>
#include <vector>

#include "cradle/rows.hpp"

namespace cradle {

class KeptRow {
 public:
  void keep(const RowView& row) {
    is_kept_ = true;
    at_ = row.at;
    kind_ = row.kind;
    tried_ = row.tried;
    finite_.assign(row.finite.begin(), row.finite.end());
    impulses_.assign(row.impulses.begin(), row.impulses.end());
    presence_.assign(row.presence.begin(), row.presence.end());
    states_.assign(row.states.begin(), row.states.end());
    strained_ = row.strained;
    shared_.assign(row.shared.begin(), row.shared.end());
  }
  bool is_kept() const { return is_kept_; }
  template <class Archive, class T>
  requires std::same_as<std::remove_const_t<T>, KeptRow>
  friend void fields(Archive& a, T& row) {
    a(row.is_kept_, row.at_.t, row.at_.eps, row.at_.step, row.kind_, row.tried_, row.finite_,
      row.impulses_, row.presence_, row.states_, row.strained_, row.shared_);
  }
  RowView row() const {
    return {at_, kind_, tried_, finite_, impulses_, presence_, states_, strained_, shared_};
  }

 private:
  bool is_kept_ = false;
  Instant at_;
  RowKind kind_ = RowKind::Start;
  bool tried_ = false;
  std::vector<double> finite_, impulses_;
  std::vector<Presence> presence_;
  std::vector<int32_t> states_;
  bool strained_ = false;
  std::vector<uint32_t> shared_;
};

}  // namespace cradle
