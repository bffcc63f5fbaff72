#include "core/engine/jump_noise.hpp"

#include <algorithm>
#include <cmath>

#include "core/plan/series.hpp"

namespace cradle::engine {
namespace {

// The same in every run, and without a pattern (splitmix64).
bool is_up(uint64_t index) {
  uint64_t v = (index + 1) * 0x9e3779b97f4a7c15ull;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebull;
  return ((v ^ (v >> 31)) & 1) != 0;
}

double rounding() { return plan::Coefficient{0, 1}.noise(); }

}  // namespace

double worth_of(const Runtime& runtime, const plan::Equation& equation) {
  double worth = 0;
  // A store that bends has none; b tells what it is worth.
  for (std::size_t j = 0; equation.linear && j < equation.states.size(); ++j) {
    worth += std::abs(equation.coefficients[j]) * runtime.state.worth[at(equation.states[j])];
  }
  return worth;
}

void find_jump_noise(const Runtime& runtime, const plan::Island& island, std::span<const double> b,
                     std::span<const double> magnitudes, std::vector<double>& noise) {
  constexpr uint64_t kTrials = plan::Island::kTogether;
  const std::size_t n = island.size();
  thread_local std::vector<double> worth, change;  // serve all islands
  worth.resize(kTrials * n);
  change.resize(kTrials * n);
  noise.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double own = worth_of(runtime, island.equations()[i]);
    const double most = std::max({own, std::abs(b[i]), magnitudes[i]});
    for (uint64_t trial = 0; trial < kTrials; ++trial) {
      const std::size_t place = trial * n + i;
      worth[place] = most == 0 || is_up(place) ? most : -most;
    }
  }
  island.jump_together(worth, change);
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    for (std::size_t v = 0; v < n; ++v) {
      noise[v] = std::max(noise[v], rounding() * std::abs(change[trial * n + v]));
    }
  }
}

double tolerated(const Options& options, double noise) {
  return options.relative_tolerance / rounding() * noise;
}

}  // namespace cradle::engine
