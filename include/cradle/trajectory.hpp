#pragma once
// What happened: one row per recorded instant, in order. Rows at events are always there, with both
// limits; rows between events are the solver's own steps and, on request, a grid.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cradle/instant.hpp"
#include "cradle/number.hpp"

namespace cradle {

enum class RowKind : uint8_t {
  Start,            // ⟨t₀, 0⟩ when nothing happens there
  Evolving,         // between events: a solver step or a grid point
  Before,           // ⟨t − ε, 0⟩: the values just before an event
  Mythical,         // left in no time: by inference (is_tried), or because only logic moved
  Pinnacle,         // the state jumped here, and the mode is left after ε
  Real,             // the mode in which time goes on (or ε-time, when it is left without a jump)
  Nonconstructive,  // the fixed point leaves signals unknown, and the run ends here
  Undecided,        // nothing resolves a choice, and the run ends here
};
const char* to_string(RowKind kind);  // "start", "evolving", "before", "mythical", …

class Trajectory {
 public:
  Trajectory() = default;
  Trajectory(std::vector<std::string> columns, std::vector<std::string> automata,
             std::vector<std::vector<std::string>> automaton_states);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::string>& automata() const { return automata_; }
  std::size_t size() const { return instants_.size(); }

  Instant instant(std::size_t row) const { return instants_[row]; }
  RowKind kind(std::size_t row) const { return kinds_[row]; }
  // Of a mythical row: inference left the mode, so that nothing in it came true. In the others only
  // logic moved: events of that microstep have happened.
  bool is_tried(std::size_t row) const { return tried_[row] != 0; }
  // nullopt: the signal is absent at that instant, or (only where the run ends) unknown.
  std::optional<Number> value(std::size_t row, std::size_t column) const;
  bool is_unknown(std::size_t row, std::size_t column) const;
  const std::string& mode(std::size_t row, std::size_t automaton) const;
  const std::vector<std::string>& states(std::size_t automaton) const {
    return automaton_states_[automaton];
  }
  uint8_t state(std::size_t row, std::size_t automaton) const;  // an index into states()
  bool carries_impulse(std::size_t column) const { return impulsive_[column] != 0; }

  std::optional<std::size_t> find_column(const std::string& name) const;
  std::optional<std::size_t> find_automaton(const std::string& name) const;
  // The last row at or before this instant.
  std::optional<std::size_t> find_row(const Instant& instant) const;

  // Building, for the engine.
  std::size_t add_row(const Instant& instant, RowKind kind);
  void set_value(std::size_t row, std::size_t column, std::optional<Number> value);
  void set_unknown(std::size_t row, std::size_t column);
  void set_mode(std::size_t row, std::size_t automaton, uint8_t state);
  void set_kind(std::size_t row, RowKind kind) { kinds_[row] = kind; }
  void set_tried(std::size_t row);

  // A hash over every recorded bit, equal for equal runs.
  uint64_t hash() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::string> automata_;
  std::vector<std::vector<std::string>> automaton_states_;
  std::vector<Instant> instants_;
  std::vector<RowKind> kinds_;
  std::vector<uint8_t> tried_;
  std::vector<double> finite_;    // row-major, columns_.size() per row
  std::vector<double> impulses_;  // the same, allocated when the first impulse is recorded
  std::vector<uint8_t> present_;  // the same; 0: absent, 1: present, 2: unknown
  std::vector<uint8_t> modes_;    // row-major, automata_.size() per row
  std::vector<char> impulsive_;   // by column
};

}  // namespace cradle
