#include "core/engine/audit.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace cradle::engine {

namespace {

// Gauss–Legendre with five nodes on [−1, 1]: exact to degree 9, so on dense output of degree 4 for
// every power in a linear island.
constexpr double kNodes[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                             0.9061798459386640};
constexpr double kWeights[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                               0.4786286704993665, 0.2369268850561891};
// Without a solver that chooses steps, what varies with time is integrated in parts of the run.
constexpr double kPanels = 1024;

// Sign of the energy that a source delivers, in terms of its bond's power.
double outward(const model::Element& element) { return element.ports[0].inward ? -1 : 1; }

}  // namespace

Audit::Audit(Runtime& runtime, Eyes& eyes) : runtime_(runtime), eyes_(eyes) {
  const model::Model& m = runtime.system.model();
  books_.work_flowing.assign(m.elements.size(), 0.0);
  books_.work_jumping.assign(m.elements.size(), 0.0);
  books_.store_jumping.assign(m.elements.size(), 0.0);
  books_.switch_loss.assign(m.junctions.size(), 0.0);
  books_.seen.assign(runtime.system.units().size(), 0.0);
}

void Audit::begin() { books_.x_start = runtime_.state.x; }

void Audit::evolved(const Cluster& cluster, double t) {
  const double from = books_.seen[at(cluster.units[0])];
  if (!runtime_.options.audit || !(t > from)) return;
  for (UnitId unit : cluster.units) books_.seen[at(unit)] = t;
  const Plan& system = runtime_.system;
  const model::Model& m = system.model();
  int panels = 1;
  if (cluster.states.empty() && cluster.reads_time) {
    const double whole = runtime_.options.until.value_or(m.until.value_or(t));
    panels = static_cast<int>(std::clamp(std::ceil(kPanels * (t - from) / whole), 1.0, kPanels));
  }
  const double half = (t - from) / (2 * panels);
  for (int node = 0; node < 5 * panels; ++node) {
    const double middle = from + (2 * (node / 5) + 1) * half;
    FlowEvaluator& flow = eyes_.flowing(middle + kNodes[node % 5] * half);
    for (const auto& slot : cluster.slots) {
      for (CellId cell : slot->island->cells()) {
        for (ElementId id : system.cells()[cell].elements) {
          const model::Element& element = m.elements[id];
          if (!elements::is_source(element.kind) && !elements::is_dissipative(element.kind))
            continue;
          if (!runtime_.is_active(element.region)) continue;
          BondId bond = element.ports[0].bond;
          const int index =
              slot->island->offset_of(system.cell_of(bond)) + system.index_in_cell(bond);
          const double power =
              flow.variable(*slot, 2 * index) * flow.variable(*slot, 2 * index + 1);
          books_.work_flowing[at(id)] += kWeights[node % 5] * half * power;
        }
      }
    }
  }
}

// ∫ law from x⁻ to x⁺; for a field along the straight line between them.
double Audit::stored_change(const model::Element& element, const std::vector<double>& from,
                            const std::vector<double>& to) {
  std::vector<double> x(from.size());
  FlowEvaluator& flow = eyes_.flowing(runtime_.state.now);
  auto integrand = [&](double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[i] + s * (to[i] - from[i]);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (to[i] != from[i]) sum += flow.formula(element.laws[i], x) * (to[i] - from[i]);
    }
    return sum;
  };
  if (from == to) return 0;
  // Linear laws are integrated exactly by the midpoint.
  const double ends = (integrand(0) + integrand(1)) / 2, mid = integrand(0.5);
  if (std::abs(ends - mid) <= 1e-14 * std::abs(mid)) return mid;
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(integrand, 0.0, 1.0, 8,
                                                                       1e-12);
}

// Through a bond in a jump, in the direction of its half-arrow: ½(e⁻ + e⁺) q′ + ½(f⁻ + f⁺) p′.
double Audit::bond_energy(Slot& slot, BondId bond, const std::vector<double>& impulses,
                          TickEvaluator& tick, FlowEvaluator& arrival) {
  const Plan& system = runtime_.system;
  CellId cell = system.cell_of(bond);
  const int index = slot.island->offset_of(cell) + system.index_in_cell(bond);
  Slot& before = *runtime_.arrival_slot_of_cell[at(cell)];
  const int old = before.island->offset_of(cell) + system.index_in_cell(bond);
  const double p = impulses[static_cast<std::size_t>(2 * index)];
  const double q = impulses[static_cast<std::size_t>(2 * index + 1)];
  double sum = 0;
  if (q != 0) {
    sum += 0.5 * q * (arrival.variable(before, 2 * old) + tick.variable(slot, 2 * index).finite);
  }
  if (p != 0) {
    sum += 0.5 * p *
           (arrival.variable(before, 2 * old + 1) + tick.variable(slot, 2 * index + 1).finite);
  }
  return sum;
}

double Audit::jumped(Slot& slot, const std::vector<JunctionId>& switched) {
  const Plan& system = runtime_.system;
  const model::Model& m = system.model();
  TickEvaluator& tick = eyes_.inside(TickEvaluator::View::Tried);
  FlowEvaluator& arrival = eyes_.arriving();
  std::vector<double> impulses;
  tick.impulses(slot, impulses);
  double gained = 0, supplied = 0, magnitude = 0;
  for (CellId cell : slot.island->cells()) {
    for (ElementId id : system.cells()[cell].elements) {
      const model::Element& element = m.elements[id];
      if (!element.states.empty()) {
        std::vector<double> from, to;
        for (StateId s : element.states) {
          from.push_back(runtime_.state.x[at(s)]);
          to.push_back(tick.state_plus(s));
        }
        const double change = stored_change(element, from, to);
        const double before = stored_change(element, std::vector<double>(from.size(), 0.0), from);
        books_.store_jumping[at(id)] += change;
        gained += change;
        magnitude += std::abs(before) + std::abs(change);
      } else if (elements::is_source(element.kind)) {
        BondId bond = element.ports[0].bond;
        const int v = 2 * (slot.island->offset_of(cell) + system.index_in_cell(bond));
        const Number e = tick.variable(slot, v), f = tick.variable(slot, v + 1);
        // s·q′ or s·p′; a source that carries an impulse itself works on the mean of the other.
        double work = e.finite * f.impulse + f.finite * e.impulse;
        const Number s = tick.value(element.signal);
        if (!s.is_finite()) work = bond_energy(slot, bond, impulses, tick, arrival);
        books_.work_jumping[at(id)] += work;
        supplied += outward(element) * work;
        magnitude += std::abs(work);
      }
    }
  }
  const double lost = supplied - gained;
  // Booked to the junctions that switched on this island, by what each of them took.
  std::vector<std::pair<JunctionId, double>> shares;
  double sum = 0;
  for (JunctionId j : switched) {
    double share = 0;
    bool here = false;
    for (const model::BondEnd& end : m.junctions[j].bonds) {
      CellId cell = system.cell_of(end.bond);
      if (runtime_.slot_of_cell[at(cell)] != &slot) continue;
      here = true;
      const model::Bond& bond = m.bonds[end.bond];
      const ElementId source = bond.from.element.valid() ? bond.from.element : bond.to.element;
      double energy = bond_energy(slot, end.bond, impulses, tick, arrival);
      if (source.valid() && elements::is_source(m.elements[source].kind)) {
        const int v = 2 * (slot.island->offset_of(cell) + system.index_in_cell(end.bond));
        const Number e = tick.variable(slot, v), f = tick.variable(slot, v + 1);
        energy = e.finite * f.impulse + f.finite * e.impulse;
      }
      share += (end.inward ? 1 : -1) * energy;
    }
    if (here) shares.emplace_back(j, share);
    sum += share;
  }
  if (shares.empty()) {
    books_.unbooked += lost;
  } else {
    const double rest = (lost - sum) / static_cast<double>(shares.size());
    for (auto [j, share] : shares) books_.switch_loss[at(j)] += share + rest;
  }
  return lost < -1e-9 * magnitude - 1e-300 ? -lost : 0;
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
  const double change = stored_change(element, from, to);
  books_.store_jumping[at(owner)] += change;
  books_.by_actions += change;
}

double Audit::stored(ElementId id) {
  const model::Element& element = runtime_.system.model().elements[id];
  std::vector<double> content;
  for (StateId s : element.states) content.push_back(runtime_.state_at(s, runtime_.state.now));
  return stored_change(element, std::vector<double>(content.size(), 0.0), content);
}

EnergyAudit Audit::result() {
  const model::Model& m = runtime_.system.model();
  EnergyAudit out;
  for (std::size_t i = 0; i < m.elements.size(); ++i) {
    const model::Element& element = m.elements[ElementId(i)];
    if (!element.states.empty() && !books_.x_start.empty()) {
      std::vector<double> zero(element.states.size(), 0.0), start, end;
      for (StateId s : element.states) {
        start.push_back(books_.x_start[at(s)]);
        end.push_back(runtime_.state_at(s, runtime_.state.now));
      }
      const double change = stored_change(element, start, end);
      const double before = stored_change(element, zero, start);
      out.stored_start += before;
      out.stored_end += before + change;
      out.entries.push_back({element.name, EnergyEntry::Kind::Store,
                             change - books_.store_jumping[i], books_.store_jumping[i]});
    } else if (elements::is_source(element.kind)) {
      const double sign = outward(element);
      out.entries.push_back({element.name, EnergyEntry::Kind::Source, sign * books_.work_flowing[i],
                             sign * books_.work_jumping[i]});
      out.delivered += sign * (books_.work_flowing[i] + books_.work_jumping[i]);
    } else if (elements::is_dissipative(element.kind)) {
      out.entries.push_back({element.name, EnergyEntry::Kind::Resistor, books_.work_flowing[i], 0});
      out.dissipated += books_.work_flowing[i];
    }
  }
  for (std::size_t j = 0; j < m.junctions.size(); ++j) {
    if (!m.junctions[JunctionId(j)].automaton.valid()) continue;
    out.entries.push_back(
        {m.junctions[JunctionId(j)].name, EnergyEntry::Kind::Switch, 0, books_.switch_loss[j]});
    out.dissipated_by_switching += books_.switch_loss[j];
  }
  if (books_.by_actions != 0) {
    out.entries.push_back(
        {"(actions of transitions)", EnergyEntry::Kind::Source, 0, books_.by_actions});
    out.delivered += books_.by_actions;
  }
  if (books_.unbooked != 0) {
    out.entries.push_back({"(without switching)", EnergyEntry::Kind::Switch, 0, books_.unbooked});
    out.dissipated_by_switching += books_.unbooked;
  }
  out.residual = out.stored_end - out.stored_start - out.delivered + out.dissipated +
                 out.dissipated_by_switching;
  return out;
}

}  // namespace cradle::engine
