// Cradle against programs written by hand for one case, in one run: what matters are the ratios.
//
//   hand-written: the same mathematics for that model alone, with no model in between
//   counters:     events per second, cost per collision, steps

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include "cradle/cradle.hpp"

namespace {

using cradle::Model;
using cradle::Options;
using cradle::Simulation;

Model load(const char* path, const std::vector<cradle::Setting>& set) {
  Model model = Model::load(std::string(CRADLE_ROOT) + "/" + path, set);
  if (!model.ok()) std::abort();
  return model;
}

Options quiet(double until) {
  Options options;
  options.until = until;
  options.record = false;
  options.audit = false;
  return options;
}

// ---- bouncing ball ------------------------------------------------------------------------------

void BallByCradle(benchmark::State& state) {
  Model model = load("models/mechanics/bouncing_ball.cradle",
                     {{"height", 10}, {"restitution", 0.99}, {"g", 9.8}});
  int64_t events = 0;
  for (auto _ : state) {
    Simulation run(model, quiet(200));
    run.run();
    events += run.statistics().events;
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(BallByCradle);

// A classical loop: Runge–Kutta of order 4 with a fixed step, the bounce found by bisection on the
// step to the last bit.
void BallByHand(benchmark::State& state) {
  int64_t events = 0;
  for (auto _ : state) {
    double x = 10, v = 0, t = 0;
    const double g = 9.8, e = 0.99, h = 0.05;
    auto step = [&](double& px, double& pv, double dt) {
      const double k1 = pv, l1 = -g, k2 = pv + dt / 2 * l1, l2 = -g, k3 = pv + dt / 2 * l2, l3 = -g,
                   k4 = pv + dt * l3;
      px += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      pv += dt / 6 * (l1 + 2 * l2 + 2 * l3 - g);
    };
    while (t < 200) {
      double nx = x, nv = v;
      step(nx, nv, h);
      if (nx < 0 && nv < 0) {
        double low = 0, high = h;
        while (high - low > 1e-16 * std::max(t, 1.0)) {
          const double middle = (low + high) / 2;
          if (middle == low || middle == high) break;
          double bx = x, bv = v;
          step(bx, bv, middle);
          (bx < 0 ? high : low) = middle;
        }
        step(x, v, high);
        t += high;
        v = -e * v;
        ++events;
      } else {
        x = nx;
        v = nv;
        t += h;
      }
      benchmark::DoNotOptimize(x);
    }
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(BallByHand);

// ---- N balls ------------------------------------------------------------------------------------

void Balls(benchmark::State& state) {
  const auto n = static_cast<double>(state.range(0));
  Model model = load("models/mechanics/balls.cradle", {{"N", n}, {"restitution", 1}});
  int64_t collisions = 0;
  for (auto _ : state) {
    Simulation run(model, quiet(*model.until()));
    run.run();
    collisions += run.statistics().jumps;
  }
  state.counters["per collision"] = benchmark::Counter(
      static_cast<double>(collisions), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["collisions"] =
      static_cast<double>(collisions) / static_cast<double>(state.iterations());
}
BENCHMARK(Balls)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

// ---- circuits -----------------------------------------------------------------------------------

void DiodeLadder(benchmark::State& state) {
  Model model =
      load("models/circuits/diode_ladder.cradle", {{"N", static_cast<double>(state.range(0))}});
  int64_t ticks = 0;
  for (auto _ : state) {
    Simulation run(model, quiet(*model.until()));
    run.run();
    ticks += run.statistics().microsteps;
  }
  state.counters["per microstep"] = benchmark::Counter(
      static_cast<double>(ticks), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(DiodeLadder)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void Buck(benchmark::State& state) {
  Model model = load("models/circuits/buck.cradle", {});
  int64_t events = 0;
  for (auto _ : state) {
    Simulation run(model, quiet(0.01));
    run.run();
    events += run.statistics().events;
  }
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(Buck)->Unit(benchmark::kMillisecond);

// ---- 10,000 elements ----------------------------------------------------------------------------

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
  state.counters["peak MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(LoadAndCheck10000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
