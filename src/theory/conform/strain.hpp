#pragma once
// What ideal connections would have to carry without limit in a mode that is tried (semantics, "How
// a mode is judged"), from the processes and a row of recorded numbers: dense and slow, and without
// the engine's solver.
//
//   M y = b         the flow relations of all elements and junctions in this mode, y the efforts
//   and
//                   flows of all bonds, b what is recorded of states, sources and signals
//   (M + δ E) y     with the parasitics of controlled junctions
//
// With U, W the null vectors of M and D = Wᵀ (∂b/∂x) L U: where D has kernels Z, Z_l, the part of y
// in 1/δ is U Z γ with (W Z_l)ᵀ E U Z γ = (W Z_l)ᵀ b, and what is left of the relations of
// controlled junctions for the finite part is off by E U Z γ.

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "theory/conform/evaluate.hpp"
#include "theory/hypa/compose.hpp"

namespace cradle::conform {

struct Strain {
  // By variable: the part in 1/δ, and the magnitudes that were added up to it. Where that part is
  // zero, it can begin to grow.
  struct Part {
    double value = 0, size = 0;
  };
  std::map<hypa::VariableId, Part> parts;
  bool is_strained = false;  // some part is not zero
  // By controlled junction: how far its relations are off in the finite part, without sign.
  std::map<std::string, std::vector<double>> relief;
};

class StrainFinder {
 public:
  // Slopes of laws are added to the vocabulary.
  StrainFinder(const model::Model& model, hypa::Composition& composition)
      : m_(model), composition_(composition) {}

  // `flow`: the flow relations of the elements and ordinary junctions in this mode; `value`: what
  // is recorded; `mode`: the state of an automaton. Nothing: it cannot be told, since something is
  // not recorded, or there is too much of it.
  std::optional<Strain> find(const std::vector<ExprId>& flow,
                             const std::function<Value(ExprId)>& value,
                             const std::function<std::optional<std::size_t>(AutomatonId)>& mode,
                             double tolerance);

 private:
  const model::Model& m_;
  hypa::Composition& composition_;
};

}  // namespace cradle::conform
