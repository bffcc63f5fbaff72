// Signals that may be absent, memories, modal models: what they are lowered to.

#include <gtest/gtest.h>

#include "language/model/testing.hpp"

namespace cradle::model::testing {
namespace {

using Kind = Memory::Kind;

std::string signal(const Loaded& loaded, const std::string& name) {
  for (const Signal& signal : loaded.model->signals) {
    if (signal.name == name) {
      return loaded.model->text(signal.value) + (signal.may_be_absent ? "  (may be absent)" : "");
    }
  }
  return "no signal " + name;
}

const Memory& memory(const Loaded& loaded, const std::string& name) {
  for (const Memory& memory : loaded.model->memories) {
    if (memory.name == name) return memory;
  }
  ADD_FAILURE() << "no memory " << name;
  static const Memory none{};
  return none;
}

std::vector<double> values(const Loaded& loaded, const std::string& name) {
  std::vector<double> out;
  for (ExprId value : memory(loaded, name).values) {
    out.push_back(loaded.model->pool.constant_value(value));
  }
  return out;
}

TEST(Events, FunctionsOfPresence) {
  Loaded loaded = accept(R"(model M {
    e = event(1)
    n = event(2, 5)
    is = is_present(e)
    first = default(n, 3)
    three = merge(e, absent, rising(time), n > 2)
    kept = inhibit(n, e)
    at = sample(time, e)
    sum = n + 1
    cases = if first > 2 then n else absent
    constant = default(1, n)
  })");
  EXPECT_EQ(signal(loaded, "e"), "the event in e  (may be absent)");
  EXPECT_EQ(signal(loaded, "is"), "is_present(e)");
  EXPECT_EQ(signal(loaded, "first"), "default(n, 3)");
  EXPECT_EQ(signal(loaded, "three"),
            "default(e, default(the rising in three, 2 < n))  (may be absent)");
  EXPECT_EQ(signal(loaded, "kept"), "when(n, not is_present(e))  (may be absent)");
  EXPECT_EQ(signal(loaded, "at"), "when(time, e)  (may be absent)");
  EXPECT_EQ(signal(loaded, "sum"), "n + 1  (may be absent)");
  EXPECT_EQ(signal(loaded, "cases"), "if 2 < first then n else absent  (may be absent)");
  EXPECT_EQ(signal(loaded, "constant"), "1");
}

TEST(Events, Memories) {
  Loaded loaded = accept(R"(model M {
    param T = 0.5
    x = sin(time)
    up = rising(x)
    down = falling(x, 0.5)
    both = crossing(x, level = time)
    late = delay(up)
    later = time_delay(up, T)
    last = fby(2, x)
    held = hold(sample(x, up), 1)
    flag = hold(up, false)
    tick = clock(T)
    values = clock(1, offset = T, values = [1, 2, 3], count = 5)
    one = clock(2, values = 7)
    once = event(3, value = 4)
  })");
  EXPECT_EQ(memory(loaded, "rising in up").direction, Memory::Direction::Rising);
  EXPECT_EQ(loaded.model->text(memory(loaded, "rising in up").input), "x");
  EXPECT_EQ(loaded.model->text(memory(loaded, "falling in down").input), "x - 0.5");
  EXPECT_EQ(memory(loaded, "falling in down").direction, Memory::Direction::Falling);
  EXPECT_EQ(loaded.model->text(memory(loaded, "crossing in both").input), "x - time");
  EXPECT_EQ(memory(loaded, "crossing in both").type, expr::Type::Boolean);
  EXPECT_EQ(memory(loaded, "delay in late").kind, Kind::Delay);
  EXPECT_EQ(memory(loaded, "time_delay in later").kind, Kind::TimeDelay);
  EXPECT_EQ(loaded.model->text(memory(loaded, "time_delay in later").offset), "0.5");
  EXPECT_EQ(memory(loaded, "fby in last").kind, Kind::Last);
  EXPECT_EQ(loaded.model->text(memory(loaded, "fby in last").initial), "2");
  EXPECT_EQ(signal(loaded, "last"), "the fby in last");
  EXPECT_EQ(signal(loaded, "held"), "default(when(x, up), the hold in held)");
  EXPECT_EQ(signal(loaded, "flag"), "default(up, the hold in flag)");
  EXPECT_EQ(memory(loaded, "hold in flag").type, expr::Type::Boolean);
  EXPECT_EQ(loaded.model->text(memory(loaded, "clock in tick").period), "0.5");
  EXPECT_EQ(memory(loaded, "clock in tick").limit, -1);
  EXPECT_EQ(memory(loaded, "clock in tick").type, expr::Type::Boolean);
  EXPECT_EQ(values(loaded, "clock in values"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(loaded.model->text(memory(loaded, "clock in values").offset), "0.5");
  EXPECT_EQ(memory(loaded, "clock in values").limit, 5);
  EXPECT_EQ(values(loaded, "clock in one"), (std::vector<double>{7}));
  EXPECT_EQ(memory(loaded, "event in once").limit, 1);
  EXPECT_FALSE(memory(loaded, "event in once").period.valid());
  EXPECT_EQ(loaded.model->text(memory(loaded, "event in once").offset), "3");
}

TEST(Events, ChoicesAreNumberedAlternatives) {
  Loaded loaded = accept(R"(model M {
    a = event(1)
    which = choose(a, event(1, 3), time > 2)
    first = choose(a, a, order = true)
  })");
  ASSERT_EQ(loaded.model->choices.size(), 2U);
  const Choice& which = loaded.model->choices[ChoiceId(0)];
  ASSERT_EQ(which.alternatives.size(), 3U);
  EXPECT_EQ(loaded.model->text(which.alternatives[0]), "a");
  EXPECT_EQ(loaded.model->text(which.alternatives[1]), "is_present(the event in which)");
  EXPECT_FALSE(which.by_order);
  EXPECT_TRUE(loaded.model->choices[ChoiceId(1)].by_order);
  EXPECT_EQ(signal(loaded, "which"), "the choose in which  (may be absent)");
}

TEST(Events, ThereIsSomethingToChooseOnlyWhereItIsAsked) {
  Loaded loaded = accept(R"(model M {
    a = event(1)
    when time > 3 { b = choose(a, event(2)) }
    modal m { mode on { c = choose(a, event(2, 3)) } }
  })");
  const Model& model = *loaded.model;
  ASSERT_EQ(model.choices.size(), 2U);
  EXPECT_EQ(model.text(model.choices[ChoiceId(0)].alternatives[0]), "when(a, 3 < time)");
  EXPECT_EQ(model.text(model.choices[ChoiceId(1)].alternatives[1]),
            "when(is_present(the event in m.on.c), m.on)");
}

// Fig. 1 to 3: definitions in circles are not the elaborator's to judge.
TEST(Signals, MayDependOnOneAnotherInCircles) {
  Loaded loaded = accept(R"(model M {
    x = y
    y = if z > 0 then x else w
    w = x
    z = 1
    b = default(delay(c), d)
    c = sample(b, event(1))
    d = is_present(c) and b
  })");
  EXPECT_EQ(loaded.model->pool[loaded.model->signals[SignalId(0)].value].type, expr::Type::Number);
  EXPECT_EQ(signal(loaded, "b"), "default(the delay in b, d)");
  EXPECT_EQ(loaded.model->pool[loaded.model->signals[SignalId(4)].value].type, expr::Type::Boolean);
}

TEST(Signals, AWhenEnablesItsEquations) {
  Loaded loaded = accept(R"(model M {
    e = clock(1)
    when e {
      n = fby(0, n + 1)
      for i in 1..2 { w[i] = i * n }
      when n > 2 { z = n }
    }
    when 2 * time { number = 1 }
  })");
  EXPECT_EQ(signal(loaded, "n"), "when(the fby in n, e)  (may be absent)");
  EXPECT_EQ(signal(loaded, "w[2]"), "when(2 * n, e)  (may be absent)");
  EXPECT_EQ(signal(loaded, "z"), "when(when(n, 2 < n), e)  (may be absent)");
  EXPECT_EQ(signal(loaded, "number"), "when(1, 2 * time)  (may be absent)");
}

TEST(Signals, BlocksAreComponentsWithoutPorts) {
  Loaded loaded = accept(R"(
    block Gain {
      param k = 1
      input u, gate = absent
      output y = k * u
      output on = default(gate, false)
    }
    model M {
      for i in 1..2 { Gain g[i](i, u = time) }
      Gain h(u = g[1].y, gate = rising(time - 1))
    })");
  EXPECT_EQ(signal(loaded, "g[2].y"), "2 * g[2].u");
  EXPECT_EQ(signal(loaded, "g[2].on"), "false");
  EXPECT_EQ(signal(loaded, "h.on"), "default(h.gate, false)");
}

TEST(Vectors, AreOneSignalForEachItem) {
  Loaded loaded = accept(R"(model M {
    param g = [0, -10]
    m = 2
    a = force / m + g
    force = -0.5 * v
    v = integral(a, [1, 2], kick)
    x = integral(v)
    kick = sample([1, 0], event(1))
    bounced = if x[2] < 0 then -v else v
    speed = sqrt(dot(v, v))
    total = sum(v) + length(v) + x[1]
    last = fby([0, 0], x)
    held = hold(kick, [5, 6])
    some = default(kick, g)
    was = pre(v)
    for i in 1..2 { w[i] = i * x }
    show x, w[2][1]
  })");
  EXPECT_EQ(signal(loaded, "a[2]"), "force[2] / m + -10");
  EXPECT_EQ(signal(loaded, "force[1]"), "-0.5 * v[1]");
  EXPECT_EQ(signal(loaded, "kick[1]"), "when(1, the event in kick)  (may be absent)");
  EXPECT_EQ(signal(loaded, "bounced[2]"), "if x[2] < 0 then -v[2] else v[2]");
  EXPECT_EQ(signal(loaded, "speed"), "sqrt(v[1] * v[1] + v[2] * v[2])");
  EXPECT_EQ(signal(loaded, "total"), "v[1] + v[2] + 2 + x[1]");
  EXPECT_EQ(signal(loaded, "held[2]"), "default(kick[2], the hold in held)");
  EXPECT_EQ(signal(loaded, "some[2]"), "default(kick[2], -10)");
  EXPECT_EQ(signal(loaded, "was[2]"), "pre(v[2])");
  EXPECT_EQ(signal(loaded, "w[2][1]"), "2 * x[1]");
  EXPECT_EQ(names_of(loaded.model->states),
            (std::vector<std::string>{"v[1]", "v[2]", "x[1]", "x[2]"}));
  EXPECT_EQ(loaded.model->text(loaded.model->states[StateId(1)].impulse), "kick[2]");
  EXPECT_EQ(names_of(loaded.model->show), (std::vector<std::string>{"x[1]", "x[2]", "w[2][1]"}));
  EXPECT_TRUE(loaded.model->find("v[2]").has_value());
}

TEST(Vectors, LiveInBlocksAndModes) {
  Loaded loaded = accept(R"(
    block Twice { input u  output y = 2 * u }
    model M {
      Twice t(u = [1, time])
      modal ball {
        mode fly {
          v = integral([0, -10], [1, 0])
        }
        mode rest { v = [0, 0] }
        fly -> fly history when v[2] < -1 { set v = -1 * v  output v = [7, 8] }
        fly -> rest when time > 3
      }
      seen = ball.v + t.y
      far = ball.fly.v
    })");
  EXPECT_EQ(signal(loaded, "t.y[2]"), "2 * t.u[2]");
  EXPECT_EQ(signal(loaded, "ball.fly.v[2]"), "when(ball.fly.v[2], ball.fly)  (may be absent)");
  EXPECT_EQ(signal(loaded, "ball.v[2]"),
            "default(an output of ball, if ball.fly then ball.fly.v[2] else if ball.rest then "
            "ball.rest.v[2] else absent)  (may be absent)");
  EXPECT_EQ(signal(loaded, "seen[1]"), "ball.v[1] + t.y[1]  (may be absent)");
  EXPECT_EQ(signal(loaded, "far[1]"),
            "if ball.fly then ball.fly.v[1] else absent  (may be absent)");
  const Transition& bounce = loaded.model->automata[AutomatonId(0)].transitions[0];
  ASSERT_EQ(bounce.sets.size(), 2U);
  EXPECT_EQ(loaded.model->states[bounce.sets[1].state].name, "ball.fly.v[2]");
  EXPECT_EQ(loaded.model->text(bounce.sets[1].value), "-ball.fly.v[2]");
}

// What an operator keeps is its own, not what its operands keep.
TEST(Modal, SetReachesTheOutermostOperator) {
  Loaded loaded = accept(R"(model M {
    modal m {
      mode a { x = integral(integral(1, 2), 3) }
      mode b { y = hold(delay(event(1, 2)), 0) }
      a -> b when x > 1 { set y = 1 }
      b -> a when y > 1 { set x = 4 }
    }
  })");
  const std::vector<Transition>& all = loaded.model->automata[AutomatonId(0)].transitions;
  EXPECT_EQ(loaded.model->memories[all[0].sets[0].memory].kind, Kind::Last);
  EXPECT_EQ(loaded.model->states[all[1].sets[0].state].name, "m.a.x");
}

const char* const kBall = R"(
model Ball {
  param g = 10, e = 0.5
  kicked = event(3)
  stop = event(4)
  modal ball initially falling {
    param p = 0.001
    mode falling {
      a = -g
      v = integral(a)
      x = integral(v, 10)
      hit = falling(x)
    }
    mode sitting {
      x = integral(0, 0)
      v = 0
    }
    final mode done { }
    falling -> falling history when hit { set v = -e * v }
    falling -> sitting priority 1 when abs(x) < p and abs(v) < p { set x = x }
    sitting -> falling default when kicked { output bang = 1 }
    sitting -> done preemptive immediate when stop
  }
  until 5
  show ball.x, ball.falling, ball.falling.v
})";

TEST(Modal, IsAnAutomatonOfRegions) {
  Loaded loaded = accept(kBall);
  const Model& model = *loaded.model;
  ASSERT_EQ(model.automata.size(), 1U);
  const Automaton& ball = model.automata[AutomatonId(0)];
  EXPECT_EQ(ball.name, "ball");
  EXPECT_TRUE(ball.modal);
  EXPECT_FALSE(ball.junction.valid());
  EXPECT_EQ(ball.states, (std::vector<std::string>{"falling", "sitting", "done"}));
  EXPECT_EQ(ball.active, (std::vector<bool>{true, true, true}));
  EXPECT_EQ(ball.final, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(ball.initial, 0);
  ASSERT_EQ(model.regions.size(), 3U);
  EXPECT_EQ(model.regions[RegionId(1)].state, 1);
  EXPECT_FALSE(model.regions[RegionId(1)].parent.valid());
  EXPECT_EQ(names_of(model.states),
            (std::vector<std::string>{"ball.falling.v", "ball.falling.x", "ball.sitting.x"}));
  EXPECT_EQ(model.states[StateId(2)].region, RegionId(1));
  EXPECT_EQ(memory(loaded, "falling in ball.falling.hit").region, RegionId(0));
}

TEST(Modal, SignalsAreThoseOfTheActiveMode) {
  Loaded loaded = accept(kBall);
  EXPECT_EQ(signal(loaded, "ball.falling.a"), "when(-10, ball.falling)  (may be absent)");
  EXPECT_EQ(signal(loaded, "ball.falling.v"),
            "when(ball.falling.v, ball.falling)  (may be absent)");
  EXPECT_EQ(signal(loaded, "ball.x"),
            "if ball.falling then ball.falling.x else if ball.sitting then ball.sitting.x else "
            "absent  (may be absent)");
  EXPECT_EQ(signal(loaded, "ball.hit"),
            "if ball.falling then ball.falling.hit else absent  (may be absent)");
  EXPECT_EQ(loaded.model->text(*loaded.model->find("ball.falling")), "ball.falling");
  EXPECT_EQ(loaded.model->text(loaded.model->show[0].value), "ball.x");
  EXPECT_EQ(loaded.model->text(loaded.model->show[2].value),
            "if ball.falling then ball.falling.v else absent");
}

TEST(Modal, TransitionsHaveClausesAndActions) {
  Loaded loaded = accept(kBall);
  const std::vector<Transition>& all = loaded.model->automata[AutomatonId(0)].transitions;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_TRUE(all[0].history);
  EXPECT_EQ(loaded.model->text(all[0].guard), "ball.falling.hit");
  ASSERT_EQ(all[0].sets.size(), 1U);
  EXPECT_EQ(all[0].sets[0].state, StateId(0));
  EXPECT_EQ(loaded.model->text(all[0].sets[0].value), "-0.5 * ball.falling.v");
  EXPECT_EQ(all[1].priority, 1);
  EXPECT_EQ(all[1].sets[0].state, StateId(2));
  EXPECT_EQ(loaded.model->text(all[1].sets[0].value), "ball.falling.x");
  EXPECT_TRUE(all[2].fallback);
  EXPECT_FALSE(all[2].preemptive);
  EXPECT_TRUE(all[3].preemptive);
  EXPECT_TRUE(all[3].immediate);
  EXPECT_EQ(all[3].to, 2);
}

TEST(Modal, OutputsSpeakWhenTheirTransitionIsTaken) {
  Loaded loaded = accept(kBall);
  EXPECT_EQ(signal(loaded, "ball.bang"), "default(an output of ball, absent)  (may be absent)");
  ASSERT_EQ(loaded.model->outputs.size(), 1U);
  const Output& bang = loaded.model->outputs[OutputId(0)];
  ASSERT_EQ(bang.parts.size(), 1U);
  EXPECT_EQ(bang.parts[0].transition, 2);
  EXPECT_EQ(loaded.model->text(bang.parts[0].value), "1");
}

// Behind another transition of the same reaction a mode has not spoken yet.
TEST(Modal, AnImmediateGuardReadsNothingOfAModeThatWasJustEntered) {
  Loaded loaded = accept(R"(model M {
    kick = event(1)
    modal m {
      mode a { y = 1 }
      mode b { v = integral(1) }
      a -> b when kick
      b -> a immediate when kick and v > 1 or fby(0, v) > 2 { output z = v + time }
      b -> b when v > 3
    }
  })");
  const auto& transitions = loaded.model->automata[AutomatonId(0)].transitions;
  EXPECT_FALSE(transitions[0].entering.valid());
  EXPECT_EQ(loaded.model->text(transitions[1].entering), "kick and 1 < absent or 2 < absent");
  EXPECT_EQ(loaded.model->text(loaded.model->outputs[OutputId(0)].parts[0].entering),
            "absent + time");
}

TEST(Modal, APreemptedModeIsSilent) {
  Loaded loaded = accept(kBall);
  EXPECT_EQ(signal(loaded, "ball.sitting.v"),
            "when(0, ball.sitting and not default(stop, false))  (may be absent)");
}

TEST(Modal, NestedRegionsAreActiveTogether) {
  Loaded loaded = accept(R"(
    component Box {
      input go
      modal outer {
        mode one {
          t = integral(1)
          modal inner initially x {
            mode x { y = t }
            mode z { y = hold(sample(t, go), 0) }
            x -> z when t > 1 { set y = t }
          }
          seen = inner.y
          I body(1)
          Se push = t
          push -> body
        }
        mode two { w = 1 }
        one -> two when go and inner.x
      }
    }
    model M {
      for i in 1..2 { Box b[i](go = rising(time - i)) }
      far = b[2].outer.one.body.f
      show b[2].outer.one.inner.z
    })");
  const Model& model = *loaded.model;
  ASSERT_EQ(model.regions.size(), 8U);
  EXPECT_EQ(model.automata[AutomatonId(1)].name, "b[1].outer.one.inner");
  EXPECT_EQ(model.automata[AutomatonId(1)].region, RegionId(0));
  EXPECT_EQ(model.regions[RegionId(2)].parent, RegionId(0));
  EXPECT_EQ(signal(loaded, "b[1].outer.one.inner.x.y"),
            "when(b[1].outer.one.t, b[1].outer.one and b[1].outer.one.inner.x)  (may be absent)");
  EXPECT_EQ(signal(loaded, "b[1].outer.one.seen"),
            "when(b[1].outer.one.inner.y, b[1].outer.one)  (may be absent)");
  EXPECT_EQ(model.elements[ElementId(0)].region, RegionId(0));
  EXPECT_EQ(model.states[model.elements[ElementId(0)].states[0]].region, RegionId(0));
  EXPECT_EQ(signal(loaded, "far"),
            "if b[2].outer.one then b[2].outer.one.push -> b[2].outer.one.body.f else absent  "
            "(may be absent)");
  const Transition& inner = model.automata[AutomatonId(1)].transitions[0];
  EXPECT_TRUE(inner.sets[0].memory.valid());
}

TEST(Modal, SeesWhatStandsAround) {
  Loaded loaded = accept(R"(model M {
    x = time
    param k = 2
    for i in 1..2 {
      modal m[i] {
        param c = k + i
        mode a { y = c * x + i }
        mode b { x = 5  y = x }
        a -> b when x > i
      }
    }
    total = default(m[1].y, 0) + m[2].c
    priority m[1] > m[2]
  })");
  EXPECT_EQ(signal(loaded, "m[2].a.y"), "when(4 * x + 2, m[2].a)  (may be absent)");
  EXPECT_EQ(signal(loaded, "m[2].b.y"), "when(m[2].b.x, m[2].b)  (may be absent)");
  EXPECT_EQ(signal(loaded, "total"), "default(m[1].y, 0) + 4");
  EXPECT_EQ(loaded.model->automata[AutomatonId(1)].yields_to.size(), 1U);
}

TEST(Modal, StoresOfAModeCanBeSet) {
  Loaded loaded = accept(R"(model M {
    modal m {
      mode free { x = integral(1) }
      mode bound {
        C spring(1)
        Sf push = 1
        push -> spring
      }
      free -> bound when x > 1 { set spring.q = 2 * x }
    }
  })");
  const Model& model = *loaded.model;
  const SetAction& set = model.automata[AutomatonId(0)].transitions[0].sets[0];
  EXPECT_EQ(model.states[set.state].name, "m.bound.spring.q");
  EXPECT_EQ(model.text(set.value), "2 * m.free.x");
}

}  // namespace
}  // namespace cradle::model::testing
