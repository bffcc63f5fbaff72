#pragma once
// A run as the reports see it, besides its rows: what was asked, how it ended.

#include <optional>
#include <string>

#include "cradle/cradle.hpp"

namespace cradle::text {

struct RunResult {
  std::string model;            // its name
  std::optional<double> until;  // as asked for
  const Outcome& outcome;
  std::optional<EnergyAudit> audit;
  const Statistics& statistics;
};

}  // namespace cradle::text
