// What is drawn of a run: it is right at every row, and changes nothing else. Every model of the
// tree runs to the same bits with its animation recorded, and without any animation at all.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/basics/row_buffer.hpp"
#include "cradle/cradle.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(CRADLE_ROOT + folder)) {
    if (entry.path().extension() == ".cradle") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The selected columns alone.
Trajectory shown(const Trajectory& rows, std::size_t columns) {
  RowLayout layout = rows.layout();
  layout.columns.resize(columns);
  layout.impulsive.resize(columns);
  RowBuffer out(layout);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out.add_row(rows.instant(r), rows.kind(r));
    for (std::size_t c = 0; c < columns; ++c) {
      out.set_value(r, c, rows.value(r, c));
      if (rows.is_unknown(r, c)) out.set_unknown(r, c);
    }
    for (std::size_t a = 0; a < layout.automata.size(); ++a) out.set_state(r, a, rows.state(r, a));
  }
  return to_trajectory(out);
}

void expect_same(const Simulation& plain, const Simulation& drawn, const std::string& what) {
  const std::size_t columns = plain.trajectory().columns().size();
  EXPECT_EQ(plain.trajectory().size(), drawn.trajectory().size()) << what;
  EXPECT_EQ(shown(plain.trajectory(), columns).hash(), shown(drawn.trajectory(), columns).hash())
      << what;
  EXPECT_EQ(plain.outcome().ending, drawn.outcome().ending) << what;
  EXPECT_EQ(plain.outcome().diagnostics.size(), drawn.outcome().diagnostics.size()) << what;
  EXPECT_EQ(plain.statistics().evaluations, drawn.statistics().evaluations) << what;
  EXPECT_EQ(plain.statistics().microsteps, drawn.statistics().microsteps) << what;
}

Simulation run(const Model& model, bool record_animation) {
  Options options;
  options.choice = ChoicePolicy::Random;
  options.seed = 7;
  options.record_animation = record_animation;
  Simulation simulation(model, options);
  simulation.run();
  return simulation;
}

// An animation that reads whatever can be read, and compares it. Names of modes and events too.
std::string with_everything_drawn(const Model& model, std::string text) {
  std::string shapes;
  int count = 0;
  for (const std::string& name : model.readable_names()) {
    const std::string n = std::to_string(++count);
    const std::string shape = "circle drawn" + n + " at (" + name + ", sqrt(max(" + name +
                              ", 0))) radius if " + name + " > 0.3 then 1 else 2 when " + name +
                              " < 0.7\n";
    const std::string truth = "circle drawn" + n + " at (1, time) radius 1 when " + name + "\n";
    for (const std::string& line : {shape, truth}) {
      const std::string probe = "\nanimate {\n" + line + "}\n}\n";
      const std::string whole = text.substr(0, text.rfind('}')) + probe;
      if (!Model::load_text("probe", whole).ok()) continue;
      shapes += line;
      break;
    }
  }
  return text.substr(0, text.rfind('}')) + "\nanimate {\n" + shapes + "}\n}\n";
}

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, RunsTheSameWithItsAnimationRecorded) {
  const Model model = Model::load(GetParam());
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Simulation plain = run(model, false), drawn = run(model, true);
  expect_same(plain, drawn, GetParam());
  std::size_t expected = plain.trajectory().columns().size();
  for (const Shape& shape : model.animation()) {
    for (const Shape::Part& part : shape.parts) {
      if (part.column.empty()) continue;
      EXPECT_TRUE(drawn.trajectory().find_column(part.column)) << part.column;
    }
  }
  for (; expected < drawn.trajectory().columns().size(); ++expected) {
    EXPECT_TRUE(drawn.trajectory().columns()[expected].starts_with("animate."));
  }
}

INSTANTIATE_TEST_SUITE_P(Tree, EveryModel, testing::ValuesIn(files_in("/models")),
                         [](const auto& info) {
                           const fs::path path(info.param);
                           return path.parent_path().filename().string() + "_" +
                                  path.stem().string();
                         });

// Whatever else is drawn, and judged: nothing in the run may move.
TEST(Animation, LooksAtEverythingAndChangesNothing) {
  for (const char* file :
       {"mosterman/cradle", "mosterman/stiction", "mosterman/tank", "circuits/rectifier",
        "circuits/buck", "mechanics/pendulum_pin", "mechanics/stick_slip",
        "lee/bouncing_ball_modal", "lee/pushing", "lee/mixed_controller", "lee/simultaneous"}) {
    const std::string text = text_of(CRADLE_ROOT "/models/" + std::string(file) + ".cradle");
    const std::string path = CRADLE_ROOT "/models/" + std::string(file) + ".cradle";
    const Model plain = Model::load(path);
    ASSERT_TRUE(plain.ok()) << file;
    const Model drawn = Model::load_text(path, with_everything_drawn(plain, text));
    ASSERT_TRUE(drawn.ok()) << drawn.diagnostics_text();
    EXPECT_GT(drawn.animation().size(), plain.animation().size() + 2) << file;
    const Simulation reference = run(plain, false);
    expect_same(reference, run(drawn, false), file);
    expect_same(reference, run(drawn, true), file);
  }
}

// ---- values ------------------------------------------------------------------------------------

const Shape& shape(const std::vector<Shape>& shapes, const std::string& name) {
  for (const Shape& shape : shapes) {
    if (shape.name == name) return shape;
  }
  ADD_FAILURE() << "no shape " << name;
  return shapes.front();
}

std::optional<double> part(const Simulation& run, const Shape& shape, const std::string& role,
                           std::size_t row) {
  for (const Shape::Part& part : shape.parts) {
    if (part.role != role) continue;
    if (part.column.empty()) return part.constant;
    const auto value =
        run.trajectory().value(row, run.trajectory().find_column(part.column).value());
    return value ? std::optional(value->finite) : std::nullopt;
  }
  ADD_FAILURE() << "no " << role;
  return std::nullopt;
}

// Nobody watches what only the animation compares; at every row it is what it is there.
TEST(Animation, JudgesComparisonsAtEveryRow) {
  const Model model = Model::load_text("m", R"(model M {
    x = integral(1)
    late = x > 1.25
    hit = rising(x - 1)
    last = fby(0, hold(sample(x, hit), 0))
    animate {
      circle c at (x, if x > 0.75 then 5 else 4) radius 2 when late
      line l from (sample(x, hit), 0) to (pi, last) when not late
      box b at (sqrt(x - 1), 0) size (x, 1)
    }
    show x
    until 2
  })");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.every = 0.125;
  options.record_animation = true;
  Simulation run(model, options);
  run.run();
  const std::vector<Shape> shapes = model.animation();
  EXPECT_EQ(shape(shapes, "c").fill, "blue");
  EXPECT_EQ(shape(shapes, "b").fill, "grey");
  EXPECT_EQ(shape(shapes, "l").fill, "black");
  const Trajectory& rows = run.trajectory();
  int events = 0, compared = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double x = rows.value(r, 0)->finite;
    EXPECT_EQ(part(run, shape(shapes, "c"), "x", r), x);
    EXPECT_EQ(part(run, shape(shapes, "c"), "y", r), x > 0.75 ? 5 : 4) << x;
    EXPECT_EQ(part(run, shape(shapes, "c"), "visible", r), x > 1.25 ? 1 : 0) << x;
    EXPECT_EQ(part(run, shape(shapes, "l"), "visible", r), x > 1.25 ? 0 : 1) << x;
    EXPECT_EQ(part(run, shape(shapes, "l"), "x2", r), std::acos(-1.0));
    EXPECT_EQ(part(run, shape(shapes, "b"), "x", r).has_value(), x >= 1) << x;
    events += part(run, shape(shapes, "l"), "x", r) ? 1 : 0;
    compared += x > 1.25 ? 1 : 0;
  }
  EXPECT_EQ(events, 1);
  EXPECT_GT(compared, 3);
}

// Inside an instant it is what the microstep says, with the state after the jump.
TEST(Animation, FollowsTheMicrosteps) {
  const Model model = Model::load_text("m", R"(model M {
    hit = falling(x)
    v = integral(-10, 0, delay(sample(-1.5 * pre(v), hit)))
    x = integral(v, 5)
    animate { circle c at (v, x) radius 1 }
    show v, x
    until 2
  })");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  Options options;
  options.record_animation = true;
  Simulation run(model, options);
  run.run();
  const std::vector<Shape> shapes = model.animation();
  const Trajectory& rows = run.trajectory();
  bool jumped = false;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ(part(run, shapes[0], "x", r), rows.value(r, 0)->finite) << r;
    EXPECT_EQ(part(run, shapes[0], "y", r), rows.value(r, 1)->finite) << r;
    jumped |= rows.instant(r).step > 1;
  }
  EXPECT_TRUE(jumped);
}

TEST(Animation, OneColumnForOneExpression) {
  const Model model = Model::load_text("m", R"(model M {
    x = integral(1)
    animate {
      circle a at (x, x) radius 1
      circle b at (x, 2 * x) radius 1
    }
    until 1
  })");
  Options options;
  options.record_animation = true;
  Simulation run(model, options);
  run.run();
  EXPECT_EQ(run.trajectory().columns(),
            (std::vector<std::string>{"x", "animate.a.x", "animate.b.y"}));
}

TEST(Animation, IsKeptByReduce) {
  const Model model = Model::load_text("m", R"(
    component Ball { input x  animate { circle disc at (x, 0.5) radius 0.5 } }
    model M {
      0 a
      1 v
      I body(2, p = 1)
      Se push = 3
      push -> a -> v -> body
      x = integral(v.f)
      Ball ball(x = x)
      modal m { mode on { y = integral(1) animate { line l from (0, y) to (x, y) when y > 1 } } }
      animate { box ball_disc at (x, v.f) size (1, a.e) label "2 \"m\"" }
      until 1
    })");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Reduction reduced = model.reduce();
  ASSERT_TRUE(reduced.ok());
  EXPECT_LT(0U, reduced.steps.size());
  const Model again = Model::load_text("again", reduced.text);
  ASSERT_TRUE(again.ok()) << again.diagnostics_text();
  const std::vector<Shape> shapes = again.animation();
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shape(shapes, "ball_disc").label, "2 \"m\"");
  EXPECT_EQ(shape(shapes, "ball_disc_2").parts[2].constant, 0.5);
  EXPECT_EQ(shape(shapes, "m.on.l").parts.back().role, "visible");
}

}  // namespace
}  // namespace cradle
