#include "base/basics/once_table.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace cradle {
namespace {

TEST(OnceTable, MakesEachItemOnce) {
  OnceTable<int> table;
  table.resize(3);
  int made = 0;
  auto make = [&] { return ++made; };
  const int& first = table.get(1, make);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(&table.get(1, make), &first);
  EXPECT_EQ(made, 1);
  int items = 0;
  table.each([&](int) { ++items; });
  EXPECT_EQ(items, 1);
}

// Everybody gets the same item, whoever was first.
TEST(OnceTable, IsOneForAllThreads) {
  constexpr std::size_t kItems = 500, kThreads = 8;
  OnceTable<std::vector<std::size_t>> table;
  table.resize(kItems);
  std::vector<std::vector<const void*>> seen(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < kItems; ++i) {
          const auto& item = table.get(i, [i] { return std::vector<std::size_t>(3, i); });
          EXPECT_EQ(item[2], i);
          seen[t].push_back(&item);
        }
      });
    }
  }
  for (const auto& one : seen) EXPECT_EQ(one, seen[0]);
}

}  // namespace
}  // namespace cradle
