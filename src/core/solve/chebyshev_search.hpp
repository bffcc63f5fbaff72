#pragma once
// The search for a change of truth by interpolation, for gaps that cannot be enclosed.

#include "core/solve/crossing.hpp"

namespace cradle::solve {

std::optional<double> change_by_sampling(Gap& gap, bool strict, bool truth_at_a, double a,
                                         double b);

}  // namespace cradle::solve
