#include "compile/loops.hpp"

#include <algorithm>

#include "compile/describe.hpp"

namespace cradle::compile {

using expr::Op;

namespace {

// Signals whose present value an expression needs in any case.
std::vector<SignalId> strictly_needed(const expr::Pool& pool, ExprId root) {
  std::vector<SignalId> out;
  std::vector<ExprId> work{root};
  while (!work.empty()) {
    ExprId e = work.back();
    work.pop_back();
    if (!e.valid()) continue;
    const expr::Node& node = pool[e];
    if (node.op == Op::Signal) out.push_back(SignalId(static_cast<std::size_t>(node.ref)));
    work.push_back(node.a);
    if (node.op == Op::If || node.op == Op::And || node.op == Op::Or) continue;
    work.push_back(node.b);
    work.push_back(node.c);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<std::vector<SignalId>> find_signal_loops(const model::Model& model) {
  const std::size_t n = model.signals.size();
  std::vector<std::vector<SignalId>> needs(n);
  for (std::size_t i = 0; i < n; ++i) {
    needs[i] = strictly_needed(model.pool, model.signals[SignalId(i)].value);
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

Diagnostic describe_loop(const model::Model& model, const std::vector<SignalId>& signals,
                         const std::string& when) {
  const std::size_t count = signals.size();
  Diagnostic d(
      "constructive.loop",
      std::to_string(count) + (count == 1 ? " signal stays" : " signals stay") + " unknown" + when);
  std::vector<std::string> chain;
  for (std::size_t i = 0; i < count; ++i) {
    const model::Signal& signal = model.signals[signals[i]];
    d.at(signal.span, "needs " + model.signals[signals[(i + 1) % count]].name);
    chain.push_back(signal.name);
  }
  chain.push_back(chain[0]);
  d.note("loop", join(chain, " → ", 20));
  d.rule("a signal must be computable from what is known before it");
  d.help("put an integral or a pre on the loop");
  return d;
}

}  // namespace cradle::compile
