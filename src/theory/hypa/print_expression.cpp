#include "theory/hypa/print_expression.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "cradle/instant.hpp"
#include "language/expr/print.hpp"
#include "theory/hypa/notation.hpp"

namespace cradle::hypa {

bool notation::is_plain(std::string_view name) {
  bool start = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (start) {
      if (!std::isalpha(c) && c != '_') return false;
      start = false;
    } else if (c == '.') {
      start = true;
    } else if (c == '[') {
      std::size_t j = i + 1;
      while (j < name.size() && (std::isdigit(static_cast<unsigned char>(name[j])) ||
                                 name[j] == ',' || name[j] == ' ')) {
        ++j;
      }
      if (j == i + 1 || j >= name.size() || name[j] != ']') return false;
      i = j;
    } else if (!std::isalnum(c) && c != '_') {
      return false;
    }
  }
  return !start && !is_word(name);
}

bool notation::is_word(std::string_view name) {
  constexpr std::string_view words[] = {"if",   "then",     "else",   "true", "false",
                                        "time", "mode",     "let",    "or",   "and",
                                        "not",  "integral", "absent", "inf",  "nan"};
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

namespace {

using expr::Node;
using expr::Op;
using enum expr::Level;

std::string latex_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '_' || c == '#' || c == '%' || c == '&' || c == '$' || c == '{' || c == '}') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

class Printer {
 public:
  Printer(const Vocabulary& v, Style style) : v_(v), pool_(v.pool), latex_(style == Style::Latex) {}

  std::string print(ExprId e, int at_least = kIf) const {
    const Node& node = pool_[e];
    std::string text = body(node);
    if (level(node) >= at_least) return text;
    return latex_ ? "\\left(" + text + "\\right)" : "(" + text + ")";
  }

 private:
  // A fraction needs no parentheses.
  int level(const Node& node) const {
    return latex_ && node.op == Op::Div ? kPrimary : expr::level(node);
  }

  std::string pick(const char* text, const char* latex) const { return latex_ ? latex : text; }

  std::string infix(const Node& node, const std::string& sign, int left, int right) const {
    return print(node.a, left) + sign + print(node.b, right);
  }

  std::string body(const Node& node) const {
    switch (node.op) {
      case Op::Constant:
        return constant(node);
      case Op::Omega:
        return pick("ω", "\\omega ");
      case Op::Time:
        return pick("time", "t");
      case Op::Local:
        return pick("ξ", "\\xi ");
      case Op::Absent:
        return pick("absent", "\\mathrm{absent}");
      case Op::Variable:
        return variable(node);
      case Op::Parameter:
        return parameter(v_.parameters()[at(node.ref)]);
      case Op::Neg:
        return "-" + print(node.a, kMinus);
      case Op::Not:
        return pick("¬", "\\neg ") + print(node.a, kNot);
      case Op::Add:
        return infix(node, " + ", kSum, kSum + 1);
      case Op::Sub:
        return infix(node, " - ", kSum, kSum + 1);
      case Op::Mul:
        return infix(node, pick("·", " \\cdot "), kProduct, kProduct + 1);
      case Op::Div:
        if (latex_) return "\\frac{" + print(node.a) + "}{" + print(node.b) + "}";
        return infix(node, " / ", kProduct, kProduct + 1);
      case Op::Pow:
        return power(node);
      case Op::And:
        return infix(node, pick(" ∧ ", " \\wedge "), kAnd, kAnd + 1);
      case Op::Or:
        return infix(node, pick(" ∨ ", " \\vee "), kOr, kOr + 1);
      case Op::Less:
      case Op::LessEqual:
        return comparison(node);
      case Op::Equal:
      case Op::NotEqual:
        return equality(node);
      case Op::If:
        return conditional(node);
      case Op::Integral:
        return integral(node);
      default:
        return call(node);
    }
  }

  std::string constant(const Node& node) const {
    if (node.type == expr::Type::Boolean) {
      if (latex_) return node.value != 0 ? "\\mathit{true}" : "\\mathit{false}";
      return node.value != 0 ? "true" : "false";
    }
    return format_number(node.value);
  }

  std::string parameter(const std::string& name) const {
    if (latex_) return latex_name(name);
    return notation::is_plain(name) ? name : "`" + name + "`";
  }

  std::string variable(const Node& node) const {
    const std::string& name = v_[Vocabulary::variable_of(node)].name;
    const Mark mark = Vocabulary::mark_of(node);
    if (latex_) {
      static constexpr const char* superscripts[] = {"", "", "^{-}", "^{+}", "'", "^{\\circ}"};
      const std::string written = latex_name(name);
      if (mark == Mark::Rate) return "\\dot{" + written + "}";
      return written + superscripts[static_cast<std::size_t>(mark)];
    }
    static constexpr std::string_view signs[] = {"",
                                                 notation::kDot,
                                                 notation::kBefore,
                                                 notation::kAfter,
                                                 notation::kChange,
                                                 notation::kTried};
    const std::string written = notation::is_plain(name) ? name : "`" + name + "`";
    return written + std::string(signs[static_cast<std::size_t>(mark)]);
  }

  std::string power(const Node& node) const {
    const bool marked = v_.is_variable(node.a) && Vocabulary::mark_of(pool_[node.a]) != Mark::Now;
    std::string base = print(node.a, kPrimary);
    if (marked) base = latex_ ? "\\left(" + base + "\\right)" : "(" + base + ")";
    if (latex_) return base + "^{" + print(node.b) + "}";
    if (pool_.is_constant(node.b) && pool_.constant_value(node.b) == 2) return base + "²";
    if (pool_.is_constant(node.b) && pool_.constant_value(node.b) == 3) return base + "³";
    // x^-1 and x^offset would be read as x⁻ and x°.
    const std::string exponent = print(node.b, kPrimary);
    return base + "^" + (exponent.starts_with('o') ? "(" + exponent + ")" : exponent);
  }

  // A number stands on the right: x ≥ 0.
  std::string comparison(const Node& node) const {
    const bool strict = node.op == Op::Less;
    if (pool_.is_fixed(node.a) && !pool_.is_fixed(node.b)) {
      const std::string sign = strict ? " > " : pick(" ≥ ", " \\geq ");
      return print(node.b, kSum) + sign + print(node.a, kSum);
    }
    return infix(node, strict ? " < " : pick(" ≤ ", " \\leq "), kSum, kSum);
  }

  std::string equality(const Node& node) const {
    const std::string sign = node.op == Op::Equal ? " = " : pick(" ≠ ", " \\neq ");
    if (v_.is_variable(node.a) && pool_.is_constant(node.b)) {
      const Variable& variable = v_[Vocabulary::variable_of(pool_[node.a])];
      if (variable.quantity == Quantity::Mode) {
        const std::string& state = variable.values[at(static_cast<int32_t>(pool_[node.b].value))];
        if (latex_) return print(node.a) + sign + "\\mathrm{" + latex_escaped(state) + "}";
        return print(node.a) + sign + state;
      }
    }
    return infix(node, sign, kSum, kSum);
  }

  std::string conditional(const Node& node) const {
    if (latex_) {
      return "\\begin{cases}" + print(node.b) + " & \\text{if } " + print(node.a) + " \\\\ " +
             print(node.c) + " & \\text{otherwise}\\end{cases}";
    }
    return "if " + print(node.a, kOr) + " then " + print(node.b, kOr) + " else " +
           print(node.c, kIf);
  }

  std::string integral(const Node& node) const {
    if (latex_) {
      return "\\int_{" + print(node.a) + "}^{" + print(node.b) + "} " + print(node.c, kSum) +
             "\\, d\\xi";
    }
    return "∫[" + print(node.a) + ", " + print(node.b) + "] " + print(node.c, kSum) + " dξ";
  }

  std::string call(const Node& node) const {
    std::string text(expr::name(node.op));
    if (latex_) text = "\\mathrm{" + latex_escaped(text) + "}";
    if (arity(node.op) == 0) return text;
    text += "(" + print(node.a);
    if (arity(node.op) > 1) text += ", " + print(node.b);
    if (arity(node.op) > 2) text += ", " + print(node.c);
    return text + ")";
  }

  const Vocabulary& v_;
  const expr::Pool& pool_;
  bool latex_;
};

}  // namespace

std::string print_expression(const Vocabulary& v, ExprId e, Style style) {
  return Printer(v, style).print(e);
}

// body1.p is written p with the subscript body1, m1 as it is.
std::string latex_name(const std::string& name) {
  const auto dot = name.rfind('.');
  if (dot != std::string::npos && dot + 2 == name.size()) {
    return "{" + name.substr(dot + 1) + "_{\\mathrm{" + latex_escaped(name.substr(0, dot)) + "}}}";
  }
  const auto line = name.find('_');
  if (line == 1 && name.size() > 2) {
    return "{" + name.substr(0, 1) + "_{\\mathrm{" + latex_escaped(name.substr(2)) + "}}}";
  }
  if (name.size() == 1) return name;
  return "\\mathit{" + latex_escaped(name) + "}";
}

}  // namespace cradle::hypa
