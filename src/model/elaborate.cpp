#include "model/elaborate.hpp"

#include "model/elaboration.hpp"
#include "model/structure.hpp"

namespace cradle::model {

namespace {

void run_passes(Elaboration& e, const Component& model) {
  declare_everything(e, model);
  report_unused_overrides(e);
  if (e.stopped) return;
  connect_bonds(e);
  define_signals(e);
  define_elements(e);
  define_automata(e);
  define_priorities(e);
  define_shown(e);
  define_until(e);
  if (!e.report.has_errors()) collect_readable_names(e);
}

}  // namespace

Loaded elaborate(Loader::File file, const Loader& loader, const std::vector<Override>& overrides) {
  Loaded loaded;
  Library library;
  read_files(library, std::move(file), loader, loaded.sources, loaded.diagnostics);
  // What the parser could not read would be missed everywhere else.
  if (loaded.diagnostics.has_errors()) return loaded;

  auto model = std::make_unique<Model>();
  Elaboration e(loaded.sources, *model);
  for (const Override& entry : overrides) e.overrides[entry.name] = {entry.value, false};
  index_components(library, e.report);
  if (const Component* top = library.files.front().model) {
    model->name = top->definition->name.text;
    run_passes(e, *top);
  } else if (!e.report.has_errors()) {
    e.report.add(Diagnostic("model.missing", library.files.front().name + " holds no model")
                     .help("write model Name { … }"));
  }
  e.report.move_to(loaded.diagnostics);
  if (!loaded.diagnostics.has_errors()) loaded.model = std::move(model);
  return loaded;
}

}  // namespace cradle::model
