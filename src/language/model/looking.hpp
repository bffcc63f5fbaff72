#pragma once
// What only looks at a run, as `animate` and `assert` do: it is read behind everything else and
// makes nothing new, so that a model runs the same with it and without.

#include <array>
#include <string>

#include "language/model/expressions.hpp"

namespace cradle::model {

// How much there is of what an expression can make.
struct Made {
  explicit Made(const Model& m)
      : counts{m.states.size(), m.memories.size(), m.choices.size(), m.clocks.size(),
               m.pool.pres().size()} {}
  std::array<std::size_t, 5> counts;
  bool operator==(const Made&) const = default;
};

// The value of what `word` (animate, assert) looks at; bad, with a diagnostic, if that would take
// part in the run. The way out says how to look at a signal in its place.
inline Value evaluate_looking(Elaboration& e, const Context& context, const syntax::Expr& expr,
                              const std::string& word, const std::string& name,
                              const std::string& way_out) {
  const Made before(e.model);
  Value value = evaluate(e, context, expr);
  if (value.bad() || Made(e.model) == before) return value;
  const std::string text = e.report.source_text(expr.span);
  e.report.add(Diagnostic(word + ".memory", text + " would take part in the run")
                   .at(expr.span, "keeps something, or makes ticks")
                   .rule(word + " looks at a run and changes nothing in it")
                   .help("define it as a signal outside " + word + ", " + name + " = " + text +
                         ", and " + way_out),
               context.place);
  return {};
}

}  // namespace cradle::model
