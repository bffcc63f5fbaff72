#pragma once
// Continuous evolution behind one small interface. A solver takes accepted steps one at a time and
// offers dense output on the last one; restarts are cheap, because hybrid models restart often.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle::solve {

// Which entries of a square matrix may differ from zero, by columns. Rows ascend, and the diagonal
// is among them.
struct Pattern {
  std::vector<int> begins;  // of each column in rows, and where the last ends
  std::vector<int> rows;
  int columns() const { return static_cast<int>(begins.size()) - 1; }
};

// A motion as a Taylor series in the time since it began, counted in a unit in which it is not
// extreme.
struct Expansion {
  // What is left out of a series, against what it adds up to: rounding.
  static constexpr double resolution = 0x1p-52;
  int degree = 0;
  bool is_polynomial = false;  // nothing is left out, however far it goes
  double reach = HUGE_VAL;     // within which what drives it is as exact as that, in units
  int evaluations = 0;
};

// Of what drives a linear motion.
struct Reach {
  double units = HUGE_VAL;
  bool is_constant = false;
};

// ẋ = f(t, x). Must be a pure function of its arguments between two restarts.
class Rhs {
 public:
  virtual ~Rhs() = default;
  virtual void derivative(double t, std::span<const double> x, std::span<double> dxdt) = 0;
  // Where f is linear in x: the motion through x at t, up to this order. The coefficients of order
  // k stand in series[k·n …]. nullopt: it is not.
  virtual std::optional<Expansion> expand(double t, std::span<const double> x, double unit,
                                          int order, std::vector<double>& series) {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(unit), static_cast<void>(order);
    static_cast<void>(series);
    return std::nullopt;
  }
  // Where f is linear in x: how far from t what drives it is as exact as an expansion in so many
  // orders. nullopt: it is not linear.
  virtual std::optional<Reach> reach(double t, double unit, int order) {
    static_cast<void>(t), static_cast<void>(unit), static_cast<void>(order);
    return std::nullopt;
  }
  // A right side that keeps something between two calls (where an iteration begins) has to give the
  // same results when a solver goes back to its origin and does the same again.
  virtual void set_origin() {}
  virtual void return_to_origin() {}
  // ∂f/∂x, by its pattern, which is that of f since the last restart. Null: it is not known.
  virtual const Pattern* jacobian_pattern() { return nullptr; }
  virtual void jacobian(double, std::span<const double>, std::span<double>) {}
};

struct Settings {
  double relative_tolerance = 1e-9;
  double absolute_tolerance = 1e-15;
  double max_step = 0;  // 0: none
  // What the absolute tolerance of each component is multiplied by; empty: by 1.
  std::vector<double> scales = {};

  double scale_of(int component) const {
    return scales.empty() ? 1 : scales[static_cast<std::size_t>(component)];
  }
  double absolute_tolerance_of(int component) const {
    return absolute_tolerance * scale_of(component);
  }
  // What all components together are worth, each in its scale, up to 1: the absolute tolerance is
  // that much finer, so that a model in tiny units has as many digits as any.
  double size_of(std::span<const double> x, double before = smallest) const {
    for (std::size_t i = 0; i < x.size() && before < 1; ++i) {
      before = std::max(before, std::min(1.0, std::abs(x[i]) / scale_of(static_cast<int>(i))));
    }
    return before;
  }
  static constexpr double smallest = 1e-200;
  // Of the absolute tolerance. As long as all is zero nothing is known.
  static double share_of(double size) { return size > smallest ? size : 1; }
};

enum class StepResult {
  Ok,
  NotFinite,     // f or x is not finite and smaller steps do not help
  StepTooSmall,  // the tolerance cannot be met with steps above the resolution of t
  NotLinear,     // exact steps are asked for, and there are none
  Failed,        // anything else; see Solver::failure()
};

// All that decides how a solver goes on, and the step that it took last: a value. What a solver
// keeps beside it is scratch.
struct Motion {
  double begin = 0, end = 0;     // of the last step
  double next_step = 0;          // 0: to be estimated
  std::vector<double> x, x_new;  // at begin and end
  double size = 1;               // the largest since the last restart (Settings::size_of)
  // Exact steps, of linear motions: the series of the last one, as Rhs::expand gives it.
  bool may_be_exact = true;    // they have not been given up since the last restart
  bool exact = false;          // the last step was one
  bool is_polynomial = false;  // its series ends
  double unit = 1;             // of time in it: a power of two
  std::vector<double> series;
  bool collocated = false;  // its steps are long, because it is stiff (collocation.hpp)
  double shortest = 0;      // of these
  // Explicit steps.
  double previous_error = 0;                  // of the last accepted step, for PI control
  bool has_slope = false;                     // slopes[0] is the derivative at begin
  bool slope_moves = false;                   // the last slope is the first one of the next step
  int stiff_steps = 0, mild_steps = 0;        // mild: of collocation, until a longer step is tried
  std::array<std::vector<double>, 7> slopes;  // at the stages of the last step
  // Implicit steps. A multistep method goes on from its past: it is told again from the origin.
  bool implicit = false;
  bool has_been_stiff = false;         // at some time: it need not be learnt anew at each restart
  double explicit_step = 0;            // where implicit steps took over, for the next restart
  bool fresh = true;                   // no implicit step yet that has a past
  double origin = 0, origin_hint = 0;  // of explicit steps, too: the last restart
  std::vector<double> x_origin;
  std::vector<double> limits;  // of the steps since the origin, in order

  bool operator==(const Motion&) const = default;
};

class Solver {
 public:
  virtual ~Solver() = default;
  // Is a motion gone on with, or does a restart come before anything else is asked of it?
  enum class Past { Needed, Over };
  // Goes on from here, and keeps what it does in it, until it is given another. The right side is
  // that of the motion, unless its past is over.
  virtual void attach(Motion& motion, Past past = Past::Needed) = 0;
  // Begins anew at (t, x). `step_hint` > 0: a good first step, else one is estimated. Allocates
  // nothing when the dimension is as before.
  virtual void restart(double t, std::span<const double> x, double step_hint) = 0;
  // One accepted step from end() of the last one, ending at t_limit at most (exactly there if the
  // step would reach it). On Ok, dense output is valid on [begin(), end()].
  virtual StepResult step(double t_limit) = 0;
  virtual double begin() const = 0;
  virtual double end() const = 0;
  virtual std::span<const double> state() const = 0;  // at end()
  // State at t in [begin(), end()]; at end() it is exactly state(), at begin() exactly the state
  // the step started from.
  virtual void interpolate(double t, std::span<double> x) const = 0;
  // One component only, for guards.
  virtual double interpolate(double t, int component) const = 0;
  // The same as a polynomial in s = (t − begin())/unit. Each coefficient is right up to a few
  // roundings of its worth: of all that was added up to it.
  struct PowerSeries {
    static constexpr int most_degree = 24;
    // Without initialisers: most series are short.
    int degree;
    double unit;
    std::array<double, most_degree + 1> c, worth;
  };
  virtual void power_series(int component, PowerSeries& out) const = 0;
  virtual double next_step_hint() const = 0;
  virtual std::string failure() const { return {}; }

  struct Counts {
    int64_t steps = 0, rejected = 0, evaluations = 0;
  };
  virtual Counts counts() const = 0;
};

// Dormand and Prince 5(4) with 4th-order dense output (Hairer, Nørsett, Wanner, Solving ODEs I).
std::unique_ptr<Solver> make_explicit(Rhs& rhs, int dimension, const Settings& settings);
// CVODE, BDF, from SUNDIALS.
std::unique_ptr<Solver> make_stiff(Rhs& rhs, int dimension, const Settings& settings);
// Linear motions: Taylor series, to rounding, and where these are stiff collocation; nothing else.
std::unique_ptr<Solver> make_exact(Rhs& rhs, int dimension, const Settings& settings);
// Exact where it can be, otherwise explicit, until it looks stiff (for explicit steps by Hairer's
// test on h·|λ|); then implicit until the next restart: by collocation where it is linear and its
// derivatives are known, otherwise by BDF.
std::unique_ptr<Solver> make_automatic(Rhs& rhs, int dimension, const Settings& settings);
std::unique_ptr<Solver> make_solver(SolverKind kind, Rhs& rhs, int dimension,
                                    const Settings& settings);

}  // namespace cradle::solve
