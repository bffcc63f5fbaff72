// text ─cards→ lines with continuations joined ─read→ circuits (.subckt) of parts ─write→ a model
//
// SPICE does not tell upper from lower case, and this writes all names in lower case, but for the
// letter that says what a part is. Where names could be taken for words of the language, nodes
// begin with n and other names get a _.

#include "cradle/spice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "cradle/instant.hpp"
#include "language/syntax/lexer.hpp"

namespace cradle {

bool SpiceImport::ok() const {
  return std::none_of(diagnostics.begin(), diagnostics.end(),
                      [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

namespace spice {
namespace {

struct Fault {
  Diagnostic diagnostic;
};

// One word of a card: a name, a number, an expression in braces or quotes, or one of ( ) = ,
struct Word {
  std::string text;  // in lower case
  Span span;
  bool is_expression = false;
};
using Card = std::vector<Word>;

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

[[noreturn]] void fail(const std::string& kind, const std::string& message, Span span,
                       const std::string& help = {}) {
  Diagnostic diagnostic("spice." + kind, message);
  diagnostic.at(span);
  if (!help.empty()) diagnostic.help(help);
  throw Fault{std::move(diagnostic)};
}

// ---- Cards ----

class Reader {
 public:
  Reader(const Sources& sources, int32_t file) : file_(file), text_(sources.file(file).text) {}

  // All cards; the first line is the title, and not one.
  std::vector<Card> read(std::string& title) {
    std::vector<Card> cards;
    std::size_t begin = 0;
    bool first = true;
    while (begin < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      if (first) {
        title = text_.substr(begin, end - begin);
      } else {
        line(begin, end, cards);
      }
      first = false;
      begin = end + 1;
    }
    return cards;
  }

 private:
  void line(std::size_t begin, std::size_t end, std::vector<Card>& cards) {
    std::size_t at = begin;
    while (at < end && is_blank(text_[at])) ++at;
    if (at == end || text_[at] == '*') return;
    const bool goes_on = text_[at] == '+';
    if (goes_on && cards.empty())
      fail("card", "there is no line that this could go on", at_span(at));
    if (!goes_on) cards.emplace_back();
    if (goes_on) ++at;
    words(at, end, cards.back());
    if (cards.back().empty()) cards.pop_back();
  }

  void words(std::size_t at, std::size_t end, Card& card) {
    while (at < end) {
      const char c = text_[at];
      if (is_blank(c)) {
        ++at;
      } else if (c == ';' || (c == '$' && (at + 1 == end || is_blank(text_[at + 1])))) {
        return;  // a comment
      } else if (c == '{' || c == '\'') {
        at = expression(at, end, card);
      } else if (c == '(' || c == ')' || c == '=' || c == ',') {
        if (c != ',') card.push_back({std::string(1, c), span(at, at + 1), false});
        ++at;
      } else {
        const std::size_t begin = at;
        while (at < end && !is_blank(text_[at]) &&
               std::string_view("(){}=,;'").find(text_[at]) == std::string_view::npos) {
          ++at;
        }
        card.push_back(
            {lowered(std::string_view(text_).substr(begin, at - begin)), span(begin, at), false});
      }
    }
  }

  std::size_t expression(std::size_t at, std::size_t end, Card& card) {
    const char close = text_[at] == '{' ? '}' : '\'';
    const std::size_t stop = text_.find(close, at + 1);
    if (stop == std::string::npos || stop >= end) {
      fail("card", fmt::format("this {} is not closed", text_[at]), at_span(at));
    }
    card.push_back(
        {lowered(std::string_view(text_).substr(at + 1, stop - at - 1)), span(at, stop + 1), true});
    return stop + 1;
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<int32_t>(begin), static_cast<int32_t>(end)};
  }
  Span at_span(std::size_t at) const { return span(at, at + 1); }

  int32_t file_;
  const std::string& text_;
};

// ---- Names and numbers ----

bool is_word_of_the_language(const std::string& name) {
  static const std::set<std::string> more = {"time", "pi",   "inf", "omega", "absent", "e",
                                             "gnd",  "mode", "set", "block", "modal",  "final"};
  const auto& words = syntax::keyword_texts();
  return more.contains(name) || std::find(words.begin(), words.end(), name) != words.end();
}

std::string as_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? c : '_';
  }
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "p_" + out;
  return is_word_of_the_language(out) ? out + "_" : out;
}

std::string name_of_node(const std::string& node) {
  const bool digit = !node.empty() && node[0] >= '0' && node[0] <= '9';
  std::string rest;
  for (const char c : node) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    rest += plain ? c : '_';
  }
  return (digit ? "n" : "n_") + rest;
}

// r1 → R1
std::string name_of_part(const std::string& part) {
  std::string out = as_name(part);
  out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out.size() == 1 ? out + "_" : out;
}

// 4.7k, 10meg, 100nF, 1e-3; nullopt: it is no number.
std::optional<double> number_of(std::string_view text, std::size_t* used = nullptr) {
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  std::size_t letters = 0;
  while (letters < rest.size() && ((rest[letters] >= 'a' && rest[letters] <= 'z'))) ++letters;
  if (used == nullptr && letters != rest.size()) return std::nullopt;
  if (used != nullptr) *used = text.size() - rest.size() + letters;
  rest = rest.substr(0, letters);
  struct Suffix {
    std::string_view text;
    int power;
  };
  constexpr std::array<Suffix, 9> kSuffixes = {{{"meg", 6},
                                                {"t", 12},
                                                {"g", 9},
                                                {"k", 3},
                                                {"m", -3},
                                                {"u", -6},
                                                {"n", -9},
                                                {"p", -12},
                                                {"f", -15}}};
  if (rest.starts_with("mil")) return value * 25.4e-6;
  for (const Suffix& suffix : kSuffixes) {
    if (!rest.starts_with(suffix.text)) continue;
    // Through the decimal text, so that 100n is the double next to 1e-7.
    const std::string shifted = fmt::format("{}e{}", std::string(begin, stop), suffix.power);
    double exact = 0;
    const bool plain = std::string_view(begin, static_cast<std::size_t>(stop - begin)).find('e') ==
                       std::string_view::npos;
    if (plain) {
      std::from_chars(shifted.data(), shifted.data() + shifted.size(), exact);
      return exact;
    }
    return value * std::pow(10.0, suffix.power);
  }
  return value;
}

// An expression of SPICE as one of the language.
std::string expression_of(const Word& word) {
  static const std::map<std::string, std::string> functions = {
      {"sin", "sin"},   {"cos", "cos"},   {"tan", "tan"},     {"asin", "asin"}, {"acos", "acos"},
      {"atan", "atan"}, {"sinh", "sinh"}, {"cosh", "cosh"},   {"tanh", "tanh"}, {"exp", "exp"},
      {"ln", "log"},    {"log", "log"},   {"log10", "log10"}, {"sqrt", "sqrt"}, {"abs", "abs"},
      {"min", "min"},   {"max", "max"},   {"pow", "pow"},     {"pwr", "pow"},   {"floor", "floor"},
      {"ceil", "ceil"}};
  const std::string& text = word.text;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if ((c >= '0' && c <= '9') || (c == '.' && i + 1 < text.size())) {
      std::size_t used = 0;
      const auto number = number_of(std::string_view(text).substr(i), &used);
      if (!number) fail("expression", "this is no number", word.span);
      out += format_number(*number);
      i += used;
    } else if ((c >= 'a' && c <= 'z') || c == '_') {
      const std::size_t begin = i;
      while (i < text.size() && ((text[i] >= 'a' && text[i] <= 'z') || text[i] == '_' ||
                                 (text[i] >= '0' && text[i] <= '9'))) {
        ++i;
      }
      const std::string name = text.substr(begin, i - begin);
      std::size_t next = i;
      while (next < text.size() && text[next] == ' ') ++next;
      if (next < text.size() && text[next] == '(') {
        const auto known = functions.find(name);
        if (known == functions.end()) {
          fail("expression", "there is no function " + name + " to be had", word.span);
        }
        out += known->second;
      } else {
        out += name == "pi" ? name : as_name(name);
      }
    } else if (text.compare(i, 2, "**") == 0) {
      out += '^';
      i += 2;
    } else if (std::string_view("+-*/^(), ").find(c) != std::string_view::npos) {
      out += c;
      ++i;
    } else {
      fail("expression", fmt::format("`{}` is not understood in an expression", c), word.span,
           "numbers, parameters, + - * / ** and the usual functions are");
    }
  }
  return out;
}

std::string value_of(const Word& word) {
  if (word.is_expression) return expression_of(word);
  if (const auto number = number_of(word.text)) return format_number(*number);
  if (word.text == "(" || word.text == ")" || word.text == "=") {
    fail("value", "expected a value, found " + word.text, word.span);
  }
  const char c = word.text[0];
  if ((c >= 'a' && c <= 'z') || c == '_') return as_name(word.text);  // a parameter
  fail("value", "'" + word.text + "' is no value", word.span,
       "write a number, such as 4.7k or 10u, or an expression in braces");
}

// In parentheses where it stands beside an operator.
std::string factor(const std::string& value) {
  double number = 0;
  const char* end = value.data() + value.size();
  const bool is_number =
      !value.starts_with('-') && std::from_chars(value.data(), end, number).ptr == end;
  const bool plain = is_number || value.find_first_of("+-*/^ ") == std::string::npos;
  return plain ? value : "(" + value + ")";
}

// ---- A circuit ----

struct Part {
  std::string name;                // in the model
  std::string given;               // in the netlist
  std::vector<std::string> lines;  // what declares it
  std::string plus, minus;         // its nodes
  enum class Kind { Passive, Effort, Flow, Two, Instance } kind = Kind::Passive;
  std::vector<std::string> ports, nodes;  // of an instance
};

struct Models {
  struct Model {
    std::string type;
    std::map<std::string, std::string> values;
    Span span;
  };
  std::map<std::string, Model> all;
};

struct Circuit {
  std::string name;
  std::vector<std::string> ports;  // of a .subckt
  std::vector<std::string> parameters;
  std::vector<Part> parts;
  std::vector<std::string> nodes;  // in the order in which they are met
  std::vector<std::string> signals;
  Span span;

  void see(const std::string& node) {
    if (node != "0" && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      nodes.push_back(node);
    }
  }
};

std::string canonical(const std::string& node) { return node == "gnd" ? "0" : node; }

std::string effort_of(const std::string& node) {
  return node == "0" ? "0" : name_of_node(node) + ".e";
}
std::string voltage(const std::string& plus, const std::string& minus) {
  if (minus == "0") return effort_of(plus);
  return effort_of(plus) + " - " + effort_of(minus);
}

// name = value pairs from here on; other words are refused.
std::map<std::string, std::string> settings_in(const Card& card, std::size_t from) {
  std::map<std::string, std::string> out;
  for (std::size_t i = from; i < card.size();) {
    if (card[i].text == "(" || card[i].text == ")" || card[i].text == "params:") {
      ++i;
      continue;
    }
    if (i + 2 >= card.size() || card[i + 1].text != "=") {
      fail("card", "expected name=value, found " + card[i].text, card[i].span);
    }
    out[card[i].text] = value_of(card[i + 2]);
    i += 3;
  }
  return out;
}

class Importer {
 public:
  Importer(std::string name, SpiceImport& out) : name_(std::move(name)), out_(out) {}

  void run(const std::vector<Card>& cards, const std::string& title) {
    title_ = title;
    for (const Card& card : cards) {
      guarded([&] { see_model(card); });
    }
    circuits_.emplace_back();
    open_ = {0};
    for (const Card& card : cards) {
      if (!control(card)) guarded([&] { see(card); });
      if (ended_) break;
    }
    if (open_.size() > 1) {
      guarded([&] {
        const Circuit& circuit = circuits_[open_.back()];
        fail("subckt", ".subckt " + circuit.name + " has no .ends", circuit.span);
      });
    }
    if (out_.ok()) out_.text = text();
  }

 private:
  template <class Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (Fault& fault) {
      out_.diagnostics.push_back(std::move(fault.diagnostic));
    }
  }
  void warn(const std::string& kind, const std::string& message, Span span,
            const std::string& help = {}) {
    Diagnostic diagnostic("spice." + kind, message);
    diagnostic.at(span).warning();
    if (!help.empty()) diagnostic.help(help);
    out_.diagnostics.push_back(std::move(diagnostic));
  }

  Circuit& here() { return circuits_[open_.back()]; }

  bool control(const Card& card) {
    const std::string& word = card[0].text;
    if (word == ".control") in_control_ = true;
    if (word == ".endc") {
      in_control_ = false;
      return true;
    }
    return in_control_;
  }

  void see_model(const Card& card) {
    if (card[0].text != ".model") return;
    if (card.size() < 3) fail("model", ".model needs a name and a type", card[0].span);
    models_.all[card[1].text] = {card[2].text, settings_in(card, 3), card[1].span};
  }

  // ---- Lines that begin with a point ----

  void see(const Card& card) {
    const std::string& word = card[0].text;
    if (word[0] != '.') return see_part(card);
    if (word == ".model") return;
    if (word == ".end") {
      ended_ = true;
    } else if (word == ".param" || word == ".params") {
      see_parameters(card);
    } else if (word == ".subckt") {
      begin_subcircuit(card);
    } else if (word == ".ends") {
      if (open_.size() == 1) fail("subckt", "this .ends ends nothing", card[0].span);
      open_.pop_back();
    } else if (word == ".tran") {
      see_transient(card);
    } else if (word == ".ic") {
      see_initial(card);
    } else if (word == ".print" || word == ".plot" || word == ".probe" || word == ".save") {
      see_print(card);
    } else if (word == ".options" || word == ".option" || word == ".temp" || word == ".meas" ||
               word == ".measure" || word == ".ac" || word == ".dc" || word == ".op" ||
               word == ".noise" || word == ".four" || word == ".global" || word == ".width") {
      warn("left-out", word + " has no meaning in a model, and is left out", card[0].span);
    } else {
      fail("unknown-card", word + " is not understood", card[0].span, "expand it, or leave it out");
    }
  }

  void see_parameters(const Card& card) {
    for (std::size_t i = 1; i + 2 < card.size() + 1;) {
      if (i + 2 >= card.size() || card[i + 1].text != "=") {
        fail("card", "expected name=value, found " + card[i].text, card[i].span);
      }
      here().parameters.push_back("param " + as_name(card[i].text) + " = " + value_of(card[i + 2]));
      i += 3;
    }
  }

  void begin_subcircuit(const Card& card) {
    if (card.size() < 2) fail("subckt", ".subckt needs a name", card[0].span);
    if (open_.size() > 1) {
      fail("subckt", "a .subckt stands inside another", card[0].span, "move it out");
    }
    Circuit circuit;
    circuit.name = type_of(card[1].text);
    circuit.span = card[1].span;
    subcircuits_[card[1].text] = circuits_.size();
    std::size_t i = 2;
    for (; i < card.size() && card[i].text != "params:"; ++i) {
      if (i + 1 < card.size() && card[i + 1].text == "=") break;
      circuit.ports.push_back(canonical(card[i].text));
      circuit.see(circuit.ports.back());
    }
    for (const auto& [name, value] : settings_in(card, i)) {
      circuit.parameters.push_back("param " + as_name(name) + " = " + value);
    }
    open_.push_back(circuits_.size());
    circuits_.push_back(std::move(circuit));
  }

  static std::string type_of(const std::string& name) {
    std::string out = as_name(name);
    out[0] = static_cast<char>(out[0] >= 'a' && out[0] <= 'z' ? out[0] - 'a' + 'A' : out[0]);
    return out.size() == 1 || out == "Se" || out == "Sf" || out == "Tf" || out == "Gy" ? out + "_"
                                                                                       : out;
  }

  void see_transient(const Card& card) {
    if (card.size() < 3) fail("card", ".tran needs a step and an end", card[0].span);
    until_ = value_of(card[2]);
    const bool uic =
        std::any_of(card.begin(), card.end(), [](const Word& word) { return word.text == "uic"; });
    if (!uic) {
      warn("start", "SPICE would begin at the operating point; this model begins with empty stores",
           card[0].span, "run it with --start steady, or write uic and initial values");
    }
  }

  // v(out)=5: of a capacitor between that node and ground.
  void see_initial(const Card& card) {
    for (std::size_t i = 1; i < card.size();) {
      if (i + 5 >= card.size() || card[i].text != "v" || card[i + 1].text != "(" ||
          card[i + 3].text != ")" || card[i + 4].text != "=") {
        fail("card", "expected v(node)=value, found " + card[i].text, card[i].span);
      }
      initial_.push_back({canonical(card[i + 2].text), value_of(card[i + 5]), card[i + 2].span});
      i += 6;
    }
  }

  void see_print(const Card& card) {
    for (std::size_t i = 1; i < card.size(); ++i) {
      if (card[i].text == "tran" || card[i].text == "(" || card[i].text == ")") continue;
      if (i + 3 < card.size() && card[i].text == "v" && card[i + 1].text == "(") {
        std::vector<std::string> nodes;
        for (i += 2; i < card.size() && card[i].text != ")"; ++i) {
          nodes.push_back(canonical(card[i].text));
        }
        if (nodes.size() == 1 || nodes.size() == 2) {
          shown_.push_back(voltage(nodes[0], nodes.size() == 2 ? nodes[1] : "0"));
        }
      } else if (i + 3 < card.size() && card[i].text == "i" && card[i + 1].text == "(") {
        const std::string part = card[i + 2].text;
        shown_.push_back((part[0] == 'v' ? "-" : "") + name_of_part(part) + ".f");
        i += 3;
      } else {
        warn("left-out", card[i].text + " is left out of what is shown", card[i].span);
      }
    }
  }

  // ---- Parts ----

  void see_part(const Card& card) {
    switch (card[0].text[0]) {
      case 'r':
        return passive(card, "R", "");
      case 'l':
        return passive(card, "I", "f");
      case 'c':
        return passive(card, "C", "e");
      case 'v':
        return source(card, "Se", Part::Kind::Effort);
      case 'i':
        return source(card, "Sf", Part::Kind::Flow);
      case 'e':
        return controlled(card, "Se", Part::Kind::Effort);
      case 'g':
        return controlled(card, "Sf", Part::Kind::Flow);
      case 'h':
        return by_current(card, "Se", Part::Kind::Effort);
      case 'f':
        return by_current(card, "Sf", Part::Kind::Flow);
      case 's':
        return see_switch(card);
      case 'd':
        return diode(card);
      case 'x':
        return instance(card);
      default:
        fail("unknown-part", "there is no part for " + card[0].text, card[0].span,
             "R, L, C, V, I, E, F, G, H, S, D and X are known");
    }
  }

  Part begin_part(const Card& card, std::size_t least) {
    if (card.size() < least) {
      fail("card", fmt::format("{} needs {} words, and has {}", card[0].text, least, card.size()),
           card[0].span);
    }
    Part part;
    part.given = card[0].text;
    part.name = name_of_part(card[0].text);
    for (const Part& other : here().parts) {
      if (other.given == part.given) {
        fail("card", card[0].text + " is defined twice", card[0].span);
      }
    }
    return part;
  }
  void between(Part& part, const Word& plus, const Word& minus) {
    part.plus = canonical(plus.text);
    part.minus = canonical(minus.text);
    here().see(part.plus);
    here().see(part.minus);
    if (part.plus == part.minus) {
      fail("card", part.given + " begins and ends at one node", minus.span,
           "nothing depends on it: leave it out");
    }
  }

  // r1 a b 1k    l1 a b 1m ic=2
  void passive(const Card& card, const std::string& type, const std::string& initial) {
    Part part = begin_part(card, 4);
    between(part, card[1], card[2]);
    std::size_t value = 3;
    if (card.size() > 5 && card[4].text == "=" && card[3].text.size() == 1) value = 5;  // r=1k
    std::string arguments = value_of(card[value]);
    for (std::size_t i = value + 1; i < card.size();) {
      if (i + 2 >= card.size() || card[i + 1].text != "=") {
        fail("card", "expected name=value, found " + card[i].text, card[i].span);
      }
      if (card[i].text == "ic" && !initial.empty()) {
        arguments += ", " + initial + " = " + value_of(card[i + 2]);
      } else {
        warn("left-out", card[i].text + " of " + card[0].text + " is left out", card[i].span);
      }
      i += 3;
    }
    part.lines.push_back(fmt::format("{} {}({})", type, part.name, arguments));
    here().parts.push_back(std::move(part));
  }

  void source(const Card& card, const std::string& type, Part::Kind kind) {
    Part part = begin_part(card, 3);
    between(part, card[1], card[2]);
    part.kind = kind;
    std::string value = "0";
    for (std::size_t i = 3; i < card.size();) {
      const std::string& word = card[i].text;
      if (word == "dc" && i + 1 < card.size()) {
        value = value_of(card[i + 1]);
        i += 2;
      } else if (word == "ac") {
        warn("left-out", "ac of " + card[0].text + " is left out: this is a run in time",
             card[i].span);
        for (++i; i < card.size() && (card[i].is_expression || number_of(card[i].text)); ++i) {
        }
      } else if (word == "sin" || word == "pulse" || word == "pwl" || word == "exp") {
        value = wave(card, i, part);
      } else {
        value = value_of(card[i]);
        ++i;
      }
    }
    part.lines.push_back(fmt::format("{} {} = {}", type, part.name, value));
    here().parts.push_back(std::move(part));
  }

  // The arguments of sin( … ), with or without parentheses.
  static std::vector<std::string> arguments_of(const Card& card, std::size_t& i) {
    std::vector<std::string> out;
    const bool open = i < card.size() && card[i].text == "(";
    if (open) ++i;
    for (; i < card.size() && card[i].text != ")"; ++i) out.push_back(value_of(card[i]));
    if (open && i == card.size()) fail("card", "this ( is not closed", card.back().span);
    if (open) ++i;
    return out;
  }

  std::string wave(const Card& card, std::size_t& i, const Part& part) {
    const Word& word = card[i++];
    const std::vector<std::string> a = arguments_of(card, i);
    const auto at = [&](std::size_t k, const std::string& otherwise) {
      return k < a.size() ? a[k] : otherwise;
    };
    const auto need = [&](std::size_t count) {
      if (a.size() < count) {
        fail("wave", fmt::format("{} needs {} numbers, and has {}", word.text, count, a.size()),
             word.span);
      }
    };
    if (word.text == "sin") {
      need(3);
      return sine(a[0], a[1], a[2], at(3, "0"), at(4, "0"), at(5, "0"));
    }
    if (word.text == "pulse") {
      need(2);
      return pulse(part, a[0], a[1], at(2, "0"), at(3, "0"), at(4, "0"), at(5, ""), at(6, ""),
                   word.span);
    }
    if (word.text == "pwl") {
      need(2);
      return piecewise(a, word.span);
    }
    need(6);
    return fmt::format(
        "{0} + (if time < {2} then 0 else ({1} - {0}) * (1 - exp(-(time - {2}) / {3}))) + (if time "
        "< {4} then 0 else ({0} - {1}) * (1 - exp(-(time - {4}) / {5})))",
        factor(a[0]), factor(a[1]), factor(a[2]), factor(a[3]), factor(a[4]), factor(a[5]));
  }

  static std::string sine(const std::string& offset, const std::string& amplitude,
                          const std::string& frequency, const std::string& delay,
                          const std::string& damping, const std::string& phase) {
    const std::string since = delay == "0" ? "time" : "(time - " + factor(delay) + ")";
    std::string angle = fmt::format("2 * pi * {} * {}", factor(frequency), since);
    if (phase != "0") angle += fmt::format(" + pi / 180 * {}", factor(phase));
    std::string value = fmt::format("{} * sin({})", factor(amplitude), angle);
    if (damping != "0") value += fmt::format(" * exp(-{} * {})", factor(damping), since);
    if (offset != "0") value = offset + " + " + value;
    if (delay == "0") return value;
    // Before its delay SPICE holds the value with which the sine begins.
    std::string before = fmt::format("{} * sin(pi / 180 * {})", factor(amplitude), factor(phase));
    if (phase == "0") before = "0";
    if (offset != "0") before = offset + (before == "0" ? "" : " + " + before);
    return fmt::format("if time < {} then {} else {}", factor(delay), before, value);
  }

  std::string pulse(const Part& part, const std::string& low, const std::string& high,
                    const std::string& delay, const std::string& rise, const std::string& fall,
                    const std::string& width, const std::string& period, Span span) {
    if (rise == "0" || fall == "0") {
      warn("edge", "an edge without a time is a jump; SPICE would take a step of .tran for it",
           span);
    }
    const std::string phase = "phase_" + part.name;
    here().signals.push_back(
        phase + " = " +
        (period.empty() ? "time - " + factor(delay)
                        : fmt::format("{} * sawtooth({}, {})", factor(period), period, delay)));
    std::string value;
    const std::string end_of_rise = factor(rise);
    const auto ramp = [](const std::string& from, const std::string& to, const std::string& share) {
      const std::string whole = from == "0" ? factor(to) : "(" + to + " - " + factor(from) + ")";
      return (from == "0" ? "" : from + " + ") + whole + " * " + share;
    };
    if (rise != "0") {
      value += fmt::format("if {} < {} then {} else ", phase, end_of_rise,
                           ramp(low, high, phase + " / " + end_of_rise));
    }
    if (width.empty()) {
      value += high;
    } else {
      const std::string top = rise == "0" ? factor(width) : end_of_rise + " + " + factor(width);
      value += fmt::format("if {} < {} then {} else ", phase, top, high);
      if (fall != "0") {
        value +=
            fmt::format("if {0} < {1} + {2} then {3} + ({4} - {3}) * ({0} - ({1})) / {2} else ",
                        phase, top, factor(fall), factor(high), factor(low));
      }
      value += low;
    }
    return delay == "0" && !period.empty()
               ? value
               : fmt::format("if time < {} then {} else {}", factor(delay), low, value);
  }

  static std::string piecewise(const std::vector<std::string>& a, Span span) {
    if (a.size() % 2 != 0) fail("wave", "pwl has pairs of time and value", span);
    constexpr std::size_t kMost = 300;
    if (a.size() > kMost) {
      fail("wave",
           fmt::format("pwl has {} points; at most {} are written out", a.size() / 2, kMost / 2),
           span, "make it an input of the model, and give its values with --input");
    }
    std::string out = "if time < " + factor(a[0]) + " then " + a[1];
    for (std::size_t k = 2; k < a.size(); k += 2) {
      out += fmt::format(" else if time < {2} then {1} + ({3} - {1}) * (time - {0}) / ({2} - {0})",
                         factor(a[k - 2]), factor(a[k - 1]), factor(a[k]), factor(a[k + 1]));
    }
    return out + " else " + a.back();
  }

  // e1 a b c d 10
  void controlled(const Card& card, const std::string& type, Part::Kind kind) {
    Part part = begin_part(card, 6);
    between(part, card[1], card[2]);
    part.kind = kind;
    const std::string plus = canonical(card[3].text), minus = canonical(card[4].text);
    here().see(plus);
    here().see(minus);
    part.lines.push_back(fmt::format("{} {} = {} * ({})", type, part.name,
                                     factor(value_of(card[5])), voltage(plus, minus)));
    here().parts.push_back(std::move(part));
  }

  // f1 a b v1 10: SPICE counts the current of a source from + through it to −.
  void by_current(const Card& card, const std::string& type, Part::Kind kind) {
    Part part = begin_part(card, 5);
    between(part, card[1], card[2]);
    part.kind = kind;
    if (card[3].text[0] != 'v') {
      fail("card", "the current that controls it is that of a voltage source", card[3].span);
    }
    part.lines.push_back(fmt::format("{} {} = -{} * {}.f", type, part.name,
                                     factor(value_of(card[4])), name_of_part(card[3].text)));
    here().parts.push_back(std::move(part));
  }

  const Models::Model& model_of(const Word& word, const std::string& type) const {
    const auto found = models_.all.find(word.text);
    if (found == models_.all.end()) {
      fail("model", "there is no .model " + word.text, word.span);
    }
    if (found->second.type != type) {
      fail("model", ".model " + word.text + " is of type " + found->second.type + ", not " + type,
           word.span);
    }
    return found->second;
  }
  static std::string value_in(const Models::Model& model, const std::string& name,
                              const std::string& otherwise) {
    const auto found = model.values.find(name);
    return found == model.values.end() ? otherwise : found->second;
  }

  // s1 a b c d model
  void see_switch(const Card& card) {
    Part part = begin_part(card, 6);
    between(part, card[1], card[2]);
    part.kind = Part::Kind::Two;
    const std::string plus = canonical(card[3].text), minus = canonical(card[4].text);
    here().see(plus);
    here().see(minus);
    const Models::Model& model = model_of(card[5], "sw");
    const std::string level = value_in(model, "vt", "0"), width = value_in(model, "vh", "0");
    const std::string on = value_in(model, "ron", "1"), off = value_in(model, "roff", "1e12");
    const std::string control = voltage(plus, minus);
    if (width == "0") {
      imports_.insert("Sw");
      part.lines.push_back(fmt::format("Sw {}(r_on = {}, r_leak = {}, closed = {} > {})", part.name,
                                       on, off, control, level));
    } else {
      needs_hysteresis_ = true;
      part.lines.push_back(fmt::format("SpiceSwitch {}({}, {}, {}, {}, u = {})", part.name, level,
                                       width, on, off, control));
    }
    here().parts.push_back(std::move(part));
  }

  void diode(const Card& card) {
    Part part = begin_part(card, 4);
    between(part, card[1], card[2]);
    part.kind = Part::Kind::Two;
    imports_.insert("Diode");
    const Models::Model& model = model_of(card[3], "d");
    std::string threshold = value_in(model, "vfwd", "");
    const std::string on = value_in(model, "ron", value_in(model, "rs", "0"));
    const std::string off = value_in(model, "roff", "inf");
    if (threshold.empty() && model.values.contains("ron")) threshold = "0";
    if (threshold.empty()) {
      // Where it carries 1 mA: N Vt ln(1 mA / Is + 1) at 27 °C.
      const auto is = number_of(value_in(model, "is", "1e-14")),
                 n = number_of(value_in(model, "n", "1"));
      if (!is || !n || !(*is > 0)) {
        fail("model", "is and n of a diode have to be numbers", model.span);
      }
      threshold = fmt::format("{:.3g}", *n * 0.025852 * std::log1p(1e-3 / *is));
      warn("idealised",
           fmt::format("the exponential law of {} becomes an ideal diode with a threshold of {} V",
                       card[0].text, threshold),
           card[0].span, "set " + part.name + ".v_on for another one");
    }
    part.lines.push_back(fmt::format("Diode {}(v_on = {}, r_on = {}{})", part.name, threshold, on,
                                     off == "inf" ? "" : ", r_leak = " + off));
    here().parts.push_back(std::move(part));
  }

  // x1 a b name r=2k
  void instance(const Card& card) {
    Part part = begin_part(card, 2);
    part.kind = Part::Kind::Instance;
    std::size_t end = 1;
    while (end < card.size() && card[end].text != "params:" &&
           !(end + 1 < card.size() && card[end + 1].text == "=")) {
      ++end;
    }
    const Word& type = card[end - 1];
    calls_.push_back({open_.back(), here().parts.size(), type.text, type.span, end - 2});
    for (std::size_t i = 1; i + 1 < end; ++i) {
      part.nodes.push_back(canonical(card[i].text));
      here().see(part.nodes.back());
    }
    std::string arguments;
    for (const auto& [name, value] : settings_in(card, end)) {
      arguments += (arguments.empty() ? "" : ", ") + as_name(name) + " = " + value;
    }
    part.lines.push_back(type_of(type.text) + " " + part.name +
                         (arguments.empty() ? "" : "(" + arguments + ")"));
    here().parts.push_back(std::move(part));
  }

  // ---- The text ----

  void resolve_calls() {
    for (const Call& call : calls_) {
      const auto found = subcircuits_.find(call.type);
      if (found == subcircuits_.end()) {
        guarded([&] { fail("subckt", "there is no .subckt " + call.type, call.span); });
        continue;
      }
      const Circuit& circuit = circuits_[found->second];
      if (circuit.ports.size() != call.nodes) {
        guarded([&] {
          fail("subckt",
               fmt::format("{} has {} nodes, and is given {}", call.type, circuit.ports.size(),
                           call.nodes),
               call.span);
        });
        continue;
      }
      circuits_[call.circuit].parts[call.part].ports = circuit.ports;
    }
  }

  void set_initial() {
    for (const Initial& initial : initial_) {
      bool found = false;
      for (Part& part : circuits_[0].parts) {
        const bool here =
            part.given[0] == 'c' && ((part.plus == initial.node && part.minus == "0") ||
                                     (part.minus == initial.node && part.plus == "0"));
        if (!here || found || part.lines[0].find(", e = ") != std::string::npos) continue;
        found = true;
        const std::string value = part.minus == "0" ? initial.value : "-" + factor(initial.value);
        part.lines[0].insert(part.lines[0].size() - 1, ", e = " + value);
      }
      if (!found) {
        guarded([&] {
          fail("initial", "no capacitor holds " + initial.node + " against ground", initial.span,
               "write ic= at the parts that begin with something");
        });
      }
    }
  }

  std::string text() {
    resolve_calls();
    set_initial();
    if (!out_.ok()) return {};
    std::string out = "// " + std::string(title_.empty() ? name_ : clean(title_)) +
                      "\n//\n// From " + clean(std::filesystem::path(name_).filename().string()) +
                      ", a SPICE netlist. Nodes are 0-junctions; what lies between two of them "
                      "hangs on a 1-junction.\n";
    for (const std::string& component : imports_) {
      out += std::string("import \"") +
             (component == "Sw" ? "std/electrical/switch.cradle" : "std/electrical/diode.cradle") +
             "\"\n";
    }
    out += '\n';
    if (needs_hysteresis_) out += hysteresis();
    for (std::size_t c = 1; c < circuits_.size(); ++c) out += text_of(circuits_[c], false) + "\n";
    return out + text_of(circuits_[0], true);
  }

  static std::string clean(const std::string& text) {
    std::string out = printable(text);
    std::erase_if(out, [](char c) { return c == '\n' || c == '\r'; });
    return out;
  }

  static std::string hysteresis() {
    return "// Closes where u passes level + width, and opens where it falls below level - width.\n"
           "component SpiceSwitch {\n"
           "  param level = 0, width = 0, r_on = 1, r_off = 1e12\n"
           "  port a, b\n"
           "  input u\n"
           "  1/F S initially off {\n"
           "    off -> on when u > level + width\n"
           "    on -> off when u < level - width\n"
           "  }\n"
           "  R contact(r_on), leak(r_off)\n"
           "  0 na, nb\n"
           "  1 beside\n"
           "  a -> na -> S -> nb -> b\n"
           "  S -> contact\n"
           "  na -> beside -> nb\n"
           "  beside -> leak\n"
           "}\n\n";
  }

  std::string text_of(const Circuit& circuit, bool is_model) {
    std::string out =
        is_model ? "model " + name_of_model() + " {\n" : "component " + circuit.name + " {\n";
    for (const std::string& parameter : circuit.parameters) out += "  " + parameter + "\n";
    if (!circuit.ports.empty()) {
      std::string ports;
      for (const std::string& port : circuit.ports) {
        ports += (ports.empty() ? "" : ", ") + port_of(port);
      }
      out += "  port " + ports + "\n";
    }
    std::string nodes;
    for (const std::string& node : circuit.nodes) {
      nodes += (nodes.empty() ? "" : ", ") + name_of_node(node);
    }
    if (!nodes.empty()) out += "  0 " + nodes + "\n";
    std::string bonds;
    bool ground = false;
    for (const Part& part : circuit.parts) write_part(part, out, bonds, ground);
    if (ground) out += "  Se ground = 0\n  0 gnd\n  ground -> gnd\n";
    out += bonds;
    for (const std::string& port : circuit.ports) {
      if (port == "0") continue;
      out += "  " + port_of(port) + " -> " + name_of_node(port) + "\n";
    }
    for (const std::string& signal : circuit.signals) out += "  " + signal + "\n";
    if (is_model) out += ending(circuit);
    return out + "}\n";
  }

  static std::string port_of(const std::string& node) { return "p" + name_of_node(node).substr(1); }

  void write_part(const Part& part, std::string& out, std::string& bonds, bool& ground) {
    for (const std::string& line : part.lines) out += "  " + line + "\n";
    const auto bond = [&](const std::string& from, const std::string& to) {
      bonds += "  " + from + " -> " + to + "\n";
    };
    const auto node = [&](const std::string& name) {
      ground |= name == "0";
      return name == "0" ? std::string("gnd") : name_of_node(name);
    };
    if (part.kind == Part::Kind::Instance) {
      for (std::size_t i = 0; i < part.ports.size(); ++i) {
        bond(node(part.nodes[i]), part.name + "." + port_of(part.ports[i]));
      }
      return;
    }
    if (part.kind == Part::Kind::Two) {
      bond(node(part.plus), part.name + ".a");
      bond(part.name + ".b", node(part.minus));
      return;
    }
    const bool from_ground = part.plus == "0", to_ground = part.minus == "0";
    const std::string plus = name_of_node(part.plus), minus = name_of_node(part.minus);
    const std::string joint = "j_" + part.name;
    // The flow of the 1-junction goes through the part: from its first node to its second, but for
    // an effort source, which drives it out of its first.
    if (part.kind == Part::Kind::Passive && to_ground) return bond(plus, part.name);
    if (part.kind == Part::Kind::Effort && to_ground) return bond(part.name, plus);
    if (part.kind == Part::Kind::Flow && from_ground) return bond(part.name, minus);
    out += "  1 " + joint + "\n";
    const bool out_of_first = part.kind == Part::Kind::Effort;
    if (part.kind == Part::Kind::Passive) {
      bond(joint, part.name);
    } else {
      bond(part.name, joint);
    }
    if (!from_ground) out_of_first ? bond(joint, plus) : bond(plus, joint);
    if (!to_ground) out_of_first ? bond(minus, joint) : bond(joint, minus);
  }

  std::string name_of_model() const {
    std::string stem = as_name(lowered(std::filesystem::path(name_).stem().string()));
    stem[0] = static_cast<char>(stem[0] >= 'a' && stem[0] <= 'z' ? stem[0] - 'a' + 'A' : stem[0]);
    return stem.size() == 1 ? stem + "_" : stem;
  }

  std::string ending(const Circuit& circuit) const {
    std::string out;
    if (!until_.empty()) out += "  until " + until_ + "\n";
    std::string show;
    if (shown_.empty()) {
      for (const std::string& node : circuit.nodes) {
        show += (show.empty() ? "" : ", ") + effort_of(node);
      }
    }
    for (const std::string& one : shown_) show += (show.empty() ? "" : ", ") + one;
    if (!show.empty()) out += "  show " + show + "\n";
    return out;
  }

  struct Call {
    std::size_t circuit, part;
    std::string type;
    Span span;
    std::size_t nodes;
  };
  struct Initial {
    std::string node, value;
    Span span;
  };

  std::string name_, title_;
  SpiceImport& out_;
  std::vector<Circuit> circuits_;  // the first is the whole
  std::vector<std::size_t> open_;
  std::map<std::string, std::size_t> subcircuits_;
  std::vector<Call> calls_;
  std::vector<Initial> initial_;
  Models models_;
  std::set<std::string> imports_;
  bool needs_hysteresis_ = false, in_control_ = false, ended_ = false;
  std::string until_;
  std::vector<std::string> shown_;
};

}  // namespace
}  // namespace spice

SpiceImport import_spice(const std::string& name, const std::string& text) {
  SpiceImport out;
  const int32_t file = out.sources.add(name, text);
  std::string title;
  try {
    const std::vector<spice::Card> cards = spice::Reader(out.sources, file).read(title);
    spice::Importer(name, out).run(cards, title);
  } catch (spice::Fault& fault) {
    out.diagnostics.push_back(std::move(fault.diagnostic));
  }
  return out;
}

}  // namespace cradle
