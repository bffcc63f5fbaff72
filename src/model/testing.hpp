#pragma once
// For the tests of this room: models from text, and files of the tree.

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "model/elaborate.hpp"

namespace cradle::model::testing {

inline std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Imports from `files`, by the name as written.
inline Loaded elaborate_text(const std::string& text, const std::vector<Override>& overrides = {},
                             const std::map<std::string, std::string>& files = {}) {
  Loader loader;
  loader.resolve = [&files](const std::string& path,
                            const std::string&) -> std::optional<Loader::File> {
    auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return Loader::File{path, found->second};
  };
  return elaborate({"test.cradle", text}, loader, overrides);
}

// Imports from the folder, then from the standard library.
inline Loaded elaborate_file(const std::string& folder, const std::string& name,
                             const std::vector<Override>& overrides = {}) {
  Loader loader;
  loader.resolve = [&folder](const std::string& path,
                             const std::string&) -> std::optional<Loader::File> {
    for (const std::string& root : {folder, std::string(CRADLE_ROOT "/lib")}) {
      if (auto text = read_text(root + "/" + path)) return Loader::File{path, std::move(*text)};
    }
    return std::nullopt;
  };
  return elaborate({name, read_text(folder + "/" + name).value_or("")}, loader, overrides);
}

inline std::string diagnostics_of(const Loaded& loaded) {
  std::string text;
  for (const Diagnostic& diagnostic : loaded.diagnostics.items()) {
    text += render_text(diagnostic, loaded.sources);
  }
  return text;
}

}  // namespace cradle::model::testing
