#pragma once
// The stages between a model and its run, as text for people. It is no format: nothing reads it.

#include <string>

#include "cradle/cradle.hpp"

namespace cradle {

enum class Stage {
  Plan,  // what there is whatever the mode, and who reads what
  Mode,  // the equations of one mode
  Code,  // what is computed in one mode, instruction by instruction
};

// Of a sound model. Automata that the mode does not name are as they start.
std::string stage_text(const Model& model, Stage stage, const ModeSelection& mode = {});

}  // namespace cradle
