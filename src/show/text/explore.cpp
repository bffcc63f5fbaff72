#include "show/text/explore.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "show/text/json_parts.hpp"
#include "show/text/table.hpp"

namespace cradle::text {
namespace {

constexpr std::size_t kMaxLines = 200;
constexpr std::size_t kMaxOutcomes = 50;

class Tree {
 public:
  explicit Tree(const Exploration& exploration) : exploration_(exploration) {}

  std::string text() {
    if (!exploration_.choices.empty()) node(0, "", "");
    if (lines_ > kMaxLines) text_ += fmt::format("… {} more lines\n", lines_ - kMaxLines);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) {
    if (++lines_ <= kMaxLines) text_ += text + "\n";
  }

  void node(int index, const std::string& first, const std::string& rest) {
    const ExploredChoice& choice = exploration_.choices[static_cast<std::size_t>(index)];
    const std::string what = fmt::format("{} {}", short_instant(choice.at), choice.name);
    if (!shown_.insert(index).second) return line(first + what + " (as above)");
    line(first + what);
    for (std::size_t i = 0; i < choice.next.size(); ++i) {
      const bool last = i + 1 == choice.next.size();
      const std::string label = choice.alternatives[i] + ": ";
      const std::string branch = fmt::format("{}{}{}", rest, last ? "└─ " : "├─ ", label);
      const std::string below = rest + (last ? "   " : "│  ");
      const int next = choice.next[i];
      if (next == INT32_MIN) {
        line(branch + "not explored");
      } else if (next < 0) {
        const auto& outcome = exploration_.outcomes[static_cast<std::size_t>(-1 - next)].outcome;
        line(branch + fmt::format("{} {}", outcome.finished() ? "answer" : "broken off", -next));
      } else {
        node(next, branch, below);
      }
    }
  }

  const Exploration& exploration_;
  std::string text_;
  std::size_t lines_ = 0;
  std::set<int> shown_;
};

std::string outcome_text(std::size_t index, const ExploredOutcome& outcome) {
  std::string text =
      fmt::format("answer {}: probability {}, {} path{}, {} at {}\n", index + 1,
                  short_number(outcome.probability), outcome.paths, outcome.paths == 1 ? "" : "s",
                  to_string(outcome.outcome.ending), short_instant(outcome.outcome.at));
  for (const auto& [automaton, state] : outcome.modes)
    text += fmt::format("  {} {}\n", automaton, state);
  for (const auto& [name, value] : outcome.values) {
    text += "  " + name + (value ? " = " + short_number(value->finite) : " absent") + "\n";
  }
  return text;
}

std::string violation_text(const Violation& violation) {
  const std::string what = (violation.message.empty() ? violation.assertion : violation.message) +
                           (violation.inside.empty() ? "" : " in " + violation.inside);
  const std::string at = short_instant(violation.at);
  if (violation.undecided) return fmt::format("\nnobody can tell from {} on: {}\n", at, what);
  return fmt::format("\nsome run violates at {}: {}{}\n", at, what,
                     violation.values.empty() ? "" : " (" + violation.values + ")");
}

}  // namespace

std::string exploration_text(const std::string& model, const Exploration& exploration) {
  const std::size_t count = exploration.outcomes.size(), answers = exploration.answers();
  std::string text =
      fmt::format("{}: {} right answer{}{}{}\n", model, answers, answers == 1 ? "" : "s",
                  count > answers ? fmt::format(", {} broken off", count - answers) : "",
                  exploration.complete ? "" : " so far (not all choices explored)");
  text += fmt::format("{} choice{}, {} run{}, {} equal state{} merged\n",
                      exploration.choices.size(), exploration.choices.size() == 1 ? "" : "s",
                      exploration.runs, exploration.runs == 1 ? "" : "s", exploration.merged,
                      exploration.merged == 1 ? "" : "s");
  if (!exploration.choices.empty()) text += "\n" + Tree(exploration).text();
  for (const Violation& violation : exploration.violations) text += violation_text(violation);
  for (std::size_t i = 0; i < count && i < kMaxOutcomes; ++i) {
    text += "\n" + outcome_text(i, exploration.outcomes[i]);
  }
  if (count > kMaxOutcomes) text += fmt::format("\n… {} more answers\n", count - kMaxOutcomes);
  return text;
}

std::string exploration_json(const std::string& model, const Exploration& exploration) {
  using Json = nlohmann::ordered_json;
  Json choices = Json::array(), outcomes = Json::array();
  for (const ExploredChoice& choice : exploration.choices) {
    Json branches = Json::array();
    for (std::size_t i = 0; i < choice.next.size(); ++i) {
      const int next = choice.next[i];
      Json branch = {{"alternative", choice.alternatives[i]}};
      if (next == INT32_MIN) {
        branch["explored"] = false;
      } else if (next < 0) {
        branch["outcome"] = -1 - next;
      } else {
        branch["choice"] = next;
      }
      branches.push_back(branch);
    }
    choices.push_back({{"t", choice.at.t},
                       {"eps", choice.at.eps},
                       {"step", choice.at.step},
                       {"name", choice.name},
                       {"probability", choice.probability},
                       {"branches", branches}});
  }
  for (const ExploredOutcome& outcome : exploration.outcomes) {
    Json values = Json::object(), modes = Json::object();
    for (const auto& [name, value] : outcome.values) {
      values[name] = value ? Json(value->finite) : Json(nullptr);
    }
    for (const auto& [name, state] : outcome.modes) modes[name] = state;
    outcomes.push_back({{"ending", to_string(outcome.outcome.ending)},
                        {"t", outcome.outcome.at.t},
                        {"probability", outcome.probability},
                        {"paths", outcome.paths},
                        {"decisions", outcome.decisions},
                        {"modes", modes},
                        {"values", values}});
  }
  Json violations = Json::array();
  for (const Violation& violation : exploration.violations) {
    violations.push_back(violation_json(violation));
  }
  const Json all = {{"model", model},
                    {"answers", exploration.answers()},
                    {"complete", exploration.complete},
                    {"runs", exploration.runs},
                    {"merged", exploration.merged},
                    {"choices", choices},
                    {"outcomes", outcomes},
                    {"violations", violations}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cradle::text
