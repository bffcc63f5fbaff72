// CVODE's variable-order BDF (Hindmarsh et al., SUNDIALS, 2005) behind the Solver interface.
// Nothing of SUNDIALS is seen outside this file.

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/basics/assert.hpp"
#include "core/linear/rank_revealing_lu.hpp"
#include "core/solve/sanity.hpp"
#include "core/solve/solver.hpp"

namespace cradle::solve {
namespace {

// Where f does not tell its derivatives: beyond this a dense Jacobian costs more than a sparse one
// that prepares Krylov iterations.
constexpr int max_dense_dimension = 200;
// Where it does: below this a dense factorisation is cheaper than a sparse one, and as long as one
// entry in so many differs from zero.
constexpr int min_sparse_dimension = 12;
constexpr int min_sparseness = 4;
// After an event the step that was good before can be too long by any factor: it is shortened until
// it fits, not a few times only.
constexpr int max_failures = 200;
constexpr int max_order = 5;
constexpr double shortest_begin = 1e-290;  // near t = 0, where an ulp is no measure

void require(int flag) { CRADLE_ASSERT(flag >= 0, "CVODE accepts its settings"); }

class StiffSolver final : public Solver {
 public:
  StiffSolver(Rhs& rhs, int dimension, const Settings& settings);
  ~StiffSolver() override;
  StiffSolver(const StiffSolver&) = delete;
  StiffSolver& operator=(const StiffSolver&) = delete;

  void attach(Motion& motion, Past past = Past::Needed) override;
  void restart(double t, std::span<const double> x, double step_hint) override;
  StepResult step(double t_limit) override;
  double begin() const override { return m_->begin; }
  double end() const override { return m_->end; }
  std::span<const double> state() const override { return m_->x_new; }
  void interpolate(double t, std::span<double> x) const override;
  double interpolate(double t, int component) const override;
  void power_series(int component, PowerSeries& out) const override;
  double next_step_hint() const override { return m_->next_step; }
  std::string failure() const override { return failure_; }
  Counts counts() const override;

 private:
  static int derivative(double t, N_Vector x, N_Vector dxdt, void* self);
  static int weigh(N_Vector x, N_Vector weights, void* self);
  void find_rounding();
  static int fill(double t, N_Vector x, N_Vector dxdt, SUNMatrix matrix, void* self, N_Vector,
                  N_Vector, N_Vector);
  static int prepare(double t, N_Vector x, N_Vector dxdt, int still_good, int* renewed,
                     double gamma, void* self);
  static int precondition(double t, N_Vector x, N_Vector dxdt, N_Vector right, N_Vector out,
                          double gamma, double tolerance, int side, void* self);
  static void hear(int code, const char* module, const char* function, char* message, void* self);

  std::span<double> values(N_Vector vector) const {
    return {N_VGetArrayPointer(vector), static_cast<std::size_t>(dimension_)};
  }
  enum class Linear {
    None,        // to be chosen
    Sparse,      // ∂f/∂x as f tells it, factored by KLU
    Dense,       // the same, densely
    Quotients,   // dense, by difference quotients
    Iterations,  // Krylov's, prepared by sparse difference quotients
  };
  void choose_linear_solver();
  Linear best_linear_solver() const;
  void make_linear_solver();
  void free_linear_solver();
  bool complete(double t, std::span<const double> x, std::span<const double> dxdt);
  void differentiate(double t, std::span<const double> x, std::span<const double> dxdt);
  void find_pattern(double t, std::span<const double> x, std::span<const double> dxdt);
  void find_colours();
  double increment(double x, std::size_t component) const;
  void begin_at_origin();
  void tell_again();
  StepResult step_on(double t_limit);
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

  Linear linear_ = Linear::None;
  bool chosen_ = false;               // since the last origin
  const Pattern* told_ = nullptr;     // of ∂f/∂x, by f
  std::vector<double> told_entries_;  // the same, by its pattern

  // Of a large system, ∂f/∂x by difference quotients, as sparse as it was when it was first looked
  // at. Columns of one colour have no row in common, and are found with one derivative. It only
  // prepares the iterations: what it leaves out makes them longer, not wrong.
  std::vector<std::vector<int>> pattern_;  // by column: rows
  std::vector<std::vector<int>> colours_;  // columns
  std::vector<linear::Triplet> jacobian_, system_;
  linear::RankRevealingLu lu_;
  std::vector<double> moved_, slope_, other_slope_;
  std::vector<uint8_t> is_rounding_;  // by component: its derivative at the origin

  Motion own_;
  Motion* m_ = &own_;
  bool not_finite_ = false;            // some derivative of this step
  StepResult ended_ = StepResult::Ok;  // what has failed stays so, unless for a nearer limit
  double failed_at_ = 0;               // that limit
  std::string failure_;
  Counts past_;  // of the runs before the last restart; CVODE counts from there
  int64_t evaluations_ = 0;
  mutable bool dense_ready_ = false;
  mutable int dense_order_ = 0;
  mutable std::vector<double> dense_;  // max_order + 1 coefficients for each component
};

StiffSolver::StiffSolver(Rhs& rhs, int dimension, const Settings& settings)
    : rhs_(rhs), dimension_(dimension), settings_(sane(settings)) {
  dense_.resize((max_order + 1) * static_cast<std::size_t>(dimension));
  is_rounding_.resize(static_cast<std::size_t>(dimension));
  require(SUNContext_Create(nullptr, &context_));
  x_ = N_VNew_Serial(dimension, context_);
  scratch_ = N_VNew_Serial(dimension, context_);
  cvode_ = CVodeCreate(CV_BDF, context_);
  CRADLE_ASSERT(x_ && scratch_ && cvode_, "memory for the stiff solver");
  N_VConst(0, x_);
  require(CVodeSetErrHandlerFn(cvode_, hear, this));
  require(CVodeInit(cvode_, derivative, 0, x_));
  require(CVodeSetUserData(cvode_, this));
  require(CVodeWFtolerances(cvode_, weigh));
  require(CVodeSetMaxStep(cvode_, settings_.max_step));
  require(CVodeSetMaxErrTestFails(cvode_, max_failures));
  require(CVodeSetMaxConvFails(cvode_, max_failures));
  attach(own_);
}

StiffSolver::~StiffSolver() {
  CVodeFree(&cvode_);
  free_linear_solver();
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

// One over what may be wrong in each component. Its size is remembered since the origin, from which
// steps that are told again are told from.
int StiffSolver::weigh(N_Vector x, N_Vector weights, void* self) {
  auto& solver = *static_cast<StiffSolver*>(self);
  const Settings& settings = solver.settings_;
  const std::span<const double> at = solver.values(x);
  double& size = solver.m_->size;
  size = settings.size_of(at, size);
  const double common = Settings::share_of(size);
  for (int i = 0; i < solver.dimension_; ++i) {
    const double share = solver.is_rounding_[static_cast<std::size_t>(i)] ? 1 : common;
    const double tolerated =
        settings.relative_tolerance * std::abs(at[i]) + settings.absolute_tolerance_of(i) * share;
    solver.values(weights)[i] = 1 / tolerated;
  }
  return 0;
}

// Where x begins tiny, some derivatives may be the rounding of what is not, as those of a capacitor
// behind diodes that leak. Their digits are not worth steps: the absolute tolerance is for them as
// it was asked for. They are known by this, that a change of rounding changes them.
void StiffSolver::find_rounding() {
  std::fill(is_rounding_.begin(), is_rounding_.end(), 0);
  if (m_->size >= 1) return;
  constexpr double ulps = 4 * std::numeric_limits<double>::epsilon();
  moved_ = m_->x_new;
  slope_.resize(moved_.size());
  other_slope_.resize(moved_.size());
  rhs_.derivative(m_->begin, moved_, slope_);
  for (double& x : moved_) x *= 1 + ulps;
  rhs_.derivative(m_->begin * (1 + ulps), moved_, other_slope_);
  evaluations_ += 2;
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const double change = std::abs(other_slope_[i] - slope_[i]);
    const bool is_known = change <= settings_.relative_tolerance * std::abs(slope_[i]);
    is_rounding_[i] = is_known ? 0 : 1;
  }
}

void StiffSolver::free_linear_solver() {
  if (linear_solver_ != nullptr) SUNLinSolFree(linear_solver_);
  if (matrix_ != nullptr) SUNMatDestroy(matrix_);
  linear_solver_ = nullptr;
  matrix_ = nullptr;
}

StiffSolver::Linear StiffSolver::best_linear_solver() const {
  if (told_ == nullptr) {
    return dimension_ <= max_dense_dimension ? Linear::Quotients : Linear::Iterations;
  }
  const auto n = static_cast<std::size_t>(dimension_);
  const bool sparse = n >= min_sparse_dimension && told_->rows.size() < n * n / min_sparseness;
  return sparse || dimension_ > max_dense_dimension ? Linear::Sparse : Linear::Dense;
}

// Before the first step from an origin: only then f is ready to say what it knows. A factorisation
// keeps its pivots; those of another origin must not decide how steps go from this one, for they
// are not known where the run is taken up again.
void StiffSolver::choose_linear_solver() {
  chosen_ = true;
  const Pattern* before = told_;
  told_ = rhs_.jacobian_pattern();
  CRADLE_ASSERT(told_ == nullptr || told_->columns() == dimension_, "a column for each component");
  const Linear best = best_linear_solver();
  if (best != linear_ || (best == Linear::Sparse && before != told_)) {
    free_linear_solver();
    linear_ = best;
    make_linear_solver();
  } else if (linear_ == Linear::Sparse) {
    require(SUNLinSol_KLUReInit(linear_solver_, matrix_, std::ssize(told_->rows),
                                SUNKLU_REINIT_PARTIAL));
  }
  told_entries_.resize(told_ == nullptr ? 0 : told_->rows.size());
}

void StiffSolver::make_linear_solver() {
  constexpr int approximate_minimum_degree = 0;
  switch (linear_) {
    case Linear::Sparse:
      matrix_ = SUNSparseMatrix(dimension_, dimension_, std::ssize(told_->rows), CSC_MAT, context_);
      linear_solver_ = SUNLinSol_KLU(x_, matrix_, context_);
      require(SUNLinSol_KLUSetOrdering(linear_solver_, approximate_minimum_degree));
      break;
    case Linear::Iterations:
      linear_solver_ = SUNLinSol_SPGMR(x_, SUN_PREC_LEFT, 0, context_);
      break;
    default:
      matrix_ = SUNDenseMatrix(dimension_, dimension_, context_);
      linear_solver_ = SUNLinSol_Dense(x_, matrix_, context_);
  }
  CRADLE_ASSERT(linear_solver_, "memory for the stiff solver");
  require(CVodeSetLinearSolver(cvode_, linear_solver_, matrix_));
  if (linear_ == Linear::Iterations) require(CVodeSetPreconditioner(cvode_, prepare, precondition));
  if (told_ != nullptr) require(CVodeSetJacFn(cvode_, fill));
}

// A derivative that is not finite, as that of a root at zero, is a difference quotient instead.
bool StiffSolver::complete(double t, std::span<const double> x, std::span<const double> dxdt) {
  for (std::size_t column = 0; column < x.size(); ++column) {
    const auto begin = static_cast<std::size_t>(told_->begins[column]);
    const auto count = static_cast<std::size_t>(told_->begins[column + 1]) - begin;
    const std::span<double> entries = std::span(told_entries_).subspan(begin, count);
    if (all_finite(entries)) continue;
    moved_.assign(x.begin(), x.end());
    slope_.resize(x.size());
    moved_[column] += increment(x[column], column);
    ++evaluations_;
    rhs_.derivative(t, moved_, slope_);
    const double by = moved_[column] - x[column];
    for (std::size_t k = 0; k < count; ++k) {
      const int row = told_->rows[begin + k];
      entries[k] = (slope_[row] - dxdt[row]) / by;
    }
    if (!all_finite(entries)) return false;
  }
  return true;
}

int StiffSolver::fill(double t, N_Vector x, N_Vector dxdt, SUNMatrix matrix, void* self, N_Vector,
                      N_Vector, N_Vector) {
  auto& solver = *static_cast<StiffSolver*>(self);
  const Pattern& pattern = *solver.told_;
  std::vector<double>& entries = solver.told_entries_;
  solver.rhs_.jacobian(t, solver.values(x), entries);
  const bool finite = all_finite(entries);
  if (!finite && !solver.complete(t, solver.values(x), solver.values(dxdt))) return 1;
  if (solver.linear_ == Linear::Sparse) {
    std::copy(pattern.begins.begin(), pattern.begins.end(), SUNSparseMatrix_IndexPointers(matrix));
    std::copy(pattern.rows.begin(), pattern.rows.end(), SUNSparseMatrix_IndexValues(matrix));
    std::copy(entries.begin(), entries.end(), SUNSparseMatrix_Data(matrix));
    return 0;
  }
  for (int column = 0; column < solver.dimension_; ++column) {
    for (int k = pattern.begins[column]; k < pattern.begins[column + 1]; ++k) {
      SM_ELEMENT_D(matrix, pattern.rows[k], column) = entries[k];
    }
  }
  return 0;
}

double StiffSolver::increment(double x, std::size_t component) const {
  const double least =
      settings_.absolute_tolerance_of(static_cast<int>(component)) * m_->size * 1e3;
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  return std::max(root * std::abs(x), std::max(least, 1e-300));
}

void StiffSolver::find_pattern(double t, std::span<const double> x, std::span<const double> dxdt) {
  const auto n = static_cast<std::size_t>(dimension_);
  pattern_.assign(n, {});
  for (std::size_t column = 0; column < n; ++column) {
    moved_.assign(x.begin(), x.end());
    moved_[column] += increment(x[column], column);
    ++evaluations_;
    rhs_.derivative(t, moved_, slope_);
    for (std::size_t row = 0; row < n; ++row) {
      if (slope_[row] != dxdt[row] || row == column) {
        pattern_[column].push_back(static_cast<int>(row));
      }
    }
  }
  find_colours();
}

// Greedy: each column gets the first colour that has none of its rows.
void StiffSolver::find_colours() {
  const auto n = static_cast<std::size_t>(dimension_);
  colours_.clear();
  std::vector<std::vector<int>> columns_of_row(n);
  std::vector<int> colour(n, -1);
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<char> taken(colours_.size(), 0);
    for (int row : pattern_[column]) {
      for (int other : columns_of_row[static_cast<std::size_t>(row)]) {
        taken[static_cast<std::size_t>(colour[static_cast<std::size_t>(other)])] = 1;
      }
    }
    const auto free = std::find(taken.begin(), taken.end(), 0) - taken.begin();
    if (free == std::ssize(colours_)) colours_.emplace_back();
    colour[column] = static_cast<int>(free);
    colours_[static_cast<std::size_t>(free)].push_back(static_cast<int>(column));
    for (int row : pattern_[column]) {
      columns_of_row[static_cast<std::size_t>(row)].push_back(static_cast<int>(column));
    }
  }
}

void StiffSolver::differentiate(double t, std::span<const double> x, std::span<const double> dxdt) {
  moved_.resize(x.size());
  slope_.resize(x.size());
  if (pattern_.empty()) find_pattern(t, x, dxdt);
  jacobian_.clear();
  for (const std::vector<int>& columns : colours_) {
    moved_.assign(x.begin(), x.end());
    for (int column : columns) moved_[column] += increment(x[column], column);
    ++evaluations_;
    rhs_.derivative(t, moved_, slope_);
    for (int column : columns) {
      const double by = moved_[column] - x[column];
      for (int row : pattern_[column]) {
        jacobian_.push_back({row, column, (slope_[row] - dxdt[row]) / by});
      }
    }
  }
}

// I − γ ∂f/∂x, factored.
int StiffSolver::prepare(double t, N_Vector x, N_Vector dxdt, int still_good, int* renewed,
                         double gamma, void* self) {
  auto& solver = *static_cast<StiffSolver*>(self);
  *renewed = still_good ? 0 : 1;
  if (!still_good) solver.differentiate(t, solver.values(x), solver.values(dxdt));
  solver.system_.clear();
  for (int i = 0; i < solver.dimension_; ++i) solver.system_.push_back({i, i, 1});
  for (const linear::Triplet& entry : solver.jacobian_) {
    if (!std::isfinite(entry.value)) return 1;
    solver.system_.push_back({entry.row, entry.column, -gamma * entry.value});
  }
  solver.lu_.factor(solver.dimension_, solver.system_);
  return solver.lu_.deficiency() == 0 ? 0 : 1;
}

int StiffSolver::precondition(double, N_Vector, N_Vector, N_Vector right, N_Vector out, double,
                              double, int, void* self) {
  const auto& solver = *static_cast<StiffSolver*>(self);
  solver.lu_.solve(solver.values(right), solver.values(out));
  return 0;
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

void StiffSolver::attach(Motion& motion, Past past) {
  const auto n = static_cast<std::size_t>(dimension_);
  m_ = &motion;
  dense_ready_ = false;
  ended_ = StepResult::Ok;
  failure_.clear();
  for (auto* vector : {&motion.x, &motion.x_new, &motion.x_origin}) vector->resize(n);
  if (motion.implicit && past == Past::Needed) tell_again();
}

void StiffSolver::begin_at_origin() {
  add_past_counts();
  std::copy(m_->x_origin.begin(), m_->x_origin.end(), values(x_).begin());
  require(CVodeReInit(cvode_, m_->origin, x_));
  require(CVodeSetInitStep(cvode_, m_->origin_hint));
  m_->begin = m_->end = m_->origin;
  m_->x = m_->x_new = m_->x_origin;
  m_->size = settings_.size_of(m_->x_origin);
  m_->next_step = m_->origin_hint;
  m_->fresh = true;
  dense_ready_ = false;
  pattern_.clear();  // so that steps that are taken again are the same
  chosen_ = false;
}

void StiffSolver::restart(double t, std::span<const double> x, double step_hint) {
  CRADLE_ASSERT(std::ssize(x) == dimension_, "the state keeps its dimension");
  m_->implicit = true;
  m_->origin = t;
  // A step that was right near the start of time may be rounding here, and CVODE cannot begin with
  // it.
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * std::abs(t);
  m_->origin_hint = std::isfinite(step_hint) && step_hint > rounding ? step_hint : 0;
  std::copy(x.begin(), x.end(), m_->x_origin.begin());
  m_->limits.clear();
  rhs_.set_origin();
  begin_at_origin();
  ended_ = StepResult::Ok;
  failure_.clear();
}

// The past of CVODE is not to be had: what led here from the origin is done once more.
void StiffSolver::tell_again() {
  const Counts counted = counts();
  const Motion wanted = *m_;
  rhs_.return_to_origin();
  begin_at_origin();
  for (const double limit : wanted.limits) step_on(limit);
  CRADLE_ASSERT(m_->end == wanted.end && m_->x_new == wanted.x_new,
                "steps that are taken again lead to the same place");
  const Counts more = counts();
  past_.steps -= more.steps - counted.steps;
  past_.rejected -= more.rejected - counted.rejected;
  evaluations_ = counted.evaluations;
}

StepResult StiffSolver::step(double t_limit) {
  if (ended_ != StepResult::Ok) {
    if (!(t_limit < failed_at_)) return ended_;
    // What fails beyond a nearer limit may do well up to there.
    ended_ = StepResult::Ok;
    tell_again();
  }
  // So that there is never much to be told again.
  constexpr std::size_t most_steps = 1000;
  if (m_->limits.size() >= most_steps) {
    const std::vector<double> x = m_->x_new;
    restart(m_->end, x, m_->next_step);
  }
  const StepResult result = step_on(t_limit);
  failed_at_ = t_limit;
  if (result != StepResult::Ok) m_->end = m_->begin;
  if (m_->end > m_->begin) m_->limits.push_back(t_limit);
  return result;
}

StepResult StiffSolver::step_on(double t_limit) {
  m_->begin = m_->end;
  m_->x = m_->x_new;
  dense_ready_ = false;
  failure_.clear();
  not_finite_ = false;
  if (!(t_limit > m_->begin)) return StepResult::Ok;
  if (!all_finite(m_->x_new)) return ended_ = StepResult::NotFinite;
  // CVODE refuses to begin, or to stop, when the way to go is rounding.
  const double scale =
      std::max(std::abs(m_->begin), std::isfinite(t_limit) ? std::abs(t_limit) : 0.0);
  const double rounding =
      std::max(64 * std::numeric_limits<double>::epsilon() * scale, shortest_begin);
  if (m_->fresh && t_limit - m_->begin <= rounding) return shortest_step(t_limit);
  if (CVodeSetStopTime(cvode_, t_limit) < 0) return shortest_step(t_limit);
  if (!chosen_) {
    find_rounding();
    choose_linear_solver();
  }
  double reached = m_->begin;
  const double horizon = std::isfinite(t_limit) ? t_limit : m_->begin + 1;
  const int flag = CVode(cvode_, horizon, x_, &reached, CV_ONE_STEP);
  if (flag < 0) return ended_ = explain(flag);
  if (!(reached > m_->begin)) {
    // The first step that CVODE estimates for what is charged from zero can be below an ulp of t.
    if (m_->fresh) return shortest_step(m_->begin + rounding);
    return ended_ = explain(CV_ERR_FAILURE);
  }
  m_->fresh = false;
  m_->end = std::min(reached, t_limit);
  const auto x = values(x_);
  std::copy(x.begin(), x.end(), m_->x_new.begin());
  if (!all_finite(m_->x_new)) return ended_ = StepResult::NotFinite;
  CVodeGetCurrentStep(cvode_, &m_->next_step);
  return StepResult::Ok;
}

// Over a few ulps of time an Euler step is exact to rounding.
StepResult StiffSolver::shortest_step(double t_limit) {
  const auto slope = values(scratch_);
  ++evaluations_;
  ++past_.steps;
  rhs_.derivative(m_->begin, m_->x_new, slope);
  if (!all_finite(slope)) return ended_ = StepResult::NotFinite;
  for (int i = 0; i < dimension_; ++i) m_->x_new[i] += (t_limit - m_->begin) * slope[i];
  m_->end = t_limit;
  failure_.clear();
  m_->fresh = true;
  add_past_counts();
  std::copy(m_->x_new.begin(), m_->x_new.end(), values(x_).begin());
  require(CVodeReInit(cvode_, m_->end, x_));
  require(CVodeSetInitStep(cvode_, m_->next_step));
  return StepResult::Ok;
}

StepResult StiffSolver::explain(int flag) {
  if (failure_.empty()) {
    failure_ = fmt::format("no step from t = {} can be short enough", m_->begin);
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
  const double h = m_->end - m_->begin;
  dense_order_ = 0;
  CVodeGetLastOrder(cvode_, &dense_order_);
  dense_order_ = std::clamp(dense_order_, 1, max_order);
  double factor = 1;
  for (int k = 1; k <= dense_order_; ++k) {
    factor *= h / k;
    N_VConst(0, scratch_);
    if (!m_->fresh) CVodeGetDky(cvode_, m_->end, k, scratch_);  // else the step was an Euler step
    const auto terms = values(scratch_);
    for (int i = 0; i < dimension_; ++i) dense_[i * stride + k] = factor * terms[i];
  }
  for (int i = 0; i < dimension_; ++i) {
    double* c = &dense_[static_cast<std::size_t>(i) * stride];
    c[0] = m_->x_new[i];
    double at_begin = 0;
    for (int k = dense_order_; k >= 0; --k) at_begin = c[k] - at_begin;
    c[1] -= m_->x[i] - at_begin;
  }
  dense_ready_ = true;
}

double StiffSolver::interpolate(double t, int component) const {
  if (!(t < m_->end)) return m_->x_new[component];
  if (!(t > m_->begin)) return m_->x[component];
  if (!dense_ready_) prepare_dense();
  const double s = (t - m_->end) / (m_->end - m_->begin);
  const double* c = &dense_[static_cast<std::size_t>(component) * (max_order + 1)];
  double sum = 0;
  for (int k = dense_order_; k >= 0; --k) sum = c[k] + s * sum;
  return sum;
}

// From s − 1, as it is kept, to s.
void StiffSolver::power_series(int component, PowerSeries& out) const {
  if (!dense_ready_) prepare_dense();
  const double* c = &dense_[static_cast<std::size_t>(component) * (max_order + 1)];
  out.degree = dense_order_;
  out.unit = m_->end - m_->begin;
  for (int k = 0; k <= dense_order_; ++k) {
    out.c[static_cast<std::size_t>(k)] = c[k];
    out.worth[static_cast<std::size_t>(k)] = std::abs(c[k]);
  }
  for (int k = 0; k < dense_order_; ++k) {
    for (int j = dense_order_ - 1; j >= k; --j) {
      const auto i = static_cast<std::size_t>(j);
      out.c[i] -= out.c[i + 1];
      out.worth[i] += out.worth[i + 1];
    }
  }
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
