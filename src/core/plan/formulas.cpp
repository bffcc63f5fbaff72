// All that a run can ask for, made once: code, the equations of cells, rates and slopes.

#include <limits>

#include "core/plan/maker.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

bool is_optional(const model::Model& m, const PlanParts& parts, const expr::Node& leaf) {
  switch (leaf.op) {
    case Op::Absent:
    case Op::Choice:
    case Op::Output:
      return true;
    case Op::Memory:
      return !m.memories[MemoryId(at(leaf.ref))].lasts();
    case Op::Signal:
      return m.signals[SignalId(at(leaf.ref))].may_be_absent;
    case Op::Pre:
      return parts.pre_is_optional[at(leaf.ref)] != 0;
    default:
      return false;
  }
}

Code make_formula(const model::Model& m, const PlanParts& parts, ExprId expr) {
  auto comparison = [&](ExprId e) {
    const auto found = parts.comparison_index.find(e);
    return found == parts.comparison_index.end() ? -1 : found->second.index;
  };
  auto optional = [&](const expr::Node& leaf) { return is_optional(m, parts, leaf); };
  Code out = compile(m.pool, expr, comparison, optional);
  out.boolean = m.pool[expr].type == expr::Type::Boolean;
  return out;
}

}  // namespace

Code Plan::compile(ExprId expr) const { return make_formula(*model_, parts_, expr); }

Code Plan::compile(const expr::Node& leaf) const {
  CRADLE_ASSERT(expr::arity(leaf.op) == 0, "a leaf");
  const bool optional = is_optional(*model_, parts_, leaf);
  return {{plan::leaf(leaf, 0)}, 1, optional, optional};
}

Code Plan::compile_impulse(ExprId expr) const {
  if (model_->pool.is_impulse_free(expr)) return compile(expr::Node{});  // the constant 0
  Code out = compile(expr);
  out.list.push_back(instruction_for(Op::ImpulseOf, 0, 0, -1));
  return out;
}

// What is remembered was made before the pre that remembers it, so those inside come first.
void Maker::find_optional_pres() {
  for (ExprId inside : m_.pool.pres()) {
    out_.pre_is_optional.push_back(0);
    out_.pre_is_optional.back() = formula(inside).optional;
  }
}

const Code& Maker::formula(ExprId expr) {
  std::vector<std::unique_ptr<const Code>>& formulas = out_.formulas;
  if (formulas.size() <= at(expr)) formulas.resize(m_.pool.size());
  std::unique_ptr<const Code>& formula = formulas[at(expr)];
  if (!formula) formula = std::make_unique<const Code>(make_formula(m_, out_, expr));
  return *formula;
}

void Maker::add_formulas() {
  for (const model::Signal& signal : m_.signals) add_formula(signal.value);
  for (const model::State& state : m_.states) {
    add_formula(state.rate);
    add_formula(state.impulse);
  }
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    for (ExprId root : roots_of(ElementId(i))) add_formula(root);
    for (ExprId law : m_.elements[ElementId(i)].laws) add_formula(law);
    add_formula(out_.power_laws[ElementId(i)]);
  }
  for (const model::Memory& memory : m_.memories) add_formula(memory.input);
  for (const model::Choice& choice : m_.choices) {
    for (ExprId alternative : choice.alternatives) add_formula(alternative);
  }
  for (const model::Output& output : m_.outputs) {
    for (const model::Output::Part& part : output.parts) {
      add_formula(part.value);
      add_formula(part.entering);
    }
  }
  for (const model::Automaton& automaton : m_.automata) {
    for (const model::Transition& transition : automaton.transitions) {
      for (const model::SetAction& set : transition.sets) {
        add_formula(set.value);
        add_formula(set.entering);
      }
    }
  }
  // What rounding makes of a comparison is judged by the magnitudes of what it reads.
  for (const Comparison& comparison : out_.comparisons) {
    for (ExprId leaf : m_.pool.leaves(comparison.expr)) add_formula(leaf);
  }
}

void Maker::add_blocks() {
  out_.structures.resize(m_.junctions.size());
  for (std::size_t i = 0; i < m_.junctions.size(); ++i) {
    out_.structures[JunctionId(i)].junction = JunctionId(i);
  }
  for (std::size_t i = 0; i < out_.cells.size(); ++i) {
    const std::unique_ptr<const Block>& block =
        out_.blocks[out_.blocks.add(make_block(*this, CellId(i)))];
    for (const Equation& equation : block->equations) {
      add_formula(equation.formula);
      if (equation.linear) continue;
      for (ExprId slope : equation.slopes) add_formula(slope);
      for (ExprId slope : equation.piece_slopes) add_formula(slope);
    }
  }
}

// Of all that binds dependent stores in some mode, and of what detectors watch.
void Maker::add_rates() {
  for (const std::unique_ptr<const Block>& block : out_.blocks) {
    for (const Modulated& modulated : block->modulated) add_rate(modulated.modulus);
    for (int row : block->formulas) add_rate(block->equations[at(row)].formula);
    for (const Equation& equation : block->equations) {  // at held states
      if (equation.kind == Equation::Kind::Store && !equation.linear) add_rate(equation.law);
    }
  }
  for (const Comparison& comparison : out_.comparisons) {
    if (comparison.detector.valid()) add_rate(comparison.gap_expr);
  }
  find_sliding();
}

void Maker::add_rate(ExprId expr) {
  const auto [place, is_new] = out_.rates.try_emplace(expr);
  if (!is_new) return;
  place->second = written_out(rates_.of(expr));
  out_.held_rates[expr] = written_out(held_rates_.of(expr));
}

// Definitions that read each other many times over share their rates, but code is written out.
Rate Maker::written_out(const Rate& rate) {
  if (!rate.expr || !rate.expr->valid()) return rate;
  constexpr std::size_t kMostNodes = 1 << 16;
  if (written_size(*rate.expr) > kMostNodes) {
    return {std::nullopt, "signals whose rates are too long to be written out"};
  }
  add_formula(*rate.expr);
  return rate;
}

// Of all that an island's equations can read of the island itself.
void Maker::add_partials() {
  const auto add_rates_of = [&](ExprId expr) {
    for (const auto* rates : {&out_.rates, &out_.held_rates}) {
      const auto found = rates->find(expr);
      if (found != rates->end() && found->second.expr) add_partials(*found->second.expr);
    }
  };
  for (const std::unique_ptr<const Block>& block : out_.blocks) {
    for (const Modulated& modulated : block->modulated) {
      add_partials(modulated.modulus);
      add_rates_of(modulated.modulus);
    }
    for (const Equation& equation : block->equations) {
      add_partials(equation.formula);
      if (!equation.linear) add_partials(equation.law);
      if (equation.formula.valid()) add_rates_of(equation.formula);
      if (equation.kind == Equation::Kind::Store && !equation.linear) add_rates_of(equation.law);
    }
  }
}

void Maker::add_partials(ExprId expr) {
  std::vector<ExprId> work{expr};
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || out_.partials.contains(e)) continue;
    std::vector<ExprId> leaves = m_.pool.leaves(e);
    std::erase_if(leaves, [&](ExprId leaf) {
      const expr::Node& node = m_.pool[leaf];
      if (node.op == Op::Signal) return out_.power_readers[at(node.ref)] == 0;
      return node.op != Op::Effort && node.op != Op::Flow;
    });
    if (leaves.empty()) continue;
    const std::vector<ExprId> slopes = m_.pool.gradient(e, leaves);
    std::vector<Partial>& partials = out_.partials[e];
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const bool zero = m_.pool.is_constant(slopes[i]) && m_.pool.constant_value(slopes[i]) == 0;
      partials.push_back({leaves[i], zero ? ExprId() : slopes[i]});
      if (!zero) add_formula(slopes[i]);
      const expr::Node& node = m_.pool[leaves[i]];
      if (node.op == Op::Signal) work.push_back(m_.signals[SignalId(at(node.ref))].value);
    }
  }
}

// The number of nodes of an expression, each as often as it is read.
std::size_t Maker::written_size(ExprId expr) {
  constexpr std::size_t kMany = std::numeric_limits<std::size_t>::max() / 8;
  while (sizes_.size() < m_.pool.size()) {
    const expr::Node& node = m_.pool[ExprId(sizes_.size())];
    std::size_t size = 1;
    for (ExprId operand : {node.a, node.b, node.c}) {
      if (operand.valid()) size += sizes_[at(operand)];  // made before
    }
    sizes_.push_back(std::min(size, kMany));
  }
  return sizes_[at(expr)];
}

// Where an effort or flow is given, the law is inverted when a run begins.
void Maker::add_initial_slopes() {
  for (std::size_t i = 0; i < m_.elements.size(); ++i) {
    const model::Element& element = m_.elements[ElementId(i)];
    if (element.states.empty() || !m_.states[element.states[0]].initial_is_power) continue;
    std::vector<ExprId>& slopes = out_.initial_slopes[ElementId(i)];
    for (ExprId law : element.laws) {
      for (std::size_t j = 0; j < element.states.size(); ++j) {
        slopes.push_back(m_.pool.derivative(law, Op::Local, static_cast<int32_t>(j)));
        add_formula(slopes.back());
      }
    }
  }
}

void Maker::find_jumping_integrals() {
  for (const model::State& state : m_.states) {
    const bool integral = !state.element.valid();
    out_.integral_may_jump.push_back(
        integral && (state.impulse.valid() || impulses_.may_reach(state.rate)) ? 1 : 0);
  }
}

}  // namespace cradle::plan
