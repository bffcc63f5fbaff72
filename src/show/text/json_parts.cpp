#include "show/text/json_parts.hpp"

#include <cmath>

#include "base/basics/assert.hpp"

namespace cradle::text {

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value == 0 ? 0.0 : value;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json violation_json(const Violation& violation) {
  Json out = {{"assertion", violation.assertion}, {"message", violation.message},
              {"inside", violation.inside},       {"t", number(violation.at.t)},
              {"eps", violation.at.eps},          {"step", violation.at.step},
              {"values", violation.values}};
  if (violation.undecided) out["undecided"] = true;
  return out;
}

Json outcome_json(const Outcome& outcome) {
  Json out = {{"ending", to_string(outcome.ending)},
              {"finished", outcome.finished()},
              {"t", number(outcome.at.t)},
              {"eps", outcome.at.eps},
              {"step", outcome.at.step}};
  if (outcome.assertions == 0) return out;
  out["assertions"] = outcome.assertions;
  out["violations"] = Json::array();
  for (const Violation& violation : outcome.violations) {
    out["violations"].push_back(violation_json(violation));
  }
  return out;
}

const char* kind_name(EnergyEntry::Kind kind) {
  switch (kind) {
    case EnergyEntry::Kind::Store:
      return "store";
    case EnergyEntry::Kind::Source:
      return "source";
    case EnergyEntry::Kind::Resistor:
      return "resistor";
    case EnergyEntry::Kind::Switch:
      return "switch";
  }
  CRADLE_ASSERT(false, "a kind of energy entry without a name");
  return "";
}

Json audit_json(const EnergyAudit& audit) {
  Json entries = Json::array();
  for (const auto& entry : audit.entries) {
    entries.push_back({{"name", entry.name},
                       {"kind", kind_name(entry.kind)},
                       {"flowing", number(entry.flowing)},
                       {"jumping", number(entry.jumping)}});
  }
  return {{"stored_start", number(audit.stored_start)},
          {"stored_end", number(audit.stored_end)},
          {"delivered", number(audit.delivered)},
          {"dissipated", number(audit.dissipated)},
          {"dissipated_by_switching", number(audit.dissipated_by_switching)},
          {"residual", number(audit.residual)},
          {"entries", std::move(entries)}};
}

Json statistics_json(const Statistics& s) {
  return {{"events", s.events},
          {"microsteps", s.microsteps},
          {"epsilon_steps", s.epsilon_steps},
          {"jumps", s.jumps},
          {"mythical", s.mythical},
          {"pinnacles", s.pinnacles},
          {"modes_visited", s.modes_visited},
          {"islands_analysed", s.islands_analysed},
          {"islands_reused", s.islands_reused},
          {"solver_steps", s.solver_steps},
          {"rejected_steps", s.rejected_steps},
          {"evaluations", s.evaluations}};
}

const char* by_name(ExplainedCondition::By by) {
  using By = ExplainedCondition::By;
  switch (by) {
    case By::Value:
      return "value";
    case By::Impulse:
      return "impulse";
    case By::Strain:
      return "strain";
    case By::StrainNext:
      return "derivative of the strain";
    case By::Rate:
      return "rate";
    case By::SecondRate:
      return "second derivative";
    case By::Nothing:
      return "nothing";
  }
  CRADLE_ASSERT(false, "what decides has a name");
  return "";
}

Json slides_json(const std::vector<ExplainedSlide>& slides) {
  Json out = Json::array();
  for (const ExplainedSlide& slide : slides) {
    Json relays = Json::array();
    for (const ExplainedSlide::Relay& relay : slide.relays) {
      relays.push_back({{"name", relay.automaton}, {"above", relay.above}, {"below", relay.below}});
    }
    out.push_back({{"border", slide.border},
                   {"above", slide.above},
                   {"below", slide.below},
                   {"share", slide.share},
                   {"relays", relays}});
  }
  return out;
}

Json strains_json(const std::vector<ExplainedStrain>& strains) {
  Json out = Json::array();
  for (const ExplainedStrain& strain : strains) {
    Json junctions = Json::array();
    for (const auto& [name, active] : strain.junctions) {
      junctions.push_back({{"name", name}, {"active", active}});
    }
    out.push_back({{"text", strain.text},
                   {"junctions", junctions},
                   {"ends", strain.ends},
                   {"effort", strain.effort},
                   {"flow", strain.flow},
                   {"order", strain.order}});
  }
  return out;
}

const char* kind_name(ExplainedMove::Kind kind) {
  switch (kind) {
    case ExplainedMove::Kind::Physical:
      return "physical";
    case ExplainedMove::Kind::Inference:
      return "inference";
    default:
      return "modal";
  }
}

const char* cause_name(ExplainedJump::Cause cause) {
  switch (cause) {
    case ExplainedJump::Cause::Relations:
      return "relations";
    case ExplainedJump::Cause::Impulse:
      return "impulse";
    default:
      return "action";
  }
}

}  // namespace cradle::text
