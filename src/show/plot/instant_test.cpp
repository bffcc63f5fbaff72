#include "show/plot/instant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cradle/plot.hpp"
#include "show/plot/lettering.hpp"
#include "show/plot/svg_reading.hpp"

namespace cradle::plot {
namespace {

Model load(const std::string& name) {
  Model model = Model::load(std::string(CRADLE_ROOT) + "/models/" + name + ".cradle");
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

// Every tag that begins like this.
std::vector<std::string> tags_with(const std::string& svg, const std::string& beginning) {
  std::vector<std::string> tags;
  for (auto at = svg.find(beginning); at != std::string::npos; at = svg.find(beginning, at + 1)) {
    tags.push_back(svg.substr(at, svg.find('>', at) - at + 1));
  }
  return tags;
}

// Empty if there is no such attribute.
std::string text_of(const std::string& tag, const std::string& name) {
  const auto at = tag.find(" " + name + "=\"");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 3;
  return tag.substr(begin, tag.find('"', begin) - begin);
}

bool is_at(const std::string& tag, const Instant& at, RowKind kind) {
  return text_of(tag, "data-eps") == std::to_string(at.eps) &&
         text_of(tag, "data-step") == std::to_string(at.step) &&
         text_of(tag, "data-kind") == to_string(kind);
}

// The one tag of this step with this name.
std::string only(const std::vector<std::string>& tags, const Instant& at, RowKind kind,
                 const std::string& attribute, const std::string& name) {
  std::string found;
  int count = 0;
  for (const std::string& tag : tags) {
    if (!is_at(tag, at, kind) || text_of(tag, attribute) != name) continue;
    found = tag;
    ++count;
  }
  EXPECT_EQ(count, 1) << name << " at " << to_string(at);
  return found;
}

// The cells of the picture against a run of its own: every value, weight and state of the instant
// is there, and nothing else.
void expect_cells_of_the_run(const std::string& name, double t) {
  SCOPED_TRACE(name);
  const Model model = load(name);
  Simulation run(model);
  run.run();
  const Trajectory& rows = run.trajectory();
  const std::string svg = instant_svg(explain_instant(model, t));
  EXPECT_TRUE(well_formed(svg));
  const std::vector<std::string> values = tags_with(svg, "<g class=\"value ");
  const std::vector<std::string> states = tags_with(svg, "<g class=\"state ");
  std::size_t steps = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Instant at = rows.instant(row);
    const RowKind kind = rows.kind(row);
    if (std::abs(at.t - t) > 1e-9 * t || kind == RowKind::Evolving) continue;
    ++steps;
    for (std::size_t c = 0; c < rows.columns().size(); ++c) {
      const std::string tag = only(values, at, kind, "data-column", rows.columns()[c]);
      const auto value = rows.value(row, c);
      EXPECT_EQ(tag.find("absent") != std::string::npos, !value) << tag;
      EXPECT_EQ(text_of(tag, "data-value"), value ? format_number(value->finite) : "") << tag;
      const bool impulse = value && value->impulse != 0;
      EXPECT_EQ(text_of(tag, "data-weight"), impulse ? format_number(value->impulse) : "") << tag;
    }
    for (std::size_t a = 0; a < rows.automata().size(); ++a) {
      const std::string tag = only(states, at, kind, "data-automaton", rows.automata()[a]);
      EXPECT_EQ(text_of(tag, "data-state"), rows.mode(row, a));
    }
  }
  EXPECT_GE(steps, 2u);
  EXPECT_EQ(tags_with(svg, "<g class=\"step\"").size(), steps);
  EXPECT_EQ(values.size(), steps * rows.columns().size());
  EXPECT_EQ(states.size(), steps * rows.automata().size());
}

TEST(Instant, CellsAreThoseOfTheRun) {
  expect_cells_of_the_run("mosterman/cradle", 1);
  expect_cells_of_the_run("mechanics/three_balls", 1);
  expect_cells_of_the_run("circuits/flyback", 3);
  expect_cells_of_the_run("circuits/two_capacitors", 1);
  expect_cells_of_the_run("lee/collision", 4);       // signals only
  expect_cells_of_the_run("lee/diode_inductor", 3);  // modal models, and absent values
}

TEST(Instant, TheCradleShowsTable2) {
  const Model model = load("mosterman/cradle");
  const std::string svg = instant_svg(explain_instant(model, 1), {.title = model.name()});
  EXPECT_NE(svg.find("viewBox=\"0 0 1280 720\""), std::string::npos);
  EXPECT_NE(svg.find(">Cradle at t = 1</text>"), std::string::npos);
  for (const char* text : {"⟨1 − ε, 0⟩", "⟨1, 0⟩", "⟨1, 1⟩", "⟨1 + ε, 0⟩", "F13: off → on",
                           "F23: on → off", "F13: on → off", "0.6 &gt; 0.5", "−0.2", "1.2ω"}) {
    EXPECT_EQ(count(svg, std::string(">") + text + "</text>"), 1) << text;
  }
  // Hollow and solid, in the heads of the columns too: 7 signals.
  EXPECT_EQ(count(svg, "<circle class=\"mark mythical\""), 8);
  EXPECT_EQ(count(svg, "<circle class=\"mark pinnacle\""), 8);
  EXPECT_EQ(count(svg, "<path class=\"mark before\""), 8);
  EXPECT_EQ(count(svg, "<rect class=\"mark real\""), 8);
  EXPECT_EQ(count(svg, "<path class=\"arrow head\""), 3);
  EXPECT_EQ(count(svg, "class=\"panel\""), 3);
  EXPECT_EQ(count(svg, "class=\"note\""), 3);
  EXPECT_EQ(count(svg, "class=\"bracket\""), 3 + 3);  // ε-steps, and arrows of time
}

// Who gives and who takes, so that both sides are equal.
TEST(Instant, EnergyIsToldWithItsSigns) {
  const Explanation told = explain_instant(load("mosterman/cradle"), 1);
  const std::string svg = instant_svg(told);
  const std::vector<std::string> bars = tags_with(svg, "<g class=\"energy ");
  ASSERT_EQ(bars.size(), told.energy.size());
  for (std::size_t i = 0; i < bars.size(); ++i) {
    EXPECT_EQ(text_of(bars[i], "data-name"), told.energy[i].name);
    EXPECT_EQ(text_of(bars[i], "data-amount"), format_number(told.energy[i].amount));
  }
  EXPECT_EQ(count(svg, ">body1 gives 0.495 (0.5 → 0.005)</text>"), 1);
  EXPECT_EQ(count(svg, ">F13 dissipates 0.09</text>"), 1);
  // Bars to the left of the axis are as long as those to the right.
  const std::string axis = tag_with(svg, "class=\"axis\"");
  const double zero = std::stod(axis.substr(axis.find("d=\"M") + 4));
  double left = 0, right = 0;
  for (const std::string& bar : tags_with(svg, "<rect class=\"bar\"")) {
    const double x = attribute(bar, "x"), width = attribute(bar, "width");
    (x + width / 2 < zero ? left : right) += width;
  }
  EXPECT_GT(left, 100);
  EXPECT_NEAR(left, right, 1);
}

// Which note leads into which column, also where they stand in a list.
TEST(Instant, NotesStandInAListWhereThereIsNoRoom) {
  const Explanation told = explain_instant(load("mosterman/cradle"), 1);
  const std::string svg = instant_svg(told, {.width = 390, .height = 844});
  const std::vector<std::string> notes = tags_with(svg, "<g class=\"note\"");
  ASSERT_EQ(notes.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(text_of(notes[i], "data-into"), std::to_string(i + 1));
    EXPECT_EQ(text_of(notes[i], "data-number"), std::to_string(i + 1));
  }
  EXPECT_NE(svg.find("F23: on → off (abs(impulse(F23.e)) &gt;"), std::string::npos);
  EXPECT_EQ(count(svg, "class=\"badge\""), 6);
}

TEST(Instant, EqualNotesHaveOneNumber) {
  Explanation told;
  told.found = true;
  for (int n = 0; n < 4; ++n) {
    ExplainedStep step;
    step.at = {1, 0, n};
    step.kind = RowKind::Mythical;
    if (n > 0) step.events.push_back({n == 2 ? "b" : "a", Number(1)});
    told.steps.push_back(step);
  }
  const InstantPicture parts = unfold(told, 10);
  ASSERT_EQ(parts.notes.size(), 3u);
  EXPECT_EQ(parts.notes[0].number, 1u);
  EXPECT_EQ(parts.notes[1].number, 2u);
  EXPECT_EQ(parts.notes[2].number, 1u);
}

// A thousand microsteps: the beginning and the end, and how many are not shown.
TEST(Instant, ALongInstantIsShortened) {
  const Explanation told = explain_instant(load("lee/stacked_masses"), 1);
  ASSERT_GT(told.steps.size(), 500u);
  for (const int width : {1280, 390}) {
    const std::string svg = instant_svg(told, {.width = width});
    EXPECT_TRUE(well_formed(svg));
    const std::vector<std::string> steps = tags_with(svg, "<g class=\"step\"");
    EXPECT_GE(steps.size(), 3u);
    EXPECT_TRUE(is_at(steps.front(), told.steps.front().at, told.steps.front().kind));
    EXPECT_TRUE(is_at(steps.back(), told.steps.back().at, told.steps.back().kind));
    const std::string missing = std::to_string(told.steps.size() - steps.size());
    EXPECT_EQ(count(svg, ">… " + missing + " more"), 1) << width;
    EXPECT_NE(svg.find("The run ends here (bound reached)"), std::string::npos);
  }
}

TEST(Instant, MovesThatLedNowhere) {
  const Model model = Model::load_text("chase.cradle",
                                       "model Chase { Se s(1) R r(1) 1 J initially off {\n"
                                       "off -> on when time >= 1\n on -> off when time >= 1\n }\n"
                                       "s -> J -> r\n until 2\n show r.e }");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Explanation told = explain_instant(model, 1);
  const std::string svg = instant_svg(told);
  const std::vector<std::string> notes = tags_with(svg, "<g class=\"note\"");
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(text_of(notes.back(), "data-into"), std::to_string(told.steps.size()));
  EXPECT_NE(svg.find("The run ends here (model error): no consistent mode"), std::string::npos);
}

TEST(Instant, UnknownIsToldFromAbsent) {
  const std::string svg = instant_svg(explain_instant(load("lee/two_capacitors_loop"), 1));
  EXPECT_EQ(tags_with(svg, "<g class=\"value unknown\"").size(), 2u);
  EXPECT_EQ(count(svg, ">unknown</text>"), 2);
  EXPECT_EQ(count(svg, "class=\"mark nonconstructive\""), 1);
}

// What stands apart reads differently, as far as there is room.
TEST(Instant, DigitsTellValuesApart) {
  Explanation told;
  told.found = told.exact = true;
  for (int n = 0; n < 2; ++n) {
    ExplainedStep step;
    step.at = {1, 0, n};
    step.values = {{"v", Number(30 + 2e-7 * n)}, {"w", Number(1.0 / 3)}};
    told.steps.push_back(step);
  }
  const std::string svg = instant_svg(told);
  EXPECT_EQ(count(svg, ">30</text>"), 1) << svg;
  EXPECT_EQ(count(svg, ">30.0000002</text>"), 1);
  EXPECT_EQ(count(svg, ">0.3333</text>"), 2);
}

TEST(Instant, Themes) {
  const Explanation told = explain_instant(load("mosterman/cradle"), 1);
  EXPECT_NE(instant_svg(told).find("prefers-color-scheme:dark"), std::string::npos);
  const std::string dark = instant_svg(told, {.theme = PlotOptions::Theme::Dark});
  EXPECT_EQ(dark.find("prefers-color-scheme"), std::string::npos);
  EXPECT_NE(dark.find(".ground{fill:#14171c}"), std::string::npos);
  const std::string light = instant_svg(told, {.theme = PlotOptions::Theme::Light});
  EXPECT_EQ(light.find("prefers-color-scheme"), std::string::npos);
  EXPECT_EQ(light, instant_svg(told, {.theme = PlotOptions::Theme::Light}));
}

TEST(Instant, NothingToDraw) {
  Explanation told;
  told.model = "Empty <&>";
  EXPECT_TRUE(well_formed(instant_svg(told)));
  EXPECT_NE(instant_svg(told).find("Nothing happens there"), std::string::npos);
  told.found = true;
  EXPECT_TRUE(well_formed(instant_svg(told)));
}

// Many signals of one quantity, long names, and values that no panel can hold.
Explanation crowd() {
  Explanation told;
  told.model = "a_model_with_a_name_that_no_title_has_room_for_on_any_screen_of_this_world";
  told.found = told.exact = true;
  told.t = 0.0003828945877;
  const std::string name = "the_subsystem_with_a_long_name.the_part_with_a_long_name";
  for (int k = -1; k < 5; ++k) {
    ExplainedStep step;
    step.at = {told.t, k, 0};
    step.kind = k < 0 ? RowKind::Before : k < 4 ? RowKind::Pinnacle : RowKind::Real;
    for (int i = 0; i < 7; ++i) {
      step.values.emplace_back(name + "[" + std::to_string(i) + "].p",
                               Number(1 + 0.001 * i * (k + 1), k == 2 ? 0.01 * i - 0.03 : 0));
    }
    const double inf = std::numeric_limits<double>::infinity();
    step.values.emplace_back("huge", k == 0   ? Number(inf)
                                     : k == 1 ? Number(-1.7e308)
                                     : k == 2 ? Number(std::nan(""))
                                              : Number(1e299));
    step.values.emplace_back("tiny", Number(-6.10987272699921e-151));
    for (int a = 0; a < 20; ++a) {
      step.modes.emplace_back(name + std::to_string(a), k == a ? "a state with a name" : "off");
    }
    ExplainedMove move{ExplainedMove::Kind::Physical, name + "3", "off", "on", {}, {}, {}, {}};
    move.conditions.push_back({name + " > " + name, "0.6 > 0.5", true, {}, {}});
    if (k >= 0) step.moves.push_back(move);
    told.steps.push_back(step);
  }
  for (int i = 0; i < 30; ++i) {
    told.energy.push_back({name, EnergyEntry::Kind::Store, 0.1 * i - 1, 1, 2});
  }
  return told;
}

TEST(Instant, TextDoesNotOverlap) {
  std::vector<std::pair<std::string, Explanation>> all = {{"crowd", crowd()}};
  for (const auto& [name, t] : {std::pair("mosterman/cradle", 1.0),
                                {"circuits/flyback", 3.0},
                                {"circuits/bridge", 0.0004},
                                {"circuits/two_capacitors", 1.0},
                                {"circuits/diode_ladder", 1.0},
                                {"mechanics/three_balls", 1.0},
                                {"mechanics/balls", 1.0},
                                {"lee/collision", 4.0},
                                {"lee/diode_inductor", 3.0},
                                {"lee/stacked_masses", 1.0}}) {
    all.emplace_back(name, explain_instant(load(name), t));
    ASSERT_TRUE(all.back().second.found) << name;
  }
  for (const auto& [name, told] : all) {
    for (const auto& [width, height] :
         {std::pair(1280, 720), std::pair(390, 844), std::pair(240, 240)}) {
      const std::string svg = instant_svg(told, {.width = width, .height = height});
      EXPECT_TRUE(well_formed(svg)) << name;
      EXPECT_EQ(svg.find("nan\""), std::string::npos) << name;
      EXPECT_EQ(svg.find("inf\" y"), std::string::npos) << name;
      const std::vector<TextBox> texts = texts_of(svg, 12);
      EXPECT_GT(texts.size(), 10u);
      EXPECT_EQ(overlaps_in(texts, width), "") << name << " " << width;
    }
  }
}

}  // namespace
}  // namespace cradle::plot
