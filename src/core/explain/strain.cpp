#include "core/explain/strain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "language/elements/junction.hpp"

namespace cradle::explain {
namespace {

using elements::Variable;

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kMost) return out + " and " + std::to_string(names.size() - kMost) + " more";
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

// "closed junctions d1 and d2", "open junction s"
std::string named(const std::vector<std::string>& junctions, const char* how) {
  if (junctions.empty()) return {};
  return std::string(how) + (junctions.size() == 1 ? " junction " : " junctions ") +
         listed(junctions);
}

class Teller {
 public:
  Teller(const engine::Runtime& runtime, const plan::Island& island, engine::Judge::Strain strain)
      : runtime_(runtime), m_(runtime.system.model()), island_(island), strain_(std::move(strain)) {
    double largest[2] = {0, 0};
    for (std::size_t v = 0; v < strain_.y.size(); ++v) {
      largest[v % 2] = std::max(largest[v % 2], std::abs(strain_.y[v]));
    }
    constexpr double kNothing = 1e-9;
    for (std::size_t v = 0; v < strain_.y.size(); ++v) {
      if (!(std::abs(strain_.y[v]) > kNothing * largest[v % 2])) strain_.y[v] = 0;
    }
    parts_.resize(island.bonds().size());
    std::iota(parts_.begin(), parts_.end(), std::size_t{0});
  }

  std::vector<ExplainedStrain> tell() {
    for (const model::Junction& junction : m_.junctions) join(junction.bonds);
    for (const model::Element& element : m_.elements) join(element.ports);
    std::vector<ExplainedStrain> out;
    for (std::size_t bond = 0; bond < parts_.size(); ++bond) {
      if (find(bond) != bond || !is_strained(bond)) continue;
      ExplainedStrain one = told(bond);
      if (!one.junctions.empty()) out.push_back(std::move(one));
    }
    return out;
  }

 private:
  // −1: not in this island.
  int local(BondId bond) const {
    const plan::CellId cell = runtime_.system.cell_of(bond);
    if (runtime_.slot_of_cell[at(cell)]->island.get() != &island_) return -1;
    return island_.offset_of(cell) + runtime_.system.index_in_cell(bond);
  }
  double value(int bond, Variable variable) const {
    return strain_.y[at(2 * bond + (variable == Variable::Effort ? 0 : 1))];
  }
  bool is_strained(std::size_t bond) const {
    return strain_.y[2 * bond] != 0 || strain_.y[2 * bond + 1] != 0;
  }

  std::size_t find(std::size_t bond) {
    while (parts_[bond] != bond) bond = parts_[bond] = parts_[parts_[bond]];
    return bond;
  }
  void join(const std::vector<model::BondEnd>& ends) {
    int first = -1;
    for (const model::BondEnd& end : ends) {
      const int bond = local(end.bond);
      if (bond < 0 || !is_strained(at(bond))) continue;
      if (first < 0) {
        first = bond;
      } else {
        const std::size_t a = find(at(first)), b = find(at(bond));
        parts_[std::max(a, b)] = std::min(a, b);
      }
    }
  }
  bool is_in(const std::vector<model::BondEnd>& ends, std::size_t part) {
    return std::any_of(ends.begin(), ends.end(), [&](const model::BondEnd& end) {
      const int bond = local(end.bond);
      return bond >= 0 && is_strained(at(bond)) && find(at(bond)) == part;
    });
  }

  // What its δ has to do with: the shared variable of an active junction; of an inactive one the
  // dual of what it keeps at zero, of all bonds together or bond by bond (island_strain.cpp).
  bool carries(const model::Junction& junction, bool active, Variable& what) const {
    const Variable shared = elements::shared_variable(junction.kind);
    const Variable none = elements::no_variable(junction.inactive);
    what = active ? shared : elements::dual(none);
    double sum = 0, mass = 0;
    bool any = false;
    for (const model::BondEnd& end : junction.bonds) {
      const int bond = local(end.bond);
      if (bond < 0) continue;
      const double part = value(bond, what);
      any = any || part != 0;
      sum += end.inward ? part : -part;
      mass += std::abs(part);
    }
    const bool together = !active && none == shared;
    return together ? std::abs(sum) > 1e-9 * mass : any;
  }

  ExplainedStrain told(std::size_t part) {
    ExplainedStrain out;
    out.order = strain_.order;
    for (const model::Junction& junction : m_.junctions) {
      if (!junction.automaton.valid() || !is_in(junction.bonds, part)) continue;
      const bool active = junction.active[at(runtime_.state.mode[at(junction.automaton)])];
      Variable what{};
      if (!carries(junction, active, what)) continue;
      out.junctions.emplace_back(junction.name, active);
      (what == Variable::Effort ? out.effort : out.flow) = true;
    }
    for (const model::Element& element : m_.elements) {
      if (element.ports.size() == 1 && is_in(element.ports, part)) out.ends.push_back(element.name);
    }
    out.text = words(out);
    return out;
  }

  static std::string words(const ExplainedStrain& strain) {
    std::vector<std::string> closed, open;
    for (const auto& [name, active] : strain.junctions) (active ? closed : open).push_back(name);
    std::string text = named(closed, "closed");
    if (!open.empty()) text += (closed.empty() ? "" : " and ") + named(open, "open");
    text += strain.order == 0 ? " would carry unlimited " : " would begin to carry unlimited ";
    text += strain.effort && strain.flow ? "effort and flow" : strain.effort ? "effort" : "flow";
    if (strain.ends.size() == 1) return text + " at " + strain.ends[0];
    return strain.ends.empty() ? text : text + " between " + listed(strain.ends);
  }

  const engine::Runtime& runtime_;
  const model::Model& m_;
  const plan::Island& island_;
  engine::Judge::Strain strain_;
  std::vector<std::size_t> parts_;  // by bond: another of the same part, or itself
};

}  // namespace

std::vector<ExplainedStrain> strains_of(const engine::Runtime& runtime, engine::Judge& judge,
                                        engine::Slot& slot) {
  if (slot.island->strain_count() == 0) return {};
  engine::Judge::Strain strain = judge.strain_of(slot);
  if (strain.y.empty()) return {};
  return Teller(runtime, *slot.island, std::move(strain)).tell();
}

}  // namespace cradle::explain
