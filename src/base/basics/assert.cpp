#include "base/basics/assert.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cradle {

void assertion_failed(const char* condition, const char* file, int line, const char* why) {
  const char* name = std::strrchr(file, '/');
  std::fprintf(stderr, "cradle: a bug in Cradle itself: %s (%s) at %s:%d\n", why, condition,
               name != nullptr ? name + 1 : file, line);
  std::abort();
}

}  // namespace cradle
