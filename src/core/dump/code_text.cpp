#include "core/dump/dump.hpp"
#include "core/dump/names.hpp"
#include "core/engine/flow_code.hpp"
#include "core/engine/workspace.hpp"
#include "cradle/instant.hpp"

namespace cradle::dump {
namespace {

using namespace plan;

class CodeText {
 public:
  CodeText(const Plan& plan, const Mode& mode)
      : plan_(plan), m_(plan.model()), state_(plan, options_), work_(plan, options_, state_) {
    state_.mode = state_.arrival_mode = state_.settled_mode = mode;
    std::vector<UnitId> all;
    for (std::size_t u = 0; u < plan.units().size(); ++u) all.push_back(UnitId(u));
    clusters_ = work_.clusters.rebuild(all, [](UnitId) {});
  }

  std::string text() {
    out_ = "code of " + m_.name + "\n";
    for (const engine::Cluster* cluster : clusters_) add_rates(*cluster);
    add_gaps();
    add_guards();
    return std::move(out_);
  }

 private:
  void add_rates(const engine::Cluster& cluster) {
    if (cluster.states.empty()) return;
    const std::vector<std::string> states = names_in(m_.states, cluster.states);
    out_ += "\nrates of " + joined(states) + "\n";
    const auto code = engine::FlowCode::of_rates(work_.runtime, cluster);
    if (code == nullptr) {
      out_ +=
          "  no straight-line code: the island is solved as a whole, or something may be "
          "absent\n";
      return;
    }
    std::vector<std::string> results;
    for (const std::string& state : states) results.push_back("d " + state);
    out_ += code->text(work_.runtime, results);
  }

  void add_gaps() {
    std::size_t number = 0;
    for (const Relation& relation : plan_.relations()) {
      const std::string name = "r" + std::to_string(number++);
      if (!relation.watched) continue;
      out_ += "\ngap of " + name + ": " + m_.text(relation.expr) + "\n";
      const auto code = engine::FlowCode::of_expression(work_.runtime, relation.gap_expr,
                                                        engine::FlowEvaluator::Who::Run);
      out_ +=
          code == nullptr ? program(relation.gap) : code->text(work_.runtime, {"gap of " + name});
    }
  }

  void add_guards() {
    for (std::size_t a = 0; a < m_.automata.size(); ++a) {
      const model::Automaton& automaton = m_.automata[AutomatonId(a)];
      for (std::size_t t = 0; t < automaton.transitions.size(); ++t) {
        const model::Transition& transition = automaton.transitions[t];
        out_ += "\nguard of " + automaton.name + " " +
                automaton.states[static_cast<std::size_t>(transition.from)] + " -> " +
                automaton.states[static_cast<std::size_t>(transition.to)] + "\n" +
                program(plan_.automaton(AutomatonId(a)).transitions[t].guard);
        for (const model::SetAction& set : transition.sets) {
          out_ += "  set " +
                  (set.state.valid() ? m_.states[set.state].name : m_.memories[set.memory].name) +
                  "\n" + program(plan_.formula(set.value).tick);
        }
      }
    }
  }

  std::string program(const Program& program) const {
    std::string out;
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      out += "  " + std::to_string(i) + ": " + instruction(program.code[i]) + "\n";
    }
    return out;
  }

  std::string leaf(const Instruction& in) const {
    if (in.op == expr::Op::Constant) return format_number(in.value);
    if (in.op == expr::Op::Parameter) {
      const ExprId fixed = m_.pool.fixed()[static_cast<std::size_t>(in.ref)];
      return m_.text(fixed) + " = " + format_number(plan_.number(in.ref));
    }
    if (in.op == expr::Op::Pre) {
      return "pre(" + m_.text(m_.pool.pres()[static_cast<std::size_t>(in.ref)]) + ")";
    }
    const expr::Node node{.op = in.op, .ref = in.ref, .value = in.value};
    return m_.text(node);
  }

  std::string instruction(const Instruction& in) const {
    const std::string to = " " + std::to_string(in.ref);
    switch (in.code) {
      case Code::Leaf:
        return "push " + leaf(in);
      case Code::Truth:
        return "push truth of r" + std::to_string(in.ref);
      case Code::TruthIfPresent:
        return "if both are present, truth of r" + std::to_string(in.ref);
      case Code::Apply1:
      case Code::Apply2:
        return in.op == expr::Op::Neg ? "negate" : std::string(expr::name(in.op));
      case Code::JumpIfFalse:
        return "if false, go to" + to + "; if absent, to " + std::to_string(in.behind);
      case Code::JumpIfDecided:
        return (in.op == expr::Op::Or ? "if true, go to" : "if false, go to") + to;
      case Code::JumpIfPresent:
        return "if present, go to" + to;
      case Code::JumpUnless:
        return "unless it holds, absent, and go to" + to;
      case Code::Jump:
        return "go to" + to;
    }
    return {};
  }

  const Plan& plan_;
  const model::Model& m_;
  const Options options_;
  engine::State state_;
  engine::Workspace work_;
  std::vector<engine::Cluster*> clusters_;
  std::string out_;
};

}  // namespace

std::string code_text(const plan::Plan& plan, const Mode& mode) {
  return CodeText(plan, mode).text();
}

}  // namespace cradle::dump
