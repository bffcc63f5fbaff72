// Dormand and Prince's explicit Runge–Kutta pair of order 5(4), with the continuous extension of
// order 4 and the step control of DOPRI5 (Hairer, Nørsett, Wanner: Solving Ordinary Differential
// Equations I, 2nd ed., sections II.4 to II.6).
//
// The stages are written out and not taken from Boost.odeint: its dense-output stepper keeps the
// control over step sizes, rejections and restarts to itself, and its last-stage reuse and error
// norm cannot be had apart.
//
// Errors are measured in the maximum norm, not in Hairer's mean: in a large model most stores are
// at rest, and they must not dilute the error of those that move.

#include "core/solve/explicit_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/assert.hpp"
#include "core/solve/sanity.hpp"

namespace cradle::solve {
namespace {

constexpr double a21 = 1.0 / 5;
constexpr double a31 = 3.0 / 40, a32 = 9.0 / 40;
constexpr double a41 = 44.0 / 45, a42 = -56.0 / 15, a43 = 32.0 / 9;
constexpr double a51 = 19372.0 / 6561, a52 = -25360.0 / 2187, a53 = 64448.0 / 6561,
                 a54 = -212.0 / 729;
constexpr double a61 = 9017.0 / 3168, a62 = -355.0 / 33, a63 = 46732.0 / 5247, a64 = 49.0 / 176,
                 a65 = -5103.0 / 18656;
constexpr double a71 = 35.0 / 384, a73 = 500.0 / 1113, a74 = 125.0 / 192, a75 = -2187.0 / 6784,
                 a76 = 11.0 / 84;
constexpr double c2 = 1.0 / 5, c3 = 3.0 / 10, c4 = 4.0 / 5, c5 = 8.0 / 9;
// Order 5 minus order 4.
constexpr double e1 = 71.0 / 57600, e3 = -71.0 / 16695, e4 = 71.0 / 1920, e5 = -17253.0 / 339200,
                 e6 = 22.0 / 525, e7 = -1.0 / 40;
// The fifth coefficient of dense output.
constexpr double d1 = -12715105075.0 / 11282082432, d3 = 87487479700.0 / 32700410799,
                 d4 = -10690763975.0 / 1880347072, d5 = 701980252875.0 / 199316789632,
                 d6 = -1453857185.0 / 822651844, d7 = 69997945.0 / 29380423;

constexpr double safety = 0.9;
constexpr double least_factor = 0.2, most_factor = 10;  // from one step to the next
constexpr double beta = 0.04;                           // of PI control
constexpr double exponent = 0.2 - 0.75 * beta;
// A rejection at least divides the step by 1/safety, so this is beyond any that could succeed.
constexpr int max_rejections = 10000;
constexpr double stiff_limit = 3.25;  // |hλ| at the border of the region of stability

}  // namespace

ExplicitSolver::ExplicitSolver(Rhs& rhs, int dimension, const Settings& settings)
    : rhs_(rhs), dimension_(dimension), settings_(sane(settings)) {
  CRADLE_ASSERT(dimension >= 0, "a state has a dimension");
  x_stage_.resize(dimension);
  dense_.resize(5 * static_cast<std::size_t>(dimension));
  for (int i = 0; i < dimension; ++i) absolute_.push_back(settings_.absolute_tolerance_of(i));
  attach(own_);
}

void ExplicitSolver::attach(Motion& motion, Past) {
  const auto n = static_cast<std::size_t>(dimension_);
  m_ = &motion;
  dense_ready_ = false;
  if (motion.x.size() != n || motion.slopes[0].size() != n) {
    for (auto* vector : {&motion.x, &motion.x_new}) vector->assign(n, 0);
    for (auto& slope : motion.slopes) slope.assign(n, 0);
  }
}

void ExplicitSolver::evaluate(double t, std::span<const double> x, std::span<double> dxdt) {
  ++counts_.evaluations;
  rhs_.derivative(t, x, dxdt);
}

void ExplicitSolver::restart(double t, std::span<const double> x, double step_hint) {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  m_->begin = m_->end = m_->origin = t;
  std::copy(x.begin(), x.end(), m_->x_new.begin());
  m_->x = m_->x_new;
  m_->size = settings_.size_of(x);
  m_->next_step = std::isfinite(step_hint) && step_hint > 0 ? step_hint : 0;
  m_->previous_error = 1e-4;
  m_->has_slope = m_->slope_moves = dense_ready_ = m_->implicit = m_->exact = false;
  m_->stiff_steps = m_->mild_steps = 0;
}

double ExplicitSolver::weight(int i, double x) const {
  return absolute_[i] * Settings::share_of(m_->size) + settings_.relative_tolerance * std::abs(x);
}

// Hairer's guess (II.4): the step for which an explicit Euler step is small against the state, then
// corrected by the second derivative that this step reveals.
double ExplicitSolver::first_step(double t_limit) {
  double size = 0, slope = 0, bend = 0;
  for (int i = 0; i < dimension_; ++i) {
    size = std::max(size, std::abs(m_->x[i]) / weight(i, m_->x[i]));
    slope = std::max(slope, std::abs(m_->slopes[0][i]) / weight(i, m_->x[i]));
  }
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  h = std::min(h, t_limit - m_->begin);
  if (settings_.max_step > 0) h = std::min(h, settings_.max_step);
  for (int i = 0; i < dimension_; ++i) x_stage_[i] = m_->x[i] + h * m_->slopes[0][i];
  evaluate(m_->begin + h, x_stage_, m_->slopes[1]);
  for (int i = 0; i < dimension_; ++i) {
    bend = std::max(bend, std::abs(m_->slopes[1][i] - m_->slopes[0][i]) / weight(i, m_->x[i]) / h);
  }
  const double steepest = std::max(slope, bend);
  const double h1 =
      steepest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / steepest, 1.0 / 5);
  return std::min(100 * h, h1);
}

// Fills slopes 1 to 6, x_stage_ and x_new from x and slope 0.
void ExplicitSolver::try_step(double t, double h) {
  const int n = dimension_;
  const double* x = m_->x.data();
  double* y = x_stage_.data();
  const auto& k = m_->slopes;
  const double *k1 = k[0].data(), *k2 = k[1].data(), *k3 = k[2].data(), *k4 = k[3].data(),
               *k5 = k[4].data(), *k6 = k[5].data();
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (a21 * k1[i]);
  evaluate(t + c2 * h, x_stage_, m_->slopes[1]);
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (a31 * k1[i] + a32 * k2[i]);
  evaluate(t + c3 * h, x_stage_, m_->slopes[2]);
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (a41 * k1[i] + a42 * k2[i] + a43 * k3[i]);
  evaluate(t + c4 * h, x_stage_, m_->slopes[3]);
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] + h * (a51 * k1[i] + a52 * k2[i] + a53 * k3[i] + a54 * k4[i]);
  }
  evaluate(t + c5 * h, x_stage_, m_->slopes[4]);
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] + h * (a61 * k1[i] + a62 * k2[i] + a63 * k3[i] + a64 * k4[i] + a65 * k5[i]);
  }
  evaluate(t + h, x_stage_, m_->slopes[5]);
  double* z = m_->x_new.data();
  for (int i = 0; i < n; ++i) {
    z[i] = x[i] + h * (a71 * k1[i] + a73 * k3[i] + a74 * k4[i] + a75 * k5[i] + a76 * k6[i]);
  }
  evaluate(t + h, m_->x_new, m_->slopes[6]);
}

// At most 1 when the tolerance is met; NaN when something is not finite.
double ExplicitSolver::error(double h, Judged how) const {
  const auto& k = m_->slopes;
  const double *k1 = k[0].data(), *k3 = k[2].data(), *k4 = k[3].data(), *k5 = k[4].data(),
               *k6 = k[5].data(), *k7 = k[6].data();
  const double *x = m_->x.data(), *x_new = m_->x_new.data();
  const double size = how == Judged::Coarsely ? 1 : settings_.size_of(m_->x_new, m_->size);
  double worst = 0, probe = 0;
  for (int i = 0; i < dimension_; ++i) {
    const double difference =
        h * (e1 * k1[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i] + e7 * k7[i]);
    const double tolerated = absolute_[i] * size + settings_.relative_tolerance *
                                                       std::max(std::abs(x[i]), std::abs(x_new[i]));
    const double relative = std::abs(difference) / tolerated;
    worst = std::max(worst, relative);
    probe += relative * 0 + x_new[i] * 0;
  }
  return worst + probe;
}

// The error of a step falls with its fifth power. Where all of x is tiny, and its derivative the
// rounding of what is not, it falls with the first only, and the absolute tolerance as it was asked
// for decides.
bool ExplicitSolver::is_rounding(double error, double h, double before, double h_before) const {
  if (m_->size >= 1 || !(before < HUGE_VAL)) return false;
  const double shorter = h / h_before;
  return error > before * shorter * shorter * shorter && this->error(h, Judged::Coarsely) <= 1;
}

// Hairer and Wanner, Solving ODEs II, section IV.2: the last two stages both stand at t + h, so
// their differences estimate h times the dominant eigenvalue. Differences far below the tolerance
// do not limit any step, and may be rounding.
void ExplicitSolver::watch_stiffness(double h) {
  double slopes = 0, states = 0;
  for (int i = 0; i < dimension_; ++i) {
    const double scale = 1 / weight(i, m_->x_new[i]);
    const double slope = (m_->slopes[6][i] - m_->slopes[5][i]) * scale,
                 state = (m_->x_new[i] - x_stage_[i]) * scale;
    slopes += slope * slope;
    states += state * state;
  }
  if (states > 1e-4 && h * h * slopes > stiff_limit * stiff_limit * states) {
    ++m_->stiff_steps;
    m_->mild_steps = 0;
  } else if (++m_->mild_steps >= 6) {
    m_->stiff_steps = 0;
  }
}

void ExplicitSolver::accept(double t_new, double h, double error) {
  ++counts_.steps;
  m_->end = t_new;
  m_->previous_error = std::max(error, 1e-4);
  m_->slope_moves = true;
  m_->size = settings_.size_of(m_->x_new, m_->size);
  watch_stiffness(h);
}

// Leaves end() and state() where they were.
StepResult ExplicitSolver::give_up(bool finite) {
  m_->x_new = m_->x;
  m_->end = m_->begin;
  return finite ? StepResult::StepTooSmall : StepResult::NotFinite;
}

StepResult ExplicitSolver::step(double t_limit) {
  m_->begin = m_->end;
  dense_ready_ = false;
  std::copy(m_->x_new.begin(), m_->x_new.end(), m_->x.begin());
  if (!(t_limit > m_->begin)) return StepResult::Ok;
  if (m_->slope_moves) std::swap(m_->slopes[0], m_->slopes[6]);
  m_->slope_moves = false;
  if (!m_->has_slope) evaluate(m_->begin, m_->x, m_->slopes[0]);
  m_->has_slope = true;
  if (!all_finite(m_->slopes[0]) || !all_finite(m_->x)) {
    m_->has_slope = false;
    return give_up(false);
  }
  if (m_->next_step == 0) m_->next_step = first_step(t_limit);

  const double least = std::max(16 * std::numeric_limits<double>::epsilon() * std::abs(m_->begin),
                                std::numeric_limits<double>::min());
  double h = m_->next_step;
  if (settings_.max_step > 0) h = std::min(h, settings_.max_step);
  if (!(h >= least)) h = least;
  bool rejected = false, finite = true;
  double error_before = HUGE_VAL, taken_before = h;
  for (int attempt = 0; attempt < max_rejections; ++attempt) {
    const bool last = m_->begin + 1.01 * h >= t_limit;
    const double t_new = last ? t_limit : m_->begin + h;
    const double taken = t_new - m_->begin;
    try_step(m_->begin, taken);
    double err = error(taken, Judged::Finely);
    if (err > 1 && is_rounding(err, taken, error_before, taken_before)) {
      err = error(taken, Judged::Coarsely);
      rejected = false;
    }
    if (err <= 1) {
      // Where the clamp decides anyway, the powers are not worth their time.
      constexpr double negligible = 1e-8;
      const double grown =
          err < negligible ? 0
                           : std::pow(err, exponent) / std::pow(m_->previous_error, beta) / safety;
      const double factor = 1 / std::clamp(grown, 1 / most_factor, 1 / least_factor);
      const double wish = taken * (rejected ? std::min(factor, 1.0) : factor);
      // A step that was cut short says nothing against the one that was wanted.
      m_->next_step = last && taken < h ? std::max(wish, h) : wish;
      accept(t_new, taken, err);
      return StepResult::Ok;
    }
    ++counts_.rejected;
    rejected = true;
    error_before = err;
    taken_before = taken;
    finite &= std::isfinite(err);
    if (taken <= least) return give_up(finite);
    const double shrunk = std::isfinite(err) ? safety * std::pow(err, -exponent) : 0.1;
    h = std::max(taken * std::clamp(shrunk, 0.1, safety), least);
  }
  return give_up(finite);
}

void ExplicitSolver::prepare_dense() const {
  const double h = m_->end - m_->begin;
  for (int i = 0; i < dimension_; ++i) {
    double* c = &dense_[5 * static_cast<std::size_t>(i)];
    c[0] = m_->x[i];
    c[1] = m_->x_new[i] - m_->x[i];
    c[2] = h * m_->slopes[0][i] - c[1];
    c[3] = c[1] - h * m_->slopes[6][i] - c[2];
    c[4] = h * (d1 * m_->slopes[0][i] + d3 * m_->slopes[2][i] + d4 * m_->slopes[3][i] +
                d5 * m_->slopes[4][i] + d6 * m_->slopes[5][i] + d7 * m_->slopes[6][i]);
  }
  dense_ready_ = true;
}

double ExplicitSolver::interpolate(double t, int component) const {
  if (!(t < m_->end)) return m_->x_new[component];
  if (!(t > m_->begin)) return m_->x[component];
  if (!dense_ready_) prepare_dense();
  const double s = (t - m_->begin) / (m_->end - m_->begin), r = 1 - s;
  const double* c = &dense_[5 * static_cast<std::size_t>(component)];
  return c[0] + s * (c[1] + r * (c[2] + s * (c[3] + r * c[4])));
}

void ExplicitSolver::power_series(int component, PowerSeries& out) const {
  if (!dense_ready_) prepare_dense();
  const double* d = &dense_[5 * static_cast<std::size_t>(component)];
  out.degree = 4;
  out.unit = m_->end - m_->begin;
  out.c[0] = d[0];
  out.c[1] = d[1] + d[2];
  out.c[2] = d[3] + d[4] - d[2];
  out.c[3] = -(d[3] + 2 * d[4]);
  out.c[4] = d[4];
  out.worth[0] = std::abs(d[0]);
  out.worth[1] = std::abs(d[1]) + std::abs(d[2]);
  out.worth[2] = std::abs(d[2]) + std::abs(d[3]) + std::abs(d[4]);
  out.worth[3] = std::abs(d[3]) + 2 * std::abs(d[4]);
  out.worth[4] = std::abs(d[4]);
}

void ExplicitSolver::interpolate(double t, std::span<double> x) const {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  for (int i = 0; i < dimension_; ++i) x[i] = interpolate(t, i);
}

std::unique_ptr<Solver> make_explicit(Rhs& rhs, int dimension, const Settings& settings) {
  return std::make_unique<ExplicitSolver>(rhs, dimension, settings);
}

}  // namespace cradle::solve
