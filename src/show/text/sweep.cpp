#include "show/text/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "show/text/csv.hpp"
#include "show/text/table.hpp"

namespace cradle::text {

std::string sweep_csv_head(const Sweep& sweep) {
  std::string out = "run";
  for (const std::string& name : sweep.names) out += ',' + csv_field(name);
  for (const std::string& measure : sweep.measures) out += ',' + csv_field(measure);
  return out + ",ending,why\n";
}

std::string sweep_csv_line(std::size_t index, const SweepRun& run) {
  std::string out = std::to_string(index + 1);
  for (const double value : run.values) out += ',' + format_number(value);
  for (const auto& measure : run.measures) out += ',' + (measure ? format_number(*measure) : "");
  return out + ',' + to_string(run.ending) + ',' + csv_field(run.why) + '\n';
}

std::string sweep_json(const std::string& model, const Sweep& sweep, const std::string& picture) {
  using nlohmann::json;
  const auto number = [](std::optional<double> value) {
    return value && std::isfinite(*value) ? json(*value) : json();
  };
  json runs = json::array();
  for (const std::optional<SweepRun>& run : sweep.runs) {
    if (!run) {
      runs.push_back(nullptr);
      continue;
    }
    json values = json::array(), measures = json::array();
    for (const double value : run->values) values.push_back(number(value));
    for (const auto& measure : run->measures) measures.push_back(number(measure));
    runs.push_back({{"values", std::move(values)},
                    {"measures", std::move(measures)},
                    {"ending", to_string(run->ending)},
                    {"why", run->why}});
  }
  const json out = {{"format", "cradle-sweep"},
                    {"model", model},
                    {"names", sweep.names},
                    {"measures", sweep.measures},
                    {"complete", sweep.complete()},
                    {"runs", std::move(runs)},
                    {"picture", picture}};
  // What is not UTF-8 in the user's words becomes a replacement character.
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

namespace {

constexpr std::size_t kShownRuns = 20;  // of many: half of them from each end

std::vector<std::string> cells_of_run(std::size_t index, const SweepRun& run) {
  constexpr int kDigits = 6;
  std::vector<std::string> cells = {std::to_string(index + 1)};
  for (const double value : run.values) cells.push_back(short_number(value, kDigits));
  for (const auto& measure : run.measures) {
    cells.push_back(measure ? short_number(*measure, kDigits) : "–");
  }
  cells.push_back(run.ending == Ending::Finished && run.why.empty()
                      ? ""
                      : std::string(to_string(run.ending)) +
                            (run.why.empty() ? "" : ": " + printable(run.why)));
  return cells;
}

std::string runs_of(const Sweep& sweep) {
  Table table;
  table.add_column("run", Table::Align::Right);
  for (const std::string& name : sweep.names) table.add_column(name, Table::Align::Right);
  for (const std::string& measure : sweep.measures) {
    table.add_column(printable(measure), Table::Align::Right);
  }
  const bool troubled = std::any_of(sweep.runs.begin(), sweep.runs.end(), [](const auto& run) {
    return run && (run->ending != Ending::Finished || !run->why.empty());
  });
  if (troubled) table.add_column("", Table::Align::Left);
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
    if (sweep.runs[i]) done.push_back(i);
  }
  for (std::size_t k = 0; k < done.size(); ++k) {
    const bool hidden =
        done.size() > kShownRuns && k >= kShownRuns / 2 && k + kShownRuns / 2 < done.size();
    if (hidden && k != kShownRuns / 2) continue;
    std::vector<std::string> cells = cells_of_run(done[k], *sweep.runs[done[k]]);
    if (hidden) std::fill(cells.begin(), cells.end(), "…");
    if (!troubled) cells.pop_back();
    table.add_row(std::move(cells));
  }
  return table.text();
}

// Least, mean, standard deviation and largest, and where the extremes are.
std::string measures_of(const Sweep& sweep) {
  Table table;
  table.add_column("measure", Table::Align::Left);
  for (const char* name : {"least", "in run", "mean", "deviation", "largest", "in run"}) {
    table.add_column(name, Table::Align::Right);
  }
  constexpr int kDigits = 6;
  for (std::size_t m = 0; m < sweep.measures.size(); ++m) {
    double sum = 0, count = 0;
    std::optional<std::size_t> least, largest;
    const auto value = [&](std::size_t i) { return *sweep.runs[i]->measures[m]; };
    for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
      if (!sweep.runs[i] || !sweep.runs[i]->measures[m]) continue;
      if (!least || value(i) < value(*least)) least = i;
      if (!largest || value(i) > value(*largest)) largest = i;
      sum += value(i);
      ++count;
    }
    if (!least) continue;
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
      if (!sweep.runs[i] || !sweep.runs[i]->measures[m]) continue;
      squares += (value(i) - mean) * (value(i) - mean);
    }
    table.add_row({printable(sweep.measures[m]), short_number(value(*least), kDigits),
                   std::to_string(*least + 1), short_number(mean, kDigits),
                   count > 1 ? short_number(std::sqrt(squares / (count - 1)), kDigits) : "–",
                   short_number(value(*largest), kDigits), std::to_string(*largest + 1)});
  }
  return table.text();
}

}  // namespace

std::string sweep_table(const std::string& model, const Sweep& sweep) {
  std::size_t done = 0, finished = 0;
  for (const auto& run : sweep.runs) {
    if (run) ++done;
    if (run && run->ending == Ending::Finished) ++finished;
  }
  std::string out = fmt::format("{}: {} of {} runs", printable(model), done, sweep.runs.size());
  if (finished < done) out += fmt::format(", {} ended early", done - finished);
  return out + "\n\n" + runs_of(sweep) + "\n" + measures_of(sweep);
}

}  // namespace cradle::text
