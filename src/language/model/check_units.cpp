// Units: does everything that is added, compared, tied together or given to an element have the
// dimension that it needs? The text is read again for that, with all names resolved. Nothing that
// runs knows of it: units are gone when a model is built, but for how its columns are called.
//
// A number without a unit adapts to what stands beside it: v + 1, R r(100). As a factor it is a
// pure number: v + 2 * i is no voltage. A factor in a law, or in the argument of sin or exp, may
// stand for any constant, and adapts, too.

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "language/model/dimensions.hpp"
#include "language/model/expressions.hpp"

namespace cradle::model {

namespace {

using syntax::BinaryOp;
using units::Fraction;

struct Quantity {
  bool adapts = true;   // a plain number, a truth, nothing: it has whatever dimension is needed
  bool factor = false;  // a plain number multiplies all of it
  Powers powers;
  bool list = false;
  std::vector<Quantity> items;

  static Quantity of(Powers powers) { return {false, false, std::move(powers), false, {}}; }
  static Quantity of(std::vector<Quantity> items) {
    return {true, false, {}, true, std::move(items)};
  }
};

struct Network {
  int effort = -1, flow = -1;
  Span span;  // of its first bond
};

std::string called(const Powers& settled) {
  const std::string name = units::name(settled.known);
  if (!settled.unknown.empty())
    return name.empty() ? "something unknown" : name + " times something";
  return name.empty() ? "a pure number" : name;
}

class UnitChecker {
 public:
  explicit UnitChecker(Elaboration& e) : e_(e) {}

  void check() {
    make_networks();
    for (std::size_t i = 0; i < e_.model.signals.size(); ++i) signals_.push_back(d_.add());
    for (const ParameterSource& source : e_.parameter_sources) parameter(source);
    for (const Requirement& each : e_.requirements) of(Context(each.place), *each.condition);
    // Sources first: what they say of a network the others are held against.
    for (const bool sources : {true, false}) {
      for (std::size_t i = 0; i < e_.model.elements.size(); ++i) element(ElementId(i), sources);
    }
    for (std::size_t i = 0; i < e_.signal_sources.size(); ++i) signal(SignalId(i));
    for (const ModalSource& source : e_.modals) modal(source);
    for (const JunctionSource& source : e_.junction_sources) guards(source);
    for (const Enabling& each : e_.enablings) of(Context(each.place), *each.condition);
    for (const AssertionSource& each : e_.assertions) {
      of(Context(each.place), *each.syntax->condition);
    }
    for (const Deferred& each : e_.untils) until(each);
    for (const Deferred& each : e_.shows) show(each);
    for (const Network& network : networks_) power(network);
    name_units();
  }

 private:
  // ---- what is tied together ----

  void make_networks() {
    const Model& m = e_.model;
    std::vector<std::size_t> first(m.bonds.size());
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
    const auto root = [&](std::size_t i) {
      while (first[i] != i) i = first[i] = first[first[i]];
      return i;
    };
    for (const Junction& junction : m.junctions) {
      for (const BondEnd& end : junction.bonds) {
        const std::size_t a = root(static_cast<std::size_t>(junction.bonds.front().bond.index));
        const std::size_t b = root(static_cast<std::size_t>(end.bond.index));
        first[std::max(a, b)] = std::min(a, b);
      }
    }
    std::vector<std::size_t> number(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (root(i) == i) {
        number[i] = networks_.size();
        networks_.push_back({d_.add(), d_.add(), m.bonds[BondId(i)].span});
      }
      network_of_.push_back(number[root(i)]);
    }
  }

  const Network& network(BondId bond) const {
    return networks_[network_of_[static_cast<std::size_t>(bond.index)]];
  }
  Powers effort(BondId bond) const { return Powers::of(network(bond).effort); }
  Powers flow(BondId bond) const { return Powers::of(network(bond).flow); }
  static Powers seconds(int power = 1) { return Powers::of("s").to(power); }

  // Effort times flow is power; of temperatures it is not: there the flow is heat (a pseudo bond
  // graph). What is not yet known follows.
  // `early`: only where one of the two is known, or their ratio.
  void power(const Network& network, bool early = false) {
    const Powers effort = Powers::of(network.effort), flow = Powers::of(network.flow);
    const Powers e = d_.settled(effort), f = d_.settled(flow);
    const Powers product = d_.settled(e.times(f));
    const Powers ratio = d_.settled(e.times(f, -1));
    const Powers kelvin = Powers::of("K"), watt = Powers::of("W");
    const auto is = [](const Powers& a, const Powers& b) {
      return a.unknown.empty() && a.known == b.known;
    };
    if (is(e, kelvin)) {
      if (!f.unknown.empty()) d_.equate(flow, watt, network.span);
      return;
    }
    if (e.unknown.empty() && f.unknown.empty()) {
      if (!early && !is(product, watt)) report_power(network, e, f);
      return;
    }
    // J/K, W/K and K/W tell of temperature and heat; of entropy there would be two K.
    constexpr std::size_t kKelvin = 4;
    if (ratio.unknown.empty() && ratio.known.powers[kKelvin] == Fraction(1)) {
      d_.equate(effort, kelvin, network.span);
      d_.equate(flow, watt, network.span);
      return;
    }
    if (is(f, watt)) return;
    if (early && !e.unknown.empty() && !f.unknown.empty() && !ratio.unknown.empty()) return;
    d_.equate(product, watt, network.span);
  }

  void report_power(const Network& network, const Powers& e, const Powers& f) {
    Diagnostic diagnostic("unit.power", "effort times flow is no power here");
    diagnostic.warning();
    diagnostic.at(network.span, "effort in " + called(e) + ", flow in " + called(f));
    label_origin(diagnostic, Powers::of(network.effort), called(e));
    label_origin(diagnostic, Powers::of(network.flow), called(f));
    diagnostic.rule("the energy audit counts effort · flow as power, in W");
    diagnostic.help(
        "look at the units of what is bonded here; heat flows in W at a temperature in K");
    e_.report.add(std::move(diagnostic), Place{});
  }

  // ---- messages ----

  void label_origin(Diagnostic& diagnostic, const Powers& powers, const std::string& text) {
    const Span span = d_.found_at(powers);
    if (span.known()) diagnostic.at(span, "because of this it is in " + text);
  }

  // Both have one dimension, or both places are shown.
  void same(const Context& context, const Quantity& a, Span a_span, const Quantity& b, Span b_span,
            const std::string& who) {
    if (a.list || b.list) return;
    if (a.adapts || b.adapts || d_.equate(a.powers, b.powers, b_span)) return;
    const Powers left = d_.settled(a.powers), right = d_.settled(b.powers);
    Diagnostic diagnostic("unit.mismatch",
                          who + " joins " + called(left) + " and " + called(right));
    diagnostic.at(a_span, called(left)).at(b_span, called(right));
    label_origin(diagnostic, a.powers, called(left));
    label_origin(diagnostic, b.powers, called(right));
    diagnostic.rule("only what has the same dimension can be added, compared or chosen from");
    help(diagnostic, a.factor || b.factor, left.times(right, -1));
    e_.report.add(std::move(diagnostic), context.place);
  }

  void help(Diagnostic& diagnostic, bool factor, const Powers& missing) {
    const std::string lacks = called(d_.settled(missing));
    diagnostic.help(factor ? "a number without a unit is a pure number where it multiplies: if it "
                             "stands for a constant, give it its unit, here " +
                                 lacks
                           : "a factor or divisor in " + lacks +
                                 " is missing, or one of the units is not the one that is meant");
  }

  // `what` has the dimension `wanted`, and this is to be it.
  void needs(const Context& context, const Quantity& q, Span span, const Powers& wanted,
             const std::string& what, bool factors_adapt = false) {
    if (q.list || q.adapts || (factors_adapt && q.factor)) return;
    if (d_.equate(wanted, q.powers, span)) return;
    const Powers want = d_.settled(wanted), have = d_.settled(q.powers);
    Diagnostic diagnostic("unit.mismatch", what + " is " + in(want) + ", but " +
                                               e_.report.source_text(span) + " is " + in(have));
    diagnostic.at(span, called(have));
    label_origin(diagnostic, wanted, called(want));
    label_origin(diagnostic, q.powers, called(have));
    help(diagnostic, q.factor, want.times(have, -1));
    e_.report.add(std::move(diagnostic), context.place);
  }

  static std::string in(const Powers& settled) {
    const std::string name = called(settled);
    return name.starts_with("a pure") || name.starts_with("something") ? name : "in " + name;
  }

  void pure(const Context& context, const Quantity& q, Span span, const std::string& what) {
    needs(context, q, span, Powers{}, what, true);
  }

  // ---- expressions ----

  Quantity of(const Context& context, const syntax::Expr& expr) {
    if (!e_.spend(1, expr.span, context.place)) return {};
    if (auto* number = std::get_if<syntax::NumberLiteral>(&expr.node)) {
      const auto unit = units::parse(number->unit);
      if (!unit) return {};
      note_display(*unit);
      return Quantity::of(Powers::of(unit->dimension));
    }
    if (auto* path = std::get_if<syntax::PathExpr>(&expr.node)) return of(context, path->path);
    if (auto* unary = std::get_if<syntax::UnaryExpr>(&expr.node)) {
      return unary->operand ? of(context, *unary->operand) : Quantity{};
    }
    if (std::holds_alternative<syntax::BinaryExpr>(expr.node)) return of_chain(context, expr);
    if (auto* node = std::get_if<syntax::IfExpr>(&expr.node)) return of(context, *node);
    if (auto* node = std::get_if<syntax::CallExpr>(&expr.node)) return of(context, *node);
    if (auto* node = std::get_if<syntax::ReduceExpr>(&expr.node)) return of(context, *node);
    if (auto* node = std::get_if<syntax::ListExpr>(&expr.node)) {
      std::vector<Quantity> items;
      for (const syntax::ExprPtr& item : node->items) {
        items.push_back(item ? of(context, *item) : Quantity{});
      }
      return Quantity::of(std::move(items));
    }
    return {};
  }

  // As evaluation does: chains lean to the left and may be long.
  Quantity of_chain(const Context& context, const syntax::Expr& expr) {
    std::vector<const syntax::BinaryExpr*> spine;
    const syntax::Expr* leftmost = &expr;
    while (auto* node = std::get_if<syntax::BinaryExpr>(&leftmost->node)) {
      if (!node->left || !node->right) return {};
      spine.push_back(node);
      leftmost = node->left.get();
    }
    Quantity left = of(context, *leftmost);
    for (auto node = spine.rbegin(); node != spine.rend(); ++node) {
      left = joined(context, **node, left);
    }
    return left;
  }

  Quantity joined(const Context& context, const syntax::BinaryExpr& node, const Quantity& left) {
    const Quantity right = of(context, *node.right);
    if (node.op == BinaryOp::Pow) return power(context, node, left, right);
    if (left.list || right.list) return spread(context, node, left, right);
    switch (node.op) {
      case BinaryOp::Mul:
        return product(left, right, 1);
      case BinaryOp::Div:
        return product(left, right, -1);
      case BinaryOp::Or:
      case BinaryOp::And:
        return {};
      default:
        break;
    }
    const bool sum = node.op == BinaryOp::Add || node.op == BinaryOp::Sub;
    static constexpr const char* kNames[] = {"`or`", "`and`", "`==`", "`!=`", "`<`",
                                             "`<=`", "`>`",   "`>=`", "`+`",  "`-`"};
    same(context, left, node.left->span, right, node.right->span,
         kNames[static_cast<int>(node.op)]);
    if (!sum) return {};
    Quantity out = left.adapts ? right : left;
    out.factor = left.factor && right.factor;
    return out;
  }

  Quantity spread(const Context& context, const syntax::BinaryExpr& node, const Quantity& left,
                  const Quantity& right) {
    const std::size_t size = left.list ? left.items.size() : right.items.size();
    std::vector<Quantity> items;
    for (std::size_t i = 0; i < size; ++i) {
      const Quantity a = !left.list ? left : left.items[i];
      const Quantity b = !right.list ? right : i < right.items.size() ? right.items[i] : Quantity{};
      if (node.op == BinaryOp::Mul || node.op == BinaryOp::Div) {
        items.push_back(product(a, b, node.op == BinaryOp::Mul ? 1 : -1));
      } else {
        same(context, a, node.left->span, b, node.right->span, "this");
        items.push_back(a.adapts ? b : a);
      }
    }
    return Quantity::of(std::move(items));
  }

  Quantity product(const Quantity& a, const Quantity& b, int power) const {
    if (loose_ && (a.adapts || b.adapts)) return {};
    const auto is_pure = [](const Quantity& q) {
      return q.adapts || (q.powers.unknown.empty() && q.powers.known.is_pure());
    };
    if ((a.adapts || b.adapts) && is_pure(a) && is_pure(b)) return {};
    Quantity out = Quantity::of(a.powers.times(b.powers, power));
    out.factor = a.adapts || b.adapts || a.factor || b.factor;
    return out;
  }

  // A known exponent: the dimension to that power. Otherwise both are pure numbers.
  Quantity power(const Context& context, const syntax::BinaryExpr& node, const Quantity& base,
                 const Quantity& exponent) {
    return raised(context, base, node.left->span, exponent, *node.right);
  }
  Quantity raised(const Context& context, const Quantity& base, Span base_span,
                  const Quantity& exponent, const syntax::Expr& exponent_expr) {
    pure(context, exponent, exponent_expr.span, "an exponent");
    if (base.list || base.adapts) return {};
    const std::optional<Fraction> power = fraction(context, exponent_expr);
    if (!power && !bodies_.empty()) return {};  // an argument of a function, perhaps
    if (!power) {
      pure(context, base, base_span, "the base of a power that is not known");
      return {};
    }
    Quantity out = Quantity::of(base.powers.to(*power));
    out.factor = base.factor;
    return out;
  }

  // The value of what parameters determine, as a fraction with a small denominator.
  std::optional<Fraction> fraction(const Context& context, const syntax::Expr& expr) {
    const Value value = known(context, expr);
    if (value.kind != Value::Kind::Number || !value.constant) return std::nullopt;
    for (int64_t bottom = 1; bottom <= 12; ++bottom) {
      const double top = value.now * static_cast<double>(bottom);
      if (std::abs(top) > 1000) return std::nullopt;
      if (std::abs(top - std::round(top)) < 1e-9) {
        return Fraction(static_cast<int64_t>(std::round(top)), bottom);
      }
    }
    return std::nullopt;
  }

  // What parameters alone determine; bad if they do not.
  Value known(const Context& context, const syntax::Expr& expr) {
    Context quiet(context.place);
    quiet.known = Context::Known::Parameters;
    quiet.quiet = true;
    return evaluate(e_, quiet, expr);
  }

  Quantity of(const Context& context, const syntax::IfExpr& node) {
    if (!node.condition || !node.then || !node.otherwise) return {};
    of(context, *node.condition);
    const Value decided = known(context, *node.condition);
    if (decided.kind == Value::Kind::Boolean && decided.constant) {
      return of(context, decided.now != 0 ? *node.then : *node.otherwise);
    }
    const Quantity then = of(context, *node.then), otherwise = of(context, *node.otherwise);
    same(context, then, node.then->span, otherwise, node.otherwise->span, "`if`");
    Quantity out = then.adapts && !then.list ? otherwise : then;
    out.factor = then.factor || otherwise.factor;
    return out;
  }

  Quantity of(const Context& context, const syntax::ReduceExpr& node) {
    if (!node.from || !node.to || !node.body) return {};
    const Value from = known(context, *node.from), to = known(context, *node.to);
    if (!from.constant || !to.constant) return {};
    Turn turn{context.place.turn, node.variable.text, 0};
    Context inner = context;
    inner.place.turn = &turn;
    std::vector<Quantity> terms;
    const bool list = node.function.text.empty();
    for (auto i = static_cast<int64_t>(from.now); i <= static_cast<int64_t>(to.now); ++i) {
      if (!e_.spend(1, node.body->span, context.place)) return {};
      turn.value = i;
      terms.push_back(of(inner, *node.body));
    }
    if (list) return Quantity::of(std::move(terms));
    return folded(context, node.function.text, terms,
                  std::vector<Span>(terms.size(), node.body->span));
  }

  Quantity folded(const Context& context, std::string_view function,
                  const std::vector<Quantity>& terms, const std::vector<Span>& spans) {
    if (function == "any" || function == "all") return {};
    Quantity out;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (function == "product") {
        out = i == 0 ? terms[i] : product(out, terms[i], 1);
        continue;
      }
      same(context, out, spans[0], terms[i], spans[i], std::string(function));
      if (out.adapts) out = terms[i];
    }
    return out;
  }

  // ---- functions ----

  static bool takes_pure_number(std::string_view name) {
    static constexpr std::string_view kNames[] = {"sin",  "cos",  "tan",  "asin", "acos", "atan",
                                                  "sinh", "cosh", "tanh", "exp",  "log",  "log10"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }
  // Where a plain factor may stand for any constant.
  class Loose {
   public:
    Loose(bool& flag, bool value) : flag_(flag), before_(flag) { flag_ = value; }
    ~Loose() { flag_ = before_; }
    Loose(const Loose&) = delete;
    Loose& operator=(const Loose&) = delete;

   private:
    bool& flag_;
    bool before_;
  };

  Quantity of(const Context& context, const syntax::CallExpr& call) {
    std::vector<Quantity> q;
    std::vector<Span> spans;
    const Loose loose(loose_, loose_ || takes_pure_number(call.function.text));
    for (const syntax::Argument& argument : call.arguments) {
      q.push_back(argument.value ? of(context, *argument.value) : Quantity{});
      spans.push_back(argument.value ? argument.value->span : Span{});
    }
    if (q.empty()) return {};
    Scope* home = nullptr;
    if (const auto* function = find_function(context.place.scope, call.function.text, &home)) {
      return of_body(*function, home, std::move(q));
    }
    if (call.function.text == "table") return of_table(context, call, q, spans);
    if (call.function.text == "table2") return of_grid(context, q, spans);
    return apply(context, call, q, spans);
  }

  // Read anew for each call, so that a function fits every dimension that makes sense in it.
  Quantity of_body(const syntax::Function& function, Scope* home, std::vector<Quantity> arguments) {
    bodies_.push_back({&function, std::move(arguments)});
    Quantity out = function.value ? of(Context(Place{home, nullptr}), *function.value) : Quantity{};
    bodies_.pop_back();
    return out;
  }
  const Quantity* of_argument(std::string_view name) const {
    if (bodies_.empty()) return nullptr;
    const auto& [function, arguments] = bodies_.back();
    for (std::size_t i = 0; i < std::min(arguments.size(), function->parameters.size()); ++i) {
      if (function->parameters[i].text == name) return &arguments[i];
    }
    return nullptr;
  }

  // Points have the dimension of what is looked up, and give that of their values.
  Quantity of_table(const Context& context, const syntax::CallExpr& call,
                    const std::vector<Quantity>& q, const std::vector<Span>& spans) {
    Quantity value;
    if (q.size() < 2) return {};
    const TableUnits units = units_of_table(e_, context, call);
    const auto in = [](const units::Unit& unit) {
      return Quantity::of(Powers::of(unit.dimension));
    };
    if (units.x) same(context, q[0], spans[0], in(*units.x), spans[1], "table");
    if (units.value) return in(*units.value);
    if (!q[1].list) return {};
    for (const Quantity& point : q[1].items) {
      if (!point.list || point.items.size() != 2) return {};
      same(context, q[0], spans[0], point.items[0], spans[1], "table");
      same(context, value, spans[1], point.items[1], spans[1], "table");
      if (value.adapts) value = point.items[1];
    }
    return value;
  }

  // The first row of a grid is in the dimension of y, the first column in that of x.
  Quantity of_grid(const Context& context, const std::vector<Quantity>& q,
                   const std::vector<Span>& spans) {
    Quantity value;
    if (q.size() < 3 || !q[2].list) return {};
    for (std::size_t i = 0; i < q[2].items.size(); ++i) {
      const Quantity& row = q[2].items[i];
      for (std::size_t j = 0; j < row.items.size(); ++j) {
        if (i == 0 && j == 0) continue;
        const Quantity& item = row.items[j];
        const bool axis = i == 0 || j == 0;
        const std::size_t of = i == 0 ? 1 : 0;
        same(context, axis ? q[of] : value, axis ? spans[of] : spans[2], item, spans[2], "table2");
        if (!axis && value.adapts) value = item;
      }
    }
    return value;
  }

  Quantity apply(const Context& context, const syntax::CallExpr& call, std::vector<Quantity>& q,
                 const std::vector<Span>& spans) {
    const std::string& name = call.function.text;
    const auto is = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
    };
    if (takes_pure_number(name)) {
      pure(context, q[0], spans[0], "the argument of " + name);
      return pure_number();
    }
    if (is({"sqrt"})) return q[0].adapts ? Quantity{} : rooted(q[0]);
    if (is({"abs", "floor", "ceil", "pre", "finite", "delay", "initially"})) return q[0];
    if (is({"sign", "is_present", "length", "is_constant", "count", "sawtooth", "pulse", "step"})) {
      return of_clock(context, call, q, spans);
    }
    if (is({"pow"}) && q.size() == 2 && call.arguments[1].value) {
      return raised(context, q[0], spans[0], q[1], *call.arguments[1].value);
    }
    if (is({"atan2"}) && q.size() == 2) {
      same(context, q[0], spans[0], q[1], spans[1], name);
      return pure_number();
    }
    if (is({"dot"}) && q.size() == 2) return dotted(context, q, spans);
    if (is({"min", "max", "sum", "product", "any", "all", "hypot", "mod", "clamp"})) {
      if (q.size() == 1 && q[0].list) {
        const std::vector<Quantity> items = q[0].items;
        return folded(context, name, items, std::vector<Span>(items.size(), spans[0]));
      }
      return folded(context, name, q, spans);
    }
    if (name == "der") return per_second(q[0]);
    if (name == "impulse") return q[0].adapts ? Quantity{} : scaled(q[0], seconds());
    if (name == "integral") return integral(context, call, q, spans);
    if (is({"mean", "rms"})) return averaged(context, call, q, spans);
    return of_event(context, call, q, spans);
  }

  static Quantity per_second(const Quantity& q) {
    if (!q.list) return q.adapts ? Quantity{} : scaled(q, seconds(-1));
    std::vector<Quantity> items;
    for (const Quantity& item : q.items) items.push_back(per_second(item));
    return Quantity::of(std::move(items));
  }
  // It adapts as a plain number does: 230 * sin(w * time) can be a voltage.
  static Quantity pure_number() { return {}; }
  static Quantity scaled(const Quantity& q, const Powers& by) {
    Quantity out = q;
    if (q.list) {
      for (Quantity& item : out.items) item = scaled(item, by);
    } else if (!q.adapts) {
      out.powers = q.powers.times(by);
    }
    return out;
  }
  static Quantity rooted(const Quantity& q) {
    Quantity out = Quantity::of(q.powers.to(Fraction(1, 2)));
    out.factor = q.factor;
    return out;
  }

  Quantity dotted(const Context& context, const std::vector<Quantity>& q,
                  const std::vector<Span>& spans) {
    std::vector<Quantity> terms;
    for (std::size_t i = 0; i < std::min(q[0].items.size(), q[1].items.size()); ++i) {
      terms.push_back(product(q[0].items[i], q[1].items[i], 1));
    }
    return folded(context, "dot", terms, std::vector<Span>(terms.size(), spans[0]));
  }

  // Those that are told times: periods, offsets, the time of a step.
  Quantity of_clock(const Context& context, const syntax::CallExpr& call,
                    const std::vector<Quantity>& q, const std::vector<Span>& spans) {
    const std::string& name = call.function.text;
    if (name == "step") needs(context, q[0], spans[0], seconds(), "the time of a step");
    const bool clock = name == "count" || name == "sawtooth" || name == "pulse";
    for (std::size_t i = 0; clock && i < q.size(); ++i) {
      const std::string& given = call.arguments[i].name.text;
      const bool duty = name == "pulse" && (given == "duty" || (given.empty() && i == 1));
      if (duty) {
        pure(context, q[i], spans[i], "the duty of a pulse");
      } else {
        needs(context, q[i], spans[i], seconds(), "a time of " + name);
      }
    }
    return name == "count" || name == "sawtooth" || name == "step" || name == "sign" ? pure_number()
                                                                                     : Quantity{};
  }

  // integral(derivative, start, impulse): in seconds of the derivative, as start and impulse are.
  Quantity integral(const Context& context, const syntax::CallExpr& call,
                    const std::vector<Quantity>& q, const std::vector<Span>& spans) {
    Quantity whole, rate;
    Span whole_span;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string& given = call.arguments[i].name.text;
      const bool is_rate = given == "derivative" || (given.empty() && i == 0);
      if (is_rate) {
        rate = scaled(q[i], seconds());
        match_items(context, whole, whole_span, rate, spans[i], "integral");
        if (whole.adapts && !whole.list) whole = rate;
      } else {
        match_items(context, whole, whole_span, q[i], spans[i], "integral");
        if (whole.adapts && !whole.list) whole = q[i];
      }
      if (!whole_span.known()) whole_span = spans[i];
    }
    // A plain start or rate leaves the other to say what it is.
    return whole;
  }

  // mean(x, from, to): of x; the others are times.
  Quantity averaged(const Context& context, const syntax::CallExpr& call,
                    const std::vector<Quantity>& q, const std::vector<Span>& spans) {
    Quantity whole;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string& given = call.arguments[i].name.text;
      if (given == "x" || (given.empty() && i == 0)) {
        whole = q[i];
      } else {
        needs(context, q[i], spans[i], seconds(), "a time of " + call.function.text);
      }
    }
    return whole;
  }

  void match_items(const Context& context, const Quantity& a, Span a_span, const Quantity& b,
                   Span b_span, const std::string& who) {
    if (!a.list || !b.list) return same(context, a, a_span, b, b_span, who);
    for (std::size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i) {
      match_items(context, a.items[i], a_span, b.items[i], b_span, who);
    }
  }

  // Events: what is chosen from, kept or let through has one dimension; times are seconds.
  Quantity of_event(const Context& context, const syntax::CallExpr& call,
                    const std::vector<Quantity>& q, const std::vector<Span>& spans) {
    const std::string& name = call.function.text;
    if (name == "default" || name == "merge" || name == "hold" || name == "fby") {
      Quantity out = q[0];
      for (std::size_t i = 1; i < q.size(); ++i) {
        match_items(context, out, spans[0], q[i], spans[i], name);
        if (out.adapts && !out.list) out = q[i];
      }
      return out;
    }
    if (name == "sample" || name == "inhibit") return q[0];
    if (name == "time_delay") {
      for (std::size_t i = 1; i < q.size(); ++i) {
        const std::string& given = call.arguments[i].name.text;
        if (given == "time" || (given.empty() && i == 1)) {
          needs(context, q[i], spans[i], seconds(), "the delay");
        } else {
          match_items(context, q[0], spans[0], q[i], spans[i], name);
        }
      }
      return q[0];
    }
    return {};
  }

  // ---- names ----

  Quantity of(const Context& context, const syntax::Path& path) {
    const syntax::Path::Segment& first = path.segments.front();
    if (path.segments.size() == 1 && first.indices.empty()) {
      if (const Quantity* argument = of_argument(first.name.text)) return *argument;
      if (context.locals != nullptr) {
        for (std::size_t i = 0; i < context.locals->size(); ++i) {
          if ((*context.locals)[i].text == first.name.text) return Quantity::of(local_);
        }
      }
      if (find_turn(context.place.turn, first.name.text) != nullptr) return {};
      if (first.name.text == "time") return Quantity::of(seconds());
      if (first.name.text == "omega") return Quantity::of(seconds(-1));
      if (is_constant_of_nature(first.name.text)) return {};
    }
    Context quiet = context;
    quiet.quiet = true;
    Target target;
    if (!resolve(e_, quiet, path, target)) return {};
    return of(path, target);
  }

  Quantity of(const syntax::Path& path, const Target& target) {
    const auto at = static_cast<std::size_t>(target.entity->index);
    const auto member = [&]() -> std::string_view { return path.segments.back().name.text; };
    switch (target.entity->kind) {
      case EntityKind::Parameter: {
        Quantity q = parameters_[{target.scope, at}];
        for (int64_t index : target.indices) {
          if (!q.list || index < 1 || static_cast<std::size_t>(index) > q.items.size()) return {};
          Quantity item = q.items[static_cast<std::size_t>(index - 1)];
          q = std::move(item);
        }
        return q;
      }
      case EntityKind::Signal:
      case EntityKind::Vector:
        return of_signal(SignalId(at));
      case EntityKind::Element:
        return of_element(path, target, ElementId(at));
      case EntityKind::Junction: {
        const Junction& junction = e_.model.junctions[JunctionId(at)];
        return junction.bonds.empty() ? Quantity{} : of_bond(junction.bonds.front().bond, member());
      }
      case EntityKind::Label:
        return of_bond(e_.wires[at].bond, member());
      case EntityKind::Port: {
        const PowerPort& port = e_.ports[at];
        const int32_t wire = port.outside >= 0 ? port.outside : port.inside;
        return wire < 0 ? Quantity{}
                        : of_bond(e_.wires[static_cast<std::size_t>(wire)].bond, member());
      }
      default:
        return {};
    }
  }

  Quantity of_element(const syntax::Path& path, const Target& target, ElementId id) {
    const Element& element = e_.model.elements[id];
    std::size_t port = 0;
    if (elements::definition(element.kind).through && target.next < path.segments.size()) {
      port = path.segments[target.next].name.text == "in" ? 0 : 1;
    } else if (!target.indices.empty()) {
      port = static_cast<std::size_t>(target.indices[0] - 1);
    }
    if (port >= element.ports.size()) return {};
    return of_bond(element.ports[port].bond, path.segments.back().name.text);
  }

  Quantity of_bond(BondId bond, std::string_view variable) {
    if (!bond.valid()) return {};
    if (variable == "e") return Quantity::of(effort(bond));
    if (variable == "f") return Quantity::of(flow(bond));
    if (variable == "p") return Quantity::of(effort(bond).times(seconds()));
    if (variable == "q") return Quantity::of(flow(bond).times(seconds()));
    return {};
  }

  Quantity of_signal(SignalId id) {
    const SignalSource& source = e_.signal_sources[static_cast<std::size_t>(id.index)];
    if (source.type == expr::Type::Boolean) return {};
    if (source.size == 0) return Quantity::of(own(id));
    std::vector<Quantity> items;
    for (SignalId item : source.items) items.push_back(Quantity::of(own(item)));
    return Quantity::of(std::move(items));
  }
  Powers own(SignalId id) const { return Powers::of(signals_[static_cast<std::size_t>(id.index)]); }

  // ---- what a model consists of ----

  // What it is given, its default and --set have one dimension; without a unit, that of its use.
  void parameter(const ParameterSource& source) {
    Quantity given = unknown_where_plain(of(Context(source.place), *source.value));
    const std::string what = "parameter " + source.name;
    if (source.fallback != nullptr && source.fallback != source.value) {
      Quantity declared = of(Context(source.fallback_place), *source.fallback);
      if (declared.factor) declared = {};
      same_as_declared(source.place, declared, source.fallback->span, given, source.value->span,
                       what);
    }
    if (source.set != nullptr) {
      const Quantity set = of(Context(Place{source.scope, nullptr}), *source.set);
      same_as_declared(source.place, given, source.value->span, set, source.set->span, what);
    }
    parameters_[{source.scope, source.at}] = std::move(given);
  }

  Quantity unknown_where_plain(Quantity q) {
    if (q.list) {
      for (Quantity& item : q.items) item = unknown_where_plain(std::move(item));
    } else if (q.adapts) {
      q = Quantity::of(Powers::of(d_.add()));
    }
    return q;
  }

  void same_as_declared(const Place& place, const Quantity& declared, Span declared_span,
                        const Quantity& given, Span given_span, const std::string& what) {
    if (declared.list || given.list) {
      for (std::size_t i = 0; i < std::min(declared.items.size(), given.items.size()); ++i) {
        same_as_declared(place, declared.items[i], declared_span, given.items[i], given_span, what);
      }
      return;
    }
    if (declared.adapts || given.adapts) return;
    if (d_.equate(declared.powers, given.powers, given_span)) return;
    const Powers want = d_.settled(declared.powers), have = d_.settled(given.powers);
    Diagnostic diagnostic("unit.mismatch", what + " is " + in(want) + ", but " +
                                               e_.report.source_text(given_span) + " is " +
                                               in(have));
    diagnostic.at(given_span, called(have)).at(declared_span, called(want));
    diagnostic.help("give it a value in " + called(want) + ", or a plain number");
    e_.report.add(std::move(diagnostic), place);
  }

  void signal(SignalId id) {
    const SignalSource& source = e_.signal_sources[static_cast<std::size_t>(id.index)];
    if (source.is_item) return;
    const Context context(source.place);
    if (source.merged != nullptr) return gathered(id, *source.merged);
    if (source.value == nullptr) return;
    define(context, id, of(context, *source.value), source.value->span);
  }

  void define(const Context& context, SignalId id, const Quantity& q, Span span) {
    const SignalSource& source = e_.signal_sources[static_cast<std::size_t>(id.index)];
    const std::string what = "signal " + e_.model.signals[id].name;
    if (source.size == 0) return needs(context, q, span, own(id), what);
    for (std::size_t i = 0; q.list && i < std::min(q.items.size(), source.items.size()); ++i) {
      needs(context, q.items[i], span, own(source.items[i]), what);
    }
  }

  void gathered(SignalId id, const MergedSignal& merged) {
    const Context context(e_.modals[static_cast<std::size_t>(merged.modal)].place);
    for (const auto& [state, part] : merged.parts) {
      define(context, id, of_signal(part), e_.model.signals[part].span);
    }
    for (const MergedSignal::Output& output : merged.outputs) {
      const Context place(output.place);
      define(place, id, of(place, *output.value), output.value->span);
    }
  }

  void modal(const ModalSource& source) {
    for (std::size_t i = 0; i < source.written.size(); ++i) {
      const syntax::Transition& written = *source.written[i];
      const Transition& made = e_.model.automata[source.automaton].transitions[i];
      const Context from(in_mode(source, made.from)), to(in_mode(source, made.to));
      if (written.guard) of(from, *written.guard);
      for (const syntax::ItemPtr& item : written.actions) {
        const auto& action = std::get<syntax::Action>(item->node);
        if (action.kind != syntax::Action::Kind::Set || !action.value) continue;
        const Quantity target = of(to, action.target), value = of(from, *action.value);
        match_items(from, target, action.target.span, value, action.value->span, "`set`");
      }
    }
  }
  static Place in_mode(const ModalSource& source, int state) {
    return {source.modes[static_cast<std::size_t>(state)], source.place.turn};
  }

  void guards(const JunctionSource& source) {
    for (const syntax::Transition& transition : source.syntax->automaton.transitions) {
      if (transition.guard) of(Context(source.place), *transition.guard);
    }
  }

  void until(const Deferred& deferred) {
    const auto& item = std::get<syntax::Until>(deferred.item->node);
    const Context context(deferred.place);
    if (item.value)
      needs(context, of(context, *item.value), item.value->span, seconds(), "the end of a run");
    if (item.max_step)
      needs(context, of(context, *item.max_step), item.max_step->span, seconds(),
            "the longest step");
  }

  void show(const Deferred& deferred) {
    const auto& item = std::get<syntax::Show>(deferred.item->node);
    const Context context(deferred.place);
    for (std::size_t i = 0; i < item.values.size(); ++i) {
      if (!item.values[i]) continue;
      Quantity q = of(context, *item.values[i]);
      const auto unit = units::parse(item.units[i].text);
      std::vector<Quantity> items = q.list ? q.items : std::vector<Quantity>{q};
      // Of a family each is read by its own name.
      const std::size_t columns = e_.shown[shows_++];
      if (items.size() != columns) items.assign(columns, Quantity{});
      for (const Quantity& each : items) {
        if (unit) shown_in(context, each, item.values[i]->span, item.units[i], *unit);
        shown_.push_back(each);
      }
    }
  }

  void shown_in(const Context& context, const Quantity& q, Span span, const syntax::Name& name,
                const units::Unit& unit) {
    if (q.adapts || d_.equate(q.powers, Powers::of(unit.dimension), name.span)) return;
    const Powers have = d_.settled(q.powers);
    Diagnostic diagnostic("unit.mismatch", e_.report.source_text(span) + " is " + in(have) +
                                               " and cannot be shown in " + name.text);
    diagnostic.at(name.span, name.text).at(span, called(have));
    label_origin(diagnostic, q.powers, called(have));
    diagnostic.help("show it in a unit of its kind, such as " + called(have));
    e_.report.add(std::move(diagnostic), context.place);
  }

  // ---- elements, by their relations ----

  Powers variable(const Element& element, elements::Variable which, int port) const {
    const BondId bond = element.ports[static_cast<std::size_t>(port)].bond;
    return which == elements::Variable::Effort ? effort(bond) : flow(bond);
  }

  void element(ElementId id, bool sources) {
    const Element& element = e_.model.elements[id];
    if (elements::is_source(element.kind) != sources) return;
    const ElementSource& source = e_.element_sources[static_cast<std::size_t>(id.index)];
    if (element.ports.empty() || source.bad) return;
    for (const BondEnd& end : element.ports) {
      if (!end.bond.valid()) return;
    }
    Context context(source.place);
    for (const syntax::Argument& argument : source.declaration->arguments) {
      if (argument.value) this->argument(context, element, argument);
    }
    if (source.declaration->value) value(context, element, *source.declaration->value);
    for (const BondEnd& end : element.ports) power(network(end.bond), true);
  }

  void argument(const Context& context, const Element& element, const syntax::Argument& argument) {
    const elements::Definition& definition = elements::definition(element.kind);
    if (!argument.parameters.empty()) return law(context, element, argument);
    if (argument.name.text.empty()) return value(context, element, *argument.value);
    const Quantity q = of(context, *argument.value);
    if (argument.name.text == "matrix") return matrix(context, element, q, argument.value->span);
    const bool momentum = definition.storage == elements::Storage::Momentum;
    const bool stored = argument.name.text == (momentum ? "p" : "q");
    for (std::size_t i = 0; i < element.ports.size(); ++i) {
      if (q.list && i >= q.items.size()) break;
      needs(context, q.list ? q.items[i] : q, argument.value->span,
            stored ? kept(element, i) : given_by(element, i),
            "the initial value of " + element.name);
    }
  }

  // p or q of a port of a store, and what its law gives.
  Powers kept(const Element& element, std::size_t port) const {
    const bool momentum = elements::definition(element.kind).storage == elements::Storage::Momentum;
    return variable(element, momentum ? elements::Variable::Effort : elements::Variable::Flow,
                    static_cast<int>(port))
        .times(seconds());
  }
  Powers given_by(const Element& element, std::size_t port) const {
    const bool momentum = elements::definition(element.kind).storage == elements::Storage::Momentum;
    return variable(element, momentum ? elements::Variable::Flow : elements::Variable::Effort,
                    static_cast<int>(port));
  }

  void law(const Context& context, const Element& element, const syntax::Argument& argument) {
    const bool store = elements::definition(element.kind).storage != elements::Storage::None;
    const Powers e = variable(element, elements::Variable::Effort, 0);
    const Powers f = variable(element, elements::Variable::Flow, 0);
    const bool of_effort = element.law_of_effort;
    local_ = store ? kept(element, 0) : of_effort ? e : f;
    Context inside = context;
    inside.locals = &argument.parameters;
    const Loose loose(loose_, true);
    needs(inside, of(inside, *argument.value), argument.value->span,
          store       ? given_by(element, 0)
          : of_effort ? f
                      : e,
          "the law of " + element.name, true);
  }

  void matrix(const Context& context, const Element& element, const Quantity& rows, Span span) {
    for (std::size_t i = 0; i < std::min(rows.items.size(), element.ports.size()); ++i) {
      const std::vector<Quantity>& row = rows.items[i].items;
      for (std::size_t j = 0; j < std::min(row.size(), element.ports.size()); ++j) {
        needs(context, row[j], span, kept(element, i).times(given_by(element, j), -1),
              "the matrix of " + element.name);
      }
    }
  }

  // The one number of an element: what its relations say of it.
  void value(const Context& context, const Element& element, const syntax::Expr& expr) {
    const elements::Definition& definition = elements::definition(element.kind);
    const Quantity q = of(context, expr);
    const std::string what = "the " + std::string(definition.noun) + " of " + element.name;
    if (definition.storage != elements::Storage::None) {
      return needs(context, q, expr.span, kept(element, 0).times(given_by(element, 0), -1), what);
    }
    for (const elements::Relation& relation : definition.flow(definition.ports, false)) {
      const elements::Term& left = relation.left.front();
      const Powers own = variable(element, left.variable, left.port);
      if (relation.right == elements::Right::Source) {
        needs(context, q, expr.span, own, element.name);
      } else if (relation.right == elements::Right::PowerLaw) {
        const Powers argument = variable(element, relation.argument, left.port);
        needs(context, q, expr.span, own.times(argument, -1), what);
      } else if (relation.left.size() == 2) {
        const elements::Term& other = relation.left[1];
        const Powers ratio = own.times(variable(element, other.variable, other.port), -1);
        // A modulus without a unit is whatever leads from one side to the other.
        if (q.adapts) {
          plain_modulus(element, ratio, expr.span);
        } else {
          needs(context, q, expr.span, ratio, what);
        }
      }
    }
  }

  // The two relations of one element have one modulus.
  void plain_modulus(const Element& element, const Powers& ratio, Span span) {
    const auto [place, is_new] = moduli_.try_emplace(&element, ratio);
    if (!is_new) d_.equate(place->second, ratio, span);
  }

  // ---- what is shown ----

  // Of units that say the same, the one that the text uses: N*m or J.
  void note_display(const units::Unit& unit) {
    // What turns in rad/s does not turn in Hz.
    const bool counts = unit.text.find("Hz") != std::string::npos;
    if (unit.is_coherent() && !unit.dimension.is_pure() && !counts) {
      display_.emplace_back(unit.dimension, unit.text);
    }
  }

  std::string display(const Powers& powers) const {
    const Powers settled = d_.settled(powers);
    if (!settled.unknown.empty()) return {};
    for (const auto& [dimension, text] : display_) {
      if (dimension == settled.known) return text;
    }
    return units::name(settled.known);
  }

  std::string plainly(const Powers& powers) const {
    const Powers settled = d_.settled(powers);
    return settled.unknown.empty() ? units::name(settled.known) : std::string();
  }
  // What turns is turned by a torque, which has the dimension of energy.
  std::string display_effort(BondId bond) const {
    const bool turns = plainly(flow(bond)) == "1/s";
    const std::string name = plainly(effort(bond));
    return turns && name == "J" ? "N*m" : name;
  }

  std::string display_of(ExprId value) const {
    const expr::Node& node = e_.model.pool[value];
    switch (node.op) {
      case expr::Op::Effort:
        return display_effort(BondId(static_cast<std::size_t>(node.ref)));
      case expr::Op::Flow:
        return plainly(flow(BondId(static_cast<std::size_t>(node.ref))));
      case expr::Op::Signal: {
        const SignalId id(static_cast<std::size_t>(node.ref));
        return signal_type(e_, id) == expr::Type::Boolean ? "" : display(own(id));
      }
      case expr::Op::State:
        return display_of(StateId(static_cast<std::size_t>(node.ref)));
      case expr::Op::If:  // as seen from outside its mode
        return display_of(node.b);
      default:
        return {};
    }
  }

  std::string display_of(StateId id) const {
    const State& state = e_.model.states[id];
    if (state.element.valid()) {
      return plainly(kept(e_.model.elements[state.element], static_cast<std::size_t>(state.port)));
    }
    const expr::Node& rate = e_.model.pool[state.rate];
    const BondId bond(static_cast<std::size_t>(std::max(rate.ref, 0)));
    if (rate.op == expr::Op::Effort) return plainly(effort(bond).times(seconds()));
    if (rate.op == expr::Op::Flow) return plainly(flow(bond).times(seconds()));
    const auto owner = integrals_.find(id);
    return owner == integrals_.end() ? std::string() : display(own(owner->second));
  }

  void name_units() {
    Model& m = e_.model;
    for (std::size_t i = 0; i < e_.signal_sources.size(); ++i) {
      const SignalSource& source = e_.signal_sources[i];
      for (std::size_t k = 0; k < source.states.size(); ++k) {
        integrals_.emplace(source.states[k], source.size > 0 ? source.items[k] : SignalId(i));
      }
    }
    for (const auto& [name, value] : m.readable) {
      const std::string unit = display_of(value);
      if (!unit.empty()) m.units.emplace(name, unit);
    }
    for (const auto& [key, q] : parameters_) {
      if (q.list || q.adapts) continue;
      const std::string unit = display(q.powers);
      const std::string name =
          key.first->prefix + key.first->component->parameters[key.second]->name.text;
      if (!unit.empty()) m.units.emplace(name, unit);
    }
    for (std::size_t i = 0; i < std::min(shown_.size(), m.show.size()); ++i) {
      if (m.show[i].scaled || shown_[i].adapts) continue;
      const std::string unit = display(shown_[i].powers);
      if (!unit.empty()) m.units.emplace(m.show[i].name, unit);
    }
  }

  Elaboration& e_;
  Dimensions d_;
  std::vector<Network> networks_;
  std::vector<std::size_t> network_of_;  // by BondId
  std::vector<int> signals_;             // by SignalId
  std::map<std::pair<const Scope*, std::size_t>, Quantity> parameters_;
  std::map<const Element*, Powers> moduli_;
  std::vector<Quantity> shown_;  // by column
  std::size_t shows_ = 0;        // of Elaboration::shown
  std::vector<std::pair<units::Dimension, std::string>> display_;
  std::unordered_map<StateId, SignalId> integrals_;
  std::vector<std::pair<const syntax::Function*, std::vector<Quantity>>> bodies_;
  bool loose_ = false;
  Powers local_;  // the argument of the law that is being read
};

}  // namespace

void check_units(Elaboration& e) {
  if (!e.has_units) return;
  try {
    UnitChecker(e).check();
  } catch (const units::Fraction::TooLarge&) {
    e.report.add(Diagnostic("unit.exponent", "a power in this model is too large for units")
                     .rule("exponents of units are fractions of small numbers")
                     .help("look for powers of powers"));
  }
}

}  // namespace cradle::model
