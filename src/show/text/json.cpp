#include "show/text/json.hpp"

#include <cmath>
#include <ostream>
#include <utility>

#include "show/text/json_parts.hpp"

namespace cradle::text {
namespace {

// JSON has no infinities, and its reader takes 1 for an integer.
void append_json_number(std::string& text, double value) {
  if (!std::isfinite(value)) {
    text += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  const std::size_t begin = text.size();
  append_number(text, value);
  if (text.find_first_of(".e", begin) == std::string::npos) text += ".0";
}

std::string key(const std::string& name) { return dump(name) + ':'; }

}  // namespace

JsonRows::JsonRows(const RowLayout& layout) {
  for (const std::string& name : layout.automata) automata_.push_back(key(name));
  for (const std::string& name : layout.columns) columns_.push_back(key(name));
  for (const auto& names : layout.states) {
    std::vector<std::string>& states = states_.emplace_back();
    for (const std::string& name : names) states.push_back(dump(name));
  }
}

void JsonRows::append(const RowView& row, std::string& text) const {
  text += "{\"t\":";
  append_json_number(text, row.at.t);
  text += ",\"eps\":";
  append_integer(text, row.at.eps);
  text += ",\"step\":";
  append_integer(text, row.at.step);
  text += ",\"kind\":\"";
  text += to_string(row.kind);
  text += "\",\"modes\":{";
  for (std::size_t a = 0; a < automata_.size(); ++a) {
    if (a > 0) text += ',';
    text += automata_[a];
    text += states_[a][static_cast<std::size_t>(row.states[a])];
  }
  text += "},\"values\":{";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) text += ',';
    text += columns_[c];
    if (row.presence[c] == Presence::Present) {
      append_json_number(text, row.finite[c]);
    } else {
      text += row.presence[c] == Presence::Unknown ? "\"unknown\"" : "null";
    }
  }
  text += "},\"impulses\":{";
  bool any = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (row.impulses[c] == 0) continue;
    if (std::exchange(any, true)) text += ',';
    text += columns_[c];
    append_json_number(text, row.impulses[c]);
  }
  text += '}';
  if (row.strained) text += ",\"strained\":true";
  append_shared(row, text);
  text += '}';
}

void JsonRows::append_shared(const RowView& row, std::string& text) const {
  if (row.shared.empty()) return;
  text += ",\"shared\":[";
  for (std::size_t i = 0; i < row.shared.size(); ++i) {
    if (i > 0) text += ',';
    text += std::string_view(columns_[row.shared[i]]).substr(0, columns_[row.shared[i]].size() - 1);
  }
  text += ']';
}

RunJsonWriter::RunJsonWriter(std::string model, std::optional<double> until, Bytes out, Begun begun)
    : out_(std::move(out)), begun_(begun) {
  head_ =
      "{\"model\":" + dump(model) + ",\n\"until\":" + dump(until ? number(*until) : Json(nullptr));
}

void RunJsonWriter::begin(const RowLayout& layout) {
  rows_ = JsonRows(layout);
  if (begun_ != Begun::No) return;
  begun_ = Begun::Head;
  out_(head_ + ",\n\"columns\":" + dump(layout.columns) + ",\n\"rows\":[");
}

void RunJsonWriter::take(std::span<const RowView> rows) {
  text_.clear();
  for (const RowView& row : rows) {
    text_ += std::exchange(begun_, Begun::Rows) == Begun::Rows ? ",\n" : "\n";
    rows_.append(row, text_);
  }
  out_(text_);
}

void RunJsonWriter::finish() { out_("\n]"); }

void RunJsonWriter::complete(const RunResult& run, const std::string& diagnostics_json) {
  out_(",\n\"outcome\":" + dump(outcome_json(run.outcome)) +
       ",\n\"audit\":" + dump(run.audit ? audit_json(*run.audit) : Json(nullptr)) +
       ",\n\"statistics\":" + dump(statistics_json(run.statistics)) +
       ",\n\"diagnostics\":" + diagnostics_json + "}\n");
}

void InstantsJsonWriter::begin(const RowLayout& layout) {
  rows_ = JsonRows(layout);
  out_("[");
}

void InstantsJsonWriter::take(std::span<const RowView> rows) {
  for (const RowView& row : rows) {
    if (row.kind == RowKind::Evolving) continue;
    const NearestInstant::Verdict verdict = nearest_.meet(row.at.t);
    if (verdict == NearestInstant::Verdict::Farther) continue;
    if (verdict == NearestInstant::Verdict::Nearer) {
      text_.clear();
      any_ = false;
    }
    text_ += std::exchange(any_, true) ? ",\n" : "\n";
    rows_.append(row, text_);
  }
  if (!nearest_.takes_all()) return;
  out_(text_);
  text_.clear();
}

void InstantsJsonWriter::finish() {
  if (nearest_.is_near()) out_(text_);
  out_("\n]\n");
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
