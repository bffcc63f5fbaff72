#include "cradle/trajectory.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/basics/assert.hpp"

namespace cradle {
namespace {

// FNV-1a, 64 bits (Fowler, Noll, Vo), over whole words: fast enough to hash every recorded bit.
class Hasher {
 public:
  void add(uint64_t word) {
    hash_ ^= word;
    hash_ *= 0x100000001b3ULL;
    hash_ ^= hash_ >> 29;
  }
  void add(double value) { add(std::bit_cast<uint64_t>(value)); }
  void add(std::string_view text) {
    add(static_cast<uint64_t>(text.size()));
    for (char c : text) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::optional<std::size_t> index_of(const std::vector<std::string>& names,
                                    const std::string& name) {
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

const char* to_string(RowKind kind) {
  switch (kind) {
    case RowKind::Start:
      return "start";
    case RowKind::Evolving:
      return "evolving";
    case RowKind::Before:
      return "before";
    case RowKind::Mythical:
      return "mythical";
    case RowKind::Pinnacle:
      return "pinnacle";
    case RowKind::Real:
      return "real";
    case RowKind::Undecided:
      return "undecided";
    case RowKind::Nonconstructive:
      return "nonconstructive";
  }
  CRADLE_ASSERT(false, "a row kind without a name");
  return "";
}

Trajectory::Trajectory(std::vector<std::string> columns, std::vector<std::string> automata,
                       std::vector<std::vector<std::string>> automaton_states)
    : columns_(std::move(columns)),
      automata_(std::move(automata)),
      automaton_states_(std::move(automaton_states)),
      impulsive_(columns_.size(), 0) {
  CRADLE_ASSERT(automata_.size() == automaton_states_.size(), "every automaton has states");
  for (const auto& states : automaton_states_) {
    CRADLE_ASSERT(!states.empty() && states.size() <= 256, "a state is kept as one byte");
  }
}

std::optional<Number> Trajectory::value(std::size_t row, std::size_t column) const {
  CRADLE_ASSERT(row < size() && column < columns_.size(), "inside the trajectory");
  const std::size_t at = row * columns_.size() + column;
  if (present_[at] != 1) return std::nullopt;
  return Number(finite_[at], impulses_.empty() ? 0.0 : impulses_[at]);
}

bool Trajectory::is_unknown(std::size_t row, std::size_t column) const {
  CRADLE_ASSERT(row < size() && column < columns_.size(), "inside the trajectory");
  return present_[row * columns_.size() + column] == 2;
}

void Trajectory::set_unknown(std::size_t row, std::size_t column) {
  set_value(row, column, std::nullopt);
  present_[row * columns_.size() + column] = 2;
}

const std::string& Trajectory::mode(std::size_t row, std::size_t automaton) const {
  return automaton_states_[automaton][state(row, automaton)];
}

uint8_t Trajectory::state(std::size_t row, std::size_t automaton) const {
  CRADLE_ASSERT(row < size() && automaton < automata_.size(), "inside the trajectory");
  return modes_[row * automata_.size() + automaton];
}

std::optional<std::size_t> Trajectory::find_column(const std::string& name) const {
  return index_of(columns_, name);
}

std::optional<std::size_t> Trajectory::find_automaton(const std::string& name) const {
  return index_of(automata_, name);
}

std::optional<std::size_t> Trajectory::find_row(const Instant& instant) const {
  auto behind = std::upper_bound(instants_.begin(), instants_.end(), instant,
                                 [](const Instant& a, const Instant& b) { return a < b; });
  if (behind == instants_.begin()) return std::nullopt;
  return static_cast<std::size_t>(behind - instants_.begin()) - 1;
}

void Trajectory::set_tried(std::size_t row) {
  kinds_[row] = RowKind::Mythical;
  tried_[row] = 1;
}

std::size_t Trajectory::add_row(const Instant& instant, RowKind kind) {
  instants_.push_back(instant);
  kinds_.push_back(kind);
  tried_.push_back(0);
  const std::size_t values = instants_.size() * columns_.size();
  finite_.resize(values, 0.0);
  present_.resize(values, 0);
  if (!impulses_.empty()) impulses_.resize(values, 0.0);
  modes_.resize(instants_.size() * automata_.size(), 0);
  return instants_.size() - 1;
}

void Trajectory::set_value(std::size_t row, std::size_t column, std::optional<Number> value) {
  CRADLE_ASSERT(row < size() && column < columns_.size(), "inside the trajectory");
  const std::size_t at = row * columns_.size() + column;
  present_[at] = value.has_value() ? 1 : 0;
  finite_[at] = value ? value->finite : 0.0;
  const double impulse = value ? value->impulse : 0.0;
  if (impulse != 0 && impulses_.empty()) impulses_.resize(finite_.size(), 0.0);
  if (!impulses_.empty()) impulses_[at] = impulse;
  if (impulse != 0) impulsive_[column] = 1;
}

void Trajectory::set_mode(std::size_t row, std::size_t automaton, uint8_t state) {
  CRADLE_ASSERT(row < size() && automaton < automata_.size(), "inside the trajectory");
  CRADLE_ASSERT(state < automaton_states_[automaton].size(), "a state of this automaton");
  modes_[row * automata_.size() + automaton] = state;
}

uint64_t Trajectory::hash() const {
  Hasher hasher;
  for (const auto& name : columns_) hasher.add(std::string_view(name));
  for (const auto& name : automata_) hasher.add(std::string_view(name));
  hasher.add(static_cast<uint64_t>(size()));
  for (std::size_t row = 0; row < size(); ++row) {
    hasher.add(instants_[row].t);
    hasher.add(static_cast<uint64_t>(static_cast<uint32_t>(instants_[row].eps)) << 32 |
               static_cast<uint32_t>(instants_[row].step));
    hasher.add(static_cast<uint64_t>(kinds_[row]));
  }
  for (double value : finite_) hasher.add(value);
  for (std::size_t at = 0; at < finite_.size(); ++at) {
    hasher.add(impulses_.empty() ? 0.0 : impulses_[at]);
  }
  for (uint8_t present : present_) hasher.add(static_cast<uint64_t>(present));
  for (uint8_t mode : modes_) hasher.add(static_cast<uint64_t>(mode));
  return hasher.value();
}

}  // namespace cradle
