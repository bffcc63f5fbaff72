#include "core/solve/exact_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/assert.hpp"
#include "core/solve/sanity.hpp"

namespace cradle::solve {
namespace {

// Higher orders make longer steps, but of numbers that cancel: |hλ| is 1.5 here, and what rounding
// makes of a term stays near that of the sum.
constexpr int order = 20;
constexpr int leading = 4;         // coefficients that a step is measured against
constexpr double enough = 0x1p-6;  // of what may be left out: then a step need not be longer
constexpr double longer = 16;      // from one step to the next, while orders are left
constexpr double farthest = 256;   // in units of a series, which is of a unit that suits it

constexpr double rest_limit = 4;  // |hλ| of what has come to rest

}  // namespace

ExactSolver::ExactSolver(Rhs& rhs, int dimension, const Settings& settings)
    : rhs_(rhs), dimension_(dimension), settings_(sane(settings)) {
  CRADLE_ASSERT(dimension >= 0, "a state has a dimension");
  for (int i = 0; i < dimension; ++i) absolute_.push_back(settings_.absolute_tolerance_of(i));
  attach(own_);
}

void ExactSolver::attach(Motion& motion) {
  m_ = &motion;
  for (auto* vector : {&motion.x, &motion.x_new}) {
    vector->resize(static_cast<std::size_t>(dimension_));
  }
}

void ExactSolver::restart(double t, std::span<const double> x, double step_hint) {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  m_->begin = m_->end = m_->origin = t;
  std::copy(x.begin(), x.end(), m_->x_new.begin());
  m_->x = m_->x_new;
  m_->next_step = std::isfinite(step_hint) && step_hint > 0 ? step_hint : 0;
  m_->exact = m_->implicit = false;
  m_->stiff_steps = 0;
}

// A polynomial is exact however far it goes. But its first part is all that is used where an event
// cuts it off, and what is looked for on it is looked for with the digits of all of it. So the
// first step goes as far as one term has grown to where another was, and each is longer than the
// last.
double ExactSolver::polynomial_step() const {
  if (m_->next_step > 0) return m_->next_step / m_->unit;
  double step = HUGE_VAL;
  for (int i = 0; i < dimension_; ++i) {
    double longest = 0;
    int before = -1;
    for (int k = 0; k <= degree(); ++k) {
      if (coefficient(k, i) == 0) continue;
      if (before >= 0) {
        const double ratio = std::abs(coefficient(before, i) / coefficient(k, i));
        longest = std::max(longest, std::pow(ratio, 1.0 / (k - before)));
      }
      before = k;
    }
    if (longest > 0) step = std::min(step, longest);
  }
  // Not quite there: that is where events like to be.
  constexpr double beyond = 1.37;
  return beyond * (step < HUGE_VAL ? step : 1);
}

// At most 1 when the last terms of a step of this length are rounding.
double ExactSolver::left_out(double s) const {
  constexpr double least = 1e-15;  // the absolute tolerance counts, but does not make it coarser
  const double powers[leading] = {1, s, s * s, s * s * s};
  const int end = degree();
  const double last_but_one = std::pow(s, end - 1), last = s * last_but_one;
  double worst = 0;
  for (int i = 0; i < dimension_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double rest = std::max(std::abs(coefficient(end, i)) * last,
                                 std::abs(coefficient(end - 1, i)) * last_but_one);
    if (rest == 0) continue;
    double size = 0;
    for (int k = 0; k < leading; ++k) {
      size = std::max(size, std::abs(coefficient(k, i)) * powers[k]);
    }
    const double scale = settings_.scales.empty() ? 1 : settings_.scales[at];
    const double floor = std::min(absolute_[at], least * scale);
    worst = std::max(worst, rest / (Expansion::resolution * size + floor));
  }
  return worst;
}

// Where the unit does not suit, as far as it reaches.
double ExactSolver::series_step(double reach) const {
  constexpr int most = 100;
  double s = std::clamp(m_->next_step > 0 ? m_->next_step / m_->unit : 1, 1 / farthest, farthest);
  for (int i = 0; i < most; ++i) {
    const double rest = left_out(s);
    const bool goes_on = degree() < order;  // as far as was asked for
    if (rest <= 1 && (rest >= enough || goes_on || s >= reach || s == farthest)) break;
    if (rest > 1 && s == 1 / farthest) break;
    const double factor = rest > 0 ? std::pow(0.5 / rest, 1.0 / degree()) : farthest;
    s = std::clamp(s * factor, 1 / farthest, farthest);
  }
  return std::min(s, reach);
}

// The series at begin(), and how far it goes.
StepResult ExactSolver::expand(double& h) {
  constexpr int most = 64;
  constexpr double extreme = 1e-250;
  m_->unit = m_->next_step > 0 ? std::exp2(std::ceil(std::log2(m_->next_step))) : 1;
  for (int i = 0; i < most; ++i) {
    const auto expansion = rhs_.expand(m_->begin, m_->x, m_->unit, order, m_->series);
    if (!expansion) return StepResult::NotLinear;
    counts_.evaluations += expansion->evaluations;
    m_->exact = true;
    m_->is_polynomial = expansion->is_polynomial;
    double s = 1 / farthest;
    const bool is_finite = all_finite(m_->series);
    if (is_finite) s = m_->is_polynomial ? polynomial_step() : series_step(expansion->reach);
    h = s * m_->unit;
    const bool suits = m_->is_polynomial || (s > 1 / farthest && s < farthest);
    if (is_finite && (suits || h < extreme || h > 1 / extreme)) return StepResult::Ok;
    if (h < extreme) return StepResult::NotFinite;
    m_->unit = std::exp2(std::floor(std::log2(h)));
    if (!m_->is_polynomial) m_->next_step = 0;
  }
  return StepResult::NotFinite;
}

// The last coefficients are those of the fastest part: |λ|² is what two orders have in between. A
// part that moves makes steps of |hλ| = 1.5; where they are much longer, it has come to rest, and
// all that keeps them short is what rounding would make of it.
void ExactSolver::watch_stiffness() {
  if (m_->is_polynomial || degree() < order) return;  // nothing has kept it short
  double last = 0, before = 0;
  for (int i = 0; i < dimension_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double size = std::max({std::abs(m_->x[at]), std::abs(m_->x_new[at]), absolute_[at]});
    last = std::max(last, std::abs(coefficient(order, i)) / size);
    before = std::max(before, std::abs(coefficient(order - 2, i)) / size);
  }
  const double s = (m_->end - m_->begin) / m_->unit;
  if (order * (order - 1) * last * s * s > rest_limit * rest_limit * before) {
    ++m_->stiff_steps;
  } else {
    m_->stiff_steps = 0;
  }
}

void ExactSolver::evaluate(double s) {
  const auto n = static_cast<std::size_t>(dimension_);
  double* x = m_->x_new.data();
  const double* c = m_->series.data() + static_cast<std::size_t>(degree()) * n;
  std::copy_n(c, n, x);
  for (int k = degree(); k > 0; --k) {
    c -= n;
    for (std::size_t i = 0; i < n; ++i) x[i] = c[i] + s * x[i];
  }
}

StepResult ExactSolver::take(double h, double t_limit) {
  const double least = std::max(16 * std::numeric_limits<double>::epsilon() * std::abs(m_->begin),
                                std::numeric_limits<double>::min());
  if (settings_.max_step > 0) h = std::min(h, settings_.max_step);
  if (!(h >= least)) h = least;
  // What grows without bound is followed as far as there are numbers for it.
  for (bool cut = false;; h *= 0.5, cut = true) {
    const bool last = m_->begin + 1.01 * h >= t_limit;
    m_->end = last ? t_limit : m_->begin + h;
    evaluate((m_->end - m_->begin) / m_->unit);
    if (all_finite(m_->x_new)) {
      const bool may_grow = m_->is_polynomial || degree() < order;
      m_->next_step = may_grow && !cut && !last ? longer * h : h;
      return StepResult::Ok;
    }
    if (h <= least) return StepResult::NotFinite;
  }
}

StepResult ExactSolver::step(double t_limit) {
  m_->begin = m_->end;
  std::copy(m_->x_new.begin(), m_->x_new.end(), m_->x.begin());
  if (!(t_limit > m_->begin)) return StepResult::Ok;
  double h = 0;
  StepResult result = expand(h);
  if (result == StepResult::NotLinear) return result;
  if (result == StepResult::Ok) result = take(h, t_limit);
  if (result != StepResult::Ok) {
    m_->x_new = m_->x;
    m_->end = m_->begin;
    return result;
  }
  ++counts_.steps;
  watch_stiffness();
  return result;
}

double ExactSolver::interpolate(double t, int component) const {
  const auto i = static_cast<std::size_t>(component);
  if (!(t < m_->end)) return m_->x_new[i];
  if (!(t > m_->begin)) return m_->x[i];
  const double s = (t - m_->begin) / m_->unit;
  const auto n = static_cast<std::size_t>(dimension_);
  const double* c = m_->series.data() + static_cast<std::size_t>(degree()) * n + i;
  double sum = *c;
  for (int k = degree(); k > 0; --k) {
    c -= n;
    sum = *c + s * sum;
  }
  return sum;
}

void ExactSolver::interpolate(double t, std::span<double> x) const {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  for (int i = 0; i < dimension_; ++i) x[static_cast<std::size_t>(i)] = interpolate(t, i);
}

void ExactSolver::power_series(int component, PowerSeries& out) const {
  static_assert(order <= PowerSeries::most_degree);
  out.degree = degree();
  while (out.degree > 0 && coefficient(out.degree, component) == 0) --out.degree;
  out.unit = m_->unit;
  for (int k = 0; k <= out.degree; ++k) {
    const auto at = static_cast<std::size_t>(k);
    out.c[at] = coefficient(k, component);
    out.worth[at] = std::abs(out.c[at]);
  }
}

std::unique_ptr<Solver> make_exact(Rhs& rhs, int dimension, const Settings& settings) {
  return std::make_unique<ExactSolver>(rhs, dimension, settings);
}

}  // namespace cradle::solve
