#pragma once
// What stands behind the public Model: the text, and the plan that was made of it. Const once it is
// built: models and simulations share it. Models that differ in values of parameters alone share
// the text and all of the plan but its numbers.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.hpp"
#include "cradle/bounds.hpp"
#include "cradle/cradle.hpp"
#include "language/model/elaborate.hpp"
#include "theory/causality/causality.hpp"

namespace cradle {

// What was read, and what there is to say about it.
struct Origin {
  model::Loader::File file;
  bool readable = true;                // the file itself could be read
  std::string root;                    // imports may not lead out of this folder; empty: they may
  std::vector<std::string> also_read;  // see model::elaborate
  std::vector<std::string> linear_inputs;
  model::Loaded loaded;  // without its model, which is the plan's
  BuildBounds bounds;
};

struct Model::Impl {
  Impl();
  // The same text with other settings, which are yet to be made use of.
  Impl(const Impl& other, std::vector<Setting> settings);

  std::shared_ptr<Origin> origin;
  std::vector<Setting> settings;
  std::shared_ptr<const plan::Plan> plan;  // null unless ok
  OnceTable<model::Model> with_numbers;    // of one item

  static Model model_of(std::shared_ptr<const Impl> impl) { return Model(std::move(impl)); }
  void build();
  // Binds one more value to the plan of another model of the same text; false if that needs another
  // plan.
  bool bind(const Impl& other, const Setting& setting);
  const model::Loader::File& file() const { return origin->file; }
  const Sources& sources() const { return origin->loaded.sources; }
  const model::Model& flat() const { return plan->model(); }
  // The same with numbers in place of parameters; made when it is first asked for.
  const model::Model& folded() const;
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
