// The least fixed point of the engine against chaotic iteration: random networks of signals, with
// circles in them, evaluated by a few lines that know nothing of schedules, in random order, until
// nothing changes (semantics, section 7).

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "api/implementation.hpp"
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
Value evaluate(const expr::Pool& pool, ExprId e, const std::vector<Value>& signals) {
  const expr::Node& node = pool[e];
  auto operand = [&](ExprId id) { return evaluate(pool, id, signals); };
  auto is_true = [](const Value& v) { return v.finite != 0; };
  switch (node.op) {
    case Op::Constant:
      return node.value;
    case Op::Signal:
      return signals[static_cast<std::size_t>(node.ref)];
    case Op::Memory:  // the only one is the event that never comes
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

std::vector<Value> chaotic_iteration(const model::Model& m, std::mt19937& random) {
  std::vector<Value> values(m.signals.size(), Value::unknown());
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order) {
      const Value next = evaluate(m.pool, m.signals[SignalId(i)].value, values);
      if (next == values[i]) continue;
      EXPECT_TRUE(values[i].is_unknown()) << "operators are monotonic";
      values[i] = next;
      changed = true;
    }
  }
  return values;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif
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
    const std::vector<Value> expected = chaotic_iteration(m, random);
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

}  // namespace
}  // namespace cradle
