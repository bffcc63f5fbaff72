#pragma once
// Just enough UTF-8: one code point at a time, never reading past the end, bad bytes one by one.

#include <cstddef>
#include <string_view>

namespace cradle::utf8 {

struct CodePoint {
  char32_t value = 0xFFFD;
  int length = 1;  // bytes taken
  bool valid = false;
};

inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The code point that begins at `at` (which is inside the text). Overlong forms, surrogates and
// values over U+10FFFF are invalid, as RFC 3629 wants; an invalid byte is taken alone.
inline CodePoint decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const int length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + static_cast<std::size_t>(length) > text.size())
    return {};
  char32_t value = first & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) {
    if (!is_continuation(text[at + static_cast<std::size_t>(i)])) return {};
    value = (value << 6) | (byte(at + static_cast<std::size_t>(i)) & 0x3Fu);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length, true};
}

// The number of code points, a bad byte counting as one.
inline int width(std::string_view text) {
  int count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    at += static_cast<std::size_t>(decode(text, at).length);
  }
  return count;
}

}  // namespace cradle::utf8
