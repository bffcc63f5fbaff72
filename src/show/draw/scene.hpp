#pragma once
// Who stands where.

#include <string>
#include <vector>

#include "language/model/model.hpp"
#include "show/draw/layout.hpp"
#include "show/draw/machine.hpp"

namespace cradle::draw {

inline constexpr double kRadius = 16;              // of a junction
inline constexpr double kTieRadius = kRadius + 2;  // where ties to automata begin
inline constexpr double kElementHeight = 24;

struct Scene {
  struct Standing {
    Machine machine;
    Point centre;
    Point foot;  // of a junction's: where the tie meets it
  };
  std::vector<Point> elements, junctions;  // centres, by id
  std::vector<Point> names;                // of junctions: centres of the text
  std::vector<std::vector<Point>> bonds;   // by id: from the tail to the head; a curve if it is 4
  std::vector<Point> labels;               // of bonds: centres of the text, if it has_label
  std::vector<Standing> machines;          // of junctions, then modal models
  Size size;                               // of all of it, from (0, 0)
};

std::string element_name(const model::Element& element);  // what follows the kind: " : body1"
bool has_label(const model::Model& model, BondId bond);   // that the modeller gave it
Size element_size(const model::Element& element);

Scene plan(const model::Model& model, const Sources& sources);
void move(Scene& scene, Point by);

}  // namespace cradle::draw
