// A view holds the run: what is read back from its JSON is what `run --json`, `explain` and
// `causality` say of the same run, for every model of the tree.

#include "cradle/view.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "core/engine/beginning.hpp"
#include "cradle/explain.hpp"
#include "cradle/plot.hpp"
#include "show/text/explain.hpp"
#include "show/text/json.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> all_models() {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(CRADLE_ROOT "/models")) {
    if (entry.path().extension() == ".cradle") {
      out.push_back(fs::relative(entry.path(), CRADLE_ROOT "/models").string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Model load(const std::string& name, const std::vector<Setting>& settings = {}) {
  return Model::load(CRADLE_ROOT "/models/" + name, settings);
}

Options options_of(const Model& model) {
  Options options;
  options.until = beginning_of(model, 400);
  options.every = options.until.value_or(1) / 100;
  return options_for_view(model, options);
}

Json view_of(const Model& model, const Simulation& run) {
  std::ostringstream out;
  write_view(model, run, {.command = "./cradle report x"}, out);
  EXPECT_EQ(out.str().find('<'), std::string::npos) << "it could end its script";
  return Json::parse(out.str());
}

std::vector<unsigned char> bytes_of(const Json& packed) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> stream;
  uint32_t bits = 0;
  int held = 0;
  for (char c : packed.at("data").get<std::string>()) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    if ((held += 6) >= 8) stream.push_back(static_cast<unsigned char>(bits >> (held -= 8)));
  }
  const std::map<std::string, std::size_t> widths = {{"f64", 8}, {"f32", 4}, {"i32", 4},
                                                     {"u32", 4}, {"u8", 1},  {"json", 1}};
  std::vector<unsigned char> out(packed.at("length").get<std::size_t>() *
                                 widths.at(packed.at("type")));
  if (out.empty()) return out;
  uLongf size = out.size();
  EXPECT_EQ(uncompress(out.data(), &size, stream.data(), stream.size()), Z_OK);
  EXPECT_EQ(size, out.size());
  return out;
}

template <class T>
std::vector<T> unpacked(const Json& packed) {
  const std::vector<unsigned char> bytes = bytes_of(packed);
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

Json unpacked_json(const Json& packed) {
  const std::vector<unsigned char> bytes = bytes_of(packed);
  return Json::parse(bytes.begin(), bytes.end());
}

double number_of(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  return json == "inf" ? INFINITY : json == "-inf" ? -INFINITY : NAN;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class Views : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, Views, ::testing::ValuesIn(all_models()), [](const auto& info) {
  return std::regex_replace(info.param.substr(0, info.param.size() - 7), std::regex("[^a-z0-9]"),
                            "_");
});

void expect_same_column(const Json& view, const Json& rows, std::size_t c) {
  const Json& column = view.at("columns")[c];
  const std::string name = column.at("name");
  const auto values = unpacked<double>(column.at("values"));
  ASSERT_EQ(values.size(), rows.size());
  std::map<std::size_t, double> weights;
  if (column.contains("impulses")) {
    const auto at = unpacked<uint32_t>(column["impulses"]["rows"]);
    const auto weight = unpacked<double>(column["impulses"]["weights"]);
    for (std::size_t i = 0; i < at.size(); ++i) weights[at[i]] = weight[i];
  }
  std::set<std::size_t> absent, unknown;
  if (column.contains("absent")) {
    for (uint32_t row : unpacked<uint32_t>(column["absent"])) absent.insert(row);
  }
  if (column.contains("unknown")) {
    for (std::size_t row : column["unknown"]) unknown.insert(row);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Json& value = rows[row]["values"][name];
    EXPECT_EQ(value.is_null(), absent.contains(row)) << name << " in row " << row;
    EXPECT_EQ(value == "unknown", unknown.contains(row)) << name << " in row " << row;
    if (value.is_null() || value == "unknown") {
      EXPECT_TRUE(std::isnan(values[row]));
      continue;
    }
    ASSERT_TRUE(same(values[row], number_of(value))) << name << " in row " << row;
    const Json& impulses = rows[row]["impulses"];
    EXPECT_EQ(weights.contains(row), impulses.contains(name));
    if (impulses.contains(name)) {
      EXPECT_EQ(weights[row], number_of(impulses[name]));
    }
  }
}

// Two runs of one model, the second without anyone who looks on: they are the same to the bit, and
// all numbers of the view are those that `run --json` writes of the second.
// Many parts step at many times: the run goes to its end, and the page says what it leaves out.
TEST(View, OfManyPartsHasTheWholeRun) {
  const Model model = Model::load_text("many.cradle", R"(model Many {
  param N = 60
  for i in 1..N {
    x[i] = integral(y[i], 1)
    y[i] = integral(-i * x[i])
  }
  kick = event(0.5, 1)
  k = hold(kick, 0)
  until 1
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.every = 0.01;
  Simulation whole(model, options_for_view(model, options));
  whole.run();
  options.max_rows = static_cast<int64_t>(whole.trajectory().size()) / 2;
  Simulation thinned(model, options_for_view(model, options));
  thinned.run();
  EXPECT_TRUE(whole.outcome().diagnostics.empty());
  EXPECT_EQ(thinned.outcome().ending, Ending::Finished);
  ASSERT_EQ(thinned.outcome().diagnostics.size(), 1u);
  EXPECT_EQ(thinned.outcome().diagnostics[0].kind, "run.thinned");
  const Trajectory &all = whole.trajectory(), &some = thinned.trajectory();
  EXPECT_LT(some.size(), static_cast<std::size_t>(options.max_rows));
  // Every row that is left is one of the whole, to the bit; instants and the grid are all there.
  std::size_t row = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Instant at = all.instant(i);
    const bool same = row < some.size() && some.instant(row) == at;
    const bool kept = all.kind(i) != RowKind::Evolving || at.t == std::round(at.t * 100) * 0.01;
    ASSERT_TRUE(same || !kept) << at.t;
    if (!same) continue;
    for (std::size_t c = 0; c < all.columns().size(); ++c) {
      ASSERT_EQ(some.value(row, c)->finite, all.value(i, c)->finite);
    }
    ++row;
  }
  EXPECT_EQ(row, some.size());
}

TEST_P(Views, HoldTheRunThatNobodyLooksAt) {
  const Model model = load(GetParam());
  ASSERT_TRUE(model.ok());
  const Options watched = options_of(model);
  Options alone = watched;
  alone.record_bonds = alone.tell_instants = 0;
  Simulation shown(model, watched), plain(model, alone);
  std::string text;
  text::RunJsonWriter json(model.name(), model.until(), [&](std::string_view s) { text += s; });
  shown.run();
  plain.stream_to(json).run();
  EXPECT_EQ(shown.trajectory().hash(), plain.trajectory().hash());
  EXPECT_EQ(shown.outcome().ending, plain.outcome().ending);
  EXPECT_EQ(shown.outcome().at, plain.outcome().at);
  EXPECT_EQ(shown.audit().residual, plain.audit().residual);

  json.complete({model.name(), model.until(), plain.outcome(), plain.audit(), plain.statistics()},
                render_json(plain.outcome().diagnostics, model.sources()));
  const Json run = Json::parse(text);
  const Json view = view_of(model, shown);
  const Json& rows = run["rows"];
  EXPECT_EQ(view["audit"], run["audit"]);
  EXPECT_EQ(view["outcome"], run["outcome"]);
  EXPECT_EQ(view["statistics"], run["statistics"]);
  EXPECT_EQ(view["diagnostics"].size(), run["diagnostics"].size());
  ASSERT_EQ(view["rows"]["count"], rows.size());
  const auto t = unpacked<double>(view["rows"]["t"]);
  const auto eps = unpacked<int32_t>(view["rows"]["eps"]);
  const auto step = unpacked<int32_t>(view["rows"]["step"]);
  const auto kind = unpacked<uint8_t>(view["rows"]["kind"]);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    ASSERT_EQ(t[row], rows[row]["t"]);
    ASSERT_EQ(eps[row], rows[row]["eps"]);
    ASSERT_EQ(step[row], rows[row]["step"]);
    ASSERT_EQ(view["rows"]["kinds"][kind[row]], rows[row]["kind"]);
  }
  ASSERT_EQ(view["columns"].size(), run["columns"].size());
  for (std::size_t c = 0; c < view["columns"].size(); ++c) expect_same_column(view, rows, c);
  std::set<std::size_t> switched, moved;  // the rows that junctions and modal models leave
  for (const Json& automaton : view["automata"]) {
    const auto from = unpacked<uint32_t>(automaton["rows"]);
    const auto state = unpacked<int32_t>(automaton["state"]);
    for (std::size_t row : from) {
      if (row > 0) (automaton["active"].is_null() ? moved : switched).insert(row - 1);
    }
    ASSERT_TRUE(rows.empty() || from.at(0) == 0);
    for (std::size_t i = 0, row = 0; i < from.size(); ++i) {
      const std::size_t end = i + 1 < from.size() ? from[i + 1] : rows.size();
      for (; row < end; ++row) {
        ASSERT_EQ(rows[row]["modes"][automaton["name"].get<std::string>()],
                  automaton["states"][state[i]]);
      }
    }
  }
  const auto tried = unpacked<uint8_t>(view["rows"]["tried"]);
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    if (moved.count(row) > 0) continue;  // what stands in a mode begins anew
    const bool left = rows[row]["kind"] == "mythical" && switched.count(row) > 0;
    EXPECT_EQ(tried[row] != 0, left) << row;
  }
  std::set<std::size_t> drawn;
  for (const Json& panel : view["panels"]) {
    for (std::size_t column : panel) EXPECT_TRUE(drawn.insert(column).second);
  }
  for (std::size_t c = 0; c < view["columns"].size(); ++c) {
    // What is true or false has a lane, and is in no panel.
    const Json& column = view["columns"][c];
    EXPECT_EQ(drawn.count(c) == 0, column["hidden"] || column.contains("truth")) << c;
  }
}

// A shape's coordinates are the model's constants and what the run recorded of it.
TEST_P(Views, DrawWhatTheModelSays) {
  const Model model = load(GetParam());
  Simulation run(model, options_of(model));
  run.run();
  const Json view = view_of(model, run);
  const std::vector<Shape> shapes = model.animation();
  ASSERT_EQ(view["animation"].size(), shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Json& shape = view["animation"][i];
    EXPECT_EQ(shape["name"], shapes[i].name);
    EXPECT_EQ(shape["fill"], shapes[i].fill);
    for (const Shape::Part& part : shapes[i].parts) {
      const Json& coordinate = shape[part.role];
      if (part.column.empty()) {
        EXPECT_EQ(coordinate, part.constant);
      } else {
        EXPECT_EQ(view["columns"][coordinate["column"].get<std::size_t>()]["name"], part.column);
      }
    }
  }
}

// Rows outside events are evolution, or the beginning; an event is at one time, with its left
// limit.
TEST_P(Views, EventsAreTheRowsAtWhichSomethingHappens) {
  const Model model = load(GetParam());
  Simulation run(model, options_of(model));
  run.run();
  const Trajectory& rows = run.trajectory();
  const Json view = view_of(model, run);
  std::size_t next = 0;
  const auto quiet = [&](std::size_t end) {
    for (; next < end; ++next) {
      EXPECT_TRUE(rows.kind(next) == RowKind::Evolving ||
                  (next == 0 && rows.kind(0) == RowKind::Start))
          << next;
    }
  };
  for (const Json& event : view["events"]) {
    quiet(event["first"]);
    ASSERT_LE(event["first"], event["last"]);
    for (; next <= event["last"]; ++next) {
      EXPECT_EQ(rows.instant(next).t, number_of(event["t"]));
      EXPECT_NE(rows.kind(next), RowKind::Evolving);
      if (next > event["first"]) {
        EXPECT_NE(rows.kind(next), RowKind::Before) << "that is another event";
      }
    }
    if (!model.automata().empty() && event["told"].is_null()) {
      EXPECT_GE(view["instants_told"], 100) << "an event is not told";
    }
  }
  quiet(rows.size());
}

// An instant as `explain --json` writes it, but for modes and values.
Json as_explained(Json instant, const Json& view) {
  const auto eps = unpacked<int32_t>(view["rows"]["eps"]);
  const auto step = unpacked<int32_t>(view["rows"]["step"]);
  const auto kind = unpacked<uint8_t>(view["rows"]["kind"]);
  for (Json& one : instant["steps"]) {
    const std::size_t row = one["row"];
    one["eps"] = eps[row];
    one["step"] = step[row];
    one["kind"] = view["rows"]["kinds"][kind[row]];
  }
  return instant;
}

void expect_same_energy(const Json& told, const Json& explained) {
  ASSERT_EQ(told.size(), explained.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i]["name"], explained[i]["name"]);
    EXPECT_EQ(told[i]["amount"], explained[i]["amount"]);
    EXPECT_EQ(told[i].contains("before"), explained[i].contains("before"));
  }
}

TEST_P(Views, InstantsAreWhatExplainSays) {
  const Model model = load(GetParam());
  Simulation run(model, options_of(model));
  run.run();
  const Json view = view_of(model, run);
  const Json told = unpacked_json(view["instants"]);
  ASSERT_EQ(told.size(), view["instants_told"]);
  std::size_t compared = 0;
  for (const Json& event : view["events"]) {
    if (event["told"].is_null() || ++compared > 3) continue;
    const Json one = as_explained(told[event["told"].get<std::size_t>()], view);
    const Explanation explanation = explain_instant(model, number_of(one["t"]));
    ASSERT_TRUE(explanation.found);
    ASSERT_EQ(explanation.t, number_of(one["t"]));
    const Json explained = Json::parse(text::explanation_json(explanation, model.sources()));
    EXPECT_EQ(one["causes"], explained["causes"]);
    EXPECT_EQ(one["stored_before"], explained["stored_before"]);
    EXPECT_EQ(one["stored_after"], explained["stored_after"]);
    EXPECT_EQ(one["balance"], explained["balance"]);
    EXPECT_EQ(one["unfinished"].size(),
              explained.contains("unfinished") ? explained["unfinished"].size() : 0);
    expect_same_energy(one["energy"], explained["energy"]);
    ASSERT_EQ(one["steps"].size(), explained["steps"].size());
    for (std::size_t i = 0; i < one["steps"].size(); ++i) {
      const Json& a = one["steps"][i];
      const Json& b = explained["steps"][i];
      for (const char* key : {"eps", "step", "kind", "jumps", "bonds", "relations", "committed"}) {
        EXPECT_EQ(a[key], b[key]) << key;
      }
      EXPECT_EQ(a["events"].size(), b["events"].size());
      expect_same_energy(a["energy"], b["energy"]);
      ASSERT_EQ(a["moves"].size(), b["moves"].size());
      for (std::size_t m = 0; m < a["moves"].size(); ++m) {
        for (const char* key : {"automaton", "from", "to", "kind", "guard"}) {
          EXPECT_EQ(a["moves"][m][key], b["moves"][m][key]) << key;
        }
        EXPECT_EQ(a["moves"][m]["conditions"].size(), b["moves"][m]["conditions"].size());
        for (std::size_t n = 0; n < a["moves"][m]["conditions"].size(); ++n) {
          EXPECT_EQ(a["moves"][m]["conditions"][n]["text"], b["moves"][m]["conditions"][n]["text"]);
          EXPECT_EQ(a["moves"][m]["conditions"][n]["holds"],
                    b["moves"][m]["conditions"][n]["holds"]);
        }
      }
    }
  }
}

std::vector<std::pair<std::string, std::string>> attributes(const std::string& svg,
                                                            const std::string& first,
                                                            const std::string& second) {
  const std::regex pattern(first + "=\"([^\"]*)\"[^>]* " + second + "=\"([^\"]*)\"");
  std::vector<std::pair<std::string, std::string>> out;
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at) {
    out.emplace_back((*at)[1], (*at)[2]);
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& svg) {
  const std::regex pattern("class=\"(?:line|circle|box)\" ([^/]*)/>");
  std::vector<std::string> out;
  const std::size_t legend = svg.find("class=\"legend\"");
  for (std::sregex_iterator
           at(svg.begin(), svg.begin() + static_cast<std::ptrdiff_t>(legend), pattern),
       end;
       at != end; ++at) {
    out.push_back((*at)[1]);
  }
  return out;
}

TEST_P(Views, StrokesAreThoseOfCausalityInEveryMode) {
  const Model model = load(GetParam());
  Simulation run(model, options_of(model));
  run.run();
  const Json view = view_of(model, run);
  if (view["graph"].is_null()) {
    EXPECT_TRUE(model.automata().empty());
    return;
  }
  const Json modes = unpacked_json(view["graph"]["modes"]);
  ASSERT_FALSE(modes.empty());
  std::set<Json> distinct;
  for (const Json& mode : modes) {
    EXPECT_TRUE(distinct.insert(mode["states"]).second);
    const std::string svg = mode["svg"];
    EXPECT_NE(svg.find("var(--draw-ink, #000000)"), std::string::npos);
    EXPECT_EQ(lines_of(svg), lines_of(modes[0]["svg"])) << "one layout for all modes";
    ModeSelection selection;
    for (std::size_t a = 0; a < view["automata"].size(); ++a) {
      const Json& automaton = view["automata"][a];
      selection.states.emplace_back(automaton["name"],
                                    automaton["states"][mode["states"][a].get<std::size_t>()]);
    }
    const Json causality = Json::parse(model.causality_json(&selection, 1));
    const Json& bonds = causality["modes"][0]["bonds"];
    const auto strokes = attributes(svg, "data-from", "data-stroke");
    ASSERT_EQ(strokes.size(), bonds.size());
    for (std::size_t b = 0; b < bonds.size(); ++b) {
      EXPECT_EQ(strokes[b].first, bonds[b]["from"]);
      EXPECT_EQ(strokes[b].second, bonds[b]["stroke"].is_null()   ? "none"
                                   : bonds[b]["stroke"] == "head" ? "to"
                                                                  : "from");
    }
  }
}

// Efforts, flows and impulses of bonds are those of the columns that show them.
TEST_P(Views, BondsHaveWhatTheirNamesRead) {
  const Model model = load(GetParam());
  Options options = options_of(model);
  options.select_everything = true;
  Simulation run(model, options);
  run.run();
  const Trajectory& rows = run.trajectory();
  const BondRecord& record = run.bonds();
  const std::size_t width = 2 * record.bonds.size();
  ASSERT_EQ(record.values.size(), record.rows.size() * width);
  std::map<std::pair<uint32_t, uint32_t>, std::pair<double, double>> impulses;
  for (const auto& impulse : record.impulses) {
    impulses[{impulse.row, impulse.bond}] = {impulse.p, impulse.q};
  }
  for (std::size_t bond = 0; bond < record.bonds.size(); ++bond) {
    for (const bool effort : {true, false}) {
      const auto column = rows.find_column(record.bonds[bond] + (effort ? ".e" : ".f"));
      if (!column) continue;
      for (std::size_t i = 0; i < record.rows.size(); ++i) {
        const uint32_t row = record.rows[i];
        const float value = record.values[i * width + 2 * bond + (effort ? 0 : 1)];
        const auto known = rows.value(row, *column);
        if (!known) continue;
        EXPECT_TRUE(same(value, static_cast<float>(known->finite)))
            << record.bonds[bond] << ' ' << row << ' ' << value << ' ' << known->finite;
        const auto found = impulses.find({row, static_cast<uint32_t>(bond)});
        const double weight = found == impulses.end() ? 0
                              : effort                ? found->second.first
                                                      : found->second.second;
        EXPECT_NEAR(weight, known->impulse, 1e-11 * (1 + std::abs(known->impulse)));
      }
    }
  }
}

TEST(View, ParametersKeepTheirDefaults) {
  const Model model = load("mosterman/cradle.cradle", {{"J_break", 0.95}});
  Simulation run(model, options_of(model));
  run.run();
  const Json view = view_of(model, run);
  EXPECT_EQ(view["settings"], Json::parse(R"([{"name":"J_break","value":"0.95"}])"));
  bool found = false;
  for (const Json& parameter : view["parameters"]) {
    if (parameter["name"] != "J_break") continue;
    found = true;
    EXPECT_EQ(parameter["value"], 0.95);
    EXPECT_EQ(parameter["default"], 0.5);
    const std::string& text = view["sources"][0]["text"];
    std::istringstream lines(text);
    std::string line;
    for (int i = 0; i < parameter["place"]["line"]; ++i) std::getline(lines, line);
    EXPECT_EQ(line.substr(parameter["place"]["column"].get<std::size_t>() - 1, 7), "J_break");
  }
  EXPECT_TRUE(found);
}

TEST(View, ARunThatRecordsTooMuchIsCut) {
  const Model model = load("mechanics/bouncing_ball.cradle");
  Options options;
  options.max_rows = 500;
  options = options_for_view(model, options);
  Simulation run(model, options);
  run.run();
  const Json view = view_of(model, run);
  EXPECT_EQ(view["outcome"]["ending"], "bound reached");
  EXPECT_GE(view["rows"]["count"], 500);
  EXPECT_LT(view["rows"]["count"], 520);
  EXPECT_NE(view["rows"]["cut"].get<std::string>().find("as many rows"), std::string::npos);
  EXPECT_EQ(view["diagnostics"][0]["kind"], "run.rows");
}

// Rows between events are thinned evenly; those of events stay as long as they fit.
TEST(View, BondsAreThinnedToTheirBudget) {
  const Model model = load("mechanics/bouncing_ball.cradle");
  Options options = options_for_view(model, {});
  Simulation whole(model, options);
  whole.run();
  options.record_bonds = static_cast<int64_t>(whole.bonds().values.size() / 5);
  Simulation thin(model, options);
  thin.run();
  EXPECT_EQ(whole.bonds().rows.size(), whole.trajectory().size());
  EXPECT_LE(thin.bonds().values.size(), static_cast<std::size_t>(options.record_bonds));
  EXPECT_GE(4 * thin.bonds().values.size(), static_cast<std::size_t>(options.record_bonds));
  std::size_t events = 0, kept = 0;
  for (std::size_t row = 0; row < thin.trajectory().size(); ++row) {
    events += thin.trajectory().kind(row) == RowKind::Evolving ? 0 : 1;
  }
  for (uint32_t row : thin.bonds().rows) {
    kept += thin.trajectory().kind(row) == RowKind::Evolving ? 0 : 1;
  }
  EXPECT_EQ(events, kept);
  EXPECT_EQ(thin.trajectory().hash(), whole.trajectory().hash());
  // Hardly any room: of events, too, as many as fit.
  options.record_bonds = 200;
  Simulation bare(model, options);
  bare.run();
  EXPECT_LE(bare.bonds().values.size(), 200u);
}

TEST(View, InstantsBeyondTheBoundAreNotTold) {
  const Model model = load("mechanics/bouncing_ball.cradle");
  Options options = options_for_view(model, {});
  options.tell_instants = 5;
  Simulation run(model, options);
  run.run();
  const Json view = view_of(model, run);
  ASSERT_GT(view["events"].size(), 10u);
  EXPECT_LE(view["instants_told"], 5);
  EXPECT_EQ(view["events"][0]["told"], 0);
  EXPECT_TRUE(view["events"][9]["told"].is_null());
}

TEST(View, NothingOutsideOfTheFolderIsImported) {
  const fs::path folder = fs::path(::testing::TempDir()) / "cradle_root";
  fs::remove_all(folder);
  fs::create_directories(folder / "inside");
  std::ofstream(folder / "secret.cradle") << "component Secret { port a\n R r(1)\n a -> r\n }\n";
  std::ofstream(folder / "inside" / "part.cradle")
      << "component Part { port a\n R r(1)\n a -> r\n }\n";
  fs::create_symlink(folder / "secret.cradle", folder / "inside" / "link.cradle");
  const auto kinds = [&](const std::string& import) {
    std::string out;
    const Model model =
        Model::load_text((folder / "inside" / "x.cradle").string(), "import \"" + import + "\"\n",
                         {}, (folder / "inside").string());
    for (const Diagnostic& d : model.diagnostics()) out += d.kind + " ";
    return out;
  };
  EXPECT_EQ(kinds("../secret.cradle").find("import.outside"), 0u);
  EXPECT_EQ(kinds("link.cradle").find("import.outside"), 0u);
  EXPECT_EQ(kinds("../nothing.cradle").find("import.outside"), 0u)
      << "nor is it told what is there";
  EXPECT_EQ(kinds("/etc/passwd").find("import.outside"), 0u);
  EXPECT_EQ(kinds("nothing.cradle").find("import.not-found"), 0u);
  EXPECT_EQ(kinds("part.cradle").find("import."), std::string::npos);
  EXPECT_EQ(kinds("std/electrical/diode.cradle").find("import."), std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace cradle
