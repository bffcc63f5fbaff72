#pragma once
// What a model computes, as one form: a list of typed instructions on registers. All that a run
// evaluates is such a list: definitions of signals, laws, sources, rates, gaps, guards, actions.
//
//   expression ─compile→ Code ─unfold→ ModeCode (mode_code.hpp)
//
// The code of one expression asks for its leaves on demand, one by one, because inside an instant
// what is not needed may not be known yet: `if`, `and`, `or`, `default` and `when` go past what
// they do not need. All jumps lead forward. The code of a mode has no jumps: what is read has been
// written out, and all of it is computed.
//
// The interpreter is one template over the numbers that are computed with:
//
//   double            while time flows
//   Value             a + bω, absent or unknown, inside an instant
//   Series            with strain and derivatives: judges a tried mode (series.hpp)
//   solve::Jet        Taylor coefficients as intervals: proves where nothing changes
//
// and over the environment, which knows what the slots are worth: leaf(op, ref, part), and
// truth(comparison) where truths are frozen.
//
// A comparison is computed from its operands inside an instant; while time flows its truth is
// frozen, so that what the solver sees is smooth. That is not a matter of the code but of how it is
// read (Truths): the truth stands in front of the operands, and who reads it frozen goes past them.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "base/basics/assert.hpp"
#include "core/plan/value.hpp"
#include "core/solve/jet.hpp"
#include "language/expr/pool.hpp"

namespace cradle::plan {

enum class Do : uint8_t {
  // slots
  Constant,     // the number in a and b
  Load,         // leaf op; a: ref, b: part. Parameter: a is a place in Pool::fixed()
  Truth,        // of comparison a. Frozen: on to c. Judged: what follows computes it, into target
  Kept,         // does the run keep a truth of comparison a?
  Lives,        // is region a active?
  PeriodBegin,  // when the present period of clock a began
  // numbers
  Add,
  Sub,
  Mul,
  Div,
  Apply1,       // op a
  Apply2,       // a op b; c: the comparison that it is, or −1
  MultiplyAdd,  // c + a · b
  Select,       // a ? b : c, of which both have been computed
  Compare,      // Frozen: the truth of comparison c, absent as a and b are. Judged: a op b
  Side,         // abs, min or max. Frozen: on the side that the truth of comparison c says
  // Where an operator does not need all its operands. What is absent or unknown is the result of a
  // conditional, and it goes on behind it.
  JumpIfFalse,    // a: to b; absent or unknown: to c
  JumpIfDecided,  // op And, Or: if a decides the result, to b
  JumpIfPresent,  // Default: unless a is absent, to b
  JumpUnless,     // When: unless a holds, absent into target, and to b. c: a boolean, which has to
                  // be true and not only present
  Jump,           // to b
};

struct Instruction {
  Do what;
  expr::Op op = expr::Op::Constant;
  int32_t target = -1, a = -1, b = -1, c = -1;

  static Instruction constant(int32_t target, double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return {Do::Constant, expr::Op::Constant, target, static_cast<int32_t>(bits & 0xffffffffu),
            static_cast<int32_t>(bits >> 32)};
  }
  double number() const {
    return std::bit_cast<double>(uint64_t{static_cast<uint32_t>(a)} |
                                 uint64_t{static_cast<uint32_t>(b)} << 32);
  }
};

// The instruction of a leaf, and of an operator of one or two operands (b: −1).
Instruction leaf(const expr::Node& node, int32_t target);
Instruction instruction_for(expr::Op op, int32_t target, int32_t a, int32_t b);

// Of one expression: the result is in register 0.
struct Code {
  std::vector<Instruction> list;
  int registers = 0;
  bool optional = false;          // reads something that may be absent, or presence itself
  bool optional_flowing = false;  // the same outside of frozen comparisons
  bool boolean = false;
  bool empty() const { return list.empty(); }
};

enum class Truths { Judged, Frozen };
using OptionalLeaf = std::function<bool(const expr::Node& leaf)>;
// At most too much: default(x, y) counts as absent where x may be.
bool may_be_absent(const expr::Pool& pool, ExprId expr, const OptionalLeaf& is_optional);

// `comparison_index`: of a comparison node whose truth is frozen while time flows, or −1.
// `is_optional`: may this leaf be absent?
Code compile(const expr::Pool& pool, ExprId root,
             const std::function<int(ExprId)>& comparison_index, const OptionalLeaf& is_optional);

// Thrown where arithmetic on a + bω has no answer; the engine turns it into a diagnostic.
struct ArithmeticFault {
  expr::Op op;
  Number left, right;
  SignalId signal = {};  // in whose definition, if known
};

inline double evaluate(expr::Op op, double a) { return expr::apply(op, a); }
inline double evaluate(expr::Op op, double a, double b) {
  switch (op) {
    case expr::Op::Add:
      return a + b;
    case expr::Op::Sub:
      return a - b;
    case expr::Op::Mul:
      return a * b;
    case expr::Op::Div:
      return a / b;
    default:
      return expr::apply(op, a, b);
  }
}
Number evaluate(expr::Op op, const Number& a);
Number evaluate(expr::Op op, const Number& a, const Number& b);
// Strict: unknown if an operand is, absent if an operand is; but `and` and `or` are decided by what
// is known, and is_present looks at presence alone.
Value evaluate(expr::Op op, const Value& a);
Value evaluate_in_general(expr::Op op, const Value& a, const Value& b);
inline Value evaluate(expr::Op op, const Value& a, const Value& b) {
  if (a.is_present() && b.is_present() && a.is_finite() && b.is_finite()) {
    switch (op) {
      case expr::Op::Add:
        return a.finite + b.finite;
      case expr::Op::Sub:
        return a.finite - b.finite;
      case expr::Op::Mul:
        return a.finite * b.finite;
      case expr::Op::Div:
        return a.finite / b.finite;
      case expr::Op::Less:
        return a.finite < b.finite ? 1.0 : 0.0;
      case expr::Op::LessEqual:
        return a.finite <= b.finite ? 1.0 : 0.0;
      default:
        break;
    }
  }
  return evaluate_in_general(op, a, b);
}

inline bool is_true(double v) { return v != 0; }
inline bool is_true(const Number& v) { return v.finite != 0 || v.impulse != 0; }
inline bool is_true(const Value& v) {
  return v.is_present() && is_true(static_cast<const Number&>(v));
}
inline bool is_present(double) { return true; }
inline bool is_present(const Value& v) { return v.is_present(); }
inline bool is_unknown(double) { return false; }
inline bool is_unknown(const Value& v) { return v.is_unknown(); }

// One operator, into a register. Number types that are large have functions of their own.
template <class Scalar>
void compute(expr::Op op, const Scalar& a, Scalar& out) {
  out = evaluate(op, a);
}
template <class Scalar>
void compute(expr::Op op, const Scalar& a, const Scalar& b, Scalar& out) {
  out = evaluate(op, a, b);
}
inline void compute(expr::Op op, const solve::Jet& a, solve::Jet& out) { solve::apply(op, a, out); }
inline void compute(expr::Op op, const solve::Jet& a, const solve::Jet& b, solve::Jet& out) {
  solve::apply(op, a, b, out);
}
template <class Scalar>
void multiply_add(const Scalar& a, const Scalar& b, const Scalar& c, Scalar& out) {
  out = evaluate(expr::Op::Add, c, evaluate(expr::Op::Mul, a, b));
}
template <class Scalar>
void choose(const Scalar& condition, const Scalar& a, const Scalar& b, Scalar& out) {
  out = is_true(condition) ? a : b;
}
// In the code of a mode nothing is absent, and nothing is decided by a jump.
inline bool is_true(const solve::Jet&) { return true; }
inline bool is_present(const solve::Jet&) { return true; }
inline bool is_unknown(const solve::Jet&) { return false; }
template <class Scalar>
Scalar number_as(double value) {
  if constexpr (std::is_same_v<Scalar, solve::Jet>) {
    return solve::Jet::constant(value);
  } else {
    return Scalar(value);
  }
}

// What only some environments know; the code for the others does not ask for it. Registers may move
// while it is asked for, so the target is looked up afterwards.
template <class Scalar, class Env, class Registers>
void load_kept(const Instruction& in, Env& env, Registers& r) {
  if constexpr (requires { env.is_kept(in.a); }) {
    r[in.target] = number_as<Scalar>(env.is_kept(in.a) ? 1 : 0);
  }
}
template <class Scalar, class Env, class Registers>
void load_lives(const Instruction& in, Env& env, Registers& r) {
  if constexpr (requires { env.lives(in.a); }) {
    r[in.target] = number_as<Scalar>(env.lives(in.a) ? 1 : 0);
  }
}
template <class Scalar, class Env, class Registers>
void load_period_begin(const Instruction& in, Env& env, Registers& r) {
  if constexpr (requires { env.period_begin(in.a); }) {
    r[in.target] = number_as<Scalar>(env.period_begin(in.a));
  }
}

// The instructions [begin, end) of a list. r: registers, by number; they may move while a leaf is
// asked for.
template <class Scalar, class Env, class Registers>
void execute(std::span<const Instruction> list, std::size_t begin, std::size_t end, Env& env,
             Registers r, Truths truths) {
  const Instruction* code = list.data();
  const auto comparison = [&](const Instruction& in, const Scalar& a, const Scalar& b) {
    if constexpr (requires { env.compare(in.op, in.c, a, b); }) {
      return in.c >= 0 ? env.compare(in.op, in.c, a, b) : evaluate(in.op, a, b);
    } else if constexpr (requires { env.compare(in.op, a, b); }) {
      return expr::is_comparison(in.op) ? env.compare(in.op, a, b) : evaluate(in.op, a, b);
    } else {
      Scalar out;
      compute(in.op, a, b, out);
      return out;
    }
  };
  for (std::size_t pc = begin; pc < end;) {
    const Instruction& in = code[pc++];
    switch (in.what) {
      case Do::Constant:
        r[in.target] = number_as<Scalar>(in.number());
        break;
      case Do::Load: {
        const Scalar value = env.leaf(in.op, in.a, in.b);
        r[in.target] = value;
        break;
      }
      case Do::Truth:
        if (truths == Truths::Frozen) {
          const bool holds = env.truth(in.a);
          r[in.target] = number_as<Scalar>(holds ? 1 : 0);
          pc = static_cast<std::size_t>(in.c);
        }
        break;
      case Do::Kept:
        load_kept<Scalar>(in, env, r);
        break;
      case Do::Lives:
        load_lives<Scalar>(in, env, r);
        break;
      case Do::PeriodBegin:
        load_period_begin<Scalar>(in, env, r);
        break;
      case Do::Add:
        compute(expr::Op::Add, r[in.a], r[in.b], r[in.target]);
        break;
      case Do::Sub:
        compute(expr::Op::Sub, r[in.a], r[in.b], r[in.target]);
        break;
      case Do::Mul:
        compute(expr::Op::Mul, r[in.a], r[in.b], r[in.target]);
        break;
      case Do::Div:
        compute(expr::Op::Div, r[in.a], r[in.b], r[in.target]);
        break;
      case Do::MultiplyAdd:
        multiply_add(r[in.a], r[in.b], r[in.c], r[in.target]);
        break;
      case Do::Select:
        choose(r[in.a], r[in.b], r[in.c], r[in.target]);
        break;
      case Do::Apply1:
        compute(in.op, r[in.a], r[in.target]);
        break;
      case Do::Apply2: {
        const Scalar value = comparison(in, r[in.a], r[in.b]);
        r[in.target] = value;
        break;
      }
      case Do::Compare:
        if (truths == Truths::Judged) {
          const Scalar value = comparison(in, r[in.a], r[in.b]);
          r[in.target] = value;
        } else if (!is_present(r[in.a])) {
          r[in.target] = is_unknown(r[in.b]) ? r[in.b] : r[in.a];
        } else if (!is_present(r[in.b])) {
          r[in.target] = r[in.b];
        } else {
          const bool holds = env.truth(in.c);
          r[in.target] = number_as<Scalar>(holds ? 1 : 0);
        }
        break;
      case Do::Side: {
        if (truths == Truths::Judged) {
          in.op == expr::Op::Abs ? compute(in.op, r[in.a], r[in.target])
                                 : compute(in.op, r[in.a], r[in.b], r[in.target]);
          break;
        }
        const bool holds = env.truth(in.c);
        if (in.op == expr::Op::Abs) {
          if (!holds) compute(expr::Op::Neg, r[in.a], r[in.target]);
        } else if (holds != (in.op == expr::Op::Min)) {
          r[in.target] = r[in.b];
        }
        break;
      }
      case Do::JumpIfFalse:
        if (!is_present(r[in.a])) {
          pc = static_cast<std::size_t>(in.c);
        } else if (!is_true(r[in.a])) {
          pc = static_cast<std::size_t>(in.b);
        }
        break;
      case Do::JumpIfDecided:
        if (is_present(r[in.a]) && is_true(r[in.a]) == (in.op == expr::Op::Or)) {
          pc = static_cast<std::size_t>(in.b);
        }
        break;
      case Do::JumpIfPresent:
        if (is_present(r[in.a]) || is_unknown(r[in.a])) pc = static_cast<std::size_t>(in.b);
        break;
      case Do::JumpUnless:
        if constexpr (requires { Scalar::absent(); }) {
          if (is_present(r[in.a]) && (in.c == 0 || is_true(r[in.a]))) break;
          if (!is_unknown(r[in.a])) r[in.target] = Scalar::absent();
          pc = static_cast<std::size_t>(in.b);
        }
        break;
      case Do::Jump:
        pc = static_cast<std::size_t>(in.b);
        break;
    }
  }
}

// Registers of long code lie on a stack on which leaves may run other code, so that it can move.
template <class Scalar>
class StackedRegisters {
 public:
  StackedRegisters(std::vector<Scalar>& stack, std::size_t base) : stack_(stack), base_(base) {}
  Scalar& operator[](int32_t i) { return stack_[base_ + static_cast<std::size_t>(i)]; }

 private:
  std::vector<Scalar>& stack_;
  std::size_t base_;
};

// What an expression is worth.
template <class Scalar, class Env>
Scalar run(const Code& code, Env& env, std::vector<Scalar>& stack, Truths truths) {
  constexpr int kFew = 12;
  static_assert(std::is_trivially_destructible_v<Scalar>);
  CRADLE_ASSERT(!code.list.empty(), "code leaves a value");
  if (code.registers <= kFew) {
    alignas(Scalar) std::byte place[kFew * sizeof(Scalar)];  // not cleared
    Scalar* few = reinterpret_cast<Scalar*>(place);
    execute<Scalar>(code.list, 0, code.list.size(), env, few, truths);
    return few[0];
  }
  const std::size_t base = stack.size();
  stack.resize(base + static_cast<std::size_t>(code.registers));
  execute<Scalar>(code.list, 0, code.list.size(), env, StackedRegisters<Scalar>(stack, base),
                  truths);
  const Scalar result = stack[base];
  stack.resize(base);
  return result;
}

}  // namespace cradle::plan
