#pragma once
// What holds across a jump, derived from what holds while time flows by integration over the jump:
// e becomes p′ = p⁺ − p⁻, f becomes q′ = q⁺ − q⁻.

#include <vector>

#include "language/elements/element.hpp"

namespace cradle::elements {

// The relation's integral over a jump, to be read with p′ for Effort and q′ for Flow.
//   Zero      Σ aᵢ·p′ᵢ + Σ bᵢ·q′ᵢ = 0
//   StateLaw  the law is finite while the stored quantity moves: … = 0
//   Source    the signal is finite, or its weight is given: Right::Source stands for the weight
//   PowerLaw  depends on the time that was abstracted away: neither p nor q moves
std::vector<Relation> jump(const Relation& flow);

}  // namespace cradle::elements
