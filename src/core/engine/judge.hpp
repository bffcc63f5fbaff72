#pragma once
// How a mode is judged (semantics, 6.1): guards of automata on junctions, on the series of the mode
// that is being tried (plan/series.hpp), or, of physical transitions, on committed values, without
// strain and impulse.
//
//   x⁺, then its right derivatives: ẋ = L y, ẍ = L ẏ, with y, ẏ, ÿ by the rows of the island over
//   b, ḃ, b̈. What is nearer to zero than rounding is decided by the next derivative: on the border
//   between two modes it is the future that decides.
//
// Comparisons inside signals are judged on values alone, as everywhere else.

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/engine/instant_evaluator.hpp"
#include "core/plan/series.hpp"

namespace cradle::engine {

class Judge {
 public:
  Judge(Runtime& runtime, InstantEvaluator& inside);

  // At the present evaluation of the instant evaluator, which says what is looked at. `pinnacle`:
  // of physical transitions behind a jump. What a pinnacle's constraints carry while no time passes
  // does not count there: it is absent, and what it would move has no known future.
  bool holds(const plan::Code& guard, bool pinnacle = false);
  // The sign of a comparison's gap, and what rounding can make of it.
  struct Verdict {
    bool truth = false;
    bool on_border = false;  // within rounding of zero
    double noise = 0;
  };
  Verdict judge(ComparisonId comparison);
  double gap() const { return gap_.finite[0].value; }  // of the last comparison
  const plan::Series& gap_series() const { return gap_; }
  // The first direction in which this island is strained, and goes on to be; −1: none.
  int find_strain(Slot& slot);
  // Effort and flow of every bond of this island in 1/δ, in the first derivative in which any is
  // not zero; empty: it is not strained.
  struct Strain {
    int order = 0;
    std::vector<double> y;
  };
  Strain strain_of(Slot& slot);
  // Is this decided by the parasitics alone? What is shared moves with the directions in which δ
  // decides, whatever the strain is.
  bool is_shared(const plan::Code& value);
  // How much of this constraint's violation can be rounding.
  double noise_of_constraint(Slot& slot, int k);
  void abandon();

  // For plan::run.
  plan::Series leaf(expr::Op op, int32_t ref, int32_t part);
  plan::Series compare(expr::Op op, const plan::Series& a, const plan::Series& b);
  bool truth(int32_t) const { return false; }

 private:
  static constexpr int kOrders = plan::Series::kOrders;
  // Asks for derivatives up to another order.
  class AtOrder {
   public:
    AtOrder(Judge& judge, int order) : judge_(judge), before_(std::exchange(judge.order_, order)) {}
    ~AtOrder() { judge_.order_ = before_; }
    AtOrder(const AtOrder&) = delete;
    AtOrder& operator=(const AtOrder&) = delete;

   private:
    Judge& judge_;
    int before_;
  };
  // What is known of an island that is solved as a whole (judge_whole.cpp).
  struct Whole {
    uint64_t stamp = 0;  // of the instant evaluator
    const plan::Island* island = nullptr;
    bool pinnacle = false;
    std::size_t orders = 0;                              // that are known
    std::array<std::vector<double>, kOrders> y;          // the value, then its derivatives
    std::array<std::array<double, 2>, kOrders> worth{};  // of efforts and flows
    std::array<double, 2> impulse{};
    double rounded = 0;  // the largest impulse in the units of the solution
    // Where the island is solved by Newton's method: J, what is left of f, and r of each order.
    bool has_tangent = false, busy = false;
    std::vector<std::vector<double>> worths;  // by order and variable, where there is a tangent
    linear::RankRevealingLu tangent;
    std::vector<double> left_over;
    std::vector<char> open;  // by variable
    std::array<std::vector<plan::Coefficient>, kOrders> sides;
  };
  void begin();
  plan::Series run(const plan::Code& code);
  plan::Series state(StateId id);
  plan::Series rate(StateId id);
  static bool is_carried(const plan::Island& island, int local);
  plan::Series signal(int32_t ref);
  plan::Series power(expr::Op op, BondId bond);
  plan::Series variable(Slot& slot, int local);
  plan::Series row_of(Slot& slot, const std::vector<plan::LinearRow::Entry>& row, bool rates);
  plan::Series right_side(const plan::Equation& equation);
  plan::Series law(const plan::Equation& equation);
  plan::Series whole(Slot& slot, int local);
  const Whole& solve_whole(Slot& slot);
  void solve_next(Whole& whole);
  void follow_tangent(Slot& slot, Whole& whole);
  static void find_open(Whole& whole);
  void find_sides(Whole& whole, std::size_t order);
  plan::Series side(const Whole& whole, const plan::Equation& equation);
  static double worth_of(const Whole& known, int local, std::size_t k);
  static void find_worths(Whole& whole, std::size_t k);
  static plan::Series so_far(const Whole& whole, int local);
  plan::Series amplitude(Slot& slot, int k);
  void add_strain(Slot& slot, int local, plan::Series& out);

  Runtime& runtime_;
  InstantEvaluator& inside_;
  bool pinnacle_ = false;
  bool probing_ = false;    // for what is shared
  int order_ = 0;           // highest derivative that is asked for
  bool undecided_ = false;  // a comparison needs a higher one
  int depth_ = 0;           // of signals that are being computed
  uint64_t stamp_ = 0;
  plan::Series gap_;  // of the last comparison
  std::vector<plan::Series> stack_;
  std::span<const plan::Series> locals_;
  struct Known {
    plan::Series series;
    uint64_t stamp = 0;
  };
  // By order, then by state or signal.
  std::array<std::vector<Known>, kOrders> states_, signals_;
  std::array<std::vector<uint64_t>, kOrders> busy_;  // effort and flow by bond
  std::vector<std::unique_ptr<Whole>> wholes_;       // by the first cell of an island
};

}  // namespace cradle::engine
