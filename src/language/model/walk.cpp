#include "language/model/walk.hpp"

#include <algorithm>
#include <vector>

namespace cradle::model {

namespace {

// A chain a + b + c + … is as deep as it is long, so the stack is explicit.
struct Pending {
  const syntax::Expr* expr;
  int hidden;  // how many of the comprehension variables are in force; −1: none
};

struct Hidden {
  std::string_view name;
  int outer;
};

// What is told of an expression; each may be null.
struct Visits {
  std::function<void(std::string_view)> name, call;
  std::function<void(const syntax::Path&)> path;
};

class NameWalk {
 public:
  NameWalk(const syntax::Expr& expr, const Visits& visits) : visits_(visits) {
    push(&expr, -1);
    while (!open_.empty()) {
      Pending pending = open_.back();
      open_.pop_back();
      std::visit([&](const auto& node) { see(node, pending.hidden); }, pending.expr->node);
    }
  }

 private:
  void push(const syntax::Expr* expr, int hidden) {
    if (expr != nullptr) open_.push_back({expr, hidden});
  }
  bool is_hidden(std::string_view name, int hidden) const {
    for (; hidden >= 0; hidden = hidden_[static_cast<std::size_t>(hidden)].outer) {
      if (hidden_[static_cast<std::size_t>(hidden)].name == name) return true;
    }
    return false;
  }

  void see(const syntax::NumberLiteral&, int) {}
  void see(const syntax::BoolLiteral&, int) {}
  void see(const syntax::StringLiteral&, int) {}
  void see(const syntax::PathExpr& node, int hidden) {
    const auto& segments = node.path.segments;
    if (!segments.empty() && !is_hidden(segments.front().name.text, hidden)) {
      if (visits_.name) visits_.name(segments.front().name.text);
    }
    if (visits_.path && hidden < 0) visits_.path(node.path);
    for (const auto& segment : segments) {
      for (const auto& index : segment.indices) push(index.get(), hidden);
    }
  }
  void see(const syntax::UnaryExpr& node, int hidden) { push(node.operand.get(), hidden); }
  void see(const syntax::BinaryExpr& node, int hidden) {
    push(node.right.get(), hidden);
    push(node.left.get(), hidden);
  }
  void see(const syntax::IfExpr& node, int hidden) {
    push(node.otherwise.get(), hidden);
    push(node.then.get(), hidden);
    push(node.condition.get(), hidden);
  }
  void see(const syntax::CallExpr& node, int hidden) {
    if (visits_.call) visits_.call(node.function.text);
    for (const auto& argument : node.arguments) push(argument.value.get(), hidden);
  }
  void see(const syntax::ReduceExpr& node, int hidden) {
    push(node.from.get(), hidden);
    push(node.to.get(), hidden);
    hidden_.push_back({node.variable.text, hidden});
    push(node.body.get(), static_cast<int>(hidden_.size()) - 1);
  }
  void see(const syntax::ListExpr& node, int hidden) {
    for (const auto& item : node.items) push(item.get(), hidden);
  }

  const Visits& visits_;
  std::vector<Pending> open_;
  std::vector<Hidden> hidden_;
};

}  // namespace

void for_each_name(const syntax::Expr& expr, const std::function<void(std::string_view)>& visit) {
  NameWalk(expr, {visit, {}, {}});
}

void for_each_name(const syntax::Expr& expr, const std::function<void(std::string_view)>& visit,
                   const std::function<void(std::string_view)>& visit_call) {
  NameWalk(expr, {visit, visit_call, {}});
}

void for_each_path(const syntax::Expr& expr,
                   const std::function<void(const syntax::Path&)>& visit) {
  NameWalk(expr, {{}, {}, visit});
}

}  // namespace cradle::model
