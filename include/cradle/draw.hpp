#pragma once
// A model as a picture. Includes no third-party header.

#include <string>

#include "cradle/cradle.hpp"

namespace cradle {

struct DrawOptions {
  ModeSelection mode;  // automata that are not named are as they start
  bool dark = false;
  // From left to right, with values, and with signals as dashed arrows.
  bool layered = false;
  int depth = 0;  // layered: parts of so many names are boxes that hide what is in them; 0: none
};

// The bond graph of one mode as SVG: half-arrows, causal strokes, dependent stores, inactive
// junctions, automata beside their junctions, modal models as state machines. The same model gives
// the same text. The model must be ok(); src/show/draw/draw.hpp and, layered,
// src/show/draw/diagram.hpp say what can be found in the SVG.
std::string draw_svg(const Model& model, const DrawOptions& options = {});

}  // namespace cradle
