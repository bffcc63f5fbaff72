#include "cradle/explain.hpp"

#include <algorithm>
#include <cmath>

#include "api/simulation.hpp"
#include "base/basics/assert.hpp"

namespace cradle {
namespace {

// The same run twice: to find the instant, and to look at it. Both are the same to the bit.
struct Setup {
  Setup(const Model& model, Options asked)
      : options(std::move(asked)), impl(api::model_for(model, options)) {
    options.record = true;
    options.record_steps = false;
    options.every = 0;
    options.every_turn = false;
    options.audit = true;
    columns = api::columns_for(*impl->plan, options);
  }
  engine::Engine engine() const { return {*impl->plan, options, columns}; }

  Options options;
  std::shared_ptr<const Model::Impl> impl;
  std::vector<engine::RecordedColumn> columns;
};

bool is_same(double t, double asked) {
  return std::abs(t - asked) <= 1e-9 * std::max(std::abs(t), std::abs(asked));
}

bool is_broken_off(const Outcome& outcome) {
  return outcome.ending != Ending::Running && outcome.ending != Ending::Finished;
}

// When something happens, up to the second time behind the one that is asked for.
std::vector<double> find_events(engine::Engine& engine, double asked) {
  Trajectory rows;
  engine.stream_to(rows);
  std::vector<double> times;
  auto add = [&](double t) {
    if (times.empty() || times.back() != t) times.push_back(t);
  };
  std::size_t seen = 0;
  int behind = 0;
  while (behind < 2 && engine.advance()) {
    for (; seen < rows.size(); ++seen) {
      const double t = rows.instant(seen).t;
      // The beginning counts if it is asked for, or if something happens there.
      const RowKind kind = rows.kind(seen);
      if (kind == RowKind::Evolving || (kind == RowKind::Start && !is_same(t, asked))) continue;
      if (t > asked && !is_same(t, asked) && (times.empty() || times.back() != t)) ++behind;
      add(t);
    }
  }
  if (is_broken_off(engine.outcome())) add(engine.outcome().at.t);
  return times;
}

// The time to explain; nothing if none is near.
std::optional<double> choose(const std::vector<double>& times, double asked, double until) {
  constexpr double kNear = 0.01;  // of the run
  std::optional<double> best;
  for (double t : times) {
    if (!best || std::abs(t - asked) < std::abs(*best - asked)) best = t;
  }
  if (best && !is_same(*best, asked) && std::abs(*best - asked) > kNear * until) return {};
  return best;
}

// The rows of an instant, with the left limit. One without steps is where the run broke off.
std::pair<std::size_t, std::size_t> rows_of(const Trajectory& rows, const ExplainedInstant& told) {
  const auto is_here = [&](std::size_t row) {
    return rows.instant(row).t == told.t && rows.kind(row) != RowKind::Evolving;
  };
  std::size_t first = told.steps.empty() ? rows.size() : told.steps.front().row;
  while (first > 0 && is_here(first - 1) &&
         (told.steps.empty() || rows.kind(first - 1) == RowKind::Before)) {
    --first;
  }
  std::size_t end = told.steps.empty() ? rows.size() : told.steps.back().row + 1;
  // One that has no fixed point, or leaves open what happens, is recorded but not told.
  while (end < rows.size() && is_here(end) && rows.instant(end - 1) < rows.instant(end)) ++end;
  return {first, end};
}

// What the trajectory knows: the left limit, and what each step was.
void add_rows(const Trajectory& rows, ExplainedInstant& out) {
  const auto [first, end] = rows_of(rows, out);
  std::vector<ExplainedStep> steps;
  std::size_t next = 0;
  for (std::size_t row = first; row < end; ++row) {
    const bool told = next < out.steps.size() && out.steps[next].row == row;
    ExplainedStep& step = steps.emplace_back(told ? std::move(out.steps[next++]) : ExplainedStep());
    step.at = rows.instant(row);
    step.row = row;
    step.kind = rows.kind(row);
    step.strained = rows.is_strained(row);
    for (std::size_t c = 0; c < rows.columns().size(); ++c) {
      if (rows.is_shared(row, c)) step.shared.push_back(rows.columns()[c]);
    }
  }
  out.steps = std::move(steps);
}

void add_values(const Trajectory& rows, ExplainedStep& step) {
  for (std::size_t a = 0; a < rows.automata().size(); ++a) {
    step.modes.emplace_back(rows.automata()[a], rows.mode(step.row, a));
  }
  for (std::size_t c = 0; c < rows.columns().size(); ++c) {
    step.values.emplace_back(rows.columns()[c], rows.value(step.row, c));
    if (rows.is_unknown(step.row, c)) step.unknown.push_back(rows.columns()[c]);
  }
}

void add_energy(ExplainedInstant& out) {
  double stored = 0, delivered = 0, dissipated = 0;
  for (const ExplainedStep& step : out.steps) {
    for (const ExplainedEnergy& entry : step.energy) {
      auto same = [&](const ExplainedEnergy& e) {
        return e.name == entry.name && e.kind == entry.kind;
      };
      auto found = std::find_if(out.energy.begin(), out.energy.end(), same);
      if (found == out.energy.end()) {
        out.energy.push_back(entry);
      } else {
        found->amount += entry.amount;
        found->after = entry.after;
      }
      if (entry.kind == EnergyEntry::Kind::Store) stored += entry.amount;
      if (entry.kind == EnergyEntry::Kind::Source) delivered += entry.amount;
      if (entry.kind == EnergyEntry::Kind::Switch) dissipated += entry.amount;
    }
  }
  // What only went through.
  double scale = 0;
  for (const ExplainedEnergy& entry : out.energy) scale = std::max(scale, std::abs(entry.amount));
  std::erase_if(out.energy, [scale](const ExplainedEnergy& entry) {
    return std::abs(entry.amount) <= 1e-12 * scale;
  });
  std::stable_sort(out.energy.begin(), out.energy.end(),
                   [](const auto& a, const auto& b) { return a.kind < b.kind; });
  out.stored_after = out.stored_before + stored;
  out.balance = stored - delivered + dissipated;
}

}  // namespace

Explanation explain_instant(const Model& model, double at, const Options& options, bool values) {
  CRADLE_ASSERT(model.ok(), "only a sound model can be explained");
  const Setup setup(model, options);
  Explanation out;
  out.model = model.name();
  out.asked = at;
  out.until = options.until.value_or(model.until().value_or(0));
  engine::Engine search = setup.engine();
  out.events = find_events(search, at);
  out.outcome = search.outcome();
  const std::optional<double> t = choose(out.events, at, out.until);
  if (!t) return out;
  out.found = true;
  out.t = *t;
  out.exact = is_same(*t, at);
  auto behind = std::upper_bound(out.events.begin(), out.events.end(), out.t);
  if (behind != out.events.end()) out.next = *behind;

  explain::Account account(setup.impl->flat(), setup.impl->sources(), out.t, values);
  engine::Engine engine = setup.engine();
  engine.show_to(account);
  Trajectory rows;
  engine.stream_to(rows);
  while (engine.advance() && (rows.size() == 0 || rows.instant(rows.size() - 1).t < out.t)) {
  }
  if (!account.instants().empty()) {
    static_cast<ExplainedInstant&>(out) = account.instants().front();
  }
  out.ended = is_broken_off(search.outcome()) && search.outcome().at.t == out.t;
  add_rows(rows, out);
  for (ExplainedStep& step : out.steps) add_values(rows, step);
  out.layout = rows.layout();
  add_energy(out);
  return out;
}

std::size_t instants_told(const Simulation& run) {
  const auto& account = run.impl().account;
  return account ? account->instants().size() : 0;
}

ExplainedInstant told_instant(const Simulation& run, std::size_t index) {
  CRADLE_ASSERT(index < instants_told(run), "an instant that was told");
  ExplainedInstant out = run.impl().account->instants()[index];
  add_rows(run.trajectory(), out);
  add_energy(out);
  return out;
}

}  // namespace cradle
