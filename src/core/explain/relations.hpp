#pragma once
// Which relations determined a jump, from the processes of the model (src/theory/hypa).
//
// A part of the model in one mode is one alternative of each of its processes: [jump] ≫ (flow). The
// jump obeys `jump` and ends where `flow` can go on. Of both, what is said of stored quantities and
// sources is left when all other variables are eliminated:
//
//   body1.p′ + body3.p′ = 0        from the jump clauses: what is kept
//   body1.f⁺ + impact.f⁺ = body3.f⁺  from the flow clauses: what the mode demands

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cradle/explain.hpp"
#include "language/model/binding.hpp"
#include "theory/hypa/compose.hpp"

namespace cradle::explain {

// The part of a model that jumps, and what its variables are worth.
struct Jumping {
  std::vector<ElementId> elements;
  std::vector<JunctionId> junctions;
  std::vector<BondId> bonds;
  std::vector<StateId> integrals;
  std::vector<int> now;                                // modes, by automaton
  std::function<double(BondId, bool effort)> impulse;  // p′ or q′
  // On arrival, or a posteriori; nothing: absent, or not known.
  std::function<std::optional<Number>(const expr::Node& leaf, bool before)> value;
  std::function<double(StateId, bool before)> state;
};

class Relations {
 public:
  // With parameters by their names, or with numbers in their place if the model has none.
  Relations(const model::Model& model, const model::Binding& binding);
  std::vector<ExplainedRelation> determining(const Jumping& part, std::size_t& more);
  bool has_parameters() const { return !parameters_.empty(); }
  // The last that were asked for could be reduced to what is stored and imposed.
  bool is_reduced() const { return reduced_; }

 private:
  using Predicate = hypa::Predicate;
  std::vector<ExplainedRelation> reduced(const Jumping& part, bool& sound);
  Predicate clauses(const Jumping& part, bool flow);
  void add(const hypa::Specification& from, const std::string& process, const Jumping& part,
           bool flow, Predicate& out);
  const hypa::Alternative* fitting(const std::vector<hypa::Alternative>& all, const Jumping& part);
  ExprId with_modes(ExprId e, const Jumping& part);
  ExprId present(ExprId relation, const Jumping& part);
  bool is_kept(const hypa::Relation& relation) const;
  std::unordered_set<ExprId> unwanted(const Jumping& part, bool flow);
  ExplainedRelation written(ExprId raw, const Jumping& part);
  std::optional<Number> value(ExprId leaf, const Jumping& part);
  bool is_inside(ExprId e, const Jumping& part) const;
  bool reads_any(ExprId e, const std::unordered_set<ExprId>& leaves) const;

  const model::Model& m_;
  hypa::Composition composition_;
  hypa::Specification condensed_;
  std::unordered_map<std::string, std::size_t> index_;  // of processes
  struct Place {
    enum class Kind {
      Effort,
      Flow,
      Momentum,
      Displacement,
      State,
      Signal,
      Memory,
      Arrival
    } kind = Kind::State;
    std::size_t index = 0;
    int32_t bond = -1;  // that it belongs to
  };
  std::unordered_map<int32_t, Place> places_;                 // by variable
  std::unordered_map<int32_t, std::size_t> automata_;         // by variable
  std::vector<std::pair<std::string, std::string>> said_as_;  // names that are told otherwise
  bool reduced_ = false;
  std::vector<ExprId> arrivals_;                   // x⁻ of pre(x)⁺ = x⁻
  std::unordered_map<ExprId, double> parameters_;  // what they are worth
};

}  // namespace cradle::explain
