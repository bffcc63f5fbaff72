#pragma once
// The stages behind the flat model as text, for people who want to see what a run works with.
//
//   model ─plan→ Plan ─mode→ islands ─code→ instructions
//
// Numbers are those that are bound to the parameters; expressions have the parameters' names.

#include <string>
#include <vector>

#include "core/plan/plan.hpp"

namespace cradle::dump {

// Parameters and what was decided by them, cells, units, comparisons, automata, clocks, memories:
// what there is whatever the mode, and who reads what.
std::string plan_text(const plan::Plan& plan);

// By automaton: the index of its state.
using Mode = std::vector<int>;

// The islands of a mode: M y = b row by row, what binds stores, and which stores these are.
std::string mode_text(const plan::Plan& plan, const Mode& mode);

// What is computed in a mode, as instructions on registers: rates with their derivatives by states
// and by parameters, gaps with theirs by parameters, guards and actions with their leaves on
// demand.
std::string code_text(const plan::Plan& plan, const Mode& mode);

}  // namespace cradle::dump
