#pragma once
// Cradle as a library: load a model, set parameters, check it, simulate it at once or instant by
// instant, read what happened by name. Includes no third-party header.
//
//   cradle::Model model = cradle::Model::load("models/mosterman/cradle.cradle");
//   if (!model.ok()) { std::cerr << model.diagnostics_text(); return 1; }
//   model.set("J_break", 0.95);
//   cradle::Simulation run(model, {.until = 2});
//   while (run.advance()) std::cout << to_string(run.now()) << ' ' << run.value("body1.p")->finite;

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "cradle/instant.hpp"
#include "cradle/number.hpp"
#include "cradle/setting.hpp"
#include "cradle/trajectory.hpp"

namespace cradle {

const char* version();

enum class SolverKind { Automatic, Explicit, Stiff, Exact };

// Where a model leaves open what happens, who decides: nobody (an error), the order of the text, a
// seeded generator. `choose` with a declared order is resolved by it, unless chance decides. All:
// every choice is open, also one with a declared order, and ends the run (for explore).
enum class ChoicePolicy { Error, Order, Random, All };
// What to do where events accumulate (Zeno): end the run, or report it and go on as far as it goes.
enum class ZenoPolicy { Stop, Report };

// What an input of a model is over time: one value at each time, in ascending order. Two values at
// one time are a leap. Before the first time it is what the model says, behind the last what it
// was.
struct InputSignal {
  std::string name;
  std::vector<double> times, values;
  enum class Between { Held, Linear } between = Between::Held;
};

// How what is computed over and over is computed; results are the same to the bit.
enum class CodeKind {
  Automatic,    // as machine code, where it has been computed often and there can be some
  Interpreted,  // without machine code
  Machine,      // as machine code from the beginning, where there can be some
};

struct Options {
  std::optional<double> until;  // default: the model's own end time
  double relative_tolerance = 1e-9;
  double absolute_tolerance = 1e-15;  // of e, f and integrals; of stores times m or c, if below 1
  SolverKind solver = SolverKind::Automatic;
  double max_step = 0;  // 0: what the model says, or no bound
  CodeKind code = CodeKind::Automatic;
  // What to record: names, or beginnings of names (body1: all that can be read of body1), as in
  // --select. Empty: what the model shows; without that, all states and signals.
  std::vector<std::string> select;
  bool select_everything = false;
  bool record = true;  // false: no rows at all (the audit and counts stay)
  // false: rows go to those who take them (Simulation::stream_to), and none is kept. A run then
  // needs no more memory the longer it is.
  bool keep_trajectory = true;
  bool record_steps = true;  // false: only instants at which something happened
  double every = 0;          // > 0: rows at start + j · every as well
  // Rows also where a recorded column turns, and where straight lines between rows would miss it by
  // more than a thousandth of its range; some 32 between two steps at most. Changes no other row.
  bool every_turn = false;
  // false: the trajectory keeps rows and no curves between them (Trajectory::sample).
  bool record_curves = true;
  // What `animate` draws, in columns animate.… behind the others: see Model::animation. It changes
  // no other value, and no row is added for it.
  bool record_animation = false;
  // > 0: room for so many numbers. As it fills up, steps of the solver are recorded further apart.
  int64_t room_for_steps = 0;
  int64_t max_rows = 0;  // > 0: the same in rows; a run that would record more ends there
  // > 0: efforts and flows of all bonds as well (Simulation::bonds), about this many numbers; and
  // so many instants told (told_instant in explain.hpp). Neither changes the run.
  int64_t record_bonds = 0;
  int64_t tell_instants = 0;
  bool audit = true;  // energy audit
  // Bounds on every loop (semantics, section 6). Passing one ends the run with a diagnosis.
  int64_t max_microsteps = 1000;       // n at one ⟨t + kε⟩
  int64_t max_epsilon_steps = 100000;  // k at one t
  int64_t max_events = 100000000;      // instants of real time with an event
  int64_t max_steps = 1000000000;      // solver steps
  int64_t max_chatter = 10000;         // events in a row that are a rounding error apart
  double zeno_resolution = 1e-10;      // a geometric accumulation nearer than this ends the run
  ZenoPolicy zeno = ZenoPolicy::Stop;
  ChoicePolicy choice = ChoicePolicy::Error;
  uint64_t seed = 0;
  std::vector<InputSignal> inputs;  // those that are not set by Simulation::set_input
  std::vector<int> decisions;       // the first choices of the run, by index among what is enabled
  int64_t mode_cache_bytes = 256 << 20;  // analysed modes kept in memory
  // Called now and then with the present time; returning false ends the run (Ctrl-C).
  std::function<bool(double t)> progress;
};

enum class Ending {
  Finished,       // reached the end time
  Running,        // not ended yet
  Cancelled,      // progress() said so
  ModelError,     // the model has no meaning here: mode cycle, no solution, …
  BoundReached,   // one of the bounds above
  Accumulation,   // events accumulate (Zeno)
  SolverFailure,  // the solver cannot go on: not finite, step too small
};
const char* to_string(Ending ending);

// A time through which a run went along a border that both of its sides push back to (sliding).
struct SlidAlong {
  std::string border;  // "x = 0"
  double begin = 0, end = 0;
};

// An assertion of the model that did not hold. The run goes on.
struct Violation {
  std::string assertion;   // "always x < 5", as written
  std::string message;     // what the model says of it; may be empty
  std::string inside;      // the instance or mode that it stands in: "d1"; empty: the model
  Instant at;              // the first
  std::string values;      // what the condition reads, there: "x = 5.2, limit = 5"
  bool undecided = false;  // it may have held, or not: from there on nobody could tell
};

struct Outcome {
  Ending ending = Ending::Running;
  Instant at;
  std::vector<SlidAlong> slides;  // the first thousand, in the order in which they ended
  int64_t slide_count = 0;
  // Why it ended early, assertions that did not hold, or warnings (energy created).
  std::vector<Diagnostic> diagnostics;
  int64_t assertions = 0;  // how many were judged
  std::vector<Violation> violations;
  bool finished() const { return ending == Ending::Finished; }
};

// Energy, section 9. Store: change of stored energy. Source: energy delivered. Resistor, switch:
// energy dissipated. In a sound run stored = delivered − dissipated, up to the tolerance.
struct EnergyEntry {
  std::string name;
  enum class Kind { Store, Source, Resistor, Switch } kind;
  double flowing = 0;  // over real intervals
  double jumping = 0;  // across jumps
};
struct EnergyAudit {
  std::vector<EnergyEntry> entries;
  double stored_start = 0, stored_end = 0;
  double delivered = 0, dissipated = 0, dissipated_by_switching = 0;
  double residual = 0;  // stored_end − stored_start − delivered + dissipated + by switching
};

struct Statistics {
  int64_t events = 0;      // instants of real time at which something happened
  int64_t microsteps = 0;  // ticks
  int64_t epsilon_steps = 0;
  int64_t jumps = 0;
  int64_t mythical = 0, pinnacles = 0;
  int64_t modes_visited = 0;  // distinct valuations of all automata
  int64_t islands_analysed = 0, islands_reused = 0;
  int64_t solver_steps = 0, rejected_steps = 0, evaluations = 0;
  bool operator==(const Statistics&) const = default;
};

// Why there are rows.
struct RowCounts {
  int64_t events = 0;     // inside instants
  int64_t steps = 0;      // of solvers, and where a recorded comparison changes
  int64_t grid = 0;       // Options::every
  int64_t turns = 0;      // Options::every_turn
  bool left_out = false;  // there were more turns than were recorded
  bool operator==(const RowCounts&) const = default;
};

// Efforts and flows of all bonds at some rows: those of events, and others as many as fit.
struct BondRecord {
  std::vector<std::string> bonds;  // their labels, or "v1 -> F13"
  std::vector<uint32_t> rows;      // of the trajectory, ascending
  std::vector<float> values;       // row by row: effort, flow of the first bond, of the next, …
  struct Impulse {
    uint32_t row = 0, bond = 0;
    double p = 0, q = 0;  // weights of the effort and of the flow
  };
  std::vector<Impulse> impulses;
};

struct ModeSelection {  // automaton = state, for `causality --mode`
  std::vector<std::pair<std::string, std::string>> states;
};

// Graph reduction: the model with fewer bonds, as a text that `Model::load_text` reads and that
// runs the same.
struct ReductionStep {
  // merge: junctions of one kind; merge-controlled: an ordinary and a controlled one; vanish: a
  // junction of two bonds; combine: TF and GY in series; unit: TF of modulus 1; empty: a junction
  // without bonds
  std::string rule;
  std::string what;  // in the model's own names
  std::string why;
};
struct Reduction {
  std::string text;  // empty if there are diagnostics
  std::vector<ReductionStep> steps;
  // Every name that can be read in the model, and what to read in the text.
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<Diagnostic> diagnostics;  // what the language cannot say
  bool ok() const { return diagnostics.empty(); }
};

// One shape of a model's animation. Coordinates are the model's own, x to the right and y upwards;
// at, the middle of a circle or box, angles in radians, counter-clockwise. A shape is not drawn
// where a part of it is absent, or a size is negative.
struct Shape {
  enum class Kind { Circle, Box, Line } kind = Kind::Circle;
  std::string name;  // with its instance: "ball", "d1.ball", "ball[3]"
  // black, orange, sky, green, yellow, blue, vermilion, purple or grey: Okabe and Ito's; black is
  // whatever colour text has
  std::string fill;
  std::string label;  // may be empty
  struct Part {
    // x, y; radius; width, height and, if it is given, angle; x2, y2 of a line, which begins at x,
    // y; visible, if it is not always, which is 0 or 1
    std::string role;
    std::string column;  // of the trajectory, with Options::record_animation; empty: a constant
    double constant = 0;
  };
  std::vector<Part> parts;
  Span span;  // of its name in the text
};

// A value: copies share what has been read and worked out, and `set` changes one copy only. Any
// number of simulations, on any number of threads, may use one model.
class Model {
 public:
  // Reads the file and everything that it imports. Never throws for a faulty model: see ok().
  // `root`: a folder; imports that lead out of it, also by links, are refused. Empty: none are.
  static Model load(const std::string& path, const std::vector<Setting>& settings = {},
                    const std::string& root = {});
  // The text as if it stood in the file `name`.
  static Model load_text(std::string name, std::string text,
                         const std::vector<Setting>& settings = {}, const std::string& root = {});
  Model(const Model&);
  Model& operator=(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  bool ok() const;
  const std::vector<Diagnostic>& diagnostics() const;
  std::string diagnostics_text() const;
  std::string render(const Diagnostic& diagnostic) const;  // with the model's own source lines
  const Sources& sources() const;

  // Changes a parameter and builds the model anew; diagnostics() says if that failed. Simulations
  // and copies that exist already keep the value that they have.
  Model& set(const std::string& name, double value);
  Model& set(const Setting& setting);  // also a boolean or a list: model.set({"masses", "[1, 2]"})

  // What can be found without running: causality conflicts, modes without a solution, … in the
  // initial mode and, up to `max_modes`, in those that switching can reach.
  std::vector<Diagnostic> check(int max_modes = 256) const;
  // Strokes, dependent stores and algebraic loops of one mode (default: the initial one), or of
  // all of them up to max_modes.
  std::string causality_text(const ModeSelection* mode = nullptr, int max_modes = 64) const;
  std::string causality_json(const ModeSelection* mode = nullptr, int max_modes = 64) const;

  // By the classical equivalences of bond graphs, where the relations of hybrid ones allow them.
  // Parameters stand under their names, and the text declares them, but for those by whose
  // number it is decided what the model is; `values`: numbers in place of all of them, which rules
  // may use.
  Reduction reduce(bool values = false) const;

  std::string name() const;
  std::optional<double> until() const;
  std::vector<std::pair<std::string, double>> parameters() const;
  // What can be set while it runs, and what it begins with.
  std::vector<std::pair<std::string, double>> inputs() const;
  std::vector<std::string> readable_names() const;
  std::vector<Shape> animation() const;  // in the order of the text, which is that of drawing
  std::vector<std::string> automata() const;
  std::vector<std::string> automaton_states(const std::string& automaton) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }
  const std::shared_ptr<const Impl>& shared_impl() const { return impl_; }

 private:
  explicit Model(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

class Simulation {
 public:
  // The model must be ok(). It may change or go while the simulation stays.
  // Throws std::invalid_argument if options.select or options.inputs name something that does not
  // exist, or if values of an input are not finite or not in order.
  explicit Simulation(const Model& model, const Options& options = {});
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  // Hands rows over as they are made: all rows of an instant at once, when it is over; each row
  // while time flows at once. Before the run begins, and for as many as you like; the sink must
  // outlive the run. What it throws ends the run and comes out of advance() or run().
  Simulation& stream_to(RowSink& sink);

  // To the next recorded instant. False when the run has ended: see outcome().
  bool advance();
  // To the end.
  const Outcome& run();
  // To the end, or to where `pause` says so: it is asked between instants, where a run can best be
  // saved. True if it paused; then it can go on.
  bool run_until(const std::function<bool()>& pause);
  // To this time, which need not be known before: nothing in a run depends on where it is looked
  // at. The last row is at t. False if the run has ended before.
  bool advance_to(double t);

  // Sets an input of the model where the run stands: at the time of the last advance_to or of the
  // last row. It holds until it is set again. Guards that read it react at once, when the run goes
  // on. Throws std::invalid_argument if there is no such input or the value is not finite.
  Simulation& set_input(const std::string& name, double value);

  // All that decides how the run goes on, as bytes. Another simulation of the same model with the
  // same options that loads them goes on to the bit as this one would, and its warnings are those
  // of the whole run. `load` throws
  // std::runtime_error, and changes nothing, if they are not those of such a run.
  std::string save() const;
  void load(std::string_view bytes);
  // Another run from where this one stands, with the rows so far; both go on on their own.
  Simulation clone() const;

  Instant now() const;
  RowKind kind() const;
  std::optional<Number> value(const std::string& name) const;  // a recorded name, at now()
  std::string mode(const std::string& automaton) const;

  const Outcome& outcome() const;
  const Trajectory& trajectory() const;  // no rows unless options.keep_trajectory
  std::size_t rows() const;              // handed over so far
  EnergyAudit audit() const;
  const Statistics& statistics() const;
  RowCounts row_counts() const;
  const Options& options() const;
  const BondRecord& bonds() const;  // empty unless options.record_bonds asks for them

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// All outcomes of all choices that a model leaves open (semantics, section 8), as a tree in which
// equal states are one node.
struct ExploreOptions {
  int64_t max_runs = 1000000;  // each goes from one open choice to the next
  double tolerance = 1e-9;     // outcomes that differ by no more, relatively, are one answer
  int threads = 1;             // 0: as many as there are cores; the result is the same
};
struct ExploredChoice {
  Instant at;
  std::string name;                       // of the choice or the automaton
  std::vector<std::string> alternatives;  // "1", "2"; or the states that transitions lead to
  std::vector<int> next;                  // by alternative: a choice, or −1 − an outcome
  double probability = 0;                 // of coming here
};
struct ExploredOutcome {
  Outcome outcome;
  double probability = 0;      // under a fair choice at each node
  double paths = 0;            // that lead here; more than 2⁵³ are not counted to the last
  std::vector<int> decisions;  // of the first of them
  std::vector<std::pair<std::string, std::optional<Number>>>
      values;  // what is recorded, at the end
  std::vector<std::pair<std::string, std::string>> modes;
};
struct Exploration {
  std::vector<ExploredChoice> choices;    // the first is the root
  std::vector<ExploredOutcome> outcomes;  // right answers are those that finished
  std::size_t answers() const;
  int64_t runs = 0;
  int64_t merged = 0;  // how often an equal state was met again
  // Assertions of the model that some run violates, each where that is first.
  std::vector<Violation> violations;
  bool complete = true;  // false: max_runs was reached, or progress() said stop
};
Exploration explore(const Model& model, Options options, const ExploreOptions& explore = {});

// `./cradle fmt`: the text in the one style, or nullopt with diagnostics if it does not parse.
std::optional<std::string> format_source(const std::string& name, const std::string& text,
                                         std::string& diagnostics_text);

}  // namespace cradle
