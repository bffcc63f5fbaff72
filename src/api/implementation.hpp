#pragma once
// What stands behind the public Model: the text, and the plan that was made of it. Const once it is
// built: models and simulations share it.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.hpp"
#include "cradle/cradle.hpp"
#include "language/model/elaborate.hpp"
#include "theory/causality/causality.hpp"

namespace cradle {

struct Model::Impl {
  model::Loader::File file;
  bool readable = true;  // the file itself could be read
  std::string root;      // imports may not lead out of this folder; empty: they may
  std::vector<Setting> settings;
  std::vector<std::string> also_read;      // see model::elaborate
  model::Loaded loaded;                    // without its model, which is the plan's
  std::shared_ptr<const plan::Plan> plan;  // null unless ok

  void build();
  const model::Model& flat() const { return plan->model(); }
};

// Reads files relative to the importing one, and std/… from the library that is built in.
// `root`: see Model::load.
model::Loader file_loader(const std::string& root);
// nullopt if it cannot be read.
std::optional<std::string> read_file(const std::string& path);

// The initial mode, but for the states that are selected.
causality::Mode selected_mode(const model::Model& model, const ModeSelection& selection);

// Structure of modes that can be judged without running.
std::vector<Diagnostic> check_modes(const plan::Plan& plan, int max_modes);

}  // namespace cradle
