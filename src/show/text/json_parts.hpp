#pragma once
// What the JSON of runs and of views (src/show/view) have in common.

#include <nlohmann/json.hpp>
#include <string>

#include "cradle/explain.hpp"

namespace cradle::text {

using Json = nlohmann::ordered_json;

// Reads back as the same double; those that JSON cannot write are "inf", "-inf" and "nan".
Json number(double value);
// Names come from the user's files and need not be valid UTF-8.
std::string dump(const Json& json);

const char* kind_name(EnergyEntry::Kind kind);  // "store", "source", …
Json violation_json(const Violation& violation);
Json outcome_json(const Outcome& outcome);
Json audit_json(const EnergyAudit& audit);
Json statistics_json(const Statistics& statistics);

const char* by_name(ExplainedCondition::By by);  // "value", "strain", "rate", …
Json slides_json(const std::vector<ExplainedSlide>& slides);
Json strains_json(const std::vector<ExplainedStrain>& strains);
const char* kind_name(ExplainedMove::Kind kind);     // "physical", "inference", "modal"
const char* cause_name(ExplainedJump::Cause cause);  // "relations", "impulse", "action"

}  // namespace cradle::text
