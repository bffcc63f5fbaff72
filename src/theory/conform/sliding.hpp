#pragma once
// Rows at which a run goes along borders (semantics, "Sliding"), from the processes and the
// recorded numbers: which borders a row is on, what each of their sides would do, and the shares of
// the sides with which the run stays there.
//
//   a border    a = b of comparisons a < b, a ≤ b in flow relations and in guards of modal models
//   a side      the truths that these comparisons have on it, and the modes that relays are in
//   v_s         any value on a side, inferred from the states, which are the same on all sides
//   v           = v₀ + Σ λ_j (v_j − v₀), v₀ below all borders, v_j above the j-th alone
//   λ           such that d/dt (a − b) = 0 at every border; 0 ≤ λ ≤ 1, and each side pushes back

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "theory/conform/evaluate.hpp"
#include "theory/conform/parts.hpp"

namespace cradle::conform {

// What is different on one side.
struct BorderSide {
  Truths truths;                             // of comparisons
  std::map<hypa::VariableId, double> modes;  // of relays
};
// What can be seen of a side in a row.
struct Seen {
  std::vector<Value> values;                // by variable
  std::map<hypa::VariableId, Value> rates;  // of states
  std::set<std::size_t> violated;           // relations that do not hold there
};

struct BorderLine {
  ExprId a, b;
  std::vector<std::pair<ExprId, bool>> comparisons;  // with what each says above, where a > b
};

class Borders {
 public:
  Borders(const hypa::Vocabulary& vocabulary, const std::vector<Part>& parts);
  bool empty() const { return borders_.empty(); }
  const BorderLine& operator[](std::size_t i) const { return borders_[i]; }

  // Those on which a and b cannot be told apart.
  std::vector<std::size_t> met(const std::function<Value(ExprId)>& value, double tolerance) const;

  using SideValue = std::function<Value(ExprId, const BorderSide&)>;
  using ModeOf = std::function<std::optional<std::size_t>(hypa::VariableId)>;
  // One side of a border, with the modes that modal models are in there: those that would be in
  // either of two modes, one above and one below.
  BorderSide side(std::size_t border, bool above, const SideValue& value, const ModeOf& mode) const;

 private:
  void collect(ExprId e);
  BorderSide truths(std::size_t border, bool above) const;

  const hypa::Vocabulary& v_;
  const std::vector<Part>& parts_;
  std::vector<BorderLine> borders_;
};

// A way to go on from the borders that a row is on: along some, on one side of the others.
struct Slid {
  std::vector<std::size_t> along;  // places among the borders that are met
  std::vector<double> shares;      // of the sides above them
  bool lasts = true;               // the others are left to the side that it is on
  std::vector<const Seen*> sides;  // below all of them, then above each alone
  Value mean(const std::function<Value(const Seen&)>& value) const;
};

// How the sides of the borders that are met look, by bits: above which of them.
struct Sight {
  Seen seen;
  std::vector<std::optional<double>> speeds;  // d/dt (a − b), by border that is met
};
using Sights = std::function<const Sight&(unsigned above)>;

// All ways along borders whose sides push back, those along most borders first. Of the others of
// those that are met any side is possible: where a border has just been come to, it does not last.
std::vector<Slid> find_ways(std::size_t borders, const Sights& sights);

// The state of an automaton that a predicate asks for: `m = plus`, with this mark.
std::optional<std::size_t> mode_of(const hypa::Vocabulary& v, const std::vector<Item>& items,
                                   hypa::VariableId automaton, hypa::Mark mark);

}  // namespace cradle::conform
