#pragma once
// A flat model as text of the language, such that
//
//   model::Model ─write→ text ─parse, elaborate→ the same model::Model
//
// up to the names, which are flattened, and to signals that are added where several expressions
// read one memory. The text is read again and compared before it is handed out, so what is written
// means what was meant; what the language cannot say is refused.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/model/model.hpp"

namespace cradle::reduce {

struct Written {
  std::string text;                 // in the one style, with a comment for every name that changed
  std::optional<Diagnostic> fault;  // then there is no text
  // Every name that can be read in the model, and what to read in the text; sorted. Left out is
  // what keeps its value inside an expression.
  std::vector<std::pair<std::string, std::string>> names;
};

// `opening`: lines of a comment before the model.
Written write(model::Model model, const std::vector<std::string>& opening = {});
// The names alone, as `write` gives them.
std::vector<std::pair<std::string, std::string>> written_names(model::Model model);

}  // namespace cradle::reduce
