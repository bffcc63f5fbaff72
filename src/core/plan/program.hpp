#pragma once
// Expressions as short postfix programs on a stack. One expression has two programs:
//   tick: relations are computed from their operands, as inside an instant
//   flow: relations are read from a table of frozen truths, so that what the solver sees is smooth
// The environment says what the leaves are worth and which numbers are computed with.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/basics/assert.hpp"
#include "core/plan/value.hpp"
#include "language/expr/pool.hpp"

namespace cradle::plan {

enum class Code : uint8_t {
  Leaf,   // op, ref, value: the environment knows; Parameter: ref is a place in Pool::fixed()
  Truth,  // ref: index of a relation, frozen
  // The same, of a relation whose two operands stand on the stack: absent as they are.
  TruthIfPresent,
  Apply1,
  Apply2,
  // Where an operator does not need all its operands. What is absent or unknown is the result of a
  // conditional, and the program goes on behind it, at `behind`.
  JumpIfFalse,    // pops the condition; false: to ref
  JumpIfDecided,  // op And, Or: keeps an operand that decides the result, and jumps to ref
  JumpIfPresent,  // Default: keeps a value that is not absent, and jumps to ref; pops it otherwise
  JumpUnless,     // When: pops a condition that holds; otherwise leaves absent, and jumps to ref
  Jump,
};

struct Instruction {
  Code code;
  expr::Op op = expr::Op::Constant;
  int32_t ref = -1;
  double value = 0;
  int32_t behind = -1;        // JumpIfFalse
  bool is_condition = false;  // JumpUnless: a boolean, which has to be true and not only present
};

struct Program {
  std::vector<Instruction> code;
  int depth = 0;          // stack that it needs
  bool optional = false;  // reads something that may be absent, or presence itself
  bool empty() const { return code.empty(); }
};

enum class Mode { Tick, Flow };
using OptionalLeaf = std::function<bool(const expr::Node& leaf)>;
// At most too much: default(x, y) counts as absent where x may be.
bool may_be_absent(const expr::Pool& pool, ExprId expr, const OptionalLeaf& is_optional);

// `relation_index`: of a relation node, for Flow. `is_optional`: may this leaf be absent?
Program compile(const expr::Pool& pool, ExprId root, Mode mode,
                const std::function<int(ExprId)>& relation_index, const OptionalLeaf& is_optional);

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

// Env: Scalar leaf(op, ref, value) and bool truth(relation); compare(op, a, b) if it wants to judge
// relations itself.
template <class Scalar, class Env, class Stack>
Scalar execute(const Program& program, Env& env, Stack stack) {
  std::size_t pc = 0;
  const std::size_t end = program.code.size();
  const Instruction* code = program.code.data();
  while (pc < end) {
    const Instruction& in = code[pc++];
    switch (in.code) {
      case Code::Leaf: {
        if (in.op == expr::Op::Constant) {
          stack.push_back(Scalar(in.value));
        } else {
          Scalar value = env.leaf(in.op, in.ref, in.value);
          stack.push_back(value);
        }
        break;
      }
      case Code::Truth:
        stack.push_back(Scalar(env.truth(in.ref) ? 1.0 : 0.0));
        break;
      case Code::TruthIfPresent: {
        const Scalar right = stack.back();
        stack.pop_back();
        if (is_present(stack.back()) && is_present(right)) {
          stack.back() = Scalar(env.truth(in.ref) ? 1.0 : 0.0);
        } else if (is_unknown(right) || is_present(stack.back())) {
          stack.back() = right;
        }
        break;
      }
      case Code::Apply1:
        stack.back() = evaluate(in.op, stack.back());
        break;
      case Code::Apply2: {
        Scalar right = stack.back();
        stack.pop_back();
        if constexpr (requires { env.compare(in.op, right, right); }) {
          stack.back() = expr::is_relation(in.op) ? env.compare(in.op, stack.back(), right)
                                                  : evaluate(in.op, stack.back(), right);
        } else {
          stack.back() = evaluate(in.op, stack.back(), right);
        }
        break;
      }
      case Code::JumpIfFalse:
        if (!is_present(stack.back())) {
          pc = static_cast<std::size_t>(in.behind);
          break;
        }
        if (!is_true(stack.back())) pc = static_cast<std::size_t>(in.ref);
        stack.pop_back();
        break;
      case Code::JumpIfDecided:
        if (is_present(stack.back()) && is_true(stack.back()) == (in.op == expr::Op::Or)) {
          pc = static_cast<std::size_t>(in.ref);
        }
        break;
      case Code::JumpIfPresent:
        if (is_present(stack.back()) || is_unknown(stack.back()))
          pc = static_cast<std::size_t>(in.ref);
        else
          stack.pop_back();
        break;
      case Code::JumpUnless:
        if constexpr (requires { Scalar::absent(); }) {
          const Scalar condition = stack.back();
          if (is_present(condition) && (!in.is_condition || is_true(condition))) {
            stack.pop_back();
          } else {
            if (!is_unknown(condition)) stack.back() = Scalar::absent();
            pc = static_cast<std::size_t>(in.ref);
          }
        }
        break;
      case Code::Jump:
        pc = static_cast<std::size_t>(in.ref);
        break;
    }
  }
  CRADLE_ASSERT(stack.size() == 1, "a program leaves one value");
  return stack.back();
}

// The values of a short program, not cleared.
template <class Scalar>
class ShortStack {
 public:
  static constexpr int kDepth = 12;
  explicit ShortStack(Scalar* place) : place_(place) {}
  void push_back(const Scalar& value) { std::construct_at(place_ + count_++, value); }
  void pop_back() { --count_; }
  Scalar& back() { return place_[count_ - 1]; }
  int size() const { return count_; }

 private:
  static_assert(std::is_trivially_destructible_v<Scalar>);
  Scalar* place_;
  int count_ = 0;
};

// Leaves may run other programs on the same vector: everything is addressed from its base.
template <class Scalar>
class LongStack {
 public:
  explicit LongStack(std::vector<Scalar>& values) : values_(values), base_(values.size()) {}
  void push_back(const Scalar& value) { values_.push_back(value); }
  void pop_back() { values_.pop_back(); }
  Scalar& back() { return values_.back(); }
  std::size_t size() const { return values_.size() - base_; }

 private:
  std::vector<Scalar>& values_;
  std::size_t base_;
};

template <class Scalar, class Env>
Scalar run(const Program& program, Env& env, std::vector<Scalar>& stack) {
  if (program.depth <= ShortStack<Scalar>::kDepth) {
    alignas(Scalar) std::byte place[ShortStack<Scalar>::kDepth * sizeof(Scalar)];
    return execute<Scalar>(program, env, ShortStack<Scalar>(reinterpret_cast<Scalar*>(place)));
  }
  const Scalar result = execute<Scalar>(program, env, LongStack<Scalar>(stack));
  stack.pop_back();
  return result;
}

}  // namespace cradle::plan
