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

Audit::Audit(Runtime& runtime, FlowEvaluator& flow, FlowEvaluator& arrival, TickEvaluator& tick)
    : runtime_(runtime), flow_(flow), arrival_(arrival), tick_(tick) {
  const model::Model& m = runtime.system.model();
  work_flowing_.assign(m.elements.size(), 0.0);
  work_jumping_.assign(m.elements.size(), 0.0);
  store_jumping_.assign(m.elements.size(), 0.0);
  switch_loss_.assign(m.junctions.size(), 0.0);
}

void Audit::begin() { x_start_ = runtime_.x; }

void Audit::evolved(Cluster& cluster, double t) {
  const double from = cluster.audited;
  cluster.audited = t;
  if (!runtime_.options.audit || !(t > from)) return;
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
    flow_.begin(middle + kNodes[node % 5] * half);
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
              flow_.variable(*slot, 2 * index) * flow_.variable(*slot, 2 * index + 1);
          work_flowing_[at(id)] += kWeights[node % 5] * half * power;
        }
      }
    }
  }
}

// ∫ law from x⁻ to x⁺; for a field along the straight line between them.
double Audit::stored_change(const model::Element& element, const std::vector<double>& from,
                            const std::vector<double>& to) {
  std::vector<double> x(from.size());
  auto integrand = [&](double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = from[i] + s * (to[i] - from[i]);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (to[i] != from[i]) sum += flow_.formula(element.laws[i], x) * (to[i] - from[i]);
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
double Audit::bond_energy(Slot& slot, BondId bond, const std::vector<double>& impulses) {
  const Plan& system = runtime_.system;
  CellId cell = system.cell_of(bond);
  const int index = slot.island->offset_of(cell) + system.index_in_cell(bond);
  Slot& before = *runtime_.arrival_slot_of_cell[at(cell)];
  const int old = before.island->offset_of(cell) + system.index_in_cell(bond);
  const double p = impulses[static_cast<std::size_t>(2 * index)];
  const double q = impulses[static_cast<std::size_t>(2 * index + 1)];
  double sum = 0;
  if (q != 0) {
    sum += 0.5 * q * (arrival_.variable(before, 2 * old) + tick_.variable(slot, 2 * index).finite);
  }
  if (p != 0) {
    sum += 0.5 * p *
           (arrival_.variable(before, 2 * old + 1) + tick_.variable(slot, 2 * index + 1).finite);
  }
  return sum;
}

double Audit::jumped(Slot& slot, const std::vector<JunctionId>& switched) {
  const Plan& system = runtime_.system;
  const model::Model& m = system.model();
  std::vector<double> impulses;
  tick_.impulses(slot, impulses);
  flow_.begin(runtime_.now);
  double gained = 0, supplied = 0, magnitude = 0;
  for (CellId cell : slot.island->cells()) {
    for (ElementId id : system.cells()[cell].elements) {
      const model::Element& element = m.elements[id];
      if (!element.states.empty()) {
        std::vector<double> from, to;
        for (StateId s : element.states) {
          from.push_back(runtime_.x[at(s)]);
          to.push_back(tick_.state_plus(s));
        }
        const double change = stored_change(element, from, to);
        const double before = stored_change(element, std::vector<double>(from.size(), 0.0), from);
        store_jumping_[at(id)] += change;
        gained += change;
        magnitude += std::abs(before) + std::abs(change);
      } else if (elements::is_source(element.kind)) {
        BondId bond = element.ports[0].bond;
        const int v = 2 * (slot.island->offset_of(cell) + system.index_in_cell(bond));
        const Number e = tick_.variable(slot, v), f = tick_.variable(slot, v + 1);
        // s·q′ or s·p′; a source that carries an impulse itself works on the mean of the other.
        double work = e.finite * f.impulse + f.finite * e.impulse;
        const Number s = tick_.value(element.signal);
        if (!s.is_finite()) work = bond_energy(slot, bond, impulses);
        work_jumping_[at(id)] += work;
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
      double energy = bond_energy(slot, end.bond, impulses);
      if (source.valid() && elements::is_source(m.elements[source].kind)) {
        const int v = 2 * (slot.island->offset_of(cell) + system.index_in_cell(end.bond));
        const Number e = tick_.variable(slot, v), f = tick_.variable(slot, v + 1);
        energy = e.finite * f.impulse + f.finite * e.impulse;
      }
      share += (end.inward ? 1 : -1) * energy;
    }
    if (here) shares.emplace_back(j, share);
    sum += share;
  }
  if (shares.empty()) {
    unbooked_ += lost;
  } else {
    const double rest = (lost - sum) / static_cast<double>(shares.size());
    for (auto [j, share] : shares) switch_loss_[at(j)] += share + rest;
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
    from.push_back(runtime_.x[at(s)]);
    to.push_back(s == id ? value : runtime_.x[at(s)]);
  }
  flow_.begin(runtime_.now);
  const double change = stored_change(element, from, to);
  store_jumping_[at(owner)] += change;
  by_actions_ += change;
}

double Audit::stored(ElementId id) {
  const model::Element& element = runtime_.system.model().elements[id];
  std::vector<double> content;
  for (StateId s : element.states) content.push_back(runtime_.state_at(s, runtime_.now));
  flow_.begin(runtime_.now);
  return stored_change(element, std::vector<double>(content.size(), 0.0), content);
}

EnergyAudit Audit::result() {
  const model::Model& m = runtime_.system.model();
  EnergyAudit out;
  flow_.begin(runtime_.now);
  for (std::size_t i = 0; i < m.elements.size(); ++i) {
    const model::Element& element = m.elements[ElementId(i)];
    if (!element.states.empty() && !x_start_.empty()) {
      std::vector<double> zero(element.states.size(), 0.0), start, end;
      for (StateId s : element.states) {
        start.push_back(x_start_[at(s)]);
        end.push_back(runtime_.state_at(s, runtime_.now));
      }
      const double change = stored_change(element, start, end);
      const double before = stored_change(element, zero, start);
      out.stored_start += before;
      out.stored_end += before + change;
      out.entries.push_back(
          {element.name, EnergyEntry::Kind::Store, change - store_jumping_[i], store_jumping_[i]});
    } else if (elements::is_source(element.kind)) {
      const double sign = outward(element);
      out.entries.push_back({element.name, EnergyEntry::Kind::Source, sign * work_flowing_[i],
                             sign * work_jumping_[i]});
      out.delivered += sign * (work_flowing_[i] + work_jumping_[i]);
    } else if (elements::is_dissipative(element.kind)) {
      out.entries.push_back({element.name, EnergyEntry::Kind::Resistor, work_flowing_[i], 0});
      out.dissipated += work_flowing_[i];
    }
  }
  for (std::size_t j = 0; j < m.junctions.size(); ++j) {
    if (!m.junctions[JunctionId(j)].automaton.valid()) continue;
    out.entries.push_back(
        {m.junctions[JunctionId(j)].name, EnergyEntry::Kind::Switch, 0, switch_loss_[j]});
    out.dissipated_by_switching += switch_loss_[j];
  }
  if (by_actions_ != 0) {
    out.entries.push_back({"(actions of transitions)", EnergyEntry::Kind::Source, 0, by_actions_});
    out.delivered += by_actions_;
  }
  if (unbooked_ != 0) {
    out.entries.push_back({"(without switching)", EnergyEntry::Kind::Switch, 0, unbooked_});
    out.dissipated_by_switching += unbooked_;
  }
  out.residual = out.stored_end - out.stored_start - out.delivered + out.dissipated +
                 out.dissipated_by_switching;
  return out;
}

}  // namespace cradle::engine
