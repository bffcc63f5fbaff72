#include "app/cli/row_pipe.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace cradle::cli {
namespace {

constexpr std::size_t kColumns = 3;

// Writes down what it is given; fails at a row if it is asked to.
class Written : public RowSink {
 public:
  void begin(const RowLayout& layout) override { columns = layout.columns.size(); }
  void take(std::span<const RowView> rows) override {
    for (const RowView& row : rows) {
      if (static_cast<int>(times.size()) == fails_at) throw std::runtime_error("full");
      times.push_back(row.at.t);
      for (double value : row.finite) sum += value;
      shared += row.shared.size();
    }
  }
  void finish() override { finished = true; }

  int fails_at = -1;
  std::size_t columns = 0, shared = 0;
  double sum = 0;
  std::vector<double> times;
  bool finished = false;
};

struct Source {
  void give(RowSink& to, int i) {
    const auto number = static_cast<double>(i);
    finite.assign(kColumns, number);
    impulses.assign(kColumns, 0);
    presence.assign(kColumns, Presence::Present);
    shared.assign(static_cast<std::size_t>(i % 2), 1);
    RowView row;
    row.at.t = number;
    row.finite = finite;
    row.impulses = impulses;
    row.presence = presence;
    row.shared = shared;
    to.take({&row, 1});
    finite.assign(kColumns, -1);  // nobody may look at it later
  }
  std::vector<double> finite, impulses;
  std::vector<Presence> presence;
  std::vector<uint32_t> shared;
};

TEST(RowPipe, HandsOverAllRowsInOrder) {
  Written written;
  RowPipe pipe(written);
  RowLayout layout;
  layout.columns.resize(kColumns);
  pipe.begin(layout);
  Source source;
  constexpr int kRows = 50'000;  // some batches
  for (int i = 0; i < kRows; ++i) source.give(pipe, i);
  pipe.finish();
  EXPECT_TRUE(written.finished);
  EXPECT_EQ(written.columns, kColumns);
  ASSERT_EQ(written.times.size(), static_cast<std::size_t>(kRows));
  for (int i = 0; i < kRows; ++i) ASSERT_EQ(written.times[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(written.sum, 3.0 * kRows * (kRows - 1) / 2);
  EXPECT_EQ(written.shared, kRows / 2u);
}

TEST(RowPipe, DrainsWhenItIsAsked) {
  Written written;
  RowPipe pipe(written);
  pipe.begin({});
  Source source;
  for (int i = 1; i < 4; ++i) {
    source.give(pipe, i);
    pipe.drain();
    EXPECT_EQ(written.times.size(), static_cast<std::size_t>(i));
  }
}

TEST(RowPipe, WhatIsTakenIsWrittenEvenWithoutAnEnd) {
  Written written;
  {
    RowPipe pipe(written);
    pipe.begin({});
    Source().give(pipe, 7);
  }
  EXPECT_EQ(written.times, std::vector<double>{7});
  EXPECT_FALSE(written.finished);
}

TEST(RowPipe, TellsWhatTheWriterCannotDo) {
  Written written;
  written.fails_at = 2;
  RowPipe pipe(written);
  pipe.begin({});
  Source source;
  for (int i = 0; i < 4; ++i) source.give(pipe, i);
  EXPECT_THROW(pipe.drain(), std::runtime_error);
  EXPECT_THROW(source.give(pipe, 5), std::runtime_error);
  EXPECT_EQ(written.times.size(), 2u);
}

}  // namespace
}  // namespace cradle::cli
