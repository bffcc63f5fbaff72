#pragma once
// What bonds and elements tell of themselves, and how a bond is drawn: the same in every picture.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "language/model/model.hpp"
#include "show/draw/layout.hpp"
#include "theory/causality/causality.hpp"

namespace cradle::draw {

// Bonds that stand out in a mode.
struct Marks {
  explicit Marks(const causality::Assignment& assignment);
  std::set<BondId> looped, clashing;
};

std::string bond_title(const model::Model& model, const causality::Assignment& assignment,
                       const Marks& marks, BondId id);
std::string element_title(const model::Model& model, ElementId id);

// A line along `path`, which goes through these points, with a barb on one side of its head, and a
// bar across one of its ends.
std::string bond_shape(const std::string& path, const std::vector<Point>& line,
                       const std::optional<causality::Stroke>& stroke);

}  // namespace cradle::draw
