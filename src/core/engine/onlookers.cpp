#include "core/engine/onlookers.hpp"

#include <algorithm>

#include "base/basics/sorted.hpp"
#include "core/engine/attempt.hpp"
#include "core/engine/readings.hpp"
#include "core/engine/search.hpp"

namespace cradle::engine {

namespace {

std::unique_ptr<Sketch> sketch_of(Eyes& eyes, const Options& options,
                                  std::vector<RecordedColumn> drawn) {
  if (!options.record || drawn.empty()) return nullptr;
  return std::make_unique<Sketch>(eyes, std::move(drawn));
}

}  // namespace

Onlookers::Onlookers(Runtime& runtime, const Watcher& watcher, const Choices& choices,
                     Outcome& outcome, std::vector<RecordedColumn> columns,
                     std::vector<RecordedColumn> drawn)
    : runtime_(runtime),
      watcher_(watcher),
      outcome_(outcome),
      eyes_(runtime, watcher, choices),
      recorder_(runtime.system, runtime.options, std::move(columns),
                sketch_of(eyes_, runtime.options, std::move(drawn))),
      audit_(runtime, eyes_),
      has_bonds_(!runtime.system.model().bonds.empty()) {
  const Plan& plan = runtime.system;
  clock_is_shown_.assign(plan.model().clocks.size(), 0);
  if (!recorder_.is_on()) return;
  plan::Footprints footprints(plan);
  for (const RecordedColumn& column : recorder_.columns()) {
    const plan::Footprint reads = footprints.of(column.value);
    relations_.insert(relations_.end(), reads.relations.begin(), reads.relations.end());
    pres_.insert(pres_.end(), reads.pres.begin(), reads.pres.end());
    for (ClockId clock : reads.clocks) clock_is_shown_[at(clock)] = 1;
  }
  if (const Sketch* sketch = recorder_.sketch()) {
    for (const RecordedColumn& column : sketch->columns()) {
      const plan::Footprint reads = footprints.of(column.value);
      pres_.insert(pres_.end(), reads.pres.begin(), reads.pres.end());
    }
  }
  sort_unique(relations_);
  sort_unique(pres_);
  std::erase_if(pres_, [&](PreId pre) { return plan.is_read_by_rates(pre); });
  std::erase_if(relations_, [&](RelationId id) { return !plan.relations()[id].watched; });
}

void Onlookers::begin() {
  audit_.begin();
  samples_ = 1;
}

// The first time in (from, to] at which a comparison changes that is shown and that nobody else
// watches.
std::optional<double> Onlookers::next_change(double from, double to) {
  std::optional<double> first;
  for (RelationId id : relations_) {
    if (watcher_.is_live(id) && !watcher_.is_private(id)) continue;
    const plan::Relation& relation = runtime_.system.relations()[id];
    const bool known = attempt([&] {
      FlowEvaluator& flow = eyes_.flowing(from);
      const double gap = flow.run(relation.gap);
      if (is_absent(gap)) return;
      const bool truth = solve::holds(gap, relation.strict);
      const double end = first.value_or(to);
      if (auto found = first_change(flow, relation, 0, relation.strict, truth, from, end)) {
        first = found;
      }
    });
    if (!known) eyes_.abandon();
  }
  return first;
}

void Onlookers::flows_to(double t) {
  if (!recorder_.is_on()) return;
  const double every = runtime_.options.every;
  for (;;) {
    check_rows();
    const double sample = every > 0 ? static_cast<double>(samples_) * every : HUGE_VAL;
    const double end = std::min(sample, t);
    if (!relations_.empty() && end > looked_to_) {
      if (const auto change = next_change(looked_to_, end); change && *change < t) {
        looked_to_ = *change;
        add_row(*change);
        continue;
      }
      looked_to_ = end;
    }
    if (!(sample < t)) break;
    ++samples_;
    add_row(sample);
  }
}

void Onlookers::check_rows() const {
  const int64_t most = runtime_.options.max_rows;
  const std::size_t rows = recorder_.rows();
  if (most > 0 && rows >= static_cast<std::size_t>(most)) throw too_many_rows(runtime_, rows);
}

void Onlookers::ends_step(const Cluster& cluster) {
  const double t = runtime_.course_of(cluster).end;
  audit_.evolved(cluster, t);
  if (!runtime_.options.record_steps || !recorder_.is_on()) return;
  if (recorder_.has_room(t)) return add_row(t);
  if (std::exchange(thinned_, true)) return;
  warn(thinned(t));
}

void Onlookers::stops_at(double t) {
  for (const Cluster* cluster : runtime_.cluster_of_unit) {
    if (runtime_.options.audit) audit_.evolved(*cluster, t);
  }
  add_row(t);
}

void Onlookers::breaks_off() {
  if (!attempt([this] { add_row(runtime_.state.now); })) eyes_.abandon();
}

void Onlookers::add_row(double t) {
  if (!recorder_.is_on() || recorder_.has_row_at(t)) return;
  FlowReading reading(runtime_, eyes_, t);
  recorder_.add_evolving(t, reading);
  warn_undefined({t, 0, 0});
}

Scene Onlookers::scene(TickEvaluator::View view) {
  TickEvaluator& tick = eyes_.inside(view);
  return {runtime_, tick, eyes_.arriving(), audit_};
}

void Onlookers::arrives(const Triggers& triggers) {
  clock_ticked_ = std::any_of(triggers.clocks.begin(), triggers.clocks.end(),
                              [this](ClockId c) { return clock_is_shown_[at(c)] != 0; });
  witnessed_ =
      witness_ != nullptr && witness_->arrives(scene(TickEvaluator::View::Committed), triggers);
}

// ⟨t − ε, 0⟩. Without bond graphs there is no ε: microstep 0 has these values.
void Onlookers::happens() {
  if (!recorder_.is_on() || !has_bonds_) return;
  ArrivalReading reading(runtime_, eyes_);
  recorder_.add_before(runtime_.state.now, reading, runtime_.state.instants);
  warn_undefined({runtime_.state.now, -1, 0});
}

void Onlookers::moves(TransitionKind kind, const std::vector<Move>& moves,
                      const Assignments& sets) {
  if (!witnessed_) return;
  const auto view = kind == TransitionKind::Physical ? TickEvaluator::View::Committed
                                                     : TickEvaluator::View::Tried;
  witness_->moves(scene(view), kind, moves, sets);
}

void Onlookers::settles() {
  if (recorder_.is_on()) {
    TickReading reading(runtime_, eyes_);
    recorder_.add_tick(runtime_.state.at, reading, runtime_.state.instants);
  }
  if (!witnessed_) return;
  witness_->settles(scene(TickEvaluator::View::Tried), runtime_.state.at, recorder_.last_row(),
                    runtime_.state.instant.touched.units);
}

void Onlookers::has_no_end(RowKind kind) {
  if (!recorder_.is_on()) return;
  UnfinishedReading reading(runtime_, eyes_);
  recorder_.add_unfinished(runtime_.state.at, kind, reading, runtime_.state.instants);
}

void Onlookers::leaves_as(RowKind kind) { recorder_.leave_as(kind); }
void Onlookers::leaves_by_inference() { recorder_.leave_by_inference(); }

void Onlookers::commits() {
  if (witnessed_) witness_->commits(scene(TickEvaluator::View::Tried));
  for (PreId pre : pres_) {
    double& kept = eyes_.pres[at(pre)] = kAbsent;
    const ExprId what = runtime_.system.model().pool.pres()[at(pre)];
    const bool known = attempt([&] { kept = eyes_.arriving().optional(what).value_or(kAbsent); });
    if (!known) eyes_.abandon();
  }
}

void Onlookers::jumps(Slot& slot, const std::vector<JunctionId>& switched) {
  if (!runtime_.options.audit) return;
  const double created = audit_.jumped(slot, switched);
  if (created > 0) warn(energy_created(runtime_, created, switched));
}

void Onlookers::committed() {
  if (witnessed_) witness_->committed(scene(TickEvaluator::View::Committed));
}

void Onlookers::ends_instant(bool happened) {
  recorder_.end_instant();
  looked_to_ = runtime_.state.now;
  if (!happened && clock_ticked_) add_row(runtime_.state.now);
  witnessed_ = false;
}

std::vector<std::optional<Number>> Onlookers::values() {
  std::vector<std::optional<Number>> out;
  const bool inside = runtime_.state.instant.under_way;
  for (const RecordedColumn& column : recorder_.columns()) {
    plan::Value value = plan::Value::absent();
    const bool known = attempt([&] {
      if (inside) {
        value = eyes_.inside(TickEvaluator::View::Tried).value(*column.formula);
      } else {
        value = to_value(eyes_.flowing(runtime_.state.now).optional(*column.formula));
      }
    });
    if (!known) eyes_.abandon();
    out.push_back(known && value.is_present() ? std::optional<Number>(value) : std::nullopt);
  }
  return out;
}

Pattern Onlookers::pattern() const {
  constexpr std::size_t kShown = 4;
  Pattern out;
  for (std::size_t c = 0; c < recorder_.columns().size(); ++c) {
    std::vector<std::string> values;
    for (const std::optional<Number>& value : recorder_.last_values(c, kShown)) {
      values.push_back(value ? to_string(*value) : "absent");
    }
    if (values.size() == kShown) out.emplace_back(recorder_.columns()[c].name, std::move(values));
  }
  return out;
}

Onlookers::Memory Onlookers::memory() const {
  return {audit_.books(), recorder_.memory(), eyes_.pres, samples_, looked_to_, thinned_};
}

void Onlookers::remember(const Memory& memory) {
  audit_.remember(memory.books);
  recorder_.remember(memory.recorder);
  eyes_.pres = memory.pres;
  samples_ = memory.samples;
  looked_to_ = memory.looked_to;
  thinned_ = memory.thinned;
}

void Onlookers::warn_undefined(const Instant& at) {
  for (std::size_t column : recorder_.newly_undefined()) {
    warn(undefined(runtime_, recorder_.columns()[column].name, at));
  }
}

void Onlookers::warn(Diagnostic diagnostic) {
  constexpr std::size_t kMostWarnings = 20;
  diagnostic.warning();
  if (outcome_.diagnostics.size() < kMostWarnings) {
    outcome_.diagnostics.push_back(std::move(diagnostic));
  }
}

}  // namespace cradle::engine
