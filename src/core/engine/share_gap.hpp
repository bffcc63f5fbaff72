#pragma once
// Where a side of a border lets go (sliding.hpp), as a gap whose crossing can be proved.
//
// Along borders d/dt g = q + A λ = 0. By Cramer's rule λ_j = N_j / D, and with D > 0 (else both are
// turned round) the share of the side above is not negative while N_j >= 0, that of the side below
// while D − N_j >= 0. Where all of these hold, so does D >= 0: whatever makes D change its sign is
// found as well. Speeds of gaps on a side are code with the truths and modes of that side, which
// are frozen, so that N_j and D can be enclosed.

#include <optional>
#include <vector>

#include "core/engine/flow_code.hpp"

namespace cradle::engine {

class ShareGap : public solve::Gap {
 public:
  // Of the border at this place in State::slides, from t on.
  ShareGap(const Runtime& runtime, FlowEvaluator& flow, std::size_t slide, double t);
  void look_at(bool above) { above_ = above; }

  double operator()(double t) override;
  bool expand(double a, double b, Where where, solve::Jet& out) override;

 private:
  void write_out(const Runtime& runtime, const std::vector<std::size_t>& borders, double t);
  std::optional<std::vector<double>> speeds_at(double t);
  // The gap, of speeds of borders by side: below all, then above each.
  template <class Scalar>
  std::vector<std::vector<Scalar>> switched(const std::vector<Scalar>& speeds) const;
  template <class Scalar>
  Scalar gap(const std::vector<Scalar>& speeds) const;

  FlowEvaluator& flow_;
  std::size_t slide_, place_ = 0, count_ = 0;  // its place among so many of one cluster
  bool above_ = false, turned_ = false;
  std::vector<FlowCode> codes_;  // by side and border; none: what is sampled
};

}  // namespace cradle::engine
