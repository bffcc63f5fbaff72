#include "theory/causality/causality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace cradle::causality {
namespace {

using elements::Kind;
using model::Junction;

// A model built by hand: names to ids, bonds as "a -> b".
class Builder {
 public:
  Builder& element(Kind kind, const std::string& name, bool law_of_effort = false) {
    model::Element e{.kind = kind,
                     .name = name,
                     .span = {},
                     .ports = {},
                     .laws = {},
                     .law_of_effort = law_of_effort,
                     .signal = {},
                     .states = {}};
    ends_[name] = {model.elements.add(std::move(e)), 0, {}};
    return *this;
  }
  Builder& zero(const std::string& name) { return junction(Junction::Kind::Zero, name); }
  Builder& one(const std::string& name) { return junction(Junction::Kind::One, name); }
  // A junction with an automaton of states on and off, each reachable from the other.
  Builder& controlled(Junction::Kind kind, Junction::Inactive inactive, const std::string& name,
                      bool on) {
    junction(kind, name);
    JunctionId id = ends_[name].junction;
    model.junctions[id].inactive = inactive;
    ExprId guard =
        model.pool.binary(expr::Op::Less, model.pool.leaf(expr::Op::Time), model.pool.constant(1));
    model::Automaton automaton;
    automaton.name = name;
    automaton.states = {"on", "off"};
    automaton.active = model.junctions[id].active = {true, false};
    automaton.initial = on ? 0 : 1;
    automaton.junction = id;
    automaton.transitions.resize(2);
    for (int i : {0, 1}) {
      automaton.transitions[static_cast<std::size_t>(i)].from = i;
      automaton.transitions[static_cast<std::size_t>(i)].to = 1 - i;
      automaton.transitions[static_cast<std::size_t>(i)].guard = guard;
    }
    model.junctions[id].automaton = model.automata.add(std::move(automaton));
    return *this;
  }
  Builder& bond(const std::string& from, const std::string& to) {
    BondId id = model.bonds.next_id();
    int32_t line = 100 * id.index;  // distinct spans, as long as the text
    model.bonds.add({from + " -> " + to,
                     attach(from, id, false),
                     attach(to, id, true),
                     {0, line, line + static_cast<int32_t>(from.size() + to.size()) + 4}});
    return *this;
  }
  ElementId id(const std::string& name) const { return ends_.at(name).element; }
  JunctionId junction_id(const std::string& name) const { return ends_.at(name).junction; }
  Assignment assign() const { return assign_causality(model, initial_mode(model)); }

  model::Model model;

 private:
  Builder& junction(Junction::Kind kind, const std::string& name) {
    auto inactive =
        kind == Junction::Kind::Zero ? Junction::Inactive::Effort : Junction::Inactive::Flow;
    ends_[name] = {{}, 0, model.junctions.add({kind, inactive, name, {}, {}, {}})};
    return *this;
  }
  model::End attach(const std::string& name, BondId bond, bool inward) {
    model::End end = ends_.at(name);
    if (end.junction.valid()) {
      model.junctions[end.junction].bonds.push_back({bond, inward});
      return end;
    }
    auto& element = model.elements[end.element];
    bool through = elements::definition(element.kind).through;
    // Port 0 of a TF or GY is the one that its half-arrow points into.
    end.port = through ? (inward ? 0 : 1) : static_cast<int>(element.ports.size());
    if (element.ports.size() <= static_cast<std::size_t>(end.port)) {
      element.ports.resize(static_cast<std::size_t>(end.port) + 1);
    }
    element.ports[static_cast<std::size_t>(end.port)] = {bond, inward};
    return end;
  }
  std::map<std::string, model::End> ends_;
};

std::string strokes(const Assignment& assignment) {
  std::string text;
  for (const auto& stroke : assignment.strokes) {
    text += !stroke.has_value() ? '?' : *stroke == Stroke::AtHead ? 'H' : 'T';
  }
  return text;
}

// Every junction has exactly one determining bond, TF and GY pass causality on: the definition of a
// causal graph, written independently of the algorithm.
void expect_causal(const model::Model& model, const Assignment& assignment) {
  auto sets_effort = [&](const model::BondEnd& end) {
    return (*assignment.strokes[static_cast<std::size_t>(end.bond.index)] == Stroke::AtTail) ==
           end.inward;
  };
  for (const auto& stroke : assignment.strokes) ASSERT_TRUE(stroke.has_value());
  for (std::size_t i = 0; i < model.junctions.size(); ++i) {
    const Junction& junction = model.junctions[JunctionId(i)];
    if (junction.bonds.empty()) continue;
    auto setting = std::count_if(junction.bonds.begin(), junction.bonds.end(), sets_effort);
    auto n = static_cast<std::ptrdiff_t>(junction.bonds.size());
    if (!is_active(model, assignment.mode, JunctionId(i))) {
      EXPECT_EQ(setting, junction.inactive == Junction::Inactive::Effort ? n : 0) << junction.name;
    } else {
      EXPECT_EQ(setting, junction.kind == Junction::Kind::Zero ? n - 1 : 1) << junction.name;
    }
  }
  for (const model::Element& element : model.elements) {
    bool first = sets_effort(element.ports[0]);
    if (element.kind == Kind::Se) {
      EXPECT_TRUE(first) << element.name;
    }
    if (element.kind == Kind::Sf) {
      EXPECT_FALSE(first) << element.name;
    }
    if (element.kind == Kind::TF) {
      EXPECT_NE(first, sets_effort(element.ports[1]));
    }
    if (element.kind == Kind::GY) {
      EXPECT_EQ(first, sets_effort(element.ports[1]));
    }
  }
}

TEST(CausalityTest, RcCircuit) {
  Builder b;
  b.element(Kind::Se, "u").element(Kind::R, "r").element(Kind::C, "c").one("i");
  b.bond("u", "i").bond("i", "r").bond("i", "c");
  Assignment a = b.assign();
  expect_causal(b.model, a);
  // u sets the effort, c sets its own, so r must set the flow: it receives the effort.
  EXPECT_EQ(strokes(a), "HHT");
  EXPECT_TRUE(a.dependent.empty());
  EXPECT_TRUE(a.loops.empty());
  EXPECT_TRUE(a.conflicts.empty());
}

TEST(CausalityTest, RigidlyCoupledInertiasDepend) {
  Builder b;
  b.element(Kind::I, "m1").element(Kind::I, "m2").element(Kind::Se, "force").one("v");
  b.bond("v", "m1").bond("v", "m2").bond("force", "v");
  Assignment a = b.assign();
  expect_causal(b.model, a);
  EXPECT_EQ(a.dependent, std::vector<ElementId>{b.id("m2")});
}

TEST(CausalityTest, ParallelCapacitancesDepend) {
  Builder b;
  b.element(Kind::C, "c1").element(Kind::C, "c2").element(Kind::R, "r").zero("n");
  b.bond("n", "c1").bond("n", "c2").bond("n", "r");
  Assignment a = b.assign();
  expect_causal(b.model, a);
  EXPECT_EQ(a.dependent, std::vector<ElementId>{b.id("c2")});
  EXPECT_TRUE(a.loops.empty());
}

TEST(CausalityTest, StoreDependsOnSource) {
  Builder b;
  b.element(Kind::Se, "u").element(Kind::C, "c").bond("u", "c");
  Assignment a = b.assign();
  EXPECT_EQ(a.dependent, std::vector<ElementId>{b.id("c")});
  EXPECT_TRUE(a.conflicts.empty());
}

TEST(CausalityTest, TwoEffortSourcesOnAZeroJunction) {
  Builder b;
  b.element(Kind::Se, "S1").element(Kind::Se, "S2").element(Kind::R, "r").zero("n1");
  b.bond("S1", "n1").bond("n1", "r").bond("S2", "n1");
  Assignment a = b.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  const Conflict& conflict = a.conflicts[0];
  EXPECT_EQ(conflict.kind, Conflict::Kind::SetTwice);
  EXPECT_EQ(conflict.junction, b.junction_id("n1"));
  EXPECT_EQ(conflict.bonds, (std::vector<BondId>{BondId(0), BondId(2)}));
  EXPECT_EQ(conflict.culprits, (std::vector<ElementId>{b.id("S1"), b.id("S2")}));

  Diagnostic d = describe_conflict(b.model, conflict, "only while valve is on (1 of 2)");
  EXPECT_EQ(d.kind, "causality.conflict");
  EXPECT_EQ(d.severity, Severity::Error);
  EXPECT_EQ(d.message, "two bonds set the effort of 0-junction n1");
  ASSERT_EQ(d.labels.size(), 2u);
  EXPECT_EQ(d.labels[0].text, "S1 fixes the effort");
  EXPECT_EQ(d.labels[1].text, "S2 fixes it again");
  EXPECT_EQ(d.labels[1].span.begin, 200);
  EXPECT_EQ(d.labels[1].span.end, 202);  // S2 -> n1: only S2
  ASSERT_EQ(d.notes.size(), 3u);
  EXPECT_EQ(d.notes[0].text, "only while valve is on (1 of 2)");
  EXPECT_EQ(d.notes[1].text, "exactly one bond sets the effort of a 0-junction");
  EXPECT_EQ(d.notes[2].text, "give one source a series resistance: a 1-junction with an R");
}

TEST(CausalityTest, CulpritsAreFoundAcrossJunctionsAndTransformers) {
  Builder b;
  b.element(Kind::Se, "S1").element(Kind::Se, "S2").element(Kind::TF, "gear").zero("a").zero("n");
  b.element(Kind::R, "r").element(Kind::R, "s");
  b.bond("S1", "a").bond("a", "gear").bond("gear", "n").bond("a", "r").bond("n", "s");
  b.bond("S2", "n");
  Assignment a = b.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  EXPECT_EQ(a.conflicts[0].junction, b.junction_id("n"));
  EXPECT_EQ(a.conflicts[0].culprits, (std::vector<ElementId>{b.id("S1"), b.id("S2")}));
  Diagnostic d = describe_conflict(b.model, a.conflicts[0], "");
  EXPECT_EQ(d.labels[0].text, "brings the effort that S1 fixes");
  EXPECT_EQ(d.labels[1].text, "S2 fixes it again");
  EXPECT_EQ(d.notes.size(), 2u);
}

TEST(CausalityTest, NothingSetsTheFlowOfAOneJunction) {
  Builder b;
  b.element(Kind::Se, "S1").element(Kind::Se, "S2").one("v").bond("S1", "v").bond("S2", "v");
  Assignment a = b.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  EXPECT_EQ(a.conflicts[0].kind, Conflict::Kind::NeverSet);
  EXPECT_TRUE(a.conflicts[0].bonds.empty());
  EXPECT_EQ(a.conflicts[0].culprits, (std::vector<ElementId>{b.id("S1"), b.id("S2")}));
  Diagnostic d = describe_conflict(b.model, a.conflicts[0], "");
  EXPECT_EQ(d.message, "no bond can set the flow of 1-junction v");
  EXPECT_EQ(d.labels[1].text, "S1 fixes the effort");
}

TEST(CausalityTest, TwoFlowSourcesOnAOneJunction) {
  Builder b;
  b.element(Kind::Sf, "S1").element(Kind::Sf, "S2").element(Kind::I, "m").one("v");
  b.bond("S1", "v").bond("S2", "v").bond("v", "m");
  Assignment a = b.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  Diagnostic d = describe_conflict(b.model, a.conflicts[0], "");
  EXPECT_EQ(d.message, "two bonds set the flow of 1-junction v");
  EXPECT_EQ(d.notes.back().text, "give one source a parallel resistance: a 0-junction with an R");
}

TEST(CausalityTest, SourcesFaceToFace) {
  Builder b;
  b.element(Kind::Sf, "S1").element(Kind::Sf, "S2").bond("S1", "S2");
  Assignment a = b.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  EXPECT_EQ(a.conflicts[0].kind, Conflict::Kind::BothEnds);
  EXPECT_EQ(a.conflicts[0].culprits, (std::vector<ElementId>{b.id("S1"), b.id("S2")}));
  Diagnostic d = describe_conflict(b.model, a.conflicts[0], "");
  EXPECT_EQ(d.message, "both ends of bond S1 -> S2 set its flow");
  EXPECT_EQ(d.labels[0].text, "S1 fixes the flow, and S2 fixes it again");
}

TEST(CausalityTest, SourcesOnBothSidesOfTransformerAndGyrator) {
  Builder b;
  b.element(Kind::Se, "S1").element(Kind::Se, "S2").element(Kind::TF, "T");
  b.bond("S1", "T").bond("T", "S2");
  Assignment a = b.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  EXPECT_EQ(a.conflicts[0].kind, Conflict::Kind::Through);
  EXPECT_EQ(a.conflicts[0].element, b.id("T"));
  Diagnostic d = describe_conflict(b.model, a.conflicts[0], "");
  EXPECT_EQ(d.message, "transformer T has the effort of both sides fixed");
  EXPECT_EQ(d.labels[0].text, "S1 fixes the effort");
  EXPECT_EQ(d.labels[1].text, "S2 fixes the effort");

  Builder g;
  g.element(Kind::Se, "S1").element(Kind::Sf, "S2").element(Kind::GY, "G");
  g.bond("S1", "G").bond("G", "S2");
  a = g.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  d = describe_conflict(g.model, a.conflicts[0], "");
  EXPECT_EQ(d.message, "gyrator G has the effort of one side and the flow of the other fixed");
  EXPECT_EQ(d.labels[0].text, "S1 fixes the effort");
  EXPECT_EQ(d.labels[1].text, "S2 fixes the flow");
}

TEST(CausalityTest, JunctionWithOneBond) {
  Builder b;
  b.element(Kind::I, "m").one("v").bond("v", "m");
  EXPECT_TRUE(b.assign().dependent.empty());
  Builder z;
  z.element(Kind::I, "m").zero("n").bond("n", "m");
  EXPECT_EQ(z.assign().dependent.size(), 1u);
  Builder s;
  s.element(Kind::Sf, "S").zero("n").bond("S", "n");
  Assignment a = s.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  EXPECT_EQ(a.conflicts[0].kind, Conflict::Kind::NeverSet);
}

TEST(CausalityTest, ResistiveLoop) {
  Builder b;
  b.element(Kind::Se, "u").element(Kind::R, "r1").element(Kind::R, "r2").one("i");
  b.bond("u", "i").bond("i", "r1").bond("i", "r2");
  Assignment a = b.assign();
  expect_causal(b.model, a);
  ASSERT_EQ(a.loops.size(), 1u);
  EXPECT_EQ(a.loops[0].started_at, b.id("r1"));
  EXPECT_EQ(a.loops[0].bonds, (std::vector<BondId>{BondId(1), BondId(2)}));
  EXPECT_EQ(strokes(a), "HTH");  // r1 sets its effort, as e = law(f) is written
}

TEST(CausalityTest, ResistorLawTheOtherWayRound) {
  Builder b;
  b.element(Kind::Se, "u").element(Kind::R, "r1", true).element(Kind::R, "r2").one("i");
  b.bond("u", "i").bond("i", "r1").bond("i", "r2");
  EXPECT_EQ(strokes(b.assign()), "HHT");
}

TEST(CausalityTest, TransformerAndGyratorPropagate) {
  Builder b;  // a motor: voltage, winding, gyrator, rotor, gear, load
  b.element(Kind::Se, "u").element(Kind::I, "winding").element(Kind::GY, "motor");
  b.element(Kind::I, "rotor").element(Kind::TF, "gear").element(Kind::I, "load");
  b.one("i").one("w");
  b.bond("u", "i").bond("i", "winding").bond("i", "motor").bond("motor", "w");
  b.bond("w", "rotor").bond("w", "gear").bond("gear", "load");
  Assignment a = b.assign();
  expect_causal(b.model, a);
  EXPECT_EQ(a.dependent, std::vector<ElementId>{b.id("load")});  // rigid through the gear
  EXPECT_TRUE(a.loops.empty());
  EXPECT_EQ(strokes(a), "HHTHHTT");
}

TEST(CausalityTest, InactiveJunctionsOfAllKinds) {
  for (auto kind : {Junction::Kind::Zero, Junction::Kind::One}) {
    for (auto inactive : {Junction::Inactive::Effort, Junction::Inactive::Flow}) {
      Builder b;
      b.element(Kind::I, "m1").element(Kind::I, "m2").controlled(kind, inactive, "J", false);
      b.bond("J", "m1").bond("m2", "J");
      Assignment a = b.assign();
      expect_causal(b.model, a);
      EXPECT_TRUE(a.conflicts.empty());
      bool effort = inactive == Junction::Inactive::Effort;
      EXPECT_EQ(strokes(a), effort ? "HT" : "TH");
      // Under zero effort inertias coast; under zero flow they are held.
      EXPECT_EQ(a.dependent.size(), effort ? 0u : 2u);
    }
  }
}

TEST(CausalityTest, InactiveJunctionAgainstASource) {
  Builder b;
  b.element(Kind::Sf, "pump").one("pipe");
  b.controlled(Junction::Kind::One, Junction::Inactive::Flow, "valve", true);
  b.element(Kind::R, "r");
  b.bond("pump", "pipe").bond("pipe", "valve").bond("valve", "r");
  EXPECT_TRUE(b.assign().conflicts.empty());
  Assignment off = assign_causality(b.model, {1});
  ASSERT_EQ(off.conflicts.size(), 1u);
  Diagnostic d = describe_conflict(b.model, off.conflicts[0], "only while valve is off (1 of 2)");
  EXPECT_EQ(d.message, "two bonds set the flow of 1-junction pipe");
  EXPECT_EQ(d.labels[0].text, "pump fixes the flow");
  EXPECT_EQ(d.labels[1].text, "inactive 1-junction valve fixes it again");
}

TEST(CausalityTest, CradleOfMosterman) {
  Builder b;
  for (auto name : {"body1", "body2", "body3"}) b.element(Kind::I, name);
  b.element(Kind::Sf, "impact").one("v1").one("v2").one("v3");
  b.controlled(Junction::Kind::Zero, Junction::Inactive::Effort, "F13", false);
  b.controlled(Junction::Kind::Zero, Junction::Inactive::Effort, "F23", true);
  b.bond("v1", "body1").bond("v2", "body2").bond("v3", "body3");
  b.bond("v1", "F13").bond("F13", "v3").bond("impact", "F13").bond("v3", "F23").bond("F23", "v2");
  bool complete = false;
  auto modes = enumerate_modes(b.model, 10, complete);
  EXPECT_TRUE(complete);
  ASSERT_EQ(modes.size(), 4u);
  EXPECT_EQ(describe(b.model, modes[0]), "{F13 off, F23 on}");
  std::map<std::string, std::size_t> dependent;
  for (const Mode& mode : modes) {
    Assignment a = assign_causality(b.model, mode);
    expect_causal(b.model, a);
    EXPECT_TRUE(a.conflicts.empty());
    dependent[describe(b.model, mode)] = a.dependent.size();
  }
  EXPECT_EQ(dependent["{F13 off, F23 off}"], 0u);
  EXPECT_EQ(dependent["{F13 on, F23 off}"], 1u);
  EXPECT_EQ(dependent["{F13 off, F23 on}"], 1u);
  EXPECT_EQ(dependent["{F13 on, F23 on}"], 2u);
}

TEST(CausalityTest, ParallelBondsWithoutSolution) {
  Builder b;  // three bonds, each of which determines one of two 0-junctions
  b.zero("a").zero("b").bond("a", "b").bond("a", "b").bond("a", "b");
  Assignment a = b.assign();
  ASSERT_EQ(a.conflicts.size(), 1u);
  EXPECT_EQ(a.conflicts[0].kind, Conflict::Kind::Unresolved);
  Diagnostic d = describe_conflict(b.model, a.conflicts[0], "");
  EXPECT_EQ(d.kind, "causality.unresolved");
  EXPECT_EQ(d.severity, Severity::Warning);
  EXPECT_EQ(strokes(a), "???");
}

TEST(CausalityTest, LoopOfJunctionsAlone) {
  Builder b;
  b.zero("a").zero("b").bond("a", "b").bond("a", "b");
  Assignment a = b.assign();
  expect_causal(b.model, a);
  ASSERT_EQ(a.loops.size(), 1u);
  EXPECT_FALSE(a.loops[0].started_at.valid());
}

TEST(CausalityTest, BondFromAJunctionToItself) {
  for (bool zero : {true, false}) {
    Builder b;
    b.element(Kind::R, "r");
    zero ? b.zero("j") : b.one("j");
    b.bond("j", "j").bond("j", "r");
    EXPECT_EQ(b.assign().strokes.size(), 2u);
  }
}

TEST(CausalityTest, UnconnectedPiecesAreNoConflict) {
  Builder b;
  b.zero("alone");
  EXPECT_TRUE(b.assign().conflicts.empty());
  EXPECT_TRUE(assign_causality(model::Model{}, {}).strokes.empty());
}

// A transmission line of n sections: I on 1-junctions, C on 0-junctions.
Builder chain(int n) {
  Builder b;
  b.element(Kind::Se, "u");
  std::string last = "u";
  for (int i = 0; i < n; ++i) {
    std::string k = std::to_string(i);
    b.one("v" + k).element(Kind::I, "m" + k).zero("n" + k).element(Kind::C, "c" + k);
    b.bond(last, "v" + k).bond("v" + k, "m" + k).bond("v" + k, "n" + k).bond("n" + k, "c" + k);
    last = "n" + k;
  }
  return b;
}

TEST(CausalityTest, TenThousandElements) {
  Builder b = chain(5000);
  Assignment a = b.assign();
  expect_causal(b.model, a);
  EXPECT_TRUE(a.dependent.empty());
}

TEST(CausalityTest, TenThousandBondsOnOneJunction) {
  Builder b;
  b.zero("n");
  for (int i = 0; i < 10000; ++i) {
    b.element(i % 2 == 0 ? Kind::C : Kind::Se, "x" + std::to_string(i));
    b.bond(i % 2 == 0 ? "n" : "x" + std::to_string(i), i % 2 == 0 ? "x" + std::to_string(i) : "n");
  }
  Assignment a = b.assign();
  EXPECT_EQ(a.conflicts.size(), 1u);
  EXPECT_EQ(a.dependent.size(), 5000u);
}

TEST(ModesTest, BreadthFirstAndBounded) {
  Builder b;
  for (int i = 0; i < 40; ++i) {
    b.controlled(Junction::Kind::Zero, Junction::Inactive::Effort, "J" + std::to_string(i), true);
  }
  bool complete = true;
  auto modes = enumerate_modes(b.model, 50, complete);
  EXPECT_FALSE(complete);
  ASSERT_EQ(modes.size(), 50u);
  auto changed = [](const Mode& mode) { return std::count(mode.begin(), mode.end(), 1); };
  EXPECT_EQ(changed(modes[0]), 0);
  EXPECT_EQ(changed(modes[1]), 1);
  EXPECT_EQ(changed(modes[40]), 1);
  EXPECT_EQ(changed(modes[41]), 2);
  std::sort(modes.begin(), modes.end());
  EXPECT_EQ(std::unique(modes.begin(), modes.end()), modes.end());
}

TEST(ModesTest, StatesThatCannotBeReachedAreLeftOut) {
  Builder b;
  b.controlled(Junction::Kind::Zero, Junction::Inactive::Effort, "J", true);
  b.model.automata[AutomatonId(0)].transitions.clear();
  bool complete = false;
  EXPECT_EQ(enumerate_modes(b.model, 50, complete).size(), 1u);
  EXPECT_TRUE(complete);
}

TEST(PrintTest, Text) {
  Builder b;
  b.model.name = "Coupled";
  b.element(Kind::I, "m1").element(Kind::I, "m2").one("v").bond("v", "m1").bond("v", "m2");
  EXPECT_EQ(print_text(b.model, {b.assign()}, true),
            "Coupled: 2 elements, 1 junction, 2 bonds\n"
            "The stroke | is at the end that receives the effort and sets the flow.\n"
            "\n"
            "the only mode\n"
            "  v ⇀| m1   v sets the effort, m1 the flow\n"
            "  v |⇀ m2   m2 sets the effort, v the flow\n"
            "  1 dependent store:\n"
            "    m2: its momentum follows from other stores and sources\n"
            "  no algebraic loops\n");
}

TEST(PrintTest, TextOfConflictsAndModes) {
  Builder b;
  b.element(Kind::Sf, "pump").one("pipe").element(Kind::R, "r");
  b.controlled(Junction::Kind::One, Junction::Inactive::Flow, "valve", true);
  b.bond("pump", "pipe").bond("pipe", "valve").bond("valve", "r");
  b.model.bonds[BondId(1)].name = "inlet";
  std::string text =
      print_text(b.model, {assign_causality(b.model, {0}), assign_causality(b.model, {1})}, false);
  EXPECT_NE(text.find("mode {valve on}, the initial one\n"), std::string::npos) << text;
  EXPECT_NE(text.find("mode {valve off}\n"), std::string::npos) << text;
  EXPECT_NE(text.find("inlet: pipe |⇀ valve"), std::string::npos) << text;
  EXPECT_NE(text.find("conflict: two bonds set the flow of 1-junction pipe (from pump, valve)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("There are more modes than these 2."), std::string::npos) << text;
}

TEST(PrintTest, Json) {
  Builder b;
  b.element(Kind::Se, "S1").element(Kind::Se, "S2").zero("n");
  b.controlled(Junction::Kind::One, Junction::Inactive::Flow, "sw", true);
  b.element(Kind::R, "r1").element(Kind::R, "r2");
  b.bond("S1", "n").bond("S2", "n").bond("n", "sw").bond("sw", "r1").bond("sw", "r2");
  auto json = nlohmann::json::parse(print_json(b.model, {b.assign()}, true));
  EXPECT_EQ(json["complete"], true);
  auto mode = json["modes"][0];
  EXPECT_EQ(mode["mode"]["sw"], "on");
  EXPECT_EQ(mode["initial"], true);
  EXPECT_EQ(mode["bonds"][0]["stroke"], "head");
  EXPECT_EQ(mode["bonds"][0]["effort_set_by"], "S1");
  EXPECT_EQ(mode["conflicts"][0]["junction"], "n");
  EXPECT_EQ(mode["conflicts"][0]["culprits"], (std::vector<std::string>{"S1", "S2"}));
  EXPECT_EQ(mode["loops"][0]["started_at"], "r1");
  EXPECT_TRUE(mode["dependent"].empty());
}

}  // namespace
}  // namespace cradle::causality
