#include "core/engine/assertions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/basics/sorted.hpp"
#include "core/engine/attempt.hpp"
#include "core/engine/search.hpp"

namespace cradle::engine {

using expr::Op;

namespace {

// However long the way, as long as it goes on well.
std::optional<double> seek(solve::Gap& gap, bool strict, double from, double to) {
  constexpr int64_t kPieces = 1 << 16;
  constexpr double kLeast = 1.0 / 1024;  // of the way, with so many pieces
  constexpr double kMore = 4;            // than the pieces that it came to last
  const bool truth = solve::holds(gap(from), strict);
  double width = 0;
  for (double begin = from; begin < to;) {
    solve::Stride stride{kMore * width, kPieces};
    const solve::Sought sought = solve::seek(gap, strict, truth, begin, to, stride);
    if (sought.change || sought.clear_to >= to) return sought.change;
    if (sought.clear_to - begin < kLeast * (to - from)) {
      throw solve::OscillatesTooFast{sought.clear_to, stride.width};
    }
    begin = sought.clear_to;
    width = stride.width;
  }
  return std::nullopt;
}

}  // namespace

// Conditions as clauses, through signals: a name for a condition changes nothing.
class Assertions::Maker {
 public:
  explicit Maker(Assertions& out)
      : out_(out), plan_(out.runtime_.system), m_(plan_.model()), footprints_(plan_) {}

  void add(const model::Assertion& assertion) {
    Judged judged;
    judged.root = clause(assertion.holds, 0);
    for (const model::Column& read : assertion.reads) {
      const bool truth = m_.pool[read.value].type == expr::Type::Boolean;
      judged.reads.push_back({read.name, plan_.compile(read.value), truth});
    }
    out_.judged_.push_back(std::move(judged));
    for (ComparisonId r : footprints_.of(assertion.holds).comparisons) {
      if (auto found = out_.place_.find(r); found != out_.place_.end()) {
        out_.watched_[found->second].readers.push_back(out_.judged_.size() - 1);
      }
    }
    const std::vector<PreId> pres = footprints_.of(assertion.holds).pres;
    out_.pres_.insert(out_.pres_.end(), pres.begin(), pres.end());
  }

 private:
  static constexpr int kDeepest = 400;

  int32_t clause(ExprId e, int depth) {
    if (auto known = made_.find(e); known != made_.end()) return known->second;
    Clause made = make(e, depth);
    out_.clauses_.push_back(std::move(made));
    return made_[e] = static_cast<int32_t>(out_.clauses_.size()) - 1;
  }

  Clause make(ExprId e, int depth) {
    using Kind = Clause::Kind;
    const expr::Node& node = m_.pool[e];
    const bool branches = node.op == Op::If && node.type == expr::Type::Boolean;
    if (depth > kDeepest) return leaf(e);
    if (node.op == Op::And || node.op == Op::Or) {
      return {node.op == Op::And ? Kind::And : Kind::Or, clause(node.a, depth + 1),
              clause(node.b, depth + 1)};
    }
    if (node.op == Op::Not) return {Kind::Not, clause(node.a, depth + 1)};
    if (branches) {
      return {Kind::If, clause(node.a, depth + 1), clause(node.b, depth + 1),
              clause(node.c, depth + 1)};
    }
    if (node.op == Op::Signal) {
      return make(m_.signals[SignalId(static_cast<std::size_t>(node.ref))].value, depth + 1);
    }
    const ComparisonId comparison = plan_.comparison_of(e);
    if (!comparison.valid() || !plan_.comparisons()[comparison].watched) return leaf(e);
    for (ComparisonId inside : plan_.comparisons()[comparison].reads.comparisons) {
      watch(inside).exactly |= inside != comparison;
    }
    watch(comparison);
    return {Kind::Comparison, -1, -1, -1, comparison};
  }

  Clause leaf(ExprId e) {
    for (ComparisonId inside : footprints_.of(e).comparisons) {
      if (plan_.comparisons()[inside].watched) watch(inside).exactly = true;
    }
    return {Clause::Kind::Leaf, -1, -1, -1, {}, plan_.compile(e)};
  }

  Watched& watch(ComparisonId comparison) {
    const auto [place, is_new] = out_.place_.try_emplace(comparison, out_.watched_.size());
    if (is_new) out_.watched_.push_back({comparison, false, {}});
    return out_.watched_[place->second];
  }

  Assertions& out_;
  const Plan& plan_;
  const model::Model& m_;
  plan::Footprints footprints_;
  std::unordered_map<ExprId, int32_t> made_;
};

// What there is to see while time flows, and inside an instant.
class Assertions::Flowing {
 public:
  Flowing(Eyes& eyes, double t) : flow_(eyes.flowing(t)) {}
  std::optional<Number> value(const plan::Code& code) {
    const std::optional<double> value = flow_.optional(code);
    return value ? std::optional(Number(*value)) : std::nullopt;
  }
  std::optional<Number> gap(const plan::Comparison& comparison) {
    const double gap = flow_.run(comparison.gap);
    return is_absent(gap) ? std::nullopt : std::optional(Number(gap));
  }

 private:
  FlowEvaluator& flow_;
};

class Assertions::Inside {
 public:
  explicit Inside(Eyes& eyes) : inside_(eyes.inside(InstantEvaluator::View::Tried)) {}
  std::optional<Number> value(const plan::Code& code) {
    const plan::Value value = inside_.value(code);
    return value.is_present() ? std::optional<Number>(value) : std::nullopt;
  }
  std::optional<Number> gap(const plan::Comparison& comparison) { return value(comparison.gap); }

 private:
  InstantEvaluator& inside_;
};

Assertions::Assertions(Runtime& runtime, Clusters& clusters, Eyes& eyes, Outcome& outcome)
    : runtime_(runtime), clusters_(clusters), eyes_(eyes), outcome_(outcome) {
  const std::vector<model::Assertion>& assertions = runtime.system.model().assertions;
  if (assertions.empty()) return;
  Maker maker(*this);
  for (const model::Assertion& assertion : assertions) maker.add(assertion);
  sort_unique(pres_);
  begin_anew();
}

void Assertions::begin_anew() {
  memory_.open.assign(judged_.size(), 1);
  memory_.scales.assign(watched_.size(), 0);
  memory_.judged_to = runtime_.state.now;
  outcome_.assertions = static_cast<int64_t>(judged_.size());
}

bool Assertions::is_open(const Watched& watched) const {
  return std::any_of(watched.readers.begin(), watched.readers.end(),
                     [this](std::size_t assertion) { return memory_.open[assertion] != 0; });
}

// ---- how a condition is judged ----

double Assertions::noise_of(std::size_t watched) const {
  return runtime_.options.relative_tolerance * memory_.scales[watched];
}

// The largest gaps so far: what tolerance and rounding can make of them.
void Assertions::note_scales(double t) {
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (!is_open(watched_[i])) continue;
    const plan::Comparison& comparison = runtime_.system.comparisons()[watched_[i].comparison];
    std::optional<Number> gap;
    if (!attempt([&] { gap = Flowing(eyes_, t).gap(comparison); })) eyes_.abandon();
    if (!gap || !std::isfinite(gap->finite)) continue;
    memory_.scales[i] = std::max(memory_.scales[i], std::abs(gap->finite));
  }
}

template <class View>
Assertions::Verdict Assertions::compared(View& view, ComparisonId id, double noise) {
  const plan::Comparison& comparison = runtime_.system.comparisons()[id];
  const std::optional<Number> gap = view.gap(comparison);
  if (!gap) return Verdict::Maybe;
  // What tolerance has made of an integral over the time so far is no impulse, as where a diode
  // closes a rounding error late.
  if (std::abs(gap->impulse) > noise * std::abs(runtime_.state.now)) {
    return gap->impulse > 0 ? Verdict::Yes : Verdict::No;
  }
  if (std::isnan(gap->finite)) {  // infinity on both sides
    const std::optional<Number> truth = view.value(comparison.truth);
    return !truth ? Verdict::Maybe : truth->finite != 0 ? Verdict::Yes : Verdict::No;
  }
  if (solve::holds(gap->finite - noise, comparison.strict)) return Verdict::Yes;
  return solve::holds(gap->finite + noise, comparison.strict) ? Verdict::Maybe : Verdict::No;
}

template <class View>
Assertions::Verdict Assertions::verdict(View& view, int32_t index, bool exactly) {
  using Kind = Clause::Kind;
  const Clause& clause = clauses_[static_cast<std::size_t>(index)];
  const auto of = [&](int32_t operand) { return verdict(view, operand, exactly); };
  switch (clause.kind) {
    case Kind::And: {
      const Verdict a = of(clause.a);
      return a == Verdict::No ? a : std::min(a, of(clause.b));
    }
    case Kind::Or: {
      const Verdict a = of(clause.a);
      return a == Verdict::Yes ? a : std::max(a, of(clause.b));
    }
    case Kind::Not: {
      const Verdict a = of(clause.a);
      return a == Verdict::Maybe ? a : a == Verdict::Yes ? Verdict::No : Verdict::Yes;
    }
    case Kind::If: {
      const Verdict a = of(clause.a);
      if (a != Verdict::Maybe) return of(a == Verdict::Yes ? clause.b : clause.c);
      const Verdict b = of(clause.b), c = of(clause.c);
      return b == c ? b : Verdict::Maybe;
    }
    case Kind::Comparison: {
      const std::size_t place = place_.at(clause.comparison);
      return compared(view, clause.comparison, exactly ? 0 : noise_of(place));
    }
    case Kind::Leaf:
      break;
  }
  const std::optional<Number> value = view.value(clause.leaf);
  return !value ? Verdict::Maybe : value->finite != 0 ? Verdict::Yes : Verdict::No;
}

// ---- while time flows ----

void Assertions::flows_to(double t) {
  if (judged_.empty()) return;
  while (memory_.judged_to < t) {
    const double from = memory_.judged_to;
    note_scales(from);
    const std::optional<double> change = next_change(from, t);
    memory_.judged_to = change.value_or(t);
    if (change) judge_flowing(from, *change);
  }
}

// The first time in (from, to] at which a comparison is clearly another, that is to say beyond what
// tolerance explains.
std::optional<double> Assertions::next_change(double from, double to) {
  std::optional<double> first;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (!is_open(watched_[i])) continue;
    if (!attempt([&] { change_of(i, from, first, to); })) eyes_.abandon();
  }
  return first;
}

void Assertions::change_of(std::size_t i, double from, std::optional<double>& first, double to) {
  const double noise = watched_[i].exactly ? 0 : noise_of(i);
  for (const double margin : {noise, -noise}) {
    try {
      const double end = first.value_or(to);
      if (const auto found = crossing(watched_[i].comparison, margin, from, end)) first = found;
    } catch (const solve::OscillatesTooFast& fault) {
      return give_up(i, fault.at);
    }
    if (noise == 0) return;
  }
}

std::optional<double> Assertions::crossing(ComparisonId id, double margin, double from, double to) {
  if (!(from < to)) return std::nullopt;
  const plan::Comparison& comparison = runtime_.system.comparisons()[id];
  FlowEvaluator& flow = eyes_.flowing(from);
  const double gap = flow.run(comparison.gap);
  if (is_absent(gap)) return std::nullopt;
  FlowCode* code = clusters_.gap_code_for(id, flow);
  if (code == nullptr) {
    const bool truth = solve::holds(gap - margin, comparison.strict);
    return first_change(flow, comparison, margin, comparison.strict, truth, from, to);
  }
  CodeGap code_gap(*code, flow, comparison, margin);
  return seek(code_gap, comparison.strict, from, to);
}

void Assertions::judge_flowing(double from, double t) {
  for (std::size_t a = 0; a < judged_.size(); ++a) {
    if (memory_.open[a] == 0) continue;
    Verdict found = Verdict::Maybe;
    const bool known = attempt([&] {
      Flowing view(eyes_, t);
      found = verdict(view, judged_[a].root, false);
    });
    if (!known) eyes_.abandon();
    if (found != Verdict::No) continue;
    double at = t;
    std::string values;
    const bool told = attempt([&] {
      at = first_instant(a, from, t);
      Flowing view(eyes_, at);
      values = values_of(a, view);
    });
    if (!told) eyes_.abandon();
    violated(a, {at, 0, 0}, std::move(values));
  }
}

// It is clearly violated at `to`. Where did that begin?
double Assertions::first_instant(std::size_t assertion, double from, double to) {
  constexpr int kMost = 64;  // rounding can make it flicker
  for (int i = 0; i < kMost; ++i) {
    std::optional<double> next;
    for (const Watched& watched : watched_) {
      const auto& readers = watched.readers;
      if (std::find(readers.begin(), readers.end(), assertion) == readers.end()) continue;
      if (auto found = crossing(watched.comparison, 0, from, next.value_or(to))) next = found;
    }
    if (!next) break;
    Flowing view(eyes_, *next);
    if (verdict(view, judged_[assertion].root, true) == Verdict::No) return *next;
    from = *next;
  }
  return to;
}

// ---- inside an instant ----

void Assertions::settles() {
  for (std::size_t a = 0; a < judged_.size(); ++a) {
    if (memory_.open[a] == 0) continue;
    Verdict found = Verdict::Maybe;
    std::string values;
    const bool known = attempt([&] {
      Inside view(eyes_);
      found = verdict(view, judged_[a].root, false);
      if (found == Verdict::No) values = values_of(a, view);
    });
    if (!known) eyes_.abandon();
    if (found == Verdict::No) violated(a, runtime_.state.at, std::move(values));
  }
}

// Where nothing happened a clock may have ticked that only they read.
void Assertions::ends_instant(bool happened) {
  memory_.judged_to = runtime_.state.now;
  if (!happened) judge_flowing(runtime_.state.now, runtime_.state.now);
}

// ---- what is said ----

template <class View>
std::string Assertions::values_of(std::size_t assertion, View& view) {
  constexpr std::size_t kMost = 8;
  std::string out;
  const std::vector<Read>& reads = judged_[assertion].reads;
  for (std::size_t i = 0; i < std::min(kMost, reads.size()); ++i) {
    const std::optional<Number> value = view.value(reads[i].code);
    out += (out.empty() ? "" : ", ") + reads[i].name + " = ";
    out += !value               ? "absent"
           : !reads[i].truth    ? to_string(*value)
           : value->finite != 0 ? "true"
                                : "false";
  }
  return reads.size() > kMost ? out + ", …" : out;
}

void Assertions::violated(std::size_t assertion, const Instant& at, std::string values) {
  const model::Assertion& asserted = runtime_.system.model().assertions[assertion];
  say(assertion, {asserted.text, asserted.message, asserted.inside, at, std::move(values), false});
}

void Assertions::give_up(std::size_t watched, double at) {
  for (std::size_t assertion : watched_[watched].readers) {
    if (memory_.open[assertion] == 0) continue;
    const model::Assertion& asserted = runtime_.system.model().assertions[assertion];
    say(assertion, {asserted.text, asserted.message, asserted.inside, {at, 0, 0}, {}, true});
  }
}

void Assertions::say(std::size_t assertion, Violation violation) {
  constexpr std::size_t kMostSaid = 20;
  memory_.open[assertion] = 0;
  if (outcome_.violations.size() < kMostSaid) {
    outcome_.diagnostics.push_back(assertion_fails(runtime_, assertion, violation));
  }
  outcome_.violations.push_back(std::move(violation));
}

}  // namespace cradle::engine
