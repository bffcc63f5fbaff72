// Parts between nodes: R r1(4.7 kOhm) from a to b. What is made of it is what one would write:
//
//   nodes of effort (0-junctions: wires, pipes, temperatures)
//     1 r1_ends    a -> r1_ends -> b    r1_ends -> r1        e = e(a) - e(b), f runs from a to b
//   nodes of flow (1-junctions: bodies, shafts)
//     0 r1_ends    a -> r1_ends -> b    r1_ends -> r1        f = f(a) - f(b)
//   a component whose first ports are p and q; any further ones are bonded one by one
//     a -> d.p     d.q -> b
//
// `ground` has no effort, among nodes of flow no flow: a bond to it carries nothing and is left
// out, except for a port, which needs one. A node that is named and not declared is made. It is of
// flow if a part ties it to one that is, otherwise of effort.

#include <map>

#include "language/model/expressions.hpp"
#include "language/model/structure.hpp"

namespace cradle::model {

namespace {

using Kind = syntax::Junction::Kind;

class Placer {
 public:
  explicit Placer(Elaboration& e) : e_(e) {}

  void place() {
    // Nodes of flow spread to what is tied to them.
    for (bool again = true; again;) {
      again = false;
      for (const PlacedPart& part : parts_) again = spread(part) || again;
    }
    for (const PlacedPart& part : parts_) {
      if (e_.stopped) return;
      make_nodes(part);
      bond(part);
    }
    if (!e_.report.has_errors()) warn_of_lone_nodes();
  }

 private:
  using Node = std::pair<const Scope*, std::string>;

  static bool is_ground(const syntax::Path& path) {
    return path.segments.size() == 1 && path.segments[0].indices.empty() &&
           path.segments[0].name.text == "ground";
  }

  // The key under which a node is, or would be, declared. Nothing for ground and for what lies in
  // an instance.
  std::optional<Node> node(const PlacedPart& part, const syntax::Path& path) {
    if (path.segments.size() != 1 || (is_ground(path) && !is_declared(part, "ground"))) {
      return std::nullopt;
    }
    Context context(part.place);
    context.known = Context::Known::Constants;
    context.quiet = true;
    std::vector<int64_t> indices;
    if (!evaluate_indices(e_, context, path.segments[0], indices)) return std::nullopt;
    return Node{part.place.scope, indexed_name(path.segments[0].name.text, indices)};
  }
  // Also around the mode in which the part stands: a bond to there is reported.
  static const Entity* find(const Scope* scope, const std::string& key) {
    const Entity* entity = nullptr;
    for (; scope != nullptr && entity == nullptr; scope = scope->outer) entity = scope->find(key);
    return entity;
  }
  static bool is_declared(const PlacedPart& part, const std::string& key) {
    return find(part.place.scope, key) != nullptr;
  }

  std::optional<Kind> kind_of(const Node& node) {
    const Entity* entity = find(node.first, node.second);
    if (entity != nullptr && entity->kind == EntityKind::Junction) {
      const auto at = static_cast<std::size_t>(entity->index);
      const bool zero = e_.model.junctions[JunctionId(at)].kind == Junction::Kind::Zero;
      return zero ? Kind::Zero : Kind::One;
    }
    const auto found = kinds_.find(node);
    return found == kinds_.end() ? std::nullopt : std::optional(found->second);
  }

  bool spread(const PlacedPart& part) {
    const auto a = node(part, part.declaration->from), b = node(part, part.declaration->to);
    if (!a || !b) return false;
    const std::optional<Kind> ka = kind_of(*a), kb = kind_of(*b);
    if (ka == Kind::One && !kb) return kinds_.emplace(*b, Kind::One).second;
    if (kb == Kind::One && !ka) return kinds_.emplace(*a, Kind::One).second;
    return false;
  }

  void make_nodes(const PlacedPart& part) {
    for (const syntax::Path* path : {&part.declaration->from, &part.declaration->to}) {
      const std::optional<Node> wanted = node(part, *path);
      if (!wanted || is_declared(part, wanted->second)) continue;
      syntax::Junction& junction = e_.made_junctions.emplace_back();
      junction.kind = kind_of(*wanted).value_or(Kind::Zero);
      junction.name.name = {wanted->second, path->span};
      declare_made(e_, part.place, junction, path->span);
      made_.push_back({*wanted, path->span, part.place});
    }
  }

  // A node that was made because it was named, and is named nowhere else, is a slip of the pen.
  void warn_of_lone_nodes() {
    std::map<Node, int> uses;
    for (const Wire& wire : e_.wires) {
      for (const syntax::Path* path : {wire.from_path, wire.to_path}) {
        if (path->segments.size() != 1) continue;
        std::vector<int64_t> indices;
        Context context(wire.place);
        context.quiet = true;
        if (!evaluate_indices(e_, context, path->segments[0], indices)) continue;
        ++uses[{wire.place.scope, indexed_name(path->segments[0].name.text, indices)}];
      }
    }
    for (const Made& made : made_) {
      if (uses[made.node] != 1) continue;
      std::vector<std::string> others;
      for (const auto& [other, times] : uses) {
        if (other.first == made.node.first && times > 1) others.push_back(other.second);
      }
      const std::string near = did_you_mean(made.node.second, others);
      e_.report.add(Diagnostic("place.lone", "nothing else is tied to " + made.node.second)
                        .warning()
                        .at(made.span, "named here only")
                        .rule("a node is made by being named; one end alone carries no flow")
                        .help(near.empty() ? "tie another part to it" : near),
                    made.place);
    }
  }

  void bond(const PlacedPart& part) {
    const syntax::Declaration& declaration = *part.declaration;
    const auto a = node(part, declaration.from), b = node(part, declaration.to);
    const Kind ka = a ? kind_of(*a).value_or(Kind::Zero) : Kind::Zero;
    const Kind kb = b ? kind_of(*b).value_or(Kind::Zero) : ka;
    const Kind kind = a ? ka : kb;
    if (a && b && ka != kb) return report_kinds(part, ka);
    if (!a && !b && is_ground(declaration.from) && is_ground(declaration.to)) {
      return report_grounded(part);
    }
    if (const auto* definition = elements::find(declaration.type.text)) {
      return bond_element(part, *definition, kind);
    }
    bond_component(part, kind);
  }

  bool left_out(const PlacedPart& part, const syntax::Path& path) const {
    return is_ground(path) && !is_declared(part, "ground");
  }

  void bond_element(const PlacedPart& part, const elements::Definition& definition, Kind kind) {
    const syntax::Declaration& d = *part.declaration;
    const Span span = d.name.name.span;
    if (definition.through) return report_through(part, definition);
    const std::string own = indexed_name(d.name.name.text, part.indices);
    if (left_out(part, d.to)) return chain(part, {&d.from, named(own, span)}, span);
    const std::string ends = indexed_name(d.name.name.text + "_ends", part.indices);
    syntax::Junction& junction = e_.made_junctions.emplace_back();
    junction.kind = kind == Kind::Zero ? Kind::One : Kind::Zero;
    junction.name.name = {ends, span};
    declare_made(e_, part.place, junction, span);
    if (!left_out(part, d.from)) chain(part, {&d.from, named(ends, span)}, span);
    chain(part, {named(ends, span), &d.to}, span);
    chain(part, {named(ends, span), named(own, span)}, span);
  }

  void bond_component(const PlacedPart& part, Kind kind) {
    const syntax::Declaration& d = *part.declaration;
    const std::string own = indexed_name(d.name.name.text, part.indices);
    const Entity* entity = part.place.scope->find(own);
    if (entity == nullptr || entity->kind != EntityKind::Instance) return;
    const Scope& instance = e_.scopes[static_cast<std::size_t>(entity->index)];
    const std::vector<const syntax::Port*>& ports = instance.component->ports;
    if (ports.size() < 2) return report_ports(part, *instance.component);
    const Span span = d.name.name.span;
    const syntax::Path* from = left_out(part, d.from) ? ground(part, kind, span) : &d.from;
    const syntax::Path* to = left_out(part, d.to) ? ground(part, kind, span) : &d.to;
    chain(part, {from, named(own, span, ports[0]->name.text)}, span);
    chain(part, {named(own, span, ports[1]->name.text), to}, span);
  }

  // A junction that a source holds at zero, once in each definition.
  const syntax::Path* ground(const PlacedPart& part, Kind kind, Span span) {
    const bool zero = kind == Kind::Zero;
    const std::string name = zero ? "ground_0" : "ground_1";
    if (!is_declared(part, name)) {
      syntax::Junction& junction = e_.made_junctions.emplace_back();
      junction.kind = kind;
      junction.name.name = {name, span};
      declare_made(e_, part.place, junction, span);
      syntax::Declaration& source = e_.made_elements.emplace_back();
      source.type = {std::string(holder(zero)), span};
      source.name.name = {name + "_source", span};
      source.value = std::make_unique<syntax::Expr>();
      source.value->node = syntax::NumberLiteral{0, "0"};
      source.value->span = span;
      declare_made(e_, part.place, source, span);
      chain(part, {named(name, span), named(name + "_source", span)}, span);
    }
    return named(name, span);
  }

  // The source that fixes an effort, or a flow.
  static std::string_view holder(bool effort) {
    using Causality = elements::Definition::Causality;
    for (const elements::Definition* each : elements::all()) {
      if (each->causality == (effort ? Causality::SetsEffort : Causality::SetsFlow)) {
        return each->name;
      }
    }
    return {};
  }

  // A path that is kept: r1, r1_ends or d.a.
  const syntax::Path* named(const std::string& name, Span span, const std::string& member = {}) {
    syntax::BondChain& keeper = e_.made_bonds.emplace_back();
    syntax::Path& path = keeper.ends.emplace_back();
    path.span = span;
    path.segments.emplace_back().name = {name, span};
    if (!member.empty()) path.segments.emplace_back().name = {member, span};
    return &path;
  }

  void chain(const PlacedPart& part, std::pair<const syntax::Path*, const syntax::Path*> ends,
             Span span) {
    if (!e_.room_for_things(span, part.place)) return;
    Wire wire;
    wire.place = part.place;
    wire.from_path = ends.first;
    wire.to_path = ends.second;
    wire.span = span;
    e_.wires.push_back(std::move(wire));
  }

  void report_kinds(const PlacedPart& part, Kind from) {
    const syntax::Declaration& d = *part.declaration;
    const auto kind = [](bool zero) { return zero ? "a 0-junction" : "a 1-junction"; };
    e_.report.add(Diagnostic("place.kinds", d.name.name.text + " stands between nodes of two kinds")
                      .at(d.from.span, kind(from == Kind::Zero))
                      .at(d.to.span, kind(from != Kind::Zero))
                      .rule("nodes of circuits, pipes and temperatures are 0-junctions, which have "
                            "one effort; bodies and shafts are 1-junctions, which have one flow")
                      .help("put a transformer or gyrator between the two"),
                  part.place);
    e_.wires_failed = true;
  }
  void report_grounded(const PlacedPart& part) {
    const syntax::Declaration& d = *part.declaration;
    e_.report.add(Diagnostic("place.grounded", d.name.name.text + " has both ends on the ground")
                      .at(d.from.span)
                      .at(d.to.span)
                      .help("name the node that one of its ends is tied to"),
                  part.place);
    e_.wires_failed = true;
  }
  void report_through(const PlacedPart& part, const elements::Definition& definition) {
    const std::string& name = part.declaration->name.name.text;
    e_.report.add(Diagnostic("place.through", "a " + std::string(definition.noun) +
                                                  " has a port on either side, and is bonded")
                      .at(part.declaration->name.name.span)
                      .help("write a -> " + name + " -> b"),
                  part.place);
    e_.wires_failed = true;
  }
  void report_ports(const PlacedPart& part, const Component& component) {
    const syntax::Declaration& d = *part.declaration;
    e_.report.add(
        Diagnostic("place.ports", d.type.text + " has " + std::to_string(component.ports.size()) +
                                      (component.ports.size() == 1 ? " port" : " ports"))
            .at(d.type.span)
            .at(component.definition->name.span, "defined here")
            .rule(
                "what stands from one node to another has two ports, or more, whose first two are "
                "meant")
            .help("bond its ports one by one: a -> " + d.name.name.text + "." +
                  (component.ports.empty() ? "port" : component.ports[0]->name.text)),
        part.place);
    e_.wires_failed = true;
  }

  Elaboration& e_;
  const std::vector<PlacedPart>& parts_ = e_.placed;
  std::map<Node, Kind> kinds_;
  struct Made {
    Node node;
    Span span;
    Place place;
  };
  std::vector<Made> made_;
};

}  // namespace

void place_parts(Elaboration& e) {
  if (!e.placed.empty()) Placer(e).place();
}

}  // namespace cradle::model
