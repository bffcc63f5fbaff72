#include "core/plan/program.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace cradle::plan {

using expr::Op;

namespace {

// Emits code without recursion, because sums over arrays are deep.
class Emitter {
 public:
  Emitter(const expr::Pool& pool, Mode mode, const std::function<int(ExprId)>& relation_index,
          const OptionalLeaf& is_optional)
      : pool_(pool), mode_(mode), relation_index_(relation_index), is_optional_(is_optional) {}

  Program emit(ExprId root) {
    work_.push_back({root, 0, -1});
    while (!work_.empty()) step();
    program_.depth = depth_;
    return std::move(program_);
  }

 private:
  struct Frame {
    ExprId node;
    int stage;
    int patch;
    int condition = -1;  // of an If: where its JumpIfFalse stands
  };

  int here() const { return static_cast<int>(program_.code.size()); }
  int add(Code code, Op op = Op::Constant, int32_t ref = -1, double value = 0) {
    program_.code.push_back({code, op, ref, value});
    // Both branches of a conditional are counted as if they were taken, which is at most too much.
    switch (code) {
      case Code::Leaf:
      case Code::Truth:
        depth_ = std::max(depth_, ++values_);
        break;
      case Code::Apply2:
      case Code::TruthIfPresent:
      case Code::JumpIfFalse:
      case Code::JumpUnless:
      case Code::JumpIfPresent:
        --values_;
        break;
      default:
        break;
    }
    return here() - 1;
  }
  void patch(int at) { program_.code[static_cast<std::size_t>(at)].ref = here(); }

  void step() {
    Frame frame = work_.back();
    const expr::Node& node = pool_[frame.node];
    if (const int32_t place = pool_.fixed_place(frame.node); place >= 0) {
      add(Code::Leaf, Op::Parameter, place);
      work_.pop_back();
    } else if (expr::arity(node.op) == 0) {
      program_.optional |= is_optional_(node);
      add(Code::Leaf, node.op, node.ref, node.value);
      work_.pop_back();
    } else if (is_frozen(node, frame.node) && may_be_absent(frame.node)) {
      step_optional_relation(node, frame);
    } else if (frame.stage == 0 && is_frozen(node, frame.node)) {
      add(Code::Truth, node.op, relation_index_(frame.node));
      work_.pop_back();
    } else if (has_side(node, frame.node)) {
      step_side(node, frame);
    } else if (node.op == Op::If) {
      step_if(node, frame);
    } else if (node.op == Op::And || node.op == Op::Or) {
      step_logic(node, frame);
    } else if (node.op == Op::Default) {
      step_default(node, frame);
    } else if (node.op == Op::When) {
      step_when(node, frame);
    } else {
      step_strict(node, frame);
    }
  }

  // Relations that only a derivative brought in (the sign in d|x|/dt) are computed, not frozen.
  bool is_frozen(const expr::Node& node, ExprId id) const {
    return mode_ == Mode::Flow && expr::is_relation(node.op) && relation_index_(id) >= 0;
  }

  // A frozen truth is there only while the operands are.
  void step_optional_relation(const expr::Node& node, const Frame& frame) {
    if (frame.stage < 2) {
      ++work_.back().stage;
      work_.push_back({frame.stage == 0 ? node.a : node.b, 0, -1});
    } else {
      add(Code::TruthIfPresent, node.op, relation_index_(frame.node));
      work_.pop_back();
    }
  }

  bool may_be_absent(ExprId relation) {
    const auto [known, is_new] = absent_.try_emplace(relation, false);
    if (is_new) known->second = plan::may_be_absent(pool_, relation, is_optional_);
    return known->second;
  }

  // abs, min or max in a rate: while time flows it stays on its side of the kink.
  bool has_side(const expr::Node& node, ExprId id) const {
    const bool kink = node.op == Op::Abs || node.op == Op::Min || node.op == Op::Max;
    return kink && mode_ == Mode::Flow && relation_index_(id) >= 0;
  }

  void step_side(const expr::Node& node, const Frame& frame) {
    Frame& top = work_.back();
    if (frame.stage == 0) {
      add(Code::Truth, node.op, relation_index_(frame.node));
      top.patch = add(Code::JumpIfFalse);
      top.stage = 1;
      work_.push_back({node.op == Op::Max ? node.b : node.a, 0, -1});
    } else if (frame.stage == 1) {
      int jump = add(Code::Jump);
      patch(frame.patch);
      top.condition = frame.patch;
      top.patch = jump;
      top.stage = 2;
      work_.push_back({node.op == Op::Min ? node.b : node.a, 0, -1});
    } else {
      if (node.op == Op::Abs) add(Code::Apply1, Op::Neg);
      patch(frame.patch);
      program_.code[static_cast<std::size_t>(frame.condition)].behind = here();
      work_.pop_back();
    }
  }

  void step_strict(const expr::Node& node, const Frame& frame) {
    const int count = expr::arity(node.op);
    Frame& top = work_.back();
    if (frame.stage < count) {
      top.stage++;
      work_.push_back({frame.stage == 0 ? node.a : node.b, 0, -1});
    } else {
      program_.optional |= node.op == Op::IsPresent;
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
      top.patch = add(Code::JumpIfDecided, node.op);
      top.stage = 2;
      work_.push_back({node.b, 0, -1});
    } else {
      add(Code::Apply2, node.op);
      patch(frame.patch);
      work_.pop_back();
    }
  }

  void step_default(const expr::Node& node, const Frame& frame) {
    program_.optional = true;
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      work_.push_back({node.a, 0, -1});
    } else if (frame.stage == 1) {
      top.patch = add(Code::JumpIfPresent);
      top.stage = 2;
      work_.push_back({node.b, 0, -1});
    } else {
      patch(frame.patch);
      work_.pop_back();
    }
  }

  void step_when(const expr::Node& node, const Frame& frame) {
    program_.optional = true;
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      work_.push_back({node.b, 0, -1});
    } else if (frame.stage == 1) {
      top.patch = add(Code::JumpUnless);
      program_.code.back().is_condition = pool_[node.b].type == expr::Type::Boolean;
      top.stage = 2;
      work_.push_back({node.a, 0, -1});
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
      top.condition = frame.patch;
      top.patch = jump;
      top.stage = 3;
      work_.push_back({node.c, 0, -1});
    } else {
      patch(frame.patch);
      program_.code[static_cast<std::size_t>(frame.condition)].behind = here();
      work_.pop_back();
    }
  }

  const expr::Pool& pool_;
  Mode mode_;
  const std::function<int(ExprId)>& relation_index_;
  const OptionalLeaf& is_optional_;
  std::unordered_map<ExprId, bool> absent_;  // by relation
  Program program_;
  int values_ = 0, depth_ = 0;  // on the stack here, and at most
  std::vector<Frame> work_;
};

double boolean(bool value) { return value ? 1.0 : 0.0; }

}  // namespace

Program compile(const expr::Pool& pool, ExprId root, Mode mode,
                const std::function<int(ExprId)>& relation_index, const OptionalLeaf& is_optional) {
  return Emitter(pool, mode, relation_index, is_optional).emit(root);
}

bool may_be_absent(const expr::Pool& pool, ExprId expr, const OptionalLeaf& is_optional) {
  std::vector<ExprId> work{expr};
  std::unordered_set<ExprId> seen;
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || !seen.insert(e).second) continue;
    const expr::Node& node = pool[e];
    if (node.op == Op::IsPresent) continue;
    if (node.op == Op::When || (expr::arity(node.op) == 0 && is_optional(node))) return true;
    for (ExprId operand : {node.a, node.b, node.c}) work.push_back(operand);
  }
  return false;
}

Value evaluate(Op op, const Value& a) {
  if (a.is_unknown()) return a;
  if (op == Op::IsPresent) return a.is_present() ? 1.0 : 0.0;
  if (a.is_absent()) return a;
  return evaluate(op, static_cast<const Number&>(a));
}

Value evaluate_in_general(Op op, const Value& a, const Value& b) {
  if (a.is_present() && b.is_present()) {
    return evaluate(op, static_cast<const Number&>(a), static_cast<const Number&>(b));
  }
  if (op == Op::And || op == Op::Or) {
    const bool decisive = op == Op::Or;
    for (const Value* v : {&a, &b}) {
      if (v->is_present() && is_true(*v) == decisive) return *v;
    }
  }
  return a.is_unknown() || b.is_unknown() ? Value::unknown() : Value::absent();
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

}  // namespace cradle::plan
