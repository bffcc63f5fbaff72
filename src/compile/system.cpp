#include "compile/system.hpp"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "compile/block.hpp"
#include "compile/loops.hpp"

namespace cradle::compile {

using expr::Op;

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

template <class T>
void sort_unique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

HybridSystem::HybridSystem(const model::Model& model) : model_(&model) {
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
}

HybridSystem::~HybridSystem() = default;

const Rate& HybridSystem::rate_of(ExprId expr) const {
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

const Block& HybridSystem::block_of(CellId cell) const {
  blocks_.resize(cells_.size());
  std::unique_ptr<const Block>& block = blocks_[at(cell)];
  if (!block) block = make_block(*this, cell);
  return *block;
}

const Equation& HybridSystem::structure_of(JunctionId junction) const {
  structures_.resize(model_->junctions.size());
  std::unique_ptr<const Equation>& structure = structures_[at(junction)];
  if (!structure) {
    Equation equation;
    equation.junction = junction;
    structure = std::make_unique<const Equation>(std::move(equation));
  }
  return *structure;
}

void HybridSystem::index_regions() {
  const model::Model& m = *model_;
  regions_.resize(m.regions.size());
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    automata_[AutomatonId(a)].regions.resize(m.automata[AutomatonId(a)].states.size());
  }
  for (std::size_t r = 0; r < m.regions.size(); ++r) {
    const model::Region& region = m.regions[RegionId(r)];
    automata_[region.automaton].regions[static_cast<std::size_t>(region.state)].push_back(
        RegionId(r));
  }
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const RegionId region = m.states[StateId(s)].region;
    if (region.valid()) regions_[region].states.push_back(StateId(s));
  }
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const RegionId region = m.memories[MemoryId(i)].region;
    if (region.valid()) regions_[region].memories.push_back(MemoryId(i));
  }
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    const RegionId region = m.automata[AutomatonId(a)].region;
    if (region.valid()) regions_[region].automata.push_back(AutomatonId(a));
  }
}

// Which signals may change while time flows: those that read time, a state, an effort, a flow or a
// clock, and those that read such signals.
void HybridSystem::find_continuous() {
  const model::Model& m = *model_;
  continuous_.assign(m.signals.size(), 0);
  std::vector<std::vector<std::size_t>> readers(m.signals.size());
  std::vector<std::size_t> work;
  for (std::size_t i = 0; i < m.signals.size(); ++i) {
    for (ExprId leaf : m.pool.leaves(m.signals[SignalId(i)].value)) {
      if (m.pool[leaf].op == Op::Signal) {
        readers[static_cast<std::size_t>(m.pool[leaf].ref)].push_back(i);
      }
    }
    if (!is_continuous(m.signals[SignalId(i)].value)) continue;
    continuous_[i] = 1;
    work.push_back(i);
  }
  while (!work.empty()) {
    const std::size_t i = work.back();
    work.pop_back();
    for (std::size_t reader : readers[i]) {
      if (continuous_[reader]) continue;
      continuous_[reader] = 1;
      work.push_back(reader);
    }
  }
}

bool HybridSystem::is_continuous(ExprId expr) const {
  const model::Model& m = *model_;
  std::vector<ExprId> work{expr};
  std::vector<ChoiceId> chosen;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    for (ExprId leaf : m.pool.leaves(e)) {
      const expr::Node& node = m.pool[leaf];
      const auto ref = static_cast<std::size_t>(node.ref);
      switch (node.op) {
        case Op::InMode:
        case Op::Active:
        case Op::Memory:
        case Op::Omega:
        case Op::Absent:
          break;
        case Op::Choice:
          if (std::find(chosen.begin(), chosen.end(), ChoiceId(ref)) != chosen.end()) break;
          chosen.push_back(ChoiceId(ref));
          for (ExprId a : m.choices[ChoiceId(ref)].alternatives) work.push_back(a);
          break;
        case Op::Signal:
          if (continuous_[ref]) return true;
          break;
        default:
          return true;
      }
    }
  }
  return false;
}

// A crossing is a relation that becomes true. Detectors have relations of their own, because they
// are judged with a margin.
void HybridSystem::add_detectors() {
  const model::Model& m = *model_;
  const ExprId zero = m.pool.constant(0);
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const model::Memory& memory = m.memories[MemoryId(i)];
    if (memory.kind != model::Memory::Kind::Crossing) continue;
    using Direction = model::Memory::Direction;
    if (memory.direction != Direction::Falling) {
      memories_[MemoryId(i)].rising = add_detector(MemoryId(i), zero, memory.input);
    }
    if (memory.direction != Direction::Rising) {
      memories_[MemoryId(i)].falling = add_detector(MemoryId(i), memory.input, zero);
    }
  }
}

RelationId HybridSystem::add_detector(MemoryId memory, ExprId left, ExprId right) {
  Relation relation;
  relation.expr = model_->pool.binary(Op::LessEqual, left, right);
  if (!expr::is_relation(model_->pool[relation.expr].op)) return {};  // a constant crosses nothing
  relation.detector = memory;
  return relations_.add(std::move(relation));
}

// Bonds are in one cell when they meet at an element or at an ordinary junction.
void HybridSystem::find_cells() {
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

std::vector<ExprId> HybridSystem::roots_of(const model::Element& element) const {
  std::vector<ExprId> roots = element.laws;
  if (element.signal.valid()) roots.push_back(element.signal);
  return roots;
}

// Every relation that a rate, a guard, or a signal below them reads.
void HybridSystem::find_relations() {
  const model::Model& m = *model_;
  std::vector<ExprId> found;
  std::vector<char> seen_signal(m.signals.size(), 0);
  std::vector<ExprId> work;
  auto visit = [&](ExprId root) {
    work.push_back(root);
    while (!work.empty()) {
      ExprId e = work.back();
      work.pop_back();
      for (ExprId r : m.pool.relations(e)) {
        // A condition on the argument of a law is part of the law: it has no truth of its own.
        const std::vector<ExprId> leaves = m.pool.leaves(r);
        const bool local = std::any_of(leaves.begin(), leaves.end(),
                                       [&](ExprId leaf) { return m.pool[leaf].op == Op::Local; });
        // What only instants can change is computed where it is read, and needs no watching.
        if (local || !is_continuous(r)) continue;
        if (relation_index_.emplace(r, relations_.next_id()).second) {
          Relation relation;
          relation.expr = r;
          relations_.add(std::move(relation));
        }
      }
      for (ExprId leaf : m.pool.leaves(e)) {
        const expr::Node& node = m.pool[leaf];
        if (node.op == Op::Signal && seen_signal[static_cast<std::size_t>(node.ref)] == 0) {
          seen_signal[static_cast<std::size_t>(node.ref)] = 1;
          work.push_back(m.signals[SignalId(static_cast<std::size_t>(node.ref))].value);
        }
      }
    }
  };
  for (const model::Element& element : m.elements) {
    for (ExprId root : roots_of(element)) visit(root);
  }
  for (const model::State& state : m.states) {
    if (state.rate.valid()) visit(state.rate);
    if (state.impulse.valid()) visit(state.impulse);
  }
  for (const model::Automaton& automaton : m.automata) {
    for (const model::Transition& transition : automaton.transitions) {
      visit(transition.guard);
      for (const model::SetAction& set : transition.sets) visit(set.value);
    }
  }
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    if (m.memories[MemoryId(i)].input.valid()) visit(m.memories[MemoryId(i)].input);
  }
  for (const model::Choice& choice : m.choices) {
    for (ExprId alternative : choice.alternatives) visit(alternative);
  }
  for (const model::Signal& signal : m.signals) visit(signal.value);
  for (const model::Column& column : m.show) visit(column.value);
  add_detectors();

  for (std::size_t i = 0; i < relations_.size(); ++i) {
    Relation& relation = relations_[RelationId(i)];
    const expr::Node node = m.pool[relation.expr];
    relation.strict = node.op == Op::Less;
    relation.watched = node.op == Op::Less || node.op == Op::LessEqual;
    ExprId gap = m.pool.binary(Op::Sub, node.b, node.a);
    // inf − inf and the like must not hide a relation to infinity: sides are compared as they are.
    relation.gap_expr = gap;
    relation.gap = formula(gap).flow;
    relation.truth = formula(relation.expr).tick;
    relation.reads = footprint(relation.expr, true);
    if (relation.watched) relation.kinks = find_kinks(gap);
  }
}

// What changes its sign where this operation has a kink or leaps; invalid: it is smooth.
ExprId HybridSystem::kink_of(const expr::Node& node) const {
  expr::Pool& pool = model_->pool;
  // Leaps at all integers, where its sine half-waves meet.
  auto at_integers = [&](ExprId x) {
    return pool.unary(Op::Sin, pool.binary(Op::Mul, pool.constant(std::numbers::pi), x));
  };
  switch (node.op) {
    case Op::Abs:
    case Op::Sign:
      return node.a;
    case Op::Min:
    case Op::Max:
      return pool.binary(Op::Sub, node.a, node.b);
    case Op::Floor:
    case Op::Ceil:
      return at_integers(node.a);
    case Op::Mod:
      return at_integers(pool.binary(Op::Div, node.a, node.b));
    default:
      return {};
  }
}

// In depth-first order, operands before what is made of them, through signals. The truth of a
// relation inside is frozen while time flows, and it is watched itself.
std::vector<Program> HybridSystem::find_kinks(ExprId gap) const {
  const model::Model& m = *model_;
  std::vector<Program> out;
  ++seen_mark_;
  seen_nodes_.resize(m.pool.size(), 0);
  std::vector<std::pair<ExprId, bool>> work{{gap, false}};
  while (!work.empty()) {
    auto [e, operands_done] = work.back();
    work.pop_back();
    if (operands_done) {
      const ExprId kink = kink_of(expr::Node(m.pool[e]));
      if (kink.valid()) out.push_back(formula(kink).flow);
      continue;
    }
    if (!e.valid() || at(e) >= seen_nodes_.size() || seen_nodes_[at(e)] == seen_mark_) continue;
    seen_nodes_[at(e)] = seen_mark_;
    const expr::Node& node = m.pool[e];
    if (expr::is_relation(node.op)) continue;
    work.emplace_back(e, true);
    for (ExprId operand : {node.a, node.b, node.c}) work.emplace_back(operand, false);
    if (node.op == Op::Signal) {
      work.emplace_back(m.signals[SignalId(static_cast<std::size_t>(node.ref))].value, false);
    }
  }
  return out;
}

void HybridSystem::find_units() {
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

void HybridSystem::compile_automata() {
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
      Footprint reads = footprint(transition.guard, true);
      out.relations = reads.relations;
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

// Who has to look again when something changes.
void HybridSystem::index_readers() {
  const model::Model& m = *model_;
  automata_by_clock_.resize(m.clocks.size());
  units_by_clock_.resize(m.clocks.size());
  relations_by_clock_.resize(m.clocks.size());
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    Relation& relation = relations_[RelationId(r)];
    for (CellId cell : relation.reads.cells) relation.units.push_back(cells_[cell].unit);
    for (StateId state : relation.reads.states) relation.units.push_back(unit_of(state));
    sort_unique(relation.units);
    for (UnitId unit : relation.units) units_[unit].watched_by.push_back(RelationId(r));
    for (ClockId clock : relation.reads.clocks) relations_by_clock_[clock].push_back(RelationId(r));
  }
  for (std::size_t u = 0; u < units_.size(); ++u) {
    for (RelationId r : units_[UnitId(u)].relations) relations_[r].used_by.push_back(UnitId(u));
    for (ClockId clock : units_[UnitId(u)].clocks) units_by_clock_[clock].push_back(UnitId(u));
  }
  for (std::size_t a = 0; a < m.automata.size(); ++a) {
    const model::Automaton& automaton = m.automata[AutomatonId(a)];
    for (std::size_t t = 0; t < automaton.transitions.size(); ++t) {
      Footprint reads = footprint(automaton.transitions[t].guard, true);
      for (CellId c : reads.cells) units_[cells_[c].unit].readers.push_back(AutomatonId(a));
      for (StateId s : reads.states) units_[unit_of(s)].readers.push_back(AutomatonId(a));
      for (AutomatonId other : reads.automata) automata_[other].read_by.push_back(AutomatonId(a));
      for (ClockId clock : reads.clocks) automata_by_clock_[clock].push_back(AutomatonId(a));
      for (MemoryId memory : reads.memories) memories_[memory].automata.push_back(AutomatonId(a));
      for (RelationId r : reads.relations) {
        relations_[r].guards.emplace_back(AutomatonId(a), static_cast<int>(t));
      }
    }
  }
  auto modulate = [&](UnitId unit, ExprId root) {
    const Footprint reads = footprint(root, true);
    for (AutomatonId a : reads.automata) automata_[a].modulates.push_back(unit);
    for (MemoryId memory : reads.memories) memories_[memory].units.push_back(unit);
  };
  // What lives in a mode rests while the mode does.
  auto gate = [&](UnitId unit, RegionId region) {
    for (; region.valid(); region = m.regions[region].parent) {
      automata_[m.regions[region].automaton].modulates.push_back(unit);
    }
  };
  for (const model::Element& element : m.elements) {
    if (element.ports.empty()) continue;
    for (ExprId root : roots_of(element)) modulate(unit_of(element.ports[0].bond), root);
    gate(unit_of(element.ports[0].bond), element.region);
  }
  for (std::size_t s = 0; s < m.states.size(); ++s) {
    const model::State& state = m.states[StateId(s)];
    if (state.rate.valid()) modulate(unit_of(StateId(s)), state.rate);
    if (state.impulse.valid()) modulate(unit_of(StateId(s)), state.impulse);
    gate(unit_of(StateId(s)), state.region);
  }
  for (Unit& unit : units_) sort_unique(unit.readers);
  for (CompiledAutomaton& automaton : automata_) {
    sort_unique(automaton.read_by);
    sort_unique(automaton.modulates);
  }
  for (auto& list : automata_by_clock_) sort_unique(list);
}

void HybridSystem::index_memories() {
  const model::Model& m = *model_;
  memories_by_clock_.resize(m.clocks.size());
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const MemoryId id(i);
    const model::Memory& memory = m.memories[id];
    if (!memory.input.valid()) continue;
    const Footprint reads = footprint(memory.input, true);
    memories_[id].inputs = reads.relations;
    for (CellId c : reads.cells) units_[cells_[c].unit].memories.push_back(id);
    for (StateId s : reads.states) units_[unit_of(s)].memories.push_back(id);
    for (AutomatonId a : reads.automata) automata_[a].memories.push_back(id);
    for (ClockId clock : reads.clocks) memories_by_clock_[clock].push_back(id);
    for (RelationId r : reads.relations) relations_[r].memories.push_back(id);
    for (MemoryId other : reads.memories) memories_[other].memories.push_back(id);
    // What lives in a mode looks again when the mode is entered.
    for (RegionId region = memory.region; region.valid(); region = m.regions[region].parent) {
      automata_[m.regions[region].automaton].memories.push_back(id);
    }
  }
  for (std::size_t r = 0; r < relations_.size(); ++r) {
    for (MemoryId memory : relations_[RelationId(r)].reads.memories) {
      memories_[memory].relations.push_back(RelationId(r));
    }
  }
  for (Unit& unit : units_) sort_unique(unit.memories);
  for (CompiledAutomaton& automaton : automata_) sort_unique(automaton.memories);
  for (CompiledMemory& memory : memories_) {
    sort_unique(memory.automata);
    sort_unique(memory.memories);
    sort_unique(memory.units);
    sort_unique(memory.relations);
  }
}

// What remembers something that changes while time flows has to look at every instant.
void HybridSystem::find_attentive_memories() {
  const model::Model& m = *model_;
  for (std::size_t i = 0; i < m.memories.size(); ++i) {
    const model::Memory& memory = m.memories[MemoryId(i)];
    if (memory.kind != model::Memory::Kind::Last || !is_continuous(memory.input)) continue;
    if (!formula(memory.input).optional) attentive_memories_.push_back(MemoryId(i));
  }
}

void HybridSystem::find_quiet_memories() {
  const model::Model& m = *model_;
  for (CompiledMemory& memory : memories_) memory.quiet = true;
  auto is_memory = [&](ExprId e) { return e.valid() && m.pool[e].op == Op::Memory; };
  auto loud = [&](ExprId e) {
    if (is_memory(e)) memories_[MemoryId(static_cast<std::size_t>(m.pool[e].ref))].quiet = false;
  };
  for (std::size_t i = 0; i < m.pool.size(); ++i) {
    const expr::Node& node = m.pool[ExprId(i)];
    const bool holds =
        node.op == Op::Default && is_memory(node.b) &&
        m.memories[MemoryId(static_cast<std::size_t>(m.pool[node.b].ref))].input == node.a;
    loud(node.a);
    if (!holds) loud(node.b);
    loud(node.c);
  }
  for (const model::Signal& signal : m.signals) loud(signal.value);
  for (const auto& [name, expr] : m.readable) loud(expr);
}

bool HybridSystem::is_pinned(Op variable, BondId bond) const {
  const model::Model& m = *model_;
  const bool effort = variable == Op::Effort;
  auto pins = [&](const model::End& end) {
    if (!end.element.valid()) return false;
    const model::Element& element = m.elements[end.element];
    if (element.kind == elements::Kind::R) return true;
    const auto& definition = elements::definition(element.kind);
    const auto wanted = effort ? elements::Variable::Effort : elements::Variable::Flow;
    for (const elements::Relation& relation :
         definition.flow(static_cast<int>(element.ports.size()), element.law_of_effort)) {
      if (relation.left.size() != 1 || relation.left[0].variable != wanted) continue;
      if (relation.right == elements::Right::StateLaw) return true;
      if (relation.right == elements::Right::Source) return !may_be_impulsive(element.signal);
    }
    return false;
  };
  const model::Bond& b = m.bonds[bond];
  for (const model::End& end : {b.from, b.to}) {
    if (pins(end)) return true;
    if (!end.junction.valid()) continue;
    const model::Junction& junction = m.junctions[end.junction];
    bool shares = (junction.kind == model::Junction::Kind::Zero) == effort;
    if (!shares || junction.automaton.valid()) continue;
    for (const model::BondEnd& other : junction.bonds) {
      const model::Bond& o = m.bonds[other.bond];
      if (pins(o.from) || pins(o.to)) return true;
    }
  }
  return false;
}

bool HybridSystem::may_be_impulsive(ExprId expr) const {
  const model::Model& m = *model_;
  std::vector<ExprId> work{expr};
  std::vector<char> seen(m.signals.size(), 0);
  std::unordered_map<ExprId, bool> visited;
  while (!work.empty()) {
    ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || !visited.emplace(e, true).second) continue;
    const expr::Node& node = m.pool[e];
    const auto ref = static_cast<std::size_t>(node.ref);
    if (expr::is_relation(node.op) || node.op == Op::ImpulseOf || node.op == Op::FiniteOf) continue;
    if (node.op == Op::Omega) return true;
    if (node.op == Op::Memory && m.memories[MemoryId(ref)].input.valid() &&
        m.memories[MemoryId(ref)].kind != model::Memory::Kind::Crossing) {
      work.push_back(m.memories[MemoryId(ref)].input);
    }
    if (node.op == Op::Effort || node.op == Op::Flow) {
      // A ring of sources that read each other's bonds cannot recurse for ever: the bound is
      // conservative.
      if (pin_depth_ > 8) return true;
      ++pin_depth_;
      bool pinned = is_pinned(node.op, BondId(ref));
      --pin_depth_;
      if (!pinned) return true;
    }
    if (node.op == Op::Signal && seen[ref] == 0) {
      seen[ref] = 1;
      work.push_back(m.signals[SignalId(ref)].value);
    }
    work.push_back(node.a);
    work.push_back(node.b);
    work.push_back(node.c);
  }
  return false;
}

RelationId HybridSystem::relation_of(ExprId expr) const {
  auto it = relation_index_.find(expr);
  return it == relation_index_.end() ? RelationId() : it->second;
}

const Formula& HybridSystem::add_formula(ExprId expr) const {
  if (formulas_.size() <= at(expr)) formulas_.resize(std::max(model_->pool.size(), at(expr) + 1));
  auto index = [this](ExprId r) { return relation_of(r).index; };
  auto is_optional = [this](const expr::Node& leaf) {
    const auto ref = static_cast<std::size_t>(leaf.ref);
    switch (leaf.op) {
      case Op::Absent:
      case Op::Choice:
        return true;
      case Op::Memory:
        return model_->memories[MemoryId(ref)].kind != model::Memory::Kind::Last;
      case Op::Signal:
        return model_->signals[SignalId(ref)].may_be_absent;
      case Op::Pre:
        return this->formula(model_->pool.pres()[ref]).optional;
      default:
        return false;
    }
  };
  auto formula = std::make_unique<Formula>();
  formula->flow = compile(model_->pool, expr, Mode::Flow, index, is_optional);
  formula->tick = compile(model_->pool, expr, Mode::Tick, index, is_optional);
  formula->optional = formula->tick.optional;
  formulas_[at(expr)] = std::move(formula);
  return *formulas_[at(expr)];
}

Footprint HybridSystem::footprint(ExprId root, bool into_relations) const {
  const model::Model& m = *model_;
  ++seen_mark_;
  seen_nodes_.resize(m.pool.size(), 0);
  seen_signals_.resize(m.signals.size(), 0);
  Footprint out;
  std::vector<ExprId> work{root};
  while (!work.empty()) {
    ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || seen_nodes_[at(e)] == seen_mark_) continue;
    seen_nodes_[at(e)] = seen_mark_;
    const expr::Node& node = m.pool[e];
    const auto ref = static_cast<std::size_t>(node.ref);
    if (expr::is_relation(node.op)) {
      if (RelationId r = relation_of(e); r.valid()) out.relations.push_back(r);
      if (!into_relations) continue;
    }
    switch (node.op) {
      case Op::Effort:
      case Op::Flow:
        out.cells.push_back(cell_of(BondId(ref)));
        break;
      case Op::State:
        out.states.push_back(StateId(ref));
        break;
      case Op::InMode:
      case Op::Active:
        out.automata.push_back(AutomatonId(ref));
        break;
      case Op::Phase:
        out.clocks.push_back(ClockId(ref));
        out.time = true;
        break;
      case Op::Count:  // rests between the ticks of its clock
        out.clocks.push_back(ClockId(ref));
        break;
      case Op::Pre:
        out.pres.push_back(PreId(ref));
        break;
      case Op::Memory:
        out.memories.push_back(MemoryId(ref));
        break;
      case Op::Choice:
        for (ExprId alternative : m.choices[ChoiceId(ref)].alternatives) {
          work.push_back(alternative);
        }
        break;
      case Op::Time:
        out.time = true;
        break;
      case Op::Signal:
        if (seen_signals_[ref] != seen_mark_) {
          seen_signals_[ref] = seen_mark_;
          work.push_back(m.signals[SignalId(ref)].value);
        }
        break;
      default:
        break;
    }
    work.push_back(node.a);
    work.push_back(node.b);
    work.push_back(node.c);
  }
  sort_unique(out.cells);
  sort_unique(out.states);
  sort_unique(out.automata);
  sort_unique(out.clocks);
  sort_unique(out.pres);
  sort_unique(out.relations);
  sort_unique(out.memories);
  return out;
}

}  // namespace cradle::compile
