#pragma once
// Processes for people: in the notation of the seed, which parse.hpp reads back, as LaTeX, as JSON.

#include <string>

#include "theory/hypa/term.hpp"

namespace cradle::hypa {

std::string to_string(const Vocabulary& v, ExprId e);
// On one line, with as few parentheses as the binding order allows.
std::string to_string(const Vocabulary& v, const Term& term);
// Broken into lines, each but the first after `indent` blanks.
std::string indented(const Vocabulary& v, const Term& term, std::size_t indent);
// X ≈ …, broken into lines where it is longer than a line.
std::string to_string(const Vocabulary& v, const Process& process);
// Parameters, and automata with their states.
std::string declarations(const Vocabulary& v);
// All processes, with the states of the automata that they speak of.
std::string to_string(const Specification& specification);

// An align* environment, in the layout of the seed.
std::string to_latex(const Specification& specification);
std::string to_json(const Specification& specification);

}  // namespace cradle::hypa
