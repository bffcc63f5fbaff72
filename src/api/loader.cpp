#include <algorithm>
#include <filesystem>
#include <fstream>

#include "api/embedded.hpp"
#include "api/implementation.hpp"
#include "api/part_hint.hpp"
#include "base/basics/read_bounded.hpp"

namespace cradle {

std::optional<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text;
  if (!read_bounded(in, kMaxModelBytes, text) || in.bad()) return std::nullopt;
  return text;
}

namespace {

namespace fs = std::filesystem;

// With links followed. What cannot be resolved is not below anything.
bool is_below(const fs::path& path, const std::string& root) {
  std::error_code error;
  const fs::path folder = fs::canonical(root, error);
  if (error) return false;
  const fs::path file = fs::weakly_canonical(path, error);
  if (error) return false;
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

// Files of the library had no folders once. Models that import them by their old names go on.
std::string todays_name(const std::string& path) {
  static const std::pair<const char*, const char*> moved[] = {
      {"std/ball.cradle", "std/mechanical/ball.cradle"},
      {"std/contact.cradle", "std/mechanical/contact.cradle"},
      {"std/diode.cradle", "std/electrical/diode.cradle"},
      {"std/stiction.cradle", "std/mechanical/stiction.cradle"},
      {"std/switch.cradle", "std/electrical/switch.cradle"},
      {"std/thyristor.cradle", "std/electrical/thyristor.cradle"},
      {"std/valve.cradle", "std/hydraulic/valve.cradle"},
  };
  for (const auto& [old, name] : moved) {
    if (path == old) return name;
  }
  return path;
}

}  // namespace

model::Loader file_loader(const std::string& root) {
  model::Loader loader;
  loader.resolve = [root](const std::string& path,
                          const std::string& importer) -> std::optional<model::Loader::File> {
    const std::string today = todays_name(path);
    for (const auto& [name, text] : embedded_library()) {
      if (name == today) return model::Loader::File{name, text};
    }
    // A component of the library imports its neighbours by their full name or by "./" and "../".
    const fs::path beside = (fs::path(importer).parent_path() / path).lexically_normal();
    for (const auto& [name, text] : embedded_library()) {
      if (name == beside.generic_string()) return model::Loader::File{name, text};
    }
    if (!root.empty() && !is_below(beside, root)) return model::Loader::File{path, {}, true};
    std::error_code error;  // nobody waits for a pipe
    if (!root.empty() && !fs::is_regular_file(beside, error)) return std::nullopt;
    std::optional<std::string> text = read_file(beside.string());
    if (!text) return std::nullopt;
    return model::Loader::File{beside.generic_string(), std::move(*text)};
  };
  loader.part_hint = part_hint;
  return loader;
}

}  // namespace cradle
