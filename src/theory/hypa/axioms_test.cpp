// Axioms of the restricted algebra, as properties of random terms.
//
// Terms get a meaning of their own here: over two variables with the values 0 and 1, a step goes
// from a valuation x⁻ by a re-initialisation to x⁺ and by a flow to the valuation at its end. Two
// terms are equal if they are bisimilar to the depth that is looked at. Nothing of this is used by
// the product; what is under test are the axioms that it relies on, the parser and the printer,
// and that the elimination of ∥ keeps the meaning.
//
// Sources. ⊕ and ∥ with their commutativity and associativity, and idempotence of ⊕, are those of
// ACP (Baeten, Weijland 1990), from which HyPA takes both operators (seed, section 2). Distribution
// of ≫ over ⊕, [d] ≫ [e] ≫ x and [d] ≫ x ⊕ [e] ≫ x are axioms of HyPA's re-initialisation
// (Cuijpers, Reniers). ▶ is associative and distributes from the right over ⊕ in HyPA; its
// unfolding there is x ▶ y = x ▷ y ⊕ y with the left disrupt ▷, which the seed leaves out: what is
// left of it is that y is among the alternatives of x ▶ y. Distribution of ∥ over ⊕ and the
// synchronisation of clauses do not hold in ACP, which interleaves: they hold because in the seed's
// restriction both sides of ∥ always move together.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "theory/hypa/normal_form.hpp"
#include "theory/hypa/parse.hpp"
#include "theory/hypa/print.hpp"

namespace cradle::hypa {
namespace {

using expr::Op;
using Kind = Term::Kind;

// A valuation of a and b, as two bits.
using Valuation = int;
constexpr Valuation kValuations = 4;

// Takes over: at once, or after a flow (of any duration, also none, as in a pinnacle). The second
// reading is the one in which processes that jump together do so equally often, and which the
// elimination of ∥ presumes: X ≈ [r] ≫ (f) ▶ X does not jump twice without a flow between.
enum class Disrupts { AtOnce, AfterAFlow };

class World {
 public:
  explicit World(Disrupts disrupts = Disrupts::AtOnce) : disrupts_(disrupts) {
    a_ = v().variable("a", Quantity::State);
    b_ = v().variable("b", Quantity::State);
  }
  Vocabulary& v() { return s_.vocabulary; }
  Specification& specification() { return s_; }

  ExprId predicate(int code, bool jump) {
    expr::Pool& pool = v().pool;
    auto leaf = [&](int c) {
      const VariableId id = c % 2 == 0 ? a_ : b_;
      return v().leaf(id, !jump ? Mark::Now : (c / 2) % 2 == 0 ? Mark::Before : Mark::After);
    };
    const ExprId left = leaf(code), right = leaf(code / 4);
    switch (code % 5) {
      case 0:
        return v().equal(left, v().number(code / 16 % 2));
      case 1:
        return pool.binary(Op::Less, left, right);
      case 2:
        return pool.binary(Op::LessEqual, left, right);
      case 3:
        return pool.binary(Op::NotEqual, left, right);
      default:
        return v().equal(left, right);
    }
  }

  Predicate unchanged() {
    Predicate out;
    for (VariableId x : {a_, b_}) {
      out.push_back({v().equal(v().leaf(x, Mark::After), v().leaf(x, Mark::Before)), {}});
    }
    return out;
  }

  bool holds(const Predicate& predicate, Valuation before, Valuation after) {
    for (const Relation& r : predicate) {
      if (value(r.holds, before, after) == 0) return false;
    }
    return true;
  }

  struct Step {
    Valuation after, end;  // what is reached by the jump, and by the flow
    Term then;
  };
  // All steps from a valuation.
  std::vector<Step> steps(const Term& term, Valuation from) {
    std::vector<Step> out;
    for (const auto& [to, flow, then] : moves(term, from)) {
      for (Valuation end = 0; end < kValuations; ++end) {
        if (holds(flow, end, end)) out.push_back({to, end, then});
      }
    }
    return out;
  }

  bool equal(const Term& x, const Term& y, int depth = 2) {
    for (Valuation from = 0; from < kValuations; ++from) {
      if (!equal(x, y, from, depth)) return false;
    }
    return true;
  }

 private:
  struct Move {
    Valuation to;
    Predicate flow;  // holds at `to`
    Term then;
  };

  double value(ExprId e, Valuation before, Valuation after) {
    const expr::Node node = v().pool[e];
    if (node.op == Op::Constant) return node.value;
    if (node.op == Op::Variable) {
      const Mark mark = Vocabulary::mark_of(node);
      const int x = mark == Mark::Before ? before : after;
      const int bit = Vocabulary::variable_of(node) == a_ ? x & 1 : x >> 1 & 1;
      const int old = Vocabulary::variable_of(node) == a_ ? before & 1 : before >> 1 & 1;
      return mark == Mark::Change ? bit - old : bit;
    }
    const double a = value(node.a, before, after);
    const double b = node.b.valid() ? value(node.b, before, after) : 0;
    return expr::apply(node.op, a, b);
  }

  std::vector<Move> moves(const Term& term, Valuation from) {
    std::vector<Move> out;
    switch (term.kind) {
      case Kind::Flow:
        if (holds(term.clause.predicate, from, from)) {
          out.push_back({from, term.clause.predicate, term});
        }
        break;
      case Kind::Reinitialise:
        for (Valuation to = 0; to < kValuations; ++to) {
          if (!holds(term.clause.predicate, from, to)) continue;
          for (Move& m : moves(term.parts[0], to)) out.push_back(std::move(m));
        }
        break;
      case Kind::Choice:
        for (const Term& part : term.parts) {
          for (Move& m : moves(part, from)) out.push_back(std::move(m));
        }
        break;
      case Kind::Disrupt:
        for (Move& m : moves(term.parts[0], from)) {
          Term then = disrupt(m.then, term.parts[1]);
          if (disrupts_ == Disrupts::AfterAFlow) then = choice({then, term.parts[1]});
          out.push_back({m.to, m.flow, std::move(then)});
        }
        if (disrupts_ == Disrupts::AfterAFlow) break;
        for (Move& m : moves(term.parts[1], from)) out.push_back(std::move(m));
        break;
      case Kind::Parallel: {
        out = moves(term.parts[0], from);
        for (std::size_t i = 1; i < term.parts.size(); ++i) {
          std::vector<Move> joined;
          for (const Move& x : out) {
            for (const Move& y : moves(term.parts[i], from)) {
              if (x.to != y.to) continue;
              Predicate both = x.flow;
              both.insert(both.end(), y.flow.begin(), y.flow.end());
              joined.push_back({x.to, std::move(both), parallel({x.then, y.then})});
            }
          }
          out = std::move(joined);
        }
        break;
      }
      case Kind::Name:
        return moves(s_.find(term.name)->body, from);
    }
    return out;
  }

  bool equal(const Term& x, const Term& y, Valuation from, int depth) {
    if (depth == 0 || x == y) return true;
    const std::string key = to_string(v(), x) + " = " + to_string(v(), y) + " from " +
                            std::to_string(from) + " to " + std::to_string(depth);
    if (auto found = known_.find(key); found != known_.end()) return found->second;
    const std::vector<Step> xs = steps(x, from), ys = steps(y, from);
    return known_[key] = covers(xs, ys, depth) && covers(ys, xs, depth);
  }
  bool covers(const std::vector<Step>& xs, const std::vector<Step>& ys, int depth) {
    return std::all_of(ys.begin(), ys.end(), [&](const Step& y) {
      return std::any_of(xs.begin(), xs.end(), [&](const Step& x) {
        return x.after == y.after && x.end == y.end && equal(x.then, y.then, y.end, depth - 1);
      });
    });
  }

  Disrupts disrupts_;
  Specification s_;
  VariableId a_, b_;
  std::map<std::string, bool> known_;  // what has been compared
};

Predicate any_predicate(World& w, bool jump) {
  Predicate out;
  const int n = *rc::gen::inRange(0, 3);
  for (int i = 0; i < n; ++i) {
    const ExprId e = w.predicate(*rc::gen::inRange(0, 640), jump);
    if (e != w.v().pool.boolean(true)) out.push_back({e, {}});
  }
  return out;
}

Term any_term(World& w, int depth) {
  switch (depth == 0 ? 0 : *rc::gen::inRange(0, 5)) {
    case 1:
      return reinitialise(any_predicate(w, true), any_term(w, depth - 1));
    case 2:
      return choice({any_term(w, depth - 1), any_term(w, depth - 1)});
    case 3:
      return disrupt(any_term(w, depth - 1), any_term(w, depth - 1));
    case 4:
      return parallel({any_term(w, depth - 1), any_term(w, depth - 1)});
    default:
      return flow(any_predicate(w, false));
  }
}

// A property of three random terms.
template <class Sides>
void axiom(const char* what, const Sides& sides) {
  const bool holds = rc::check(what, [&] {
    World w;
    const Term x = any_term(w, 2), y = any_term(w, 1), z = any_term(w, 1);
    const auto [left, right] = sides(w, x, y, z);
    if (!w.equal(left, right)) {
      RC_LOG(to_string(w.v(), left));
      RC_LOG(to_string(w.v(), right));
      RC_FAIL("the two sides differ");
    }
  });
  EXPECT_TRUE(holds);
}
using Sides = std::pair<Term, Term>;

TEST(AxiomsTest, ChoiceIsCommutativeAssociativeIdempotent) {
  axiom("x ⊕ y = y ⊕ x", [](World&, const Term& x, const Term& y, const Term&) {
    return Sides{choice({x, y}), choice({y, x})};
  });
  axiom("(x ⊕ y) ⊕ z = x ⊕ (y ⊕ z)", [](World&, const Term& x, const Term& y, const Term& z) {
    return Sides{choice({choice({x, y}), z}), choice({x, choice({y, z})})};
  });
  axiom("x ⊕ x = x", [](World&, const Term& x, const Term&, const Term&) {
    return Sides{choice({x, x}), x};
  });
}

TEST(AxiomsTest, ParallelIsCommutativeAssociative) {
  axiom("x ∥ y = y ∥ x", [](World&, const Term& x, const Term& y, const Term&) {
    return Sides{parallel({x, y}), parallel({y, x})};
  });
  axiom("(x ∥ y) ∥ z = x ∥ (y ∥ z)", [](World&, const Term& x, const Term& y, const Term& z) {
    return Sides{parallel({parallel({x, y}), z}), parallel({x, parallel({y, z})})};
  });
  axiom("(x ⊕ y) ∥ z = x ∥ z ⊕ y ∥ z", [](World&, const Term& x, const Term& y, const Term& z) {
    return Sides{parallel({choice({x, y}), z}), choice({parallel({x, z}), parallel({y, z})})};
  });
}

TEST(AxiomsTest, ReinitialisationDistributes) {
  axiom("[d] ≫ (x ⊕ y) = [d] ≫ x ⊕ [d] ≫ y", [](World& w, const Term& x, const Term& y,
                                                const Term&) {
    const Predicate d = any_predicate(w, true);
    return Sides{reinitialise(d, choice({x, y})), choice({reinitialise(d, x), reinitialise(d, y)})};
  });
  axiom("[d] ≫ x ⊕ [d ∧ e] ≫ x = [d] ≫ x", [](World& w, const Term& x, const Term&, const Term&) {
    const Predicate d = any_predicate(w, true);
    Predicate both = d;
    for (const Relation& r : any_predicate(w, true)) both.push_back(r);
    return Sides{choice({reinitialise(d, x), reinitialise(both, x)}), reinitialise(d, x)};
  });
  axiom("[d] ≫ (P) ∥ [e] ≫ (Q) = [d ∧ e] ≫ (P ∧ Q)",
        [](World& w, const Term&, const Term&, const Term&) {
          const Predicate d = any_predicate(w, true), e = any_predicate(w, true);
          const Predicate p = any_predicate(w, false), q = any_predicate(w, false);
          Predicate de = d, pq = p;
          de.insert(de.end(), e.begin(), e.end());
          pq.insert(pq.end(), q.begin(), q.end());
          // One step: afterwards both sides repeat their flow without a jump.
          return Sides{parallel({reinitialise(d, flow(p)), reinitialise(e, flow(q))}),
                       reinitialise(de, flow(pq))};
        });
}

TEST(AxiomsTest, DisruptUnfoldsAndIsAssociative) {
  axiom("x ▶ y ⊕ y = x ▶ y", [](World&, const Term& x, const Term& y, const Term&) {
    return Sides{choice({disrupt(x, y), y}), disrupt(x, y)};
  });
  axiom("(x ▶ y) ▶ z = x ▶ (y ▶ z)", [](World&, const Term& x, const Term& y, const Term& z) {
    return Sides{disrupt(disrupt(x, y), z), disrupt(x, disrupt(y, z))};
  });
  axiom("(x ⊕ y) ▶ z = x ▶ z ⊕ y ▶ z", [](World&, const Term& x, const Term& y, const Term& z) {
    return Sides{disrupt(choice({x, y}), z), choice({disrupt(x, z), disrupt(y, z)})};
  });
}

// What does not hold must be seen to fail, or the meaning above would be worth nothing.
TEST(AxiomsTest, WhatIsNoAxiomFails) {
  World w;
  Vocabulary& v = w.v();
  const VariableId a = v.find("a");
  const Term zero = flow({{v.equal(v.leaf(a), v.number(0)), {}}});
  const Term one = flow({{v.equal(v.leaf(a), v.number(1)), {}}});
  const Predicate to_one = {{v.equal(v.leaf(a, Mark::After), v.number(1)), {}}};
  const Term jump = reinitialise(to_one, one);
  EXPECT_FALSE(w.equal(disrupt(flow({}), jump), disrupt(jump, flow({})), 3));
  EXPECT_FALSE(w.equal(choice({zero, one}), zero));
  EXPECT_FALSE(
      w.equal(reinitialise(to_one, disrupt(zero, one)), disrupt(reinitialise(to_one, zero), one)));
  EXPECT_FALSE(w.equal(parallel({zero, one}), zero));
}

TEST(AxiomsTest, PrintedTermsAreReadBack) {
  const bool holds = rc::check("parse(print(x)) = x", [] {
    World w;
    Specification& s = w.specification();
    s.processes.push_back({"X", any_term(w, 3), {}});
    const std::string text = to_string(s);
    Diagnostics diagnostics;
    const Specification back = parse(text, 0, diagnostics, s.vocabulary);
    RC_LOG(text);
    RC_ASSERT(!diagnostics.has_errors());
    RC_ASSERT(back.processes.size() == 1u);
    RC_ASSERT(to_string(back) == text);
    // As written, or flattened where ⊕ or ∥ stand in each other: associativity.
    RC_ASSERT(w.equal(back.processes[0].body, s.processes[0].body));
  });
  EXPECT_TRUE(holds);
}

TEST(AxiomsTest, EliminationKeepsTheMeaning) {
  const bool holds = rc::check("normal form of X ∥ Y = X ∥ Y", [] {
    World w(Disrupts::AfterAFlow);
    Specification& s = w.specification();
    for (const char* process : {"X", "Y"}) {
      // While one process switches the other may go on: a constitutive process can always
      // re-initialise to what it is, as those of the seed can.
      std::vector<Alternative> all;
      const int n = process[0] == 'X' ? *rc::gen::inRange(1, 3) : 1;
      for (int i = 0; i < n; ++i) {
        all.push_back({any_predicate(w, true), any_predicate(w, false), process});
        all.push_back({w.unchanged(), all.back().flow, process});
      }
      s.processes.push_back({process, term_of(all), {}});
    }
    const NormalForm form = normal_form(s, "S", {"X", "Y"}, {});
    RC_ASSERT(form.problem.empty());
    Term body = form.alternatives.empty() ? flow({{w.v().pool.boolean(false), {}}})
                                          : term_of(form.alternatives);
    s.processes.push_back({"S", body, {}});
    RC_LOG(to_string(s));
    RC_ASSERT(w.equal(name("S"), parallel({name("X"), name("Y")}), 2));
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace cradle::hypa
