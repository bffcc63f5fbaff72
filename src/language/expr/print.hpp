#pragma once
// Expressions for people, in the notation of the language.

#include <functional>
#include <optional>
#include <string>

#include "language/expr/pool.hpp"

namespace cradle::expr {

// Binding strength, as in the grammar; weakest first.
enum Level { kIf, kOr, kAnd, kNot, kCompare, kSum, kProduct, kMinus, kPower, kPrimary };
int level(const Node& node);

// What to call a leaf that has a ref (Effort, Flow, State, Signal, InMode, …).
using LeafName = std::function<std::string(const Node& leaf)>;

// What to write for a node in place of its operator and operands, if anything. It stands where a
// primary does: a name, a number, a call.
using NodeText = std::function<std::optional<std::string>(ExprId, const Node& node)>;

// Shared parts are written out again at each use, so the text is cut with "…" at about max_length
// bytes.
std::string to_string(const Pool& pool, ExprId e, const LeafName& leaf_name,
                      std::size_t max_length = 4000);
std::string to_string(const Pool& pool, ExprId e, const NodeText& instead, std::size_t max_length);

}  // namespace cradle::expr
