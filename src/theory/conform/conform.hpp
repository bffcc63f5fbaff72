#pragma once
// Does a recorded run obey the processes of a model? Relation by relation, instant by instant, from
// the processes (src/theory/hypa) and the recorded numbers alone: nothing is solved or simulated.
//
//   flow relations      at every row, on its values
//   ẋ = …               over every interval without events: x(t₂) − x(t₁) against the integral of
//                       the right side, by quadrature on the recorded rows
//   jump relations      at every row inside an instant, from the values on arrival at ⟨t + kε⟩
//   sliding             along a border, values and rates are means over its sides (sliding.hpp)
//   switching           where a mode changed its guard must hold, where it stayed no guard may
//
// What is not recorded is inferred where a relation leaves one value open (body.f from body.p).
// A relation that speaks of what neither is known nor can be inferred is not covered.

#include <string>
#include <vector>

#include "language/model/model.hpp"
#include "theory/conform/read_run.hpp"

namespace cradle::conform {

struct Options {
  double tolerance = 1e-6;  // relative to the numbers that are added up in a relation
};

struct Violation {
  Instant at;
  int line = 0;          // of the file
  std::string process;   // "body1"
  std::string relation;  // "body1.f = body1.p"
  std::string detail;    // "0.3 against 0.25"
};

struct Report {
  std::string problem;  // why nothing can be checked
  std::size_t rows = 0;
  // Of the processes; checked at least once; used to choose an alternative or to infer a value.
  std::size_t relations = 0, covered = 0, used = 0;
  std::size_t checks = 0;
  std::vector<std::string> uncovered;        // "body1: body1.E′ = …"
  std::vector<std::string> unknown_columns;  // that the model does not know
  std::vector<std::string> unknown_modes;    // automata that are not recorded
  std::vector<Violation> violations;         // in order of time
  double worst = 0;                          // largest residual of what holds, by its tolerance
  bool conforms() const { return violations.empty(); }
};

Report check(const model::Model& model, const RecordedRun& run, const Options& options = {});

}  // namespace cradle::conform
