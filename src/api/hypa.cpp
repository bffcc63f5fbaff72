#include "cradle/hypa.hpp"

#include "api/implementation.hpp"
#include "theory/hypa/parse.hpp"
#include "theory/hypa/present.hpp"

namespace cradle {
namespace {

hypa::Presentation presentation(const HypaOptions& options) {
  hypa::Presentation out;
  out.format = static_cast<hypa::Format>(options.format);
  out.eliminate = options.eliminate;
  out.explain = options.explain;
  out.bonds = options.bonds;
  out.max_alternatives = static_cast<std::size_t>(options.max_alternatives);
  return out;
}

std::string no_normal_form(const std::string& problem) {
  Diagnostic diagnostic("hypa.normal-form", "there is no normal form: " + problem);
  diagnostic.rule("one alternative for each combination of modes that can be reached");
  if (problem.find("combinations") != std::string::npos) {
    diagnostic.help("raise --max-alternatives, or look at a part of the model");
  }
  return render_text(diagnostic, {});
}

}  // namespace

HypaResult processes_of(const Model& model, const HypaOptions& options) {
  HypaResult out;
  std::string problem;
  const Model::Impl& impl = model.impl();
  out.text = options.values ? hypa::present(impl.folded(), presentation(options), problem)
                            : hypa::present(model::with_given(impl.flat(), impl.plan->binding()),
                                            presentation(options), problem);
  if (!problem.empty()) out.diagnostics = no_normal_form(problem);
  return out;
}

HypaResult processes_from_text(const std::string& name, const std::string& text,
                               const HypaOptions& options) {
  HypaResult out;
  Sources sources;
  const int32_t file = sources.add(name, text);
  Diagnostics diagnostics;
  hypa::Specification specification = hypa::parse(text, file, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    out.diagnostics += render_text(diagnostic, sources);
  }
  if (!out.ok()) return out;
  std::string problem;
  out.text = hypa::present(std::move(specification), presentation(options), problem);
  if (!problem.empty()) out.diagnostics = no_normal_form(problem);
  return out;
}

}  // namespace cradle
