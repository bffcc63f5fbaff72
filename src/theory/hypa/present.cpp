#include "theory/hypa/present.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "theory/hypa/notation.hpp"
#include "theory/hypa/parts.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

using nlohmann::ordered_json;

// Relations that stand in every alternative, in the jump or in the flow.
Predicate common(const std::vector<Alternative>& all, Predicate Alternative::*of) {
  Predicate out;
  if (all.size() < 3) return out;
  for (const Relation& r : all[0].*of) {
    const bool everywhere = std::all_of(all.begin(), all.end(), [&](const Alternative& a) {
      return std::find((a.*of).begin(), (a.*of).end(), r) != (a.*of).end();
    });
    if (everywhere) out.push_back(r);
  }
  if (out.size() < 2) out.clear();
  return out;
}

Predicate without(const Predicate& predicate, const Predicate& shared, ExprId name) {
  Predicate out;
  if (!shared.empty()) out.push_back({name, {}});
  for (const Relation& r : predicate) {
    if (std::find(shared.begin(), shared.end(), r) == shared.end()) out.push_back(r);
  }
  return out;
}

std::string free_name(const Vocabulary& v, std::string wanted) {
  while (v.find(wanted).valid() || v.find_parameter(wanted).valid()) wanted += "_";
  return wanted;
}

std::string let(const Vocabulary& v, const std::string& name, const Predicate& predicate) {
  const std::string head = "let " + name + ": ";
  std::string text = head;
  for (std::size_t i = 0; i < predicate.size(); ++i) {
    if (i > 0) text += ",\n" + std::string(head.size(), ' ');
    text += to_string(v, predicate[i].holds);
  }
  return text + "\n";
}

std::string freedom_text(const Freedom& freedom) {
  if (freedom.unknowns == 0) return {};
  if (freedom.free == 0) return "the jump is determined";
  std::string text = fmt::format("{} of {} stored {} {} free", freedom.free, freedom.unknowns,
                                 freedom.unknowns == 1 ? "quantity" : "quantities",
                                 freedom.free == 1 ? "is" : "are");
  for (std::size_t i = 0; i < freedom.bounds.size(); ++i) {
    text += (i == 0 ? ", within " : ", ") + freedom.bounds[i];
  }
  return text;
}

const char* kind_text(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::Kept:
      return "kept";
    case Outcome::Kind::Contradiction:
      return "contradiction";
    case Outcome::Kind::Unreachable:
      return "unreachable";
    case Outcome::Kind::Merged:
      return "merged";
  }
  return "";
}

std::string bonds_are_implicit() {
  return fmt::format("Bonds are implicit: p{} = e, q{} = f, E{} = e·f.\n", notation::kDot,
                     notation::kDot, notation::kDot);
}

std::string left_out(const std::vector<std::string>& observers) {
  if (observers.empty()) return {};
  return fmt::format("// Signals that only observe are left out: {}.\n",
                     fmt::join(observers, ", "));
}

std::string counted(std::size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// X ≈ …, behind what its alternatives have in common. `mark`: tells the names of that apart.
std::string alternatives_text(Vocabulary& v, const NormalForm& form, const std::string& mark) {
  const std::size_t n = form.alternatives.size();
  std::string text;
  const Predicate jump = common(form.alternatives, &Alternative::jump);
  const Predicate flowing = common(form.alternatives, &Alternative::flow);
  const std::string jump_name = free_name(v, "Jump" + mark),
                    flow_name = free_name(v, "Flow" + mark);
  const VariableId jump_id = v.variable(jump_name, Quantity::Signal, expr::Type::Boolean);
  const VariableId flow_id = v.variable(flow_name, Quantity::Signal, expr::Type::Boolean);
  if (!jump.empty()) text += let(v, jump_name, jump) + "\n";
  if (!flowing.empty()) text += let(v, flow_name, flowing) + "\n";
  text += to_string(v, name(form.name)) + " " + std::string(notation::kDefines) + "\n";
  for (std::size_t i = 0; i < n; ++i) {
    const Alternative& a = form.alternatives[i];
    if (i > 0) text += fmt::format("    {}\n", notation::kOr);
    std::string remark = freedom_text(form.freedom[i]);
    if (!form.titles[i].empty()) {
      remark.insert(0, form.titles[i] + (remark.empty() ? "" : ": "));
    }
    if (n > 1 || !remark.empty() || mark.empty()) {
      text += fmt::format("      // {}{}{}\n", i + 1, remark.empty() ? "" : ". ", remark);
    }
    Term term = term_of({{without(a.jump, jump, v.leaf(jump_id)),
                          without(a.flow, flowing, v.leaf(flow_id)), a.next}});
    Process process = {"", std::move(term), ""};
    text += "      " + indented(v, process.body, 6) + "\n";
  }
  if (n == 0) text += "      (false)    // every alternative contradicts itself\n";
  return text;
}

std::string what_was_dropped(const NormalForm& form) {
  std::string text = "\n// What was dropped or merged:\n";
  for (const Outcome& outcome : form.outcomes) {
    text += fmt::format("//   {}{}: {}{}{}\n", kind_text(outcome.kind),
                        outcome.count > 1 ? fmt::format(" ({} times)", outcome.count) : "",
                        outcome.what, outcome.what.empty() ? "" : ": ", outcome.reason);
  }
  if (form.outcomes.empty()) text += "//   nothing\n";
  return text;
}

std::string normal_form_text(Vocabulary& v, const NormalForm& form, bool explain,
                             const std::vector<std::string>& observers) {
  std::string text = fmt::format("// {} with {} eliminated: {}. ", form.name, notation::kParallel,
                                 counted(form.alternatives.size(), "alternative")) +
                     bonds_are_implicit();
  text += left_out(observers) + declarations(v) + "\n" + alternatives_text(v, form, "");
  return explain ? text + what_was_dropped(form) : text;
}

Term composed(const NormalForms& forms) {
  std::vector<Term> parts;
  for (const NormalForm& part : forms.parts) parts.push_back(name(part.name));
  return parallel(std::move(parts));
}

std::string why_apart(const NormalForms& forms, std::size_t most) {
  if (!forms.left_apart) return "parts that read nothing of each other stay apart";
  return fmt::format(
      "together they would have more than {} combinations of modes (--max-alternatives)", most);
}

std::string parts_text(Vocabulary& v, const NormalForms& forms, const Presentation& wanted,
                       const std::vector<std::string>& observers) {
  std::size_t alternatives = 0;
  for (const NormalForm& part : forms.parts) alternatives += part.alternatives.size();
  std::string text =
      fmt::format("// {} with {} eliminated in {} parts: {}. ", forms.name, notation::kParallel,
                  forms.parts.size(), counted(alternatives, "alternative")) +
      bonds_are_implicit();
  text += fmt::format("// Between the parts {} stands: {}.\n", notation::kParallel,
                      why_apart(forms, wanted.max_alternatives));
  text += left_out(observers) + declarations(v) + "\n";
  text += to_string(v, Process{forms.name, composed(forms), ""}) + "\n";
  for (std::size_t p = 0; p < forms.parts.size(); ++p) {
    text += fmt::format("\n// {}\n", fmt::join(forms.made_of[p], ", "));
    text += alternatives_text(v, forms.parts[p], std::to_string(p + 1));
    if (wanted.explain) text += what_was_dropped(forms.parts[p]);
  }
  return text;
}

ordered_json normal_form_json(const Vocabulary& v, const NormalForm& form) {
  ordered_json out = {{"name", form.name}};
  auto relations = [&](const Predicate& predicate) {
    ordered_json list = ordered_json::array();
    for (const Relation& r : predicate) {
      list.push_back({{"relation", to_string(v, r.holds)}, {"from", r.from}});
    }
    return list;
  };
  ordered_json alternatives = ordered_json::array();
  for (std::size_t i = 0; i < form.alternatives.size(); ++i) {
    const Freedom& freedom = form.freedom[i];
    alternatives.push_back(
        {{"modes", form.titles[i]},
         {"jump", relations(form.alternatives[i].jump)},
         {"flow", relations(form.alternatives[i].flow)},
         {"next", form.alternatives[i].next},
         {"freedom",
          {{"unknowns", freedom.unknowns}, {"free", freedom.free}, {"bounds", freedom.bounds}}}});
  }
  out["alternatives"] = std::move(alternatives);
  ordered_json dropped = ordered_json::array();
  for (const Outcome& outcome : form.outcomes) {
    dropped.push_back({{"kind", kind_text(outcome.kind)},
                       {"modes", outcome.what},
                       {"reason", outcome.reason},
                       {"count", outcome.count}});
  }
  out["dropped"] = std::move(dropped);
  return out;
}

ordered_json parts_json(const Vocabulary& v, const NormalForms& forms, std::size_t most) {
  ordered_json out = {{"name", forms.name}, {"why", why_apart(forms, most)}};
  ordered_json parts = ordered_json::array();
  for (std::size_t p = 0; p < forms.parts.size(); ++p) {
    ordered_json part = normal_form_json(v, forms.parts[p]);
    part["of"] = forms.made_of[p];
    parts.push_back(std::move(part));
  }
  out["parts"] = std::move(parts);
  return out;
}

// With ∥ eliminated, or why it cannot be.
std::string present_normal_forms(Specification& s, const NormalForms& forms,
                                 const Presentation& wanted,
                                 const std::vector<std::string>& observers, std::string& problem) {
  problem = forms.problem;
  if (!problem.empty()) return {};
  const bool whole = forms.parts.size() == 1;
  if (wanted.format == Format::Json) {
    const ordered_json out = whole ? normal_form_json(s.vocabulary, forms.parts[0])
                                   : parts_json(s.vocabulary, forms, wanted.max_alternatives);
    return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  if (wanted.format == Format::Text) {
    return whole ? normal_form_text(s.vocabulary, forms.parts[0], wanted.explain, observers)
                 : parts_text(s.vocabulary, forms, wanted, observers);
  }
  s.processes.clear();
  if (!whole) s.processes.push_back({forms.name, composed(forms), {}});
  for (const NormalForm& part : forms.parts) {
    s.processes.push_back({part.name, term_of(part.alternatives), {}});
  }
  return to_latex(s);
}

std::string write(const Specification& s, Format format) {
  if (format == Format::Latex) return to_latex(s);
  return format == Format::Json ? to_json(s) : to_string(s);
}

}  // namespace

std::string present(const model::Model& model, const Presentation& wanted, std::string& problem) {
  Composition composition = compose(model);
  if (wanted.eliminate) {
    Specification s = condensed(composition, model);
    NormalFormOptions options = composition.normal_form;
    options.max_alternatives = wanted.max_alternatives;
    const std::string& root = composition.specification.processes[0].name;
    const NormalForms forms = normal_forms(s, root, composition.essential, options);
    return present_normal_forms(s, forms, wanted, composition.observers, problem);
  }
  Specification& s = composition.specification;
  std::string text;
  if (!wanted.bonds) {
    std::erase_if(s.processes, [](const Process& p) { return p.role == Role::Bond; });
    if (wanted.format == Format::Text) {
      text = fmt::format(
          "// Bonds are implicit: p{} = e, q{} = f, E{} = e·f; --bonds writes them "
          "out.\n",
          notation::kDot, notation::kDot, notation::kDot);
    }
  } else {
    std::vector<Term> parts = {s.processes[0].body};
    if (parts[0].kind == Term::Kind::Parallel) parts = s.processes[0].body.parts;
    for (const Process& p : s.processes) {
      if (p.role == Role::Bond) parts.push_back(name(p.name));
    }
    s.processes[0].body = parallel(std::move(parts));
  }
  return text + write(s, wanted.format);
}

std::string present(Specification specification, const Presentation& wanted, std::string& problem) {
  if (!wanted.eliminate) return write(specification, wanted.format);
  const Process& root = specification.processes[0];
  std::vector<std::string> parts;
  for (const Term& part : root.body.parts) {
    if (root.body.kind == Term::Kind::Parallel && part.kind == Term::Kind::Name) {
      parts.push_back(part.name);
    }
  }
  if (alternatives(root.body)) parts = {root.name};  // as it is
  if (parts.empty() || (parts.size() != root.body.parts.size() && !alternatives(root.body))) {
    problem = "process " + root.name + " is no composition of named processes: X ∥ Y ∥ …";
    return {};
  }
  NormalFormOptions options;
  options.max_alternatives = wanted.max_alternatives;
  const Vocabulary& v = specification.vocabulary;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Quantity q = v[VariableId(i)].quantity;
    if (q == Quantity::Momentum || q == Quantity::Displacement) {
      options.stored.push_back(VariableId(i));
    }
  }
  const NormalForms forms = normal_forms(specification, root.name, parts, options);
  return present_normal_forms(specification, forms, wanted, {}, problem);
}

}  // namespace cradle::hypa
