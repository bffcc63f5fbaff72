#include "core/engine/recorder.hpp"

#include <gtest/gtest.h>

#include <map>

#include "language/model/elaborate.hpp"

namespace cradle::engine {
namespace {

// Values by the name of a column, and where they break off.
class Given : public Reading {
 public:
  explicit Given(std::map<std::string, plan::Value> values, std::vector<int> modes = {0})
      : values_(std::move(values)), modes_(std::move(modes)) {}
  plan::Value value(const RecordedColumn& column) override {
    const auto found = values_.find(column.name);
    if (found == values_.end()) throw plan::ArithmeticFault{};
    return found->second;
  }
  const Sketch::Values& draw(Sketch&) override { return nothing_; }
  std::optional<Number> power(expr::Op op, BondId) override {
    return op == expr::Op::Effort ? Number(2) : Number(0, 3);
  }
  std::span<const int> modes() const override { return modes_; }

 private:
  std::map<std::string, plan::Value> values_;
  std::vector<int> modes_;
  Sketch::Values nothing_;
};

// Remembers what was handed over together.
class Taken : public RowSink {
 public:
  void begin(const RowLayout& layout) override {
    ++begun;
    rows.begin(layout);
  }
  void take(std::span<const RowView> taken) override {
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(finished, 0);
    sizes.push_back(taken.size());
    rows.take(taken);
  }
  void finish() override { ++finished; }

  int begun = 0, finished = 0;
  std::vector<std::size_t> sizes;
  Trajectory rows;
};

class RecorderTest : public testing::Test {
 protected:
  RecorderTest()
      : loaded_(model::elaborate({"m.cradle", R"(
model M {
  Se source = 1
  R load(1)
  source -> load
  x = integral(1)
  modal machine initially a {
    mode a { }
    mode b { }
    a -> b when x > 1
  }
})"},
                                 {}, {})),
        plan_(plan::make_plan(std::move(loaded_.model))) {}

  Recorder make(Options options = {}) {
    const ExprId x = *plan_->model().find("x");
    return Recorder(*plan_, options, {{"x", x, nullptr}, {"y", x, nullptr}});
  }
  static Given at(double x) { return Given({{"x", x}, {"y", plan::Value::absent()}}); }

  model::Loaded loaded_;
  std::shared_ptr<const Plan> plan_;
  Taken taken_;
};

TEST_F(RecorderTest, RowsWhileTimeFlowsAreHandedOverAtOnce) {
  Recorder recorder = make();
  recorder.hand_to(taken_);
  recorder.begin();
  Given one = at(1), two = at(2);
  recorder.add_evolving(1, one);
  EXPECT_EQ(taken_.sizes, (std::vector<std::size_t>{1}));
  recorder.add_evolving(2, two);
  EXPECT_EQ(taken_.sizes, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(taken_.rows.value(1, 0), Number(2));
  EXPECT_EQ(taken_.rows.value(1, 1), std::nullopt);
  EXPECT_TRUE(recorder.has_row_at(2));
  EXPECT_FALSE(recorder.has_row_at(2.5));
}

TEST_F(RecorderTest, AnInstantIsHandedOverAsAWholeWithFinalKinds) {
  Recorder recorder = make();
  recorder.hand_to(taken_);
  recorder.begin();
  Given before = at(1), tried = at(2), pinnacle = at(3), real = at(4);
  recorder.add_before(1, before, 1);
  recorder.add_tick({1, 0, 0}, tried, 1);
  recorder.leave_by_inference();
  recorder.add_tick({1, 0, 1}, pinnacle, 1);
  recorder.leave_as(RowKind::Pinnacle);
  recorder.add_tick({1, 1, 0}, real, 1);
  EXPECT_TRUE(taken_.sizes.empty()) << "what a row was is not known yet";
  EXPECT_EQ(recorder.rows(), 4u);
  EXPECT_EQ(recorder.handed_over(), 0u);
  recorder.end_instant();
  ASSERT_EQ(taken_.sizes, (std::vector<std::size_t>{4}));
  EXPECT_EQ(taken_.rows.kind(0), RowKind::Before);
  EXPECT_EQ(taken_.rows.kind(1), RowKind::Mythical);
  EXPECT_TRUE(taken_.rows.is_tried(1));
  EXPECT_EQ(taken_.rows.kind(2), RowKind::Pinnacle);
  EXPECT_FALSE(taken_.rows.is_tried(2));
  EXPECT_EQ(taken_.rows.kind(3), RowKind::Real);
  recorder.end_instant();
  EXPECT_EQ(taken_.sizes.size(), 1u) << "an instant without rows is not handed over";
}

TEST_F(RecorderTest, WhatThereIsOfAnInstantThatBreaksOffIsHandedOver) {
  Recorder recorder = make();
  recorder.hand_to(taken_);
  recorder.begin();
  Given before = at(1), broken({{"x", 5}}, {1});
  recorder.add_before(1, before, 1);
  EXPECT_THROW(recorder.add_tick({1, 0, 0}, broken, 1), plan::ArithmeticFault);
  recorder.finish();
  ASSERT_EQ(taken_.rows.size(), 2u);
  EXPECT_EQ(taken_.rows.value(1, 0), Number(5));
  EXPECT_TRUE(taken_.rows.is_unknown(1, 1)) << "it was not computed, and is not absent";
  EXPECT_EQ(taken_.rows.mode(1, 0), "b");
  recorder.finish();
  EXPECT_EQ(taken_.finished, 1);
}

TEST_F(RecorderTest, AnUnfinishedTickStandsForItsRow) {
  Recorder recorder = make();
  recorder.hand_to(taken_);
  recorder.begin();
  Given known = at(1), unknown({{"x", 1}, {"y", plan::Value::unknown()}});
  recorder.add_tick({1, 0, 0}, known, 1);
  recorder.add_unfinished({1, 0, 0}, RowKind::Undecided, unknown, 1);
  recorder.add_unfinished({1, 0, 1}, RowKind::Nonconstructive, unknown, 1);
  recorder.end_instant();
  ASSERT_EQ(taken_.rows.size(), 2u);
  EXPECT_EQ(taken_.rows.kind(0), RowKind::Undecided);
  EXPECT_TRUE(taken_.rows.is_unknown(0, 1));
  EXPECT_EQ(taken_.rows.kind(1), RowKind::Nonconstructive);
}

TEST_F(RecorderTest, EverySinkGetsTheSame) {
  Recorder recorder = make();
  TrajectoryHash hash;
  recorder.hand_to(taken_);
  recorder.hand_to(hash);
  recorder.begin();
  for (int i = 0; i < 5; ++i) {
    Given reading = at(i);
    recorder.add_evolving(i, reading);
  }
  recorder.finish();
  EXPECT_EQ(hash.value(), taken_.rows.hash());
}

TEST_F(RecorderTest, NothingIsRecordedUnlessItIsAskedFor) {
  Options options;
  options.record = false;
  Recorder recorder = make(options);
  EXPECT_FALSE(recorder.is_on());
  recorder.leave_as(RowKind::Pinnacle);
  recorder.leave_by_inference();
  EXPECT_EQ(recorder.rows(), 0u);
}

TEST_F(RecorderTest, StepsAreThinnedWhereRoomIsShort) {
  Options options;
  options.max_rows = 160;
  Recorder recorder = make(options);
  recorder.begin();
  int rows = 0;
  for (int i = 0; i < 100000; ++i) {
    if (!recorder.has_room(i)) continue;
    Given reading = at(i);
    recorder.add_evolving(i, reading);
    ++rows;
  }
  EXPECT_GT(rows, 40);
  EXPECT_LT(rows, 160);
}

TEST_F(RecorderTest, WhatIsNotANumberIsSaidOnce) {
  Recorder recorder = make();
  recorder.begin();
  Given good = at(1), bad = at(std::nan(""));
  recorder.add_evolving(1, good);
  EXPECT_TRUE(recorder.newly_undefined().empty());
  recorder.add_evolving(2, bad);
  ASSERT_EQ(recorder.newly_undefined().size(), 1u);
  EXPECT_EQ(recorder.newly_undefined()[0], 0u);
  recorder.add_evolving(3, bad);
  EXPECT_TRUE(recorder.newly_undefined().empty());
}

TEST_F(RecorderTest, LastValuesAreThoseOfThePresentInstant) {
  Recorder recorder = make();
  recorder.begin();
  Given flowing = at(9);
  recorder.add_evolving(0.5, flowing);
  for (int n = 0; n < 3; ++n) {
    Given reading = at(n);
    recorder.add_tick({1, 0, n}, reading, 1);
  }
  EXPECT_EQ(recorder.last_values(0, 2), (std::vector<std::optional<Number>>{1, 2}));
  EXPECT_EQ(recorder.last_values(0, 9), (std::vector<std::optional<Number>>{0, 1, 2}));
}

TEST_F(RecorderTest, BondsAreRecordedByRow) {
  Options options;
  options.record_bonds = 1000;
  Recorder recorder = make(options);
  recorder.begin();
  Given reading = at(1);
  recorder.add_evolving(0.5, reading);
  recorder.add_before(1, reading, 1);
  recorder.add_tick({1, 0, 0}, reading, 1);
  recorder.end_instant();
  const BondRecord& bonds = recorder.bonds();
  EXPECT_EQ(bonds.rows, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(bonds.values[0], 2);
  ASSERT_EQ(bonds.impulses.size(), 3u);
  EXPECT_EQ(bonds.impulses[2].q, 3);
}

}  // namespace
}  // namespace cradle::engine
