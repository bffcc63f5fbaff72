// Whatever the bytes, elaboration comes back, and hands out a model just when there is no error.
// Numbers stand for overrides and imports, too: a file may import itself.

#include <string>

#include "base/basics/assert.hpp"
#include "language/model/elaborate.hpp"

using namespace cradle;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  model::Loader loader;
  loader.resolve = [&text](const std::string& path,
                           const std::string&) -> std::optional<model::Loader::File> {
    if (path.size() > 1) return std::nullopt;
    return model::Loader::File{path, text};
  };
  const model::Loaded loaded = elaborate({"fuzz.cradle", text}, loader, {{"N", 3}});
  for (const Diagnostic& item : loaded.diagnostics.items()) render_text(item, loaded.sources);
  CRADLE_ASSERT((loaded.model == nullptr) == loaded.diagnostics.has_errors(),
                "a model just when there is no error");
  if (loaded.model == nullptr) return 0;
  for (const std::string& name : loaded.model->readable_names()) {
    CRADLE_ASSERT(loaded.model->find(name).has_value(), "a readable name is found");
  }
  return 0;
}
