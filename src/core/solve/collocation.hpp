#pragma once
// Long steps of linear motions that are stiff: Radau's collocation with twelve points (Hairer and
// Wanner, Solving Ordinary Differential Equations II, IV.5). The motion is a polynomial that obeys
//
//   ẋ = A x + u(t)     at the points c_i of a step of length h, of which the last is its end
//
// What has died away is damped as it should be, so that a step is as long as what still moves is a
// polynomial. With Z = x(c_i) − x(0) as rows, f_i = A x(0) + u(c_i), and the derivatives D of the
// polynomials that are 1 at one point and 0 at the others and at the beginning:
//
//   D Z − h Z Aᵀ = h f,     D = Q T Qᵀ     (real Schur form; all blocks of T are 2 by 2)
//
// Each block is one complex system (μ − h A) w = r. They are factored once for each length of a
// step, and kept. D is so well conditioned that little more than rounding comes of it.

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/solve/solver.hpp"

namespace cradle::solve {

class Collocation {
 public:
  static constexpr int points = 12;

  explicit Collocation(int dimension);
  ~Collocation();
  Collocation(const Collocation&) = delete;
  Collocation& operator=(const Collocation&) = delete;

  // The place of a point in a step from 0 to 1.
  static double point(int i);

  // A, by its pattern, which outlives its use. What has been factored is kept if it is as before.
  void set_matrix(const Pattern& pattern, std::span<const double> entries);

  // `rows`: f at the points, n numbers each; then Z. False: it cannot be solved.
  bool solve(double h, std::vector<double>& rows);

  // Of Z, for one component: the polynomial in Legendre's form, on a step from 0 to 1, and in
  // powers.
  struct Polynomial {
    double legendre[points + 1];
    double power[points + 1];
  };
  // Terms that are rounding of `size` count as none.
  void fit(const std::vector<double>& rows, int component, double size, Polynomial& out) const;

 private:
  class System;  // μ − h A, factored
  struct Factors {
    double h = 0;
    int64_t used = 0;
    std::size_t bytes = 0;
    std::vector<std::unique_ptr<System>> systems;  // by block
  };
  const Factors* factors_for(double h);
  void forget_beyond(std::size_t most);

  const int dimension_;
  const Pattern* pattern_ = nullptr;
  std::vector<int> begins_, rows_;  // a copy: whether the pattern is as before
  std::vector<double> entries_;
  std::vector<Factors> kept_;
  int64_t uses_ = 0;
  std::vector<double> turned_;  // Qᵀ h f, then Qᵀ Z
  std::vector<std::complex<double>> w_;
};

}  // namespace cradle::solve
