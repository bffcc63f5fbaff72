// Cells and units: what hangs together whatever the mode.

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
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

// Parts of a bond graph that read each other's efforts and flows in a circle are solved together,
// although no bond joins them. The circle may lead through signals, and through controlled
// junctions that are active at times; only those are joined that read or are read.
class CircleFinder {
 public:
  CircleFinder(const model::Model& model, UnionFind& groups)
      : m_(model), groups_(groups), graph_(model.bonds.size() + model.signals.size()) {}

  void join() {
    add_edges();
    std::vector<int> component(boost::num_vertices(graph_));
    const int count = boost::strong_components(
        graph_, boost::make_iterator_property_map(component.begin(),
                                                  boost::get(boost::vertex_index, graph_)));
    std::vector<std::size_t> first(static_cast<std::size_t>(count), kNone);
    for (const auto& [from, to] : reads_) {
      if (component[from] != component[to]) continue;
      for (const std::size_t end : {from, to}) {
        if (end >= m_.bonds.size()) continue;
        std::size_t& joined = first[static_cast<std::size_t>(component[end])];
        if (joined == kNone) joined = end;
        groups_.join(joined, end);
      }
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void add_edges() {
    for (const model::Element& element : m_.elements) {
      if (element.ports.empty()) continue;
      const std::size_t reader = groups_.find(at(element.ports[0].bond));
      for (ExprId law : element.laws) add_reads(reader, law);
      if (element.signal.valid()) add_reads(reader, element.signal);
    }
    for (std::size_t i = 0; i < m_.signals.size(); ++i) {
      add_reads(m_.bonds.size() + i, m_.signals[SignalId(i)].value);
    }
    for (const model::Junction& junction : m_.junctions) {
      for (std::size_t i = 1; i < junction.bonds.size() && junction.automaton.valid(); ++i) {
        const std::size_t a = groups_.find(at(junction.bonds[0].bond));
        const std::size_t b = groups_.find(at(junction.bonds[i].bond));
        boost::add_edge(a, b, graph_);
        boost::add_edge(b, a, graph_);
      }
    }
  }

  void add_reads(std::size_t reader, ExprId expr) {
    for (ExprId leaf : m_.pool.leaves(expr)) {
      const expr::Node& node = m_.pool[leaf];
      std::size_t read = kNone;
      if (node.op == expr::Op::Signal) read = m_.bonds.size() + at(node.ref);
      if (node.op == expr::Op::Effort || node.op == expr::Op::Flow) {
        const BondId bond(at(node.ref));
        if (!is_given_by_store(node.op, bond)) read = groups_.find(at(bond));
      }
      if (read == kNone || read == reader) continue;
      boost::add_edge(reader, read, graph_);
      reads_.emplace_back(reader, read);
    }
  }

  // A store's own law gives it, here or at an ordinary junction that shares it.
  bool is_given_by_store(expr::Op op, BondId id) const {
    const auto variable =
        op == expr::Op::Effort ? elements::Variable::Effort : elements::Variable::Flow;
    const auto gives = [&](const model::End& end) {
      if (!end.element.valid()) return false;
      const elements::Storage storage = elements::definition(m_.elements[end.element].kind).storage;
      if (storage == elements::Storage::None) return false;
      return (storage == elements::Storage::Momentum) == (variable == elements::Variable::Flow);
    };
    const model::Bond& bond = m_.bonds[id];
    for (const model::End& end : {bond.from, bond.to}) {
      if (gives(end)) return true;
      if (!end.junction.valid()) continue;
      const model::Junction& junction = m_.junctions[end.junction];
      if (junction.automaton.valid() || elements::shared_variable(junction.kind) != variable) {
        continue;
      }
      for (const model::BondEnd& other : junction.bonds) {
        const model::Bond& b = m_.bonds[other.bond];
        if (gives(b.from) || gives(b.to)) return true;
      }
    }
    return false;
  }

  const model::Model& m_;
  UnionFind& groups_;
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph_;
  std::vector<std::pair<std::size_t, std::size_t>> reads_;
};

}  // namespace

// Bonds are in one cell when they meet at an element or at an ordinary junction, or when they read
// each other in a circle.
void Maker::find_cells() {
  UnionFind groups(m_.bonds.size());
  auto join_all = [&](const std::vector<model::BondEnd>& ends) {
    for (std::size_t i = 1; i < ends.size(); ++i) groups.join(at(ends[0].bond), at(ends[i].bond));
  };
  for (const model::Element& element : m_.elements) join_all(element.ports);
  for (const model::Junction& junction : m_.junctions) {
    if (!junction.automaton.valid()) join_all(junction.bonds);
  }
  CircleFinder(m_, groups).join();
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

std::vector<ExprId> Maker::roots_of(ElementId id) const {
  const model::Element& element = m_.elements[id];
  std::vector<ExprId> roots;
  for (ExprId law : element.laws) roots.push_back(flowing(law, element.states));
  if (out_.power_laws[id].valid()) roots = {out_.power_laws[id]};
  if (const ExprId piece = flowing(id); piece.valid()) roots = {piece};
  if (element.signal.valid()) roots.push_back(element.signal);
  return roots;
}

// What stands inside a comparison does not couple, because its truth is frozen; except where that
// truth, or a modal model that waits for it, switches what moves its own gap. A run may go on along
// such a border, and all that the gap reads, and all that is switched there, goes on together.
void Maker::join_borders(const std::vector<std::pair<std::size_t, Footprint>>& rates,
                         const std::function<void(std::size_t, const Footprint&)>& join,
                         const std::function<bool(std::size_t, const Footprint&)>& is_own) {
  std::vector<std::vector<ComparisonId>> waits_for(m_.automata.size());
  for (std::size_t a = 0; a < m_.automata.size(); ++a) {
    if (!m_.automata[AutomatonId(a)].modal) continue;
    for (const model::Transition& transition : m_.automata[AutomatonId(a)].transitions) {
      for (ComparisonId r : footprints_.of(transition.guard).comparisons) waits_for[a].push_back(r);
    }
    sort_unique(waits_for[a]);
  }
  const auto each_border = [&](const Footprint& reads, auto&& look) {
    for (ComparisonId r : reads.comparisons) look(out_.comparisons[r].border);
    for (AutomatonId a : reads.automata) {
      for (ComparisonId r : waits_for[at(a)]) look(out_.comparisons[r].border);
    }
  };
  std::vector<char> own(out_.comparisons.size(), 0);
  for (const auto& [node, reads] : rates) {
    each_border(reads, [&, node = node](ComparisonId border) {
      if (is_own(node, out_.comparisons[border].reads)) own[at(border)] = 1;
    });
  }
  for (const auto& [node, reads] : rates) {
    each_border(reads, [&, node = node](ComparisonId border) {
      if (own[at(border)] != 0) join(node, out_.comparisons[border].reads);
    });
  }
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
    // What stands inside a comparison does not couple, because its truth is frozen, but it is read.
    rates.emplace_back(node, footprints_.of(root));
  };
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    const model::Element& element = m_.elements[ElementId(i)];
    if (element.ports.empty()) continue;
    for (ExprId root : roots_of(ElementId(i))) couple(at(cell_of(element.ports[0].bond)), root);
  }
  for (std::size_t s = 0; s < m_.states.size(); ++s) {
    const model::State& state = m_.states[StateId(s)];
    if (state.rate.valid()) couple(cell_count + s, state.rate);
    if (state.impulse.valid()) couple(cell_count + s, state.impulse);
  }
  join_borders(
      rates,
      [&](std::size_t node, const Footprint& reads) {
        for (CellId cell : reads.cells) groups.join(node, at(cell));
        for (StateId state : reads.states) groups.join(node, node_of_state(state));
      },
      [&](std::size_t node, const Footprint& reads) {
        const auto is_own = [&](std::size_t other) {
          return groups.find(other) == groups.find(node);
        };
        return std::any_of(reads.cells.begin(), reads.cells.end(),
                           [&](CellId cell) { return is_own(at(cell)); }) ||
               std::any_of(reads.states.begin(), reads.states.end(),
                           [&](StateId state) { return is_own(node_of_state(state)); });
      });

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
    unit.comparisons.insert(unit.comparisons.end(), reads.comparisons.begin(),
                            reads.comparisons.end());
    unit.clocks.insert(unit.clocks.end(), reads.clocks.begin(), reads.clocks.end());
  }
  out_.pre_in_rates.assign(m_.pool.pres().size(), 0);
  for (Unit& unit : out_.units) {
    for (PreId pre : unit.pres) out_.pre_in_rates[at(pre)] = 1;
    sort_unique(unit.controlled);
    sort_unique(unit.pres);
    sort_unique(unit.comparisons);
    sort_unique(unit.clocks);
  }
}

void Maker::find_steepness() {
  expr::Pool& pool = m_.pool;
  for (const model::State& state : m_.states) {
    ExprId& steepness = out_.steepness[out_.steepness.add({})];
    if (state.element.valid()) {
      const std::vector<ExprId>& laws = m_.elements[state.element].laws;
      const std::vector<ExprId> rest(laws.size(), pool.constant(0));
      const ExprId slope =
          pool.substitute(pool.derivative(laws[at(state.port)], expr::Op::Local, state.port), rest);
      if (pool.is_fixed(slope)) steepness = slope;
    }
  }
}

}  // namespace cradle::plan
