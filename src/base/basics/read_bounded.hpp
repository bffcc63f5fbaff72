#pragma once
// A text that is read whole has an end: a device without one, or a file that nobody meant, is
// refused before it fills the memory.

#include <cstddef>
#include <istream>
#include <string>

namespace cradle {

inline constexpr std::size_t kMaxModelBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxRunBytes = std::size_t{2} << 30;  // a recorded run

// False: there are more bytes than `most`.
inline bool read_bounded(std::istream& in, std::size_t most, std::string& text) {
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  text.clear();
  while (in) {
    const std::size_t size = text.size();
    text.resize(size + kChunk);
    in.read(text.data() + size, static_cast<std::streamsize>(kChunk));
    text.resize(size + static_cast<std::size_t>(in.gcount()));
    if (text.size() > most) return false;
  }
  return true;
}

}  // namespace cradle
