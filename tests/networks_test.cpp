// Random passive networks of diodes, with stores and sources, ideal and resistive, floating or not,
// and their duals (bodies and contacts): the mode in which the first instant settles, and all that
// is read there, against exact arithmetic; small networks also against a search through all modes.
// What has no finite solution must be refused, and nothing else.
//
// NETWORKS says how many, SEED where to begin. A network that fails is made smaller before it is
// shown (not with SHRINK=0); the one that is being tried stands in network.cradle in the working
// directory.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "cradle/cradle.hpp"
#include "exact_network.hpp"

namespace cradle::exact {

// ---- networks ----------------------------------------------------------------------------------

// Without what has no meaning: a part from a node to itself, loops of ideal sources, and what no
// part but a source joins to the reference.
Network tidied(Network network) {
  const auto size = static_cast<std::size_t>(network.nodes) + 1;
  std::vector<std::size_t> source(size), joined(size);
  for (std::size_t i = 0; i < size; ++i) source[i] = joined[i] = i;
  const auto join = [&](std::vector<std::size_t>& groups, const Part& part) {
    const std::size_t a = groups[static_cast<std::size_t>(part.a)];
    const std::size_t b = groups[static_cast<std::size_t>(part.b)];
    for (std::size_t& g : groups) {
      if (g == std::max(a, b)) g = std::min(a, b);
    }
    return a != b;
  };
  std::erase_if(network.parts, [&](const Part& part) {
    return part.a == part.b ||
           (part.kind == Part::Kind::Voltage && part.is_ideal() && !join(source, part));
  });
  for (const Part& part : network.parts) {
    if (part.kind != Part::Kind::Current) join(joined, part);
  }
  std::erase_if(network.parts, [&](const Part& part) {
    return joined[static_cast<std::size_t>(part.a)] != 0 ||
           joined[static_cast<std::size_t>(part.b)] != 0;
  });
  // Nodes are numbered as they are met.
  std::vector<int> number(size, 0);
  network.nodes = 0;
  for (Part& part : network.parts) {
    for (int* const end : {&part.a, &part.b}) {
      int& own = number[static_cast<std::size_t>(*end)];
      if (*end != 0 && own == 0) own = ++network.nodes;
      *end = own;
    }
  }
  return network;
}

struct Names {
  bool dual;
  std::string node(int i) const { return "n" + std::to_string(i); }
  std::string part(std::size_t k) const { return "b" + std::to_string(k); }
  std::string potential(int i) const { return node(i) + (dual ? ".f" : ".e"); }
  std::string flow(std::size_t k, bool diode) const {
    return part(k) + (dual ? ".e" : diode ? ".i" : ".f");
  }
};

std::string model_text(const Network& network) {
  std::ostringstream out;
  out.precision(17);
  const bool dual = network.dual;
  const Names name{dual};
  const char* const node_kind = dual ? "  1 " : "  0 ";
  const char* const branch_kind = dual ? "  0 " : "  1 ";
  if (!dual) out << "import \"std/electrical/diode.cradle\"\n";
  out << "model Network {\n" << (dual ? "  Sf" : "  Se") << " ground = 0\n";
  for (int i = 0; i <= network.nodes; ++i) out << node_kind << name.node(i) << '\n';
  out << "  ground -> n0\n";
  for (std::size_t k = 0; k < network.parts.size(); ++k) {
    const Part& part = network.parts[k];
    const std::string b = name.part(k), from = name.node(part.a), to = name.node(part.b);
    const auto hang = [&](const char* kind, const std::string& law) {
      out << "  " << kind << " x" << k << law << "\n  " << b << " -> x" << k << '\n';
    };
    const auto number = [](double value) {
      std::ostringstream text;
      text.precision(17);
      text << value;
      return text.str();
    };
    const auto resistance = [&](int power) {
      out << "  R r" << k << "(" << std::ldexp(1.0, dual ? -power : power) << ")\n  " << b
          << " -> r" << k << '\n';
    };
    if (part.is_diode() && !dual) {
      out << "  Diode " << b << "(" << part.value << ", "
          << (part.is_ideal() ? 0.0 : std::ldexp(1.0, part.power)) << ")\n  " << from << " -> " << b
          << ".a\n  " << b << ".b -> " << to << '\n';
      continue;
    }
    out << branch_kind << b;
    if (part.is_diode()) {
      out << " initially off { off -> on when " << name.potential(part.a) << " - "
          << name.potential(part.b) << " > " << part.value << " on -> off when " << b << ".e < 0 }";
    }
    out << "\n  " << from << " -> " << b << " -> " << to << '\n';
    const std::string size = number(std::ldexp(1.0, part.power));
    switch (part.kind) {
      case Part::Kind::Resistor:
        resistance(part.power);
        break;
      case Part::Kind::Voltage:
      case Part::Kind::Diode:
        if (part.value != 0 || !part.is_diode())
          hang(dual ? "Sf" : "Se", " = " + number(part.value));
        if (!part.is_ideal()) resistance(part.power);
        break;
      case Part::Kind::Current:
        hang(dual ? "Se" : "Sf", " = " + number(part.value));
        break;
      case Part::Kind::Inductor:
        hang(dual ? "C" : "I",
             "(" + size + (dual ? ", q = " : ", p = ") + number(part.value) + ")");
        break;
      case Part::Kind::Capacitor:
        hang(dual ? "I" : "C",
             "(" + size + (dual ? ", p = " : ", q = ") + number(part.value) + ")");
        break;
    }
  }
  out << "  until 1\n}\n";
  return out.str();
}

void showValue(const Network& network, std::ostream& out) { out << model_text(network); }

// ---- drawing them ------------------------------------------------------------------------------

struct Size {
  int nodes, others, diodes;
  int powers = 3;  // R, L and C are within this power of two
};

// Half of them have small whole numbers, which make ties.
rc::Gen<Network> networks(Size size) {
  return rc::gen::exec([size] {
    const auto full = [](auto gen) { return rc::gen::resize(rc::kNominalSize, gen); };
    Network out;
    out.nodes = *full(rc::gen::inRange(1, size.nodes + 1));
    const bool ties = *rc::gen::arbitrary<bool>();
    out.dual = *rc::gen::arbitrary<bool>();
    const int resistive = *rc::gen::element(0, 5, 10);  // of ten
    const int kinds = *rc::gen::element(0, 1, 2);       // no stores, some, many
    const bool ideal_sources = *rc::gen::arbitrary<bool>();
    const auto ends = [nodes = out.nodes](Part& part) {
      part.a = *rc::gen::inRange(0, nodes + 1);
      part.b = *rc::gen::inRange(0, nodes + 1);
    };
    const auto value = [ties] {
      return ties ? *rc::gen::inRange(-2, 3) : *rc::gen::inRange(-10000, 10001) / 1024.0;
    };
    const auto other = rc::gen::exec([=] {
      Part part;
      using Kind = Part::Kind;
      part.kind = kinds == 0 ? *rc::gen::element(Kind::Resistor, Kind::Resistor, Kind::Resistor,
                                                 Kind::Voltage, Kind::Current)
                             : *rc::gen::element(Kind::Resistor, Kind::Resistor, Kind::Voltage,
                                                 Kind::Inductor, Kind::Capacitor, Kind::Current);
      ends(part);
      part.power = *rc::gen::inRange(-size.powers, size.powers + 1);
      if (part.kind == Kind::Voltage && !ideal_sources) part.power = -std::abs(part.power);
      part.value = value();
      if (part.is_store() && kinds == 1 && *rc::gen::arbitrary<bool>()) part.value = 0;
      return part;
    });
    const auto diode = rc::gen::exec([=] {
      Part part;
      part.kind = Part::Kind::Diode;
      ends(part);
      part.power =
          *rc::gen::inRange(0, 10) < resistive ? -size.powers * *rc::gen::element(1, 2, 3) : 1;
      part.value = *rc::gen::element(0.0, 0.0, 0.0, 0.25, 0.75);
      return part;
    });
    using Parts = std::vector<Part>;
    out.parts = *rc::gen::resize(size.others, rc::gen::container<Parts>(full(other)));
    const Parts diodes = *rc::gen::resize(size.diodes, rc::gen::container<Parts>(full(diode)));
    out.parts.insert(out.parts.end(), diodes.begin(), diodes.end());
    return tidied(out);
  });
}

// ---- the comparison ----------------------------------------------------------------------------

constexpr int kClear = -150;  // beyond the second derivative, and before what δ decides

struct Settled {
  bool finished = false;
  std::string said;
  Mode mode;
  std::map<std::string, double> values;
};

Settled settle(const Network& network, const Names& name, double until = 0) {
  const std::string text = model_text(network);
  std::ofstream("network.cradle") << text;
  const Model model = Model::load_text("network.cradle", text);
  if (!model.ok()) throw std::logic_error(model.diagnostics_text());
  Options options;
  options.until = until;
  options.select_everything = true;
  Simulation run(model, options);
  run.run();
  Settled out;
  out.finished = run.outcome().finished();
  for (const Diagnostic& d : run.outcome().diagnostics) {
    if (d.kind != "energy.start") out.said += d.kind + ": " + d.message + '\n';
  }
  const Trajectory& rows = run.trajectory();
  out.mode.assign(network.parts.size(), false);
  if (rows.size() == 0) return out;
  const std::size_t last = rows.size() - 1;
  for (std::size_t k = 0; k < network.parts.size(); ++k) {
    if (!network.parts[k].is_diode()) continue;
    const auto automaton = rows.find_automaton(name.part(k) + (network.dual ? "" : ".D"));
    out.mode[k] = rows.mode(last, *automaton) == "on";
  }
  for (std::size_t c = 0; c < rows.columns().size(); ++c) {
    if (const auto value = rows.value(last, c)) out.values[rows.columns()[c]] = value->finite;
  }
  return out;
}

class Comparison {
 public:
  Comparison(const Network& network, bool search)
      : network_(network), name_{network.dual}, search_(search), found_(settle(network, name_)) {}

  // What is wrong, or nothing.
  std::string judge() {
    Solver solver(network_);
    Mode mode = found_.mode;
    Solution solution;
    for (int step = 0;; ++step) {
      if (step == 50) return "the reference jumps without end";
      if (std::string wrong = settle_exactly(solver, mode); !wrong.empty()) return wrong;
      solution = solver.solve(mode);
      if (!Solver::is_finite(solution)) {
        finite = false;
        return found_.finished ? "a mode is accepted that has no finite solution" : "";
      }
      if (!solver.commit(solution)) break;
      jumped = true;
    }
    if (!found_.finished) return "refused, although there is a mode: " + found_.said;
    same_mode = mode == found_.mode;
    if (!same_mode) {
      const Solution theirs = solver.solve(found_.mode);
      const auto enabled = solver.first_enabled(found_.mode, theirs, kClear);
      if (enabled) return "the mode is left by " + name_.part(enabled->part);
    }
    return compare(solver, solution);
  }

  bool finite = true, jumped = false, same_mode = true;

 private:
  std::string settle_exactly(const Solver& solver, Mode& mode) const {
    mode = solver.pivot(mode);
    if (!search_) return {};
    const std::vector<Mode> all = solver.search();
    for (const Mode& other : all) {
      if (other == mode) return {};
    }
    return "pivoting ends elsewhere than a search";
  }

  // Without `same_mode`, what only the parasitics decide may be shared otherwise.
  std::string compare(const Solver& solver, const Solution& s) const {
    double scale = 1;
    for (std::size_t k = 0; k < network_.parts.size(); ++k) {
      scale = std::max({scale, std::abs(s.flow(k)), std::abs(s.drop(k))});
    }
    std::ostringstream wrong;
    const auto expect = [&](const std::string& column, double right) {
      const double got = found_.values.at(column);
      if (!(std::abs(got - right) <= 1e-9 * scale)) {
        wrong << column << " is " << got << " instead of " << right << '\n';
      }
    };
    for (std::size_t k = 0; k < network_.parts.size(); ++k) {
      const Part& part = network_.parts[k];
      if (part.kind == Part::Kind::Voltage && part.is_ideal()) continue;
      if (part.is_diode() && !same_mode) continue;
      if (part.is_store()) {
        const bool flux = (part.kind == Part::Kind::Inductor) != network_.dual;
        expect("x" + std::to_string(k) + (flux ? ".p" : ".q"), solver.stored(k));
      }
      expect(name_.flow(k, part.is_diode()), s.flow(k));
    }
    for (int i = 1; i <= network_.nodes && same_mode; ++i) {
      expect(name_.potential(i), s.potential(static_cast<std::size_t>(i)));
    }
    return wrong.str();
  }

  const Network& network_;
  const Names name_;
  const bool search_;
  const Settled found_;
};

// ---- the tests ---------------------------------------------------------------------------------

int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

// `judge` says what is wrong with a network, or nothing; of `share` in a hundred of all networks.
template <class Judge>
void expect_of_networks(const char* what, Size size, int share, const Judge& judge) {
  rc::detail::TestParams params;
  params.seed = static_cast<uint64_t>(number_in("SEED", 1));
  params.maxSuccess = std::max(1, number_in("NETWORKS", 300) * share / 100);
  params.disableShrinking = number_in("SHRINK", 1) == 0;
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = what;
  const auto result = rc::detail::checkTestable(
      [&] {
        const std::string wrong = judge(*networks(size));
        if (!wrong.empty()) RC_FAIL(wrong);
      },
      metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  ADD_FAILURE() << text.str();
}

struct Tally {
  int tried = 0, infinite = 0, jumped = 0, tied = 0;
};

Tally expect_agreement(const char* what, Size size, bool search, int share) {
  Tally tally;
  expect_of_networks(what, size, share, [&](const Network& network) {
    Comparison comparison(network, search);
    const std::string wrong = comparison.judge();
    ++tally.tried;
    tally.infinite += comparison.finite ? 0 : 1;
    tally.jumped += comparison.jumped ? 1 : 0;
    tally.tied += comparison.same_mode ? 0 : 1;
    return wrong;
  });
  std::cout << what << ": " << tally.tried << " networks, " << tally.jumped << " with jumps, "
            << tally.infinite << " without a solution, " << tally.tied << " ties\n";
  return tally;
}

TEST(Networks, SmallOnesAgreeWithASearchThroughAllModes) {
  const Tally tally = expect_agreement("small", {4, 8, 8}, true, 50);
  EXPECT_GT(tally.jumped, 0);
  EXPECT_GT(tally.infinite, 0);
}

TEST(Networks, LargerOnesAgreeWithLeastIndexPivoting) {
  expect_agreement("larger", {10, 20, 50}, false, 30);
}

TEST(Networks, LargeOnesAgreeWithLeastIndexPivoting) {
  expect_agreement("large", {16, 40, 200}, false, 5);
}

// What settles goes on for ever: sources are constant, and nothing else delivers energy. Where it
// goes, small steps of the reference say.
std::string judge_run(const Network& network) {
  const Names name{network.dual};
  if (!settle(network, name).finished) return {};
  const Settled found = settle(network, name, 1);
  if (!found.said.empty() || !found.finished) return "does not go on: " + found.said;
  constexpr int kStep = 10;
  Solver solver(network, kStep);
  Mode mode(network.parts.size(), false);
  for (int step = 0; step < 1 << kStep; ++step) {
    mode = solver.pivot(mode);
    solver.commit(solver.solve(mode));
  }
  double scale = 1;
  for (const auto& [column, value] : found.values) scale = std::max(scale, std::abs(value));
  std::ostringstream wrong;
  for (std::size_t k = 0; k < network.parts.size(); ++k) {
    const Part& part = network.parts[k];
    if (!part.is_store()) continue;
    const bool flux = (part.kind == Part::Kind::Inductor) != network.dual;
    const double got = found.values.at("x" + std::to_string(k) + (flux ? ".p" : ".q"));
    if (!(std::abs(got - solver.stored(k)) < 0.03 * scale)) {
      wrong << "x" << k << " is " << got << " instead of about " << solver.stored(k) << '\n';
    }
  }
  return wrong.str();
}

TEST(Networks, RunsAgreeWithSmallSteps) { expect_of_networks("runs", {4, 8, 6, 1}, 15, judge_run); }

}  // namespace cradle::exact
