#include "language/syntax/layout.hpp"

#include "base/diagnostics/utf8.hpp"

namespace cradle::syntax {

void Layout::word(std::string text) {
  Word word;
  word.width = utf8::width(text);
  word.text = std::move(text);
  word.spaces = spaces_;
  word.depth = depth_;
  word.must_break = must_break_;
  words_.push_back(std::move(word));
  spaces_ = 0;
  depth_ = kNoBreak;
  must_break_ = false;
}

void Layout::comment(const std::string& text) {
  if (text.starts_with("//") && spaces_ > 0) space(2);
  word(text);
  if (text.starts_with("//") || text.find('\n') != std::string::npos)
    must_break();
  else
    space();
}

// The word that begins the line behind the one that begins with `begin`.
std::size_t Layout::end_of_line(std::size_t begin, int column) const {
  std::size_t best = words_.size();
  int depth = kNoBreak;
  column += words_[begin].width;
  for (std::size_t i = begin + 1; i < words_.size(); ++i) {
    const Word& word = words_[i];
    if (word.must_break && column <= kWidth) return i;
    if (word.must_break) return best < i ? best : i;
    if (column > kWidth && best < words_.size()) return best;
    if (word.depth <= depth && word.depth < kNoBreak) {
      depth = word.depth;
      best = i;
    }
    column += word.spaces + word.width;
  }
  return column <= kWidth ? words_.size() : best;
}

std::string Layout::lines(int indent) const {
  std::string out;
  for (std::size_t begin = 0; begin < words_.size();) {
    const int column = begin == 0 ? indent : indent + kContinuation;
    if (begin > 0) out += '\n';
    out.append(static_cast<std::size_t>(column), ' ');
    const std::size_t end = end_of_line(begin, column);
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) out.append(static_cast<std::size_t>(words_[i].spaces), ' ');
      out += words_[i].text;
    }
    begin = end;
  }
  return out;
}

std::string Layout::one_line() const {
  std::string out;
  for (const Word& word : words_) {
    if (!out.empty()) out.append(static_cast<std::size_t>(word.spaces), ' ');
    out += word.text;
  }
  return out;
}

}  // namespace cradle::syntax
