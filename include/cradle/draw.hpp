#pragma once
// A model as a picture. Includes no third-party header.

#include <string>

#include "cradle/cradle.hpp"

namespace cradle {

struct DrawOptions {
  ModeSelection mode;  // automata that are not named are as they start
  bool dark = false;
};

// The bond graph of one mode as SVG: half-arrows, causal strokes, dependent stores, inactive
// junctions, automata beside their junctions, modal models as state machines. The same model gives
// the same text. The model must be ok(); src/draw/draw.hpp says what can be found in the SVG.
std::string draw_svg(const Model& model, const DrawOptions& options = {});

}  // namespace cradle
