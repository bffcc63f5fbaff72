#pragma once
// A model as a picture: its bond graph in one mode, with half-arrows and causal strokes, automata
// beside their junctions, modal models as state machines.
//
//   Model, Assignment ─plan→ Scene (who stands where) ─draw_svg→ SVG
//
// What to find in the SVG (tests and pages rely on it):
//   g.bond      data-bond, data-from, data-to, data-stroke="from|to|none"; one .half-arrow, and one
//               .causal-stroke unless a conflict left it open; .inactive, .loop, .conflict
//   g.element   data-element, data-kind; .dependent, .inactive, .conflict
//   g.junction  data-junction, data-kind="0|1", data-active; .controlled, .inactive, .conflict
//   g.automaton data-automaton, data-present; g.state data-state, .present, .initial, .final;
//               g.transition data-from, data-to, data-physical
// <title> holds laws, guards and what is wrong, in full.

#include <string>

#include "causality/causality.hpp"
#include "model/model.hpp"

namespace cradle::draw {

struct Look {
  bool dark = false;
};

// `sources`: what the model was read from; guards are shown as they stand there.
std::string draw_svg(const model::Model& model, const Sources& sources,
                     const causality::Assignment& assignment, const Look& look);

}  // namespace cradle::draw
