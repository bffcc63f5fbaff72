#pragma once
// An island whose equations vary, written out for a mode while time flows: moduli of TF, GY and R,
// laws of R, stores that depend on each other by laws that bend, sources that read the island.
//
//   M y = b            solved by elimination over what is known: states, signals, moduli of these
//   y = c + Z z + S s  z: what M leaves open, where stores depend on each other
//                      s: what reads efforts and flows that are not known yet: laws of R, sources
//   ℓ (N L y + ḃ − Ṁ y) = 0 gives z, with ℓ of the same elimination and Ṁ of the y that are known
//
// All of it is computed on demand. What needs itself, a true algebraic loop, is not expressible,
// and is left to Newton's method.

#include <map>
#include <vector>

#include "core/plan/elimination.hpp"
#include "core/plan/island.hpp"

namespace cradle::plan {

// Thrown, and caught, where straight-line code cannot say it.
struct NotExpressible {};

// Who writes the code of a mode.
class ModeWriter : public Arithmetic {
 public:
  virtual int32_t expression(ExprId expr) = 0;
  virtual int32_t law(ExprId law, const Equation& store) = 0;  // over its states
  virtual int32_t resistor(const Equation& equation, int32_t argument) = 0;
  virtual int32_t right_side(const Island& island, int row) = 0;
};

class IslandCode {
 public:
  IslandCode(const Plan& plan, const Island& island, ModeWriter& code);

  // The register of an effort or flow.
  int32_t variable(int local);
  // True where all is sound; −1: it always is.
  int32_t sound() const { return sound_; }

 private:
  void add_equations();
  bool is_ready(const Equation& equation) const;
  int add_symbol(int row, int modulated);
  int32_t resolve(int part);
  int32_t symbol(int k);
  void solve_open();
  void add_rates(int row, const Coefficient& left, std::map<int, Coefficient>& on, int32_t& right);
  void also_sound(int32_t sound);

  const Plan& plan_;
  const Island& island_;
  ModeWriter& code_;
  Elimination equations_;
  struct Symbol {  // the right side of a row, or what stands beside a modulus there, times that
    int row = -1, modulated = -1;
    int32_t value = -1;
    bool busy = false;
  };
  std::vector<Symbol> symbols_;
  std::vector<int> open_;  // columns
  std::map<int, int32_t> open_value_;
  bool solving_open_ = false;
  int32_t zero_ = -1;
  int32_t sound_ = -1;
};

}  // namespace cradle::plan
