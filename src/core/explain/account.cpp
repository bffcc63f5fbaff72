#include "core/explain/account.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/basics/sorted.hpp"
#include "core/engine/attempt.hpp"
#include "core/engine/faults.hpp"
#include "core/explain/numbers.hpp"
#include "core/explain/strain.hpp"

namespace cradle::explain {
namespace {

using engine::Cluster;
using engine::InstantEvaluator;
using engine::Moment;
using engine::Slot;
using engine::TransitionKind;

std::optional<Number> present(const plan::Value& value) {
  return value.is_present() ? std::optional<Number>(value) : std::nullopt;
}

bool differs(double a, double b) {
  return std::abs(a - b) > 1e-12 * std::max(std::abs(a), std::abs(b)) + 1e-300;
}

// What cannot be evaluated is not told. A run that has no value there says so itself.
template <class Work>
void attempt(const Moment& moment, InstantEvaluator::View view, Work&& work) {
  if (engine::attempt(work)) return;
  moment.judge.abandon();
  moment.inside.abandon();
  moment.arrival.abandon();
  moment.inside.begin(view);
}

std::size_t parts_of(const std::vector<ExplainedCondition>& conditions) {
  std::size_t parts = 0;
  for (const ExplainedCondition& condition : conditions) {
    parts += 1 + condition.values.size() + parts_of(condition.because);
  }
  return parts;
}

std::size_t parts_of(const ExplainedStep& step) {
  std::size_t parts =
      1 + step.events.size() + step.jumps.size() + step.impulses.size() + step.relations.size();
  for (const ExplainedMove& move : step.moves) parts += 1 + parts_of(move.conditions);
  for (const ExplainedStrain& strain : step.strains) {
    parts += 1 + strain.junctions.size() + strain.ends.size();
  }
  return parts;
}

std::vector<Cluster*> clusters_of(const Moment& moment, const std::vector<plan::UnitId>& units) {
  std::vector<Cluster*> out;
  for (plan::UnitId unit : units) {
    Cluster* cluster = moment.runtime.cluster_of_unit[at(unit)];
    if (std::find(out.begin(), out.end(), cluster) == out.end()) out.push_back(cluster);
  }
  return out;
}

ExplainedMove::Kind kind_of(TransitionKind kind) {
  switch (kind) {
    case TransitionKind::Physical:
      return ExplainedMove::Kind::Physical;
    case TransitionKind::Inference:
      return ExplainedMove::Kind::Inference;
    default:
      return ExplainedMove::Kind::Modal;
  }
}

}  // namespace

Account::Account(const model::Model& model, const Sources& sources, double t, bool values)
    : m_(model), only_(t), bounds_{1, SIZE_MAX}, guards_(model, sources), values_(values) {}

Account::Account(const model::Model& model, const Sources& sources, const Bounds& bounds)
    : m_(model), bounds_(bounds), guards_(model, sources) {}

bool Account::wants(double t) const {
  return (!only_ || t == *only_) && begun_instants_ < bounds_.instants && parts_ < bounds_.parts;
}

// One instant more than there is room for is forgotten as a whole.
void Account::count(std::size_t parts) {
  parts_ += parts;
  if (parts_ <= bounds_.parts) return;
  instants_.pop_back();
  parts_ = parts_before_;
  telling_ = false;
}

bool Account::arrives(const Moment& moment, const engine::Triggers& triggers) {
  // One at which nothing happened is not told; at the same time, its causes are those of the next.
  const bool empty = telling_ && instants_.back().steps.empty();
  const bool again = empty && instants_.back().t == moment.runtime.state.now;
  if (empty && !again) instants_.pop_back();
  if (empty) --begun_instants_;
  telling_ = wants(moment.runtime.state.now);
  if (!telling_) return false;
  ++begun_instants_;
  parts_before_ = parts_;
  begins_over_ = false;
  begun_.clear();
  if (!again) instants_.emplace_back().t = moment.runtime.state.now;
  std::vector<std::string>& causes = instants_.back().causes;
  for (plan::ComparisonId id : triggers.comparisons) {
    const plan::Comparison& comparison = moment.runtime.system.comparisons()[id];
    if (comparison.detector.valid()) {
      causes.push_back("a crossing is found (" + m_.memories[comparison.detector].name + ")");
    } else if (moment.runtime.slides(id)) {
      causes.push_back("one side of " + engine::border_text(moment.runtime, id) +
                       " lets go, and sliding along it ends");
    } else {
      const bool was = moment.runtime.state.truth[at(id)] != 0;
      causes.push_back(guards_.text_of_comparison(comparison) + " becomes " +
                       (was ? "false" : "true"));
    }
  }
  for (ClockId id : triggers.clocks) {
    if (const SignalId input = m_.clocks[id].input; input.valid()) {
      causes.push_back(m_.signals[input].name + " is set to " +
                       format_number(moment.runtime.state.held[at(id)].value));
      continue;
    }
    causes.push_back("tick " + std::to_string(moment.runtime.state.clock_count[at(id)]) +
                     " of a clock is due");
  }
  for (const auto& [id, value] : triggers.events) {
    causes.push_back("an event is due (" + m_.memories[id].name + ")");
  }
  if (triggers.start) causes.push_back("the run begins");
  std::sort(causes.begin(), causes.end());
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
  double stored = 0;
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    if (!m_.elements[ElementId(i)].states.empty()) {
      stored += moment.audit.stored(ElementId(i));
    }
  }
  instants_.back().stored_before = stored;
  return true;
}

void Account::moves(const Moment& moment, TransitionKind kind,
                    const std::vector<engine::Move>& moves, const engine::Assignments& sets) {
  if (!telling_) return;
  const auto view = kind == TransitionKind::Physical ? InstantEvaluator::View::Committed
                                                     : InstantEvaluator::View::Tried;
  auto value = [&](ExprId e) { return moment.inside.value(formula(moment, e)); };
  Guards::Judge judge;
  if (kind != TransitionKind::Modal) {
    const bool behind_jump =
        kind == TransitionKind::Physical && moment.runtime.state.instant.jumped;
    judge = [&moment, behind_jump, this](ExprId e) -> std::optional<Guards::Judged> {
      const bool truth = moment.judge.holds(formula(moment, e), behind_jump);
      return Guards::Judged{truth, moment.judge.gap_series()};
    };
  }
  for (const engine::Move& move : moves) {
    const model::Automaton& automaton = m_.automata[move.automaton];
    const model::Transition& transition = automaton.transitions[at(move.transition)];
    ExplainedMove told;
    told.kind = kind_of(kind);
    told.automaton = automaton.name;
    told.from = automaton.states[at(transition.from)];
    told.to = automaton.states[at(transition.to)];
    told.place = transition.guard_span;
    told.guard = guards_.source(transition.guard_span);
    told.history = transition.history;
    attempt(moment, view, [&] {
      told.conditions = guards_.conditions(transition.guard, transition.guard_span, value, judge);
    });
    for (const auto& [set, to] : sets) {
      const auto& own = transition.sets;
      if (own.empty() || set < own.data() || set >= own.data() + own.size()) continue;
      const std::string name =
          set->state.valid() ? m_.states[set->state].name : m_.memories[set->memory].name;
      told.sets.emplace_back(name, to ? std::optional<Number>(*to) : std::nullopt);
    }
    instants_.back().unfinished.push_back(std::move(told));
  }
}

void Account::settles(const Moment& moment, const Instant& at, std::size_t row,
                      const std::vector<plan::UnitId>& units) {
  if (!telling_) return;
  ExplainedStep step;
  step.at = at;
  step.row = row;
  step.moves = std::exchange(instants_.back().unfinished, {});
  step.jumps = std::exchange(begun_, {});
  for (MemoryId id : moment.runtime.state.speaking) {
    const plan::Value& value = moment.runtime.state.memory[cradle::at(id)];
    step.events.push_back({m_.memories[id].name, present(value)});
  }
  step.begins_over = std::exchange(begins_over_, false);
  const std::vector<Cluster*> clusters = clusters_of(moment, units);
  std::vector<StateId> integrals;
  attempt(moment, InstantEvaluator::View::Tried, [&] { look_at_strain(moment, clusters, step); });
  attempt(moment, InstantEvaluator::View::Tried, [&] { look_at_slides(moment, step); });
  jumping_.clear();
  attempt(moment, InstantEvaluator::View::Tried, [&] { look_at_bonds(moment, clusters, step); });
  attempt(moment, InstantEvaluator::View::Tried,
          [&] { look_at_integrals(moment, clusters, step, integrals); });
  if (!jumping_.empty() || !integrals.empty()) {
    attempt(moment, InstantEvaluator::View::Tried,
            [&] { look_at_relations(moment, jumping_, integrals, step); });
  }
  const std::size_t parts = parts_of(step);
  instants_.back().steps.push_back(std::move(step));
  count(parts);
}

void Account::begins_over(const Moment&) {
  if (!telling_) return;
  begins_over_ = true;
}

void Account::look_at_strain(const Moment& moment, const std::vector<Cluster*>& clusters,
                             ExplainedStep& step) {
  for (Cluster* cluster : clusters) {
    if (!cluster->is_strained) continue;
    for (const auto& slot : cluster->slots) {
      if (!moment.runtime.is_in_force(*slot)) continue;
      for (ExplainedStrain& strain : strains_of(moment.runtime, moment.judge, *slot)) {
        step.strains.push_back(std::move(strain));
      }
    }
  }
}

void Account::look_at_slides(const Moment& moment, ExplainedStep& step) {
  const std::vector<engine::Slide>& slides = moment.runtime.state.slides;
  for (std::size_t j = 0; j < slides.size(); ++j) {
    const auto pushes = moment.inside.pushes(j);
    if (!pushes) continue;
    ExplainedSlide told;
    told.border = engine::border_text(moment.runtime, slides[j].border);
    // The gap of a < b is b − a; the border names what varies on the left.
    const bool turned = engine::border_is_turned(moment.runtime, slides[j].border);
    told.above = turned ? -pushes->below : pushes->above;
    told.below = turned ? -pushes->above : pushes->below;
    told.share = turned ? 1 - pushes->share : pushes->share;
    for (const engine::Relay& relay : slides[j].relays) {
      const model::Automaton& automaton = m_.automata[relay.automaton];
      const std::string above = automaton.states[at(relay.above)],
                        below = automaton.states[at(relay.below)];
      told.relays.push_back({automaton.name, turned ? below : above, turned ? above : below});
    }
    step.slides.push_back(std::move(told));
  }
}

// Islands that jump: their stores, and the impulses of their bonds.
void Account::look_at_bonds(const Moment& moment, const std::vector<Cluster*>& clusters,
                            ExplainedStep& step) {
  for (Cluster* cluster : clusters) {
    for (const auto& slot : cluster->slots) {
      const plan::Island& island = *slot->island;
      if (!island.is_constrained() && island.impulsive_sources().empty()) continue;
      const auto& elements = moment.runtime.system.cells()[island.cells()[0]].elements;
      if (!elements.empty() && !moment.runtime.is_active(m_.elements[elements[0]].region)) continue;
      if (!moment.inside.jumps(*slot)) continue;
      jumping_.push_back(slot.get());
      for (StateId id : island.states()) {
        const double before = moment.runtime.state.x[at(id)], after = moment.inside.state_plus(id);
        if (differs(before, after)) step.jumps.push_back({m_.states[id].name, before, after});
      }
      std::vector<double> impulses;
      moment.inside.impulses(*slot, impulses);
      double largest = 0;
      for (double v : impulses) largest = std::max(largest, std::abs(v));
      auto clean = [largest](double v) { return std::abs(v) <= 1e-12 * largest ? 0 : v; };
      for (std::size_t i = 0; i < island.bonds().size(); ++i) {
        const double p = clean(impulses[2 * i]), q = clean(impulses[2 * i + 1]);
        if (p != 0 || q != 0) step.impulses.push_back({m_.bonds[island.bonds()[i]].name, p, q});
      }
    }
  }
}

void Account::look_at_integrals(const Moment& moment, const std::vector<Cluster*>& clusters,
                                ExplainedStep& step, std::vector<StateId>& jumped) {
  for (Cluster* cluster : clusters) {
    for (StateId id : cluster->integrals) {
      const model::State& state = m_.states[id];
      if (!moment.runtime.system.integral_may_jump(id)) continue;
      if (!moment.runtime.is_active(state.region)) continue;
      const double weight = moment.inside.weight(id);
      if (weight == 0) continue;
      const double before = moment.runtime.state.x[at(id)];
      step.jumps.push_back({state.name, before, before + weight, ExplainedJump::Cause::Impulse});
      jumped.push_back(id);
    }
  }
}

// Of the islands that jump, and of those at junctions that have switched.
void Account::look_at_relations(const Moment& moment, const std::vector<Slot*>& slots,
                                const std::vector<StateId>& integrals, ExplainedStep& step) {
  const engine::Runtime& runtime = moment.runtime;
  const plan::Plan& system = runtime.system;
  std::vector<Slot*> parts = slots;
  for (std::size_t a = 0; a < m_.automata.size() && !slots.empty(); ++a) {
    const model::Automaton& automaton = m_.automata[AutomatonId(a)];
    if (automaton.modal || runtime.state.mode[a] == runtime.state.arrival_mode[a]) continue;
    for (const model::BondEnd& end : m_.junctions[automaton.junction].bonds) {
      parts.push_back(runtime.slot_of_cell[at(system.cell_of(end.bond))]);
    }
  }
  Jumping part;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::find(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), parts[i]) !=
        parts.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    for (plan::CellId cell : parts[i]->island->cells()) {
      const plan::Cell& c = system.cells()[cell];
      part.elements.insert(part.elements.end(), c.elements.begin(), c.elements.end());
      part.junctions.insert(part.junctions.end(), c.junctions.begin(), c.junctions.end());
      part.junctions.insert(part.junctions.end(), c.controlled.begin(), c.controlled.end());
      part.bonds.insert(part.bonds.end(), c.bonds.begin(), c.bonds.end());
    }
  }
  sort_unique(part.elements);
  sort_unique(part.junctions);
  sort_unique(part.bonds);
  part.integrals = integrals;
  part.now = runtime.state.mode;
  part.impulse = [&](BondId bond, bool effort) {
    const plan::CellId cell = system.cell_of(bond);
    Slot& slot = *runtime.slot_of_cell[at(cell)];
    if (std::find(slots.begin(), slots.end(), &slot) == slots.end()) return 0.0;
    std::vector<double> impulses;
    moment.inside.impulses(slot, impulses);
    const int local = 2 * (slot.island->offset_of(cell) + system.index_in_cell(bond));
    return impulses[at(effort ? local : local + 1)];
  };
  part.value = [&](const expr::Node& leaf, bool before) -> std::optional<Number> {
    const plan::Code formula = system.compile(leaf);
    if (!before) return present(moment.inside.value(formula));
    const std::optional<double> value = moment.arrival.optional(formula);
    return value ? std::optional<Number>(*value) : std::nullopt;
  };
  part.state = [&](StateId id, bool before) {
    const bool integral = !m_.states[id].element.valid();
    const double x = runtime.state.x[at(id)];
    if (before) return x;
    if (!integral) return moment.inside.state_plus(id);
    const bool jumps = std::find(integrals.begin(), integrals.end(), id) != integrals.end();
    return jumps ? x + moment.inside.weight(id) : x;
  };
  // Where names stand in the way of eliminating the rest, numbers tell more.
  Relations* told = &relations(moment, values_);
  step.relations = told->determining(part, step.more_relations);
  if (told->is_reduced() || !told->has_parameters()) return;
  told = &relations(moment, true);
  step.relations = told->determining(part, step.more_relations);
}

Relations& Account::relations(const Moment& moment, bool values) {
  Named& made = values ? by_values_ : by_names_;
  if (made.relations == nullptr) {
    const model::Binding& binding = moment.runtime.system.binding();
    made.model = std::make_unique<const model::Model>(values ? model::fold(m_, binding)
                                                             : model::with_given(m_, binding));
    made.relations = std::make_unique<Relations>(*made.model, binding);
  }
  return *made.relations;
}

// Guards are looked at piece by piece, and a plan has no programs of their pieces.
const plan::Code& Account::formula(const Moment& moment, ExprId e) {
  auto found = formulas_.find(e);
  if (found == formulas_.end()) {
    found = formulas_.emplace(e, moment.runtime.system.compile(e)).first;
  }
  return found->second;
}

Account::Books Account::books(const Moment& moment) const {
  Books out;
  for (const EnergyEntry& entry : moment.audit.result().entries) {
    if (entry.kind == EnergyEntry::Kind::Resistor) continue;
    out[{entry.name, entry.kind}] += entry.jumping;
  }
  return out;
}

void Account::commits(const Moment& moment) {
  if (!telling_) return;
  books_ = books(moment);
  x_.clear();
  for (std::size_t i = 0; i < m_.states.size(); ++i) {
    x_.push_back(moment.runtime.state_at(StateId(i), moment.runtime.state.now));
  }
  stored_.assign(m_.elements.size(), 0.0);
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    if (!m_.elements[ElementId(i)].states.empty()) stored_[i] = moment.audit.stored(ElementId(i));
  }
}

void Account::committed(const Moment& moment) {
  if (!telling_) return;
  ExplainedStep& step = instants_.back().steps.back();
  step.committed = true;
  for (std::size_t i = 0; i < m_.states.size(); ++i) {
    const std::string& name = m_.states[StateId(i)].name;
    const double now = moment.runtime.state_at(StateId(i), moment.runtime.state.now);
    const bool known = std::any_of(step.jumps.begin(), step.jumps.end(),
                                   [&](const ExplainedJump& jump) { return jump.name == name; });
    // What tolerance leaves of a constraint is projected away, and is no jump.
    const bool moved = std::abs(now - x_[i]) > 1e-6 * std::max(std::abs(now), std::abs(x_[i]));
    if (!known && moved && !m_.regions.empty()) {
      begun_.push_back({name, x_[i], now, ExplainedJump::Cause::Action});
    }
  }
  Books now = books(moment);
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    const model::Element& element = m_.elements[ElementId(i)];
    if (element.states.empty()) continue;
    const std::pair key(element.name, EnergyEntry::Kind::Store);
    const double change = now[key] - books_[key];
    if (change == 0) continue;
    step.energy.push_back({element.name, EnergyEntry::Kind::Store, change, stored_[i],
                           moment.audit.stored(ElementId(i))});
  }
  for (const EnergyEntry::Kind kind : {EnergyEntry::Kind::Source, EnergyEntry::Kind::Switch}) {
    for (const auto& [key, amount] : now) {
      if (key.second != kind || amount == books_[key]) continue;
      step.energy.push_back({key.first, kind, amount - books_[key]});
    }
  }
  count(step.energy.size());
}

}  // namespace cradle::explain
