#include "cradle/trajectory.hpp"

#include <gtest/gtest.h>

#include "base/basics/row_buffer.hpp"

namespace cradle {
namespace {

RowBuffer rows_of_a_collision() {
  RowBuffer t({.columns = {"p1", "F.e"},
               .impulsive = {0, 1},
               .automata = {"F"},
               .states = {{"off", "on"}}});
  t.add_row({0.5, -1, 0}, RowKind::Before);
  t.set_value(0, 0, Number(1));
  t.add_row({0.5, 0, 0}, RowKind::Pinnacle);
  t.set_value(1, 0, Number(-0.2));
  t.set_value(1, 1, Number(0, 0.6));
  t.set_state(1, 0, 1);
  t.add_row({0.5, 1, 0}, RowKind::Real);
  t.set_value(2, 0, Number(-0.2));
  t.set_value(2, 1, Number(0));
  return t;
}

Trajectory collision() {
  RowBuffer rows = rows_of_a_collision();
  return to_trajectory(rows);
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

template <class Change>
uint64_t hash_with(Change&& change) {
  RowBuffer rows = rows_of_a_collision();
  change(rows);
  return to_trajectory(rows).hash();
}

TEST(Trajectory, EveryRecordedBitCountsInTheHash) {
  const uint64_t hash = collision().hash();
  EXPECT_NE(hash_with([](auto& t) { t.set_value(0, 0, Number(1.0000000000000002)); }), hash);
  EXPECT_NE(hash_with([](auto& t) { t.set_value(0, 1, Number(0)); }), hash);
  EXPECT_NE(hash_with([](auto& t) { t.set_unknown(0, 1); }), hash);
  EXPECT_NE(hash_with([](auto& t) { t.set_value(1, 1, Number(0, 0.7)); }), hash);
  EXPECT_NE(hash_with([](auto& t) { t.set_state(2, 0, 1); }), hash);
  EXPECT_NE(hash_with([](auto& t) { t.set_kind(2, RowKind::Mythical); }), hash);
  EXPECT_NE(hash_with([](auto& t) { t.add_row({0.6, 0, 0}, RowKind::Evolving); }), hash);
}

TEST(Trajectory, TheHashDoesNotDependOnHowRowsAreHandedOver) {
  RowBuffer rows = rows_of_a_collision();
  TrajectoryHash at_once, one_by_one;
  at_once.begin(rows.layout());
  one_by_one.begin(rows.layout());
  at_once.take(rows.rows());
  for (const RowView& row : rows.rows()) one_by_one.take(std::span(&row, 1));
  EXPECT_EQ(at_once.value(), one_by_one.value());
  EXPECT_EQ(at_once.value(), collision().hash());
}

TEST(Trajectory, GivesWholeColumns) {
  const Trajectory t = collision();
  EXPECT_EQ(std::vector(t.times().begin(), t.times().end()), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(std::vector(t.eps().begin(), t.eps().end()), (std::vector<int32_t>{-1, 0, 1}));
  EXPECT_EQ(std::vector(t.values(0).begin(), t.values(0).end()),
            (std::vector<double>{1, -0.2, -0.2}));
  EXPECT_TRUE(t.presence(0).empty()) << "it is present everywhere";
  ASSERT_EQ(t.presence(1).size(), 3u);
  EXPECT_EQ(t.presence(1)[0], Presence::Absent);
  EXPECT_EQ(t.presence(1)[1], Presence::Present);
  ASSERT_EQ(t.impulses(1).rows.size(), 1u);
  EXPECT_EQ(t.impulses(1).rows[0], 1u);
  EXPECT_EQ(t.impulses(1).weights[0], 0.6);
  EXPECT_EQ(std::vector(t.modes(0).begin(), t.modes(0).end()), (std::vector<int32_t>{0, 1, 0}));
}

TEST(Trajectory, WithoutRowsItCanBeFilledAgain) {
  Trajectory t = collision();
  t.clear();
  EXPECT_EQ(t.size(), 0u);
  RowBuffer rows = rows_of_a_collision();
  t.take(rows.rows());
  EXPECT_EQ(t.hash(), collision().hash());
}

TEST(RowBuffer, WhatIsUsedAgainIsEmpty) {
  RowBuffer rows = rows_of_a_collision();
  rows.clear();
  rows.add_row({1, 0, 0}, RowKind::Real);
  EXPECT_EQ(rows.value(0, 0), std::nullopt);
  EXPECT_EQ(rows.rows()[0].states[0], 0);
  EXPECT_FALSE(rows.rows()[0].tried);
}

TEST(RowBuffer, AllStatesAtOnce) {
  RowBuffer rows({.columns = {}, .automata = {"F", "G"}, .states = {{"off", "on"}, {"a", "b"}}});
  const std::vector<int32_t> moved = {0, 1}, both = {1, 1};
  rows.add_row({1, 0, 0}, RowKind::Real, both);
  rows.clear();
  rows.add_row({2, 0, 0}, RowKind::Real, moved);
  rows.add_row({3, 0, 0}, RowKind::Real);
  EXPECT_EQ(rows.rows()[0].states[0], 0);
  EXPECT_EQ(rows.rows()[0].states[1], 1);
  EXPECT_EQ(rows.rows()[1].states[1], 0);
  rows.set_states(1, both);
  EXPECT_EQ(rows.rows()[1].states[0], 1);
}

TEST(RowKind, NamesAreThoseOfTheSeeds) {
  EXPECT_STREQ(to_string(RowKind::Mythical), "mythical");
  EXPECT_STREQ(to_string(RowKind::Pinnacle), "pinnacle");
  EXPECT_STREQ(to_string(RowKind::Real), "real");
}

// x from 1 at 0 along t² − t + 1 to 1 at 1, where it jumps to 5; y is absent.
Trajectory with_a_curve() {
  RowBuffer rows({.columns = {"x", "y"}, .automata = {"F"}, .states = {{"off", "on"}}});
  rows.add_row({0, 0, 0}, RowKind::Start);
  rows.set_value(0, 0, Number(1));
  rows.add_row({1, -1, 0}, RowKind::Before);
  rows.set_value(1, 0, Number(1));
  rows.add_row({1, 0, 0}, RowKind::Real);
  rows.set_value(2, 0, Number(5));
  rows.set_state(2, 0, 1);
  rows.add_row({3, 0, 0}, RowKind::Evolving);
  rows.set_value(3, 0, Number(9));
  rows.set_state(3, 0, 1);
  Trajectory t = to_trajectory(rows);
  const std::vector<int8_t> degrees = {2, StretchView::kNoCurve};
  const std::vector<double> coefficients = {0.875, 0, 0.125};  // in 2t − 1
  t.take(StretchView{0, 1, degrees, coefficients});
  return t;
}

TEST(Trajectory, ValuesBetweenRowsAreThoseOfTheCurve) {
  const Trajectory t = with_a_curve();
  EXPECT_DOUBLE_EQ(*t.value_at(0.5, 0), 0.75);
  EXPECT_DOUBLE_EQ(*t.value_at(0.25, 0), 0.8125);
  EXPECT_EQ(t.value_at(0.5, 1), std::nullopt) << "absent";
  EXPECT_DOUBLE_EQ(*t.value_at(2, 0), 7) << "a straight line where no curve is kept";
  EXPECT_EQ(t.value_at(1, 0), 5) << "at an event the value with which time goes on";
  EXPECT_EQ(t.value_at(-1, 0), std::nullopt);
  EXPECT_EQ(t.value_at(4, 0), std::nullopt);
}

TEST(Trajectory, IsSampledAtAnyTimes) {
  const std::vector<double> times = {-1, 0, 0.5, 1, 2, 3, 4};
  const Trajectory sample = with_a_curve().sample(times);
  ASSERT_EQ(sample.size(), 5u);
  EXPECT_EQ(sample.value(1, 0), Number(0.75));
  EXPECT_EQ(sample.value(1, 1), std::nullopt);
  EXPECT_EQ(sample.mode(1, 0), "off");
  EXPECT_EQ(sample.mode(2, 0), "on");
  EXPECT_EQ(sample.value(4, 0), Number(9));
}

TEST(Trajectory, CurvesAreNoRows) {
  Trajectory with = with_a_curve();
  EXPECT_EQ(with.stretches(), 1u);
  const uint64_t hash = with.hash();
  Trajectory without;
  without.keep_curves(false);
  EXPECT_FALSE(without.wants_curves());
  with.replay(without);
  EXPECT_EQ(without.hash(), hash);
  with.clear();
  EXPECT_EQ(with.stretches(), 0u);
}

}  // namespace
}  // namespace cradle
