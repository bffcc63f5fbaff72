// The least fixed point of the engine against chaotic iteration: random networks of signals, with
// circles in them, evaluated by a few lines that know nothing of schedules, in random order, until
// nothing changes (semantics, section 7). And whole runs of random networks with events, fby,
// delay, hold and time_delay against the same few lines, instant by instant. NETWORKS says how
// many.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "api/implementation.hpp"
#include "base/basics/sanitized.hpp"
#include "core/plan/value.hpp"
#include "cradle/cradle.hpp"
#include "language/expr/pool.hpp"

namespace cradle {
namespace {

using expr::Op;
using plan::Value;

std::string random_expression(std::mt19937& random, int signals, int depth, bool boolean) {
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto number = [&] { return random_expression(random, signals, depth - 1, false); };
  auto truth = [&] { return random_expression(random, signals, depth - 1, true); };
  // Even signals are numbers, odd ones booleans.
  const std::string name = "s[" + std::to_string(2 * pick(signals / 2) + (boolean ? 1 : 0)) + "]";
  if (boolean) {
    switch (depth <= 0 ? pick(3) : pick(9)) {
      case 0:
        return "true";
      case 1:
        return "false";
      case 2:
      case 3:
        return name;
      case 4:
        return "(" + truth() + " and " + truth() + ")";
      case 5:
        return "(" + truth() + " or " + truth() + ")";
      case 6:
        return "(not " + truth() + ")";
      case 7:
        return "is_present(" + number() + ")";
      default:
        return "(" + number() + " < " + number() + ")";
    }
  }
  switch (depth <= 0 ? pick(4) : pick(9)) {
    case 0:
      return std::to_string(pick(4));
    case 1:
      return "sample(" + std::to_string(pick(4)) + ", never)";
    case 2:
    case 3:
    case 4:
      return name;
    case 5:
      return "(" + number() + " + " + number() + ")";
    case 6:
      return "default(" + number() + ", " + number() + ")";
    case 7:
      return "sample(" + number() + ", " + truth() + ")";
    default:
      return "(if " + truth() + " then " + number() + " else " + number() + ")";
  }
}

std::string random_network(uint32_t seed) {
  std::mt19937 random(seed);
  const int signals = 4 + 2 * static_cast<int>(random() % 6);
  std::string text = "model Network {\n  never = event(5)\n";
  for (int i = 0; i < signals; ++i) {
    text += "  s[" + std::to_string(i) +
            "] = " + random_expression(random, signals, 3, i % 2 == 1) + "\n";
  }
  return text + "  until 1\n}\n";
}

// One operator on what is known of its operands.
Value evaluate(const expr::Pool& pool, ExprId e, const std::vector<Value>& signals,
               const std::vector<Value>& memories) {
  const expr::Node& node = pool[e];
  auto operand = [&](ExprId id) { return evaluate(pool, id, signals, memories); };
  auto is_true = [](const Value& v) { return v.finite != 0; };
  switch (node.op) {
    case Op::Constant:
      return node.value;
    case Op::Signal:
      return signals[static_cast<std::size_t>(node.ref)];
    case Op::Memory:
      return memories[static_cast<std::size_t>(node.ref)];
    case Op::Absent:
      return Value::absent();
    case Op::IsPresent: {
      const Value a = operand(node.a);
      return a.is_unknown() ? a : Value(a.is_present() ? 1.0 : 0.0);
    }
    case Op::Default: {
      const Value a = operand(node.a);
      return a.is_absent() ? operand(node.b) : a;
    }
    case Op::When: {
      const Value b = operand(node.b);
      if (b.is_unknown()) return b;
      const bool condition = pool[node.b].type == expr::Type::Boolean;
      const bool enabled = b.is_present() && (!condition || is_true(b));
      return enabled ? operand(node.a) : Value::absent();
    }
    case Op::If: {
      const Value a = operand(node.a);
      if (!a.is_present()) return a;
      return operand(is_true(a) ? node.b : node.c);
    }
    default:
      break;
  }
  const Value a = operand(node.a), b = node.b.valid() ? operand(node.b) : Value(0.0);
  if (node.op == Op::And || node.op == Op::Or) {
    for (const Value& v : {a, b}) {
      if (v.is_present() && is_true(v) == (node.op == Op::Or)) return v;
    }
  }
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  if (a.is_absent() || b.is_absent()) return Value::absent();
  return expr::apply(node.op, a.finite, b.finite);
}

std::vector<Value> chaotic_iteration(const model::Model& m, const std::vector<Value>& memories,
                                     std::mt19937& random) {
  std::vector<Value> values(m.signals.size(), Value::unknown());
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order) {
      const Value next = evaluate(m.pool, m.signals[SignalId(i)].value, values, memories);
      if (next == values[i]) continue;
      EXPECT_TRUE(values[i].is_unknown()) << "operators are monotonic";
      values[i] = next;
      changed = true;
    }
  }
  return values;
}

constexpr uint32_t kNetworks = kSanitized ? 600 : 3000;

TEST(FixedPoint, EqualsChaoticIterationInRandomOrder) {
  int networks = 0, nonconstructive = 0, constructive_circles = 0;
  for (uint32_t seed = 0; seed < kNetworks; ++seed) {
    const std::string text = random_network(seed);
    Model model = Model::load_text("network.cradle", text);
    if (!model.ok()) continue;  // a circle in which nothing says number or boolean
    ++networks;
    const model::Model& m = model.impl().plan->model();
    std::mt19937 random(seed);
    // The only memory is the event that never comes.
    const std::vector<Value> silent(m.memories.size(), Value::absent());
    const std::vector<Value> expected = chaotic_iteration(m, silent, random);
    const bool complete = std::none_of(expected.begin(), expected.end(),
                                       [](const Value& v) { return v.is_unknown(); });
    nonconstructive += complete ? 0 : 1;
    constructive_circles += complete && !model.impl().plan->signals_in_circles().empty() ? 1 : 0;

    Options options;
    options.select_everything = true;
    Simulation simulation(model, options);
    simulation.advance();
    const Trajectory& rows = simulation.trajectory();
    ASSERT_GT(rows.size(), 0u) << text;
    EXPECT_EQ(rows.kind(0) == RowKind::Nonconstructive, !complete) << text;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string& name = m.signals[SignalId(i)].name;
      const std::size_t column = *rows.find_column(name);
      const std::optional<Number> got = rows.value(0, column);
      ASSERT_EQ(rows.is_unknown(0, column), expected[i].is_unknown()) << name << "\n" << text;
      ASSERT_EQ(got.has_value(), expected[i].is_present()) << name << "\n" << text;
      ASSERT_EQ(got.value_or(Number()).finite, expected[i].is_present() ? expected[i].finite : 0)
          << name << "\n"
          << text;
    }
  }
  EXPECT_GT(networks, static_cast<int>(kNetworks / 2));
  // The networks are of both kinds, or nothing has been shown.
  EXPECT_GT(nonconstructive, static_cast<int>(kNetworks / 30));
  EXPECT_GT(constructive_circles, static_cast<int>(kNetworks / 30));
}

// ---- whole runs --------------------------------------------------------------------------------

// Expressions over events and what keeps them. `u[i]` are events or may be absent, `v[i]` are
// always there.
class RandomRun {
 public:
  explicit RandomRun(uint32_t seed) : random_(seed) {}

  std::string text() {
    std::string out = "model Run {\n";
    count_ = 2 + pick(4);
    std::vector<std::string> lines;
    for (int i = 0; i < count_; ++i) {
      lines.push_back("  u[" + std::to_string(i) + "] = " + event(2));
      lines.push_back("  v[" + std::to_string(i) + "] = " + there(2));
    }
    std::shuffle(lines.begin(), lines.end(), random_);
    for (const std::string& line : lines) out += line + "\n";
    return out + "  until 4\n}\n";
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string number() { return std::to_string(pick(5) - 1); }
  std::string time() { return std::to_string(0.5 * (1 + pick(5))); }
  std::string name(const char* kind) {
    return std::string(kind) + "[" + std::to_string(pick(count_)) + "]";
  }

  std::string event(int depth) {
    switch (depth <= 0 ? pick(3) : pick(10)) {
      case 0:
        return "event(" + time() + ", " + number() + ")";
      case 1:
        return "clock(" + time() + ", " + time() + ", values = [" + number() + ", " + number() +
               "], count = 3)";
      case 2:
        return name("u");
      case 3:
        return "delay(" + event(depth - 1) + ")";
      case 4:
        return "default(" + event(depth - 1) + ", " + event(depth - 1) + ")";
      case 5:
        return "sample(" + there(depth - 1) + ", " + event(depth - 1) + ")";
      case 6:
        return "time_delay(" + event(depth - 1) + ", " + time() + ")";
      case 7:
        return "inhibit(" + event(depth - 1) + ", " + event(depth - 1) + ")";
      case 8:
        return "sample(" + event(depth - 1) + ", " + there(depth - 1) + " < " + there(depth - 1) +
               ")";
      default:
        return "(" + event(depth - 1) + " + " + there(depth - 1) + ")";
    }
  }

  std::string there(int depth) {
    switch (depth <= 0 ? pick(2) : pick(7)) {
      case 0:
        return number();
      case 1:
        return name("v");
      case 2:
        return "fby(" + number() + ", " + (pick(2) == 0 ? event(depth - 1) : there(depth - 1)) +
               ")";
      case 3:
        return "hold(" + event(depth - 1) + ", " + number() + ")";
      case 4:
        return "default(" + event(depth - 1) + ", " + there(depth - 1) + ")";
      case 5:
        return "(if is_present(" + event(depth - 1) + ") then " + there(depth - 1) + " else " +
               there(depth - 1) + ")";
      default:
        return "min(" + there(depth - 1) + " + " + there(depth - 1) + ", 9)";
    }
  }

  std::mt19937 random_;
  int count_ = 1;
};

// A run by the rules of the semantics, in the order in which they are written there.
class ReferenceRun {
 public:
  ReferenceRun(const plan::Plan& plan, double until, std::mt19937& random)
      : plan_(plan),
        m_(plan.model()),
        random_(random),
        says_(plan.model().memories.size(), Value::absent()) {
    const model::Model& m = m_;
    for (std::size_t i = 0; i < says_.size(); ++i) {
      const model::Memory& memory = m.memories[MemoryId(i)];
      if (memory.lasts()) says_[i] = m.pool.constant_value(memory.initial);
      if (memory.kind != model::Memory::Kind::Schedule) continue;
      for (int64_t j = 0; j < (memory.limit < 0 ? 1000 : memory.limit); ++j) {
        const double t = number(memory.offset) + static_cast<double>(j) * number(memory.period);
        const std::size_t count = memory.values.size();
        const double value =
            count == 0 ? 1 : number(memory.values[static_cast<std::size_t>(j) % count]);
        if (t >= 0 && t <= until) due_[t].push_back({i, value});
      }
    }
    due_[0];
    while (!due_.empty() && due_.begin()->first <= until && !stuck_) {
      const double t = due_.begin()->first;
      std::vector<std::pair<std::size_t, Value>> events = std::move(due_.begin()->second);
      due_.erase(due_.begin());
      instant(t, std::move(events));
    }
  }

  bool stuck() const { return stuck_; }  // nonconstructive, or it never settles
  // By signal, at ⟨t, n⟩; what is not there has come to rest before.
  std::map<std::pair<double, int>, std::vector<Value>> values;
  std::map<double, std::vector<Value>> rest;  // while time flows behind t

 private:
  double number(ExprId fixed) const { return fixed.valid() ? m_.pool.constant_value(fixed) : 0; }

  void instant(double t, std::vector<std::pair<std::size_t, Value>> events) {
    for (int n = 0;; ++n) {
      const std::vector<Value> now = chaotic_iteration(m_, says_, random_);
      values[{t, n}] = now;
      stuck_ = n > 60 ||
               std::any_of(now.begin(), now.end(), [](const Value& v) { return v.is_unknown(); });
      if (stuck_ || !change(t, now, events)) break;
    }
    rest[t] = chaotic_iteration(m_, says_, random_);
  }

  // State changes after the fixed point. False: nothing has anything to say.
  bool change(double t, const std::vector<Value>& now,
              std::vector<std::pair<std::size_t, Value>>& events) {
    std::vector<Value> next = says_;
    bool more = false;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const model::Memory& memory = m_.memories[MemoryId(i)];
      const bool looks = memory.input.valid();
      const Value input = looks ? evaluate(m_.pool, memory.input, now, says_) : Value::absent();
      if (!memory.lasts()) next[i] = Value::absent();
      using Kind = model::Memory::Kind;
      if (memory.kind == Kind::TimeDelay && input.is_present()) {
        due_[t + number(memory.offset)].push_back({i, input});
      } else if (input.is_present() && (memory.kind == Kind::Delay || memory.kind == Kind::Last)) {
        // What only a hold keeps is seen by nobody: it is no reason for another microstep.
        more |=
            memory.kind == Kind::Delay || (input != says_[i] && !plan_.memory(MemoryId(i)).quiet);
        next[i] = input;
      }
    }
    // One event of a memory at each microstep.
    std::vector<std::pair<std::size_t, Value>> later;
    std::vector<bool> spoken(next.size(), false);
    for (const auto& [memory, value] : events) {
      if (spoken[memory]) {
        later.emplace_back(memory, value);
        continue;
      }
      spoken[memory] = more = true;
      next[memory] = value;
    }
    events = std::move(later);
    says_ = std::move(next);
    return more;
  }

  const plan::Plan& plan_;
  const model::Model& m_;
  std::mt19937& random_;
  std::vector<Value> says_;  // by memory
  std::map<double, std::vector<std::pair<std::size_t, Value>>> due_;
  bool stuck_ = false;
};

TEST(CausalRuns, EqualTheReferenceInstantByInstant) {
  const char* wanted = std::getenv("NETWORKS");
  const uint32_t count = wanted != nullptr ? static_cast<uint32_t>(std::atoi(wanted)) : 300;
  int compared = 0;
  for (uint32_t seed = 0; seed < count; ++seed) {
    const std::string text = RandomRun(seed).text();
    const Model model = Model::load_text("run.cradle", text);
    if (!model.ok()) continue;
    const model::Model& m = model.impl().plan->model();
    std::mt19937 random(seed);
    const ReferenceRun reference(*model.impl().plan, 4, random);
    Options options;
    options.select_everything = true;
    options.max_microsteps = 60;
    if (seed % 3 == 0) options.every = 0.3;
    Simulation simulation(model, options);
    simulation.run();
    ASSERT_EQ(simulation.outcome().finished(), !reference.stuck()) << text;
    if (reference.stuck()) continue;
    ++compared;
    const Trajectory& rows = simulation.trajectory();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Instant at = rows.instant(row);
      if (at.eps != 0) continue;
      auto found = reference.values.find({at.t, at.step});
      const std::vector<Value>& expected =
          found != reference.values.end() ? found->second
                                          : std::prev(reference.rest.upper_bound(at.t))->second;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::string& name = m.signals[SignalId(i)].name;
        const auto got = rows.value(row, *rows.find_column(name));
        ASSERT_EQ(got.has_value(), expected[i].is_present())
            << name << " at " << to_string(at) << "\n"
            << text;
        ASSERT_EQ(got.value_or(Number()).finite, expected[i].is_present() ? expected[i].finite : 0)
            << name << " at " << to_string(at) << "\n"
            << text;
      }
    }
  }
  EXPECT_GT(compared, static_cast<int>(count / 4));
}

}  // namespace
}  // namespace cradle
