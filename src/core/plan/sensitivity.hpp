#pragma once
// Derivatives of the code of a mode by parameters.
//
// The numbers of a plan are bound, and much of a mode follows from them: rows of an island are what
// its elimination made of its moduli. So the code of a mode has no parameters left by which it
// could be derived. But a plan of the same model whose parameters are inputs writes all of this
// out, and its code is derived by inputs like any other.

#include <memory>
#include <vector>

#include "core/plan/mode_code.hpp"

namespace cradle::plan {

// Inputs have the names of parameters and begin with what is bound to them; other inputs of the
// model stay what they are. Parameters that decide what the model is stay numbers.
std::shared_ptr<const Plan> with_parameters_as_inputs(const Plan& plan);

// ∂ results/∂ inputs of a code: the entries that are not zero by structure. Truths that are frozen
// are held.
struct Sensitivity {
  struct Entry {
    int row;  // of the results
    ClockId input;
  };
  std::vector<Entry> entries;
  ModeCode code;  // whose results are these
};
Sensitivity sensitivity_of(const ModeCode& code);

}  // namespace cradle::plan
