// domains: what meets in junctions and ports is of one domain, as far as ports say so. Elements and
// parts that say nothing fit everywhere; TF and GY lead from one domain to another.

#include <numeric>
#include <string_view>

#include "language/model/elaboration.hpp"

namespace cradle::model {

namespace {

struct WayOut {
  std::string_view one, other, how;
};

constexpr WayOut kWaysOut[] = {
    {"electrical", "rotational",
     "put a motor or a generator between: DCMotor of std/machines/dc_motor.cradle, or a GY with "
     "its "
     "torque for each ampere"},
    {"electrical", "translational", "put a GY between, with its force for each ampere"},
    {"electrical", "hydraulic", "put a motor and a pump between, or a GY"},
    {"rotational", "translational",
     "put a Rack of std/mechanical/rotational.cradle between, or a TF with a radius"},
    {"hydraulic", "translational",
     "put a Cylinder of std/hydraulic/cylinder.cradle between, or a TF with an area"},
    {"hydraulic", "rotational",
     "put a Pump of std/hydraulic/lines.cradle between, or a TF with its displacement"},
};

std::string way_out(const std::string& one, const std::string& other) {
  for (const WayOut& way : kWaysOut) {
    const bool found =
        (way.one == one && way.other == other) || (way.one == other && way.other == one);
    if (found) return std::string(way.how);
  }
  // A flow of heat is no flow of power: nothing converts it in a pseudo bond graph.
  return "heat is a signal elsewhere: give what is lost to a source of heat, Sf lost = …";
}

class DomainChecker {
 public:
  explicit DomainChecker(Elaboration& e) : e_(e), above_(e.model.bonds.size()) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
    for (const Junction& junction : e.model.junctions) {
      for (const BondEnd& end : junction.bonds) unite(junction.bonds.front().bond, end.bond);
    }
    first_.assign(above_.size(), nullptr);
  }

  void check() {
    for (std::size_t i = 0; i < e_.ports.size(); ++i) {
      const PowerPort& port = e_.ports[i];
      const BondId bond = bond_of(port);
      if (port.syntax->domain.text.empty() || !bond.valid()) continue;
      const PowerPort*& first = first_[root(static_cast<std::size_t>(bond.index))];
      if (first == nullptr) {
        first = &port;
      } else if (first->syntax->domain.text != port.syntax->domain.text) {
        report(*first, port);
      }
    }
  }

 private:
  std::size_t root(std::size_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  void unite(BondId a, BondId b) {
    const std::size_t x = root(static_cast<std::size_t>(a.index)),
                      y = root(static_cast<std::size_t>(b.index));
    above_[std::max(x, y)] = std::min(x, y);
  }

  const Wire& wire(int32_t index) const { return e_.wires[static_cast<std::size_t>(index)]; }
  BondId bond_of(const PowerPort& port) const {
    const int32_t index = port.outside >= 0 ? port.outside : port.inside;
    return index < 0 ? BondId() : wire(index).bond;
  }

  std::string name(const PowerPort& port) const {
    return port.scope->prefix + port.syntax->name.text;
  }
  // Where it is bonded.
  Span place(const PowerPort& port) const {
    const Wire& outside = wire(port.outside);
    for (const WireEnd* end : {&outside.from, &outside.to}) {
      const bool here = end->kind == WireEnd::Kind::PortOutside &&
                        &e_.ports[static_cast<std::size_t>(end->index)] == &port;
      if (here) return end->span;
    }
    return outside.span;
  }

  void report(const PowerPort& first, const PowerPort& other) {
    const std::string &one = first.syntax->domain.text, &another = other.syntax->domain.text;
    e_.report.add(Diagnostic("domain.mismatch", name(other) + " is " + another + ", and " +
                                                    name(first) + ", which meets it, is " + one)
                      .at(place(other), another)
                      .at(place(first), one)
                      .rule("what is bonded, directly or through junctions, is of one domain")
                      .help(way_out(one, another)),
                  wire(other.outside).place);
  }

  Elaboration& e_;
  std::vector<std::size_t> above_;       // by bond
  std::vector<const PowerPort*> first_;  // by network
};

}  // namespace

void check_domains(Elaboration& e) {
  if (!e.wires_failed && !e.stopped && !e.report.has_errors()) DomainChecker(e).check();
}

}  // namespace cradle::model
