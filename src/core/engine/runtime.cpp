#include "core/engine/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cradle::engine {

namespace {
// Of the time of a tick, relative to what is added up to it.
constexpr double kClockRounding = 4 * std::numeric_limits<double>::epsilon();
}  // namespace

Runtime::Runtime(const Plan& s, const Options& o, State& st)
    : system(s), options(o), state(st), inputs(s.model(), o.inputs, st) {
  slot_of_cell.assign(s.cells().size(), nullptr);
  arrival_slot_of_cell.assign(s.cells().size(), nullptr);
  cluster_of_unit.assign(s.units().size(), nullptr);
  component_of_state.assign(s.model().states.size(), -1);
}

bool Runtime::arrive(Cluster& cluster) {
  Course& course = course_of(cluster);
  if (course.at == state.now) return false;
  if (course.stepped) {
    for (std::size_t i = 0; i < cluster.states.size(); ++i) {
      const std::size_t s = at(cluster.states[i]);
      state.x[s] = state.arrival_x[s] = cluster.solver->interpolate(state.now, static_cast<int>(i));
    }
  }
  course.at = state.now;
  if (course.stepped) remember_worth(cluster, state.now);
  return course.stepped;
}

namespace {

// The largest value on the way to t, as far as looking at some points between tells its size: a
// step may begin and end at zero and lead far from it. What is no larger than what is known may be
// anything that is no larger.
double largest_between(const solve::Solver& solver, int component, double t, double known) {
  constexpr int kMost = 7;
  solve::Solver::PowerSeries series;
  solver.power_series(component, series);
  const int points = std::min(series.degree - 1, kMost);
  // Where not even the magnitudes of all terms come to what is known, nothing is larger.
  const double whole = std::abs((t - solver.begin()) / series.unit);
  double most = 0;
  for (int k = series.degree; k >= 0; --k) {
    most = most * whole + std::abs(series.c[static_cast<std::size_t>(k)]);
  }
  constexpr double kRounding = 1 + 0x1p-40;
  if (most * kRounding <= known) return 0;
  double largest = 0;
  for (int i = 1; i <= points; ++i) {
    const double s = (t - solver.begin()) / series.unit * i / (points + 1);
    double x = 0;
    for (int k = series.degree; k >= 0; --k) x = x * s + series.c[static_cast<std::size_t>(k)];
    largest = std::max(largest, std::abs(x));
  }
  return largest;
}

}  // namespace

void Runtime::remember_worth(const Cluster& cluster, double t) {
  const solve::Motion& motion = course_of(cluster).motion;
  const double times = t > motion.begin ? std::abs(t) / (t - motion.begin) : 0;
  for (std::size_t i = 0; i < cluster.states.size(); ++i) {
    double& worth = state.worth[at(cluster.states[i])];
    const double x = cluster.solver->interpolate(t, static_cast<int>(i));
    const double moved = std::abs(x - motion.x[i]) * times;
    worth = std::max({worth, std::abs(x), std::isfinite(moved) ? moved : 0.0});
    const double between = largest_between(*cluster.solver, static_cast<int>(i), t, worth);
    if (std::isfinite(between)) worth = std::max(worth, between);
  }
}

double Runtime::state_at(StateId id, double t) const {
  const Cluster& cluster = cluster_of(id);
  const Course& course = course_of(cluster);
  if (course.at == t || !course.stepped) return state.x[at(id)];
  return cluster.solver->interpolate(t, component_of_state[at(id)]);
}

double Runtime::arrival_state_at(StateId id, double t) const {
  const Cluster& cluster = cluster_of(id);
  const Course& course = course_of(cluster);
  if (course.at == t || !course.stepped) return state.arrival_x[at(id)];
  return cluster.solver->interpolate(t, component_of_state[at(id)]);
}

double Runtime::rounding_of(const plan::Comparison& comparison) const {
  double scale = 0;
  for (StateId id : comparison.reads.states) scale += std::abs(state_at(id, state.now));
  constexpr double kUlps = 32;
  return kUlps * std::numeric_limits<double>::epsilon() * scale;
}

int Runtime::find_slide(ComparisonId comparison) const {
  const ComparisonId border = system.comparisons()[comparison].border;
  for (std::size_t j = 0; j < state.slides.size(); ++j) {
    if (state.slides[j].border == border) return static_cast<int>(j);
  }
  return -1;
}

// All that a border's gap reads evolves together.
Cluster* Runtime::cluster_of(const Slide& slide) const {
  for (UnitId unit : system.comparisons()[slide.border].units) {
    Cluster* cluster = cluster_of_unit[at(unit)];
    if (cluster != nullptr && !cluster->states.empty()) return cluster;
  }
  return nullptr;
}

bool Runtime::slides(const Cluster& cluster) const {
  return std::any_of(state.slides.begin(), state.slides.end(),
                     [&](const Slide& slide) { return cluster_of(slide) == &cluster; });
}

bool Runtime::reads_sides(const plan::Comparison& comparison) const {
  const auto reads = [&](const Slide& slide) {
    const auto& inside = comparison.reads.comparisons;
    const auto& automata = comparison.reads.automata;
    for (ComparisonId twin : system.comparisons()[slide.border].twins) {
      if (&system.comparisons()[twin] != &comparison &&
          std::binary_search(inside.begin(), inside.end(), twin)) {
        return true;
      }
    }
    for (const Relay& relay : slide.relays) {
      if (std::binary_search(automata.begin(), automata.end(), relay.automaton)) return true;
    }
    // Efforts and flows may depend on any source or law around them.
    const Cluster* cluster = cluster_of(slide);
    return std::any_of(
        comparison.reads.cells.begin(), comparison.reads.cells.end(),
        [&](CellId cell) { return cluster_of_unit[at(system.cells()[cell].unit)] == cluster; });
  };
  return std::any_of(state.slides.begin(), state.slides.end(), reads);
}

int64_t Runtime::count_at_start(ClockId id) const {
  const model::Clock& clock = system.model().clocks[id];
  const double periods = -system.offset(clock) / system.period(clock);
  return static_cast<int64_t>(std::floor(periods + kClockRounding * std::abs(periods))) + 1;
}

// Before the start, where no instant agrees with it, a period begins as early as rounding allows:
// what ends with the start has ended there, on the far side like everything that is located. Else a
// pulse that ends at 0 and one that begins there could overlap by an ulp.
double Runtime::period_begin(ClockId id, int64_t count) const {
  const model::Clock& clock = system.model().clocks[id];
  const double offset = system.offset(clock);
  const double periods = static_cast<double>(count - 1) * system.period(clock);
  const double begin = offset + periods;
  const double rounding = kClockRounding * (std::abs(offset) + std::abs(periods));
  if (begin > rounding) return begin;
  return begin >= -rounding ? 0 : begin - rounding;
}

double Runtime::clock_phase(ClockId id, double t, int64_t count) const {
  return (t - period_begin(id, count)) / system.period(system.model().clocks[id]);
}

}  // namespace cradle::engine
