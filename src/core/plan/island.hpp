#pragma once
// An island: a part of the bond graph that hangs together in a mode (cells joined by controlled
// junctions that are active), with its equations (semantics, section 4).
//
//     M y = b        y: efforts and flows of all bonds;  b: laws of stores, sources, offsets
//     ẋ = L y
//     each left null vector ℓ of M is a constraint ℓ b = 0 on the state
//
//   jump:   Y = S w − Z (C Z)⁻¹ (ℓ b + C S w)          x⁺ = x⁻ + L Y
//   flow:   y = S b − Z (C Z)⁻¹ (C S b + ℓ ḃ)             C = ℓ (N L − Ṁ) where M varies
//
// with S a solution operator of M, Z its right null vectors, C = ℓ N L, N = ∂b/∂x, w the Dirac
// weights of the sources, ḃ the rate of b other than through x. One factorisation of M and one of
// the small matrix C Z serve both.
//
// Both are halves of one sparse system, without ℓ, Z or C Z: that ℓ g = 0 for every ℓ says that
// g = M u for some u.
//
//   ⎡   M    0 ⎤ ⎡ Y or y ⎤   ⎡ w or b ⎤
//   ⎣ −N L   M ⎦ ⎣   u    ⎦ = ⎣ b or ḃ ⎦
//
// Analysed once, const from then on, and shared by all runs (mode_cache.hpp). Where M and C are
// constant, each single effort or flow is a short linear row over b (small islands, by ℓ and Z) or
// comes with one sparse solve (large ones, by M alone where it is regular, else by the system
// above: null vectors of a long chain are long). Otherwise Newton's method on the same structure.

#include <Eigen/Dense>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/basics/once_table.hpp"
#include "core/linear/rank_revealing_lu.hpp"
#include "core/plan/block.hpp"
#include "core/plan/place_index.hpp"
#include "core/plan/plan.hpp"

namespace cradle::plan {

// Why a mode has no meaning on this island.
struct IslandFault {
  enum class Kind {
    NoSolution,     // constraints that no store can meet: sources at odds
    MoreThanOne,    // efforts or flows that nothing determines
    NoRate,         // a source drives dependent stores, and its rate is not known
    NoConvergence,  // Newton's method does not settle
    LawUnmet,       // a resistor's law does not give what the rest of the island demands
  } kind;
  std::vector<ElementId> elements;
  std::vector<JunctionId> junctions;
  std::vector<BondId> bonds;
  std::string detail;  // NoRate: what the source reads; LawUnmet: "has no solution for e = -1"
  std::string reached = {};  // LawUnmet: what the law comes nearest to
};

// y_v = Σ b + Σ ḃ
struct LinearRow {
  struct Entry {
    int equation;
    double coefficient;
  };
  std::vector<Entry> b, b_rate;
};

// What an island asks for while it is being solved.
class IslandInputs {
 public:
  virtual ~IslandInputs() = default;
  virtual double state(StateId id) = 0;
  virtual double formula(ExprId expr) = 0;
  virtual double formula(ExprId expr, std::span<const double> locals) = 0;
};

class Island {
 public:
  Island(const Plan& plan, std::vector<CellId> cells,
         const std::function<bool(JunctionId)>& is_active);
  Island(const Island&) = delete;
  Island& operator=(const Island&) = delete;

  const std::vector<CellId>& cells() const { return cells_; }
  const std::vector<BondId>& bonds() const { return bonds_; }
  const std::vector<StateId>& states() const { return states_; }
  int rate_variable(int local_state) const {
    return rate_variables_[static_cast<std::size_t>(local_state)];
  }
  int local_state(StateId id) const { return local_states_[id]; }
  const EquationList& equations() const { return equations_; }
  std::size_t size() const { return 2 * bonds_.size(); }
  int offset_of(CellId cell) const {  // of its first bond
    return offsets_[static_cast<std::size_t>(places_[cell])];
  }
  const std::optional<IslandFault>& fault() const { return fault_; }

  bool is_direct() const { return direct_; }
  bool uses_rows() const { return direct_ && bonds_.size() <= kRowBonds; }

  // Direct islands with rows.
  const LinearRow& row(int variable) const {
    return rows_.get(static_cast<std::size_t>(variable), [&] { return make_row(variable); });
  }
  int constraint_count() const { return constraints_; }
  const linear::SparseVector& constraint(int k) const {
    return nulls_.left[static_cast<std::size_t>(k)];
  }
  // Y_v = −Σ_k release(v, k) · (ℓ_k b): the part of constraint k's violation in an impulse.
  double release(int variable, int k) const { return release_(variable, k); }
  const std::vector<int>& releasing(int variable) const {  // the k with a part in it
    return releasing_[static_cast<std::size_t>(variable)];
  }
  // Direct islands as a whole.
  void jump(std::span<const double> b, std::span<const double> weights,
            std::span<double> impulses) const;
  void flow(std::span<const double> b, std::span<const double> b_rate, std::span<double> y) const;

  // Sources whose signal may carry an impulse, as equations.
  const std::vector<int>& impulsive_sources() const { return impulsive_sources_; }
  // Can entering this island's mode change the state without an impulsive source?
  bool is_constrained() const { return constrained_; }

  // General islands. Jump: from x⁻ given by `inputs` to x_plus (by local state) with impulses Y;
  // flow: y at the states given by `inputs`. Return a fault if Newton's method does not settle or
  // the structure is singular there.
  std::optional<IslandFault> solve_jump(IslandInputs& inputs, std::span<const double> weights,
                                        std::span<double> impulses, std::span<double> x_plus) const;
  std::optional<IslandFault> solve_flow(IslandInputs& inputs, std::span<double> y) const;

  // Efforts and flows that a store's law or a source fixes whatever else happens: the equation that
  // gives them, or −1. Shared through active junctions.
  int given_by(int variable) const { return given_by_[static_cast<std::size_t>(variable)]; }

  std::size_t bytes() const;
  // Of the rows that have been asked for so far, in any run.
  std::size_t bytes_of_rows() const;

 private:
  static constexpr std::size_t kRowBonds = 128;

  void add_block(const Block& block);
  void add_active(JunctionId junction);
  void add_inactive(const Block::Border& border);
  void share_given();
  void factor_constant();
  bool are_constraints_linear();
  void factor_small();
  void factor_saddle_point();
  bool find_rates();
  const std::vector<linear::SparseVector>& left_null();
  bool is_in_constraint(int row);
  using Slope = std::function<double(const Equation&, std::size_t)>;
  Eigen::MatrixXd constrain(const linear::NullSpaces& nulls, const Slope& slope,
                            std::vector<linear::SparseVector>& c) const;
  IslandFault describe_singular(const linear::NullSpaces& nulls,
                                const Eigen::FullPivLU<Eigen::MatrixXd>& c_times_z) const;
  IslandFault describe_singular(std::span<const double> left, std::span<const double> open) const;
  void prepare_rows();
  LinearRow make_row(int variable) const;
  void restore(std::span<double> y, const std::function<double(int)>& violation_of) const;
  int structural_deficiency() const;
  void entry(int row, int column, double value) { matrix_.push_back({row, column, value}); }
  double store_slope(const Equation& equation, std::size_t i, IslandInputs& inputs,
                     std::span<const double> x) const;
  std::vector<double> locals_of(const Equation& equation, std::span<const double> x) const;
  double right_side(const Equation& equation, IslandInputs& inputs, std::span<const double> x,
                    std::span<const double> y) const;
  // What stands in M for a resistor that is not linear: its tangent at y; a chord, over which the
  // law changes by `wanted`; or 1 for a jump, in which it takes no part.
  struct Slopes {
    enum class Kind { Tangent, Chord, One } kind;
    double wanted = 0;
  };
  double tangent_slope(const Equation& resistor, IslandInputs& inputs, double argument) const;
  double chord_slope(const Equation& equation, IslandInputs& inputs, double argument,
                     double wanted) const;
  // M with what varies filled in.
  std::vector<linear::Triplet> assemble(IslandInputs& inputs, std::span<const double> y,
                                        const Slopes& slopes) const;
  std::optional<IslandFault> newton_step(IslandInputs& inputs, std::span<const double> x,
                                         std::span<const double> y, std::span<const double> f,
                                         const Slopes& slopes, std::span<double> step) const;
  double descend(IslandInputs& inputs, std::span<const double> x, std::span<const double> y,
                 std::span<const double> step, double norm, std::span<double> trial,
                 std::span<double> f) const;
  int worst_law(IslandInputs& inputs, std::span<const double> y, std::span<const double> f) const;
  IslandFault unmet_law(int row, IslandInputs& inputs, std::span<const double> y,
                        std::span<const double> target) const;
  std::optional<IslandFault> settle_flow(IslandInputs& inputs, std::span<double> y) const;
  void subtract_matrix_rate(IslandInputs& inputs, const linear::NullSpaces& nulls,
                            std::vector<linear::SparseVector>& c, Eigen::MatrixXd& c_times_z) const;
  double residual(IslandInputs& inputs, std::span<const double> x, std::span<const double> y,
                  std::span<double> out) const;

  const Plan* plan_;
  std::vector<CellId> cells_;
  std::vector<int> offsets_;  // of cells_
  std::vector<BondId> bonds_;
  std::vector<StateId> states_;
  std::vector<int> rate_variables_;
  EquationList equations_;
  std::vector<Equation> own_;  // those that differ from the block's
  // Controlled junctions that are active, while the island is built: what each bond shares with the
  // others, as a variable of a cell.
  struct End {
    int place, variable;  // place: in cells_
  };
  struct Active {
    int begin, end;  // in ends_
  };
  std::vector<End> ends_;
  std::vector<Active> active_;
  std::vector<linear::Triplet> matrix_;  // constant part of M; not kept by direct islands
  std::vector<Modulated> modulated_;
  bool constant_ = true;  // M is
  bool stores_are_linear_ = true;
  bool direct_ = false;
  std::optional<IslandFault> fault_;
  int constraints_ = 0;
  linear::RankRevealingLu lu_;      // of M
  linear::NullSpaces nulls_;        // of M, where it is small
  linear::RankRevealingLu saddle_;  // of the system of both halves: large islands with constraints
  std::vector<linear::SparseVector> c_;  // rows of C
  Eigen::FullPivLU<Eigen::MatrixXd> c_times_z_;
  Eigen::MatrixXd release_;  // n × r: Z (C Z)⁻¹, small islands
  bool constrained_ = false;
  int deficiency_ = 0;  // of M, whatever the values that vary are; islands that are not direct
  std::vector<int> impulsive_sources_;
  std::vector<std::vector<int>> releasing_;
  std::vector<int> given_by_;
  OnceTable<LinearRow> rows_;         // by variable
  PlaceIndex<CellId> places_;         // in cells_
  PlaceIndex<StateId> local_states_;  // in states_
};

}  // namespace cradle::plan
