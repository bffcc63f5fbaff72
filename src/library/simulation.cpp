#include <algorithm>
#include <stdexcept>

#include "base/assert.hpp"
#include "library/implementation.hpp"
#include "simulate/engine.hpp"

namespace cradle {

namespace {

using simulate::RecordedColumn;

// As names are kept: without blanks, and grid[1, 2] as grid[1][2].
std::string as_kept(const std::string& name) {
  std::string out;
  bool index = false;
  for (char c : name) {
    if (c == ' ' || c == '\t') continue;
    if (c == '[' || c == ']') index = c == '[';
    if (c == ',' && index) {
      out += "][";
    } else {
      out += c;
    }
  }
  return out;
}

// What a name stands for: itself, or the beginning of names, as body1 is of all that can be read of
// body1. Empty: nothing.
std::vector<RecordedColumn> meant_by(const model::Model& m, const std::string& asked) {
  if (std::optional<ExprId> shown = m.find(asked)) return {{asked, *shown}};
  const std::string name = as_kept(asked);
  if (std::optional<ExprId> found = m.find(name)) return {{name, *found}};
  std::vector<RecordedColumn> out;
  for (const std::string& candidate : m.readable_names()) {
    const bool below = candidate.size() > name.size() && candidate.starts_with(name) &&
                       (candidate[name.size()] == '.' || candidate[name.size()] == '[');
    if (below) out.push_back({candidate, *m.find(candidate)});
  }
  return out;
}

// p and q that no element stores are integrated only if something reads them. If the run asks for
// some, this is the model once more, with their integrals; otherwise null.
std::unique_ptr<Model::Impl> with_integrals(const Model::Impl& model, const Options& options) {
  auto extended = std::make_unique<Model::Impl>();
  for (const std::string& name : options.select) {
    if (meant_by(model.system->model(), name).empty()) extended->also_read.push_back(name);
  }
  if (extended->also_read.empty()) return nullptr;
  extended->file = model.file;
  extended->settings = model.settings;
  extended->build();
  return extended->system ? std::move(extended) : nullptr;
}

void select(const model::Model& m, const std::string& name, std::vector<RecordedColumn>& out) {
  std::vector<RecordedColumn> meant = meant_by(m, name);
  if (meant.empty()) {
    const std::string nearest = suggest(name, m.readable_names());
    throw std::invalid_argument("there is no signal '" + name + "' in " + m.name +
                                (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  for (RecordedColumn& column : meant) {
    const bool twice = std::any_of(out.begin(), out.end(),
                                   [&](const auto& other) { return other.name == column.name; });
    if (!twice) out.push_back(std::move(column));
  }
}

std::vector<RecordedColumn> columns_for(const model::Model& m, const Options& options) {
  std::vector<RecordedColumn> out;
  if (options.select_everything) {
    for (const std::string& name : m.readable_names()) out.push_back({name, *m.find(name)});
    return out;
  }
  for (const std::string& name : options.select) select(m, name, out);
  if (!out.empty()) return out;
  for (const model::Column& column : m.show) out.push_back({column.name, column.value});
  if (!out.empty()) return out;
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    out.push_back(
        {m.states[StateId(s)].name, m.pool.leaf(expr::Op::State, static_cast<int32_t>(s))});
  }
  auto recorded = [&](const std::string& name) {
    return std::any_of(out.begin(), out.end(), [&](const auto& c) { return c.name == name; });
  };
  for (const model::Signal& signal : m.signals) {
    if (!recorded(signal.name)) out.push_back({signal.name, signal.value});
  }
  return out;
}

}  // namespace

struct Simulation::Impl {
  Impl(const Model::Impl& model, const Options& options)
      : extended(with_integrals(model, options)),
        engine(system(model), options, columns_for(system(model).model(), options)) {}
  const compile::HybridSystem& system(const Model::Impl& model) const {
    return extended ? *extended->system : *model.system;
  }
  std::unique_ptr<Model::Impl> extended;  // null: the model itself has all that is asked for
  simulate::Engine engine;
  std::size_t next = 0;  // row that advance() shows next
};

Simulation::Simulation(const Model& model, const Options& options) {
  CRADLE_ASSERT(model.ok(), "only a sound model can be simulated");
  impl_ = std::make_unique<Impl>(model.impl(), options);
}

Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

bool Simulation::advance() {
  const Trajectory& rows = impl_->engine.trajectory();
  while (impl_->next >= rows.size()) {
    if (!impl_->engine.advance()) return false;
  }
  ++impl_->next;
  return true;
}

const Outcome& Simulation::run() {
  impl_->engine.run();
  impl_->next = impl_->engine.trajectory().size();
  return outcome();
}

Instant Simulation::now() const {
  return impl_->next == 0 ? Instant{} : trajectory().instant(impl_->next - 1);
}

RowKind Simulation::kind() const {
  return impl_->next == 0 ? RowKind::Start : trajectory().kind(impl_->next - 1);
}

std::optional<Number> Simulation::value(const std::string& name) const {
  const std::optional<std::size_t> column = trajectory().find_column(name);
  if (!column || impl_->next == 0) return std::nullopt;
  return trajectory().value(impl_->next - 1, *column);
}

std::string Simulation::mode(const std::string& automaton) const {
  const std::optional<std::size_t> index = trajectory().find_automaton(automaton);
  if (!index || impl_->next == 0) return {};
  return trajectory().mode(impl_->next - 1, *index);
}

const Outcome& Simulation::outcome() const { return impl_->engine.outcome(); }
const Trajectory& Simulation::trajectory() const { return impl_->engine.trajectory(); }
EnergyAudit Simulation::audit() const { return impl_->engine.audit(); }
const Statistics& Simulation::statistics() const { return impl_->engine.statistics(); }

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
