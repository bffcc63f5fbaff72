#pragma once
// Expressions on recorded numbers. A comparison whose sides a rounding error could swap is not
// decided, and neither is what depends on it: a recorded number says nothing there.

#include <functional>
#include <map>

#include "cradle/number.hpp"
#include "theory/hypa/vocabulary.hpp"

namespace cradle::conform {

struct Value {
  enum class State : uint8_t { Unknown, Absent, Present } state = State::Unknown;
  Number number;
  double size = 0;  // of what was added up: the scale for rounding errors
  // The part in 1/δ (strain.hpp), and the magnitudes of that.
  double strain = 0, strain_size = 0;

  static Value unknown() { return {}; }
  static Value absent() { return {State::Absent, {}, 0, 0, 0}; }
  static Value present(Number number, double size) { return {State::Present, number, size, 0, 0}; }
  static Value truth(bool b) { return present(Number(b ? 1 : 0), 0); }
  bool is_present() const { return state == State::Present; }
  bool is_unknown() const { return state == State::Unknown; }
  bool is_true() const { return is_present() && number.finite != 0; }
  bool is_false() const { return is_present() && number.finite == 0; }
};

// By variable and mark.
using Lookup = std::function<Value(hypa::VariableId, hypa::Mark)>;

// On the border between two modes, where both sides of a comparison are equal, it is the future
// that decides, of which a row says nothing: `border` says whether the comparison is decided all
// the same.
enum class Border { Decided, Open };
// Comparisons that are as they are said to be, whatever is recorded: on one side of a border.
using Truths = std::map<ExprId, bool>;
Value evaluate(const expr::Pool& pool, ExprId e, const Lookup& lookup, double time,
               double tolerance, Border border = Border::Decided, const Truths* truths = nullptr);

}  // namespace cradle::conform
