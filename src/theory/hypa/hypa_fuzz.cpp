// Whatever the bytes, they are read as processes or refused; what is read can be printed and read
// again.

#include <string>

#include "base/basics/assert.hpp"
#include "theory/hypa/parse.hpp"
#include "theory/hypa/print.hpp"

using namespace cradle;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  Diagnostics diagnostics;
  const hypa::Specification once =
      hypa::parse(text, sources.add("fuzz.hypa", text), diagnostics, {});
  for (const Diagnostic& item : diagnostics.items()) render_text(item, sources);
  if (diagnostics.has_errors()) return 0;
  const std::string written = hypa::to_string(once);
  Diagnostics again;
  hypa::parse(written, sources.add("again.hypa", written), again, {});
  CRADLE_ASSERT(!again.has_errors(), "what is printed is read back");
  return 0;
}
