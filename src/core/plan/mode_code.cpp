#include "core/plan/mode_code.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/plan/island_code.hpp"
#include "core/plan/right_side.hpp"
#include "core/plan/sensitivity.hpp"
#include "language/expr/derivative_rules.hpp"
#include "language/model/open.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

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
    if (in.what == Do::Apply1 && in.op == Op::Neg) {
      if (const auto twice = negated_.find(in.a); twice != negated_.end()) return twice->second;
      const int32_t made = slot(rest_, in);
      negated_.emplace(made, in.a);
      return made;
    }
    return slot(rest_, in);
  }
  int32_t emit(Op op, int32_t a, int32_t b = -1) { return emit(instruction_for(op, -1, a, b)); }
  int32_t select(int32_t condition, int32_t a, int32_t b) {
    return emit({Do::Select, Op::If, -1, condition, a, b});
  }

  ModeCode finish(std::vector<StateId> states, std::vector<int32_t> results, int32_t sound) {
    drop_unread(results, sound);
    ModeCode out;
    out.list.reserve(constants_.size() + frozen_.size() + inputs_.size() + rest_.size());
    const auto add = [&](const std::vector<Instruction>& phase) {
      out.list.insert(out.list.end(), phase.begin(), phase.end());
      return out.list.size();
    };
    out.constants = add(constants_);
    out.frozen = add(frozen_);
    out.inputs = add(inputs_);
    out.checks = add(rest_);
    add(checks_);
    for (std::size_t i = 0; i < out.list.size(); ++i) {
      if (out.list[i].what == Do::Truth) out.list[i].c = static_cast<int32_t>(i) + 1;
    }
    out.registers = static_cast<int>(numbers_.size());
    out.states = std::move(states);
    out.results = std::move(results);
    out.sound = sound;
    out.compiled = std::make_shared<const Compiled>();
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
  // What no result reads is not needed, or only for the checks.
  void drop_unread(const std::vector<int32_t>& results, int32_t sound) {
    std::vector<char> read(numbers_.size(), 0), checked(numbers_.size(), 0);
    for (int32_t r : results) read[at(r)] = 1;
    if (sound >= 0) checked[at(sound)] = 1;
    for (auto in = rest_.rbegin(); in != rest_.rend(); ++in) {
      for (std::vector<char>* by : {&read, &checked}) {
        if ((*by)[at(in->target)] == 0) continue;
        for (int32_t r : {in->a, in->b, in->c}) {
          if (r >= 0) (*by)[at(r)] = 1;
        }
      }
    }
    for (const Instruction& in : rest_) {
      if (checked[at(in.target)] != 0 && read[at(in.target)] == 0) checks_.push_back(in);
    }
    std::erase_if(rest_, [&](const Instruction& in) { return read[at(in.target)] == 0; });
    for (auto* phase : {&constants_, &frozen_, &inputs_}) {
      std::erase_if(*phase, [&](const Instruction& in) {
        return read[at(in.target)] == 0 && checked[at(in.target)] == 0;
      });
    }
  }

  struct Key {
    Do what;
    Op op;
    int32_t a, b, c;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      uint64_t h = static_cast<uint64_t>(key.what) << 8 | static_cast<uint64_t>(key.op);
      for (int32_t part : {key.a, key.b, key.c}) {
        h = (h ^ static_cast<uint32_t>(part)) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
      }
      return h;
    }
  };
  std::vector<Instruction> constants_, frozen_, inputs_, rest_, checks_;
  std::vector<double> numbers_;  // by register: of constants
  std::vector<char> fixed_;      // by register: is it a constant?
  std::unordered_map<uint64_t, int32_t> constant_of_;
  std::unordered_map<Key, int32_t, KeyHash> computed_;
  std::unordered_map<int32_t, int32_t> negated_;  // −a: a
};

class Unfolding final : public ModeWriter {
 public:
  // `units`: whose states alone may be read, as the solver has them; empty: any, of a dense output,
  // projected onto constraints that sources drive.
  Unfolding(const Plan& plan, std::span<const UnitId> units, Reader reader,
            const IslandOfCell& in_force)
      : plan_(plan), m_(plan.model()), units_(units), reader_(reader), in_force_(in_force) {}

  void add_result(int32_t value) { results_.push_back(value); }

  ModeCode finish() {
    int32_t sound = -1;
    for (const auto& [island, code] : islands_) {
      if (code->sound() < 0) continue;
      sound = sound < 0 ? code->sound() : emit(Op::And, sound, code->sound());
    }
    return writer_.finish(std::move(states_), std::move(results_), sound);
  }

  // A rate is zero while the mode that its state lives in is not active.
  int32_t gated(RegionId region, int32_t rate) {
    if (!region.valid()) return rate;
    return emit(
        {Do::Select, Op::If, -1, frozen({Do::Lives, Op::If, -1, region.index}), rate, constant(0)});
  }

  // What is absent is worth nothing.
  int32_t expression(ExprId root) override { return present(optional_expression(root)); }

  // May be absent.
  int32_t optional_expression(ExprId root) {
    if (auto it = expressions_.find(root); it != expressions_.end()) return it->second;
    const int32_t result = code(plan_.formula(root), nullptr);
    expressions_.emplace(root, result);
    return result;
  }
  static bool is_absent(int32_t r) { return r == kAbsent; }

  int32_t variable(const Island& island, int local) {
    const auto key = std::pair(&island, local);
    if (auto it = variables_.find(key); it != variables_.end()) return it->second;
    int32_t result = -1;
    if (int given = island.given_by(local); given >= 0) {
      result = right_side(island, given);
    } else {
      const Island* rows = island.is_direct() ? &island : island.in_order();
      result = rows == nullptr     ? code_of(island).variable(local)
               : rows->uses_rows() ? row_sum(island, *rows, local)
                                   : substituted(island, *rows, local);
    }
    variables_.emplace(key, result);
    return result;
  }

  // For what is eliminated.
  int32_t number(double value) override { return constant(value); }
  int32_t apply(Op op, int32_t a, int32_t b = -1) override { return emit(op, a, b); }
  int32_t add_product(int32_t c, int32_t a, int32_t b) override {
    return emit({Do::MultiplyAdd, Op::Mul, -1, a, b, c});
  }
  int32_t law(ExprId law, const Equation& store) override {
    Locals locals;
    for (StateId s : store.states) locals.push_back(state(s));
    return present(code(plan_.formula(law), &locals));
  }
  int32_t resistor(const Equation& equation, int32_t argument) override {
    const Locals locals{argument};
    const ExprId law = equation.piece.valid() ? equation.piece : equation.law;
    return present(code(plan_.formula(law), &locals));
  }
  int32_t right_side(const Island& island, int index) override {
    const auto key = std::pair(&island, index);
    if (auto it = right_sides_.find(key); it != right_sides_.end()) return it->second;
    const int32_t result =
        plan::right_side(island.equations()[at(index)], Terms{*this, island, States::Projected});
    right_sides_.emplace(key, result);
    return result;
  }

 private:
  static constexpr int kDepth = 200;  // of signals and laws in one another
  static constexpr std::size_t kSize = 1u << 24;
  static constexpr std::size_t kBonds = 128;  // of an island that is eliminated
  using Locals = std::vector<int32_t>;

  // Whether there is a value is known when the code is made: events last for one microstep, so that
  // while time flows there are none.
  static constexpr int32_t kAbsent = -2;
  int32_t present(int32_t r) { return is_absent(r) ? constant(0) : r; }

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
  int32_t times(double factor, int32_t a) {
    return factor == 1 ? a : emit(Op::Mul, constant(factor), a);
  }
  int32_t frozen(const Instruction& in) { return writer_.frozen(in); }
  int32_t truth(int32_t comparison) { return frozen({Do::Truth, Op::Less, -1, comparison}); }
  int32_t time() { return writer_.input({Do::Load, Op::Time, -1}); }
  int32_t state(StateId id) {
    const model::State& state = m_.states[id];
    if (!units_.empty() || !state.element.valid()) return given_state(id);
    if (auto it = projected_.find(id); it != projected_.end()) return it->second;
    int32_t result = given_state(id);
    const CellId cell = plan_.cell_of(m_.elements[state.element].ports[at(state.port)].bond);
    const Island& island = in_force_(cell);
    const int variable = island.rate_variable(island.local_state(id));
    if (island.is_driven()) {
      // What restores the constraints of a large island comes with a solution of all of it.
      if (!island.uses_rows()) throw NotExpressible{};
      for (int k : island.releasing(variable)) {
        if (!island.is_driven(k)) continue;
        result = sum(result, -island.release(variable, k), violation(island, k));
      }
    }
    projected_.emplace(id, result);
    return result;
  }
  // ℓ b of a constraint, on states as they are given.
  int32_t violation(const Island& island, int k) {
    const auto key = std::pair(&island, k);
    if (auto it = violations_.find(key); it != violations_.end()) return it->second;
    const linear::SparseVector& left = island.constraint(k);
    int32_t result = constant(0);
    for (std::size_t i = 0; i < left.indices.size(); ++i) {
      const Equation& equation = island.equations()[at(left.indices[i])];
      if (equation.kind == Equation::Kind::Structure) continue;
      result = sum(result, left.values[i],
                   plan::right_side(equation, Terms{*this, island, States::AsGiven}));
    }
    violations_.emplace(key, result);
    return result;
  }
  int32_t given_state(StateId id) {
    if (!is_own(plan_.unit_of(id))) throw NotExpressible{};
    auto [place, is_new] = place_of_.try_emplace(id, static_cast<int32_t>(states_.size()));
    if (is_new) states_.push_back(id);
    return writer_.input({Do::Load, Op::State, -1, id.index, place->second});
  }
  bool is_own(UnitId unit) const {
    return units_.empty() || std::binary_search(units_.begin(), units_.end(), unit);
  }

  int32_t row_sum(const Island& island, const Island& rows, int local) {
    const LinearRow& row = rows.row(local);
    int32_t result = constant(0);
    for (const auto& entry : row.b) {
      result = sum(result, entry.coefficient, right_side(island, entry.equation));
    }
    for (const auto& entry : row.b_rate) {
      result =
          sum(result, entry.coefficient, expression(rows.equations()[at(entry.equation)].rate));
    }
    return result;
  }

  // A number of a large island, behind those that it is made of. Chains are long: they are not gone
  // down by recursion, as far as laws and the elimination make them.
  int32_t substituted(const Island& island, const Island& rows, int local) {
    const linear::Substitution* nodes = rows.substitution();
    if (nodes == nullptr) throw NotExpressible{};
    const int root = nodes->node_of[at(local)];
    if (root < 0) return constant(0);
    std::unordered_map<int, int32_t>& known = nodes_[&island];
    std::vector<int> path;
    const auto need = [&](int node) {
      if (node < 0) return true;
      const auto found = known.find(node);
      if (found == known.end()) path.push_back(node);
      if (found != known.end() && found->second == kOpen) throw NotExpressible{};
      return found != known.end();
    };
    need(root);
    while (!path.empty()) {
      const int node = path.back();
      if (!for_rates() && known.size() > kMostNodes) throw NotExpressible{};
      const auto [place, is_new] = known.try_emplace(node, kOpen);
      if (!is_new && place->second != kOpen) {
        path.pop_back();
        continue;
      }
      bool ready = true;
      if (is_new) {
        for (const auto& term : nodes->terms_of(node)) ready &= need(term.node);
        ready &= need(argument_of(rows, nodes->nodes[at(node)].row));
      }
      if (!ready) continue;
      const int32_t value = node_value(island, rows, node);
      known[node] = value;
      path.pop_back();
    }
    return known.at(root);
  }
  static constexpr int32_t kOpen = -2;
  // A gap that reads all of a long chain would be proved at the cost of the chain, and so would
  // each of its neighbours: one solution of the island serves all of them.
  static constexpr std::size_t kMostNodes = 1024;
  bool for_rates() const { return !units_.empty(); }

  // The node that a law of this row reads, or −1.
  static int argument_of(const Island& rows, int row) {
    if (row < 0 || at(row) >= rows.size()) return -1;
    const Equation& equation = rows.equations()[at(row)];
    const bool law = equation.kind == Equation::Kind::Resistor && !equation.linear;
    if (!law || rows.given_by(equation.argument) >= 0) return -1;
    return rows.substitution()->node_of[at(equation.argument)];
  }

  int32_t node_value(const Island& island, const Island& rows, int node) {
    const linear::Substitution& nodes = *rows.substitution();
    const auto [row, factor, begin] = nodes.nodes[at(node)];
    int32_t result = -1;
    if (row >= 0) {
      const int32_t right = at(row) < island.size()
                                ? right_side(island, row)
                                : expression(rows.equations()[at(row) - island.size()].rate);
      result = times(factor, right);
    }
    for (const auto& term : nodes.terms_of(node)) {
      const int32_t other = nodes_[&island].at(term.node);
      result = result < 0 ? times(term.factor, other) : sum(result, term.factor, other);
    }
    return result;
  }

  // What is asked for while it is being made needs itself.
  IslandCode& code_of(const Island& island) {
    const auto is_it = [&](const auto& item) { return item.first == &island; };
    const auto known = std::find_if(islands_.begin(), islands_.end(), is_it);
    if (known != islands_.end() && known->second) return *known->second;
    if (known != islands_.end() || island.is_direct() || island.fault() ||
        island.bonds().size() > kBonds) {
      throw NotExpressible{};
    }
    const std::size_t place = islands_.size();
    islands_.emplace_back(&island, nullptr);
    islands_[place].second = std::make_unique<IslandCode>(plan_, island, *this);
    return *islands_[place].second;
  }

  // For plan::right_side.
  enum class States { AsGiven, Projected };
  struct Terms {
    Unfolding& code;
    const Island& island;
    States states;
    int32_t state(StateId id) const {
      return states == States::AsGiven ? code.given_state(id) : code.state(id);
    }
    int32_t number(double offset) const { return code.constant(offset); }
    int32_t formula(ExprId expr) const { return code.expression(expr); }
    int32_t law(const Equation& equation) const {
      if (equation.kind == Equation::Kind::Resistor) {
        return code.resistor(equation, code.variable(island, equation.argument));
      }
      if (equation.piece.valid()) return code.expression(equation.piece);
      Locals locals;
      for (StateId s : equation.states) locals.push_back(state(s));
      return code.code(code.plan_.formula(equation.law), &locals);
    }
    int32_t add(int32_t sum, double coefficient, StateId id) const {
      return code.sum(sum, coefficient, state(id));
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
        if (is_absent(o.other) != is_absent(r[at(o.result)])) throw NotExpressible{};
        if (is_absent(o.other)) continue;
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
    const bool jumps = in.what >= Do::JumpIfFalse, loads = in.what <= Do::PeriodBegin;
    const bool strict = jumps || loads ||
                        (!is_absent(operand(in.a)) && !is_absent(operand(in.b)) &&
                         (is_comparison_place(in) || !is_absent(operand(in.c))));
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
        r[at(in.target)] = strict ? side(in, operand(in.a), operand(in.b)) : kAbsent;
        break;
      case Do::Compare:
        if (reader_ == Reader::Onlooker) throw NotExpressible{};
        r[at(in.target)] = strict ? truth(in.c) : kAbsent;
        break;
      case Do::Apply1:
        if (in.op == Op::IsPresent) {
          r[at(in.target)] = constant(strict ? 1 : 0);
          break;
        }
        [[fallthrough]];
      case Do::Apply2:
      case Do::Add:
      case Do::Sub:
      case Do::Mul:
      case Do::Div:
        // One that is present may decide.
        if (!strict && (in.op == Op::And || in.op == Op::Or)) throw NotExpressible{};
        r[at(in.target)] =
            strict ? emit({in.what, in.op, -1, operand(in.a), operand(in.b)}) : kAbsent;
        break;
      case Do::MultiplyAdd:
      case Do::Select:
        r[at(in.target)] =
            strict ? emit({in.what, in.op, -1, operand(in.a), operand(in.b), operand(in.c)})
                   : kAbsent;
        break;
      case Do::JumpIfPresent:
        return is_absent(operand(in.a)) ? pc + 1 : in.b;
      case Do::JumpUnless:
        if (is_absent(operand(in.a))) {
          r[at(in.target)] = kAbsent;
          return in.b;
        }
        if (in.c != 0) throw NotExpressible{};  // a truth, which may change
        break;
      case Do::JumpIfFalse:
        if (is_absent(operand(in.a))) return in.c;
        open.push_back({in.c, operand(in.a), in.a});
        break;
      case Do::Jump:  // ends the first branch
        open.back().other = r[at(open.back().result)];
        break;
      case Do::JumpIfDecided:
        break;  // all of it is computed
      case Do::Kept:
      case Do::Lives:
      case Do::PeriodBegin:
        throw NotExpressible{};
    }
    return pc + 1;
  }

  // Its third part is a comparison, and no register.
  static bool is_comparison_place(const Instruction& in) {
    return in.what == Do::Apply2 || in.what == Do::Compare || in.what == Do::Side;
  }

  void require_present(int32_t comparison) const {
    if (plan_.comparisons()[ComparisonId(at(comparison))].truth.optional) throw NotExpressible{};
  }
  int32_t kept(int32_t comparison) { return frozen({Do::Kept, Op::Equal, -1, comparison}); }

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
        return optional_expression(m_.signals[SignalId(at(in.a))].value);
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
        if (!m_.memories[MemoryId(at(in.a))].lasts()) return kAbsent;
        return frozen({Do::Load, in.op, -1, in.a, in.b});
      case Op::Phase: {
        const double period = plan_.period(m_.clocks[ClockId(at(in.a))]);
        const int32_t begin = frozen({Do::PeriodBegin, Op::Phase, -1, in.a});
        return emit(Op::Div, emit(Op::Sub, time(), begin), constant(period));
      }
      case Op::Absent:
      case Op::Choice:
      case Op::Output:
        return kAbsent;
      default:
        throw NotExpressible{};
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
  std::unordered_map<StateId, int32_t> projected_;
  std::unordered_map<ExprId, int32_t> expressions_;
  std::map<std::pair<const Island*, int>, int32_t> variables_, right_sides_, violations_;
  std::unordered_map<const Island*, std::unordered_map<int, int32_t>> nodes_;   // of substitutions
  std::vector<std::pair<const Island*, std::unique_ptr<IslandCode>>> islands_;  // as they are met
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

// Forward accumulation: each register has its derivatives by the leaves that it reads: states, or
// values of inputs.
class Accumulation {
 public:
  Accumulation(const ModeCode& code, Op by)
      : code_(code), by_(by), register_of_(at(code.registers), -1), partials_(at(code.registers)) {}

  // False: there would be more.
  bool run(std::size_t most) {
    for (std::size_t i = 0; i < code_.list.size(); ++i) {
      step(i);
      if (made_ > most) return false;
    }
    return true;
  }

  // add(row, leaf): a state by its place in the code, an input by its clock.
  template <class Add>
  ModeCode finish(Add&& add) {
    std::vector<int32_t> results;
    for (std::size_t row = 0; row < code_.results.size(); ++row) {
      for (const auto& [leaf, d] : partials_[at(code_.results[row])]) {
        add(static_cast<int>(row), leaf);
        results.push_back(d.index);
      }
    }
    const int32_t sound = code_.sound < 0 ? -1 : register_of_[at(code_.sound)];
    return writer_.finish(code_.states, std::move(results), sound);
  }

 private:
  using Partials = std::map<int32_t, Term>;  // by leaf, without those that are zero

  bool is_leaf(const Instruction& in) const {
    if (in.what != Do::Load || in.op != by_) return false;
    return by_ == Op::State || in.b == static_cast<int32_t>(model::InputPart::Value);
  }

  void step(std::size_t i) {
    Instruction in = code_.list[i];
    int32_t& written = register_of_[at(in.target)];
    if (i < code_.constants) {
      written = writer_.constant(in.number());
    } else if (i < code_.frozen) {
      in.c = -1;
      written = writer_.frozen(in);
      if (is_leaf(in)) partials_[at(in.target)] = {{in.a, {writer_.constant(1)}}};
    } else if (i < code_.inputs) {
      written = writer_.input(in);
      if (is_leaf(in)) partials_[at(in.target)] = {{in.b, {writer_.constant(1)}}};
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
      for (const auto& [leaf, d] : partials_[at(r)]) own.try_emplace(leaf);
    }
    const auto term = [this](int32_t r) { return Term{r < 0 ? -1 : register_of_[at(r)]}; };
    const auto partial = [this](int32_t r, int32_t leaf) {
      if (r < 0) return Term();
      const auto found = partials_[at(r)].find(leaf);
      return found == partials_[at(r)].end() ? Term() : found->second;
    };
    for (auto& [leaf, d] : own) {
      const Term da = partial(in.a, leaf), db = partial(in.b, leaf), dc = partial(in.c, leaf);
      d = in.what == Do::MultiplyAdd
              ? rules_.sum(rules_({Op::Mul, {}, term(in.a), term(in.b), {}}, da, db, {}), dc)
              : rules_({in.op, term(in.target), term(in.a), term(in.b), term(in.c)}, da, db, dc);
    }
    std::erase_if(own, [](const auto& item) { return !item.second.valid(); });
    made_ += own.size();
    partials_[at(in.target)] = std::move(own);
  }

  const ModeCode& code_;
  const Op by_;
  Writer writer_;
  expr::DerivativeRules<CodeBuilder> rules_{CodeBuilder{writer_}};
  std::vector<int32_t> register_of_;  // by register of the code
  std::vector<Partials> partials_;    // the same
  std::size_t made_ = 0;              // derivatives of registers
};

}  // namespace

Jacobian jacobian_of(const ModeCode& rates, std::size_t most) {
  CRADLE_ASSERT(rates.exists(), "there is code");
  Accumulation by_states(rates, Op::State);
  Jacobian out;
  if (!by_states.run(most)) return out;
  out.code = by_states.finish([&](int row, int32_t place) {
    out.entries.push_back({row, rates.states[at(place)]});
  });
  return out;
}

std::shared_ptr<const Plan> with_parameters_as_inputs(const Plan& plan) {
  return make_plan(
      std::make_unique<model::Model>(model::open_parameters(plan.model(), plan.binding())));
}

Sensitivity sensitivity_of(const ModeCode& code) {
  CRADLE_ASSERT(code.exists(), "there is code");
  Accumulation by_inputs(code, Op::Input);
  by_inputs.run(SIZE_MAX);
  Sensitivity out;
  out.code = by_inputs.finish([&](int row, int32_t clock) {
    out.entries.push_back({row, ClockId(static_cast<std::size_t>(clock))});
  });
  return out;
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

ModeCode code_of_variables(const Plan& plan, std::span<const UnitId> units,
                           std::span<const IslandVariable> variables,
                           const IslandOfCell& in_force) {
  try {
    Unfolding code(plan, units, Reader::Onlooker, in_force);
    for (const auto& [island, variable] : variables) {
      code.add_result(code.variable(*island, variable));
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
    const int32_t result = code.optional_expression(expr);
    if (Unfolding::is_absent(result)) return {};
    code.add_result(result);
    return code.finish();
  } catch (const NotExpressible&) {
    return {};
  }
}

ModeCode code_of_island(const Plan& plan, const Island& island) {
  const IslandOfCell alone = [&](CellId cell) -> const Island& {
    if (!island.has(cell)) throw NotExpressible{};
    return island;
  };
  try {
    Unfolding code(plan, {}, Reader::Onlooker, alone);
    for (int v = 0; v < static_cast<int>(island.size()); ++v) {
      code.add_result(code.variable(island, v));
    }
    return code.finish();
  } catch (const NotExpressible&) {
    return {};
  }
}

}  // namespace cradle::plan
