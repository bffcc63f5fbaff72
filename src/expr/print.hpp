#pragma once
// Expressions for people, in the notation of the language.

#include <functional>
#include <string>

#include "expr/pool.hpp"

namespace cradle::expr {

// What to call a leaf that has a ref (Effort, Flow, State, Signal, InMode, …).
using LeafName = std::function<std::string(const Node& leaf)>;

// Shared parts are written out again at each use, so the text is cut with "…" at about max_length
// bytes.
std::string to_string(const Pool& pool, ExprId e, const LeafName& leaf_name,
                      std::size_t max_length = 4000);

}  // namespace cradle::expr
