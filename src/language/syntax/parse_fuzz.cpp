// Whatever the bytes, parsing comes back; and what parses is printed so that it parses again and
// prints the same.

#include <string>

#include "base/basics/assert.hpp"
#include "language/syntax/tree.hpp"

using namespace cradle;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  Sources sources;
  Diagnostics diagnostics;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const syntax::Tree tree = syntax::parse(sources, sources.add("fuzz.cradle", text), diagnostics);
  const std::string printed = print(tree);
  if (diagnostics.has_errors()) {
    for (const Diagnostic& item : diagnostics.items()) render_text(item, sources);
    render_json(diagnostics.items(), sources);
    return 0;
  }
  const syntax::Tree again =
      syntax::parse(sources, sources.add("again.cradle", printed), diagnostics);
  CRADLE_ASSERT(!diagnostics.has_errors(), "what is printed parses");
  CRADLE_ASSERT(print(again) == printed, "what is printed prints the same");
  return 0;
}
