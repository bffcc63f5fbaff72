#pragma once
// Small lists that are kept sorted, each item once.

#include <algorithm>
#include <vector>

namespace cradle {

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace cradle
