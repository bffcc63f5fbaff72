#pragma once
// The sides of the borders that a run slides along (sliding.hpp), and how values are put together
// from them. With λ the share of the side above:
//
//   v = v₀ + Σ λ_j (v_j − v₀)      v₀: below all borders; v_j: above the j-th alone
//   d/dt g = q + A λ = 0           the gaps of all borders rest

#include <span>
#include <utility>
#include <vector>

#include "core/engine/runtime.hpp"

namespace cradle::engine {

// While it lives, truths and modes are those of one side: above the border with this place in
// State::slides and below all others, or below all (−1), or above all. Then they are put back.
class OnSide {
 public:
  static constexpr int kAboveAll = -2;
  OnSide(const Runtime& runtime, int above);
  ~OnSide();
  OnSide(const OnSide&) = delete;
  OnSide& operator=(const OnSide&) = delete;

 private:
  State& state_;
  std::vector<std::pair<std::size_t, char>> truths_;
  struct Mode {
    std::size_t automaton;
    int mode, arrival;
  };
  std::vector<Mode> modes_;
};

// How the gaps of borders move, by side.
struct GapRates {
  std::vector<double> q, a;  // a: row by row
  void resize(std::size_t borders) {
    q.assign(borders, 0.0);
    a.assign(borders * borders, 0.0);
  }
  std::size_t size() const { return q.size(); }
  double& of(std::size_t gap, std::size_t border) { return a[gap * q.size() + border]; }
  double of(std::size_t gap, std::size_t border) const { return a[gap * q.size() + border]; }
  // On one side and on the other, at most.
  double speed(std::size_t border) const;
};

// The λ of those of `borders` with which their gaps rest, others as they are in `shares`. False:
// there are none, or many.
bool find_shares(const GapRates& rates, std::span<const std::size_t> borders,
                 std::vector<double>& shares);

// Where a run goes from each of the borders that it stands on.
enum class Way : char { Below, Along, Above };
// All that are consistent: along, if both sides push back to it, with 0 < λ < 1; or to the side to
// which its gap then moves. Of very many borders that act on each other only one is looked for.
std::vector<std::vector<Way>> find_ways(const GapRates& rates);

}  // namespace cradle::engine
