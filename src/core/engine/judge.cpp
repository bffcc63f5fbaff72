#include "core/engine/judge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cradle::engine {

using expr::Op;
using plan::Equation;
using plan::Series;
using plan::Value;

Judge::Judge(Runtime& runtime, InstantEvaluator& inside) : runtime_(runtime), inside_(inside) {
  const model::Model& m = runtime.system.model();
  for (int k = 0; k < kOrders; ++k) {
    states_[at(k)].resize(m.states.size());
    signals_[at(k)].resize(m.signals.size());
    busy_[at(k)].assign(2 * m.bonds.size(), 0);
  }
  wholes_.resize(runtime.system.cells().size());
}

void Judge::abandon() {
  stack_.clear();
  locals_ = {};
  depth_ = 0;
  order_ = 0;
  probing_ = false;
  for (const auto& whole : wholes_) {
    if (whole) *whole = {};
  }
}

void Judge::begin() {
  stamp_ = runtime_.next_stamp();
  undecided_ = false;
}

// Derivatives are asked for only where values do not decide.
bool Judge::holds(const plan::Code& guard, bool pinnacle) {
  pinnacle_ = pinnacle;
  bool result = false;
  for (const int order : {0, kOrders - 1}) {
    begin();
    AtOrder at_order(*this, order);
    result = plan::is_true(run(guard));
    if (!undecided_) break;
  }
  pinnacle_ = false;
  return result;
}

Judge::Verdict Judge::judge(ComparisonId comparison) {
  Verdict verdict;
  verdict.truth = holds(runtime_.system.comparisons()[comparison].truth);
  verdict.on_border = gap_.is_calm() && gap_.finite[0].is_zero();
  // What is about to hold has not been followed: it is waited for until it holds clearly.
  if (verdict.on_border && gap_.sign() > 0) verdict.truth = false;
  verdict.noise = gap_.finite[0].noise();
  return verdict;
}

Series Judge::run(const plan::Code& code) {
  return plan::run<Series>(code, *this, stack_, plan::Truths::Judged);
}

Series Judge::compare(Op op, const Series& a, const Series& b) {
  const bool ordered = op == Op::Less || op == Op::LessEqual;
  if (!ordered || depth_ > 0 || !a.is_present() || !b.is_present()) {
    return Series(plan::evaluate(op, a.value(), b.value()));
  }
  gap_ = b;
  gap_.add(a, -1);
  const int sign = gap_.sign(order_ + 1, runtime_.state.instant.roundings);
  // Derivatives of a strain come before everything finite.
  const bool may_strain = gap_.strain[0].worth > 0 && gap_.strain[0].is_zero();
  if ((sign == 0 || may_strain) && order_ + 1 < kOrders) undecided_ = true;
  return (op == Op::Less ? sign > 0 : sign >= 0) ? 1.0 : 0.0;
}

Series Judge::leaf(Op op, int32_t ref, int32_t part) {
  switch (op) {
    case Op::Time: {
      Series t(runtime_.state.now);
      t.finite[1] = {1, 1};
      return t;
    }
    case Op::Local:
      return locals_[at(ref)];
    case Op::State:
      return state(StateId(at(ref)));
    case Op::Signal:
      return signal(ref);
    case Op::Effort:
    case Op::Flow:
      return power(op, BondId(at(ref)));
    case Op::Phase: {
      Series phase(inside_.leaf(op, ref, part));
      const double rate =
          1 / runtime_.system.period(runtime_.system.model().clocks[ClockId(at(ref))]);
      phase.finite[1] = {rate, rate};
      return phase;
    }
    default:
      return Series(inside_.leaf(op, ref, part));
  }
}

Series Judge::signal(int32_t ref) {
  const SignalId id(at(ref));
  const model::Signal& signal = runtime_.system.model().signals[id];
  if (runtime_.system.model().pool[signal.value].type == expr::Type::Boolean) {
    return Series(inside_.leaf(Op::Signal, ref, 0));
  }
  Known& known = signals_[at(order_)][at(id)];
  if (known.stamp == stamp_) return known.series;
  // What is met again while it is being computed has a value all the same, or none (section 7).
  const Value value = inside_.leaf(Op::Signal, ref, 0);
  if (!value.is_present()) return Series(value);
  known = {Series(value), stamp_};
  const auto saved = std::exchange(locals_, {});
  ++depth_;
  const Series computed = run(runtime_.system.signal(id));
  --depth_;
  locals_ = saved;
  if (computed.is_present()) signals_[at(order_)][at(id)].series = computed;
  return signals_[at(order_)][at(id)].series;
}

// The value, and what it has been worth so far; the derivatives are those of its rate.
Series Judge::state(StateId id) {
  const std::size_t s = at(id);
  Known& known = states_[at(order_)][s];
  if (known.stamp == stamp_) return known.series;
  Series out(inside_.leaf(Op::State, static_cast<int32_t>(s), 0));
  out.finite[0].worth = std::max(out.finite[0].worth, inside_.worth_plus(id, false));
  states_[at(order_)][s] = {out, stamp_};
  if (order_ == 0) return out;
  const Series change = rate(id);
  for (int k = 1; k <= order_; ++k) out.finite[at(k)] = change.finite[at(k - 1)];
  states_[at(order_)][s].series = out;
  return out;
}

Series Judge::rate(StateId id) {
  const Plan& system = runtime_.system;
  const model::State& state = system.model().states[id];
  AtOrder at_order(*this, order_ - 1);
  if (!runtime_.is_active(state.region)) return Series(0.0);
  if (!state.element.valid()) {
    const auto saved = std::exchange(locals_, {});
    ++depth_;
    const Series out = run(system.formula(state.rate));
    --depth_;
    locals_ = saved;
    return out.is_present() ? out : Series(0.0);
  }
  const model::Element& element = system.model().elements[state.element];
  const CellId cell = system.cell_of(element.ports[at(state.port)].bond);
  Slot& slot = *runtime_.slot_of_cell[at(cell)];
  const int local = slot.island->rate_variable(slot.island->local_state(id));
  // Where the mode is not left after all, this is judged once more when nothing jumps.
  if (pinnacle_ && is_carried(*slot.island, local)) return Series::unknown();
  return variable(slot, local);
}

// Does this depend on what a constraint carries?
bool Judge::is_carried(const plan::Island& island, int local) {
  return island.uses_rows() ? !island.releasing(local).empty() : island.is_constrained();
}

Series Judge::power(Op op, BondId bond) {
  const Plan& system = runtime_.system;
  const CellId cell = system.cell_of(bond);
  Slot& slot = *runtime_.slot_of_cell[at(cell)];
  const int kind = op == Op::Effort ? 0 : 1;
  const int local = 2 * (slot.island->offset_of(cell) + system.index_in_cell(bond)) + kind;
  if (pinnacle_ && slot.island->uses_rows() && is_carried(*slot.island, local)) {
    return Series::absent();
  }
  if (const Whole* whole = wholes_[at(slot.home())].get(); whole != nullptr && whole->busy) {
    return so_far(*whole, local);
  }
  uint64_t& busy = busy_[at(order_)][2 * at(bond) + at(kind)];
  if (busy == stamp_) return Series(Value(inside_.variable(slot, local)));
  busy = stamp_;
  Series out = variable(slot, local);
  busy = 0;
  return out;
}

Series Judge::variable(Slot& slot, int local) {
  const plan::Island& island = *slot.island;
  if (!island.uses_rows()) return whole(slot, local);
  Series out;
  if (const int given = island.given_by(local); given >= 0) {
    out = right_side(island.equations()[at(given)]);
  } else {
    const plan::LinearRow& row = island.row(local);
    out = row_of(slot, row.b, false);
    out.add(row_of(slot, row.b_rate, true), 1);
  }
  out.strain = {};
  out.impulse = {};
  if (probing_) {
    add_strain(slot, local, out);
    return out;
  }
  if (inside_.view() == InstantEvaluator::View::Committed) return out;
  const double impulse = inside_.variable(slot, local).impulse;
  out.impulse = {impulse, std::abs(impulse)};
  for (int k : island.releasing(local)) {
    out.impulse.worth += std::abs(island.release(local, k)) * noise_of_constraint(slot, k) /
                         Series(1.0).finite[0].noise();
  }
  add_strain(slot, local, out);
  return out;
}

void Judge::add_strain(Slot& slot, int local, Series& out) {
  for (int k = 0; k < slot.island->strain_count(); ++k) {
    const linear::SparseVector& direction = slot.island->strain_direction(k);
    const auto place = std::lower_bound(direction.indices.begin(), direction.indices.end(), local);
    if (place == direction.indices.end() || *place != local) continue;
    const double part = direction.values[at(static_cast<int>(place - direction.indices.begin()))];
    const Series amount = amplitude(slot, k);
    for (std::size_t j = 0; j < at(kOrders); ++j) {
      out.strain[j].value += part * amount.finite[j].value;
      out.strain[j].worth += std::abs(part) * amount.finite[j].worth;
    }
  }
}

// How much an ideal connection would have to carry.
Series Judge::amplitude(Slot& slot, int k) {
  // Any numbers that do not cancel each other where nothing else does.
  if (probing_) return Series(1 + 0.6180339887 * k);
  const linear::SparseVector& form = slot.island->strain_amplitude(k);
  Series out;
  for (std::size_t i = 0; i < form.indices.size(); ++i) {
    const Equation& equation = slot.island->equations()[at(form.indices[i])];
    if (equation.kind == Equation::Kind::Structure) continue;
    out.add(right_side(equation), form.values[i]);
  }
  return out;
}

int Judge::find_strain(Slot& slot) {
  begin();
  AtOrder at_order(*this, kOrders - 1);
  for (int k = 0; k < slot.island->strain_count(); ++k) {
    const Series amount = amplitude(slot, k);
    if (amount.sign() != 0) return k;
  }
  return -1;
}

Judge::Strain Judge::strain_of(Slot& slot) {
  begin();
  AtOrder at_order(*this, kOrders - 1);
  const plan::Island& island = *slot.island;
  std::vector<Series> amounts;
  amounts.reserve(static_cast<std::size_t>(island.strain_count()));
  for (int k = 0; k < island.strain_count(); ++k) amounts.push_back(amplitude(slot, k));
  Strain out;
  for (; out.order < kOrders && out.y.empty(); ++out.order) {
    for (int k = 0; k < island.strain_count(); ++k) {
      const plan::Coefficient& amount = amounts[at(k)].finite[at(out.order)];
      if (amount.is_zero()) continue;
      out.y.resize(island.size(), 0.0);
      const linear::SparseVector& direction = island.strain_direction(k);
      for (std::size_t i = 0; i < direction.indices.size(); ++i) {
        out.y[at(direction.indices[i])] += amount.value * direction.values[i];
      }
    }
    if (!out.y.empty()) break;
  }
  return out;
}

bool Judge::is_shared(const plan::Code& value) {
  begin();
  probing_ = true;
  const Series found = run(value);
  probing_ = false;
  return found.is_present() && !found.strain[0].is_zero();
}

double Judge::noise_of_constraint(Slot& slot, int k) {
  const linear::SparseVector& left = slot.island->constraint(k);
  AtOrder at_order(*this, 0);
  double worth = 0;
  for (std::size_t i = 0; i < left.indices.size(); ++i) {
    const Equation& equation = slot.island->equations()[at(left.indices[i])];
    if (equation.kind == Equation::Kind::Structure) continue;
    worth += std::abs(left.values[i]) * right_side(equation).finite[0].worth;
  }
  return plan::Coefficient{0, worth}.noise();
}

Series Judge::row_of(Slot& slot, const std::vector<plan::LinearRow::Entry>& row, bool rates) {
  Series sum;
  for (const plan::LinearRow::Entry& entry : row) {
    const Equation& equation = slot.island->equations()[at(entry.equation)];
    if (!rates) {
      sum.add(right_side(equation), entry.coefficient);
      continue;
    }
    ++depth_;
    const Series change = run(runtime_.system.formula(equation.rate));
    --depth_;
    if (change.is_present()) sum.add(change, entry.coefficient);
  }
  return sum;
}

// b of an equation at x⁺; what is absent is worth nothing.
Series Judge::right_side(const Equation& equation) {
  Series out(equation.offset);
  if (equation.kind == Equation::Kind::Store) {
    if (!equation.linear) return law(equation);
    for (std::size_t j = 0; j < equation.states.size(); ++j) {
      out.add(state(equation.states[j]), equation.coefficients[j]);
    }
  }
  const bool constant = equation.kind == Equation::Kind::Source && equation.constant;
  if (constant || !equation.formula.valid()) return out;
  const auto saved = std::exchange(locals_, {});
  ++depth_;
  const Series varying = run(runtime_.system.formula(equation.formula));
  --depth_;
  locals_ = saved;
  if (varying.is_present()) out.add(varying, 1);
  return out;
}

Series Judge::law(const Equation& equation) {
  std::array<Series, 8> few;
  std::vector<Series> many;
  std::span<Series> arguments(few.data(), std::min(few.size(), equation.states.size()));
  if (equation.states.size() > few.size()) {
    many.resize(equation.states.size());
    arguments = many;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = state(equation.states[i]);
  const auto saved = std::exchange(locals_, std::span<const Series>(arguments));
  ++depth_;
  const Series out = run(runtime_.system.formula(equation.law));
  --depth_;
  locals_ = saved;
  return out;
}

}  // namespace cradle::engine
