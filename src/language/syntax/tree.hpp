#pragma once
// The syntax tree: what stands in one file, with positions and comments, and no meaning yet.
// text ─parse→ syntax::Tree. docs/language.md has the grammar.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cradle/diagnostic.hpp"

namespace cradle::syntax {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// ---- Expressions -------------------------------------------------------------------------------

struct Name {
  std::string text;
  Span span;
};

// a[i].b.f : segments, each with optional indices.
struct Path {
  struct Segment {
    Name name;
    std::vector<ExprPtr> indices;  // body[i] has one; grid[i, j] or grid[i][j] has two
  };
  std::vector<Segment> segments;
  Span span;
};

enum class UnaryOp { Minus, Not };
enum class BinaryOp {
  Or,
  And,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Add,
  Sub,
  Mul,
  Div,
  Pow
};

// text: as written (1e-3 stays 1e-3), and the unit behind it. The value is in SI units.
struct NumberLiteral {
  double value;
  std::string text;
  std::string unit = {};   // "mH", "m/s^2"; empty: a plain number
  std::string scale = {};  // k in 4.7k: it stands right behind the digits, and is no unit
};
struct BoolLiteral {
  bool value;
};
struct StringLiteral {
  std::string value;
};
struct PathExpr {
  Path path;
};
struct UnaryExpr {
  UnaryOp op;
  ExprPtr operand;
};
struct BinaryExpr {
  BinaryOp op;
  ExprPtr left, right;
  Span op_span;
};
struct IfExpr {
  ExprPtr condition, then, otherwise;
};  // if c then a else b
struct Argument {
  Name name;
  std::vector<Name> parameters;
  ExprPtr value;
  std::vector<std::string> comments;
};  // comments that stand before it
// An argument may be positional (name empty), named (p = 1) or a law (law(p) = p / m).
struct CallExpr {
  Name function;
  std::vector<Argument> arguments;
};
// sum(body[i].p for i in 1..N); also product, min, max, any, all; [x[i] for i in 1..N] is a list.
struct ReduceExpr {
  Name function;  // empty: a list
  ExprPtr body;
  Name variable;
  ExprPtr from, to;
};
struct ListExpr {
  std::vector<ExprPtr> items;
};  // [a, b], [[1, 0], [0, 1]]

struct Expr {
  std::variant<NumberLiteral, BoolLiteral, StringLiteral, PathExpr, UnaryExpr, BinaryExpr, IfExpr,
               CallExpr, ReduceExpr, ListExpr>
      node;
  Span span;
  bool parenthesised = false;         // written in its own parentheses, which the printer keeps
  std::vector<std::string> comments;  // that stand before it, inside an item
  int height = 1;                     // levels of expressions in it: at most kMaxHeight
};

// ---- Items -------------------------------------------------------------------------------------

struct Item;
using ItemPtr = std::unique_ptr<Item>;

struct Param {
  Name name;
  ExprPtr value;
};  // param mass = 1
struct Require {
  ExprPtr condition;
  std::string message;
};  // require N >= 1, "why"
struct Assertion {
  bool never = false;
  ExprPtr condition;
  std::string message;
};  // assert always x < 5, "why"          assert never a.active and b.active
// function area(d) = pi / 4 * d^2: put in where it is called.
struct Function {
  Name name;
  std::vector<Name> parameters;
  ExprPtr value;
};
// port a, b          port electrical p, n          input u            output y = x1 - x2
struct Port {
  enum class Kind { Power, Input, Output } kind;
  Name name;
  ExprPtr value;
  Name domain = {};  // of a power port: electrical, …; its text is empty where none is stated
};

// I body1(mass1, p = 1)   Sf impact = expr   Diode d[i](v_on = 0.7)   R r(law(f) = f^3)
// type: I C R Se Sf TF GY, or the name of a component.
struct Declaration {
  Name type;
  Path::Segment name;  // with indices, inside for
  std::vector<Argument> arguments;
  bool has_parentheses = false;
  ExprPtr value;  // the form with =
  // R r1(4.7 kOhm) from a to b: placed between two nodes; without segments: not.
  Path from = {}, to = {};
  bool is_placed() const { return !from.segments.empty(); }
};

// The comments of a block { … }: behind its opening brace, and before its closing one.
struct BlockComments {
  std::string behind_open;
  std::vector<std::string> before_close;
  bool empty() const { return behind_open.empty() && before_close.empty(); }
};

// set v = -e * v, or output bang = 1: what a transition of a modal model does.
struct Action {
  enum class Kind { Set, Output } kind = Kind::Set;
  Path target;
  ExprPtr value;
};

// In a junction's automaton, or as an item of a modal model, which alone has the words behind
// `physical`, and actions.
struct Transition {
  Name from, to;
  bool physical = false;  // after eps
  bool history = false, fallback = false, preemptive = false, immediate = false;
  ExprPtr guard;     // when …
  ExprPtr priority;  // priority 1: smaller comes first; may be null
  std::vector<ItemPtr> actions;
  BlockComments action_comments;
  Span span;
  std::vector<std::string> comments;  // as for items
  std::string trailing_comment;
  bool blank_before = false;
};

// 0 F13 initially off { active on  inactive off  off -> on after eps when … }
struct AutomatonBody {
  Name initial;  // empty: not stated
  bool has_body = false;
  std::vector<Name> active, inactive;  // both empty: active on, inactive off
  std::vector<Transition> transitions;
  std::vector<std::string> state_comments;  // before `active` and `inactive`
  BlockComments comments;
};

struct Junction {
  enum class Kind { Zero, One } kind;
  enum class Inactive { Unstated, Effort, Flow } inactive = Inactive::Unstated;  // 0/E 0/F 1/E 1/F
  Path::Segment name;
  bool controlled = false;  // has an automaton (initially … or { … })
  Path follows;             // has that of this one; its body says in which states it is active
  AutomatonBody automaton;
  bool is_follower() const { return !follows.segments.empty(); }
};

// b: v1 -> F13     a -> b -> c     b[i]: v[i] -> F[i]
struct BondChain {
  Name label;
  std::vector<Path> ends;
  std::vector<ExprPtr> label_indices;
};
struct SignalDefinition {
  Path::Segment name;
  ExprPtr value;
};  // x[i] = integral(v[i].f)
struct For {
  Name variable;
  ExprPtr from, to;
  std::vector<ItemPtr> body;
  BlockComments comments;
};
// `else if` is an otherwise of one IfItem.
struct IfItem {
  ExprPtr condition;
  std::vector<ItemPtr> then, otherwise;
  BlockComments then_comments, otherwise_comments;
};
// when e { … }: an enabled subnetwork.
struct WhenItem {
  ExprPtr condition;
  std::vector<ItemPtr> body;
  BlockComments comments;
};
// modal ball initially falling { param …  mode falling { … }  falling -> sitting when … }
struct Modal {
  Path::Segment name;
  Name initial;               // empty: not stated
  std::vector<ItemPtr> body;  // Param, Mode and Transition
  BlockComments comments;
};
struct Mode {
  Name name;
  bool is_final = false;
  std::vector<ItemPtr> body;
  BlockComments comments;
};
struct Until {
  ExprPtr value;
  ExprPtr max_step;  // may be null
};                   // until 2 max_step 0.01
struct Show {
  std::vector<ExprPtr> values;
  std::vector<Name> units = {};  // by value; empty: not stated
};                               // show body1.p, impulse(F23.e), v in mV
struct Priority {
  std::vector<Path> order;
};  // priority F12 > F23

// Two coordinates, (x, y), or one vector of two.
struct Point {
  ExprPtr x, y;  // y is null: x is the vector
};
// circle ball at (0, y) radius 0.2      box floor at (0, -0.1) size (4, 0.2)
// line rope from (x1, 2) to (x1, y1)    behind each: angle, fill, label, when
struct Shape {
  enum class Kind { Circle, Box, Line } kind = Kind::Circle;
  Path::Segment name;
  Point at;        // the middle; of a line: from
  Point end;       // of a box: its size; of a line: to
  ExprPtr radius;  // of a circle
  ExprPtr angle;   // of a box; may be null
  Name fill;       // empty: not stated
  std::string label;
  ExprPtr when;  // may be null
};
// animate { … }: what to draw of a run.
struct Animate {
  std::vector<ItemPtr> body;  // Shape, For and IfItem
  BlockComments comments;
};

struct Item {
  // Declarations and junctions that were written with commas (1 v1, v2) are one item each, in
  // order; `joined` marks those that follow a comma, so that the printer can join them again.
  // (Junctions with a body are never joined.) In every list of comments an empty string is a
  // blank line between two comments or behind the last.
  std::variant<Param, Require, Assertion, Function, Port, Declaration, Junction, BondChain,
               SignalDefinition, For, IfItem, WhenItem, Modal, Mode, Transition, Action, Until,
               Show, Priority, Shape, Animate>
      node;
  Span span;
  bool joined = false;
  std::vector<std::string> comments;  // full-line comments before it, each with its // or /* */
  std::string trailing_comment;       // on the same line, behind it
  bool blank_before = false;          // at least one empty line before it and its comments
};

struct Import {
  std::string path;
  Span span;
  std::vector<std::string> comments;
  std::string trailing_comment;
  bool blank_before = false;
};

struct Definition {  // model Name { … }, component Name { … } or block Name { … }
  bool is_model = false;
  bool is_block = false;  // a component without power ports
  Name name;
  std::vector<ItemPtr> items;
  Span span;
  std::vector<std::string> comments;
  std::string trailing_comment;               // behind the opening brace
  std::vector<std::string> closing_comments;  // before the closing brace
  bool blank_before = false;
  std::string behind_close;  // comment behind the closing brace
};

struct Tree {
  int32_t file = -1;
  std::vector<Import> imports;
  std::vector<Definition> definitions;
  std::vector<std::string> closing_comments;
};

// Never throws on bad input; reports what it finds and goes on with the rest of the file.
// Bounded: nesting deeper than kMaxNesting is a diagnostic, not a stack overflow.
// A chain a + b + … leans left, so its length is bounded too, by kMaxHeight: whoever walks a tree
// may recurse.
inline constexpr int kMaxNesting = 200;
inline constexpr int kMaxHeight = 500;
inline constexpr int kMaxSyntaxErrors = 50;  // per file; the rest is not reported
Tree parse(const Sources& sources, int32_t file, Diagnostics& diagnostics);
// A file that holds one expression and nothing else; null, with a diagnostic, if it does not.
ExprPtr parse_expression(const Sources& sources, int32_t file, Diagnostics& diagnostics);
// The same of a part of a file.
ExprPtr parse_expression(const Sources& sources, Span part, Diagnostics& diagnostics);

// The one style. parse ∘ print is the identity on trees (but for spans).
std::string print(const Tree& tree);
std::string print(const Expr& expr);

}  // namespace cradle::syntax
