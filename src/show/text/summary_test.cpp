#include "show/text/summary.hpp"

#include <gtest/gtest.h>

#include "show/text/sample.hpp"

namespace cradle::text {
namespace {

SummaryRows rows_of(const Trajectory& trajectory) {
  SummaryRows rows;
  trajectory.replay(rows);
  return rows;
}

std::string remarkable_instants(const Trajectory& trajectory) {
  return rows_of(trajectory).remarkable_instants();
}

TEST(RemarkableInstants, SaysWhatChangedAgainstThePhysicalState) {
  EXPECT_EQ(remarkable_instants(table_2()),
            "⟨0.5, 0⟩  mythical: F13 on, impulse(F23.e) = 0.6, body1.p 1 → -0.2, "
            "body2.p 0 → 0.6, … 1 more\n"
            "⟨0.5, 1⟩  pinnacle: F23 off, body1.p 1 → 0.1, body3.p 0 → 0.9\n");
}

TEST(RemarkableInstants, ARealModeCountsIfTheStateJumpedThere) {
  RowBuffer t({.columns = {"q"}, .automata = {"S"}, .states = {{"open", "closed"}}});
  t.add_row({1, -1, 0}, RowKind::Before);
  t.set_value(0, 0, Number(3));
  t.add_row({1, 0, 0}, RowKind::Real);
  t.set_value(1, 0, Number(1));
  t.set_state(1, 0, 1);
  t.add_row({2, 0, 0}, RowKind::Real);
  t.set_value(2, 0, Number(0.5));
  EXPECT_EQ(remarkable_instants(to_trajectory(t)), "⟨1, 0⟩  real: S closed, q 3 → 1\n");
}

TEST(RemarkableInstants, ManyAreCounted) {
  RowBuffer t({.columns = {}, .automata = {"S"}, .states = {{"open", "closed"}}});
  t.add_row({0, -1, 0}, RowKind::Before);
  t.set_state(0, 0, 1);
  for (int i = 0; i < 11; ++i) {
    t.add_row({1.0 * i, 0, 0}, RowKind::Pinnacle);
    t.set_state(static_cast<std::size_t>(i) + 1, 0, i % 2);
  }
  const std::string text = remarkable_instants(to_trajectory(t));
  EXPECT_NE(text.find("⟨7, 0⟩  pinnacle: S closed\n… 3 more\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("⟨8, 0⟩"), std::string::npos);
}

TEST(AuditTable, LargestFirstAndOnlyWhatIsNotZero) {
  EnergyAudit audit;
  audit.entries.push_back({"body1", EnergyEntry::Kind::Store, 0, -0.495});
  audit.entries.push_back({"idle", EnergyEntry::Kind::Source, 0, 0});
  audit.entries.push_back({"R1", EnergyEntry::Kind::Resistor, 1.5, 0});
  audit.stored_start = 2.005;
  audit.stored_end = 0.01;
  audit.dissipated = 1.5;
  audit.dissipated_by_switching = 0.495;
  audit.residual = 1.23e-17;
  EXPECT_EQ(audit_table(audit),
            "name  │ energy     │ flowing │ jumping │  total\n"
            "──────┼────────────┼─────────┼─────────┼───────\n"
            "R1    │ dissipated │     1.5 │       0 │    1.5\n"
            "body1 │ stored     │       0 │  -0.495 │ -0.495\n"
            "stored 2.005 → 0.01, delivered 0, dissipated 1.5, lost in switching 0.495, "
            "unaccounted 1.2e-17\n");
}

TEST(AuditTable, ALongOneIsCutAtTwelve) {
  EnergyAudit audit;
  for (int i = 1; i <= 15; ++i) {
    audit.entries.push_back({"C" + std::to_string(i), EnergyEntry::Kind::Store, 1.0 * i, 0});
  }
  const std::string text = audit_table(audit);
  EXPECT_NE(text.find("… 3 more\n"), std::string::npos);
  EXPECT_NE(text.find("C15"), std::string::npos);
  EXPECT_EQ(text.find("C3 "), std::string::npos);
}

TEST(Summary, IsWhatAPersonWants) {
  Outcome outcome;
  outcome.ending = Ending::Finished;
  outcome.at = {2, 0, 0};
  Statistics s;
  s.events = 1;
  s.microsteps = 3;
  s.epsilon_steps = 2;
  s.jumps = 1;
  s.mythical = 1;
  s.pinnacles = 1;
  s.modes_visited = 4;
  s.solver_steps = 12;
  s.evaluations = 80;
  EXPECT_EQ(summary({"Cradle", 2.0, outcome, std::nullopt, s}, rows_of(table_2())),
            "Cradle: finished at ⟨2, 0⟩\n"
            "  1 event, 3 microsteps, 2 ε-steps, 1 jump\n"
            "  4 modes visited; left as mythical 1, as pinnacle 1\n"
            "  12 solver steps, 0 rejected, 80 evaluations\n"
            "\n"
            "remarkable\n"
            "  ⟨0.5, 0⟩  mythical: F13 on, impulse(F23.e) = 0.6, body1.p 1 → -0.2, "
            "body2.p 0 → 0.6, … 1 more\n"
            "  ⟨0.5, 1⟩  pinnacle: F23 off, body1.p 1 → 0.1, body3.p 0 → 0.9\n"
            "\n"
            "at the end\n"
            "  F13 off\n"
            "  F23 off\n"
            "  body1.p = 0.1\n"
            "  body2.p = 0\n"
            "  body3.p = 0.9\n"
            "  F23.e = 0\n");
}

// Without bond graphs there is one line for each time at which something came of it.
TEST(Summary, NetworksOfSignalsAreToldByTime) {
  RowBuffer t({.columns = {"v", "hit"}, .automata = {"ball"}, .states = {{"falling", "sitting"}}});
  auto add = [&](double time, int step, RowKind kind, double v, int mode) {
    const std::size_t row = t.add_row({time, 0, step}, kind);
    t.set_value(row, 0, Number(v));
    t.set_state(row, 0, mode);
  };
  add(0, 0, RowKind::Start, 0, 0);
  for (int i = 1; i <= 7; ++i) {
    add(i, 0, RowKind::Mythical, -1, 0);
    add(i, 1, RowKind::Mythical, -1, 0);
    add(i, 2, RowKind::Real, 1, i == 2 ? 1 : 0);
  }
  add(8, 0, RowKind::Mythical, 3, 0);
  add(8, 1, RowKind::Real, 3, 0);
  EXPECT_EQ(remarkable_instants(to_trajectory(t)),
            "⟨1, 2⟩  v -1 → 1\n"
            "⟨2, 2⟩  ball sitting, v -1 → 1\n"
            "⟨3, 2⟩  v -1 → 1\n"
            "⟨4, 2⟩  v -1 → 1\n"
            "⟨5, 2⟩  v -1 → 1\n"
            "… 2 more\n");
}

TEST(Summary, AnEarlyEndSaysWhereAndWhy) {
  Outcome outcome;
  outcome.ending = Ending::Accumulation;
  outcome.at = {1.0000000000000002, 0, 0};  // all digits, as the diagnostic has it
  const std::string text =
      summary({"Ball", 10.0, outcome, std::nullopt, Statistics()}, SummaryRows());
  EXPECT_TRUE(text.starts_with("Ball: ended early at ⟨1.0000000000000002, 0⟩ of 10 (" +
                               std::string(to_string(Ending::Accumulation)) + ")\n"))
      << text;
}

}  // namespace
}  // namespace cradle::text
