#include "core/plan/couplings.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cradle::plan {

using expr::Op;

bool is_power(const model::Model&, const expr::Node& leaf) {
  return leaf.op == Op::Effort || leaf.op == Op::Flow;
}

bool is_of_bond_graph(const model::Model& model, const expr::Node& leaf) {
  if (leaf.op == Op::State) return model.states[StateId(at(leaf.ref))].element.valid();
  return is_power(model, leaf);
}

std::vector<char> find_readers(const model::Model& model,
                               bool (*wanted)(const model::Model&, const expr::Node&)) {
  std::vector<char> out(model.signals.size(), 0);
  std::vector<std::vector<std::size_t>> read_by(model.signals.size());
  std::vector<std::size_t> work;
  for (std::size_t i = 0; i < model.signals.size(); ++i) {
    for (ExprId leaf : model.pool.leaves(model.signals[SignalId(i)].value)) {
      const expr::Node& node = model.pool[leaf];
      if (node.op == Op::Signal) read_by[at(node.ref)].push_back(i);
      if (wanted(model, node) && !out[i]) {
        out[i] = 1;
        work.push_back(i);
      }
    }
  }
  while (!work.empty()) {
    const std::size_t i = work.back();
    work.pop_back();
    for (std::size_t reader : read_by[i]) {
      if (out[reader]) continue;
      out[reader] = 1;
      work.push_back(reader);
    }
  }
  return out;
}

bool PowerForms::reads_power(ExprId leaf) const {
  const expr::Node& node = model_.pool[leaf];
  if (node.op == Op::Signal) return readers_[at(node.ref)] != 0;
  return node.op == Op::Effort || node.op == Op::Flow;
}

// Do efforts and flows stand only where sums, products and branches lead?
bool PowerForms::is_plain(ExprId e) const {
  const expr::Pool& pool = model_.pool;
  std::unordered_map<ExprId, bool> reads;
  const auto of = [&](ExprId operand) { return operand.valid() && reads.at(operand); };
  for (ExprId id : pool.below(e)) {
    const expr::Node& node = pool[id];
    if (expr::arity(node.op) == 0) {
      if (node.op == Op::Pre) {
        const std::vector<ExprId> inside = pool.leaves(pool.pres()[at(node.ref)]);
        if (std::any_of(inside.begin(), inside.end(), [&](ExprId l) { return reads_power(l); })) {
          return false;
        }
      }
      reads[id] = reads_power(id);
      continue;
    }
    const bool any = of(node.a) || of(node.b) || of(node.c);
    reads[id] = any;
    switch (node.op) {
      case Op::Neg:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
        break;
      case Op::If:
        if (of(node.a)) return false;
        break;
      default:
        if (any) return false;
    }
  }
  return true;
}

std::optional<PowerForm> PowerForms::of(ExprId e, const std::function<bool(BondId)>& own) {
  signals_.clear();
  return find(e, own, 0);
}

const std::optional<PowerForm>& PowerForms::of_signal(SignalId id,
                                                      const std::function<bool(BondId)>& own,
                                                      int depth) {
  const auto [place, is_new] = signals_.try_emplace(id);
  if (!is_new) return place->second;
  const model::Signal& signal = model_.signals[id];
  std::optional<PowerForm> found;
  if (!signal.may_be_absent) found = find(signal.value, own, depth);
  return signals_[id] = std::move(found);
}

std::optional<PowerForm> PowerForms::find(ExprId e, const std::function<bool(BondId)>& own,
                                          int depth) {
  constexpr int kDeepest = 64;  // of signals that read each other
  expr::Pool& pool = model_.pool;
  std::vector<ExprId> leaves = pool.leaves(e);
  std::erase_if(leaves, [&](ExprId leaf) { return !reads_power(leaf); });
  if (leaves.empty()) return PowerForm{{}, e};
  if (depth >= kDeepest || !is_plain(e)) return std::nullopt;
  std::map<ExprId, ExprId> terms;
  const auto add = [&](ExprId leaf, ExprId coefficient) {
    const auto [place, is_new] = terms.try_emplace(leaf, coefficient);
    if (!is_new) place->second = pool.binary(Op::Add, place->second, coefficient);
  };
  std::unordered_map<ExprId, ExprId> instead;
  const std::vector<ExprId> slopes = pool.gradient(e, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!pool.is_fixed(slopes[i])) return std::nullopt;
    const expr::Node node = pool[leaves[i]];
    if (node.op != Op::Signal) {
      if (!own(BondId(at(node.ref)))) return std::nullopt;
      add(leaves[i], slopes[i]);
      instead[leaves[i]] = pool.constant(0);
      continue;
    }
    const std::optional<PowerForm>& read = of_signal(SignalId(at(node.ref)), own, depth + 1);
    if (!read) return std::nullopt;
    for (const auto& [leaf, factor] : read->terms) {
      add(leaf, pool.binary(Op::Mul, slopes[i], factor));
    }
    instead[leaves[i]] = read->rest;
  }
  PowerForm out;
  out.terms.assign(terms.begin(), terms.end());
  out.rest = pool.map_leaves(e, [&](ExprId leaf) {
    const auto found = instead.find(leaf);
    return found == instead.end() ? leaf : found->second;
  });
  return out;
}

}  // namespace cradle::plan
