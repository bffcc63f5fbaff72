#pragma once
// Rows as a run hands them over, and who takes them. A row never changes once it has been handed
// over, so whoever takes rows may write them down at once and forget them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cradle/instant.hpp"
#include "cradle/number.hpp"

namespace cradle {

enum class RowKind : uint8_t {
  Start,            // ⟨t₀, 0⟩ when nothing happens there
  Evolving,         // between events: a solver step or a grid point
  Before,           // ⟨t − ε, 0⟩: the values just before an event
  Mythical,         // left in no time: by inference (tried), or because only logic moved
  Pinnacle,         // the state jumped here, and the mode is left after ε
  Real,             // the mode in which time goes on (or ε-time, when it is left without a jump)
  Nonconstructive,  // the fixed point leaves signals unknown, and the run ends here
  Undecided,        // nothing resolves a choice, and the run ends here
};
const char* to_string(RowKind kind);  // "start", "evolving", "before", "mythical", …

// Unknown: where the run ends, or where what is shown has no value (a product of impulses).
enum class Presence : uint8_t { Absent = 0, Present = 1, Unknown = 2 };

// What every row of a run holds, known before the first of them.
struct RowLayout {
  std::vector<std::string> columns = {};
  std::vector<char> impulsive = {};  // by column: it can carry an impulse; empty: none can
  std::vector<std::string> automata = {};
  std::vector<std::vector<std::string>> states = {};  // by automaton: their names
  std::vector<std::string> units = {};  // by column, as far as the model's units tell; may be empty
  std::vector<char> truths = {};        // by column: it is true or false; empty: none is

  bool is_truth(std::size_t column) const { return column < truths.size() && truths[column] != 0; }
  // Of time: s in a model with units.
  std::string time_unit() const;
  // All states that there are, in the order in which the automata have them: one colour for each.
  std::vector<std::string> state_names() const;
  bool can_carry_impulse(std::size_t column) const {
    return !impulsive.empty() && impulsive[column] != 0;
  }
  // What it is called where people read it: v [V]; and its impulse: impulse(v) [V*s].
  std::string title(std::size_t column) const;
  std::string impulse_title(std::size_t column) const;
};

// v [mV] as v and mV; without a unit the second is empty.
std::pair<std::string, std::string> name_and_unit(const std::string& title);

// One row. What it points to lasts as long as the call that hands it over.
struct RowView {
  Instant at;
  RowKind kind = RowKind::Evolving;
  // Of a mythical row: inference left the mode, so that nothing in it came true. In the others only
  // logic moved: events of that microstep have happened.
  bool tried = false;
  std::span<const double> finite;  // by column; 0 where nothing is present
  std::span<const double> impulses;
  std::span<const Presence> presence;
  std::span<const int32_t> states;  // by automaton: an index into its names
  // An ideal connection would have to carry something without limit in this mode: it was tried.
  bool strained = false;
  // Columns, ascending, whose values only the parasitics of junctions decide: shared equally.
  std::span<const uint32_t> shared = {};

  std::optional<Number> value(std::size_t column) const {
    if (presence[column] != Presence::Present) return std::nullopt;
    return Number(finite[column], impulses[column]);
  }
};

// How the columns went while time flowed from `begin` to `end`: a Chebyshev series for each, on
// [-1, 1] for [begin, end], as faithful as the run's tolerance. It lasts as long as the call that
// hands it over.
struct StretchView {
  static constexpr int kNoCurve = -1;  // absent, not finite, or too wild for a polynomial
  static constexpr int kMostDegree = 8;

  double begin = 0, end = 0;
  std::span<const int8_t> degrees;       // by column, or kNoCurve
  std::span<const double> coefficients;  // degree + 1 of each column that has a curve, in order
};

// The series at t in [begin, end].
double curve_at(std::span<const double> coefficients, double begin, double end, double t);

class RowSink {
 public:
  virtual ~RowSink() = default;
  // Before the first row.
  virtual void begin(const RowLayout& layout) = 0;
  // All rows of one instant at which something happened, in order; or one row while time flows.
  virtual void take(std::span<const RowView> rows) = 0;
  // Between rows, in order of time and without overlap. Computed only if someone wants them.
  virtual bool wants_curves() const { return false; }
  virtual void take(const StretchView&) {}
  // After the last row, however the run has ended.
  virtual void finish() {}
};

// A hash over every bit of every row, equal for equal rows, whoever else looks on. Names count too.
class TrajectoryHash : public RowSink {
 public:
  void begin(const RowLayout& layout) override;
  void take(std::span<const RowView> rows) override;
  uint64_t value() const { return hash_; }

 private:
  void add(uint64_t word);
  void add(double value);
  void add(const std::vector<std::string>& names);

  uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace cradle
