// connect: wires (bonds as written) → bonds. Inside a component a wire may end in a port, outside
// it may end in the port of an instance; the two that meet there are one bond, through any number
// of levels. Every port of an element gets exactly one bond.

#include <algorithm>

#include "language/model/expressions.hpp"

namespace cradle::model {

namespace {

class Connector {
 public:
  explicit Connector(Elaboration& e) : e_(e) {
    for (const Element& element : e.model.elements) {
      first_port_.push_back(port_wires_.size());
      port_wires_.resize(port_wires_.size() + element.ports.size(), -1);
    }
  }

  void connect() {
    for (std::size_t i = 0; i < e_.wires.size() && !e_.stopped; ++i) {
      Wire& wire = e_.wires[i];
      attach(static_cast<int32_t>(i), wire, *wire.from_path, wire.from, true);
      attach(static_cast<int32_t>(i), wire, *wire.to_path, wire.to, false);
    }
    check_port_directions();
    merge();
    e_.same_effort = share(Junction::Kind::Zero);
    e_.same_flow = share(Junction::Kind::One);
    if (e_.wires_failed) return;
    check_elements();
    check_ports();
    check_junctions();
  }

 private:
  void fail(Diagnostic diagnostic, const Place& place) {
    e_.wires_failed = true;
    e_.report.add(std::move(diagnostic), place);
  }
  void fail_end(const Place& place, Span span, const std::string& message,
                const std::string& help) {
    Diagnostic diagnostic("bond.end", message);
    diagnostic.at(span).rule("a bond joins elements, junctions and ports");
    if (!help.empty()) diagnostic.help(help);
    fail(std::move(diagnostic), place);
  }

  void attach(int32_t index, Wire& wire, const syntax::Path& path, WireEnd& end, bool is_from) {
    Context context(wire.place);
    context.known = Context::Known::Constants;
    Target target;
    end.span = path.span;
    if (!resolve(e_, context, path, target)) {
      e_.wires_failed = true;
      return;
    }
    auto at = static_cast<std::size_t>(target.entity->index);
    bool whole = target.next == path.segments.size();
    bool here = target.scope == wire.place.scope;
    if (target.entity->kind == EntityKind::Port && whole && !crosses_mode(wire, target)) {
      attach_port(index, wire, path, end, at, here);
    } else if (!here && whole && crosses_mode(wire, target)) {
      report_crossing(wire, path, target);
    } else if (!here || !whole) {
      fail_end(wire.place, path.span, "a bond cannot end in " + e_.report.source_text(path.span),
               here ? "" : "only the ports of an instance can be reached from outside");
    } else if (target.entity->kind == EntityKind::Junction) {
      end = {WireEnd::Kind::Junction, target.entity->index, 0, path.span};
    } else if (target.entity->kind == EntityKind::Element) {
      attach_element(index, wire, path, end, target, is_from);
    } else {
      report_wrong_end(wire.place, path, target);
    }
  }

  // A mode is a bond graph of its own: what is outside would be left with bonds that come and go.
  static bool crosses_mode(const Wire& wire, const Target& target) {
    return wire.place.scope->region != target.scope->region;
  }

  void report_crossing(const Wire& wire, const syntax::Path& path, const Target& target) {
    fail(Diagnostic("bond.crosses-mode", "this bond crosses the border of a mode")
             .at(path.span, "on the other side")
             .at(target.entity->span, "declared here")
             .rule("a bond stays within one mode")
             .help("couple a mode with its surroundings by signals: a source in one, what it reads "
                   "in the other; or use a controlled junction"),
         wire.place);
  }

  void report_wrong_end(const Place& place, const syntax::Path& path, const Target& target) {
    std::string help;
    if (target.entity->kind == EntityKind::Instance) {
      const Scope& instance = e_.scopes[static_cast<std::size_t>(target.entity->index)];
      for (const syntax::Port* port : instance.component->ports) {
        help += (help.empty() ? "name one of its ports: " : ", ") +
                e_.report.source_text(path.span) + "." + port->name.text;
      }
    }
    fail_end(place, path.span,
             e_.report.source_text(path.span) + " is " + describe(e_, *target.entity), help);
  }

  void attach_port(int32_t index, const Wire& wire, const syntax::Path& path, WireEnd& end,
                   std::size_t at, bool inside) {
    PowerPort& port = e_.ports[at];
    const InstanceSource& source = e_.instance_sources[static_cast<std::size_t>(port.instance)];
    if (!inside && source.parent.scope != wire.place.scope) {
      return fail_end(wire.place, path.span,
                      e_.report.source_text(path.span) + " is a port of an instance inside another",
                      "give the outer component a port of its own");
    }
    int32_t& slot = inside ? port.inside : port.outside;
    if (slot >= 0) {
      const Wire& other = e_.wires[static_cast<std::size_t>(slot)];
      fail(Diagnostic("port.connected-twice",
                      "port " + e_.report.source_text(path.span) + " has two bonds")
               .at(path.span, "this one")
               .at(other.span, "and this one")
               .rule("a port joins one bond from outside to one from inside")
               .help("put a junction before it"),
           wire.place);
      return;
    }
    slot = index;
    end = {inside ? WireEnd::Kind::PortInside : WireEnd::Kind::PortOutside,
           static_cast<int32_t>(at), 0, path.span};
  }

  void attach_element(int32_t index, const Wire& wire, const syntax::Path& path, WireEnd& end,
                      const Target& target, bool is_from) {
    ElementId id(static_cast<std::size_t>(target.entity->index));
    const Element& element = e_.model.elements[id];
    const elements::Definition& definition = elements::definition(element.kind);
    int port = 0;
    if (definition.through) port = is_from ? 1 : 0;
    if (!choose_field_port(wire, path, target, port)) return;
    if (definition.power_in && is_from) {
      const std::string what = describe(e_, *target.entity);
      const Wire* other = definition.through ? nullptr : other_wire_to(wire);
      if (other != nullptr) return report_one_port(wire, *other, element, what);
      return report_direction(wire, element, what);
    }
    int32_t& slot = port_wires_[first_port_[static_cast<std::size_t>(id.index)] +
                                static_cast<std::size_t>(port)];
    if (slot >= 0) {
      report_connected_twice(wire, path, element, definition, is_from, slot);
      return;
    }
    slot = index;
    end = {WireEnd::Kind::Element, id.index, port, path.span};
  }

  // False, with a diagnostic, if a port of a field is not named as it should be.
  bool choose_field_port(const Wire& wire, const syntax::Path& path, const Target& target,
                         int& port) {
    auto at = static_cast<std::size_t>(target.entity->index);
    const ElementSource& source = e_.element_sources[at];
    if (source.bad) {
      e_.wires_failed = true;
      return false;
    }
    if (source.matrix.empty()) return true;
    auto ports = static_cast<int64_t>(source.matrix.size());
    const std::string& name = e_.model.elements[ElementId(at)].name;
    if (target.indices.size() != 1) {
      fail_end(wire.place, path.span, name + " has " + std::to_string(ports) + " ports",
               "say which: " + e_.report.source_text(path.span) + "[1]");
      return false;
    }
    if (target.indices[0] < 1 || target.indices[0] > ports) {
      fail(
          Diagnostic("index.out-of-range",
                     name + " has no port " + std::to_string(target.indices[0]))
              .at(path.span)
              .at(e_.model.elements[ElementId(at)].span, "has " + std::to_string(ports) + " ports"),
          wire.place);
      return false;
    }
    port = static_cast<int>(target.indices[0] - 1);
    return true;
  }

  // A bond that leads to what this one comes from, wherever it stands in the text.
  const Wire* other_wire_to(const Wire& wire) const {
    const std::string name = e_.report.source_text(wire.from_path->span);
    for (const Wire& other : e_.wires) {
      if (other.place.scope != wire.place.scope || other.to_path == nullptr) continue;
      if (e_.report.source_text(other.to_path->span) == name) return &other;
    }
    return nullptr;
  }

  // v -> r -> c, as one would draw it in a circuit: r does not stand between two nodes here.
  void report_one_port(const Wire& wire, const Wire& other, const Element& element,
                       const std::string& what) {
    const auto text = [this](const syntax::Path* path) {
      return e_.report.source_text(path->span);
    };
    const Scope& scope = *wire.place.scope;
    std::string series = "s";
    if (scope.find(series) != nullptr) series = "series_" + element.name;
    const std::string before = text(other.from_path), behind = text(wire.to_path);
    fail(
        Diagnostic("element.one-port", element.name + " has one port, and no bond leads through it")
            .at(wire.from_path->span, what)
            .rule("what carries the same flow hangs on one 1-junction; what has the same effort, "
                  "on one 0-junction")
            .help("put a 1-junction in series: 1 " + series + ", then " + before + " -> " + series +
                  ", " + series + " -> " + text(wire.from_path) + ", " + series + " -> " + behind),
        wire.place);
  }

  void report_direction(const Wire& wire, const Element& element, const std::string& what) {
    fail(Diagnostic("bond.direction", "the half-arrow points away from " + element.name)
             .at(wire.from_path->span, what)
             .rule("stores and resistors take power in: their half-arrow points to them")
             .help("turn it round: " + e_.report.source_text(wire.to_path->span) + " -> " +
                   e_.report.source_text(wire.from_path->span)),
         wire.place);
  }

  void report_connected_twice(const Wire& wire, const syntax::Path& path, const Element& element,
                              const elements::Definition& definition, bool is_from, int32_t slot) {
    const Wire& other = e_.wires[static_cast<std::size_t>(slot)];
    Diagnostic diagnostic("element.connected-twice",
                          definition.through ? element.name + " has two half-arrows that point " +
                                                   (is_from ? "out" : "in")
                                             : element.name + " has two bonds");
    diagnostic.at(path.span, "this one").at(other.span, "and this one");
    if (definition.through) {
      diagnostic.rule("one half-arrow points to " + std::string(definition.name) +
                      ", one points away");
      diagnostic.help("turn one of them round");
    } else {
      diagnostic.rule("an element has one bond per port");
      diagnostic.help("put a junction between");
    }
    fail(std::move(diagnostic), wire.place);
  }

  const Wire& wire(int32_t index) const { return e_.wires[static_cast<std::size_t>(index)]; }

  void check_port_directions() {
    agrees_.assign(e_.ports.size(), true);
    for (std::size_t i = 0; i < e_.ports.size(); ++i) {
      const PowerPort& port = e_.ports[i];
      if (port.inside < 0 || port.outside < 0) continue;
      auto at = static_cast<int32_t>(i);
      const WireEnd &inner = wire(port.inside).from, &outer = wire(port.outside).to;
      bool inward = outer.kind == WireEnd::Kind::PortOutside && outer.index == at;
      bool leaves = inner.kind == WireEnd::Kind::PortInside && inner.index == at;
      if (inward == leaves) continue;
      agrees_[i] = false;
      const syntax::Name& name = port.syntax->name;
      fail(
          Diagnostic("port.direction", "the half-arrows at port " + name.text + " of " +
                                           instance_name(port) + " do not agree")
              .at(wire(port.outside).span, inward ? "points into the port" : "points out of it")
              .at(wire(port.inside).span, leaves ? "points in from the port" : "points to the port")
              .rule("the bond outside and the bond inside are one bond")
              .help("turn one of them round"),
          wire(port.outside).place);
    }
  }

  std::string instance_name(const PowerPort& port) const {
    return port.scope->prefix.substr(0, port.scope->prefix.size() - 1);
  }

  // The wire that goes on where this end meets a port; −1 if there is none.
  int32_t beyond(const WireEnd& end) const {
    bool inside = end.kind == WireEnd::Kind::PortInside;
    if (!inside && end.kind != WireEnd::Kind::PortOutside) return -1;
    auto at = static_cast<std::size_t>(end.index);
    if (!agrees_[at]) return -1;
    return inside ? e_.ports[at].outside : e_.ports[at].inside;
  }

  void merge() {
    std::vector<bool> done(e_.wires.size(), false);
    for (std::size_t i = 0; i < e_.wires.size(); ++i) {
      if (done[i]) continue;
      auto first = static_cast<int32_t>(i);
      for (int32_t back = beyond(wire(first).from); back >= 0; back = beyond(wire(back).from)) {
        if (back == static_cast<int32_t>(i)) {
          report_loop(wire(back));
          break;
        }
        first = back;
      }
      std::vector<int32_t> chain;
      for (int32_t next = first; next >= 0 && !done[static_cast<std::size_t>(next)];
           next = beyond(wire(next).to)) {
        done[static_cast<std::size_t>(next)] = true;
        chain.push_back(next);
      }
      add_bond(chain);
    }
  }

  void report_loop(const Wire& wire) {
    fail(Diagnostic("port.loop", "this bond leads through ports back to itself")
             .at(wire.span)
             .rule("a bond has an element or a junction at either end"),
         wire.place);
  }

  static bool is_final(const WireEnd& end) {
    return end.kind == WireEnd::Kind::Element || end.kind == WireEnd::Kind::Junction;
  }
  static End final_end(const WireEnd& end) {
    End result;
    auto index = static_cast<std::size_t>(end.index);
    if (end.kind == WireEnd::Kind::Element) {
      result.element = ElementId(index);
      result.port = end.port;
    } else {
      result.junction = JunctionId(index);
    }
    return result;
  }

  void add_bond(const std::vector<int32_t>& chain) {
    const Wire &first = wire(chain.front()), &last = wire(chain.back());
    if (!is_final(first.from) || !is_final(last.to)) return;
    Bond bond;
    bond.from = final_end(first.from);
    bond.to = final_end(last.to);
    if (bond.from.junction.valid() && bond.from.junction == bond.to.junction) {
      return fail(Diagnostic("bond.self",
                             e_.model.junctions[bond.from.junction].name + " is bonded to itself")
                      .at(first.span)
                      .help("leave this bond out"),
                  first.place);
    }
    // The outermost label, or else the outermost wire, is what the user sees.
    const Wire *named = nullptr, *outer = &first;
    for (int32_t index : chain) {
      const Wire& part = wire(index);
      int depth = part.place.scope->depth;
      if (depth < outer->place.scope->depth) outer = &part;
      if (part.label.empty()) continue;
      if (named == nullptr || depth < named->place.scope->depth) named = &part;
    }
    bond.span = (named != nullptr ? named : outer)->span;
    bond.name = named != nullptr ? named->label : end_name(bond.from) + " -> " + end_name(bond.to);
    BondId id = e_.model.bonds.next_id();
    plug(bond.from, {id, false});
    plug(bond.to, {id, true});
    e_.model.bonds.add(std::move(bond));
    for (int32_t index : chain) e_.wires[static_cast<std::size_t>(index)].bond = id;
  }

  // Union-find over the bonds of junctions that never let go of what they share.
  std::vector<BondId> share(Junction::Kind kind) const {
    std::vector<BondId> parent;
    for (std::size_t i = 0; i < e_.model.bonds.size(); ++i) parent.emplace_back(i);
    auto find = [&parent](BondId bond) {
      auto at = [&parent](BondId id) -> BondId& {
        return parent[static_cast<std::size_t>(id.index)];
      };
      while (at(bond) != bond) bond = at(bond) = at(at(bond));
      return bond;
    };
    auto keeping =
        kind == Junction::Kind::Zero ? Junction::Inactive::Effort : Junction::Inactive::Flow;
    for (const Junction& junction : e_.model.junctions) {
      if (junction.kind != kind) continue;
      if (junction.automaton.valid() && junction.inactive != keeping) continue;
      for (const BondEnd& end : junction.bonds) {
        BondId a = find(junction.bonds.front().bond), b = find(end.bond);
        parent[static_cast<std::size_t>(std::max(a, b).index)] = std::min(a, b);
      }
    }
    for (BondId& bond : parent) bond = find(bond);
    return parent;
  }

  std::string end_name(const End& end) const {
    if (end.junction.valid()) return e_.model.junctions[end.junction].name;
    const Element& element = e_.model.elements[end.element];
    bool field = !e_.element_sources[static_cast<std::size_t>(end.element.index)].matrix.empty();
    return field ? element.name + "[" + std::to_string(end.port + 1) + "]" : element.name;
  }

  void plug(const End& end, BondEnd bond_end) {
    if (end.junction.valid()) {
      e_.model.junctions[end.junction].bonds.push_back(bond_end);
    } else {
      e_.model.elements[end.element].ports[static_cast<std::size_t>(end.port)] = bond_end;
    }
  }

  void check_elements() {
    for (std::size_t i = 0; i < e_.model.elements.size(); ++i) {
      const Element& element = e_.model.elements[ElementId(i)];
      const elements::Definition& definition = elements::definition(element.kind);
      for (std::size_t port = 0; port < element.ports.size(); ++port) {
        if (port_wires_[first_port_[i] + port] >= 0 || e_.element_sources[i].bad) continue;
        Diagnostic diagnostic("port.unconnected", element.name + " has no bond");
        if (definition.through) {
          diagnostic.message =
              element.name + " has no half-arrow that points " + (port == 0 ? "in" : "out");
        } else if (!e_.element_sources[i].matrix.empty()) {
          diagnostic.message =
              "port " + std::to_string(port + 1) + " of " + element.name + " has no bond";
        }
        diagnostic.at(element.span).rule("an element has one bond per port");
        e_.report.add(std::move(diagnostic), e_.element_sources[i].place);
      }
    }
  }

  void check_ports() {
    for (const PowerPort& port : e_.ports) {
      const syntax::Name& name = port.syntax->name;
      const InstanceSource& source = e_.instance_sources[static_cast<std::size_t>(port.instance)];
      const syntax::Name& instance = source.declaration->name.name;
      if (port.outside < 0) {
        e_.report.add(Diagnostic("port.unconnected", "port " + name.text + " of " +
                                                         instance_name(port) + " has no bond")
                          .at(instance.span)
                          .at(name.span, "the port")
                          .rule("every port of an instance has one bond from outside"),
                      source.parent);
      }
      if (port.inside < 0) {
        e_.report.add(
            Diagnostic("port.unconnected", "port " + name.text + " leads to nothing inside " +
                                               port.scope->component->definition->name.text)
                .at(name.span)
                .rule("every port has one bond inside its component"),
            {port.scope, nullptr});
      }
    }
  }

  void check_junctions() {
    for (std::size_t i = 0; i < e_.model.junctions.size(); ++i) {
      const Junction& junction = e_.model.junctions[JunctionId(i)];
      if (!junction.bonds.empty()) continue;
      e_.report.add(Diagnostic("junction.unbonded", junction.name + " has no bonds")
                        .warning()
                        .at(junction.span),
                    e_.junction_sources[i].place);
    }
  }

  Elaboration& e_;
  std::vector<std::size_t> first_port_;  // by element, into port_wires_
  std::vector<int32_t> port_wires_;
  std::vector<bool> agrees_;  // by port: its two half-arrows
};

}  // namespace

void connect_bonds(Elaboration& e) { Connector(e).connect(); }

}  // namespace cradle::model
