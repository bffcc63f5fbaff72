#pragma once
// Reads the notation that print.hpp writes. ASCII stands in for signs that are hard to type:
//
//   ≈ ~=    ≫ >>    ⊕ (+)    ▶ |>    ∥ ||    ⁻ ^-    ⁺ ^+    ′ '    ° ^o    ẋ der(x)
//   · *     ≤ <=    ≥ >=     ≠ !=    ∧ and   ∨ or    ¬ not   ∫ integral
//
//   mode F13: off, on             // the states of an automaton
//   let P: x⁺ = -x⁻, y′ = 0       // a name for relations; P in a predicate stands for them
//   X ≈ [x⁺ = -x⁻] ≫ (ẋ = 1) ▶ X  // // begins a comment
//
// The last letters .e .f .p .q .E of a name say what it is; any other name is a signal.

#include <stdexcept>
#include <string>

#include "cradle/diagnostic.hpp"
#include "theory/hypa/term.hpp"

namespace cradle::hypa {

// Adds to the diagnostics what cannot be read, with places in `file` of the sources. Names that the
// vocabulary knows already keep their meaning.
Specification parse(const std::string& text, int32_t file, Diagnostics& diagnostics,
                    Vocabulary known = {});

}  // namespace cradle::hypa
