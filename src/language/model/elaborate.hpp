#pragma once
// syntax::Tree ─elaborate→ model::Model: imports, parameters, components, loops, names, types.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "cradle/setting.hpp"
#include "language/model/model.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::model {

// How files are found and read, so that the core does no I/O of its own. `resolve` gets the path as
// written in an import and the name of the importing file; it returns the name and text of the
// imported file, or nullopt; or says that it may not be read.
struct Loader {
  struct File {
    std::string name;
    std::string text;
    bool refused = false;
  };
  std::function<std::optional<File>(const std::string& path, const std::string& importer)> resolve;
  // What to write instead of a component of this name, which nobody has defined; empty if nothing
  // is known. May be null.
  std::function<std::string(const std::string& component)> part_hint = {};
};

struct Loaded {
  Sources sources;
  Diagnostics diagnostics;
  std::unique_ptr<Model> model;  // null if there were errors
};

// Reads, parses and elaborates `file`. Always returns; what is wrong stands in the diagnostics.
// `also_read`: names that Model::find shall know even if the model does not read them. This matters
// for p and q that no element stores (--select b.q): their integrals are made only when asked for.
// `settings` beat what the text says, before anything is computed from it.
// `linear`: inputs that move between the times at which they are set; the others are held.
Loaded elaborate(Loader::File file, const Loader& loader, const std::vector<Setting>& settings,
                 const std::vector<std::string>& also_read = {},
                 const std::vector<std::string>& linear = {});

}  // namespace cradle::model
