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
// If C Z is singular as well, ideal connections are at odds, or leave something open: such a mode
// is *strained*, and is judged with the parasitic δ of its controlled junctions
// (island_strain.cpp).
//
// Analysed once, const from then on, and shared by all runs (mode_cache.hpp). Where M and C are
// constant, each single effort or flow is a short linear row over b (small islands, by ℓ and Z) or
// comes with one sparse solve (large ones, by M alone where it is regular, else by the system
// above: null vectors of a long chain are long). Where only laws of R bend, and each follows from
// what is known before it, the same rows with those laws as sources give everything in order
// (island_sorted.cpp). Otherwise Newton's method on the same structure.

#include <Eigen/Dense>
#include <deque>
#include <functional>
#include <memory>
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

struct ModeCode;

// Why a mode has no meaning on this island.
struct IslandFault {
  enum class Kind {
    NoSolution,     // constraints that no store can meet: sources at odds
    MoreThanOne,    // efforts or flows that nothing determines
    NoRate,         // a source drives dependent stores, and its rate is not known
    NoConvergence,  // Newton's method does not settle
    LawUnmet,       // a resistor's law does not give what the rest of the island demands
    Undecided,      // what is solved together has no solution there, or more than one
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
  // While time flows, a store's law stays on the piece in force (Equation::piece).
  virtual bool keeps_pieces() const { return false; }
  // What formulas read of an island while it is being solved: its efforts and flows are y, and,
  // inside a jump, the states of its stores x (empty: as they are). Until the next call.
  struct Trial {
    const class Island* island = nullptr;
    std::span<const double> y, x;
  };
  virtual void try_out(const Trial& trial) = 0;
  virtual Trial tried() const = 0;
};

// Formulas read the island that is being solved as long as this lives.
class Trying {
 public:
  explicit Trying(IslandInputs& inputs) : inputs_(inputs), before_(inputs.tried()) {}
  ~Trying() { inputs_.try_out(before_); }
  Trying(const Trying&) = delete;
  Trying& operator=(const Trying&) = delete;

 private:
  IslandInputs& inputs_;
  IslandInputs::Trial before_;
};

class Island {
 public:
  Island(const Plan& plan, std::vector<CellId> cells,
         const std::function<bool(JunctionId)>& is_active);
  ~Island();
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
  // Cells beyond inactive junctions without which nothing decides here: the parasitic of such a
  // junction joins both sides. Not empty: this island is to be made anew together with them.
  const std::vector<CellId>& neighbours() const { return neighbours_; }

  // What an ideal connection would have to carry without limit, the part of y in 1/δ: this many
  // amplitudes, each a linear form over b; and the part of each in a variable.
  int strain_count() const { return static_cast<int>(strain_.amplitudes.size()); }
  const linear::SparseVector& strain_amplitude(int k) const { return strain_.amplitudes[at(k)]; }
  const linear::SparseVector& strain_direction(int k) const { return strain_.directions[at(k)]; }
  // The elements and controlled junctions at odds, or between which only δ decides.
  IslandFault describe_strain(int k) const;

  bool is_direct() const { return direct_; }
  bool uses_rows() const { return direct_ && bonds_.size() <= kRowBonds; }
  // Direct islands that are too large for rows: y while time flows, one number after the other,
  // over b and, behind its rows, ḃ. Null: it is strained.
  const linear::Substitution* substitution() const {
    if (!substitutes_) return nullptr;
    return &substitution_.get(0, [this] { return make_substitution(); });
  }
  // While time flows, its rows give y one after the other, a law of R being a source of what it
  // gives: none stands in its own argument. Null: there is no such order.
  const Island* in_order() const { return in_order_.get(); }

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
  // Is a source that varies in a constraint? What steps leave of that is no rounding: it is an
  // error of theirs, within their tolerance. Whoever reads a dense output sees its states projected
  // onto such constraints, as an arrival is, so that both see the same.
  bool is_driven() const { return direct_ && driven_; }
  bool is_driven(int k) const { return driven_by_[static_cast<std::size_t>(k)] != 0; }
  // Direct islands as a whole.
  // In what unit jump and flow find this variable; 0 where they are not solved by one
  // factorisation.
  double unit_of(int variable) const {
    const linear::RankRevealingLu& lu = saddle_.size() > 0 ? saddle_ : lu_;
    return lu.size() > 0 ? lu.unit_of(variable) : 0;
  }
  // `magnitudes`, if asked for: by row what is added up in it, where that is more than it was:
  // efforts that cancel each other around a long loop.
  void jump(std::span<const double> b, std::span<const double> weights, std::span<double> impulses,
            std::span<double> magnitudes = {}) const;
  // For so many b, one after the other, without weights; only magnitudes are to be relied on.
  static constexpr std::size_t kTogether = linear::RankRevealingLu::kTogether;
  void jump_together(std::span<const double> b, std::span<double> impulses) const;
  void flow(std::span<const double> b, std::span<const double> b_rate, std::span<double> y) const;

  // Sources whose signal may carry an impulse, as equations.
  const std::vector<int>& impulsive_sources() const { return impulsive_sources_; }
  // Can entering this island's mode change the state without an impulsive source?
  bool is_constrained() const { return constrained_; }

  // General islands. Jump: from x⁻ given by `inputs` to x_plus (by local state) with impulses Y;
  // flow: y at the states given by `inputs`. Newton's method begins at y, of which a jump uses as
  // much as it reads. Return a fault if it does not settle or the structure is singular there.
  std::optional<IslandFault> solve_jump(IslandInputs& inputs, std::span<const double> weights,
                                        std::span<const double> y, std::span<double> impulses,
                                        std::span<double> x_plus) const;
  std::optional<IslandFault> solve_flow(IslandInputs& inputs, std::span<double> y) const;
  // M with the tangents of all laws at y: how y follows b, but for what constraints decide; and
  // what y leaves of b − M y. False: laws are flat there.
  bool factor_tangent(IslandInputs& inputs, std::span<const double> y, linear::RankRevealingLu& out,
                      std::vector<double>& left_over) const;
  const std::vector<Modulated>& modulated() const { return modulated_; }
  // All of y while time flows, written out for one who looks on. It does not exist where something
  // needs itself, or another island is read. General islands.
  const ModeCode& code() const;
  bool has(CellId cell) const { return places_.find(cell) >= 0; }
  const std::vector<linear::Triplet>& matrix() const { return matrix_; }  // what is constant of M
  int deficiency() const { return deficiency_; }
  // Does it read efforts or flows of this island that nothing gives before it is solved?
  bool awaits(ExprId expr) const;
  bool awaits(const Equation& equation) const;
  // Of an island of which only moduli vary: its constraints, as they are at the moment.
  std::vector<linear::SparseVector> left_null_at(IslandInputs& inputs) const;

  // Do its laws and sources read its own efforts and flows, so that all is solved together?
  bool is_coupled() const { return coupled_; }

  // Efforts and flows that a store's law or a source fixes whatever else happens: the equation that
  // gives them, or −1. Shared through active junctions.
  int given_by(int variable) const { return given_by_[static_cast<std::size_t>(variable)]; }

  // By a law of states alone: known whatever else is being solved.
  bool is_given_by_store(int variable) const;

  std::size_t bytes() const;
  // Of the rows that have been asked for so far, in any run.
  std::size_t bytes_of_rows() const;

 private:
  static constexpr std::size_t kRowBonds = 128;
  enum class Laws { AsTheyAre, AsSources };  // of resistors that bend

  Island(const Plan& plan, std::vector<CellId> cells,
         const std::function<bool(JunctionId)>& is_active, Laws laws);
  void put_in_order(const std::function<bool(JunctionId)>& is_active);
  bool find_order();
  bool find_long_order();
  void find_laws_that_bind();
  class Walk;  // island_sorted.cpp
  void compute_in_long_order(IslandInputs& inputs, std::vector<double>& b,
                             std::span<const double> rates, std::span<double> y) const;
  bool solve_in_order(IslandInputs& inputs, std::span<double> y) const;

  void add_block(const Block& block, Laws laws);
  void add_active(JunctionId junction);
  void add_inactive(const Block::Border& border);
  void share_given();
  struct Active;
  bool share_given(const Active& junction, int flip);
  void factor_constant(Laws laws);
  bool are_constraints_linear();
  void factor_small();
  bool factor_strained(const Eigen::MatrixXd& c_times_z);
  void find_neighbours(const std::vector<linear::SparseVector>& left);
  bool find_amplitudes(std::vector<linear::SparseVector> left);
  void constrain_strained(const linear::RankRevealingLu& d, const linear::NullSpaces& nulls);
  void prepare_strained_rows();
  LinearRow make_strained_row(int variable) const;
  void solve_strained(std::span<const double> right, std::span<const double> in_constraints,
                      std::span<double> y) const;
  void add_parasitic(int row, JunctionId junction, std::size_t own, bool active);
  void factor_saddle_point();
  bool find_rates();
  const std::vector<linear::SparseVector>& left_null();
  bool is_in_constraint(int row);
  void find_driven();
  bool is_source_bound(const std::vector<char>& varies) const;
  bool reads_stores(ExprId expr) const;
  using Slope = std::function<double(const Equation&, std::size_t)>;
  Eigen::MatrixXd constrain(const linear::NullSpaces& nulls, const Slope& slope,
                            std::vector<linear::SparseVector>& c) const;
  IslandFault describe_singular(const linear::NullSpaces& nulls,
                                const Eigen::FullPivLU<Eigen::MatrixXd>& c_times_z) const;
  IslandFault describe_singular(std::span<const double> left, std::span<const double> open) const;
  void prepare_rows();
  linear::Substitution make_substitution() const;
  bool has_right_side(const Equation& equation) const;
  LinearRow make_row(int variable) const;
  void restore(std::span<double> y, const std::function<double(int)>& violation_of) const;
  int structural_deficiency() const;
  void entry(int row, int column, double value) { matrix_.push_back({row, column, value}); }
  std::vector<double> locals_of(const Equation& equation, std::span<const double> x) const;
  // What is solved together (island_together.cpp).
  bool contains(BondId bond) const { return places_.find(plan_->cell_of(bond)) >= 0; }
  int variable_of(const expr::Node& power) const;
  void add_own_variables(ExprId expr, std::vector<int>& out) const;
  bool reads_others(ExprId expr) const;
  bool reads_own_states(ExprId expr) const;
  std::vector<ExprId> expressions_of(const Equation& equation) const;
  bool reads_itself() const;
  bool depends_on_itself() const;
  void couple();
  void find_held_rates();
  // ∂/∂y by the chain rule; one of these serves all expressions at one y.
  class Chain;
  void add_couplings(Chain& chain, std::span<const double> x, std::span<const double> y,
                     std::vector<linear::Triplet>& entries) const;

  class Newton;  // island_newton.cpp

  const Plan* plan_;
  std::vector<CellId> cells_;
  std::vector<int> offsets_;  // of cells_
  std::vector<BondId> bonds_;
  std::vector<StateId> states_;
  std::vector<int> rate_variables_;
  EquationList equations_;
  std::deque<Equation> own_;  // those that differ from the block's
  // Controlled junctions that are active, while the island is built: what each bond shares with the
  // others, as a variable of a cell.
  struct End {
    int place, variable;  // place: in cells_
  };
  struct Active {
    int begin, end;  // in ends_
    bool passes;     // two bonds, in and out: what is summed is equal, too
  };
  std::vector<End> ends_;
  std::vector<Active> active_;
  std::vector<linear::Triplet> matrix_;  // constant part of M; kept where it is needed
  // E: what stands in M beside each entry, times δ; not kept either.
  std::vector<linear::Triplet> parasitic_;
  std::vector<std::pair<int, CellId>> outside_;  // rows of it that reach into other islands
  std::vector<CellId> neighbours_;
  struct Strain {
    std::vector<linear::SparseVector> directions;  // U_s, over y
    std::vector<linear::SparseVector> amplitudes;  // (W_sᵀ E U_s)⁻¹ W_sᵀ, over b
    std::vector<linear::SparseVector> relief;      // E U_s, over rows
    std::vector<linear::SparseVector> left;        // W_s, over rows
    std::vector<int> rows;  // redundant rows of M, in whose place stand W_sᵀ E, then C
  };
  Strain strain_;
  std::vector<Modulated> modulated_;
  bool constant_ = true;  // M is
  bool stores_are_linear_ = true;
  bool direct_ = false;
  bool coupled_ = false;                                   // formulas read the island itself
  std::vector<char> reads_itself_;                         // by row, of a coupled island
  std::vector<std::pair<int, std::string>> without_rate_;  // rows of a coupled island, and why
  std::optional<IslandFault> fault_;
  int constraints_ = 0;
  linear::RankRevealingLu lu_;      // of M
  linear::NullSpaces nulls_;        // of M, where it is small
  linear::RankRevealingLu saddle_;  // of the system of both halves: large islands with constraints
  bool substitutes_ = false;        // there is one, of one of both: large islands
  OnceTable<linear::Substitution> substitution_{};  // made when it is first needed
  std::vector<linear::SparseVector> c_;             // rows of C
  Eigen::FullPivLU<Eigen::MatrixXd> c_times_z_;
  Eigen::MatrixXd release_;  // n × r: Z (C Z)⁻¹, small islands
  bool constrained_ = false;
  bool driven_ = false;
  std::vector<char> driven_by_;  // by constraint, where there are rows
  int deficiency_ = 0;  // of M, whatever the values that vary are; islands that are not direct
  std::vector<int> impulsive_sources_;
  std::vector<std::vector<int>> releasing_;
  std::vector<int> given_by_;
  OnceTable<LinearRow> rows_;         // by variable
  OnceTable<ModeCode> code_;          // one, of islands that are not direct
  std::unique_ptr<Island> in_order_;  // with laws of resistors as sources
  // Of that: rows of those laws, each behind what it reads; in a large one also the nodes of its
  // substitution, as −1 − node.
  std::vector<int> order_;
  bool laws_bind_ = false;            // of that: some law has a part in what binds states
  PlaceIndex<CellId> places_;         // in cells_
  PlaceIndex<StateId> local_states_;  // in states_
};

}  // namespace cradle::plan
