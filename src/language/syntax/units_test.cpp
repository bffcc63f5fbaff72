#include "language/syntax/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "language/syntax/tree.hpp"

namespace cradle::units {
namespace {

double si(std::string_view digits, std::string_view unit) {
  return value_of(digits, parse(unit).value());
}

TEST(Units, AreTheNearestDoubles) {
  EXPECT_EQ(si("10", "mH"), 10e-3);
  EXPECT_EQ(si("4.7", "kOhm"), 4.7e3);
  EXPECT_EQ(si("0.1", "uF"), 0.1e-6);
  EXPECT_EQ(si("2", "kg"), 2.0);
  EXPECT_EQ(si("1.5e3", "mm"), 1.5);
  EXPECT_EQ(si("3", "bar"), 3e5);
  EXPECT_EQ(si("9.81", "m/s^2"), 9.81);
  EXPECT_EQ(si("36", "km/h"), 36e3 * std::pow(3600.0, -1));
  EXPECT_EQ(si("5", "cm^2"), 5e-4);
  EXPECT_EQ(si("20", "degC"), 293.15);
  EXPECT_DOUBLE_EQ(si("180", "deg"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("60", "rpm"), 2 * std::numbers::pi);
}

TEST(Units, HaveDimensions) {
  EXPECT_EQ(parse("V/A")->dimension, parse("Ohm")->dimension);
  EXPECT_EQ(parse("W/(m^2*K)")->dimension, parse("kg/s^3/K")->dimension);
  EXPECT_EQ(parse("N*m")->dimension, parse("J")->dimension);
  EXPECT_TRUE(parse("rad")->dimension.is_pure());
  EXPECT_EQ(parse("Ω")->dimension, parse("\xE2\x84\xA6")->dimension);
  EXPECT_EQ(name(parse("V*s/A")->dimension), "H");
  EXPECT_EQ(name(parse("kg^2*m")->dimension), "kg^2*m");
  EXPECT_EQ(name(parse("s^-1")->dimension), "1/s");
  EXPECT_EQ(times_second("N"), "N*s");
  EXPECT_EQ(times_second("mV"), "mV*s");
}

TEST(Units, RefuseWhatIsNone) {
  for (const char* text : {"", "x", "V/", "V//A", "V^", "V^x", "(V", "W/degC", "degC^2", "kmin",
                           "cV", "V^99999999999", "mol2"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

std::string printed(const std::string& expr) {
  Sources sources;
  Diagnostics diagnostics;
  const auto parsed = syntax::parse_expression(sources, sources.add("", expr), diagnostics);
  return parsed ? syntax::print(*parsed) : diagnostics.items().front().kind;
}

TEST(Units, ArePrintedInOneStyle) {
  EXPECT_EQ(printed("10mH"), "10 mH");
  EXPECT_EQ(printed("10 mH"), "10 mH");
  EXPECT_EQ(printed("4.7k"), "4.7k");
  EXPECT_EQ(printed("9.81 m/s^2*t"), "9.81 m/s^2*t");  // tonnes
  EXPECT_EQ(printed("9.81 m/s^2 * t"), "9.81 m/s^2 * t");
  EXPECT_EQ(printed("10 m / s"), "10 m / s");
  EXPECT_EQ(printed("10 m/s"), "10 m/s");
  EXPECT_EQ(printed("5 V/R"), "5 V / R");
  EXPECT_EQ(printed("(2 m)^2"), "(2 m)^2");
  EXPECT_EQ(printed("2 m ^ 2"), "syntax.unit");
  EXPECT_EQ(printed("2 m^x"), "syntax.unit");
  EXPECT_EQ(printed("3 W/(m^2*K)"), "3 W/(m^2*K)");
}

std::size_t items(const std::string& body) {
  Sources sources;
  Diagnostics diagnostics;
  const auto tree =
      syntax::parse(sources, sources.add("", "model M { " + body + " }"), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << body;
  return tree.definitions.front().items.size();
}

TEST(Units, LeaveNamesAlone) {
  EXPECT_EQ(items("until 2 s = 3"), 2u);
  EXPECT_EQ(items("until 2 C c(1)"), 2u);
  EXPECT_EQ(items("x = 5 m -> s"), 2u);
  EXPECT_EQ(items("x = 5 m: a -> b"), 2u);
  EXPECT_EQ(items("x = 5 V y = 6 A"), 2u);
  EXPECT_EQ(items("1 m 0 s"), 2u);
  EXPECT_EQ(items("Se u = 1, w = 1 A  I b(2) u -> b"), 4u);
  EXPECT_EQ(items("Se u = 1 V from a to ground R r(2 Ohm) from a to ground"), 2u);
  EXPECT_EQ(items("param m = 2 kg, s = 3 m x = m * s"), 3u);
}

}  // namespace
}  // namespace cradle::units
