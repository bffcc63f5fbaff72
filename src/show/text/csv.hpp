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
  // Automata side by side, as text for the states that they were last in. A model may have
  // thousands, of which an event moves one.
  struct Block {
    std::vector<int32_t> states;
    std::string text;
  };
  static constexpr std::size_t kBlock = 64;
  void add(const RowView& row);
  void add_states(std::span<const int32_t> states);

  Bytes out_;
  bool headed_;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::string>> states_;  // by automaton, as fields behind a comma
  std::vector<Block> blocks_;
  std::string text_;
};

// Quoted if it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

}  // namespace cradle::text
