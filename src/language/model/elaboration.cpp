#include "language/model/elaboration.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cradle::model {

Value Elaboration::value(ExprId expr) {
  const expr::Node& node = model.pool[expr];
  auto kind = node.type == expr::Type::Boolean ? Value::Kind::Boolean : Value::Kind::Number;
  if (node.op == expr::Op::Constant) return Value::of(kind, node.value);
  if (model.pool.is_fixed(expr)) return {kind, true, number(expr), expr, nullptr};
  return {kind, false, 0, expr, nullptr};
}

ExprId Elaboration::slot(const Value& value) {
  if (value.expr.valid()) return value.expr;
  return value.kind == Value::Kind::Boolean ? model.pool.boolean(value.now != 0)
                                            : model.pool.constant(value.now);
}

ExprId Elaboration::node(const Value& value) {
  if (!value.constant) return value.expr;
  if (value.kind == Value::Kind::Boolean) return model.pool.boolean(holds(value));
  const double now = decide(value, Decision::Kind::Zero);
  return value.expr.valid() && now != 0 && std::isfinite(now) ? value.expr
                                                              : model.pool.constant(now);
}

double Elaboration::decide(const Value& value, Decision::Kind kind) {
  return value.expr.valid() ? decide(value.expr, kind) : value.now;
}

double Elaboration::decide(ExprId fixed, Decision::Kind kind) {
  const double now = number(fixed);
  if (!model.pool.is_constant(fixed) && decided.emplace(fixed, kind).second) {
    model.decisions.push_back({kind, fixed, now});
  }
  return now;
}

double Elaboration::number(ExprId fixed) {
  numbers.complete(model.pool, [this](const expr::Node& leaf) {
    const Slot& slot = model.slots[SlotId(static_cast<std::size_t>(leaf.ref))];
    return slot.given ? *slot.given : numbers.of(model.pool, slot.definition);
  });
  return numbers.of(model.pool, fixed);
}

// What is not finite is no slot: expressions may rely on the others.
Value Elaboration::parameter(const std::string& name, const Value& definition,
                             std::optional<double> given) {
  const double now = given ? *given : definition.now;
  if (!std::isfinite(now) || !may_name_more()) {
    if (given) return Value::of(definition.kind, now);
    decide(definition);
    return Value::of(definition.kind, now);
  }
  const SlotId id = model.slots.add({name, slot(definition), given});
  const auto type =
      definition.kind == Value::Kind::Boolean ? expr::Type::Boolean : expr::Type::Number;
  model.slots[id].leaf = model.pool.leaf(expr::Op::Parameter, id.index, 0, type);
  model.slot_index.emplace(name, id);
  return value(model.slots[id].leaf);
}

bool Elaboration::is_absent(const Value& value) const {
  return value.expr.valid() && model.pool[value.expr].op == expr::Op::Absent;
}

Value Elaboration::signal(SignalId id) {
  const SignalSource& source = signal_sources[static_cast<std::size_t>(id.index)];
  auto read = [this](SignalId item, expr::Type type) {
    return value(model.pool.leaf(expr::Op::Signal, item.index, 0, type));
  };
  if (source.size == 0) return read(id, source.type.value_or(expr::Type::Number));
  std::vector<Value> items;
  const expr::Type type = source.type.value_or(expr::Type::Number);
  for (SignalId item : source.items) items.push_back(read(item, type));
  return list(std::move(items));
}

Value Elaboration::list(std::vector<Value> items) {
  auto shared = std::make_shared<const std::vector<Value>>(std::move(items));
  return {Value::Kind::List, false, 0, {}, std::move(shared)};
}

ExprId Elaboration::active(RegionId region) {
  ExprId all = model.pool.boolean(true);
  for (; region.valid(); region = model.regions[region].parent) {
    const Region& around = model.regions[region];
    ExprId in_mode = model.pool.leaf(expr::Op::InMode, around.automaton.index, around.state);
    all = model.pool.binary(expr::Op::And, in_mode, all);
  }
  return all;
}

// Of one that follows another only in part: in some of the states.
ExprId Elaboration::active(const Junction& junction) {
  expr::Pool& pool = model.pool;
  const int32_t automaton = junction.automaton.index;
  if (junction.active == model.automata[junction.automaton].active) {
    return pool.leaf(expr::Op::Active, automaton);
  }
  ExprId any;
  for (std::size_t i = 0; i < junction.active.size(); ++i) {
    if (!junction.active[i]) continue;
    const ExprId here = pool.leaf(expr::Op::InMode, automaton, static_cast<double>(i));
    any = any.valid() ? pool.binary(expr::Op::Or, any, here) : here;
  }
  return any.valid() ? any : pool.boolean(false);
}

ExprId Elaboration::active_mode(const Scope& mode) {
  AutomatonId automaton = modals[static_cast<std::size_t>(mode.modal)].automaton;
  return model.pool.leaf(expr::Op::InMode, automaton.index, mode.state);
}

bool Elaboration::lies_in(RegionId region, RegionId around) const {
  while (region.valid() && region != around) region = model.regions[region].parent;
  return region == around;
}

ExprId Elaboration::seen_from_outside(RegionId region, ExprId value) {
  expr::Pool& pool = model.pool;
  ExprId absent = pool.leaf(expr::Op::Absent, -1, 0, pool[value].type);
  return pool.conditional(active(region), value, absent);
}

void Elaboration::stop(Diagnostic diagnostic, const Place& place) {
  if (!stopped) report.add(std::move(diagnostic), place);
  stopped = true;
}

namespace {

// What is kept of each, by measurement.
constexpr double kPartBytes = 1000, kTermBytes = 130;

std::string gigabytes(int64_t count, double bytes) {
  return fmt::format("some {:.2g} GB", static_cast<double>(count) * bytes / 1e9);
}

}  // namespace

bool Elaboration::spend(int64_t amount, Span span, const Place& place) {
  if (stopped) return false;
  work += amount;
  if (work <= bounds.work && terms() <= bounds.terms) return true;
  stop(Diagnostic("limit.work", "this model takes too long to build")
           .at(loop.known() ? loop : span,
               loop.known() ? "in this loop" : "the bound was passed here")
           .rule("building takes at most " + std::to_string(bounds.work) +
                 " turns of loops and steps of computing, and " + std::to_string(bounds.terms) +
                 " terms")
           .help("look for a loop whose bounds are too far apart; or raise " +
                 (work > bounds.work ? std::string("--max-work")
                                     : "--max-terms, which takes " +
                                           gigabytes(bounds.terms, kTermBytes) + " now")),
       place);
  return false;
}

namespace {

// How often the component stands around itself here.
int times_nested(const Scope* scope) {
  int times = 0;
  for (const Scope* outer = scope; outer != nullptr; outer = outer->parent) {
    if (outer->component == scope->component) ++times;
  }
  return times;
}

}  // namespace

void Elaboration::stop_recursion(Span span, const Place& place) {
  stop(Diagnostic("component.recursion", times_nested(place.scope) > 1
                                             ? "component " +
                                                   place.scope->component->definition->name.text +
                                                   " contains itself without end"
                                             : "components are nested too deeply")
           .at(span)
           .rule("components are nested at most " + std::to_string(kMaxComponentDepth) +
                 " levels deep")
           .help("a component that contains itself needs an if that ends it"),
       {});
}

bool Elaboration::room_for_things(Span span, const Place& place) {
  if (stopped) return false;
  std::size_t things = scopes.size() + model.signals.size() + model.elements.size() +
                       model.junctions.size() + wires.size() + ports.size() + shapes.size();
  if (static_cast<int64_t>(things) < bounds.parts) return true;
  // A tree of components that has no end grows wide before it grows deep.
  if (times_nested(place.scope) > 8) {
    stop_recursion(span, place);
    return false;
  }
  stop(
      Diagnostic("limit.size", "this model is too large")
          .at(span, "the bound was passed here")
          .rule("a model has at most " + std::to_string(bounds.parts) +
                " elements, junctions, bonds, signals and instances")
          .help(
              "look for a loop whose bounds are too far apart; or raise --max-parts, which takes " +
              gigabytes(bounds.parts, kPartBytes) + " now"),
      place);
  return false;
}

std::string Elaboration::full_name(const Scope& scope, std::string_view base,
                                   const std::vector<int64_t>& indices) const {
  return scope.prefix + indexed_name(base, indices);
}

namespace {

Diagnostic duplicate(std::string_view name, Span span, Span earlier) {
  Diagnostic diagnostic("name.duplicate", std::string(name) + " is declared twice");
  bool same_place = span.file == earlier.file && span.begin == earlier.begin;
  if (same_place) {
    diagnostic.at(span, "in more than one turn of the loop");
    diagnostic.help("give it an index: " + std::string(name.substr(0, name.find('['))) + "[i]");
  } else {
    diagnostic.at(span, "here").at(earlier, "and here");
    diagnostic.help("rename one of them");
  }
  return diagnostic;
}

}  // namespace

bool Elaboration::declare_shape(const Place& place, const syntax::Shape& shape,
                                const std::vector<int64_t>& indices) {
  const syntax::Name& name = shape.name.name;
  const std::string key = indexed_name(name.text, indices);
  auto [found, is_new] = place.scope->shapes.try_emplace(key, name.span);
  if (!is_new) report.add(duplicate(key, name.span, found->second), place);
  return is_new;
}

bool Elaboration::declare(const Place& place, std::string_view base,
                          const std::vector<int64_t>& indices, Span span, EntityKind kind,
                          int32_t index) {
  Scope& scope = *place.scope;
  if (is_constant_of_nature(base)) {
    report.add(Diagnostic("name.reserved", std::string(base) + " has a meaning of its own")
                   .at(span)
                   .rule("time, pi, inf, omega and absent cannot be declared")
                   .help("choose another name"),
               place);
    return false;
  }
  std::string family = std::string(base) + "[";
  auto count = static_cast<int32_t>(indices.size());
  const Entity* other = nullptr;
  if (count == 0) {
    other = scope.find(family);
  } else {
    auto [found, is_new] =
        scope.names.try_emplace(std::move(family), Entity{EntityKind::Family, count, span});
    other = scope.find(base);
    if (found->second.index != count) other = &found->second;
  }
  std::string key = indexed_name(base, indices);
  if (other == nullptr) {
    auto [found, is_new] = scope.names.try_emplace(key, Entity{kind, index, span});
    if (is_new) return true;
    report.add(duplicate(key, span, found->second.span), place);
    return false;
  }
  report.add(Diagnostic("name.duplicate",
                        std::string(base) + " is declared with different numbers of indices")
                 .at(span, "here")
                 .at(other->span, "and here")
                 .help("rename one of them"),
             place);
  return false;
}

}  // namespace cradle::model
