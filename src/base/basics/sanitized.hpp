#pragma once
// Under the sanitizers everything is ten times as slow. What they look for is in the code that
// runs, not in how many numbers it runs on: where a test tries many of these, it tries fewer there.

namespace cradle {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace cradle
