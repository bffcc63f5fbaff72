#include "core/plan/describe.hpp"

#include "language/expr/print.hpp"

namespace cradle::plan {

std::string join(const std::vector<std::string>& items, const char* separator, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == limit) return out + separator + "… (" + std::to_string(items.size()) + " in all)";
    if (i > 0) out += separator;
    out += items[i];
  }
  return out;
}

namespace {

// A bond without a label is named after the element or junction that it leads to.
std::string short_name(const model::Model& m, const model::Bond& bond) {
  if (bond.name.find("->") == std::string::npos) return bond.name;
  for (const model::End& end : {bond.to, bond.from}) {
    if (end.element.valid() && m.elements[end.element].ports.size() == 1) {
      return m.elements[end.element].name;
    }
  }
  const model::End& end = bond.to.junction.valid() ? bond.to : bond.from;
  return end.junction.valid() ? m.junctions[end.junction].name : bond.name;
}

std::string leaf_name(const model::Model& m, const expr::Node& leaf) {
  const auto ref = static_cast<std::size_t>(leaf.ref);
  switch (leaf.op) {
    case expr::Op::Effort:
      return short_name(m, m.bonds[BondId(ref)]) + ".e";
    case expr::Op::Flow:
      return short_name(m, m.bonds[BondId(ref)]) + ".f";
    case expr::Op::State:
      return m.states[StateId(ref)].name;
    case expr::Op::Signal:
      return m.signals[SignalId(ref)].name;
    case expr::Op::InMode:
      return m.automata[AutomatonId(ref)].name + "." +
             m.automata[AutomatonId(ref)].states[static_cast<std::size_t>(leaf.value)];
    case expr::Op::Active:
      return m.automata[AutomatonId(ref)].name + ".active";
    default:
      return std::string(expr::name(leaf.op)) + "(…)";
  }
}

}  // namespace

std::string describe(const model::Model& m, ExprId expr) {
  constexpr std::size_t kMostBytes = 60;
  return expr::to_string(
      m.pool, expr, [&m](const expr::Node& leaf) { return leaf_name(m, leaf); }, kMostBytes);
}

Diagnostic describe(const model::Model& m, const IslandFault& fault) {
  Diagnostic d;
  std::vector<std::string> bonds;
  for (BondId b : fault.bonds) bonds.push_back(m.bonds[b].name);
  using Kind = IslandFault::Kind;
  if (fault.kind == Kind::NoSolution) {
    d = Diagnostic("mode.no-solution", fault.elements.size() == 1
                                           ? m.elements[fault.elements[0]].name +
                                                 " imposes what the rest of the mode does not admit"
                                           : "sources are at odds with each other");
    for (ElementId e : fault.elements) d.at(m.elements[e].span, m.elements[e].name + " takes part");
    d.rule("a mode must determine every effort and flow, and no source may contradict another");
    d.help("give one of them a series resistance or a store, or keep them apart in this mode");
  } else if (fault.kind == Kind::MoreThanOne) {
    d = Diagnostic("mode.more-than-one-solution",
                   "nothing determines the efforts or flows of some bonds");
    for (ElementId e : fault.elements) d.at(m.elements[e].span);
    for (JunctionId j : fault.junctions) {
      d.at(m.junctions[j].span, m.junctions[j].name + " leaves it open");
    }
    d.rule("the jump into a mode must have exactly one solution");
    d.help("restore what was abstracted away there: a leakage resistance or a small store");
  } else if (fault.kind == Kind::NoRate) {
    d = Diagnostic("mode.no-rate", "a source drives dependent stores, but its rate is not known");
    for (ElementId e : fault.elements) {
      d.at(m.elements[e].span, m.elements[e].name + " reads " + fault.detail);
    }
    d.rule("while time flows, dependent stores need the rate of the sources that bind them");
    d.help("let the source depend on time, states and pre(…) only, or put an integral between");
  } else if (fault.kind == Kind::LawUnmet) {
    const model::Element& element = m.elements[fault.elements[0]];
    d = Diagnostic("mode.law-unmet", "the law of " + element.name + " " + fault.detail);
    d.at(element.span, "comes no nearer than " + fault.reached);
    d.rule("a law must be able to give what the rest of the model demands");
    d.help(
        "extend the law to such values, keep the model away from them, or put a resistance or "
        "a store between");
  } else if (fault.kind == Kind::Undecided) {
    std::vector<std::string> names;
    for (ElementId e : fault.elements) names.push_back(m.elements[e].name);
    d = Diagnostic("mode.undecided",
                   "what " + join(names, ", ", 6) +
                       (names.size() == 1 ? " reads and what it sets" : " read and what they set") +
                       " fit together in no way, or in more than one");
    for (ElementId e : fault.elements) {
      d.at(m.elements[e].span, "is solved together with the efforts and flows that it reads");
    }
    d.rule("what laws and sources read of their own island must have exactly one solution with it");
    d.help(
        "restore what was abstracted away: a compliance where a friction depends on the force of a "
        "rigid contact (Painlevé), a store or a delay in a loop of gain one");
  } else {
    d = Diagnostic("mode.no-convergence", "Newton's method does not settle on " + fault.detail);
    if (!m.elements.empty() && !fault.elements.empty()) d.at(m.elements[fault.elements[0]].span);
    d.rule("nonlinear laws are solved by Newton's method from the last known values");
    d.help("make the laws smooth and defined everywhere, or give better initial values");
  }
  if (!bonds.empty()) d.note("bonds", join(bonds));
  return d;
}

}  // namespace cradle::plan
