#pragma once
// CRADLE_LEAK_SANITIZER: leaks are looked for, and those of others' libraries must be excused.

#if defined(__SANITIZE_ADDRESS__)
#define CRADLE_LEAK_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CRADLE_LEAK_SANITIZER
#endif
#endif
