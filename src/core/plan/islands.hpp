#pragma once
// Which islands a mode has. Cells joined by active junctions hang together. Where that leaves an
// island strained so that only the parasitics of inactive junctions decide (island_strain.cpp), the
// cells beyond those junctions belong to it, too.

#include <functional>
#include <memory>
#include <vector>

#include "core/plan/island.hpp"

namespace cradle::plan {

using IsActive = std::function<bool(JunctionId)>;
using FindIsland = std::function<std::shared_ptr<const Island>(std::vector<CellId>)>;

// Adds to `units` those that active junctions join to them, and leaves them in ascending order.
void join_units(const Plan& plan, const IsActive& is_active, std::vector<UnitId>& units);

// The islands of these units, which are complete in the sense of join_units, in the order of
// units and their cells. Units that strain joins to them are added to the list.
std::vector<std::shared_ptr<const Island>> find_islands(const Plan& plan, const IsActive& is_active,
                                                        const FindIsland& find,
                                                        std::vector<UnitId>& units);

}  // namespace cradle::plan
