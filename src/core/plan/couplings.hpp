#pragma once
// How expressions depend on efforts and flows (semantics, section 6.3): what the laws and sources
// of an island read of the island itself is part of its equations.
//
// Signals that are plain functions stand in between. Nothing is written out: an expression has its
// partial derivatives by the efforts and flows that it reads itself and by the signals that read
// some, these signals have theirs, and the chain rule puts them together where a derivative is
// needed (island_newton.cpp).

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/basics/ids.hpp"
#include "language/model/model.hpp"

namespace cradle::plan {

struct Partial {
  ExprId leaf;   // an effort, a flow, or a signal that reads some
  ExprId slope;  // ∂e/∂leaf; invalid: zero, as where only a comparison reads it
};

bool is_power(const model::Model& model, const expr::Node& leaf);          // an effort or flow
bool is_of_bond_graph(const model::Model& model, const expr::Node& leaf);  // that, or of a store

// By signal: does it read such leaves, itself or through other signals?
std::vector<char> find_readers(const model::Model& model,
                               bool (*wanted)(const model::Model&, const expr::Node&));

// e = Σ coefficient · leaf + rest, the leaves being efforts and flows, the coefficients constant.
struct PowerForm {
  std::vector<std::pair<ExprId, ExprId>> terms;  // leaf, coefficient
  ExprId rest;
};

// Finds it, with signals written out; none where it is not so, or where an effort or flow is read
// that is not `own`.
class PowerForms {
 public:
  PowerForms(model::Model& model, const std::vector<char>& power_readers)
      : model_(model), readers_(power_readers) {}
  std::optional<PowerForm> of(ExprId e, const std::function<bool(BondId)>& own);

 private:
  bool reads_power(ExprId leaf) const;
  bool is_plain(ExprId e) const;
  std::optional<PowerForm> find(ExprId e, const std::function<bool(BondId)>& own, int depth);
  const std::optional<PowerForm>& of_signal(SignalId id, const std::function<bool(BondId)>& own,
                                            int depth);

  model::Model& model_;
  const std::vector<char>& readers_;
  // What one call has found so far; none while it is being looked for: signals in a circle.
  std::unordered_map<SignalId, std::optional<PowerForm>> signals_;
};

}  // namespace cradle::plan
