// error[causality.conflict], in the user's own names.

#include <fmt/format.h>

#include <string_view>

#include "theory/causality/names.hpp"

namespace cradle::causality {

using elements::Variable;

std::string end_name(const model::Model& model, const model::End& end) {
  if (end.junction.valid()) return model.junctions[end.junction].name;
  if (!end.element.valid()) return "?";
  const model::Element& element = model.elements[end.element];
  bool field = elements::definition(element.kind).ports < 0 && element.ports.size() > 1;
  return field ? fmt::format("{}[{}]", element.name, end.port + 1) : element.name;
}

std::string bond_ends(const model::Model& model, BondId id) {
  const model::Bond& bond = model.bonds[id];
  return end_name(model, bond.from) + " -> " + end_name(model, bond.to);
}

std::string junction_name(const model::Model& model, JunctionId id) {
  const model::Junction& junction = model.junctions[id];
  return fmt::format("{}-junction {}", junction.kind == model::Junction::Kind::Zero ? 0 : 1,
                     junction.name);
}

const char* variable_name(Variable variable) {
  return variable == Variable::Effort ? "effort" : "flow";
}

std::string summary(const model::Model& model, const Conflict& conflict) {
  const char* what = variable_name(conflict.variable);
  switch (conflict.kind) {
    case Conflict::Kind::SetTwice:
      return fmt::format("{} bonds set the {} of {}",
                         conflict.bonds.size() == 2 ? "two" : std::to_string(conflict.bonds.size()),
                         what, junction_name(model, conflict.junction));
    case Conflict::Kind::NeverSet:
      return fmt::format("no bond can set the {} of {}", what,
                         junction_name(model, conflict.junction));
    case Conflict::Kind::BothEnds:
      return fmt::format("both ends of bond {} set its {}",
                         model.bonds[conflict.bonds.front()].name, what);
    case Conflict::Kind::Through: {
      const model::Element& element = model.elements[conflict.element];
      const elements::Definition& definition = elements::definition(element.kind);
      if (definition.causality == elements::Definition::Causality::Crossed) {
        return fmt::format("gyrator {} has the effort of one side and the flow of the other fixed",
                           element.name);
      }
      return fmt::format("{} {} has the {} of both sides fixed", definition.noun, element.name,
                         what);
    }
    case Conflict::Kind::Unresolved:
      return fmt::format("no causality was found for {} bond{}", conflict.bonds.size(),
                         conflict.bonds.size() == 1 ? "" : "s");
  }
  return {};
}

namespace {

constexpr std::size_t kMaxLabels = 8;

Variable other(Variable variable) {
  return variable == Variable::Effort ? Variable::Flow : Variable::Effort;
}

// Who started it: an element, an inactive junction, or a junction with a single bond.
struct Culprit {
  std::string name;
  bool adjacent = false;  // stands at the bond itself
};

Culprit culprit(const model::Model& model, const Conflict& conflict, std::size_t i, BondId bond) {
  ElementId element = i < conflict.culprits.size() ? conflict.culprits[i] : ElementId();
  JunctionId junction = i < conflict.inactive.size() ? conflict.inactive[i] : JunctionId();
  const model::Bond& b = model.bonds[bond];
  if (element.valid()) {
    return {model.elements[element].name, b.from.element == element || b.to.element == element};
  }
  if (junction.valid()) {
    bool controlled = model.junctions[junction].automaton.valid();
    return {(controlled ? "inactive " : "") + junction_name(model, junction),
            b.from.junction == junction || b.to.junction == junction};
  }
  return {};
}

// Only the culprit's own name, where the bond is written just as its ends are called; else the
// whole bond.
Span place(const model::Model& model, BondId id, const Culprit& culprit) {
  const model::Bond& bond = model.bonds[id];
  std::string from = end_name(model, bond.from), to = end_name(model, bond.to);
  auto from_size = static_cast<int32_t>(from.size()), to_size = static_cast<int32_t>(to.size());
  int32_t arrow = static_cast<int32_t>(std::string_view(" -> ").size());
  Span span = bond.span;
  bool as_called = span.end - span.begin == from_size + arrow + to_size;
  if (!span.known() || !as_called) return span;
  if (culprit.name == from) span.end = span.begin + from_size;
  if (culprit.name == to) span.begin = span.end - to_size;
  return span;
}

std::string label(const Culprit& culprit, const char* what, bool again) {
  if (culprit.name.empty()) return again ? "and again here" : fmt::format("sets the {}", what);
  if (culprit.adjacent) {
    return again ? fmt::format("{} fixes it again", culprit.name)
                 : fmt::format("{} fixes the {}", culprit.name, what);
  }
  return again ? fmt::format("brings it again, from {}", culprit.name)
               : fmt::format("brings the {} that {} fixes", what, culprit.name);
}

void describe_set_twice(const model::Model& model, const Conflict& conflict, Diagnostic& d) {
  const char* what = variable_name(conflict.variable);
  bool effort = conflict.variable == Variable::Effort;
  bool inactive = false;
  for (std::size_t i = 0; i < conflict.bonds.size() && i < kMaxLabels; ++i) {
    BondId bond = conflict.bonds[i];
    Culprit who = culprit(model, conflict, i, bond);
    d.at(place(model, bond, who), label(who, what, i > 0));
    inactive = inactive || conflict.inactive[i].valid();
  }
  d.rule(fmt::format("exactly one bond sets the {} of a {}-junction", what, effort ? 0 : 1));
  if (inactive) {
    d.help(
        fmt::format("put an R between the junctions ({}), or let the inactive one fix the {}: "
                    "kind {}",
                    effort ? "on a 1-junction" : "on a 0-junction", effort ? "flow" : "effort",
                    effort ? "F" : "E"));
  } else {
    d.help(effort ? "give one source a series resistance: a 1-junction with an R"
                  : "give one source a parallel resistance: a 0-junction with an R");
  }
}

void describe_never_set(const model::Model& model, const Conflict& conflict, Diagnostic& d) {
  const model::Junction& junction = model.junctions[conflict.junction];
  bool effort = conflict.variable == Variable::Effort;
  const char* fixed = variable_name(other(conflict.variable));
  d.at(junction.span, fmt::format("nothing sets its {}", variable_name(conflict.variable)));
  for (std::size_t i = 0; i < junction.bonds.size() && i < kMaxLabels; ++i) {
    BondId bond = junction.bonds[i].bond;
    Culprit who = culprit(model, conflict, i, bond);
    if (!who.name.empty()) d.at(place(model, bond, who), label(who, fixed, false));
  }
  d.rule(fmt::format("exactly one bond sets the {} of a {}-junction",
                     variable_name(conflict.variable), effort ? 0 : 1));
  d.help(effort ? "give the junction a C or an R, which can set its effort"
                : "give the junction an I or an R, which can set its flow");
}

void describe_both_ends(const model::Model& model, const Conflict& conflict, Diagnostic& d) {
  const char* what = variable_name(conflict.variable);
  BondId bond = conflict.bonds.front();
  Culprit tail = culprit(model, conflict, 0, bond), head = culprit(model, conflict, 1, bond);
  d.at(model.bonds[bond].span,
       fmt::format("{}, and {}", label(tail, what, false), label(head, what, true)));
  d.rule("one end of a bond sets its effort, the other its flow");
  d.help(conflict.variable == Variable::Effort ? "put a 1-junction with an R between them"
                                               : "put a 0-junction with an R between them");
}

void describe_through(const model::Model& model, const Conflict& conflict, Diagnostic& d) {
  bool crossed = elements::definition(model.elements[conflict.element].kind).causality ==
                 elements::Definition::Causality::Crossed;
  for (std::size_t i = 0; i < conflict.bonds.size(); ++i) {
    Variable here = i == 1 && crossed ? other(conflict.variable) : conflict.variable;
    BondId bond = conflict.bonds[i];
    Culprit who = culprit(model, conflict, i, bond);
    d.at(place(model, bond, who), label(who, variable_name(here), false));
  }
  d.rule(crossed ? "a gyrator makes the effort of one side from the flow of the other"
                 : "a transformer passes the effort one way and the flow the other way");
  d.help(
      "put an R on one side: on a 1-junction behind an effort source, on a 0-junction behind a "
      "flow source");
}

void describe_unresolved(const model::Model& model, const Conflict& conflict, Diagnostic& d) {
  d.kind = "causality.unresolved";
  d.warning();
  for (std::size_t i = 0; i < conflict.bonds.size() && i < kMaxLabels; ++i) {
    d.at(model.bonds[conflict.bonds[i]].span,
         i == 0 ? "neither end can set its effort" : "nor here");
  }
  d.rule("exactly one bond sets the effort of a 0-junction and the flow of a 1-junction");
  d.help("look for parallel bonds between two junctions, and for loops without a store or an R");
}

}  // namespace

Diagnostic describe_conflict(const model::Model& model, const Conflict& conflict,
                             const std::string& modes) {
  Diagnostic d("causality.conflict", summary(model, conflict));
  if (!modes.empty()) d.note("modes", modes);
  switch (conflict.kind) {
    case Conflict::Kind::SetTwice:
      describe_set_twice(model, conflict, d);
      break;
    case Conflict::Kind::NeverSet:
      describe_never_set(model, conflict, d);
      break;
    case Conflict::Kind::BothEnds:
      describe_both_ends(model, conflict, d);
      break;
    case Conflict::Kind::Through:
      describe_through(model, conflict, d);
      break;
    case Conflict::Kind::Unresolved:
      describe_unresolved(model, conflict, d);
      break;
  }
  return d;
}

}  // namespace cradle::causality
