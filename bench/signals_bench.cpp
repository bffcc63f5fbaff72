// Causal signals against programs written by hand for one case, in one run: what matters are the
// ratios.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common.hpp"

namespace {

using bench::quiet;
using cradle::Model;
using cradle::Options;
using cradle::Simulation;

Model load(const std::string& text) { return bench::sound(Model::load_text("bench.cradle", text)); }

// Dormand and Prince's pair with a fixed step, as the engine has it: six new stages a step, the
// error estimate computed and used for nothing but to be compared.
template <class Rhs>
class FixedDopri {
 public:
  FixedDopri(std::size_t n, Rhs rhs) : rhs_(rhs), x_(n), y_(n) {
    for (auto& k : k_) k.resize(n);
  }
  std::vector<double>& x() { return x_; }
  double run(int steps, double h) {
    static constexpr double a[7][6] = {
        {},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double worst = 0;
    rhs_(x_.data(), k_[0].data());
    for (int step = 0; step < steps; ++step) {
      for (int s = 1; s < 7; ++s) {
        for (std::size_t i = 0; i < x_.size(); ++i) {
          double sum = 0;
          for (int j = 0; j < s; ++j) sum += a[s][j] * k_[j][i];
          y_[i] = x_[i] + h * sum;
        }
        rhs_(y_.data(), k_[s].data());
      }
      for (std::size_t i = 0; i < x_.size(); ++i) {
        double sum = 0;
        for (int j = 0; j < 7; ++j) sum += e[j] * k_[j][i];
        worst = std::max(worst, std::abs(h * sum) / (1 + std::abs(y_[i])));
      }
      std::swap(x_, y_);
      std::swap(k_[0], k_[6]);
    }
    return worst;
  }

 private:
  Rhs rhs_;
  std::vector<double> x_, y_;
  std::array<std::vector<double>, 7> k_;
};

void per_step(benchmark::State& state, int64_t steps) {
  state.counters["per step"] = benchmark::Counter(
      static_cast<double>(steps), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Explicit, with a tolerance so loose that every step is as long as it may be.
void fixed_steps(benchmark::State& state, const Model& model, int count, double h) {
  Options options = quiet(count * h);
  options.max_step = h;
  options.relative_tolerance = 1e-3;
  options.solver = cradle::SolverKind::Explicit;
  int64_t steps = 0;
  for (auto _ : state) {
    Simulation run(model, options);
    run.run();
    steps += run.statistics().solver_steps;
  }
  per_step(state, steps);
}

// ---- Lorenz -------------------------------------------------------------------------------------

constexpr int kLorenzSteps = 10000;
constexpr double kLorenzStep = 1e-3;

void LorenzByCradle(benchmark::State& state) {
  Model model = load(R"(
model Lorenz {
  x = integral(10 * (y - x), 1)
  y = integral(x * (28 - z) - y, 1)
  z = integral(x * y - 8 / 3 * z, 1)
  until 10
})");
  fixed_steps(state, model, kLorenzSteps, kLorenzStep);
}
BENCHMARK(LorenzByCradle)->Unit(benchmark::kMicrosecond);

void LorenzByHand(benchmark::State& state) {
  auto rhs = [](const double* x, double* d) {
    d[0] = 10 * (x[1] - x[0]);
    d[1] = x[0] * (28 - x[2]) - x[1];
    d[2] = x[0] * x[1] - 8.0 / 3 * x[2];
  };
  int64_t steps = 0;
  for (auto _ : state) {
    FixedDopri solver(3, rhs);
    solver.x() = {1, 1, 1};
    benchmark::DoNotOptimize(solver.run(kLorenzSteps, kLorenzStep));
    steps += kLorenzSteps;
  }
  per_step(state, steps);
}
BENCHMARK(LorenzByHand)->Unit(benchmark::kMicrosecond);

// ---- a chain of 1,000 integrators ---------------------------------------------------------------

constexpr int kChain = 1000, kChainSteps = 1000;
constexpr double kChainStep = 1e-3;

void ChainByCradle(benchmark::State& state) {
  Model model = load(R"(
model Chain {
  x[1] = integral(1 - x[1], 0)
  for i in 2..1000 {
    x[i] = integral(x[i - 1] - x[i], 0)
  }
  until 1
})");
  fixed_steps(state, model, kChainSteps, kChainStep);
}
BENCHMARK(ChainByCradle)->Unit(benchmark::kMillisecond);

void ChainByHand(benchmark::State& state) {
  auto rhs = [](const double* x, double* d) {
    d[0] = 1 - x[0];
    for (int i = 1; i < kChain; ++i) d[i] = x[i - 1] - x[i];
  };
  int64_t steps = 0;
  for (auto _ : state) {
    FixedDopri solver(kChain, rhs);
    benchmark::DoNotOptimize(solver.run(kChainSteps, kChainStep));
    steps += kChainSteps;
  }
  per_step(state, steps);
}
BENCHMARK(ChainByHand)->Unit(benchmark::kMillisecond);

// ---- transitions of a modal model ---------------------------------------------------------------

constexpr int kTransitions = 1000000;

// Two modes, left by turns at the ticks of a clock; a counter is handed over each time.
void ModalByCradle(benchmark::State& state) {
  Model model = load(R"(
model Modal {
  tick = clock(1)
  modal machine initially a {
    mode a { n = integral(0, 0) }
    mode b { n = integral(0, 0) }
    a -> b when tick { set n = n + 1 }
    b -> a when tick { set n = n + 1 }
  }
  until 10
})");
  Options options = quiet(kTransitions - 1);
  for (auto _ : state) {
    Simulation run(model, options);
    run.run();
    benchmark::DoNotOptimize(run.statistics().events);
  }
  state.counters["per transition"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTransitions,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(ModalByCradle)->Unit(benchmark::kMillisecond);

void ModalByHand(benchmark::State& state) {
  for (auto _ : state) {
    int mode = 0;
    double n[2] = {0, 0};
    for (int j = 0; j < kTransitions; ++j) {
      double t = 0 + j * 1.0;
      benchmark::DoNotOptimize(t);
      const double next = n[mode] + 1;
      mode = 1 - mode;
      n[mode] = next;
      benchmark::DoNotOptimize(n[mode]);
    }
  }
  state.counters["per transition"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTransitions,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(ModalByHand)->Unit(benchmark::kMillisecond);

// ---- a fixed point of 10,000 signals ------------------------------------------------------------

constexpr int kSignals = 10000, kTicks = 100;

void FixedPointByCradle(benchmark::State& state) {
  Model model = load(R"(
model FixedPoint {
  s[0] = hold(clock(1, values = [1, 2, 3]), 0)
  for i in 1..10000 {
    s[i] = if s[i - 1] > 5000 then s[i - 1] - 1 else s[i - 1] + 1
  }
  last = fby(0, s[10000])
  until 10
})");
  Options options = quiet(kTicks - 1);
  for (auto _ : state) {
    Simulation run(model, options);
    run.run();
    benchmark::DoNotOptimize(run.statistics().microsteps);
  }
  state.counters["per signal and tick"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTicks * kSignals,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(FixedPointByCradle)->Unit(benchmark::kMillisecond);

void FixedPointByHand(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<double> s(kSignals + 1);
    for (int tick = 0; tick < kTicks; ++tick) {
      s[0] = tick % 3 + 1;
      for (int i = 1; i <= kSignals; ++i) s[i] = s[i - 1] > 5000 ? s[i - 1] - 1 : s[i - 1] + 1;
      benchmark::DoNotOptimize(s.data());
    }
  }
  state.counters["per signal and tick"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTicks * kSignals,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(FixedPointByHand)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
