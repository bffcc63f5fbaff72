// The layout for people:
//
//   error[kind]: message
//     at file:line:column
//    21 │ on -> off when D.f < 0
//       │                ^^^^^^^ what is said of this place
//     rule: …
//     help: …
//
// Lines are shown in order, without the indentation that they share; labels in another file than
// the first follow under their own "at".

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics/utf8.hpp"
#include "cradle/diagnostic.hpp"

namespace cradle {
namespace {

constexpr int kMaxColumns = 120;   // longer lines are shown as a window around the first mark
constexpr int kWindowBefore = 40;  // columns kept to the left of that mark

struct Mark {
  int line = 0;
  int begin = 0;  // columns from 0
  int end = 0;
  std::string text;
};

// The columns of [from, to) that the line has, one for each code point, safe to print. No more of
// the line is looked at: it may be a whole file.
std::vector<std::string> cells_of(std::string_view line, int from, int to) {
  std::vector<std::string> cells;
  std::size_t at = 0;
  for (int column = 0; column < to && at < line.size(); ++column) {
    const auto length = static_cast<std::size_t>(utf8::decode(line, at).length);
    if (column >= from) {
      cells.push_back(line[at] == '\t' ? " " : printable(line.substr(at, length)));
    }
    at += length;
  }
  return cells;
}

// How many columns a line has, counted no further than `most`.
int columns_of(std::string_view line, int most) {
  int count = 0;
  for (std::size_t at = 0; at < line.size() && count < most; ++count) {
    at += static_cast<std::size_t>(utf8::decode(line, at).length);
  }
  return count;
}

int indentation(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return static_cast<int>(first == std::string::npos ? line.size() : first);
}

Mark mark_of(const Diagnostic::Label& label, const Sources& sources) {
  const Sources::Position begin = sources.position(label.span.file, label.span.begin);
  const Sources::Position end = sources.position(label.span.file, label.span.end);
  Mark mark{begin.line, begin.column - 1, end.column - 1, label.text};
  if (end.line != begin.line) {
    mark.end = utf8::width(sources.line_text(label.span.file, begin.line));
  }
  mark.end = std::max(mark.end, mark.begin + 1);
  return mark;
}

std::string gutter(const std::string& number, std::size_t width) {
  return std::string(width - std::min(width, number.size()), ' ') + number + " │ ";
}

// The part of a line that is shown: columns [from, to).
struct Window {
  int from = 0;
  int to = 0;
  bool cut_left = false;
  bool cut_right = false;
};

Window window_of(int columns, int shared_indent, int first_mark) {
  Window window{std::min(shared_indent, columns), columns, false, false};
  if (columns - window.from <= kMaxColumns) return window;
  window.from = std::max(window.from, first_mark - kWindowBefore);
  window.cut_left = window.from > shared_indent;
  window.to = std::min(columns, window.from + kMaxColumns);
  window.cut_right = window.to < columns;
  return window;
}

void render_line(std::string& out, const std::string& line, const std::vector<Mark>& marks,
                 int shared_indent, std::size_t width) {
  const int first = marks.front().begin;
  const int columns = columns_of(line, first + shared_indent + 2 * kMaxColumns);
  const Window window = window_of(columns, shared_indent, first);
  out += gutter(std::to_string(marks.front().line), width);
  if (window.cut_left) out += "…";
  for (const std::string& cell : cells_of(line, window.from, window.to)) out += cell;
  if (window.cut_right) out += "…";
  out += '\n';
  for (const Mark& mark : marks) {
    const int begin = std::clamp(mark.begin, window.from, std::max(window.from, window.to));
    const int end = std::clamp(mark.end, begin + 1, std::max(window.to, begin + 1));
    out += gutter("", width);
    if (window.cut_left) out += ' ';
    out.append(static_cast<std::size_t>(begin - window.from), ' ');
    out.append(static_cast<std::size_t>(end - begin), '^');
    if (!mark.text.empty()) out += " " + printable(mark.text);
    out += '\n';
  }
}

void render_file(std::string& out, int32_t file, std::vector<Mark> marks, const Sources& sources) {
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.line < b.line; });
  int shared_indent = marks.front().begin;
  for (const Mark& mark : marks) {
    const int indent = indentation(sources.line_text(file, mark.line));
    shared_indent = std::min({shared_indent, indent, mark.begin});
  }
  const std::size_t width = std::max<std::size_t>(3, std::to_string(marks.back().line).size());
  for (std::size_t i = 0; i < marks.size();) {
    std::vector<Mark> on_line;
    const int line = marks[i].line;
    for (; i < marks.size() && marks[i].line == line; ++i) on_line.push_back(marks[i]);
    render_line(out, sources.line_text(file, line), on_line, shared_indent, width);
  }
}

// Every file that is marked, the first label's file first, each once.
std::vector<int32_t> files_of(const Diagnostic& diagnostic) {
  std::vector<int32_t> files;
  for (const Diagnostic::Label& label : diagnostic.labels) {
    const int32_t file = label.span.file;
    if (!label.span.known()) continue;
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  return files;
}

void render_places(std::string& out, const Diagnostic& diagnostic, const Sources& sources) {
  for (const int32_t file : files_of(diagnostic)) {
    std::vector<Mark> marks;
    for (const Diagnostic::Label& label : diagnostic.labels) {
      if (label.span.file != file) continue;
      if (marks.empty()) {
        const Sources::Position at = sources.position(file, label.span.begin);
        out += "  at " + printable(sources.file(file).name) + ":" + std::to_string(at.line) + ":" +
               std::to_string(at.column) + "\n";
      }
      marks.push_back(mark_of(label, sources));
    }
    render_file(out, file, std::move(marks), sources);
  }
}

void render_note(std::string& out, const Diagnostic::Note& note) {
  out += "  " + note.key + ": ";
  const std::string indent(static_cast<std::size_t>(utf8::width(note.key)) + 4, ' ');
  for (const char c : printable(note.text)) {
    out += c;
    if (c == '\n') out += indent;
  }
  out += '\n';
}

bool steers_a_terminal(char32_t point) {
  if (point == '\n' || point == '\t') return false;
  const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
  const bool direction = (point >= 0x202A && point <= 0x202E) ||
                         (point >= 0x2066 && point <= 0x2069) || point == 0x200E || point == 0x200F;
  return control || direction || point == 0x2028 || point == 0x2029;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8::CodePoint point = utf8::decode(text, at);
    const auto length = static_cast<std::size_t>(point.length);
    if (!point.valid || steers_a_terminal(point.value)) {
      out += "\uFFFD";
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

std::string render_text(const Diagnostic& diagnostic, const Sources& sources) {
  std::string out = diagnostic.severity == Severity::Error ? "error" : "warning";
  out += "[" + diagnostic.kind + "]: " + printable(diagnostic.message) + "\n";
  render_places(out, diagnostic, sources);
  for (const Diagnostic::Note& note : diagnostic.notes) render_note(out, note);
  return out;
}

}  // namespace cradle
