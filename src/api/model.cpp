#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "api/columns.hpp"
#include "api/implementation.hpp"
#include "base/basics/read_bounded.hpp"
#include "language/model/bounds.hpp"
#include "language/syntax/tree.hpp"
#include "theory/causality/causality.hpp"

namespace cradle {

const char* version() { return CRADLE_VERSION; }

Model::Impl::Impl() : origin(std::make_shared<Origin>()) { with_numbers.resize(1); }

Model::Impl::Impl(const Impl& other, std::vector<Setting> new_settings) : Impl() {
  origin->file = other.origin->file;
  origin->root = other.origin->root;
  origin->bounds = other.origin->bounds;
  settings = std::move(new_settings);
}

void Model::Impl::build() {
  Origin& o = *origin;
  o.loaded = model::elaborate_within(o.bounds, o.file, file_loader(o.root), settings, o.also_read,
                                     o.linear_inputs);
  if (o.loaded.model && !o.loaded.diagnostics.has_errors()) {
    plan = plan::make_plan(std::move(o.loaded.model));
  }
}

namespace {

// Of a setting that is a plain number; anything else is left to the language.
std::optional<double> plain_number(const std::string& text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const bool plain =
      text.size() > begin && text.find_first_not_of("0123456789.e+-") == std::string::npos;
  if (!plain || std::isdigit(static_cast<unsigned char>(text[begin])) == 0) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + begin, end, value);
  const bool whole = stopped == end && error == std::errc() && text.back() != '.';
  return whole ? std::optional(begin == 1 ? -value : value) : std::nullopt;
}

}  // namespace

bool Model::Impl::bind(const Impl& other, const Setting& setting) {
  const std::optional<double> value = plain_number(setting.value);
  if (!other.plan || !value) return false;
  plan = other.plan->with(setting.name, *value);
  if (plan == nullptr) return false;
  origin = other.origin;
  return true;
}

const model::Model& Model::Impl::folded() const {
  return with_numbers.get(0, [this] { return model::fold(flat(), plan->binding()); });
}

Model::Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Model::Model(const Model&) = default;
Model& Model::operator=(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::load(const std::string& path, const std::vector<Setting>& settings,
                  const std::string& root) {
  return load_within({}, path, settings, root);
}

Model load_within(const BuildBounds& bounds, const std::string& path,
                  const std::vector<Setting>& settings, const std::string& root) {
  std::optional<std::string> text = read_file(path);
  if (text) return load_text_within(bounds, path, std::move(*text), settings, root);
  auto impl = std::make_shared<Model::Impl>();
  impl->origin->readable = false;
  impl->origin->file.name = path;
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  const bool exists = std::filesystem::exists(path, error);
  Diagnostic diagnostic("file.unreadable", folder    ? path + " is a folder, not a model"
                                           : !exists ? "there is no file " + path
                                                     : path + " cannot be read");
  diagnostic.rule("a model is a text of at most " + std::to_string(kMaxModelBytes >> 20) + " MiB");
  diagnostic.help("name a file that ends in .cradle; models/ has examples");
  impl->origin->loaded.diagnostics.add(std::move(diagnostic));
  return Model::Impl::model_of(std::move(impl));
}

Model Model::load_text(std::string name, std::string text, const std::vector<Setting>& settings,
                       const std::string& root) {
  return load_text_within({}, std::move(name), std::move(text), settings, root);
}

Model load_text_within(const BuildBounds& bounds, std::string name, std::string text,
                       const std::vector<Setting>& settings, const std::string& root) {
  auto impl = std::make_shared<Model::Impl>();
  impl->origin->file = {std::move(name), std::move(text)};
  impl->origin->root = root;
  impl->origin->bounds = bounds;
  impl->settings = settings;
  impl->build();
  return Model::Impl::model_of(std::move(impl));
}

bool Model::ok() const { return impl_->plan != nullptr; }

const std::vector<Diagnostic>& Model::diagnostics() const {
  return impl_->origin->loaded.diagnostics.items();
}

std::string Model::diagnostics_text() const {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics()) out += render(diagnostic);
  return out;
}

std::string Model::render(const Diagnostic& diagnostic) const {
  return render_text(diagnostic, impl_->sources());
}

const Sources& Model::sources() const { return impl_->sources(); }

Model& Model::set(const std::string& name, double value) { return set(Setting(name, value)); }

Model& Model::set(const Setting& setting) {
  if (!impl_->origin->readable) return *this;
  std::vector<Setting> settings = impl_->settings;
  std::erase_if(settings, [&](const Setting& old) { return old.name == setting.name; });
  settings.push_back(setting);
  auto next = std::make_shared<Impl>();
  if (next->bind(*impl_, setting)) {
    next->settings = std::move(settings);
  } else {
    next = std::make_shared<Impl>(*impl_, std::move(settings));
    next->build();
  }
  impl_ = std::move(next);
  return *this;
}

namespace {

// Where the first file names its model.
Span name_of_model(const Sources& sources) {
  Diagnostics unheard;
  const syntax::Tree tree = syntax::parse(sources, 0, unheard);
  for (const syntax::Definition& definition : tree.definitions) {
    if (definition.is_model) return definition.name.span;
  }
  return {};
}

}  // namespace

std::vector<Diagnostic> Model::check(int max_modes) const {
  std::vector<Diagnostic> out = diagnostics();
  if (!ok()) return out;
  if (!until()) {
    out.push_back(Diagnostic("until.missing", name() + " does not say when it ends")
                      .warning()
                      .at(name_of_model(sources()))
                      .rule("a run has an end time")
                      .help("write until T in the model, or run it with --until T"));
  }
  for (Diagnostic& diagnostic : check_modes(*impl_->plan, max_modes)) {
    out.push_back(std::move(diagnostic));
  }
  return out;
}

causality::Mode selected_mode(const model::Model& model, const ModeSelection& selection) {
  causality::Mode mode = causality::initial_mode(model);
  for (const auto& [automaton, state] : selection.states) {
    for (std::size_t a = 0; a < model.automata.size(); ++a) {
      const model::Automaton& candidate = model.automata[AutomatonId(a)];
      auto found = std::find(candidate.states.begin(), candidate.states.end(), state);
      if (candidate.name == automaton && found != candidate.states.end()) {
        mode[a] = static_cast<int>(found - candidate.states.begin());
      }
    }
  }
  return mode;
}

namespace {

std::vector<causality::Assignment> assignments(const model::Model& model,
                                               const ModeSelection* selection, int max_modes,
                                               bool& complete) {
  std::vector<causality::Mode> modes;
  if (selection != nullptr) {
    modes.push_back(selected_mode(model, *selection));
    complete = true;
  } else {
    modes = causality::enumerate_modes(model, max_modes, complete);
  }
  std::vector<causality::Assignment> out;
  out.reserve(modes.size());
  for (const causality::Mode& mode : modes) {
    out.push_back(causality::assign_causality(model, mode));
  }
  return out;
}

}  // namespace

std::string Model::causality_text(const ModeSelection* mode, int max_modes) const {
  if (!ok()) return {};
  bool complete = false;
  const model::Model& m = impl_->flat();
  const auto found = assignments(m, mode, max_modes, complete);
  return causality::print_text(m, found, complete);
}

std::string Model::causality_json(const ModeSelection* mode, int max_modes) const {
  if (!ok()) return {};
  bool complete = false;
  const model::Model& m = impl_->flat();
  const auto found = assignments(m, mode, max_modes, complete);
  return causality::print_json(m, found, complete);
}

std::string Model::name() const { return ok() ? impl_->flat().name : impl_->file().name; }

std::optional<double> Model::until() const { return ok() ? impl_->plan->until() : std::nullopt; }

std::vector<std::pair<std::string, double>> Model::parameters() const {
  std::vector<std::pair<std::string, double>> out;
  if (!ok()) return out;
  const std::vector<model::Parameter>& parameters = impl_->flat().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    out.emplace_back(parameters[i].name, impl_->plan->binding().parameter(impl_->flat(), i));
  }
  return out;
}

std::vector<std::pair<std::string, double>> Model::inputs() const {
  std::vector<std::pair<std::string, double>> out;
  if (!ok()) return out;
  const model::Model& m = impl_->flat();
  for (const model::Clock& clock : m.clocks) {
    if (!clock.input.valid()) continue;
    out.emplace_back(m.signals[clock.input].name, impl_->plan->number(clock.initial));
  }
  return out;
}

std::vector<std::string> Model::readable_names() const {
  return ok() ? impl_->flat().readable_names() : std::vector<std::string>{};
}

std::vector<Shape> Model::animation() const {
  return ok() ? api::shapes_of(*impl_->plan) : std::vector<Shape>{};
}

std::vector<std::string> Model::automata() const {
  std::vector<std::string> out;
  if (!ok()) return out;
  for (const model::Automaton& a : impl_->flat().automata) out.push_back(a.name);
  return out;
}

std::vector<std::string> Model::automaton_states(const std::string& automaton) const {
  if (!ok()) return {};
  for (const model::Automaton& a : impl_->flat().automata) {
    if (a.name == automaton) return a.states;
  }
  return {};
}

std::optional<std::string> format_source(const std::string& name, const std::string& text,
                                         std::string& diagnostics_text) {
  Sources sources;
  Diagnostics diagnostics;
  const int32_t file = sources.add(name, text);
  const syntax::Tree tree = syntax::parse(sources, file, diagnostics);
  for (const Diagnostic& d : diagnostics.items()) diagnostics_text += render_text(d, sources);
  if (diagnostics.has_errors()) return std::nullopt;
  return syntax::print(tree);
}

}  // namespace cradle
