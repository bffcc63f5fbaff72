#include "show/draw/diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "show/draw/clutter.hpp"
#include "show/draw/scene.hpp"
#include "show/draw/style.hpp"

namespace cradle::draw {
namespace {

using expr::Op;
using Box = Diagram::Box;

constexpr std::size_t kLongest = 26;  // letters of a value

// The first names of a dotted one: of a.b.c the part a (1) or a.b (2); empty if it has no more.
std::string part_of(const std::string& name, int depth) {
  if (depth <= 0) return {};
  std::size_t at = 0;
  for (int i = 0; i < depth; ++i) {
    at = name.find('.', i == 0 ? 0 : at + 1);
    if (at == std::string::npos) return {};
  }
  return name.substr(0, at);
}

std::string shortened(const std::string& text) {
  if (text.size() <= kLongest) return text;
  return svg::first_characters(text, kLongest);
}

class Arranger {
 public:
  Arranger(const model::Model& model, const Sources& sources, int depth)
      : model_(model), sources_(sources), depth_(depth) {}

  Diagram run() {
    add_things();
    add_bonds();
    add_signals();
    leave_out_what_is_not_read();
    size_boxes();
    place();
    add_types();
    return std::move(out_);
  }

 private:
  // A part that is hidden in a box, made when it is first met; −1: none hides this name.
  int part(const std::string& name) {
    const std::string path = part_of(name, depth_);
    if (path.empty()) return -1;
    const auto [found, added] = parts_.try_emplace(path, static_cast<int>(out_.boxes.size()));
    if (added) out_.boxes.push_back({Box::Kind::Part, path, {}});
    return found->second;
  }
  int add(Box box) {
    out_.boxes.push_back(std::move(box));
    return static_cast<int>(out_.boxes.size()) - 1;
  }

  // What the text calls ground is drawn where it is met, not as one knot of all bonds.
  bool is_ground(JunctionId id) const {
    const std::string& name = model_.junctions[id].name;
    if (name != "ground_0" && name != "ground_1") return false;
    return std::any_of(model_.elements.begin(), model_.elements.end(),
                       [&](const model::Element& e) { return e.name == name + "_source"; });
  }

  void add_things() {
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      const model::Element& element = model_.elements[ElementId(i)];
      int box = part(element.name);
      const bool grounds = element.name == "ground_0_source" || element.name == "ground_1_source";
      if (box < 0 && !grounds) {
        Box made{Box::Kind::Element, element.name, value_of(element)};
        made.element = ElementId(i);
        box = add(std::move(made));
      }
      of_element_.push_back(box);
    }
    for (std::size_t i = 0; i < model_.junctions.size(); ++i) {
      const model::Junction& junction = model_.junctions[JunctionId(i)];
      int box = part(junction.name);
      if (box < 0 && !is_ground(JunctionId(i))) {
        Box made{Box::Kind::Junction, junction.name, {}};
        made.junction = JunctionId(i);
        box = add(std::move(made));
      }
      of_junction_.push_back(box);
    }
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      const model::Automaton& automaton = model_.automata[AutomatonId(i)];
      int box =
          automaton.junction.valid() ? of_junction_[at(automaton.junction)] : part(automaton.name);
      if (box < 0) box = add({Box::Kind::Modal, automaton.name, {}});
      out_.boxes[at(box)].inner.push_back(AutomatonId(i));
      of_automaton_.push_back(box);
    }
    // A controlled junction shows its state below its name.
    for (std::size_t i = 0; i < model_.signals.size(); ++i) {
      const model::Signal& signal = model_.signals[SignalId(i)];
      int box = signal.gathers.valid() ? of_automaton_[at(signal.gathers)] : region_box(signal);
      if (box < 0) box = part(signal.name);
      if (box < 0) {
        Box made{Box::Kind::Signal, signal.name, {}};
        made.signal = SignalId(i);
        box = add(std::move(made));
      }
      of_signal_.push_back(box);
    }
  }
  // What lives in a mode is part of its modal model.
  int region_box(const model::Signal& signal) const {
    if (!signal.region.valid()) return -1;
    RegionId region = signal.region;
    while (model_.regions[region].parent.valid()) region = model_.regions[region].parent;
    return of_automaton_[at(model_.regions[region].automaton)];
  }

  // The number by which a linear element was written, e = R f, f = p / m, or what a signal says.
  std::string value_of(const model::Element& element) const {
    if (element.signal.valid()) return text_of(element.signal);
    if (element.laws.size() != 1 || !element.laws[0].valid()) return {};
    const expr::Node& law = model_.pool[element.laws[0]];
    const auto local = [&](ExprId e) { return e.valid() && model_.pool[e].op == Op::Local; };
    if (law.op == Op::Local) return "1";
    if (law.op == Op::Div && local(law.a)) return text_of(law.b);
    if (law.op != Op::Mul || local(law.a) == local(law.b)) return {};
    const ExprId factor = local(law.a) ? law.b : law.a;
    if (elements::is_dissipative(element.kind)) return text_of(factor);
    if (!model_.pool.is_constant(factor)) return {};
    return number_text(1 / model_.pool.constant_value(factor));
  }
  static std::string number_text(double value) { return fmt::format("{:.6g}", value); }
  std::string text_of(ExprId e) const {
    if (model_.pool.is_constant(e)) return number_text(model_.pool.constant_value(e));
    return shortened(model_.text(e));
  }

  int box_of(const model::End& end) const {
    return end.element.valid() ? of_element_[at(end.element)] : of_junction_[at(end.junction)];
  }

  void add_bonds() {
    for (std::size_t i = 0; i < model_.bonds.size(); ++i) {
      const model::Bond& bond = model_.bonds[BondId(i)];
      int from = box_of(bond.from), to = box_of(bond.to);
      if (from < 0 && to < 0) continue;  // inside ground
      if (from < 0) from = ground(bond.from.junction);
      if (to < 0) to = ground(bond.to.junction);
      if (from != to) out_.ties.push_back({from, to, BondId(i)});
    }
  }
  int ground(JunctionId junction) {
    Box made{Box::Kind::Ground, "ground", {}};
    made.junction = junction;
    return add(std::move(made));
  }

  // Who is read by an expression of this box.
  class Reads {
   public:
    Reads(const Arranger& arranger, int reader) : arranger_(arranger), reader_(reader) {}
    void look(ExprId e) {
      if (!e.valid()) return;
      const model::Model& m = arranger_.model_;
      for (ExprId id : m.pool.below(e, true)) {
        if (seen_.insert(id).second) leaf(m.pool[id]);
      }
    }
    const std::set<int>& found() const { return found_; }

   private:
    void leaf(const expr::Node& node) {
      const model::Model& m = arranger_.model_;
      const auto ref = static_cast<std::size_t>(node.ref);
      switch (node.op) {
        case Op::Effort:
        case Op::Flow:
          return bond(m.bonds[BondId(ref)]);
        case Op::State:
          return state(m.states[StateId(ref)]);
        case Op::Signal:
          return read(arranger_.of_signal_[ref]);
        case Op::InMode:
        case Op::Active:
          return read(arranger_.of_automaton_[ref]);
        case Op::Input:
          return read(arranger_.of_signal_[at(m.clocks[ClockId(ref)].input)]);
        case Op::Memory:
          return look(m.memories[MemoryId(ref)].input);
        case Op::Choice:
          for (ExprId e : m.choices[ChoiceId(ref)].alternatives) look(e);
          return;
        case Op::Output:
          return read(arranger_.of_automaton_[at(m.outputs[OutputId(ref)].automaton)]);
        default:
          return;
      }
    }
    // A bond is read at the end that is more than a junction; a part reads its own ports freely.
    void bond(const model::Bond& bond) {
      const int from = arranger_.box_of(bond.from), to = arranger_.box_of(bond.to);
      if (from == reader_ || to == reader_) return;
      const bool at_head = bond.to.element.valid() || is_part(to);
      read(at_head && !bond.from.element.valid() ? to : from);
    }
    bool is_part(int box) const {
      return box >= 0 && arranger_.out_.boxes[at(box)].kind == Box::Kind::Part;
    }
    void state(const model::State& state) {
      if (state.element.valid()) return read(arranger_.of_element_[at(state.element)]);
      const auto hides = arranger_.parts_.find(part_of(state.name, arranger_.depth_));
      if (hides != arranger_.parts_.end()) return read(hides->second);
      look(state.rate);
      look(state.impulse);
    }
    void read(int box) {
      if (box >= 0 && box != reader_) found_.insert(box);
    }

    const Arranger& arranger_;
    int reader_;
    std::set<ExprId> seen_;
    std::set<int> found_;
  };

  void add_signals() {
    std::map<int, Reads> readers;
    const auto reads = [&](int box, ExprId e) {
      if (box < 0) return;
      readers.try_emplace(box, *this, box).first->second.look(e);
    };
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      const model::Element& element = model_.elements[ElementId(i)];
      for (ExprId law : element.laws) reads(of_element_[i], law);
      reads(of_element_[i], element.signal);
    }
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      for (const model::Transition& t : model_.automata[AutomatonId(i)].transitions) {
        reads(of_automaton_[i], t.guard);
        for (const model::SetAction& set : t.sets) reads(of_automaton_[i], set.value);
      }
    }
    for (std::size_t i = 0; i < model_.signals.size(); ++i) {
      reads(of_signal_[i], model_.signals[SignalId(i)].value);
    }
    for (const model::State& state : model_.states) {
      if (state.element.valid()) continue;
      const auto hides = parts_.find(part_of(state.name, depth_));
      if (hides == parts_.end()) continue;
      reads(hides->second, state.rate);
      reads(hides->second, state.impulse);
    }
    for (const auto& [box, read] : readers) {
      for (int said : read.found()) out_.ties.push_back({said, box});
    }
  }

  // A signal that only looks is not part of what works.
  void leave_out_what_is_not_read() {
    std::vector<std::vector<int>> before(out_.boxes.size());
    for (const Diagram::Tie& tie : out_.ties) {
      if (!tie.bond.valid()) before[at(tie.to)].push_back(tie.from);
    }
    std::vector<char> works(out_.boxes.size(), 0);
    std::vector<int> waiting;
    const auto is_signal = [&](int box) { return out_.boxes[at(box)].kind == Box::Kind::Signal; };
    for (std::size_t i = 0; i < out_.boxes.size(); ++i) {
      if (!is_signal(static_cast<int>(i))) waiting.push_back(static_cast<int>(i));
    }
    while (!waiting.empty()) {
      const int box = waiting.back();
      waiting.pop_back();
      if (std::exchange(works[at(box)], 1) != 0) continue;
      for (int other : before[at(box)]) waiting.push_back(other);
    }
    std::vector<int> now(out_.boxes.size(), -1);
    std::vector<Box> kept;
    for (std::size_t i = 0; i < out_.boxes.size(); ++i) {
      if (works[i] == 0) continue;
      now[i] = static_cast<int>(kept.size());
      kept.push_back(std::move(out_.boxes[i]));
    }
    out_.boxes = std::move(kept);
    std::erase_if(out_.ties, [&](const Diagram::Tie& tie) {
      return now[at(tie.from)] < 0 || now[at(tie.to)] < 0;
    });
    for (Diagram::Tie& tie : out_.ties) tie = {now[at(tie.from)], now[at(tie.to)], tie.bond};
  }

  // With room for every state that its automata may have.
  double widest_state(const Box& box) const {
    double widest = 0;
    causality::Mode mode = causality::initial_mode(model_);
    for (AutomatonId automaton : box.inner) {
      for (std::size_t s = 0; s < model_.automata[automaton].states.size(); ++s) {
        mode[at(automaton)] = static_cast<int>(s);
        widest = std::max(widest, text_width(state_line(model_, mode, box, automaton), kSmallSize));
      }
    }
    return widest;
  }
  void size_boxes() {
    for (Box& box : out_.boxes) {
      const double lines =
          static_cast<double>(std::min(box.inner.size(), Diagram::kMostStates + 1));
      const double states = widest_state(box);
      switch (box.kind) {
        case Box::Kind::Part:
        case Box::Kind::Modal:
          box.size = {std::max(text_width(box.name, kTextSize, true), states) + 24,
                      22 + lines * Diagram::kLine + 8};
          break;
        case Box::Kind::Element: {
          const model::Element& element = model_.elements[box.element];
          box.size = element_size(element);
          box.size.width = std::max(box.size.width, text_width(box.value, kSmallSize) + 8);
          if (!box.value.empty()) box.size.height += Diagram::kLine;
          break;
        }
        case Box::Kind::Junction:
          // The circle in the middle, its name and state below, and as much room above.
          box.size = {std::max({2 * kRadius + 6, text_width(box.name, kSmallSize), states}),
                      2 * kRadius + 2 * Diagram::kLine * (1 + lines)};
          break;
        case Box::Kind::Ground:
          box.size = {24, 24};
          break;
        case Box::Kind::Signal:
          box.size = {text_width(box.name, kTextSize) + 22, 24};
          break;
      }
    }
  }

  void place() {
    std::vector<Size> sizes;
    std::vector<Link> links;
    for (const Box& box : out_.boxes) sizes.push_back({box.size.width + 8, box.size.height + 6});
    std::vector<int> ties(out_.boxes.size(), 0);
    for (const Diagram::Tie& tie : out_.ties) {
      ++ties[at(tie.from)];
      ++ties[at(tie.to)];
    }
    // What leads on is straight, what ends there stands beside it.
    for (const Diagram::Tie& tie : out_.ties) {
      const bool leads_on = ties[at(tie.from)] > 1 && ties[at(tie.to)] > 1;
      Link link{tie.from, tie.to};
      link.weight = !tie.bond.valid() ? 1 : leads_on ? 20 : 4;
      links.push_back(link);
    }
    constexpr double kAlong = 52, kAcross = 22;
    Ranked ranked = rank(sizes, links, {kAlong, kAcross});
    for (std::size_t i = 0; i < out_.boxes.size(); ++i) out_.boxes[i].centre = ranked.centres[i];
    for (std::size_t i = 0; i < out_.ties.size(); ++i) {
      out_.ties[i].curve = std::move(ranked.curves[i]);
      // In the picture a circle is smaller than its box.
      for (const bool head : {false, true}) meet(out_.ties[i], head);
    }
    out_.size = ranked.size;
  }
  void meet(Diagram::Tie& tie, bool head) const {
    const Box& box = out_.boxes[at(head ? tie.to : tie.from)];
    if (box.kind != Box::Kind::Junction || tie.curve.empty()) return;
    const Point end = head ? tie.curve.back() : tie.curve.front();
    const Point meets = border_of_circle(box.centre, kRadius + 3, end);
    std::vector<Point> longer;
    if (!head) longer.assign({meets, meets, end});
    for (const Point& p : tie.curve) longer.push_back(p);
    if (head) {
      for (const Point& p : {end, meets, meets}) longer.push_back(p);
    }
    tie.curve = std::move(longer);
  }

  // In rows below the graph, each once.
  void add_types() {
    constexpr double kGap = 26, kLeast = 900;
    std::map<std::pair<int, int>, std::size_t> known;  // by place in the text
    for (std::size_t i = 0; i < model_.automata.size(); ++i) {
      const model::Automaton& automaton = model_.automata[AutomatonId(i)];
      if (automaton.region.valid()) continue;
      const auto [found, added] = known.try_emplace(
          std::pair(automaton.span.file, automaton.span.begin), out_.types.size());
      if (added) out_.types.push_back({arrange(model_, sources_, AutomatonId(i), true), {}});
      out_.types[found->second].members.push_back(AutomatonId(i));
    }
    const double room = std::max(out_.size.width, kLeast);
    double x = 0, y = out_.size.height + (out_.types.empty() ? 0 : 2 * kGap), row = 0, right = 0;
    for (Diagram::Type& type : out_.types) {
      Size size = type.machine.size;
      size.height += Diagram::kLine;  // whose it is, below
      if (x > 0 && x + size.width > room) {
        x = 0;
        y += row + kGap;
        row = 0;
      }
      type.centre = {x + size.width / 2, y + type.machine.size.height / 2};
      x += size.width + kGap;
      right = std::max(right, x - kGap);
      row = std::max(row, size.height);
    }
    out_.size = {std::max(out_.size.width, right), y + row};
  }

  const model::Model& model_;
  const Sources& sources_;
  int depth_;
  Diagram out_;
  std::map<std::string, int> parts_;  // boxes, by the way to them
  std::vector<int> of_element_, of_junction_, of_automaton_, of_signal_;  // boxes; −1: ground
};

}  // namespace

std::string state_line(const model::Model& model, const causality::Mode& mode,
                       const Diagram::Box& box, AutomatonId automaton) {
  const model::Automaton& a = model.automata[automaton];
  const std::string& state = a.states[at(mode[at(automaton)])];
  if (box.kind != Diagram::Box::Kind::Part) return state;
  return a.name.substr(box.name.size() + 1) + " " + state;
}

Diagram arrange_diagram(const model::Model& model, const Sources& sources, int depth) {
  return Arranger(model, sources, depth).run();
}

}  // namespace cradle::draw
