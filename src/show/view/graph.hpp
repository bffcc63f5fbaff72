#pragma once
// The bond graph of a run: drawn in each mode that was visited, with efforts and flows.

#include <iosfwd>

#include "cradle/cradle.hpp"

namespace cradle::view {

// False: too large for anyone to find anything in it.
bool is_drawn(const Model& model);
void write_graph(const Model& model, const Simulation& run, std::ostream& out);

}  // namespace cradle::view
