// The rules. Written over e and f, as they hold while time flows; each relation here is linear in e
// and f with constant coefficients, so that integrated over a jump it holds of p′ and q′ just the
// same, and of the weights of impulses. What is left to say of jumps and energy stands at the rule.
//
//   merge     two junctions of one kind, joined by one bond b. 0 and 0: e is equal at both, and at
//   b;
//             f_b is the sum of the others at either, so the two sums are one sum over all others.
//             Energy: E′ of b goes out of one and into the other, Σ± E′ = 0 of both adds up to
//             Σ± E′ = 0 over all others. 1 and 1 are the dual. Conversely e_b and f_b follow from
//             what is left.
//   merge-controlled
//             one of the two is controlled, K, and the other, J, is not: only 0 with 0/E and 1 with
//             1/F. While K is active, as above. While it is inactive, 0/E says e = 0 of each of its
//             bonds, b among them; J shares e_b, so that e = 0 of each bond of J: what K says of
//             them if they are its own. The sum of J gives f_b, which nothing else asks for. A jump
//             has p′ = 0, or the relations of the 0-junction, and either carries over to the bonds
//             of J in the same way. Energy that K dissipates when it switches is Σ± E′ over its
//             bonds; that of b is Σ± E′ over the other bonds of J, so the sum stays what it was.
//             Not 0 with 0/F: f_b = 0 of an inactive K leaves J with the others of its sum, and
//             says nothing about each of them. Nor 1 with 1/E, the dual. Nor two controlled
//             junctions: they switch each for itself.
//   vanish    an ordinary junction with one bond in and one out: e₁ = e₂, f₁ = f₂, E′₁ = E′₂, so
//   they
//             are one bond. If both point in, or both out, one of e₁ = −e₂ and f₁ = −f₂ holds: no
//             bond has such ends, and the junction stays, unless a neighbour of its kind takes it
//             in.
//   combine   TF and GY, port 2 of the first joined with port 1 of the second by bond b:
//               TF(m), TF(n)   e₁ = m e_b = m n e₂     f₂ = n f_b = m n f₁      TF(m n)
//               GY(r), GY(s)   e₁ = r f_b = (r/s) e₂   f₂ = e_b/s = (r/s) f₁    TF(r/s)
//               TF(n), GY(r)   e₁ = n e_b = n r f₂     e₂ = r f_b = n r f₁      GY(n r)
//               GY(r), TF(n)   e₁ = r f_b = (r/n) f₂   e₂ = e_b/n = (r/n) f₁    GY(r/n)
//             Energy: E′ = 0 in all of them. Moduli are constants, or made of parameters, other
//             than zero: a modulus that passes through zero makes a quotient that was none, and one
//             that changes with the state would have to be known to stand still across the jump.
//   unit      TF(1): e₁ = e₂, f₂ = f₁, as `vanish`. Not a parameter that happens to be 1.
//   empty     a junction without bonds relates nothing.
//
// Left as they are: two bonds between the same two junctions. Of one kind, only the sum of their
// flows (or efforts) is determined, so such a model has no unique solution, and none after merging
// either; of different kinds each says something.
//
// Bonds stay within one mode of a modal model, and so do the rules.

#include "theory/reduce/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/basics/assert.hpp"
#include "cradle/instant.hpp"
#include "language/model/binding.hpp"
#include "theory/reduce/expressions.hpp"
#include "theory/reduce/names.hpp"
#include "theory/reduce/readers.hpp"

namespace cradle::reduce {

namespace {

using elements::Kind;
using expr::Op;
using model::BondEnd;
using model::Element;
using model::End;
using model::Junction;

class Reducer {
 public:
  explicit Reducer(const model::Model& model)
      : model_(std::make_unique<model::Model>(model)),
        m_(*model_),
        binding_(m_),
        known_(m_.pool.size()),
        readers_(m_),
        bond_lives_(m_.bonds.size(), true),
        junction_lives_(m_.junctions.size(), true),
        element_lives_(m_.elements.size(), true) {}

  Reduction run() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < m_.junctions.size(); ++i) {
        if (junction_lives_[i]) again = simplify(JunctionId(i)) || again;
      }
      for (std::size_t i = 0; i < m_.elements.size(); ++i) {
        if (element_lives_[i]) again = simplify(ElementId(i)) || again;
      }
    }
    for (std::size_t i = 0; i < m_.junctions.size(); ++i) {
      if (!junction_lives_[i]) gone_.insert(m_.junctions[JunctionId(i)].name);
    }
    for (std::size_t i = 0; i < m_.elements.size(); ++i) {
      if (!element_lives_[i]) gone_.insert(m_.elements[ElementId(i)].name);
    }
    std::vector<std::string> moved = find_moved();
    compact();
    return {std::move(model_), std::move(steps_), std::move(moved)};
  }

 private:
  bool simplify(JunctionId id) {
    if (is_empty(id) || vanish(id)) return true;
    bool merged = false;
    for (std::size_t i = 0; junction_lives_[at(id)] && i < m_.junctions[id].bonds.size();) {
      const BondId bond = m_.junctions[id].bonds[i].bond;
      const bool done = merge(id, bond);
      merged = merged || done;
      i = done ? 0 : i + 1;
    }
    return merged;
  }
  bool simplify(ElementId id) { return vanish_unit(id) || combine(id); }

  void note(std::string rule, std::string what, std::string why) {
    steps_.push_back({std::move(rule), std::move(what), std::move(why)});
  }

  // ---- what is read of a bond that goes

  ExprId leaf(Op op, BondId bond) { return m_.pool.leaf(op, bond.index); }
  static bool is_single(const expr::Pool& pool, ExprId e) {
    return pool[e].op == Op::Effort || pool[e].op == Op::Flow || pool[e].op == Op::Constant;
  }

  // A sum in place of a variable is equal but for rounding. That must not tip a comparison; and
  // from outside its mode only a variable can be read.
  bool may_replace(ExprId leaf, ExprId by, RegionId region) const {
    if (!readers_.is_read(leaf)) return true;
    const expr::Node& node = m_.pool[by];
    const bool single = is_single(m_.pool, by);
    const bool negated = node.op == Op::Neg && is_single(m_.pool, node.a);
    if (readers_.is_compared(leaf) && !single && !negated) return false;
    return single || !region.valid();
  }
  void replace(ExprId leaf, ExprId by) {
    readers_.replace(leaf, by);
    instead_.emplace(leaf, by);
  }

  // Σ± of a variable over ends, positive inward.
  ExprId sum(Op op, const std::vector<BondEnd>& ends, bool negative) {
    expr::Pool& pool = m_.pool;
    ExprId total = pool.constant(0);
    bool first = true;
    for (bool plus : {true, false}) {
      for (const BondEnd& end : ends) {
        if ((end.inward != negative) != plus) continue;
        const ExprId term = leaf(op, end.bond);
        if (first) {
          total = plus ? term : pool.unary(Op::Neg, term);
        } else {
          total = pool.binary(plus ? Op::Add : Op::Sub, total, term);
        }
        first = false;
      }
    }
    return total;
  }

  // ---- junctions

  static Op shared(const Junction& j) {
    return j.kind == Junction::Kind::Zero ? Op::Effort : Op::Flow;
  }
  static Op summed(const Junction& j) {
    return j.kind == Junction::Kind::Zero ? Op::Flow : Op::Effort;
  }
  static bool is_controlled(const Junction& j) { return j.automaton.valid(); }
  // While inactive it sets what its bonds share to zero.
  static bool keeps_shared(const Junction& j) {
    return (j.kind == Junction::Kind::Zero) == (j.inactive == Junction::Inactive::Effort);
  }
  static std::string kind_of(const Junction& j) {
    std::string kind = j.kind == Junction::Kind::Zero ? "0" : "1";
    if (is_controlled(j)) kind += j.inactive == Junction::Inactive::Effort ? "/E" : "/F";
    return kind;
  }

  bool is_empty(JunctionId id) {
    const Junction& junction = m_.junctions[id];
    if (!junction.bonds.empty() || is_controlled(junction)) return false;
    junction_lives_[at(id)] = false;
    note("empty", junction.name + " goes", "a junction without bonds relates nothing");
    return true;
  }

  static std::vector<BondEnd> others(const Junction& junction, BondId bond) {
    std::vector<BondEnd> ends = junction.bonds;
    std::erase_if(ends, [bond](const BondEnd& end) { return end.bond == bond; });
    return ends;
  }
  JunctionId neighbour(JunctionId of, BondId bond) const {
    const model::Bond& b = m_.bonds[bond];
    return b.from.junction == of ? b.to.junction : b.from.junction;
  }
  static void sort_by_bond(std::vector<BondEnd>& ends) {
    std::sort(ends.begin(), ends.end(),
              [](const BondEnd& x, const BondEnd& y) { return x.bond < y.bond; });
  }
  bool only_bond_between(JunctionId a, JunctionId b) const {
    const std::vector<BondEnd>& ends = m_.junctions[a].bonds;
    return std::count_if(ends.begin(), ends.end(),
                         [&](const BondEnd& end) { return neighbour(a, end.bond) == b; }) == 1;
  }

  bool merge(JunctionId a, BondId bond) {
    const JunctionId b = neighbour(a, bond);
    if (!b.valid() || m_.junctions[a].kind != m_.junctions[b].kind) return false;
    if (m_.junctions[a].region != m_.junctions[b].region) return false;
    const bool controlled_a = is_controlled(m_.junctions[a]);
    const bool controlled_b = is_controlled(m_.junctions[b]);
    if (controlled_a && controlled_b) return false;
    const bool controlled = controlled_a || controlled_b;
    const bool keep_b = controlled_b || (!controlled_a && b < a);
    const JunctionId kept_id = keep_b ? b : a, gone_id = keep_b ? a : b;
    Junction &kept = m_.junctions[kept_id], &gone = m_.junctions[gone_id];
    if (controlled && !keeps_shared(kept)) return false;
    if (!only_bond_between(a, b)) return false;

    const std::vector<BondEnd> here = others(kept, bond), there = others(gone, bond);
    if (here.empty() && there.empty()) return false;
    // The sum of the junction that is never inactive, or of the one with fewer bonds.
    const bool by_kept = !controlled && here.size() < there.size();
    const bool into = m_.bonds[bond].to.junction == (by_kept ? kept_id : gone_id);
    const ExprId old_sum = leaf(summed(gone), bond), old_common = leaf(shared(gone), bond);
    if (readers_.is_read(old_sum)) {
      const ExprId total = sum(summed(gone), by_kept ? here : there, into);
      if (!may_replace(old_sum, total, kept.region)) return false;
      replace(old_sum, total);
    }
    std::vector<BondEnd> all = here;
    all.insert(all.end(), there.begin(), there.end());
    sort_by_bond(all);
    replace(old_common, leaf(shared(gone), all.front().bond));

    for (const BondEnd& end : there) {
      model::Bond& moved = m_.bonds[end.bond];
      (end.inward ? moved.to : moved.from).junction = kept_id;
      rename(end.bond);
    }
    const bool zero = kept.kind == Junction::Kind::Zero;
    std::string why = std::string(zero ? "equal e, and one sum of f" : "equal f, and one sum of e");
    if (controlled) {
      why += std::string("; while ") + kept.name + " is inactive " + (zero ? "e" : "f") +
             " = 0 of all bonds of both";
    }
    note(controlled ? "merge-controlled" : "merge",
         kind_of(gone) + "-junction " + gone.name + " goes into " + kind_of(kept) + "-junction " +
             kept.name,
         why);
    kept.bonds = std::move(all);
    junction_lives_[at(gone_id)] = false;
    bond_lives_[at(bond)] = false;
    return true;
  }

  bool vanish(JunctionId id) {
    const Junction& junction = m_.junctions[id];
    if (is_controlled(junction) || junction.bonds.size() != 2) return false;
    const BondEnd &first = junction.bonds[0], &second = junction.bonds[1];
    if (first.inward == second.inward) return false;
    const BondId in = first.inward ? first.bond : second.bond;
    const BondId out = first.inward ? second.bond : first.bond;
    if (!join(in, out)) return false;
    junction_lives_[at(id)] = false;
    note("vanish", kind_of(junction) + "-junction " + junction.name + " goes",
         "one bond in and one out: e and f are the same on both");
    return true;
  }

  // One bond instead of two that meet in something that changes neither e nor f.
  bool join(BondId in, BondId out) {
    const End from = m_.bonds[in].from, to = m_.bonds[out].to;
    if (from.junction.valid() && from.junction == to.junction) return false;
    if (from.element.valid() && from.element == to.element) return false;
    const bool keep_out = !is_label(m_.bonds[in].name) && is_label(m_.bonds[out].name);
    const BondId kept = keep_out ? out : in, gone = keep_out ? in : out;
    replace(leaf(Op::Effort, gone), leaf(Op::Effort, kept));
    replace(leaf(Op::Flow, gone), leaf(Op::Flow, kept));
    m_.bonds[kept].from = from;
    m_.bonds[kept].to = to;
    plug(from, in, {kept, false});
    plug(to, out, {kept, true});
    bond_lives_[at(gone)] = false;
    rename(kept);
    return true;
  }

  // Puts a bond in the place of another at one end.
  void plug(const End& end, BondId old, BondEnd now) {
    if (end.element.valid()) {
      m_.elements[end.element].ports[at(end.port)] = now;
      return;
    }
    std::vector<BondEnd>& ends = m_.junctions[end.junction].bonds;
    for (BondEnd& other : ends) {
      if (other.bond == old) other = now;
    }
    sort_by_bond(ends);
  }

  std::string end_name(const End& end) const {
    if (end.junction.valid()) return m_.junctions[end.junction].name;
    const Element& element = m_.elements[end.element];
    return element.matrix.empty() ? element.name
                                  : element.name + "[" + std::to_string(end.port + 1) + "]";
  }
  void rename(BondId id) {
    model::Bond& bond = m_.bonds[id];
    if (!is_label(bond.name)) bond.name = end_name(bond.from) + " -> " + end_name(bond.to);
  }

  // ---- TF and GY

  // Of what constants and parameters are made of, products of moduli included.
  double number(ExprId fixed) const {
    if (at(fixed) < known_) return binding_.number(m_, fixed);
    const expr::Node& node = m_.pool[fixed];
    if (node.op == Op::Constant) return node.value;
    if (auto found = products_.find(fixed); found != products_.end()) return found->second;
    const double value = expr::apply(node.op, number(node.a), node.b.valid() ? number(node.b) : 0);
    products_.emplace(fixed, value);
    return value;
  }
  bool is_usable(ExprId fixed) const {
    const double value = number(fixed);
    return value != 0 && std::isfinite(value);
  }

  // Invalid: it has none that a rule could use.
  ExprId modulus(const Element& element) const {
    if (!elements::definition(element.kind).through) return {};
    if (!m_.pool.is_fixed(element.signal)) return {};
    return is_usable(element.signal) ? element.signal : ExprId();
  }

  bool vanish_unit(ElementId id) {
    const Element& element = m_.elements[id];
    if (element.kind != Kind::TF || !m_.pool.is_constant(element.signal)) return false;
    if (m_.pool.constant_value(element.signal) != 1) return false;
    if (!join(element.ports[0].bond, element.ports[1].bond)) return false;
    element_lives_[at(id)] = false;
    note("unit", "TF " + element.name + " of modulus 1 goes", "e and f are the same on both sides");
    return true;
  }

  bool combine(ElementId first_id) {
    Element& first = m_.elements[first_id];
    const ExprId m = modulus(first);
    if (!m.valid()) return false;
    const BondId between = first.ports[1].bond;
    const ElementId second_id = m_.bonds[between].to.element;
    if (!second_id.valid() || second_id == first_id) return false;
    const Element& second = m_.elements[second_id];
    const ExprId n = modulus(second);
    if (!n.valid() || second.region != first.region) return false;
    const BondId in = first.ports[0].bond, out = second.ports[1].bond;
    if (in == out) return false;
    const bool crossed = first.kind == Kind::GY;
    const ExprId both = m_.pool.binary(crossed ? Op::Div : Op::Mul, m, n);
    if (!is_usable(both)) return false;

    // TF(m): f_b = m f₁. GY(m): e_b = m f₁. TF(n): e_b = n e₂, f₂ = n f_b. GY(n): e_b = n f₂,
    // e₂ = n f_b.
    expr::Pool& pool = m_.pool;
    const bool second_crosses = second.kind == Kind::GY;
    auto times = [&](ExprId k, ExprId e) { return pool.binary(Op::Mul, k, e); };
    const ExprId effort = crossed ? times(m, leaf(Op::Flow, in))
                                  : times(n, leaf(second_crosses ? Op::Flow : Op::Effort, out));
    const ExprId flow =
        crossed ? pool.binary(Op::Div, leaf(Op::Effort, in), m) : times(m, leaf(Op::Flow, in));
    const ExprId old_effort = leaf(Op::Effort, between), old_flow = leaf(Op::Flow, between);
    if (!may_replace(old_effort, effort, first.region)) return false;
    if (!may_replace(old_flow, flow, first.region)) return false;
    replace(old_effort, effort);
    replace(old_flow, flow);

    const bool gyrates = crossed != second_crosses;
    const std::string name = first.name + "_" + second.name;
    note("combine",
         kind_text(first) + " and " + kind_text(second) + " become " + (gyrates ? "GY " : "TF ") +
             name,
         moduli(m, n, both, crossed));
    gone_.insert(first.name);
    first.kind = gyrates ? Kind::GY : Kind::TF;
    first.name = name;
    first.signal = both;
    first.ports[1] = {out, false};
    m_.bonds[out].from = {first_id, 1, {}};
    element_lives_[at(second_id)] = false;
    bond_lives_[at(between)] = false;
    rename(in);
    rename(out);
    return true;
  }
  std::string moduli(ExprId m, ExprId n, ExprId both, bool crossed) const {
    if (!m_.pool.is_constant(both)) return "modulus " + m_.text(both);
    return "moduli " + format_number(number(m)) + (crossed ? " / " : " · ") +
           format_number(number(n)) + " = " + format_number(number(both));
  }
  static std::string kind_text(const Element& element) {
    return std::string(elements::definition(element.kind).name) + " " + element.name;
  }

  // ---- the reduced model

  template <class IdType, class T>
  static std::vector<IdType> compact(Table<IdType, T>& table, const std::vector<bool>& lives) {
    std::vector<IdType> now(table.size());
    Table<IdType, T> kept;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (lives[i]) now[i] = kept.add(std::move(table[IdType(i)]));
    }
    table = std::move(kept);
    return now;
  }

  std::vector<std::string> find_moved() const {
    std::vector<std::string> moved;
    for (const auto& [name, value] : m_.readable) {
      const std::vector<ExprId> read = m_.pool.leaves(value);
      const bool replaced =
          std::any_of(read.begin(), read.end(), [&](ExprId e) { return instead_.contains(e); });
      if (replaced || is_of_gone(name)) moved.push_back(name);
    }
    std::sort(moved.begin(), moved.end());
    return moved;
  }
  // x.in.e of an element x that is gone.
  bool is_of_gone(const std::string& name) const {
    for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      if (gone_.contains(name.substr(0, dot))) return true;
    }
    return false;
  }

  void compact() {
    const std::vector<BondId> bonds = compact(m_.bonds, bond_lives_);
    const std::vector<JunctionId> junctions = compact(m_.junctions, junction_lives_);
    const std::vector<ElementId> elements = compact(m_.elements, element_lives_);
    for (model::Bond& bond : m_.bonds) {
      for (End* end : {&bond.from, &bond.to}) {
        if (end->junction.valid()) end->junction = junctions[at(end->junction)];
        if (end->element.valid()) end->element = elements[at(end->element)];
      }
    }
    for (Junction& junction : m_.junctions) {
      for (BondEnd& end : junction.bonds) end.bond = bonds[at(end.bond)];
    }
    for (Element& element : m_.elements) {
      for (BondEnd& end : element.ports) end.bond = bonds[at(end.bond)];
    }
    for (model::State& state : m_.states) {
      if (state.element.valid()) state.element = elements[at(state.element)];
    }
    for (model::Automaton& automaton : m_.automata) {
      if (automaton.junction.valid()) automaton.junction = junctions[at(automaton.junction)];
      for (JunctionId& follower : automaton.followers) follower = junctions[at(follower)];
    }
    std::unordered_map<ExprId, ExprId> done;
    const std::function<ExprId(ExprId)> power = [&](ExprId id) {
      const expr::Node node = m_.pool[id];
      if (node.op != Op::Effort && node.op != Op::Flow) return id;
      if (auto found = instead_.find(id); found != instead_.end()) {
        return m_.pool.map_leaves(found->second, power, done);
      }
      CRADLE_ASSERT(bonds[at(node.ref)].valid(), "what is read of a bond that is gone is replaced");
      return leaf(node.op, bonds[at(node.ref)]);
    };
    each_expression(m_, [&](ExprId& e) { e = m_.pool.map_leaves(e, power, done); });
  }

  std::unique_ptr<model::Model> model_;
  model::Model& m_;
  model::Binding binding_;
  std::size_t known_;  // expressions that the binding knows
  mutable std::unordered_map<ExprId, double> products_;
  Readers readers_;
  std::vector<bool> bond_lives_, junction_lives_, element_lives_;
  std::unordered_map<ExprId, ExprId> instead_;  // of variables of bonds that are gone
  std::unordered_set<std::string> gone_;        // names of what is no more
  std::vector<Step> steps_;
};

}  // namespace

Reduction reduce(const model::Model& model) { return Reducer(model).run(); }

}  // namespace cradle::reduce
