#include "theory/conform/evaluate.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace cradle::conform {
namespace {

using expr::Node;
using expr::Op;
using State = Value::State;

class Evaluator {
 public:
  Evaluator(const expr::Pool& pool, const Lookup& lookup, double time, double tolerance,
            Border border, const Truths* truths)
      : pool_(pool),
        lookup_(lookup),
        time_(time),
        tolerance_(tolerance),
        border_(border),
        truths_(truths) {}

  Value value(ExprId e) const {
    const Node& node = pool_[e];
    if (truths_ != nullptr && expr::is_comparison(node.op)) {
      const auto said = truths_->find(e);
      if (said != truths_->end()) return Value::truth(said->second);
    }
    switch (node.op) {
      case Op::Constant:
        return Value::present(node.value, std::abs(node.value));
      case Op::Omega:
        return Value::present({0, 1}, 1);
      case Op::Time:
        return Value::present(time_, std::abs(time_));
      case Op::Local:
        return Value::present(local_, std::abs(local_));
      case Op::Absent:
        return Value::absent();
      case Op::Variable:
        return lookup_(hypa::Vocabulary::variable_of(node), hypa::Vocabulary::mark_of(node));
      case Op::And:
      case Op::Or:
        return logic(node);
      case Op::If:
        return conditional(node);
      case Op::IsPresent: {
        const Value a = value(node.a);
        return a.is_unknown() ? a : Value::truth(a.is_present());
      }
      case Op::Default: {
        const Value a = value(node.a);
        return a.state == State::Absent ? value(node.b) : a;
      }
      case Op::When: {
        const Value b = value(node.b);
        if (b.is_unknown()) return b;
        const bool boolean = pool_[node.b].type == expr::Type::Boolean;
        if (!b.is_present() || (boolean && b.is_false())) return Value::absent();
        return value(node.a);
      }
      case Op::Integral:
        return integral(node);
      default:
        break;
    }
    if (arity(node.op) == 0) return Value::unknown();
    const Value a = value(node.a);
    const Value b = arity(node.op) > 1 ? value(node.b) : Value::present(0, 0);
    if (a.is_unknown() || b.is_unknown()) return zero_times(node.op, a, b);
    if (!a.is_present() || !b.is_present()) return Value::absent();
    return apply(node, a, b);
  }

 private:
  // What is not known does not matter beside a zero.
  static Value zero_times(Op op, const Value& a, const Value& b) {
    const auto zero = [](const Value& x) { return x.is_present() && x.number == Number(0); };
    if (op == Op::Mul && (zero(a) || zero(b))) return Value::present(0, 0);
    return Value::unknown();
  }

  Value logic(const Node& node) const {
    const Value a = value(node.a);
    const bool decisive = node.op == Op::Or;
    if (a.is_present() && a.is_true() == decisive) return a;
    const Value b = value(node.b);
    if (b.is_present() && b.is_true() == decisive) return b;
    if (a.is_unknown() || b.is_unknown()) return Value::unknown();
    if (!a.is_present() || !b.is_present()) return Value::absent();
    return Value::truth(!decisive);
  }

  Value conditional(const Node& node) const {
    const Value test = value(node.a);
    if (test.state == State::Absent) return test;
    if (test.is_present()) return value(test.is_true() ? node.b : node.c);
    // Not decided, but both branches may say the same.
    Value yes = value(node.b);
    const Value no = value(node.c);
    if (!yes.is_present() || !no.is_present() || !close(yes, no)) return Value::unknown();
    yes.size += no.size;  // either may be meant
    return yes;
  }

  bool close(const Value& a, const Value& b) const {
    const double bound = tolerance_ * (a.size + b.size);
    return std::abs(a.number.finite - b.number.finite) <= bound &&
           std::abs(a.number.impulse - b.number.impulse) <= bound;
  }

  Value compare(const Node& node, const Value& a, const Value& b) const {
    const bool numbers = pool_[node.a].type == expr::Type::Number;
    if (const double size = a.strain_size + b.strain_size; numbers && size > 0) {
      const double gap = b.strain - a.strain;
      if (std::abs(gap) <= tolerance_ * size) return Value::unknown();  // it may begin
      if (node.op == Op::Less || node.op == Op::LessEqual) return Value::truth(gap > 0);
    }
    const bool ordered = node.op == Op::Less || node.op == Op::LessEqual;
    if (border_ == Border::Open && numbers && ordered && a.number == b.number) {
      return Value::unknown();
    }
    // Modes and truths are exact, and have no size.
    if (a.number == b.number && (a.size == 0 || b.size == 0)) {
      return Value::truth(node.op == Op::Equal || node.op == Op::LessEqual);
    }
    const bool exact = pool_[node.a].type == expr::Type::Boolean;
    if (!exact && close(a, b)) return Value::unknown();
    switch (node.op) {
      case Op::Equal:
        return Value::truth(a.number == b.number);
      case Op::NotEqual:
        return Value::truth(!(a.number == b.number));
      default:
        return Value::truth(a.number < b.number);
    }
  }

  // Of what is linear; nothing is known of other functions.
  static bool add_strain(Op op, const Value& a, const Value& b, Value& out) {
    if (a.strain_size == 0 && b.strain_size == 0) return true;
    const double x = a.number.finite, y = b.number.finite;
    double of_a = 1, of_b = 0;
    switch (op) {
      case Op::Neg:
        of_a = -1;
        break;
      case Op::FiniteOf:
      case Op::ImpulseOf:
        break;
      case Op::Add:
        of_b = 1;
        break;
      case Op::Sub:
        of_b = -1;
        break;
      case Op::Mul:
        of_a = y;
        of_b = x;
        break;
      case Op::Div:
        if (b.strain_size > 0) return false;
        of_a = 1 / y;
        break;
      case Op::Abs:
        if (a.strain == 0) return false;
        of_a = a.strain > 0 ? 1 : -1;
        break;
      default:
        return false;
    }
    out.strain = of_a * a.strain + of_b * b.strain;
    out.strain_size = std::abs(of_a) * a.strain_size + std::abs(of_b) * b.strain_size;
    return true;
  }

  Value apply(const Node& node, const Value& a, const Value& b) const {
    Value out = applied(node, a, b);
    if (!out.is_present() || expr::is_comparison(node.op) || node.op == Op::Not) return out;
    return add_strain(node.op, a, b, out) ? out : Value::unknown();
  }

  Value applied(const Node& node, const Value& a, const Value& b) const {
    const Number x = a.number, y = b.number;
    switch (node.op) {
      case Op::Neg:
        return Value::present(-x, a.size);
      case Op::Add:
        return Value::present(x + y, a.size + b.size);
      case Op::Sub:
        return Value::present(x - y, a.size + b.size);
      case Op::Mul:
        if (x.impulse != 0 && y.impulse != 0) return Value::unknown();
        return Value::present({x.finite * y.finite, x.finite * y.impulse + x.impulse * y.finite},
                              a.size * b.size);
      case Op::Div:
        if (y.impulse != 0) return Value::unknown();
        return Value::present({x.finite / y.finite, x.impulse / y.finite},
                              a.size / std::abs(y.finite));
      case Op::ImpulseOf:
        return Value::present(x.impulse, a.size);
      case Op::FiniteOf:
        return Value::present(x.finite, a.size);
      case Op::Not:
        return Value::truth(a.is_false());
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal:
      case Op::NotEqual:
        return compare(node, a, b);
      case Op::Abs:
        return Value::present(x < Number(0) ? -x : x, a.size);
      case Op::Min:
        return Value::present(y < x ? y : x, a.size + b.size);
      case Op::Max:
        return Value::present(x < y ? y : x, a.size + b.size);
      default:
        break;
    }
    if (x.impulse != 0 || y.impulse != 0) return Value::unknown();
    if (leaps_near(node.op, a, b)) return Value::unknown();
    const double result = expr::apply(node.op, x.finite, y.finite);
    return Value::present(result, std::abs(result) + slope(node.op, a, b));
  }

  // How much a rounding error of the argument matters, in terms of the size of the result.
  static double slope(Op op, const Value& a, const Value& b) {
    const double h = 1e-6 * a.size, x = a.number.finite, y = b.number.finite;
    if (h == 0) return 0;
    const double change = (expr::apply(op, x + h, y) - expr::apply(op, x - h, y)) / 2e-6;
    return std::isfinite(change) ? std::abs(change) : 0;
  }

  bool leaps_near(Op op, const Value& a, const Value& b) const {
    double x = a.number.finite;
    switch (op) {
      case Op::Floor:
      case Op::Ceil:
        return std::abs(x - std::round(x)) <= tolerance_ * std::max(1.0, a.size);
      case Op::Sign:
        return std::abs(x) <= tolerance_ * a.size;
      case Op::Mod:
        x /= b.number.finite;
        return std::abs(x - std::round(x)) <= tolerance_ * std::max(1.0, std::abs(x));
      default:
        return false;
    }
  }

  Value integral(const Node& node) const {
    const Value from = value(node.a), to = value(node.b);
    if (!from.is_present() || !to.is_present()) return from.is_present() ? to : from;
    bool known = true;
    auto integrand = [&](double x) {
      Evaluator inside = *this;
      inside.local_ = x;
      const Value v = inside.value(node.c);
      known = known && v.is_present();
      return v.number.finite;
    };
    if (from.number == to.number) return Value::present(0, 0);
    double error = 0, size = 0;
    const double result = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
        integrand, from.number.finite, to.number.finite, 10, 1e-10, &error, &size);
    return known ? Value::present(result, size) : Value::unknown();
  }

  const expr::Pool& pool_;
  const Lookup& lookup_;
  double time_, tolerance_;
  Border border_;
  const Truths* truths_;
  double local_ = 0;
};

}  // namespace

Value evaluate(const expr::Pool& pool, ExprId e, const Lookup& lookup, double time,
               double tolerance, Border border, const Truths* truths) {
  return Evaluator(pool, lookup, time, tolerance, border, truths).value(e);
}

}  // namespace cradle::conform
