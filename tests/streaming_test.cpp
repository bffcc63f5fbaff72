// Rows are handed over as a run goes: whole instants, once and for all, to whoever takes them; and
// a run whose rows are not kept needs no more memory the longer it is.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "cradle/cradle.hpp"
#include "show/text/csv.hpp"
#include "show/text/json.hpp"
#include "show/text/summary.hpp"

namespace cradle {
namespace {

// Ticks and a store that jumps at each of them.
const char* const kTicking = R"(
model Ticking {
  tick = clock(1)
  n = integral(0, 0)
  modal machine initially a {
    mode a { k = integral(1, 0) }
    mode b { k = integral(2, 0) }
    a -> b when tick
    b -> a when tick
  }
  x = integral(v, 1)
  v = integral(-x)
  until 10
  show n, x, v, machine.k
})";

// What was handed over together is one instant: its times are equal, its order is that of
// hyperdense time, and time never goes back.
class Instants : public RowSink {
 public:
  void begin(const RowLayout&) override { ++begun; }
  void take(std::span<const RowView> rows) override {
    ASSERT_FALSE(rows.empty());
    ++handed_over;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].at.t, rows[0].at.t);
      EXPECT_TRUE(i == 0 || rows[i - 1].at < rows[i].at);
      EXPECT_TRUE(rows[i].kind != RowKind::Evolving || rows.size() == 1);
    }
    EXPECT_GE(rows[0].at.t, last);
    last = rows[0].at.t;
    count += rows.size();
  }
  void finish() override { ++finished; }

  int begun = 0, finished = 0, handed_over = 0;
  std::size_t count = 0;
  double last = 0;
};

TEST(Streaming, EverySinkSeesTheRowsThatAreKept) {
  for (const char* file : {"mosterman/cradle.cradle", "mosterman/tank.cradle",
                           "circuits/rectifier.cradle", "lee/bouncing_ball.cradle"}) {
    const Model model = Model::load(std::string(CRADLE_ROOT) + "/models/" + file);
    ASSERT_TRUE(model.ok()) << model.diagnostics_text();
    TrajectoryHash kept_hash, hash;
    Instants instants;
    Simulation kept(model);
    kept.stream_to(kept_hash).run();
    Options options;
    options.keep_trajectory = false;
    Simulation streamed(model, options);
    streamed.stream_to(hash).stream_to(instants).run();
    EXPECT_EQ(kept.trajectory().hash(), kept_hash.value()) << file;
    EXPECT_EQ(hash.value(), kept_hash.value()) << file;
    EXPECT_EQ(instants.begun, 1);
    EXPECT_EQ(instants.finished, 1);
    EXPECT_EQ(instants.count, kept.trajectory().size());
    EXPECT_EQ(streamed.rows(), kept.trajectory().size());
    EXPECT_EQ(streamed.trajectory().size(), 0u);
    EXPECT_EQ(streamed.trajectory().columns(), kept.trajectory().columns());
    EXPECT_EQ(streamed.now(), kept.now());
    const std::string& first = kept.trajectory().columns()[0];
    EXPECT_EQ(streamed.value(first), kept.value(first));
  }
}

TEST(Streaming, OneCanGoRowByRowWithoutKeepingAny) {
  const Model model = Model::load_text("ticking.cradle", kTicking);
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.keep_trajectory = false;
  Simulation kept(model), streamed(model, options);
  while (kept.advance()) {
    ASSERT_TRUE(streamed.advance());
    EXPECT_EQ(streamed.now(), kept.now());
    EXPECT_EQ(streamed.kind(), kept.kind());
    EXPECT_EQ(streamed.value("x"), kept.value("x"));
    EXPECT_EQ(streamed.mode("machine"), kept.mode("machine"));
  }
  EXPECT_FALSE(streamed.advance());
}

TEST(Streaming, WhatThereIsOfAnInstantThatBreaksOffIsHandedOver) {
  const Model model = Model::load_text("chase.cradle", R"(
model Chase {
  C c1(1, q = 3)
  C c2(2)
  0 n1, n2
  1 S initially off {
    off -> on when time >= 1
    on -> off when time >= 1
  }
  n1 -> c1
  n1 -> S -> n2
  n2 -> c2
  until 2
  show c1.q
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Instants instants;
  Simulation run(model);
  EXPECT_EQ(run.stream_to(instants).run().ending, Ending::ModelError);
  EXPECT_EQ(instants.finished, 1);
  EXPECT_NEAR(instants.last, 1, 1e-12);
  EXPECT_EQ(instants.count, run.trajectory().size());
  EXPECT_EQ(run.trajectory().kind(run.trajectory().size() - 1), RowKind::Mythical);
}

TEST(Streaming, WhatASinkThrowsEndsTheRun) {
  class Full : public RowSink {
   public:
    void begin(const RowLayout&) override {}
    void take(std::span<const RowView> rows) override {
      if (rows[0].at.t > 2) throw std::runtime_error("no space left");
    }
  };
  const Model model = Model::load_text("ticking.cradle", kTicking);
  Full full;
  Simulation run(model);
  EXPECT_THROW(run.stream_to(full).run(), std::runtime_error);
}

// Peak memory of a process that does this, in bytes.
template <class Work>
int64_t peak_memory(Work&& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  rusage usage = {};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return int64_t{1024} * usage.ru_maxrss;
}

TEST(Streaming, MemoryDoesNotGrowWithTheRun) {
  const Model model = Model::load_text("ticking.cradle", kTicking);
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const auto peak = [&](double until, bool kept) {
    return peak_memory([&] {
      std::size_t bytes = 0;
      const text::Bytes count = [&](std::string_view text) { bytes += text.size(); };
      text::CsvWriter csv(count);
      text::RunJsonWriter json("Ticking", until, count);
      text::InstantsJsonWriter instants({}, count), at(2, count);
      text::SummaryRows summary;
      Options options;
      options.until = until;
      options.keep_trajectory = kept;
      Simulation run(model, options);
      run.stream_to(csv).stream_to(json).stream_to(instants).stream_to(at).stream_to(summary);
      if (!run.run().finished() || bytes < 100 * until) _exit(1);
    });
  };
  constexpr int64_t kMegabyte = 1 << 20;
  const int64_t few = peak(1000, false), many = peak(10000, false);
  EXPECT_LT(many - few, kMegabyte);
  EXPECT_GT(peak(10000, true) - few, 2 * kMegabyte) << "or this measures nothing";
}

}  // namespace
}  // namespace cradle
