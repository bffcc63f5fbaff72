#include "show/text/csv.hpp"

#include <gtest/gtest.h>

#include "show/text/sample.hpp"

namespace cradle::text {
namespace {

std::string csv(const Trajectory& trajectory) {
  std::string out;
  CsvWriter writer([&](std::string_view text) { out += text; });
  trajectory.replay(writer);
  return out;
}

TEST(Csv, OneRowPerInstantImpulseBehindItsSignal) {
  EXPECT_EQ(csv(table_2()),
            "t,eps,step,body1.p,body2.p,body3.p,F23.e,impulse(F23.e),F13,F23\n"
            "0,0,0,1,0,0,0,0,off,on\n"
            "0.25,0,0,1,0,0,0,0,off,on\n"
            "0.5,-1,0,1,0,0,0,0,off,on\n"
            "0.5,0,0,-0.2,0.6,0.6,0,0.6,on,on\n"
            "0.5,0,1,0.1,0,0.9,0,0,on,off\n"
            "0.5,1,0,0.1,0,0.9,0,0,off,off\n"
            "2,0,0,0.1,0,0.9,0,0,off,off\n");
}

TEST(Csv, AbsentIsAnEmptyCellAndNumbersReadBackExactly) {
  RowBuffer t({.columns = {"x", "y"}});
  t.add_row({1.0 / 3, 0, 0}, RowKind::Real);
  t.set_value(0, 1, Number(0.1 + 0.2));
  EXPECT_EQ(csv(to_trajectory(t)), "t,eps,step,x,y\n0.3333333333333333,0,0,,0.30000000000000004\n");
}

TEST(Csv, NamesWithCommasAreQuoted) {
  RowBuffer t({.columns = {"grid[1,2].p", "say \"x\""}});
  EXPECT_EQ(csv(to_trajectory(t)), "t,eps,step,\"grid[1,2].p\",\"say \"\"x\"\"\"\n");
}

TEST(Csv, AnImpulseThatWasSelectedIsNotRepeated) {
  RowBuffer t({.columns = {"impulse(F.e)", "F.e", "impulse(G.e)"}, .impulsive = {0, 1, 0}});
  t.add_row({1, 0, 0}, RowKind::Real);
  t.set_value(0, 0, Number(2));
  t.set_value(0, 1, Number(0, 2));
  t.set_value(0, 2, Number(5));
  EXPECT_EQ(csv(to_trajectory(t)), "t,eps,step,F.e,impulse(F.e),impulse(G.e)\n1,0,0,0,2,5\n");
}

TEST(Csv, TheHeadDoesNotDependOnWhatHappens) {
  RowBuffer t({.columns = {"F.e"}, .impulsive = {1}});
  EXPECT_EQ(csv(to_trajectory(t)), "t,eps,step,F.e,impulse(F.e)\n");
}

TEST(Csv, EachInstantIsWrittenAsItComes) {
  std::vector<std::string> pieces;
  CsvWriter writer([&](std::string_view text) { pieces.emplace_back(text); });
  RowBuffer t({.columns = {"x"}});
  writer.begin(t.layout());
  t.add_row({1, -1, 0}, RowKind::Before);
  t.add_row({1, 0, 0}, RowKind::Real);
  writer.take(t.rows());
  EXPECT_EQ(pieces, (std::vector<std::string>{"t,eps,step,x\n", "1,-1,0,\n1,0,0,\n"}));
}

}  // namespace
}  // namespace cradle::text
