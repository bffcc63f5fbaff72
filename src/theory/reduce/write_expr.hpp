#pragma once
// Expressions of a flat model in the language, as they are read in one place of the text.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "theory/reduce/keepers.hpp"
#include "theory/reduce/names.hpp"

namespace cradle::reduce {

// 0.1, -3, inf: a number that reads back as the same double.
std::string number_text(double value);

class ExprWriter {
 public:
  // What was written in place while an expression was being written: the first of each kind.
  struct InPlace {
    std::size_t state = static_cast<std::size_t>(-1);
    std::size_t memory = static_cast<std::size_t>(-1);
  };

  explicit ExprWriter(model::Model& model);

  // In a region; `argument`: what a law calls its argument.
  std::string text(ExprId e, RegionId from, const std::string& argument = {});
  std::string text(ExprId e, RegionId from, InPlace& in_place);
  // The call of a keeper, where it is defined.
  std::string call(ExprId keeper, InPlace& in_place);
  bool has_name(ExprId keeper) const {
    return by_signal_.contains(keeper) || by_name_.contains(keeper);
  }
  // The signal is what names this keeper.
  bool defines(SignalId signal, ExprId keeper) const {
    auto found = by_signal_.find(keeper);
    return found != by_signal_.end() && found->second == signal;
  }
  // A number that is known before the run: as a number, or as what it is made of.
  std::string fixed(ExprId e, RegionId from);
  bool is_zero(ExprId e) const;  // as a number, and not −0
  // Parameters that were written, and what follows from their definitions.
  std::string parameters();
  // What was decided by comparing such parameters: the text is the model only as long as that
  // holds.
  std::string requirements();
  // p or q of a store.
  std::string stored(StateId state, RegionId from) const;
  // What a transition sets, seen from the mode that it enters.
  std::string target(const model::SetAction& set, RegionId from) const;

  Names& names() { return names_; }
  const Keepers& keepers() const { return keepers_; }
  // Signals that name a keeper: of the model itself, or made up.
  struct MadeUp {
    ExprId keeper;
    std::string name;
    std::string comment;
    RegionId region;
  };
  const std::vector<MadeUp>& made_up() const { return made_up_; }

  // Something could not be written: what, in the user's names.
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  std::optional<std::string> instead(ExprId e, const expr::Node& node);
  std::optional<std::string> constant(const expr::Node& node) const;
  std::string bond_variable(BondId bond, bool effort);
  std::string keeper_text(ExprId e, const Keeper& keeper);
  std::string memory_call(const model::Memory& memory);
  std::string in_region(ExprId e, RegionId region);
  void name_keepers();
  std::string owner_of(ExprId keeper) const;
  bool reads_used(ExprId fixed) const;

  const model::Model& model_;
  Names names_;
  Keepers keepers_;
  std::unordered_map<ExprId, SignalId> by_signal_;
  std::unordered_map<ExprId, std::size_t> by_name_;  // into made_up_
  std::vector<MadeUp> made_up_;
  RegionId from_;
  std::string argument_;
  InPlace* in_place_ = nullptr;
  std::vector<bool> used_;  // parameters, by slot
  std::optional<std::string> fault_;
};

}  // namespace cradle::reduce
