#pragma once
// How an expression changes while time flows: what der(x) is, and the rate of a source that drives
// dependent stores, ṡ in ℓ(N L y + ṡ) = 0 (semantics, section 4).
//
//   d/dt e = Σ ∂e/∂leaf · d/dt leaf
//   time → 1      p → e of its bond      q → f of its bond      an integral → its rate
//   f of an inertia, e of a capacitance → its law, differentiated
//   e or f shared at a junction with such a store or with a source → the same
//   pre, counts, modes, frozen comparisons → 0

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "language/model/model.hpp"

namespace cradle::model {

// As an expression, which is invalid if it does not change; none where it reads an effort or flow
// that no store or source determines directly, which is the obstacle.
struct Rate {
  std::optional<ExprId> expr;
  std::string obstacle;
};

// Each signal and each law on the way is differentiated once, however many read it, and without
// recursion.
class Rates {
 public:
  // Held: efforts and flows count as constant. Summed: those that others give at a junction, which
  // sums them, are differentiated, too. Followed: also through laws of resistors; and an integral
  // whose rate is absent rests.
  enum class Powers { Differentiated, Held, Summed, Followed };
  Rates(Model& model, Powers powers) : model_(model), pool_(model.pool), powers_(powers) {}
  // These leaves say nothing while time flows. Without this they count as constant.
  void silence(std::function<bool(ExprId leaf)> is_silent) { is_silent_ = std::move(is_silent); }
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
    ExprId of, expr;  // as it stands, and as it is while time flows
    std::vector<Part> parts;
    std::size_t ready = 0;  // of parts
  };
  struct Result {
    Rate rate;
    int depth = 0;      // of expressions that read each other
    bool open = false;  // being worked on
  };

  void begin(ExprId expr);
  ExprId flowing(ExprId expr);
  bool wait_for_parts();
  Result finish(const Work& work);
  Part part_of(ExprId leaf);
  ExprId state_rate(StateId id);
  bool may_be_absent(ExprId expr) const;
  void find_power(expr::Op op, BondId bond, Part& part);
  std::optional<ExprId> given(expr::Op op, BondId bond);
  std::optional<ExprId> given(expr::Op op, BondId bond, bool by_resistors);
  std::optional<ExprId> summed(expr::Op op, BondId bond);
  std::vector<BondId> sharing(expr::Op op, BondId bond) const;
  std::optional<ExprId> given_by(expr::Op op, const End& end, bool by_resistors);

  Model& model_;
  expr::Pool& pool_;
  Powers powers_;
  std::function<bool(ExprId leaf)> is_silent_;
  std::unordered_map<ExprId, Result> results_;
  std::vector<Work> work_;
};

}  // namespace cradle::model
