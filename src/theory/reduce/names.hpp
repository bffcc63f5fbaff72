#pragma once
// Names of a flat model as the language can write them: pump.valve becomes pump_valve, ball[3]
// becomes ball_3. Names that are plain already stay; every name is given to one thing only, in
// whatever mode of whatever modal model it stands, so that none hides another.

#include <string>
#include <unordered_set>
#include <vector>

#include "language/model/model.hpp"

namespace cradle::reduce {

class Names {
 public:
  explicit Names(const model::Model& model);

  const std::string& element(ElementId id) const { return elements_[at(id)]; }
  const std::string& junction(JunctionId id) const { return junctions_[at(id)]; }
  const std::string& modal(AutomatonId id) const { return modals_[at(id)]; }
  const std::string& signal(SignalId id) const { return signals_[at(id)]; }
  const std::string& parameter(SlotId id) const { return parameters_[at(id)]; }
  const std::string& shape(std::size_t index) const { return shapes_[index]; }
  const std::string& label(BondId id) const { return labels_[at(id)]; }  // empty: it has none
  void give_label(BondId id);
  // For something that had no name of its own.
  std::string fresh(const std::string& like) { return claim(like, false); }

  // How a thing in one region is called in another: x, or ball.falling.x.
  std::string path(const std::string& name, RegionId of, RegionId from) const;
  bool lies_in(RegionId region, RegionId around) const;

 private:
  std::string claim(const std::string& wanted, bool in_mode);
  std::string local(const std::string& full, RegionId region) const;
  void claim_all(bool plain);
  void claim_shapes();
  void claim_if(bool plain, std::string& slot, const std::string& full, RegionId region);

  const model::Model& model_;
  std::vector<std::string> elements_, junctions_, modals_, signals_, labels_, shapes_, parameters_;
  std::unordered_set<std::string> taken_, modes_;
};

// The region that a bond stands in.
RegionId region_of(const model::Model& model, BondId bond);
// A bond that was labelled is named by its label; others by their ends.
bool is_label(const std::string& bond_name);

}  // namespace cradle::reduce
