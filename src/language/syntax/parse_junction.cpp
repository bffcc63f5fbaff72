// Junctions and the automata that control them:
//   0/E F13 initially off { active on  inactive off  off -> on after eps when x1 >= x3 }

#include <fmt/format.h>

#include <algorithm>

#include "language/syntax/parser.hpp"

namespace cradle::syntax {

void Parser::parse_junctions(Items& out) {
  const Token first = take();
  const std::string_view digit = text_of(first);
  if (digit != "0" && digit != "1") {
    report("syntax.junction", fmt::format("{} begins no item", describe(first)), span_of(first))
        .rule("a line that begins with 0 or 1 declares junctions; other numbers begin nothing")
        .help("write 0 name for a common effort, 1 name for a common flow");
    throw GiveUp{};
  }
  const Junction::Kind kind = digit == "0" ? Junction::Kind::Zero : Junction::Kind::One;
  const Junction::Inactive inactive = parse_inactive_kind();
  const std::size_t begin = out.size();
  parse_joined(out, first, [&] { return parse_jdecl(kind, inactive); });
  // An automaton takes lines of its own, and so then does each junction.
  const auto has_body = [](const ItemPtr& item) {
    return std::get<Junction>(item->node).automaton.has_body;
  };
  if (std::any_of(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), has_body)) {
    for (std::size_t i = begin; i < out.size(); ++i) out[i]->joined = false;
  }
}

Junction::Inactive Parser::parse_inactive_kind() {
  if (!accept(Tok::Slash)) return Junction::Inactive::Unstated;
  const std::string_view letter = at(Tok::Name) ? text_of(peek()) : "";
  if (letter != "E" && letter != "F") {
    fail("E or F", "behind the `/` of a junction",
         "write /E if all efforts are 0 while it is inactive, /F if all flows are");
  }
  take();
  return letter == "E" ? Junction::Inactive::Effort : Junction::Inactive::Flow;
}

Junction Parser::parse_jdecl(Junction::Kind kind, Junction::Inactive inactive) {
  Junction junction;
  junction.kind = kind;
  junction.inactive = inactive;
  junction.name = parse_declared("the name of a junction");
  const std::string& name = junction.name.name.text;
  if (at(Tok::Name) && !peek().newline_before && !near_keyword(peek(), {"initially"}).empty()) {
    unknown_word(peek(), "initially", "means nothing behind the name of a junction",
                 "a junction has initially and a body, if it is controlled");
  }
  if (at_word("follows") && at(Tok::Name, 1)) {
    take();
    junction.follows = parse_path("the name of a controlled junction");
    if (at(Tok::LeftBrace)) parse_automaton(junction.automaton, junction.name.name);
    return junction;
  }
  if (accept(Tok::Initially)) {
    junction.controlled = true;
    junction.automaton.initial =
        expect_name("a state", fmt::format("write {} initially off", name));
  }
  if (at(Tok::LeftBrace)) {
    junction.controlled = true;
    parse_automaton(junction.automaton, junction.name.name);
  }
  if (at(Tok::Initially)) {
    report("syntax.order", "the initial state stands too late", span_of(peek()))
        .rule("initially stands once, before the body")
        .help(fmt::format("write {} initially … {{ … }}", name));
    throw GiveUp{};
  }
  return junction;
}

void Parser::parse_automaton(AutomatonBody& body, const Name& junction) {
  const Token open = peek();
  Comments carried = claim_before(false);
  take();
  body.has_body = true;
  body.comments.behind_open = claim_behind();
  bool blank = false;
  while (!at(Tok::RightBrace) && !at(Tok::End) && !at_definition()) {
    blank |= blank_before() && !body.transitions.empty();
    if (accept(Tok::Semicolon)) {
      if (!body.transitions.empty()) claim_separator(body.transitions.back().trailing_comment);
      continue;
    }
    Comments comments = claim_before(true);
    comments.insert(comments.begin(), carried.begin(), carried.end());
    carried.clear();
    const std::size_t start = next_;
    try {
      parse_automaton_part(body, comments, blank);
    } catch (const GiveUp&) {
      if (next_ == start) take();
      recover_transition();
    }
    blank = false;
  }
  blank |= blank_before() && !body.transitions.empty();
  body.comments.before_close = claim_before(true);
  Comments& closing = body.comments.before_close;
  closing.insert(closing.begin(), carried.begin(), carried.end());
  if (!closing.empty() && closing.back().empty()) closing.pop_back();
  if (!closing.empty() && blank) closing.insert(closing.begin(), "");
  close_block(open, "junction " + junction.text);
}

void Parser::parse_automaton_part(AutomatonBody& body, Comments& comments, bool blank) {
  if (at(Tok::Active) || at(Tok::Inactive)) return parse_states(body, comments);
  Transition transition = parse_transition(false);
  transition.comments = std::move(comments);
  transition.blank_before = blank;
  claim_rest(transition.comments, transition.trailing_comment);
  body.transitions.push_back(std::move(transition));
}

void Parser::parse_states(AutomatonBody& body, Comments& comments) {
  const Token word = take();
  std::vector<Name>& states = word.kind == Tok::Active ? body.active : body.inactive;
  do {
    states.push_back(expect_name("the name of a state", "write active on  inactive off"));
  } while (accept(Tok::Comma));
  std::string trailing;
  claim_rest(comments, trailing);
  if (!trailing.empty()) comments.push_back(std::move(trailing));
  std::erase(comments, "");
  body.state_comments.insert(body.state_comments.end(), comments.begin(), comments.end());
}

Transition Parser::parse_transition(bool modal) {
  const std::string form = "write from -> to when condition";
  const Token first = peek();
  const std::string meant = near_keyword(first, {"active", "inactive"});
  if (!modal && !meant.empty() && at(Tok::Name, 1)) {
    unknown_word(first, meant, "means nothing before a state",
                 "a body is made of active, inactive and transitions");
  }
  Transition transition;
  transition.from = expect_name("a transition", form);
  expect(Tok::Arrow, fmt::format("behind the state {}", transition.from.text), form);
  transition.to = expect_name("the state that the transition leads to", form);
  while (parse_clause(transition, modal)) {
  }
  if (!transition.guard) missing_guard(transition);
  if (at(Tok::LeftBrace)) check_clause_place(peek(), false, modal);
  if (at(Tok::LeftBrace)) parse_actions(transition);
  transition.span = span_from(first);
  return transition;
}

// off -> on if c, as state charts write it.
Tok Parser::foreign_if() {
  report("syntax.foreign", "`if` does not begin a guard", span_of(peek()), "did you mean when?")
      .rule("a transition is taken when its guard holds")
      .help("write when");
  return Tok::When;
}

// after, priority or when; a misspelt one is reported and taken for what it resembles.
Tok Parser::clause_word(bool modal) {
  const Tok kind = peek().kind;
  if (kind == Tok::After || kind == Tok::Priority || kind == Tok::When) return kind;
  if (kind == Tok::If) return foreign_if();
  std::vector<std::string> words = {"after", "priority", "when"};
  if (modal) words.insert(words.end(), {"history", "default", "preemptive", "immediate"});
  const std::string meant = near_keyword(peek(), words);
  if (meant.empty() || at(Tok::Arrow, 1)) return Tok::Invalid;
  report("syntax.unknown-word", fmt::format("{} means nothing in a transition", describe(peek())),
         span_of(peek()), fmt::format("did you mean {}?", meant))
      .rule(modal ? "behind its modes a transition has history, default, preemptive, immediate, "
                    "priority and when"
                  : "behind its states a transition has after eps, priority and when")
      .help("write " + meant);
  if (meant == "after" || meant == "when") return meant == "after" ? Tok::After : Tok::When;
  return meant == "priority" ? Tok::Priority : Tok::Name;
}

// history, default, preemptive or immediate: words that are names elsewhere.
bool Parser::parse_modal_clause(Transition& transition, bool modal) {
  if (at(Tok::Arrow, 1)) return false;
  const std::pair<std::string_view, bool Transition::*> clauses[] = {
      {"history", &Transition::history},
      {"default", &Transition::fallback},
      {"preemptive", &Transition::preemptive},
      {"immediate", &Transition::immediate}};
  for (const auto& [word, flag] : clauses) {
    if (!at_word(word)) continue;
    const Token first = take();
    check_clause_place(first, false, modal);
    if (transition.*flag) {
      report("syntax.repeated", fmt::format("{} stands twice in one transition", describe(first)),
             span_of(first))
          .help("remove one of them");
    }
    transition.*flag = true;
    return true;
  }
  return false;
}

// The clauses of the two kinds of automaton are different.
void Parser::check_clause_place(const Token& word, bool of_junctions, bool modal) {
  if (of_junctions != modal) return;
  report("syntax.clause",
         fmt::format("{} cannot stand {}", describe(word),
                     modal ? "in a modal model" : "in the automaton of a junction"),
         span_of(word))
      .rule(modal ? "after eps belongs to junctions; a mode that is entered has its say from the "
                    "next microstep on"
                  : "history, default, preemptive, immediate and actions belong to modal models")
      .help(modal ? "remove after eps" : fmt::format("remove {}", text_of(word)));
}

bool Parser::parse_clause(Transition& transition, bool modal) {
  if (parse_modal_clause(transition, modal)) return true;
  const Tok word = clause_word(modal);
  if (word == Tok::Invalid) return false;
  const Token first = take();
  if (word == Tok::Name) return true;  // misspelt, and reported
  const bool repeated = (word == Tok::After && transition.physical) ||
                        (word == Tok::Priority && transition.priority) ||
                        (word == Tok::When && transition.guard);
  if (repeated) {
    report("syntax.repeated", fmt::format("{} stands twice in one transition", describe(first)),
           span_of(first))
        .rule("a transition has one guard, one priority and one after eps at most")
        .help(word == Tok::When ? "join the conditions with and, or write two transitions"
                                : "remove one of them");
  }
  if (word == Tok::After) {
    check_clause_place(first, true, modal);
    expect(Tok::Eps, "behind after",
           "write after eps; a delay in real time is a guard over time or an integral");
    transition.physical = true;
  } else {
    (word == Tok::When ? transition.guard : transition.priority) = parse_expr();
  }
  return true;
}

void Parser::missing_guard(Transition& transition) {
  const std::string arrow = fmt::format("{} -> {}", transition.from.text, transition.to.text);
  const bool condition = !peek().newline_before && !at(Tok::RightBrace) && !at(Tok::End) &&
                         !at(Tok::LeftBrace) && !at(Tok::Arrow, 1) && !at(Tok::Comma) &&
                         !at(Tok::Semicolon);
  if (at(Tok::Invalid)) throw GiveUp{};
  const Span where = after_last();
  transition.guard = condition ? parse_expr() : make(BoolLiteral{false}, where);
  report("syntax.missing-when", fmt::format("the transition {} has no when", arrow), where,
         condition ? "expected `when` before the condition" : "expected `when` and a condition")
      .rule("a transition is taken when its guard holds")
      .help(fmt::format("write {} when {}", arrow,
                        condition ? text_of(transition.guard->span) : "condition"));
}

void Parser::recover_transition() {
  int open = 0;
  for (; !at(Tok::End) && !at_definition(); take()) {
    const bool transition = at(Tok::Name) && at(Tok::Arrow, 1);
    const bool part = transition || at(Tok::Active) || at(Tok::Inactive) || at(Tok::Semicolon);
    if (open == 0 && (at(Tok::RightBrace) || part)) return;
    if (at(Tok::LeftBrace)) ++open;
    if (at(Tok::RightBrace)) --open;
  }
}

}  // namespace cradle::syntax
