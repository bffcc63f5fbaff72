#include "core/dump/dump.hpp"
#include "core/dump/names.hpp"
#include "cradle/instant.hpp"

namespace cradle::dump {
namespace {

using namespace plan;

class PlanText {
 public:
  explicit PlanText(const Plan& plan) : plan_(plan), m_(plan.model()) {}

  std::string text() {
    out_ = "plan of " + m_.name + "\n";
    add_parameters();
    add_decisions();
    add_cells();
    add_units();
    add_comparisons();
    add_automata();
    add_clocks();
    add_memories();
    if (m_.until.valid()) out_ += "\nuntil " + fixed(m_.until) + "\n";
    if (m_.max_step.valid()) out_ += "longest step " + fixed(m_.max_step) + "\n";
    return std::move(out_);
  }

 private:
  // "2 * m1 = 6"; of a literal only its number.
  std::string fixed(ExprId e) const {
    const std::string number = format_number(plan_.number(e));
    return m_.pool.is_constant(e) ? number : m_.text(e) + " = " + number;
  }
  std::vector<std::string> bonds(const std::vector<BondId>& ids) const {
    return names(ids, [&](BondId id) { return "`" + m_.bonds[id].name + "`"; });
  }

  void add_parameters() {
    if (m_.parameters.empty()) return;
    out_ += "\nparameters\n";
    for (std::size_t i = 0; i < m_.parameters.size(); ++i) {
      const model::Parameter& parameter = m_.parameters[i];
      out_ += "  " + parameter.name + " = " + format_number(plan_.binding().parameter(m_, i));
      if (!parameter.slot.valid()) {
        out_ += ", part of the structure";
      } else {
        const model::Slot& slot = m_.slots[parameter.slot];
        out_ += ", slot " + std::to_string(parameter.slot.index);
        const bool given = plan_.binding().is_given(parameter.slot);
        if (given) out_ += ", given";
        if (!given && !m_.pool.is_constant(slot.definition)) {
          out_ += ", from " + m_.text(slot.definition);
        }
      }
      out_ += "\n";
    }
  }

  // What another value must not change, or the model is built anew.
  void add_decisions() {
    if (m_.decisions.empty()) return;
    out_ += "\ndecided by\n";
    for (const model::Decision& decision : m_.decisions) {
      const bool boolean = m_.pool[decision.of].type == expr::Type::Boolean;
      const double value = decision.value;
      std::string says;
      switch (decision.kind) {
        case model::Decision::Kind::Exactly:
        case model::Decision::Kind::Asked:
          says = boolean ? (value != 0 ? "true" : "false") : format_number(value);
          break;
        case model::Decision::Kind::Finite:
          says = "finite";
          break;
        case model::Decision::Kind::Zero:
          says = value == 0 ? "zero" : "not zero";
          break;
        case model::Decision::Kind::Sign:
          says = value == 0 ? "zero" : value < 0 ? "negative" : "positive";
          break;
      }
      out_ += "  " + m_.text(decision.of) + " is " + says + "\n";
    }
  }

  void add_cells() {
    if (plan_.cells().empty()) return;
    out_ += "\ncells\n";
    std::size_t number = 0;
    for (const Cell& cell : plan_.cells()) {
      out_ += "  c" + std::to_string(number++) + " of u" + std::to_string(cell.unit.index) + "\n";
      out_ += line("bonds", bonds(cell.bonds));
      out_ += line("elements", names_in(m_.elements, cell.elements));
      out_ += line("junctions", names_in(m_.junctions, cell.junctions));
      out_ += line("controlled junctions at its border", names_in(m_.junctions, cell.controlled));
    }
  }

  void add_units() {
    if (plan_.units().empty()) return;
    out_ += "\nunits\n";
    std::size_t number = 0;
    for (const Unit& unit : plan_.units()) {
      out_ += "  u" + std::to_string(number++) + "\n";
      out_ += line("cells", numbered("c", unit.cells));
      out_ += line("integrals", names_in(m_.states, unit.integrals));
      out_ += line("rates read", numbered("r", unit.comparisons));
      out_ += line("rates read pre of", pres(unit.pres));
      out_ += line("rates read clocks", numbered("k", unit.clocks));
      if (unit.reads_time) out_ += "    rates read time\n";
      out_ += line("read by guards of", names_in(m_.automata, unit.readers));
      out_ += line("watched by", numbered("r", unit.watched_by));
      out_ += line("read by memories", names_in(m_.memories, unit.memories));
    }
  }

  std::vector<std::string> pres(const std::vector<PreId>& ids) const {
    return names(
        ids, [&](PreId id) { return m_.text(m_.pool.pres()[static_cast<std::size_t>(id.index)]); });
  }

  void add_comparisons() {
    if (plan_.comparisons().empty()) return;
    out_ += "\ncomparisons\n";
    std::size_t number = 0;
    for (const Comparison& comparison : plan_.comparisons()) {
      out_ += "  r" + std::to_string(number++) + ": " + m_.text(comparison.expr) + "\n";
      out_ += "    gap: " + m_.text(comparison.gap_expr) + (comparison.strict ? " > 0" : " >= 0") +
              (comparison.watched ? "" : ", judged at instants only") + "\n";
      if (!comparison.kinks.empty()) {
        out_ += "    kinks: " + std::to_string(comparison.kinks.size()) + "\n";
      }
      if (comparison.detector.valid()) {
        out_ += "    of the detector " + m_.memories[comparison.detector].name + "\n";
      }
      out_ += line("reads states", names_in(m_.states, comparison.reads.states));
      out_ += line("reads cells", numbered("c", comparison.reads.cells));
      out_ += line("reads modes of", names_in(m_.automata, comparison.reads.automata));
      out_ += line("reads memories", names_in(m_.memories, comparison.reads.memories));
      out_ += line("reads pre of", pres(comparison.reads.pres));
      if (comparison.reads.time) out_ += "    reads time\n";
      out_ += line("used by the rates of", numbered("u", comparison.used_by));
      out_ += line("used by guards", guards(comparison));
    }
  }

  std::vector<std::string> guards(const Comparison& comparison) const {
    return names(comparison.guards, [&](const std::pair<AutomatonId, int>& guard) {
      const model::Automaton& automaton = m_.automata[guard.first];
      const auto& transition = automaton.transitions[static_cast<std::size_t>(guard.second)];
      return automaton.name + " " + move(automaton, transition);
    });
  }

  static std::string move(const model::Automaton& automaton, const model::Transition& transition) {
    return automaton.states[static_cast<std::size_t>(transition.from)] + " -> " +
           automaton.states[static_cast<std::size_t>(transition.to)];
  }

  void add_automata() {
    if (m_.automata.empty()) return;
    out_ += "\nautomata\n";
    for (std::size_t i = 0; i < m_.automata.size(); ++i) {
      const model::Automaton& automaton = m_.automata[AutomatonId(i)];
      const CompiledAutomaton& compiled = plan_.automaton(AutomatonId(i));
      out_ += "  " + automaton.name + "\n";
      for (std::size_t t = 0; t < automaton.transitions.size(); ++t) {
        const model::Transition& transition = automaton.transitions[t];
        out_ += "    " + move(automaton, transition) + (transition.physical ? " after eps" : "") +
                " when " + m_.text(transition.guard) + "\n";
        const CompiledTransition& c = compiled.transitions[t];
        if (!c.comparisons.empty()) {
          out_ += "      reads " + joined(numbered("r", c.comparisons)) + "\n";
        }
      }
      out_ += line("junction between", numbered("u", compiled.adjacent));
      out_ += line("rates that read its state", numbered("u", compiled.modulates));
      out_ += line("guards that read its state", names_in(m_.automata, compiled.read_by));
    }
  }

  void add_clocks() {
    if (m_.clocks.empty()) return;
    out_ += "\nclocks\n";
    std::size_t number = 0;
    for (const model::Clock& clock : m_.clocks) {
      if (clock.input.valid()) {
        out_ += "  k" + std::to_string(number++) + ": input " + m_.signals[clock.input].name +
                " = " + fixed(clock.initial) + "\n";
        continue;
      }
      out_ += "  k" + std::to_string(number++) + ": period " + fixed(clock.period) + ", offset " +
              fixed(clock.offset) + "\n";
    }
  }

  void add_memories() {
    if (m_.memories.empty()) return;
    out_ += "\nmemories\n";
    for (std::size_t i = 0; i < m_.memories.size(); ++i) {
      const model::Memory& memory = m_.memories[MemoryId(i)];
      out_ += "  " + memory.name;
      if (memory.input.valid()) out_ += " of " + m_.text(memory.input);
      if (memory.initial.valid()) out_ += ", at first " + fixed(memory.initial);
      if (memory.offset.valid()) out_ += ", offset " + fixed(memory.offset);
      if (memory.period.valid()) out_ += ", period " + fixed(memory.period);
      out_ += "\n";
      const CompiledMemory& compiled = plan_.memory(MemoryId(i));
      out_ += line("read by guards of", names_in(m_.automata, compiled.automata));
      out_ += line("read by the rates of", numbered("u", compiled.units));
      out_ += line("read by memories", names_in(m_.memories, compiled.memories));
    }
  }

  const Plan& plan_;
  const model::Model& m_;
  std::string out_;
};

}  // namespace

std::string plan_text(const plan::Plan& plan) { return PlanText(plan).text(); }

}  // namespace cradle::dump
