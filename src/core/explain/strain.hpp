#pragma once
// What ideal connections would have to carry without limit in a mode that is tried, in words.

#include <vector>

#include "core/engine/judge.hpp"
#include "cradle/explain.hpp"

namespace cradle::explain {

// Of one island, at the judge's present evaluation; empty if it is not strained. What hangs
// together by strained bonds is one strain.
std::vector<ExplainedStrain> strains_of(const engine::Runtime& runtime, engine::Judge& judge,
                                        engine::Slot& slot);

}  // namespace cradle::explain
