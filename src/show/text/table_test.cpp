#include "show/text/table.hpp"

#include <gtest/gtest.h>

#include "show/text/sample.hpp"

namespace cradle::text {
namespace {

TEST(DisplayWidth, CountsWhatATerminalShows) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("⟨1.25 + ε, 0⟩"), 13);
  EXPECT_EQ(display_width("漢字"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("\xff\xfe"), 2);
  EXPECT_EQ(display_width("a\xe2\x8c"), 3);
}

TEST(ShortNumber, HasTenDigitsAtMost) {
  EXPECT_EQ(short_number(1.0 / 3), "0.3333333333");
  EXPECT_EQ(short_number(0.1 + 0.2), "0.3");
  EXPECT_EQ(short_number(-0.0), "0");
  EXPECT_EQ(short_number(1e300), "1e+300");
  EXPECT_EQ(short_number(12345678901.5), "12345678900");
  EXPECT_EQ(short_number(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Table, AlignsByWidthAndLeavesNoTrailingBlanks) {
  Table table;
  table.add_column("t", Table::Align::Left);
  table.add_column("x", Table::Align::Right);
  table.add_column("", Table::Align::Left);
  table.add_row({"⟨ε⟩", "1", ""});
  table.add_row({"0", "-12", ""});
  EXPECT_EQ(table.text(),
            "t   │   x │\n"
            "────┼─────┼─\n"
            "⟨ε⟩ │   1 │\n"
            "0   │ -12 │\n");
}

TEST(InstantsTable, IsTable2) {
  const Trajectory t = table_2();
  EXPECT_EQ("\n" + instants_table(t, select_instants(t, 0.5)), R"(
time         │ F13 │ F23 │ body1.p │ body2.p │ body3.p │ F23.e │ impulse(F23.e) │ kind
─────────────┼─────┼─────┼─────────┼─────────┼─────────┼───────┼────────────────┼─────────
⟨0.5 − ε, 0⟩ │ off │ on  │       1 │       0 │       0 │     0 │                │ before
⟨0.5, 0⟩     │ on  │ on  │    -0.2 │     0.6 │     0.6 │     0 │            0.6 │ mythical
⟨0.5, 1⟩     │ on  │ off │     0.1 │       0 │     0.9 │     0 │                │ pinnacle
⟨0.5 + ε, 0⟩ │ off │ off │     0.1 │       0 │     0.9 │     0 │                │ real
)");
}

TEST(InstantsTable, DoesNotRepeatAnImpulseThatIsShownAnyway) {
  RowBuffer t({.columns = {"F.e", "impulse(F.e)"}});
  t.add_row({1, 0, 0}, RowKind::Real);
  t.set_value(0, 0, Number(0, 2));
  t.set_value(0, 1, Number(2));
  EXPECT_EQ(instants_table(to_trajectory(t), {0}),
            "time   │ F.e │ impulse(F.e) │ kind\n"
            "───────┼─────┼──────────────┼─────\n"
            "⟨1, 0⟩ │   0 │            2 │ real\n");
}

TEST(InstantsTable, AbsentIsBlank) {
  RowBuffer t({.columns = {"x"}});
  t.add_row({0, 0, 0}, RowKind::Start);
  EXPECT_EQ(instants_table(to_trajectory(t), {0}),
            "time   │ x │ kind\n"
            "───────┼───┼──────\n"
            "⟨0, 0⟩ │   │ start\n");
}

TEST(InstantsTable, StrainedModesAndSharedValuesAreMarked) {
  RowBuffer t({.columns = {"x", "y"}});
  t.add_row({0, 0, 0}, RowKind::Mythical);
  t.set_value(0, 0, Number(1));
  t.set_value(0, 1, Number(2));
  t.set_strained(0);
  const std::vector<uint32_t> shared = {1};
  t.set_shared(0, shared);
  t.add_row({0, 0, 1}, RowKind::Real);
  t.set_value(1, 0, Number(1));
  t.set_value(1, 1, Number(3));
  EXPECT_EQ(instants_table(to_trajectory(t), {0, 1}),
            "time   │ x │        y │ kind\n"
            "───────┼───┼──────────┼───────────────────\n"
            "⟨0, 0⟩ │ 1 │ 2 shared │ mythical, strained\n"
            "⟨0, 1⟩ │ 1 │        3 │ real\n");
}

TEST(InstantsTable, TimesThatDifferLookDifferent) {
  RowBuffer t({});
  t.add_row({1, 0, 0}, RowKind::Real);
  t.add_row({1.0000000000000002, 0, 0}, RowKind::Real);
  EXPECT_EQ(instants_table(to_trajectory(t), {0, 1}),
            "time                    │ kind\n"
            "────────────────────────┼─────\n"
            "⟨1, 0⟩                  │ real\n"
            "⟨1.0000000000000002, 0⟩ │ real\n");
}

TEST(InstantsTable, ManyAutomataAreShownByTheirMoves) {
  std::vector<std::string> names;
  for (int i = 1; i <= 20; ++i) names.push_back("d[" + std::to_string(i) + "]");
  RowBuffer t(
      {.automata = names, .states = std::vector<std::vector<std::string>>(20, {"off", "on"})});
  t.add_row({0, 0, 0}, RowKind::Start);
  t.add_row({1, 0, 0}, RowKind::Real);
  t.set_state(1, 2, 1);
  t.set_state(1, 4, 1);
  t.add_row({2, 0, 0}, RowKind::Real);
  for (std::size_t a = 0; a < 20; ++a) t.set_state(2, a, 1);
  EXPECT_EQ("\n" + instants_table(to_trajectory(t), {0, 1, 2}), R"(
time   │ moved                                                           │ kind
───────┼─────────────────────────────────────────────────────────────────┼──────
⟨0, 0⟩ │                                                                 │ start
⟨1, 0⟩ │ d[3] on, d[5] on                                                │ real
⟨2, 0⟩ │ d[1] on, d[2] on, d[4] on, d[6] on, d[7] on, d[8] on, … 12 more │ real
)");
}

TEST(SelectInstants, LeavesOutWhatHappensInMidEvolution) {
  EXPECT_EQ(select_instants(table_2(), std::nullopt), (std::vector<std::size_t>{0, 2, 3, 4, 5}));
}

TEST(SelectInstants, TakesTheTimeAsItIsPrinted) {
  RowBuffer t({});
  t.add_row({1.0 / 3, -1, 0}, RowKind::Before);
  t.add_row({1.0 / 3, 0, 0}, RowKind::Real);
  EXPECT_EQ(select_instants(to_trajectory(t), 0.3333333333), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(select_instants(to_trajectory(t), 0.333333).empty());
}

TEST(DescribeMissingInstant, NamesTheNeighbours) {
  EXPECT_EQ(describe_missing_instant(table_2(), 0.4),
            "nothing happened at 0.4; the nearest instants are at 0 and 0.5");
  EXPECT_EQ(describe_missing_instant(table_2(), 1),
            "nothing happened at 1; the nearest instant is at 0.5");
  EXPECT_EQ(describe_missing_instant(Trajectory(), 1), "nothing happened at 1");
}

}  // namespace
}  // namespace cradle::text
