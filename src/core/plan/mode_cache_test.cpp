#include "core/plan/mode_cache.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "core/plan/testing.hpp"

namespace cradle::plan {
namespace {

using testing::plan_of;

constexpr std::size_t kMuch = std::size_t{1} << 30;

// Switches between capacitors on a line: 2ⁿ modes.
constexpr const char* kLine = R"(
  for i in 0..6 {
    0 n[i]
    C c[i](1 + i, e = i)
    R r[i](2)
    n[i] -> c[i]
    n[i] -> r[i]
  }
  for i in 1..6 {
    n[i - 1] -> s[i] -> n[i]
    1 s[i] initially off {
      active on
      inactive off
      off -> on when time > i
    }
  }
)";

// The island with the first cell in it; bit i of `mode`: is switch i on?
std::shared_ptr<const Island> island_of(const Plan& plan, unsigned mode, std::size_t limit) {
  const auto is_active = [&](JunctionId j) {
    const AutomatonId automaton = plan.model().junctions[j].automaton;
    return !automaton.valid() || (mode >> automaton.index & 1) != 0;
  };
  std::vector<CellId> cells{CellId(0)};
  std::vector<char> seen(plan.cells().size(), 0);
  seen[0] = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (JunctionId j : plan.cells()[cells[i]].controlled) {
      if (!is_active(j)) continue;
      for (const model::BondEnd& end : plan.model().junctions[j].bonds) {
        const CellId next = plan.cell_of(end.bond);
        if (!std::exchange(seen[at(next)], 1)) cells.push_back(next);
      }
    }
  }
  std::sort(cells.begin(), cells.end());
  return plan.modes().find(std::move(cells), is_active, limit);
}

// All rows, as numbers.
std::vector<double> rows_of(const Island& island) {
  std::vector<double> out;
  for (std::size_t v = 0; v < island.size(); ++v) {
    for (const LinearRow::Entry& entry : island.row(static_cast<int>(v)).b) {
      out.push_back(entry.equation);
      out.push_back(entry.coefficient);
    }
  }
  return out;
}

TEST(ModeCache, FindsAnIslandAgain) {
  const auto plan = plan_of(kLine);
  const auto first = island_of(*plan, 0b111, kMuch);
  EXPECT_EQ(island_of(*plan, 0b111, kMuch), first);
  EXPECT_NE(island_of(*plan, 0b011, kMuch), first);
  // A switch that is not at its border is nothing to it.
  EXPECT_EQ(island_of(*plan, 0b100111, kMuch), first);
  EXPECT_EQ(plan->modes().contents().islands, 2u);
}

TEST(ModeCache, CountsRowsThatAreMadeLater) {
  const auto plan = plan_of(kLine);
  const auto island = island_of(*plan, 0b1, kMuch);
  const std::size_t before = plan->modes().contents().bytes;
  EXPECT_EQ(island->bytes_of_rows(), 0u);
  rows_of(*island);
  EXPECT_GT(island->bytes_of_rows(), 0u);
  island_of(*plan, 0b1, kMuch);
  EXPECT_EQ(plan->modes().contents().bytes, before + island->bytes_of_rows());
}

TEST(ModeCache, ForgetsWhatIsNotInForceBeyondItsBound) {
  const auto plan = plan_of(kLine);
  const auto in_force = island_of(*plan, 0, 0);
  const std::weak_ptr<const Island> left = island_of(*plan, 0b1, 0);
  for (unsigned mode = 0; mode < 64; ++mode) island_of(*plan, mode, 0);
  EXPECT_TRUE(left.expired());
  EXPECT_EQ(island_of(*plan, 0, 0), in_force);
  EXPECT_LE(plan->modes().contents().islands, 8u);
  const std::size_t bound = 4 * in_force->bytes();
  for (unsigned mode = 0; mode < 64; ++mode) island_of(*plan, mode, bound);
  EXPECT_LE(plan->modes().contents().bytes, bound + 8 * in_force->bytes());
}

TEST(ModeCache, TheLeastRecentlyUsedGoFirst) {
  const auto plan = plan_of(kLine);
  const std::weak_ptr<const Island> old = island_of(*plan, 0b1, kMuch);
  const std::weak_ptr<const Island> young = island_of(*plan, 0b11, kMuch);
  const std::size_t two = plan->modes().contents().bytes;
  island_of(*plan, 0b1, kMuch);  // used again: now 0b11 is the older one
  island_of(*plan, 0, two);
  EXPECT_FALSE(old.expired());
  EXPECT_TRUE(young.expired());
}

// Code is kept like islands, whether it exists or not, and found by whoever comes later.
TEST(ModeCache, KeepsCode) {
  const auto plan = plan_of(kLine);
  int made = 0;
  const auto find = [&](int32_t number, std::size_t limit) {
    return plan->modes().find_code(
        {ModeCache::kRates, number},
        [&] {
          ++made;
          ModeCode code;
          code.list.resize(100);
          if (number > 0) code.results = {0};
          return code;
        },
        limit);
  };
  const auto first = find(1, kMuch);
  EXPECT_EQ(find(1, kMuch), first);
  EXPECT_EQ(made, 1);
  EXPECT_FALSE(find(0, kMuch)->exists());
  EXPECT_FALSE(find(0, kMuch)->exists());
  EXPECT_EQ(made, 2);
  EXPECT_EQ(plan->modes().contents().codes, 2u);
  EXPECT_EQ(plan->modes().contents().islands, 0u);
  EXPECT_GE(plan->modes().contents().bytes, 2 * first->bytes());
  for (int32_t i = 2; i < 40; ++i) find(i, 8 * first->bytes());
  EXPECT_LE(plan->modes().contents().codes, 20u);
  EXPECT_EQ(find(1, kMuch), first) << "someone holds it";
}

TEST(ModeCache, KeepsIslandsWithAFault) {
  const auto plan = plan_of(R"(
  Se a = 1, b = 2
  0 n, k
  R r(1)
  a -> n
  b -> n
  k -> r
  n -> s -> k
  1 s initially off {
    active on
    inactive off
    off -> on when time > 0.5
  }
)");
  const auto first = island_of(*plan, 0b1, kMuch);
  ASSERT_TRUE(first->fault().has_value());
  EXPECT_EQ(island_of(*plan, 0b1, kMuch), first);
}

// Whatever is found, made twice or forgotten meanwhile, the numbers are the same.
TEST(ModeCache, GivesEveryThreadTheSame) {
  const auto alone = plan_of(kLine);
  std::vector<std::vector<double>> expected;
  for (unsigned mode = 0; mode < 64; ++mode) {
    expected.push_back(rows_of(*island_of(*alone, mode, kMuch)));
  }
  for (const std::size_t limit : {std::size_t{0}, std::size_t{100'000}, kMuch}) {
    const auto plan = plan_of(kLine);
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (unsigned i = 0; i < 256; ++i) {
          const unsigned mode = (i * (2 * t + 1) + t) % 64;
          EXPECT_EQ(rows_of(*island_of(*plan, mode, limit)), expected[mode]);
        }
      });
    }
  }
}

}  // namespace
}  // namespace cradle::plan
