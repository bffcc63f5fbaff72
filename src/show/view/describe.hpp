#pragma once
// A model for a page: what is wrong with it, its parameters, what can be read in it.

#include <vector>

#include "api/implementation.hpp"
#include "show/text/json_parts.hpp"

namespace cradle::view {

// As `check --json` has them, errors first, and each as the terminal shows it.
text::Json diagnostics_json(std::vector<Diagnostic> diagnostics, const Sources& sources);
text::Json sources_json(const Sources& sources);
text::Json parameters_json(const Model::Impl& model);
text::Json names_json(const model::Model& model);

}  // namespace cradle::view
