#include "core/engine/flow_code.hpp"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/basics/assert.hpp"
#include "core/plan/program.hpp"

namespace cradle::engine {

using expr::Op;
using plan::Equation;

// Thrown, and caught, where straight-line code cannot say it.
namespace {
struct NotExpressible {};
}  // namespace

inline double FlowCode::apply(const Instruction& in, const double* r) {
  const double a = r[in.a];
  switch (in.op) {
    case Op::Mul:
      return in.c < 0 ? a * r[in.b] : r[in.c] + a * r[in.b];
    case Op::Add:
      return a + r[in.b];
    case Op::Sub:
      return a - r[in.b];
    case Op::Div:
      return a / r[in.b];
    case Op::Neg:
      return -a;
    case Op::If:
      return a != 0 ? r[in.b] : r[in.c];
    default:
      return in.b < 0 ? expr::apply(in.op, a) : expr::apply(in.op, a, r[in.b]);
  }
}

class FlowCodeBuilder {
 public:
  // `cluster`: whose states alone may be read; null: any.
  FlowCodeBuilder(const Runtime& runtime, const Cluster* cluster, FlowEvaluator::Who who,
                  FlowCode& code)
      : runtime_(runtime),
        system_(runtime.system),
        pool_(runtime.system.model().pool),
        cluster_(cluster),
        who_(who),
        code_(code) {}

  void add_result(int32_t value) { code_.results_.push_back(value); }

  // A rate is zero while the mode that its state lives in is not active.
  int32_t gated(RegionId region, int32_t rate) {
    if (!region.valid()) return rate;
    return emit(Op::If, frozen(Op::If, region.index, 0), rate, constant(0));
  }

  int32_t expression(ExprId root) { return expression(root, nullptr); }

  int32_t variable(Slot& slot, int local) {
    const auto key = std::pair(static_cast<const Slot*>(&slot), local);
    if (auto it = variables_.find(key); it != variables_.end()) return it->second;
    const Island& island = *slot.island;
    int32_t result = -1;
    if (int given = island.given_by(local); given >= 0) {
      result = right_side(slot, given);
    } else {
      if (!island.uses_rows()) throw NotExpressible{};
      const plan::LinearRow& row = island.row(local);
      result = constant(0);
      for (const auto& entry : row.b) {
        result = sum(result, entry.coefficient, right_side(slot, entry.equation));
      }
      for (const auto& entry : row.b_rate) {
        result =
            sum(result, entry.coefficient, expression(island.equations()[at(entry.equation)].rate));
      }
    }
    variables_.emplace(key, result);
    return result;
  }

 private:
  static constexpr int kDepth = 200;  // of signals and laws in one another
  static constexpr std::size_t kSize = 1u << 20;
  using Locals = std::vector<int32_t>;

  int32_t fresh(double value = 0) {
    code_.registers_.push_back(value);
    return static_cast<int32_t>(code_.registers_.size()) - 1;
  }
  int32_t constant(double value) {
    auto [place, is_new] = constants_.try_emplace(std::bit_cast<uint64_t>(value), -1);
    if (is_new) fixed_.insert(place->second = fresh(value));
    return place->second;
  }
  int32_t emit(Op op, int32_t a, int32_t b = -1, int32_t c = -1) {
    if (code_.code_.size() >= kSize) throw NotExpressible{};
    const auto is_fixed = [this](int32_t r) { return r < 0 || fixed_.contains(r); };
    if (is_fixed(a) && is_fixed(b) && is_fixed(c)) {
      return constant(FlowCode::apply({op, -1, a, b, c}, code_.registers_.data()));
    }
    const int32_t target = fresh();
    code_.code_.push_back({op, target, a, b, c});
    return target;
  }
  // c + coefficient · a, as the evaluator adds it up.
  int32_t sum(int32_t c, double coefficient, int32_t a) {
    return emit(Op::Mul, constant(coefficient), a, c);
  }
  int32_t frozen(Op op, int32_t ref, double value) {
    auto [place, is_new] = frozen_.try_emplace({op, ref, value}, -1);
    if (is_new) {
      place->second = fresh();
      code_.frozen_.push_back({place->second, op, ref, value});
    }
    return place->second;
  }
  int32_t time() {
    if (code_.time_ < 0) code_.time_ = fresh();
    return code_.time_;
  }
  int32_t state(StateId id) {
    const Cluster& cluster = runtime_.cluster_of(id);
    if (cluster_ != nullptr && cluster_ != &cluster) throw NotExpressible{};
    auto [place, is_new] = states_.try_emplace(id, -1);
    if (is_new) {
      place->second = fresh();
      const int32_t component = runtime_.component_of_state[at(id)];
      code_.inputs_.push_back({place->second, component, cluster.solver.get(), id});
    }
    return place->second;
  }

  int32_t right_side(Slot& slot, int index) {
    const auto key = std::pair(static_cast<const Slot*>(&slot), index);
    if (auto it = right_sides_.find(key); it != right_sides_.end()) return it->second;
    const Equation& equation = slot.island->equations()[at(index)];
    const int32_t result = right_side(equation);
    right_sides_.emplace(key, result);
    return result;
  }

  int32_t right_side(const Equation& equation) {
    switch (equation.kind) {
      case Equation::Kind::Source:
        return expression(equation.formula);
      case Equation::Kind::Store: {
        if (!equation.linear) {
          Locals locals;
          for (StateId s : equation.states) locals.push_back(state(s));
          return expression(equation.law, &locals);
        }
        int32_t result = constant(equation.offset);
        for (std::size_t j = 0; j < equation.states.size(); ++j) {
          result = sum(result, equation.coefficients[j], state(equation.states[j]));
        }
        return equation.formula.valid() ? emit(Op::Add, result, expression(equation.formula))
                                        : result;
      }
      case Equation::Kind::Resistor:
        return equation.formula.valid()
                   ? emit(Op::Add, constant(equation.offset), expression(equation.formula))
                   : constant(equation.offset);
      case Equation::Kind::Structure:
        break;
    }
    return constant(0);
  }

  int32_t power(Op op, BondId bond) {
    const CellId cell = system_.cell_of(bond);
    Slot& slot = *runtime_.slot_of_cell[at(cell)];
    const int index = slot.island->offset_of(cell) + system_.index_in_cell(bond);
    return variable(slot, 2 * index + (op == Op::Effort ? 0 : 1));
  }

  // Operands first, without recursion over operators, because sums over arrays are deep.
  int32_t expression(ExprId root, const Locals* locals) {
    if (++depth_ > kDepth) throw NotExpressible{};
    Memo own;
    Memo& memo = locals == nullptr ? memo_ : own;
    std::vector<ExprId> work{root};
    while (!work.empty()) {
      const ExprId e = work.back();
      if (memo.contains(e)) {
        work.pop_back();
        continue;
      }
      const expr::Node& node = pool_[e];
      if (pool_.is_fixed(e)) {
        memo.emplace(e, constant(system_.number(e)));
        work.pop_back();
        continue;
      }
      const RelationId relation = system_.relation_of(e);
      const bool is_run = who_ == FlowEvaluator::Who::Run;
      const bool is_frozen = is_run && expr::is_relation(node.op) && relation.valid();
      bool ready = true;
      if (!is_frozen) {
        for (ExprId operand : {node.a, node.b, node.c}) {
          if (!operand.valid() || memo.contains(operand)) continue;
          work.push_back(operand);
          ready = false;
        }
      }
      if (!ready) continue;
      work.pop_back();
      if (relation.valid() && system_.relations()[relation].truth.optional) throw NotExpressible{};
      if (is_frozen) {
        memo[e] = frozen(Op::Less, relation.index, 0);
      } else if (relation.valid() && is_run) {
        memo[e] = side(node, frozen(Op::Less, relation.index, 0), memo);
      } else {
        memo[e] = this->node(node, memo, locals);
        if (relation.valid()) memo[e] = unless_kept(node, relation, memo[e], memo);
      }
    }
    --depth_;
    return memo.at(root);
  }

  using Memo = std::unordered_map<ExprId, int32_t>;

  // For one who looks on: what was judged, unless the run keeps a truth.
  int32_t unless_kept(const expr::Node& node, RelationId relation, int32_t judged,
                      const Memo& memo) {
    const int32_t truth = frozen(Op::Less, relation.index, 0);
    const int32_t kept = expr::is_relation(node.op) ? truth : side(node, truth, memo);
    return emit(Op::If, frozen(Op::Equal, relation.index, 0), kept, judged);
  }

  // abs, min or max, on the side of its kink on which it is.
  int32_t side(const expr::Node& node, int32_t truth, const Memo& memo) {
    const int32_t a = memo.at(node.a);
    if (node.op == Op::Abs) return emit(Op::If, truth, a, emit(Op::Neg, a, -1, -1));
    const int32_t b = memo.at(node.b);
    return node.op == Op::Min ? emit(Op::If, truth, a, b) : emit(Op::If, truth, b, a);
  }

  int32_t node(const expr::Node& node, const Memo& memo, const Locals* locals) {
    switch (node.op) {
      case Op::Constant:
        return constant(node.value);
      case Op::Omega:
        return constant(0);  // ω has no finite part
      case Op::Time:
        return time();
      case Op::Local:
        if (locals == nullptr) throw NotExpressible{};
        return (*locals)[at(node.ref)];
      case Op::State:
        return state(StateId(at(node.ref)));
      case Op::Signal:
        return expression(system_.model().signals[SignalId(at(node.ref))].value);
      case Op::Effort:
      case Op::Flow:
        return power(node.op, BondId(at(node.ref)));
      case Op::Pre:
        if (system_.formula(pool_.pres()[at(node.ref)]).optional) throw NotExpressible{};
        return frozen(node.op, node.ref, node.value);
      case Op::InMode:
      case Op::Active:
      case Op::Count:
      case Op::Input:
        return frozen(node.op, node.ref, node.value);
      case Op::Memory:
        if (!system_.model().memories[MemoryId(at(node.ref))].lasts()) throw NotExpressible{};
        return frozen(node.op, node.ref, node.value);
      case Op::Phase: {
        const double period = system_.period(system_.model().clocks[ClockId(at(node.ref))]);
        const int32_t since = emit(Op::Sub, time(), frozen(Op::Phase, node.ref, 0));
        return emit(Op::Div, since, constant(period));
      }
      case Op::Absent:
      case Op::Choice:
      case Op::Output:
      case Op::IsPresent:
      case Op::Default:
      case Op::When:
        throw NotExpressible{};
      default:
        break;
    }
    auto operand = [&](ExprId e) { return e.valid() ? memo.at(e) : -1; };
    return emit(node.op, operand(node.a), operand(node.b), operand(node.c));
  }

  const Runtime& runtime_;
  const Plan& system_;
  const expr::Pool& pool_;
  const Cluster* cluster_;
  const FlowEvaluator::Who who_;
  FlowCode& code_;
  std::unordered_map<StateId, int32_t> states_;
  std::unordered_map<uint64_t, int32_t> constants_;
  std::unordered_set<int32_t> fixed_;  // registers of constants
  std::map<std::tuple<Op, int32_t, double>, int32_t> frozen_;
  std::map<std::pair<const Slot*, int>, int32_t> variables_, right_sides_;
  Memo memo_;
  int depth_ = 0;
};

std::unique_ptr<FlowCode> FlowCode::of_rates(const Runtime& runtime, const Cluster& cluster) {
  auto code = std::make_unique<FlowCode>();
  try {
    FlowCodeBuilder builder(runtime, &cluster, FlowEvaluator::Who::Run, *code);
    const model::Model& m = runtime.system.model();
    for (const auto& slot : cluster.slots) {
      for (std::size_t s = 0; s < slot->island->states().size(); ++s) {
        const int variable = slot->island->rate_variable(static_cast<int>(s));
        builder.add_result(builder.gated(m.states[slot->island->states()[s]].region,
                                         builder.variable(*slot, variable)));
      }
    }
    for (StateId id : cluster.integrals) {
      const model::State& state = m.states[id];
      builder.add_result(builder.gated(state.region, builder.expression(state.rate)));
    }
  } catch (const NotExpressible&) {
    return nullptr;
  }
  return code;
}

std::unique_ptr<FlowCode> FlowCode::of_expression(const Runtime& runtime, ExprId expr,
                                                  FlowEvaluator::Who who) {
  auto code = std::make_unique<FlowCode>();
  try {
    FlowCodeBuilder builder(runtime, nullptr, who, *code);
    builder.add_result(builder.expression(expr));
  } catch (const NotExpressible&) {
    return nullptr;
  }
  for (double value : code->registers_) code->jets_.push_back(solve::Jet::constant(value));
  return code;
}

void FlowCode::refresh(FlowEvaluator& flow, const Runtime& runtime) {
  for (const Frozen& frozen : frozen_) {
    double& value = registers_[at(frozen.target)];
    if (frozen.op == Op::Less) {
      value = runtime.state.truth[at(frozen.ref)] ? 1 : 0;
    } else if (frozen.op == Op::Equal) {
      value = flow.is_kept(RelationId(at(frozen.ref))) ? 1 : 0;
    } else if (frozen.op == Op::If) {
      value = runtime.is_active(RegionId(at(frozen.ref))) ? 1 : 0;
    } else if (frozen.op == Op::Phase) {
      const ClockId clock(at(frozen.ref));
      value = runtime.period_begin(clock, runtime.state.clock_count[at(clock)]);
    } else {
      value = flow.leaf(frozen.op, frozen.ref, frozen.value);
    }
  }
}

void FlowCode::execute() {
  double* r = registers_.data();
  for (const Instruction& in : code_) r[in.target] = apply(in, r);
}

void FlowCode::run(double t, std::span<const double> x, std::span<double> results) {
  if (time_ >= 0) registers_[at(time_)] = t;
  for (const Input& input : inputs_) registers_[at(input.target)] = x[at(input.component)];
  execute();
  for (std::size_t i = 0; i < results_.size(); ++i) results[i] = registers_[at(results_[i])];
}

double FlowCode::run(double t) {
  if (time_ >= 0) registers_[at(time_)] = t;
  for (const Input& input : inputs_) {
    registers_[at(input.target)] = input.dense->interpolate(t, input.component);
  }
  execute();
  return registers_[at(results_[0])];
}

namespace {

// t as a function of u.
solve::Jet time_on(double a, double b, solve::Gap::Where where) {
  using solve::Interval;
  solve::Jet out;
  const double middle = 0.5 * a + 0.5 * b;
  out.c[0] = where == solve::Gap::Where::Whole ? Interval{a, b}
             : a == b                          ? Interval::at(a)
                                               : solve::widened(middle, middle);
  out.c[1] = 0.5 * (Interval::at(b) - Interval::at(a));
  out.degree = a == b ? 0 : 1;
  return out;
}

solve::Jet state_on(const solve::Solver& dense, int component, double a, double b) {
  using solve::Interval;
  solve::Solver::PowerSeries c;
  const int degree = dense.power_series(component, c);
  const double half = 0.5 * a + 0.5 * b;
  const Interval middle = a == b ? Interval::at(a) : solve::widened(half, half);
  const Interval begin = Interval::at(dense.begin());
  const Interval length = Interval::at(dense.end()) - begin;
  const Interval centre = (middle - begin) / length;
  const Interval radius = 0.5 * (Interval::at(b) - Interval::at(a)) / length;
  return solve::polynomial_at(std::span<const Interval>(c).first(at(degree + 1)), centre,
                              radius.magnitude());
}

}  // namespace

void FlowCode::expand(double a, double b, solve::Gap::Where where, solve::Jet& out) {
  CRADLE_ASSERT(!jets_.empty(), "an expression, and not rates");
  for (const Frozen& frozen : frozen_) {
    jets_[at(frozen.target)] = solve::Jet::constant(registers_[at(frozen.target)]);
  }
  if (time_ >= 0) jets_[at(time_)] = time_on(a, b, where);
  for (const Input& input : inputs_) {
    const solve::Jet jet = state_on(*input.dense, input.component, a, b);
    jets_[at(input.target)] = where == solve::Gap::Where::Whole ? solve::over_interval(jet) : jet;
  }
  for (const Instruction& in : code_) {
    const auto operand = [this](int32_t r) -> const solve::Jet& { return jets_[at(r)]; };
    solve::Jet& target = jets_[at(in.target)];
    if (in.op == Op::If) {
      solve::choose(operand(in.a), operand(in.b), operand(in.c), target);
    } else if (in.op == Op::Mul && in.c >= 0) {
      solve::multiply_add(operand(in.a), operand(in.b), operand(in.c), target);
    } else if (in.b < 0) {
      solve::apply(in.op, operand(in.a), target);
    } else {
      solve::apply(in.op, operand(in.a), operand(in.b), target);
    }
  }
  out = jets_[at(results_[0])];
}

std::size_t FlowCode::bytes() const {
  return sizeof(FlowCode) + registers_.size() * sizeof(double) +
         code_.size() * sizeof(Instruction) + frozen_.size() * sizeof(Frozen) +
         inputs_.size() * sizeof(Input) + results_.size() * sizeof(int32_t) +
         jets_.capacity() * sizeof(solve::Jet);
}

}  // namespace cradle::engine
