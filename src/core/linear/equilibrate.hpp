#pragma once
// Scaling of rows and columns by powers of two, so that a pivot's size means something whatever the
// units: bond graphs mix picofarads and megohms in one matrix.

#include <span>
#include <vector>

#include "core/linear/rank_revealing_lu.hpp"

namespace cradle::linear {

struct Scaling {
  std::vector<double> rows, columns;  // powers of two
};

// Brings the magnitudes of all entries near 1, in the sense of Curtis and Reid (On the automatic
// scaling of matrices for Gaussian elimination, 1972): alternating means of the binary exponents.
// Entries must be finite.
Scaling equilibrate(int size, std::span<const Triplet> entries);

}  // namespace cradle::linear
