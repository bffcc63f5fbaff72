#include "show/text/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "show/text/sample.hpp"

namespace cradle::text {
namespace {

std::string instants(const Trajectory& rows, std::optional<double> at = {}) {
  std::string out;
  InstantsJsonWriter writer(at, [&](std::string_view text) { out += text; });
  rows.replay(writer);
  return out;
}

TEST(InstantsJson, IsAnArrayOfObjects) {
  RowBuffer t({.columns = {"body1.p", "body2.p", "F23.e"},
               .automata = {"F13", "F23"},
               .states = {{"off", "on"}, {"off", "on"}}});
  const auto add = [&](Instant at, RowKind kind, int state, double p1, double p2, Number force) {
    const std::size_t row = t.add_row(at, kind);
    t.set_state(row, 0, state);
    t.set_state(row, 1, state);
    t.set_value(row, 0, Number(p1));
    t.set_value(row, 1, Number(p2));
    t.set_value(row, 2, force);
  };
  add({0.5, 0, 0}, RowKind::Mythical, 1, -0.2, 0.6, Number(0, 0.6));
  add({0.5, 1, 0}, RowKind::Real, 0, 0.1, 1e-9, 0);
  add({0.75, 0, 0}, RowKind::Evolving, 0, 0, 0, 0);
  EXPECT_EQ(instants(to_trajectory(t)),
            "[\n"
            R"({"t":0.5,"eps":0,"step":0,"kind":"mythical","modes":{"F13":"on","F23":"on"},)"
            R"("values":{"body1.p":-0.2,"body2.p":0.6,"F23.e":0.0},)"
            R"("impulses":{"F23.e":0.6}})"
            ",\n"
            R"({"t":0.5,"eps":1,"step":0,"kind":"real","modes":{"F13":"off","F23":"off"},)"
            R"("values":{"body1.p":0.1,"body2.p":1e-09,"F23.e":0.0},"impulses":{}})"
            "\n]\n");
}

TEST(InstantsJson, StrainedModesAndSharedValuesAreMarked) {
  RowBuffer t({.columns = {"x", "y"}});
  t.add_row({0, 0, 0}, RowKind::Mythical);
  t.set_strained(0);
  const std::vector<uint32_t> shared = {0, 1};
  t.set_shared(0, shared);
  t.add_row({0, 0, 1}, RowKind::Real);
  const auto rows = nlohmann::json::parse(instants(to_trajectory(t)));
  EXPECT_EQ(rows[0]["strained"], true);
  EXPECT_EQ(rows[0]["shared"], (nlohmann::json{"x", "y"}));
  EXPECT_FALSE(rows[1].contains("strained"));
  EXPECT_FALSE(rows[1].contains("shared"));
}

TEST(InstantsJson, AnEmptyListIsValid) {
  EXPECT_EQ(nlohmann::json::parse(instants(Trajectory())), nlohmann::json::array());
}

TEST(InstantsJson, OfTheTimeThatIsAskedFor) {
  const auto rows = nlohmann::json::parse(instants(table_2(), 0.50000000001));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["kind"], "before");
  EXPECT_EQ(nlohmann::json::parse(instants(table_2(), 0)).size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(instants(table_2(), 0.4)), nlohmann::json::array());
}

TEST(InstantsJson, SaysWhatIsMissing) {
  InstantsJsonWriter writer(0.4, [](std::string_view) {});
  table_2().replay(writer);
  EXPECT_EQ(writer.what_is_missing(),
            "nothing happened at 0.4; the nearest instants are at 0 and 0.5");
}

TEST(InstantsJson, AbsentNotFiniteAndOddNames) {
  RowBuffer t({.columns = {"absent", "big", "odd\xff\"name"}});
  t.add_row({0, 0, 0}, RowKind::Start);
  t.set_value(0, 1, Number(-std::numeric_limits<double>::infinity()));
  t.set_value(0, 2, Number(std::nan("")));
  const auto values = nlohmann::json::parse(instants(to_trajectory(t)))[0]["values"];
  EXPECT_EQ(values.size(), 3u);
  EXPECT_TRUE(values["absent"].is_null());
  EXPECT_EQ(values["big"], "-inf");
  EXPECT_EQ(values["odd\uFFFD\"name"], "nan");
}

std::string run_json(const Trajectory& rows, const RunResult& run, const std::string& diagnostics) {
  std::string out;
  RunJsonWriter writer(run.model, run.until, [&](std::string_view text) { out += text; });
  rows.replay(writer);
  writer.complete(run, diagnostics);
  return out;
}

TEST(RunJson, HoldsEverythingAboutTheRun) {
  Outcome outcome;
  outcome.ending = Ending::Finished;
  outcome.at = {2, 0, 0};
  EnergyAudit audit;
  audit.entries.push_back({"F13", EnergyEntry::Kind::Switch, 0, 0.09});
  audit.stored_start = 0.5;
  audit.stored_end = 0.41;
  audit.dissipated_by_switching = 0.09;
  Statistics statistics;
  statistics.events = 1;
  const auto run = nlohmann::json::parse(
      run_json(table_2(), {"Cradle", 2.0, outcome, audit, statistics}, "[]\n"));
  EXPECT_EQ(run["model"], "Cradle");
  EXPECT_EQ(run["until"], 2.0);
  EXPECT_EQ(run["outcome"]["finished"], true);
  EXPECT_EQ(run["outcome"]["t"], 2.0);
  EXPECT_EQ(run["columns"], (nlohmann::json{"body1.p", "body2.p", "body3.p", "F23.e"}));
  ASSERT_EQ(run["rows"].size(), 7u);
  EXPECT_EQ(run["rows"][3]["impulses"]["F23.e"], 0.6);
  EXPECT_EQ(run["rows"][1]["kind"], "evolving");
  EXPECT_EQ(run["audit"]["entries"][0]["kind"], "switch");
  EXPECT_EQ(run["audit"]["dissipated_by_switching"], 0.09);
  EXPECT_EQ(run["statistics"]["events"], 1);
  EXPECT_EQ(run["diagnostics"], nlohmann::json::array());
}

TEST(RunJson, WithoutAuditAndEndTimeSaysNull) {
  const Outcome outcome;
  const Statistics statistics;
  const auto run = nlohmann::json::parse(
      run_json(Trajectory(), {"M", std::nullopt, outcome, std::nullopt, statistics}, "[]"));
  EXPECT_TRUE(run["audit"].is_null());
  EXPECT_TRUE(run["until"].is_null());
}

TEST(ChecksJson, OneObjectPerFile) {
  std::ostringstream out;
  write_checks_json({{"a.cradle", true, "[]"}, {"b.cradle", false, "[{\"kind\":\"k\"}]\n"}}, out);
  const auto checks = nlohmann::json::parse(out.str());
  EXPECT_EQ(checks[0]["ok"], true);
  EXPECT_EQ(checks[1]["file"], "b.cradle");
  EXPECT_EQ(checks[1]["diagnostics"][0]["kind"], "k");
}

}  // namespace
}  // namespace cradle::text
