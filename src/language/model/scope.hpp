#pragma once
// Names while a model is being built. Every instance of a definition has a scope: a table from
// names with their indices ("ball[3]") to what was declared. A definition sees its own names only;
// what lies in an instance is reached with a dot. Modal models and their modes have scopes too, and
// see what stands around them.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/expr/pool.hpp"
#include "language/model/library.hpp"

namespace cradle::model {

// What an expression comes to. Bad: something was wrong with it, and that has been reported.
// Constants enter the pool only when something that is not constant needs them: loops and indices
// compute many that leave no trace.
//
// A constant that parameters determine has an expression, too, and its number is that of the
// present values. Whoever lets the structure depend on the number has to say so:
// Elaboration::decide.
struct Value {
  enum class Kind : uint8_t { Bad, Number, Boolean, List, Text } kind = Kind::Bad;
  bool constant = false;
  double now = 0;                                   // of a constant; booleans are 0 and 1
  ExprId expr;                                      // of all but literal constants and lists
  std::shared_ptr<const std::vector<Value>> items;  // of a list

  bool bad() const { return kind == Kind::Bad; }
  static Value of(Kind kind, double value) { return {kind, true, value, {}, nullptr}; }
  static Value number(double value) { return of(Kind::Number, value); }
  static Value boolean(bool value) { return of(Kind::Boolean, value ? 1 : 0); }
};

enum class EntityKind : uint8_t {
  Family,     // all body[…] together; index: how many indices each has
  Parameter,  // index into Scope::parameters
  Signal,     // SignalId; also inputs and outputs
  Vector,     // SignalId of its first item
  Element,    // ElementId
  Junction,   // JunctionId
  Label,      // of a bond: index into Elaboration::wires
  Port,       // index into Elaboration::ports
  Instance,   // index into Elaboration::scopes
  Modal,      // a modal model: index into Elaboration::scopes
  Mode,       // of a modal model: index into Elaboration::scopes
  Faulty,     // its declaration was at fault; nothing more is said of it
};

struct Entity {
  EntityKind kind = EntityKind::Family;
  int32_t index = -1;
  Span span;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>()(text);
  }
};
template <class T>
using NameMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

// A signal that a mode defines; the modal model gathers those of all its modes.
struct OwnSignal {
  std::string base;
  std::vector<int64_t> indices;
  SignalId signal;
  Span span;
};

struct Scope {
  const Component* component = nullptr;
  const Scope* parent = nullptr;
  Scope* outer = nullptr;  // of a mode or modal model: what it sees beyond its own names
  std::string prefix;      // "" for the model, "pump.valve." for an instance
  int depth = 0;           // of instances
  RegionId region;
  int state = -1;              // of a mode: its place in the automaton
  int modal = -1;              // of a mode or modal model: index into Elaboration::modals
  std::vector<OwnSignal> own;  // of a mode
  NameMap<Entity> names;
  NameMap<Span> shapes;           // of `animate`: they may be called as what they draw
  std::vector<Value> parameters;  // by position in Component::parameters
  // Something in it could not be declared, for a reason that has been reported: a loop whose bound
  // is at fault, an index. What its text declares may then be missing.
  bool incomplete = false;

  const Entity* find(std::string_view key) const {
    auto place = names.find(key);
    return place == names.end() ? nullptr : &place->second;
  }
  bool is_mode() const { return state >= 0; }
  bool is_modal() const { return outer != nullptr && !is_mode(); }
};

// One turn of a `for` or of a comprehension.
struct Turn {
  const Turn* outer = nullptr;
  std::string_view variable;
  int64_t value = 0;
};

// Where an item or an expression is read: in which instance, in which turn of its loops.
struct Place {
  Scope* scope = nullptr;
  const Turn* turn = nullptr;
};

const Turn* find_turn(const Turn* turn, std::string_view variable);

// body[3], grid[1][2]: the name under which an indexed thing is kept and shown.
std::string indexed_name(std::string_view base, const std::vector<int64_t>& indices);

}  // namespace cradle::model
