#include "compile/describe.hpp"

namespace cradle::compile {

std::string join(const std::vector<std::string>& items, const char* separator, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == limit) return out + separator + "… (" + std::to_string(items.size()) + " in all)";
    if (i > 0) out += separator;
    out += items[i];
  }
  return out;
}

Diagnostic describe(const model::Model& m, const IslandFault& fault) {
  Diagnostic d;
  std::vector<std::string> bonds;
  for (BondId b : fault.bonds) bonds.push_back(m.bonds[b].name);
  using Kind = IslandFault::Kind;
  if (fault.kind == Kind::NoSolution) {
    d = Diagnostic("mode.no-solution", "sources are at odds with each other");
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
  } else {
    d = Diagnostic("mode.no-convergence", "Newton's method does not settle on " + fault.detail);
    if (!m.elements.empty() && !fault.elements.empty()) d.at(m.elements[fault.elements[0]].span);
    d.rule("nonlinear laws are solved by Newton's method from the last known values");
    d.help("make the laws smooth and defined everywhere, or give better initial values");
  }
  if (!bonds.empty()) d.note("bonds", join(bonds));
  return d;
}

}  // namespace cradle::compile
