// Which signals may be absent: the least set that is closed under the rules below, found by
// following uses. What a memory of kind Last, a state or is_present says is always there.
//
//   absent, event memories, When, Choice     may be absent
//   Default(a, b)                            if both may be
//   If, and all other operators              if an operand may be
//
// By the same way: what is always absent while time flows, and so changes at instants only.
//
//   absent, event memories, outputs          are
//   Default(a, b), a and b, a or b           if both are
//   If(a, b, c)                              if a is, or b and c are
//   all other operators                      if an operand is
//
// Seen from inside a mode, what the mode defines is there although its When is closed to others;
// laws and delays in a mode are judged that way.

#include <algorithm>
#include <numeric>

#include "language/model/expressions.hpp"

namespace cradle::model {

namespace {

using expr::Node;
using expr::Op;

class Presence {
 public:
  // What may be absent, as seen from outside or from inside its own mode; what is always absent
  // while time flows.
  enum class Of { Outside, Inside, Flowing };
  Presence(Elaboration& e, Of of) : e_(e), pool_(e.model.pool), of_(of) {
    absent_.assign(pool_.size(), false);
    std::vector<ExprId> seeds;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      if (starts(ExprId(i))) seeds.emplace_back(i);
    }
    if (seeds.empty()) return;
    collect_uses();
    for (ExprId seed : seeds) mark(seed);
    while (!open_.empty()) {
      ExprId at = open_.back();
      open_.pop_back();
      for (int32_t i = first_[index(at)]; i < first_[index(at) + 1]; ++i) {
        ExprId user = uses_[static_cast<std::size_t>(i)];
        if (follows(user)) mark(user);
      }
    }
  }

  bool is_absent(ExprId id) const { return id.valid() && absent_[index(id)]; }
  const std::vector<bool>& all() const { return absent_; }

 private:
  static std::size_t index(ExprId id) { return static_cast<std::size_t>(id.index); }

  void mark(ExprId id) {
    if (absent_[index(id)]) return;
    absent_[index(id)] = true;
    open_.push_back(id);
  }

  bool starts(ExprId id) const {
    const Node& node = pool_[id];
    if (node.op == Op::Absent || node.op == Op::Output) return true;
    if (node.op == Op::Choice) return of_ != Of::Flowing;
    if (node.op == Op::When) {
      return of_ == Of::Outside || (of_ == Of::Inside && !e_.region_wraps.contains(id));
    }
    if (node.op != Op::Memory) return false;
    MemoryId memory(static_cast<std::size_t>(node.ref));
    return !e_.model.memories[memory].lasts();
  }

  bool follows(ExprId user) const {
    const Node& node = pool_[user];
    if (node.op == Op::IsPresent) return false;
    if (node.op == Op::Default) return absent_[index(node.a)] && absent_[index(node.b)];
    if (of_ == Of::Flowing) return follows_while_time_flows(node);
    if (node.op == Op::When) return absent_[index(node.a)];
    return true;
  }

  bool follows_while_time_flows(const Node& node) const {
    const auto absent = [this](ExprId operand) { return absent_[index(operand)]; };
    if (node.op == Op::And || node.op == Op::Or) return absent(node.a) && absent(node.b);
    if (node.op == Op::If) return absent(node.a) || (absent(node.b) && absent(node.c));
    return true;
  }

  // Who reads a node, as one array with the beginning of each part: operands, and for the leaves of
  // signals and of pre() what stands behind them.
  void collect_uses() {
    std::size_t size = pool_.size();
    first_.assign(size + 1, 0);
    each_use([this](ExprId of, ExprId) { ++first_[index(of) + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    uses_.resize(static_cast<std::size_t>(first_.back()));
    std::vector<int32_t> next(first_.begin(), first_.end() - 1);
    each_use(
        [&](ExprId of, ExprId user) { uses_[static_cast<std::size_t>(next[index(of)]++)] = user; });
  }

  template <class Visit>
  void each_use(Visit visit) const {
    for (std::size_t i = 0; i < absent_.size(); ++i) {
      ExprId user(i);
      const Node& node = pool_[user];
      ExprId read = reads(node);
      for (ExprId operand : {node.a, node.b, node.c, read}) {
        if (operand.valid()) visit(operand, user);
      }
    }
  }

  ExprId reads(const Node& node) const {
    auto at = static_cast<std::size_t>(node.ref);
    if (node.op == Op::Signal) return e_.model.signals[SignalId(at)].value;
    return node.op == Op::Pre ? pool_.pres()[at] : ExprId();
  }

  const Elaboration& e_;
  const expr::Pool& pool_;
  Of of_;
  std::vector<bool> absent_;  // by node
  std::vector<int32_t> first_;
  std::vector<ExprId> uses_;
  std::vector<ExprId> open_;
};

// ---- where a value has to be there -------------------------------------------------------------

// The signals through which it comes, from the first that is read to the one that starts it.
std::string trail(const Elaboration& e, const Presence& presence, ExprId from) {
  const expr::Pool& pool = e.model.pool;
  std::string names;
  std::vector<bool> seen(e.model.signals.size(), false);
  for (bool found = true; found;) {
    found = false;
    for (ExprId leaf : pool.leaves(from)) {
      if (pool[leaf].op != Op::Signal || !presence.is_absent(leaf)) continue;
      SignalId signal(static_cast<std::size_t>(pool[leaf].ref));
      if (seen[static_cast<std::size_t>(signal.index)]) continue;
      seen[static_cast<std::size_t>(signal.index)] = true;
      names += (names.empty() ? "" : " → ") + e.model.signals[signal].name;
      from = e.model.signals[signal].value;
      found = true;
      break;
    }
  }
  return names;
}

void check_element(Elaboration& e, const Presence& presence, const Element& element,
                   const Place& place) {
  bool source = elements::is_source(element.kind);
  if (source) return;
  std::vector<ExprId> needed = element.laws;
  if (element.signal.valid()) needed.push_back(element.signal);
  for (ExprId expr : needed) {
    if (!presence.is_absent(expr)) continue;
    Diagnostic diagnostic("presence.needed", "what " + element.name + " depends on may be absent");
    diagnostic.at(element.span);
    std::string names = trail(e, presence, expr);
    if (!names.empty()) diagnostic.note("absent", names);
    diagnostic.rule("laws and moduli have a value at every instant; only sources rest without one")
        .help("write default(x, value) or hold(x, start) for what may be absent");
    e.report.add(std::move(diagnostic), place);
    return;
  }
}

void check_delay(Elaboration& e, const Presence& presence, const Memory& memory) {
  bool microstep = memory.kind == Memory::Kind::Delay;
  bool delays = microstep || memory.kind == Memory::Kind::TimeDelay;
  if (!delays || presence.is_absent(memory.input)) return;
  e.report.add(
      Diagnostic("presence.delay", "the " + memory.name + " delays what is always present")
          .at(memory.span)
          .rule(microstep ? "a delayed event follows at the next microstep, and so without end if "
                            "it is always there"
                          : "without a start, events are delayed; before what is always there has "
                            "come through, the delay needs a value to say")
          .help(microstep ? "write fby(start, x) for the value of the instant before, or delay an "
                            "event: sample(x, e)"
                          : "write time_delay(x, T, start), or delay an event: sample(x, e)"));
}

// What a delay with a start takes: it is always there, and changes at instants only.
void check_held_delay(Elaboration& e, const Presence& presence, const Presence& flowing,
                      const Memory& memory) {
  if (memory.kind != Memory::Kind::HeldDelay) return;
  if (presence.is_absent(memory.input)) {
    e.report.add(Diagnostic("presence.delay", "what the " + memory.name + " delays may be absent")
                     .at(memory.span)
                     .rule("with a start, a signal is delayed that is always there")
                     .help("leave out the start, to delay an event, or delay hold(x, start)"));
  } else if (changes_continuously(e.model, memory.input,
                                  [&](ExprId id) { return flowing.is_absent(id); })) {
    e.report.add(
        Diagnostic("delay.continuous", "what the " + memory.name + " delays changes continuously")
            .at(memory.span)
            .rule("a delay in time keeps values that rest between instants, not a curve")
            .help("sample it: time_delay(sample(x, clock(0.01)), T) is an event, which hold makes "
                  "a signal; or let a chain of integrals stand for the delay"));
  }
}

// One number for each time that the event is there; what is there all the time has no such count.
void check_draw(Elaboration& e, const Presence& flowing, const Draw& draw) {
  if (flowing.is_absent(draw.event)) return;
  e.report.add(
      Diagnostic("random.event", e.report.source_text(draw.span) + " is no event")
          .at(draw.span)
          .rule("random(seed, e) draws one number at each instant of the event e")
          .help("draw at a clock or a crossing: random(1, clock(0.01)), random(1, rising(x))"),
      draw.place);
}

}  // namespace

std::vector<bool> absent_while_time_flows(Elaboration& e) {
  return Presence(e, Presence::Of::Flowing).all();
}

void analyse_presence(Elaboration& e) {
  using Of = Presence::Of;
  Presence outside(e, Of::Outside), inside(e, Of::Inside), flowing(e, Of::Flowing);
  for (std::size_t i = 0; i < e.model.signals.size(); ++i) {
    Signal& signal = e.model.signals[SignalId(i)];
    signal.may_be_absent = outside.is_absent(signal.value);
  }
  for (std::size_t i = 0; i < e.model.elements.size(); ++i) {
    check_element(e, inside, e.model.elements[ElementId(i)], e.element_sources[i].place);
  }
  for (const Draw& draw : e.draws) check_draw(e, flowing, draw);
  for (const Memory& memory : e.model.memories) {
    check_delay(e, inside, memory);
    check_held_delay(e, inside, flowing, memory);
  }
  for (const Average& average : e.averages) {
    if (!outside.is_absent(average.x)) e.model.states[average.passed].rate = average.always;
  }
  for (const Counted& counted : e.counts) {
    if (!flowing.is_absent(counted.condition)) continue;
    e.model.memories[counted.before].input = e.model.pool.boolean(false);
  }
}

}  // namespace cradle::model
