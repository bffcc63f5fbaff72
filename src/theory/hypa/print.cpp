#include "theory/hypa/print.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "theory/hypa/notation.hpp"
#include "theory/hypa/print_expression.hpp"

namespace cradle::hypa {
namespace {

using Kind = Term::Kind;

constexpr std::size_t kWidth = 96;

// Binding strength, weakest first.
int level(const Term& term) {
  switch (term.kind) {
    case Kind::Choice:
      return 0;
    case Kind::Parallel:
      return 1;
    case Kind::Reinitialise:
      return 2;
    case Kind::Disrupt:
      return 3;
    default:
      return 4;
  }
}

std::string sign(std::string_view text) { return " " + std::string(text) + " "; }

// Columns on a terminal: code points, without the dots above letters.
std::size_t width(const std::string& text) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) != 0x80) ++n;
    if (c == 0xCC && i + 1 < text.size() && text[i + 1] == '\x87') --n;
  }
  return n;
}

class TermPrinter {
 public:
  explicit TermPrinter(const Vocabulary& v) : v_(v) {}

  std::string line(const Term& term, int at_least = 0) const {
    const std::string text = line_body(term);
    return level(term) < at_least ? "(" + text + ")" : text;
  }

  // On several lines; those after the first are indented by `indent`.
  std::string block(const Term& term, std::size_t indent) const {
    if (std::string text = line(term); indent + width(text) <= kWidth) return text;
    const std::string margin = "\n" + std::string(indent, ' ');
    switch (term.kind) {
      case Kind::Choice: {
        std::string text;
        for (const Term& part : term.parts) {
          if (!text.empty()) text.append(margin).append(notation::kOr).append(margin);
          text += "  " + block_part(part, 1, indent + 2);
        }
        return text.substr(2);  // the first stands where the caller is
      }
      case Kind::Parallel:
        return wrapped(term, indent);
      case Kind::Reinitialise:
        return "[" + predicate_block(term.clause, indent + 1) + "]" + margin +
               std::string(notation::kThen) + " " + block_part(term.parts[0], 2, indent + 2);
      case Kind::Disrupt:
        return block_part(term.parts[0], 4, indent) + sign(notation::kDisrupt) +
               block_part(term.parts[1], 3, indent);
      case Kind::Flow:
        return "(" + predicate_block(term.clause, indent + 1) + ")";
      case Kind::Name:
        return line(term);
    }
    return {};
  }

 private:
  std::string block_part(const Term& term, int at_least, std::size_t indent) const {
    if (level(term) >= at_least) return block(term, indent);
    return "(" + block(term, indent + 1) + ")";
  }

  std::string wrapped(const Term& term, std::size_t indent) const {
    std::string text;
    std::size_t column = indent;
    for (const Term& part : term.parts) {
      std::string piece = line(part, 2);
      if (!text.empty()) {
        text += sign(notation::kParallel);
        column += 3;
        if (column + width(piece) + 2 > kWidth) {
          text.pop_back();
          text += "\n" + std::string(indent, ' ');
          column = indent;
        }
      }
      column += width(piece);
      text += piece;
    }
    return text;
  }

  std::string joined(const Term& term, std::string_view between, int at_least) const {
    std::string text;
    for (const Term& part : term.parts) {
      if (!text.empty()) text += sign(between);
      text += line(part, at_least);
    }
    return text;
  }

  std::string line_body(const Term& term) const {
    switch (term.kind) {
      case Kind::Flow:
        return "(" + predicate(term.clause) + ")";
      case Kind::Reinitialise:
        return "[" + predicate(term.clause) + "]" + sign(notation::kThen) + line(term.parts[0], 2);
      case Kind::Choice:
        return joined(term, notation::kOr, 1);
      case Kind::Parallel:
        return joined(term, notation::kParallel, 2);
      case Kind::Disrupt:
        return line(term.parts[0], 4) + sign(notation::kDisrupt) + line(term.parts[1], 3);
      case Kind::Name:
        return notation::is_plain(term.name) ? term.name : "`" + term.name + "`";
    }
    return {};
  }

  std::string variables(const Clause& clause) const {
    if (!clause.variables) return {};
    std::string text;
    for (VariableId id : *clause.variables) {
      if (!text.empty()) text += ", ";
      text += notation::is_plain(v_[id].name) ? v_[id].name : "`" + v_[id].name + "`";
    }
    return text + " | ";
  }

  std::string predicate(const Clause& clause) const {
    std::string text;
    for (const Relation& relation : clause.predicate) {
      if (!text.empty()) text += ", ";
      text += to_string(v_, relation.holds);
    }
    return variables(clause) + (text.empty() ? "true" : text);
  }

  std::string predicate_block(const Clause& clause, std::size_t indent) const {
    if (std::string text = predicate(clause); indent + width(text) + 6 <= kWidth) return text;
    std::string text;
    for (const Relation& relation : clause.predicate) {
      if (!text.empty()) text += ",\n" + std::string(indent, ' ');
      text += " " + to_string(v_, relation.holds);
    }
    return variables(clause) + text + " ";
  }

  const Vocabulary& v_;
};

}  // namespace

std::string to_string(const Vocabulary& v, ExprId e) { return print_expression(v, e, Style::Text); }

std::string to_string(const Vocabulary& v, const Term& term) { return TermPrinter(v).line(term); }

std::string indented(const Vocabulary& v, const Term& term, std::size_t indent) {
  return TermPrinter(v).block(term, indent);
}

std::string to_string(const Vocabulary& v, const Process& process) {
  const std::string head = to_string(v, name(process.name)) + sign(notation::kDefines);
  const TermPrinter printer(v);
  if (std::string text = printer.line(process.body); width(head) + width(text) <= kWidth) {
    return head + text;
  }
  const bool choice = process.body.kind == Kind::Choice;
  return head.substr(0, head.size() - 1) + "\n" + std::string(choice ? 6 : 4, ' ') +
         printer.block(process.body, 4);
}

std::string declarations(const Vocabulary& v) {
  std::string text;
  for (const std::string& parameter : v.parameters()) {
    text += (text.empty() ? "param " : ", ") + to_string(v, name(parameter));
  }
  if (!text.empty()) text += "\n";
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Variable& variable = v[VariableId(i)];
    if (variable.quantity != Quantity::Mode) continue;
    text += "mode " + to_string(v, name(variable.name)) + ":";
    for (std::size_t j = 0; j < variable.values.size(); ++j) {
      text += (j > 0 ? ", " : " ") + variable.values[j];
    }
    text += "\n";
  }
  return text;
}

std::string to_string(const Specification& specification) {
  const Vocabulary& v = specification.vocabulary;
  std::string text = declarations(v);
  if (!text.empty()) text += "\n";
  for (const Process& process : specification.processes) {
    const std::string written = to_string(v, process);
    const bool lines = written.find('\n') != std::string::npos;
    if (!process.what.empty() && lines) text += "// " + process.what + "\n";
    text += written;
    if (!process.what.empty() && !lines) text += "    // " + process.what;
    text += lines ? "\n\n" : "\n";
  }
  while (text.size() > 1 && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

namespace {

class LatexPrinter {
 public:
  explicit LatexPrinter(const Vocabulary& v) : v_(v) {}

  std::string print(const Term& term, int at_least = 0) const {
    const std::string text = body(term);
    return level(term) < at_least ? "\\left(" + text + "\\right)" : text;
  }

 private:
  std::string rows(const Clause& clause, const char* open, const char* close) const {
    std::string text = std::string("\\left") + open + "\\begin{array}{l}";
    if (clause.variables) {
      std::string names;
      for (VariableId id : *clause.variables) {
        names += (names.empty() ? "" : ", ") + latex_name(v_[id].name);
      }
      text += names + " \\mid ";
    }
    for (std::size_t i = 0; i < clause.predicate.size(); ++i) {
      text += i > 0 ? " \\\\ " : "";
      text += print_expression(v_, clause.predicate[i].holds, Style::Latex);
    }
    if (clause.predicate.empty()) text += "\\mathit{true}";
    return text + "\\end{array}\\right" + close;
  }
  std::string joined(const Term& term, const char* between, int at_least) const {
    std::string text;
    for (const Term& part : term.parts) {
      if (!text.empty()) text += between;
      text += print(part, at_least);
    }
    return text;
  }
  std::string body(const Term& term) const {
    switch (term.kind) {
      case Kind::Flow:
        return rows(term.clause, "(", ")");
      case Kind::Reinitialise:
        return rows(term.clause, "[", "]") + " \\gg " + print(term.parts[0], 2);
      case Kind::Choice:
        return joined(term, " \\\\ &\\oplus\\; ", 1);
      case Kind::Parallel:
        return joined(term, " \\parallel ", 2);
      case Kind::Disrupt:
        return print(term.parts[0], 4) + " \\blacktriangleright " + print(term.parts[1], 3);
      case Kind::Name:
        return latex_name(term.name);
    }
    return {};
  }

  const Vocabulary& v_;
};

}  // namespace

std::string to_latex(const Specification& specification) {
  const LatexPrinter printer(specification.vocabulary);
  std::string text = "% needs amsmath and amssymb\n\\begin{align*}\n";
  for (std::size_t i = 0; i < specification.processes.size(); ++i) {
    const Process& process = specification.processes[i];
    text += latex_name(process.name) + " &\\approx " + printer.print(process.body);
    text += i + 1 < specification.processes.size() ? " \\\\\n" : "\n";
  }
  return text + "\\end{align*}\n";
}

namespace {

using nlohmann::ordered_json;

ordered_json predicate_json(const Vocabulary& v, const Predicate& predicate) {
  ordered_json out = ordered_json::array();
  for (const Relation& relation : predicate) {
    ordered_json entry = {{"relation", to_string(v, relation.holds)}};
    if (!relation.from.empty()) entry["from"] = relation.from;
    out.push_back(std::move(entry));
  }
  return out;
}

ordered_json term_json(const Vocabulary& v, const Term& term) {
  static constexpr const char* kinds[] = {"flow",    "reinitialise", "choice",
                                          "disrupt", "parallel",     "name"};
  ordered_json out = {{"kind", kinds[static_cast<std::size_t>(term.kind)]}};
  if (term.kind == Kind::Name) out["name"] = term.name;
  if (term.kind == Kind::Flow || term.kind == Kind::Reinitialise) {
    if (term.clause.variables) {
      ordered_json names = ordered_json::array();
      for (VariableId id : *term.clause.variables) names.push_back(v[id].name);
      out["variables"] = std::move(names);
    }
    out["predicate"] = predicate_json(v, term.clause.predicate);
  }
  if (!term.parts.empty()) {
    ordered_json parts = ordered_json::array();
    for (const Term& part : term.parts) parts.push_back(term_json(v, part));
    out["parts"] = std::move(parts);
  }
  return out;
}

}  // namespace

std::string to_json(const Specification& specification) {
  ordered_json out = ordered_json::object();
  const Vocabulary& v = specification.vocabulary;
  ordered_json modes = ordered_json::object();
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Variable& variable = v[VariableId(i)];
    if (variable.quantity == Quantity::Mode) modes[variable.name] = variable.values;
  }
  out["parameters"] = v.parameters();
  out["modes"] = std::move(modes);
  ordered_json processes = ordered_json::array();
  for (const Process& process : specification.processes) {
    processes.push_back({{"name", process.name},
                         {"what", process.what},
                         {"text", to_string(v, process.body)},
                         {"term", term_json(v, process.body)}});
  }
  out["processes"] = std::move(processes);
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace cradle::hypa
