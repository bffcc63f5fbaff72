#include "show/draw/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "show/draw/clutter.hpp"
#include "show/draw/legend.hpp"
#include "show/draw/scene.hpp"
#include "show/draw/style.hpp"
#include "show/draw/titles.hpp"
#include "theory/causality/names.hpp"

namespace cradle::draw {
namespace {

constexpr double kBorder = 24;    // around the picture
constexpr double kParts = 28;     // between heading, graph and legend
constexpr double kWidest = 1280;  // for the sake of the heading: a longer one is cut
constexpr const char* kNothing = "no bonds and no automata: signals only";

const char* name_of(Colours colours) {
  switch (colours) {
    case Colours::Light:
      return "light";
    case Colours::Dark:
      return "dark";
    default:
      return "page";
  }
}

bool has_physical(const model::Model& model) {
  return std::any_of(
      model.automata.begin(), model.automata.end(), [](const model::Automaton& automaton) {
        return std::any_of(automaton.transitions.begin(), automaton.transitions.end(),
                           [](const model::Transition& t) { return t.physical; });
      });
}

std::string mode_text(const model::Model& model, const causality::Mode& mode) {
  const bool initial = mode == causality::initial_mode(model);
  return "mode " + causality::describe(model, mode) + (initial ? ", the initial one" : "");
}

// The text, or as much of it as there is room for.
std::string fitting(const std::string& text, double size, double room) {
  const double width = text_width(text, size);
  if (width <= room) return text;
  const double letters = static_cast<double>(text.size()) * room / width;
  return svg::first_characters(text, std::max<std::size_t>(1, static_cast<std::size_t>(letters)));
}

// The mode whose states have the longest names, initially or not.
double mode_width(const model::Model& model) {
  causality::Mode mode = causality::initial_mode(model);
  double width = text_width(mode_text(model, mode), kTextSize);
  for (std::size_t a = 0; a < mode.size(); ++a) {
    const std::vector<std::string>& states = model.automata[AutomatonId(a)].states;
    const auto longest = std::max_element(
        states.begin(), states.end(),
        [](const std::string& x, const std::string& y) { return x.size() < y.size(); });
    mode[a] = static_cast<int>(longest - states.begin());
  }
  return std::max(width, text_width(mode_text(model, mode), kTextSize));
}

// The sheet fits what it holds in any mode: the graph and the heading above it. The legend, which
// differs from mode to mode, goes below.
void frame(const model::Model& model, Scene& scene) {
  const bool has_modes = !model.automata.empty(), empty = scene.size.height <= 0;
  double heading = text_width(model.name, 18, true);
  if (has_modes) heading = std::max(heading, mode_width(model));
  if (empty) heading = std::max(heading, text_width(kNothing, kTextSize));
  const double width = std::max(scene.size.width, std::min(heading, kWidest));
  const double top = (has_modes ? 56 : 38) + (empty ? 0 : kParts);
  move(scene, {kBorder + (width - scene.size.width) / 2, top});
  // Whole pixels: else the last row of a PNG would be half transparent.
  scene.size = {std::ceil(width + 2 * kBorder),
                std::ceil(top + scene.size.height + (empty ? 0 : kParts))};
}

class Painter {
 public:
  Painter(const model::Model& model, const Scene& scene, const causality::Assignment& assignment)
      : model_(model), assignment_(assignment), scene_(scene), marks_(assignment) {}

  std::string paint(Colours colours) {
    const double room = scene_.size.width - 2 * kBorder;
    const std::string width = number(scene_.size.width);
    const std::string height =
        number(scene_.size.height + std::max(legend_height(signs(), room), kBorder) + kBorder / 2);
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cradle {}\" width=\"{}\" height=\"{}\" "
        "viewBox=\"0 0 {} {}\" data-model=\"{}\">\n",
        name_of(colours), width, height, width, height, escaped(model_.name));
    out_ += fmt::format("<title>{}</title>\n", escaped(model_.name));
    out_ += style_sheet(colours);
    out_ += fmt::format("<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n", width, height);
    heading();
    ties();
    group("bonds", model_.bonds.size(), [&](std::size_t i) { bond(BondId(i)); });
    group("elements", model_.elements.size(), [&](std::size_t i) { element(ElementId(i)); });
    group("junctions", model_.junctions.size(), [&](std::size_t i) { junction(JunctionId(i)); });
    group("automata", scene_.machines.size(), [&](std::size_t i) {
      draw(model_, assignment_.mode, scene_.machines[i].machine, scene_.machines[i].centre, out_);
    });
    legend(room);
    return std::move(out_) + "</svg>\n";
  }

 private:
  template <class Each>
  void group(const char* name, std::size_t n, const Each& each) {
    if (n == 0) return;
    out_ += fmt::format("<g class=\"{}\">\n", name);
    for (std::size_t i = 0; i < n; ++i) each(i);
    out_ += "</g>\n";
  }

  bool is_inactive(JunctionId id) const {
    return !is_there(model_, assignment_.mode, model_.junctions[id].region) ||
           !causality::is_active(model_, assignment_.mode, id);
  }
  bool is_inactive(const model::End& end) const {
    if (end.junction.valid()) return is_inactive(end.junction);
    return !is_there(model_, assignment_.mode, model_.elements[end.element].region);
  }

  // What is wrong at an element or junction, one line each.
  template <class Here>
  std::string complaints(const Here& here) const {
    std::string text;
    for (const causality::Conflict& conflict : assignment_.conflicts) {
      if (here(conflict)) text += "\nconflict: " + causality::summary(model_, conflict);
    }
    return text;
  }

  void heading() {
    out_ += fmt::format("<text class=\"heading\" x=\"{}\" y=\"32\">{}</text>\n", number(kBorder),
                        escaped(model_.name));
    if (assignment_.mode.empty()) return;
    const std::string mode = mode_text(model_, assignment_.mode);
    out_ += fmt::format(
        "<g class=\"mode\"><title>{}</title><text class=\"start\" x=\"{}\" "
        "y=\"52\">{}</text></g>\n",
        escaped(mode), number(kBorder),
        escaped(fitting(mode, kTextSize, scene_.size.width - 2 * kBorder)));
  }

  void ties() {
    for (const Scene::Standing& standing : scene_.machines) {
      const JunctionId junction = model_.automata[standing.machine.automaton].junction;
      if (!junction.valid()) continue;
      const Point start =
          border_of_circle(scene_.junctions[at(junction)], kTieRadius, standing.foot);
      out_ +=
          fmt::format("<path class=\"tie\" d=\"M{} L{}\"/>\n", pair(start), pair(standing.foot));
    }
  }

  // A barb on one side of the head, and a bar across one of the ends.
  void bond(BondId id) {
    const model::Bond& bond = model_.bonds[id];
    const std::vector<Point>& line = scene_.bonds[at(id)];
    const auto& stroke = assignment_.strokes[at(id)];
    std::string classes = "bond";
    if (is_inactive(bond.from) || is_inactive(bond.to)) classes += " inactive";
    if (marks_.looped.contains(id)) classes += " loop";
    if (marks_.clashing.contains(id)) classes += " conflict";
    out_ += fmt::format(
        "<g class=\"{}\" data-bond=\"{}\" data-from=\"{}\" data-to=\"{}\" data-stroke=\"{}\">"
        "<title>{}</title>",
        classes, escaped(bond.name), escaped(causality::end_name(model_, bond.from)),
        escaped(causality::end_name(model_, bond.to)),
        !stroke                                ? "none"
        : *stroke == causality::Stroke::AtHead ? "to"
                                               : "from",
        escaped(bond_title(model_, assignment_, marks_, id)));
    const std::string path =
        line.size() == 4 ? curve_path(line) : "M" + pair(line.front()) + " L" + pair(line.back());
    out_ += bond_shape(path, line, stroke);
    if (has_label(model_, id)) {
      out_ += text_at(scene_.labels[at(id)], kSmallSize, "small label", bond.name);
    }
    out_ += "</g>\n";
  }

  void element(ElementId id) {
    const model::Element& element = model_.elements[id];
    const bool dependent = std::find(assignment_.dependent.begin(), assignment_.dependent.end(),
                                     id) != assignment_.dependent.end();
    const std::string wrong =
        complaints([&](const causality::Conflict& conflict) { return conflict.element == id; });
    std::string classes = "element", title = element_title(model_, id) + wrong;
    if (dependent) {
      classes += " dependent";
      title += "\ndependent: its stored quantity follows from other stores and sources";
    }
    if (!is_there(model_, assignment_.mode, element.region)) classes += " inactive";
    if (!wrong.empty()) classes += " conflict";
    const std::string_view kind = elements::definition(element.kind).name;
    const Point centre = scene_.elements[at(id)];
    out_ += fmt::format("<g class=\"{}\" data-element=\"{}\" data-kind=\"{}\"><title>{}</title>",
                        classes, escaped(element.name), kind, escaped(title));
    out_ += rounded_box(centre, element_size(element), 4, "box");
    out_ += fmt::format("<text x=\"{}\" y=\"{}\"><tspan class=\"kind\">{}</tspan>{}</text>",
                        number(centre.x), number(centre.y + 0.36 * kTextSize), kind,
                        escaped(element_name(element)));
    out_ += "</g>\n";
  }

  void junction(JunctionId id) {
    const model::Junction& junction = model_.junctions[id];
    const bool controlled = junction.automaton.valid(), inactive = is_inactive(id);
    const std::string wrong =
        complaints([&](const causality::Conflict& conflict) { return conflict.junction == id; });
    std::string classes = "junction",
                symbol = junction.kind == model::Junction::Kind::Zero ? "0" : "1";
    const std::string kind = symbol;
    std::string title = kind + "-junction " + junction.name;
    if (controlled) {
      const bool effort = junction.inactive == model::Junction::Inactive::Effort;
      classes += " controlled";
      symbol += effort ? "/E" : "/F";
      title += fmt::format(", controlled; {}\nwhile inactive, every {} is 0",
                           inactive ? "inactive" : "active", effort ? "effort" : "flow");
      const model::Automaton& automaton = model_.automata[junction.automaton];
      if (automaton.junction != id) title += "\nfollows " + automaton.name;
    }
    if (inactive) classes += " inactive";
    if (!wrong.empty()) classes += " conflict";
    const Point centre = scene_.junctions[at(id)];
    out_ += fmt::format(
        "<g class=\"{}\" data-junction=\"{}\" data-kind=\"{}\" data-active=\"{}\"><title>{}</title>"
        "<circle class=\"circle\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
        classes, escaped(junction.name), kind, !inactive, escaped(title + wrong), number(centre.x),
        number(centre.y), number(kRadius));
    out_ += text_at(centre, kTextSize, "kind", symbol);
    const Point name = scene_.names[at(id)];
    out_ += fmt::format("<text class=\"small name\" x=\"{}\" y=\"{}\">{}{}</text>", number(name.x),
                        number(name.y + 0.36 * kSmallSize), escaped(junction.name),
                        wrong.empty() ? "" : " <tspan class=\"mark\">!</tspan>");
    out_ += "</g>\n";
  }

  // Of what is to be seen in this picture.
  std::vector<Sign> signs() const {
    std::vector<Sign> out;
    const auto add = [&](bool shown, Sign sign) {
      if (shown) out.push_back(sign);
    };
    add(!model_.bonds.empty(), Sign::HalfArrow);
    add(!model_.bonds.empty(), Sign::CausalStroke);
    add(!assignment_.dependent.empty(), Sign::Dependent);
    add(has_inactive(), Sign::Inactive);
    add(!assignment_.loops.empty(), Sign::Loop);
    add(!assignment_.conflicts.empty(), Sign::Conflict);
    add(!model_.automata.empty(), Sign::Present);
    add(has_physical(model_), Sign::Infinitesimal);
    return out;
  }
  void legend(double room) {
    if (model_.bonds.empty() && model_.automata.empty()) {
      out_ += fmt::format("<text class=\"start\" x=\"{}\" y=\"{}\">{}</text>\n", number(kBorder),
                          number(scene_.size.height + kBorder / 2), kNothing);
    } else {
      draw_legend(signs(), {kBorder, scene_.size.height}, room, out_);
    }
  }
  bool has_inactive() const {
    for (std::size_t i = 0; i < model_.junctions.size(); ++i) {
      if (is_inactive(JunctionId(i))) return true;
    }
    return false;
  }

  const model::Model& model_;
  const causality::Assignment& assignment_;
  const Scene& scene_;
  Marks marks_;
  std::string out_;
};

}  // namespace

Drawing::Drawing(const model::Model& model, const Sources& sources)
    : model_(model), scene_([&] {
        auto scene = std::make_unique<Scene>(plan(model, sources));
        frame(model, *scene);
        return scene;
      }()) {}

Drawing::~Drawing() = default;

std::string Drawing::svg(const causality::Assignment& assignment, Colours colours) const {
  return Painter(model_, *scene_, assignment).paint(colours);
}

}  // namespace cradle::draw
