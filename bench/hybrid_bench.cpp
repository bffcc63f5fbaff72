// Cradle against programs written by hand for one case (by_hand.hpp), in one run: what matters are
// the ratios. Times are those of the processor, so that other programs disturb them little.
//
//   counters:  by_hand      seconds that the other program takes for the same
//              ratio        how many times as long Cradle takes
//              per_…        seconds for one collision, microstep or event
//
// Loading is not part of it, except where it is what is measured.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <ctime>
#include <vector>

#include "by_hand.hpp"
#include "common.hpp"
#include "cradle/cradle.hpp"

namespace {

using bench::quiet;
using cradle::Model;
using cradle::Simulation;
using cradle::Statistics;

Model load(const char* path, const std::vector<cradle::Setting>& set) {
  return bench::sound(Model::load(std::string(CRADLE_ROOT) + "/" + path, set));
}

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double seconds(Work work) {
  const double start = processor_time();
  work();
  return processor_time() - start;
}

// The mean over enough runs to be worth reading.
template <class Work>
double mean_seconds(Work work) {
  int runs = 0;
  double total = 0;
  for (; total < 0.05 || runs < 3; ++runs) total += seconds(work);
  return total / runs;
}

// One run of Cradle per iteration; `by_hand` is what it is compared with. `start`: what a run to
// there takes is not counted. Gives the statistics of the last run and the mean time.
struct Measured {
  Statistics statistics;
  double mean = 0;
};
template <class ByHand>
Measured compare(benchmark::State& state, const Model& model, double until, ByHand by_hand,
                 double start = -1) {
  Measured measured;
  double total = 0;
  for (auto _ : state) {
    double taken = seconds([&] {
      Simulation run(model, quiet(until));
      run.run();
      measured.statistics = run.statistics();
    });
    if (start >= 0) taken -= seconds([&] { Simulation(model, quiet(start)).run(); });
    state.SetIterationTime(taken);
    total += taken;
  }
  measured.mean = total / static_cast<double>(state.iterations());
  const double other = mean_seconds([&] { benchmark::DoNotOptimize(by_hand()); });
  state.counters["by_hand"] = other;
  state.counters["ratio"] = measured.mean / other;
  return measured;
}

void report(benchmark::State& state, const char* name, double time, int64_t count) {
  state.counters[name] = time / static_cast<double>(count);
}

// 10,000 elements. First, so that the peak of memory is its own.
const char* kLarge = R"(
model Large {
  param N = 5000
  Se u = 1
  0 n[0]
  u -> n[0]
  for i in 1..N {
    1 s[i]
    0 n[i]
    R r[i](1)
    C c[i](1)
    n[i - 1] -> s[i] -> n[i]
    s[i] -> r[i]
    n[i] -> c[i]
  }
  until 0.1
  show n[1].e
}
)";

void LoadAndCheck10000(benchmark::State& state) {
  for (auto _ : state) {
    Model model = Model::load_text("large.cradle", kLarge);
    benchmark::DoNotOptimize(model.check().size());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(LoadAndCheck10000)->Unit(benchmark::kMillisecond);

// Another value of a parameter of N balls, without a run of it: of one that changes numbers only,
// and of one that changes the structure.
void SetOfBalls(benchmark::State& state) {
  Model model = load("models/mechanics/balls.cradle", {{"N", static_cast<double>(state.range(0))}});
  double restitution = 0.5;
  for (auto _ : state) model.set("restitution", restitution += 1e-6);
  if (!model.ok()) std::abort();
}
BENCHMARK(SetOfBalls)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

void SetNumberOfBalls(benchmark::State& state) {
  Model model = load("models/mechanics/balls.cradle", {});
  const auto n = static_cast<double>(state.range(0));
  int turn = 0;
  for (auto _ : state) model.set("N", n + turn++ % 2);
  if (!model.ok()) std::abort();
}
BENCHMARK(SetNumberOfBalls)->Arg(1000)->Unit(benchmark::kMillisecond);

void BouncingBall(benchmark::State& state) {
  Model model = load("models/mechanics/bouncing_ball.cradle",
                     {{"height", 10}, {"restitution", 0.99}, {"g", 9.8}});
  const Measured measured =
      compare(state, model, 200, [] { return by_hand::bouncing_ball(10, 0.99, 9.8, 200); });
  state.counters["events/s"] = static_cast<double>(measured.statistics.events) / measured.mean;
}
BENCHMARK(BouncingBall)->UseManualTime()->Unit(benchmark::kMillisecond);

// A blow runs through N balls that touch. Before it comes all balls are looked at, which is left
// out: the cost of a collision should not grow with N.
void Balls(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  Model model =
      load("models/mechanics/balls.cradle", {{"N", static_cast<double>(n)}, {"restitution", 1}});
  constexpr double before = 0.9, after = 1.1;  // of the blow, at 1
  const auto by_hand = [n] { return by_hand::Balls(n, 1, 1).run(after); };
  const Measured measured = compare(state, model, after, by_hand, before);
  if (by_hand() != measured.statistics.jumps) state.SkipWithError("collisions differ");
  report(state, "per_collision", measured.mean, measured.statistics.jumps);
}
BENCHMARK(Balls)->Arg(10)->Arg(100)->Arg(1000)->UseManualTime()->Unit(benchmark::kMillisecond);

// They stick together: each collision makes one longer rigid chain.
void BallsThatStick(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  Model model =
      load("models/mechanics/balls.cradle", {{"N", static_cast<double>(n)}, {"restitution", 0}});
  Measured measured;
  double total = 0;
  for (auto _ : state) {
    Simulation run(model, quiet(*model.until()));
    const double taken = seconds([&] { run.run(); });
    measured.statistics = run.statistics();
    state.SetIterationTime(taken);
    total += taken;
  }
  report(state, "per_collision", total / static_cast<double>(state.iterations()),
         measured.statistics.jumps);
}
BENCHMARK(BallsThatStick)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void DiodeLadder(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  Model model = load("models/circuits/diode_ladder.cradle", {{"N", static_cast<double>(n)}});
  const Measured measured =
      compare(state, model, *model.until(), [n] { return by_hand::DiodeLadder(n).run(2); });
  report(state, "per_microstep", measured.mean, measured.statistics.microsteps);
}
BENCHMARK(DiodeLadder)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void Buck(benchmark::State& state) {
  Model model = load("models/circuits/buck.cradle", {});
  const Measured measured = compare(state, model, 0.01, [] { return by_hand::Buck().run(0.01); });
  report(state, "per_event", measured.mean, measured.statistics.events);
}
BENCHMARK(Buck)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
