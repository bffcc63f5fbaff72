// Cells and units: what hangs together whatever the mode.

#include <cmath>
#include <numeric>
#include <utility>

#include "base/basics/sorted.hpp"
#include "core/plan/maker.hpp"

namespace cradle::plan {

namespace {

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The smaller index leads, so that groups are numbered in the order of the text.
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    if (a > b) std::swap(a, b);
    parent_[b] = a;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

// Bonds are in one cell when they meet at an element or at an ordinary junction.
void Maker::find_cells() {
  UnionFind groups(m_.bonds.size());
  auto join_all = [&](const std::vector<model::BondEnd>& ends) {
    for (std::size_t i = 1; i < ends.size(); ++i) groups.join(at(ends[0].bond), at(ends[i].bond));
  };
  for (const model::Element& element : m_.elements) join_all(element.ports);
  for (const model::Junction& junction : m_.junctions) {
    if (!junction.automaton.valid()) join_all(junction.bonds);
  }
  std::vector<CellId> of_root(m_.bonds.size());
  out_.cell_of_bond.resize(m_.bonds.size());
  out_.index_in_cell.resize(m_.bonds.size());
  for (std::size_t b = 0; b < m_.bonds.size(); ++b) {
    CellId& cell = of_root[groups.find(b)];
    if (!cell.valid()) cell = out_.cells.add({});
    out_.cell_of_bond[BondId(b)] = cell;
    out_.index_in_cell[BondId(b)] = static_cast<int>(out_.cells[cell].bonds.size());
    out_.cells[cell].bonds.push_back(BondId(b));
  }
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    const model::Element& element = m_.elements[ElementId(i)];
    if (!element.ports.empty()) {
      out_.cells[cell_of(element.ports[0].bond)].elements.push_back(ElementId(i));
    }
  }
  for (std::size_t i = 0; i < m_.junctions.size(); ++i) {
    const model::Junction& junction = m_.junctions[JunctionId(i)];
    for (const model::BondEnd& end : junction.bonds) {
      Cell& cell = out_.cells[cell_of(end.bond)];
      auto& list = junction.automaton.valid() ? cell.controlled : cell.junctions;
      if (list.empty() || list.back() != JunctionId(i)) list.push_back(JunctionId(i));
    }
  }
}

std::vector<ExprId> Maker::roots_of(const model::Element& element) {
  std::vector<ExprId> roots = element.laws;
  if (element.signal.valid()) roots.push_back(element.signal);
  return roots;
}

void Maker::find_units() {
  const std::size_t cell_count = out_.cells.size();
  UnionFind groups(cell_count + m_.states.size());
  auto node_of_state = [&](StateId s) -> std::size_t {
    const model::State& state = m_.states[s];
    if (!state.element.valid()) return cell_count + at(s);
    const auto& port = m_.elements[state.element].ports[static_cast<std::size_t>(state.port)];
    return at(cell_of(port.bond));
  };
  std::vector<std::pair<std::size_t, Footprint>> rates;
  auto couple = [&](std::size_t node, ExprId root) {
    Footprint reads = footprints_.of(root, false);
    for (CellId cell : reads.cells) groups.join(node, at(cell));
    for (StateId state : reads.states) groups.join(node, node_of_state(state));
    // What stands inside a relation does not couple, because its truth is frozen, but it is read.
    rates.emplace_back(node, footprints_.of(root));
  };
  for (const model::Element& element : m_.elements) {
    if (element.ports.empty()) continue;
    for (ExprId root : roots_of(element)) couple(at(cell_of(element.ports[0].bond)), root);
  }
  for (std::size_t s = 0; s < m_.states.size(); ++s) {
    const model::State& state = m_.states[StateId(s)];
    if (state.rate.valid()) couple(cell_count + s, state.rate);
    if (state.impulse.valid()) couple(cell_count + s, state.impulse);
  }

  std::vector<UnitId> of_root(cell_count + m_.states.size());
  auto unit_at = [&](std::size_t node) {
    UnitId& unit = of_root[groups.find(node)];
    if (!unit.valid()) unit = out_.units.add({});
    return unit;
  };
  for (std::size_t c = 0; c < cell_count; ++c) {
    UnitId unit = unit_at(c);
    Cell& cell = out_.cells[CellId(c)];
    cell.unit = unit;
    out_.units[unit].cells.push_back(CellId(c));
    auto& controlled = out_.units[unit].controlled;
    controlled.insert(controlled.end(), cell.controlled.begin(), cell.controlled.end());
  }
  out_.unit_of_state.resize(m_.states.size());
  for (std::size_t s = 0; s < m_.states.size(); ++s) {
    UnitId unit = unit_at(node_of_state(StateId(s)));
    out_.unit_of_state[StateId(s)] = unit;
    out_.units[unit].has_states = true;
    if (!m_.states[StateId(s)].element.valid()) out_.units[unit].integrals.push_back(StateId(s));
  }
  for (auto& [node, reads] : rates) {
    Unit& unit = out_.units[unit_at(node)];
    unit.reads_time |= reads.time;
    unit.pres.insert(unit.pres.end(), reads.pres.begin(), reads.pres.end());
    unit.relations.insert(unit.relations.end(), reads.relations.begin(), reads.relations.end());
    unit.clocks.insert(unit.clocks.end(), reads.clocks.begin(), reads.clocks.end());
  }
  out_.pre_in_rates.assign(m_.pool.pres().size(), 0);
  for (Unit& unit : out_.units) {
    for (PreId pre : unit.pres) out_.pre_in_rates[at(pre)] = 1;
    sort_unique(unit.controlled);
    sort_unique(unit.pres);
    sort_unique(unit.relations);
    sort_unique(unit.clocks);
  }
}

void Maker::find_tolerance_scales() {
  expr::Pool& pool = m_.pool;
  for (const model::State& state : m_.states) {
    double scale = 1;
    if (state.element.valid()) {
      const std::vector<ExprId>& laws = m_.elements[state.element].laws;
      const std::vector<ExprId> rest(laws.size(), pool.constant(0));
      const ExprId slope =
          pool.substitute(pool.derivative(laws[at(state.port)], expr::Op::Local, state.port), rest);
      const double steepness = pool.is_constant(slope) ? std::abs(pool.constant_value(slope)) : 0;
      if (steepness > 1 && std::isfinite(steepness)) scale = 1 / steepness;
    }
    out_.tolerance_scales.add(scale);
  }
}

}  // namespace cradle::plan
