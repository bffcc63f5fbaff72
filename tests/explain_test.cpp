// explain: the structure behind the words. Numbers as in semantics.md, section 11.

#include "cradle/explain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "show/text/explain.hpp"
#include "show/text/table.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;

Model model_of(const std::string& name, const std::vector<Setting>& settings = {}) {
  return Model::load(std::string(CRADLE_ROOT) + "/models/" + name + ".cradle", settings);
}

const ExplainedJump* jump_of(const ExplainedStep& step, const std::string& name) {
  for (const ExplainedJump& jump : step.jumps) {
    if (jump.name == name) return &jump;
  }
  return nullptr;
}

double energy_of(const std::vector<ExplainedEnergy>& entries, const std::string& name) {
  for (const ExplainedEnergy& entry : entries) {
    if (entry.name == name) return entry.amount;
  }
  return NAN;
}

bool has_relation(const ExplainedStep& step, const std::string& text, const std::string& numbers) {
  for (const ExplainedRelation& relation : step.relations) {
    if (relation.text == text) return relation.numbers == numbers;
  }
  return false;
}

TEST(Explain, CradleIsTable2InWords) {
  const Model model = model_of("mosterman/cradle");
  const Explanation told = explain_instant(model, 1);
  ASSERT_TRUE(told.found && told.exact);
  EXPECT_NEAR(told.t, 1, 1e-12);
  EXPECT_EQ(told.causes, std::vector<std::string>{"x1 >= x3 becomes true"});
  ASSERT_EQ(told.steps.size(), 4u);

  const ExplainedStep& mythical = told.steps[1];
  EXPECT_EQ(mythical.kind, RowKind::Mythical);
  ASSERT_EQ(mythical.moves.size(), 1u);
  EXPECT_EQ(mythical.moves[0].automaton, "F13");
  EXPECT_EQ(mythical.moves[0].kind, ExplainedMove::Kind::Physical);
  EXPECT_EQ(mythical.moves[0].guard, "x1 >= x3 and v1.f > v3.f");
  ASSERT_EQ(mythical.moves[0].conditions.size(), 2u);
  EXPECT_EQ(mythical.moves[0].conditions[1].text, "v1.f > v3.f");
  EXPECT_EQ(mythical.moves[0].conditions[1].numbers, "1 > 0");
  EXPECT_FALSE(mythical.committed);
  EXPECT_TRUE(mythical.energy.empty());
  EXPECT_NEAR(jump_of(mythical, "body1.p")->after, -0.2, 1e-12);
  EXPECT_NEAR(jump_of(mythical, "body2.p")->after, 0.6, 1e-12);
  EXPECT_NEAR(jump_of(mythical, "body3.p")->after, 0.6, 1e-12);
  EXPECT_TRUE(has_relation(mythical, "body1.p′ + body2.p′ + body3.p′ = 0", "-1.2 + 0.6 + 0.6 = 0"));
  EXPECT_TRUE(has_relation(mythical, "body1.f⁺ + impact.f⁺ = body3.f⁺", "-0.2 + 0.8 = 0.6"));
  EXPECT_TRUE(
      has_relation(mythical, "impact.f⁺ = restitution·(body1.f⁻ - body3.f⁻)", "0.8 = 0.8·(1 - 0)"));
  EXPECT_TRUE(has_relation(mythical, "body1.f⁺ = body1.p⁺ / mass1", "-0.2 = -0.2 / 1"));
  const Explanation values = explain_instant(model, 1, {}, true);
  EXPECT_TRUE(
      has_relation(values.steps[1], "impact.f⁺ = 0.8·(body1.f⁻ - body3.f⁻)", "0.8 = 0.8·(1 - 0)"));
  const auto carried = std::find_if(mythical.impulses.begin(), mythical.impulses.end(),
                                    [](const auto& i) { return i.bond == "v3 -> F23"; });
  ASSERT_NE(carried, mythical.impulses.end());
  EXPECT_NEAR(carried->p, 0.6, 1e-12);
  EXPECT_EQ(carried->q, 0);

  const ExplainedStep& pinnacle = told.steps[2];
  EXPECT_EQ(pinnacle.kind, RowKind::Pinnacle);
  ASSERT_EQ(pinnacle.moves.size(), 1u);
  EXPECT_EQ(pinnacle.moves[0].automaton, "F23");
  EXPECT_EQ(pinnacle.moves[0].kind, ExplainedMove::Kind::Inference);
  ASSERT_EQ(pinnacle.moves[0].conditions.size(), 1u);
  const ExplainedCondition& breaks = pinnacle.moves[0].conditions[0];
  EXPECT_EQ(breaks.text, "abs(impulse(F23.e)) > J_break");
  EXPECT_EQ(breaks.numbers, "0.6 > 0.5");
  EXPECT_TRUE(breaks.holds);
  ASSERT_EQ(breaks.values.size(), 1u);
  EXPECT_EQ(breaks.values[0].first, "F23.e");
  EXPECT_NEAR(breaks.values[0].second->impulse, 0.6, 1e-12);
  EXPECT_TRUE(pinnacle.committed);
  EXPECT_NEAR(jump_of(pinnacle, "body1.p")->after, 0.1, 1e-12);
  EXPECT_EQ(jump_of(pinnacle, "body2.p"), nullptr);
  EXPECT_NEAR(jump_of(pinnacle, "body3.p")->after, 0.9, 1e-12);
  EXPECT_TRUE(has_relation(pinnacle, "body1.p′ + body3.p′ = 0", "-0.9 + 0.9 = 0"));
  EXPECT_TRUE(has_relation(pinnacle, "body2.p′ = 0", "0 = 0"));

  EXPECT_EQ(told.steps[3].kind, RowKind::Real);
  EXPECT_EQ(told.steps[3].at.eps, 1);
  EXPECT_EQ(told.steps[3].moves[0].conditions[0].numbers, "0.1 < 0.9");
  EXPECT_NEAR(told.stored_before, 0.5, 1e-12);
  EXPECT_NEAR(told.stored_after, 0.41, 1e-12);
  EXPECT_NEAR(energy_of(told.energy, "F13"), 0.09, 1e-12);
  EXPECT_NEAR(told.balance, 0, 1e-12);
  EXPECT_FALSE(told.ended);
  EXPECT_FALSE(told.next);
}

TEST(Explain, WithoutBreakawayTable1) {
  const Explanation told = explain_instant(model_of("mosterman/cradle", {{"J_break", 0.95}}), 1);
  ASSERT_EQ(told.steps.size(), 3u);
  EXPECT_EQ(told.steps[1].kind, RowKind::Pinnacle);
  EXPECT_NEAR(jump_of(told.steps[1], "body2.p")->after, 0.6, 1e-12);
  EXPECT_EQ(told.steps[2].kind, RowKind::Real);
}

TEST(Explain, CapacitorsShareTheirCharge) {
  const Explanation told = explain_instant(model_of("circuits/two_capacitors"), 1);
  ASSERT_EQ(told.steps.size(), 4u);
  const ExplainedStep& jump = told.steps[2];
  EXPECT_TRUE(has_relation(jump, "c1.q′ + c2.q′ = 0", "-2 + 2 = 0"));
  EXPECT_TRUE(has_relation(jump, "c1.e⁺ = c2.e⁺", "1 = 1"));
  EXPECT_NEAR(energy_of(told.energy, "switch.s.S"), 3, 1e-12);
  // A signal is followed to the comparison that it rests on.
  ASSERT_EQ(jump.moves.size(), 1u);
  ASSERT_FALSE(jump.moves[0].conditions.empty());
  const ExplainedCondition& closed = jump.moves[0].conditions[0];
  EXPECT_EQ(closed.text, "closed");
  ASSERT_FALSE(closed.because.empty());
  ASSERT_FALSE(closed.because[0].because.empty());
  EXPECT_EQ(closed.because[0].because[0].numbers, "1 >= 1");
}

TEST(Explain, FlybackLosesNothing) {
  const Explanation told = explain_instant(model_of("circuits/flyback"), 3);
  ASSERT_EQ(told.steps.size(), 4u);
  EXPECT_EQ(told.steps[2].kind, RowKind::Mythical);
  EXPECT_NEAR(jump_of(told.steps[2], "coil.p")->after, 0, 1e-12);
  EXPECT_TRUE(told.energy.empty());
  ASSERT_TRUE(told.next);
  EXPECT_NEAR(*told.next, 4.357447, 1e-6);
}

TEST(Explain, SignalsSayWhoSpoke) {
  const Explanation told = explain_instant(model_of("lee/simultaneous"), 4);
  ASSERT_EQ(told.steps.size(), 4u);
  const ExplainedStep& first = told.steps[1];
  ASSERT_EQ(first.events.size(), 2u);
  EXPECT_EQ(first.events[0].name, "delay in left.kick");
  EXPECT_NEAR(first.events[0].value->finite, -1, 1e-9);
  ASSERT_EQ(first.jumps.size(), 2u);
  EXPECT_EQ(first.jumps[0].name, "left.v");
  EXPECT_EQ(first.jumps[0].cause, ExplainedJump::Cause::Impulse);
  EXPECT_TRUE(has_relation(first, "left.v′ = left.kick / m1", "-1 = -1 / 1"));
}

TEST(Explain, ActionsOfModalModels) {
  const char* text = R"(model M {
  modal m initially up {
    mode up { x = integral(1, 0) }
    mode down { x = integral(-1, 5) }
    up -> down when x >= 1 { set x = 2 * x }
  }
  until 2
  show m.x
})";
  const Model model = Model::load_text("m.cradle", text);
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Explanation told = explain_instant(model, 1);
  ASSERT_TRUE(told.found);
  ASSERT_EQ(told.steps.size(), 2u);
  ASSERT_EQ(told.steps[1].moves.size(), 1u);
  const ExplainedMove& move = told.steps[1].moves[0];
  EXPECT_EQ(move.kind, ExplainedMove::Kind::Modal);
  EXPECT_EQ(move.from + " → " + move.to, "up → down");
  ASSERT_EQ(move.sets.size(), 1u);
  EXPECT_NEAR(move.sets[0].second->finite, 2, 1e-9);
  EXPECT_TRUE(told.steps[0].jumps.empty());
  ASSERT_FALSE(told.steps[1].jumps.empty());
  EXPECT_EQ(told.steps[1].jumps[0].cause, ExplainedJump::Cause::Action);
  EXPECT_NEAR(told.steps[1].jumps[0].after, 2, 1e-9);
}

// A mode is no reason for what stands in it.
TEST(Explain, GuardsThatReadTheirMode) {
  const char* text = R"(model M {
  modal m initially up {
    mode up {
      x = integral(1)
      high = x >= 1
      full = rising(x, 1)
    }
    mode down {}
    up -> down when high and full
  }
  until 2
})";
  const Model model = Model::load_text("m.cradle", text);
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Explanation told = explain_instant(model, 1);
  ASSERT_TRUE(told.found);
  const ExplainedStep& step = told.steps.back();
  ASSERT_EQ(step.moves.size(), 1u);
  const std::vector<ExplainedCondition>& conditions = step.moves[0].conditions;
  ASSERT_EQ(conditions.size(), 2u);
  ASSERT_EQ(conditions[0].because.size(), 1u);
  EXPECT_EQ(conditions[0].because[0].numbers, "1 >= 1");
  EXPECT_TRUE(conditions[1].holds);
  EXPECT_TRUE(conditions[1].because.empty());
}

TEST(Explain, EnergyIsAuditedInAnyCase) {
  Options options;
  options.audit = false;
  const Explanation told = explain_instant(model_of("circuits/two_capacitors"), 1, options);
  EXPECT_NEAR(energy_of(told.energy, "switch.s.S"), 3, 1e-12);
}

TEST(Explain, TheNearestInstantOrNone) {
  const Model model = model_of("circuits/flyback");
  const Explanation near = explain_instant(model, 4.36);
  ASSERT_TRUE(near.found);
  EXPECT_FALSE(near.exact);
  EXPECT_NEAR(near.t, 4.357447, 1e-6);
  const Explanation none = explain_instant(model, 2);
  EXPECT_FALSE(none.found);
  ASSERT_EQ(none.events.size(), 2u);
  EXPECT_NEAR(none.events[0], 3, 1e-12);
  const std::string said = text::explanation_text(none, model.sources());
  EXPECT_NE(said.find("Something happens at 3, 4.357447045."), std::string::npos) << said;
}

TEST(Explain, TheBeginningIfItIsAskedFor) {
  const Explanation told = explain_instant(model_of("mosterman/cradle"), 0);
  ASSERT_TRUE(told.found);
  EXPECT_EQ(told.steps[0].kind, RowKind::Start);
}

TEST(Explain, ARunThatEndsHere) {
  const char* text = R"(model Chase {
  Se s(1)
  R r(1)
  1 J initially off {
    off -> on when time >= 1
    on -> off when time >= 1
  }
  s -> J -> r
  until 2
})";
  const Model model = Model::load_text("chase.cradle", text);
  const Explanation told = explain_instant(model, 1);
  ASSERT_TRUE(told.found && told.ended);
  EXPECT_EQ(told.outcome.ending, Ending::ModelError);
  ASSERT_EQ(told.unfinished.size(), 1u);
  EXPECT_EQ(told.unfinished[0].to, "off");
  const std::string said = text::explanation_text(told, model.sources());
  EXPECT_NE(said.find("run.mode-cycle"), std::string::npos) << said;

  const Model loop = model_of("lee/fixed_point_strict");
  const Explanation unknown = explain_instant(loop, 0);
  ASSERT_TRUE(unknown.found && unknown.ended);
  ASSERT_EQ(unknown.steps.size(), 1u);
  EXPECT_EQ(unknown.steps[0].kind, RowKind::Nonconstructive);
  EXPECT_EQ(unknown.steps[0].unknown, (std::vector<std::string>{"x", "y"}));
}

// Looking on changes nothing: the steps are the rows of a plain run.
void expect_same_rows(const Model& model, const Options& options, double at) {
  const Explanation told = explain_instant(model, at, options);
  ASSERT_TRUE(told.found);
  Options plain = options;
  plain.record_steps = false;
  Simulation run(model, plain);
  run.run();
  const Trajectory& rows = run.trajectory();
  std::size_t next = 0;
  for (std::size_t row : text::select_instants(rows, told.t)) {
    ASSERT_LT(next, told.steps.size());
    const ExplainedStep& step = told.steps[next++];
    EXPECT_EQ(step.at, rows.instant(row));
    EXPECT_EQ(step.kind, rows.kind(row));
    for (std::size_t c = 0; c < rows.columns().size(); ++c) {
      EXPECT_EQ(step.values[c].second, rows.value(row, c)) << rows.columns()[c];
    }
  }
  EXPECT_EQ(next, told.steps.size());
  const double scale = std::abs(told.stored_before) + std::abs(told.stored_after) + 1e-9;
  EXPECT_NEAR(told.balance / scale, 0, 1e-6);
}

double first_event(const Trajectory& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const RowKind kind = rows.kind(row);
    if (kind != RowKind::Start && kind != RowKind::Evolving) return rows.instant(row).t;
  }
  return NAN;
}

TEST(Explain, TheFirstEventOfEveryModel) {
  int told = 0;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(CRADLE_ROOT) + "/models")) {
    if (entry.path().extension() != ".cradle") continue;
    SCOPED_TRACE(entry.path().string());
    const Model model = Model::load(entry.path().string());
    ASSERT_TRUE(model.ok()) << model.diagnostics_text();
    if (!model.until()) continue;
    Options options;
    options.choice = ChoicePolicy::Order;
    options.record_steps = false;
    Simulation run(model, options);
    run.run();
    const double t = first_event(run.trajectory());
    if (std::isnan(t)) continue;
    ++told;
    expect_same_rows(model, options, t);
    const Explanation explanation = explain_instant(model, t, options);
    EXPECT_FALSE(text::explanation_json(explanation, model.sources()).empty());
    if (explanation.ended) continue;  // diagnostics have their own lines
    const std::string text = text::explanation_text(explanation, model.sources());
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = text.find('\n', from);
      EXPECT_LE(text::display_width(text.substr(from, end - from)), 96)
          << text.substr(from, end - from);
      from = end + 1;
    }
  }
  EXPECT_GT(told, 30);
}

Model test_model(const std::string& name, const std::vector<Setting>& settings = {}) {
  return Model::load(std::string(CRADLE_ROOT) + "/tests/models/" + name + ".cradle", settings);
}

std::string told_text(const Model& model, const Explanation& told) {
  std::string text = text::explanation_text(told, model.sources());
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// Two supplies behind two diodes, in several units.
TEST(Explain, StrainNamesTheJunctionsAndWhatIsAtOdds) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    const Model model = test_model("diode_or", {{"V1", 12 * unit}, {"V2", 10 * unit}, {"A", unit}});
    const Explanation told = explain_instant(model, 0);
    ASSERT_EQ(told.steps.size(), 3u);
    EXPECT_FALSE(told.steps[0].strained);
    ASSERT_TRUE(told.steps[1].strained);
    EXPECT_FALSE(told.steps[2].strained);
    ASSERT_EQ(told.steps[1].strains.size(), 1u);
    EXPECT_EQ(told.steps[1].strains[0].text,
              "closed junctions d1.D and d2.D would carry unlimited flow between s1 and s2");
    EXPECT_TRUE(told.steps[1].strains[0].flow);
    EXPECT_FALSE(told.steps[1].strains[0].effort);
    EXPECT_EQ(told.steps[1].shared, (std::vector<std::string>{"d1.i", "d2.i"}));
    EXPECT_TRUE(told.steps[2].shared.empty());
    const ExplainedCondition& reason = told.steps[2].moves[0].conditions[0];
    EXPECT_EQ(told.steps[2].moves[0].automaton, "d2.D");
    EXPECT_TRUE(reason.holds);
    EXPECT_EQ(reason.by, ExplainedCondition::By::Strain);
    EXPECT_LT(reason.decisive, 0);
  }
}

// A current that is cut has nowhere to go.
TEST(Explain, StrainOfAnOpenJunctionIsOneOfEffort) {
  const Model model = Model::load_text("cut.cradle", R"(model Cut {
  Sf feed = 2
  R load(1)
  0 n
  1 S { on -> off when time >= 1 }
  1 D initially off { off -> on when n.e > 0  on -> off when D.f < 0 }
  Se sink = 0
  feed -> n -> S -> load
  n -> D -> sink
  until 2
})");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Explanation told = explain_instant(model, 1, {});
  std::vector<std::string> strains;
  for (const ExplainedStep& step : told.steps) {
    for (const ExplainedStrain& strain : step.strains) {
      EXPECT_TRUE(strain.effort);
      strains.push_back(strain.text);
    }
  }
  // n.e > 0 while S is closed, so D is on from the beginning, and nothing is cut.
  EXPECT_TRUE(strains.empty());
  const Model late = Model::load_text("cut.cradle", R"(model Cut {
  Sf feed = 2
  R load(1)
  0 n
  1 S { on -> off when time >= 1 }
  1 D initially off { off -> on when n.e > 100  on -> off when D.f < 0 }
  Se sink = 0
  feed -> n -> S -> load
  n -> D -> sink
  until 2
})");
  const Explanation cut = explain_instant(late, 1, {});
  for (const ExplainedStep& step : cut.steps) {
    for (const ExplainedStrain& strain : step.strains) strains.push_back(strain.text);
  }
  EXPECT_EQ(
      strains,
      (std::vector<std::string>{"open junctions S and D would carry unlimited effort at feed"}));
  EXPECT_EQ(cut.steps.back().modes[1].second, "on");
}

TEST(Explain, PivotingIsTold) {
  const Model model = test_model("cycle_of_four");
  const Explanation told = explain_instant(model, 0);
  std::size_t over = 0;
  bool pivots = false;
  for (const ExplainedStep& step : told.steps) {
    over += step.begins_over ? 1 : 0;
    pivots = pivots || step.begins_over;
    EXPECT_TRUE(!pivots || step.moves.size() <= 1) << "one at a time";
  }
  EXPECT_EQ(over, 1u);
  EXPECT_NE(told_text(model, told).find("Moving together came back to a mode"), std::string::npos);
}

// No gap, no speed, and an acceleration downwards.
TEST(Explain, RestIsDecidedByWhatComesNext) {
  for (const double restitution : {0.3, 0.8}) {
    const Model model = model_of("mechanics/bouncing_ball", {{"restitution", restitution}});
    const double rest = std::sqrt(2 * 10 / 9.8) * (1 + restitution) / (1 - restitution);
    const Explanation told = explain_instant(model, rest);
    ASSERT_TRUE(told.found);
    ASSERT_EQ(told.steps.back().moves.size(), 1u);
    const auto& conditions = told.steps.back().moves[0].conditions;
    ASSERT_EQ(conditions.size(), 2u);
    EXPECT_EQ(conditions[0].by, ExplainedCondition::By::SecondRate);
    EXPECT_NEAR(conditions[0].decisive, -9.8, 1e-9);
    EXPECT_EQ(conditions[1].by, ExplainedCondition::By::Rate);
    EXPECT_NEAR(conditions[1].decisive, 9.8, 1e-9);
    EXPECT_TRUE(conditions[0].holds && conditions[1].holds);
  }
}

TEST(Explain, SlidingIsToldWithWhatEachSideDoes) {
  const Model model = model_of("../tests/models/sliding_relay");
  const Explanation told = explain_instant(model, 2);
  ASSERT_TRUE(told.found);
  const ExplainedStep& last = told.steps.back();
  EXPECT_EQ(last.kind, RowKind::Real);
  ASSERT_EQ(last.slides.size(), 1u);
  EXPECT_EQ(last.slides[0].border, "x = 0");
  EXPECT_NEAR(last.slides[0].above, -0.5, 1e-12);
  EXPECT_NEAR(last.slides[0].below, 1.5, 1e-12);
  EXPECT_NEAR(last.slides[0].share, 0.75, 1e-12);
  ASSERT_EQ(last.slides[0].relays.size(), 1u);
  EXPECT_EQ(last.slides[0].relays[0].above, "plus");
  EXPECT_EQ(last.slides[0].relays[0].below, "minus");
  EXPECT_EQ(told.steps[told.steps.size() - 2].kind, RowKind::Mythical);
  const std::string words = text::explanation_text(told, model.sources());
  EXPECT_NE(words.find("Sliding along x = 0"), std::string::npos) << words;
  EXPECT_NE(words.find("m is between plus and minus"), std::string::npos) << words;
  EXPECT_NE(words.find("Time goes on along x = 0, until the end"), std::string::npos) << words;
}

TEST(Explain, ThatASideLetsGoIsTheCause) {
  const Model model = model_of("../tests/models/sliding_left");
  const Explanation told = explain_instant(model, 2);
  ASSERT_TRUE(told.found);
  ASSERT_EQ(told.causes.size(), 1u);
  EXPECT_EQ(told.causes[0], "one side of x = 0 lets go, and sliding along it ends");
  EXPECT_TRUE(told.steps.back().slides.empty());
}

}  // namespace
}  // namespace cradle
