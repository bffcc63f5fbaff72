#include <map>

#include "core/dump/dump.hpp"
#include "core/dump/names.hpp"
#include "core/engine/flow_code.hpp"
#include "core/engine/workspace.hpp"
#include "core/plan/sensitivity.hpp"
#include "cradle/instant.hpp"

namespace cradle::dump {
namespace {

using namespace plan;

// Instructions, one a line. In the code of a mode each register is written once, so that constants
// stand where they are read.
class ListText {
 public:
  explicit ListText(const Plan& plan) : plan_(plan), m_(plan.model()) {}

  std::string of(const Code& code) {
    std::string out;
    for (std::size_t i = 0; i < code.list.size(); ++i) {
      out += "  " + std::to_string(i) + ": " + line_of(code.list[i]) + "\n";
    }
    return out;
  }

  // `results`: what they are called.
  std::string of(const ModeCode& code, const std::vector<std::string>& results) {
    for (std::size_t i = 0; i < code.constants; ++i) {
      names_[code.list[i].target] = format_number(code.list[i].number());
    }
    std::string out;
    for (std::size_t i = code.constants; i < code.list.size(); ++i) {
      const bool frozen = i < code.frozen;
      const Instruction& in = code.list[i];
      out += "  " + name(in.target) + " = " + (frozen ? "frozen " : "") + value_of(in) + "\n";
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      out += "  " + results[i] + " = " + name(code.results[i]) + "\n";
    }
    return out;
  }

 private:
  std::string name(int32_t r) const {
    const auto known = names_.find(r);
    return known == names_.end() ? "%" + std::to_string(r) : known->second;
  }
  static std::string comparison(int32_t id) { return "r" + std::to_string(id); }
  static std::string place(int32_t pc) { return std::to_string(pc); }

  std::string line_of(const Instruction& in) const {
    switch (in.what) {
      case Do::Truth:
        return "while time flows, " + name(in.target) + " = truth of " + comparison(in.a) +
               ", and on to " + place(in.c);
      case Do::JumpIfFalse:
        return "if " + name(in.a) + " is false, to " + place(in.b) + "; if absent, to " +
               place(in.c);
      case Do::JumpIfDecided:
        return "if " + name(in.a) + (in.op == expr::Op::Or ? " is true" : " is false") + ", to " +
               place(in.b);
      case Do::JumpIfPresent:
        return "if " + name(in.a) + " is present, to " + place(in.b);
      case Do::JumpUnless:
        return "unless " + name(in.a) + (in.c != 0 ? " is true" : " is present") + ", absent, to " +
               place(in.b);
      case Do::Jump:
        return "to " + place(in.b);
      default:
        return name(in.target) + " = " + value_of(in);
    }
  }

  std::string value_of(const Instruction& in) const {
    switch (in.what) {
      case Do::Constant:
        return format_number(in.number());
      case Do::Load:
        return leaf(in);
      case Do::Truth:
        return "truth of " + comparison(in.a);
      case Do::Kept:
        return "is the truth of " + comparison(in.a) + " kept";
      case Do::Lives: {
        const model::Region& region = m_.regions[RegionId(at(in.a))];
        const model::Automaton& automaton = m_.automata[region.automaton];
        return automaton.name + "." + automaton.states[at(region.state)] + " is active";
      }
      case Do::PeriodBegin:
        return "begin of the period of k" + std::to_string(in.a);
      case Do::MultiplyAdd:
        return name(in.c) + " + " + name(in.a) + " * " + name(in.b);
      case Do::Select:
        return "if " + name(in.a) + " then " + name(in.b) + " else " + name(in.c);
      case Do::Compare:
        return applied(in) + ", while time flows the truth of " + comparison(in.c);
      case Do::Side:
        return applied(in) + ", while time flows on the side of " + comparison(in.c);
      default:
        return applied(in);
    }
  }

  std::string applied(const Instruction& in) const {
    const std::string op(expr::name(in.op));
    if (in.b < 0) return (in.op == expr::Op::Neg ? "-" : op + " ") + name(in.a);
    return name(in.a) + " " + op + " " + name(in.b);
  }

  std::string leaf(const Instruction& in) const {
    const auto ref = static_cast<std::size_t>(in.a);
    if (in.op == expr::Op::Parameter) {
      return m_.text(m_.pool.fixed()[ref]) + " = " + format_number(plan_.number(in.a));
    }
    if (in.op == expr::Op::Pre) return "pre(" + m_.text(m_.pool.pres()[ref]) + ")";
    const expr::Node node{.op = in.op, .ref = in.a, .value = static_cast<double>(in.b)};
    return (in.op == expr::Op::State ? "state " : "") + m_.text(node);
  }

  const Plan& plan_;
  const model::Model& m_;
  std::map<int32_t, std::string> names_;  // of registers that are not called by their number
};

// What is in force in a mode.
class InMode {
 public:
  InMode(const Plan& plan, const Mode& mode)
      : plan_(plan), m_(plan.model()), state_(plan, options_), work_(plan, options_, state_) {
    state_.mode = state_.arrival_mode = state_.settled_mode = mode;
    std::vector<UnitId> all;
    for (std::size_t u = 0; u < plan.units().size(); ++u) all.push_back(UnitId(u));
    clusters_ = work_.clusters.rebuild(all, [](UnitId) {});
  }

 protected:
  const Plan& plan_;
  const model::Model& m_;
  const Options options_;
  engine::State state_;
  engine::Workspace work_;
  std::vector<engine::Cluster*> clusters_;
};

// Of a plan whose parameters are inputs.
class SensitivityText : InMode {
 public:
  using InMode::InMode;

  std::string text() {
    for (const engine::Cluster* cluster : clusters_) {
      if (cluster->states.empty()) continue;
      std::vector<std::string> rates = names_in(m_.states, cluster->states);
      const std::string states = joined(rates);
      for (std::string& rate : rates) rate.insert(0, "d ");
      add("rates of " + states, *engine::find_rates(work_.runtime, *cluster), rates);
    }
    for (std::size_t r = 0; r < plan_.comparisons().size(); ++r) {
      const Comparison& comparison = plan_.comparisons()[ComparisonId(r)];
      if (!comparison.watched) continue;
      const std::string gap = "gap of " + m_.text(comparison.expr);
      add(gap, *engine::find_gap(work_.runtime, ComparisonId(r), plan::Reader::Run), {gap});
    }
    return std::move(out_);
  }

 private:
  void add(const std::string& what, const ModeCode& code, const std::vector<std::string>& of) {
    if (!code.exists()) return;
    const Sensitivity found = sensitivity_of(code);
    if (found.entries.empty()) return;
    std::vector<std::string> results;
    for (const Sensitivity::Entry& entry : found.entries) {
      const std::string& name = m_.signals[m_.clocks[entry.input].input].name;
      results.push_back("∂(" + of[at(entry.row)] + ")/∂" + name);
    }
    out_ += "\n" + what + ": derivatives by parameters and inputs, where they are not zero\n" +
            ListText(plan_).of(found.code, results);
  }

  std::string out_;
};

class CodeText : InMode {
 public:
  using InMode::InMode;

  std::string text() {
    out_ = "code of " + m_.name + "\n";
    for (const engine::Cluster* cluster : clusters_) add_rates(*cluster);
    add_gaps();
    add_guards();
    const auto open = with_parameters_as_inputs(plan_);
    return out_ + SensitivityText(*open, state_.mode).text();
  }

 private:
  void add_rates(const engine::Cluster& cluster) {
    if (cluster.states.empty()) return;
    const std::vector<std::string> states = names_in(m_.states, cluster.states);
    out_ += "\nrates of " + joined(states) + "\n";
    const auto code = engine::find_rates(work_.runtime, cluster);
    if (!code->exists()) {
      out_ +=
          "  no straight-line code: the island is solved as a whole, or something may be "
          "absent\n";
      return;
    }
    std::vector<std::string> results;
    results.reserve(states.size());
    for (const std::string& state : states) results.push_back("d " + state);
    out_ += ListText(plan_).of(*code, results);
    add_jacobian(jacobian_of(*code), results);
  }

  void add_jacobian(const Jacobian& jacobian, const std::vector<std::string>& rates) {
    if (jacobian.entries.empty()) return;
    std::vector<std::string> results;
    for (const Jacobian::Entry& entry : jacobian.entries) {
      results.push_back("∂(" + rates[at(entry.row)] + ")/∂" + m_.states[entry.state].name);
    }
    out_ += "derivatives of these rates by states, where they are not zero\n" +
            ListText(plan_).of(jacobian.code, results);
  }

  void add_gaps() {
    std::size_t number = 0;
    for (const Comparison& comparison : plan_.comparisons()) {
      const std::string name = "r" + std::to_string(number++);
      if (!comparison.watched) continue;
      out_ += "\ngap of " + name + ": " + m_.text(comparison.expr) + "\n";
      const ComparisonId id(number - 1);
      const auto code = engine::find_gap(work_.runtime, id, plan::Reader::Run);
      out_ += code->exists() ? ListText(plan_).of(*code, {"gap of " + name})
                             : ListText(plan_).of(comparison.gap);
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
                ListText(plan_).of(plan_.automaton(AutomatonId(a)).transitions[t].guard);
        for (const model::SetAction& set : transition.sets) {
          out_ += "  set " +
                  (set.state.valid() ? m_.states[set.state].name : m_.memories[set.memory].name) +
                  "\n" + ListText(plan_).of(plan_.formula(set.value));
        }
      }
    }
  }

  std::string out_;
};

}  // namespace

std::string code_text(const plan::Plan& plan, const Mode& mode) {
  return CodeText(plan, mode).text();
}

}  // namespace cradle::dump
