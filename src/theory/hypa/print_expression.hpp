#pragma once
// Expressions over variables of processes, as text or as LaTeX.

#include <string>

#include "theory/hypa/vocabulary.hpp"

namespace cradle::hypa {

enum class Style { Text, Latex };

std::string print_expression(const Vocabulary& v, ExprId e, Style style);
std::string latex_name(const std::string& name);

}  // namespace cradle::hypa
