#pragma once
// Rows as comma-separated values (RFC 4180, but lines end with \n).

#include <string>
#include <vector>

#include "cradle/rows.hpp"
#include "show/text/bytes.hpp"

namespace cradle::text {

// Columns t,eps,step, then signals and automata by name; one row per recorded instant in order. An
// absent value is an empty cell. A signal that can carry an impulse has a second column
// impulse(name) right behind it. Numbers read back as the same doubles.
class CsvWriter : public RowSink {
 public:
  // `headed`: the line of names is there already, and rows follow it.
  explicit CsvWriter(Bytes out, bool headed = false) : out_(std::move(out)), headed_(headed) {}

  void begin(const RowLayout& layout) override;
  void take(std::span<const RowView> rows) override;

 private:
  struct Cell {
    std::size_t column;
    bool impulse;
  };
  void add(const RowView& row);

  Bytes out_;
  bool headed_;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::string>> states_;  // by automaton, as fields
  std::string text_;
};

// Quoted if it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

}  // namespace cradle::text
