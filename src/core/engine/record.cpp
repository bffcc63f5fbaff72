#include "core/engine/engine.hpp"
#include "core/engine/readings.hpp"

namespace cradle::engine {

// ⟨t − ε, 0⟩: what stood before anything happened at this instant.
void Engine::record_before() {
  // Without bond graphs there is no ε: microstep 0 has these values.
  if (!recorder_.is_on() || !has_bonds_) return;
  ArrivalReading reading(runtime_, arrival_);
  recorder_.add_before(runtime_.now, reading, instants_);
  warn_undefined({runtime_.now, -1, 0});
}

// A tick that has no fixed point, or leaves open what happens: what is known of it.
void Engine::record_unfinished(RowKind kind) {
  if (!recorder_.is_on()) return;
  UnfinishedReading reading(runtime_, tick_, arrival_, choices_);
  recorder_.add_unfinished(now_, kind, reading, instants_);
}

// The instant at which nothing says how to go on.
void Engine::record_undecided() {
  if (!recorder_.is_on()) return;
  tick_.abandon();
  attempt([this] {  // the run has broken off already
    happen();
    record_unfinished(RowKind::Undecided);
  });
}

void Engine::record_tick(int k, int n) {
  if (!recorder_.is_on()) return;
  TickReading reading(runtime_, tick_, arrival_, choices_);
  try {
    recorder_.add_tick({runtime_.now, k, n}, reading, instants_);
  } catch (const plan::ArithmeticFault&) {
    blame_ = {place_of(reading.asked().value), reading.asked().name};
    throw;
  }
}

// Where the run breaks off while time flows, whatever can be computed there.
void Engine::record_failure() {
  if (!attempt([this] { record_evolving(runtime_.now); })) flow_.abandon();
}

void Engine::record_step(double t) {
  if (!recorder_.is_on()) return;
  if (!recorder_.has_room(t)) return warn_thinned(t);
  record_evolving(t);
}

void Engine::record_evolving(double t) {
  if (!recorder_.is_on() || recorder_.has_row_at(t)) return;
  FlowReading reading(runtime_, flow_, t);
  recorder_.add_evolving(t, reading);
  warn_undefined({t, 0, 0});
}

}  // namespace cradle::engine
