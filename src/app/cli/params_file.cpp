#include "app/cli/params_file.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/cli/arguments.hpp"
#include "app/cli/failure.hpp"
#include "app/cli/output_file.hpp"

namespace cradle::cli {
namespace {

constexpr int kMaxDepth = 64;  // of component in component, as the language has it

// Goes through the text once, and writes it once more as the language can read the values: texts
// without their quotes, lists in brackets. Lines stay lines, so that places stay what they are.
class Reader {
 public:
  Reader(const std::string& file, const std::string& text) : file_(file), text_(text) {}

  std::vector<Setting> read() {
    if (text_.starts_with("\xEF\xBB\xBF")) copy(3);  // byte order mark
    skip_blank_lines();
    if (starts("---")) copy_line(), skip_blank_lines();
    if (at_ == text_.size()) refuse("there is no value in it", "write lines of name: value");
    if (peek() == '[') refuse("a list has no names", "write {\"name\": value}");
    if (peek() == '{') {
      flow_object("");
      skip_blank_lines();
    } else {
      block_object("", column(), 0);
    }
    if (at_ < text_.size())
      refuse("nothing more is expected here", "indent names of one part alike");
    return settings();
  }

 private:
  struct Found {
    std::string name;
    std::size_t begin, end;  // in written_
  };

  // ---- the text -------------------------------------------------------------------------------

  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw Failure(kWrongUsage, "--params: " + file_ + ":" + std::to_string(line + 1) + ": " + what +
                                   "\n  help: " + help);
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view word) const {
    return std::string_view(text_).substr(at_).starts_with(word);
  }
  bool at_line_end() const { return at_ == text_.size() || peek() == '\n'; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  bool at_comment() const {
    return peek() == '#' && (at_ == 0 || is_blank(text_[at_ - 1]) || text_[at_ - 1] == '\n');
  }
  std::size_t column() const {
    const auto newline = at_ == 0 ? std::string::npos : text_.rfind('\n', at_ - 1);
    return newline == std::string::npos ? at_ : at_ - newline - 1;
  }

  void copy(std::size_t count = 1) {
    written_.append(text_, at_, count);
    at_ += count;
  }
  void blank() {
    written_ += ' ';
    ++at_;
  }
  void copy_line() {
    while (!at_line_end()) copy();
  }
  void skip_blanks() {
    while (is_blank(peek())) copy();
  }
  // A comment would not be one in the language.
  void skip_to_line_end(const std::string& behind) {
    skip_blanks();
    if (at_comment()) {
      while (!at_line_end()) blank();
    }
    if (!at_line_end())
      refuse("there is more behind " + behind, "write each name on a line of its own");
  }
  // To the next character that says something.
  void skip_blank_lines() {
    while (at_ < text_.size()) {
      if (at_comment()) {
        while (!at_line_end()) blank();
      } else if (is_blank(peek()) || peek() == '\n') {
        copy();
      } else {
        return;
      }
    }
  }

  // ---- names and values -----------------------------------------------------------------------

  void add(const std::string& name, std::size_t begin, std::size_t end) {
    while (begin < end && (is_blank(written_[begin]) || written_[begin] == '\n')) ++begin;
    while (begin < end && (is_blank(written_[end - 1]) || written_[end - 1] == '\n')) --end;
    const std::string_view value = std::string_view(written_).substr(begin, end - begin);
    if (value.empty() || value == "null" || value == "~") {
      refuse(name + " has no value", "write " + name + ": 1, or leave it out");
    }
    found_.push_back({name, begin, end});
    const auto [known, is_new] = lines_.try_emplace(name, line_of(begin));
    if (is_new) return;
    refuse(name + " is given twice, first in line " + std::to_string(known->second),
           "leave one of them");
  }
  // Values are found one behind the other.
  std::size_t line_of(std::size_t written) {
    const auto from = written_.begin() + static_cast<std::ptrdiff_t>(counted_);
    const auto to = written_.begin() + static_cast<std::ptrdiff_t>(written);
    line_ += static_cast<std::size_t>(std::count(from, to, '\n'));
    counted_ = written;
    return line_;
  }

  static std::string within(const std::string& outer, const std::string& name) {
    return outer.empty() ? name : outer + "." + name;
  }

  // Where the text in quotes that begins here ends, behind its last quote.
  std::size_t end_of_quoted() const {
    const char quote = peek();
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' && quote == '"' ? 2 : 1;
    }
    if (end >= text_.size() || text_[end] != quote) {
      refuse("a text does not end on its line", std::string("write ") + quote + " at its end");
    }
    return end + 1;
  }
  // What it says, without line breaks.
  std::string decoded(std::size_t end) const {
    const std::string whole = text_.substr(at_, end - at_);
    if (whole.front() == '\'') return whole.substr(1, whole.size() - 2);
    const auto text = nlohmann::json::parse(whole, nullptr, false);
    if (!text.is_string()) {
      refuse("the text " + whole + " is none in JSON", "write \\\\ for a backslash");
    }
    auto out = text.get<std::string>();
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }
  // As long as it was, if it holds nothing that is written otherwise.
  void quoted_value() {
    const std::size_t end = end_of_quoted();
    written_ += ' ' + decoded(end) + ' ';
    at_ = end;
  }
  std::string quoted_name() {
    const std::size_t end = end_of_quoted();
    std::string name = decoded(end);
    copy(end - at_);
    return name;
  }

  static bool is_number_of_the_language(std::string_view value) {
    if (value.starts_with('-')) value.remove_prefix(1);
    return !value.empty() && value.front() >= '0' && value.front() <= '9' && value.back() != '.';
  }

  // A value without quotes, up to one of `ends` outside parentheses and brackets, or the end of the
  // line.
  void plain_value(std::string_view ends) {
    if (const char first = peek(); std::string_view("&*|>!%@`").find(first) != std::string::npos) {
      refuse(std::string("what YAML means by ") + first + " is not read here",
             "write the value itself, a text in quotes");
    }
    const std::size_t begin = at_;
    int depth = 0;
    while (!at_line_end() && !at_comment()) {
      if (depth == 0 && ends.find(peek()) != std::string_view::npos) break;
      depth += peek() == '(' || peek() == '[' ? 1 : peek() == ')' || peek() == ']' ? -1 : 0;
      ++at_;
    }
    std::size_t end = at_;
    while (end > begin && is_blank(text_[end - 1])) --end;
    const std::string value = text_.substr(begin, end - begin);
    // A file may write numbers as the language does not: +4, .5
    const auto number = is_number_of_the_language(value) ? std::nullopt : parse_number(value);
    written_ += number ? Setting("", *number).value : value;
    written_.append(text_, end, at_ - end);
  }

  // ---- brackets, as in JSON -------------------------------------------------------------------

  class Nest {
   public:
    explicit Nest(Reader& reader) : reader_(reader) {
      if (++reader_.depth_ > kMaxDepth) {
        reader_.refuse("this is nested too deeply", "write d1.v_on for what is inside of d1");
      }
    }
    ~Nest() { --reader_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    Reader& reader_;
  };

  // Behind an item: false at the end, which is taken.
  bool another(char close, const std::string& of) {
    skip_blank_lines();
    if (peek() == close) return copy(), false;
    if (peek() != ',') {
      refuse("expected , or " + std::string(1, close) + " in " + of,
             std::string("write ") + close + " where it ends, and , between its items");
    }
    copy();
    skip_blank_lines();
    return true;
  }

  void flow_object(const std::string& outer) {
    const Nest nest(*this);
    copy();
    skip_blank_lines();
    if (peek() == '}') return copy();
    do {
      const std::string name = flow_name();
      flow_member(within(outer, name));
    } while (another('}', outer.empty() ? "the braces" : "the braces of " + outer));
  }
  std::string flow_name() {
    std::string name;
    if (peek() == '"' || peek() == '\'') {
      name = quoted_name();
    } else {
      while (!at_line_end() && std::string_view(":,{}\"").find(peek()) == std::string_view::npos) {
        name += peek();
        copy();
      }
      while (!name.empty() && is_blank(name.back())) name.pop_back();
    }
    skip_blank_lines();
    if (name.empty() || peek() != ':') {
      refuse("expected a name and :", "write \"name\": value");
    }
    copy();
    skip_blank_lines();
    return name;
  }
  void flow_member(const std::string& name) {
    if (peek() == '{') return flow_object(name);
    if (peek() == '[' && flow_objects(name)) return;
    const std::size_t begin = written_.size();
    flow_value(name);
    add(name, begin, written_.size());
  }
  // A list of objects: those of a family, counted from 1.
  bool flow_objects(const std::string& name) {
    std::size_t next = at_ + 1;
    while (next < text_.size() && (is_blank(text_[next]) || text_[next] == '\n')) ++next;
    if (next == text_.size() || text_[next] != '{') return false;
    const Nest nest(*this);
    copy();
    skip_blank_lines();
    std::size_t count = 0;
    do {
      if (peek() != '{') refuse("braces and values stand in one list", "give each item its braces");
      flow_object(name + "[" + std::to_string(++count) + "]");
    } while (another(']', "the list of " + name));
    return true;
  }
  void flow_value(const std::string& name) {
    if (peek() == '"' || peek() == '\'') return quoted_value();
    if (peek() == '{') refuse("braces and values stand in one list", "give each item its braces");
    if (peek() != '[') return plain_value(",]}");
    const Nest nest(*this);
    copy();
    skip_blank_lines();
    if (peek() == ']') return copy();
    do {
      flow_value(name);
    } while (another(']', "the list of " + name));
  }

  // ---- lines, as in YAML ----------------------------------------------------------------------

  // Names in this column, until one stands further left.
  void block_object(const std::string& outer, std::size_t indent, std::size_t least) {
    const Nest nest(*this);
    while (at_ < text_.size() && column() >= least && !starts("...")) {
      require_no_tab();
      if (column() != indent) {
        if (column() < indent) return;
        refuse("this line is indented further than those above",
               "let names of one part begin in one column");
      }
      block_member(outer);
      skip_blank_lines();
    }
    if (starts("...")) copy_line();
  }
  void require_no_tab() const {
    const std::size_t begin = at_ - column();
    if (text_.find('\t', begin) >= at_) return;
    refuse("a tab says nothing about how far a line is indented", "indent it with blanks");
  }
  void block_member(const std::string& outer) {
    const std::size_t indent = column();
    const std::string name = within(outer, block_name());
    skip_blanks();
    const std::size_t begin = written_.size();
    if (at_line_end() || at_comment()) {
      skip_blank_lines();
      const bool dash = peek() == '-' && (is_blank(peek(1)) || peek(1) == '\n');
      if (at_ < text_.size() && dash && column() >= indent) return block_list(name, column());
      if (at_ < text_.size() && column() > indent) return block_object(name, column(), indent + 1);
      return add(name, begin, begin);
    }
    block_value(name);
  }
  std::string block_name() {
    std::string name;
    if (peek() == '"' || peek() == '\'') {
      name = quoted_name();
      skip_blanks();
    } else {
      while (!at_line_end() && peek() != ':' && !at_comment()) {
        name += peek();
        copy();
      }
      while (!name.empty() && is_blank(name.back())) name.pop_back();
    }
    const bool ends = peek() == ':' && (is_blank(peek(1)) || peek(1) == '\n' || peek(1) == '\0');
    if (name.empty() || !ends) {
      refuse(peek() == ':' && !name.empty() ? "there is no blank behind the :"
                                            : "expected a name and :",
             "write name: value");
    }
    copy();
    return name;
  }
  void block_value(const std::string& name) {
    if (peek() == '{' || peek() == '[') {
      flow_member(name);
    } else {
      const std::size_t begin = written_.size();
      block_scalar();
      add(name, begin, written_.size());
    }
    skip_to_line_end("the value of " + name);
  }
  void block_scalar() {
    if (peek() == '"' || peek() == '\'') return quoted_value();
    plain_value("");
  }
  // - 1 and below it - 2, written as [1, 2].
  void block_list(const std::string& name, std::size_t indent) {
    const std::size_t begin = written_.size();
    char before = '[';
    while (at_ < text_.size() && column() == indent && peek() == '-') {
      ++at_;
      written_ += std::exchange(before, ',');
      skip_blanks();
      if (at_line_end()) refuse("there is no value behind the -", "write - 1");
      if (peek() == '[') {
        flow_value(name);
      } else {
        require_no_name(name);
        block_scalar();
      }
      skip_to_line_end("an item of " + name);
      if (!at_next_item(indent)) break;
      skip_blank_lines();
    }
    written_ += ']';
    add(name, begin, written_.size());
    skip_blank_lines();
  }
  // Looks on without going there.
  bool at_next_item(std::size_t indent) {
    const std::size_t here = at_, length = written_.size();
    skip_blank_lines();
    const bool more = at_ < text_.size() && column() == indent && peek() == '-';
    at_ = here;
    written_.resize(length);
    return more;
  }
  void require_no_name(const std::string& name) const {
    const std::string_view line = std::string_view(text_).substr(at_, text_.find('\n', at_) - at_);
    const bool named = line.find(": ") != std::string_view::npos || line.ends_with(':');
    if (peek() != '{' && (!named || peek() == '"' || peek() == '\'')) return;
    refuse("names behind a - are not read here",
           "write " + name + "[1]: and below it, indented, its names");
  }

  std::vector<Setting> settings() {
    const auto file = std::make_shared<const SettingsFile>(SettingsFile{file_, written_});
    std::vector<Setting> out;
    for (const Found& found : found_) {
      Setting setting(found.name, written_.substr(found.begin, found.end - found.begin));
      setting.file = file;
      setting.begin = static_cast<int32_t>(found.begin);
      out.push_back(std::move(setting));
    }
    return out;
  }

  const std::string& file_;
  const std::string& text_;
  std::size_t at_ = 0;
  std::string written_;
  int depth_ = 0;
  std::vector<Found> found_;
  std::map<std::string, std::size_t> lines_;  // of what was found
  std::size_t line_ = 1, counted_ = 0;        // of written_, up to there
};

}  // namespace

std::vector<Setting> parse_params(const std::string& file, const std::string& text) {
  return Reader(file, text).read();
}

std::vector<Setting> read_params(const std::string& file) {
  if (file == "-") throw Failure(kWrongUsage, "--params takes a file, and not the standard input");
  return parse_params(file, read_text(file, kWrongUsage));
}

}  // namespace cradle::cli
