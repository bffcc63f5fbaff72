// Strokes, dependent stores, algebraic loops and conflicts of each mode, for people and for tools.
//
//   mode {F13 on, F23 off}, the initial one
//     v1 ⇀| body1     v1 sets the effort, body1 the flow
//     dependent stores: body3, whose momentum the others determine
//     no algebraic loops

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "theory/causality/names.hpp"

namespace cradle::causality {
namespace {

using elements::Storage;

// In code points, which is what a terminal shows for the names of a model.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

std::string plural(std::size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

struct BondLine {
  std::string left;   // v1 ⇀| body1
  std::string right;  // v1 sets the effort, body1 the flow
};

BondLine bond_line(const model::Model& model, const Assignment& assignment, BondId id) {
  const model::Bond& bond = model.bonds[id];
  std::string from = end_name(model, bond.from), to = end_name(model, bond.to);
  std::string label =
      bond.name == bond_ends(model, id) || bond.name.empty() ? "" : bond.name + ": ";
  std::optional<Stroke> stroke = assignment.strokes[static_cast<std::size_t>(id.index)];
  if (!stroke.has_value()) return {label + from + " ⇀ " + to, "left open by a conflict"};
  bool at_head = *stroke == Stroke::AtHead;
  return {label + from + (at_head ? " ⇀| " : " |⇀ ") + to,
          fmt::format("{} sets the effort, {} the flow", at_head ? from : to, at_head ? to : from)};
}

void print_bonds(const model::Model& model, const Assignment& assignment, std::string& out) {
  std::vector<BondLine> lines;
  std::size_t column = 0;
  for (std::size_t i = 0; i < model.bonds.size(); ++i) {
    lines.push_back(bond_line(model, assignment, BondId(i)));
    column = std::max(column, width(lines.back().left));
  }
  column = std::min<std::size_t>(column, 48);
  for (const BondLine& line : lines) {
    std::size_t used = width(line.left);
    std::string gap(used < column ? column - used + 3 : 3, ' ');
    out += fmt::format("  {}{}{}\n", line.left, gap, line.right);
  }
}

const char* stored(const model::Element& element) {
  return elements::definition(element.kind).storage == Storage::Momentum ? "momentum"
                                                                         : "displacement";
}

void print_dependent(const model::Model& model, const Assignment& assignment, std::string& out) {
  if (assignment.dependent.empty()) {
    out += "  no dependent stores\n";
    return;
  }
  out += fmt::format("  {}:\n", plural(assignment.dependent.size(), "dependent store"));
  for (ElementId id : assignment.dependent) {
    const model::Element& element = model.elements[id];
    out += fmt::format("    {}: its {} follows from other stores and sources\n", element.name,
                       stored(element));
  }
}

void print_loops(const model::Model& model, const Assignment& assignment, std::string& out) {
  if (assignment.loops.empty()) {
    out += "  no algebraic loops\n";
    return;
  }
  out += fmt::format("  {}:\n", plural(assignment.loops.size(), "algebraic loop"));
  for (const AlgebraicLoop& loop : assignment.loops) {
    constexpr std::size_t kShown = 12;
    std::string bonds;
    for (std::size_t i = 0; i < loop.bonds.size() && i < kShown; ++i) {
      bonds += (i > 0 ? ", " : "") + bond_ends(model, loop.bonds[i]);
    }
    if (loop.bonds.size() > kShown)
      bonds += fmt::format(", … ({} more)", loop.bonds.size() - kShown);
    std::string start =
        loop.started_at.valid()
            ? fmt::format("{} {}", elements::definition(model.elements[loop.started_at].kind).noun,
                          model.elements[loop.started_at].name)
            : "junctions";
    out += fmt::format("    through {}, over {}: {}\n", start, plural(loop.bonds.size(), "bond"),
                       bonds);
  }
}

std::string culprit_name(const model::Model& model, const Conflict& conflict, std::size_t i) {
  if (conflict.culprits[i].valid()) return model.elements[conflict.culprits[i]].name;
  if (conflict.inactive[i].valid()) return model.junctions[conflict.inactive[i]].name;
  return {};
}

std::vector<std::string> culprit_names(const model::Model& model, const Conflict& conflict) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < conflict.culprits.size(); ++i) {
    std::string name = culprit_name(model, conflict, i);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

void print_conflicts(const model::Model& model, const Assignment& assignment, std::string& out) {
  for (const Conflict& conflict : assignment.conflicts) {
    std::string names;
    for (const std::string& name : culprit_names(model, conflict)) {
      names += (names.empty() ? " (from " : ", ") + name;
    }
    out += fmt::format("  conflict: {}{}\n", summary(model, conflict),
                       names.empty() ? "" : names + ")");
  }
}

// With many automata, only what differs from the initial mode is worth reading.
std::string heading(const model::Model& model, const Mode& mode) {
  constexpr std::size_t kSpelledOut = 12;
  Mode initial = initial_mode(model);
  if (mode.empty()) return "the only mode";
  if (mode.size() <= kSpelledOut) {
    return fmt::format("mode {}{}", describe(model, mode),
                       mode == initial ? ", the initial one" : "");
  }
  if (mode == initial) return "the initial mode";
  std::string changes;
  for (std::size_t i = 0; i < mode.size(); ++i) {
    if (mode[i] == initial[i]) continue;
    const model::Automaton& automaton = model.automata[AutomatonId(i)];
    changes += fmt::format("{}{} {}", changes.empty() ? "" : ", ", automaton.name,
                           automaton.states[static_cast<std::size_t>(mode[i])]);
  }
  return "the initial mode, but " + changes;
}

nlohmann::ordered_json json_of(const model::Model& model, const Conflict& conflict) {
  nlohmann::ordered_json bonds = nlohmann::ordered_json::array();
  for (BondId bond : conflict.bonds) bonds.push_back(model.bonds[bond].name);
  nlohmann::ordered_json object = {{"message", summary(model, conflict)}};
  if (conflict.junction.valid()) object["junction"] = model.junctions[conflict.junction].name;
  if (conflict.element.valid()) object["element"] = model.elements[conflict.element].name;
  object["bonds"] = bonds;
  object["culprits"] = culprit_names(model, conflict);
  return object;
}

nlohmann::ordered_json json_bonds(const model::Model& model, const Assignment& assignment) {
  nlohmann::ordered_json bonds = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < model.bonds.size(); ++i) {
    const model::Bond& bond = model.bonds[BondId(i)];
    std::string from = end_name(model, bond.from), to = end_name(model, bond.to);
    nlohmann::ordered_json object = {{"name", bond.name}, {"from", from}, {"to", to}};
    if (assignment.strokes[i].has_value()) {
      bool at_head = *assignment.strokes[i] == Stroke::AtHead;
      object["stroke"] = at_head ? "head" : "tail";
      object["effort_set_by"] = at_head ? from : to;
      object["flow_set_by"] = at_head ? to : from;
    } else {
      object["stroke"] = nullptr;
    }
    bonds.push_back(object);
  }
  return bonds;
}

nlohmann::ordered_json json_of(const model::Model& model, const Assignment& assignment) {
  using Json = nlohmann::ordered_json;
  Json states = Json::object(), dependent = Json::array(), loops = Json::array(),
       conflicts = Json::array();
  for (std::size_t i = 0; i < assignment.mode.size(); ++i) {
    const model::Automaton& automaton = model.automata[AutomatonId(i)];
    states[automaton.name] = automaton.states[static_cast<std::size_t>(assignment.mode[i])];
  }
  for (ElementId id : assignment.dependent) dependent.push_back(model.elements[id].name);
  for (const AlgebraicLoop& loop : assignment.loops) {
    Json bonds = Json::array();
    for (BondId bond : loop.bonds) bonds.push_back(model.bonds[bond].name);
    Json start = loop.started_at.valid() ? Json(model.elements[loop.started_at].name) : Json();
    loops.push_back({{"started_at", start}, {"bonds", bonds}});
  }
  for (const Conflict& conflict : assignment.conflicts)
    conflicts.push_back(json_of(model, conflict));
  return {{"mode", states},
          {"initial", assignment.mode == initial_mode(model)},
          {"bonds", json_bonds(model, assignment)},
          {"dependent", dependent},
          {"loops", loops},
          {"conflicts", conflicts}};
}

}  // namespace

std::string print_text(const model::Model& model, const std::vector<Assignment>& assignments,
                       bool complete) {
  std::string out =
      fmt::format("{}: {}, {}, {}\n", model.name, plural(model.elements.size(), "element"),
                  plural(model.junctions.size(), "junction"), plural(model.bonds.size(), "bond"));
  out += "The stroke | is at the end that receives the effort and sets the flow.\n";
  for (const Assignment& assignment : assignments) {
    out += "\n" + heading(model, assignment.mode) + "\n";
    print_bonds(model, assignment, out);
    print_dependent(model, assignment, out);
    print_loops(model, assignment, out);
    print_conflicts(model, assignment, out);
  }
  if (!complete) out += fmt::format("\nThere are more modes than these {}.\n", assignments.size());
  return out;
}

std::string print_json(const model::Model& model, const std::vector<Assignment>& assignments,
                       bool complete) {
  nlohmann::ordered_json modes = nlohmann::ordered_json::array();
  for (const Assignment& assignment : assignments) modes.push_back(json_of(model, assignment));
  nlohmann::ordered_json all = {{"model", model.name}, {"complete", complete}, {"modes", modes}};
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace cradle::causality
