#pragma once
// Tables that stand in a CSV file beside the model.

#include <optional>
#include <string>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/syntax/units.hpp"

namespace cradle::model {

struct CsvField {
  std::string text;  // without its quotes and the blanks around it
  Span span;
};

struct CsvColumn {
  CsvField name;                    // without its unit; empty if the file has no names
  std::optional<units::Unit> unit;  // in which its numbers are
};

// Every row has a field for each column.
struct Csv {
  std::vector<CsvColumn> columns;
  std::vector<std::vector<CsvField>> rows;
  bool has_names = false;
};

// Fields are separated by semicolons, tabs or commas, whichever of these, in this order, the first
// row has. Lines that begin with # and empty lines do not count. Numbers have a decimal point.
// With `names`, a first row without any number is one of names, each perhaps with its unit in
// brackets: v [mV]. Nothing, with a diagnostic, if it cannot be read.
std::optional<Csv> read_csv(const Sources& sources, int32_t file, bool names,
                            std::vector<Diagnostic>& found);

// The field as a number, in SI units; nothing, with a diagnostic, if it is none or is not finite.
std::optional<double> csv_number(const CsvField& field, const std::optional<units::Unit>& unit,
                                 std::vector<Diagnostic>& found);

}  // namespace cradle::model
