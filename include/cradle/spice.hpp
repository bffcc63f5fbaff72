#pragma once
// A SPICE netlist as a model: every node is a 0-junction, every part hangs on a 1-junction between
// two of them. Includes no third-party header.

#include <string>
#include <vector>

#include "cradle/diagnostic.hpp"

namespace cradle {

struct SpiceImport {
  std::string text;                     // a model that `Model::load_text` reads; empty if !ok()
  std::vector<Diagnostic> diagnostics;  // errors, and warnings of what is left out or idealised
  Sources sources;                      // for render_text
  bool ok() const;
};

// `name`: of the file, for messages and for the name of the model.
SpiceImport import_spice(const std::string& name, const std::string& text);

}  // namespace cradle
