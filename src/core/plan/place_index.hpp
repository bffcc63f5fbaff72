#pragma once
// Where an id stands in a list of distinct ids: a table where the ids lie close together, as those
// of neighbouring cells do, else a binary search.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/basics/assert.hpp"

namespace cradle::plan {

template <class IdType>
class PlaceIndex {
 public:
  void assign(const std::vector<IdType>& ids) {
    if (ids.empty()) return;
    const auto [least, greatest] = std::minmax_element(ids.begin(), ids.end());
    first_ = least->index;
    const auto range = static_cast<std::size_t>(greatest->index - first_) + 1;
    if (range <= kSparse * ids.size()) {
      places_.assign(range, -1);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        places_[static_cast<std::size_t>(ids[i].index - first_)] = static_cast<int>(i);
      }
      return;
    }
    for (std::size_t i = 0; i < ids.size(); ++i) sorted_.emplace_back(ids[i], static_cast<int>(i));
    std::sort(sorted_.begin(), sorted_.end());
  }

  // −1: it is not there.
  int find(IdType id) const {
    if (sorted_.empty()) {
      const auto i = static_cast<std::size_t>(id.index - first_);  // wraps below the first
      return i < places_.size() ? places_[i] : -1;
    }
    const auto it = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(id, 0));
    return it != sorted_.end() && it->first == id ? it->second : -1;
  }
  int operator[](IdType id) const {
    const int place = find(id);
    CRADLE_ASSERT(place >= 0, "the id is in the list");
    return place;
  }
  std::size_t bytes() const {
    return places_.size() * sizeof(int) + sorted_.size() * sizeof(sorted_[0]);
  }

 private:
  static constexpr std::size_t kSparse = 4;  // entries of the table per id, at most
  int32_t first_ = 0;
  std::vector<int> places_;
  std::vector<std::pair<IdType, int>> sorted_;
};

}  // namespace cradle::plan
