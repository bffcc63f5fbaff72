#pragma once
// Elimination of ∥ part by part. Multiplied out, n switches that are independent of each other have
// the product of their alternatives. But ∥ is associative and commutative, so
//
//   X₁ ∥ … ∥ Xₙ  ≈  P₁ ∥ … ∥ Pₖ      with P₁ ≈ X₁ ∥ X₂, P₂ ≈ X₃ ∥ X₄ ∥ X₅, …
//
// and the text grows with the sum of what the parts have. A part is what switches together (an
// automaton and all whose alternatives its modes decide), or what never switches and shares
// variables (the elements and ordinary junctions of a cell). Parts that read nothing of each other
// are *apart*; those that are not apart are multiplied out as long as there are few combinations.

#include <string>
#include <vector>

#include "theory/hypa/normal_form.hpp"

namespace cradle::hypa {

struct NormalForms {
  std::string name;               // of what they are, together
  std::vector<NormalForm> parts;  // one: everything has been multiplied out
  // By part: the processes that it is made of.
  std::vector<std::vector<std::string>> made_of;
  // Some parts are not apart: together they would have more alternatives than were asked for.
  bool left_apart = false;
  std::string problem;  // why there are none, if there are none
};

// The named processes of the specification. Adds the parts to it in their place.
NormalForms normal_forms(Specification& specification, const std::string& name,
                         const std::vector<std::string>& processes,
                         const NormalFormOptions& options);

}  // namespace cradle::hypa
