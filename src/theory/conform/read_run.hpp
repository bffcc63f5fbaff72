#pragma once
// A recorded run from a file: what `cradle run --csv` or `--json` wrote, or another tool in the
// same layout (t, eps, step, then one column per name; absent is an empty cell).

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cradle/instant.hpp"
#include "cradle/number.hpp"

namespace cradle::conform {

struct RecordedRun {
  std::vector<std::string> columns;  // without t, eps, step and impulse(…) of another column
  struct Cell {
    enum class Kind { Absent, Number, Text, Unknown } kind = Kind::Absent;
    Number number;
    std::string text;  // the state of an automaton
  };
  struct Row {
    Instant at;
    std::vector<Cell> cells;  // by column
    int line = 0;             // in the file, from 1; JSON: the number of the row
  };
  std::vector<Row> rows;
};

// nullopt, and why, if the text is no run.
std::optional<RecordedRun> read_run(const std::string& text, std::string& problem);

}  // namespace cradle::conform
