#include "show/text/explain.hpp"
#include "show/text/json_parts.hpp"

namespace cradle::text {
namespace {

// As rows of a run have them: values, and apart from them the impulses.
void add_values(const std::vector<NamedValue>& values, Json& out) {
  Json finites = Json::object(), impulses = Json::object();
  for (const auto& [name, value] : values) {
    finites[name] = value ? number(value->finite) : Json(nullptr);
    if (value && value->impulse != 0) impulses[name] = number(value->impulse);
  }
  out["values"] = finites;
  if (!impulses.empty()) out["impulses"] = impulses;
}

Json json_of(const std::vector<ExplainedCondition>& conditions) {
  Json out = Json::array();
  for (const ExplainedCondition& condition : conditions) {
    Json one = {{"text", condition.text}};
    if (!condition.numbers.empty()) one["numbers"] = condition.numbers;
    one["holds"] = condition.holds;
    one["by"] = by_name(condition.by);
    if (!condition.decided.empty()) {
      one["decided"] = condition.decided;
      one["decisive"] = number(condition.decisive);
    }
    add_values(condition.values, one);
    if (!condition.because.empty()) one["because"] = json_of(condition.because);
    out.push_back(one);
  }
  return out;
}

const char* name_of(EnergyEntry::Kind kind) {
  switch (kind) {
    case EnergyEntry::Kind::Store:
      return "stored";
    case EnergyEntry::Kind::Source:
      return "delivered";
    default:
      return "dissipated";
  }
}

Json json_of(const std::vector<ExplainedMove>& moves, const Sources& sources) {
  Json out = Json::array();
  for (const ExplainedMove& move : moves) {
    Json one = {{"automaton", move.automaton},
                {"from", move.from},
                {"to", move.to},
                {"kind", kind_name(move.kind)},
                {"guard", move.guard}};
    if (move.place.known()) {
      one["file"] = sources.file(move.place.file).name;
      one["line"] = sources.position(move.place.file, move.place.begin).line;
    }
    one["conditions"] = json_of(move.conditions);
    if (!move.sets.empty()) {
      Json sets;
      add_values(move.sets, sets);
      one["sets"] = sets["values"];
    }
    out.push_back(one);
  }
  return out;
}

Json json_of(const std::vector<ExplainedEnergy>& entries) {
  Json out = Json::array();
  for (const ExplainedEnergy& entry : entries) {
    Json one = {
        {"name", entry.name}, {"kind", name_of(entry.kind)}, {"amount", number(entry.amount)}};
    if (entry.kind == EnergyEntry::Kind::Store) {
      one["before"] = number(entry.before);
      one["after"] = number(entry.after);
    }
    out.push_back(one);
  }
  return out;
}

Json json_of(const ExplainedStep& step, const Sources& sources) {
  Json modes = Json::object(), events = Json::array(), jumps = Json::array();
  Json impulses = Json::array(), relations = Json::array();
  for (const auto& [automaton, state] : step.modes) modes[automaton] = state;
  for (const ExplainedEvent& event : step.events) {
    events.push_back({{"name", event.name},
                      {"value", event.value ? number(event.value->finite) : Json(nullptr)}});
  }
  for (const ExplainedJump& jump : step.jumps) {
    jumps.push_back({{"name", jump.name},
                     {"before", number(jump.before)},
                     {"after", number(jump.after)},
                     {"cause", cause_name(jump.cause)}});
  }
  for (const ExplainedImpulse& impulse : step.impulses) {
    impulses.push_back(
        {{"bond", impulse.bond}, {"p", number(impulse.p)}, {"q", number(impulse.q)}});
  }
  for (const ExplainedRelation& relation : step.relations) {
    relations.push_back({{"text", relation.text}, {"numbers", relation.numbers}});
  }
  Json out = {{"eps", step.at.eps},
              {"step", step.at.step},
              {"kind", to_string(step.kind)},
              {"modes", modes},
              {"moves", json_of(step.moves, sources)},
              {"events", events}};
  add_values(step.values, out);
  if (!step.unknown.empty()) out["unknown"] = step.unknown;
  out["jumps"] = jumps;
  out["bonds"] = impulses;
  out["relations"] = relations;
  out["committed"] = step.committed;
  out["strained"] = step.strained;
  out["strains"] = strains_json(step.strains);
  if (!step.slides.empty()) out["slides"] = slides_json(step.slides);
  out["begins_over"] = step.begins_over;
  if (!step.shared.empty()) out["shared"] = step.shared;
  out["energy"] = json_of(step.energy);
  return out;
}

}  // namespace

std::string explanation_json(const Explanation& told, const Sources& sources) {
  Json out = {{"model", told.model}, {"asked", number(told.asked)}, {"found", told.found}};
  if (told.found) {
    Json steps = Json::array();
    for (const ExplainedStep& step : told.steps) steps.push_back(json_of(step, sources));
    out["t"] = number(told.t);
    out["exact"] = told.exact;
    out["causes"] = told.causes;
    out["steps"] = steps;
    if (!told.unfinished.empty()) out["unfinished"] = json_of(told.unfinished, sources);
    out["energy"] = json_of(told.energy);
    out["stored_before"] = number(told.stored_before);
    out["stored_after"] = number(told.stored_after);
    out["balance"] = number(told.balance);
    out["next"] = told.next ? number(*told.next) : Json(nullptr);
  } else {
    Json events = Json::array();
    for (double t : told.events) events.push_back(number(t));
    out["events"] = events;
  }
  if (told.ended) {
    out["ending"] = to_string(told.outcome.ending);
    out["diagnostics"] = Json::parse(render_json(told.outcome.diagnostics, sources));
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cradle::text
