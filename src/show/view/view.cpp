#include "cradle/view.hpp"

#include <algorithm>
#include <limits>
#include <ostream>

#include "api/columns.hpp"
#include "cradle/plot.hpp"
#include "show/plot/picture.hpp"
#include "show/view/animation.hpp"
#include "show/view/describe.hpp"
#include "show/view/events.hpp"
#include "show/view/graph.hpp"
#include "show/view/instants.hpp"
#include "show/view/pack.hpp"
#include "show/view/text.hpp"

namespace cradle {
namespace view {
namespace {

using text::Json;
using text::number;

Json settings_json(const Model::Impl& model) {
  Json out = Json::array();
  for (const Setting& setting : model.settings) {
    out.push_back({{"name", setting.name}, {"value", setting.value}});
  }
  return out;
}

// Recorded for the animation only.
bool is_hidden(const std::string& column) { return column.starts_with("animate."); }

// Writes the view piece by piece: a long list is in memory once, as numbers, and never as text.
class Writer {
 public:
  Writer(const Model& model, const Simulation& run, std::ostream& out)
      : model_(model),
        run_(run),
        rows_(run.trajectory()),
        out_(out),
        events_(find_events(rows_)),
        told_(tell(run, model.sources(), events_)) {}

  void write(const ViewOptions& options) {
    const Model::Impl& impl = model_.impl();
    const Outcome& outcome = run_.outcome();
    const std::optional<double> until =
        run_.options().until ? run_.options().until : model_.until();
    std::vector<Diagnostic> diagnostics = model_.diagnostics();
    diagnostics.insert(diagnostics.end(), outcome.diagnostics.begin(), outcome.diagnostics.end());

    out_ << "{\"format\":\"cradle-view\",\"version\":1";
    member("cradle", version());
    member("model", model_.name());
    member("file", impl.file().name);
    member("command", options.command);
    member("settings", settings_json(impl));
    member("parameters", parameters_json(impl));
    member("sources", sources_json(model_.sources()));
    member("outcome", text::outcome_json(outcome));
    member("until", until ? number(*until) : Json(nullptr));
    member("from", number(rows_.size() > 0 ? rows_.instant(0).t : 0));
    member("diagnostics", diagnostics_json(std::move(diagnostics), model_.sources()));
    member("statistics", text::statistics_json(run_.statistics()));
    member("audit", run_.options().audit ? text::audit_json(run_.audit()) : Json(nullptr));
    rows();
    stretches();
    list("columns", rows_.columns().size(), [&](std::size_t c) { column(c); });
    list("automata", rows_.automata().size(), [&](std::size_t a) { automaton(a); });
    panels();
    events();
    key("instants");
    pack_json(told_.json, out_);
    member("instants_told", told_.count);
    key("graph");
    write_graph(model_, run_, out_);
    member("animation", animation_json(model_.animation(), rows_));
    out_ << '}';
  }

 private:
  void key(const char* name) { out_ << ",\"" << name << "\":"; }
  void member(const char* name, const Json& value) {
    key(name);
    out_ << text_of(value);
  }
  template <class Each>
  void list(const char* name, std::size_t size, const Each& each) {
    key(name);
    out_ << '[';
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) out_ << ',';
      each(i);
    }
    out_ << ']';
  }
  template <class T>
  void packed(const char* name, const std::vector<T>& values) {
    key(name);
    pack(values, out_);
  }
  template <class T, class Value>
  std::vector<T> by_row(const Value& value) const {
    std::vector<T> out(rows_.size());
    for (std::size_t row = 0; row < out.size(); ++row) out[row] = static_cast<T>(value(row));
    return out;
  }

  void rows() {
    key("rows");
    out_ << "{\"count\":" << rows_.size();
    for (const Diagnostic& diagnostic : run_.outcome().diagnostics) {
      if (diagnostic.kind == "run.rows") member("cut", diagnostic.message);
    }
    packed("t", by_row<double>([&](std::size_t row) { return rows_.instant(row).t; }));
    packed("eps", by_row<int32_t>([&](std::size_t row) { return rows_.instant(row).eps; }));
    packed("step", by_row<int32_t>([&](std::size_t row) { return rows_.instant(row).step; }));
    packed("kind", by_row<uint8_t>([&](std::size_t row) { return rows_.kind(row); }));
    packed("tried", by_row<uint8_t>([&](std::size_t row) { return rows_.is_tried(row); }));
    Json strained = Json::array();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_.is_strained(row)) strained.push_back(row);
    }
    if (!strained.empty()) member("strained", strained);
    Json kinds = Json::array();
    for (int kind = 0; kind <= static_cast<int>(RowKind::Undecided); ++kind) {
      kinds.push_back(to_string(static_cast<RowKind>(kind)));
    }
    member("kinds", kinds);
    out_ << '}';
  }

  void stretches() {
    if (rows_.stretches() == 0) return;
    const auto begins = rows_.stretch_begins(), ends = rows_.stretch_ends();
    key("stretches");
    out_ << "{\"begin\":";
    pack(std::vector(begins.begin(), begins.end()), out_);
    packed("end", std::vector(ends.begin(), ends.end()));
    out_ << '}';
  }

  void curve(std::size_t c) {
    if (rows_.stretches() == 0 || is_hidden(rows_.columns()[c])) return;
    constexpr uint8_t kNoCurve = 255;
    std::vector<uint8_t> degrees;
    std::vector<double> coefficients;
    for (std::size_t i = 0; i < rows_.stretches(); ++i) {
      const std::span<const double> series = rows_.curve(i, c);
      degrees.push_back(series.empty() ? kNoCurve : static_cast<uint8_t>(series.size() - 1));
      coefficients.insert(coefficients.end(), series.begin(), series.end());
    }
    out_ << ",\"curve\":{\"degrees\":";
    pack(degrees, out_);
    packed("coefficients", coefficients);
    out_ << '}';
  }

  void column(std::size_t c) {
    std::vector<double> values(rows_.size()), weights;
    std::vector<uint32_t> absent, struck;
    std::vector<std::size_t> unknown;
    for (std::size_t row = 0; row < values.size(); ++row) {
      const std::optional<Number> value = rows_.value(row, c);
      values[row] = value ? value->finite : std::numeric_limits<double>::quiet_NaN();
      if (!value && rows_.is_unknown(row, c)) {
        unknown.push_back(row);
      } else if (!value) {
        absent.push_back(static_cast<uint32_t>(row));
      } else if (value->impulse != 0) {
        struck.push_back(static_cast<uint32_t>(row));
        weights.push_back(value->impulse);
      }
    }
    out_ << "{\"name\":" << text_of(rows_.columns()[c]);
    member("hidden", is_hidden(rows_.columns()[c]));
    const RowLayout& layout = rows_.layout();
    if (c < layout.units.size() && !layout.units[c].empty()) member("unit", layout.units[c]);
    if (layout.is_truth(c)) member("truth", true);
    packed("values", values);
    if (!absent.empty()) packed("absent", absent);
    if (!unknown.empty()) member("unknown", unknown);
    if (!struck.empty()) {
      out_ << ",\"impulses\":{\"rows\":";
      pack(struck, out_);
      packed("weights", weights);
      out_ << '}';
    }
    curve(c);
    out_ << '}';
  }

  void automaton(std::size_t a) {
    std::vector<uint32_t> from;
    std::vector<int32_t> state;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const int32_t now = rows_.state(row, a);
      if (!state.empty() && state.back() == now) continue;
      from.push_back(static_cast<uint32_t>(row));
      state.push_back(now);
    }
    const model::Automaton& automaton = model_.impl().flat().automata[AutomatonId(a)];
    out_ << "{\"name\":" << text_of(automaton.name);
    member("states", automaton.states);
    member("active", automaton.modal ? Json(nullptr) : Json(automaton.active));
    packed("rows", from);
    packed("state", state);
    out_ << '}';
  }

  void panels() {
    std::vector<std::size_t> shown;
    for (std::size_t c = 0; c < rows_.columns().size(); ++c) {
      const bool curve = !is_hidden(rows_.columns()[c]) && !rows_.layout().is_truth(c);
      if (curve) shown.push_back(c);
    }
    member("panels", plot::panels_of(rows_, shown));
  }

  void events() {
    list("events", events_.size(), [&](std::size_t i) {
      const Event& event = events_[i];
      out_ << "{\"t\":" << text_of(number(rows_.instant(event.first).t))
           << ",\"first\":" << event.first << ",\"last\":" << event.last;
      member("told", told_.by_event[i] ? Json(*told_.by_event[i]) : Json(nullptr));
      out_ << '}';
    });
  }

  const Model& model_;
  const Simulation& run_;
  const Trajectory& rows_;
  std::ostream& out_;
  std::vector<Event> events_;
  Told told_;
};

constexpr int64_t kMostPowers = 4'000'000;
constexpr int64_t kMostInstants = 2000;

std::size_t columns_recorded(const Model& model, const Options& options) {
  const std::shared_ptr<const Model::Impl> impl = api::model_for(model, options);
  return api::columns_for(*impl->plan, options).size() +
         api::drawn_columns(*impl->plan, options).size();
}

}  // namespace
}  // namespace view

Options options_for_view(const Model& model, Options options) {
  options = options_for_plot(model, std::move(options));
  options.record_animation = true;
  // What is drawn, and the powers of bonds, have no curves and are read off rows.
  constexpr double kPoints = 4000;
  const double until = options.until ? *options.until : model.until().value_or(0);
  if (options.every <= 0 && until > 0) options.every = until / kPoints;
  if (options.max_rows > 0) {
    options.room_for_steps = 0;  // who says how much knows how much
  } else {
    // A page can hold what is room for, with time and modes; events that need more end the run.
    const std::size_t columns = view::columns_recorded(model, options) + 1;
    options.max_rows = options.room_for_steps / static_cast<int64_t>(columns);
  }
  options.record_bonds = view::is_drawn(model) ? view::kMostPowers : 0;
  options.tell_instants = view::kMostInstants;
  return options;
}

void write_view(const Model& model, const Simulation& run, const ViewOptions& options,
                std::ostream& out) {
  view::Writer(model, run, out).write(options);
}

void write_diagnostics_view(const Model& model, std::ostream& out) {
  out << "{\"diagnostics\":"
      << view::text_of(view::diagnostics_json(model.diagnostics(), model.sources())) << "}\n";
}

void write_check_view(const Model& model, const std::vector<Diagnostic>& found, std::ostream& out) {
  const Model::Impl& impl = model.impl();
  const bool sound = std::none_of(found.begin(), found.end(), [](const Diagnostic& d) {
    return d.severity == Severity::Error;
  });
  text::Json json = {{"file", impl.file().name},
                     {"ok", model.ok() && sound},
                     {"model", nullptr},
                     {"diagnostics", view::diagnostics_json(found, model.sources())},
                     {"names", text::Json::array()},
                     {"parameters", text::Json::array()},
                     {"until", nullptr}};
  if (model.ok()) {
    json["model"] = model.name();
    json["names"] = view::names_json(impl.flat());
    json["parameters"] = view::parameters_json(impl);
    if (model.until()) json["until"] = text::number(*model.until());
  }
  out << text::dump(json);
}

}  // namespace cradle
