#pragma once
// Looking at what a run need not look at: what cannot be evaluated there is no fault of the run.

#include "compile/program.hpp"
#include "simulate/choices.hpp"
#include "simulate/runtime.hpp"

namespace cradle::simulate {

// False if it broke off; the evaluators that were at it must be abandoned.
template <class Work>
bool attempt(Work&& work) {
  try {
    work();
    return true;
  } catch (const RunFault&) {
  } catch (const IslandProblem&) {
  } catch (const LoopFault&) {
  } catch (const OpenChoice&) {
  } catch (const compile::ArithmeticFault&) {
  }
  return false;
}

}  // namespace cradle::simulate
