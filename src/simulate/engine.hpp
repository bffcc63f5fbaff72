#pragma once
// The engine (semantics, section 6).
//
//   evolve:  repeat until the end time
//     t ← the earliest of: a crossing, a clock, the end of some cluster's step, a grid point
//     a crossing or a clock: an instant at t
//     the end of a cluster's step: step that cluster on and watch the relations that read it
//
//   instant at t:
//     for k = 0, 1, …                                     ε-steps
//       move automata on physical transitions, judged on committed x
//       for n = 0, 1, …                                   microsteps
//         x⁺, impulses ← jump(mode, x)                    on demand, always from x
//         record ⟨t + kε, n⟩
//         if no inference transition is enabled: stop
//         move them; a mode tried before from this x is an error, with the cycle
//       commit x ← x⁺
//       if nothing jumped and no physical transition is enabled: stop
//
// All work at an instant is on what it touches: the clusters at the junctions that switch, the
// automata and relations that read them.

#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <set>
#include <unordered_set>
#include <vector>

#include "cradle/cradle.hpp"
#include "simulate/audit.hpp"
#include "simulate/clusters.hpp"
#include "simulate/flow_evaluator.hpp"
#include "simulate/runtime.hpp"
#include "simulate/tick_evaluator.hpp"
#include "simulate/zeno.hpp"

namespace cradle::simulate {

// What to record: a name and what it is worth.
struct RecordedColumn {
  std::string name;
  ExprId value;
};

class Engine {
 public:
  Engine(const HybridSystem& system, Options options, std::vector<RecordedColumn> columns);

  // Goes on until at least one row has been added to the trajectory or the run has ended. False if
  // it had ended before.
  bool advance();
  void run();

  const Outcome& outcome() const { return outcome_; }
  const Trajectory& trajectory() const { return trajectory_; }
  const Statistics& statistics() const { return statistics_; }
  EnergyAudit audit() const;

 private:
  struct Move {
    AutomatonId automaton;
    int transition;
  };
  // What brought an instant about.
  struct Triggers {
    std::vector<RelationId> relations;
    std::vector<ClockId> clocks;
    bool start = false;
  };
  // What one instant has touched so far.
  struct Touched {
    std::vector<AutomatonId> candidates;  // automata to be judged
    std::vector<UnitId> units;
    std::vector<AutomatonId> moved;
    std::vector<RelationId> relations;  // whose truth may have changed other than by evolving
    std::vector<JunctionId> switched;   // at the present ε-step
    std::vector<RelationId> noisy;      // true by rounding alone, and let be
    bool seen = false;                  // a recorded column changes, if nothing else
  };
  struct Entry {  // of the agenda
    double time;
    enum class Kind : uint8_t { Crossing, Clock, TimeWatch, Sample, ClusterEnd } kind;
    int64_t id;
    uint64_t version;
    bool operator>(const Entry& o) const {
      if (time != o.time) return time > o.time;
      if (kind != o.kind) return kind > o.kind;
      return id > o.id;
    }
  };

  // evolve (engine.cpp)
  void start();
  void step_agenda();
  void finish();
  void gather_and_tick(const Entry& first);
  void step_cluster(Cluster& cluster);
  void check_progress();
  void fail(const RunFault& fault);
  template <class Work>
  void guarded(Work&& work);
  [[noreturn]] void solver_failure(const Cluster& cluster, solve::StepResult result);
  Cluster* cluster_at(int64_t unit, uint64_t version);

  // instants (tick.cpp)
  void instant(double t, const Triggers& triggers);
  // False: nothing at all happens at this instant.
  bool microsteps(Touched& touched, int k, bool& happened, std::size_t& last_row);
  void mode_signature(const Touched& touched, const std::vector<int>& begin,
                      const std::vector<Move>& moves,
                      std::vector<std::pair<int32_t, int>>& out) const;
  bool is_noise(Touched& touched, const std::vector<Move>& moves);
  double noise_of(RelationId relation);
  void watch_noisy(const Touched& touched);
  // `clearly`: by more than tolerance and rounding.
  std::vector<Move> enabled(std::vector<AutomatonId>& candidates, bool physical,
                            std::vector<AutomatonId>& held, bool clearly = false);
  int choose(AutomatonId automaton, const std::vector<int>& enabled) const;
  void apply(const std::vector<Move>& moves, Touched& touched);
  bool commit(Touched& touched);
  void check_resistors(Slot& slot);
  bool commit_integrals(const Cluster& cluster, std::vector<std::pair<StateId, double>>& plus);
  void touch_units(Touched& touched, const std::vector<UnitId>& units);
  void touch_cluster(Touched& touched, Cluster& cluster);
  void add_candidate(Touched& touched, AutomatonId automaton);
  Touched first_touch(const Triggers& triggers);
  Touched next_touch(const Touched& last, const std::vector<AutomatonId>& held);
  void accumulate(Touched& total, const Touched& last);
  void leave_instant(Touched& touched);
  void restart(Cluster& cluster);
  void report_created(double amount, const std::vector<JunctionId>& switched);
  void warn_undefined(std::size_t column, const Instant& at);
  void warn(Diagnostic diagnostic);
  void settle(Touched& touched);
  bool is_settled(Touched& touched);
  std::vector<Cluster*> clusters_of(const std::vector<UnitId>& units);
  void remember_pres(const std::vector<Cluster*>& clusters);
  void touch_pre_readers(Touched& touched);
  void collect_pre_readers(const std::vector<Cluster*>& clusters);
  void happen(Touched& touched, bool& happened);
  void refresh_truths(const std::vector<RelationId>& relations);

  // watching relations (watch.cpp)
  bool is_live(RelationId id) const;
  void rewatch(RelationId relation);
  void scan(RelationId relation);
  double horizon(const compile::Relation& relation, bool& timed) const;
  void watch_cluster(Cluster& cluster);

  // rows (record.cpp)
  void record_value(std::size_t row, std::size_t column, const Number& value);
  void record_before();
  std::size_t record_tick(int k, int n);
  void record_evolving(double t);
  void record_failure();
  void record_modes(std::size_t row);

  // what to say when something is wrong (faults.cpp)
  RunFault describe(const compile::IslandFault& fault) const;
  RunFault describe(const LoopFault& fault) const;
  RunFault describe(const compile::ArithmeticFault& fault) const;
  RunFault mode_cycle(const std::vector<std::vector<Move>>& trail, std::size_t from) const;
  RunFault bound_reached(const char* option, int64_t limit, const char* what) const;
  void add_pattern(Diagnostic& d) const;
  RunFault accumulation(const Accumulation& found) const;
  RunFault impulse_on_resistor(const Slot& slot, ElementId resistor, double p, double q) const;
  RunFault ambiguous(AutomatonId automaton, const std::vector<int>& transitions) const;
  std::string mode_of(const std::vector<AutomatonId>& automata) const;

  const HybridSystem& system_;
  Options options_;
  std::vector<RecordedColumn> columns_;
  Statistics statistics_;
  Runtime runtime_;
  FlowEvaluator flow_, arrival_;
  TickEvaluator tick_;
  Clusters clusters_;
  Audit audit_;
  ZenoWatch zeno_;
  Trajectory trajectory_;
  Outcome outcome_;

  double until_ = 0;
  Instant now_;
  bool started_ = false;
  bool started_running_ = false;  // the first instant is not an event
  double last_event_time_ = -1;
  int64_t chatter_ = 0;
  // The last moves of automata, and the last relations that brought an instant about; for messages.
  static constexpr std::size_t kRemembered = 12;
  std::deque<Move> last_moves_;
  std::deque<RelationId> last_relations_;
  std::vector<double> restart_scratch_;
  uint64_t version_ = 0;
  std::vector<char> integral_may_jump_;  // by state
  std::vector<char> undefined_;          // by column: it has been said that it is not a number
  std::vector<char> relation_is_shown_;  // by relation: a recorded column reads it
  std::vector<char> clock_is_shown_;     // by clock
  std::vector<PreId> shown_pres_;        // that a recorded column reads, and no rate does
  int64_t quiet_ = 0;                    // agenda entries since progress was last asked
  int64_t samples_taken_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> agenda_;

  struct Watch {
    double checked = 0;    // no change up to here
    uint64_t version = 0;  // agenda entries of older versions are stale
    bool pending = false;  // a crossing is on the agenda
    double margin = 0;     // > 0: true by rounding alone; matters once the gap exceeds this
  };
  std::vector<Watch> watches_;         // by relation
  std::vector<Cluster*> pre_readers_;  // clusters with states whose rates read pre, in order
  uint64_t mode_hash_ = 0;
  std::unordered_set<uint64_t> modes_seen_;
  std::vector<uint32_t> automaton_mark_, unit_mark_;
  std::vector<uint32_t> instant_mark_;  // by unit: touched at the present instant
  uint32_t instants_ = 0;
  uint32_t mark_ = 0;
};

}  // namespace cradle::simulate
