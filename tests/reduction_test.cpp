// What `reduce` writes is the model, and a reduced model runs as the one that it was made from:
// on every model of the tree and on random bond graphs with more junctions, TF and GY than needed.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

#include "api/implementation.hpp"
#include "cradle/cradle.hpp"
#include "theory/reduce/reduce.hpp"
#include "theory/reduce/write.hpp"

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

// All that can be read, but for the modes of automata that stand in modes themselves: recorded by
// name they are always there, read in a text they are absent while their own mode is not active.
std::vector<std::string> names_of(const Model& of) {
  const model::Model& model = of.impl().folded();
  std::vector<std::string> names = model.readable_names();
  std::erase_if(names, [&model](const std::string& name) {
    const expr::Node& node = model.pool[model.readable.at(name)];
    return node.op == expr::Op::InMode && model.automata[AutomatonId(at(node.ref))].region.valid();
  });
  return names;
}

// The model with all this in its `show`, so that the text has it too.
model::Model showing_everything(const Model& of, bool values = true) {
  model::Model copy = values ? of.impl().folded()
                             : model::fold_decided(of.impl().flat(), of.impl().plan->binding());
  copy.show.clear();
  for (const std::string& name : names_of(of)) copy.show.push_back({name, copy.readable.at(name)});
  return copy;
}

Options options_for_comparison(bool steps) {
  Options options;
  options.choice = ChoicePolicy::Order;
  options.record_steps = steps;
  return options;
}

Simulation run_original(const Model& model, bool steps) {
  Options options = options_for_comparison(steps);
  options.select = names_of(model);
  Simulation run(model, options);
  run.run();
  return run;
}

Simulation run_text(const Model& model, bool steps) {
  Simulation run(model, options_for_comparison(steps));
  run.run();
  return run;
}

std::string not_same_bits(const Trajectory& a, const Trajectory& b,
                          const std::vector<std::string>& names) {
  if (a.size() != b.size()) {
    return std::to_string(a.size()) + " rows and " + std::to_string(b.size());
  }
  auto same = [](double x, double y) {
    return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  };
  for (std::size_t row = 0; row < a.size(); ++row) {
    const std::string place = " at " + to_string(a.instant(row));
    if (a.instant(row) != b.instant(row) || a.kind(row) != b.kind(row))
      return "the instant" + place;
    for (std::size_t c = 0; c < names.size(); ++c) {
      const auto x = a.value(row, *a.find_column(names[c])), y = b.value(row, c);
      bool equal = x.has_value() == y.has_value();
      if (equal && x) equal = same(x->finite, y->finite) && same(x->impulse, y->impulse);
      if (!equal) return names[c] + place;
    }
  }
  return {};
}

// The first value that differs by more than the tolerance, relative to what the name ever reaches.
std::string not_near(const Trajectory& a, const Trajectory& b,
                     const std::vector<std::string>& names, double tolerance) {
  if (a.size() != b.size()) {
    return std::to_string(a.size()) + " rows and " + std::to_string(b.size());
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::size_t column = *a.find_column(names[c]);
    double size = 1;
    for (std::size_t row = 0; row < a.size(); ++row) {
      if (const auto x = a.value(row, column)) {
        if (std::isfinite(x->finite)) size = std::max(size, std::abs(x->finite));
        size = std::max(size, std::abs(x->impulse));
      }
    }
    for (std::size_t row = 0; row < a.size(); ++row) {
      const std::string place = " at " + to_string(a.instant(row));
      if (a.kind(row) != b.kind(row)) return "the kind of row" + place;
      if (std::abs(a.instant(row).t - b.instant(row).t) > tolerance) return "the time" + place;
      const auto x = a.value(row, column), y = b.value(row, c);
      bool near = x.has_value() == y.has_value();
      if (near && x) {
        near = (x->finite == y->finite || std::abs(x->finite - y->finite) <= tolerance * size) &&
               std::abs(x->impulse - y->impulse) <= tolerance * size;
      }
      if (!near) {
        return names[c] + place + ": " + (x ? to_string(*x) : "absent") + " and " +
               (y ? to_string(*y) : "absent");
      }
    }
  }
  return {};
}

TEST(Written, IsTheSameModelToTheLastBit) {
  std::vector<std::string> files = files_in("/models");
  for (const std::string& file : files_in("/tests/corpus")) files.push_back(file);
  for (const std::string& file : files) {
    const Model model = Model::load(file);
    if (!model.ok() || !model.until()) continue;
    const reduce::Written written = reduce::write(showing_everything(model));
    ASSERT_FALSE(written.fault.has_value()) << file << ": " << model.render(*written.fault);
    const Model again = Model::load_text("written.cradle", written.text);
    ASSERT_TRUE(again.ok()) << file << again.diagnostics_text();
    const Simulation a = run_original(model, true), b = run_text(again, true);
    EXPECT_EQ(a.outcome().ending, b.outcome().ending) << file;
    EXPECT_EQ(not_same_bits(a.trajectory(), b.trajectory(), names_of(model)), "") << file;
    std::string diagnostics;
    EXPECT_EQ(format_source("written", written.text, diagnostics), written.text) << file;
  }
}

TEST(Written, ParametersKeepTheirNames) {
  std::vector<std::string> files = files_in("/models");
  for (const std::string& file : files_in("/tests/corpus")) files.push_back(file);
  for (const std::string& file : files) {
    const Model model = Model::load(file);
    if (!model.ok()) continue;
    const reduce::Written written = reduce::write(showing_everything(model, false));
    ASSERT_FALSE(written.fault.has_value()) << file << ": " << model.render(*written.fault);
    const bool drawn = written.text.find("animate {") != std::string::npos;
    EXPECT_EQ(drawn, !model.animation().empty()) << file;
  }
}

// Without comments: what was done, and old names.
std::string body_of(const Reduction& reduction) {
  std::string body;
  std::istringstream lines(reduction.text);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    while (line.ends_with(' ')) line.pop_back();
    if (!line.empty()) body += line + "\n";
  }
  return body;
}

// Set before or after, a parameter that keeps its name does the same.
TEST(Reduced, ParametersCanBeSetInTheText) {
  int compared = 0;
  for (const std::string& file : files_in("/models")) {
    const Model model = Model::load(file);
    const Model text = Model::load_text("reduced.cradle", model.reduce().text);
    ASSERT_TRUE(text.ok()) << file << text.diagnostics_text();
    for (const auto& [name, value] : text.parameters()) {
      const auto known = model.parameters();
      const bool same = std::any_of(known.begin(), known.end(),
                                    [name = name](const auto& p) { return p.first == name; });
      Model a = model, b = text;
      if (!same || !a.set(name, value * 1.0625).ok()) continue;
      b.set(name, value * 1.0625);
      ASSERT_TRUE(b.ok()) << file << b.diagnostics_text();
      // Both for the second time: the first one gives labels to what has none.
      const Model once = Model::load_text("once.cradle", a.reduce(true).text);
      EXPECT_EQ(body_of(once.reduce(true)), body_of(b.reduce(true))) << file << " with " << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(Reduced, RunsAsTheModelDoes) {
  for (const std::string& file : files_in("/models")) {
    const Model model = Model::load(file);
    ASSERT_TRUE(model.ok()) << file;
    const Reduction plain = model.reduce();
    ASSERT_TRUE(plain.ok()) << file << ": " << model.render(plain.diagnostics.front());
    ASSERT_TRUE(Model::load_text("plain.cradle", plain.text).ok()) << file;
    if (plain.steps.empty()) continue;
    const auto reduced = reduce::reduce(showing_everything(model, false));
    const reduce::Written written = reduce::write(*reduced.model);
    ASSERT_FALSE(written.fault.has_value()) << file << ": " << model.render(*written.fault);
    const Model again = Model::load_text("reduced.cradle", written.text);
    ASSERT_TRUE(again.ok()) << file << again.diagnostics_text();
    const Simulation a = run_original(model, false), b = run_text(again, false);
    EXPECT_EQ(a.outcome().ending, b.outcome().ending) << file;
    EXPECT_EQ(not_near(a.trajectory(), b.trajectory(), names_of(model), 1e-6), "") << file;
    const EnergyAudit x = a.audit(), y = b.audit();
    EXPECT_NEAR(x.dissipated_by_switching, y.dissipated_by_switching,
                1e-6 * (1 + std::abs(x.dissipated_by_switching)))
        << file;
  }
}

// ---- random bond graphs

// Bodies joined by springs, dampers and links that close, tanks joined by pipes that open; each
// bond may lead through junctions, TF and GY that are not needed.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::string text() {
    const int bodies = 2 + pick(3);
    for (int i = 0; i < bodies; ++i) {
      add("1 v_", i);
      add("I body_", i, "(", real(0.5, 3), ", f = ", real(-2, 2), ")");
      bond("v_", i, "body_", i, false);
      if (pick(2) == 0) {
        add("Se push_", i, " = ", real(-3, 3));
        bond("push_", i, "v_", i, true);
      }
    }
    for (int i = 1; i < bodies; ++i) join('v', pick(i), i, false);
    const int tanks = 2 + pick(2);
    for (int i = 0; i < tanks; ++i) {
      add("0 n_", i);
      add("C tank_", i, "(", real(0.5, 3), ", q = ", real(-2, 2), ")");
      bond("n_", i, "tank_", i, false);
    }
    for (int i = 1; i < tanks; ++i) join('n', pick(i), i, true);
    if (pick(2) == 0) brake("I", "f", "1", "0", "0/F");
    if (pick(2) == 0) brake("C", "e", "0", "1", "1/E");
    return "model Random {\n" + items_ + "until 1\n}\n";
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  template <class... Parts>
  void add(const Parts&... parts) {
    std::ostringstream out;
    out.precision(17);
    (out << ... << parts);
    items_ += out.str() + "\n";
  }

  // from → to, through what is not needed. Power that comes back is as it was, but for TF.
  void bond(const std::string& from, int i, const std::string& to, int j, bool may_scale) {
    std::string last = from + std::to_string(i);
    const std::string end = to + std::to_string(j);
    for (int parts = pick(4); parts > 0; --parts) {
      const std::string name = "w_" + std::to_string(next_++);
      switch (pick(may_scale ? 5 : 3)) {
        case 0:
          add("0 ", name);
          break;
        case 1:
          add("1 ", name);
          break;
        case 2:
          add(pick(2) == 0 ? "0 " : "1 ", name, "  R ", name, "_r(law(e) = ", real(0.1, 1),
              " * e)  ", name, " -> ", name, "_r");
          break;
        case 3:
          add("TF ", name, "(", pick(3) == 0 ? 1.0 : real(0.5, 2), ")");
          break;
        default:
          add("GY ", name, "(", real(0.5, 2), ")  GY ", name, "_b(", real(0.5, 2), ")");
          step(last, name);
          step(name, name + "_b");
          last = name + "_b";
          continue;
      }
      step(last, name);
      last = name;
    }
    step(last, end);
  }
  void step(const std::string& from, const std::string& to) {
    if (pick(3) > 0) return add(from, " -> ", to);
    labels_.push_back("l_" + std::to_string(next_++));
    add(labels_.back(), ": ", from, " -> ", to);
    if (pick(2) == 0) add("work_", labels_.back(), " = integral(", labels_.back(), ".e)");
  }
  // At a time, or when something has gone through a bond.
  std::string guard() {
    if (labels_.empty() || pick(2) == 0) return "time >= " + std::to_string(real(0.1, 0.9));
    const std::string& label =
        labels_[static_cast<std::size_t>(pick(static_cast<int>(labels_.size())))];
    const std::string name = "through_" + std::to_string(next_++);
    add(name, " = integral(", label, ".f ^ 2)");  // grows, and has no kink
    return name + " > " + std::to_string(real(0.1, 0.5));
  }

  // A controlled junction that lets go of what its bonds share: its neighbour must stay.
  void brake(const std::string& store, const std::string& initial, const std::string& node,
             const std::string& pad, const std::string& kind) {
    for (const char* side : {"slow_", "fast_"}) {
      add(store, " ", side, store, "(", real(0.5, 2), ", ", initial, " = ", real(-2, 2), ")");
      add(node, " n", side, store, "  n", side, store, " -> ", side, store);
    }
    add(pad, " pad_", store, "  R lining_", store, "(", real(0.1, 2), ")  pad_", store,
        " -> lining_", store);
    add(kind, " brake_", store, " initially on { on -> off when ", guard(), " }");
    step("nslow_" + store, "pad_" + store);
    step("pad_" + store, "brake_" + store);
    step("brake_" + store, "nfast_" + store);
  }

  // `dual`: tanks, where 0 and 1, C and I change places.
  void join(char family, int j, int i, bool dual) {
    const std::string node = std::string(1, family) + "_";
    const std::string name = (dual ? "pipe_" : "link_") + std::to_string(i);
    const char *usual = dual ? "1 " : "0 ", *store = dual ? "I " : "C ";
    switch (pick(3)) {
      case 0:
        add(usual, name, "  ", store, name, "_s(", real(0.1, 2), ")  ", name, " -> ", name, "_s");
        break;
      case 1:
        add(usual, name, "  R ", name, "_r(", real(0.1, 2), ")  ", name, " -> ", name, "_r");
        break;
      default:
        add(usual, name, " initially off { off -> on when ", guard(), " }");
    }
    bond(node, j, name.substr(0, 5), i, !dual);
    bond(name.substr(0, 5), i, node, i, false);
  }

  std::mt19937 random_;
  std::string items_;
  std::vector<std::string> labels_;
  int next_ = 0;
};

TEST(RandomBondGraphs, UseEveryRuleThatBondsCanNeed) {
  std::set<std::string> rules;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Model model = Model::load_text("random.cradle", Generator(seed).text());
    for (const ReductionStep& step : model.reduce().steps) rules.insert(step.rule);
  }
  EXPECT_EQ(rules,
            (std::set<std::string>{"combine", "merge", "merge-controlled", "unit", "vanish"}));
}

RC_GTEST_PROP(RandomBondGraphs, ReducedOnesRunTheSame, (uint32_t seed)) {
  const std::string text = Generator(seed).text();
  const Model model = Model::load_text("random.cradle", text);
  if (!model.ok()) RC_FAIL(text + model.diagnostics_text());
  const Simulation a = run_original(model, false);
  RC_PRE(a.outcome().finished());
  const auto reduced = reduce::reduce(showing_everything(model));
  const reduce::Written written = reduce::write(*reduced.model);
  if (written.fault) RC_FAIL(text + model.render(*written.fault));
  const Model again = Model::load_text("reduced.cradle", written.text);
  const Simulation b = run_text(again, false);
  const std::string wrong = not_near(a.trajectory(), b.trajectory(), names_of(model), 1e-6);
  if (!wrong.empty()) RC_FAIL(wrong + "\n" + text + written.text);
  const EnergyAudit x = a.audit(), y = b.audit();
  RC_ASSERT(std::abs(x.dissipated_by_switching - y.dissipated_by_switching) < 1e-6);
  RC_CLASSIFY(!reduced.steps.empty());
  // Nothing is left to do.
  RC_ASSERT(again.reduce().steps.empty());
}

}  // namespace
}  // namespace cradle
