#include "theory/reduce/write_expr.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "cradle/instant.hpp"
#include "language/expr/print.hpp"

namespace cradle::reduce {

using expr::Node;
using expr::Op;

namespace {

constexpr std::size_t kMaxText = 1'000'000;  // of one expression

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "(inf - inf)";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return (value == 0 && std::signbit(value) ? "-" : "") + format_number(value);
}

ExprWriter::ExprWriter(model::Model& model)
    : model_(model), names_(model), keepers_(model), used_(model.slots.size(), false) {
  name_keepers();
}

// By the first signal of the same region that is just this, or by one that is made up.
void ExprWriter::name_keepers() {
  for (std::size_t i = 0; i < model_.signals.size(); ++i) {
    const model::Signal& signal = model_.signals[SignalId(i)];
    if (signal.gathers.valid()) continue;
    const ExprId value = keepers_.own_value(SignalId(i));
    if (keepers_.at_node(value).kind == Keeper::Kind::None) continue;
    if (keepers_.region(value) == signal.region) by_signal_.try_emplace(value, SignalId(i));
  }
  for (ExprId node : keepers_.nodes()) {
    if (!keepers_.needs_name(node) || by_signal_.contains(node)) continue;
    by_name_.emplace(node, made_up_.size());
    const std::string like = owner_of(node);
    made_up_.push_back({node, names_.fresh(like), like, keepers_.region(node)});
  }
}

// What it was called, for the comment and as the base of its name.
std::string ExprWriter::owner_of(ExprId keeper) const {
  const Keeper what = keepers_.at_node(keeper);
  if (what.kind == Keeper::Kind::Integral) return model_.states[StateId(what.index)].name;
  std::string name = what.kind == Keeper::Kind::Choice ? model_.choices[ChoiceId(what.index)].name
                                                       : model_.memories[MemoryId(what.index)].name;
  const auto joint = name.find(" in ");
  if (joint == std::string::npos) return name;
  return name.substr(joint + 4) + "." + name.substr(0, joint);  // "delay in hit" → hit.delay
}

std::string ExprWriter::text(ExprId e, RegionId from, const std::string& argument) {
  InPlace ignored;
  const std::string outer = std::exchange(argument_, argument);
  std::string result = text(e, from, ignored);
  argument_ = outer;
  return result;
}

std::string ExprWriter::text(ExprId e, RegionId from, InPlace& in_place) {
  InPlace* outer = std::exchange(in_place_, &in_place);
  std::string result = in_region(e, from);
  in_place_ = outer;
  return result;
}

std::string ExprWriter::fixed(ExprId e, RegionId from) {
  const Node& node = model_.pool[e];
  const bool plain = node.op == Op::Constant && node.type == expr::Type::Number;
  return plain ? number_text(node.value) : in_region(e, from);
}

bool ExprWriter::is_zero(ExprId e) const {
  const Node& node = model_.pool[e];
  return node.op == Op::Constant && node.value == 0 && !std::signbit(node.value);
}

std::string ExprWriter::parameters() {
  std::vector<std::string> lines(used_.size());
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i] || !lines[i].empty()) continue;
      const model::Slot& slot = model_.slots[SlotId(i)];
      const std::string& name = names_.parameter(SlotId(i));
      lines[i] = "param " + name + " = " + fixed(slot.definition, {});
      lines[i] += name == slot.name ? "\n" : "  // " + slot.name + "\n";
      again = true;
    }
  }
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

bool ExprWriter::reads_used(ExprId fixed) const {
  const std::vector<ExprId> nodes = model_.pool.below(fixed);
  return std::any_of(nodes.begin(), nodes.end(), [this](ExprId e) {
    const Node& node = model_.pool[e];
    return node.op == Op::Parameter && used_[static_cast<std::size_t>(node.ref)];
  });
}

std::string ExprWriter::requirements() {
  std::string all;
  std::unordered_set<ExprId> said;
  for (const model::Decision& decision : model_.decisions) {
    std::vector<ExprId> open = {decision.of};
    while (!open.empty()) {
      const ExprId e = open.back();
      const Node& node = model_.pool[e];
      open.pop_back();
      if (decision.value != 0 && node.op == Op::And) {
        open.insert(open.end(), {node.b, node.a});
        continue;
      }
      if (model_.pool.is_constant(e) || !reads_used(e) || !said.insert(e).second) continue;
      const std::string text = in_region(e, {});
      all += decision.value != 0 ? "require " + text + "\n" : "require not (" + text + ")\n";
    }
  }
  return all;
}

std::string ExprWriter::call(ExprId keeper, InPlace& in_place) {
  InPlace* outer = std::exchange(in_place_, &in_place);
  std::string result = keeper_text(keeper, keepers_.at_node(keeper));
  in_place_ = outer;
  return result;
}

std::string ExprWriter::in_region(ExprId e, RegionId region) {
  const RegionId outer = std::exchange(from_, region);
  const expr::NodeText hook = [this](ExprId id, const Node& node) { return instead(id, node); };
  std::string result = expr::to_string(model_.pool, e, hook, kMaxText);
  if (result.size() >= kMaxText && !fault_) fault_ = "an expression of a million characters";
  from_ = outer;
  return result;
}

std::optional<std::string> ExprWriter::constant(const Node& node) const {
  if (node.type == expr::Type::Boolean) return std::nullopt;
  if (std::isnan(node.value)) return number_text(node.value);
  const bool usual = std::isfinite(node.value) && !(node.value == 0 && std::signbit(node.value));
  if (usual) return std::nullopt;
  return std::signbit(node.value) ? "(" + number_text(node.value) + ")" : number_text(node.value);
}

std::optional<std::string> ExprWriter::instead(ExprId e, const Node& node) {
  if (auto found = by_signal_.find(e); found != by_signal_.end()) {
    return names_.path(names_.signal(found->second), keepers_.region(e), from_);
  }
  if (auto found = by_name_.find(e); found != by_name_.end()) {
    const MadeUp& made_up = made_up_[found->second];
    return names_.path(made_up.name, made_up.region, from_);
  }
  if (Keeper keeper = keepers_.at_node(e); keeper.kind != Keeper::Kind::None) {
    return keeper_text(e, keeper);
  }
  if (ExprId inside = keepers_.seen_from_outside(e); inside.valid()) {
    return instead(inside, model_.pool[inside]);
  }
  const auto ref = static_cast<std::size_t>(node.ref);
  switch (node.op) {
    case Op::Constant:
      return constant(node);
    case Op::Parameter:
      used_[ref] = true;
      return names_.parameter(SlotId(ref));
    case Op::Local:
      return argument_;
    case Op::Effort:
    case Op::Flow:
      return bond_variable(BondId(ref), node.op == Op::Effort);
    case Op::State:
      return stored(StateId(ref), from_);
    case Op::Signal: {
      const model::Signal& signal = model_.signals[SignalId(ref)];
      const std::string& name = names_.signal(SignalId(ref));
      if (!signal.gathers.valid()) return names_.path(name, signal.region, from_);
      return names_.path(names_.modal(signal.gathers) + "." + name, signal.region, from_);
    }
    case Op::InMode:
    case Op::Active: {
      const model::Automaton& automaton = model_.automata[AutomatonId(ref)];
      const std::string& name =
          automaton.modal ? names_.modal(AutomatonId(ref)) : names_.junction(automaton.junction);
      const std::string& member =
          node.op == Op::Active ? "active" : automaton.states[static_cast<std::size_t>(node.value)];
      return names_.path(name + "." + member, automaton.region, from_);
    }
    case Op::Phase:
    case Op::Count: {
      const model::Clock& clock = model_.clocks[ClockId(ref)];
      const bool plain =
          model_.pool.is_constant(clock.offset) && model_.pool.constant_value(clock.offset) == 0;
      const std::string offset = plain ? "" : ", " + fixed(clock.offset, from_);
      return (node.op == Op::Phase ? "sawtooth(" : "count(") + fixed(clock.period, from_) + offset +
             ")";
    }
    case Op::Input:  // of those that are held
      return names_.signal(model_.clocks[ClockId(ref)].input);
    case Op::When:
      return "sample(" + in_region(node.a, from_) + ", " + in_region(node.b, from_) + ")";
    default:
      return std::nullopt;
  }
}

std::string ExprWriter::keeper_text(ExprId e, const Keeper& keeper) {
  switch (keeper.kind) {
    case Keeper::Kind::Integral: {
      const model::State& state = model_.states[StateId(keeper.index)];
      if (in_place_ != nullptr) in_place_->state = std::min(in_place_->state, keeper.index);
      std::string text = "integral(" + in_region(state.rate, state.region);
      if (!is_zero(state.initial) || state.impulse.valid()) {
        text += ", " + fixed(state.initial, state.region);
      }
      if (state.impulse.valid()) text += ", " + in_region(state.impulse, state.region);
      return text + ")";
    }
    case Keeper::Kind::Choice: {
      const model::Choice& choice = model_.choices[ChoiceId(keeper.index)];
      const RegionId region = keepers_.region(e);
      std::string text = "choose(";
      for (std::size_t i = 0; i < choice.alternatives.size(); ++i) {
        text += (i > 0 ? ", " : "") +
                in_region(keepers_.own_alternative(ChoiceId(keeper.index), i), region);
      }
      return text + (choice.by_order ? ", order = true)" : ")");
    }
    default:
      break;
  }
  const model::Memory& memory = model_.memories[MemoryId(keeper.index)];
  if (in_place_ != nullptr) in_place_->memory = std::min(in_place_->memory, keeper.index);
  if (keeper.kind == Keeper::Kind::Hold) {
    return "hold(" + in_region(memory.input, memory.region) + ", " +
           in_region(memory.initial, memory.region) + ")";
  }
  return memory_call(memory);
}

std::string ExprWriter::memory_call(const model::Memory& memory) {
  using Kind = model::Memory::Kind;
  using Direction = model::Memory::Direction;
  const std::string input =
      memory.input.valid() ? in_region(memory.input, memory.region) : std::string();
  switch (memory.kind) {
    case Kind::Delay:
      return "delay(" + input + ")";
    case Kind::Last:
      return "fby(" + in_region(memory.initial, memory.region) + ", " + input + ")";
    case Kind::TimeDelay:
      return "time_delay(" + input + ", " + fixed(memory.offset, memory.region) + ")";
    case Kind::HeldDelay:
      return "time_delay(" + input + ", " + fixed(memory.offset, memory.region) + ", " +
             in_region(memory.initial, memory.region) + ")";
    case Kind::Crossing:
      return (memory.direction == Direction::Rising    ? "rising("
              : memory.direction == Direction::Falling ? "falling("
                                                       : "crossing(") +
             input + ")";
    case Kind::Schedule:
      break;
  }
  const bool numbers = memory.type == expr::Type::Number;
  const bool all = std::all_of(memory.values.begin(), memory.values.end(), [this](ExprId value) {
    return model_.pool.is_constant(value) && model_.pool.constant_value(value) != 0;
  });
  std::string values;
  for (ExprId value : memory.values) {
    if (!numbers && all) break;
    if (!values.empty()) values += ", ";
    if (numbers || !model_.pool.is_constant(value)) {
      values += fixed(value, memory.region);
    } else {
      values += model_.pool.constant_value(value) != 0 ? "true" : "false";
    }
  }
  const std::string offset = fixed(memory.offset, memory.region);
  if (!memory.period.valid()) {
    return "event(" + offset + (values.empty() ? "" : ", " + values) + ")";
  }
  std::string text = "clock(" + fixed(memory.period, memory.region);
  if (offset != "0" && offset != "-0") text += ", " + offset;
  if (!values.empty()) text += ", values = [" + values + "]";
  if (memory.limit >= 0) text += ", count = " + std::to_string(memory.limit);
  return text + ")";
}

// By what the user is likely to have written: the element at its end, its label, the junction that
// shares the variable; else it is given a label.
std::string ExprWriter::bond_variable(BondId id, bool effort) {
  const model::Bond& bond = model_.bonds[id];
  const RegionId region = region_of(model_, id);
  const std::string variable = effort ? ".e" : ".f";
  auto read = [&](const std::string& name) { return names_.path(name + variable, region, from_); };
  for (const model::End* end : {&bond.to, &bond.from}) {
    if (!end->element.valid()) continue;
    const model::Element& element = model_.elements[end->element];
    if (elements::definition(element.kind).through) continue;
    const std::string& name = names_.element(end->element);
    return read(element.matrix.empty() ? name : name + "[" + std::to_string(end->port + 1) + "]");
  }
  if (!names_.label(id).empty()) return read(names_.label(id));
  for (const model::End* end : {&bond.from, &bond.to}) {
    if (!end->junction.valid()) continue;
    const model::Junction& junction = model_.junctions[end->junction];
    const bool zero = junction.kind == model::Junction::Kind::Zero;
    const bool kept = !junction.automaton.valid() ||
                      (junction.inactive == model::Junction::Inactive::Effort) == zero;
    if (zero != effort || !kept || junction.bonds.front().bond != id) continue;
    return read(names_.junction(end->junction));
  }
  for (const model::End* end : {&bond.to, &bond.from}) {
    if (end->element.valid()) {
      return read(names_.element(end->element) + (end->port == 0 ? ".in" : ".out"));
    }
  }
  names_.give_label(id);
  return read(names_.label(id));
}

std::string ExprWriter::stored(StateId id, RegionId from) const {
  const model::State& state = model_.states[id];
  const model::Element& element = model_.elements[state.element];
  const bool momentum = elements::definition(element.kind).storage == elements::Storage::Momentum;
  std::string name = names_.element(state.element);
  if (!element.matrix.empty()) name += "[" + std::to_string(state.port + 1) + "]";
  return names_.path(name + (momentum ? ".p" : ".q"), state.region, from);
}

std::string ExprWriter::target(const model::SetAction& set, RegionId from) const {
  if (set.state.valid() && model_.states[set.state].element.valid()) return stored(set.state, from);
  const ExprId node =
      set.state.valid() ? keepers_.node_of(set.state) : keepers_.node_of(set.memory);
  if (auto found = by_signal_.find(node); found != by_signal_.end()) {
    return names_.path(names_.signal(found->second), keepers_.region(node), from);
  }
  return names_.path(made_up_[by_name_.at(node)].name, keepers_.region(node), from);
}

}  // namespace cradle::reduce
