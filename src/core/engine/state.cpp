#include "core/engine/state.hpp"

#include <algorithm>

#include "base/basics/bytes.hpp"

// What each part of a state consists of, for saving and loading.
namespace cradle {

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Instant>
void fields(Archive& archive, T& at) { archive(at.t, at.eps, at.step); }

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Statistics>
void fields(Archive& a, T& s) {
  a(s.events, s.microsteps, s.epsilon_steps, s.jumps, s.mythical, s.pinnacles, s.modes_visited,
    s.islands_analysed, s.islands_reused, s.solver_steps, s.rejected_steps, s.evaluations);
}

namespace plan {
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Value>
void fields(Archive& archive, T& value) { archive(value.finite, value.impulse, value.status); }
}  // namespace plan

namespace solve {
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Motion>
void fields(Archive& a, T& m) {
  a(m.begin, m.end, m.next_step, m.x, m.x_new, m.size, m.may_be_exact, m.exact, m.is_polynomial,
    m.unit, m.series, m.collocated, m.shortest, m.previous_error, m.has_slope, m.slope_moves,
    m.stiff_steps, m.mild_steps, m.slopes, m.implicit, m.has_been_stiff, m.explicit_step, m.fresh,
    m.origin, m.origin_hint, m.x_origin, m.limits);
}
}  // namespace solve

namespace engine {

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Move>
void fields(Archive& a, T& m) { a(m.automaton, m.transition, m.entering); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Held>
void fields(Archive& a, T& h) { a(h.value, h.slope, h.since); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Watch>
void fields(Archive& a, T& w) {
  a(w.checked, w.due, w.due_at, w.window, w.looks, w.margin, w.ahead, w.turning, w.not_before);
}
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Course>
void fields(Archive& a, T& c) {
  a(c.at, c.end, c.stepped, c.step_hint, c.motion, c.start, c.start_at_origin, c.seen);
}
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Hint>
void fields(Archive& a, T& h) { a(h.step, h.stiff); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Pace>
void fields(Archive& a, T& p) { a(p.since, p.lately, p.steps, p.rejected); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, ZenoHistory>
void fields(Archive& a, T& h) {
  a(h.last, h.count, h.shrunk, h.half, h.quarter, h.estimate);
  for (auto& interval : h.intervals) a(interval);
}
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Relay>
void fields(Archive& a, T& r) { a(r.automaton, r.above, r.below); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Slide>
void fields(Archive& a, T& s) { a(s.border, s.relays, s.since, s.noise, s.reach); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Slid>
void fields(Archive& a, T& s) { a(s.border, s.begin, s.end); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Said>
void fields(Archive& a, T& s) { a(s.id, s.value); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Future>
void fields(Archive& a, T& f) { a(f.time, f.order, f.memory, f.value); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Detector>
void fields(Archive& a, T& d) { a(d.rising, d.falling, d.live); }
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Touched>
void fields(Archive& a, T& t) {
  a(t.candidates, t.memories, t.units, t.moved, t.comparisons, t.switched, t.spoken);
}
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, Progress>
void fields(Archive& a, T& p) {
  a(p.under_way, p.at_epsilon, p.k, p.n, p.jumped, p.happened, p.is_start, p.touched, p.last,
    p.total, p.flipped, p.held, p.trail, p.tried, p.signature, p.begun, p.pivoting, p.roundings,
    p.projected, p.changed, p.moved);
}

// Where a run stands, whatever way led there.
template <class Archive, class T>
void place(Archive& a, T& s) {
  a(s.now, s.at, s.started, s.x, s.arrival_x, s.initial_x, s.mode, s.arrival_mode, s.settled_mode,
    s.truth, s.passed_by, s.clock_count, s.arrival_clock_count, s.held, s.arrival_held, s.set_to,
    s.scheduled, s.pre_value, s.struck_at, s.memory, s.given, s.detectors, s.next, s.later, s.quiet,
    s.speaking, s.silenced, s.instant);
}

template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, State>
void fields(Archive& a, T& s) {
  place(a, s);
  a(s.reached, s.futures, s.order, s.courses, s.watches, s.start, s.hints, s.drawn.draws,
    s.drawn.decisions, s.paces, s.histories, s.last_event_time, s.chatter, s.instants, s.running,
    s.statistics, s.mode_hash, s.modes_seen, s.last_moves, s.last_comparisons, s.worth, s.slides,
    s.slid, s.slid_count);
}

void Touched::clear() {
  candidates.clear();
  memories.clear();
  units.clear();
  moved.clear();
  comparisons.clear();
  switched.clear();
  spoken.clear();
}

void Touched::swap(Touched& other) noexcept {
  candidates.swap(other.candidates);
  memories.swap(other.memories);
  units.swap(other.units);
  moved.swap(other.moved);
  comparisons.swap(other.comparisons);
  switched.swap(other.switched);
  spoken.swap(other.spoken);
}

State::State(const Plan& plan, const Options&) {
  const model::Model& m = plan.model();
  x.assign(m.states.size(), 0.0);
  truth.assign(plan.comparisons().size(), 0);
  passed_by.assign(plan.comparisons().size(), 0.0);
  struck_at.assign(m.elements.size(), -1.0);
  clock_count.assign(m.clocks.size(), 0);
  scheduled.assign(m.memories.size(), -1);
  pre_value.assign(m.pool.pres().size(), 0.0);
  start.assign(2 * m.bonds.size(), 0.0);
  for (const model::Memory& kept : m.memories) {
    memory.push_back(kept.lasts() ? plan::Value(plan.number(kept.initial)) : plan::Value::absent());
  }
  given = memory;
  detectors.resize(m.memories.size());
  for (const model::Automaton& automaton : m.automata) mode.push_back(automaton.initial);
  arrival_mode = settled_mode = mode;
  arrival_clock_count = clock_count;
  held.resize(m.clocks.size());
  set_to.resize(m.clocks.size());
  for (std::size_t c = 0; c < m.clocks.size(); ++c) {
    const ExprId initial = m.clocks[ClockId(c)].initial;
    if (initial.valid()) held[c].value = plan.number(initial);
  }
  arrival_held = held;
  arrival_x = initial_x = worth = x;
  courses.resize(plan.units().size());
  paces.resize(plan.units().size());
  watches.resize(plan.comparisons().size());
  histories.resize(m.automata.size() + m.memories.size());
}

bool State::is_active(const Plan& plan, JunctionId junction) const {
  const model::Model& m = plan.model();
  const AutomatonId automaton = m.junctions[junction].automaton;
  if (!automaton.valid()) return true;
  return m.is_active(junction, mode[cradle::at(automaton)]);
}

bool State::is_active(const Plan& plan, RegionId region) const {
  const model::Model& m = plan.model();
  for (; region.valid(); region = m.regions[region].parent) {
    if (mode[cradle::at(m.regions[region].automaton)] != m.regions[region].state) return false;
  }
  return true;
}

namespace {

// Futures are said in the order in which they were laid aside; their numbers do not matter.
std::string place_of(const State& state) {
  std::string out;
  ByteWriter write(out);
  place(write, state);
  for (const Slide& slide : state.slides) write(slide.border, slide.relays);
  for (const auto& [order, future] : state.futures) write(future.time, future.memory, future.value);
  return out;
}

}  // namespace

bool State::is_same_place(const State& other) const { return place_of(*this) == place_of(other); }

uint64_t State::hash() const {
  uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : place_of(*this)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

std::string State::save() const {
  std::string out;
  ByteWriter write(out);
  write(*this);
  return out;
}

State State::load(std::string_view bytes, const Plan& plan, const Options& options) {
  const State fresh(plan, options);
  State out = fresh;
  ByteReader read(bytes);
  read(out);
  const auto alike = [](const auto& a, const auto& b) { return a.size() == b.size(); };
  const bool fits =
      read.at_end() && alike(out.x, fresh.x) && alike(out.arrival_x, fresh.x) &&
      alike(out.initial_x, fresh.x) && alike(out.worth, fresh.x) && alike(out.mode, fresh.mode) &&
      alike(out.arrival_mode, fresh.mode) && alike(out.settled_mode, fresh.mode) &&
      alike(out.truth, fresh.truth) && alike(out.passed_by, fresh.passed_by) &&
      alike(out.clock_count, fresh.clock_count) &&
      alike(out.arrival_clock_count, fresh.clock_count) && alike(out.held, fresh.held) &&
      alike(out.arrival_held, fresh.held) && alike(out.set_to, fresh.set_to) &&
      alike(out.scheduled, fresh.scheduled) && alike(out.pre_value, fresh.pre_value) &&
      alike(out.struck_at, fresh.struck_at) && alike(out.memory, fresh.memory) &&
      alike(out.given, fresh.given) && alike(out.detectors, fresh.detectors) &&
      alike(out.courses, fresh.courses) && alike(out.watches, fresh.watches) &&
      alike(out.start, fresh.start) && alike(out.paces, fresh.paces) &&
      alike(out.histories, fresh.histories);
  if (!fits) throw std::runtime_error("the state is that of another model");
  for (std::size_t a = 0; a < out.mode.size(); ++a) {
    const auto states = static_cast<int>(plan.model().automata[AutomatonId(a)].states.size());
    for (int mode : {out.mode[a], out.arrival_mode[a]}) {
      if (mode < 0 || mode >= states) throw std::runtime_error("there is no such mode");
    }
  }
  const auto is_border = [&](ComparisonId id) {
    return id.valid() && cradle::at(id) < plan.comparisons().size() &&
           plan.comparisons()[id].gap_rate.valid();
  };
  for (const Slide& slide : out.slides) {
    bool known = is_border(slide.border);
    for (const Relay& relay : slide.relays) {
      known = known && relay.automaton.valid() && cradle::at(relay.automaton) < out.mode.size();
      if (!known) break;
      const auto states = static_cast<int>(plan.model().automata[relay.automaton].states.size());
      for (int mode : {relay.above, relay.below}) known = known && mode >= 0 && mode < states;
    }
    if (!known) throw std::runtime_error("there is no such border");
  }
  for (const Slid& slid : out.slid) {
    if (!is_border(slid.border)) throw std::runtime_error("there is no such border");
  }
  return out;
}

}  // namespace engine
}  // namespace cradle
