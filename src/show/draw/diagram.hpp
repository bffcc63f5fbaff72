#pragma once
// A model from left to right, for those who know it by its parts: a component is a box that hides
// what is in it, elements tell their values, and signals are dashed arrows between those who say
// and those who read them.

#include <string>
#include <vector>

#include "language/model/model.hpp"
#include "show/draw/layout.hpp"
#include "show/draw/machine.hpp"
#include "theory/causality/causality.hpp"

namespace cradle::draw {

struct Diagram {
  static constexpr double kLine = 15;            // of small text
  static constexpr std::size_t kMostStates = 4;  // of a box; the others are counted

  struct Box {
    enum class Kind { Part, Element, Junction, Ground, Signal, Modal } kind;
    std::string name;          // of a part: the way to it
    std::string value = {};    // of an element or a signal, as short as can be; may be empty
    ElementId element = {};    // of kind Element
    JunctionId junction = {};  // of kinds Junction and Ground
    SignalId signal = {};      // of kind Signal
    std::vector<AutomatonId> inner =
        {};  // of parts, junctions and modal models: whose states they show
    Size size = {};
    Point centre = {};
  };
  struct Tie {
    int from = 0, to = 0;  // boxes
    BondId bond = {};      // invalid: a signal
    std::vector<Point> curve = {};
  };
  // Automata that are alike, since they stand in one place of the text.
  struct Type {
    Machine machine;  // of the first of them
    std::vector<AutomatonId> members;
    Point centre = {};
  };
  std::vector<Box> boxes;
  std::vector<Tie> ties;
  std::vector<Type> types;
  Size size;  // of all of it, from (0, 0)
};

// `depth`: parts of so many names are boxes, those in them are hidden; 0: all are open.
Diagram arrange_diagram(const model::Model& model, const Sources& sources, int depth);

// The text of one of its lines, of an automaton in a box: "D off".
std::string state_line(const model::Model& model, const causality::Mode& mode,
                       const Diagram::Box& box, AutomatonId automaton);

// As SVG:
//   g.part      data-part
//   g.element, g.junction, g.bond as in draw.hpp; g.ground data-junction
//   g.named     data-signal: a signal with a name of its own; g.modal data-automaton
//   path.signal data-from, data-to: names of boxes
//   g.automaton as in draw.hpp, once for each type
std::string diagram_svg(const model::Model& model, const Diagram& diagram,
                        const causality::Assignment& assignment, bool dark);

}  // namespace cradle::draw
