// A file: imports, then components and at most one model.

#include <fmt/format.h>

#include "language/syntax/parser.hpp"

namespace cradle::syntax {

Tree Parser::parse_file() {
  Tree tree;
  tree.file = file_;
  while (!at(Tok::End)) {
    const std::size_t before = next_;
    try {
      parse_top(tree);
    } catch (const GiveUp&) {
      if (next_ == before) take();
      recover_top();
    }
  }
  const bool blank = blank_before() && (!tree.imports.empty() || !tree.definitions.empty());
  tree.closing_comments = claim_before(true);
  if (!tree.closing_comments.empty()) {
    if (tree.closing_comments.back().empty()) tree.closing_comments.pop_back();
    if (blank) tree.closing_comments.insert(tree.closing_comments.begin(), "");
  }
  return tree;
}

void Parser::parse_top(Tree& tree) {
  if (accept(Tok::Semicolon)) return;
  const bool first = tree.imports.empty() && tree.definitions.empty();
  const bool blank = blank_before() && !first;
  Comments comments = claim_before(true);
  std::string word(text_of(peek()));
  if (!starts_definition() && word != "block") {
    const std::string meant = near_keyword(peek(), {"model", "component", "block", "import"});
    if (meant.empty()) unexpected_at_top();
    report("syntax.unknown-word", fmt::format("{} begins nothing", describe(peek())),
           span_of(peek()), fmt::format("did you mean {}?", meant))
        .rule("a file is made of import, component, block and model")
        .help("write " + meant);
    word = meant;
  }
  if (word == "import") return parse_import(tree, std::move(comments), blank);
  parse_definition(tree, word, std::move(comments), !first);
}

void Parser::parse_import(Tree& tree, Comments comments, bool blank) {
  const Token first = take();
  if (!at(Tok::String)) {
    fail("the file's name in double quotes", "behind import",
         "write import \"std/electrical/diode.cradle\"");
  }
  Import import;
  import.path = decode_string(text_of(take()));
  import.span = span_from(first);
  import.comments = std::move(comments);
  import.blank_before = blank;
  claim_rest(import.comments, import.trailing_comment);
  if (!tree.definitions.empty()) {
    report("syntax.order", "an import stands behind a definition", import.span)
        .at(tree.definitions.front().name.span, "defined before it")
        .rule("imports stand first in a file")
        .help("move it to the top");
  }
  tree.imports.push_back(std::move(import));
}

void Parser::parse_definition(Tree& tree, const std::string& noun, Comments comments, bool blank) {
  definition_ = next_;
  const Token first = take();
  Definition definition;
  definition.is_model = noun == "model";
  definition.is_block = noun == "block";
  definition.name = expect_name(fmt::format("the name of the {}", noun),
                                fmt::format("write {} Name {{ … }}", noun));
  second_model(tree, definition);
  unclosed_ = false;
  Block block = parse_block(fmt::format("{} {}", noun, definition.name.text), {});
  definition.items = std::move(block.items);
  definition.trailing_comment = std::move(block.comments.behind_open);
  definition.closing_comments = std::move(block.comments.before_close);
  definition.span = span_from(first);
  definition.comments = std::move(comments);
  definition.blank_before = blank;
  claim_rest(definition.comments, definition.behind_close);
  tree.definitions.push_back(std::move(definition));
}

void Parser::second_model(const Tree& tree, const Definition& model) {
  if (!model.is_model) return;
  for (const Definition& other : tree.definitions) {
    if (!other.is_model) continue;
    report("syntax.second-model", "the file has a second model", model.name.span, "a second model")
        .at(other.name.span, "the model of this file")
        .rule("a file holds at most one model")
        .help(fmt::format("move {} to a file of its own, or make it a component", model.name.text));
    return;
  }
}

void Parser::unexpected_at_top() {
  if (at(Tok::RightBrace)) {
    report("syntax.unopened", "this `}` closes nothing", span_of(peek()))
        .help("remove it, or look for a `}` too many above it");
  } else if (!at(Tok::Invalid)) {
    report("syntax.expected",
           fmt::format("expected import, component, block or model, found {}", describe(peek())),
           span_of(peek()))
        .rule("everything else stands inside the braces of a component, block or model")
        .help("write model Name { … } around it");
  }
  throw GiveUp{};
}

void Parser::recover_top() {
  while (!at(Tok::End) && !starts_definition()) take();
}

}  // namespace cradle::syntax
