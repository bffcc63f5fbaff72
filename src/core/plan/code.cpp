#include "core/plan/code.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace cradle::plan {

using expr::Op;

namespace {

// Emits code without recursion, because sums over arrays are deep. An expression leaves its result
// in the register that it is given, and uses those behind it.
class Emitter {
 public:
  Emitter(const expr::Pool& pool, const std::function<int(ExprId)>& comparison_index,
          const OptionalLeaf& is_optional)
      : pool_(pool), comparison_index_(comparison_index), is_optional_(is_optional) {}

  Code emit(ExprId root) {
    push(root, 0);
    while (!work_.empty()) step();
    return std::move(code_);
  }

 private:
  struct Frame {
    ExprId node;
    int32_t target;
    int stage = 0;
    int patch = -1;      // an instruction that waits for its place
    int condition = -1;  // of an If: where its JumpIfFalse stands
  };

  int here() const { return static_cast<int>(code_.list.size()); }
  Instruction& instruction(int place) { return code_.list[static_cast<std::size_t>(place)]; }
  int add(const Instruction& in) {
    code_.list.push_back(in);
    code_.registers = std::max(code_.registers, in.target + 1);
    return here() - 1;
  }
  void push(ExprId node, int32_t target) { work_.push_back({node, target}); }
  void note_optional() {
    code_.optional = true;
    code_.optional_flowing |= frozen_ == 0;
  }

  void step() {
    const Frame frame = work_.back();
    const expr::Node& node = pool_[frame.node];
    if (const int32_t place = pool_.fixed_place(frame.node); place >= 0) {
      add({Do::Load, Op::Parameter, frame.target, place});
      work_.pop_back();
    } else if (expr::arity(node.op) == 0) {
      if (is_optional_(node)) note_optional();
      add(leaf(node, frame.target));
      work_.pop_back();
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

  // Comparisons that only a derivative brought in (the sign in d|x|/dt) are computed, not frozen.
  bool is_frozen(const expr::Node& node, ExprId id) {
    return expr::is_comparison(node.op) && comparison_index_(id) >= 0 && !may_be_absent(id);
  }

  bool may_be_absent(ExprId comparison) {
    const auto [known, is_new] = absent_.try_emplace(comparison, false);
    if (is_new) known->second = plan::may_be_absent(pool_, comparison, is_optional_);
    return known->second;
  }

  void step_strict(const expr::Node& node, const Frame& frame) {
    const int count = expr::arity(node.op);
    const bool frozen = is_frozen(node, frame.node);
    if (frame.stage == 0 && frozen) {
      work_.back().patch = add({Do::Truth, node.op, frame.target, comparison_index_(frame.node)});
      ++frozen_;
    }
    if (frame.stage < count) {
      ++work_.back().stage;
      push(frame.stage == 0 ? node.a : node.b, frame.target + frame.stage);
      return;
    }
    if (node.op == Op::IsPresent) note_optional();
    add(apply(node, frame));
    if (frozen) {
      instruction(frame.patch).c = here();
      --frozen_;
    }
    work_.pop_back();
  }

  Instruction apply(const expr::Node& node, const Frame& frame) {
    const int32_t a = frame.target, b = expr::arity(node.op) == 1 ? -1 : a + 1;
    const int comparison = comparison_index_(frame.node);
    if (comparison >= 0 && expr::is_comparison(node.op) && may_be_absent(frame.node)) {
      return {Do::Compare, node.op, a, a, b, comparison};
    }
    // In a rate: while time flows it stays on its side of the kink.
    const bool kink = node.op == Op::Abs || node.op == Op::Min || node.op == Op::Max;
    if (comparison >= 0 && kink) return {Do::Side, node.op, a, a, b, comparison};
    Instruction out = instruction_for(node.op, a, a, b);
    // Who wants to judge a comparison knows which one it is.
    if (expr::is_comparison(node.op)) out.c = comparison;
    return out;
  }

  void step_logic(const expr::Node& node, const Frame& frame) {
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      push(node.a, frame.target);
    } else if (frame.stage == 1) {
      top.patch = add({Do::JumpIfDecided, node.op, frame.target, frame.target});
      top.stage = 2;
      push(node.b, frame.target + 1);
    } else {
      add(instruction_for(node.op, frame.target, frame.target, frame.target + 1));
      instruction(frame.patch).b = here();
      work_.pop_back();
    }
  }

  void step_default(const expr::Node& node, const Frame& frame) {
    note_optional();
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      push(node.a, frame.target);
    } else if (frame.stage == 1) {
      top.patch = add({Do::JumpIfPresent, node.op, frame.target, frame.target});
      top.stage = 2;
      push(node.b, frame.target);
    } else {
      instruction(frame.patch).b = here();
      work_.pop_back();
    }
  }

  void step_when(const expr::Node& node, const Frame& frame) {
    note_optional();
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      push(node.b, frame.target);
    } else if (frame.stage == 1) {
      const bool is_condition = pool_[node.b].type == expr::Type::Boolean;
      top.patch =
          add({Do::JumpUnless, node.op, frame.target, frame.target, -1, is_condition ? 1 : 0});
      top.stage = 2;
      push(node.a, frame.target);
    } else {
      instruction(frame.patch).b = here();
      work_.pop_back();
    }
  }

  void step_if(const expr::Node& node, const Frame& frame) {
    Frame& top = work_.back();
    if (frame.stage == 0) {
      top.stage = 1;
      push(node.a, frame.target);
    } else if (frame.stage == 1) {
      top.condition = add({Do::JumpIfFalse, node.op, frame.target, frame.target});
      top.stage = 2;
      push(node.b, frame.target);
    } else if (frame.stage == 2) {
      top.patch = add({Do::Jump, node.op});
      instruction(frame.condition).b = here();
      top.stage = 3;
      push(node.c, frame.target);
    } else {
      instruction(frame.patch).b = here();
      instruction(frame.condition).c = here();
      work_.pop_back();
    }
  }

  const expr::Pool& pool_;
  const std::function<int(ExprId)>& comparison_index_;
  const OptionalLeaf& is_optional_;
  std::unordered_map<ExprId, bool> absent_;  // by comparison
  Code code_;
  int frozen_ = 0;  // comparisons around here that are frozen while time flows
  std::vector<Frame> work_;
};

double boolean(bool value) { return value ? 1.0 : 0.0; }

}  // namespace

Instruction leaf(const expr::Node& node, int32_t target) {
  if (node.op == Op::Constant) return Instruction::constant(target, node.value);
  return {Do::Load, node.op, target, node.ref, static_cast<int32_t>(node.value)};
}

Instruction instruction_for(Op op, int32_t target, int32_t a, int32_t b) {
  switch (op) {
    case Op::Add:
      return {Do::Add, op, target, a, b};
    case Op::Sub:
      return {Do::Sub, op, target, a, b};
    case Op::Mul:
      return {Do::Mul, op, target, a, b};
    case Op::Div:
      return {Do::Div, op, target, a, b};
    default:
      return {b < 0 ? Do::Apply1 : Do::Apply2, op, target, a, b};
  }
}

Code compile(const expr::Pool& pool, ExprId root,
             const std::function<int(ExprId)>& comparison_index, const OptionalLeaf& is_optional) {
  return Emitter(pool, comparison_index, is_optional).emit(root);
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
