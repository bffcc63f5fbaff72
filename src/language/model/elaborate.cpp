#include "language/model/elaborate.hpp"

#include "language/model/bounds.hpp"
#include "language/model/elaboration.hpp"
#include "language/model/expressions.hpp"
#include "language/model/structure.hpp"

namespace cradle::model {

namespace {

// Reading a name makes what it needs. Names that mean nothing are left for the caller to report.
void read_quietly(Elaboration& e, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    Sources sources;
    Diagnostics diagnostics;
    int32_t file = sources.add("", "model Read { show " + name + " }");
    syntax::Tree tree = syntax::parse(sources, file, diagnostics);
    if (diagnostics.has_errors() || tree.definitions.size() != 1) continue;
    std::size_t known = e.model.states.size();
    Context context({&e.scopes.front(), nullptr});
    context.quiet = true;
    for (const syntax::ItemPtr& item : tree.definitions.front().items) {
      auto* show = std::get_if<syntax::Show>(&item->node);
      auto* path =
          show != nullptr ? std::get_if<syntax::PathExpr>(&show->values.front()->node) : nullptr;
      if (path != nullptr) read_path(e, context, path->path);
    }
    // They stand in no file.
    for (std::size_t i = known; i < e.model.states.size(); ++i) {
      e.model.states[StateId(i)].span = {};
    }
  }
}

// Where the value of a setting can be shown: in its file, or as a text of its own.
Span place_of(const Setting& setting, std::map<const SettingsFile*, int32_t>& files,
              Sources& sources) {
  const auto size = static_cast<int32_t>(setting.value.size());
  const SettingsFile* file = setting.file.get();
  if (file == nullptr) return {sources.add("--set " + setting.name, setting.value), 0, size};
  const auto [known, is_new] = files.try_emplace(file, -1);
  if (is_new) known->second = sources.add(file->name, file->text);
  return {known->second, setting.begin, setting.begin + size};
}

// The values stand in no definition, so that they can read no names but those of nature.
void read_settings(Elaboration& e, const std::vector<Setting>& settings, Sources& sources,
                   Diagnostics& diagnostics) {
  static const Component kNowhere;
  Scope scope;
  scope.component = &kNowhere;
  Context context({&scope, nullptr});
  context.known = Context::Known::Parameters;
  std::map<const SettingsFile*, int32_t> files;
  for (const Setting& setting : settings) {
    const std::string what = "the value of " + setting.name;
    context.what = what;
    const Span place = place_of(setting, files, sources);
    syntax::ExprPtr expr = syntax::parse_expression(sources, place, diagnostics);
    Override entry;
    if (expr) entry = {evaluate(e, context, *expr), expr->span, false, expr.get()};
    entry.in_file = setting.file != nullptr;
    e.overrides[setting.name] = std::move(entry);
    e.settings.push_back(std::move(expr));
  }
}

void run_passes(Elaboration& e, const Component& model, const std::vector<std::string>& also_read) {
  declare_everything(e, model);
  report_unused_settings(e);
  if (e.stopped) return;
  follow_automata(e);
  connect_bonds(e);
  check_domains(e);
  infer_types(e);
  split_vectors(e);
  define_guards_of_modes(e);
  define_signals(e);
  define_actions_of_modes(e);
  define_elements(e);
  define_automata(e);
  define_priorities(e);
  define_shown(e);
  define_until(e);
  define_animation(e);
  define_assertions(e);
  define_derivatives(e);
  if (e.report.has_errors()) return;
  analyse_presence(e);
  warn_of_equalities(e);
  read_quietly(e, also_read);
  collect_readable_names(e);
  check_units(e);
}

}  // namespace

Loaded elaborate(Loader::File file, const Loader& loader, const std::vector<Setting>& settings,
                 const std::vector<std::string>& also_read,
                 const std::vector<std::string>& linear) {
  return elaborate_within(kSmallBounds, std::move(file), loader, settings, also_read, linear);
}

Loaded elaborate_within(const BuildBounds& bounds, Loader::File file, const Loader& loader,
                        const std::vector<Setting>& settings,
                        const std::vector<std::string>& also_read,
                        const std::vector<std::string>& linear) {
  Loaded loaded;
  Library library;
  read_files(library, std::move(file), loader, loaded.sources, loaded.diagnostics);
  // What the parser could not read would be missed everywhere else.
  if (loaded.diagnostics.has_errors()) return loaded;

  auto model = std::make_unique<Model>();
  Elaboration e(loaded.sources, *model);
  e.bounds = bounds;
  e.linear_inputs = linear;
  e.part_hint = loader.part_hint;
  e.resolve = loader.resolve;
  read_settings(e, settings, loaded.sources, loaded.diagnostics);
  index_components(library, e.report);
  if (const Component* top = library.files.front().model) {
    model->name = top->definition->name.text;
    run_passes(e, *top, also_read);
  } else if (!e.report.has_errors()) {
    e.report.add(Diagnostic("model.missing", library.files.front().name + " holds no model")
                     .help("write model Name { … }"));
  }
  e.report.move_to(loaded.diagnostics);
  if (!loaded.diagnostics.has_errors()) loaded.model = std::move(model);
  return loaded;
}

}  // namespace cradle::model
