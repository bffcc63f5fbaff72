#pragma once
// All that decides how a run goes on: one value that can be copied, compared, saved and loaded.
// Whatever else a run keeps is scratch, or follows from this and the plan.

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/basics/pile.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/series.hpp"
#include "core/plan/value.hpp"
#include "core/solve/solver.hpp"
#include "cradle/cradle.hpp"

namespace cradle::engine {

using plan::ComparisonId;
using plan::Plan;
using plan::UnitId;

// Which transitions are meant: those judged on committed values, those judged on the mode that is
// being tried, or those of modal models.
enum class TransitionKind { Physical, Inference, Modal };

struct Move {
  AutomatonId automaton;
  int transition = 0;
  bool entering = false;  // its mode has only just been entered, in the same reaction
  bool operator==(const Move&) const = default;
};

// What brought an instant about.
struct Triggers {
  std::vector<ComparisonId> comparisons;
  std::vector<ClockId> clocks;
  std::vector<std::pair<MemoryId, plan::Value>> events;
  bool start = false;
  bool operator==(const Triggers&) const = default;
};

// An input between the times at which it is set: value + slope · (t − since).
struct Held {
  double value = 0, slope = 0, since = 0;
  double part(model::InputPart which) const {
    return which == model::InputPart::Value   ? value
           : which == model::InputPart::Slope ? slope
                                              : since;
  }
  bool operator==(const Held&) const = default;
};

// How far a comparison has been watched, and what comes of it.
struct Watch {
  enum class Due : uint8_t { Nothing, Crossing, Look };
  double checked = 0;             // no change up to here
  Due due = Due::Nothing;         // what is on the agenda of it
  double due_at = 0;              // and when
  double window = 0;              // of what is looked at at once, as the gap asked for it last
  int64_t looks = 0;              // without a change so far
  double margin = 0;              // > 0: it began within rounding of zero, and has to leave that
  bool ahead = false;             // its truth is that at `checked`: see Watcher::hand_over
  bool turning = false;           // of a detector: ready again, but still going back
  double not_before = -HUGE_VAL;  // events accumulate there: not watched until it has passed
  bool operator==(const Watch&) const = default;
};

// What evolves together in a mode has a time and a solver of its own: by the first of its units.
struct Course {
  double at = 0;         // x is valid at this time
  double end = 0;        // dense output reaches to here
  bool stepped = false;  // there is dense output
  double step_hint = 0;
  solve::Motion motion;
  // Where Newton's method begins when rates are computed, and did at the origin of the motion: by
  // variable of those islands that are solved as a whole.
  std::vector<double> start, start_at_origin;
  // Where positions that constraints bind were last seen (positions.hpp).
  std::vector<double> seen;
  bool operator==(const Course&) const = default;
};

// What is known of a mode that was left: how a solver had better begin there.
struct Hint {
  double step = 0;
  bool stiff = false;
  bool operator==(const Hint&) const = default;
};

// Of a solver: since when, and what it has done since.
struct Pace {
  double since = -1;
  double lately = -1;  // the same of its last steps alone
  int64_t steps = 0, rejected = 0;
  bool operator==(const Pace&) const = default;
};

// The last intervals between the moves of one automaton or memory (zeno.hpp).
struct ZenoHistory {
  static constexpr int kIntervals = 8;  // how many have to agree
  double last = -1;
  double intervals[kIntervals] = {};
  int count = 0;
  // How many intervals in a row have shrunk, and the one at half and at a quarter of that number.
  int64_t shrunk = 0;
  double half = 0, quarter = 0;
  double estimate = 0;  // of the limit, when it was last looked for
  bool operator==(const ZenoHistory&) const = default;
};

// A modal model that is in one of two modes on either side of a border.
struct Relay {
  AutomatonId automaton;
  int above = 0, below = 0;  // its modes where the border's gap is positive and negative
  bool operator==(const Relay&) const = default;
};

// A border that the run goes along (sliding.hpp).
struct Slide {
  ComparisonId border;
  std::vector<Relay> relays;
  double since = 0;
  double noise = 0;  // what rounding makes of its gap
  double reach = 0;  // what the tolerance does: as far from zero it still is on the border
  bool operator==(const Slide&) const = default;
};

// One that it went along.
struct Slid {
  ComparisonId border;
  double begin = 0, end = 0;
  bool operator==(const Slid&) const = default;
};

// Decisions that were made: random numbers, and of a script.
struct Drawn {
  uint64_t draws = 0;
  std::size_t decisions = 0;
  bool operator==(const Drawn&) const = default;
};

// What a memory will say at one of the coming microsteps.
struct Said {
  MemoryId id;
  plan::Value value;
  bool operator==(const Said&) const = default;
};

// An event to come, of a time delay: when it is due, and what it says.
struct Future {
  double time = 0;
  int64_t order = 0;
  MemoryId memory;
  plan::Value value;
  bool operator==(const Future&) const = default;
};

struct Detector {
  char rising = 1, falling = 1;  // truths of its comparisons
  bool live = false;             // they have been looked at since its mode was entered
  bool operator==(const Detector&) const = default;
};

// What one instant, or one step of it, has touched so far.
struct Touched {
  std::vector<AutomatonId> candidates;  // automata to be judged
  std::vector<MemoryId> memories;       // memories that have to look at their inputs
  std::vector<UnitId> units;
  std::vector<AutomatonId> moved;
  std::vector<ComparisonId> comparisons;  // whose truth may have changed other than by evolving
  std::vector<JunctionId> switched;       // at the present ε-step
  std::vector<MemoryId> spoken;
  void clear();
  void swap(Touched& other) noexcept;
  bool operator==(const Touched&) const = default;
};

// An instant that is under way, between two of its microsteps.
struct Progress {
  bool under_way = false;
  bool at_epsilon = true;  // an ε-step begins; otherwise a microstep
  int k = 0, n = 0;
  bool jumped = false;    // at the last ε-step
  bool happened = false;  // something does happen here
  bool is_start = false;
  Touched touched, last, total;
  std::vector<ComparisonId> flipped;               // whose truth has changed
  std::vector<AutomatonId> held;                   // that wait for others
  Pile<Move> trail;                                // moves by inference from this x
  Pile<std::pair<int32_t, int>> tried;             // modes: automaton, state
  std::vector<std::pair<int32_t, int>> signature;  // of the present one
  // Where inference began, of the automata that it has moved, and whether it moves them one at a
  // time by now.
  std::vector<std::pair<AutomatonId, int>> begun;
  bool pivoting = false;
  double roundings = plan::Coefficient::kRoundings;  // with which modes are judged
  std::vector<UnitId> projected;                     // onto the constraints of the mode of arrival
  std::vector<StateId> changed;                      // x other than on arrival
  std::vector<AutomatonId> moved;                    // since then
  bool operator==(const Progress&) const = default;
};

struct State {
  // Time, and where automata, stores and memories stand.
  double now = 0;
  Instant at;
  bool started = false;
  std::vector<double> x;          // by state: at the time its course arrived at
  std::vector<double> arrival_x;  // on arrival at the present ⟨t + kε⟩
  std::vector<double> initial_x;  // what a mode that is entered begins with
  std::vector<double> worth;      // the largest magnitude so far: rounding is judged by it
  // By automaton; on arrival at the present ⟨t + kε⟩, and at the last commit, from which modes are
  // tried.
  std::vector<int> mode, arrival_mode, settled_mode;
  std::vector<char> truth;  // by comparison, frozen while time flows
  // By comparison, of detectors: by how much the last crossing was passed when it was located. What
  // comes back to there has crossed again, though it may not have come back to the level itself.
  std::vector<double> passed_by;
  std::vector<int64_t> clock_count, arrival_clock_count;  // by clock: periods begun
  // By clock, of inputs; and on arrival at the present ⟨t + kε⟩.
  std::vector<Held> held, arrival_held;
  std::vector<std::optional<double>> set_to;  // by clock, of inputs: from outside, at `reached`
  double reached = 0;                         // nobody has to look before this time again
  std::vector<int64_t> scheduled;             // by memory, of schedules: the next event; −1: none
  std::vector<double> pre_value;              // by pre
  // By element: the real time at which its impulse last acted. A source that is always present
  // gives an impulse once at a real time, however many ε-steps that takes.
  std::vector<double> struck_at;
  std::vector<plan::Value> memory;  // what each memory says at the present microstep
  std::vector<plan::Value> given;   // by memory: what a held delay was last given
  std::vector<Detector> detectors;  // by memory
  std::vector<Said> next, later;    // to be said at the next microstep, and behind it
  std::vector<Said> quiet;          // changes that nobody sees, so that no microstep is needed
  std::vector<MemoryId> speaking, silenced;
  std::map<int64_t, Future> futures;  // by order
  int64_t order = 0;                  // of the next one
  Progress instant;
  std::vector<Slide> slides;

  // How time goes on.
  std::vector<Course> courses;  // by the first unit of a cluster
  std::vector<Watch> watches;   // by comparison
  std::vector<double> start;    // by bond: effort and flow where Newton's method begins
  std::unordered_map<uint64_t, Hint> hints;  // by the key of a cluster's mode

  Drawn drawn;

  // What bounds are held against, and what is said of them.
  std::vector<Pace> paces;             // by the first unit of a cluster
  std::vector<ZenoHistory> histories;  // by automaton, then by memory
  double last_event_time = -1;
  int64_t chatter = 0;
  uint32_t instants = 0;
  bool running = false;  // the first instant, which is no event, is over
  Statistics statistics;
  uint64_t mode_hash = 0;
  std::set<uint64_t> modes_seen;
  std::vector<Move> last_moves;
  std::vector<ComparisonId> last_comparisons;
  std::vector<Slid> slid;  // the first of them
  int64_t slid_count = 0;

  State(const Plan& plan, const Options& options);

  bool is_active(const Plan& plan, JunctionId junction) const;
  bool is_active(const Plan& plan, RegionId region) const;  // also of no region at all

  bool operator==(const State&) const = default;
  // Do both stand at the same place, whatever way led there? Steps of solvers, counts and what is
  // only kept for messages do not matter.
  bool is_same_place(const State& other) const;
  uint64_t hash() const;  // equal for those at the same place

  std::string save() const;
  // Throws std::runtime_error if the bytes are not those of a state of this plan.
  static State load(std::string_view bytes, const Plan& plan, const Options& options);
};

}  // namespace cradle::engine
