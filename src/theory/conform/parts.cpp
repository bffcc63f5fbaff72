#include "theory/conform/parts.hpp"

#include <map>

#include "theory/hypa/print.hpp"

namespace cradle::conform {
namespace {

using hypa::Mark;
using hypa::VariableId;
using hypa::Vocabulary;

class Taker {
 public:
  explicit Taker(const hypa::Composition& composition)
      : composition_(composition), v_(composition.specification.vocabulary) {}

  Parts run() {
    const auto& processes = composition_.specification.processes;
    const std::set<VariableId> stored(composition_.states.begin(), composition_.states.end());
    for (std::size_t i = 1; i < processes.size(); ++i) {
      const hypa::Process& process = processes[i];
      Part part = {.name = process.name, .role = process.role, .choices = {}};
      part.modal = process.what == "modal model";
      const auto all = alternatives(process.body);
      for (const hypa::Alternative& a : *all) {
        Choice choice;
        for (const hypa::Relation& r : a.jump) choice.jump.push_back(item(r, part.name));
        for (const hypa::Relation& r : a.flow) {
          Item rate = item_of(r);
          // Of a bond only what is stored; energy is not recorded.
          if (part.role == hypa::Role::Bond && !stored.contains(rate.rate)) continue;
          choice.flow.push_back(item(r, part.name));
        }
        part.choices.push_back(std::move(choice));
      }
      out_.parts.push_back(std::move(part));
    }
    return std::move(out_);
  }

 private:
  Item item_of(const hypa::Relation& relation) {
    Item out;
    out.holds = relation.holds;
    out.modes_only = true;
    for (ExprId leaf : v_.leaves(relation.holds)) {
      if (!v_.is_variable(leaf)) {
        out.modes_only = false;
        continue;
      }
      const VariableId id = Vocabulary::variable_of(v_.pool[leaf]);
      out.leaves.emplace_back(id, Vocabulary::mark_of(v_.pool[leaf]));
      out.modes_only = out.modes_only && v_[id].quantity == hypa::Quantity::Mode;
    }
    const expr::Node& node = v_.pool[relation.holds];
    if (node.op != expr::Op::Equal || !v_.is_variable(node.a)) return out;
    const VariableId left = Vocabulary::variable_of(v_.pool[node.a]);
    const Mark mark = Vocabulary::mark_of(v_.pool[node.a]);
    if (mark == Mark::Rate) out.rate = left;
    if (mark == Mark::After) out_.restarts.insert(left);
    return out;
  }
  Item item(const hypa::Relation& relation, const std::string& process) {
    Item out = item_of(relation);
    const std::string text = process + ": " + to_string(v_, relation.holds);
    auto [place, is_new] = index_.try_emplace(text, out_.relations.size());
    out.index = place->second;
    if (is_new) out_.relations.push_back(text);
    return out;
  }

  const hypa::Composition& composition_;
  const Vocabulary& v_;
  Parts out_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace

Parts take_apart(const hypa::Composition& composition) { return Taker(composition).run(); }

}  // namespace cradle::conform
