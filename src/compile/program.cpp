#include "compile/program.hpp"

#include <algorithm>

namespace cradle::compile {

using expr::Op;

namespace {

// Emits code without recursion, because sums over arrays are deep.
class Emitter {
 public:
  Emitter(const expr::Pool& pool, Mode mode, const std::function<int(ExprId)>& relation_index)
      : pool_(pool), mode_(mode), relation_index_(relation_index) {}

  Program emit(ExprId root) {
    work_.push_back({root, 0, -1});
    while (!work_.empty()) step();
    program_.depth = static_cast<int>(program_.code.size()) + 1;
    return std::move(program_);
  }

 private:
  struct Frame {
    ExprId node;
    int stage;
    int patch;
  };

  int here() const { return static_cast<int>(program_.code.size()); }
  int add(Code code, Op op = Op::Constant, int32_t ref = -1, double value = 0) {
    program_.code.push_back({code, op, ref, value});
    return here() - 1;
  }
  void patch(int at) { program_.code[static_cast<std::size_t>(at)].ref = here(); }

  void step() {
    Frame frame = work_.back();
    const expr::Node& node = pool_[frame.node];
    if (expr::arity(node.op) == 0) {
      add(Code::Leaf, node.op, node.ref, node.value);
      work_.pop_back();
    } else if (frame.stage == 0 && is_frozen(node, frame.node)) {
      add(Code::Truth, node.op, relation_index_(frame.node));
      work_.pop_back();
    } else if (node.op == Op::If) {
      step_if(node, frame);
    } else if (node.op == Op::And || node.op == Op::Or) {
      step_logic(node, frame);
    } else {
      step_strict(node, frame);
    }
  }

  // Relations that only a derivative brought in (the sign in d|x|/dt) are computed, not frozen.
  bool is_frozen(const expr::Node& node, ExprId id) const {
    return mode_ == Mode::Flow && expr::is_relation(node.op) && relation_index_(id) >= 0;
  }

  void step_strict(const expr::Node& node, const Frame& frame) {
    const int count = expr::arity(node.op);
    Frame& top = work_.back();
    if (frame.stage < count) {
      top.stage++;
      work_.push_back({frame.stage == 0 ? node.a : node.b, 0, -1});
    } else {
      add(count == 1 ? Code::Apply1 : Code::Apply2, node.op);
      work_.pop_back();
    }
  }

  void step_logic(const expr::Node& node, const Frame& frame) {
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      work_.push_back({node.a, 0, -1});
    } else if (frame.stage == 1) {
      top.patch = add(node.op == Op::And ? Code::JumpIfFalseKeep : Code::JumpIfTrueKeep);
      top.stage = 2;
      work_.push_back({node.b, 0, -1});
    } else {
      patch(frame.patch);
      work_.pop_back();
    }
  }

  void step_if(const expr::Node& node, const Frame& frame) {
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      work_.push_back({node.a, 0, -1});
    } else if (frame.stage == 1) {
      top.patch = add(Code::JumpIfFalse);
      top.stage = 2;
      work_.push_back({node.b, 0, -1});
    } else if (frame.stage == 2) {
      int jump = add(Code::Jump);
      patch(frame.patch);
      top.patch = jump;
      top.stage = 3;
      work_.push_back({node.c, 0, -1});
    } else {
      patch(frame.patch);
      work_.pop_back();
    }
  }

  const expr::Pool& pool_;
  Mode mode_;
  const std::function<int(ExprId)>& relation_index_;
  Program program_;
  std::vector<Frame> work_;
};

double boolean(bool value) { return value ? 1.0 : 0.0; }

}  // namespace

Program compile(const expr::Pool& pool, ExprId root, Mode mode,
                const std::function<int(ExprId)>& relation_index) {
  return Emitter(pool, mode, relation_index).emit(root);
}

Number evaluate(Op op, const Number& a) {
  switch (op) {
    case Op::Neg:
      return -a;
    case Op::Abs:
      return a < Number(0) ? -a : a;
    case Op::Sign:
      return a > Number(0) ? 1.0 : a < Number(0) ? -1.0 : 0.0;
    case Op::ImpulseOf:
      return a.impulse;
    case Op::FiniteOf:
      return a.finite;
    case Op::Not:
      return boolean(!is_true(a));
    default:
      break;
  }
  if (!a.is_finite()) throw ArithmeticFault{op, a, a};
  return expr::apply(op, a.finite);
}

Number evaluate(Op op, const Number& a, const Number& b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Min:
      return b < a ? b : a;
    case Op::Max:
      return a < b ? b : a;
    case Op::Less:
      return boolean(a < b);
    case Op::LessEqual:
      return boolean(a <= b);
    case Op::Equal:
      return boolean(a == b);
    case Op::NotEqual:
      return boolean(!(a == b));
    case Op::Mul:
      // (a + bω)(c + dω) has a term bd·ω².
      if (a.impulse != 0 && b.impulse != 0) throw ArithmeticFault{op, a, b};
      if (a.is_finite() && b.is_finite()) return a.finite * b.finite;
      return {a.finite * b.finite, a.finite * b.impulse + a.impulse * b.finite};
    case Op::Div:
      if (b.is_finite()) {
        return a.is_finite() ? Number(a.finite / b.finite)
                             : Number(a.finite / b.finite, a.impulse / b.finite);
      }
      // A quotient of two impulses is the ratio of their weights, up to an infinitesimal; a finite
      // number over an impulse is infinitesimal.
      return a.is_finite() ? Number(0) : Number(a.impulse / b.impulse);
    default:
      break;
  }
  if (!a.is_finite() || !b.is_finite()) throw ArithmeticFault{op, a, b};
  return expr::apply(op, a.finite, b.finite);
}

}  // namespace cradle::compile
