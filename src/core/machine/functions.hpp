#pragma once
// What machine code calls: the functions that expr::apply calls.

#include "language/expr/pool.hpp"

namespace cradle::machine {

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);

// Null for what takes another number of operands.
Function1 function1_of(expr::Op op);
Function2 function2_of(expr::Op op);

}  // namespace cradle::machine
