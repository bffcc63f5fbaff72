#pragma once
// The matrices of multiport fields.

#include <vector>

namespace cradle::model {

// The inverse of a symmetric matrix, symmetric itself. False if there is none.
bool invert(std::vector<std::vector<double>> matrix, std::vector<std::vector<double>>& inverse);

}  // namespace cradle::model
