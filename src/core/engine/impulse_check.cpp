#include "core/engine/impulse_check.hpp"

#include <algorithm>
#include <cmath>

#include "core/engine/faults.hpp"

namespace cradle::engine {

namespace {

constexpr double kRounding = 1e-9;

class ImpulseCheck {
 public:
  ImpulseCheck(const Runtime& runtime, Slot& slot, InstantEvaluator& inside,
               std::span<const double> impulses)
      : plan_(runtime.system),
        m_(plan_.model()),
        runtime_(runtime),
        slot_(slot),
        inside_(inside),
        weights_(inside.weights(slot)),
        impulses_(impulses) {
    for (double v : impulses) largest_ = std::max(largest_, std::abs(v));
    for (double w : weights_) largest_ = std::max(largest_, std::abs(w));
  }

  void check() {
    for (CellId cell : slot_.island->cells()) {
      for (ElementId id : plan_.cells()[cell].elements) check(id);
    }
    for (std::size_t j = 0; j < m_.junctions.size(); ++j) check(JunctionId(j));
  }

 private:
  double impulse(elements::Variable variable, BondId bond) const {
    const CellId cell = plan_.cell_of(bond);
    const int index = slot_.island->offset_of(cell) + plan_.index_in_cell(bond);
    return impulses_[at(2 * index + (variable == elements::Variable::Effort ? 0 : 1))];
  }

  double weight_of(ElementId source) const {
    for (int row : slot_.island->impulsive_sources()) {
      if (slot_.island->equations()[at(row)].element == source) return weights_[at(row)];
    }
    return 0;
  }

  void check(ElementId id) {
    const model::Element& element = m_.elements[id];
    const int ports = static_cast<int>(element.ports.size());
    const elements::Definition& definition = elements::definition(element.kind);
    for (const elements::Relation& relation : definition.flow(ports, element.law_of_effort)) {
      double sum = relation.right == elements::Right::Source ? -weight_of(id) : 0;
      for (const elements::Term& term : relation.left) {
        const double value = impulse(term.variable, element.ports[at(term.port)].bond);
        if (value == 0) continue;
        const bool modulus = term.coefficient.modulus;
        sum += term.coefficient.factor * value *
               (modulus ? inside_.value(element.signal).finite : 1.0);
      }
      if (!(std::abs(sum) <= kRounding * largest_)) throw at_odds(element.name, element.span);
    }
  }

  // An active one lies in one island as a whole.
  void check(JunctionId id) {
    const model::Junction& junction = m_.junctions[id];
    if (!runtime_.is_active(id) || junction.bonds.empty() || !is_here(junction)) return;
    std::vector<double> sums(junction.bonds.size(), 0.0);
    const auto inward = [&](std::size_t i) { return junction.bonds[i].inward; };
    elements::active_junction(
        junction.kind, junction.bonds.size(), inward,
        [&](std::size_t row, elements::Variable variable, std::size_t i, double factor) {
          sums[row] += factor * impulse(variable, junction.bonds[i].bond);
        });
    for (double sum : sums) {
      if (!(std::abs(sum) <= kRounding * largest_)) throw at_odds(junction.name, junction.span);
    }
  }

  bool is_here(const model::Junction& junction) const {
    const CellId cell = plan_.cell_of(junction.bonds[0].bond);
    const auto& cells = slot_.island->cells();
    return std::find(cells.begin(), cells.end(), cell) != cells.end();
  }

  RunFault at_odds(const std::string& name, Span span) const {
    std::string sources;
    Diagnostic d("mode.impulse-at-odds", "");
    for (int row : slot_.island->impulsive_sources()) {
      if (weights_[at(row)] == 0) continue;
      const model::Element& source = m_.elements[slot_.island->equations()[at(row)].element];
      sources += (sources.empty() ? "" : ", ") + source.name;
      d.at(source.span,
           source.name + " has an impulse of weight " + format_number(weights_[at(row)]));
      if (source.name == name) span = {};
    }
    d.message =
        "nothing can take the impulse of " + sources + " at " + to_string(runtime_.state.at);
    if (span.known()) d.at(span, name + " admits none");
    std::string stores;
    for (StateId s : slot_.island->states()) {
      const std::string& store = m_.elements[m_.states[s].element].name;
      stores += (stores.empty() ? "" : ", ") + store;
    }
    if (!stores.empty()) d.note("stores", stores);
    d.rule(
        "across a jump the effort of a C and the flow of an I have no impulse: they follow what is "
        "stored");
    d.help(
        "let an I take an impulse of effort and a C one of flow, or give the source a finite "
        "pulse");
    return {Ending::ModelError, d};
  }

  const plan::Plan& plan_;
  const model::Model& m_;
  const Runtime& runtime_;
  Slot& slot_;
  InstantEvaluator& inside_;
  std::span<const double> weights_;
  std::span<const double> impulses_;
  double largest_ = 0;
};

}  // namespace

void check_impulses(const Runtime& runtime, Slot& slot, InstantEvaluator& inside,
                    std::span<const double> impulses) {
  ImpulseCheck(runtime, slot, inside, impulses).check();
}

}  // namespace cradle::engine
