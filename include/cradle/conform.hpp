#pragma once
// Does a recorded run obey the processes of a model? Includes no third-party header.

#include <cstddef>
#include <string>
#include <vector>

#include "cradle/cradle.hpp"

namespace cradle {

struct ConformanceViolation {
  Instant at;
  int line = 0;          // of a CSV file; the number of the row in JSON
  std::string process;   // whose relation it is: "body1"
  std::string relation;  // "body1.f = body1.p"
  std::string detail;    // "0.3 against 0.25"
};

struct Conformance {
  std::string problem;  // why the text is no run; empty if it is one
  std::size_t rows = 0;
  // Of the model's processes; checked at least once; used to choose an alternative or to infer
  // a value that is not recorded.
  std::size_t relations = 0, covered = 0, used = 0;
  std::size_t checks = 0;
  double worst = 0;  // largest residual among what holds, as a part of what is allowed
  std::vector<std::string> uncovered;
  std::vector<std::string> unknown_columns;  // that the model does not know
  std::vector<std::string> unknown_modes;    // automata that are not recorded
  std::vector<ConformanceViolation> violations;
  bool ok() const { return problem.empty() && violations.empty(); }
};

// `run`: what `cradle run --csv` or `--json` writes. The model must be ok().
Conformance check_conformance(const Model& model, const std::string& run, double tolerance = 1e-6);

}  // namespace cradle
