// Modal models:
//   modal ball initially falling {
//     mode falling { x = integral(v, 10)  hit = falling(x) }
//     falling -> falling history when hit { set v = -e * v }
//   }

#include <fmt/format.h>

#include "language/syntax/parser.hpp"

namespace cradle::syntax {
namespace {

const std::string kModalForm = "write modal name initially mode { … }";

}  // namespace

void Parser::parse_modal(Items& out) {
  const Token first = take();
  Modal modal;
  modal.name = parse_declared("the name of the modal model");
  if (accept(Tok::Initially)) modal.initial = expect_name("a mode", kModalForm);
  const std::string what = "modal " + modal.name.name.text;
  Block block = parse_block(what, {}, &Parser::parse_modal_part);
  modal.body = std::move(block.items);
  modal.comments = std::move(block.comments);
  finish(add(out, std::move(modal), first));
}

// The words that begin a mode are names elsewhere, and may be names of modes too.
void Parser::parse_modal_part(Items& out) {
  if (at(Tok::Param)) return parse_params(out);
  if (at(Tok::Name) && at(Tok::Arrow, 1)) return parse_modal_transition(out);
  if (at_word("mode") || (at_word("final") && at_word("mode", 1))) return parse_mode(out);
  bad_modal_part();
}

void Parser::bad_modal_part() {
  const std::string rule = "a modal model is made of param, mode and transitions";
  const std::string meant = near_keyword(peek(), {"param", "mode", "final"});
  if (!meant.empty() && at(Tok::Name, 1)) {
    unknown_word(peek(), meant, "means nothing in a modal model", rule);
  }
  if (!at(Tok::Invalid)) {
    report("syntax.expected",
           fmt::format("expected a mode or a transition, found {}", describe(peek())),
           span_of(peek()))
        .rule(rule)
        .help("write it in a mode, or outside the modal model");
  }
  throw GiveUp{};
}

void Parser::parse_mode(Items& out) {
  const Token first = peek();
  Mode mode;
  mode.is_final = at_word("final");
  if (mode.is_final) take();
  take();
  mode.name = expect_name("the name of the mode", "write mode name { … }");
  Block block = parse_block("mode " + mode.name.text, {});
  mode.body = std::move(block.items);
  mode.comments = std::move(block.comments);
  finish(add(out, std::move(mode), first));
}

void Parser::parse_modal_transition(Items& out) {
  const Token first = peek();
  Transition transition = parse_transition(true);
  finish(add(out, std::move(transition), first));
}

void Parser::parse_actions(Transition& transition) {
  Block block = parse_block("the transition", {}, &Parser::parse_action);
  transition.actions = std::move(block.items);
  transition.action_comments = std::move(block.comments);
}

void Parser::parse_action(Items& out) {
  const std::string form = "write set name = value, or output name = value";
  const Token first = peek();
  if (!at_word("set") && !at(Tok::Output)) {
    const std::string meant = near_keyword(first, {"set", "output"});
    const std::string rule = "a transition has the actions set and output";
    if (!meant.empty() && at(Tok::Name, 1)) {
      unknown_word(first, meant, "means nothing in a transition", rule);
    }
    fail("set or output", "in the actions of a transition", form);
  }
  take();
  Action action;
  action.kind = first.kind == Tok::Output ? Action::Kind::Output : Action::Kind::Set;
  action.target = parse_path("the name of what is given a value");
  expect(Tok::Assign, fmt::format("behind {}", text_of(action.target.span)), form);
  action.value = parse_expr();
  finish(add(out, std::move(action), first));
}

}  // namespace cradle::syntax
