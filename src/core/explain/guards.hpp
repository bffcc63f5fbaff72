#pragma once
// Why a guard is true: its comparisons as they are written, with numbers put in.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/series.hpp"
#include "core/plan/value.hpp"
#include "cradle/explain.hpp"
#include "language/model/model.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::explain {

class Guards {
 public:
  using Evaluate = std::function<plan::Value(ExprId)>;
  // The difference right − left of an ordered comparison, and its truth, judged on series; nothing:
  // it is judged on values.
  struct Judged {
    bool truth = false;
    plan::Series gap;
  };
  using Judge = std::function<std::optional<Judged>(ExprId)>;
  Guards(const model::Model& model, const Sources& sources);

  // `span`: where it is written, if that is known.
  std::vector<ExplainedCondition> conditions(ExprId guard, Span span, const Evaluate& value,
                                             const Judge& judge) const;
  // A comparison the way round in which a guard has it.
  std::string text_of_comparison(const plan::Comparison& comparison) const;
  // A name for what a leaf stands for; one that the text has, if there is one.
  std::string name_of(ExprId leaf, const std::string& text) const;
  std::string text_of(ExprId e, const std::string& text = {}) const;
  // The text there, on one line; empty if no place is known.
  std::string source(Span span) const;

 private:
  struct Part {  // a conjunct, as it is written and as it is meant
    std::string text;
    ExprId e;
    bool turned = false;  // a > b is kept as b < a
  };
  std::vector<Part> parts(ExprId guard, Span span) const;
  bool pair(const std::string& text, const syntax::Expr& written, ExprId guard,
            std::vector<Part>& out) const;
  Part part(ExprId e) const;
  ExprId defined(ExprId e, const Evaluate& value) const;
  void collect(ExprId e, const Evaluate& value, std::vector<ExprId>& out) const;
  ExplainedCondition condition(const Part& part, const Evaluate& value, int depth) const;
  static void decide(const Judged& judged, bool turned, ExplainedCondition& out);
  std::vector<NamedValue> values_in(ExprId e, const std::string& text, const Evaluate& value) const;

  const model::Model& m_;
  const Sources& sources_;
  std::unordered_map<ExprId, std::vector<std::string>> names_;
};

}  // namespace cradle::explain
