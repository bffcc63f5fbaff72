// Items: what stands between the braces of a model or component. docs/language.md has the grammar;
// each function here is one rule of it.

#include <fmt/format.h>

#include <algorithm>

#include "language/syntax/parser.hpp"

namespace cradle::syntax {
namespace {

const std::vector<std::string> kItemWords = {
    "param", "require", "port", "input",    "output",    "for",   "if",
    "else",  "until",   "show", "priority", "initially", "model", "component",
    "block", "modal",   "when", "import",   "animate",   "assert"};
const std::vector<std::string> kDomains = {
#define DOMAIN(word) word,
#include "language/syntax/words.def"
};
const std::vector<std::string> kElementTypes = {"I", "C", "R", "Se", "Sf", "TF", "GY"};

const std::string kNoItem = "begins no item";
const std::string kItemRule =
    "an item begins with a keyword, 0 or 1, the type of an element, or a name";

// Words of other notations that no edit distance would find.
std::string foreign_word(std::string_view word) {
  if (word == "elif" || word == "elsif" || word == "elseif") return "else if";
  if (word == "parameter" || word == "const" || word == "constant") return "param";
  if (word == "include" || word == "use") return "import";
  if (word == "animation") return "animate";
  return {};
}

}  // namespace

void Parser::parse_item(Items& out) {
  switch (peek().kind) {
    case Tok::Param:
      return parse_params(out);
    case Tok::Require:
      return parse_require(out);
    case Tok::Port:
      return parse_ports(out, Port::Kind::Power);
    case Tok::Input:
      return parse_ports(out, Port::Kind::Input);
    case Tok::Output:
      return parse_ports(out, Port::Kind::Output);
    case Tok::For:
      return parse_for(out);
    case Tok::If:
      return parse_if(out);
    case Tok::When:
      return parse_when(out);
    case Tok::Until:
      return parse_until(out);
    case Tok::Show:
      return parse_show(out);
    case Tok::Animate:
      return parse_animate(out);
    case Tok::Priority:
      return parse_priority(out);
    case Tok::Number:
      return parse_junctions(out);
    case Tok::Name:
      return at_function() ? parse_function(out) : parse_named(out);
    default:
      no_item();
  }
}

Item& Parser::add(Items& out, decltype(Item::node) node, const Token& first) {
  out.push_back(std::make_unique<Item>());
  out.back()->node = std::move(node);
  out.back()->span = span_from(first);
  return *out.back();
}

// Takes a comma, and the comments around it that belong to the item before it.
bool Parser::next_joined(Item& item) {
  finish(item);
  if (!accept(Tok::Comma)) return false;
  claim_separator(item.trailing_comment);
  return true;
}

void Parser::parse_params(Items& out) {
  const Token first = take();
  parse_joined(out, first, [&] {
    Param param;
    param.name = expect_name("the name of a parameter", "write param name = value");
    expect(Tok::Assign, "behind param " + param.name.text,
           fmt::format("write param {} = value", param.name.text));
    param.value = parse_expr();
    return param;
  });
}

void Parser::parse_require(Items& out) {
  const Token first = take();
  Require require;
  require.condition = parse_expr();
  require.message =
      parse_message("write require condition, \"why\", or one require for each condition");
  finish(add(out, std::move(require), first));
}

// Behind a condition, with its comma; empty: there is none.
std::string Parser::parse_message(const std::string& form) {
  if (!accept(Tok::Comma)) return {};
  if (!at(Tok::String)) fail("a message in double quotes", "behind the comma", form);
  return decode_string(text_of(take()));
}

// `assert` is a name where it is defined or bonded.
bool Parser::at_assertion() const {
  if (!at_word("assert")) return false;
  const Tok next = peek(1).kind;
  return next != Tok::Assign && next != Tok::Arrow && next != Tok::Colon && next != Tok::Dot &&
         next != Tok::LeftBracket;
}

void Parser::parse_assertion(Items& out) {
  const std::string form = "write assert always condition, \"why\", or assert never condition";
  const Token first = take();
  if (!at_word("always") && !at_word("never")) {
    report("syntax.expected", "this assert says neither always nor never", span_of(first))
        .rule("assert is held against a whole run; require against parameters, before there is one")
        .help(form + "; of parameters alone, require condition");
    throw GiveUp{};
  }
  Assertion assertion;
  assertion.never = text_of(take()) == "never";
  assertion.condition = parse_expr();
  assertion.message = parse_message(form);
  finish(add(out, std::move(assertion), first));
}

void Parser::parse_function(Items& out) {
  const std::string form = "write function f(x, y) = expression over x and y";
  const Token first = take();
  Function function;
  function.name = expect_name("the name of the function", form);
  const Token open = take();
  do {
    function.parameters.push_back(expect_name("the name of an argument", form));
  } while (accept(Tok::Comma));
  expect_close(Tok::RightParen, open, "the arguments of " + function.name.text);
  expect(Tok::Assign, "behind function " + function.name.text + "(…)", form);
  function.value = parse_expr();
  finish(add(out, std::move(function), first));
}

void Parser::parse_ports(Items& out, Port::Kind kind) {
  const Token first = take();
  const std::string word(text_of(first));
  const Name domain = kind == Port::Kind::Power ? parse_domain() : Name{};
  parse_joined(out, first, [&] {
    Port port{kind, expect_name("the name of the " + word), nullptr, domain};
    if (kind == Port::Kind::Output) {
      expect(Tok::Assign, "behind output " + port.name.text,
             fmt::format("an output is defined where it is declared: output {} = expression",
                         port.name.text));
      port.value = parse_expr();
    } else if (kind == Port::Kind::Input && accept(Tok::Assign)) {
      port.value = parse_expr();
    }
    return port;
  });
}

// `port electrical a, b`: a domain is followed by a name on its line. Otherwise it is the name.
Name Parser::parse_domain() {
  if (!at(Tok::Name) || !at(Tok::Name, 1) || peek(1).newline_before) return {};
  const std::string_view word = text_of(peek());
  if (std::find(kDomains.begin(), kDomains.end(), word) != kDomains.end()) return name_of(take());
  const std::string meant = near_keyword(peek(), kDomains);
  if (meant.empty()) return {};
  unknown_word(peek(), meant, "is no domain",
               "domains are electrical, translational, rotational, hydraulic and thermal");
}

// ---- Declarations ----

// A word that is almost a keyword and no component that could be known here.
void Parser::check_type_word(const Token& type) {
  const std::string word(text_of(type));
  const auto is = [&](const std::string& other) { return other == word; };
  if (word == "mode" && at(Tok::Name) && at(Tok::LeftBrace, 1)) {
    report("syntax.order", "a mode stands in a modal model", span_of(type))
        .help(fmt::format("write modal name {{ mode {} {{ … }} }}", text_of(peek())));
    throw GiveUp{};
  }
  const bool shape = word == "circle" || word == "box" || word == "line";
  if (shape && at(Tok::Name) && at(Tok::Name, 1) &&
      (text_of(peek(1)) == "at" || text_of(peek(1)) == "from")) {
    report("syntax.order", fmt::format("a {} stands in animate", word), span_of(type))
        .help(fmt::format("write animate {{ {} {} … }}", word, text_of(peek())));
    throw GiveUp{};
  }
  if (word == "set" && at(Tok::Name) && at(Tok::Assign, 1)) {
    report("syntax.order", "`set` stands behind a transition of a modal model", span_of(type))
        .rule("set gives a value to the mode that a transition enters")
        .help(fmt::format("write a -> b when … {{ set {} = … }}", text_of(peek())));
    throw GiveUp{};
  }
  if (has_imports_ || std::any_of(components_.begin(), components_.end(), is)) return;
  if (std::any_of(kElementTypes.begin(), kElementTypes.end(), is)) return;
  std::string meant = foreign_word(word);
  if (meant.empty()) meant = suggest(word, kItemWords);
  if (!meant.empty() && suggest(word, components_).empty())
    unknown_word(type, meant, kNoItem, kItemRule);
}

// An element, a component of this file, or perhaps one that is imported.
bool Parser::may_be_type(std::string_view word) const {
  const auto is = [&](const std::string& other) { return other == word; };
  return has_imports_ || std::any_of(components_.begin(), components_.end(), is) ||
         std::any_of(kElementTypes.begin(), kElementTypes.end(), is);
}

void Parser::unknown_word(const Token& word, const std::string& meant, const std::string& where,
                          const std::string& rule) {
  report("syntax.unknown-word", fmt::format("{} {}", describe(word), where), span_of(word),
         fmt::format("did you mean {}?", meant))
      .rule(rule)
      .help("write " + meant);
  throw GiveUp{};
}

void Parser::parse_declarations(Items& out) {
  const Token first = take();
  check_type_word(first);
  const Name type = name_of(first);
  parse_joined(out, first, [&] { return parse_declarator(type); });
}

Declaration Parser::parse_declarator(const Name& type) {
  Declaration declaration;
  declaration.type = type;
  declaration.name = parse_declared(fmt::format("the name of the {}", type.text));
  const std::string what = fmt::format("{} {}", type.text, declaration.name.name.text);
  if (at(Tok::LeftParen)) {
    const Token open = take();
    declaration.has_parentheses = true;
    declaration.arguments = parse_arguments(open, what);
  }
  if (accept(Tok::Assign)) declaration.value = parse_expr();
  if (at_word("from") && at(Tok::Name, 1)) {
    const std::string form = fmt::format("write {} from a to b", what);
    take();
    declaration.from = parse_path("the name of a node");
    if (!at_word("to")) fail("to", "behind the first node", form);
    take();
    declaration.to = parse_path("the name of a node");
  }
  return declaration;
}

// ---- Items that begin with a name ----

void Parser::parse_named(Items& out) {
  if (at_modal()) return parse_modal(out);
  if (at_assertion()) return parse_assertion(out);
  const Token first = peek();
  const bool word_follows =
      at(Tok::Name, 1) || (is_keyword(peek(1).kind) && !peek(1).newline_before);
  if (word_follows) return parse_declarations(out);
  Path path = parse_path("a name");
  if (at(Tok::Colon) && path.segments.size() == 1) {
    take();
    BondChain chain = labelled(std::move(path));
    chain.ends.push_back(parse_path("the name of an element, junction or port"));
    return parse_bonds(out, first, std::move(chain));
  }
  if (at(Tok::Arrow)) {
    BondChain chain;
    chain.ends.push_back(std::move(path));
    return parse_bonds(out, first, std::move(chain));
  }
  if (!at(Tok::Assign)) bad_named_item(first);
  if (path.segments.size() > 1) {
    report("syntax.dotted-definition",
           fmt::format("{} cannot be defined from outside", text_of(path.span)), path.span)
        .rule("a definition names a signal of its own model or component")
        .help(fmt::format("set parameters and inputs where {} is declared",
                          path.segments.front().name.text));
    throw GiveUp{};
  }
  take();
  SignalDefinition signal;
  signal.name = std::move(path.segments.front());
  signal.value = parse_expr();
  finish(add(out, std::move(signal), first));
}

BondChain Parser::labelled(Path path) {
  BondChain chain;
  chain.label = std::move(path.segments.front().name);
  chain.label_indices = std::move(path.segments.front().indices);
  return chain;
}

void Parser::parse_bonds(Items& out, const Token& first, BondChain chain) {
  if (!at(Tok::Arrow)) bad_named_item(first);
  while (accept(Tok::Arrow)) {
    chain.ends.push_back(parse_path("the name of an element, junction or port"));
  }
  if (!chain.label.text.empty() && chain.ends.size() > 2) {
    report(
        "syntax.bond-label",
        fmt::format("the label {} stands before {} bonds", chain.label.text, chain.ends.size() - 1),
        chain.label.span)
        .rule("a label names one bond")
        .help(fmt::format("write the labelled bond alone: {}: {} -> {}", chain.label.text,
                          text_of(chain.ends[0].span), text_of(chain.ends[1].span)));
  }
  finish(add(out, std::move(chain), first));
}

// A name, and then nothing that makes an item of it.
void Parser::bad_named_item(const Token& first) {
  std::string meant = foreign_word(text_of(first));
  if (meant.empty()) meant = near_keyword(first, kItemWords);
  if (!meant.empty() && !at(Tok::Less)) unknown_word(first, meant, kNoItem, kItemRule);
  const std::string_view name = text_of(span_from(first));
  if (at(Tok::Less) && at(Tok::Minus, 1) && at(Tok::Name, 2)) {
    report("syntax.arrow", "a half-arrow is written from left to right", span_of(peek()))
        .rule("-> points the way in which power counts as positive")
        .help(fmt::format("write {} -> {}", text_of(peek(2)), name));
  } else if (at(Tok::LeftParen) && last().begin == first.begin && foreign_equation(first)) {
    throw GiveUp{};
  } else if (at(Tok::LeftParen) && last().begin == first.begin) {
    report("syntax.expected", fmt::format("expected a type before {}", name), span_of(first))
        .rule("a declaration begins with the type of the element or component")
        .help(fmt::format("write I {}(…), or a comma behind the declaration before it", name));
  } else if (at(Tok::Equal)) {
    report("syntax.operator", "`==` compares; a definition is written with `=`", span_of(peek()))
        .help(fmt::format("write {} = …", name));
  } else {
    fail("`->` or `=`", fmt::format("behind {}", name),
         fmt::format("write {0} -> other for a bond, or {0} = expression for a signal", name));
  }
  throw GiveUp{};
}

// The tokens from here on that stand on the same line, as they were written.
std::string_view Parser::rest_of_line(std::size_t from) const {
  std::size_t end = from;
  while (tokens_[end].kind != Tok::End && (end == from || !tokens_[end].newline_before)) ++end;
  return end == from ? std::string_view()
                     : text_of({file_, tokens_[from].begin, tokens_[end - 1].end});
}

// der(x) = … and connect(a, b), as Modelica writes them. Says how it is said here.
bool Parser::foreign_equation(const Token& first) {
  const std::string_view word = text_of(first);
  const bool name = at(Tok::Name, 1);
  if (word == "der" && name && at(Tok::RightParen, 2) && at(Tok::Assign, 3)) {
    const std::string_view state = text_of(peek(1));
    const std::string_view rate = rest_of_line(next_ + 4);
    report("syntax.foreign", fmt::format("der({}) cannot be defined", state),
           {file_, first.begin, peek(2).end})
        .rule("a state is the integral of its rate, from its first value on")
        .help(fmt::format("write {0} = integral({1}, {0}0)", state, rate.empty() ? "…" : rate));
    return true;
  }
  if (word == "connect" && name) {
    const std::string_view line = rest_of_line(next_ + 1);
    const std::size_t comma = line.find(','), close = line.find(')');
    const bool two = comma != line.npos && close != line.npos && comma < close;
    std::string_view to = two ? line.substr(comma + 1, close - comma - 1) : "b";
    to.remove_prefix(std::min(to.find_first_not_of(' '), to.size()));
    report("syntax.foreign", "ports are joined by bonds", span_of(first))
        .rule(
            "-> points the way in which power counts as positive; more than two meet in a "
            "junction")
        .help(fmt::format("write {} -> {}", two ? line.substr(0, comma) : "a", to));
    return true;
  }
  return false;
}

void Parser::no_item() {
  if (at(Tok::Else)) {
    report("syntax.expected", "this else belongs to no if", span_of(peek()))
        .help("write if condition { … } else { … }");
  } else if (at(Tok::Import)) {
    report("syntax.order", "an import stands inside a definition", span_of(peek()))
        .rule("imports stand first in a file")
        .help("move it to the top");
  } else if (!at(Tok::Invalid)) {
    report("syntax.expected", fmt::format("expected an item, found {}", describe(peek())),
           span_of(peek()))
        .rule(kItemRule)
        .help("remove it, or look for what is missing before it");
  }
  throw GiveUp{};
}

// ---- Structure ----

void Parser::parse_for(Items& out, ParsePart part) {
  const std::string form = "write for i in 1..N { … }";
  const Token first = take();
  For loop;
  loop.variable = expect_name("the name of the loop's variable", form);
  expect(Tok::In, "behind for " + loop.variable.text, form);
  loop.from = parse_expr();
  expect(Tok::DotDot, "between the bounds of the loop", form);
  loop.to = parse_expr();
  Block block = parse_block("the for over " + loop.variable.text, {}, part);
  loop.body = std::move(block.items);
  loop.comments = std::move(block.comments);
  finish(add(out, std::move(loop), first));
}

void Parser::parse_if(Items& out, ParsePart part) {
  parse_if_chain(out, part);
  finish(*out.back());
}

void Parser::parse_if_chain(Items& out, ParsePart part) {
  const Nest nest(*this);
  const Token first = take();
  IfItem item;
  item.condition = parse_expr();
  if (at(Tok::Then)) {
    report("syntax.expected", "expected `{`, found `then`", span_of(peek()))
        .rule("an if over items has braces; if … then … else … is an expression")
        .help("write if condition { … }");
    throw GiveUp{};
  }
  Block then = parse_block("the if", {}, part);
  item.then = std::move(then.items);
  item.then_comments = std::move(then.comments);
  if (at(Tok::Else)) {
    Comments between = claim_before(false);
    take();
    if (at(Tok::If)) {
      parse_if_chain(item.otherwise, part);
      Comments& comments = item.otherwise.front()->comments;
      comments.insert(comments.begin(), between.begin(), between.end());
    } else {
      Block otherwise = parse_block("the else", std::move(between), part);
      item.otherwise = std::move(otherwise.items);
      item.otherwise_comments = std::move(otherwise.comments);
    }
  }
  add(out, std::move(item), first);
}

void Parser::parse_when(Items& out) {
  const Token first = take();
  WhenItem item;
  item.condition = parse_expr();
  Block block = parse_block("the when", {});
  item.body = std::move(block.items);
  item.comments = std::move(block.comments);
  finish(add(out, std::move(item), first));
}

void Parser::parse_until(Items& out) {
  const Token first = take();
  Until until{parse_expr(), nullptr};
  const bool names_an_item = at(Tok::Assign, 1) || at(Tok::Arrow, 1) || at(Tok::Colon, 1) ||
                             at(Tok::Dot, 1) || at(Tok::LeftBracket, 1);
  if (at_word("max_step") && !names_an_item) {
    take();
    until.max_step = parse_expr();
  }
  finish(add(out, std::move(until), first));
}

void Parser::parse_show(Items& out) {
  const Token first = take();
  Show show;
  do {
    show.values.push_back(parse_expr());
    show.units.push_back(parse_shown_unit());
  } while (accept(Tok::Comma));
  finish(add(out, std::move(show), first));
}

void Parser::parse_priority(Items& out) {
  const Token first = take();
  Priority priority;
  const std::string what = "the name of a controlled junction or modal model";
  priority.order.push_back(parse_path(what));
  const std::string form = "write priority first > second";
  expect(Tok::Greater, "between the names of a priority", form);
  do {
    priority.order.push_back(parse_path(what));
  } while (accept(Tok::Greater));
  finish(add(out, std::move(priority), first));
}

}  // namespace cradle::syntax
