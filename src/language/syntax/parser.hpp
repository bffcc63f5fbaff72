#pragma once
// tokens ─parse→ syntax::Tree, by recursive descent; operators by precedence climbing (Richards,
// 1979). An error is reported where it is found; the parser then gives up the item or transition
// that it stands in, looks for the beginning of the next, and goes on.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/syntax/lexer.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::syntax {

class Parser {
 public:
  Parser(const Sources& sources, int32_t file, Diagnostics& diagnostics);
  Parser(const Sources& sources, int32_t file, Diagnostics& diagnostics, Lexed lexed);
  Tree parse_file();
  const std::vector<Span>& misread() const { return misread_; }
  ExprPtr parse_lone_expression();

 private:
  struct GiveUp {};  // thrown behind a reported error; caught where the parser can go on

  // One level of nesting; the limit is a diagnostic.
  class Nest {
   public:
    explicit Nest(Parser& parser);
    ~Nest() { --parser_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    Parser& parser_;
  };

  using Comments = std::vector<std::string>;
  struct Block {
    std::vector<ItemPtr> items;
    BlockComments comments;
  };
  // What may stand between two braces: each has its own way to read one item.
  using Items = std::vector<ItemPtr>;
  using ParsePart = void (Parser::*)(Items& out);

  // parser.cpp: tokens
  const Token& peek(std::size_t ahead = 0) const;
  bool at(Tok kind, std::size_t ahead = 0) const { return peek(ahead).kind == kind; }
  // A word that is reserved in some places only.
  bool at_word(std::string_view word, std::size_t ahead = 0) const {
    return at(Tok::Name, ahead) && text_of(peek(ahead)) == word;
  }
  bool at_definition() const;
  const Token& take();
  bool accept(Tok kind);
  const Token& expect(Tok kind, const std::string& where, const std::string& help = {});
  void expect_close(Tok kind, const Token& open, const std::string& inside);
  Name expect_name(const std::string& what, const std::string& help = {});
  Name name_of(const Token& token) const;
  std::string_view text_of(const Token& token) const;
  std::string_view text_of(Span span) const;
  std::string describe(const Token& token) const;
  Span span_of(const Token& token) const { return {file_, token.begin, token.end}; }
  Span span_from(const Token& first) const;
  Span after_last() const;
  const Token& last() const { return tokens_[next_ == 0 ? 0 : next_ - 1]; }

  // parser.cpp: errors
  Diagnostic& report(std::string kind, std::string message, Span where, std::string label = {});
  [[noreturn]] void fail(const std::string& expected, const std::string& where,
                         const std::string& help = {});
  std::string near_keyword(const Token& token, const std::vector<std::string>& candidates) const;

  // parser.cpp: comments, each claimed once and in order
  bool blank_before() const;
  Comments claim_before(bool keep_blanks);
  std::string claim_behind();
  void claim_separator(std::string& trailing);
  void claim_rest(Comments& comments, std::string& trailing);

  // parse_file.cpp
  void parse_top(Tree& tree);
  void parse_import(Tree& tree, Comments comments, bool blank_before);
  bool starts_definition() const { return at(Tok::Import) || at_definition(); }
  void parse_definition(Tree& tree, const std::string& noun, Comments comments, bool blank_before);
  void second_model(const Tree& tree, const Definition& model);
  void unexpected_at_top();
  void recover_top();

  // parse_block.cpp
  Block parse_block(const std::string& of, Comments carried, ParsePart part = &Parser::parse_item);
  void parse_into(Block& block, Comments& carried, ParsePart part);
  void close_block(const Token& open, const std::string& of);
  struct Missing {
    const Token *brace = nullptr, *line = nullptr;
  };
  Missing find_missing() const;
  int indent_of(const Token& token) const;
  void recover_item(std::size_t item_start);
  bool starts_item(const Token& token) const;
  std::size_t behind_open_parentheses(std::size_t item_start) const;

  // parse_items.cpp
  void parse_item(Items& out);
  void parse_params(Items& out);
  void parse_require(Items& out);
  Name parse_domain();
  std::string parse_message(const std::string& form);
  bool at_assertion() const;
  void parse_assertion(Items& out);
  bool at_function() const {
    return at_word("function") && at(Tok::Name, 1) && at(Tok::LeftParen, 2);
  }
  void parse_function(Items& out);
  void parse_ports(Items& out, Port::Kind kind);
  void parse_declarations(Items& out);
  void check_type_word(const Token& type);
  bool may_be_type(std::string_view word) const;
  Declaration parse_declarator(const Name& type);
  void parse_named(Items& out);
  void parse_bonds(Items& out, const Token& first, BondChain chain);
  [[noreturn]] void bad_named_item(const Token& first);
  bool foreign_equation(const Token& first);
  std::string_view rest_of_line(std::size_t from) const;
  [[noreturn]] void unknown_word(const Token& word, const std::string& meant,
                                 const std::string& where, const std::string& rule);
  BondChain labelled(Path path);
  void parse_for(Items& out, ParsePart part = &Parser::parse_item);
  void parse_if(Items& out, ParsePart part = &Parser::parse_item);
  void parse_if_chain(Items& out, ParsePart part);
  void parse_when(Items& out);
  void parse_until(Items& out);
  void parse_show(Items& out);
  void parse_priority(Items& out);
  [[noreturn]] void no_item();
  Item& add(Items& out, decltype(Item::node) node, const Token& first);
  void finish(Item& item) { claim_rest(item.comments, item.trailing_comment); }
  bool next_joined(Item& item);
  template <class ParseOne>
  void parse_joined(Items& out, const Token& first, ParseOne parse_one);

  // parse_junction.cpp
  void parse_junctions(Items& out);
  Junction::Inactive parse_inactive_kind();
  Junction parse_jdecl(Junction::Kind kind, Junction::Inactive inactive);
  void parse_automaton(AutomatonBody& body, const Name& junction);
  void parse_automaton_part(AutomatonBody& body, Comments& comments, bool blank);
  void parse_states(AutomatonBody& body, Comments& comments);
  Transition parse_transition(bool modal);
  bool parse_clause(Transition& transition, bool modal);
  bool parse_modal_clause(Transition& transition, bool modal);
  Tok clause_word(bool modal);
  Tok foreign_if();
  void check_clause_place(const Token& word, bool of_junctions, bool modal);
  void missing_guard(Transition& transition);
  void recover_transition();

  // parse_modal.cpp
  bool at_modal() const { return at_word("modal") && (at(Tok::Name, 1) || at(Tok::LeftBrace, 1)); }
  void parse_modal(Items& out);
  void parse_modal_part(Items& out);
  void parse_mode(Items& out);
  void parse_modal_transition(Items& out);
  void parse_actions(Transition& transition);
  void parse_action(Items& out);
  [[noreturn]] void bad_modal_part();

  // parse_animate.cpp
  void parse_animate(Items& out);
  void parse_animate_part(Items& out);
  void parse_shape(Items& out, Shape::Kind kind);
  bool parse_shape_clause(Shape& shape);
  void check_shape(const Shape& shape);
  Point parse_point(const std::string& word);
  bool at_pair() const;
  [[noreturn]] void no_shape();

  // parse_expr.cpp
  ExprPtr parse_expr();
  ExprPtr parse_binary(int min_precedence);
  ExprPtr parse_operand();
  static bool take_sign(Expr& operand);
  ExprPtr parse_power();
  ExprPtr parse_primary();
  ExprPtr parse_bare_primary();
  ExprPtr parse_number();
  bool at_unit() const;
  bool at_tight(Tok kind, int ahead = 0) const;
  std::string parse_unit_text();
  void parse_unit_factor(std::string& unit);
  Name parse_shown_unit();
  void check_range(double value, Span span);
  ExprPtr parse_parenthesised();
  ExprPtr parse_if_expr();
  ExprPtr parse_list();
  ExprPtr parse_name_expr();
  ExprPtr parse_call();
  ExprPtr parse_reduction(const Token& first, const Token& open, ExprPtr body);
  void parse_turns(ReduceExpr& reduce, const std::string& form);
  std::vector<Argument> parse_arguments(const Token& open, const std::string& of);
  Argument parse_argument();
  void parse_law(Argument& argument);
  void take_operator();
  void comparison_chain(const Expr& left, const Token& op, const Expr& right);
  [[noreturn]] void no_expression();
  Path parse_path(const std::string& what);
  Path::Segment parse_declared(const std::string& what);
  std::vector<ExprPtr> parse_indices();
  ExprPtr make(decltype(Expr::node) node, Span span);

  const Sources& sources_;
  int32_t file_;
  Diagnostics& diagnostics_;
  Diagnostic dropped_;  // what is reported beyond the limit
  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Comment> comments_;
  std::vector<std::string> components_;  // names that this file defines
  bool has_imports_ = false;
  bool cut_short_ = false;  // as in Lexed
  std::size_t next_ = 0;
  std::size_t next_comment_ = 0;
  int depth_ = 0;
  int reported_ = 0;
  std::vector<Span> misread_;   // from a brace that is never closed to the end of its definition
  bool unclosed_ = false;       // a missing brace has been reported in this definition
  std::size_t definition_ = 0;  // where the present one begins
};

// One item for each part between commas, the first of which began at `first`.
template <class ParseOne>
void Parser::parse_joined(Items& out, const Token& first, ParseOne parse_one) {
  Token start = first;
  Comments comments;
  bool more = false;
  do {
    Item& item = add(out, parse_one(), start);
    item.joined = more;
    item.comments = std::move(comments);
    more = next_joined(item);
    comments = more ? claim_before(false) : Comments{};
    start = peek();
  } while (more);
}

}  // namespace cradle::syntax
