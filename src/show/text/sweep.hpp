#pragma once
// The runs of a sweep as CSV, as JSON and as a table.

#include <string>

#include "cradle/sweep.hpp"

namespace cradle::text {

// run, parameters, measures, ending, why; one line for each run that was made, numbers with every
// digit.
std::string sweep_csv_head(const Sweep& sweep);
std::string sweep_csv_line(std::size_t index, const SweepRun& run);
// { format, model, names, measures, complete, runs, picture }, for pages (web/src/data/api.ts). A
// run that was given up is null, and so is a number that is none. `picture`: an SVG.
std::string sweep_json(const std::string& model, const Sweep& sweep, const std::string& picture);
// The first and last runs, and the least, mean and largest of each measure.
std::string sweep_table(const std::string& model, const Sweep& sweep);

}  // namespace cradle::text
