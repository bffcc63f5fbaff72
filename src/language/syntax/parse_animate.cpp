// What to draw of a run:
//   animate {
//     circle ball at (0, y) radius 0.2 fill orange
//     box floor at (0, -0.1) size (4, 0.2)
//     for i in 1..N { line rope[i] from (x[i], 2) to (x[i], y[i]) when taut[i] }
//   }
// The words of shapes are names elsewhere.

#include <fmt/format.h>

#include <algorithm>

#include "language/syntax/parser.hpp"

namespace cradle::syntax {
namespace {

using Kind = Shape::Kind;

const std::string kShapeRule = "animate is made of circle, box, line, for and if";

std::string word_of(Kind kind) {
  return kind == Kind::Circle ? "circle" : kind == Kind::Box ? "box" : "line";
}

std::string form_of(Kind kind) {
  if (kind == Kind::Circle) return "write circle name at (x, y) radius r";
  if (kind == Kind::Box) return "write box name at (x, y) size (width, height)";
  return "write line name from (x1, y1) to (x2, y2)";
}

// Names that others give to the same.
std::string foreign_shape(std::string_view word) {
  for (std::string_view other : {"disc", "disk", "sphere", "ellipse", "point", "dot"}) {
    if (word == other) return "circle";
  }
  for (std::string_view other : {"rect", "rectangle", "square", "bar"}) {
    if (word == other) return "box";
  }
  return word == "segment" || word == "rod" || word == "rope" || word == "arrow" ? "line" : "";
}

std::string foreign_clause(std::string_view word) {
  if (word == "colour" || word == "color") return "fill";
  if (word == "text" || word == "name") return "label";
  if (word == "rotation" || word == "rotate") return "angle";
  if (word == "width" || word == "height") return "size";
  return word == "center" || word == "centre" ? "at" : "";
}

const std::vector<std::string>& clauses_of(Kind kind) {
  static const std::vector<std::string> circle = {"at", "radius", "fill", "label", "when"};
  static const std::vector<std::string> box = {"at", "size", "angle", "fill", "label", "when"};
  static const std::vector<std::string> line = {"from", "to", "fill", "label", "when"};
  return kind == Kind::Circle ? circle : kind == Kind::Box ? box : line;
}

bool is_one_of(std::string_view word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_clause(std::string_view word) {
  return is_one_of(word, clauses_of(Kind::Circle)) || is_one_of(word, clauses_of(Kind::Box)) ||
         is_one_of(word, clauses_of(Kind::Line));
}

// at, size, angle, fill, label and when
std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
  }
  return out;
}

}  // namespace

void Parser::parse_animate(Items& out) {
  const Token first = take();
  Block block = parse_block("animate", {}, &Parser::parse_animate_part);
  Animate animate;
  animate.body = std::move(block.items);
  animate.comments = std::move(block.comments);
  finish(add(out, std::move(animate), first));
}

void Parser::parse_animate_part(Items& out) {
  if (at(Tok::For)) return parse_for(out, &Parser::parse_animate_part);
  if (at(Tok::If)) return parse_if(out, &Parser::parse_animate_part);
  for (const Kind kind : {Kind::Circle, Kind::Box, Kind::Line}) {
    if (at_word(word_of(kind))) return parse_shape(out, kind);
  }
  no_shape();
}

void Parser::no_shape() {
  if (at(Tok::Invalid)) throw GiveUp{};
  if (at(Tok::When)) {
    report("syntax.order", "`when` stands behind a shape", span_of(peek()))
        .rule("a shape with when is drawn only while the condition holds")
        .help("write circle name at (x, y) radius r when condition");
    throw GiveUp{};
  }
  std::string meant = at(Tok::Name) ? foreign_shape(text_of(peek())) : "";
  if (meant.empty()) meant = near_keyword(peek(), {"circle", "box", "line", "for", "if"});
  if (!meant.empty() && at(Tok::Name, 1)) {
    unknown_word(peek(), meant, "draws nothing", kShapeRule);
  }
  report("syntax.expected", fmt::format("expected a shape, found {}", describe(peek())),
         span_of(peek()))
      .rule(kShapeRule)
      .help("write a shape here, or move this out of animate");
  throw GiveUp{};
}

void Parser::parse_shape(Items& out, Kind kind) {
  const Token first = take();
  Shape shape;
  shape.kind = kind;
  if (!at(Tok::Name) || (is_clause(text_of(peek())) && !at(Tok::Name, 1))) {
    fail(fmt::format("the name of the {}", word_of(kind)), "", form_of(kind));
  }
  shape.name = parse_declared(fmt::format("the name of the {}", word_of(kind)));
  while (parse_shape_clause(shape)) {
  }
  check_shape(shape);
  finish(add(out, std::move(shape), first));
}

// One word and what belongs to it. False: the shape ends here.
bool Parser::parse_shape_clause(Shape& shape) {
  if (!at(Tok::Name) && !at(Tok::When)) return false;
  const std::string what = fmt::format("{} {}", word_of(shape.kind), shape.name.name.text);
  const std::vector<std::string>& own = clauses_of(shape.kind);
  std::string word(text_of(peek()));
  if (!is_clause(word)) {
    if (peek().newline_before) return false;
    std::string meant = foreign_clause(word);
    if (!is_one_of(meant, own)) meant = near_keyword(peek(), own);
    // Shapes may share a line.
    if (meant.empty() && (word == "circle" || word == "box" || word == "line")) return false;
    report("syntax.unknown-word", fmt::format("{} means nothing in a shape", describe(peek())),
           span_of(peek()), meant.empty() ? "" : fmt::format("did you mean {}?", meant))
        .rule(fmt::format("a {} has {}", word_of(shape.kind), listed(own)))
        .help(meant.empty() ? "remove it" : "write " + meant);
    throw GiveUp{};
  }
  const Token first = take();
  if (!is_one_of(word, own)) {
    report("syntax.clause", fmt::format("a {} has no {}", word_of(shape.kind), word),
           span_of(first))
        .rule(fmt::format("a {} has {}", word_of(shape.kind), listed(own)))
        .help(form_of(shape.kind));
    throw GiveUp{};
  }
  const bool given = word == "at" || word == "from"   ? shape.at.x != nullptr
                     : word == "size" || word == "to" ? shape.end.x != nullptr
                     : word == "radius"               ? shape.radius != nullptr
                     : word == "angle"                ? shape.angle != nullptr
                     : word == "fill"                 ? !shape.fill.text.empty()
                     : word == "label"                ? !shape.label.empty()
                                                      : shape.when != nullptr;
  if (given) {
    report("syntax.repeated", fmt::format("{} stands twice in {}", describe(first), what),
           span_of(first))
        .help(word == "when" ? "join the conditions with and" : "remove one of them");
  }
  if (word == "at" || word == "from") {
    shape.at = parse_point(word);
  } else if (word == "size" || word == "to") {
    shape.end = parse_point(word);
  } else if (word == "fill") {
    shape.fill = expect_name("the name of a colour", "write fill orange");
  } else if (word == "label") {
    if (!at(Tok::String)) fail("a text in double quotes", "behind label", "write label \"text\"");
    shape.label = decode_string(text_of(take()));
  } else {
    (word == "radius" ? shape.radius : word == "angle" ? shape.angle : shape.when) = parse_expr();
  }
  return true;
}

void Parser::check_shape(const Shape& shape) {
  const std::string what = fmt::format("{} {}", word_of(shape.kind), shape.name.name.text);
  const bool line = shape.kind == Kind::Line;
  std::string missing;
  if (!shape.at.x) {
    missing = line ? "from" : "at";
  } else if (shape.kind == Kind::Circle ? !shape.radius : !shape.end.x) {
    missing = line ? "to" : shape.kind == Kind::Box ? "size" : "radius";
  }
  if (!missing.empty()) fail(fmt::format("`{}`", missing), "in " + what, form_of(shape.kind));
}

// Whether the parenthesis that stands here has a comma of its own: (x, y), and not (a + b) * v.
bool Parser::at_pair() const {
  if (!at(Tok::LeftParen)) return false;
  int open = 0;
  for (std::size_t i = next_; i < tokens_.size(); ++i) {
    const Tok kind = tokens_[i].kind;
    if (kind == Tok::LeftParen || kind == Tok::LeftBracket) ++open;
    if (kind == Tok::RightParen || kind == Tok::RightBracket) --open;
    if (kind == Tok::Comma && open == 1) return true;
    if (open <= 0 || kind == Tok::LeftBrace || kind == Tok::RightBrace) return false;
  }
  return false;
}

Point Parser::parse_point(const std::string& word) {
  Point point;
  if (!at_pair()) {
    point.x = parse_expr();
    return point;
  }
  const Token open = take();
  point.x = parse_expr();
  expect(Tok::Comma, fmt::format("between the two numbers behind {}", word));
  point.y = parse_expr();
  expect_close(Tok::RightParen, open, "the pair behind " + word);
  return point;
}

}  // namespace cradle::syntax
