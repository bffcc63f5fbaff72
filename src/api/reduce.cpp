// cradle reduce: the reduced model as text, opened by what was done.

#include "theory/reduce/reduce.hpp"

#include <algorithm>
#include <map>

#include "api/implementation.hpp"
#include "theory/reduce/write.hpp"

namespace cradle {

namespace {

constexpr std::size_t kWidth = 97;  // of a comment, without its slashes

// Words with commas, on as many lines as they need.
void add_list(std::vector<std::string>& lines, const std::string& opening,
              const std::vector<std::string>& words) {
  std::string line = opening;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = " " + words[i] + (i + 1 < words.size() ? "," : "");
    if (line.size() + word.size() > kWidth) {
      lines.push_back(std::move(line));
      line = " ";
    }
    line += word;
  }
  lines.push_back(std::move(line));
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Which parameters are numbers in the text: those that decide what the model is, or all.
void add_parameters(std::vector<std::string>& lines, const model::Model& model) {
  std::vector<std::string> words;
  for (const model::Parameter& p : model.parameters) {
    if (!p.slot.valid()) words.push_back(p.name + " = " + format_number(p.value));
  }
  const bool all = words.size() == model.parameters.size();
  if (words.empty()) return;
  add_list(
      lines,
      all ? "Its parameters, which are numbers here:" : "Parameters that are numbers here:", words);
}

std::vector<std::string> opening(const Model::Impl& impl, const reduce::Reduction& reduction) {
  const model::Model& model = *reduction.model;
  std::vector<std::string> lines = {one_line(impl.file().name) + ", reduced by cradle reduce."};
  add_parameters(lines, model);
  lines.emplace_back();
  if (reduction.steps.empty()) {
    lines.emplace_back(
        "Nothing could be reduced: components and loops are written out, that is all.");
    return lines;
  }
  for (const reduce::Step& step : reduction.steps) {
    lines.push_back(step.rule + ": " + step.what + "; " + step.why);
  }
  const auto names = reduce::written_names(model);
  const std::map<std::string, std::string> now(names.begin(), names.end());
  bool first = true;
  for (const std::string& name : reduction.moved) {
    auto found = now.find(name);
    const bool elsewhere = found != now.end() && found->second != name;
    if (!elsewhere) continue;
    if (first) lines.insert(lines.end(), {"", "What was read of what is gone:"});
    first = false;
    lines.push_back("  " + name + " is " + found->second);
  }
  return lines;
}

}  // namespace

Reduction Model::reduce(bool values) const {
  Reduction result;
  if (!ok()) {
    result.diagnostics = diagnostics();
    return result;
  }
  const Impl& impl = *impl_;
  const reduce::Reduction reduction = reduce::reduce(
      values ? impl.folded() : model::fold_decided(impl.flat(), impl.plan->binding()));
  for (const reduce::Step& step : reduction.steps) {
    result.steps.push_back({step.rule, step.what, step.why});
  }
  reduce::Written written = reduce::write(*reduction.model, opening(impl, reduction));
  if (written.fault && !values) return reduce(true);  // numbers can always be said
  result.text = std::move(written.text);
  result.names = std::move(written.names);
  if (written.fault) result.diagnostics.push_back(std::move(*written.fault));
  return result;
}

}  // namespace cradle
