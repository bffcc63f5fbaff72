#pragma once
// What is computed in a mode while time flows, written out: the rates of all that evolves together,
// or one expression over all that is in force. Signals are written out, efforts and flows are sums
// over the rows of their islands, and everything is shared once, so that no jump and no demand is
// left. It is made of the code of expressions (code.hpp), and is the same list of instructions, in
// four phases:
//
//   constants   once; numbers of parameters are those that are bound
//   frozen      before a step: truths, modes, memories, inputs, pre
//   inputs      time and states
//   the rest    each register is written once
//   checks      what only says whether the results are sound: pivots that vary are not small
//
// There is none where an island has to be solved as a whole, because it has an algebraic loop, or
// where a truth decides whether there is a value.
//
// Derivatives of a code by its states are code again, made of it instruction by instruction.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/plan/code.hpp"
#include "core/plan/compiled.hpp"
#include "core/plan/island.hpp"
#include "core/plan/plan.hpp"

namespace cradle::plan {

struct ModeCode {
  std::vector<Instruction> list;
  std::size_t constants = 0, frozen = 0, inputs = 0, checks = 0;  // where the one behind begins
  int registers = 0;
  std::vector<StateId> states;  // that are loaded, by the part of the instruction
  std::vector<int32_t> results;
  int32_t sound = -1;  // true where the results are to be trusted; −1: everywhere
  std::shared_ptr<const Compiled> compiled;  // the same as machine code

  bool exists() const { return !results.empty(); }
  std::size_t bytes() const {
    return sizeof *this + list.capacity() * sizeof(Instruction) +
           states.capacity() * sizeof(StateId) + results.capacity() * sizeof(int32_t) +
           (compiled ? compiled->bytes() : 0);
  }
};

using IslandOfCell = std::function<const Island&(CellId)>;

// Of units that evolve together, with these islands: stores island by island, then integrals.
ModeCode code_of_rates(const Plan& plan, std::span<const UnitId> units,
                       std::span<const Island* const> islands, std::span<const StateId> integrals,
                       const IslandOfCell& in_force);

// Of efforts and flows of their islands, for one who looks on.
struct IslandVariable {
  const Island* island;
  int variable;
};
ModeCode code_of_variables(const Plan& plan, std::span<const UnitId> units,
                           std::span<const IslandVariable> variables, const IslandOfCell& in_force);

// For the run, or for one who looks on, who judges truths that nobody keeps.
enum class Reader { Run, Onlooker };
ModeCode code_of_expression(const Plan& plan, ExprId expr, Reader reader,
                            const IslandOfCell& in_force);

// All efforts and flows of an island that reads no other one (Island::code).
ModeCode code_of_island(const Plan& plan, const Island& island);

// ∂ results/∂ states of a code, by forward accumulation (Griewank, Walther: Evaluating Derivatives,
// chapter 3): the entries that are not zero by structure. Truths that are frozen are held.
struct Jacobian {
  struct Entry {
    int row;  // of the results
    StateId state;
  };
  std::vector<Entry> entries;
  ModeCode code;  // whose results are these
};
// Where states hang together all with all, it is as long as the square of the code: beyond `most`
// derivatives of registers there is none.
Jacobian jacobian_of(const ModeCode& rates, std::size_t most = SIZE_MAX);

}  // namespace cradle::plan
