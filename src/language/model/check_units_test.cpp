#include <gtest/gtest.h>

#include "language/model/testing.hpp"

namespace cradle::model::testing {
namespace {

std::string unit(const Loaded& loaded, const std::string& name) {
  return loaded.model->unit_of(name);
}

TEST(CheckUnits, InferFromOneUnitWhatANetworkCarries) {
  const Loaded m = accept(R"(model M {
    param R0 = 5, v0 = 3
    Se v(v0) 1 loop I coil(10 mH) R r(R0) C c(1)
    v -> loop loop -> coil loop -> r loop -> c
    x = coil.f
    q = integral(2 * x)
    until 1 show x })");
  EXPECT_EQ(unit(m, "coil.e"), "V");
  EXPECT_EQ(unit(m, "coil.f"), "A");
  EXPECT_EQ(unit(m, "coil.p"), "Wb");
  EXPECT_EQ(unit(m, "c.q"), "C");
  EXPECT_EQ(unit(m, "x"), "A");
  EXPECT_EQ(unit(m, "q"), "C");
  EXPECT_EQ(unit(m, "impulse(coil.e)"), "Wb");
}

TEST(CheckUnits, KnowMechanicsAndHeat) {
  const Loaded m = accept(R"(model M {
    I body(2 kg) Se push(3) push -> body
    C hot(500 J/K) R wall(2 K/W) 1 flow  Se outside(20 degC)
    1 j 0 n  j -> hot  j -> wall  outside -> j
    TF rack(0.1 m) I wheel(1 kg*m^2) Se torque(1 N*m) 1 shaft
    torque -> shaft shaft -> wheel
    shaft -> rack -> rail  1 rail  R drag(1) rail -> drag
    flow -> lost R lost(1) Sf heat(0) heat -> flow
    n -> leak R leak(1) Sf none(0) none -> n
    until 1 })");
  EXPECT_EQ(unit(m, "body.f"), "m/s");
  EXPECT_EQ(unit(m, "push.e"), "N");
  EXPECT_EQ(unit(m, "hot.e"), "K");
  EXPECT_EQ(unit(m, "hot.f"), "W");
  EXPECT_EQ(unit(m, "hot.q"), "J");
  EXPECT_EQ(unit(m, "wheel.e"), "N*m");
  EXPECT_EQ(unit(m, "rail.f"), "m/s");
  EXPECT_EQ(unit(m, "leak.e"), "");
}

// As without units, to the bit: the pools are equal.
TEST(CheckUnits, LeaveNothingInTheModel) {
  const auto text = [](bool units) {
    const auto u = [&](const char* with, const char* without) {
      return std::string(units ? with : without);
    };
    return "model M { param L = " + u("10 mH", "10e-3") + ", f = " + u("50 Hz", "50") +
           " Se v = " + u("0.3 kV", "0.3e3") +
           " * sin(2 * pi * f * time) I coil(L) v -> coil until " + u("40 ms", "40e-3") +
           " show coil.f }";
  };
  const Loaded with = accept(text(true)), without = accept(text(false));
  ASSERT_EQ(with.model->pool.size(), without.model->pool.size());
  for (std::size_t i = 0; i < with.model->pool.size(); ++i) {
    const ExprId id(i);
    EXPECT_TRUE(with.model->pool[id] == without.model->pool[id]);
  }
}

TEST(CheckUnits, LetPlainNumbersAdapt) {
  accept(R"(model M {
    param k = 3, T = 2, phase = 1, names = [1, 2]
    Se v = if time > 1 then 5 V else 0
    R r(law(f) = 0.3 * f * abs(f) + k)  v -> r
    a = v.e + 1
    b = 5 V * sin(314 * time) + names[2]
    c = max(v.e, 0) > 2
    d = 10 m / T * exp(-time / T)
    w = sin(2 * pi * 50 * time + phase)
    until 3 s })");
}

TEST(CheckUnits, ShowInOtherUnits) {
  const Loaded m = accept("model M { v = 5 V T = 300 K until 1 show v in mV, T in degC, v }");
  ASSERT_EQ(m.model->show.size(), 3u);
  EXPECT_EQ(m.model->show[0].name, "v [mV]");
  EXPECT_EQ(m.model->show[1].name, "T [degC]");
  EXPECT_EQ(unit(m, "v"), "V");
}

TEST(Functions, FitEveryDimension) {
  const Loaded m = accept(R"(model M {
    function twice(x) = 2 * x
    function area(d) = scale * pi / 4 * d^2
    param scale = 1, a = area(2), b = twice(a)
    v = twice(5 V)
    x = twice(x = 3 m) + 1
    y = twice([1, 2])
    until 1 show v, x, y })");
  EXPECT_EQ(unit(m, "v"), "V");
  EXPECT_EQ(unit(m, "x"), "m");
  EXPECT_EQ(m.model->show.size(), 4u);
  EXPECT_DOUBLE_EQ(m.model->parameters[2].value, 2 * 3.141592653589793);
}

TEST(Lists, AreMadeByComprehension) {
  const Loaded m = accept(R"(model M {
    param N = 3, squares = [i^2 for i in 1..N], grid = [[i + j for j in 1..2] for i in 1..2]
    param last = squares[3] + grid[2][1]
    x = [time * i for i in 1..N]
    until 1 show x })");
  EXPECT_EQ(m.model->show.size(), 3u);
  EXPECT_EQ(m.model->parameters.back().value, 12);
}

TEST(Show, TakesAFamily) {
  const Loaded m = accept(R"(model M {
    for i in 1..11 { x[i] = integral(i * 1 m/s) }
    until 1 show x, x[2] in mm })");
  ASSERT_EQ(m.model->show.size(), 12u);
  EXPECT_EQ(m.model->show[9].name, "x[10]");
  EXPECT_EQ(unit(m, "x[10]"), "m");
}

TEST(Parts, StandBetweenNodes) {
  const Loaded m = accept(R"(component Two { port p, q 1 j R r(1) p -> j -> q j -> r }
model M {
    Se v(9 V) from a to ground
    R r1(4.7 kOhm) from a to b
    C c(100 nF) from b to ground
    Two t from b to ground
    1 cart
    I m(2 kg) from cart to ground
    C spring(0.01 m/N) from wall to cart
    R drag(1) from wall to ground
    for i in 1..2 { R r[i](1) from b to a }
    x = b.e - a.e
    until 1 })");
  const std::vector<std::string> junctions = names_of(m.model->junctions);
  EXPECT_EQ(junctions, (std::vector<std::string>{"cart", "t.j", "a", "b", "r1_ends", "ground_0",
                                                 "wall", "spring_ends", "r_ends[1]", "r_ends[2]"}));
  EXPECT_EQ(m.model->bonds.size(), 1u + 3 + 1 + 4 + 1 + 3 + 1 + 6);
  EXPECT_EQ(unit(m, "spring.e"), "N");
  EXPECT_EQ(unit(m, "wall.f"), "m/s");
  EXPECT_EQ(unit(m, "x"), "V");
}

}  // namespace
}  // namespace cradle::model::testing
