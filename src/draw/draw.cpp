#include "draw/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "causality/names.hpp"
#include "draw/scene.hpp"
#include "draw/svg.hpp"
#include "expr/print.hpp"

namespace cradle::draw {
namespace {

constexpr double kTop = 56, kBottom = 34;  // heading and legend

using causality::Stroke;

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

class Painter {
 public:
  Painter(const model::Model& model, const Scene& scene, const causality::Assignment& assignment)
      : model_(model), assignment_(assignment), scene_(scene) {
    for (const causality::AlgebraicLoop& loop : assignment.loops)
      looped_.insert(loop.bonds.begin(), loop.bonds.end());
    for (const causality::Conflict& conflict : assignment.conflicts) {
      clashing_.insert(conflict.bonds.begin(), conflict.bonds.end());
    }
  }

  std::string paint(Colours colours) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cradle {}\" width=\"{}\" height=\"{}\" "
        "viewBox=\"0 0 {} {}\" data-model=\"{}\">\n",
        name_of(colours), number(scene_.size.width), number(scene_.size.height),
        number(scene_.size.width), number(scene_.size.height), escape(model_.name));
    out_ += fmt::format("<title>{}</title>\n", escape(model_.name));
    out_ += style_sheet(colours);
    out_ += fmt::format("<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n",
                        number(scene_.size.width), number(scene_.size.height));
    heading();
    ties();
    group("bonds", model_.bonds.size(), [&](std::size_t i) { bond(BondId(i)); });
    group("elements", model_.elements.size(), [&](std::size_t i) { element(ElementId(i)); });
    group("junctions", model_.junctions.size(), [&](std::size_t i) { junction(JunctionId(i)); });
    group("automata", scene_.machines.size(), [&](std::size_t i) {
      draw(model_, assignment_.mode, scene_.machines[i].machine, scene_.machines[i].centre, out_);
    });
    legend();
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
    out_ +=
        fmt::format("<text class=\"heading\" x=\"24\" y=\"32\">{}</text>\n", escape(model_.name));
    if (assignment_.mode.empty()) return;
    const bool initial = assignment_.mode == causality::initial_mode(model_);
    std::string mode = "mode " + causality::describe(model_, assignment_.mode);
    if (initial) mode += ", the initial one";
    const auto room = static_cast<std::size_t>((scene_.size.width - 60) / (0.66 * kTextSize));
    out_ += fmt::format(
        "<g class=\"mode\"><title>{}</title><text class=\"start\" x=\"24\" "
        "y=\"52\">{}</text></g>\n",
        escape(mode), escape(shortened(mode, room)));
  }

  void ties() {
    for (const Scene::Standing& standing : scene_.machines) {
      const JunctionId junction = model_.automata[standing.machine.automaton].junction;
      if (!junction.valid()) continue;
      out_ += fmt::format("<path class=\"tie\" d=\"M{} L{}\"/>\n",
                          pair(scene_.junctions[at(junction)]), pair(standing.centre));
    }
  }

  std::string bond_title(BondId id) const {
    const model::Bond& bond = model_.bonds[id];
    const std::string from = causality::end_name(model_, bond.from);
    const std::string to = causality::end_name(model_, bond.to);
    std::string text = from + " -> " + to;
    if (bond.name != text && !bond.name.empty()) text = bond.name + ": " + text;
    const auto& stroke = assignment_.strokes[at(id)];
    if (!stroke) return text + "\nleft open by a conflict";
    const bool at_head = *stroke == Stroke::AtHead;
    text +=
        fmt::format("\n{} sets the effort, {} the flow", at_head ? from : to, at_head ? to : from);
    if (looped_.contains(id)) text += "\nin an algebraic loop";
    if (clashing_.contains(id)) text += "\nin a conflict";
    return text;
  }

  // A barb on one side of the head, and a bar across one of the ends.
  void bond(BondId id) {
    const model::Bond& bond = model_.bonds[id];
    const std::vector<Point>& line = scene_.bonds[at(id)];
    const auto& stroke = assignment_.strokes[at(id)];
    std::string classes = "bond";
    if (is_inactive(bond.from) || is_inactive(bond.to)) classes += " inactive";
    if (looped_.contains(id)) classes += " loop";
    if (clashing_.contains(id)) classes += " conflict";
    out_ += fmt::format(
        "<g class=\"{}\" data-bond=\"{}\" data-from=\"{}\" data-to=\"{}\" data-stroke=\"{}\">"
        "<title>{}</title>",
        classes, escape(bond.name), escape(causality::end_name(model_, bond.from)),
        escape(causality::end_name(model_, bond.to)),
        !stroke                     ? "none"
        : *stroke == Stroke::AtHead ? "to"
                                    : "from",
        escape(bond_title(id)));
    const std::string path =
        line.size() == 4 ? curve_path(line) : "M" + pair(line.front()) + " L" + pair(line.back());
    out_ += fmt::format("<path class=\"line\" d=\"{}\"/>", path);
    const Point head = direction(line[line.size() - 2], line.back());
    const Point tip = line.back();
    const Point barb{tip.x - 12 * head.x + 7 * head.y, tip.y - 12 * head.y - 7 * head.x};
    out_ += fmt::format("<path class=\"half-arrow\" d=\"M{} L{}\"/>", pair(tip), pair(barb));
    if (stroke) {
      const bool at_head = *stroke == Stroke::AtHead;
      const Point end = at_head ? tip : line.front();
      const Point d = at_head ? head : direction(line[0], line[1]);
      out_ += fmt::format("<path class=\"causal-stroke\" d=\"M{} L{}\"/>",
                          pair({end.x + 8 * d.y, end.y - 8 * d.x}),
                          pair({end.x - 8 * d.y, end.y + 8 * d.x}));
    }
    if (has_label(model_, id)) {
      out_ += text_at(scene_.labels[at(id)], kSmallSize, "small label", bond.name);
    }
    out_ += "</g>\n";
  }

  static Point direction(Point a, Point b) {
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
    return {(b.x - a.x) / length, (b.y - a.y) / length};
  }

  // A law over the element's own variables, which Local stands for.
  std::string law_text(ExprId law, const std::string& argument, bool numbered) const {
    return expr::to_string(
        model_.pool, law,
        [&](ExprId e, const expr::Node& node) -> std::optional<std::string> {
          if (node.op == expr::Op::Local) {
            return numbered ? fmt::format("{}{}", argument, node.ref + 1) : argument;
          }
          const bool plain = node.op == expr::Op::Constant || node.op == expr::Op::Omega ||
                             node.op == expr::Op::Time || node.op == expr::Op::Pre ||
                             node.op == expr::Op::Absent;
          if (plain || expr::arity(node.op) > 0) return std::nullopt;
          return model_.text(e);
        },
        400);
  }

  std::string element_title(ElementId id) const {
    const model::Element& element = model_.elements[id];
    const elements::Definition& definition = elements::definition(element.kind);
    std::string text = fmt::format("{} {}", definition.noun, element.name);
    const bool momentum = definition.storage == elements::Storage::Momentum;
    const bool store = definition.storage != elements::Storage::None;
    const bool many = element.laws.size() > 1;
    for (std::size_t i = 0; i < element.laws.size(); ++i) {
      if (!element.laws[i].valid()) continue;
      const bool gives_flow = store ? momentum : element.law_of_effort;
      const std::string argument = store ? (momentum ? "p" : "q") : gives_flow ? "e" : "f";
      text += fmt::format("\n{}{} = {}", gives_flow ? "f" : "e", many ? std::to_string(i + 1) : "",
                          law_text(element.laws[i], argument, many));
    }
    if (element.signal.valid()) {
      const char* left =
          elements::is_source(element.kind)
              ? (definition.causality == elements::Definition::Causality::SetsEffort ? "e" : "f")
              : "modulus";
      text += fmt::format("\n{} = {}", left, model_.text(element.signal));
    }
    return text;
  }

  void element(ElementId id) {
    const model::Element& element = model_.elements[id];
    const bool dependent = std::find(assignment_.dependent.begin(), assignment_.dependent.end(),
                                     id) != assignment_.dependent.end();
    const std::string wrong =
        complaints([&](const causality::Conflict& conflict) { return conflict.element == id; });
    std::string classes = "element", title = element_title(id) + wrong;
    if (dependent) {
      classes += " dependent";
      title += "\ndependent: its stored quantity follows from other stores and sources";
    }
    if (!is_there(model_, assignment_.mode, element.region)) classes += " inactive";
    if (!wrong.empty()) classes += " conflict";
    const std::string_view kind = elements::definition(element.kind).name;
    const Point centre = scene_.elements[at(id)];
    out_ += fmt::format("<g class=\"{}\" data-element=\"{}\" data-kind=\"{}\"><title>{}</title>",
                        classes, escape(element.name), kind, escape(title));
    out_ += rounded_box(centre, element_size(element), 4, "box");
    out_ += fmt::format("<text x=\"{}\" y=\"{}\"><tspan class=\"kind\">{}</tspan>{}</text>",
                        number(centre.x), number(centre.y + 0.36 * kTextSize), kind,
                        escape(element_name(element)));
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
    }
    if (inactive) classes += " inactive";
    if (!wrong.empty()) classes += " conflict";
    const Point centre = scene_.junctions[at(id)];
    out_ += fmt::format(
        "<g class=\"{}\" data-junction=\"{}\" data-kind=\"{}\" data-active=\"{}\"><title>{}</title>"
        "<circle class=\"circle\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
        classes, escape(junction.name), kind, !inactive, escape(title + wrong), number(centre.x),
        number(centre.y), number(kRadius));
    out_ += text_at(centre, kTextSize, "kind", symbol);
    out_ += text_at(scene_.names[at(id)], kSmallSize, "small name", junction.name);
    if (!wrong.empty()) {
      out_ += text_at({centre.x + kRadius, centre.y - kRadius}, kTextSize, "mark", "!");
    }
    out_ += "</g>\n";
  }

  // One line at the bottom, of what is to be seen in this picture.
  void legend() {
    double x = 24;
    const double y = scene_.size.height - 18;
    const auto entry = [&](const std::string& symbol, const std::string& text) {
      out_ += symbol + fmt::format("<text class=\"small start\" x=\"{}\" y=\"{}\">{}</text></g>\n",
                                   number(x + 40), number(y + 4), text);
      x += 40 + text_width(text, kSmallSize) + 24;
    };
    const auto line = [&](const char* classes) {
      return fmt::format("<g class=\"{}\"><path class=\"line\" d=\"M{} L{}\"/>", classes,
                         pair({x, y}), pair({x + 32, y}));
    };
    out_ += "<g class=\"legend\">\n";
    if (!model_.bonds.empty()) {
      entry(line("key") + fmt::format("<path class=\"half-arrow\" d=\"M{} L{}\"/>",
                                      pair({x + 32, y}), pair({x + 20, y - 7})),
            "half-arrow: power");
      entry(line("key") + fmt::format("<path class=\"causal-stroke\" d=\"M{} L{}\"/>",
                                      pair({x + 32, y - 7}), pair({x + 32, y + 7})),
            "causal stroke: effort goes there");
    }
    if (!assignment_.dependent.empty()) {
      entry(
          "<g class=\"key dependent\">" + rounded_box({x + 16, y}, {30, 14}, 4, "box") + "</g><g>",
          "dependent store");
    }
    if (has_inactive()) entry(line("key inactive") + "</g><g>", "inactive");
    if (!assignment_.loops.empty()) entry(line("key loop"), "algebraic loop");
    if (!assignment_.conflicts.empty()) entry(line("key conflict"), "conflict");
    if (!model_.automata.empty()) {
      entry("<g class=\"key present\">" + rounded_box({x + 16, y}, {30, 14}, 6, "state-box") +
                "</g><g>",
            "present state");
    }
    if (has_physical()) {
      entry("<g>" + text_at({x + 26, y}, kTextSize, "kind", "ε"), "after infinitesimal time");
    }
    if (model_.bonds.empty() && model_.automata.empty()) {
      out_ += fmt::format(
          "<text class=\"start\" x=\"24\" y=\"{}\">no bonds and no automata: "
          "signals only</text>\n",
          number(y));
    }
    out_ += "</g>\n";
  }

  bool has_inactive() const {
    for (std::size_t i = 0; i < model_.junctions.size(); ++i) {
      if (is_inactive(JunctionId(i))) return true;
    }
    return false;
  }
  bool has_physical() const {
    return std::any_of(
        model_.automata.begin(), model_.automata.end(), [](const model::Automaton& automaton) {
          return std::any_of(automaton.transitions.begin(), automaton.transitions.end(),
                             [](const model::Transition& t) { return t.physical; });
        });
  }

  const model::Model& model_;
  const causality::Assignment& assignment_;
  const Scene& scene_;
  std::set<BondId> looped_, clashing_;
  std::string out_;
};

}  // namespace

Drawing::Drawing(const model::Model& model, const Sources& sources)
    : model_(model), scene_(std::make_unique<Scene>(plan(model, sources, kTop, kBottom))) {}

Drawing::~Drawing() = default;

std::string Drawing::svg(const causality::Assignment& assignment, Colours colours) const {
  return Painter(model_, *scene_, assignment).paint(colours);
}

}  // namespace cradle::draw
