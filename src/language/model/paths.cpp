// Names that are read: body[i].p, d1.v_on, F13.active. A path leads through instances to one thing,
// and what is left of it names a member: e, f, p, q, active, the state of an automaton.

#include <algorithm>
#include <limits>

#include "cradle/instant.hpp"
#include "language/model/expressions.hpp"
#include "language/model/walk.hpp"

namespace cradle::model {

using expr::Op;
using Segments = std::vector<syntax::Path::Segment>;

bool evaluate_indices(Elaboration& e, const Context& context, const std::string& name,
                      const std::vector<syntax::ExprPtr>& exprs, std::vector<int64_t>& indices) {
  indices.clear();
  for (const syntax::ExprPtr& index : exprs) {
    if (!index) return false;
    auto value = constant_integer(e, context, *index, "an index of " + name);
    if (!value) return false;
    indices.push_back(*value);
  }
  return true;
}

bool evaluate_indices(Elaboration& e, const Context& context, const syntax::Path::Segment& segment,
                      std::vector<int64_t>& indices) {
  return evaluate_indices(e, context, segment.name.text, segment.indices, indices);
}

namespace {

std::vector<std::string> names_in_reach(const Context& context) {
  std::vector<std::string> names;
  for (const Scope* scope = context.place.scope; scope != nullptr; scope = scope->outer) {
    std::vector<std::string> declared = scope->component->declared_names();
    names.insert(names.end(), declared.begin(), declared.end());
  }
  for (const Turn* turn = context.place.turn; turn != nullptr; turn = turn->outer) {
    names.emplace_back(turn->variable);
  }
  if (context.locals != nullptr) {
    for (const syntax::Name& local : *context.locals) names.push_back(local.text);
  }
  for (const char* name : {"time", "pi", "inf", "omega", "absent"}) names.emplace_back(name);
  return names;
}

void report_unknown(Elaboration& e, const Context& context, const std::string& message, Span span,
                    const std::string& wrong, const std::vector<std::string>& candidates,
                    const std::string& otherwise = "") {
  Diagnostic diagnostic("name.unknown", message);
  diagnostic.at(span);
  std::string near = did_you_mean(wrong, candidates);
  if (!near.empty()) {
    diagnostic.help(near);
  } else if (!otherwise.empty()) {
    diagnostic.help(otherwise);
  }
  e.report.add(std::move(diagnostic), context.place);
}

// "body[1] to body[10] are declared", for families with one index.
std::string family_extent(const Scope& scope, const std::string& base) {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  std::string opening = base + "[";
  for (const auto& [key, entity] : scope.names) {
    if (entity.kind == EntityKind::Family || !key.starts_with(opening)) continue;
    int64_t index = std::strtoll(key.c_str() + opening.size(), nullptr, 10);
    low = std::min(low, index);
    high = std::max(high, index);
  }
  if (low > high) return {};
  if (low == high) return "only " + opening + std::to_string(low) + "] is declared";
  return opening + std::to_string(low) + "] to " + opening + std::to_string(high) +
         "] are declared";
}

void report_no_such_index(Elaboration& e, const Context& context, const Scope& scope,
                          const syntax::Path::Segment& segment, const Entity& family,
                          const std::vector<int64_t>& indices, Span span) {
  if (e.report.said("index.out-of-range", span)) return;
  const std::string& base = segment.name.text;
  Diagnostic diagnostic("index.out-of-range", "there is no " + indexed_name(base, indices));
  diagnostic.at(span).at(family.span, "declared here");
  if (static_cast<std::size_t>(family.index) != indices.size()) {
    diagnostic.note("known", base + " has " + std::to_string(family.index) +
                                 (family.index == 1 ? " index" : " indices"));
  } else if (family.index == 1) {
    diagnostic.note("known", family_extent(scope, base));
  }
  e.report.add(std::move(diagnostic), context.place);
}

std::string quoted_scope(const Elaboration& e, const Scope& scope) {
  if (scope.outer == nullptr) {
    const syntax::Definition& definition = *scope.component->definition;
    return (definition.is_block ? "block " : "component ") + definition.name.text;
  }
  const Automaton& automaton =
      e.model.automata[e.modals[static_cast<std::size_t>(scope.modal)].automaton];
  if (scope.is_modal()) return "modal model " + automaton.name;
  return "mode " + automaton.states[static_cast<std::size_t>(scope.state)] + " of " +
         automaton.name;
}

// What can be read behind the dot: a modal model has the names of all its modes.
std::vector<std::string> names_within(const Scope& scope) {
  if (!scope.is_modal()) return scope.component->declared_names();
  std::vector<std::string> names;
  for (const auto& [key, entity] : scope.names) {
    if (entity.kind != EntityKind::Family) names.push_back(key);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A name that only other modes of the same modal model define. False if it is none.
bool report_other_mode(Elaboration& e, const Context& context, const syntax::Name& name) {
  for (const Scope* scope = context.place.scope; scope != nullptr; scope = scope->outer) {
    const Entity* entity = scope->is_modal() ? scope->find(name.text) : nullptr;
    bool signal = entity != nullptr &&
                  (entity->kind == EntityKind::Signal || entity->kind == EntityKind::Vector);
    if (!signal) continue;
    e.report.add(Diagnostic("name.other-mode", "there is no " + name.text + " in this mode")
                     .at(name.span, "read here")
                     .at(entity->span, "defined in another mode")
                     .rule("a mode, its guards and its actions see their own signals, and what "
                           "stands around the modal model")
                     .help("define it in this mode too, or outside"),
                 context.place);
    return true;
  }
  return false;
}

// For a name that nothing comes near to: what can stand there.
std::string how_to_declare(const Context& context, const std::string& name) {
  if (context.known == Context::Known::Signals) {
    return "define it: " + name + " = …, or param " + name + " = …";
  }
  bool bond = context.known == Context::Known::Constants && context.what.empty();
  if (bond) return "declare it, as an element or a junction: 0 " + name;
  if (context.what == "an index") return "declare " + name + " where it is to be found";
  if (context.what.starts_with("the value of ")) {
    return "write a value: what sets a parameter knows no other names";
  }
  return "declare it: param " + name + " = …";
}

void report_missing_name(Elaboration& e, const Context& context, const Scope& scope,
                         const syntax::Path& path, std::size_t at,
                         const std::vector<int64_t>& indices) {
  if (context.quiet) return;
  const syntax::Path::Segment& segment = path.segments[at];
  const std::string& base = segment.name.text;
  if (scope.incomplete && scope.component->declared.contains(base)) return;
  Span span = segment.name.span;
  if (const Entity* family = scope.find(base + "[")) {
    report_no_such_index(
        e, context, scope, segment, *family, indices,
        at + 1 == path.segments.size() ? Span{span.file, span.begin, path.span.end} : span);
    return;
  }
  if (e.report.said("name.unknown", span)) return;
  if (at == 0) {
    if (report_other_mode(e, context, segment.name)) return;
    if (base == "t" && context.known == Context::Known::Signals) {
      Diagnostic diagnostic("name.unknown", "there is no t");
      diagnostic.at(span).help("did you mean time?");
      e.report.add(std::move(diagnostic), context.place);
      return;
    }
    report_unknown(e, context, "there is no " + base, span, base, names_in_reach(context),
                   how_to_declare(context, base));
    return;
  }
  report_unknown(e, context, quoted_scope(e, scope) + " has no " + base, span, base,
                 names_within(scope));
}

void report_indices(Elaboration& e, const Context& context, const Entity& entity,
                    const syntax::Path::Segment& segment) {
  if (context.quiet) return;
  if (entity.kind == EntityKind::Vector) {
    std::size_t size = e.signal_sources[static_cast<std::size_t>(entity.index)].size;
    e.report.add(
        Diagnostic("index.out-of-range", "there is no such item in " + segment.name.text)
            .at(segment.name.span)
            .at(entity.span, "has " + std::to_string(size) + (size == 1 ? " item" : " items")),
        context.place);
    return;
  }
  e.report.add(Diagnostic("index.unexpected",
                          segment.name.text + " is " + describe(e, entity) + " without an index")
                   .at(segment.name.span, "used with an index")
                   .at(entity.span, "declared without"),
               context.place);
}

bool takes_indices(const Elaboration& e, const Entity& entity) {
  if (entity.kind == EntityKind::Parameter) return true;
  if (entity.kind != EntityKind::Element) return false;
  const ElementSource& source = e.element_sources[static_cast<std::size_t>(entity.index)];
  return source.bad || !source.matrix.empty();
}

}  // namespace

std::string describe(const Elaboration& e, const Entity& entity) {
  auto at = static_cast<std::size_t>(entity.index);
  switch (entity.kind) {
    case EntityKind::Family:
      return "a family of things";
    case EntityKind::Parameter:
      return "a parameter";
    case EntityKind::Signal:
      return "a signal";
    case EntityKind::Vector:
      return "a vector";
    case EntityKind::Element: {
      std::string noun(elements::definition(e.model.elements[ElementId(at)].kind).noun);
      bool vowel = noun.find_first_of("aeiou") == 0;
      return (vowel ? "an " : "a ") + noun;
    }
    case EntityKind::Junction:
      return e.model.junctions[JunctionId(at)].kind == Junction::Kind::Zero ? "a 0-junction"
                                                                            : "a 1-junction";
    case EntityKind::Label:
      return "a bond";
    case EntityKind::Port:
      return "a port";
    case EntityKind::Faulty:
      return "faulty";
    case EntityKind::Modal:
      return "a modal model";
    case EntityKind::Mode:
      return "a mode";
    case EntityKind::Instance:
      break;
  }
  return "a " + e.scopes[at].component->definition->name.text;
}

namespace {

// The scope, this one or one around it, that declares the name in some form; else the scope itself.
// What other modes define is not seen from inside one.
Scope* declaring_scope(Scope* scope, const std::string& base) {
  for (Scope* outer = scope; outer != nullptr; outer = outer->outer) {
    const Entity* entity = outer->find(base);
    if (entity == nullptr) entity = outer->find(base + "[");
    if (entity == nullptr) continue;
    bool merged = outer->is_modal() && entity->kind != EntityKind::Parameter &&
                  entity->kind != EntityKind::Mode;
    if (!merged) return outer;
  }
  return scope;
}

bool leads_on(EntityKind kind) {
  return kind == EntityKind::Instance || kind == EntityKind::Modal || kind == EntityKind::Mode;
}

}  // namespace

bool resolve(Elaboration& e, const Context& context, const syntax::Path& path, Target& target) {
  Scope* scope = context.place.scope;
  if (scope->outer != nullptr && !path.segments.empty()) {
    scope = declaring_scope(scope, path.segments.front().name.text);
  }
  std::vector<int64_t> indices;
  for (std::size_t i = 0; i < path.segments.size(); ++i) {
    const syntax::Path::Segment& segment = path.segments[i];
    if (!evaluate_indices(e, context, segment, indices)) return false;
    const Entity* entity = indices.empty() ? scope->find(segment.name.text)
                                           : scope->find(indexed_name(segment.name.text, indices));
    if (entity != nullptr && entity->kind == EntityKind::Faulty) return false;
    bool whole = entity != nullptr;
    if (!whole && !indices.empty()) entity = scope->find(segment.name.text);
    if (entity == nullptr) {
      report_missing_name(e, context, *scope, path, i, indices);
      return false;
    }
    if (!whole && !takes_indices(e, *entity)) {
      report_indices(e, context, *entity, segment);
      return false;
    }
    if (leads_on(entity->kind) && i + 1 < path.segments.size()) {
      scope = &e.scopes[static_cast<std::size_t>(entity->index)];
      continue;
    }
    target = {scope, entity, whole ? std::vector<int64_t>() : indices, i + 1};
    return true;
  }
  return false;
}

std::string path_name(Elaboration& e, const Context& context, const syntax::Path& path) {
  std::string name;
  std::vector<int64_t> indices;
  for (const syntax::Path::Segment& segment : path.segments) {
    if (!evaluate_indices(e, context, segment, indices)) return {};
    if (!name.empty()) name += '.';
    name += indexed_name(segment.name.text, indices);
  }
  return name;
}

namespace {

Value constant_of_nature(Elaboration& e, const Context& context, const syntax::Path& path) {
  const std::string& name = path.segments[0].name.text;
  expr::Pool& pool = e.model.pool;
  if (name == "pi") return Value::number(3.141592653589793238462643);
  if (name == "inf") return Value::number(std::numeric_limits<double>::infinity());
  if (context.known != Context::Known::Signals) {
    report_not_constant(e, context, path.span);
    return {};
  }
  if (name == "absent") return e.value(pool.leaf(Op::Absent));
  return e.value(pool.leaf(name == "time" ? Op::Time : Op::Omega));
}

// A name without dots and indices that is no declaration: of a law, of a loop, or time, pi, …
// True if it is one of these.
bool read_plain_name(Elaboration& e, const Context& context, const syntax::Path& path,
                     Value& value) {
  const std::string& name = path.segments[0].name.text;
  if (path.segments.size() != 1 || !path.segments[0].indices.empty()) return false;
  if (context.bound != nullptr) {
    if (const Value* argument = context.bound->find(name)) {
      value = *argument;
      return true;
    }
  }
  if (context.locals != nullptr) {
    for (std::size_t i = 0; i < context.locals->size(); ++i) {
      if ((*context.locals)[i].text != name) continue;
      if (context.known != Context::Known::Signals) {
        report_not_constant(e, context, path.span);
      } else {
        value = e.value(e.model.pool.leaf(Op::Local, static_cast<int32_t>(i)));
      }
      return true;
    }
  }
  if (const Turn* turn = find_turn(context.place.turn, name)) {
    value = Value::number(static_cast<double>(turn->value));
    return true;
  }
  if (!is_constant_of_nature(name)) return false;
  value = constant_of_nature(e, context, path);
  return true;
}

Value read_parameter(Elaboration& e, const Context& context, const syntax::Path& path,
                     const Target& target) {
  Value value = target.scope->parameters[static_cast<std::size_t>(target.entity->index)];
  for (int64_t index : target.indices) {
    if (value.bad()) return {};
    if (value.kind != Value::Kind::List) {
      report_indices(e, context, *target.entity, path.segments[target.next - 1]);
      return {};
    }
    auto count = static_cast<int64_t>(value.items->size());
    if (index < 1 || index > count) {
      if (context.quiet) return {};
      e.report.add(
          Diagnostic("index.out-of-range", "there is no item " + std::to_string(index) + " in " +
                                               path.segments[target.next - 1].name.text)
              .at(path.span)
              .at(target.entity->span,
                  "has " + std::to_string(count) + (count == 1 ? " item" : " items")),
          context.place);
      return {};
    }
    Value item = (*value.items)[static_cast<std::size_t>(index - 1)];
    value = std::move(item);
  }
  return value;
}

std::string members_of_instance(const Component& component, const std::string& name) {
  std::string members;
  auto add = [&](const std::string& member) {
    members.append(members.empty() ? "" : ", ").append(name).append(".").append(member);
  };
  for (const syntax::Port* output : component.outputs) add(output->name.text);
  for (const syntax::Port* port : component.ports) add(port->name.text + ".e");
  for (const syntax::Param* parameter : component.parameters) add(parameter->name.text);
  return members;
}

std::string members_of(const Elaboration& e, const Target& target, const std::string& name) {
  auto at = static_cast<std::size_t>(target.entity->index);
  if (target.entity->kind == EntityKind::Element) {
    const Element& element = e.model.elements[ElementId(at)];
    if (elements::definition(element.kind).through) {
      return name + ".in.e, " + name + ".in.f, " + name + ".out.e, " + name + ".out.f";
    }
    if (!e.element_sources[at].matrix.empty() && target.indices.empty()) {
      return name + "[1].e, " + name + "[1].f, " + name + "[1].p, " + name + "[1].q";
    }
  }
  if (target.entity->kind == EntityKind::Junction) {
    bool zero = e.model.junctions[JunctionId(at)].kind == Junction::Kind::Zero;
    std::string members = name + (zero ? ".e, " : ".f, ") + name + (zero ? ".p" : ".q");
    return e.model.junctions[JunctionId(at)].automaton.valid() ? members + ", " + name + ".active"
                                                               : members;
  }
  if (target.entity->kind == EntityKind::Instance) {
    return members_of_instance(*e.scopes[at].component, name);
  }
  if (target.entity->kind == EntityKind::Modal) {
    std::string members;
    for (const std::string& member : names_within(e.scopes[at])) {
      members.append(members.empty() ? "" : ", ").append(name).append(".").append(member);
    }
    return members;
  }
  return name + ".e, " + name + ".f, " + name + ".p, " + name + ".q";
}

// The path leads to a thing that is no value, or to a member that it has not.
Value report_not_a_value(Elaboration& e, const Context& context, const syntax::Path& path,
                         const Target& target) {
  if (context.quiet) return {};
  std::string name;
  for (std::size_t i = 0; i < target.next; ++i) {
    name += (i > 0 ? "." : "") + path.segments[i].name.text;
    if (!path.segments[i].indices.empty()) name += "[…]";
  }
  std::string what = name + " is " + describe(e, *target.entity);
  bool value = target.entity->kind == EntityKind::Parameter ||
               target.entity->kind == EntityKind::Signal ||
               target.entity->kind == EntityKind::Vector;
  if (target.next == path.segments.size()) {
    Diagnostic diagnostic("name.not-a-value", what + ", not a value");
    diagnostic.at(path.span);
    std::string members = members_of(e, target, name);
    if (!members.empty()) diagnostic.help("read " + members);
    e.report.add(std::move(diagnostic), context.place);
  } else {
    const syntax::Name& member = path.segments[target.next].name;
    Diagnostic diagnostic("name.unknown", what + " and has no " + member.text);
    diagnostic.at(member.span);
    if (!value) diagnostic.help("read " + members_of(e, target, name));
    e.report.add(std::move(diagnostic), context.place);
  }
  return {};
}

// e, f, p or q of a bond. An invalid bond has been reported when bonds were connected.
Value read_bond(Elaboration& e, const Context& context, const syntax::Path& path,
                const Target& target, BondId bond, std::size_t member) {
  if (member + 1 != path.segments.size() || !path.segments[member].indices.empty()) {
    return report_not_a_value(e, context, path, target);
  }
  const std::string& variable = path.segments[member].name.text;
  bool known = variable == "e" || variable == "f" || variable == "p" || variable == "q";
  if (!known) return report_not_a_value(e, context, path, target);
  if (!bond.valid()) return {};
  if (variable == "e") return e.value(e.model.pool.leaf(Op::Effort, bond.index));
  if (variable == "f") return e.value(e.model.pool.leaf(Op::Flow, bond.index));
  std::string name = context.place.scope->prefix + path_name(e, context, path);
  return read_integral_of_bond(e, bond, variable == "p", name, path.span);
}

Value read_element(Elaboration& e, const Context& context, const syntax::Path& path,
                   const Target& target) {
  ElementId id(static_cast<std::size_t>(target.entity->index));
  const Element& element = e.model.elements[id];
  std::size_t port = 0, member = target.next;
  if (elements::definition(element.kind).through) {
    if (member + 1 >= path.segments.size()) return report_not_a_value(e, context, path, target);
    const std::string& side = path.segments[member].name.text;
    if (side != "in" && side != "out") return report_not_a_value(e, context, path, target);
    port = side == "in" ? 0 : 1;
    ++member;
  } else if (e.element_sources[static_cast<std::size_t>(id.index)].bad) {
    return {};
  } else if (!e.element_sources[static_cast<std::size_t>(id.index)].matrix.empty()) {
    if (target.indices.size() != 1) return report_not_a_value(e, context, path, target);
    auto ports = static_cast<int64_t>(element.ports.size());
    if (target.indices[0] < 1 || target.indices[0] > ports) {
      if (context.quiet) return {};
      e.report.add(Diagnostic("index.out-of-range",
                              element.name + " has no port " + std::to_string(target.indices[0]))
                       .at(path.span)
                       .at(element.span, "has " + std::to_string(ports) + " ports"),
                   context.place);
      return {};
    }
    port = static_cast<std::size_t>(target.indices[0] - 1);
  }
  if (port >= element.ports.size()) return {};
  return read_bond(e, context, path, target, element.ports[port].bond, member);
}

Value report_not_common(Elaboration& e, const Context& context, const syntax::Path& path,
                        const Junction& junction, bool effort) {
  if (context.quiet) return {};
  bool zero = junction.kind == Junction::Kind::Zero;
  const char* variable = effort ? "effort" : "flow";
  Diagnostic diagnostic("junction.not-common", junction.name + " has no common " + variable);
  diagnostic.at(path.span).at(junction.span, zero ? "a 0-junction" : "a 1-junction");
  if (zero == effort) {
    diagnostic.rule(std::string("while it is inactive, the ") + variable +
                    "s of its bonds are unrelated");
  } else {
    diagnostic.rule(zero ? "the bonds of a 0-junction share their effort"
                         : "the bonds of a 1-junction share their flow");
  }
  diagnostic.help("label the bond that you mean (b: x -> y), and read b." +
                  path.segments.back().name.text);
  e.report.add(std::move(diagnostic), context.place);
  return {};
}

Value read_junction(Elaboration& e, const Context& context, const syntax::Path& path,
                    const Target& target) {
  const Junction& junction =
      e.model.junctions[JunctionId(static_cast<std::size_t>(target.entity->index))];
  if (target.next + 1 != path.segments.size() || !path.segments.back().indices.empty()) {
    return report_not_a_value(e, context, path, target);
  }
  const std::string& member = path.segments.back().name.text;
  bool effort = member == "e" || member == "p", flow = member == "f" || member == "q";
  if (effort || flow) {
    bool zero = junction.kind == Junction::Kind::Zero;
    bool kept =
        !junction.automaton.valid() || (junction.inactive == Junction::Inactive::Effort) == zero;
    if (zero != effort || !kept) return report_not_common(e, context, path, junction, effort);
    if (!junction.bonds.empty()) {
      return read_bond(e, context, path, target, junction.bonds.front().bond, target.next);
    }
    if (!context.quiet && !e.wires_failed) {
      e.report.add(Diagnostic("junction.unbonded", junction.name + " has no bonds, so it has no " +
                                                       (effort ? "effort" : "flow"))
                       .at(path.span)
                       .at(junction.span, "declared here"),
                   context.place);
    }
    return {};
  }
  if (!junction.automaton.valid()) return report_not_a_value(e, context, path, target);
  int32_t automaton = junction.automaton.index;
  if (member == "active") return e.value(e.active(junction));
  const auto& states = e.model.automata[junction.automaton].states;
  auto state = std::find(states.begin(), states.end(), member);
  if (state == states.end()) return report_not_a_value(e, context, path, target);
  return e.value(
      e.model.pool.leaf(Op::InMode, automaton, static_cast<double>(state - states.begin())));
}

// A signal that is never there has no type of its own: it fits everywhere.
Value read_signal(Elaboration& e, SignalId id) {
  const SignalSource& source = e.signal_sources[static_cast<std::size_t>(id.index)];
  if (source.value != nullptr && is_absent_literal(*source.value)) {
    return e.value(e.model.pool.leaf(Op::Absent));
  }
  return e.value(e.model.pool.leaf(Op::Signal, id.index, 0, signal_type(e, id)));
}

Value read_target(Elaboration& e, const Context& context, const syntax::Path& path,
                  const Target& target) {
  auto at = static_cast<std::size_t>(target.entity->index);
  switch (target.entity->kind) {
    case EntityKind::Signal:
      if (target.next != path.segments.size()) break;
      return read_signal(e, SignalId(at));
    case EntityKind::Vector:
      if (target.next != path.segments.size()) break;
      return e.signal(SignalId(at));
    case EntityKind::Mode:
      return e.value(e.active_mode(e.scopes[at]));
    case EntityKind::Element:
      return read_element(e, context, path, target);
    case EntityKind::Junction:
      return read_junction(e, context, path, target);
    case EntityKind::Label:
      return read_bond(e, context, path, target, e.wires[at].bond, target.next);
    case EntityKind::Port: {
      const PowerPort& port = e.ports[at];
      int32_t wire = port.outside >= 0 ? port.outside : port.inside;
      BondId bond = wire >= 0 ? e.wires[static_cast<std::size_t>(wire)].bond : BondId();
      return read_bond(e, context, path, target, bond, target.next);
    }
    case EntityKind::Parameter:
    case EntityKind::Instance:
    case EntityKind::Modal:
    case EntityKind::Family:
    case EntityKind::Faulty:
      break;
  }
  return report_not_a_value(e, context, path, target);
}

// What stands in a mode is absent to others while that mode is not active.
Value read_across(Elaboration& e, const Context& context, const Target& target, Value value) {
  RegionId region = target.scope->region;
  bool inside = e.lies_in(context.place.scope->region, region);
  if (inside || value.bad()) return value;
  return item_by_item({value}, [&](const std::vector<Value>& items) {
    if (!items[0].expr.valid()) return items[0];
    return e.value(e.seen_from_outside(region, items[0].expr));
  });
}

// While names are being declared, only parameters have values. True if this is something else that
// the definition declares somewhere.
bool is_declared_but_no_parameter(const Context& context, const syntax::Path& path) {
  std::string_view name = path.segments[0].name.text;
  for (const Scope* scope = context.place.scope; scope != nullptr; scope = scope->outer) {
    if (!scope->component->declared.contains(name)) continue;
    return scope->component->find_parameter(name) < 0;
  }
  return false;
}

// A parameter that is given as a signal stands where the structure needs to know it.
bool report_signal_parameter(Elaboration& e, const Context& context, const syntax::Path& path,
                             const Entity& entity) {
  if (entity.kind != EntityKind::Signal && entity.kind != EntityKind::Vector) return false;
  const SignalSource& source = e.signal_sources[static_cast<std::size_t>(entity.index)];
  if (!source.is_parameter) return false;
  if (context.quiet) return true;
  const std::string name = path_name(e, context, path);
  e.report.add(Diagnostic("param.not-constant", name + " is a signal here, and has to be known")
                   .at(source.value->span, "given as a signal")
                   .at(path.span, std::string(context.what) + " has to be known")
                   .rule("a parameter may be given as a signal where the component uses it only in "
                         "what runs: signals, guards, laws and sources")
                   .help("give it a number, or let the component ask: if is_constant(" + name +
                         ") { … } else { … }"),
               context.place);
  return true;
}

// Of a name without what follows it. What nobody declares is no signal: it will be reported.
bool is_signal_name(const Place& place, std::string_view name) {
  if (find_turn(place.turn, name) != nullptr) return false;
  if (is_constant_of_nature(name)) return name != "pi" && name != "inf";
  for (const Scope* scope = place.scope; scope != nullptr; scope = scope->outer) {
    if (!scope->component->declared.contains(name)) continue;
    const Entity* entity = scope->find(name);
    return scope->component->find_parameter(name) < 0 ||
           (entity != nullptr && entity->kind == EntityKind::Signal);
  }
  return false;
}

}  // namespace

bool reads_signals(Elaboration& e, const Place& place, const syntax::Expr& expr) {
  bool found = false;
  for_each_name(
      expr, [&](std::string_view name) { found = found || is_signal_name(place, name); },
      [&](std::string_view function) { found = found || is_function_of_run(function); });
  if (!found) return false;
  // It may stand in a branch that parameters rule out.
  Context context(place);
  context.known = Context::Known::Parameters;
  context.quiet = true;
  return evaluate(e, context, expr).bad();
}

Value read_path(Elaboration& e, const Context& context, const syntax::Path& path) {
  if (path.segments.empty()) return {};
  Value plain;
  if (read_plain_name(e, context, path, plain)) return plain;
  if (context.known == Context::Known::Parameters && is_declared_but_no_parameter(context, path)) {
    report_not_constant(e, context, path.span);
    return {};
  }
  Target target;
  if (!resolve(e, context, path, target)) return {};
  if (target.entity->kind == EntityKind::Parameter && target.next == path.segments.size()) {
    return read_parameter(e, context, path, target);
  }
  if (context.known != Context::Known::Signals) {
    bool value = target.entity->kind == EntityKind::Signal ||
                 target.entity->kind == EntityKind::Vector ||
                 target.entity->kind == EntityKind::Mode || target.next < path.segments.size();
    if (!value) return report_not_a_value(e, context, path, target);
    if (report_signal_parameter(e, context, path, *target.entity)) return {};
    report_not_constant(e, context, path.span);
    return {};
  }
  return read_across(e, context, target, read_target(e, context, path, target));
}

}  // namespace cradle::model
