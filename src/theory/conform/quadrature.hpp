#pragma once
// Integrals of what is known at some times only.

#include <optional>
#include <span>

namespace cradle::conform {

struct Integral {
  double value = 0;
  double error = 0;  // estimate: what fewer samples make of it
  double bend = 0;   // how far it is from what the ends alone would make of it
};

// Which samples may be used, for the interval from t[i] to t[i + 1]: where y leaps, those of one
// side only.
enum class Side {
  Both,    // on both sides
  UpTo,    // up to t[i + 1]
  From,    // from t[i] on
  Before,  // up to t[i]
  After,   // from t[i + 1] on
};

// ∫ from t[i] to t[i + 1] of the polynomial through the ends and, where they may be used, `around`
// (1 or 2) more samples at each side; none if there are fewer than two to be used.
std::optional<Integral> integrate(std::span<const double> t, std::span<const double> y,
                                  std::size_t i, Side side, std::size_t around);

}  // namespace cradle::conform
