#include "theory/hypa/constitutive.hpp"

#include <algorithm>
#include <functional>

#include "language/elements/jump.hpp"
#include "theory/hypa/energy.hpp"

namespace cradle::hypa {
namespace {

using elements::Right;
using expr::Op;
using PowerVariable = elements::Variable;  // effort or flow

class Maker {
 public:
  Maker(Vocabulary& v, std::string name) : v_(v), pool_(v.pool), name_(std::move(name)) {}

  Relation holds(ExprId relation) const { return {relation, name_}; }
  Relation equal(ExprId a, ExprId b) { return holds(v_.equal(a, b)); }
  ExprId zero() { return pool_.constant(0); }

  // e or f while time flows; p′ or q′ across a jump.
  ExprId variable(const BondVariables& bond, PowerVariable variable, bool jump) {
    const bool effort = variable == PowerVariable::Effort;
    if (jump) return v_.leaf(effort ? bond.momentum : bond.displacement, Mark::Change);
    return v_.leaf(effort ? bond.effort : bond.flow);
  }

  // Σ left = right. Of two terms with different signs one stands on each side, and a sum in which
  // all signs are minus is written with plus.
  Relation relation(const elements::Relation& relation, std::span<const BondVariables> bonds,
                    ExprId modulus, ExprId right, bool jump) {
    ExprId left;
    const auto& terms = relation.left;
    const auto negative = [](const elements::Term& t) { return t.coefficient.factor < 0; };
    const auto minus = std::count_if(terms.begin(), terms.end(), negative);
    const bool two = terms.size() == 2 && minus == 1 && !right.valid();
    const bool turn = !right.valid() && (minus == std::ssize(terms) || (two && negative(terms[0])));
    for (const elements::Term& term : terms) {
      ExprId value = variable(bonds[at(term.port)], term.variable, jump);
      double factor = turn ? -term.coefficient.factor : term.coefficient.factor;
      const bool other_side = two && factor < 0;
      if (other_side) factor = -factor;
      if (term.coefficient.modulus) value = pool_.binary(Op::Mul, modulus, value);
      if (other_side) {
        right = scaled(factor, value);
      } else if (!left.valid()) {
        left = scaled(factor, value);
      } else if (factor < 0) {
        left = pool_.binary(Op::Sub, left, scaled(-factor, value));
      } else {
        left = pool_.binary(Op::Add, left, scaled(factor, value));
      }
    }
    return equal(left, right.valid() ? right : zero());
  }
  ExprId scaled(double factor, ExprId value) {
    return pool_.binary(Op::Mul, pool_.constant(factor), value);
  }

  ExprId energy(const BondVariables& bond) { return v_.leaf(bond.energy, Mark::Change); }

  Vocabulary& v_;
  expr::Pool& pool_;
  std::string name_;
};

class ElementMaker : Maker {
 public:
  ElementMaker(Vocabulary& v, const ElementParts& parts)
      : Maker(v, parts.name), parts_(parts), definition_(*parts.definition) {}

  Process make() {
    Predicate jump, flow;
    add_energy(jump);
    const int ports = static_cast<int>(parts_.ports.size());
    for (const elements::Relation& r : definition_.flow(ports, parts_.law_of_effort)) {
      flow.push_back(relation(r, parts_.ports, parts_.signal, right_side(r), false));
      for (const elements::Relation& j : elements::jump(r)) {
        jump.push_back(relation(j, parts_.ports, parts_.signal, weight(j), true));
      }
    }
    Term body = reinitialise(std::move(jump), disrupt(hypa::flow(std::move(flow)), name(name_)));
    return {name_, std::move(body), std::string(definition_.name)};
  }

 private:
  VariableId stored(const BondVariables& bond) const {
    return definition_.storage == elements::Storage::Momentum ? bond.momentum : bond.displacement;
  }

  ExprId right_side(const elements::Relation& r) {
    switch (r.right) {
      case Right::Zero:
        return {};
      case Right::Source:
        return parts_.signal;
      case Right::StateLaw: {
        std::vector<ExprId> arguments;
        for (const BondVariables& bond : parts_.ports) arguments.push_back(v_.leaf(stored(bond)));
        return pool_.substitute(parts_.laws[at(r.port)], arguments);
      }
      case Right::PowerLaw:
        return pool_.substitute(parts_.laws[0], {variable(parts_.ports[0], r.argument, false)});
    }
    return {};
  }

  // Of a source in a jump: 0, or the weight of its impulse.
  ExprId weight(const elements::Relation& r) {
    if (r.right != Right::Source) return {};
    return v_.weight(v_.marked(parts_.signal, Mark::After));
  }

  // From Ė = e·f by substitution and integration over the jump.
  void add_energy(Predicate& jump) {
    if (definition_.storage != elements::Storage::None) {
      add_stored_energy(jump);
    } else if (definition_.through) {  // e₁·f₁ = e₂·f₂
      jump.push_back(equal(energy(parts_.ports[0]), energy(parts_.ports[1])));
    } else {
      const elements::Relation r = definition_.flow(1, parts_.law_of_effort)[0];
      const BondVariables& bond = parts_.ports[0];
      ExprId work = zero();  // a resistance takes no part
      if (r.right == Right::Source) work = source_work(bond, r.left[0].variable);
      jump.push_back(equal(energy(bond), work));
    }
  }

  // s·q′ or s·p′; a source that carries an impulse works on the mean of the other variable, too.
  ExprId source_work(const BondVariables& bond, PowerVariable given) {
    const PowerVariable other = elements::dual(given);
    const ExprId s = pool_.unary(Op::FiniteOf, v_.marked(parts_.signal, Mark::After));
    ExprId work = pool_.binary(Op::Mul, s, variable(bond, other, true));
    if (pool_.is_impulse_free(v_.marked(parts_.signal, Mark::After))) return work;
    const VariableId mean = other == PowerVariable::Effort ? bond.effort : bond.flow;
    const VariableId own = given == PowerVariable::Effort ? bond.effort : bond.flow;
    auto half = [&](VariableId x) {
      const ExprId sum = pool_.binary(Op::Add, v_.leaf(x, Mark::Before), v_.leaf(x, Mark::After));
      return pool_.binary(Op::Div, sum, pool_.constant(2));
    };
    const ExprId impulse =
        pool_.binary(Op::Add, pool_.binary(Op::Mul, half(own), variable(bond, other, true)),
                     pool_.binary(Op::Mul, half(mean), variable(bond, given, true)));
    const ExprId none = v_.equal(variable(bond, given, true), zero());
    return pool_.conditional(none, work, impulse);
  }

  void add_stored_energy(Predicate& jump) {
    const std::size_t n = parts_.ports.size();
    if (n == 1) {
      const VariableId x = stored(parts_.ports[0]);
      jump.push_back(equal(
          energy(parts_.ports[0]),
          energy_integral(v_, parts_.laws[0], v_.leaf(x, Mark::Before), v_.leaf(x, Mark::After))));
      return;
    }
    // A field: along the straight line from x⁻ to x⁺, x = x⁻ + s·x′ with s from 0 to 1.
    std::vector<ExprId> line;
    const ExprId s = pool_.leaf(Op::Local, 0);
    for (const BondVariables& bond : parts_.ports) {
      const VariableId x = stored(bond);
      line.push_back(pool_.binary(Op::Add, v_.leaf(x, Mark::Before),
                                  pool_.binary(Op::Mul, s, v_.leaf(x, Mark::Change))));
    }
    ExprId power = zero(), total = zero();
    for (std::size_t i = 0; i < n; ++i) {
      const ExprId slope = pool_.substitute(parts_.laws[i], line);
      const ExprId change = v_.leaf(stored(parts_.ports[i]), Mark::Change);
      power = pool_.binary(Op::Add, power, pool_.binary(Op::Mul, slope, change));
      total = pool_.binary(Op::Add, total, energy(parts_.ports[i]));
    }
    jump.push_back(equal(total, energy_integral(v_, power, zero(), pool_.constant(1))));
  }

  const ElementParts& parts_;
  const elements::Definition& definition_;
};

class JunctionMaker : Maker {
 public:
  JunctionMaker(Vocabulary& v, const JunctionParts& parts) : Maker(v, parts.name), parts_(parts) {
    for (const JunctionPort& port : parts.bonds) {
      bonds_.push_back(port.bond);
      inward_.push_back(port.inward);
    }
  }

  Process make() {
    const bool zero_junction = parts_.kind == elements::JunctionKind::Zero;
    std::string what = zero_junction ? "0" : "1";
    std::vector<Alternative> found;
    if (!parts_.act.valid()) {
      found.push_back({jump_active(Loss::None), flow_active(), name_});
    } else {
      what += parts_.inactive == elements::Inactive::Effort ? "/E" : "/F";
      // The six combinations of section 3, in its order.
      const ExprId act = parts_.act, inact = parts_.inact;
      found.push_back(combination(act, jump_active(Loss::None), act, flow_active()));
      found.push_back(combination(inact, jump_inactive(Loss::None), inact, flow_inactive()));
      found.push_back(combination(inact, jump_active(Loss::Any), act, flow_active()));
      found.push_back(combination(act, jump_active(Loss::Any), inact, flow_inactive()));
      found.push_back(combination(inact, jump_inactive(Loss::Any), act, flow_active()));
      found.push_back(combination(act, jump_inactive(Loss::Any), inact, flow_inactive()));
    }
    return {name_, term_of(found), what};
  }

 private:
  enum class Loss { None, Any };

  Alternative combination(ExprId before, Predicate jump, ExprId now, Predicate flow) {
    jump.insert(jump.begin(), holds(v_.marked(before, Mark::Before)));
    flow.insert(flow.begin(), holds(now));
    return {std::move(jump), std::move(flow), name_};
  }

  // Energy that comes in does not come out: 0, or anything ≥ 0 when switching.
  ExprId signed_energy(std::size_t i) {
    return inward_[i] ? energy(bonds_[i]) : pool_.unary(Op::Neg, energy(bonds_[i]));
  }
  // `turned`: the sum is of what goes out.
  Relation balance(ExprId sum, Loss loss, bool turned) {
    if (loss == Loss::None) return equal(sum, zero());
    return holds(turned ? pool_.binary(Op::LessEqual, sum, zero())
                        : pool_.binary(Op::LessEqual, zero(), sum));
  }

  Predicate relations(const std::vector<elements::Relation>& from, bool jump, bool sum_last) {
    Predicate out;
    for (const elements::Relation& r : from) {
      if (!jump) {
        out.push_back(relation(r, bonds_, {}, {}, false));
        continue;
      }
      for (const elements::Relation& j : elements::jump(r)) {
        out.push_back(relation(j, bonds_, {}, {}, true));
      }
    }
    // The sum first, as the seed writes it.
    if (sum_last && !out.empty()) std::rotate(out.begin(), out.end() - 1, out.end());
    return out;
  }
  Predicate flow_active() {
    return relations(elements::active_junction(parts_.kind, inward_), false, true);
  }
  Predicate flow_inactive() {
    return relations(elements::inactive_junction(parts_.inactive, bonds_.size()), false, false);
  }
  Predicate jump_active(Loss loss) {
    ExprId sum;
    const bool all_outward = std::none_of(inward_.begin(), inward_.end(), std::identity());
    for (std::size_t i = 0; i < bonds_.size(); ++i) {
      if (!sum.valid()) {
        sum = all_outward ? energy(bonds_[i]) : signed_energy(i);
      } else {
        const bool plus = inward_[i] || all_outward;
        sum = pool_.binary(plus ? Op::Add : Op::Sub, sum, energy(bonds_[i]));
      }
    }
    Predicate out = relations(elements::active_junction(parts_.kind, inward_), true, true);
    out.insert(out.begin(), balance(sum, loss, all_outward));
    return out;
  }
  Predicate jump_inactive(Loss loss) {
    Predicate out;
    for (std::size_t i = 0; i < bonds_.size(); ++i) {
      out.push_back(loss == Loss::None ? equal(energy(bonds_[i]), zero())
                                       : balance(energy(bonds_[i]), loss, !inward_[i]));
    }
    Predicate rest =
        relations(elements::inactive_junction(parts_.inactive, bonds_.size()), true, false);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }

  const JunctionParts& parts_;
  std::vector<BondVariables> bonds_;
  std::vector<bool> inward_;
};

}  // namespace

Process element_process(Vocabulary& v, const ElementParts& parts) {
  return ElementMaker(v, parts).make();
}

Process junction_process(Vocabulary& v, const JunctionParts& parts) {
  return JunctionMaker(v, parts).make();
}

Process bond_process(Vocabulary& v, const std::string& name_of_bond, const BondVariables& bond) {
  Maker maker(v, name_of_bond);
  const ExprId e = v.leaf(bond.effort), f = v.leaf(bond.flow);
  Predicate rates = {maker.equal(v.leaf(bond.energy, Mark::Rate), v.pool.binary(Op::Mul, e, f)),
                     maker.equal(v.leaf(bond.momentum, Mark::Rate), e),
                     maker.equal(v.leaf(bond.displacement, Mark::Rate), f)};
  return {name_of_bond, reinitialise({}, disrupt(flow(std::move(rates)), name(name_of_bond))),
          "bond", Role::Bond};
}

}  // namespace cradle::hypa
