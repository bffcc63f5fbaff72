#pragma once
// Piecewise continuity (semantics, section 7): what a solver sees at microstep 0 is the value just
// before an event, so an event that acts on an integral or on a bond graph must not be present
// there.

#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/model/model.hpp"

namespace cradle::plan {

// Impulses of integrals, and sources with an impulse, that are events and may be present at
// microstep 0: a warning each.
std::vector<Diagnostic> find_discontinuities(const model::Model& model);

}  // namespace cradle::plan
