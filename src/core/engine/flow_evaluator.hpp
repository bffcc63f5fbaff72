#pragma once
// Values while time flows: plain doubles, comparisons frozen, each signal and each effort or flow
// computed on demand and at most once per evaluation. Also gives the values on arrival at an
// instant, before anything jumps there.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/engine/order.hpp"
#include "core/engine/runtime.hpp"
#include "core/engine/sides.hpp"

namespace cradle::engine {

// Absence as a double, where codes hand values to each other: a NaN that no computation makes.
extern const double kAbsent;
bool is_absent(double value);

class FlowEvaluator final : public plan::IslandInputs {
 public:
  enum class View { Present, Arrival };  // which islands are looked at
  // Newton's method begins where the run last ended. One who only looks on leaves that as it is.
  enum class Who { Run, Onlooker };

  FlowEvaluator(Runtime& runtime, View view, Who who = Who::Run);

  // A new evaluation at time t. States not set with set_state come from the clusters' dense output,
  // projected onto constraints that sources drive.
  void begin(double t);
  void set_state(StateId id, double value);
  // While many comparisons are looked at on the same dense output, at much the same times:
  // solutions of whole islands are kept, by time.
  void remember(bool remember) { remembers_ = remember; }
  void forget_moments() {
    kept_.clear();
    oldest_ = 0;
  }
  // For one who only looks on: what pres remember that the run does not keep.
  void read_pres_from(const std::vector<double>& pres) { own_pres_ = &pres; }
  // Rates have starting points of their own, which belong to the motion; null: no longer.
  void begin_rates(std::vector<double>* start) { rates_start_ = start; }
  double time() const { return time_; }

  // Where the run slides along borders, any value is a mean over their sides. Calls work(−1) below
  // all of them, then work(j) above the j-th alone.
  template <class Work>
  void on_each_side(Work&& work);
  template <class Work>
  void above_all(Work&& work);
  // The shares of the sides above, by State::slides.
  const std::vector<double>& shares();
  const GapRates& gap_rates();
  template <class Compute>
  double mean(Compute&& compute);
  // Only borders of this cluster matter; null: all.
  void slide_within(const Cluster* cluster) { within_ = cluster; }

  double state(StateId id) override;
  // What is absent is worth nothing: a source rests, an integral keeps its value.
  double formula(ExprId expr) override;
  double formula(ExprId expr, std::span<const double> locals) override;
  bool keeps_pieces() const override { return true; }
  void try_out(const Trial& trial) override {
    trial_ = trial;
    trial_stamp_ = runtime_.next_stamp();
  }
  Trial tried() const override { return trial_; }
  double run(const plan::Code& code, plan::Truths truths = plan::Truths::Frozen) {
    return mean([&] { return run_here(code, truths); });
  }
  std::optional<double> optional(ExprId expr);
  std::optional<double> optional(const plan::Code& formula);
  double variable(Slot& slot, int local) {  // an effort or flow of an island
    return mean([&] { return variable_here(slot, local); });
  }
  double power(expr::Op op, BondId bond) {
    return mean([&] { return power_here(op, bond); });
  }

  // For plan::run.
  double leaf(expr::Op op, int32_t ref, int32_t part);
  bool truth(int32_t comparison) {
    const ComparisonId id(at(comparison));
    if (!is_kept(id) && !runtime_.slides(id)) return judge(id);
    return runtime_.state.truth[at(comparison)];
  }
  bool is_kept(ComparisonId comparison) const { return !is_kept_ || is_kept_(comparison); }
  // For one who only looks on: comparisons of which this is false have no truth that can be read,
  // and are judged.
  void judge_unless(std::function<bool(ComparisonId)> kept) { is_kept_ = std::move(kept); }

  void abandon() {
    stack_.clear();
    values_.clear();
    trail_.clear();
    order_.abandon();
    locals_ = {};
    trial_ = {};
    remembers_ = false;
    rates_start_ = nullptr;
    on_side_ = false;
    within_ = nullptr;
  }  // after an exception

 private:
  double run_here(const plan::Code& code, plan::Truths truths);
  double variable_here(Slot& slot, int local);
  double power_here(expr::Op op, BondId bond);
  bool is_within(std::size_t slide) const {
    return within_ == nullptr || runtime_.cluster_of(runtime_.state.slides[slide]) == within_;
  }
  double projected(StateId id, double x);
  double violation(Slot& slot, int k);
  double right_side_as_given(const plan::Equation& equation);
  int mode(int32_t automaton) const;
  int64_t clock_count(int32_t clock) const;
  double signal(SignalId id);
  double tried_signal(SignalId id);
  double compute(SignalId id);
  bool judge(ComparisonId id);
  plan::Value run_optional(const plan::Code& code, plan::Truths truths);
  double right_side(const plan::Equation& equation);
  // What has been computed on an island that is solved as a whole, at the present evaluation.
  struct Scratch {
    const Island* island = nullptr;
    uint64_t stamp = 0;
    bool busy = false;
    std::vector<double> y, b, b_rate;
    std::shared_ptr<const std::vector<double>> kept;  // stands for y: solved before
    const plan::ModeCode* code = nullptr;             // whose constants are in its registers
    std::vector<double> registers;
  };
  Scratch& scratch_of(const Slot& slot);
  // What a dense output leaves of the constraints of an island.
  struct Drift {
    const Island* island = nullptr;
    uint64_t begun = 0;
    std::vector<char> is_known;      // by constraint
    std::vector<double> violations;  // the same; of an island without rows: what restores them
  };
  Drift& drift_of(const Slot& slot);
  const std::vector<double>& solve_whole(Slot& slot);
  void load_start(const Slot& slot, std::vector<double>& y) const;
  void keep_start(const Slot& slot, const std::vector<double>& y);
  // A solution of a whole island on one step of its cluster.
  struct Moment {
    const Slot* slot = nullptr;
    double t = 0;
    double end = 0;
    bool operator==(const Moment&) const = default;
  };
  Moment moment(const Slot& slot) const;
  void compute_whole(Slot& slot, Scratch& scratch);
  bool compute_by_code(const Island& island, Scratch& scratch);

  Runtime& runtime_;
  View view_;
  Who who_;
  const std::vector<double>* own_pres_ = nullptr;
  std::vector<double>* rates_start_ = nullptr;
  std::vector<std::unique_ptr<Scratch>> scratch_;  // by the first cell of an island
  std::vector<std::unique_ptr<Drift>> drifts_;     // the same
  std::function<bool(ComparisonId)> is_kept_;
  uint64_t stamp_ = 0;
  uint64_t begun_ = 0;  // states are those of the evaluation that began with this stamp
  double time_ = 0;
  bool on_side_ = false;
  const Cluster* within_ = nullptr;
  uint64_t shares_stamp_ = 0, gap_rates_stamp_ = 0;  // by begun_
  std::vector<double> shares_;
  GapRates gap_rates_;
  std::vector<double> stack_;
  std::vector<plan::Value> values_;  // registers of code that may be absent
  std::span<const double> locals_;
  std::vector<double> states_, signals_;
  std::vector<uint64_t> state_stamp_, signal_stamp_;
  std::vector<uint64_t> signal_busy_, power_busy_;  // being computed; power: effort, flow by bond
  // While an island is being solved together with what reads it: signals that read efforts or flows
  // have values of their own.
  Trial trial_;
  uint64_t trial_stamp_ = 0;
  std::vector<double> tried_signals_;
  std::vector<uint64_t> tried_stamp_, tried_busy_;
  std::vector<SignalId> trail_;
  SignalOrder order_;
  struct Kept {
    Moment moment;
    std::shared_ptr<const std::vector<double>> y;
  };
  std::vector<Kept> kept_;
  std::size_t oldest_ = 0;  // of kept_
  bool remembers_ = false;
};

template <class Work>
void FlowEvaluator::on_each_side(Work&& work) {
  on_side_ = true;
  const int count = static_cast<int>(runtime_.state.slides.size());
  for (int j = -1; j < count; ++j) {
    if (j >= 0 && !is_within(at(j))) continue;
    const OnSide side(runtime_, j);
    stamp_ = runtime_.next_stamp();
    work(j);
  }
  stamp_ = runtime_.next_stamp();
  on_side_ = false;
}

template <class Work>
void FlowEvaluator::above_all(Work&& work) {
  on_side_ = true;
  {
    const OnSide side(runtime_, OnSide::kAboveAll);
    stamp_ = runtime_.next_stamp();
    work();
  }
  stamp_ = runtime_.next_stamp();
  on_side_ = false;
}

template <class Compute>
double FlowEvaluator::mean(Compute&& compute) {
  if (runtime_.state.slides.empty() || on_side_) return compute();
  shares();
  double base = 0, sum = 0;
  bool absent = false;
  on_each_side([&](int j) {
    const double value = compute();
    absent = absent || is_absent(value);
    if (j < 0) base = value;
    if (j >= 0 && value != base) sum += shares_[at(j)] * (value - base);
  });
  return absent ? kAbsent : base + sum;
}

}  // namespace cradle::engine
