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
  for (auto* vector : {&x_, &x_new_, &x_stage_}) vector->resize(dimension);
  for (auto& slope : k_) slope.resize(dimension);
  dense_.resize(5 * static_cast<std::size_t>(dimension));
  for (int i = 0; i < dimension; ++i) absolute_.push_back(settings_.absolute_tolerance_of(i));
}

void ExplicitSolver::evaluate(double t, std::span<const double> x, std::span<double> dxdt) {
  ++counts_.evaluations;
  rhs_.derivative(t, x, dxdt);
}

void ExplicitSolver::restart(double t, std::span<const double> x, double step_hint) {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  begin_ = end_ = t;
  std::copy(x.begin(), x.end(), x_new_.begin());
  x_ = x_new_;
  next_step_ = std::isfinite(step_hint) && step_hint > 0 ? step_hint : 0;
  previous_error_ = 1e-4;
  has_slope_ = slope_moves_ = dense_ready_ = false;
  stiff_steps_ = mild_steps_ = 0;
}

double ExplicitSolver::weight(int i, double x) const {
  return absolute_[i] + settings_.relative_tolerance * std::abs(x);
}

// Hairer's guess (II.4): the step for which an explicit Euler step is small against the state, then
// corrected by the second derivative that this step reveals.
double ExplicitSolver::first_step(double t_limit) {
  double size = 0, slope = 0, bend = 0;
  for (int i = 0; i < dimension_; ++i) {
    size = std::max(size, std::abs(x_[i]) / weight(i, x_[i]));
    slope = std::max(slope, std::abs(k_[0][i]) / weight(i, x_[i]));
  }
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  h = std::min(h, t_limit - begin_);
  if (settings_.max_step > 0) h = std::min(h, settings_.max_step);
  for (int i = 0; i < dimension_; ++i) x_stage_[i] = x_[i] + h * k_[0][i];
  evaluate(begin_ + h, x_stage_, k_[1]);
  for (int i = 0; i < dimension_; ++i) {
    bend = std::max(bend, std::abs(k_[1][i] - k_[0][i]) / weight(i, x_[i]) / h);
  }
  const double steepest = std::max(slope, bend);
  const double h1 =
      steepest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / steepest, 1.0 / 5);
  return std::min(100 * h, h1);
}

// Fills k_[1…6], x_stage_ and x_new_ from x_ and k_[0].
void ExplicitSolver::try_step(double t, double h) {
  const int n = dimension_;
  const double* x = x_.data();
  double* y = x_stage_.data();
  const double *k1 = k_[0].data(), *k2 = k_[1].data(), *k3 = k_[2].data(), *k4 = k_[3].data(),
               *k5 = k_[4].data(), *k6 = k_[5].data();
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (a21 * k1[i]);
  evaluate(t + c2 * h, x_stage_, k_[1]);
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (a31 * k1[i] + a32 * k2[i]);
  evaluate(t + c3 * h, x_stage_, k_[2]);
  for (int i = 0; i < n; ++i) y[i] = x[i] + h * (a41 * k1[i] + a42 * k2[i] + a43 * k3[i]);
  evaluate(t + c4 * h, x_stage_, k_[3]);
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] + h * (a51 * k1[i] + a52 * k2[i] + a53 * k3[i] + a54 * k4[i]);
  }
  evaluate(t + c5 * h, x_stage_, k_[4]);
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] + h * (a61 * k1[i] + a62 * k2[i] + a63 * k3[i] + a64 * k4[i] + a65 * k5[i]);
  }
  evaluate(t + h, x_stage_, k_[5]);
  double* z = x_new_.data();
  for (int i = 0; i < n; ++i) {
    z[i] = x[i] + h * (a71 * k1[i] + a73 * k3[i] + a74 * k4[i] + a75 * k5[i] + a76 * k6[i]);
  }
  evaluate(t + h, x_new_, k_[6]);
}

// At most 1 when the tolerance is met; NaN when something is not finite.
double ExplicitSolver::error(double h) const {
  double worst = 0, probe = 0;
  for (int i = 0; i < dimension_; ++i) {
    const double difference = h * (e1 * k_[0][i] + e3 * k_[2][i] + e4 * k_[3][i] + e5 * k_[4][i] +
                                   e6 * k_[5][i] + e7 * k_[6][i]);
    const double relative =
        std::abs(difference) / weight(i, std::max(std::abs(x_[i]), std::abs(x_new_[i])));
    worst = std::max(worst, relative);
    probe += relative * 0 + x_new_[i] * 0;
  }
  return worst + probe;
}

// Hairer and Wanner, Solving ODEs II, section IV.2: the last two stages both stand at t + h, so
// their differences estimate h times the dominant eigenvalue. Differences far below the tolerance
// do not limit any step, and may be rounding.
void ExplicitSolver::watch_stiffness(double h) {
  double slopes = 0, states = 0;
  for (int i = 0; i < dimension_; ++i) {
    const double scale = 1 / weight(i, x_new_[i]);
    const double slope = (k_[6][i] - k_[5][i]) * scale, state = (x_new_[i] - x_stage_[i]) * scale;
    slopes += slope * slope;
    states += state * state;
  }
  if (states > 1e-4 && h * h * slopes > stiff_limit * stiff_limit * states) {
    ++stiff_steps_;
    mild_steps_ = 0;
  } else if (++mild_steps_ >= 6) {
    stiff_steps_ = 0;
  }
}

void ExplicitSolver::accept(double t_new, double h, double error) {
  ++counts_.steps;
  end_ = t_new;
  previous_error_ = std::max(error, 1e-4);
  slope_moves_ = true;
  watch_stiffness(h);
}

// Leaves end() and state() where they were.
StepResult ExplicitSolver::give_up(bool finite) {
  x_new_ = x_;
  end_ = begin_;
  return finite ? StepResult::StepTooSmall : StepResult::NotFinite;
}

StepResult ExplicitSolver::step(double t_limit) {
  begin_ = end_;
  dense_ready_ = false;
  std::copy(x_new_.begin(), x_new_.end(), x_.begin());
  if (!(t_limit > begin_)) return StepResult::Ok;
  if (slope_moves_) std::swap(k_[0], k_[6]);
  slope_moves_ = false;
  if (!has_slope_) evaluate(begin_, x_, k_[0]);
  has_slope_ = true;
  if (!all_finite(k_[0]) || !all_finite(x_)) return give_up(false);
  if (next_step_ == 0) next_step_ = first_step(t_limit);

  const double least = std::max(16 * std::numeric_limits<double>::epsilon() * std::abs(begin_),
                                std::numeric_limits<double>::min());
  double h = next_step_;
  if (settings_.max_step > 0) h = std::min(h, settings_.max_step);
  if (!(h >= least)) h = least;
  bool rejected = false, finite = true;
  for (int attempt = 0; attempt < max_rejections; ++attempt) {
    const bool last = begin_ + 1.01 * h >= t_limit;
    const double t_new = last ? t_limit : begin_ + h;
    const double taken = t_new - begin_;
    try_step(begin_, taken);
    const double err = error(taken);
    if (err <= 1) {
      // Where the clamp decides anyway, the powers are not worth their time.
      constexpr double negligible = 1e-8;
      const double grown =
          err < negligible ? 0 : std::pow(err, exponent) / std::pow(previous_error_, beta) / safety;
      const double factor = 1 / std::clamp(grown, 1 / most_factor, 1 / least_factor);
      const double wish = taken * (rejected ? std::min(factor, 1.0) : factor);
      // A step that was cut short says nothing against the one that was wanted.
      next_step_ = last && taken < h ? std::max(wish, h) : wish;
      accept(t_new, taken, err);
      return StepResult::Ok;
    }
    ++counts_.rejected;
    rejected = true;
    finite &= std::isfinite(err);
    if (taken <= least) return give_up(finite);
    const double shrunk = std::isfinite(err) ? safety * std::pow(err, -exponent) : 0.1;
    h = std::max(taken * std::clamp(shrunk, 0.1, safety), least);
  }
  return give_up(finite);
}

void ExplicitSolver::prepare_dense() const {
  const double h = end_ - begin_;
  for (int i = 0; i < dimension_; ++i) {
    double* c = &dense_[5 * static_cast<std::size_t>(i)];
    c[0] = x_[i];
    c[1] = x_new_[i] - x_[i];
    c[2] = h * k_[0][i] - c[1];
    c[3] = c[1] - h * k_[6][i] - c[2];
    c[4] = h * (d1 * k_[0][i] + d3 * k_[2][i] + d4 * k_[3][i] + d5 * k_[4][i] + d6 * k_[5][i] +
                d7 * k_[6][i]);
  }
  dense_ready_ = true;
}

double ExplicitSolver::interpolate(double t, int component) const {
  if (!(t < end_)) return x_new_[component];
  if (!(t > begin_)) return x_[component];
  if (!dense_ready_) prepare_dense();
  const double s = (t - begin_) / (end_ - begin_), r = 1 - s;
  const double* c = &dense_[5 * static_cast<std::size_t>(component)];
  return c[0] + s * (c[1] + r * (c[2] + s * (c[3] + r * c[4])));
}

void ExplicitSolver::interpolate(double t, std::span<double> x) const {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  for (int i = 0; i < dimension_; ++i) x[i] = interpolate(t, i);
}

std::unique_ptr<Solver> make_explicit(Rhs& rhs, int dimension, const Settings& settings) {
  return std::make_unique<ExplicitSolver>(rhs, dimension, settings);
}

}  // namespace cradle::solve
