#include <filesystem>
#include <fstream>
#include <sstream>

#include "library/embedded.hpp"
#include "library/implementation.hpp"

namespace cradle {

std::optional<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return std::nullopt;
  return text.str();
}

model::Loader file_loader() {
  model::Loader loader;
  loader.resolve = [](const std::string& path,
                      const std::string& importer) -> std::optional<model::Loader::File> {
    for (const auto& [name, text] : embedded_library()) {
      if (name == path) return model::Loader::File{name, text};
    }
    // A component of the library imports its neighbours by their full name or by "./".
    const std::filesystem::path beside =
        (std::filesystem::path(importer).parent_path() / path).lexically_normal();
    for (const auto& [name, text] : embedded_library()) {
      if (name == beside.generic_string()) return model::Loader::File{name, text};
    }
    std::optional<std::string> text = read_file(beside.string());
    if (!text) return std::nullopt;
    return model::Loader::File{beside.generic_string(), std::move(*text)};
  };
  return loader;
}

}  // namespace cradle
