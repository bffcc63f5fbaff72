#include "core/plan/code.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/plan/mode_code.hpp"
#include "core/plan/series.hpp"
#include "core/plan/testing.hpp"

namespace cradle::plan {
namespace {

using expr::Op;
using testing::plan_of;

// Leaves are what stands in a list of signals; asking for any other is a fault.
template <class Scalar>
struct Signals {
  const model::Model& m;
  std::unordered_map<std::string, Scalar> values;
  std::vector<char> truths;
  int asked = 0;

  Scalar leaf(Op op, int32_t ref, int32_t) {
    if (op != Op::Signal) throw std::logic_error("not a signal");
    ++asked;
    const auto found = values.find(m.signals[SignalId(at(ref))].name);
    if (found == values.end()) throw std::logic_error("was not to be asked for");
    return found->second;
  }
  bool truth(int32_t comparison) const { return truths.at(at(comparison)) != 0; }
};

const Code& code_of(const Plan& plan, const std::string& name) {
  for (std::size_t i = 0; i < plan.model().signals.size(); ++i) {
    if (plan.model().signals[SignalId(i)].name == name) return plan.signal(SignalId(i));
  }
  throw std::logic_error(name);
}

template <class Scalar>
Scalar run_on(const Plan& plan, const std::string& name,
              std::unordered_map<std::string, Scalar> values, Truths truths = Truths::Judged,
              std::vector<char> frozen = {}) {
  Signals<Scalar> env{plan.model(), std::move(values), std::move(frozen)};
  std::vector<Scalar> stack;
  const Scalar out = run<Scalar>(code_of(plan, name), env, stack, truths);
  EXPECT_TRUE(stack.empty());
  return out;
}

constexpr const char* kTwo = "a = integral(1, 0)\nb = integral(2, 0)\n";

TEST(Code, IsTheSameForAllNumbers) {
  const auto plan = plan_of(std::string(kTwo) + "y = sin(a) * b + max(a, b) / (a - 4 * b) ^ 2");
  const double a = 0.7, b = -1.3;
  const double y = std::sin(a) * b + std::max(a, b) / std::pow(a - 4 * b, 2);
  EXPECT_EQ(run_on<double>(*plan, "y", {{"a", a}, {"b", b}}), y);
  EXPECT_EQ(run_on<Value>(*plan, "y", {{"a", a}, {"b", b}}), Value(y));
  const Series series = run_on<Series>(*plan, "y", {{"a", a}, {"b", b}});
  EXPECT_NEAR(series.finite[0].value, y, 1e-12);
  using solve::Jet;
  const Jet jet = run_on<Jet>(*plan, "y", {{"a", Jet::constant(a)}, {"b", Jet::constant(b)}});
  EXPECT_LE(jet.c[0].low, y);
  EXPECT_GE(jet.c[0].high, y);
  EXPECT_LT(jet.c[0].high - jet.c[0].low, 1e-12);
}

TEST(Code, AsksOnlyForWhatItNeeds) {
  const auto plan =
      plan_of(std::string(kTwo) + "p = a > 0\ny = if p then a else b\nq = p and b > 0\n");
  EXPECT_EQ(run_on<Value>(*plan, "y", {{"p", 1.0}, {"a", 3.0}}), Value(3.0));
  EXPECT_EQ(run_on<Value>(*plan, "y", {{"p", 0.0}, {"b", 4.0}}), Value(4.0));
  EXPECT_EQ(run_on<Value>(*plan, "q", {{"p", 0.0}}), Value(0.0));
  EXPECT_THROW(run_on<Value>(*plan, "q", {{"p", 1.0}}), std::logic_error);
  EXPECT_TRUE(run_on<Value>(*plan, "y", {{"p", Value::unknown()}}).is_unknown());
}

TEST(Code, TruthsAreJudgedOrFrozen) {
  const auto plan = plan_of(std::string(kTwo) + "y = if a < b then 1 else 2\nx = integral(y, 0)");
  EXPECT_EQ(run_on<double>(*plan, "y", {{"a", 0.0}, {"b", 1.0}}), 1);
  // Who reads it frozen does not ask for the operands.
  EXPECT_EQ(run_on<double>(*plan, "y", {}, Truths::Frozen, {0}), 2);
  EXPECT_EQ(run_on<double>(*plan, "y", {}, Truths::Frozen, {1}), 1);
}

TEST(Code, ImpulsesAndAbsence) {
  const auto plan = plan_of(std::string(kTwo) + "y = 2 * a + b\nz = impulse(a) + finite(a)");
  EXPECT_EQ(run_on<Value>(*plan, "y", {{"a", Number(1, 3)}, {"b", 5.0}}), Value(Number(7, 6)));
  EXPECT_TRUE(run_on<Value>(*plan, "y", {{"a", Value::absent()}, {"b", 5.0}}).is_absent());
}

TEST(Code, ManyRegistersLieOnAStackThatMayMove) {
  std::string sum = "a";
  for (int i = 0; i < 40; ++i) sum = "b - (" + sum + ") * 0.5";
  const auto plan = plan_of(std::string(kTwo) + "y = " + sum);
  EXPECT_GT(code_of(*plan, "y").registers, 12);
  double y = 3;
  for (int i = 0; i < 40; ++i) y = 7 - y * 0.5;
  EXPECT_EQ(run_on<double>(*plan, "y", {{"a", 3.0}, {"b", 7.0}}), y);
}

// What is written out has what its parts have, and each of it once.
TEST(ModeCode, SharesWhatIsEqual) {
  const auto plan = plan_of(std::string(kTwo) +
                            "p = a * b + 1\nq = a * b + 1\nx = integral(p * q + sin(a * b), 0)");
  const model::Model& m = plan->model();
  ExprId rate;
  for (const model::State& state : m.states) rate = state.rate;
  const auto no_island = [](CellId) -> const Island& { throw std::logic_error("no bonds"); };
  const ModeCode code = code_of_expression(*plan, rate, Reader::Run, no_island);
  ASSERT_TRUE(code.exists());
  const auto products = std::count_if(code.list.begin(), code.list.end(),
                                      [](const Instruction& in) { return in.what == Do::Mul; });
  EXPECT_EQ(products, 2);  // a * b, p * q
  EXPECT_EQ(code.states.size(), 2u);
  EXPECT_EQ(code.constants, 1u);
  EXPECT_EQ(code.frozen, code.constants);
  EXPECT_EQ(code.inputs, code.frozen + 2);
}

// While time flows there are no events: what is absent then is known when the code is made.
TEST(ModeCode, KnowsWhatIsAbsentWhileTimeFlows) {
  const auto plan = plan_of(
      "e = sample(1, clock(0.25))\nz = default(e + 2, 3)\nw = e + 1\n"
      "p = if is_present(e) then 5 else time");
  const auto no_island = [](CellId) -> const Island& { throw std::logic_error("no bonds"); };
  const auto exists = [&](const std::string& name) {
    for (std::size_t i = 0; i < plan->model().signals.size(); ++i) {
      const model::Signal& signal = plan->model().signals[SignalId(i)];
      if (signal.name != name) continue;
      return code_of_expression(*plan, signal.value, Reader::Run, no_island).exists();
    }
    ADD_FAILURE() << name;
    return false;
  };
  EXPECT_TRUE(exists("z"));
  EXPECT_TRUE(exists("p"));
  EXPECT_FALSE(exists("w")) << "it has no value";
}

}  // namespace
}  // namespace cradle::plan
