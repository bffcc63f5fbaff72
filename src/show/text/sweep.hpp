#pragma once
// The runs of a sweep as CSV and as a table.

#include <string>

#include "cradle/sweep.hpp"

namespace cradle::text {

// run, parameters, measures, ending, why; one line for each run that was made, numbers with every
// digit.
std::string sweep_csv_head(const Sweep& sweep);
std::string sweep_csv_line(std::size_t index, const SweepRun& run);
// The first and last runs, and the least, mean and largest of each measure.
std::string sweep_table(const std::string& model, const Sweep& sweep);

}  // namespace cradle::text
