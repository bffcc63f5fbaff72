#include "show/view/describe.hpp"

#include <algorithm>
#include <map>

#include "api/embedded.hpp"

namespace cradle::view {

using text::Json;
using text::number;

namespace {

bool is_standard(const std::string& file) {
  const auto& library = embedded_library();
  return std::any_of(library.begin(), library.end(),
                     [&](const auto& one) { return one.first == file; });
}

// What the text says without settings. A parameter that exists by a setting only has no other.
std::map<std::string, double> defaults_of(const Model::Impl& model) {
  std::map<std::string, double> out;
  if (model.settings.empty()) return out;
  Model::Impl plain(model, {});
  plain.build();
  if (!plain.plan) return out;
  for (const model::Parameter& p : plain.flat().parameters) out.emplace(p.name, p.value);
  return out;
}

// By what the name stands for.
const char* kind_of(const model::Model& model, ExprId value) {
  using expr::Op;
  const expr::Node* node = &model.pool[value];
  // What lives in a mode is absent outside: active ? value : absent.
  if (node->op == Op::If && model.pool[node->c].op == Op::Absent) node = &model.pool[node->b];
  switch (node->op) {
    case Op::State:
      return "state";
    case Op::Effort:
    case Op::Flow:
      return "bond";
    case Op::Active:
    case Op::InMode:
      return "mode";
    default:
      return "signal";
  }
}

}  // namespace

Json diagnostics_json(std::vector<Diagnostic> diagnostics, const Sources& sources) {
  std::stable_partition(diagnostics.begin(), diagnostics.end(),
                        [](const Diagnostic& d) { return d.severity == Severity::Error; });
  Json out = Json::parse(render_json(diagnostics, sources));
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    out[i]["text"] = render_text(diagnostics[i], sources);
  }
  return out;
}

Json sources_json(const Sources& sources) {
  Json out = Json::array();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const SourceFile& file = sources.file(static_cast<int32_t>(i));
    out.push_back({{"name", file.name}, {"text", file.text}, {"own", !is_standard(file.name)}});
  }
  return out;
}

Json parameters_json(const Model::Impl& model) {
  const std::map<std::string, double> defaults = defaults_of(model);
  const Sources& sources = model.sources();
  Json out = Json::array();
  const std::vector<model::Parameter>& parameters = model.flat().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const model::Parameter& parameter = parameters[i];
    const auto found = defaults.find(parameter.name);
    const double value = model.plan->binding().parameter(model.flat(), i);
    Json one = {{"name", parameter.name},
                {"value", number(value)},
                {"default", number(found == defaults.end() ? value : found->second)}};
    if (parameter.span.known() && !is_standard(sources.file(parameter.span.file).name)) {
      const auto [line, column] = sources.position(parameter.span.file, parameter.span.begin);
      one["place"] = {
          {"file", sources.file(parameter.span.file).name}, {"line", line}, {"column", column}};
    }
    out.push_back(std::move(one));
  }
  return out;
}

Json names_json(const model::Model& model) {
  std::map<std::string, const char*> kinds;
  for (const auto& [name, value] : model.readable) kinds.emplace(name, kind_of(model, value));
  for (const model::Parameter& parameter : model.parameters) {
    kinds.emplace(parameter.name, "parameter");
  }
  for (const model::Automaton& automaton : model.automata) {
    kinds.emplace(automaton.name, automaton.modal ? "modal" : "automaton");
  }
  for (const model::Element& element : model.elements) kinds.emplace(element.name, "element");
  for (const model::Junction& junction : model.junctions) {
    kinds.emplace(junction.name, "junction");
  }
  Json out = Json::array();
  for (const auto& [name, kind] : kinds) out.push_back({{"name", name}, {"kind", kind}});
  return out;
}

}  // namespace cradle::view
