// CVODE's variable-order BDF (Hindmarsh et al., SUNDIALS, 2005) behind the Solver interface.
// Nothing of SUNDIALS is seen outside this file.

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/basics/assert.hpp"
#include "core/solve/sanity.hpp"
#include "core/solve/solver.hpp"

namespace cradle::solve {
namespace {

// Beyond this a dense Jacobian by difference quotients costs more than Krylov iterations.
constexpr int max_dense_dimension = 200;
constexpr int max_order = 5;
constexpr double shortest_begin = 1e-290;  // near t = 0, where an ulp is no measure

void require(int flag) { CRADLE_ASSERT(flag >= 0, "CVODE accepts its settings"); }

class StiffSolver final : public Solver {
 public:
  StiffSolver(Rhs& rhs, int dimension, const Settings& settings);
  ~StiffSolver() override;
  StiffSolver(const StiffSolver&) = delete;
  StiffSolver& operator=(const StiffSolver&) = delete;

  void restart(double t, std::span<const double> x, double step_hint) override;
  StepResult step(double t_limit) override;
  double begin() const override { return begin_; }
  double end() const override { return end_; }
  std::span<const double> state() const override { return state_; }
  void interpolate(double t, std::span<double> x) const override;
  double interpolate(double t, int component) const override;
  double next_step_hint() const override { return next_step_; }
  std::string failure() const override { return failure_; }
  Counts counts() const override;

 private:
  static int derivative(double t, N_Vector x, N_Vector dxdt, void* self);
  static void hear(int code, const char* module, const char* function, char* message, void* self);

  std::span<double> values(N_Vector vector) const {
    return {N_VGetArrayPointer(vector), static_cast<std::size_t>(dimension_)};
  }
  void add_past_counts();
  StepResult shortest_step(double t_limit);
  StepResult explain(int flag);
  void prepare_dense() const;

  Rhs& rhs_;
  const int dimension_;
  const Settings settings_;
  SUNContext context_ = nullptr;
  void* cvode_ = nullptr;
  N_Vector x_ = nullptr, scratch_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_solver_ = nullptr;

  double begin_ = 0, end_ = 0, next_step_ = 0;
  bool fresh_ = true;                  // no step since the restart
  bool not_finite_ = false;            // some derivative of this step
  StepResult ended_ = StepResult::Ok;  // what has failed stays so until the next restart
  std::vector<double> state_, begin_state_;
  std::string failure_;
  Counts past_;  // of the runs before the last restart; CVODE counts from there
  int64_t evaluations_ = 0;
  mutable bool dense_ready_ = false;
  mutable int dense_order_ = 0;
  mutable std::vector<double> dense_;  // max_order + 1 coefficients for each component
};

StiffSolver::StiffSolver(Rhs& rhs, int dimension, const Settings& settings)
    : rhs_(rhs), dimension_(dimension), settings_(sane(settings)) {
  state_.resize(dimension);
  begin_state_.resize(dimension);
  dense_.resize((max_order + 1) * static_cast<std::size_t>(dimension));
  require(SUNContext_Create(nullptr, &context_));
  x_ = N_VNew_Serial(dimension, context_);
  scratch_ = N_VNew_Serial(dimension, context_);
  cvode_ = CVodeCreate(CV_BDF, context_);
  CRADLE_ASSERT(x_ && scratch_ && cvode_, "memory for the stiff solver");
  N_VConst(0, x_);
  require(CVodeSetErrHandlerFn(cvode_, hear, this));
  require(CVodeInit(cvode_, derivative, 0, x_));
  require(CVodeSetUserData(cvode_, this));
  for (int i = 0; i < dimension; ++i) values(scratch_)[i] = settings_.absolute_tolerance_of(i);
  require(CVodeSVtolerances(cvode_, settings_.relative_tolerance, scratch_));
  require(CVodeSetMaxStep(cvode_, settings_.max_step));
  if (dimension <= max_dense_dimension) {
    matrix_ = SUNDenseMatrix(dimension, dimension, context_);
    linear_solver_ = SUNLinSol_Dense(x_, matrix_, context_);
  } else {
    linear_solver_ = SUNLinSol_SPGMR(x_, SUN_PREC_NONE, 0, context_);
  }
  CRADLE_ASSERT(linear_solver_, "memory for the stiff solver");
  require(CVodeSetLinearSolver(cvode_, linear_solver_, matrix_));
}

StiffSolver::~StiffSolver() {
  CVodeFree(&cvode_);
  SUNLinSolFree(linear_solver_);
  if (matrix_ != nullptr) SUNMatDestroy(matrix_);
  N_VDestroy(scratch_);
  N_VDestroy(x_);
  SUNContext_Free(&context_);
}

int StiffSolver::derivative(double t, N_Vector x, N_Vector dxdt, void* self) {
  auto& solver = *static_cast<StiffSolver*>(self);
  ++solver.evaluations_;
  solver.rhs_.derivative(t, solver.values(x), solver.values(dxdt));
  const bool finite = all_finite(solver.values(dxdt));
  solver.not_finite_ |= !finite;
  return finite ? 0 : 1;  // 1: try a smaller step
}

void StiffSolver::hear(int code, const char*, const char*, char* message, void* self) {
  if (code >= 0) return;  // warnings
  static_cast<StiffSolver*>(self)->failure_ = message;
}

void StiffSolver::add_past_counts() {
  long steps = 0, errors = 0;
  CVodeGetNumSteps(cvode_, &steps);
  CVodeGetNumErrTestFails(cvode_, &errors);
  past_.steps += steps;
  past_.rejected += errors;
}

void StiffSolver::restart(double t, std::span<const double> x, double step_hint) {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  add_past_counts();
  begin_ = end_ = t;
  std::copy(x.begin(), x.end(), state_.begin());
  begin_state_ = state_;
  std::copy(x.begin(), x.end(), values(x_).begin());
  require(CVodeReInit(cvode_, t, x_));
  next_step_ = std::isfinite(step_hint) && step_hint > 0 ? step_hint : 0;
  require(CVodeSetInitStep(cvode_, next_step_));
  fresh_ = true;
  ended_ = StepResult::Ok;
  dense_ready_ = false;
  failure_.clear();
}

StepResult StiffSolver::step(double t_limit) {
  if (ended_ != StepResult::Ok) return ended_;
  begin_ = end_;
  begin_state_ = state_;
  dense_ready_ = false;
  failure_.clear();
  not_finite_ = false;
  if (!(t_limit > begin_)) return StepResult::Ok;
  if (!all_finite(state_)) return ended_ = StepResult::NotFinite;
  // CVODE refuses to begin, or to stop, when the way to go is rounding.
  const double scale = std::max(std::abs(begin_), std::abs(t_limit));
  const double rounding =
      std::max(64 * std::numeric_limits<double>::epsilon() * scale, shortest_begin);
  if (fresh_ && t_limit - begin_ <= rounding) return shortest_step(t_limit);
  if (CVodeSetStopTime(cvode_, t_limit) < 0) return shortest_step(t_limit);
  double reached = begin_;
  const double horizon = std::isfinite(t_limit) ? t_limit : begin_ + 1;
  const int flag = CVode(cvode_, horizon, x_, &reached, CV_ONE_STEP);
  if (flag < 0) return ended_ = explain(flag);
  if (!(reached > begin_)) return ended_ = explain(CV_ERR_FAILURE);
  fresh_ = false;
  end_ = std::min(reached, t_limit);
  const auto x = values(x_);
  std::copy(x.begin(), x.end(), state_.begin());
  if (!all_finite(state_)) return ended_ = StepResult::NotFinite;
  CVodeGetCurrentStep(cvode_, &next_step_);
  return StepResult::Ok;
}

// Over a few ulps of time an Euler step is exact to rounding.
StepResult StiffSolver::shortest_step(double t_limit) {
  const auto slope = values(scratch_);
  ++evaluations_;
  ++past_.steps;
  rhs_.derivative(begin_, state_, slope);
  if (!all_finite(slope)) return ended_ = StepResult::NotFinite;
  for (int i = 0; i < dimension_; ++i) state_[i] += (t_limit - begin_) * slope[i];
  end_ = t_limit;
  failure_.clear();
  fresh_ = true;
  add_past_counts();
  std::copy(state_.begin(), state_.end(), values(x_).begin());
  require(CVodeReInit(cvode_, end_, x_));
  require(CVodeSetInitStep(cvode_, next_step_));
  return StepResult::Ok;
}

StepResult StiffSolver::explain(int flag) {
  if (failure_.empty()) {
    failure_ = fmt::format("no step from t = {} can be short enough", begin_);
  }
  if (not_finite_) return StepResult::NotFinite;
  switch (flag) {
    case CV_ERR_FAILURE:
    case CV_TOO_MUCH_ACC:
      return StepResult::StepTooSmall;
    default:
      return StepResult::Failed;
  }
}

// CVODE's own polynomial, as a Taylor series at end() in s = (t − end)/(end − begin), with a linear
// term added so that it starts from the state that the step started from: after a change of order
// or step size CVODE's polynomials of neighbouring steps differ there, within the tolerance, and
// guards need continuous functions.
void StiffSolver::prepare_dense() const {
  constexpr int stride = max_order + 1;
  const double h = end_ - begin_;
  dense_order_ = 0;
  CVodeGetLastOrder(cvode_, &dense_order_);
  dense_order_ = std::clamp(dense_order_, 1, max_order);
  double factor = 1;
  for (int k = 1; k <= dense_order_; ++k) {
    factor *= h / k;
    N_VConst(0, scratch_);
    if (!fresh_) CVodeGetDky(cvode_, end_, k, scratch_);  // else the step was an Euler step
    const auto terms = values(scratch_);
    for (int i = 0; i < dimension_; ++i) dense_[i * stride + k] = factor * terms[i];
  }
  for (int i = 0; i < dimension_; ++i) {
    double* c = &dense_[static_cast<std::size_t>(i) * stride];
    c[0] = state_[i];
    double at_begin = 0;
    for (int k = dense_order_; k >= 0; --k) at_begin = c[k] - at_begin;
    c[1] -= begin_state_[i] - at_begin;
  }
  dense_ready_ = true;
}

double StiffSolver::interpolate(double t, int component) const {
  if (!(t < end_)) return state_[component];
  if (!(t > begin_)) return begin_state_[component];
  if (!dense_ready_) prepare_dense();
  const double s = (t - end_) / (end_ - begin_);
  const double* c = &dense_[static_cast<std::size_t>(component) * (max_order + 1)];
  double sum = 0;
  for (int k = dense_order_; k >= 0; --k) sum = c[k] + s * sum;
  return sum;
}

void StiffSolver::interpolate(double t, std::span<double> x) const {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  for (int i = 0; i < dimension_; ++i) x[i] = interpolate(t, i);
}

Solver::Counts StiffSolver::counts() const {
  long steps = 0, errors = 0;
  CVodeGetNumSteps(cvode_, &steps);
  CVodeGetNumErrTestFails(cvode_, &errors);
  return {past_.steps + steps, past_.rejected + errors, evaluations_};
}

}  // namespace

std::unique_ptr<Solver> make_stiff(Rhs& rhs, int dimension, const Settings& settings) {
  // Without state there is nothing to be stiff.
  if (dimension == 0) return make_explicit(rhs, dimension, settings);
  return std::make_unique<StiffSolver>(rhs, dimension, settings);
}

}  // namespace cradle::solve
