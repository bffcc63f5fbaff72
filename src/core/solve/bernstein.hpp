#pragma once
// A polynomial on [0, 1] by its Bernstein coefficients (Farouki, The Bernstein polynomial basis: a
// centennial retrospective, 2012). Its values lie between the least and the largest of them, it has
// at most as many roots as they change sign, and an odd or even number accordingly.

#include <array>
#include <span>

namespace cradle::solve {

class Bernstein {
 public:
  static constexpr int most_degree = 7;

  // Σ power[k] u^k with u = 2 s − 1.
  static Bernstein of(std::span<const double> power);

  double operator()(double s) const;
  double first() const { return b_[0]; }
  double last() const { return b_[static_cast<std::size_t>(degree_)]; }
  double least() const;
  double largest() const;
  int sign_changes() const;
  // De Casteljau's scheme: the same on [0, 1/2] and [1/2, 1], each on [0, 1].
  void halve(Bernstein& left, Bernstein& right) const;
  // Where the coefficients change sign once.
  double root() const;
  Bernstein operator-() const;

 private:
  // Without initialisers: most uses end after a glance, and clearing would dominate.
  int degree_;
  std::array<double, most_degree + 1> b_;
};

}  // namespace cradle::solve
