#pragma once
// Runs and instants as JSON. Numbers read back as the same doubles; those that JSON cannot write
// are the strings "inf", "-inf" and "nan". An absent value is null.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "show/text/run_result.hpp"

namespace cradle::text {

// [{"t", "eps", "step", "kind", "modes": {…}, "values": {…}, "impulses": {…}}, …]
void write_instants_json(const Trajectory& trajectory, const std::vector<std::size_t>& rows,
                         std::ostream& out);

// {"model", "until", "outcome", "columns", "rows", "audit", "statistics", "diagnostics"}; the rows
// are as above, all of them. `diagnostics_json` is what render_json returned.
void write_run_json(const RunResult& run, const std::string& diagnostics_json, std::ostream& out);

// What `check --json` says about one file.
struct CheckedFile {
  std::string file;
  bool ok = false;
  std::string diagnostics_json;
};
void write_checks_json(const std::vector<CheckedFile>& files, std::ostream& out);

// {"model", "steps": [{"rule", "what", "why"}], "names": {…}, "text"}
void write_reduction_json(const std::string& model, const Reduction& reduction, std::ostream& out);

}  // namespace cradle::text
