#include "show/text/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "show/text/sample.hpp"

namespace cradle::text {
namespace {

TEST(InstantsJson, IsAnArrayOfObjects) {
  std::ostringstream out;
  write_instants_json(table_2(), {3, 5}, out);
  EXPECT_EQ(out.str(),
            "[\n"
            R"({"t":0.5,"eps":0,"step":0,"kind":"mythical","modes":{"F13":"on","F23":"on"},)"
            R"("values":{"body1.p":-0.2,"body2.p":0.6,"body3.p":0.6,"F23.e":0.0},)"
            R"("impulses":{"F23.e":0.6}})"
            ",\n"
            R"({"t":0.5,"eps":1,"step":0,"kind":"real","modes":{"F13":"off","F23":"off"},)"
            R"("values":{"body1.p":0.1,"body2.p":0.0,"body3.p":0.9,"F23.e":0.0},"impulses":{}})"
            "\n]\n");
}

TEST(InstantsJson, AnEmptyListIsValid) {
  std::ostringstream out;
  write_instants_json(table_2(), {}, out);
  EXPECT_EQ(nlohmann::json::parse(out.str()), nlohmann::json::array());
}

TEST(InstantsJson, AbsentNotFiniteAndOddNames) {
  Trajectory t({"absent", "big", "odd\xff\"name"}, {}, {});
  t.add_row({0, 0, 0}, RowKind::Start);
  t.set_value(0, 1, Number(-std::numeric_limits<double>::infinity()));
  t.set_value(0, 2, Number(std::nan("")));
  std::ostringstream out;
  write_instants_json(t, {0}, out);
  const auto values = nlohmann::json::parse(out.str())[0]["values"];
  EXPECT_EQ(values.size(), 3u);
  EXPECT_TRUE(values["absent"].is_null());
  EXPECT_EQ(values["big"], "-inf");
  EXPECT_EQ(values["odd\uFFFD\"name"], "nan");
}

TEST(RunJson, HoldsEverythingAboutTheRun) {
  const Trajectory trajectory = table_2();
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
  std::ostringstream out;
  write_run_json({"Cradle", 2.0, outcome, trajectory, audit, statistics}, "[]\n", out);
  const auto run = nlohmann::json::parse(out.str());
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
  const Trajectory trajectory;
  const Outcome outcome;
  const Statistics statistics;
  std::ostringstream out;
  write_run_json({"M", std::nullopt, outcome, trajectory, std::nullopt, statistics}, "[]", out);
  const auto run = nlohmann::json::parse(out.str());
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
