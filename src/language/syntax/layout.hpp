#pragma once
// One item as words with places to break between them, laid out on as many lines as it needs.

#include <string>
#include <vector>

namespace cradle::syntax {

class Layout {
 public:
  static constexpr int kWidth = 100;
  static constexpr int kContinuation = 4;
  static constexpr int kLastResort = 1 << 20;  // a depth: break here only if nowhere else

  void word(std::string text);
  void space(int count = 1) { spaces_ = count; }
  // The next word may begin a line. Of the breaks that would do, one of the least depth is taken,
  // and of these the last.
  void may_break(int depth) { depth_ = depth; }
  void must_break() { must_break_ = !words_.empty(); }
  bool breaks_here() const { return must_break_; }
  // A comment between words: // ends its line, and so does /* */ if it has several.
  void comment(const std::string& text);

  std::string lines(int indent) const;  // without a newline at the end
  std::string one_line() const;

 private:
  static constexpr int kNoBreak = 1 << 30;
  struct Word {
    std::string text;
    int width = 0;
    int spaces = 0;
    int depth = kNoBreak;
    bool must_break = false;
  };
  std::size_t end_of_line(std::size_t begin, int column) const;

  std::vector<Word> words_;
  int spaces_ = 0;
  int depth_ = kNoBreak;
  bool must_break_ = false;
};

}  // namespace cradle::syntax
