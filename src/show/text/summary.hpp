#pragma once
// What a person wants to know after a run.

#include <string>

#include "show/text/run_result.hpp"

namespace cradle::text {

// How it ended, events, modes visited, solver steps, energy audit, where something remarkable
// happened, final values.
std::string summary(const RunResult& run);

// Its parts.
std::string audit_table(const EnergyAudit& audit);
std::string remarkable_instants(const Trajectory& trajectory);

}  // namespace cradle::text
