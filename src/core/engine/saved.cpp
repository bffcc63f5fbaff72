// A run as bytes: what it is a run of, the state, what onlookers remember and have said, and a
// checksum.

#include <stdexcept>

#include "base/basics/bytes.hpp"
#include "core/engine/engine.hpp"

namespace cradle {

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Span>
void fields(Archive& a, T& span) { a(span.file, span.begin, span.end); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Diagnostic::Label>
void fields(Archive& a, T& label) { a(label.span, label.text); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Diagnostic::Note>
void fields(Archive& a, T& note) { a(note.key, note.text); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Diagnostic>
void fields(Archive& a, T& d) { a(d.severity, d.kind, d.message, d.labels, d.notes); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Violation>
void fields(Archive& a, T& v) {
  a(v.assertion, v.message, v.inside, v.at.t, v.at.eps, v.at.step, v.values, v.undecided);
}
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Outcome>
void fields(Archive& a, T& outcome) {
  a(outcome.ending, outcome.at.t, outcome.at.eps, outcome.at.step, outcome.diagnostics,
    outcome.assertions, outcome.violations);
}

namespace engine {

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Onlookers::Memory>
void fields(Archive& a, T& m) {
  a(m.books.work_flowing, m.books.work_jumping, m.books.store_jumping, m.books.switch_loss,
    m.books.x_start, m.books.seen, m.books.by_actions, m.books.unbooked, m.books.modulation_flowing,
    m.books.modulation_jumping, m.books.turnover, m.books.energy, m.books.energy_start,
    m.books.unaccounted, m.books.explained, m.books.worst, m.books.worst_begin, m.books.worst_end,
    m.books.worst_store, m.recorder.last, m.recorder.handed_over, m.recorder.undefined,
    m.recorder.counts.events, m.recorder.counts.steps, m.recorder.counts.grid,
    m.recorder.counts.turns, m.recorder.counts.left_out, m.curves.low, m.curves.high, m.curves.wild,
    m.pres, m.samples, m.looked_to, m.thinned, m.assertions.open, m.assertions.scales,
    m.assertions.judged_to);
}

namespace {

constexpr std::string_view kMark = "cradle run 4\n";  // the number changes with the format

uint64_t checksum(std::string_view bytes) {
  uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

// Names and numbers of the flat model, so that a state is not loaded into another one.
uint64_t fingerprint(const Plan& plan) {
  const model::Model& m = plan.model();
  std::string text;
  ByteWriter write(text);
  write(m.name, m.bonds.size(), m.elements.size(), m.junctions.size(), m.pool.size());
  for (const model::State& state : m.states) write(state.name);
  for (const model::Automaton& automaton : m.automata) write(automaton.name, automaton.states);
  for (std::size_t i = 0; i < m.parameters.size(); ++i) {
    write(m.parameters[i].name, plan.binding().parameter(m, i));
  }
  return checksum(text);
}

bool lies_within(const std::vector<Diagnostic>& diagnostics, std::size_t files) {
  for (const Diagnostic& diagnostic : diagnostics) {
    for (const Diagnostic::Label& label : diagnostic.labels) {
      if (label.span.file >= static_cast<int64_t>(files)) return false;
    }
  }
  return true;
}

}  // namespace

std::string Engine::save() const {
  std::string body;
  ByteWriter write(body);
  write(fingerprint(plan_), state_.save(), outcome_);
  const Onlookers::Memory memory = onlookers_.memory();
  write(memory);
  std::string out(kMark);
  ByteWriter whole(out);
  whole(checksum(body), body);
  return out;
}

void Engine::load(std::string_view bytes, std::size_t files) {
  if (!bytes.starts_with(kMark)) throw std::runtime_error("this is not a saved run");
  ByteReader outer(bytes.substr(kMark.size()));
  uint64_t sum = 0, print = 0;
  std::string body, state;
  outer(sum, body);
  if (!outer.at_end() || sum != checksum(body))
    throw std::runtime_error("the saved run is damaged");
  ByteReader read(body);
  Onlookers::Memory memory;
  Outcome outcome;
  read(print, state, outcome, memory);
  if (print != fingerprint(plan_)) {
    throw std::runtime_error("the saved run is that of another model, or of other parameters");
  }
  const Onlookers::Memory own = onlookers_.memory();
  if (memory.recorder.undefined.size() != own.recorder.undefined.size() ||
      memory.curves.low.size() != own.curves.low.size() || memory.pres.size() != own.pres.size() ||
      memory.assertions.open.size() != own.assertions.open.size() ||
      memory.assertions.scales.size() != own.assertions.scales.size()) {
    throw std::runtime_error("the saved run has other columns");
  }
  if (!read.at_end() || !lies_within(outcome.diagnostics, files)) {
    throw std::runtime_error("the saved run is damaged");
  }
  restore(State::load(state, plan_, options_));
  onlookers_.remember(memory);
  outcome_ = std::move(outcome);
}

void Engine::go_on_from(const Engine& other) {
  restore(other.state_);
  onlookers_.remember(other.onlookers_.memory());
  outcome_ = other.outcome_;
  open_choice_ = other.open_choice_;
}

}  // namespace engine
}  // namespace cradle
