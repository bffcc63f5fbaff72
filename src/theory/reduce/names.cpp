#include "theory/reduce/names.hpp"

#include <algorithm>

#include "language/model/library.hpp"
#include "language/syntax/lexer.hpp"

namespace cradle::reduce {

namespace {

bool is_plain(const std::string& name) { return name.find_first_of(".[") == std::string::npos; }

// pump.valve[3][4] → pump_valve_3_4
std::string flattened(const std::string& name) {
  std::string flat;
  for (char c : name) {
    if (c == ']') continue;
    bool joint = c == '.' || c == '[' || c == ',' || c == ' ' || c == '-';
    if (joint && c != ' ') flat += '_';
    if (!joint) flat += c;
  }
  return flat.empty() ? "x" : flat;
}

bool is_reserved(const std::string& name) {
  const std::vector<std::string>& words = syntax::keyword_texts();
  return std::find(words.begin(), words.end(), name) != words.end() ||
         model::is_constant_of_nature(name);
}

}  // namespace

RegionId region_of(const model::Model& model, BondId bond) {
  const model::End& to = model.bonds[bond].to;
  return to.junction.valid() ? model.junctions[to.junction].region
                             : model.elements[to.element].region;
}

bool is_label(const std::string& bond_name) { return bond_name.find(" -> ") == std::string::npos; }

Names::Names(const model::Model& model)
    : model_(model),
      elements_(model.elements.size()),
      junctions_(model.junctions.size()),
      modals_(model.automata.size()),
      signals_(model.signals.size()),
      labels_(model.bonds.size()),
      shapes_(model.animation.size()),
      parameters_(model.slots.size()) {
  for (const model::Automaton& automaton : model.automata) {
    if (automaton.modal) modes_.insert(automaton.states.begin(), automaton.states.end());
  }
  claim_all(true);
  claim_all(false);
  claim_shapes();
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    const SignalId gathered = model.signals[SignalId(i)].shown_by;
    if (gathered.valid()) signals_[i] = signals_[at(gathered)];
  }
}

// First those that can stay as they are, so that no other takes their name.
void Names::claim_all(bool plain) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::string& name = model_.slots[SlotId(i)].name;
    if (plain == is_plain(name)) parameters_[i] = claim(name, true);  // read in modes, too
  }
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const model::Element& element = model_.elements[ElementId(i)];
    claim_if(plain, elements_[i], element.name, element.region);
  }
  for (std::size_t i = 0; i < junctions_.size(); ++i) {
    const model::Junction& junction = model_.junctions[JunctionId(i)];
    claim_if(plain, junctions_[i], junction.name, junction.region);
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const std::string& name = model_.bonds[BondId(i)].name;
    if (is_label(name)) claim_if(plain, labels_[i], name, region_of(model_, BondId(i)));
  }
  for (std::size_t i = 0; i < modals_.size(); ++i) {
    const model::Automaton& automaton = model_.automata[AutomatonId(i)];
    if (automaton.modal) claim_if(plain, modals_[i], automaton.name, automaton.region);
  }
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    const model::Signal& signal = model_.signals[SignalId(i)];
    if (signal.shown_by.valid()) continue;
    if (!signal.gathers.valid()) {
      claim_if(plain, signals_[i], signal.name, signal.region);
    } else if (!plain) {
      const std::string& modal = model_.automata[signal.gathers].name;
      signals_[i] = claim(signal.name.substr(modal.size() + 1), true);
    }
  }
}

// Shapes have names among themselves.
void Names::claim_shapes() {
  std::unordered_set<std::string> others;
  others.swap(taken_);
  for (const bool plain : {true, false}) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const model::Shape& shape = model_.animation[i];
      claim_if(plain, shapes_[i], shape.name, shape.region);
    }
  }
  taken_.swap(others);
}

void Names::claim_if(bool plain, std::string& slot, const std::string& full, RegionId region) {
  if (plain == is_plain(full)) slot = claim(local(full, region), region.valid());
}

std::string Names::claim(const std::string& wanted, bool in_mode) {
  const std::string base = flattened(wanted);
  std::string name = base;
  auto free = [&] {
    return !taken_.contains(name) && !is_reserved(name) && !(in_mode && modes_.contains(name));
  };
  for (int i = 2; !free(); ++i) name = base + "_" + std::to_string(i);
  taken_.insert(name);
  return name;
}

// Without the mode in which it stands.
std::string Names::local(const std::string& full, RegionId region) const {
  if (!region.valid()) return full;
  const model::Region& around = model_.regions[region];
  const model::Automaton& automaton = model_.automata[around.automaton];
  const std::string prefix = automaton.name + "." + automaton.states[at(around.state)] + ".";
  return full.starts_with(prefix) ? full.substr(prefix.size()) : full;
}

void Names::give_label(BondId id) {
  if (!labels_[at(id)].empty()) return;
  const model::Bond& bond = model_.bonds[id];
  auto end = [this](const model::End& e) {
    return e.junction.valid() ? junctions_[at(e.junction)] : elements_[at(e.element)];
  };
  labels_[at(id)] = claim(end(bond.from) + "_" + end(bond.to), region_of(model_, id).valid());
}

bool Names::lies_in(RegionId region, RegionId around) const {
  while (region.valid() && region != around) region = model_.regions[region].parent;
  return region == around;
}

std::string Names::path(const std::string& name, RegionId of, RegionId from) const {
  std::string path = name;
  for (; !lies_in(from, of); of = model_.regions[of].parent) {
    const model::Region& around = model_.regions[of];
    path.insert(0, model_.automata[around.automaton].states[at(around.state)] + ".");
    path.insert(0, modals_[at(around.automaton)] + ".");
  }
  return path;
}

}  // namespace cradle::reduce
