#include "cradle/spice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cradle/cradle.hpp"
#include "cradle/parts.hpp"

namespace cradle {
namespace {

std::string said(const SpiceImport& found) {
  std::string out;
  for (const Diagnostic& d : found.diagnostics) out += render_text(d, found.sources);
  return out;
}

// What a run of the netlist ends with.
double final_value(const std::string& netlist, const std::string& name) {
  const SpiceImport found = import_spice("test.cir", "title\n" + netlist);
  EXPECT_TRUE(found.ok()) << said(found);
  const Model model = Model::load_text("test.cradle", found.text);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text() << found.text;
  if (!model.ok()) return NAN;
  Options options;
  options.select = {name};
  Simulation run(model, options);
  run.run();
  EXPECT_TRUE(run.outcome().finished()) << found.text;
  return run.value(name)->finite;
}

TEST(Spice, ChargesACapacitor) {
  const double e = final_value(
      "v1 in 0 dc 5\nr1 in out 1k\nc1 out 0 1u ic=1\n.tran 1u 2m uic\n.end\n", "n_out.e");
  EXPECT_NEAR(e, 5 - 4 * std::exp(-2.0), 1e-7);
}

// Turned round, and between nodes that are both not ground.
TEST(Spice, CountsSignsAsSpiceDoes) {
  const std::string divider = "r1 a b 1k\nr2 b 0 3k\n.tran 1u 1m uic\n";
  EXPECT_NEAR(final_value("v1 a 0 4\n" + divider, "n_b.e"), 3, 1e-12);
  EXPECT_NEAR(final_value("v1 0 a 4\n" + divider, "n_b.e"), -3, 1e-12);
  EXPECT_NEAR(final_value("i1 0 a 1m\n" + divider, "n_b.e"), 3, 1e-12);
  EXPECT_NEAR(final_value("i1 a 0 1m\n" + divider, "n_b.e"), -3, 1e-12);
  EXPECT_NEAR(final_value("v1 a c 4\nr3 c 0 1k\n" + divider, "n_b.e"), 4 * 3 / 5.0, 1e-12);
  EXPECT_NEAR(final_value("i1 c a 1m\nr3 c 0 1k\n" + divider, "n_b.e"), 3, 1e-12);
  EXPECT_NEAR(final_value("i1 c a 1m\nr3 0 c 1k\n" + divider, "n_c.e"), -1, 1e-12);
  EXPECT_NEAR(final_value("v1 a 0 4\ne1 d 0 b 0 10\nr4 d 0 1\n" + divider, "n_d.e"), 30, 1e-12);
  EXPECT_NEAR(final_value("v1 a 0 4\ng1 0 d b 0 2\nr4 d 0 1\n" + divider, "n_d.e"), 6, 1e-12);
  // i(v1) is −1 mA: it flows out of the positive end.
  EXPECT_NEAR(final_value("v1 a 0 4\nh1 d 0 v1 2k\nr4 d 0 1\n" + divider, "n_d.e"), -2, 1e-12);
  EXPECT_NEAR(final_value("v1 a 0 4\nf1 0 d v1 2\nr4 d 0 1k\n" + divider, "n_d.e"), -2, 1e-12);
}

TEST(Spice, ReadsSuffixesContinuationsAndCase) {
  EXPECT_NEAR(final_value("V1 A 0\n+ DC {2*Amp} ; twice\n.PARAM amp=1.5\nR1 a B 1MEG\n* half\n"
                          "r2 b 0 1000K\n.tran 1n 1U UIC\n",
                          "n_b.e"),
              1.5, 1e-12);
  EXPECT_NEAR(final_value("i1 0 a 1\nr1 a 0 3m\n.tran 1 1 uic\n", "n_a.e"), 3e-3, 1e-15);
}

TEST(Spice, DrivesWithWaves) {
  const std::string load = "r1 a 0 1\n.tran 1u 1 uic\n";
  EXPECT_NEAR(final_value("v1 a 0 sin(1 2 0.1 0 0 30)\n" + load, "n_a.e"),
              1 + 2 * std::sin(0.2 * M_PI + M_PI / 6), 1e-12);
  EXPECT_NEAR(final_value("v1 a 0 sin(1 2 0.1 0.5 3)\n" + load, "n_a.e"),
              1 + 2 * std::sin(0.1 * M_PI) * std::exp(-1.5), 1e-12);
  EXPECT_NEAR(final_value("v1 a 0 pulse(1 5 0.7 0.4 0.2 1 4)\n" + load, "n_a.e"), 4, 1e-9);
  EXPECT_NEAR(final_value("v1 a 0 pulse(1 5 0 0.1 0.2 0.15 0.6)\n" + load, "n_a.e"), 1 + 4 * 0.25,
              1e-6);
  EXPECT_NEAR(final_value("v1 a 0 pwl(0 0 0.5 2 2 5)\n" + load, "n_a.e"), 3, 1e-12);
}

TEST(Spice, SwitchesRectifiesAndNests) {
  EXPECT_NEAR(final_value("v1 a 0 10\nr1 a b 1k\nd1 b 0 d\n.model d d(ron=0.1 roff=1g vfwd=0.6)\n"
                          ".tran 1 1 uic\n",
                          "n_b.e"),
              0.6 + 0.1 * 9.4e-3, 1e-5);
  EXPECT_NEAR(final_value("v1 a 0 10\nv2 c 0 3\nr1 a b 1k\ns1 b 0 c 0 sw\n"
                          ".model sw sw(ron=1 roff=1g vt=2)\n.tran 1 1 uic\n",
                          "n_b.e"),
              10 / 1001.0, 1e-7);
  EXPECT_NEAR(final_value("v1 a 0 10\nx1 a b half r=2k\nr1 b 0 2k\n"
                          ".subckt half p q params: r=1k\nr1 p q {r}\n.ends\n.tran 1 1 uic\n",
                          "n_b.e"),
              5, 1e-12);
}

TEST(Spice, SaysWhatItDoesNotKnowAtItsLine) {
  const auto refused = [](const std::string& line) {
    const SpiceImport found = import_spice("test.cir", "title\n" + line + "\n.tran 1 1 uic\n");
    EXPECT_FALSE(found.ok());
    EXPECT_TRUE(found.text.empty());
    return said(found);
  };
  EXPECT_EQ(refused("q1 a b c npn"),
            "error[spice.unknown-part]: there is no part for q1\n  at test.cir:2:1\n"
            "  2 │ q1 a b c npn\n    │ ^^\n"
            "  help: R, L, C, V, I, E, F, G, H, S, D and X are known\n");
  EXPECT_EQ(refused("r1 a b 1#"),
            "error[spice.value]: '1#' is no value\n  at test.cir:2:8\n  2 │ r1 a b 1#\n"
            "    │        ^^\n"
            "  help: write a number, such as 4.7k or 10u, or an expression in braces\n");
  EXPECT_NE(refused("d1 a b none").find("there is no .model none"), std::string::npos);
  EXPECT_NE(refused("x1 a b none").find("there is no .subckt none"), std::string::npos);
  EXPECT_NE(refused("r1 a a 1k").find("begins and ends at one node"), std::string::npos);
  EXPECT_NE(refused(".include other.cir").find(".include is not understood"), std::string::npos);
}

TEST(Parts, AreListedFromTheirOwnTexts) {
  const auto& parts = library_parts();
  const auto diode = std::find_if(parts.begin(), parts.end(),
                                  [](const LibraryPart& part) { return part.name == "Diode"; });
  ASSERT_NE(diode, parts.end());
  EXPECT_FALSE(diode->purpose.empty());
  EXPECT_FALSE(diode->parameters.empty());
  EXPECT_FALSE(diode->ports.empty());
  const std::string text = "import \"" + diode->file + "\"\nmodel M { until 1 }";
  EXPECT_TRUE(Model::load_text("m.cradle", text).ok());
}

}  // namespace
}  // namespace cradle
