// table(x, points): a curve through points, as a tree of choices among pieces. Each piece is a
// polynomial; where two meet, the choice is a relation, and a run locates it as everywhere.
//
//   linear   straight lines between the points
//   cubic    cubic Hermite pieces whose slopes keep monotone data monotone (F. N. Fritsch and
//            J. Butland, A method for constructing local monotone piecewise cubic interpolants,
//            1984)
//   held     each value up to the next point
//
// table2(x, y, points): over a grid, bilinear between four points. Points stand in the model or in
// a CSV file.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "cradle/instant.hpp"
#include "language/model/csv.hpp"
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

enum class Method { Linear, Cubic, Held };
enum class Extend { Hold, Linear, Error };

// What both kinds of table need.
class TableReader {
 public:
  TableReader(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span)
      : e_(e), context_(context), call_(call), span_(span) {}

 protected:
  static std::string word_of(const syntax::Expr& expr) {
    auto* path = std::get_if<syntax::PathExpr>(&expr.node);
    return path != nullptr && path->path.segments.size() == 1 ? path->path.segments[0].name.text
                                                              : std::string();
  }
  // Which of the words it is; the first, if nothing is said. Nothing, with a diagnostic, if it is
  // none of them.
  std::optional<std::size_t> choice(const syntax::Expr* expr, const std::string& name,
                                    const std::vector<std::string>& words) {
    if (expr == nullptr) return 0;
    const auto found = std::find(words.begin(), words.end(), word_of(*expr));
    if (found != words.end()) return found - words.begin();
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
      all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    report(Diagnostic("table.word",
                      e_.report.source_text(expr->span) + " is no " + name + " of a table")
               .at(expr->span)
               .help("write " + name + " = " + all));
    return std::nullopt;
  }
  std::optional<Extend> extend(const syntax::Expr* expr) {
    const auto chosen = choice(expr, "extend", {"hold", "linear", "error"});
    return chosen ? std::optional(static_cast<Extend>(*chosen)) : std::nullopt;
  }
  void report(Diagnostic diagnostic) {
    if (!context_.quiet) e_.report.add(std::move(diagnostic), context_.place);
  }
  bool report_all(const std::vector<Diagnostic>& found) {
    for (const Diagnostic& diagnostic : found) report(diagnostic);
    return found.empty();
  }

  bool read_number(const syntax::Expr& expr, const Value& number, double& out) {
    if (!is_of_kind(e_, context_, number, Value::Kind::Number, expr.span, "table")) return false;
    if (!number.constant) {
      report_not_constant(e_, context_.constants("a point of a table"), expr.span);
      return false;
    }
    out = e_.decide(number);
    return true;
  }
  bool argument(const syntax::Expr& expr, Value& x) {
    x = evaluate(e_, context_, expr);
    return is_of_kind(e_, context_, x, Value::Kind::Number, expr.span, call_.function.text);
  }

  Value number(Op op, const Value& a, const Value& b) { return combine(e_, op, a, b); }

  // Piece i from bounds[i − 1] to bounds[i], as a balanced tree.
  using Leaf = std::function<Value(std::size_t piece)>;
  Value choose(const Value& x, const std::vector<double>& bounds, const Leaf& leaf,
               std::size_t first, std::size_t last) {
    if (first == last) return leaf(first);
    const std::size_t middle = first + (last - first) / 2;
    const Value below = number(Op::Less, x, Value::number(bounds[middle]));
    const Value left = choose(x, bounds, leaf, first, middle);
    const Value right = choose(x, bounds, leaf, middle + 1, last);
    if (left.bad() || right.bad()) return {};
    if (below.constant) return e_.holds(below) ? left : right;
    return e_.value(e_.model.pool.conditional(below.expr, e_.node(left), e_.node(right)));
  }
  Value choose(const Value& x, const std::vector<double>& bounds, const Leaf& leaf) {
    return choose(x, bounds, leaf, 0, bounds.size());
  }

  Elaboration& e_;
  const Context& context_;
  const syntax::CallExpr& call_;
  Span span_;
};

const Value kNoValue = Value::number(std::numeric_limits<double>::quiet_NaN());

const syntax::StringLiteral* file_of(const syntax::Expr* expr) {
  return expr != nullptr ? std::get_if<syntax::StringLiteral>(&expr->node) : nullptr;
}

// The file of a table, read once. Null, with a diagnostic, if it cannot be read.
const Csv* csv_of(Elaboration& e, const Context& context, const syntax::Expr& expr, bool names) {
  const std::string& path = file_of(&expr)->value;
  const auto say = [&](Diagnostic diagnostic) {
    if (!context.quiet) e.report.add(std::move(diagnostic), context.place);
    return nullptr;
  };
  const std::string& importer = e.report.sources().file(expr.span.file).name;
  auto found = e.resolve && !path.empty() ? e.resolve(path, importer) : std::nullopt;
  if (!found) {
    return say(Diagnostic("table.file", "there is no file " + (path.empty() ? "\"\"" : path))
                   .at(expr.span, "read here")
                   .rule("the file of a table is looked up beside the file of the model that "
                         "names it"));
  }
  if (found->refused) {
    return say(Diagnostic("import.outside", path + " leads out of the folder of the models")
                   .at(expr.span, "read here")
                   .rule("with --root, only files below that folder are read, wherever links "
                         "point")
                   .help("copy the file into the folder, or choose a folder that holds both"));
  }
  const auto [known, is_new] = e.csv_files.try_emplace({found->name, names});
  CsvFile& file = known->second;
  if (is_new) {
    const int32_t id = e.sources.add(found->name, std::move(found->text));
    file.csv = read_csv(e.sources, id, names, file.found);
  }
  for (const Diagnostic& diagnostic : file.found) {
    say(Diagnostic(diagnostic).at(expr.span, "read here"));
  }
  return file.csv ? &*file.csv : nullptr;
}

class Curve : public TableReader {
 public:
  using TableReader::TableReader;

  Value read() {
    std::vector<const syntax::Expr*> arguments;
    if (!match_arguments(e_, context_, call_, span_, kNames, 2, arguments)) return {};
    const auto method = choice(arguments[2], "method", {"linear", "cubic", "held"});
    const auto outside = method ? extend(arguments[3]) : std::nullopt;
    Value x;
    std::vector<Point> points;
    if (!outside || !argument(*arguments[0], x)) return {};
    if (!read_points(*arguments[1], arguments[4], points)) return {};
    return curve(x, pieces(points, static_cast<Method>(*method)), points, *outside);
  }

  // The columns of x and y in the file of this table; nothing if there is none.
  struct Columns {
    const Csv* csv;
    std::size_t y;
  };
  std::optional<Columns> columns() {
    std::vector<const syntax::Expr*> arguments;
    if (!match_arguments(e_, context_, call_, span_, kNames, 2, arguments)) return std::nullopt;
    if (file_of(arguments[1]) == nullptr) return std::nullopt;
    const Csv* csv = csv_of(e_, context_, *arguments[1], true);
    std::size_t y = 0;
    if (csv == nullptr || !find_column(*csv, *arguments[1], arguments[4], y)) return std::nullopt;
    return Columns{csv, y};
  }

 private:
  inline static const std::vector<std::string_view> kNames = {"x", "points", "method", "extend",
                                                              "column"};

  void bad_points(Span span, const std::string& what) {
    report(Diagnostic("table.points", "the points of a table " + what)
               .at(span)
               .rule("a table has two or more points [x, y], with x rising")
               .help("write table(x, [[0, 1], [2, 5]])"));
  }

  bool read_points(const syntax::Expr& expr, const syntax::Expr* column,
                   std::vector<Point>& points) {
    if (file_of(&expr) != nullptr) return read_file(expr, column, points);
    if (column != nullptr) {
      report(Diagnostic("table.column", "only a file has columns")
                 .at(column->span)
                 .at(expr.span, "points that are no file")
                 .help("leave out column, or write the name of a file in quotes"));
      return false;
    }
    return read_list(expr, points);
  }

  bool read_list(const syntax::Expr& expr, std::vector<Point>& points) {
    const Value list = evaluate(e_, context_.constants("a point of a table"), expr);
    if (list.bad()) return false;
    if (list.kind != Value::Kind::List) return bad_points(expr.span, "are a list"), false;
    for (const Value& item : *list.items) {
      const bool pair = item.kind == Value::Kind::List && item.items->size() == 2;
      if (!pair) return bad_points(expr.span, "are pairs"), false;
      double both[2];
      for (std::size_t i = 0; i < 2; ++i) {
        if (!read_number(expr, (*item.items)[i], both[i])) return false;
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

  bool read_file(const syntax::Expr& expr, const syntax::Expr* column, std::vector<Point>& points) {
    const Csv* csv = csv_of(e_, context_, expr, true);
    std::size_t y = 0;
    if (csv == nullptr || !find_column(*csv, expr, column, y)) return false;
    if (!e_.spend(static_cast<int64_t>(csv->rows.size()), expr.span, context_.place)) return false;
    std::vector<Diagnostic> found;
    for (const std::vector<CsvField>& row : csv->rows) {
      const auto x_value = csv_number(row[0], csv->columns[0].unit, found);
      const auto y_value = csv_number(row[y], csv->columns[y].unit, found);
      if (!x_value || !y_value) return report_all(found);
      if (!points.empty() && !(points.back().x < *x_value)) {
        bad_points(row[0].span, "have their x in rising order; behind " +
                                    format_number(points.back().x) + " comes " +
                                    format_number(*x_value));
        return false;
      }
      points.push_back({*x_value, *y_value});
    }
    if (points.size() < 2) return bad_points(expr.span, "are two or more"), false;
    return true;
  }

  bool find_column(const Csv& csv, const syntax::Expr& file, const syntax::Expr* column,
                   std::size_t& out) {
    const std::size_t count = csv.columns.size();
    std::string known;
    for (std::size_t i = 1; i < count; ++i) {
      const std::string& name = csv.columns[i].name.text;
      known += (i == 1 ? "" : ", ") + (name.empty() ? std::to_string(i + 1) : "\"" + name + "\"");
    }
    const auto refuse = [&](const std::string& message, Span span, const std::string& help) {
      Diagnostic diagnostic("table.column", message);
      diagnostic.at(span);
      if (!known.empty()) diagnostic.note("known", known);
      report(diagnostic.rule("the first column is x, and one of the others is read").help(help));
      return false;
    };
    if (count < 2) return refuse("the file has one column", file.span, "write two: x, y");
    if (column == nullptr) {
      out = 1;
      return count == 2 || refuse("the file has " + std::to_string(count) + " columns", file.span,
                                  "say which: column = 2, or column = \"its name\"");
    }
    if (const auto* name = file_of(column)) {
      for (std::size_t i = 1; i < count; ++i) {
        if (csv.columns[i].name.text != name->value) continue;
        const bool twice =
            std::any_of(csv.columns.begin() + static_cast<std::ptrdiff_t>(i) + 1, csv.columns.end(),
                        [&](const CsvColumn& other) { return other.name.text == name->value; });
        if (twice) break;
        out = i;
        return true;
      }
      return refuse("there is not one column " + name->value + " besides that of x", column->span,
                    "name one of the columns");
    }
    const auto number = constant_integer(e_, context_, *column, "the column of a table");
    if (!number) return false;
    if (*number < 2 || *number > static_cast<int64_t>(count)) {
      return refuse("there is no column " + std::to_string(*number) + " besides that of x",
                    column->span, "give a number from 2 to " + std::to_string(count));
    }
    out = static_cast<std::size_t>(*number) - 1;
    return true;
  }

  static std::vector<Piece> pieces(const std::vector<Point>& p, Method method) {
    const std::size_t n = p.size();
    std::vector<double> h, steep;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      h.push_back(p[i + 1].x - p[i].x);
      steep.push_back((p[i + 1].y - p[i].y) / h[i]);
    }
    std::vector<Piece> out;
    if (method == Method::Held) {
      for (std::size_t i = 0; i + 1 < n; ++i) out.push_back({p[i].x, p[i].y, 0, 0, 0});
      return out;
    }
    if (method == Method::Linear || n == 2) {
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

  Value value_of(const Piece& piece, const Value& x) {
    if (piece.a == 0 && piece.b == 0 && piece.c == 0) return Value::number(piece.y0);
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

  Value curve(const Value& x, const std::vector<Piece>& pieces, const std::vector<Point>& points,
              Extend extend) {
    std::vector<Value> values;
    std::vector<double> bounds;
    const Point& front = points.front();
    const Point& back = points.back();
    if (extend != Extend::Linear) {
      values.push_back(extend == Extend::Hold ? Value::number(front.y) : kNoValue);
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
      values.push_back(kNoValue);
      bounds.push_back(std::nextafter(back.x, std::numeric_limits<double>::infinity()));
    } else if (last.b != 0 || last.c != 0) {
      const double h = back.x - last.x0;
      const double slope = last.a + 2 * last.b * h + 3 * last.c * h * h;
      values.push_back(value_of({back.x, back.y, slope, 0, 0}, x));
      bounds.push_back(back.x);
    }
    return choose(x, bounds, [&](std::size_t i) { return values[i]; });
  }
};

// A piece of an axis: a cell, and how far into it: measured, or fixed where the table is extended.
struct Stretch {
  std::size_t cell = 0;
  std::optional<double> fixed = std::nullopt;
  bool outside = false;  // there is no value
};

struct Axis {
  std::vector<double> at;
  std::vector<Stretch> stretches;
  std::vector<double> bounds;  // between stretches

  double width(std::size_t cell) const { return at[cell + 1] - at[cell]; }

  void cut(Extend extend) {
    const std::size_t cells = at.size() - 1;
    const bool wider = extend != Extend::Linear;
    if (wider) stretches.push_back({0, 0.0, extend == Extend::Error}), bounds.push_back(at.front());
    for (std::size_t i = 0; i < cells; ++i) {
      stretches.push_back({i});
      if (i + 1 < cells) bounds.push_back(at[i + 1]);
    }
    if (!wider) return;
    const bool last = extend == Extend::Error;  // there is a value on the border
    bounds.push_back(last ? std::nextafter(at.back(), std::numeric_limits<double>::infinity())
                          : at.back());
    stretches.push_back({cells - 1, width(cells - 1), last});
  }
};

class Surface : public TableReader {
 public:
  using TableReader::TableReader;

  Value read() {
    std::vector<const syntax::Expr*> arguments;
    if (!match_arguments(e_, context_, call_, span_, {"x", "y", "points", "extend"}, 3, arguments))
      return {};
    const auto outside = extend(arguments[3]);
    Value x, y;
    if (!outside || !argument(*arguments[0], x) || !argument(*arguments[1], y)) return {};
    if (!read_grid(*arguments[2])) return {};
    const auto size = static_cast<int64_t>(x_.at.size() * y_.at.size());
    if (!e_.spend(size, span_, context_.place)) return {};
    x_.cut(*outside);
    y_.cut(*outside);
    return choose(x, x_.bounds, [&](std::size_t i) {
      return choose(y, y_.bounds,
                    [&](std::size_t j) { return cell(x, x_.stretches[i], y, y_.stretches[j]); });
    });
  }

 private:
  void bad_grid(Span span, const std::string& what) {
    report(Diagnostic("table.grid", what)
               .at(span)
               .rule("the first row of a grid has y from its second item on, the first column x "
                     "from its second row on, both rising, and the rest are values")
               .help("write table2(x, y, [[0, y1, y2], [x1, 1, 2], [x2, 3, 4]])"));
  }

  bool read_grid(const syntax::Expr& expr) {
    std::vector<std::vector<double>> rows;
    std::vector<std::vector<Span>> spans;
    const bool read =
        file_of(&expr) != nullptr ? read_file(expr, rows, spans) : read_list(expr, rows, spans);
    if (!read) return false;
    if (rows.size() < 3 || rows[0].size() < 3) {
      return bad_grid(expr.span, "a grid has two or more x and y"), false;
    }
    for (std::size_t j = 1; j < rows[0].size(); ++j) {
      if (!add(y_, rows[0][j], "y", spans[0][j])) return false;
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (!add(x_, rows[i][0], "x", spans[i][0])) return false;
      values_.emplace_back(rows[i].begin() + 1, rows[i].end());
    }
    return true;
  }
  bool add(Axis& axis, double at, const std::string& name, Span span) {
    if (axis.at.empty() || axis.at.back() < at) return axis.at.push_back(at), true;
    bad_grid(span, name + " is not rising: behind " + format_number(axis.at.back()) + " comes " +
                       format_number(at));
    return false;
  }

  bool read_list(const syntax::Expr& expr, std::vector<std::vector<double>>& rows,
                 std::vector<std::vector<Span>>& spans) {
    const Value list = evaluate(e_, context_.constants("a point of a table"), expr);
    if (list.bad()) return false;
    if (list.kind != Value::Kind::List) return bad_grid(expr.span, "a grid is a list"), false;
    for (const Value& item : *list.items) {
      const bool fits =
          item.kind == Value::Kind::List && (rows.empty() || item.items->size() == rows[0].size());
      if (!fits) return bad_grid(expr.span, "the rows of a grid are lists of one length"), false;
      std::vector<double>& row = rows.emplace_back(item.items->size());
      spans.emplace_back(row.size(), expr.span);
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!read_number(expr, (*item.items)[i], row[i])) return false;
        if (!std::isfinite(row[i])) return bad_grid(expr.span, "a grid is finite"), false;
      }
    }
    return true;
  }

  bool read_file(const syntax::Expr& expr, std::vector<std::vector<double>>& rows,
                 std::vector<std::vector<Span>>& spans) {
    const Csv* csv = csv_of(e_, context_, expr, false);
    if (csv == nullptr) return false;
    std::vector<Diagnostic> found;
    for (const std::vector<CsvField>& fields : csv->rows) {
      std::vector<double>& row = rows.emplace_back();
      std::vector<Span>& places = spans.emplace_back();
      for (const CsvField& field : fields) {
        const bool corner = rows.size() == 1 && row.empty();
        const auto value = corner ? std::optional(0.0) : csv_number(field, std::nullopt, found);
        if (!value) return report_all(found);
        row.push_back(*value);
        places.push_back(field.span);
      }
    }
    return true;
  }

  Value distance(const Value& x, const Axis& axis, const Stretch& stretch) {
    return stretch.fixed ? Value::number(*stretch.fixed)
                         : number(Op::Sub, x, Value::number(axis.at[stretch.cell]));
  }

  // z + a·u + b·v + c·u·v, with u and v from the corner of the cell.
  Value cell(const Value& x, const Stretch& i, const Value& y, const Stretch& j) {
    if (i.outside || j.outside) return kNoValue;
    const double z = values_[i.cell][j.cell];
    const double over_x = values_[i.cell + 1][j.cell], over_y = values_[i.cell][j.cell + 1];
    const double across = values_[i.cell + 1][j.cell + 1];
    const double h = x_.width(i.cell), k = y_.width(j.cell);
    const Value u = distance(x, x_, i), v = distance(y, y_, j);
    const auto times = [&](double factor, const Value& value) {
      return number(Op::Mul, Value::number(factor), value);
    };
    const Value along_y = number(Op::Add, Value::number(z), times((over_y - z) / k, v));
    const Value slope = number(Op::Add, Value::number((over_x - z) / h),
                               times(((across - over_x) - (over_y - z)) / (h * k), v));
    return number(Op::Add, along_y, number(Op::Mul, slope, u));
  }

  Axis x_, y_;
  std::vector<std::vector<double>> values_;  // by x, then by y
};

}  // namespace

Value call_table(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  return Curve(e, context, call, span).read();
}

Value call_table2(Elaboration& e, const Context& context, const syntax::CallExpr& call, Span span) {
  return Surface(e, context, call, span).read();
}

TableUnits units_of_table(Elaboration& e, const Context& context, const syntax::CallExpr& call) {
  Context quiet = context;
  quiet.quiet = true;
  const auto columns = Curve(e, quiet, call, {}).columns();
  if (!columns) return {};
  return {columns->csv->columns[0].unit, columns->csv->columns[columns->y].unit};
}

}  // namespace cradle::model
