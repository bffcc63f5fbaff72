#pragma once
// Linear equations A y = b whose coefficients are numbers or vary, solved by writing out what
// solves them. Which pivots are used is decided once, without values:
//
//   numbers first                  by the fill they make (Markowitz); they never vanish
//   then what is left, which varies, by its structure (Dulmage, Mendelsohn 1958):
//     more equations than unknowns   rows are turned into each other, until one is left in a column
//     more unknowns than equations   likewise columns, until one is left in a row
//     as many                        a single entry is a pivot; otherwise rows are turned
//
// To turn rows i and j by their entries a and b in a column is to put a i + b j and a j − b i in
// their place (Givens' rotation, without its root). The pivot a² + b² vanishes only where both do,
// whatever the position of a linkage is, and nothing is selected: the code is smooth, and its
// enclosures are narrow.
//
// Whether an entry is zero by structure is seen at a generic place: each entry is computed along
// with a number for whatever varies, and with the magnitudes that were added up to it. Each pivot
// that varies is compared with those while the code runs (checks).

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "language/expr/pool.hpp"

namespace cradle::plan {

// Who writes instructions down; registers are numbers.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;
  virtual int32_t number(double value) = 0;
  virtual int32_t apply(expr::Op op, int32_t a, int32_t b = -1) = 0;
  virtual int32_t add_product(int32_t c, int32_t a, int32_t b) = 0;  // c + a · b
};

// A coefficient: a number, or a register.
struct Coefficient {
  bool fixed = true;
  int32_t place = -1;      // the register of what varies
  double value = 0;        // the number; of what varies: at a generic place
  double added = 0;        // the magnitudes that were added up to it there
  int32_t magnitude = -1;  // the same while the code runs; −1: nothing was lost by adding up
  int sign = 0;            // ±1: it never has the other one
  bool nonzero = false;    // it is never zero
};

// c + Σ parts, over columns that are free, and symbols.
struct Affine {
  int32_t known = -1;  // a register; −1: zero
  std::map<int, Coefficient> parts;
};

class Elimination {
 public:
  // `keeps_left`: rows that turn out to be redundant know of what they were made.
  Elimination(Arithmetic& code, bool keeps_left) : code_(code), keeps_left_(keeps_left) {}

  // Symbols stand for what is not known yet, and are no unknowns; they count from −1 downwards.
  static constexpr int symbol(int k) { return -1 - k; }

  int add_row();
  void add(int row, int column, const Coefficient& a);
  void add_right(int row, int32_t term);
  Coefficient number(double value) const;
  Coefficient varying(int32_t place);
  Coefficient times(const Coefficient& a, const Coefficient& b);
  Coefficient plus(const Coefficient& a, const Coefficient& b);

  void run();

  // 0 = right side, for a right side that the equations allow. Over rows as they were added.
  struct Redundant {
    std::map<int, Coefficient> left;
    bool reads_symbols = false;
  };
  const std::vector<Redundant>& redundant() const { return redundant_; }
  // Unknowns that stay open, and everything over them.
  std::vector<int> free_columns(int columns) const;
  const Affine& solution(int column);
  // A register that is true where all pivots that vary are sound; −1: there are none.
  int32_t sound() const { return sound_; }

  // c + a · x on registers; −1 is zero.
  int32_t add_to(int32_t c, const Coefficient& a, int32_t x);

 private:
  using Terms = std::map<int, Coefficient>;
  struct Row {
    Terms unknowns, symbols, left;
    int32_t right = -1;
    bool active = true;
  };
  struct Turned {  // a column: a · one + b · other
    int one, other;
    Coefficient a, b;
  };
  struct Structure;

  int32_t place_of(const Coefficient& a);
  int32_t magnitude_of(const Coefficient& a);
  Coefficient negative(const Coefficient& a);
  Coefficient quotient(const Coefficient& a, const Coefficient& b);
  void add_product(Terms& out, const Coefficient& factor, const Terms& terms);
  Terms combined(const Coefficient& a, const Terms& one, const Coefficient& b, const Terms& other);
  int32_t combined(const Coefficient& a, int32_t one, const Coefficient& b, int32_t other);

  bool pivot_on_number();
  bool pivot_on_varying();
  void pivot_in_column(int column, const std::vector<int>& rows);
  void pivot_in_row(int row, std::vector<int> columns);
  void turn_rows(int i, int j, int column);
  int turn_columns(int row, int i, int j);
  void pivot(int row, int column);
  void check(const Coefficient& pivot);

  Arithmetic& code_;
  bool keeps_left_;
  std::vector<Row> rows_;
  std::unordered_map<int, int> pivot_row_;  // of a column
  std::unordered_map<int, Turned> turned_;  // by column
  std::unordered_map<int, Affine> solutions_;
  std::unordered_map<int32_t, double> generic_;  // by register
  std::vector<Redundant> redundant_;
  int next_column_ = 0;
  int32_t sound_ = -1;
};

}  // namespace cradle::plan
