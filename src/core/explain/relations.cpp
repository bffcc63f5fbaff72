#include "core/explain/relations.hpp"

#include <algorithm>
#include <cmath>

#include "core/explain/numbers.hpp"
#include "theory/hypa/print.hpp"
#include "theory/hypa/simplify.hpp"

namespace cradle::explain {
namespace {

using expr::Op;
using hypa::Mark;
using hypa::Quantity;
using hypa::VariableId;
using hypa::Vocabulary;

constexpr std::size_t kMostBonds = 60;      // of a part whose relations are reduced
constexpr std::size_t kMostRelations = 16;  // that are told

bool sets_effort(const model::Element& source) {
  const elements::Relation relation = elements::definition(source.kind).flow(1, false)[0];
  return relation.left[0].variable == elements::Variable::Effort;
}

// x / m or m·x, with m of parameters alone: present where x is.
bool is_scaled(const expr::Pool& pool, ExprId e) {
  const expr::Node& node = pool[e];
  if (node.op == Op::Div) return pool[node.a].op == Op::Variable && pool.is_fixed(node.b);
  if (node.op != Op::Mul) return false;
  return (pool[node.a].op == Op::Variable && pool.is_fixed(node.b)) ||
         (pool[node.b].op == Op::Variable && pool.is_fixed(node.a));
}

bool stores_momentum(const model::Element& e) {
  return elements::definition(e.kind).storage == elements::Storage::Momentum;
}

}  // namespace

Relations::Relations(const model::Model& model, const model::Binding& binding)
    : m_(model), composition_(hypa::compose(model)), condensed_(condensed(composition_, model)) {
  for (std::size_t i = 0; i < model.slots.size(); ++i) {
    const model::Slot& slot = model.slots[SlotId(i)];
    const ExprId leaf = condensed_.vocabulary.find_parameter(slot.name);
    if (leaf.valid()) parameters_[leaf] = binding.number(model, slot.leaf);
  }
  for (std::size_t i = 0; i < condensed_.processes.size(); ++i) {
    index_.emplace(condensed_.processes[i].name, i);
  }
  for (std::size_t i = 0; i < composition_.bonds.size(); ++i) {
    const hypa::BondVariables& bond = composition_.bonds[i];
    places_[bond.effort.index] = {Place::Kind::Effort, i, static_cast<int32_t>(i)};
    places_[bond.flow.index] = {Place::Kind::Flow, i, static_cast<int32_t>(i)};
    places_[bond.momentum.index] = {Place::Kind::Momentum, i, static_cast<int32_t>(i)};
    places_[bond.displacement.index] = {Place::Kind::Displacement, i, static_cast<int32_t>(i)};
  }
  for (std::size_t i = 0; i < composition_.signals.size(); ++i) {
    places_[composition_.signals[i].index] = {Place::Kind::Signal, i};
  }
  for (std::size_t i = 0; i < composition_.states.size(); ++i) {
    Place& place = places_[composition_.states[i].index];  // p or q of a bond, or an integral
    place.kind = Place::Kind::State;
    place.index = i;
  }
  for (std::size_t i = 0; i < composition_.automata.size(); ++i) {
    automata_[composition_.automata[i].index] = i;
  }
  const Vocabulary& v = condensed_.vocabulary;
  for (std::size_t i = 0; i < m_.memories.size(); ++i) {
    const std::string name = m_.text({.op = Op::Memory, .ref = static_cast<int32_t>(i)}) + " (" +
                             std::to_string(i + 1) + ")";
    const VariableId known = v.find(name);
    if (known.valid()) places_[known.index] = {Place::Kind::Memory, i};
    if (known.valid()) said_as_.emplace_back(name, "(" + m_.memories[MemoryId(i)].name + ")");
  }
  // pre(x)⁺ = x⁻
  for (const hypa::Process& process : condensed_.processes) {
    if (!process.name.starts_with("arrival_")) continue;
    const auto all = hypa::alternatives(process.body);
    if (!all || all->size() != 1 || (*all)[0].jump.size() != 1) continue;
    const expr::Node node = v.pool[(*all)[0].jump[0].holds];
    if (node.op != Op::Equal || !v.is_variable(node.a)) continue;
    places_[Vocabulary::variable_of(v.pool[node.a]).index] = {Place::Kind::Arrival,
                                                              arrivals_.size()};
    arrivals_.push_back(node.b);
  }
}

// Equations between numbers other than energies: what determines a jump.
bool Relations::is_kept(const hypa::Relation& relation) const {
  const Vocabulary& v = condensed_.vocabulary;
  const expr::Node& node = v.pool[relation.holds];
  if (node.op != Op::Equal || v.pool[node.a].type != expr::Type::Number) return false;
  for (ExprId leaf : v.pool.leaves(relation.holds)) {
    if (!v.is_variable(leaf)) continue;
    const Quantity quantity = v[Vocabulary::variable_of(v.pool[leaf])].quantity;
    if (quantity == Quantity::Energy || quantity == Quantity::Mode) return false;
  }
  return true;
}

// The modes that are known are put in.
ExprId Relations::with_modes(ExprId e, const Jumping& part) {
  Vocabulary& v = condensed_.vocabulary;
  return v.replace(e, [&](ExprId id) -> ExprId {
    if (!v.is_variable(id) || Vocabulary::mark_of(v.pool[id]) == Mark::Tried) return {};
    auto found = automata_.find(Vocabulary::variable_of(v.pool[id]).index);
    return found == automata_.end() ? ExprId() : v.number(part.now[found->second]);
  });
}

// Of the alternatives that end in the present mode the one that keeps to it: a jump obeys the
// relations of the mode that it leads into.
const hypa::Alternative* Relations::fitting(const std::vector<hypa::Alternative>& all,
                                            const Jumping& part) {
  const ExprId no = condensed_.vocabulary.pool.boolean(false);
  auto holds = [&](const hypa::Predicate& predicate) {
    return std::none_of(predicate.begin(), predicate.end(), [&](const hypa::Relation& relation) {
      return with_modes(relation.holds, part) == no;
    });
  };
  for (const hypa::Alternative& a : all) {
    if (holds(a.flow) && holds(a.jump)) return &a;
  }
  for (const hypa::Alternative& a : all) {
    if (holds(a.flow)) return &a;
  }
  return nullptr;
}

void Relations::add(const hypa::Specification& from, const std::string& process,
                    const Jumping& part, bool flow, Predicate& out) {
  auto found = index_.find(process);
  if (found == index_.end()) return;
  const auto all = hypa::alternatives(from.processes[found->second].body);
  if (!all) return;
  const hypa::Alternative* alternative = fitting(*all, part);
  if (alternative == nullptr) return;
  for (hypa::Relation relation : flow ? alternative->flow : alternative->jump) {
    relation.holds = with_modes(relation.holds, part);
    if (is_kept(relation)) out.push_back(std::move(relation));
  }
}

Relations::Predicate Relations::clauses(const Jumping& part, bool flow) {
  Predicate out;
  for (ElementId id : part.elements) add(condensed_, m_.elements[id].name, part, flow, out);
  for (JunctionId id : part.junctions) add(condensed_, m_.junctions[id].name, part, flow, out);
  // A junction that is not active also speaks of what lies on its other sides.
  std::erase_if(out, [&](const hypa::Relation& r) { return !is_inside(r.holds, part); });
  return out;
}

bool Relations::is_inside(ExprId e, const Jumping& part) const {
  const Vocabulary& v = condensed_.vocabulary;
  const std::vector<ExprId> leaves = v.pool.leaves(e);
  return std::all_of(leaves.begin(), leaves.end(), [&](ExprId leaf) {
    if (!v.is_variable(leaf)) return true;
    auto found = places_.find(Vocabulary::variable_of(v.pool[leaf]).index);
    if (found == places_.end() || found->second.bond < 0) return true;
    const BondId bond(at(found->second.bond));
    return std::binary_search(part.bonds.begin(), part.bonds.end(), bond);
  });
}

// All but stored quantities and what laws make of them, and what sources impose.
std::unordered_set<ExprId> Relations::unwanted(const Jumping& part, bool flow) {
  std::unordered_set<int32_t> wanted;
  for (ElementId id : part.elements) {
    const model::Element& e = m_.elements[id];
    for (const model::BondEnd& port : e.ports) {
      const hypa::BondVariables& b = composition_.bonds[at(port.bond)];
      if (!e.states.empty()) {
        const bool p = stores_momentum(e);
        wanted.insert((flow ? (p ? b.flow : b.effort) : (p ? b.momentum : b.displacement)).index);
      } else if (flow && elements::is_source(e.kind)) {
        wanted.insert((sets_effort(e) ? b.effort : b.flow).index);
      }
    }
  }
  std::unordered_set<ExprId> out;
  Vocabulary& v = condensed_.vocabulary;
  for (BondId bond : part.bonds) {
    const hypa::BondVariables& b = composition_.bonds[at(bond)];
    for (VariableId id : {b.effort, b.flow, b.momentum, b.displacement}) {
      if (wanted.contains(id.index)) continue;
      if (composition_.states.end() !=
              std::find(composition_.states.begin(), composition_.states.end(), id) &&
          flow) {
        continue;
      }
      out.insert(v.leaf(id, flow ? Mark::Now : Mark::Change));
    }
  }
  return out;
}

bool Relations::reads_any(ExprId e, const std::unordered_set<ExprId>& leaves) const {
  const std::vector<ExprId> below = condensed_.vocabulary.pool.leaves(e);
  return std::any_of(below.begin(), below.end(), [&](ExprId l) { return leaves.contains(l); });
}

std::vector<ExplainedRelation> Relations::reduced(const Jumping& part, bool& sound) {
  Vocabulary& v = condensed_.vocabulary;
  std::string reason;
  std::vector<ExprId> kept;
  Predicate jump = clauses(part, false);
  const auto no_impulses = unwanted(part, false);
  sound = hypa::tidy(v, jump, reason);
  if (!sound) return {};
  hypa::eliminate(v, jump, no_impulses);
  for (const hypa::Relation& r : jump) {
    if (is_kept(r) && !reads_any(r.holds, no_impulses)) kept.push_back(r.holds);
  }
  // Laws of stores and definitions of sources are told if they are more than a name.
  Predicate flow, laws;
  std::unordered_set<std::string> givers;
  for (ElementId id : part.elements) {
    const model::Element& e = m_.elements[id];
    if (!e.states.empty() || elements::is_source(e.kind)) givers.insert(e.name);
  }
  for (const hypa::Relation& r : clauses(part, true)) {
    (givers.contains(r.from) ? laws : flow).push_back(r);
  }
  const auto not_stored = unwanted(part, true);
  hypa::eliminate(v, flow, not_stored);
  sound = hypa::tidy(v, flow, reason);
  if (!sound) return {};
  std::unordered_set<ExprId> mentioned;
  for (const hypa::Relation& r : flow) {
    if (!is_kept(r) || reads_any(r.holds, not_stored)) continue;
    kept.push_back(v.marked(r.holds, Mark::After));
    for (ExprId leaf : v.pool.leaves(r.holds)) mentioned.insert(leaf);
  }
  for (const hypa::Relation& r : laws) {
    const expr::Node node = v.pool[r.holds];
    const bool is_name = v.is_variable(node.a) && v.is_variable(node.b) &&
                         v[Vocabulary::variable_of(v.pool[node.b])].quantity != Quantity::State;
    if (!mentioned.contains(node.a) || is_name) continue;
    kept.push_back(v.marked(r.holds, Mark::After));
  }
  std::vector<ExplainedRelation> out;
  out.reserve(kept.size());
  for (ExprId relation : kept) out.push_back(written(relation, part));
  return out;
}

// x′ = impulse(rate⁺) + default(impulse⁺, 0): only what is there at this microstep.
ExprId Relations::present(ExprId relation, const Jumping& part) {
  Vocabulary& v = condensed_.vocabulary;
  return v.replace(relation, [&](ExprId id) -> ExprId {
    const expr::Node node = v.pool[id];
    if (node.op == Op::Default && v.pool.is_constant(node.b)) {
      const std::vector<ExprId> leaves = v.pool.leaves(node.a);
      const bool plain = v.is_variable(node.a) || is_scaled(v.pool, node.a);
      const bool known = std::all_of(leaves.begin(), leaves.end(), [&](ExprId leaf) {
        return !v.is_variable(leaf) || value(leaf, part).has_value();
      });
      if (plain) return known ? present(node.a, part) : node.b;
    }
    if (node.op == Op::ImpulseOf && v.is_variable(node.a)) {
      const std::optional<Number> of = value(node.a, part);
      return of && of->is_finite() ? v.number(0) : ExprId();
    }
    if (!v.is_variable(id) || Vocabulary::mark_of(node) != Mark::After) return {};
    return v.leaf(Vocabulary::variable_of(node));
  });
}

std::vector<ExplainedRelation> Relations::determining(const Jumping& part, std::size_t& more) {
  std::vector<ExplainedRelation> out;
  bool sound = false;
  if (part.bonds.size() <= kMostBonds) out = reduced(part, sound);
  reduced_ = sound;
  if (!sound) {
    out.clear();
    for (const hypa::Relation& r : clauses(part, false)) out.push_back(written(r.holds, part));
  }
  for (StateId id : part.integrals) {
    Predicate own;
    // With signals by their names; what is condensed only adds expressions to the same pool.
    add(composition_.specification, m_.states[id].name, part, false, own);
    for (const hypa::Relation& r : own) out.push_back(written(present(r.holds, part), part));
  }
  more = out.size() > kMostRelations ? out.size() - kMostRelations : 0;
  out.resize(out.size() - more);
  return out;
}

std::optional<Number> Relations::value(ExprId leaf, const Jumping& part) {
  const Vocabulary& v = condensed_.vocabulary;
  const expr::Node node = v.pool[leaf];
  auto found = places_.find(Vocabulary::variable_of(node).index);
  if (found == places_.end()) return std::nullopt;
  const Place place = found->second;
  const Mark mark = Vocabulary::mark_of(node);
  const bool before = mark == Mark::Before;
  auto read = [&](Op op, expr::Type type) {
    return part.value({.op = op, .type = type, .ref = static_cast<int32_t>(place.index)}, before);
  };
  switch (place.kind) {
    case Place::Kind::State: {
      const StateId id(place.index);
      if (mark == Mark::Change) return part.state(id, false) - part.state(id, true);
      return part.state(id, before);
    }
    case Place::Kind::Momentum:
    case Place::Kind::Displacement:
      if (mark != Mark::Change) return std::nullopt;
      return part.impulse(BondId(place.index), place.kind == Place::Kind::Momentum);
    case Place::Kind::Effort:
      return read(Op::Effort, expr::Type::Number);
    case Place::Kind::Flow:
      return read(Op::Flow, expr::Type::Number);
    case Place::Kind::Signal:
      return read(Op::Signal, m_.pool[m_.signals[SignalId(place.index)].value].type);
    case Place::Kind::Memory:
      return read(Op::Memory, m_.memories[MemoryId(place.index)].type);
    case Place::Kind::Arrival:
      return std::nullopt;  // what it remembers has been put in its place
  }
  return std::nullopt;
}

// Numbers stand where variables stood. They are printed as variables with strange names, so that
// nothing is folded.
ExplainedRelation Relations::written(ExprId raw, const Jumping& part) {
  Vocabulary& v = condensed_.vocabulary;
  const ExprId relation = v.replace(raw, [&](ExprId id) -> ExprId {
    if (!v.is_variable(id)) return {};
    auto found = places_.find(Vocabulary::variable_of(v.pool[id]).index);
    const bool arrival = found != places_.end() && found->second.kind == Place::Kind::Arrival;
    return arrival ? arrivals_[found->second.index] : ExprId();
  });
  ExplainedRelation out;
  out.text = hypa::to_string(v, relation);
  std::erase(out.text, '`');
  for (const auto& [name, said] : said_as_) {
    for (std::size_t from = out.text.find(name); from != std::string::npos;
         from = out.text.find(name, from + said.size())) {
      out.text.replace(from, name.size(), said);
    }
  }
  double scale = 0;
  std::unordered_map<ExprId, std::string> numbers;
  for (const auto& [leaf, value] : parameters_) numbers[leaf] = brief(value);
  std::vector<std::pair<ExprId, std::optional<Number>>> known;
  for (ExprId leaf : v.pool.leaves(relation)) {
    if (!v.is_variable(leaf)) continue;
    const std::optional<Number> one = value(leaf, part);
    if (one) scale = std::max(scale, std::abs(one->finite));
    known.emplace_back(leaf, one);
  }
  for (const auto& [leaf, number] : known) {
    const bool finite = number && number->is_finite();
    numbers[leaf] = finite ? brief(number->finite, scale) : brief(number);
  }
  if (numbers.empty()) return out;
  std::size_t unique = 0;  // equal numbers are not one variable
  const ExprId put = v.replace(relation, [&](ExprId id) -> ExprId {
    auto found = numbers.find(id);
    if (found == numbers.end()) return {};
    const std::string name = " " + found->second + " #" + std::to_string(unique++) + " ";
    if (!v.is_variable(id)) return v.leaf(v.variable(name));
    const hypa::Variable& old = v[Vocabulary::variable_of(v.pool[id])];
    return v.leaf(v.variable(name, old.quantity, old.type));
  });
  std::string text = hypa::to_string(v, put);
  // ` -0.2 #1 ` at the beginning of a sum is -0.2, otherwise (-0.2).
  for (std::size_t from = text.find("` "); from != std::string::npos;
       from = text.find("` ", from)) {
    const std::size_t to = text.find(" `", from);
    std::string number = text.substr(from + 2, text.find(" #", from) - from - 2);
    const std::string ahead = text.substr(0, from);
    const bool begins =
        ahead.empty() || ahead.ends_with("(") || ahead.ends_with(", ") || ahead.ends_with("= ");
    if (number[0] == '-' && !begins) number.insert(0, "(").append(")");
    text.replace(from, to + 2 - from, number);
    from += number.size();
  }
  out.numbers = text;
  return out;
}

}  // namespace cradle::explain
