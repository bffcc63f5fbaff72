#pragma once
// Rates that are linear in the states, as a recurrence of Taylor coefficients:
//
//   ẋ = A x + u(t)      x_{k+1} = (A x_k + u_k) / (k + 1)
//
// A is constant while time flows, and u is made of polynomials of time, exp, sin, cos, sinh and
// cosh of what is linear in time, and their sums and products. Then the series converges
// everywhere, and what is left out of it is bounded: for the homogeneous part by the last
// coefficients, since all others follow from them; for u by a majorant, whose coefficients neither
// cancel nor skip (Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, I.8). Where
// A is nilpotent and u a polynomial, the series ends, and the motion is that polynomial.
//
// A series goes as far as its terms count within one unit of time, at most to the given order.
//
// It is read off the code of the rates, instruction by instruction: A is never written down, and a
// step costs the code once for each coefficient. Where an instruction does not fit there is none.

#include <optional>
#include <span>
#include <vector>

#include "core/plan/mode_code.hpp"
#include "core/solve/solver.hpp"

namespace cradle::plan {

class Recurrence {
 public:
  static constexpr int kMostOrder = solve::Solver::PowerSeries::most_degree;

  // `components`: of the states that the code loads, by the part of the instruction. `heat`: when
  // an order is computed by machine code.
  static std::optional<Recurrence> of(const ModeCode& rates, std::span<const int> components,
                                      Heat heat = Heat(Heat::When::Often));

  // `registers`: of the code, with its constants and what is frozen. As solve::Rhs::expand has it.
  solve::Expansion run(std::span<double> registers, double t, std::span<const double> x,
                       double unit, int order, std::vector<double>& series);
  // How far the expansion of what drives it goes, in units: as solve::Rhs::reach has it.
  solve::Reach reach(std::span<double> registers, double t, double unit, int order);
  std::size_t bytes() const;

 private:
  class Reader;

  // A function of time alone: its coefficients, and those of a majorant.
  struct Timed {
    enum class Kind { Time, Sum, Difference, Negative, Product, Divided, Choice, Function };
    Kind kind = Kind::Time;
    expr::Op op = expr::Op::Time;  // Function
    // Operands: places in timed_, or registers of constants as −1 − register.
    int32_t a = 0, b = 0, c = 0;
  };
  // One order of what is linear, on a row of registers. Factors, divisors and conditions are
  // constants, which do not change from row to row.
  struct Linear {
    enum class Kind : uint8_t { Add, Sub, Negate, Scale, ScaleAdd, Divide, Choose, Copy };
    Kind kind;
    int32_t target, a, b, c;
  };
  struct StateLoad {
    int32_t target, component;
  };
  struct TimedLoad {
    int32_t target, timed;
  };

  struct Coefficients {
    double c[kMostOrder + 1], majorant[kMostOrder + 1];
  };
  void expand_timed(std::span<const double> registers, double t, double unit, int order);
  void run_linear(std::span<const double> registers);
  machine::Recipe recipe() const;
  const machine::Program* program();
  double reach_of_roots(int order) const;
  bool is_negligible(const std::vector<double>& series, std::size_t n, int k) const;
  const Coefficients& operand(int32_t index, std::span<const double> registers,
                              Coefficients& constant) const;

  std::vector<Instruction> fixed_;  // made of constants and what is frozen
  std::vector<Timed> timed_;
  std::vector<Linear> linear_;
  std::vector<int> components_;
  std::vector<StateLoad> states_;
  std::vector<TimedLoad> roots_;  // what of timed_ is read by what is linear
  std::vector<int32_t> addends_;  // constants that are
  std::vector<int32_t> results_;
  int degree_ = 0;       // of u, if it is a polynomial
  bool entire_ = false;  // it is none
  Heat heat_{Heat::When::Never};
  std::shared_ptr<const Compiled> compiled_;  // of the code
  const machine::Program* program_ = nullptr;
  std::vector<double> row_;                 // of registers, and the unit and the order
  std::vector<Coefficients> coefficients_;  // by place in timed_
};

}  // namespace cradle::plan
