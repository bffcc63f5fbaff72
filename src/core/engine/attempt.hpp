#pragma once
// Looking at what a run need not look at: what cannot be evaluated there is no fault of the run.

#include "core/engine/choices.hpp"
#include "core/engine/faults.hpp"
#include "core/engine/runtime.hpp"
#include "core/plan/code.hpp"

namespace cradle::engine {

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
  } catch (const plan::ArithmeticFault&) {
  } catch (const BlamedFault&) {
  }
  return false;
}

}  // namespace cradle::engine
