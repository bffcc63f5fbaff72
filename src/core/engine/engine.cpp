#include "core/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/initial.hpp"

namespace cradle::engine {

namespace {

// Crossings nearer than this are one instant: no location can tell them apart.
double simultaneity(double t) {
  return 32 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300);
}

}  // namespace

Engine::Engine(const Plan& system, Options options, std::vector<RecordedColumn> columns,
               std::vector<RecordedColumn> drawn)
    : system_(system),
      options_(std::move(options)),
      runtime_(system, options_),
      flow_(runtime_, FlowEvaluator::View::Present),
      arrival_(runtime_, FlowEvaluator::View::Arrival),
      choices_(options_),
      tick_(runtime_, arrival_, choices_),
      memories_(runtime_, tick_),
      clusters_(runtime_, flow_, statistics_),
      audit_(runtime_, flow_, arrival_, tick_),
      recorder_(system, options_, std::move(columns), sketch_of(std::move(drawn))),
      zeno_(system.model().automata.size() + system.model().memories.size()) {
  const model::Model& m = system.model();
  watches_.resize(system.relations().size());
  paces_.resize(system.units().size());
  relation_mark_.assign(system.relations().size(), 0);
  automaton_mark_.assign(m.automata.size(), 0);
  unit_mark_.assign(system.units().size(), 0);
  memory_mark_.assign(m.memories.size(), 0);
  spoken_mark_.assign(m.memories.size(), 0);
  has_bonds_ = !m.bonds.empty();
  instant_mark_.assign(system.units().size(), 0);
  integral_may_jump_.assign(m.states.size(), 0);
  relation_is_shown_.assign(system.relations().size(), 0);
  clock_is_shown_.assign(m.clocks.size(), 0);
  if (options_.record) {
    for (const RecordedColumn& column : recorder_.columns()) {
      const plan::Footprint reads = system.footprint(column.value, true);
      for (RelationId r : reads.relations) relation_is_shown_[at(r)] = 1;
      for (ClockId c : reads.clocks) clock_is_shown_[at(c)] = 1;
      for (PreId pre : reads.pres) {
        if (!system.is_read_by_rates(pre)) shown_pres_.push_back(pre);
      }
    }
  }
  if (const Sketch* sketch = recorder_.sketch()) {
    for (const RecordedColumn& column : sketch->columns()) {
      for (PreId pre : system.footprint(column.value, true).pres) {
        const bool shown =
            std::find(shown_pres_.begin(), shown_pres_.end(), pre) != shown_pres_.end();
        if (!shown && !system.is_read_by_rates(pre)) drawn_pres_.push_back(pre);
      }
    }
  }
  for (const plan::Relation& r : system.relations()) {
    const bool alone = !r.in_pre && !r.detector.valid() && r.memories.empty() && r.used_by.empty();
    private_.push_back(r.watched && alone && relation_is_shown_[private_.size()] == 0);
  }
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const model::State& state = m.states[StateId(s)];
    if (state.element.valid()) continue;
    integral_may_jump_[s] = state.impulse.valid() || system.may_be_impulsive(state.rate);
  }
}

std::unique_ptr<Sketch> Engine::sketch_of(std::vector<RecordedColumn> drawn) {
  if (!options_.record || drawn.empty()) return nullptr;
  return std::make_unique<Sketch>(runtime_, options_, std::move(drawn),
                                  [this](RelationId r) { return is_live(r) && !is_private(r); });
}

// Runs a piece of the engine; what goes wrong ends the run with a diagnosis.
template <class Work>
void Engine::guarded(Work&& work) {
  try {
    work();
    return;
  } catch (const RunFault& fault) {
    fail(fault);
  } catch (const IslandProblem& problem) {
    fail(describe(problem.fault));
  } catch (const LoopFault& fault) {
    fail(describe(fault));
  } catch (const plan::ArithmeticFault& fault) {
    fail(describe(fault));
  } catch (const OpenChoice& open) {
    open_choice_ = open;
    fail(describe(open));
    record_undecided();
  }
  flow_.abandon();
  arrival_.abandon();
  tick_.abandon();
  recorder_.end_instant();
}

void Engine::fail(const RunFault& fault) {
  outcome_.ending = fault.ending;
  outcome_.at = now_;
  if (!fault.diagnostic.kind.empty()) outcome_.diagnostics.push_back(fault.diagnostic);
}

bool Engine::advance() {
  const std::size_t before = rows();
  if (outcome_.ending != Ending::Running) return false;
  recorder_.begin();
  while (outcome_.ending == Ending::Running && rows() == before) {
    guarded([this] {
      if (!started_)
        start();
      else
        step_agenda();
    });
  }
  if (outcome_.ending != Ending::Running) recorder_.finish();
  return true;
}

void Engine::run() {
  recorder_.begin();
  while (outcome_.ending == Ending::Running) {
    guarded([this] {
      if (!started_) start();
      while (outcome_.ending == Ending::Running) step_agenda();
    });
  }
  recorder_.finish();
}

void Engine::start() {
  started_ = true;
  const model::Model& m = system_.model();
  if (!options_.until && !m.until) {
    Diagnostic diagnostic("run.no-end", "nothing says how long the run shall be");
    diagnostic.help("give --until T, or write `until T` into the model");
    throw RunFault{Ending::ModelError, diagnostic};
  }
  until_ = options_.until ? *options_.until : *m.until;
  for (const model::Memory& memory : m.memories) {
    if (memory.period > 0) check_period(memory.period, memory.offset, memory.limit, memory.span);
  }
  for (std::size_t c = 0; c < m.clocks.size(); ++c) {
    const model::Clock& clock = m.clocks[ClockId(c)];
    check_period(clock.period, clock.offset, -1, clock.span);
    int64_t& count = runtime_.clock_count[c];
    count = static_cast<int64_t>(std::floor(-clock.offset / clock.period)) + 1;
    const double due = clock.offset + static_cast<double>(count) * clock.period;
    if (due <= until_) agenda_.push({due, Entry::Kind::Clock, static_cast<int64_t>(c), 0});
  }
  runtime_.arrival_clock_count = runtime_.clock_count;
  for (std::size_t i = 0; i < m.memories.size(); ++i) schedule(MemoryId(i), 0);
  std::vector<UnitId> all;
  for (std::size_t u = 0; u < system_.units().size(); ++u) all.push_back(UnitId(u));
  clusters_.rebuild(all);
  clusters_.settle_arrival();
  set_initial_state(runtime_, flow_);
  initial_x_ = runtime_.x;
  modes_seen_.insert(mode_hash_);
  audit_.begin();
  arrival_.begin(0);
  tick_.begin(TickEvaluator::View::Committed);
  std::vector<RelationId> relations;
  for (std::size_t r = 0; r < system_.relations().size(); ++r) {
    relations.push_back(RelationId(r));
    // What begins within rounding of zero has crossed it already.
    runtime_.truth[r] = system_.relations()[RelationId(r)].detector.valid() ? 1 : 0;
  }
  refresh_truths(relations);
  if (options_.every > 0 && options_.record) {
    samples_taken_ = 1;
    agenda_.push({options_.every, Entry::Kind::Sample, 0, 0});
  }
  triggers_.start = true;
  take_events(0);
  instant(0, triggers_);
  triggers_.start = false;
  rewatch(relations);
  statistics_.modes_visited = static_cast<int64_t>(modes_seen_.size());
}

// A clock whose ticks are too close to be told apart would never let time go on.
void Engine::check_period(double period, double offset, int64_t limit, const Span& span) const {
  constexpr double kMostTicks = 9007199254740992;  // 2⁵³: beyond, j is no exact double
  const double last = limit >= 0 ? offset + static_cast<double>(limit) * period : until_;
  const double end = std::min(until_, last);
  const bool alike = limit != 1 && end > 0 && end - period == end;
  if ((end - std::max(offset, 0.0)) / period < kMostTicks && !alike) return;
  Diagnostic d("clock.period", "the period of a clock, " + format_number(period) +
                                   ", is too short for a run of " + format_number(until_));
  d.at(span, format_number(period));
  d.rule("the ticks of a clock are times that can be told apart");
  d.help("choose a longer period, or a unit of time in which the run is shorter");
  throw RunFault{Ending::ModelError, d};
}

// The j-th event of a schedule. Its time is computed from its definition, never added up.
void Engine::schedule(MemoryId id, int64_t j) {
  const model::Memory& memory = system_.model().memories[id];
  if (memory.kind != model::Memory::Kind::Schedule) return;
  if (memory.limit >= 0 && j >= memory.limit) return;
  if (memory.period == 0 && j > 0) return;
  const double due = memory.offset + static_cast<double>(j) * memory.period;
  if (due < 0) {  // before the beginning
    if (memory.period > 0) schedule(id, j + static_cast<int64_t>(std::ceil(-due / memory.period)));
    return;
  }
  if (due <= until_) {
    agenda_.push({due, Entry::Kind::Event, id.index, static_cast<uint64_t>(j)});
  }
}

// An event that is due: of a schedule, or of a time delay.
void Engine::take_event(const Entry& entry, Triggers& triggers) {
  const MemoryId id(static_cast<std::size_t>(entry.id));
  const model::Memory& memory = system_.model().memories[id];
  if (memory.kind != model::Memory::Kind::Schedule) {
    auto future = futures_.find(static_cast<int64_t>(entry.version));
    if (future == futures_.end()) return;  // forgotten with its mode
    triggers.events.emplace_back(id, future->second.value);
    futures_.erase(future);
    return;
  }
  schedule(id, static_cast<int64_t>(entry.version) + 1);
  if (!runtime_.is_active(memory.region)) return;
  const double value =
      memory.values.empty() ? 1 : memory.values[entry.version % memory.values.size()];
  triggers.events.emplace_back(id, value);
}

// Those that are due at the very beginning.
void Engine::take_events(double t) {
  while (!agenda_.empty() && agenda_.top().time <= t && agenda_.top().kind == Entry::Kind::Event) {
    const Entry entry = agenda_.top();
    agenda_.pop();
    take_event(entry, triggers_);
  }
}

void Engine::check_progress() {
  if (!options_.progress || ++quiet_ < 64) return;
  quiet_ = 0;
  if (!options_.progress(runtime_.now)) {
    outcome_.ending = Ending::Cancelled;
    outcome_.at = {runtime_.now, 0, 0};
  }
}

void Engine::check_rows() const {
  if (options_.max_rows <= 0) return;
  if (recorder_.rows() >= static_cast<std::size_t>(options_.max_rows)) throw too_many_rows();
}

Cluster* Engine::cluster_at(int64_t unit, uint64_t version) {
  Cluster* cluster = runtime_.cluster_of_unit[static_cast<std::size_t>(unit)];
  return cluster->installed == version ? cluster : nullptr;
}

void Engine::step_agenda() {
  check_progress();
  if (outcome_.ending != Ending::Running) return record_failure();
  if (agenda_.empty() || agenda_.top().time > until_) {
    finish();
    return;
  }
  check_rows();
  const Entry entry = agenda_.top();
  agenda_.pop();
  switch (entry.kind) {
    case Entry::Kind::Crossing:
    case Entry::Kind::Clock:
    case Entry::Kind::Event:
      gather_and_tick(entry);
      break;
    case Entry::Kind::TimeWatch: {
      Watch& watch = watches_[static_cast<std::size_t>(entry.id)];
      if (watch.version == entry.version) scan(RelationId(static_cast<std::size_t>(entry.id)));
      break;
    }
    case Entry::Kind::Sample: {
      now_ = {entry.time, 0, 0};
      record_evolving(entry.time);
      const double next = static_cast<double>(++samples_taken_) * options_.every;
      if (next <= until_) agenda_.push({next, Entry::Kind::Sample, 0, 0});
      break;
    }
    case Entry::Kind::ClusterEnd:
      if (Cluster* cluster = cluster_at(entry.id, entry.version)) step_cluster(*cluster);
      break;
  }
  statistics_.modes_visited = static_cast<int64_t>(modes_seen_.size());
}

// All crossings and clocks of one instant.
void Engine::gather_and_tick(const Entry& first) {
  Triggers& triggers = triggers_;
  triggers.relations.clear();
  triggers.clocks.clear();
  triggers.events.clear();
  double t = first.time;
  bool mergeable = true;  // a time that the model names is kept exactly
  auto take = [&](const Entry& entry) {
    if (entry.kind == Entry::Kind::Clock) {
      ClockId clock(static_cast<std::size_t>(entry.id));
      triggers.clocks.push_back(clock);
      mergeable = false;
      const model::Clock& c = system_.model().clocks[clock];
      const auto next = static_cast<double>(runtime_.clock_count[at(clock)] + 1);
      const double due = c.offset + next * c.period;
      if (due <= until_) agenda_.push({due, Entry::Kind::Clock, entry.id, 0});
      return;
    }
    if (entry.kind == Entry::Kind::Event) {
      mergeable = false;
      take_event(entry, triggers);
      return;
    }
    Watch& watch = watches_[static_cast<std::size_t>(entry.id)];
    if (watch.version != entry.version) return;
    watch.pending = false;
    RelationId r(static_cast<std::size_t>(entry.id));
    if (system_.relations()[r].units.empty()) mergeable = false;
    if (is_live(r)) triggers.relations.push_back(r);
  };
  take(first);
  std::optional<Entry> sample;  // a grid point between crossings does not tell them apart
  while (!agenda_.empty()) {
    const Entry& next = agenda_.top();
    if (next.kind == Entry::Kind::Sample && next.time <= first.time + simultaneity(t)) {
      sample = next;
      agenda_.pop();
      continue;
    }
    const bool crossing = next.kind == Entry::Kind::Crossing;
    const bool same = next.time == t && (crossing || next.kind == Entry::Kind::Clock ||
                                         next.kind == Entry::Kind::Event);
    const bool close =
        crossing && mergeable && next.time <= first.time + simultaneity(t) && next.time <= until_ &&
        !system_.relations()[RelationId(static_cast<std::size_t>(next.id))].units.empty();
    if (!same && !close) break;
    t = next.time;
    Entry entry = next;
    agenda_.pop();
    take(entry);
  }
  if (sample) {
    sample->time = std::max(sample->time, t);
    agenda_.push(*sample);
  }
  if (triggers.relations.empty() && triggers.clocks.empty() && triggers.events.empty()) return;
  instant(t, triggers);
}

void Engine::solver_failure(const Cluster& cluster, solve::StepResult result) {
  Diagnostic diagnostic("run.solver", "");
  const std::string what = result == solve::StepResult::NotFinite ? "a rate is not finite"
                           : result == solve::StepResult::StepTooSmall
                               ? "the tolerance cannot be met with any step"
                               : cluster.solver->failure();
  diagnostic.message = "time cannot go on from " + to_string(now_) + ": " + what;
  std::string states;
  int shown = 0;
  for (StateId s : cluster.states) {
    if (++shown > 6) {
      states += ", …";
      break;
    }
    if (!states.empty()) states += ", ";
    states += system_.model().states[s].name + " = " + format_number(runtime_.x[at(s)]);
  }
  diagnostic.at(system_.model().states[cluster.states[0]].span);
  diagnostic.note("state", states);
  diagnostic.help(
      "look for a law or source that has no value there: a division by zero, the root of a "
      "negative number (write sqrt(max(h, 0)) if h ends at 0); or ask for a looser --tolerance");
  throw RunFault{Ending::SolverFailure, diagnostic};
}

void Engine::step_cluster(Cluster& cluster) {
  if (cluster.end >= until_) return;
  if (cluster.stepped) {
    if (options_.audit) audit_.evolved(cluster, cluster.end);
    if (options_.record_steps) record_step(cluster.end);
  }
  runtime_.now = std::max(runtime_.now, cluster.end);
  now_ = {runtime_.now, 0, 0};
  clusters_.prepare_step(cluster);
  const solve::StepResult result = cluster.solver->step(until_);
  if (result != solve::StepResult::Ok) {
    for (std::size_t i = 0; i < cluster.states.size(); ++i) {
      runtime_.x[at(cluster.states[i])] = cluster.solver->state()[i];
    }
    record_failure();
    if (cluster.rhs_failure) std::rethrow_exception(cluster.rhs_failure);
    solver_failure(cluster, result);
  }
  cluster.rhs_failure = nullptr;
  cluster.stepped = true;
  cluster.end = cluster.solver->end();
  const solve::Solver::Counts counts = cluster.solver->counts();
  Pace& pace = paces_[at(cluster.units[0])];
  pace.steps += counts.steps - cluster.counted.steps;
  pace.rejected += counts.rejected - cluster.counted.rejected;
  statistics_.solver_steps += counts.steps - cluster.counted.steps;
  statistics_.rejected_steps += counts.rejected - cluster.counted.rejected;
  statistics_.evaluations += counts.evaluations - cluster.counted.evaluations;
  cluster.counted = counts;
  if (statistics_.solver_steps > options_.max_steps) {
    record_failure();
    throw bound_reached("--max-steps", options_.max_steps, "the solver needs too many steps");
  }
  watch_crawling(cluster, runtime_.now);
  if (cluster.end < until_) {
    agenda_.push({cluster.end, Entry::Kind::ClusterEnd, cluster.units[0].index, cluster.installed});
  }
  watch_cluster(cluster);
}

// More steps are rejected than taken, and at this pace the run would take hundreds of millions of
// them: the solver stands at a leap of a law and cannot pass it.
void Engine::watch_crawling(const Cluster& cluster, double begin) {
  constexpr int64_t kWindow = 5000;
  constexpr double kHopeless = 1e5;  // windows to the end
  Pace& pace = paces_[at(cluster.units[0])];
  if (pace.since < 0) pace.since = begin;
  if (pace.steps < kWindow) return;
  const bool crawls = pace.rejected > pace.steps && (cluster.end - pace.since) * kHopeless < until_;
  const double since = pace.since;
  pace = {};
  if (!crawls) return;
  record_failure();
  throw crawling(cluster, since);
}

void Engine::finish() {
  runtime_.now = until_;
  now_ = {until_, 0, 0};
  if (options_.audit) {
    for (Cluster* cluster : runtime_.cluster_of_unit) {
      if (cluster->audited < until_) audit_.evolved(*cluster, until_);
    }
  }
  record_evolving(until_);
  for (Cluster* cluster : runtime_.cluster_of_unit) runtime_.arrive(*cluster);
  outcome_.ending = Ending::Finished;
  outcome_.at = now_;
}

std::vector<double> Engine::state() const {
  std::vector<double> out(runtime_.x);
  for (int mode : runtime_.mode) out.push_back(mode);
  for (int64_t count : runtime_.clock_count) out.push_back(static_cast<double>(count));
  auto add = [&out](const plan::Value& value) {
    out.push_back(value.is_present() ? 1 : 0);
    out.push_back(value.is_present() ? value.finite : 0);
    out.push_back(value.is_present() ? value.impulse : 0);
  };
  for (const plan::Value& value : runtime_.memory) add(value);
  // What is still to be said, and what has been decided, at this instant.
  for (const auto& [memory, value] : memories_.waiting()) {
    out.push_back(memory.index);
    add(value);
  }
  for (const Choices::Made& made : choices_.made()) {
    out.insert(out.end(),
               {static_cast<double>(made.choice.index), static_cast<double>(made.automaton.index),
                static_cast<double>(made.alternative)});
  }
  for (const auto& [order, future] : futures_) {
    out.insert(out.end(), {future.time, static_cast<double>(future.memory.index)});
    add(future.value);
  }
  return out;
}

EnergyAudit Engine::audit() const { return const_cast<Audit&>(audit_).result(); }

}  // namespace cradle::engine
