#pragma once
// Random bond graphs as text.

#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace cradle {

// Bodies on a line or in a tree, coupled by springs, dampers, rigid links that close at given
// times, gears; and the same in an electrical dress. Always solvable: rigid links form a tree.
struct RandomModel {
  std::vector<std::string> items;
  int bodies = 0;
  std::vector<double> closing;

  std::string text(const std::string& rename = "") const {
    std::string out = "model Random {\n";
    for (std::string item : items) {
      if (!rename.empty()) {
        std::string renamed;
        for (std::size_t i = 0; i < item.size(); ++i) {
          renamed += item[i];
          if (item[i] == '_') renamed += rename;
        }
        item = renamed;
      }
      out += item + "\n";
    }
    return out + "until 1\n}\n";
  }
};

inline double pick(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// What numbers are multiplied by when efforts and flows are measured in other units.
struct Units {
  double effort = 1, flow = 1;
};

// `bodies`: 0 for a few.
inline RandomModel generate(uint32_t seed, int bodies = 0, Units units = {}) {
  const double impedance = units.effort / units.flow;
  std::mt19937 random(seed);
  RandomModel m;
  m.bodies = bodies > 0 ? bodies : 2 + static_cast<int>(random() % 5);
  auto add = [&](const auto&... parts) {
    std::ostringstream out;
    out.precision(17);
    (out << ... << parts);
    m.items.push_back(out.str());
  };
  for (int i = 0; i < m.bodies; ++i) {
    add("1 v_", i);
    const double mass = pick(random, 0.5, 3), speed = pick(random, -2, 2);
    add("I body_", i, "(", mass * impedance, ", f = ", speed * units.flow, ")");
    add("v_", i, " -> body_", i);
    if (random() % 3 == 0) {
      add("Se push_", i, " = ", pick(random, -3, 3) * units.effort);
      add("push_", i, " -> v_", i);
    }
  }
  for (int i = 1; i < m.bodies; ++i) {
    const int j = static_cast<int>(random() % static_cast<uint32_t>(i));
    const uint32_t kind = random() % 4;
    if (kind == 0) {
      add("0 s_", i);
      const double compliance = pick(random, 0.1, 2), stretch = pick(random, -1, 1);
      add("C spring_", i, "(", compliance / impedance, ", q = ", stretch * units.flow, ")");
      add("v_", j, " -> s_", i, " -> v_", i);
      add("s_", i, " -> spring_", i);
    } else if (kind == 1) {
      add("0 d_", i);
      add("R damper_", i, "(", pick(random, 0.1, 2) * impedance, ")");
      add("v_", j, " -> d_", i, " -> v_", i);
      add("d_", i, " -> damper_", i);
    } else {
      const double closes = pick(random, 0.1, 0.9);
      m.closing.push_back(closes);
      const bool gear = kind == 3;
      add("0 link_", i, " initially off { off -> on when time >= ", closes, " }");
      if (gear) {
        add("TF gear_", i, "(", pick(random, 0.5, 2), ")");
        add("v_", j, " -> gear_", i, " -> link_", i);
      } else {
        add("v_", j, " -> link_", i);
      }
      add("link_", i, " -> v_", i);
    }
  }
  return m;
}

}  // namespace cradle
