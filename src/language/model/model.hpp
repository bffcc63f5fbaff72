#pragma once
// A flat model: components expanded, loops unrolled, names resolved, types checked. Immutable after
// elaboration.    syntax::Tree ─elaborate→ model::Model
//
// Parameters are leaves of its expressions. Their values are bound later, and any number of times
// (binding.hpp); `fixed` expressions are those over constants and parameters alone.
//
// Names are the user's own, dotted: "body1", "pump.valve", "ball[3]". Order is the order of the
// text, so equal texts give equal models.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/basics/ids.hpp"
#include "cradle/diagnostic.hpp"
#include "language/elements/junction.hpp"
#include "language/expr/pool.hpp"

namespace cradle::model {

// One end of a bond: a port of an element, or a junction.
struct End {
  ElementId element;
  int port = 0;
  JunctionId junction;
};

// The half-arrow points from `from` to `to`: positive power goes that way.
struct Bond {
  std::string name;  // its label, or "v1 -> F13"
  End from, to;
  Span span;
};

struct BondEnd {
  BondId bond;
  bool inward = true;  // the half-arrow points to this element or junction
};

struct Element {
  elements::Kind kind;
  std::string name;
  Span span;
  std::vector<BondEnd> ports;
  // laws[i]: of port i. Over Local(0 … ports−1) = stored p or q of each port for stores; over
  // Local(0) = f (or e, see law_of_effort) for R.
  std::vector<ExprId> laws;
  bool law_of_effort = false;   // R only: f = law(e)
  ExprId signal;                // Se, Sf: the source; TF, GY: the modulus
  std::vector<StateId> states;  // one per port for stores
  RegionId region = {};
  std::vector<std::vector<double>> matrix = {};  // of a field, as written; its laws are the inverse
};

struct Junction {
  using Kind = elements::JunctionKind;
  using Inactive = elements::Inactive;
  Kind kind;
  Inactive inactive;
  std::string name;
  Span span;
  std::vector<BondEnd> bonds;
  AutomatonId automaton;          // invalid: an ordinary junction, always active
  std::vector<bool> active = {};  // by state of its automaton
  RegionId region = {};
};

// What a transition of a modal model gives its destination: a state, or a memory of kind Last.
struct SetAction {
  StateId state;
  MemoryId memory;
  ExprId value;
  Span span;
  ExprId entering = {};  // the value, if the mode that is left has only just been entered
};

struct Transition {
  int from = 0, to = 0;   // indices into Automaton::states
  bool physical = false;  // after eps
  ExprId guard;
  std::optional<double> priority;  // smaller comes first
  Span span;                       // the whole transition
  Span guard_span;
  // Modal models only.
  bool history = false;     // the destination keeps its state
  bool fallback = false;    // `default`: considered only if no other is enabled
  bool preemptive = false;  // the refinement that is left says nothing at that instant
  bool immediate = false;   // may be taken in the reaction that entered its source
  ExprId entering = {};     // its guard then: what the source mode says is absent
  std::vector<SetAction> sets;
};

// Of a controlled junction, or (modal) of a modal model: then its transitions are taken after the
// fixed point, and the new mode has its say from the next microstep on.
struct Automaton {
  std::string name;  // of its junction or modal model
  Span span;
  std::vector<std::string> states;
  std::vector<bool> active;  // by state
  int initial = 0;
  std::vector<Transition> transitions;
  JunctionId junction;                     // in whose body it is written
  std::vector<JunctionId> followers = {};  // that it drives, too
  // When these can move at the same moment too, this one waits (declared: priority A > B).
  std::vector<AutomatonId> yields_to;
  bool modal = false;       // no junction
  std::vector<bool> final;  // by state, modal models only: nothing moves any more
  RegionId region = {};
};

// What stands in a mode of a modal model. It is active while the automaton is in this state and the
// parent is active. Entered by a transition without history, everything in it starts anew.
struct Region {
  AutomatonId automaton;
  int state = 0;
  RegionId parent;          // invalid: always active
  std::vector<Span> items;  // as written in the mode, but for modal models and shapes
};

struct Signal {
  std::string name;
  Span span;
  ExprId value;
  bool may_be_absent = false;  // an event, or defined in some modes only
  RegionId region = {};        // whose When stands around the value
  AutomatonId gathers = {};    // a modal model, of whose modes this shows the signals of one name
  SignalId shown_by = {};      // of a mode: the signal that gathers it
};

// A continuous state. Stores: the rate is the effort (p) or flow (q) of a bond. Integrals: the rate
// is any expression; an impulse in it, or in `impulse`, adds its weight.
struct State {
  std::string name;  // "body1.p", "x1"
  Span span;
  ElementId element;  // of a store; invalid for an integral
  int port = 0;
  // Initial value: for a store, either p or q itself, or (initial_is_power) the matching f or e.
  ExprId initial;  // fixed
  bool initial_is_power = false;
  ExprId rate;     // integrals
  ExprId impulse;  // integrals; invalid: none. A number: the weight; may be absent
  RegionId region = {};
};

// What an operator keeps between instants. It changes after the fixed point, never during it.
struct Memory {
  enum class Kind {
    Delay,      // an event: the input at the instant before, if that was at the same real time
    Last,       // the input as it was when last present at an earlier instant; `initial` until then
    TimeDelay,  // an event: the input as it was `offset` earlier, at microstep 1
    HeldDelay,  // always there: the input as it was `offset` earlier; `initial` until then
    Crossing,   // true, at microstep 1 of the time at which the input crosses zero
    Schedule,   // an event at microstep 1 of offset + j · period for j = 0, 1, …
  } kind;
  enum class Direction { Rising, Falling, Either };
  std::string name;  // for messages: "delay in hit"
  Span span;
  expr::Type type = expr::Type::Number;
  ExprId input;    // not of Schedule
  ExprId initial;  // Last, HeldDelay; fixed
  Direction direction = Direction::Either;
  ExprId offset = {}, period = {};  // fixed; no period: once
  std::vector<ExprId> values = {};  // Schedule: in turn, over and over; fixed
  int64_t limit = -1;               // Schedule: how many; negative: without end
  RegionId region = {};
  // It always says something; the others are events.
  bool lasts() const { return kind == Kind::Last || kind == Kind::HeldDelay; }
};

// One of the alternatives that are enabled at the same instant.
struct Choice {
  std::string name;
  Span span;
  std::vector<ExprId> alternatives;  // booleans; absent is false
  bool by_order = false;  // the first that is enabled; otherwise the run's policy decides
};

// What transitions of a modal model put out under one name: that of the last of a chain counts.
struct Output {
  struct Part {
    int transition;
    ExprId value;
    ExprId entering;  // the value, if the mode that is left has only just been entered
  };
  AutomatonId automaton;
  SignalId signal;  // whose value has this in it
  std::vector<Part> parts;
};

// A schedule named by the model: offset + j · period for j = 0, 1, …; or an input, which ticks
// whenever it is set from outside.
struct Clock {
  ExprId offset, period;  // fixed; not of an input
  Span span = {};
  SignalId input = {};  // what it is read as; invalid: no input
  ExprId initial = {};  // of an input: fixed
};

// What an input consists of: between ticks it is value + slope · (t − since). One that is held has
// no slope.
enum class InputPart { Value, Slope, Since };

struct Column {      // what `show` names
  std::string name;  // as written: body1.p, impulse(F23.e), v [mV]
  ExprId value;
  bool scaled = false;  // the value is in the unit that the name tells
};

// What a name that is asked for from outside stands for. It adds nothing to the model.
struct Reading {
  ExprId value;          // invalid: a number
  bool impulse = false;  // b of its a + bω
  double number = 0;
};

// What `animate` draws. It only looks: a model runs the same with it and without.
struct Shape {
  enum class Kind { Circle, Box, Line } kind = Kind::Circle;
  std::string name;  // dotted: "ball", "d1.ball", "ball[3]"
  Span span;
  std::string fill;  // empty: not stated
  std::string label;
  // x, y; radius; width, height, angle; x2, y2
  struct Part {
    std::string role;
    ExprId value;  // a number; a constant where the text has one; may be absent
    Span span;
  };
  std::vector<Part> parts;
  ExprId when;  // invalid: always
  RegionId region = {};
  ExprId visible = {};  // `when`, and its mode is active; invalid: always
};

// What a run is held against. It only looks: a model runs the same with it and without.
struct Assertion {
  std::string text;     // "always x < 5"
  std::string message;  // may be empty
  std::string inside;   // the instance or mode that it stands in: "d1"; empty: the model
  Span span;            // of the condition
  bool never = false;
  ExprId condition;           // as written
  std::vector<Column> reads;  // what stands in it
  RegionId region = {};
  ExprId holds = {};  // what shall be true wherever a run stands
};

struct Parameter {
  std::string name;  // dotted path: "J_break", "d1.v_on"
  double value = 0;  // with which the model was built
  Span span;
  SlotId slot = {};  // invalid: another value needs another model
};

// Where the value of a parameter is bound: what is given from outside, or else what the text says.
struct Slot {
  std::string name;   // of the parameter
  ExprId definition;  // fixed, over parameters of other slots
  std::optional<double> given;
  ExprId leaf = {};
};

// What was decided by the value of a fixed expression when the model was built.
struct Decision {
  enum class Kind : uint8_t {
    Exactly,  // by all of it: a number of turns, a truth
    Finite,   // by its being finite
    Zero,     // by its being zero, too
    Sign,     // by its sign, too
    Asked,    // as Exactly, but nothing was made of it: what is required, and what is warned of
  } kind = Kind::Exactly;
  ExprId of;
  double value = 0;
  // Would it be the same with this value?
  bool holds(double now) const;
};

struct Model {
  std::string name;
  expr::Pool pool;
  Table<BondId, Bond> bonds;
  Table<ElementId, Element> elements;
  Table<JunctionId, Junction> junctions;
  Table<AutomatonId, Automaton> automata;
  Table<SignalId, Signal> signals;
  Table<StateId, State> states;
  Table<ClockId, Clock> clocks;
  Table<MemoryId, Memory> memories;
  Table<RegionId, Region> regions;
  Table<ChoiceId, Choice> choices;
  Table<OutputId, Output> outputs;
  std::vector<Parameter> parameters;
  Table<SlotId, Slot> slots;
  std::vector<Decision> decisions;
  std::vector<Column> show;
  std::vector<Shape> animation;
  std::vector<Assertion> assertions;
  // Nodes of the pool from here on came with the animation or behind it; nothing that runs is
  // there.
  std::size_t drawing_begins = SIZE_MAX;
  ExprId until;     // fixed; invalid: not stated
  ExprId max_step;  // of the solver: likewise

  // Whether a junction is active in this state of its automaton.
  bool is_active(JunctionId junction, int state) const {
    return junctions[junction].active[static_cast<std::size_t>(state)];
  }
  // All that an automaton drives, the one that it is written in first; none of a modal model.
  std::vector<JunctionId> junctions_of(AutomatonId automaton) const;
  // This one and all that come before it if they can move too, each once.
  std::vector<AutomatonId> with_predecessors(AutomatonId automaton) const;
  // What one transition puts out: a signal and its value.
  std::vector<std::pair<SignalId, ExprId>> outputs_of(AutomatonId automaton, int transition) const;
  // All that decides what an output says: what transitions put out, and every guard.
  std::vector<ExprId> inputs_of(const Output& output) const;

  // Every name that can be read as a signal (body1.e, F13.e, x1, F13.active, …) resolves here;
  // nullopt if there is no such thing.
  std::optional<ExprId> find(const std::string& name) const;
  // The same, and impulse(name), what `show` names, and parameters.
  std::optional<Reading> reading(const std::string& name) const;
  std::optional<SlotId> slot_of(const std::string& parameter) const;
  std::vector<std::string> readable_names() const;  // for suggestions and completion
  std::string text(ExprId e) const;                 // in the user's names, for messages
  std::string text(const expr::Node& leaf) const;
  // The coherent unit of what can be read or shown, by name, as far as the units of the text tell.
  std::unordered_map<std::string, std::string> units;
  std::string unit_of(const std::string& name) const;  // empty: not known, or a pure number
  std::unordered_map<std::string, ExprId> readable;    // filled by elaboration
  std::unordered_map<std::string, SlotId> slot_index;  // by the parameter's name
};

}  // namespace cradle::model
