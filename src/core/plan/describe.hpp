#pragma once
// What to say of a mode that has no meaning.

#include "core/plan/island.hpp"
#include "cradle/diagnostic.hpp"

namespace cradle::plan {

// Without time or mode: the caller knows those.
Diagnostic describe(const model::Model& model, const IslandFault& fault);
// An expression in the user's names: x < 1.
std::string describe(const model::Model& model, ExprId expr);

// The first few items, and how many there are in all.
std::string join(const std::vector<std::string>& items, const char* separator = ", ",
                 std::size_t limit = 8);

}  // namespace cradle::plan
