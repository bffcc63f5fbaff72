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

// Collocation. So many steps of what has come to rest before it begins; fewer where the motion has
// been stiff before.
constexpr int rests_to_convince = 8;
constexpr int rests_to_remind = 3;
constexpr int most_collocated = 20000;  // states: six complex factors of A are kept
constexpr double below_tolerance = 1.0 / 64;
constexpr int most_tries = 400;
constexpr int most_growth = 3;  // of a step, as a power of two
// The last terms of a step that could be longer are often rounding, and do not say so. Then twice
// the length is tried, and if that was too much, not again for so many steps.
constexpr double worth_a_try = 1.0 / 16;
constexpr int steps_to_wait = 8;
// What drives the motion has to be a polynomial of the degree of a step, to the tolerance: in a
// step as long as twenty terms of a series reach to rounding, it is.
constexpr int orders_of_drive = 20;
constexpr double longest = 0x1p900;

double power_below(double x) { return std::exp2(std::floor(std::log2(x))); }

}  // namespace

ExactSolver::ExactSolver(Rhs& rhs, int dimension, const Settings& settings)
    : rhs_(rhs), dimension_(dimension), settings_(sane(settings)), collocation_(dimension) {
  CRADLE_ASSERT(dimension >= 0, "a state has a dimension");
  for (int i = 0; i < dimension; ++i) absolute_.push_back(settings_.absolute_tolerance_of(i));
  attach(own_);
}

void ExactSolver::attach(Motion& motion, Past) {
  m_ = &motion;
  asked_ = false;
  for (auto* vector : {&motion.x, &motion.x_new}) {
    vector->resize(static_cast<std::size_t>(dimension_));
  }
}

void ExactSolver::restart(double t, std::span<const double> x, double step_hint) {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  m_->begin = m_->end = m_->origin = t;
  std::copy(x.begin(), x.end(), m_->x_new.begin());
  m_->x = m_->x_new;
  m_->size = settings_.size_of(x);
  m_->next_step = std::isfinite(step_hint) && step_hint > 0 ? step_hint : 0;
  m_->exact = m_->implicit = m_->collocated = false;
  m_->stiff_steps = 0;
  asked_ = false;
}

// A may be another after a restart. It is asked for when it is needed, once.
bool ExactSolver::has_matrix() {
  if (std::exchange(asked_, true)) return pattern_ != nullptr;
  pattern_ = dimension_ <= most_collocated ? rhs_.jacobian_pattern() : nullptr;
  if (pattern_ == nullptr) return false;
  entries_.resize(pattern_->rows.size());
  rhs_.jacobian(m_->begin, m_->x, entries_);
  if (!all_finite(entries_)) pattern_ = nullptr;
  if (pattern_ != nullptr) collocation_.set_matrix(*pattern_, entries_);
  return pattern_ != nullptr;
}

bool ExactSolver::collocates() {
  if (m_->collocated) return true;
  const int needed = m_->has_been_stiff ? rests_to_remind : rests_to_convince;
  return m_->exact && m_->stiff_steps >= needed && has_matrix();
}

// From the last step of a series on. Shorter ones are never needed: what they would leave over is
// rounding of numbers that cancel.
void ExactSolver::begin_collocation() {
  m_->explicit_step = m_->next_step;
  m_->shortest = power_below(m_->next_step);
  m_->next_step = 4 * m_->shortest;
  m_->collocated = m_->has_been_stiff = true;
  m_->mild_steps = 0;
}

double ExactSolver::as_long_as_driven(double h) {
  const std::optional<Reach> reach = rhs_.reach(m_->begin, h, orders_of_drive);
  if (!reach) return 0;
  is_driven_ = !reach->is_constant;
  const double most = settings_.max_step > 0 ? settings_.max_step : longest;
  if (h > most) h = power_below(most);
  // In units, and far ones from above: a unit that does not suit gives too short a reach.
  for (double units = reach->units; units < 0.5;) {
    h = std::max(h * power_below(std::max(2 * units, 1 / farthest)), m_->shortest);
    if (h == m_->shortest) break;
    units = rhs_.reach(m_->begin, h, orders_of_drive).value_or(Reach{}).units;
  }
  return h;
}

// rows_: by how much x has changed at the points.
bool ExactSolver::solve_step(double h) {
  const auto n = static_cast<std::size_t>(dimension_);
  rows_.resize(Collocation::points * n);
  const int different = is_driven_ ? Collocation::points : 1;
  for (int i = 0; i < different; ++i) {
    const std::span row(rows_.data() + static_cast<std::size_t>(i) * n, n);
    rhs_.derivative(m_->begin + Collocation::point(i) * h, m_->x, row);
  }
  for (int i = different; i < Collocation::points; ++i) {
    std::copy_n(rows_.data(), n, rows_.data() + static_cast<std::size_t>(i) * n);
  }
  counts_.evaluations += different;
  return all_finite(rows_) && collocation_.solve(h, rows_);
}

// What all of x is worth, also within the step that is tried.
double ExactSolver::size_at_points() {
  double size = m_->size;
  for (std::size_t k = 0; k < Collocation::points && size < 1; ++k) {
    for (int i = 0; i < dimension_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double x = m_->x[at] + rows_[k * static_cast<std::size_t>(dimension_) + at];
      size = std::max(size, std::min(1.0, std::abs(x) / settings_.scale_of(i)));
    }
  }
  return size;
}

// Puts the polynomials into the series. At most 1 when their last two terms, and so what they leave
// out, are as small against the tolerance as they should be.
double ExactSolver::left_over() {
  constexpr int s = Collocation::points;
  const auto n = static_cast<std::size_t>(dimension_);
  m_->series.resize((s + 1) * n);
  const double common = size_at_points();
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double size = std::abs(m_->x[i]);
    for (std::size_t k = 0; k < s; ++k)
      size = std::max(size, std::abs(m_->x[i] + rows_[k * n + i]));
    Collocation::Polynomial polynomial;
    collocation_.fit(rows_, static_cast<int>(i), size, polynomial);
    m_->series[i] = m_->x[i];
    for (std::size_t k = 1; k <= s; ++k) m_->series[k * n + i] = polynomial.power[k];
    const double rest = std::abs(polynomial.legendre[s]) + std::abs(polynomial.legendre[s - 1]);
    const double weight = settings_.relative_tolerance * size + absolute_[i] * common;
    worst = std::max(worst, rest / (below_tolerance * weight));
  }
  return worst;
}

void ExactSolver::take_collocated(double h, double t_limit) {
  m_->unit = h;
  const bool last = m_->begin + h >= t_limit;
  m_->end = last ? t_limit : m_->begin + h;
  if (last) return evaluate((m_->end - m_->begin) / m_->unit);
  const auto n = static_cast<std::size_t>(dimension_);
  const double* change = rows_.data() + (Collocation::points - 1) * n;
  for (std::size_t i = 0; i < n; ++i) m_->x_new[i] = m_->x[i] + change[i];
  m_->size = settings_.size_of(m_->x_new, m_->size);
}

StepResult ExactSolver::collocate(double t_limit) {
  if (!m_->collocated) begin_collocation();
  if (!has_matrix()) return StepResult::NotLinear;
  double h = as_long_as_driven(m_->next_step);
  if (h == 0) return StepResult::NotLinear;
  for (int i = 0; i < most_tries; ++i) {
    const double rest = solve_step(h) ? left_over() : HUGE_VAL;
    if (rest > 1 && (h > m_->shortest || rest == HUGE_VAL)) {
      h *= 0.5;
      m_->mild_steps = steps_to_wait;
      ++counts_.rejected;
      continue;
    }
    m_->is_polynomial = false;
    take_collocated(h, t_limit);
    if (!all_finite(m_->x_new)) return StepResult::NotFinite;
    m_->next_step = m_->end < t_limit && h < longest ? std::ldexp(h, growth(rest)) : h;
    ++counts_.steps;
    return StepResult::Ok;
  }
  return StepResult::NotFinite;
}

// Doubling a step multiplies the last terms by two to the power of their number.
int ExactSolver::growth(double rest) {
  const double spare = rest > 0 ? -std::log2(rest) / (Collocation::points + 1) : most_growth;
  const int sure = std::clamp(static_cast<int>(spare), 0, most_growth);
  if (m_->mild_steps > 0) --m_->mild_steps;
  return sure == 0 && rest <= worth_a_try && m_->mild_steps == 0 ? 1 : sure;
}

// Where the last step has ended.
StepResult ExactSolver::give_up(StepResult result) {
  m_->x_new = m_->x;
  m_->end = m_->begin;
  return result;
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
  const auto size_of = [&](int i) {
    double size = 0;
    for (int k = 0; k < leading; ++k) {
      size = std::max(size, std::abs(coefficient(k, i)) * powers[k]);
    }
    return size;
  };
  double common = m_->size;
  for (int i = 0; i < dimension_ && common < 1; ++i) {
    common = std::max(common, std::min(1.0, size_of(i) / settings_.scale_of(i)));
  }
  const double last_but_one = std::pow(s, end - 1), last = s * last_but_one;
  double worst = 0;
  for (int i = 0; i < dimension_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double rest = std::max(std::abs(coefficient(end, i)) * last,
                                 std::abs(coefficient(end - 1, i)) * last_but_one);
    if (rest == 0) continue;
    const double floor = std::min(absolute_[at], least * settings_.scale_of(i)) * common;
    worst = std::max(worst, rest / (Expansion::resolution * size_of(i) + floor));
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
      m_->size = settings_.size_of(m_->x_new, m_->size);
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
  if (collocates()) {
    const StepResult result = collocate(t_limit);
    return result == StepResult::Ok ? result : give_up(result);
  }
  double h = 0;
  StepResult result = expand(h);
  if (result == StepResult::NotLinear) return result;
  if (result == StepResult::Ok) result = take(h, t_limit);
  if (result != StepResult::Ok) return give_up(result);
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
