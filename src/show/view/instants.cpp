#include "show/view/instants.hpp"

#include <algorithm>

#include "show/text/json_parts.hpp"

namespace cradle::view {
namespace {

using text::Json;
using text::number;

template <class List, class Each>
Json array_of(const List& list, const Each& each) {
  Json out = Json::array();
  for (const auto& item : list) out.push_back(each(item));
  return out;
}

Json named(const std::string& name, const std::optional<Number>& value) {
  Json out = {{"name", name}, {"value", value ? number(value->finite) : Json(nullptr)}};
  if (value && value->impulse != 0) out["impulse"] = number(value->impulse);
  return out;
}

Json values_json(const std::vector<NamedValue>& values) {
  return array_of(values, [](const NamedValue& v) { return named(v.first, v.second); });
}

Json condition_json(const ExplainedCondition& condition) {
  return {{"text", condition.text},
          {"numbers", condition.numbers},
          {"holds", condition.holds},
          {"by", text::by_name(condition.by)},
          {"decided", condition.decided},
          {"values", values_json(condition.values)},
          {"because", array_of(condition.because, condition_json)}};
}

Json move_json(const ExplainedMove& move, const Sources& sources) {
  Json out = {{"kind", text::kind_name(move.kind)},
              {"automaton", move.automaton},
              {"from", move.from},
              {"to", move.to},
              {"guard", move.guard}};
  if (move.place.known()) {
    out["place"] = {{"file", sources.file(move.place.file).name},
                    {"line", sources.position(move.place.file, move.place.begin).line}};
  }
  out["conditions"] = array_of(move.conditions, condition_json);
  out["sets"] = values_json(move.sets);
  out["history"] = move.history;
  return out;
}

Json moves_json(const std::vector<ExplainedMove>& moves, const Sources& sources) {
  return array_of(moves, [&](const ExplainedMove& move) { return move_json(move, sources); });
}

Json energy_json(const std::vector<ExplainedEnergy>& entries) {
  return array_of(entries, [](const ExplainedEnergy& entry) {
    Json out = {{"name", entry.name},
                {"kind", text::kind_name(entry.kind)},
                {"amount", number(entry.amount)}};
    if (entry.kind == EnergyEntry::Kind::Store) {
      out["before"] = number(entry.before);
      out["after"] = number(entry.after);
    }
    return out;
  });
}

Json step_json(const ExplainedStep& step, const Sources& sources) {
  return {
      {"row", step.row},
      {"moves", moves_json(step.moves, sources)},
      {"events",
       array_of(step.events, [](const ExplainedEvent& e) { return named(e.name, e.value); })},
      {"jumps", array_of(step.jumps,
                         [](const ExplainedJump& jump) -> Json {
                           return {{"name", jump.name},
                                   {"before", number(jump.before)},
                                   {"after", number(jump.after)},
                                   {"cause", text::cause_name(jump.cause)}};
                         })},
      {"bonds",
       array_of(
           step.impulses,
           [](const ExplainedImpulse& impulse) -> Json {
             return {{"bond", impulse.bond}, {"p", number(impulse.p)}, {"q", number(impulse.q)}};
           })},
      {"relations", array_of(step.relations,
                             [](const ExplainedRelation& relation) -> Json {
                               return {{"text", relation.text}, {"numbers", relation.numbers}};
                             })},
      {"more_relations", step.more_relations},
      {"energy", energy_json(step.energy)},
      {"committed", step.committed},
      {"strained", step.strained},
      {"strains", array_of(step.strains, [](const ExplainedStrain& s) { return Json(s.text); })},
      {"begins_over", step.begins_over},
      {"shared", step.shared}};
}

Json instant_json(const ExplainedInstant& told, const Sources& sources) {
  return {{"t", number(told.t)},
          {"causes", told.causes},
          {"steps", array_of(told.steps,
                             [&](const ExplainedStep& step) { return step_json(step, sources); })},
          {"unfinished", moves_json(told.unfinished, sources)},
          {"energy", energy_json(told.energy)},
          {"stored_before", number(told.stored_before)},
          {"stored_after", number(told.stored_after)},
          {"balance", number(told.balance)}};
}

}  // namespace

Told tell(const Simulation& run, const Sources& sources, const std::vector<Event>& events) {
  Told out;
  out.by_event.resize(events.size());
  out.json = "[";
  for (std::size_t i = 0; i < instants_told(run); ++i) {
    const ExplainedInstant told = told_instant(run, i);
    if (told.steps.empty()) continue;
    const std::size_t row = told.steps.front().row;
    const auto event = std::lower_bound(events.begin(), events.end(), row,
                                        [](const Event& e, std::size_t r) { return e.last < r; });
    if (event == events.end() || row < event->first) continue;  // the beginning, and nothing in it
    auto& index = out.by_event[static_cast<std::size_t>(event - events.begin())];
    if (index) continue;
    index = out.count;
    out.json += (out.count++ == 0 ? "" : ",") + text::dump(instant_json(told, sources));
  }
  out.json += "]";
  return out;
}

}  // namespace cradle::view
