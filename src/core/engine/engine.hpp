#pragma once
// The engine (semantics, section 6): a loop over its parts.
//
//   advance to t:
//     repeat while something comes before t
//       a crossing, a clock, an event: all that agree in time are one instant (instant.hpp)
//       the end of a cluster's step:   it steps on, and the comparisons that read it are watched
//     nobody passes t: those who look on see the state there
//
// All that decides how a run goes on is in the State; the parts work on it and keep nothing of
// their own. Nothing in it knows when the run shall end.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/instant.hpp"
#include "core/engine/workspace.hpp"

namespace cradle::engine {

class Engine {
 public:
  // `drawn`: recorded too, behind the others, and of no effect upon the run.
  Engine(const Plan& plan, Options options, std::vector<RecordedColumn> columns,
         std::vector<RecordedColumn> drawn = {});
  ~Engine();

  // Before the run begins; who takes its rows, or looks on, must outlive it.
  void stream_to(RowSink& sink) { onlookers_.recorder().hand_to(sink); }
  void show_to(Witness& witness) { onlookers_.show_to(witness); }

  // Goes on until at least one row has been handed over or the run has ended. False if it had ended
  // before.
  bool advance();
  // To the end that the options or the model name; or to where `pause`, which is asked between
  // instants, says so. False if it paused.
  bool run(const std::function<bool()>& pause = {});
  // To this time. False if the run has ended before.
  bool advance_to(double t);
  // One step of the agenda, or of an instant. False if the run has ended.
  bool go_on();

  // An input of the model, from where the run stands.
  void set_input(ClockId input, double value);

  const Options& options() const { return options_; }
  const Outcome& outcome() const { return outcome_; }
  const Statistics& statistics() const { return state_.statistics; }
  RowCounts row_counts() const { return onlookers_.row_counts(); }
  const BondRecord& bonds() const { return onlookers_.recorder().bonds(); }
  const RowLayout& layout() const { return onlookers_.recorder().layout(); }
  std::size_t rows() const { return onlookers_.recorder().handed_over(); }
  EnergyAudit audit() { return onlookers_.audit().result(); }
  // The choice that nothing resolved, if the run ended for it.
  const std::optional<OpenChoice>& open_choice() const { return open_choice_; }

  // What the columns are worth where the run stands.
  std::vector<std::optional<Number>> values() { return onlookers_.values(); }

  const State& state() const { return state_; }
  // Goes on from there. `decisions`: the next choices, by index among what is enabled; nullopt: as
  // far as the options have it.
  void restore(const State& state, std::optional<std::vector<int>> decisions = std::nullopt);
  // The same with what those who look on remember and have said, as bytes. load throws
  // std::runtime_error if they are not those of a run of this plan with these columns, or if a
  // warning names a place outside of the `files` that the model was read from.
  std::string save() const;
  void load(std::string_view bytes, std::size_t files);
  // From where another run of the same plan, with the same columns, stands.
  void go_on_from(const Engine& other);

 private:
  // One step of the agenda, or of an instant, if it does not lie beyond t. False: there is none.
  bool step(double t);
  template <class Work>
  void guarded(Work&& work);
  void fail(const RunFault& fault);
  void tell_slides();
  void start();
  void begin_instant(double horizon);
  void look(const Agenda::Entry& entry);
  void take(const Agenda::Entry& entry);
  void take_event(const Agenda::Entry& entry);
  void take_events_at_start();
  bool schedule(MemoryId id, int64_t number);
  void check_period(double period, double offset, int64_t limit, const Span& span) const;
  void check_clock(double period, double due, const Span& span) const;
  void step_cluster(Cluster& cluster, double horizon);
  void keep_on_borders(Cluster& cluster);
  void keep_in_place(Cluster& cluster);
  void count_work(Cluster& cluster);
  void watch_crawling(const Cluster& cluster, double begin);
  void check_progress();
  double end() const;
  void finish(double t);

  const Plan& plan_;
  const Options options_;
  State state_;
  Outcome outcome_;
  Workspace work_;
  Agenda agenda_;
  Watcher watcher_;
  Onlookers onlookers_;
  InstantMaker instant_;
  Triggers triggers_;          // of the instant that begins
  std::vector<double> bound_;  // scratch: the state of a cluster
  std::optional<OpenChoice> open_choice_;
  int64_t quiet_ = 0;  // steps since progress was last asked
};

}  // namespace cradle::engine
