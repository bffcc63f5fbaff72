#pragma once
// What is wrong with a model, in the user's own names: a stable kind, the place, the rule, a way
// out. Rendered as text for people (render_text) and as JSON for tools (render_json).
//
//   error[constructive.loop]: 4 signals stay unknown at ⟨0, 0⟩
//     at loop.cradle:7:1
//     7 │ y = x + z
//       │ ^ needs x
//     loop: y → x → y
//     help: put an integral, a delay or an fby on the loop

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cradle {

// A half-open range of bytes in one source file. file < 0: no place is known.
struct Span {
  int32_t file = -1;
  int32_t begin = 0;
  int32_t end = 0;
  bool known() const { return file >= 0; }
};

// The files that were read, so that spans can be shown. File ids are indices.
struct SourceFile {
  std::string name;  // as the user wrote it, or as an import resolved it
  std::string text;
};

class Sources {
 public:
  int32_t add(std::string name, std::string text);
  const SourceFile& file(int32_t id) const { return files_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return files_.size(); }
  struct Position {
    int line = 0;    // from 1
    int column = 0;  // from 1, in code points
  };
  Position position(int32_t file, int32_t offset) const;
  std::string line_text(int32_t file, int line) const;  // without the newline

 private:
  std::vector<SourceFile> files_;
  std::vector<std::vector<int32_t>> line_starts_;
};

enum class Severity { Error, Warning };

struct Diagnostic {
  struct Label {
    Span span;
    std::string text;  // said under the marked place; may be empty
  };
  struct Note {
    std::string key;  // "loop", "known", "modes", "rule", "help", "cycle", …
    std::string text;
  };
  Severity severity = Severity::Error;
  std::string kind;           // stable, dotted: "syntax.expected", "name.unknown", …
  std::string message;        // lower case, states the situation
  std::vector<Label> labels;  // the first is the place; others are shown in order of line
  std::vector<Note> notes;

  Diagnostic() = default;
  Diagnostic(std::string kind_, std::string message_)
      : kind(std::move(kind_)), message(std::move(message_)) {}
  Diagnostic& at(Span span, std::string text = {}) {
    labels.push_back({span, std::move(text)});
    return *this;
  }
  Diagnostic& note(std::string key, std::string text) {
    notes.push_back({std::move(key), std::move(text)});
    return *this;
  }
  Diagnostic& rule(std::string text) { return note("rule", std::move(text)); }
  Diagnostic& help(std::string text) { return note("help", std::move(text)); }
  Diagnostic& warning() {
    severity = Severity::Warning;
    return *this;
  }
};

class Diagnostics {
 public:
  Diagnostic& add(Diagnostic diagnostic) {
    if (diagnostic.severity == Severity::Error) ++errors_;
    items_.push_back(std::move(diagnostic));
    return items_.back();
  }
  bool has_errors() const { return errors_ > 0; }
  int error_count() const { return errors_; }
  const std::vector<Diagnostic>& items() const { return items_; }

 private:
  std::vector<Diagnostic> items_;
  int errors_ = 0;
};

std::string render_text(const Diagnostic& diagnostic, const Sources& sources);
std::string render_json(const std::vector<Diagnostic>& diagnostics, const Sources& sources);

// Safe to show in a terminal: what would steer it (control characters but for tab and newline,
// marks that turn the direction of writing) and bytes that are no UTF-8 are replaced by U+FFFD.
std::string printable(std::string_view text);

// The nearest of the candidates by edit distance, or empty if none is near enough to suggest.
std::string suggest(const std::string& wrong, const std::vector<std::string>& candidates);

}  // namespace cradle
