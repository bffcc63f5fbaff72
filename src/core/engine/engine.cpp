#include "core/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/assert.hpp"
#include "core/engine/attempt.hpp"
#include "core/engine/initial.hpp"

namespace cradle::engine {

namespace {

using Kind = Agenda::Entry::Kind;

// Times nearer than this are one instant: rounding can tell them apart, and nothing else.
double simultaneity(double t) {
  return 32 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300);
}

}  // namespace

Engine::Engine(const Plan& plan, Options options, std::vector<RecordedColumn> columns,
               std::vector<RecordedColumn> drawn)
    : plan_(plan),
      options_(std::move(options)),
      state_(plan, options_),
      work_(plan, options_, state_),
      agenda_(work_.runtime),
      watcher_(work_.runtime, work_.flow, work_.inside, work_.memories, work_.clusters, agenda_),
      onlookers_(work_.runtime, watcher_, work_.clusters, work_.choices, outcome_,
                 std::move(columns), std::move(drawn)),
      instant_({work_.runtime, work_.arrival, work_.inside, work_.choices, work_.memories,
                work_.clusters, work_.sliding, work_.positions, agenda_, watcher_, onlookers_}) {}

Engine::~Engine() = default;

// Runs a piece of the engine; what goes wrong ends the run with a diagnosis.
template <class Work>
void Engine::guarded(Work&& work) {
  const Runtime& runtime = work_.runtime;
  try {
    work();
    return;
  } catch (const RunFault& fault) {
    fail(fault);
  } catch (const IslandProblem& problem) {
    fail(describe(runtime, problem.fault));
  } catch (const LoopFault& fault) {
    fail(describe(runtime, fault, work_.inside));
  } catch (const plan::ArithmeticFault& fault) {
    fail(describe(runtime, BlamedFault{fault}));
  } catch (const BlamedFault& fault) {
    fail(describe(runtime, fault));
  } catch (const OpenChoice& open) {
    open_choice_ = open;
    fail(describe(runtime, open));
    work_.abandon();
    attempt([this] {
      if (!state_.instant.happened) onlookers_.happens();
      onlookers_.has_no_end(RowKind::Undecided);
    });
  }
  work_.abandon();
  onlookers_.recorder().end_instant();
}

// Borders that have been gone along, those that the run is on last.
void Engine::tell_slides() {
  outcome_.slides.clear();
  for (const Slid& slid : state_.slid) {
    outcome_.slides.push_back({border_text(work_.runtime, slid.border), slid.begin, slid.end});
  }
  for (const Slide& slide : state_.slides) {
    outcome_.slides.push_back(
        {border_text(work_.runtime, slide.border), slide.since, outcome_.at.t});
  }
  outcome_.slide_count = state_.slid_count + std::ssize(state_.slides);
}

void Engine::fail(const RunFault& fault) {
  outcome_.ending = fault.ending;
  outcome_.at = state_.at;
  tell_slides();
  if (!fault.diagnostic.kind.empty()) outcome_.diagnostics.push_back(fault.diagnostic);
}

// Where the run ends, if nothing ends it before.
double Engine::end() const {
  if (const std::optional<double> length = work_.runtime.length()) return *length;
  Diagnostic diagnostic("run.no-end", "nothing says how long the run shall be");
  diagnostic.help("give --until T, or write `until T` into the model");
  throw RunFault{Ending::ModelError, diagnostic};
}

bool Engine::advance() {
  if (outcome_.ending != Ending::Running) return false;
  onlookers_.recorder().begin();
  const std::size_t before = rows();
  while (rows() == before && go_on()) {
  }
  if (outcome_.ending != Ending::Running) onlookers_.recorder().finish();
  return true;
}

bool Engine::go_on() {
  if (outcome_.ending != Ending::Running) return false;
  guarded([this] {
    const double t = end();
    if (!step(t) && outcome_.ending == Ending::Running) finish(t);
  });
  return outcome_.ending == Ending::Running;
}

bool Engine::run(const std::function<bool()>& pause) {
  onlookers_.recorder().begin();
  bool paused = false;
  if (outcome_.ending == Ending::Running) {
    guarded([&] {
      const double t = end();
      do {
        paused = pause && !state_.instant.under_way && pause();
      } while (!paused && step(t));
      if (!paused && outcome_.ending == Ending::Running) finish(t);
    });
  }
  if (!paused) onlookers_.recorder().finish();
  return !paused;
}

bool Engine::advance_to(double t) {
  onlookers_.recorder().begin();
  guarded([this, t] {
    while (outcome_.ending == Ending::Running && step(t)) {
    }
    if (outcome_.ending != Ending::Running) return;
    onlookers_.flows_to(t);
    onlookers_.stops_at(t);
    state_.reached = std::max(state_.reached, t);
  });
  return outcome_.ending == Ending::Running;
}

// The run has come to where it should end.
void Engine::finish(double t) {
  onlookers_.flows_to(t);
  state_.now = std::max(state_.now, t);
  state_.at = {state_.now, 0, 0};
  onlookers_.stops_at(t);
  onlookers_.judges_books();
  for (Cluster* cluster : work_.runtime.cluster_of_unit) work_.runtime.arrive(*cluster);
  outcome_.ending = Ending::Finished;
  outcome_.at = state_.at;
  tell_slides();
}

bool Engine::step(double t) {
  check_progress();
  if (outcome_.ending != Ending::Running) return false;
  if (!state_.started) start();
  onlookers_.check_rows();
  if (state_.instant.under_way) {
    instant_.step();
    state_.statistics.modes_visited = static_cast<int64_t>(state_.modes_seen.size());
    return true;
  }
  const Agenda::Entry* first = agenda_.first();
  if (first == nullptr || first->time > t) return false;
  const double first_time = first->time;
  onlookers_.flows_to(first_time);
  switch (first->kind) {
    case Kind::Crossing:
    case Kind::Clock:
    case Kind::Event:
      begin_instant(t);
      break;
    case Kind::Look: {
      const Agenda::Entry entry = *first;
      agenda_.pop();
      look(entry);
      break;
    }
    case Kind::CourseEnd: {
      Cluster& cluster = *work_.runtime.cluster_of_unit[static_cast<std::size_t>(first->id)];
      agenda_.pop();
      if (work_.runtime.course_of(cluster).stepped) onlookers_.shows_step(first_time);
      step_cluster(cluster, t);
      break;
    }
  }
  return true;
}

void Engine::start() {
  state_.started = true;
  // A state that stands at ⟨0 − ε⟩ says itself where the run begins, whatever the model says.
  const bool given = state_.at.eps < 0;
  const std::vector<double> given_x = state_.x;
  state_.at = {};
  const model::Model& m = plan_.model();
  for (std::size_t c = 0; c < m.clocks.size(); ++c) {
    const model::Clock& clock = m.clocks[ClockId(c)];
    if (clock.input.valid()) {
      work_.runtime.inputs.take(ClockId(c), 0);
      agenda_.add_clock(ClockId(c));
      continue;
    }
    const double period = plan_.period(clock), offset = plan_.offset(clock);
    check_period(period, offset, -1, clock.span);
    state_.clock_count[c] = work_.runtime.count_at_start(ClockId(c));
    agenda_.add_clock(ClockId(c));
  }
  state_.arrival_clock_count = state_.clock_count;
  state_.arrival_held = state_.held;
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const model::Memory& memory = m.memories[MemoryId(i)];
    if (memory.period.valid()) {
      check_period(plan_.period(memory), plan_.offset(memory), memory.limit, memory.span);
    }
    if (schedule(MemoryId(i), 0)) agenda_.add_event(MemoryId(i));
  }
  std::vector<UnitId> all;
  for (std::size_t u = 0; u < plan_.units().size(); ++u) all.push_back(UnitId(u));
  work_.clusters.rebuild(all, [](UnitId) {});
  work_.clusters.settle_arrival();
  set_initial_state(work_.runtime, work_.flow);
  state_.initial_x = state_.x;
  if (given) state_.x = given_x;
  state_.arrival_x = state_.x;
  for (std::size_t s = 0; s < state_.x.size(); ++s) state_.worth[s] = std::abs(state_.x[s]);
  state_.modes_seen.insert(state_.mode_hash);
  instant_.judge_all();
  onlookers_.begin();
  triggers_ = {};
  triggers_.start = true;
  take_events_at_start();
  instant_.begin(0, triggers_);
}

// The event of a schedule with this number or, if that lies before the beginning, the first that
// does not. False if there is none.
bool Engine::schedule(MemoryId id, int64_t number) {
  const model::Memory& memory = plan_.model().memories[id];
  if (memory.kind != model::Memory::Kind::Schedule) return false;
  const double period = plan_.period(memory);
  const double first = plan_.offset(memory) + static_cast<double>(number) * period;
  if (first < 0 && period > 0) number += static_cast<int64_t>(std::ceil(-first / period));
  const bool over =
      (memory.limit >= 0 && number >= memory.limit) || (period == 0 && (number > 0 || first < 0));
  state_.scheduled[at(id)] = over ? -1 : number;
  return !over;
}

void Engine::take_event(const Agenda::Entry& entry) {
  const MemoryId id(static_cast<std::size_t>(entry.id));
  const model::Memory& memory = plan_.model().memories[id];
  if (memory.kind != model::Memory::Kind::Schedule) {
    const auto future = state_.futures.find(entry.number);
    triggers_.events.emplace_back(id, future->second.value);
    state_.futures.erase(future);
    return;
  }
  if (memory.period.valid()) check_clock(plan_.period(memory), entry.time, memory.span);
  if (schedule(id, entry.number + 1)) agenda_.add_event(id);
  if (!work_.runtime.is_active(memory.region)) return;
  const auto number = static_cast<std::size_t>(entry.number);
  triggers_.events.emplace_back(
      id, memory.values.empty() ? 1 : plan_.number(memory.values[number % memory.values.size()]));
}

// Those that are due at the very beginning.
void Engine::take_events_at_start() {
  for (const Agenda::Entry* first = agenda_.first();
       first != nullptr && first->time <= 0 && first->kind == Kind::Event;
       first = agenda_.first()) {
    const Agenda::Entry entry = *first;
    agenda_.pop();
    take_event(entry);
  }
}

namespace {

constexpr double kMostTicks = 9007199254740992;  // 2⁵³: beyond, j is no exact double

RunFault too_fast(double period, const std::string& what, const Span& span) {
  Diagnostic d("clock.period",
               "the period of a clock, " + format_number(period) + ", is too short " + what);
  d.at(span, format_number(period));
  d.rule("the ticks of a clock are times that can be told apart");
  d.help("choose a longer period, or a unit of time in which the run is shorter");
  return {Ending::ModelError, d};
}

}  // namespace

// A clock whose ticks are too close to be told apart would never let time go on. Before the run, if
// its length is known, and at each tick.
void Engine::check_period(double period, double offset, int64_t limit, const Span& span) const {
  const std::optional<double> length = work_.runtime.length();
  if (!length) return;
  const double last = limit >= 0 ? offset + static_cast<double>(limit) * period : *length;
  const double end = std::min(*length, last);
  const bool alike = limit != 1 && end > 0 && end - period == end;
  if ((end - std::max(offset, 0.0)) / period < kMostTicks && !alike) return;
  throw too_fast(period, "for a run of " + format_number(*length), span);
}

void Engine::check_clock(double period, double due, const Span& span) const {
  if (due + period > due && due / period < kMostTicks) return;
  throw too_fast(period, "at " + to_string(Instant{due, 0, 0}), span);
}

void Engine::look(const Agenda::Entry& entry) {
  const ComparisonId comparison(static_cast<std::size_t>(entry.id));
  state_.watches[at(comparison)].due = Watch::Due::Nothing;
  watcher_.look(comparison);
}

// What an entry brings about.
void Engine::take(const Agenda::Entry& entry) {
  switch (entry.kind) {
    case Kind::Clock: {
      const ClockId clock(static_cast<std::size_t>(entry.id));
      const model::Clock& c = plan_.model().clocks[clock];
      if (!c.input.valid()) check_clock(plan_.period(c), entry.time, c.span);
      triggers_.clocks.push_back(clock);
      break;
    }
    case Kind::Event:
      take_event(entry);
      break;
    default: {
      const ComparisonId comparison(static_cast<std::size_t>(entry.id));
      state_.watches[at(comparison)].due = Watch::Due::Nothing;
      if (watcher_.is_live(comparison)) triggers_.comparisons.push_back(comparison);
      break;
    }
  }
}

// All crossings, clocks and events of one instant: whatever agrees within rounding, whoever
// computed it. Comparisons of time that have to be searched on just there may have more to say, and
// so may steps that end there.
void Engine::begin_instant(double horizon) {
  triggers_.comparisons.clear();
  triggers_.clocks.clear();
  triggers_.events.clear();
  triggers_.start = false;
  const double first = agenda_.first()->time;
  double t = first;
  bool step_ends = false;  // of some cluster. An instant shows what stands at its time itself
  for (const Agenda::Entry* next = agenda_.first(); next != nullptr; next = agenda_.first()) {
    if (next->time > first + simultaneity(first)) break;
    const Agenda::Entry entry = *next;
    agenda_.pop();
    if (entry.kind != Kind::Look) t = std::max(t, entry.time);
    if (entry.kind == Kind::Look) {
      look(entry);
    } else if (entry.kind == Kind::CourseEnd) {
      Cluster& cluster = *work_.runtime.cluster_of_unit[static_cast<std::size_t>(entry.id)];
      step_ends |= work_.runtime.course_of(cluster).stepped;
      step_cluster(cluster, horizon);
    } else {
      take(entry);
    }
  }
  if (triggers_.comparisons.empty() && triggers_.clocks.empty() && triggers_.events.empty()) {
    if (step_ends) onlookers_.shows_step(t);
    return;
  }
  watcher_.check_arrival(t, triggers_);
  instant_.begin(t, triggers_);
  for (ClockId clock : triggers_.clocks) agenda_.add_clock(clock);
}

void Engine::step_cluster(Cluster& cluster, double horizon) {
  Course& course = work_.runtime.course_of(cluster);
  if (course.stepped) {
    onlookers_.ends_step(cluster);
    work_.runtime.remember_worth(cluster, course.end);
  }
  state_.now = std::max(state_.now, course.end);
  state_.at = {state_.now, 0, 0};
  keep_on_borders(cluster);
  keep_in_place(cluster);
  work_.clusters.prepare_step(cluster);
  solve::StepResult result = cluster.solver->step(HUGE_VAL);
  // What fails only beyond the horizon need not concern those who do not look there.
  if (result != solve::StepResult::Ok && horizon > course.end) {
    result = cluster.solver->step(horizon);
  }
  count_work(cluster);
  if (result != solve::StepResult::Ok) {
    for (std::size_t i = 0; i < cluster.states.size(); ++i) {
      state_.x[at(cluster.states[i])] = cluster.solver->state()[i];
    }
    onlookers_.breaks_off();
    if (cluster.rhs_failure) std::rethrow_exception(cluster.rhs_failure);
    throw solver_failure(work_.runtime, cluster, result);
  }
  cluster.rhs_failure = nullptr;
  course.stepped = true;
  course.end = cluster.solver->end();
  if (state_.statistics.solver_steps > options_.max_steps) {
    onlookers_.breaks_off();
    throw bound_reached(work_.runtime, "--max-steps", options_.max_steps,
                        "the solver needs too many steps");
  }
  watch_crawling(cluster, state_.now);
  agenda_.add_end(cluster);
  watcher_.watch_cluster(cluster);
}

// A step is as exact as its tolerance, but steps add up: what is slid along is not left by them. A
// solver of many steps loses its past by that, so it is not done for rounding.
void Engine::keep_on_borders(Cluster& cluster) {
  const Course& course = work_.runtime.course_of(cluster);
  if (!course.stepped || !work_.runtime.slides(cluster)) return;
  std::vector<double> x(cluster.solver->state().begin(), cluster.solver->state().end());
  if (work_.sliding.project(cluster, course.end, x) != Sliding::Drift::BeyondTolerance) return;
  cluster.solver->restart(course.end, x, cluster.solver->next_step_hint());
}

// The same of what constraints bind. Where an instant has just been, it has seen to that.
void Engine::keep_in_place(Cluster& cluster) {
  constexpr int64_t kSteps = 8;  // within the tolerance; explicit ones are much better than that
  const Course& course = work_.runtime.course_of(cluster);
  const bool often = course.motion.implicit || cluster.may_bind_positions;
  const bool is_due = often || state_.paces[at(cluster.units[0])].steps % kSteps == 0;
  if (!cluster.is_constrained && !cluster.may_bind_positions) return;
  std::vector<double>& x = bound_;
  x.assign(cluster.solver->state().begin(), cluster.solver->state().end());
  if (!course.stepped) {
    if (cluster.may_bind_positions) work_.positions.begin(cluster, course.end, x);
    return;
  }
  if (!is_due) return;
  bool moved = cluster.may_bind_positions && work_.positions.project(cluster, course.end, x);
  moved |= cluster.is_constrained && work_.positions.project_stores(cluster, course.end, x);
  if (moved) cluster.solver->restart(course.end, x, cluster.solver->next_step_hint());
}

void Engine::count_work(Cluster& cluster) {
  const solve::Solver::Counts counts = cluster.solver->counts();
  const solve::Solver::Counts before = std::exchange(cluster.counted, counts);
  Pace& pace = state_.paces[at(cluster.units[0])];
  pace.steps += counts.steps - before.steps;
  pace.rejected += counts.rejected - before.rejected;
  state_.statistics.solver_steps += counts.steps - before.steps;
  state_.statistics.rejected_steps += counts.rejected - before.rejected;
  state_.statistics.evaluations += counts.evaluations - before.evaluations;
}

// The solver stands at a leap of a law and cannot pass it. Either its last steps are hardly longer
// than the digits of time, or more are rejected than taken, and time hardly goes on.
void Engine::watch_crawling(const Cluster& cluster, double begin) {
  constexpr int64_t kLately = 250, kWindow = 5000;
  constexpr double kDigits = 128 * std::numeric_limits<double>::epsilon() * kLately;
  constexpr double kHopeless = 1e5;  // windows to where the run should end
  Pace& pace = state_.paces[at(cluster.units[0])];
  if (pace.since < 0) pace.since = pace.lately = begin;
  if (pace.steps % kLately != 0) return;
  // From begin to begin: a step may end far behind the event that cuts it off.
  const bool stands = begin - std::exchange(pace.lately, begin) < kDigits * std::abs(begin);
  if (!stands && pace.steps < kWindow) return;
  const double whole = work_.runtime.length().value_or(std::max(1.0, std::abs(begin)));
  const double gained = work_.runtime.course_of(cluster).end - pace.since;
  const bool hopeless = gained * kHopeless < whole && pace.steps >= kWindow;
  const Pace last = std::exchange(pace, {});
  if (!stands && !(hopeless && last.rejected > last.steps)) return;
  onlookers_.breaks_off();
  throw crawling(work_.runtime, cluster, last);
}

void Engine::check_progress() {
  if (!options_.progress || ++quiet_ < 64) return;
  quiet_ = 0;
  if (options_.progress(state_.now)) return;
  outcome_.ending = Ending::Cancelled;
  outcome_.at = {state_.now, 0, 0};
  if (!state_.instant.under_way) onlookers_.breaks_off();
}

void Engine::set_input(ClockId input, double value) {
  // Not before what has been seen.
  const double seen = onlookers_.recorder().last_time().value_or(0);
  state_.reached = std::max(state_.reached, seen);
  work_.runtime.inputs.set(input, value);
  if (state_.started) agenda_.add_clock(input);
}

void Engine::restore(const State& state, std::optional<std::vector<int>> decisions) {
  state_ = state;
  outcome_ = {};
  open_choice_.reset();
  work_.abandon();
  if (state_.started) {
    work_.clusters.follow_state();
    agenda_.follow_state();
    instant_.follow_state();
  }
  onlookers_.begin_anew();
  if (decisions) work_.choices.follow(*std::move(decisions));
}

}  // namespace cradle::engine
