#include "core/plan/loops.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <iterator>
#include <unordered_map>

#include "core/plan/describe.hpp"

namespace cradle::plan {

using expr::Op;

namespace {

using Needs = std::vector<SignalId>;  // ascending

Needs united(const Needs& a, const Needs& b) {
  Needs out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

Needs common(const Needs& a, const Needs& b) {
  Needs out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

// Made of modes alone: while it holds, what it guards is needed.
bool is_gate(const expr::Pool& pool, ExprId e) {
  const std::vector<ExprId> leaves = pool.leaves(e);
  return !leaves.empty() && std::all_of(leaves.begin(), leaves.end(),
                                        [&](ExprId leaf) { return pool[leaf].op == Op::InMode; });
}

// `in_modes`: what is defined in a mode counts as if the mode were active.
Needs needs_of(const model::Model& m, ExprId root, bool in_modes) {
  std::unordered_map<ExprId, Needs> memo;
  for (ExprId e : m.pool.below(root)) {
    const expr::Node& node = m.pool[e];
    static const Needs kNone;
    auto of = [&](ExprId operand) -> const Needs& {
      return operand.valid() ? memo.at(operand) : kNone;
    };
    const Needs &a = of(node.a), &b = of(node.b), &c = of(node.c);
    Needs own;
    switch (node.op) {
      case Op::Signal:
        own = {SignalId(static_cast<std::size_t>(node.ref))};
        break;
      case Op::If:
        own = united(a, common(b, c));
        break;
      case Op::And:
      case Op::Or:
        own = common(a, b);
        break;
      case Op::Default:
        own = a;
        break;
      case Op::When:
        own = in_modes && is_gate(m.pool, node.b) ? united(a, b) : b;
        break;
      default:
        own = united(united(a, b), c);
        break;
    }
    memo.emplace(e, std::move(own));
  }
  return memo.at(root);
}

}  // namespace

std::vector<SignalId> strictly_needed(const model::Model& model, ExprId root) {
  return needs_of(model, root, false);
}

std::vector<std::vector<SignalId>> find_signal_loops(const model::Model& model) {
  const std::size_t n = model.signals.size();
  std::vector<std::vector<SignalId>> needs(n);
  for (std::size_t i = 0; i < n; ++i) {
    const ExprId value = model.signals[SignalId(i)].value;
    needs[i] = needs_of(model, value, true);
    // An integral needs its impulse now.
    for (ExprId leaf : model.pool.leaves(value)) {
      if (leaf != value || model.pool[leaf].op != Op::State) continue;
      const model::State& state =
          model.states[StateId(static_cast<std::size_t>(model.pool[leaf].ref))];
      if (state.impulse.valid()) needs[i] = united(needs[i], needs_of(model, state.impulse, true));
    }
  }
  enum class Mark : char { New, Open, Done };
  std::vector<Mark> marks(n, Mark::New);
  std::vector<std::vector<SignalId>> loops;
  std::vector<std::pair<std::size_t, std::size_t>> path;  // signal, next need to look at
  for (std::size_t start = 0; start < n; ++start) {
    if (marks[start] != Mark::New) continue;
    path.emplace_back(start, 0);
    marks[start] = Mark::Open;
    while (!path.empty()) {
      auto& [signal, next] = path.back();
      if (next == needs[signal].size()) {
        marks[signal] = Mark::Done;
        path.pop_back();
        continue;
      }
      const auto needed = static_cast<std::size_t>(needs[signal][next++].index);
      if (marks[needed] == Mark::New) {
        marks[needed] = Mark::Open;
        path.emplace_back(needed, 0);
      } else if (marks[needed] == Mark::Open) {
        std::vector<SignalId> loop;
        auto from = std::find_if(path.begin(), path.end(),
                                 [&](const auto& p) { return p.first == needed; });
        for (auto it = from; it != path.end(); ++it) loop.push_back(SignalId(it->first));
        loops.push_back(std::move(loop));
      }
    }
  }
  return loops;
}

std::vector<SignalId> find_circles(const model::Model& model) {
  // Signals first, then integrals.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  const std::size_t n = model.signals.size();
  Graph graph(n + model.states.size());
  std::vector<char> self(n + model.states.size(), 0);
  auto connect = [&](std::size_t from, ExprId root) {
    std::vector<ExprId> work{root};
    std::vector<char> chosen(model.choices.size(), 0), put_out(model.outputs.size(), 0);
    while (!work.empty()) {
      const ExprId e = work.back();
      work.pop_back();
      for (ExprId leaf : model.pool.leaves(e)) {
        const expr::Node& node = model.pool[leaf];
        const auto ref = static_cast<std::size_t>(node.ref);
        std::size_t to = n + model.states.size();
        if (node.op == Op::Signal) to = ref;
        if (node.op == Op::State && model.states[StateId(ref)].impulse.valid()) to = n + ref;
        if (node.op == Op::Choice && !chosen[ref]) {
          chosen[ref] = 1;
          const auto& alternatives = model.choices[ChoiceId(ref)].alternatives;
          work.insert(work.end(), alternatives.begin(), alternatives.end());
        }
        if (node.op == Op::Output && !put_out[ref]) {
          put_out[ref] = 1;
          for (ExprId input : model.inputs_of(model.outputs[OutputId(ref)])) work.push_back(input);
        }
        if (to == n + model.states.size()) continue;
        boost::add_edge(from, to, graph);
        if (to == from) self[from] = 1;
      }
    }
  };
  for (std::size_t i = 0; i < n; ++i) connect(i, model.signals[SignalId(i)].value);
  for (std::size_t i = 0; i < model.states.size(); ++i) {
    const model::State& state = model.states[StateId(i)];
    if (state.impulse.valid()) connect(n + i, state.impulse);
  }
  std::vector<int> component(boost::num_vertices(graph));
  const int count = boost::strong_components(
      graph,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<int> size(static_cast<std::size_t>(count), 0);
  for (int c : component) ++size[static_cast<std::size_t>(c)];
  std::vector<SignalId> out;
  for (std::size_t i = 0; i < n; ++i) {
    if (self[i] || size[static_cast<std::size_t>(component[i])] > 1) out.push_back(SignalId(i));
  }
  return out;
}

std::vector<SignalId> order_loop(const model::Model& model, const std::vector<SignalId>& unknown) {
  // Through integrals, a signal reads what their impulses read.
  auto next = [&](SignalId from) {
    std::vector<ExprId> work{model.signals[from].value};
    std::vector<char> seen(model.states.size(), 0), put_out(model.outputs.size(), 0);
    while (!work.empty()) {
      const ExprId e = work.back();
      work.pop_back();
      for (ExprId leaf : model.pool.leaves(e)) {
        const expr::Node& node = model.pool[leaf];
        const auto ref = static_cast<std::size_t>(node.ref);
        if (node.op == Op::Signal &&
            std::find(unknown.begin(), unknown.end(), SignalId(ref)) != unknown.end()) {
          return SignalId(ref);
        }
        if (node.op == Op::State && model.states[StateId(ref)].impulse.valid() && !seen[ref]) {
          seen[ref] = 1;
          work.push_back(model.states[StateId(ref)].impulse);
        }
        if (node.op == Op::Output && !put_out[ref]) {
          put_out[ref] = 1;
          for (ExprId input : model.inputs_of(model.outputs[OutputId(ref)])) work.push_back(input);
        }
      }
    }
    return SignalId();
  };
  std::vector<SignalId> path;
  SignalId at = unknown.empty() ? SignalId() : unknown[0];
  while (at.valid()) {
    const auto again = std::find(path.begin(), path.end(), at);
    if (again != path.end()) return {again, path.end()};
    path.push_back(at);
    at = next(at);
  }
  return path;
}

Diagnostic describe_loop(const model::Model& model, const std::vector<SignalId>& signals,
                         const std::string& when) {
  const std::size_t count = signals.size();
  std::vector<std::string> names;
  names.reserve(count);
  for (SignalId id : signals) names.push_back(model.signals[id].name);
  Diagnostic d("constructive.loop", "nonconstructive: " + join(names, ", ", 6) +
                                        (count == 1 ? " stays unknown" : " stay unknown") + when);
  std::vector<std::string> chain;
  for (std::size_t i = 0; i < count; ++i) {
    const model::Signal& signal = model.signals[signals[i]];
    d.at(signal.span, "needs " + model.signals[signals[(i + 1) % count]].name);
    chain.push_back(signal.name);
  }
  if (!chain.empty()) chain.push_back(chain[0]);
  d.note("loop", join(chain, " → ", 20));
  d.rule("a signal must be computable from what is known before it");
  d.help(
      "break the loop by an operator that does not need its input now: integral, delay, fby, pre");
  return d;
}

}  // namespace cradle::plan
