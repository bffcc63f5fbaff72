#pragma once
// The rate of a source that drives dependent stores: ṡ in ℓ(N L y + ṡ) = 0 (semantics, section 4).
//
//   d/dt e = Σ ∂e/∂leaf · d/dt leaf
//   time → 1      p → e of its bond      q → f of its bond      an integral → its rate
//   f of an inertia, e of a capacitance → its law, differentiated
//   e or f shared at a junction with such a store or with a source → the same
//   pre, counts, modes, frozen comparisons → 0

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/plan/parts.hpp"
#include "language/model/model.hpp"

namespace cradle::plan {

// Each signal and each law on the way is differentiated once, however many read it, and without
// recursion.
class Rates {
 public:
  // Held: efforts and flows count as constant. Summed: those that others give at a junction, which
  // sums them, are differentiated, too.
  enum class Powers { Differentiated, Held, Summed };
  Rates(model::Model& model, Powers powers) : model_(model), pool_(model.pool), powers_(powers) {}
  Rate of(ExprId expr);

 private:
  // What a leaf of an expression contributes: a rate that is known, or that of another expression,
  // or neither, for the reason that is given.
  struct Part {
    ExprId leaf;
    ExprId rate;
    ExprId through;
    std::string obstacle;
  };
  struct Work {
    ExprId expr;
    std::vector<Part> parts;
    std::size_t ready = 0;  // of parts
  };
  struct Result {
    Rate rate;
    int depth = 0;      // of expressions that read each other
    bool open = false;  // being worked on
  };

  void begin(ExprId expr);
  bool wait_for_parts();
  Result finish(const Work& work);
  Part part_of(ExprId leaf);
  ExprId state_rate(StateId id);
  void find_power(expr::Op op, BondId bond, Part& part);
  std::optional<ExprId> given(expr::Op op, BondId bond);
  std::optional<ExprId> summed(expr::Op op, BondId bond);
  std::vector<BondId> sharing(expr::Op op, BondId bond) const;
  std::optional<ExprId> given_by(expr::Op op, const model::End& end);

  model::Model& model_;
  expr::Pool& pool_;
  Powers powers_;
  std::unordered_map<ExprId, Result> results_;
  std::vector<Work> work_;
};

}  // namespace cradle::plan
