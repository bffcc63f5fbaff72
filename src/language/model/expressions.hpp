#pragma once
// syntax::Expr ─evaluate→ Value: names resolved, parameters folded, types checked.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/model/elaboration.hpp"

namespace cradle::model {

// Whose expression it is: integrals inside it are named after it.
struct Owner {
  const std::string* name = nullptr;
  Span span;
  int integrals = 0, derivatives = 0;
  // What operators in it keep, in the order in which they were read: a transition can set it.
  std::vector<StateId> states = {};
  std::vector<MemoryId> memories = {};
};

// The arguments of a function of the model whose body is being read.
struct Bound {
  const Bound* outer = nullptr;  // of the function in which it is called
  const syntax::Function* function = nullptr;
  std::vector<Value> values;  // by position
  const Value* find(std::string_view name) const;
};

struct Context {
  Place place;
  enum class Known : uint8_t {
    Parameters,  // while names are being declared: parameters and loop variables, nothing else
    Constants,   // everything is declared, but the value has to be known when the model is built
    Signals,
  } known = Known::Signals;
  std::string_view what = {};  // for messages: "the bound of a loop"
  Owner* owner = nullptr;
  const std::vector<syntax::Name>* locals = nullptr;  // arguments of a law
  const Bound* bound = nullptr;                       // in the body of a function
  bool quiet = false;

  explicit Context(Place place_) : place(place_) {}
  Context constants(std::string_view what_) const {
    Context context = *this;
    if (known == Known::Signals) context.known = Known::Constants;
    context.what = what_;
    return context;
  }
};

Value evaluate(Elaboration& e, const Context& context, const syntax::Expr& expr);

// The expression as a number (a boolean); an invalid id, with a diagnostic, if it is none.
// `user` needs it: "`+`", "the guard of F13".
ExprId evaluate_number(Elaboration& e, const Context& context, const syntax::Expr& expr,
                       const std::string& user);
ExprId evaluate_boolean(Elaboration& e, const Context& context, const syntax::Expr& expr,
                        const std::string& user);
bool is_of_kind(Elaboration& e, const Context& context, const Value& value, Value::Kind kind,
                Span span, const std::string& user);
ExprId expect(Elaboration& e, const Context& context, const Value& value, Value::Kind kind,
              Span span, const std::string& user);

// Values that have to be known when the model is built. `what` as in Context.
// A number that is known before the run, whatever the parameters are: nothing is decided by it.
std::optional<Value> fixed_number(Elaboration& e, const Context& context, const syntax::Expr& expr,
                                  std::string_view what);
// These are decided by, and need another model where they change.
std::optional<double> constant_number(Elaboration& e, const Context& context,
                                      const syntax::Expr& expr, std::string_view what);
std::optional<bool> constant_boolean(Elaboration& e, const Context& context,
                                     const syntax::Expr& expr, std::string_view what);
std::optional<int64_t> constant_integer(Elaboration& e, const Context& context,
                                        const syntax::Expr& expr, std::string_view what);
void report_not_constant(Elaboration& e, const Context& context, Span span);

// Vectors of equal length, or no vectors. Reports what does not fit; `spans` are those of `values`.
bool have_one_shape(Elaboration& e, const Context& context, const std::vector<Value>& values,
                    const std::vector<Span>& spans, const std::string& user);
// The function on values of one shape: once, or item by item.
using ItemFunction = std::function<Value(const std::vector<Value>& items)>;
Value item_by_item(const std::vector<Value>& values, const ItemFunction& function);

// The operator on values of the right kind; constants are computed at once.
Value combine(Elaboration& e, expr::Op op, const Value& a);
Value combine(Elaboration& e, expr::Op op, const Value& a, const Value& b);

const char* noun(Value::Kind kind);  // "a number"
// A number or boolean that is read as one of this kind: `absent` fits everywhere.
ExprId node_of_kind(Elaboration& e, const Value& value, Value::Kind kind);
bool is_absent_literal(const syntax::Expr& expr);

// ---- paths.cpp ---------------------------------------------------------------------------------

bool evaluate_indices(Elaboration& e, const Context& context, const syntax::Path::Segment& segment,
                      std::vector<int64_t>& indices);
bool evaluate_indices(Elaboration& e, const Context& context, const std::string& name,
                      const std::vector<syntax::ExprPtr>& exprs, std::vector<int64_t>& indices);

// What a path leads to, through instances, as far as it is one thing.
struct Target {
  Scope* scope = nullptr;  // where it was declared
  const Entity* entity = nullptr;
  std::vector<int64_t> indices;  // behind it: of a list, or of a port of a field
  std::size_t next = 0;          // the first segment behind it: a member
};
bool resolve(Elaboration& e, const Context& context, const syntax::Path& path, Target& target);

Value read_path(Elaboration& e, const Context& context, const syntax::Path& path);
// Does the expression read what only a run knows? It may be read before all names are declared.
bool reads_signals(Elaboration& e, const Place& place, const syntax::Expr& expr);
// Its name with all indices computed: ball[3].mass. Empty if an index is at fault.
std::string path_name(Elaboration& e, const Context& context, const syntax::Path& path);
// "an inertia", "a 0-junction", …
std::string describe(const Elaboration& e, const Entity& entity);

// ---- user_functions.cpp: function f(x) = … -----------------------------------------------------

// The function of this name that can be called there, and the scope in which it stands; or null.
const syntax::Function* find_function(const Scope* scope, std::string_view name, Scope** home);
Value call_user_function(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                         Span span, const syntax::Function& function, Scope* home);

// ---- tables.cpp --------------------------------------------------------------------------------

Value call_table(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span);
Value call_table2(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span);
// What the file of a table(…) says that x and the values are in, if it is in a file that says so.
struct TableUnits {
  std::optional<units::Unit> x, value;
};
TableUnits units_of_table(Elaboration& e, const Context& context, const syntax::CallExpr& call);

// ---- presence.cpp ------------------------------------------------------------------------------

// By node of the pool: what is always absent while time flows, and so changes at instants only.
std::vector<bool> absent_while_time_flows(Elaboration& e);

// ---- derivatives.cpp: der(x) -------------------------------------------------------------------

Value call_der(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span);

// ---- functions.cpp -----------------------------------------------------------------------------

Value call(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span);
// Is it computed from what happens in a run, whatever its arguments are?
bool is_function_of_run(std::string_view name);
Value reduce(Elaboration& e, const Context& context, const syntax::ReduceExpr& reduction,
             Span span);

// ---- memories.cpp: what a run remembers --------------------------------------------------------

// The arguments in the order of `names`, null where one is left out. False: reported.
bool match_arguments(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                     Span span, const std::vector<std::string_view>& names, std::size_t required,
                     std::vector<const syntax::Expr*>& matched);
Value integral(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span,
               const std::string& name);
std::string next_integral_name(const Context& context);
Value clock_function(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                     Span span);
// The effort (flow) of which p (q) of this bond is the integral.
ExprId rate_of_integral(Elaboration& e, BondId bond, bool momentum);
// p or q of a bond: its store's own, or an integral that is made when it is first read.
Value read_integral_of_bond(Elaboration& e, BondId bond, bool momentum, const std::string& name,
                            Span span);

// ---- statistics.cpp: what has been so far ------------------------------------------------------

Value mean_of_run(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span);
Value count_of_run(Elaboration& e, const Context& context, const Value& condition, Span span);

// ---- events.cpp: what may be absent ------------------------------------------------------------

bool is_event_function(std::string_view name);
// Whether it keeps something from one instant to the next.
bool is_event_memory(std::string_view name);
std::vector<std::string> function_names();  // all that can be called, sorted
Value call_event_function(Elaboration& e, const Context& context, const syntax::CallExpr& call,
                          Span span);

// ---- outputs.cpp -------------------------------------------------------------------------------

// The value as what the signal is: one number or boolean, or the items of a vector. Empty, with a
// diagnostic, if it is something else.
std::vector<ExprId> nodes_of(Elaboration& e, const Context& context, SignalId signal,
                             const Value& value, Span span, const std::string& user);

// ---- equalities.cpp ----------------------------------------------------------------------------

// Whether its value moves while time flows, and not only at instants.
// `rests`: what is known to change at instants only.
bool changes_continuously(const Model& model, ExprId expr,
                          const std::function<bool(ExprId)>& rests = nullptr);

// ---- types.cpp ---------------------------------------------------------------------------------

inline expr::Type signal_type(const Elaboration& e, SignalId signal) {
  return e.signal_sources[static_cast<std::size_t>(signal.index)].type.value_or(expr::Type::Number);
}

}  // namespace cradle::model
