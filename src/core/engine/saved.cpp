// A run as bytes: what it is a run of, the state, what onlookers remember, and a checksum.

#include <stdexcept>

#include "base/basics/bytes.hpp"
#include "core/engine/engine.hpp"

namespace cradle::engine {

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Onlookers::Memory>
void fields(Archive& a, T& m) {
  a(m.books.work_flowing, m.books.work_jumping, m.books.store_jumping, m.books.switch_loss,
    m.books.x_start, m.books.seen, m.books.by_actions, m.books.unbooked, m.recorder.last,
    m.recorder.handed_over, m.recorder.undefined, m.pres, m.samples, m.looked_to, m.thinned);
}

namespace {

constexpr std::string_view kMark = "cradle run 1\n";  // the number changes with the format

uint64_t checksum(std::string_view bytes) {
  uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

// Names and numbers of the flat model, so that a state is not loaded into another one.
uint64_t fingerprint(const model::Model& m) {
  std::string text;
  ByteWriter write(text);
  write(m.name, m.bonds.size(), m.elements.size(), m.junctions.size(), m.pool.size());
  for (const model::State& state : m.states) write(state.name);
  for (const model::Automaton& automaton : m.automata) write(automaton.name, automaton.states);
  for (const model::Parameter& parameter : m.parameters) write(parameter.name, parameter.value);
  return checksum(text);
}

}  // namespace

std::string Engine::save() const {
  std::string body;
  ByteWriter write(body);
  write(fingerprint(plan_.model()), state_.save(), outcome_.ending, outcome_.at.t, outcome_.at.eps,
        outcome_.at.step);
  const Onlookers::Memory memory = onlookers_.memory();
  write(memory);
  std::string out(kMark);
  ByteWriter whole(out);
  whole(checksum(body), body);
  return out;
}

void Engine::load(std::string_view bytes) {
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
  read(print, state, outcome.ending, outcome.at.t, outcome.at.eps, outcome.at.step, memory);
  if (print != fingerprint(plan_.model())) {
    throw std::runtime_error("the saved run is that of another model, or of other parameters");
  }
  const Onlookers::Memory own = onlookers_.memory();
  if (memory.recorder.undefined.size() != own.recorder.undefined.size() ||
      memory.pres.size() != own.pres.size()) {
    throw std::runtime_error("the saved run has other columns");
  }
  restore(State::load(state, plan_, options_));
  onlookers_.remember(memory);
  outcome_ = outcome;
}

void Engine::go_on_from(const Engine& other) {
  restore(other.state_);
  onlookers_.remember(other.onlookers_.memory());
  outcome_ = other.outcome_;
  open_choice_ = other.open_choice_;
}

}  // namespace cradle::engine
