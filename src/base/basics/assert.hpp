#pragma once
// Our own bugs end here: an assertion that is on in every build.

namespace cradle {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const char* why);

}  // namespace cradle

#define CRADLE_ASSERT(condition, why) \
  ((condition) ? static_cast<void>(0) \
               : ::cradle::assertion_failed(#condition, __FILE__, __LINE__, why))
