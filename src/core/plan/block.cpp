#include "core/plan/block.hpp"

#include <algorithm>
#include <numeric>

#include "core/plan/maker.hpp"

namespace cradle::plan {

using elements::Right;
using elements::Variable;
using expr::Op;

namespace {

// Does a law leap where its argument passes some point? Then a constant slope does not make it
// linear: sign(f), or if f > 0 then 1 else -1.
bool may_leap(const expr::Pool& pool, ExprId law) {
  for (ExprId e : pool.below(law)) {
    const expr::Node& node = pool[e];
    switch (node.op) {
      case Op::Sign:
      case Op::Floor:
      case Op::Ceil:
      case Op::Mod:
        if (reads_local(pool, e)) return true;
        break;
      case Op::If:
        if (reads_local(pool, node.a)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

// Splits law = Σ cᵢ·Local(i) + rest. True if all cᵢ, the slopes, are fixed; the rest may vary with
// signals.
bool split_linear(expr::Pool& pool, ExprId law, std::size_t count, std::vector<ExprId>& slopes,
                  ExprId& fixed, ExprId& rest) {
  bool linear = !may_leap(pool, law);
  std::vector<ExprId> zeros(count, pool.constant(0));
  for (std::size_t i = 0; i < count; ++i) {
    ExprId slope = pool.derivative(law, Op::Local, static_cast<int32_t>(i));
    slopes.push_back(slope);
    linear = linear && pool.is_fixed(slope);
  }
  if (!linear) return false;
  ExprId at_zero = pool.substitute(law, zeros);
  (pool.is_fixed(at_zero) ? fixed : rest) = at_zero;
  return true;
}

class BlockMaker {
 public:
  BlockMaker(Maker& maker, CellId id)
      : maker_(maker), model_(maker.model()), cell_(maker.parts().cells[id]), id_(id) {}

  std::unique_ptr<const Block> make() {
    block_.given_by.assign(2 * cell_.bonds.size(), -1);
    for (ElementId element : cell_.elements) add_element(element);
    for (JunctionId junction : cell_.junctions) add_junction(junction);
    share_given();
    find_borders();
    for (std::size_t row = 0; row < block_.equations.size(); ++row) note(static_cast<int>(row));
    return std::make_unique<Block>(std::move(block_));
  }

 private:
  int local(BondId bond, Variable variable) const {
    return 2 * maker_.parts().index_in_cell[bond] + (variable == Variable::Effort ? 0 : 1);
  }
  int next_row() const { return static_cast<int>(block_.equations.size()); }
  void entry(int row, int column, double value) { block_.entries.push_back({row, column, value}); }
  void entry(int row, int column, double factor, ExprId fixed) {
    block_.fixed_entries.push_back({block_.entries.size(), factor, fixed});
    entry(row, column, 0);
  }
  void add(Equation equation) {
    block_.own.push_back(std::move(equation));
    block_.equations.add(block_.own.back());
  }

  void add_junction(JunctionId id) {
    const model::Junction& junction = model_.junctions[id];
    if (junction.bonds.empty()) return;
    const auto& bonds = junction.bonds;
    const int begin = next_row();
    elements::active_junction(
        junction.kind, bonds.size(), [&](std::size_t i) { return bonds[i].inward; },
        [&](std::size_t row, Variable variable, std::size_t bond, double factor) {
          entry(begin + static_cast<int>(row), local(bonds[bond].bond, variable), factor);
        });
    const Equation& equation = maker_.parts().structures[id];
    for (std::size_t i = 0; i < bonds.size(); ++i) block_.equations.add(equation);
  }

  void add_element(ElementId id) {
    const model::Element& element = model_.elements[id];
    const elements::Definition& definition = elements::definition(element.kind);
    const int ports = static_cast<int>(element.ports.size());
    for (const elements::Relation& relation : definition.flow(ports, element.law_of_effort)) {
      add_relation(id, element, relation);
    }
    const bool momentum = definition.storage == elements::Storage::Momentum;
    for (std::size_t i = 0; i < element.states.size(); ++i) {
      block_.states.push_back(element.states[i]);
      block_.rate_variables.push_back(
          local(element.ports[i].bond, momentum ? Variable::Effort : Variable::Flow));
    }
  }

  void add_relation(ElementId id, const model::Element& element,
                    const elements::Relation& relation) {
    const expr::Pool& pool = model_.pool;
    const int row = next_row();
    Equation equation;
    equation.element = id;
    equation.port = relation.port;
    for (const elements::Term& term : relation.left) {
      const int column = local(element.ports[at(term.port)].bond, term.variable);
      if (!term.coefficient.modulus) {
        entry(row, column, term.coefficient.factor);
      } else if (pool.is_fixed(element.signal)) {
        entry(row, column, term.coefficient.factor, element.signal);
      } else {
        block_.modulated.push_back({row, column, term.coefficient.factor, element.signal, id, {}});
      }
    }
    if (relation.right == Right::Source) {
      equation.kind = Equation::Kind::Source;
      equation.formula = element.signal;
      move_powers(row, equation);
      equation.constant = pool.is_fixed(equation.formula);
      if (equation.constant) equation.fixed_part = equation.formula;
    } else if (relation.right == Right::StateLaw) {
      equation.kind = Equation::Kind::Store;
      equation.states = element.states;
      add_law(equation, element.laws[at(relation.port)], element.states.size());
      if (equation.linear) {
        move_powers(row, equation);
      } else {
        add_piece(equation);
      }
    } else if (relation.right == Right::PowerLaw) {
      equation.kind = Equation::Kind::Resistor;
      equation.argument = local(element.ports[0].bond, relation.argument);
      const ExprId lifted = maker_.parts().power_laws[id];
      add_law(equation, lifted.valid() ? lifted : element.laws[0], 1);
      if (equation.linear) {
        entry(row, equation.argument, -1, equation.slopes[0]);
        move_powers(row, equation);
      } else {
        add_power_piece(id, equation);
      }
    }
    const bool gives = relation.right == Right::Source || relation.right == Right::StateLaw;
    if (gives && !equation.reads_cell && relation.left.size() == 1) {
      const elements::Term& term = relation.left[0];
      block_.given_by[at(local(element.ports[at(term.port)].bond, term.variable))] = row;
    }
    add(std::move(equation));
  }

  // What a formula reads of the cell's own efforts and flows with constant coefficients belongs to
  // M: a controlled source, an amplifier.
  void move_powers(int row, Equation& equation) {
    if (!equation.formula.valid()) return;
    const std::optional<PowerForm> form = maker_.power_forms().of(
        equation.formula, [&](BondId bond) { return maker_.parts().cell_of_bond[bond] == id_; });
    if (!form || form->terms.empty()) return;
    for (const auto& [leaf, coefficient] : form->terms) {
      const expr::Node& node = model_.pool[leaf];
      const bool effort = node.op == Op::Effort;
      entry(row, local(BondId(at(node.ref)), effort ? Variable::Effort : Variable::Flow), -1,
            coefficient);
    }
    equation.formula = form->rest;
    equation.reads_cell = true;
    // A fixed rest stays the formula of a source, and is the fixed part of any other law.
    if (equation.kind != Equation::Kind::Source && model_.pool.is_fixed(form->rest)) {
      equation.fixed_part = equation.fixed_part.valid()
                                ? model_.pool.binary(Op::Add, equation.fixed_part, form->rest)
                                : form->rest;
      equation.formula = {};
    }
  }

  void add_law(Equation& equation, ExprId law, std::size_t arguments) {
    std::vector<ExprId>& slopes = block_.slopes.emplace_back();
    equation.law = law;
    equation.linear =
        split_linear(model_.pool, law, arguments, slopes, equation.fixed_part, equation.formula);
    equation.slopes = slopes;
  }

  void add_piece(Equation& equation) {
    const ExprId flowing = maker_.flowing(equation.law, equation.states);
    if (flowing == equation.law) return;
    std::vector<ExprId> states;
    for (StateId s : equation.states) states.push_back(model_.pool.leaf(Op::State, s.index));
    std::vector<ExprId>& slopes = block_.slopes.emplace_back();
    for (ExprId slope : equation.slopes) slopes.push_back(model_.pool.substitute(slope, states));
    equation.piece = flowing;
    equation.piece_slopes = slopes;
  }

  void add_power_piece(ElementId id, Equation& equation) {
    equation.piece = maker_.flowing(id);
    const ExprId law = equation.piece.valid() ? equation.piece : equation.law;
    std::vector<ExprId>& slopes = block_.slopes.emplace_back();
    slopes.push_back(model_.pool.derivative(law, Op::Local, 0));
    equation.piece_slopes = slopes;
    equation.affine = !may_leap(model_.pool, law) && !reads_local(model_.pool, slopes[0]);
  }

  // What is given is given to all that ordinary junctions make equal to it.
  void share_given() {
    const std::size_t size = block_.given_by.size();
    std::vector<int>& next = block_.next_equal;
    next.resize(size);
    std::vector<int> group(size);
    std::iota(next.begin(), next.end(), 0);
    std::iota(group.begin(), group.end(), 0);
    auto find = [&](int v) {
      while (group[at(v)] != v) v = group[at(v)] = group[at(group[at(v)])];
      return v;
    };
    for (JunctionId id : cell_.junctions) {
      const model::Junction& junction = model_.junctions[id];
      const Variable shared = elements::shared_variable(junction.kind);
      for (std::size_t i = 1; i < junction.bonds.size(); ++i) {
        const int a = local(junction.bonds[0].bond, shared);
        const int b = local(junction.bonds[i].bond, shared);
        if (find(a) == find(b)) continue;
        group[at(find(a))] = find(b);
        std::swap(next[at(a)], next[at(b)]);  // joins two circles
      }
    }
    std::vector<int> given(size, -1);
    for (std::size_t v = 0; v < size; ++v) {
      int& source = given[at(find(static_cast<int>(v)))];
      source = std::max(source, block_.given_by[v]);
    }
    for (std::size_t v = 0; v < size; ++v) {
      if (block_.given_by[v] < 0) block_.given_by[v] = given[at(find(static_cast<int>(v)))];
    }
  }

  void find_borders() {
    for (JunctionId id : cell_.controlled) {
      const model::Junction& junction = model_.junctions[id];
      for (std::size_t i = 0; i < junction.bonds.size(); ++i) {
        const BondId bond = junction.bonds[i].bond;
        if (maker_.parts().cell_of_bond[bond] != id_) continue;
        block_.borders.push_back({id, static_cast<int>(i), local(bond, Variable::Effort)});
      }
    }
  }

  void note(int row) {
    const Equation& equation = block_.equations[at(row)];
    if (equation.kind == Equation::Kind::Resistor) {
      block_.resistors.push_back(row);
      block_.constant &= equation.linear;
    } else if (equation.formula.valid()) {
      block_.formulas.push_back(row);
    }
    if (equation.kind == Equation::Kind::Source && maker_.impulses().may_reach(equation.formula)) {
      block_.impulsive_sources.push_back(row);
    }
    const bool store = equation.kind == Equation::Kind::Store;
    block_.stores_are_linear &= !store || equation.linear;
    block_.constant &= block_.modulated.empty();
  }

  Maker& maker_;
  model::Model& model_;
  const Cell& cell_;
  CellId id_;
  Block block_;
};

}  // namespace

std::unique_ptr<const Block> make_block(Maker& maker, CellId cell) {
  return BlockMaker(maker, cell).make();
}

Block bind(const Block& block, const std::function<double(ExprId)>& number) {
  Block out;
  out.entries = block.entries;
  for (const Block::FixedEntry& entry : block.fixed_entries) {
    out.entries[entry.place].value = entry.factor * number(entry.of);
  }
  auto own = block.own.begin();
  for (const Equation& equation : block.equations) {
    if (own == block.own.end() || &*own != &equation) {
      out.equations.add(equation);  // of a junction
      continue;
    }
    ++own;
    Equation& bound = out.own.emplace_back(equation);
    if (bound.fixed_part.valid()) bound.offset = number(bound.fixed_part);
    std::vector<double>& coefficients = out.coefficients.emplace_back();
    for (ExprId slope : bound.slopes) coefficients.push_back(bound.linear ? number(slope) : 0);
    bound.coefficients = coefficients;
    out.equations.add(bound);
  }
  CRADLE_ASSERT(own == block.own.end(), "every equation of an element has its row");
  out.modulated = block.modulated;
  out.constant = block.constant;
  out.stores_are_linear = block.stores_are_linear;
  out.resistors = block.resistors;
  out.impulsive_sources = block.impulsive_sources;
  out.formulas = block.formulas;
  out.states = block.states;
  out.rate_variables = block.rate_variables;
  out.given_by = block.given_by;
  out.next_equal = block.next_equal;
  out.borders = block.borders;
  return out;
}

}  // namespace cradle::plan
