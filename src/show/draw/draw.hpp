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
//
// With Colours::Page colours are CSS variables, and the light ones stand where a page sets none:
//   --draw-paper --draw-ink --draw-soft --draw-panel   ground, lines and text, what steps back,
//                                                      behind automata
//   --draw-present --draw-on-present                   the present state, and text on it
//   --draw-dependent --draw-on-dependent               dependent stores, and text on them
//   --draw-loop --draw-conflict

#include <memory>
#include <string>

#include "language/model/model.hpp"
#include "theory/causality/causality.hpp"

namespace cradle::draw {

enum class Colours { Light, Dark, Page };

struct Scene;

// Who stands where is found once; it does not depend on the mode.
class Drawing {
 public:
  // `sources`: what the model was read from; guards are shown as they stand there.
  Drawing(const model::Model& model, const Sources& sources);
  ~Drawing();
  std::string svg(const causality::Assignment& assignment, Colours colours) const;

 private:
  const model::Model& model_;
  std::unique_ptr<const Scene> scene_;
};

}  // namespace cradle::draw
