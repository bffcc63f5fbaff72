#pragma once
// Lists on top of one another. What has been cleared is used again, so a pile that has been as high
// before allocates nothing.

#include <algorithm>
#include <vector>

namespace cradle {

template <class T>
class Pile {
 public:
  using List = std::vector<T>;

  void clear() { count_ = 0; }
  void push_back(const List& list) {
    if (count_ == lists_.size()) lists_.emplace_back();
    lists_[count_++] = list;
  }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const List& operator[](std::size_t i) const { return lists_[i]; }
  const List* begin() const { return lists_.data(); }
  const List* end() const { return lists_.data() + count_; }
  bool operator==(const Pile& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::vector<List> lists_;
  std::size_t count_ = 0;
};

}  // namespace cradle
