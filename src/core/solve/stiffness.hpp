#pragma once
// Are steps long against the fastest motion, so that it has died away and only stability follows
// it? Where f tells its derivatives, their spectral radius says so at once; otherwise it has to be
// learnt from many steps that stability has kept short.

#include <span>
#include <vector>

#include "core/solve/solver.hpp"

namespace cradle::solve {

class Stiffness {
 public:
  enum class Verdict { Unknown, Mild, Stiff };
  // Of steps of this length at (t, x).
  Verdict judge(Rhs& rhs, double t, std::span<const double> x, double step, double tolerance);

 private:
  std::vector<double> entries_, v_, w_;
};

// By power iteration: an estimate of the spectral radius of a matrix; and the share of components
// that go with −radius, about: nearly all where the eigenvalues there are real and negative, some
// where they are not, whatever the units.
struct Spectrum {
  double radius = 0;
  double dying = 0;
};
Spectrum spectrum_of(const Pattern& pattern, std::span<const double> entries,
                     std::vector<double>& v, std::vector<double>& w);

}  // namespace cradle::solve
