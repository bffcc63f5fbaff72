#pragma once
// Elaboration within bounds that are given: see cradle/bounds.hpp. Without, they are small.

#include "cradle/bounds.hpp"
#include "language/model/elaborate.hpp"

namespace cradle::model {

inline constexpr BuildBounds kSmallBounds{500'000, 4'000'000, 10'000'000};

Loaded elaborate_within(const BuildBounds& bounds, Loader::File file, const Loader& loader,
                        const std::vector<Setting>& settings,
                        const std::vector<std::string>& also_read = {},
                        const std::vector<std::string>& linear = {});

}  // namespace cradle::model
