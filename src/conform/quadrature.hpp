#pragma once
// Integrals of what is known at some times only.

#include <span>

namespace cradle::conform {

struct Integral {
  double value = 0;
  double error = 0;  // estimate: what fewer samples make of it
};

// Which samples may be used: where y leaps, those of one side only.
enum class Side { Both, Left, Right };

// ∫ from t[i] to t[i + 1] of the polynomial through samples near them: on both sides, up to t[i],
// or from t[i + 1] on.
Integral integrate(std::span<const double> t, std::span<const double> y, std::size_t i, Side side);

}  // namespace cradle::conform
