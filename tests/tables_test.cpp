// Tables: curves and surfaces through points, which stand in the model or in a CSV file.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cradle/conform.hpp"
#include "cradle/cradle.hpp"
#include "show/text/csv.hpp"

namespace cradle {
namespace {

namespace fs = std::filesystem;

// A folder of files, as long as a test lasts.
class Tables : public ::testing::Test {
 protected:
  Tables() { fs::create_directories(folder_); }
  ~Tables() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  Model model(const std::string& body) const {
    Model out = Model::load(write("model.cradle", "model M {\n" + body + "\n}\n"));
    EXPECT_TRUE(out.ok()) << out.diagnostics_text();
    return out;
  }
  const fs::path folder_ =
      fs::temp_directory_path() / ("cradle-tables-" + std::to_string(::getpid()));
};

double last(const Simulation& run, const std::string& name) {
  const Trajectory& rows = run.trajectory();
  const auto value = rows.value(rows.size() - 1, *rows.find_column(name));
  EXPECT_TRUE(value) << name;
  return value ? value->finite : NAN;
}

double end_of(const Model& model, const std::string& name, double until) {
  Options options;
  options.until = until;
  Simulation run(model, options);
  EXPECT_TRUE(run.run().finished());
  return last(run, name);
}

std::string rows_of(const Model& model) {
  std::string csv;
  text::CsvWriter writer([&](std::string_view text) { csv += text; });
  Simulation run(model);
  EXPECT_TRUE(run.stream_to(writer).run().finished());
  return csv;
}

const char* const kCircuit = "  R r(1)\n  C c(1)\n  1 j\n  u -> j\n  j -> r\n  j -> c\n  until 5\n";

TEST_F(Tables, OfAFileAreThoseOfItsPoints) {
  write("drive.csv", "0,0\n1,2\n2,1\n4,-0.5\n");
  for (const char* method : {"linear", "cubic", "held"}) {
    const auto with = [&](const std::string& points) {
      return rows_of(
          model("Se u = table(time, " + points + ", method = " + method + ")\n" + kCircuit));
    };
    EXPECT_EQ(with("\"drive.csv\""), with("[[0, 0], [1, 2], [2, 1], [4, -0.5]]")) << method;
  }
}

TEST_F(Tables, AreReadHoweverTheyAreWritten) {
  const Model wanted =
      model(std::string("Se u = table(time, [[0, 0], [1, 2], [4, -0.5]])\n") + kCircuit);
  const std::string rows = rows_of(wanted);
  for (const char* text : {
           "0,0\n1,2\n4,-0.5",
           "\xEF\xBB\xBFt,u\r\n0,0\r\n1,2\r\n4,-0.5\r\n",
           "# measured\n\n t ; u \n0 ; 0\n\n# a pause\n 1;+2\n4e0;-5.0E-1\n",
           "\"the \"\"time\"\"\"\t\"u, in volts\"\n\"0\"\t0\n1\t\"2\"\n4\t-.5\n",
           "t [ms],u [mV]\n0,0\n1000,2e3\n4000,-500\n",
       }) {
    write("drive.csv", text);
    const Model read = model(std::string("Se u = table(time, \"drive.csv\")\n") + kCircuit);
    const std::string own = rows_of(read);  // the names may have units
    EXPECT_EQ(own.substr(own.find('\n')), rows.substr(rows.find('\n'))) << text;
  }
}

TEST_F(Tables, OfManyColumnsAreReadByNameOrNumber) {
  write("many.csv", "t,kind,u,v\n0,rest,1,10\n2,drive,3,30\n");
  const Model read = model(
      "a = table(time, \"many.csv\", column = \"u\")\nb = table(time, \"many.csv\", column = 4)\n"
      "until 1\nshow a, b");
  Simulation run(read);
  run.run();
  EXPECT_EQ(last(run, "a"), 2);
  EXPECT_EQ(last(run, "b"), 20);
}

TEST_F(Tables, CarryTheUnitsOfTheirFile) {
  write("hot.csv", "t [min],T [degC]\n0,20\n1,80\n");
  const Model read = model("T = table(time, \"hot.csv\")\nuntil 30 s\nshow T");
  Simulation run(read);
  run.run();
  EXPECT_DOUBLE_EQ(last(run, "T"), 273.15 + 50);
}

TEST_F(Tables, OfTimeHaveTheirPointsAsInstants) {
  write("drive.csv", "-1,5\n0.1,0\n0.7,2\n1.3,1\n");
  const Model read = model("x = integral(table(time, \"drive.csv\"), 0)\nuntil 2\nshow x");
  Simulation run(read);
  EXPECT_TRUE(run.run().finished());
  std::vector<double> times;
  for (std::size_t row = 0; row < run.trajectory().size(); ++row) {
    times.push_back(run.trajectory().instant(row).t);
  }
  for (const double t : {0.1, 0.7, 1.3}) {
    EXPECT_NE(std::find(times.begin(), times.end(), t), times.end()) << t;
  }
  EXPECT_EQ(run.statistics().events, 3);
  // Trapezia, and the last value held.
  const double start = 5 * 0.1 / 1.1;
  EXPECT_NEAR(last(run, "x"), 0.5 * start * 0.1 + 0.6 * 1 + 0.6 * 1.5 + 0.7 * 1, 1e-12);
}

TEST_F(Tables, ThatAreHeldLeap) {
  write("steps.csv", "0,1\n1,3\n2,-1\n");
  const Model read =
      model("x = integral(table(time, \"steps.csv\", method = held), 0)\nuntil 3\nshow x");
  EXPECT_NEAR(end_of(read, "x", 3), 1 + 3 - 1, 1e-12);
  EXPECT_NEAR(end_of(read, "x", 1.5), 1 + 1.5, 1e-12);
}

TEST_F(Tables, OfManyPointsAreExact) {
  std::string text;
  double sum = 0, before = 0;
  constexpr int kPoints = 1000;
  for (int i = 0; i <= kPoints; ++i) {
    const double y = std::round(std::sin(0.37 * i) * 1e6) / 1e6;
    text += std::to_string(i) + "," + std::to_string(y) + "\n";
    if (i > 0) sum += 0.5 * (before + y);
    before = y;
  }
  write("long.csv", text);
  const Model read = model("x = integral(table(time, \"long.csv\"), 0)\nuntil 1000\nshow x");
  EXPECT_NEAR(end_of(read, "x", kPoints), sum, 1e-9);
}

TEST_F(Tables, AreLookedUpBesideTheFileThatNamesThem) {
  write("parts/curve.csv", "0,0\n1,5\n");
  write("parts/part.cradle", "component Part { input x  output y = table(x, \"curve.csv\") }\n");
  write("main.cradle",
        "import \"parts/part.cradle\"\nmodel M { Part p(x = time)  until 1  show p.y }\n");
  const std::string main = (folder_ / "main.cradle").string();
  const Model read = Model::load(main, {}, folder_.string());
  ASSERT_TRUE(read.ok()) << read.diagnostics_text();
  EXPECT_NEAR(end_of(read, "p.y", 1), 5, 1e-12);
  // The file is one of those that the model is made of, so that nothing writes over it.
  EXPECT_EQ(read.sources().file(static_cast<int32_t>(read.sources().size()) - 1).name,
            (folder_ / "parts/curve.csv").string());
}

TEST_F(Tables, StayInTheFolderOfTheModels) {
  write("secret.csv", "0,0\n1,5\n");
  write("inner/main.cradle", "model M { y = table(time, \"../secret.csv\")  until 1 }\n");
  const std::string main = (folder_ / "inner/main.cradle").string();
  EXPECT_TRUE(Model::load(main).ok());
  const Model refused = Model::load(main, {}, (folder_ / "inner").string());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.diagnostics()[0].kind, "import.outside");
}

const char* const kGrid = "[[0, 0, 1, 3], [0, 1, 2, 4], [2, 5, 0, 1], [3, 5, 5, 5]]";

// What a bilinear table means, from its four neighbours.
double bilinear(double x, double y) {
  const double xs[] = {0, 2, 3}, ys[] = {0, 1, 3};
  const double z[3][3] = {{1, 2, 4}, {5, 0, 1}, {5, 5, 5}};
  x = std::clamp(x, 0.0, 3.0);
  y = std::clamp(y, 0.0, 3.0);
  const int i = x < 2 ? 0 : 1, j = y < 1 ? 0 : 1;
  const double u = (x - xs[i]) / (xs[i + 1] - xs[i]), v = (y - ys[j]) / (ys[j + 1] - ys[j]);
  return (1 - u) * ((1 - v) * z[i][j] + v * z[i][j + 1]) +
         u * ((1 - v) * z[i + 1][j] + v * z[i + 1][j + 1]);
}

TEST_F(Tables, OfTwoArgumentsAreBilinear) {
  write("grid.csv", "x\\y;0;1;3\n0;1;2;4\n2;5;0;1\n3;5;5;5\n");
  for (const std::string& points : {std::string(kGrid), std::string("\"grid.csv\"")}) {
    for (double x = -0.75; x < 4; x += 0.5) {
      for (double y = -0.5; y < 4; y += 0.75) {
        std::ostringstream body;
        body << "param x = " << x << ", y = " << y << "\nz = table2(x, y, " << points
             << ")\nuntil 1\nshow z";
        EXPECT_NEAR(end_of(model(body.str()), "z", 0), bilinear(x, y), 1e-12) << x << " " << y;
      }
    }
  }
}

TEST_F(Tables, OfTwoArgumentsHaveLocatedKinks) {
  const Model read = model(std::string("a = 0.9 * time\nb = 3 - time\nx = integral(table2(a, b, ") +
                           kGrid + "), 0)\nuntil 4\nshow x");
  Simulation run(read);
  EXPECT_TRUE(run.run().finished());
  // Borders: of b at 0, 2 and 3, of a at 0, 20/9 and 10/3.
  double sum = 0;
  constexpr int kPieces = 400000;
  for (int i = 0; i < kPieces; ++i) {
    const double t = (i + 0.5) * 4 / kPieces;
    sum += bilinear(0.9 * t, 3 - t) * 4 / kPieces;
  }
  EXPECT_NEAR(last(run, "x"), sum, 1e-9);
  EXPECT_GE(run.statistics().events, 4);
}

TEST_F(Tables, OfTwoArgumentsEndAsTheySay) {
  const auto value = [&](double x, double y, const std::string& extend) {
    std::ostringstream body;
    body << "param x = " << x << ", y = " << y << "\nz = table2(x, y, " << kGrid
         << ", extend = " << extend << ")\nuntil 1\nshow z";
    return end_of(model(body.str()), "z", 0);
  };
  EXPECT_EQ(value(-1, 0, "linear"), -1);  // 1 + 2 x
  EXPECT_EQ(value(0, 5, "linear"), 6);    // 4 + (y − 3)
  EXPECT_EQ(value(3, 3, "error"), 5);
  EXPECT_EQ(value(0, 0, "error"), 1);
  EXPECT_TRUE(std::isnan(value(-0.1, 0, "error")));
  EXPECT_TRUE(std::isnan(value(1, 3.1, "error")));
}

TEST_F(Tables, AreCheckedAndReducedAsRun) {
  write("drive.csv", "0,0\n1,2\n2,1\n4,-0.5\n");
  const Model read =
      model(std::string("Se u = table(time, \"drive.csv\")\nz = table2(time, c.q, ") + kGrid +
            ")\n" + kCircuit + "show c.q, u.e, z");
  const std::string rows = rows_of(read);
  EXPECT_TRUE(check_conformance(read, rows).ok());
  const Reduction reduction = read.reduce();
  ASSERT_TRUE(reduction.ok());
  const Model reduced = Model::load_text("reduced.cradle", reduction.text);
  ASSERT_TRUE(reduced.ok()) << reduced.diagnostics_text();
  EXPECT_NEAR(end_of(reduced, "c.q", 5), end_of(read, "c.q", 5), 1e-12);
}

}  // namespace
}  // namespace cradle
