// Straight-line code for people: registers by what they hold.

#include "core/engine/flow_code.hpp"
#include "cradle/instant.hpp"

namespace cradle::engine {
namespace {

using expr::Op;

std::string frozen_name(const Runtime& runtime, Op op, int32_t ref, double value) {
  const model::Model& m = runtime.system.model();
  if (op == Op::Less) return "truth of r" + std::to_string(ref);
  if (op == Op::If) {
    const model::Region& region = m.regions[RegionId(at(ref))];
    const model::Automaton& automaton = m.automata[region.automaton];
    return automaton.name + "." + automaton.states[at(region.state)] + " is active";
  }
  if (op == Op::Pre) return "pre(" + m.text(m.pool.pres()[at(ref)]) + ")";
  const expr::Node leaf{.op = op, .ref = ref, .value = value};
  return m.text(leaf);
}

}  // namespace

std::string FlowCode::text(const Runtime& runtime, const std::vector<std::string>& results) const {
  std::vector<char> written(registers_.size(), 0);
  for (const Instruction& in : code_) written[at(in.target)] = 1;
  std::vector<std::string> names(registers_.size());
  for (std::size_t r = 0; r < registers_.size(); ++r) {
    names[r] = written[r] != 0 ? "%" + std::to_string(r) : format_number(registers_[r]);
  }
  if (time_ >= 0) names[at(time_)] = "time";
  std::string out;
  const auto load = [&](int32_t target, const char* how, const std::string& what) {
    names[at(target)] = "%" + std::to_string(target);
    out += "  " + names[at(target)] + " = " + how + what + "\n";
  };
  for (const Frozen& f : frozen_) {
    load(f.target, "frozen ", frozen_name(runtime, f.op, f.ref, f.value));
  }
  for (const Input& input : inputs_)
    load(input.target, "state ", runtime.system.model().states[input.state].name);
  for (const Instruction& in : code_) {
    const auto name = [&](int32_t r) { return names[at(r)]; };
    out += "  " + name(in.target) + " = ";
    if (in.op == Op::Mul && in.c >= 0) {
      out += name(in.c) + " + " + name(in.a) + " * " + name(in.b);
    } else if (in.op == Op::If) {
      out += "if " + name(in.a) + " then " + name(in.b) + " else " + name(in.c);
    } else if (in.b < 0) {
      out += (in.op == Op::Neg ? "-" : std::string(expr::name(in.op)) + " ") + name(in.a);
    } else {
      out += name(in.a) + " " + std::string(expr::name(in.op)) + " " + name(in.b);
    }
    out += "\n";
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    out +=
        "  " + (i < results.size() ? results[i] : "result") + " = " + names[at(results_[i])] + "\n";
  }
  return out;
}

}  // namespace cradle::engine
