#include "core/plan/mode_code.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/plan/right_side.hpp"
#include "language/expr/derivative_rules.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

// Thrown, and caught, where straight-line code cannot say it.
struct NotExpressible {};

// For instructions that read registers alone.
struct NoSlots {
  static double leaf(Op, int32_t, int32_t) { return 0; }
  static bool truth(int32_t) { return false; }
};

// Writes the code of a mode: what is the same is computed once, what is made of constants is one.
class Writer {
 public:
  int32_t constant(double value) {
    auto [place, is_new] = constant_of_.try_emplace(std::bit_cast<uint64_t>(value), -1);
    if (is_new) {
      place->second = fresh(value, true);
      constants_.push_back(Instruction::constant(place->second, value));
    }
    return place->second;
  }
  bool is_constant(int32_t r, double value) const {
    return fixed_[at(r)] != 0 && numbers_[at(r)] == value;
  }
  int32_t frozen(const Instruction& in) { return slot(frozen_, in); }
  int32_t input(const Instruction& in) { return slot(inputs_, in); }
  std::size_t size() const { return rest_.size(); }

  int32_t emit(Instruction in) {
    const auto is_fixed = [this](int32_t r) { return r < 0 || fixed_[at(r)] != 0; };
    if (is_fixed(in.a) && is_fixed(in.b) && is_fixed(in.c)) {
      in.target = fresh();
      NoSlots none;
      execute<double>({&in, 1}, 0, 1, none, numbers_.data(), Truths::Judged);
      const double value = numbers_.back();
      numbers_.pop_back();
      fixed_.pop_back();
      return constant(value);
    }
    return slot(rest_, in);
  }
  int32_t emit(Op op, int32_t a, int32_t b = -1) { return emit(instruction_for(op, -1, a, b)); }
  int32_t select(int32_t condition, int32_t a, int32_t b) {
    return emit({Do::Select, Op::If, -1, condition, a, b});
  }

  ModeCode finish(std::vector<StateId> states, std::vector<int32_t> results) {
    drop_unread(results);
    ModeCode out;
    out.list.reserve(constants_.size() + frozen_.size() + inputs_.size() + rest_.size());
    const auto add = [&](const std::vector<Instruction>& phase) {
      out.list.insert(out.list.end(), phase.begin(), phase.end());
      return out.list.size();
    };
    out.constants = add(constants_);
    out.frozen = add(frozen_);
    out.inputs = add(inputs_);
    add(rest_);
    for (std::size_t i = 0; i < out.list.size(); ++i) {
      if (out.list[i].what == Do::Truth) out.list[i].c = static_cast<int32_t>(i) + 1;
    }
    out.registers = static_cast<int>(numbers_.size());
    out.states = std::move(states);
    out.results = std::move(results);
    return out;
  }

 private:
  int32_t fresh(double value = 0, bool fixed = false) {
    numbers_.push_back(value);
    fixed_.push_back(fixed ? 1 : 0);
    return static_cast<int32_t>(numbers_.size()) - 1;
  }
  int32_t slot(std::vector<Instruction>& phase, Instruction in) {
    auto [place, is_new] = computed_.try_emplace({in.what, in.op, in.a, in.b, in.c}, -1);
    if (is_new) {
      in.target = place->second = fresh();
      phase.push_back(in);
    }
    return place->second;
  }
  // What no result reads.
  void drop_unread(const std::vector<int32_t>& results) {
    std::vector<char> read(numbers_.size(), 0);
    for (int32_t r : results) read[at(r)] = 1;
    for (auto in = rest_.rbegin(); in != rest_.rend(); ++in) {
      if (read[at(in->target)] == 0) continue;
      for (int32_t r : {in->a, in->b, in->c}) {
        if (r >= 0) read[at(r)] = 1;
      }
    }
    for (auto* phase : {&constants_, &frozen_, &inputs_, &rest_}) {
      std::erase_if(*phase, [&](const Instruction& in) { return read[at(in.target)] == 0; });
    }
  }

  using Key = std::tuple<Do, Op, int32_t, int32_t, int32_t>;
  std::vector<Instruction> constants_, frozen_, inputs_, rest_;
  std::vector<double> numbers_;  // by register: of constants
  std::vector<char> fixed_;      // by register: is it a constant?
  std::unordered_map<uint64_t, int32_t> constant_of_;
  std::map<Key, int32_t> computed_;
};

class Unfolding {
 public:
  // `units`: whose states alone may be read; empty: any.
  Unfolding(const Plan& plan, std::span<const UnitId> units, Reader reader,
            const IslandOfCell& in_force)
      : plan_(plan), m_(plan.model()), units_(units), reader_(reader), in_force_(in_force) {}

  void add_result(int32_t value) { results_.push_back(value); }

  ModeCode finish() { return writer_.finish(std::move(states_), std::move(results_)); }

  // A rate is zero while the mode that its state lives in is not active.
  int32_t gated(RegionId region, int32_t rate) {
    if (!region.valid()) return rate;
    return emit(
        {Do::Select, Op::If, -1, frozen({Do::Lives, Op::If, -1, region.index}), rate, constant(0)});
  }

  int32_t expression(ExprId root) {
    if (auto it = expressions_.find(root); it != expressions_.end()) return it->second;
    const int32_t result = code(plan_.formula(root), nullptr);
    expressions_.emplace(root, result);
    return result;
  }

  int32_t variable(const Island& island, int local) {
    const auto key = std::pair(&island, local);
    if (auto it = variables_.find(key); it != variables_.end()) return it->second;
    int32_t result = -1;
    if (int given = island.given_by(local); given >= 0) {
      result = right_side(island, given);
    } else {
      const Island* rows = island.uses_rows() ? &island : island.in_order();
      if (rows == nullptr) throw NotExpressible{};
      const LinearRow& row = rows->row(local);
      result = constant(0);
      for (const auto& entry : row.b) {
        result = sum(result, entry.coefficient, right_side(island, entry.equation));
      }
      for (const auto& entry : row.b_rate) {
        result =
            sum(result, entry.coefficient, expression(rows->equations()[at(entry.equation)].rate));
      }
    }
    variables_.emplace(key, result);
    return result;
  }

 private:
  static constexpr int kDepth = 200;  // of signals and laws in one another
  static constexpr std::size_t kSize = 1u << 20;
  using Locals = std::vector<int32_t>;

  int32_t constant(double value) { return writer_.constant(value); }
  int32_t emit(const Instruction& in) {
    if (writer_.size() >= kSize) throw NotExpressible{};
    return writer_.emit(in);
  }
  int32_t emit(Op op, int32_t a, int32_t b = -1) { return emit(instruction_for(op, -1, a, b)); }
  int32_t select(int32_t condition, int32_t a, int32_t b) {
    return emit({Do::Select, Op::If, -1, condition, a, b});
  }
  // c + coefficient · a, as the evaluator adds it up.
  int32_t sum(int32_t c, double coefficient, int32_t a) {
    return emit({Do::MultiplyAdd, Op::Mul, -1, constant(coefficient), a, c});
  }
  int32_t frozen(const Instruction& in) { return writer_.frozen(in); }
  int32_t truth(int32_t relation) { return frozen({Do::Truth, Op::Less, -1, relation}); }
  int32_t time() { return writer_.input({Do::Load, Op::Time, -1}); }
  int32_t state(StateId id) {
    if (!is_own(plan_.unit_of(id))) throw NotExpressible{};
    auto [place, is_new] = place_of_.try_emplace(id, static_cast<int32_t>(states_.size()));
    if (is_new) states_.push_back(id);
    return writer_.input({Do::Load, Op::State, -1, id.index, place->second});
  }
  bool is_own(UnitId unit) const {
    return units_.empty() || std::binary_search(units_.begin(), units_.end(), unit);
  }

  int32_t right_side(const Island& island, int index) {
    const auto key = std::pair(&island, index);
    if (auto it = right_sides_.find(key); it != right_sides_.end()) return it->second;
    const int32_t result = plan::right_side(island.equations()[at(index)], Terms{*this, island});
    right_sides_.emplace(key, result);
    return result;
  }

  // For plan::right_side.
  struct Terms {
    Unfolding& code;
    const Island& island;
    int32_t number(double offset) const { return code.constant(offset); }
    int32_t formula(ExprId expr) const { return code.expression(expr); }
    int32_t law(const Equation& equation) const {
      if (equation.piece.valid()) return code.expression(equation.piece);
      Locals locals;
      if (equation.kind == Equation::Kind::Resistor) {
        if (island.in_order() == nullptr) throw NotExpressible{};
        locals.push_back(code.variable(island, equation.argument));
      }
      for (StateId s : equation.states) locals.push_back(code.state(s));
      return code.code(code.plan_.formula(equation.law), &locals);
    }
    int32_t add(int32_t sum, double coefficient, StateId state) const {
      return code.sum(sum, coefficient, code.state(state));
    }
    int32_t add(int32_t sum, int32_t term) const { return code.emit(Op::Add, sum, term); }
  };

  int32_t power(Op op, BondId bond) {
    const CellId cell = plan_.cell_of(bond);
    if (!is_own(plan_.cells()[cell].unit)) throw NotExpressible{};
    const Island& island = in_force_(cell);
    const int index = island.offset_of(cell) + plan_.index_in_cell(bond);
    return variable(island, 2 * index + (op == Op::Effort ? 0 : 1));
  }

  // Both branches of a conditional, or what is judged unless a truth is kept, up to where it ends.
  struct Open {
    int32_t end;
    int32_t condition;
    int32_t result;      // where both leave theirs
    int32_t other = -1;  // if the condition holds
  };

  // What the code of an expression leaves, registers being names for those of this code.
  int32_t code(const Code& root, const Locals* locals) {
    if (++depth_ > kDepth) throw NotExpressible{};
    std::vector<int32_t> r(at(root.registers), -1);
    std::vector<Open> open;
    const auto end = static_cast<int32_t>(root.list.size());
    for (int32_t pc = 0; pc <= end;) {
      for (; !open.empty() && open.back().end == pc; open.pop_back()) {
        const Open& o = open.back();
        r[at(o.result)] = select(o.condition, o.other, r[at(o.result)]);
      }
      if (pc == end) break;
      pc = step(root.list[at(pc)], pc, locals, r, open);
    }
    --depth_;
    return r[0];
  }

  // The place of the next instruction.
  int32_t step(const Instruction& in, int32_t pc, const Locals* locals, std::vector<int32_t>& r,
               std::vector<Open>& open) {
    const auto operand = [&](int32_t i) { return i < 0 ? -1 : r[at(i)]; };
    switch (in.what) {
      case Do::Constant:
        r[at(in.target)] = constant(in.number());
        break;
      case Do::Load:
        r[at(in.target)] = leaf(in, locals);
        break;
      case Do::Truth:
        require_present(in.a);
        if (reader_ == Reader::Run) {
          r[at(in.target)] = truth(in.a);
          return in.c;
        }
        open.push_back({in.c, kept(in.a), in.target, truth(in.a)});
        break;
      case Do::Side:
        require_present(in.c);
        r[at(in.target)] = side(in, operand(in.a), operand(in.b));
        break;
      case Do::Apply1:
        if (in.op == Op::IsPresent) throw NotExpressible{};
        [[fallthrough]];
      case Do::Apply2:
      case Do::Add:
      case Do::Sub:
      case Do::Mul:
      case Do::Div:
        r[at(in.target)] = emit({in.what, in.op, -1, operand(in.a), operand(in.b)});
        break;
      case Do::MultiplyAdd:
      case Do::Select:
        r[at(in.target)] = emit({in.what, in.op, -1, operand(in.a), operand(in.b), operand(in.c)});
        break;
      case Do::JumpIfFalse:
        open.push_back({in.c, operand(in.a), in.a});
        break;
      case Do::Jump:  // ends the first branch
        open.back().other = r[at(open.back().result)];
        break;
      case Do::JumpIfDecided:
        break;  // all of it is computed
      case Do::Compare:
      case Do::JumpIfPresent:
      case Do::JumpUnless:
      case Do::Kept:
      case Do::Lives:
      case Do::PeriodBegin:
        throw NotExpressible{};
    }
    return pc + 1;
  }

  void require_present(int32_t relation) const {
    if (plan_.relations()[RelationId(at(relation))].truth.optional) throw NotExpressible{};
  }
  int32_t kept(int32_t relation) { return frozen({Do::Kept, Op::Equal, -1, relation}); }

  // abs, min or max, on the side of its kink on which it is; for one who looks on: what was judged,
  // unless the run keeps a truth.
  int32_t side(const Instruction& in, int32_t a, int32_t b) {
    const int32_t holds = truth(in.c);
    const int32_t frozen = in.op == Op::Abs   ? select(holds, a, emit(Op::Neg, a))
                           : in.op == Op::Min ? select(holds, a, b)
                                              : select(holds, b, a);
    if (reader_ == Reader::Run) return frozen;
    return select(kept(in.c), frozen, emit(in.op, a, b));
  }

  int32_t leaf(const Instruction& in, const Locals* locals) {
    switch (in.op) {
      case Op::Parameter:
        return constant(plan_.number(in.a));
      case Op::Omega:
        return constant(0);  // ω has no finite part
      case Op::Time:
        return time();
      case Op::Local:
        if (locals == nullptr) throw NotExpressible{};
        return (*locals)[at(in.a)];
      case Op::State:
        return state(StateId(at(in.a)));
      case Op::Signal:
        return expression(m_.signals[SignalId(at(in.a))].value);
      case Op::Effort:
      case Op::Flow:
        return power(in.op, BondId(at(in.a)));
      case Op::Pre:
        if (plan_.formula(m_.pool.pres()[at(in.a)]).optional) throw NotExpressible{};
        return frozen({Do::Load, in.op, -1, in.a, in.b});
      case Op::InMode:
      case Op::Active:
      case Op::Count:
      case Op::Input:
        return frozen({Do::Load, in.op, -1, in.a, in.b});
      case Op::Memory:
        if (!m_.memories[MemoryId(at(in.a))].lasts()) throw NotExpressible{};
        return frozen({Do::Load, in.op, -1, in.a, in.b});
      case Op::Phase: {
        const double period = plan_.period(m_.clocks[ClockId(at(in.a))]);
        const int32_t begin = frozen({Do::PeriodBegin, Op::Phase, -1, in.a});
        return emit(Op::Div, emit(Op::Sub, time(), begin), constant(period));
      }
      default:
        throw NotExpressible{};  // may be absent
    }
  }

  const Plan& plan_;
  const model::Model& m_;
  const std::span<const UnitId> units_;
  const Reader reader_;
  const IslandOfCell& in_force_;
  Writer writer_;
  std::vector<StateId> states_;
  std::vector<int32_t> results_;
  std::unordered_map<StateId, int32_t> place_of_;  // in states_
  std::unordered_map<ExprId, int32_t> expressions_;
  std::map<std::pair<const Island*, int>, int32_t> variables_, right_sides_;
  int depth_ = 0;
};

// A register, or nothing: a derivative that is zero by structure.
struct Term {
  int32_t index = -1;
  bool valid() const { return index >= 0; }
  bool operator==(const Term&) const = default;
};

// For expr::DerivativeRules.
struct CodeBuilder {
  using Term = plan::Term;
  Writer& writer;

  Term constant(double value) const { return {writer.constant(value)}; }
  Term unary(Op op, Term a) const { return {writer.emit(op, a.index)}; }
  Term binary(Op op, Term a, Term b) const {
    if (op == Op::Mul && writer.is_constant(a.index, 1)) return b;
    if (op == Op::Mul && writer.is_constant(b.index, 1)) return a;
    return {writer.emit(op, a.index, b.index)};
  }
  Term conditional(Term condition, Term a, Term b) const {
    return {writer.select(condition.index, a.index, b.index)};
  }
  static Term when(Term a, Term) { return a; }  // in the code of a mode nothing is absent
};

// Forward accumulation: each register has its derivatives by the states that it reads.
class Accumulation {
 public:
  explicit Accumulation(const ModeCode& code)
      : code_(code), register_of_(at(code.registers), -1), by_state_(at(code.registers)) {}

  Jacobian run() {
    for (std::size_t i = 0; i < code_.list.size(); ++i) step(i);
    Jacobian out;
    std::vector<int32_t> results;
    for (std::size_t row = 0; row < code_.results.size(); ++row) {
      for (const auto& [state, d] : by_state_[at(code_.results[row])]) {
        out.entries.push_back({static_cast<int>(row), code_.states[at(state)]});
        results.push_back(d.index);
      }
    }
    out.code = writer_.finish(code_.states, std::move(results));
    return out;
  }

 private:
  using Partials = std::map<int32_t, Term>;  // by the place of a state, without those that are zero

  void step(std::size_t i) {
    Instruction in = code_.list[i];
    int32_t& written = register_of_[at(in.target)];
    if (i < code_.constants) {
      written = writer_.constant(in.number());
    } else if (i < code_.frozen) {
      in.c = -1;
      written = writer_.frozen(in);
    } else if (i < code_.inputs) {
      written = writer_.input(in);
      if (in.op == Op::State) by_state_[at(in.target)] = {{in.b, {writer_.constant(1)}}};
    } else {
      const auto operand = [this](int32_t r) { return r < 0 ? -1 : register_of_[at(r)]; };
      written = writer_.emit({in.what, in.op, -1, operand(in.a), operand(in.b), operand(in.c)});
      differentiate(in);
    }
  }

  void differentiate(const Instruction& in) {
    Partials own;
    for (int32_t r : {in.a, in.b, in.c}) {
      if (r < 0) continue;
      for (const auto& [state, d] : by_state_[at(r)]) own.try_emplace(state);
    }
    const auto term = [this](int32_t r) { return Term{r < 0 ? -1 : register_of_[at(r)]}; };
    const auto partial = [this](int32_t r, int32_t state) {
      if (r < 0) return Term();
      const auto found = by_state_[at(r)].find(state);
      return found == by_state_[at(r)].end() ? Term() : found->second;
    };
    for (auto& [state, d] : own) {
      const Term da = partial(in.a, state), db = partial(in.b, state), dc = partial(in.c, state);
      d = in.what == Do::MultiplyAdd
              ? rules_.sum(rules_({Op::Mul, {}, term(in.a), term(in.b), {}}, da, db, {}), dc)
              : rules_({in.op, term(in.target), term(in.a), term(in.b), term(in.c)}, da, db, dc);
    }
    std::erase_if(own, [](const auto& item) { return !item.second.valid(); });
    by_state_[at(in.target)] = std::move(own);
  }

  const ModeCode& code_;
  Writer writer_;
  expr::DerivativeRules<CodeBuilder> rules_{CodeBuilder{writer_}};
  std::vector<int32_t> register_of_;  // by register of the code
  std::vector<Partials> by_state_;    // the same
};

}  // namespace

Jacobian jacobian_of(const ModeCode& rates) {
  CRADLE_ASSERT(rates.exists(), "there is code");
  return Accumulation(rates).run();
}

ModeCode code_of_rates(const Plan& plan, std::span<const UnitId> units,
                       std::span<const Island* const> islands, std::span<const StateId> integrals,
                       const IslandOfCell& in_force) {
  try {
    Unfolding code(plan, units, Reader::Run, in_force);
    const model::Model& m = plan.model();
    for (const Island* island : islands) {
      for (std::size_t s = 0; s < island->states().size(); ++s) {
        const int variable = island->rate_variable(static_cast<int>(s));
        code.add_result(
            code.gated(m.states[island->states()[s]].region, code.variable(*island, variable)));
      }
    }
    for (StateId id : integrals) {
      const model::State& state = m.states[id];
      code.add_result(code.gated(state.region, code.expression(state.rate)));
    }
    return code.finish();
  } catch (const NotExpressible&) {
    return {};
  }
}

ModeCode code_of_expression(const Plan& plan, ExprId expr, Reader reader,
                            const IslandOfCell& in_force) {
  try {
    Unfolding code(plan, {}, reader, in_force);
    code.add_result(code.expression(expr));
    return code.finish();
  } catch (const NotExpressible&) {
    return {};
  }
}

}  // namespace cradle::plan
