#include "cradle/trajectory.hpp"

#include <gtest/gtest.h>

namespace cradle {
namespace {

Trajectory collision() {
  Trajectory t({"p1", "F.e"}, {"F"}, {{"off", "on"}});
  t.add_row({0.5, -1, 0}, RowKind::Before);
  t.set_value(0, 0, Number(1));
  t.add_row({0.5, 0, 0}, RowKind::Pinnacle);
  t.set_value(1, 0, Number(-0.2));
  t.set_value(1, 1, Number(0, 0.6));
  t.set_mode(1, 0, 1);
  t.add_row({0.5, 1, 0}, RowKind::Real);
  t.set_value(2, 0, Number(-0.2));
  t.set_value(2, 1, Number(0));
  return t;
}

TEST(Trajectory, ValuesAreReadByNameAndInstant) {
  const Trajectory t = collision();
  const auto row = t.find_row({0.5, 0, 7});
  ASSERT_EQ(row, 1u);
  EXPECT_EQ(t.value(*row, *t.find_column("p1")), Number(-0.2));
  EXPECT_EQ(t.value(*row, *t.find_column("F.e")), Number(0, 0.6));
  EXPECT_EQ(t.mode(*row, *t.find_automaton("F")), "on");
  EXPECT_EQ(t.mode(0, 0), "off");
}

TEST(Trajectory, WhatWasNotSetIsAbsent) {
  const Trajectory t = collision();
  EXPECT_EQ(t.value(0, 1), std::nullopt);
  EXPECT_EQ(t.value(2, 1), Number(0));
}

TEST(Trajectory, AnImpulseMarksItsColumnOnly) {
  const Trajectory t = collision();
  EXPECT_FALSE(t.carries_impulse(0));
  EXPECT_TRUE(t.carries_impulse(1));
}

TEST(Trajectory, NothingIsFoundWhereNothingIs) {
  const Trajectory t = collision();
  EXPECT_EQ(t.find_column("p2"), std::nullopt);
  EXPECT_EQ(t.find_automaton("p1"), std::nullopt);
  EXPECT_EQ(t.find_row({0.25, 0, 0}), std::nullopt);
  EXPECT_EQ(t.find_row({9, 0, 0}), 2u);
  EXPECT_EQ(Trajectory().find_row({0, 0, 0}), std::nullopt);
}

TEST(Trajectory, EqualRunsHaveEqualHashes) { EXPECT_EQ(collision().hash(), collision().hash()); }

TEST(Trajectory, EveryRecordedBitCountsInTheHash) {
  const uint64_t hash = collision().hash();
  Trajectory value = collision();
  value.set_value(0, 0, Number(1.0000000000000002));
  EXPECT_NE(value.hash(), hash);
  Trajectory zero = collision();
  zero.set_value(0, 1, Number(0));
  EXPECT_NE(zero.hash(), hash);
  Trajectory impulse = collision();
  impulse.set_value(1, 1, Number(0, 0.7));
  EXPECT_NE(impulse.hash(), hash);
  Trajectory mode = collision();
  mode.set_mode(2, 0, 1);
  EXPECT_NE(mode.hash(), hash);
  Trajectory kind = collision();
  kind.set_kind(2, RowKind::Mythical);
  EXPECT_NE(kind.hash(), hash);
}

TEST(RowKind, NamesAreThoseOfTheSeeds) {
  EXPECT_STREQ(to_string(RowKind::Mythical), "mythical");
  EXPECT_STREQ(to_string(RowKind::Pinnacle), "pinnacle");
  EXPECT_STREQ(to_string(RowKind::Real), "real");
}

}  // namespace
}  // namespace cradle
