#include "theory/hypa/energy.hpp"

#include <optional>

namespace cradle::hypa {
namespace {

using expr::Op;

constexpr int kMaxDegree = 16;
constexpr int kMaxPieces = 64;

// (c₀ + c₁·x + …) / denominator, coefficients free of x.
struct Polynomial {
  std::vector<ExprId> c;
  ExprId denominator;
};

class Integrator {
 public:
  explicit Integrator(Vocabulary& v) : pool_(v.pool), v_(v), x_(v.pool.leaf(Op::Local, 0)) {}

  ExprId integral(ExprId law, ExprId from, ExprId to) {
    if (auto polynomial = read(law)) return definite(*polynomial, from, to);
    pieces_ = 0;
    if (ExprId whole = antiderivative(law); whole.valid()) {
      return sub(pool_.substitute(whole, {to}), pool_.substitute(whole, {from}));
    }
    return pool_.integral(from, to, law);
  }

 private:
  bool depends(ExprId e) const {
    for (ExprId leaf : pool_.leaves(e)) {
      if (leaf == x_) return true;
    }
    return false;
  }
  ExprId add(ExprId a, ExprId b) { return pool_.binary(Op::Add, a, b); }
  ExprId sub(ExprId a, ExprId b) { return pool_.binary(Op::Sub, a, b); }
  ExprId mul(ExprId a, ExprId b) { return pool_.binary(Op::Mul, a, b); }
  ExprId div(ExprId a, ExprId b) { return pool_.binary(Op::Div, a, b); }
  ExprId one() { return pool_.constant(1); }
  ExprId zero() { return pool_.constant(0); }
  bool is_zero(ExprId e) const { return pool_.is_constant(e) && pool_.constant_value(e) == 0; }

  std::optional<Polynomial> read(ExprId e) {
    const expr::Node node = pool_[e];
    if (!depends(e)) return Polynomial{{e}, one()};
    if (e == x_) return Polynomial{{zero(), one()}, one()};
    switch (node.op) {
      case Op::Neg: {
        auto a = read(node.a);
        if (a) {
          for (ExprId& c : a->c) c = pool_.unary(Op::Neg, c);
        }
        return a;
      }
      case Op::Add:
      case Op::Sub:
        return sum(read(node.a), read(node.b), node.op);
      case Op::Mul:
        return product(read(node.a), read(node.b));
      case Op::Div: {
        auto a = read(node.a);
        if (!a || depends(node.b)) return std::nullopt;
        a->denominator = mul(a->denominator, node.b);
        return a;
      }
      case Op::Pow: {
        if (!pool_.is_constant(node.b)) return std::nullopt;
        const double exponent = pool_.constant_value(node.b);
        if (exponent < 0 || exponent > kMaxDegree || exponent != static_cast<int>(exponent)) {
          return std::nullopt;
        }
        std::optional<Polynomial> result = Polynomial{{one()}, one()}, base = read(node.a);
        for (int i = 0; i < static_cast<int>(exponent); ++i) result = product(result, base);
        return result;
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<Polynomial> sum(std::optional<Polynomial> a, std::optional<Polynomial> b, Op op) {
    if (!a || !b) return std::nullopt;
    if (a->denominator != b->denominator) {
      for (ExprId& c : a->c) c = mul(c, b->denominator);
      for (ExprId& c : b->c) c = mul(c, a->denominator);
      a->denominator = mul(a->denominator, b->denominator);
    }
    a->c.resize(std::max(a->c.size(), b->c.size()), zero());
    for (std::size_t i = 0; i < b->c.size(); ++i) a->c[i] = pool_.binary(op, a->c[i], b->c[i]);
    return a;
  }

  std::optional<Polynomial> product(const std::optional<Polynomial>& a,
                                    const std::optional<Polynomial>& b) {
    if (!a || !b || a->c.size() + b->c.size() > kMaxDegree + 2) return std::nullopt;
    Polynomial result{std::vector<ExprId>(a->c.size() + b->c.size() - 1, zero()),
                      mul(a->denominator, b->denominator)};
    for (std::size_t i = 0; i < a->c.size(); ++i) {
      for (std::size_t j = 0; j < b->c.size(); ++j) {
        if (is_zero(a->c[i]) || is_zero(b->c[j])) continue;
        result.c[i + j] = add(result.c[i + j], mul(a->c[i], b->c[j]));
      }
    }
    return result;
  }

  ExprId power(ExprId x, std::size_t n) {
    return n == 1 ? x : pool_.binary(Op::Pow, x, pool_.constant(static_cast<double>(n)));
  }

  // Σ cᵢ·(toⁱ⁺¹ − fromⁱ⁺¹) / ((i+1)·denominator)
  ExprId definite(const Polynomial& p, ExprId from, ExprId to) {
    if (from == to) return zero();
    ExprId total;
    for (std::size_t i = 0; i < p.c.size(); ++i) {
      if (is_zero(p.c[i])) continue;
      ExprId term = sub(power(to, i + 1), power(from, i + 1));
      term = mul(p.c[i], term);
      term = div(term, mul(pool_.constant(static_cast<double>(i + 1)), p.denominator));
      total = total.valid() ? add(total, term) : term;
    }
    return total.valid() ? total : zero();
  }

  // A function whose slope is the law; continuous, also where pieces meet. Invalid: none found.
  ExprId antiderivative(ExprId law) {
    if (auto polynomial = read(law)) return definite(*polynomial, zero(), x_);
    if (++pieces_ > kMaxPieces) return {};
    const ExprId border = first_border(law);
    if (!border.valid()) return {};
    const std::optional<ExprId> place = root(border);
    if (!place) return {};
    auto as = [&](bool truth) {
      const ExprId piece = v_.replace(law, [&](ExprId id) { return decided(id, border, truth); });
      const ExprId whole = antiderivative(piece);
      return whole.valid() ? sub(whole, pool_.substitute(whole, {*place})) : whole;
    };
    const ExprId yes = as(true), no = as(false);
    return yes.valid() && no.valid() ? pool_.conditional(border, yes, no) : ExprId();
  }

  // A comparison on which a piece of the law depends: of an if, or of abs, min, max, sign.
  ExprId first_border(ExprId law) {
    for (ExprId id : pool_.below(law)) {
      const expr::Node node = pool_[id];
      if (!depends(id)) continue;
      if (node.op == Op::Less || node.op == Op::LessEqual) return id;
      if (ExprId border = border_of(node); border.valid()) return border;
    }
    return {};
  }
  ExprId border_of(const expr::Node& node) {
    if (node.op == Op::Abs || node.op == Op::Sign) return pool_.binary(Op::Less, node.a, zero());
    if (node.op == Op::Min || node.op == Op::Max) return pool_.binary(Op::Less, node.a, node.b);
    return {};
  }

  // What a node is where the border is known to be true or false; invalid: not decided by it.
  ExprId decided(ExprId id, ExprId border, bool truth) {
    const expr::Node node = pool_[id];
    if (id == border) return pool_.boolean(truth);
    if (!depends(id) || border_of(node) != border) return {};
    switch (node.op) {
      case Op::Abs:
        return truth ? pool_.unary(Op::Neg, node.a) : node.a;
      case Op::Sign:
        return pool_.constant(truth ? -1 : 1);
      case Op::Min:
        return truth ? node.a : node.b;
      default:
        return truth ? node.b : node.a;
    }
  }

  // Where both sides of a comparison meet, if their difference is linear in x.
  std::optional<ExprId> root(ExprId border) {
    const expr::Node node = pool_[border];
    auto difference = read(sub(node.a, node.b));
    if (!difference || difference->c.size() != 2) return std::nullopt;
    const ExprId slope = difference->c[1];
    if (!pool_.is_constant(slope) || is_zero(slope)) return std::nullopt;
    return div(pool_.unary(Op::Neg, difference->c[0]), slope);
  }

  expr::Pool& pool_;
  Vocabulary& v_;
  ExprId x_;
  int pieces_ = 0;
};

}  // namespace

ExprId energy_integral(Vocabulary& v, ExprId law, ExprId from, ExprId to) {
  return Integrator(v).integral(law, from, to);
}

}  // namespace cradle::hypa
