#pragma once
// A model for a page: what is wrong with it, its parameters, what can be read in it.

#include <vector>

#include "library/implementation.hpp"
#include "report/json_parts.hpp"

namespace cradle::view {

// As `check --json` has them, errors first, and each as the terminal shows it.
report::Json diagnostics_json(std::vector<Diagnostic> diagnostics, const Sources& sources);
report::Json sources_json(const Sources& sources);
report::Json parameters_json(const Model::Impl& model);
report::Json names_json(const model::Model& model);

}  // namespace cradle::view
