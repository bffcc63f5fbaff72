#pragma once
// Do the impulses of a jump obey every relation that elements and junctions have across one? Where
// a source forces an impulse upon what admits none (an effort upon a C), no solution does, and
// whatever a factorisation made of it is no jump.

#include <span>

#include "core/engine/instant_evaluator.hpp"

namespace cradle::engine {

// `impulses`: by variable of the island, and at least one source has a weight. Throws RunFault.
void check_impulses(const Runtime& runtime, Slot& slot, InstantEvaluator& inside,
                    std::span<const double> impulses);

}  // namespace cradle::engine
