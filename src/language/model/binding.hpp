#pragma once
// A model is built once and bound to values of its parameters any number of times:
//
//   text ─elaborate→ Model ─bind→ Binding        numbers of all that parameters alone determine
//
// What elaboration decided by the values it saw (the bound of a loop, the branch of an if, whether
// a mass is positive) is kept as a Decision. Values that decide otherwise need another model: they
// are not bound, and the text is elaborated anew, with whatever that has to say about them.

#include <optional>
#include <string>
#include <vector>

#include "language/expr/numbers.hpp"
#include "language/model/model.hpp"

namespace cradle::model {

class Binding {
 public:
  // To the values with which the model was built.
  explicit Binding(const Model& model);

  // The same with another value of one parameter; nothing if the model would be another one, or if
  // there is no such parameter, or not of this type. It is the one that was used to build the model
  // that has to be handed in.
  std::optional<Binding> with(const Model& model, const std::string& parameter, double value) const;

  double number(const Model& model, ExprId fixed) const { return numbers_.of(model.pool, fixed); }
  double number(int32_t place) const { return numbers_.at(place); }
  // Of Model::parameters.
  double parameter(const Model& model, std::size_t index) const;
  // Was the value given from outside? Otherwise it is what the text says.
  bool is_given(SlotId slot) const {
    return given_[static_cast<std::size_t>(slot.index)].has_value();
  }

 private:
  Binding() = default;
  void compute(const Model& model);

  std::vector<std::optional<double>> given_;  // by slot
  expr::Numbers numbers_;
};

// The model with the values that are given now in its slots: for those who want to know which
// parameters stand for themselves.
Model with_given(const Model& model, const Binding& binding);

// The model with numbers in place of its parameters: as if the text had them. It has no slots and
// no decisions.
Model fold(const Model& model, const Binding& binding);

// The same for those parameters alone by which it was decided what the model is: numbers of turns,
// truths, zeros. What is left may have other values in the same model, as long as its decisions, by
// comparing them, hold. A parameter that only passes on another one is that one, and what was given
// from outside is the definition of its slot.
Model fold_decided(const Model& model, const Binding& binding);

}  // namespace cradle::model
