// Questions about an expression: what it reads, whether it can carry an impulse.

#include <unordered_set>

#include "base/basics/sorted.hpp"
#include "core/plan/maker.hpp"

namespace cradle::plan {

using expr::Op;

bool Impulses::pins(bool effort, const model::End& end) {
  if (!end.element.valid()) return false;
  const model::Element& element = m_.elements[end.element];
  if (elements::is_dissipative(element.kind)) return true;
  const auto& definition = elements::definition(element.kind);
  const auto wanted = effort ? elements::Variable::Effort : elements::Variable::Flow;
  for (const elements::Relation& relation :
       definition.flow(static_cast<int>(element.ports.size()), element.law_of_effort)) {
    if (relation.left.size() != 1 || relation.left[0].variable != wanted) continue;
    if (relation.right == elements::Right::StateLaw) return true;
    if (relation.right == elements::Right::Source) return !may_reach(element.signal);
  }
  return false;
}

bool Impulses::is_pinned(Op variable, BondId bond) {
  const bool effort = variable == Op::Effort;
  const model::Bond& b = m_.bonds[bond];
  for (const model::End& end : {b.from, b.to}) {
    if (pins(effort, end)) return true;
    if (!end.junction.valid()) continue;
    const model::Junction& junction = m_.junctions[end.junction];
    const bool shares = (junction.kind == model::Junction::Kind::Zero) == effort;
    if (!shares || junction.automaton.valid()) continue;
    for (const model::BondEnd& other : junction.bonds) {
      const model::Bond& o = m_.bonds[other.bond];
      if (pins(effort, o.from) || pins(effort, o.to)) return true;
    }
  }
  return false;
}

// What carries none carries none wherever it is read, so no node is found calm twice.
bool Impulses::may_reach(ExprId expr) {
  calm_.resize(m_.pool.size(), 0);
  std::vector<ExprId> work{expr};
  std::unordered_set<ExprId> visited;
  while (!work.empty()) {
    ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || calm_[at(e)] != 0 || !visited.insert(e).second) continue;
    const expr::Node& node = m_.pool[e];
    const auto ref = static_cast<std::size_t>(node.ref);
    if (expr::is_comparison(node.op) || node.op == Op::ImpulseOf || node.op == Op::FiniteOf)
      continue;
    if (node.op == Op::Omega) return true;
    if (node.op == Op::Memory && m_.memories[MemoryId(ref)].input.valid() &&
        m_.memories[MemoryId(ref)].kind != model::Memory::Kind::Crossing) {
      work.push_back(m_.memories[MemoryId(ref)].input);
    }
    if (node.op == Op::Output) {
      for (const model::Output::Part& part : m_.outputs[OutputId(ref)].parts) {
        work.push_back(part.value);
      }
    }
    if (node.op == Op::Effort || node.op == Op::Flow) {
      // A ring of sources that read each other's bonds cannot recurse for ever: the bound is
      // conservative.
      if (depth_ > 8) return true;
      ++depth_;
      bool pinned = is_pinned(node.op, BondId(ref));
      --depth_;
      if (!pinned) return true;
    }
    if (node.op == Op::Signal) work.push_back(m_.signals[SignalId(ref)].value);
    work.push_back(node.a);
    work.push_back(node.b);
    work.push_back(node.c);
  }
  for (ExprId e : visited) calm_[at(e)] = 1;
  return false;
}

bool Footprints::is_new(ExprId e) {
  return e.valid() && std::exchange(seen_nodes_[at(e)], mark_) != mark_;
}

bool Footprints::is_new(SignalId id) {
  return std::exchange(seen_signals_[at(id)], mark_) != mark_;
}

Footprint Footprints::of(ExprId root, bool into_comparisons) {
  ++mark_;
  seen_nodes_.resize(model_.pool.size(), 0);
  seen_signals_.resize(model_.signals.size(), 0);
  seen_for_absence_.resize(model_.pool.size(), 0);
  Footprint out;
  work_.assign(1, root);
  while (!work_.empty()) {
    const ExprId e = work_.back();
    work_.pop_back();
    if (!is_new(e)) continue;
    const expr::Node& node = model_.pool[e];
    const auto comparison = parts_.comparison_index.find(e);
    if (comparison != parts_.comparison_index.end()) out.comparisons.push_back(comparison->second);
    if (expr::is_comparison(node.op) && !into_comparisons) {
      look_for_absence(e, out);
      continue;
    }
    if (expr::arity(node.op) == 0) look_at(node, into_comparisons, out);
    for (ExprId operand : {node.a, node.b, node.c}) work_.push_back(operand);
  }
  sort_unique(out.cells);
  sort_unique(out.states);
  sort_unique(out.automata);
  sort_unique(out.clocks);
  sort_unique(out.pres);
  sort_unique(out.comparisons);
  sort_unique(out.memories);
  return out;
}

// A comparison that is frozen is read as its truth; what decides whether it is there at all is read
// nevertheless.
void Footprints::look_for_absence(ExprId comparison, Footprint& out) {
  const model::Model& m = model_;
  const auto is_optional = [&m](ExprId e) {
    return may_be_absent(m.pool, e, [&m](const expr::Node& leaf) {
      const auto ref = static_cast<std::size_t>(leaf.ref);
      if (leaf.op == Op::Memory) return !m.memories[MemoryId(ref)].lasts();
      if (leaf.op == Op::Signal) return m.signals[SignalId(ref)].may_be_absent;
      return leaf.op == Op::Absent || leaf.op == Op::Choice || leaf.op == Op::Output;
    });
  };
  if (!is_optional(comparison)) return;
  absence_.assign(1, comparison);
  while (!absence_.empty()) {
    const ExprId e = absence_.back();
    absence_.pop_back();
    if (!e.valid() || std::exchange(seen_for_absence_[at(e)], mark_) == mark_) continue;
    const expr::Node& node = m.pool[e];
    const auto ref = static_cast<std::size_t>(node.ref);
    if (node.op == Op::IsPresent) continue;
    if (node.op == Op::When) work_.push_back(node.b);
    if (node.op == Op::If && (is_optional(node.b) || is_optional(node.c))) work_.push_back(node.a);
    if (node.op == Op::Choice) work_.push_back(e);
    if (node.op == Op::Memory && !m.memories[MemoryId(ref)].lasts()) {
      out.memories.push_back(MemoryId(ref));
    }
    if (node.op == Op::Signal && m.signals[SignalId(ref)].may_be_absent) {
      absence_.push_back(m.signals[SignalId(ref)].value);
    }
    for (ExprId operand : {node.a, node.b, node.c}) absence_.push_back(operand);
  }
}

void Footprints::look_at(const expr::Node& leaf, bool into_comparisons, Footprint& out) {
  const model::Model& m = model_;
  const auto ref = static_cast<std::size_t>(leaf.ref);
  switch (leaf.op) {
    case Op::Effort:
    case Op::Flow:
      out.cells.push_back(parts_.cell_of_bond[BondId(ref)]);
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
    case Op::Count:  // rest between the ticks of their clock
    case Op::Input:
      out.clocks.push_back(ClockId(ref));
      break;
    case Op::Pre:
      out.pres.push_back(PreId(ref));
      break;
    case Op::Memory:
      out.memories.push_back(MemoryId(ref));
      break;
    case Op::Choice:
      for (ExprId alternative : m.choices[ChoiceId(ref)].alternatives) work_.push_back(alternative);
      break;
    case Op::Output:
      // Nothing while time flows; at an instant whatever decides which transitions are taken.
      if (!into_comparisons) break;
      for (ExprId input : m.inputs_of(m.outputs[OutputId(ref)])) work_.push_back(input);
      for (AutomatonId a : m.with_predecessors(m.outputs[OutputId(ref)].automaton)) {
        out.automata.push_back(a);
      }
      break;
    case Op::Time:
      out.time = true;
      break;
    case Op::Signal:
      if (is_new(SignalId(ref))) work_.push_back(m.signals[SignalId(ref)].value);
      break;
    default:
      break;
  }
}

}  // namespace cradle::plan
