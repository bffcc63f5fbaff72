#include "cradle/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "show/plot/axis.hpp"
#include "show/plot/canvas.hpp"
#include "show/plot/picture.hpp"
#include "show/plot/svg_reading.hpp"
#include "show/plot/thin.hpp"
#include "show/text/sample.hpp"
#include "show/text/table.hpp"

namespace cradle::plot {
namespace {

void add(RowBuffer& t, const Instant& at, RowKind kind, const std::vector<double>& values) {
  const std::size_t row = t.add_row(at, kind);
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!std::isnan(values[c])) t.set_value(row, c, Number(values[c]));
  }
}
const double kAbsent = std::nan("");

TEST(Axis, TicksAreOneTwoFive) {
  const Axis axis = make_axis(-0.27, 1.07, 5);
  EXPECT_EQ(axis.labels, (std::vector<std::string>{"0.0", "0.5", "1.0"}));
  EXPECT_EQ(make_axis(0, 5, 10).labels.size(), 11u);
  EXPECT_EQ(make_axis(0, 0.01, 5).labels.back(), "0.010");
  const Axis tiny = make_axis(0, 4e-7, 4);
  EXPECT_EQ(tiny.exponent, -9);
  EXPECT_EQ(tiny.labels.back(), "400");
  EXPECT_EQ(power_of_ten(-9, true), "×10⁻⁹");
  EXPECT_EQ(power_of_ten(-9, false), "x1e-9");
}

TEST(Axis, AlwaysATick) {
  for (double low : {-1e300, -3.7, 0.0, 1e-300, 12345.678}) {
    for (double span : {1e-3, 0.7, 1e9}) {
      const Axis axis = make_axis(low, low + span, 3);
      EXPECT_LE(axis.ticks.size(), 8u);
      EXPECT_GT(axis.high, axis.low);
    }
  }
}

TEST(Axis, ThreeTicksOrMore) {
  for (int i = 0; i < 2000; ++i) {
    const double low = -7 + 0.0137 * i, span = std::pow(10.0, (i % 61 - 30) / 7.0);
    for (int ticks : {1, 2, 5}) {
      EXPECT_GE(make_axis(low, low + span, ticks).ticks.size(), 3u) << low << " + " << span;
    }
  }
}

TEST(Picture, SignalsOfOneQuantityShareAPanel) {
  EXPECT_EQ(quantity_of("body1.p"), "p");
  EXPECT_EQ(quantity_of("x3"), "x");
  EXPECT_EQ(quantity_of("ball[2].v"), "v");
  EXPECT_EQ(quantity_of("v[2]"), "v");
  EXPECT_EQ(quantity_of("12"), "12");
  const Picture picture = draw(text::table_2(), true);
  ASSERT_EQ(picture.panels.size(), 2u);
  EXPECT_EQ(picture.panels[0].curves, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(draw(text::table_2(), false).panels.size(), 4u);
}

TEST(Picture, ASmallSignalHasAPanelOfItsOwn) {
  RowBuffer t({.columns = {"a.v", "b.v"}});
  add(t, {0, 0, 0}, RowKind::Start, {0, 0});
  add(t, {1, 0, 0}, RowKind::Evolving, {100, 0.1});
  EXPECT_EQ(draw(to_trajectory(t), true).panels.size(), 2u);
}

TEST(Curve, TheInstantOfTable2) {
  const Trajectory table = text::table_2();
  const Curve body1 = trace(table, 0);
  ASSERT_EQ(body1.pieces.size(), 2u);
  ASSERT_EQ(body1.jumps.size(), 1u);
  EXPECT_EQ(body1.jumps[0].from, 1);
  EXPECT_EQ(body1.jumps[0].to, 0.1);
  EXPECT_EQ(body1.jumps[0].low, -0.2);
  ASSERT_EQ(body1.marks.size(), 2u);
  EXPECT_EQ(body1.marks[0].kind, RowKind::Mythical);
  EXPECT_EQ(body1.marks[1].kind, RowKind::Pinnacle);
  // body2 only would have moved.
  const Curve body2 = trace(table, 1);
  EXPECT_EQ(body2.pieces.size(), 1u);
  ASSERT_EQ(body2.jumps.size(), 1u);
  EXPECT_EQ(body2.jumps[0].from, body2.jumps[0].to);
  EXPECT_EQ(body2.jumps[0].high, 0.6);
  const Curve force = trace(table, 3);
  EXPECT_TRUE(force.jumps.empty());
  ASSERT_EQ(force.arrows.size(), 1u);
  EXPECT_EQ(force.arrows[0].weight, 0.6);
}

TEST(Curve, AbsentIsAGapAndOneInstantADot) {
  RowBuffer t({.columns = {"x", "e"}});
  add(t, {0, 0, 0}, RowKind::Start, {1, kAbsent});
  add(t, {1, 0, 0}, RowKind::Mythical, {1, kAbsent});
  add(t, {1, 0, 1}, RowKind::Mythical, {1, 7});
  add(t, {1, 0, 2}, RowKind::Real, {kAbsent, kAbsent});
  add(t, {2, 0, 0}, RowKind::Evolving, {kAbsent, kAbsent});
  add(t, {3, 0, 0}, RowKind::Mythical, {kAbsent, 4});
  add(t, {3, 0, 1}, RowKind::Real, {2, kAbsent});
  add(t, {4, 0, 0}, RowKind::Evolving, {2, kAbsent});
  const Curve x = trace(to_trajectory(t), 0);
  ASSERT_EQ(x.pieces.size(), 2u);
  EXPECT_EQ(x.pieces[0].back().t, 1);
  EXPECT_EQ(x.pieces[1].front().t, 3);
  EXPECT_TRUE(x.jumps.empty());
  const Curve e = trace(to_trajectory(t), 1);
  EXPECT_TRUE(e.pieces.empty());
  ASSERT_EQ(e.dots.size(), 2u);
  EXPECT_EQ(e.dots[0].y, 7);
  EXPECT_EQ(e.dots[1].y, 4);
  EXPECT_TRUE(e.marks.empty());
}

// A value that is held changes in one row, without a left limit: no slope leads there.
TEST(Curve, WhatIsHeldLeaps) {
  RowBuffer t({.columns = {"held"}});
  add(t, {0, 0, 0}, RowKind::Start, {1});
  add(t, {0.5, 0, 0}, RowKind::Evolving, {1});
  add(t, {1, 0, 0}, RowKind::Real, {2});
  add(t, {1.5, 0, 0}, RowKind::Evolving, {2});
  const Curve held = trace(to_trajectory(t), 0);
  ASSERT_EQ(held.pieces.size(), 2u);
  EXPECT_EQ(held.pieces[0].back().t, 1);
  EXPECT_EQ(held.pieces[0].back().y, 1);
  ASSERT_EQ(held.jumps.size(), 1u);
}

// What begins to move at an event has not leapt by the next one.
TEST(Curve, WhatBeginsToMoveDoesNotLeap) {
  RowBuffer t({.columns = {"x"}});
  add(t, {0, 0, 0}, RowKind::Start, {1});
  add(t, {0.5, 0, 0}, RowKind::Evolving, {1});
  add(t, {1, 0, 0}, RowKind::Real, {1});
  add(t, {1.1, 0, 0}, RowKind::Real, {1.2});
  EXPECT_TRUE(trace(to_trajectory(t), 0).jumps.empty());
}

// Nobody but the picture reads it, so that no event says when it leaps.
TEST(Curve, WhatLeapsUnderACurveDoesNotSlope) {
  const Model model = Model::load_text("m",
                                       "model M {\n  y = integral(1, 0)\n"
                                       "  z = if y > 0.3 then 2 else 1\n  until 1\n  show z\n}\n");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation run(model, options_for_plot(model, {}));
  run.run();
  const Curve z = trace(run.trajectory(), 0);
  ASSERT_EQ(z.jumps.size(), 1u);
  EXPECT_NEAR(z.jumps[0].t, 0.3, 1e-9);
  for (const auto& piece : z.pieces) {
    for (const Point& point : piece) EXPECT_EQ(point.y, piece[0].y);
  }
}

TEST(Truth, LastsOrIsThereForAnInstant) {
  RowBuffer t({.columns = {"high", "tick"}, .truths = {1, 1}});
  add(t, {0, 0, 0}, RowKind::Start, {0, 1});
  add(t, {0.5, 0, 0}, RowKind::Evolving, {1, kAbsent});
  add(t, {1, 0, 0}, RowKind::Mythical, {1, kAbsent});
  add(t, {1, 0, 1}, RowKind::Mythical, {1, 0});
  add(t, {1, 0, 2}, RowKind::Real, {0, kAbsent});
  add(t, {2, 0, 0}, RowKind::Evolving, {0, kAbsent});
  const Trajectory rows = to_trajectory(t);
  const BandRow high = trace_truth(rows, 0);
  ASSERT_EQ(high.bands.size(), 3u);
  EXPECT_EQ(high.bands[1].from, 0.5);
  EXPECT_EQ(high.bands[1].to, 1);
  EXPECT_EQ(high.bands[1].state, "true");
  EXPECT_EQ(high.bands[2].to, 2);
  EXPECT_TRUE(high.visits.empty());
  const BandRow tick = trace_truth(rows, 1);
  EXPECT_TRUE(tick.bands.empty());
  ASSERT_EQ(tick.visits.size(), 2u);
  EXPECT_EQ(tick.visits[0].at.t, 0);
  EXPECT_EQ(tick.visits[0].state, "true");
  EXPECT_EQ(tick.visits[1].at.step, 1);
  EXPECT_EQ(tick.visits[1].state, "false");
  // Lanes, and no curves between 0 and 1.
  const Picture picture = draw(rows, true);
  EXPECT_TRUE(picture.panels.empty());
  EXPECT_EQ(picture.truths.size(), 2u);
  const std::string svg = plot_svg(rows);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "class=\"true\""), 1);
  EXPECT_EQ(count(svg, "class=\"false\""), 2);
  EXPECT_EQ(count(svg, "class=\"visit holds\""), 1);
  EXPECT_EQ(count(svg, "class=\"visit fails\""), 1);
  EXPECT_EQ(count(svg, "class=\"curve"), 0);
  EXPECT_EQ(count(plot_text(rows, {.colour = false}), "╹"), 1);
}

TEST(Thin, KeepsExtremesOfAMillionRows) {
  std::vector<Point> points;
  for (int i = 0; i < 1000000; ++i) {
    const double t = i * 1e-6;
    points.push_back({t, std::sin(6283 * t) + (i == 123456 ? 50 : i == 654321 ? -50 : 0)});
  }
  const std::vector<Point> kept = thin(points, {0, 1, 1000});
  EXPECT_LE(kept.size(), 4000u);
  double low = 0, high = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    low = std::min(low, kept[i].y);
    high = std::max(high, kept[i].y);
    EXPECT_LE(kept[i > 0 ? i - 1 : 0].t, kept[i].t);
  }
  EXPECT_GT(high, 49);
  EXPECT_LT(low, -49);
  EXPECT_EQ(kept.front().t, 0);
  EXPECT_EQ(kept.back().t, points.back().t);
}

TEST(Thin, StraightensWithinTheTolerance) {
  std::vector<Point> points;
  for (int i = 0; i <= 1000; ++i) points.push_back({i * 1.0, i < 500 ? 2.0 * i : 1000.0});
  EXPECT_LE(straighten(points, 0.1).size(), 4u);
  points.clear();
  for (int i = 0; i <= 1000; ++i) points.push_back({i * 1.0, 100 * std::sin(i * 0.01)});
  const std::vector<Point> kept = straighten(points, 0.1);
  EXPECT_LT(kept.size(), 200u);
  std::size_t k = 0;
  for (const Point& point : points) {
    while (k + 2 < kept.size() && kept[k + 1].t < point.t) ++k;
    const double share = (point.t - kept[k].t) / (kept[k + 1].t - kept[k].t);
    EXPECT_NEAR(kept[k].y + share * (kept[k + 1].y - kept[k].y), point.y, 0.11);
  }
  // Straight up and down again.
  EXPECT_EQ(straighten({{0, 0}, {0, 5}, {0, -5}, {1, 0}}, 0.1).size(), 4u);
}

TEST(Thin, EveryJumpCounts) {
  Curve curve;
  for (int i = 0; i < 10000; ++i) {
    const double t = i * 1e-4, top = i == 5000 ? 9 : 1;
    curve.jumps.push_back({t, 0, top, 0, top, 1});
    curve.pieces.push_back({{t, top}, {t + 1e-5, top}});
  }
  thin(curve, {0, 1, 100});
  int jumps = 0;
  double highest_jump = 0, highest_line = 0;
  for (const Jump& jump : curve.jumps) {
    jumps += jump.count;
    highest_jump = std::max(highest_jump, jump.high);
  }
  for (const auto& piece : curve.pieces) {
    for (const Point& point : piece) highest_line = std::max(highest_line, point.y);
  }
  EXPECT_EQ(jumps, 10000);
  EXPECT_LE(curve.jumps.size(), 200u);
  EXPECT_LE(curve.pieces.size(), 200u);
  EXPECT_EQ(highest_jump, 9);
  EXPECT_EQ(highest_line, 9);
}

TEST(Svg, StructureOfTable2) {
  const std::string svg = plot_svg(text::table_2(), {.title = "Cradle <1> & \"2\""});
  EXPECT_TRUE(well_formed(svg)) << svg;
  EXPECT_NE(svg.find("viewBox=\"0 0 1280 720\""), std::string::npos);
  EXPECT_NE(svg.find("<title>Cradle &lt;1&gt; &amp; &quot;2&quot;</title>"), std::string::npos);
  for (const char* name : {"c0\" data-signal=\"body1.p", "c1\" data-signal=\"body2.p",
                           "c2\" data-signal=\"body3.p", "c0\" data-signal=\"F23.e"}) {
    EXPECT_EQ(count(svg, std::string("class=\"curve ") + name + "\""), 1) << name;
  }
  EXPECT_EQ(count(svg, "class=\"line\" stroke-width=\"4\""), 4);  // names
  EXPECT_EQ(count(svg, "class=\"line\""), 8);
  EXPECT_EQ(count(svg, "class=\"jump\""), 2);
  EXPECT_EQ(count(svg, "class=\"excursion\""), 1);
  EXPECT_EQ(count(svg, "class=\"end\""), 4);
  EXPECT_EQ(count(svg, "class=\"mythical\""), 3);
  EXPECT_EQ(count(svg, "class=\"pinnacle\""), 2);
  const std::string arrow = tag_with(svg, "data-weight=");
  EXPECT_NE(arrow.find("data-weight=\"0.6\""), std::string::npos) << arrow;
  EXPECT_NE(arrow.find("data-kind=\"mythical\""), std::string::npos);
  // F13: off, on for an instant, off. F23: on, then off.
  EXPECT_EQ(count(svg, "class=\"band"), 3);
  EXPECT_EQ(count(svg, "class=\"visit"), 1);
  EXPECT_EQ(svg, plot_svg(text::table_2(), {.title = "Cradle <1> & \"2\""}));
}

TEST(Svg, Themes) {
  const Trajectory table = text::table_2();
  EXPECT_NE(plot_svg(table).find("prefers-color-scheme:dark"), std::string::npos);
  const std::string dark = plot_svg(table, {.theme = PlotOptions::Theme::Dark});
  EXPECT_EQ(dark.find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(dark.find(".ground{fill:#14171c}"), std::string::npos);
  const std::string light = plot_svg(table, {.theme = PlotOptions::Theme::Light});
  EXPECT_EQ(light.find("prefers-color-scheme"), std::string::npos);
}

TEST(Svg, NothingToDraw) {
  EXPECT_TRUE(well_formed(plot_svg(Trajectory())));
  RowBuffer t({.columns = {"never"}});
  t.add_row({0, 0, 0}, RowKind::Start);
  EXPECT_TRUE(well_formed(plot_svg(to_trajectory(t))));
  EXPECT_EQ(plot_svg(to_trajectory(t)).find("nan"), std::string::npos);
}

TEST(Svg, GrowsWithTheNumberOfPanels) {
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'z'; ++c) names.emplace_back(1, c);
  RowBuffer t({.columns = names});
  t.add_row({0, 0, 0}, RowKind::Start);
  const std::string svg = plot_svg(to_trajectory(t), {.width = 390, .height = 700});
  EXPECT_EQ(count(svg, "class=\"panel\""), 26);
  EXPECT_EQ(svg.find("viewBox=\"0 0 390 700\""), std::string::npos);
}

Trajectory run_model(const std::string& name) {
  const Model model = Model::load(std::string(CRADLE_ROOT) + "/models/" + name);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  Simulation run(model, options_for_plot(model, {}));
  run.run();
  return run.trajectory();
}

TEST(Svg, TheCradle) {
  const std::string svg = plot_svg(run_model("mosterman/cradle.cradle"));
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(count(svg, "class=\"panel\""), 3);
  for (const char* weight : {"\"1.2\" data-kind=\"mythical\"", "\"0.6\" data-kind=\"mythical\"",
                             "\"0.9\" data-kind=\"pinnacle\""}) {
    EXPECT_EQ(count(svg, std::string("data-weight=") + weight), 1) << weight;
  }
  EXPECT_EQ(count(svg, ">0.9</text>"), 1);
}

// The x of every arrow, by its signal and weight.
double x_of_arrow(const std::string& svg, const std::string& weight) {
  const auto at = svg.find("data-weight=\"" + weight + "\"");
  const auto path = svg.find(" d=\"M", at);
  return std::stod(svg.substr(path + 5));
}
double height_of_arrow(const std::string& svg, const std::string& weight) {
  return attribute(tag_with(svg, "data-weight=\"" + weight + "\""), "data-height");
}

TEST(Svg, ArrowsStandAtTheirTimeAndShowTheirWeights) {
  const std::string svg = plot_svg(run_model("mosterman/cradle.cradle"));
  const double jump = std::stod(svg.substr(svg.find(" d=\"M", svg.find("class=\"jump\"")) + 5));
  for (const char* weight : {"1.2", "0.6", "0.9"}) EXPECT_EQ(x_of_arrow(svg, weight), jump);
  EXPECT_NEAR(height_of_arrow(svg, "0.6"), height_of_arrow(svg, "1.2") / 2, 0.1);
  EXPECT_EQ(count(svg, "class=\"weights\""), 1);
  EXPECT_EQ(count(svg, "↑ impulse"), 1);
}

// Values and impulses have axes of their own, and one zero.
TEST(Picture, ImpulsesHaveAnAxisOfTheirOwn) {
  const auto panel = [](double low, double high, const std::vector<double>& weights) {
    RowBuffer t({.columns = {"v"}, .impulsive = {1}, .units = {"V"}});
    add(t, {0, 0, 0}, RowKind::Start, {low});
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double at = 1 + static_cast<double>(i);
      t.set_value(t.add_row({at, 0, 0}, RowKind::Pinnacle), 0, Number(low, weights[i]));
      add(t, {at, 1, 0}, RowKind::Real, {high});
    }
    add(t, {20, 0, 0}, RowKind::Evolving, {high});
    return draw(to_trajectory(t), true).panels.at(0);
  };
  for (const auto& [low, high] : {std::pair(0.0, 10.0), {-1.0, 10.0}, {-5.0, -1.0}, {0.0, 0.0}}) {
    for (const std::vector<double>& weights :
         {std::vector{2e-6}, {-2e-6}, {3.0, -1.0}, {1e9, 1.0}}) {
      const Panel p = panel(low, high, weights);
      EXPECT_EQ(p.weight_title, "impulse [V*s]");
      EXPECT_LE(p.low, low);
      EXPECT_GE(p.high, high);
      for (double weight : weights) {
        EXPECT_LE(p.weight_low, weight);
        EXPECT_GE(p.weight_high, weight);
      }
      const double zero = -p.low / (p.high - p.low);
      const double zero_of_weights = -p.weight_low / (p.weight_high - p.weight_low);
      EXPECT_NEAR(zero, zero_of_weights, 1e-9) << low << " " << high << " " << weights[0];
    }
  }
}

// Rounding beside a blow is no blow, though it has a panel to itself.
TEST(Svg, TinyImpulsesAreNoGiants) {
  RowBuffer t({.columns = {"a.f", "b.g"}, .impulsive = {1, 1}});
  add(t, {0, 0, 0}, RowKind::Start, {1, 5});
  const std::size_t row = t.add_row({1, 0, 0}, RowKind::Pinnacle);
  t.set_value(row, 0, Number(1, 2.5));
  t.set_value(row, 1, Number(5, 1e-12));
  add(t, {1, 1, 0}, RowKind::Real, {1, 5});
  add(t, {2, 0, 0}, RowKind::Evolving, {1, 5});
  const std::string svg = plot_svg(to_trajectory(t));
  EXPECT_EQ(count(svg, "class=\"weights\""), 2);
  EXPECT_GT(height_of_arrow(svg, "2.5"), 50);
  EXPECT_LT(height_of_arrow(svg, "1e-12"), 0.1);
}

// Whatever is visited, and by whom first, and in the picture of an instant as in that of the run.
TEST(Svg, AStateHasOneColour) {
  const std::string path = std::string(CRADLE_ROOT) + "/models/mosterman/cradle.cradle";
  const Model model = Model::load(path);
  ASSERT_TRUE(model.ok());
  const std::string run = plot_svg(run_model("mosterman/cradle.cradle"));
  const std::string instant = instant_svg(explain_instant(model, 1));
  RowLayout layout{.automata = {"a", "b"}, .states = {{"off", "on"}, {"up", "off"}}};
  EXPECT_EQ(layout.state_names(), (std::vector<std::string>{"off", "on", "up"}));
  const auto colour = [](const std::string& svg, const std::string& kind, const char* state) {
    std::set<std::string> found;
    for (auto at = svg.find("<" + kind); at != std::string::npos;
         at = svg.find("<" + kind, at + 1)) {
      const std::string tag = svg.substr(at, svg.find('>', at) - at);
      const auto c = tag.find(" c");
      if (tag.find(std::string("data-state=\"") + state) != std::string::npos) {
        found.insert(tag.substr(tag.find_first_of("0123456789", c), 1));
      }
    }
    return found;
  };
  for (const char* state : {"on", "off"}) {
    const auto in_run = colour(run, "rect class=\"band", state);
    EXPECT_EQ(in_run.size(), 1u) << state;
    EXPECT_EQ(in_run, colour(instant, "g class=\"state", state)) << state;
  }
  EXPECT_NE(colour(run, "rect class=\"band", "on"), colour(run, "rect class=\"band", "off"));
}

TEST(Svg, TimeHasItsUnit) {
  RowBuffer t({.columns = {"v", "n"}, .units = {"V", ""}});
  add(t, {0, 0, 0}, RowKind::Start, {0, 1});
  add(t, {1, 0, 0}, RowKind::Evolving, {1, 1});
  const Trajectory rows = to_trajectory(t);
  EXPECT_EQ(count(plot_svg(rows), ">t [s]</text>"), 1);
  EXPECT_EQ(count(plot_svg(rows), ">v [V]</text>"), 1);
  EXPECT_NE(plot_text(rows, {.colour = false}).find("t [s]"), std::string::npos);
  EXPECT_EQ(count(plot_svg(text::table_2()), ">t</text>"), 1);
}

TEST(Svg, TextDoesNotOverlap) {
  for (const char* name :
       {"mosterman/cradle.cradle", "circuits/flyback.cradle", "mechanics/bouncing_ball.cradle",
        "lee/diode_inductor.cradle", "circuits/buck.cradle"}) {
    const Trajectory trajectory = run_model(name);
    for (const auto& [width, height] : {std::pair(1280, 720), std::pair(390, 700)}) {
      const auto texts =
          texts_of(plot_svg(trajectory, {.title = name, .width = width, .height = height}));
      EXPECT_GT(texts.size(), 10u);
      EXPECT_EQ(overlaps_in(texts, width), "") << name << " " << width;
    }
  }
}

Trajectory sine() {
  RowBuffer t({.columns = {"s"}});
  for (int i = 0; i <= 200; ++i) {
    add(t, {i * 0.01, 0, 0}, RowKind::Evolving, {std::sin(M_PI * i * 0.01)});
  }
  return to_trajectory(t);
}

TEST(Text, ASineInAscii) {
  EXPECT_EQ(plot_text(sine(), {.width = 45, .utf8 = false, .colour = false}),
            "     s\n"
            "    |\n"
            "  1 +     **********\n"
            "    |   ***        ***\n"
            "    |  **            **\n"
            "    |***              ***\n"
            "  0 +*                  ***              ***\n"
            "    |                     **            **\n"
            "    |                      ***        ***\n"
            " -1 +                        **********\n"
            "    |\n"
            "    ++------------------+------------------+\n"
            "  t  0                  1                  2\n");
}

TEST(Text, ASineInBraille) {
  const std::string text = plot_text(sine(), {.width = 60, .utf8 = true, .colour = false});
  EXPECT_EQ(count(text, "\n"), 13);
  EXPECT_NE(text.find("┤"), std::string::npos);
  EXPECT_GT(count(text, "\xE2\xA0") + count(text, "\xE2\xA1") + count(text, "\xE2\xA2"), 30);
}

TEST(Text, Table2) {
  const std::string text = plot_text(text::table_2(), {.width = 70, .utf8 = true, .colour = false});
  EXPECT_EQ(count(text, "○"), 3) << text;
  EXPECT_EQ(count(text, "●"), 2);
  EXPECT_NE(text.find("↑0.6"), std::string::npos);
  EXPECT_NE(text.find("┃off"), std::string::npos);
  EXPECT_EQ(text.find("\033"), std::string::npos);
  EXPECT_NE(plot_text(text::table_2(), {}).find("\033[38;5;"), std::string::npos);
}

TEST(Canvas, BrailleDots) {
  Canvas canvas(2, 1, true);
  canvas.dot(0, 0, 0);
  canvas.dot(1, 3, 0);
  canvas.dot(99, 99, 0);
  EXPECT_EQ(canvas.text(0, false), "⢁");
}

}  // namespace
}  // namespace cradle::plot
