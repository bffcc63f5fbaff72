#pragma once
// Diagnostics of elaboration. What is wrong inside a loop or a component is wrong in every turn and
// in every instance, and is reported once; a flood of errors is cut off.

#include <string>
#include <unordered_set>
#include <vector>

#include "cradle/diagnostic.hpp"
#include "language/model/scope.hpp"

namespace cradle::model {

class Report {
 public:
  explicit Report(const Sources& sources) : sources_(sources) {}

  // Says also in which instance and in which turn of its loops, if there are any.
  void add(Diagnostic diagnostic, const Place& place);
  void add(Diagnostic diagnostic);

  // Whether this has been said of this place; for messages that are costly to make.
  bool said(const std::string& kind, Span span) const;

  // The text as the user wrote it, shortened to one line.
  std::string source_text(Span span) const;
  const Sources& sources() const { return sources_; }
  bool has_errors() const { return errors_ > 0; }
  // What was said, from the top of the text to its end: passes find it in another order.
  void move_to(Diagnostics& out);

 private:
  static std::string key(const std::string& kind, Span span);

  const Sources& sources_;
  std::vector<Diagnostic> found_;
  std::unordered_set<std::string> seen_;
  int errors_ = 0, warnings_ = 0;
};

inline constexpr int kMaxReported = 100;

// "did you mean body1?", or empty.
std::string did_you_mean(const std::string& wrong, const std::vector<std::string>& candidates);

}  // namespace cradle::model
