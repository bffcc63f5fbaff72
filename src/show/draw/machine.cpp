#include "show/draw/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "show/draw/style.hpp"

namespace cradle::draw {
namespace {

constexpr double kMargin = 9;      // around a machine and around nested ones
constexpr double kTitleLine = 19;  // the name of a machine or of a state with nested ones
constexpr double kLawLine = 15;
constexpr double kLabelLine = 13;
constexpr std::size_t kLabelLength = 32, kLabelLines = 3;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + by.size()))
    text.replace(i, what.size(), by);
}

std::string guard_of(const model::Model& model, const model::Transition& transition) {
  return transition.guard.valid() ? model.text(transition.guard) : "true";
}

std::string without_comments(std::string text) {
  for (const auto& [open, close] : {std::pair("//", "\n"), std::pair("/*", "*/")}) {
    for (std::size_t i = text.find(open); i != std::string::npos; i = text.find(open, i)) {
      const std::size_t end = text.find(close, i + 2);
      text.replace(i, end == std::string::npos ? end : end + std::strlen(close) - i, " ");
    }
  }
  return text;
}

// As written, on one line: in a component that is shorter than the names of the flat model.
std::string written(const Sources& sources, const Span& span) {
  if (!span.known() || static_cast<std::size_t>(span.file) >= sources.size()) return {};
  const std::string& text = sources.file(span.file).text;
  if (at(span.end) > text.size() || span.end < span.begin) return {};
  std::string out;
  for (char c : without_comments(text.substr(at(span.begin), at(span.end - span.begin)))) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Where the first line of a long text ends: before the last word that joins conditions, or any.
std::size_t line_end(const std::string& text) {
  std::size_t joint = 0, word = 0;
  for (std::size_t i = text.find(' '); i != std::string::npos; i = text.find(' ', i + 1)) {
    if (code_points(std::string_view(text).substr(0, i)) > kLabelLength) break;
    word = i;
    if (text.compare(i, 5, " and ") == 0 || text.compare(i, 4, " or ") == 0) joint = i;
  }
  return joint > 0 ? joint : word;
}

std::vector<std::string> label_of(const model::Transition& transition, std::string text) {
  replace_all(text, ">=", "≥");
  replace_all(text, "<=", "≤");
  if (transition.fallback) text = "default: " + text;
  if (transition.physical) text = "ε: " + text;
  std::vector<std::string> lines;
  while (lines.size() + 1 < kLabelLines && code_points(text) > kLabelLength) {
    const std::size_t end = line_end(text);
    if (end == 0) break;
    lines.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  lines.push_back(svg::first_characters(text, kLabelLength));
  return lines;
}

Size label_size(const std::vector<std::string>& lines) {
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line, kSmallSize) + 4);
  // In steps, so that more machines are alike.
  return {8 * std::ceil(width / 8), kLabelLine * static_cast<double>(lines.size()) + 3};
}

std::string transition_title(const model::Model& model, AutomatonId id, std::size_t i,
                             const std::string& guard) {
  const model::Automaton& automaton = model.automata[id];
  const model::Transition& t = automaton.transitions[i];
  std::string out = fmt::format("{} -> {}{} when {}", automaton.states[at(t.from)],
                                automaton.states[at(t.to)], t.physical ? " after eps" : "", guard);
  if (const std::string flat = guard_of(model, t); flat != guard) out += "\nthat is: " + flat;
  if (t.priority) out += fmt::format("\npriority {}", *t.priority);
  if (t.history) out += "\nhistory: the destination keeps its state";
  if (t.fallback) out += "\ndefault: only if no other is enabled";
  if (t.preemptive) out += "\npreemptive";
  if (t.immediate) out += "\nimmediate";
  for (const model::SetAction& action : t.sets) {
    const std::string what =
        action.state.valid() ? model.states[action.state].name : model.memories[action.memory].name;
    out += fmt::format("\nset {} = {}", what, model.text(action.value));
  }
  for (const auto& [signal, value] : model.outputs_of(id, static_cast<int>(i))) {
    out += fmt::format("\noutput {} = {}", model.signals[signal].name, model.text(value));
  }
  return out;
}

bool stands_in(const model::Model& model, RegionId region, AutomatonId automaton,
               std::size_t state) {
  return region.valid() && model.regions[region].automaton == automaton &&
         at(model.regions[region].state) == state;
}

std::string state_title(const model::Model& model, AutomatonId id, std::size_t state,
                        const std::vector<std::string>& laws) {
  const model::Automaton& automaton = model.automata[id];
  std::string out = automaton.name + "." + automaton.states[state];
  if (automaton.initial == static_cast<int>(state)) out += ", initially";
  if (automaton.junction.valid()) {
    out += automaton.active[state] ? "\nthe junction is active" : "\nthe junction is inactive";
  }
  for (const std::string& law : laws) out += "\n" + law;
  return out;
}

// What a mode says, item by item.
std::vector<std::string> laws_of(const model::Model& model, const Sources& sources, AutomatonId id,
                                 std::size_t state) {
  std::vector<std::string> out;
  for (const model::Region& region : model.regions) {
    if (region.automaton != id || at(region.state) != state) continue;
    for (const Span& item : region.items) out.push_back(written(sources, item));
  }
  std::erase(out, std::string());
  return out;
}

// Modal models that stand in a mode.
std::vector<AutomatonId> nested_in(const model::Model& model, AutomatonId id, std::size_t state) {
  std::vector<AutomatonId> out;
  for (std::size_t i = 0; i < model.automata.size(); ++i) {
    const model::Automaton& inner = model.automata[AutomatonId(i)];
    if (inner.modal && stands_in(model, inner.region, id, state)) out.push_back(AutomatonId(i));
  }
  return out;
}

std::vector<std::string> shown_laws(const std::vector<std::string>& laws) {
  constexpr std::size_t kMost = 6, kLength = 44;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < laws.size() && i < kMost; ++i) {
    out.push_back(i + 1 == kMost && laws.size() > kMost ? "…"
                                                        : svg::first_characters(laws[i], kLength));
  }
  return out;
}

std::string local_name(const model::Model& model, const model::Automaton& automaton) {
  if (!automaton.region.valid()) return automaton.name;
  const model::Region& region = model.regions[automaton.region];
  const model::Automaton& outer = model.automata[region.automaton];
  const std::string way = outer.name + "." + outer.states[at(region.state)] + ".";
  return automaton.name.starts_with(way) ? automaton.name.substr(way.size()) : automaton.name;
}

Machine::State state_box(const model::Model& model, const Sources& sources, AutomatonId id,
                         std::size_t state, bool labels) {
  Machine::State out;
  out.size = {text_width(model.automata[id].states[state], kTextSize, true) + 20, 25};
  if (!model.automata[id].modal) return out;
  out.laws = laws_of(model, sources, id, state);
  const std::vector<std::string> lines = shown_laws(out.laws);
  for (const std::string& line : lines) {
    out.size.width = std::max(out.size.width, text_width(line, kSmallSize) + 20);
  }
  if (!lines.empty()) {
    out.size.height = kTitleLine + kLawLine * static_cast<double>(lines.size()) + 10;
  }
  for (AutomatonId inner : nested_in(model, id, state)) {
    out.nested.push_back(arrange(model, sources, inner, labels));
    if (out.nested.size() == 1) out.size.height += lines.empty() ? 8 : 4;
    const Size& size = out.nested.back().size;
    out.size.width = std::max(out.size.width, size.width + 2 * kMargin);
    out.size.height += size.height + kMargin;
  }
  return out;
}

// The order in which states are met from the initial one: ranks go that way.
std::vector<std::size_t> order_met(const model::Automaton& automaton) {
  std::vector<std::size_t> place(automaton.states.size(), automaton.states.size());
  std::vector<std::size_t> queue = {at(automaton.initial)};
  std::size_t next = 0;
  place[queue[0]] = next++;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const model::Transition& t : automaton.transitions) {
      if (at(t.from) != queue[i] || place[at(t.to)] < place.size()) continue;
      place[at(t.to)] = next++;
      queue.push_back(at(t.to));
    }
  }
  for (std::size_t& p : place) {
    if (p == place.size()) p = next++;
  }
  return place;
}

struct Plan {
  std::vector<Size> boxes;
  std::vector<Link> links;
  std::vector<bool> reversed;  // by link
};

void add_link(Plan& plan, int from, int to, bool reversed) {
  plan.links.push_back({reversed ? to : from, reversed ? from : to, 0});
  plan.reversed.push_back(reversed);
}

// Many automata are alike: what has been ranked once is kept by its sizes.
Ranked ranked(const Plan& plan) {
  static thread_local std::map<std::vector<double>, Ranked> known;
  std::vector<double> key;
  for (const Size& box : plan.boxes) key.insert(key.end(), {box.width, box.height});
  for (const Link& link : plan.links) key.insert(key.end(), {double(link.from), double(link.to)});
  key.push_back(static_cast<double>(plan.boxes.size()));
  const auto place = known.find(key);
  if (place != known.end()) return place->second;
  constexpr std::size_t kKept = 256;
  if (known.size() >= kKept) known.clear();
  return known[key] = rank(plan.boxes, plan.links);
}

}  // namespace

bool is_there(const model::Model& model, const causality::Mode& mode, RegionId region) {
  for (; region.valid(); region = model.regions[region].parent) {
    const model::Region& r = model.regions[region];
    if (mode[at(r.automaton)] != r.state) return false;
  }
  return true;
}

Machine arrange(const model::Model& model, const Sources& sources, AutomatonId id, bool labels) {
  const model::Automaton& automaton = model.automata[id];
  Machine out;
  out.automaton = id;
  out.name = local_name(model, automaton);
  Plan plan;
  for (std::size_t s = 0; s < automaton.states.size(); ++s) {
    out.states.push_back(state_box(model, sources, id, s, labels));
    plan.boxes.push_back(out.states.back().size);
  }
  const std::vector<std::size_t> place = order_met(automaton);
  for (const model::Transition& t : automaton.transitions) {
    Machine::Arrow& arrow = out.arrows.emplace_back();
    arrow.guard = written(sources, t.guard_span);
    if (arrow.guard.empty()) arrow.guard = guard_of(model, t);
    const bool back = place[at(t.from)] > place[at(t.to)];
    if (!labels) {
      add_link(plan, t.from, t.to, back);
      continue;
    }
    arrow.label = label_of(t, arrow.guard);
    const int middle = static_cast<int>(plan.boxes.size());
    plan.boxes.push_back(label_size(arrow.label));
    add_link(plan, t.from, middle, back);
    add_link(plan, middle, t.to, back);
  }
  Ranked found = ranked(plan);
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    if (plan.reversed[i]) std::reverse(found.curves[i].begin(), found.curves[i].end());
  }
  const double title = text_width(out.name, kSmallSize, true);
  out.size = {std::max(found.size.width, title) + 2 * kMargin,
              found.size.height + kTitleLine + 2 * kMargin};
  // Curves may leave the box of the boxes; the margin takes that up.
  const Point shift{(out.size.width - found.size.width) / 2, kTitleLine + kMargin};
  const auto moved = [&](Point p) { return Point{p.x + shift.x, p.y + shift.y}; };
  for (std::size_t s = 0; s < out.states.size(); ++s)
    out.states[s].centre = moved(found.centres[s]);
  const std::size_t per_arrow = labels ? 2 : 1;
  for (std::size_t i = 0; i < out.arrows.size(); ++i) {
    Machine::Arrow& arrow = out.arrows[i];
    if (labels) arrow.label_centre = moved(found.centres[out.states.size() + i]);
    for (std::size_t k = 0; k < per_arrow; ++k) {
      std::vector<Point> curve = found.curves[per_arrow * i + k];
      for (Point& p : curve) p = moved(p);
      arrow.curves.push_back(std::move(curve));
    }
  }
  return out;
}

namespace {

void draw_arrow(const model::Model& model, const Machine& machine, std::size_t i, Point corner,
                std::string& svg) {
  const model::Automaton& automaton = model.automata[machine.automaton];
  const model::Transition& t = automaton.transitions[i];
  const Machine::Arrow& arrow = machine.arrows[i];
  svg += fmt::format(
      "<g class=\"transition{}\" data-from=\"{}\" data-to=\"{}\" data-physical=\"{}\">"
      "<title>{}</title>",
      t.physical ? " physical" : "", escaped(automaton.states[at(t.from)]),
      escaped(automaton.states[at(t.to)]), t.physical,
      escaped(transition_title(model, machine.automaton, i, arrow.guard)));
  std::string path, head;
  for (std::vector<Point> curve : arrow.curves) {
    for (Point& p : curve) p = {p.x + corner.x, p.y + corner.y};
    path += (path.empty() ? "" : " ") + curve_path(curve);
    head = arrow_head(curve);
  }
  svg += fmt::format("<path class=\"arrow\" d=\"{}\"/><path class=\"head\" d=\"{}\"/>", path, head);
  for (std::size_t line = 0; line < arrow.label.size(); ++line) {
    const double down = kLabelLine * (static_cast<double>(line) -
                                      (static_cast<double>(arrow.label.size()) - 1) / 2);
    const Point place{arrow.label_centre.x + corner.x, arrow.label_centre.y + corner.y + down};
    svg += text_at(place, kSmallSize, "small guard", arrow.label[line]);
  }
  svg += "</g>\n";
}

void draw_state(const model::Model& model, const causality::Mode& mode, const Machine& machine,
                std::size_t s, Point corner, std::string& svg) {
  const model::Automaton& automaton = model.automata[machine.automaton];
  const Machine::State& state = machine.states[s];
  const bool present =
      mode[at(machine.automaton)] == static_cast<int>(s) && is_there(model, mode, automaton.region);
  const bool final = s < automaton.final.size() && automaton.final[s];
  const Point centre{state.centre.x + corner.x, state.centre.y + corner.y};
  const bool nests = !state.nested.empty();
  svg += fmt::format("<g class=\"state{}{}{}{}\" data-state=\"{}\"><title>{}</title>",
                     present ? " present" : "",
                     automaton.initial == static_cast<int>(s) ? " initial" : "",
                     final ? " final" : "", nests ? " nesting" : "", escaped(automaton.states[s]),
                     escaped(state_title(model, machine.automaton, s, state.laws)));
  svg += rounded_box(centre, state.size, 9, "state-box");
  Point name = centre;
  const std::vector<std::string> laws = shown_laws(state.laws);
  if (nests || !laws.empty()) name.y += -state.size.height / 2 + kTitleLine / 2 + 3;
  svg += text_at(name, kTextSize, "state-name", automaton.states[s]);
  double top = centre.y - state.size.height / 2 + kTitleLine + 4;
  for (const std::string& law : laws) {
    const Point start{centre.x - state.size.width / 2 + 10, top + kLawLine / 2};
    svg += text_at(start, kSmallSize, "small start law", law);
    top += kLawLine;
  }
  if (!laws.empty()) top += 6;
  for (const Machine& inner : state.nested) {
    svg += "\n";
    draw(model, mode, inner, {centre.x, top + inner.size.height / 2}, svg);
    top += inner.size.height + kMargin;
  }
  svg += "</g>\n";
}

}  // namespace

void draw(const model::Model& model, const causality::Mode& mode, const Machine& machine,
          Point centre, std::string& svg) {
  const model::Automaton& automaton = model.automata[machine.automaton];
  const Point corner{centre.x - machine.size.width / 2, centre.y - machine.size.height / 2};
  const int present = mode[at(machine.automaton)];
  svg += fmt::format("<g class=\"automaton {}\" data-automaton=\"{}\" data-present=\"{}\">",
                     automaton.modal ? "modal" : "switch", escaped(automaton.name),
                     present < 0 ? "" : escaped(automaton.states[at(present)]));
  svg += rounded_box(centre, machine.size, 6, "panel");
  svg += text_at({centre.x, corner.y + kTitleLine / 2 + 3}, kSmallSize, "small kind", machine.name);
  svg += "\n";
  for (std::size_t i = 0; i < machine.arrows.size(); ++i)
    draw_arrow(model, machine, i, corner, svg);
  for (std::size_t s = 0; s < machine.states.size(); ++s)
    draw_state(model, mode, machine, s, corner, svg);
  svg += "</g>\n";
}

}  // namespace cradle::draw
