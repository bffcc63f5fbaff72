#pragma once
// Automata as small state machines; those of modal models with what is nested in their modes.

#include <string>
#include <vector>

#include "language/model/model.hpp"
#include "show/draw/layout.hpp"
#include "theory/causality/causality.hpp"

namespace cradle::draw {

struct Machine {
  struct State {
    Point centre;
    Size size;
    std::vector<std::string> laws;  // of a mode, as written, shown under its name
    std::vector<Machine> nested;    // one below the other, under the state's name
  };
  struct Arrow {
    std::vector<std::vector<Point>> curves;  // one; or to the label and on from it
    std::vector<std::string> label;          // line by line; empty: only the tooltip tells
    Point label_centre;
    std::string guard;  // in full, as it is written
  };
  AutomatonId automaton;
  std::string name;  // inside a mode: without the way to it
  Size size;         // with its name on top
  std::vector<State> states;
  std::vector<Arrow> arrows;  // by transition
};

// `labels`: guards as text beside the arrows, as they stand in the sources.
Machine arrange(const model::Model& model, const Sources& sources, AutomatonId automaton,
                bool labels);
// Adds the machine to the SVG. A mode may have −1 for it: then no state is present.
void draw(const model::Model& model, const causality::Mode& mode, const Machine& machine,
          Point centre, std::string& svg);

// Is what lives in this region there, in this mode?
bool is_there(const model::Model& model, const causality::Mode& mode, RegionId region);

}  // namespace cradle::draw
