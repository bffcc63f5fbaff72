// Questions about an expression: what it reads, whether it can carry an impulse, its programs.

#include "base/basics/sorted.hpp"
#include "core/plan/system.hpp"

namespace cradle::plan {

using expr::Op;

bool Plan::is_pinned(Op variable, BondId bond) const {
  const model::Model& m = *model_;
  const bool effort = variable == Op::Effort;
  auto pins = [&](const model::End& end) {
    if (!end.element.valid()) return false;
    const model::Element& element = m.elements[end.element];
    if (elements::is_dissipative(element.kind)) return true;
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

bool Plan::may_be_impulsive(ExprId expr) const {
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
    if (node.op == Op::Output) {
      for (const model::Output::Part& part : m.outputs[OutputId(ref)].parts) {
        work.push_back(part.value);
      }
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

const Formula& Plan::add_formula(ExprId expr) const {
  if (formulas_.size() <= at(expr)) formulas_.resize(std::max(model_->pool.size(), at(expr) + 1));
  auto index = [this](ExprId r) { return relation_of(r).index; };
  auto is_optional = [this](const expr::Node& leaf) {
    const auto ref = static_cast<std::size_t>(leaf.ref);
    switch (leaf.op) {
      case Op::Absent:
      case Op::Choice:
      case Op::Output:
        return true;
      case Op::Memory:
        return !model_->memories[MemoryId(ref)].lasts();
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

Footprint Plan::footprint(ExprId root, bool into_relations) const {
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
    if (RelationId r = relation_of(e); r.valid()) out.relations.push_back(r);
    if (expr::is_relation(node.op) && !into_relations) continue;
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
      case Op::Output:
        // Nothing while time flows; at an instant whatever decides which transitions are taken.
        if (!into_relations) break;
        for (ExprId input : m.inputs_of(m.outputs[OutputId(ref)])) work.push_back(input);
        for (AutomatonId a : m.with_predecessors(m.outputs[OutputId(ref)].automaton)) {
          out.automata.push_back(a);
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

}  // namespace cradle::plan
