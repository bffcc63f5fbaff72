#include "core/engine/audit.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numeric>

#include "core/engine/attempt.hpp"
#include "core/plan/series.hpp"

namespace cradle::engine {

namespace {

// Gauss–Legendre with five nodes on [−1, 1]: exact to degree 9, so on dense output of degree 4 for
// every power in a linear island.
constexpr double kGaussNodes[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                  0.9061798459386640};
constexpr double kWeights[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                               0.4786286704993665, 0.2369268850561891};
constexpr std::size_t kNodeCount = std::size(kGaussNodes);
// Without a solver that chooses steps, what varies with time is integrated in parts of the run.
constexpr double kPanels = 1024;
constexpr std::size_t kMostCuts = 1 << 14;  // in one interval

// Sign of the energy that a source delivers, in terms of its bond's power.
double outward(const model::Element& element) { return element.ports[0].inward ? -1 : 1; }

// An estimate of the error of the five nodes, from how fast the Legendre coefficients of what they
// saw fall: by a factor from one pair to the next, and the first that is not integrated exactly is
// the tenth.
double quadrature_error(const double* values, std::size_t stride) {
  double a[5] = {};
  for (std::size_t j = 0; j < kNodeCount; ++j) {
    const double x = kGaussNodes[j], v = kWeights[j] * values[j * stride];
    const double x2 = x * x;
    a[1] += 1.5 * v * x;
    a[2] += 2.5 * v * (1.5 * x2 - 0.5);
    a[3] += 3.5 * v * (2.5 * x2 - 1.5) * x;
    a[4] += 4.5 * v * ((4.375 * x2 - 3.75) * x2 + 0.375);
  }
  const double early = std::abs(a[1]) + std::abs(a[2]), late = std::abs(a[3]) + std::abs(a[4]);
  const double ratio = early > late ? late / early : 1;
  return 2 * late * ratio * ratio * ratio;
}

// What a law reads besides the content of its store, by name; empty: nothing.
std::string modulators_of(const model::Model& m, const model::Element& element) {
  std::string names;
  for (ExprId law : element.laws) {
    for (ExprId leaf : m.pool.leaves(law)) {
      if (m.pool[leaf].op != expr::Op::Signal) continue;
      const std::string& name = m.signals[SignalId(at(m.pool[leaf].ref))].name;
      if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
    }
  }
  return names.empty() ? "time" : names;
}

bool varies(const plan::Footprint& reads) {
  return reads.time || !reads.cells.empty() || !reads.states.empty() || !reads.automata.empty() ||
         !reads.clocks.empty() || !reads.pres.empty() || !reads.memories.empty();
}

}  // namespace

Audit::Audit(Runtime& runtime, Eyes& eyes) : runtime_(runtime), eyes_(eyes) {
  const model::Model& m = runtime.system.model();
  const std::size_t elements = m.elements.size();
  for (std::vector<double>* list :
       {&books_.work_flowing, &books_.work_jumping, &books_.modulation_flowing,
        &books_.modulation_jumping, &books_.turnover, &books_.energy, &books_.energy_start,
        &books_.store_jumping}) {
    list->assign(elements, 0.0);
  }
  books_.switch_loss.assign(m.junctions.size(), 0.0);
  books_.seen.assign(runtime.system.units().size(), 0.0);
  modulators_.resize(elements);
  reads_pre_.assign(elements, 0);
  if (!runtime.options.audit) return;
  plan::Footprints footprints(runtime.system);
  for (std::size_t i = 0; i < elements; ++i) {
    const model::Element& element = m.elements[ElementId(i)];
    if (!element.states.empty()) {
      const bool modulated = std::any_of(element.laws.begin(), element.laws.end(),
                                         [&](ExprId law) { return varies(footprints.of(law)); });
      if (!modulated) continue;
      modulators_[i] = modulators_of(m, element);
      modulated_.push_back(ElementId(i));
    } else if (elements::is_source(element.kind)) {
      reads_pre_[i] = !footprints.of(element.signal).pres.empty();
    }
  }
}

void Audit::begin() {
  books_.x_start = runtime_.state.x;
  if (!runtime_.options.audit) return;
  for (ElementId id : modulated_) {
    double& energy = books_.energy[at(id)];
    if (!attempt([&] { energy = stored(id); })) eyes_.abandon();
    books_.energy_start[at(id)] = energy;
  }
}

int Audit::variable_of(const Slot& slot, BondId bond) const {
  const Plan& system = runtime_.system;
  return 2 * (slot.island->offset_of(system.cell_of(bond)) + system.index_in_cell(bond));
}

void Audit::add_bonds(Metering& metering, Slot& slot, ElementId id) const {
  const model::Element& element = runtime_.system.model().elements[id];
  const bool counts = elements::is_source(element.kind) || elements::is_dissipative(element.kind);
  if (!counts && !is_modulated(id)) return;
  for (const model::BondEnd& port : element.ports) {
    const double sign = counts || port.inward ? 1 : -1;
    metering.bonds.push_back({id, &slot, variable_of(slot, port.bond), sign});
  }
}

void Audit::add_store(Metering& metering, const Slot& slot, ElementId id) const {
  const model::Element& element = runtime_.system.model().elements[id];
  if (element.states.empty()) return;
  const plan::EquationList& equations = slot.island->equations();
  const int given = slot.island->given_by(
      slot.island->rate_variable(slot.island->local_state(element.states[0])) ^ 1);
  if (!is_modulated(id) && element.states.size() == 1 && given >= 0) {
    const plan::Equation& law = equations[at(given)];
    const bool own = law.kind == plan::Equation::Kind::Store && law.element == id;
    if (own && law.linear && !law.formula.valid() && law.states.size() == 1) {
      const auto component = at(runtime_.component_of_state[at(element.states[0])]);
      metering.linear.push_back({id, component, law.coefficients[0], law.offset});
      return;
    }
  }
  metering.bent.push_back(id);
}

std::unique_ptr<Metering> Audit::meter(const Cluster& cluster) {
  auto out = std::make_unique<Metering>();
  std::vector<plan::IslandVariable> measured;
  for (const auto& slot : cluster.slots) {
    for (CellId cell : slot->island->cells()) {
      for (ElementId id : runtime_.system.cells()[cell].elements) {
        add_bonds(*out, *slot, id);
        add_store(*out, *slot, id);
      }
    }
  }
  for (const Metering::Bond& bond : out->bonds) {
    measured.push_back({bond.slot->island.get(), bond.effort});
    measured.push_back({bond.slot->island.get(), bond.effort + 1});
  }
  if (measured.empty() || cluster.solver == nullptr) return out;
  if (auto code = find_powers(runtime_, cluster, measured); code->exists()) {
    out->code = std::make_unique<FlowCode>(runtime_, std::move(code), false);
  }
  return out;
}

void Audit::read_meters(Cluster& cluster) {
  if (!cluster.metering) cluster.metering = meter(cluster);
  const model::Model& m = runtime_.system.model();
  meters_.clear();
  int place = 0;
  for (const Metering::Bond& bond : cluster.metering->bonds) {
    if (runtime_.is_active(m.elements[bond.element].region)) meters_.push_back({&bond, place});
    ++place;
  }
  measured_ = &cluster;
  by_code_ =
      cluster.metering->code && runtime_.course_of(cluster).stepped && !runtime_.slides(cluster);
  if (!by_code_) return;
  cluster.metering->code->refresh(eyes_.flowing(runtime_.state.now), runtime_);
  variables_.resize(2 * cluster.metering->bonds.size());
  x_.resize(cluster.states.size());
}

void Audit::read_powers(double t, std::span<double> powers) {
  if (by_code_) measured_->solver->interpolate(t, x_);
  if (by_code_ && measured_->metering->code->run(t, x_, variables_)) {
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      const auto place = 2 * at(meters_[i].place);
      powers[i] = meters_[i].bond->sign * variables_[place] * variables_[place + 1];
    }
    return;
  }
  FlowEvaluator& flow = eyes_.flowing(t);
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    const Metering::Bond& bond = *meters_[i].bond;
    // Along a border, the mean of the power on its sides.
    powers[i] = flow.mean([&] {
      return bond.sign * flow.variable(*bond.slot, bond.effort) *
             flow.variable(*bond.slot, bond.effort + 1);
    });
  }
}

// False if it has to be cut: then nothing is added.
bool Audit::add_panel(const Panel& panel, bool at_any_rate) {
  const double half = (panel.end - panel.begin) / 2;
  const double middle = panel.begin + half;
  powers_.resize(kNodeCount * meters_.size());
  for (std::size_t node = 0; node < kNodeCount; ++node) {
    read_powers(middle + kGaussNodes[node] * half,
                std::span(powers_).subspan(node * meters_.size(), meters_.size()));
  }
  // In terms of what the books of the cluster have added up: what is small beside it need not be
  // known to all its digits.
  double known = turnover_, error = 0;
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    for (std::size_t node = 0; node < kNodeCount; ++node) {
      known += kWeights[node] * half * std::abs(powers_[node * meters_.size() + i]);
    }
    error = std::max(error, half * quadrature_error(&powers_[i], meters_.size()));
  }
  const double tolerance = 0.1 * std::min(runtime_.options.relative_tolerance, 1e-6);
  if (!at_any_rate && error > tolerance * known) return false;
  turnover_ = known;
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    for (std::size_t node = 0; node < kNodeCount; ++node) {
      const double work = kWeights[node] * half * powers_[node * meters_.size() + i];
      meters_[i].work += work;
      meters_[i].turnover += std::abs(work);
    }
  }
  return true;
}

// Gauss's rule, on halves where it is not accurate enough: near a kink, or where something is
// faster than the solver's steps, which need not resolve what no state feels.
void Audit::integrate(double from, double to, int panels) {
  turnover_ = 0;
  for (const Meter& meter : meters_) turnover_ += books_.turnover[at(meter.bond->element)];
  panels_.clear();
  for (int i = panels; i-- > 0;) {
    panels_.push_back({from + (to - from) * i / panels, from + (to - from) * (i + 1) / panels});
  }
  const double shortest = 1e-12 * (to - from);
  std::size_t cuts = 0;
  while (!panels_.empty()) {
    const Panel panel = panels_.back();
    panels_.pop_back();
    const double middle = std::midpoint(panel.begin, panel.end);
    const bool whole = cuts >= kMostCuts || panel.end - panel.begin <= shortest;
    if (add_panel(panel, whole)) continue;
    ++cuts;
    panels_.push_back({middle, panel.end});
    panels_.push_back({panel.begin, middle});
  }
}

// What the stores of a cluster have gained, without modulated ones, which gain what came through
// their bonds. `explained` grows by what the tolerance of the solver lets energies be wrong.
double Audit::evolved_stores(const Cluster& cluster, double from, double t, double& explained) {
  const Options& options = runtime_.options;
  const bool dense = runtime_.course_of(cluster).stepped;
  double gained = 0, most = -1;
  const auto add = [&](ElementId id, double change) {
    gained += change;
    if (std::abs(change) <= most) return;
    most = std::abs(change);
    changed_most_ = id;
  };
  if (dense && !cluster.metering->linear.empty()) {
    x_.resize(cluster.states.size());
    x_from_.resize(cluster.states.size());
    cluster.solver->interpolate(from, x_from_);
    cluster.solver->interpolate(t, x_);
    for (const auto& [id, component, factor, offset] : cluster.metering->linear) {
      const double before = x_from_[component], now = x_[component];
      const double size = std::max(std::abs(before), std::abs(now));
      explained += std::abs(factor * now + offset) *
                   (options.relative_tolerance * size + options.absolute_tolerance);
      add(id, (now - before) * (factor * (0.5 * (before + now)) + offset));
    }
  }
  for (const auto& store : cluster.metering->linear) {
    if (!dense) add(store.element, evolved_store(store.element, from, t, explained));
  }
  for (ElementId id : cluster.metering->bent) add(id, evolved_store(id, from, t, explained));
  return gained;
}

double Audit::evolved_store(ElementId id, double from, double t, double& explained) {
  const model::Element& element = runtime_.system.model().elements[id];
  const Options& options = runtime_.options;
  from_.clear();
  to_.clear();
  for (StateId s : element.states) {
    from_.push_back(runtime_.state_at(s, from));
    to_.push_back(runtime_.state_at(s, t));
  }
  FlowEvaluator& flow = eyes_.flowing(t);
  for (std::size_t i = 0; i < to_.size(); ++i) {
    const double size = std::max(std::abs(from_[i]), std::abs(to_[i]));
    explained += std::abs(flow.formula(element.laws[i], to_)) *
                 (options.relative_tolerance * size + options.absolute_tolerance);
  }
  if (!is_modulated(id)) return stored_change(element, from_, to_, t);
  double change = 0;
  for (const Meter& meter : meters_) {
    if (meter.bond->element == id) change += meter.work;
  }
  const double now = stored(id, t);
  books_.modulation_flowing[at(id)] += now - books_.energy[at(id)] - change;
  books_.energy[at(id)] = now;
  return change;
}

void Audit::evolved(Cluster& cluster, double t) {
  const double from = books_.seen[at(cluster.units[0])];
  if (!runtime_.options.audit || !(t > from)) return;
  for (UnitId unit : cluster.units) books_.seen[at(unit)] = t;
  if (cluster.slots.empty()) return;
  const model::Model& m = runtime_.system.model();
  int panels = 1;
  if (cluster.states.empty() && cluster.reads_time) {
    const double whole = runtime_.options.until.value_or(runtime_.system.until().value_or(t));
    panels = static_cast<int>(std::clamp(std::ceil(kPanels * (t - from) / whole), 1.0, kPanels));
  }
  read_meters(cluster);
  if (!meters_.empty()) integrate(from, t, panels);
  double brought = 0, explained = 0;
  for (const Meter& meter : meters_) {
    const model::Element& element = m.elements[meter.bond->element];
    books_.turnover[at(meter.bond->element)] += meter.turnover;
    explained += runtime_.options.relative_tolerance * meter.turnover;
    if (!element.states.empty()) continue;
    books_.work_flowing[at(meter.bond->element)] += meter.work;
    brought += elements::is_source(element.kind) ? outward(element) * meter.work : -meter.work;
  }
  changed_most_ = {};
  const double left = evolved_stores(cluster, from, t, explained) - brought;
  books_.unaccounted += left;
  books_.explained += explained;
  if (std::abs(left) - explained <= books_.worst) return;
  books_.worst = std::abs(left) - explained;
  books_.worst_begin = from;
  books_.worst_end = t;
  books_.worst_store = changed_most_.valid() ? static_cast<int32_t>(at(changed_most_)) : -1;
}

// The tolerance holds for each step; how errors add up over many of them, and how far one of a
// method of low order may exceed it, leave room.
std::optional<Audit::Discrepancy> Audit::discrepancy() const {
  constexpr double kRoom = 100;
  if (!runtime_.options.audit) return std::nullopt;
  if (std::abs(books_.unaccounted) <= kRoom * books_.explained) return std::nullopt;
  return Discrepancy{books_.unaccounted, books_.explained, books_.worst_begin, books_.worst_end,
                     books_.worst_store < 0
                         ? ElementId()
                         : ElementId(static_cast<std::size_t>(books_.worst_store))};
}

// ∫ law from x⁻ to x⁺ with the law of time t; for a field along the straight line between them.
double Audit::stored_change(const model::Element& element, const std::vector<double>& from,
                            const std::vector<double>& to, double t) {
  if (from == to) return 0;
  std::vector<double> x(from.size());
  FlowEvaluator& flow = eyes_.flowing(t);
  auto integrand = [&](double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[i] + s * (to[i] - from[i]);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (to[i] != from[i]) sum += flow.formula(element.laws[i], x) * (to[i] - from[i]);
    }
    return sum;
  };
  // Linear laws are integrated exactly by the midpoint.
  const double ends = (integrand(0) + integrand(1)) / 2, mid = integrand(0.5);
  if (std::abs(ends - mid) <= 1e-14 * std::abs(mid)) return mid;
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(integrand, 0.0, 1.0, 8,
                                                                       1e-12);
}

// Through a bond in a jump, in the direction of its half-arrow: ½(e⁻ + e⁺) q′ + ½(f⁻ + f⁺) p′.
double Audit::bond_energy(Slot& slot, BondId bond, const std::vector<double>& impulses,
                          InstantEvaluator& inside, FlowEvaluator& arrival) {
  const Plan& system = runtime_.system;
  CellId cell = system.cell_of(bond);
  const int effort = variable_of(slot, bond);
  Slot& before = *runtime_.arrival_slot_of_cell[at(cell)];
  const int old = variable_of(before, bond);
  const double p = impulses[static_cast<std::size_t>(effort)];
  const double q = impulses[static_cast<std::size_t>(effort) + 1];
  double sum = 0;
  if (q != 0) {
    sum += 0.5 * q * (arrival.variable(before, old) + inside.variable(slot, effort).finite);
  }
  if (p != 0) {
    sum += 0.5 * p * (arrival.variable(before, old + 1) + inside.variable(slot, effort + 1).finite);
  }
  return sum;
}

// A source at a junction that has switched, and that says how: it reads what stood before.
bool Audit::is_impact(ElementId id, const std::vector<JunctionId>& switched) const {
  if (reads_pre_[at(id)] == 0) return false;
  const model::Model& m = runtime_.system.model();
  const model::Bond& bond = m.bonds[m.elements[id].ports[0].bond];
  const JunctionId junction = bond.from.junction.valid() ? bond.from.junction : bond.to.junction;
  return std::find(switched.begin(), switched.end(), junction) != switched.end();
}

// s·q′ or s·p′; a source that carries an impulse itself works on the mean of the other.
double Audit::work_of(Slot& slot, const model::Element& source, const std::vector<double>& impulses,
                      InstantEvaluator& inside, FlowEvaluator& arrival) {
  const BondId bond = source.ports[0].bond;
  if (!inside.value(source.signal).is_finite()) {
    return bond_energy(slot, bond, impulses, inside, arrival);
  }
  const int v = variable_of(slot, bond);
  const Number e = inside.variable(slot, v), f = inside.variable(slot, v + 1);
  return e.finite * f.impulse + f.finite * e.impulse;
}

// What a junction that switched took from its bonds; an impact law gives it nothing.
double Audit::taken_by(JunctionId junction, Slot& slot, const std::vector<double>& impulses,
                       const std::vector<JunctionId>& switched, InstantEvaluator& inside,
                       FlowEvaluator& arrival, bool& here) {
  const model::Model& m = runtime_.system.model();
  double taken = 0;
  for (const model::BondEnd& end : m.junctions[junction].bonds) {
    if (runtime_.slot_of_cell[at(runtime_.system.cell_of(end.bond))] != &slot) continue;
    here = true;
    const model::Bond& bond = m.bonds[end.bond];
    const ElementId element = bond.from.element.valid() ? bond.from.element : bond.to.element;
    const bool source = element.valid() && elements::is_source(m.elements[element].kind);
    if (source && is_impact(element, switched)) continue;
    const double energy = source ? work_of(slot, m.elements[element], impulses, inside, arrival)
                                 : bond_energy(slot, end.bond, impulses, inside, arrival);
    taken += (end.inward ? 1 : -1) * energy;
  }
  return taken;
}

// Booked to the junctions in shares_. A loss is borne by those that took something, and what was
// gained by those that gave, so that none is said to deliver while others lose.
void Audit::book_loss(double lost) {
  if (shares_.empty()) {
    books_.unbooked += lost;
    return;
  }
  const double sign = lost < 0 ? -1 : 1;
  double sum = 0;
  for (const auto& [junction, share] : shares_) sum += std::max(sign * share, 0.0);
  for (const auto& [junction, share] : shares_) {
    const double part =
        sum > 0 ? std::max(sign * share, 0.0) / sum : 1 / static_cast<double>(shares_.size());
    books_.switch_loss[at(junction)] += part * lost;
  }
}

// What rounding of its states makes of the energy of a store, which may have come to rest.
double Audit::energy_of_rounding(const model::Element& element,
                                 const std::vector<double>& at_states) {
  std::vector<double> off = at_states;
  for (std::size_t i = 0; i < off.size(); ++i) {
    constexpr double kJumps = 8;  // what follows each other before anything moves
    const double worth = runtime_.state.worth[at(element.states[i])];
    off[i] += std::copysign(kJumps * plan::Coefficient{0, worth}.noise(), off[i]);
  }
  return std::abs(stored_change(element, at_states, off, runtime_.state.now));
}

Audit::Jump Audit::jumped(Slot& slot, const std::vector<JunctionId>& switched) {
  const Plan& system = runtime_.system;
  const model::Model& m = system.model();
  InstantEvaluator& inside = eyes_.inside(InstantEvaluator::View::Tried);
  FlowEvaluator& arrival = eyes_.arriving();
  std::vector<double> impulses;
  inside.impulses(slot, impulses);
  double gained = 0, supplied = 0;
  Jump out;
  for (CellId cell : slot.island->cells()) {
    for (ElementId id : system.cells()[cell].elements) {
      const model::Element& element = m.elements[id];
      if (!element.states.empty()) {
        std::vector<double> from, to;
        for (StateId s : element.states) {
          from.push_back(runtime_.state.x[at(s)]);
          to.push_back(inside.state_plus(s));
        }
        const double now = runtime_.state.now;
        const double change = stored_change(element, from, to, now);
        const double before =
            stored_change(element, std::vector<double>(from.size(), 0.0), from, now);
        books_.store_jumping[at(id)] += change;
        books_.energy[at(id)] += change;
        gained += change;
        out.magnitude += std::abs(before) + std::abs(change);
        out.rounding += energy_of_rounding(element, to);
      } else if (elements::is_source(element.kind) && !is_impact(id, switched)) {
        const double work = work_of(slot, element, impulses, inside, arrival);
        books_.work_jumping[at(id)] += work;
        supplied += outward(element) * work;
        out.magnitude += std::abs(work);
      }
    }
  }
  out.lost = supplied - gained;
  shares_.clear();
  for (JunctionId j : switched) {
    bool here = false;
    const double share = taken_by(j, slot, impulses, switched, inside, arrival, here);
    if (here) shares_.emplace_back(j, share);
  }
  // Rounding that looks like a gain is none.
  if (out.lost < 0 && !out.is_created()) {
    books_.explained += -out.lost;
  } else {
    book_loss(out.lost);
  }
  return out;
}

void Audit::assigned(StateId id, double value) {
  const model::Model& m = runtime_.system.model();
  const ElementId owner = m.states[id].element;
  if (!runtime_.options.audit || !owner.valid()) return;
  const model::Element& element = m.elements[owner];
  std::vector<double> from, to;
  for (StateId s : element.states) {
    from.push_back(runtime_.state.x[at(s)]);
    to.push_back(s == id ? value : runtime_.state.x[at(s)]);
  }
  const double change = stored_change(element, from, to, runtime_.state.now);
  books_.store_jumping[at(owner)] += change;
  books_.energy[at(owner)] += change;
  books_.by_actions += change;
}

void Audit::settled() {
  if (!runtime_.options.audit) return;
  for (ElementId id : modulated_) {
    double now = books_.energy[at(id)];
    if (!attempt([&] { now = stored(id); })) eyes_.abandon();
    books_.modulation_jumping[at(id)] += now - books_.energy[at(id)];
    books_.energy[at(id)] = now;
  }
}

double Audit::stored(ElementId id, double t) {
  const model::Element& element = runtime_.system.model().elements[id];
  std::vector<double> content;
  for (StateId s : element.states) content.push_back(runtime_.state_at(s, t));
  return stored_change(element, std::vector<double>(content.size(), 0.0), content, t);
}

double Audit::stored(ElementId id) { return stored(id, runtime_.state.now); }

EnergyAudit Audit::result() {
  const model::Model& m = runtime_.system.model();
  const double now = runtime_.state.now;
  EnergyAudit out;
  const auto add = [&out](std::string name, EnergyEntry::Kind kind, double flowing,
                          double jumping) {
    out.entries.push_back({std::move(name), kind, flowing, jumping});
    return flowing + jumping;
  };
  for (std::size_t i = 0; i < m.elements.size(); ++i) {
    const ElementId id(i);
    const model::Element& element = m.elements[id];
    if (!element.states.empty() && !books_.x_start.empty()) {
      std::vector<double> zero(element.states.size(), 0.0), start, end;
      for (StateId s : element.states) {
        start.push_back(books_.x_start[at(s)]);
        end.push_back(runtime_.state_at(s, now));
      }
      const bool modulated = is_modulated(id);
      const double before =
          modulated ? books_.energy_start[i] : stored_change(element, zero, start, now);
      const double change =
          modulated ? stored(id) - before : stored_change(element, start, end, now);
      const double by_law = books_.modulation_jumping[i];
      out.stored_start += before;
      out.stored_end += before + change;
      const double jumping = books_.store_jumping[i] + by_law;
      add(element.name, EnergyEntry::Kind::Store, change - jumping, jumping);
      if (modulated) {
        out.delivered += add(modulators_[i] + " (modulates " + element.name + ")",
                             EnergyEntry::Kind::Source, books_.modulation_flowing[i], by_law);
      }
    } else if (elements::is_source(element.kind)) {
      const double sign = outward(element);
      out.delivered += add(element.name, EnergyEntry::Kind::Source, sign * books_.work_flowing[i],
                           sign * books_.work_jumping[i]);
    } else if (elements::is_dissipative(element.kind)) {
      out.dissipated += add(element.name, EnergyEntry::Kind::Resistor, books_.work_flowing[i], 0);
    }
  }
  for (std::size_t j = 0; j < m.junctions.size(); ++j) {
    if (!m.junctions[JunctionId(j)].automaton.valid()) continue;
    out.dissipated_by_switching +=
        add(m.junctions[JunctionId(j)].name, EnergyEntry::Kind::Switch, 0, books_.switch_loss[j]);
  }
  if (books_.by_actions != 0) {
    out.delivered +=
        add("(actions of transitions)", EnergyEntry::Kind::Source, 0, books_.by_actions);
  }
  if (books_.unbooked != 0) {
    out.dissipated_by_switching +=
        add("(without switching)", EnergyEntry::Kind::Switch, 0, books_.unbooked);
  }
  out.residual = out.stored_end - out.stored_start - out.delivered + out.dissipated +
                 out.dissipated_by_switching;
  return out;
}

}  // namespace cradle::engine
