#include "language/model/library.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "language/elements/element.hpp"
#include "language/model/expressions.hpp"
#include "language/model/report.hpp"
#include "language/model/walk.hpp"

namespace cradle::model {

std::vector<std::string> Component::declared_names() const {
  std::vector<std::string> names;
  for (const auto& [name, span] : declared) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

int Component::find_parameter(std::string_view name) const {
  const auto found = parameter_by_name.find(name);
  return found == parameter_by_name.end() ? -1 : found->second;
}

bool is_constant_of_nature(std::string_view name) {
  constexpr std::string_view names[] = {
#define CONSTANT(word, about) word,
#include "language/syntax/words.def"
  };
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

namespace {

struct Reader {
  Library& library;
  const Loader& loader;
  Sources& sources;
  Diagnostics& diagnostics;
  std::unordered_map<std::string, LoadedFile*> by_name;
  bool full = false;

  LoadedFile* read(Loader::File file) {
    auto [place, is_new] = by_name.try_emplace(file.name, nullptr);
    if (!is_new) return place->second;
    LoadedFile& loaded = library.files.emplace_back();
    place->second = &loaded;
    loaded.name = file.name;
    int32_t id = sources.add(std::move(file.name), std::move(file.text));
    loaded.tree = syntax::parse(sources, id, diagnostics);
    return &loaded;
  }

  void follow_import(LoadedFile& importer, const syntax::Import& import) {
    if (full) return;
    if (import.path.empty()) {
      diagnostics.add(Diagnostic("import.not-found", "an import needs the name of a file")
                          .at(import.span, "nothing is named here"));
      return;
    }
    auto found = loader.resolve ? loader.resolve(import.path, importer.name) : std::nullopt;
    if (!found) {
      diagnostics.add(Diagnostic("import.not-found", "there is no file " + import.path)
                          .at(import.span, "imported here")
                          .rule("an import is looked up beside the importing file, then in the "
                                "standard library (std/…)"));
      return;
    }
    if (found->refused) {
      diagnostics.add(
          Diagnostic("import.outside", import.path + " leads out of the folder of the models")
              .at(import.span, "imported here")
              .rule("with --root, only files below that folder and the standard library (std/…) "
                    "are imported, wherever links point")
              .help("copy the file into the folder, or choose a folder that holds both"));
      return;
    }
    if (library.files.size() >= kMaxFiles && !by_name.contains(found->name)) {
      full = true;
      diagnostics.add(Diagnostic("limit.files",
                                 "more than " + std::to_string(kMaxFiles) + " files are imported")
                          .at(import.span, "the first one too many"));
      return;
    }
    importer.imports.push_back(read(std::move(*found)));
  }
};

void declare_name(Component& component, const syntax::Name& name) {
  if (!name.text.empty()) component.declared.try_emplace(name.text, name.span);
}

void index_port(Component& component, const syntax::Port& port) {
  using Kind = syntax::Port::Kind;
  auto& list = port.kind == Kind::Power   ? component.ports
               : port.kind == Kind::Input ? component.inputs
                                          : component.outputs;
  list.push_back(&port);
}

void order_parameters(Component& component, Report& report);

// Of two with one name the first counts; that is reported where they are declared.
void add_parameter(Component& component, const syntax::Param& parameter) {
  const auto index = static_cast<int>(component.parameters.size());
  component.parameters.push_back(&parameter);
  component.parameter_by_name.try_emplace(parameter.name.text, index);
}

struct Indexer {
  LoadedFile& file;
  Report& report;

  void add_function(Component& component, const syntax::Function& function) {
    const syntax::Name& name = function.name;
    const std::vector<std::string> known = function_names();
    if (std::find(known.begin(), known.end(), name.text) != known.end()) {
      report.add(Diagnostic("name.reserved", name.text + " is a function of the language")
                     .at(name.span)
                     .help("choose another name"));
      return;
    }
    const auto [place, is_new] = component.functions.try_emplace(name.text, &function);
    if (is_new) return;
    report.add(Diagnostic("name.duplicate", "function " + name.text + " is defined twice")
                   .at(name.span, "here")
                   .at(place->second->name.span, "and here")
                   .help("rename one of them"));
  }

  // What stands in braces of its own inside a definition.
  void inner(const syntax::Definition& definition, const void* syntax,
             const std::vector<syntax::ItemPtr>& items, bool top) {
    Component& component = file.inner.emplace_back();
    component.definition = &definition;
    component.file = &file;
    component.items = &items;
    file.inner_of.emplace(syntax, &component);
    index(component, items, top);
    order_parameters(component, report);
  }

  void index(Component& component, const std::vector<syntax::ItemPtr>& items, bool top);
};

// Parameters and ports count at the top of a definition only: inside for and if they would depend
// on values that depend on them.
void Indexer::index(Component& component, const std::vector<syntax::ItemPtr>& items, bool top) {
  for (const syntax::ItemPtr& item : items) {
    if (auto* param = std::get_if<syntax::Param>(&item->node)) {
      declare_name(component, param->name);
      if (top) add_parameter(component, *param);
    } else if (auto* function = std::get_if<syntax::Function>(&item->node)) {
      add_function(component, *function);
    } else if (auto* port = std::get_if<syntax::Port>(&item->node)) {
      declare_name(component, port->name);
      if (top) index_port(component, *port);
    } else if (auto* declaration = std::get_if<syntax::Declaration>(&item->node)) {
      declare_name(component, declaration->name.name);
    } else if (auto* junction = std::get_if<syntax::Junction>(&item->node)) {
      declare_name(component, junction->name.name);
    } else if (auto* signal = std::get_if<syntax::SignalDefinition>(&item->node)) {
      declare_name(component, signal->name.name);
    } else if (auto* bonds = std::get_if<syntax::BondChain>(&item->node)) {
      declare_name(component, bonds->label);
    } else if (auto* loop = std::get_if<syntax::For>(&item->node)) {
      index(component, loop->body, false);
    } else if (auto* choice = std::get_if<syntax::IfItem>(&item->node)) {
      index(component, choice->then, false);
      index(component, choice->otherwise, false);
    } else if (auto* enabled = std::get_if<syntax::WhenItem>(&item->node)) {
      index(component, enabled->body, false);
    } else if (auto* modal = std::get_if<syntax::Modal>(&item->node)) {
      declare_name(component, modal->name.name);
      inner(*component.definition, modal, modal->body, true);
    } else if (auto* mode = std::get_if<syntax::Mode>(&item->node)) {
      declare_name(component, mode->name);
      inner(*component.definition, mode, mode->body, false);
    }
  }
}

void report_parameter_cycle(const Component& component, const std::vector<int>& cycle,
                            Report& report) {
  auto first = std::min_element(cycle.begin(), cycle.end());
  Diagnostic diagnostic("param.cycle", "");
  std::string loop;
  for (std::size_t i = 0; i <= cycle.size(); ++i) {
    std::size_t k = (static_cast<std::size_t>(first - cycle.begin()) + i) % cycle.size();
    const syntax::Name& name = component.parameters[static_cast<std::size_t>(cycle[k])]->name;
    loop += (i > 0 ? " → " : "") + name.text;
    if (i == cycle.size()) break;
    const auto& next =
        component.parameters[static_cast<std::size_t>(cycle[(k + 1) % cycle.size()])]->name.text;
    diagnostic.at(name.span, "needs " + next);
  }
  diagnostic.message = "parameter " +
                       component.parameters[static_cast<std::size_t>(*first)]->name.text +
                       " depends on itself";
  diagnostic.note("loop", loop);
  diagnostic.help("give one of them a value of its own");
  report.add(std::move(diagnostic));
}

// Depth-first search on an explicit stack, so that a long chain of parameters costs no call stack.
void order_parameters(Component& component, Report& report) {
  enum class Mark : char { New, Open, Done };
  struct Frame {
    int parameter;
    std::vector<int> needs;
    std::size_t next = 0;
  };
  std::unordered_map<std::string_view, int> by_name;
  for (std::size_t i = 0; i < component.parameters.size(); ++i) {
    by_name.try_emplace(component.parameters[i]->name.text, static_cast<int>(i));
  }
  auto needs = [&](int parameter) {
    std::vector<int> found;
    const auto& value = component.parameters[static_cast<std::size_t>(parameter)]->value;
    // Also those that a function reads which is called there.
    std::vector<std::pair<const syntax::Expr*, const syntax::Function*>> open;
    std::set<std::string_view> called;
    if (value) open.emplace_back(value.get(), nullptr);
    while (!open.empty()) {
      const auto [expr, within] = open.back();
      open.pop_back();
      const auto is_argument = [&function = within](std::string_view name) {
        if (function == nullptr) return false;
        return std::any_of(function->parameters.begin(), function->parameters.end(),
                           [&](const syntax::Name& argument) { return argument.text == name; });
      };
      for_each_name(
          *expr,
          [&](std::string_view name) {
            if (is_argument(name)) return;
            if (auto place = by_name.find(name); place != by_name.end()) {
              found.push_back(place->second);
            }
          },
          [&](std::string_view function) {
            const auto place = component.functions.find(function);
            if (place == component.functions.end() || !called.insert(function).second) return;
            if (place->second->value) {
              open.emplace_back(place->second->value.get(), place->second);
            }
          });
    }
    return found;
  };
  std::vector<Mark> marks(component.parameters.size(), Mark::New);
  for (std::size_t root = 0; root < component.parameters.size(); ++root) {
    if (marks[root] != Mark::New) continue;
    std::vector<Frame> stack;
    stack.push_back({static_cast<int>(root), needs(static_cast<int>(root))});
    marks[root] = Mark::Open;
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.needs.size()) {
        marks[static_cast<std::size_t>(frame.parameter)] = Mark::Done;
        component.parameter_order.push_back(frame.parameter);
        stack.pop_back();
        continue;
      }
      int wanted = frame.needs[frame.next++];
      Mark& mark = marks[static_cast<std::size_t>(wanted)];
      if (mark == Mark::New) {
        mark = Mark::Open;
        stack.push_back({wanted, needs(wanted)});
      } else if (mark == Mark::Open) {
        std::vector<int> cycle;
        cycle.reserve(stack.size() + 1);
        for (const Frame& open : stack) cycle.push_back(open.parameter);
        cycle.erase(cycle.begin(), std::find(cycle.begin(), cycle.end(), wanted));
        report_parameter_cycle(component, cycle, report);
      }
    }
  }
}

void see_component(LoadedFile& file, const Component& component, Report& report) {
  const syntax::Name& name = component.definition->name;
  auto [place, is_new] = file.visible.try_emplace(name.text, &component);
  if (is_new || place->second == &component) return;
  const Component &other = *place->second, &nearer = other.file == &file ? other : component;
  report.add(Diagnostic("name.duplicate", "component " + name.text + " is defined twice")
                 .at(nearer.definition->name.span, "here")
                 .at((&nearer == &other ? component : other).definition->name.span, "and here")
                 .help("rename one of them"));
}

void index_file(LoadedFile& file, Report& report) {
  for (const syntax::Definition& definition : file.tree.definitions) {
    if (definition.name.text.empty()) continue;
    if (elements::find(definition.name.text) != nullptr) {
      report.add(Diagnostic("name.reserved", definition.name.text + " is the name of an element")
                     .at(definition.name.span)
                     .help("choose another name"));
      continue;
    }
    Component& component = file.own.emplace_back();
    component.definition = &definition;
    component.items = &definition.items;
    component.file = &file;
    Indexer{file, report}.index(component, definition.items, true);
    order_parameters(component, report);
    if (definition.is_model) file.model = &component;
  }
}

}  // namespace

void read_files(Library& library, Loader::File file, const Loader& loader, Sources& sources,
                Diagnostics& diagnostics) {
  Reader reader{library, loader, sources, diagnostics, {}, false};
  reader.read(std::move(file));
  for (std::size_t i = 0; i < library.files.size(); ++i) {
    LoadedFile& importer = library.files[i];
    for (const syntax::Import& import : importer.tree.imports) {
      reader.follow_import(importer, import);
    }
  }
}

void index_components(Library& library, Report& report) {
  for (LoadedFile& file : library.files) index_file(file, report);
  for (LoadedFile& file : library.files) {
    for (const Component& component : file.own) {
      if (!component.definition->is_model) see_component(file, component, report);
    }
    for (const LoadedFile* import : file.imports) {
      for (const Component& component : import->own) {
        if (!component.definition->is_model) see_component(file, component, report);
      }
    }
  }
}

}  // namespace cradle::model
