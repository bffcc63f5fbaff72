#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "show/draw/clutter.hpp"
#include "show/draw/diagram.hpp"
#include "show/draw/legend.hpp"
#include "show/draw/scene.hpp"
#include "show/draw/style.hpp"
#include "show/draw/titles.hpp"

namespace cradle::draw {
namespace {

using Box = Diagram::Box;

constexpr double kEdge = 24, kTop = 66;
constexpr std::size_t kMostNames = 6;  // of whose machine it is

class DiagramPainter {
 public:
  DiagramPainter(const model::Model& model, const Diagram& diagram,
                 const causality::Assignment& assignment)
      : model_(model), diagram_(diagram), assignment_(assignment), marks_(assignment) {}

  std::string paint(bool dark) {
    const double wide = std::max(diagram_.size.width, text_width(model_.name, 18, true));
    const double legend = legend_height(signs(), wide);
    const double width = std::ceil(wide + 2 * kEdge);
    const double height = std::ceil(kTop + diagram_.size.height + kEdge + legend + kEdge);
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cradle diagram {0}\" width=\"{1}\" "
        "height=\"{2}\" viewBox=\"0 0 {1} {2}\" data-model=\"{3}\">\n<title>{3}</title>\n",
        dark ? "dark" : "light", number(width), number(height), escaped(model_.name));
    out_ += style_sheet(dark ? Colours::Dark : Colours::Light);
    out_ += fmt::format("<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n", number(width),
                        number(height));
    out_ += fmt::format("<text class=\"heading\" x=\"{}\" y=\"32\">{}</text>\n", number(kEdge),
                        escaped(model_.name));
    out_ += fmt::format("<g transform=\"translate({},{})\">\n", number(kEdge), number(kTop));
    for (const Diagram::Tie& tie : diagram_.ties) {
      tie.bond.valid() ? bond(tie) : signal(tie);
    }
    for (const Box& box : diagram_.boxes) draw_box(box);
    for (const Diagram::Type& type : diagram_.types) draw_type(type);
    out_ += "</g>\n";
    draw_legend(signs(), {kEdge, kTop + diagram_.size.height + kEdge}, wide, out_);
    return std::move(out_) + "</svg>\n";
  }

 private:
  bool is_inactive(const model::End& end) const {
    if (end.junction.valid()) return is_inactive(end.junction);
    return !is_there(model_, assignment_.mode, model_.elements[end.element].region);
  }
  bool is_inactive(JunctionId id) const {
    return !is_there(model_, assignment_.mode, model_.junctions[id].region) ||
           !causality::is_active(model_, assignment_.mode, id);
  }

  void bond(const Diagram::Tie& tie) {
    const model::Bond& bond = model_.bonds[tie.bond];
    const auto& stroke = assignment_.strokes[at(tie.bond)];
    std::string classes = "bond";
    if (is_inactive(bond.from) || is_inactive(bond.to)) classes += " inactive";
    if (marks_.looped.contains(tie.bond)) classes += " loop";
    if (marks_.clashing.contains(tie.bond)) classes += " conflict";
    out_ += fmt::format(
        "<g class=\"{}\" data-bond=\"{}\" data-from=\"{}\" data-to=\"{}\"><title>{}</title>",
        classes, escaped(bond.name), escaped(diagram_.boxes[at(tie.from)].name),
        escaped(diagram_.boxes[at(tie.to)].name),
        escaped(bond_title(model_, assignment_, marks_, tie.bond)));
    out_ += bond_shape(curve_path(tie.curve), far_ends(tie.curve), stroke) + "</g>\n";
  }
  // Where a curve meets a circle its last points fall together; a direction needs two.
  static std::vector<Point> far_ends(std::vector<Point> curve) {
    const auto same = [](Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y) < 0.5; };
    while (curve.size() > 2 && same(curve.back(), curve[curve.size() - 2])) {
      curve.erase(curve.end() - 2);
    }
    while (curve.size() > 2 && same(curve.front(), curve[1])) curve.erase(curve.begin() + 1);
    return curve;
  }

  void signal(const Diagram::Tie& tie) {
    const std::string& from = diagram_.boxes[at(tie.from)].name;
    const std::string& to = diagram_.boxes[at(tie.to)].name;
    out_ += fmt::format(
        "<path class=\"signal\" data-from=\"{0}\" data-to=\"{1}\" d=\"{2}\"><title>{1} reads {0}"
        "</title></path><path class=\"signal-head\" d=\"{3}\"/>\n",
        escaped(from), escaped(to), curve_path(tie.curve), arrow_head(far_ends(tie.curve)));
  }

  // States of what is inside, as many as there is room for.
  void states(const Box& box, Point at_top) {
    for (std::size_t i = 0; i < std::min(box.inner.size(), Diagram::kMostStates + 1); ++i) {
      const bool more = i == Diagram::kMostStates && box.inner.size() > Diagram::kMostStates + 1;
      const std::string text =
          more ? fmt::format("… {} more", box.inner.size() - Diagram::kMostStates)
               : state_line(model_, assignment_.mode, box, box.inner[i]);
      out_ += text_at({at_top.x, at_top.y + Diagram::kLine * (static_cast<double>(i) + 0.5)},
                      kSmallSize, "small in-state", text);
    }
  }

  void draw_box(const Box& box) {
    switch (box.kind) {
      case Box::Kind::Part:
      case Box::Kind::Modal: {
        const bool part = box.kind == Box::Kind::Part;
        out_ += fmt::format("<g class=\"{}\" data-{}=\"{}\">", part ? "part" : "modal",
                            part ? "part" : "automaton", escaped(box.name));
        out_ += rounded_box(box.centre, box.size, part ? 3 : 12, "part-box");
        const double top = box.centre.y - box.size.height / 2;
        out_ += text_at({box.centre.x, top + 13}, kTextSize, "kind", box.name);
        states(box, {box.centre.x, top + 23});
        break;
      }
      case Box::Kind::Element:
        element(box);
        break;
      case Box::Kind::Junction:
        junction(box);
        break;
      case Box::Kind::Ground:
        ground(box);
        break;
      case Box::Kind::Signal:
        out_ += fmt::format("<g class=\"named\" data-signal=\"{}\"><title>{} = {}</title>",
                            escaped(box.name), escaped(box.name),
                            escaped(model_.text(model_.signals[box.signal].value)));
        out_ += rounded_box(box.centre, box.size, 12, "named-box");
        out_ += text_at(box.centre, kTextSize, "", box.name);
        break;
    }
    out_ += "</g>\n";
  }

  void element(const Box& box) {
    const model::Element& element = model_.elements[box.element];
    const auto& dependent = assignment_.dependent;
    const bool depends =
        std::find(dependent.begin(), dependent.end(), box.element) != dependent.end();
    std::string classes = depends ? "element dependent" : "element";
    if (!is_there(model_, assignment_.mode, element.region)) classes += " inactive";
    const std::string_view kind = elements::definition(element.kind).name;
    out_ += fmt::format("<g class=\"{}\" data-element=\"{}\" data-kind=\"{}\"><title>{}</title>",
                        classes, escaped(element.name), kind,
                        escaped(element_title(model_, box.element)));
    out_ += rounded_box(box.centre, box.size, 4, "box");
    const double up = box.value.empty() ? 0 : Diagram::kLine / 2;
    out_ += fmt::format("<text x=\"{}\" y=\"{}\"><tspan class=\"kind\">{}</tspan>{}</text>",
                        number(box.centre.x), number(box.centre.y - up + 0.36 * kTextSize), kind,
                        escaped(element_name(element)));
    if (!box.value.empty()) {
      out_ += text_at({box.centre.x, box.centre.y + Diagram::kLine / 2}, kSmallSize, "small value",
                      box.value);
    }
  }

  void junction(const Box& box) {
    const model::Junction& junction = model_.junctions[box.junction];
    const bool controlled = junction.automaton.valid(), inactive = is_inactive(box.junction);
    const bool zero = junction.kind == model::Junction::Kind::Zero;
    std::string symbol = zero ? "0" : "1", classes = "junction";
    if (controlled) {
      symbol += junction.inactive == model::Junction::Inactive::Effort ? "/E" : "/F";
      classes += " controlled";
    }
    if (inactive) classes += " inactive";
    out_ += fmt::format(
        "<g class=\"{}\" data-junction=\"{}\" data-kind=\"{}\" data-active=\"{}\">"
        "<circle class=\"circle\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
        classes, escaped(junction.name), zero ? 0 : 1, !inactive, number(box.centre.x),
        number(box.centre.y), number(kRadius));
    out_ += text_at(box.centre, kTextSize, "kind", symbol);
    const double below = box.centre.y + kRadius + Diagram::kLine / 2 + 1;
    out_ += text_at({box.centre.x, below}, kSmallSize, "small name", junction.name);
    states(box, {box.centre.x, below + Diagram::kLine / 2});
  }

  // Three lines, each shorter than the one above.
  void ground(const Box& box) {
    const Point c = box.centre;
    out_ += fmt::format("<g class=\"ground\" data-junction=\"{}\"><title>ground</title>",
                        escaped(model_.junctions[box.junction].name));
    out_ += rounded_box(c, box.size, 0, "box");
    std::string path;
    for (int i = 0; i < 3; ++i) {
      const double half = 10.0 - 3.5 * i, y = c.y - 5 + 5.0 * i;
      path += "M" + pair({c.x - half, y}) + " L" + pair({c.x + half, y}) + " ";
    }
    path.pop_back();
    out_ += fmt::format("<path class=\"line\" d=\"{}\"/>", path);
  }

  void draw_type(const Diagram::Type& type) {
    causality::Mode mode = assignment_.mode;
    if (type.members.size() > 1) mode[at(type.machine.automaton)] = -1;
    Machine machine = type.machine;
    const std::string whole = model_.automata[machine.automaton].name;
    machine.name = whole.substr(whole.rfind('.') == std::string::npos ? 0 : whole.rfind('.') + 1);
    draw(model_, mode, machine, type.centre, out_);
    if (machine.name == whole && type.members.size() == 1) return;
    std::string of;
    for (std::size_t i = 0; i < std::min(type.members.size(), kMostNames); ++i) {
      const std::string& name = model_.automata[type.members[i]].name;
      const std::size_t dot = name.rfind('.');
      of += (i > 0 ? ", " : "of ") + name.substr(0, dot == std::string::npos ? name.size() : dot);
    }
    if (type.members.size() > kMostNames) {
      of += fmt::format(", … {} more", type.members.size() - kMostNames);
    }
    const Point start{type.centre.x - machine.size.width / 2,
                      type.centre.y + machine.size.height / 2 + Diagram::kLine / 2 + 1};
    out_ += text_at(start, kSmallSize, "small start", of);
  }

  std::vector<Sign> signs() const {
    std::vector<Sign> out;
    const auto any = [&](bool bonds) {
      return std::any_of(diagram_.ties.begin(), diagram_.ties.end(),
                         [&](const Diagram::Tie& tie) { return tie.bond.valid() == bonds; });
    };
    if (any(true)) out = {Sign::HalfArrow, Sign::CausalStroke};
    const auto inactive = [&](const Diagram::Tie& tie) {
      if (!tie.bond.valid()) return false;
      const model::Bond& bond = model_.bonds[tie.bond];
      return is_inactive(bond.from) || is_inactive(bond.to);
    };
    if (std::any_of(diagram_.ties.begin(), diagram_.ties.end(), inactive)) {
      out.push_back(Sign::Inactive);
    }
    if (any(false)) out.push_back(Sign::Signal);
    const auto depends = [&](const Box& box) {
      return box.kind == Box::Kind::Element &&
             std::find(assignment_.dependent.begin(), assignment_.dependent.end(), box.element) !=
                 assignment_.dependent.end();
    };
    if (std::any_of(diagram_.boxes.begin(), diagram_.boxes.end(), depends)) {
      out.push_back(Sign::Dependent);
    }
    if (!marks_.looped.empty()) out.push_back(Sign::Loop);
    if (!marks_.clashing.empty()) out.push_back(Sign::Conflict);
    return out;
  }

  const model::Model& model_;
  const Diagram& diagram_;
  const causality::Assignment& assignment_;
  Marks marks_;
  std::string out_;
};

}  // namespace

std::string diagram_svg(const model::Model& model, const Diagram& diagram,
                        const causality::Assignment& assignment, bool dark) {
  return DiagramPainter(model, diagram, assignment).paint(dark);
}

}  // namespace cradle::draw
