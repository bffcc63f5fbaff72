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
//         signals ← the least fixed point                 on demand, see tick_evaluator.hpp
//         record ⟨t + kε, n⟩
//         if inference transitions are enabled: move them and try again from the same x;
//             a mode tried before from this x is an error, with the cycle
//         commit x ← x⁺, memories; take transitions of modal models
//         if a store jumped, or no memory has anything to say and no modal model moved: stop
//       if nothing jumped and no physical transition is enabled: stop
//
// All work at an instant is on what it touches: the clusters at the junctions that switch, the
// automata and relations that read them.

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/basics/pile.hpp"
#include "core/engine/audit.hpp"
#include "core/engine/choices.hpp"
#include "core/engine/clusters.hpp"
#include "core/engine/flow_evaluator.hpp"
#include "core/engine/memories.hpp"
#include "core/engine/recorder.hpp"
#include "core/engine/runtime.hpp"
#include "core/engine/tick_evaluator.hpp"
#include "core/engine/witness.hpp"
#include "core/engine/zeno.hpp"
#include "cradle/cradle.hpp"

namespace cradle::engine {

class Engine {
 public:
  // `drawn`: recorded too, behind the others, and of no effect upon the run.
  Engine(const Plan& system, Options options, std::vector<RecordedColumn> columns,
         std::vector<RecordedColumn> drawn = {});

  // Before the run begins; who takes its rows must outlive it.
  void stream_to(RowSink& sink) { recorder_.hand_to(sink); }
  // Goes on until at least one row has been handed over or the run has ended. False if it had ended
  // before.
  bool advance();
  void run();

  const Options& options() const { return options_; }
  const BondRecord& bonds() const { return recorder_.bonds(); }
  const Outcome& outcome() const { return outcome_; }
  const RowLayout& layout() const { return recorder_.layout(); }
  std::size_t rows() const { return recorder_.handed_over(); }
  const Statistics& statistics() const { return statistics_; }
  // The choice that nothing resolved, if the run ended for it.
  const std::optional<OpenChoice>& open_choice() const { return open_choice_; }
  // All that decides how the run goes on: modes, states, memories, clocks.
  std::vector<double> state() const;
  EnergyAudit audit() const;
  // It must outlive the run.
  void show_to(Witness& witness) { witness_ = &witness; }

 private:
  using Signature = std::vector<std::pair<int32_t, int>>;  // automaton, state
  // What one instant, or one step of it, has touched so far.
  struct Touched {
    std::vector<AutomatonId> candidates;  // automata to be judged
    std::vector<MemoryId> memories;       // memories that have to look at their inputs
    std::vector<UnitId> units;
    std::vector<AutomatonId> moved;
    std::vector<RelationId> relations;  // whose truth may have changed other than by evolving
    std::vector<JunctionId> switched;   // at the present ε-step
    std::vector<RelationId> noisy;      // true by rounding alone, and let be
    std::vector<MemoryId> spoken;
    bool seen = false;  // a recorded column changes, if nothing else
    void clear();
    void swap(Touched& other) noexcept;
  };
  struct Entry {  // of the agenda
    double time;
    enum class Kind : uint8_t { Crossing, Clock, Event, TimeWatch, Sample, ClusterEnd } kind;
    int64_t id;
    uint64_t version;
    bool operator>(const Entry& o) const {
      if (time != o.time) return time > o.time;
      if (kind != o.kind) return kind > o.kind;
      return id > o.id;
    }
  };

  // evolve (engine.cpp)
  std::unique_ptr<Sketch> sketch_of(std::vector<RecordedColumn> drawn);
  void start();
  void step_agenda();
  void finish();
  void gather_and_tick(const Entry& first);
  void schedule(MemoryId id, int64_t j);
  void check_period(double period, double offset, int64_t limit, const Span& span) const;
  void take_event(const Entry& entry, Triggers& triggers);
  void take_events(double t);
  void step_cluster(Cluster& cluster);
  void check_progress();
  void check_rows() const;
  void watch_crawling(const Cluster& cluster, double begin);
  void fail(const RunFault& fault);
  template <class Work>
  void guarded(Work&& work);
  [[noreturn]] void solver_failure(const Cluster& cluster, solve::StepResult result);
  Cluster* cluster_at(int64_t unit, uint64_t version);

  // instants (tick.cpp)
  void instant(double t, const Triggers& triggers);
  bool microsteps(int k, bool& jumped);
  bool infer(int k, int n);
  void complete_tick();
  bool find_reaction();
  bool is_preempted(RegionId region) const;
  bool react(bool& jumped);
  void happen();
  Scene scene() { return {runtime_, tick_, arrival_, memories_, audit_}; }
  bool commit();
  void check_resistors(Slot& slot);
  RegionId region_of(const Island& island) const;
  void commit_integrals(const Cluster& cluster);
  void settle(const Touched& touched);
  bool is_settled();
  bool is_noise(const std::vector<Move>& moves);
  double noise_of(RelationId relation);
  void mode_signature(const std::vector<Move>& moves, Signature& out) const;
  void leave_instant(Touched& touched);
  void watch_accumulation(const Touched& touched, double t);
  void add_relation(RelationId relation);
  void add_relations(const std::vector<RelationId>& relations);
  void add_relations_of(AutomatonId automaton);
  void add_partners(RelationId relation);
  void refresh_all(Touched& touched);
  void restart(Cluster& cluster);
  void clusters_of(const std::vector<UnitId>& units, std::vector<Cluster*>& out) const;
  void warn_undefined(const Instant& at);
  void warn_thinned(double t);
  void warn(Diagnostic diagnostic);
  void remember_pres(const std::vector<Cluster*>& clusters);
  void remember_pres(const std::vector<PreId>& pres);
  void collect_pre_readers(const std::vector<Cluster*>& clusters);
  void refresh_truths(std::span<const RelationId> relations);

  // who has to look again (touch.cpp)
  void add_candidate(AutomatonId automaton);
  void add_memory(MemoryId memory);
  void add_readers(UnitId unit);
  void add_readers(AutomatonId automaton);
  void touch_unit(UnitId unit);
  void touch_units(const std::vector<UnitId>& units);
  void touch_cluster(Cluster& cluster);
  void touch_speaking();
  void touch_changed(const Touched& last);
  void first_touch(const Triggers& triggers);
  void next_touch();
  void next_microstep();
  void accumulate();

  // transitions (moves.cpp)
  const model::Transition& transition_of(const Move& move) const;
  bool is_enabled(AutomatonId id, int transition, bool clearly);
  void find_open(AutomatonId id, TransitionKind kind, bool clearly);
  void find_moves(TransitionKind kind, std::vector<Move>& out, bool clearly = false);
  void hold_back(std::vector<Move>& moves);
  template <class T>
  static void remember(std::vector<T>& last, const T& item) {
    if (last.size() == kRemembered) last.erase(last.begin());
    last.push_back(item);
  }
  void move_to(AutomatonId automaton, int state);
  void apply(const std::vector<Move>& moves);
  void follow_immediate();
  const std::vector<RegionId>& regions_in(AutomatonId automaton, int state) const;
  void enter(const Move& move);
  void reset(RegionId region);
  void assign(const model::SetAction& set, double value);

  // watching relations (watch.cpp)
  bool is_live(RelationId id) const;
  RelationId awaited_by(const plan::CompiledTransition& transition) const;
  bool is_awaited(RelationId id, const plan::CompiledTransition& transition) const;
  bool is_private(RelationId id) const { return private_[at(id)] != 0; }
  bool matters(RelationId id) const;
  const plan::CompiledTransition* only_reader(RelationId id) const;
  RelationId find_blocking(RelationId id, double t);
  RelationId hand_over(RelationId id, double t);
  template <class Gap>
  RelationId hand_over_early(RelationId id, double end, Gap&& gap);
  void rewatch(std::span<const RelationId> relations);
  void begin_watch(RelationId relation);
  bool turns_back(RelationId id);
  void scan(RelationId relation);
  RelationId look_ahead(RelationId id, bool may_hand_over);
  double horizon(const plan::Relation& relation, bool& timed) const;
  template <class Search>
  std::optional<double> search_detector(RelationId id, double end, Search&& search);
  template <class Search>
  std::optional<double> after_turning(RelationId id, double end, std::optional<double> found,
                                      Search&& search);
  void watch_cluster(Cluster& cluster);
  void watch_noisy(const Touched& touched);

  // rows (record.cpp)
  void record_before();
  void record_tick(int k, int n);
  void record_evolving(double t);
  void record_step(double t);
  void record_failure();
  void record_unfinished(RowKind kind);
  void record_undecided();

  // what to say when something is wrong (faults.cpp)
  RunFault describe(const plan::IslandFault& fault) const;
  RunFault describe(const LoopFault& fault) const;
  RunFault describe(const plan::ArithmeticFault& fault) const;
  RunFault mode_cycle(const Pile<Move>& trail, std::size_t from) const;
  RunFault bound_reached(const char* option, int64_t limit, const char* what) const;
  RunFault too_many_rows() const;
  void add_pattern(Diagnostic& d) const;
  void accumulate_at(const Accumulation& found);
  RunFault impulse_on_resistor(const Slot& slot, ElementId resistor, double p, double q) const;
  Diagnostic describe_unknown(const LoopFault& fault, const std::string& when) const;
  RunFault describe(const OpenChoice& open) const;
  RunFault chattering() const;
  RunFault crawling(const Cluster& cluster, double since) const;
  RunFault immediate_cycle(AutomatonId automaton, int state) const;
  [[noreturn]] void check_continuity(StateId integral) const;
  void report_created(double amount, const std::vector<JunctionId>& switched);
  std::string mode_of(const std::vector<AutomatonId>& automata) const;
  Span place_of(ExprId expr) const;

  const Plan& system_;
  Options options_;
  Statistics statistics_;
  Runtime runtime_;
  FlowEvaluator flow_, arrival_;
  Choices choices_;
  TickEvaluator tick_;
  Memories memories_;
  Clusters clusters_;
  Audit audit_;
  Recorder recorder_;
  ZenoWatch zeno_;
  bool thinned_ = false;
  Outcome outcome_;
  std::optional<OpenChoice> open_choice_;
  struct Blame {  // what was being computed when arithmetic failed, if that was no signal
    Span span;
    std::string what;
  };
  Blame blame_;

  double until_ = 0;
  Instant now_;
  bool started_ = false;
  bool started_running_ = false;  // the first instant is not an event
  double last_event_time_ = -1;
  int64_t chatter_ = 0;
  std::vector<double> restart_scratch_;
  uint64_t version_ = 0;
  // The last moves of automata, and the last relations that brought an instant about; for messages.
  static constexpr std::size_t kRemembered = 12;
  std::vector<Move> last_moves_;
  std::vector<RelationId> last_relations_;
  std::vector<PreId> shown_pres_;        // that a recorded column reads, and no rate does
  std::vector<PreId> drawn_pres_;        // that only what is drawn reads
  std::vector<char> integral_may_jump_;  // by state
  std::vector<char> relation_is_shown_;  // by relation: a recorded column reads it
  std::vector<char> private_;            // by relation: nobody but guards asks for its truth
  std::vector<char> clock_is_shown_;     // by clock
  int64_t quiet_ = 0;                    // agenda entries since progress was last asked
  int64_t samples_taken_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> agenda_;

  struct Watch {
    double checked = 0;    // no change up to here
    uint64_t version = 0;  // agenda entries of older versions are stale
    bool pending = false;  // a crossing is on the agenda
    double window = 0;     // how far to look ahead where no solver chooses a step
    double found = -1;     // the last change
    double margin = 0;     // > 0: true by rounding alone; matters once the gap exceeds this
    bool ahead = false;    // its recorded truth is that at `checked`: see hand_over
    bool turning = false;  // of a detector: ready again, but still going back
    double not_before = -HUGE_VAL;  // events accumulate there: not watched until it has passed
  };
  std::vector<Watch> watches_;  // by relation
  struct Pace {                 // of a solver: since when, and what it has done since
    double since = -1;
    int64_t steps = 0, rejected = 0;
  };
  std::vector<Pace> paces_;            // by the first unit of a cluster
  std::vector<Cluster*> pre_readers_;  // clusters with states whose rates read pre, in order
  std::vector<double> initial_x_;      // by state
  std::map<int64_t, Memories::Future> futures_;  // of time delays, by order
  bool has_bonds_ = false;

  // The present instant. Kept, so that a tick allocates nothing.
  Touched touched_, last_, total_;
  std::vector<Move> moves_, reaction_, clear_moves_;
  std::vector<AutomatonId> held_;
  std::vector<int> open_;
  std::vector<double> impulses_;
  Pile<Move> trail_;
  Pile<Signature::value_type> tried_;
  Signature signature_;
  std::vector<RegionId> preempted_;  // regions that are left by force at this microstep
  Assignments sets_;
  std::vector<std::pair<StateId, double>> plus_;
  std::vector<Cluster*> clusters_scratch_, leaving_;
  std::vector<UnitId> changed_units_;
  std::vector<RelationId> changed_relations_;
  std::vector<RelationId> flipped_;   // whose truth has changed at the present instant
  std::vector<RelationId> watching_;  // to be watched anew when time goes on
  std::vector<uint32_t> relation_mark_;
  Triggers triggers_;
  bool happened_ = false;
  bool integrals_jumped_ = false;  // at the present microstep
  bool late_jump_ = false;         // by an impulse in their derivative
  bool is_start_ = false;
  Witness* witness_ = nullptr;
  bool watched_ = false;  // the witness looks at this instant

  uint64_t mode_hash_ = 0;
  std::unordered_set<uint64_t> modes_seen_;
  std::vector<uint32_t> automaton_mark_, unit_mark_, memory_mark_;
  std::vector<uint32_t> instant_mark_;  // by unit: touched at the present instant
  std::vector<uint32_t> spoken_mark_;   // by memory: it spoke at the present instant
  uint32_t instants_ = 0;
  uint32_t mark_ = 0;
};

}  // namespace cradle::engine
