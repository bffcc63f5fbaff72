// Recorded runs against the processes of their models: every model in models/ conforms, and every
// run that was tampered with is found, with the relation that it breaks.

#include "cradle/conform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/basics/sanitized.hpp"
#include "core/engine/beginning.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

const std::string root = CRADLE_ROOT;

// A run as a table of texts.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  std::size_t column(const std::string& name) const {
    const auto found = std::find(header.begin(), header.end(), name);
    EXPECT_NE(found, header.end()) << name;
    return static_cast<std::size_t>(found - header.begin());
  }
  std::string& cell(std::size_t row, const std::string& name) { return rows[row][column(name)]; }
  double number(std::size_t row, const std::string& name) { return std::stod(cell(row, name)); }
  void set(std::size_t row, const std::string& name, double value) {
    std::ostringstream text;
    text.precision(17);
    text << value;
    cell(row, name) = text.str();
  }
  void scale(const std::string& name, double factor, double after = -1) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::stod(rows[i][0]) > after && !cell(i, name).empty()) {
        set(i, name, factor * number(i, name));
      }
    }
  }
  // The first row at which a column has this text.
  std::size_t first(const std::string& name, const std::string& text) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (cell(i, name) == text) return i;
    }
    ADD_FAILURE() << name << " is never " << text;
    return 0;
  }
  std::size_t last_at(double t) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::abs(std::stod(rows[i][0]) - t) < 1e-9) found = i;
    }
    return found;
  }
  std::string text() const {
    std::string out;
    auto line = [&out](const std::vector<std::string>& cells) {
      for (std::size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "," : "") + cells[i];
      out += '\n';
    };
    line(header);
    for (const auto& row : rows) line(row);
    return out;
  }
};

std::string recorded(const Model& model, Options options = {}) {
  options.select_everything = true;
  options.keep_trajectory = false;
  // Exact steps are long, and conform judges what rows there are; the command has them, too.
  options.every_turn = true;
  if (!(options.every > 0)) options.every = options.until.value_or(model.until().value_or(1)) / 50;
  std::string out;
  text::CsvWriter csv([&](std::string_view text) { out += text; });
  Simulation simulation(model, options);
  simulation.stream_to(csv).run();
  return out;
}

Table table(const std::string& csv) {
  Table run;
  std::istringstream in(csv);
  std::string line;
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    for (char c : line) {
      if (c == ',') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (run.header.empty()) {
      run.header = cells;
    } else {
      run.rows.push_back(cells);
    }
  }
  return run;
}

// --- every model ---------------------------------------------------------------------------------

struct File {
  std::string path;
  std::vector<Setting> settings = {};
  std::optional<double> until = {};
};
void PrintTo(const File& file, std::ostream* out) { *out << file.path; }

std::vector<File> all_models() {
  std::vector<File> out;
  for (const char* folder : {"/models", "/tests/models"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + folder)) {
      if (entry.path().extension() != ".cradle") continue;
      // One ends before its first row, the other stands still at a leap of its own law.
      const std::string stem = entry.path().stem().string();
      if (stem == "clock_too_fast" || stem == "crawl") continue;
      File file = {std::filesystem::relative(entry.path(), root).string()};
      if (file.path == "models/circuits/diode_ladder.cradle" ||
          file.path == "models/mechanics/balls.cradle") {
        file.settings.emplace_back("N", 6);
      }
      if (file.path == "models/circuits/buck.cradle") file.until = 3e-4;
      if (file.path == "models/lee/pushing.cradle") file.until = 1.5;
      out.push_back(file);
    }
  }
  std::sort(out.begin(), out.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return out;
}

class WholeFolder : public testing::TestWithParam<File> {};

TEST_P(WholeFolder, Conforms) {
  const File& file = GetParam();
  const Model model = Model::load(root + "/" + file.path, file.settings);
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.until = file.until;
  if (kSanitized) {
    options.until =
        std::min(file.until.value_or(HUGE_VAL), beginning_of(model, 300).value_or(HUGE_VAL));
  }
  const Conformance result = check_conformance(model, recorded(model, options));
  EXPECT_EQ(result.problem, "");
  EXPECT_TRUE(result.unknown_columns.empty());
  EXPECT_GT(result.checks, 0u);
  for (const auto& v : result.violations) {
    ADD_FAILURE() << to_string(v.at) << " " << v.process << ": " << v.relation << ": " << v.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, WholeFolder, testing::ValuesIn(all_models()),
                         [](const auto& info) {
                           std::string name = info.param.path;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

// --- runs that were tampered with ----------------------------------------------------------------

struct Corruption {
  std::string what, model;
  std::function<void(Table&)> tamper;
  std::string process, relation;  // that must be named
  std::vector<Setting> settings = {};
};
void PrintTo(const Corruption& c, std::ostream* out) { *out << c.what; }

const std::vector<Corruption>& corruptions() {
  static const std::string cradle = "mosterman/cradle.cradle";
  static const std::vector<Corruption> all = {
      {"a_law_is_broken", cradle, [](Table& r) { r.scale("body1.f", 1.001); }, "body1",
       "body1.f = body1.p"},
      {"momentum_is_lost", cradle,
       [](Table& r) {
         const std::size_t i = r.first("F23", "off");
         r.set(i, "body3.p", 0.8);
         r.set(i, "body3.f", 0.8);
       },
       "", "F13_v3.p′ = v1_F13.p′"},
      {"an_impulse_is_wrong", cradle,
       [](Table& r) {
         const std::size_t i = r.first("F23", "off");
         r.set(i, "impulse(F13.e)", 0.7);
       },
       "", "p′"},
      {"restitution_is_another",
       cradle,
       [](Table&) {},
       "impact",
       "impact.f = 0.6·(`pre(body1.f)` - `pre(body3.f)`)",
       {{"restitution", 0.6}}},
      {"breakaway_without_reason",
       cradle,
       [](Table&) {},
       "F23.automaton",
       "F23 on → off",
       {{"J_break", 0.7}}},
      {"contact_without_touch", cradle,
       [](Table& r) {
         for (std::size_t i = 0; i < r.rows.size(); ++i) {
           if (r.number(i, "t") < 0.5 && r.number(i, "t") > 0) r.cell(i, "F13") = "on";
         }
       },
       "F13.automaton", "F13 does not change while time flows"},
      {"contact_is_missed", cradle,
       [](Table& r) {
         const std::size_t i = r.first("F13", "on") - 1;  // the row before the event
         r.rows.resize(i + 1);
         const auto last = r.rows.back();
         for (double t : {1.1, 1.2}) {
           r.rows.push_back(last);
           const std::size_t j = r.rows.size() - 1;
           r.rows[j][1] = r.rows[j][2] = "0";
           r.set(j, "t", t);
           r.set(j, "x1", t);
         }
       },
       "F13.automaton", "¬(x3 ≤ x1 ∧ body3.f < body1.f)"},
      {"a_position_drifts", cradle,
       [](Table& r) {
         for (std::size_t i = 0; i < r.rows.size(); ++i) {
           if (r.number(i, "t") < 1) r.set(i, "x1", r.number(i, "x1") * 1.0001);
         }
       },
       "x1", "x1\xCC\x87 = body1.f"},
      {"a_position_jumps", cradle,
       [](Table& r) {
         for (std::size_t i = r.first("F13", "on"); i < r.rows.size(); ++i) {
           r.set(i, "x3", r.number(i, "x3") + 0.01);
         }
       },
       "x3", "x3′ = body3.q′"},
      {"a_state_that_does_not_exist", cradle, [](Table& r) { r.cell(3, "F23") = "ajar"; },
       "automaton F23", "one of its states"},
      {"energy_is_created", "cuijpers/collision.cradle",
       [](Table& r) {
         const std::size_t i = r.first("contact", "on");
         for (std::size_t j = i; j < r.rows.size(); ++j) {
           r.cell(j, "contact") = j == i ? "on" : "off";
           const double p1 = j == i ? 0.5 : -0.3, p2 = 1 - p1;
           for (const char* letter : {".p", ".f"}) {
             r.set(j, std::string("body1") + letter, p1);
             r.set(j, std::string("body2") + letter, p2);
           }
         }
       },
       "contact", "body1.E′ + body2.E′ ≤ 0"},
      {"a_resistor_gives_energy", "circuits/flyback.cradle",
       [](Table& r) { r.scale("resistor.e", -1); }, "resistor", "resistor.e = resistor.f"},
      {"a_coil_leaps", "circuits/flyback.cradle",
       [](Table& r) {
         const std::size_t i = r.last_at(3);
         for (std::size_t j = i; j < r.rows.size(); ++j) {
           r.set(j, "coil.p", r.number(j, "coil.p") * 0.9);
           r.set(j, "coil.f", r.number(j, "coil.f") * 0.9);
         }
       },
       "", "coil.p′"},
      {"a_coil_charges_too_fast", "circuits/flyback.cradle",
       [](Table& r) {
         for (std::size_t i = 0; i < r.rows.size(); ++i) {
           const double t = r.number(i, "t"), p = r.number(i, "coil.p") * (1 + 1e-3 * t);
           r.set(i, "coil.p", p);
           r.set(i, "coil.f", p);
         }
       },
       "bond.coil", "coil.p\xCC\x87 = coil.e"},
      {"charge_is_lost", "circuits/two_capacitors.cradle",
       [](Table& r) {
         const std::size_t i = r.first("switch.s.S", "on");
         for (std::size_t j = i; j < r.rows.size(); ++j) {
           r.set(j, "c2.q", 1.9);
           r.set(j, "c2.e", 0.95);
         }
       },
       "", "c2"},
      {"a_junction_leaks", "mechanics/motor.cradle", [](Table& r) { r.scale("fan.e", 1.01); }, "",
       "fan.e"},
      {"a_gear_slips", "mechanics/motor.cradle", [](Table& r) { r.scale("box.out.f", 0.99); }, "",
       "box.out.f"},
      {"a_signal_is_wrong", "circuits/two_capacitors.cradle",
       [](Table& r) { r.scale("charge", 1.001); }, "charge", "charge = c1.q + c2.q"},
      {"an_event_is_invented", "lee/collision.cradle", [](Table& r) { r.set(2, "left.kick", 1); },
       "", "left.kick"},
      {"a_velocity_forgets_its_kick", "lee/collision.cradle",
       [](Table& r) {
         for (std::size_t i = 0; i < r.rows.size(); ++i) r.cell(i, "left.kick").clear();
       },
       "left.v", "left.v′"},
      {"a_mean_is_another", "../tests/models/sliding_controller.cradle",
       [](Table& r) {
         for (std::size_t i = 0; i < r.rows.size(); ++i) {
           if (r.number(i, "t") > 3) r.set(i, "u", r.number(i, "u") * 1.001);
         }
       },
       "u", "the mean of the sides of"},
      {"a_share_is_another", "../tests/models/sliding_two.cradle",
       [](Table& r) { r.set(r.rows.size() - 2, "b", 0.21); }, "b", "the mean of the sides of"},
      {"friction_holds_with_too_little", "../tests/models/dry_friction.cradle",
       [](Table& r) { r.set(r.rows.size() - 1, "friction.e", 0.09); }, "friction.e",
       "the mean of the sides of friction.f = 0"},
      {"a_border_is_left", "../tests/models/sliding_relay.cradle",
       [](Table& r) { r.set(r.rows.size() - 1, "x", 1e-3); }, "", ""},
      {"a_side_lets_go_and_it_stays",
       "../tests/models/sliding_relay.cradle",
       [](Table&) {},
       "",
       "",
       {{"c", 1.5}}},
      {"it_does_not_slide_where_both_push_back", "../tests/models/sliding_sides.cradle",
       [](Table& r) {
         r.set(r.rows.size() - 1, "u", 1);
         r.set(r.rows.size() - 1, "w", 0);
       },
       "w", "the mean of the sides of x = 0"},
      {"an_action_is_ignored", "lee/sticky_masses.cradle",
       [](Table& r) {
         const std::size_t i = r.first("masses", "together");
         for (std::size_t j = i; r.cell(j, "masses") == "together"; ++j) {
           for (const char* name : {"masses.together.v_left", "masses.together.v_right",
                                    "masses.v_left", "masses.v_right"}) {
             r.set(j, name, r.number(j, name) + 0.1);
           }
         }
       },
       "masses.together.v_left", "masses.together.v_left⁺"},
  };
  return all;
}

class TamperedRun : public testing::TestWithParam<Corruption> {};

TEST_P(TamperedRun, IsFoundWithItsRelation) {
  const Corruption& c = GetParam();
  const Model as_recorded = Model::load(root + "/models/" + c.model);
  const Model model = Model::load(root + "/models/" + c.model, c.settings);
  ASSERT_TRUE(model.ok());
  Options options;
  options.every = 0.05;
  Table run = table(recorded(as_recorded, options));
  c.tamper(run);
  const Conformance result = check_conformance(model, run.text());
  ASSERT_EQ(result.problem, "");
  std::string seen;
  bool named = false;
  for (const auto& v : result.violations) {
    seen += to_string(v.at) + " " + v.process + ": " + v.relation + ": " + v.detail + "\n";
    named = named || ((c.process.empty() || v.process == c.process) &&
                      v.relation.find(c.relation) != std::string::npos);
  }
  EXPECT_TRUE(named) << "violations:\n" << seen;
}

INSTANTIATE_TEST_SUITE_P(Corruptions, TamperedRun, testing::ValuesIn(corruptions()),
                         [](const auto& info) { return info.param.what; });

// --- modes that should have been left ------------------------------------------------------------

// A sled pushes a loose box and hits a stop; or a hammer knocks the box away. What the contact does
// is put in.
std::string sled(const std::string& lets_go, double blow) {
  return R"(
component Plastic {
  port a, b
  input gap
  0/E F initially off {
    off -> on after eps when gap <= 0 and a.f > b.f
)" + lets_go +
         R"(
  }
  a -> F -> b
}
model Sled {
  I a(1, f = 1), b(1)
  1 va, vb
  va -> a
  vb -> b
  xa = integral(va.f, -1)
  xb = integral(vb.f)
  Plastic c(gap = xb - xa)
  va -> c.a
  c.b -> vb
  Sf ground = 0
  Plastic stop(gap = )" +
         (blow > 0 ? "100" : "1 - xa") + R"()
  va -> stop.a
  stop.b -> ground
  Se hammer = sample()" +
         std::to_string(blow) + R"( * omega, event(5))
  hammer -> vb
  until 10
})";
}

Model parsed(const std::string& text) {
  Model model = Model::load_text("test.cradle", text);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

// The processes and the relations that are violated.
std::string violated(const Model& model, const std::string& run) {
  const Conformance result = check_conformance(model, run);
  EXPECT_EQ(result.problem, "");
  std::string out;
  for (const auto& v : result.violations) {
    out += to_string(v.at) + " " + v.process + ": " + v.relation + ": " + v.detail + "\n";
  }
  return out;
}

TEST(ConformTest, AGluedContactIsRefused) {
  for (const double blow : {0.0, 2.0, 1e-6, 1e6}) {
    const Model glued = parsed(sled("", blow)),
                right = parsed(sled("on -> off when F.e < 0", blow));
    EXPECT_EQ(violated(right, recorded(right)), "") << blow;
    EXPECT_EQ(violated(glued, recorded(glued)), "") << blow;
    const std::string found = violated(right, recorded(glued));
    EXPECT_NE(found.find("c.F.automaton: "), std::string::npos) << blow << '\n' << found;
    EXPECT_NE(found.find("a transition by inference is enabled, but c.F stays in on"),
              std::string::npos)
        << blow << '\n'
        << found;
  }
}

// A diode that never turns on, and one that never turns off.
TEST(ConformTest, AModeThatStaysAlthoughItsGuardHoldsIsRefused) {
  const auto rectifier = [](const std::string& on, const std::string& off) {
    return "model Rectifier {\n Se s = sin(time)\n R load(1)\n 1 D initially off {\n" + on + "\n" +
           off + "\n }\n 0 n\n s -> D -> n -> load\n until 10\n}";
  };
  const std::string on = "off -> on when s.e > n.e", off = "on -> off when D.f < 0";
  const Model right = parsed(rectifier(on, off));
  EXPECT_EQ(violated(right, recorded(right)), "");
  Options options;
  options.every = 0.25;
  for (const Model& wrong : {parsed(rectifier("", off)), parsed(rectifier(on, ""))}) {
    const std::string found = violated(right, recorded(wrong, options));
    EXPECT_NE(found.find("a transition is enabled, but D stays in"), std::string::npos) << found;
  }
}

// Two sources at odds behind two diodes that are both on: that mode is strained, and only tried.
TEST(ConformTest, AStrainedModeIsTriedAndNotAccepted) {
  const Model model = Model::load(root + "/tests/models/diode_or.cradle", {{"V1", 12.0}});
  const std::string run = recorded(model);
  EXPECT_EQ(violated(model, run), "");
  Table accepted = table(run);
  const std::size_t strained = accepted.first("d2.D", "on");
  ASSERT_EQ(accepted.cell(strained, "d1.D"), "on");
  ASSERT_EQ(accepted.cell(strained + 1, "d2.D"), "off");
  accepted.rows.resize(strained + 1);
  for (double t : {1e-9, 2e-9}) {
    accepted.rows.push_back(accepted.rows[strained]);
    accepted.set(accepted.rows.size() - 1, "t", t);
    accepted.cell(accepted.rows.size() - 1, "step") = "0";
  }
  const std::string found = violated(model, accepted.text());
  EXPECT_NE(found.find("d1.D: "), std::string::npos) << found;
}

// What a guard says is not enough where strain says otherwise, and is where nothing is strained.
TEST(ConformTest, AMoveAgainstItsGuardIsRefusedWhereNothingIsStrained) {
  const Model model =
      Model::load(root + "/tests/models/diode_or.cradle", {{"V1", 12.0}, {"A", 1.0}});
  Table run = table(recorded(model));
  // At the end of the first instant d1 feeds the load: it must not turn off.
  const std::size_t last = run.last_at(0);
  ASSERT_EQ(run.cell(last, "d1.D"), "on");
  run.rows.resize(last + 1);
  run.rows.push_back(run.rows[last]);
  run.cell(last + 1, "d1.D") = "off";
  run.set(last + 1, "step", run.number(last, "step") + 1);
  const std::string found = violated(model, run.text());
  EXPECT_NE(found.find("d1.D on → off"), std::string::npos) << found;
}

// --- the spectrum --------------------------------------------------------------------------------

// The seed leaves open how much is lost; a model with restitution fixes it.
TEST(ConformTest, TheSpectrumAllowsEveryCollisionThatGainsNothing) {
  const Model spectrum = Model::load(root + "/models/cuijpers/collision.cradle");
  const std::string fixed = root + "/models/mosterman/collision.cradle";
  for (double restitution : {0.0, 0.3, 0.8, 1.0}) {
    const Model model = Model::load(fixed, {{"restitution", restitution}});
    const std::string run = recorded(model);
    EXPECT_TRUE(check_conformance(spectrum, run).ok()) << restitution;
    EXPECT_TRUE(check_conformance(model, run).ok()) << restitution;
    const Model other = Model::load(fixed, {{"restitution", 0.5}});
    EXPECT_FALSE(check_conformance(other, run).ok()) << restitution;
  }
}

TEST(ConformTest, WhatIsNoRunIsRefused) {
  const Model model = Model::load(root + "/models/mosterman/cradle.cradle");
  auto problem = [&](const std::string& text) { return check_conformance(model, text).problem; };
  EXPECT_EQ(problem(""), "the file is empty");
  EXPECT_EQ(problem("time,x\n0,1\n"), "the first line must begin with t,eps,step");
  EXPECT_EQ(problem("t,eps,step,x1\n0,0,0\n"), "line 2 has 3 fields, the first line 4");
  EXPECT_EQ(problem("t,eps,step,x1\n0,a,0,1\n"), "line 2: 0,a,0 is no instant");
  EXPECT_EQ(problem("t,eps,step,x1\n1,0,0,1\n0,0,0,1\n"),
            "row 2 at ⟨0, 0⟩ does not come after ⟨1, 0⟩");
  EXPECT_EQ(problem("{\"rows\": 3}"), "row 1 is no row as run --json writes it");
  EXPECT_EQ(problem("[]"), "there are no rows");
  EXPECT_EQ(problem("t,eps,step,elsewhere\n0,0,0,1\n"), "nothing of this model is recorded");
}

TEST(ConformTest, JsonIsReadAsCsvIs) {
  const Model model = Model::load(root + "/models/mosterman/cradle.cradle");
  const std::string text =
      R"([{"t":0,"eps":0,"step":0,"kind":"start","modes":{"F13":"off","F23":"on"},)"
      R"("values":{"body1.p":1,"body1.f":1.5},"impulses":{}}])";
  const Conformance result = check_conformance(model, text);
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations[0].relation, "body1.f = body1.p");
}

}  // namespace
}  // namespace cradle
