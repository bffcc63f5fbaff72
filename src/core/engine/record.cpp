#include <cmath>
#include <limits>

#include "core/engine/attempt.hpp"
#include "core/engine/engine.hpp"

namespace cradle::engine {

namespace {

std::optional<Number> to_number(std::optional<double> value) {
  return value ? std::optional<Number>(*value) : std::nullopt;
}

}  // namespace

void Engine::record_modes(std::size_t row) {
  for (std::size_t a = 0; a < runtime_.mode.size(); ++a) {
    trajectory_.set_mode(row, a, static_cast<uint8_t>(runtime_.mode[a]));
  }
}

// Efforts and flows of all bonds, if they are asked for; what has no value there is not a number.
// `recover` brings the evaluator back to where it was, after it has broken off.
template <class Power, class Recover>
void Engine::record_bonds(std::size_t row, Power&& power, Recover&& recover) {
  if (options_.record_bonds <= 0) return;
  const bool event = trajectory_.kind(row) != RowKind::Evolving;
  if (!bonds_.wants(event, instants_)) return;
  const model::Model& m = system_.model();
  powers_.assign(2 * m.bonds.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < m.bonds.size(); ++i) {
    const BondId id(i);
    const model::End& end = m.bonds[id].from;
    const RegionId region =
        end.element.valid() ? m.elements[end.element].region : m.junctions[end.junction].region;
    if (!runtime_.is_active(region)) continue;
    const bool known = attempt([&] {
      powers_[2 * i] = power(expr::Op::Effort, id);
      powers_[2 * i + 1] = power(expr::Op::Flow, id);
    });
    if (!known) recover();
  }
  bonds_.add(row, powers_);
}

void Engine::record_tick_bonds(std::size_t row) {
  record_bonds(
      row, [this](expr::Op op, BondId bond) { return tick_.power(op, bond); },
      [this] {
        tick_.abandon();
        arrival_.abandon();
        tick_.begin(TickEvaluator::View::Tried);
      });
}

// Modes that are only tried may well have no value; rows of time that has flown should.
void Engine::record_value(std::size_t row, std::size_t column, const std::optional<Number>& value) {
  trajectory_.set_value(row, column, value);
  if (value && std::isnan(value->finite)) warn_undefined(column, trajectory_.instant(row));
}

void Engine::record_drawn(std::size_t row, const Sketch::Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    trajectory_.set_value(row, columns_.size() + i, to_number(values[i]));
  }
}

// ⟨t − ε, 0⟩: what stood before anything happened at this instant.
void Engine::record_before() {
  // Without bond graphs there is no ε: microstep 0 has these values.
  if (!options_.record || !has_bonds_) return;
  const std::size_t row = trajectory_.add_row({runtime_.now, -1, 0}, RowKind::Before);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    record_value(row, c, to_number(arrival_.optional(columns_[c].value)));
  }
  if (sketch_) record_drawn(row, sketch_->arriving());
  for (std::size_t a = 0; a < runtime_.arrival_mode.size(); ++a) {
    trajectory_.set_mode(row, a, static_cast<uint8_t>(runtime_.arrival_mode[a]));
  }
  record_bonds(
      row, [this](expr::Op op, BondId bond) { return arrival_.power(op, bond); },
      [this] {
        arrival_.abandon();
        arrival_.begin(runtime_.now);
      });
}

// A tick that has no fixed point, or leaves open what happens: what is known of it.
void Engine::record_unknown(RowKind kind) {
  if (!options_.record) return;
  const std::size_t size = trajectory_.size();
  const bool begun = size > 0 && trajectory_.instant(size - 1) == now_;
  const std::size_t row = begun ? size - 1 : trajectory_.add_row(now_, kind);
  trajectory_.set_kind(row, kind);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    try {
      const plan::Value value = tick_.value(columns_[c].value);
      trajectory_.set_value(row, c,
                            value.is_present() ? std::optional<Number>(value) : std::nullopt);
      continue;
    } catch (const LoopFault&) {
      tick_.abandon();
    } catch (const OpenChoice&) {
      tick_.abandon();
    }
    trajectory_.set_unknown(row, c);
  }
  if (sketch_) record_drawn(row, sketch_->inside(choices_));
  record_modes(row);
  record_tick_bonds(row);
}

// The instant at which nothing says how to go on.
void Engine::record_undecided() {
  if (!options_.record) return;
  tick_.abandon();
  try {
    happen();
    record_unknown(RowKind::Undecided);
  } catch (...) {  // the run has broken off already
  }
}

plan::Value Engine::column_value(std::size_t column) {
  try {
    return tick_.value(columns_[column].value);
  } catch (const plan::ArithmeticFault&) {
    blame_ = {place_of(columns_[column].value), columns_[column].name};
    throw;
  }
}

std::size_t Engine::record_tick(int k, int n) {
  const std::size_t row = trajectory_.add_row({runtime_.now, k, n}, RowKind::Real);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const plan::Value value = column_value(c);
    trajectory_.set_value(row, c, value.is_present() ? std::optional<Number>(value) : std::nullopt);
  }
  if (sketch_) record_drawn(row, sketch_->inside(choices_));
  record_modes(row);
  record_tick_bonds(row);
  return row;
}

// Where the run breaks off while time flows, whatever can be computed there.
void Engine::record_failure() {
  try {
    record_evolving(runtime_.now);
  } catch (...) {  // it is this that the run breaks off for
    flow_.abandon();
  }
}

void Engine::record_step(double t) {
  if (!options_.record) return;
  const std::size_t rows = trajectory_.size();
  if (rows > 0 && !budget_.has_room(t, rows, trajectory_.instant(rows - 1).t)) {
    return warn_thinned(t);
  }
  record_evolving(t);
}

void Engine::record_evolving(double t) {
  if (!options_.record) return;
  const std::size_t size = trajectory_.size();
  if (size > 0 && trajectory_.instant(size - 1).t >= t) return;
  flow_.begin(t);
  const std::size_t row = trajectory_.add_row({t, 0, 0}, RowKind::Evolving);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    record_value(row, c, to_number(flow_.optional(columns_[c].value)));
  }
  if (sketch_) record_drawn(row, sketch_->flowing(t));
  record_modes(row);
  record_bonds(
      row, [this](expr::Op op, BondId bond) { return flow_.power(op, bond); },
      [this, t] {
        flow_.abandon();
        flow_.begin(t);
      });
}

}  // namespace cradle::engine
