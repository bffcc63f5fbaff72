#pragma once
// The state of one elaboration. The passes, in order (elaborate.cpp):
//
//   declare      unroll for and if, expand components, open modes, name everything   structure.cpp
//   follow       junctions that have the automaton of another                         automata.cpp
//   connect      bonds as written → bonds, merged through the ports of components    ports.cpp
//   domains      what is bonded is of one domain                                      domains.cpp
//   type         number, boolean or vector, for every signal; vectors are split      types.cpp
//   define       guards of modes, signals, laws, automata, what to show:             modal.cpp,
//                expressions → expr::Pool                                            laws.cpp, …
//   draw         what the animation shows of all this                                animation.cpp
//   assert       what a run is held against                                         assertions.cpp
//   derive       what der(x) is                                                     derivatives.cpp
//   units        what is added, compared or tied together has one dimension check_units.cpp
//   presence     which signals may be absent, and where they must not be             presence.cpp
//   name         every name that can be read                                         names.cpp
//
// All names are declared before any signal expression is read, so the order of the text does not
// matter. Parameters alone are computed on the way, since the structure depends on them.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cradle/bounds.hpp"
#include "language/expr/numbers.hpp"
#include "language/model/csv.hpp"
#include "language/model/elaborate.hpp"
#include "language/model/model.hpp"
#include "language/model/report.hpp"
#include "language/model/scope.hpp"

namespace cradle::model {

inline constexpr int kMaxComponentDepth = 64;
inline constexpr std::size_t kMaxPriorities = 10'000'000;  // pairs of automata
inline constexpr std::size_t kMaxFieldPorts = 500;

// A bond as written, before those that meet in the port of a component become one.
struct WireEnd {
  enum class Kind : uint8_t { Bad, Element, Junction, PortInside, PortOutside } kind = Kind::Bad;
  int32_t index = -1;  // ElementId, JunctionId or index into Elaboration::ports
  int port = -1;       // of a field; −1: not stated
  Span span;
};
struct Wire {
  Place place;
  std::string label;  // with its instance and indices; may be empty
  WireEnd from, to;
  const syntax::Path *from_path = nullptr, *to_path = nullptr;
  Span span;
  BondId bond;  // after merging
};

// A power port of one instance: where one wire from outside meets one from inside.
struct PowerPort {
  Scope* scope = nullptr;
  const syntax::Port* syntax = nullptr;
  int32_t instance = -1;              // index into Elaboration::scopes
  int32_t inside = -1, outside = -1;  // wires
};

struct InstanceSource {
  Place parent;
  const syntax::Declaration* declaration = nullptr;
};

// when e { … }: one turn of it. What stands in it is absent unless e is present and not false.
struct Enabling {
  Enabling* outer = nullptr;
  Place place;
  const syntax::Expr* condition = nullptr;
  ExprId value;  // once it has been read
};

// A signal that modes of a modal model define, as it is seen from outside: that of the active mode,
// unless a transition has something to say.
struct MergedSignal {
  struct Output {
    std::size_t transition;  // of Automaton::transitions
    const syntax::Expr* value;
    Place place;
  };
  int modal = -1;                               // index into Elaboration::modals
  std::vector<std::pair<int, SignalId>> parts;  // by state
  std::vector<Output> outputs;
};

struct SignalSource {
  Place place;
  const syntax::Expr* value = nullptr;
  Enabling* enabled = nullptr;
  const MergedSignal* merged = nullptr;
  std::optional<expr::Type> type = std::nullopt;
  bool outside = false;       // an input of the model; `value` is what it begins with
  bool is_parameter = false;  // that is a signal in this instance
  // A vector is kept as one signal for each of its items, of which the first has its place.
  std::size_t size = 0;              // of a vector; 0: no vector
  std::vector<SignalId> items = {};  // of a vector
  bool is_item = false;              // behind the first: defined with the vector
  // Where it was declared, and as what.
  Scope* scope = nullptr;
  std::string key = {};
  // What a transition can set, if its operator keeps something; by item.
  std::vector<StateId> states = {};
  std::vector<MemoryId> memories = {};
};

struct ModalSource {
  Place place;  // inside it
  const syntax::Modal* syntax = nullptr;
  AutomatonId automaton;
  std::vector<Scope*> modes;                       // by state
  std::vector<RegionId> regions;                   // by state
  std::vector<const syntax::Transition*> written;  // by transition
  bool faulty = false;                             // some transition was left out
};
struct ElementSource {
  Place place;
  const syntax::Declaration* declaration = nullptr;
  std::vector<std::vector<double>> matrix;  // of a field
  bool bad = false;                         // its matrix is; reported
};
struct JunctionSource {
  Place place;
  const syntax::Junction* syntax = nullptr;
};
struct Follower {
  Place place;
  const syntax::Junction* syntax = nullptr;
  JunctionId junction;
};
struct Deferred {
  Place place;
  const syntax::Item* item = nullptr;
};

struct ShapeSource {
  Place place;
  const syntax::Shape* syntax = nullptr;
  std::string name;
};

struct AssertionSource {
  Place place;
  const syntax::Assertion* syntax = nullptr;
};

// Of a mean: the time that has passed, which goes on always unless x may be absent.
struct Average {
  StateId passed;
  ExprId x, always;
};
// Of a count: whether the condition held before. An event that comes again counts again.
struct Counted {
  MemoryId before;
  ExprId condition;
};

// What --set, or a file of parameters, gives a parameter.
struct Override {
  Value value;
  Span span;
  bool used = false;
  const syntax::Expr* expr = nullptr;
  bool in_file = false;
};

// Where the value of a parameter stands: what it is given, its default, and what --set says.
struct ParameterSource {
  Scope* scope = nullptr;
  std::size_t at = 0;  // of Scope::parameters
  std::string name;
  Place place;
  const syntax::Expr* value = nullptr;
  Place fallback_place;
  const syntax::Expr* fallback = nullptr;
  const syntax::Expr* set = nullptr;
};

// A part that stands between two nodes, before it is bonded.
struct PlacedPart {
  Place place;
  const syntax::Declaration* declaration = nullptr;
  std::vector<int64_t> indices;
  const syntax::Item* item = nullptr;
};

// A file of a table, and what there is to say of it.
struct CsvFile {
  std::optional<Csv> csv;
  std::vector<Diagnostic> found;
};

// A call of der: the signal that it is, and of what. It is known when everything is defined.
struct Derivative {
  SignalId signal;
  ExprId of;
  Span span;
  Place place;
};

// When a random number is drawn: at an event.
struct Draw {
  ExprId event;
  Span span;
  Place place;
};

struct Requirement {
  Place place;
  const syntax::Expr* condition = nullptr;
};

// `a == b` between numbers, to be judged when all signals are known.
struct Equality {
  ExprId left, right;
  Span span;
  Place place;
};

struct Elaboration {
  Elaboration(Sources& sources_, Model& model_)
      : sources(sources_), report(sources_), model(model_) {}

  Sources& sources;
  Report report;
  Model& model;

  std::deque<Scope> scopes;                      // the first is the model's own
  std::vector<InstanceSource> instance_sources;  // by scope
  std::deque<Turn> turns;
  std::deque<Enabling> enablings;
  std::vector<ModalSource> modals;
  std::deque<MergedSignal> merged;
  std::vector<ExprId> preempted;  // by region: some preemptive guard of its mode holds; or invalid
  // The When around what is defined in a mode. Seen from inside the mode it does nothing.
  std::unordered_set<ExprId> region_wraps;
  std::deque<SignalSource> signal_sources;     // by SignalId; some are added while others are read
  std::vector<ElementSource> element_sources;  // by ElementId
  std::vector<JunctionSource> junction_sources;  // by JunctionId
  std::vector<Follower> followers;               // junctions that have the automaton of another
  std::vector<Wire> wires;
  std::vector<PowerPort> ports;
  std::vector<Deferred> shows, untils, priorities;
  std::vector<ShapeSource> shapes;
  std::vector<AssertionSource> assertions;
  std::vector<Average> averages;
  std::vector<Counted> counts;
  std::vector<PlacedPart> placed;
  // What placing them makes, as if it were written.
  std::deque<syntax::Junction> made_junctions;
  std::deque<syntax::Declaration> made_elements;
  std::deque<syntax::BondChain> made_bonds;
  std::vector<ParameterSource> parameter_sources;
  std::vector<Requirement> requirements;
  bool has_units = false;          // some number has one
  std::vector<std::size_t> shown;  // by what stands behind `show`: how many columns it takes
  // By bond: one bond for all that always have the same effort (flow), so that they share one
  // integral of it.
  std::vector<BondId> same_effort, same_flow;
  std::vector<Equality> equalities;
  bool wires_failed = false;  // some end of some bond was not found: others look unconnected then

  expr::Numbers numbers;
  std::set<std::pair<ExprId, Decision::Kind>> decided;
  std::vector<syntax::ExprPtr> settings;                     // what they were read from
  NameMap<Override> overrides;                               // by the parameter's full name
  std::function<std::string(const std::string&)> part_hint;  // Loader::part_hint
  decltype(Loader::resolve) resolve;
  std::map<std::pair<std::string, bool>, CsvFile> csv_files;  // by name, and whether it has names
  std::vector<std::string> linear_inputs;  // that move between the times they are set
  std::vector<Draw> draws;
  std::vector<Derivative> derivatives;
  std::map<std::pair<ExprId, const Scope*>, SignalId> derivative_of;  // those that are there
  std::unordered_map<ExprId, StateId> implicit_integrals;             // by rate
  std::map<std::pair<ExprId, ExprId>, ClockId> clocks;                // by period and offset

  // Between values and nodes of the pool.
  Value value(ExprId expr);
  // As part of what runs. Zeros are folded, since they take terms away.
  ExprId node(const Value& value);
  // As a number that is bound: nothing depends on what it is.
  ExprId slot(const Value& value);

  // The number of a constant, on which something is going to depend: parameters for which that
  // would be decided otherwise need another model.
  double decide(const Value& value, Decision::Kind kind = Decision::Kind::Exactly);
  double decide(ExprId fixed, Decision::Kind kind);
  bool holds(const Value& value) { return decide(value) != 0; }
  double number(ExprId fixed);
  // The value of a parameter as its readers see it.
  Value parameter(const std::string& name, const Value& definition, std::optional<double> given);
  bool may_name_more() const { return terms() < bounds.terms / 4; }
  int64_t terms() const { return static_cast<int64_t>(model.pool.size()); }
  bool is_absent(const Value& value) const;
  Value signal(SignalId id);  // read; a list, if it is a vector
  static Value list(std::vector<Value> items);

  // While everything of this region can be read: its mode and all around it are active.
  ExprId active(RegionId region);
  ExprId active_mode(const Scope& mode);
  ExprId active(const Junction& junction);  // a controlled one
  bool lies_in(RegionId region, RegionId around) const;
  // The value as others see it who may not be in that region.
  ExprId seen_from_outside(RegionId region, ExprId value);

  // Bounds. Passing one is reported once, and everything winds up.
  int64_t work = 0;
  bool stopped = false;
  // False when a bound is passed.
  bool spend(int64_t amount, Span span, const Place& place);
  bool room_for_things(Span span, const Place& place);
  void stop(Diagnostic diagnostic, const Place& place);
  void stop_recursion(Span span, const Place& place);
  Span loop;  // the outermost one that is being unrolled

  // Declares a name in the scope of `place`. False, with a diagnostic, if it is taken.
  bool declare(const Place& place, std::string_view base, const std::vector<int64_t>& indices,
               Span span, EntityKind kind, int32_t index);
  bool declare_shape(const Place& place, const syntax::Shape& shape,
                     const std::vector<int64_t>& indices);
  std::string full_name(const Scope& scope, std::string_view base,
                        const std::vector<int64_t>& indices) const;

  BuildBounds bounds;
};

// Notes the outermost loop while it is being unrolled, for messages.
class LoopMark {
 public:
  LoopMark(Elaboration& e, Span span) : e_(e), outermost_(!e.loop.known()) {
    if (outermost_) e_.loop = span;
  }
  ~LoopMark() {
    if (outermost_) e_.loop = {};
  }
  LoopMark(const LoopMark&) = delete;
  LoopMark& operator=(const LoopMark&) = delete;

 private:
  Elaboration& e_;
  bool outermost_;
};

// ---- passes ------------------------------------------------------------------------------------

void declare_everything(Elaboration& e, const Component& model);
void follow_automata(Elaboration& e);
void connect_bonds(Elaboration& e);
void check_domains(Elaboration& e);
void infer_types(Elaboration& e);
void split_vectors(Elaboration& e);
void define_guards_of_modes(Elaboration& e);
void define_signals(Elaboration& e);
void define_actions_of_modes(Elaboration& e);
void define_elements(Elaboration& e);
void define_automata(Elaboration& e);
void define_priorities(Elaboration& e);
void define_shown(Elaboration& e);
void define_until(Elaboration& e);
void define_derivatives(Elaboration& e);
void define_animation(Elaboration& e);
void define_assertions(Elaboration& e);
void check_units(Elaboration& e);
void analyse_presence(Elaboration& e);
void warn_of_equalities(Elaboration& e);
void collect_readable_names(Elaboration& e);

}  // namespace cradle::model
