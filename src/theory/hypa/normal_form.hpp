#pragma once
// Elimination of ∥. Constitutive processes synchronise: all re-initialise together, all flow
// together. So for X ≈ ⊕ᵢ [rᵢ] ≫ (fᵢ) ▶ X and Y ≈ ⊕ⱼ [sⱼ] ≫ (gⱼ) ▶ Y
//
//   X ∥ Y ≈ ⊕ᵢⱼ [rᵢ ∧ sⱼ] ≫ (fᵢ ∧ gⱼ) ▶ (X ∥ Y)
//
// Combinations that contradict themselves, or start in modes that cannot be reached, are dropped;
// one that another one allows already is merged with it ([r] ≫ x ⊕ [s] ≫ x ≈ [r ∨ s] ≫ x, and
// r ∨ s is r if s implies r). Why is kept.

#include <string>
#include <unordered_set>
#include <vector>

#include "theory/hypa/term.hpp"

namespace cradle::hypa {

struct NormalFormOptions {
  // Variables that are not wanted: those of bonds between junctions.
  std::unordered_set<int32_t> internal;  // VariableId::index
  // States of the continuous system, for the freedom that an alternative leaves.
  std::vector<VariableId> stored;
  // Variables without a process: what operators of events say.
  std::unordered_set<int32_t> given;
  // Where the automata start; empty: every mode is taken to be reachable.
  std::vector<std::pair<VariableId, std::size_t>> start;
  std::size_t max_alternatives = 4096;
};

struct Outcome {
  enum class Kind { Kept, Contradiction, Unreachable, Merged } kind;
  std::string what;    // "F13 off → on, F23 on"
  std::string reason;  // which relations, or into which alternative
  std::size_t count = 1;
};

// How much of the jump an alternative leaves open.
struct Freedom {
  int unknowns = 0;                 // stored quantities that may jump
  int free = 0;                     // of which this many are not determined
  std::vector<std::string> bounds;  // inequalities that hold them
};

struct NormalForm {
  std::string name;
  std::vector<Alternative> alternatives;
  std::vector<std::string> titles;  // the modes before and after, by alternative
  std::vector<Freedom> freedom;
  std::vector<Outcome> outcomes;  // what was dropped or merged, and why
  bool complete = true;           // false: max_alternatives was reached
  std::string problem;            // why there is none, if there is none
};

// The named processes of the specification, composed.
NormalForm normal_form(Specification& specification, const std::string& name,
                       const std::vector<std::string>& processes, const NormalFormOptions& options);

}  // namespace cradle::hypa
