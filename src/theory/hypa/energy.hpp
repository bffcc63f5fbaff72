#pragma once
// Energy across a jump: ∫ law(x) dx from x⁻ to x⁺, in closed form where the law is polynomial or
// piecewise polynomial (if, abs, min, max, sign with borders that are linear in x), otherwise as
// an integral.

#include "theory/hypa/vocabulary.hpp"

namespace cradle::hypa {

// The law is over Local(0); `from` and `to` are not.
ExprId energy_integral(Vocabulary& v, ExprId law, ExprId from, ExprId to);

}  // namespace cradle::hypa
