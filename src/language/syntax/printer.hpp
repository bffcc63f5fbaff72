#pragma once
// Parts of the printer that its files share.

#include <string>
#include <vector>

#include "language/syntax/layout.hpp"
#include "language/syntax/tree.hpp"

namespace cradle::syntax {

// Appends expressions to a layout, with as few parentheses as the tree needs and those that were
// written.
class ExprPrinter {
 public:
  ExprPrinter(Layout& line, bool with_comments) : line_(line), with_comments_(with_comments) {}

  void expr(const Expr& expr, int depth);
  void path(const Path& path, int depth);
  void segment(const Path::Segment& segment, int depth);
  void indices(const std::vector<ExprPtr>& indices, int depth);
  void arguments(const std::vector<Argument>& arguments, int depth);
  // `units`: by item, what stands behind it as `in mV`; may be null.
  void list(const std::vector<ExprPtr>& items, int depth, const std::vector<Name>* units = nullptr);
  void assign();

 private:
  void operand(const Expr& expr, int min_precedence, int depth);
  void bare(const Expr& expr, int depth);
  void number(const NumberLiteral& number);
  void unary(const UnaryExpr& unary, int depth);
  void binary(const BinaryExpr& binary, int depth);
  void conditional(const IfExpr& node, int depth);
  void reduction(const ReduceExpr& reduce, int depth);
  void argument(const Argument& argument, int depth);
  void comments(const std::vector<std::string>& comments);

  Layout& line_;
  bool with_comments_;
};

}  // namespace cradle::syntax
