// syntax::Tree ─print→ text in the one style: two spaces of indentation, one item to a line, what
// was joined by commas stays joined, comments and single blank lines are kept.

#include "language/syntax/printer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/diagnostics/utf8.hpp"
#include "language/syntax/lexer.hpp"

namespace cradle::syntax {
namespace {

constexpr int kIndent = 2;

class Printer {
 public:
  std::string run(const Tree& tree) {
    for (const Import& import : tree.imports) {
      before(import.comments, import.blank_before, 0);
      line("import " + encode_string(import.path), import.trailing_comment, 0);
    }
    for (const Definition& definition : tree.definitions) print_definition(definition);
    print_comments(tree.closing_comments, 0);
    return join();
  }

 private:
  void line(const std::string& text, const std::string& trailing, int indent) {
    out_.append(static_cast<std::size_t>(indent), ' ');
    finish_line(text, trailing);
  }

  void line_start(const std::string& text, int indent) {
    out_.append(static_cast<std::size_t>(indent), ' ');
    out_ += text;
  }

  void finish_line(const std::string& text, const std::string& trailing) {
    out_ += text;
    lines_.push_back({std::move(out_), trailing});
    out_.clear();
  }

  // Trailing comments on neighbouring lines of one indentation stand below one another.
  std::string join() const {
    std::string text;
    for (std::size_t begin = 0; begin < lines_.size();) {
      std::size_t end = begin + 1;
      int column = utf8::width(lines_[begin].text);
      while (end < lines_.size() && lines_[end].aligns_with(lines_[begin])) {
        column = std::max(column, utf8::width(lines_[end++].text));
      }
      for (; begin < end; ++begin) lines_[begin].append_to(text, column);
    }
    return text;
  }

  void print_comments(const std::vector<std::string>& comments, int indent) {
    for (const std::string& comment : comments) {
      if (!comment.empty()) out_.append(static_cast<std::size_t>(indent), ' ');
      finish_line(comment, "");
    }
  }

  void before(const std::vector<std::string>& comments, bool blank, int indent) {
    if (blank) finish_line("", "");
    print_comments(comments, indent);
  }

  void print_definition(const Definition& definition) {
    before(definition.comments, definition.blank_before, 0);
    out_ += definition.is_model ? "model " : definition.is_block ? "block " : "component ";
    out_ += definition.name.text;
    print_block(definition.items, {definition.trailing_comment, definition.closing_comments}, 0);
    finish_line("", definition.behind_close);
  }

  // From the opening brace to the closing one.
  void print_block(const std::vector<ItemPtr>& items, const BlockComments& comments, int indent) {
    if (items.empty() && comments.empty()) {
      out_ += " {}";
      return;
    }
    finish_line(" {", comments.behind_open);
    for (std::size_t i = 0; i < items.size();) {
      std::size_t end = i + 1;
      while (end < items.size() && items[end]->joined) ++end;
      print_item(items, i, end, indent + kIndent);
      i = end;
    }
    close(comments, indent);
  }

  void close(const BlockComments& comments, int indent) {
    print_comments(comments.before_close, indent + kIndent);
    out_.append(static_cast<std::size_t>(indent), ' ');
    out_ += '}';
  }

  // items[begin] and those that are joined to it.
  void print_item(const std::vector<ItemPtr>& items, std::size_t begin, std::size_t end,
                  int indent) {
    const Item& first = *items[begin];
    before(first.comments, first.blank_before, indent);
    if (const auto* loop = std::get_if<For>(&first.node)) {
      print_for(*loop, indent);
    } else if (const auto* choice = std::get_if<IfItem>(&first.node)) {
      out_.append(static_cast<std::size_t>(indent), ' ');
      print_if(*choice, indent);
    } else if (const auto* enabled = std::get_if<WhenItem>(&first.node)) {
      print_when(*enabled, indent);
    } else if (const auto* modal = std::get_if<Modal>(&first.node)) {
      print_modal(*modal, indent);
    } else if (const auto* mode = std::get_if<Mode>(&first.node)) {
      line_start((mode->is_final ? "final mode " : "mode ") + mode->name.text, indent);
      print_block(mode->body, mode->comments, indent);
    } else if (const auto* transition = std::get_if<Transition>(&first.node)) {
      print_transition_body(*transition, indent);
    } else if (const auto* animate = std::get_if<Animate>(&first.node)) {
      line_start("animate", indent);
      print_block(animate->body, animate->comments, indent);
    } else {
      print_joined(items, begin, end, indent);
    }
    finish_line("", items[end - 1]->trailing_comment);
  }

  void print_joined(const std::vector<ItemPtr>& items, std::size_t begin, std::size_t end,
                    int indent) {
    Layout layout;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) {
        layout.word(",");
        between(layout, items[i - 1]->trailing_comment, items[i]->comments);
      }
      print_node(layout, *items[i], i == begin);
    }
    out_ += layout.lines(indent);
    const auto* junction = std::get_if<Junction>(&items[end - 1]->node);
    if (junction && junction->automaton.has_body) print_automaton(junction->automaton, indent);
  }

  // Behind the comma between two joined items: the comments of both.
  static void between(Layout& layout, const std::string& behind,
                      const std::vector<std::string>& above) {
    if (!behind.empty()) {
      layout.space(2);
      layout.word(behind);  // no break before it: it belongs to this line
      layout.must_break();
    }
    layout.space();
    layout.may_break(0);
    if (!above.empty()) layout.must_break();
    for (const std::string& comment : above) {
      layout.word(comment);
      layout.must_break();
    }
  }

  void print_for(const For& loop, int indent) {
    Layout layout;
    ExprPrinter printer(layout, true);
    layout.word("for " + loop.variable.text + " in");
    layout.space();
    printer.expr(*loop.from, 0);
    layout.word("..");
    printer.expr(*loop.to, 0);
    out_ += layout.lines(indent);
    print_block(loop.body, loop.comments, indent);
  }

  // The indentation is there already, or `else `.
  void print_if(const IfItem& item, int indent) {
    Layout layout;
    layout.word("if");
    layout.space();
    ExprPrinter(layout, true).expr(*item.condition, 0);
    out_ += layout.lines(indent).substr(static_cast<std::size_t>(indent));
    print_block(item.then, item.then_comments, indent);
    const BlockComments& comments = item.otherwise_comments;
    if (item.otherwise.empty() && comments.empty()) return;
    out_ += " else";
    if (const IfItem* chained = else_if(item)) {
      out_ += ' ';
      return print_if(*chained, indent);
    }
    print_block(item.otherwise, comments, indent);
  }

  static const IfItem* else_if(const IfItem& item) {
    if (item.otherwise.size() != 1) return nullptr;
    const Item& only = *item.otherwise.front();
    const BlockComments& around = item.otherwise_comments;
    const bool commented =
        !only.comments.empty() || !only.trailing_comment.empty() || !around.empty();
    return commented ? nullptr : std::get_if<IfItem>(&only.node);
  }

  void print_when(const WhenItem& item, int indent) {
    Layout layout;
    layout.word("when");
    layout.space();
    ExprPrinter(layout, true).expr(*item.condition, 0);
    out_ += layout.lines(indent);
    print_block(item.body, item.comments, indent);
  }

  void print_modal(const Modal& modal, int indent) {
    Layout layout;
    layout.word("modal");
    layout.space();
    ExprPrinter(layout, true).segment(modal.name, 1);
    if (!modal.initial.text.empty()) layout.word(" initially " + modal.initial.text);
    out_ += layout.lines(indent);
    print_block(modal.body, modal.comments, indent);
  }

  void print_automaton(const AutomatonBody& body, int indent) {
    const bool empty = body.active.empty() && body.inactive.empty() && body.transitions.empty() &&
                       body.state_comments.empty() && body.comments.empty();
    if (empty) {
      out_ += " {}";
      return;
    }
    finish_line(" {", body.comments.behind_open);
    print_comments(body.state_comments, indent + kIndent);
    print_states("active", body.active, indent + kIndent);
    print_states("inactive", body.inactive, indent + kIndent);
    for (const Transition& transition : body.transitions) {
      print_transition(transition, indent + kIndent);
    }
    close(body.comments, indent);
  }

  void print_states(const std::string& word, const std::vector<Name>& states, int indent) {
    if (states.empty()) return;
    Layout layout;
    layout.word(word);
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (i > 0) layout.word(",");
      layout.space();
      if (i > 0) layout.may_break(0);
      layout.word(states[i].text);
    }
    line(layout.lines(indent).substr(static_cast<std::size_t>(indent)), "", indent);
  }

  void print_transition(const Transition& transition, int indent) {
    before(transition.comments, transition.blank_before, indent);
    print_transition_body(transition, indent);
    finish_line("", transition.trailing_comment);
  }

  void print_transition_body(const Transition& transition, int indent) {
    Layout layout;
    print_transition_head(layout, transition);
    const Item* action = only_action(transition);
    if (action != nullptr) {
      Layout whole = layout;
      whole.word(" { ");
      print_node(whole, *action, true);
      whole.word(" }");
      const std::string line = whole.lines(indent);
      const bool fits = line.find('\n') == std::string::npos && utf8::width(line) <= Layout::kWidth;
      if (fits) {
        out_ += line;
        return;
      }
    }
    out_ += layout.lines(indent);
    if (transition.actions.empty() && transition.action_comments.empty()) return;
    print_block(transition.actions, transition.action_comments, indent);
  }

  // A single action without comments stands on the line of its transition, if there is room.
  static const Item* only_action(const Transition& transition) {
    if (transition.actions.size() != 1 || !transition.action_comments.empty()) return nullptr;
    const Item& item = *transition.actions.front();
    return item.comments.empty() && item.trailing_comment.empty() ? &item : nullptr;
  }

  static void print_transition_head(Layout& layout, const Transition& transition) {
    ExprPrinter printer(layout, true);
    layout.word(transition.from.text + " -> " + transition.to.text);
    const std::pair<bool, const char*> clauses[] = {{transition.physical, "after eps"},
                                                    {transition.history, "history"},
                                                    {transition.fallback, "default"},
                                                    {transition.preemptive, "preemptive"},
                                                    {transition.immediate, "immediate"}};
    for (const auto& [stated, words] : clauses) {
      if (!stated) continue;
      layout.space();
      layout.word(words);
    }
    if (transition.priority) {
      layout.space();
      layout.word("priority");
      layout.space();
      printer.expr(*transition.priority, 2);
    }
    layout.space();
    layout.may_break(0);
    layout.word("when");
    layout.space();
    printer.expr(*transition.guard, 1);
  }

  static void print_node(Layout& layout, const Item& item, bool first);

  struct Line {
    std::string text;  // several lines, if an item was broken
    std::string trailing;

    bool aligns() const {
      const bool brace = text.ends_with('{') || text.ends_with('}');
      return !trailing.empty() && !brace && text.find('\n') == std::string::npos;
    }
    bool aligns_with(const Line& other) const {
      return aligns() && other.aligns() &&
             text.find_first_not_of(' ') == other.text.find_first_not_of(' ');
    }
    void append_to(std::string& out, int column) const {
      out += text;
      if (!trailing.empty()) {
        const int pad = aligns() ? column - utf8::width(text) : 0;
        out.append(static_cast<std::size_t>(pad) + 2, ' ');
        out += trailing;
      }
      out += '\n';
    }
  };

  std::vector<Line> lines_;
  std::string out_;  // the line that is being written
};

// Appends one item other than for and if; `first`: with the word that begins it.
class NodePrinter {
 public:
  NodePrinter(Layout& layout, bool first) : line_(layout), printer_(layout, true), first_(first) {}

  void operator()(const Param& param) {
    keyword("param");
    definition(param.name.text, param.value);
  }

  void operator()(const Require& require) {
    keyword("require");
    condition(*require.condition, require.message);
  }

  void operator()(const Assertion& assertion) {
    keyword(assertion.never ? "assert never" : "assert always");
    condition(*assertion.condition, assertion.message);
  }

  void operator()(const Function& function) {
    std::string names;
    for (const Name& name : function.parameters) names += (names.empty() ? "" : ", ") + name.text;
    keyword("function");
    definition(function.name.text + "(" + names + ")", function.value);
  }

  void operator()(const Port& port) {
    keyword(port.kind == Port::Kind::Power   ? "port"
            : port.kind == Port::Kind::Input ? "input"
                                             : "output");
    if (!port.domain.text.empty()) keyword(port.domain.text);
    definition(port.name.text, port.value);
  }

  void operator()(const Declaration& declaration) {
    keyword(declaration.type.text);
    printer_.segment(declaration.name, 1);
    if (declaration.has_parentheses) printer_.arguments(declaration.arguments, 1);
    value(declaration.value);
    if (!declaration.is_placed()) return;
    line_.word(" from ");
    printer_.path(declaration.from, 1);
    line_.word(" to ");
    printer_.path(declaration.to, 1);
  }

  void operator()(const Junction& junction) {
    std::string kind = junction.kind == Junction::Kind::Zero ? "0" : "1";
    if (junction.inactive == Junction::Inactive::Effort) kind += "/E";
    if (junction.inactive == Junction::Inactive::Flow) kind += "/F";
    keyword(kind);
    printer_.segment(junction.name, 1);
    if (junction.is_follower()) {
      line_.word(" follows ");
      printer_.path(junction.follows, 1);
    }
    if (junction.automaton.initial.text.empty()) return;
    line_.space();
    line_.word("initially " + junction.automaton.initial.text);
  }

  void operator()(const BondChain& chain) {
    if (!chain.label.text.empty()) {
      line_.word(chain.label.text);
      printer_.indices(chain.label_indices, 1);
      line_.word(":");
      line_.space();
    }
    paths(chain.ends, "->");
  }

  void operator()(const SignalDefinition& signal) {
    printer_.segment(signal.name, 1);
    value(signal.value);
  }

  void operator()(const Until& until) {
    keyword("until");
    printer_.expr(*until.value, 1);
    if (!until.max_step) return;
    line_.space();
    keyword("max_step");
    printer_.expr(*until.max_step, 1);
  }

  void operator()(const Show& show) {
    keyword("show");
    printer_.list(show.values, 0, &show.units);
  }

  void operator()(const Priority& priority) {
    keyword("priority");
    paths(priority.order, ">");
  }

  // In the order in which a shape is read: where, how large, how it looks, when.
  void operator()(const Shape& shape) {
    const bool line = shape.kind == Shape::Kind::Line;
    keyword(line ? "line" : shape.kind == Shape::Kind::Box ? "box" : "circle");
    printer_.segment(shape.name, 1);
    point(line ? "from" : "at", shape.at);
    point(line ? "to" : "size", shape.end);
    clause("radius", shape.radius);
    clause("angle", shape.angle);
    if (!shape.fill.text.empty()) words("fill", shape.fill.text);
    if (!shape.label.empty()) words("label", encode_string(shape.label));
    clause("when", shape.when);
  }

  void operator()(const Action& action) {
    keyword(action.kind == Action::Kind::Set ? "set" : "output");
    printer_.path(action.target, 1);
    value(action.value);
  }

  // These have bodies, which the printer lays out itself.
  void operator()(const For&) {}
  void operator()(const IfItem&) {}
  void operator()(const WhenItem&) {}
  void operator()(const Modal&) {}
  void operator()(const Mode&) {}
  void operator()(const Transition&) {}
  void operator()(const Animate&) {}

 private:
  // And why, if that is said.
  void condition(const Expr& expr, const std::string& message) {
    printer_.expr(expr, 1);
    if (message.empty()) return;
    line_.word(",");
    line_.space();
    line_.may_break(0);
    line_.word(encode_string(message));
  }

  void keyword(const std::string& text) {
    if (!first_) return;
    line_.word(text);
    line_.space();
  }

  void definition(const std::string& name, const ExprPtr& expr) {
    line_.word(name);
    value(expr);
  }

  void value(const ExprPtr& expr) {
    if (!expr) return;
    printer_.assign();
    printer_.expr(*expr, 1);
  }

  void clause_word(const std::string& word) {
    line_.space();
    line_.may_break(0);
    line_.word(word);
    line_.space();
  }

  void words(const std::string& word, const std::string& text) {
    clause_word(word);
    line_.word(text);
  }

  void clause(const std::string& word, const ExprPtr& expr) {
    if (!expr) return;
    clause_word(word);
    printer_.expr(*expr, 1);
  }

  void point(const std::string& word, const Point& point) {
    if (!point.y) return clause(word, point.x);
    clause_word(word);
    line_.word("(");
    printer_.expr(*point.x, 2);
    line_.word(",");
    line_.space();
    line_.may_break(1);
    printer_.expr(*point.y, 2);
    line_.word(")");
  }

  void paths(const std::vector<Path>& paths, const std::string& between) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (i > 0) {
        line_.space();
        line_.word(between);
        line_.space();
        line_.may_break(0);
      }
      printer_.path(paths[i], 1);
    }
  }

  Layout& line_;
  ExprPrinter printer_;
  bool first_;
};

void Printer::print_node(Layout& layout, const Item& item, bool first) {
  std::visit(NodePrinter(layout, first), item.node);
}

}  // namespace

std::string print(const Tree& tree) { return Printer().run(tree); }

}  // namespace cradle::syntax
