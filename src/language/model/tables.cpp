// table(x, points): a curve through points, as a tree of choices among pieces. Each piece is a
// polynomial; where two meet, the choice is a relation, and a run locates it as everywhere.
//
//   linear   straight lines between the points
//   cubic    cubic Hermite pieces whose slopes keep monotone data monotone (F. N. Fritsch and
//            J. Butland, A method for constructing local monotone piecewise cubic interpolants,
//            1984)

#include <algorithm>
#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"

namespace cradle::model {

using expr::Op;

namespace {

struct Point {
  double x, y;
};

// y₀ + a·d + b·d² + c·d³ with d = x − x₀.
struct Piece {
  double x0, y0, a, b, c;
};

enum class Extend { Hold, Linear, Error };

class TableReader {
 public:
  TableReader(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span)
      : e_(e), context_(context), call_(call), span_(span) {}

  Value read() {
    std::vector<const syntax::Expr*> arguments;
    if (!match_arguments(e_, context_, call_, span_, {"x", "points", "method", "extend"}, 2,
                         arguments)) {
      return {};
    }
    bool cubic = false;
    Extend extend = Extend::Hold;
    if (arguments[2] != nullptr) {
      const std::string word = word_of(*arguments[2]);
      cubic = word == "cubic";
      if (!cubic && word != "linear") return bad_word(*arguments[2], "method", "linear or cubic");
    }
    if (arguments[3] != nullptr) {
      const std::string word = word_of(*arguments[3]);
      extend = word == "linear" ? Extend::Linear : word == "error" ? Extend::Error : Extend::Hold;
      if (extend == Extend::Hold && word != "hold") {
        return bad_word(*arguments[3], "extend", "hold, linear or error");
      }
    }
    const Value x = evaluate(e_, context_, *arguments[0]);
    if (!is_of_kind(e_, context_, x, Value::Kind::Number, arguments[0]->span, "table")) return {};
    std::vector<Point> points;
    if (!read_points(*arguments[1], points)) return {};
    return curve(x, pieces(points, cubic), points, extend);
  }

 private:
  static std::string word_of(const syntax::Expr& expr) {
    auto* path = std::get_if<syntax::PathExpr>(&expr.node);
    return path != nullptr && path->path.segments.size() == 1 ? path->path.segments[0].name.text
                                                              : std::string();
  }
  Value bad_word(const syntax::Expr& expr, const std::string& name, const std::string& words) {
    report(Diagnostic("table.word",
                      e_.report.source_text(expr.span) + " is no " + name + " of a table")
               .at(expr.span)
               .help("write " + name + " = " + words));
    return {};
  }
  void report(Diagnostic diagnostic) {
    if (!context_.quiet) e_.report.add(std::move(diagnostic), context_.place);
  }
  void bad_points(Span span, const std::string& what) {
    report(Diagnostic("table.points", "the points of a table " + what)
               .at(span)
               .rule("a table has two or more points [x, y], with x rising")
               .help("write table(x, [[0, 1], [2, 5]])"));
  }

  bool read_points(const syntax::Expr& expr, std::vector<Point>& points) {
    const Value list = evaluate(e_, context_.constants("a point of a table"), expr);
    if (list.bad()) return false;
    if (list.kind != Value::Kind::List) return bad_points(expr.span, "are a list"), false;
    for (const Value& item : *list.items) {
      const bool pair = item.kind == Value::Kind::List && item.items->size() == 2;
      if (!pair) return bad_points(expr.span, "are pairs"), false;
      double both[2];
      for (std::size_t i = 0; i < 2; ++i) {
        const Value& number = (*item.items)[i];
        if (!is_of_kind(e_, context_, number, Value::Kind::Number, expr.span, "table"))
          return false;
        if (!number.constant) {
          report_not_constant(e_, context_.constants("a point of a table"), expr.span);
          return false;
        }
        both[i] = e_.decide(number);
        if (!std::isfinite(both[i])) return bad_points(expr.span, "are finite"), false;
      }
      points.push_back({both[0], both[1]});
    }
    if (points.size() < 2) return bad_points(expr.span, "are two or more"), false;
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (points[i - 1].x < points[i].x) continue;
      bad_points(expr.span, "have their x in rising order; behind " +
                                format_number(points[i - 1].x) + " comes " +
                                format_number(points[i].x));
      return false;
    }
    return true;
  }

  static std::vector<Piece> pieces(const std::vector<Point>& p, bool cubic) {
    const std::size_t n = p.size();
    std::vector<double> h, steep;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      h.push_back(p[i + 1].x - p[i].x);
      steep.push_back((p[i + 1].y - p[i].y) / h[i]);
    }
    std::vector<Piece> out;
    if (!cubic || n == 2) {
      for (std::size_t i = 0; i + 1 < n; ++i) out.push_back({p[i].x, p[i].y, steep[i], 0, 0});
      return out;
    }
    std::vector<double> slope(n);
    for (std::size_t i = 1; i + 1 < n; ++i) {
      if (steep[i - 1] * steep[i] <= 0) continue;
      const double w1 = 2 * h[i] + h[i - 1], w2 = h[i] + 2 * h[i - 1];
      slope[i] = (w1 + w2) / (w1 / steep[i - 1] + w2 / steep[i]);
    }
    slope[0] = end_slope(h[0], h[1], steep[0], steep[1]);
    slope[n - 1] = end_slope(h[n - 2], h[n - 3], steep[n - 2], steep[n - 3]);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double b = (3 * steep[i] - 2 * slope[i] - slope[i + 1]) / h[i];
      const double c = (slope[i] + slope[i + 1] - 2 * steep[i]) / (h[i] * h[i]);
      out.push_back({p[i].x, p[i].y, slope[i], b, c});
    }
    return out;
  }

  // Of three points, kept from turning round.
  static double end_slope(double h0, double h1, double d0, double d1) {
    const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (slope * d0 <= 0) return 0;
    return d0 * d1 <= 0 && std::abs(slope) > 3 * std::abs(d0) ? 3 * d0 : slope;
  }

  Value number(Op op, const Value& a, const Value& b) { return combine(e_, op, a, b); }

  Value value_of(const Piece& piece, const Value& x) {
    const Value d = number(Op::Sub, x, Value::number(piece.x0));
    Value sum = Value::number(piece.a);
    if (piece.b != 0 || piece.c != 0) {
      Value inner = Value::number(piece.b);
      if (piece.c != 0) {
        inner = number(Op::Add, inner, number(Op::Mul, Value::number(piece.c), d));
      }
      sum = number(Op::Add, sum, number(Op::Mul, inner, d));
    }
    return number(Op::Add, Value::number(piece.y0), number(Op::Mul, sum, d));
  }

  // Piece i from bounds[i − 1] to bounds[i], as a balanced tree.
  Value choose(const Value& x, const std::vector<Value>& values, const std::vector<double>& bounds,
               std::size_t first, std::size_t last) {
    if (first == last) return values[first];
    const std::size_t middle = first + (last - first) / 2;
    const Value below = number(Op::Less, x, Value::number(bounds[middle]));
    const Value left = choose(x, values, bounds, first, middle);
    const Value right = choose(x, values, bounds, middle + 1, last);
    if (below.constant) return e_.holds(below) ? left : right;
    return e_.value(e_.model.pool.conditional(below.expr, e_.node(left), e_.node(right)));
  }

  Value curve(const Value& x, const std::vector<Piece>& pieces, const std::vector<Point>& points,
              Extend extend) {
    std::vector<Value> values;
    std::vector<double> bounds;
    const Point& front = points.front();
    const Point& back = points.back();
    const Value outside = Value::number(std::numeric_limits<double>::quiet_NaN());
    if (extend != Extend::Linear) {
      values.push_back(extend == Extend::Hold ? Value::number(front.y) : outside);
      bounds.push_back(front.x);
    } else if (pieces.front().b != 0 || pieces.front().c != 0) {
      values.push_back(value_of({front.x, front.y, pieces.front().a, 0, 0}, x));
      bounds.push_back(front.x);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      values.push_back(value_of(pieces[i], x));
      if (i + 1 < pieces.size()) bounds.push_back(points[i + 1].x);
    }
    const Piece& last = pieces.back();
    if (extend == Extend::Hold) {
      values.push_back(Value::number(back.y));
      bounds.push_back(back.x);
    } else if (extend == Extend::Error) {
      values.push_back(outside);
      bounds.push_back(std::nextafter(back.x, std::numeric_limits<double>::infinity()));
    } else if (last.b != 0 || last.c != 0) {
      const double h = back.x - last.x0;
      const double slope = last.a + 2 * last.b * h + 3 * last.c * h * h;
      values.push_back(value_of({back.x, back.y, slope, 0, 0}, x));
      bounds.push_back(back.x);
    }
    return choose(x, values, bounds, 0, values.size() - 1);
  }

  Elaboration& e_;
  const Context& context_;
  const syntax::CallExpr& call_;
  Span span_;
};

}  // namespace

Value call_table(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  return TableReader(e, context, call, span).read();
}

}  // namespace cradle::model
