#include "theory/conform/rates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "theory/conform/quadrature.hpp"

namespace cradle::conform {
namespace {

// An integral by quadrature decides if its estimated error is a small part of it. Where the rate
// bends within the interval, fewer and more samples may agree by chance: of what the bend makes, so
// much is believed, and beyond so much of it nothing is.
constexpr double kTelling = 0.003;
constexpr double kStraight = 0.1;
constexpr double kBend = 0.1;
// Where it changes from bending one way to bending the other, they do agree: of how much the rate
// varies, so much may be hidden.
constexpr double kVary = 0.03;
// The ends of an interval alone tell nothing of what happened between them.
constexpr std::size_t kFewest = 4;

}  // namespace

// Rows may stand within rounding of each other, where curves turn; there is nothing between them.
void Rate::add(std::size_t row, double t, double x, double rate) {
  constexpr double kSame = 1e-11;
  largest_ = std::max(largest_, std::abs(x));
  if (!t_.empty() && t - t_.back() <= kSame * std::abs(t)) return;
  rows_.push_back(row);
  t_.push_back(t);
  x_.push_back(x);
  rate_.push_back(rate);
}

void Rate::finish(double tolerance, double floor,
                  const std::function<void(const Finding&)>& found) {
  const std::size_t n = t_.size();
  for (std::size_t i = 0; n >= kFewest && i + 1 < n; ++i) {
    const double h = t_[i + 1] - t_[i];
    const double size =
        std::abs(x_[i]) + std::abs(x_[i + 1]) + h * (std::abs(rate_[i]) + std::abs(rate_[i + 1]));
    double integral = 0;
    const double rounding = 64 * std::numeric_limits<double>::epsilon() * largest_;
    const Verdict verdict = judge(i, tolerance * size + floor + rounding, integral);
    if (verdict == Verdict::Undecided) continue;
    found({rows_[i], rows_[i + 1], verdict == Verdict::Holds, x_[i + 1] - x_[i], integral});
  }
  t_.clear();
  x_.clear();
  rate_.clear();
  rows_.clear();
}

// Samples that tell little decide nothing. Where a source steps at one end, without an instant of
// its own, what holds on the other side excuses the interval.
Rate::Verdict Rate::judge(std::size_t i, double bound, double& value) const {
  const double change = x_[i + 1] - x_[i];
  const double hidden = kVary * (t_[i + 1] - t_[i]) * std::abs(rate_[i + 1] - rate_[i]);
  Verdict verdict = Verdict::Undecided;
  for (Side side : {Side::Both, Side::UpTo, Side::From, Side::Before, Side::After}) {
    for (std::size_t around : {2, 1}) {
      const auto integral = integrate(t_, rate_, i, side, around);
      if (!integral) continue;
      const double size = std::abs(integral->value);
      if (integral->error > kTelling * size + bound) continue;
      if (integral->bend > kStraight * size + bound) continue;
      const double doubt = std::max({4 * integral->error, kBend * integral->bend, hidden});
      if (std::abs(change - integral->value) - doubt <= bound) return Verdict::Holds;
      const bool excuse = side == Side::Before || side == Side::After;
      if (excuse || verdict == Verdict::Violated) continue;
      value = integral->value;
      verdict = Verdict::Violated;
    }
  }
  return verdict;
}

}  // namespace cradle::conform
