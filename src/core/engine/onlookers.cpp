#include "core/engine/onlookers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

// As faithful as the run; a coarse run is still drawn well.
double error_of_curves(const Options& options) {
  return std::clamp(options.relative_tolerance, 1e-12, 1e-7);
}

// What a location found lies on its far side.
double just_before(double t) {
  return t - 64 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

// What the columns are worth while time flows.
class FlowColumns : public Curves::Columns {
 public:
  FlowColumns(Eyes& eyes, const std::vector<RecordedColumn>& columns)
      : eyes_(eyes), columns_(columns) {}
  void look(double t, std::span<double> values) override {
    FlowEvaluator& flow = eyes_.flowing(t);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      values[c] = flow.optional(*columns_[c].formula).value_or(NAN);
    }
  }

 private:
  Eyes& eyes_;
  const std::vector<RecordedColumn>& columns_;
};

}  // namespace

Onlookers::Onlookers(Runtime& runtime, const Watcher& watcher, Clusters& clusters,
                     const Choices& choices, Outcome& outcome, std::vector<RecordedColumn> columns,
                     std::vector<RecordedColumn> drawn)
    : runtime_(runtime),
      watcher_(watcher),
      clusters_(clusters),
      outcome_(outcome),
      eyes_(runtime, watcher, choices),
      recorder_(runtime.system, runtime.options, std::move(columns),
                sketch_of(eyes_, runtime.options, std::move(drawn))),
      audit_(runtime, eyes_),
      assertions_(runtime, clusters, eyes_, outcome),
      curves_(recorder_.columns().size(), error_of_curves(runtime.options),
              runtime.options.absolute_tolerance),
      has_bonds_(!runtime.system.model().bonds.empty()),
      pres_(assertions_.pres()) {
  const Plan& plan = runtime.system;
  clock_is_shown_.assign(plan.model().clocks.size(), 0);
  if (recorder_.is_on()) find_shown();
  sort_unique(comparisons_);
  sort_unique(pres_);
  std::erase_if(pres_, [&](PreId pre) { return plan.is_read_by_rates(pre); });
  std::erase_if(comparisons_, [&](ComparisonId id) { return !plan.comparisons()[id].watched; });
}

void Onlookers::find_shown() {
  const Plan& plan = runtime_.system;
  plan::Footprints footprints(plan);
  for (const RecordedColumn& column : recorder_.columns()) {
    const plan::Footprint reads = footprints.of(column.value);
    comparisons_.insert(comparisons_.end(), reads.comparisons.begin(), reads.comparisons.end());
    pres_.insert(pres_.end(), reads.pres.begin(), reads.pres.end());
    for (ClockId clock : reads.clocks) clock_is_shown_[at(clock)] = 1;
    cells_.push_back(reads.cells);
  }
  if (const Sketch* sketch = recorder_.sketch()) {
    for (const RecordedColumn& column : sketch->columns()) {
      const plan::Footprint reads = footprints.of(column.value);
      pres_.insert(pres_.end(), reads.pres.begin(), reads.pres.end());
    }
  }
}

void Onlookers::begin_anew() { assertions_.begin_anew(); }

void Onlookers::begin() {
  audit_.begin();
  samples_ = 1;
}

// The first time in (from, to] at which a comparison changes that is shown and that nobody else
// watches.
std::optional<double> Onlookers::next_change(double from, double to) {
  std::optional<double> first;
  for (ComparisonId id : comparisons_) {
    if (watcher_.is_live(id) && !watcher_.is_private(id)) continue;
    const bool known = attempt([&] {
      if (auto found = change_of(id, from, first.value_or(to))) first = found;
    });
    if (!known) eyes_.abandon();
  }
  return first;
}

std::optional<double> Onlookers::change_of(ComparisonId id, double from, double to) {
  const plan::Comparison& comparison = runtime_.system.comparisons()[id];
  FlowEvaluator& flow = eyes_.flowing(from);
  const double gap = flow.run(comparison.gap);
  if (is_absent(gap)) return std::nullopt;
  const bool truth = solve::holds(gap, comparison.strict);
  FlowCode* code = clusters_.gap_code_for(id, flow);
  if (code == nullptr) return first_change(flow, comparison, 0, comparison.strict, truth, from, to);
  CodeGap code_gap(*code, flow, comparison, 0);
  try {
    return solve::first_change(code_gap, comparison.strict, truth, from, to);
  } catch (const solve::OscillatesTooFast& fault) {
    warn(oscillates(runtime_, id, fault.at, fault.width).diagnostic);
    return std::nullopt;
  }
}

// Between two entries of the agenda nothing happens; but comparisons may change that only columns
// read. A curve is followed from one such time to the next, and a long way in parts: something fast
// that no solver steps through shall not be passed over.
void Onlookers::flows_to(double t) {
  assertions_.flows_to(t);
  if (!recorder_.is_on()) return;
  constexpr double kParts = 256;  // of the run, at least
  const bool turns = runtime_.options.every_turn;
  const bool follows = !recorder_.columns().empty() && (turns || recorder_.wants_curves());
  const double longest = follows ? runtime_.length().value_or(HUGE_VAL) / kParts : HUGE_VAL;
  while (looked_to_ < t) {
    check_rows();
    const double from = looked_to_,
                 end = std::min(t, std::max(from + longest, std::nextafter(from, t)));
    const auto change = comparisons_.empty() ? std::nullopt : next_change(from, end);
    const bool changes = change && *change < t;
    looked_to_ = changes ? *change : end;
    if (follows) follow(from, changes ? just_before(looked_to_) : looked_to_, looked_to_);
    add_rows_before(looked_to_);
    if (changes) add_row(*change);
  }
}

void Onlookers::follow(double from, double to, double shown_to) {
  turns_.clear();
  if (!(from < to)) return;
  FlowColumns columns(eyes_, recorder_.columns());
  if (!attempt([&] { curves_.follow(from, to, shown_to, columns); })) return eyes_.abandon();
  for (std::size_t i = 0; recorder_.wants_curves() && i < curves_.size(); ++i) {
    recorder_.take(curves_.stretch(i));
  }
  if (!runtime_.options.every_turn) return;
  constexpr double kPoints = 4096;  // where it only bends: as many as a picture shows
  curves_.find_turns(runtime_.length().value_or(0) / kPoints, turns_);
}

void Onlookers::add_rows_before(double t) {
  const double every = runtime_.options.every;
  std::size_t turn = 0;
  for (;;) {
    const double sample = every > 0 ? static_cast<double>(samples_) * every : HUGE_VAL;
    const double next = turn < turns_.size() ? std::min(turns_[turn], sample) : sample;
    if (!(next < t)) break;
    check_rows();
    if (next == sample) {
      ++samples_;
      add_row(sample, Recorder::Cause::Grid);
    } else if (recorder_.has_room(next)) {
      add_row(next, Recorder::Cause::Turn);
    }
    if (turn < turns_.size() && turns_[turn] <= next) ++turn;
  }
}

void Onlookers::check_rows() const {
  const int64_t most = runtime_.options.max_rows;
  const std::size_t rows = recorder_.rows();
  if (most > 0 && rows >= static_cast<std::size_t>(most)) throw too_many_rows(runtime_, rows);
}

void Onlookers::ends_step(Cluster& cluster) {
  audit_.evolved(cluster, runtime_.course_of(cluster).end);
}

void Onlookers::shows_step(double t) {
  if (!runtime_.options.record_steps || !recorder_.is_on()) return;
  if (recorder_.has_room(t)) return add_row(t);
  if (std::exchange(thinned_, true)) return;
  warn(thinned(t));
}

void Onlookers::stops_at(double t) {
  for (Cluster* cluster : runtime_.cluster_of_unit) {
    if (runtime_.options.audit) audit_.evolved(*cluster, t);
  }
  add_row(t);
}

void Onlookers::judges_books() {
  if (const auto found = audit_.discrepancy()) {
    warn(energy_unaccounted(runtime_, found->amount, found->begin, found->end, found->store));
  }
}

void Onlookers::breaks_off() {
  if (!attempt([this] { add_row(runtime_.state.now); })) eyes_.abandon();
}

void Onlookers::add_row(double t, Recorder::Cause cause, bool again) {
  if (!recorder_.is_on() || (recorder_.has_row_at(t) && !again)) return;
  know_shared();
  FlowReading reading(runtime_, eyes_, t);
  recorder_.add_evolving(t, reading, cause);
  warn_undefined({t, 0, 0});
}

Moment Onlookers::moment(InstantEvaluator::View view) {
  InstantEvaluator& inside = eyes_.inside(view);
  return {runtime_, inside, eyes_.arriving(), audit_, eyes_.judge()};
}

void Onlookers::arrives(const Triggers& triggers) {
  clock_ticked_ = std::any_of(triggers.clocks.begin(), triggers.clocks.end(),
                              [this](ClockId c) { return clock_is_shown_[at(c)] != 0; });
  input_ticked_ = std::any_of(triggers.clocks.begin(), triggers.clocks.end(),
                              [this](ClockId c) { return runtime_.inputs.is_input(c); });
  witnessed_ =
      witness_ != nullptr && witness_->arrives(moment(InstantEvaluator::View::Committed), triggers);
}

// ⟨t − ε, 0⟩. Without bond graphs there is no ε: microstep 0 has these values.
void Onlookers::happens() {
  if (!recorder_.is_on() || !has_bonds_) return;
  // Who sets an input has seen what stood before.
  if (input_ticked_ && recorder_.has_row_at(runtime_.state.now)) return;
  know_shared();
  ArrivalReading reading(runtime_, eyes_);
  recorder_.add_before(runtime_.state.now, reading, runtime_.state.instants);
  warn_undefined({runtime_.state.now, -1, 0});
}

void Onlookers::moves(TransitionKind kind, const std::vector<Move>& moves,
                      const Assignments& sets) {
  if (!witnessed_) return;
  const auto view = kind == TransitionKind::Physical ? InstantEvaluator::View::Committed
                                                     : InstantEvaluator::View::Tried;
  witness_->moves(moment(view), kind, moves, sets);
}

void Onlookers::settles() {
  assertions_.settles();
  if (recorder_.is_on()) {
    find_shared(InstantEvaluator::View::Tried);
    InstantReading reading(runtime_, eyes_);
    recorder_.add_tick(runtime_.state.at, reading, runtime_.state.instants);
    for (const InstantReading::Missing& missing : reading.missing()) {
      if (!recorder_.is_first_without_value(*missing.column)) continue;
      const Span place = place_of(runtime_.system.model(), missing.column->value);
      warn(column_without_value(runtime_, {missing.fault, place, missing.column->name}));
    }
    if (is_strained()) recorder_.mark_strained();
  }
  if (!witnessed_) return;
  witness_->settles(moment(InstantEvaluator::View::Tried), runtime_.state.at, recorder_.last_row(),
                    runtime_.state.instant.touched.units);
}

void Onlookers::has_no_end(RowKind kind) {
  if (!recorder_.is_on()) return;
  UnfinishedReading reading(runtime_, eyes_);
  recorder_.add_unfinished(runtime_.state.at, kind, reading, runtime_.state.instants);
}

void Onlookers::leaves_as(RowKind kind) { recorder_.leave_as(kind); }
void Onlookers::leaves_by_inference() { recorder_.leave_by_inference(); }

void Onlookers::begins_over() {
  if (witnessed_) witness_->begins_over(moment(InstantEvaluator::View::Tried));
}

// Of what is not touched the mode was accepted before.
bool Onlookers::is_strained() {
  bool found = false;
  for (UnitId unit : runtime_.state.instant.touched.units) {
    const Cluster& cluster = *runtime_.cluster_of_unit[at(unit)];
    if (!cluster.is_strained || found) continue;
    eyes_.inside(InstantEvaluator::View::Tried);
    const bool known = attempt([&] {
      for (const auto& slot : cluster.slots) {
        if (!runtime_.is_in_force(*slot)) continue;
        found = found || eyes_.judge().find_strain(*slot) >= 0;
      }
    });
    if (!known) eyes_.abandon();
  }
  return found;
}

// Which columns only parasitics decide follows from the islands in force.
void Onlookers::find_shared(InstantEvaluator::View view) {
  knows_shared_ = true;
  shared_.clear();
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const bool may_be = std::any_of(cells_[c].begin(), cells_[c].end(), [&](plan::CellId cell) {
      return runtime_.slot_of_cell[at(cell)]->island->strain_count() > 0;
    });
    if (!may_be) continue;
    bool shared = false;
    eyes_.inside(view);
    const auto& formula = *recorder_.columns()[c].formula;
    if (!attempt([&] { shared = eyes_.judge().is_shared(formula); })) eyes_.abandon();
    if (shared) shared_.push_back(static_cast<uint32_t>(c));
  }
  recorder_.set_shared(shared_);
}

void Onlookers::know_shared() {
  if (!knows_shared_) find_shared(InstantEvaluator::View::Committed);
}

void Onlookers::commits() {
  if (witnessed_) witness_->commits(moment(InstantEvaluator::View::Tried));
  for (PreId pre : pres_) {
    double& kept = eyes_.pres[at(pre)] = kAbsent;
    const ExprId what = runtime_.system.model().pool.pres()[at(pre)];
    const bool known = attempt([&] { kept = eyes_.arriving().optional(what).value_or(kAbsent); });
    if (!known) eyes_.abandon();
  }
}

void Onlookers::jumps(Slot& slot, const std::vector<JunctionId>& switched) {
  if (!runtime_.options.audit) return;
  const Audit::Jump jump = audit_.jumped(slot, switched);
  if (jump.is_created()) warn(energy_created(runtime_, -jump.lost, switched));
  const Progress& instant = runtime_.state.instant;
  if (instant.is_start && instant.k == 0 && switched.empty() && jump.is_lost()) {
    warn(start_contradicts(runtime_, slot, jump.lost, jump.magnitude));
  }
}

void Onlookers::committed() {
  if (witnessed_) witness_->committed(moment(InstantEvaluator::View::Committed));
}

void Onlookers::ends_instant(bool happened) {
  recorder_.end_instant();
  assertions_.ends_instant(happened);
  if (happened) audit_.settled();
  looked_to_ = runtime_.state.now;
  if (!happened && clock_ticked_) add_row(runtime_.state.now, Recorder::Cause::Step, input_ticked_);
  witnessed_ = false;
}

std::vector<std::optional<Number>> Onlookers::values() {
  std::vector<std::optional<Number>> out;
  const bool inside = runtime_.state.instant.under_way;
  for (const RecordedColumn& column : recorder_.columns()) {
    plan::Value value = plan::Value::absent();
    const bool known = attempt([&] {
      if (inside) {
        value = eyes_.inside(InstantEvaluator::View::Tried).value(*column.formula);
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

RowCounts Onlookers::row_counts() const {
  RowCounts counts = recorder_.counts();
  counts.left_out = counts.left_out || curves_.has_left_out() || thinned_;
  return counts;
}

Onlookers::Memory Onlookers::memory() const {
  Memory out{audit_.books(), recorder_.memory(), curves_.memory(), eyes_.pres,
             samples_,       looked_to_,         thinned_,         assertions_.memory()};
  out.recorder.counts = row_counts();
  return out;
}

void Onlookers::remember(const Memory& memory) {
  audit_.remember(memory.books);
  recorder_.remember(memory.recorder);
  curves_.remember(memory.curves);
  eyes_.pres = memory.pres;
  samples_ = memory.samples;
  looked_to_ = memory.looked_to;
  thinned_ = memory.thinned;
  assertions_.remember(memory.assertions);
  knows_shared_ = false;
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
