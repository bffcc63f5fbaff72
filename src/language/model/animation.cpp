// animate { … }: shapes whose places and sizes are expressions. They are read behind everything
// else and make nothing new, so that a model runs the same with them and without.

#include <algorithm>
#include <array>
#include <cmath>

#include "cradle/instant.hpp"
#include "language/model/looking.hpp"

namespace cradle::model {

namespace {

// Okabe and Ito's colours, which colour-blind people tell apart, and grey.
constexpr std::array<std::string_view, 9> kColours = {
    "black", "orange", "sky", "green", "yellow", "blue", "vermilion", "purple", "grey"};

class ShapeReader {
 public:
  ShapeReader(Elaboration& e, const ShapeSource& source)
      : e_(e), source_(source), context_(source.place), owner_{&source.name, {}} {
    context_.owner = &owner_;
  }

  void read() {
    using Kind = syntax::Shape::Kind;
    const syntax::Shape& syntax = *source_.syntax;
    shape_.kind = static_cast<Shape::Kind>(syntax.kind);
    shape_.name = source_.name;
    shape_.span = owner_.span = syntax.name.name.span;
    shape_.label = syntax.label;
    shape_.region = source_.place.scope->region;
    const bool line = syntax.kind == Kind::Line;
    point(syntax.at, line ? "from" : "at", "x", "y", false);
    if (line) point(syntax.end, "to", "x2", "y2", false);
    if (syntax.kind == Kind::Box) point(syntax.end, "size", "width", "height", true);
    if (syntax.radius) number("radius", value(*syntax.radius), syntax.radius->span, true);
    if (syntax.angle) number("angle", value(*syntax.angle), syntax.angle->span, false);
    if (syntax.when) condition(*syntax.when);
    colour(syntax.fill);
    if (bad_) return;
    shape_.visible = visible();
    e_.model.animation.push_back(std::move(shape_));
  }

 private:
  Value value(const syntax::Expr& expr) {
    return evaluate_looking(e_, context_, expr, "animate", "drawn", "draw that");
  }

  void number(const std::string& role, const Value& value, Span span, bool size) {
    const std::string user = role + " of " + source_.name;
    const ExprId node = expect(e_, context_, value, Value::Kind::Number, span, user);
    if (!node.valid()) {
      bad_ = true;
      return;
    }
    const auto kind = size ? Decision::Kind::Sign : Decision::Kind::Finite;
    const double now = value.constant ? e_.decide(value, kind) : 0;
    if (!std::isfinite(now) || (size && now < 0)) {
      e_.report.add(Diagnostic("animate.value", user + " is " + format_number(now))
                        .at(span, format_number(now))
                        .rule("places and sizes are finite, and sizes are not negative"),
                    context_.place);
      bad_ = true;
    }
    shape_.parts.push_back({role, node, span});
  }

  // A pair of numbers, or a vector of two.
  void point(const syntax::Point& point, const std::string& word, const std::string& first,
             const std::string& second, bool size) {
    if (!point.x) {
      bad_ = true;
      return;
    }
    if (point.y) {
      number(first, value(*point.x), point.x->span, size);
      number(second, value(*point.y), point.y->span, size);
      return;
    }
    const Value both = value(*point.x);
    bad_ |= both.bad();
    if (both.bad()) return;
    if (both.kind != Value::Kind::List || both.items->size() != 2) {
      e_.report.add(
          Diagnostic("animate.point", word + " of " + source_.name + " needs two numbers")
              .at(point.x->span, both.kind == Value::Kind::List
                                     ? std::to_string(both.items->size()) + " items"
                                     : noun(both.kind))
              .help("write " + word + " (" + first + ", " + second + "), or a vector of two"),
          context_.place);
      bad_ = true;
      return;
    }
    number(first, (*both.items)[0], point.x->span, size);
    number(second, (*both.items)[1], point.x->span, size);
  }

  void condition(const syntax::Expr& expr) {
    const Value holds = value(expr);
    const ExprId node =
        expect(e_, context_, holds, Value::Kind::Boolean, expr.span, "when of " + source_.name);
    bad_ |= !node.valid();
    if (!holds.constant || !e_.holds(holds)) shape_.when = node;
  }

  void colour(const syntax::Name& fill) {
    shape_.fill = fill.text;
    if (fill.text.empty() ||
        std::find(kColours.begin(), kColours.end(), fill.text) != kColours.end()) {
      return;
    }
    std::string all;
    for (std::string_view name : kColours) all += (all.empty() ? "" : ", ") + std::string(name);
    Diagnostic diagnostic("animate.colour", "there is no colour " + fill.text);
    diagnostic.at(fill.span).rule("colours are " + all);
    const std::string near = meant_by(fill.text);
    if (!near.empty()) diagnostic.help("write fill " + near);
    e_.report.add(std::move(diagnostic), context_.place);
    bad_ = true;
  }

  // The nearest of them: by its name, or as others call it.
  static std::string meant_by(const std::string& word) {
    constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"red", "vermilion"}, {"pink", "purple"},  {"magenta", "purple"}, {"violet", "purple"},
        {"gray", "grey"},     {"white", "grey"},   {"cyan", "sky"},       {"lightblue", "sky"},
        {"brown", "orange"},  {"turquoise", "sky"}};
    for (const auto& [name, meant] : others) {
      if (word == name) return std::string(meant);
    }
    return suggest(word, {kColours.begin(), kColours.end()});
  }

  // What stands in a mode is drawn while that is active.
  ExprId visible() {
    if (!shape_.region.valid()) return shape_.when;
    const ExprId active = e_.active(shape_.region);
    return shape_.when.valid() ? e_.model.pool.binary(expr::Op::And, active, shape_.when) : active;
  }

  Elaboration& e_;
  const ShapeSource& source_;
  Context context_;
  Owner owner_;
  Shape shape_;
  bool bad_ = false;
};

}  // namespace

void define_animation(Elaboration& e) {
  e.model.drawing_begins = e.model.pool.size();
  const auto equalities = static_cast<std::ptrdiff_t>(e.equalities.size());
  for (const ShapeSource& source : e.shapes) {
    if (e.stopped) return;
    ShapeReader(e, source).read();
  }
  // Nothing waits for these to become true.
  e.equalities.erase(e.equalities.begin() + equalities, e.equalities.end());
}

}  // namespace cradle::model
