#include "core/engine/watcher.hpp"

#include <algorithm>
#include <cmath>

#include "core/engine/faults.hpp"
#include "core/engine/flow_code.hpp"
#include "core/engine/search.hpp"
#include "core/engine/share_gap.hpp"
#include "core/solve/crossing.hpp"

namespace cradle::engine {

namespace {

constexpr double kFarthest = 1e300;  // nobody waits longer

// What tolerance and rounding can make of a difference of numbers of this size.
double noise(const Options& options, double scale) {
  constexpr double kFactor = 1e3;  // errors of many steps add up
  return kFactor * (options.relative_tolerance * scale + options.absolute_tolerance);
}

bool reads_time_alone(const plan::Comparison& comparison) {
  const plan::Footprint& reads = comparison.reads;
  return reads.time && reads.cells.empty() && reads.states.empty() && reads.automata.empty() &&
         reads.clocks.empty() && reads.pres.empty() && reads.memories.empty() &&
         comparison.kinks.empty();
}

}  // namespace

Watcher::Watcher(Runtime& runtime, FlowEvaluator& flow, InstantEvaluator& inside,
                 Memories& memories, Clusters& clusters, Agenda& agenda)
    : system_(runtime.system),
      runtime_(runtime),
      state_(runtime.state),
      flow_(flow),
      inside_(inside),
      memories_(memories),
      clusters_(clusters),
      agenda_(agenda) {
  for (const plan::Comparison& r : system_.comparisons()) {
    const bool alone = !r.in_pre && !r.detector.valid() && r.memories.empty() && r.used_by.empty();
    private_.push_back(r.watched && alone);
    const bool modal = std::any_of(r.guards.begin(), r.guards.end(), [this](const auto& guard) {
      return system_.model().automata[guard.first].modal;
    });
    timed_.push_back(!r.detector.valid() && reads_time_alone(r));
    judged_.push_back(r.watched && alone && !modal && !r.guards.empty() && stands_in_guards(r));
  }
}

// In each guard that reads it, and not in a signal below: comparisons in signals are judged on
// values alone, by whoever reads them.
bool Watcher::stands_in_guards(const plan::Comparison& comparison) const {
  const model::Model& m = system_.model();
  return std::all_of(comparison.guards.begin(), comparison.guards.end(), [&](const auto& guard) {
    const ExprId expr = m.automata[guard.first].transitions[at(guard.second)].guard;
    const std::vector<ExprId> inside = m.pool.comparisons(expr);
    return std::find(inside.begin(), inside.end(), comparison.expr) != inside.end();
  });
}

// While a comparison without which the guard cannot hold is false, nothing else in the guard
// matters: the first such is waited for, with what decides it. Truths of the others grow stale, and
// are judged anew when its own changes (add_partners).
ComparisonId Watcher::awaited_by(const plan::CompiledTransition& transition) const {
  for (ComparisonId conjunct : transition.conjuncts) {
    if (state_.truth[at(conjunct)] == 0) return conjunct;
  }
  return {};
}

bool Watcher::is_awaited(ComparisonId id, const plan::CompiledTransition& transition) const {
  const ComparisonId first = awaited_by(transition);
  if (!first.valid() || first == id) return true;
  const auto& inside = system_.comparisons()[first].reads.comparisons;
  return std::binary_search(inside.begin(), inside.end(), id);
}

// A transition that can be taken next reads it, or a rate, or a memory that listens.
bool Watcher::is_live(ComparisonId id) const {
  const plan::Comparison& comparison = system_.comparisons()[id];
  if (!comparison.watched) return false;
  // Along a border it does not change; what stands for it is watched for the end of that.
  if (runtime_.slides(id)) return comparison.border == id;
  for (auto [automaton, t] : comparison.guards) {
    const model::Automaton& a = system_.model().automata[automaton];
    const auto index = static_cast<std::size_t>(t);
    if (a.transitions[index].from != state_.mode[at(automaton)]) continue;
    if (!comparison.in_pre && !is_awaited(id, system_.automaton(automaton).transitions[index])) {
      continue;
    }
    if (runtime_.is_active(a.region)) return true;
  }
  auto is_listening = [this](MemoryId memory) {
    return runtime_.is_active(system_.model().memories[memory].region);
  };
  if (std::any_of(comparison.memories.begin(), comparison.memories.end(), is_listening))
    return true;
  if (comparison.detector.valid() && is_listening(comparison.detector)) return true;
  // Also of what has no states: whoever reads its efforts and flows reads this truth with them.
  return !comparison.used_by.empty();
}

void Watcher::begin_watch(ComparisonId id) {
  Watch& watch = state_.watches[at(id)];
  watch.due = Watch::Due::Nothing;
  watch.ahead = watch.turning = false;
  watch.checked = state_.now;
  watch.looks = 0;
  watch.margin = 0;
}

void Watcher::put(ComparisonId id, Watch::Due due, double when) {
  Watch& watch = state_.watches[at(id)];
  watch.checked = watch.due_at = when;
  watch.due = due;
  agenda_.add_crossing(id);
}

// A detector has spoken at this instant, and what it caused makes the gap go back from where it
// was: it will cross again, though it may do so before the next time that there is a number for.
bool Watcher::turns_back(ComparisonId id, const Aftermath& aftermath) {
  const plan::Comparison& comparison = system_.comparisons()[id];
  if (!comparison.detector.valid() || !aftermath.has_spoken(comparison.detector)) return false;
  if (state_.truth[at(id)] == 0 || state_.watches[at(id)].not_before > state_.now ||
      std::none_of(comparison.units.begin(), comparison.units.end(),
                   [&](UnitId unit) { return aftermath.has_touched(unit); })) {
    return false;
  }
  const plan::Rate& rate = system_.rate_of(comparison.gap_expr);
  if (!rate.expr || !rate.expr->valid()) return false;
  inside_.begin(InstantEvaluator::View::Committed);
  const plan::Value gap = inside_.value(comparison.gap_expr), speed = inside_.value(*rate.expr);
  return gap.is_present() && speed.is_present() && speed.finite < 0 &&
         gap.finite <= state_.passed_by[at(id)] + runtime_.rounding_of(comparison);
}

// Searched already, and nothing that happens can change what was found: it is between time and a
// number. What guards read is waited for in turns (awaited_by), and searched anew.
bool Watcher::is_known_ahead(ComparisonId id) const {
  const Watch& watch = state_.watches[at(id)];
  return timed_[at(id)] != 0 && watch.checked > state_.now && !watch.ahead && !is_private(id) &&
         system_.comparisons()[id].guards.empty() && !runtime_.slides(id) && is_live(id);
}

void Watcher::rewatch(std::span<const ComparisonId> comparisons, const Aftermath& aftermath) {
  flow_.forget_moments();
  for (ComparisonId id : comparisons) {
    if (is_known_ahead(id)) continue;
    begin_watch(id);
    if (is_judged(id)) state_.watches[at(id)].margin = aftermath.margin_of(id);
    if (!turns_back(id, aftermath)) continue;
    memories_.set_ready(id, true);
    state_.watches[at(id)].turning = true;
  }
  for (ComparisonId id : comparisons) scan(id);
}

// The one transition that can be taken next and reads it; null if there are more.
const plan::CompiledTransition* Watcher::only_reader(ComparisonId id) const {
  const plan::CompiledTransition* reader = nullptr;
  for (auto [automaton, t] : system_.comparisons()[id].guards) {
    const auto index = static_cast<std::size_t>(t);
    const model::Automaton& a = system_.model().automata[automaton];
    if (a.transitions[index].from != state_.mode[at(automaton)]) continue;
    if (reader != nullptr) return nullptr;
    reader = &system_.automaton(automaton).transitions[index];
  }
  return reader;
}

// Another comparison that keeps the guard false at t, up to where the one that it waits for does:
// the first that is false then. One before it that cannot be judged there, and was false when it
// was last looked at, would be waited for in its place.
ComparisonId Watcher::find_blocking(ComparisonId id, double t) {
  const plan::CompiledTransition* transition = only_reader(id);
  if (transition == nullptr || awaited_by(*transition) != id || !is_private(id)) return {};
  for (ComparisonId other : transition->conjuncts) {
    if (other == id) continue;
    const plan::Comparison& comparison = system_.comparisons()[other];
    bool timed = false;
    const bool known = horizon(comparison, timed) >= t && !timed &&
                       comparison.reads.comparisons.size() <= 1 && is_private(other) &&
                       only_reader(other) == transition &&
                       state_.watches[at(other)].not_before <= t;
    if (!known && state_.truth[at(other)] == 0) return {};
    if (!known) continue;
    FlowCode* code = clusters_.gap_code(other);
    flow_.begin(t);
    const double gap =
        code != nullptr ? gap_at(*code, flow_, comparison, t) : flow_.run(comparison.gap);
    if (!solve::holds(gap, comparison.strict)) return other;
  }
  return {};
}

// The guard that waits for this comparison is still false at t, up to where this comparison is
// false, because of another: that is waited for from there on, without an instant. Nobody else asks
// for the truths of these two and of those that stand before it, so they can be those of that time;
// if anything touches one of them before, all are judged anew (add_comparison). Invalid: there is
// none.
ComparisonId Watcher::hand_over(ComparisonId id, double t) {
  const ComparisonId other = find_blocking(id, t);
  if (!other.valid()) return {};
  const auto set = [&](ComparisonId comparison, bool truth) {
    if (comparison != id) begin_watch(comparison);
    state_.truth[at(comparison)] = truth;
    state_.watches[at(comparison)].checked = t;
    state_.watches[at(comparison)].ahead = true;
  };
  set(id, true);
  for (ComparisonId conjunct : only_reader(id)->conjuncts) {
    if (conjunct == other) break;
    if (conjunct != id && state_.truth[at(conjunct)] == 0) set(conjunct, true);
  }
  set(other, false);
  return other;
}

// Just after an instant a comparison may be true only because its crossing was located on the far
// side. If it is false again a few ulps later, while this one is still false, it is the one to wait
// for, and this one need not be located at all.
template <class Gap>
ComparisonId Watcher::hand_over_early(ComparisonId id, double end, Gap&& gap) {
  constexpr int kUlps = 4;
  const plan::CompiledTransition* transition = only_reader(id);
  if (transition == nullptr || transition->conjuncts.size() < 2) return {};
  const bool strict = system_.comparisons()[id].strict;
  double t = state_.watches[at(id)].checked;
  for (int i = 0; i < kUlps; ++i) {
    t = std::nextafter(t, end);
    if (t == end || solve::holds(gap(t), strict)) return {};
  }
  return hand_over(id, t);
}

// Up to where all that the comparison reads is known. `timed`: it reads no state, only time.
double Watcher::horizon(const plan::Comparison& comparison, bool& timed) const {
  double end = HUGE_VAL;
  timed = true;
  for (UnitId unit : comparison.units) {
    const Cluster* cluster = runtime_.cluster_of_unit[at(unit)];
    if (cluster->states.empty()) continue;
    timed = false;
    end = std::min(end, runtime_.course_of(*cluster).end);
  }
  return end;
}

// One comparison's gap from where it has been watched to. Where only time moves, no solver says how
// far to look at once: a number of pieces is looked at, of a width that the gap itself asks for.
class Watcher::Search {
 public:
  Search(Watcher& watcher, ComparisonId id, double end, bool timed)
      : watcher_(watcher),
        comparison_(watcher.system_.comparisons()[id]),
        id_(id),
        watch_(watcher.state_.watches[at(id)]),
        code_(watcher.clusters_.gap_code(id)),
        timed_(timed) {
    clear_to_ = end;
    absent_ = code_ == nullptr && is_absent_now();
    if (absent_ || !timed || code_ != nullptr) return;
    // Where it can only be sampled, in a window that grows while nothing happens.
    if (watch_.window == 0) watch_.window = kFirstWindow;
    clear_to_ = std::min(end, watch_.checked + watch_.window);
    watch_.window = std::min(2 * watch_.window, std::max(1.0, watch_.checked / 16));
  }

  FlowCode* code() const { return code_; }
  double clear_to() const { return clear_to_; }

  std::optional<double> operator()(bool strict, bool truth, double to, double margin) {
    to = std::min(to, clear_to_);
    if (absent_) return std::nullopt;
    try {
      if (code_ == nullptr) {
        return first_change(watcher_.flow_, comparison_, margin, strict, truth, watch_.checked, to);
      }
      return look_on(strict, truth, to, margin);
    } catch (const solve::OscillatesTooFast& fault) {
      throw oscillates(watcher_.runtime_, id_, fault.at, fault.width);
    }
  }

 private:
  static constexpr double kFirstWindow = 0x1p-6;
  static constexpr int64_t kPieces = 128;
  static constexpr int64_t kLooks = 1 << 19;  // some minutes

  // Whether there is a value at all is frozen, too.
  bool is_absent_now() {
    watcher_.flow_.begin(watch_.checked);
    return is_absent(watcher_.flow_.run(comparison_.gap));
  }

  std::optional<double> look_on(bool strict, bool truth, double to, double margin) {
    CodeGap gap(*code_, watcher_.flow_, comparison_, margin);
    // The change lies just where it was looked at last.
    if (watch_.checked > watcher_.state_.now &&
        solve::holds(gap(watch_.checked), strict) != truth) {
      return watch_.checked;
    }
    constexpr double kMore = 4;  // than the pieces that it came to last
    solve::Stride stride{watch_.window > 0 ? kMore * watch_.window : timed_ ? 1 : 0, kPieces};
    const solve::Sought sought = solve::seek(gap, strict, truth, watch_.checked, to, stride);
    watch_.window = stride.width;
    if (sought.change) return sought.change;
    if (sought.clear_to < to) {
      if (++watch_.looks > kLooks) throw solve::OscillatesTooFast{sought.clear_to, stride.width};
      clear_to_ = sought.clear_to;
    }
    return std::nullopt;
  }

  Watcher& watcher_;
  const plan::Comparison& comparison_;
  ComparisonId id_;
  Watch& watch_;
  FlowCode* code_;
  bool timed_;
  bool absent_ = false;  // it has no value
  double clear_to_ = 0;  // what is found lies before
};

// A detector is ready again when the gap is clearly below where it was when it last spoke.
std::optional<double> Watcher::search_detector(ComparisonId id, double end, Search& search) {
  double& passed_by = state_.passed_by[at(id)];
  if (state_.truth[at(id)] != 0) {
    return search(false, true, end, passed_by - runtime_.rounding_of(system_.comparisons()[id]));
  }
  if (passed_by == 0) return after_turning(id, end, search(false, false, end, 0), search);
  // If it comes back to the level itself, that counts from then on.
  const std::optional<double> again = search(false, false, end, passed_by);
  const std::optional<double> back = search(false, true, again.value_or(end), 0);
  if (!back || again == back) return after_turning(id, end, again, search);
  passed_by = 0;
  state_.watches[at(id)].turning = false;
  state_.watches[at(id)].checked = *back;
  return search(false, false, end, 0);
}

// Where a gap has turned back at its level, rounding can put it there again while it still goes
// back. It crosses when it has turned once more.
std::optional<double> Watcher::after_turning(ComparisonId id, double end,
                                             std::optional<double> found, Search& search) {
  Watch& watch = state_.watches[at(id)];
  if (!found || !watch.turning) return found;
  const plan::Comparison& comparison = system_.comparisons()[id];
  ComparisonGap speed(flow_, system_.formula(*system_.rate_of(comparison.gap_expr).expr));
  if (solve::holds(speed(*found), true)) return found;
  const std::optional<double> turn = solve::first_change(speed, true, false, *found, end);
  if (!turn) return turn;
  watch.turning = false;
  watch.checked = *turn;
  const double level = state_.passed_by[at(id)];
  ComparisonGap gap(flow_, comparison.gap, level);
  return solve::holds(gap(*turn), false) ? turn : search(false, false, end, level);
}

void Watcher::look(ComparisonId id) {
  flow_.forget_moments();
  check_arrival(state_.watches[at(id)].checked, id, {});
  scan(id);
}

void Watcher::scan(ComparisonId id) {
  constexpr int kMost = 64;  // within one step; rounding can make a gap flicker
  for (int hops = 0; id.valid(); ++hops) id = look_ahead(id, hops < kMost);
}

bool Watcher::moves_with_time(const plan::Comparison& comparison) const {
  if (comparison.reads.time) return true;
  return std::any_of(comparison.units.begin(), comparison.units.end(), [this](UnitId unit) {
    return runtime_.cluster_of_unit[at(unit)]->reads_time;
  });
}

void Watcher::look_for_release(ComparisonId border) {
  Watch& watch = state_.watches[at(border)];
  bool timed = false;
  const double end = horizon(system_.comparisons()[border], timed);
  if (watch.due == Watch::Due::Crossing || timed || !(end > watch.checked)) return;
  const int slide = runtime_.slide_of(border);
  std::optional<double> found;
  flow_.slide_within(runtime_.cluster_of(state_.slides[at(slide)]));
  ShareGap share(runtime_, flow_, at(slide), watch.checked);
  try {
    for (const bool above : {false, true}) {
      share.look_at(above);
      const double to = found.value_or(end);
      if (!solve::holds(share(watch.checked), false)) {
        found = std::nextafter(watch.checked, end);
      } else if (const auto change = solve::first_change(share, false, true, watch.checked, to)) {
        found = change;
      }
    }
  } catch (const solve::OscillatesTooFast& fault) {
    throw oscillates(runtime_, border, fault.at, fault.width);
  }
  flow_.slide_within(nullptr);
  if (found) return put(border, Watch::Due::Crossing, *found);
  watch.checked = end;
}

// As far as all that it reads is known. Gives the one that is to be watched in its place, if it
// does not matter any more.
ComparisonId Watcher::look_ahead(ComparisonId id, bool may_hand_over) {
  const plan::Comparison& comparison = system_.comparisons()[id];
  Watch& watch = state_.watches[at(id)];
  if (watch.due == Watch::Due::Crossing || !is_live(id)) return {};
  if (runtime_.slides(id)) {
    look_for_release(id);
    return {};
  }
  bool timed = false;
  double end = horizon(comparison, timed);
  if (timed && !moves_with_time(comparison)) return {};
  if (timed) end = kFarthest;
  if (watch.not_before > watch.checked) {
    watch.checked = std::min(watch.not_before, end);
    if (timed) {
      put(id, Watch::Due::Look, watch.checked);
      return {};
    }
  }
  if (!(end > watch.checked)) return {};
  Search search(*this, id, end, timed);
  const double known_to = end;
  end = search.clear_to();
  flow_.remember(true);
  const bool truth = state_.truth[at(id)] != 0;
  const double margin = truth ? -watch.margin : watch.margin;
  may_hand_over &= !truth && !timed && watch.margin == 0 && is_private(id);
  if (may_hand_over && search.code() != nullptr && watch.checked == state_.now) {
    CodeGap gap(*search.code(), flow_, system_.comparisons()[id], 0);
    if (const ComparisonId next = hand_over_early(id, end, gap); next.valid()) {
      flow_.remember(false);
      return next;
    }
  }
  std::optional<double> found = comparison.detector.valid()
                                    ? search_detector(id, end, search)
                                    : search(comparison.strict, truth, end, margin);
  flow_.remember(false);
  if (found && *found > search.clear_to()) found.reset();
  if (found && may_hand_over) {
    if (const ComparisonId next = hand_over(id, *found); next.valid()) return next;
  }
  if (found) {
    put(id, Watch::Due::Crossing, *found);
    return {};
  }
  watch.checked = search.clear_to();
  if (watch.checked < known_to) put(id, Watch::Due::Look, watch.checked);
  return {};
}

void Watcher::check_arrival(double t, const Triggers& triggers) {
  for (ComparisonId trigger : triggers.comparisons) {
    for (UnitId unit : system_.comparisons()[trigger].units) {
      for (ComparisonId r : system_.units()[unit].watched_by) check_arrival(t, r, triggers);
    }
  }
}

// A truth that has changed although no change was found, or was found and taken, is our mistake.
// What rounding alone makes of it does not count.
void Watcher::check_arrival(double t, ComparisonId id, const Triggers& triggers) {
  const plan::Comparison& comparison = system_.comparisons()[id];
  const Watch& watch = state_.watches[at(id)];
  const bool truth = state_.truth[at(id)] != 0, detects = comparison.detector.valid();
  if (watch.ahead || watch.margin > 0 || watch.checked < t || watch.not_before > t) return;
  if (watch.due == Watch::Due::Crossing || (detects && (truth || watch.turning))) return;
  if (!is_live(id) || runtime_.slides(id)) return;
  const auto& known = triggers.comparisons;
  if (std::find(known.begin(), known.end(), id) != known.end()) return;
  FlowCode* code = clusters_.gap_code(id);
  if (code == nullptr) return;
  CodeGap gap(*code, flow_, comparison, detects ? state_.passed_by[at(id)] : 0);
  if (!solve::is_clearly_other(gap, comparison.strict, truth, t)) return;
  // Instants and flows compute efforts in different ways, and agree within the tolerance.
  const expr::Pool& pool = system_.model().pool;
  double scale = 0;
  flow_.begin(t);
  for (ExprId leaf : pool.leaves(comparison.expr)) {
    if (pool[leaf].type == expr::Type::Number) scale += std::abs(flow_.formula(leaf));
  }
  if (std::abs(gap(t)) <= noise(runtime_.options, scale)) return;
  throw missed_event(runtime_, id, state_.now, t, gap(t));
}

bool Watcher::matters(ComparisonId id) const {
  if (!is_private(id)) return true;
  const auto& guards = system_.comparisons()[id].guards;
  return std::any_of(guards.begin(), guards.end(), [this](const auto& guard) {
    const model::Automaton& automaton = system_.model().automata[guard.first];
    const auto& transition = automaton.transitions[static_cast<std::size_t>(guard.second)];
    return transition.from == state_.mode[at(guard.first)];
  });
}

void Watcher::watch_cluster(const Cluster& cluster) {
  flow_.forget_moments();
  const double begin = cluster.solver->begin();
  for (UnitId unit : cluster.units) {
    for (ComparisonId r : system_.units()[unit].watched_by) {
      check_arrival(begin, r, {});
      scan(r);
    }
  }
}

}  // namespace cradle::engine
