#include "core/plan/system.hpp"

#include <numeric>
#include <utility>

#include "base/basics/sorted.hpp"
#include "core/plan/block.hpp"
#include "core/plan/loops.hpp"

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

Plan::Plan(const model::Model& model) : model_(&model) {
  memories_.resize(model.memories.size());
  find_cells();
  for (const model::Signal& signal : model.signals) {
    needs_.add(strictly_needed(model, signal.value));
  }
  find_continuous();
  find_relations();
  find_units();
  compile_automata();
  index_readers();
  index_memories();
  find_quiet_memories();
  find_attentive_memories();
  index_regions();
  signals_in_circles_ = find_circles(model);
  find_tolerance_scales();
}

Plan::~Plan() = default;

void Plan::find_tolerance_scales() {
  expr::Pool& pool = model_->pool;
  for (const model::State& state : model_->states) {
    double scale = 1;
    if (state.element.valid()) {
      const std::vector<ExprId>& laws = model_->elements[state.element].laws;
      const std::vector<ExprId> rest(laws.size(), pool.constant(0));
      const ExprId slope =
          pool.substitute(pool.derivative(laws[at(state.port)], expr::Op::Local, state.port), rest);
      const double steepness = pool.is_constant(slope) ? std::abs(pool.constant_value(slope)) : 0;
      if (steepness > 1 && std::isfinite(steepness)) scale = 1 / steepness;
    }
    tolerance_scales_.add(scale);
  }
}

const Rate& Plan::rate_of(ExprId expr) const {
  const auto [found, fresh] = rates_.try_emplace(expr);
  Rate& rate = found->second;
  if (!fresh) return rate;
  rate.expr = time_derivative(expr, rate.obstacle);
  const expr::Pool& pool = model_->pool;
  if (rate.expr && pool.is_constant(*rate.expr) && pool.constant_value(*rate.expr) == 0) {
    rate.expr = ExprId();
  }
  return rate;
}

const Block& Plan::block_of(CellId cell) const {
  blocks_.resize(cells_.size());
  std::unique_ptr<const Block>& block = blocks_[at(cell)];
  if (!block) block = make_block(*this, cell);
  return *block;
}

const Equation& Plan::structure_of(JunctionId junction) const {
  structures_.resize(model_->junctions.size());
  std::unique_ptr<const Equation>& structure = structures_[at(junction)];
  if (!structure) {
    Equation equation;
    equation.junction = junction;
    structure = std::make_unique<const Equation>(std::move(equation));
  }
  return *structure;
}

// Bonds are in one cell when they meet at an element or at an ordinary junction.
void Plan::find_cells() {
  const model::Model& m = *model_;
  UnionFind groups(m.bonds.size());
  auto join_all = [&](const std::vector<model::BondEnd>& ends) {
    for (std::size_t i = 1; i < ends.size(); ++i) groups.join(at(ends[0].bond), at(ends[i].bond));
  };
  for (const model::Element& element : m.elements) join_all(element.ports);
  for (const model::Junction& junction : m.junctions) {
    if (!junction.automaton.valid()) join_all(junction.bonds);
  }
  std::vector<CellId> of_root(m.bonds.size());
  cell_of_bond_.resize(m.bonds.size());
  index_in_cell_.resize(m.bonds.size());
  for (std::size_t b = 0; b < m.bonds.size(); ++b) {
    CellId& cell = of_root[groups.find(b)];
    if (!cell.valid()) cell = cells_.add({});
    cell_of_bond_[BondId(b)] = cell;
    index_in_cell_[BondId(b)] = static_cast<int>(cells_[cell].bonds.size());
    cells_[cell].bonds.push_back(BondId(b));
  }
  for (std::size_t i = 0; i < m.elements.size(); ++i) {
    const model::Element& element = m.elements[ElementId(i)];
    if (!element.ports.empty()) {
      cells_[cell_of(element.ports[0].bond)].elements.push_back(ElementId(i));
    }
  }
  for (std::size_t i = 0; i < m.junctions.size(); ++i) {
    const model::Junction& junction = m.junctions[JunctionId(i)];
    for (const model::BondEnd& end : junction.bonds) {
      Cell& cell = cells_[cell_of(end.bond)];
      auto& list = junction.automaton.valid() ? cell.controlled : cell.junctions;
      if (list.empty() || list.back() != JunctionId(i)) list.push_back(JunctionId(i));
    }
  }
}

std::vector<ExprId> Plan::roots_of(const model::Element& element) const {
  std::vector<ExprId> roots = element.laws;
  if (element.signal.valid()) roots.push_back(element.signal);
  return roots;
}

void Plan::find_units() {
  const model::Model& m = *model_;
  const std::size_t cell_count = cells_.size();
  UnionFind groups(cell_count + m.states.size());
  auto node_of_state = [&](StateId s) -> std::size_t {
    const model::State& state = m.states[s];
    if (!state.element.valid()) return cell_count + at(s);
    const auto& port = m.elements[state.element].ports[static_cast<std::size_t>(state.port)];
    return at(cell_of(port.bond));
  };
  std::vector<std::pair<std::size_t, Footprint>> rates;
  auto couple = [&](std::size_t node, ExprId root) {
    Footprint reads = footprint(root, false);
    for (CellId cell : reads.cells) groups.join(node, at(cell));
    for (StateId state : reads.states) groups.join(node, node_of_state(state));
    // What stands inside a relation does not couple, because its truth is frozen, but it is read.
    rates.emplace_back(node, footprint(root, true));
  };
  for (const model::Element& element : m.elements) {
    if (element.ports.empty()) continue;
    for (ExprId root : roots_of(element)) couple(at(cell_of(element.ports[0].bond)), root);
  }
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const model::State& state = m.states[StateId(s)];
    if (state.rate.valid()) couple(cell_count + s, state.rate);
    if (state.impulse.valid()) couple(cell_count + s, state.impulse);
  }

  std::vector<UnitId> of_root(cell_count + m.states.size());
  auto unit_at = [&](std::size_t node) {
    UnitId& unit = of_root[groups.find(node)];
    if (!unit.valid()) unit = units_.add({});
    return unit;
  };
  for (std::size_t c = 0; c < cell_count; ++c) {
    UnitId unit = unit_at(c);
    Cell& cell = cells_[CellId(c)];
    cell.unit = unit;
    units_[unit].cells.push_back(CellId(c));
    auto& controlled = units_[unit].controlled;
    controlled.insert(controlled.end(), cell.controlled.begin(), cell.controlled.end());
  }
  unit_of_state_.resize(m.states.size());
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    UnitId unit = unit_at(node_of_state(StateId(s)));
    unit_of_state_[StateId(s)] = unit;
    units_[unit].has_states = true;
    if (!m.states[StateId(s)].element.valid()) units_[unit].integrals.push_back(StateId(s));
  }
  for (auto& [node, reads] : rates) {
    Unit& unit = units_[unit_at(node)];
    unit.reads_time |= reads.time;
    unit.pres.insert(unit.pres.end(), reads.pres.begin(), reads.pres.end());
    unit.relations.insert(unit.relations.end(), reads.relations.begin(), reads.relations.end());
    unit.clocks.insert(unit.clocks.end(), reads.clocks.begin(), reads.clocks.end());
  }
  pre_in_rates_.assign(m.pool.pres().size(), 0);
  for (Unit& unit : units_) {
    for (PreId pre : unit.pres) pre_in_rates_[at(pre)] = 1;
    sort_unique(unit.controlled);
    sort_unique(unit.pres);
    sort_unique(unit.relations);
    sort_unique(unit.clocks);
  }
}

// Through signals: a name for a comparison changes nothing.
std::vector<RelationId> Plan::conjuncts_of(ExprId guard) const {
  const model::Model& m = *model_;
  ++seen_mark_;
  seen_nodes_.resize(m.pool.size(), 0);
  std::vector<RelationId> out;
  std::vector<ExprId> work{guard};
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (std::exchange(seen_nodes_[at(e)], seen_mark_) == seen_mark_) continue;
    const expr::Node& node = m.pool[e];
    if (node.op == expr::Op::And) {
      work.push_back(node.b);
      work.push_back(node.a);
    } else if (node.op == expr::Op::Signal) {
      work.push_back(m.signals[SignalId(static_cast<std::size_t>(node.ref))].value);
    } else if (const RelationId r = relation_of(e); r.valid() && relations_[r].watched) {
      out.push_back(r);
    }
  }
  return out;
}

void Plan::compile_automata() {
  const model::Model& m = *model_;
  automata_.resize(m.automata.size());
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    const model::Automaton& automaton = m.automata[AutomatonId(a)];
    CompiledAutomaton& compiled = automata_[AutomatonId(a)];
    compiled.leaving.resize(automaton.states.size());
    for (std::size_t t = 0; t < automaton.transitions.size(); ++t) {
      const model::Transition& transition = automaton.transitions[t];
      CompiledTransition out;
      out.guard = formula(transition.guard).tick;
      if (transition.entering.valid()) out.entering = formula(transition.entering).tick;
      Footprint reads = footprint(transition.guard, true);
      out.relations = reads.relations;
      out.conjuncts = conjuncts_of(transition.guard);
      out.reads_pre = !reads.pres.empty();
      compiled.reads_pre |= out.reads_pre;
      compiled.transitions.push_back(std::move(out));
      compiled.leaving[static_cast<std::size_t>(transition.from)].push_back(static_cast<int>(t));
    }
    if (compiled.reads_pre) automata_reading_pre_.push_back(AutomatonId(a));
    if (!automaton.junction.valid()) continue;
    for (const model::BondEnd& end : m.junctions[automaton.junction].bonds) {
      compiled.adjacent.push_back(unit_of(end.bond));
    }
    sort_unique(compiled.adjacent);
  }
}

}  // namespace cradle::plan
