#pragma once
// Dimensions of what a model computes, as far as its units tell.
//
// Every quantity is a product of powers: of the base units of the SI, and of unknowns, one for each
// signal, each parameter without a unit, and the effort and flow of each network of bonds. What is
// added, compared or tied together has one dimension. In the exponents that is a linear equation,
// so unknowns are eliminated as they are met (A. Kennedy, Dimension types, 1994, over the
// rationals).

#include <map>
#include <optional>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/syntax/units.hpp"

namespace cradle::model {

// m^1 · kg^2 · … · x₃^(1/2)
struct Powers {
  units::Dimension known;
  std::map<int, units::Fraction> unknown;

  Powers times(const Powers& other, units::Fraction power = 1) const;
  Powers to(units::Fraction power) const { return Powers{}.times(*this, power); }
  static Powers of(const units::Dimension& dimension) { return {dimension, {}}; }
  static Powers of(int id) { return {{}, {{id, 1}}}; }
  static Powers of(std::string_view unit) { return of(units::parse(unit)->dimension); }
};

// What is known of the unknowns.
class Dimensions {
 public:
  int add();
  // With what has been found put in.
  Powers settled(const Powers& powers) const;
  // Makes them equal, because of what stands there. False: they cannot be.
  bool equate(const Powers& a, const Powers& b, Span because);
  // Where it was found what this is; unknown if it was known all along.
  Span found_at(const Powers& powers) const;

 private:
  struct Unknown {
    std::optional<Powers> value;
    Span because;
  };
  std::vector<Unknown> unknowns_;
};

}  // namespace cradle::model
