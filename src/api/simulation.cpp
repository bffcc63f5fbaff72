#include "api/simulation.hpp"

#include <cmath>
#include <stdexcept>

#include "base/basics/assert.hpp"

namespace cradle {

Simulation::Simulation(const Model& model, const Options& options) {
  CRADLE_ASSERT(model.ok(), "only a sound model can be simulated");
  impl_ = std::make_unique<Impl>(model, options);
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation& Simulation::stream_to(RowSink& sink) {
  CRADLE_ASSERT(!impl_->begun, "rows are handed over from the beginning");
  impl_->engine.stream_to(sink);
  return *this;
}

bool Simulation::advance() {
  impl_->begun = true;
  impl_->shown.show_all();
  Trajectory& rows = impl_->shown.rows;
  while (impl_->next >= rows.size()) {
    if (impl_->engine.outcome().ending != Ending::Running) return false;
    if (!options().keep_trajectory) {
      rows.clear();
      impl_->next = 0;
    }
    impl_->engine.advance();
  }
  ++impl_->next;
  return true;
}

const Outcome& Simulation::run() {
  impl_->begun = true;
  impl_->shown.only_last = !options().keep_trajectory;
  impl_->engine.run();
  impl_->shown.show_last();
  impl_->next = impl_->shown.rows.size();
  return outcome();
}

bool Simulation::run_until(const std::function<bool()>& pause) {
  impl_->begun = true;
  impl_->shown.only_last = !options().keep_trajectory;
  const bool ended = impl_->engine.run(pause);
  impl_->shown.show_last();
  impl_->next = impl_->shown.rows.size();
  return !ended;
}

bool Simulation::advance_to(double t) {
  impl_->begun = true;
  impl_->shown.only_last = !options().keep_trajectory;
  const bool goes_on = impl_->engine.advance_to(t);
  impl_->shown.show_last();
  impl_->next = impl_->shown.rows.size();
  return goes_on;
}

Simulation& Simulation::set_input(const std::string& name, double value) {
  const ClockId input = engine::find_input(impl_->model->flat(), name);
  if (!std::isfinite(value)) {
    throw std::invalid_argument("input " + name + " cannot be " + format_number(value));
  }
  impl_->engine.set_input(input, value);
  return *this;
}

std::string Simulation::save() const { return impl_->engine.save(); }

void Simulation::load(std::string_view bytes) {
  impl_->engine.load(bytes, impl_->model->sources().size());
}

Simulation Simulation::clone() const {
  auto copy = std::make_unique<Impl>(impl_->model, options());
  copy->engine.go_on_from(impl_->engine);
  copy->shown.rows = impl_->shown.rows;
  copy->next = impl_->next;
  return Simulation(std::move(copy));
}

Instant Simulation::now() const {
  return impl_->next == 0 ? Instant{} : impl_->shown.rows.instant(impl_->next - 1);
}

RowKind Simulation::kind() const {
  return impl_->next == 0 ? RowKind::Start : impl_->shown.rows.kind(impl_->next - 1);
}

std::optional<Number> Simulation::value(const std::string& name) const {
  const std::optional<std::size_t> column = impl_->shown.rows.find_column(name);
  if (!column || impl_->next == 0) return std::nullopt;
  return impl_->shown.rows.value(impl_->next - 1, *column);
}

std::string Simulation::mode(const std::string& automaton) const {
  const std::optional<std::size_t> index = impl_->shown.rows.find_automaton(automaton);
  if (!index || impl_->next == 0) return {};
  return impl_->shown.rows.mode(impl_->next - 1, *index);
}

const Outcome& Simulation::outcome() const { return impl_->engine.outcome(); }
const Trajectory& Simulation::trajectory() const {
  return options().keep_trajectory ? impl_->shown.rows : impl_->none;
}
std::size_t Simulation::rows() const { return impl_->engine.rows(); }
EnergyAudit Simulation::audit() const { return impl_->engine.audit(); }
const Statistics& Simulation::statistics() const { return impl_->engine.statistics(); }
RowCounts Simulation::row_counts() const { return impl_->engine.row_counts(); }
const Options& Simulation::options() const { return impl_->engine.options(); }
const BondRecord& Simulation::bonds() const { return impl_->engine.bonds(); }

const char* to_string(Ending ending) {
  switch (ending) {
    case Ending::Finished:
      return "finished";
    case Ending::Running:
      return "running";
    case Ending::Cancelled:
      return "cancelled";
    case Ending::ModelError:
      return "model error";
    case Ending::BoundReached:
      return "bound reached";
    case Ending::Accumulation:
      return "accumulation";
    case Ending::SolverFailure:
      return "solver failure";
  }
  return "";
}

}  // namespace cradle
