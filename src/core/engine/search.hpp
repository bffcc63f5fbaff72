#pragma once
// The gap of a comparison on dense output, as a function of time that can be searched.

#include <optional>

#include "core/engine/flow_code.hpp"
#include "core/engine/flow_evaluator.hpp"
#include "core/solve/crossing.hpp"

namespace cradle::engine {

// As the code of the mode has it, or the evaluator where that is not sound.
inline double gap_at(FlowCode& code, FlowEvaluator& flow, const plan::Comparison& comparison,
                     double t) {
  if (const std::optional<double> gap = code.run(t)) return *gap;
  flow.begin(t);
  return flow.run(comparison.gap);
}

// As code, which can be enclosed.
class CodeGap : public solve::Gap {
 public:
  CodeGap(FlowCode& code, FlowEvaluator& flow, const plan::Comparison& comparison, double margin)
      : code_(code), flow_(flow), comparison_(comparison), margin_(margin) {}
  double operator()(double t) override { return gap_at(code_, flow_, comparison_, t) - margin_; }
  bool expand(double a, double b, Where where, solve::Jet& out) override {
    code_.expand(a, b, where, out);
    if (margin_ != 0) out.c[0] = out.c[0] - solve::Interval::at(margin_);
    return true;
  }

 private:
  FlowCode& code_;
  FlowEvaluator& flow_;
  const plan::Comparison& comparison_;
  double margin_;
};

// As the evaluator computes it, where there is no code.
class ComparisonGap : public solve::Gap {
 public:
  ComparisonGap(FlowEvaluator& flow, const plan::Code& code, double margin = 0)
      : flow_(flow), code_(code), margin_(margin) {}
  double operator()(double t) override {
    flow_.begin(t);
    return flow_.run(code_) - margin_;
  }

 private:
  FlowEvaluator& flow_;
  const plan::Code& code_;
  double margin_;
};

// The end of the first smooth piece of the gap on (a, b]. Each kink is sought where those inside it
// have none, so that it is smooth itself.
inline double end_of_piece(FlowEvaluator& flow, const plan::Comparison& comparison, double a,
                           double b) {
  for (const plan::Code& code : comparison.kinks) {
    ComparisonGap kink(flow, code);
    if (auto found = solve::first_change(kink, true, solve::holds(kink(a), true), a, b)) b = *found;
  }
  return b;
}

// As solve::first_change without an enclosure, which takes the gap to be smooth, piece by piece:
// near a kink a guard like abs(x) < 0.001 can be true for a moment that no interpolant shows.
inline std::optional<double> first_change(FlowEvaluator& flow, const plan::Comparison& comparison,
                                          double margin, bool strict, bool truth, double a,
                                          double b) {
  ComparisonGap gap(flow, comparison.gap, margin);
  constexpr int kMostPieces = 256;  // rounding can make a kink flicker
  for (int piece = 0; !comparison.kinks.empty() && piece < kMostPieces && a < b; ++piece) {
    const double end = end_of_piece(flow, comparison, a, b);
    if (auto found = solve::first_change(gap, strict, truth, a, end)) return found;
    a = end;
  }
  return solve::first_change(gap, strict, truth, a, b);
}

}  // namespace cradle::engine
