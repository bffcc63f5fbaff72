// A model with numbers, or inputs, in place of its parameters. Expressions are built anew, one by
// one in the order in which they were made, so that everything is folded as if the text had
// numbers.

#include <unordered_map>
#include <vector>

#include "language/model/binding.hpp"
#include "language/model/open.hpp"

namespace cradle::model {
namespace {

using expr::Op;

enum class Parameters { AreNumbers, Stay, AreInputs };

class Folder {
 public:
  Folder(const Model& model, const Binding& binding, Parameters wanted)
      : from_(model),
        binding_(binding),
        wanted_(wanted),
        stays_(model.slots.size(), wanted != Parameters::AreNumbers) {
    if (wanted != Parameters::AreNumbers) find_decided();
  }

  Model fold() {
    Model out = tables();
    const std::size_t count = from_.pool.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i == from_.drawing_begins) {
        if (wanted_ == Parameters::AreInputs) break;
        out.drawing_begins = out.pool.size();
      }
      now_.push_back(rebuild(out, ExprId(i)));
    }
    replace(out);
    for (Parameter& parameter : out.parameters) {
      const std::optional<SlotId> old = from_.slot_of(parameter.name);
      if (!old || !stays_[at(*old)]) continue;
      auto found = out.slot_index.find(from_.slots[named_by(*old)].name);
      if (found != out.slot_index.end()) parameter.slot = found->second;
    }
    if (wanted_ != Parameters::AreInputs) keep_requirements(out);
    return out;
  }

 private:
  // All but the pool.
  Model tables() const {
    Model out;
    out.name = from_.name;
    out.bonds = from_.bonds;
    out.elements = from_.elements;
    out.junctions = from_.junctions;
    out.automata = from_.automata;
    out.signals = from_.signals;
    out.states = from_.states;
    out.clocks = from_.clocks;
    out.memories = from_.memories;
    out.regions = from_.regions;
    out.choices = from_.choices;
    out.outputs = from_.outputs;
    out.until = from_.until;
    out.max_step = from_.max_step;
    if (wanted_ == Parameters::AreInputs) return out;
    out.parameters = from_.parameters;
    out.show = from_.show;
    out.animation = from_.animation;
    out.assertions = from_.assertions;
    out.readable = from_.readable;
    out.units = from_.units;
    for (std::size_t i = 0; i < out.parameters.size(); ++i) {
      out.parameters[i].value = binding_.parameter(from_, i);
      out.parameters[i].slot = {};
    }
    return out;
  }

  ExprId now(ExprId old) const {
    return old.valid() ? now_[static_cast<std::size_t>(old.index)] : old;
  }

  static std::size_t at(SlotId slot) { return static_cast<std::size_t>(slot.index); }
  static SlotId slot_of(const expr::Node& leaf) {
    return SlotId(static_cast<std::size_t>(leaf.ref));
  }

  // Of a slot that the text defines by others, these decide as well.
  void find_decided() {
    for (const Decision& decision : from_.decisions) {
      const bool zero = decision.value == 0 && (decision.kind == Decision::Kind::Zero ||
                                                decision.kind == Decision::Kind::Sign);
      const bool exactly =
          decision.kind == Decision::Kind::Exactly && !can_be_required(decision.of);
      if (exactly || zero) pin(decision.of);
    }
  }
  // Comparisons of numbers that parameters may pass or fail; not those that leave one number only.
  bool can_be_required(ExprId truth) const {
    if (from_.pool[truth].type != expr::Type::Boolean) return false;
    for (ExprId e : from_.pool.below(truth)) {
      const expr::Node& node = from_.pool[e];
      if (node.op == Op::Equal || node.op == Op::NotEqual || node.op == Op::If) return false;
      if (node.op == Op::Parameter && node.type == expr::Type::Boolean) return false;
    }
    return true;
  }
  void keep_requirements(Model& out) const {
    for (const Decision& decision : from_.decisions) {
      if (!can_be_required(decision.of) || out.pool.is_constant(now(decision.of))) continue;
      const double number = binding_.number(from_, decision.of);
      out.decisions.push_back({decision.kind, now(decision.of), number});
    }
  }
  void pin(ExprId fixed) {
    std::vector<ExprId> open = {fixed};
    while (!open.empty()) {
      const ExprId e = open.back();
      open.pop_back();
      for (ExprId leaf : from_.pool.below(e)) {
        if (from_.pool[leaf].op != Op::Parameter) continue;
        const SlotId slot = slot_of(from_.pool[leaf]);
        if (!stays_[at(slot)]) continue;
        stays_[at(slot)] = false;
        if (!binding_.is_given(slot)) open.push_back(from_.slots[slot].definition);
      }
    }
  }

  // What only passes on another parameter is that one.
  SlotId named_by(SlotId slot) const {
    while (!binding_.is_given(slot)) {
      const expr::Node& node = from_.pool[from_.slots[slot].definition];
      if (node.op != Op::Parameter || !stays_[at(slot_of(node))]) break;
      slot = slot_of(node);
    }
    return slot;
  }

  ExprId parameter(Model& out, SlotId old) {
    const SlotId slot = named_by(old);
    const Slot& from = from_.slots[slot];
    if (auto found = out.slot_index.find(from.name); found != out.slot_index.end()) {
      return out.slots[found->second].leaf;
    }
    const bool boolean = from_.pool[from.leaf].type == expr::Type::Boolean;
    const double number = binding_.number(from_, from.leaf);
    ExprId definition = now(from.definition);
    if (binding_.is_given(slot)) {
      definition = boolean ? out.pool.boolean(number != 0) : out.pool.constant(number);
    }
    const SlotId made = out.slots.add({from.name, definition, std::nullopt});
    out.slots[made].leaf = out.pool.leaf(Op::Parameter, made.index, 0, from_.pool[from.leaf].type);
    out.slot_index.emplace(from.name, made);
    return out.slots[made].leaf;
  }

  bool is_number_of_the_text(SlotId slot) const {
    if (binding_.is_given(slot)) return true;
    for (ExprId e : from_.pool.below(from_.slots[slot].definition)) {
      if (from_.pool[e].op == Op::Parameter) return false;
    }
    return true;
  }

  ExprId input(Model& out, SlotId slot) {
    const Slot& from = from_.slots[slot];
    if (!is_number_of_the_text(slot)) return now(from.definition);
    const double number = binding_.number(from_, from.leaf);
    if (from_.pool[from.leaf].type == expr::Type::Boolean) return out.pool.boolean(number != 0);
    if (const auto known = inputs_.find(slot); known != inputs_.end()) return known->second;
    const SignalId signal = out.signals.add({.name = from.name, .span = {}, .value = {}});
    const ClockId clock = out.clocks.add({{}, {}, {}, signal, out.pool.constant(number)});
    const ExprId leaf =
        out.pool.leaf(Op::Input, clock.index, static_cast<double>(InputPart::Value));
    out.signals[signal].value = leaf;
    return inputs_[slot] = leaf;
  }

  bool is_number(const expr::Pool& pool, ExprId id) const {
    if (!from_.pool.is_fixed(id)) return false;
    const expr::Node& node = from_.pool[id];
    if (node.op == Op::Parameter) return !stays_[at(slot_of(node))];
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (operand.valid() && !pool.is_constant(now(operand))) return false;
    }
    return true;
  }

  ExprId rebuild(Model& out, ExprId id) {
    expr::Pool& pool = out.pool;
    const expr::Node& node = from_.pool[id];
    if (is_number(pool, id)) {
      const double number = binding_.number(from_, id);
      return node.type == expr::Type::Boolean ? pool.boolean(number != 0) : pool.constant(number);
    }
    if (node.op == Op::Pre) {
      return pool.pre(now(from_.pool.pres()[static_cast<std::size_t>(node.ref)]));
    }
    if (node.op == Op::Parameter) {
      const SlotId slot = slot_of(node);
      return wanted_ == Parameters::AreInputs ? input(out, slot) : parameter(out, slot);
    }
    if (expr::arity(node.op) == 0) return pool.leaf(node.op, node.ref, node.value, node.type);
    return pool.rebuild(node, now(node.a), now(node.b), now(node.c));
  }

  void replace(ExprId& id) const { id = now(id); }
  // What has to be known before the run.
  void replace_fixed(expr::Pool& pool, ExprId& id) const {
    if (wanted_ != Parameters::AreInputs || !id.valid()) return replace(id);
    const double number = binding_.number(from_, id);
    const bool boolean = from_.pool[id].type == expr::Type::Boolean;
    id = boolean ? pool.boolean(number != 0) : pool.constant(number);
  }

  void replace(Model& m) const {
    for (Element& element : m.elements) {
      for (ExprId& law : element.laws) replace(law);
      replace(element.signal);
    }
    for (Automaton& automaton : m.automata) {
      for (Transition& transition : automaton.transitions) replace(transition);
    }
    // Those that have been added are of the new pool already.
    for (std::size_t s = 0; s < from_.signals.size(); ++s) replace(m.signals[SignalId(s)].value);
    for (State& state : m.states) {
      replace_fixed(m.pool, state.initial);
      replace(state.rate);
      replace(state.impulse);
    }
    for (std::size_t c = 0; c < from_.clocks.size(); ++c) {
      Clock& clock = m.clocks[ClockId(c)];
      for (ExprId* part : {&clock.offset, &clock.period, &clock.initial}) {
        replace_fixed(m.pool, *part);
      }
    }
    for (Memory& memory : m.memories) {
      replace(memory.input);
      for (ExprId* part : {&memory.initial, &memory.offset, &memory.period}) {
        replace_fixed(m.pool, *part);
      }
      for (ExprId& value : memory.values) replace_fixed(m.pool, value);
    }
    for (Choice& choice : m.choices) {
      for (ExprId& alternative : choice.alternatives) replace(alternative);
    }
    for (Output& output : m.outputs) {
      for (Output::Part& part : output.parts) {
        replace(part.value);
        replace(part.entering);
      }
    }
    for (Column& column : m.show) replace(column.value);
    for (Shape& shape : m.animation) {
      for (Shape::Part& part : shape.parts) replace(part.value);
      replace(shape.when);
      replace(shape.visible);
    }
    for (Assertion& assertion : m.assertions) {
      replace(assertion.condition);
      for (Column& read : assertion.reads) replace(read.value);
      replace(assertion.holds);
    }
    for (auto& [name, value] : m.readable) replace(value);
    replace_fixed(m.pool, m.until);
    replace_fixed(m.pool, m.max_step);
  }

  void replace(Transition& transition) const {
    replace(transition.guard);
    replace(transition.entering);
    for (SetAction& set : transition.sets) {
      replace(set.value);
      replace(set.entering);
    }
  }

  const Model& from_;
  const Binding& binding_;
  const Parameters wanted_;
  std::vector<bool> stays_;  // by slot
  std::unordered_map<SlotId, ExprId> inputs_;
  std::vector<ExprId> now_;
};

}  // namespace

Model fold(const Model& model, const Binding& binding) {
  return Folder(model, binding, Parameters::AreNumbers).fold();
}

Model fold_decided(const Model& model, const Binding& binding) {
  return Folder(model, binding, Parameters::Stay).fold();
}

Model open_parameters(const Model& model, const Binding& binding) {
  return Folder(model, binding, Parameters::AreInputs).fold();
}

}  // namespace cradle::model
