// Numbers that change continuously are equal at points of time that no search can find: a guard
// `x == 1` is judged at instants only, and what happens between them is missed. The modeller is
// told.

#include "language/model/expressions.hpp"

namespace cradle::model {

namespace {

using expr::Op;

// Changes at instants only: an integral of nothing counts what its impulses add.
bool moves_in_jumps_only(const Model& model, const State& state) {
  return state.rate.valid() && model.pool.is_constant(state.rate) &&
         model.pool.constant_value(state.rate) == 0;
}

struct Reads {
  bool continuous = false;
  bool memory = false;  // pre: to ask whether something has jumped is fair
  bool local = false;   // the argument of a law, which is computed and not watched
};

// What an expression reads while time flows. Truths and impulses change at instants only, and so
// does what `rests` is true of.
Reads reads_of(const Model& model, std::vector<ExprId> work,
               const std::function<bool(ExprId)>& rests = nullptr) {
  Reads reads;
  std::vector<char> seen(model.pool.size(), 0);
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (!e.valid() || seen[static_cast<std::size_t>(e.index)] != 0) continue;
    seen[static_cast<std::size_t>(e.index)] = 1;
    if (rests && rests(e)) continue;
    const expr::Node& node = model.pool[e];
    if (expr::is_comparison(node.op) || node.op == Op::ImpulseOf) continue;
    const auto ref = static_cast<std::size_t>(node.ref);
    reads.memory |= node.op == Op::Pre;
    reads.local |= node.op == Op::Local;
    reads.continuous |=
        node.op == Op::Time || node.op == Op::Phase || node.op == Op::Effort || node.op == Op::Flow;
    if (node.op == Op::State) {
      reads.continuous |= !moves_in_jumps_only(model, model.states[StateId(ref)]);
    }
    if (node.op == Op::Signal) work.push_back(model.signals[SignalId(ref)].value);
    for (ExprId operand : {node.a, node.b, node.c}) work.push_back(operand);
  }
  return reads;
}

}  // namespace

bool changes_continuously(const Model& model, ExprId expr,
                          const std::function<bool(ExprId)>& rests) {
  return reads_of(model, {expr}, rests).continuous;
}

void warn_of_equalities(Elaboration& e) {
  for (const Equality& equality : e.equalities) {
    if (e.report.said("relation.equality", equality.span)) continue;
    const Reads reads = reads_of(e.model, {equality.left, equality.right});
    if (!reads.continuous || reads.memory || reads.local) continue;
    e.report.add(Diagnostic("relation.equality",
                            e.report.source_text(equality.span) + " is judged at events only")
                     .warning()
                     .at(equality.span, "changes continuously")
                     .rule("no search can find the point of time at which two numbers that change "
                           "continuously are equal")
                     .help("write <= or >=, or abs(a - b) < a small number"),
                 equality.place);
  }
}

}  // namespace cradle::model
