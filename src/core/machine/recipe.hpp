#pragma once
// Straight-line arithmetic on doubles: what machine code is made of (program.hpp).
//
// Numbers are called by number. Each stands somewhere in the arrays that a program is run on: given
// from outside, or, if a step makes it, put aside there while there is no register for it.

#include <cstdint>
#include <vector>

#include "language/expr/pool.hpp"

namespace cradle::machine {

inline constexpr int kArrays = 4;

struct Home {
  int32_t array = 0;
  int32_t index = 0;
};

struct Step {
  enum class Kind : uint8_t {
    Operator,     // op, on as many of a, b, c as it takes
    MultiplyAdd,  // c + a · b, rounded twice
  };
  Kind kind = Kind::Operator;
  expr::Op op = expr::Op::Add;
  int32_t target = -1, a = -1, b = -1, c = -1;
};

struct Recipe {
  std::vector<Home> homes;  // by number; of no two that are alive at the same time the same
  std::vector<Step> steps;  // each number is made once, before it is read
  // Written as soon as they are made: nothing that is given stands there.
  struct Result {
    int32_t number;
    Home home;
  };
  std::vector<Result> results;
};

}  // namespace cradle::machine
