#pragma once
// What rounding, and the solver's tolerance, can make of a jump: an impulse below that is none.

#include <span>
#include <vector>

#include "core/engine/runtime.hpp"
#include "core/plan/island.hpp"

namespace cradle::engine {

// What the states that a store reads have been worth in it.
double worth_of(const Runtime& runtime, const plan::Equation& equation);

// What rounding of all that is added up in each row makes of each impulse. A solution has no
// magnitudes that could be added up to a bound: in a long chain such a bound would know of no
// cancellation. So the right side is really changed, by as much as each term is worth, and up or
// down at random; the solution shows what comes of it. `magnitudes`: as Island::jump tells them.
void find_jump_noise(const Runtime& runtime, const plan::Island& island, std::span<const double> b,
                     std::span<const double> magnitudes, std::vector<double>& noise);

// What the relative tolerance of the solver makes of that of which rounding makes `noise`.
double tolerated(const Options& options, double noise);

}  // namespace cradle::engine
