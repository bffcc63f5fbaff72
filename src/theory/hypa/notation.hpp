#pragma once
// The signs of the notation, for printer and parser.

#include <string>
#include <string_view>

#include "theory/hypa/vocabulary.hpp"

namespace cradle::hypa::notation {

inline constexpr std::string_view kDefines = "≈", kThen = "≫", kOr = "⊕", kDisrupt = "▶",
                                  kParallel = "∥";
inline constexpr std::string_view kBefore = "⁻", kAfter = "⁺", kChange = "′", kTried = "°",
                                  kDot = "\xCC\x87";  // a dot above the letter before it
inline constexpr std::string_view kBound = "ξ";       // the variable of an integral

// One of the words of the notation, which as a name stand in `…`.
bool is_word(std::string_view name);
// Can the name stand without `…`?
bool is_plain(std::string_view name);

}  // namespace cradle::hypa::notation
