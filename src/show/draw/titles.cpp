#include "show/draw/titles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "language/expr/print.hpp"
#include "show/draw/style.hpp"
#include "theory/causality/names.hpp"

namespace cradle::draw {

namespace {

Point direction(Point a, Point b) {
  const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
  return {(b.x - a.x) / length, (b.y - a.y) / length};
}

// A law over the element's own variables, which Local stands for.
std::string law_text(const model::Model& model, ExprId law, const std::string& argument,
                     bool numbered) {
  return expr::to_string(
      model.pool, law,
      [&](ExprId e, const expr::Node& node) -> std::optional<std::string> {
        if (node.op == expr::Op::Local) {
          return numbered ? fmt::format("{}{}", argument, node.ref + 1) : argument;
        }
        const bool plain = node.op == expr::Op::Constant || node.op == expr::Op::Omega ||
                           node.op == expr::Op::Time || node.op == expr::Op::Pre ||
                           node.op == expr::Op::Absent;
        if (plain || expr::arity(node.op) > 0) return std::nullopt;
        return model.text(e);
      },
      400);
}

}  // namespace

Marks::Marks(const causality::Assignment& assignment) {
  for (const causality::AlgebraicLoop& loop : assignment.loops) {
    looped.insert(loop.bonds.begin(), loop.bonds.end());
  }
  for (const causality::Conflict& conflict : assignment.conflicts) {
    clashing.insert(conflict.bonds.begin(), conflict.bonds.end());
  }
}

std::string bond_title(const model::Model& model, const causality::Assignment& assignment,
                       const Marks& marks, BondId id) {
  const model::Bond& bond = model.bonds[id];
  const std::string from = causality::end_name(model, bond.from);
  const std::string to = causality::end_name(model, bond.to);
  std::string text = from + " -> " + to;
  if (bond.name != text && !bond.name.empty()) text = bond.name + ": " + text;
  const auto& stroke = assignment.strokes[at(id)];
  if (!stroke) return text + "\nleft open by a conflict";
  const bool at_head = *stroke == causality::Stroke::AtHead;
  text +=
      fmt::format("\n{} sets the effort, {} the flow", at_head ? from : to, at_head ? to : from);
  if (marks.looped.contains(id)) text += "\nin an algebraic loop";
  if (marks.clashing.contains(id)) text += "\nin a conflict";
  return text;
}

std::string element_title(const model::Model& model, ElementId id) {
  const model::Element& element = model.elements[id];
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
                        law_text(model, element.laws[i], argument, many));
  }
  if (element.signal.valid()) {
    const char* left =
        elements::is_source(element.kind)
            ? (definition.causality == elements::Definition::Causality::SetsEffort ? "e" : "f")
            : "modulus";
    text += fmt::format("\n{} = {}", left, model.text(element.signal));
  }
  return text;
}

std::string bond_shape(const std::string& path, const std::vector<Point>& line,
                       const std::optional<causality::Stroke>& stroke) {
  std::string out = fmt::format("<path class=\"line\" d=\"{}\"/>", path);
  const Point head = direction(line[line.size() - 2], line.back());
  const Point tip = line.back();
  const Point barb{tip.x - 12 * head.x + 7 * head.y, tip.y - 12 * head.y - 7 * head.x};
  out += fmt::format("<path class=\"half-arrow\" d=\"M{} L{}\"/>", pair(tip), pair(barb));
  if (!stroke) return out;
  const bool at_head = *stroke == causality::Stroke::AtHead;
  const Point end = at_head ? tip : line.front();
  const Point d = at_head ? head : direction(line[0], line[1]);
  return out + fmt::format("<path class=\"causal-stroke\" d=\"M{} L{}\"/>",
                           pair({end.x + 8 * d.y, end.y - 8 * d.x}),
                           pair({end.x - 8 * d.y, end.y + 8 * d.x}));
}

}  // namespace cradle::draw
