// A model with numbers in place of its parameters. Expressions are built anew, one by one in the
// order in which they were made, so that everything is folded as if the text had numbers.

#include <vector>

#include "language/model/binding.hpp"

namespace cradle::model {
namespace {

using expr::Op;

class Folder {
 public:
  Folder(const Model& model, const Binding& binding) : from_(model), binding_(binding) {}

  Model fold() {
    Model out = tables();
    const std::size_t count = from_.pool.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i == from_.drawing_begins) out.drawing_begins = out.pool.size();
      now_.push_back(rebuild(out.pool, ExprId(i)));
    }
    replace(out);
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
    out.parameters = from_.parameters;
    out.show = from_.show;
    out.animation = from_.animation;
    out.until = from_.until;
    out.readable = from_.readable;
    for (std::size_t i = 0; i < out.parameters.size(); ++i) {
      out.parameters[i].value = binding_.parameter(from_, i);
      out.parameters[i].slot = {};
    }
    return out;
  }

  ExprId now(ExprId old) const {
    return old.valid() ? now_[static_cast<std::size_t>(old.index)] : old;
  }

  ExprId rebuild(expr::Pool& pool, ExprId id) const {
    const expr::Node& node = from_.pool[id];
    if (from_.pool.is_fixed(id)) {
      const double number = binding_.number(from_, id);
      return node.type == expr::Type::Boolean ? pool.boolean(number != 0) : pool.constant(number);
    }
    if (node.op == Op::Pre) {
      return pool.pre(now(from_.pool.pres()[static_cast<std::size_t>(node.ref)]));
    }
    if (expr::arity(node.op) == 0) return pool.leaf(node.op, node.ref, node.value, node.type);
    return pool.rebuild(node, now(node.a), now(node.b), now(node.c));
  }

  void replace(ExprId& id) const { id = now(id); }

  void replace(Model& m) const {
    for (Element& element : m.elements) {
      for (ExprId& law : element.laws) replace(law);
      replace(element.signal);
    }
    for (Automaton& automaton : m.automata) {
      for (Transition& transition : automaton.transitions) replace(transition);
    }
    for (Signal& signal : m.signals) replace(signal.value);
    for (State& state : m.states) {
      for (ExprId* part : {&state.initial, &state.rate, &state.impulse}) replace(*part);
    }
    for (Clock& clock : m.clocks) {
      replace(clock.offset);
      replace(clock.period);
      replace(clock.initial);
    }
    for (Memory& memory : m.memories) {
      for (ExprId* part : {&memory.input, &memory.initial, &memory.offset, &memory.period}) {
        replace(*part);
      }
      for (ExprId& value : memory.values) replace(value);
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
    for (auto& [name, value] : m.readable) replace(value);
    replace(m.until);
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
  std::vector<ExprId> now_;
};

}  // namespace

Model fold(const Model& model, const Binding& binding) { return Folder(model, binding).fold(); }

}  // namespace cradle::model
