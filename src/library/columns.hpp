#pragma once
// What a run records: what is selected, what the model shows, or everything.

#include <vector>

#include "cradle/cradle.hpp"
#include "model/model.hpp"
#include "simulate/engine.hpp"

namespace cradle::library {

// Throws std::invalid_argument for a name that the model does not have.
std::vector<simulate::RecordedColumn> columns_for(const model::Model& model,
                                                  const Options& options);

}  // namespace cradle::library
