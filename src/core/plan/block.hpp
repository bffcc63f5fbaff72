#pragma once
// What a cell contributes to the equations of every island that it is part of: the laws of its
// elements and its ordinary junctions. Made once, whatever the mode. An island puts the blocks of
// its cells side by side, and adds a few rows for the controlled junctions at their borders.
//
// Which equations there are does not depend on the values of parameters. The numbers in them do:
// they are zero until they are bound.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/basics/ids.hpp"
#include "core/linear/rank_revealing_lu.hpp"
#include "core/plan/parts.hpp"

namespace cradle::plan {

// One equation Σ = b.
struct Equation {
  enum class Kind {
    Structure,  // of a junction, TF or GY: b = 0
    Store,      // b = Σ coefficients·x + offset, or law(x)
    Source,     // b = signal
    Resistor,   // linear: b = offset; otherwise b = law(argument)
  } kind = Kind::Structure;
  bool linear = true;
  bool constant = false;    // Source: b = offset
  bool reads_cell = false;  // what it reads of its own cell stands in M
  ElementId element;
  int port = 0;
  JunctionId junction;
  // Store: the states it reads, with constant coefficients if linear.
  std::vector<StateId> states;
  std::span<const double> coefficients;
  double offset = 0;               // constant part
  ExprId fixed_part;               // whose number that is; invalid: zero
  ExprId formula;                  // Source: the signal; otherwise a part of b that varies, if any
  ExprId law;                      // not linear: over Local(i)
  std::span<const ExprId> slopes;  // ∂law/∂Local(i)
  // A law that has kinks: the piece in force while time flows, and its slopes; of a store over
  // State, of a resistor over Local(0). The slope of a resistor's law is here in any case.
  ExprId piece;
  std::span<const ExprId> piece_slopes;
  int argument = -1;    // Resistor: local index of its argument in y
  bool affine = false;  // Resistor: while time flows, its slope varies, but not with its argument
  ExprId rate;          // of `formula` while time flows; invalid: zero
};

// Equations by row. Most of them belong to blocks and serve many islands.
class EquationList {
 public:
  class Iterator {
   public:
    explicit Iterator(const Equation* const* at) : at_(at) {}
    const Equation& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Equation* const* at_;
  };
  const Equation& operator[](std::size_t row) const { return *rows_[row]; }
  std::size_t size() const { return rows_.size(); }
  Iterator begin() const { return Iterator(rows_.data()); }
  Iterator end() const { return Iterator(rows_.data() + rows_.size()); }
  void reserve(std::size_t count) { rows_.reserve(count); }
  void add(const Equation& equation) { rows_.push_back(&equation); }
  void append(const EquationList& other) {
    rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
  }
  void replace(std::size_t row, const Equation& equation) { rows_[row] = &equation; }

 private:
  std::vector<const Equation*> rows_;
};

// An entry of M that varies: factor · modulus of element.
struct Modulated {
  int row, column;
  double factor;
  ExprId modulus;
  ElementId element;
  ExprId rate;  // of the modulus while time flows; invalid: zero
};

// Rows and columns count from the first of the cell; columns are its efforts and flows.
struct Block {
  EquationList equations;
  std::vector<linear::Triplet> entries;
  struct FixedEntry {   // factor · of
    std::size_t place;  // in entries
    double factor;
    ExprId of;
  };
  std::vector<FixedEntry> fixed_entries;
  std::vector<Modulated> modulated;
  bool constant = true;  // no entry of M varies, and no resistor's law is not linear
  bool stores_are_linear = true;
  std::vector<int> resistors, impulsive_sources, formulas;  // rows; formulas: of stores and sources
  std::vector<StateId> states;
  std::vector<int> rate_variables;  // by state: what flows into it
  // By variable: the equation that fixes it whatever else happens, or −1; and the next of those
  // that ordinary junctions make equal to it, in a circle.
  std::vector<int> given_by, next_equal;
  struct Border {  // a bond at a controlled junction
    JunctionId junction;
    int end;       // of the junction's bonds
    int variable;  // its effort
  };
  std::vector<Border> borders;

  // What the equations point to.
  std::deque<Equation> own;
  std::deque<std::vector<double>> coefficients;
  std::deque<std::vector<ExprId>> slopes;
};

// By what is known of the plan so far: cells, and the equations of junctions.
class Maker;
std::unique_ptr<const Block> make_block(Maker& maker, CellId cell);

// The same with its numbers. It points to the block that it was made of.
Block bind(const Block& block, const std::function<double(ExprId)>& number);

}  // namespace cradle::plan
