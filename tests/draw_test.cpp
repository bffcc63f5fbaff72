// Pictures are compared by structure: what stands in the SVG, not where.

#include "cradle/draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

namespace cradle {
namespace {

Model load(const std::string& name, const std::vector<Setting>& settings = {}) {
  Model model = Model::load(CRADLE_ROOT "/models/" + name, settings);
  EXPECT_TRUE(model.ok()) << model.diagnostics_text();
  return model;
}

// One start tag, with the text up to its end tag.
struct Tag {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<Tag> children;
  std::string text;

  bool is(const std::string& css_class) const {
    const auto found = attributes.find("class");
    if (found == attributes.end()) return false;
    return (" " + found->second + " ").find(" " + css_class + " ") != std::string::npos;
  }
  std::string operator[](const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? "" : found->second;
  }
  // All below this one, at any depth.
  std::vector<const Tag*> all(const std::string& css_class) const {
    std::vector<const Tag*> out;
    for (const Tag& child : children) {
      if (child.is(css_class)) out.push_back(&child);
      for (const Tag* deeper : child.all(css_class)) out.push_back(deeper);
    }
    return out;
  }
  const Tag* find(const std::string& css_class, const std::string& attribute,
                  const std::string& value) const {
    for (const Tag* tag : all(css_class)) {
      if ((*tag)[attribute] == value) return tag;
    }
    return nullptr;
  }
};

std::string unescaped(std::string text) {
  const std::pair<const char*, const char*> names[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
  for (const auto& [name, sign] : names) {
    for (std::size_t i = text.find(name); i != std::string::npos; i = text.find(name, i + 1)) {
      text.replace(i, std::string(name).size(), sign);
    }
  }
  return text;
}

// As much XML as the pictures have; anything that is not well formed fails.
Tag parse_svg(const std::string& svg) {
  Tag root;
  std::vector<Tag> open = {root};
  std::size_t i = 0;
  while (i < svg.size()) {
    const std::size_t start = svg.find('<', i);
    open.back().text += unescaped(svg.substr(i, start - i));
    if (start == std::string::npos) break;
    const std::size_t end = svg.find('>', start);
    if (end == std::string::npos) {
      ADD_FAILURE() << "a tag without end";
      break;
    }
    std::string inside = svg.substr(start + 1, end - start - 1);
    i = end + 1;
    if (inside[0] == '/') {
      EXPECT_GT(open.size(), 1u);
      EXPECT_EQ(open.back().name, inside.substr(1));
      if (open.size() < 2) break;
      Tag done = std::move(open.back());
      open.pop_back();
      open.back().children.push_back(std::move(done));
      continue;
    }
    const bool empty = inside.back() == '/';
    if (empty) inside.pop_back();
    Tag tag;
    tag.name = inside.substr(0, inside.find(' '));
    static const std::regex attribute("([a-zA-Z-]+)=\"([^\"]*)\"");
    for (std::sregex_iterator a(inside.begin(), inside.end(), attribute), none; a != none; ++a) {
      tag.attributes[(*a)[1]] = unescaped((*a)[2]);
    }
    if (empty) {
      open.back().children.push_back(std::move(tag));
    } else {
      open.push_back(std::move(tag));
    }
  }
  EXPECT_EQ(open.size(), 1u) << "tags that are not closed";
  return open.front();
}

Tag picture(const Model& model, const ModeSelection& mode = {}) {
  DrawOptions options;
  options.mode = mode;
  return parse_svg(draw_svg(model, options));
}

// Every bond once, with one half-arrow and one stroke, at the end that `causality` tells.
void expect_strokes(const Model& model, const ModeSelection& mode) {
  const Tag svg = picture(model, mode);
  const auto told = nlohmann::json::parse(model.causality_json(&mode))["modes"][0];
  const auto bonds = svg.all("bond");
  ASSERT_EQ(bonds.size(), told["bonds"].size());
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    const auto& bond = told["bonds"][i];
    const Tag& drawn = *bonds[i];
    EXPECT_EQ(drawn["data-bond"], bond["name"]);
    EXPECT_EQ(drawn["data-from"], bond["from"]);
    EXPECT_EQ(drawn["data-to"], bond["to"]);
    EXPECT_EQ(drawn.all("half-arrow").size(), 1u);
    const bool open = bond["stroke"].is_null();
    EXPECT_EQ(drawn.all("causal-stroke").size(), open ? 0u : 1u);
    EXPECT_EQ(drawn["data-stroke"], open ? "none" : bond["stroke"] == "head" ? "to" : "from");
  }
  std::set<std::string> dependent, wanted;
  for (const Tag* element : svg.all("element")) {
    if (element->is("dependent")) dependent.insert((*element)["data-element"]);
  }
  for (const auto& name : told["dependent"]) wanted.insert(name);
  EXPECT_EQ(dependent, wanted);
}

TEST(Draw, StrokesAndDependentStoresAreThoseOfCausality) {
  const Model cradle = load("mosterman/cradle.cradle");
  for (const char* f13 : {"on", "off"}) {
    for (const char* f23 : {"on", "off"}) expect_strokes(cradle, {{{"F13", f13}, {"F23", f23}}});
  }
  const Model flyback = load("circuits/flyback.cradle");
  expect_strokes(flyback, {});
  expect_strokes(flyback, {{{"diode.D", "on"}}});
  expect_strokes(load("mechanics/motor.cradle"), {});
  expect_strokes(load("circuits/bridge.cradle"), {});
}

// Where a stroke is drawn, not only what is said about it: its middle is an end of the line.
TEST(Draw, TheStrokeStandsAtItsEnd) {
  const Tag svg = picture(load("mechanics/motor.cradle"));
  const auto numbers = [](const Tag* path) {
    std::vector<double> out;
    const std::string d = (*path)["d"];
    static const std::regex number("-?[0-9.]+");
    for (std::sregex_iterator n(d.begin(), d.end(), number), none; n != none; ++n) {
      out.push_back(std::stod(n->str()));
    }
    return out;
  };
  for (const Tag* bond : svg.all("bond")) {
    const auto line = numbers(bond->all("line")[0]);
    const auto stroke = numbers(bond->all("causal-stroke")[0]);
    const auto arrow = numbers(bond->all("half-arrow")[0]);
    ASSERT_EQ(line.size(), 4u);
    const std::size_t end = (*bond)["data-stroke"] == "to" ? 2 : 0;
    EXPECT_NEAR((stroke[0] + stroke[2]) / 2, line[end], 0.2);
    EXPECT_NEAR((stroke[1] + stroke[3]) / 2, line[end + 1], 0.2);
    EXPECT_NEAR(arrow[0], line[2], 0.2);
    EXPECT_NEAR(arrow[1], line[3], 0.2);
  }
}

TEST(Draw, InactiveJunctionsAndTheirBondsFollowTheMode) {
  const Model model = load("mosterman/cradle.cradle");
  const Tag initial = picture(model);
  EXPECT_TRUE(initial.find("junction", "data-junction", "F13")->is("inactive"));
  EXPECT_FALSE(initial.find("junction", "data-junction", "F23")->is("inactive"));
  EXPECT_FALSE(initial.find("junction", "data-junction", "v1")->is("controlled"));
  EXPECT_TRUE(initial.find("bond", "data-bond", "v1 -> F13")->is("inactive"));
  EXPECT_FALSE(initial.find("bond", "data-bond", "v3 -> F23")->is("inactive"));
  const Tag other = picture(model, {{{"F13", "on"}, {"F23", "off"}}});
  EXPECT_FALSE(other.find("junction", "data-junction", "F13")->is("inactive"));
  EXPECT_EQ((*other.find("junction", "data-junction", "F23"))["data-active"], "false");
  EXPECT_TRUE(other.find("element", "data-element", "body3")->is("dependent"));
}

TEST(Draw, AutomataStandThereWithTheirStates) {
  const Tag svg = picture(load("mosterman/cradle.cradle"), {{{"F13", "on"}}});
  ASSERT_EQ(svg.all("automaton").size(), 2u);
  const Tag& contact = *svg.find("automaton", "data-automaton", "F13");
  ASSERT_EQ(contact.all("state").size(), 2u);
  EXPECT_TRUE(contact.find("state", "data-state", "on")->is("present"));
  EXPECT_FALSE(contact.find("state", "data-state", "off")->is("present"));
  EXPECT_TRUE(contact.find("state", "data-state", "off")->is("initial"));
  ASSERT_EQ(contact.all("transition").size(), 2u);
  for (const Tag* transition : contact.all("transition")) {
    EXPECT_TRUE(transition->is("physical"));
    EXPECT_EQ(transition->all("guard")[0]->text.substr(0, 2), "ε");
  }
  const Tag& breakaway = *svg.find("automaton", "data-automaton", "F23");
  for (const Tag* transition : breakaway.all("transition")) {
    EXPECT_FALSE(transition->is("physical"));
  }
}

TEST(Draw, TooltipsTellGuardsAndLawsInFull) {
  const std::string svg = draw_svg(load("mosterman/cradle.cradle"));
  EXPECT_NE(svg.find("off -&gt; on after eps when x1 &gt;= x3 and"), std::string::npos) << svg;
  EXPECT_NE(svg.find("inertia body1\nf = "), std::string::npos);
}

TEST(Draw, LongGuardsAreBrokenWhereConditionsJoin) {
  const Tag svg = picture(load("mechanics/balls.cradle", {{"N", 2}}));
  std::vector<std::string> lines;
  for (const Tag* line : svg.all("transition").at(0)->all("guard")) lines.push_back(line->text);
  EXPECT_EQ(lines, (std::vector<std::string>{"ε: x[i] ≥ x[i + 1]", "and restitution > 0",
                                             "and dv[i] > v_rest"}));
}

TEST(Draw, ModalModelsAreStateMachinesNestedOnesInside) {
  const Tag svg = picture(load("lee/friction.cradle"));
  EXPECT_TRUE(svg.all("bond").empty());
  const Tag* masses = svg.find("automaton", "data-automaton", "masses");
  ASSERT_NE(masses, nullptr);
  const Tag* sliding = masses->find("state", "data-state", "sliding");
  ASSERT_NE(sliding, nullptr);
  ASSERT_EQ(sliding->all("automaton").size(), 1u);
  EXPECT_EQ(sliding->all("state").size(), 2u);
  // Not there while the masses stick: none of its states is the present one.
  for (const Tag* state : sliding->all("state")) EXPECT_FALSE(state->is("present"));
  EXPECT_EQ(masses->all("transition").size(), 5u);
}

// However the mode is written.
TEST(Draw, ModesShowTheirItems) {
  const Model model =
      Model::load_text("m",
                       "model M {\n"
                       "  modal heater initially off {\n"
                       "    mode off { power = 0 }  // nothing\n"
                       "    mode on {\n"
                       "      power = 2 +\n"
                       "          3  // in kW\n"
                       "      animate { circle lamp at (0, 0) radius 1 }\n"
                       "      modal fan initially slow { mode slow { speed = 1 } }\n"
                       "    }\n"
                       "    off -> on when time > 1\n"
                       "  }\n"
                       "}\n");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Tag svg = picture(model);
  std::vector<std::string> laws;
  for (const Tag* law : svg.all("law")) laws.push_back(law->text);
  EXPECT_EQ(laws, (std::vector<std::string>{"power = 0", "power = 2 + 3", "speed = 1"}));
}

TEST(Draw, ConflictsAndLoopsAreMarked) {
  const Model conflict = Model::load_text(
      "c", "model M {\n  Se a = 1\n  Se b = 2\n  0 n\n  a -> n\n  b -> n\n  R r(1)\n  n -> r\n}\n");
  ASSERT_TRUE(conflict.ok()) << conflict.diagnostics_text();
  EXPECT_TRUE(picture(conflict).find("junction", "data-junction", "n")->is("conflict"));
  const Model loop = Model::load_text(
      "l", "model M {\n  Se u = 1\n  R a(1), b(2)\n  1 i\n  u -> i -> a\n  i -> b\n}\n");
  ASSERT_TRUE(loop.ok()) << loop.diagnostics_text();
  EXPECT_FALSE(picture(loop).all("loop").empty());
}

TEST(Draw, LabelsOfBondsAreShown) {
  const Model model = Model::load_text(
      "l", "model M {\n  C c(1, e = 1)\n  R r(1)\n  1 i\n  i -> r\n  left: i -> c\n}\n");
  ASSERT_TRUE(model.ok()) << model.diagnostics_text();
  const Tag svg = picture(model);
  ASSERT_EQ(svg.all("label").size(), 1u);
  EXPECT_EQ(svg.all("label")[0]->text, "left");
}

TEST(Draw, TheSameBytesEachTime) {
  for (const char* name : {"mosterman/cradle.cradle", "circuits/bridge.cradle",
                           "lee/friction.cradle", "lee/fixed_point_fby.cradle"}) {
    EXPECT_EQ(draw_svg(load(name)), draw_svg(load(name))) << name;
  }
}

TEST(Draw, LightAndDarkDifferInTheirColoursOnly) {
  const Model model = load("mosterman/cradle.cradle");
  std::string light = draw_svg(model), dark = draw_svg(model, {.mode = {}, .dark = true});
  EXPECT_NE(light, dark);
  const auto behind_style = [](const std::string& svg) { return svg.substr(svg.find("</style>")); };
  EXPECT_EQ(behind_style(light), behind_style(dark));
}

TEST(Draw, BigModelsAreDrawnWhole) {
  const Model model = load("circuits/diode_ladder.cradle", {{"N", 200}});
  const std::string first = draw_svg(model);
  const Tag svg = parse_svg(first);
  EXPECT_EQ(svg.all("junction").size(), 401u);
  EXPECT_EQ(svg.all("automaton").size(), 200u);
  EXPECT_TRUE(first == draw_svg(model));
}

struct TextBox {
  std::string text;
  double left, right, top, bottom;
};

// All texts with the room that they take in an ordinary sans-serif font.
void collect_texts(const Tag& tag, std::vector<TextBox>& out) {
  if (tag.name == "text") {
    std::string text;
    for (const Tag& span : tag.children) text += span.text;
    text += tag.text;
    const double size = tag.is("heading") ? 18 : tag.is("small") ? 11 : 13;
    const double letters = static_cast<double>(std::count_if(
        text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
    const double width = 0.55 * size * letters;
    const double x = std::stod(tag["x"]), y = std::stod(tag["y"]);
    const double left = tag.is("start") || tag.is("heading") ? x : x - width / 2;
    out.push_back({text, left, left + width, y - 0.75 * size, y + 0.15 * size});
  }
  for (const Tag& child : tag.children) collect_texts(child, out);
}

std::vector<std::string> all_models() {
  std::vector<std::string> out;
  const std::filesystem::path folder = CRADLE_ROOT "/models";
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".cradle") {
      out.push_back(std::filesystem::relative(file.path(), folder).string());
    }
  }
  std::sort(out.begin(), out.end());
  EXPECT_GT(out.size(), 30u);
  return out;
}

TEST(Draw, TextsDoNotOverlap) {
  for (const std::string& name : all_models()) {
    std::vector<TextBox> texts;
    collect_texts(picture(load(name)), texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      for (std::size_t j = i + 1; j < texts.size(); ++j) {
        const TextBox &a = texts[i], &b = texts[j];
        EXPECT_TRUE(a.right <= b.left || b.right <= a.left || a.bottom <= b.top ||
                    b.bottom <= a.top)
            << name << ": " << a.text << " over " << b.text;
      }
    }
  }
}

// ---- What lies on what, by the geometry that stands in the SVG

struct Line {
  double x1, y1, x2, y2;
};
struct Named {
  std::string name;
  TextBox room;
};
struct Geometry {
  std::vector<Named> boxes;              // automata
  std::vector<Named> solid;              // elements and junctions
  std::vector<Named> texts;              // names of elements and junctions, labels of bonds
  std::vector<std::vector<Line>> bonds;  // with barb and stroke
  std::vector<Line> ties;
};

std::vector<Line> lines_of(const Tag& path) {
  std::vector<double> n;
  const std::string d = path["d"];
  static const std::regex number("-?[0-9.]+");
  for (std::sregex_iterator i(d.begin(), d.end(), number), none; i != none; ++i) {
    n.push_back(std::stod(i->str()));
  }
  std::vector<Line> out;
  for (std::size_t i = 0; i + 3 < n.size(); i += 2) {
    out.push_back({n[i], n[i + 1], n[i + 2], n[i + 3]});
  }
  return out;
}

double value(const Tag& tag, const char* name) { return std::stod(tag[name]); }

TextBox rectangle(const Tag& tag) {
  const double x = value(tag, "x"), y = value(tag, "y");
  return {"", x, x + value(tag, "width"), y, y + value(tag, "height")};
}

Geometry geometry(const Tag& svg) {
  Geometry out;
  const auto add_texts = [&](const Tag& tag) {
    std::vector<TextBox> found;
    collect_texts(tag, found);
    for (const TextBox& text : found) out.texts.push_back({text.text, text});
  };
  for (const Tag* group : svg.all("automata")) {
    for (const Tag& automaton : group->children) {
      out.boxes.push_back({automaton["data-automaton"], rectangle(*automaton.all("panel")[0])});
    }
  }
  for (const Tag* element : svg.all("element")) {
    out.solid.push_back({(*element)["data-element"], rectangle(*element->all("box")[0])});
    add_texts(*element);
  }
  for (const Tag* junction : svg.all("junction")) {
    const Tag& c = *junction->all("circle")[0];
    const double x = value(c, "cx"), y = value(c, "cy"), r = value(c, "r");
    out.solid.push_back({(*junction)["data-junction"], {"", x - r, x + r, y - r, y + r}});
    add_texts(*junction->all("name")[0]);
  }
  for (const Tag* bond : svg.all("bond")) {
    std::vector<Line>& lines = out.bonds.emplace_back();
    for (const char* part : {"line", "half-arrow", "causal-stroke"}) {
      for (const Tag* path : bond->all(part)) {
        for (const Line& line : lines_of(*path)) lines.push_back(line);
      }
    }
    for (const Tag* label : bond->all("label")) add_texts(*label);
  }
  for (const Tag* tie : svg.all("tie")) out.ties.push_back(lines_of(*tie).at(0));
  return out;
}

bool overlap(const TextBox& a, const TextBox& b) {
  return std::min(a.right, b.right) > std::max(a.left, b.left) &&
         std::min(a.bottom, b.bottom) > std::max(a.top, b.top);
}

// Does the line pass through it? Finely sampled; a grazed corner is none.
bool passes(const Line& line, const TextBox& box) {
  const double length = std::hypot(line.x2 - line.x1, line.y2 - line.y1);
  const int steps = static_cast<int>(2 * length) + 1;
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    const double x = line.x1 + t * (line.x2 - line.x1), y = line.y1 + t * (line.y2 - line.y1);
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
  }
  return false;
}
bool passes(const std::vector<Line>& lines, const TextBox& box) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const Line& line) { return passes(line, box); });
}

// A text may stand on its own element; so only texts and bonds, texts and boxes are compared.
struct Overlaps {
  std::vector<std::string> on_boxes;  // boxes of automata on anything, ties on boxes or texts
  std::vector<std::string> on_texts;  // bonds on texts
};

Overlaps overlaps(const Geometry& g) {
  Overlaps out;
  for (std::size_t i = 0; i < g.boxes.size(); ++i) {
    const auto& [name, room] = g.boxes[i];
    const auto add = [&, &name = name](const std::string& what) {
      out.on_boxes.push_back(name + " on " + what);
    };
    for (std::size_t j = i + 1; j < g.boxes.size(); ++j) {
      if (overlap(room, g.boxes[j].room)) add(g.boxes[j].name);
    }
    for (const Named& other : g.solid) {
      if (overlap(room, other.room)) add(other.name);
    }
    for (const Named& text : g.texts) {
      if (overlap(room, text.room)) add(text.name);
    }
    for (const std::vector<Line>& bond : g.bonds) {
      if (passes(bond, room)) add("a bond");
    }
    // Ties stand in the order of the boxes that they lead to.
    for (std::size_t t = 0; t < g.ties.size(); ++t) {
      if (t != i && passes(g.ties[t], room)) add("a tie");
    }
  }
  for (const Named& text : g.texts) {
    for (const Line& tie : g.ties) {
      if (passes(tie, text.room)) out.on_boxes.push_back("a tie on " + text.name);
    }
    for (const std::vector<Line>& bond : g.bonds) {
      if (passes(bond, text.room)) out.on_texts.push_back("a bond on " + text.name);
    }
  }
  return out;
}

void expect_free(const std::string& name, const std::vector<Setting>& settings = {}) {
  const Overlaps found = overlaps(geometry(picture(load(name, settings))));
  for (const std::string& what : found.on_boxes) ADD_FAILURE() << name << ": " << what;
  for (const std::string& what : found.on_texts) ADD_FAILURE() << name << ": " << what;
}

TEST(Draw, BoxesKeepOffEverythingAndTextsOffBonds) {
  for (const std::string& name : all_models()) expect_free(name);
  for (double n : {2, 3, 4, 5, 6, 8, 10, 12}) {
    expect_free("mechanics/balls.cradle", {{"N", n}});
    expect_free("circuits/diode_ladder.cradle", {{"N", n}});
  }
}

// The same check sees what it is meant to see.
TEST(Draw, WhatLiesOnSomethingIsSeen) {
  const Geometry fine = geometry(picture(load("mosterman/cradle.cradle")));
  ASSERT_EQ(fine.boxes.size(), 2u);
  ASSERT_EQ(fine.ties.size(), 2u);
  const auto on_boxes = [](const Geometry& g) { return overlaps(g).on_boxes.size(); };
  EXPECT_EQ(on_boxes(fine), 0u);
  const auto moved_to = [&](double x, double y) {
    Geometry out = fine;
    TextBox& room = out.boxes[0].room;
    room = {"", x - 5, x + 5, y - 5, y + 5};
    return out;
  };
  const auto moved_onto = [&](const TextBox& place) { return moved_to(place.left, place.top); };
  EXPECT_GT(on_boxes(moved_onto(fine.boxes[1].room)), 0u);
  EXPECT_GT(on_boxes(moved_onto(fine.texts[0].room)), 0u);
  EXPECT_GT(on_boxes(moved_onto(fine.solid[0].room)), 0u);
  const Line bond = fine.bonds[0][0];
  EXPECT_GT(on_boxes(moved_to((bond.x1 + bond.x2) / 2, (bond.y1 + bond.y2) / 2)), 0u);
  Geometry tied = fine;
  const TextBox& text = fine.texts[0].room;
  tied.ties[0] = {text.left - 9, text.top - 9, text.right + 9, text.bottom + 9};
  EXPECT_GT(on_boxes(tied), 0u);
  Geometry crossed = fine;
  crossed.bonds[0].push_back(tied.ties[0]);
  EXPECT_GT(overlaps(crossed).on_texts.size(), 0u);
}

// All of it is on the sheet, and no side has more than a margin to spare, except that short graphs
// stand under long headings.
TEST(Draw, TheSheetFitsWhatItHolds) {
  for (const std::string& name : all_models()) {
    const Tag svg = picture(load(name));
    const Geometry g = geometry(svg);
    std::vector<TextBox> all;
    collect_texts(svg, all);
    for (const auto* boxes : {&g.boxes, &g.solid}) {
      for (const Named& box : *boxes) all.push_back(box.room);
    }
    TextBox extent = all.at(0);
    for (const TextBox& part : all) {
      extent = {"", std::min(extent.left, part.left), std::max(extent.right, part.right),
                std::min(extent.top, part.top), std::max(extent.bottom, part.bottom)};
    }
    const Tag& sheet = svg.children.at(0);
    EXPECT_GE(extent.left, 12) << name;
    EXPECT_GE(extent.top, 12) << name;
    EXPECT_LE(extent.right, value(sheet, "width") - 12) << name;
    EXPECT_LE(extent.bottom, value(sheet, "height") - 12) << name;
    EXPECT_LE(extent.left, 30) << name;
    EXPECT_LE(extent.top, 30) << name;
    EXPECT_GE(extent.right, 0.8 * value(sheet, "width")) << name;
    EXPECT_GE(extent.bottom, value(sheet, "height") - 30) << name;
  }
}

// Elements, junctions and state machines keep off each other.
TEST(Draw, BoxesDoNotOverlap) {
  for (const char* name :
       {"mosterman/cradle.cradle", "circuits/flyback.cradle", "circuits/bridge.cradle",
        "mechanics/motor.cradle", "mechanics/clutch.cradle", "lee/diode_inductor.cradle"}) {
    const Tag svg = picture(load(name));
    std::vector<const Tag*> boxes;
    for (const char* kind : {"box", "panel", "state-box"}) {
      for (const char* group : {"elements", "automata"}) {
        for (const Tag* g : svg.all(group)) {
          for (const Tag* box : g->all(kind)) boxes.push_back(box);
        }
      }
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < boxes.size(); ++j) {
          const auto get = [](const Tag* t, const char* a) { return std::stod((*t)[a]); };
          const bool apart = get(boxes[i], "x") + get(boxes[i], "width") <= get(boxes[j], "x") ||
                             get(boxes[j], "x") + get(boxes[j], "width") <= get(boxes[i], "x") ||
                             get(boxes[i], "y") + get(boxes[i], "height") <= get(boxes[j], "y") ||
                             get(boxes[j], "y") + get(boxes[j], "height") <= get(boxes[i], "y");
          EXPECT_TRUE(apart) << name << ": " << kind;
        }
      }
      boxes.clear();
    }
  }
}

// From left to right: parts as boxes, a controller that is seen connected, each automaton's type
// once.
Tag layered(const Model& model, int depth) {
  DrawOptions options;
  options.layered = true;
  options.depth = depth;
  return parse_svg(draw_svg(model, options));
}

TEST(Layered, PartsAreBoxesAndSignalsArrows) {
  const Model model = load("circuits/buck.cradle");
  const Tag svg = layered(model, 1);
  for (const char* part : {"switch", "diode"}) {
    EXPECT_NE(svg.find("part", "data-part", part), nullptr) << part;
  }
  EXPECT_EQ(svg.all("part").size(), 2u);
  // Nothing of what a part hides.
  for (const Tag* junction : svg.all("junction")) {
    EXPECT_EQ((*junction)["data-junction"].find('.'), std::string::npos);
  }
  std::set<std::pair<std::string, std::string>> arrows;
  for (const Tag* arrow : svg.all("signal")) {
    if (arrow->name == "path") arrows.emplace((*arrow)["data-from"], (*arrow)["data-to"]);
  }
  for (const auto& arrow : std::vector<std::pair<std::string, std::string>>{
           {"v", "error"}, {"error", "duty"}, {"duty", "switch"}}) {
    EXPECT_EQ(arrows.count(arrow), 1u) << arrow.first << " -> " << arrow.second;
  }
  // A signal that only looks is not there.
  for (const Tag* named : svg.all("named")) EXPECT_NE((*named)["data-signal"], "i");
}

TEST(Layered, OpenModelsHaveAllThatTheyHave) {
  const Model model = load("circuits/buck.cradle");
  const Tag open = layered(model, 0), whole = parse_svg(draw_svg(model));
  EXPECT_TRUE(open.all("part").empty());
  EXPECT_EQ(open.all("element").size(), whole.all("element").size());
  EXPECT_EQ(open.all("junction").size(), whole.all("junction").size());
  EXPECT_EQ(open.all("bond").size(), whole.all("bond").size());
}

TEST(Layered, ATypeOfAutomatonIsDrawnOnce) {
  const Model model = load("circuits/diode_ladder.cradle", {{"N", 20}});
  const Tag svg = layered(model, 1);
  EXPECT_EQ(svg.all("part").size(), 20u);
  EXPECT_EQ(svg.all("automaton").size(), 1u);
  EXPECT_TRUE(svg.all("present").empty()) << "of many none is the present one";
}

TEST(Layered, BoxesDoNotOverlap) {
  for (const char* name : {"circuits/buck.cradle", "circuits/bridge.cradle",
                           "mosterman/cradle.cradle", "lee/bouncing_ball_modal.cradle"}) {
    for (int depth : {0, 1}) {
      struct Box {
        double left, top, right, bottom;
      };
      std::vector<Box> boxes;
      const Tag svg = layered(load(name), depth);
      for (const char* kind : {"part-box", "named-box", "box"}) {
        for (const Tag* tag : svg.all(kind)) {
          const double x = std::stod((*tag)["x"]), y = std::stod((*tag)["y"]);
          boxes.push_back({x, y, x + std::stod((*tag)["width"]), y + std::stod((*tag)["height"])});
        }
      }
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const bool apart = boxes[i].right <= boxes[j].left || boxes[j].right <= boxes[i].left ||
                             boxes[i].bottom <= boxes[j].top || boxes[j].bottom <= boxes[i].top;
          // Keys of the legend stand in other coordinates.
          if (boxes[i].bottom - boxes[i].top < 15 || boxes[j].bottom - boxes[j].top < 15) continue;
          EXPECT_TRUE(apart) << name << " " << depth;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cradle
