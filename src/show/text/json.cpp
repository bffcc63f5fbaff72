#include "show/text/json.hpp"

#include <numeric>
#include <ostream>

#include "show/text/json_parts.hpp"

namespace cradle::text {
namespace {

// Writes rows one per line as they are made, so that a long run is never in memory twice. Keys are
// escaped once; objects of the JSON library would search for each key in turn.
class RowWriter {
 public:
  explicit RowWriter(const Trajectory& trajectory) : trajectory_(trajectory) {
    for (const auto& name : trajectory.automata()) automata_.push_back(dump(name) + ':');
    for (const auto& name : trajectory.columns()) columns_.push_back(dump(name) + ':');
  }

  void write(const std::vector<std::size_t>& rows, std::ostream& out) {
    out << '[';
    for (std::size_t i = 0; i < rows.size(); ++i) {
      line_ = i == 0 ? "\n" : ",\n";
      add_row(rows[i]);
      out << line_;
    }
    out << "\n]";
  }

 private:
  void add_row(std::size_t row) {
    const Instant instant = trajectory_.instant(row);
    line_ += "{\"t\":" + dump(number(instant.t));
    line_ += ",\"eps\":" + std::to_string(instant.eps);
    line_ += ",\"step\":" + std::to_string(instant.step);
    line_ += std::string(",\"kind\":\"") + to_string(trajectory_.kind(row)) + "\",\"modes\":{";
    for (std::size_t a = 0; a < automata_.size(); ++a) {
      line_ += (a == 0 ? "" : ",") + automata_[a] + dump(trajectory_.mode(row, a));
    }
    line_ += "},\"values\":{";
    std::string impulses;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto value = trajectory_.value(row, c);
      const char* nothing = trajectory_.is_unknown(row, c) ? "\"unknown\"" : "null";
      line_ += (c == 0 ? "" : ",") + columns_[c] + (value ? dump(number(value->finite)) : nothing);
      if (value && value->impulse != 0) {
        impulses += (impulses.empty() ? "" : ",") + columns_[c] + dump(number(value->impulse));
      }
    }
    line_ += "},\"impulses\":{" + impulses + "}}";
  }

  const Trajectory& trajectory_;
  std::vector<std::string> automata_, columns_;  // as keys
  std::string line_;
};

}  // namespace

void write_instants_json(const Trajectory& trajectory, const std::vector<std::size_t>& rows,
                         std::ostream& out) {
  RowWriter(trajectory).write(rows, out);
  out << '\n';
}

void write_run_json(const RunResult& run, const std::string& diagnostics_json, std::ostream& out) {
  out << "{\"model\":" << dump(run.model);
  out << ",\n\"until\":" << dump(run.until ? number(*run.until) : Json(nullptr));
  out << ",\n\"outcome\":" << dump(outcome_json(run.outcome));
  out << ",\n\"columns\":" << dump(run.trajectory.columns());
  out << ",\n\"rows\":";
  std::vector<std::size_t> rows(run.trajectory.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  RowWriter(run.trajectory).write(rows, out);
  out << ",\n\"audit\":" << dump(run.audit ? audit_json(*run.audit) : Json(nullptr));
  out << ",\n\"statistics\":" << dump(statistics_json(run.statistics));
  out << ",\n\"diagnostics\":" << diagnostics_json << "}\n";
}

void write_reduction_json(const std::string& model, const Reduction& reduction, std::ostream& out) {
  Json steps = Json::array(), names = Json::object();
  for (const ReductionStep& step : reduction.steps) {
    steps.push_back({{"rule", step.rule}, {"what", step.what}, {"why", step.why}});
  }
  for (const auto& [name, now] : reduction.names) names[name] = now;
  const Json all = {{"model", model}, {"steps", steps}, {"names", names}, {"text", reduction.text}};
  out << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void write_checks_json(const std::vector<CheckedFile>& files, std::ostream& out) {
  out << '[';
  for (std::size_t i = 0; i < files.size(); ++i) {
    out << (i == 0 ? "\n" : ",\n") << "{\"file\":" << dump(files[i].file)
        << ",\"ok\":" << (files[i].ok ? "true" : "false")
        << ",\"diagnostics\":" << files[i].diagnostics_json << '}';
  }
  out << "\n]\n";
}

}  // namespace cradle::text
