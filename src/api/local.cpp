#include "api/local.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/engine/attempt.hpp"
#include "core/engine/flow_code.hpp"
#include "core/plan/mode_code.hpp"

namespace cradle::api {

using engine::attempt;
using engine::FlowCode;
using engine::Held;
using engine::InstantEvaluator;
using plan::ComparisonId;
using plan::Island;

namespace {

State standing_at(State state, double t) {
  state.now = std::max(state.now, t);
  state.at = {state.now, 0, 0};
  return state;
}

}  // namespace

Local::Local(const Plan& plan, const Options& options, const State& state, double t)
    : options_(options),
      state_(standing_at(state, t)),
      work_(plan, options_, state_),
      flow_(work_.runtime, FlowEvaluator::View::Present, FlowEvaluator::Who::Onlooker),
      seen_(work_.runtime, FlowEvaluator::View::Present, FlowEvaluator::Who::Onlooker) {
  // What only a column compares is judged where it is read.
  seen_.judge_unless([](ComparisonId) { return false; });
  work_.clusters.follow_state();
  for (Cluster* cluster : clusters()) work_.runtime.arrive(*cluster);
  x_ = state_.x;
}

std::vector<Cluster*> Local::clusters() const {
  std::vector<Cluster*> out;
  for (Cluster* cluster : work_.runtime.cluster_of_unit) {
    if (std::find(out.begin(), out.end(), cluster) == out.end()) out.push_back(cluster);
  }
  return out;
}

double Local::input(ClockId input) const {
  const Held& held = state_.held[at(input)];
  return held.value + held.slope * (state_.now - held.since);
}

void Local::begin(FlowEvaluator& flow, std::span<const double> x) const {
  flow.begin(state_.now);
  for (std::size_t s = 0; s < x.size(); ++s) flow.set_state(StateId(s), x[s]);
}

bool Local::rates(std::span<const double> x, std::vector<double>& out) {
  out.assign(x.size(), 0.0);
  const bool fine = attempt([&] {
    begin(flow_, x);
    for (Cluster* cluster : clusters()) {
      std::vector<double> rates(cluster->states.size());
      engine::evaluate_rates(work_.runtime, *cluster, flow_, rates);
      for (std::size_t i = 0; i < rates.size(); ++i) out[at(cluster->states[i])] = rates[i];
    }
  });
  if (!fine) flow_.abandon();
  return fine && std::all_of(out.begin(), out.end(), [](double r) { return std::isfinite(r); });
}

bool Local::outputs(std::span<const double> x, const std::vector<RecordedColumn>& columns,
                    std::vector<double>& out) {
  out.clear();
  const bool fine = attempt([&] {
    begin(seen_, x);
    for (const RecordedColumn& column : columns) {
      const std::optional<double> value = seen_.optional(*column.formula);
      out.push_back(value.value_or(NAN));
    }
  });
  if (!fine) seen_.abandon();
  return fine && std::all_of(out.begin(), out.end(), [](double y) { return std::isfinite(y); });
}

bool Local::is_constrained() const {
  for (const Cluster* cluster : clusters()) {
    for (const auto& slot : cluster->slots) {
      if (slot->island->is_constrained()) return true;
    }
  }
  return false;
}

std::optional<std::string> Local::unknown_constraint() const {
  const model::Model& m = work_.runtime.system.model();
  for (const Cluster* cluster : clusters()) {
    for (const auto& slot : cluster->slots) {
      const Island& island = *slot->island;
      if (!island.is_constrained() || (island.is_direct() && !cluster->may_bind_positions))
        continue;
      return island.states().empty() ? "" : m.states[island.states()[0]].name;
    }
  }
  return std::nullopt;
}

bool Local::project(std::span<const double> x, std::vector<double>& out) {
  out.assign(x.begin(), x.end());
  const std::vector<double> before = state_.x;
  state_.x.assign(x.begin(), x.end());
  // Of any size: what tolerance leaves is not all that is asked for here.
  const double tolerance = std::exchange(options_.relative_tolerance, 1e300);
  std::vector<double> changes;
  const bool fine = attempt([&] {
    for (Cluster* cluster : clusters()) {
      for (const auto& slot : cluster->slots) {
        if (!slot->island->is_constrained()) continue;
        work_.inside.begin(InstantEvaluator::View::Committed);
        if (!work_.inside.find_drift(*slot, changes)) changes.clear();
        for (std::size_t i = 0; i < changes.size(); ++i) {
          out[at(slot->island->states()[i])] += changes[i];
        }
      }
    }
  });
  options_.relative_tolerance = tolerance;
  state_.x = before;
  if (!fine) work_.abandon();
  return fine;
}

void Local::jacobian(std::span<const double> x, Eigen::MatrixXd& out, std::vector<char>& known) {
  const auto n = static_cast<Eigen::Index>(x.size());
  out = Eigen::MatrixXd::Zero(n, n);
  known.assign(x.size(), 0);
  if (!state_.slides.empty()) return;
  for (Cluster* cluster : clusters()) {
    const auto code = engine::find_rates(work_.runtime, *cluster);
    if (!code || !code->exists()) continue;
    auto derivative = std::make_shared<plan::Jacobian>(plan::jacobian_of(*code));
    std::vector<double> states, values(derivative->entries.size());
    for (const StateId id : cluster->states) states.push_back(x[at(id)]);
    const bool fine = attempt([&] {
      if (values.empty()) return;
      begin(flow_, x);
      FlowCode run(work_.runtime,
                   std::shared_ptr<const plan::ModeCode>(derivative, &derivative->code), false);
      run.refresh(flow_, work_.runtime);
      run.run(state_.now, states, values);
    });
    if (!fine) {
      flow_.abandon();
      continue;
    }
    for (const StateId id : cluster->states) known[at(id)] = 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const StateId row = cluster->states[static_cast<std::size_t>(derivative->entries[i].row)];
      out(static_cast<Eigen::Index>(at(row)),
          static_cast<Eigen::Index>(at(derivative->entries[i].state))) = values[i];
    }
  }
}

}  // namespace cradle::api
