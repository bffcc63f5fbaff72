#pragma once
// A model as a parallel composition of constitutive processes.
//
//   Model ≈ body1 ∥ … ∥ v1 ∥ … ∥ F13 ∥ F13.automaton ∥ … ∥ x1 ∥ …
//
// Elements, junctions and bonds are those of the seed. What a model has beyond it is written in the
// same form: an automaton re-initialises its mode, an integral and a signal are relations between
// variables, pre(x) is a variable that takes the value x⁻ across a jump. What operators of events
// (clocks, delays, detectors, choices) say is given from outside: a variable without a process.

#include <string>
#include <unordered_map>
#include <vector>

#include "language/model/model.hpp"
#include "theory/hypa/normal_form.hpp"
#include "theory/hypa/term.hpp"

namespace cradle::hypa {

struct Composition {
  Specification specification;     // the first process is the model
  std::vector<std::string> parts;  // the names of the processes that are composed
  // The parts without signals that only observe; their definitions are put where they are read.
  std::vector<std::string> essential;
  std::vector<std::string> observers;
  NormalFormOptions normal_form;

  // By BondId and StateId; AutomatonId, SignalId.
  std::vector<BondVariables> bonds;
  std::vector<VariableId> states, automata, signals;
  // What every name that can be read is, over these variables.
  std::unordered_map<std::string, ExprId> readable;
};

Composition compose(const model::Model& model);

// Definitions of signals are put where they are read, and of variables that ordinary junctions make
// equal one is kept: what the normal form is made from.
Specification condensed(const Composition& composition, const model::Model& model);

}  // namespace cradle::hypa
