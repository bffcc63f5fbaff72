#pragma once
// Walks over syntax trees.

#include <functional>
#include <string_view>

#include "language/syntax/tree.hpp"

namespace cradle::model {

// Calls `visit` with the first name of every path in the expression, also of those in indices.
// Variables of comprehensions are passed over.
void for_each_name(const syntax::Expr& expr, const std::function<void(std::string_view)>& visit);
// The same, and `visit_call` with the name of every function.
void for_each_name(const syntax::Expr& expr, const std::function<void(std::string_view)>& visit,
                   const std::function<void(std::string_view)>& visit_call);

// Calls `visit` with every path that says the same in each turn of comprehensions around it.
void for_each_path(const syntax::Expr& expr, const std::function<void(const syntax::Path&)>& visit);

}  // namespace cradle::model
