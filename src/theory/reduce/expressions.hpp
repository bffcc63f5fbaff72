#pragma once
// Every expression of a flat model.

#include "language/model/model.hpp"

namespace cradle::reduce {

// Calls visit(ExprId&) for each that is valid; `readable` comes last, in no order.
template <class ModelType, class Visit>
void each_expression(ModelType& model, Visit visit) {
  auto see = [&visit](auto& e) {
    if (e.valid()) visit(e);
  };
  for (auto& signal : model.signals) see(signal.value);
  for (auto& element : model.elements) {
    for (auto& law : element.laws) see(law);
    see(element.signal);
  }
  for (auto& state : model.states) {
    see(state.initial);
    see(state.rate);
    see(state.impulse);
  }
  for (auto& memory : model.memories) {
    see(memory.input);
    see(memory.initial);
  }
  for (auto& choice : model.choices) {
    for (auto& alternative : choice.alternatives) see(alternative);
  }
  for (auto& automaton : model.automata) {
    for (auto& transition : automaton.transitions) {
      see(transition.guard);
      see(transition.entering);
      for (auto& set : transition.sets) {
        see(set.value);
        see(set.entering);
      }
    }
  }
  for (auto& output : model.outputs) {
    for (auto& part : output.parts) {
      see(part.value);
      see(part.entering);
    }
  }
  for (auto& column : model.show) see(column.value);
  for (auto& shape : model.animation) {
    for (auto& part : shape.parts) see(part.value);
    see(shape.when);
    see(shape.visible);
  }
  for (auto& assertion : model.assertions) {
    see(assertion.condition);
    for (auto& read : assertion.reads) see(read.value);
    see(assertion.holds);
  }
  for (auto& [name, value] : model.readable) see(value);
}

}  // namespace cradle::reduce
