#pragma once
// Those who look on while a run goes on: the recorder, the energy audit, a witness of instants, and
// who holds the run against what the model asserts. The engine tells them what happens, in the
// order in which it does; nothing that they do changes the run, and what they find amiss are
// warnings.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/assertions.hpp"
#include "core/engine/audit.hpp"
#include "core/engine/curves.hpp"
#include "core/engine/eyes.hpp"
#include "core/engine/faults.hpp"
#include "core/engine/recorder.hpp"
#include "core/engine/witness.hpp"

namespace cradle::engine {

class Onlookers {
 public:
  // `drawn`: recorded too, behind the others.
  Onlookers(Runtime& runtime, const Watcher& watcher, Clusters& clusters, const Choices& choices,
            Outcome& outcome, std::vector<RecordedColumn> columns,
            std::vector<RecordedColumn> drawn);

  Recorder& recorder() { return recorder_; }
  const Recorder& recorder() const { return recorder_; }
  Audit& audit() { return audit_; }
  void show_to(Witness& witness) { witness_ = &witness; }

  // While time flows.
  void begin();             // the first state is there
  void begin_anew();        // the run stands elsewhere, and what was found is forgotten
  void flows_to(double t);  // nothing happens before t: rows of the grid, and of what changes
  void ends_step(Cluster& cluster);  // at the end of its course
  void shows_step(double t);         // which ends there, and no instant begins
  void stops_at(double t);           // the run ends, or rests, there
  void judges_books();               // the run has come to its end
  void breaks_off();                 // whatever can be computed where time stands

  // Throws where as many rows as can be kept are recorded.
  void check_rows() const;

  // Inside an instant.
  void arrives(const Triggers& triggers);
  void happens();  // what stood before is to be seen
  void moves(TransitionKind kind, const std::vector<Move>& moves, const Assignments& sets);
  void settles();                 // a fixed point
  void has_no_end(RowKind kind);  // no fixed point, or nothing that says how to go on
  void leaves_as(RowKind kind);
  void leaves_by_inference();
  void begins_over();  // inference came round: from its beginning on, one automaton at a time
  void commits();      // before x ← x⁺
  void jumps(Slot& slot, const std::vector<JunctionId>& switched);
  void committed();
  void ends_instant(bool happened);

  // What the columns are worth where the run stands; nothing where that cannot be computed.
  std::vector<std::optional<Number>> values();
  // Of what is recorded: the last values at this instant.
  Pattern pattern() const;
  void warn(Diagnostic diagnostic);
  RowCounts row_counts() const;

  // What they have to remember to go on looking.
  struct Memory {
    Audit::Books books;
    Recorder::Memory recorder;
    Curves::Memory curves;
    std::vector<double> pres;
    int64_t samples = 0;
    double looked_to = 0;
    bool thinned = false;
    Assertions::Memory assertions;
    bool operator==(const Memory&) const = default;
  };
  Memory memory() const;
  void remember(const Memory& memory);

 private:
  void find_shown();
  Moment moment(InstantEvaluator::View view);
  void add_row(double t, Recorder::Cause cause = Recorder::Cause::Step, bool again = false);
  void add_rows_before(double t);  // of the grid, and of turns_
  void follow(double from, double to, double shown_to);
  void warn_undefined(const Instant& at);
  bool is_strained();
  void find_shared(InstantEvaluator::View view);
  void know_shared();
  std::optional<double> next_change(double from, double to);
  std::optional<double> change_of(ComparisonId comparison, double from, double to);

  Runtime& runtime_;
  const Watcher& watcher_;
  Clusters& clusters_;  // for code, which follows from what is in force
  Outcome& outcome_;
  Eyes eyes_;
  Recorder recorder_;
  Audit audit_;
  Assertions assertions_;
  Curves curves_;
  std::vector<double> turns_;  // rows to be added, up to looked_to_
  Witness* witness_ = nullptr;
  bool witnessed_ = false;  // the witness looks at this instant
  bool thinned_ = false;
  bool has_bonds_;
  std::vector<PreId> pres_;                       // that only onlookers read
  std::vector<ComparisonId> comparisons_;         // that they show
  std::vector<char> clock_is_shown_;              // by clock
  std::vector<std::vector<plan::CellId>> cells_;  // by column: that it reads
  std::vector<uint32_t> shared_;                  // columns
  bool knows_shared_ = false;                     // of what is in force
  bool clock_ticked_ = false;                     // one that is shown
  bool input_ticked_ = false;                     // where somebody may have looked already
  double looked_to_ = 0;
  int64_t samples_ = 0;  // of the grid, so far
};

}  // namespace cradle::engine
