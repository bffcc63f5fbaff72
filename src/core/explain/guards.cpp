#include "core/explain/guards.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/explain/numbers.hpp"
#include "language/expr/print.hpp"

namespace cradle::explain {
namespace {

using expr::Op;
using plan::Value;
using syntax::BinaryOp;

constexpr int kMostDepth = 5;  // definitions of signals that are followed

std::optional<Number> as_number(const Value& value) {
  return value.is_present() ? std::optional<Number>(value) : std::nullopt;
}

// The conjuncts of a & b & c; what is written, and what is meant.
void split(const syntax::Expr& e, std::vector<const syntax::Expr*>& out) {
  const auto* binary = std::get_if<syntax::BinaryExpr>(&e.node);
  if (binary == nullptr || (binary->op != BinaryOp::And && binary->op != BinaryOp::Or)) {
    out.push_back(&e);
    return;
  }
  split(*binary->left, out);
  split(*binary->right, out);
}
void split(const expr::Pool& pool, ExprId e, std::vector<ExprId>& out) {
  const expr::Node node = pool[e];
  if (node.op != Op::And && node.op != Op::Or) {
    out.push_back(e);
    return;
  }
  split(pool, node.a, out);
  split(pool, node.b, out);
}

struct Comparison {
  Op op;
  bool turned;  // a > b is kept as b < a
};
std::optional<Comparison> comparison_of(const syntax::Expr& e) {
  const auto* binary = std::get_if<syntax::BinaryExpr>(&e.node);
  if (binary == nullptr) return std::nullopt;
  switch (binary->op) {
    case BinaryOp::Less:
      return Comparison{Op::Less, false};
    case BinaryOp::LessEqual:
      return Comparison{Op::LessEqual, false};
    case BinaryOp::Greater:
      return Comparison{Op::Less, true};
    case BinaryOp::GreaterEqual:
      return Comparison{Op::LessEqual, true};
    case BinaryOp::Equal:
      return Comparison{Op::Equal, false};
    case BinaryOp::NotEqual:
      return Comparison{Op::NotEqual, false};
    default:
      return std::nullopt;
  }
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Does it stand there as a word of its own?
bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '.');
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || (!is_word(text[end]) && text[end] != '['))) return true;
  }
  return false;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (char c : text + " ") {
    if (is_word(c)) {
      word += c;
      continue;
    }
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0)
      out.push_back(word);
    word.clear();
  }
  return out;
}

// "a\n   and b" on one line.
std::string on_one_line(const std::string& text) {
  std::string out;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

const char* sign_of(Op op, bool turned) {
  switch (op) {
    case Op::Less:
      return turned ? " > " : " < ";
    case Op::LessEqual:
      return turned ? " >= " : " <= ";
    case Op::Equal:
      return " == ";
    default:
      return " != ";
  }
}

}  // namespace

std::string Guards::source(Span span) const {
  if (!span.known()) return {};
  const std::string& text = sources_.file(span.file).text;
  return on_one_line(text.substr(at(span.begin), at(span.end - span.begin)));
}

Guards::Guards(const model::Model& model, const Sources& sources) : m_(model), sources_(sources) {
  for (const std::string& name : model.readable_names()) {
    names_[model.readable.at(name)].push_back(name);
  }
}

std::string Guards::name_of(ExprId leaf, const std::string& text) const {
  const expr::Node& node = m_.pool[leaf];
  if (node.op == Op::Pre) {
    return "pre(" + name_of(m_.pool.pres()[at(node.ref)], text) + ")";
  }
  auto found = names_.find(leaf);
  if (found == names_.end()) return node.op == Op::Time ? "time" : m_.text(leaf);
  // The longest that the text has, otherwise the shortest there is.
  const std::string* best = nullptr;
  for (const std::string& name : found->second) {
    if (has_word(text, name) && (best == nullptr || name.size() > best->size())) best = &name;
  }
  if (best != nullptr) return *best;
  return *std::min_element(found->second.begin(), found->second.end(),
                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

std::string Guards::text_of(ExprId e, const std::string& text) const {
  return expr::to_string(m_.pool, e, [&](const expr::Node& leaf) {
    return name_of(m_.pool.find_leaf(leaf.op, leaf.ref, leaf.value, leaf.type), text);
  });
}

std::vector<NamedValue> Guards::values_in(ExprId e, const std::string& text,
                                          const Evaluate& value) const {
  std::vector<NamedValue> out;
  for (ExprId leaf : m_.pool.leaves(e)) {
    if (m_.pool[leaf].op == Op::Omega || m_.pool[leaf].op == Op::Absent) continue;
    out.emplace_back(name_of(leaf, text), as_number(value(leaf)));
  }
  return out;
}

ExplainedCondition Guards::condition(const Part& part, const Evaluate& value, int depth) const {
  ExplainedCondition out;
  out.text = part.text;
  const Value truth = value(part.e);
  out.holds = truth.is_present() && truth.finite != 0;
  out.values = values_in(part.e, part.text, value);
  expr::Node node = m_.pool[part.e];
  if (expr::is_comparison(node.op)) {
    const ExprId left = part.turned ? node.b : node.a, right = part.turned ? node.a : node.b;
    if (m_.pool[left].type != expr::Type::Number) return out;
    const std::optional<Number> l = as_number(value(left)), r = as_number(value(right));
    out.numbers = brief(l) + sign_of(node.op, part.turned) + brief(r);
    // On the far side of a crossing, and not by as much as six digits show.
    if (node.op == Op::Less && out.holds && l && r && brief(l) == brief(r)) {
      out.numbers += ", by " + brief(std::abs(l->finite - r->finite));
    }
    return out;
  }
  // A signal, the state of an automaton, an event: what it rests on itself.
  const ExprId inner = defined(node.op == Op::Not ? node.a : part.e, value);
  if (inner == part.e || depth == kMostDepth) return out;
  std::vector<ExprId> reasons;
  collect(inner, value, reasons);
  for (ExprId e : reasons) {
    const bool says_nothing = m_.pool[e].op == Op::Constant || expr::arity(m_.pool[e].op) == 0;
    if (!says_nothing || m_.pool[e].op == Op::Signal || m_.pool[e].op == Op::InMode ||
        m_.pool[e].op == Op::Active) {
      out.because.push_back(condition(this->part(e), value, depth + 1));
    }
  }
  return out;
}

// The expression behind names, and behind the mode or `when` that they stand in while that is on:
// the reader knows of it already.
ExprId Guards::defined(ExprId e, const Evaluate& value) const {
  for (int i = 0; i < 2 * kMostDepth; ++i) {
    const expr::Node node = m_.pool[e];
    if (node.op == Op::Signal) {
      e = m_.signals[SignalId(at(node.ref))].value;
    } else if (node.op == Op::When && value(e).is_present()) {
      e = node.a;
    } else {
      break;
    }
  }
  return e;
}

// What makes it true, or false: of a conjunction that is false only the parts that are.
void Guards::collect(ExprId e, const Evaluate& value, std::vector<ExprId>& out) const {
  const expr::Node node = m_.pool[e];
  if (node.op != Op::And && node.op != Op::Or) {
    out.push_back(e);
    return;
  }
  const bool truth = value(e) == Value(1.0);
  for (ExprId side : {node.a, node.b}) {
    const bool matters = truth == (node.op == Op::And) || (value(side) == Value(1.0)) == truth;
    if (matters) collect(side, value, out);
  }
}

// Without its text: in the names of the flat model. A number stands on the right.
Guards::Part Guards::part(ExprId e) const {
  const expr::Node node = m_.pool[e];
  const bool ordered = node.op == Op::Less || node.op == Op::LessEqual;
  if (!ordered || !m_.pool.is_fixed(node.a)) return {text_of(e), e};
  return {text_of(node.b) + sign_of(node.op, true) + text_of(node.a), e, true};
}

// What is written and what is meant, conjunct by conjunct; truths of parameters have been folded.
bool Guards::pair(const std::string& text, const syntax::Expr& written, ExprId guard,
                  std::vector<Part>& out) const {
  std::vector<const syntax::Expr*> texts;
  std::vector<ExprId> meanings;
  split(written, texts);
  split(m_.pool, guard, meanings);
  std::size_t next = 0;
  for (ExprId e : meanings) {
    const expr::Node node = m_.pool[e];
    const std::vector<std::string> meant = words_of(text_of(e));
    bool found = false;
    for (; next < texts.size() && !found; ++next) {
      const syntax::Expr& t = *texts[next];
      const auto compared = comparison_of(t);
      const bool fits = expr::is_comparison(node.op) ? compared && compared->op == node.op
                                                     : !compared.has_value();
      if (!fits) continue;
      const std::string source = text.substr(at(t.span.begin), at(t.span.end - t.span.begin));
      const std::vector<std::string> words = words_of(source);
      found = texts.size() == meanings.size() ||
              std::any_of(words.begin(), words.end(), [&](const std::string& word) {
                return std::find(meant.begin(), meant.end(), word) != meant.end();
              });
      if (found) out.push_back({source, e, compared && compared->turned});
    }
    if (!found) return false;
  }
  return true;
}

std::vector<Guards::Part> Guards::parts(ExprId guard, Span span) const {
  std::vector<Part> out;
  const std::string text = source(span);
  if (!text.empty()) {
    Sources one;
    Diagnostics diagnostics;
    const int32_t file = one.add("guard", text);
    const syntax::ExprPtr written = syntax::parse_expression(one, file, diagnostics);
    if (written != nullptr && pair(text, *written, guard, out)) return out;
  }
  out.clear();
  std::vector<ExprId> meanings;
  split(m_.pool, guard, meanings);
  for (ExprId e : meanings) {
    if (!m_.pool.is_constant(e)) out.push_back(part(e));
  }
  return out;
}

std::vector<ExplainedCondition> Guards::conditions(ExprId guard, Span span, const Evaluate& value,
                                                   const Judge& judge) const {
  std::vector<ExplainedCondition> out;
  if (m_.pool.is_constant(guard)) return out;
  for (const Part& part : parts(guard, span)) {
    ExplainedCondition& one = out.emplace_back(condition(part, value, 0));
    const Op op = m_.pool[part.e].op;
    if (!judge || (op != Op::Less && op != Op::LessEqual)) continue;
    if (const auto judged = judge(part.e)) decide(*judged, part.turned, one);
  }
  return out;
}

// What decided, if that is not what the numbers show.
void Guards::decide(const Judged& judged, bool turned, ExplainedCondition& out) {
  using By = ExplainedCondition::By;
  using Part = plan::Series::Leading::Part;
  const plan::Series::Leading leading = judged.gap.leading();
  out.holds = judged.truth;
  out.decisive = turned ? leading.value : -leading.value;
  const std::string amount = brief(out.decisive);
  switch (leading.part) {
    case Part::Strain:
      out.by = leading.order == 0 ? By::Strain : By::StrainNext;
      out.decided = leading.order == 0 ? "the difference is " + amount + "/δ: strain decides"
                                       : "strain begins, and decides: derivative " +
                                             std::to_string(leading.order) +
                                             " of the difference is " + amount + "/δ";
      break;
    case Part::Impulse:
      out.by = By::Impulse;
      break;
    case Part::Finite:
      out.by = leading.order == 0 ? By::Value : leading.order == 1 ? By::Rate : By::SecondRate;
      if (leading.order == 1) {
        out.decided = "what comes next decides: the difference is zero, and goes at " + amount;
      } else if (leading.order == 2) {
        out.decided =
            "what comes next decides: the difference and its rate are zero, and its second "
            "derivative is " +
            amount;
      }
      break;
    case Part::None:
      out.by = By::Nothing;
      out.decided = "the difference, its rate and its second derivative are zero";
      break;
  }
}

std::string Guards::text_of_comparison(const plan::Comparison& comparison) const {
  for (auto [automaton, index] : comparison.guards) {
    const model::Transition& transition = m_.automata[automaton].transitions[at(index)];
    for (const Part& part : parts(transition.guard, transition.guard_span)) {
      if (part.e != comparison.expr) continue;
      const expr::Node node = m_.pool[part.e];
      if (!part.turned) return text_of(part.e, part.text);
      return text_of(node.b, part.text) + sign_of(node.op, true) + text_of(node.a, part.text);
    }
  }
  return part(comparison.expr).text;
}

}  // namespace cradle::explain
