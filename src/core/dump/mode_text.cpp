// The islands of a mode. Rows of M are read off the blocks of the cells and the definitions of
// junctions, in the order in which an island puts them side by side.

#include <algorithm>

#include "core/dump/dump.hpp"
#include "core/dump/names.hpp"
#include "core/plan/island.hpp"
#include "core/plan/mode_code.hpp"
#include "cradle/instant.hpp"
#include "language/expr/print.hpp"

namespace cradle::dump {
namespace {

using namespace plan;
using elements::Variable;

class ModeText {
 public:
  ModeText(const Plan& plan, const Mode& mode) : plan_(plan), m_(plan.model()), mode_(mode) {}

  std::string text() {
    out_ = "mode of " + m_.name + "\n";
    for (std::size_t a = 0; a < m_.automata.size(); ++a) {
      const model::Automaton& automaton = m_.automata[AutomatonId(a)];
      out_ += "  " + automaton.name + " " + automaton.states[state_of(AutomatonId(a))] + "\n";
    }
    seen_.assign(plan_.cells().size(), 0);
    int number = 0;
    for (std::size_t c = 0; c < seen_.size(); ++c) {
      if (seen_[c] == 0) add_island(number++, cells_from(CellId(c)));
    }
    return std::move(out_);
  }

 private:
  struct Row {
    std::string left;
  };

  std::size_t state_of(AutomatonId id) const {
    return static_cast<std::size_t>(mode_[static_cast<std::size_t>(id.index)]);
  }
  bool is_active(JunctionId id) const {
    const AutomatonId automaton = m_.junctions[id].automaton;
    return !automaton.valid() || m_.junctions[id].active[state_of(automaton)];
  }

  std::vector<CellId> cells_from(CellId start) {
    std::vector<CellId> cells{start};
    seen_[at(start)] = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (JunctionId j : plan_.cells()[cells[i]].controlled) {
        if (!is_active(j)) continue;
        for (const model::BondEnd& end : m_.junctions[j].bonds) {
          const CellId next = plan_.cell_of(end.bond);
          if (seen_[at(next)] == 0) cells.push_back(next);
          seen_[at(next)] = 1;
        }
      }
    }
    std::sort(cells.begin(), cells.end());
    return cells;
  }

  std::string variable(BondId bond, bool effort) const {
    const std::string& name = m_.bonds[bond].name;
    const bool path = name.find(' ') != std::string::npos;
    return (path ? "`" + name + "`" : name) + (effort ? ".e" : ".f");
  }
  std::string variable(CellId cell, int local) const {
    return variable(plan_.cells()[cell].bonds[static_cast<std::size_t>(local / 2)], local % 2 == 0);
  }

  static void add_term(std::string& sum, const std::string& factor, double sign,
                       const std::string& what) {
    if (sum.empty()) {
      sum = sign < 0 ? "-" : "";
    } else {
      sum += sign < 0 ? " - " : " + ";
    }
    sum += factor.empty() ? what : factor + "·" + what;
  }
  static void add_term(std::string& sum, double factor, const std::string& what) {
    const double size = std::abs(factor);
    add_term(sum, size == 1 ? "" : format_number(size), factor, what);
  }

  void add_island(int number, const std::vector<CellId>& cells) {
    const auto active = [this](JunctionId id) { return is_active(id); };
    const Island island(plan_, cells, active);
    out_ += "\nisland " + std::to_string(number) + ": " + joined(numbered("c", cells)) + "\n";
    out_ += line("stores", names_in(m_.states, island.states()));
    std::vector<std::string> left(island.size());
    std::size_t begin = 0;
    for (CellId cell : cells) begin += add_rows(cell, begin, left);
    for (CellId cell : cells) begin += add_borders(cell, begin, left);
    out_ += "  M y = b\n";
    for (std::size_t row = 0; row < island.size(); ++row) {
      out_ += "    " + std::to_string(row) + ": " + left[row] + " = " +
              right_side(island, island.equations()[row]) + "\n";
    }
    add_constraints(island);
    if (island.fault()) {
      out_ += "  this mode has no meaning here";
      if (!island.fault()->detail.empty()) out_ += ": " + island.fault()->detail;
      out_ += "\n";
    } else if (island.in_order() != nullptr) {
      out_ +=
          "  while time flows, laws are computed one after the other; jumps by Newton's method\n";
    } else if (!island.is_direct() && island.code().exists()) {
      out_ += "  while time flows, written out; jumps by Newton's method\n";
    } else if (!island.is_direct()) {
      out_ += "  solved by Newton's method\n";
    }
  }

  std::size_t add_rows(CellId cell, std::size_t begin, std::vector<std::string>& left) const {
    const Block& block = plan_.block_of(cell);
    for (const linear::Triplet& entry : block.entries) {
      add_term(left[begin + at(entry.row)], entry.value, variable(cell, entry.column));
    }
    for (const Modulated& modulated : block.modulated) {
      add_term(left[begin + at(modulated.row)], "(" + m_.text(modulated.modulus) + ")",
               modulated.factor, variable(cell, modulated.column));
    }
    return block.equations.size();
  }

  std::size_t add_borders(CellId cell, std::size_t begin, std::vector<std::string>& left) const {
    std::size_t row = begin;
    for (const Block::Border& border : plan_.block_of(cell).borders) {
      const model::Junction& junction = m_.junctions[border.junction];
      if (!is_active(border.junction)) {
        const bool effort = elements::no_variable(junction.inactive) == Variable::Effort;
        left[row++] = variable(junction.bonds[at(border.end)].bond, effort);
      } else if (border.end == 0) {
        elements::active_junction(
            junction.kind, junction.bonds.size(),
            [&](std::size_t i) { return junction.bonds[i].inward; },
            [&](std::size_t r, Variable v, std::size_t bond, double factor) {
              add_term(left[row + r], factor,
                       variable(junction.bonds[bond].bond, v == Variable::Effort));
            });
        row += junction.bonds.size();
      }
    }
    return row - begin;
  }

  // A law with the names of its arguments in it.
  std::string law(ExprId e, const std::vector<std::string>& arguments) const {
    return expr::to_string(m_.pool, e, [&](const expr::Node& leaf) {
      return leaf.op == expr::Op::Local ? arguments[at(leaf.ref)] : m_.text(leaf);
    });
  }

  std::string right_side(const Island& island, const Equation& equation) const {
    switch (equation.kind) {
      case Equation::Kind::Structure:
        return "0";
      case Equation::Kind::Source:
        return m_.text(equation.formula) + number_of(equation);
      case Equation::Kind::Store: {
        const std::vector<std::string> states = names_in(m_.states, equation.states);
        if (!equation.linear) return law(equation.law, states);
        std::string sum;
        for (std::size_t j = 0; j < states.size(); ++j) {
          if (equation.coefficients[j] != 0) add_term(sum, equation.coefficients[j], states[j]);
        }
        return with_rest(equation, std::move(sum));
      }
      case Equation::Kind::Resistor: {
        if (equation.linear) return with_rest(equation, "");
        const BondId bond = island.bonds()[at(equation.argument / 2)];
        return law(equation.law, {variable(bond, equation.argument % 2 == 0)});
      }
    }
    return {};
  }
  // Of a source: what its parameters come to.
  std::string number_of(const Equation& source) const {
    const bool literal = !source.constant || m_.pool.is_constant(source.formula);
    return literal ? "" : " = " + format_number(source.offset);
  }
  std::string with_rest(const Equation& equation, std::string sum) const {
    if (equation.offset != 0) {
      add_term(sum, "", equation.offset, format_number(std::abs(equation.offset)));
    }
    if (equation.formula.valid()) add_term(sum, "", 1, m_.text(equation.formula));
    return sum.empty() ? "0" : sum;
  }

  void add_constraints(const Island& island) {
    if (island.constraint_count() == 0) return;
    const bool known = island.uses_rows();
    out_ += "  constraints: " + std::to_string(island.constraint_count()) + "\n";
    std::vector<StateId> dependent;
    for (int k = 0; known && k < island.constraint_count(); ++k) {
      std::string sum;
      const linear::SparseVector& left = island.constraint(k);
      for (std::size_t i = 0; i < left.indices.size(); ++i) {
        const Equation& equation = island.equations()[at(left.indices[i])];
        if (equation.kind == Equation::Kind::Structure) continue;
        std::string b = right_side(island, equation);
        if (b.find(' ') != std::string::npos) b.insert(0, "(").append(")");
        add_term(sum, left.values[i], b);
        dependent.insert(dependent.end(), equation.states.begin(), equation.states.end());
      }
      out_ += "    0 = " + (sum.empty() ? "0" : sum) + "\n";
    }
    std::sort(dependent.begin(), dependent.end());
    dependent.erase(std::unique(dependent.begin(), dependent.end()), dependent.end());
    out_ += line("stores that depend on each other", names_in(m_.states, dependent));
  }

  const Plan& plan_;
  const model::Model& m_;
  const Mode& mode_;
  std::vector<char> seen_;
  std::string out_;
};

}  // namespace

std::string mode_text(const plan::Plan& plan, const Mode& mode) {
  return ModeText(plan, mode).text();
}

}  // namespace cradle::dump
